//! The names of files. One file has many: `file:///c%3A/a%20b.ptx`, `file:///C:/a%20b.ptx`, `C:\a b.ptx`, `\\?\C:\A b.PTX`.
//!
//! Whatever compares files compares [`FileName`]s. The rules are functions of the text and of a [`PathRules`], so the tests of each
//! system's rules run on every system. No name is looked up: a name may be one of another computer.

mod rules;
#[cfg(test)]
mod tests;
mod uri;

pub use rules::PathRules;
pub use uri::{UriForm, relative_uri};

use rules::Names;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A name that a client, a user or a search gave to a file or folder.
///
/// Two names are equal if they mean the same file by the rules of this system: drive letters, percent signs, separators, `.` and `..`, the
/// verbatim form of Windows, and upper and lower case where file systems ignore it. Links, short names (`PROGRA~1`) and drives that stand
/// for folders are not followed. The name itself stays as it was written.
#[derive(Clone)]
pub struct FileName {
    written: Written,
    key: Arc<[u8]>,
}

#[derive(Clone)]
enum Written {
    Uri(Arc<str>),
    Path(Arc<Path>),
}

impl FileName {
    /// The name that a URI is. URIs of other schemes than `file` name no path, and are compared as URIs.
    pub fn of_uri(uri: &str) -> Self {
        Self { key: uri_key(uri, PathRules::HERE).into(), written: Written::Uri(uri.into()) }
    }

    /// The name that a path is. A relative path equals only itself.
    pub fn of_path(path: &Path) -> Self {
        let text = path.as_os_str().as_encoded_bytes();
        Self { key: Names::of(text, PathRules::HERE).key().into(), written: Written::Path(path.into()) }
    }

    /// The name of a file below this folder, in the way in which the folder was written.
    #[must_use]
    pub fn below(&self, inside: &Path) -> Self {
        match &self.written {
            Written::Uri(folder) if !folder.contains(['?', '#']) && uri::is_standard(folder) => {
                // The root has no name before its slash.
                let separator = if folder.ends_with('/') { "" } else { "/" };
                Self::of_uri(&format!("{folder}{separator}{}", uri::encoded_names(inside)))
            }
            Written::Uri(_) => self.path().map_or_else(|| self.clone(), |folder| Self::of_path(&folder.join(inside))),
            Written::Path(folder) => Self::of_path(&folder.join(inside)),
        }
    }

    /// The absolute path, without percent signs; `None` for URIs of other schemes than `file`, and for URIs that name a file of another
    /// computer in a way that this system does not have.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.written {
            Written::Path(path) => path.is_absolute().then(|| path.to_path_buf()),
            Written::Uri(uri) => {
                let text = uri::path_text(uri, PathRules::HERE)?;
                let is_absolute = Names::of(&text, PathRules::HERE).is_absolute();
                let path = native(text).filter(|_| is_absolute)?;
                // `//host/…` may be another computer's file: what asks whether it is has to see both slashes.
                let is_doubled = path.as_encoded_bytes().starts_with(b"//");
                // A URI has no `..` (RFC 3986, 5.2.4), so no link stands before one.
                Some(if is_doubled { PathBuf::from(path) } else { without_dots(Path::new(&path)) })
            }
        }
    }

    /// The URI: the very one that the client wrote, or one for a path, in the form that the client uses. `None` for a relative path.
    pub fn uri(&self, form: UriForm) -> Option<Cow<'_, str>> {
        match &self.written {
            Written::Uri(uri) => Some(Cow::Borrowed(uri)),
            Written::Path(path) => {
                uri::of_path(path.as_os_str().as_encoded_bytes(), PathRules::HERE, form).map(Cow::Owned)
            }
        }
    }

    /// Whether this is a folder or file, or something in it.
    pub fn is_in(&self, folder: &Self) -> bool {
        self.key.strip_prefix(&*folder.key).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// The number of names between the root and the file, itself included. Of two folders around a file the inner one has more.
    pub fn depth(&self) -> usize {
        self.key.iter().filter(|byte| **byte == b'/').count()
    }
}

impl PartialEq for FileName {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for FileName {}

impl Hash for FileName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl Ord for FileName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for FileName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Written::Uri(uri) => f.write_str(uri),
            Written::Path(path) => path.fmt(f),
        }
    }
}

/// What a URI is compared by.
fn uri_key(uri: &str, rules: PathRules) -> Vec<u8> {
    match uri::path_text(uri, rules) {
        Some(text) => Names::of(&text, rules).key(),
        None => uri::normalized(uri).into_bytes(),
    }
}

/// The part of a path below a folder, which is not looked at beyond their texts: `..` stays, since a link may stand before it.
pub fn strip<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let names = |path: &Path| Names::of(path.as_os_str().as_encoded_bytes(), PathRules::HERE).into_owned();
    let (inside, around) = (names(path), names(folder));
    if !inside.begins_with(&around) {
        return None;
    }
    let mut components = path.components();
    while matches!(components.clone().next(), Some(Component::Prefix(_) | Component::RootDir | Component::CurDir)) {
        components.next();
    }
    // As many names as the folder has.
    for _ in 0..around.len() {
        components.next();
    }
    Some(components.as_path())
}

/// A path without `.` and `..`, by its text alone.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = out.pop(),
            component => out.push(component),
        }
    }
    out
}

/// A path as users write it. The system returns verbatim ones on Windows: `\\?\C:\a` is `C:\a`. Where only the verbatim form names the
/// file, it stays.
pub fn plain(path: PathBuf) -> PathBuf {
    if !cfg!(windows) {
        return path;
    }
    let text = rules::plain(path.as_os_str().as_encoded_bytes());
    text.and_then(native).map_or(path, PathBuf::from)
}

/// The bytes of a path as a path of this system.
fn native(text: Vec<u8>) -> Option<std::ffi::OsString> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        Some(std::ffi::OsString::from_vec(text))
    }
    #[cfg(not(unix))]
    String::from_utf8(text).ok().map(Into::into)
}

/// Whether two names of files in one folder mean the same file.
pub fn is_same_name(a: &OsStr, b: &OsStr) -> bool {
    let folded = |name: &OsStr| PathRules::HERE.folded(name.as_encoded_bytes()).into_owned();
    folded(a) == folded(b)
}
