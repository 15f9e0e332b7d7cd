//! Calls and returns of functions, and the exit of threads.

use super::account::frame_of;
use super::code::{Call, Executable, FunctionCode, Op, OpAction};
use super::effort::TAKEN_BYTES;
use super::group::Turn;
use super::layout::{Formal, Pass, Slot};
use super::state::{CallFrame, Group, GroupReadiness, RegisterShadow, Warp};
use super::{LOCAL_BYTES, Machine};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::{LANES, LaneMask, lanes};
use crate::memory::STACK_PARAMETERS;
use crate::registers::{PredicateDst, PredicateSrc, RegisterLine, RegisterLocation, WarpRegisters};
use crate::simd::LaneMarks;
use ptx_num::values::Marks;
use std::sync::Arc;

/// Effort of a call with its return.
const CALL: u64 = 24;

/// A parameter or a result while it is passed from one call frame to another.
enum CallValue {
    /// The bits of each lane, and their status.
    Register(Vec<u128>, RegisterMarks),
    /// The elements of a vector register, each with its width in bytes.
    Vector(Vec<(u8, CallValue)>),
    /// The lanes in which a predicate is true.
    Predicate(LaneMask),
    /// The bytes of each lane.
    Memory(Vec<Bytes>),
    /// No value: the result of a function that never names it, or an ignored one.
    Nothing,
}

/// Status of a value in a register, besides its bits.
#[derive(Clone, Copy)]
struct RegisterMarks {
    /// The lanes in which the register was written.
    known: LaneMask,
    /// The lanes in which the value is marked.
    marked: LaneMarks,
}

impl RegisterMarks {
    /// The status of a register, found by its location. Constants count as written and have no marks.
    fn of(frame: &CallFrame, code: Option<&FunctionCode>, wanted: Slot) -> Self {
        let slot = code.and_then(|c| c.slot_of(wanted).next()).map(|s| s as usize);
        let mask = |masks: &[LaneMask], other| slot.and_then(|s| masks.get(s)).copied().unwrap_or(other);
        let shadow = &frame.shadow;
        let marked = LaneMarks { unspecified: mask(&shadow.unspecified, 0), approximate: mask(&shadow.approximate, 0) };
        Self { known: mask(&shadow.known, LaneMask::MAX), marked }
    }

    /// The marks of the value in a lane.
    fn marks(self, lane: usize) -> Marks {
        let of = |mask: LaneMask, marks| if mask >> lane & 1 != 0 { marks } else { Marks::NONE };
        of(self.marked.unspecified, Marks::UNSPECIFIED) | of(self.marked.approximate, Marks::APPROXIMATE)
    }

    /// Stores the status for a register in the lanes of a mask.
    fn note(self, frame: &mut CallFrame, code: Option<&FunctionCode>, wanted: Slot, mask: LaneMask) {
        let Some(slot) = code.and_then(|c| c.slot_of(wanted).next()).map(|s| s as usize) else { return };
        let shadow = &mut frame.shadow;
        shadow.copied.forget(slot as u32, mask);
        let lists = [&mut shadow.known, &mut shadow.unspecified, &mut shadow.approximate];
        for (list, new) in lists.into_iter().zip([self.known, self.marked.unspecified, self.marked.approximate]) {
            if let Some(old) = list.get_mut(slot) {
                *old = (*old & !mask) | (new & mask);
            }
        }
    }
}

impl CallValue {
    /// The status that the value has in a register.
    fn said(&self) -> RegisterMarks {
        match self {
            Self::Register(_, said) => *said,
            Self::Vector(elements) => {
                let mut out = RegisterMarks { known: LaneMask::MAX, marked: LaneMarks::default() };
                for said in elements.iter().map(|(_, e)| e.said()) {
                    out.known &= said.known;
                    out.marked.unspecified |= said.marked.unspecified;
                    out.marked.approximate |= said.marked.approximate;
                }
                out
            }
            Self::Memory(lanes) => {
                let mut out = RegisterMarks { known: 0, marked: LaneMarks::default() };
                for (lane, bytes) in lanes.iter().enumerate() {
                    out.known |= LaneMask::from(bytes.unknown.is_empty()) << lane;
                    out.marked.add(lane, bytes.marks);
                }
                out
            }
            Self::Predicate(_) => RegisterMarks { known: LaneMask::MAX, marked: LaneMarks::default() },
            // A result that the function never names has no value.
            Self::Nothing => RegisterMarks { known: 0, marked: LaneMarks::default() },
        }
    }
}

/// The bytes of a `.param` variable in one lane.
#[derive(Default)]
struct Bytes {
    bytes: Vec<u8>,
    /// Indices of bytes that were never written; structures may have gaps.
    unknown: Vec<u32>,
    marks: Marks,
}

impl CallFrame {
    /// A frame at the beginning of a function. `base` is its byte offset on the stack of each lane.
    fn new(code: &FunctionCode, lanes: LaneMask, specials: Arc<[RegisterLine]>, base: Box<[u32]>) -> Self {
        Self {
            function: code.function,
            parent: None,
            call: 0,
            lanes,
            registers: WarpRegisters::new(code.register_bytes, code.predicates, Arc::clone(&code.constants), specials),
            shadow: RegisterShadow::new(code.slots.len()),
            base,
        }
    }
}

impl Warp {
    /// Creates the call frame of a function for the lanes of a mask and reserves its space on their stacks. Returns the index of the frame.
    pub(super) fn enter(&mut self, machine: &Machine, code: &FunctionCode, mask: LaneMask) -> u32 {
        let base: Box<[u32]> = self.lanes.stack.clone();
        for lane in lanes(mask) {
            self.lanes.stack[lane] = base[lane].saturating_add(code.frame_bytes);
        }
        let mut frame = CallFrame::new(code, mask, Arc::clone(&self.specials), base);
        let map = machine.executable.map;
        for hidden in &code.hidden {
            for lane in lanes(mask) {
                let at = i64::from(frame.base[lane]).wrapping_add(hidden.offset) as u64;
                let address = match (hidden.generic, hidden.parameter) {
                    (true, _) => map.base(crate::memory::Window::Local).wrapping_add(at),
                    (false, true) => at.wrapping_add(STACK_PARAMETERS),
                    (false, false) => at,
                };
                frame.registers.set_lane_bits(hidden.place, lane, address.into());
            }
        }
        for special in &code.special_predicates {
            let value = special.special.name == "%is_explicit_cluster" && machine.shape.explicit_cluster;
            frame.registers.put_predicate(PredicateDst(special.index), u32::MAX, if value { u32::MAX } else { 0 });
        }
        self.keep(frame)
    }
}

impl Machine {
    /// Executes a call: the group continues in the called function. Returns false if the call is a fault.
    #[expect(clippy::too_many_arguments, reason = "a call touches everything that a group has")]
    pub(super) fn call(
        &mut self,
        executable: &Executable,
        warp: &mut Warp,
        frame: Box<CallFrame>,
        group: &mut Group,
        call: &Call,
        site: InstructionSite,
        turn: &Turn<'_>,
    ) -> bool {
        let mut function = call.function;
        if let Some(place) = call.address {
            // Lanes that call the same function as the first lane go first. The others execute this instruction again later.
            let first = group.mask.trailing_zeros() as usize;
            let address = frame.registers.lane_bits(place, first) as u64;
            let same = lanes(group.mask).filter(|l| frame.registers.lane_bits(place, *l) as u64 == address);
            let same = same.fold(0, |m, l| m | 1 << l);
            if same != group.mask {
                let mut other = group.clone();
                (other.mask, other.state) = (group.mask & !same, GroupReadiness::Ready);
                warp.groups.push(other);
                group.mask = same;
            }
            function = executable.function_at(address);
            if function.is_none() {
                let words = || format!("{address:#x} is called, but no function begins there");
                self.note(turn, &warp.lanes, FaultKind::InvalidCall, site, group.mask, words);
                return false;
            }
        }
        let Some(code) = function.and_then(|f| executable.code(f)) else {
            self.note(turn, &warp.lanes, FaultKind::InvalidCall, site, group.mask, || {
                "a function that does not exist".into()
            });
            return false;
        };
        let deepest = lanes(group.mask).map(|l| u64::from(warp.lanes.stack[l])).max().unwrap_or(0);
        // A frame takes at least 16 bytes, even without variables, because the hardware stores the return address there.
        let needed = deepest + u64::from(code.frame_bytes.max(16));
        if needed > LOCAL_BYTES || warp.frames.len() > (LOCAL_BYTES / 16) as usize {
            let words = || {
                format!(
                    "the call needs {needed} bytes of stack, but a thread has {LOCAL_BYTES}: is the recursion endless?"
                )
            };
            self.note(turn, &warp.lanes, FaultKind::StackOverflow, site, group.mask, words);
            return false;
        }
        if !self.hold(frame_of(code)) {
            let limit = self.settings.memory;
            let words =
                || format!("with the registers of this call the run needs more memory than its limit of {limit} bytes");
            self.note(turn, &warp.lanes, FaultKind::OutOfMemory, site, group.mask, words);
            return false;
        }
        let caller = executable.code(frame.function);
        let passed: u64 = call.arguments.iter().map(Pass::bytes).sum();
        // A free entry is looked for among the frames, and every lane has a copy of each argument.
        self.charge(CALL + frame_of(code) / TAKEN_BYTES + warp.frames.len() as u64 / 64 + passed * LANES as u64 / 8);
        let values: Vec<CallValue> =
            call.arguments.iter().map(|a| take(warp, &frame, caller, *a, group.mask)).collect();
        // The caller's frame returns to its entry, so that the callee gets another one.
        warp.frames[group.frame as usize] = Some(frame);
        let index = warp.enter(self, code, group.mask);
        for lane in lanes(group.mask) {
            // This also ends endless recursion of functions without variables.
            warp.lanes.stack[lane] = warp.lanes.stack[lane].max((deepest + 16).min(LOCAL_BYTES) as u32);
        }
        if let Some(mut callee) = warp.frames.get_mut(index as usize).and_then(Option::take) {
            (callee.parent, callee.call) = (Some(group.frame), group.pc);
            for (formal, value) in code.parameters.iter().zip(values) {
                give(warp, &mut callee, code, *formal, value, group.mask);
            }
            warp.frames[index as usize] = Some(callee);
        }
        (group.frame, group.pc) = (index, 0);
        true
    }

    /// Executes a return: the lanes continue in the caller; in the kernel they exit.
    pub(super) fn leave(&mut self, warp: &mut Warp, frame: &mut CallFrame, group: &mut Group) {
        let executable = Arc::clone(&self.executable);
        frame.lanes &= !group.mask;
        let Some(parent) = frame.parent else {
            self.end_threads(warp, group.mask);
            group.mask = 0;
            return;
        };
        let callee = executable.code(frame.function);
        let results: &[Formal] = callee.map_or(&[], |c| &c.results);
        let passed: u64 = results.iter().map(Formal::bytes).sum();
        self.charge(passed * LANES as u64 / 8);
        let values: Vec<CallValue> = results.iter().map(|r| take_formal(warp, frame, callee, *r, group.mask)).collect();
        for lane in lanes(group.mask) {
            let (from, to) = (frame.base[lane], warp.lanes.stack[lane]);
            warp.lanes.local[lane].forget(from.into(), u64::from(to.saturating_sub(from)));
            warp.lanes.stack[lane] = from;
        }
        if let Some(mut caller) = warp.frames.get_mut(parent as usize).and_then(Option::take) {
            if let Some(code) = executable.code(caller.function)
                && let Some(Op { action: OpAction::Call(call), .. }) = code.ops.get(frame.call as usize)
            {
                for (pass, value) in call.results.iter().zip(values) {
                    put(warp, &mut caller, code, *pass, value, group.mask);
                }
            }
            warp.frames[parent as usize] = Some(caller);
        }
        let back = Group { mask: group.mask, frame: parent, pc: frame.call + 1, ..Group::default() };
        warp.groups.push(back);
        group.mask = 0;
    }

    /// Executes `exit`: the lanes leave all functions of their call chain.
    pub(super) fn exit(&mut self, warp: &mut Warp, frame: &mut CallFrame, group: &mut Group) {
        frame.lanes &= !group.mask;
        let mut at = frame.parent;
        while let Some(index) = at {
            let frame = warp.frames.get_mut(index as usize).and_then(Option::as_mut);
            at = frame.and_then(|f| {
                f.lanes &= !group.mask;
                f.parent
            });
        }
        self.end_threads(warp, group.mask);
        group.mask = 0;
    }

    fn end_threads(&mut self, warp: &mut Warp, mask: LaneMask) {
        warp.lanes.exited |= mask;
        self.progress += 1;
    }
}

/// The places of the elements of a vector register, each with its offset in bytes in the vector.
fn elements(code: Option<&FunctionCode>, first: u32, count: u8) -> Vec<(RegisterLocation, u32)> {
    let slots = code.and_then(|c| c.slots.get(first as usize..first as usize + usize::from(count)));
    let mut offset = 0;
    let place = |slot: &Slot| match slot {
        Slot::Register(place) => {
            offset += u32::from(place.width);
            Some((*place, offset - u32::from(place.width)))
        }
        Slot::Predicate(_) => None,
    };
    slots.unwrap_or_default().iter().filter_map(place).collect()
}

/// Reads an argument from the caller's frame.
fn take(warp: &Warp, frame: &CallFrame, code: Option<&FunctionCode>, pass: Pass, mask: LaneMask) -> CallValue {
    match pass {
        Pass::Register(place) => {
            let values = (0..LANES).map(|l| frame.registers.lane_bits(place, l)).collect();
            CallValue::Register(values, RegisterMarks::of(frame, code, Slot::Register(place)))
        }
        Pass::Predicate(source) => CallValue::Predicate(frame.registers.predicate(source)),
        Pass::Vector(first, count) => {
            let element = |(place, _): (RegisterLocation, u32)| {
                (place.width, take(warp, frame, code, Pass::Register(place), mask))
            };
            CallValue::Vector(elements(code, first, count).into_iter().map(element).collect())
        }
        Pass::Memory(place, bytes) => {
            let address = |l| (frame.registers.lane_bits(place, l) as u64).wrapping_sub(STACK_PARAMETERS);
            CallValue::Memory((0..LANES).map(|l| read(warp, l, address(l), bytes, mask)).collect())
        }
        Pass::Nothing => CallValue::Nothing,
    }
}

/// Reads a result from the callee's frame.
fn take_formal(
    warp: &Warp,
    frame: &CallFrame,
    code: Option<&FunctionCode>,
    formal: Formal,
    mask: LaneMask,
) -> CallValue {
    match formal {
        Formal::Register(place) => take(warp, frame, code, Pass::Register(place), mask),
        Formal::Predicate(index) => {
            take(warp, frame, code, Pass::Predicate(PredicateSrc { index: Some(index), flip: false }), mask)
        }
        Formal::Vector(first, count) => take(warp, frame, code, Pass::Vector(first, count), mask),
        Formal::Memory(offset, bytes) => {
            let address = |l: usize| u64::from(frame.base[l]) + u64::from(offset);
            CallValue::Memory((0..LANES).map(|l| read(warp, l, address(l), bytes, mask)).collect())
        }
        Formal::Unused => CallValue::Nothing,
    }
}

/// Reads a `.param` variable on the stack of a lane; no bytes if the lane is not in `mask`.
fn read(warp: &Warp, lane: usize, address: u64, bytes: u32, mask: LaneMask) -> Bytes {
    if mask >> lane & 1 == 0 {
        return Bytes::default();
    }
    let mut out = Bytes { bytes: vec![0; bytes as usize], ..Bytes::default() };
    let local = &warp.lanes.local[lane];
    let read = local.read(address, &mut out.bytes);
    out.marks = read.marks;
    if read.uninitialized {
        out.unknown = (0..bytes).filter(|at| !local.known(address + u64::from(*at))).collect();
    }
    out
}

/// Writes a value to a `.param` variable on the stack of a lane.
fn write(warp: &mut Warp, lane: usize, address: u64, value: &CallValue, bytes: u32) {
    let local = &mut warp.lanes.local[lane];
    match value {
        CallValue::Register(values, said) => {
            let all = values[lane].to_le_bytes();
            local.write(address, &all[..(bytes as usize).min(16)], said.marks(lane));
        }
        CallValue::Memory(values) => {
            let from = &values[lane];
            local.write(address, &from.bytes[..from.bytes.len().min(bytes as usize)], from.marks);
            for at in from.unknown.iter().filter(|at| **at < bytes) {
                local.forget(address + u64::from(*at), 1);
            }
        }
        CallValue::Vector(elements) => {
            let mut at = 0;
            for (width, element) in elements {
                let count = bytes.saturating_sub(at).min(u32::from(*width));
                write(warp, lane, address + u64::from(at), element, count);
                if element.said().known >> lane & 1 == 0 {
                    warp.lanes.local[lane].forget(address + u64::from(at), count.into());
                }
                at += count;
            }
        }
        CallValue::Predicate(_) | CallValue::Nothing => {}
    }
}

/// The bits of a value in a lane, for a register.
fn bits(value: &CallValue, lane: usize) -> u128 {
    match value {
        CallValue::Register(values, _) => values[lane],
        CallValue::Memory(values) => {
            let mut all = [0; 16];
            let from = &values[lane].bytes;
            let count = from.len().min(16);
            all[..count].copy_from_slice(&from[..count]);
            u128::from_le_bytes(all)
        }
        CallValue::Vector(elements) => {
            let mut at = 0;
            elements.iter().fold(0, |all, (width, element)| {
                at += 8 * u32::from(*width);
                all | bits(element, lane) << (at - 8 * u32::from(*width))
            })
        }
        CallValue::Predicate(mask) => (mask >> lane & 1).into(),
        CallValue::Nothing => 0,
    }
}

/// The part of a value that an element of a vector register receives: `bytes` bytes from byte `offset` on.
fn part(value: &CallValue, offset: u32, bytes: u32) -> CallValue {
    if let CallValue::Vector(elements) = value {
        let mut at = 0;
        for (width, element) in elements {
            if let (true, CallValue::Register(values, said)) = ((at, *width) == (offset, bytes as u8), element) {
                return CallValue::Register(values.clone(), *said);
            }
            at += u32::from(*width);
        }
    }
    match value {
        CallValue::Memory(lanes) => CallValue::Memory(
            lanes
                .iter()
                .map(|whole| {
                    let range = offset as usize..((offset + bytes) as usize).min(whole.bytes.len());
                    let inside = |at: &&u32| (offset..offset + bytes).contains(at);
                    let unknown = whole.unknown.iter().filter(inside).map(|at| at - offset).collect();
                    let bytes = whole.bytes.get(range).unwrap_or_default().to_vec();
                    Bytes { bytes, unknown, marks: whole.marks }
                })
                .collect(),
        ),
        other => {
            let values = (0..LANES).map(|lane| bits(other, lane) >> (8 * offset)).collect();
            CallValue::Register(values, other.said())
        }
    }
}

/// Stores a value in the elements of a vector register.
fn put_vector(
    warp: &mut Warp,
    frame: &mut CallFrame,
    code: &FunctionCode,
    (first, count): (u32, u8),
    value: &CallValue,
    mask: LaneMask,
) {
    for (place, offset) in elements(Some(code), first, count) {
        let value = part(value, offset, place.width.into());
        put(warp, frame, code, Pass::Register(place), value, mask);
    }
}

/// Stores an argument in a parameter of the called function.
fn give(warp: &mut Warp, frame: &mut CallFrame, code: &FunctionCode, formal: Formal, value: CallValue, mask: LaneMask) {
    let said = value.said();
    match formal {
        Formal::Vector(first, count) => put_vector(warp, frame, code, (first, count), &value, mask),
        Formal::Register(place) => {
            for lane in lanes(mask) {
                frame.registers.set_lane_bits(place, lane, bits(&value, lane));
            }
            said.note(frame, Some(code), Slot::Register(place), mask);
        }
        Formal::Predicate(index) => {
            let truth = lanes(mask).filter(|l| bits(&value, *l) & 1 != 0).fold(0, |m, l| m | 1 << l);
            frame.registers.put_predicate(PredicateDst(index), mask, truth);
            said.note(frame, Some(code), Slot::Predicate(index), mask);
        }
        Formal::Memory(offset, bytes) => {
            for lane in lanes(mask) {
                let address = u64::from(frame.base[lane]) + u64::from(offset);
                write(warp, lane, address, &value, bytes);
            }
        }
        Formal::Unused => {}
    }
}

/// Stores a result where the caller expects it.
fn put(warp: &mut Warp, frame: &mut CallFrame, code: &FunctionCode, pass: Pass, value: CallValue, mask: LaneMask) {
    let said = value.said();
    match pass {
        Pass::Vector(first, count) => put_vector(warp, frame, code, (first, count), &value, mask),
        Pass::Register(place) => {
            for lane in lanes(mask) {
                frame.registers.set_lane_bits(place, lane, bits(&value, lane));
            }
            said.note(frame, Some(code), Slot::Register(place), mask);
        }
        Pass::Predicate(source) => {
            let truth = lanes(mask).filter(|l| bits(&value, *l) & 1 != 0).fold(0, |m, l| m | 1 << l);
            let index = source.index.unwrap_or(0);
            frame.registers.put_predicate(PredicateDst(index), mask, truth);
            said.note(frame, Some(code), Slot::Predicate(index), mask);
        }
        Pass::Memory(place, bytes) => {
            for lane in lanes(mask) {
                let address = (frame.registers.lane_bits(place, lane) as u64).wrapping_sub(STACK_PARAMETERS);
                write(warp, lane, address, &value, bytes);
            }
        }
        Pass::Nothing => {}
    }
}
