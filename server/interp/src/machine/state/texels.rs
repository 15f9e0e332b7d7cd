//! Texels that the kernel has written through surfaces, and images that know them.

use crate::findings::InstructionSite;
use ptx_num::image::{ImageId, Texels};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// For each texel that the kernel has written (image and index of the texel in memory), the last instruction that wrote it.
#[derive(Debug, Clone, Default)]
pub struct WrittenTexels(pub(in crate::machine) Arc<HashMap<(ImageId, u64), InstructionSite>>);

/// The texels of an image, which also notes the first written texel that is read.
pub(crate) struct WatchedTexels<'t> {
    bytes: &'t [u8],
    id: ImageId,
    /// Bytes of a texel.
    size: u64,
    written: &'t WrittenTexels,
    found: Cell<Option<InstructionSite>>,
}

impl WrittenTexels {
    /// The texels of an image for a read through a texture.
    pub(crate) fn watch<'t>(&'t self, id: ImageId, bytes: &'t [u8], size: u32) -> WatchedTexels<'t> {
        WatchedTexels { bytes, id, size: u64::from(size).max(1), written: self, found: Cell::new(None) }
    }
}

impl WatchedTexels<'_> {
    /// The instruction that wrote a texel which has been read.
    pub(crate) fn found(&self) -> Option<InstructionSite> {
        self.found.get()
    }
}

impl Texels for WatchedTexels<'_> {
    #[inline]
    fn read(&self, offset: u64, into: &mut [u8]) {
        self.bytes.read(offset, into);
        let written = &self.written.0;
        if !written.is_empty() && self.found.get().is_none() {
            let mut texels = offset / self.size..(offset + into.len() as u64).div_ceil(self.size);
            self.found.set(texels.find_map(|texel| written.get(&(self.id, texel)).copied()));
        }
    }
}
