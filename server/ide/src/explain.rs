//! `explain`: the hover texts, looked up by name.

use crate::describe::{self, MarkdownPage};
use crate::hover::version;
use ptx_analysis::Code;
use ptx_analysis::semantics;
use ptx_isa::tables::Opcode;
use ptx_isa::{CUDA, ISA};

/// The text about a name, as Markdown. The name may be an instruction with or without its modifiers, a modifier, a type, a
/// special register, a directive, a target or a version. It may also be a diagnostic code or a CUDA C++ name. Case does not
/// matter.
pub fn explain(query: &str) -> Option<String> {
    let query = query.trim().trim_matches('`').trim_end_matches(';');
    let word = query.split_whitespace().next()?;
    let page = code(word).map(str::to_owned);
    let page = page.or_else(|| known(word).map(MarkdownPage::finish))?;
    (!page.is_empty()).then_some(page)
}

fn code(word: &str) -> Option<&'static str> {
    Code::named(&word.to_ascii_lowercase()).map(Code::page)
}

fn known(word: &str) -> Option<MarkdownPage> {
    if word.starts_with('%') {
        return special_register(word);
    }
    if word.starts_with(['.', '"', '@']) {
        return dot_word(word);
    }
    if let Some(page) = version(word).and_then(describe::version) {
        return Some(page);
    }
    if let Some(page) = instruction(word) {
        return Some(page);
    }
    if let Some(constant) = ISA.constants.iter().find(|c| c.name.eq_ignore_ascii_case(word)) {
        return Some(describe::constant(constant, None));
    }
    let lower = word.to_ascii_lowercase();
    describe::target(&lower, None)
        .or_else(|| dot_word(&format!(".{word}")))
        .or_else(|| special_register(&format!("%{word}")))
        .or_else(|| dot_word(&format!("\"{word}\"")))
        .or_else(|| cuda(word))
}

/// The page about a CUDA C++ name: its PTX equivalent, followed by the pages about that. A call stands for the called
/// function.
fn cuda(word: &str) -> Option<MarkdownPage> {
    let name = word.split(['(', '<']).next().unwrap_or(word);
    let exact = CUDA.iter().find(|c| c.name == name);
    let found = exact.or_else(|| CUDA.iter().find(|c| c.name.eq_ignore_ascii_case(name)))?;
    let spellings: Vec<String> = found.spellings().map(|s| format!("`{s}`")).collect();
    let words = if found.words.is_empty() { String::new() } else { format!(" ({})", found.words) };
    let mut page = MarkdownPage::default();
    page.text(format!("`{}` of CUDA C++ is {} in PTX{words}.", found.name, spellings.join(" or ")));
    let mut seen = Vec::new();
    for word in found.words_of_ptx().filter(|w| !w.eq_ignore_ascii_case(name)) {
        if !seen.contains(&word) {
            seen.push(word);
            page.page(known(word).unwrap_or_default());
        }
    }
    Some(page)
}

fn special_register(word: &str) -> Option<MarkdownPage> {
    let lower = word.to_ascii_lowercase();
    let name = lower.split('.').next().unwrap_or(&lower);
    if let Some(register) = ISA.special_register(name) {
        return Some(describe::special_register(register, &lower, None));
    }
    // `%envreg` or `%envreg<32>` stands for the whole family.
    let base = name.split('<').next().unwrap_or(name);
    let family = ISA.special_registers.iter().find(|r| r.name == base)?;
    Some(describe::special_register(family, family.name, None))
}

/// The page about a modifier, type, state space or directive; all meanings of the name are included.
fn dot_word(word: &str) -> Option<MarkdownPage> {
    let mut page = MarkdownPage::default();
    let name = spelled(word)?;
    page.page(describe::dot_word(name, None));
    if let Some(modifier) = ISA.modifier(name)
        && (ISA.directive(name).is_some() || ISA.space(name).is_some() || ISA.ty(name).is_some())
    {
        page.page(describe::modifier_alone(modifier));
    }
    let takers = describe::takers(name);
    if !takers.is_empty() {
        page.text(format!("Used by {}.", describe::words(takers, 40)));
    }
    (!page.is_empty()).then_some(page)
}

/// The spelling of a word in the tables; some have capitals: `.L2::cache_hint`.
fn spelled(word: &str) -> Option<&'static str> {
    let names = || {
        let directives = ISA.directives.iter().map(|d| d.name);
        let types = ISA.types.iter().map(|t| t.name);
        let spaces = ISA.spaces.iter().map(|s| s.name);
        let modifiers = ISA.modifiers.iter().map(|m| m.name);
        let slots = ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
        directives.chain(types).chain(spaces).chain(modifiers).chain(slots.flat_map(|s| s.values).copied())
    };
    names().find(|n| *n == word).or_else(|| names().find(|n| n.eq_ignore_ascii_case(word)))
}

fn instruction(word: &str) -> Option<MarkdownPage> {
    let lower = word.to_ascii_lowercase();
    let opcode = ISA.opcode(lower.split('.').next()?)?;
    let modifiers: Vec<String> = word.split('.').skip(1).map(|m| modifier_of(opcode, &format!(".{m}"))).collect();
    let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
    if modifiers.is_empty() {
        return Some(describe::entries(opcode, |_| true, None));
    }
    // The name of an instruction, `mbarrier.try_wait`, or the common beginning of several.
    let begins = |path: &[&str]| path.len() >= modifiers.len() && path[..modifiers.len()] == modifiers[..];
    if opcode.entries.iter().any(|e| begins(e.path)) {
        return Some(describe::entries(opcode, |e| begins(e.path), None));
    }
    let head = semantics::mnemonic(opcode, &modifiers)?;
    if !head.entry.checked {
        return Some(describe::unchecked(head.entry));
    }
    if head.mismatch.is_some()
        && let Some(page) = describe::with_modifiers(opcode, &modifiers)
    {
        return Some(page);
    }
    if let Some(mismatch) = &head.mismatch {
        return Some(describe::mismatch(opcode, &head, mismatch));
    }
    let candidate = head.candidates.first()?;
    // The variant with all operands.
    let variant = candidate.variants.iter().rev().find(|a| a.broken.is_none()).or(candidate.variants.last())?;
    Some(describe::instruction(opcode, &head, describe::Chosen { candidate, variant }, None))
}

/// The spelling of a modifier in the forms of an opcode.
fn modifier_of(opcode: &'static Opcode, written: &str) -> String {
    let forms = || opcode.entries.iter().flat_map(|e| e.forms);
    let values = || forms().flat_map(|f| f.slots).flat_map(|s| s.values);
    let known = values().find(|v| **v == written).or_else(|| values().find(|v| v.eq_ignore_ascii_case(written)));
    known.map_or_else(|| written.to_owned(), |v| (*v).to_owned())
}
