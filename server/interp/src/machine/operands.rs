//! What products and copies in flight use in shared and in tensor memory (manual 9.7.15.4, 9.7.16.6).
//!
//! A product is carried out when it is issued. Hardware may carry it out later, until a wait has observed that it is complete. So its
//! operands in shared memory may not be overwritten before, and its results in tensor memory may not be used.

use super::state::flights::FlightId;
use super::state::operands::{TensorCells, TensorKind, TensorOperation, TensorUse};
use super::{AccessLocation, ExecContext};
use crate::findings::{FaultKind, InstructionSite};

/// Maximum number of columns that operations in flight may use in the tensor memory of a CTA, each counted for each operation; further ones
/// are not checked. An entry is 32 bytes.
const MAX_PENDING_COLUMNS: usize = 1 << 16;

/// Reports that an instruction writes operands of a product in flight.
#[cold]
pub(super) fn overwritten(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    site: InstructionSite,
) {
    let name = context.name_of(location);
    let product = context.executable().function(site.function).map_or("", |f| f.entry(site.instruction as usize).name);
    let wait = match product.starts_with("wgmma") {
        true => "`wgmma.wait_group`",
        false => "`tcgen05.commit` and a wait for its mbarrier",
    };
    let words = || {
        format!(
            "writes {bytes} bytes at {name} while a `{product}` in flight may still read them: {wait} must come first"
        )
    };
    let related = Some((site, "the operation that reads them".to_owned()));
    context.fault_with(FaultKind::Asynchronous, 1 << lane, words, related);
}

/// Checks an operation on tensor memory against those in flight, and records it. `id`: the operation in flight.
pub(crate) fn begin(context: &mut ExecContext<'_>, kind: TensorKind, used: Vec<TensorUse>, id: Option<FlightId>) {
    if !context.machine.settings.checks.has(FaultKind::Asynchronous) {
        return;
    }
    let (warp, site, mask) = ((context.rank as u32, context.lanes.number), context.site, context.mask);
    let fenced = context.lanes.tensor_fence;
    for used in used {
        let Some(pipeline) = context.cta_of(used.rank).map(|c| &mut c.tensor.pipeline) else { continue };
        let conflict = pipeline.conflict(kind, &used).map(|(o, column)| (o.kind, o.site, column));
        if let Some((other, at, _)) = conflict {
            // One finding is enough for all warps that execute the other instruction.
            pipeline.pending.retain(|o| (o.kind, o.site) != (other, at));
        }
        let unfenced = if kind == TensorKind::Load { pipeline.unfenced(&used.reads, fenced) } else { None };
        if kind == TensorKind::Store {
            pipeline.set_results(&used.writes, 0, site);
        }
        let (looked, columns) = (pipeline.pending.len(), used.reads.0.len() + used.writes.0.len());
        if (id.is_some() || !kind.commits()) && pipeline.columns() + columns <= MAX_PENDING_COLUMNS {
            pipeline.pending.push(TensorOperation { kind, id, warp, site, reads: used.reads, writes: used.writes });
        }
        context.spend(looked + columns / 4);
        if let Some((other, at, column)) = conflict {
            in_flight(context, kind, other, at, column);
        } else if let Some((at, column)) = unfenced {
            let words = || {
                format!(
                    "reads column {column} of tensor memory, which an asynchronous operation has written: `tcgen05.fence::after_thread_sync` must come between the wait for its completion and this"
                )
            };
            let related = Some((at, "the operation that wrote it".to_owned()));
            context.fault_with(FaultKind::Asynchronous, mask, words, related);
        }
    }
}

/// Reports that an instruction uses cells of an operation in flight.
fn in_flight(context: &mut ExecContext<'_>, kind: TensorKind, other: TensorKind, site: InstructionSite, column: u32) {
    let mask = context.mask;
    let verb = if kind == TensorKind::Load { "reads" } else { "uses" };
    let (name, wait) = (other.name(), other.wait());
    let words = || {
        format!("{verb} column {column} of tensor memory while a `{name}` on it is in flight: {wait} must come first")
    };
    context.fault_with(FaultKind::Asynchronous, mask, words, Some((site, "the operation in flight".to_owned())));
}

/// Checks that no operation in flight uses columns that are freed.
pub(crate) fn freed(context: &mut ExecContext<'_>, first: u32, columns: u32) {
    let mask = context.mask;
    let pipeline = &mut context.cta().tensor.pipeline;
    let found = pipeline.user(&TensorCells::of_columns(first, columns)).map(|(o, column)| (o.kind, o.site, column));
    if let Some((kind, site, column)) = found {
        pipeline.pending.retain(|o| (o.kind, o.site) != (kind, site));
        let (name, wait) = (kind.name(), kind.wait());
        let words = || {
            format!(
                "frees column {column} of tensor memory while a `{name}` on it is in flight: {wait} must come first"
            )
        };
        context.fault_with(FaultKind::Asynchronous, mask, words, Some((site, "the operation in flight".to_owned())));
    }
}
