//! The pages that list others: the start page and the first page of each chapter.

use super::layout::SitePage;
use super::links::{Links, PageKind};
use super::text::PageContext;
use super::things::{overview, tables};
use maud::{Markup, html};

/// The start page and the first page of each chapter.
pub fn chapters(pages: &[SitePage], links: &Links) -> Vec<SitePage> {
    let mut out = vec![start(pages, links)];
    for kind in PageKind::ALL {
        let path = format!("{}/index.html", kind.folder());
        let place = PageContext { links, path: &path };
        let body = html! {
            (overview(kind, place))
            (listing(pages.iter().filter(|p| p.kind == kind), place, 2))
            (tables(kind, place))
        };
        let name = kind.title().to_owned();
        out.push(SitePage { kind, name, summary: String::new(), group: String::new(), body, is_code: false, path });
    }
    out
}

fn start(pages: &[SitePage], links: &Links) -> SitePage {
    let path = "index.html".to_owned();
    let place = PageContext { links, path: &path };
    let count = |kind| pages.iter().filter(|p| p.kind == kind).count();
    let body = html! {
        p.lead {
            "The instruction set of NVIDIA PTX as the language server knows it. Press " kbd { "/" } " and type: an opcode, a \
             modifier, a special register, a directive, a type, a target or the code of a diagnostic."
        }
        ul.chapters {
            @for kind in PageKind::ALL {
                li { a href=(place.to(&format!("{}/index.html", kind.folder()))) { (kind.title()) } " " span.dim { (count(kind)) } }
            }
        }
        h2 { "Instructions by family" }
        (listing(pages.iter().filter(|p| p.kind == PageKind::Instruction), place, 3))
    };
    SitePage {
        kind: PageKind::Instruction,
        name: "PTX reference".to_owned(),
        summary: String::new(),
        group: String::new(),
        body,
        is_code: false,
        path,
    }
}

/// Links to pages, by group.
fn listing<'p>(pages: impl Iterator<Item = &'p SitePage>, place: PageContext<'_>, level: u8) -> Markup {
    let mut groups: Vec<(&str, Vec<&SitePage>)> = Vec::new();
    for page in pages {
        match groups.iter_mut().find(|(group, _)| *group == page.group) {
            Some((_, members)) => members.push(page),
            None => groups.push((&page.group, vec![page])),
        }
    }
    groups.sort_by_key(|(group, _)| *group);
    html! {
        @for (group, members) in groups {
            section {
                @if !group.is_empty() {
                    @if level == 2 { h2 { (group) } } @else { h3 { (group) } }
                }
                dl.list {
                    @for page in members {
                        div {
                            dt { a href=(place.to(&page.path)) { @if page.is_code { code { (page.name) } } @else { (page.name) } } }
                            dd { (place.line(&page.summary)) }
                        }
                    }
                }
            }
        }
    }
}
