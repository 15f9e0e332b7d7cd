//! `operand-type`: a register of the wrong type, or a number of the wrong class.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Spec;
use crate::hir::types::{TypeId, agreeing};
use ptx_isa::tables::{Access, SpecialRegister, TypeClass};
use std::ops::Range;

const CODE: Code = Code::OperandType;

/// The report on a register.
pub fn register(range: Range<usize>, register: &str, found: TypeId, spec: &Spec, head: &str) -> Diagnostic {
    let message =
        format!("`{register}` is `{}`, but `{}` of `{head}` takes {}", found.name(), spec.value.name, wanted(spec));
    let diagnostic = Diagnostic::error(CODE, range, message);
    match spec.ty {
        Some(ty) if ty.info().bits == found.info().bits && ty.info().class != TypeClass::Pred => {
            diagnostic.with_help(format!(
                "the sizes are the same: `mov.b{} %new, {register};` reinterprets the bits, `cvt` converts the value",
                ty.info().bits
            ))
        }
        Some(ty) if ty.info().class == TypeClass::Pred && spec.value.access == Access::Read => {
            diagnostic.with_help(format!("compare first: `setp.ne.b{} %p, {register}, 0;`", found.info().bits))
        }
        Some(ty) if ty.info().class == TypeClass::Pred => diagnostic.with_help("declare one with `.reg .pred`"),
        Some(ty) if found.info().class == TypeClass::Pred => diagnostic
            .with_help(format!("turn it into a number first: `selp.b{} %new, 1, 0, {register};`", ty.info().bits)),
        Some(ty) if ty.info().class != TypeClass::Pred && found.info().class != TypeClass::Pred => {
            diagnostic.with_help("convert it with `cvt` first, or declare the register with another type")
        }
        _ => diagnostic,
    }
}

/// The report on a special register.
pub fn special(range: Range<usize>, register: &SpecialRegister, spec: &Spec, head: &str) -> Diagnostic {
    let message =
        format!("`{}` is `{}`, but `{}` of `{head}` is {}", register.name, register.ty, spec.value.name, wanted(spec));
    Diagnostic::error(CODE, range, message)
}

/// The report on an immediate.
pub fn immediate(range: Range<usize>, integer: bool, spec: Option<&Spec>, head: &str) -> Diagnostic {
    let (found, wanted) =
        if integer { ("an integer", "a floating-point number") } else { ("a floating-point number", "an integer") };
    let place = spec.map_or(String::new(), |s| format!(" for `{}` of `{head}`", s.value.name));
    let diagnostic = Diagnostic::error(CODE, range, format!("found {found}, expected {wanted}{place}"));
    if integer {
        diagnostic.with_help("write it with a decimal point (`1.0`) or as bits (`0f3F800000`)")
    } else {
        diagnostic.with_help("write it without a fraction, or use an instruction of a floating-point type")
    }
}

/// What an operand of a type takes where nothing else is said of it.
pub fn wanted_of(ty: TypeId) -> String {
    format!("a register for `{}`: `{}`", ty.name(), agreeing(ty, crate::hir::types::Fit::default()).join("`, `"))
}

/// What an operand takes, in words: `a 32-bit integer register (.u32 .s32 .b32)`.
fn wanted(spec: &Spec) -> String {
    let Some(ty) = spec.ty else { return "another type".to_owned() };
    let info = ty.info();
    let kind = match info.class {
        TypeClass::Pred => return "a predicate (`.pred`)".to_owned(),
        TypeClass::Bits => format!("any {}-bit register", info.bits),
        TypeClass::Uint | TypeClass::Sint => format!("a {}-bit integer register", info.bits),
        TypeClass::Float => format!("a {}-bit floating-point register", info.bits),
        TypeClass::Packed | TypeClass::Opaque => format!("a register for `{}`", info.name),
    };
    let wider = if spec.fit.wider { " or a wider one" } else { "" };
    let names = agreeing(ty, crate::hir::types::Fit { wider: false, ..spec.fit });
    if info.class == TypeClass::Bits && info.agrees.is_empty() {
        return format!("{kind}{wider}");
    }
    format!("{kind} (`{}`){wider}", names.join("`, `"))
}
