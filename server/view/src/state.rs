//! The state of a warp before one of its steps.

use crate::course::Course;
use crate::row::{Row, RowContext, RowStyle};
use ptx_interp::inspect::{self, GroupState, GroupView, ParameterView, RegisterView, SpecialView};
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::{Machine, WarpId};
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::report::{LineColumnFinder, hex};
use ptx_launch::words;
use serde::Serialize;

/// The state of a warp before a step.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WarpState {
    /// Number of instructions that the warp has executed.
    pub step: u64,
    /// Number of instructions that the whole grid has executed.
    pub time: u64,
    /// Mask of the lanes that are threads.
    pub present: LaneMask,
    /// Mask of the lanes that have exited.
    pub exited: LaneMask,
    /// The lanes with a common program counter.
    pub groups: Vec<LaneGroup>,
    /// The group that continues first, as an index into `groups`.
    pub next: Option<usize>,
    /// The calls of that group, the innermost first.
    pub frames: Vec<Frame>,
    /// Registers, special registers and parameters as bytes, unless rows are requested.
    #[serde(flatten)]
    pub values: Option<StateValues>,
    /// The same with their texts, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Row>>,
}

/// The values of a warp as bytes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateValues {
    /// The registers of its innermost call.
    pub registers: Vec<RegisterState>,
    /// Special registers: those that identify a thread, and those that the function reads.
    pub specials: Vec<SpecialState>,
    /// The parameters of the kernel.
    pub parameters: Vec<ParameterState>,
}

/// What a group of lanes waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LaneGroupState {
    /// Nothing.
    Running,
    /// A barrier of its CTA.
    Barrier,
    /// Something else outside of the warp.
    Waiting,
    /// Other lanes of the warp.
    Gathering,
}

/// Lanes with a common program counter.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaneGroup {
    /// The lanes.
    pub mask: LaneMask,
    /// The line of their next instruction.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// Depth of calls.
    pub depth: u32,
    /// What they wait for.
    pub state: LaneGroupState,
    /// For lanes that gather: the lanes that they wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<LaneMask>,
    /// The group in a line: `lanes 0–7 at line 12, wait for lanes 8–31`.
    pub text: String,
}

/// An open call.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// The function.
    pub function: String,
    /// The line of its next instruction; of a caller that of its call.
    pub line: usize,
    /// Mask of the lanes that have not returned from it.
    pub lanes: LaneMask,
}

/// A register.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterState {
    /// Its name.
    pub name: String,
    /// Its declared type, with the dot.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The values of its 32 lanes: lane 0 first, little-endian, in hexadecimal digits. A predicate has one bit for each lane.
    pub value: String,
    /// Mask of the lanes in which something was written.
    pub known: LaneMask,
    /// Whether all lanes that have not exited hold the same.
    pub uniform: bool,
    /// For an untyped register: the type that its readers give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_as: Option<&'static str>,
    /// Mask of the lanes whose value the manual leaves open.
    #[serde(skip_serializing_if = "is_zero")]
    pub unspecified: LaneMask,
    /// Mask of the lanes whose value is an approximation.
    #[serde(skip_serializing_if = "is_zero")]
    pub approximate: LaneMask,
}

/// A special register.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpecialState {
    /// Its name.
    pub name: String,
    /// Its type, with the dot.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Its values, in the form of those of a register.
    pub value: String,
}

/// A parameter of the kernel.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParameterState {
    /// Its name.
    pub name: String,
    /// Its type, with the dot; empty if it has none.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Its offset in parameter memory.
    pub offset: u32,
    /// Its bytes in hexadecimal digits.
    pub value: String,
    /// What a pointer points to: `x+16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points_to: Option<String>,
}

fn is_zero(mask: &LaneMask) -> bool {
    *mask == 0
}

/// Returns the machine before a step of a warp, or at the end of the run if `step` is `None`. For a step after the last one it
/// returns the end too, or, if the warp no longer exists then, the machine before the last step.
pub fn machine_at(
    done: &LaunchRun,
    course: &Course,
    step: Option<u64>,
    cancelled: &dyn Fn() -> bool,
) -> Option<Machine> {
    let end = || Some(done.run.machine.clone());
    let Some(step) = step else { return end() };
    let last = match inspect::groups(&done.run.machine, course.target) {
        Some(view) if step >= course.steps && !view.groups.is_empty() => return end(),
        _ => course.steps.checked_sub(1)?,
    };
    let time = course.time_of(done, step.min(last), cancelled)?;
    done.run.at(time, cancelled)
}

/// Returns the state of a warp in a machine. With a style it has rows.
pub fn state(
    machine: &Machine,
    target: WarpId,
    step: u64,
    places: LineColumnFinder<'_>,
    style: Option<&RowStyle>,
) -> WarpState {
    let line = |site| places(machine.executable.range(site).start);
    let Some(view) = inspect::groups(machine, target) else {
        let none = || StateValues { registers: Vec::new(), specials: Vec::new(), parameters: Vec::new() };
        let rows = style.filter(|style| !style.is_for_steps_only).map(|_| Vec::new());
        let values = style.is_none().then(none);
        return WarpState { step, time: machine.steps, values, rows, ..WarpState::default() };
    };
    let next = view.next.unwrap_or(0);
    let frame = |frame: &inspect::FrameView| Frame {
        function: frame.name.clone(),
        line: line(frame.site).0,
        lanes: frame.lanes,
    };
    let registers = inspect::registers(machine, target, next, 0).unwrap_or_default();
    let rows = style.filter(|style| !style.is_for_steps_only).map(|style| {
        let context = RowContext::new(machine, style, view.present, view.exited);
        let mut rows: Vec<Row> = registers.iter().map(|register| context.register(register)).collect();
        rows.extend(fixed_rows(machine, target, next, &context));
        rows
    });
    let values = || StateValues {
        registers: registers.iter().map(register).collect(),
        specials: inspect::specials(machine, target, next, 0).unwrap_or_default().iter().map(special).collect(),
        parameters: inspect::parameters(machine).iter().map(parameter).collect(),
    };
    WarpState {
        step: view.steps,
        time: machine.steps,
        present: view.present,
        exited: view.exited,
        groups: view.groups.iter().map(|group| lane_group(group, line(group.site))).collect(),
        next: view.next,
        frames: inspect::frames(machine, target, next).iter().map(frame).collect(),
        values: style.is_none().then(values),
        rows,
    }
}

/// The rows of special registers and parameters, which stay the same during a call.
pub fn fixed_rows(machine: &Machine, target: WarpId, group: usize, context: &RowContext<'_>) -> Vec<Row> {
    let specials = inspect::specials(machine, target, group, 0).unwrap_or_default();
    let parameters = inspect::parameters(machine);
    let specials = specials.iter().map(|special| context.special(special));
    specials.chain(parameters.iter().filter_map(|parameter| context.parameter(parameter))).collect()
}

fn lane_group(group: &GroupView, (line, column): (usize, usize)) -> LaneGroup {
    let (state, needs, waits) = match group.state {
        GroupState::Ready => (LaneGroupState::Running, None, String::new()),
        GroupState::Barrier => (LaneGroupState::Barrier, None, ", waiting at a barrier".to_owned()),
        GroupState::Waiting => (LaneGroupState::Waiting, None, ", waiting for something outside the warp".to_owned()),
        GroupState::Gathering(needed) => {
            let missing = needed & !group.mask;
            (LaneGroupState::Gathering, Some(needed), format!(", waiting for {}", words::lanes(missing)))
        }
    };
    let text = format!("{} at line {line}{waits}", words::lanes(group.mask));
    LaneGroup { mask: group.mask, line, column, depth: group.depth, state, needs, text }
}

fn register(register: &RegisterView) -> RegisterState {
    RegisterState {
        name: register.name.clone(),
        ty: register.ty,
        value: hex(&register.bytes),
        known: register.known,
        uniform: register.uniform,
        reads_as: register.read_as,
        unspecified: register.unspecified,
        approximate: register.approximate,
    }
}

fn special(special: &SpecialView) -> SpecialState {
    SpecialState { name: special.name.clone(), ty: special.ty, value: hex(&special.bytes) }
}

fn parameter(parameter: &ParameterView) -> ParameterState {
    ParameterState {
        name: parameter.name.clone(),
        ty: parameter.ty,
        offset: parameter.offset,
        value: hex(&parameter.bytes),
        points_to: parameter.points_to.clone(),
    }
}
