//! Memory operands, and the addresses of variables as values.

use super::{MismatchKind, OperandChecker, is_whole, special};
use crate::forms::spec::OperandSpec;
use crate::hir::ast::{ConstantValue, Operand, OperandKind};
use crate::hir::symbols::{Symbol, VariableSymbol};
use crate::hir::types::TypeId;
use ptx_isa::ISA;
use ptx_isa::tables::{Spaces, TypeClass, ValueKind};

impl OperandChecker<'_> {
    /// Matches `a+4` as a value. ptxas accepts `var+4` for any integer source although it rejects `var` alone, and a register
    /// in such a sum need not have the operand's size.
    pub(super) fn sum(
        &mut self,
        operand: &Operand<'_>,
        (base, amount): &(Operand<'_>, Operand<'_>),
        spec: &OperandSpec,
    ) {
        if !self.amount(amount) {
            return;
        }
        let name = match &base.kind {
            OperandKind::Name(name) => *name,
            OperandKind::Offset(inner, false) => return self.sum(operand, inner, spec),
            _ => return self.push(operand, Some(spec), MismatchKind::Unexpected),
        };
        match self.names.look_up(name) {
            None if special(name).is_none() => {
                self.push(operand, Some(spec), MismatchKind::Undeclared(name.to_owned()))
            }
            Some(Symbol::Unknown) => {}
            Some(Symbol::Register { ty, elements: 1 }) if is_whole(spec) && is_integer_register(ty) => {}
            None if special(name).is_some_and(|r| r.components.is_empty())
                && is_whole(spec)
                && !spec.value.expanded
                && !matches!(spec.value.kind, ValueKind::Address(_)) => {}
            Some(Symbol::Register { .. }) => self.typed(base, spec, false),
            // A constant operand cannot be an address, and an instruction that ptxas expands by a macro takes no address.
            _ if spec.value.immediate_only || spec.value.expanded => {
                self.push(operand, Some(spec), MismatchKind::Unexpected)
            }
            _ if spec.value.symbol => self.symbol_address(operand, name, spec),
            Some(Symbol::Variable(_)) if is_whole(spec) => {}
            // The parser takes a sum wherever it takes the function; no code is generated for it.
            Some(Symbol::Function { .. }) => self.name(base, name, spec, true),
            _ => self.push(operand, Some(spec), MismatchKind::Unexpected),
        }
    }

    /// Whether the offset added to an address is an integer; appends a mismatch if not.
    fn amount(&mut self, amount: &Operand<'_>) -> bool {
        let what = match &amount.kind {
            OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_) | ConstantValue::Wrong(_)) => {
                return true;
            }
            OperandKind::Name(name) if ISA.constant(name).is_some() => return true,
            OperandKind::Arguments(list) if list.len() == 1 => return self.amount(&list[0]),
            OperandKind::Float(_) | OperandKind::Constant(ConstantValue::Float(_)) => {
                MismatchKind::ImmediateClass { integer: false }
            }
            _ => MismatchKind::OffsetNotConstant,
        };
        self.push(amount, None, what);
        false
    }

    /// Matches the address of a variable or a function as a value.
    pub(super) fn symbol_address(&mut self, operand: &Operand<'_>, name: &str, spec: &OperandSpec) {
        match self.names.look_up(name) {
            None => self.push(operand, Some(spec), MismatchKind::Undeclared(name.to_owned())),
            Some(Symbol::Variable(VariableSymbol { space, .. }))
                if spec.symbol_spaces.is_some_and(|all| !all.iter().any(|s| s.split("::").next() == Some(space))) =>
            {
                self.push(operand, Some(spec), MismatchKind::Space(name.to_owned(), space));
            }
            // ptxas: the handle of a texture or surface is a `.u64`, but it does not look at sums.
            Some(Symbol::Variable(VariableSymbol { ty: Some(ty), .. }))
                if matches!(operand.kind, OperandKind::Name(_))
                    && ty.info().class == TypeClass::Opaque
                    && spec.ty.is_some_and(|t| t.name() != ".u64") =>
            {
                self.push(operand, Some(spec), MismatchKind::Handle(name.to_owned()));
            }
            // ptxas: a function has an address, but none in a state space that the instruction names.
            Some(Symbol::Function { .. }) if matches!(spec.value.symbol_spaces, Spaces::Slot(_)) => {
                self.push(operand, Some(spec), MismatchKind::Unexpected);
            }
            Some(Symbol::Variable(_) | Symbol::Function { .. } | Symbol::Unknown) => {
                let whole = |t: TypeId| matches!(t.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
                if spec.ty.is_some_and(|t| !whole(t)) {
                    self.push(operand, Some(spec), MismatchKind::Unexpected);
                }
            }
            Some(symbol) => self.push(operand, Some(spec), MismatchKind::WrongSymbol(name.to_owned(), symbol)),
        }
    }

    pub(super) fn address(&mut self, operand: &Operand<'_>, specs: &[OperandSpec]) {
        let parts: &[Operand<'_>] = match &operand.kind {
            OperandKind::Address(parts) => parts,
            // `var[4]` is an address without brackets around it.
            OperandKind::Index(..) => std::slice::from_ref(operand),
            OperandKind::Error => return,
            OperandKind::Sink if matches!(specs, [one] if one.value.sink) => return,
            // The assembler accepts the bare name of a scalar; `unbracketed-address` warns about it.
            OperandKind::Name(name) if is_naked(specs) => match self.names.look_up(name) {
                Some(Symbol::Variable(_)) => std::slice::from_ref(operand),
                Some(Symbol::Register { ty, elements: 1 }) if !is_exact(specs) || is_address_register(ty) => return,
                Some(Symbol::Unknown) => return,
                _ => return self.push(operand, specs.first(), MismatchKind::MustBeAddress),
            },
            OperandKind::Offset(parts, false) if is_naked(specs) && matches!(parts.0.kind, OperandKind::Name(_)) => {
                std::slice::from_ref(operand)
            }
            OperandKind::Not(inner) if is_naked(specs) && !is_exact(specs) && self.is_predicate(inner) => return,
            OperandKind::Float(_) if is_naked(specs) && !is_exact(specs) => return,
            _ => return self.push(operand, specs.first(), MismatchKind::MustBeAddress),
        };
        if parts.len() != specs.len() {
            let names = specs.iter().map(|s| s.value.name).collect();
            return self.push(operand, specs.first(), MismatchKind::Parts(parts.len(), names));
        }
        let brackets = matches!(operand.kind, OperandKind::Address(_));
        for (part, spec) in parts.iter().zip(specs) {
            if brackets && matches!(part.kind, OperandKind::Index(..)) {
                self.push(part, Some(spec), MismatchKind::Subscript);
                continue;
            }
            // In brackets with several parts, the assembler accepts neither sums nor numbers.
            let bare = specs.len() > 1 && is_computed(part);
            if bare || matches!(&part.kind, OperandKind::Vector(list) if list.iter().any(is_offset)) {
                self.push(part, Some(spec), MismatchKind::PartOfAddress);
                continue;
            }
            match spec.value.kind {
                ValueKind::Address(_) => self.base(part, spec),
                // ptxas: the name of a function is never an address, although it passes for most values.
                _ if matches!(part.kind, OperandKind::Name(name) if self.is_function(name)) => {
                    self.push(part, Some(spec), MismatchKind::Unexpected);
                }
                _ => self.value(part, spec),
            }
        }
    }

    /// Matches `name[4]` as a value: the address of an element of an array.
    pub(super) fn element_address(&mut self, operand: &Operand<'_>, name: &str, spec: &OperandSpec) {
        match self.names.look_up(name) {
            Some(Symbol::Variable(VariableSymbol { array: false, .. }) | Symbol::Function { .. }) => {
                self.push(operand, Some(spec), MismatchKind::Subscript);
            }
            _ => self.symbol_address(operand, name, spec),
        }
    }

    fn is_function(&self, name: &str) -> bool {
        matches!(self.names.look_up(name), Some(Symbol::Function { .. }))
    }

    /// Matches a number as an address.
    fn absolute(&mut self, operand: &Operand<'_>, spec: &OperandSpec) {
        let absolute = |name: &&str| ISA.space(name).is_some_and(|s| s.absolute);
        if !spec.spaces.is_some_and(|spaces| spaces.iter().all(absolute)) {
            self.push(operand, Some(spec), MismatchKind::ImmediateAddress);
        }
    }

    /// Matches the base of an address.
    fn base(&mut self, operand: &Operand<'_>, spec: &OperandSpec) {
        let name = match &operand.kind {
            OperandKind::Name(name) => *name,
            OperandKind::Offset(_, true) => return self.push(operand, Some(spec), MismatchKind::MinusOffset),
            // ptxas: in brackets nothing stands behind a subscript.
            OperandKind::Offset(parts, false) if matches!(parts.0.kind, OperandKind::Index(..)) => {
                return self.push(operand, Some(spec), MismatchKind::Subscript);
            }
            OperandKind::Offset(parts, false) => {
                if self.amount(&parts.1) {
                    self.base(&parts.0, spec);
                }
                return;
            }
            OperandKind::Index(object, _) => {
                let register = |name: &str| matches!(self.names.look_up(name), Some(Symbol::Register { .. }));
                if matches!(object.kind, OperandKind::Name(name) if register(name)) {
                    return self.push(operand, Some(spec), MismatchKind::Subscript);
                }
                return self.base(object, spec);
            }
            OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_)) => {
                return self.absolute(operand, spec);
            }
            OperandKind::Arguments(list) if list.len() == 1 && is_number(&list[0]) => return self.base(&list[0], spec),
            OperandKind::Error | OperandKind::Constant(ConstantValue::Wrong(_)) => return,
            _ => return self.push(operand, Some(spec), MismatchKind::Unexpected),
        };
        let Some(symbol) = self.names.look_up(name) else {
            if ISA.constant(name).is_some() {
                return self.absolute(operand, spec);
            }
            if special(name).is_some_and(|r| r.components.is_empty()) {
                let bits = special(name).and_then(|r| TypeId::of(r.ty)).map_or(0, |t| t.info().bits);
                if spec.value.plain || bits < spec.value.least || is_named(spec) {
                    self.push(operand, Some(spec), MismatchKind::SpecialRegister);
                }
                return;
            }
            return self.push(operand, Some(spec), MismatchKind::Undeclared(name.to_owned()));
        };
        match symbol {
            Symbol::Register { ty, elements: 1 } => {
                if is_named(spec) {
                    return self.push(operand, Some(spec), MismatchKind::MustBe("the name of a variable"));
                }
                let bits = ty.info().bits;
                let least =
                    if spec.spaces.is_none() { spec.value.least.max(spec.value.flat) } else { spec.value.least };
                let fits = is_integer_register(ty) && bits <= 64 && bits >= least;
                if !fits && !spec.value.untested {
                    self.push(operand, Some(spec), MismatchKind::AddressRegister(name.to_owned(), ty));
                }
            }
            // ptxas expands some instructions by a macro that adds to the register, so a variable is not allowed.
            Symbol::Variable(_) if spec.value.register_only => self.push(operand, Some(spec), MismatchKind::Immediate),
            Symbol::Variable(VariableSymbol { space, ty, array, .. }) => {
                let opaque = ty.is_some_and(|t| t.info().class == TypeClass::Opaque);
                let elsewhere = spec.value.handles && spec.spaces.is_some_and(|all| !all.contains(&space));
                let fits = match spec.spaces {
                    // ptxas: an array of textures is memory as any other.
                    _ if opaque && !array && spec.value.data && !elsewhere => false,
                    Some(_) if opaque && spec.value.handles => true,
                    None => ISA.space(space).is_some_and(|s| s.generic),
                    Some(spaces) => spaces.iter().any(|s| s.split("::").next() == Some(space)),
                };
                if !fits {
                    self.push(operand, Some(spec), MismatchKind::Space(name.to_owned(), space));
                }
            }
            Symbol::Unknown => {}
            _ => self.push(operand, Some(spec), MismatchKind::WrongSymbol(name.to_owned(), symbol)),
        }
    }
}

/// Whether an operand is an integer, perhaps in parentheses.
pub(super) fn is_number(operand: &Operand<'_>) -> bool {
    match &operand.kind {
        OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_)) => true,
        OperandKind::Arguments(list) => list.len() == 1 && is_number(&list[0]),
        _ => false,
    }
}

/// Whether a part of an address is a sum or a number.
fn is_computed(part: &Operand<'_>) -> bool {
    match &part.kind {
        OperandKind::Integer(_) | OperandKind::Constant(_) => true,
        OperandKind::Name(name) => ISA.constant(name).is_some(),
        OperandKind::Arguments(_) => true,
        _ => is_offset(part),
    }
}

fn is_offset(element: &Operand<'_>) -> bool {
    matches!(element.kind, OperandKind::Offset(..))
}

/// Whether the addresses of the state space are names of variables.
fn is_named(spec: &OperandSpec) -> bool {
    spec.spaces.is_some_and(|spaces| spaces.iter().all(|s| ISA.space(s).is_some_and(|s| s.named)))
}

fn is_naked(specs: &[OperandSpec]) -> bool {
    matches!(specs, [one] if one.value.naked)
}

fn is_exact(specs: &[OperandSpec]) -> bool {
    matches!(specs, [one] if one.value.exact)
}

fn is_address_register(ty: TypeId) -> bool {
    is_integer_register(ty) && matches!(ty.info().bits, 32 | 64)
}

fn is_integer_register(ty: TypeId) -> bool {
    matches!(ty.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint)
}
