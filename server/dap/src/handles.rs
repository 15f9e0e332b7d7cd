//! Numbers that identify frames and containers (values with children) for the client. They are valid until the session
//! moves.

use super::memory::MemoryReference;
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::WarpId;
use ptx_num::notation::ElementFormat;
use std::collections::HashMap;

/// A stack frame of one group of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupFrame {
    /// The warp.
    pub target: WarpId,
    /// Index of the group in the warp.
    pub group: usize,
    /// Number of calls between the innermost frame and this one.
    pub depth: usize,
    /// The lanes of the group.
    pub mask: LaneMask,
}

/// The kind of a scope of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// Registers that have the same value in all lanes of the group.
    Uniform,
    /// Registers that have different values.
    Varying,
    /// Predicate registers.
    Predicates,
    /// Special registers.
    Specials,
    /// Parameters of the kernel.
    Parameters,
    /// Shared memory.
    Shared,
    /// Variables in local memory.
    Local,
    /// Buffers of the launch and variables in global and constant memory.
    Buffers,
}

/// A value that has children.
#[derive(Debug, Clone)]
pub enum Container {
    /// A scope.
    Scope(GroupFrame, ScopeKind),
    /// A register by its number; its children are lanes.
    Register(GroupFrame, u32),
    /// Per-lane values that are not stored anywhere: the result of an expression.
    Lanes {
        /// The lanes that have a value.
        mask: LaneMask,
        /// The type of the values.
        ty: String,
        /// The bytes of all lanes of the warp.
        bytes: Box<[u8]>,
        /// The text of the expression.
        name: String,
    },
    /// Elements in memory.
    Memory {
        /// The address of the first element.
        at: MemoryReference,
        /// The type of the elements.
        element: ElementFormat,
        /// The number of elements.
        count: u64,
        /// The name of the whole variable.
        name: String,
    },
}

/// The numbers in use, with the frame or container of each.
#[derive(Debug, Default)]
pub struct Handles {
    last: i64,
    frames: HashMap<i64, GroupFrame>,
    frame_numbers: HashMap<GroupFrame, i64>,
    containers: HashMap<i64, Container>,
}

impl Handles {
    /// Forgets all numbers after the session has moved. They are not reused.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.frame_numbers.clear();
        self.containers.clear();
    }

    fn next(&mut self) -> i64 {
        // Numbers must fit in 31 bits, as clients accept no larger ones.
        self.last = if self.last >= i64::from(i32::MAX) - 1 { 1 } else { self.last + 1 };
        self.last
    }

    /// The number of a frame; the same frame always gets the same number.
    pub fn add_frame(&mut self, frame: GroupFrame) -> i64 {
        if let Some(number) = self.frame_numbers.get(&frame) {
            return *number;
        }
        let number = self.next();
        self.frames.insert(number, frame);
        self.frame_numbers.insert(frame, number);
        number
    }

    /// A new number for a container.
    pub fn add(&mut self, container: Container) -> i64 {
        let number = self.next();
        self.containers.insert(number, container);
        number
    }

    /// The frame with this number.
    pub fn frame(&self, number: i64) -> Option<GroupFrame> {
        self.frames.get(&number).copied()
    }

    /// The container with this number.
    pub fn container(&self, number: i64) -> Option<Container> {
        self.containers.get(&number).cloned()
    }
}
