//! The register file of a warp for one call frame: a structure of arrays with 32 adjacent lanes per register.
//!
//! A register of *n* bytes takes 32 × *n* bytes. Constants and special registers are in files of the same layout, so that every operand is
//! a file and an offset. Predicates are lane masks.

use crate::lanes::{ALL, LANES, Lane, LaneMask, lanes};
use bytemuck::{Pod, Zeroable};
use std::marker::PhantomData;
use std::sync::Arc;

/// A cache line of registers. Files consist of such lines, so that lanes are aligned for vector instructions.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct RegisterLine([u64; 8]);

/// Size of a line in bytes.
const LINE: usize = size_of::<RegisterLine>();

/// The file that contains an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterFile {
    /// The registers of the function.
    Own,
    /// The constants of the function.
    Constant,
    /// The special registers of the warp.
    Special,
}

/// Where the 32 lanes of a value are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterLocation {
    /// The file.
    pub file: RegisterFile,
    /// Byte offset of lane 0 in the file: a multiple of 64, or of 32 for registers of one byte.
    pub offset: u32,
    /// Size of one lane in bytes: 1, 2, 4, 8 or 16.
    pub width: u8,
}

/// A source operand of type `T`. If the register is wider, its lowest bits are used.
#[derive(Debug)]
pub struct Src<T> {
    place: RegisterLocation,
    ty: PhantomData<fn() -> T>,
}

/// A destination operand of type `T`. If the register is wider, the value is extended: with its sign if `T` is signed, else with zeros.
#[derive(Debug)]
pub struct Dst<T> {
    place: RegisterLocation,
    ty: PhantomData<fn(T)>,
}

impl<T> Clone for Src<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Src<T> {}
impl<T> Clone for Dst<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Dst<T> {}

impl<T: Lane> Src<T> {
    /// A source operand; `None` if the register is narrower than the type.
    pub fn new(place: RegisterLocation) -> Option<Self> {
        (usize::from(place.width) >= T::BYTES).then_some(Self { place, ty: PhantomData })
    }

    /// Where the values are stored.
    pub fn place(self) -> RegisterLocation {
        self.place
    }
}

impl<T: Lane> Dst<T> {
    /// A destination operand; `None` if the location is narrower than the type, or is not in the function's own registers.
    pub fn new(place: RegisterLocation) -> Option<Self> {
        (usize::from(place.width) >= T::BYTES && place.file == RegisterFile::Own)
            .then_some(Self { place, ty: PhantomData })
    }

    /// Where the values are stored.
    pub fn place(self) -> RegisterLocation {
        self.place
    }
}

/// A source operand that is a truth value per lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredicateSrc {
    /// Index of the predicate; `None` for a constant.
    pub index: Option<u32>,
    /// For a constant its value; for a predicate whether it is negated.
    pub flip: bool,
}

impl PredicateSrc {
    /// A constant.
    pub fn constant(value: bool) -> Self {
        Self { index: None, flip: value }
    }
}

/// A destination operand: the index of a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredicateDst(pub u32);

/// The registers of a warp in one call frame.
#[derive(Debug, Clone)]
pub struct WarpRegisters {
    own: Vec<RegisterLine>,
    constants: Arc<[RegisterLine]>,
    specials: Arc<[RegisterLine]>,
    predicates: Vec<LaneMask>,
    /// The carry flags of extended-precision arithmetic (`CC.CF`).
    pub carry: LaneMask,
}

/// Size in bytes of registers and predicates in a warp. `bytes` is the size of the register file.
pub fn weight(bytes: usize, predicates: usize) -> usize {
    bytes.next_multiple_of(LINE) + size_of::<LaneMask>() * predicates
}

impl Default for WarpRegisters {
    fn default() -> Self {
        Self { own: Vec::new(), constants: Arc::from([]), specials: Arc::from([]), predicates: Vec::new(), carry: 0 }
    }
}

impl WarpRegisters {
    /// Registers of a function with `bytes` bytes of registers and `predicates` predicates, all zero.
    pub fn new(bytes: usize, predicates: usize, constants: Arc<[RegisterLine]>, specials: Arc<[RegisterLine]>) -> Self {
        let lines = vec![RegisterLine::zeroed(); bytes.div_ceil(LINE)];
        Self { own: lines, constants, specials, predicates: vec![0; predicates], carry: 0 }
    }

    fn file(&self, file: RegisterFile) -> &[RegisterLine] {
        match file {
            RegisterFile::Own => &self.own,
            RegisterFile::Constant => &self.constants,
            RegisterFile::Special => &self.specials,
        }
    }

    /// Size in bytes of the registers and predicates, without the shared files.
    pub fn weight(&self) -> usize {
        weight(self.own.len() * LINE, self.predicates.len())
    }

    /// The bytes of all lanes at a location.
    pub fn bytes(&self, place: RegisterLocation) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(self.file(place.file));
        let from = place.offset as usize;
        bytes.get(from..from + LANES * usize::from(place.width)).unwrap_or_default()
    }

    /// The bytes of all lanes of a register; empty for other files.
    pub fn bytes_mut(&mut self, place: RegisterLocation) -> &mut [u8] {
        if place.file != RegisterFile::Own {
            return &mut [];
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.own);
        let from = place.offset as usize;
        bytes.get_mut(from..from + LANES * usize::from(place.width)).unwrap_or_default()
    }

    /// The values of all lanes at a location with lanes of the size of `T`.
    #[inline(always)]
    pub(crate) fn array<T: Lane>(&self, place: RegisterLocation) -> Option<&[T; LANES]> {
        let values: &[T] = bytemuck::cast_slice(self.file(place.file));
        let from = place.offset as usize / T::BYTES;
        values.get(from..from + LANES)?.first_chunk()
    }

    /// The values of all lanes.
    #[inline(always)]
    pub fn get<T: Lane>(&self, src: Src<T>) -> [T; LANES] {
        if usize::from(src.place.width) == T::BYTES {
            return self.array(src.place).copied().unwrap_or_else(|| [T::default(); LANES]);
        }
        self.get_low(src)
    }

    #[inline(never)]
    fn get_low<T: Lane>(&self, src: Src<T>) -> [T; LANES] {
        std::array::from_fn(|lane| T::from_bits(self.lane_bits(src.place, lane)))
    }

    /// The value of one lane.
    #[inline]
    pub fn lane<T: Lane>(&self, src: Src<T>, lane: usize) -> T {
        T::from_bits(self.lane_bits(src.place, lane))
    }

    /// The bits of one lane at a location, zero-extended.
    #[inline]
    pub fn lane_bits(&self, place: RegisterLocation, lane: usize) -> u128 {
        let width = usize::from(place.width);
        let from = place.offset as usize + (lane % LANES) * width;
        let bytes: &[u8] = bytemuck::cast_slice(self.file(place.file));
        let mut out = [0; 16];
        if let (Some(to), Some(from)) = (out.get_mut(..width), bytes.get(from..from + width)) {
            to.copy_from_slice(from);
        }
        u128::from_le_bytes(out)
    }

    /// Sets the bits of one lane of a register; ignored for other files.
    #[inline]
    pub fn set_lane_bits(&mut self, place: RegisterLocation, lane: usize, bits: u128) {
        let width = usize::from(place.width);
        let from = place.offset as usize + (lane % LANES) * width;
        if place.file != RegisterFile::Own {
            return;
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.own);
        if let (Some(to), Some(from)) = (bytes.get_mut(from..from + width), bits.to_le_bytes().get(..width)) {
            to.copy_from_slice(from);
        }
    }

    /// Sets the lanes of a mask.
    #[inline(always)]
    pub fn put<T: Lane>(&mut self, dst: Dst<T>, mask: LaneMask, values: [T; LANES]) {
        if usize::from(dst.place.width) != T::BYTES {
            return self.put_extended(dst, mask, &values);
        }
        let all_values: &mut [T] = bytemuck::cast_slice_mut(&mut self.own);
        let from = dst.place.offset as usize / T::BYTES;
        let Some(to) = all_values.get_mut(from..from + LANES).and_then(|s| s.first_chunk_mut::<LANES>()) else {
            return;
        };
        if mask == ALL {
            *to = values;
        } else {
            for lane in 0..LANES {
                to[lane] = if mask >> lane & 1 != 0 { values[lane] } else { to[lane] };
            }
        }
    }

    #[inline(never)]
    fn put_extended<T: Lane>(&mut self, dst: Dst<T>, mask: LaneMask, values: &[T; LANES]) {
        for lane in lanes(mask) {
            self.set_lane_bits(dst.place, lane, values[lane].extended());
        }
    }

    /// Sets one lane.
    #[inline]
    pub fn put_lane<T: Lane>(&mut self, dst: Dst<T>, lane: usize, value: T) {
        self.set_lane_bits(dst.place, lane, value.extended());
    }

    /// The lanes in which a predicate is true.
    #[inline]
    pub fn predicate(&self, src: PredicateSrc) -> LaneMask {
        let value = src.index.map_or(0, |i| self.predicates.get(i as usize).copied().unwrap_or(0));
        if src.flip { !value } else { value }
    }

    /// Sets a predicate in the lanes of a mask.
    #[inline]
    pub fn put_predicate(&mut self, dst: PredicateDst, mask: LaneMask, value: LaneMask) {
        if let Some(old) = self.predicates.get_mut(dst.0 as usize) {
            *old = (*old & !mask) | (value & mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dst, PredicateDst, PredicateSrc, RegisterFile, RegisterLocation, Src, WarpRegisters};
    use std::sync::Arc;

    fn place(offset: u32, width: u8) -> RegisterLocation {
        RegisterLocation { file: RegisterFile::Own, offset, width }
    }

    #[test]
    fn only_the_lanes_of_the_mask_change() {
        let mut registers = WarpRegisters::new(256, 1, Arc::from([]), Arc::from([]));
        let to = Dst::<u32>::new(place(128, 4)).unwrap();
        registers.put(to, 0b101, [7; 32]);
        let got = registers.get(Src::<u32>::new(place(128, 4)).unwrap());
        assert_eq!(got[..4], [7, 0, 7, 0]);
        registers.put_predicate(PredicateDst(0), 0b11, 0b01);
        assert_eq!(registers.predicate(PredicateSrc { index: Some(0), flip: false }), 1);
        assert_eq!(registers.predicate(PredicateSrc { index: Some(0), flip: true }), !1);
        assert_eq!(registers.predicate(PredicateSrc::constant(true)), u32::MAX);
    }

    #[test]
    fn wider_registers_give_their_lowest_bits_and_get_extended_values() {
        let mut registers = WarpRegisters::new(512, 0, Arc::from([]), Arc::from([]));
        registers.put(Dst::<i8>::new(place(0, 4)).unwrap(), 1, [-2; 32]);
        assert_eq!(registers.lane(Src::<u32>::new(place(0, 4)).unwrap(), 0), 0xffff_fffe);
        assert_eq!(registers.get(Src::<u8>::new(place(0, 4)).unwrap())[0], 0xfe);
        registers.put(Dst::<u8>::new(place(0, 4)).unwrap(), 1, [0xfe; 32]);
        assert_eq!(registers.lane(Src::<u32>::new(place(0, 4)).unwrap(), 0), 0xfe);
        assert!(Src::<u64>::new(place(0, 4)).is_none());
    }
}
