//! Fields of `.texref`, `.samplerref` and `.surfref` variables, as initialisers set them: `{ filter_mode = nearest }`.
//!
//! Manual 5.3, tables 10 and 11. A launch that binds an image to the variable defines its memory. Fields about memory therefore
//! matter only for queries of a variable without an image.

use super::format::{ChannelOrder, ChannelType};
use super::layout::ImageDescription;
use super::sampler::{AddressMode, Filter, Sampler};

/// Returns the number that a name has in an initialiser: `nearest`, `linear` and the address modes.
pub fn named_value(name: &str) -> Option<u32> {
    let filters = [Filter::Nearest, Filter::Linear].into_iter().map(|f| (f.name(), f.number()));
    let modes = AddressMode::ALL.into_iter().map(|m| (m.name(), m.number()));
    filters.chain(modes).find(|(known, _)| *known == name).map(|(_, number)| number)
}

/// Sets a field of an image or its sampler. Returns `false` and changes nothing if the field does not exist or the value is
/// invalid for it.
///
/// In independent mode the sampler fields of a `.texref` are ignored (manual 5.3), so any sampler may be passed.
pub fn set(image: &mut ImageDescription, sampler: &mut Sampler, field: &str, value: u32) -> bool {
    let truth = value == 1;
    let size = value.max(1);
    match field {
        "width" => image.size[0] = size,
        "height" => image.size[1] = size,
        "depth" => image.size[2] = size,
        "array_size" => image.layers = size,
        "num_samples" => image.samples = size,
        "num_mipmap_levels" => (image.levels, image.mipmapped) = (size.min(32), value > 0),
        "normalized_coords" if value <= 1 => image.normalized_coords = truth,
        "memory_layout" if value <= 1 => image.linear_memory = truth,
        "force_unnormalized_coords" if value <= 1 => sampler.force_unnormalized_coords = truth,
        "channel_data_type" => match ChannelType::ALL.into_iter().find(|t| t.number() == value) {
            Some(channel) => image.format.channel = channel,
            None => return false,
        },
        "channel_order" => match ChannelOrder::ALL.into_iter().find(|o| o.number() == value) {
            Some(order) => image.format.order = order,
            None => return false,
        },
        "filter_mode" if value <= 1 => sampler.filter = if truth { Filter::Linear } else { Filter::Nearest },
        "addr_mode_0" => return set_mode(&mut sampler.address[0], value),
        "addr_mode_1" => return set_mode(&mut sampler.address[1], value),
        "addr_mode_2" => return set_mode(&mut sampler.address[2], value),
        _ => return false,
    }
    true
}

fn set_mode(slot: &mut AddressMode, value: u32) -> bool {
    let Some(mode) = AddressMode::ALL.into_iter().find(|m| m.number() == value) else { return false };
    *slot = mode;
    true
}
