//! The index that the search field looks in: a script, since a page from a file may read no other file.

use super::layout::SitePage;
use super::links::{Links, PageKind};

/// Names, kinds, paths, summaries and what CUDA C++ calls it, in the order of the pages.
pub fn index(pages: &[SitePage], links: &Links) -> String {
    let kinds: Vec<&str> = PageKind::ALL.into_iter().map(PageKind::one).collect();
    let kind = |page: &SitePage| PageKind::ALL.iter().position(|k| *k == page.kind).unwrap_or(0);
    let rows: Vec<String> = pages
        .iter()
        .map(|page| {
            let cuda: Vec<&str> = links.cuda(&page.path).iter().map(|c| c.name).collect();
            let row = serde_json::json!([page.name, kind(page), page.path, plain(&page.summary), cuda.join(" ")]);
            row.to_string()
        })
        .collect();
    format!("window.PTX_INDEX = {{\"kinds\": {},\n\"rows\": [\n{}\n]}};\n", serde_json::json!(kinds), rows.join(",\n"))
}

/// A summary without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "")
}
