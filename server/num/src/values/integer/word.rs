//! Integer types of registers.

/// An integer of an instruction's type: `.u8` … `.u64`, `.s8` … `.s64`; untyped bits count as unsigned.
pub trait Int: Copy + Eq + Ord + Default + std::fmt::Debug {
    /// The integer of twice the width and the same signedness, for full products.
    type Wide: Copy + Eq + std::fmt::Debug;

    /// Width in bits.
    const BITS: u32;
    /// Whether the type is signed.
    const SIGNED: bool;
    /// Zero.
    const ZERO: Self;
    /// All bits set: the largest unsigned number, or -1.
    const ONES: Self;
    /// The smallest number of the type.
    const LOWEST: Self;

    /// Returns the low bits of a register as this type.
    fn from_bits(bits: u64) -> Self;
    /// Returns the bits, with zeros above them.
    fn to_bits(self) -> u64;
    /// `a + b` modulo 2^BITS.
    fn plus(self, b: Self) -> Self;
    /// `a - b` modulo 2^BITS.
    fn minus(self, b: Self) -> Self;
    /// The lower half of `a * b`.
    fn times(self, b: Self) -> Self;
    /// The full product `a * b`.
    fn times_wide(self, b: Self) -> Self::Wide;
    /// `a + b` modulo 2^(2·BITS).
    fn plus_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The upper half of `wide`.
    fn upper(wide: Self::Wide) -> Self;
    /// `a + b`, clamped to the range.
    fn plus_clamped(self, b: Self) -> Self;
    /// `a - b`, clamped to the range.
    fn minus_clamped(self, b: Self) -> Self;
    /// Returns `a + b + carry` and the carry out of the top bit; the bits are unsigned even for signed types.
    fn plus_carrying(self, b: Self, carry: bool) -> (Self, bool);
    /// `|a|`; the lowest signed number stays as it is.
    fn magnitude(self) -> Self;
    /// The low bits of `|a - b|`.
    fn distance(self, b: Self) -> Self;
    /// `a / b` toward zero, modulo 2^BITS; `a` if `b` is zero.
    fn quotient(self, b: Self) -> Self;
    /// `a - b * (a / b)`; 0 if `b` is zero.
    fn remainder(self, b: Self) -> Self;
    /// `a << n`; 0 if `n` is at least the width.
    fn up(self, n: u32) -> Self;
    /// `a >> n`, filled with the sign of a signed type; an `n` above the width counts as the width.
    fn down(self, n: u32) -> Self;
    /// Bitwise and.
    fn and(self, b: Self) -> Self;
    /// Bitwise or.
    fn or(self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, b: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Number of set bits.
    fn ones(self) -> u32;
    /// Number of zeros above the highest set bit.
    fn zeros_above(self) -> u32;
    /// The bits in reverse order.
    fn reversed(self) -> Self;
}

macro_rules! int {
    ($($t:ident $unsigned:ident $wide:ident $signed:literal $magnitude:ident;)*) => {$(
        impl Int for $t {
            type Wide = $wide;
            const BITS: u32 = $t::BITS;
            const SIGNED: bool = $signed;
            const ZERO: Self = 0;
            const ONES: Self = !0;
            const LOWEST: Self = $t::MIN;

            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn minus(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }
            #[inline(always)]
            fn times(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }
            #[inline(always)]
            fn times_wide(self, b: Self) -> $wide {
                $wide::from(self).wrapping_mul($wide::from(b))
            }
            #[inline(always)]
            fn plus_wide(a: $wide, b: $wide) -> $wide {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn upper(wide: $wide) -> Self {
                (wide >> $t::BITS) as $t
            }
            #[inline(always)]
            fn plus_clamped(self, b: Self) -> Self {
                self.saturating_add(b)
            }
            #[inline(always)]
            fn minus_clamped(self, b: Self) -> Self {
                self.saturating_sub(b)
            }
            #[inline(always)]
            fn plus_carrying(self, b: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = (self as $unsigned).overflowing_add(b as $unsigned);
                let (sum, second) = sum.overflowing_add($unsigned::from(carry));
                (sum as $t, first | second)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                int!(@$magnitude self)
            }
            #[inline(always)]
            fn distance(self, b: Self) -> Self {
                self.abs_diff(b) as $t
            }
            #[inline(always)]
            fn quotient(self, b: Self) -> Self {
                self.wrapping_div(if b == 0 { 1 } else { b })
            }
            #[inline(always)]
            fn remainder(self, b: Self) -> Self {
                self.wrapping_rem(if b == 0 { 1 } else { b })
            }
            #[inline(always)]
            fn up(self, n: u32) -> Self {
                if n < $t::BITS { self.wrapping_shl(n) } else { 0 }
            }
            #[inline(always)]
            fn down(self, n: u32) -> Self {
                if $signed || n < $t::BITS { self.wrapping_shr(n.min($t::BITS - 1)) } else { 0 }
            }
            #[inline(always)]
            fn and(self, b: Self) -> Self {
                self & b
            }
            #[inline(always)]
            fn or(self, b: Self) -> Self {
                self | b
            }
            #[inline(always)]
            fn xor(self, b: Self) -> Self {
                self ^ b
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn zeros_above(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn reversed(self) -> Self {
                self.reverse_bits()
            }
        }
    )*};
    (@wrapping_abs $value:ident) => { $value.wrapping_abs() };
    (@same $value:ident) => { $value };
}

int! {
    u8 u8 u16 false same;
    u16 u16 u32 false same;
    u32 u32 u64 false same;
    u64 u64 u128 false same;
    i8 u8 i16 true wrapping_abs;
    i16 u16 i32 true wrapping_abs;
    i32 u32 i64 true wrapping_abs;
    i64 u64 i128 true wrapping_abs;
}
