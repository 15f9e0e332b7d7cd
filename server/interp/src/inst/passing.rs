//! Which operands an instruction only copies.

use super::DecodeContext;
use crate::machine::passing::{ByteOrigin, Passing};
use crate::registers::WarpRegisters;
use ptx_flow::flow::{FlowOperand, OperandValue, RegisterUse};
use ptx_isa::OperandName;

/// The registers of the leaves of an operand, in order; `None` for a leaf that is not a register.
fn slots<'a>(operands: impl Iterator<Item = &'a FlowOperand>) -> Vec<Option<u32>> {
    let registers = |operand: &FlowOperand| -> Vec<Option<u32>> {
        let all: Vec<Option<u32>> = operand.slots().map(|s| Some(s.0)).collect();
        if all.is_empty() { vec![None] } else { all }
    };
    operands.flat_map(registers).collect()
}

impl DecodeContext<'_> {
    /// Declares that the instruction only copies bytes of the operands `from` to the operand `D`. `origin` gets the registers before the
    /// instruction, the lane, the index of the register in `D`, and the byte. It returns where the byte comes from; sources are numbered
    /// through all of `from`, element by element.
    ///
    /// If a number is added to a source, the instruction computes with it; then nothing is declared.
    pub fn passes(
        &mut self,
        from: &[OperandName],
        origin: impl Fn(&WarpRegisters, usize, usize, usize) -> Option<ByteOrigin> + Send + Sync + 'static,
    ) {
        let plain = |o: &FlowOperand| o.offset == Some(0) && !matches!(o.value, OperandValue::Part(..));
        if !from.iter().all(|name| self.operands(*name).all(plain)) {
            return;
        }
        let sources = from.iter().flat_map(|name| slots(self.operands(*name))).collect();
        let results = slots(self.operands(OperandName::D)).into();
        self.passing = Some((from.to_vec(), Passing { sources, results, origin: Box::new(origin) }));
    }

    /// As [`passes`](Self::passes), for an instruction that copies one of two operands: `first` decides for each lane.
    pub fn passes_one_of(
        &mut self,
        a: OperandName,
        b: OperandName,
        first: impl Fn(&WarpRegisters, usize) -> bool + Send + Sync + 'static,
    ) {
        self.passes(&[a, b], move |registers, lane, _, byte| {
            Some(ByteOrigin { source: usize::from(!first(registers, lane)), byte, lane })
        });
    }

    /// The registers that the instruction uses, so that they must have been written: those that it always reads, without the guard and
    /// without those that it only copies.
    pub(crate) fn used(&self) -> Box<[u32]> {
        let copied = |used: &RegisterUse| {
            let operand = used.operand.and_then(|o| self.function.operands.get(o as usize));
            let name = operand.and_then(|o| o.spec).and_then(|s| s.id);
            let passed = self.passing.as_ref().map_or(&[][..], |(from, _)| from);
            name.is_some_and(|name| passed.contains(&name))
        };
        let reads = self.function.reads(self.index).iter();
        reads.filter(|u| !u.conditional && u.operand.is_some() && !copied(u)).map(|u| u.slot.0).collect()
    }

    /// Which operands the instruction only copies, as its decoder declared it.
    pub(crate) fn take_passing(&mut self) -> Option<Box<Passing>> {
        self.passing.take().map(|(_, passing)| Box::new(passing))
    }
}
