//! Follows paths name by name and link by link, so that nothing beyond a border is touched.

use super::ReadFailure;
use super::local::is_local;
use crate::names::{plain, strip};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Maximum number of links on the way to a file.
const MAX_LINKS: usize = 40;

/// The reason why a file of a folder is not read.
#[derive(Debug)]
pub enum FileRefusal {
    /// The path or a link on the way leads out of the folder. Nothing outside was looked at, so this does not depend on what is there.
    Outside,
    /// The file cannot be read.
    Unreadable(ReadFailure),
}

impl From<io::Error> for FileRefusal {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.into())
    }
}

impl fmt::Display for FileRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("it leads out of the folder"),
            Self::Unreadable(failure) => failure.fmt(f),
        }
    }
}

/// A folder that a walk does not leave.
#[derive(Debug, Clone)]
pub struct WalkBounds {
    /// Its path without links.
    pub real: PathBuf,
    /// The absolute path that it was selected by, which may have links.
    pub name: PathBuf,
}

impl WalkBounds {
    /// The part of an absolute path below the folder, by either of its names in any spelling; `None` for other paths.
    pub fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        strip(path, &self.real).or_else(|| strip(path, &self.name))
    }
}

/// The absolute path without links, in the form in which users write it ([`plain`]). Unlike with [`std::fs::canonicalize`], nothing of another
/// computer is touched: neither the path nor a link on the way may lead there.
///
/// # Errors
/// If there is no such file, or it is on another computer.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    if !is_local(path) {
        return Err(io::Error::other("it is a path on another computer"));
    }
    Walk::anywhere(&std::path::absolute(plain(path.to_owned()))?)
}

/// One step of a path.
enum Step {
    /// The root of the file system, or a drive.
    Anchor(OsString),
    Up,
    Down(OsString),
}

fn steps(path: &Path) -> impl DoubleEndedIterator<Item = Step> {
    path.components().filter_map(|component| match component {
        Component::Prefix(_) | Component::RootDir => Some(Step::Anchor(component.as_os_str().to_owned())),
        Component::CurDir => None,
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(name.to_owned())),
    })
}

/// A walk along a path, one name after the other.
pub struct Walk<'a> {
    /// The place that is reached, without links.
    real: PathBuf,
    /// The folder that it must not leave.
    bounds: Option<&'a WalkBounds>,
    left: VecDeque<Step>,
    links: usize,
}

impl Walk<'_> {
    /// The end of an absolute path, anywhere on this computer.
    ///
    /// # Errors
    /// If there is nothing, or it is on another computer.
    pub fn anywhere(path: &Path) -> io::Result<PathBuf> {
        let mut walk = Walk { real: PathBuf::new(), bounds: None, left: steps(path).collect(), links: 0 };
        loop {
            match walk.step() {
                Ok(true) => {}
                Ok(false) => return Ok(walk.real),
                Err(FileRefusal::Outside) => {
                    return Err(io::Error::other("a link on the way leads to another computer"));
                }
                Err(FileRefusal::Unreadable(ReadFailure::Io(error))) => return Err(error),
                Err(FileRefusal::Unreadable(failure)) => return Err(io::Error::other(failure.to_string())),
            }
        }
    }

    /// The end of a path inside of a folder.
    ///
    /// # Errors
    /// If it leads out of the folder or does not exist.
    pub fn inside(bounds: &WalkBounds, path: &Path) -> Result<PathBuf, FileRefusal> {
        let mut walk = Walk { real: bounds.real.clone(), bounds: Some(bounds), left: steps(path).collect(), links: 0 };
        while walk.step()? {}
        Ok(walk.real)
    }

    /// Takes the next step; `false` at the end.
    #[expect(clippy::disallowed_methods, reason = "asks about the name itself, and follows no link")]
    fn step(&mut self) -> Result<bool, FileRefusal> {
        let Some(step) = self.left.pop_front() else { return Ok(false) };
        match step {
            // Nothing inside of a folder begins at a root.
            Step::Anchor(_) if self.bounds.is_some() => return Err(FileRefusal::Outside),
            Step::Anchor(name) => self.real.push(name),
            Step::Up => {
                if self.bounds.is_some_and(|bounds| self.real == bounds.real) {
                    return Err(FileRefusal::Outside);
                }
                self.real.pop();
            }
            Step::Down(name) => {
                let next = self.real.join(name);
                if std::fs::symlink_metadata(&next)?.is_symlink() {
                    self.turn(&plain(std::fs::read_link(&next)?))?;
                } else {
                    self.real = next;
                }
            }
        }
        Ok(true)
    }

    /// Goes on at the target of a link.
    fn turn(&mut self, target: &Path) -> Result<(), FileRefusal> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(io::Error::other("too many links lead to it").into());
        }
        if !is_local(target) {
            return Err(FileRefusal::Outside);
        }
        let target = match self.bounds {
            Some(bounds) if target.has_root() => {
                self.real.clone_from(&bounds.real);
                bounds.strip(target).ok_or(FileRefusal::Outside)?
            }
            _ => target,
        };
        for step in steps(target).rev() {
            self.left.push_front(step);
        }
        Ok(())
    }
}
