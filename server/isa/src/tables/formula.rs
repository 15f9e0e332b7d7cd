//! Evaluates formulas for lengths that depend on modifiers.

use super::{Factor, Formula};

/// A dimension of a shape: `m`, `n`, `k` of `.m16n8k16`, `rows`, `width` of `.16x64b`.
pub fn dimension(shape: &str, name: &str) -> Option<u32> {
    let shape = shape.strip_prefix('.')?;
    let rest = match name {
        "rows" => shape,
        "width" => shape.split_once('x').filter(|s| s.1.ends_with(|c: char| !c.is_ascii_digit()))?.1,
        _ => shape.strip_prefix(|c: char| c == 'm').and(shape.split_once(name))?.1,
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest[..digits].parse().ok()
}

impl Formula {
    /// Its value for the modifiers in the slots; `types` returns the size of a type in bits.
    pub fn value(&self, values: &[Option<&str>], types: impl Fn(&str) -> Option<u32>) -> Option<u32> {
        let slot = |slot: u8| values.get(usize::from(slot)).copied().flatten();
        let mut product = 1u32;
        for factor in self.factors {
            product = product.checked_mul(match factor {
                Factor::Number(n) => (*n).into(),
                Factor::Slot(s) => slot(*s)?.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
                Factor::Bits(s) => types(slot(*s)?)?,
                Factor::Dimension(d) => dimension(slot(d.slot)?, d.name)?,
            })?;
        }
        Some(product / self.divisor)
    }
}

impl Formula {
    /// The formula as written in the notation; `slot` returns the name of a slot.
    pub fn text(&self, slot: impl Fn(u8) -> &'static str) -> String {
        let factors = self.factors.iter().map(|factor| match factor {
            Factor::Number(n) => n.to_string(),
            Factor::Slot(s) => slot(*s).to_owned(),
            Factor::Bits(s) => format!("bits({})", slot(*s)),
            Factor::Dimension(d) => d.name.to_owned(),
        });
        let product = factors.collect::<Vec<_>>().join("*");
        if self.divisor == 1 { product } else { format!("{product}/{}", self.divisor) }
    }
}
