//! The environment of a module: versions, targets, state spaces and special registers.

use super::condition::{Gate, Version};
use super::threads::{GridRole, UniformExtent};
use crate::emit::{Emit, table};

table! {
    /// A special register.
    struct SpecialRegister {
        /// Its name, with the `%`.
        name: &'static str,
        /// Its type, with the dot.
        ty: &'static str,
        /// The components (`xyzw`), or empty.
        components: &'static str,
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Notes on pitfalls.
        notes: &'static [&'static str],
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
        /// The widths in bits, besides its own, at which `mov` may read it.
        also_read: &'static [u16],
        /// Directives without which a kernel may not read it.
        requires: &'static [&'static str],
        /// The number of registers of a family such as `%envreg<32>`, else 0.
        count: u16,
        /// The threads across which its value is the same.
        uniform: UniformExtent,
        /// Whether a thread that reads it twice may get two values: a clock, a counter.
        changes: bool,
        /// The number of lowest bits of its first component that distinguish the lanes of a warp, if warps are parts of rows;
        /// 0: unknown.
        lane_bits: u8,
        /// The part of a thread's place in the grid that it holds.
        grid: GridRole,
        /// The maximum of each component; empty: unknown.
        at_most: &'static [u32],
    }

    /// A version of PTX.
    struct PtxVersion {
        /// The number.
        version: Version,
        /// The version whose features it has: itself, except for versions that were never published.
        counts_as: Version,
        /// The CUDA release that introduced it.
        summary: &'static str,
    }

    /// A target.
    struct TargetInfo {
        /// Its name, `sm_90a`.
        name: &'static str,
        /// Its features, including its own name.
        features: &'static [&'static str],
        /// The maximum size of a kernel's shared variables in bytes; 0: unknown.
        shared: u32,
        /// The maximum size of a module's constant variables in bytes; 0: unknown.
        constant: u32,
        /// A one-line summary.
        summary: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// The first PTX version that has it.
        gates: &'static [Gate],
        /// Other names that are not allowed in the same `.target` list.
        excludes: &'static [&'static str],
        /// Directives without which it is refused.
        requires: &'static [&'static str],
    }

    /// A state space.
    struct SpaceInfo {
        /// Its name with the dot, `.shared::cta`.
        name: &'static str,
        /// Whether generic addresses can refer to variables in it.
        generic: bool,
        /// Whether a constant may be an address in it.
        absolute: bool,
        /// Whether its addresses are names of variables, never registers.
        named: bool,
        /// Whether its contents are the same for all threads and never change while the kernel runs.
        fixed: bool,
        /// Whether addresses in it are offsets in a window: they fit 32 bits, and only `cvta` makes them generic.
        window: bool,
        /// Whether the address of a variable in it has 64 bits: the assembler generates no code for a `mov` of it to 32 bits.
        wide: bool,
        /// Whether its variables are textures, regardless of their type.
        textures: bool,
        /// The approximate latency of a load from it in cycles, for the register estimate; 0: the default.
        cycles: u16,
        /// The places at which its variables may be declared.
        declared: &'static [DeclarationPlace],
        /// Its capacities: the largest one available for the version and target counts. Empty: no limit.
        holds: &'static [Capacity],
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual; may be empty.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// Places at which variables of a state space may be declared.
    struct DeclarationPlace {
        /// The names of the places: `module`, `body`, `kernel-parameter`, `parameter`, `result`.
        names: &'static [&'static str],
        /// The largest alignment in bytes, or 0.
        align: u32,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// A capacity of a state space.
    struct Capacity {
        /// The number of bytes.
        bytes: u32,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }
}
