//! Headers of functions in which a word, a separator or a list is at the wrong place: read as a whole, since the parser stops at the first.

use super::habit::Habit;
use super::habits::{habit, is_name, leading_name, type_of_c};
use super::misordered::{DeclarationPlace, read};
use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use ptx_isa::ISA;
use ptx_isa::tables::Directive;
use std::ops::Range;

/// The longest header that is read, in bytes.
const MAX_LENGTH: usize = 4096;

/// A header as text.
struct HeaderText<'t> {
    text: &'t str,
    /// The offset of `.entry` or `.func`.
    kind: usize,
    /// The offset of its end: the `{`, the `;`, or the end of the text.
    end: usize,
}

/// The report on the header around an offset at which the parser stopped.
pub(super) fn around(text: &str, at: usize) -> Option<Diagnostic> {
    let header = HeaderText::around(text, at)?;
    let kernel = text.get(header.kind..)?.starts_with(".entry");
    let after = header.kind + if kernel { ".entry".len() } else { ".func".len() };
    let mut place = header.skip_blanks(after);
    let word = text.get(place..header.end)?.split([' ', '\t', '(']).next()?;
    if matches!(word, ".entry" | ".func") {
        return Some(habit(place..place + word.len(), Habit::BothKinds));
    }
    if let Some(found) = header.linkage_behind(place) {
        return Some(found);
    }
    let mut result = None;
    if text.get(place..)?.starts_with('(') {
        let list = header.list(place)?;
        if let Some(found) = header.declarations(&list) {
            return Some(found);
        }
        place = header.skip_blanks(list.end);
        result = Some(list);
    }
    if let Some(found) = header.type_of_result(place, kernel) {
        return Some(found);
    }
    let name = leading_name(text.get(place..header.end)?);
    if !is_name(name) {
        return None;
    }
    let name_range = place..place + name.len();
    place = header.skip_blanks(name_range.end);
    if text.get(place..)?.starts_with('(') {
        let list = header.list(place)?;
        if let Some(found) = header.declarations(&list) {
            return Some(found);
        }
        place = header.skip_blanks(list.end);
        if !kernel
            && result.is_none()
            && let Some(found) = header.result_behind(place, name_range.start)
        {
            return Some(found);
        }
    }
    header.sign_before_body(place).or_else(|| header.directives(place))
}

/// The report on a header that ends at a `;` among its parameters, since the parser takes that for its end. `header` is its text up to the
/// `;`, `rest` the text behind it.
pub(crate) fn cut_at_semicolon(header: &str, rest: &str) -> Option<Diagnostic> {
    let list = header.trim_end().strip_suffix(';')?;
    let open = list.rfind('(').filter(|open| !list[*open..].contains(')'))?;
    let at = list.len();
    // All of them at once: with one alone the next is the same mistake.
    let close = rest.find([')', '{']).filter(|close| rest[*close..].starts_with(')'))?;
    let start = header.len();
    let semicolons = rest[..close].match_indices(';').map(|(offset, _)| start + offset);
    let edits = std::iter::once(at).chain(semicolons).map(|at| FixEdit::Replace(at..at + 1, ",".to_owned())).collect();
    let fix = Fix { title: "Write `,` for each `;`".to_owned(), edits, preferred: true };
    (open > 0).then(|| habit(at..at + 1, Habit::ParameterSemicolon { last: false }).fix(fix))
}

impl<'t> HeaderText<'t> {
    fn around(text: &'t str, at: usize) -> Option<Self> {
        let mut from = at.saturating_sub(MAX_LENGTH);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        // The parser may stop at the keyword itself or a word of linkage before it.
        let line = at + text.get(at..)?.find(['\n', '{']).unwrap_or(text.len() - at);
        let region = text.get(from..line)?;
        let keyword = [".entry", ".func"].into_iter().filter_map(|word| {
            let found = region.rmatch_indices(word).map(|(found, _)| found).find(|found| {
                let ends =
                    region.get(found + word.len()..).is_none_or(|r| r.is_empty() || r.starts_with([' ', '\t', '(']));
                let line = region.get(..*found).and_then(|before| before.rsplit(['\n', ';', '}']).next()).unwrap_or("");
                ends && line.split_whitespace().all(|w| ISA.directive(w).is_some_and(Directive::is_linkage))
            })?;
            Some(from + found)
        });
        let kind = keyword.max()?;
        if text.get(kind..at.max(kind))?.contains('{') {
            return None;
        }
        let rest = text.get(kind..)?;
        let mut depth = 0u32;
        let mut end = rest.len();
        for (offset, character) in rest.char_indices().take(MAX_LENGTH) {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '{' => {
                    end = offset;
                    break;
                }
                ';' if depth == 0 => {
                    end = offset;
                    break;
                }
                _ => {}
            }
        }
        Some(Self { text, kind, end: kind + end })
    }

    fn skip_blanks(&self, at: usize) -> usize {
        let rest = self.text.get(at..self.end).unwrap_or("");
        at + rest.len() - rest.trim_start().len()
    }

    /// The byte range of a list in parentheses; `None` if it is not closed.
    fn list(&self, open: usize) -> Option<Range<usize>> {
        let close = self.text.get(open..self.end)?.find(')')?;
        Some(open..open + close + 1)
    }

    /// `.entry .visible k`.
    fn linkage_behind(&self, at: usize) -> Option<Diagnostic> {
        let rest = self.text.get(at..self.end)?;
        let word = rest.split(|c: char| c.is_whitespace() || c == '(').next()?;
        ISA.directive(word).filter(|d| d.is_linkage())?;
        let kind = self.text.get(self.kind..)?.split_whitespace().next()?;
        let next = self.skip_blanks(at + word.len());
        let edits =
            vec![FixEdit::Replace(self.kind..self.kind, format!("{word} ")), FixEdit::Replace(at..next, String::new())];
        let title = format!("Write `{word} {kind}`");
        let found = Habit::LinkageBehind { linkage: word.into(), kind: kind.into() };
        Some(habit(at..at + word.len(), found).fix(Fix { title, edits, preferred: true }))
    }

    /// `.entry void k`, `.func int f`.
    fn type_of_result(&self, at: usize, kernel: bool) -> Option<Diagnostic> {
        let rest = self.text.get(at..self.end)?;
        let words = rest.get(..rest.find(['(', '{', ';']).unwrap_or(rest.len()))?;
        let name = words.split_whitespace().next_back()?;
        let ty = words.trim_end().strip_suffix(name)?.trim_end();
        if ty.is_empty() || !is_name(name) {
            return None;
        }
        let range = at..at + ty.len();
        let blanks = at..self.skip_blanks(at + ty.len());
        if ty == "void" {
            let fix = Fix::replace("Remove `void`", blanks, "").preferred();
            return Some(habit(range, Habit::VoidResult).fix(fix));
        }
        let ptx = ISA.ty(ty).map(|t| t.name).or_else(|| type_of_c(ty.trim_end_matches('*').trim_end()))?;
        let ptx = if ty.ends_with('*') { ".b64" } else { ptx };
        if kernel {
            let fix = Fix::replace(format!("Remove `{ty}`"), blanks, "");
            return Some(habit(range, Habit::KernelResult(ty.into())).fix(fix));
        }
        let declaration = format!("(.param {ptx} result)");
        let fix = Fix::replace(format!("Write `{declaration}`"), range.clone(), declaration.as_str()).preferred();
        Some(habit(range, Habit::Result(declaration.into())).fix(fix))
    }

    /// Parameters with `;` between them, or with parts in the wrong order.
    fn declarations(&self, list: &Range<usize>) -> Option<Diagnostic> {
        let inner = list.start + 1..list.end - 1;
        let text = self.text.get(inner.clone())?;
        if let Some(found) = text.find(';') {
            let at = inner.start + found;
            let last = text.get(found + 1..)?.trim().is_empty();
            let fix = if last {
                Fix::replace("Remove `;`", at..at + 1, "")
            } else {
                Fix::replace("Write `,`", at..at + 1, ",")
            };
            let semicolons = text.matches(';').enumerate().count() > 1;
            return Some(habit(at..at + 1, Habit::ParameterSemicolon { last }).fix(match semicolons {
                true => self.all_commas(&inner),
                false => fix.preferred(),
            }));
        }
        if let Some(before) = text.trim_end().strip_suffix(',') {
            let comma = inner.start + before.len();
            let fix = Fix::replace("Remove `,`", comma..comma + 1, "");
            return Some(habit(comma..comma + 1, Habit::LastComma).fix(fix));
        }
        let mut at = inner.start;
        let mut reports: Vec<Diagnostic> = Vec::new();
        for parameter in text.split(',') {
            let start = at + parameter.len() - parameter.trim_start().len();
            let written = parameter.trim();
            reports.extend(read(written, DeclarationPlace::Parameters).and_then(|read| read.report(written, start)));
            at += parameter.len() + 1;
        }
        let mut reports = reports.into_iter();
        let first = reports.next()?;
        // One fix rewrites all parameters: with only some of them in PTX, the list would still have errors.
        let more: Vec<Fix> = reports.flat_map(|report| report.fixes.into_iter()).collect();
        if more.is_empty() {
            return Some(first);
        }
        let all = first.fixes.iter().cloned().chain(more);
        let edits: Vec<FixEdit> = all.flat_map(|fix| fix.edits).collect();
        let title = format!("Write these {} parameters as in PTX", edits.len());
        Some(Diagnostic { fixes: [Fix { title, edits, preferred: true }].into_iter().collect(), ..first })
    }

    /// The fix that writes `,` for each `;` of a list but the last.
    fn all_commas(&self, inner: &Range<usize>) -> Fix {
        let text = self.text.get(inner.clone()).unwrap_or("");
        let edit = |(at, _): (usize, &str)| {
            let last = text.get(at + 1..).is_none_or(|rest| rest.trim().is_empty());
            FixEdit::Replace(inner.start + at..inner.start + at + 1, if last { String::new() } else { ",".to_owned() })
        };
        Fix {
            title: "Write `,` for each `;`".to_owned(),
            edits: text.match_indices(';').map(edit).collect(),
            preferred: true,
        }
    }

    /// `f(…) (.reg .b32 r)`, `f(…) -> .b32`.
    fn result_behind(&self, at: usize, name: usize) -> Option<Diagnostic> {
        let rest = self.text.get(at..self.end)?;
        let (range, declaration) = if let Some(ty) = rest.strip_prefix("->").or_else(|| rest.strip_prefix(':')) {
            let ty = ty.trim();
            let ptx = ISA.ty(ty).map(|t| t.name).or_else(|| type_of_c(ty))?;
            (at..at + rest.trim_end().len(), format!("(.param {ptx} result)"))
        } else if rest.starts_with('(') {
            let list = self.list(at)?;
            let declaration = self.text.get(list.clone())?.to_owned();
            (list, declaration)
        } else {
            return None;
        };
        let edits = vec![
            FixEdit::Replace(name..name, format!("{declaration} ")),
            FixEdit::Replace(range.clone(), String::new()),
        ];
        let found = Habit::ResultBehind(declaration.as_str().into());
        let title = format!("Write `{declaration}` before the name");
        Some(habit(range, found).fix(Fix { title, edits, preferred: true }))
    }

    /// `.entry k(…): {`.
    fn sign_before_body(&self, at: usize) -> Option<Diagnostic> {
        let rest = self.text.get(at..self.end)?;
        let sign = rest.trim_end().chars().next_back().filter(|c| matches!(c, ':' | ',' | '='))?;
        let start = at + rest.trim_end().len() - 1;
        let is_body = self.text.get(self.end..)?.starts_with('{');
        is_body.then(|| {
            let fix = Fix::replace(format!("Remove `{sign}`"), start..start + 1, "").preferred();
            habit(start..start + 1, Habit::SignBeforeBody(sign)).fix(fix)
        })
    }

    /// `.maxntid = 256`, `.maxntid(256)`.
    fn directives(&self, at: usize) -> Option<Diagnostic> {
        let rest = self.text.get(at..self.end)?;
        let mut begin = 0;
        for word in rest.split_inclusive(char::is_whitespace) {
            let start = begin;
            begin += word.len();
            let length = word.find(['(', '=', ':']).unwrap_or(word.trim_end().len());
            let directive = word.get(..length)?.trim_end();
            if ISA.directive(directive).is_none() {
                continue;
            }
            let after = self.skip_blanks(at + start + length);
            let sign = self.text.get(after..self.end)?.chars().next()?;
            if matches!(sign, '=' | ':') {
                let end = self.skip_blanks(after + 1);
                let from = at + start + length;
                let fix = Fix::replace(format!("Remove `{sign}`"), from..end, " ").preferred();
                return Some(
                    habit(after..after + 1, Habit::DirectiveSign { directive: directive.into(), sign }).fix(fix),
                );
            }
            if sign == '(' && after == at + start + length {
                let list = self.list(after)?;
                let inner = self.text.get(list.start + 1..list.end - 1)?.trim();
                let is_list = inner.chars().all(|c| c.is_ascii_digit() || c == ',' || c.is_whitespace());
                let fix =
                    Fix::replace(format!("Write `{directive} {inner}`"), list.clone(), format!(" {inner}")).preferred();
                return is_list.then(|| habit(list, Habit::Parentheses).fix(fix));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::SyntaxError;
    use crate::testing::{in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    /// Each header is one mistake, and its fix leads to the text beside it, which has none.
    #[test]
    fn headers_are_written_again() {
        for (written, after) in [
            (".entry void k(.param .u64 p)", ".entry k(.param .u64 p)"),
            (".entry .visible k(.param .u64 p)", ".visible .entry k(.param .u64 p)"),
            (".entry k(int n, float *a)", ".entry k(.param .s32 n, .param .u64 a)"),
            (".entry k(const int n, float* __restrict__ a)", ".entry k(.param .s32 n, .param .u64 a)"),
            (".entry k(.param .u64 a; .param .u32 n)", ".entry k(.param .u64 a, .param .u32 n)"),
            (
                ".entry k(.param .u64 a; .param .u32 n; .param .u32 m)",
                ".entry k(.param .u64 a, .param .u32 n, .param .u32 m)",
            ),
            (".entry k(.param p .u64)", ".entry k(.param .u64 p)"),
            (".entry k(.param .b8 s[16] .align 8)", ".entry k(.param .align 8 .b8 s[16])"),
            (".entry k(.param .align 16 b8 s[32])", ".entry k(.param .align 16 .b8 s[32])"),
            (".entry k(.param .u64 p,)", ".entry k(.param .u64 p)"),
            (".entry k(.param .u64 p):", ".entry k(.param .u64 p)"),
            (".entry k() .maxntid = 256", ".entry k() .maxntid 256"),
            (".entry k() .maxntid(256)", ".entry k() .maxntid 256"),
            (".func f(.param .b32 a) (.reg .b32 r)", ".func (.reg .b32 r) f(.param .b32 a) "),
            (".func f(.reg .b32 a) -> .b32", ".func (.param .b32 result) f(.reg .b32 a) "),
            (".func int f(.reg .b32 a)", ".func (.param .s32 result) f(.reg .b32 a)"),
        ] {
            let module = |header: &str| format!("{HEADER}{header}\n{{\nret;\n}}\n");
            let found = in_module(SyntaxError, &module(written));
            assert_eq!(found.len(), 1, "{written}: {:?}", messages(&found));
            assert_eq!(mended(SyntaxError, &module(written)), module(after), "{written}");
            assert!(in_module(SyntaxError, &module(after)).is_empty(), "{after}");
        }
    }

    #[test]
    fn right_headers_are_not_reported() {
        for header in [
            ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[16]) .maxntid 32, 1, 1",
            ".func (.reg .b32 r) f(.reg .b32 a, .reg .pred p) .noreturn",
            ".weak .func f",
        ] {
            assert!(in_module(SyntaxError, &format!("{HEADER}{header}\n{{\nret;\n}}\n")).is_empty(), "{header}");
        }
    }
}
