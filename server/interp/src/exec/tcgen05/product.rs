//! `tcgen05.mma`: products of matrices, with the result in tensor memory.

use super::{TensorMemoryAccess, TensorMemoryAddress, ctas, has_pair, note_ctas, rank_of_part, spot};
use crate::exec::mma::numerics;
use crate::exec::shared_matrix::SharedMatrixSource;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::layout::Address;
use crate::machine::state::flights::Family;
use crate::machine::state::operands::TensorKind;
use crate::machine::{ExecContext, StepOutcome};
use crate::registers::{PredicateSrc, Src};
use ptx_isa::{Exec, Modifier, OperandName};
use ptx_num::matrix::descriptor::{self, InstructionDescriptor};
use ptx_num::matrix::element::MatrixElementType;
use ptx_num::matrix::numerics::{MatrixInstruction, Numerics};
use ptx_num::matrix::product::{self, Product, ProductOperands, ProductShape, ProductSpec};
use ptx_num::matrix::shared::Major;
use ptx_num::matrix::tensor::{self, Accumulators};
use ptx_num::values::Marks;

/// The location of the matrix A.
#[derive(Clone, Copy)]
enum Tcgen05MatrixA {
    /// In shared memory: the descriptor.
    Shared(Src<u64>),
    /// In tensor memory: the address.
    Tensor(Address),
}

/// Block scales: the addresses of those of A and B, and their number for each row of A or column of B.
#[derive(Clone, Copy)]
struct BlockScales {
    a: Address,
    b: Address,
    blocks: u32,
}

/// A decoded multiplication.
struct Tcgen05Product {
    kind: Modifier,
    ctas: u32,
    /// It is a form of `tcgen05.mma.ws`.
    weights: bool,
    numerics: Numerics,
    d: Address,
    a: Tcgen05MatrixA,
    /// The descriptor of B.
    b: Src<u64>,
    /// The instruction descriptor.
    instruction: Src<u32>,
    /// Masks with one bit for each lane of D. The lanes whose bit is set keep their values.
    lanes: Vec<Src<u32>>,
    /// Whether the old D is added to the product.
    add: PredicateSrc,
    /// How often the old D is halved before it is added.
    halvings: u32,
    scales: Option<BlockScales>,
}

/// Whether the kind of product packs elements of four bits without gaps.
fn is_packed(kind: Modifier) -> bool {
    matches!(kind, Modifier::KindMxf4 | Modifier::KindMxf4nvf4)
}

fn scales(inst: &mut DecodeContext<'_>, kind: Modifier) -> Result<Option<BlockScales>, DecodeRefusal> {
    if inst.operand(OperandName::ScaleA).is_none() {
        return Ok(None);
    }
    let blocks = match (inst.has(Modifier::ScaleVec4X) || inst.has(Modifier::Block16), is_packed(kind)) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => 1,
    };
    Ok(Some(BlockScales { a: inst.address(OperandName::ScaleA)?, b: inst.address(OperandName::ScaleB)?, blocks }))
}

/// All forms of `tcgen05.mma`.
pub(crate) fn multiply(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    if inst.operand(OperandName::Meta).is_some() {
        return Err(
            "the manual shows only in pictures how the metadata of sparse matrices lies in tensor memory".into()
        );
    }
    if inst.has(Modifier::Ashift) {
        return Err(
            "the manual does not say which way `.ashift` moves the rows of A, or which row keeps its values".into()
        );
    }
    if inst.operand(OperandName::Table).is_some() || inst.has(Modifier::KindTi16) {
        return Err("the manual of PTX 9.1 does not describe this kind of product".into());
    }
    if inst.operand(OperandName::Mask).is_some() {
        return Err("the manual's table of the zero-column mask contradicts its examples".into());
    }
    let kind = inst.modifiers().find(|m| m.name().starts_with(".kind::")).ok_or("`tcgen05.mma` without a kind")?;
    let in_tensor_memory = inst.form().text.contains("[a]");
    let plan = Tcgen05Product {
        kind,
        ctas: ctas(inst),
        weights: matches!(inst.exec(), Some(Exec::Tcgen05MmaWs | Exec::Tcgen05MmaWsSp)),
        numerics: numerics(inst)?,
        d: inst.address(OperandName::D)?,
        a: if in_tensor_memory {
            Tcgen05MatrixA::Tensor(inst.address(OperandName::A)?)
        } else {
            Tcgen05MatrixA::Shared(inst.src(OperandName::A)?)
        },
        b: inst.src(OperandName::B)?,
        instruction: inst.src(OperandName::Idesc)?,
        lanes: if inst.operand(OperandName::Lanes).is_some() { inst.srcs(OperandName::Lanes)? } else { Vec::new() },
        add: inst.predicate_src(OperandName::Enable)?.ok_or("`tcgen05.mma` without its predicate")?,
        halvings: inst.immediate(OperandName::Scale).unwrap_or(0).clamp(0, 15) as u32,
        scales: scales(inst, kind)?,
    };
    Ok(DecodeContext::machine(move |context| {
        note_ctas(context, plan.ctas);
        if !has_pair(context, plan.ctas) {
            return StepOutcome::Next;
        }
        for lane in lanes(context.mask) {
            if plan.run(context, lane).is_none() {
                return StepOutcome::Next;
            }
            let id = copies::begin_product(context, Some(TensorKind::Product));
            copies::join(context, lane, Family::Tensor, id);
        }
        context.changed();
        StepOutcome::Next
    }))
}

/// Reports an error in a descriptor as a finding.
fn undefined<T>(context: &mut ExecContext<'_>, lane: usize, result: Result<T, product::MatrixRefusal>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(why) => {
            context.fault(FaultKind::Undefined, 1 << lane, || why.0.to_owned());
            None
        }
    }
}

impl Tcgen05Product {
    /// Executes the multiplication that one lane issues. Returns `None` if it cannot be executed.
    fn run(&self, context: &mut ExecContext<'_>, lane: usize) -> Option<()> {
        let bits = context.registers.lane(self.instruction, lane);
        let instruction = undefined(context, lane, descriptor::instruction(bits, self.kind))?;
        let ProductShape { m, n, .. } = instruction.shape;
        let sparse = if instruction.sparse {
            Err(product::MatrixRefusal(
                "the instruction descriptor says that A is sparse, but the instruction does not",
            ))
        } else {
            Ok(())
        };
        undefined(context, lane, sparse)?;
        let layout = undefined(context, lane, Accumulators::of(m as u32, self.ctas, false, self.weights))?;
        let spec = self.spec(&instruction);
        let product = undefined(context, lane, Product::new(spec))?;
        let mut marks = Marks::NONE;
        let a = self.read_a(context, &instruction, layout, lane, &mut marks)?;
        let b = self.read_b(context, &instruction, lane, &mut marks)?;
        let (scale_a, scale_b) = match &self.scales {
            Some(scales) => self.read_scales(context, scales, &instruction, lane, &mut marks)?,
            None => (Vec::new(), Vec::new()),
        };
        let d = spot(context, &self.d, lane);
        let adds = context.registers.predicate(self.add) >> lane & 1 != 0;
        let c = if adds { self.read_d(context, layout, d, (m, n), lane, &mut marks)? } else { vec![0; m * n] };
        let operands = ProductOperands {
            a: &a,
            b: &b,
            c: &c,
            scale_a: &scale_a,
            scale_b: &scale_b,
            columns: &[],
            halvings: if adds { self.halvings } else { 0 },
        };
        context.spend((a.len() + b.len() + c.len()) / 2);
        let outcome = undefined(context, lane, product.multiply(&operands))?;
        context.spend(crate::exec::mma::effort(&product, &operands, outcome.d.len()));
        let kept: Vec<u32> = self.lanes.iter().map(|s| context.registers.lane(*s, lane)).collect();
        for part in 0..self.ctas {
            let rank = rank_of_part(context, self.ctas, part);
            let mut access = TensorMemoryAccess::new(rank, lane);
            let memory = super::memory(context, rank)?;
            for (number, (value, mark)) in outcome.d.iter().zip(&outcome.marks).enumerate() {
                let cell = layout.cell((number / n) as u32, (number % n) as u32, n as u32);
                let to = d.lane.wrapping_add(cell.lane);
                let bit = 128 * part + to.min(127);
                let stays = kept.get(bit as usize / 32).is_some_and(|w| w >> (bit % 32) & 1 != 0);
                if cell.cta == part && !stays {
                    access.write(memory, to, d.column.wrapping_add(cell.column), *value as u32, marks | *mark);
                }
            }
            access.report(context);
        }
        (!context.is_stopped()).then_some(())
    }

    fn spec(&self, instruction: &InstructionDescriptor) -> ProductSpec {
        let kind = match (self.scales, instruction.scale) {
            (Some(scales), Some(scale)) => {
                product::ProductKind::Scaled { scale, blocks: scales.blocks as usize, packed: is_packed(self.kind) }
            }
            _ if instruction.saturating => product::ProductKind::Saturating,
            _ => product::ProductKind::Plain,
        };
        ProductSpec {
            unit: MatrixInstruction::Tcgen05,
            numerics: self.numerics,
            shape: instruction.shape,
            a: instruction.a,
            b: instruction.b,
            c: instruction.d,
            d: instruction.d,
            kind,
            sparse: false,
            negate_a: instruction.negate_a,
            negate_b: instruction.negate_b,
        }
    }

    /// The bits of an element in shared memory, and whether 16 elements of fewer than eight bits take up 16 bytes.
    fn in_shared(&self, element: MatrixElementType) -> (u32, bool) {
        (element.bits(), !is_packed(self.kind))
    }

    fn read_a(
        &self,
        context: &mut ExecContext<'_>,
        instruction: &InstructionDescriptor,
        layout: Accumulators,
        lane: usize,
        marks: &mut Marks,
    ) -> Option<Vec<u64>> {
        let ProductShape { m, k, .. } = instruction.shape;
        match self.a {
            Tcgen05MatrixA::Shared(src) => {
                let bits = context.registers.lane(src, lane);
                self.halves(context, bits, (m, k), instruction.major_a, instruction.a, lane, marks)
            }
            Tcgen05MatrixA::Tensor(address) => {
                let at = spot(context, &address, lane);
                let packed = is_packed(self.kind);
                let container = if packed { 4 } else { instruction.a.bits().next_power_of_two().max(8) };
                let within = if packed || container != 8 { 0 } else { instruction.a.low_in_byte() };
                let mask = u64::MAX >> (64 - instruction.a.bits().clamp(1, 64));
                let mut out = vec![0; m * k];
                for part in 0..self.ctas {
                    let rank = rank_of_part(context, self.ctas, part);
                    let mut access = TensorMemoryAccess::new(rank, lane);
                    let memory = super::memory(context, rank)?;
                    for (number, to) in out.iter_mut().enumerate() {
                        let (cell, low) = layout.cell_of_a((number / k) as u32, (number % k) as u32, container, 0);
                        if cell.cta != part {
                            continue;
                        }
                        let found =
                            access.read(memory, at.lane.wrapping_add(cell.lane), at.column.wrapping_add(cell.column));
                        *to = u64::from(found.bits) >> (low + within) & mask;
                        *marks |= found.marks;
                    }
                    access.report(context);
                }
                Some(out)
            }
        }
    }

    /// Reads a matrix of `lines` rows of `k` elements from shared memory. Each CTA of a pair holds half of the rows.
    #[expect(clippy::too_many_arguments, reason = "all that describes a matrix in shared memory")]
    fn halves(
        &self,
        context: &mut ExecContext<'_>,
        bits: u64,
        (lines, k): (usize, usize),
        major: Major,
        element: MatrixElementType,
        lane: usize,
        marks: &mut Marks,
    ) -> Option<Vec<u64>> {
        let (width, in_sixteens) = self.in_shared(element);
        let matrix = undefined(context, lane, descriptor::tcgen05(bits, major, width, in_sixteens))?;
        let each = lines / self.ctas as usize;
        let mut out = vec![0; lines * k];
        for part in 0..self.ctas {
            let rank = rank_of_part(context, self.ctas, part);
            let own = rank == context.rank as u32;
            let source = SharedMatrixSource { matrix, rank: (!own).then_some(rank), lane };
            let first = part as usize * each;
            *marks |= source.read(context, 0..each as u32, 0..k as u32, |line, at, value| {
                out[(first + line) * k + at] = value;
            })?;
        }
        Some(out)
    }

    fn read_b(
        &self,
        context: &mut ExecContext<'_>,
        instruction: &InstructionDescriptor,
        lane: usize,
        marks: &mut Marks,
    ) -> Option<Vec<u64>> {
        let ProductShape { n, k, .. } = instruction.shape;
        let bits = context.registers.lane(self.b, lane);
        let lines = self.halves(context, bits, (n, k), instruction.major_b, instruction.b, lane, marks)?;
        let mut out = vec![0; k * n];
        for (number, value) in lines.into_iter().enumerate() {
            out[number % k * n + number / k] = value;
        }
        Some(out)
    }

    fn read_d(
        &self,
        context: &mut ExecContext<'_>,
        layout: Accumulators,
        d: TensorMemoryAddress,
        (m, n): (usize, usize),
        lane: usize,
        marks: &mut Marks,
    ) -> Option<Vec<u64>> {
        let mut out = vec![0; m * n];
        for part in 0..self.ctas {
            let rank = rank_of_part(context, self.ctas, part);
            let mut access = TensorMemoryAccess::new(rank, lane);
            let memory = super::memory(context, rank)?;
            for (number, to) in out.iter_mut().enumerate() {
                let cell = layout.cell((number / n) as u32, (number % n) as u32, n as u32);
                if cell.cta == part {
                    let found = access.read(memory, d.lane.wrapping_add(cell.lane), d.column.wrapping_add(cell.column));
                    *to = found.bits.into();
                    *marks |= found.marks;
                }
            }
            access.report(context);
        }
        Some(out)
    }

    /// Reads the scales of A, row by row, and those of B, block by block. Each CTA of a pair holds those of its rows of A, and all those
    /// of B.
    fn read_scales(
        &self,
        context: &mut ExecContext<'_>,
        scales: &BlockScales,
        instruction: &InstructionDescriptor,
        lane: usize,
        marks: &mut Marks,
    ) -> Option<(Vec<u64>, Vec<u64>)> {
        let ProductShape { m, n, k } = instruction.shape;
        let layout = if k == 96 {
            Err(product::MatrixRefusal("the manual shows only in pictures how block scales lie with K = 96"))
        } else {
            Ok(())
        };
        undefined(context, lane, layout)?;
        let (at_a, at_b) = (spot(context, &scales.a, lane), spot(context, &scales.b, lane));
        let blocks = scales.blocks;
        let parts = 0..self.ctas.max(1);
        let mut accesses: Vec<TensorMemoryAccess> =
            parts.map(|part| TensorMemoryAccess::new(rank_of_part(context, self.ctas, part), lane)).collect();
        let mut one =
            |context: &mut ExecContext<'_>, part: u32, at: TensorMemoryAddress, line: u32, block: u32, id: u32| {
                let (cell, byte) = undefined(context, lane, tensor::scale(line, block, blocks, id))?;
                let access = accesses.get_mut(part as usize)?;
                let memory = super::memory(context, access.rank)?;
                let found = access.read(memory, at.lane.wrapping_add(cell.lane), at.column.wrapping_add(cell.column));
                *marks |= found.marks;
                Some(u64::from(found.bits >> (8 * byte) & 0xff))
            };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let each = m as u32 / self.ctas;
        for row in 0..m as u32 {
            for block in 0..blocks {
                a.push(one(context, row / each.max(1), at_a, row % each.max(1), block, instruction.scale_a)?);
            }
        }
        for block in 0..blocks {
            for column in 0..n as u32 {
                b.push(one(context, 0, at_b, column, block, instruction.scale_b)?);
            }
        }
        accesses.into_iter().for_each(|access| access.report(context));
        Some((a, b))
    }
}
