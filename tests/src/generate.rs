//! Generates operands that match a form, and assembles instructions from them.

use ptx_isa::ISA;
use ptx_isa::tables::{Form, OperandAccess, TypeClass, ValueKind};
use ptx_sema::forms::spec::{OperandPattern, OperandSpec, OperandVariant};

/// A small random number generator, independent of library versions, so that generated cases never change.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed, made odd so that it is not zero.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// The modifiers of a combination, in the form's order. [`operands`] writes the modifiers that follow an operand.
pub fn modifiers(form: &Form, values: &[Option<&'static str>]) -> Vec<&'static str> {
    let before = form.slots.iter().zip(values).filter(|(slot, _)| slot.after_operand == 0);
    before.filter_map(|(_, value)| *value).collect()
}

/// Operands that match a variant.
pub fn operands(form: &Form, values: &[Option<&'static str>], variant: &OperandVariant) -> Vec<String> {
    let mut out = Vec::new();
    let kind =
        |shape: &OperandPattern| if let OperandPattern::Value(spec) = shape { Some(spec.value.kind) } else { None };
    // In a call with a list of targets, the function is in a register.
    let indirect = variant.operands.iter().any(|(_, shape)| kind(shape) == Some(ValueKind::Targets));
    for (place, (index, shape)) in variant.operands.iter().enumerate() {
        let after = form.slots.iter().zip(values).filter(|(slot, _)| slot.after_operand == index + 1);
        let suffix: String = after.filter_map(|(_, value)| *value).collect();
        let mut text = match kind(shape) {
            Some(ValueKind::Function) if indirect => "%rd7".to_owned(),
            _ => good(shape, place),
        };
        if !suffix.is_empty() && text.starts_with('[') {
            // `.unified` requires a variable declared with it, or a register.
            text = "[%rd7]".to_owned();
        }
        text.push_str(&suffix);
        out.push(text);
    }
    out
}

/// The text of a statement.
pub fn print(word: &str, modifiers: &[&str], operands: &[String]) -> String {
    let space = if operands.is_empty() { "" } else { " " };
    format!("{word}{}{space}{};", modifiers.concat(), operands.join(", "))
}

/// An operand that matches a pattern.
fn good(shape: &OperandPattern, place: usize) -> String {
    match shape {
        OperandPattern::Value(spec) => value(spec, place),
        OperandPattern::Pair(both) => format!("{}|{}", value(&both.0, place), value(&both.1, place + 1)),
        OperandPattern::Address(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|s| if matches!(s.value.kind, ValueKind::Address(_)) { base(s) } else { value(s, place) })
                .collect();
            format!("[{}]", parts.join(", "))
        }
        OperandPattern::Arguments(_) => "()".to_owned(),
        OperandPattern::Sink => "_".to_owned(),
    }
}

fn base(spec: &OperandSpec) -> String {
    match spec.spaces.and_then(|s| s.first()).copied() {
        Some(space) if space.starts_with(".shared") => "sm",
        Some(".const") => "cn",
        Some(".local") => "lm",
        Some(".param::func") => "lp",
        // The parameters of a kernel are read-only.
        Some(".param") if spec.value.access != OperandAccess::Read => "lp",
        Some(".param" | ".param::entry") => "q",
        _ => "gl",
    }
    .to_owned()
}

fn value(spec: &OperandSpec, place: usize) -> String {
    match spec.value.kind {
        ValueKind::Label => return "L".to_owned(),
        ValueKind::Function => return "f".to_owned(),
        ValueKind::Targets if spec.value.symbol => return "P".to_owned(),
        ValueKind::Targets => return "T".to_owned(),
        ValueKind::Address(_) => return format!("[{}]", base(spec)),
        ValueKind::Opaque("samplerref") => return "sa".to_owned(),
        ValueKind::Opaque("surfref") => return "su".to_owned(),
        ValueKind::Opaque(_) => return "tx".to_owned(),
        _ => {}
    }
    if let Some(range) = spec.value.ranges.first()
        && spec.value.access == OperandAccess::Read
    {
        return range.high.min(range.low.max(0) + range.step * 2).to_string();
    }
    if spec.value.immediate_only {
        let float = spec.ty.is_some_and(|t| t.info().class == TypeClass::Float);
        return if float { "1.0" } else { "1" }.to_owned();
    }
    let Some(n) = spec.lengths.first() else { return register(spec, place) };
    let one = |i: usize| match spec.lead.filter(|_| i == 0) {
        Some(lead) => register(&OperandSpec { ty: Some(lead), ..*spec }, place),
        None => register(spec, i + place),
    };
    format!("{{{}}}", (0..usize::from(*n)).map(one).collect::<Vec<_>>().join(","))
}

fn register(spec: &OperandSpec, number: usize) -> String {
    let Some(ty) = spec.ty.map(|t| t.info()) else { return format!("%r{}", number % 40) };
    let ty = match ty.agrees.first().and_then(|name| ISA.ty(name)) {
        Some(agreed) if !ty.registers => agreed,
        _ => ty,
    };
    let (prefix, count) = match (ty.class, ty.bits) {
        (TypeClass::Pred, _) => ("%p", 8),
        (TypeClass::Float, 16) => ("%hf", 8),
        (TypeClass::Float, 32) => ("%f", 40),
        (TypeClass::Float, 64) => ("%d", 16),
        (TypeClass::Packed, 32) if ty.name == ".f16x2" => ("%hx", 8),
        (_, 8) => ("%c", 8),
        (_, 16) => ("%h", 16),
        (_, 64) => ("%rd", 16),
        (_, 128) => ("%q", 8),
        _ => ("%r", 40),
    };
    format!("{prefix}{}", number % count)
}
