//! Fills: buffer contents that are computed from the index of each element.

use super::random;
use ptx_num::notation::{ElementFormat, ElementKind, Number};
use ptx_num::values::convert::quick::{NEAREST, integral_f64};
use ptx_num::values::convert::{FloatLayout, NumberClass};
use std::fmt::{self, Display};

/// A rule for the contents of a buffer, initial or expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fill {
    /// All bits are 0.
    Zero,
    /// `start + index × step`. Integers in integer formats wrap around; everything else is computed in f64 and rounded once.
    Iota {
        /// The value of element 0.
        start: Number,
        /// The difference between successive elements.
        step: Number,
    },
    /// The same number in all elements.
    Const(Number),
    /// Uniformly distributed from `low` to `high`, `high` excluded.
    Uniform {
        /// `low` and `high`. Without them: 0 to 1; for integer formats all values.
        bounds: Option<(Number, Number)>,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// Normally distributed, rounded to the format.
    Normal {
        /// The mean value.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// The canonical NaN.
    Nan,
    /// Never written: reading it is a finding.
    Poison,
}

/// The name of each fill, and its optional arguments.
pub const SPELLINGS: &[(&str, &str)] = &[
    ("zero", ""),
    ("iota", "(start, step)"),
    ("const", "(value)"),
    ("uniform", "(low, high, seed=0)"),
    ("normal", "(mean, deviation, seed=0)"),
    ("nan", ""),
    ("poison", ""),
];

impl Fill {
    /// 0, 1, 2, …
    pub const IOTA: Self = Self::Iota {
        start: Number::Integer { negative: false, magnitude: 0 },
        step: Number::Integer { negative: false, magnitude: 1 },
    };

    /// Why the fill is not possible for an element format, as a message; `None` if it is.
    pub fn mistake(&self, element: ElementFormat) -> Option<String> {
        let whole = !matches!(element.kind(), ElementKind::Float(_));
        let name = element.name();
        let number = |number: Number| {
            let fractional = number.whole().is_none();
            (whole && fractional)
                .then(|| format!("`{number}` is not a whole number, but `{name}` holds only whole numbers"))
        };
        match *self {
            Self::Zero | Self::Poison => None,
            Self::Iota { start, step } => number(start).or_else(|| number(step)),
            Self::Const(value) => value.encode(element).err(),
            Self::Uniform { bounds: None, .. } => None,
            Self::Uniform { bounds: Some((low, high)), .. } => number(low).or_else(|| number(high)).or_else(|| {
                let ordered = low.value() < high.value();
                (!ordered).then(|| format!("`uniform` needs an upper bound above the lower one, not {low} and {high}"))
            }),
            Self::Normal { mean, deviation, .. } => {
                let fine = mean.is_finite() && deviation.is_finite() && deviation >= 0.0;
                (!fine).then(|| "`normal` takes a mean and a non-negative deviation".to_owned())
            }
            Self::Nan => element.nan().is_none().then(|| format!("`{name}` has no NaN")),
        }
    }

    /// The value of an element, independent of a format. Integers that f64 cannot represent are rounded.
    pub fn number(&self, index: u64) -> f64 {
        match *self {
            Self::Zero | Self::Poison => 0.0,
            Self::Iota { start, step } => start.value() + index as f64 * step.value(),
            Self::Const(value) => value.value(),
            Self::Uniform { bounds, seed } => {
                let (low, high) = bounds.map_or((0.0, 1.0), |(low, high)| (low.value(), high.value()));
                let value = low + (high - low) * random::unit(seed, index);
                // Rounding could yield the excluded upper bound.
                if value < high { value } else { high.next_down() }
            }
            Self::Normal { mean, deviation, seed } => mean + deviation * random::normal(seed, index),
            Self::Nan => f64::NAN,
        }
    }

    /// The bits of an element, for a format without a [`mistake`](Self::mistake).
    pub fn bits(&self, element: ElementFormat, index: u64) -> u128 {
        let mask = element.mask();
        match (*self, element.kind()) {
            (Self::Zero | Self::Poison, _) => 0,
            (Self::Const(value), _) => value.encode(element).unwrap_or(0),
            (Self::Nan, _) => element.nan().unwrap_or(0),
            (_, ElementKind::Float(float)) => {
                let real = FloatLayout::F64.decode(self.number(index).to_bits());
                let code = float.encode(real, false);
                // As `.satfinite` does it: a fill with numbers has no infinities.
                let over = real.class == NumberClass::Finite && float.decode(code as u64).class != NumberClass::Finite;
                let over = over && float.decode(code as u64).class != NumberClass::Zero;
                (if over { float.encode(real, true) } else { code }) << element.padding()
            }
            (Self::Iota { start, step }, _) => {
                let whole =
                    |n: Number| n.whole().map_or(0, |(negative, n)| if negative { n.wrapping_neg() } else { n });
                whole(start).wrapping_add(whole(step).wrapping_mul(index.into())) & mask
            }
            (Self::Uniform { bounds: None, seed }, _) => random::bits(seed, index) & mask,
            (Self::Uniform { bounds: Some((low, high)), seed }, _) => {
                let whole =
                    |n: Number| n.whole().map_or(0, |(negative, n)| if negative { n.wrapping_neg() } else { n });
                let span = whole(high).wrapping_sub(whole(low));
                whole(low).wrapping_add(scaled(random::bits(seed, index), span)) & mask
            }
            (Self::Normal { .. }, kind) => {
                let value = integral_f64::<NEAREST>(self.number(index));
                let most = if kind == (ElementKind::Integer { signed: true }) { mask >> 1 } else { mask };
                if value >= 0.0 {
                    (value as u128).min(most)
                } else if kind == (ElementKind::Integer { signed: false }) {
                    0
                } else {
                    ((-value) as u128).min((mask >> 1) + 1).wrapping_neg() & mask
                }
            }
        }
    }

    /// The bytes of `count` elements.
    pub fn bytes(&self, element: ElementFormat, count: u64) -> Vec<u8> {
        let size = element.bytes(count).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let mut out = vec![0; size];
        if !matches!(self, Self::Zero | Self::Poison) {
            (0..count).for_each(|index| element.put(&mut out, index, self.bits(element, index)));
        }
        out
    }
}

/// A random number below `span`, from 128 random bits.
fn scaled(bits: u128, span: u128) -> u128 {
    // The upper 64 bits, multiplied by the span and shifted: uniform to 2⁻⁶⁴ of the span. Larger spans use the remainder of all bits.
    match u64::try_from(span) {
        Ok(span) => ((bits >> 64) * u128::from(span)) >> 64,
        Err(_) => bits % span,
    }
}

impl Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeded = |f: &mut fmt::Formatter<'_>, seed: u64| match seed {
            0 => f.write_str(")"),
            seed => write!(f, ",seed={seed})"),
        };
        match self {
            Self::Zero => f.write_str("zero"),
            iota if *iota == Self::IOTA => f.write_str("iota"),
            Self::Iota { start, step } => write!(f, "iota({start},{step})"),
            Self::Const(value) => write!(f, "const({value})"),
            Self::Uniform { bounds: None, seed: 0 } => f.write_str("uniform"),
            Self::Uniform { bounds: None, seed } => write!(f, "uniform(seed={seed})"),
            Self::Uniform { bounds: Some((low, high)), seed } => {
                write!(f, "uniform({low},{high}")?;
                seeded(f, *seed)
            }
            Self::Normal { mean, deviation, seed } => {
                write!(f, "normal({mean:?},{deviation:?}")?;
                seeded(f, *seed)
            }
            Self::Nan => f.write_str("nan"),
            Self::Poison => f.write_str("poison"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ElementFormat, Fill, Number};

    fn texts(fill: Fill, element: &str, count: u64) -> Vec<String> {
        let element = ElementFormat::named(element).unwrap();
        assert_eq!(fill.mistake(element), None);
        let bytes = fill.bytes(element, count);
        (0..count).map(|i| element.text(element.get(&bytes, i).unwrap())).collect()
    }

    fn iota(start: &str, step: &str) -> Fill {
        let number = |text| Number::parse(text).unwrap().0;
        Fill::Iota { start: number(start), step: number(step) }
    }

    #[test]
    fn counting() {
        assert_eq!(texts(Fill::IOTA, "f32", 3), ["0.0", "1.0", "2.0"]);
        assert_eq!(texts(iota("-20", "1"), "s32", 2), ["-20", "-19"]);
        assert_eq!(texts(iota("254", "1"), "u8", 4), ["254", "255", "0", "1"]);
        assert_eq!(texts(iota("99", "-1"), "s8", 2), ["99", "98"]);
        assert_eq!(texts(iota("-3", "0.75"), "f16", 3), ["-3.0", "-2.25", "-1.5"]);
        assert_eq!(texts(iota("0x10", "0x10"), "u32", 2), ["16", "32"]);
        assert_eq!(texts(Fill::IOTA, "e2m1", 4), ["0.0", "1.0", "2.0", "3.0"]);
        assert_eq!(texts(iota("65500", "100"), "f16", 2), ["65504.0", "65504.0"]);
        assert!(
            iota("0", "0.5")
                .mistake(ElementFormat::named("u32").unwrap())
                .unwrap()
                .contains("`0.5` is not a whole number")
        );
    }

    #[test]
    fn random_numbers_stay_in_their_bounds() {
        let uniform = |low: i64, high: i64| Fill::Uniform {
            bounds: Some((Number::integer(low), Number::integer(high))),
            seed: 7,
        };
        for (element, low, high) in [("f32", -1, 1), ("s8", -3, 4), ("u64", 5, 6), ("bf16", 0, 1), ("s64", -9, 9)] {
            let fill = uniform(low, high);
            let element = ElementFormat::named(element).unwrap();
            let values: Vec<f64> = (0..500).map(|i| element.value(fill.bits(element, i))).collect();
            assert!(values.iter().all(|v| (low as f64..=high as f64).contains(v)), "{element} {values:?}");
            let distinct: std::collections::BTreeSet<u64> = values.iter().map(|v| v.to_bits()).collect();
            assert!(distinct.len() as i64 >= (high - low).min(100), "{element}");
            if !element.name().contains('f') {
                assert!(values.iter().all(|v| *v < high as f64));
            }
        }
        let any = Fill::Uniform { bounds: None, seed: 0 };
        let u128s: std::collections::BTreeSet<u128> =
            (0..100).map(|i| any.bits(ElementFormat::of_bits(128), i)).collect();
        assert_eq!(u128s.len(), 100);
        let normal = Fill::Normal { mean: 0.0, deviation: 1000.0, seed: 3 };
        let s8 = ElementFormat::named("s8").unwrap();
        let values: Vec<f64> = (0..100).map(|i| s8.value(normal.bits(s8, i))).collect();
        assert!(values.contains(&-128.0) && values.contains(&127.0), "{values:?}");
    }

    #[test]
    fn what_cannot_be() {
        let words = |fill: Fill, element: &str| fill.mistake(ElementFormat::named(element).unwrap()).unwrap();
        assert_eq!(words(Fill::Nan, "u32"), "`u32` has no NaN");
        assert_eq!(words(Fill::Const(Number::integer(300)), "u8"), "`300` does not fit into `u8`");
        let backwards = Fill::Uniform { bounds: Some((Number::integer(1), Number::integer(1))), seed: 0 };
        assert!(words(backwards, "f32").starts_with("`uniform` needs an upper bound above the lower one"));
    }
}
