//! Declared names that may be meant by an undeclared one: those of its kind alone.

use crate::rules::{foreign_operand, suggest};
use ptx_isa::ISA;
use ptx_isa::tables::TypeClass;
use ptx_sema::hir::types::TypeId;
use std::borrow::Cow;

/// The kind of symbol that an undeclared name should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum UndeclaredKind {
    /// A register, a variable or a parameter.
    Operand,
    /// The predicate of a guard.
    Guard,
    /// The base of an address in these state spaces.
    Address(&'static [&'static str]),
    /// The label of a branch or of a list.
    Label,
    /// The label of a `.branchtargets` list.
    BranchList,
    /// A label that is declared in another block, where it is not visible from here.
    InnerLabel,
    /// The function of a call.
    Function,
}

impl UndeclaredKind {
    /// Whether it is a value or an address, not a place in the code.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Self::Operand | Self::Guard | Self::Address(_))
    }
}

/// The stem of a name that numbered special registers have, and their largest number, if the name is none of them: `%pm8`.
pub(super) fn numbered_special(name: &str) -> Option<(&str, u32)> {
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

/// A name that a function declares; a range of registers with its number: `%r<10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeclaredName<'n> {
    /// The name.
    pub name: &'n str,
    /// Its state space; empty for a label.
    pub space: &'n str,
    /// Its type, as written.
    pub ty: &'n str,
}

impl<'n> DeclaredName<'n> {
    /// The declared name whose declaration, up to it, ends `before`.
    pub(crate) fn new(name: &'n str, before: &'n str) -> Self {
        let statement = before.rsplit([';', '{', '}', '(', ')', ':']).next().unwrap_or("");
        let last =
            |is_it: &dyn Fn(&str) -> bool| statement.split_whitespace().rev().find(|word| is_it(word)).unwrap_or("");
        Self { name, space: last(&|word| ISA.space(word).is_some()), ty: last(&|word| ISA.ty(word).is_some()) }
    }

    /// Whether such a name may stand where one of a kind is expected.
    fn suits(&self, kind: UndeclaredKind) -> bool {
        let is_register = self.space == ".reg";
        let is_predicate = TypeId::of(self.ty).is_some_and(|ty| ty.info().class == TypeClass::Pred);
        match kind {
            UndeclaredKind::Label | UndeclaredKind::InnerLabel | UndeclaredKind::BranchList => self.space.is_empty(),
            // The functions of a module are not among the names of a function.
            UndeclaredKind::Function => false,
            UndeclaredKind::Guard => is_register && is_predicate,
            UndeclaredKind::Address(_) if is_register => !is_predicate,
            UndeclaredKind::Address(spaces) => spaces.iter().any(|space| space.split("::").next() == Some(self.space)),
            UndeclaredKind::Operand => true,
        }
    }
}

/// What may be meant by an undeclared name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Similarity {
    /// The most similar name, if one is similar enough for a typing mistake.
    pub near: Option<Box<str>>,
    /// The range of registers that has its stem.
    pub range: Option<Box<str>>,
    /// The names to choose from, if they are few and none is similar.
    pub choices: Box<[Box<str>]>,
}

impl Similarity {
    /// What may be meant by a name of a kind, among the names that the function declares.
    pub(crate) fn of(written: &str, kind: UndeclaredKind, declared: &[DeclaredName<'_>]) -> Self {
        /// Maximum number of names to choose from.
        const MAX_CHOICES: usize = 4;
        let suitable: Vec<&str> = declared.iter().filter(|name| name.suits(kind)).map(|name| name.name).collect();
        // `%p9` of `%p<8>` is a register more, no other one, and `%p` lacks its number.
        let stem = written.trim_end_matches(|c: char| c.is_ascii_digit());
        let has_stem = |name: &&&str| name.split_once('<').is_some_and(|(base, _)| base.trim_end() == stem);
        if let Some(range) = suitable.iter().find(has_stem) {
            return Similarity { range: Some((*range).into()), ..Similarity::default() };
        }
        let is_other_case = |name: &&str| name.eq_ignore_ascii_case(written);
        if kind.is_value() && foreign_operand(written).is_some() && !suitable.iter().any(is_other_case) {
            return Similarity::default();
        }
        let near = nearest(written, &suitable, kind);
        let is_variable = |name: &&DeclaredName<'_>| name.suits(kind) && name.space != ".reg";
        let variables: Vec<Box<str>> = match kind {
            UndeclaredKind::Address(_) if near.is_none() => {
                declared.iter().filter(is_variable).map(|name| name.name.into()).collect()
            }
            _ => Vec::new(),
        };
        let choices = if variables.len() > MAX_CHOICES { Box::default() } else { variables.into() };
        Similarity { near, range: None, choices }
    }
}

/// The most similar of some names. Of a range, `%r<10`, it is the register with the number that is written; its bare stem is
/// no register. Special registers come after declared names.
fn nearest<'n>(written: &str, known: &[&'n str], kind: UndeclaredKind) -> Option<Box<str>> {
    let is_value = kind.is_value();
    if is_value {
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
    let names: Vec<Cow<'_, str>> = known.iter().filter_map(|name| member(name)).collect();
    if let Some(other_case) = names.iter().find(|name| name.eq_ignore_ascii_case(written)) {
        return Some(other_case.as_ref().into());
    }
    // `k_param_2` is none of `k_param_0` and `k_param_1`: which one is meant, the name does not tell.
    let has_other_number = |name: &&str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() < name.len() && number.is_some() && written.get(..digits) == Some(stem)
    };
    let candidates = names.iter().map(AsRef::as_ref).filter(|name| !has_other_number(name));
    let declared = suggest(written, candidates).map(Into::into);
    if declared.is_some() || !is_value || !written.starts_with('%') {
        return declared;
    }
    let is_guard = kind == UndeclaredKind::Guard;
    let special: Vec<String> = ISA
        .special_registers
        .iter()
        .filter(|register| !is_guard || register.ty == ".pred")
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
