//! The context of an evaluation, and the meaning of names in it.

use super::numbers::{TypeFirmness, TypedOperand};
use super::{Expression, ExpressionKind, ExpressionLiteral};
use crate::inspect::groups::{cta_of, frame_of, warp_of};
use crate::inspect::memory::{Area, NamedMemory, variable_in};
use crate::inspect::registers::{known, slot_named};
use crate::inspect::value::TypedValue;
use crate::lanes::{LANES, LaneMask};
use crate::machine::layout::{Slot, Special, predicate};
use crate::machine::{self, CallFrame, Cta, Machine, Warp, WarpId};
use crate::memory::Window;
use ptx_isa::ISA;
use ptx_isa::tables::{SpecialRegister, TypeClass, TypeInfo};
use ptx_num::values::Marks;

/// What a name in an expression refers to.
pub(super) enum NameTarget {
    /// A register: its index in the function, its location, its type.
    Register(usize, Slot, &'static str),
    /// A special register, and its type.
    Special(Special, &'static str),
    /// A value that is the same in all lanes.
    Constant(TypedOperand),
    /// The value of a scalar parameter of the kernel, at a generic address.
    Value(&'static TypeInfo, u64),
    /// The value of a scalar parameter of a function, on the stack of the lane, at a byte offset in the frame.
    Stack(&'static TypeInfo, u64),
    /// The address of a variable on the stack of the lane: the type of the variable, its state space, its byte offset in the frame.
    Local(Option<&'static TypeInfo>, Area, u64),
}

/// The context of an evaluation: the warp, the call frame, and the meaning of all names.
pub(super) struct Scene<'m> {
    pub expression: &'m Expression,
    pub machine: &'m Machine,
    pub target: WarpId,
    pub cta: &'m Cta,
    pub warp: &'m Warp,
    pub frame: &'m CallFrame,
    /// The lanes of the group.
    pub active: LaneMask,
    /// The meaning of the names, by index of the node.
    pub names: Vec<Option<NameTarget>>,
}

impl<'m> Scene<'m> {
    pub(super) fn new(
        expression: &'m Expression,
        machine: &'m Machine,
        target: WarpId,
        group: usize,
        depth: usize,
    ) -> Result<Self, String> {
        let not_running = "the warp is not running: it has not started, or has ended";
        let warp = warp_of(machine, target).ok_or(not_running)?;
        let cta = cta_of(machine, target).ok_or(not_running)?;
        let active = warp.groups.get(group).ok_or("all threads of the warp have exited")?.mask;
        let frame = frame_of(warp, group, depth).ok_or("there is no such stack frame")?;
        let mut scene = Self { expression, machine, target, cta, warp, frame, active, names: Vec::new() };
        for node in &expression.nodes {
            let meant = match &node.kind {
                ExpressionKind::Name(name) => Some(scene.meant(name)?),
                _ => None,
            };
            scene.names.push(meant);
        }
        Ok(scene)
    }

    fn meant(&self, name: &str) -> Result<NameTarget, String> {
        let executable = &self.machine.executable;
        let body = executable.function(self.frame.function).ok_or("there is no such function")?;
        let code = executable.code(self.frame.function).ok_or("there is no such function")?;
        if let Some(slot) = slot_named(body, name)
            && let Some(place) = code.slots.get(slot)
        {
            let ty = body.declaration(ptx_flow::flow::RegisterSlot(slot as u32)).ty.name();
            return Ok(NameTarget::Register(slot, *place, ty));
        }
        if name == "WARP_SZ" {
            let operand = TypedOperand {
                hold: TypeFirmness::Number,
                ..TypedOperand::plain(TypedValue::new(".s64", LANES as u128))
            };
            return Ok(NameTarget::Constant(operand));
        }
        if let Some((register, component)) = special_named(name)? {
            return Ok(NameTarget::Special(Special { name: register.name, component }, register.ty));
        }
        if let Some(found) = variable_in(self.machine, self.frame, name)? {
            return Ok(self.variable(found));
        }
        let function = executable.program.functions.get(self.frame.function as usize).map_or("", |f| &f.name);
        Err(if name.starts_with('%') {
            let declared = body.declarations.iter().any(|d| {
                let number = name.strip_prefix(&*d.name).and_then(|n| n.parse::<u32>().ok());
                *d.name == *name || d.count.zip(number).is_some_and(|(count, number)| number < count)
            });
            if declared {
                format!("no instruction of `{function}` uses `{name}`, so it has no value")
            } else {
                format!("`{function}` has no register `{name}`, and there is no special register of that name")
            }
        } else {
            format!("there is no variable, parameter or buffer `{name}`")
        })
    }

    fn variable(&self, found: NamedMemory) -> NameTarget {
        let map = &self.machine.executable.map;
        let scalar = found.ty.filter(|t| found.scalar && t.class != TypeClass::Opaque && t.bits <= 128);
        let pointee = found.ty;
        let address = |area: Option<Area>, at: u64| {
            let ty = if self.machine.executable.address_bytes() == 4 { ".b32" } else { ".b64" };
            NameTarget::Constant(TypedOperand { area, pointee, ..TypedOperand::plain(TypedValue::new(ty, at.into())) })
        };
        match (found.window, found.stack) {
            (Some(Window::Parameter), true) => match scalar {
                Some(ty) => NameTarget::Stack(ty, found.at),
                None => NameTarget::Local(pointee, Area::Parameter, found.at),
            },
            (_, true) => NameTarget::Local(pointee, Area::Local, found.at),
            (Some(Window::Parameter), false) => {
                let generic = map.generic(Window::Parameter, found.at);
                match scalar.zip(generic) {
                    Some((ty, generic)) => NameTarget::Value(ty, generic),
                    None => address(Some(Area::Parameter), found.at),
                }
            }
            (Some(Window::Shared), false) => address(Some(Area::Shared), found.at),
            (Some(Window::Constant), false) => address(Some(Area::Constant), found.at),
            (Some(Window::Local), false) => address(Some(Area::Local), found.at),
            (Some(Window::Code) | None, false) => address(None, found.at),
        }
    }

    /// The value of a register in a lane.
    pub(super) fn register(&self, slot: usize, place: Slot, ty: &'static str, lane: usize) -> TypedOperand {
        let bits = match place {
            Slot::Register(place) => self.frame.registers.lane_bits(place, lane),
            Slot::Predicate(index) => u128::from(self.frame.registers.predicate(predicate(index).0) >> lane & 1),
        };
        let bit = |masks: &[LaneMask]| masks.get(slot).is_some_and(|m| m >> lane & 1 != 0);
        let mut marks = Marks::NONE;
        if bit(&self.frame.shadow.unspecified) {
            marks |= Marks::UNSPECIFIED;
        }
        if bit(&self.frame.shadow.approximate) {
            marks |= Marks::APPROXIMATE;
        }
        let known = known(self.machine, self.frame, slot) >> lane & 1 != 0;
        TypedOperand::plain(TypedValue { marks, known, ..TypedValue::new(ty, bits) })
    }

    /// The value of a special register in a lane.
    pub(super) fn special(&self, special: Special, ty: &'static str, lane: usize) -> TypedOperand {
        let value = machine::special_value(self.machine, self.cta, self.target.warp, lane, special);
        let value = value.unwrap_or_else(|| machine::clock(self.machine.steps, special));
        TypedOperand::plain(TypedValue::new(ty, value))
    }
}

/// The value of a literal.
pub(super) fn literal(literal: ExpressionLiteral) -> TypedOperand {
    let whole = |bits: u64, unsigned: bool, hold: TypeFirmness| {
        let ty = if unsigned { ".u64" } else { ".s64" };
        TypedOperand { hold, ..TypedOperand::plain(TypedValue::new(ty, bits.into())) }
    };
    match literal {
        ExpressionLiteral::Integer(bits, unsigned) => whole(bits, unsigned, TypeFirmness::Number),
        ExpressionLiteral::Bits(bits, unsigned) => whole(bits, unsigned, TypeFirmness::Bits),
        ExpressionLiteral::Float(value) => TypedOperand {
            hold: TypeFirmness::Number,
            ..TypedOperand::plain(TypedValue::new(".f64", value.to_bits().into()))
        },
        ExpressionLiteral::Single(bits) => TypedOperand::plain(TypedValue::new(".f32", bits.into())),
        ExpressionLiteral::Double(bits) => TypedOperand::plain(TypedValue::new(".f64", bits.into())),
        ExpressionLiteral::Truth(value) => TypedOperand::truth(value),
    }
}

/// The special register with this name, and the index of the component.
fn special_named(name: &str) -> Result<Option<(&'static SpecialRegister, u8)>, String> {
    let (base, component) = match name.rsplit_once('.') {
        Some((base, component)) => (base, component.chars().next()),
        None => (name, None),
    };
    let Some(register) = ISA.special_register(base) else { return Ok(None) };
    let place = |c: char| "xyzw".find(c).or_else(|| "rgba".find(c));
    match (component.map(place), register.components.len()) {
        (None, 0) => Ok(Some((register, 0))),
        (Some(Some(component)), count) if component < count => Ok(Some((register, component as u8))),
        (None, _) => Err(format!("`{base}` has several components: say which, as in `{base}.x`")),
        (Some(_), _) => Err(format!("`{base}` has no component of that name")),
    }
}
