//! Reading and changing the state of a machine, for views and debuggers.
//!
//! No function here panics, whatever its arguments are. If something does not exist, they return `None`, an empty list, or an error
//! message.
//!
//! - `groups` – the groups of lanes of a warp and their call stacks;
//! - `registers` – values of registers, and changing them; `specials` – special registers;
//! - `memory` – bytes by address, by offset or by name; parameters; names of addresses;
//! - `transactions` – how banks and sectors serve the memory accesses of a step;
//! - `contents` – the contents of buffers before and after a run;
//! - `value` – typed values;
//! - [`expression`] – the expressions that users write for watches and breakpoints.

mod contents;
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

pub use contents::{BindingSite, BufferSnapshot, ChangedElements, PlacedBuffer};
pub use groups::{CtaPhase, FrameView, GroupState, GroupView, WarpView, frames, groups, phase};
pub use meaning::meanings;
pub use memory::{
    Area, MemoryPlace, ParameterView, Peek, VariableView, name_of, name_of_access, parameters, peek, poke, space,
    variables,
};
pub use ptx_num::values::Marks;
pub use registers::{RegisterView, registers, set_register};
pub use specials::{SpecialView, special, specials};
pub use transactions::{BANKS, Banks, LINE, SECTOR, Sectors, Transaction, transactions};
pub use value::{TypedValue, number_format};
