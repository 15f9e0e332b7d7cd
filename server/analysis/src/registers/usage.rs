//! What one function needs by itself.

use super::estimate::Demand;
use super::pressure::Pressure;
use crate::flow::liveness::Liveness;
use crate::flow::{Function, Graph, Value, Variable};
use crate::target::Environment;
use ptx_isa::tables::{Bound, Flow};
use std::ops::Range;

/// A shared variable that a function names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name, if it is the module's: then other functions may name the same one.
    pub module: Option<Box<str>>,
    /// Its size in bytes; 0 where it has none of its own, such as `x[]`.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its size is said at launch.
    pub dynamic: bool,
}

/// What the header of a function bounds; each with the place of the directive, from the start of the item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `.maxnreg`.
    pub registers: Option<(u64, Range<u32>)>,
    /// The threads of a CTA; the flag: always so many.
    pub threads: Option<(u64, bool, Range<u32>)>,
    /// `.minnctapersm`.
    pub ctas: Option<(u64, Range<u32>)>,
    /// The CTAs of a cluster.
    pub cluster: Option<(u64, Range<u32>)>,
}

/// What one function needs by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Registers at each instruction.
    pub pressure: Pressure,
    /// What the assembler is expected to make of it.
    pub demand: Demand,
    /// What the header says.
    pub bounds: Bounds,
    /// The shared variables that it names, in the order of their first use.
    pub shared: Box<[SharedVariable]>,
    /// The functions of the module that it calls or whose address it takes.
    pub callees: Box<[Box<str>]>,
    /// It calls through a register.
    pub calls_indirectly: bool,
}

impl Usage {
    /// Of a function.
    pub fn new(function: &Function, graph: &Graph, liveness: &Liveness, environment: &Environment) -> Self {
        let pressure = Pressure::new(function, graph, liveness);
        let demand = Demand::new(function, graph, pressure.most.b32, environment);
        let calls_indirectly = (0..function.instructions.len()).any(|index| {
            function.instructions[index].flow == Flow::Call
                && !function.operands_of(index).iter().any(|o| matches!(o.value, Value::Function(_)))
        });
        Self {
            pressure,
            demand,
            bounds: bounds(function),
            shared: shared(function),
            callees: function.functions.clone().into(),
            calls_indirectly,
        }
    }

    /// How many bytes it takes, about.
    pub fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.pressure.at) + size_of_val(&*self.callees)
    }
}

fn bounds(function: &Function) -> Bounds {
    let one = |bound| function.bound(bound).map(|(tuning, number)| (number, tuning.range.clone()));
    let all = |bound, exact| one(bound).map(|(number, range)| (number, exact, range));
    Bounds {
        registers: one(Bound::Registers),
        threads: all(Bound::AllThreads, true).or_else(|| all(Bound::Threads, false)),
        ctas: one(Bound::Ctas),
        cluster: one(Bound::WholeCluster).or_else(|| one(Bound::Cluster)),
    }
}

fn shared(function: &Function) -> Box<[SharedVariable]> {
    let shared = function.variables.iter().filter(|v| v.symbol.space == ".shared" && v.uses > 0);
    let of = |v: &Variable| SharedVariable {
        // Those of the module have no place in the function.
        module: v.range.is_empty().then(|| v.name.clone()),
        bytes: if v.symbol.external { 0 } else { v.symbol.bytes.unwrap_or(0) },
        align: v.symbol.align.unwrap_or(1).max(1),
        dynamic: v.symbol.external,
    };
    shared.map(of).collect()
}
