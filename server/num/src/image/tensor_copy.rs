//! Tensor copies: the mapping between bytes of global memory and bytes of shared memory.
//!
//! [`TensorMap::runs`] visits a box as runs of contiguous bytes: rows of the innermost dimension, split at the tensor's bounds
//! and at swizzling boundaries. Sources: manual 5.5 (modes, bounds, strides), 9.7.9.27.1 (instructions and restrictions); the
//! CUDA driver's tensor-map functions (a box with element strides has ⌈box / stride⌉ elements; without interleaving the
//! innermost stride means nothing); the CUDA C++ programming guide, "swizzle modes".
//!
//! The module rejects some copies with a reason, because neither documents nor public code tell which bytes they touch: boxes
//! narrower than the swizzle's span with more than one row, the 96-byte swizzle, element strides inside of interleaved slices,
//! im2col with interleaving, and halo pixels of `.im2col::w` and `.im2col::w::128`.

use super::swizzle::Swizzle;
use super::tensor_map::{ElementType, Interleave, OutOfBoundsFill, TensorMap, TensorMapMode};

/// Maximum size of a box in bytes: no GPU has more shared memory. It also limits the time that a copy takes.
const MAX_BOX_BYTES: u64 = 1 << 18;

/// Order in which a copy walks the tensor: the instruction's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyMode {
    /// `.tile`.
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: the coordinates are the column and four rows.
    Rows4,
    /// `.im2col` with its offsets along W, H, D.
    Im2col([u16; 3]),
    /// `.im2col_no_offs`.
    Im2colNoOffsets,
    /// `.im2col::w`.
    Im2colW {
        /// `wHalo`.
        halo: u16,
        /// `wOffset`.
        offset: u16,
    },
    /// `.im2col::w::128`.
    Im2colW128 {
        /// `wHalo`.
        halo: u16,
        /// `wOffset`.
        offset: u16,
    },
}

/// Direction of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyDirection {
    /// From global to shared memory; prefetches, too.
    Load,
    /// From shared to global memory.
    Store,
    /// From shared memory, combined with the values in global memory.
    Reduce,
}

/// A tensor copy that an instruction requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorCopy {
    /// The mode of the copy.
    pub mode: CopyMode,
    /// The direction of the copy.
    pub direction: CopyDirection,
    /// Number of dimensions: the instruction's `.1d` … `.5d`.
    pub rank: u8,
    /// Coordinates of the box in elements, innermost first. For [`CopyMode::Rows4`] the column and four rows.
    pub coordinates: [i32; 5],
    /// Address of the box in shared memory.
    pub shared: u32,
}

/// Treatment of the bytes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// The bytes are copied (or combined) unchanged; elements of [`ElementType::converts`] are converted.
    Bytes,
    /// The bytes are outside of the tensor and become zeros or the element's NaN. Only loads have such runs; `global` is
    /// meaningless.
    Fill,
    /// Padding of sub-byte types in shared memory, uninitialised after a load. `global` is meaningless.
    Padding,
    /// The low six bits of sixteen bytes of shared memory go to twelve bytes of global memory ([`pack6`]).
    Pack6,
}

/// A run of contiguous bytes that a copy transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyRun {
    /// Address of the first byte in shared memory, after swizzling.
    pub shared: u32,
    /// Address of the first byte in global memory.
    pub global: u64,
    /// Number of bytes in shared memory.
    pub bytes: u32,
    /// Treatment of the bytes.
    pub kind: RunKind,
}

/// Reason why a copy cannot be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorFault {
    /// The 128 bytes are not a tensor map.
    NotAMap,
    /// Name of a field of the map whose value no copy can use.
    Field(&'static str),
    /// The instruction's number of dimensions differs from the map's.
    Rank {
        /// The instruction's number of dimensions.
        instruction: u8,
        /// The map's number of dimensions.
        map: u8,
    },
    /// The instruction's mode does not match the map's: im2col needs a map of its kind, tiles need a tiled one.
    Mode,
    /// The address of the box in shared memory is not aligned as required.
    Misaligned {
        /// The address in shared memory.
        address: u32,
        /// The required alignment in bytes.
        needed: u32,
    },
    /// The first coordinate of a sub-byte type is not a multiple of this number of elements.
    Coordinate {
        /// The required multiple, in elements.
        multiple: u32,
    },
    /// The element type cannot be copied in this direction.
    Element,
    /// A store begins below zero, or its filter box is outside of the tensor; the manual forbids both for stores.
    StoreOutside,
    /// No document describes the requested copy; the string names the undocumented feature.
    NotDescribed(&'static str),
}

/// Size of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// Bytes that `complete_tx` counts: the whole box including its parts outside of the tensor, but without the padding of
    /// sub-byte types (public kernels count the bytes of global memory).
    pub transaction: u32,
    /// Bytes of shared memory that the box occupies, padding included.
    pub shared: u32,
}

/// State of a copy that all of its rows share.
pub(super) struct Rows<'a, V> {
    pub(super) map: &'a TensorMap,
    pub(super) element: ElementType,
    pub(super) swizzle: Swizzle,
    pub(super) direction: CopyDirection,
    /// Number of elements in a row.
    pub(super) count: u32,
    /// Address of the next row in shared memory, before swizzling.
    pub(super) shared: u32,
    pub(super) visit: V,
}

impl TensorMap {
    /// Calls `visit` for each run of a copy in the order of shared memory, and returns the size of the copy.
    ///
    /// If the copy has a fault, `visit` is never called.
    pub fn runs(&self, copy: &TensorCopy, visit: impl FnMut(CopyRun)) -> Result<Amount, TensorFault> {
        if let Some(field) = self.problem() {
            return Err(TensorFault::Field(field));
        }
        let (Some(element), Some(swizzle), Some(interleave)) =
            (self.element_type(), self.swizzle(), self.interleaving())
        else {
            return Err(TensorFault::Field("elemtype"));
        };
        if usize::from(copy.rank) != self.rank() {
            return Err(TensorFault::Rank { instruction: copy.rank, map: self.rank_less_one + 1 });
        }
        self.check(copy, element, swizzle, interleave)?;
        let tiled = matches!(copy.mode, CopyMode::Tile | CopyMode::Rows4);
        let count = if tiled { self.box_sizes[0] } else { u32::from(self.channels_per_pixel) };
        let mut rows =
            Rows { map: self, element, swizzle, direction: copy.direction, count, shared: copy.shared, visit };
        let number = self.row_count(copy.mode);
        let row_bits = u64::from(count) * u64::from(element.shared_bits());
        if swizzle.span().is_some_and(|span| row_bits < 8 * u64::from(span)) && number > 1 {
            return Err(TensorFault::NotDescribed("a box that is narrower than the swizzle's span"));
        }
        if u64::from(number) * row_bits / 8 > MAX_BOX_BYTES {
            return Err(TensorFault::Field(if tiled { "box_dim" } else { "pixels_per_column" }));
        }
        match copy.mode {
            CopyMode::Tile => rows.tile(copy),
            CopyMode::Rows4 => rows.four(copy),
            CopyMode::Im2col(offsets) => rows.im2col(copy, offsets.map(i64::from)),
            CopyMode::Im2colNoOffsets => rows.im2col(copy, [0; 3]),
            CopyMode::Im2colW { offset, .. } => rows.im2col_w(copy, offset, u32::from(self.pixels_per_column)),
            CopyMode::Im2colW128 { offset, .. } => rows.im2col_w(copy, offset, 128),
        }
        let bytes =
            |bits: u32| (u64::from(number) * u64::from(count) * u64::from(bits) / 8).min(u64::from(u32::MAX)) as u32;
        Ok(Amount { transaction: bytes(element.bits()), shared: bytes(element.shared_bits()) })
    }

    /// Number of rows (along the innermost dimension) of a copy.
    fn row_count(&self, mode: CopyMode) -> u32 {
        match mode {
            CopyMode::Tile => (1..self.rank()).fold(1, |rows: u32, d| rows.saturating_mul(self.taken(d))),
            CopyMode::Rows4 => 4,
            CopyMode::Im2colW128 { .. } => 128,
            _ => u32::from(self.pixels_per_column),
        }
    }

    /// Number of elements that a copy takes from the box in a dimension, after element strides.
    #[inline]
    fn taken(&self, dimension: usize) -> u32 {
        let stride = u32::from(self.element_strides.get(dimension).copied().unwrap_or(1)).max(1);
        self.box_sizes.get(dimension).copied().unwrap_or(1).div_ceil(stride)
    }

    fn check(
        &self,
        copy: &TensorCopy,
        element: ElementType,
        swizzle: Swizzle,
        interleave: Interleave,
    ) -> Result<(), TensorFault> {
        let needed_mode = match copy.mode {
            CopyMode::Tile | CopyMode::Rows4 => TensorMapMode::Tiled,
            CopyMode::Im2col(_) | CopyMode::Im2colNoOffsets => TensorMapMode::Im2col,
            CopyMode::Im2colW { .. } | CopyMode::Im2colW128 { .. } => TensorMapMode::Im2colWide,
        };
        if self.mode != needed_mode {
            return Err(TensorFault::Mode);
        }
        let loads = copy.direction == CopyDirection::Load;
        let with_offsets = !matches!(copy.mode, CopyMode::Tile | CopyMode::Rows4 | CopyMode::Im2colNoOffsets);
        if loads && copy.mode == CopyMode::Im2colNoOffsets || !loads && with_offsets {
            return Err(TensorFault::Mode);
        }
        let sliced = interleave != Interleave::None;
        if copy.mode == CopyMode::Rows4 {
            if self.rank() != 2 || sliced {
                return Err(TensorFault::Mode);
            }
            if self.box_sizes[1] != 1 {
                return Err(TensorFault::Field("box_dim"));
            }
        }
        if copy.direction == CopyDirection::Reduce && element.is_sub_byte()
            || !loads && element == ElementType::B4x16P64
        {
            return Err(TensorFault::Element);
        }
        let multiple = match element {
            ElementType::B4x16P64 | ElementType::B6x16 => 128,
            ElementType::B4x16 => 2,
            _ => 1,
        };
        if i64::from(copy.coordinates[0]).rem_euclid(i64::from(multiple)) != 0 {
            return Err(TensorFault::Coordinate { multiple });
        }
        // Prefetches have no address in shared memory: they pass 0, which is aligned.
        if !copy.shared.is_multiple_of(128) {
            return Err(TensorFault::Misaligned { address: copy.shared, needed: 128 });
        }
        if !loads {
            let rank = self.rank();
            let below_zero = copy.coordinates.iter().take(rank).any(|&c| c < 0);
            let spatial = rank.saturating_sub(2);
            let corners = |corner: &[i16; 3], wrong: fn(i16) -> bool| corner.iter().take(spatial).any(|&c| wrong(c));
            let box_outside = self.mode == TensorMapMode::Im2col
                && (corners(&self.lower_corner, |c| c < 0) || corners(&self.upper_corner, |c| c > 0));
            if copy.mode != CopyMode::Rows4 && below_zero || box_outside {
                return Err(TensorFault::StoreOutside);
            }
        }
        if swizzle == Swizzle::B96 {
            return Err(TensorFault::NotDescribed("where rows lie with the 96-byte swizzle"));
        }
        if sliced && self.element_strides[0] != 1 {
            return Err(TensorFault::NotDescribed("an element stride inside of interleaved slices"));
        }
        if sliced && self.mode != TensorMapMode::Tiled {
            return Err(TensorFault::NotDescribed("im2col with an interleaved layout"));
        }
        match copy.mode {
            CopyMode::Im2colW { halo, .. } | CopyMode::Im2colW128 { halo, .. } if halo != 0 => {
                Err(TensorFault::NotDescribed("which pixels the halo of im2col::w has"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the byte address of the element with these indices in global memory. Innermost indices must fall on whole bytes.
    #[inline]
    pub(super) fn global_address(&self, place: &[i64; 5]) -> u64 {
        let bits = self.element_type().map_or(8, ElementType::bits);
        let inner = place[0].wrapping_mul(i64::from(bits)) / 8;
        let outer = self.strides.iter().zip(&place[1..]).take(self.rank() - 1);
        outer.fold(self.address.wrapping_add(inner as u64), |sum, (stride, index)| {
            sum.wrapping_add((*index as u64).wrapping_mul(*stride))
        })
    }

    /// Whether the indices are within the tensor in all dimensions but the innermost.
    #[inline]
    pub(super) fn row_exists(&self, place: &[i64; 5]) -> bool {
        place
            .iter()
            .zip(&self.sizes)
            .take(self.rank())
            .skip(1)
            .all(|(&index, &size)| index >= 0 && (index as u64) < size)
    }

    /// Returns the 8 bytes that a load writes for elements outside of the tensor.
    #[inline]
    pub fn fill_pattern(&self) -> u64 {
        match (self.filling(), self.element_type()) {
            (Some(OutOfBoundsFill::Nan), Some(element)) => element.nan_pattern(),
            _ => 0,
        }
    }
}

impl<V: FnMut(CopyRun)> Rows<'_, V> {
    /// Tiled mode: every row of the box.
    fn tile(&mut self, copy: &TensorCopy) {
        let rank = self.map.rank();
        let start = copy.coordinates.map(i64::from);
        let mut steps = [0_u32; 5];
        loop {
            let mut place = start;
            for d in 1..rank {
                place[d] += i64::from(steps[d]) * i64::from(self.map.element_strides[d]);
            }
            self.row(&place);
            // The next row: the counters advance like an odometer, the second dimension fastest.
            let Some(d) = (1..rank).find(|&d| steps[d] + 1 < self.map.taken(d)) else { return };
            steps[d] += 1;
            steps[1..d].fill(0);
        }
    }

    /// `.tile::gather4` and `.tile::scatter4`: four rows.
    fn four(&mut self, copy: &TensorCopy) {
        let [column, rows @ ..] = copy.coordinates;
        for row in rows {
            self.row(&[i64::from(column), i64::from(row), 0, 0, 0]);
        }
    }

    /// Visits one row that begins at the indices `place`.
    pub(super) fn row(&mut self, place: &[i64; 5]) {
        let count = i64::from(self.count);
        let start = self.shared;
        let bits = self.element.shared_bits();
        let row_bytes = (u64::from(self.count) * u64::from(bits) / 8) as u32;
        self.shared = start.wrapping_add(row_bytes);
        // `before`: elements of the row that precede the tensor; `end`: end of the elements inside it.
        let size = self.map.sizes[0].min(1 << 32) as i64;
        let (before, end) = if self.map.row_exists(place) {
            let before = place[0].saturating_neg().clamp(0, count);
            (before, (size - place[0]).clamp(before, count))
        } else {
            (count, count)
        };
        let at = |elements: i64| start.wrapping_add((elements * i64::from(bits) / 8) as u32);
        if self.direction == CopyDirection::Load {
            self.pieces(start, at(before).wrapping_sub(start), 0, RunKind::Fill);
        }
        if end > before {
            let mut first = *place;
            first[0] += before;
            let global = self.map.global_address(&first);
            let bytes = at(end).wrapping_sub(at(before));
            match self.element {
                ElementType::B4x16P64 | ElementType::B6x16 => self.groups(at(before), bytes, global),
                _ => self.pieces(at(before), bytes, global, RunKind::Bytes),
            }
        }
        if self.direction == CopyDirection::Load {
            self.pieces(at(end), start.wrapping_add(row_bytes).wrapping_sub(at(end)), 0, RunKind::Fill);
        }
    }

    /// Visits contiguous bytes, split at swizzling boundaries.
    #[inline]
    fn pieces(&mut self, shared: u32, bytes: u32, global: u64, kind: RunKind) {
        let piece = self.swizzle.piece();
        let mut done = 0;
        while done < bytes {
            let address = shared.wrapping_add(done);
            let run = if piece == u32::MAX { bytes - done } else { (piece - address % piece).min(bytes - done) };
            (self.visit)(CopyRun {
                shared: self.swizzle.apply(address),
                global: global.wrapping_add(u64::from(done)),
                bytes: run,
                kind,
            });
            done += run;
        }
    }

    /// Visits groups of sixteen elements of a padded type: 16 bytes in shared memory, 8 or 12 in global memory. Groups are
    /// aligned to 16 bytes, and the swizzle patterns allowed for these types keep 16 bytes together.
    fn groups(&mut self, shared: u32, bytes: u32, global: u64) {
        let data = if self.element == ElementType::B6x16 { 12 } else { 8 };
        for group in 0..bytes / 16 {
            let shared = self.swizzle.apply(shared.wrapping_add(16 * group));
            let global = global.wrapping_add(u64::from(data * group));
            if self.direction == CopyDirection::Load {
                (self.visit)(CopyRun { shared, global, bytes: data, kind: RunKind::Bytes });
                (self.visit)(CopyRun {
                    shared: shared.wrapping_add(data),
                    global: 0,
                    bytes: 16 - data,
                    kind: RunKind::Padding,
                });
            } else {
                (self.visit)(CopyRun { shared, global, bytes: 16, kind: RunKind::Pack6 });
            }
        }
    }
}

/// Packs the low six bits of sixteen bytes into twelve bytes, the first element in the lowest bits: the store of `.b6p2x16`.
#[inline]
pub fn pack6(shared: [u8; 16]) -> [u8; 12] {
    let word = shared.iter().rev().fold(0_u128, |word, byte| word << 6 | u128::from(byte & 0x3f));
    let mut packed = [0; 12];
    for (to, from) in packed.iter_mut().zip(word.to_le_bytes()) {
        *to = from;
    }
    packed
}
