//! A statement with its PTX text, and what all dialects need to make one.

use crate::definitions::Definitions;
use crate::literal::HOLE;
use crate::map::{Decoded, SegmentKind};
use crate::model::{HostEdit, HostFix, Kind, Problem, ProblemKind, Statement, Variable};
use crate::raw::{Literal, Piece, Raw};
use crate::words::{Tokens, last_token};
use std::ops::Range;
use std::sync::Arc;

/// A statement with its PTX text. Ranges of the host are relative to the statement.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub raw: Arc<Raw>,
    pub statement: Statement,
    pub ptx: Decoded,
    pub variables: Vec<Variable>,
    pub opaque: Vec<Range<usize>>,
    pub problems: Vec<Problem>,
    /// Whether the result depends on definitions of the file.
    pub uses_names: bool,
}

/// What is known about an operand while its statement is read.
pub(super) struct OperandFacts {
    pub kind: Option<Kind>,
    pub used: bool,
}

/// The places in a text at which names of the module stand, such as those that `global_asm!` declares. Their types are
/// not known, so they are as opaque as holes.
pub(super) fn module_names(ptx: &str, definitions: &Definitions) -> Vec<Range<usize>> {
    if definitions.is_empty() {
        return Vec::new();
    }
    Tokens::new(ptx).filter(|token| definitions.contains(&ptx[token.clone()])).collect()
}

/// Whether what stands at a range of a text is only a part of a PTX word: `.v%0`, `cta_group::%1`, `%2B`.
pub(super) fn is_glued(text: &[u8], range: &Range<usize>) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
    let before = text.get(..range.start).unwrap_or_default();
    before.last().is_some_and(|b| is_part(*b) || *b == b'.')
        || before.ends_with(b"::")
        || text.get(range.end).is_some_and(|b| is_part(*b))
}

/// The text after escapes, and whether it has holes.
pub(super) fn template(
    raw: &Raw,
    source: &str,
    definitions: &Definitions,
    decode: fn(&mut Decoded, &str, &Literal),
) -> (Decoded, bool) {
    let mut out = Decoded::default();
    let mut has_hole = false;
    for piece in &raw.template {
        match piece {
            Piece::Literal(literal) => decode(&mut out, source, literal),
            Piece::Name(range) => {
                let name = source.get(range.clone()).unwrap_or_default();
                match definitions.text(name) {
                    Some(text) => out.push(range.clone(), text, SegmentKind::Escape),
                    None => {
                        has_hole = true;
                        out.push(range.clone(), HOLE, SegmentKind::Hole);
                    }
                }
            }
            Piece::Hole(range) => {
                has_hole = true;
                out.push(range.clone(), HOLE, SegmentKind::Hole);
            }
            Piece::LineBreak(at) => out.push(*at..*at, "\n", SegmentKind::Glue),
        }
    }
    (out, has_hole)
}

/// Reports a text whose last instruction does not end.
pub(super) fn missing_semicolon(ptx: &Decoded, problems: &mut Vec<Problem>) {
    let Some((end, false)) = last_token(&ptx.text) else { return };
    let start = ptx.text[..end].char_indices().next_back().map_or(0, |(i, _)| i);
    let Some(place) = ptx.map.to_host(start..end).pop() else { return };
    problems.push(Problem {
        kind: ProblemKind::MissingSemicolon,
        span: place.clone(),
        message: "the last instruction has no `;`, so it runs into the next instruction of the compiled function"
            .to_owned(),
        fixes: vec![HostFix {
            title: "Insert `;`".to_owned(),
            edits: vec![HostEdit { span: place.end..place.end, text: ";".to_owned() }],
        }],
    });
}

/// The name of an operand in the PTX text of its group.
pub(super) fn variable_name(number: usize, index: usize) -> String {
    if number == 0 { format!("%{index}") } else { format!("%{number}_{index}") }
}
