//! What a menu of memory offers: memory by its name, and the types of its values.

use ptx_interp::inspect::{Area, VariableView, variables};
use ptx_interp::machine::Machine;
use ptx_num::notation::ElementFormat;
use serde::Serialize;

/// Maximum number of names: a module may have any number of variables.
const MAX_NAMES: usize = 1000;

/// The types in which memory is offered, in the order of a menu. A request may name any other format of elements.
const TYPES: [&str; 16] =
    ["b8", "b32", "s32", "f32", "f16", "bf16", "f64", "b64", "s64", "u32", "u16", "s16", "u8", "s8", "e4m3", "e5m2"];

/// Memory that can be shown, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryChoices {
    /// Buffers and variables, for the `buffer` of a request; the first 1,000.
    pub buffers: Vec<MemoryChoice>,
    /// The state spaces, for its `space`.
    pub spaces: Vec<&'static str>,
    /// Types of values, for its `type`.
    pub types: Vec<&'static str>,
}

/// A buffer or a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryChoice {
    /// Its name.
    pub name: String,
    /// Its state space: `shared`.
    pub space: &'static str,
}

/// What a machine has.
pub fn memory_choices(machine: &Machine) -> MemoryChoices {
    let choice = |variable: VariableView<'_>| MemoryChoice { name: variable.name.to_owned(), space: variable.space };
    MemoryChoices {
        buffers: variables(machine).into_iter().take(MAX_NAMES).map(choice).collect(),
        spaces: Area::ALL.map(Area::name).to_vec(),
        types: TYPES.into_iter().filter(|name| ElementFormat::named(name).is_some()).collect(),
    }
}
