//! `out-of-bounds`: a constant address outside of the variable that it names.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::memory::{Access, Place};

const CODE: Code = Code::OutOfBounds;

/// The report, if the access begins before the variable or ends after it.
pub fn check(place: &Place<'_>, access: &Access) -> Option<Diagnostic> {
    let size = i128::from(place.variable.bytes.filter(|b| *b > 0 && !place.variable.external)?);
    let bytes = access.bytes?;
    let end = place.offset.checked_add(bytes)?;
    if place.offset >= 0 && end <= size {
        return None;
    }
    let what = if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    let message = format!(
        "`{}` is out of bounds: the access takes {what} from offset {} on, `{}` has {size}",
        place.written, place.offset, place.name
    );
    let help = "what lies there belongs to something else; mend the offset, or declare the variable larger";
    Some(Diagnostic::warning(CODE, place.range.clone(), message).with_help(help))
}
