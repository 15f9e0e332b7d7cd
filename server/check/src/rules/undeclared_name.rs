//! `undeclared-name`: a name that is not declared where it is used.

use super::{suggest, write_instead};
use crate::diagnostic::{Diagnostic, Related};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;
use rustc_hash::FxHashMap as HashMap;
use std::borrow::Cow;
use std::ops::Range;

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

/// The kind of symbol that an undeclared name should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum UndeclaredKind {
    /// A register, a variable or a parameter.
    Operand,
    /// The label of a branch or of a list.
    Label,
    /// A label that is declared in another block, where it is not visible from here.
    InnerLabel,
    /// The function of a call.
    Function,
}

impl DiagnosticMessage for UndeclaredName {
    /// Only the name counts.
    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
    }

    fn message(&self) -> String {
        let name = &self.name;
        match self.kind {
            UndeclaredKind::Operand if name.starts_with('%') => format!("no register `{name}` is declared here"),
            UndeclaredKind::Operand => format!("no name `{name}` is declared here"),
            UndeclaredKind::Label => format!("no label `{name}` is declared in this function"),
            UndeclaredKind::InnerLabel => format!("label `{name}` is not visible here"),
            UndeclaredKind::Function => format!("no function `{name}` is declared here"),
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
            (None, UndeclaredKind::Operand) if numbered_special(name).is_some() => {
                let (base, last) = numbered_special(name)?;
                Some(format!("the special registers of this name are `{base}0` to `{base}{last}`"))
            }
            (None, UndeclaredKind::Label) => Some(format!("write `{name}:` before the instruction to jump to")),
            (None, UndeclaredKind::Operand) => super::foreign_operand(name).map(|w| w.in_ptx(name)).or_else(|| {
                if is_template(name) {
                    return Some("a number after `%` is an operand of an `asm` statement: write a register".to_owned());
                }
                let ty = self.ty.filter(|_| name.starts_with('%'))?;
                Some(format!("declare it: `.reg {ty} {name};`"))
            }),
            (None, UndeclaredKind::Function) => super::in_ptx(name).or_else(|| {
                Some(format!(
                    "declare it above this function, `.func {name} (…);`, with `.extern` if another module has it"
                ))
            }),
        }
    }
}

/// The stem of a name that numbered special registers have, and their largest number, if the name is none of them: `%pm8`.
fn numbered_special(name: &str) -> Option<(&str, u32)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return None;
    }
    let last = |register: &'static ptx_isa::tables::SpecialRegister| {
        let number = register.name.strip_prefix(stem)?;
        // `%envreg<32>`, or `%pm4` beside `%pm<4>`.
        let ranges = number.is_empty() && register.count > 0;
        if ranges { u32::from(register.count).checked_sub(1) } else { number.parse().ok() }
    };
    ISA.special_registers.iter().filter_map(last).max().map(|last| (stem, last))
}

/// Whether a name is an operand of an `asm` statement of CUDA C++: `%0`.
pub fn is_template(name: &str) -> bool {
    name.strip_prefix('%').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn new(range: Range<usize>, name: &str, kind: UndeclaredKind) -> Diagnostic {
    Diagnostic::new(range, UndeclaredName { name: name.into(), kind, near: None, ty: None, elsewhere: None })
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

/// The report on an undeclared label in a branch or a list of labels.
pub(crate) fn label(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::Label)
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

    /// Whether it is the report on an undeclared label.
    pub fn is_undeclared_label(&self) -> bool {
        let is_label =
            |undeclared: &UndeclaredName| matches!(undeclared.kind, UndeclaredKind::Label | UndeclaredKind::InnerLabel);
        self.finding.data().is_some_and(is_label)
    }
}

/// The undeclared name, if the diagnostic is about one.
pub(crate) fn name(diagnostic: &Diagnostic) -> Option<&str> {
    diagnostic.finding.data().map(|undeclared: &UndeclaredName| &*undeclared.name)
}

/// The most similar of the names of a function. Of a range, `%r<10`, it is the register with the number that is written; its bare stem is
/// no register. Special registers come after declared names.
fn nearest<'n>(written: &str, known: &[&'n str], kind: UndeclaredKind) -> Option<Box<str>> {
    if kind == UndeclaredKind::Operand {
        // `$10`: a number, as other assemblers write it.
        if let Some(number) = written.strip_prefix('$').filter(|n| n.bytes().all(|b| b.is_ascii_digit())) {
            // In an `asm` statement of CUDA C++ it is an operand as LLVM writes it.
            let operand = format!("%{number}");
            return Some(if known.contains(&operand.as_str()) { operand.into() } else { number.into() });
        }
        if is_template(written) || numbered_special(written).is_some() {
            return None;
        }
    }
    let digits = written.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = written.get(digits..).filter(|n| !n.is_empty() && (*n == "0" || !n.starts_with('0')));
    let member = |name: &'n str| -> Option<Cow<'n, str>> {
        let Some((stem, count)) = name.split_once('<') else { return Some(name.into()) };
        let number = number?;
        let declared: u64 = count.trim().parse().ok()?;
        (number.parse::<u64>().ok()? < declared).then(|| format!("{}{number}", stem.trim_end()).into())
    };
    // `%p9` of `%p<8>` is a register more, no other one.
    let stem = written.get(..digits).unwrap_or("");
    let is_beyond = |name: &&str| name.split_once('<').is_some_and(|(base, _)| base.trim_end() == stem);
    if number.is_some() && kind == UndeclaredKind::Operand && known.iter().any(is_beyond) {
        return None;
    }
    let names: Vec<Cow<'_, str>> = known.iter().filter_map(|name| member(name)).collect();
    if let Some(other_case) = names.iter().find(|name| name.eq_ignore_ascii_case(written)) {
        return Some(other_case.as_ref().into());
    }
    let declared = suggest(written, names.iter().map(AsRef::as_ref)).map(Into::into);
    if declared.is_some() || kind != UndeclaredKind::Operand || !written.starts_with('%') {
        return declared;
    }
    let special: Vec<String> = ISA
        .special_registers
        .iter()
        .flat_map(|register| match register.components {
            "" if register.count > 0 => {
                let last = u64::from(register.count) - 1;
                let number = number.and_then(|n| n.parse().ok()).unwrap_or(0);
                vec![format!("{}{}", register.name, last.min(number))]
            }
            "" => vec![register.name.to_owned()],
            components => components.chars().map(|c| format!("{}.{c}", register.name)).collect(),
        })
        .collect();
    // `%lane` for `%laneid`.
    const MAX_LONGER: usize = 3;
    let is_longer = |name: &&String| {
        name.starts_with(written)
            && name.len() <= written.len() + MAX_LONGER
            && !name.contains('.')
            && written.len() > 2
    };
    let mut longer = special.iter().filter(is_longer);
    if let (Some(only), None) = (longer.next(), longer.next()) {
        return Some(only.as_str().into());
    }
    suggest(written, special.iter().map(String::as_str)).map(Into::into)
}

/// The undeclared name, if the diagnostic is about one.
pub(crate) fn undeclared(diagnostic: &Diagnostic) -> Option<&UndeclaredName> {
    diagnostic.finding.data()
}

impl UndeclaredName {
    /// The most similar of the names that the function declares, if one is similar enough for a typing mistake.
    pub(crate) fn similar(&self, declared: &[&str]) -> Option<Box<str>> {
        let foreign = self.kind == UndeclaredKind::Operand && super::foreign_operand(&self.name).is_some();
        if foreign { None } else { nearest(&self.name, declared, self.kind) }
    }
}

/// Adds the most similar name to a report, with the fix that writes it.
pub(crate) fn add_similar(diagnostic: &mut Diagnostic, similar: Option<&str>) {
    if let Some(undeclared) = of(diagnostic) {
        undeclared.near = similar.map(Into::into);
        diagnostic.fixes.extend(write_instead(diagnostic.range.clone(), similar));
    }
}

/// Adds where a name is declared to the reports on it. `declared` are the names that the function declares, with their places; a range of
/// registers with its number: `%r<10`.
pub(crate) fn add_declarations(diagnostics: &mut [Diagnostic], declared: impl Fn(&str) -> Option<Range<usize>>) {
    for diagnostic in diagnostics.iter_mut().take(MAX_SUGGESTIONS) {
        let range = diagnostic.range.clone();
        let Some(found) = of(diagnostic).filter(|found| found.kind == UndeclaredKind::Operand) else { continue };
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
    fn operands_and_functions() {
        let found = in_kernel(UndeclaredName, "add.u32 %r0, %q, 1;");
        assert_eq!(messages(&found), ["no register `%q` is declared here"]);
        let found = in_kernel(UndeclaredName, "mov.u64 %rd0, table;");
        assert_eq!(messages(&found), ["no name `table` is declared here"]);
        assert_eq!(messages(&in_kernel(UndeclaredName, "call other;")), ["no function `other` is declared here"]);
        assert!(in_kernel(UndeclaredName, "add.u32 %r0, %r7, 1;").is_empty());
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
