//! One file per diagnostic: its data, its message and its fixes. The pages about them are `docs/diagnostics/*.md`.

pub(crate) mod address_size;
pub(crate) mod alias;
pub(crate) mod alignment;
pub(crate) mod array_size;
pub(crate) mod asm;
pub(crate) mod attribute;
pub(crate) mod branch_target;
pub(crate) mod call_arguments;
pub(crate) mod call_target;
pub(crate) mod constant_expression;
pub(crate) mod constant_memory_limit;
pub(crate) mod constant_overflow;
pub(crate) mod debug_directive;
pub(crate) mod declaration_mismatch;
pub(crate) mod deprecated;
pub(crate) mod directive_argument;
pub(crate) mod directive_conflict;
pub(crate) mod division_by_zero;
pub(crate) mod duplicate_modifier;
pub(crate) mod duplicate_name;
pub(crate) mod excess_shift;
pub(crate) mod gates;
pub(crate) mod guard_predicate;
pub(crate) mod ignored_modifier;
pub(crate) mod illegal_combination;
pub(crate) mod initializer;
pub(crate) mod launch_limit;
pub(crate) mod linkage;
pub(crate) mod malformed_number;
pub(crate) mod misaligned_address;
pub(crate) mod misplaced_declaration;
pub(crate) mod misplaced_directive;
pub(crate) mod misread_value;
pub(crate) mod missing_directive;
pub(crate) mod missing_modifier;
pub(crate) mod modifier_not_allowed;
pub(crate) mod modifier_order;
pub(crate) mod module_header;
pub(crate) mod narrow_address;
pub(crate) mod not_assembled;
pub(crate) mod not_portable;
pub(crate) mod odd_element;
pub(crate) mod operand_count;
pub(crate) mod operand_kind;
pub(crate) mod operand_range;
pub(crate) mod operand_type;
pub(crate) mod out_of_bounds;
pub(crate) mod parameter_access;
pub(crate) mod parameter_list;
pub(crate) mod parameter_size;
pub(crate) mod pragma;
pub(crate) mod project_target;
pub(crate) mod project_version;
pub(crate) mod redundant_directive;
pub(crate) mod removed;
pub(crate) mod required_size;
pub(crate) mod requires_target;
pub(crate) mod requires_version;
pub(crate) mod reserved_name;
pub(crate) mod state_space;
pub(crate) mod syntax_error;
pub(crate) mod truncated_value;
pub(crate) mod unbracketed_address;
pub(crate) mod undeclared_name;
pub(crate) mod undefined_function;
pub(crate) mod unknown_directive;
pub(crate) mod unknown_modifier;
pub(crate) mod unknown_opcode;
pub(crate) mod unknown_pragma;
pub(crate) mod unused_bits;
pub(crate) mod unusual_modifier_order;
pub(crate) mod variable_type;
pub(crate) mod vector_length;
pub(crate) mod vector_type;

use crate::diagnostic::Fix;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// The known name that is most similar to a misspelt one, if it is similar enough for a typing mistake.
pub(crate) fn suggest<'n>(found: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A name of one letter is like all others.
    let limit = if found.len() < 2 { 0 } else { (found.len() / 3).clamp(1, 3) };
    let bytes = bytes_of(found);
    known
        .into_iter()
        .filter(|name| name.len().abs_diff(found.len()) <= limit && may_be_near(bytes, found, name, limit))
        .filter_map(|name| {
            // Mangled names have hundreds of characters and share most of them. Only the differing middle is compared.
            let (a, b) = differing(found, name);
            let distance =
                if a.len().max(b.len()) > MAX_COMPARED { return None } else { strsim::damerau_levenshtein(a, b) };
            (1..=limit).contains(&distance).then_some((distance, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// The set of the bytes of a text, a bit for each. Several bytes share a bit.
fn bytes_of(text: &str) -> u64 {
    text.bytes().fold(0, |all, byte| all | 1 << (byte & 63))
}

/// A quick test before two names are compared: false only if more than `limit` edits lie between them, since each character that only one of
/// them has takes an edit. `bytes` is the set of bytes of `found`.
fn may_be_near(bytes: u64, found: &str, name: &str, limit: usize) -> bool {
    let others = bytes_of(name);
    let edits = (bytes & !others).count_ones().max((others & !bytes).count_ones());
    // An edit replaces a character, which may have several bytes.
    edits as usize <= limit || !found.is_ascii() || !name.is_ascii()
}

/// The fix that replaces a range with a similar name, if there is such a name.
pub(crate) fn write_instead(range: Range<usize>, near: Option<&str>) -> Option<Fix> {
    near.map(|near| Fix::replace(format!("Write `{near}`"), range, near))
}

/// The beginning of a text, at most 40 characters, for a message.
pub(crate) fn excerpt(text: &str) -> Box<str> {
    const MAX_SHOWN: usize = 40;
    let end = text.char_indices().nth(MAX_SHOWN).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or("").into()
}

/// Maximum length, in bytes, of the differing parts of two names that are compared. Longer differences are not typing mistakes.
const MAX_COMPARED: usize = 32;

/// Two texts without their common beginning and end.
fn differing<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let start =
        a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or(a.len().min(b.len()), |((i, _), _)| i);
    let (a, b) = (&a[start..], &b[start..]);
    let same =
        a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum::<usize>();
    (&a[..a.len() - same], &b[..b.len() - same])
}

/// A list of names for a message: `` `.a`, `.b` or `.c` ``. It has at most 16 names.
pub(crate) fn one_of(names: &[&str]) -> String {
    const MAX_LISTED: usize = 16;
    let quoted: Vec<String> = names.iter().take(MAX_LISTED).map(|n| format!("`{n}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        _ if names.len() > MAX_LISTED => format!("{} …", quoted.join(", ")),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// ``did you mean `.a` or `.b`?``; `None` for no names.
pub(crate) fn did_you_mean(names: &[&str]) -> Option<String> {
    (!names.is_empty()).then(|| format!("did you mean {}?", one_of(names)))
}

/// A name of CUDA C++ or a word of another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignWord {
    /// Its spellings in PTX. None if PTX has nothing like it.
    pub spellings: Vec<&'static str>,
    /// What else to know.
    pub words: &'static str,
    /// Whether nothing stands in its place in PTX.
    pub left_out: bool,
}

impl ForeignWord {
    /// What the word, which is written as `name`, is in PTX: `` `threadIdx` is `%tid` in PTX ``.
    pub(crate) fn in_ptx(&self, name: &str) -> String {
        let words = self.words;
        if self.left_out {
            return format!("PTX has no `{name}`: leave it out ({words})");
        }
        if self.spellings.is_empty() {
            return format!("PTX has no `{name}`: {words}");
        }
        let spellings: Vec<String> = self.spellings.iter().map(|s| format!("`{s}`")).collect();
        let words = if words.is_empty() { String::new() } else { format!("; {words}") };
        format!("`{name}` is {} in PTX{words}", spellings.join(" or "))
    }
}

/// A name of CUDA C++ or a word of another language in the tables; machine instructions (SASS) in upper or lower case.
pub(crate) fn foreign(name: &str) -> Option<ForeignWord> {
    // Each undeclared name is looked up whenever its message is made.
    static NAMES: OnceLock<HashMap<&str, &ptx_isa::tables::Cuda>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let mut out = HashMap::default();
        for cuda in ptx_isa::OTHER_NAMES.iter().chain(ptx_isa::CUDA) {
            out.entry(cuda.name).or_insert(cuda);
            // An index without its component: `threadIdx` of `threadIdx.x`.
            out.entry(cuda.name.strip_suffix(".x").unwrap_or(cuda.name)).or_insert(cuda);
        }
        out
    });
    let upper = name.bytes().any(|b| b.is_ascii_uppercase());
    // `R#` is any register of machine code: `R0`, `R255`.
    let numbered = || {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (upper && stem.len() < name.len()).then(|| format!("{stem}#"))
    };
    let found = names
        .get(name)
        .copied()
        .or_else(|| names.get(numbered()?.as_str()).copied())
        .or_else(|| names.get(name.to_ascii_lowercase().as_str()).copied().filter(|_| upper))?;
    let whole = found.name.len() == name.len();
    let spelling = |s: &'static str| if whole { s } else { s.trim_end_matches(".x") };
    Some(ForeignWord {
        spellings: found.spellings().map(spelling).collect(),
        words: found.words,
        left_out: found.is_left_out(),
    })
}

/// An instruction of machine code with its modifiers, as far as the tables know it: `IMAD.WIDE` of `IMAD.WIDE.U32`. The number is that
/// of the modifiers.
pub(crate) fn machine_instruction(opcode: &str, modifiers: &[&str]) -> Option<(ForeignWord, usize)> {
    if !opcode.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    (1..=modifiers.len()).rev().find_map(|count| {
        let written = format!("{opcode}{}", modifiers.get(..count)?.concat()).to_ascii_lowercase();
        Some((foreign(&written)?, count))
    })
}

/// The name at the beginning of an operand, without its component: `blockIdx` of `blockIdx.x`.
pub(crate) fn first_name(text: &str) -> &str {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))).next().unwrap_or("")
}

/// The word at the beginning of a text.
fn first_word(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))).next().filter(|w| !w.is_empty())
}

/// What a name of CUDA C++ or a word of another language is in PTX: `` `threadIdx` is `%tid` in PTX ``; `None` for any other word.
pub(crate) fn in_ptx(name: &str) -> Option<String> {
    foreign(name).map(|word| word.in_ptx(name))
}

/// [`foreign`] in the place of an operand, where a name such as `load` is not an instruction: only words for values and special registers.
pub fn foreign_operand(name: &str) -> Option<ForeignWord> {
    let is_value = |s: &&str| {
        let word = s.split('.').next().unwrap_or(s);
        s.starts_with(|c: char| c.is_ascii_digit())
            || ptx_isa::ISA.constant(word).is_some()
            || ptx_isa::ISA.special_register(word).is_some()
    };
    let word = foreign(name)
        .or_else(|| foreign(name.strip_prefix('%')?).filter(|word| !word.spellings.is_empty()))
        .or_else(|| special_register(name));
    word.filter(|word| match word.spellings.as_slice() {
        [] => true,
        all => all.iter().all(is_value),
    })
}

/// A special register without its `%`.
fn special_register(name: &str) -> Option<ForeignWord> {
    // A register of one's own may have a short name.
    const MIN_LENGTH: usize = 3;
    let register = ptx_isa::ISA.special_register(&format!("%{name}")).filter(|_| name.len() >= MIN_LENGTH)?;
    Some(ForeignWord { spellings: vec![register.name], words: "special registers begin with `%`", left_out: false })
}

/// What an operand is for, from the words of the tables: `` `lut`: the truth table ``.
pub(crate) fn meaning(operand: &str, words: &str) -> String {
    let words = words.trim_end_matches('.');
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    // `B lies …` and `CTA` keep their first letter.
    let is_word = words.starts_with("A ") || letters.as_str().starts_with(char::is_lowercase);
    let words = if is_word { format!("{first}{}", letters.as_str()) } else { words.to_owned() };
    format!("`{operand}`: {words}")
}

/// `a, b and c`.
pub(crate) fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{one_of, suggest};

    #[test]
    fn suggestions_are_near() {
        assert_eq!(suggest("mvo", ["mov", "mul"]), Some("mov"));
        assert_eq!(suggest(".gloabl", [".global", ".local"]), Some(".global"));
        assert_eq!(suggest("frobnicate", ["mov", "add"]), None);
        assert_eq!(suggest("mov", ["mov"]), None, "the name itself is not a suggestion");
        // A character of several bytes is one edit, and so are two characters that change places.
        assert_eq!(suggest("größen", ["grÜßen", "gr\u{30000}ßen"]), Some("grÜßen"));
        assert_eq!(suggest("abdc", ["abcd", "xyzw"]), Some("abcd"));
        let long = "_ZN3cub17DeviceScanKernel".repeat(20);
        assert_eq!(suggest(&format!("{long}x"), [long.as_str()]), Some(long.as_str()));
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(one_of(&[".a", ".b", ".c"]), "`.a`, `.b` or `.c`");
        assert_eq!(one_of(&[".a"]), "`.a`");
    }
}
