//! Exception filters: which findings of a run stop it.

use ptx_interp::findings::FaultKind;
use serde_json::{Value, json};

/// A group of finding kinds that one exception filter turns on and off.
#[derive(Debug)]
pub struct FindingFilter {
    /// Its identifier in the protocol.
    pub id: &'static str,
    /// The label that the user sees.
    pub label: &'static str,
    /// A description of the findings that it stops at.
    pub description: &'static str,
    /// True if the filter is enabled at the start.
    pub default: bool,
    /// The kinds of findings in the group.
    pub kinds: &'static [FaultKind],
}

/// All filters. Every kind of finding belongs to one of them.
pub const FILTERS: &[FindingFilter] = &[
    FindingFilter {
        id: "memory",
        label: "Out of bounds and bad addresses",
        description: "Accesses outside of every allocation, misaligned addresses, stores to read-only memory",
        default: true,
        kinds: &[FaultKind::OutOfBounds, FaultKind::Misaligned, FaultKind::ReadOnly],
    },
    FindingFilter {
        id: "uninitialized",
        label: "Uninitialized values",
        description: "Registers and bytes of memory that are read before they are written",
        default: true,
        kinds: &[FaultKind::UninitializedRegister, FaultKind::UninitializedMemory],
    },
    FindingFilter {
        id: "race",
        label: "Data races",
        description: "Two threads access the same byte, one of them writes, and nothing orders them",
        default: true,
        kinds: &[FaultKind::Race],
    },
    FindingFilter {
        id: "barrier",
        label: "Barriers and divergence",
        description: "Barriers that cannot complete, deadlocks, lanes missing where all must take part, wrong member masks",
        default: true,
        kinds: &[FaultKind::Barrier, FaultKind::Deadlock, FaultKind::Divergence, FaultKind::Membermask],
    },
    FindingFilter {
        id: "asynchronous",
        label: "Asynchronous operations",
        description: "Results that are used before they are known to be complete, mbarriers used against their protocol",
        default: true,
        kinds: &[FaultKind::Asynchronous, FaultKind::Mbarrier],
    },
    FindingFilter {
        id: "nan",
        label: "NaN",
        description: "An instruction produces a NaN from operands that are not NaN; needs \"find\": [\"nan\"] in the launch",
        default: false,
        kinds: &[FaultKind::NotANumber],
    },
    FindingFilter {
        id: "trap",
        label: "Traps and fatal errors",
        description: "trap, failed assertions, calls to bad addresses, stack overflow, out of memory, unsupported instructions",
        default: true,
        kinds: &[
            FaultKind::Trap,
            FaultKind::InvalidCall,
            FaultKind::StackOverflow,
            FaultKind::OutOfMemory,
            FaultKind::Unsupported,
        ],
    },
    FindingFilter {
        id: "undefined",
        label: "Other undefined behaviour",
        description: "Integer division by zero, and whatever else the manual calls undefined",
        default: true,
        kinds: &[FaultKind::DivisionByZero, FaultKind::Undefined],
    },
];

/// The filters in the form that the response to `initialize` uses.
pub fn capabilities() -> Value {
    let filters = FILTERS.iter().map(|f| {
        json!({
            "filter": f.id, "label": f.label, "description": f.description, "default": f.default,
            "supportsCondition": true, "conditionDescription": "An expression, such as %laneid == 3 && %r4 > 7",
        })
    });
    filters.collect()
}

/// The filter with this identifier.
pub fn named(id: &str) -> Option<&'static FindingFilter> {
    FILTERS.iter().find(|f| f.id == id)
}

#[cfg(test)]
mod tests {
    use super::FILTERS;
    use ptx_interp::findings::FaultKind;

    #[test]
    fn every_kind_is_in_one_filter() {
        for kind in FaultKind::ALL {
            assert_eq!(FILTERS.iter().filter(|f| f.kinds.contains(kind)).count(), 1, "{}", kind.name());
        }
    }
}
