//! What products and copies in flight use in shared and in tensor memory (manual 9.7.15.4, 9.7.16.6).

use super::flights::{FlightId, GRANULE};
use crate::findings::InstructionSite;

/// Number of columns of tensor memory.
pub const COLUMNS: u32 = 512;

/// Cells of tensor memory: columns in ascending order, each with a mask of lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TensorCells(pub(in crate::machine) Vec<(u32, u128)>);

impl TensorCells {
    /// The cells with a bit in `masks`, one mask of lanes per column.
    pub(crate) fn of_masks(masks: &[u128]) -> Self {
        Self((0..).zip(masks).filter(|(_, m)| **m != 0).map(|(column, mask)| (column, *mask)).collect())
    }

    /// All lanes of a range of columns.
    pub(crate) fn of_columns(first: u32, columns: u32) -> Self {
        Self((first..first.saturating_add(columns).min(COLUMNS)).map(|column| (column, u128::MAX)).collect())
    }

    /// The first column in which both have a cell.
    fn common(&self, other: &Self) -> Option<u32> {
        let find = |(column, lanes): &(u32, u128)| {
            let at = other.0.binary_search_by_key(column, |(c, _)| *c).ok()?;
            (other.0[at].1 & lanes != 0).then_some(*column)
        };
        if self.0.is_empty() || other.0.is_empty() { None } else { self.0.iter().find_map(find) }
    }
}

/// The cells that an instruction uses in the tensor memory of one CTA.
#[derive(Debug, Clone, Default)]
pub(crate) struct TensorUse {
    /// The rank of the CTA.
    pub rank: u32,
    /// The cells that it reads.
    pub reads: TensorCells,
    /// The cells that it writes.
    pub writes: TensorCells,
}

/// What an instruction has used: collected while it is executed.
#[derive(Debug, Clone, Default)]
pub(crate) struct OperandUses {
    /// Granules of shared memory that it has read as operands: the rank of the CTA, and the number of the granule.
    pub shared: Vec<(u32, u32)>,
    /// Cells of tensor memory.
    pub tensor: Vec<TensorUse>,
}

/// For each granule of the shared memory of a CTA, how many products in flight read it.
#[derive(Debug, Clone, Default)]
pub struct SharedOperands {
    /// The number of products, and the last one.
    granules: Vec<(u16, InstructionSite)>,
    /// The sum of all numbers.
    total: usize,
}

impl SharedOperands {
    /// Counts a product that reads a granule.
    pub(in crate::machine) fn begin(&mut self, granule: u32, site: InstructionSite) {
        let at = granule as usize;
        if self.granules.len() <= at {
            self.granules.resize(at + 1, (0, site));
        }
        let (count, last) = &mut self.granules[at];
        (*count, *last) = (count.saturating_add(1), site);
        self.total += 1;
    }

    /// Counts a product that is complete.
    pub(in crate::machine) fn end(&mut self, granule: u32) {
        if let Some((count, _)) = self.granules.get_mut(granule as usize).filter(|(count, _)| *count > 0) {
            *count -= 1;
            self.total -= 1;
        }
    }

    /// A product in flight that reads some of these bytes.
    pub(in crate::machine) fn user(&self, start: u64, bytes: u64) -> Option<InstructionSite> {
        if self.total == 0 {
            return None;
        }
        let last = ((start + bytes).div_ceil(GRANULE) as usize).min(self.granules.len());
        let found = self.granules.get((start / GRANULE) as usize..last)?.iter().find(|(count, _)| *count > 0);
        found.map(|(_, site)| *site)
    }
}

/// The kind of an asynchronous operation on tensor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TensorKind {
    /// `tcgen05.mma`.
    Product,
    /// `tcgen05.cp`.
    Copy,
    /// `tcgen05.shift`.
    Shift,
    /// `tcgen05.ld`.
    Load,
    /// `tcgen05.st`.
    Store,
}

impl TensorKind {
    pub(in crate::machine) fn name(self) -> &'static str {
        match self {
            Self::Product => "tcgen05.mma",
            Self::Copy => "tcgen05.cp",
            Self::Shift => "tcgen05.shift",
            Self::Load => "tcgen05.ld",
            Self::Store => "tcgen05.st",
        }
    }

    /// What waits for it.
    pub(in crate::machine) fn wait(self) -> &'static str {
        match self {
            Self::Product | Self::Copy | Self::Shift => "`tcgen05.commit` and a wait for its mbarrier",
            Self::Load => "`tcgen05.wait::ld`",
            Self::Store => "`tcgen05.wait::st`",
        }
    }

    /// Whether its completion is observed through an mbarrier.
    pub(in crate::machine) fn commits(self) -> bool {
        matches!(self, Self::Product | Self::Copy | Self::Shift)
    }
}

/// An operation on the tensor memory of a CTA that is not known to be complete.
#[derive(Debug, Clone)]
pub(in crate::machine) struct TensorOperation {
    pub(in crate::machine) kind: TensorKind,
    /// The operation in flight; `None` for those of which the completion is observed by `tcgen05.wait`.
    pub(in crate::machine) id: Option<FlightId>,
    /// Rank of the CTA and index of the warp that issued it.
    pub(in crate::machine) warp: (u32, u32),
    pub(in crate::machine) site: InstructionSite,
    pub(in crate::machine) reads: TensorCells,
    pub(in crate::machine) writes: TensorCells,
}

/// The operations on the tensor memory of a CTA.
#[derive(Debug, Clone, Default)]
pub struct TensorPipeline {
    pub(in crate::machine) pending: Vec<TensorOperation>,
    /// Number of completions that waits for mbarriers have observed.
    pub(crate) completions: u64,
    /// For each column and quarter of its lanes: the number of the completion of the operation that wrote it last, and that operation. 0: a
    /// load needs no fence.
    results: Vec<[(u64, InstructionSite); 4]>,
}

impl TensorPipeline {
    /// Number of columns that the operations in flight use, each counted for each operation.
    pub(in crate::machine) fn columns(&self) -> usize {
        self.pending.iter().map(|o| 2 + o.reads.0.len() + o.writes.0.len()).sum()
    }

    /// An operation in flight that conflicts with one of this kind: the two are not executed in the order in which they were issued.
    pub(in crate::machine) fn conflict(&self, kind: TensorKind, used: &TensorUse) -> Option<(&TensorOperation, u32)> {
        // Products, copies and shifts of a thread are executed in order (manual 9.7.16.6.2), except shifts after copies and other shifts.
        let ordered = |o: &TensorOperation| match (o.kind, kind) {
            (TensorKind::Copy | TensorKind::Shift, TensorKind::Shift) => false,
            (TensorKind::Load, TensorKind::Load) => true,
            (earlier, later) => earlier.commits() && later.commits(),
        };
        self.pending.iter().filter(|o| !ordered(o)).find_map(|o| {
            let writes = used.writes.common(&o.writes).or_else(|| used.writes.common(&o.reads));
            Some((o, writes.or_else(|| used.reads.common(&o.writes))?))
        })
    }

    /// An operation in flight that uses one of these columns.
    pub(in crate::machine) fn user(&self, cells: &TensorCells) -> Option<(&TensorOperation, u32)> {
        self.pending.iter().find_map(|o| Some((o, cells.common(&o.writes).or_else(|| cells.common(&o.reads))?)))
    }

    /// An operation whose result a load reads, and a column, if the warp has not executed a fence since completion `fenced`.
    pub(in crate::machine) fn unfenced(&self, cells: &TensorCells, fenced: u64) -> Option<(InstructionSite, u32)> {
        cells.0.iter().find_map(|(column, lanes)| {
            let quarters = self.results.get(*column as usize)?;
            let late = |(quarter, (at, _)): &(usize, &(u64, InstructionSite))| {
                *at > fenced && lanes >> (32 * quarter) & 0xffff_ffff != 0
            };
            quarters.iter().enumerate().find(late).map(|(_, (_, site))| (*site, *column))
        })
    }

    /// Stores for cells which completion made their values valid.
    pub(in crate::machine) fn set_results(&mut self, cells: &TensorCells, completion: u64, site: InstructionSite) {
        if self.results.is_empty() {
            if completion == 0 {
                return;
            }
            self.results = vec![[(0, site); 4]; COLUMNS as usize];
        }
        for (column, lanes) in &cells.0 {
            let Some(quarters) = self.results.get_mut(*column as usize) else { continue };
            for (quarter, result) in quarters.iter_mut().enumerate() {
                if lanes >> (32 * quarter) & 0xffff_ffff != 0 {
                    *result = (completion, site);
                }
            }
        }
    }

    /// Records that an operation in flight is complete.
    pub(in crate::machine) fn complete(&mut self, id: FlightId) {
        while let Some(at) = self.pending.iter().position(|o| o.id == Some(id)) {
            let done = self.pending.remove(at);
            self.completions += 1;
            self.set_results(&done.writes, self.completions, done.site);
        }
    }

    /// Records that the loads or the stores of a warp are complete.
    pub(crate) fn wait(&mut self, kind: TensorKind, warp: (u32, u32)) {
        self.pending.retain(|o| o.kind != kind || o.warp != warp);
    }
}

#[cfg(test)]
mod tests {
    use super::{SharedOperands, TensorCells, TensorKind, TensorOperation, TensorPipeline, TensorUse};
    use crate::findings::InstructionSite;

    const SITE: InstructionSite = InstructionSite { function: 0, instruction: 7 };

    #[test]
    fn granules_are_in_use_until_every_product_has_ended() {
        let mut operands = SharedOperands::default();
        operands.begin(3, SITE);
        operands.begin(3, SITE);
        assert_eq!([operands.user(40, 9), operands.user(40, 8), operands.user(64, 100)], [Some(SITE), None, None]);
        operands.end(3);
        assert_eq!(operands.user(48, 1), Some(SITE));
        operands.end(3);
        operands.end(3);
        assert_eq!(operands.user(0, 4096), None);
    }

    #[test]
    fn cells_meet_in_columns_and_lanes() {
        let some = TensorCells(vec![(3, 0xf0), (9, 1)]);
        assert_eq!(some.common(&TensorCells(vec![(3, 0x0f), (9, 3)])), Some(9));
        assert_eq!(some.common(&TensorCells(vec![(3, 0x0f), (8, 3)])), None);
        assert_eq!(some.common(&TensorCells::of_columns(0, 4)), Some(3));
        assert_eq!(TensorCells::of_masks(&[0, 5, 0, 1]).0, [(1, 5), (3, 1)]);
    }

    #[test]
    fn a_load_waits_for_products_and_stores_and_needs_a_fence() {
        let mut pipeline = TensorPipeline::default();
        let cells = TensorCells(vec![(4, 1 << 40)]);
        let product = |kind, id| TensorOperation {
            kind,
            id,
            warp: (0, 0),
            site: SITE,
            reads: TensorCells::default(),
            writes: cells.clone(),
        };
        let load = TensorUse { rank: 0, reads: cells.clone(), writes: TensorCells::default() };
        pipeline.pending.push(product(TensorKind::Product, Some(9)));
        assert!(pipeline.conflict(TensorKind::Load, &load).is_some());
        assert!(pipeline.conflict(TensorKind::Product, &load).is_none());
        pipeline.complete(9);
        assert!(pipeline.conflict(TensorKind::Load, &load).is_none());
        assert_eq!((pipeline.unfenced(&cells, 0), pipeline.unfenced(&cells, 1)), (Some((SITE, 4)), None));
        pipeline.pending.push(product(TensorKind::Store, None));
        assert!(pipeline.conflict(TensorKind::Load, &load).is_some());
        pipeline.wait(TensorKind::Store, (0, 1));
        assert!(pipeline.user(&TensorCells::of_columns(4, 1)).is_some());
        pipeline.wait(TensorKind::Store, (0, 0));
        assert!(pipeline.user(&TensorCells::of_columns(0, 512)).is_none());
    }
}
