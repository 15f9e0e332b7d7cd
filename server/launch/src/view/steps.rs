//! Steps of a warp: registers before and after, and memory accesses.

use crate::evaluate::LaunchRun;
use crate::report::{self, LineColumnFinder};
use ptx_interp::inspect::{self, Transaction};
use ptx_interp::machine::{MemoryAccess, RecordedStep};
use serde_json::{Value, json};

/// Returns a step as JSON.
pub fn step(done: &LaunchRun, step: &RecordedStep, places: LineColumnFinder<'_>, accesses: bool) -> Value {
    let Ok(mut out) = serde_json::to_value(report::step(done, step, places)) else { return Value::Null };
    out["time"] = json!(step.time);
    if accesses {
        let requests = inspect::transactions(&step.accesses);
        out["accesses"] = requests.iter().map(|request| transaction(done, request)).collect();
        if step.more_accesses {
            out["more_accesses"] = json!(true);
        }
    }
    out
}

/// Returns line, active lanes (mask), executing lanes (mask) and depth of calls of each step.
pub fn timeline(done: &LaunchRun, steps: &[RecordedStep], places: LineColumnFinder<'_>) -> Vec<(usize, u32, u32, u32)> {
    let executable = &done.run.machine.executable;
    let mut lines = std::collections::HashMap::new();
    let mut line =
        |step: &RecordedStep| *lines.entry(step.site).or_insert_with(|| places(executable.range(step.site).start).0);
    steps.iter().map(|step| (line(step), step.group, step.mask, step.depth)).collect()
}

/// Returns a memory request as JSON, with its bank conflicts or its sectors.
fn transaction(done: &LaunchRun, request: &Transaction) -> Value {
    let of = |access: &Option<MemoryAccess>| access.map(|a| format!("{:x}", a.offset));
    let addresses: Vec<Option<String>> = request.accesses.iter().map(of).collect();
    let name = |access: &Option<MemoryAccess>| inspect::name_of_access(&done.run.machine, access.as_ref()?);
    let names: Vec<Option<String>> = request.accesses.iter().map(name).collect();
    let mut out = json!({
        "kind": request.kind.name(), "space": inspect::space(request.region), "bytes": request.bytes,
        "lanes": request.lanes, "addresses": addresses,
    });
    if names.iter().any(Option::is_some) {
        out["names"] = json!(names);
    }
    if let Some(banks) = &request.banks {
        let lanes: Vec<Vec<u32>> =
            banks.lanes.iter().map(|mask| (0..32).filter(|lane| mask >> lane & 1 != 0).collect()).collect();
        out["wavefronts"] = json!(banks.wavefronts);
        out["ideal"] = json!(banks.ideal);
        out["conflict"] = json!(banks.conflict);
        out["banks"] = json!(lanes);
    }
    if let Some(sectors) = &request.sectors {
        out["sectors"] = json!(sectors.touched);
        out["ideal"] = json!(sectors.ideal);
        out["lines"] = json!(sectors.lines);
        out["efficiency"] = json!(sectors.efficiency);
    }
    out
}
