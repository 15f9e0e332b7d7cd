//! `misaligned-address`: a constant address that is no multiple of what the access needs.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::memory::{Access, Place};

const CODE: Code = Code::MisalignedAddress;

/// The report, if the address is surely misaligned (a warning), or aligned by luck alone (a hint).
pub fn check(place: &Place<'_>, access: &Access) -> Option<Diagnostic> {
    let (needs, has) = (access.align, i128::from(place.variable.align?));
    // Whatever is no power of two was reported where it stands.
    if needs < 2 || has < 1 || needs & (needs - 1) != 0 || has & (has - 1) != 0 {
        return None;
    }
    let (name, written, range) = (place.name, place.written, place.range.clone());
    if place.offset.rem_euclid(needs.min(has)) != 0 {
        let found = format!("{} bytes into `{name}`, which is aligned to {has}", place.offset);
        let message =
            format!("`{written}` is misaligned: the access needs a multiple of {needs} bytes, and this is {found}");
        let help =
            "a misaligned access ends the kernel with an error when it runs; move the offset or use a smaller access";
        return Some(Diagnostic::warning(CODE, range, message).with_help(help));
    }
    if needs > has {
        let message = format!(
            "`{written}` need not be aligned: the access needs a multiple of {needs} bytes, `{name}` has {has}"
        );
        return Some(
            Diagnostic::hint(CODE, range, message).with_help(format!("declare `{name}` with `.align {needs}`")),
        );
    }
    None
}
