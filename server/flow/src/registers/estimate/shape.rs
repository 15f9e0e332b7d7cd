//! Computes the features of a function that the model reads.

use super::Surroundings;
use super::fold::keeps_loop;
use super::live::{Counter, Ends};
use super::program::{EstimateOperation, EstimateProgram, RegisterUnit};
use super::region::regions;
use super::schedule::{Dependences, schedule, sunk};
use super::trips::{Turns, Writers, turns};
use super::unroll::unroll;
use crate::flow::{FlowFunction, Graph};

/// The assumed unroll factor of the assembler.
const TURNS: usize = 4;

/// The assumed maximum size of a loop that the assembler unrolls, in operations.
const MAX_LOOP_OPERATIONS: usize = 100;

/// The assumed maximum size of a loop that is unrolled completely, in operations of all turns.
const MAX_UNROLLED_OPERATIONS: u64 = 400;

macro_rules! shape {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The features of a function that the model reads. They are numbers of general registers unless stated otherwise.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct FunctionFeatures {
            $($(#[$doc])* pub $name: f32,)*
        }

        impl FunctionFeatures {
            /// The names of the features, as the file of the model spells them.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The values of the features, in the order of [`Self::NAMES`].
            pub fn values(&self) -> [f32; Self::NAMES.len()] {
                [$(self.$name,)*]
            }
        }
    };
}

shape! {
    /// The maximum number live at one point, in the order of the text, without folding.
    live,
    /// The maximum number live at one point after folding, in the order of the text.
    folded,
    /// The maximum in an order that hides all latencies.
    ordered,
    /// The same as `ordered`, with loops unrolled.
    unrolled,
    /// The maximum in the order of the text with loads moved down to their first readers; 0 where `ordered` is within the limit.
    sunk,
    /// The number of operations after folding.
    operations,
    /// The number of loops that were unrolled.
    unrolled_loops,
    /// The number of loops whose number of turns is known and that are unrolled completely.
    complete_loops,
    /// The register limit of the header and the target.
    limit,
    /// 1 if the module is compiled for a debugger.
    debugged,
    /// The number in the name of the target: 90 of `sm_90a`. Infinite if the target is unknown.
    target,
}

impl FunctionFeatures {
    /// Computes the features of a function. Also returns for each call: the index of the instruction, and the number of
    /// general registers that are live across it.
    pub fn new(function: &FlowFunction, graph: &Graph, surroundings: &Surroundings) -> (Self, Vec<(u32, u32)>) {
        let program = EstimateProgram::new(function, graph);
        let ends = Ends::new(&program, graph);
        let limit = surroundings.limit;
        let mut counts = LiveMaxima { predicate: program.predicate.clone(), limit, ..LiveMaxima::default() };
        let writers = Writers::new(function);
        let mut across = Vec::new();
        for block in graph.order.iter().map(|b| *b as usize) {
            let noted = |call, live| across.push((call, live));
            let found = counts.counter.most(program.blocks[block].iter(), ends.of(block), &program.predicate, noted);
            counts.folded = counts.folded.max(found);
        }
        for region in regions(&program, graph, &ends) {
            let at_end: Vec<RegisterUnit> = ends.of(region.last).collect();
            let instructions = graph.blocks[region.first].first as usize
                ..graph.blocks[region.last].end.max(graph.blocks[region.first].end) as usize;
            let repeats = graph.successors(region.last).contains(&(region.first as u32))
                && region.operations.len() < MAX_LOOP_OPERATIONS
                && !keeps_loop(function, &instructions);
            let found = if repeats { turns(function, &writers, &instructions) } else { Turns::Open };
            let size = region.operations.len() as u64;
            let turns = match found {
                Turns::Known(known) if known.saturating_mul(size) <= MAX_UNROLLED_OPERATIONS => {
                    counts.complete_loops += 1;
                    Some(known as usize)
                }
                Turns::Known(_) | Turns::Counted => Some(TURNS),
                Turns::Open => None,
            };
            counts.region(&region.operations, &at_end, turns);
        }
        let out = Self {
            live: surroundings.live.into(),
            folded: counts.folded as f32,
            ordered: counts.ordered as f32,
            unrolled: counts.unrolled as f32,
            sunk: counts.sunk as f32,
            operations: program.blocks.iter().flatten().count() as f32,
            unrolled_loops: counts.loops as f32,
            complete_loops: counts.complete_loops as f32,
            limit: surroundings.limit as f32,
            debugged: f32::from(u8::from(surroundings.debugged)),
            target: surroundings.target.map_or(f32::INFINITY, f32::from),
        };
        (out, across)
    }
}

/// Maxima of live general registers over all blocks.
#[derive(Default)]
struct LiveMaxima {
    counter: Counter,
    predicate: Vec<bool>,
    folded: u32,
    ordered: u32,
    unrolled: u32,
    sunk: u32,
    limit: u32,
    loops: u32,
    complete_loops: u32,
}

impl LiveMaxima {
    /// Adds the operations of a region. `turns` is the number of turns for which it is unrolled.
    fn region(&mut self, operations: &[EstimateOperation], at_end: &[RegisterUnit], turns: Option<usize>) {
        let ordered = self.count(operations, at_end);
        self.ordered = self.ordered.max(ordered);
        if ordered > self.limit {
            let order = sunk(operations, &Dependences::new(operations), at_end, &self.predicate);
            self.sunk = self.sunk.max(self.counter.in_order(operations, &order, at_end, &self.predicate));
        }
        let unrolled = turns.map_or(ordered, |turns| {
            self.loops += 1;
            let operations = unroll(operations, turns, &mut self.predicate);
            self.count(&operations, at_end)
        });
        self.unrolled = self.unrolled.max(unrolled);
    }

    /// The maximum number of registers live at one point of operations that are put in order.
    fn count(&mut self, operations: &[EstimateOperation], at_end: &[RegisterUnit]) -> u32 {
        let order = schedule(operations, &Dependences::new(operations));
        self.counter.in_order(operations, &order, at_end, &self.predicate)
    }
}
