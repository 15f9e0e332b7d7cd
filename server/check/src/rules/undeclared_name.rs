//! `undeclared-name`: a name that is not declared where it is used.

mod similar;

use super::write_instead;
use crate::diagnostic::{Diagnostic, Related};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

pub use similar::is_template;
use similar::numbered_special;
pub(crate) use similar::{DeclaredName, Similarity, UndeclaredKind};

/// Maximum number of names in a function for which a similar name is suggested. If a function has lost its declarations, thousands of
/// suggestions would take long and not help.
pub(crate) const MAX_SUGGESTIONS: usize = 32;

/// A name that is not declared where it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UndeclaredName {
    /// The name.
    pub name: Box<str>,
    /// The kind of symbol that is expected.
    pub kind: UndeclaredKind,
    /// The most similar declared name, if one is similar enough.
    pub near: Option<Box<str>>,
    /// The range of registers that has its stem: `%p<8>` for `%p9` and for `%p`.
    pub range: Option<Box<str>>,
    /// The declared names to choose from, if they are few and none is similar.
    pub choices: Box<[Box<str>]>,
    /// The type to declare a register with, if the operand has one.
    pub ty: Option<&'static str>,
    /// Where the function declares the name all the same.
    pub elsewhere: Option<Elsewhere>,
}

/// Where a name is declared that is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Elsewhere {
    /// Below its use.
    Below,
    /// In a block that ends before its use.
    InnerBlock,
}

impl DiagnosticMessage for UndeclaredName {
    /// Only the name counts.
    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
    }

    fn message(&self) -> String {
        let name = &self.name;
        match self.kind {
            UndeclaredKind::Label | UndeclaredKind::BranchList => {
                format!("no label `{name}` is declared in this function")
            }
            UndeclaredKind::InnerLabel => format!("label `{name}` is not visible here"),
            UndeclaredKind::Function => format!("no function `{name}` is declared here"),
            _ if name.starts_with('%') => format!("no register `{name}` is declared here"),
            _ => format!("no name `{name}` is declared here"),
        }
    }

    fn help(&self) -> Option<String> {
        let name = &self.name;
        match self.elsewhere {
            Some(Elsewhere::Below) => {
                return Some(format!("`{name}` is declared below: move its declaration before this"));
            }
            Some(Elsewhere::InnerBlock) => {
                return Some(format!(
                    "`{name}` is declared in a block, and visible only inside it: declare it before the block"
                ));
            }
            None => {}
        }
        match (&self.near, self.kind) {
            (_, UndeclaredKind::InnerLabel) => {
                Some("a label is visible in its own block and in the blocks inside it".to_owned())
            }
            (Some(near), _) => Some(format!("did you mean `{near}`?")),
            (None, _) if self.range.is_some() => self.in_range(),
            (None, UndeclaredKind::Operand) if numbered_special(name).is_some() => {
                let (base, last) = numbered_special(name)?;
                Some(format!("the special registers of this name are `{base}0` to `{base}{last}`"))
            }
            (None, UndeclaredKind::Label) => Some(format!("write `{name}:` before the instruction to jump to")),
            (None, UndeclaredKind::BranchList) => {
                Some(format!("declare the list of labels above: `{name}: .branchtargets …;`"))
            }
            (None, UndeclaredKind::Operand | UndeclaredKind::Guard | UndeclaredKind::Address(_)) => {
                super::foreign_operand(name).map(|w| w.in_ptx(name)).or_else(|| self.declaration())
            }
            // A function may be called `inc` or `load`; only names of CUDA are none.
            (None, UndeclaredKind::Function) => cuda_in_ptx(name).or_else(|| {
                Some(format!(
                    "declare it above this function, `.func {name} (…);`, with `.extern` if another module has it"
                ))
            }),
        }
    }
}

impl UndeclaredName {
    /// What to do with a name of which a range has the stem.
    fn in_range(&self) -> Option<String> {
        let (stem, count) = self.range.as_deref()?.split_once('<')?;
        let (stem, count) = (stem.trim_end(), count.trim_end_matches('>').trim());
        let last = count.parse::<u64>().ok()?.checked_sub(1)?;
        let declared = format!("`{stem}<{count}>` declares `{stem}0` to `{stem}{last}`");
        let number = self.name.strip_prefix(stem).and_then(|n| n.parse::<u64>().ok());
        Some(match number {
            Some(number) => format!("{declared}: declare `{stem}<{}>`, or use one of these", number.saturating_add(1)),
            None => format!("{declared}: write one of these"),
        })
    }

    /// How to declare the name, or which names there are in its place.
    fn declaration(&self) -> Option<String> {
        let name = &self.name;
        if is_template(name) {
            return Some("a number after `%` is an operand of an `asm` statement: write a register".to_owned());
        }
        if let UndeclaredKind::Address(spaces) = self.kind
            && !self.choices.is_empty()
        {
            let names: Vec<&str> = self.choices.iter().map(AsRef::as_ref).collect();
            let space = spaces.first().copied().unwrap_or("");
            let what = if space == ".param" { "parameters" } else { "variables" };
            return Some(format!(
                "the `{space}` {what} declared here: {}",
                super::one_of(&names).replace(" or ", ", ")
            ));
        }
        let ty = self.ty.filter(|_| name.starts_with('%') || self.kind == UndeclaredKind::Guard)?;
        Some(format!("declare it: `.reg {ty} {name};`"))
    }
}

fn new(range: Range<usize>, name: &str, kind: UndeclaredKind) -> Diagnostic {
    let data = UndeclaredName {
        name: name.into(),
        kind,
        near: None,
        range: None,
        choices: Box::default(),
        ty: None,
        elsewhere: None,
    };
    Diagnostic::new(range, data)
}

/// The report on an operand that names nothing declared.
pub(crate) fn report(range: Range<usize>, name: &str) -> Diagnostic {
    // If the module declares the name further down, show that declaration: it comes too late.
    new(range, name, UndeclaredKind::Operand).declared_below(name)
}

/// The report on an operand that names nothing declared, and that a register of a type would fit.
pub(crate) fn register(range: Range<usize>, name: &str, ty: &'static str) -> Diagnostic {
    let mut diagnostic = report(range, name);
    if let Some(found) = of(&mut diagnostic).filter(|_| numbered_special(name).is_none()) {
        found.ty = Some(ty);
    }
    diagnostic
}

/// The report on a guard that names nothing declared.
pub(crate) fn guard(range: Range<usize>, name: &str) -> Diagnostic {
    let mut diagnostic = register(range, name, ".pred");
    if let Some(found) = of(&mut diagnostic) {
        found.kind = UndeclaredKind::Guard;
    }
    diagnostic
}

/// The report on the base of an address in some state spaces, none of which means any, that names nothing declared.
pub(crate) fn address(range: Range<usize>, name: &str, spaces: Option<&'static [&'static str]>) -> Diagnostic {
    let mut diagnostic = report(range, name);
    if let (Some(found), Some(spaces)) = (of(&mut diagnostic), spaces) {
        found.kind = UndeclaredKind::Address(spaces);
    }
    diagnostic
}

/// The report on an undeclared label in a branch or a list of labels.
pub(crate) fn label(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::Label)
}

/// The report on an undeclared list of labels.
pub(crate) fn branch_list(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::BranchList)
}

/// What a function of CUDA C++ is in PTX.
fn cuda_in_ptx(name: &str) -> Option<String> {
    let is_cuda = ptx_isa::CUDA.iter().any(|cuda| cuda.name == name);
    is_cuda.then(|| super::in_ptx(name)).flatten()
}

/// The report on an undeclared function in a call.
pub(crate) fn function(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::Function).declared_below(name)
}

fn of(diagnostic: &mut Diagnostic) -> Option<&mut UndeclaredName> {
    diagnostic.finding.data_mut()
}

impl Diagnostic {
    /// Whether the undeclared name is that of a special register, but for its number: `%pm8`.
    pub fn is_beyond_special_registers(&self) -> bool {
        name(self).is_some_and(|name| numbered_special(name).is_some())
    }

    /// Whether a declaration of the undeclared name is not what was meant: it is a word of another language, or the stem of registers.
    pub fn is_not_to_be_declared(&self) -> bool {
        let is_stem = |name: &str, range: &str| range.split_once('<').is_some_and(|(stem, _)| stem.trim_end() == name);
        let data: Option<&UndeclaredName> = self.finding.data();
        data.is_some_and(|undeclared| {
            super::foreign_operand(&undeclared.name).is_some()
                || undeclared.range.as_deref().is_some_and(|range| is_stem(&undeclared.name, range))
        })
    }

    /// Whether it is the report on an undeclared label.
    pub fn is_undeclared_label(&self) -> bool {
        let is_label = |undeclared: &UndeclaredName| {
            matches!(undeclared.kind, UndeclaredKind::Label | UndeclaredKind::InnerLabel | UndeclaredKind::BranchList)
        };
        self.finding.data().is_some_and(is_label)
    }
}

/// The undeclared name, if the diagnostic is about one.
pub(crate) fn name(diagnostic: &Diagnostic) -> Option<&str> {
    diagnostic.finding.data().map(|undeclared: &UndeclaredName| &*undeclared.name)
}

/// The undeclared name, if the diagnostic is about one.
pub(crate) fn undeclared(diagnostic: &Diagnostic) -> Option<&UndeclaredName> {
    diagnostic.finding.data()
}

/// Adds what may be meant to a report, with the fix that writes the most similar name.
pub(crate) fn add_similar(diagnostic: &mut Diagnostic, similar: &Similarity) {
    if let Some(undeclared) = of(diagnostic) {
        undeclared.near.clone_from(&similar.near);
        undeclared.range.clone_from(&similar.range);
        undeclared.choices.clone_from(&similar.choices);
        diagnostic.fixes.extend(write_instead(diagnostic.range.clone(), similar.near.as_deref()));
    }
}

/// Adds where a name is declared to the reports on it. `declared` are the names that the function declares, with their places; a range of
/// registers with its number: `%r<10`.
pub(crate) fn add_declarations(diagnostics: &mut [Diagnostic], declared: impl Fn(&str) -> Option<Range<usize>>) {
    for diagnostic in diagnostics.iter_mut().take(MAX_SUGGESTIONS) {
        let range = diagnostic.range.clone();
        let Some(found) = of(diagnostic).filter(|found| found.kind.is_value()) else { continue };
        let Some(place) = declared(&found.name) else { continue };
        found.elsewhere = Some(if place.start > range.start { Elsewhere::Below } else { Elsewhere::InnerBlock });
        found.near = None;
        diagnostic.fixes.clear();
        diagnostic.related.push(Related::new(place, "the declaration is here".to_owned()));
    }
}

impl Diagnostic {
    /// Whether it reports a name that is declared elsewhere in the function.
    pub fn is_declared_elsewhere(&self) -> bool {
        self.finding.data().is_some_and(|undeclared: &UndeclaredName| undeclared.elsewhere.is_some())
    }
}

/// Adds the place of a label to the report that it is not visible. `labels` are all labels of the function.
pub(crate) fn add_labels(diagnostics: &mut [Diagnostic], labels: &[SourceWord<'_>]) {
    let mut by_name: HashMap<&str, &SourceWord<'_>> = HashMap::default();
    for diagnostic in diagnostics.iter_mut().filter(|d| d.is_undeclared_label()) {
        if by_name.is_empty() {
            // Of labels with the same name the first one counts.
            by_name.extend(labels.iter().rev().map(|label| (label.text, label)));
        }
        let Some(found) = of(diagnostic) else { continue };
        let Some(label) = by_name.get(&*found.name) else { continue };
        found.kind = UndeclaredKind::InnerLabel;
        let message = "it is declared in this block".to_owned();
        diagnostic.fixes.clear();
        diagnostic.related.push(Related::new(label.range(), message));
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_SUGGESTIONS;
    use crate::Code::UndeclaredName;
    use crate::testing::{in_kernel, in_module, mended, messages};

    #[test]
    fn help_by_what_the_place_takes() {
        let help = |body: &str| in_kernel(UndeclaredName, body)[0].help();
        assert_eq!(
            help("brx.idx %r1, ts;").as_deref(),
            Some("declare the list of labels above: `ts: .branchtargets …;`")
        );
        // `inc` is an instruction of other assemblers, and a good name for a function.
        assert!(help("call inc;").is_some_and(|help| help.starts_with("declare it above this function")));
        assert!(help("call __syncthreads;").is_some_and(|help| help.contains("in PTX")));
    }

    #[test]
    fn operands_and_functions() {
        let found = in_kernel(UndeclaredName, "add.u32 %r0, %q, 1;");
        assert_eq!(messages(&found), ["no register `%q` is declared here"]);
        let found = in_kernel(UndeclaredName, "mov.u64 %rd0, table;");
        assert_eq!(messages(&found), ["no name `table` is declared here"]);
        assert_eq!(messages(&in_kernel(UndeclaredName, "call other;")), ["no function `other` is declared here"]);
        assert!(in_kernel(UndeclaredName, "add.u32 %r0, %r7, 1;").is_empty());
    }

    #[test]
    fn suggestions_are_of_the_kind_that_fits() {
        let help = |body: &str| in_kernel(UndeclaredName, body)[0].help().unwrap_or_default();
        assert_eq!(help("@p1 ret;"), "did you mean `%p1`?");
        // An integer register is no guard, and a register no label.
        assert_eq!(help("@r1 ret;"), "declare it: `.reg .pred r1;`");
        assert_eq!(help("bra r1;"), "write `r1:` before the instruction to jump to");
        assert_eq!(
            help("call %r11;"),
            "declare it above this function, `.func %r11 (…);`, with `.extern` if another module has it"
        );
        assert_eq!(help("ld.param.u64 %rd1, [argument];"), "the `.param` parameters declared here: `p`");
        assert!(help("add.u32 %r1, %r99, 1;").contains("declares `%r0` to"), "{}", help("add.u32 %r1, %r99, 1;"));
        assert!(help("add.u32 %r1, %r, 1;").ends_with("write one of these"));
        assert!(help("add.u32 R1, %r2, 1;").starts_with("PTX has no `R1`"));
    }

    #[test]
    fn labels_of_other_blocks() {
        let found = in_kernel(UndeclaredName, "bra nowhere;");
        assert_eq!(messages(&found), ["no label `nowhere` is declared in this function"]);
        let found = in_kernel(UndeclaredName, "bra inner; { inner: ret; }");
        let help = "a label is visible in its own block and in the blocks inside it";
        assert_eq!(found[0].help().as_deref(), Some(help));
        assert!(in_kernel(UndeclaredName, "{ bra outer; } outer:").is_empty());
    }

    #[test]
    fn the_fix_writes_the_nearest_name() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 count; mov.u32 cuont, 1; ret; }";
        let fixed = mended(UndeclaredName, text);
        assert_eq!(fixed, text.replace("cuont", "count"));
        assert!(in_module(UndeclaredName, &fixed).is_empty());
    }

    #[test]
    fn names_of_other_languages() {
        let help = |body: &str| in_kernel(UndeclaredName, body)[0].help().unwrap_or_default();
        assert_eq!(help("mov.u32 %r1, %warpsize;"), "`%warpsize` is `WARP_SZ` in PTX");
        assert_eq!(help("mov.f32 %f1, inf;"), "`inf` is `0f7F800000` in PTX; 0d7FF0000000000000 in `.f64`");
        assert_eq!(help("mov.u32 %r1, $10;"), "did you mean `10`?");
        assert!(help("mov.u32 %r1, %0;").starts_with("a number after `%` is an operand of an `asm` statement"));
        // A register may have the name of an instruction of another language.
        assert_eq!(help("mov.u32 %r1, load;"), "");
    }

    #[test]
    fn suggestions_are_limited() {
        let found =
            in_kernel(UndeclaredName, &format!(".reg .b32 count; {}", "mov.u32 cuont, 1;".repeat(MAX_SUGGESTIONS + 8)));
        let near = |d: &&crate::Diagnostic| d.help().is_some_and(|h| h.starts_with("did you mean"));
        assert_eq!((found.len(), found.iter().filter(near).count()), (MAX_SUGGESTIONS + 8, MAX_SUGGESTIONS));
    }
}
