//! Tells paths of this computer from those of others.
//!
//! Windows logs in to a computer as soon as a program asks about a file of it, and sends what identifies the user. So a path that a text
//! names is looked at as a text first, on every system alike.

use std::path::Path;

/// Whether a path names a file of this computer by what its text says. Paths of other computers (`\\host\share`, also with `/`, also
/// `\\?\UNC\host`) and of devices (`\\.\pipe\a`) do not, on no system.
pub fn is_local(path: &Path) -> bool {
    is_local_text(&path.to_string_lossy())
}

fn is_local_text(text: &str) -> bool {
    let is_slash = |at: usize| matches!(text.as_bytes().get(at), Some(b'/' | b'\\'));
    if !is_slash(0) {
        return true;
    }
    let rest = &text.as_bytes()[1..];
    // The kernel's own names: `\??\UNC\host\share`.
    if rest.starts_with(b"??") && is_slash(3) {
        return false;
    }
    // Long paths of a drive begin with two slashes too: `\\?\C:\a`.
    let is_drive = matches!(rest, [_, b'?', _, letter, b':', ..] if letter.is_ascii_alphabetic()) && is_slash(3);
    !is_slash(1) || is_drive
}

#[cfg(test)]
mod tests {
    use super::super::real;
    use super::*;

    #[test]
    fn paths_of_other_computers() {
        for path in [
            r"\\host\share\a.cu",
            "//host/share/a.cu",
            r"/\host\a",
            r"\/host/a",
            r"\\?\UNC\host\a",
            "//?/UNC/host/a",
            r"\\?\unc\host",
            r"\\?\GLOBALROOT\Device\Mup\host\a",
            r"\\?\C",
            r"\??\UNC\host\a",
            "/??/UNC/host/a",
            r"\\.\pipe\a",
            "//./COM1",
            r"\\",
            "//",
        ] {
            assert!(!is_local(Path::new(path)), "{path}");
        }
        for path in
            ["/usr/a.cu", "a.cu", r"C:\a.cu", "", "/", "../a.cu", r"\\?\C:\a.cu", "/?", "a//b", r"a\\b", "/a//b", "/??"]
        {
            assert!(is_local(Path::new(path)), "{path}");
        }
        assert!(real(Path::new("//host/share/a.cu")).unwrap_err().to_string().contains("another computer"));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_but_not_to_other_computers() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/f"), "").unwrap();
        for (target, link) in [
            ("a/b", "down"),
            ("down/../../a", "around"),
            ("//host/share", "share"),
            ("share", "again"),
            (r"\\host\share", "windows"),
            ("loop", "loop"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("a"), root.join("absolute")).unwrap();
        for path in ["a/b/f", "down/f", "around/b/f", "absolute/b/../b/f", "./a/./b/f"] {
            let path = root.join(path);
            assert_eq!(real(&path).unwrap(), path.canonicalize().unwrap(), "{path:?}");
        }
        assert_eq!(real(Path::new("/")).unwrap(), Path::new("/"));
        for path in ["share", "again/a", "windows/x", "loop", "none", "a/b/f/g"] {
            assert!(real(&root.join(path)).is_err(), "{path}");
        }
        assert!(real(&root.join("again/a")).unwrap_err().to_string().contains("another computer"));
    }
}
