//! Memory: bytes with a record of whether each was written and is exact, and the address space that threads see.
//!
//! Every access has a *generic* address. State spaces with addresses of their own (shared, local, constant, parameters) are windows of the
//! generic address space.

mod gather;
mod global;
pub(crate) mod ledger;
mod scope;
pub(crate) mod shadow;
mod space;
mod storage;
mod touched;

pub(crate) use gather::{AddressRow, LaneBytes, LaneOffsets, LanePattern, MAX_LANE_BYTES};
pub use global::{Global, GlobalAllocation};
pub use scope::Scope;
pub use shadow::PAGE;
pub use shadow::PageShadow;
pub use space::{AccessLocation, AccessRange, AddressMap, Region, SHARED_STRIDE, STACK_PARAMETERS, Window};
pub use storage::{ByteState, ReadStatus, Storage};
pub(crate) use storage::{PAGE_BYTES, PageBytes, made_shadow};
pub(crate) use touched::TouchedMemory;
