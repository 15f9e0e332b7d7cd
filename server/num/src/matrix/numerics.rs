//! Summation rules of the tensor cores of each target for products of floating-point numbers.
//!
//! The manual leaves order, rounding and the treatment of subnormal inputs open (9.7.14.5.14). The rules here come from
//! published measurements of hardware:
//!
//! - arXiv 2511.10909 ("MMA-Sim") and its later public parameters: V100, T4, A100, RTX 4090 class, H100, B200, RTX Blackwell,
//!   all bit for bit over random inputs: the number of fraction bits kept, how many products are added at once, the exponent
//!   that stands in for zeros, the rounding, and the results that are NaN.
//! - arXiv 2512.07004: the same model found independently for V100, A100, H100 and B200.
//! - The machine code that `ptxas` 13 emits for `mma` on 8-bit floats for sm_90 … sm_110: two `HMMA` on the numbers converted
//!   to f16, the first beginning at zero, and an `FADD` (or `HADD2`) of C at the end.
//!
//! Assumed without measurements: sm_86 … sm_88 behave as sm_80, sm_72 as sm_70, sm_101 … sm_110 as sm_100, sm_121 as sm_120.
//! Sparse products add the kept elements in their order, as many at once as dense products. For 8-bit floats on sm_90 … sm_110
//! `ptxas` emits two `HMMA.SP`; their share of K is taken from the dense case. `m8n8k4` from sm_80 on, which `ptxas` emulates
//! without tensor cores, behaves as the other shapes. `.kind::mxf4` with K of 96 adds all products in one sum.
//!
//! The model: products are exact. The products and the accumulator are aligned to the greatest exponent, each truncated toward
//! zero to a fixed number of bits after the point, and added. The sum is rounded once. Exponents belong to significands that
//! are not normalised: a product has the sum of its factors' exponents, a subnormal number has the least exponent of its
//! format.

use super::element::MatrixElementType;
use ptx_isa::tables::TargetInfo;

/// Family of the instruction that multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixInstruction {
    /// `mma`, `mma.sp`, `wmma`.
    Mma,
    /// `wgmma`.
    Wgmma,
    /// `tcgen05.mma`.
    Tcgen05,
}

/// A generation of tensor cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// sm_70, sm_72.
    Volta,
    /// sm_75.
    Turing,
    /// sm_80 … sm_88. Measured on sm_80.
    Ampere,
    /// sm_89.
    Ada,
    /// sm_90.
    Hopper,
    /// sm_100 … sm_110. Measured on sm_100.
    Blackwell,
    /// sm_120 and later. Measured on sm_120.
    BlackwellRtx,
}

/// The tensor cores of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Numerics {
    /// Generation of the tensor cores.
    pub generation: Generation,
}

/// Format and rounding of a sum of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumRounding {
    /// Single precision, toward zero.
    F32TowardZero,
    /// Single precision with only 13 bits after the point, toward zero.
    F32With13Bits,
    /// Half precision, to nearest even.
    F16NearestEven,
}

/// Order in which products are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumOrder {
    /// In blocks along K: each block starts from the sum of the blocks before it, the first block from C.
    Blocks,
    /// As two instructions on f16, starting from zero: of each four neighbours along K the first two, then the last two. C is
    /// added at the end, rounded to nearest even.
    HalvesThenC,
}

/// Summation rule of one kind of product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumRule {
    /// Bits after the point that terms keep after alignment.
    pub fraction_bits: u32,
    /// Maximum number of products that are added at once.
    pub at_once: usize,
    /// The exponent with which a zero takes part in the search for the greatest exponent.
    pub zero_exponent: i32,
    /// Format and rounding of the sum.
    pub rounding: SumRounding,
    /// Order in which the products are added.
    pub order: SumOrder,
}

impl Numerics {
    /// Returns the tensor cores of a target, derived from its features; `None` if the target has none.
    pub fn for_target(target: &TargetInfo) -> Option<Self> {
        // The newest generation first, because a target also has the features of older ones.
        let generations = [
            ("sm_120", Generation::BlackwellRtx),
            ("sm_100", Generation::Blackwell),
            ("sm_90", Generation::Hopper),
            ("sm_89", Generation::Ada),
            ("sm_80", Generation::Ampere),
            ("sm_75", Generation::Turing),
            ("sm_70", Generation::Volta),
        ];
        let generation = generations.into_iter().find(|(feature, _)| target.has(feature))?.1;
        Some(Self { generation })
    }

    /// Returns the rule for products of elements `a` (with `b` of the same width or class) with a result of type `d`, without
    /// block scales.
    pub fn rule(self, unit: MatrixInstruction, a: MatrixElementType, d: MatrixElementType) -> SumRule {
        use Generation::{Ada, Ampere, Blackwell, BlackwellRtx, Hopper, Turing, Volta};
        let narrow = a.is_narrow();
        let emulated = narrow && unit == MatrixInstruction::Mma && matches!(self.generation, Hopper | Blackwell);
        let (fraction_bits, bytes_at_once, zero_exponent) = match self.generation {
            Volta => (23, 8, -131),
            Turing => (24, 16, -132),
            Ampere | Ada => (24, 16, -132),
            Hopper | Blackwell | BlackwellRtx => (25, 32, -133),
        };
        let short = narrow && !emulated && matches!(self.generation, Ada | Hopper);
        let width = match a {
            MatrixElementType::Tf32 => 4,
            _ if narrow && !emulated => 1,
            _ => 2,
        };
        SumRule {
            fraction_bits: if short { 13 } else { fraction_bits },
            at_once: bytes_at_once / width,
            zero_exponent,
            rounding: match d {
                MatrixElementType::F16 => SumRounding::F16NearestEven,
                _ if short => SumRounding::F32With13Bits,
                _ => SumRounding::F32TowardZero,
            },
            order: if emulated { SumOrder::HalvesThenC } else { SumOrder::Blocks },
        }
    }

    /// Returns the rule for block scales on 8-bit containers (`.kind::mxf8f6f4`): the exponents of the scales are added to
    /// those of the products.
    pub fn scaled_rule(self) -> SumRule {
        SumRule {
            fraction_bits: 25,
            at_once: 32,
            zero_exponent: -133,
            rounding: SumRounding::F32TowardZero,
            order: SumOrder::Blocks,
        }
    }

    /// Returns the rule for block scales on four bits (`.kind::mxf4`, `.kind::mxf4nvf4`). 16 products are added exactly and the
    /// sum is multiplied with the significands of its scales; the results are the terms of the sum.
    pub fn grouped_rule(self) -> SumRule {
        // `at_once` covers the greatest K, 96, and the kept half of K of a sparse product.
        SumRule {
            fraction_bits: 35,
            at_once: 96,
            zero_exponent: -139,
            rounding: SumRounding::F32TowardZero,
            order: SumOrder::Blocks,
        }
    }
}

/// Number of products of four-bit elements that are added exactly before their block scales are applied.
pub(crate) const GROUP: usize = 16;
