//! Slips of the hand: a separator or a bracket of the wrong kind, a dot too many or too few, quotation marks. Each has a single cure.

use super::habit::Habit;
use super::habits::{habit, is_name, leading_name, rewritten};
use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use ptx_isa::ISA;
use ptx_isa::tables::{ControlTransfer, Directive, Opcode};
use std::ops::Range;

/// The longest range of registers that is written out.
const MAX_REGISTERS: u32 = 64;

/// The report on text that the parser could not fit into a statement, if a slip explains it. It begins at `start` of `text`.
pub(super) fn unexpected(text: &str, start: usize) -> Option<Diagnostic> {
    let (before, after) = (text.get(..start)?, text.get(start..)?);
    let statement = before.rfind([';', '{', '}', '\n']).map_or(0, |at| at + 1);
    let line = before.get(statement..)?;
    header_word(start, after)
        .or_else(|| label(before, start, after))
        .or_else(|| guards(before, start, after))
        .or_else(|| around_range(text, start))
        .or_else(|| dimensions(line, start, after))
        .or_else(|| registers(line, start, after))
        .or_else(|| values(start, after))
        .or_else(|| numbers(line, start, after))
        .or_else(|| parameters(before, start, after))
        .or_else(|| kernel(start, after))
}

/// The report on `.target 80`, `.target "sm_80"` and `.pragma nounroll;`.
fn header_word(start: usize, after: &str) -> Option<Diagnostic> {
    let directive =
        ["target", "pragma"].into_iter().find(|d| after.strip_prefix('.').is_some_and(|a| a.starts_with(d)))?;
    let rest = after.get(1 + directive.len()..)?;
    let end = rest.find([';', '\n']).unwrap_or(rest.len());
    let word = rest.get(..end)?.trim();
    let at = start + 1 + directive.len() + (rest.len() - rest.trim_start().len());
    let range = at..at + word.len();
    if directive == "pragma" {
        return if is_name(word) {
            Some(rewritten(range, Habit::Unquoted, format!("\"{word}\"")))
        } else {
            word.is_empty().then(|| habit(start..start + 1 + directive.len(), Habit::Unquoted))
        };
    }
    let bare = word.trim_matches('"');
    let name = if bare.starts_with(|c: char| c.is_ascii_digit()) { format!("sm_{bare}") } else { bare.to_owned() };
    (ISA.targets.iter().any(|t| t.name == name) && name != word)
        .then(|| rewritten(range, Habit::TargetName(name.as_str().into()), name.clone()))
}

/// The report on `1:` and on a guard or label with a colon too many.
fn label(before: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = after.get(digits..)?;
    if digits > 0 && rest.starts_with(':') && !rest.starts_with("::") {
        return Some(habit(start..start + digits, Habit::NumberedLabel(after.get(..digits)?.into())));
    }
    let guard = before.get(before.rfind('@')?..)?;
    let name = guard.trim_start_matches(['@', '!']);
    (after.starts_with(':') && is_name(name.trim_end())).then(|| {
        habit(start..start + 1, Habit::GuardColon).fix(Fix::replace("Remove `:`", start..start + 1, "").preferred())
    })
}

/// The report on a number that names a label, as GNU's assembler does: `bra 1b`. `start` is the number's offset.
pub(super) fn numbered_target(text: &str, start: usize) -> Option<Diagnostic> {
    let (before, after) = (text.get(..start)?, text.get(start..)?);
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = after.get(digits..)?;
    let is_local =
        digits > 0 && rest.starts_with(['b', 'f']) && !rest.get(1..)?.starts_with(|c: char| c.is_alphanumeric());
    let statement = before.get(before.rfind([';', '{', '}', ':']).map_or(0, |at| at + 1)..)?;
    let mut words = statement.split_whitespace().filter(|word| !word.starts_with('@'));
    let opcode = words.next().and_then(|word| ISA.opcode(leading_name(word)));
    let branches = |opcode: &Opcode| opcode.entries.iter().any(|entry| entry.flow == ControlTransfer::Branch);
    (is_local && opcode.is_some_and(branches))
        .then(|| habit(start..start + digits + 1, Habit::NumberedLabel(after.get(..=digits).unwrap_or("").into())))
}

/// The report on `@%p1, @%p2` and `@%p1, %p2`.
fn guards(before: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let (name, rest) = match after.strip_prefix('@') {
        Some(guard) => {
            let name = leading_name(guard.trim_start_matches('!'));
            (name, guard.trim_start_matches('!').get(name.len()..)?)
        }
        None => {
            let guard = before.get(before.rfind('@')?..)?.trim_start_matches(['@', '!']).trim_end();
            (guard, after)
        }
    };
    let second = rest.trim_start().strip_prefix(',')?.trim_start();
    let is_second = second.starts_with('@') || (second.starts_with(['%', '!']) && is_name(name));
    (is_name(name) && is_second).then(|| {
        let at = start + after.len() - rest.trim_start().len();
        habit(at..at + 1, Habit::GuardExpression(","))
    })
}

/// The report on a range of registers around an offset at which the parser stopped: `{%r0..%r3}`.
fn around_range(text: &str, start: usize) -> Option<Diagnostic> {
    let open = text.get(..start)?.rfind(['{', '}', ';'])?;
    let close = start + text.get(start..)?.find(['}', ';'])?;
    register_range(text, open..close + 1)
}

/// The report on a range of registers in a list, `{%r0-%r3}`, which has this byte range.
pub(crate) fn register_range(text: &str, list: Range<usize>) -> Option<Diagnostic> {
    let inner = text.get(list.clone())?.strip_prefix('{')?.strip_suffix('}')?.trim();
    let first = leading_name(inner);
    let rest = inner.get(first.len()..)?.trim_start();
    let mark = ["...", "..", "-", ":", "~"].into_iter().find(|mark| rest.starts_with(mark))?;
    let last = rest.get(mark.len()..)?.trim_start();
    let number = |name: &str| {
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((name.get(..digits)?.to_owned(), name.get(digits..)?.parse::<u32>().ok()?))
    };
    let (stem, from) = number(first)?;
    let (other, to) = number(last).or_else(|| Some((stem.clone(), last.parse().ok()?)))?;
    if stem != other || to <= from || to - from >= MAX_REGISTERS || !stem.starts_with(|c: char| !c.is_ascii_digit()) {
        return None;
    }
    let names: Vec<String> = (from..=to).map(|n| format!("{stem}{n}")).collect();
    let written = format!("{{{}}}", names.join(", "));
    Some(rewritten(list, Habit::RegisterRange(written.as_str().into()), written.clone()))
}

/// The report on a list or an address in parentheses, which has this byte range: `(%f1, %f2)`, `(%rd1)`.
pub(crate) fn wrong_brackets(text: &str, range: Range<usize>, address: bool) -> Option<Diagnostic> {
    let inner = text.get(range.clone())?.strip_prefix('(')?.strip_suffix(')')?.trim();
    let (written, what) =
        if address { (format!("[{inner}]"), "an address") } else { (format!("{{{inner}}}"), "a list") };
    Some(rewritten(range, Habit::WrongBrackets { what, written: written.as_str().into() }, written.clone()))
}

/// The report on `tile[32,32]`. `line` is the statement before the comma.
fn dimensions(line: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let open = line.rfind('[')?;
    let first = line.get(open + 1..)?.trim();
    let (second, _) = after.strip_prefix(',')?.split_once(']')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_list = is_number(first) && second.split(',').all(|n| is_number(n.trim()));
    let declares = line.split_whitespace().any(|word| ISA.space(word).is_some());
    (is_list && declares).then(|| {
        let dimensions: String =
            std::iter::once(first).chain(second.split(',')).map(|n| format!("[{}]", n.trim())).collect();
        let begin = start - (line.len() - open);
        let end = start + 1 + second.len() + 1;
        rewritten(begin..end, Habit::Dimensions(dimensions.as_str().into()), dimensions.clone())
    })
}

/// The report on `.reg .b32 %q(4);`.
fn registers(line: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let (number, _) = match after.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?,
        None => after.strip_prefix('{')?.split_once('}')?,
    };
    let is_number = !number.trim().is_empty() && number.trim().bytes().all(|b| b.is_ascii_digit());
    (is_number && line.trim_start().starts_with(".reg")).then(|| {
        let written = format!("<{}>", number.trim());
        let range = start..start + number.len() + 2;
        rewritten(
            range,
            Habit::WrongBrackets { what: "a number of registers", written: written.as_str().into() },
            written.clone(),
        )
    })
}

/// The report on values of a variable in quotation marks or in brackets: `= "text"`, `= [1, 2]`.
fn values(start: usize, after: &str) -> Option<Diagnostic> {
    let skipped = after.len() - after.trim_start_matches('=').trim_start().len();
    let value = after.get(skipped..)?;
    let at = start + skipped;
    if skipped > 0 && value.starts_with('"') {
        let (inner, _) = value.get(1..)?.split_once('"')?;
        let bytes: Vec<String> = bytes(inner)?.iter().map(u8::to_string).collect();
        let written = format!("{{{}}}", bytes.join(", "));
        return Some(rewritten(at..at + inner.len() + 2, Habit::StringValue, written));
    }
    let (inner, rest) = value.strip_prefix('[')?.split_once(']')?;
    let is_list =
        rest.trim_start().starts_with(';') && inner.chars().all(|c| c.is_alphanumeric() || " ,.-+\t".contains(c));
    is_list.then(|| {
        let written = format!("{{{inner}}}");
        let found = Habit::WrongBrackets { what: "a list of values", written: written.as_str().into() };
        rewritten(at..at + inner.len() + 2, found, written.clone())
    })
}

/// The bytes of a string of C with its end; `None` for an escape that is not simple.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut all = text.bytes();
    while let Some(byte) = all.next() {
        out.push(match byte {
            b'\\' => match all.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'0' => 0,
                same @ (b'\\' | b'"') => same,
                _ => return None,
            },
            byte => byte,
        });
    }
    out.push(0);
    Some(out)
}

/// The report on numbers of a directive without commas: `.maxntid 256 1 1`.
fn numbers(line: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let end = after.find(|c: char| !(c.is_ascii_digit() || c == ' ' || c == '\t')).unwrap_or(after.len());
    let others: Vec<&str> = after.get(..end)?.split_whitespace().collect();
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().rposition(|word| ISA.directive(word).is_some())?;
    let firsts = words.get(at + 1..)?;
    let is_number = |word: &&str| word.trim_end_matches(',').bytes().all(|b| b.is_ascii_digit());
    if others.is_empty() || firsts.is_empty() || !firsts.iter().all(is_number) {
        return None;
    }
    let first = start - (line.len() - line.rfind(firsts[0])?);
    let length = after.get(..end)?.trim_end().len();
    let all: Vec<&str> = firsts.iter().map(|word| word.trim_end_matches(',')).chain(others.iter().copied()).collect();
    Some(rewritten(first..start + length, Habit::NumbersApart, all.join(", ")))
}

/// The report on parameters without a comma between them: `(.param .u64 a .param .u64 b)`.
fn parameters(before: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let name = leading_name(after);
    let rest = after.get(name.len()..)?;
    let next = rest.trim_start();
    let ty = before.trim_end().rsplit(char::is_whitespace).next()?;
    let is_next = next.starts_with(".param ") || next.starts_with(".reg ");
    (is_name(name) && is_next && rest.len() > next.len() && ISA.ty(ty).is_some()).then(|| {
        let end = start + name.len();
        error(start..end, SyntaxErrorKind::MissingAfter(',', Some(name.into())))
            .fix(Fix::replace("Insert `,`", end..end, ",").preferred())
    })
}

/// The report on a kernel that is declared as in other languages: `.visible .global k(…)`.
fn kernel(start: usize, after: &str) -> Option<Diagnostic> {
    let header = after.get(..after.find('(')?)?;
    let mut words = header.split_whitespace().rev();
    let (name, space) = (words.next()?, words.next()?);
    let is_linkage = |word: &str| ISA.directive(word).is_some_and(Directive::is_linkage);
    (is_name(name) && ISA.space(space).is_some() && words.all(is_linkage)).then(|| {
        let at = start + header.rfind(space).unwrap_or(0);
        rewritten(at..at + space.len(), Habit::KernelSpace(space.into()), ".entry")
    })
}

/// The report on a directive without its dot, which begins a statement: `global .u32 x;`.
pub(super) fn without_dot(text: &str, word: Range<usize>) -> Option<Diagnostic> {
    let name = text.get(word.clone())?;
    let dotted = format!(".{name}");
    let is_directive = ISA.directive(&dotted).is_some() || ISA.space(&dotted).is_some();
    let rest = text.get(word.end..)?;
    (is_directive && rest.starts_with([' ', '\t']))
        .then(|| rewritten(word, Habit::WithoutDot(dotted.as_str().into()), dotted.clone()))
}

/// The report on a label that begins with a dot: `.LOOP:`. `word` is the label; `colon` if its colon follows.
pub(crate) fn dotted_label(text: &str, word: Range<usize>) -> Option<Diagnostic> {
    let name = text.get(word.clone())?.strip_prefix('.')?;
    (is_name(name) && text.get(word.end..)?.trim_start().starts_with(':')).then(|| of_dotted_label(word, name))
}

/// The report on a branch to a label that begins with a dot.
pub(crate) fn of_dotted_label(word: Range<usize>, name: &str) -> Diagnostic {
    rewritten(word, Habit::DottedLabel(name.into()), name)
}

/// The report on the body of a function after a `;` that ends its header. `text` is the module up to the body, which begins at its end.
pub(crate) fn body_after_semicolon(header: &str) -> Option<Diagnostic> {
    let end = header.trim_end().len();
    header.trim_end().ends_with(';').then(|| {
        let range = end - 1..end;
        habit(range.clone(), Habit::SemicolonBeforeBody).fix(Fix::replace("Remove `;`", range, "").preferred())
    })
}

/// The fix of a guard before a block: the guard before each instruction, if no instruction changes the predicate or has another meaning
/// then. `guard` is the range of the guard; the block follows it.
pub(super) fn guard_each(text: &str, guard: Range<usize>) -> Option<Fix> {
    let written = text.get(guard.clone())?.to_owned();
    let predicate = written.trim_start_matches(['@', '!']).to_owned();
    let rest = text.get(guard.end..)?;
    let open = guard.end + rest.find('{')?;
    let inner = text.get(open + 1..)?;
    let close = open + 1 + inner.find('}')?;
    let block = text.get(open + 1..close)?;
    // Labels, declarations, lists, comments and other guards: left to the author.
    if block.contains(['{', ':', '@', '/', '#', '"']) || block.contains(".reg") || !block.trim_end().ends_with(';') {
        return None;
    }
    let mut edits = vec![FixEdit::Replace(guard.start..open + 1, String::new())];
    let mut at = open + 1;
    for statement in block.split_inclusive(';') {
        let words = statement.trim_start();
        if words.is_empty() {
            break;
        }
        let opcode = leading_name(words);
        let operands = words.split_once(char::is_whitespace)?.1;
        let destination = operands.split(',').next().unwrap_or("");
        let changes = destination.split('|').any(|name| name.trim().trim_end_matches(';') == predicate);
        if ISA.opcode(opcode).is_none() || changes {
            return None;
        }
        let begin = at + statement.len() - words.len();
        edits.push(FixEdit::Replace(begin..begin, format!("{written} ")));
        at += statement.len();
    }
    edits.push(FixEdit::Replace(close..close + 1, String::new()));
    (edits.len() > 2).then(|| Fix {
        title: format!("Write `{written}` before each instruction"),
        edits,
        preferred: false,
    })
}

#[cfg(test)]
mod tests {
    use crate::Code::{ModuleHeader, OperandCount, OperandKind, SyntaxError};
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    /// Each slip is one syntax error, and its fix leads to this text, which has none.
    #[test]
    fn slips_of_declarations() {
        for (written, after) in [
            (".entry k() { .shared .f32 t[32,16]; ret; }", ".entry k() { .shared .f32 t[32][16]; ret; }"),
            (".entry k() { .reg .b32 %r(4); ret; }", ".entry k() { .reg .b32 %r<4>; ret; }"),
            (".entry k(.param .f32* p) { ret; }", ".entry k(.param .u64 p) { ret; }"),
            (".entry k(.param .u64 a .param .u64 b) { ret; }", ".entry k(.param .u64 a, .param .u64 b) { ret; }"),
            (".entry k() .maxntid 32 4 1 { ret; }", ".entry k() .maxntid 32, 4, 1 { ret; }"),
            (".entry k() .maxntid 32, 4 1 { ret; }", ".entry k() .maxntid 32, 4, 1 { ret; }"),
            (".entry k(); { ret; }", ".entry k() { ret; }"),
            (".visible .global k(.param .u64 a)\n{\nret;\n}", ".visible .entry k(.param .u64 a)\n{\nret;\n}"),
            (".global .b8 s[3] = \"a\\n\";", ".global .b8 s[3] = {97, 10, 0};"),
            (".global .u32 a[2] = [1, 2];", ".global .u32 a[2] = {1, 2};"),
            ("global .u32 x;", ".global .u32 x;"),
        ] {
            let module = |text: &str| format!("{HEADER}{text}\n");
            let found = in_module(SyntaxError, &module(written));
            assert_eq!(found.len(), 1, "{written}: {:?}", messages(&found));
            assert_eq!(mended(SyntaxError, &module(written)), module(after), "{written}");
            assert!(in_module(SyntaxError, &module(after)).is_empty(), "{after}");
        }
    }

    #[test]
    fn slips_of_the_header() {
        let found = |text: &str| messages(&in_module(SyntaxError, text));
        let name = "a target is a name without quotation marks, such as `sm_90`";
        assert_eq!(found(".version 9.0\n.target 90\n"), [name]);
        assert_eq!(mended(SyntaxError, ".version 9.0\n.target \"sm_90\"\n"), ".version 9.0\n.target sm_90\n");
        let order = ".target sm_90\n.version 9.0\n";
        let message = "a module begins with `.version`, but here it comes after this";
        assert_eq!(messages(&in_module(ModuleHeader, order)), [message]);
        assert_eq!(mended(ModuleHeader, order), ".version 9.0\n.target sm_90\n\n");
    }

    #[test]
    fn slips_of_statements() {
        let of = |body: &str| messages(&in_kernel(SyntaxError, body));
        let range = "a list names each register: PTX has no ranges inside lists";
        for list in ["{%r0-%r3}", "{%r0..%r3}", "{%r0:%r3}", "{ %r0 - %r3 }"] {
            assert_eq!(of(&format!("ld.global.v4.u32 {list}, [%rd1];")), [range], "{list}");
        }
        let label = "a label must be a name, but `1` begins with a digit";
        let target = "a label must be a name, but `1b` begins with a digit";
        assert_eq!(of("1: add.s32 %r1, %r1, 1;\n@%p1 bra 1b;"), [label, target]);
        assert_eq!(of("1: add.s32 %r1, %r1, 1;\nbra.uni 1b;"), [label, target]);
        let dotted = "a label cannot begin with a dot, as `.LOOP` does";
        assert_eq!(of(".LOOP: add.s32 %r1, %r1, 1;\nbra .LOOP;"), [dotted, dotted]);
        assert_eq!(of("@%p1: ret;"), ["a guard takes no colon: only a label does"]);
        assert_eq!(of("@%p1, @%p2 ret;"), ["unexpected `,`: a guard is a single predicate"]);
        assert_eq!(of("@%p1 { ret; }"), ["a guard covers one instruction, not a block"]);
        let none = ["ld.global.v2.u32 {%r0, %r1}, [%rd1];", "mov.u32 %r1, 3-1;", "L1: bra L1;", "@%p1 ret;"];
        assert!(none.into_iter().all(|body| of(body).is_empty()));
    }

    #[test]
    fn operands_at_the_wrong_place() {
        let of = |body: &str| messages(&in_kernel(OperandKind, body));
        let moved = "`%p1` is at the wrong place: it is `c` of `selp.b32`, the last operand";
        assert_eq!(of("selp.b32 %r1, %p1, %r2, %r3;"), [moved]);
        let mask = "`0xffffffff` is at the wrong place: it is `membermask` of `shfl.sync.bfly.b32`, the last operand";
        assert_eq!(of("shfl.sync.bfly.b32 0xffffffff, %r1, %r2, 1, 31;"), [mask]);
        // Two places are as likely.
        let result = "`d` of `sub.s32` is the result: it must be a register";
        assert_eq!(of("sub.s32 5, %r1, %r2;"), [result]);
        let guard = "`bra` takes only a label: the predicate of a conditional branch is its guard";
        assert_eq!(messages(&in_kernel(OperandCount, "L: bra L, %p1;")), [guard]);
    }
}
