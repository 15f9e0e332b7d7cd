//! Evaluating an expression, lane by lane.

use super::numbers::{self, TypedOperand, together};
use super::scene::{NameTarget, Scene, literal};
use super::{Answer, BinaryOperator, ExpressionKind, LaneReduction, LaneSelection, MemorySpace, ValuePlace};
use crate::inspect::memory::{Area, load};
use crate::inspect::value::{TypeMeaning, TypedValue, meaning};
use crate::lanes::list;
use crate::lanes::{LANES, LaneMask, lanes};
use crate::memory::STACK_PARAMETERS;
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};

/// A value, or one for each of several lanes.
enum OperandLanes {
    One(TypedOperand),
    Many(Vec<(usize, TypedOperand)>),
}

impl Scene<'_> {
    /// The value of the expression for a lane.
    pub(super) fn answer(&self, lane: usize) -> Result<Answer, String> {
        self.must_be_thread(lane)?;
        Ok(match self.worth(self.expression.root, lane)? {
            OperandLanes::One(operand) => Answer::One(operand.value),
            OperandLanes::Many(all) => Answer::Lanes(all.into_iter().map(|(lane, o)| (lane, o.value)).collect()),
        })
    }

    /// The lanes of the group for which the expression is true.
    pub(super) fn holds(&self) -> Result<LaneMask, String> {
        let (yes, _, _) = self.over(self.expression.root)?;
        Ok(yes)
    }

    fn must_be_thread(&self, lane: usize) -> Result<(), String> {
        let present = self.warp.lanes.present;
        if lane < LANES && present >> lane & 1 != 0 {
            Ok(())
        } else {
            Err(format!("lane {lane} is not a thread: the warp has the lanes {}", list(present)))
        }
    }

    /// Evaluates a subexpression in the active lanes, or in those that it selects itself. Returns the lanes where it is true, those where
    /// that is unknown, and the value of each lane.
    fn over(&self, node: usize) -> Result<(LaneMask, LaneMask, Vec<TypedOperand>), String> {
        let (mut yes, mut open, mut all) = (0, 0, Vec::new());
        let mut note = |lane: usize, operand: TypedOperand| {
            let bit = 1 << (lane % LANES);
            if !operand.value.known {
                open |= bit;
            } else if operand.value.is_true() {
                yes |= bit;
            }
            all.push(operand);
        };
        for lane in lanes(self.active) {
            match self.worth(node, lane).map_err(|e| format!("lane {lane}: {e}"))? {
                OperandLanes::One(operand) => note(lane, operand),
                // The subexpression selects its lanes itself: the values do not depend on `lane`.
                OperandLanes::Many(all) => {
                    all.into_iter().for_each(|(lane, operand)| note(lane, operand));
                    break;
                }
            }
        }
        Ok((yes, open, all))
    }

    fn worth(&self, at: usize, lane: usize) -> Result<OperandLanes, String> {
        let Some(node) = self.expression.nodes.get(at) else { return Err("nothing to evaluate".to_owned()) };
        let quoted = |error: String| {
            let text = &node.text;
            if error.contains('`') && error.contains(&**text) { error } else { format!("`{text}`: {error}") }
        };
        match &node.kind {
            ExpressionKind::Number(number) => Ok(OperandLanes::One(literal(*number))),
            ExpressionKind::Name(_) => match self.names.get(at).and_then(Option::as_ref) {
                Some(meant) => self.named(meant, lane).map(OperandLanes::One).map_err(quoted),
                None => Err("a name without a meaning".to_owned()),
            },
            ExpressionKind::Unary(operator, a) => {
                each(self.worth(*a, lane)?, |a| numbers::unary(*operator, a)).map_err(quoted)
            }
            ExpressionKind::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), a, b) => {
                self.logic(*operator, *a, *b, lane)
            }
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = (self.worth(*a, lane)?, self.worth(*b, lane)?);
                both(a, b, |a, b| numbers::binary(*operator, a, b)).map_err(quoted)
            }
            ExpressionKind::Cast(ty, a) => each(self.worth(*a, lane)?, |a| numbers::cast(a, ty)).map_err(quoted),
            ExpressionKind::Convert(ty, a) => each(self.worth(*a, lane)?, |a| numbers::convert(a, ty)).map_err(quoted),
            ExpressionKind::Memory { space, address, ty } => {
                let read = |lane: usize, address: &TypedOperand| self.memory(*space, address, *ty, lane);
                match self.worth(*address, lane)? {
                    OperandLanes::One(address) => read(lane, &address).map(OperandLanes::One),
                    OperandLanes::Many(all) => {
                        let all = all.iter().map(|(lane, address)| Ok((*lane, read(*lane, address)?)));
                        all.collect::<Result<_, String>>().map(OperandLanes::Many)
                    }
                }
                .map_err(quoted)
            }
            ExpressionKind::Lanes(LaneSelection::Range(first, last), a) if first == last => {
                self.must_be_thread(usize::from(*first)).map_err(quoted)?;
                self.worth(*a, usize::from(*first))
            }
            ExpressionKind::Lanes(wanted, a) => {
                let mask = match wanted {
                    LaneSelection::All => self.warp.lanes.present,
                    LaneSelection::Range(first, last) => {
                        let of = (*first..=*last).fold(0, |all: LaneMask, lane| all | 1 << (usize::from(lane) % LANES));
                        of & self.warp.lanes.present
                    }
                };
                if mask == 0 {
                    return Err(quoted(format!(
                        "none of these lanes is a thread: the warp has the lanes {}",
                        list(self.warp.lanes.present)
                    )));
                }
                let one = |lane: usize| match self.worth(*a, lane)? {
                    OperandLanes::One(operand) => Ok((lane, operand)),
                    OperandLanes::Many(_) => Err(quoted("lanes are chosen twice".to_owned())),
                };
                lanes(mask).map(one).collect::<Result<_, String>>().map(OperandLanes::Many)
            }
            ExpressionKind::Over(over, a) => {
                let (yes, open, all) = self.over(*a)?;
                let count = yes.count_ones();
                let (ty, bits, known) = match over {
                    LaneReduction::Any => (".pred", u128::from(yes != 0), yes != 0 || open == 0),
                    LaneReduction::All => {
                        let wrong = all.iter().any(|o| o.value.known && !o.value.is_true());
                        (".pred", u128::from(!wrong && open == 0), wrong || open == 0)
                    }
                    LaneReduction::Count => (".u32", count.into(), open == 0),
                    LaneReduction::Ballot => (".b32", yes.into(), open == 0),
                };
                let marks = together(all.iter().map(|o| o.value.marks));
                Ok(OperandLanes::One(TypedOperand::plain(TypedValue { known, marks, ..TypedValue::new(ty, bits) })))
            }
        }
    }

    /// `&&` and `||`: the second operand is not evaluated if the first decides the result.
    fn logic(&self, operator: BinaryOperator, a: usize, b: usize, lane: usize) -> Result<OperandLanes, String> {
        let decides = |o: &TypedOperand| o.value.known && o.value.is_true() == (operator == BinaryOperator::Or);
        let first = self.worth(a, lane)?;
        if let OperandLanes::One(first) = &first
            && decides(first)
        {
            let value = TypedValue { ty: ".pred", bits: u128::from(first.value.is_true()), ..first.value };
            return Ok(OperandLanes::One(TypedOperand::plain(value)));
        }
        both(first, self.worth(b, lane)?, |a, b| {
            let (x, y) = (a.value.is_true(), b.value.is_true());
            let mut out = TypedOperand::truth(if operator == BinaryOperator::Or { x || y } else { x && y });
            out.value.known = a.value.known && b.value.known || decides(a) || decides(b);
            out.value.marks = a.value.marks | b.value.marks;
            if decides(a) || decides(b) {
                out.value.bits = u128::from(operator == BinaryOperator::Or);
            }
            Ok(out)
        })
    }

    fn named(&self, meant: &NameTarget, lane: usize) -> Result<TypedOperand, String> {
        match meant {
            NameTarget::Register(slot, place, ty) => Ok(self.register(*slot, *place, ty, lane)),
            NameTarget::Special(special, ty) => Ok(self.special(*special, ty, lane)),
            NameTarget::Constant(operand) => Ok(*operand),
            NameTarget::Value(ty, generic) => self.read(*generic, ty, lane),
            NameTarget::Stack(ty, at) => {
                let window = crate::memory::Window::Local;
                let at = self.base(lane) + at;
                let generic = self.machine.executable.map.generic(window, at).ok_or("it lies outside of the stack")?;
                self.read(generic, ty, lane)
            }
            NameTarget::Local(pointee, area, at) => {
                let own = if *area == Area::Parameter { STACK_PARAMETERS } else { 0 };
                let ty = if self.machine.executable.address_bytes() == 4 { ".b32" } else { ".b64" };
                let value = TypedValue::new(ty, u128::from(own + self.base(lane) + at));
                Ok(TypedOperand { area: Some(*area), pointee: *pointee, ..TypedOperand::plain(value) })
            }
        }
    }

    /// Byte offset of the frame on the stack of a lane.
    fn base(&self, lane: usize) -> u64 {
        self.frame.base.get(lane).copied().unwrap_or(0).into()
    }

    /// The place of the value, as a lane sees it, if the expression is the name of a register or a memory operand.
    pub(super) fn place(&self, lane: usize) -> Option<ValuePlace> {
        let at = self.expression.without_lanes();
        match &self.expression.nodes.get(at)?.kind {
            ExpressionKind::Name(_) => match self.names.get(at)?.as_ref()? {
                NameTarget::Register(slot, ..) => Some(ValuePlace::Register(u32::try_from(*slot).ok()?)),
                _ => None,
            },
            ExpressionKind::Memory { space, address, ty } => match self.worth(*address, lane).ok()? {
                OperandLanes::One(address) => {
                    let (address, ty) = self.location(*space, &address, *ty).ok()?;
                    Some(ValuePlace::Memory { address, ty: ty.name })
                }
                OperandLanes::Many(_) => None,
            },
            _ => None,
        }
    }

    /// The generic address of a memory operand, and the type of the value there.
    fn location(
        &self,
        space: Option<MemorySpace>,
        address: &TypedOperand,
        ty: Option<&'static TypeInfo>,
    ) -> Result<(u64, &'static TypeInfo), String> {
        let whole = matches!(meaning(address.value.ty).0, TypeMeaning::Bits | TypeMeaning::Integer { .. });
        if !whole {
            return Err(format!("an address must be a whole number, but `{}` was found", address.value.ty));
        }
        if !address.value.known {
            return Err("the address comes from a register that was never written".to_owned());
        }
        let usual = address.pointee.filter(|t| t.class != TypeClass::Opaque && t.bits <= 128);
        let ty = ty.or(usual).or_else(|| ISA.ty(".b32")).ok_or("a type is missing")?;
        let map = &self.machine.executable.map;
        let at = address.value.bits as u64;
        let area = match space {
            Some(MemorySpace::Generic) => None,
            Some(MemorySpace::In(area)) => Some(area),
            None => address.area,
        };
        let generic = match area.and_then(Area::window) {
            None => at,
            // A generic address is accepted even if the operand names its state space.
            Some(window) if map.window(at).is_some_and(|(w, _)| w == window) => at,
            Some(window) => {
                map.generic(window, at).ok_or_else(|| format!("{at:#x} lies past the end of the state space"))?
            }
        };
        Ok((generic, ty))
    }

    fn memory(
        &self,
        space: Option<MemorySpace>,
        address: &TypedOperand,
        ty: Option<&'static TypeInfo>,
        lane: usize,
    ) -> Result<TypedOperand, String> {
        let (generic, ty) = self.location(space, address, ty)?;
        let at = address.value.bits as u64;
        let found = self.read(generic, ty, lane);
        // No state space was named, and the address has none.
        let bare = space.is_none() && address.area.and_then(Area::window).is_none();
        if bare && at < self.machine.executable.map.global && found.is_err() {
            return Err(format!(
                "{at:#x} is not a generic address: for an offset in a state space write `shared:[…]`, `local:[…]`, `const:[…]` or `param:[…]`"
            ));
        }
        let found = found?;
        let marks = found.value.marks | address.value.marks;
        Ok(TypedOperand { value: TypedValue { marks, ..found.value }, ..found })
    }

    fn read(&self, generic: u64, ty: &'static TypeInfo, lane: usize) -> Result<TypedOperand, String> {
        let bytes = usize::from(ty.bits.div_ceil(8)).clamp(1, 16);
        let mut buffer = [0; 16];
        let read = load(self.machine, self.target, lane, generic, &mut buffer[..bytes])?;
        let value = TypedValue::new(ty.name, u128::from_le_bytes(buffer));
        Ok(TypedOperand::plain(TypedValue { known: !read.uninitialized, marks: read.marks, ..value }))
    }
}

fn each(a: OperandLanes, f: impl Fn(&TypedOperand) -> Result<TypedOperand, String>) -> Result<OperandLanes, String> {
    match a {
        OperandLanes::One(a) => f(&a).map(OperandLanes::One),
        OperandLanes::Many(all) => {
            let all = all.iter().map(|(lane, a)| Ok((*lane, f(a)?)));
            all.collect::<Result<_, String>>().map(OperandLanes::Many)
        }
    }
}

fn both(
    a: OperandLanes,
    b: OperandLanes,
    f: impl Fn(&TypedOperand, &TypedOperand) -> Result<TypedOperand, String>,
) -> Result<OperandLanes, String> {
    match (a, b) {
        (OperandLanes::One(a), OperandLanes::One(b)) => f(&a, &b).map(OperandLanes::One),
        (OperandLanes::Many(all), OperandLanes::One(b)) => each(OperandLanes::Many(all), |a| f(a, &b)),
        (OperandLanes::One(a), OperandLanes::Many(all)) => each(OperandLanes::Many(all), |b| f(&a, b)),
        (OperandLanes::Many(a), OperandLanes::Many(b)) => {
            let of = |all: &[(usize, TypedOperand)]| {
                all.iter().fold(0, |mask: LaneMask, (lane, _)| mask | 1 << (lane % LANES))
            };
            if of(&a) != of(&b) {
                return Err(format!("one side has the lanes {}, the other {}", list(of(&a)), list(of(&b))));
            }
            let all = a.iter().zip(&b).map(|((lane, a), (_, b))| Ok((*lane, f(a, b)?)));
            all.collect::<Result<_, String>>().map(OperandLanes::Many)
        }
    }
}
