//! The folders that a client names.

use std::path::PathBuf;

/// The path of a `file:` URI; `None` for other URIs, and for files of other computers.
pub fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !scheme.eq_ignore_ascii_case("file") || !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return None;
    }
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    // `file:///C:/kernels` and `file:////host/share`.
    let is_drive = |path: &str| path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    let path = if is_drive(&path) { &path[1..] } else { &*path };
    (!path.starts_with("//") && !path.contains('\0')).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn file_uris() {
        let of = |uri: &str| path(uri).map(|p| p.display().to_string());
        assert_eq!(of("file:///home/a%20b/k.ptx").as_deref(), Some("/home/a b/k.ptx"));
        assert_eq!(of("FILE://localhost/a").as_deref(), Some("/a"));
        let refused = [
            "file://host/share",
            "file:////host/share",
            "https://a/b",
            "/a",
            "",
            "file:",
            "file://",
            "file:///%ff",
            "file:///a%00b",
        ];
        for uri in refused {
            assert_eq!(of(uri), None, "{uri}");
        }
        if cfg!(windows) {
            assert_eq!(of("file:///C:/a").as_deref(), Some("C:/a"));
        }
    }
}
