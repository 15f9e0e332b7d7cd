//! `proxy-fence`: memory is written through one proxy (a kind of memory access) and read through another without a fence.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::addresses::{AddressKind, Addresses, KnownAddress, base};
use ptx_flow::flow::bits::BitSet;
use ptx_flow::flow::effects::{
    DataflowProblem, FactSet, calls, calls_anything, does, effects, first, is_too_large, mentions,
};
use ptx_flow::flow::solve::Meet;
use ptx_flow::flow::{FlowFunction, OperandValue};
use ptx_isa::OperandName;
use ptx_isa::tables::{Protocol, Verb};
use std::ops::Range;

/// Memory that is written through one proxy and read through another without a fence in between.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProxyFence {
    /// An asynchronous copy reads the shared variable of this name after ordinary stores to it.
    Copy(Box<str>),
    /// A matrix instruction reads shared memory that ordinary stores have written.
    Matrix,
    /// A kernel changes a tensor map and uses one, but has no instruction that publishes the change.
    TensorMap,
}

impl DiagnosticMessage for ProxyFence {
    fn message(&self) -> String {
        match self {
            Self::Copy(name) => format!(
                "`{name}` was written by ordinary stores, but no `fence.proxy.async` precedes the copy that reads it"
            ),
            Self::Matrix => "this reads shared memory through the asynchronous proxy, and the kernel has no `fence.proxy.async` after its stores".to_owned(),
            Self::TensorMap => "the kernel changes a tensor map and uses one, but never publishes the change".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Copy(_) | Self::Matrix => {
                "each thread that wrote must execute `fence.proxy.async.shared::cta;` after its stores and before the barrier"
            }
            Self::TensorMap => {
                "execute `tensormap.cp_fenceproxy` or `fence.proxy.tensormap::generic.release` after the changes, and `fence.proxy.tensormap::generic.acquire` before the use"
            }
        };
        Some(help.to_owned())
    }
}

/// Checks reads through the asynchronous proxy and uses of tensor maps.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if mentions(function, Protocol::AsyncProxy) {
        copies(analysis, out);
        matrices(analysis, out);
    }
    if mentions(function, Protocol::TensorMap) {
        tensor_maps(function, out);
    }
}

fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// An ordinary store to shared memory: index of the instruction, and index into `FlowFunction::variables`.
struct Store {
    index: usize,
    variable: u32,
    /// The byte range in the variable, if known.
    bytes: Option<Range<i64>>,
}

/// Reports copies from a shared variable after an ordinary store to the same bytes without a fence in between, on some path.
fn copies(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let addresses = Addresses::new(function, analysis.graph);
    let shared = |address: &KnownAddress| {
        let (AddressKind::In(space) | AddressKind::Generic(space)) = address.counts;
        space == ".shared"
    };
    let mut stores = Vec::new();
    for index in 0..function.instructions.len() {
        let writes = effects(function, index).find(|e| e.verb == Verb::Writes && e.protocol == Protocol::GenericProxy);
        let Some(operand) = writes.and_then(|e| function.affected(index, e).next()) else { continue };
        let Some(address) = addresses.of(index, operand).filter(shared) else { continue };
        let Some(variable) = address.variable else { continue };
        let size = operand.ty.map_or(1, |t| i64::from(t.info().bits.div_ceil(8)));
        stores.push(Store { index, variable, bytes: address.offset.map(|at| at..at + size) });
    }
    if stores.is_empty() || is_too_large(function, stores.len()) {
        return;
    }
    let limit = stores.len();
    let step = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) || does(function, index, Verb::Fences, Protocol::AsyncProxy) {
            facts.drop_all();
        }
        if let Ok(found) = stores.binary_search_by_key(&index, |s| s.index) {
            facts.add(found);
        }
    };
    let problem =
        DataflowProblem { graph: analysis.graph, limit, meet: Meet::Any, boundary: BitSet::new(limit), step: &step };
    problem.visit(&problem.solve(), |index, now| {
        let reads = effects(function, index).find(|e| e.verb == Verb::Reads && e.protocol == Protocol::AsyncProxy);
        let Some(operand) = reads.and_then(|e| function.affected(index, e).next()) else { return };
        let Some(address) = addresses.of(index, operand).filter(shared) else { return };
        let (Some(variable), Some(from)) = (address.variable, address.offset) else { return };
        let Some(whole) = function.variables.get(variable as usize).map(|v| v.symbol) else { return };
        let size = function.named(index, OperandName::Size).next().and_then(|o| match o.value {
            OperandValue::Integer(n) => Some(n),
            _ => None,
        });
        // If the size is unknown, a copy that begins at the start of the variable counts as a copy of all of it.
        let all = whole.bytes.and_then(|b| i64::try_from(b).ok()).filter(|_| !whole.external);
        let Some(end) = size.or(all.filter(|_| from == 0)).and_then(|n| from.checked_add(n)) else { return };
        let covers = from == 0 && all.is_some_and(|all| end >= all);
        let hit = |store: &Store| {
            store.variable == variable && store.bytes.as_ref().map_or(covers, |b| b.start < end && from < b.end)
        };
        let Some(store) = now.iter().find_map(|n| stores.get(n).filter(|s| hit(s))) else { return };
        let name = function.variables[variable as usize].name.clone();
        let found = Diagnostic::new(range(&operand.range), ProxyFence::Copy(name));
        out.push(found.related(range(&function.instructions[store.index].range), "a store"));
    });
}

/// Reports the first matrix instruction of a kernel that reads shared memory, if only ordinary stores can have written that memory.
fn matrices(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let whole = |e: &&ptx_isa::tables::Effect| {
        e.verb == Verb::Reads && e.protocol == Protocol::AsyncProxy && e.operand.is_empty()
    };
    let all = || 0..function.instructions.len();
    let Some(reader) = all().find(|i| effects(function, *i).any(|e| whole(&e))) else { return };
    let ordered = first(function, Verb::Fences, Protocol::AsyncProxy).is_some();
    let filled = first(function, Verb::Writes, Protocol::AsyncProxy).is_some();
    if !function.kernel || ordered || filled || calls_anything(function) {
        return;
    }
    let stores = |i: &usize| {
        does(function, *i, Verb::Writes, Protocol::GenericProxy)
            && function.chosen(*i).space.is_some_and(|s| base(s.name) == ".shared")
    };
    let Some(store) = all().find(stores) else { return };
    let found = Diagnostic::new(range(&function.instructions[reader].mnemonic), ProxyFence::Matrix);
    out.push(found.related(range(&function.instructions[store].range), "a store"));
}

/// Reports the first use of a tensor map, if the function changes one and never publishes the change.
fn tensor_maps(function: &FlowFunction, out: &mut Vec<Diagnostic>) {
    let Some(change) = first(function, Verb::Writes, Protocol::TensorMap) else { return };
    let Some(reader) = first(function, Verb::Reads, Protocol::TensorMap) else { return };
    if first(function, Verb::Fences, Protocol::TensorMap).is_some() || calls_anything(function) {
        return;
    }
    let found = Diagnostic::new(range(&function.instructions[reader].mnemonic), ProxyFence::TensorMap);
    out.push(found.related(range(&function.instructions[change].range), "changed here"));
}

#[cfg(test)]
mod tests {
    use crate::Code::ProxyFence;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn copies_after_ordinary_stores() {
        let copy = |fence: &str| {
            let store = ".shared .align 16 .b8 tile[64]; ld.param.u64 %rd1, [p]; st.shared.u32 [tile], 1;";
            let copy = "bar.sync 0; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 64;";
            let wait = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
            in_kernel(ProxyFence, &format!("{store} {fence} {copy} {wait}"))
        };
        let found = copy("");
        let expected =
            "`tile` was written by ordinary stores, but no `fence.proxy.async` precedes the copy that reads it";
        assert_eq!(messages(&found), [expected]);
        assert_eq!(found[0].related[0].message(), "a store");
        assert!(copy("fence.proxy.async.shared::cta;").is_empty());
    }
    #[test]
    fn matrices_and_tensor_maps() {
        let multiply = |fence: &str| {
            let matrix = "{%f0, %f1, %f2, %f3}, %rd2, %rd2, 0, 1, 1, 0, 0";
            let store = ".shared .align 128 .b8 tile[1024]; st.shared.u32 [tile], 1;";
            let multiply = format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {matrix};");
            messages(&in_kernel(ProxyFence, &format!("{store} {fence} wgmma.fence.sync.aligned; {multiply}")))
        };
        let expected = "this reads shared memory through the asynchronous proxy, and the kernel has no `fence.proxy.async` after its stores";
        assert_eq!(multiply(""), [expected]);
        assert!(multiply("fence.proxy.async.shared::cta;").is_empty());
        let change = |fence: &str| {
            let tile = ".shared .align 128 .b8 tile[1024];";
            let change = "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;";
            let copy = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [tile];";
            messages(&in_kernel(ProxyFence, &format!("{tile} {change} {fence} {copy}")))
        };
        assert_eq!(change(""), ["the kernel changes a tensor map and uses one, but never publishes the change"]);
        assert!(change("fence.proxy.tensormap::generic.release.gpu;").is_empty());
    }
}
