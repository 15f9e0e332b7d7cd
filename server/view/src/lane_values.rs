//! The values of a register in the lanes of a warp, and the text for all of them.

use crate::reading::{Reading, lane_bytes};
use ptx_interp::inspect::{self, RegisterView, SpecialView};
use ptx_interp::lanes::{ALL, LANES, LaneMask, lanes};
use ptx_interp::machine::{Machine, RegisterWrite};

/// Fewer lanes always count up.
const MIN_COUNTING_LANES: u32 = 3;

/// Addresses below are more likely numbers.
const LEAST_ADDRESS: u64 = 1 << 16;

/// The values of a register, a special register or a parameter.
#[derive(Debug, Clone, Copy)]
pub struct LaneValues<'a> {
    /// The declared type, with the dot.
    pub ty: &'a str,
    /// For an untyped register: the type that its readers give it.
    pub read_as: Option<&'a str>,
    /// The bytes of all lanes, lane 0 first, each little-endian; of a predicate four bytes with a bit for each lane.
    pub bytes: &'a [u8],
    /// The lanes in which something was written.
    pub known: LaneMask,
    /// The lanes whose value the manual leaves open.
    pub unspecified: LaneMask,
    /// The lanes whose value is an approximation.
    pub approximate: LaneMask,
}

impl<'a> LaneValues<'a> {
    /// The values of a register.
    pub fn of_register(register: &'a RegisterView) -> Self {
        Self {
            ty: register.ty,
            read_as: register.read_as,
            bytes: &register.bytes,
            known: register.known,
            unspecified: register.unspecified,
            approximate: register.approximate,
        }
    }

    /// The values that a step wrote, in the lanes of `known`.
    pub fn of_write(ty: &'a str, read_as: Option<&'a str>, write: &'a RegisterWrite, known: LaneMask) -> Self {
        let RegisterWrite { after, unspecified, approximate, .. } = write;
        Self { ty, read_as, bytes: after, known, unspecified: *unspecified, approximate: *approximate }
    }

    /// The values of a special register.
    pub fn of_special(special: &'a SpecialView) -> Self {
        Self::plain(special.ty, &special.bytes)
    }

    /// Values that are known in all lanes.
    pub fn plain(ty: &'a str, bytes: &'a [u8]) -> Self {
        Self { ty, read_as: None, bytes, known: ALL, unspecified: 0, approximate: 0 }
    }

    /// Number of bytes for each lane; 0 for a predicate.
    pub fn width(&self) -> usize {
        lane_bytes(self.ty, self.bytes)
    }

    /// The bits of a lane.
    pub fn bits(&self, lane: usize) -> u128 {
        let width = self.width();
        if width == 0 {
            return (self.predicate() >> (lane % LANES) & 1).into();
        }
        let own = self.bytes.get(lane * width..(lane + 1) * width).unwrap_or_default();
        own.iter().rev().take(16).fold(0, |all, byte| all << 8 | u128::from(*byte))
    }

    /// The lanes in which a predicate is true.
    pub fn predicate(&self) -> LaneMask {
        self.bytes.iter().take(4).rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
    }

    fn signed(&self, bits: u128) -> i128 {
        let unused = 128 - (self.width() * 8).clamp(1, 128);
        ((bits << unused) as i128) >> unused
    }

    /// The reading for somebody who has chosen none.
    pub fn reading(&self) -> Reading {
        Reading::automatic(self.ty, self.read_as, self.width(), lanes(self.known).map(|lane| self.bits(lane)))
    }

    /// The text of one lane.
    pub fn text(&self, reading: Reading, lane: usize) -> String {
        reading.text(self.bits(lane), self.width())
    }

    /// One text for the lanes of a mask, if they all hold the same (`1.5`) or count up from lane to lane (`0x7f00000000 + 4 × lane`). `None`
    /// also if some are not written, or only some have a mark.
    pub fn folded(&self, reading: Reading, mask: LaneMask) -> Option<String> {
        self.folded_by(reading, mask, &|bits| reading.text(bits, self.width()))
    }

    /// The same, with the text of a value by a function.
    fn folded_by(&self, reading: Reading, mask: LaneMask, text: &dyn Fn(u128) -> String) -> Option<String> {
        if mask == 0 || self.known & mask != mask {
            return None;
        }
        let is_partly = |marked: LaneMask| marked & mask != 0 && marked & mask != mask;
        if is_partly(self.unspecified) || is_partly(self.approximate) {
            return None;
        }
        let first = self.bits(mask.trailing_zeros() as usize);
        if lanes(mask).all(|lane| self.bits(lane) == first) {
            return Some(text(first));
        }
        if (self.unspecified | self.approximate) & mask != 0 || !reading.is_whole() {
            return None;
        }
        let (start, step) = self.counting(mask)?;
        let times = match step.unsigned_abs() {
            1 => "lane".to_owned(),
            size => format!("{size} × lane"),
        };
        let sign = if step < 0 { "−" } else { "+" };
        Some(if start == 0 && step > 0 { times } else { format!("{} {sign} {times}", text(start)) })
    }

    /// For whole numbers that change by the same from lane to lane: the value in lane 0, and the difference to the next.
    fn counting(&self, mask: LaneMask) -> Option<(u128, i128)> {
        let bits = self.width() * 8;
        if !(32..=64).contains(&bits) || mask.count_ones() < MIN_COUNTING_LANES {
            return None;
        }
        let mut rest = lanes(mask);
        let (first, second) = (rest.next()?, rest.next()?);
        let start = self.bits(first).cast_signed();
        let distance = |lane: usize| self.signed((self.bits(lane).cast_signed() - start).cast_unsigned());
        let apart = (second - first) as i128;
        let step = distance(second) / apart;
        let is_even = step != 0
            && distance(second) % apart == 0
            && rest.all(|lane| distance(lane) == step * (lane - first) as i128);
        let at_zero = (start - step * first as i128).cast_unsigned() & ((1 << bits) - 1);
        is_even.then_some((at_zero, step))
    }

    /// What an address points to, of the first lane of a mask: `x+16`.
    pub fn leads_to(&self, reading: Reading, mask: LaneMask, machine: &Machine) -> Option<String> {
        let known = self.known & mask;
        if known == 0 || self.width() != 8 || !reading.is_whole() {
            return None;
        }
        name_of(machine, self.bits(known.trailing_zeros() as usize))
    }

    /// The values of the lanes of a mask in a line: one text if they can be folded, otherwise the first few and the last; with a remark on marks.
    /// An address is the name of what is there: `&x+16`.
    pub fn summary(&self, mask: LaneMask, machine: &Machine) -> String {
        let written = Self { known: mask, ..*self };
        let reading = written.reading();
        let marks = marks(self.unspecified, self.approximate, mask);
        if self.width() == 0 {
            return match self.predicate() & mask {
                0 => "false".to_owned(),
                bits if bits == mask => "true".to_owned(),
                bits => ptx_launch::words::lanes(bits),
            } + marks;
        }
        let is_address = self.width() == 8 && reading.is_whole();
        let text = |bits: u128| match is_address.then(|| name_of(machine, bits)).flatten() {
            Some(name) => format!("&{name}"),
            None => reading.text(bits, self.width()),
        };
        let folded = written.folded_by(reading, mask, &text);
        let few = || ptx_launch::words::few(&lanes(mask).map(|lane| text(self.bits(lane))).collect::<Vec<_>>());
        folded.unwrap_or_else(few) + marks
    }
}

fn name_of(machine: &Machine, bits: u128) -> Option<String> {
    let address = u64::try_from(bits).ok().filter(|address| *address >= LEAST_ADDRESS)?;
    inspect::name_of(machine, address)
}

/// A remark on the marks of some lanes' values: empty, or in parentheses.
pub fn marks(unspecified: LaneMask, approximate: LaneMask, mask: LaneMask) -> &'static str {
    match (unspecified & mask, approximate & mask) {
        (0, 0) => "",
        (0, _) => " (approximate)",
        _ => " (unspecified)",
    }
}
