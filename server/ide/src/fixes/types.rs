//! Which types may stand in the place of another one.

use super::statement::DiagnosedInstruction;
use ptx_analysis::{Code, OperandKind, Symbol, TypeId};
use ptx_isa::tables::TypeClass;

/// A type that is replaced or added.
#[derive(Debug, Clone)]
pub struct TypeChange {
    old: Option<TypeId>,
    new: TypeId,
    /// Whether other types stand beside it: `cvt.u64.u32` says what is converted.
    among_others: bool,
    /// The sizes of all types after the change.
    sizes: Vec<u16>,
}

/// The registers of an instruction, by their types.
struct RegisterTypes {
    all: Vec<TypeId>,
    /// Whether a number with a fraction, and one without, is among the operands.
    has_float: bool,
    has_integer: bool,
}

impl RegisterTypes {
    fn of(statement: &DiagnosedInstruction<'_>) -> Self {
        let mut out = Self { all: Vec::new(), has_float: false, has_integer: false };
        statement.lowered(|instruction| {
            let mut rest: Vec<&ptx_analysis::Operand<'_>> = instruction.operands.iter().collect();
            while let Some(operand) = rest.pop() {
                match &operand.kind {
                    OperandKind::Name(name) => {
                        if let Some(Symbol::Register { ty, .. }) = statement.look_up(name) {
                            out.all.push(ty);
                        }
                    }
                    OperandKind::Float(_) => out.has_float = true,
                    OperandKind::Integer(_) => out.has_integer = true,
                    OperandKind::Vector(list) => rest.extend(list),
                    OperandKind::Pair(pair) => rest.extend([&pair.0, &pair.1]),
                    OperandKind::Not(inner) | OperandKind::Minus(inner) => rest.push(inner),
                    _ => {}
                }
            }
            Some(())
        });
        out
    }

    fn has_class(&self, class: TypeClass) -> bool {
        self.all.iter().any(|ty| ty.info().class == class)
    }

    fn has_whole(&self) -> bool {
        self.all.iter().any(|ty| is_whole(ty.info().class))
    }

    fn has_bits(&self, bits: u16) -> bool {
        self.all.iter().any(|ty| ty.info().class != TypeClass::Pred && ty.info().bits == bits)
    }
}

fn is_whole(class: TypeClass) -> bool {
    matches!(class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint)
}

impl TypeChange {
    /// The only type that differs between two lists of modifiers.
    pub fn between(before: &[String], after: &[String]) -> Option<Self> {
        let types = |all: &[String]| all.iter().filter_map(|m| TypeId::of(m)).collect::<Vec<TypeId>>();
        let (old, new) = (types(before), types(after));
        let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let among_others = old.iter().any(|ty| Some(ty) != old.first());
        let old_type = match new.len().checked_sub(old.len())? {
            0 => old.get(start).copied(),
            1 => None,
            _ => return None,
        };
        let sizes = new.iter().map(|ty| ty.info().bits).collect();
        Some(Self { old: old_type, new: *new.get(start)?, among_others, sizes })
    }

    /// Whether the author may have meant the new type: the registers say so, or it differs from the old one in its sign alone.
    pub fn is_plausible(&self, statement: &DiagnosedInstruction<'_>) -> bool {
        let registers = RegisterTypes::of(statement);
        let new = self.new.info();
        let by_class = match new.class {
            TypeClass::Pred => registers.has_class(TypeClass::Pred),
            TypeClass::Float => {
                !registers.has_integer && (registers.has_class(TypeClass::Float) || registers.has_float)
            }
            TypeClass::Packed => self.old.is_some_and(|old| old.info().class == TypeClass::Packed),
            TypeClass::Bits | TypeClass::Uint | TypeClass::Sint => !registers.has_float,
            TypeClass::Opaque => true,
        };
        let Some(old) = self.old.map(TypeId::info) else {
            let sized = registers.all.is_empty() || registers.has_bits(new.bits) || new.class == TypeClass::Pred;
            // A list of types that says what the operands are: not to be judged by registers that hold several values each.
            if registers.all.len() == 2 && statement.has_several_types() {
                return sized && registers.all.iter().all(|ty| self.sizes.contains(&ty.info().bits));
            }
            let is_single = new.class == TypeClass::Bits;
            return self.among_others
                || statement.has_several_types()
                || ((by_class || is_single) && sized)
                || registers.all.is_empty();
        };
        // What a number means would change with its type.
        if statement.diagnostic.code() == Code::OperandType && statement.is_about_number() {
            let named = |class: TypeClass| registers.has_class(class);
            return is_whole(new.class) != is_whole(old.class)
                && ((new.class == TypeClass::Float && named(TypeClass::Float))
                    || (new.class != TypeClass::Float && (named(TypeClass::Uint) || named(TypeClass::Sint))))
                && new.bits == old.bits;
        }
        if old.class == TypeClass::Packed || new.class == TypeClass::Packed {
            return old.class == new.class;
        }
        if new.class == TypeClass::Pred || old.class == TypeClass::Pred {
            return by_class;
        }
        if old.bits == new.bits {
            // A register of another size is the mistake itself.
            if statement.diagnostic.code() == Code::OperandType
                && !registers.has_bits(new.bits)
                && !registers.all.is_empty()
            {
                return false;
            }
            return match (is_whole(old.class), is_whole(new.class)) {
                (true, true) => true,
                (true, false) => by_class && !self.among_others && !registers.has_whole(),
                (false, true) => new.class == TypeClass::Bits || !registers.has_class(TypeClass::Float),
                (false, false) => true,
            };
        }
        let same_class =
            old.class == new.class || (old.class != TypeClass::Float && new.class == TypeClass::Float && by_class);
        let sized = registers.has_bits(new.bits) && !registers.has_bits(old.bits);
        !self.among_others && same_class && (sized || registers.all.is_empty())
    }
}
