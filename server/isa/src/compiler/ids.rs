//! Generates the source of the enumerations with which code names semantics, modifiers, slots and operands of the tables.

use super::exec;
use crate::tables::{FormValue, Isa};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The name of the variant for a name of the tables: `mbarrier.try_wait` becomes `MbarrierTryWait`, `.L2::128B` becomes
/// `L2_128B`, `.32x128b` becomes `_32x128b`.
pub fn variant(name: &str) -> String {
    let mut out = String::new();
    for word in name.split(['.', ':', '_', '-']) {
        let mut letters = word.chars();
        let Some(first) = letters.next() else { continue };
        // An identifier cannot begin with a digit, and two consecutive numbers must stay apart.
        if first.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_digit())
            || out.is_empty() && first.is_ascii_digit()
        {
            out.push('_');
        }
        out.push(first.to_ascii_uppercase());
        out.push_str(letters.as_str());
    }
    out
}

/// For each name, the instructions that use it.
type Users<'a> = BTreeMap<&'a str, BTreeSet<&'static str>>;

/// The source of all enumerations.
///
/// # Errors
/// If two names would become the same variant.
pub fn source(isa: &Isa) -> Result<String, String> {
    let (mut modifiers, mut slots, mut operands) = (Users::new(), Users::new(), Users::new());
    for entry in isa.opcodes.iter().flat_map(|opcode| opcode.entries) {
        for form in entry.forms {
            for slot in form.slots {
                for value in slot.values {
                    modifiers.entry(value).or_default().insert(entry.name);
                }
                if !slot.name.starts_with('.') {
                    slots.entry(slot.name).or_default().insert(entry.name);
                }
            }
            for FormValue { name, .. } in form.operands.iter().flat_map(|o| o.pattern.values()) {
                operands.entry(name).or_default().insert(entry.name);
            }
        }
    }
    let keys = exec::keys(isa).into_iter().map(|(key, names)| (key, names.into_iter().collect())).collect();
    let mut out = String::new();
    for (name, doc, users) in [
        ("Exec", "What executes an instruction: one variant for each key that `exec` names in the data files.", keys),
        ("Modifier", "A modifier that some form takes; its name has the dot.", modifiers),
        ("SlotName", "The name of a slot of some form, whose modifier is one of a set.", slots),
        ("OperandName", "The name of an operand of some form.", operands),
    ] {
        out.push_str(&enumeration(name, doc, &users)?);
    }
    Ok(out)
}

/// The source of one enumeration.
fn enumeration(name: &str, doc: &str, users: &Users<'_>) -> Result<String, String> {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let (mut variants, mut all, mut names) = (String::new(), String::new(), String::new());
    for (text, instructions) in users {
        let variant = variant(text);
        let mut list: Vec<String> = instructions.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
        if instructions.len() > MAX_LISTED {
            list.push("…".to_owned());
        }
        // Writing to a String cannot fail.
        let _ = writeln!(variants, "    /// `{text}`, of {}.\n    {variant},", list.join(", "));
        let _ = writeln!(all, "        Self::{variant},");
        let _ = writeln!(names, "        {text:?},");
        if let Some(other) = taken.insert(variant.clone(), text) {
            return Err(format!("`{other}` and `{text}` make the same variant `{variant}`"));
        }
    }
    Ok(format!(
        "/// {doc} The variants are in the order of the names.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\npub enum {name} {{\n{variants}}}\n\n\
         impl {name} {{\n    /// All variants, in the order of their names.\n    pub const ALL: &'static [Self] = &[\n{all}    ];\n\n    \
         const NAMES: &'static [&'static str] = &[\n{names}    ];\n\n    \
         /// The name in the data files.\n    pub const fn name(self) -> &'static str {{\n        Self::NAMES[self as usize]\n    }}\n\n    \
         /// The variant of that name; `None` for a name that the data files did not have when this crate was built.\n    \
         pub fn of(name: &str) -> Option<Self> {{\n        Self::NAMES.binary_search(&name).ok().map(|i| Self::ALL[i])\n    }}\n}}\n\n"
    ))
}

/// The maximum number of instructions that the documentation of a variant lists.
const MAX_LISTED: usize = 12;
