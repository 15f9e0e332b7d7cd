//! Recognizes texts of other languages that are given where PTX is expected, by their first lines.

use std::borrow::Cow;

/// A language whose files may have PTX in strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForeignLanguage {
    /// CUDA C++, C and C++.
    Cpp,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// The text form of LLVM IR.
    LlvmIr,
    /// Julia.
    Julia,
}

impl ForeignLanguage {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpp => "CUDA C++",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::LlvmIr => "LLVM IR",
            Self::Julia => "Julia",
        }
    }
}

/// What a line shows.
enum Evidence {
    Ptx,
    Foreign(ForeignLanguage),
    Nothing,
}

/// Lines that are looked at, comments and empty ones included. A licence has fewer.
const MAX_LINES: usize = 400;

/// The other language of a text, if its first lines are certainly not PTX. `None` for PTX, and for what is not known.
#[must_use]
pub fn foreign_language<'t>(lines: impl IntoIterator<Item = Cow<'t, str>>) -> Option<ForeignLanguage> {
    let mut in_comment = false;
    for line in lines.into_iter().take(MAX_LINES) {
        let mut text = line.trim_start_matches('\u{feff}').trim();
        loop {
            if in_comment {
                let Some((_, after)) = text.split_once("*/") else { break };
                (in_comment, text) = (false, after.trim_start());
            } else if let Some(after) = text.strip_prefix("/*") {
                (in_comment, text) = (true, after);
            } else {
                match evidence(text) {
                    Evidence::Ptx => return None,
                    Evidence::Foreign(language) => return Some(language),
                    Evidence::Nothing => break,
                }
            }
        }
    }
    None
}

fn evidence(line: &str) -> Evidence {
    use ForeignLanguage::{Cpp, Julia, LlvmIr, Python, Rust};
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let ends = |ends: &[char]| line.ends_with(ends);
    let first = line.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or("");
    let letters = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    if line.is_empty() || line.starts_with("//") {
        return Evidence::Nothing;
    }
    if let Some(directive) = line.strip_prefix('#') {
        let directive = directive.trim_start();
        let is_cpp = ["include", "pragma once"].iter().any(|word| directive.starts_with(word));
        return match () {
            () if is_cpp => Evidence::Foreign(Cpp),
            () if starts(&["#![", "#["]) => Evidence::Foreign(Rust),
            () if line.starts_with("#!") && line.contains("python") => Evidence::Foreign(Python),
            () => Evidence::Nothing,
        };
    }
    // A directive, a guard, an instruction with a modifier.
    let is_directive = line.strip_prefix('.').is_some_and(letters);
    let is_guard = line.starts_with('@') && !line.contains(['(', '=']) && ends(&[';']);
    let is_instruction = first.contains('.') && letters(first) && ends(&[';']) && !line.contains(['(', '=']);
    if is_directive || is_guard || is_instruction {
        return Evidence::Ptx;
    }
    let is_python =
        starts(&["import ", "async def ", "if __name__", "\"\"\"", "'''", "r\"\"\"", "@triton.", "@cute.", "@gluon."])
            && !ends(&[';'])
            || line.starts_with("from ") && line.contains(" import ")
            || starts(&["def ", "class "]) && ends(&[':', '(', ','])
            || line.starts_with("@cuda.jit");
    let is_llvm = starts(&["; ModuleID", "target triple =", "target datalayout =", "source_filename ="])
        || starts(&["define ", "declare "]) && line.contains('@')
        || line.starts_with('%') && line.contains(" = type ")
        || line.starts_with('@')
            && [" global ", " constant "].iter().any(|word| line.contains(word))
            && line.contains(" = ");
    let is_rust = starts(&["use ", "extern crate ", "mod ", "pub mod ", "pub use "]) && ends(&[';', '{'])
        || starts(&[
            "fn ",
            "pub fn ",
            "unsafe fn ",
            "pub unsafe fn ",
            "pub const ",
            "pub(crate) ",
            "impl ",
            "impl<",
            "pub struct ",
        ])
        || line.starts_with("extern \"C\" fn");
    let is_julia = line.starts_with("using ") && !ends(&[';']) || starts(&["@asmcall", "Base.@", "@inline function "]);
    let is_cpp = starts(&[
        "extern \"C\"",
        "template<",
        "template <",
        "namespace ",
        "__global__",
        "__device__",
        "__host__",
        "__forceinline__",
        "static ",
        "inline ",
        "constexpr ",
        "typedef ",
        "struct ",
        "class ",
        "asm(",
        "asm (",
        "asm volatile",
        "__asm",
        "const ",
        "void ",
        "int ",
        "unsigned ",
        "float ",
        "double ",
        "auto ",
        "uint32_t ",
        "uint64_t ",
        "enum ",
    ]) || line.starts_with("using ") && ends(&[';']);
    match () {
        () if is_python => Evidence::Foreign(Python),
        () if is_llvm => Evidence::Foreign(LlvmIr),
        () if is_rust => Evidence::Foreign(Rust),
        () if is_julia => Evidence::Foreign(Julia),
        () if is_cpp => Evidence::Foreign(Cpp),
        () => Evidence::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::ForeignLanguage::{Cpp, Julia, LlvmIr, Python, Rust};
    use super::foreign_language;
    use std::borrow::Cow;

    #[test]
    fn first_lines_tell() {
        let of = |text: &str| foreign_language(text.lines().map(Cow::Borrowed));
        for (text, language) in [
            ("#include <cuda.h>\n", Some(Cpp)),
            ("/* licence\n * of it */\n\n__global__ void k() {}", Some(Cpp)),
            ("#ifndef A_H\n#define A_H\n\nnamespace a {", Some(Cpp)),
            ("// a\nextern \"C\" __global__ void k(int *o) { asm(\"mov.u32 %0, 1;\" : \"=r\"(o)); }", Some(Cpp)),
            ("asm volatile(\"bar.sync 0;\");", Some(Cpp)),
            ("# a comment\nimport triton\n", Some(Python)),
            ("\"\"\"What it does.\"\"\"\nx = 1", Some(Python)),
            ("@triton.jit\ndef k(x):\n    pass", Some(Python)),
            ("#![no_std]\nuse core::arch::asm;", Some(Rust)),
            ("use std::arch::asm;\nfn f() {}", Some(Rust)),
            ("; ModuleID = 'k'\nsource_filename = \"k\"", Some(LlvmIr)),
            ("define i32 @f(i32 %x) {\n", Some(LlvmIr)),
            ("using LLVM\n", Some(Julia)),
            ("//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.0\n#include \"x\"", None),
            ("/* a */ .version 8.0", None),
            ("# 1 \"k.ptx\"\n#define N 4\n.version 8.0\n", None),
            ("mov.u32 %r1, %tid.x;\nint x;", None),
            ("@%p1 bra L;\nvoid f();", None),
            ("@!p mov.b32 a, 1;", None),
            ("ret;\n}\n", None),
            ("", None),
            ("some words\n", None),
        ] {
            assert_eq!(of(text), language, "{text}");
        }
    }
}
