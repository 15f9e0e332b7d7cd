//! `unknown-opcode`: a word in the place of an opcode that is not one.

use super::{ForeignWord, foreign};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::Entry;
use ptx_sema::hir::ast::{Instruction, OperandKind};
use std::ops::Range;

/// A word in the place of an opcode that is not one, or an instruction whose forms are not known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnknownOpcode {
    /// The word.
    pub name: Box<str>,
    /// The most similar opcode, if one is similar enough.
    pub near: Option<&'static str>,
    /// The opcode with its modifiers in lower case, if that is an opcode.
    pub lower: Option<Box<str>>,
    /// Whether it is an instruction of which the tables know only the name.
    pub unchecked: bool,
    /// Whether arguments in parentheses follow it, as in a call of C.
    pub call: bool,
    /// The comparison that its condition is in PTX.
    pub condition: Option<Box<str>>,
}

impl DiagnosticMessage for UnknownOpcode {
    fn message(&self) -> String {
        if self.unchecked {
            return format!("the syntax of `{}` is not known: its modifiers and operands are not checked", self.name);
        }
        match &self.lower {
            Some(_) => format!("`{}` is not an instruction: PTX is written in lower case", self.name),
            None => format!("`{}` is not an instruction", self.name),
        }
    }

    fn help(&self) -> Option<String> {
        if self.unchecked {
            return Some("only the assembler can tell whether it is correct".to_owned());
        }
        if let Some(condition) = &self.condition {
            return Some(format!(
                "compare first, `{condition};` (with the type of the operands), and guard what depends on it: `@%p1 …`"
            ));
        }
        if let Some(lower) = &self.lower {
            return Some(format!("write `{lower}`"));
        }
        if self.call && super::in_ptx(&self.name).is_none() {
            return Some(format!(
                "if it is a function, call it: `call {}, (…);`, or `call (result), {}, (…);`",
                self.name, self.name
            ));
        }
        super::in_ptx(&self.name).or_else(|| self.near.map(|near| format!("did you mean `{near}`?")))
    }
}

/// The report on an instruction whose opcode is unknown. Of its fixes only those are meant that lead to a legal instruction: which do
/// depends on the operands.
pub(crate) fn report(instruction: &Instruction<'_>) -> Diagnostic {
    let opcode = instruction.opcode;
    let name: Box<str> = opcode.text.into();
    let lower = opcode.text.to_ascii_lowercase();
    let call = match instruction.operands.as_slice() {
        [only] => instruction.modifiers.is_empty() && matches!(only.kind, OperandKind::Arguments(_)),
        _ => false,
    };
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    if let Some((word, count)) = super::machine_instruction(opcode.text, &modifiers) {
        let written = format!("{}{}", opcode.text, modifiers.get(..count).unwrap_or_default().concat());
        let range =
            opcode.range().start..instruction.modifiers.get(count - 1).map_or(opcode.range().end, |m| m.range().end);
        let found =
            UnknownOpcode { name: written.into(), near: None, lower: None, unchecked: false, call, condition: None };
        return Diagnostic::new(range, found).fixes(translations(instruction, &word, count));
    }
    if ISA.opcode(&lower).is_some() {
        let whole: String =
            std::iter::once(lower).chain(instruction.modifiers.iter().map(|m| lower_case(m.text))).collect();
        let fix = Fix::replace(format!("Write `{whole}`"), instruction.mnemonic_range(), whole.as_str()).preferred();
        let found =
            UnknownOpcode { name, near: None, lower: Some(whole.into()), unchecked: false, call, condition: None };
        return Diagnostic::new(opcode.range(), found).fix(fix);
    }
    if let Some(word) = foreign(opcode.text) {
        let found = UnknownOpcode { name, near: None, lower: None, unchecked: false, call, condition: None };
        return Diagnostic::new(opcode.range(), found).fixes(translations(instruction, &word, 0));
    }
    if call {
        let range = opcode.range();
        let written = format!("call {}, ", opcode.text);
        let blanks = instruction.operands.first().map_or(range.end, |o| o.range.start);
        let fix = Fix::replace(format!("Write `call {}, (…)`", opcode.text), range.start..blanks, written);
        let data = UnknownOpcode { name, near: None, lower: None, unchecked: false, call, condition: None };
        return Diagnostic::new(range, data).fix(fix);
    }
    let near = nearest(&lower);
    Diagnostic::new(opcode.range(), UnknownOpcode { name, near, lower: None, unchecked: false, call, condition: None })
        .fixes(super::write_instead(opcode.range(), near))
}

/// The hint that an instruction is known by name only.
pub(crate) fn unchecked(range: Range<usize>, entry: &Entry) -> Diagnostic {
    let found = UnknownOpcode {
        name: entry.name.into(),
        near: None,
        lower: None,
        unchecked: true,
        call: false,
        condition: None,
    };
    Diagnostic::new(range, found).severity(Severity::Hint)
}

/// Adds the comparison of a condition to the report on a word such as `if`.
pub(crate) fn add_condition(diagnostic: &mut Diagnostic, condition: Option<String>) {
    if let Some(found) = diagnostic.finding.data_mut::<UnknownOpcode>() {
        found.condition = condition.map(Into::into);
    }
}

/// A modifier in lower case; some have capital letters, such as `.L2::128B`.
fn lower_case(modifier: &str) -> String {
    let lower = modifier.to_ascii_lowercase();
    let known = ISA.modifiers.iter().map(|m| m.name).find(|name| name.eq_ignore_ascii_case(modifier));
    known.map_or(lower, str::to_owned)
}

/// The most similar opcode. In a word of three letters one that is exchanged leaves too little: it is most likely a word of another
/// assembler. There, letters may only be missing, or stand in another order.
fn nearest(word: &str) -> Option<&'static str> {
    const MAX_SHORT: usize = 3;
    let opcodes = || ISA.opcodes.iter().map(|o| o.name);
    if word.len() > MAX_SHORT {
        return super::suggest(word, opcodes());
    }
    let sorted = |text: &str| {
        let mut letters: Vec<u8> = text.bytes().collect();
        letters.sort_unstable();
        letters
    };
    let only = |fits: &dyn Fn(&str) -> bool| -> Option<&'static str> {
        let mut found = opcodes().filter(|name| fits(name));
        found.next().filter(|_| found.next().is_none())
    };
    let longer = |name: &str| name.len() == word.len() + 1 && word.len() > 1;
    let lacks_a_letter = |name: &str| {
        let mut letters = name.bytes();
        word.bytes().all(|b| letters.any(|letter| letter == b))
    };
    only(&|name| word.len() > 1 && sorted(name) == sorted(word))
        .or_else(|| only(&|name| longer(name) && name.starts_with(word)))
        .or_else(|| only(&|name| longer(name) && lacks_a_letter(name)))
}

/// The fixes that write an instruction of another language in PTX. The word is the opcode with the first `count` modifiers.
fn translations(instruction: &Instruction<'_>, word: &ForeignWord, count: usize) -> Vec<Fix> {
    if word.left_out {
        return vec![Fix::replace(format!("Remove `{}`", instruction.opcode.text), instruction.range.clone(), "")];
    }
    let written: Vec<&str> = instruction.modifiers.iter().skip(count).map(|m| m.text).collect();
    let mut out: Vec<Fix> = Vec::new();
    let mut offer = |text: String, range: Range<usize>| {
        let title = format!("Write `{text}`");
        if !out.iter().any(|fix| fix.title == title) {
            out.push(Fix::replace(title, range, text));
        }
    };
    // `__syncthreads()` has all its operands in PTX.
    let empty = |kind: &OperandKind<'_>| matches!(kind, OperandKind::Arguments(list) if list.is_empty());
    let bare = match instruction.operands.as_slice() {
        [] => Some(instruction.mnemonic_range()),
        [one] if empty(&one.kind) => Some(instruction.opcode.range().start..one.range.end),
        _ => None,
    };
    // `int x;`
    let declared = word.spellings.iter().filter(|s| s.starts_with(".reg ") && written.is_empty());
    declared.for_each(|spelling| offer((*spelling).to_owned(), instruction.opcode.range()));
    for spelling in word.spellings.iter().filter(|s| !s.starts_with('.')) {
        if let Some(range) = &bare {
            offer((*spelling).to_owned(), range.clone());
        }
        if spelling.contains(' ') {
            continue;
        }
        let (opcode, rest) = spelling.split_once('.').unwrap_or((spelling, ""));
        let own: Vec<String> = rest.split('.').filter(|m| !m.is_empty()).map(|m| format!(".{m}")).collect();
        let more: String = written.iter().filter(|m| !own.iter().any(|o| o == *m)).copied().collect();
        let without_types: String = own.iter().filter(|m| ISA.ty(m).is_none()).map(String::as_str).collect();
        offer(format!("{spelling}{more}"), instruction.mnemonic_range());
        offer(format!("{opcode}{without_types}{more}"), instruction.mnemonic_range());
        offer((*spelling).to_owned(), instruction.mnemonic_range());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::Code::UnknownOpcode;
    use crate::testing::{in_kernel, mended, messages};

    #[test]
    fn instructions_known_by_name() {
        let found = in_kernel(UnknownOpcode, "fabric.try_get.async.tensor [%rd1];");
        let expected =
            "the syntax of `fabric.try_get.async.tensor` is not known: its modifiers and operands are not checked";
        assert_eq!((messages(&found), found[0].severity), (vec![expected.to_owned()], crate::Severity::Hint));
    }

    #[test]
    fn misspelt_opcodes() {
        let found = in_kernel(UnknownOpcode, "mvo.b32 %r0, 1;");
        assert_eq!(messages(&found), ["`mvo` is not an instruction"]);
        assert_eq!(found[0].help().as_deref(), Some("did you mean `mov`?"));
        assert!(in_kernel(UnknownOpcode, "mov.b32 %r0, 1;").is_empty());
        assert!(in_kernel(UnknownOpcode, "frobnicate.b32 %r0, 1;")[0].help().is_none());
    }

    #[test]
    fn the_fix_writes_the_nearest_one() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 %r; mvo.b32 %r, 1; ret; }";
        assert_eq!(mended(UnknownOpcode, text), text.replace("mvo", "mov"));
    }

    #[test]
    fn short_words_lack_letters_or_exchange_them() {
        assert_eq!(["sbu", "adn", "mo", "mv"].map(nearest), [Some("sub"), Some("and"), Some("mov"), Some("mov")]);
        assert_eq!(["nop", "lea", "sar", "abc", "x"].map(nearest), [None; 5]);
    }

    #[test]
    fn words_of_other_languages() {
        let help = |body: &str| in_kernel(UnknownOpcode, body)[0].help().unwrap_or_default();
        assert_eq!(help("nop;"), "PTX has no `nop`: leave it out (nothing has to be padded)");
        assert!(help("push %r1;").starts_with("PTX has no `push`: there is no stack"));
        assert_eq!(help("FFMA %f1, %f2, %f3, %f0;"), "`FFMA` is `fma.rn.f32` in PTX");
        assert_eq!(help("v_add_u32 %r1, %r2, %r3;"), "`v_add_u32` is `add.u32` in PTX");
        let titles = |body: &str| -> Vec<String> {
            in_kernel(UnknownOpcode, body)[0].fixes.iter().map(|f| f.title.clone()).collect()
        };
        assert_eq!(titles("nop;"), ["Remove `nop`"]);
        assert_eq!(titles("exp.approx.f32 %f1, %f2;")[0], "Write `ex2.approx.f32`");
        assert_eq!(titles("__syncthreads();")[0], "Write `bar.sync 0`");
    }

    #[test]
    fn capital_letters() {
        let found = in_kernel(UnknownOpcode, "ADD.U32 %r1, %r2, %r3;");
        assert_eq!(messages(&found), ["`ADD` is not an instruction: PTX is written in lower case"]);
        assert_eq!(found[0].help().as_deref(), Some("write `add.u32`"));
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 %r; LD.GLOBAL.L2::64B.B32 %r, [0]; ret; }";
        assert_eq!(mended(UnknownOpcode, text), text.replace("LD.GLOBAL.L2::64B.B32", "ld.global.L2::64B.b32"));
    }
}
