//! Kernels that multiply matrices, compared with plain products. The layouts are written out here by the formulas of the manual.

mod kernels;
mod movement;
mod register;
mod tensor;
mod warpgroup;

use ptx_num::math::ldexp;

/// A small generator of pseudo-random numbers, which are the same in every run.
pub(super) struct MatrixSamples(pub u64);

impl MatrixSamples {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    pub fn range(&mut self, from: i64, to: i64) -> i64 {
        from + (self.next() % (to - from + 1) as u64) as i64
    }
}

/// The size of an element type in bits.
pub(super) fn width(ty: &str) -> u32 {
    match ty {
        "b1" => 1,
        "e2m1" | "s4" | "u4" => 4,
        "e3m2" | "e2m3" => 6,
        "e4m3" | "e5m2" | "s8" | "u8" | "ue8m0" | "ue4m3" => 8,
        "f16" | "bf16" => 16,
        "f64" => 64,
        _ => 32,
    }
}

/// The bits of a small integer as an element. Floating-point types accept -2 … 2.
pub(super) fn encode(ty: &str, value: i64) -> u64 {
    let float = |exponent: u32, fraction: u32| {
        let sign = u64::from(value < 0) << (exponent + fraction);
        let bias = (1u64 << (exponent - 1)) - 1;
        match value.abs() {
            0 => sign,
            1 => sign | bias << fraction,
            _ => sign | (bias + 1) << fraction,
        }
    };
    match ty {
        "f16" => float(5, 10),
        "bf16" => float(8, 7),
        "tf32" | "f32" => (value as f32).to_bits().into(),
        "f64" => (value as f64).to_bits(),
        "e4m3" => float(4, 3),
        "e5m2" => float(5, 2),
        "e3m2" => float(3, 2),
        "e2m3" => float(2, 3),
        "e2m1" => float(2, 1),
        _ => value as u64 & (u64::MAX >> (64 - width(ty))),
    }
}

/// The value of a result's bits. Half-precision results are integers.
pub(super) fn decode(ty: &str, bits: u64) -> f64 {
    match ty {
        "f64" => f64::from_bits(bits),
        "f32" => f32::from_bits(bits as u32).into(),
        "s32" => f64::from(bits as i32),
        "f16" => f16(bits as u16),
        _ => panic!("{ty}"),
    }
}

/// The value of the bits of a half-precision number.
pub(super) fn f16(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => ldexp(fraction, -24),
        _ => ldexp(1024.0 + fraction, exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The bits of the half-precision number nearest to an integer of at most 2048.
pub(super) fn to_f16(value: i64) -> u16 {
    let magnitude = value.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let top = 63 - magnitude.leading_zeros();
    let fraction = if top >= 10 { magnitude >> (top - 10) } else { magnitude << (10 - top) };
    (u16::from(value < 0) << 15) | ((top as u16 + 15) << 10) | (fraction as u16 & 1023)
}

/// A random element, small enough for the values of its type. It is not negative for unsigned types.
pub(super) fn any(random: &mut MatrixSamples, ty: &str) -> i64 {
    match ty {
        "b1" => random.range(0, 1),
        "u4" | "u8" => random.range(0, 15),
        "s4" => random.range(-8, 7),
        "s8" => random.range(-128, 127),
        _ => random.range(-2, 2),
    }
}

/// `a·b + c` for row-major matrices.
pub(super) fn product(m: usize, n: usize, k: usize, a: &[i64], b: &[i64], c: &[i64]) -> Vec<i64> {
    let at = |i: usize| {
        let (row, column) = (i / n, i % n);
        c[i] + (0..k).map(|x| a[row * k + x] * b[x * n + column]).sum::<i64>()
    };
    (0..m * n).map(at).collect()
}
