//! Completion in unfinished text, and the inserted text.

use crate::completion::{at, in_kernel, kernel, labels};
use ptx_syntax::Snapshot;

/// Unfinished statements, with complete lines around them.
#[test]
fn half_typed_lines() {
    let first = |statements: &str, most: usize| labels(&in_kernel(statements), most);
    // The cursor is before another statement, or in an operand list or operand that continues in the next line.
    assert!(first("$0ret;", 3).lines().any(|l| matches!(l, "mov" | "ld")));
    assert!(first("add.f32 %f1, %f2,\n    $0\n", 3).starts_with("%f"));
    assert!(first("add.f32 %f1, %f2,\n    $0mov.u32 %r1, 0;", 8).lines().any(|l| l == "add"));
    assert!(first("ld.global.v2.f32 {%f1,\n    $0\n", 3).starts_with("%f"));
    for nothing in ["// add.$0", "/* add.$0 */", "mov.u32 %r1, 12$0;", "L$0:", ".reg .b32 x$0", "add.f32 %f1 $0"] {
        assert!(!in_kernel(nothing).items.iter().any(|i| i.label.starts_with('.')), "{nothing}");
    }
    assert!(in_kernel("add.f32 %f1 $0").items.is_empty());
    // A closing brace is missing, or a function header is incomplete.
    let text = ".version 7.8\n.target sm_80\n.entry a()\n{\n    .reg .f32 %f<3>;\n    add.f32 $0\n.entry b()\n{\n    ret;\n}\n";
    assert!(at(text).1.items.iter().any(|i| i.label == "%f0"));
    let text = ".version 7.8\n.target sm_80\n.entry a(.param .u32 x,\n    .$0";
    assert!(at(text).1.items.iter().any(|i| i.label == ".param"));
    // CRLF line ends, tabs, and letters of several bytes.
    let text = ".version 7.8\r\n.target sm_80\r\n.entry a()\r\n{\r\n\t.reg .f32 %f<3>; // é → ✓\r\n\tadd.f32\t$0\r\n\tret;\r\n}\r\n";
    assert!(at(text).1.items.iter().any(|i| i.label == "%f0"));
}

#[test]
fn what_is_replaced() {
    let found = |statements: &str| {
        let (text, found) = at(&kernel("7.8", "sm_80", statements));
        (text[found.insert].to_owned(), text[found.replace].to_owned())
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(found("fma.r$0n.f32"), pair(".r", ".rn"));
    assert_eq!(found("ld.shared::c$0ta.b32"), pair(".shared::c", ".shared::cta"));
    assert_eq!(found("mov.u32 %r$01, 5;"), pair("%r", "%r1"));
    assert_eq!(found("mov.u32 %r1, %tid.$0;"), pair(".", "."));
    assert_eq!(found("ad$0d.u32"), pair("ad", "add"));
    assert_eq!(found("add.u32 $0%r1"), pair("", ""));
}

#[test]
fn snippets_check_clean() {
    // Placeholders of a snippet contain the text that they show.
    fn filled(snippet: &str) -> String {
        let mut names: Vec<(String, String)> = Vec::new();
        let mut out = String::new();
        let mut rest = snippet;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(inner) = rest.strip_prefix('{') {
                let end = inner.find('}').unwrap();
                let (number, value) = inner[..end].split_once([':', '|']).unwrap();
                let value = value.split([',', '|']).next().unwrap();
                names.push((number.to_owned(), value.to_owned()));
                out.push_str(value);
                rest = &inner[end + 1..];
            } else {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let known = names.iter().find(|(n, _)| *n == rest[..end]);
                out.push_str(known.map_or("", |(_, value)| value));
                rest = &rest[end..];
            }
        }
        out + rest
    }
    let errors = |text: &str| {
        let report = ptx_analysis::Analyzer::default().analyze(&Snapshot::new(text));
        report
            .diagnostics
            .into_iter()
            .map(|d| (d.code(), d.message()))
            .filter(|d| d.0 != ptx_analysis::Code::UnusedRegister)
            .collect::<Vec<_>>()
    };
    let mut count = 0;
    for (before, after) in [
        ("", ""),
        (".version 7.8\n.target sm_80\n.address_size 64\n", ""),
        (".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ", "\n    ret;\n}\n"),
    ] {
        let found = at(&format!("{before}$0{after}")).1;
        for item in found.items.iter().filter(|i| i.snippet && !i.label.contains(' ')) {
            let text = format!("{before}{}{after}", filled(item.new_text()));
            assert_eq!(errors(&text), [], "{text}");
            count += 1;
        }
    }
    assert!(count >= 7, "{count}");
}
