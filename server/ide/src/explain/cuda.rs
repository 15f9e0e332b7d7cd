//! Names of CUDA C++, and words of other languages and assemblers.

use ptx_isa::tables::{Cuda, Entry};
use ptx_isa::{CUDA, ISA, OTHER_NAMES, SASS};

/// What users write in place of the namespace in the table.
const NAMESPACES: &[(&str, &str)] = &[
    ("", ""),
    ("cg::", "cooperative_groups::"),
    ("", "cooperative_groups::"),
    ("wmma::", "nvcuda::wmma::"),
    ("", "nvcuda::wmma::"),
    ("cde::", "cuda::device::experimental::"),
    ("", "cuda::device::experimental::"),
    ("", "cuda::"),
    ("std::", "cuda::std::"),
    ("cute::", ""),
    ("cutlass::", ""),
    ("", "__"),
    ("::", ""),
];

/// The name that is spelled so; a call and a template stand for the name in front.
pub fn exactly(word: &str) -> Option<&'static Cuda> {
    let name = word.split(['(', '<', ';']).next().unwrap_or(word);
    CUDA.iter().find(|c| c.name == name)
}

/// The name that a word of C++ stands for; a call, a template and a member stand for the name in front.
pub fn named(word: &str) -> Option<&'static Cuda> {
    let name = word.split(['(', '<', ';']).next().unwrap_or(word);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == ':') {
        return None;
    }
    let spelled = |same: &dyn Fn(&str, &str) -> bool| {
        NAMESPACES
            .iter()
            .filter_map(|(written, whole)| Some(format!("{whole}{}", name.strip_prefix(written)?)))
            .find_map(|full| CUDA.iter().find(|c| same(c.name, &full)))
    };
    spelled(&|a, b| a == b)
        .or_else(|| spelled(&|a, b| a.eq_ignore_ascii_case(b)))
        // A member of a type, as far as the type is known: `cuda::barrier::foo`.
        .or_else(|| name.rsplit_once("::").and_then(|(owner, _)| CUDA.iter().find(|c| c.name == owner)))
}

/// The word of another language or assembler.
pub fn other(word: &str) -> Option<&'static Cuda> {
    OTHER_NAMES.iter().find(|other| other.name.eq_ignore_ascii_case(word))
}

/// The machine instruction of a mnemonic: the longest name that begins it. `STG.E.128` is `STG`.
pub fn machine(word: &str) -> Option<&'static Cuda> {
    let begins = |name: &str| {
        let start = word.get(..name.len());
        start.is_some_and(|s| s.eq_ignore_ascii_case(name))
            && matches!(word.as_bytes().get(name.len()), None | Some(b'.'))
    };
    SASS.iter().filter(|machine| begins(machine.name)).max_by_key(|machine| machine.name.len())
}

/// The instruction that a function of `cuda::ptx` stands for: its name with `_` in place of dots.
pub fn of_ptx_namespace(word: &str) -> Option<&'static Entry> {
    let name = word
        .split(['(', '<'])
        .next()?
        .strip_prefix("cuda::ptx::")
        .or_else(|| word.split(['(', '<']).next()?.strip_prefix("ptx::"))?;
    let spelled = |entry: &Entry| entry.name.replace("::", "_").replace('.', "_");
    let entries = ISA.opcodes.iter().flat_map(|o| o.entries);
    let begins = |entry: &&Entry| {
        let own = spelled(entry);
        name == own || name.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('_'))
    };
    entries.filter(begins).max_by_key(|e| e.name.len())
}
