//! Reading files that people name: regular ones only, as text, and whether that text is PTX at all.

mod decode;
mod markup;
pub mod regular;

pub use decode::decode;
pub use markup::is_markup;
