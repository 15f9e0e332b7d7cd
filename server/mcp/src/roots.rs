//! The folders that a client names.

use ptx_gate::files::is_local;
use ptx_gate::names::FileName;
use std::path::PathBuf;

/// The path of a `file:` URI; `None` for other URIs, and for files of other computers.
pub fn path(uri: &str) -> Option<PathBuf> {
    FileName::of_uri(uri).path().filter(|path| is_local(path))
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn file_uris() {
        let of = |uri: &str| path(uri).map(|p| p.display().to_string());
        if cfg!(windows) {
            for uri in ["file:///C:/a%20b", "file:///c%3A/a%20b", "FILE://localhost/c:/a%20b"] {
                assert_eq!(of(uri).as_deref(), Some(r"C:\a b"), "{uri}");
            }
        } else {
            assert_eq!(of("file:///home/a%20b/k.ptx").as_deref(), Some("/home/a b/k.ptx"));
            assert_eq!(of("FILE://localhost/a").as_deref(), Some("/a"));
        }
        let refused =
            ["file://host/share", "file:////host/share", "https://a/b", "/a", "", "file:", "file://", "file:///a%00b"];
        for uri in refused {
            assert_eq!(of(uri), None, "{uri}");
        }
    }
}
