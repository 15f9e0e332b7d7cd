//! `unused-register`: a register is declared that no instruction names.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::hir::symbols::Origin;

const CODE: Code = Code::UnusedRegister;

/// A range may be larger than needed by so many registers, since people like round numbers.
const SPARE: u32 = 64;

/// What NVIDIA's compilers declare in every call sequence and every function with a stack, needed or not.
const COMPILERS: &[&str] = &["temp_param_reg", "%SP", "%SPL"];

/// Finds the declarations.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    for declaration in analysis.function.declarations.iter().filter(|d| d.origin == Origin::Body) {
        let range = declaration.range.start as usize..declaration.range.end as usize;
        let name = &declaration.name;
        let found = match (declaration.count, declaration.highest) {
            (None, Some(_)) => continue,
            (None, None) if COMPILERS.contains(&name.as_ref()) => continue,
            (None, None) => Diagnostic::hint(CODE, range, format!("`{name}` is never used")).unnecessary(),
            (Some(count), None) => {
                let last = count.saturating_sub(1);
                Diagnostic::hint(CODE, range, format!("none of `{name}0` to `{name}{last}` is used")).unnecessary()
            }
            (Some(count), Some(highest))
                if count > highest.saturating_add(1).saturating_mul(2).saturating_add(SPARE) =>
            {
                let message = format!("{count} registers are declared, but `{name}{highest}` is the last that is used");
                Diagnostic::hint(CODE, range, message).with_help(format!("`{name}<{}>` is enough", highest + 1))
            }
            _ => continue,
        };
        out.push(found);
    }
}
