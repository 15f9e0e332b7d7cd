//! `address-size`: `.address_size 32`, for which the assembler generates no code.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// The directive `.address_size 32`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AddressSize;

impl DiagnosticMessage for AddressSize {
    fn message(&self) -> String {
        "ptxas generates code for 64-bit addresses only".to_owned()
    }

    fn help(&self) -> Option<String> {
        let help = "write `.address_size 64`, and hold addresses in 64-bit registers; ptxas of CUDA 11 is the last that builds 32-bit modules";
        Some(help.to_owned())
    }
}

/// The report on the directive in this range.
pub(crate) fn report(range: Range<usize>) -> Diagnostic {
    let fix = Fix::replace("Write `.address_size 64`", range.clone(), ".address_size 64");
    Diagnostic::new(range, AddressSize).fix(fix)
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn modules_of_32_bits() {
        let found = |size: &str| in_module(Code::AddressSize, &format!(".version 8.0\n.target sm_90\n{size}\n"));
        let narrow = found(".address_size 32");
        assert_eq!(messages(&narrow), ["ptxas generates code for 64-bit addresses only"]);
        assert_eq!(narrow[0].severity, Severity::Error);
        assert!(!narrow[0].is_parse_error());
        assert!(found(".address_size 64").is_empty() && found("").is_empty());
    }
}
