//! The common layout of all pages.

use super::links::PageKind;
use super::text::relative;
use maud::{DOCTYPE, Markup, html};

/// A page of the site.
#[derive(Debug)]
pub struct SitePage {
    /// The kind of its subject.
    pub kind: PageKind,
    /// The name of its subject.
    pub name: String,
    /// Its path from the root of the site.
    pub path: String,
    /// A summary of one line, Markdown.
    pub summary: String,
    /// The heading under which the chapter lists it; may be empty.
    pub group: String,
    /// Everything below the heading.
    pub body: Markup,
    /// True if the name is a PTX word, false if it is a title.
    pub is_code: bool,
}

/// The content security policy. The site is self-contained: it loads nothing else, and has no frames or forms. Firefox
/// does not treat other files of the folder as the page's own origin, so the policy names `file:` as well.
const POLICY: &str =
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; base-uri 'none'; form-action 'none'";

/// The whole file.
pub fn document(page: &SitePage) -> String {
    let to = |path: &str| relative(&page.path, path);
    let root = "../".repeat(page.path.matches('/').count());
    let is_start = page.path == "index.html";
    let is_chapter = page.path.ends_with("/index.html");
    let title = if is_start { page.name.clone() } else { format!("{} – PTX reference", page.name) };
    let chapter = format!("{}/index.html", page.kind.folder());
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-root=(root) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href=(to("fragment.css"));
                link rel="stylesheet" href=(to("site.css"));
                script src=(to("theme.js")) {}
                script src=(to("search.js")) defer {}
                script src=(to("site.js")) defer {}
            }
            body {
                a.skip href="#main" { "Skip to the text" }
                header {
                    a.home href=(to("index.html")) { "PTX reference" }
                    div.search role="search" {
                        label.unseen for="search" { "Search" }
                        input #search type="search" role="combobox" aria-autocomplete="list" aria-expanded="false"
                            aria-controls="found" placeholder="Search  /" autocomplete="off" spellcheck="false" autocapitalize="off";
                        ul #found role="listbox" aria-label="Found" hidden {}
                        p.unseen #said role="status" {}
                    }
                    button #theme type="button" hidden { "Theme" }
                }
                div.columns {
                    nav aria-label="Chapters" {
                        ul {
                            @for kind in PageKind::ALL {
                                @let path = format!("{}/index.html", kind.folder());
                                @let here = !is_start && kind == page.kind;
                                li { a href=(to(&path)) aria-current=[here.then_some(if is_chapter { "page" } else { "true" })] { (kind.title()) } }
                            }
                        }
                    }
                    main #main tabindex="-1" {
                        @if !is_start && !is_chapter {
                            p.trail {
                                a href=(to(&chapter)) { (page.kind.title()) }
                                @if !page.group.is_empty() { " › " (page.group) }
                            }
                        }
                        h1 { @if page.is_code { code { (page.name) } } @else { (page.name) } }
                        (page.body)
                    }
                }
                footer {
                    p { "Made by " code { "ptx-analyzer isa --format html" } " " (env!("CARGO_PKG_VERSION"))
                        " from the tables that the language server checks with. PTX is NVIDIA's; its manual decides." }
                }
            }
        }
    };
    markup.into_string() + "\n"
}
