//! Operations on values of PTX types.

use super::{BinaryOperator, UnaryOperator};
use crate::inspect::memory::Area;
use crate::inspect::value::{TypeMeaning, TypedValue, low, meaning, signed};
use ptx_isa::ISA;
use ptx_isa::tables::TypeInfo;
use ptx_num::math::fmod;
use ptx_num::notation::{ElementFormat, ElementKind, Number};
use ptx_num::values::Marks;
use ptx_num::values::convert::FloatLayout;
use ptx_num::values::float::{double, single};
use std::cmp::Ordering;

/// Whether a value adapts its type to the other operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeFirmness {
    /// It does not: the type is that of a register or of memory.
    Firm,
    /// It does: a number in decimal digits takes the type of the other operand.
    Number,
    /// It does: a number in other digits. A cast takes it as bits.
    Bits,
}

/// A value with what operations need to know about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypedOperand {
    pub value: TypedValue,
    pub hold: TypeFirmness,
    /// If the value is an address in a state space: the state space.
    pub area: Option<Area>,
    /// If the value is an address: the type of the value in memory.
    pub pointee: Option<&'static TypeInfo>,
}

impl TypedOperand {
    pub(super) fn plain(value: TypedValue) -> Self {
        Self { value, hold: TypeFirmness::Firm, area: None, pointee: None }
    }

    pub(super) fn truth(value: bool) -> Self {
        Self::plain(TypedValue::new(".pred", value.into()))
    }

    fn bits(&self) -> u128 {
        self.value.bits
    }

    /// The value of an integer; values of 128 bits may be truncated.
    fn integer(&self) -> i128 {
        let (meaning, width) = meaning(self.value.ty);
        match meaning {
            TypeMeaning::Integer { signed: false } | TypeMeaning::Truth => self.bits() as i128,
            _ => signed(self.bits(), width),
        }
    }

    /// The numeric value, rounded to the nearest f64.
    fn number(&self) -> f64 {
        match meaning(self.value.ty) {
            (TypeMeaning::Float(element), _) => element.value(self.bits()),
            (TypeMeaning::Integer { signed: false } | TypeMeaning::Truth, _) => self.bits() as f64,
            _ => self.integer() as f64,
        }
    }

    fn is_float(&self) -> bool {
        matches!(meaning(self.value.ty).0, TypeMeaning::Float(_))
    }

    fn is_packed(&self) -> bool {
        matches!(meaning(self.value.ty).0, TypeMeaning::Packed(..))
    }

    fn is_loose(&self) -> bool {
        self.hold != TypeFirmness::Firm
    }

    /// How error messages name the operand.
    fn words(&self) -> String {
        if self.is_loose() { "a number".to_owned() } else { format!("`{}`", self.value.ty) }
    }
}

/// The integer type with `width` bits.
fn of_width(width: u32, kind: IntegerKind) -> &'static str {
    let letter = match kind {
        IntegerKind::Signed if width < 128 => 's',
        IntegerKind::Unsigned if width < 128 => 'u',
        _ => 'b',
    };
    ISA.ty(&format!(".{letter}{width}")).map_or(".b32", |t| t.name)
}

/// The interpretation of integers in an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IntegerKind {
    Signed,
    Unsigned,
    /// Untyped: signed, except for right shifts.
    Bits,
}

/// The type to which both operands of an operation are converted.
enum CommonType {
    Truth,
    Single,
    Double,
    Whole(u32, IntegerKind),
}

fn common(sign: &str, a: &TypedOperand, b: &TypedOperand) -> Result<CommonType, String> {
    for operand in [a, b] {
        if operand.is_packed() {
            let ty = operand.value.ty;
            return Err(format!("`{sign}` takes one number, but `{ty}` holds several: take its bits, as in `:b32`"));
        }
    }
    if a.is_float() || b.is_float() {
        let double = |o: &TypedOperand| o.is_float() && !o.is_loose() && o.value.ty == ".f64";
        let firm = |o: &TypedOperand| o.is_float() && !o.is_loose();
        return Ok(if double(a) || double(b) || !(firm(a) || firm(b)) {
            CommonType::Double
        } else {
            CommonType::Single
        });
    }
    let truth = |o: &TypedOperand| meaning(o.value.ty).0 == TypeMeaning::Truth;
    if truth(a) && truth(b) {
        return Ok(CommonType::Truth);
    }
    let width = |o: &TypedOperand| meaning(o.value.ty).1.next_power_of_two().max(32);
    let kind = |o: &TypedOperand| match meaning(o.value.ty).0 {
        TypeMeaning::Integer { signed: true } | TypeMeaning::Truth => IntegerKind::Signed,
        TypeMeaning::Integer { signed: false } => IntegerKind::Unsigned,
        _ => IntegerKind::Bits,
    };
    // A literal takes the width of the other operand if it fits.
    let fits = |number: &TypedOperand, width: u32| {
        let value = number.integer();
        width >= 64 || (value >= -(1 << (width - 1)) && value < 1 << width)
    };
    let (wide, all) = match (a.is_loose(), b.is_loose()) {
        (true, false) => (if fits(a, width(b)) { width(b) } else { 64 }, [Some(kind(b)), None]),
        (false, true) => (if fits(b, width(a)) { width(a) } else { 64 }, [Some(kind(a)), None]),
        _ => (width(a).max(width(b)), [Some(kind(a)), Some(kind(b))]),
    };
    let unsigned_number = |o: &TypedOperand| o.is_loose() && kind(o) == IntegerKind::Unsigned;
    let mut kinds = all.into_iter().flatten();
    let first = kinds.next().unwrap_or(IntegerKind::Signed);
    let second = kinds.next().unwrap_or(first);
    let whole = match (first, second) {
        _ if unsigned_number(a) || unsigned_number(b) => IntegerKind::Unsigned,
        (x, y) if x == y => x,
        (IntegerKind::Unsigned, other) | (other, IntegerKind::Unsigned) => {
            // As in C: the wider type decides; if both have the same width, unsigned.
            let unsigned = if first == IntegerKind::Unsigned { width(a) } else { width(b) };
            if unsigned == wide || other == IntegerKind::Bits { IntegerKind::Unsigned } else { IntegerKind::Signed }
        }
        _ => IntegerKind::Signed,
    };
    Ok(CommonType::Whole(wide, whole))
}

/// A number as a value of `.f32` or `.f64`. The bits of the processor's NaN depend on the processor, so those of PTX replace them.
fn float_bits(value: f64, ty: &'static str) -> TypedValue {
    let bits = match (ty == ".f64", value.is_nan()) {
        (true, true) => double::NAN.into(),
        (true, false) => value.to_bits().into(),
        (false, true) => single::NAN.into(),
        (false, false) => (value as f32).to_bits().into(),
    };
    TypedValue::new(ty, bits)
}

/// The result of an operator of arithmetic.
fn arithmetic(operator: BinaryOperator, x: f64, y: f64) -> f64 {
    match operator {
        BinaryOperator::Add => x + y,
        BinaryOperator::Sub => x - y,
        BinaryOperator::Mul => x * y,
        BinaryOperator::Div => x / y,
        _ => fmod(x, y),
    }
}

/// The result of a binary operation.
pub(super) fn binary(operator: BinaryOperator, a: &TypedOperand, b: &TypedOperand) -> Result<TypedOperand, String> {
    let sign = operator.sign();
    let compares = matches!(
        operator,
        BinaryOperator::Equal
            | BinaryOperator::Unequal
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
    );
    let whole_only = matches!(
        operator,
        BinaryOperator::BitOr
            | BinaryOperator::BitXor
            | BinaryOperator::BitAnd
            | BinaryOperator::Left
            | BinaryOperator::Right
    );
    let mut out = if matches!(operator, BinaryOperator::Equal | BinaryOperator::Unequal)
        && a.is_packed()
        && a.value.ty == b.value.ty
    {
        TypedOperand::truth((a.bits() == b.bits()) == (operator == BinaryOperator::Equal))
    } else if matches!(operator, BinaryOperator::Left | BinaryOperator::Right) {
        shift(operator, a, b)?
    } else {
        let common = common(sign, a, b)?;
        if whole_only && matches!(common, CommonType::Single | CommonType::Double) {
            let found = if a.is_float() { a } else { b };
            let hint = "take its bits, as in `:b32`";
            return Err(format!("`{sign}` takes whole numbers, but {} was found: {hint}", found.words()));
        }
        match common {
            _ if compares => TypedOperand::truth(compare(operator, &common, a, b)),
            CommonType::Truth
                if matches!(operator, BinaryOperator::BitOr | BinaryOperator::BitXor | BinaryOperator::BitAnd) =>
            {
                let (x, y) = (a.bits(), b.bits());
                TypedOperand::truth(integer_bits(operator, x, y) & 1 != 0)
            }
            // Rounding the result of two `.f32` in `.f64` once more is rounding it once.
            CommonType::Single => {
                let (x, y) = (a.number() as f32, b.number() as f32);
                TypedOperand::plain(float_bits(arithmetic(operator, x.into(), y.into()), ".f32"))
            }
            CommonType::Double => TypedOperand::plain(float_bits(arithmetic(operator, a.number(), b.number()), ".f64")),
            CommonType::Truth => whole(operator, 32, IntegerKind::Signed, a, b)?,
            CommonType::Whole(width, kind) => whole(operator, width, kind, a, b)?,
        }
    };
    out.value.known = a.value.known && b.value.known;
    out.value.marks = a.value.marks | b.value.marks;
    if a.is_loose() && b.is_loose() && !compares {
        out.hold = TypeFirmness::Number;
    }
    // An address plus or minus an integer is an address.
    let address = match operator {
        BinaryOperator::Add => {
            [a, b].into_iter().filter(|o| o.area.is_some() || o.pointee.is_some()).collect::<Vec<_>>()
        }
        BinaryOperator::Sub if b.area.is_none() && b.pointee.is_none() => vec![a],
        _ => Vec::new(),
    };
    if let [one] = address.as_slice() {
        (out.area, out.pointee) = (one.area, one.pointee);
    }
    Ok(out)
}

fn compare(operator: BinaryOperator, common: &CommonType, a: &TypedOperand, b: &TypedOperand) -> bool {
    let order = match common {
        CommonType::Single => (a.number() as f32).partial_cmp(&(b.number() as f32)),
        CommonType::Double => a.number().partial_cmp(&b.number()),
        CommonType::Truth => a.bits().partial_cmp(&b.bits()),
        CommonType::Whole(width, kind) => {
            let (x, y) = (low(a.integer() as u128, *width), low(b.integer() as u128, *width));
            if *kind == IntegerKind::Unsigned {
                x.partial_cmp(&y)
            } else {
                signed(x, *width).partial_cmp(&signed(y, *width))
            }
        }
    };
    match operator {
        BinaryOperator::Equal => order == Some(Ordering::Equal),
        BinaryOperator::Unequal => order != Some(Ordering::Equal),
        BinaryOperator::Less => order == Some(Ordering::Less),
        BinaryOperator::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinaryOperator::Greater => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn integer_bits(operator: BinaryOperator, x: u128, y: u128) -> u128 {
    match operator {
        BinaryOperator::BitOr => x | y,
        BinaryOperator::BitXor => x ^ y,
        BinaryOperator::BitAnd => x & y,
        BinaryOperator::Add => x.wrapping_add(y),
        BinaryOperator::Sub => x.wrapping_sub(y),
        _ => x.wrapping_mul(y),
    }
}

/// The result of an operation on integers of `width` bits; it wraps around.
fn whole(
    operator: BinaryOperator,
    width: u32,
    kind: IntegerKind,
    a: &TypedOperand,
    b: &TypedOperand,
) -> Result<TypedOperand, String> {
    let (x, y) = (low(a.integer() as u128, width), low(b.integer() as u128, width));
    let bits = match operator {
        BinaryOperator::Div | BinaryOperator::Rem if y == 0 => return Err("a number is divided by zero".to_owned()),
        BinaryOperator::Div | BinaryOperator::Rem if kind == IntegerKind::Unsigned => {
            if operator == BinaryOperator::Div { x / y } else { x % y }
        }
        BinaryOperator::Div => signed(x, width).wrapping_div(signed(y, width)) as u128,
        BinaryOperator::Rem => signed(x, width).wrapping_rem(signed(y, width)) as u128,
        _ => integer_bits(operator, x, y),
    };
    Ok(TypedOperand::plain(TypedValue::new(of_width(width, kind), bits)))
}

/// The result of a shift, which has the width of the shifted value. Vacated bits are filled with zeros or copies of the sign.
fn shift(operator: BinaryOperator, a: &TypedOperand, b: &TypedOperand) -> Result<TypedOperand, String> {
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
        return Err(format!("a value is shifted by {by}: the distance must not be negative"));
    }
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let negative = shape == TypeMeaning::Integer { signed: true } && a.integer() < 0;
    let x = low(a.integer() as u128, width);
    let bits = match operator {
        BinaryOperator::Left => x.checked_shl(by).unwrap_or(0),
        _ if negative => (signed(x, width) >> by.min(127)) as u128,
        _ => x.checked_shr(by).unwrap_or(0),
    };
    let kind = match shape {
        TypeMeaning::Integer { signed: true } | TypeMeaning::Truth => IntegerKind::Signed,
        TypeMeaning::Integer { signed: false } => IntegerKind::Unsigned,
        _ => IntegerKind::Bits,
    };
    Ok(TypedOperand::plain(TypedValue::new(of_width(width, kind), bits)))
}

/// The result of a unary operation.
pub(super) fn unary(operator: UnaryOperator, a: &TypedOperand) -> Result<TypedOperand, String> {
    let (shape, width) = meaning(a.value.ty);
    let sign = match operator {
        UnaryOperator::Not => "!",
        UnaryOperator::Minus => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::Complement => "~",
    };
    let wide = width.next_power_of_two().max(32);
    let mut out = match (operator, shape) {
        (UnaryOperator::Not, _) => TypedOperand::truth(!a.value.is_true()),
        (_, TypeMeaning::Packed(..)) => {
            return Err(format!(
                "`{sign}` takes one number, but `{}` holds several: take its bits, as in `:b32`",
                a.value.ty
            ));
        }
        (UnaryOperator::Complement, TypeMeaning::Float(_)) => {
            return Err(format!("`~` takes whole numbers, but {} was found: take its bits, as in `:b32`", a.words()));
        }
        (UnaryOperator::Complement, TypeMeaning::Truth) => TypedOperand::truth(a.bits() == 0),
        (UnaryOperator::Minus, TypeMeaning::Float(element)) => {
            let flipped = a.bits() ^ 1 << (element.bits() - 1);
            TypedOperand { value: TypedValue::new(a.value.ty, flipped), ..*a }
        }
        (UnaryOperator::Plus, TypeMeaning::Float(_)) => *a,
        _ => {
            let x = a.integer() as u128;
            let bits = match operator {
                UnaryOperator::Minus => x.wrapping_neg(),
                UnaryOperator::Complement => !x,
                _ => x,
            };
            let kind = match shape {
                TypeMeaning::Integer { signed: false } => IntegerKind::Unsigned,
                TypeMeaning::Integer { signed: true } | TypeMeaning::Truth => IntegerKind::Signed,
                _ => IntegerKind::Bits,
            };
            TypedOperand::plain(TypedValue::new(of_width(wide, kind), low(bits, wide)))
        }
    };
    (out.value.marks, out.value.known) = (a.value.marks, a.value.known);
    if a.is_loose() && operator != UnaryOperator::Not {
        out.hold = TypeFirmness::Number;
    }
    if operator == UnaryOperator::Plus {
        (out.area, out.pointee) = (a.area, a.pointee);
    }
    Ok(out)
}

/// The bits of a value as another type. A decimal literal, which has no type yet, is converted to the type.
pub(super) fn cast(a: &TypedOperand, ty: &'static TypeInfo) -> Result<TypedOperand, String> {
    if a.hold == TypeFirmness::Number {
        return convert(a, ty);
    }
    let ((from, have), (to, want)) = (meaning(a.value.ty), meaning(ty.name));
    let bits = match (from, to) {
        (_, TypeMeaning::Truth) => u128::from(a.value.is_true()),
        (TypeMeaning::Integer { signed: true }, TypeMeaning::Integer { .. } | TypeMeaning::Bits) => {
            low(signed(a.bits(), have) as u128, want)
        }
        (_, TypeMeaning::Float(_) | TypeMeaning::Packed(..)) if want > have && a.hold == TypeFirmness::Firm => {
            let name = a.value.ty;
            return Err(format!("`{}` has {want} bits, but `{name}` has only {have}", ty.name));
        }
        _ => low(a.bits(), want),
    };
    let value = TypedValue { ty: ty.name, bits, ..a.value };
    Ok(TypedOperand { value, hold: TypeFirmness::Firm, area: a.area, pointee: None })
}

/// Converts a value to another type. Conversion from floating-point to integer types truncates toward zero and saturates; conversion to
/// floating-point types rounds to nearest.
pub(super) fn convert(a: &TypedOperand, ty: &'static TypeInfo) -> Result<TypedOperand, String> {
    let (to, want) = meaning(ty.name);
    if a.is_packed() && to != meaning(a.value.ty).0 {
        return Err(format!("`{}` takes one number, but `{}` holds several", ty.name, a.value.ty));
    }
    let bits = match to {
        TypeMeaning::Truth => u128::from(a.value.is_true()),
        TypeMeaning::Float(element) => encode(a.number(), element)?,
        TypeMeaning::Packed(..) if a.is_packed() => a.bits(),
        TypeMeaning::Packed(..) => {
            return Err(format!(
                "`{}` holds several numbers: give its bits, as in `0x…:{}`",
                ty.name,
                ty.name.trim_start_matches('.')
            ));
        }
        TypeMeaning::Integer { signed: true } if a.is_float() => {
            let unused = 128 - want.clamp(1, 128);
            low((a.number() as i128).clamp(i128::MIN >> unused, i128::MAX >> unused) as u128, want)
        }
        _ if a.is_float() => (a.number() as u128).min(u128::MAX >> (128 - want.clamp(1, 128))),
        _ => low(a.integer() as u128, want),
    };
    let value = TypedValue { ty: ty.name, bits: low(bits, want), ..a.value };
    Ok(TypedOperand { value, hold: TypeFirmness::Firm, area: a.area, pointee: None })
}

fn encode(value: f64, element: ElementFormat) -> Result<u128, String> {
    match element.kind() {
        ElementKind::Float(float) => {
            Ok(float.encode(FloatLayout::F64.decode(value.to_bits()), false) << element.padding())
        }
        _ => Number::Float(value).encode(element),
    }
}

/// The combined marks of the values of several lanes.
pub(super) fn together(marks: impl Iterator<Item = Marks>) -> Marks {
    marks.fold(Marks::NONE, |all, one| all | one)
}
