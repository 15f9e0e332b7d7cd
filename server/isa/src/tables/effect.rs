//! The effects of instructions in protocols that span several of them: `effect` in `docs/dev/isa-format.md`.

use super::condition::Term;
use crate::emit::{Emit, choice, table};

table! {
    /// One effect of an instruction in a protocol.
    struct Effect {
        /// The action.
        verb: Verb,
        /// The protocol.
        protocol: Protocol,
        /// The name of the affected operand; may be empty.
        operand: &'static str,
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
    }
}

table! {
    /// Registers that the assembler needs for an instruction besides its operands, because it expands the instruction to a
    /// routine.
    struct Temporaries {
        /// The number of 32-bit registers.
        registers: u16,
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
    }
}

table! {
    /// The targets on which the assembler puts other instructions in the place of one, which take less than the instruction does
    /// elsewhere.
    struct Emulation {
        /// The first of these targets, as a feature: `sm_90`.
        from: &'static str,
        /// The feature of the first later targets that have the instruction again; empty: none.
        until: &'static str,
        /// The operands that it concerns; empty: all.
        operands: &'static [&'static str],
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
    }
}

choice! {
    /// The action of an instruction in a protocol.
    enum Verb {
        /// Starts an operation that completes later and works on the operand.
        Starts,
        /// Puts the started operations into a group.
        Commits,
        /// Waits for the groups to complete.
        Waits,
        /// Orders the accesses before and after it.
        Fences,
        /// Reads the operand.
        Reads,
        /// Writes the operand.
        Writes,
        /// Creates the object of the protocol in the operand.
        Creates,
        /// Ends the life of the object in the operand.
        Ends,
        /// Forbids the creation of further objects.
        Closes,
        /// Uses the operand.
        Uses,
        /// Requests the number that the operand gives.
        Raises,
        /// Announces transactions.
        Expects,
        /// Performs announced transactions.
        Completes,
        /// Tests a condition, and writes the result to the operand.
        Asks,
        /// The result is the same address as the operand.
        Passes,
        /// The result is an address computed from the operands.
        Adds,
        /// The result is the generic address of the operand.
        Widens,
        /// The result is the address in a state space of the operand, a generic address.
        Narrows,
    }

    /// A protocol.
    enum Protocol {
        /// Small copies, `cp.async`.
        CpAsync,
        /// Matrix instructions of a warp group.
        Wgmma,
        /// Barriers in memory.
        Mbarrier,
        /// Accesses through the asynchronous proxy, and the generic accesses that must be ordered with them.
        AsyncProxy,
        /// The generic proxy, as seen from the asynchronous one.
        GenericProxy,
        /// Tensor maps.
        TensorMap,
        /// Tensor memory.
        TensorMemory,
        /// Registers moved between warps.
        Registers,
        /// Visibility of accesses to other threads.
        Threads,
        /// Addresses and their state spaces.
        Address,
    }
}

impl Verb {
    /// The words of the notation and their variants.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("starts", Self::Starts),
        ("commits", Self::Commits),
        ("waits", Self::Waits),
        ("fences", Self::Fences),
        ("reads", Self::Reads),
        ("writes", Self::Writes),
        ("creates", Self::Creates),
        ("ends", Self::Ends),
        ("closes", Self::Closes),
        ("uses", Self::Uses),
        ("raises", Self::Raises),
        ("expects", Self::Expects),
        ("completes", Self::Completes),
        ("asks", Self::Asks),
        ("passes", Self::Passes),
        ("adds", Self::Adds),
        ("widens", Self::Widens),
        ("narrows", Self::Narrows),
    ];
}

impl Protocol {
    /// The words of the notation and their variants.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("cp.async", Self::CpAsync),
        ("wgmma", Self::Wgmma),
        ("mbarrier", Self::Mbarrier),
        ("async-proxy", Self::AsyncProxy),
        ("generic-proxy", Self::GenericProxy),
        ("tensormap", Self::TensorMap),
        ("tensor-memory", Self::TensorMemory),
        ("registers", Self::Registers),
        ("threads", Self::Threads),
        ("address", Self::Address),
    ];
}
