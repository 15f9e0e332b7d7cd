//! Where the elements of a matrix lie in shared memory: the canonical layouts of `wgmma` and `tcgen05` with their swizzling.
//!
//! Manual 9.7.15.5.1.2 and 9.7.16.3: the tables of canonical layouts, written out. Offsets are worked out without swizzling and
//! added to the start address; then some bits of the address are changed by others, counted from where the pattern begins.

/// Which neighbours lie next to each other in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Major {
    /// Those along K.
    K,
    /// Those along M (of A) or N (of B).
    MN,
}

/// How chunks of memory are exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedSwizzle {
    /// Not at all.
    None,
    /// 16 bytes within 32.
    Bytes32,
    /// 16 bytes within 64.
    Bytes64,
    /// 16 bytes within 128.
    Bytes128,
    /// 32 bytes within 128; MN-major matrices only.
    Bytes128By32,
}

impl SharedSwizzle {
    /// Bytes within which chunks are exchanged.
    fn span(self) -> u32 {
        match self {
            Self::None => 16,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 | Self::Bytes128By32 => 128,
        }
    }

    /// The address where what belongs at `address` lies. `base` counts the 128 bytes by which the pattern begins too late.
    #[inline]
    pub fn apply(self, address: u32, base: u32) -> u32 {
        // Bits 7 and up of the address, from the beginning of the pattern.
        let lines = (address >> 7).wrapping_sub(base);
        match self {
            Self::None => address,
            Self::Bytes32 => address ^ (lines & 1) << 4,
            Self::Bytes64 => address ^ (lines & 3) << 4,
            Self::Bytes128 => address ^ (lines & 7) << 4,
            // As in CUTLASS; the manual has a picture only.
            Self::Bytes128By32 => address ^ (lines & 3) << 5,
        }
    }
}

/// A matrix in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SharedMatrix {
    /// Byte address of its beginning in the shared memory of the CTA.
    pub start: u32,
    /// Leading dimension: bytes.
    pub leading: u32,
    /// Stride dimension: bytes.
    pub stride: u32,
    /// By how many 128 bytes the pattern of swizzling begins too late.
    pub base_offset: u32,
    /// The byte address of the elements of K that no longer fit into 128 bytes (absolute leading dimension).
    pub second_chunk: Option<u32>,
    /// How chunks are exchanged.
    pub swizzle: SharedSwizzle,
    /// Which neighbours lie next to each other.
    pub major: Major,
    /// Bits of an element.
    pub element_bits: u32,
    /// Sixteen elements of fewer than 8 bits take 16 bytes, of which they fill the beginning.
    pub in_sixteens: bool,
}

impl SharedMatrix {
    /// Where an element lies, by its row of A (column of B) and its place along K: the byte, and the lowest bit in it.
    ///
    /// Elements of 6 bits may go on in the next byte, which is never exchanged with another.
    #[inline]
    pub fn locate(&self, mn: u32, k: u32) -> (u32, u32) {
        // The number of elements in a unit of 16 bytes, as the layout counts them.
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
                // Four lines of 128 bytes repeat where chunks of 32 bytes are exchanged, else eight.
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

    /// K-major with swizzling: rows of `span` bytes, eight rows to a pattern.
    #[inline]
    fn k_major(&self, offset: u32, mn: u32) -> u32 {
        let rows = (mn / 8).wrapping_mul(self.stride);
        if let Some(second) = self.second_chunk {
            // What no longer fits into the 128 bytes of the row goes on at the beginning of the same row of the second buffer.
            let in_row = offset % 128 + self.start % 128;
            if in_row >= 128 {
                let row = offset / 128 * 128;
                return second.wrapping_add(row + in_row - 128).wrapping_add(rows);
            }
        }
        self.start.wrapping_add(offset).wrapping_add(rows)
    }
}
