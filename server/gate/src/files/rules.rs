//! The rules of a repository about files that are not part of it: `.gitignore`, `.git/info/exclude`, and `.ignore`.
//!
//! The library `ignore` matches them. It would also read them, but waits for a pipe of that name, and follows links to anywhere.

use super::folder::{BoundedFolder, has_name, repository};
use super::read;
use crate::names::PathRules;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use std::path::{Path, PathBuf};

/// Maximum size of a file with rules in bytes. Longer ones have no effect.
const MAX_RULES: u64 = 1 << 20;

/// The rules of one folder.
#[derive(Debug)]
struct FolderRules {
    /// `.ignore`
    plain: Gitignore,
    /// `.gitignore`
    git: Gitignore,
    /// `.git/info/exclude`
    exclude: Gitignore,
    is_repository: bool,
}

/// The rules that apply in a folder: its own, and those of the folders around it up to the root of the repository.
#[derive(Debug)]
pub struct IgnoreRules {
    /// The repository, or the folder that is searched.
    bounds: BoundedFolder,
    /// The folder that is searched, without links.
    folder: PathBuf,
    /// From the outermost folder to the innermost.
    levels: Vec<FolderRules>,
    /// How many of the levels belong to the folder that is searched and those around it.
    base: usize,
    /// The rules that the user has set for all repositories.
    global: Gitignore,
}

impl IgnoreRules {
    /// Reads the rules of a folder that is to be searched.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn new(folder: &BoundedFolder) -> std::io::Result<Self> {
        let folder = folder.real();
        let root = repository(folder).unwrap_or(folder);
        let bounds = BoundedFolder::new(root)?;
        let mut around: Vec<&Path> = folder.ancestors().take_while(|around| around.starts_with(root)).collect();
        around.reverse();
        let levels: Vec<FolderRules> = around.into_iter().map(|around| rules_of(&bounds, around)).collect();
        let global = gitconfig_excludes_path().and_then(|path| read(&path, MAX_RULES).ok());
        let global = global.map_or_else(Gitignore::empty, |text| parse(root, &text));
        Ok(Self { base: levels.len(), folder: folder.to_owned(), bounds, levels, global })
    }

    /// Whether the rules exclude a file or folder (`Some(true)`) or ask for it (`Some(false)`). `path` is relative to the folder that is
    /// searched. Files are to be passed in the order of a search: those of a folder after the folder itself.
    pub fn decide(&mut self, path: &Path, is_folder: bool) -> Option<bool> {
        let mut inside = path.parent().map_or(0, |parent| parent.components().count());
        self.levels.truncate(self.base + inside);
        inside -= self.levels.len() - self.base;
        let missing: Vec<PathBuf> =
            path.ancestors().skip(1).take(inside).map(|around| self.folder.join(around)).collect();
        for around in missing.iter().rev() {
            self.levels.push(rules_of(&self.bounds, around));
        }
        self.matched(&self.folder.join(path), is_folder)
    }

    fn matched(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let mut found: [Option<bool>; 3] = [None; 3];
        let mut in_repository = self.levels.iter().any(|level| level.is_repository);
        let is_in_some = in_repository;
        for level in self.levels.iter().rev() {
            found[0] = found[0].or_else(|| decision(&level.plain, path, is_folder));
            if in_repository {
                found[1] = found[1].or_else(|| decision(&level.git, path, is_folder));
                found[2] = found[2].or_else(|| decision(&level.exclude, path, is_folder));
            }
            // The rules around a repository are those of another one.
            in_repository &= !level.is_repository;
        }
        let global = || is_in_some.then(|| decision(&self.global, path, is_folder)).flatten();
        found.into_iter().flatten().next().or_else(global)
    }
}

fn decision(rules: &Gitignore, path: &Path, is_folder: bool) -> Option<bool> {
    match rules.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Reads the rules of a folder, which has no links in its path.
fn rules_of(bounds: &BoundedFolder, folder: &Path) -> FolderRules {
    let file = |name: &str| {
        let path = folder.join(name);
        // Most folders have none.
        let text = has_name(&path).then(|| bounds.read(&path, MAX_RULES).ok()).flatten();
        text.map_or_else(Gitignore::empty, |text| parse(folder, &text))
    };
    let is_repository = has_name(&folder.join(".git"));
    let exclude = if is_repository { file(".git/info/exclude") } else { Gitignore::empty() };
    FolderRules { plain: file(".ignore"), git: file(".gitignore"), exclude, is_repository }
}

/// Parses rules about files in a folder. Lines that are not valid have no effect.
fn parse(folder: &Path, text: &[u8]) -> Gitignore {
    let text = String::from_utf8_lossy(text);
    let mut builder = GitignoreBuilder::new(folder);
    // As git does by default. The library returns no error for this.
    let _ = builder.case_insensitive(PathRules::HERE.ignores_case());
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
