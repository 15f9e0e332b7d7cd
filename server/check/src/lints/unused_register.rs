//! `unused-register`: a declared register that no instruction names.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_sema::hir::symbols::VariableOrigin;

/// A declaration of registers that no instruction names, or of many more than the instructions name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum UnusedRegister {
    /// No instruction names this register.
    Single(Box<str>),
    /// No instruction names any register of a range such as `%r<10>`.
    Range {
        /// The name without a number.
        name: Box<str>,
        /// The number of registers in the declaration.
        count: u32,
    },
    /// A range is much larger than needed.
    Excess {
        /// The name without a number.
        name: Box<str>,
        /// The number of registers in the declaration.
        count: u32,
        /// The highest register number that an instruction names.
        highest: u32,
    },
}

impl DiagnosticMessage for UnusedRegister {
    fn message(&self) -> String {
        match self {
            Self::Single(name) => format!("`{name}` is never used"),
            Self::Range { name, count } => {
                format!("none of `{name}0` to `{name}{}` is used", count.saturating_sub(1))
            }
            Self::Excess { name, count, highest } => {
                format!("{count} registers are declared, but `{name}{highest}` is the last that is used")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Excess { name, highest, .. } => Some(format!("`{name}<{}>` is enough", highest + 1)),
            Self::Single(_) | Self::Range { .. } => None,
        }
    }
}

/// Number of registers by which a range may exceed twice the needed size: people like round numbers.
const SPARE: u32 = 64;

/// Names that NVIDIA's compilers declare in every call sequence and every function with a stack, even if they do not use them.
const COMPILERS: &[&str] = &["temp_param_reg", "%SP", "%SPL"];

/// Reports declarations of unused registers, and ranges that are much larger than needed.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    for declaration in analysis.function.declarations.iter().filter(|d| d.origin == VariableOrigin::Body) {
        let range = declaration.range.start as usize..declaration.range.end as usize;
        let name = declaration.name.clone();
        let found = match (declaration.count, declaration.highest) {
            (None, Some(_)) => continue,
            (None, None) if COMPILERS.contains(&name.as_ref()) => continue,
            (None, None) => Diagnostic::new(range, UnusedRegister::Single(name)).unnecessary(),
            (Some(count), None) => Diagnostic::new(range, UnusedRegister::Range { name, count }).unnecessary(),
            (Some(count), Some(highest))
                if count > highest.saturating_add(1).saturating_mul(2).saturating_add(SPARE) =>
            {
                Diagnostic::new(range, UnusedRegister::Excess { name, count, highest })
            }
            _ => continue,
        };
        out.push(found);
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::UnusedRegister;
    use crate::testing::in_module;

    fn found(body: &str) -> Vec<(String, bool)> {
        let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        let found = in_module(UnusedRegister, &format!("{header}.visible .entry k() {{ {body} ret; }}"));
        found.iter().map(|d| (d.message(), d.unnecessary)).collect()
    }

    #[test]
    fn declarations_that_nothing_needs() {
        assert_eq!(found(".reg .b32 count;"), [("`count` is never used".to_owned(), true)]);
        assert_eq!(found(".reg .b32 %r<4>;"), [("none of `%r0` to `%r3` is used".to_owned(), true)]);
        let excess = "512 registers are declared, but `%r1` is the last that is used";
        assert_eq!(found(".reg .b32 %r<512>; mov.u32 %r1, 1;"), [(excess.to_owned(), false)]);
        assert_eq!(found(".reg .b32 %r<64>; mov.u32 %r1, 1;"), []);
        assert_eq!(found(".reg .b64 %SP;"), [], "compilers declare it in every function with a stack");
    }
}
