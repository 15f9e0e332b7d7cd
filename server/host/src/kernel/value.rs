//! Values of operands, as a `ptx:` comment gives them.

use super::KernelRefusal;
use ptx_embed::Kind;

/// A whole number that depends on the lane: `start + step * lane`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LaneValue {
    /// The value of lane 0.
    pub start: i64,
    /// The difference between two lanes.
    pub step: i64,
}

/// The value of an operand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OperandValue {
    /// The value by lane, or the offset from the start of the memory to which the operand points.
    pub lane: Option<LaneValue>,
    /// A number that is not a whole number, as written.
    pub number: Option<String>,
    /// The contents of memory in the words of launches: `u32[64]:iota`. Or a list with an element for each lane: `[1,2]`.
    pub elements: Option<String>,
    /// Whether the operand is the address of that buffer. Otherwise lane i has its element i.
    pub is_memory: bool,
    /// The word of the comment.
    pub word: String,
}

impl OperandValue {
    /// Reads what stands behind `%1=`. `word` is the whole word.
    pub fn parse(word: &str, text: &str) -> Result<Self, String> {
        let out = Self { word: word.to_owned(), ..Self::default() };
        if text.starts_with('[') {
            return Ok(Self { elements: Some(text.to_owned()), ..out });
        }
        if let Some((ty, rest)) = text.split_once('[')
            && !ty.is_empty()
            && rest.contains("]:")
        {
            // A buffer, with an offset by lane behind it: `u32[64]:iota+lane*4`.
            let (elements, offset) = match rest.find("+lane") {
                Some(at) => (&text[..ty.len() + 1 + at], rest.get(at + 1..)),
                None => (text, None),
            };
            let lane = offset.map(LaneValue::parse).transpose()?;
            return Ok(Self { elements: Some(elements.to_owned()), is_memory: true, lane, ..out });
        }
        match LaneValue::parse(text) {
            Ok(lane) => Ok(Self { lane: Some(lane), ..out }),
            Err(_) if text.parse::<f64>().is_ok() || text.starts_with("0f") || text.starts_with("0d") => {
                Ok(Self { number: Some(text.to_owned()), ..out })
            }
            Err(why) => Err(why),
        }
    }

    /// The type of the elements of a buffer with this value, and its size in bytes, if it is not that of the operand's constraint:
    /// a register of bits may hold a negative number or a fraction.
    pub fn element(&self, kind: Kind) -> Option<(&'static str, usize)> {
        let is_negative = self.lane.as_ref().is_some_and(|lane| lane.start < 0 || lane.step < 0);
        Some(match (kind, self.number.is_some()) {
            (Kind::B16, true) => ("f16", 2),
            (Kind::B32, true) => ("f32", 4),
            (Kind::B64, true) => ("f64", 8),
            (Kind::B16, false) if is_negative => ("s16", 2),
            (Kind::B32, false) if is_negative => ("s32", 4),
            (Kind::B64, false) if is_negative => ("s64", 8),
            _ => return None,
        })
    }

    /// The number that all lanes have, for a buffer of an operand's type.
    pub fn written(&self, kind: Kind) -> String {
        match (&self.number, &self.lane) {
            (Some(number), _) => number.clone(),
            (None, Some(lane)) if matches!(kind, Kind::F32 | Kind::F64) => format!("{}.0", lane.start),
            (None, lane) => lane.as_ref().map_or(0, |lane| lane.start).to_string(),
        }
    }

    /// Why the operand cannot have this value.
    pub fn refused(&self, why: &str) -> KernelRefusal {
        KernelRefusal::Value { word: self.word.clone(), why: why.to_owned() }
    }
}

impl LaneValue {
    /// Reads a sum of numbers, `lane`, and products of both: `lane*4+16`.
    fn parse(text: &str) -> Result<Self, String> {
        let mut out = Self::default();
        let fail = || format!("`{text}` is not a number or a sum such as `lane*4+16`");
        let overflow = || format!("`{text}` is too large");
        let mut rest = text;
        let mut first = true;
        while !rest.is_empty() || first {
            let (sign, term) = match rest.strip_prefix('-') {
                Some(term) => (-1, term),
                None if first => (1, rest),
                None => (1, rest.strip_prefix('+').ok_or_else(fail)?),
            };
            first = false;
            let end = term.find(['+', '-']).unwrap_or(term.len());
            let (term, after) = term.split_at(end);
            let mut factor = 1_i64;
            let mut lanes = 0;
            for part in term.split('*') {
                if part == "lane" {
                    lanes += 1;
                } else {
                    factor = factor.checked_mul(number(part).ok_or_else(fail)?).ok_or_else(overflow)?;
                }
            }
            let place = match lanes {
                0 => &mut out.start,
                1 => &mut out.step,
                _ => return Err(fail()),
            };
            *place = place.checked_add(sign * factor).ok_or_else(overflow)?;
            rest = after;
        }
        Ok(out)
    }
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_lanes() {
        let lane = |text: &str| LaneValue::parse(text).map(|v| (v.start, v.step)).ok();
        assert_eq!(lane("lane*4+16"), Some((16, 4)));
        assert_eq!(lane("0x10-2*lane"), Some((16, -2)));
        assert_eq!((lane("lane"), lane("7"), lane("-lane")), (Some((0, 1)), Some((7, 0)), Some((0, -1))));
        assert_eq!((lane(""), lane("lane*lane"), lane("x"), lane("4+"), lane("4 5")), (None, None, None, None, None));
        assert_eq!(lane("9223372036854775807+1"), None);
    }

    #[test]
    fn buffers_and_numbers() {
        let of = |text: &str| OperandValue::parse(text, text).expect("a value");
        assert_eq!(of("1.5").written(Kind::F32), "1.5");
        assert_eq!(of("3").written(Kind::F32), "3.0");
        let memory = of("u32[64]:iota+lane*4");
        assert_eq!((memory.elements.as_deref(), memory.is_memory), (Some("u32[64]:iota"), true));
        assert_eq!(memory.lane, Some(LaneValue { start: 0, step: 4 }));
        assert!(OperandValue::parse("%0=y", "y").is_err());
    }
}
