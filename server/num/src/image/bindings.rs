//! What handles mean: the textures, samplers and surfaces of a launch.
//!
//! A handle is a 64-bit number: the address of a `.texref`, `.samplerref` or `.surfref` variable, or what a parameter holds.
//! Several handles may look at one image, as a texture and as a surface.

use super::layout::Image;
use super::sampler::Sampler;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which of the images of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageId(usize);

/// What a handle stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Opaque {
    /// A texture; in unified mode with its own sampler, which independent mode ignores.
    Texture(ImageId, Sampler),
    /// A sampler of the independent mode.
    Sampler(Sampler),
    /// A surface.
    Surface(ImageId),
}

/// The images of a launch and their handles. Cloning copies no texels until they change.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    images: Vec<Arc<Image>>,
    handles: BTreeMap<u64, Opaque>,
}

impl Bindings {
    /// Takes an image in.
    pub fn add_image(&mut self, image: Image) -> ImageId {
        self.images.push(Arc::new(image));
        ImageId(self.images.len() - 1)
    }

    /// Makes a handle stand for something, in place of what it stood for.
    pub fn bind(&mut self, handle: u64, opaque: Opaque) {
        self.handles.insert(handle, opaque);
    }

    /// What a handle stands for.
    #[inline]
    pub fn get(&self, handle: u64) -> Option<&Opaque> {
        self.handles.get(&handle)
    }

    /// An image.
    #[inline]
    pub fn image(&self, id: ImageId) -> Option<&Image> {
        self.images.get(id.0).map(Arc::as_ref)
    }

    /// An image to be changed.
    #[inline]
    pub fn image_mut(&mut self, id: ImageId) -> Option<&mut Image> {
        self.images.get_mut(id.0).map(Arc::make_mut)
    }
}
