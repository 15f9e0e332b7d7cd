//! Checks directives for debugging information: `.file`, `.loc`, `.section` and `@@DWARF`.

use super::common::{first_word, gates, part};
use crate::diagnostic::Diagnostic;
use crate::rules::{debug_directive, duplicate_name, syntax_error};
use ptx_isa::ISA;
use ptx_isa::tables::{DataType, Directive};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::directive_parts::LocNumbers;
use ptx_sema::hir::literal;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use rustc_hash::FxHashMap as HashMap;
use rustc_hash::FxHashSet as HashSet;

/// Checks a `.file`. The check of the whole module reports a number that two of them have.
pub(crate) fn file(source: ItemSource<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let (k, name) = (kinds(), first_word(source, node));
    let numbers: Vec<SourceWord<'_>> =
        named_children(node).filter(|n| n.kind_id() == k.integer).map(|n| source.word(n)).collect();
    let path = named_children(node).find(|n| n.kind_id() == k.string).map(|n| source.word(n));
    let numbered = path.is_none_or(|path| numbers.first().is_some_and(|n| n.start < path.start));
    let (Some(index), true, Some(path)) = (numbers.first(), numbered, path) else {
        return match (numbers.first(), path) {
            // The parser has reported the error already.
            _ if node.has_error() => {}
            (Some(index), None) => out.push(debug_directive::missing(*index, "the name of a file in quotes")),
            _ => out.push(debug_directive::missing(name, "the number by which `.loc` names the file")),
        };
    };
    let strings = path.text.len() >= 2 && path.text.ends_with('"');
    if !strings {
        out.push(syntax_error::endless_string(path.range()));
    }
    check_width(*index, 32, out);
    for number in &numbers[1..] {
        check_width(*number, 64, out);
    }
    if let Some(time) = numbers.get(1) {
        part(time.range(), name.text, "timestamp", environment, out);
    }
}

/// Reports a number that does not fit into `bits` bits.
// ptxas: it accepts 2^64, the smallest number with 65 bits.
fn check_width(number: SourceWord<'_>, bits: u32, out: &mut Vec<Diagnostic>) {
    if literal::number(number.text).is_none_or(|n| n >> bits != 0 && n != 1 << 64) {
        out.push(debug_directive::too_large(number, bits));
    }
}

/// Checks the numbers of a `.loc` or `.loc_intermediate`, and the `inlined_at` part of a `.loc`.
pub(crate) fn position(
    source: ItemSource<'_>,
    node: Node<'_>,
    directive: &Directive,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let (k, f) = (kinds(), fields());
    let integers = |node: Node<'_>| {
        named_children(node).filter(|n| n.kind_id() == k.integer).map(|n| source.word(n)).collect::<Vec<_>>()
    };
    let check = |numbers: &[SourceWord<'_>], name: SourceWord<'_>, out: &mut Vec<Diagnostic>| {
        if numbers.len() < 3 && !node.has_error() {
            let last = numbers.last().copied().unwrap_or(name);
            out.push(debug_directive::missing(last, ["the number of a file", "a line", "a column"][numbers.len()]));
        }
        for number in numbers {
            check_width(*number, 32, out);
        }
    };
    let own = integers(node);
    check(&own[..own.len().min(3)], first_word(source, node), out);
    let Some(place) = node.child_by_field_id(f.inlined_at) else { return };
    part(source.range(place), directive.name, "inlined_at", environment, out);
    let numbers = integers(place);
    check(&numbers, SourceWord { text: "", start: source.word(place).start }, out);
    let Some(function) = node.child_by_field_id(f.function_name) else { return };
    if function.kind_id() == k.integer || function.kind_id() == k.unary_expression {
        out.push(debug_directive::not_a_label(source.word(function)));
    } else if function.kind_id() == k.offset
        && let Some(operator) = function.child_by_field_id(f.operator)
        && source.word(operator).text == "-"
    {
        out.push(debug_directive::minus(source.word(operator)));
    }
}

/// The locations of the `.loc` directives in some texts. Comments count as text: what is asked is whether a location is missing.
#[derive(Debug, Default)]
pub(crate) struct KnownLocations {
    known: HashSet<LocNumbers>,
    /// Whether one of them is not written in decimal numbers.
    unsure: bool,
}

impl KnownLocations {
    /// Adds those of a text.
    pub(crate) fn add(&mut self, text: &str) {
        for at in memchr::memmem::find_iter(text.as_bytes(), ".loc") {
            let words = text.get(at + ".loc".len()..).unwrap_or("").split_whitespace();
            let mut numbers = words.map(|word| word.trim_end_matches([',', ';']).parse::<u32>().ok());
            let mut next = || numbers.next().flatten();
            match (next(), next(), next()) {
                (Some(file), Some(line), Some(column)) => drop(self.known.insert((file, line, column))),
                _ => self.unsure = true,
            }
        }
    }

    /// Whether no `.loc` has this location.
    pub(crate) fn lack(&self, location: LocNumbers) -> bool {
        !self.unsure && !self.known.contains(&location)
    }
}

/// Checks a `.section`, which may have only data and labels.
pub(crate) fn section(source: ItemSource<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let k = kinds();
    let name = first_word(source, node);
    let Some(directive) = ISA.directive(name.text) else {
        return syntax_error::report(source, node, out);
    };
    if !gates(name.range(), directive.name, directive.gates, environment, out) || directive.data.is_empty() {
        // A section directive without data types in the tables has text in another language.
        return;
    }
    syntax_error::report(source, node, out);
    let mut labels: HashMap<&str, SourceWord<'_>> = HashMap::default();
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.section_line {
            line(source, child, directive, environment, out);
        } else if kind == k.label {
            let Some(label) = child.child_by_field_id(fields().name).map(|n| source.word(n)) else { continue };
            part(label.range(), directive.name, "labels", environment, out);
            if let Some(first) = labels.get(label.text) {
                out.push(duplicate_name::report(label.range(), label.text, first.range()));
            } else {
                labels.insert(label.text, label);
            }
        } else if kind != k.section_name && kind != k.comment && kind != k.preprocessor_line && !child.is_error() {
            // The assembler stops at this error, so nothing after it is checked.
            return out.push(debug_directive::not_data(first_word(source, child)));
        }
    }
}

/// Checks a line of data in a section.
fn line(
    source: ItemSource<'_>,
    node: Node<'_>,
    directive: &'static Directive,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let (k, f) = (kinds(), fields());
    let Some(ty) = node.child_by_field_id(f.ty).map(|n| source.word(n)) else { return };
    let Some(data) = directive.data.iter().find(|d| d.name == ty.text) else {
        return out.push(debug_directive::not_a_type(ty, directive));
    };
    let is_number = |n: &Node<'_>| n.kind_id() == k.integer || n.kind_id() == k.unary_expression;
    let values =
        || named_children(node).filter(|n| node.child_by_field_id(f.ty) != Some(*n) && n.kind_id() != k.unclosed);
    if values().count() > 1
        && let Some(name) = values().find(|n| !is_number(n) && !n.is_error())
    {
        return out.push(debug_directive::name_in_list(source.word(name)));
    }
    for value in values() {
        let kind = value.kind_id();
        let word = source.word(value);
        if kind == k.integer {
            check_value(word, literal::integer(word.text), data, out);
        } else if kind == k.unary_expression {
            part(word.range(), directive.name, "negative", environment, out);
            let number = value.child_by_field_id(f.argument).and_then(|n| literal::integer(source.word(n).text));
            check_value(word, number.map(|n| -n), data, out);
        } else if kind == k.identifier || kind == k.register || kind == k.section_name {
            check_label(word, data, directive, out);
        } else if kind == k.offset {
            offset(source, value, data, directive, environment, out);
        }
    }
}

/// Checks the data of a `@@DWARF`.
pub(crate) fn dwarf(source: ItemSource<'_>, node: Node<'_>, directive: &'static Directive, out: &mut Vec<Diagnostic>) {
    let (k, f) = (kinds(), fields());
    let Some(ty) = node.child_by_field_id(f.name).map(|n| source.word(n)) else { return };
    if ISA.directive(ty.text).is_some_and(|d| !d.data.is_empty()) {
        return;
    }
    let Some(data) = directive.data.iter().find(|d| d.name == ty.text) else {
        return out.push(debug_directive::not_a_type(ty, directive));
    };
    for value in named_children(node) {
        let word = source.word(value);
        if value.kind_id() == k.integer {
            check_value(word, literal::integer(word.text), data, out);
        } else if value.kind_id() == k.identifier {
            check_label(word, data, directive, out);
        } else if value.kind_id() == k.offset || value.kind_id() == k.unary_expression {
            out.push(debug_directive::bad_sum(word));
        }
    }
}

/// Checks a sum in the data: `label+4` or `label-label`.
fn offset(
    source: ItemSource<'_>,
    node: Node<'_>,
    data: &DataType,
    directive: &'static Directive,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let f = fields();
    let (Some(base), Some(operator), Some(amount)) =
        (node.child_by_field_id(f.base), node.child_by_field_id(f.operator), node.child_by_field_id(f.amount))
    else {
        return;
    };
    let is_number = |node: Node<'_>| node.kind_id() == kinds().integer;
    let minus = source.word(operator).text == "-";
    if is_number(base) || is_number(amount) == minus {
        return out.push(debug_directive::bad_sum(source.word(node)));
    }
    part(source.range(node), directive.name, if minus { "difference" } else { "offset" }, environment, out);
    check_label(source.word(node), data, directive, out);
}

fn check_label(word: SourceWord<'_>, data: &DataType, directive: &'static Directive, out: &mut Vec<Diagnostic>) {
    if !data.labels {
        out.push(debug_directive::no_label(word, data, directive));
    }
}

fn check_value(word: SourceWord<'_>, value: Option<i128>, data: &DataType, out: &mut Vec<Diagnostic>) {
    let bits = u32::from(data.bits);
    let range = -(1i128 << (bits - 1))..1i128 << bits;
    if data.checked && value.is_none_or(|v| !range.contains(&v)) {
        out.push(debug_directive::does_not_fit(word, data));
    }
}
