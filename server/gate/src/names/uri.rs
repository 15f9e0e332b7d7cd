//! URIs of files, and the paths that they name.

use super::rules::{Names, PathRules, backslashes};
use fluent_uri::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use std::borrow::Cow;
use std::path::{Component, Path};
use typed_path::{WindowsComponent, WindowsPath, WindowsPrefix};

/// What is not written with a percent sign: the characters that no client escapes, as VS Code does.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How a client writes the drive of a URI. VS Code writes `file:///c%3A/a`, most others `file:///C:/a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UriForm {
    /// The letter is a small one.
    is_lower: bool,
    /// The colon is escaped.
    is_escaped: bool,
}

impl UriForm {
    /// The form of a URI; `None` if it names no drive.
    pub fn of(uri: &str) -> Option<Self> {
        let (scheme, rest) = uri.split_once(':')?;
        let rest = rest.trim_start_matches('/');
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let colon = &rest[1..];
        let is_escaped = colon.get(..3).is_some_and(|text| text.eq_ignore_ascii_case("%3a"));
        let is_drive = scheme.eq_ignore_ascii_case("file") && (is_escaped || colon.starts_with(':'));
        is_drive.then_some(Self { is_lower: letter.is_ascii_lowercase(), is_escaped })
    }
}

/// The text of the path that a `file:` URI names; `None` for other URIs. Clients write more than the standard allows.
pub(super) fn path_text(uri: &str, rules: PathRules) -> Option<Vec<u8>> {
    let (scheme, rest) = uri.split_once(':')?;
    let is_windows = rules == PathRules::Windows;
    if is_windows && scheme.len() == 1 && rest.starts_with(['/', '\\']) {
        // A path where a URI is expected.
        return Some(backslashes(uri.as_bytes()));
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let is_slash = |c: char| c == '/' || (is_windows && c == '\\');
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(is_slash).unwrap_or(rest.len())),
        None => ("", rest),
    };
    let host = decoded(host)?;
    let path = decoded(path)?;
    if !is_windows {
        return (is_here(&host) && path.first() == Some(&b'/')).then(|| path.into_owned());
    }
    let path = backslashes(&path);
    // `file://C:/a`
    if is_drive(&host) && host.len() == 2 {
        return Some(with_drive([&*host, &path].concat()));
    }
    if is_here(&host) {
        let path = match path.strip_prefix(b"\\") {
            Some(rest) if is_drive(rest) => rest.to_vec(),
            _ => path,
        };
        return (!path.is_empty()).then(|| with_drive(path));
    }
    is_host(&host).then(|| [br"\\", &*host, &path].concat())
}

/// Whether this is a URI, and not a path where one is expected. In a path percent signs are letters.
pub(super) fn is_standard(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| scheme.len() > 1)
}

/// Whether the host of a URI is this computer.
fn is_here(host: &[u8]) -> bool {
    host.is_empty() || host.eq_ignore_ascii_case(b"localhost")
}

/// Whether a share may be on a computer of this name.
fn is_host(name: &[u8]) -> bool {
    !name.iter().any(|byte| matches!(byte, b'/' | b'\\' | b':' | b'@' | b'|'))
        && !matches!(name, b"" | b"." | b".." | b"?")
}

/// Percent signs are resolved. No path has a NUL.
fn decoded(text: &str) -> Option<Cow<'_, [u8]>> {
    let bytes: Cow<'_, [u8]> = percent_decode(text.as_bytes()).into();
    (!bytes.contains(&0)).then_some(bytes)
}

/// Whether a path begins with a drive. Old URIs have `|` for the colon.
fn is_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':' | b'|', rest @ ..] if letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'\\')))
}

/// A path whose drive is written as Windows does.
fn with_drive(mut path: Vec<u8>) -> Vec<u8> {
    if is_drive(&path) {
        path[0].make_ascii_uppercase();
        path[1] = b':';
        if path.len() == 2 {
            path.push(b'\\');
        }
    }
    path
}

/// A URI that names no path, as it is compared: by the standard (RFC 3986, 6.2.2) case and percent signs do not always count.
pub(super) fn normalized(uri: &str) -> String {
    let parsed = Uri::parse(uri).map(|uri| uri.normalize().into_string());
    let mut out = parsed.unwrap_or_else(|_| uri.to_owned());
    // Of a folder, which may be written with a slash at its end.
    while out.ends_with('/') {
        out.pop();
    }
    out
}

/// The URI of an absolute path; `None` for another one.
pub(super) fn of_path(path: &[u8], rules: PathRules, form: UriForm) -> Option<String> {
    if !Names::of(path, rules).is_absolute() {
        return None;
    }
    let mut out = "file://".to_owned();
    if rules != PathRules::Windows {
        let mut path = path;
        // Two slashes would begin a host.
        while path.starts_with(b"//") {
            path = &path[1..];
        }
        add_names(&mut out, path.split(|byte| *byte == b'/').skip(1));
        return Some(out);
    }
    let text = backslashes(path);
    let mut is_drive = false;
    for component in WindowsPath::new(&text).components() {
        match component {
            WindowsComponent::Prefix(prefix) => match prefix.kind() {
                WindowsPrefix::Disk(letter) | WindowsPrefix::VerbatimDisk(letter) => {
                    is_drive = true;
                    let letter = if form.is_lower { letter.to_ascii_lowercase() } else { letter };
                    out.push('/');
                    out.push(char::from(letter));
                    out.push_str(if form.is_escaped { "%3A" } else { ":" });
                }
                WindowsPrefix::UNC(b"", _) | WindowsPrefix::VerbatimUNC(b"", _) => return None,
                WindowsPrefix::UNC(server, share) | WindowsPrefix::VerbatimUNC(server, share) => {
                    // What is not a name of a computer stands in the path, as does the name that means this one.
                    if !is_host(server) || is_here(server) {
                        out.push_str("//");
                    }
                    out.extend(percent_encode(server, ESCAPED));
                    add_names(&mut out, std::iter::once(share));
                }
                WindowsPrefix::DeviceNS(_) | WindowsPrefix::Verbatim(_) => return None,
            },
            WindowsComponent::RootDir | WindowsComponent::CurDir => {}
            WindowsComponent::ParentDir => add_names(&mut out, std::iter::once(b"..".as_slice())),
            WindowsComponent::Normal(name) => add_names(&mut out, std::iter::once(name)),
        }
    }
    // A drive alone is not its root.
    if is_drive && Names::of(path, rules).len() == 0 {
        out.push('/');
    }
    Some(out)
}

fn add_names<'n>(out: &mut String, names: impl Iterator<Item = &'n [u8]>) {
    for name in names {
        out.push('/');
        out.extend(percent_encode(name, ESCAPED));
    }
}

/// The names of a relative path, as a URI has them.
pub(super) fn encoded_names(path: &Path) -> String {
    let mut out = String::new();
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.as_encoded_bytes()),
        Component::ParentDir => Some(b"..".as_slice()),
        _ => None,
    });
    add_names(&mut out, names);
    out.get(1..).unwrap_or_default().to_owned()
}

/// A path as a URI reference: a relative path stays relative to whatever the document is relative to.
pub fn relative_uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    of_path(bytes, PathRules::HERE, UriForm::default()).unwrap_or_else(|| relative(bytes, PathRules::HERE))
}

pub(super) fn relative(path: &[u8], rules: PathRules) -> String {
    let text = if rules == PathRules::Windows { Cow::Owned(backslashes(path)) } else { Cow::Borrowed(path) };
    let is_separator = |byte: &u8| *byte == b'/' || (rules == PathRules::Windows && *byte == b'\\');
    let names: Vec<String> = text.split(is_separator).map(|name| percent_encode(name, ESCAPED).to_string()).collect();
    names.join("/")
}
