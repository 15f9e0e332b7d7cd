//! The view of a run for editors: the report of `eval`, and a window of the steps and the state of one warp.
//! docs/dev/warp-view.md describes it.

use crate::buffers::{BufferView, buffers};
use crate::course::Course;
use crate::lane_values::LaneValues;
use crate::matrix::{Matrix, matrices};
use crate::memory::{MemoryPiece, MemoryQuery, piece};
use crate::memory_choices::{MemoryChoices, memory_choices};
use crate::row::{ReadingChoice, ReadingTexts, RowStyle, in_all_readings, reading_choices};
use crate::state::{WarpState, machine_at, state};
use crate::steps::{Step, steps, timeline};
use ptx_gate::words::{visible, visible_lines};
use ptx_interp::inspect;
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::{Detail, GridShape, Machine, MemoryAccess, RunStatus, WarpId};
use ptx_isa::fragment::OperandMatrix;
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::report::{BUFFER_ROOM, LaunchReport, LineColumnFinder, PlaceRange, report};
use ptx_launch::words;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The part of a run to show.
#[derive(Debug, Clone, Default)]
pub struct ViewQuery {
    /// The first step of the warp.
    pub from: u64,
    /// Number of steps.
    pub count: usize,
    /// Whether to include the memory accesses of the steps.
    pub accesses: bool,
    /// Include the state of the warp before this step.
    pub state: Option<u64>,
    /// Include the line and lanes of these steps.
    pub timeline: Option<TimelineQuery>,
    /// Omit the parts that are equal in every window of a run: buffers.
    pub brief: bool,
    /// Ranges of memory to show, before the step of `state`, or at the end.
    pub memory: Vec<MemoryQuery>,
    /// Include the rows of registers with their texts, in steps and state.
    pub rows: Option<RowStyle>,
    /// Include a register in all its readings, before the step of `state`, or at the end.
    pub register: Option<String>,
    /// Include the matrices of the step before that of `state`.
    pub matrices: bool,
    /// Include the buffers beside what they held before.
    pub contents: bool,
}

/// A part of the steps of a warp.
#[derive(Debug, Clone, Copy)]
pub struct TimelineQuery {
    /// The first step.
    pub from: u64,
    /// Number of steps.
    pub count: usize,
}

/// What an answer needs to know about the document.
#[derive(Clone, Copy)]
pub struct ViewContext<'a> {
    /// Line and column of an offset.
    pub places: LineColumnFinder<'a>,
    /// Whether the launch is written in the document, so that its expectations have places.
    pub is_written: bool,
    /// The version of the document.
    pub version: i32,
    /// Number of launches above the kernel.
    pub launches: usize,
    /// Finds the matrices of the instruction in a range of bytes.
    pub matrices: &'a dyn Fn(Range<usize>) -> Vec<OperandMatrix>,
    /// Polled; once it returns true, the answer must be discarded.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// The answer of `ptx-analyzer.evaluateWarp`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluation {
    /// The report of the run.
    #[serde(flatten)]
    pub report: LaunchReport,
    /// Whether the run ended as expected, every expectation holds, and no other fault was found.
    pub passed: bool,
    /// How it ended, in a few words: `stopped at the time limit`.
    pub outcome: &'static str,
    /// How it ended, with its place, size and time.
    pub ended: String,
    /// Where a run stopped that reached a limit or a deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<Place>,
    /// The version of the document.
    pub version: i32,
    /// Number of launches above the kernel.
    pub launches: usize,
    /// The shape of the grid.
    pub grid: Grid,
    /// The warp.
    pub target: Target,
    /// Number of instructions that the warp executed.
    pub steps: u64,
    /// The requested window of steps.
    pub trace: Vec<Step>,
    /// Where its lanes were, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The state before a step, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<WarpState>,
    /// The requested ranges of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Vec<MemoryPiece>>,
    /// The readings by the size of a register, if rows are requested and the answer is not brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readings: Option<BTreeMap<String, Vec<ReadingChoice>>>,
    /// What memory there is to show, if rows are requested and the answer is not brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_choices: Option<MemoryChoices>,
    /// A register in all its readings, if requested and there is one of that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<Vec<ReadingTexts>>,
    /// The buffers beside what they held before, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<Vec<BufferView>>,
    /// The matrices of the step before that of `state`, if requested; empty if its instruction has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrices: Option<Vec<Matrix>>,
    /// The result document, unless the answer is brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// A place in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// The shape of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Grid {
    /// CTAs in each direction.
    pub grid: [u32; 3],
    /// Threads of a CTA in each direction.
    pub block: [u32; 3],
    /// CTAs of a cluster in each direction.
    pub cluster: [u32; 3],
    /// Number of CTAs.
    pub ctas: u64,
    /// Number of warps of a CTA.
    pub warps: u32,
    /// Number of threads of a CTA.
    pub threads: u32,
}

/// A warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// The place of its CTA in the grid.
    pub cta: [u32; 3],
    /// Its number in the CTA.
    pub warp: u32,
    /// Mask of the lanes that are threads.
    pub present: LaneMask,
}

/// Where the lanes of a warp were.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// The first step.
    pub from: u64,
    /// For each step the line, the active lanes (mask), the executing lanes (mask), the depth of calls, and the last line that belongs to
    /// the statement.
    pub steps: Vec<(usize, LaneMask, LaneMask, u32, usize)>,
}

/// Returns the warp with that index in the CTA with that index in the grid.
///
/// # Errors
/// A message, if there is none.
pub fn target(shape: &GridShape, cta: [u32; 3], warp: u32) -> Result<WarpId, String> {
    if (0..3).any(|i| cta[i] >= shape.grid[i]) {
        return Err(format!("there is no CTA {cta:?} in a grid of {:?}", shape.grid));
    }
    let warps = shape.warps();
    if warp >= warps {
        return Err(format!("there is no warp {warp} in a CTA of {warps}"));
    }
    Ok(WarpId { cta: shape.cta_number(cta), warp })
}

/// Builds the answer.
pub fn answer(done: &LaunchRun, course: &Course, query: &ViewQuery, context: &ViewContext<'_>) -> Evaluation {
    let ViewContext { places, cancelled, .. } = *context;
    let (target, shape) = (course.target, done.run.machine.shape);
    let style = query.rows.as_ref();
    let step_style = style.filter(|style| !style.is_for_state_only);
    let detail = Detail { registers: true, accesses: query.accesses };
    let window = match query.count {
        0 => Vec::new(),
        count => done.run.steps_of(target, query.from, count, detail, cancelled),
    };
    let at = query.state.map(|step| step.min(course.steps));
    let moment = Moment::new(done, course, query, at, cancelled);
    let piece_of = |query: &MemoryQuery| match &moment.machine {
        Some(machine) => piece(machine, target, query, &moment.accesses),
        None => MemoryPiece::Missing { error: "that point of the run is unknown".to_owned() },
    };
    let timeline_of = |TimelineQuery { from, count }: TimelineQuery| Timeline {
        from,
        steps: timeline(done, &course.window(done, from, count, cancelled), places),
    };
    let stopped = [RunStatus::Limit, RunStatus::Deadlock].contains(&done.run.status);
    let stopped_at = done.stopped_at().filter(|_| stopped).map(|site| {
        let (line, column) = places(done.run.machine.executable.range(site).start);
        Place { line, column }
    });
    Evaluation {
        report: shown_report(done, query, context),
        passed: done.passed(),
        outcome: words::outcome(done),
        ended: words::ended(done, &|offset| places(offset).0),
        stopped_at,
        version: context.version,
        launches: context.launches,
        grid: Grid {
            grid: shape.grid,
            block: shape.block,
            cluster: shape.cluster,
            ctas: shape.ctas(),
            warps: shape.warps(),
            threads: shape.threads(),
        },
        target: Target { cta: shape.cta_place(target.cta), warp: target.warp, present: course.present },
        steps: course.steps,
        trace: steps(done, course, &window, places, step_style, query.accesses, cancelled),
        timeline: query.timeline.map(timeline_of),
        state: at.zip(moment.machine.as_ref()).map(|(step, machine)| state(machine, target, step, places, style)),
        memory: (at.is_some() || !query.memory.is_empty()).then(|| query.memory.iter().map(piece_of).collect()),
        readings: (style.is_some() && !query.brief).then(reading_choices),
        memory_choices: (style.is_some() && !query.brief).then(|| memory_choices(&done.run.machine)),
        register: query.register.as_ref().and_then(|name| moment.register(name, course)),
        contents: query.contents.then(|| buffers(done)),
        matrices: query.matrices.then(|| moment.matrices(done, course, context)),
        markdown: None,
    }
}

/// The report of the run as an editor shows it: programs that want every byte ask the command line.
fn shown_report(done: &LaunchRun, query: &ViewQuery, context: &ViewContext<'_>) -> LaunchReport {
    let mut report = report(done, context.places, None, &mut { BUFFER_ROOM });
    report.printed = visible_lines(&report.printed).into_owned();
    report.launch = visible(&report.launch).into_owned();
    if query.brief {
        report.buffers = None;
        for ranges in [&mut report.unwritten, &mut report.unspecified, &mut report.approximate] {
            ranges.clear();
        }
    }
    if context.is_written {
        for (verdict, expectation) in report.expectations.iter_mut().zip(&done.launch.expectations) {
            verdict.range = Some(PlaceRange::new(&expectation.range, context.places));
        }
    }
    report
}

/// What is asked about one time of the run.
struct Moment {
    /// The machine then.
    machine: Option<Machine>,
    /// The memory accesses of the step before.
    accesses: Vec<MemoryAccess>,
}

impl Moment {
    fn new(
        done: &LaunchRun,
        course: &Course,
        query: &ViewQuery,
        at: Option<u64>,
        cancelled: &dyn Fn() -> bool,
    ) -> Self {
        let is_asked = at.is_some() || !query.memory.is_empty() || query.register.is_some() || query.matrices;
        let machine = is_asked.then(|| machine_at(done, course, at, cancelled)).flatten();
        let wants_accesses = !query.memory.is_empty();
        let before = at.unwrap_or(course.steps).checked_sub(1).filter(|_| wants_accesses);
        let accesses = before.and_then(|step| {
            let detail = Detail { registers: false, accesses: true };
            done.run.steps_of(course.target, step, 1, detail, cancelled).pop()
        });
        Self { machine, accesses: accesses.map(|step| step.accesses).unwrap_or_default() }
    }

    /// A register, a special register or a parameter in all its readings.
    fn register(&self, name: &str, course: &Course) -> Option<Vec<ReadingTexts>> {
        let (machine, target) = (self.machine.as_ref()?, course.target);
        let next = inspect::groups(machine, target).and_then(|view| view.next).unwrap_or(0);
        let registers = inspect::registers(machine, target, next, 0).unwrap_or_default();
        let specials = inspect::specials(machine, target, next, 0).unwrap_or_default();
        if let Some(register) = registers.iter().find(|register| register.name == name) {
            let values = LaneValues::of_register(register);
            return Some(in_all_readings(&LaneValues { known: values.known & course.present, ..values }));
        }
        if let Some(special) = specials.iter().find(|special| special.name == name) {
            return Some(in_all_readings(&LaneValues { known: course.present, ..LaneValues::of_special(special) }));
        }
        let parameters = inspect::parameters(machine);
        let parameter = parameters.iter().find(|parameter| format!("[{}]", parameter.name) == name)?;
        let bytes = parameter.bytes.repeat(ptx_interp::lanes::LANES);
        Some(in_all_readings(&LaneValues { known: course.present, ..LaneValues::plain(parameter.ty, &bytes) }))
    }

    /// The matrices of the step before, with their values.
    fn matrices(&self, done: &LaunchRun, course: &Course, context: &ViewContext<'_>) -> Vec<Matrix> {
        let Some(after) = &self.machine else { return Vec::new() };
        let step = after.steps_of(course.target).unwrap_or(course.steps).checked_sub(1);
        let Some(step) = step.and_then(|step| course.window(done, step, 1, context.cancelled).pop()) else {
            return Vec::new();
        };
        let layouts = (context.matrices)(done.run.machine.executable.range(step.site));
        if layouts.is_empty() {
            return Vec::new();
        }
        let Some(before) = done.run.at(step.time, context.cancelled) else { return Vec::new() };
        matrices(&layouts, &before, after, course.target)
    }
}

#[cfg(test)]
mod tests {
    use super::target;
    use crate::course::present;
    use ptx_interp::machine::{GridShape, WarpId};

    #[test]
    fn warps_of_a_grid() {
        let shape = GridShape::new([3, 2, 2], [40, 1, 1]);
        for number in 0..12 {
            let place = shape.cta_place(number);
            assert_eq!(target(&shape, place, 1), Ok(WarpId { cta: number, warp: 1 }));
        }
        assert_eq!(shape.cta_place(11), [2, 1, 1]);
        assert!(target(&shape, [3, 0, 0], 0).is_err_and(|why| why.contains("no CTA")));
        assert!(target(&shape, [0; 3], 2).is_err_and(|why| why.contains("no warp 2 in a CTA of 2")));
        assert_eq!((present(&shape, 0), present(&shape, 1), present(&shape, 2)), (u32::MAX, 0xff, 0));
    }
}
