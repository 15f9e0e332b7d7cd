//! Operations on values of PTX types.

use super::{Binary, Unary};
use crate::inspect::memory::Area;
use crate::inspect::value::{Meaning, Value, low, meaning, signed};
use crate::notation::{Element, Kind, Number};
use ptx_isa::ISA;
use ptx_isa::tables::TypeInfo;
use ptx_num::values::Marks;
use ptx_num::values::convert::FloatLayout;
use std::cmp::Ordering;

/// How firmly a value has its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It is that of a register, or of memory.
    Firm,
    /// A number in decimal digits takes the type of what it meets.
    Number,
    /// So do other digits, but as another type they are bits.
    Bits,
}

/// A value, and what is known of it besides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub value: Value,
    pub hold: Hold,
    /// It is an address in this state space.
    pub area: Option<Area>,
    /// What lies there is of this type.
    pub pointee: Option<&'static TypeInfo>,
}

impl Operand {
    pub(super) fn plain(value: Value) -> Self {
        Self { value, hold: Hold::Firm, area: None, pointee: None }
    }

    pub(super) fn truth(value: bool) -> Self {
        Self::plain(Value::new(".pred", value.into()))
    }

    fn bits(&self) -> u128 {
        self.value.bits
    }

    /// The number that an integer is; one with 128 bits may be cut.
    fn integer(&self) -> i128 {
        let (meaning, width) = meaning(self.value.ty);
        match meaning {
            Meaning::Integer { signed: false } | Meaning::Truth => self.bits() as i128,
            _ => signed(self.bits(), width),
        }
    }

    /// The number that it is, rounded to the nearest f64.
    fn number(&self) -> f64 {
        match meaning(self.value.ty) {
            (Meaning::Float(element), _) => element.value(self.bits()),
            (Meaning::Integer { signed: false } | Meaning::Truth, _) => self.bits() as f64,
            _ => self.integer() as f64,
        }
    }

    fn is_float(&self) -> bool {
        matches!(meaning(self.value.ty).0, Meaning::Float(_))
    }

    fn is_packed(&self) -> bool {
        matches!(meaning(self.value.ty).0, Meaning::Packed(..))
    }

    fn is_loose(&self) -> bool {
        self.hold != Hold::Firm
    }

    /// How it is called in errors.
    fn words(&self) -> String {
        if self.is_loose() { "a number".to_owned() } else { format!("`{}`", self.value.ty) }
    }
}

/// A value of an integer type of so many bits.
fn of_width(width: u32, kind: Whole) -> &'static str {
    let letter = match kind {
        Whole::Signed if width < 128 => 's',
        Whole::Unsigned if width < 128 => 'u',
        _ => 'b',
    };
    ISA.ty(&format!(".{letter}{width}")).map_or(".b32", |t| t.name)
}

/// What kind of whole numbers an operation is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Signed,
    Unsigned,
    /// Bits: signed, but where they are shifted to the right.
    Bits,
}

/// The type in which two values meet.
enum Common {
    Truth,
    Single,
    Double,
    Whole(u32, Whole),
}

fn common(sign: &str, a: &Operand, b: &Operand) -> Result<Common, String> {
    for operand in [a, b] {
        if operand.is_packed() {
            let ty = operand.value.ty;
            return Err(format!("`{sign}` takes one number, but `{ty}` holds several: take its bits, as in `:b32`"));
        }
    }
    if a.is_float() || b.is_float() {
        let double = |o: &Operand| o.is_float() && !o.is_loose() && o.value.ty == ".f64";
        let firm = |o: &Operand| o.is_float() && !o.is_loose();
        return Ok(if double(a) || double(b) || !(firm(a) || firm(b)) { Common::Double } else { Common::Single });
    }
    let truth = |o: &Operand| meaning(o.value.ty).0 == Meaning::Truth;
    if truth(a) && truth(b) {
        return Ok(Common::Truth);
    }
    let width = |o: &Operand| meaning(o.value.ty).1.next_power_of_two().max(32);
    let kind = |o: &Operand| match meaning(o.value.ty).0 {
        Meaning::Integer { signed: true } | Meaning::Truth => Whole::Signed,
        Meaning::Integer { signed: false } => Whole::Unsigned,
        _ => Whole::Bits,
    };
    // A number takes the width of what it meets, if that can hold it.
    let fits = |number: &Operand, width: u32| {
        let value = number.integer();
        width >= 64 || (value >= -(1 << (width - 1)) && value < 1 << width)
    };
    let (wide, all) = match (a.is_loose(), b.is_loose()) {
        (true, false) => (if fits(a, width(b)) { width(b) } else { 64 }, [Some(kind(b)), None]),
        (false, true) => (if fits(b, width(a)) { width(a) } else { 64 }, [Some(kind(a)), None]),
        _ => (width(a).max(width(b)), [Some(kind(a)), Some(kind(b))]),
    };
    let unsigned_number = |o: &Operand| o.is_loose() && kind(o) == Whole::Unsigned;
    let mut kinds = all.into_iter().flatten();
    let first = kinds.next().unwrap_or(Whole::Signed);
    let second = kinds.next().unwrap_or(first);
    let whole = match (first, second) {
        _ if unsigned_number(a) || unsigned_number(b) => Whole::Unsigned,
        (x, y) if x == y => x,
        (Whole::Unsigned, other) | (other, Whole::Unsigned) => {
            // As in C: the wider one decides, and of one width the unsigned one.
            let unsigned = if first == Whole::Unsigned { width(a) } else { width(b) };
            if unsigned == wide || other == Whole::Bits { Whole::Unsigned } else { Whole::Signed }
        }
        _ => Whole::Signed,
    };
    Ok(Common::Whole(wide, whole))
}

fn float_bits(value: f64, ty: &'static str) -> Value {
    if ty == ".f64" { Value::new(ty, value.to_bits().into()) } else { Value::new(ty, (value as f32).to_bits().into()) }
}

/// The result of an operation on two values.
pub(super) fn binary(operator: Binary, a: &Operand, b: &Operand) -> Result<Operand, String> {
    let sign = operator.sign();
    let compares = matches!(
        operator,
        Binary::Equal | Binary::Unequal | Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual
    );
    let whole_only = matches!(operator, Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Left | Binary::Right);
    let mut out = if matches!(operator, Binary::Equal | Binary::Unequal) && a.is_packed() && a.value.ty == b.value.ty {
        Operand::truth((a.bits() == b.bits()) == (operator == Binary::Equal))
    } else if matches!(operator, Binary::Left | Binary::Right) {
        shift(operator, a, b)?
    } else {
        let common = common(sign, a, b)?;
        if whole_only && matches!(common, Common::Single | Common::Double) {
            let found = if a.is_float() { a } else { b };
            let hint = "take its bits, as in `:b32`";
            return Err(format!("`{sign}` takes whole numbers, but {} was found: {hint}", found.words()));
        }
        match common {
            _ if compares => Operand::truth(compare(operator, &common, a, b)),
            Common::Truth if matches!(operator, Binary::BitOr | Binary::BitXor | Binary::BitAnd) => {
                let (x, y) = (a.bits(), b.bits());
                Operand::truth(integer_bits(operator, x, y) & 1 != 0)
            }
            Common::Single => {
                let (x, y) = (a.number() as f32, b.number() as f32);
                let value = match operator {
                    Binary::Add => x + y,
                    Binary::Sub => x - y,
                    Binary::Mul => x * y,
                    Binary::Div => x / y,
                    _ => x % y,
                };
                Operand::plain(Value::new(".f32", value.to_bits().into()))
            }
            Common::Double => {
                let (x, y) = (a.number(), b.number());
                let value = match operator {
                    Binary::Add => x + y,
                    Binary::Sub => x - y,
                    Binary::Mul => x * y,
                    Binary::Div => x / y,
                    _ => x % y,
                };
                Operand::plain(float_bits(value, ".f64"))
            }
            Common::Truth => whole(operator, 32, Whole::Signed, a, b)?,
            Common::Whole(width, kind) => whole(operator, width, kind, a, b)?,
        }
    };
    out.value.known = a.value.known && b.value.known;
    out.value.marks = a.value.marks | b.value.marks;
    if a.is_loose() && b.is_loose() && !compares {
        out.hold = Hold::Number;
    }
    // An address and a distance are an address.
    let address = match operator {
        Binary::Add => [a, b].into_iter().filter(|o| o.area.is_some() || o.pointee.is_some()).collect::<Vec<_>>(),
        Binary::Sub if b.area.is_none() && b.pointee.is_none() => vec![a],
        _ => Vec::new(),
    };
    if let [one] = address.as_slice() {
        (out.area, out.pointee) = (one.area, one.pointee);
    }
    Ok(out)
}

fn compare(operator: Binary, common: &Common, a: &Operand, b: &Operand) -> bool {
    let order = match common {
        Common::Single => (a.number() as f32).partial_cmp(&(b.number() as f32)),
        Common::Double => a.number().partial_cmp(&b.number()),
        Common::Truth => a.bits().partial_cmp(&b.bits()),
        Common::Whole(width, kind) => {
            let (x, y) = (low(a.integer() as u128, *width), low(b.integer() as u128, *width));
            if *kind == Whole::Unsigned { x.partial_cmp(&y) } else { signed(x, *width).partial_cmp(&signed(y, *width)) }
        }
    };
    match operator {
        Binary::Equal => order == Some(Ordering::Equal),
        Binary::Unequal => order != Some(Ordering::Equal),
        Binary::Less => order == Some(Ordering::Less),
        Binary::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Binary::Greater => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn integer_bits(operator: Binary, x: u128, y: u128) -> u128 {
    match operator {
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        Binary::BitAnd => x & y,
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        _ => x.wrapping_mul(y),
    }
}

/// An operation on whole numbers of so many bits, which go round at their end.
fn whole(operator: Binary, width: u32, kind: Whole, a: &Operand, b: &Operand) -> Result<Operand, String> {
    let (x, y) = (low(a.integer() as u128, width), low(b.integer() as u128, width));
    let bits = match operator {
        Binary::Div | Binary::Rem if y == 0 => return Err("a number is divided by zero".to_owned()),
        Binary::Div | Binary::Rem if kind == Whole::Unsigned => {
            if operator == Binary::Div {
                x / y
            } else {
                x % y
            }
        }
        Binary::Div => signed(x, width).wrapping_div(signed(y, width)) as u128,
        Binary::Rem => signed(x, width).wrapping_rem(signed(y, width)) as u128,
        _ => integer_bits(operator, x, y),
    };
    Ok(Operand::plain(Value::new(of_width(width, kind), bits)))
}

/// A shift: of the width of what is shifted. Beyond its end there are zeros, or copies of the sign.
fn shift(operator: Binary, a: &Operand, b: &Operand) -> Result<Operand, String> {
    for operand in [a, b] {
        if operand.is_float() || operand.is_packed() {
            let words = operand.words();
            return Err(format!(
                "`{}` takes whole numbers, but {words} was found: take its bits, as in `:b32`",
                operator.sign()
            ));
        }
    }
    let (shape, width) = meaning(a.value.ty);
    let width = width.next_power_of_two().max(32);
    let by = b.integer();
    if by < 0 {
        return Err(format!("a value is shifted by {by}, which is less than nothing"));
    }
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let negative = shape == Meaning::Integer { signed: true } && a.integer() < 0;
    let x = low(a.integer() as u128, width);
    let bits = match operator {
        Binary::Left => x.checked_shl(by).unwrap_or(0),
        _ if negative => (signed(x, width) >> by.min(127)) as u128,
        _ => x.checked_shr(by).unwrap_or(0),
    };
    let kind = match shape {
        Meaning::Integer { signed: true } | Meaning::Truth => Whole::Signed,
        Meaning::Integer { signed: false } => Whole::Unsigned,
        _ => Whole::Bits,
    };
    Ok(Operand::plain(Value::new(of_width(width, kind), bits)))
}

/// The result of an operation on one value.
pub(super) fn unary(operator: Unary, a: &Operand) -> Result<Operand, String> {
    let (shape, width) = meaning(a.value.ty);
    let sign = match operator {
        Unary::Not => "!",
        Unary::Minus => "-",
        Unary::Plus => "+",
        Unary::Complement => "~",
    };
    let wide = width.next_power_of_two().max(32);
    let mut out = match (operator, shape) {
        (Unary::Not, _) => Operand::truth(!a.value.is_true()),
        (_, Meaning::Packed(..)) => {
            return Err(format!(
                "`{sign}` takes one number, but `{}` holds several: take its bits, as in `:b32`",
                a.value.ty
            ));
        }
        (Unary::Complement, Meaning::Float(_)) => {
            return Err(format!("`~` takes whole numbers, but {} was found: take its bits, as in `:b32`", a.words()));
        }
        (Unary::Complement, Meaning::Truth) => Operand::truth(a.bits() == 0),
        (Unary::Minus, Meaning::Float(element)) => {
            let flipped = a.bits() ^ 1 << (element.bits() - 1);
            Operand { value: Value::new(a.value.ty, flipped), ..*a }
        }
        (Unary::Plus, Meaning::Float(_)) => *a,
        _ => {
            let x = a.integer() as u128;
            let bits = match operator {
                Unary::Minus => x.wrapping_neg(),
                Unary::Complement => !x,
                _ => x,
            };
            let kind = match shape {
                Meaning::Integer { signed: false } => Whole::Unsigned,
                Meaning::Integer { signed: true } | Meaning::Truth => Whole::Signed,
                _ => Whole::Bits,
            };
            Operand::plain(Value::new(of_width(wide, kind), low(bits, wide)))
        }
    };
    (out.value.marks, out.value.known) = (a.value.marks, a.value.known);
    if a.is_loose() && operator != Unary::Not {
        out.hold = Hold::Number;
    }
    if operator == Unary::Plus {
        (out.area, out.pointee) = (a.area, a.pointee);
    }
    Ok(out)
}

/// The bits of a value as another type. A number that has no type yet becomes a value of it.
pub(super) fn cast(a: &Operand, ty: &'static TypeInfo) -> Result<Operand, String> {
    if a.hold == Hold::Number {
        return convert(a, ty);
    }
    let ((from, have), (to, want)) = (meaning(a.value.ty), meaning(ty.name));
    let bits = match (from, to) {
        (_, Meaning::Truth) => u128::from(a.value.is_true()),
        (Meaning::Integer { signed: true }, Meaning::Integer { .. } | Meaning::Bits) => {
            low(signed(a.bits(), have) as u128, want)
        }
        (_, Meaning::Float(_) | Meaning::Packed(..)) if want > have && a.hold == Hold::Firm => {
            let name = a.value.ty;
            return Err(format!("`{}` has {want} bits, but `{name}` has only {have}", ty.name));
        }
        _ => low(a.bits(), want),
    };
    let value = Value { ty: ty.name, bits, ..a.value };
    Ok(Operand { value, hold: Hold::Firm, area: a.area, pointee: None })
}

/// The value in another type: floating-point numbers are cut toward zero for an integer, and anything is rounded to nearest for a
/// floating-point type.
pub(super) fn convert(a: &Operand, ty: &'static TypeInfo) -> Result<Operand, String> {
    let (to, want) = meaning(ty.name);
    if a.is_packed() && to != meaning(a.value.ty).0 {
        return Err(format!("`{}` takes one number, but `{}` holds several", ty.name, a.value.ty));
    }
    let bits = match to {
        Meaning::Truth => u128::from(a.value.is_true()),
        Meaning::Float(element) => encode(a.number(), element)?,
        Meaning::Packed(..) if a.is_packed() => a.bits(),
        Meaning::Packed(..) => {
            return Err(format!(
                "`{}` holds several numbers: give its bits, as in `0x…:{}`",
                ty.name,
                ty.name.trim_start_matches('.')
            ));
        }
        Meaning::Integer { signed: true } if a.is_float() => {
            let (least, most) = (-(2f64.powi(want as i32 - 1)), 2f64.powi(want as i32 - 1) - 1.0);
            low(a.number().trunc().clamp(least, most) as i128 as u128, want)
        }
        _ if a.is_float() => a.number().trunc().clamp(0.0, 2f64.powi(want as i32) - 1.0) as u128,
        _ => low(a.integer() as u128, want),
    };
    let value = Value { ty: ty.name, bits: low(bits, want), ..a.value };
    Ok(Operand { value, hold: Hold::Firm, area: a.area, pointee: None })
}

fn encode(value: f64, element: Element) -> Result<u128, String> {
    match element.kind() {
        Kind::Float(float) => Ok(float.encode(FloatLayout::F64.decode(value.to_bits()), false) << element.padding()),
        _ => Number::Float(value).encode(element),
    }
}

/// What must be said of the result of several lanes.
pub(super) fn together(marks: impl Iterator<Item = Marks>) -> Marks {
    marks.fold(Marks::NONE, |all, one| all | one)
}
