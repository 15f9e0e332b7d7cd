//! Markdown pages.

use ptx_gate::words::{fenced, visible_lines};
use std::borrow::Cow;

/// The manual to which the anchors in the tables belong.
pub const MANUAL: &str = "https://docs.nvidia.com/cuda/parallel-thread-execution/";

/// Maximum number of columns of a line; longer lines count as several.
const COLUMNS: usize = 100;

/// The language of a block of PTX.
const LANGUAGE: &str = "ptx";

/// The line before a block of PTX that has no such fence in it.
const FENCE: &str = "```ptx";

/// The line below a listing of which lines are left out.
const MORE: &str = "// … and more";

/// A Markdown page: a list of paragraphs.
#[derive(Debug, Default)]
pub struct MarkdownPage {
    pub(super) parts: Vec<String>,
    explained: Option<Explained>,
}

/// A link to the complete chapter, at the end of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The additional content of the chapter: `11 other forms`.
    pub title: String,
    /// The query for `explain`.
    pub query: String,
}

impl Explained {
    /// The text for clients that cannot follow such links.
    pub fn words(&self) -> String {
        format!("{}: `ptx-analyzer explain {}`", self.title, self.query)
    }
}

impl MarkdownPage {
    /// Adds a paragraph; an empty one is ignored.
    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.parts.push(text.trim().to_owned());
        }
    }

    /// Adds a block of PTX code.
    pub fn code(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(fenced(LANGUAGE, text));
        }
    }

    /// Adds lines of PTX below a sentence. Where there is no room for all of them, the last ones are left out; the sentence is
    /// never alone.
    pub fn listing(&mut self, introduction: &str, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(format!("{introduction}\n\n{}", fenced(LANGUAGE, text)));
        }
    }

    /// Adds a list. Its title is in bold; an empty title is left out.
    pub fn list<S: AsRef<str>>(&mut self, title: &str, items: impl IntoIterator<Item = S>) {
        let items: Vec<String> = items.into_iter().map(|i| format!("- {}", indented(i.as_ref()))).collect();
        if items.is_empty() {
            return;
        }
        let list = items.join("\n");
        self.parts.push(if title.is_empty() { list } else { format!("**{title}**\n\n{list}") });
    }

    /// Adds a link to the manual.
    pub fn manual(&mut self, title: &str, anchor: &str) {
        if !anchor.is_empty() {
            self.parts.push(format!("[{title} in the PTX manual]({MANUAL}#{anchor})"));
        }
    }

    /// Adds another page below a horizontal line; an empty page is ignored.
    pub fn page(&mut self, other: MarkdownPage) {
        if other.parts.is_empty() {
            return;
        }
        if !self.parts.is_empty() {
            self.parts.push("---".to_owned());
        }
        self.parts.extend(other.parts);
    }

    /// Adds another page without a separator.
    pub fn append(&mut self, other: MarkdownPage) {
        self.parts.extend(other.parts);
        self.explained = self.explained.take().or(other.explained);
    }

    /// The link to the complete chapter.
    pub fn explained(&self) -> Option<&Explained> {
        self.explained.as_ref()
    }

    /// Whether the page is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Cuts the page to a number of lines, but keeps `tail` (a link to the manual) and the link to the chapter. The latter
    /// is on the last line, as the text of [`Explained::words`].
    pub fn fit(&mut self, lines: usize, tail: MarkdownPage, explained: Option<Explained>) {
        let end: Vec<String> = explained.iter().map(Explained::words).chain(tail.parts).collect();
        let end = if end.is_empty() { Vec::new() } else { vec![end.join(" · ")] };
        let mut left = lines.saturating_sub(end.iter().map(|p| height(p)).sum());
        let mut kept = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            let part = cut(part, left);
            left -= height(&part).min(left);
            if !part.is_empty() {
                kept.push(part);
            }
        }
        kept.extend(end);
        self.parts = kept;
        self.explained = explained;
    }

    /// Cuts the page to a number of lines, but keeps a link at its end.
    pub fn shorten(&mut self, lines: usize) {
        if self.parts.iter().map(|p| height(p)).sum::<usize>() <= lines {
            return;
        }
        let link = self.parts.pop_if(|p| p.starts_with('[')).into_iter().collect();
        let explained = self.explained.take();
        self.fit(lines, MarkdownPage { parts: link, explained: None }, None);
        self.explained = explained;
    }

    /// The page as Markdown, without unsafe characters of the text that it is about.
    pub fn finish(self) -> String {
        let page = self.parts.join("\n\n");
        match visible_lines(&page) {
            Cow::Borrowed(_) => page,
            Cow::Owned(shown) => shown,
        }
    }
}

/// Number of displayed lines of a text: empty lines do not count, and long lines count as several.
pub fn height(text: &str) -> usize {
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    lines.map(|l| shown(l).div_ceil(COLUMNS).max(1)).sum()
}

/// Number of characters of a Markdown line without the addresses of its links.
fn shown(line: &str) -> usize {
    let mut out = 0;
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        out += before.chars().count();
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest.chars().count()
}

/// The part of a paragraph that fits into a number of lines. A list is cut between items and a listing between lines; any
/// other paragraph is kept or dropped as a whole.
fn cut(part: String, lines: usize) -> String {
    if height(&part) <= lines {
        return part;
    }
    if let Some((introduction, code)) = part.split_once(&format!("\n\n{FENCE}\n")) {
        return cut_listing(introduction, code, lines);
    }
    let mut kept: Vec<&str> = part.lines().collect();
    if !kept.iter().any(|l| l.starts_with("- ")) || part.contains("```") {
        return String::new();
    }
    let mut left_out = 0;
    while let Some(last) = kept.last() {
        let more = usize::from(left_out > 0);
        if last.starts_with("- ") && left_out > 0 && kept.iter().map(|l| height(l)).sum::<usize>() + more <= lines {
            break;
        }
        left_out += usize::from(last.starts_with("- "));
        kept.pop();
    }
    match kept.iter().any(|l| l.starts_with("- ")) {
        true => format!("{}\n- … and {left_out} more", kept.join("\n")),
        false => String::new(),
    }
}

fn cut_listing(introduction: &str, code: &str, lines: usize) -> String {
    let mut kept: Vec<&str> = code.lines().collect();
    while kept.pop().is_some() && !kept.is_empty() {
        let shorter = format!("{introduction}\n\n{FENCE}\n{}\n{MORE}\n```", kept.join("\n"));
        if height(&shorter) <= lines {
            return shorter;
        }
    }
    String::new()
}

/// Indents the further lines of a list item.
fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end() {
        let mut page = MarkdownPage::default();
        page.text("One.");
        page.list("", ["a", "b", "c", "d"]);
        page.text("Two.");
        let mut tail = MarkdownPage::default();
        tail.manual("`add`", "x");
        let explained = Explained { title: "3 other forms".to_owned(), query: "add".to_owned() };
        page.fit(5, tail, Some(explained.clone()));
        let text = page.finish();
        assert!(
            text.starts_with(
                "One.\n\n- a\n- b\n- … and 2 more\n\n3 other forms: `ptx-analyzer explain add` · [`add` in"
            ),
            "{text}"
        );
        assert!(height(&text) <= 5 && text.contains(&explained.words()), "{text}");
    }

    #[test]
    fn a_listing_loses_its_last_lines_and_never_its_sentence_alone() {
        let shortened = |lines| {
            let mut page = MarkdownPage::default();
            page.listing("Live there:", "add.s32 %a, %b, %c;\nmov.b32 %d, 1;\nmov.b32 %e, 1;\n// … and 7 more");
            page.fit(lines, MarkdownPage::default(), None);
            page.finish()
        };
        assert!(shortened(7).ends_with("\nmov.b32 %e, 1;\n// … and 7 more\n```"), "{}", shortened(7));
        assert_eq!(shortened(6), "Live there:\n\n```ptx\nadd.s32 %a, %b, %c;\nmov.b32 %d, 1;\n// … and more\n```");
        assert_eq!(shortened(5), "Live there:\n\n```ptx\nadd.s32 %a, %b, %c;\n// … and more\n```");
        assert_eq!(shortened(4), "");
    }

    #[test]
    fn long_lines_are_counted_as_they_wrap() {
        assert_eq!(height(&format!("a\n\n{}", "b".repeat(101))), 3);
        assert_eq!(height(&format!("see [b](https://{}) there", "c".repeat(101))), 1);
    }
}
