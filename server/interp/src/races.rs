//! Which accesses of threads to the same bytes nothing orders.

use crate::machine::{Context, Location, Order};

/// Who used the bytes of a page last.
#[derive(Debug, Clone, Default)]
pub struct Shadow {}

/// Who is ordered before whom.
#[derive(Debug, Clone, Default)]
pub struct Races {}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Read(Order),
    /// It writes.
    Write(Order),
    /// Both, at once.
    Atomic(Order),
}

/// Notes an access, and looks whether it races with one before.
pub fn observe(context: &mut Context<'_>, location: Location, lane: usize, bytes: usize, access: Access) {
    let _ = (context, location, lane, bytes, access);
}

/// Lanes of a warp have met at an instruction that names these lanes.
pub fn meet(context: &mut Context<'_>, here: crate::lanes::Mask, named: crate::lanes::Mask) {
    let _ = (context, here, named);
}
