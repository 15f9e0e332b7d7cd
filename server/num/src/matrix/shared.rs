//! Positions of matrix elements in shared memory: the canonical layouts of `wgmma` and `tcgen05` with their swizzling.
//!
//! The layouts are the tables of canonical layouts in manual 9.7.15.5.1.2 and 9.7.16.3. An offset is computed without swizzling
//! and added to the start address. The swizzle then combines address bits with higher bits, counted from the beginning of the
//! pattern.

/// Dimension whose neighbours are adjacent in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Major {
    /// K.
    K,
    /// M (of A) or N (of B).
    MN,
}

/// Swizzling mode: how chunks of memory are permuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedSwizzle {
    /// No swizzling.
    None,
    /// Chunks of 16 bytes within 32.
    Bytes32,
    /// Chunks of 16 bytes within 64.
    Bytes64,
    /// Chunks of 16 bytes within 128.
    Bytes128,
    /// Chunks of 32 bytes within 128; MN-major matrices only.
    Bytes128By32,
}

impl SharedSwizzle {
    /// Number of bytes within which chunks are permuted.
    fn span(self) -> u32 {
        match self {
            Self::None => 16,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 | Self::Bytes128By32 => 128,
        }
    }

    /// Maps an unswizzled address to the swizzled one. `base` is the offset of the pattern's beginning, in units of 128 bytes.
    #[inline]
    pub fn apply(self, address: u32, base: u32) -> u32 {
        // Bits 7 and up of the address, relative to the beginning of the pattern.
        let lines = (address >> 7).wrapping_sub(base);
        match self {
            Self::None => address,
            Self::Bytes32 => address ^ (lines & 1) << 4,
            Self::Bytes64 => address ^ (lines & 3) << 4,
            Self::Bytes128 => address ^ (lines & 7) << 4,
            // As in CUTLASS; the manual has only a picture.
            Self::Bytes128By32 => address ^ (lines & 3) << 5,
        }
    }
}

/// A matrix in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SharedMatrix {
    /// Byte address of the matrix in the shared memory of the CTA.
    pub start: u32,
    /// Byte offset of the leading dimension.
    pub leading: u32,
    /// Byte offset of the stride dimension.
    pub stride: u32,
    /// Offset of the swizzle pattern's beginning, in units of 128 bytes.
    pub base_offset: u32,
    /// Byte address of the elements along K that exceed the first 128 bytes (absolute leading dimension).
    pub second_chunk: Option<u32>,
    /// Swizzling mode.
    pub swizzle: SharedSwizzle,
    /// Majorness.
    pub major: Major,
    /// Width of an element in bits.
    pub element_bits: u32,
    /// Whether sixteen elements of fewer than 8 bits occupy 16 bytes and fill only their beginning.
    pub in_sixteens: bool,
}

impl SharedMatrix {
    /// Returns the position of an element, given its row of A (column of B) and its index along K: the byte, and the lowest bit
    /// in it.
    ///
    /// Elements of 6 bits may continue in the next byte, which swizzling never separates from the first.
    #[inline]
    pub fn locate(&self, mn: u32, k: u32) -> (u32, u32) {
        // Number of elements in a unit of 16 bytes, as the layout counts them.
        let unit = if self.in_sixteens { 16 } else { 128 / self.element_bits.clamp(1, 128) };
        let within = |at: u32| ((at / unit).wrapping_mul(16), at % unit * self.element_bits.min(128));
        let span = self.swizzle.span();
        let (offset, bits) = match (self.major, self.swizzle) {
            (Major::K, SharedSwizzle::None) => {
                let (_, bits) = within(k);
                let bytes = (mn % 8 * 16).wrapping_add((mn / 8).wrapping_mul(self.stride));
                (bytes.wrapping_add((k / unit).wrapping_mul(self.leading)), bits)
            }
            (Major::K, _) => {
                let (bytes, bits) = within(k);
                (bytes.wrapping_add(mn % 8 * span), bits)
            }
            (Major::MN, SharedSwizzle::None) => {
                let (_, bits) = within(mn);
                let bytes = (mn / unit).wrapping_mul(self.stride).wrapping_add(k % 8 * 16);
                (bytes.wrapping_add((k / 8).wrapping_mul(self.leading)), bits)
            }
            (Major::MN, _) => {
                let (bytes, bits) = within(mn);
                // The pattern repeats after four lines of 128 bytes with chunks of 32 bytes, otherwise after eight.
                let lines = if self.swizzle == SharedSwizzle::Bytes128By32 { 4 } else { 8 };
                let first = bytes % span + k % lines * span;
                let bytes = first.wrapping_add((bytes / span).wrapping_mul(self.leading));
                (bytes.wrapping_add((k / lines).wrapping_mul(self.stride)), bits)
            }
        };
        let address = match (self.major, self.swizzle) {
            (Major::K, SharedSwizzle::None) | (Major::MN, _) => self.start.wrapping_add(offset),
            (Major::K, _) => self.k_major(offset, mn),
        };
        let address = self.swizzle.apply(address, self.base_offset);
        (address.wrapping_add(bits / 8), bits % 8)
    }

    /// Byte offset in a K-major layout with swizzling: rows of `span` bytes, eight rows to a pattern.
    #[inline]
    fn k_major(&self, offset: u32, mn: u32) -> u32 {
        let rows = (mn / 8).wrapping_mul(self.stride);
        if let Some(second) = self.second_chunk {
            // Elements beyond the 128 bytes of the row continue at the beginning of the same row of the second buffer.
            let in_row = offset % 128 + self.start % 128;
            if in_row >= 128 {
                let row = offset / 128 * 128;
                return second.wrapping_add(row + in_row - 128).wrapping_add(rows);
            }
        }
        self.start.wrapping_add(offset).wrapping_add(rows)
    }
}
