//! Names of functions and variables as C++ and Rust programmers wrote them.
//!
//! Compilers mangle a name, and append what PTX needs: `_Z3fooPf_param_0`, `_Z3foov$__internal_accurate_pow`. The parts around the mangled
//! name are kept in brackets. LLVM writes `_$_` for a dot, which PTX names cannot have.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use std::fmt::{self, Write};

/// The longest name that is demangled, in bytes. Compilers write up to about 2,000.
const MAX_NAME: usize = 4096;
/// The longest result, in bytes. A short name can stand for a very long one, since it may repeat parts of itself.
const MAX_TEXT: usize = 4096;
/// The length of a name with its parameters beside a message, in characters.
const MAX_NOTE: usize = 120;
/// The length of a short form, in characters.
const MAX_SHORT: usize = 60;

/// A demangled name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demangled {
    /// All of it: `void gemm<float, 128>(float*, int)`.
    pub full: String,
    /// Without parameters and result type, at most 60 characters long, with `…` for template arguments that do not fit:
    /// `gemm<float, 128>`.
    pub short: String,
}

/// The name before a compiler mangled it; `None` if none did, or by rules of another language.
pub fn demangle(name: &str) -> Option<Demangled> {
    let (before, mangled) = start(name)?;
    let dotted = mangled.contains("_$_").then(|| mangled.replace("_$_", "."));
    let found = dotted.and_then(|dotted| part(before, &dotted)).or_else(|| part(before, mangled))?;
    (!found.short.is_empty() && found.full != name).then_some(found)
}

/// The short form of a name for columns and titles: demangled if it is mangled, cut to 60 characters in any case.
pub fn short_name(name: &str) -> String {
    demangle(name).map_or_else(|| shorten(name, MAX_SHORT), |d| d.short)
}

/// A name as messages for people show it: the short form with the name itself behind it, if that differs.
pub fn both_names(name: &str) -> String {
    demangle(name).map_or_else(|| name.to_owned(), |d| format!("{} ({name})", d.short))
}

/// The mangled names in the backticks of a message, each with what it stands for.
pub fn mangled_names(message: &str) -> Vec<(&str, String)> {
    let mut out: Vec<(&str, String)> = Vec::new();
    let pieces: Vec<&str> = message.split('`').collect();
    // The last piece is behind all backticks, or behind one that nothing closes.
    for name in pieces[..pieces.len() - 1].iter().copied().skip(1).step_by(2) {
        let Some(found) = demangle(name).filter(|_| out.iter().all(|(known, _)| *known != name)) else { continue };
        let is_long = found.full.chars().count() > MAX_NOTE;
        out.push((name, if is_long { found.short } else { found.full }));
    }
    out
}

/// Where the mangled name begins, and what stands before it.
fn start(name: &str) -> Option<(&str, &str)> {
    if name.len() > MAX_NAME {
        return None;
    }
    let bare = name.trim_start_matches(['%', '$']);
    if bare.starts_with("_Z") || bare.starts_with("_R") {
        return Some(("", bare));
    }
    // nvcc's names for what is local to a file: `__nv_static_28__1a2b_4_x_cu_3c4d__Z3foov`, `_INTERNAL_1a2b_4_x_cu_3c4d::foo`.
    let rest = bare.strip_prefix("__nv_static_").or_else(|| bare.strip_prefix("_INTERNAL_"))?;
    let at = rest.find("__Z")?;
    Some(("static ", rest.get(at + 1..)?))
}

fn part(before: &str, mangled: &str) -> Option<Demangled> {
    let (mut full, mut short, tail) = rust(mangled).or_else(|| cpp(mangled))?;
    if full.is_empty() {
        return None;
    }
    let tail = match tail.strip_prefix("_param_") {
        Some(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            // The function stands right above its parameters.
            short = format!("param_{number}");
            format!(" [param {number}]")
        }
        _ if tail.is_empty() => String::new(),
        _ => {
            let tail = format!(" [{}]", tail.trim_start_matches(['$', '.', '_']));
            short.push_str(&tail);
            tail
        }
    };
    full.push_str(&tail);
    Some(Demangled { full: format!("{before}{full}"), short: shorten(&short, MAX_SHORT) })
}

/// Whether what follows a mangled name is something that compilers append.
fn is_tail(tail: &str) -> bool {
    tail.is_empty() || tail.starts_with(['_', '$', '.'])
}

fn cpp(mangled: &str) -> Option<(String, String, &str)> {
    let (symbol, tail) = BorrowedSymbol::with_tail(mangled.as_bytes()).ok()?;
    let tail = std::str::from_utf8(tail).ok().filter(|t| is_tail(t))?;
    let text = |options: &DemangleOptions| {
        let mut out = Bounded::default();
        let done = symbol.structured_demangle(&mut out, options);
        out.finish(done.is_ok())
    };
    let full = text(&DemangleOptions::new())?;
    let short = text(&DemangleOptions::new().no_params().no_return_type().hide_expression_literal_types())?;
    Some((full, without_tags(&short), tail))
}

/// Rust's names, of both schemes. Those of the older one look like C++, and end in a hash.
fn rust(mangled: &str) -> Option<(String, String, &str)> {
    let end = if mangled.starts_with("_R") {
        // Nothing in a name of the newer scheme is a dot or a dollar sign.
        mangled.find(['.', '$']).unwrap_or(mangled.len())
    } else {
        const HASH: &str = "17h";
        let at = mangled.rfind(HASH)? + HASH.len();
        let hash = mangled.get(at..at + 16)?;
        let is_hash = hash.bytes().all(|b| b.is_ascii_hexdigit()) && mangled.get(at + 16..at + 17) == Some("E");
        is_hash.then_some(at + 17)?
    };
    let (own, tail) = mangled.split_at_checked(end)?;
    let (own, parameter) = own.rfind("_param_").map_or((own, ""), |at| own.split_at(at));
    let tail = if parameter.is_empty() { tail } else { mangled.get(own.len()..)? };
    let symbol = rustc_demangle::try_demangle(own).ok().filter(|_| is_tail(tail))?;
    let mut out = Bounded::default();
    let done = write!(out, "{symbol:#}");
    let full = out.finish(done.is_ok())?;
    Some((full.clone(), full, tail))
}

/// Text up to [`MAX_TEXT`] bytes; writing more is an error.
#[derive(Default)]
struct Bounded {
    text: String,
    cut: bool,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if self.text.len() >= MAX_TEXT {
                self.cut = true;
                return Err(fmt::Error);
            }
            // It is shown in Markdown and on terminals.
            self.text.push(if c.is_control() || c == '`' { '?' } else { c });
        }
        Ok(())
    }
}

impl Bounded {
    fn finish(mut self, done: bool) -> Option<String> {
        if self.cut {
            self.text.push('…');
        }
        (done || self.cut).then_some(self.text)
    }
}

/// Without ABI tags: Numba keeps options and versions in them.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[abi:") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(']').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    out
}

/// A name of at most so many characters: template arguments go first, the last ones and nested ones before others, then namespaces.
fn shorten(name: &str, max: usize) -> String {
    let length = |s: &str| s.chars().count();
    if length(name) <= max {
        return name.to_owned();
    }
    let mut pieces = pieces(name);
    let text = |pieces: &[DemangledPiece<'_>]| pieces.iter().map(DemangledPiece::text).collect::<String>();
    let nested = pieces.iter_mut().filter_map(DemangledPiece::arguments).flat_map(|a| a.list.iter_mut());
    nested.for_each(|argument| *argument = without_arguments(argument));
    let mut out = text(&pieces);
    // One argument at a time, of the list that has the longest last one.
    while length(&out) > max {
        let lists = pieces.iter_mut().filter_map(DemangledPiece::arguments).filter(|a| !a.list.is_empty());
        let Some(longest) = lists.max_by_key(|a| a.list.last().map_or(0, |l| length(l))) else { break };
        longest.list.pop();
        longest.cut = true;
        out = text(&pieces);
    }
    while length(&out) > max
        && let Some(at) = out.trim_start_matches("…::").find("::")
    {
        let own = out.trim_start_matches("…::");
        // Not a `::` within arguments or parameters.
        if own[..at].contains(['<', '(', '{', '[']) {
            break;
        }
        out = format!("…{}", &own[at..]);
    }
    match out.char_indices().nth(max.saturating_sub(1)) {
        Some((at, _)) if length(&out) > max => format!("{}…", &out[..at]),
        _ => out,
    }
}

/// A part of a name: text, or a list of template arguments.
enum DemangledPiece<'a> {
    Text(&'a str),
    Arguments(Arguments),
}

struct Arguments {
    list: Vec<String>,
    cut: bool,
}

impl DemangledPiece<'_> {
    fn arguments(&mut self) -> Option<&mut Arguments> {
        match self {
            Self::Arguments(arguments) => Some(arguments),
            Self::Text(_) => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Arguments(Arguments { list, cut }) => {
                let dots = cut.then_some("…");
                format!("<{}>", list.iter().map(String::as_str).chain(dots).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The lists of template arguments at the top of a name, and the text between them. A name whose brackets do not match is text.
fn pieces(name: &str) -> Vec<DemangledPiece<'_>> {
    let whole = || vec![DemangledPiece::Text(name)];
    let mut out = Vec::new();
    let (mut depth, mut round, mut from) = (0usize, 0usize, 0);
    let mut list: Vec<String> = Vec::new();
    for (at, c) in name.char_indices() {
        // `operator<`, `operator->`, and comparisons in expressions, which have parentheses around.
        let sign = || name[..at].trim_end_matches(['<', '>', '-', '=']).ends_with("operator");
        match c {
            '(' | '{' => round += 1,
            ')' | '}' => round = round.saturating_sub(1),
            '<' if round == 0 && !sign() => {
                depth += 1;
                if depth == 1 {
                    out.push(DemangledPiece::Text(&name[from..at]));
                    from = at + 1;
                }
            }
            '>' if round == 0 && !sign() => {
                let Some(less) = depth.checked_sub(1) else { return whole() };
                depth = less;
                if depth == 0 {
                    list.push(name[from..at].trim().to_owned());
                    out.push(DemangledPiece::Arguments(Arguments { list: std::mem::take(&mut list), cut: false }));
                    from = at + 1;
                }
            }
            ',' if round == 0 && depth == 1 => {
                list.push(name[from..at].trim().to_owned());
                from = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return whole();
    }
    out.push(DemangledPiece::Text(&name[from..]));
    out
}

/// The same name with `…` for its template arguments.
fn without_arguments(name: &str) -> String {
    let one = |piece: &DemangledPiece<'_>| match piece {
        DemangledPiece::Text(text) => (*text).to_owned(),
        DemangledPiece::Arguments(arguments) if arguments.list.iter().all(String::is_empty) => "<>".to_owned(),
        DemangledPiece::Arguments(_) => "<…>".to_owned(),
    };
    pieces(name).iter().map(one).collect()
}

#[cfg(test)]
mod tests;
