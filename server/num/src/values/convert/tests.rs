//! Tests of every conversion against independent references: `rustc_apfloat` for IEEE formats and integers, comparison with all
//! codes for the narrow formats, 128-bit arithmetic for integers, and constants folded by NVIDIA's assembler.

mod folds;
mod forms;
mod integers;
mod narrow;
mod packed;
mod scalars;

use super::{ConversionFormat, ConversionOptions, ConversionRounding, Scaled, Sources, compile};

/// A small deterministic generator.
pub(super) struct ConvertRandom(u64);

impl ConvertRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed * 2 + 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Parses modifiers written as in PTX, without the types: `.rn.ftz.sat`.
pub(super) fn options(text: &str) -> ConversionOptions {
    let mut options = ConversionOptions::default();
    for word in text.split('.').filter(|word| !word.is_empty()) {
        match word {
            "ftz" => options.ftz = true,
            "sat" => options.sat = true,
            "relu" => options.relu = true,
            "satfinite" => options.satfinite = true,
            "pzo" => options.pzo = true,
            "scaled::n1::ue8m0" => options.scaled = Scaled::One,
            "scaled::n2::ue8m0" => options.scaled = Scaled::Two,
            _ => options.rounding = Some(ConversionRounding::named(word).unwrap()),
        }
    }
    options
}

pub(super) fn format(name: &str) -> ConversionFormat {
    ConversionFormat::named(name).unwrap_or_else(|| panic!("{name}"))
}

/// Returns the conversion of an instruction (`cvt.rn.f32.s32`) as a function of `a`.
pub(super) fn unary(instruction: &str) -> impl Fn(u64) -> u64 + use<> {
    let conversion = written(instruction);
    move |a| conversion.run(&Sources { a, ..Sources::default() })
}

pub(super) fn written(instruction: &str) -> super::Conversion {
    let words: Vec<&str> = instruction.strip_prefix("cvt").unwrap().split('.').skip(1).collect();
    let [modifiers @ .., to, from] = words.as_slice() else { panic!("{instruction}") };
    let conversion = compile(format(from), format(to), options(&modifiers.join(".")));
    conversion.unwrap_or_else(|| panic!("{instruction}"))
}

/// `.f32` samples: all exponents, values near the limits of the other formats, and random values.
pub(super) fn singles(count: usize) -> Vec<u64> {
    let mut random = ConvertRandom::new(32);
    let mut samples = Vec::new();
    for exponent in 0..=255_u64 {
        for fraction in [0, 1, 0x40_0000, 0x3f_ffff, 0x40_0001, 0x7f_ffff, 0x7f_fffe, 0x1000, 0x0fff, 0x1001, 0x8000] {
            samples.push(exponent << 23 | fraction);
            samples.push(1 << 31 | exponent << 23 | fraction);
        }
    }
    while samples.len() < count {
        let bits = random.next();
        let short = bits & (u64::MAX << (bits >> 59 & 31).min(23));
        let near = (bits & 0x807f_ffff) | (100 + (bits >> 40) % 56) << 23;
        samples.extend([bits & 0xffff_ffff, short & 0xffff_ffff, near, near & 0xffff_f000]);
    }
    samples
}

/// `.f64` samples, selected like [`singles`].
pub(super) fn doubles(count: usize) -> Vec<u64> {
    let mut random = ConvertRandom::new(64);
    let mut samples = Vec::new();
    for exponent in (0..=2047_u64).filter(|e| *e < 3 || *e > 2044 || (850..1200).contains(e)) {
        for fraction in
            [0, 1, 1 << 51, (1 << 51) - 1, (1 << 51) + 1, (1 << 52) - 1, 1 << 28, (1 << 28) + 1, (1 << 41) + 1, 1 << 42]
        {
            samples.push(exponent << 52 | fraction);
            samples.push(1 << 63 | exponent << 52 | fraction);
        }
    }
    while samples.len() < count {
        let bits = random.next();
        let short = bits & (u64::MAX << (bits >> 58 & 63).min(52));
        let near = (bits & 0x800f_ffff_ffff_ffff) | (860 + random.next() % 330) << 52;
        samples.extend([bits, short, near, near & (u64::MAX << 28), near & (u64::MAX << 42)]);
    }
    samples
}

/// All values of 16 bits.
pub(super) fn halves() -> Vec<u64> {
    (0..=0xffff).collect()
}

/// Integer samples of 64 bits, of all magnitudes.
pub(super) fn wholes(count: usize) -> Vec<u64> {
    let mut random = ConvertRandom::new(1);
    let mut samples: Vec<u64> = (0..=0xffff).collect();
    for place in 0..64 {
        let power = 1_u64 << place;
        samples.extend([
            power,
            power - 1,
            power + 1,
            power.wrapping_neg(),
            !power,
            power | power >> 24,
            power | power >> 53,
        ]);
        samples.extend([power | power >> 11 | power >> 12, power | power >> 8, power | power >> 24 | power >> 25]);
    }
    while samples.len() < count {
        let bits = random.next();
        samples.extend([bits, bits >> (bits & 63), ((bits as i64) >> (bits >> 6 & 63)) as u64]);
    }
    samples
}
