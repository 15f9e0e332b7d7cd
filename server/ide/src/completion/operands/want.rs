//! The requirements on a name at a place among operands.

use super::pointers::Pointers;
use super::spot::{EnclosingBracket, OperandSpot};
use crate::completion::place::CompletionPlace;
use crate::completion::scope::{Name, Near, One};
use crate::completion::statement::MnemonicAtCursor;
use crate::completion::tokens::{CompletionTokenKind as TokenKind, is_part};
use ptx_analysis::{
    ItemSource, NameLookup, Operand, OperandKind, OperandPattern, OperandSpec, Symbol, TargetListKind as Targets,
    TypeId, VariableOrigin, VariableSymbol, lower, operands,
};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, TypeClass, ValueKind};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, kinds};

/// What kind of operand, or part of an operand, is expected at the cursor. The spec says which values are legal.
#[derive(Debug, Clone)]
pub enum Want {
    /// A whole value.
    Value(OperandSpec),
    /// A value after `!`.
    Negated(OperandSpec),
    /// A part of an address, inside its brackets.
    Base(OperandSpec),
    /// An address; the offered text includes its brackets.
    Address(OperandSpec),
    /// An element of a list, after the elements given here.
    Element(OperandSpec, Vec<String>),
    /// A whole list.
    Whole(OperandSpec),
    /// The sink `_`.
    Sink,
    /// A result or an argument of a call, and its index.
    Argument(OperandAccess, usize),
}

impl Want {
    /// The operand spec; `None` for sinks and for arguments of calls.
    pub fn spec(&self) -> Option<&OperandSpec> {
        match self {
            Self::Value(s)
            | Self::Negated(s)
            | Self::Base(s)
            | Self::Address(s)
            | Self::Whole(s)
            | Self::Element(s, _) => Some(s),
            Self::Sink | Self::Argument(..) => None,
        }
    }
}

/// The context in which names are matched with a [`Want`].
pub struct OperandContext<'a> {
    /// Lookup of all names.
    pub names: &'a dyn NameLookup,
    /// The names in use near the cursor.
    pub near: &'a Near,
    /// Where registers point.
    pub pointers: Pointers,
    /// The names that the function declares.
    pub locals: &'a [Name],
    /// The called function, or the prototype of the call.
    pub callee: Option<Node<'a>>,
    /// The size of addresses in bits.
    pub address_size: u16,
    /// The opcode with its modifiers.
    pub head: &'a MnemonicAtCursor,
    /// The same mnemonic as text.
    pub mnemonic: String,
    /// Index of the operand, from 0.
    pub index: usize,
    /// In real files, this operand is often the name of a variable.
    pub often_names: bool,
}

impl Want {
    /// Whether a name of the module may match.
    pub fn of_module(&self) -> bool {
        self.spec().is_some_and(|s| {
            s.value.symbol
                || matches!(
                    s.value.kind,
                    ValueKind::Address(_) | ValueKind::Function | ValueKind::Opaque(_) | ValueKind::Targets
                )
        })
    }

    pub fn of_labels(&self) -> bool {
        self.spec().is_some_and(|s| matches!(s.value.kind, ValueKind::Label | ValueKind::Targets))
    }
}

/// Appends what an operand pattern expects at the cursor. `negated`: a `!` precedes the cursor. `second`: the cursor is
/// after the `|` of a pair.
pub fn wanted(shape: &OperandPattern, spot: &OperandSpot, negated: bool, second: bool, out: &mut Vec<Want>) {
    let value = |spec: &OperandSpec| match spec.value.kind {
        ValueKind::Address(_) => Want::Address(*spec),
        _ if negated => Want::Negated(*spec),
        _ => Want::Value(*spec),
    };
    let is_list = |spec: &OperandSpec| !spec.lengths.is_empty() || spec.any_length;
    match (shape, spot.open.as_slice()) {
        (OperandPattern::Sink, []) => out.push(Want::Sink),
        (OperandPattern::Value(spec), []) if !second => {
            if is_list(spec) && !negated {
                out.push(Want::Whole(*spec));
            }
            if !is_list(spec) || (spec.value.bare && spec.lengths.contains(&1)) {
                out.push(value(spec));
            }
        }
        (OperandPattern::Pair(both), []) => {
            let spec = if second { &both.1 } else { &both.0 };
            // Either side of the bar may be a list.
            out.push(if is_list(spec) { Want::Whole(*spec) } else { value(spec) });
        }
        (OperandPattern::Pair(both), [EnclosingBracket::Brace(elements)]) => {
            out.push(Want::Element(both.0, elements.clone()))
        }
        (OperandPattern::Address(parts), []) if !negated && !second => {
            if let [one] = parts.as_slice() {
                out.push(Want::Address(*one));
            }
        }
        (OperandPattern::Address(parts), [EnclosingBracket::Bracket(part), rest @ ..]) => {
            let Some(spec) = parts.get(*part) else { return };
            match rest {
                [] if is_list(spec) => out.push(Want::Whole(*spec)),
                [] if matches!(spec.value.kind, ValueKind::Address(_)) => out.push(Want::Base(*spec)),
                [] => out.push(Want::Value(*spec)),
                [EnclosingBracket::Brace(elements)] => out.push(Want::Element(*spec, elements.clone())),
                _ => {}
            }
        }
        (OperandPattern::Value(spec), [EnclosingBracket::Bracket(0)])
            if matches!(spec.value.kind, ValueKind::Address(_)) =>
        {
            out.push(Want::Base(*spec));
        }
        (OperandPattern::Value(spec), [EnclosingBracket::Brace(elements)]) if is_list(spec) => {
            out.push(Want::Element(*spec, elements.clone()));
        }
        (OperandPattern::Arguments(spec), [EnclosingBracket::Parenthesis(index)]) => {
            out.push(Want::Argument(spec.value.access, *index))
        }
        _ => {}
    }
}

/// Whether a name may be offered for a want.
pub fn accepts(want: &Want, name: &Name, place: &CompletionPlace<'_>, context: &OperandContext<'_>) -> bool {
    let symbol = name.symbol;
    if let Want::Argument(access, index) = want {
        return argument(*access, *index, symbol, place, context.callee);
    }
    let Some(spec) = want.spec() else { return false };
    match (spec.value.kind, symbol) {
        (ValueKind::Label, _) => return symbol == Symbol::Label,
        (ValueKind::Targets, Symbol::Targets { list, .. }) => return spec.value.symbol != (list == Targets::Branches),
        (ValueKind::Targets, _) => return false,
        (ValueKind::Function, Symbol::Function { kernel, .. }) => {
            return !kernel && returns(name) == results_given(place) && !is_indirect(place);
        }
        // ptxas accepts the name of a function for most registers, but it is never meant. A function is in no state space.
        (ValueKind::Value, Symbol::Function { .. }) if !spec.value.symbol || spec.symbol_spaces.is_some() => {
            return false;
        }
        // The front end of ptxas accepts addresses of any width, and a texture as if it were memory; its later stages do
        // not.
        (ValueKind::Address(_), Symbol::Register { ty, .. }) if !holds_address(spec, ty, context.address_size) => {
            return false;
        }
        (ValueKind::Address(_), Symbol::Variable(VariableSymbol { ty: Some(ty), .. }))
            if ty.info().class == TypeClass::Opaque =>
        {
            return false;
        }
        (ValueKind::Address(_), Symbol::Variable(v)) if v.space == ".param" => {
            let guarded = v.origin == VariableOrigin::Body && place.before.at(0) == "@";
            let mut modifiers = context.mnemonic.split('.').skip(1);
            let elsewhere = modifiers.any(|m| v.origin.is_outside(&format!(".{m}")));
            if guarded || elsewhere || !v.origin.may_access(spec.value.access != OperandAccess::Read) {
                return false;
            }
        }
        (ValueKind::Function, _) => return false,
        _ => {}
    }
    let text = if name.count.is_some() { format!("{}0", name.text) } else { name.text.clone() };
    let names = One { name: &text, symbol, others: context.names };
    fits(want, OperandKind::Name(&text), &names)
}

/// Whether a register can hold an address. Its size must be the module's address size, or 32 bits if the operand's state
/// spaces have 32-bit addresses only.
fn holds_address(spec: &OperandSpec, ty: TypeId, address_size: u16) -> bool {
    let small = in_windows(spec) || spec.value.register_only;
    ty.info().bits == address_size || (small && ty.info().bits == 32)
}

/// Whether all state spaces of an operand have 32-bit addresses.
fn in_windows(spec: &OperandSpec) -> bool {
    let window = |name: &&str| ISA.space(name).is_some_and(|s| s.window);
    spec.spaces.is_some_and(|s| s.iter().all(window))
}

/// Whether a function returns something, according to its header.
fn returns(name: &Name) -> bool {
    name.detail
        .split_once(' ')
        .is_some_and(|(_, rest)| rest.starts_with('(') && !rest.trim_start_matches('(').trim_start().starts_with(')'))
}

/// Whether the call has a list of results.
fn results_given(place: &CompletionPlace<'_>) -> bool {
    place.before.words(0).any(|w| w == "(")
}

/// Whether a call ends with a prototype or a list of targets. Such a call is indirect: its callee is a register.
fn is_indirect(place: &CompletionPlace<'_>) -> bool {
    let after = &place.after;
    after.len() >= 2 && after.at(after.len() - 2) == "," && after.kind(after.len() - 1) == Some(TokenKind::Word)
}

/// Whether a symbol may be argument or result number `index` of a call.
fn argument(
    access: OperandAccess,
    index: usize,
    symbol: Symbol,
    place: &CompletionPlace<'_>,
    callee: Option<Node<'_>>,
) -> bool {
    let own = match symbol {
        Symbol::Variable(v) => v.space == ".param" && v.origin == VariableOrigin::Body,
        Symbol::Register { elements: 1, ty } => ty.info().class != TypeClass::Pred,
        _ => false,
    };
    let Some(callee) = callee.filter(|_| own) else { return own };
    let fields = ptx_syntax::fields();
    let list = if access == OperandAccess::Read { fields.parameters } else { fields.returns };
    let Some(list) = callee.child_by_field_id(list) else { return own };
    let Some(parameter) = named_children(list).filter(|n| n.kind_id() == kinds().parameter).nth(index) else {
        return false;
    };
    let text = place.snapshot.text(parameter.byte_range());
    let lowered = lower::declaration(ItemSource { text: &text, base: parameter.start_byte() }, parameter);
    let bits = |symbol: &Symbol| match symbol {
        Symbol::Register { ty, .. } => Some(u64::from(ty.info().bits)),
        Symbol::Variable(v) => v.bytes.map(|b| 8 * b),
        _ => None,
    };
    match ptx_analysis::declared::parameter(&lowered, VariableOrigin::Parameter) {
        // Parameters in the register state space take registers.
        Some(Symbol::Register { ty, .. }) => {
            matches!(symbol, Symbol::Register { ty: own, .. } if own.info().bits == ty.info().bits)
        }
        Some(wanted @ Symbol::Variable(v)) => match symbol {
            Symbol::Register { .. } => !v.array && bits(&wanted) == bits(&symbol),
            Symbol::Variable(own) => own.array == v.array && bits(&wanted) == bits(&symbol),
            _ => false,
        },
        _ => own,
    }
}

/// Whether an operand of a kind may fill a want.
pub fn fits(want: &Want, kind: OperandKind<'_>, names: &dyn NameLookup) -> bool {
    let operand = |kind| Operand { range: 0..0, kind };
    let mut found = Vec::new();
    let mut check = |kind, shape: &OperandPattern| {
        found.clear();
        operands::check(&operand(kind), shape, names, &mut found);
        found.is_empty()
    };
    match want {
        Want::Value(spec) => check(kind, &OperandPattern::Value(*spec)),
        Want::Negated(spec) => check(OperandKind::Not(Box::new(operand(kind))), &OperandPattern::Value(*spec)),
        Want::Base(spec) | Want::Address(spec) => {
            check(OperandKind::Address(vec![operand(kind)]), &OperandPattern::Address(vec![*spec]))
        }
        Want::Whole(spec) => {
            let whole = check(kind.clone(), &OperandPattern::Value(*spec));
            whole
                || spec.lengths.iter().any(|n| {
                    let list = (0..*n).map(|_| operand(kind.clone())).collect();
                    *n > 0 && check(OperandKind::Vector(list), &OperandPattern::Value(*spec))
                })
        }
        Want::Element(spec, before) => {
            let lengths = spec.lengths.iter().map(|n| usize::from(*n)).filter(|n| *n > before.len());
            let lengths: Vec<usize> = if spec.any_length { vec![before.len() + 1] } else { lengths.collect() };
            lengths.into_iter().any(|length| {
                let mut list: Vec<Operand<'_>> = before.iter().map(|e| operand(element(e))).collect();
                list.push(operand(kind.clone()));
                // The later elements are not known. In a list whose elements are joined to one value they most likely have
                // the same type.
                let rest = |spec: &OperandSpec| if spec.value.mixed { kind.clone() } else { OperandKind::Error };
                list.extend((list.len()..length).map(|_| operand(rest(spec))).collect::<Vec<_>>());
                check(OperandKind::Vector(list), &OperandPattern::Value(*spec))
            })
        }
        Want::Sink | Want::Argument(..) => false,
    }
}

/// The operand that the text of a list element stands for.
fn element(text: &str) -> OperandKind<'_> {
    let name = text.chars().skip(1).all(is_part);
    match text.chars().next() {
        _ if text == "_" => OperandKind::Sink,
        Some(c) if c.is_ascii_digit() && text.contains(['.', 'f', 'F', 'd', 'D']) && !text.starts_with("0x") => {
            OperandKind::Float(text)
        }
        Some(c) if c.is_ascii_digit() => OperandKind::Integer(text),
        Some(c) if name && (c == '%' || is_part(c)) => OperandKind::Name(text),
        _ => OperandKind::Error,
    }
}

/// Whether a special register that is `bits` wide may be offered. A want for a whole list takes no single register. If the
/// instruction joins the elements of a list to one value, all elements must have the same width.
pub fn takes_special(want: &Want, kind: OperandKind<'_>, bits: u16, names: &dyn NameLookup) -> bool {
    match want {
        Want::Whole(spec) => fits(&Want::Value(*spec), kind, names),
        Want::Element(spec, _) if spec.value.mixed => {
            let joined = spec.ty.map_or(0, |ty| ty.info().bits);
            spec.lengths.iter().any(|n| n * bits == joined) && fits(want, kind, names)
        }
        _ => fits(want, kind, names),
    }
}

/// How well a symbol matches a want: a smaller rank is better.
pub fn rank(want: &Want, symbol: Symbol, address_size: u16) -> u32 {
    let Some(spec) = want.spec() else {
        return u32::from(matches!(symbol, Symbol::Register { .. }));
    };
    match symbol {
        Symbol::Register { ty, .. } if matches!(want, Want::Base(_) | Want::Address(_)) => {
            // Parameters and constants are accessed by name, not by computed addresses.
            let fixed = spec.spaces.is_some_and(|s| s.iter().all(|s| ISA.space(s).is_some_and(|s| s.fixed)));
            let narrow = ty.info().bits != address_size && (fixed || !in_windows(spec));
            u32::from(narrow) * 3 + 2 * u32::from(fixed)
        }
        Symbol::Register { ty, .. } => match spec.ty {
            Some(wanted) => distance(wanted, ty),
            None => 1,
        },
        Symbol::Variable(v) if matches!(want, Want::Base(_) | Want::Address(_)) => {
            u32::from(spec.ty.is_some_and(|wanted| v.ty.is_some_and(|ty| ty.info().bits != wanted.info().bits)))
        }
        Symbol::Variable(_) | Symbol::Function { .. } if spec.value.kind == ValueKind::Value => {
            // An address of another width than the operand is an offset at best, unless its state space has 32-bit
            // addresses.
            let window = matches!(symbol, Symbol::Variable(v) if ISA.space(v.space).is_some_and(|s| s.window));
            match spec.ty.map(|t| t.info().bits) {
                Some(bits) if bits == address_size || (window && bits == 32) => 4,
                _ => 8,
            }
        }
        _ => 0,
    }
}

fn distance(wanted: TypeId, ty: TypeId) -> u32 {
    let (w, t) = (wanted.info(), ty.info());
    match (w.name == t.name, w.bits == t.bits, t.class == TypeClass::Bits) {
        (true, _, _) => 0,
        (_, true, true) => 1,
        (_, true, false) => 2,
        _ => 3,
    }
}
