//! The reference as a site: pages that need nothing from elsewhere, and no server either.
//!
//! Here is only how things look; what is said comes from [`ptx_ide::reference`].

mod forms;
mod instructions;
mod kernels;
mod layout;
mod links;
mod matrix;
mod search;
mod text;
mod things;

use layout::SitePage;
use links::Links;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Files that stand beside the pages.
const FILES: &[(&str, &str)] = &[
    ("site.css", include_str!("site/site.css")),
    ("site.js", include_str!("site/site.js")),
    ("theme.js", include_str!("site/theme.js")),
];

/// The size of the written site.
#[derive(Debug, Clone, Copy)]
pub struct SiteSize {
    /// How many pages.
    pub pages: usize,
    /// How many bytes in all.
    pub bytes: usize,
}

/// Writes the site into a folder, which is made if need be.
///
/// # Errors
/// What the system says.
pub fn write(folder: &Path) -> io::Result<SiteSize> {
    let files = files();
    for (name, text) in &files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let pages = files.keys().filter(|name| name.ends_with(".html")).count();
    Ok(SiteSize { pages, bytes: files.values().map(String::len).sum() })
}

/// All files by name; the same whenever the tables are the same.
fn files() -> BTreeMap<String, String> {
    let links = Links::new();
    let mut pages: Vec<SitePage> = Vec::new();
    pages.extend(instructions::pages(&links));
    pages.extend(things::pages(&links));
    pages.extend(kernels::pages(&links));
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    out.insert("search-index.js".to_owned(), search::index(&pages, &links));
    for chapter in layout::chapters(&pages, &links) {
        out.insert(chapter.path.clone(), layout::document(&chapter));
    }
    for page in &pages {
        out.insert(page.path.clone(), layout::document(page));
    }
    out.insert("fragment.css".to_owned(), ptx_ide::FRAGMENT_CSS.to_owned());
    out.extend(FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    out
}
