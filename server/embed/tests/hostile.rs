//! Texts made to be slow or to break the scanner.

use ptx_embed::{Edit, Host, Language};
use std::time::{Duration, Instant};

/// Scans a text in all languages, edits it, and expects an end within a time that only linear work meets.
fn scan(text: &str) {
    for language in [Language::Cpp, Language::Python, Language::Rust, Language::LlvmIr, Language::Julia] {
        let start = Instant::now();
        let mut host = Host::new(language, text);
        let mut middle = text.len() / 2;
        while !text.is_char_boundary(middle) {
            middle += 1;
        }
        let mut edited = text.to_owned();
        edited.insert(middle, '"');
        host.edit(&edited, Edit { start: middle, old_end: middle, new_end: middle + 1 });
        host.edit(text, Edit { start: middle, old_end: middle + 1, new_end: middle });
        assert!(host.groups() == Host::new(language, text).groups());
        let time = start.elapsed();
        assert!(time < Duration::from_secs(20), "{time:?} for {:?}…", text.chars().take(60).collect::<String>());
    }
}

#[test]
fn repeated_pieces_take_linear_time() {
    for piece in [
        "asm(",
        "asm(\"",
        "asm(\"x\" ",
        "asm(\"{\");",
        "void f() { asm(\"{\");",
        "{",
        "}",
        "(",
        ")",
        "#if 1 // asm\n",
        "#else // asm\n",
        "#define F(x) asm(\"ret;\")\n",
        "#define N 1 // asm\n",
        "NV_IF_TARGET(a, (asm",
        "asm(\"a\"\n#if X\n",
        "asm(\n#if X\n\"a\"\n#else\n\"b\"\n#endif\n);\n",
        "asm(\n#if X\n\"a\");\n",
        "#endif\nasm(\n#if X\n",
        "\"a\"\n#if 1\nasm(\n\"b\"\n#endif\n",
        "R\"x(asm",
        "/* asm",
        "// asm\\\n",
        "'asm",
        "\"asm",
        "asm asm ",
        "asm volatile ",
        "asm /* */ ",
        "__asm__ X ",
        "const asm = ",
        "inline_asm(",
        "inline_asm(a, [b], \"c\", \"d\")\n",
        "inline_asm(f\"{",
        "inline_ptx(\"{$w0}{$r1}\")\n",
        "inline_asm((((",
        "x = 'asm(\"a\");'\n",
        "asm(\"%0 %% $0 \\n\" : \"=r\"(a));",
        "asm(\"%0\" \"%0\" \"%0\");",
        "// ptx: target=sm_90a asm\n",
        "def f(): # asm\n",
        "asm(T \"\");",
        "template <asm, ",
        "é asm\u{2028}",
        "\0asm",
        "asm!(",
        "asm!(\"",
        "asm!(\"{0}\", in(reg32) (",
        "asm!(\"{\", \"}\");",
        "fn f() { asm!(\"{{\");",
        "asm!(r#\"",
        "asm!(concat!(",
        "asm!($(",
        "asm! \t",
        "asm!('",
        "asm!(a::<",
        "asm!(\"a\", x = in(reg32) x,",
        "asm!({pub ",
        "ptx_asm!(\"%0%\", in(\"r\") x)",
        "// ptx: asm\n;",
        "macro_rules! asm {",
        "@asmcall(",
        "@asmcall(\"",
        "@asmcall(\"$(",
        "@asmcall(\"\\$0\", \"r\", (x[",
        "@asmcall(\"ret;\")\n",
        "@asmcall \"$(f(\"",
        "@asmcall #=",
        "@asmcall x' '",
        "call void asm \"",
        "call void asm \"a\", \"r\"(i32 (",
        "call void asm \"a\", \"r\"(i32 %x)\n",
        "asm sideeffect ",
        "define void @asm(\n",
        "asm \"a\",\n",
    ] {
        scan(&piece.repeat(100_000 / piece.len()));
    }
}

#[test]
fn one_statement_of_a_megabyte() {
    scan(&format!("void f() {{ asm(\"{}\" : \"=r\"(a)); }}", "add.u32 %0, %0, %%x;\\n".repeat(40_000)));
    scan(&format!("void f() {{ asm({}: \"=r\"(a)); }}", "\"add.u32 %0, %0, %%x;\\n\"\n".repeat(40_000)));
    scan(&format!("void f() {{ asm(\"ret;\" :: {} \"r\"(a)); }}", "\"r\"(a + (b)),".repeat(60_000)));
    scan(&format!("inline_asm(a, b, \"{}\", \"{}\")", "add.u32 $0, $0, $$x;\\n".repeat(40_000), "r,".repeat(60_000)));
    let text = "add.u32 $0, $1, 7;\\0A".repeat(40_000);
    scan(&format!("call void asm \"{text}\", \"{}\"({})", "r,".repeat(60_000), "i32 %x, ".repeat(60_000)));
    let text = "add.u32 \\$0, \\$1, $x;\\n".repeat(40_000);
    scan(&format!("@asmcall(\"{text}\", \"{}\", A, B, {})", "r,".repeat(60_000), "x, ".repeat(60_000)));
    let text = "add.u32 {0}, {x}, {{;\\n".repeat(40_000);
    scan(&format!("fn f() {{ asm!(\"{text}\", out(reg32) a, x = in(reg32) b); }}"));
    scan(&format!("fn f() {{ asm!({} out(reg32) a); }}", "\"add.u32 {}, {0};\",\n".repeat(40_000)));
    scan(&format!("fn f() {{ asm!(\"{}\", {}); }}", "{}".repeat(60_000), "in(reg32) (a + b),".repeat(60_000)));
    scan(&format!("void f() {{ {} }}", "asm(\".reg .b32 q; { mov.b32 r, q;\"); ".repeat(10_000)));
}
