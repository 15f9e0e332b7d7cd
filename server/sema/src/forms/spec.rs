//! Operand variants, patterns and specs: the requirements on the operands of a form, once its modifiers are known.

use crate::forms::mnemonic::{broken, holds};
use crate::hir::types::{RegisterFit, TypeId};
use ptx_isa::ISA;
use ptx_isa::tables::{
    Form, FormOperand, FormPattern, FormValue, Length, Note, OperandAccess, Rule, Spaces, Term, TypeExpr, Usual,
    ValueKind,
};

/// One choice of the optional operands of a form, with the pattern of each operand.
#[derive(Debug)]
pub struct OperandVariant {
    /// The operands in order, with their index in the form.
    pub operands: Vec<(u8, OperandPattern)>,
    /// The names of the values that are present.
    pub names: Vec<&'static str>,
    /// The first rule that forbids this variant.
    pub broken: Option<&'static Rule>,
}

/// The syntactic pattern that an operand must have.
#[derive(Debug)]
pub enum OperandPattern {
    /// A value.
    Value(OperandSpec),
    /// `[a, b]`.
    Address(Vec<OperandSpec>),
    /// `d|p`.
    Pair(Box<(OperandSpec, OperandSpec)>),
    /// `(a, b)`.
    Arguments(OperandSpec),
    /// `_`.
    Sink,
}

/// The type, kind and length that a value must have.
#[derive(Debug, Clone, Copy)]
pub struct OperandSpec {
    /// The operand's declaration in the ISA tables.
    pub value: &'static FormValue,
    /// Its type, if it has one.
    pub ty: Option<TypeId>,
    /// The type of the first element of a list, if it differs from `ty`.
    pub lead: Option<TypeId>,
    /// How strictly registers must fit.
    pub fit: RegisterFit,
    /// Allowed lengths of a list; empty: not a list.
    pub lengths: &'static [u16],
    /// The number of elements of the list that this is an element of; 0: of none.
    pub among: u16,
    /// Whether any length is accepted here, because another check computes the length.
    pub any_length: bool,
    /// The state spaces in which a variable in an address may be; `None`: those of generic addressing.
    pub spaces: Option<&'static [&'static str]>,
    /// The state spaces in which a variable may be whose address is the value; `None`: any.
    pub symbol_spaces: Option<&'static [&'static str]>,
    /// The width of the shifted value in bits: shift distances from this one on shift out all bits.
    pub width: Option<u16>,
    /// Whether the assembler emulates the instruction on the module's target.
    pub emulated: bool,
    /// Whether the assembler hands this operand to the text that it puts in place of the instruction.
    pub handed: bool,
}

/// The part of an [`OperandSpec`] that a diagnostic keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpectedOperand {
    /// The name of the operand in the form, such as `a`.
    pub name: &'static str,
    /// What it is for, as the tables say it (Markdown, may be empty).
    pub meaning: &'static str,
    /// Its type, if it has one.
    pub ty: Option<TypeId>,
    /// How strictly registers must fit.
    pub fit: RegisterFit,
    /// Whether the instruction writes it (it may read it too).
    pub written: bool,
    /// Whether only a register is allowed.
    pub register_only: bool,
    /// Whether only a constant is allowed.
    pub immediate_only: bool,
    /// The number of elements of the list that it is an element of; 0: of none.
    pub among: u16,
}

impl OperandVariant {
    /// Notes that the assembler emulates the instruction, which restricts these operands (all, if none is named).
    pub(crate) fn emulate(&mut self, operands: &[&str]) {
        let mark = |spec: &mut OperandSpec| {
            let named = operands.contains(&spec.value.name);
            spec.emulated |= operands.is_empty() || named;
            spec.handed |= named;
        };
        for (_, pattern) in &mut self.operands {
            match pattern {
                OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => mark(spec),
                OperandPattern::Address(parts) => parts.iter_mut().for_each(mark),
                OperandPattern::Pair(both) => {
                    mark(&mut both.0);
                    mark(&mut both.1);
                }
                OperandPattern::Sink => {}
            }
        }
    }
}

impl OperandSpec {
    /// Whether `_` is allowed for elements of a list.
    pub fn holes(&self) -> bool {
        (self.value.holes || self.value.sink) && !self.emulated
    }

    /// The part of the spec that a diagnostic keeps. `operands` are the notes of the tables on the operands of the instruction.
    pub fn expected(&self, operands: &[Note]) -> ExpectedOperand {
        ExpectedOperand {
            name: self.value.name,
            meaning: operands.iter().find(|note| note.name == self.value.name).map_or("", |note| note.doc),
            ty: self.ty,
            fit: self.fit,
            written: self.value.access != OperandAccess::Read,
            register_only: self.value.register_only,
            immediate_only: self.value.immediate_only,
            among: self.among,
        }
    }
}

/// All operand variants of a form, sorted by their number of operands.
pub fn operand_variants(form: &'static Form, values: &[Option<&'static str>]) -> Vec<OperandVariant> {
    let groups = form.operands.iter().map(|o| o.optional).max().unwrap_or(0);
    // An optional second part, `d{|p}`, doubles the variants too.
    let open_pair = |o: &FormOperand| matches!(o.pattern, FormPattern::Pair(pair) if pair.optional);
    let pairs: Vec<usize> = (0..form.operands.len()).filter(|i| open_pair(&form.operands[*i])).collect();
    let mut out = Vec::new();
    for present in 0..1u32 << (usize::from(groups) + pairs.len()) {
        let given = |group: u8| group == 0 || present & (1 << (group - 1)) != 0;
        let whole = |i: usize| match pairs.iter().position(|p| *p == i) {
            Some(place) => present & (1 << (usize::from(groups) + place)) != 0,
            None => true,
        };
        let chosen: Vec<usize> = (0..form.operands.len()).filter(|i| given(form.operands[*i].optional)).collect();
        let named = |i: &usize| match (&form.operands[*i].pattern, whole(*i)) {
            (FormPattern::Pair(pair), false) => vec![pair.first.name],
            (pattern, _) => pattern.names(),
        };
        let names: Vec<&'static str> = chosen.iter().flat_map(named).collect();
        let shape = |i: &usize| match (&form.operands[*i].pattern, whole(*i)) {
            (FormPattern::Pair(pair), false) => OperandPattern::Value(operand_spec(form, &pair.first, values)),
            (pattern, _) => operand_pattern(form, pattern, values),
        };
        let operands: Vec<(u8, OperandPattern)> = chosen.iter().map(|i| (*i as u8, shape(i))).collect();
        let broken = form.rules.iter().find(|r| speaks_of_operands(r) && broken(r, values, Some(&names)));
        out.push(OperandVariant { operands, names, broken });
    }
    out.sort_by_key(|a| (a.operands.len(), a.broken.is_some()));
    out
}

/// Whether a condition holds for a variant.
pub fn applies(terms: &[Term], values: &[Option<&'static str>], chosen: &OperandVariant) -> bool {
    holds(terms, values, Some(&chosen.names)).unwrap_or(false)
}

fn speaks_of_operands(rule: &Rule) -> bool {
    rule.what.iter().chain(rule.when).any(|t| matches!(t, Term::Operand(_)))
}

fn operand_pattern(
    form: &'static Form,
    pattern: &'static FormPattern,
    values: &[Option<&'static str>],
) -> OperandPattern {
    match pattern {
        FormPattern::Value(value) => OperandPattern::Value(operand_spec(form, value, values)),
        FormPattern::Arguments(value) => OperandPattern::Arguments(operand_spec(form, value, values)),
        FormPattern::Address(parts) => {
            OperandPattern::Address(parts.iter().map(|v| operand_spec(form, v, values)).collect())
        }
        FormPattern::Pair(pair) => {
            let both = (operand_spec(form, &pair.first, values), operand_spec(form, &pair.second, values));
            OperandPattern::Pair(Box::new(both))
        }
        FormPattern::Sink => OperandPattern::Sink,
    }
}

fn operand_spec(form: &'static Form, value: &'static FormValue, values: &[Option<&'static str>]) -> OperandSpec {
    let (lengths, any_length) = lengths(form, value, values);
    let named = |spaces: Spaces| match spaces {
        Spaces::Generic => None,
        Spaces::Named(spaces) => Some(spaces),
        Spaces::Slot(slot) => {
            let slot = usize::from(slot);
            // Take the string of the modifier set: it is `'static`, as a one-element slice of it must be.
            values[slot]
                .and_then(|v| form.slots[slot].values.iter().position(|s| *s == v))
                .map(|i| &form.slots[slot].values[i..=i])
        }
    };
    let spaces = if let ValueKind::Address(spaces) = value.kind { named(spaces) } else { None };
    OperandSpec {
        value,
        ty: type_of(value.ty, values),
        lead: type_of(value.lead, values),
        fit: RegisterFit { wider: value.wider, exact: value.exact, untyped: value.untyped },
        lengths,
        among: 0,
        any_length,
        spaces,
        symbol_spaces: named(value.symbol_spaces),
        width: match value.usual {
            Usual::Below(ty) => type_of(ty, values).map(|t| t.info().bits),
            _ => None,
        },
        emulated: false,
        handed: false,
    }
}

fn lengths(form: &'static Form, value: &FormValue, values: &[Option<&'static str>]) -> (&'static [u16], bool) {
    match value.length {
        Length::Scalar => (&[], false),
        Length::Fixed(n) => (single(n), false),
        Length::Slot(slot) => {
            let text = values[usize::from(slot)].unwrap_or("");
            let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
            (digits.parse().map_or(&[], single), false)
        }
        Length::Map(index) => {
            let map = &form.maps[usize::from(index)];
            let key: Vec<&str> =
                map.slots.iter().map(|s| values[usize::from(*s)].unwrap_or("").trim_start_matches('.')).collect();
            let key = key.join("/");
            map.rows.iter().find(|r| r.key == key).map_or((&[], true), |r| (r.lengths, false))
        }
        Length::Formula(formula) => {
            let bits = |name: &str| ISA.ty(name).map(|t| t.bits.into());
            let number = formula.value(values, bits).and_then(|n| u16::try_from(n).ok());
            (number.map_or(&[], single), false)
        }
    }
}

/// A list of one length, from a table so that it is static.
fn single(n: u16) -> &'static [u16] {
    static NUMBERS: [u16; 513] = {
        let mut out = [0; 513];
        let mut i = 0;
        while i < 513 {
            out[i] = i as u16;
            i += 1;
        }
        out
    };
    NUMBERS.get(usize::from(n)..=usize::from(n)).unwrap_or(&[])
}

fn type_of(ty: TypeExpr, values: &[Option<&'static str>]) -> Option<TypeId> {
    match ty {
        TypeExpr::None => None,
        TypeExpr::Slot(slot) => TypeId::of(values[usize::from(slot)]?),
        TypeExpr::Named(name) => TypeId::of(name),
        TypeExpr::Wide(inner) => type_of(*inner, values).and_then(|t| t.resized(t.info().bits * 2)),
        TypeExpr::Half(inner) => type_of(*inner, values).and_then(|t| t.resized(t.info().bits / 2)),
        TypeExpr::Bits(inner) => type_of(*inner, values).and_then(TypeId::untyped),
    }
}
