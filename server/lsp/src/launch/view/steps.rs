//! Steps of a warp: registers before and after, and what was done to memory.

use crate::launch::evaluate::Evaluated;
use crate::launch::report::{self, Places};
use ptx_interp::inspect;
use ptx_interp::machine::{Access, AccessKind, Recorded};
use serde_json::{Value, json};

/// A step.
pub fn step(done: &Evaluated, step: &Recorded, places: Places<'_>, accesses: bool) -> Value {
    let Ok(mut out) = serde_json::to_value(report::step(done, step, places)) else { return Value::Null };
    out["time"] = json!(step.time);
    if accesses {
        out["accesses"] = grouped(done, &step.accesses);
        if step.more_accesses {
            out["more_accesses"] = json!(true);
        }
    }
    out
}

/// Line, lanes and depth of each step.
pub fn timeline(done: &Evaluated, steps: &[Recorded], places: Places<'_>) -> Vec<(usize, u32, u32, u32)> {
    let executable = &done.run.machine.executable;
    let mut lines = std::collections::HashMap::new();
    let mut line =
        |step: &Recorded| *lines.entry(step.site).or_insert_with(|| places(executable.range(step.site).start).0);
    steps.iter().map(|step| (line(step), step.group, step.mask, step.depth)).collect()
}

/// The accesses of a step: those of all lanes that do the same together.
fn grouped(done: &Evaluated, accesses: &[Access]) -> Value {
    let mut groups: Vec<(AccessKind, &'static str, u32, Vec<&Access>)> = Vec::new();
    for access in accesses {
        let space = inspect::space(access.region);
        // A lane that makes several accesses is in several groups.
        let free = |g: &&mut (AccessKind, &'static str, u32, Vec<&Access>)| {
            (g.0, g.1, g.2) == (access.kind, space, access.bytes) && g.3.iter().all(|a| a.lane != access.lane)
        };
        match groups.iter_mut().find(free) {
            Some(group) => group.3.push(access),
            None => groups.push((access.kind, space, access.bytes, vec![access])),
        }
    }
    groups.iter().map(|(kind, space, bytes, all)| group(done, *kind, space, *bytes, all)).collect()
}

fn group(done: &Evaluated, kind: AccessKind, space: &str, bytes: u32, all: &[&Access]) -> Value {
    let mut addresses: [Option<String>; 32] = Default::default();
    let mut names: [Option<String>; 32] = Default::default();
    let mut lanes = 0u32;
    for access in all {
        let Some(lane) = addresses.get_mut(usize::from(access.lane)) else { continue };
        lanes |= 1 << access.lane;
        *lane = Some(format!("{:x}", access.offset));
        names[usize::from(access.lane)] = inspect::name_of_access(&done.run.machine, access);
    }
    let mut out =
        json!({ "kind": kind.name(), "space": space, "bytes": bytes, "lanes": lanes, "addresses": addresses });
    if names.iter().any(Option::is_some) {
        out["names"] = json!(names);
    }
    out
}
