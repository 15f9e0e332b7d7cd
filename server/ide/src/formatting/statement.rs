//! Formats one statement.

use super::align::AlignmentKey;
use super::gaps::{Gap, LineStart, StatementToken, between};
use super::items::LayoutState;
use super::line::{LeadingSpace, advance};
use super::options::OperandColumns;
use ptx_syntax::kinds;

/// An open bracket.
struct OpenBracket {
    /// Column of its elements that begin a line.
    inner: usize,
    /// Indentation of the line that contains the bracket.
    outer: usize,
}

impl<'t> LayoutState<'t> {
    /// Formats an instruction: guard, mnemonic, operands.
    pub fn instruction(&mut self, tokens: &[StatementToken<'t>], indent: usize) {
        let Some(first) = tokens.first() else { return };
        let guarded = first.text == "@";
        let at =
            if guarded && self.options.outdent_guards { indent.saturating_sub(self.options.indent) } else { indent };
        let space = self.before_statement(first.start, at);
        self.lay_out(tokens, space, indent, true);
    }

    /// Formats a declaration of registers or variables.
    pub fn declaration(&mut self, tokens: &[StatementToken<'t>], indent: usize) {
        let Some(first) = tokens.first() else { return };
        let space = self.before_statement(first.start, indent);
        self.lay_out(tokens, space, indent, false);
        // Only a declaration on a single line can be aligned with others.
        let last = self.pieces.len().checked_sub(tokens.len()).and_then(|base| self.pieces.get(base + 1..));
        let flat = last.is_some_and(|pieces| pieces.iter().all(|p| matches!(p.space, LeadingSpace::Blanks(_))));
        if self.options.align_declarations && flat && !tokens.iter().any(|t| t.is_comment()) {
            self.align_declaration(tokens);
        }
    }

    fn align_declaration(&mut self, tokens: &[StatementToken<'t>]) {
        let k = kinds();
        // The segments of this statement are the last ones of the output.
        let Some(base) = self.pieces.len().checked_sub(tokens.len()) else { return };
        let mut shape = String::new();
        let mut starts = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            let cell = match token.kind {
                kind if kind == k.linkage => 'l',
                kind if kind == k.state_space && token.parent == k.variable_declaration => 's',
                _ if token.parent == k.vector_type => 'v',
                kind if kind == k.ty && token.parent == k.variable_declaration => 't',
                _ if token.parent == k.alignment && token.text == ".align" => 'a',
                _ if token.parent == k.declarator => 'n',
                _ if token.parent == k.attribute_list && token.text == ".attribute" => '@',
                _ => continue,
            };
            shape.push(cell);
            starts.push(i);
            if cell == 'n' {
                break;
            }
        }
        let width = |range: std::ops::Range<usize>| self.flat_width(tokens.get(range).unwrap_or(&[]));
        if shape == "stn" && tokens.first().is_some_and(|t| t.text == ".reg") {
            // Register names have the same column in every function, so that a declaration with another type moves no other
            // line.
            let Some(name) = starts.last().copied() else { return };
            let head = width(0..name);
            const COLUMN: usize = 12;
            let pad = COLUMN.saturating_sub(head).max(1);
            self.pad(base + name, pad);
            return;
        }
        let cells = starts.windows(2).filter_map(|w| match w {
            [from, to] => Some((base + to, width(*from..*to))),
            _ => None,
        });
        let cells: Vec<(usize, usize)> = cells.collect();
        self.row.align(AlignmentKey::Declaration(shape), cells);
    }

    /// Sets the number of blanks before a segment of the current line.
    fn pad(&mut self, piece: usize, pad: usize) {
        if let Some(piece) = self.pieces.get_mut(piece)
            && let LeadingSpace::Blanks(count) = &mut piece.space
        {
            self.column += pad - (*count).min(pad);
            *count = pad;
        }
    }

    /// Formats the header of a function. `body`: the function has a body.
    pub fn head(&mut self, mut tokens: Vec<StatementToken<'t>>, indent: usize, body: bool) {
        let Some(first) = tokens.first() else { return };
        let space = self.before_statement(first.start, indent);
        // The tokens before the directives.
        let lines = tokens.iter().position(|t| t.line == LineStart::Level).unwrap_or(tokens.len());
        let line = tokens.get(..lines).unwrap_or(&[]);
        let broken = line.iter().any(|t| t.line == LineStart::Deeper);
        if body
            && !broken
            && indent + self.flat_width(line) > self.options.width
            && let Some(head) = tokens.get_mut(..lines)
        {
            Self::break_parameters(head);
        }
        self.lay_out(&tokens, space, indent, true);
    }

    /// The width of tokens on one line, in columns.
    pub fn flat_width(&self, tokens: &[StatementToken<'_>]) -> usize {
        let mut out = 0;
        for (i, token) in tokens.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).and_then(|i| tokens.get(i)) {
                let blank = before.is_comment()
                    || token.is_comment()
                    || between(before, token, token.start > before.end()).blank;
                out += usize::from(blank);
            }
            out = advance(out, token.text, self.options);
        }
        out
    }

    /// Adds tokens to the output on one line.
    pub fn flat(&mut self, tokens: &[StatementToken<'t>], space: LeadingSpace) {
        let mut space = space;
        let mut before: Option<&StatementToken<'t>> = None;
        for token in tokens {
            if let Some(before) = before {
                space = LeadingSpace::Blanks(usize::from(between(before, token, token.start > before.end()).blank));
            }
            self.put(token.start, token.text, space);
            before = Some(token);
        }
    }

    /// Adds the tokens of a statement to the output. `join`: a statement on several lines is joined to one if it fits.
    pub fn lay_out(&mut self, tokens: &[StatementToken<'t>], space: LeadingSpace, indent: usize, join: bool) {
        let k = kinds();
        let Some(first) = tokens.first() else { return };
        let operands = operands(tokens);
        // The line breaks of a function header are already decided.
        let head = first.parent == k.function;
        let breaks = |i: usize| {
            let before = i.checked_sub(1).and_then(|i| tokens.get(i))?;
            let token = tokens.get(i)?;
            Some(self.slice(before.end()..token.start).contains('\n'))
        };
        let broken: Vec<bool> = (0..tokens.len()).map(|i| breaks(i).unwrap_or(false)).collect();
        let forced = tokens.iter().any(|t| t.line != LineStart::Any || t.is_comment());
        let mut flat = !forced && !broken.contains(&true);
        if !flat && !forced && join {
            // Operands that begin on the line below the opcode stay there.
            let below = operands.and_then(|i| broken.get(i)).copied().unwrap_or(false);
            let padding = operands.map_or(0, |i| self.padding(tokens, i, indent));
            flat = !below && indent + padding + self.flat_width(tokens) <= self.options.width;
        }
        let mut open: Vec<OpenBracket> = Vec::new();
        let mut line_indent = indent;
        for (i, token) in tokens.iter().enumerate() {
            let Some(before) = i.checked_sub(1).and_then(|i| tokens.get(i)) else {
                self.put(first.start, first.text, space);
                continue;
            };
            let broken_here = broken.get(i).copied().unwrap_or(false);
            let comment = before.is_comment() || token.is_comment();
            let gap = if comment {
                Gap { blank: !matches!(token.text, "," | ";"), may_break: true }
            } else {
                between(before, token, token.start > before.end())
            };
            let closes = matches!(token.text, ")" | "]" | "}") && !token.is_comment();
            let ended = if closes { open.pop() } else { None };
            let new_line = match token.line {
                LineStart::Any => before.ends_line() || (!flat && broken_here && gap.may_break && (!head || comment)),
                LineStart::Level | LineStart::Deeper => true,
            };
            if new_line {
                let level = match (token.line, &ended) {
                    (LineStart::Level, _) => indent,
                    (LineStart::Deeper, _) => indent + self.options.indent,
                    (LineStart::Any, Some(ended)) => ended.outer,
                    (LineStart::Any, None) => open.last().map_or(indent + self.options.indent, |o| o.inner),
                };
                // A comment is indented like the token after it.
                let level = match tokens.get(i + 1) {
                    Some(next) if token.is_comment() && next.line == LineStart::Level => indent + self.options.indent,
                    _ => level,
                };
                line_indent = level;
                let tabs = level - level % self.options.indent.max(1);
                self.put(token.start, token.text, LeadingSpace::Lines { count: 1, indent: tabs, pad: level - tabs });
            } else if token.is_comment() {
                self.trailing(token.start, token.text, token.ends_line());
            } else {
                let space = if operands == Some(i) && !comment {
                    self.align_operands(tokens, flat)
                } else if token.kind == k.opcode && first.text == "@" && self.options.outdent_guards {
                    LeadingSpace::Blanks(indent.saturating_sub(self.column).max(1))
                } else if !flat && !open.is_empty() && gap.blank && before.text == "," {
                    // Within a table, the author's columns stay.
                    let found = self.slice(before.end()..token.start);
                    let blanks = !found.is_empty() && found.bytes().all(|b| b == b' ');
                    LeadingSpace::Blanks(if blanks { found.len() } else { 1 })
                } else {
                    LeadingSpace::Blanks(usize::from(gap.blank))
                };
                self.put(token.start, token.text, space);
            }
            if matches!(token.text, "(" | "[" | "{") {
                let next = broken.get(i + 1).copied().unwrap_or(false);
                let below = tokens.get(i + 1).is_some_and(|t| t.is_comment());
                let inner = if next || below { line_indent + self.options.indent } else { self.column };
                open.push(OpenBracket { inner, outer: line_indent });
            }
        }
    }

    /// Additional blanks before the first operand, beyond the single one, as far as they follow from this statement alone.
    fn padding(&self, tokens: &[StatementToken<'t>], operands: usize, indent: usize) -> usize {
        let head = self.flat_width(tokens.get(..operands).unwrap_or(&[]));
        match self.options.operands {
            OperandColumns::Column if self.aligns_operands() => self.operand_target().saturating_sub(indent + head + 1),
            _ => 0,
        }
    }

    /// The column of operands. It is the same in nested blocks.
    fn operand_target(&self) -> usize {
        self.options.indent + self.options.operand_column
    }

    /// The space before the first operand.
    fn align_operands(&mut self, tokens: &[StatementToken<'t>], flat: bool) -> LeadingSpace {
        if tokens.first().is_none_or(|t| t.parent == kinds().block && t.text == "{") || !self.aligns_operands() {
            return LeadingSpace::Blanks(1);
        }
        let target = self.operand_target();
        let fits = self.column < target;
        if self.options.operands == OperandColumns::Column && fits {
            return LeadingSpace::Blanks(target - self.column);
        }
        // Mnemonics that are too long for the column are aligned with each other. In [`OperandColumns::Run`], the others
        // are aligned with each other too.
        if flat {
            self.row.align(
                if fits { AlignmentKey::Operands } else { AlignmentKey::LongOperands },
                vec![(self.pieces.len(), self.column)],
            );
        }
        LeadingSpace::Blanks(1)
    }
}

/// Token index of the first operand of an instruction.
fn operands(tokens: &[StatementToken<'_>]) -> Option<usize> {
    let k = kinds();
    let opcode = tokens.iter().position(|t| t.kind == k.opcode)?;
    // Nothing is aligned in a block on one line.
    if tokens.first().is_some_and(|t| t.kind != k.opcode && t.text != "@") {
        return None;
    }
    let head = |t: &StatementToken<'_>| {
        (t.kind == k.modifier && t.parent == k.instruction) || t.kind == k.bank || t.is_comment()
    };
    let at = tokens.iter().skip(opcode + 1).position(|t| !head(t))? + opcode + 1;
    tokens.get(at).filter(|t| t.text != ";").map(|_| at)
}
