//! Activations of functions: calls, returns, and the end of threads.

use super::group::Turn;
use super::warp::{Frame, Group, State, Warp};
use super::{LOCAL_BYTES, Machine};
use crate::decode::{Call, Code, Executable, Formal, Pass};
use crate::findings::{Kind, Site};
use crate::lanes::{LANES, Mask, lanes};
use crate::memory::STACK_PARAMETERS;
use crate::registers::{PredicateDst, PredicateSrc};
use crate::values::Marks;

/// A value on its way from one activation to another.
enum Value {
    Register(Vec<u128>),
    Predicate(Mask),
    /// Bytes of each lane, and whether each was written.
    Memory(Vec<(Vec<u8>, bool)>),
    Nothing,
}

impl Warp {
    /// Begins a function for some lanes: its frame goes on their stacks.
    pub(super) fn enter(&mut self, machine: &Machine, code: &Code, mask: Mask) -> u32 {
        let base: Box<[u32]> = self.lanes.stack.clone();
        for lane in lanes(mask) {
            self.lanes.stack[lane] = base[lane].saturating_add(code.frame_bytes);
        }
        let mut frame = Frame::new(code, mask, std::sync::Arc::clone(&self.specials), base);
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
    /// A call: the group goes on in the callee. False if that is a fault.
    #[expect(clippy::too_many_arguments, reason = "a call touches everything that a group has")]
    pub(super) fn call(
        &mut self,
        executable: &Executable,
        warp: &mut Warp,
        frame: Box<Frame>,
        group: &mut Group,
        call: &Call,
        site: Site,
        turn: &Turn<'_>,
    ) -> bool {
        let mut function = call.function;
        if let Some(place) = call.address {
            // The lanes that call what the first of them calls go first; the others come back to this instruction.
            let first = group.mask.trailing_zeros() as usize;
            let address = frame.registers.lane_bits(place, first) as u64;
            let same = lanes(group.mask).filter(|l| frame.registers.lane_bits(place, *l) as u64 == address);
            let same = same.fold(0, |m, l| m | 1 << l);
            if same != group.mask {
                let mut other = group.clone();
                (other.mask, other.state) = (group.mask & !same, State::Ready);
                warp.groups.push(other);
                group.mask = same;
            }
            function = executable.function_at(address);
            if function.is_none() {
                let words = || format!("{address:#x} is called, but no function begins there");
                self.note(turn, &warp.lanes, Kind::InvalidCall, site, group.mask, words);
                return false;
            }
        }
        let Some(code) = function.and_then(|f| executable.code(f)) else {
            self.note(turn, &warp.lanes, Kind::InvalidCall, site, group.mask, || "a function that is not there".into());
            return false;
        };
        let deepest = lanes(group.mask).map(|l| u64::from(warp.lanes.stack[l])).max().unwrap_or(0);
        // A frame takes room even if it holds no variable: hardware keeps the return address there.
        let needed = deepest + u64::from(code.frame_bytes.max(16));
        if needed > LOCAL_BYTES || warp.frames.len() > (LOCAL_BYTES / 16) as usize {
            let words = || {
                format!(
                    "the call needs {needed} bytes of stack, but a thread has {LOCAL_BYTES}: is the recursion endless?"
                )
            };
            self.note(turn, &warp.lanes, Kind::StackOverflow, site, group.mask, words);
            return false;
        }
        let values: Vec<Value> = call.arguments.iter().map(|a| take(warp, &frame, *a, group.mask)).collect();
        // Back in its place, so that the callee gets another one.
        warp.frames[group.frame as usize] = Some(frame);
        let index = warp.enter(self, code, group.mask);
        for lane in lanes(group.mask) {
            // So that endless recursion of a function without variables ends, too.
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

    /// A return: the lanes go on in the caller, or are done.
    pub(super) fn leave(&mut self, warp: &mut Warp, frame: &mut Frame, group: &mut Group) {
        let executable = std::sync::Arc::clone(&self.executable);
        frame.lanes &= !group.mask;
        let Some(parent) = frame.parent else {
            self.end_threads(warp, group.mask);
            group.mask = 0;
            return;
        };
        let results: &[Formal] = executable.code(frame.function).map_or(&[], |c| &c.results);
        let values: Vec<Value> = results.iter().map(|r| take_formal(warp, frame, *r, group.mask)).collect();
        for lane in lanes(group.mask) {
            let (from, to) = (frame.base[lane], warp.lanes.stack[lane]);
            warp.lanes.local[lane].forget(from.into(), u64::from(to.saturating_sub(from)));
            warp.lanes.stack[lane] = from;
        }
        if let Some(mut caller) = warp.frames.get_mut(parent as usize).and_then(Option::take) {
            if let Some(code) = executable.code(caller.function)
                && let Some(crate::decode::Op { action: crate::decode::Action::Call(call), writes, .. }) =
                    code.ops.get(frame.call as usize)
            {
                for (pass, value) in call.results.iter().zip(values) {
                    put(warp, &mut caller, *pass, value, group.mask);
                }
                for slot in writes {
                    if let Some(known) = caller.shadow.known.get_mut(*slot as usize) {
                        *known |= group.mask;
                    }
                }
            }
            warp.frames[parent as usize] = Some(caller);
        }
        let back = Group { mask: group.mask, frame: parent, pc: frame.call + 1, ..Group::default() };
        warp.groups.push(back);
        group.mask = 0;
    }

    /// `exit`: the lanes leave all functions that they are in.
    pub(super) fn exit(&mut self, warp: &mut Warp, frame: &mut Frame, group: &mut Group) {
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

    fn end_threads(&mut self, warp: &mut Warp, mask: Mask) {
        warp.lanes.exited |= mask;
        self.progress += 1;
    }
}

/// What a caller hands over.
fn take(warp: &Warp, frame: &Frame, pass: Pass, mask: Mask) -> Value {
    match pass {
        Pass::Register(place) => Value::Register((0..LANES).map(|l| frame.registers.lane_bits(place, l)).collect()),
        Pass::Predicate(source) => Value::Predicate(frame.registers.predicate(source)),
        Pass::Memory(place, bytes) => {
            let address = |l| (frame.registers.lane_bits(place, l) as u64).wrapping_sub(STACK_PARAMETERS);
            Value::Memory((0..LANES).map(|l| read(warp, l, address(l), bytes, mask)).collect())
        }
        Pass::Nothing => Value::Nothing,
    }
}

fn take_formal(warp: &Warp, frame: &Frame, formal: Formal, mask: Mask) -> Value {
    match formal {
        Formal::Register(place) => take(warp, frame, Pass::Register(place), mask),
        Formal::Predicate(index) => {
            take(warp, frame, Pass::Predicate(PredicateSrc { index: Some(index), flip: false }), mask)
        }
        Formal::Memory(offset, bytes) => {
            let address = |l: usize| u64::from(frame.base[l]) + u64::from(offset);
            Value::Memory((0..LANES).map(|l| read(warp, l, address(l), bytes, mask)).collect())
        }
        Formal::Unused => Value::Nothing,
    }
}

fn read(warp: &Warp, lane: usize, address: u64, bytes: u32, mask: Mask) -> (Vec<u8>, bool) {
    let mut out = vec![0; bytes as usize];
    let known = mask >> lane & 1 != 0 && !warp.lanes.local[lane].read(address, &mut out).uninitialized;
    (out, known)
}

fn write(warp: &mut Warp, lane: usize, address: u64, value: &Value, bytes: u32) {
    match value {
        Value::Register(values) => {
            let all = values[lane].to_le_bytes();
            let from = &all[..(bytes as usize).min(16)];
            warp.lanes.local[lane].write(address, from, Marks::NONE);
        }
        Value::Memory(values) => {
            let (from, known) = &values[lane];
            let from = &from[..from.len().min(bytes as usize)];
            warp.lanes.local[lane].write(address, from, Marks::NONE);
            if !known {
                warp.lanes.local[lane].forget(address, from.len() as u64);
            }
        }
        Value::Predicate(_) | Value::Nothing => {}
    }
}

/// The bits of a value in a lane, where it goes into a register.
fn bits(value: &Value, lane: usize) -> u128 {
    match value {
        Value::Register(values) => values[lane],
        Value::Memory(values) => {
            let mut all = [0; 16];
            let from = &values[lane].0;
            let count = from.len().min(16);
            all[..count].copy_from_slice(&from[..count]);
            u128::from_le_bytes(all)
        }
        Value::Predicate(mask) => (mask >> lane & 1).into(),
        Value::Nothing => 0,
    }
}

/// What a callee receives.
fn give(warp: &mut Warp, frame: &mut Frame, code: &Code, formal: Formal, value: Value, mask: Mask) {
    let known = |frame: &mut Frame, wanted: crate::decode::Slot| {
        let slot = code.slots.iter().position(|s| *s == wanted);
        if let Some(known) = slot.and_then(|s| frame.shadow.known.get_mut(s)) {
            *known |= mask;
        }
    };
    match formal {
        Formal::Register(place) => {
            for lane in lanes(mask) {
                frame.registers.set_lane_bits(place, lane, bits(&value, lane));
            }
            known(frame, crate::decode::Slot::Register(place));
        }
        Formal::Predicate(index) => {
            let truth = lanes(mask).filter(|l| bits(&value, *l) & 1 != 0).fold(0, |m, l| m | 1 << l);
            frame.registers.put_predicate(PredicateDst(index), mask, truth);
            known(frame, crate::decode::Slot::Predicate(index));
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

/// Where a caller wants a result.
fn put(warp: &mut Warp, frame: &mut Frame, pass: Pass, value: Value, mask: Mask) {
    match pass {
        Pass::Register(place) => {
            for lane in lanes(mask) {
                frame.registers.set_lane_bits(place, lane, bits(&value, lane));
            }
        }
        Pass::Predicate(source) => {
            let truth = lanes(mask).filter(|l| bits(&value, *l) & 1 != 0).fold(0, |m, l| m | 1 << l);
            frame.registers.put_predicate(PredicateDst(source.index.unwrap_or(0)), mask, truth);
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
