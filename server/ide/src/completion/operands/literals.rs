//! Items of operands before they are sorted; literals, constants and selectors.

use crate::completion::reach::TargetSupport;
use crate::completion::topic::Topic;
use crate::completion::{Item, ItemKind};
use ptx_analysis::{Environment, OperandSpec, TypeId};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, TypeClass, ValueKind};

/// An item of the list before it is sorted: by rank, then by distance.
pub struct RankedItem {
    /// What it is compared by first: a smaller rank is better.
    pub rank: u32,
    /// What it is compared by then.
    pub distance: usize,
    /// The item.
    pub item: Item,
}

/// Expands a pattern: `b[0-7]` means eight selectors.
pub fn expand(pattern: &str) -> Vec<String> {
    match pattern.split_once("[0-7]") {
        None => vec![pattern.to_owned()],
        Some((before, after)) => {
            (0..8).flat_map(|n| expand(after).into_iter().map(move |rest| format!("{before}{n}{rest}"))).collect()
        }
    }
}

/// Enters the integers that an operand may be if there are few, and otherwise those that are most common.
pub fn immediates(spec: &OperandSpec, environment: &Environment, found: &mut Vec<RankedItem>) {
    const MAX_OFFERED: i64 = 16;
    let value = spec.value;
    if value.register_only
        || value.access != OperandAccess::Read
        || value.kind != ValueKind::Value
        || !spec.lengths.is_empty()
    {
        return;
    }
    let whole = |t: TypeId| matches!(t.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
    if value.lanes {
        let item = Item::new("0xffffffff", ItemKind::Number).detail("all 32 lanes");
        found.push(RankedItem { rank: 0, distance: 0, item });
    }
    let count: i64 = value
        .ranges
        .iter()
        .map(|r| r.high.saturating_sub(r.low).saturating_div(r.step.max(1)).saturating_add(1))
        .fold(0, i64::saturating_add);
    if !value.ranges.is_empty() && count <= MAX_OFFERED {
        for range in value.ranges {
            let mut number = range.low;
            while number <= range.high {
                found.push(RankedItem {
                    rank: 5,
                    distance: 0,
                    item: Item::new(number.to_string(), ItemKind::Number).detail(format!("`{}`", value.name)),
                });
                number = number.saturating_add(range.step.max(1));
            }
        }
    } else if value.ranges.is_empty() && !value.lanes && spec.ty.is_some_and(whole) {
        for constant in ISA.constants {
            let item = Item::new(constant.name, ItemKind::Number)
                .detail(constant.summary)
                .topic(Topic::Constant(constant.name.to_owned()))
                .status(TargetSupport::of(constant.gates, environment));
            found.push(RankedItem { rank: 7, distance: 0, item });
        }
    }
}
