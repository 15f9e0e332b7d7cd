//! Matrix multiplication D = A·B + C on the bits of the elements.

use super::element::{MatrixElementType, Traits};
use super::factors::Factors;
use super::numerics::{GROUP, MatrixInstruction, Numerics, SumOrder, SumRounding, SumRule};
use super::sum::{self, Accumulator, SumCertainty, SumTerm};
use crate::math::FusedInstruction;
use crate::values::Marks;
use crate::values::float::{FloatRounding, double};
use std::ops::Range;

/// Size of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProductShape {
    /// Rows of A, C and D.
    pub m: usize,
    /// Columns of B, C and D.
    pub n: usize,
    /// Columns of A (including the omitted columns of a sparse A) and rows of B.
    pub k: usize,
}

/// Operation on the bits of a row of A and a column of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitOperation {
    /// Counts the bits that differ.
    Xor,
    /// Counts the bits that are set in both.
    And,
}

/// Variant of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProductKind {
    /// No modifier. Sums of integers wrap around.
    Plain,
    /// Sums of integers are clamped to their range (`.satfinite`).
    Saturating,
    /// Double precision with this rounding.
    Rounded(FloatRounding),
    /// A product of single bits.
    Bits(BitOperation),
    /// Block scales.
    Scaled {
        /// Type of the scales.
        scale: MatrixElementType,
        /// Number of blocks in a row of A and in a column of B.
        blocks: usize,
        /// Elements of four bits without padding, added in groups of 16: `.kind::mxf4` and `.kind::mxf4nvf4`.
        packed: bool,
    },
}

/// Specification of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProductSpec {
    /// The instruction family.
    pub unit: MatrixInstruction,
    /// The tensor cores that compute the product.
    pub numerics: Numerics,
    /// Size of the matrices.
    pub shape: ProductShape,
    /// Element type of A.
    pub a: MatrixElementType,
    /// Element type of B.
    pub b: MatrixElementType,
    /// Element type of C.
    pub c: MatrixElementType,
    /// Element type of D.
    pub d: MatrixElementType,
    /// Variant of the product.
    pub kind: ProductKind,
    /// Whether A is sparse: only half of its columns are stored.
    pub sparse: bool,
    /// Whether A is negated.
    pub negate_a: bool,
    /// Whether B is negated.
    pub negate_b: bool,
}

/// Operands of a product: the bits of the elements, row-major, each in the lowest bits of a number.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProductOperands<'a> {
    /// `m` rows of `k` elements, or `k / 2` for a sparse A.
    pub a: &'a [u64],
    /// `k` rows of `n` elements.
    pub b: &'a [u64],
    /// `m` rows of `n` elements.
    pub c: &'a [u64],
    /// Block scales of A: `m` rows with one scale per block.
    pub scale_a: &'a [u64],
    /// Block scales of B: one row of `n` scales per block.
    pub scale_b: &'a [u64],
    /// For a sparse A the columns that its elements represent, row-major ([`super::sparse::columns`]).
    pub columns: &'a [u16],
    /// Power of two by which C is divided first (`scale-input-d` of `tcgen05.mma`).
    pub halvings: u32,
}

/// The result matrix D.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProductResult {
    /// `m` rows of `n` elements.
    pub d: Vec<u64>,
    /// Marks of each element.
    pub marks: Vec<Marks>,
}

#[cfg(test)]
impl ProductResult {
    /// Union of the marks of all elements.
    pub fn all_marks(&self) -> Marks {
        self.marks.iter().fold(Marks::NONE, |all, mark| all | *mark)
    }
}

/// Reason why a matrix operation cannot be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixRefusal(pub &'static str);

enum Arithmetic {
    Float { rule: SumRule, blocks: Vec<Range<usize>>, order: Vec<usize> },
    Scaled { rule: SumRule, blocks: usize, scale: MatrixElementType },
    Grouped { rule: SumRule, blocks: usize, scale: MatrixElementType },
    Integer { saturating: bool },
    Bits(BitOperation),
    Double(FloatRounding),
}

/// A prepared matrix product.
pub struct Product {
    spec: ProductSpec,
    /// Number of stored columns of A.
    kept: usize,
    arithmetic: Arithmetic,
}

impl Product {
    /// Prepares a matrix product.
    pub fn new(spec: ProductSpec) -> Result<Self, MatrixRefusal> {
        let ProductShape { m, n, k } = spec.shape;
        if m == 0 || n == 0 || k == 0 || m > 256 || n > 256 || k > 256 {
            return Err(MatrixRefusal("no tensor core has a product of this size"));
        }
        if spec.sparse && k % 8 != 0 {
            return Err(MatrixRefusal("K of a sparse product is a multiple of its chunks"));
        }
        let kept = if spec.sparse { k / 2 } else { k };
        let arithmetic = Self::arithmetic(&spec, kept)?;
        Ok(Self { spec, kept, arithmetic })
    }

    /// Returns how many of its multiplications take as long as an ordinary instruction of the interpreter, about 50 ns.
    pub fn multiplications_per_effort(&self) -> f64 {
        match self.spec.kind {
            ProductKind::Bits(_) => 100.0,
            _ if self.spec.d == MatrixElementType::S32 => 40.0,
            _ => 5.0,
        }
    }

    fn arithmetic(spec: &ProductSpec, kept: usize) -> Result<Arithmetic, MatrixRefusal> {
        let floats = spec.a.multiplies_with(spec.b);
        let integers = spec.a.integer(0).is_some() && spec.b.integer(0).is_some();
        let sums = spec.c == MatrixElementType::S32 && spec.d == MatrixElementType::S32;
        match spec.kind {
            ProductKind::Scaled { scale, blocks, packed } => {
                let fits = blocks != 0
                    && kept.is_multiple_of(blocks)
                    && matches!(scale, MatrixElementType::Ue8m0 | MatrixElementType::Ue4m3);
                if !floats || !fits || (spec.c, spec.d) != (MatrixElementType::F32, MatrixElementType::F32) {
                    return Err(MatrixRefusal("block scales of no such type or number"));
                }
                match packed {
                    true if (spec.a, spec.b) == (MatrixElementType::E2m1, MatrixElementType::E2m1)
                        && (kept / blocks).is_multiple_of(GROUP) =>
                    {
                        Ok(Arithmetic::Grouped { rule: spec.numerics.grouped_rule(), blocks, scale })
                    }
                    false if scale == MatrixElementType::Ue8m0 => {
                        Ok(Arithmetic::Scaled { rule: spec.numerics.scaled_rule(), blocks, scale })
                    }
                    _ => Err(MatrixRefusal("block scales of no such type or number")),
                }
            }
            ProductKind::Bits(operation)
                if spec.a == MatrixElementType::B1 && spec.b == MatrixElementType::B1 && sums && !spec.sparse =>
            {
                Ok(Arithmetic::Bits(operation))
            }
            ProductKind::Rounded(direction)
                if [spec.a, spec.b, spec.c, spec.d] == [MatrixElementType::F64; 4] && !spec.sparse =>
            {
                Ok(Arithmetic::Double(direction))
            }
            ProductKind::Plain | ProductKind::Saturating if integers && sums && spec.a != MatrixElementType::B1 => {
                Ok(Arithmetic::Integer { saturating: spec.kind == ProductKind::Saturating })
            }
            ProductKind::Plain if floats && matches!(spec.d, MatrixElementType::F16 | MatrixElementType::F32) => {
                if !matches!(spec.c, MatrixElementType::F16 | MatrixElementType::F32)
                    || (spec.c, spec.d) == (MatrixElementType::F32, MatrixElementType::F16)
                {
                    return Err(MatrixRefusal("no tensor core has these accumulators"));
                }
                let rule = spec.numerics.rule(spec.unit, spec.a, spec.d);
                Ok(Self::float(rule, kept))
            }
            _ => Err(MatrixRefusal("no tensor core multiplies these types")),
        }
    }

    fn float(rule: SumRule, kept: usize) -> Arithmetic {
        let halves = rule.order == SumOrder::HalvesThenC;
        let order: Vec<usize> = match halves {
            true => (0..kept).filter(|k| k % 4 < 2).chain((0..kept).filter(|k| k % 4 >= 2)).collect(),
            false => (0..kept).collect(),
        };
        let at_once = if halves { rule.at_once.min(kept.div_ceil(2)) } else { rule.at_once };
        let blocks = (0..kept).step_by(at_once.max(1)).map(|begin| begin..(begin + at_once).min(kept)).collect();
        Arithmetic::Float { rule, blocks, order }
    }

    /// Returns the specification.
    pub fn spec(&self) -> &ProductSpec {
        &self.spec
    }

    /// Multiplies the matrices; fails if their sizes do not match the specification.
    pub fn multiply(&self, operands: &ProductOperands<'_>) -> Result<ProductResult, MatrixRefusal> {
        let ProductShape { m, n, k } = self.spec.shape;
        let scales = match self.arithmetic {
            Arithmetic::Scaled { blocks, .. } | Arithmetic::Grouped { blocks, .. } => blocks,
            _ => 0,
        };
        let sizes = [
            (operands.a.len(), m * self.kept),
            (operands.b.len(), k * n),
            (operands.c.len(), m * n),
            (operands.scale_a.len(), m * scales),
            (operands.scale_b.len(), n * scales),
            (operands.columns.len(), if self.spec.sparse { m * self.kept } else { 0 }),
        ];
        if sizes.iter().any(|(is, must)| is != must) || operands.columns.iter().any(|c| usize::from(*c) >= k) {
            return Err(MatrixRefusal("an operand is not of the size that the product has"));
        }
        Ok(match &self.arithmetic {
            Arithmetic::Float { rule, blocks, order } => self.floats(operands, rule, blocks, order),
            Arithmetic::Scaled { rule, blocks, scale } => self.scaled(operands, rule, *blocks, *scale),
            Arithmetic::Grouped { rule, blocks, scale } => self.grouped(operands, rule, *blocks, *scale),
            Arithmetic::Integer { saturating } => self.integers(operands, *saturating),
            Arithmetic::Bits(operation) => self.bits(operands, *operation),
            Arithmetic::Double(direction) => self.doubles(operands, *direction),
        })
    }

    /// Computes every element of D with a function of its row and column.
    fn each(&self, mut value: impl FnMut(usize, usize) -> (u64, Marks)) -> ProductResult {
        let ProductShape { m, n, .. } = self.spec.shape;
        let mut outcome = ProductResult { d: Vec::with_capacity(m * n), marks: Vec::with_capacity(m * n) };
        for row in 0..m {
            for column in 0..n {
                let (bits, marks) = value(row, column);
                outcome.d.push(bits);
                outcome.marks.push(marks);
            }
        }
        outcome
    }

    /// Decodes A and B with K in the order `order`. If A is sparse, B is decoded whole; [`Self::rows`] gathers the elements for
    /// each row of A.
    fn factors(
        &self,
        operands: &ProductOperands<'_>,
        order: &[usize],
        blocks: &[Range<usize>],
    ) -> (Factors, FactorsOfB) {
        let ProductShape { m, n, k } = self.spec.shape;
        let spec = &self.spec;
        let a = Factors::new(spec.a, spec.negate_a, m, order.len(), blocks, |line, at| {
            operands.a[line * self.kept + order[at]]
        });
        let b = if spec.sparse {
            let all = 0..k;
            let b = Factors::new(spec.b, spec.negate_b, n, k, std::slice::from_ref(&all), |line, at| {
                operands.b[at * n + line]
            });
            FactorsOfB::Gathered(b)
        } else {
            FactorsOfB::Straight(Factors::new(spec.b, spec.negate_b, n, order.len(), blocks, |line, at| {
                operands.b[order[at] * n + line]
            }))
        };
        (a, b)
    }

    fn floats(
        &self,
        operands: &ProductOperands<'_>,
        rule: &SumRule,
        blocks: &[Range<usize>],
        order: &[usize],
    ) -> ProductResult {
        let (a, b) = self.factors(operands, order, blocks);
        let mut gathered = Factors::room(order.len());
        self.rows(operands, order, blocks, &a, &b, &mut gathered, |row, column, a, b, line| {
            let bits = operands.c[row * self.spec.shape.n + column];
            self.float_element(bits, operands.halvings, rule, blocks, (a, row), (b, line))
        })
    }

    /// Computes every element of D with `value`. Its arguments are row, column, the lines of A, the lines of B, and the index
    /// of the line of B for the column.
    #[expect(clippy::too_many_arguments, reason = "all that a product of rows needs")]
    fn rows(
        &self,
        operands: &ProductOperands<'_>,
        order: &[usize],
        blocks: &[Range<usize>],
        a: &Factors,
        b: &FactorsOfB,
        gathered: &mut Factors,
        value: impl Fn(usize, usize, &Factors, &Factors, usize) -> (u64, Marks),
    ) -> ProductResult {
        self.each(|row, column| match b {
            FactorsOfB::Straight(b) => value(row, column, a, b, column),
            FactorsOfB::Gathered(b) => {
                let columns = &operands.columns[row * self.kept..][..self.kept];
                gathered.gather(b, column, order, columns, blocks);
                value(row, column, a, gathered, 0)
            }
        })
    }

    #[inline]
    fn float_element(
        &self,
        c: u64,
        halvings: u32,
        rule: &SumRule,
        blocks: &[Range<usize>],
        (a, row): (&Factors, usize),
        (b, line): (&Factors, usize),
    ) -> (u64, Marks) {
        let product_bits = self.spec.a.fraction_bits() + self.spec.b.fraction_bits();
        let mut first = Accumulator::new(c, self.spec.c, rule.rounding);
        first.number.exponent -= halvings.min(1024) as i32;
        let certainty = first.certainty().and(a.products(row, b, line));
        let late = rule.order == SumOrder::HalvesThenC;
        let mut accumulator = if late { Accumulator::new(0, self.spec.d, rule.rounding) } else { first };
        let mut traits = first.number.traits;
        let mut bits = 0;
        for (index, range) in blocks.iter().enumerate() {
            let of_block = a.traits(row, index) | b.traits(line, index);
            traits |= of_block;
            bits = if (of_block | accumulator.number.traits) & Traits::SPECIAL != 0 {
                let all = a.special_products(row, b, line, range.clone()) | accumulator.number.traits;
                match sum::special(all, rule.rounding) {
                    Some(bits) => bits,
                    None => return (0, Marks::UNSPECIFIED),
                }
            } else {
                let zeros = of_block & Traits::ZERO != 0;
                let (a, b) = (a.part(row, range), b.part(line, range));
                sum::block(a, b, accumulator, rule, product_bits, zeros, 0)
            };
            if index + 1 < blocks.len() {
                accumulator = Accumulator::new(bits.into(), self.spec.d, rule.rounding);
            }
        }
        if late {
            bits = sum::add_c(bits, c as u32, rule.rounding);
        }
        (bits.into(), marks(bits, traits, first, &certainty, rule.rounding))
    }

    fn scaled(
        &self,
        operands: &ProductOperands<'_>,
        rule: &SumRule,
        blocks: usize,
        scale: MatrixElementType,
    ) -> ProductResult {
        let order: Vec<usize> = (0..self.kept).collect();
        let step = (self.kept / blocks).min(rule.at_once);
        let ranges: Vec<Range<usize>> = (0..self.kept).step_by(step).map(|at| at..(at + step).min(self.kept)).collect();
        let (a, b) = self.factors(operands, &order, &ranges);
        let mut gathered = Factors::room(order.len());
        let n = self.spec.shape.n;
        let product_bits = self.spec.a.fraction_bits() + self.spec.b.fraction_bits();
        self.rows(operands, &order, &ranges, &a, &b, &mut gathered, |row, column, a, b, line| {
            let first = Accumulator::new(operands.c[row * n + column], MatrixElementType::F32, rule.rounding);
            let mut certainty = first.certainty();
            let (mut accumulator, mut traits, mut bits) = (first, first.number.traits, 0);
            for (index, range) in ranges.iter().enumerate() {
                let at = range.start * blocks / self.kept;
                let sa = scale.decode(operands.scale_a[row * blocks + at]);
                let sb = scale.decode(operands.scale_b[at * n + column]);
                let of_block = a.traits(row, index) | b.traits(line, index) | sa.traits | sb.traits;
                certainty = certainty.and(a.products(row, b, line).scaled(sa.exponent + sb.exponent));
                traits |= of_block;
                bits = if (of_block | accumulator.number.traits) & Traits::SPECIAL != 0 {
                    let products = a.special_products(row, b, line, range.clone());
                    let all = products | sa.traits | sb.traits | accumulator.number.traits;
                    match sum::special(all, rule.rounding) {
                        Some(bits) => bits,
                        None => return (0, Marks::UNSPECIFIED),
                    }
                } else {
                    let zeros = of_block & Traits::ZERO != 0;
                    let (a, b) = (a.part(row, range), b.part(line, range));
                    let scale = sa.exponent + sb.exponent;
                    sum::block(a, b, accumulator, rule, product_bits, zeros, scale)
                };
                accumulator = Accumulator::new(bits.into(), MatrixElementType::F32, rule.rounding);
            }
            (bits.into(), marks(bits, traits, first, &certainty, rule.rounding))
        })
    }

    fn grouped(
        &self,
        operands: &ProductOperands<'_>,
        rule: &SumRule,
        blocks: usize,
        scale: MatrixElementType,
    ) -> ProductResult {
        let order: Vec<usize> = (0..self.kept).collect();
        let ranges: Vec<Range<usize>> = (0..self.kept).step_by(GROUP).map(|at| at..at + GROUP).collect();
        let (a, b) = self.factors(operands, &order, &ranges);
        let mut gathered = Factors::room(order.len());
        let n = self.spec.shape.n;
        // Products of two e2m1 have two bits after the point; products of two scales have twice the bits of one scale.
        let term_bits = 2 + 2 * scale.fraction_bits();
        self.rows(operands, &order, &ranges, &a, &b, &mut gathered, |row, column, a, b, line| {
            let first = Accumulator::new(operands.c[row * n + column], MatrixElementType::F32, rule.rounding);
            let mut certainty = first.certainty();
            let mut traits = first.number.traits;
            let mut terms = [SumTerm { significand: 0, exponent: rule.zero_exponent }; 16];
            for (range, term) in ranges.iter().zip(&mut terms) {
                let at = range.start * blocks / self.kept;
                let sa = scale.decode(operands.scale_a[row * blocks + at]);
                let sb = scale.decode(operands.scale_b[at * n + column]);
                traits |= sa.traits | sb.traits;
                let (sum, size) = sum::group(a.part(row, range), b.part(line, range));
                let scales = i64::from(sa.significand) * i64::from(sb.significand);
                if size != 0 && scales != 0 {
                    *term = SumTerm { significand: sum * scales, exponent: sa.exponent + sb.exponent };
                    let unit = sa.exponent + sb.exponent - term_bits as i32;
                    certainty = certainty.and(SumCertainty::of_group((size * scales) as f64, unit));
                }
            }
            for index in 0..ranges.len() {
                traits |= (a.traits(row, index) | b.traits(line, index)) & Traits::SUBNORMAL;
            }
            let bits = if traits & Traits::SPECIAL != 0 {
                match sum::special(traits, rule.rounding) {
                    Some(bits) => bits,
                    None => return (0, Marks::UNSPECIFIED),
                }
            } else {
                let used = ranges.len().min(terms.len());
                sum::terms(&terms[..used], term_bits, first, rule)
            };
            (bits.into(), marks(bits, traits, first, &certainty, rule.rounding))
        })
    }

    fn integers(&self, operands: &ProductOperands<'_>, saturating: bool) -> ProductResult {
        let ProductShape { n, k, .. } = self.spec.shape;
        let integer = |element: MatrixElementType, negate: bool, bits: u64| {
            let value = element.integer(bits).unwrap_or(0);
            if negate { -value } else { value }
        };
        let a: Vec<i32> = operands.a.iter().map(|bits| integer(self.spec.a, self.spec.negate_a, *bits)).collect();
        let mut b = vec![0; n * k];
        for (at, bits) in operands.b.iter().enumerate() {
            b[at % n * k + at / n] = integer(self.spec.b, self.spec.negate_b, *bits);
        }
        self.each(|row, column| {
            let (a, b) = (&a[row * self.kept..][..self.kept], &b[column * k..][..k]);
            // At most 256 products of 2^16 each: the sum cannot overflow.
            let products: i32 = if self.spec.sparse {
                let columns = &operands.columns[row * self.kept..][..self.kept];
                a.iter().zip(columns).map(|(a, column)| a * b[usize::from(*column)]).sum()
            } else {
                a.iter().zip(b).map(|(a, b)| a * b).sum()
            };
            let c = operands.c[row * n + column] as i32;
            let d = if saturating { c.saturating_add(products) } else { c.wrapping_add(products) };
            (u64::from(d as u32), Marks::NONE)
        })
    }

    fn bits(&self, operands: &ProductOperands<'_>, operation: BitOperation) -> ProductResult {
        let ProductShape { m, n, k } = self.spec.shape;
        let words = k.div_ceil(64);
        let (mut a, mut b) = (vec![0u64; m * words], vec![0u64; n * words]);
        for (at, bits) in operands.a.iter().enumerate() {
            a[at / k * words + at % k / 64] |= (bits & 1) << (at % k % 64);
        }
        for (at, bits) in operands.b.iter().enumerate() {
            b[at % n * words + at / n / 64] |= (bits & 1) << (at / n % 64);
        }
        self.each(|row, column| {
            let (a, b) = (&a[row * words..][..words], &b[column * words..][..words]);
            let count: u32 = a
                .iter()
                .zip(b)
                .map(|(a, b)| match operation {
                    BitOperation::Xor => (a ^ b).count_ones(),
                    BitOperation::And => (a & b).count_ones(),
                })
                .sum();
            (u64::from((operands.c[row * n + column] as u32).wrapping_add(count)), Marks::NONE)
        })
    }

    fn doubles(&self, operands: &ProductOperands<'_>, direction: FloatRounding) -> ProductResult {
        let ProductShape { n, k, .. } = self.spec.shape;
        let sign = |negate: bool| if negate { 1 << 63 } else { 0 };
        let (negate_a, negate_b) = (sign(self.spec.negate_a), sign(self.spec.negate_b));
        let fused = FusedInstruction::detect();
        self.each(|row, column| {
            let mut sum = operands.c[row * n + column];
            for at in 0..k {
                let (a, b) = (operands.a[row * k + at] ^ negate_a, operands.b[at * n + column] ^ negate_b);
                sum = double::fma(fused, direction, a, b, sum);
            }
            let nan = f64::from_bits(sum).is_nan();
            (sum, if nan { Marks::UNSPECIFIED } else { Marks::NONE })
        })
    }
}

/// The decoded B: line by line in the order of A's columns, or for a sparse A with all its rows.
enum FactorsOfB {
    Straight(Factors),
    Gathered(Factors),
}

/// Returns the marks of a result: none if all implementations that the manual allows return the same.
fn marks(bits: u32, traits: u8, c: Accumulator, certainty: &SumCertainty, rounding: SumRounding) -> Marks {
    let nan = match rounding {
        SumRounding::F16NearestEven => bits & 0x7fff > 0x7c00,
        _ => bits & 0x7fff_ffff > 0x7f80_0000,
    };
    // All terms may be negative zeros; whether the sum is one too is open.
    let zero = bits == 0 && c.number.negative && c.number.significand == 0;
    let certain = !nan && !zero && traits & Traits::SUBNORMAL == 0;
    let special = traits & Traits::SPECIAL != 0;
    if certain && (special || certainty.is_certain(rounding)) { Marks::NONE } else { Marks::UNSPECIFIED }
}
