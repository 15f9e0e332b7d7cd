//! Formatting of texts with mixed line ends and other white space.

use crate::formatting::many_options;
use crate::robust::Random;
use ptx_analysis::Analyzer;
use ptx_ide::{FormatOptions, apply_in_order, format};
use ptx_syntax::Snapshot;

fn formatted(text: &str, options: &FormatOptions) -> String {
    apply_in_order(text, &format(&Snapshot::new(text), options))
}

/// The text without white space.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_line_end_behind_a_line_for_a_preprocessor_is_one() {
    for (text, expected) in [
        ("#\n\r\n\t.file 1 \"a\"\r\n", "#\r\n\r\n.file 1 \"a\"\r\n"),
        ("# 1 \"a\"\r\n\r\n\t.file 1 \"a\"\r\n", "# 1 \"a\"\r\n\r\n.file 1 \"a\"\r\n"),
        ("# 1 \"a\"\r\n.file 1 \"a\"\n", "# 1 \"a\"\r\n.file 1 \"a\"\n"),
        ("# 1\r\r\n\r\n  .file 1 \"a\"\n", "# 1\r\r\n\r\n.file 1 \"a\"\n"),
    ] {
        let once = formatted(text, &FormatOptions::default());
        assert_eq!(once, expected, "{text:?}");
        assert_eq!(formatted(&once, &FormatOptions::default()), once, "not the same again, after {text:?}");
    }
}

#[test]
fn texts_with_any_white_space_are_formatted_once() {
    const SPACES: [&str; 16] = [
        "\n", "\n", "\r\n", "\r\n", "\r", "\n\r", "\r\r\n", "\u{c}", "\u{b}", " ", "\t", "\n\n\n\n", "\r\n\r\n",
        " \r\n", "\\\n", "\\\r\n",
    ];
    const WORDS: [&str; 18] = [
        "add.s32 %r1, %r2, %r3;",
        "mov.u32 %r1 ,\r\n 1;",
        "L1:",
        "// a",
        "// a\r b",
        "/* a */",
        "/* a\r\nb */",
        "# 1 \"a\"",
        "#",
        "#define x \\",
        ".reg .b32 %q;",
        "{ ret; }",
        "@%p1 bra L1;",
        ".pragma \"nounroll\";",
        "ret;",
        ".loc 1 1 1",
        "st.global.v2.b32 [%rd1], {%r1,\n%r2};",
        "// ptx-fmt: off\n// ptx-fmt: on\n",
    ];
    let mut random = Random(0x1234_5678);
    let (mut correct, mut lines) = (0, 0);
    for round in 0..3000 {
        let mut body = String::new();
        for _ in 0..1 + random.below(12) {
            body.push_str(WORDS[random.below(WORDS.len())]);
            (0..1 + random.below(3)).for_each(|_| body.push_str(SPACES[random.below(SPACES.len())]));
        }
        let text = match round % 3 {
            0 => body,
            _ => format!(
                ".version 8.0\n.target sm_90\n.file 1 \"a\"\n.entry k()\n{{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n{body}\n}}\n"
            ),
        };
        let options = &many_options()[round % 3];
        let once = formatted(&text, options);
        assert_eq!(formatted(&once, options), once, "not the same again, after {text:?}");
        assert_eq!(bare(&once), bare(&text), "{text:?}");
        let (before, after) = (Snapshot::new(&text), Snapshot::new(&once));
        // Formatting ends the last line: `#` may begin that line only then.
        if !before.has_error() && text.ends_with('\n') {
            // Sorted: what concerns the end of the text moves there.
            let codes = |s: &Snapshot| {
                let mut codes = Vec::from_iter(Analyzer::default().analyze(s).diagnostics.iter().map(|d| d.code()));
                codes.sort_by_key(|code| code.name());
                codes
            };
            assert_eq!(codes(&after), codes(&before), "{text:?}");
            correct += 1;
        }
        lines += usize::from(text.contains("#") && once != text);
    }
    assert!(correct > 500 && lines > 500, "{correct} {lines}");
}
