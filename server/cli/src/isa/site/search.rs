//! The index of the search field. It is a script, because a page opened from a file cannot read other files.

use super::layout::SitePage;
use super::links::{Links, PageKind};

/// The index as a script: names, kinds, paths, summaries and CUDA C++ names, in the order of the pages.
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

/// A summary without Markdown markup.
fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "")
}
