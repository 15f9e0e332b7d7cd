//! Reading of files that users name: only regular files, as text, with a check whether the text is PTX at all.

mod binary;
mod decode;
mod markup;

pub use binary::binary_format;
pub use decode::decode;
pub use markup::is_markup;
