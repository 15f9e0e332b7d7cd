//! What a multiprocessor has: `multiprocessor` in `docs/dev/isa-format.md`.

use crate::emit::{Emit, table};

table! {
    /// What the multiprocessors of some targets have, and how NVIDIA's assembler shares their registers out. Registers are of 32 bits, memory is
    /// counted in bytes; 0 where a figure is not known.
    struct Multiprocessor {
        /// `gh100`.
        name: &'static str,
        /// The targets, without suffix: those with one are the same device.
        targets: &'static [&'static str],
        /// One line.
        summary: &'static str,
        /// Registers.
        registers: u32,
        /// Registers of a CTA at most.
        cta_registers: u32,
        /// Registers of a thread at most.
        thread_registers: u32,
        /// The unit in which a warp gets registers.
        register_unit: u32,
        /// Warps at a time.
        warps: u32,
        /// CTAs at a time.
        ctas: u32,
        /// Parts of the register file, each for its part of the warps.
        partitions: u32,
        /// Threads of a CTA at most.
        cta_threads: u32,
        /// Shared memory.
        shared: u32,
        /// Shared memory of a CTA whose launch asks for more than usual.
        shared_opt_in: u32,
        /// The unit in which a CTA gets shared memory.
        shared_unit: u32,
        /// Shared memory of each CTA that the driver keeps for itself.
        shared_reserved: u32,
        /// The sizes of shared memory to choose from; empty where it has a memory of its own.
        carve_outs: &'static [u32],
        /// What the assembler makes of it.
        assembler: Assembler,
    }

    /// How NVIDIA's assembler shares registers out.
    struct Assembler {
        /// Registers of an empty kernel.
        least: u32,
        /// A smaller bound on the registers of a thread counts as this one.
        bound: u32,
        /// What launch bounds leave is rounded down to a multiple of it.
        step: u32,
        /// The partitions that it counts with.
        parts: u32,
        /// Registers of a kernel with a call whose callee the assembler cannot see, at least.
        call: u32,
        /// The first register that such a callee keeps.
        saved_from: u32,
        /// How many from there on.
        saved_first: u32,
        /// Then so many that it does not keep …
        saved_gap: u32,
        /// … and so many that it does, and so on.
        saved_run: u32,
    }
}

impl Assembler {
    /// How many registers a thread needs so that values of `across` registers survive a call whose callee is not seen.
    pub fn around_call(&self, across: u32) -> u32 {
        let more = across.saturating_sub(self.saved_first);
        let gaps = more.div_ceil(self.saved_run.max(1)) * self.saved_gap;
        self.call.max(self.saved_from + across + gaps)
    }
}
