//! What instructions do in protocols that span several of them: `effect` in `docs/dev/isa-format.md`.

use super::{Emit, Term};
use crate::emit::{choice, table};

table! {
    /// One thing that an instruction does in a protocol.
    struct Effect {
        /// What it does.
        verb: Verb,
        /// In which protocol.
        protocol: Protocol,
        /// To which operand; may be empty.
        operand: &'static str,
        /// Only where all of these hold.
        when: &'static [Term],
    }
}

table! {
    /// Registers that the assembler needs for an instruction besides its operands, since it makes a routine of it.
    struct Temporaries {
        /// Registers of 32 bits.
        registers: u16,
        /// Only where all of these hold.
        when: &'static [Term],
    }
}

choice! {
    /// What an instruction does in a protocol.
    enum Verb {
        /// Starts something that completes later, in the operand.
        Starts,
        /// Puts what was started into a group.
        Commits,
        /// Waits for the groups.
        Waits,
        /// Orders what came before and what comes after.
        Fences,
        /// Reads the operand.
        Reads,
        /// Writes the operand.
        Writes,
        /// Makes the operand what the protocol is about.
        Creates,
        /// Ends that.
        Ends,
        /// No more may be made.
        Closes,
        /// Uses the operand.
        Uses,
        /// Asks for as many as the operand says.
        Raises,
        /// Announces transactions.
        Expects,
        /// Brings transactions.
        Completes,
        /// Asks, and says in the operand whether.
        Asks,
        /// The result is the same address as the operand.
        Passes,
        /// The result is an address that is made of the operands.
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
        /// Accesses through the asynchronous proxy, and those through the generic one that they must be ordered with.
        AsyncProxy,
        /// The generic proxy, as seen from the asynchronous one.
        GenericProxy,
        /// Tensor maps.
        TensorMap,
        /// Tensor memory.
        TensorMemory,
        /// Registers moved between warps.
        Registers,
        /// What is visible to other threads.
        Threads,
        /// Addresses and the state spaces that they count in.
        Address,
    }
}

impl Verb {
    /// The words of the notation.
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
    /// The words of the notation.
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
