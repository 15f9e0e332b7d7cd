//! Reading, and changing, what a machine holds: for views and debuggers.
//!
//! Nothing here panics, whatever is asked for; what is not there is nothing, or an error in words.
//!
//! - `groups` – where the lanes of a warp are, and what calls they are in;
//! - `registers` – what registers hold, special registers, and giving them other values;
//! - `memory` – bytes by address, by offset or by name, parameters, and the names of addresses;
//! - `transactions` – how banks and sectors serve the accesses of a step;
//! - `value` – values with their types, and how they are shown;
//! - [`expression`] – what a user writes into a watch, or behind a breakpoint.

pub mod expression;
mod groups;
mod meaning;
mod memory;
mod registers;
mod specials;
#[cfg(test)]
mod tests;
mod transactions;
mod value;

pub use groups::{CtaPhase, FrameView, GroupState, GroupView, WarpView, frames, groups, phase};
pub use meaning::meanings;
pub use memory::{Area, MemoryPlace, ParameterView, Peek, name_of, name_of_access, parameters, peek, poke, space};
pub use registers::{RegisterView, registers, set_register};
pub use specials::{SpecialView, special, specials};
pub use transactions::{BANKS, Banks, Sectors, Transaction, transactions};
pub use value::TypedValue;
