//! Markdown on a terminal: headings and code in colour, text, lists and tables laid out to the width.

use ptx_ide::TokenKind;
use ptx_ide::reference::code::tokens;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

/// Lines are not longer than this on a wide terminal: longer ones are hard to read.
const MAX_WIDTH: usize = 100;
/// Columns that a cell of a table keeps on a narrow terminal.
const MIN_CELL: usize = 8;
/// Columns between the cells of a table.
const GAP: usize = 2;

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Strong,
    Emphasis,
    Heading,
    Code,
    Dim,
    Opcode,
    Modifier,
    Register,
    Number,
}

impl Look {
    /// The escape sequence that begins it.
    fn start(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "\x1b[1m",
            Self::Emphasis => "\x1b[3m",
            Self::Heading => "\x1b[1;36m",
            Self::Code | Self::Modifier => "\x1b[36m",
            Self::Dim => "\x1b[2m",
            Self::Opcode => "\x1b[1;34m",
            Self::Register => "\x1b[32m",
            Self::Number => "\x1b[33m",
        }
    }

    fn of(kind: Option<TokenKind>) -> Self {
        match kind {
            Some(TokenKind::Opcode) => Self::Opcode,
            Some(TokenKind::Modifier | TokenKind::Type | TokenKind::StateSpace | TokenKind::Keyword) => Self::Modifier,
            Some(TokenKind::Register | TokenKind::Predicate | TokenKind::SpecialRegister) => Self::Register,
            Some(TokenKind::Number | TokenKind::String) => Self::Number,
            Some(TokenKind::Comment) => Self::Dim,
            _ => Self::Plain,
        }
    }
}

/// Text that is not broken: pieces of words that stand together.
type Word = Vec<(String, Look)>;

/// The text for a terminal of so many columns, with escape sequences if `coloured`.
pub fn render(text: &str, columns: usize, coloured: bool) -> String {
    let mut layout = Layout {
        out: String::new(),
        width: columns.clamp(20, MAX_WIDTH),
        coloured,
        prefix: Vec::new(),
        marker: None,
        looks: Vec::new(),
        words: Vec::new(),
        open: false,
        blank: false,
        code: None,
        link: None,
        table: None,
        numbers: Vec::new(),
    };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        layout.event(event);
    }
    layout.flush();
    layout.out
}

/// The rows of a table so far, the first of them the heading.
type Rows = Vec<Vec<Vec<Word>>>;

struct Layout {
    out: String,
    width: usize,
    coloured: bool,
    /// What each line begins with: the indentation of lists, the bar of quotes.
    prefix: Vec<String>,
    /// What stands in place of the last prefix on the next line: the sign of an item.
    marker: Option<String>,
    looks: Vec<Look>,
    words: Vec<Word>,
    /// Whether the next text belongs to the last word.
    open: bool,
    /// Whether a blank line belongs before the next block.
    blank: bool,
    /// The language and the text of a block of code.
    code: Option<(String, String)>,
    link: Option<String>,
    table: Option<Rows>,
    /// The number of the next item, for each list that is numbered.
    numbers: Vec<Option<u64>>,
}

impl Layout {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.look()),
            },
            Event::Code(code) => {
                let look = if self.look() == Look::Heading { Look::Heading } else { Look::Code };
                if self.coloured { self.text(&code, look) } else { self.text(&format!("`{code}`"), look) }
            }
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, self.look()),
            Event::SoftBreak => self.open = false,
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                self.between();
                let line = "─".repeat(self.width.min(40));
                self.line(&[vec![(line, Look::Dim)]]);
                self.blank = true;
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.looks.push(Look::Heading);
            }
            Tag::Paragraph => self.flush(),
            Tag::Strong => self.looks.push(Look::Strong),
            Tag::Emphasis => self.looks.push(Look::Emphasis),
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            Tag::CodeBlock(kind) => {
                self.flush();
                let language =
                    if let CodeBlockKind::Fenced(language) = kind { language.into_string() } else { String::new() };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.numbers.push(first);
            }
            Tag::Item => {
                self.flush();
                let sign = match self.numbers.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.prefix.push(" ".repeat(sign.width()));
                self.marker = Some(sign);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.prefix.push("│ ".to_owned());
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.looks.pop();
                self.blank = true;
            }
            TagEnd::Paragraph => {
                self.flush();
                self.blank = true;
            }
            TagEnd::Strong | TagEnd::Emphasis => {
                self.looks.pop();
            }
            TagEnd::Link => {
                // Pages name each other's files, which are not here.
                if let Some(address) = self.link.take().filter(|a| a.starts_with("http")) {
                    self.open = true;
                    self.text(": ", Look::Plain);
                    self.text(&address, Look::Dim);
                }
            }
            TagEnd::CodeBlock => {
                let (language, code) = self.code.take().unwrap_or_default();
                self.block(&language, &code);
            }
            TagEnd::List(_) => {
                self.flush();
                self.numbers.pop();
                self.blank = true;
            }
            TagEnd::Item => {
                self.flush();
                self.prefix.pop();
                self.marker = None;
                self.blank = false;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefix.pop();
            }
            TagEnd::TableCell => {
                let words = std::mem::take(&mut self.words);
                self.open = false;
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(words);
                }
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                self.table_rows(&rows);
            }
            _ => {}
        }
    }

    fn look(&self) -> Look {
        self.looks.last().copied().unwrap_or(Look::Plain)
    }

    /// Adds text to the words: where it has blanks, new ones begin.
    fn text(&mut self, text: &str, look: Look) {
        for (number, part) in text.split([' ', '\n', '\t']).enumerate() {
            if number > 0 {
                self.open = false;
            }
            if part.is_empty() {
                continue;
            }
            match self.words.last_mut().filter(|_| self.open) {
                Some(word) => word.push((part.to_owned(), look)),
                None => self.words.push(vec![(part.to_owned(), look)]),
            }
            self.open = true;
        }
    }

    /// A blank line between blocks.
    fn between(&mut self) {
        if self.blank && !self.out.is_empty() {
            self.out.push('\n');
        }
        self.blank = false;
    }

    /// Writes the collected words as lines.
    fn flush(&mut self) {
        self.open = false;
        if self.words.is_empty() || self.table.is_some() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        self.between();
        let room = self.width.saturating_sub(self.prefix.iter().map(|p| p.width()).sum()).max(MIN_CELL);
        for line in wrapped(&words, room) {
            self.line(line);
        }
    }

    /// Writes a line behind the prefix.
    fn line(&mut self, words: &[Word]) {
        let last = self.prefix.len().saturating_sub(1);
        for (index, prefix) in self.prefix.iter().enumerate() {
            let marker = if index == last { self.marker.take() } else { None };
            self.out.push_str(marker.as_deref().unwrap_or(prefix));
        }
        let line = self.styled(words);
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn styled(&self, words: &[Word]) -> String {
        let mut out = String::new();
        let mut now = Look::Plain;
        for (number, word) in words.iter().enumerate() {
            for (index, (text, look)) in word.iter().enumerate() {
                let blank = if number > 0 && index == 0 { " " } else { "" };
                if self.coloured && *look != now {
                    out.push_str(if now == Look::Plain { "" } else { "\x1b[0m" });
                    out.push_str(blank);
                    out.push_str(look.start());
                    now = *look;
                } else {
                    out.push_str(blank);
                }
                out.push_str(text);
            }
        }
        out.push_str(if now == Look::Plain { "" } else { "\x1b[0m" });
        out
    }

    /// A block of code, which is not wrapped.
    fn block(&mut self, language: &str, code: &str) {
        self.between();
        self.prefix.push("  ".to_owned());
        let code = code.trim_end();
        if self.coloured && language == "ptx" {
            let mut line: Word = Vec::new();
            for token in tokens(code) {
                for (number, part) in token.text.split('\n').enumerate() {
                    if number > 0 {
                        self.line(&[std::mem::take(&mut line)]);
                    }
                    line.push((part.to_owned(), Look::of(token.kind)));
                }
            }
            self.line(&[line]);
        } else {
            for text in code.lines() {
                self.line(&[vec![(text.to_owned(), Look::Plain)]]);
            }
        }
        self.prefix.pop();
        self.blank = true;
    }

    fn table_rows(&mut self, rows: &Rows) {
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        if count == 0 {
            return;
        }
        self.between();
        let indent: usize = self.prefix.iter().map(|p| p.width()).sum();
        let room = self.width.saturating_sub(indent + GAP * (count - 1));
        let mut widths: Vec<usize> = (0..count)
            .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|cell| length(cell)).max().unwrap_or(0))
            .collect();
        // The widest column gives way first.
        while widths.iter().sum::<usize>() > room {
            let Some(widest) = (0..count).max_by_key(|c| widths[*c]).filter(|c| widths[*c] > MIN_CELL) else { break };
            widths[widest] -= 1;
        }
        for (number, row) in rows.iter().enumerate() {
            let cells: Vec<Vec<&[Word]>> = row.iter().zip(&widths).map(|(cell, width)| wrapped(cell, *width)).collect();
            for index in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let mut line = String::new();
                for (column, cell) in cells.iter().enumerate() {
                    let words = cell.get(index).copied().unwrap_or_default();
                    let words: Vec<Word> =
                        if number == 0 { words.iter().map(strong).collect() } else { words.to_vec() };
                    line.push_str(&self.styled(&words));
                    if column + 1 < cells.len() {
                        line.push_str(&" ".repeat((widths[column] + GAP).saturating_sub(length(&words))));
                    }
                }
                self.out.push_str(&self.prefix.concat());
                self.out.push_str(line.trim_end());
                self.out.push('\n');
            }
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
                self.line(&[vec![(rule.join(&" ".repeat(GAP)), Look::Dim)]]);
            }
        }
        self.blank = true;
    }
}

fn strong(word: &Word) -> Word {
    word.iter().map(|(text, look)| (text.clone(), if *look == Look::Plain { Look::Strong } else { *look })).collect()
}

/// The columns of a line of words.
fn length(words: &[Word]) -> usize {
    words.iter().map(|w| w.iter().map(|(text, _)| text.width()).sum::<usize>()).sum::<usize>()
        + words.len().saturating_sub(1)
}

/// Words as lines of at most so many columns; a longer word has a line of its own.
fn wrapped(words: &[Word], width: usize) -> Vec<&[Word]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in 1..=words.len() {
        if end - start > 1 && length(&words[start..end]) > width {
            lines.push(&words[start..end - 1]);
            start = end - 1;
        }
    }
    if start < words.len() {
        lines.push(&words[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::render;
    use expect_test::expect;

    const TEXT: &str = "# Title\n\nSome `code`, **strong** text that is too long for a line of forty columns.\n\n- one\n- two, which \
                        goes on and on and on and on\n\n```ptx\nadd.f32 d, a, b;\n```\n\n| name | meaning |\n|---|---|\n| `a` | the first \
                        of the operands, read |\n| `bb` | second |\n\n[Manual](https://example.com/#a) and [page](other.md).\n";

    #[test]
    fn text_is_laid_out_to_the_width() {
        expect![[r#"
            Title

            Some `code`, strong text that is too
            long for a line of forty columns.

            • one
            • two, which goes on and on and on and
              on

              add.f32 d, a, b;

            name  meaning
            ────  ───────────────────────────────
            `a`   the first of the operands, read
            `bb`  second

            Manual: https://example.com/#a and page.
        "#]]
        .assert_eq(&render(TEXT, 40, false));
    }

    #[test]
    fn colours_are_closed_on_each_line() {
        let text = render(TEXT, 40, true);
        assert!(
            text.contains("\x1b[1;36mTitle\x1b[0m\n") && text.contains("\x1b[36mcode\x1b[0m, \x1b[1mstrong\x1b[0m"),
            "{text:?}"
        );
        assert!(text.contains("\x1b[1;34madd\x1b[0m"), "{text:?}");
        for line in text.lines().filter(|l| l.contains('\x1b')) {
            assert!(
                line.ends_with("\x1b[0m") || !line[line.rfind('\x1b').unwrap_or(0)..].starts_with("\x1b[1"),
                "{line:?}"
            );
        }
    }
}
