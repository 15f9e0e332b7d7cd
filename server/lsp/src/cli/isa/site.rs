//! The reference as a site: plain pages that need nothing from elsewhere.

use ptx_ide::{Chapter, reference};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::fs;
use std::io;
use std::path::Path;

const STYLE: &str = include_str!("site.css");
const SCRIPT: &str = include_str!("site.js");

/// Writes the pages into a folder, which is made if need be; how many.
///
/// # Errors
/// What the system says.
pub fn write(folder: &Path) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    let chapters = reference();
    fs::write(folder.join("index.html"), index(&chapters))?;
    fs::write(folder.join("style.css"), STYLE)?;
    fs::write(folder.join("search.js"), SCRIPT)?;
    for chapter in &chapters {
        fs::write(folder.join(format!("{}.html", chapter.id)), page(chapter, &chapters))?;
    }
    Ok(chapters.len() + 1)
}

fn index(chapters: &[Chapter]) -> String {
    let mut body = String::from(
        "<h1>PTX reference</h1>\n<p>Made by <code>ptx-analyzer isa --format html</code> from the tables that the \
         language server checks with.</p>\n<p><input id=\"search\" type=\"search\" placeholder=\"Search\" \
         aria-label=\"Search\" autofocus></p>\n",
    );
    for chapter in chapters {
        body.push_str(&format!("<section><h2><a href=\"{}.html\">{}</a></h2>\n<dl>\n", chapter.id, chapter.title));
        for article in &chapter.articles {
            let (anchor, name) = (anchor(&article.name), escape(&article.name));
            let summary = inline(article.summary);
            body.push_str(&format!(
                "<div class=\"item\"><dt><a href=\"{}.html#{anchor}\"><code>{name}</code></a></dt><dd>{summary}</dd></div>\n",
                chapter.id
            ));
        }
        body.push_str("</dl></section>\n");
    }
    body.push_str("<script src=\"search.js\"></script>\n");
    document("PTX reference", &body)
}

fn page(chapter: &Chapter, chapters: &[Chapter]) -> String {
    let mut body = String::from("<nav><a href=\"index.html\">PTX reference</a><ul>\n");
    for other in chapters {
        let here = if other.id == chapter.id { " aria-current=\"page\"" } else { "" };
        body.push_str(&format!("<li><a href=\"{}.html\"{here}>{}</a></li>\n", other.id, other.title));
    }
    body.push_str(&format!("</ul></nav>\n<main><h1>{}</h1>\n", chapter.title));
    let mut seen: Vec<String> = Vec::new();
    for article in &chapter.articles {
        let anchor = anchor(&article.name);
        // An instruction with several entries in a family has one anchor.
        let id = if seen.contains(&anchor) { String::new() } else { format!(" id=\"{anchor}\"") };
        let name = escape(&article.name);
        body.push_str(&format!("<article{id}><h2><a href=\"#{anchor}\"><code>{name}</code></a></h2>\n"));
        body.push_str(&markdown(&article.text));
        body.push_str("</article>\n");
        seen.push(anchor);
    }
    body.push_str("</main>\n");
    document(chapter.title, &body)
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title} – ptx-analyzer</title>\n<link rel=\"stylesheet\" \
         href=\"style.css\">\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// A name as an anchor: what is neither letter nor digit becomes a dash, and case is kept (`.L1::…`).
fn anchor(name: &str) -> String {
    let prefix = match name.chars().next() {
        Some('.') => "dot",
        Some('%') => "reg",
        Some('"') => "pragma",
        _ => "",
    };
    let rest: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    format!("{prefix}{}", rest.trim_end_matches('-'))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Headings of an article lie below its own.
fn markdown(text: &str) -> String {
    use pulldown_cmark::HeadingLevel as H;
    let deeper = |level: H| match level {
        H::H1 => H::H3,
        H::H2 => H::H4,
        H::H3 => H::H5,
        _ => H::H6,
    };
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: deeper(level), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(deeper(level))),
        // The texts hold no HTML: what looks like it is PTX.
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(CowStr::from(text.to_string())),
        other => other,
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

/// One line of Markdown without the paragraph around it.
fn inline(text: &str) -> String {
    let html = markdown(text);
    html.trim().trim_start_matches("<p>").trim_end_matches("</p>").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{anchor, markdown};

    #[test]
    fn names_become_anchors() {
        assert_eq!(anchor("mbarrier.try_wait"), "mbarrier-try_wait");
        assert_eq!(anchor(".L1::no_allocate"), "dot-L1--no_allocate");
        assert_eq!(anchor("%tid"), "reg-tid");
    }

    #[test]
    fn text_that_looks_like_html_stays_text() {
        assert_eq!(markdown("`%r<10>` and %r<b>").trim(), "<p><code>%r&lt;10&gt;</code> and %r&lt;b&gt;</p>");
    }
}
