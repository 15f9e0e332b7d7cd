//! What a kernel and the functions that it reaches have together: the limits that the assembler checks when it links them.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lints::CheckedItem;
use crate::lints::mixed_cta_groups::{self, MixedCtaGroups};
use crate::lints::shared_memory_limit::SharedMemoryLimit;
use crate::rules::not_assembled;
use ptx_flow::flow::FlowFunction;
use ptx_isa::Modifier;
use ptx_sema::hir::module::{Header, ModuleSymbol};
use ptx_sema::hir::signature::Parameter;
use ptx_sema::hir::symbols::{Symbol, VariableOrigin};
use ptx_sema::target::Environment;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// What counts of a function for the kernels that reach it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FunctionSummary {
    /// Whether it is a kernel.
    kernel: bool,
    /// The byte range of its name, from the start of its item.
    name: Range<usize>,
    /// The CTA groups of its tensor-core instructions.
    groups: Vec<Modifier>,
    /// The size of the shared variables that it declares, in bytes.
    shared: u64,
    /// The shared variables of the module that it names, with their sizes in bytes.
    module_shared: Vec<(Box<str>, u64)>,
}

impl FunctionSummary {
    pub(crate) fn new(function: &FlowFunction) -> Self {
        let mut out = Self {
            kernel: function.kernel,
            name: function.name_range.start as usize..function.name_range.end as usize,
            groups: mixed_cta_groups::groups(function),
            ..Self::default()
        };
        for variable in &function.variables {
            let bytes =
                variable.symbol.bytes.filter(|_| variable.symbol.space == ".shared" && !variable.symbol.external);
            let Some(bytes) = bytes else { continue };
            if variable.symbol.origin == VariableOrigin::Module {
                out.module_shared.push((variable.name.clone(), bytes));
            } else {
                out.shared = out.shared.saturating_add(bytes);
            }
        }
        out
    }

    fn all_shared(&self) -> u64 {
        self.module_shared.iter().fold(self.shared, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

/// The functions of a module: the byte range of each, and its summary.
pub(crate) type Summaries = [(Range<usize>, FunctionSummary)];

/// Whether [`find`] can report anything. Most modules have neither tensor-core instructions nor much shared memory.
pub(crate) fn matters(summaries: &Summaries, header: &Header, found: &[Diagnostic]) -> bool {
    let limit = header.environment.target.map_or(0, |t| u64::from(t.shared));
    let total = summaries.iter().fold(0u64, |sum, (_, summary)| sum.saturating_add(summary.all_shared()));
    let kinds: HashSet<Modifier> = summaries.iter().flat_map(|(_, summary)| summary.groups.iter().copied()).collect();
    kinds.len() > 1
        || (limit > 0 && total > limit)
        || found.iter().any(is_late)
        || header.symbols.values().any(|symbol| uncallable(symbol).is_some())
}

/// The parameter of a device function for which the assembler does not build it.
fn uncallable(symbol: &ModuleSymbol) -> Option<&Parameter> {
    let is_device = matches!(symbol.symbol, Symbol::Function { kernel: false, .. });
    symbol.signature.as_deref().filter(|_| is_device).and_then(not_assembled::uncallable)
}

/// Whether the level of a diagnostic depends on whether a kernel reaches its function. The assembler builds no other ones.
fn is_late(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Warning && matches!(diagnostic.code(), Code::CallSequence | Code::MixedCtaGroups)
}

/// Reports what kernels have only together with the functions that they reach, and makes errors of the diagnostics in `found` that count because
/// a kernel reaches their function.
pub(crate) fn find<'c, 's: 'c>(
    summaries: &Summaries,
    checked: impl Iterator<Item = CheckedItem<'c, 's>>,
    header: &Header,
    found: &mut Vec<Diagnostic>,
) {
    let environment = &header.environment;
    let mut mentions: HashMap<&str, Vec<&str>> = HashMap::default();
    let mut functions: HashMap<&str, usize> = HashMap::default();
    for CheckedItem { item, name, names } in checked {
        mentions.entry(name).or_default().extend(names);
        if let Some(index) = summaries.iter().position(|(range, _)| *range == item.range) {
            functions.insert(name, index);
        }
    }
    let mut reached_by_any: HashSet<usize> = HashSet::default();
    let mut reached_names: HashSet<&str> = HashSet::default();
    let mut new = Vec::new();
    for (name, kernel) in functions.iter().filter(|(_, index)| summaries[**index].1.kernel) {
        let mut reached: HashSet<&str> = HashSet::default();
        let mut waiting = vec![*name];
        while let Some(next) = waiting.pop() {
            if reached.insert(next) {
                waiting.extend(mentions.get(next).into_iter().flatten());
            }
        }
        reached_names.extend(reached.iter().copied());
        let mut callees: Vec<usize> = reached.iter().filter_map(|name| functions.get(name).copied()).collect();
        callees.sort_unstable();
        callees.retain(|index| index != kernel);
        reached_by_any.extend(callees.iter().copied());
        let reached =
            Reached { name, kernel: &summaries[*kernel], callees: callees.iter().map(|i| &summaries[*i]).collect() };
        new.extend(reached.groups(&functions, summaries).into_iter().chain(reached.shared(environment)));
    }
    for diagnostic in found.iter_mut().filter(|d| is_late(d)) {
        let inside = |index: &usize| {
            let range = &summaries[*index].0;
            range.start <= diagnostic.range.start && diagnostic.range.end <= range.end
        };
        if reached_by_any.iter().any(inside) {
            diagnostic.severity = Severity::Error;
        }
    }
    for (name, symbol) in &header.symbols {
        let Some(parameter) = uncallable(symbol) else { continue };
        let is_reached = reached_names.contains(&**name);
        if is_reached || symbol.defined {
            let severity = if is_reached { Severity::Error } else { Severity::Warning };
            new.push(not_assembled::not_callable(symbol.place.clone(), name, parameter).severity(severity));
        }
    }
    found.extend(new);
}

/// A kernel with the functions that it reaches.
struct Reached<'a> {
    name: &'a str,
    kernel: &'a (Range<usize>, FunctionSummary),
    callees: Vec<&'a (Range<usize>, FunctionSummary)>,
}

impl Reached<'_> {
    /// The byte range of the kernel's name in the file.
    fn range(&self) -> Range<usize> {
        let (item, summary) = self.kernel;
        summary.name.start + item.start..summary.name.end + item.start
    }

    fn groups(&self, functions: &HashMap<&str, usize>, summaries: &Summaries) -> Option<Diagnostic> {
        let all = || self.callees.iter().copied().chain([self.kernel]);
        // A function with both has its own report.
        if all().any(|(_, summary)| summary.groups.len() > 1) {
            return None;
        }
        let with = |group: Modifier| all().find(|(_, summary)| summary.groups.contains(&group));
        let (first, second) = (with(Modifier::CtaGroup1)?, with(Modifier::CtaGroup2)?);
        let name = |wanted: &(Range<usize>, FunctionSummary)| {
            let of = |(_, index): &(&&str, &usize)| summaries[**index].0 == wanted.0;
            functions.iter().find(of).map_or_else(Box::default, |(name, _)| Box::from(*name))
        };
        let problem = MixedCtaGroups::Reached { kernel: self.name.into(), single: name(first), pair: name(second) };
        Some(Diagnostic::new(self.range(), problem))
    }

    fn shared(&self, environment: &Environment) -> Option<Diagnostic> {
        let target = environment.target.filter(|t| t.shared > 0)?;
        let limit = u64::from(target.shared);
        // The kernel's own variables have their own report.
        if self.kernel.1.all_shared() > limit {
            return None;
        }
        let mut total = 0u64;
        let mut named: HashSet<&str> = HashSet::default();
        for (_, summary) in self.callees.iter().copied().chain([self.kernel]) {
            total = total.saturating_add(summary.shared);
            for (name, bytes) in &summary.module_shared {
                if named.insert(name) {
                    total = total.saturating_add(*bytes);
                }
            }
        }
        let problem = SharedMemoryLimit {
            kernel: self.name.into(),
            total,
            target: target.name,
            limit: target.shared,
            reached: true,
        };
        (total > limit).then(|| problem.report(self.range()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    fn module(function: &str, kernel: &str) -> String {
        let header = ".version 8.6\n.target sm_100a\n.address_size 64\n";
        format!(
            "{header}.func f() {{ .shared .b64 s; {function} ret; }}\n.entry k() {{ .shared .b64 s; {kernel} ret; }}\n"
        )
    }

    fn allocate(group: u8) -> String {
        format!("tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [s], 32;")
    }

    /// The verdicts are those of ptxas 13.5 with code generation.
    #[test]
    fn groups_across_calls() {
        let found = |function: &str, kernel: &str| in_module(Code::MixedCtaGroups, &module(function, kernel));
        let mixed = found(&allocate(1), &format!("{} call f;", allocate(2)));
        assert_eq!(messages(&mixed), ["`k` reaches `.cta_group::1` in `f` and `.cta_group::2` in `k`"]);
        assert_eq!(mixed[0].severity, Severity::Error);
        assert!(found(&allocate(1), &allocate(2)).is_empty(), "it is not called");
        assert!(found(&allocate(2), &format!("{} call f;", allocate(2))).is_empty());
        let both = format!("{} {}", allocate(1), allocate(2));
        let level = |kernel: &str| found(&both, kernel).iter().map(|d| d.severity).collect::<Vec<_>>();
        assert_eq!(level("call f;"), [Severity::Error]);
        assert_eq!(level(""), [Severity::Warning], "the assembler leaves it out");
    }

    #[test]
    fn parameters_that_no_call_passes() {
        let found = |functions: &str, kernel: &str| {
            let header = ".version 9.5\n.target sm_90\n.address_size 64\n";
            let declared = ".reg .pred p; .reg .u16 h; .reg .b16 b; .reg .b64 a; .param .u8 c;";
            let text = format!("{header}{functions}\n.entry k() {{ {declared} {kernel} ret; }}");
            in_module(Code::NotAssembled, &text)
        };
        let severity = |functions: &str, kernel: &str| found(functions, kernel).first().map(|d| d.severity);
        for (functions, kernel) in [
            (".func f(.reg .pred a) { ret; }", "call f, (p);"),
            (".func (.reg .u16 r) f() { mov.u16 r, 1; ret; }", "call (h), f;"),
            (".func f(.param .u8 a) { ret; }", "call f, (c);"),
            (".func f(.reg .s16 a) { ret; } .func g() { call f, (1); ret; }", "call g;"),
            (".func f(.reg .pred a) { ret; }", "mov.u64 a, f;"),
            (".extern .func f(.reg .pred a);", "call f, (p);"),
            ("", "P: .callprototype _ (.reg .pred _); mov.b64 a, 0; call a, (p), P;"),
        ] {
            assert_eq!(severity(functions, kernel), Some(Severity::Error), "{functions} {kernel}");
        }
        for (functions, kernel) in [
            (".func f(.reg .b16 a) { ret; }", "call f, (h);"),
            (".func f(.param .u8 a[4]) { ret; }", ""),
            (".extern .func f(.reg .pred a);", ""),
            ("", "P: .callprototype _ (.reg .pred _);"),
        ] {
            assert_eq!(severity(functions, kernel), None, "{functions} {kernel}");
        }
        let unreached = found(".func f(.reg .pred a) { ret; }", "");
        assert_eq!(messages(&unreached), ["ptxas generates no code for `f`"]);
        assert_eq!(unreached[0].severity, Severity::Warning, "the assembler leaves it out");
        let help = unreached[0].help();
        assert_eq!(help.as_deref(), Some("`a` is `.pred`, which no call passes or returns: declare it `.b32`"));
    }

    #[test]
    fn shared_memory_across_calls() {
        let found = |kernel: &str| {
            let header = ".version 9.0\n.target sm_90\n.address_size 64\n";
            let function = ".func f() { .shared .b8 s[30000]; st.shared.b8 [s], 1; ret; }\n";
            let text = format!("{header}{function}.entry k() {{ .shared .b8 s[30000]; {kernel} ret; }}");
            messages(&in_module(Code::SharedMemoryLimit, &text))
        };
        let expected = "the shared variables of `k` and of the functions that it reaches take 60000 bytes; the limit of `sm_90` is 49152";
        assert_eq!(found("call f;"), [expected]);
        assert!(found("").is_empty());
    }
}
