//! Types as small numbers, and which register types are compatible with which instruction types (manual 9.4, as measured).

use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};
use std::sync::LazyLock;

/// A type: index into the table of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u8);

impl TypeId {
    /// The type with this name, including its dot.
    pub fn of(name: &str) -> Option<Self> {
        ISA.types.iter().position(|t| t.name == name).and_then(|i| u8::try_from(i).ok()).map(Self)
    }

    /// Its entry in the ISA tables.
    pub fn info(self) -> &'static TypeInfo {
        &ISA.types[usize::from(self.0)]
    }

    /// Its name, with the dot.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    fn bit(self) -> u128 {
        1 << self.0
    }

    /// The type of the same class with this width in bits, else the untyped one (`.bN`), as for packed formats.
    pub(crate) fn resized(self, bits: u16) -> Option<Self> {
        let class = self.info().class;
        let find = |class: TypeClass| {
            let fits = |t: &TypeInfo| t.class == class && t.bits == bits;
            ISA.types.iter().position(fits).and_then(|i| u8::try_from(i).ok()).map(Self)
        };
        find(class).or_else(|| find(TypeClass::Bits))
    }

    /// The untyped type (`.bN`) of the same size.
    pub fn untyped(self) -> Option<Self> {
        Self::of(&format!(".b{}", self.info().bits))
    }
}

/// The rules by which the type of a register must fit an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RegisterFit {
    /// Whether a wider register is allowed (`ld`, `st`, `cvt`).
    pub wider: bool,
    /// Whether only integer and untyped register types are allowed.
    pub exact: bool,
    /// Whether only `.bN` registers are allowed.
    pub untyped: bool,
}

/// Whether a register of one type is allowed for an operand of an instruction type.
pub fn agrees(instruction: TypeId, register: TypeId, fit: RegisterFit) -> bool {
    let table = &AGREEMENT[usize::from(instruction.0)];
    if fit.untyped && register.info().class != TypeClass::Bits {
        return false;
    }
    let mask = match fit {
        RegisterFit { exact: true, .. } => table.exact,
        RegisterFit { wider: true, .. } => table.wider,
        _ => table.plain,
    };
    mask & register.bit() != 0
}

/// The names of the compatible register types, for messages, in the order of the table of types.
pub fn agreeing(instruction: TypeId, fit: RegisterFit) -> Vec<&'static str> {
    let all = (0..ISA.types.len()).filter_map(|i| u8::try_from(i).ok()).map(TypeId);
    // Packed types are accepted for integers of their size, but are never suggested for them.
    let odd = |t: TypeId| t.info().class == TypeClass::Packed && instruction.info().class != TypeClass::Packed;
    all.filter(|t| t.info().registers && !odd(*t) && agrees(instruction, *t, fit)).map(TypeId::name).collect()
}

struct Agreement {
    plain: u128,
    wider: u128,
    exact: u128,
}

static AGREEMENT: LazyLock<Vec<Agreement>> = LazyLock::new(|| {
    let mask = |wanted: &dyn Fn(&TypeInfo) -> bool| {
        let of = |(i, t): (usize, &TypeInfo)| if wanted(t) { 1u128 << i } else { 0 };
        ISA.types.iter().enumerate().map(of).fold(0, |a, b| a | b)
    };
    ISA.types
        .iter()
        .map(|t| {
            let data = |r: &TypeInfo| !matches!(r.class, TypeClass::Pred | TypeClass::Opaque);
            let size = mask(&|r| data(r) && r.bits == t.bits);
            // Without a list, everything of the size agrees.
            let plain = if t.agrees.is_empty() { size } else { mask(&|r| t.agrees.contains(&r.name)) };
            let whole = |r: &TypeInfo| matches!(r.class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
            // The relaxed tables of the manual. Untyped operands accept every type that is at least as wide. Integers accept
            // untyped and integer types. Floating-point types accept untyped types besides their own.
            let wider = plain
                | match t.class {
                    TypeClass::Bits => mask(&|r| data(r) && r.bits >= t.bits),
                    // ptxas accepts `.f16x2` for a 32-bit integer here.
                    TypeClass::Uint | TypeClass::Sint => {
                        mask(&|r| (whole(r) || (r.class == TypeClass::Packed && r.bits == 32)) && r.bits >= t.bits)
                    }
                    TypeClass::Float | TypeClass::Packed => mask(&|r| r.class == TypeClass::Bits && r.bits >= t.bits),
                    _ => 0,
                };
            let exact = plain & mask(&|r| whole(r));
            Agreement { plain, wider, exact }
        })
        .collect()
});

/// The type to declare a register with that is to hold values of a type.
pub fn register_type(ty: TypeId) -> &'static str {
    let info = ty.info();
    let bits = match info.bits {
        0..=16 => ".b16",
        17..=32 => ".b32",
        33..=64 => ".b64",
        _ => ".b128",
    };
    match info.class {
        TypeClass::Pred => ".pred",
        TypeClass::Float if info.registers && info.bits >= 32 => info.name,
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::{RegisterFit, TypeId, agrees};

    fn fits(instruction: &str, register: &str, fit: RegisterFit) -> bool {
        let id = |name| TypeId::of(name).expect("a type");
        agrees(id(instruction), id(register), fit)
    }

    #[test]
    fn agreement_is_that_of_the_manual() {
        let plain = RegisterFit::default();
        assert!(fits(".u32", ".s32", plain) && fits(".u32", ".b32", plain) && !fits(".u32", ".f32", plain));
        assert!(fits(".b32", ".f32", plain) && !fits(".b32", ".pred", plain) && !fits(".b32", ".b64", plain));
        assert!(fits(".f16", ".b16", plain) && !fits(".f16", ".u16", plain));
        assert!(!fits(".bf16", ".f16", plain) && fits(".pred", ".pred", plain));
    }

    #[test]
    fn loads_take_wider_registers() {
        let wider = RegisterFit { wider: true, ..RegisterFit::default() };
        assert!(fits(".u8", ".u32", wider) && fits(".f32", ".b64", wider) && fits(".b16", ".f32", wider));
        assert!(!fits(".f32", ".f64", wider) && !fits(".s16", ".f32", wider) && !fits(".u32", ".u16", wider));
    }
}
