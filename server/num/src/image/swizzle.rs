//! Swizzle patterns: the order of a tile's bytes in shared memory for tensor copies, `wgmma` and `tcgen05`.
//!
//! A pattern permutes groups of bytes in shared memory by an exclusive or of higher address bits into lower ones. It depends on
//! the *address*, not on the beginning of the tile: manual 5.5.7 defines the tile's base offset as `address / 128 % 8`, which
//! the address bits already contain. The manual's tables (lines of 128 bytes in cells of 16) amount to:
//!
//! | pattern | address bits that change | by address bits | repeats after (bytes) |
//! |---|---|---|---|
//! | 32 bytes | 4 | 7 | 256 |
//! | 64 bytes | 4–5 | 7–8 | 512 |
//! | 96 bytes | 4 | 7 | 256 |
//! | 128 bytes | 4–6 | 7–9 | 1024 |
//! | 128 bytes, atoms of 32 | 5–6 | 7–8 | 512 |
//! | … with 8-byte flip | 5–6 and 3 | 7–8 and 7 | 512 |
//! | 128 bytes, atoms of 64 | 6 | 7 | 256 |
//!
//! Every pattern is its own inverse. For the 8-byte flip the manual shows only a figure and says "every alternate line"; this
//! module flips odd lines.

/// A swizzle pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Swizzle {
    /// No swizzling.
    #[default]
    None,
    /// Spans of 32 bytes.
    B32,
    /// Spans of 64 bytes.
    B64,
    /// Spans of 96 bytes.
    B96,
    /// Spans of 128 bytes in groups of 16.
    B128,
    /// Spans of 128 bytes in groups of 32.
    B128Atom32,
    /// Spans of 128 bytes in groups of 32; in odd lines the two 8-byte halves of each 16 bytes are exchanged.
    B128Atom32Flip8,
    /// Spans of 128 bytes in groups of 64.
    B128Atom64,
}

impl Swizzle {
    /// All variants.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::B32,
        Self::B64,
        Self::B96,
        Self::B128,
        Self::B128Atom32,
        Self::B128Atom32Flip8,
        Self::B128Atom64,
    ];

    /// Returns the name in the launch format.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::B32 => "32B",
            Self::B64 => "64B",
            Self::B96 => "96B",
            Self::B128 => "128B",
            Self::B128Atom32 => "128B_ATOM_32B",
            Self::B128Atom32Flip8 => "128B_ATOM_32B_FLIP_8B",
            Self::B128Atom64 => "128B_ATOM_64B",
        }
    }

    /// Returns the pattern with that name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(name))
    }

    /// Returns the maximum inner dimension of a box in bytes; `None` without swizzling.
    #[inline]
    pub fn span(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            Self::B96 => Some(96),
            _ => Some(128),
        }
    }

    /// Returns the number of bytes that stay together and in order: a run never crosses a multiple of it.
    #[inline]
    pub fn piece(self) -> u32 {
        match self {
            Self::None => u32::MAX,
            Self::B128Atom32 => 32,
            Self::B128Atom32Flip8 => 8,
            Self::B128Atom64 => 64,
            _ => 16,
        }
    }

    /// Maps an unswizzled address of shared memory to the swizzled one, and back.
    #[inline(always)]
    pub fn apply(self, address: u32) -> u32 {
        let line = address >> 7;
        address
            ^ match self {
                Self::None => 0,
                Self::B32 | Self::B96 => (line & 1) << 4,
                Self::B64 => (line & 3) << 4,
                Self::B128 => (line & 7) << 4,
                Self::B128Atom32 => (line & 3) << 5,
                Self::B128Atom32Flip8 => (line & 3) << 5 | (line & 1) << 3,
                Self::B128Atom64 => (line & 1) << 6,
            }
    }
}
