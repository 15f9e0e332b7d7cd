//! How numbers are written in launches and expressions: the types of elements, and literals.

mod element;
mod number;

pub use element::{Element, Float, Kind};
pub use number::Number;
