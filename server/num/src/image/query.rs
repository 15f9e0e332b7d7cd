//! `txq` and `suq`: queries of textures, samplers and surfaces (manual 9.7.10.5, 9.7.11.4).

use super::layout::{Geometry, ImageDescription};
use super::sampler::Sampler;

/// A query of an image or a sampler: the modifiers of `txq` and `suq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the modifiers' names; their meaning is in the manual's table and in `answer`")]
pub enum Query {
    Width,
    Height,
    Depth,
    ChannelDataType,
    ChannelOrder,
    NormalizedCoords,
    ArraySize,
    NumMipmapLevels,
    NumSamples,
    MemoryLayout,
    FilterMode,
    AddrMode0,
    AddrMode1,
    AddrMode2,
    ForceUnnormalizedCoords,
}

impl Query {
    /// All variants with their modifiers (without the dot).
    pub const NAMES: [(&'static str, Self); 15] = [
        ("width", Self::Width),
        ("height", Self::Height),
        ("depth", Self::Depth),
        ("channel_data_type", Self::ChannelDataType),
        ("channel_order", Self::ChannelOrder),
        ("normalized_coords", Self::NormalizedCoords),
        ("array_size", Self::ArraySize),
        ("num_mipmap_levels", Self::NumMipmapLevels),
        ("num_samples", Self::NumSamples),
        ("memory_layout", Self::MemoryLayout),
        ("filter_mode", Self::FilterMode),
        ("addr_mode_0", Self::AddrMode0),
        ("addr_mode_1", Self::AddrMode1),
        ("addr_mode_2", Self::AddrMode2),
        ("force_unnormalized_coords", Self::ForceUnnormalizedCoords),
    ];

    /// Returns the query of a modifier (without the dot).
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(n, _)| *n == name).map(|(_, query)| query)
    }
}

/// Returns the result of a query of an image and its sampler. In independent mode `sampler` is the queried one.
///
/// `level`: the level of `txq.level`, which affects width, height and depth; a nonexistent level has the size of the coarsest
/// one. Dimensions that the geometry does not have are 0; the manual defines this for layers, levels and samples.
pub fn answer(query: Query, image: &ImageDescription, sampler: &Sampler, level: i32) -> u32 {
    let geometry = image.geometry;
    let size = image.level_size(u32::try_from(level).unwrap_or(0).min(image.levels.saturating_sub(1)));
    let mode = |dimension: usize| sampler.address[dimension].number();
    match query {
        Query::Width => size[0],
        Query::Height => {
            if geometry.dimensions() >= 2 {
                size[1]
            } else {
                0
            }
        }
        Query::Depth => {
            if geometry == Geometry::D3 {
                size[2]
            } else {
                0
            }
        }
        Query::ChannelDataType => image.format.channel.number(),
        Query::ChannelOrder => image.format.order.number(),
        Query::NormalizedCoords => u32::from(image.normalized_coords),
        Query::ArraySize => {
            if geometry.is_array() {
                image.layers
            } else {
                0
            }
        }
        Query::NumMipmapLevels => {
            if image.mipmapped {
                image.levels
            } else {
                0
            }
        }
        Query::NumSamples => {
            if geometry.is_multisample() {
                image.samples
            } else {
                0
            }
        }
        Query::MemoryLayout => u32::from(image.linear_memory),
        Query::FilterMode => sampler.filter.number(),
        Query::AddrMode0 => mode(0),
        Query::AddrMode1 => mode(1),
        Query::AddrMode2 => mode(2),
        Query::ForceUnnormalizedCoords => u32::from(sampler.force_unnormalized_coords),
    }
}
