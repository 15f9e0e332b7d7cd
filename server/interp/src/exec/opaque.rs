//! The objects that handles of textures, samplers and surfaces refer to.
//!
//! A handle is the address of a `.texref`, `.samplerref` or `.surfref` variable, the address of a kernel's parameter of such a type, or a
//! number that a launch gave to a parameter (manual 5.3, 9.7.10.3). Variables that no launch binds have the properties of their initial
//! values.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::machine::ExecContext;
use crate::machine::code::DecodeRefusal;
use crate::machine::layout::VariableLocation;
use crate::memory::Window;
use crate::registers::RegisterLocation;
use ptx_flow::program::{self, FieldValue};
use ptx_isa::OperandName;
use ptx_isa::tables::TypeClass;
use ptx_num::image::{
    ChannelOrder, ChannelType, Geometry, ImageDescription, ImageFault, Opaque, Sampler, TexelFormat, fields,
};
use ptx_sema::hir::signature::Parameter;

/// Size of a handle in bytes.
pub(super) const HANDLE: u64 = 8;

/// The kind of object that an instruction needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandleKind {
    Texture,
    Sampler,
    Surface,
}

impl HandleKind {
    fn name(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Sampler => "sampler",
            Self::Surface => "surface",
        }
    }

    /// The text that binds an object of this kind to a name in a launch, as an example for messages.
    fn example(self) -> &'static str {
        match self {
            Self::Sampler => "{sampler=linear address=clamp}",
            Self::Texture | Self::Surface => "{image=2d size=[16,16] format=f32 fill=iota}",
        }
    }
}

/// The place of the handle in the operand of that name; `None` if the operand is not written.
pub(super) fn handle(
    inst: &mut DecodeContext<'_>,
    name: OperandName,
) -> Result<Option<RegisterLocation>, DecodeRefusal> {
    let width = inst.executable.address_bytes();
    Ok(inst.places(name, width)?.first().copied())
}

/// The object that a handle refers to.
#[inline]
pub(super) fn find(context: &ExecContext<'_>, handle: u64) -> Option<Opaque> {
    match context.machine.images.get(handle) {
        Some(found) => Some(*found),
        None => indirect(context, handle),
    }
}

/// The object that a handle refers to if nothing is bound to the handle itself: that of a parameter, or a sampler variable.
#[cold]
fn indirect(context: &ExecContext<'_>, handle: u64) -> Option<Opaque> {
    if let Some((_, at)) = parameter(context, handle) {
        let mut bytes = [0; HANDLE as usize];
        context.machine.memory.parameters.read(at, &mut bytes);
        return context.machine.images.get(u64::from_le_bytes(bytes)).copied();
    }
    // The initial value of a sampler variable describes the sampler completely.
    let (variable, element, _) = variable(context, handle)?;
    let is_sampler = variable.symbol.ty.is_some_and(|t| t.name() == ".samplerref");
    is_sampler.then(|| Opaque::Sampler(described(variable, element).1))
}

/// The kernel parameter of an opaque type whose address is the handle, and its offset among the parameters.
fn parameter<'c>(context: &'c ExecContext<'_>, handle: u64) -> Option<(&'c Parameter, u64)> {
    let executable = context.executable();
    let entry = executable.program.functions.get(executable.entry as usize)?;
    let at = match executable.map.window(handle) {
        Some((Window::Parameter, at)) => at,
        _ => handle,
    };
    let mut places = entry.parameters.iter().zip(&executable.parameters);
    let found = places
        .find(|(p, place)| u64::from(place.0) == at && p.ty.is_some_and(|t| t.info().class == TypeClass::Opaque))?;
    Some((found.0, at))
}

/// The variable of an opaque type (or in the old `.tex` space) whose address is the handle, the index of the element in it, and its
/// location.
pub(super) fn variable<'c>(
    context: &'c ExecContext<'_>,
    handle: u64,
) -> Option<(&'c program::ModuleVariable, u64, VariableLocation)> {
    let executable = context.executable();
    executable.program.variables.iter().filter(|v| is_opaque(v)).find_map(|variable| {
        let located = *executable.variables.get(&variable.name)?;
        let distance = handle.wrapping_sub(located.address);
        (distance < located.bytes.max(1) && distance % HANDLE == 0).then_some((variable, distance / HANDLE, located))
    })
}

/// The opaque type of the variable or the kernel parameter whose address is the handle.
pub(super) fn type_at(context: &ExecContext<'_>, handle: u64) -> Option<&'static str> {
    let ty = match parameter(context, handle) {
        Some((parameter, _)) => parameter.ty,
        // A variable in the old `.tex` space is a `.texref` (manual 5.1.8).
        None => match variable(context, handle)?.0.symbol {
            ref symbol if symbol.space == ".tex" => return Some(".texref"),
            ref symbol => symbol.ty,
        },
    };
    ty.map(|t| t.name())
}

fn is_opaque(variable: &program::ModuleVariable) -> bool {
    variable.symbol.space == ".tex" || variable.symbol.ty.is_some_and(|t| t.info().class == TypeClass::Opaque)
}

/// The properties of an image and of a sampler that the initial value of a variable's element gives. All else of the image is unknown.
pub(super) fn described(variable: &program::ModuleVariable, element: u64) -> (ImageDescription, Sampler) {
    let mut image = nothing();
    let mut sampler = Sampler::default();
    for field in variable.initial.fields.iter().filter(|f| f.element == element) {
        let value = match field.value {
            FieldValue::Name(name) => fields::named_value(name),
            FieldValue::Number(number) => u32::try_from(number).ok(),
        };
        if let Some(value) = value {
            fields::set(&mut image, &mut sampler, field.name, value);
        }
    }
    (image, sampler)
}

/// A placeholder for a description that is not used.
pub(super) fn nothing() -> ImageDescription {
    let format = TexelFormat { channel: ChannelType::Float, order: ChannelOrder::R };
    ImageDescription::new(Geometry::D1, [1; 3], format)
}

/// Reports that a handle refers to nothing, or to an object of another kind than `wanted`.
#[cold]
pub(super) fn unbound(context: &mut ExecContext<'_>, handle: u64, wanted: HandleKind, lane: usize) {
    let name = match (parameter(context, handle), variable(context, handle)) {
        (Some((parameter, _)), _) => Some(parameter.name.to_string()),
        (None, Some((variable, ..))) => Some(variable.name.to_string()),
        (None, None) => None,
    };
    let found = find(context, handle);
    let (what, example) = (wanted.name(), wanted.example());
    context.fault(FaultKind::OutOfBounds, 1 << lane, || match (found, name) {
        (Some(other), name) => {
            let other = match other {
                Opaque::Texture(..) => HandleKind::Texture,
                Opaque::Sampler(_) => HandleKind::Sampler,
                Opaque::Surface(_) => HandleKind::Surface,
            };
            let name = name.map_or(format!("{handle:#x}"), |n| format!("`{n}`"));
            format!("{name} is a {}, but this instruction needs a {what}", other.name())
        }
        (None, Some(name)) => {
            format!("no {what} is bound to `{name}`: the launch must say what it is, such as `{name}={example}`")
        }
        (None, None) => format!(
            "{handle:#x} is not a handle of a {what}: bind one in the launch to the parameter that it comes from, such as `name={example}`"
        ),
    });
}

/// Reports a fault of an access to an image.
#[cold]
pub(super) fn fault(context: &mut ExecContext<'_>, fault: ImageFault, lane: usize) {
    let (kind, words) = match fault {
        ImageFault::Geometry { instruction, image } => (
            FaultKind::Undefined,
            format!("the instruction is for `.{}`, but the image is `{}`", instruction.name(), image.name()),
        ),
        ImageFault::OutOfBounds { dimension, coordinate } => {
            let name = ["x", "y", "z", "layer"].get(usize::from(dimension)).copied().unwrap_or("x");
            (FaultKind::Trap, format!("coordinate {name} = {coordinate} lies outside the surface, and `.trap` traps"))
        }
        ImageFault::Misaligned { coordinate, size } => (
            FaultKind::Misaligned,
            format!(
                "x = {coordinate} (in bytes) is not a multiple of {size}: an access of {size} bytes must be aligned"
            ),
        ),
        ImageFault::Format => {
            (FaultKind::Undefined, "this reduction needs a surface with an integer format".to_owned())
        }
    };
    context.fault(kind, 1 << lane, || words);
}

/// Reports that a single register is written where a geometry needs a list of coordinates.
#[cold]
pub(super) fn incomplete(context: &mut ExecContext<'_>, geometry: Geometry, lane: usize) {
    context.fault(FaultKind::Undefined, 1 << lane, || {
        let name = geometry.name();
        format!("one register for the coordinates of `.{name}`: the others are undefined (here 0); write a list")
    });
}
