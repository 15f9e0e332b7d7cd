//! The state of a run, without what happens to it: warps, CTAs and clusters, and what the units that instructions use remember between them.
//!
//! These modules know the layout of a program, and neither its operations, nor the context of an instruction, nor the machine. What an
//! instruction does with this state, and what it reports, is in the modules beside this one.

pub(crate) mod access_log;
pub(crate) mod barriers;
mod clock;
mod cta;
pub(crate) mod flights;
mod knowledge;
pub(crate) mod mbarriers;
pub(crate) mod operands;
pub(crate) mod part;
pub(crate) mod peers;
pub(crate) mod proxies;
pub(crate) mod races;
pub(crate) mod schedule;
pub(crate) mod scopes;
mod shape;
mod sync;
pub(crate) mod tensor_memory;
pub(crate) mod texels;
pub(crate) mod unknowns;
mod warp;
pub(crate) mod wgmma;

pub use access_log::{AccessKind, MAX_ACCESSES, MemoryAccess};
pub use clock::Clock;
pub(crate) use clock::ClockOwner;
pub use cta::{Cluster, Cta, CtaCounts};
pub use knowledge::Knowledge;
pub use races::Races;
pub use shape::GridShape;
pub use sync::{SyncKind, SyncOperation};
pub use warp::{CallFrame, Group, GroupReadiness, RegisterShadow, Warp, WarpLanes};
