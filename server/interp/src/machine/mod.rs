//! The machine: a grid of CTAs with their warps and memories, executed in a fixed order.
//!
//! - [`Machine`] – the complete mutable state of a run. A clone of it is a snapshot; clones share unchanged pages of memory.
//! - [`layout`] – where the registers, parameters and variables of a decoded program are stored; [`code`] – its operations.
//! - `state` – warps, CTAs and clusters, and what the units of an instruction family remember. It knows no operation.
//! - [`ExecContext`] – the view of the machine that an instruction gets.
//! - `access`, `copies`, `mbarriers`, [`races`] … – what an instruction does with the state, and the findings about it.
//! - `start` – clusters before their first instruction; `group` – the loop that executes a group of lanes; `schedule` – the order in which
//!   CTAs, warps and groups run; `call` – calls and returns of functions; `specials` – values of special registers.
//! - `effort`, `account` – the work and the memory of a run, which are limited.
//! - `parallel` – several machines that each execute a part of the grid.

mod access;
mod account;
mod bounds;
mod call;
pub mod code;
mod context;
pub(crate) mod copies;
mod effort;
mod exits;
mod grid;
mod group;
mod group_selection;
pub mod layout;
mod limits;
pub(crate) mod mbarriers;
mod nan;
mod noted;
pub(crate) mod operands;
mod order;
pub(crate) mod origins;
mod parallel;
pub(crate) mod passing;
mod peers;
mod pending;
pub(crate) mod proxies;
pub mod races;
mod record;
mod schedule;
mod specials;
mod start;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod texels;
mod warp_access;
mod warp_location;

pub use crate::memory::{AccessLocation, AccessRange, Scope};
pub(crate) use access::region_name;
pub(crate) use account::ALLOCATION;
pub use context::{ExecContext, StepOutcome};
pub use grid::{LOCAL_BYTES, Machine, Memory, Settings};
pub(crate) use nan::number_format;
pub use order::Order;
pub use record::{Detail, Origin, RecordScope, RecordedStep, Recorder, RegisterWrite, WarpId};
pub use schedule::{Progress, RunStatus};
pub use specials::is_clock;
pub(crate) use specials::{clock, value as special_value};
pub use state::{
    AccessKind, CallFrame, Cluster, Cta, CtaCounts, GridShape, Group, GroupReadiness, MAX_ACCESSES, MemoryAccess,
    RegisterShadow, Warp, WarpLanes,
};
pub(crate) use warp_access::{from_registers, to_registers};
pub(crate) use warp_location::WarpAccess;
