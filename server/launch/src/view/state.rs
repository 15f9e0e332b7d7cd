//! The state of a warp before one of its steps.

use super::Course;
use crate::evaluate::LaunchRun;
use crate::report::{LineColumnFinder, hex};
use ptx_interp::inspect::{self, GroupState, RegisterView};
use ptx_interp::machine::{Machine, WarpId};
use serde_json::{Value, json};

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
        Some(groups) if step >= course.steps && !groups.groups.is_empty() => return end(),
        _ => course.steps.checked_sub(1)?,
    };
    let time = course.time_of(done, step.min(last), cancelled)?;
    done.run.at(time, cancelled)
}

/// Returns the state of a warp in a machine.
pub fn state(done: &LaunchRun, machine: &Machine, target: WarpId, step: u64, places: LineColumnFinder<'_>) -> Value {
    let executable = &done.run.machine.executable;
    let line = |site| places(executable.range(site).start);
    let Some(found) = inspect::groups(machine, target) else {
        return json!({ "step": step, "time": machine.steps, "groups": [], "frames": [], "registers": [] });
    };
    let groups: Vec<Value> = found
        .groups
        .iter()
        .map(|group| {
            let (line, column) = line(group.site);
            let (state, needs) = match group.state {
                GroupState::Ready => ("running", None),
                GroupState::Barrier => ("barrier", None),
                GroupState::Waiting => ("waiting", None),
                GroupState::Gathering(lanes) => ("gathering", Some(lanes)),
            };
            let mut out = json!({
                "mask": group.mask, "line": line, "column": column, "depth": group.depth, "state": state,
            });
            if let Some(lanes) = needs {
                out["needs"] = json!(lanes);
            }
            out
        })
        .collect();
    let next = found.next.unwrap_or(0);
    let frames: Vec<Value> = inspect::frames(machine, target, next)
        .iter()
        .map(|frame| json!({ "function": frame.name, "line": line(frame.site).0, "lanes": frame.lanes }))
        .collect();
    let registers = inspect::registers(machine, target, next, 0).unwrap_or_default();
    let specials = inspect::specials(machine, target, next, 0).unwrap_or_default();
    let specials = specials.iter().map(|s| json!({ "name": s.name, "type": s.ty, "value": hex(&s.bytes) }));
    let parameters = inspect::parameters(machine);
    let parameters = parameters.iter().map(|p| {
        let mut out = json!({ "name": p.name, "type": p.ty, "offset": p.offset, "value": hex(&p.bytes) });
        if let Some(name) = &p.points_to {
            out["points_to"] = json!(name);
        }
        out
    });
    json!({
        "step": found.steps,
        "time": machine.steps,
        "present": found.present,
        "exited": found.exited,
        "groups": groups,
        "next": found.next,
        "frames": frames,
        "registers": registers.iter().map(register).collect::<Vec<_>>(),
        "specials": specials.collect::<Vec<_>>(),
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

fn register(register: &RegisterView) -> Value {
    let mut out = json!({
        "name": register.name, "type": register.ty, "value": hex(&register.bytes), "known": register.known, "uniform": register.uniform,
    });
    if let Some(ty) = register.read_as {
        out["reads_as"] = json!(ty);
    }
    for (name, mask) in [("unspecified", register.unspecified), ("approximate", register.approximate)] {
        if mask != 0 {
            out[name] = json!(mask);
        }
    }
    out
}
