//! The registers and shared memory that one function needs by itself.

use super::bounds::{LaunchBounds, limit};
use super::estimate::{self, Demand, Surroundings};
use super::pressure::Pressure;
use crate::flow::effects::{does, mentions};
use crate::flow::liveness::Liveness;
use crate::flow::{FlowFunction, FlowVariable, Graph, OperandValue};
use ptx_isa::ISA;
use ptx_isa::tables::{Protocol, Verb};
use ptx_sema::target::Environment;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// A shared variable that a function names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name, if the module declares it: other functions may then name the same variable.
    pub module: Option<Box<str>>,
    /// Its size in bytes; 0 if it has none of its own, such as `x[]`.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u32,
    /// Whether its size is set at launch.
    pub dynamic: bool,
}

/// The calls to one callee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallUsage {
    /// The name of the callee; `None` for calls through a register.
    pub callee: Option<Box<str>>,
    /// The maximum number of general registers that are live across one of the calls, after folding.
    pub across: u32,
}

/// The option of `.target` for debugging.
const DEBUG: &str = "debug";

/// The registers and shared memory that one function needs, without its callees.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FunctionUsage {
    /// The register pressure at each instruction.
    pub pressure: Pressure,
    /// The estimate of the registers that the assembler will use.
    pub demand: Demand,
    /// The launch bounds in the header.
    pub bounds: LaunchBounds,
    /// For a kernel with a fixed initial number of registers whose warps exchange registers (`setmaxnreg`): the largest
    /// number that one of them requests, if any does. `None` for other functions.
    pub exchanged: Option<Option<u32>>,
    /// Its own shared variables, used or not, and those of the module that it names. Its own are in the order of the
    /// assembler's layout: those of inner blocks last.
    pub shared: Box<[SharedVariable]>,
    /// The functions of the module that it calls or whose address it takes.
    pub callees: Box<[Box<str>]>,
    /// Its calls, by callee.
    pub calls: Box<[CallUsage]>,
    /// Whether the module is compiled for a debugger.
    pub debugged: bool,
}

impl FunctionUsage {
    /// Computes the usage of a function.
    pub fn new(function: &FlowFunction, graph: &Graph, liveness: &Liveness, environment: &Environment) -> Self {
        let pressure = Pressure::new(function, graph, liveness);
        let bounds = LaunchBounds::of(function);
        let debugged = environment.options.contains(&DEBUG);
        let multiprocessor = environment.target.and_then(|t| ISA.multiprocessor(t.name));
        let limit = limit(&bounds, 0, multiprocessor).registers;
        let target = environment.target.and_then(estimate::number);
        let surroundings = Surroundings { live: pressure.most.b32, limit, debugged, target };
        let demand = Demand::new(function, graph, &surroundings);
        let calls = calls(function, &demand);
        Self {
            pressure,
            demand,
            calls,
            bounds,
            shared: shared(function),
            callees: function.functions.clone().into(),
            exchanged: exchanged(function),
            debugged,
        }
    }

    /// Whether it calls through a register.
    pub fn calls_indirectly(&self) -> bool {
        self.calls.iter().any(|c| c.callee.is_none())
    }

    /// The approximate size of the usage in memory, in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.pressure.at)
            + size_of_val(&*self.callees)
            + size_of_val(&*self.calls)
            + size_of_val(&*self.shared)
    }
}

fn calls(function: &FlowFunction, demand: &Demand) -> Box<[CallUsage]> {
    let mut out: Vec<CallUsage> = Vec::new();
    let mut places: HashMap<Option<u32>, usize> = HashMap::new();
    for (index, across) in &demand.across {
        let callee = function.operands_of(*index as usize).iter().find_map(|o| match o.value {
            OperandValue::Function(number) => Some(number),
            _ => None,
        });
        let place = *places.entry(callee).or_insert(out.len());
        match out.get_mut(place) {
            Some(known) => known.across = known.across.max(*across),
            None => {
                let callee = callee.map(|number| function.functions[number as usize].clone());
                out.push(CallUsage { callee, across: *across });
            }
        }
    }
    out.into()
}

fn exchanged(function: &FlowFunction) -> Option<Option<u32>> {
    let settled = || function.directives.iter().any(|t| t.directive.is_some_and(|d| d.registers));
    if !mentions(function, Protocol::Registers) || !settled() {
        return None;
    }
    let raises = |index: &usize| does(function, *index, Verb::Raises, Protocol::Registers);
    let asked = |index: usize| {
        function.operands_of(index).iter().find_map(|o| match o.value {
            OperandValue::Integer(number) => u32::try_from(number).ok(),
            _ => None,
        })
    };
    Some((0..function.instructions.len()).filter(raises).filter_map(asked).max())
}

fn shared(function: &FlowFunction) -> Box<[SharedVariable]> {
    // The function's own variables occupy memory even if no instruction names them. Variables of the module have an empty
    // range.
    let counts = |v: &&FlowVariable| v.symbol.space == ".shared" && (v.uses > 0 || !v.range.is_empty());
    let mut shared: Vec<&FlowVariable> = function.variables.iter().filter(counts).collect();
    let inner = inner_scopes(&shared);
    shared.sort_by_key(|v| inner.contains(&v.scope));
    let of = |v: &FlowVariable| SharedVariable {
        module: v.range.is_empty().then(|| v.name.clone()),
        bytes: if v.symbol.external { 0 } else { v.symbol.bytes.unwrap_or(0) },
        align: v.symbol.align.unwrap_or(1).max(1),
        dynamic: v.symbol.external,
    };
    shared.into_iter().map(of).collect()
}

/// The scopes of the variables that are inside another scope in which the function declares one.
fn inner_scopes(variables: &[&FlowVariable]) -> HashSet<Range<u32>> {
    // For each scope: whether the function declares a variable in it.
    let mut scopes: BTreeMap<(u32, Reverse<u32>), bool> = BTreeMap::new();
    for variable in variables {
        let scope = (variable.scope.start, Reverse(variable.scope.end));
        *scopes.entry(scope).or_default() |= !variable.range.is_empty();
    }
    let (mut inner, mut furthest) = (HashSet::new(), None);
    for ((start, Reverse(end)), own) in scopes {
        if furthest.is_some_and(|furthest| furthest >= end) {
            inner.insert(start..end);
        }
        if own {
            furthest = furthest.max(Some(end));
        }
    }
    inner
}
