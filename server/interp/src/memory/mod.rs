//! Memory: bytes with what is known of each, and the address space that threads see.
//!
//! Every access has a *generic* address. State spaces that have addresses of their own (shared, local, constant, parameters) are windows
//! of the generic address space, wherever in it they lie.

mod global;
pub(crate) mod shadow;
mod space;
mod storage;

pub use global::{Global, GlobalAllocation};
pub use shadow::PageShadow;
pub use space::{AddressMap, Region, SHARED_STRIDE, STACK_PARAMETERS, Window};
pub use storage::{PAGE, ReadStatus, Storage};
