//! Transfers the bytes of a tensor copy.

use crate::findings::FaultKind;
use crate::machine::{AccessLocation, AccessRange, ExecContext, Order, Scope};
use crate::memory::Region;
use ptx_num::image::tensor_copy::{Amount, RunKind, pack6};
use ptx_num::image::tensor_map::{ElementType, TensorMap};
use ptx_num::image::{CopyRun, TensorFault};
use ptx_num::values::Marks;
use ptx_num::values::atomic::{self, AtomicElement, AtomicOperation};

/// Everything that one tensor copy does: its tensor map, its contiguous runs of bytes, and its size.
pub(super) struct TensorTransfer {
    pub(super) map: TensorMap,
    pub(super) runs: Vec<CopyRun>,
    pub(super) amount: Amount,
}

fn global(address: u64) -> AccessLocation {
    AccessLocation { address, region: Region::Global, offset: address }
}

fn put_global(context: &mut ExecContext<'_>, lane: usize, address: u64, bytes: &[u8]) {
    if !bytes.is_empty() {
        context.write_at(global(address), lane, bytes, Marks::NONE, Order::Weak);
    }
}

/// The number of bytes of global memory that a run reads or writes.
fn global_bytes(run: &CopyRun) -> u64 {
    match run.kind {
        RunKind::Bytes => run.bytes.into(),
        RunKind::Pack6 => u64::from(run.bytes) / 16 * 12,
        RunKind::Fill | RunKind::Padding => 0,
    }
}

/// The location of a run in the shared memory to which the location `of` belongs.
fn shared(of: AccessLocation, run: &CopyRun) -> AccessLocation {
    let offset = u64::from(run.shared);
    AccessLocation { address: of.address.wrapping_sub(of.offset).wrapping_add(offset), offset, ..of }
}

/// The location `bytes` bytes after `of`.
fn behind(of: AccessLocation, bytes: u64) -> AccessLocation {
    AccessLocation { address: of.address.wrapping_add(bytes), offset: of.offset.wrapping_add(bytes), ..of }
}

impl TensorTransfer {
    /// Size of the box in shared memory in bytes, from its beginning to its end.
    pub(super) fn shared_bytes(&self) -> usize {
        self.amount.shared as usize
    }

    fn element(&self) -> ElementType {
        self.map.element_type().unwrap_or_default()
    }

    /// The contiguous ranges of global memory that are read or written, in order. Returns `None` if one of them cannot be accessed.
    pub(super) fn spans(&self, context: &mut ExecContext<'_>, lane: usize, write: bool) -> Option<Vec<AccessRange>> {
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for run in &self.runs {
            let bytes = global_bytes(run);
            match spans.last_mut() {
                _ if bytes == 0 => {}
                Some((start, length)) if start.wrapping_add(*length) == run.global => *length += bytes,
                _ => spans.push((run.global, bytes)),
            }
        }
        let locate = |(start, bytes): (u64, u64)| {
            let at = context.locate_generic(start, lane, bytes as usize, 1, write)?;
            if at.region != Region::Global {
                context.fault(FaultKind::OutOfBounds, 1 << lane, || {
                    format!("the tensor map leads to {start:#x}, which is not in global memory")
                });
                return None;
            }
            Some(AccessRange { location: at, bytes })
        };
        spans.into_iter().map(locate).collect()
    }

    /// Copies from global to shared memory.
    pub(super) fn load(
        &self,
        context: &mut ExecContext<'_>,
        lane: usize,
        sources: &[AccessRange],
        target: AccessLocation,
    ) {
        let (element, pattern) = (self.element(), self.map.fill_pattern().to_le_bytes());
        let first = target.offset as u32;
        let length = self.runs.iter().map(|r| r.shared.wrapping_sub(first).saturating_add(r.bytes)).max().unwrap_or(0);
        let mut buffer = vec![0; length as usize];
        // `marked`: ranges whose values are unspecified. `special`: runs that are handled one by one, because some of their bytes are
        // marked, unwritten or padding.
        let mut marked: Vec<(u32, u32)> = Vec::new();
        let mut special: Vec<&CopyRun> = Vec::new();
        let mut sources = sources.iter();
        let (mut data, mut clean, mut from, mut left) = (Vec::new(), true, 0, 0);
        for run in &self.runs {
            let at = run.shared.wrapping_sub(first) as usize;
            let Some(to) = buffer.get_mut(at..at + run.bytes as usize) else { continue };
            match run.kind {
                RunKind::Bytes => {
                    if left == 0 {
                        let Some(AccessRange { location: span, bytes }) = sources.next() else { continue };
                        data.resize(*bytes as usize, 0);
                        let read = context.peek_at(*span, lane, &mut data);
                        clean = read.is_some_and(|r| !r.uninitialized && r.marks.is_none());
                        (from, left) = (0, *bytes as usize);
                    }
                    let count = to.len().min(left);
                    if clean {
                        to[..count].copy_from_slice(&data[from..from + count]);
                        convert(element, &mut to[..count], run.shared, &mut marked);
                    } else {
                        special.push(run);
                    }
                    (from, left) = (from + count, left - count);
                }
                RunKind::Fill => {
                    let phase = run.shared as usize % pattern.len();
                    to.iter_mut().zip(pattern.iter().cycle().skip(phase)).for_each(|(to, from)| *to = *from);
                    if pattern != [0; 8] {
                        marked.push((run.shared, run.bytes));
                    }
                }
                RunKind::Padding | RunKind::Pack6 => special.push(run),
            }
        }
        self.put(context, lane, target, &buffer);
        for (at, bytes) in marked {
            let from = at.wrapping_sub(first) as usize;
            let to = behind(target, from as u64);
            let bytes = buffer.get(from..from + bytes as usize).unwrap_or_default();
            context.write_at(to, lane, bytes, Marks::UNSPECIFIED, Order::Weak);
        }
        for run in special {
            let to = shared(target, run);
            if run.kind == RunKind::Bytes {
                context.copy_at(global(run.global), to, lane, run.bytes as usize, u16::MAX);
                convert_at(context, lane, element, to, run.bytes);
            } else {
                context.forget_at(to, lane, run.bytes.into());
            }
        }
    }

    /// Writes the bytes of a box, all at once unless there are gaps in it.
    fn put(&self, context: &mut ExecContext<'_>, lane: usize, target: AccessLocation, buffer: &[u8]) {
        let bytes: usize = self.runs.iter().map(|r| r.bytes as usize).sum();
        if bytes == buffer.len() {
            return context.write_at(target, lane, buffer, Marks::NONE, Order::Weak);
        }
        for run in &self.runs {
            let at = run.shared.wrapping_sub(target.offset as u32) as usize;
            if let Some(bytes) = buffer.get(at..at + run.bytes as usize) {
                context.write_at(shared(target, run), lane, bytes, Marks::NONE, Order::Weak);
            }
        }
    }

    /// Copies from shared to global memory.
    pub(super) fn store(&self, context: &mut ExecContext<'_>, lane: usize, source: AccessLocation) {
        let mut buffer = vec![0; self.shared_bytes()];
        let read = context.peek_at(source, lane, &mut buffer);
        let clean = read.is_some_and(|r| !r.uninitialized && r.marks.is_none());
        // Bytes that are contiguous in global memory, collected for a single write.
        let (mut start, mut waiting) = (0_u64, Vec::new());
        for run in &self.runs {
            let at = run.shared.wrapping_sub(source.offset as u32) as usize;
            let from = buffer.get(at..at + run.bytes as usize).filter(|_| clean && run.kind == RunKind::Bytes);
            let Some(from) = from else {
                self.store_run(context, lane, source, run);
                continue;
            };
            if start.wrapping_add(waiting.len() as u64) != run.global {
                put_global(context, lane, start, &waiting);
                (start, waiting) = (run.global, Vec::new());
            }
            waiting.extend_from_slice(from);
        }
        put_global(context, lane, start, &waiting);
    }

    /// Stores one run, with the marks of its bytes.
    fn store_run(&self, context: &mut ExecContext<'_>, lane: usize, source: AccessLocation, run: &CopyRun) {
        let from = shared(source, run);
        if run.kind == RunKind::Bytes {
            return context.copy_at(from, global(run.global), lane, run.bytes as usize, u16::MAX);
        }
        for group in 0..u64::from(run.bytes / 16) {
            let mut bytes = [0; 16];
            let marks = context.read_at(behind(from, 16 * group), lane, &mut bytes, Order::Weak);
            let to = global(run.global.wrapping_add(12 * group));
            context.write_at(to, lane, &pack6(bytes), marks, Order::Weak);
        }
    }

    /// Combines the bytes in shared memory with those in global memory. Returns `None` if the operation does not support the element type.
    pub(super) fn reduce(
        &self,
        context: &mut ExecContext<'_>,
        lane: usize,
        source: AccessLocation,
        operation: AtomicOperation,
    ) -> Option<()> {
        let function = combination(operation, self.element()).and_then(|element| {
            // The manual's page on tensors does not mention subnormal numbers. According to its page on blocks, sums of `.f32` flush them
            // (9.7.9.25.5.2).
            let flushes = atomic::operation(operation, element, element == AtomicElement::F32)?;
            Some((element, flushes, atomic::operation(operation, element, false)?))
        });
        let Some((element, function, keeps)) = function else {
            super::fault(context, TensorFault::Element, lane);
            return None;
        };
        let size = (element.bits() / 8) as usize;
        for run in &self.runs {
            for skip in (0..run.bytes as usize).step_by(size) {
                let mut value = [0; 16];
                let from = behind(shared(source, run), skip as u64);
                let marks = context.read_at(from, lane, &mut value[..size], Order::Weak);
                let b = u128::from_le_bytes(value);
                let to = global(run.global.wrapping_add(skip as u64));
                // Each element is combined by a relaxed operation.
                let old = context.update_at(to, lane, size, Order::Relaxed(Scope::Gpu), |old| function(old, b, 0));
                let mut marks = marks | atomic::marks(operation, element, old, b);
                if function(old, b, 0) != keeps(old, b, 0) {
                    marks |= Marks::UNSPECIFIED;
                }
                context.mark_at(to, lane, size, marks, true);
            }
        }
        Some(())
    }
}

/// The type as which the elements of a tensor are combined; `None` if the operation does not support them (manual, table of
/// `cp.reduce.async.bulk.tensor`).
fn combination(operation: AtomicOperation, element: ElementType) -> Option<AtomicElement> {
    let name = match (operation, element) {
        (AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor, ElementType::U32 | ElementType::S32) => {
            "b32"
        }
        (AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor, ElementType::U64 | ElementType::S64) => {
            "b64"
        }
        (AtomicOperation::Inc | AtomicOperation::Dec | AtomicOperation::Add, ElementType::U32) => "u32",
        (AtomicOperation::Add, ElementType::S32) => "s32",
        (AtomicOperation::Add, ElementType::U64) => "u64",
        (AtomicOperation::Add, ElementType::F32) => "f32",
        (AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max, ElementType::F16) => "f16",
        (AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max, ElementType::Bf16) => "bf16",
        (AtomicOperation::Min | AtomicOperation::Max, ElementType::U32) => "u32",
        (AtomicOperation::Min | AtomicOperation::Max, ElementType::S32) => "s32",
        (AtomicOperation::Min | AtomicOperation::Max, ElementType::U64) => "u64",
        (AtomicOperation::Min | AtomicOperation::Max, ElementType::S64) => "s64",
        _ => return None,
    };
    AtomicElement::named(name)
}

/// Converts elements as a load does. `at` is their offset in shared memory; the ranges of results with unspecified bits are added to
/// `marked`.
fn convert(element: ElementType, bytes: &mut [u8], at: u32, marked: &mut Vec<(u32, u32)>) {
    if !element.converts() {
        return;
    }
    for (i, word) in bytes.chunks_exact_mut(4).enumerate() {
        let mut bits = [0; 4];
        bits.copy_from_slice(word);
        let (value, marks) = element.loaded(u32::from_le_bytes(bits));
        word.copy_from_slice(&value.to_le_bytes());
        if !marks.is_none() {
            marked.push((at.wrapping_add(4 * i as u32), 4));
        }
    }
}

/// Like [`convert`], for elements that are in shared memory already. Skips those that were never written.
fn convert_at(context: &mut ExecContext<'_>, lane: usize, element: ElementType, at: AccessLocation, bytes: u32) {
    if !element.converts() {
        return;
    }
    for skip in (0..u64::from(bytes)).step_by(4) {
        let to = behind(at, skip);
        let mut word = [0; 4];
        let Some(read) = context.peek_at(to, lane, &mut word).filter(|r| !r.uninitialized) else { continue };
        let (value, marks) = element.loaded(u32::from_le_bytes(word));
        context.write_at(to, lane, &value.to_le_bytes(), read.marks | marks, Order::Weak);
    }
}
