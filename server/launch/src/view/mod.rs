//! The view of a run for editors, as JSON: the report of `eval`, and a window of the steps and the state of one warp.
//! docs/dev/warp-view.md describes it.

mod course;
mod memory;
pub mod state;
mod steps;

pub use course::Course;
pub use memory::{MemoryQuery, MemoryStart};

use super::evaluate::LaunchRun;
use super::report::{BUFFER_ROOM, LineColumnFinder, report};
use ptx_gate::words::{visible, visible_lines};
use ptx_interp::machine::{Detail, GridShape, WarpId};
use serde_json::{Value, json};

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
    pub timeline: Option<Timeline>,
    /// Omit the parts that are equal in every window of a run: buffers.
    pub brief: bool,
    /// Ranges of memory to show, before the step of `state`, or at the end.
    pub memory: Vec<MemoryQuery>,
}

/// A part of the steps of a warp.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    /// The first step.
    pub from: u64,
    /// Number of steps.
    pub count: usize,
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

/// Returns the mask of the existing lanes of a warp: the last warp of a CTA may have fewer than 32.
pub fn present(shape: &GridShape, warp: u32) -> u32 {
    let left = shape.threads().saturating_sub(warp * 32);
    if left >= 32 { u32::MAX } else { (1 << left) - 1 }
}

/// Builds the answer. `cancelled` is polled; once it returns true, the answer must be discarded.
pub fn answer(
    done: &LaunchRun,
    course: &Course,
    places: LineColumnFinder<'_>,
    asked: &ViewQuery,
    cancelled: &dyn Fn() -> bool,
) -> Value {
    let target = course.target;
    let shape = done.run.machine.shape;
    let mut report = report(done, places, None, &mut { BUFFER_ROOM });
    // An editor shows it. Programs that want every byte ask the command line.
    report.printed = visible_lines(&report.printed).into_owned();
    report.launch = visible(&report.launch).into_owned();
    let Ok(mut out) = serde_json::to_value(report) else { return Value::Null };
    if asked.brief
        && let Some(out) = out.as_object_mut()
    {
        out.retain(|key, _| !["buffers", "unwritten", "unspecified", "approximate"].contains(&key.as_str()));
    }
    out["grid"] = json!({
        "grid": shape.grid, "block": shape.block, "cluster": shape.cluster, "ctas": shape.ctas(), "warps": shape.warps(), "threads": shape.threads(),
    });
    out["target"] = json!({
        "cta": shape.cta_place(target.cta), "warp": target.warp, "present": present(&shape, target.warp),
    });
    out["steps"] = json!(course.steps);
    let detail = Detail { registers: true, accesses: asked.accesses };
    let window = match asked.count {
        0 => Vec::new(),
        count => done.run.steps_of(target, asked.from, count, detail, cancelled),
    };
    out["trace"] = window.iter().map(|step| steps::step(done, step, places, asked.accesses)).collect();
    if let Some(Timeline { from, count }) = asked.timeline {
        let steps = course.window(done, from, count, cancelled);
        out["timeline"] = json!({ "from": from, "steps": steps::timeline(done, &steps, places) });
    }
    let at = asked.state.map(|step| step.min(course.steps));
    if at.is_some() || !asked.memory.is_empty() {
        let machine = state::machine_at(done, course, at, cancelled);
        if let (Some(step), Some(machine)) = (at, &machine) {
            out["state"] = state::state(done, machine, target, step, places);
        }
        let pieces = |m: &MemoryQuery| match &machine {
            Some(machine) => memory::piece(machine, target, m),
            None => json!({ "error": "that time of the run is not known" }),
        };
        out["memory"] = asked.memory.iter().map(pieces).collect();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{present, target};
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
