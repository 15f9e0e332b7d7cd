//! Notation of numbers in launches and expressions: element formats and literals.

mod decimal;
mod element;
mod number;

pub use element::{ElementFormat, ElementKind, Float};
pub use number::Number;
