//! Random numbers for `uniform` and `normal`: the same on every computer and in every version.
//!
//! Element `i` of a fill with seed `s` depends only on `s` and `i`. Its random words are `mix(mix(s) + (k × i + j + 1) × φ)`, where `j` is
//! the index of the word, `k` the number of words per element, and `φ` = 0x9e3779b97f4a7c15. `mix` is the finalizer of SplitMix64 (Steele,
//! Lea and Flood, 2014). The conversion uses only IEEE 754 additions, multiplications and roundings, and no function whose last bit differs
//! between libraries.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Random word `j` of the `k` words of an element.
fn word(seed: u64, index: u64, j: u64, k: u64) -> u64 {
    let position = index.wrapping_mul(k).wrapping_add(j).wrapping_add(1);
    mix(mix(seed).wrapping_add(position.wrapping_mul(GOLDEN)))
}

/// 128 random bits for an element.
pub(super) fn bits(seed: u64, index: u64) -> u128 {
    u128::from(word(seed, index, 0, 2)) << 64 | u128::from(word(seed, index, 1, 2))
}

/// A number from 0 to 1, 1 excluded, in steps of 2⁻⁵³.
pub(super) fn unit(seed: u64, index: u64) -> f64 {
    fraction(word(seed, index, 0, 2))
}

fn fraction(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Number of random words per normally distributed number.
const SUM: u64 = 12;

/// A number of mean 0 and standard deviation 1: the sum of twelve uniform numbers minus six, which lies between −6 and 6.
pub(super) fn normal(seed: u64, index: u64) -> f64 {
    (0..SUM).map(|j| fraction(word(seed, index, j, SUM))).sum::<f64>() - SUM as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::{bits, normal, unit};

    #[test]
    fn the_numbers_never_change() {
        // Users' files rely on them. They were computed by another program.
        assert_eq!(bits(0, 0), 0xe220_a839_7b1d_cdaf_6e78_9e6a_a1b9_65f4);
        assert_eq!(unit(7, 0).to_bits(), UNIT_7_0);
        assert_eq!(normal(7, 1).to_bits(), NORMAL_7_1);
    }

    const UNIT_7_0: u64 = 0x3fe0c77123e98157;
    const NORMAL_7_1: u64 = 0x3ffe1f1e08a58ed0;

    #[test]
    fn moments() {
        let count = 10_000;
        let mean = |f: &dyn Fn(u64) -> f64| (0..count).map(f).sum::<f64>() / count as f64;
        assert!((mean(&|i| unit(1, i)) - 0.5).abs() < 0.01);
        assert!((0..count).all(|i| (0.0..1.0).contains(&unit(1, i))));
        assert!(mean(&|i| normal(1, i)).abs() < 0.03);
        assert!((mean(&|i| normal(1, i) * normal(1, i)) - 1.0).abs() < 0.03);
        assert!(mean(&|i| unit(1, i) * unit(2, i)) - 0.25 < 0.01, "seeds have nothing to do with each other");
    }
}
