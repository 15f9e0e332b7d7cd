//! Textures, surfaces and tensor maps: what their instructions compute, without any machine.
//!
//! The engine hands over descriptions, texel bytes and the bits of operands, and gets values, memory offsets or runs of
//! addresses back. Nothing here knows lanes, state spaces or faults of the engine: what a program did wrong comes back as
//! [`ImageFault`] or [`TensorFault`].
//!
//! | topic | module |
//! |---|---|
//! | what a texel looks like in memory | [`mod@format`] |
//! | sizes and places of an image, its bytes | [`layout`] |
//! | which texel a coordinate means | [`sampler`], [`cube`] |
//! | `tex`, `tld4` | [`texture`] |
//! | `txq`, `suq` | [`query`] |
//! | initialisers of opaque variables | [`fields`] |
//! | `suld`, `sust`, `sured` | [`surface`] |
//! | the 128 bytes of a tensor map, `tensormap.replace` | [`tensor_map`] |
//! | where a tensor copy reads and writes | [`tensor_copy`], [`tensor_im2col`] |
//! | where bytes of a tile lie in shared memory | [`swizzle`] |
//! | how a launch describes all that | [`description`] |
//! | what handles mean | [`bindings`] |

pub mod bindings;
pub mod cube;
pub mod description;
pub mod fields;
pub mod format;
pub mod layout;
pub mod query;
pub mod sampler;
pub mod surface;
pub mod swizzle;
pub mod tensor_copy;
pub mod tensor_im2col;
pub mod tensor_map;
pub mod texture;

#[cfg(test)]
mod tests;

pub use bindings::{Bindings, ImageId, Opaque};
pub use description::{DescribedImage, TableValue};
pub use format::{ChannelOrder, ChannelType, TexelFormat};
pub use layout::{Geometry, Image, ImageDescription, Texels};
pub use sampler::{AddressMode, DepthCompare, Filter, Sampler};
pub use tensor_copy::{CopyDirection, CopyMode, CopyRun, TensorCopy, TensorFault};
pub use tensor_map::TensorMap;

/// What a program did wrong with a texture or surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFault {
    /// The instruction names another geometry than the image has.
    Geometry {
        /// What the instruction names.
        instruction: Geometry,
        /// What the image is.
        image: Geometry,
    },
    /// A surface access with `.trap` lies outside: the dimension (0 x, 1 y, 2 z, 3 layer), and its coordinate.
    OutOfBounds {
        /// 0 x, 1 y, 2 z, 3 layer.
        dimension: u8,
        /// The coordinate as the instruction has it.
        coordinate: i64,
    },
    /// The byte coordinate of a surface access is no multiple of its size.
    Misaligned {
        /// The byte coordinate.
        coordinate: i64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// The image's format does not go with the instruction (a reduction by format on floats).
    Format,
}
