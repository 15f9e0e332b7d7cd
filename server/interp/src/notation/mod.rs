//! How numbers are written in launches and expressions: the types of elements, and literals.

mod element;
mod number;

pub use element::{ElementFormat, ElementKind, Float};
pub use number::Number;
