//! Computes the features of a function that the model reads.

use super::fold::{FAR, keeps_loop};
use super::live::{Count, Counter, Ends};
use super::program::{EstimateOperation, EstimateProgram, MemoryEffect, RegisterUnit};
use super::region::regions;
use super::schedule::{Dependences, schedule};
use super::trips::{Writers, trips};
use super::unroll::unroll;
use super::{OLDEST, Surroundings, number};
use crate::flow::uniformity::Across;
use crate::flow::{FlowFunction, Graph};
use ptx_isa::tables::{ControlTransfer, TargetInfo, TypeClass};

/// The assumed unroll factor of the assembler.
const TURNS: usize = 4;

/// The assumed maximum size of a loop that the assembler unrolls, in operations.
const MAX_LOOP_OPERATIONS: usize = 100;

/// The assumed maximum size of a loop that is unrolled completely, in operations of all turns.
const MAX_UNROLLED_OPERATIONS: u64 = 400;

/// The number of results from which an operation needs a group of neighbouring registers.
const GROUP: usize = 4;

/// The cap on the feature `local`, in bytes.
const MAX_LOCAL: u64 = 1024;

/// The cap on the feature `threads`.
const MAX_THREADS: u64 = 1024;

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
    /// The maximum in an order that hides short latencies only.
    hurried,
    /// The maximum in an order that hides all latencies but computes results as late as possible.
    thrifty,
    /// The same as `ordered`, with loops unrolled.
    unrolled,
    /// The same as `hurried`, with loops unrolled.
    unrolled_hurried,
    /// The maximum number live across a block boundary.
    across,
    /// The maximum number of predicates live at one point after folding.
    predicates,
    /// The difference `live - ordered`, limited to ±200.
    live_more,
    /// The difference `folded - ordered`, limited to ±200.
    folded_more,
    /// The difference `hurried - ordered`, limited to ±200.
    hurried_more,
    /// The difference `thrifty - ordered`, limited to ±200.
    thrifty_more,
    /// The difference `unrolled - ordered`, limited to ±200.
    unrolled_more,
    /// The difference `unrolled_hurried - ordered`, limited to ±200.
    unrolled_hurried_more,
    /// The difference `across - ordered`, limited to ±200.
    across_more,
    /// The number of instructions in the text.
    instructions,
    /// The number of operations after folding.
    operations,
    /// The number of basic blocks.
    blocks,
    /// The number of operations of the largest block.
    largest,
    /// The number of edges that lead backwards in the text.
    back,
    /// The number of loops that consist of one block.
    small_loops,
    /// The number of loops that were unrolled.
    unrolled_loops,
    /// The number of pragmas, including those that forbid unrolling.
    pragmas,
    /// The number of calls.
    calls,
    /// The number of operations that become long routines: more than 9 temporary registers.
    routines,
    /// The number of operations that become short sequences: 3 to 9 temporary registers.
    sequences,
    /// The number of instructions with 64-bit floating-point operands.
    doubles,
    /// The size of its local memory in bytes, at most `MAX_LOCAL`.
    local,
    /// The number of operations with at least 4 results, such as those on matrices and vectors.
    wide,
    /// The number of operations that no memory access may cross, such as barriers and fences.
    barriers,
    /// The number of instructions that all threads of a warp must execute together.
    together,
    /// The maximum number of values loaded in one block with the latency `FAR`.
    loaded,
    /// The number of values loaded in all blocks with the latency `FAR`.
    loads,
    /// The number in the name of the target.
    generation,
    /// The maximum in an order that hides loads only in part.
    near,
    /// The maximum of `ordered` without values that are the same in all lanes of a warp.
    varying,
    /// The maximum number of values live at one point of the order of `ordered` that are loaded with the latency `FAR`.
    hoisted,
    /// The maximum number of values live at one point of that order that come from operations with at least `GROUP` results.
    grouped,
    /// The maximum of `ordered` in loops.
    looped,
    /// The maximum number live where control goes back.
    carried,
    /// The number of loops whose number of turns is known and that are unrolled completely.
    complete_loops,
    /// The difference `near - ordered`, limited to ±200.
    near_more,
    /// The difference `varying - ordered`, limited to ±200.
    varying_more,
    /// The difference `looped - ordered`, limited to ±200.
    looped_more,
    /// The difference `carried - ordered`, limited to ±200.
    carried_more,
    /// The number of operations with at least `GROUP` results that access no memory, such as those on matrices.
    matrices,
    /// The number of stores.
    stores,
    /// The largest number of temporary registers of an operation.
    temporaries,
    /// The number of accesses to local memory at known addresses.
    local_fixed,
    /// The number of accesses to local memory at computed addresses.
    local_moving,
    /// The register limit of the header and the target.
    limit,
    /// 1 if the header gives the number of registers, or of CTAs that must have room.
    fixed,
    /// The number of threads of a CTA, 0 if the header does not say.
    threads,
    /// 1 if the module is compiled for a debugger.
    debugged,
}

impl FunctionFeatures {
    /// Computes the features of a function. Also returns for each call: the index of the instruction, and the number of
    /// general registers that are live across it.
    pub fn new(function: &FlowFunction, graph: &Graph, surroundings: &Surroundings<'_>) -> (Self, Vec<(u32, u32)>) {
        let program = EstimateProgram::new(function, graph);
        let ends = Ends::new(&program, graph);
        let mut counts = LiveMaxima::new(&program, surroundings.across);
        let (writers, loops) = (Writers::new(function), in_loops(graph));
        let mut across = Vec::new();
        for block in graph.order.iter().map(|b| *b as usize) {
            let noted = |call, live: Count| across.push((call, live.general));
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
            let mut turns = repeats.then_some(TURNS);
            if repeats && let Some(known) = trips(function, &writers, &instructions) {
                let whole = known.saturating_mul(region.operations.len() as u64) <= MAX_UNROLLED_OPERATIONS;
                turns = Some(if whole { known as usize } else { TURNS });
                counts.complete_loops += u32::from(whole);
            }
            counts.region(&region.operations, &at_end, turns, loops[region.first]);
        }
        let at_end = |block: usize| ends.of(block).filter(|u| !program.predicate[*u as usize]).count();
        let between = (0..graph.blocks.len()).map(at_end).max().unwrap_or(0);
        let goes_back = |block: &usize| graph.successors(*block).iter().any(|to| *to as usize <= *block);
        let carried = (0..graph.blocks.len()).filter(goes_back).map(at_end).max().unwrap_or(0);
        let out = Self {
            live: surroundings.live.into(),
            folded: counts.folded.general as f32,
            ordered: counts.ordered as f32,
            hurried: counts.hurried as f32,
            thrifty: counts.thrifty as f32,
            unrolled: counts.unrolled as f32,
            unrolled_hurried: counts.unrolled_hurried as f32,
            across: between as f32,
            predicates: counts.folded.predicates as f32,
            unrolled_loops: counts.loops as f32,
            generation: generation(surroundings.target).into(),
            near: counts.near as f32,
            varying: counts.varying as f32,
            hoisted: counts.hoisted as f32,
            grouped: counts.grouped as f32,
            looped: counts.looped as f32,
            carried: carried as f32,
            complete_loops: counts.complete_loops as f32,
            limit: surroundings.limit as f32,
            fixed: f32::from(u8::from(surroundings.fixed)),
            threads: surroundings.threads.min(MAX_THREADS) as f32,
            debugged: f32::from(u8::from(surroundings.debugged)),
            ..Self::default()
        }
        .with_text(function, graph)
        .with_program(&program)
        .with_differences();
        (out, across)
    }

    fn with_differences(self) -> Self {
        let more = |number: f32| (number - self.ordered).clamp(-200.0, 200.0);
        Self {
            live_more: more(self.live),
            folded_more: more(self.folded),
            hurried_more: more(self.hurried),
            thrifty_more: more(self.thrifty),
            unrolled_more: more(self.unrolled),
            unrolled_hurried_more: more(self.unrolled_hurried),
            across_more: more(self.across),
            near_more: more(self.near),
            varying_more: more(self.varying),
            looped_more: more(self.looped),
            carried_more: more(self.carried),
            ..self
        }
    }

    /// Adds the features of the text and its blocks.
    fn with_text(self, function: &FlowFunction, graph: &Graph) -> Self {
        let all = || 0..function.instructions.len();
        let doubles = |index: &usize| {
            let double = |c: TypeClass, bits: u16| c == TypeClass::Float && bits == 64;
            function.operands_of(*index).iter().filter_map(|o| o.ty).any(|t| double(t.info().class, t.info().bits))
        };
        let local = function.variables.iter().filter(|v| v.symbol.space == ".local").filter_map(|v| v.symbol.bytes);
        let blocks = || 0..graph.blocks.len();
        let back = |block: usize| graph.successors(block).iter().filter(|to| **to as usize <= block).count();
        Self {
            instructions: function.instructions.len() as f32,
            pragmas: function.pragmas.len() as f32,
            calls: all().filter(|i| function.instructions[*i].flow == ControlTransfer::Call).count() as f32,
            doubles: all().filter(doubles).count() as f32,
            together: all().filter(|i| function.chosen(*i).converge).count() as f32,
            local: local.fold(0, u64::saturating_add).min(MAX_LOCAL) as f32,
            blocks: graph.blocks.len() as f32,
            back: blocks().map(back).sum::<usize>() as f32,
            small_loops: blocks().filter(|b| graph.successors(*b).contains(&(*b as u32))).count() as f32,
            ..self
        }
    }

    /// Adds the features of the operations after folding.
    fn with_program(self, program: &EstimateProgram) -> Self {
        const LONG: u16 = 9;
        const WIDE: usize = 4;
        let all = || program.blocks.iter().flatten();
        let loads = |block: &Vec<EstimateOperation>| -> usize {
            block.iter().filter(|o| o.cycles == FAR).map(|o| o.defs.len()).sum()
        };
        Self {
            operations: all().count() as f32,
            largest: program.blocks.iter().map(Vec::len).max().unwrap_or(0) as f32,
            routines: all().filter(|o| o.temporaries > LONG).count() as f32,
            sequences: all().filter(|o| (3..=LONG).contains(&o.temporaries)).count() as f32,
            wide: all().filter(|o| o.defs.len() >= WIDE).count() as f32,
            barriers: all().filter(|o| o.memory == MemoryEffect::Barrier).count() as f32,
            matrices: all().filter(|o| o.defs.len() >= GROUP && o.memory == MemoryEffect::None).count() as f32,
            stores: all().filter(|o| matches!(o.memory, MemoryEffect::Write(_))).count() as f32,
            temporaries: all().map(|o| o.temporaries).max().unwrap_or(0).into(),
            local_fixed: program.local_fixed as f32,
            local_moving: program.local_moving as f32,
            loaded: program.blocks.iter().map(loads).max().unwrap_or(0) as f32,
            loads: program.blocks.iter().map(loads).sum::<usize>() as f32,
            ..self
        }
    }
}

/// Indexed by block: whether it lies between the two ends of an edge that leads backwards in the text.
fn in_loops(graph: &Graph) -> Vec<bool> {
    let count = graph.blocks.len();
    // The number of loops that begin at a block, less those that end before it.
    let mut change = vec![0i32; count + 1];
    for block in 0..count {
        for to in graph.successors(block).iter().map(|to| *to as usize).filter(|to| *to <= block) {
            change[to] += 1;
            change[block + 1] -= 1;
        }
    }
    let around = change.iter().take(count).scan(0, |around, change| {
        *around += change;
        Some(*around > 0)
    });
    around.collect()
}

/// Maxima of live registers over all blocks.
#[derive(Default)]
struct LiveMaxima {
    counter: Counter,
    predicate: Vec<bool>,
    /// Indexed by unit: whether `varying`, `hoisted` and `grouped` leave it out.
    left_out: [Vec<bool>; 3],
    folded: Count,
    ordered: u32,
    hurried: u32,
    thrifty: u32,
    near: u32,
    unrolled: u32,
    unrolled_hurried: u32,
    varying: u32,
    hoisted: u32,
    grouped: u32,
    looped: u32,
    loops: u32,
    complete_loops: u32,
}

impl LiveMaxima {
    fn new(program: &EstimateProgram, across: &[Across]) -> Self {
        let uniform = |slot: usize| across.get(slot).is_some_and(|a| matches!(a, Across::Cta | Across::Warp));
        let predicate = &program.predicate;
        let varies = |unit: usize| predicate[unit] || uniform(program.slots[unit].index());
        let mut left_out: [Vec<bool>; 3] =
            [(0..predicate.len()).map(varies).collect(), vec![true; predicate.len()], vec![true; predicate.len()]];
        let [_, hoisted, grouped] = &mut left_out;
        for operation in program.blocks.iter().flatten() {
            for unit in operation.defs.iter().map(|d| *d as usize).filter(|d| !predicate[*d]) {
                hoisted[unit] &= operation.cycles != FAR;
                grouped[unit] &= operation.defs.len() < GROUP;
            }
        }
        Self { predicate: predicate.clone(), left_out, ..Self::default() }
    }

    /// Adds the operations of a region. `turns` is the number of turns for which it is unrolled.
    fn region(
        &mut self,
        operations: &[EstimateOperation],
        at_end: &[RegisterUnit],
        turns: Option<usize>,
        in_loop: bool,
    ) {
        let dependences = Dependences::new(operations);
        let hiding = schedule(operations, &dependences, false, WHOLE);
        for (most, left_out) in
            [&mut self.varying, &mut self.hoisted, &mut self.grouped].into_iter().zip(&self.left_out)
        {
            *most = self.counter.in_order(operations, &hiding, at_end, left_out).max(*most);
        }
        let ordered = self.counter.in_order(operations, &hiding, at_end, &self.predicate);
        let mut count = |cycles: fn(&EstimateOperation) -> u32, thrifty: bool| {
            let order = schedule(operations, &dependences, thrifty, cycles);
            self.counter.in_order(operations, &order, at_end, &self.predicate)
        };
        let (hurried, thrifty, near) = (count(SHORT, false), count(WHOLE, true), count(NEAR, false));
        let (mut unrolled, mut unrolled_hurried) = (ordered, hurried);
        if let Some(turns) = turns {
            self.loops += 1;
            let operations = unroll(operations, turns, &mut self.predicate);
            let dependences = Dependences::new(&operations);
            let mut count = |cycles: fn(&EstimateOperation) -> u32| {
                let order = schedule(&operations, &dependences, false, cycles);
                self.counter.in_order(&operations, &order, at_end, &self.predicate)
            };
            (unrolled, unrolled_hurried) = (count(WHOLE), count(SHORT));
        }
        for (most, found) in [
            (&mut self.ordered, ordered),
            (&mut self.hurried, hurried),
            (&mut self.thrifty, thrifty),
            (&mut self.near, near),
            (&mut self.unrolled, unrolled),
            (&mut self.unrolled_hurried, unrolled_hurried),
            (&mut self.looped, if in_loop { ordered } else { 0 }),
        ] {
            *most = found.max(*most);
        }
    }
}

/// The target number that the model reads: at least [`OLDEST`], and that of a common target if the target is unknown.
fn generation(target: Option<&TargetInfo>) -> u16 {
    const USUAL: u16 = 90;
    target.and_then(number).map_or(USUAL, |number| number.max(OLDEST))
}

/// The latencies of an order that hides all of them.
const WHOLE: fn(&EstimateOperation) -> u32 = |operation| operation.cycles;

/// The latencies of an order that hides loads in part.
const NEAR: fn(&EstimateOperation) -> u32 = |operation| operation.cycles.min(100);

/// The latencies of an order that hides short ones only.
const SHORT: fn(&EstimateOperation) -> u32 = |operation| (operation.cycles.min(40) / 2).max(5);
