//! Statements in which a sign is at the wrong place or stands for another one: read as text, since the parser stops at the first.

use super::habit::Habit;
use super::habits::{habit, is_name, leading_name, rewritten};
use super::kind::{SyntaxErrorKind, error};
use super::{assignments, unfinished};
use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use ptx_isa::ISA;
use std::ops::Range;

/// The longest statement that is read, in bytes.
const MAX_LENGTH: usize = 512;
/// The most registers of a range that is written out.
const MAX_REGISTERS: u32 = 64;

/// A statement as text.
struct StatementText<'t> {
    /// The text around it.
    whole: &'t str,
    /// The statement, without the `;` that ends it.
    text: &'t str,
    start: usize,
}

/// The report on the statement around an offset at which the parser stopped.
pub(super) fn around(text: &str, at: usize) -> Option<Diagnostic> {
    let statement = StatementText::around(text, at)?;
    statement
        .guard_with_sign_outside()
        .or_else(|| statement.guard_inside())
        .or_else(|| statement.constant_bank())
        .or_else(|| statement.percent_inside())
        .or_else(|| statement.doubled_brackets())
        .or_else(|| statement.empty_brackets())
        .or_else(|| statement.registers_of_range())
        .or_else(|| statement.values_without_braces())
        .or_else(|| statement.colon_at_end())
        .or_else(|| statement.sign_behind_guard(at))
        .or_else(|| statement.comma_too_many(at))
        .or_else(|| statement.part_of_variable(at))
        .or_else(|| statement.second_declaration())
        .or_else(|| statement.missing_comma(at))
        .or_else(|| statement.equals_between_operands(at))
        .or_else(|| assignments::read(statement.whole, statement.text, statement.start))
}

/// The report on an address in two pairs of brackets, which is around an offset: `[[%rd1]]`.
pub(crate) fn doubled_brackets(text: &str, at: usize) -> Option<Diagnostic> {
    StatementText::around(text, at)?.doubled_brackets()
}

impl<'t> StatementText<'t> {
    fn around(whole: &'t str, at: usize) -> Option<Self> {
        let before = whole.get(..at)?;
        let line = before.rfind([';', '\n']).map_or(0, |end| end + 1);
        // A brace that begins a block, not a list.
        let open = before.get(line..)?.rfind(['{', '}']).map(|brace| line + brace);
        let is_block = |brace: usize| {
            let head = whole.get(line..brace).unwrap_or("").trim_end();
            let closes = whole.get(brace..).is_some_and(|rest| rest.starts_with('}'));
            let is_list = head.contains([',', '=']) || closes && head.contains('{');
            !is_list && ISA.opcode(leading_name(head.trim_start())).is_none()
        };
        let begin = open.filter(|brace| is_block(*brace)).map_or(line, |brace| brace + 1);
        let rest = whole.get(begin..)?;
        let start = begin + rest.len() - rest.trim_start().len();
        let text = whole.get(start..)?;
        let text = text.get(..text.find([';', '\n']).unwrap_or(text.len()))?;
        let text = text.split("//").next()?.trim_end();
        (text.len() <= MAX_LENGTH && at <= start + text.len() + 1).then_some(Self { whole, text, start })
    }

    fn range(&self, range: Range<usize>) -> Range<usize> {
        self.start + range.start..self.start + range.end
    }

    fn begins_with_opcode(&self) -> bool {
        ISA.opcode(leading_name(self.text)).is_some()
    }

    /// `!@%p1 bra L;`
    fn guard_with_sign_outside(&self) -> Option<Diagnostic> {
        let name = leading_name(self.text.strip_prefix("!@")?);
        is_name(name).then(|| {
            let guard = format!("@!{name}");
            rewritten(self.range(0..2 + name.len()), Habit::GuardSignOutside(guard.as_str().into()), guard)
        })
    }

    /// `bra.uni @%p1 L;`
    fn guard_inside(&self) -> Option<Diagnostic> {
        let at = self.text.find('@').filter(|at| *at > 0)?;
        let guard = self.text.get(at..)?;
        let sign = if guard.starts_with("@!") { 2 } else { 1 };
        let name = leading_name(guard.get(sign..)?);
        let end = at + sign + name.len();
        let blanks = self.text.get(end..)?;
        let next = end + blanks.len() - blanks.trim_start().len();
        if !is_name(name) || !self.begins_with_opcode() || next == self.text.len() {
            return None;
        }
        let guard = self.text.get(at..end)?;
        // The comma that parts it from the operands is not needed either.
        let behind = |at: usize| at + self.text.get(at..).map_or(0, |rest| rest.len() - rest.trim_start().len());
        let next = if self.text.get(next..)?.starts_with(',') { behind(next + 1) } else { next };
        let edits = vec![
            FixEdit::Replace(self.start..self.start, format!("{guard} ")),
            FixEdit::Replace(self.range(at..next), String::new()),
        ];
        let title = format!("Write `{guard}` before the opcode");
        let found = habit(self.range(at..end), Habit::GuardBehind(guard.into()));
        Some(found.fix(Fix { title, edits, preferred: true }))
    }

    /// `c[0x0][0x160]`: an argument of the kernel in machine code.
    fn constant_bank(&self) -> Option<Diagnostic> {
        let at = self.word_before("[")?.0;
        let rest = self.text.get(at..)?;
        let name = rest.get(..rest.find('[')?)?;
        let (first, rest) = rest.get(name.len() + 1..)?.split_once(']')?;
        let (second, rest) = rest.strip_prefix('[')?.split_once(']')?;
        let number = |text: &str| text.strip_prefix("0x").is_some_and(|n| n.bytes().all(|b| b.is_ascii_hexdigit()));
        let end = self.text.len() - rest.len();
        (matches!(name, "c" | "cx") && number(first) && (number(second) || second.contains("0x")))
            .then(|| habit(self.range(at..end), Habit::ConstantBank))
    }

    /// The place and the text of the name directly before the first occurrence of a text.
    fn word_before(&self, text: &str) -> Option<(usize, &'t str)> {
        let at = self.text.find(text)?;
        let before = self.text.get(..at)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
        let name = before.len() - before.trim_end_matches(is_part).len();
        (name > 0).then(|| (at - name, &before[at - name..]))
    }

    /// `r%1` for `%r1`.
    fn percent_inside(&self) -> Option<Diagnostic> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.text.match_indices('%').find_map(|(at, _)| {
            let before = self.text.get(..at)?;
            let stem = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
            let rest = self.text.get(at + 1..)?;
            let tail = rest.len() - rest.trim_start_matches(is_part).len();
            let digits = rest.get(..tail)?;
            let begins = !before.get(..at - stem)?.ends_with(|c: char| is_part(c) || matches!(c, '%' | '$' | '.'));
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (stem > 0 && begins && is_number).then(|| {
                let name = format!("%{}{digits}", &before[at - stem..]);
                rewritten(self.range(at - stem..at + 1 + tail), Habit::PercentInside(name.as_str().into()), name)
            })
        })
    }

    /// `[[%rd1]]`
    fn doubled_brackets(&self) -> Option<Diagnostic> {
        let at = self.text.find("[[")?;
        let inner = self.text.get(at + 2..)?;
        let close = inner.find("]]")?;
        let inner = inner.get(..close)?;
        let end = at + 2 + close + 2;
        (!inner.contains(['[', ']'])).then(|| {
            let address = format!("[{}]", inner.trim());
            rewritten(self.range(at..end), Habit::DoubledBrackets(address.as_str().into()), address)
        })
    }

    /// `dyn[]` as an operand.
    fn empty_brackets(&self) -> Option<Diagnostic> {
        let (at, name) = self.word_before("[]")?;
        (is_name(name) && self.begins_with_opcode())
            .then(|| rewritten(self.range(at..at + name.len() + 2), Habit::EmptyBrackets(name.into()), name))
    }

    /// `.reg .b32 %r1-%r4;`
    fn registers_of_range(&self) -> Option<Diagnostic> {
        let declared = self.text.strip_prefix(".reg")?;
        let sign = ["..", "-", ":"].into_iter().find(|sign| declared.contains(sign))?;
        let (before, last) = self.text.split_once(sign)?;
        let first = before.trim_end().rsplit([' ', '\t', ',']).next()?;
        let number = |name: &str| {
            let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            Some((name.get(..digits)?.to_owned(), name.get(digits..)?.parse::<u32>().ok()?))
        };
        let (stem, from) = number(first)?;
        let (other, to) = number(last.trim())?;
        if (stem != other && !other.is_empty()) || to <= from || to - from >= MAX_REGISTERS || !is_name(first) {
            return None;
        }
        let written = match from {
            0 => format!("{stem}<{}>", to + 1),
            _ => (from..=to).map(|n| format!("{stem}{n}")).collect::<Vec<_>>().join(", "),
        };
        let at = before.trim_end().len() - first.len();
        Some(rewritten(self.range(at..self.text.len()), Habit::DeclaredRange(written.as_str().into()), written))
    }

    /// `.global .u32 a[3] = 1, 2, 3;`
    fn values_without_braces(&self) -> Option<Diagnostic> {
        let (head, values) = self.text.split_once('=')?;
        let declares = head.split_whitespace().any(|word| ISA.space(word).is_some());
        let values = values.trim();
        let is_list = values.contains(',')
            && values.chars().all(|c| c.is_ascii_alphanumeric() || " \t,.+-".contains(c))
            && head.contains('[');
        (declares && is_list).then(|| {
            let written = format!("{{{values}}}");
            let at = self.text.len() - values.len();
            let found = Habit::ValuesWithoutBraces(written.as_str().into());
            rewritten(self.range(at..self.text.len()), found, written)
        })
    }

    /// `add.u32 %r1, %r2, %r3:`
    fn colon_at_end(&self) -> Option<Diagnostic> {
        let before = self.text.strip_suffix(':')?.trim_end();
        let colon = self.start + self.text.len() - 1;
        let is_end = self.begins_with_opcode() && before.contains([' ', '\t']) && !before.contains('?');
        is_end.then(|| unfinished::colon_at_end(colon..colon + 1))
    }

    /// `st.global.f32 [%rd1] = %f1;`
    fn equals_between_operands(&self, at: usize) -> Option<Diagnostic> {
        let sign = self.text.find('=').filter(|sign| self.start + sign == at)?;
        let (before, after) = (self.text.get(..sign)?.trim_end(), self.text.get(sign + 1..)?);
        let is_operand = before.ends_with(']') || is_name(before.rsplit([' ', '\t', ',']).next()?);
        let is_pair = self.begins_with_opcode() && before.contains([' ', '\t']) && !after.trim().is_empty();
        (is_pair && is_operand).then(|| {
            let range = self.range(before.len()..sign + 1);
            habit(at..at + 1, Habit::OperandSign('=')).fix(Fix::replace("Write `,`", range, ",").preferred())
        })
    }

    /// `.reg .b32 r1 r2;`, `{1.0 2.0}`
    fn missing_comma(&self, at: usize) -> Option<Diagnostic> {
        let declares = self.text.split_whitespace().next().is_some_and(|word| ISA.space(word).is_some());
        let at = at.checked_sub(self.start)?;
        let (before, after) = (self.text.get(..at)?, self.text.get(at..)?);
        let after = after.len() - after.trim_start().len() + at;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.' | '<' | '>' | '-');
        let next = self.text.get(after..)?;
        let next = next.get(..next.find(|c| !is_part(c)).unwrap_or(next.len()))?;
        let word = |text: &'t str| text.get(text.trim_end_matches(is_part).len()..).unwrap_or("");
        let mut first = word(before.trim_end());
        let mut end = before.trim_end().len();
        let mut second = next;
        // The parser may stop at the first of the two.
        let behind = self.text.get(after + next.len()..)?.trim_start();
        let follower = behind.get(..behind.find(|c| !is_part(c)).unwrap_or(behind.len()))?;
        if (first.is_empty() || first.starts_with('.')) && !follower.is_empty() {
            (first, second, end) = (next, follower, after + next.len());
        }
        let is_value = |text: &str| {
            let word = text.trim_start_matches(['%', '-']);
            !word.is_empty()
                && !text.starts_with('.')
                && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        };
        let in_list = self.text.get(..end)?.contains('=') && self.text.get(..end)?.contains('{');
        let in_names = !self.text.contains('=') && self.text.starts_with(".reg");
        (declares && is_value(first) && is_value(second) && (in_list || in_names)).then(|| {
            let place = self.start + end;
            error(place - first.len()..place, SyntaxErrorKind::MissingAfter(',', Some(first.into())))
                .fix(Fix::replace("Insert `,`", place..place, ",").preferred())
        })
    }

    /// `.reg .f32 %f<4>, .reg .b32 %r<4>;`
    fn second_declaration(&self) -> Option<Diagnostic> {
        let first = self.text.split_whitespace().next().filter(|word| ISA.space(word).is_some())?;
        let (before, after) = self.text.split_once(',')?;
        let next = after.split_whitespace().next().filter(|word| ISA.space(word).is_some())?;
        let names = before.split_whitespace().count() > 2 && !first.is_empty() && !next.is_empty();
        let range = self.range(before.len()..before.len() + 1);
        names.then(|| {
            habit(range.clone(), Habit::CommaBeforeDeclaration).fix(Fix::replace("Write `;`", range, ";").preferred())
        })
    }

    /// `mov.u32 %r1,, %r2;`, `mov.u32 , %r1;`
    fn comma_too_many(&self, at: usize) -> Option<Diagnostic> {
        let comma = at.checked_sub(self.start)?;
        let before = self.text.get(..comma)?.trim_end();
        let is_second = before.ends_with(',') || !before.contains([' ', '\t']);
        let is_extra = self.text.get(comma..)?.starts_with(',') && is_second && self.begins_with_opcode();
        is_extra.then(|| habit(at..at + 1, Habit::ExtraComma).fix(Fix::replace("Remove `,`", at..at + 1, "")))
    }

    /// `.global .u32 a[2] {1, 2};`, `.local .b8 buf 64;`
    fn part_of_variable(&self, at: usize) -> Option<Diagnostic> {
        let place = at.checked_sub(self.start)?;
        let declares = self.text.split_whitespace().next().is_some_and(|word| ISA.space(word).is_some());
        let (before, after) = (self.text.get(..place)?.trim_end(), self.text.get(place..)?);
        if !declares || before.contains('=') || before.ends_with(['.', ',']) {
            return None;
        }
        let shift = after.len() - after.trim_start().len();
        let after = after.trim();
        if after.starts_with('{') && after.ends_with('}') && before.ends_with(']') {
            let found = Habit::ValuesWithoutSign(format!("= {after}").into());
            let sign = if shift == 0 && before.len() == place { " = " } else { "= " };
            let fix = Fix::replace("Insert `=`", at + shift..at + shift, sign).preferred();
            return Some(habit(at + shift..at + shift + after.len(), found).fix(fix));
        }
        let is_number = !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit());
        let has_name = before.split_whitespace().next_back().is_some_and(is_name);
        (is_number && has_name && !before.starts_with(".reg")).then(|| {
            let written = format!("[{after}]");
            let range = self.range(before.len()..place + shift + after.len());
            let fix = Fix::replace(format!("Write `{written}`"), range, written.as_str()).preferred();
            habit(at + shift..at + shift + after.len(), Habit::BareSize(written.into())).fix(fix)
        })
    }

    /// `@%p1, bra L;`
    fn sign_behind_guard(&self, at: usize) -> Option<Diagnostic> {
        let name = self.text.strip_prefix('@')?.trim_start_matches('!');
        let end = self.text.len() - name.len() + leading_name(name).len();
        let rest = self.text.get(end..)?;
        let sign = end + rest.len() - rest.trim_start().len();
        let after = self.text.get(sign..)?.strip_prefix(',')?;
        let is_guard = self.start + sign == at && ISA.opcode(leading_name(after.trim_start())).is_some();
        is_guard.then(|| {
            let range = self.range(end..sign + 1);
            habit(at..at + 1, Habit::GuardComma).fix(Fix::replace("Remove `,`", range, "").preferred())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::SyntaxError;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const BEFORE: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; \
                          .reg .f32 %f<4>; .shared .b32 sm[8];\n";

    /// Each statement is one mistake, and its fix leads to the text beside it, which has none.
    #[test]
    fn statements_are_written_again() {
        for (written, after) in [
            ("!@%p1 bra L;", "@!%p1 bra L;"),
            ("bra.uni @%p1 L;", "@%p1 bra.uni L;"),
            ("add.u32 @%p1, %r1, %r2, %r3;", "@%p1 add.u32 %r1, %r2, %r3;"),
            ("@%p1, bra L;", "@%p1 bra L;"),
            ("add.u32 r%1, %r2, %r3;", "add.u32 %r1, %r2, %r3;"),
            ("add.u32 %r1, %r2, %r3:", "add.u32 %r1, %r2, %r3;"),
            ("ld.global.u32 %r1, [[%rd1]];", "ld.global.u32 %r1, [%rd1];"),
            ("mov.u32 %r1, sm[];", "mov.u32 %r1, sm;"),
            ("mov.u32 %r1,, %r2;", "mov.u32 %r1, %r2;"),
            ("st.global.u32 [%rd1] = %r1;", "st.global.u32 [%rd1], %r1;"),
            (".reg .b32 a1-a4;", ".reg .b32 a1, a2, a3, a4;"),
            (".reg .b32 a0..a4;", ".reg .b32 a<5>;"),
            (".reg a .b32;", ".reg .b32 a;"),
            (".reg .b32 a b;", ".reg .b32 a, b;"),
            (".reg .b32 a<2>, .reg .b64 b<2>;", ".reg .b32 a<2>; .reg .b64 b<2>;"),
            (".shared .b8[64] s;", ".shared .b8 s[64];"),
            (".shared .b8 s 64;", ".shared .b8 s[64];"),
            (".shared .b8 .align 16 s[64];", ".shared .align 16 .b8 s[64];"),
            (".shared float s[4][4];", ".shared .f32 s[4][4];"),
            ("%r1 = %r2 + %r3;", "add.s32 %r1, %r2, %r3;"),
            ("%f1 = %f2 * %f3;", "mul.f32 %f1, %f2, %f3;"),
            ("%r1 += 1;", "add.s32 %r1, %r1, 1;"),
            ("%r1++;", "add.s32 %r1, %r1, 1;"),
            ("%r1 = %r2 << 2;", "shl.b32 %r1, %r2, 2;"),
        ] {
            let module = |statement: &str| format!("{BEFORE}{statement}\nL: ret;\n}}\n");
            let found = in_module(SyntaxError, &module(written));
            assert!(found.len() == 1 && !found[0].fixes.is_empty(), "{written}: {:?}", messages(&found));
            assert_eq!(mended(SyntaxError, &module(written)), module(after), "{written}");
            assert!(in_module(SyntaxError, &module(after)).is_empty(), "{after}");
        }
    }

    #[test]
    fn values_of_variables() {
        for (written, after) in [
            (".global .u32 a[3] = 1,2,3;", ".global .u32 a[3] = {1,2,3};"),
            (".global .u32 a[2] {1, 2};", ".global .u32 a[2] = {1, 2};"),
            (".global .f32 a[2] = {1.0 2.0};", ".global .f32 a[2] = {1.0, 2.0};"),
            (".global .u32 x .align 8;", ".global .align 8 .u32 x;"),
            (".global int x = 5;", ".global .s32 x = 5;"),
        ] {
            let module = |text: &str| format!(".version 9.0\n.target sm_90a\n.address_size 64\n{text}\n");
            assert_eq!(mended(SyntaxError, &module(written)), module(after), "{written}");
            assert!(in_module(SyntaxError, &module(after)).is_empty(), "{after}");
        }
    }

    /// The sign of the registers is not known, or the number is not one of their type.
    #[test]
    fn assignments_without_a_single_meaning() {
        for written in
            ["%r1 = %r2 / %r3;", "%r1 = %r2 >> 1;", "%f1 = %f2 + 1;", "%p1 = %r1 < %r2;", "%r1 = %r2 * 4 + 1;"]
        {
            let found = in_kernel(SyntaxError, written);
            assert!(found.iter().all(|d| d.fixes.is_empty()) && found.len() == 1, "{written}: {:?}", messages(&found));
        }
        let help = in_kernel(SyntaxError, "%p1 = %r1 < %r2;")[0].help();
        assert_eq!(help.as_deref(), Some("an instruction names its result first: write `setp.lt.s32 %p1, %r1, %r2;`"));
    }

    #[test]
    fn words_of_machine_code() {
        let bank = in_kernel(SyntaxError, "mov.u32 %r1, c[0x0][0x160];");
        assert_eq!(messages(&bank), ["a constant bank exists only in machine code (SASS), not in PTX"]);
    }
}
