//! Handles of a launch: its textures, samplers and surfaces.
//!
//! A handle is a 64-bit number: the address of a `.texref`, `.samplerref` or `.surfref` variable, or the value of a parameter.
//! Several handles may refer to one image, for example as a texture and as a surface.

use super::layout::Image;
use super::sampler::Sampler;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index of an image of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageId(usize);

/// Object that a handle refers to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Opaque {
    /// A texture with its own sampler. The unified mode uses that sampler, the independent mode ignores it.
    Texture(ImageId, Sampler),
    /// A sampler of the independent mode.
    Sampler(Sampler),
    /// A surface.
    Surface(ImageId),
}

/// The images of a launch and their handles. A clone shares the texels until one of the copies changes them.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    images: Vec<Arc<Image>>,
    handles: BTreeMap<u64, Opaque>,
}

impl Bindings {
    /// Whether there is neither an image nor a handle.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty() && self.handles.is_empty()
    }

    /// Adds an image and returns its index.
    pub fn add_image(&mut self, image: Image) -> ImageId {
        self.images.push(Arc::new(image));
        ImageId(self.images.len() - 1)
    }

    /// Binds a handle to an object, replacing any earlier binding.
    pub fn bind(&mut self, handle: u64, opaque: Opaque) {
        self.handles.insert(handle, opaque);
    }

    /// Returns the object that a handle refers to, if it is bound.
    #[inline]
    pub fn get(&self, handle: u64) -> Option<&Opaque> {
        self.handles.get(&handle)
    }

    /// Returns an image.
    #[inline]
    pub fn image(&self, id: ImageId) -> Option<&Image> {
        self.images.get(id.0).map(Arc::as_ref)
    }

    /// Returns an image that shares its texels with these until one of both changes them.
    pub fn share(&self, id: ImageId) -> Option<Arc<Image>> {
        self.images.get(id.0).map(Arc::clone)
    }

    /// Returns the number of bytes of all images.
    pub fn bytes(&self) -> u64 {
        self.images.iter().map(|image| image.bytes.len() as u64).sum()
    }

    /// Returns an image for modification.
    #[inline]
    pub fn image_mut(&mut self, id: ImageId) -> Option<&mut Image> {
        self.images.get_mut(id.0).map(Arc::make_mut)
    }
}
