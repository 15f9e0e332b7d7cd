//! Names for compiler-generated registers. An assist can name one register of a range, or one of the independent live
//! ranges of a register that holds several values in turn.

use super::assist::Assist;
use crate::demangle::demangle;
use crate::references::{declaration_at, own_name};
use crate::rename::{Separation, separate, uses};
use ptx_analysis::names::function_around;
use ptx_analysis::{
    Analyzer, DeclarationKind, DeclarationNode, FlowFunction, OperandRole, OperandValue, VariableOrigin, WebPlace,
    Webs, webs,
};
use ptx_isa::tables::{OperandAccess, TypeClass};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Id of the assist that renames a register everywhere.
const REGISTER: &str = "name-register";
/// Id of the assist that renames one live range of a register.
const LIVE_RANGE: &str = "name-live-range";
/// Maximum size in bytes of a function, and of its module, that is lowered when the cursor is on a register.
const MAX_FUNCTION: usize = 256 << 10;
const MAX_MODULE: usize = 1 << 20;
/// Maximum length of a suggested name.
const MAX_SUGGESTION: usize = 32;

/// Offers names for the register at a range.
pub fn assists(snapshot: &Snapshot, range: &Range<usize>, out: &mut Vec<Assist>) {
    let Some((declaration, node, old)) = declaration_at(snapshot, range.start) else { return };
    let declared = own_name(&declaration).is_none_or(|own| own == node.byte_range());
    if declaration.what != DeclarationKind::Register || declared || range.end > node.end_byte() {
        return;
    }
    let places = uses(snapshot, &declaration, &old);
    if !places.contains(&node.byte_range()) {
        return;
    }
    let naming = Naming { snapshot, declaration: &declaration, old: &old, at: node.start_byte() };
    let flow = RegisterWebs::new(snapshot, node, &declaration, &old);
    if declaration.count.is_some() {
        let wanted = flow.as_ref().and_then(|f| f.suggestion(f.webs.places.iter()));
        out.extend(naming.assist(REGISTER, &format!("Give `{old}` a name"), &places, wanted, 0));
    }
    let Some(flow) = flow else { return };
    let web = node.start_byte().checked_sub(flow.base).and_then(|at| flow.webs.at(at as u32));
    let Some(web) = web.filter(|_| flow.webs.webs.len() > 1) else { return };
    if flow.webs.webs.get(web as usize).is_none_or(|w| w.fixed) {
        return;
    }
    let own: Vec<&WebPlace> = flow.webs.places.iter().filter(|p| p.web == web).collect();
    let inside = |place: &Range<usize>| {
        let start = place.start.checked_sub(flow.base);
        start.is_some_and(|at| own.iter().any(|p| (p.range.start as usize..p.range.end as usize).contains(&at)))
    };
    // A use that no instruction makes, such as a line of debugging data, belongs to no live range.
    let known =
        |place: &Range<usize>| place.start.checked_sub(flow.base).is_some_and(|at| flow.webs.at(at as u32).is_some());
    if !places.iter().all(known) {
        return;
    }
    let live: Vec<Range<usize>> = places.iter().filter(|p| inside(p)).cloned().collect();
    let title = format!("Give this live range of `{old}` a name");
    out.extend(naming.assist(LIVE_RANGE, &title, &live, flow.suggestion(own.into_iter()), web as usize));
}

/// A register that is to be renamed.
struct Naming<'a, 't> {
    snapshot: &'a Snapshot,
    declaration: &'a DeclarationNode<'t>,
    old: &'a str,
    at: usize,
}

impl Naming<'_, '_> {
    /// The assist with the first unused name.
    fn assist(
        &self,
        id: &'static str,
        title: &str,
        places: &[Range<usize>],
        wanted: Option<String>,
        number: usize,
    ) -> Option<Assist> {
        let what = Separation { declaration: self.declaration, old: self.old, places };
        let sign = if self.old.starts_with('%') { "%" } else { "" };
        let wanted = wanted.map(|w| format!("{sign}{w}"));
        let numbered = wanted.iter().flat_map(|w| ["", "_r", "_2", "_3", "_4"].map(|end| format!("{w}{end}")));
        let letters = ('a'..='z').cycle().skip(number % 26).take(26).map(|letter| format!("{}_{letter}", self.old));
        let mut tried = numbered.chain(letters);
        let (name, edits) = tried.find_map(|name| Some((name.clone(), separate(self.snapshot, &what, &name).ok()?)))?;
        let assist = Assist::new(id, format!("{title}: `{name}`"), edits);
        Some(Assist { named: Some(self.at), ..assist })
    }
}

/// The lowered function and the live ranges (webs) of a register.
struct RegisterWebs {
    function: FlowFunction,
    webs: Webs,
    /// Offset at which the function begins.
    base: usize,
}

impl RegisterWebs {
    fn new(snapshot: &Snapshot, node: Node<'_>, declaration: &DeclarationNode<'_>, name: &str) -> Option<Self> {
        let item = function_around(node).filter(|n| n.kind_id() == kinds().function && !n.has_error())?;
        if item.byte_range().len() > MAX_FUNCTION || snapshot.rope().len_bytes() > MAX_MODULE {
            return None;
        }
        let base = item.start_byte();
        let declared = own_name(declaration)?;
        let number = match declaration.count {
            Some(_) => name.strip_prefix(&*snapshot.text(declared.clone()))?.parse().ok()?,
            None => 0,
        };
        let (function, graph) = Analyzer::flow_of(snapshot, item)?;
        let start = u32::try_from(declared.start.checked_sub(base)?).ok()?;
        let index = function.declarations.iter().position(|d| d.range.start == start)?;
        let webs = webs(&function, &graph, index as u32, number);
        Some(Self { function, webs, base })
    }

    /// The name that all writes at these places suggest; `None` if they differ.
    fn suggestion<'a>(&self, places: impl Iterator<Item = &'a WebPlace>) -> Option<String> {
        let mut names = places.filter(|p| p.writes).map(|p| self.written(p));
        let first = names.next()??;
        names.all(|n| n.as_ref() == Some(&first)).then_some(first)
    }

    /// A name for the result of an instruction: the name of the special register, variable or parameter that is its only
    /// source.
    fn written(&self, place: &WebPlace) -> Option<String> {
        let index = place.instruction as usize;
        let mut read = self.function.operands_of(index).iter().filter(|o| !o.writes());
        let (operand, None) = (read.next()?, read.next()) else { return None };
        let name = match operand.value {
            OperandValue::Special(register, component) => {
                let name = register.name.trim_start_matches('%');
                let component = component.and_then(|c| ["_x", "_y", "_z", "_w"].get(usize::from(c))).copied();
                format!("{name}{}", component.unwrap_or(""))
            }
            OperandValue::Variable(variable) => {
                let variable = self.function.variables.get(variable as usize)?;
                let name = plain(&variable.name);
                let loaded = operand.role == OperandRole::Address && operand.memory() == Some(OperandAccess::Read);
                let parameter =
                    matches!(variable.symbol.origin, VariableOrigin::Parameter | VariableOrigin::KernelParameter);
                let ty = self.function.operands_of(index).iter().find(|o| o.writes()).and_then(|o| o.ty)?.info();
                let address = parameter && ty.bits == 64 && ty.class != TypeClass::Float;
                // `param_0` needs no prefix to be clear.
                match name.starts_with("param_") || (loaded && !address) {
                    true => name,
                    false => format!("ptr_{name}"),
                }
            }
            _ => return None,
        };
        let fits = name.len() <= MAX_SUGGESTION && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (fits && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some(name)
    }
}

/// The name of a variable without compiler-generated prefixes: namespaces, and the function to which a parameter belongs.
fn plain(name: &str) -> String {
    let short = demangle(name).map_or_else(|| name.to_owned(), |d| d.short);
    let own = short.rsplit("::").next().unwrap_or(&short);
    match own.rfind("_param_") {
        Some(at) if own[at + "_param_".len()..].bytes().all(|b| b.is_ascii_digit()) => own[at + 1..].to_owned(),
        _ => own.to_owned(),
    }
}
