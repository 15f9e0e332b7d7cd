//! Syntax of other languages: of CUDA C++, other assemblers and `asm` statements. Each has its own words, and a fix where it only has to
//! be written otherwise.

use super::habit::Habit;
use super::kind::{SyntaxErrorKind, error, subscript as report_subscript};
use crate::diagnostic::{Diagnostic, Fix, FixEdit, Severity};
use crate::rules::foreign;
use ptx_isa::ISA;
use ptx_sema::hir::lower::ItemSource;
use ptx_syntax::{ForeignLanguage, Node, kinds};
use std::ops::Range;

/// The report on a text of another language, at its first line.
pub(crate) fn other_language(range: Range<usize>, language: ForeignLanguage) -> Diagnostic {
    habit(range, Habit::Language(language))
}

pub(super) fn habit(range: Range<usize>, habit: Habit) -> Diagnostic {
    error(range, SyntaxErrorKind::Habit(habit))
}

/// A diagnostic whose help, ``write `…` ``, is also its fix.
pub(super) fn rewritten(range: Range<usize>, found: Habit, text: impl Into<String>) -> Diagnostic {
    let text = text.into();
    habit(range.clone(), found).fix(Fix::replace(format!("Write `{text}`"), range, text).preferred())
}

/// The report on text that the parser could not fit into a statement, if it is syntax of another language. `range` is the text.
pub(super) fn unexpected(source: ItemSource<'_>, node: Node<'_>, range: &Range<usize>) -> Option<Diagnostic> {
    let (before, after) = (source.text.get(..range.start)?, source.text.get(range.start..)?);
    let start = range.start;
    let last = before.trim_end().chars().next_back();
    if last.is_none_or(|c| ";{}:".contains(c))
        && let Some(found) = guard_without_at(source, start)
    {
        return Some(found);
    }
    match after.chars().next()? {
        '\'' => character(start, after),
        '\\' if overlooked(before, after) => Some(escape(start, after).severity(Severity::Warning)),
        '\\' => Some(escape(start, after)),
        '(' if before.ends_with(['@', '!']) => {
            let (inner, rest) = after.get(1..)?.split_once(')')?;
            let length = after.len() - rest.len();
            let name = inner.trim();
            is_name(name.trim_start_matches('!'))
                .then(|| rewritten(start..start + length, Habit::GuardInParentheses, name))
        }
        '(' => parentheses(start, before, after),
        sign @ '~' if before.ends_with('@') => {
            let fix = Fix::replace("Write `!`", start..start + 1, "!").preferred();
            Some(habit(start..start + 1, Habit::GuardNegation(sign)).fix(fix))
        }
        '&' | '|' if follows_guard(node) => {
            let operator = ["&&", "||", "&", "|"].into_iter().find(|o| after.starts_with(o))?;
            Some(habit(start..start + operator.len(), Habit::GuardExpression(operator)))
        }
        '&' | '*' if last.is_some_and(|c| ",[({".contains(c)) => pointer(start, after),
        '%' if before.ends_with('%') => {
            let name = leading_name(after);
            Some(rewritten(start - 1..start + name.len(), Habit::DoubledPercent(name.into()), name))
        }
        '%' if after.starts_with("%%") => {
            let name = leading_name(&after[1..]);
            Some(rewritten(start..start + 1 + name.len(), Habit::DoubledPercent(name.into()), name))
        }
        '.' if before.trim_end().ends_with(".func") => {
            let ty = after.split(|c: char| c.is_whitespace() || c == '(').next()?;
            ISA.ty(ty)?;
            let declaration = format!("(.param {ty} result)");
            Some(rewritten(start..start + ty.len(), Habit::Result(declaration.as_str().into()), declaration.clone()))
        }
        '[' if last.is_some_and(|c| c == ']') => None,
        _ => cast(before).or_else(|| declaration(source, node, range)).or_else(|| subscript(range, before, after)),
    }
}

/// The report on a label without its colon that is a guard without its `@`. `token` is the name before the missing colon.
pub(super) fn guard(source: ItemSource<'_>, token: &Range<usize>) -> Option<Diagnostic> {
    source.text.get(token.clone())?.starts_with('%').then(|| guard_without_at(source, token.start)).flatten()
}

/// The report on a guard without its `@` at an offset: a predicate, and an opcode after it.
fn guard_without_at(source: ItemSource<'_>, start: usize) -> Option<Diagnostic> {
    let text = source.text.get(start..)?;
    let sign = text.len() - text.trim_start_matches('!').trim_start().len();
    let name = leading_name(text.get(sign..)?);
    let rest = text.get(sign + name.len()..)?;
    let opcode = leading_name(rest.trim_start());
    if !is_name(name) || !rest.starts_with([' ', '\t']) || ISA.opcode(opcode).is_none() {
        return None;
    }
    let end = start + sign + name.len();
    let guard = source.text.get(start..end)?;
    let fix = Fix::replace("Insert `@`", start..start, "@").preferred();
    Some(habit(start..end, Habit::GuardWithoutAt(guard.into())).fix(fix))
}

fn follows_guard(node: Node<'_>) -> bool {
    super::unfinished::sibling(node, Node::prev_sibling).is_some_and(|n| n.kind_id() == kinds().guard)
}

/// The report on `'a'`.
fn character(start: usize, after: &str) -> Option<Diagnostic> {
    let mut letters = after.char_indices().skip(1);
    let (_, first) = letters.next()?;
    let code = if first == '\\' {
        match letters.next()?.1 {
            'n' => Some(10),
            't' => Some(9),
            '0' => Some(0),
            '\\' => Some(92),
            '\'' => Some(39),
            _ => None,
        }
    } else {
        Some(u32::from(first))
    };
    let (end, _) = letters.next().filter(|(_, c)| *c == '\'')?;
    let range = start..start + end + 1;
    Some(match code {
        Some(code) => rewritten(range, Habit::Character(Some(code)), code.to_string()),
        None => habit(range, Habit::Character(None)),
    })
}

/// The report on `\n\t` behind a statement.
fn escape(start: usize, after: &str) -> Diagnostic {
    let mut end = 0;
    while after.get(end..).is_some_and(|rest| ["\\n", "\\t", "\\r"].iter().any(|escape| rest.starts_with(escape))) {
        end += 2;
    }
    let range = start..start + end.max(1);
    let fix = Fix::replace("Remove it", range.clone(), "").preferred();
    habit(range, Habit::Escape).fix(fix)
}

/// Whether ptxas reads over a backslash: it does between two statements, directly before the mnemonic of an instruction.
fn overlooked(before: &str, after: &str) -> bool {
    let next = after.trim_start_matches('\\').trim_start();
    let end = next.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(next.len());
    let alone = !after.starts_with("\\\\") && after[1..].starts_with(char::is_whitespace);
    let before = before.trim_end();
    let guard = before.rsplit(|c: char| c.is_whitespace() || c == ';').next().is_some_and(|word| word.starts_with('@'));
    alone && (guard || before.ends_with([';', '{', '}', ':'])) && ISA.opcode(&next[..end]).is_some()
}

/// The report on `(256)` behind a directive.
fn parentheses(start: usize, before: &str, after: &str) -> Option<Diagnostic> {
    let directive = before.trim_end().rsplit(char::is_whitespace).next()?;
    ISA.directives.iter().find(|d| d.name == directive)?;
    let (inner, _) = after.get(1..)?.split_once(')')?;
    let is_list = inner.chars().all(|c| c.is_ascii_digit() || c == ',' || c.is_whitespace());
    is_list.then(|| rewritten(start..start + inner.len() + 2, Habit::Parentheses, inner.trim()))
}

/// The report on `&name` and `*name`.
fn pointer(start: usize, after: &str) -> Option<Diagnostic> {
    let name = leading_name(after.get(1..)?);
    if !is_name(name) {
        return None;
    }
    let range = start..start + 1 + name.len();
    Some(match after.starts_with('&') {
        true => rewritten(range, Habit::AddressOf(name.into()), name),
        false => rewritten(range, Habit::Dereference(name.into()), format!("[{name}]")),
    })
}

/// The report on a cast before `start`: `(int)%r1`.
fn cast(before: &str) -> Option<Diagnostic> {
    let inner = before.trim_end().strip_suffix(')')?;
    let open = inner.rfind('(')?;
    let ty = inner.get(open + 1..)?.trim();
    type_of_c(ty)?;
    Some(habit(open..before.trim_end().len(), Habit::Cast(ty.into())))
}

/// The report on a subscript in brackets: `[a[1][2]]`.
fn subscript(range: &Range<usize>, before: &str, after: &str) -> Option<Diagnostic> {
    let name = leading_name(after);
    let subscript = is_name(name) && after.get(name.len()..)?.starts_with('[');
    (subscript && before.trim_end().ends_with('[')).then(|| report_subscript(range.clone()))
}

/// The report on a type of C++, or one without its dot, in a declaration.
fn declaration(source: ItemSource<'_>, node: Node<'_>, range: &Range<usize>) -> Option<Diagnostic> {
    let k = kinds();
    let text = source.text.get(range.clone())?;
    let before = source.text.get(..range.start)?;
    let parent = node.parent()?.kind_id();
    // `.param u64 p`: the parser takes the type for the name.
    let previous = before.trim_end();
    let word = previous.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
    let declares = |text: &str| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ',' | ';' | '{' | '}');
        let space = text.trim_end().rsplit(ends).next().unwrap_or("");
        ISA.space(space).is_some()
    };
    if previous.len() > word.len()
        && declares(&previous[..previous.len() - word.len()])
        && let Some(ty) = type_of_c(word)
    {
        return Some(not_a_type(previous.len() - word.len()..previous.len(), word, ty));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    // `.shared float x`, `.global const float x`.
    if declares(before)
        && let Some(ty) = type_of_c(&words.join(" "))
    {
        return Some(not_a_type(range.clone(), text, ty));
    }
    // `float *p` among parameters.
    let listed = [k.parameter_list, k.function].contains(&parent) && before.trim_end().ends_with(['(', ',']);
    let name = leading_name(text.rsplit(|c: char| c.is_whitespace() || c == '*').next()?);
    let ty = type_of_c(text.get(..text.len() - name.len())?.trim_end_matches(|c: char| c.is_whitespace() || c == '*'))?;
    if !listed || !is_name(name) {
        return None;
    }
    let ty = if text.contains('*') { ".u64" } else { ty };
    let declaration = format!(".param {ty} {name}");
    Some(rewritten(range.clone(), Habit::Parameter(declaration.as_str().into()), declaration.clone()))
}

fn not_a_type(range: Range<usize>, written: &str, ty: &'static str) -> Diagnostic {
    error(range.clone(), SyntaxErrorKind::NotAType(written.into(), Some(ty)))
        .fix(Fix::replace(format!("Write `{ty}`"), range, ty).preferred())
}

/// The type of PTX for one of C++, or for one without its dot; qualifiers before it do not count.
pub(super) fn type_of_c(text: &str) -> Option<&'static str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let unsigned = words.contains(&"unsigned");
    let mut kept = words.iter().filter(|w| !["const", "volatile", "static", "restrict", "__restrict__"].contains(w));
    let (first, last) = (*kept.next()?, kept.next_back().copied());
    let word = last.filter(|_| ["unsigned", "signed", "long", "short"].contains(&first)).unwrap_or(first);
    if last.is_some() && word == first {
        return None;
    }
    let dotted = format!(".{word}");
    if let Some(ty) = ISA.ty(&dotted) {
        return Some(ty.name);
    }
    let ty = foreign(&dotted)?.spellings.first().copied().and_then(|s| ISA.ty(s))?.name;
    let wanted = if unsigned { ty.replace(".s", ".u") } else { ty.to_owned() };
    ISA.ty(&wanted).map(|ty| ty.name)
}

/// The fix of a statement of another language that begins with a word which the tables translate: `if (%p1) …`, `__shared__ float x;`.
pub(super) fn statement(text: &str, word: &str, at: usize) -> Option<Fix> {
    let rest = text.get(at + word.len()..)?;
    if word == "if" {
        let (inner, after) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
        let guard = format!("@{}", inner.trim());
        let end = text.len() - after.len();
        return is_name(inner.trim().trim_start_matches('!'))
            .then(|| Fix::replace(format!("Write `{guard}`"), at..end, guard).preferred());
    }
    let space = foreign(word)?.spellings.into_iter().find(|s| ISA.space(s).is_some())?;
    let name = rest.find(['[', ';', '=']).unwrap_or(rest.len());
    let declared = rest.get(..name)?.trim_end();
    let name = declared.rsplit(char::is_whitespace).next()?;
    let ty = type_of_c(declared.get(..declared.len() - name.len())?)?;
    let end = at + word.len() + declared.len() - name.len();
    let new = format!("{space} {ty} ");
    Some(Fix::replace(format!("Write `{}`", new.trim_end()), at..end, new).preferred())
}

/// The report on a guard that another guard follows.
pub(crate) fn second_guard(range: Range<usize>) -> Diagnostic {
    habit(range, Habit::SecondGuard)
}

/// The report on a guard behind its instruction. `begin` is where the instruction begins, `range` the guard with the blanks before it.
pub(crate) fn guard_behind(begin: usize, range: Range<usize>, guard: &str) -> Diagnostic {
    let edits =
        vec![FixEdit::Replace(begin..begin, format!("{guard} ")), FixEdit::Replace(range.clone(), String::new())];
    let title = format!("Write `{guard}` before the opcode");
    habit(range.end - guard.len()..range.end, Habit::GuardBehind(guard.into())).fix(Fix {
        title,
        edits,
        preferred: true,
    })
}

/// The report on a comment behind a statement that begins with its semicolon, as in other assemblers. `range` is the comment.
pub(crate) fn comment(range: Range<usize>) -> Diagnostic {
    let start = range.start;
    habit(range, Habit::Comment(';')).fix(Fix::replace("Insert `//`", start..start, "// ").preferred())
}

/// The report on a line for a preprocessor that the assembler does not take: it knows only `# 12 "file.cu"`, also with `line` and with
/// numbers behind. `text` is the line from the `#` on, at offset `start`; `ended` if a line break follows it.
pub(crate) fn preprocessor_line(text: &str, start: usize, ended: bool) -> Option<Diagnostic> {
    if is_line_marker(text) {
        let end = start + text.len();
        let fix = Fix::replace("Add a line break", end..end, "\n").preferred();
        return (!ended).then(|| habit(start..end, Habit::EndlessLine).fix(fix));
    }
    let text = text.trim_end();
    let rest = text.strip_prefix('#')?;
    let word = leading_name(rest.trim_start());
    let directives =
        ["define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line", "pragma", "undef"];
    if directives.contains(&word) {
        let end = text.len() - rest.trim_start().len() + word.len();
        return Some(habit(start..start + end, Habit::Preprocessor(text[..end].into())));
    }
    if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        let fix = Fix::replace("Remove `#`", start..start + 1, "").preferred();
        return Some(habit(start..start + 1, Habit::NumberSign('#')).fix(fix));
    }
    let fix = Fix::replace("Write `//`", start..start + 1, "//").preferred();
    Some(habit(start..start + text.len(), Habit::Comment('#')).fix(fix))
}

/// Whether a line is one that names a position in another file: `# 12 "file.cu" 1 3`, `#line 12 "file.cu"`.
fn is_line_marker(text: &str) -> bool {
    let after = |text: &'_ str, of: fn(char) -> bool| text.trim_start_matches(of).len();
    let blanks = |text: &str| text.len() - after(text, |c| matches!(c, ' ' | '\t'));
    let digits = |text: &str| text.len() - after(text, |c| c.is_ascii_digit());
    let Some(rest) = text.trim_end_matches(['\r', '\n']).strip_prefix('#') else { return false };
    let rest = &rest[blanks(rest)..];
    let rest = match rest.strip_prefix("line") {
        Some(rest) if blanks(rest) == 0 => return false,
        Some(rest) => &rest[blanks(rest)..],
        None => rest,
    };
    let number = digits(rest);
    let rest = &rest[number..];
    if number == 0 || blanks(rest) == 0 {
        return false;
    }
    let Some((_, mut rest)) = rest[blanks(rest)..].strip_prefix('"').and_then(|r| r.split_once('"')) else {
        return false;
    };
    while blanks(rest) > 0 {
        rest = &rest[blanks(rest)..];
        rest = &rest[digits(rest)..];
    }
    rest.is_empty()
}

/// The name of a register, variable or label at the beginning of a text.
pub(super) fn leading_name(text: &str) -> &str {
    let sign = usize::from(text.starts_with('%'));
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let end = text.get(sign..).and_then(|rest| rest.find(|c| !is_part(c))).map_or(text.len(), |end| sign + end);
    text.get(..end).unwrap_or("")
}

pub(super) fn is_name(text: &str) -> bool {
    let word = text.strip_prefix('%').unwrap_or(text);
    !word.is_empty()
        && leading_name(text) == text
        && !word.starts_with(|c: char| c.is_ascii_digit() && !text.starts_with('%'))
}

#[cfg(test)]
mod tests {
    use super::is_line_marker;
    use crate::Code::SyntaxError;
    use crate::Severity;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    /// The message about the only syntax error of a body, and the body after its fix.
    fn fixed(body: &str) -> (String, String) {
        let before =
            format!("{HEADER}.entry k() {{ .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .b32 sm[8];\n");
        let module = |body: &str| format!("{before}{body}\nret; done: }}\n");
        let found = in_module(SyntaxError, &module(body));
        assert_eq!(found.len(), 1, "{body}: {:?}", messages(&found));
        let after = mended(SyntaxError, &module(body));
        let left = messages(&in_module(SyntaxError, &after));
        assert!(left.is_empty(), "{body}: {left:?}");
        let after = after.strip_prefix(&before).and_then(|a| a.strip_suffix("\nret; done: }\n")).expect("a body");
        (found[0].message(), after.to_owned())
    }

    #[test]
    fn guards() {
        for (written, after) in [
            ("%p1 bra done;", "@%p1 bra done;"),
            ("!%p1 bra done;", "@!%p1 bra done;"),
            ("@(%p1) bra done;", "@%p1 bra done;"),
            ("@(!%p1) bra done;", "@!%p1 bra done;"),
            ("@~%p1 bra done;", "@!%p1 bra done;"),
            ("add.u32 %r1, %r1, 1 @%p1;", "@%p1 add.u32 %r1, %r1, 1;"),
            ("add.u32 %r1, %r1, 1 @!%p1 ;", "@!%p1 add.u32 %r1, %r1, 1 ;"),
        ] {
            assert_eq!(fixed(written).1, after, "{written}");
        }
        assert_eq!(fixed("!%p1 bra done;").0, "a guard begins with `@`: `!%p1` has none");
        let of = |body: &str| messages(&in_kernel(SyntaxError, body));
        assert_eq!(of("@%p1 && %p2 bra L; L:"), ["unexpected `&&`: a guard is a single predicate"]);
        assert_eq!(of("@%p1 @%p2 bra L; L:"), ["an instruction can have only one guard, but another one follows this"]);
        let block = in_kernel(SyntaxError, "@%p1 { ret; }");
        let help = "branch around the block with the negated guard, or guard each instruction";
        assert_eq!(block[0].help().as_deref(), Some(help));
        // A label may begin with `%`.
        assert!(in_kernel(SyntaxError, "%loop: bra %loop;").is_empty());
    }

    #[test]
    fn operands() {
        for (written, after) in [
            ("mov.u32 %r1, 'a';", "mov.u32 %r1, 97;"),
            ("mov.u32 %r1, '\\n';", "mov.u32 %r1, 10;"),
            ("mov.u32 %r1, &sm;", "mov.u32 %r1, sm;"),
            ("ld.global.u32 %r1, *%rd1;", "ld.global.u32 %r1, [%rd1];"),
            ("mov.u32 %%r1, 0;", "mov.u32 %r1, 0;"),
            ("mov.u32 %r1, %%r2;", "mov.u32 %r1, %r2;"),
        ] {
            assert_eq!(fixed(written).1, after, "{written}");
        }
        let cast = messages(&in_kernel(SyntaxError, "mov.u32 %r1, (int)%r2;"));
        assert_eq!(cast, ["PTX has no operand casts: `(int)` is not allowed here"]);
    }

    #[test]
    fn declarations() {
        for (written, after) in [
            (".shared float x;", ".shared .f32 x;"),
            (".shared u32 x;", ".shared .u32 x;"),
            (".global const float x = 1.0;", ".global .f32 x = 1.0;"),
            ("__shared__ float tile[256];", ".shared .f32 tile[256];"),
        ] {
            let before = format!("{HEADER}.entry k() {{\n");
            let after_fix = {
                let module = format!("{before}{written}\nret; }}\n");
                let found = crate::Analyzer::default().analyze(&ptx_syntax::Snapshot::new(&module)).diagnostics;
                let code = found.first().expect(written).code();
                mended(code, &module)
            };
            assert_eq!(after_fix, format!("{before}{after}\nret; }}\n"), "{written}");
        }
        for (written, after) in [
            (".entry k(float *p) { ret; }", ".entry k(.param .u64 p) { ret; }"),
            (".entry k(int n) { ret; }", ".entry k(.param .s32 n) { ret; }"),
            (".entry k(.param u64 p) { ret; }", ".entry k(.param .u64 p) { ret; }"),
            (".entry k() .maxntid (256) { ret; }", ".entry k() .maxntid 256 { ret; }"),
            (".func .b32 f() { ret; }", ".func (.param .b32 result) f() { ret; }"),
        ] {
            assert_eq!(mended(SyntaxError, &format!("{HEADER}{written}\n")), format!("{HEADER}{after}\n"), "{written}");
        }
    }

    /// Measured with the assembler.
    #[test]
    fn lines_that_name_positions() {
        for line in ["# 1 \"a.cu\"", "#1 \"a\"", "# 1 \"a\" 2 3", "#line 5 \"a\"", "#  line\t01 \"\"  "] {
            assert!(is_line_marker(line), "{line}");
        }
        for line in
            ["#", "# 5", "#line 5", "# 1\"a\"", "# 1 \"a", "# 1 \"a\" x", "# -1 \"a\"", "#LINE 1 \"a\"", "# 1 \"a\"; x"]
        {
            assert!(!is_line_marker(line), "{line}");
        }
        let of = |body: &str| messages(&in_kernel(SyntaxError, body));
        assert_eq!(of("mov.u32 %r1, 1; # one"), ["`#` does not begin a comment"]);
        assert_eq!(of("mov.u32 %r1, #10;"), ["`#` is not allowed before a number"]);
        assert_eq!(of("#define N 4"), ["PTX has no preprocessor: `#define` is not allowed"]);
        assert!(of("# 1 \"a.cu\"\n// # one\n/* # two */").is_empty());
        let last = in_module(SyntaxError, &format!("{HEADER}# 1 \"a.cu\""));
        assert_eq!(messages(&last), ["the last line cannot begin with `#` unless a line break ends it"]);
        assert!(in_module(SyntaxError, &format!("{HEADER}# 1 \"a.cu\"\n")).is_empty());
        assert_eq!(fixed("mov.u32 %r1, 1; # one").1, "mov.u32 %r1, 1; // one");
        assert_eq!(fixed("mov.u32 %r1, #10;").1, "mov.u32 %r1, 10;");
    }

    #[test]
    fn a_backslash_between_statements() {
        let severity = |body: &str| in_kernel(SyntaxError, body)[0].severity;
        assert_eq!(severity("mov.u32 %r1, 1; \\\nmov.u32 %r2, 1;"), Severity::Warning);
        for wrong in ["mov.u32 %r1, 1; \\\n\\\nret;", "\\ L: ret;", "mov.u32 %r1, \\ 1;"] {
            assert_eq!(severity(wrong), Severity::Error, "{wrong}");
        }
    }

    #[test]
    fn comments_behind_a_semicolon() {
        assert_eq!(fixed("mov.u32 %r1, 1; add one").1, "mov.u32 %r1, 1; // add one");
        assert_eq!(fixed("mov.u32 %r1, 1; increment").1, "mov.u32 %r1, 1; // increment");
    }

    #[test]
    fn ends_of_lines_in_strings() {
        assert_eq!(fixed("mov.u32 %r1, 1;\\n\\t\nmov.u32 %r2, 1;").1, "mov.u32 %r1, 1;\nmov.u32 %r2, 1;");
    }
}
