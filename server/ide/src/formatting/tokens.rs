//! The tokens of statements and of function headers.

use super::gaps::{LineStart, StatementToken};
use super::items::LayoutState;
use ptx_isa::ISA;
use ptx_syntax::{Node, fields, kinds};

/// Whether a directive of a header stays in the header at the beginning of a line. The parser takes `.section` or `.calltargets` there for
/// the next item, since a header that is not finished would swallow it otherwise.
fn may_begin_line(directive: &str) -> bool {
    const HEADERS: [&str; 4] = ["entry", "func", "declaration", "prototype"];
    ISA.directive(directive).is_none_or(|known| known.places.iter().any(|place| HEADERS.contains(place)))
}

impl<'t> LayoutState<'t> {
    /// The tokens of a function header, marked if they begin a line. `None` if the header has an error.
    pub fn head_tokens(&mut self, node: Node<'t>) -> Option<Vec<StatementToken<'t>>> {
        let (k, f) = (kinds(), fields());
        let directives = [
            k.performance_directive,
            k.noreturn_directive,
            k.abi_preserve_directive,
            k.language_directive,
            k.pragma_directive,
        ];
        let mut out: Vec<StatementToken<'t>> = Vec::new();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        let has_body = node.child_by_field_id(f.body).is_some();
        while more {
            let child = cursor.node();
            if child.kind_id() != k.block {
                if child.has_error() || child.is_missing() || child.is_error() {
                    return None;
                }
                let first = out.len();
                self.tokens_of(child, k.function, &mut out)?;
                let parameters = cursor.field_id().is_some_and(|id| id.get() == f.parameters);
                if let Some(token) = out.get_mut(first)
                    && has_body
                    && directives.contains(&child.kind_id())
                    && may_begin_line(token.text)
                {
                    token.line = LineStart::Level;
                }
                // One parameter per line if the author wrote them on several lines.
                let list = out.get(first..).unwrap_or(&[]);
                if parameters && (self.spans_lines(list) || list.iter().any(|t| t.ends_line())) {
                    break_list(out.get_mut(first..).unwrap_or(&mut []), k.parameter_list);
                }
            }
            more = cursor.goto_next_sibling();
        }
        Some(out)
    }

    /// Puts each parameter of the last list of a header on its own line.
    pub fn break_parameters(tokens: &mut [StatementToken<'_>]) {
        let k = kinds();
        let bracket = |text| tokens.iter().rposition(|t| t.text == text && t.parent == k.parameter_list);
        if let (Some(open), Some(close)) = (bracket("("), bracket(")"))
            && let Some(list) = tokens.get_mut(open..=close)
        {
            break_list(list, k.parameter_list);
        }
    }

    fn spans_lines(&self, tokens: &[StatementToken<'_>]) -> bool {
        match (tokens.first(), tokens.last()) {
            (Some(a), Some(b)) => self.slice(a.start..b.end()).contains('\n'),
            _ => false,
        }
    }

    /// The tokens of a statement. `None` if one is missing, or if a preprocessor line is among them.
    pub fn tokens(&mut self, node: Node<'t>) -> Option<Vec<StatementToken<'t>>> {
        let mut out = Vec::with_capacity(24);
        // The parent of the statement does not matter to its tokens.
        self.tokens_of(node, 0, &mut out)?;
        Some(out)
    }

    fn tokens_of(&mut self, node: Node<'t>, parent: u16, out: &mut Vec<StatementToken<'t>>) -> Option<()> {
        let k = kinds();
        let mut cursor = match self.cursor.take() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        };
        let mut parents = vec![parent];
        let mut sound = true;
        'walk: loop {
            let node = cursor.node();
            let kind = node.kind_id();
            if cursor.goto_first_child() {
                parents.push(kind);
                continue;
            }
            let range = node.byte_range();
            if range.is_empty() || kind == k.preprocessor_line || node.is_error() {
                sound = false;
                break;
            }
            let parent = parents.last().copied().unwrap_or(0);
            // The node of the remainder operator includes the blanks before it.
            let written = self.slice(range.clone());
            let text = written.trim_start();
            let start = range.start + written.len() - text.len();
            out.push(StatementToken { start, text, kind, parent, line: LineStart::Any });
            loop {
                if parents.len() == 1 {
                    break 'walk;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                parents.pop();
            }
        }
        self.cursor = Some(cursor);
        sound.then_some(())
    }
}

/// Puts each element of a list on its own line.
fn break_list(tokens: &mut [StatementToken<'_>], list: u16) {
    let last = tokens.len().saturating_sub(1);
    if tokens.len() < 3 {
        return;
    }
    let mut fresh = false;
    for (i, token) in tokens.iter_mut().enumerate() {
        if i == last {
            token.line = LineStart::Level;
        } else if fresh && !token.is_comment() {
            token.line = LineStart::Deeper;
        }
        if !token.is_comment() {
            fresh = token.parent == list && matches!(token.text, "(" | ",");
        }
    }
}
