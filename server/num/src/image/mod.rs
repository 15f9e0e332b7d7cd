//! Textures, surfaces and tensor maps: the arithmetic of their instructions, without any machine.
//!
//! The interpreter passes descriptions, texel bytes and the bits of operands. It gets back values, memory offsets or runs of
//! addresses. Nothing here knows the interpreter's lanes, state spaces or faults: a program's error comes back as
//! [`ImageFault`] or [`TensorFault`].
//!
//! | topic | module |
//! |---|---|
//! | the bytes of a texel in memory | [`mod@format`] |
//! | geometry and size of an image, offsets of its texels | [`layout`] |
//! | from a coordinate to texels | [`sampler`], [`cube`] |
//! | `tex`, `tld4` | [`texture`] |
//! | `txq`, `suq` | [`query`] |
//! | initialisers of opaque variables | [`fields`] |
//! | `suld`, `sust`, `sured` | [`surface`] |
//! | the 128 bytes of a tensor map, `tensormap.replace` | [`tensor_map`] |
//! | the addresses that a tensor copy reads and writes | [`tensor_copy`], [`tensor_im2col`] |
//! | the order of a tile's bytes in shared memory | [`swizzle`] |
//! | the keys of a launch for images, samplers and tensor maps | [`description`] |
//! | the images and samplers behind 64-bit handles | [`bindings`] |

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

/// A program's error in a texture or surface access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFault {
    /// The geometry of the instruction differs from the image's.
    Geometry {
        /// The geometry that the instruction names.
        instruction: Geometry,
        /// The image's geometry.
        image: Geometry,
    },
    /// A surface access with `.trap` is outside of the image.
    OutOfBounds {
        /// The offending dimension: 0 x, 1 y, 2 z, 3 layer.
        dimension: u8,
        /// The coordinate as the instruction passes it.
        coordinate: i64,
    },
    /// The byte coordinate of a surface access is not a multiple of the access size.
    Misaligned {
        /// The byte coordinate.
        coordinate: i64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// The instruction does not accept the image's format (for example a reduction by format on floats).
    Format,
}
