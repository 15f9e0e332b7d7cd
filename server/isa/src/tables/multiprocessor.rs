//! The resources of a multiprocessor: `multiprocessor` in `docs/dev/isa-format.md`.

use crate::emit::{Emit, table};

table! {
    /// The resources of the multiprocessors of some targets, and how NVIDIA's assembler distributes their registers.
    /// Registers have 32 bits, memory sizes are in bytes; 0 stands for an unknown number.
    struct Multiprocessor {
        /// Its name, `gh100`.
        name: &'static str,
        /// The targets, without suffix: a target with a suffix is the same device.
        targets: &'static [&'static str],
        /// A one-line summary.
        summary: &'static str,
        /// The number of registers.
        registers: u32,
        /// The maximum number of registers per CTA.
        cta_registers: u32,
        /// The maximum number of registers per thread.
        thread_registers: u32,
        /// The allocation unit of a warp's registers.
        register_unit: u32,
        /// The maximum number of warps that run at a time.
        warps: u32,
        /// The maximum number of CTAs that run at a time.
        ctas: u32,
        /// The number of partitions of the register file, each for its share of the warps.
        partitions: u32,
        /// The maximum number of threads per CTA.
        cta_threads: u32,
        /// The size of shared memory in bytes.
        shared: u32,
        /// The maximum shared memory in bytes of a CTA whose launch opts in to more than the default.
        shared_opt_in: u32,
        /// The allocation unit of a CTA's shared memory, in bytes.
        shared_unit: u32,
        /// The shared memory in bytes that the driver reserves in each CTA.
        shared_reserved: u32,
        /// The selectable sizes of shared memory in bytes; empty if it is a separate memory.
        carve_outs: &'static [u32],
        /// How the assembler distributes the registers.
        assembler: Assembler,
    }

    /// The rules by which NVIDIA's assembler distributes registers.
    struct Assembler {
        /// The number of registers of an empty kernel.
        least: u32,
        /// The minimum bound on the registers per thread; a smaller one counts as this.
        bound: u32,
        /// The registers that launch bounds allow are rounded down to a multiple of this.
        step: u32,
        /// The number of partitions of the register file that the assembler assumes.
        parts: u32,
        /// The minimum number of registers of a kernel with a call to an unknown callee.
        call: u32,
        /// The first register that such a callee preserves.
        saved_from: u32,
        /// The number of registers that it preserves from there on.
        saved_first: u32,
        /// After them, the number of registers that it does not preserve …
        saved_gap: u32,
        /// … followed by this number of preserved ones, and so on alternately.
        saved_run: u32,
    }
}

impl Assembler {
    /// The number of registers that a thread needs so that `across` registers survive a call to an unknown callee.
    pub fn around_call(&self, across: u32) -> u32 {
        let more = across.saturating_sub(self.saved_first);
        let gaps = more.div_ceil(self.saved_run.max(1)) * self.saved_gap;
        self.call.max(self.saved_from + across + gaps)
    }
}
