//! Demangling of C++ and Rust names of functions and variables.
//!
//! Compilers mangle a name and append suffixes for PTX: `_Z3fooPf_param_0`, `_Z3foov$__internal_accurate_pow`. The parts
//! around the mangled name are kept in brackets. LLVM writes `_$_` for a dot, since PTX names cannot contain dots.

mod distinct;

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
pub use distinct::distinct_names;
use ptx_gate::words::visible;
use std::fmt::{self, Write};

/// Maximum length in bytes of a name that is demangled. Compilers write up to about 2,000 bytes.
const MAX_NAME: usize = 4096;
/// Maximum length in bytes of the result. A short name can stand for a very long one, since it may repeat parts of itself.
const MAX_TEXT: usize = 4096;
/// Maximum length in characters of a name with its parameters next to a message.
const MAX_NOTE: usize = 120;
/// Maximum length in characters of a short form.
const MAX_SHORT: usize = 60;

/// A demangled name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demangled {
    /// The full form: `void gemm<float, 128>(float*, int)`.
    pub full: String,
    /// The short form, without parameters and result type: `gemm<float, 128>`. It has at most 60 characters; template
    /// arguments that do not fit are replaced by `…`.
    pub short: String,
    /// The short form before it was cut.
    pub whole: String,
}

/// The demangled form of a name; `None` if it is not mangled, or not as in C++ or Rust.
pub fn demangle(name: &str) -> Option<Demangled> {
    let (before, mangled) = start(name)?;
    let dotted = mangled.contains("_$_").then(|| mangled.replace("_$_", "."));
    let readable = dotted.and_then(|dotted| part(before, &dotted)).or_else(|| part(before, mangled))?;
    (!readable.short.is_empty() && readable.full != name).then_some(readable)
}

/// The short form of a name for columns and titles: demangled if it is mangled, and in any case cut to 60 characters.
pub fn short_name(name: &str) -> String {
    demangle(name).map_or_else(|| shorten(name, MAX_SHORT), |d| d.short)
}

/// The short form of a name with as many template arguments as fit on a line; `None` if it is not mangled.
pub fn line_name(name: &str) -> Option<String> {
    demangle(name).map(|d| shorten(&d.whole, MAX_NOTE))
}

/// A name for messages: the short form followed by the name itself, or the name alone if it is not mangled.
pub fn both_names(name: &str) -> String {
    demangle(name).map_or_else(|| name.to_owned(), |d| format!("{} ({name})", d.short))
}

/// The mangled names between backticks in a message, each with its demangled form.
pub fn mangled_names(message: &str) -> Vec<(&str, String)> {
    let mut out: Vec<(&str, String)> = Vec::new();
    let pieces: Vec<&str> = message.split('`').collect();
    // The last segment is after all backticks, or after an unclosed one.
    for name in pieces[..pieces.len() - 1].iter().copied().skip(1).step_by(2) {
        let Some(readable) = demangle(name).filter(|_| out.iter().all(|(known, _)| *known != name)) else { continue };
        let is_long = readable.full.chars().count() > MAX_NOTE;
        out.push((name, if is_long { readable.short } else { readable.full }));
    }
    out
}

/// The prefix of a name and its mangled part.
fn start(name: &str) -> Option<(&str, &str)> {
    if name.len() > MAX_NAME {
        return None;
    }
    let bare = name.trim_start_matches(['%', '$']);
    if bare.starts_with("_Z") || bare.starts_with("_R") {
        return Some(("", bare));
    }
    // nvcc's names for file-local entities: `__nv_static_28__1a2b_4_x_cu_3c4d__Z3foov`, `_INTERNAL_1a2b_4_x_cu_3c4d::foo`.
    let suffix = bare.strip_prefix("__nv_static_").or_else(|| bare.strip_prefix("_INTERNAL_"))?;
    let at = suffix.find("__Z")?;
    Some(("static ", suffix.get(at + 1..)?))
}

fn part(before: &str, mangled: &str) -> Option<Demangled> {
    let (mut full, mut short, tail) = rust(mangled).or_else(|| cpp(mangled))?;
    if full.is_empty() {
        return None;
    }
    let tail = match tail.strip_prefix("_param_") {
        Some(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            // The function is displayed right above its parameters, so the short form leaves it out.
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
    Some(Demangled { full: format!("{before}{full}"), short: shorten(&short, MAX_SHORT), whole: short })
}

/// Whether the text after a mangled name looks like a suffix of a compiler.
fn is_tail(tail: &str) -> bool {
    tail.is_empty() || tail.starts_with(['_', '$', '.'])
}

fn cpp(mangled: &str) -> Option<(String, String, &str)> {
    let (symbol, tail) = BorrowedSymbol::with_tail(mangled.as_bytes()).ok()?;
    let tail = std::str::from_utf8(tail).ok().filter(|t| is_tail(t))?;
    let text = |options: &DemangleOptions| {
        let mut out = Bounded::default();
        let result = symbol.structured_demangle(&mut out, options);
        out.finish(result.is_ok())
    };
    let full = text(&DemangleOptions::new())?;
    let short = text(&DemangleOptions::new().no_params().no_return_type().hide_expression_literal_types())?;
    Some((full, without_tags(&short), tail))
}

/// Demangles Rust names of both schemes. Names of the older scheme look like C++ and end in a hash.
fn rust(mangled: &str) -> Option<(String, String, &str)> {
    let end = if mangled.starts_with("_R") {
        // Names of the newer scheme contain neither dots nor dollar signs.
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
    let result = write!(out, "{symbol:#}");
    let full = out.finish(result.is_ok())?;
    Some((full.clone(), full, tail))
}

/// A buffer of up to [`MAX_TEXT`] bytes; writing more is an error.
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
            // It stands in code spans of messages.
            self.text.push(if c == '`' { '?' } else { c });
        }
        Ok(())
    }
}

impl Bounded {
    fn finish(mut self, done: bool) -> Option<String> {
        if self.cut {
            self.text.push('…');
        }
        // Names of Rust can have any character.
        (done || self.cut).then(|| visible(&self.text).into_owned())
    }
}

/// Removes ABI tags, in which Numba stores options and versions.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some(at) = remaining.find("[abi:") {
        out.push_str(&remaining[..at]);
        remaining = remaining[at..].find(']').map_or("", |end| &remaining[at + end + 1..]);
    }
    out.push_str(remaining);
    out
}

/// Shortens a name to at most `max` characters. It drops nested template arguments first, then the last arguments, then
/// namespaces.
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
    // One argument at a time, from the list with the longest last argument.
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
        let last_part = out.trim_start_matches("…::");
        // A `::` within arguments or parameters does not count.
        if last_part[..at].contains(['<', '(', '{', '[']) {
            break;
        }
        out = format!("…{}", &last_part[at..]);
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

/// Splits a name into its top-level lists of template arguments and the text between them. A name with unbalanced brackets
/// is a single text.
fn pieces(name: &str) -> Vec<DemangledPiece<'_>> {
    let whole = || vec![DemangledPiece::Text(name)];
    let mut out = Vec::new();
    let (mut depth, mut round, mut from) = (0usize, 0usize, 0);
    let mut list: Vec<String> = Vec::new();
    for (at, c) in name.char_indices() {
        // `operator<`, `operator->`. Comparisons in expressions are in parentheses.
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

/// The name with its template arguments replaced by `…`.
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
