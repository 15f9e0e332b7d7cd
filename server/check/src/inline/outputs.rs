//! Operands that a text only writes, as its statement says: what they hold before is unknown, and what they hold after it must
//! have been written on every path.

use super::wrap::InlineModule;
use super::{InlineRegister, InlineTarget, InlineText, UndefinedOutput};
use crate::actions::Actions;
use crate::incremental::analyzer::Analyzer;
use crate::lints::uninitialized_register::is_indifferent;
use ptx_flow::flow::written::{Certainty, Unwritten, unwritten};
use ptx_flow::flow::{FlowFunction, Graph, RegisterSlot, paths};
use ptx_sema::hir::module::{is_function, items};
use ptx_syntax::Snapshot;
use std::collections::BTreeMap;
use std::ops::Range;

/// Finds the outputs of a text without errors whose value is undefined: where one is read before it is written, and those that
/// some path does not write.
pub(super) fn find(text: &InlineText<'_>, actions: &Actions, target: InlineTarget) -> Vec<UndefinedOutput> {
    let outputs: Vec<&InlineRegister<'_>> = text.registers.iter().filter(|r| r.written_only).collect();
    if outputs.is_empty() || !text.opaque.is_empty() || is_plain(text.ptx, &outputs, actions) {
        return Vec::new();
    }
    let module = InlineModule::new(text, target);
    let source = with_reads(&module, &outputs);
    let snapshot = Snapshot::new(&source);
    if snapshot.roots().any(|root| root.has_error()) {
        return Vec::new();
    }
    let items = items(&snapshot);
    let Some(item) = items.iter().find(|item| is_function(item.node)) else { return Vec::new() };
    let Some((function, graph)) = Analyzer::flow_of(&snapshot, item.node) else { return Vec::new() };
    undefined(&function, &graph, &outputs, |range| {
        module.to_text(&(range.start + item.range.start..range.end + item.range.start))
    })
}

/// Whether a look at the words already shows that all is well: the instructions follow one another without a guard, and each
/// output occurs once, where it is written.
fn is_plain(ptx: &str, outputs: &[&InlineRegister<'_>], actions: &Actions) -> bool {
    let ends = |at: usize| !ptx[at..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_written_once = |output: &&InlineRegister<'_>| {
        let mut places = ptx.match_indices(output.name).map(|(at, _)| at).filter(|at| ends(at + output.name.len()));
        let is_write = |at| actions.written.iter().any(|(name, place)| **name == *output.name && place.start == at);
        places.next().is_none_or(is_write) && places.next().is_none()
    };
    !ptx.contains(['@', ':']) && outputs.iter().all(is_written_once)
}

/// The module of the text, at whose end every output is read.
fn with_reads(module: &InlineModule, outputs: &[&InlineRegister<'_>]) -> String {
    let mut source = module.text.trim_end().strip_suffix('}').unwrap_or(&module.text).to_owned();
    for (index, output) in outputs.iter().enumerate() {
        let (ty, name) = (output.ty.name(), output.name);
        source.push_str(&format!(".reg {ty} %_end_{index}; mov{ty} %_end_{index}, {name};\n"));
    }
    source.push_str("}\n");
    source
}

fn undefined(
    function: &FlowFunction,
    graph: &Graph,
    outputs: &[&InlineRegister<'_>],
    in_text: impl Fn(Range<usize>) -> Option<Range<usize>>,
) -> Vec<UndefinedOutput> {
    let mut registers: BTreeMap<RegisterSlot, Vec<Unwritten>> = BTreeMap::new();
    for read in unwritten(function, graph) {
        if !is_indifferent(function, &read) {
            registers.entry(read.used.slot).or_default().push(read);
        }
    }
    let place = |read: &Unwritten| {
        let instruction = &function.instructions[read.instruction];
        let range = match (read.used.operand, &instruction.guard) {
            (Some(operand), _) => &function.operands[operand as usize].range,
            (None, Some(guard)) => &guard.range,
            (None, None) => &instruction.mnemonic,
        };
        in_text(range.start as usize..range.end as usize)
    };
    let mut out = Vec::new();
    for (slot, mut reads) in registers {
        let name = function.register_name(slot);
        let declared = &function.declaration(slot).range;
        // A block of the text may declare the name again.
        let is_output = in_text(declared.start as usize..declared.end as usize).is_none();
        let Some(output) = outputs.iter().find(|o| is_output && o.name == name) else { continue };
        reads.sort_by_key(|read| (read.certainty, read.instruction));
        let unsure: Vec<usize> =
            reads.iter().filter(|r| r.certainty == Certainty::Sometimes).map(|r| r.instruction).collect();
        let possible = paths::unwritten_at(function, graph, slot, &unsure);
        reads.retain(|r| r.certainty != Certainty::Sometimes || possible.contains(&r.instruction));
        let name: Box<str> = output.name.into();
        let inside = reads.iter().find_map(|read| Some((read, place(read)?)));
        if let Some((read, range)) = inside {
            let always = read.certainty != Certainty::Sometimes;
            out.push(UndefinedOutput { name, read: Some(range), always });
        } else if reads.iter().any(|read| read.certainty == Certainty::Sometimes) {
            out.push(UndefinedOutput { name, read: None, always: false });
        }
    }
    out
}
