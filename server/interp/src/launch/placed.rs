//! Buffers, images and variables of a launch with their places in a machine.

use super::ElementFormat;
use ptx_num::image::ImageId;

/// A buffer, an image or a variable with its place in the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedBuffer {
    /// Its name; for a part of a parameter with the offset, as in `p+8`.
    pub name: Box<str>,
    /// The element format.
    pub element: ElementFormat,
    /// Where it is stored.
    pub place: BindingSite,
    /// Size in bytes.
    pub bytes: u64,
}

/// Where a buffer is stored in the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BindingSite {
    /// In global memory, at an address.
    Global(u64),
    /// In constant memory, at a byte offset.
    Constant(u64),
    /// In an image.
    Image(ImageId),
}
