//! `suld`, `sust`, `sured`, `suq`.
//!
//! [`ptx_num::image::surface`] computes the location of an access. This module handles operands, handles and registers.

use super::opaque::{self, HandleKind};
use super::texture::{query_of, unbound_says};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome, texels};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::image::query;
use ptx_num::image::surface::{self, CoordinateUnit, Outside, SurfaceAccess, SurfaceLocation, SurfaceReduction};
use ptx_num::image::{Geometry, Image, ImageFault, ImageId, Opaque};
use ptx_num::values::Marks;

/// The largest size of an access in bytes.
const MAX_ACCESS_BYTES: usize = 16;

/// The operands and modifiers that loads, stores and reductions have in common.
#[derive(Debug, Clone)]
struct SurfaceOperands {
    surface: RegisterLocation,
    coordinates: Vec<RegisterLocation>,
    geometry: Geometry,
    outside: Outside,
    /// A single register is written where a list of coordinates belongs.
    incomplete: bool,
}

impl SurfaceOperands {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let geometry = inst.modifier(SlotName::Geom).and_then(|m| Geometry::named(m.word()));
        let geometry = geometry.ok_or("a surface of an unknown geometry")?;
        let outside = match inst.modifier(SlotName::Clamp) {
            Some(Modifier::Clamp) => Outside::Clamp,
            Some(Modifier::Zero) => Outside::Zero,
            _ => Outside::Trap,
        };
        let coordinates = inst.places(OperandName::C, 4)?;
        let incomplete = coordinates.len() < geometry.dimensions() + usize::from(geometry.is_array());
        let surface = opaque::handle(inst, OperandName::S)?.ok_or("a surface instruction without a surface")?;
        Ok(Self { surface, coordinates, geometry, outside, incomplete })
    }

    /// The image of the surface that a lane names. Reports a finding and returns `None` if its handle refers to no surface.
    fn image(&self, context: &mut ExecContext<'_>, lane: usize) -> Option<ImageId> {
        let handle = context.registers.lane_bits(self.surface, lane) as u64;
        let found = match opaque::find(context, handle) {
            Some(Opaque::Surface(id)) => Some(id),
            _ => {
                opaque::unbound(context, handle, HandleKind::Surface, lane);
                None
            }
        };
        if self.incomplete {
            opaque::incomplete(context, self.geometry, lane);
        }
        found
    }

    /// The location of a lane's access in the bytes of its surface. Reports a finding and returns `None` if there is none.
    fn locate(
        &self,
        context: &mut ExecContext<'_>,
        lane: usize,
        id: ImageId,
        size: usize,
        unit: CoordinateUnit,
    ) -> Option<SurfaceLocation> {
        let mut coordinates = [0; 4];
        for (to, from) in coordinates.iter_mut().zip(&self.coordinates) {
            *to = context.registers.lane_bits(*from, lane) as u32;
        }
        let (geometry, outside) = (self.geometry, self.outside);
        let access = SurfaceAccess { geometry, coordinates, size: size as u32, unit, outside };
        let description = &context.machine.images.image(id)?.description;
        match surface::locate(description, &access) {
            Ok(location) => Some(location),
            Err(fault) => {
                opaque::fault(context, fault, lane);
                None
            }
        }
    }
}

/// Writes bytes of an image, unless the run ends here.
fn write(context: &mut ExecContext<'_>, id: ImageId, at: u64, bytes: &[u8]) {
    if context.is_stopped() {
        return;
    }
    if let Some(image) = context.machine.images.image_mut(id)
        && let Some(to) = part(image, at, bytes.len())
    {
        to.copy_from_slice(bytes);
    }
    texels::written(context, id, at, bytes.len());
    context.changed();
}

fn part(image: &mut Image, at: u64, bytes: usize) -> Option<&mut [u8]> {
    let at = usize::try_from(at).ok()?;
    image.bytes.get_mut(at..at.checked_add(bytes)?)
}

fn read(context: &ExecContext<'_>, id: ImageId, at: u64, to: &mut [u8]) {
    if let Some(image) = context.machine.images.image(id) {
        ptx_num::image::Texels::read(&image.bytes[..], at, to);
    }
}

/// The size in bytes of the type in a slot.
fn bytes_of(inst: &DecodeContext<'_>, slot: SlotName) -> Result<usize, DecodeRefusal> {
    let ty = inst.modifier(slot).and_then(|m| ptx_isa::ISA.ty(m.name())).ok_or("a surface access without a type")?;
    Ok(usize::from(ty.bits / 8))
}

/// `suld.b`.
pub(super) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let common = SurfaceOperands::new(inst)?;
    let bytes = bytes_of(inst, SlotName::Dtype)?;
    let to = inst.places(OperandName::D, bytes as u8)?;
    let size = (bytes * to.len()).min(MAX_ACCESS_BYTES);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let mut buffer = [0; MAX_ACCESS_BYTES];
            let found = common.image(context, lane).and_then(|id| {
                let location = common.locate(context, lane, id, size, CoordinateUnit::Bytes)?;
                Some((id, location))
            });
            if let Some((id, SurfaceLocation::Inside(at))) = found {
                read(context, id, at, &mut buffer[..size]);
            }
            for (element, place) in buffer[..size].chunks_exact(bytes).zip(&to) {
                let mut wide = [0; MAX_ACCESS_BYTES];
                wide[..bytes].copy_from_slice(element);
                context.registers.set_lane_bits(*place, lane, u128::from_le_bytes(wide));
            }
            if found.is_none() || common.incomplete {
                context.mark(lane, Marks::UNSPECIFIED);
            }
        }
        StepOutcome::Next
    }))
}

/// `sust.b`.
pub(super) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let common = SurfaceOperands::new(inst)?;
    let bytes = bytes_of(inst, SlotName::Ctype)?;
    let from = inst.places(OperandName::B, bytes as u8)?;
    let size = (bytes * from.len()).min(MAX_ACCESS_BYTES);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(id) = common.image(context, lane) else { continue };
            let Some(SurfaceLocation::Inside(at)) = common.locate(context, lane, id, size, CoordinateUnit::Bytes)
            else {
                continue;
            };
            let mut buffer = [0; MAX_ACCESS_BYTES];
            for (element, place) in buffer[..size].chunks_exact_mut(bytes).zip(&from) {
                element.copy_from_slice(&context.registers.lane_bits(*place, lane).to_le_bytes()[..bytes]);
            }
            write(context, id, at, &buffer[..size]);
        }
        StepOutcome::Next
    }))
}

/// `sust.p`.
pub(super) fn store_formatted(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let common = SurfaceOperands::new(inst)?;
    let from = inst.places(OperandName::B, 4)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(id) = common.image(context, lane) else { continue };
            let Some(format) = context.machine.images.image(id).map(|i| i.description.format) else { continue };
            let size = (format.bytes() as usize).min(MAX_ACCESS_BYTES);
            let Some(SurfaceLocation::Inside(at)) = common.locate(context, lane, id, size, CoordinateUnit::Texels)
            else {
                continue;
            };
            let mut values = [0; 4];
            for (value, place) in values.iter_mut().zip(&from) {
                *value = context.registers.lane_bits(*place, lane) as u32;
            }
            let (texel, marks) = format.encode(&values[..from.len().min(4)]);
            if marks != Marks::NONE && from.len() < format.order.channels() as usize {
                // The bytes of an image have no marks, so the finding is reported here.
                let (count, needed) = (from.len(), format.order.channels());
                context.fault(FaultKind::Undefined, 1 << lane, || {
                    format!(
                        "a texel of {needed} channels is stored from {count} values: the others become unpredictable"
                    )
                });
            }
            write(context, id, at, &texel[..size]);
        }
        StepOutcome::Next
    }))
}

/// `sured.b` and `sured.p`.
pub(super) fn reduce(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let common = SurfaceOperands::new(inst)?;
    let bytes = bytes_of(inst, SlotName::Ctype)?;
    let formatted = inst.has(Modifier::P);
    let op = match inst.modifier(SlotName::Op) {
        Some(Modifier::Add) => SurfaceReduction::Add,
        Some(Modifier::Min) => SurfaceReduction::Min,
        Some(Modifier::Max) => SurfaceReduction::Max,
        Some(Modifier::And) => SurfaceReduction::And,
        Some(Modifier::Or) => SurfaceReduction::Or,
        _ => return Err("a reduction without an operation".into()),
    };
    let signed = inst.modifier(SlotName::Ctype).is_some_and(|m| m.name().starts_with(".s"));
    let unit = if formatted { CoordinateUnit::Values } else { CoordinateUnit::Bytes };
    let from = *inst.places(OperandName::B, bytes as u8)?.first().ok_or("a reduction without a value")?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(id) = common.image(context, lane) else { continue };
            let Some(SurfaceLocation::Inside(at)) = common.locate(context, lane, id, bytes, unit) else { continue };
            let mut signed = signed;
            if formatted {
                let format = context.machine.images.image(id).map(|i| i.description.format);
                match format.map_or(Err(ImageFault::Format), surface::reduces_signed) {
                    Ok(of_format) => signed = of_format,
                    Err(fault) => {
                        opaque::fault(context, fault, lane);
                        continue;
                    }
                }
            }
            let mut old = [0; 8];
            read(context, id, at, &mut old[..bytes.min(8)]);
            let value = context.registers.lane_bits(from, lane) as u64;
            let new = surface::reduce(op, signed, bytes as u32, u64::from_le_bytes(old), value);
            write(context, id, at, &new.to_le_bytes()[..bytes.min(8)]);
        }
        StepOutcome::Next
    }))
}

/// `suq`.
pub(super) fn ask(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let query = query_of(inst)?;
    let to = *inst.places(OperandName::D, 4)?.first().ok_or("`suq` without a destination")?;
    let surface = opaque::handle(inst, OperandName::S)?.ok_or("`suq` without a surface")?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let handle = context.registers.lane_bits(surface, lane) as u64;
            let none = ptx_num::image::Sampler::default();
            let answer = match opaque::find(context, handle) {
                Some(Opaque::Surface(id)) => {
                    context.machine.images.image(id).map(|i| query::answer(query, &i.description, &none, 0))
                }
                Some(_) => None,
                None => unbound_says(context, handle).map(|(i, s)| query::answer(query, &i, &s, 0)),
            };
            match answer {
                Some(answer) => context.registers.set_lane_bits(to, lane, answer.into()),
                None => opaque::unbound(context, handle, HandleKind::Surface, lane),
            }
        }
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
