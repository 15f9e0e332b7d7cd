//! Steps of a warp: the rows of its registers after each, and its memory accesses.

use crate::access::{Access, access};
use crate::course::Course;
use crate::row::{Row, RowContext, RowStyle};
use crate::state;
use ptx_interp::inspect::{self, RegisterView};
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::{Machine, RecordedStep, RegisterWrite};
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::report::{self, LineColumnFinder, StepReport};
use serde::Serialize;
use std::collections::HashMap;

/// A step of a warp.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Place, lanes and registers.
    #[serde(flatten)]
    pub report: StepReport,
    /// Number of instructions that the whole grid had executed before.
    pub time: u64,
    /// The memory accesses, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accesses: Option<Vec<Access>>,
    /// Whether the step made more memory accesses than are listed.
    #[serde(skip_serializing_if = "is_false")]
    pub more_accesses: bool,
    /// The names of the registers that its instruction names, if rows are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// The rows of the function's registers after the step, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<StepRows>,
}

/// The rows after a step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepRows {
    /// Whether these are all rows. If not, those that are missing look as after the step before.
    pub all: bool,
    /// The rows.
    pub rows: Vec<Row>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Describes steps that follow each other. With a style they have the rows of their registers.
pub fn steps(
    done: &LaunchRun,
    course: &Course,
    window: &[RecordedStep],
    places: LineColumnFinder<'_>,
    style: Option<&RowStyle>,
    accesses: bool,
    cancelled: &dyn Fn() -> bool,
) -> Vec<Step> {
    let mut file = style.map(|style| RegisterFile::new(done, course, style));
    let step = |step: &RecordedStep| Step {
        report: report::step(done, step, places),
        time: step.time,
        accesses: accesses.then(|| self::accesses(&done.run.machine, step)),
        more_accesses: accesses && step.more_accesses,
        names: style.map(|_| names(&done.run.machine, step)),
        rows: file.as_mut().and_then(|file| file.after(step, cancelled)),
    };
    window.iter().map(step).collect()
}

/// The registers that the instruction of a step names.
fn names(machine: &Machine, step: &RecordedStep) -> Vec<String> {
    let Some(function) = machine.executable.function(step.site.function) else { return Vec::new() };
    let at = step.site.instruction as usize;
    // A step behind the last instruction is the return at the end.
    if at >= function.instructions.len() {
        return Vec::new();
    }
    let uses = function.reads(at).iter().chain(function.writes(at));
    let mut names: Vec<String> = uses.map(|use_| function.register_name(use_.slot)).collect();
    names.sort();
    names.dedup();
    names
}

/// The memory accesses of a step.
pub fn accesses(machine: &Machine, step: &RecordedStep) -> Vec<Access> {
    inspect::transactions(&step.accesses).iter().map(|request| access(machine, request)).collect()
}

/// The registers of one call of a function, which follows the steps of the call.
struct RegisterFile<'a> {
    done: &'a LaunchRun,
    course: &'a Course,
    style: &'a RowStyle,
    /// The function and the depth of calls that the rest is about.
    call: Option<(u32, u32)>,
    registers: Vec<RegisterView>,
    /// Index of a register by its slot.
    by_slot: HashMap<u32, usize>,
    /// Rows that do not change in a call: special registers and parameters.
    fixed: Vec<Row>,
    exited: LaneMask,
}

impl<'a> RegisterFile<'a> {
    fn new(done: &'a LaunchRun, course: &'a Course, style: &'a RowStyle) -> Self {
        Self {
            done,
            course,
            style,
            call: None,
            registers: Vec::new(),
            by_slot: HashMap::new(),
            fixed: Vec::new(),
            exited: 0,
        }
    }

    /// The rows after a step. `None` if the work was cancelled.
    fn after(&mut self, step: &RecordedStep, cancelled: &dyn Fn() -> bool) -> Option<StepRows> {
        let call = (step.site.function, step.depth);
        let is_new = self.call != Some(call);
        if is_new {
            self.begin(step, cancelled)?;
            self.call = Some(call);
        }
        let exited = self.course.exited_after(step.step).unwrap_or(self.exited);
        let all = is_new || exited != self.exited;
        self.exited = exited;
        for change in step.changes.iter().filter(|change| change.function == step.site.function) {
            self.write(change, step.mask);
        }
        let context = self.context();
        let row = |register: &RegisterView| {
            let change = step.changes.iter().find(|c| c.function == step.site.function && c.slot == register.slot);
            match change {
                Some(change) => Some(written(&context, register, change, step.mask)),
                None => all.then(|| context.register(register)),
            }
        };
        let mut rows: Vec<Row> = self.registers.iter().filter_map(row).collect();
        if all {
            rows.extend(self.fixed.iter().cloned());
        }
        Some(StepRows { all, rows })
    }

    /// Takes the registers that the function has before a step.
    fn begin(&mut self, step: &RecordedStep, cancelled: &dyn Fn() -> bool) -> Option<()> {
        let machine = self.done.run.at(step.time, cancelled)?;
        let target = self.course.target;
        let view = inspect::groups(&machine, target)?;
        let is_own = |group: &inspect::GroupView| group.site == step.site && group.mask & step.group == step.group;
        let group = view.groups.iter().position(is_own).or(view.next).unwrap_or(0);
        self.exited = view.exited;
        self.registers = inspect::registers(&machine, target, group, 0)?;
        self.by_slot = self.registers.iter().enumerate().map(|(at, register)| (register.slot, at)).collect();
        self.fixed = state::fixed_rows(&machine, target, group, &self.context());
        Some(())
    }

    fn context(&self) -> RowContext<'a> {
        RowContext::new(&self.done.run.machine, self.style, self.course.present, self.exited)
    }

    fn write(&mut self, change: &RegisterWrite, executed: LaneMask) {
        let Some(register) = self.by_slot.get(&change.slot).and_then(|at| self.registers.get_mut(*at)) else { return };
        register.bytes.clone_from(&change.after);
        register.known |= executed;
        register.unspecified = register.unspecified & !executed | change.unspecified;
        register.approximate = register.approximate & !executed | change.approximate;
    }
}

/// The row of a register that a step has written.
fn written(context: &RowContext<'_>, register: &RegisterView, change: &RegisterWrite, executed: LaneMask) -> Row {
    let mut row = context.register(register);
    row.changed = executed;
    row.before = Some(context.texts_in(&row, register, &change.before));
    row
}

/// Line, active lanes (mask), executing lanes (mask), depth of calls and last line of each step.
pub fn timeline(
    done: &LaunchRun,
    steps: &[RecordedStep],
    places: LineColumnFinder<'_>,
) -> Vec<(usize, u32, u32, u32, usize)> {
    let executable = &done.run.machine.executable;
    let mut spans = HashMap::new();
    let mut lines = |site| *spans.entry(site).or_insert_with(|| report::lines_of(executable, site, places));
    steps
        .iter()
        .map(|step| {
            let lines = lines(step.site);
            (lines.first, step.group, step.mask, step.depth, lines.last)
        })
        .collect()
}
