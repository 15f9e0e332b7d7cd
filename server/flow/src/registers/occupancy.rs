//! How many warps of a kernel run on a multiprocessor at a time.
//!
//! Computes the result of `cudaOccupancyMaxActiveBlocksPerMultiprocessor` for the largest carve-out of shared memory and no
//! dynamic shared memory. Properties that a module does not contain are left out: see docs/dev/occupancy.md.

use crate::addresses::lanes::LANES;
use ptx_isa::ISA;
use ptx_isa::tables::{Multiprocessor, TargetInfo};

/// The assumed number of threads of a CTA if the kernel does not declare it: most launches use it, and it divides the number
/// of threads of every multiprocessor.
pub const ASSUMED_THREADS: u32 = 256;

/// The number of threads of a warp, on every target.
pub(crate) const WARP: u32 = LANES as u32;

/// The resource that limits occupancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// The number of threads or warps of a multiprocessor.
    Threads,
    /// The number of CTAs of a multiprocessor.
    Blocks,
}

impl LimitedBy {
    /// Its name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Shared => "shared",
            Self::Threads => "threads",
            Self::Blocks => "blocks",
        }
    }
}

/// How many warps of a kernel run on a multiprocessor at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// The name of the target.
    pub target: &'static str,
    /// The number of warps that run at a time.
    pub warps: u32,
    /// The maximum number of warps of the multiprocessor.
    pub most_warps: u32,
    /// The number of CTAs that run at a time.
    pub ctas: u32,
    /// The number of threads of a CTA: that of the header, else [`ASSUMED_THREADS`].
    pub threads: u32,
    /// Whether `threads` is an assumption.
    pub assumed: bool,
    /// The limiting resource. If several limit, this is the first: registers are the easiest for an author to change.
    pub limited_by: LimitedBy,
    /// With this many registers fewer per thread, this many more warps would run; `None` if registers are not the limit.
    pub fewer: Option<(u32, u32)>,
}

/// The resources that a kernel needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// The number of registers per thread.
    pub registers: u32,
    /// The static shared memory per CTA, in bytes.
    pub shared: u64,
    /// The number of threads of a CTA, if the kernel declares it.
    pub threads: Option<u32>,
}

/// The number of CTAs that each resource allows.
struct CtaLimits {
    registers: u32,
    shared: u32,
    threads: u32,
    blocks: u32,
}

impl CtaLimits {
    fn of(m: &Multiprocessor, needs: Needs, warps: u32) -> Self {
        Self {
            registers: by_registers(m, needs.registers, warps),
            shared: by_shared(m, needs.shared),
            threads: m.warps / warps,
            blocks: m.ctas,
        }
    }

    fn ctas(&self) -> u32 {
        self.registers.min(self.shared).min(self.threads).min(self.blocks)
    }
}

/// The number of CTAs that the register file allows. Each partition of the register file serves its own warps, and a warp
/// gets whole allocation units. One CTA must fit into as many partitions as the assembler assumes: code for other devices of
/// the family runs on GP100 too.
fn by_registers(m: &Multiprocessor, registers: u32, warps: u32) -> u32 {
    let warp = (registers * WARP).next_multiple_of(m.register_unit);
    let fits = warp * warps.next_multiple_of(m.partitions.max(m.assembler.parts)) <= m.cta_registers;
    if registers > m.thread_registers || !fits {
        return 0;
    }
    match (m.registers / m.partitions).checked_div(warp) {
        Some(fit) => fit * m.partitions / warps,
        None => u32::MAX,
    }
}

fn by_shared(m: &Multiprocessor, bytes: u64) -> u32 {
    let cta = (bytes + u64::from(m.shared_reserved)).next_multiple_of(m.shared_unit.into());
    match u64::from(m.shared).checked_div(cta) {
        // It would fit, but exceeds the maximum for one CTA.
        Some(_) if m.shared_opt_in > 0 && bytes > m.shared_opt_in.into() => 0,
        Some(fit) => fit as u32,
        None => u32::MAX,
    }
}

impl Occupancy {
    /// The running warps in percent of the maximum.
    pub fn percent(&self) -> u32 {
        (self.warps * 100 + self.most_warps / 2).checked_div(self.most_warps).unwrap_or(0)
    }

    /// The occupancy on a target; `None` if the resources of the target are unknown.
    pub fn new(target: &TargetInfo, needs: Needs) -> Option<Self> {
        Self::on(target.name, needs)
    }

    /// The occupancy on the target with this name; `None` if the resources of the target are unknown.
    pub fn on(target: &'static str, needs: Needs) -> Option<Self> {
        let m = ISA.multiprocessor(target)?;
        let threads = needs.threads.unwrap_or(ASSUMED_THREADS);
        let warps = threads.min(m.cta_threads).div_ceil(WARP).max(1);
        let mut room = CtaLimits::of(m, needs, warps);
        if threads > m.cta_threads {
            room.threads = 0;
        }
        let ctas = room.ctas();
        let limits = [
            (room.registers, LimitedBy::Registers),
            (room.shared, LimitedBy::Shared),
            (room.threads, LimitedBy::Threads),
            (room.blocks, LimitedBy::Blocks),
        ];
        // If the maximum number of warps runs, that is the limit, even if other resources would limit too.
        let order = if ctas == room.threads { [2, 0, 1, 3] } else { [0, 1, 2, 3] };
        let limited_by = order.iter().map(|i| limits[*i]).find(|(room, _)| *room == ctas).map(|(_, limit)| limit)?;
        let with = |fewer: u32| CtaLimits::of(m, Needs { registers: needs.registers - fewer, ..needs }, warps).ctas();
        let fewer = match limited_by {
            LimitedBy::Registers => {
                (1..needs.registers).find(|n| with(*n) > ctas).map(|n| (n, (with(n) - ctas) * warps))
            }
            _ => None,
        };
        Some(Self {
            target,
            warps: ctas * warps,
            most_warps: m.warps,
            ctas,
            threads,
            assumed: needs.threads.is_none(),
            limited_by,
            fewer,
        })
    }
}
