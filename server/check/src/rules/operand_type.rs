//! `operand-type`: a register of the wrong type, or a number of the wrong class.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use crate::rules::required_size::RequiredSize;
use ptx_isa::tables::{TypeClass, TypeInfo};
use ptx_sema::forms::operands::OperandMismatch;
use ptx_sema::forms::spec::{ExpectedOperand, OperandSpec};
use ptx_sema::hir::types::{RegisterFit, TypeId, agreeing, register_type};
use std::ops::Range;

/// An operand of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum OperandType {
    /// A register of the wrong type.
    Register {
        /// The register.
        register: Box<str>,
        /// Its type.
        ty: TypeId,
        /// The expected operand.
        expected: ExpectedOperand,
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
    },
    /// Several registers of one type, for which the instruction has a form.
    AllRegisters {
        /// How many there are.
        count: usize,
        /// Their type.
        ty: TypeId,
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
        /// The opcode with the modifiers that fit the registers.
        whole: Box<str>,
    },
    /// A special register of the wrong type.
    SpecialRegister {
        /// The register.
        register: &'static str,
        /// Its type, with the dot.
        ty: &'static str,
        /// The expected operand.
        expected: ExpectedOperand,
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
    },
    /// A number of the wrong class.
    Immediate {
        /// True for an integer instead of a floating-point number, false for the reverse.
        integer: bool,
        /// The name of the operand in the form, and the opcode with its modifiers, as written.
        operand: Option<(&'static str, Box<str>)>,
        /// Whether the operand has bits without a type.
        bits: bool,
    },
}

impl DiagnosticMessage for OperandType {
    fn message(&self) -> String {
        match self {
            Self::Register { register, ty, expected: expected @ ExpectedOperand { among: 2.., .. }, mnemonic } => {
                format!(
                    "`{register}` is `{}`, but each of the {} elements of `{}` of `{mnemonic}` takes {}",
                    ty.name(),
                    expected.among,
                    expected.name,
                    registers(expected)
                )
            }
            Self::Register { register, ty, expected, mnemonic } => format!(
                "`{register}` is `{}`, but `{}` of `{mnemonic}` takes {}",
                ty.name(),
                expected.name,
                registers(expected)
            ),
            Self::AllRegisters { count, ty, mnemonic, .. } => {
                let all = if *count == 2 { "both registers".to_owned() } else { format!("all {count} registers") };
                format!("{all} are `{}`, but `{mnemonic}` takes another type", ty.name())
            }
            Self::SpecialRegister { register, ty, expected, mnemonic } => {
                format!("`{register}` is `{ty}`, but `{}` of `{mnemonic}` is {}", expected.name, registers(expected))
            }
            Self::Immediate { integer, operand, .. } => {
                let (integer_number, float) = ("an integer", "a floating-point number");
                let (actual, expected) = if *integer { (integer_number, float) } else { (float, integer_number) };
                let place =
                    operand.as_ref().map_or(String::new(), |(name, mnemonic)| format!(" for `{name}` of `{mnemonic}`"));
                format!("found {actual}, expected {expected}{place}")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Register { expected: expected @ ExpectedOperand { among: 2.., .. }, ty, mnemonic, .. } => {
                let bits = expected.ty?.info().bits;
                let whole = u32::from(expected.among) * u32::from(ty.info().bits);
                let opcode = mnemonic.split('.').next().unwrap_or(mnemonic);
                Some(format!(
                    "expected {} values of {bits} bits here; for {} of {} bits write `{opcode}.b{whole}`",
                    expected.among,
                    expected.among,
                    ty.info().bits
                ))
                .filter(|_| opcode == "mov")
                .or_else(|| Some(format!("write registers of {bits} bits")))
            }
            Self::Register { register, ty, expected, mnemonic } => {
                let ty_expected = expected.ty?;
                if let Some(packing) = packing(*ty, ty_expected).filter(|_| !expected.written) {
                    return Some(packing);
                }
                // What the operand is for tells more than how to bring another value into its size.
                let predicate = [*ty, ty_expected].iter().any(|ty| ty.info().class == TypeClass::Pred);
                let sizes_differ = ty.info().bits != ty_expected.info().bits;
                if !predicate && sizes_differ && !expected.written && !expected.meaning.is_empty() {
                    return Some(super::meaning(expected.name, expected.meaning));
                }
                Some(conversion(register, *ty, ty_expected, expected, mnemonic))
            }
            Self::AllRegisters { whole, .. } => {
                Some(format!("write `{whole}`, or registers of the type of the instruction"))
            }
            Self::SpecialRegister { .. } => None,
            Self::Immediate { integer: true, .. } => {
                Some("write it with a decimal point (`1.0`) or as bits (`0f3F800000`)".to_owned())
            }
            Self::Immediate { integer: false, bits: true, .. } => {
                Some("`.b` types hold bits: write the bits of the number (`0f3F800000` for 1.0 as `.f32`)".to_owned())
            }
            Self::Immediate { integer: false, .. } => {
                Some("write it without a fraction, or use an instruction of a floating-point type".to_owned())
            }
        }
    }
}

impl OperandType {
    /// The size that a register should have that takes a result of another one.
    pub(crate) fn required_size(&self) -> Option<RequiredSize<'_>> {
        let Self::Register { register, ty, expected, .. } = self else { return None };
        let (TypeInfo { bits, class, .. }, actual) = (*expected.ty?.info(), ty.info());
        let is_size = expected.written && expected.among < 2 && bits != actual.bits;
        let is_register = |class: TypeClass| class != TypeClass::Pred;
        (is_size && is_register(class) && is_register(actual.class)).then_some(RequiredSize {
            register,
            bits,
            float: class == TypeClass::Float,
            consequence: None,
        })
    }
}

/// The help on how to make a pair of values of a single one.
fn packing(actual: TypeId, expected: TypeId) -> Option<String> {
    let (found, pair) = (actual.info(), expected.info());
    let element = pair.name.strip_suffix("x2").filter(|_| pair.class == TypeClass::Packed)?;
    if found.class == TypeClass::Float && found.bits == 32 {
        return Some(format!("a register holds two `{element}` values: `cvt.rn{}.f32` packs two floats", pair.name));
    }
    (found.bits == pair.bits / 2)
        .then(|| format!("a register holds two `{element}` values: `mov.b{} %r, {{lo, hi}};` packs them", pair.bits))
}

/// The help on how to convert a register to the expected type.
fn conversion(register: &str, actual: TypeId, expected: TypeId, operand: &ExpectedOperand, mnemonic: &str) -> String {
    let is_predicate = |ty: TypeId| ty.info().class == TypeClass::Pred;
    let (bits, actual_bits) = (expected.info().bits, actual.info().bits);
    let opcode = mnemonic.split('.').next().unwrap_or(mnemonic);
    if bits == actual_bits && !is_predicate(expected) {
        format!(
            "the sizes are the same: `mov.b{bits} %new, {register};` reinterprets the bits, `cvt` converts the value"
        )
    } else if is_predicate(expected) && !operand.written {
        format!("compare first: `setp.ne.b{actual_bits} %p, {register}, 0;`")
    } else if is_predicate(expected) {
        "declare one with `.reg .pred`".to_owned()
    } else if is_predicate(actual) && operand.written && has_predicates(mnemonic) {
        format!("for predicates write `{opcode}.pred`")
    } else if is_predicate(actual) && operand.written {
        "a predicate cannot hold this result: write it to a register".to_owned()
    } else if is_predicate(actual) {
        let number = format!("turn it into a number first: `selp.b{bits} %new, 1, 0, {register};`");
        match has_predicates(mnemonic) {
            true => format!("{number}; for predicates alone write `{opcode}.pred`"),
            false => number,
        }
    } else if operand.written {
        format!("the result has {bits} bits: write it to a `{}` register", register_type(expected))
    } else {
        let verb = if actual_bits > bits { "narrows it to" } else { "widens it to" };
        format!("use the {actual_bits}-bit form of the instruction, if it has one, or `cvt`, which {verb} {bits} bits")
    }
}

/// Whether an opcode has a form for predicates that takes nothing but its type: `and.pred`.
fn has_predicates(mnemonic: &str) -> bool {
    let opcode = mnemonic.split('.').next().and_then(|name| ptx_isa::ISA.opcode(name));
    let mut forms = opcode.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
    forms.any(|form| {
        let mut required = form.slots.iter().filter(|slot| !slot.optional);
        required.next().is_some_and(|slot| slot.values.contains(&".pred")) && required.next().is_none()
    })
}

/// The report on a register of the wrong type, `ty`.
pub(crate) fn register(
    range: Range<usize>,
    register: &str,
    ty: TypeId,
    expected: ExpectedOperand,
    mnemonic: &str,
) -> Diagnostic {
    let (register, mnemonic) = (register.into(), mnemonic.into());
    Diagnostic::new(range, OperandType::Register { register, ty, expected, mnemonic })
}

/// The report on registers that all have the type `ty`. `modifier` is the type of the instruction, with the one that fits; `mnemonics` are
/// the written one and the one with that type.
pub(crate) fn all_registers(
    mismatches: &[OperandMismatch],
    ty: TypeId,
    (modifier, wanted): (Range<usize>, &'static str),
    (mnemonic, whole): (&str, &str),
) -> Diagnostic {
    let data =
        OperandType::AllRegisters { count: mismatches.len(), ty, mnemonic: mnemonic.into(), whole: whole.into() };
    let first = mismatches.first().map_or(modifier.clone(), |mismatch| mismatch.range.clone());
    Diagnostic::new(first, data).fix(Fix::replace(format!("Write `{wanted}`"), modifier, wanted).preferred())
}

/// The report on a special register of the wrong type.
pub(crate) fn special(
    range: Range<usize>,
    register: &'static str,
    ty: &'static str,
    expected: ExpectedOperand,
    mnemonic: &str,
) -> Diagnostic {
    let mnemonic = mnemonic.into();
    Diagnostic::new(range, OperandType::SpecialRegister { register, ty, expected, mnemonic })
}

/// The report on an immediate of the wrong class; `integer` if it is an integer.
pub(crate) fn immediate(range: Range<usize>, integer: bool, spec: Option<&OperandSpec>, mnemonic: &str) -> Diagnostic {
    let operand = spec.map(|s| (s.value.name, mnemonic.into()));
    let bits = spec.and_then(|s| s.ty).is_some_and(|ty| ty.info().class == TypeClass::Bits);
    Diagnostic::new(range, OperandType::Immediate { integer, operand, bits })
}

/// The registers that an operand of a type accepts by default, for a message.
pub(crate) fn wanted_of(ty: TypeId) -> String {
    let mut names = agreeing(ty, RegisterFit::default());
    // ptxas accepts other packed types of the same size too, but code uses none of them here.
    if ty.info().class == TypeClass::Packed {
        names.retain(|name| *name == ty.name() || name.starts_with(".b"));
    }
    format!("a register for `{}`: `{}`", ty.name(), names.join("`, `"))
}

/// The registers that an operand accepts, for a message: `` a 32-bit integer register (`.u32`, `.s32`, `.b32`) ``.
fn registers(expected: &ExpectedOperand) -> String {
    let Some(ty) = expected.ty else { return "another type".to_owned() };
    let info = ty.info();
    let kind = match info.class {
        TypeClass::Pred => return "a predicate (`.pred`)".to_owned(),
        TypeClass::Bits => format!("any {}-bit register", info.bits),
        TypeClass::Uint | TypeClass::Sint => format!("a {}-bit integer register", info.bits),
        TypeClass::Float => format!("a {}-bit floating-point register", info.bits),
        TypeClass::Packed | TypeClass::Opaque => format!("a register for `{}`", info.name),
    };
    let wider = if expected.fit.wider { " or a wider one" } else { "" };
    let mut names = agreeing(ty, RegisterFit { wider: false, ..expected.fit });
    if info.class == TypeClass::Packed {
        names.retain(|name| *name == info.name || name.starts_with(".b"));
    }
    if info.class == TypeClass::Bits && info.agrees.is_empty() {
        return format!("{kind}{wider}");
    }
    format!("{kind} (`{}`){wider}", names.join("`, `"))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn registers_of_another_type() {
        let found = in_kernel(Code::OperandType, "add.f32 %f1, %f2, %rd1;");
        let message = "`%rd1` is `.b64`, but `b` of `add.f32` takes a 32-bit floating-point register (`.b32`, `.f32`)";
        assert_eq!(messages(&found), [message]);
        let help = "use the 64-bit form of the instruction, if it has one, or `cvt`, which narrows it to 32 bits";
        assert_eq!(found[0].help().as_deref(), Some(help));
        let predicate = in_kernel(Code::OperandType, "selp.b32 %r1, %r2, %r3, %r4;");
        assert_eq!(messages(&predicate), ["`%r4` is `.b32`, but `c` of `selp.b32` takes a predicate (`.pred`)"]);
        assert_eq!(predicate[0].help().as_deref(), Some("compare first: `setp.ne.b32 %p, %r4, 0;`"));
        assert!(in_kernel(Code::OperandType, "add.f32 %f1, %f2, %r1; selp.b32 %r1, %r2, %r3, %p1;").is_empty());
    }

    #[test]
    fn numbers_of_another_class() {
        let found = |body: &str| messages(&in_kernel(Code::OperandType, body));
        assert_eq!(
            found("add.f32 %f1, %f2, 1;"),
            ["found an integer, expected a floating-point number for `b` of `add.f32`"]
        );
        assert!(found("add.f32 %f1, %f2, 1.0;").is_empty());
    }
}
