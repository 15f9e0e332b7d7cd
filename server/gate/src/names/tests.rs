//! One table of names for all systems. Each row is tried by the rules of its system, on every system.

use super::PathRules::{self, MacOs, Unix, Windows};
use super::rules::{Names, plain};
use super::uri::{UriForm, of_path, path_text, relative};
use super::*;

/// What a name is compared by. What has a scheme is a URI.
fn key(name: &str, rules: PathRules) -> String {
    let is_uri = name.split_once(':').is_some_and(|(scheme, _)| scheme.len() > 1 && !scheme.contains(['\\', '/']));
    let key = if is_uri { uri_key(name, rules) } else { Names::of(name.as_bytes(), rules).key() };
    String::from_utf8_lossy(&key).into_owned()
}

/// Names of one file.
const SAME: &[(PathRules, &[&str])] = &[
    // VS Code, most others, and what Windows itself returns.
    (
        Windows,
        &[
            "file:///c%3A/Users/a/k.ptx",
            "file:///C:/Users/a/k.ptx",
            "file:///c:/Users/a/k.ptx",
            "file:///C%3a/Users/a/k.ptx",
            "FILE:///C:/Users/a/k.ptx",
            "file://localhost/C:/Users/a/k.ptx",
            "file:/C:/Users/a/k.ptx",
            "file:C:/Users/a/k.ptx",
            "file://C:/Users/a/k.ptx",
            "file:///C|/Users/a/k.ptx",
            r"file:///C:\Users\a\k.ptx",
            "file:///c%3A/users/A/K.PTX",
            "file:///c%3A/%55sers/a/k%2Eptx",
            "file:///c%3A/Users/b/../a/./k.ptx",
            "file:///c%3A/Users//a/k.ptx",
            "file:////%3F/C:/Users/a/k.ptx",
            r"C:\Users\a\k.ptx",
            r"c:\users\A\k.ptx",
            "C:/Users/a/k.ptx",
            r"C:\Users/a\.\k.ptx",
            r"C:\Users\b\..\a\k.ptx",
            r"\\?\C:\Users\a\k.ptx",
            r"\\?\c:\users\a\k.ptx",
            "//?/C:/Users/a/k.ptx",
            r"\??\C:\Users\a\k.ptx",
            r"C:\Users\a\k.ptx.",
            r"C:\Users\a\k.ptx ",
            r"C:\Users.\a\k.ptx",
        ],
    ),
    (Windows, &["file:///c%3A/", "file:///C:", "C:\\", "c:/", r"\\?\C:\", r"C:\a\.."]),
    (
        Windows,
        &[
            "file://server/share/a.ptx",
            "file://SERVER/Share/A.ptx",
            "file:////server/share/a.ptx",
            r"\\server\share\a.ptx",
            "//server/share/a.ptx",
            r"\\?\UNC\server\share\a.ptx",
            r"\\?\unc\Server\share\a.ptx",
            r"\\server\share\..\a.ptx",
        ],
    ),
    (Windows, &["file:///c%3A/a%20b/%C3%BC.ptx", "file:///C:/a%20b/%c3%9c.ptx", r"C:\a b\ü.ptx", r"C:\A B\Ü.PTX"]),
    (Windows, &["file:///c%3A/100%25.ptx", r"C:\100%.ptx"]),
    (Windows, &["file:///c%3A/%F0%9F%98%80.ptx", r"C:\😀.ptx"]),
    (Windows, &["a.ptx", r".\A.ptx", "./a.ptx", r"x\..\a.ptx"]),
    (Windows, &["C:a.ptx", r"c:.\A.ptx"]),
    (Windows, &[r"\a.ptx", "/A.ptx"]),
    (
        Unix,
        &[
            "file:///home/a/k.ptx",
            "file://localhost/home/a/k.ptx",
            "file:/home/a/k.ptx",
            "FILE:///home/%61/k%2Eptx",
            "file:///home//a/k.ptx",
            "file:///home/b/../a/./k.ptx",
            "/home/a/k.ptx",
            "/home/./a//k.ptx",
            "/home/a/k.ptx/",
            "/../home/a/k.ptx",
        ],
    ),
    (Unix, &["file:///", "/", "/a/.."]),
    (Unix, &["file:///a%20b/%C3%BC%23.ptx", "file:///a%20b/%c3%bc%23.ptx", "/a b/ü#.ptx"]),
    (Unix, &["file:///C:/a", "file:///C%3A/a", "/C:/a"]),
    (Unix, &["file:///a%5Cb", r"/a\b"]),
    (Unix, &["../a", "./../a", "b/../../a"]),
    (
        MacOs,
        &[
            "file:///Users/a/K%C3%BC.ptx",
            "file:///Users/a/Ku%CC%88.ptx",
            "/users/A/kü.ptx",
            "/Users/a/ku\u{308}.PTX",
            "/Users/a/KÜ.ptx",
        ],
    ),
    // URIs that name no path.
    (Unix, &["untitled:Untitled-1"]),
    (Windows, &["vscode-vfs://github/o/r%61", "VSCODE-VFS://github/o/ra", "vscode-vfs://github/o/ra/"]),
    (Unix, &["vscode-notebook-cell:/a/n.ipynb#X%3d", "vscode-notebook-cell:/a/n.ipynb#X%3D"]),
    (Unix, &["file://server/share/a", "FILE://Server/share/a"]),
];

/// Names of files that are not the same.
const DIFFERENT: &[(PathRules, &[&str])] = &[
    (
        Windows,
        &[
            r"C:\a",
            r"D:\a",
            r"\a",
            "a",
            "C:a",
            r"C:\b",
            r"C:\a\b",
            r"C:\ab",
            r"C:\a b",
            r"C:\a%20b",
            r"\\c\a",
            r"\\server\share\a",
            r"\\server\other\a",
            r"\\.\pipe\a",
            r"\\?\C:\a.",
            "untitled:a",
            "untitled:A",
            "git:/c%3A/a?%7B%7D",
            "vscode-notebook-cell:/c%3A/a#X1",
            "vscode-notebook-cell:/c%3A/a#X2",
            "https://server/share/a",
        ],
    ),
    // The table of Windows knows single characters only.
    (Windows, &[r"C:\i", r"C:\ı", r"C:\İ", r"C:\ß", r"C:\ss", r"C:\ſ", r"C:\k", "C:\\\u{212a}"]),
    // Windows keeps the composition of characters apart.
    (Windows, &["C:\\\u{fc}", "C:\\u\u{308}"]),
    (Windows, &["C:\\\u{10400}", "C:\\\u{10428}"]),
    (
        Unix,
        &[
            "/a",
            "/A",
            "/b",
            "/a/b",
            "/ab",
            "a",
            "../a",
            r"/a\b",
            "/ü",
            "/u\u{308}",
            "file://server/a",
            "/a ",
            "/a.",
            "/C:/a",
            "/c:/a",
            "untitled:/a",
            "vscode-vfs://host/a%2Fb",
            "vscode-vfs://host/a/b",
        ],
    ),
    (MacOs, &["/a", "/b", "/ü", "/u", r"/a\b", "/ı", "/ss", "/ß"]),
];

#[test]
fn one_file_has_many_names() {
    for (rules, names) in SAME {
        for name in *names {
            assert_eq!(key(name, *rules), key(names[0], *rules), "{rules:?}: {name}");
        }
    }
}

#[test]
fn other_files_have_other_names() {
    for (rules, names) in DIFFERENT {
        for (index, a) in names.iter().enumerate() {
            for b in &names[..index] {
                assert_ne!(key(a, *rules), key(b, *rules), "{rules:?}: {a} {b}");
            }
        }
    }
    // Rows of one system are files of their own.
    for (index, (rules, names)) in SAME.iter().enumerate() {
        for (other, others) in SAME[..index].iter().filter(|(other, _)| other == rules) {
            assert_ne!(key(names[0], *rules), key(others[0], *other), "{} {}", names[0], others[0]);
        }
    }
}

#[test]
fn paths_of_uris() {
    let rows: &[(PathRules, &str, Option<&str>)] = &[
        (Windows, "file:///c%3A/Users/a%20b/k.ptx", Some(r"C:\Users\a b\k.ptx")),
        (Windows, "file:///C:", Some(r"C:\")),
        (Windows, "file:///c|/a", Some(r"C:\a")),
        (Windows, "file://c%3A/a", Some(r"C:\a")),
        (Windows, "file://server/share/a%20b", Some(r"\\server\share\a b")),
        (Windows, "file://wsl.localhost/Ubuntu/home/a", Some(r"\\wsl.localhost\Ubuntu\home\a")),
        (Windows, "file://wsl%24/Ubuntu/home/a", Some(r"\\wsl$\Ubuntu\home\a")),
        (Windows, "c:/a/b", Some(r"c:\a\b")),
        (Windows, "file:///a/b", Some(r"\a\b")),
        (Windows, "file://a%5Cb/c", None),
        (Windows, "file://user@host/c", None),
        (Windows, "file:///c%3A/a%00b", None),
        (Windows, "untitled:a", None),
        (Windows, "git:/c%3A/a", None),
        (Unix, "file:///a%20b/%C3%BC", Some("/a b/ü")),
        (Unix, "file:///a?b#c", Some("/a")),
        (Unix, "file:///a%3Fb%23c", Some("/a?b#c")),
        (Unix, "file://LOCALHOST/a", Some("/a")),
        (Unix, "file://server/a", None),
        (Unix, "file:a", None),
        (Unix, "file:", None),
        (Unix, "file://", None),
        (Unix, "file:///%00", None),
        (Unix, "/a", None),
        (Unix, "", None),
        (Unix, "c:/a", None),
    ];
    for (rules, uri, path) in rows {
        let found = path_text(uri, *rules).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(found.as_deref(), *path, "{rules:?}: {uri}");
    }
    // Not every name of Unix is text.
    assert_eq!(path_text("file:///a%FF", Unix).unwrap(), b"/a\xff");
}

#[test]
fn uris_of_paths_in_the_form_of_the_client() {
    let code = UriForm::of("file:///c%3A/x").unwrap();
    let others = UriForm::of("file:///C:/x").unwrap();
    assert_eq!(UriForm::default(), others);
    let rows: &[(PathRules, &str, &str, &str)] = &[
        (Windows, r"C:\a b\k(1).ptx", "file:///c%3A/a%20b/k%281%29.ptx", "file:///C:/a%20b/k%281%29.ptx"),
        (Windows, "c:/a/ü", "file:///c%3A/a/%C3%BC", "file:///C:/a/%C3%BC"),
        (Windows, r"\\?\C:\a", "file:///c%3A/a", "file:///C:/a"),
        (Windows, r"C:\", "file:///c%3A/", "file:///C:/"),
        (Windows, r"\\?\C:\", "file:///c%3A/", "file:///C:/"),
        (Windows, r"\\server\share\a b", "file://server/share/a%20b", "file://server/share/a%20b"),
        (Windows, r"\\?\UNC\server\share\a", "file://server/share/a", "file://server/share/a"),
        (Windows, r"\\wsl$\Ubuntu\a", "file://wsl%24/Ubuntu/a", "file://wsl%24/Ubuntu/a"),
        (Unix, "/a b/%/ü", "file:///a%20b/%25/%C3%BC", "file:///a%20b/%25/%C3%BC"),
        (Unix, "//a", "file:///a", "file:///a"),
        (Unix, "/", "file:///", "file:///"),
        (MacOs, "/u\u{308}", "file:///u%CC%88", "file:///u%CC%88"),
    ];
    for (rules, path, in_code, elsewhere) in rows {
        for (form, expected) in [(code, in_code), (others, elsewhere)] {
            let uri = of_path(path.as_bytes(), *rules, form).unwrap();
            assert_eq!(uri, **expected, "{rules:?}: {path}");
            // And back.
            assert_eq!(uri_key(&uri, *rules), Names::of(path.as_bytes(), *rules).key(), "{rules:?}: {path}");
        }
    }
    for (rules, path) in [(Windows, r"a\b"), (Windows, r"\a"), (Windows, "C:a"), (Windows, r"\\.\pipe\a"), (Unix, "a")]
    {
        assert_eq!(of_path(path.as_bytes(), rules, code), None, "{path}");
    }
    for uri in ["file:///a/b", "untitled:c:/a", "file:///ab:/", "file://server/c:/a"] {
        assert_eq!(UriForm::of(uri), None, "{uri}");
    }
    assert_eq!(
        UriForm::of("file:///Z%3a/").map(|form| of_path(b"z:/a", Windows, form).unwrap()).unwrap(),
        "file:///Z%3A/a"
    );
}

#[test]
fn relative_paths_stay_relative_in_documents() {
    assert_eq!(relative("a b/ü.ptx".as_bytes(), Unix), "a%20b/%C3%BC.ptx");
    assert_eq!(relative(br"a\b", Unix), "a%5Cb");
    assert_eq!(relative(br"..\a b\k.ptx", Windows), "../a%20b/k.ptx");
}

#[test]
fn verbatim_paths_are_shown_as_users_write_them() {
    let long = format!(r"\\?\C:\{}", ["a".repeat(200), "b".repeat(200)].join("\\"));
    assert_eq!(plain(long.as_bytes()).unwrap(), long.as_bytes()[4..]);
    for (verbatim, expected) in [
        (r"\\?\C:\a b\k.ptx", Some(r"C:\a b\k.ptx")),
        (r"\\?\c:\", Some(r"C:\")),
        (r"\\?\UNC\server\share\a", Some(r"\\server\share\a")),
        // Only the verbatim form means these.
        (r"\\?\C:\a.", None),
        (r"\\?\C:\a \b", None),
        (r"\\?\C:\nul.txt", None),
        (r"\\?\C:\COM1", None),
        (r"\\?\C:\a\..\b", None),
        (r"\\?\Volume{1}\a", None),
        (r"\\.\pipe\a", None),
        (r"C:\a", None),
        (r"\\server\share", None),
    ] {
        let found = plain(verbatim.as_bytes()).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(found.as_deref(), expected, "{verbatim}");
    }
}

/// A folder of this system, and the same in another spelling, if the system has one.
fn spellings() -> (&'static str, &'static [&'static str]) {
    match PathRules::HERE {
        Windows => (r"C:\Users\a", &[r"c:\users\A", "C:/Users/a/", r"\\?\C:\Users\a", r"C:\.\Users\a"]),
        MacOs => ("/Users/a", &["/users/A", "/Users//a/", "/./Users/a"]),
        Unix => ("/Users/a", &["/Users//a/", "/./Users/a"]),
    }
}

#[test]
fn what_lies_below_a_folder() {
    let (folder, others) = spellings();
    let folder = Path::new(folder);
    for other in others.iter().map(Path::new) {
        let inside = other.join("Sub").join("k.ptx");
        assert_eq!(strip(&inside, folder), Some(&*Path::new("Sub").join("k.ptx")), "{other:?}");
        assert_eq!(strip(other, folder), Some(Path::new("")), "{other:?}");
        assert!(FileName::of_path(&inside).is_in(&FileName::of_path(folder)), "{other:?}");
        assert_eq!(FileName::of_path(folder), FileName::of_path(other), "{other:?}");
    }
    let beside = folder.with_file_name("ab").join("k.ptx");
    assert_eq!(strip(&beside, folder), None);
    assert!(!FileName::of_path(&beside).is_in(&FileName::of_path(folder)));
    // A link may stand before `..`.
    assert_eq!(strip(&folder.join("x/../k.ptx"), folder), Some(Path::new("x/../k.ptx")));
    assert_eq!(strip(Path::new("k.ptx"), folder), None);
    let root = folder.ancestors().last().unwrap();
    assert!(FileName::of_path(folder).is_in(&FileName::of_path(root)));
    assert_eq!(FileName::of_path(folder).depth(), FileName::of_path(root).depth() + 2);
}

#[test]
fn a_client_gets_its_own_spelling_back() {
    let folder = if cfg!(windows) { "file:///c%3A/%55sers/a/" } else { "file:///%55sers/a/" };
    let folder = FileName::of_uri(folder);
    assert!(folder.uri(UriForm::default()).unwrap().ends_with("/%55sers/a/"));
    let below = folder.below(Path::new("b c/k.ptx"));
    assert!(below.uri(UriForm::default()).unwrap().ends_with("/%55sers/a/b%20c/k.ptx"));
    assert_eq!(below, FileName::of_path(&folder.path().unwrap().join("b c").join("k.ptx")));
    assert!(below.is_in(&folder));
    // The root of the file system, and a path where a URI is expected.
    let root = FileName::of_uri("file:///").below(Path::new("k.ptx"));
    assert_eq!(root.uri(UriForm::default()).unwrap(), "file:///k.ptx");
    let odd = FileName::of_uri("z:/%20").below(Path::new("a b.ptx"));
    let expected =
        if cfg!(windows) { FileName::of_path(Path::new(r"Z:\%20\a b.ptx")) } else { FileName::of_uri("z:/%20") };
    assert_eq!(odd, expected);
    let up = FileName::of_uri(&format!("{}/x/../k.ptx", folder.uri(UriForm::default()).unwrap()));
    assert_eq!(up.path(), folder.below(Path::new("k.ptx")).path());
    let untitled = FileName::of_uri("untitled:Untitled-1");
    assert_eq!((untitled.path(), untitled.uri(UriForm::default()).unwrap().as_ref()), (None, "untitled:Untitled-1"));
    assert_eq!(FileName::of_path(Path::new("k.ptx")).uri(UriForm::default()), None);
}

#[test]
fn any_text_is_a_name_and_its_uri_is_the_same_one() {
    const PARTS: [&str; 24] = [
        "file:",
        "/",
        "\\",
        "//",
        "?",
        "C:",
        "c%3A",
        "UNC",
        "..",
        ".",
        " ",
        "%",
        "%2F",
        "%5c",
        "ü",
        "u\u{308}",
        "😀",
        "#",
        "@",
        "localhost",
        "a",
        "|",
        "%00",
        "%C3",
    ];
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..20_000 {
        let text: String = (0..next(9)).map(|_| PARTS[next(PARTS.len())]).collect();
        for rules in [Unix, MacOs, Windows] {
            uri_key(&text, rules);
            let names = Names::of(text.as_bytes(), rules);
            if let Some(uri) = of_path(text.as_bytes(), rules, UriForm::default()) {
                assert_eq!(
                    String::from_utf8_lossy(&uri_key(&uri, rules)),
                    String::from_utf8_lossy(&names.key()),
                    "{rules:?}: {text} {uri}"
                );
            }
            if let Some(short) = plain(text.as_bytes()) {
                assert_eq!(Names::of(&short, Windows).key(), Names::of(text.as_bytes(), Windows).key(), "{text}");
            }
        }
    }
}
