//! Warps as threads of the protocol.

use ptx_interp::machine::{GridShape, Machine, WarpId};
use serde_json::{Value, json};

/// Maximum number of threads reported to a client.
const MAX_THREADS: usize = 256;

/// The thread number of a warp, from 1. It is the same during the whole session.
pub fn id(shape: &GridShape, target: WarpId) -> i64 {
    let number = target.cta.saturating_mul(shape.warps().into()).saturating_add(target.warp.into());
    i64::try_from(number).unwrap_or(i64::MAX - 1) + 1
}

/// The warp with this thread number; `None` if the grid does not have it.
pub fn target(shape: &GridShape, id: i64) -> Option<WarpId> {
    let number = u64::try_from(id.checked_sub(1)?).ok()?;
    let warps = u64::from(shape.warps()).max(1);
    let target = WarpId { cta: number / warps, warp: (number % warps) as u32 };
    (target.cta < shape.ctas()).then_some(target)
}

/// The name of a warp.
pub fn name(shape: &GridShape, target: WarpId) -> String {
    let [x, y, z] = shape.cta_place(target.cta);
    format!("CTA ({x},{y},{z}) warp {}", target.warp)
}

/// The running warps, always including the warp in focus.
pub fn list(machine: &Machine, focus: WarpId) -> Value {
    let shape = &machine.shape;
    let resident = machine.clusters.iter().flat_map(|c| &c.ctas).flat_map(|cta| {
        let running = cta.warps.iter().filter(|w| !w.is_finished());
        running.map(|w| WarpId { cta: cta.number, warp: w.lanes.number })
    });
    let mut all: Vec<WarpId> = resident.take(MAX_THREADS).collect();
    if !all.contains(&focus) {
        if all.len() == MAX_THREADS {
            all.pop();
        }
        all.push(focus);
    }
    all.sort();
    let threads: Vec<Value> = all.iter().map(|t| json!({ "id": id(shape, *t), "name": name(shape, *t) })).collect();
    json!({ "threads": threads })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_warps() {
        let shape = GridShape::new([3, 2, 1], [96, 1, 1]);
        let last = WarpId { cta: 5, warp: 2 };
        assert_eq!(id(&shape, WarpId { cta: 0, warp: 0 }), 1);
        assert_eq!(id(&shape, last), 18);
        assert_eq!(target(&shape, 18), Some(last));
        assert_eq!(target(&shape, 19), None);
        assert_eq!(target(&shape, 0), None);
        assert_eq!(target(&shape, i64::MIN), None);
        assert_eq!(name(&shape, last), "CTA (2,1,0) warp 2");
    }
}
