//! Conditions on an instruction, and the gates of what a version or a target has.

use crate::emit::{Emit, choice, table};

table! {
    /// A gate: the PTX versions and targets for which something is available.
    struct Gate {
        /// Whether the alternatives are needed, end the availability, or deprecate.
        kind: GateKind,
        /// The alternatives: at least one must hold (for `Until`: none).
        alternatives: &'static [GateAlternative],
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
        /// A replacement, or a reason; may be empty.
        note: &'static str,
    }

    /// One alternative of a gate.
    #[derive(Hash)]
    struct GateAlternative {
        /// The minimum PTX version; `None`: any.
        ptx: Option<Version>,
        /// A feature that the target must have; `None`: any.
        feature: Option<&'static str>,
    }

    /// A PTX version, ordered by major and minor number.
    #[derive(PartialOrd, Ord, Hash)]
    struct Version {
        /// The major number: 8 of 8.5.
        major: u16,
        /// The minor number: 5 of 8.5.
        minor: u16,
    }

    /// A condition on one slot.
    struct SlotTest {
        /// The index of the slot.
        slot: u8,
        /// The slot must have one of these values; empty: any value.
        values: &'static [&'static str],
        /// Whether the condition is negated.
        negated: bool,
    }

    /// A condition on one operand.
    struct OperandTest {
        /// The operand's name.
        name: &'static str,
        /// Whether the condition is negated.
        negated: bool,
    }
}

choice! {
    /// Kind of a gate.
    enum GateKind {
        /// Needs one of the alternatives.
        Needs,
        /// Refused if one of the alternatives holds.
        Until,
        /// Deprecated if one of the alternatives holds.
        Deprecated,
    }

    /// A term of a condition.
    enum Term {
        /// A slot has one of some values, or is filled.
        Slot(SlotTest),
        /// An optional operand is present.
        Operand(OperandTest),
    }
}
