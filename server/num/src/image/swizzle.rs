//! Where bytes of a tile lie in shared memory: the swizzling patterns of tensor copies, which `wgmma` and `tcgen05` share.
//!
//! A pattern exchanges pieces of shared memory by an exclusive or of higher address bits into lower ones. It hangs on the
//! *address*, not on where a tile begins: manual 5.5.7 gives the tile's base offset as `address / 128 % 8`, which is what the
//! address bits say already. The tables there (lines of 128 bytes in cells of 16) read as:
//!
//! | pattern | bits that change | by bits | repeats after |
//! |---|---|---|---|
//! | 32 bytes | 4 | 7 | 256 |
//! | 64 bytes | 4–5 | 7–8 | 512 |
//! | 96 bytes | 4 | 7 | 256 |
//! | 128 bytes | 4–6 | 7–9 | 1024 |
//! | 128 bytes, atoms of 32 | 5–6 | 7–8 | 512 |
//! | … with 8-byte flip | 5–6 and 3 | 7–8 and 7 | 512 |
//! | 128 bytes, atoms of 64 | 6 | 7 | 256 |
//!
//! Every pattern is its own inverse. For the flip the manual shows a figure only and says "every alternate line": odd lines here.

/// A pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Swizzle {
    /// Addresses stay.
    #[default]
    None,
    /// Spans of 32 bytes.
    B32,
    /// Spans of 64 bytes.
    B64,
    /// Spans of 96 bytes.
    B96,
    /// Spans of 128 bytes, pieces of 16.
    B128,
    /// Spans of 128 bytes, pieces of 32.
    B128Atom32,
    /// Spans of 128 bytes, pieces of 32, whose 8-byte halves of 16 change places in odd lines.
    B128Atom32Flip8,
    /// Spans of 128 bytes, pieces of 64.
    B128Atom64,
}

impl Swizzle {
    /// All of them.
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

    /// Its name in a launch.
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

    /// The pattern of that name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(name))
    }

    /// The widest inner dimension of a box, in bytes; `None` without swizzling.
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

    /// Bytes that stay together and in order: runs never cross a multiple of it.
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

    /// Where the byte that belongs at a shared-memory address really lies, and the other way round.
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
