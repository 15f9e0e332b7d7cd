//! Evaluating an expression, lane by lane.

use super::numbers::{self, Operand, together};
use super::scene::{Meant, Scene, literal};
use super::{Answer, Binary, Kind, Lanes, Over, Place, Space};
use crate::inspect::memory::{Area, load};
use crate::inspect::value::{Meaning, Value, meaning};
use crate::lanes::{LANES, Mask, lanes};
use crate::machine::list;
use crate::memory::STACK_PARAMETERS;
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo};

/// A value, or one for each of some lanes.
enum Worth {
    One(Operand),
    Many(Vec<(usize, Operand)>),
}

impl Scene<'_> {
    /// The value for a lane.
    pub(super) fn answer(&self, lane: usize) -> Result<Answer, String> {
        self.must_be_thread(lane)?;
        Ok(match self.worth(self.expression.root, lane)? {
            Worth::One(operand) => Answer::One(operand.value),
            Worth::Many(all) => Answer::Lanes(all.into_iter().map(|(lane, o)| (lane, o.value)).collect()),
        })
    }

    /// The lanes of the group for which it is true.
    pub(super) fn holds(&self) -> Result<Mask, String> {
        let (yes, _, _) = self.over(self.expression.root)?;
        Ok(yes)
    }

    fn must_be_thread(&self, lane: usize) -> Result<(), String> {
        let present = self.warp.lanes.present;
        if lane < LANES && present >> lane & 1 != 0 {
            Ok(())
        } else {
            Err(format!("lane {lane} is no thread: the warp has the lanes {}", list(present)))
        }
    }

    /// Evaluates a part in the active lanes, or in those that it names. Returns the lanes where it is true, those where that is
    /// unknown, and the value of each lane.
    fn over(&self, node: usize) -> Result<(Mask, Mask, Vec<Operand>), String> {
        let (mut yes, mut open, mut all) = (0, 0, Vec::new());
        let mut note = |lane: usize, operand: Operand| {
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
                Worth::One(operand) => note(lane, operand),
                // It names its lanes itself: they are the same from wherever one looks.
                Worth::Many(all) => {
                    all.into_iter().for_each(|(lane, operand)| note(lane, operand));
                    break;
                }
            }
        }
        Ok((yes, open, all))
    }

    fn worth(&self, at: usize, lane: usize) -> Result<Worth, String> {
        let Some(node) = self.expression.nodes.get(at) else { return Err("nothing to evaluate".to_owned()) };
        let quoted = |error: String| {
            let text = &node.text;
            if error.contains('`') && error.contains(&**text) { error } else { format!("`{text}`: {error}") }
        };
        match &node.kind {
            Kind::Number(number) => Ok(Worth::One(literal(*number))),
            Kind::Name(_) => match self.names.get(at).and_then(Option::as_ref) {
                Some(meant) => self.named(meant, lane).map(Worth::One).map_err(quoted),
                None => Err("a name without a meaning".to_owned()),
            },
            Kind::Unary(operator, a) => each(self.worth(*a, lane)?, |a| numbers::unary(*operator, a)).map_err(quoted),
            Kind::Binary(operator @ (Binary::And | Binary::Or), a, b) => self.logic(*operator, *a, *b, lane),
            Kind::Binary(operator, a, b) => {
                let (a, b) = (self.worth(*a, lane)?, self.worth(*b, lane)?);
                both(a, b, |a, b| numbers::binary(*operator, a, b)).map_err(quoted)
            }
            Kind::Cast(ty, a) => each(self.worth(*a, lane)?, |a| numbers::cast(a, ty)).map_err(quoted),
            Kind::Convert(ty, a) => each(self.worth(*a, lane)?, |a| numbers::convert(a, ty)).map_err(quoted),
            Kind::Memory { space, address, ty } => {
                let read = |lane: usize, address: &Operand| self.memory(*space, address, *ty, lane);
                match self.worth(*address, lane)? {
                    Worth::One(address) => read(lane, &address).map(Worth::One),
                    Worth::Many(all) => {
                        let all = all.iter().map(|(lane, address)| Ok((*lane, read(*lane, address)?)));
                        all.collect::<Result<_, String>>().map(Worth::Many)
                    }
                }
                .map_err(quoted)
            }
            Kind::Lanes(Lanes::Range(first, last), a) if first == last => {
                self.must_be_thread(usize::from(*first)).map_err(quoted)?;
                self.worth(*a, usize::from(*first))
            }
            Kind::Lanes(wanted, a) => {
                let mask = match wanted {
                    Lanes::All => self.warp.lanes.present,
                    Lanes::Range(first, last) => {
                        let of = (*first..=*last).fold(0, |all: Mask, lane| all | 1 << (usize::from(lane) % LANES));
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
                    Worth::One(operand) => Ok((lane, operand)),
                    Worth::Many(_) => Err(quoted("lanes are chosen twice".to_owned())),
                };
                lanes(mask).map(one).collect::<Result<_, String>>().map(Worth::Many)
            }
            Kind::Over(over, a) => {
                let (yes, open, all) = self.over(*a)?;
                let count = yes.count_ones();
                let (ty, bits, known) = match over {
                    Over::Any => (".pred", u128::from(yes != 0), yes != 0 || open == 0),
                    Over::All => {
                        let wrong = all.iter().any(|o| o.value.known && !o.value.is_true());
                        (".pred", u128::from(!wrong && open == 0), wrong || open == 0)
                    }
                    Over::Count => (".u32", count.into(), open == 0),
                    Over::Ballot => (".b32", yes.into(), open == 0),
                };
                let marks = together(all.iter().map(|o| o.value.marks));
                Ok(Worth::One(Operand::plain(Value { known, marks, ..Value::new(ty, bits) })))
            }
        }
    }

    /// `&&` and `||`: the second is not looked at where the first decides.
    fn logic(&self, operator: Binary, a: usize, b: usize, lane: usize) -> Result<Worth, String> {
        let decides = |o: &Operand| o.value.known && o.value.is_true() == (operator == Binary::Or);
        let first = self.worth(a, lane)?;
        if let Worth::One(first) = &first
            && decides(first)
        {
            let value = Value { ty: ".pred", bits: u128::from(first.value.is_true()), ..first.value };
            return Ok(Worth::One(Operand::plain(value)));
        }
        both(first, self.worth(b, lane)?, |a, b| {
            let (x, y) = (a.value.is_true(), b.value.is_true());
            let mut out = Operand::truth(if operator == Binary::Or { x || y } else { x && y });
            out.value.known = a.value.known && b.value.known || decides(a) || decides(b);
            out.value.marks = a.value.marks | b.value.marks;
            if decides(a) || decides(b) {
                out.value.bits = u128::from(operator == Binary::Or);
            }
            Ok(out)
        })
    }

    fn named(&self, meant: &Meant, lane: usize) -> Result<Operand, String> {
        match meant {
            Meant::Register(slot, place, ty) => Ok(self.register(*slot, *place, ty, lane)),
            Meant::Special(special, ty) => Ok(self.special(*special, ty, lane)),
            Meant::Constant(operand) => Ok(*operand),
            Meant::Value(ty, generic) => self.read(*generic, ty, lane),
            Meant::Stack(ty, at) => {
                let window = crate::memory::Window::Local;
                let at = self.base(lane) + at;
                let generic = self.machine.executable.map.generic(window, at).ok_or("it lies outside of the stack")?;
                self.read(generic, ty, lane)
            }
            Meant::Local(pointee, area, at) => {
                let own = if *area == Area::Parameter { STACK_PARAMETERS } else { 0 };
                let ty = if self.machine.executable.address_bytes() == 4 { ".b32" } else { ".b64" };
                let value = Value::new(ty, u128::from(own + self.base(lane) + at));
                Ok(Operand { area: Some(*area), pointee: *pointee, ..Operand::plain(value) })
            }
        }
    }

    /// Where the frame begins on the stack of a lane.
    fn base(&self, lane: usize) -> u64 {
        self.frame.base.get(lane).copied().unwrap_or(0).into()
    }

    /// Where the value is kept, if the expression is the name of a register or says what memory holds; as a lane sees it.
    pub(super) fn place(&self, lane: usize) -> Option<Place> {
        let at = self.expression.without_lanes();
        match &self.expression.nodes.get(at)?.kind {
            Kind::Name(_) => match self.names.get(at)?.as_ref()? {
                Meant::Register(slot, ..) => Some(Place::Register(u32::try_from(*slot).ok()?)),
                _ => None,
            },
            Kind::Memory { space, address, ty } => match self.worth(*address, lane).ok()? {
                Worth::One(address) => {
                    let (address, ty) = self.location(*space, &address, *ty).ok()?;
                    Some(Place::Memory { address, ty: ty.name })
                }
                Worth::Many(_) => None,
            },
            _ => None,
        }
    }

    /// The generic address that an operand in brackets means, and the type of what is there.
    fn location(
        &self,
        space: Option<Space>,
        address: &Operand,
        ty: Option<&'static TypeInfo>,
    ) -> Result<(u64, &'static TypeInfo), String> {
        let whole = matches!(meaning(address.value.ty).0, Meaning::Bits | Meaning::Integer { .. });
        if !whole {
            return Err(format!("an address is a whole number, but `{}` was found", address.value.ty));
        }
        if !address.value.known {
            return Err("the address comes from a register that was never written".to_owned());
        }
        let usual = address.pointee.filter(|t| t.class != TypeClass::Opaque && t.bits <= 128);
        let ty = ty.or(usual).or_else(|| ISA.ty(".b32")).ok_or("a type is missing")?;
        let map = &self.machine.executable.map;
        let at = address.value.bits as u64;
        let area = match space {
            Some(Space::Generic) => None,
            Some(Space::In(area)) => Some(area),
            None => address.area,
        };
        let generic = match area.and_then(Area::window) {
            None => at,
            // Naming the space of a generic address is accepted, too.
            Some(window) if map.window(at).is_some_and(|(w, _)| w == window) => at,
            Some(window) => {
                map.generic(window, at).ok_or_else(|| format!("{at:#x} lies behind the end of the state space"))?
            }
        };
        Ok((generic, ty))
    }

    fn memory(
        &self,
        space: Option<Space>,
        address: &Operand,
        ty: Option<&'static TypeInfo>,
        lane: usize,
    ) -> Result<Operand, String> {
        let (generic, ty) = self.location(space, address, ty)?;
        let at = address.value.bits as u64;
        let found = self.read(generic, ty, lane);
        // No state space was named, and nothing places it elsewhere.
        let bare = space.is_none() && address.area.and_then(Area::window).is_none();
        if bare && at < self.machine.executable.map.global && found.is_err() {
            return Err(format!(
                "{at:#x} is no generic address: for an offset in a state space write `shared:[…]`, `local:[…]`, `const:[…]` or `param:[…]`"
            ));
        }
        let found = found?;
        let marks = found.value.marks | address.value.marks;
        Ok(Operand { value: Value { marks, ..found.value }, ..found })
    }

    fn read(&self, generic: u64, ty: &'static TypeInfo, lane: usize) -> Result<Operand, String> {
        let bytes = usize::from(ty.bits.div_ceil(8)).clamp(1, 16);
        let mut buffer = [0; 16];
        let read = load(self.machine, self.target, lane, generic, &mut buffer[..bytes])?;
        let value = Value::new(ty.name, u128::from_le_bytes(buffer));
        Ok(Operand::plain(Value { known: !read.uninitialized, marks: read.marks, ..value }))
    }
}

fn each(a: Worth, f: impl Fn(&Operand) -> Result<Operand, String>) -> Result<Worth, String> {
    match a {
        Worth::One(a) => f(&a).map(Worth::One),
        Worth::Many(all) => {
            let all = all.iter().map(|(lane, a)| Ok((*lane, f(a)?)));
            all.collect::<Result<_, String>>().map(Worth::Many)
        }
    }
}

fn both(a: Worth, b: Worth, f: impl Fn(&Operand, &Operand) -> Result<Operand, String>) -> Result<Worth, String> {
    match (a, b) {
        (Worth::One(a), Worth::One(b)) => f(&a, &b).map(Worth::One),
        (Worth::Many(all), Worth::One(b)) => each(Worth::Many(all), |a| f(a, &b)),
        (Worth::One(a), Worth::Many(all)) => each(Worth::Many(all), |b| f(&a, b)),
        (Worth::Many(a), Worth::Many(b)) => {
            let of = |all: &[(usize, Operand)]| all.iter().fold(0, |mask: Mask, (lane, _)| mask | 1 << (lane % LANES));
            if of(&a) != of(&b) {
                return Err(format!("one side has the lanes {}, the other {}", list(of(&a)), list(of(&b))));
            }
            let all = a.iter().zip(&b).map(|((lane, a), (_, b))| Ok((*lane, f(a, b)?)));
            all.collect::<Result<_, String>>().map(Worth::Many)
        }
    }
}
