//! The reference as a site of static pages, which need no server and no external files.
//!
//! This module contains only the presentation; the content comes from [`ptx_ide::reference`].

mod chapters;
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

/// Files that accompany the pages.
const FILES: &[(&str, &str)] = &[
    ("site.css", include_str!("site/site.css")),
    ("site.js", include_str!("site/site.js")),
    ("search.js", include_str!("site/search.js")),
    ("theme.js", include_str!("site/theme.js")),
];

/// The size of the written site.
#[derive(Debug, Clone, Copy)]
pub struct SiteSize {
    /// Number of pages.
    pub pages: usize,
    /// Total size in bytes.
    pub bytes: usize,
}

/// Writes the site into a folder, and creates the folder if necessary.
///
/// # Errors The error of the file system.
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

/// All files by name. The same tables always give the same files.
fn files() -> BTreeMap<String, String> {
    let links = Links::new();
    let mut pages: Vec<SitePage> = Vec::new();
    pages.extend(instructions::pages(&links));
    pages.extend(things::pages(&links));
    pages.extend(kernels::pages(&links));
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    out.insert("search-index.js".to_owned(), search::index(&pages, &links));
    for chapter in chapters::chapters(&pages, &links) {
        out.insert(chapter.path.clone(), layout::document(&chapter));
    }
    for page in &pages {
        out.insert(page.path.clone(), layout::document(page));
    }
    out.insert("fragment.css".to_owned(), ptx_ide::FRAGMENT_CSS.to_owned());
    out.extend(FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    out
}
