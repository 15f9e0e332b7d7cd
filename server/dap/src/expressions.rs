//! Expressions over registers and memory, evaluated for all lanes of a frame at once; message templates that contain
//! expressions.

use super::handles::GroupFrame;
use super::memory::MemoryReference;
use super::values;
use ptx_interp::inspect;
use ptx_interp::inspect::expression::{self, Answer};
use ptx_interp::lanes::{LANES, LaneMask, lanes};
use ptx_interp::machine::{Machine, WarpId};
use ptx_num::notation::ElementFormat;
use ptx_num::values::Marks;
use std::fmt::Write;

/// Help text: the expressions that the console accepts.
pub const HELP: &str = "\
Anything else is an expression: %r4, %tid.x, out, [tile+8]:f32, shared:[%r1], %r4:f32, %r4@3 (lane 3), %r4@0..7, %r4@*,
+ - * / % & | ^ ~ << >> == != < <= > >= && || !, any(…), all(…), count(…), ballot(…)";

/// A parsed expression.
#[derive(Debug, Clone)]
pub struct DebugExpression {
    parsed: expression::Expression,
}

/// Where the value of an expression is stored.
#[derive(Debug, Clone)]
pub enum ValueLocation {
    /// In the register with this number.
    Register(u32),
    /// In memory.
    Memory(MemoryReference, ElementFormat),
}

/// The value of an expression in each lane.
#[derive(Debug, Clone)]
pub struct LaneValues {
    /// The type of the values.
    pub ty: String,
    /// The bytes of all lanes; a predicate has one bit per lane.
    pub bytes: Box<[u8]>,
    /// The lanes in which the expression was evaluated.
    pub mask: LaneMask,
    /// The lanes of `mask` in which it has a value.
    pub known: LaneMask,
    /// The lanes whose value the manual leaves unspecified.
    pub unspecified: LaneMask,
    /// The lanes whose value is an approximation.
    pub approximate: LaneMask,
    /// Where the value is stored, if the expression names a register or memory.
    pub place: Option<ValueLocation>,
}

impl LaneValues {
    /// Whether the value is known and equal in all lanes of `mask`.
    pub fn is_uniform(&self) -> bool {
        self.known == self.mask && values::is_uniform(&self.ty, &self.bytes, self.mask)
    }

    /// Collects the values of single lanes, each given as (lane index, value).
    fn of(found: &[(usize, inspect::TypedValue)]) -> Self {
        let ty = found.first().map_or(".b32", |(_, v)| v.ty);
        let bits = ElementFormat::named(ty).map_or_else(|| size_of(ty), ElementFormat::bits);
        let width = if ty == ".pred" { 0 } else { (bits.div_ceil(8) as usize).next_power_of_two().min(16) };
        let mut bytes = vec![0; if width == 0 { 4 } else { width * LANES }];
        let mut out = Self {
            ty: ty.to_owned(),
            bytes: Box::default(),
            mask: 0,
            known: 0,
            unspecified: 0,
            approximate: 0,
            place: None,
        };
        for (lane, value) in found {
            let bit = 1 << (lane % LANES);
            out.mask |= bit;
            out.known |= if value.known { bit } else { 0 };
            out.unspecified |= if value.marks.contains(Marks::UNSPECIFIED) { bit } else { 0 };
            out.approximate |= if value.marks.contains(Marks::APPROXIMATE) { bit } else { 0 };
            if width == 0 {
                bytes[lane % LANES / 8] |= u8::from(value.bits & 1 != 0) << (lane % 8);
            } else {
                let at = lane % LANES * width;
                bytes[at..at + width].copy_from_slice(&value.bits.to_le_bytes()[..width]);
            }
        }
        out.bytes = bytes.into();
        out
    }
}

/// The size in bits of a type that has no `Element`, from the digits in its name.
fn size_of(ty: &str) -> u32 {
    let digits: String = ty.chars().filter(char::is_ascii_digit).collect();
    match ty {
        _ if ty.contains('x') => 32,
        _ => digits.parse().unwrap_or(32),
    }
}

impl DebugExpression {
    /// Parses an expression.
    ///
    /// # Errors A message that says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let parsed = expression::parse(text).map_err(|mistake| mistake.message)?;
        Ok(Self { parsed })
    }

    /// The value of the expression in the lanes of a frame.
    ///
    /// # Errors A message, if the expression has no value in any lane.
    pub fn value(&self, machine: &Machine, frame: GroupFrame) -> Result<LaneValues, String> {
        let mut found: Vec<(usize, inspect::TypedValue)> = Vec::new();
        let mut wrong = None;
        // A warp that has ended has no lanes, but constants still have a value: evaluate them in lane 0.
        let mask = if frame.mask == 0 { 1 } else { frame.mask };
        for lane in lanes(mask) {
            let GroupFrame { target, group, depth, .. } = frame;
            match expression::evaluate(&self.parsed, machine, target, group, depth, lane) {
                Ok(Answer::One(value)) => found.push((lane, value)),
                // The expression selects its lanes itself.
                Ok(Answer::Lanes(all)) => {
                    found = all;
                    break;
                }
                Err(why) => wrong = wrong.or(Some(why)),
            }
        }
        if let Some(why) = wrong.filter(|_| found.is_empty()) {
            return Err(why);
        }
        // `@lane` in the expression gives the same value in every lane: keep one, and attribute it to the lane that was
        // selected.
        if let Some((lane, last)) = self.parsed.lanes()
            && lane == last
            && let Some((own, _)) = found.first_mut()
        {
            *own = lane;
            found.truncate(1);
        }
        let mut out = LaneValues::of(&found);
        out.place = self.place(machine, frame, &out);
        Ok(out)
    }

    /// Where the value is stored, if the expression names a register or memory.
    fn place(&self, machine: &Machine, frame: GroupFrame, value: &LaneValues) -> Option<ValueLocation> {
        let lane = value.mask.trailing_zeros() as usize % LANES;
        let GroupFrame { target, group, depth, .. } = frame;
        match expression::place(&self.parsed, machine, target, group, depth, lane)? {
            expression::ValuePlace::Register(slot) => Some(ValueLocation::Register(slot)),
            expression::ValuePlace::Memory { address, ty } => {
                Some(ValueLocation::Memory(MemoryReference { target, lane, address }, ElementFormat::named(ty)?))
            }
        }
    }

    /// Whether the expression selects its lanes itself, as `%r4@3` does.
    pub fn selects(&self) -> bool {
        self.parsed.lanes().is_some()
    }

    /// The lanes of `mask` in which the expression is true.
    ///
    /// # Errors A message that says what cannot be evaluated.
    pub fn holds(&self, machine: &Machine, target: WarpId, mask: LaneMask) -> Result<LaneMask, String> {
        let mut ctas = machine.clusters.iter().flat_map(|c| &c.ctas);
        let warp = ctas.find(|c| c.number == target.cta).and_then(|c| c.warps.get(target.warp as usize));
        let groups = &warp.ok_or("the warp is not running")?.groups;
        let group = groups.iter().position(|g| g.mask & mask != 0).ok_or("these lanes have exited")?;
        Ok(expression::holds(&self.parsed, machine, target, group)? & mask)
    }
}

/// The text of an expression restricted to one lane, such as `%r4@3`.
pub fn lane_of(text: &str, lane: usize) -> String {
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "%$_.".contains(c));
    let parsed = expression::parse(text).ok().filter(|_| !plain(text));
    let inner = parsed.as_ref().map_or(text, expression::Expression::text);
    if plain(inner) { format!("{inner}@{lane}") } else { format!("({inner})@{lane}") }
}

/// The expression for an element of a variable; `None` for elements that share a byte with others.
pub fn element_of(name: &str, element: ElementFormat, index: u64) -> Option<String> {
    let bits = index.checked_mul(element.bits().into()).filter(|bits| bits % 8 == 0)?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "$_".contains(c));
    plain.then(|| format!("[{name}+{}]:{element}", bits / 8))
}

/// A text with expressions in braces, as logpoints use it.
#[derive(Debug, Clone)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone)]
enum TemplatePart {
    Text(String),
    Value(DebugExpression),
}

impl Template {
    /// Parses a template. `{{` and `}}` stand for braces.
    ///
    /// # Errors A message that says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, behind) = rest[at..].split_at(1);
            rest = behind;
            if let Some(again) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = again;
            } else if brace == "}" {
                plain.push('}');
            } else {
                let Some((inner, behind)) = rest.split_once('}') else {
                    return Err("the message has a `{` that no `}` closes".to_owned());
                };
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                let words = |why| format!("`{{{inner}}}` cannot be understood: {why}");
                parts.push(TemplatePart::Value(DebugExpression::parse(inner).map_err(words)?));
                rest = behind;
            }
        }
        plain.push_str(rest);
        parts.push(TemplatePart::Text(plain));
        Ok(Self { parts })
    }

    /// The text with each expression replaced by its value in a group of lanes.
    pub fn fill(&self, machine: &Machine, target: WarpId, mask: LaneMask) -> String {
        let groups = inspect::groups(machine, target);
        let group = groups.and_then(|g| g.groups.iter().position(|g| g.mask & mask != 0)).unwrap_or(0);
        let frame = GroupFrame { target, group, depth: 0, mask };
        let mut out = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Value(expression) => {
                    let _ = match expression.value(machine, frame) {
                        Ok(value) if value.known == 0 => write!(out, "not written"),
                        Ok(value) => write!(out, "{}", values::summary(&value.ty, &value.bytes, value.known, false)),
                        Err(why) => write!(out, "<{why}>"),
                    };
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lanes_and_elements() {
        assert_eq!(lane_of("%r4", 3), "%r4@3");
        assert_eq!(lane_of("%r4@0..7", 3), "%r4@3");
        assert_eq!(lane_of("%r4 + 1", 3), "(%r4 + 1)@3");
        assert_eq!(lane_of("%r4 + %r5@1", 3), "(%r4 + %r5@1)@3");
        assert_eq!(lane_of("[x + 4]:f32 @ 0..3", 3), "([x + 4]:f32)@3");
        let element = |name| ElementFormat::named(name).unwrap();
        assert_eq!(element_of("out", element("f32"), 3).as_deref(), Some("[out+12]:f32"));
        assert_eq!(element_of("p+8", element("f32"), 3), None);
        assert_eq!(element_of("x", element("e2m1"), 1), None);
        for text in [lane_of("%r4", 3), lane_of("%r4 + 1", 3), "[out+12]:f32".to_owned()] {
            assert!(DebugExpression::parse(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn texts_with_expressions() {
        let parts = |text: &str| Template::parse(text).map(|t| t.parts.len());
        assert_eq!(parts("plain"), Ok(1));
        assert_eq!(parts("a {{b}} c}"), Ok(1));
        assert_eq!(parts("%i = {%i}, {%r1@0}"), Ok(5));
        assert!(parts("{%i").unwrap_err().contains("no `}` closes"));
        assert!(parts("{%i +}").unwrap_err().starts_with("`{%i +}` cannot be understood"));
    }
}
