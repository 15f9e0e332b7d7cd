//! `cp-async-wait`: shared memory is read before the asynchronous copy into it is complete.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::addresses::Addresses;
use ptx_flow::flow::effects::{does, effects, is_too_large, mentions, pending};
use ptx_flow::flow::{FlowOperand, OperandValue, RegisterSlot};
use ptx_isa::OperandName;
use ptx_isa::tables::{OperandAccess, Protocol, Verb};
use rustc_hash::FxHashMap as HashMap;

/// A read of shared memory that an asynchronous copy may still be writing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CpAsyncWait {
    /// Whether the copy is not committed to a group yet on any path, so that `cp.async.wait_group` cannot wait for it.
    pub uncommitted: bool,
}

impl DiagnosticMessage for CpAsyncWait {
    fn message(&self) -> String {
        "this is read while an asynchronous copy may still be writing it".to_owned()
    }

    fn help(&self) -> Option<String> {
        let help = if self.uncommitted {
            "before the read, execute `cp.async.wait_all`, or `cp.async.commit_group` and `cp.async.wait_group 0` (and a barrier if other threads copied)"
        } else {
            "before the read, execute `cp.async.wait_group 0` (and a barrier if other threads copied)"
        };
        Some(help.to_owned())
    }
}

const PROTOCOL: Protocol = Protocol::CpAsync;

/// A memory address that two instructions can be compared by.
#[derive(Clone, Copy, PartialEq)]
enum TrackedAddress {
    /// Index into `FlowFunction::variables`, and byte offset into that variable.
    Variable(u32, i64),
    /// Offset in bytes from a register's value; invalid once the register is written.
    Register(RegisterSlot, i64),
}

/// An asynchronous copy: index of the instruction, destination address and size in bytes.
struct AsyncCopy {
    index: usize,
    place: TrackedAddress,
    bytes: i64,
}

/// Reports reads of shared memory with no wait between the copy into it and the read, on any path.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    let addresses = Addresses::new(function, analysis.graph);
    let place = |index: usize, operand: &FlowOperand| match addresses.of(index, operand) {
        Some(address) => Some(TrackedAddress::Variable(address.variable?, address.offset?)),
        None => match operand.value {
            OperandValue::Register(slot) => Some(TrackedAddress::Register(slot, operand.offset?)),
            _ => None,
        },
    };
    let mut copies = Vec::new();
    for index in 0..function.instructions.len() {
        let effect = effects(function, index).find(|e| e.verb == Verb::Starts && e.protocol == PROTOCOL);
        let Some(operand) = effect.and_then(|e| function.affected(index, e).next()) else { continue };
        let Some(place) = place(index, operand) else { continue };
        let size = function.named(index, OperandName::Size).next().map(|o| o.value);
        let bytes = if let Some(OperandValue::Integer(n)) = size { n } else { 1 };
        copies.push(AsyncCopy { index, place, bytes });
    }
    if copies.is_empty() || is_too_large(function, copies.len()) {
        return;
    }
    let mut through: HashMap<RegisterSlot, Vec<usize>> = HashMap::default();
    for (number, copy) in copies.iter().enumerate() {
        if let TrackedAddress::Register(slot, _) = copy.place {
            through.entry(slot).or_default().push(number);
        }
    }
    let starts = |index: usize| {
        copies.binary_search_by_key(&index, |c| c.index).map_or_else(|_| Vec::new(), |found| vec![found])
    };
    let ends = |index: usize| {
        let writes = function.writes(index).iter();
        writes.filter_map(|w| through.get(&w.slot)).flatten().copied().collect()
    };
    let pending = pending(function, analysis.graph, PROTOCOL, copies.len(), &starts, &ends);
    for index in 0..function.instructions.len() {
        if function.writes(index).is_empty() || does(function, index, Verb::Starts, PROTOCOL) {
            continue;
        }
        for operand in function.operands_of(index).iter().filter(|o| o.memory() == Some(OperandAccess::Read)) {
            let Some(read) = place(index, operand) else { continue };
            let inside = |copy: &AsyncCopy| match (copy.place, read) {
                (TrackedAddress::Variable(a, from), TrackedAddress::Variable(b, at)) => {
                    a == b && (from..from + copy.bytes).contains(&at)
                }
                (TrackedAddress::Register(a, from), TrackedAddress::Register(b, at)) => {
                    a == b && (from..from + copy.bytes).contains(&at)
                }
                _ => false,
            };
            let Some(found) = pending.started[index].iter().find(|n| copies.get(*n).is_some_and(inside)) else {
                continue;
            };
            let uncommitted = pending.uncommitted[index].contains(found);
            let copy = &function.instructions[copies[found].index].range;
            let range = operand.range.start as usize..operand.range.end as usize;
            let found = Diagnostic::new(range, CpAsyncWait { uncommitted });
            out.push(found.related(copy.start as usize..copy.end as usize, "the copy is started here"));
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::CpAsyncWait;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn reads_before_the_copy_is_complete() {
        let copy = ".shared .align 16 .b8 t[64]; ld.param.u64 %rd1, [p]; cp.async.ca.shared.global [t], [%rd1], 16;";
        let read = |between: &str| in_kernel(CpAsyncWait, &format!("{copy} {between} ld.shared.u32 %r1, [t+4];"));
        let found = read("cp.async.commit_group;");
        assert_eq!(messages(&found), ["this is read while an asynchronous copy may still be writing it"]);
        assert!(found[0].help().is_some_and(|h| h.starts_with("before the read, execute `cp.async.wait_group 0`")));
        assert!(read("")[0].help().is_some_and(|h| h.starts_with("before the read, execute `cp.async.wait_all`")));
        assert!(read("cp.async.wait_all;").is_empty());
        assert!(read("cp.async.commit_group; cp.async.wait_group 0;").is_empty());
    }
}
