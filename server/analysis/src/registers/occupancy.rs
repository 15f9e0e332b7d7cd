//! How many warps of a kernel run on a multiprocessor at a time.
//!
//! What `cudaOccupancyMaxActiveBlocksPerMultiprocessor` computes, with the largest carve-out of shared memory, no dynamic shared memory,
//! and without what a module does not tell: see docs/dev/occupancy.md.

use ptx_isa::ISA;
use ptx_isa::tables::{Multiprocessor, TargetInfo};

/// The threads of a CTA where the kernel does not say: what most launches have, and a divisor of what every multiprocessor holds.
pub const ASSUMED_THREADS: u32 = 256;

/// Threads of a warp, on every target.
pub const WARP: u32 = 32;

/// What keeps more from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Threads, or warps, that a multiprocessor holds.
    Threads,
    /// CTAs that a multiprocessor holds.
    Blocks,
}

impl LimitedBy {
    /// Its name in what other programs read.
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
    /// The target that was counted for.
    pub target: &'static str,
    /// Warps.
    pub warps: u32,
    /// As many as the multiprocessor holds at most.
    pub most_warps: u32,
    /// CTAs.
    pub ctas: u32,
    /// The threads of a CTA that were counted with: those of the header, else an assumption.
    pub threads: u32,
    /// The threads are an assumption.
    pub assumed: bool,
    /// What keeps more from running. Of several the first: registers are what an author can change most easily.
    pub limited_by: LimitedBy,
    /// So many registers fewer, and so many warps more would run; nothing where registers are not the limit.
    pub fewer: Option<(u32, u32)>,
}

/// What a kernel needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of static shared memory of a CTA.
    pub shared: u64,
    /// Threads of a CTA, if the kernel says.
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

/// Each part of the register file serves the warps of its part, and a warp gets whole units. One CTA must fit into as many parts as the
/// assembler counts with: what was made for other devices of the family runs on GP100 too.
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
        // Beside no other CTA, but larger than one may be.
        Some(_) if m.shared_opt_in > 0 && bytes > m.shared_opt_in.into() => 0,
        Some(fit) => fit as u32,
        None => u32::MAX,
    }
}

impl Occupancy {
    /// How much of the warps that there could be run, in percent.
    pub fn percent(&self) -> u32 {
        (self.warps * 100 + self.most_warps / 2).checked_div(self.most_warps).unwrap_or(0)
    }

    /// On a target; nothing where it is not known what that has.
    pub fn new(target: &TargetInfo, needs: Needs) -> Option<Self> {
        Self::on(target.name, needs)
    }

    /// On a target of that name; nothing where it is not known what that has.
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
        // Where all warps run that there is room for, that is what limits, whatever else would.
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
