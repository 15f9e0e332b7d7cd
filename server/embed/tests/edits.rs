//! After any edit a host equals a fresh one.

use ptx_embed::{Edit, Host, Language};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("small")
    }
}

/// Pieces that open and close everything that hides something.
const CPP: &[&str] = &[
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\n",
    "\\\n",
    "\\",
    "(",
    ")",
    "{",
    "}",
    ";",
    ":",
    ",",
    "#if __CUDA_ARCH__ >= 900\n",
    "\n#else\n",
    "\n#elif X\n",
    "\n#endif\n",
    "\n#define N 4\n",
    "\n#define T \"add.u32 a, b, c;\"\n",
    "\n#define F(x) asm(\"ret;\" :: \"r\"(x))\n",
    "asm",
    "asm volatile(\"mov.b32 %0, %1;\" : \"=r\"(a) : \"n\"(N));",
    "asm(\"{ .reg .pred p;\");",
    "asm(\"}\");",
    "asm(\"{ .reg .b32 t;\"\n#if X\n\"mov.b32 t, 1;\"\n#else\n\"mov.b32 t, %0;\"\n#endif\n\"}\" :: \"r\"(a));",
    "\n#ifdef X\n\"a;\" :: \"r\"(a),\n",
    "asm(\".reg .b32 t;\");",
    "asm(\"mov.b32 t, 0;\");",
    "asm(T);",
    "R\"x(",
    ")x\"",
    "R\"(ret;)\"",
    "NV_IF_TARGET(NV_PROVIDES_SM_80, (",
    "), (",
    "));",
    "// ptx: target=sm_90a\n",
    "void f() {\n",
    "\n}\n",
    "    ",
    "struct S {\n",
    "constexpr int N = 3;\n",
    "const",
    "=",
    "%",
    "é",
    "%%x",
    "\r\n",
    "template <class T> void g(T x) {\n  int y = 0;\n",
    "  if (x) {\n  }\n",
    "1'000",
    "u8",
    "__asm__",
];

const PYTHON: &[&str] = &[
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "#",
    "\n",
    "\\\n",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "def f():\n",
    "    ",
    "f\"",
    "r\"",
    "rf'''",
    "llvm.inline_asm(T.i32(), [a, b], \"add.s32 $0, $1, $2;\", \"=r,r,r\", has_side_effects=True)\n",
    "inline_asm",
    "tl.inline_asm_elementwise(",
    "asm=\"mov.b32 $0, $1;\",",
    "constraints=\"=r,r\",",
    "args=[x],",
    "dtype=tl.int32, is_pure=True, pack=1)",
    "inline_ptx(\"mov.b32 {$w0}, {$r0};\")",
    "\"~{memory}\"",
    "K = r'''\nvoid f() {\n asm(\"ret;\");\n}\n'''\n",
    "K = \"asm(\\\"add.u32 %0, 1;\\\\n\\\" : \\\"=r\\\"(x));\"\n",
    "é",
    "# ptx: target=sm_90a\n",
    "$",
    "$$",
    "x = 1\n",
    "class A:\n",
    "TEXT = \"ret;\"\n",
    "TEXT",
    "\r\n",
    "{x}",
    "+",
    "=",
];

const RUST: &[&str] = &[
    "\"",
    "'",
    "'a",
    "'\"'",
    "/*",
    "*/",
    "//",
    "\n",
    "\\\n",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "asm!(\"mov.b32 {0}, {1};\", out(reg32) a, const 4);",
    "unsafe { asm!(\"{{ .reg .pred p;\"); }",
    "asm!(\"}}\", options(nomem));",
    "asm!(\".reg .b32 t;\");",
    "asm!(\"mov.b32 t, {x};\", x = in(reg32) x);",
    "asm!(",
    "asm",
    "!",
    "out(reg32) _",
    "in(reg) x",
    "options(raw)",
    "concat!(\"a;\", \"b;\")",
    "\nglobal_asm!(\".shared .b32 t;\");\n",
    "ptx_asm!(\"mov.u32 %0, %%laneid;\", out(\"=r\") x, clobber(\"memory\"));",
    "r#\"",
    "\"#",
    "b\"",
    "$x",
    "$(",
    "// ptx: target=sm_90a\n",
    "fn f() {\n",
    "\n}\n",
    "    ",
    "pub unsafe fn g(x: [u8; 4])",
    "macro_rules! m {\n",
    "impl S {\n",
    "=>",
    "::<",
    "é",
    "{0}",
    "\r\n",
];

const LLVM_IR: &[&str] = &[
    "\"",
    ";",
    "\n",
    "\n}\n",
    "\ndefine void @f(i32 %x) {\n",
    "(",
    ")",
    ",",
    "{",
    "}",
    "=",
    "  %y = call i32 asm sideeffect \"mov.u32 $0, $1;\", \"=r,r\"(i32 %x)\n",
    "  call void asm \"{ .reg .b32 t;\", \"\"()\n",
    "  call void asm \"}\", \"\"()\n",
    "asm",
    " asm \"",
    "module asm \"ret;\"\n",
    "\nmodule asm \".shared .b32 t;\"\n",
    "sideeffect ",
    "\\0A",
    "\\22",
    "; ptx: target=sm_90a\n",
    "call ",
    "%asm",
    "c\"a\"",
    "é",
    "\r\n",
    "!i",
];

const JULIA: &[&str] = &[
    "\"",
    "\"\"\"",
    "raw\"",
    "`",
    "'",
    "x'",
    "'\"'",
    "#",
    "#=",
    "=#",
    "\n",
    "\\",
    "\\\n",
    "(",
    ")",
    "[",
    "]",
    ",",
    "$",
    "$(",
    "\\$",
    "@asmcall(\"mov.u32 \\$0, \\$1;\", \"=r,r,~{memory}\", true, UInt32, Tuple{UInt32}, x)\n",
    "@asmcall(\"\"\"\n  ret;\n\"\"\")",
    "@asmcall(",
    "@asmcall",
    "\"=r\"",
    "true",
    "end\n",
    "function f(x)\n",
    "# ptx: target=sm_90a\n",
    "f() =\n",
    "    ",
    "é",
    "\r\n",
];

fn run(language: Language, pieces: &[&str], rounds: u64, steps: usize) {
    for round in 0..rounds {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (round + 1).wrapping_mul(0xD134_2543_DE82_EF95));
        // Long enough for several chunks, so that edits meet old chunks again.
        let filler = match language {
            Language::Cpp => "int g(int a, int b) {\n  return a + b;\n}\n",
            Language::Python => "def g(a, b):\n    return a + b\n",
            Language::Julia => "function g(a, b)\n    return a + b'\nend\n",
            Language::LlvmIr => "define i32 @g(i32 %a) {\n  ret i32 %a\n}\n",
            Language::Rust => "fn g(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
        };
        let mut text = String::new();
        for _ in 0..30 + random.below(60) {
            for _ in 0..random.below(8) {
                text.push_str(pieces[random.below(pieces.len())]);
            }
            if random.below(2) == 0 {
                text.push('\n');
            }
            for _ in 0..random.below(6) {
                text.push_str(filler);
            }
        }
        let mut host = Host::new(language, &text);
        for step in 0..steps {
            let mut start = random.below(text.len() + 1);
            let mut end = start + if random.below(3) == 0 { random.below(40) } else { 0 };
            end = end.min(text.len());
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let mut new = String::new();
            for _ in 0..random.below(3) {
                new.push_str(pieces[random.below(pieces.len())]);
            }
            let before = text.clone();
            text.replace_range(start..end, &new);
            host.edit(&text, Edit { start, old_end: end, new_end: start + new.len() });
            let fresh = Host::new(language, &text);
            for _ in 0..4 {
                let offset = random.below(text.len() + 1);
                let of = |host: &Host| host.at(offset).map(|(placed, statement)| (placed.start, statement));
                assert_eq!(of(&host), of(&fresh), "round {round}, step {step}: {offset} of {text:?}");
            }
            assert!(
                host.groups() == fresh.groups(),
                "round {round}, step {step}: {start}..{end} became {new:?}\nbefore: {before:?}\nedited: {:#?}\nfresh: {:#?}",
                host.groups(),
                fresh.groups()
            );
        }
    }
}

#[test]
fn an_edited_host_of_cpp_equals_a_fresh_one() {
    run(Language::Cpp, CPP, 60, 120);
}

#[test]
fn an_edited_host_of_python_equals_a_fresh_one() {
    run(Language::Python, PYTHON, 60, 120);
}

#[test]
fn an_edited_host_of_rust_equals_a_fresh_one() {
    run(Language::Rust, RUST, 60, 120);
}

#[test]
fn an_edited_host_of_llvm_ir_equals_a_fresh_one() {
    run(Language::LlvmIr, LLVM_IR, 60, 120);
}

#[test]
fn an_edited_host_of_julia_equals_a_fresh_one() {
    run(Language::Julia, JULIA, 60, 120);
}
