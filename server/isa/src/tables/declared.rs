//! What declarations are made of, types and state spaces, and what is declared beforehand.

use super::emit::{Emit, table};
use super::{Extent, Gate, TypeClass};

table! {
    /// A type.
    struct Type {
        /// With its dot, `.f16x2`.
        name: &'static str,
        /// Class.
        class: TypeClass,
        /// Size in bits.
        bits: u16,
        /// Register types that an operand of this instruction type may have; empty: any of the size.
        agrees: &'static [&'static str],
        /// May be the type of a register.
        registers: bool,
        /// May be the type of a variable in memory.
        variables: bool,
        /// May be the type of a parameter.
        parameters: bool,
        /// May be the type of the elements of a vector.
        vectors: bool,
        /// May stand in the header of a function without a body although nothing else has it.
        prototypes: bool,
        /// Declarations may use it in every version and on every target: its gates are those of instructions.
        ungated: bool,
        /// Passes as a modifier of any instruction, where it means nothing.
        ignored: bool,
        /// One line.
        summary: &'static str,
        /// Anchor in the manual; may be empty.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// A state space.
    struct Space {
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
        /// Where variables of it may be declared.
        declared: &'static [Place],
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
    struct Place {
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
        uniform: Extent,
    }
}
