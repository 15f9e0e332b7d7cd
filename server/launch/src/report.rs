//! The result of a launch as JSON, in the form that the contract of the command line defines; editors get the same.
//!
//! Keys beyond the contract: `entry`, `launch` (the complete launch, as a line), `guessed` (its guessed parts),
//! `guessed_lengths` (a sentence, if lengths of buffers are guessed), `printed` (if anything was), `unwritten` (the ranges of
//! bytes of buffers that were never written, which are zeros in `buffers`), `unspecified` and `approximate` (the ranges of bytes
//! of buffers with these marks; in expectations, whether they compare such values), and in faults `end_line`, `end_column`, `fatal`,
//! `count`, `step` (of the warp) and `related`. A run that reached a limit has `limited_by`, `blocks` and `standing`; `incomplete` names what was not checked to the end. Buffers that are too
//! large for a report are in `omitted`.

use super::evaluate::LaunchRun;
use super::limit::RunLimit;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Fault, FaultKind, InstructionSite};
use ptx_interp::inspect::Marks;
use ptx_interp::machine::{CtaCounts, Machine, RecordedStep, WarpId};
use ptx_interp::memory::ByteState;
use ptx_syntax::statements::LineSpan;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Finds the line and the column of a byte, both from 1.
pub type LineColumnFinder<'p> = &'p dyn Fn(usize) -> (usize, usize);

/// The result of a launch, for programs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchReport {
    /// Status at the end.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["finished", "fault", "limit", "deadlock"])))]
    pub status: &'static str,
    /// Number of executed warp instructions.
    pub warp_instructions: u64,
    /// The faults.
    pub faults: Vec<FaultReport>,
    /// The limit that ended the run.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["steps", "effort", "time", null])))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<&'static str>,
    /// How far a run came that reached a limit.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub reached: Option<ReachedReport>,
    /// Kinds of findings that may be missing, because what is stored for them reached a limit: `race`, `asynchronous`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incomplete: Vec<&'static str>,
    /// The bytes of buffers after the run, in hexadecimal digits, by name; variables only if they changed. Later windows of a view leave them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<BTreeMap<String, String>>,
    /// Results of the expectations.
    pub expectations: Vec<ExpectationReport>,
    /// Duration in seconds.
    pub seconds: f64,
    /// The steps of a warp, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<StepReport>>,
    /// Name of the kernel.
    pub entry: String,
    /// The launch, as a line.
    pub launch: String,
    /// The guessed parts of the launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// A sentence that explains guessed lengths of buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guessed_lengths: Option<String>,
    /// Output of `printf`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub printed: String,
    /// Buffers without their bytes, because these would make the report too large: the number of bytes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<String, u64>,
    /// For each buffer the ranges of bytes that were never written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unwritten: BTreeMap<String, Vec<[u64; 2]>>,
    /// For each buffer the ranges of bytes whose values are unspecified.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unspecified: BTreeMap<String, Vec<[u64; 2]>>,
    /// For each buffer the ranges of bytes whose values are approximate.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub approximate: BTreeMap<String, Vec<[u64; 2]>>,
}

/// How far a run came.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachedReport {
    /// The CTAs of the grid.
    pub blocks: BlocksReport,
    /// Where the warps are that have begun and not ended; the instructions with the most warps first.
    pub standing: Vec<StandingReport>,
}

/// The CTAs of a grid.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Blocks"))]
pub struct BlocksReport {
    /// Number of those that have ended.
    pub ended: u64,
    /// Number of those that have begun and not ended.
    pub running: u64,
    /// Number of those that have not begun.
    pub ahead: u64,
}

/// Warps at an instruction.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Standing"))]
pub struct StandingReport {
    /// The line of the instruction that is the next of these warps.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// Number of warps.
    pub warps: u64,
}

/// A fault.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Fault"))]
pub struct FaultReport {
    /// Kind of the fault.
    pub kind: &'static str,
    /// The line of the instruction.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// The line of its end.
    pub end_line: usize,
    /// The column of its end.
    pub end_column: usize,
    /// Message.
    pub message: String,
    /// Mask of the lanes.
    pub lanes: u32,
    /// Index of the CTA in the grid.
    pub cta: [u32; 3],
    /// Index of the warp in the CTA.
    pub warp: u32,
    /// Whether the fault ends the run.
    pub fatal: bool,
    /// Number of occurrences.
    pub count: u64,
    /// Number of instructions that the warp had executed before the first occurrence.
    pub step: u64,
    /// Whether an expectation of the launch names this kind of fault.
    #[serde(skip_serializing_if = "is_false")]
    pub expected: bool,
    /// A related place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<RelatedReport>,
}

/// A range in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceRange {
    /// Line of its beginning, from 1.
    pub line: usize,
    /// Column of its beginning in bytes, from 1.
    pub column: usize,
    /// Line of its end.
    pub end_line: usize,
    /// Column of its end.
    pub end_column: usize,
}

impl PlaceRange {
    /// The range of these bytes.
    pub fn new(range: &Range<usize>, places: LineColumnFinder<'_>) -> Self {
        let ((line, column), (end_line, end_column)) = (places(range.start), places(range.end));
        Self { line, column, end_line, end_column }
    }
}

/// A place related to a fault.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Related"))]
pub struct RelatedReport {
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// Description of the place.
    pub message: String,
}

/// Result of an expectation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Expectation"))]
pub struct ExpectationReport {
    /// The expectation as written.
    pub name: String,
    /// Whether the expectation is met.
    pub ok: bool,
    /// The reason, if it is not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether it compares unspecified values.
    #[serde(skip_serializing_if = "is_false")]
    pub unspecified: bool,
    /// Whether it compares approximate values.
    #[serde(skip_serializing_if = "is_false")]
    pub approximate: bool,
    /// Where it is written, in a view of a document that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<PlaceRange>,
}

/// A step of a warp.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepReport {
    /// Number of instructions that the warp had executed before this step.
    pub step: u64,
    /// The function.
    pub function: String,
    /// The line of the instruction.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// The last line that belongs to the instruction.
    pub end_line: usize,
    /// Mask of the active lanes.
    pub active: u32,
    /// Mask of the lanes that execute the instruction: their guard is true.
    pub executed: u32,
    /// Depth of calls.
    pub depth: u32,
    /// The registers that it wrote.
    pub registers: Vec<RegisterChange>,
}

/// A register that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterChange {
    /// Its name.
    pub name: String,
    /// Its type, with the dot.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The values of its 32 lanes before the step: lane 0 first, little-endian, in hexadecimal digits. A predicate has one bit
    /// for each lane.
    pub before: String,
    /// The values after the step, in the same form.
    pub after: String,
    /// Mask of the lanes whose value the manual leaves open.
    #[serde(skip_serializing_if = "is_zero")]
    pub unspecified: u32,
    /// Mask of the lanes whose value is an approximation.
    #[serde(skip_serializing_if = "is_zero")]
    pub approximate: u32,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(mask: &u32) -> bool {
    *mask == 0
}

/// Formats bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// Number of bytes of buffers that a report has room for. Each is two digits, and a report is copied on its way.
pub const BUFFER_ROOM: u64 = 32 << 20;

/// Maximum number of ranges of bytes of a buffer with a mark.
const MAX_RANGES: usize = 1 << 16;

/// Maximum number of instructions at which warps are.
const MAX_STANDING: usize = 64;

/// A window of the steps of a warp.
#[derive(Debug, Clone, Copy)]
pub struct TraceWindow {
    /// The warp.
    pub warp: WarpId,
    /// The first step.
    pub first: u64,
    /// The number of steps.
    pub count: usize,
}

/// Builds the report of a launch, with this window of a trace if it is given. `room`: the bytes
/// of buffers that may still be reported, which this report takes from.
pub fn report(
    done: &LaunchRun,
    places: LineColumnFinder<'_>,
    trace: Option<TraceWindow>,
    room: &mut u64,
) -> LaunchReport {
    let machine = &done.run.machine;
    let (mut buffers, mut omitted) = (BTreeMap::new(), BTreeMap::new());
    let states = [ByteState::Unwritten, ByteState::Unspecified, ByteState::Approximate];
    let mut states = states.map(|state| (state, BTreeMap::new()));
    for (placed, before) in done.buffers.iter().zip(&done.before) {
        let after = placed.snapshot(machine);
        let variable = machine.executable.variables.contains_key(&placed.name);
        let name = placed.name.to_string();
        if buffers.contains_key(&name) || omitted.contains_key(&name) || variable && after.is_same(before) {
            continue;
        }
        let found = states.each_ref().map(|(state, _)| after.ranges(*state, MAX_RANGES));
        if after.len() > *room || found.iter().any(|(_, all)| !all) {
            omitted.insert(name, after.len());
            continue;
        }
        *room -= after.len();
        for ((_, all), (ranges, _)) in states.iter_mut().zip(found) {
            if !ranges.is_empty() {
                all.insert(name.clone(), ranges.iter().map(|r| [r.start, r.end]).collect());
            }
        }
        buffers.insert(name, hex(&after.bytes(0..after.len())));
    }
    let [(_, unwritten), (_, unspecified), (_, approximate)] = states;
    let window = |trace: TraceWindow| done.run.window(trace.warp, trace.first, trace.count, &|| false);
    let steps = trace.map(window).map(|steps| steps.iter().map(|s| step(done, s, places)).collect());
    let verdicts = done.verdicts.iter().map(|v| ExpectationReport {
        name: v.name.clone(),
        ok: v.ok,
        message: v.message.clone(),
        unspecified: v.marks.contains(Marks::UNSPECIFIED),
        approximate: v.marks.contains(Marks::APPROXIMATE),
        range: None,
    });
    let unexpected = done.unexpected();
    let fault_of_run = |own: &Fault| FaultReport {
        expected: !unexpected.iter().any(|fault| std::ptr::eq(*fault, own)),
        ..fault(&machine.executable, own, places)
    };
    LaunchReport {
        status: done.run.status.name(),
        warp_instructions: machine.steps,
        limited_by: done.limit.map(RunLimit::name),
        reached: done.limit.map(|_| reached(done, places)),
        incomplete: incomplete(machine),
        faults: done.faults().iter().map(fault_of_run).collect(),
        buffers: Some(buffers),
        omitted,
        expectations: verdicts.collect(),
        seconds: done.time.as_secs_f64(),
        trace: steps,
        entry: done.launch.entry.to_string(),
        launch: done.launch.definition().first().map_or_else(String::new, |line| format!("//! {line}")),
        guessed: done.guessed.parts.clone(),
        guessed_lengths: done.guessed.lengths.clone(),
        printed: String::from_utf8_lossy(&machine.printed).into_owned(),
        unwritten,
        unspecified,
        approximate,
    }
}

/// The kinds of findings that may be missing.
fn incomplete(machine: &Machine) -> Vec<&'static str> {
    let kinds =
        [(machine.races.is_incomplete(), FaultKind::Race), (machine.flights.is_incomplete(), FaultKind::Asynchronous)];
    kinds.iter().filter(|(is_incomplete, _)| *is_incomplete).map(|(_, kind)| kind.name()).collect()
}

fn reached(done: &LaunchRun, places: LineColumnFinder<'_>) -> ReachedReport {
    let CtaCounts { ended, running, ahead } = done.run.machine.cta_counts();
    let standing = done.standing().into_iter().take(MAX_STANDING).map(|(site, warps)| {
        let (line, column) = places(done.run.machine.executable.range(site).start);
        StandingReport { line, column, warps }
    });
    ReachedReport { blocks: BlocksReport { ended, running, ahead }, standing: standing.collect() }
}

/// Builds the report of a fault in a run of an executable.
pub fn fault(executable: &Executable, fault: &Fault, places: LineColumnFinder<'_>) -> FaultReport {
    let range = |site: InstructionSite| executable.range(site);
    let own = range(fault.site);
    let ((line, column), (end_line, end_column)) = (places(own.start), places(own.end));
    let related = fault.related.as_ref().map(|(site, message)| {
        let (line, column) = places(range(*site).start);
        RelatedReport { line, column, message: message.clone() }
    });
    FaultReport {
        kind: fault.kind.name(),
        line,
        column,
        end_line,
        end_column,
        message: fault.message.clone(),
        lanes: fault.lanes,
        cta: fault.cta,
        warp: fault.warp,
        fatal: fault.kind.is_fatal(),
        count: fault.count,
        step: fault.step,
        expected: false,
        related,
    }
}

/// The lines that belong to an instruction: none of them belongs to another one as well.
pub fn lines_of(executable: &Executable, site: InstructionSite, places: LineColumnFinder<'_>) -> LineSpan {
    let next = executable.range(InstructionSite { instruction: site.instruction + 1, ..site });
    LineSpan::new(&executable.range(site), Some(next.start).filter(|_| !next.is_empty()), |offset| places(offset).0)
}

/// Builds the report of a step.
pub fn step(done: &LaunchRun, step: &RecordedStep, places: LineColumnFinder<'_>) -> StepReport {
    let executable = &done.run.machine.executable;
    let (_, column) = places(executable.range(step.site).start);
    let lines = lines_of(executable, step.site, places);
    let function = executable.function(step.site.function);
    let registers = step.changes.iter().filter_map(|change| {
        let function = executable.function(change.function).filter(|f| (change.slot as usize) < f.registers.len())?;
        let slot = ptx_flow::flow::RegisterSlot(change.slot);
        Some(RegisterChange {
            name: function.register_name(slot),
            ty: function.declaration(slot).ty.name(),
            before: hex(&change.before),
            after: hex(&change.after),
            unspecified: change.unspecified,
            approximate: change.approximate,
        })
    });
    StepReport {
        step: step.step,
        function: function.map_or_else(String::new, |f| f.name.to_string()),
        line: lines.first,
        column,
        end_line: lines.last,
        active: step.group,
        executed: step.mask,
        depth: step.depth,
        registers: registers.collect(),
    }
}
