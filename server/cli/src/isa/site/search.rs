//! The index of the search field. It is a script, because a page opened from a file cannot read another file.

use super::layout::SitePage;
use super::links::{Links, PageKind};
use ptx_ide::{ENDINGS, IndexKind, MIN_STEM, STOP_WORDS};
use std::collections::HashMap;

/// Pages in their order: the name, kind, path and summary of each, its CUDA C++ names, its synonyms and its group. What the search must
/// know of words – those to leave out, and endings – comes from the search of `explain`, whose ranking also weighs how rare a word is.
pub fn index(pages: &[SitePage], links: &Links) -> String {
    let kinds: Vec<&str> = PageKind::ALL.into_iter().map(PageKind::one).collect();
    let kind = |page: &SitePage| PageKind::ALL.iter().position(|k| *k == page.kind).unwrap_or(0);
    let topics = ptx_ide::index().filter(|entry| entry.kind == IndexKind::Concept);
    let synonyms: HashMap<&str, String> = topics.map(|entry| (entry.name, entry.synonyms.join("\n"))).collect();
    let rows: Vec<String> = pages
        .iter()
        .map(|page| {
            let cuda: Vec<&str> = links.cuda(&page.path).iter().map(|c| c.name).collect();
            let own = synonyms.get(page.name.as_str()).filter(|_| page.kind == PageKind::Concept);
            let own = own.map_or("", String::as_str);
            let group = if page.kind == PageKind::Instruction { page.group.as_str() } else { "" };
            let row = serde_json::json!([
                page.name,
                kind(page),
                page.path,
                plain(&page.summary),
                cuda.join("\n"),
                own,
                group
            ]);
            row.to_string()
        })
        .collect();
    format!(
        "window.PTX_INDEX = {{\"kinds\": {},\n\"stop\": {},\n\"endings\": {},\n\"stem\": {MIN_STEM},\n\"rows\": [\n{}\n]}};\n",
        serde_json::json!(kinds),
        serde_json::json!(STOP_WORDS),
        serde_json::json!(ENDINGS),
        rows.join(",\n")
    )
}

/// A summary without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "")
}
