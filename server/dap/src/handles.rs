//! Numbers that a client is given for frames and for what has parts. They hold until the session moves.

use super::memory::MemoryReference;
use ptx_interp::lanes::LaneMask;
use ptx_interp::launch::ElementFormat;
use ptx_interp::machine::WarpId;
use std::collections::HashMap;

/// A stack frame, as a group of lanes sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupFrame {
    /// The warp.
    pub target: WarpId,
    /// The group, by its index in the warp.
    pub group: usize,
    /// So many calls out from the innermost.
    pub depth: usize,
    /// The lanes of the group.
    pub mask: LaneMask,
}

/// The kind of a scope of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// Registers that hold the same in all lanes of the group.
    Uniform,
    /// Those that do not.
    Varying,
    /// Predicates.
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

/// Something that has parts.
#[derive(Debug, Clone)]
pub enum Container {
    /// A scope.
    Scope(GroupFrame, ScopeKind),
    /// A register by its number: its parts are lanes.
    Register(GroupFrame, u32),
    /// Values of lanes that are nowhere: the result of an expression.
    Lanes {
        /// The lanes.
        mask: LaneMask,
        /// Their type.
        ty: String,
        /// Their bytes, those of all lanes.
        bytes: Box<[u8]>,
        /// The expression that gives them.
        name: String,
    },
    /// Elements in memory.
    Memory {
        /// Where the first one is.
        at: MemoryReference,
        /// Their type.
        element: ElementFormat,
        /// How many.
        count: u64,
        /// The name of the whole.
        name: String,
    },
}

/// The numbers that were given.
#[derive(Debug, Default)]
pub struct Handles {
    last: i64,
    frames: HashMap<i64, GroupFrame>,
    frame_numbers: HashMap<GroupFrame, i64>,
    containers: HashMap<i64, Container>,
}

impl Handles {
    /// Forgets all: the session has moved. Numbers are not given again.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.frame_numbers.clear();
        self.containers.clear();
    }

    fn next(&mut self) -> i64 {
        // Clients take no more than 31 bits.
        self.last = if self.last >= i64::from(i32::MAX) - 1 { 1 } else { self.last + 1 };
        self.last
    }

    /// A number for a frame: the same if it is asked for again.
    pub fn add_frame(&mut self, frame: GroupFrame) -> i64 {
        if let Some(number) = self.frame_numbers.get(&frame) {
            return *number;
        }
        let number = self.next();
        self.frames.insert(number, frame);
        self.frame_numbers.insert(frame, number);
        number
    }

    /// A number for something with parts.
    pub fn add(&mut self, container: Container) -> i64 {
        let number = self.next();
        self.containers.insert(number, container);
        number
    }

    /// The frame of a number.
    pub fn frame(&self, number: i64) -> Option<GroupFrame> {
        self.frames.get(&number).copied()
    }

    /// What has that number.
    pub fn container(&self, number: i64) -> Option<Container> {
        self.containers.get(&number).cloned()
    }
}
