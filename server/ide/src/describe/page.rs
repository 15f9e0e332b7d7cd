//! A text in paragraphs.

use super::MANUAL;

/// Columns after which a line is counted as two.
const COLUMNS: usize = 100;

/// A text in paragraphs.
#[derive(Debug, Default)]
pub struct MarkdownPage {
    pub(super) parts: Vec<String>,
    explained: Option<Explained>,
}

/// A pointer to the whole chapter, at the end of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What is there besides: `11 other forms`.
    pub title: String,
    /// What `explain` is asked.
    pub query: String,
}

impl Explained {
    /// The words for a client that follows no links.
    pub fn words(&self) -> String {
        format!("{}: `ptx-analyzer explain {}`", self.title, self.query)
    }
}

impl MarkdownPage {
    /// A paragraph; nothing if it is empty.
    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.parts.push(text.trim().to_owned());
        }
    }

    /// PTX.
    pub fn code(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(format!("```ptx\n{}\n```", text.trim_end()));
        }
    }

    /// A list, with a title in bold unless that is empty.
    pub fn list<S: AsRef<str>>(&mut self, title: &str, items: impl IntoIterator<Item = S>) {
        let items: Vec<String> = items.into_iter().map(|i| format!("- {}", indented(i.as_ref()))).collect();
        if items.is_empty() {
            return;
        }
        let list = items.join("\n");
        self.parts.push(if title.is_empty() { list } else { format!("**{title}**\n\n{list}") });
    }

    /// A link to the manual.
    pub fn manual(&mut self, title: &str, anchor: &str) {
        if !anchor.is_empty() {
            self.parts.push(format!("[{title} in the PTX manual]({MANUAL}#{anchor})"));
        }
    }

    /// Another page below a line; nothing if it is empty.
    pub fn page(&mut self, other: MarkdownPage) {
        if other.parts.is_empty() {
            return;
        }
        if !self.parts.is_empty() {
            self.parts.push("---".to_owned());
        }
        self.parts.extend(other.parts);
    }

    /// Another page right behind this one.
    pub fn append(&mut self, other: MarkdownPage) {
        self.parts.extend(other.parts);
        self.explained = self.explained.take().or(other.explained);
    }

    /// Where the rest of the chapter is.
    pub fn explained(&self) -> Option<&Explained> {
        self.explained.as_ref()
    }

    /// Whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Leaves out from the end what does not fit into a number of lines; `tail` (a link to the manual) and the pointer to the
    /// chapter are kept. The pointer is on the last line of its own, in the words of [`Explained::words`].
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

    /// Leaves out from the end what does not fit into a number of lines; a link at the end is kept.
    pub fn shorten(&mut self, lines: usize) {
        if self.parts.iter().map(|p| height(p)).sum::<usize>() <= lines {
            return;
        }
        let link = self.parts.pop_if(|p| p.starts_with('[')).into_iter().collect();
        let explained = self.explained.take();
        self.fit(lines, MarkdownPage { parts: link, explained: None }, None);
        self.explained = explained;
    }

    /// The Markdown.
    pub fn finish(self) -> String {
        self.parts.join("\n\n")
    }
}

/// Lines of a text, as they are shown: empty ones take no room, long ones more.
pub fn height(text: &str) -> usize {
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    lines.map(|l| shown(l).div_ceil(COLUMNS).max(1)).sum()
}

/// Characters of a line of Markdown without the addresses of its links.
fn shown(line: &str) -> usize {
    let mut out = 0;
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        out += before.chars().count();
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest.chars().count()
}

/// What fits of a paragraph: lists are cut between items, everything else is there or not.
fn cut(part: String, lines: usize) -> String {
    if height(&part) <= lines {
        return part;
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

/// An item of a list may have several lines.
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
    fn long_lines_are_counted_as_they_wrap() {
        assert_eq!(height(&format!("a\n\n{}", "b".repeat(101))), 3);
        assert_eq!(height(&format!("see [b](https://{}) there", "c".repeat(101))), 1);
    }
}
