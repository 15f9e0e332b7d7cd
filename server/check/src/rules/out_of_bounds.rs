//! `out-of-bounds`: a constant address outside of the variable that it names.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::symbols::VariableSymbol;
use std::ops::Range;

/// An address that points into a known variable.
#[derive(Debug)]
pub(crate) struct VariableAccess<'t> {
    /// Byte range of the address.
    pub range: Range<usize>,
    /// Name of the variable.
    pub name: &'t str,
    /// The symbol of the variable: its state space, type, size and alignment.
    pub variable: VariableSymbol,
    /// Byte offset from the start of the variable.
    pub offset: i128,
    /// The address as written, without brackets.
    pub written: &'t str,
}

/// Size and alignment of a memory access.
#[derive(Debug, Clone)]
pub(crate) struct AccessSize {
    /// Number of bytes accessed, if known.
    pub bytes: Option<i128>,
    /// Required alignment of the address, in bytes.
    pub align: i128,
    /// The bytes of the access, counted from its beginning, that are not read into `_`.
    pub kept: Option<Range<i128>>,
}

/// An access that begins before its variable or ends after it. Numbers are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct OutOfBounds {
    /// The address as written, without brackets.
    pub written: Box<str>,
    /// The name of the variable.
    pub name: Box<str>,
    /// The size of the variable.
    pub size: i128,
    /// The offset in the variable at which the access begins.
    pub offset: i128,
    /// The size of the access.
    pub bytes: i128,
}

impl DiagnosticMessage for OutOfBounds {
    fn message(&self) -> String {
        let Self { written, name, size, offset, bytes } = self;
        let plural = if *bytes == 1 { "" } else { "s" };
        format!(
            "`{written}` is out of bounds: the access covers {bytes} byte{plural} from offset {offset}, but `{name}` has only {size}"
        )
    }

    fn help(&self) -> Option<String> {
        let help = "other data may be there: correct the offset, or declare a larger variable";
        Some(help.to_owned())
    }
}

/// The report, if the access begins before the variable or ends after it. What it reads into `_` does not count.
pub(crate) fn check(place: &VariableAccess<'_>, access: &AccessSize) -> Option<Diagnostic> {
    let size = i128::from(place.variable.bytes.filter(|b| *b > 0 && !place.variable.external)?);
    let (offset, bytes, kept) = (place.offset, access.bytes?, access.kept.as_ref()?);
    let (start, end) = (offset.checked_add(kept.start)?, offset.checked_add(kept.end)?);
    if start >= 0 && end <= size {
        return None;
    }
    let (written, name) = (place.written.into(), place.name.into());
    Some(Diagnostic::new(place.range.clone(), OutOfBounds { written, name, size, offset, bytes }))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn accesses_lie_in_their_variable() {
        let found = |address: &str| {
            let body = format!(".shared .align 4 .b8 s[16]; ld.shared.b32 %r1, [{address}];");
            messages(&in_kernel(Code::OutOfBounds, &body))
        };
        let after = "`s+16` is out of bounds: the access covers 4 bytes from offset 16, but `s` has only 16";
        assert_eq!(found("s+16"), [after]);
        let before = "`s+-4` is out of bounds: the access covers 4 bytes from offset -4, but `s` has only 16";
        assert_eq!(found("s+-4"), [before]);
        assert!(found("s+12").is_empty());
    }

    #[test]
    fn lanes_that_are_not_kept_do_not_count() {
        let found = |list: &str| {
            let body = format!(".shared .align 16 .b8 s[12]; ld.shared.v4.b32 {list}, [s];");
            in_kernel(Code::OutOfBounds, &body).len()
        };
        assert_eq!(found("{%r1, %r2, %r3, %r4}"), 1);
        assert_eq!(found("{_, %r2, %r3, %r4}"), 1);
        assert_eq!(found("{%r1, %r2, %r3, _}"), 0);
        let before = |list: &str| {
            let body = format!(".shared .align 16 .b8 s[12]; ld.shared.v4.b32 {list}, [s+-4];");
            in_kernel(Code::OutOfBounds, &body).len()
        };
        assert_eq!((before("{_, %r2, %r3, %r4}"), before("{%r1, _, _, _}")), (0, 1));
    }
}
