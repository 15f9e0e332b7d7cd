//! What a module is written for and finds there: versions, targets, state spaces and special registers.

use super::{Gate, UniformExtent, Version};
use crate::emit::{Emit, table};

table! {
    /// A special register.
    struct SpecialRegister {
        /// With its `%`.
        name: &'static str,
        /// Its type, with the dot.
        ty: &'static str,
        /// Components (`xyzw`), or empty.
        components: &'static str,
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Pitfalls.
        notes: &'static [&'static str],
        /// Versions and targets.
        gates: &'static [Gate],
        /// Widths in bits at which `mov` may read it besides its own.
        also_read: &'static [u16],
        /// Directives without which a kernel may not read it.
        requires: &'static [&'static str],
        /// A family such as `%envreg<32>`: how many; else 0.
        count: u16,
        /// Across which threads its value is the same.
        uniform: UniformExtent,
        /// So many of the lowest bits of its first component tell the lanes of a warp apart, where warps lie in rows; 0: nothing known.
        lane_bits: u8,
    }

    /// A version of PTX.
    struct PtxVersion {
        /// The number.
        version: Version,
        /// The version whose features it has: its own number but for versions that were never published.
        counts_as: Version,
        /// Which CUDA release brought it.
        summary: &'static str,
    }

    /// A target.
    struct TargetInfo {
        /// `sm_90a`.
        name: &'static str,
        /// The features that it has, itself among them.
        features: &'static [&'static str],
        /// Bytes of shared memory that the variables of a kernel may take; 0: not known.
        shared: u32,
        /// Bytes of constant memory that the variables of a module may take; 0: not known.
        constant: u32,
        /// One line.
        summary: &'static str,
        /// Markdown.
        doc: &'static str,
        /// First version.
        gates: &'static [Gate],
        /// Other names that may not stand in the same list.
        excludes: &'static [&'static str],
        /// Directives without which it is refused.
        requires: &'static [&'static str],
    }

    /// A state space.
    struct SpaceInfo {
        /// With its dot, `.shared::cta`.
        name: &'static str,
        /// A generic address reaches a variable in it.
        generic: bool,
        /// A constant may be an address in it.
        absolute: bool,
        /// What is in it is the same for all threads, and stays so as long as the kernel runs.
        fixed: bool,
        /// Addresses in it are offsets in a window: 32 bits hold them, and they become generic ones only by `cvta`.
        window: bool,
        /// About so many cycles until a value is loaded from it, for estimates; 0: as many as from anywhere.
        cycles: u16,
        /// Where variables of it may be declared.
        declared: &'static [DeclarationPlace],
        /// How many bytes there are: the largest that the version and target have. Empty: no limit.
        holds: &'static [Capacity],
        /// One line.
        summary: &'static str,
        /// Anchor in the manual; may be empty.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// Where variables of a state space may be declared.
    struct DeclarationPlace {
        /// `module`, `body`, `kernel-parameter`, `parameter`, `result`.
        names: &'static [&'static str],
        /// The largest alignment in bytes, or 0.
        align: u32,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// How many bytes a state space holds.
    struct Capacity {
        /// The number.
        bytes: u32,
        /// Versions and targets.
        gates: &'static [Gate],
    }
}
