//! Turns the diagnostics of a function into those of the text that is its body.

use super::InlineText;
use super::scan::Scan;
use super::wrap::Wrapped;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix, FixEdit, Severity};
use crate::rules::narrow_address::NarrowAddress;
use crate::rules::operand_type::OperandType;
use crate::rules::required_size::RequiredSize;
use crate::rules::syntax_error;
use std::ops::Range;

impl Diagnostic {
    /// The size that the register should have, if it is the one to change.
    pub fn required_size(&self) -> Option<RequiredSize<'_>> {
        let address = self.finding.data().and_then(NarrowAddress::required_size);
        address.or_else(|| self.finding.data().and_then(OperandType::required_size))
    }
}

/// The diagnostics of the text: without those about text that only the host's compiler knows, and with those about its braces.
pub(super) fn in_text(
    found: Vec<Diagnostic>,
    text: &InlineText<'_>,
    scan: &Scan,
    wrapped: &Wrapped,
) -> Vec<Diagnostic> {
    let hidden = Hidden::new(text, scan);
    let mut out: Vec<Diagnostic> = Vec::new();
    for mut diagnostic in found {
        if is_meaningless(&diagnostic) {
            continue;
        }
        let inside = wrapped.is_inside(&diagnostic.range);
        let range = wrapped.in_text(&diagnostic.range);
        // The function around it has no mistakes: what is reported there follows from another error.
        if !inside || (range.is_empty() && diagnostic.code() == Code::SyntaxError && scan.missing_semicolon.is_some()) {
            continue;
        }
        diagnostic.range = visible(range, text.ptx);
        if hidden.covers(&diagnostic) {
            continue;
        }
        diagnostic.related.retain(|related| wrapped.is_inside(&related.range));
        for related in diagnostic.related.make_mut() {
            related.range = wrapped.in_text(&related.range);
        }
        diagnostic.fixes = diagnostic.fixes.into_iter().filter_map(|fix| fix_in_text(fix, wrapped)).collect();
        out.push(diagnostic);
    }
    if text.opaque.is_empty() {
        out.extend(scan.extra.iter().map(|at| syntax_error::unopened(*at..*at + 1)));
        out.extend(scan.open.iter().map(|at| syntax_error::unclosed_block(*at..*at + 1)));
    }
    out.sort_by_key(|d| (d.range.start, d.range.end));
    out
}

/// Whether a diagnostic says nothing about a text in another language. The kind of an address is unknown there, and a module
/// around it is not written.
fn is_meaningless(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code(), Code::NarrowAddress) && diagnostic.severity != Severity::Error
        || matches!(diagnostic.code(), Code::ModuleHeader | Code::MissingDirective)
}

/// A range that shows: a character at least, if there is one.
fn visible(range: Range<usize>, text: &str) -> Range<usize> {
    if !range.is_empty() || text.is_empty() {
        return range;
    }
    let behind = text.get(range.start..).and_then(|rest| rest.chars().next()).map(char::len_utf8);
    match behind {
        Some(length) => range.start..range.start + length,
        None => {
            let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
            last..text.len()
        }
    }
}

/// The text that only the host's compiler knows.
struct Hidden {
    /// The statements that touch it.
    statements: Vec<Range<usize>>,
    /// The statements with a constant of unknown value where the grammar takes no name.
    uncertain: Vec<Range<usize>>,
    /// Whether the text may declare anything.
    opaque: bool,
}

impl Hidden {
    fn new(text: &InlineText<'_>, scan: &Scan) -> Self {
        let statement = |place: &Range<usize>| {
            let before = scan.semicolons.partition_point(|at| *at < place.start);
            let after = scan.semicolons.partition_point(|at| *at < place.end.max(place.start));
            let start = before.checked_sub(1).and_then(|i| scan.semicolons.get(i)).map_or(0, |at| at + 1);
            start..scan.semicolons.get(after).map_or(text.ptx.len(), |at| at + 1)
        };
        let unknown = |index: usize| text.constants.get(index).is_some_and(|c| c.value.is_none());
        let constants = || scan.constants.iter().filter(|(_, index, _)| unknown(*index));
        let glued = constants().filter(|(.., glued)| *glued).map(|(place, ..)| place);
        Self {
            statements: text.opaque.iter().chain(glued).map(statement).collect(),
            uncertain: constants().map(|(place, ..)| statement(place)).collect(),
            opaque: !text.opaque.is_empty(),
        }
    }

    fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let touches = |r: &Range<usize>| r.start < diagnostic.range.end && diagnostic.range.start < r.end;
        let code = diagnostic.code();
        let follows = self.opaque && matches!(code, Code::UndeclaredName | Code::DuplicateName | Code::BranchTarget);
        let form = matches!(
            code,
            Code::SyntaxError | Code::ConstantExpression | Code::ArraySize | Code::Alignment | Code::MalformedNumber
        );
        follows || self.statements.iter().any(touches) || (form && self.uncertain.iter().any(touches))
    }
}

/// A fix as one of the text; `None` if it changes anything else.
fn fix_in_text(fix: Fix, wrapped: &Wrapped) -> Option<Fix> {
    let Fix { title, edits, preferred } = fix;
    let edit = |edit: FixEdit| match edit {
        FixEdit::Replace(range, new) if wrapped.is_inside(&range) => {
            Some(FixEdit::Replace(wrapped.in_text(&range), new))
        }
        _ => None,
    };
    let edits: Option<Vec<FixEdit>> = edits.into_iter().map(edit).collect();
    Some(Fix { title, edits: edits?, preferred })
}
