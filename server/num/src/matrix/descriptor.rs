//! Descriptors of matrices in shared memory (`wgmma`, `tcgen05`), and the instruction descriptor of `tcgen05.mma`.

use super::element::MatrixElementType;
use super::product::{MatrixRefusal, ProductShape};
use super::shared::{Major, SharedMatrix, SharedSwizzle};
use ptx_isa::tables::BitField;
use ptx_isa::{ISA, Modifier};

/// Reader of the named fields of a bit encoding.
struct Fields {
    fields: &'static [BitField],
    bits: u64,
    kind: &'static str,
}

impl Fields {
    fn new(encoding: &str, bits: u64, kind: &'static str) -> Result<Self, MatrixRefusal> {
        let found = ISA.encoding(encoding).ok_or(MatrixRefusal("the tables have no such encoding"))?;
        Ok(Self { fields: found.fields, bits, kind })
    }

    fn field(&self, name: &str) -> Option<&'static BitField> {
        let applies = |f: &&BitField| f.name == name && (f.when.is_empty() || f.when.contains(&self.kind));
        self.fields.iter().find(applies)
    }

    /// Returns the number in a field; 0 if no field has that name.
    fn number(&self, name: &str) -> u64 {
        self.field(name).map_or(0, |f| f.of(self.bits) * u64::from(f.times.max(1)))
    }

    /// Returns the element type that a field names.
    fn element(&self, name: &str) -> Result<MatrixElementType, MatrixRefusal> {
        let meaning = self.field(name).and_then(|f| f.meaning(f.of(self.bits)));
        let named = meaning.and_then(|words| MatrixElementType::named(words.trim_matches('`')));
        named.ok_or(MatrixRefusal("the instruction descriptor names no type that this kind has"))
    }
}

/// Decodes a matrix descriptor of `wgmma`; the instruction supplies the majorness.
pub fn wgmma(bits: u64, major: Major, element_bits: u32) -> Result<SharedMatrix, MatrixRefusal> {
    let fields = Fields::new("wgmma-descriptor", bits, "")?;
    let swizzle = match fields.number("swizzling") {
        0 => SharedSwizzle::None,
        1 => SharedSwizzle::Bytes128,
        2 => SharedSwizzle::Bytes64,
        _ => SharedSwizzle::Bytes32,
    };
    Ok(SharedMatrix {
        start: fields.number("address") as u32,
        leading: fields.number("leading offset") as u32,
        stride: fields.number("stride offset") as u32,
        base_offset: fields.number("base offset") as u32,
        second_chunk: None,
        swizzle,
        major,
        element_bits,
        in_sixteens: false,
    })
}

/// Decodes a matrix descriptor of `tcgen05`.
///
/// `in_sixteens`: elements of 4 or 6 bits in groups of 16 that begin at a multiple of 16 bytes (`.kind::f8f6f4`, `.kind::mxf8f6f4`).
pub fn tcgen05(bits: u64, major: Major, element_bits: u32, in_sixteens: bool) -> Result<SharedMatrix, MatrixRefusal> {
    let fields = Fields::new("matrix-descriptor", bits, "")?;
    if fields.number("must be 1") != 1 {
        return Err(MatrixRefusal("bits 46 … 48 of a descriptor of `tcgen05` must be 1"));
    }
    let swizzle = match fields.number("swizzle") {
        0 => SharedSwizzle::None,
        1 => SharedSwizzle::Bytes128By32,
        2 => SharedSwizzle::Bytes128,
        4 => SharedSwizzle::Bytes64,
        6 => SharedSwizzle::Bytes32,
        _ => return Err(MatrixRefusal("the descriptor names no swizzling mode")),
    };
    let leading = fields.number("leading-dimension offset") as u32;
    let absolute = fields.number("leading dimension is an absolute address") == 1;
    let base_offset = fields.number("base offset") as u32;
    if absolute && (swizzle != SharedSwizzle::Bytes128 || major != Major::K || base_offset != 0) {
        return Err(MatrixRefusal(
            "an absolute leading dimension is for K-major matrices with 128-byte swizzling only",
        ));
    }
    if fields.number("second 24 bytes") == 1 {
        return Err(MatrixRefusal("descriptors of the second 24 bytes are not described in the manual"));
    }
    Ok(SharedMatrix {
        start: fields.number("address") as u32,
        leading,
        stride: fields.number("stride-dimension offset") as u32,
        base_offset,
        second_chunk: absolute.then_some(leading),
        swizzle,
        major,
        element_bits,
        in_sixteens: in_sixteens && element_bits < 8,
    })
}

/// A decoded instruction descriptor of `tcgen05.mma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionDescriptor {
    /// M and N of the descriptor, and the K of the instruction kind (for sparse products including the zeros).
    pub shape: ProductShape,
    /// Element type of A.
    pub a: MatrixElementType,
    /// Element type of B.
    pub b: MatrixElementType,
    /// Element type of D.
    pub d: MatrixElementType,
    /// Whether A is sparse.
    pub sparse: bool,
    /// Sparsity selector: which metadata of the column the product uses.
    pub selector: u32,
    /// Whether sums of integers are clamped to their range.
    pub saturating: bool,
    /// Whether A is negated.
    pub negate_a: bool,
    /// Whether B is negated.
    pub negate_b: bool,
    /// Majorness of A in shared memory.
    pub major_a: Major,
    /// Majorness of B in shared memory.
    pub major_b: Major,
    /// Type of the block scales, if the kind has block scales.
    pub scale: Option<MatrixElementType>,
    /// Scale id of A: selects the block scales of A.
    pub scale_a: u32,
    /// Scale id of B: selects the block scales of B.
    pub scale_b: u32,
}

/// Decodes an instruction descriptor for a `.kind::…`.
pub fn instruction(bits: u32, kind: Modifier) -> Result<InstructionDescriptor, MatrixRefusal> {
    let fields = Fields::new("instruction-descriptor", bits.into(), kind.name())?;
    let scaled = matches!(kind, Modifier::KindMxf8f6f4 | Modifier::KindMxf4 | Modifier::KindMxf4nvf4);
    let flag = |name: &str| fields.number(name) == 1;
    let sparse = flag("sparse A");
    let (a, b) = (fields.element("type of A")?, fields.element("type of B")?);
    // K covers 32 bytes of a row of A; a sparse A has twice as many columns, half of them omitted (manual 9.7.16.2.1).
    let dense = match kind {
        Modifier::KindF16 => 16,
        Modifier::KindTf32 => 8,
        Modifier::KindI8 | Modifier::KindF8f6f4 | Modifier::KindMxf8f6f4 => 32,
        // Bit 31 of the descriptor; the tables have no field for it.
        Modifier::KindMxf4 | Modifier::KindMxf4nvf4 if bits >> 31 == 1 => 96,
        Modifier::KindMxf4 | Modifier::KindMxf4nvf4 => 64,
        _ => return Err(MatrixRefusal("the manual does not describe this kind of `tcgen05.mma`")),
    };
    if dense == 96 && sparse {
        return Err(MatrixRefusal("K of 96 is for dense products only"));
    }
    let major = |name: &str| if flag(name) { Major::MN } else { Major::K };
    let shape = ProductShape {
        m: fields.number("M") as usize,
        n: fields.number("N") as usize,
        k: if sparse { 2 * dense } else { dense },
    };
    Ok(InstructionDescriptor {
        shape,
        a,
        b,
        d: if scaled { MatrixElementType::F32 } else { fields.element("type of D")? },
        sparse,
        selector: fields.number("sparsity selector") as u32,
        saturating: flag("saturation"),
        negate_a: flag("negate A"),
        negate_b: flag("negate B"),
        major_a: major("transpose A"),
        major_b: major("transpose B"),
        scale: if scaled { Some(fields.element("type of the scales")?) } else { None },
        scale_a: fields.number("scale id of A") as u32,
        scale_b: fields.number("scale id of B") as u32,
    })
}
