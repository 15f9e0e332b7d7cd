//! Places: from PTX to the host text and back, at every byte.

use ptx_embed::{Host, Language, SegmentKind, host_edit};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("small")
    }
}

const CPP: &[&str] = &[
    "\\n",
    "\\t",
    "\\\"",
    "%%laneid",
    "%0",
    "%1",
    "%2",
    "%=",
    "% ",
    "%[x]",
    "%r1",
    "%p",
    "\" \"",
    "\"\n  \"",
    "\" T \"",
    "\" #x \"",
    "\\\n",
    "add.u32 ",
    ", ",
    ";",
    "{",
    "}",
    "é",
    "// c\\n",
    "\\x41",
    "\\101",
    "\\u00e9",
    "\" R\"(raw \\n %1)\" \"",
    "\"\"",
    "%",
    ".reg .b32 q;",
];

const PYTHON: &[&str] = &[
    "\\n",
    "\\t",
    "\\\"",
    "$$",
    "$0",
    "$1",
    "${0}",
    "${1:x}",
    "${:uid}",
    "$2",
    "\" \"",
    "\"\n  \"",
    "\" r\"\\n\" \"",
    "\" f\"{x} {{y}}\" \"",
    "add.u32 ",
    ", ",
    ";",
    "{",
    "}",
    "é",
    "\\\n",
    "\\x41",
    "\\q",
    "\" '''a\n$1''' \"",
    "\"\"",
    "$",
    "\" T \"",
    "{$w0}",
    "{$r0}",
];

const RUST: &[&str] = &[
    "\\n",
    "\\t",
    "\\\"",
    "{{",
    "}}",
    "{}",
    "{0}",
    "{x}",
    "{c}",
    "{1:e}",
    "{",
    "}",
    "\", \"",
    "\",\n  \"",
    "\", r#\"raw \\n \"{x}\"\"#, \"",
    "\", T, \"",
    "\", concat!(\"a\", $x, \"b {0}\"), \"",
    "\\\n   ",
    "\n",
    "add.u32 ",
    ", ",
    ";",
    "é",
    "\\x41",
    "\\u{e9}",
    "\\u{",
    "\\é",
    "%0",
    "%%laneid",
    "%p",
    "\", \"\", \"",
    ".reg .b32 q;",
];

const LLVM_IR: &[&str] = &[
    "\\0A",
    "\\09",
    "\\22",
    "\\5C",
    "\\\\",
    "\\",
    "\\C3\\A9",
    "\\C3",
    "\\F0\\9F\\98\\80",
    "$$",
    "$0",
    "$1",
    "${0}",
    "${1:x}",
    "${:uid}",
    "$(a$|b$)",
    "$9",
    "$",
    "add.u32 ",
    ", ",
    ";",
    "{",
    "}",
    "é",
    ".reg .b32 q;",
];

const JULIA: &[&str] = &[
    "\\n",
    "\\t",
    "\\\"",
    "\\$\\$",
    "\\$0",
    "\\$1",
    "\\${0}",
    "\\${1:x}",
    "\\${:uid}",
    "$",
    "$x",
    "$(x)",
    "$(f(\"a\", (1)))",
    "$(",
    "add.u32 ",
    ", ",
    ";",
    "{",
    "}",
    "é",
    "\n",
    "\\\n   ",
    "\\x41",
    "\\u00e9",
    "\\U1f600",
    "\\e",
    "\\é",
];

/// Compares both directions of the maps of all groups.
fn compare(language: Language, text: &str) {
    let host = Host::new(language, text);
    // A literal of Python in which the statement does not end has none.
    assert!(!host.groups().is_empty() || text.contains("K = "), "{text}");
    for placed in host.groups() {
        let group = &placed.group;
        let map = &group.map;
        let mut end = 0;
        let mut host_end = 0;
        for segment in map.segments() {
            assert_eq!(segment.ptx.start, end, "{text}\n{map:?}");
            // Pieces of a macro's text have the place of its name.
            let first = map.segments().iter().find(|s| s.host == segment.host).unwrap_or(segment);
            assert!(segment.host.start >= host_end || first != segment, "{text}\n{map:?}");
            (end, host_end) = (segment.ptx.end, segment.host.end);
            assert!(group.ptx.get(segment.ptx.clone()).is_some(), "{text}");
            let source = &text[placed.start + segment.host.start..placed.start + segment.host.end];
            if segment.kind == SegmentKind::Verbatim {
                assert_eq!(source, &group.ptx[segment.ptx.clone()], "{text}");
            }
            for at in segment.ptx.clone() {
                let place = map.to_host(at..at + 1);
                if segment.kind == SegmentKind::Glue {
                    continue;
                }
                assert_eq!(place.len(), 1, "{text}");
                let back = map.to_ptx(place[0].start);
                let expected = if segment.kind == SegmentKind::Verbatim { at } else { first.ptx.start };
                assert_eq!(back, Some(expected), "{text}\n{map:?}");
                assert!(segment.host.start <= place[0].start && place[0].end <= segment.host.end);
            }
        }
        assert_eq!(end, group.ptx.len(), "{text}\n{map:?}");
        for at in group.span() {
            if let Some(ptx) = map.to_ptx(at) {
                let inside = map.segments().iter().find(|s| s.host.contains(&at));
                match inside {
                    Some(segment) => assert!(segment.ptx.start <= ptx && ptx <= segment.ptx.end, "{text}"),
                    // The end of a literal.
                    None => assert!(map.segments().iter().any(|s| s.host.end == at && s.ptx.end == ptx), "{text}"),
                }
            }
        }
        let all = map.to_host(0..group.ptx.len());
        assert!(all.is_sorted_by(|a, b| a.end <= b.start), "{text}");
        for problem in &group.problems {
            assert!(text.get(placed.start + problem.span.start..placed.start + problem.span.end).is_some(), "{text}");
        }
    }
}

#[test]
fn every_byte_of_random_texts() {
    for round in 0..4000u64 {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (round + 1).wrapping_mul(0xD134_2543_DE82_EF95));
        let mut write =
            |pieces: &[&str]| -> String { (0..random.below(14)).map(|_| pieces[random.below(pieces.len())]).collect() };
        let cpp = write(CPP);
        compare(
            Language::Cpp,
            &format!("#define T \"mov.b32 %0, %%x;\\n\"\nvoid f() {{ asm(\"{cpp}\" : \"=r\"(a) : \"r\"(b)); }}"),
        );
        compare(
            Language::Cpp,
            &format!(
                "void f() {{ asm(\"{cpp}\"); asm(\"{{.reg .b32 q;\"); asm(\"%0 {cpp}\" :: \"n\"(7)); asm(\"}}\"); }}"
            ),
        );
        compare(
            Language::Cpp,
            &format!(
                "void f() {{ asm(\"{cpp}\"\n#if X\n\"{cpp}x\"\n#else\n\"y{cpp}\" T\n#endif\n\"{cpp}\" : \"=r\"(a)); }}"
            ),
        );
        let python = write(PYTHON);
        compare(Language::Python, &format!("T = \"$0\"\nllvm.inline_asm(t, [b], \"{python}\", \"=r,r\")"));
        compare(Language::Python, &format!("inline_ptx(\"{python}\", write_only_types=[Int32])"));
        let rust = write(RUST);
        compare(
            Language::Rust,
            &format!("fn f() {{ asm!(\"{rust}\", out(reg32) y, in(reg16) z, x = in(reg64) x, c = const 7); }}"),
        );
        compare(
            Language::Rust,
            &format!(
                "fn f() {{ asm!(\"{rust}\", options(raw)); asm!(\"{{{{ .reg .b32 q;\"); asm!(\"{{}} {rust}\", in(reg32) a); }}"
            ),
        );
        compare(Language::Rust, &format!("ptx_asm!(\"{rust}\", out(\"=r\") y, in(\"n\") 7);"));
        let ir = write(LLVM_IR);
        compare(
            Language::LlvmIr,
            &format!(
                "define void @f() {{\n  %1 = call i32 asm \"{ir}\", \"=r,r,n\"(i32 %0, i32 7)\n  call void asm \".reg .b32 q; {ir}\", \"\"()\n}}"
            ),
        );
        let julia = write(JULIA);
        compare(
            Language::Julia,
            &format!("@asmcall(\"{julia}\", \"=r,r\", UInt32, Tuple{{UInt32}}, x)\n@asmcall(\"\"\"\n{julia}\"\"\")"),
        );
        let escaped =
            format!("asm(\"{cpp}\" : \"=r\"(a));").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        compare(Language::Python, &format!("x = 'é asm();'\nK = \"{escaped}\"\n"));
    }
}

/// An edit of PTX, written to the host text and read again, gives the edited PTX.
#[test]
fn edits_of_ptx_arrive() {
    let texts = [
        (
            Language::Cpp,
            "void f() { asm(\"add.u32 %0, %1, %%laneid;\\n\\t\"\n  \"mov.b32 %0, \\\"x\\\";\" : \"=r\"(a) : \"r\"(b)); }",
        ),
        (
            Language::Cpp,
            "void f() { asm(\"add.u32 %0, %1, %%laneid;\\n\"\n#if X\n\"mov.b32 %0, 1;\"\n#else\n\"mov.b32 %0, 2;\"\n#endif\n : \"=r\"(a) : \"r\"(b)); }",
        ),
        (Language::Cpp, "void f() { asm(R\"(add.u32 x, y, %laneid;\nmov.b32 x, y;)\"); }"),
        (Language::Python, "llvm.inline_asm(t, [b], \"add.u32 $0, $1, $$x;\\n\" 'mov.b32 $0, $1;', \"=r,r\")"),
        (Language::Python, "llvm.inline_asm(t, [b], f'''{{ add.u32 $0, $1, %laneid;\n }}''', \"=r,r\")"),
        (
            Language::Rust,
            "asm!(\"{{ add.u32 {0}, {x}, %laneid;\\n\",\n  r#\"mov.b32 {0}, \"y\"; }}\"#, out(reg32) a, x = in(reg32) b)",
        ),
        (Language::Rust, "asm!(\"{ add.u32 x, y, %laneid;\n \\\n mov.b32 x, y; }\", options(raw))"),
        (Language::Rust, "ptx_asm!(\"{ add.u32 %0, %1, %%laneid; }\", out(\"=r\") a, in(\"r\") b)"),
        (
            Language::LlvmIr,
            "call i32 asm \"{ add.u32 $0, $1, %laneid;\\0A\\09mov.b32 $$x, \\22y\\22; }\", \"=r,r\"(i32 %x)",
        ),
        (
            Language::Julia,
            "@asmcall(\"{ add.u32 \\$0, \\$1, %laneid;\\n mov.b32 \\$\\$x, \\\"y\\\"; }\", \"=r,r\", UInt32, Tuple{UInt32}, x)",
        ),
        (Language::Julia, "@asmcall(raw\"{ add.u32 $0, $1, %laneid; }\", \"=r,r\", UInt32, Tuple{UInt32}, x)"),
        (
            Language::Python,
            "K = \"void f() { asm(\\\"add.u32 %0, %1, %%laneid;\\\\n\\\" : \\\"=r\\\"(a) : \\\"r\\\"(b)); }\"\n",
        ),
    ];
    for (language, text) in texts {
        let host = Host::new(language, text);
        let placed = &host.groups()[0];
        let ptx = &placed.group.ptx;
        let mut written = 0;
        for start in 0..ptx.len() {
            for new in ["", "x", "\n", "{y}", "%clock", "/* \\ */"] {
                let Some(edit) = host_edit(&placed.group, start..start + 1, new) else { continue };
                let mut edited = text.to_owned();
                edited.replace_range(placed.start + edit.span.start..placed.start + edit.span.end, &edit.text);
                let mut expected = ptx.clone();
                expected.replace_range(start..start + 1, new);
                let again = Host::new(language, &edited);
                // An operand whose mark is gone, or a new one, reads differently.
                if "%$0123456789".contains(&ptx[start..=start]) || ptx[..start].ends_with(['%', '$']) {
                    continue;
                }
                // An operand that grows into the word beside it is unknown.
                if again.groups()[0].group.ptx.contains("_hole_") {
                    continue;
                }
                assert_eq!(again.groups()[0].group.ptx, expected, "{edited}");
                written += 1;
            }
        }
        assert!(written > 60, "{text}: {written}");
    }
}
