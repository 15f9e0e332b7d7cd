//! How systems compare paths.

use std::borrow::Cow;
use typed_path::{WindowsComponent, WindowsPath, WindowsPrefix};
use unicode_normalization::UnicodeNormalization;

/// The rules by which a system compares the names of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRules {
    /// Each byte counts.
    Unix,
    /// As its file systems are made by default: case and the composition of characters do not count.
    MacOs,
    /// `/` is `\`, case does not count, and there are drives, shares and verbatim paths.
    Windows,
}

impl PathRules {
    /// The rules of the system that this program runs on.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Unix
    };

    /// Whether upper and lower case are the same.
    pub const fn ignores_case(self) -> bool {
        !matches!(self, Self::Unix)
    }

    /// A name in the form by which it is compared.
    pub(super) fn folded(self, name: &[u8]) -> Cow<'_, [u8]> {
        if !self.ignores_case() {
            return Cow::Borrowed(name);
        }
        if name.is_ascii() {
            return Cow::Owned(name.to_ascii_lowercase());
        }
        let mut out = Vec::with_capacity(name.len());
        let mut add = |c: char| out.extend_from_slice(self.lower(c).encode_utf8(&mut [0; 4]).as_bytes());
        for chunk in name.utf8_chunks() {
            match self {
                Self::MacOs => chunk.valid().nfd().for_each(&mut add),
                _ => chunk.valid().chars().for_each(&mut add),
            }
            // Half of a surrogate pair.
            chunk.invalid().iter().for_each(|byte| add(char::from(*byte)));
        }
        Cow::Owned(out)
    }

    /// The small letter, if it belongs to this capital alone: file systems have a table of single characters, in which `ı` is not `I`, `ſ`
    /// is not `S` and `ß` is not `SS`. That of Windows ends at U+FFFF.
    fn lower(self, c: char) -> char {
        if self == Self::Windows && c > '\u{ffff}' {
            return c;
        }
        let single = |mut found: Box<dyn Iterator<Item = char>>| found.next().filter(|_| found.next().is_none());
        match single(Box::new(c.to_lowercase())) {
            Some(small) if small != c && single(Box::new(small.to_uppercase())) == Some(c) => small,
            _ => c,
        }
    }
}

/// The parts of a path, each as it is compared. `..` stays.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names<'a> {
    /// Where the path starts: nothing for the root, `.` for the current folder, `c:` for a drive, `//server/share`.
    anchor: Vec<u8>,
    names: Vec<Cow<'a, [u8]>>,
    is_absolute: bool,
}

impl<'a> Names<'a> {
    /// Reads a path.
    pub(super) fn of(text: &'a [u8], rules: PathRules) -> Self {
        if rules == PathRules::Windows {
            return Self::of_windows(text).into_owned();
        }
        let is_absolute = text.first() == Some(&b'/');
        let names = text.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
        let anchor = if is_absolute { Vec::new() } else { b".".to_vec() };
        Self { anchor, names: names.map(|name| rules.folded(name)).collect(), is_absolute }
    }

    fn of_windows(text: &[u8]) -> Names<'static> {
        let text = backslashes(text);
        let path = WindowsPath::new(&text);
        let (mut anchor, mut has_root, mut is_verbatim, mut is_absolute) = (Vec::new(), false, false, false);
        let mut names: Vec<Cow<'static, [u8]>> = Vec::new();
        for component in path.components() {
            match component {
                WindowsComponent::Prefix(prefix) => {
                    is_verbatim = prefix.kind().is_verbatim();
                    is_absolute = !matches!(prefix.kind(), WindowsPrefix::Disk(_));
                    anchor = anchor_of(&prefix.kind());
                }
                WindowsComponent::RootDir => has_root = true,
                WindowsComponent::CurDir => {}
                WindowsComponent::ParentDir => names.push(Cow::Borrowed(b"..")),
                WindowsComponent::Normal(b"" | b".") => {}
                WindowsComponent::Normal(name) => names.push(Cow::Owned(name.to_vec())),
            }
        }
        is_absolute |= has_root && !anchor.is_empty();
        if !is_absolute && !has_root {
            anchor.push(b'.');
        }
        let last = names.len().saturating_sub(1);
        for (index, name) in names.iter_mut().enumerate() {
            let kept = if is_verbatim { &**name } else { without_end(name, index == last) };
            *name = Cow::Owned(PathRules::Windows.folded(kept).into_owned());
        }
        Names { anchor, names, is_absolute }
    }

    pub(super) fn is_absolute(&self) -> bool {
        self.is_absolute
    }

    /// The number of names behind the anchor.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn into_owned(self) -> Names<'static> {
        let names = self.names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect();
        Names { anchor: self.anchor, names, is_absolute: self.is_absolute }
    }

    pub(super) fn begins_with(&self, folder: &Self) -> bool {
        self.anchor == folder.anchor && self.names.starts_with(&folder.names)
    }

    /// The text by which paths are compared, with `/` between names. As in a URI, `..` takes away the name before it.
    pub(super) fn key(&self) -> Vec<u8> {
        let mut kept: Vec<&[u8]> = Vec::with_capacity(self.names.len());
        for name in &self.names {
            match (&**name, kept.last()) {
                (b"..", Some(before)) if *before != b".." => _ = kept.pop(),
                (b"..", None) if self.is_absolute => {}
                (name, _) => kept.push(name),
            }
        }
        let mut out = self.anchor.clone();
        for name in kept {
            out.push(b'/');
            out.extend_from_slice(name);
        }
        out
    }
}

/// Separators as the system writes them. The word for shares in verbatim paths may have any case.
pub(super) fn backslashes(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = text.iter().map(|byte| if *byte == b'/' { b'\\' } else { *byte }).collect();
    if let Some(word) = out.get_mut(4..7).filter(|word| word.eq_ignore_ascii_case(b"UNC"))
        && text.len() > 7
    {
        let is_share = text.starts_with(br"\\?\") || text.starts_with(b"//?/");
        if is_share {
            word.make_ascii_uppercase();
        }
    }
    // The kernel's own names of drives and shares.
    if out.starts_with(br"\??\") {
        out[1] = b'\\';
    }
    out
}

fn anchor_of(prefix: &WindowsPrefix<'_>) -> Vec<u8> {
    let folded = |name: &[u8]| PathRules::Windows.folded(name).into_owned();
    let joined = |parts: [&[u8]; 2], between: &[u8]| {
        let parts = parts.map(folded);
        let mut out = [b"//".as_slice(), &parts[0]].concat();
        if !parts[1].is_empty() {
            out.extend_from_slice(between);
            out.extend_from_slice(&parts[1]);
        }
        out
    };
    match prefix {
        WindowsPrefix::Disk(letter) | WindowsPrefix::VerbatimDisk(letter) => vec![letter.to_ascii_lowercase(), b':'],
        WindowsPrefix::UNC(server, share) | WindowsPrefix::VerbatimUNC(server, share) => joined([server, share], b"/"),
        WindowsPrefix::DeviceNS(name) => joined([b".", name], b"/"),
        WindowsPrefix::Verbatim(name) => joined([b"?", name], b"/"),
    }
}

/// A name without what the system leaves out at its end: one dot, or at the end of a path all dots and spaces.
fn without_end(name: &[u8], is_last: bool) -> &[u8] {
    let is_up = |name: &[u8]| name == b".." || name.iter().all(|byte| *byte == b'.');
    if is_up(name) {
        return name;
    }
    if !is_last {
        let cut = name.strip_suffix(b".").unwrap_or(name);
        return if cut.ends_with(b".") { name } else { cut };
    }
    let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(0, |at| at + 1);
    if end == 0 { name } else { &name[..end] }
}

/// A verbatim path of a drive or share as users write it; `None` if there is none, or the path is not verbatim.
pub(super) fn plain(text: &[u8]) -> Option<Vec<u8>> {
    let path = WindowsPath::new(text);
    let mut components = path.components();
    let Some(WindowsComponent::Prefix(prefix)) = components.next() else { return None };
    let start = match prefix.kind() {
        WindowsPrefix::VerbatimDisk(letter) => vec![letter, b':'],
        WindowsPrefix::VerbatimUNC(server, share) => [br"\\", server, b"\\", share].concat(),
        _ => return None,
    };
    let rest = &text[prefix.as_bytes().len()..];
    // The plain form of these names would be another file, or a device.
    let is_plain = |name: &[u8]| {
        !name.contains(&b'/') && !matches!(name, b"." | b"..") && without_end(name, true) == name && !is_device(name)
    };
    let are_plain = rest.split(|byte| *byte == b'\\').all(|name| name.is_empty() || is_plain(name));
    are_plain.then(|| [&start, rest].concat())
}

/// Whether a name is one of a device, in whatever folder.
fn is_device(name: &[u8]) -> bool {
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or(name).trim_ascii_end().to_ascii_uppercase();
    match &*stem {
        b"CON" | b"PRN" | b"AUX" | b"NUL" | b"CONIN$" | b"CONOUT$" => true,
        [b'C', b'O', b'M', number] | [b'L', b'P', b'T', number] => number.is_ascii_digit(),
        _ => false,
    }
}
