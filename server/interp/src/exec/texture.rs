//! `tex`, `tex.level`, `tex.grad`, `tld4`, `txq`, `istypep`.
//!
//! [`ptx_num::image::texture`] computes the values of a texture at coordinates. This module handles operands, handles and registers.

use super::opaque::{self, HandleKind};
use crate::inst::DecodeContext;
use crate::lanes::{LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome, texels};
use crate::registers::{PredicateDst, RegisterLocation};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::image::query::{self, Query};
use ptx_num::image::texture::{Coordinates, Fetched, MipmapLevel, TextureRequest, fetch, gather, to_half};
use ptx_num::image::{Geometry, Opaque, Sampler};
use ptx_num::values::Marks;

/// The format of the components of a result in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultFormat {
    /// One register of 32 bits per component.
    Words,
    /// One `.f16` register per component.
    Halves,
    /// One `.f16x2` register per pair of components.
    Pairs,
}

/// The mipmap level that an instruction names.
#[derive(Debug, Clone)]
enum Levels {
    Base,
    Level(RegisterLocation),
    Gradients(Vec<RegisterLocation>, Vec<RegisterLocation>),
}

/// A decoded read of a texture.
#[derive(Debug, Clone)]
struct TextureRead {
    to: Vec<RegisterLocation>,
    /// The elements of the result that are used.
    taken: [bool; 4],
    /// The predicate that receives whether the memory of the texture is resident.
    resident: Option<PredicateDst>,
    texture: RegisterLocation,
    sampler: Option<RegisterLocation>,
    geometry: Geometry,
    /// The coordinates are floating-point numbers.
    float: bool,
    coordinates: Vec<RegisterLocation>,
    levels: Levels,
    offset: Vec<RegisterLocation>,
    /// The reference value of a depth comparison.
    depth: Option<RegisterLocation>,
    shape: ResultFormat,
    /// The component that `tld4` gathers; `None` for other instructions.
    gathered: Option<usize>,
}

/// The number of registers that the list of coordinates needs for a geometry.
fn coordinates_of(geometry: Geometry) -> usize {
    geometry.dimensions() + usize::from(geometry.is_array()) + usize::from(geometry.is_multisample())
}

/// `tex`, `tex.level` and `tex.grad`.
pub(super) fn read(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let levels = if inst.has(Modifier::Level) {
        Levels::Level(*inst.places(OperandName::Lod, 4)?.first().ok_or("`tex.level` without a level")?)
    } else if inst.has(Modifier::Grad) {
        Levels::Gradients(inst.places(OperandName::DPdx, 4)?, inst.places(OperandName::DPdy, 4)?)
    } else {
        Levels::Base
    };
    let float = inst.modifier(SlotName::Ctype) == Some(Modifier::F32);
    let shape = match inst.modifier(SlotName::Dtype) {
        Some(Modifier::F16) => ResultFormat::Halves,
        Some(Modifier::F16x2) => ResultFormat::Pairs,
        _ => ResultFormat::Words,
    };
    decode(inst, levels, float, shape, None)
}

/// `tld4`.
pub(super) fn gather_four(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let component = [Modifier::R, Modifier::G, Modifier::B, Modifier::A]
        .into_iter()
        .position(|c| inst.modifier(SlotName::Comp) == Some(c));
    let component = component.ok_or("`tld4` without a component")?;
    decode(inst, Levels::Base, true, ResultFormat::Words, Some(component))
}

fn decode(
    inst: &mut DecodeContext<'_>,
    levels: Levels,
    float: bool,
    shape: ResultFormat,
    gathered: Option<usize>,
) -> Result<OpAction, DecodeRefusal> {
    let geometry = inst.modifier(SlotName::Geom).and_then(|m| Geometry::named(m.word()));
    let geometry = geometry.ok_or("a texture of an unknown geometry")?;
    let mut taken = [true; 4];
    let leaves: Vec<_> = inst.operands(OperandName::D).collect();
    if leaves.len() > 1 {
        for (taken, leaf) in taken.iter_mut().zip(leaves) {
            *taken = leaf.value != ptx_flow::flow::OperandValue::Sink;
        }
    }
    let bytes = if shape == ResultFormat::Halves { 2 } else { 4 };
    let mut offset = inst.places(OperandName::Offset, 4)?;
    offset.extend(inst.places(OperandName::Offset1, 4)?);
    let read = TextureRead {
        to: inst.places(OperandName::D, bytes)?,
        taken,
        resident: inst.predicate_dst(OperandName::P)?,
        texture: opaque::handle(inst, OperandName::T)?.ok_or("a texture instruction without a texture")?,
        sampler: opaque::handle(inst, OperandName::S)?,
        geometry,
        float,
        coordinates: inst.places(OperandName::C, 4)?,
        levels,
        offset,
        depth: inst.places(OperandName::Depth, 4)?.first().copied(),
        shape,
        gathered,
    };
    Ok(DecodeContext::machine(move |context| {
        let mut resident = 0;
        for lane in lanes(context.mask) {
            if read.lane(context, lane) {
                resident |= 1 << lane;
            }
        }
        if let Some(to) = read.resident {
            context.registers.put_predicate(to, context.mask, resident);
        }
        StepOutcome::Next
    }))
}

impl TextureRead {
    /// Reads for one lane, and returns whether the memory is there.
    fn lane(&self, context: &mut ExecContext<'_>, lane: usize) -> bool {
        let handle = context.registers.lane_bits(self.texture, lane) as u64;
        let Some(Opaque::Texture(id, own)) = opaque::find(context, handle) else {
            opaque::unbound(context, handle, HandleKind::Texture, lane);
            return false;
        };
        let sampler = match self.sampler {
            None => own,
            Some(place) => {
                let handle = context.registers.lane_bits(place, lane) as u64;
                match opaque::find(context, handle) {
                    Some(Opaque::Sampler(sampler) | Opaque::Texture(_, sampler)) => sampler,
                    _ => {
                        opaque::unbound(context, handle, HandleKind::Sampler, lane);
                        return false;
                    }
                }
            }
        };
        if self.coordinates.len() < coordinates_of(self.geometry) {
            // The assembler accepts a single register in place of a list; its code then reads whatever registers follow.
            opaque::incomplete(context, self.geometry, lane);
        }
        let (request, mut marks) = self.request(context, lane);
        let Some(image) = context.machine.images.image(id) else { return false };
        let description = &image.description;
        let texels = context.machine.written_texels.watch(id, &image.bytes, description.format.bytes());
        let fetched = match self.gathered {
            None => fetch(description, &texels, &sampler, &request),
            Some(component) => gather(description, &texels, &sampler, &request, component),
        };
        let (integer, written) = (description.format.channel.is_integer(), texels.found());
        let Fetched { mut components, resident } = match fetched {
            Ok(fetched) => fetched,
            Err(fault) => {
                opaque::fault(context, fault, lane);
                marks |= Marks::UNSPECIFIED;
                Fetched { components: Default::default(), resident: false }
            }
        };
        if let Some(site) = written {
            texels::stale(context, lane, site);
        }
        if self.shape != ResultFormat::Words {
            components = to_half(&components, integer, self.shape == ResultFormat::Pairs);
        }
        for (i, place) in self.to.iter().enumerate().take(4) {
            context.registers.set_lane_bits(*place, lane, components.bits[i].into());
            if self.taken[i] {
                marks |= components.marks[i];
            }
        }
        context.mark(lane, marks);
        resident
    }

    /// The request of a lane, and the marks that its operands give to the result.
    #[inline]
    fn request(&self, context: &ExecContext<'_>, lane: usize) -> (TextureRequest, Marks) {
        let bits = |place: &RegisterLocation| context.registers.lane_bits(*place, lane) as u32;
        let mut marks = Marks::NONE;
        let mut coordinates = [0; 4];
        coordinates.iter_mut().zip(&self.coordinates).for_each(|(to, from)| *to = bits(from));
        if self.coordinates.len() < coordinates_of(self.geometry) {
            marks |= Marks::UNSPECIFIED;
        }
        let mut offset = [0; 3];
        for (to, from) in offset.iter_mut().zip(&self.offset) {
            let wanted = bits(from) as i32;
            // Offsets have four bits. The manual gives their range, but not what becomes of other values.
            *to = wanted << 28 >> 28;
            if *to != wanted {
                marks |= Marks::UNSPECIFIED;
            }
        }
        let three = |places: &[RegisterLocation]| {
            let mut out = [0.0; 3];
            out.iter_mut().zip(places).for_each(|(to, from)| *to = f32::from_bits(bits(from)));
            out
        };
        let level = match &self.levels {
            Levels::Base => MipmapLevel::Base,
            Levels::Level(place) if self.float => MipmapLevel::Float(f32::from_bits(bits(place))),
            Levels::Level(place) => MipmapLevel::Integer(bits(place) as i32),
            Levels::Gradients(x, y) => MipmapLevel::Gradients(three(x), three(y)),
        };
        let request = TextureRequest {
            geometry: self.geometry,
            coordinates: Coordinates { bits: coordinates, float: self.float },
            level,
            offset,
            depth: self.depth.as_ref().map(|place| f32::from_bits(bits(place))),
        };
        (request, marks)
    }
}

/// The property that the modifiers of a query name.
pub(super) fn query_of(inst: &DecodeContext<'_>) -> Result<Query, DecodeRefusal> {
    let found = inst.modifiers().find_map(|m| Query::named(m.word()));
    found.ok_or_else(|| "a query of an unknown property".into())
}

/// `txq`.
pub(super) fn ask(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let query = query_of(inst)?;
    let to = *inst.places(OperandName::D, 4)?.first().ok_or("`txq` without a destination")?;
    let of_sampler = inst.operand(OperandName::S).is_some();
    let name = if of_sampler { OperandName::S } else { OperandName::T };
    let place = opaque::handle(inst, name)?.ok_or("`txq` without a texture or sampler")?;
    let level = inst.places(OperandName::Lod, 4)?.first().copied();
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let handle = context.registers.lane_bits(place, lane) as u64;
            let level = level.map_or(0, |l| context.registers.lane_bits(l, lane) as i32);
            let nothing = opaque::nothing();
            let answer = match opaque::find(context, handle) {
                Some(Opaque::Texture(id, sampler)) => {
                    context.machine.images.image(id).map(|i| query::answer(query, &i.description, &sampler, level))
                }
                Some(Opaque::Sampler(sampler)) if of_sampler => Some(query::answer(query, &nothing, &sampler, level)),
                Some(_) => None,
                None => unbound_says(context, handle).map(|(i, s)| query::answer(query, &i, &s, level)),
            };
            match answer {
                Some(answer) => context.registers.set_lane_bits(to, lane, answer.into()),
                None => {
                    let wanted = if of_sampler { HandleKind::Sampler } else { HandleKind::Texture };
                    opaque::unbound(context, handle, wanted, lane);
                }
            }
        }
        StepOutcome::Next
    }))
}

/// The properties that the initial value of a variable gives to its image and sampler, if no image is bound to it; `None` without such a
/// value.
#[cold]
pub(super) fn unbound_says(
    context: &ExecContext<'_>,
    handle: u64,
) -> Option<(ptx_num::image::ImageDescription, Sampler)> {
    let (variable, element, _) = opaque::variable(context, handle)?;
    let has = variable.initial.fields.iter().any(|f| f.element == element);
    has.then(|| opaque::described(variable, element))
}

/// `istypep`: whether an address is that of a variable or a kernel parameter of the given type.
pub(super) fn is_type(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let kind = inst.modifier(SlotName::Type).ok_or("`istypep` without a type")?;
    let p = inst.predicate_dst(OperandName::P)?.ok_or("`istypep` without a predicate")?;
    let a = inst.src::<u64>(OperandName::A)?;
    Ok(DecodeContext::machine(move |context| {
        let mut truth: LaneMask = 0;
        for lane in lanes(context.mask) {
            let handle = context.registers.lane(a, lane);
            truth |= LaneMask::from(opaque::type_at(context, handle) == Some(kind.name())) << lane;
        }
        context.registers.put_predicate(p, context.mask, truth);
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
