//! Matches operands against the operand patterns of a form. It writes no messages: a mismatch is data, and the check that
//! reports it writes the message.

mod address;
mod vector;

use crate::forms::spec::{OperandPattern, OperandSpec};
use crate::hir::ast::{ConstantValue, Operand, OperandKind, SourceWord};
use crate::hir::literal;
use crate::hir::signature::Callee;
use crate::hir::symbols::{Symbol, VariableSymbol};
use crate::hir::types::{TypeId, agrees};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, Spaces, SpecialRegister, TypeClass, ValueKind};
use std::ops::Range;

/// Looks up names; implemented by the analysis of a function body.
pub trait NameLookup {
    /// The symbol of a name; `None` if it is not declared.
    fn look_up(&self, name: &str) -> Option<Symbol>;

    /// Whether the module's `.target` directive has an option, such as `texmode_independent`.
    fn has_option(&self, name: &str) -> bool;

    /// The functions that a call may reach through this name of a function, prototype, target list or table.
    fn callees(&self, _name: &str) -> Vec<Callee> {
        Vec::new()
    }
}

/// An operand that does not fit its spec.
#[derive(Debug, Clone)]
pub struct OperandMismatch {
    /// Byte range of the operand.
    pub range: Range<usize>,
    /// The spec that it does not fit, if one applies.
    pub spec: Option<OperandSpec>,
    /// The way in which it does not fit.
    pub kind: MismatchKind,
}

/// The ways in which an operand does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MismatchKind {
    /// The name is not declared.
    Undeclared(String),
    /// A register of the wrong type.
    RegisterType(String, TypeId),
    /// A special register of the wrong type.
    SpecialType {
        /// Its name.
        name: &'static str,
        /// Its type, with the dot.
        ty: &'static str,
    },
    /// A special register where none is allowed.
    SpecialRegister,
    /// A vector special register without a component.
    SpecialVector {
        /// Its name.
        name: &'static str,
        /// Its components, a letter each.
        components: &'static str,
    },
    /// A name of something else, such as a label instead of a register.
    WrongSymbol(String, Symbol),
    /// An immediate where a register is required.
    Immediate,
    /// A register where an immediate is required.
    NotImmediate,
    /// An integer for a floating-point operand or the reverse.
    ImmediateClass {
        /// Whether the immediate is an integer.
        integer: bool,
    },
    /// An immediate out of its range.
    OutOfRange(i128),
    /// `_` where it is not allowed.
    Sink,
    /// Another operand where only `_` is allowed.
    MustBeSink,
    /// `!` where nothing can be negated.
    Negation,
    /// `-` before a register where nothing can be negated.
    Minus,
    /// A list where a single value is required.
    UnexpectedVector,
    /// A single value where a list is required.
    MustBeVector,
    /// A list of the wrong length; this is its length.
    VectorLength(usize),
    /// A selector where none is allowed.
    Selector(String),
    /// Elements of a list that have no type in common.
    MixedVector,
    /// A list that consists only of `_`.
    OnlyHoles,
    /// A name that is neither a texture, sampler or surface of the required kind nor a register with its handle. The second
    /// string is the required kind.
    NotOpaque(String, &'static str),
    /// The handle of a texture or surface used as another type than `.u64`.
    Handle(String),
    /// A list in which two neighbours, from an even place on, are both `_`.
    PairedHoles,
    /// A list without a register where at least one is required.
    OnlyLiterals,
    /// A component that the vector does not have; with the name of the special register before it, if that has none at all.
    Component(String),
    /// An operand without brackets where an address is required.
    MustBeAddress,
    /// Brackets where none are allowed.
    UnexpectedAddress,
    /// `a|b` where a single operand is required.
    UnexpectedPair,
    /// A single operand where a pair `a|b` is required.
    MustBePair,
    /// A variable in another state space: its name and its state space.
    Space(String, &'static str),
    /// A register that cannot hold an address.
    AddressRegister(String, TypeId),
    /// Another operand where a label, function or list is required; the string names what is required.
    MustBe(&'static str),
    /// An expression where none is allowed.
    Unexpected,
    /// Brackets with too few or too many parts: the actual number, and the names of the required parts.
    Parts(usize, Vec<&'static str>),
    /// A sum or a number as one of several parts in brackets.
    PartOfAddress,
    /// An offset added to an address that is not a constant.
    OffsetNotConstant,
    /// A number as an address, which only `.local` allows.
    ImmediateAddress,
    /// A sign before an operand that cannot have one.
    Sign(String),
    /// A subscript after anything but an array, or inside brackets.
    Subscript,
    /// `a-4`: the assembler accepts only `a+-4`.
    MinusOffset,
}

impl MismatchKind {
    /// The distance from fitting: the variant with the smallest sum is reported.
    pub fn cost(&self) -> u32 {
        match self {
            Self::OutOfRange(_) => 1,
            Self::RegisterType(..) | Self::SpecialType { .. } | Self::Undeclared(_) | Self::Parts(..) => 2,
            // The number of elements is counted more easily than their sizes.
            Self::VectorLength(_) => 3,
            Self::ImmediateClass { .. } | Self::Space(..) | Self::AddressRegister(..) | Self::SpecialRegister => 2,
            Self::MinusOffset | Self::Sign(_) | Self::Subscript | Self::Component(_) | Self::NotOpaque(..) => 1,
            _ => 4,
        }
    }
}

/// Matches one operand against a pattern; appends the mismatches to `out`.
pub fn check(operand: &Operand<'_>, shape: &OperandPattern, names: &dyn NameLookup, out: &mut Vec<OperandMismatch>) {
    let mut c = OperandChecker { names, out };
    match shape {
        OperandPattern::Value(spec) => c.value(operand, spec),
        // The arguments depend on the called function; `check/calls` checks them.
        OperandPattern::Arguments(_) => {
            if !matches!(operand.kind, OperandKind::Arguments(_)) {
                c.push(operand, None, MismatchKind::MustBe("a list in parentheses"));
            }
        }
        OperandPattern::Address(parts) => c.address(operand, parts),
        OperandPattern::Pair(both) => match &operand.kind {
            OperandKind::Pair(pair) => {
                c.value(&pair.0, &both.0);
                c.value(&pair.1, &both.1);
            }
            _ => c.push(operand, Some(&both.0), MismatchKind::MustBePair),
        },
        OperandPattern::Sink => {
            if !matches!(operand.kind, OperandKind::Sink) {
                c.push(operand, None, MismatchKind::MustBeSink);
            }
        }
    }
}

/// Appends a mismatch for every undeclared name in an operand.
pub fn check_names(operand: &Operand<'_>, names: &dyn NameLookup, out: &mut Vec<OperandMismatch>) {
    OperandChecker { names, out }.declared(operand);
}

struct OperandChecker<'c> {
    names: &'c dyn NameLookup,
    out: &'c mut Vec<OperandMismatch>,
}

impl OperandChecker<'_> {
    fn push(&mut self, operand: &Operand<'_>, spec: Option<&OperandSpec>, what: MismatchKind) {
        self.out.push(OperandMismatch { range: operand.range.clone(), spec: spec.copied(), kind: what });
    }

    fn value(&mut self, operand: &Operand<'_>, spec: &OperandSpec) {
        match spec.value.kind {
            ValueKind::Value => self.typed(operand, spec, true),
            ValueKind::Any => self.declared(operand),
            // Which names are valid also depends on the other operands; `check/calls` checks them.
            ValueKind::Label => self.only_name(operand, spec, "a label"),
            ValueKind::Targets => self.only_name(operand, spec, "the label of a list of targets"),
            ValueKind::Function => self.only_name(operand, spec, "the name of a function or of a register"),
            ValueKind::Arguments => self.push(operand, Some(spec), MismatchKind::MustBe("a list in parentheses")),
            ValueKind::Address(_) => match operand.kind {
                OperandKind::Address(_) => self.address(operand, &[*spec]),
                _ => self.push(operand, Some(spec), MismatchKind::MustBeAddress),
            },
            ValueKind::Opaque(class) => self.opaque(operand, spec, class),
        }
    }

    /// Requires the operand to be a plain name.
    fn only_name(&mut self, operand: &Operand<'_>, spec: &OperandSpec, wanted: &'static str) {
        if !matches!(operand.kind, OperandKind::Name(_) | OperandKind::Error) {
            self.push(operand, Some(spec), MismatchKind::MustBe(wanted));
        }
    }

    fn opaque(&mut self, operand: &Operand<'_>, spec: &OperandSpec, class: &'static str) {
        let OperandKind::Name(name) = operand.kind else {
            return self.push(operand, Some(spec), MismatchKind::MustBe(class));
        };
        let wanted = TypeId::of(&format!(".{class}"));
        match self.names.look_up(name) {
            None => self.push(operand, Some(spec), MismatchKind::Undeclared(name.to_owned())),
            // A register that holds a handle.
            Some(Symbol::Register { ty, elements: 1 })
                if wanted.is_some_and(|w| w.info().agrees.contains(&ty.name())) => {}
            // A variable whose type is unknown fits.
            Some(Symbol::Variable(VariableSymbol { ty, .. }))
                if ty.is_none_or(|t| {
                    let brings = spec.value.unified && t.name() == TEXTURE && !self.names.has_option(INDEPENDENT);
                    Some(t) == wanted || brings
                }) => {}
            Some(Symbol::Variable(VariableSymbol { space, .. }))
                if wanted.is_some_and(|w| w.name() == TEXTURE) && ISA.space(space).is_some_and(|s| s.textures) => {}
            Some(Symbol::Unknown) => {}
            Some(_) => self.push(operand, Some(spec), MismatchKind::NotOpaque(name.to_owned(), class)),
        }
    }

    /// Checks only that every name in the operand is declared.
    fn declared(&mut self, operand: &Operand<'_>) {
        match &operand.kind {
            OperandKind::Name(name)
                if self.names.look_up(name).is_none() && ISA.constant(name).is_none() && special(name).is_none() =>
            {
                self.push(operand, None, MismatchKind::Undeclared((*name).to_owned()));
            }
            OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::Arguments(list) => {
                list.iter().for_each(|o| self.declared(o));
            }
            OperandKind::Pair(pair) => {
                self.declared(&pair.0);
                self.declared(&pair.1);
            }
            OperandKind::Member(object, _)
                if self.names.look_up(object.text).is_none() && special(object.text).is_none() =>
            {
                self.push(operand, None, MismatchKind::Undeclared(object.text.to_owned()));
            }
            OperandKind::Not(inner) | OperandKind::Minus(inner) | OperandKind::Index(inner, _) => self.declared(inner),
            OperandKind::Offset(parts, _) => self.declared(&parts.0),
            _ => {}
        }
    }

    fn typed(&mut self, operand: &Operand<'_>, spec: &OperandSpec, list_allowed: bool) {
        let writes = spec.value.access != OperandAccess::Read;
        match &operand.kind {
            OperandKind::Error => {}
            OperandKind::Sign(sign) => self.sign(*sign),
            OperandKind::Name(name) => self.name(operand, name, spec, list_allowed),
            OperandKind::Sink => {
                if !spec.value.sink {
                    self.push(operand, Some(spec), MismatchKind::Sink);
                }
            }
            OperandKind::Integer(_) | OperandKind::Float(_) | OperandKind::Constant(_) | OperandKind::Member(..)
                if list_allowed && needs_braces(spec) =>
            {
                self.push(operand, Some(spec), MismatchKind::MustBeVector);
            }
            OperandKind::Integer(text) => self.integer(operand, spec, literal::integer(text), writes),
            OperandKind::Float(_) => self.float(operand, spec, writes),
            OperandKind::Constant(ConstantValue::Integer(value)) => self.integer(operand, spec, *value, writes),
            OperandKind::Constant(ConstantValue::Float(_)) => self.float(operand, spec, writes),
            // Already reported, before operands are matched.
            OperandKind::Constant(ConstantValue::Wrong(_)) => {}
            OperandKind::Not(inner) => {
                if spec.value.negatable || (!writes && takes_predicate(spec) && self.is_predicate(inner)) {
                    self.typed(inner, spec, false);
                } else {
                    self.push(operand, Some(spec), MismatchKind::Negation);
                }
            }
            OperandKind::Minus(inner) if spec.value.minus => self.typed(inner, spec, false),
            OperandKind::Minus(_) => self.push(operand, Some(spec), MismatchKind::Minus),
            OperandKind::Member(object, member) => self.member(operand, object.text, member.text, spec),
            OperandKind::Vector(list) => self.vector(operand, list, spec, list_allowed),
            OperandKind::Offset(_, true) => self.push(operand, Some(spec), MismatchKind::MinusOffset),
            OperandKind::Offset(_, false) if list_allowed && needs_braces(spec) => {
                self.push(operand, Some(spec), MismatchKind::MustBeVector);
            }
            OperandKind::Offset(parts, false) if !writes && !spec.value.plain && !spec.handed => {
                self.sum(operand, parts, spec)
            }
            OperandKind::Offset(..) => self.push(operand, Some(spec), MismatchKind::Unexpected),
            OperandKind::Index(object, _) => match object.kind {
                OperandKind::Name(name) if spec.value.symbol => self.element_address(operand, name, spec),
                _ => self.push(operand, Some(spec), MismatchKind::Unexpected),
            },
            OperandKind::Address(_) => self.push(operand, Some(spec), MismatchKind::UnexpectedAddress),
            OperandKind::Pair(_) => self.push(operand, Some(spec), MismatchKind::UnexpectedPair),
            // A number in parentheses is a constant expression, which the grammar cannot distinguish from an argument list of
            // one element.
            OperandKind::Arguments(list) => match list.as_slice() {
                [one]
                    if matches!(
                        one.kind,
                        OperandKind::Integer(_)
                            | OperandKind::Float(_)
                            | OperandKind::Constant(_)
                            | OperandKind::Arguments(_)
                    ) =>
                {
                    self.typed(one, spec, list_allowed);
                }
                _ => self.push(operand, Some(spec), MismatchKind::Unexpected),
            },
            OperandKind::String => self.push(operand, Some(spec), MismatchKind::Unexpected),
        }
    }

    pub(super) fn is_predicate(&self, operand: &Operand<'_>) -> bool {
        matches!(operand.kind, OperandKind::Name(name)
            if matches!(self.names.look_up(name), Some(Symbol::Register { ty, .. }) if ty.info().class == TypeClass::Pred))
    }

    fn sign(&mut self, sign: SourceWord<'_>) {
        self.out.push(OperandMismatch {
            range: sign.range(),
            spec: None,
            kind: MismatchKind::Sign(sign.text.to_owned()),
        });
    }

    fn name(&mut self, operand: &Operand<'_>, name: &str, spec: &OperandSpec, list_allowed: bool) {
        let Some(symbol) = self.names.look_up(name) else {
            if let Some(constant) = ISA.constant(name) {
                if list_allowed && needs_braces(spec) {
                    return self.push(operand, Some(spec), MismatchKind::MustBeVector);
                }
                return self.integer(
                    operand,
                    spec,
                    Some(constant.value.into()),
                    spec.value.access != OperandAccess::Read,
                );
            }
            if let Some(register) = special(name) {
                return self.special(operand, register, false, spec);
            }
            return self.push(operand, Some(spec), MismatchKind::Undeclared(name.to_owned()));
        };
        match symbol {
            Symbol::Unknown => {}
            Symbol::Register { ty, elements } => {
                if spec.value.immediate_only {
                    return self.push(operand, Some(spec), MismatchKind::NotImmediate);
                }
                let list = list_allowed && (!spec.lengths.is_empty() || spec.any_length);
                if elements > 1 && list && (spec.value.braces || spec.emulated) {
                    return self.push(operand, Some(spec), MismatchKind::MustBeVector);
                }
                if elements > 1 && spec.value.lists && !spec.emulated && list_allowed {
                    return self.register(operand, name, ty, spec);
                }
                if elements > 1 && !list {
                    return self.push(operand, Some(spec), MismatchKind::UnexpectedVector);
                }
                if elements == 1 && list_allowed && needs_braces(spec) {
                    return self.push(operand, Some(spec), MismatchKind::MustBeVector);
                }
                // ptxas: a vector register of any length passes if all of it is large enough.
                let all = ty.info().bits.saturating_mul(elements.into());
                if elements > 1 && spec.any_length && spec.fit.wider && spec.ty.is_some_and(|t| all >= t.info().bits) {
                    return;
                }
                if elements > 1 && !spec.any_length && !spec.lengths.contains(&u16::from(elements)) {
                    return self.push(operand, Some(spec), MismatchKind::VectorLength(elements.into()));
                }
                self.register(operand, name, ty, spec);
            }
            // ptxas accepts the name of a function for most source registers. It has no address in a state space.
            Symbol::Function { .. }
                if list_allowed
                    && !writes(spec)
                    && function_passes(spec)
                    && !matches!(spec.value.symbol_spaces, Spaces::Slot(_)) => {}
            Symbol::Variable(_) if spec.value.symbol => {
                self.symbol_address(operand, name, spec);
            }
            _ => self.push(operand, Some(spec), MismatchKind::WrongSymbol(name.to_owned(), symbol)),
        }
    }

    fn register(&mut self, operand: &Operand<'_>, name: &str, ty: TypeId, spec: &OperandSpec) {
        let passes = match ty.info().class {
            TypeClass::Pred => takes_predicate(spec),
            // ptxas: a register of a packed type passes for a predicate if the instruction's type is `.pred`.
            TypeClass::Packed if spec.value.loose && spec.ty.is_some_and(|t| t.info().class == TypeClass::Pred) => true,
            _ => spec.value.untested && spec.ty.is_some_and(|t| t.info().bits == ty.info().bits),
        };
        if let Some(wanted) = spec.ty
            && !passes
            && !agrees(wanted, ty, spec.fit)
        {
            self.push(operand, Some(spec), MismatchKind::RegisterType(name.to_owned(), ty));
        }
    }

    fn special(
        &mut self,
        operand: &Operand<'_>,
        register: &'static SpecialRegister,
        component: bool,
        spec: &OperandSpec,
    ) {
        if !spec.value.special {
            return self.push(operand, Some(spec), MismatchKind::SpecialRegister);
        }
        let vector = !register.components.is_empty() && !component;
        let list = !spec.lengths.is_empty() || spec.any_length;
        if vector != list || (vector && !spec.value.whole) {
            let what = if vector {
                MismatchKind::SpecialVector { name: register.name, components: register.components }
            } else {
                MismatchKind::MustBeVector
            };
            return self.push(operand, Some(spec), what);
        }
        let length = u16::try_from(register.components.len()).unwrap_or(0);
        if vector && !spec.any_length && !spec.lengths.contains(&length) {
            return self.push(operand, Some(spec), MismatchKind::VectorLength(length.into()));
        }
        let (Some(wanted), Some(have)) = (spec.ty, TypeId::of(register.ty)) else { return };
        let whole = !matches!(wanted.info().class, TypeClass::Float | TypeClass::Pred);
        let (bits, have_bits) = (wanted.info().bits, have.info().bits);
        // `cvt` reads the low part of a register. `mov` reads the low part only of special registers that used to be
        // narrower.
        let fits = bits == have_bits || register.also_read.contains(&bits) || (spec.value.wider && bits < have_bits);
        if wanted != have && !(whole && fits) {
            self.push(operand, Some(spec), MismatchKind::SpecialType { name: register.name, ty: register.ty });
        }
    }

    fn member(&mut self, operand: &Operand<'_>, object: &str, member: &str, spec: &OperandSpec) {
        let member = member.trim_start_matches('.');
        let Some(symbol) = self.names.look_up(object) else {
            return match special(object) {
                Some(register) if component(member).is_some_and(|i| i < register.components.len()) => {
                    self.special(operand, register, true, spec);
                }
                Some(register) if register.components.is_empty() => {
                    let name = format!("{object}.{member}");
                    self.push(operand, Some(spec), MismatchKind::Component(name));
                }
                Some(_) => self.push(operand, Some(spec), MismatchKind::Component(member.to_owned())),
                None => self.push(operand, Some(spec), MismatchKind::Undeclared(object.to_owned())),
            };
        };
        match symbol {
            Symbol::Unknown => {}
            Symbol::Register { ty, elements: 1 } => {
                if spec.value.select.iter().any(|s| selects(s, member)) {
                    self.register(operand, object, ty, spec);
                } else {
                    self.push(operand, Some(spec), MismatchKind::Selector(member.to_owned()));
                }
            }
            Symbol::Register { ty, elements } => match component(member) {
                Some(place) if place < usize::from(elements) => self.register(operand, object, ty, spec),
                _ => self.push(operand, Some(spec), MismatchKind::Component(member.to_owned())),
            },
            _ => self.push(operand, Some(spec), MismatchKind::WrongSymbol(object.to_owned(), symbol)),
        }
    }

    fn integer(&mut self, operand: &Operand<'_>, spec: &OperandSpec, value: Option<i128>, writes: bool) {
        let takes = spec.value.number || !(writes || spec.value.register_only || spec.value.pattern);
        if !takes {
            return self.push(operand, Some(spec), MismatchKind::Immediate);
        }
        if let Some(ty) = spec.ty {
            match ty.info().class {
                TypeClass::Float => {
                    return self.push(operand, Some(spec), MismatchKind::ImmediateClass { integer: true });
                }
                TypeClass::Packed | TypeClass::Opaque => {}
                TypeClass::Pred | TypeClass::Bits | TypeClass::Uint | TypeClass::Sint => {}
            }
        }
        if let Some(value) = value
            && !spec.value.ranges.is_empty()
        {
            // ptxas reads 0xffffffffffffffff as −1.
            let value = if i64::try_from(value).is_ok() { value } else { i128::from(value as u64 as i64) };
            let bits = spec.ty.map(|ty| ty.info().bits).filter(|_| spec.value.wraps);
            let value = bits.map_or(value, |bits| value & ((1i128 << bits.min(64)) - 1));
            let inside = |r: &ptx_isa::tables::Range| {
                (i128::from(r.low)..=i128::from(r.high)).contains(&value) && value % i128::from(r.step) == 0
            };
            if !spec.value.ranges.iter().any(inside) {
                self.push(operand, Some(spec), MismatchKind::OutOfRange(value));
            }
        }
    }

    fn float(&mut self, operand: &Operand<'_>, spec: &OperandSpec, writes: bool) {
        let single =
            matches!(operand.kind, OperandKind::Float(text) if text.starts_with("0f") || text.starts_with("0F"));
        if writes || spec.value.register_only || (spec.value.pattern && !single) {
            return self.push(operand, Some(spec), MismatchKind::Immediate);
        }
        // ptxas accepts `0f…` for `.b32`, and `0d…` or a decimal number for `.b64`.
        let fits = |t: TypeId| match t.info().class {
            TypeClass::Float => true,
            TypeClass::Bits => t.info().bits == if single { 32 } else { 64 },
            _ => false,
        };
        if spec.ty.is_some_and(|t| !fits(t)) {
            self.push(operand, Some(spec), MismatchKind::ImmediateClass { integer: false });
        }
    }
}

/// The type that is also accepted for a sampler if the form's notation has `unified`, unless the module has the option
/// [`INDEPENDENT`].
const TEXTURE: &str = ".texref";
const INDEPENDENT: &str = "texmode_independent";

fn is_whole(spec: &OperandSpec) -> bool {
    let whole = |t: TypeId| matches!(t.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
    spec.ty.is_some_and(whole) && !spec.value.register_only
}

/// Whether a predicate passes for a single value: the assembler looks at its size alone, which counts as 32 bits.
fn takes_predicate(spec: &OperandSpec) -> bool {
    let looks = spec.value.predicate || (spec.value.lists && spec.value.lax);
    looks && !spec.emulated && spec.ty.is_some_and(|t| t.info().bits == 32)
}

fn function_passes(spec: &OperandSpec) -> bool {
    // ptxas: a function passes for a predicate if the instruction's type is `.pred`.
    let pred = !spec.value.loose && spec.ty.is_some_and(|t| t.info().class == TypeClass::Pred);
    let handed = spec.value.expanded && !spec.value.functions;
    !pred && !handed && !spec.value.pattern && !spec.value.immediate_only && !spec.fit.exact && spec.lengths.is_empty()
}

/// Whether the operand must be a list or a vector register.
fn needs_braces(spec: &OperandSpec) -> bool {
    let list = !spec.lengths.is_empty();
    let single = spec.value.alone || (spec.value.bare && spec.lengths.contains(&1));
    list && !single
}

/// The index of a component in its vector: `x`, `y`, `z`, `w`, or the colours `r`, `g`, `b`, `a`.
pub fn component(name: &str) -> Option<usize> {
    ["xr", "yg", "zb", "wa"].iter().position(|names| name.len() == 1 && names.contains(name))
}

/// Whether a selector matches a pattern, in which `[0-7]` stands for one digit.
pub fn selects(pattern: &str, selector: &str) -> bool {
    let mut rest = selector;
    let mut parts = pattern.split("[0-7]");
    let Some(tail) = parts.next().and_then(|first| rest.strip_prefix(first)) else { return false };
    rest = tail;
    for part in parts {
        let Some(tail) = rest.strip_prefix(|c: char| ('0'..='7').contains(&c)).and_then(|r| r.strip_prefix(part))
        else {
            return false;
        };
        rest = tail;
    }
    rest.is_empty()
}

fn writes(spec: &OperandSpec) -> bool {
    spec.value.access != OperandAccess::Read
}

/// The special register of that name.
pub fn special(name: &str) -> Option<&'static SpecialRegister> {
    if name.starts_with('%') { ISA.special_register(name) } else { None }
}
