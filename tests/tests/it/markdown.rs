//! Targets of links, files, tests and examples that the documentation names exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Files of other projects and of users, which are not in this repository.
const ELSEWHERE: &[&str] = &[
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".helix/languages.toml",
    ".config/helix/languages.toml",
    "lsp/capabilities.rs",
    "lua/nvim-treesitter/parsers.lua",
];

/// Extensions of the files that the repository contains.
const KEPT: &[&str] = &[
    "el", "isa", "js", "json", "jsonl", "lua", "md", "mjs", "ptx", "py", "rs", "scm", "sh", "svg", "toml", "ts", "txt",
    "yml",
];

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of the repository, relative to its root, without build outputs and installed packages.
pub fn files() -> BTreeSet<String> {
    let (root, mut out) = (root(), BTreeSet::new());
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == ".git" || name == "node_modules" || name.starts_with("target") {
                continue;
            }
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(inside) = path.strip_prefix(&root) {
                out.insert(inside.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    out
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> String {
    let mut out: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::Normal(name) => out.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    out.join("/")
}

struct Book {
    files: BTreeSet<String>,
    wrong: Vec<String>,
    seen: [usize; 3],
}

impl Book {
    fn page(&mut self, page: &str) {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        let folder = Path::new(page).parent().unwrap_or(Path::new("")).to_owned();
        let mut fenced = false;
        for (index, line) in text.lines().enumerate() {
            let at = format!("{page}:{}", index + 1);
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            if fenced {
                self.words(&at, &folder, line);
                continue;
            }
            for part in line.split("](").skip(1) {
                let target = part.split([')', '#', ' ']).next().unwrap_or("");
                if target.is_empty() || target.contains(':') {
                    continue;
                }
                self.seen[0] += 1;
                if !root().join(&folder).join(target).exists() {
                    self.wrong.push(format!("{at}: the link to {target} leads nowhere"));
                }
            }
            for code in line.split('`').skip(1).step_by(2) {
                self.words(&at, &folder, code);
            }
        }
    }

    /// Checks the words of a command or a code fragment.
    fn words(&mut self, at: &str, folder: &Path, code: &str) {
        let words: Vec<&str> = code.split_whitespace().collect();
        for word in &words {
            self.path(at, folder, word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.' && c != '_'));
        }
        let after = |flag: &str| words.iter().position(|w| *w == flag).map(|i| &words[i + 1..]);
        let mut needs: Vec<String> = Vec::new();
        if let Some([example, ..]) = after("--example") {
            needs.push(format!("/examples/{example}.rs"));
        }
        match after("--test") {
            Some(["it", module, ..]) => needs.push(format!("/it/{module}.rs")),
            Some([test, ..]) => needs.push(format!("/tests/{}", if *test == "it" { "it/main.rs" } else { test })),
            _ => {}
        }
        for path in needs.iter().filter(|_| words.contains(&"cargo")) {
            self.seen[2] += 1;
            if !self.files.iter().any(|f| f.contains(path.as_str())) {
                self.wrong.push(format!("{at}: `{code}` names what is not there"));
            }
        }
    }

    /// Checks a word that may be a path: relative to the root or the page's folder, or the end of a path.
    fn path(&mut self, at: &str, folder: &Path, word: &str) {
        let word = word.split(':').next().unwrap_or("");
        let placeholder = |part: &str| {
            let stem = part.split('.').next().unwrap_or("");
            stem.len() > 3 && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_') && stem != "README"
        };
        let kept = word.rsplit_once('.').is_some_and(|(_, ending)| KEPT.contains(&ending));
        let simple = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        let elsewhere = ELSEWHERE.iter().any(|known| word.ends_with(known));
        if !word.contains('/') || !kept || !simple || elsewhere || word.split('/').any(placeholder) {
            return;
        }
        self.seen[1] += 1;
        let ending = format!("/{}", word.trim_start_matches('/'));
        let here = self.files.contains(word)
            || self.files.contains(&plain(&folder.join(word)))
            || self.files.iter().any(|f| f.ends_with(&ending));
        if !here {
            self.wrong.push(format!("{at}: there is no {word}"));
        }
    }
}

#[test]
fn what_pages_name_is_there() {
    let files = files();
    let pages: Vec<String> = files.iter().filter(|f| f.ends_with(".md")).cloned().collect();
    let mut book = Book { files, wrong: Vec::new(), seen: [0; 3] };
    for page in &pages {
        book.page(page);
    }
    assert!(book.wrong.is_empty(), "{}", book.wrong.join("\n"));
    let [links, paths, commands] = book.seen;
    assert!(links > 100 && paths > 60 && commands > 10, "links, paths, commands: {:?}", book.seen);
}
