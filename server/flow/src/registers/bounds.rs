//! The launch bounds of a function, and the register limit that they impose.

use super::estimate::MAX_REGISTERS;
use super::occupancy::WARP;
use crate::flow::FlowFunction;
use ptx_isa::tables::{LaunchBound, Multiprocessor};
use std::ops::Range;

/// The launch bounds in a function header, each with the byte range of its directive from the start of the item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The registers per thread: `.maxnreg`.
    pub registers: Option<(u64, Range<u32>)>,
    /// The threads of a CTA. The flag: the number is exact and not just a maximum.
    pub threads: Option<(u64, bool, Range<u32>)>,
    /// The minimum number of CTAs per multiprocessor: `.minnctapersm`.
    pub ctas: Option<(u64, Range<u32>)>,
    /// The CTAs of a cluster.
    pub cluster: Option<(u64, Range<u32>)>,
}

impl LaunchBounds {
    /// The launch bounds of a function.
    pub fn of(function: &FlowFunction) -> Self {
        let one = |bound| function.bound(bound).map(|(tuning, number)| (number, tuning.range.clone()));
        let all = |bound, exact| one(bound).map(|(number, range)| (number, exact, range));
        Self {
            registers: one(LaunchBound::Registers),
            threads: all(LaunchBound::AllThreads, true).or_else(|| all(LaunchBound::Threads, false)),
            ctas: one(LaunchBound::Ctas),
            cluster: one(LaunchBound::WholeCluster).or_else(|| one(LaunchBound::Cluster)),
        }
    }
}

/// The register limit of a function and the directive that sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterLimit {
    /// Registers per thread.
    pub registers: u32,
    /// The byte range in the file of the directive that sets it; `None` for the limit of the target.
    pub directive: Option<Range<usize>>,
}

/// The register limit per thread that the header and the target impose.
pub fn limit(bounds: &LaunchBounds, start: usize, multiprocessor: Option<&Multiprocessor>) -> RegisterLimit {
    let most = multiprocessor.map_or(MAX_REGISTERS, |m| m.thread_registers);
    let mut out = RegisterLimit { registers: most, directive: None };
    let mut lower = |registers: u32, range: &Range<u32>| {
        if registers < out.registers {
            let directive = start + range.start as usize..start + range.end as usize;
            out = RegisterLimit { registers, directive: Some(directive) };
        }
    };
    if let Some((registers, range)) = &bounds.registers {
        let least = multiprocessor.map_or(0, |m| m.assembler.bound);
        lower(u32::try_from(*registers).unwrap_or(most).max(least), range);
    }
    let (Some(m), Some((threads, _, range))) = (multiprocessor, &bounds.threads) else { return out };
    let warps = threads.div_ceil(WARP.into()).max(1);
    // The assembler ignores a number of CTAs that a multiprocessor cannot hold.
    let holds = |ctas: u64| warps.saturating_mul(ctas) <= m.warps.into() && ctas <= m.ctas.into();
    let wanted = bounds.ctas.as_ref().filter(|(ctas, _)| holds(*ctas));
    if let Some((ctas, range)) = wanted {
        lower(share(m, m.registers, warps * ctas), range);
    }
    // `.maxnreg` replaces the limit from the number of threads alone.
    if wanted.is_some() || bounds.registers.is_none() {
        lower(share(m, m.cta_registers, warps), range);
    }
    out
}

/// The number of registers per thread if `warps` warps share `registers`: each partition of the register file serves its
/// share of the warps.
pub(super) fn share(m: &Multiprocessor, registers: u32, warps: u64) -> u32 {
    let of_part = warps.div_ceil(m.assembler.parts.into()).max(1);
    let each = u64::from(registers / m.assembler.parts / WARP) / of_part;
    (each as u32 / m.assembler.step * m.assembler.step).max(m.assembler.bound)
}
