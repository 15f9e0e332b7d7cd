//! `misaligned-address`: a constant address that does not have the alignment of the access.

use super::out_of_bounds::{AccessSize, VariableAccess};
use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;

/// A constant address that is misaligned, or that the variable's alignment does not guarantee to be aligned. Numbers are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MisalignedAddress {
    /// The address as written, without brackets.
    pub written: Box<str>,
    /// The name of the variable.
    pub name: Box<str>,
    /// The alignment that the access needs.
    pub required: i128,
    /// The alignment of the variable.
    pub alignment: i128,
    /// The offset into the variable, if the address is certainly misaligned. `None` if it may be aligned by chance.
    pub offset: Option<i128>,
}

impl DiagnosticMessage for MisalignedAddress {
    fn message(&self) -> String {
        let Self { written, name, required, alignment, offset } = self;
        match offset {
            Some(offset) => format!(
                "`{written}` is misaligned: the access needs a multiple of {required} bytes, and this is {offset} bytes into \
                 `{name}`, which is aligned to {alignment}"
            ),
            None => format!(
                "`{written}` may be misaligned: the access needs a multiple of {required} bytes, but `{name}` is aligned to {alignment}"
            ),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self.offset {
            Some(_) => "a misaligned access stops the kernel with an error at run time; change the offset or use a smaller access"
                .to_owned(),
            None => format!("declare `{}` with `.align {}`", self.name, self.required),
        })
    }
}

/// The report, if the address is certainly misaligned (a warning) or can only be aligned by chance (a hint).
pub(crate) fn check(place: &VariableAccess<'_>, access: &AccessSize) -> Option<Diagnostic> {
    let (required, alignment) = (access.align, i128::from(place.variable.align?));
    // An alignment that is not a power of two was reported at its declaration.
    if required < 2 || alignment < 1 || required & (required - 1) != 0 || alignment & (alignment - 1) != 0 {
        return None;
    }
    let (severity, offset) = if place.offset.rem_euclid(required.min(alignment)) != 0 {
        (Severity::Warning, Some(place.offset))
    } else if required > alignment {
        (Severity::Hint, None)
    } else {
        return None;
    };
    let (written, name) = (place.written.into(), place.name.into());
    let found = MisalignedAddress { written, name, required, alignment, offset };
    Some(Diagnostic::new(place.range.clone(), found).severity(severity))
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, messages};
    use crate::{Code, Severity};

    #[test]
    fn addresses_are_multiples_of_what_the_access_needs() {
        let load = |address: &str| {
            let body = format!(".shared .align 4 .b8 s[64]; ld.shared.{address};");
            in_kernel(Code::MisalignedAddress, &body)
        };
        let surely = load("b32 %r1, [s+2]");
        let message = "`s+2` is misaligned: the access needs a multiple of 4 bytes, and this is 2 bytes into `s`, which is \
                       aligned to 4";
        assert_eq!(messages(&surely), [message]);
        let luck = load("b64 %rd1, [s+8]");
        assert_eq!(
            messages(&luck),
            ["`s+8` may be misaligned: the access needs a multiple of 8 bytes, but `s` is aligned to 4"]
        );
        assert_eq!((surely[0].severity, luck[0].severity), (Severity::Warning, Severity::Hint));
        assert!(load("b32 %r1, [s+4]").is_empty());
    }
}
