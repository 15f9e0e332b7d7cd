//! Two numbers in one register; each element is computed separately.

/// Returns the two halves of a 32-bit register, the lower first.
#[inline(always)]
pub const fn halves(a: u32) -> [u16; 2] {
    [a as u16, (a >> 16) as u16]
}

/// Returns a 32-bit register from two halves, the lower first.
#[inline(always)]
pub const fn from_halves(halves: [u16; 2]) -> u32 {
    (halves[1] as u32) << 16 | halves[0] as u32
}

/// Returns the two words of a 64-bit register, the lower first.
#[inline(always)]
pub const fn words(a: u64) -> [u32; 2] {
    [a as u32, (a >> 32) as u32]
}

/// Returns a 64-bit register from two words, the lower first.
#[inline(always)]
pub const fn from_words(words: [u32; 2]) -> u64 {
    (words[1] as u64) << 32 | words[0] as u64
}

/// `.f16x2` and `.bf16x2` of one operand: `half_pair1(a, |a| half::neg::<F16>(false, a))`.
#[inline(always)]
pub fn half_pair1(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    from_halves(halves(a).map(f))
}

/// `.f16x2` and `.bf16x2` of two operands.
#[inline(always)]
pub fn half_pair2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    from_halves([f(a0, b0), f(a1, b1)])
}

/// `.f16x2` and `.bf16x2` of three operands.
#[inline(always)]
pub fn half_pair3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let ([a0, a1], [b0, b1], [c0, c1]) = (halves(a), halves(b), halves(c));
    from_halves([f(a0, b0, c0), f(a1, b1, c1)])
}

/// `.f32x2` of two operands: `single_pair2(a, b, |a, b| single::add(m, a, b))`.
#[inline(always)]
pub fn single_pair2(a: u64, b: u64, f: impl Fn(u32, u32) -> u32) -> u64 {
    let ([a0, a1], [b0, b1]) = (words(a), words(b));
    from_words([f(a0, b0), f(a1, b1)])
}

/// `.f32x2` of three operands.
#[inline(always)]
pub fn single_pair3(a: u64, b: u64, c: u64, f: impl Fn(u32, u32, u32) -> u32) -> u64 {
    let ([a0, a1], [b0, b1], [c0, c1]) = (words(a), words(b), words(c));
    from_words([f(a0, b0, c0), f(a1, b1, c1)])
}
