//! Indentation while typing.

use super::{FormatOptions, end_of_line, format_range};
use crate::TextEdit;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form};
use ptx_syntax::trivia::opaque;
use ptx_syntax::{Snapshot, kinds};

/// The edits after the user typed a character that ends a statement or line: `;`, `}`, `:` or a line break. `offset` is the
/// offset after it.
///
/// Only white space at the beginning of that line changes and, after a line break, that of the line above. An editor
/// applies these edits some time after the key press. Text typed in the meantime must neither move nor be replaced. A
/// comment above a label keeps its column.
pub fn format_on_type(snapshot: &Snapshot, offset: usize, typed: char, options: &FormatOptions) -> Vec<TextEdit> {
    let rope = snapshot.rope();
    let line = rope.byte_to_line(offset.min(rope.len_bytes()));
    let mut edits = layout_of_typed(snapshot, offset, typed, options);
    edits.retain(|edit| {
        [Some(line), line.checked_sub(1).filter(|_| typed == '\n')].into_iter().flatten().any(|line| {
            let start = rope.line_to_byte(line);
            let text = snapshot.text(start..end_of_line(snapshot, line));
            let blanks = text.len() - text.trim_start().len();
            start <= edit.range.start && edit.range.end <= start + blanks && !edit.text.contains(['\n', '\r'])
        })
    });
    edits
}

fn layout_of_typed(snapshot: &Snapshot, offset: usize, typed: char, options: &FormatOptions) -> Vec<TextEdit> {
    let rope = snapshot.rope();
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    let line_start = rope.line_to_byte(line);
    if typed != '\n' {
        // A character in a comment or a string ends nothing.
        let Some(node) = offset.checked_sub(1).and_then(|at| snapshot.leaf(at..at + 1)) else {
            return Vec::new();
        };
        if node.kind_id() == kinds().comment
            || node.kind_id() == kinds().string
            || node.kind_id() == kinds().preprocessor_line
        {
            return Vec::new();
        }
        return format_range(snapshot, line_start..offset, options);
    }
    let Some(above) = line.checked_sub(1) else { return Vec::new() };
    let before = rope.line_to_byte(above);
    let above = before..end_of_line(snapshot, above);
    let mut out = format_range(snapshot, above.clone(), options);
    // An unfinished statement is not reformatted while it is typed.
    if out.iter().any(|e| e.range.start < above.start || e.range.end > above.end) {
        out.clear();
    }
    let end = end_of_line(snapshot, line);
    let text = snapshot.text(line_start..end);
    // An empty new line gets the indentation of a statement; a line with text is formatted.
    if text.trim().is_empty() {
        let wanted = indentation_at(snapshot, line_start, options);
        if *text != wanted {
            out.push(TextEdit { range: line_start..end, text: wanted });
        }
    } else {
        // The edits of a statement that begins above the line break are already included.
        let done = out.last().map_or(0, |e| e.range.end);
        let more = format_range(snapshot, line_start..end, options);
        let new: Vec<TextEdit> = more.into_iter().filter(|e| e.range.start >= done && !out.contains(e)).collect();
        out.extend(new);
    }
    out
}

/// The indentation of a statement that begins at `offset`, the start of a blank line. It depends on the unclosed brackets
/// above: while the user types a function, its closing brace is missing and the parser finds no block.
fn indentation_at(snapshot: &Snapshot, offset: usize, options: &FormatOptions) -> String {
    let start = snapshot.root_at(offset).start_byte().min(offset);
    let text = snapshot.text(start..offset);
    let mut open = OpenSyntax::default();
    open.read(&text);
    match open.aligned(&text) {
        Some(column) if !options.tabs => " ".repeat(column),
        _ => indentation(open.levels(&text), options),
    }
}

/// An unclosed bracket.
struct Bracket {
    kind: BracketKind,
    offset: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketKind {
    /// It contains statements.
    Block,
    /// `(`, or the braces of an initializer: its content is indented.
    List,
    /// `[`, `(` or `{` among the operands of an instruction.
    Operand,
}

/// The unclosed brackets and the unfinished statement at the end of a text.
#[derive(Default)]
struct OpenSyntax {
    brackets: Vec<Bracket>,
    /// Offset at which the unfinished statement begins.
    statement: Option<usize>,
    /// The unfinished statement has an `=`, so its braces contain an initializer.
    assigns: bool,
    /// Its last character, ignoring blanks and comments.
    last: Option<char>,
}

impl OpenSyntax {
    /// Reads a text that begins outside of all statements and brackets.
    fn read(&mut self, text: &str) {
        let mut at = 0;
        while let Some(sign) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..];
            let hidden = opaque(rest.as_bytes()).map_or(0, |extent| extent.exact());
            if hidden > 0 {
                at += hidden;
                if sign == '"' {
                    self.last = Some(sign);
                }
                continue;
            }
            self.sign(text, at, sign);
            at += sign.len_utf8();
        }
    }

    fn sign(&mut self, text: &str, at: usize, sign: char) {
        self.assigns &= self.statement.is_some();
        let statement = self.statement.map_or("", |start| &text[start..at]);
        let instruction = !statement.is_empty() && !statement.starts_with('.');
        match sign {
            '{' | '(' | '[' => {
                let kind = match sign {
                    _ if instruction => BracketKind::Operand,
                    '{' if !self.assigns => BracketKind::Block,
                    _ => BracketKind::List,
                };
                self.brackets.push(Bracket { kind, offset: at });
                match kind {
                    BracketKind::Block => self.statement = None,
                    _ => self.statement = self.statement.or(Some(at)),
                }
            }
            '}' | ')' | ']' => {
                let closed = self.brackets.pop();
                if closed.is_some_and(|bracket| bracket.kind == BracketKind::Block) {
                    self.statement = None;
                }
            }
            ';' => {
                // The end of a statement closes all its brackets.
                self.brackets.retain(|bracket| bracket.kind == BracketKind::Block);
                self.statement = None;
            }
            ':' if is_label(statement) && !text[at + 1..].starts_with(':') => self.statement = None,
            '=' => self.assigns = true,
            '\n' if is_directive(statement) && self.list().is_none() && !matches!(self.last, Some(',' | '=')) => {
                // Many directives end with their line. The next line of a directive that continues is not indented further.
                self.statement = None;
            }
            _ if sign.is_whitespace() => {}
            _ => self.statement = self.statement.or(Some(at)),
        }
        if !sign.is_whitespace() {
            self.last = Some(sign);
        }
    }

    /// The innermost bracket, if it is a list.
    fn list(&self) -> Option<&Bracket> {
        self.brackets.last().filter(|bracket| bracket.kind == BracketKind::List)
    }

    /// The indentation level of a line that begins here.
    fn levels(&self, text: &str) -> usize {
        let brackets = self.brackets.iter().filter(|bracket| bracket.kind != BracketKind::Operand).count();
        let continues = self.statement.is_some_and(|start| match is_directive(&text[start..]) {
            // The directives of a function and the parameters of its list are on lines of their own.
            true => self.last == Some(',') && self.list().is_none(),
            false => self.lacks_operands(&text[start..]),
        });
        brackets + usize::from(continues)
    }

    /// Whether an instruction without its `;` goes on in the next line: it ends within its operands, or has none and needs some. Otherwise
    /// only the `;` was forgotten, and the next line begins a statement.
    fn lacks_operands(&self, statement: &str) -> bool {
        let has_open_bracket = self.brackets.last().is_some_and(|bracket| bracket.kind == BracketKind::Operand);
        if has_open_bracket || self.last.is_some_and(|last| ",=|+-".contains(last)) {
            return true;
        }
        let mut words = statement.split_whitespace().skip_while(|word| word.starts_with('@'));
        let Some(mnemonic) = words.next() else { return true };
        words.next().is_none() && !stands_alone(mnemonic)
    }

    /// The column after the brace of an operand that is followed by elements on its line. The other elements are aligned
    /// with them.
    fn aligned(&self, text: &str) -> Option<usize> {
        let brace = self.brackets.last().filter(|bracket| bracket.kind == BracketKind::Operand)?.offset;
        let line = text[..brace].rfind('\n').map_or(0, |end| end + 1);
        let begun = text[brace + 1..].lines().next().is_some_and(|rest| !rest.trim().is_empty());
        (begun && text[brace..].starts_with('{')).then(|| text[line..=brace].chars().count())
    }
}

/// Whether a mnemonic is an instruction without operands, such as `ret` and `cp.async.commit_group`.
fn stands_alone(mnemonic: &str) -> bool {
    let mut words = mnemonic.split('.');
    let Some(opcode) = words.next().and_then(|word| ISA.opcode(word)) else { return false };
    let modifiers: Vec<&str> = words.collect();
    let has_path = |entry: &&Entry| entry.path.iter().all(|part| modifiers.contains(&part.trim_start_matches('.')));
    let entry = opcode.entries.iter().filter(has_path).max_by_key(|entry| entry.path.len());
    let is_bare = |form: &Form| form.operands.iter().all(|operand| operand.optional > 0);
    entry.is_some_and(|entry| entry.forms.iter().any(is_bare))
}

/// Whether a directive begins the statement; `@@` begins the directives of PTX 1.
fn is_directive(statement: &str) -> bool {
    statement.starts_with('.') || statement.starts_with("@@")
}

/// Whether a colon after this text makes it a label.
fn is_label(statement: &str) -> bool {
    let name = statement.trim_end();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))
}

fn indentation(levels: usize, options: &FormatOptions) -> String {
    if options.tabs { "\t".repeat(levels) } else { " ".repeat(levels * options.indent) }
}
