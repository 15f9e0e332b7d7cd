//! Compiles `data/usage.tsv` and `data/templates.tsv` (docs/dev/usage.md), `data/assembler.tsv`, `data/tools.tsv`, `data/releases.tsv`,
//! `data/constraints.tsv` and `data/values.tsv` to Rust source. The ISA must know all words in them.

use super::error::{Error, Result};
use crate::tables::{Isa, SpecialRegister, Version};
use std::fmt::Write;

/// The kinds of operands, in rows of the kind `operand`.
const OPERANDS: [&str; 4] = ["register", "special", "name", "number"];

pub(super) struct TableRow<'a> {
    file: &'a str,
    number: usize,
}

impl TableRow<'_> {
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error { file: self.file.to_owned(), line: self.number, column: 1, message: message.into() }
    }
}

/// The rows of a file, without comments and empty lines: the columns are separated by tabs.
pub(super) fn rows<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = (TableRow<'a>, Vec<&'a str>)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(move |(index, line)| (TableRow { file, number: index + 1 }, line.split('\t').collect()))
}

/// Compiles the table of word frequencies by context to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, out of order, or has a word that the ISA tables do not have.
pub fn usage(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let mut out = String::from(
        "/// How often what follows what, as counted in `data/usage.tsv`.\npub static USAGE: UsageTable = UsageTable { contexts: &[\n",
    );
    let mut last = ("", "");
    for (row, columns) in rows(file, text) {
        let [kind, context, words @ ..] = columns.as_slice() else {
            return Err(row.error("expected a kind, a context and words, separated by tabs"));
        };
        if (*kind, *context) <= last {
            return Err(row.error(format!("`{kind} {context}` is not behind the row before it, in the order of bytes")));
        }
        last = (kind, context);
        if !known_context(isa, kind, context) {
            return Err(
                row.error(format!("the context `{context}` of kind `{kind}` has a word that the tables do not know"))
            );
        }
        if words.is_empty() {
            return Err(row.error("no words"));
        }
        let _ = write!(out, "({kind:?},{context:?},&[");
        for entry in words {
            let (word, weight) = entry.rsplit_once(' ').unwrap_or((entry, ""));
            let Some(weight) = weight.parse::<u32>().ok().filter(|w| *w > 0) else {
                return Err(row.error(format!("`{entry}` is not a word and its weight")));
            };
            if !known_word(isa, kind, word) {
                return Err(row.error(format!("the tables do not know `{word}` as a word of kind `{kind}`")));
            }
            let _ = write!(out, "({word:?},{weight}),");
        }
        out.push_str("]),\n");
    }
    out.push_str("] };\n");
    Ok(out)
}

fn known_word(isa: &Isa, kind: &str, word: &str) -> bool {
    match kind {
        "mnemonic" => word == "-" || modifiers(word).is_some_and(|all| all.iter().all(|m| is_modifier(isa, m))),
        "next" | "guarded" => is_opcode(isa, word) || is_directive(isa, word),
        "special" => is_special(isa, word),
        "operand" => OPERANDS.contains(&word),
        "name" => isa.types.iter().any(|t| t.name == word),
        "declare" | "module" | "header" => is_directive(isa, word) || is_modifier(isa, word),
        _ => false,
    }
}

fn known_context(isa: &Isa, kind: &str, context: &str) -> bool {
    let statement = |class: &str| {
        let class = class.trim_start_matches('@');
        let class = class.split('/').next().unwrap_or(class);
        let (opcode, end) = class.split_once('.').unwrap_or((class, ""));
        matches!(class, "*" | "{" | ":")
            || is_directive(isa, class)
            || (is_opcode(isa, opcode)
                && modifiers(&format!(".{end}")).is_some_and(|all| all.iter().all(|m| m == "." || is_modifier(isa, m))))
    };
    let dotted = |word: &str| matches!(word, "*" | "(" | ")") || is_directive(isa, word) || is_modifier(isa, word);
    match kind {
        "mnemonic" => is_opcode(isa, context),
        "next" | "guarded" => context.split(' ').all(statement),
        "special" => is_special(isa, context) || statement(context),
        "operand" => context.rsplit_once(' ').is_some_and(|(m, n)| statement(m) && n.parse::<u8>().is_ok()),
        "name" => !context.is_empty(),
        "declare" | "module" | "header" => context.split(' ').all(dotted),
        _ => false,
    }
}

/// `.shared::cta.b32` → `.shared::cta`, `.b32`.
fn modifiers(text: &str) -> Option<Vec<String>> {
    text.strip_prefix('.').map(|rest| rest.split('.').map(|m| format!(".{m}")).collect())
}

fn is_opcode(isa: &Isa, word: &str) -> bool {
    isa.opcodes.iter().any(|o| o.name == word)
}

fn is_directive(isa: &Isa, word: &str) -> bool {
    isa.directives.iter().any(|d| d.name == word) || isa.spaces.iter().any(|s| s.name == word)
}

fn is_modifier(isa: &Isa, word: &str) -> bool {
    let named = isa.modifiers.iter().any(|m| m.name == word) || isa.types.iter().any(|t| t.name == word);
    named || isa.spaces.iter().any(|s| s.name == word)
}

fn is_special(isa: &Isa, word: &str) -> bool {
    let (name, component) = word.split_once('.').unwrap_or((word, ""));
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let fits = |r: &SpecialRegister| r.name == name || (r.count > 0 && r.name == base);
    isa.special_registers.iter().any(|r| fits(r) && (component.is_empty() || r.components.contains(component)))
}

/// Compiles the table of the mnemonics that are used most to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, out of order, or has a word that the ISA tables do not have.
pub fn templates(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let mut out = String::from(
        "/// The whole mnemonics that real files use most, in the order of bytes, as counted in `data/templates.tsv`.\npub static TEMPLATES: &[UsedMnemonic] = &[\n",
    );
    let mut last = "";
    for (row, columns) in rows(file, text) {
        let [mnemonic, weight, files] = columns.as_slice() else {
            return Err(row.error("expected a mnemonic, its weight and a number of files, separated by tabs"));
        };
        if *mnemonic <= last {
            return Err(row.error(format!("`{mnemonic}` is not behind the row before it, in the order of bytes")));
        }
        last = mnemonic;
        let (opcode, end) = mnemonic.split_at(mnemonic.find('.').unwrap_or(mnemonic.len()));
        let known = end.is_empty() || modifiers(end).is_some_and(|all| all.iter().all(|m| is_modifier(isa, m)));
        if !is_opcode(isa, opcode) || !known {
            return Err(row.error(format!("the tables do not know all words of `{mnemonic}`")));
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n > 0);
        let (Some(weight), Some(_)) = (number(weight), number(files)) else {
            return Err(row.error("the weight and the number of files are positive integers"));
        };
        let _ = writeln!(out, "UsedMnemonic{{opcode:{opcode:?},modifiers:{end:?},weight:{weight}}},");
    }
    out.push_str("];\n");
    Ok(out)
}

/// The word of a PTX spelling that the ISA tables do not have. Only the first word is checked: a mnemonic, a special register
/// or a directive.
pub(super) fn unknown(isa: &Isa, spelling: &str) -> Option<String> {
    let first = spelling.split_whitespace().next().unwrap_or("");
    if is_special(isa, first) || is_directive(isa, first) || isa.constants.iter().any(|c| c.name == first) {
        return None;
    }
    if first.starts_with('.')
        && (isa.modifiers.iter().any(|m| m.name == first) || isa.types.iter().any(|t| t.name == first))
    {
        return None;
    }
    let (opcode, rest) = first.split_once('.').unwrap_or((first, ""));
    let Some(opcode) = isa.opcodes.iter().find(|o| o.name == opcode) else { return Some(opcode.to_owned()) };
    let mut all = modifiers(&format!(".{rest}")).unwrap_or_default();
    all.retain(|m| m != ".");
    // All of them together must be modifiers of one form.
    let slots = |m: &String| {
        opcode.entries.iter().flat_map(|e| e.forms).any(|f| f.slots.iter().any(|s| s.values.contains(&m.as_str())))
    };
    all.into_iter().find(|m| !slots(m))
}

/// The word of a spelling that the tables lack, where types, state spaces and modifiers may stand alone too.
pub(super) fn unknown_word(isa: &Isa, spelling: &str) -> Option<String> {
    let sign = spelling.starts_with(['.', '%', '"', '@']);
    let target = isa.targets.iter().any(|t| t.name == spelling);
    if target || (sign && (is_modifier(isa, spelling) || is_directive(isa, spelling))) {
        return None;
    }
    let slot = |f: &crate::tables::Form| f.slots.iter().any(|s| s.values.contains(&spelling));
    if sign && isa.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).any(slot) {
        return None;
    }
    unknown(isa, spelling)
}

/// Compiles the tables of messages of the assembler and other tools, each a file with its text, to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, or has the pattern of another one.
pub fn assembler_messages(files: &[(&str, &str)]) -> Result<String> {
    let mut out = String::from(
        "/// What the assembler and other tools say, as declared in `data/assembler.tsv` and `data/tools.tsv`.\npub static ASSEMBLER_MESSAGES: &[AssemblerMessage] = &[\n",
    );
    let mut before: Vec<&str> = Vec::new();
    for (row, columns) in files.iter().flat_map(|(file, text)| rows(file, text)) {
        let (pattern, codes, meaning, number) = match columns.as_slice() {
            [pattern, codes, meaning] => (pattern, codes, meaning, ""),
            [pattern, codes, meaning, number] => (pattern, codes, meaning, *number),
            _ => {
                return Err(row.error(
                    "expected a pattern, names of diagnostics, a meaning and perhaps a number, separated by tabs",
                ));
            }
        };
        if pattern.to_lowercase() != **pattern || meaning.is_empty() {
            return Err(row.error(format!("`{pattern}` is not in lower case, or has no meaning")));
        }
        if before.contains(pattern) {
            return Err(row.error(format!("`{pattern}` stands in another row, too")));
        }
        before.push(pattern);
        let codes: Vec<&str> = codes.split_whitespace().collect();
        let _ = writeln!(
            out,
            "AssemblerMessage{{pattern:{pattern:?},codes:&{codes:?},meaning:{meaning:?},number:{number:?}}},"
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// Compiles the table of CUDA releases to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, out of order, or has a PTX version that the ISA tables do not have.
pub fn releases(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let mut out = String::from(
        "/// The releases of CUDA, ascending, as declared in `data/releases.tsv`.\npub static RELEASES: &[CudaRelease] = &[\n",
    );
    let mut last = (0, 0);
    for (row, columns) in rows(file, text) {
        let [cuda, driver, ptx] = columns.as_slice() else {
            return Err(
                row.error("expected a CUDA release, a branch of the driver and a PTX version, separated by tabs")
            );
        };
        let parse = |text: &str| {
            let (major, minor) = text.split_once('.')?;
            Some((major.parse::<u16>().ok()?, minor.parse::<u16>().ok()?))
        };
        let Some(number) = parse(cuda).filter(|number| *number > last) else {
            return Err(row.error(format!("`{cuda}` is not a release behind the one before it")));
        };
        last = number;
        let driver = match driver.parse::<u16>() {
            Ok(driver) => Some(driver),
            Err(_) if *driver == "-" => None,
            Err(_) => return Err(row.error(format!("`{driver}` is not a branch of the driver"))),
        };
        let known = |(major, minor)| isa.versions.iter().any(|v| v.version == Version { major, minor });
        let Some((major, minor)) = parse(ptx).filter(|version| known(*version)) else {
            return Err(row.error(format!("the tables do not know PTX {ptx}")));
        };
        let _ =
            writeln!(out, "CudaRelease{{cuda:{cuda:?},driver:{driver:?},ptx:Version{{major:{major},minor:{minor}}}}},");
    }
    out.push_str("];\n");
    Ok(out)
}

/// Compiles the table of constraints of inline assembly to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed, or has a type that the ISA tables do not have.
pub fn constraints(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let mut out = String::from(
        "/// The constraints of operands of inline assembly, as declared in `data/constraints.tsv`.\npub static ASM_CONSTRAINTS: &[AsmConstraint] = &[\n",
    );
    for (row, columns) in rows(file, text) {
        let [letter, ty, compilers, class, types] = columns.as_slice() else {
            return Err(row.error(
                "expected a letter, a type, compilers, a register class and types of the CuTe DSL, separated by tabs",
            ));
        };
        let kind = match *ty {
            "constant" => "ConstraintKind::Constant".to_owned(),
            "text" => "ConstraintKind::Text".to_owned(),
            ty if isa.types.iter().any(|t| t.name == ty) => format!("ConstraintKind::Register({ty:?})"),
            ty => return Err(row.error(format!("the tables do not know the type `{ty}`"))),
        };
        let (mut nvcc, mut ptx_asm, mut llvm) = ("No", false, false);
        for compiler in compilers.split(' ') {
            match compiler {
                "nvcc" => nvcc = "Documented",
                "nvcc?" => nvcc = "Undocumented",
                "ptx_asm" => ptx_asm = true,
                "llvm" => llvm = true,
                _ => return Err(row.error(format!("expected `nvcc`, `nvcc?`, `ptx_asm` or `llvm`, not `{compiler}`"))),
            }
        }
        let class = if *class == "-" { "" } else { class };
        let types: Vec<&str> = types.split(' ').filter(|name| *name != "-").collect();
        let _ = writeln!(
            out,
            "AsmConstraint{{letter:{letter:?},kind:{kind},nvcc:NvccSupport::{nvcc},ptx_asm:{ptx_asm},llvm:{llvm},class:{class:?},types:&{types:?}}},"
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// Compiles the table of suggested operand values to a Rust item.
///
/// # Errors
/// Returns the first row that is malformed or has an instruction, operand or modifier that the ISA tables do not have.
pub fn values(file: &str, text: &str, isa: &Isa) -> Result<String> {
    let mut out = String::from(
        "/// Values that operands often have, the likeliest of an operand first, as declared in `data/values.tsv`.\npub static VALUES: &[Suggested] = &[\n",
    );
    for (row, columns) in rows(file, text) {
        let [instruction, operand, with, value, words, implied] = columns.as_slice() else {
            return Err(row.error(
                "expected an instruction, an operand, a modifier, a value, words and `implied` or `-`, separated by tabs",
            ));
        };
        let implied = match *implied {
            "implied" => true,
            "-" => false,
            word => return Err(row.error(format!("expected `implied` or `-`, not `{word}`"))),
        };
        if *instruction != "*" && unknown(isa, instruction).is_some() {
            return Err(row.error(format!("the tables do not know `{instruction}`")));
        }
        if *with != "-" && !is_modifier(isa, with) {
            return Err(row.error(format!("the tables do not know the modifier `{with}`")));
        }
        let with = if *with == "-" { "" } else { with };
        let _ = writeln!(
            out,
            "Suggested{{instruction:{instruction:?},operand:{operand:?},with:{with:?},value:{value:?},words:{words:?},implied:{implied}}},"
        );
    }
    out.push_str("];\n");
    Ok(out)
}
