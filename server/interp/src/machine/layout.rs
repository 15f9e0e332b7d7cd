//! The layout of a decoded program: where its registers, parameters, results, variables and addresses are stored.
//!
//! The state of a machine is made by this layout, and operations refer to it. The layout knows neither of them.

use crate::lanes::LANES;
use crate::memory::{AddressMap, Window};
use crate::registers::{PredicateDst, PredicateSrc, RegisterFile, RegisterLocation};

/// Where a register of the source is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// In the register file.
    Register(RegisterLocation),
    /// In the predicate with this index.
    Predicate(u32),
}

/// Where the caller of a function keeps one argument or one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// In a register, or in a constant.
    Register(RegisterLocation),
    /// In a predicate, or in a constant truth value.
    Predicate(PredicateSrc),
    /// In the elements of a vector register: the index of the first one in [`FunctionCode::slots`](super::code::FunctionCode::slots) of
    /// the caller, and their number.
    Vector(u32, u8),
    /// In a `.param` variable: the register that holds its address in the window of parameters, and its size in bytes.
    Memory(RegisterLocation, u32),
    /// Nowhere: the caller ignores the result (`_`).
    Nothing,
}

impl Pass {
    /// Bytes of memory that each lane passes.
    pub(super) fn bytes(&self) -> u64 {
        if let Self::Memory(_, bytes) = self { u64::from(*bytes) } else { 0 }
    }
}

/// Where a function keeps one of its parameters or results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formal {
    /// In a register.
    Register(RegisterLocation),
    /// In the predicate with this index.
    Predicate(u32),
    /// In the elements of a vector register: the index of the first one in [`FunctionCode::slots`](super::code::FunctionCode::slots), and
    /// their number.
    Vector(u32, u8),
    /// On the stack: byte offset in the frame, and size in bytes.
    Memory(u32, u32),
    /// Nowhere: the function never uses this register.
    Unused,
}

impl Formal {
    /// Bytes of memory of each lane.
    pub(super) fn bytes(&self) -> u64 {
        if let Self::Memory(_, bytes) = self { u64::from(*bytes) } else { 0 }
    }
}

/// An operand that is the sum of a register and a number, such as `%r1+4`. The assembler adds integers of the register's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandSum {
    /// The hidden register that receives the sum.
    pub place: RegisterLocation,
    /// The register; it has the width of `place`.
    pub register: RegisterLocation,
    /// The number.
    pub number: i64,
}

/// A special register, or one component of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Special {
    /// Its name with the `%`. For a numbered family such as `%envreg<32>`, the name without the number.
    pub name: &'static str,
    /// Index of the component (x = 0); 0 for scalars.
    pub component: u8,
}

/// The location of a variable of the module, or of one of its functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableLocation {
    /// The address in its state space.
    pub address: u64,
    /// The window of its state space; `None` for global memory.
    pub window: Option<Window>,
    /// Its size in bytes; 0 for dynamic shared memory.
    pub bytes: u64,
}

/// The state space of an address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Generic addresses.
    Generic,
    /// Global memory, whose addresses are also generic addresses.
    Global,
    /// A window of the generic address space. `.shared` and `.shared::cluster` use the same window; their addresses differ.
    Window(Window),
}

/// A decoded address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Where the base address is stored.
    pub base: RegisterLocation,
    /// Bytes to add to the base.
    pub offset: i64,
    /// The state space that the sum belongs to.
    pub space: AddressSpace,
    /// The variables and buffers from which the base comes: index into [`Executable::origins`](super::code::Executable::origins). `None`
    /// if they are not known.
    pub origins: Option<u32>,
}

impl Address {
    /// The address in its state space, for a value of the base register. Of a register of 32 bits it has as many.
    #[inline]
    pub fn sum(&self, base: u64) -> u64 {
        let sum = base.wrapping_add(self.offset as u64);
        if self.base.width == 4 { sum & 0xffff_ffff } else { sum }
    }

    /// The generic address of an address in the state space; `None` if it lies outside the window of that space.
    #[inline]
    pub fn generic(&self, map: &AddressMap, address: u64) -> Option<u64> {
        match self.space {
            AddressSpace::Generic | AddressSpace::Global => Some(address),
            AddressSpace::Window(window) => map.generic(window, address),
        }
    }
}

/// A hidden register that holds the address of a variable on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenAddress {
    /// The register.
    pub place: RegisterLocation,
    /// Byte offset of the variable from the beginning of the frame.
    pub offset: i64,
    /// The address is one in the window of parameters, not of local memory.
    pub parameter: bool,
    /// The address is generic.
    pub generic: bool,
}

/// A predicate that holds a special register of type `.pred`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialPredicate {
    /// Index of the predicate.
    pub index: u32,
    /// The special register that it holds.
    pub special: Special,
}

/// The special registers that a program reads and whose value never changes for a thread. They have a file of their own, with the same
/// layout in all functions.
#[derive(Debug, Default)]
pub struct Specials {
    /// Where each special register is stored.
    pub places: Vec<(Special, RegisterLocation)>,
    end: u32,
}

impl Specials {
    /// The location of a special register with lanes of `width` bytes; reserves one if there is none yet.
    pub fn place(&mut self, special: Special, width: u8) -> RegisterLocation {
        if let Some((_, place)) = self.places.iter().find(|(s, p)| *s == special && p.width == width) {
            return *place;
        }
        let place = RegisterLocation { file: RegisterFile::Special, offset: self.end, width };
        self.end += (LANES as u32 * u32::from(width)).next_multiple_of(64);
        self.places.push((special, place));
        place
    }

    /// Size in bytes of the file.
    pub fn bytes(&self) -> usize {
        self.end as usize
    }
}

/// The source and the destination operand for the predicate with this index.
pub(crate) fn predicate(index: u32) -> (PredicateSrc, PredicateDst) {
    (PredicateSrc { index: Some(index), flip: false }, PredicateDst(index))
}
