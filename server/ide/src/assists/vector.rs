//! Splits a vector access into scalar accesses, and combines scalar accesses into a vector access.
//!
//! The form tells whether an instruction accesses memory element by element: then its address has as many elements as its
//! list.

use super::assist::Assist;
use super::site::{AssistSite, Matched, names_in};
use ptx_analysis::{Candidate, Instruction, Operand, OperandKind, OperandPattern, OperandSpec, literal, mnemonic};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Length, OperandAccess, ValueKind};
use ptx_syntax::Snapshot;
use std::ops::Range;

/// Offers both assists.
pub fn assists(site: &AssistSite<'_>, out: &mut Vec<Assist>) {
    out.extend(site.matched(|matched| expand(site, matched)));
    out.extend(site.matched(|matched| combine(site, matched)));
}

/// The parts of a memory access.
struct Shaped {
    /// Index of the slot for the vector length modifier.
    slot: u8,
    /// Indices of the operands that are lists.
    lists: Vec<usize>,
    /// Index of the address operand.
    address: usize,
    /// Size of an element in bytes.
    size: i128,
}

/// Finds the parts of an access, if its form supports vectors.
fn shaped(matched: &Matched<'_>) -> Option<Shaped> {
    let of = |spec: &OperandSpec| match spec.value.length {
        Length::Slot(slot) => Some(slot),
        _ => None,
    };
    let (mut lists, mut found) = (Vec::new(), None);
    for (index, (_, shape)) in matched.variant.operands.iter().enumerate() {
        match shape {
            OperandPattern::Value(spec) => {
                if let Some(slot) = of(spec) {
                    lists.push((index, slot));
                }
            }
            OperandPattern::Address(parts) => {
                if let [spec] = parts.as_slice()
                    && matches!(spec.value.kind, ValueKind::Address(_))
                    && let (Some(slot), Some(ty)) = (of(spec), spec.ty)
                {
                    found = Some((index, slot, i128::from(ty.info().bits / 8)));
                }
            }
            _ => {}
        }
    }
    let (address, slot, size) = found.filter(|f| f.2 > 0)?;
    let lists: Vec<usize> = lists.into_iter().filter(|(_, s)| *s == slot).map(|(index, _)| index).collect();
    (!lists.is_empty()).then_some(Shaped { slot, lists, address, size })
}

/// Splits an address into its base and its offset in bytes.
fn base_and_offset<'a>(operand: &'a Operand<'a>, text: &'a str) -> Option<(&'a str, i128)> {
    let OperandKind::Address(parts) = &operand.kind else { return None };
    let [inner] = parts.as_slice() else { return None };
    match &inner.kind {
        OperandKind::Name(name) => Some((name, 0)),
        OperandKind::Offset(both, minus) => {
            let OperandKind::Name(base) = both.0.kind else { return None };
            let amount = text.get(both.1.range.clone())?.trim();
            let (sign, digits) = amount.strip_prefix('-').map_or((1, amount), |d| (-1, d.trim_start()));
            let value = sign * literal::integer(digits)?;
            Some((base, if *minus { -value } else { value }))
        }
        _ => None,
    }
}

/// An address as text.
fn address(base: &str, offset: i128) -> String {
    match offset {
        0 => format!("[{base}]"),
        _ => format!("[{base}+{offset}]"),
    }
}

/// The mnemonic of a form with the given slot values.
fn canonical(opcode: &str, form: &Form, values: &[Option<&'static str>]) -> String {
    let slots = form.slots.iter().zip(values).filter(|(s, _)| s.after_operand == 0);
    std::iter::once(opcode).chain(slots.filter_map(|(_, v)| *v)).collect()
}

/// A text with several ranges replaced.
fn with(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    let mut out = text.to_owned();
    edits.sort_by_key(|e| e.0.start);
    for (range, new) in edits.into_iter().rev() {
        if out.get(range.clone()).is_some() {
            out.replace_range(range, &new);
        }
    }
    out
}

/// Expands `ld.v2.u32 {a, b}, [p]` to `ld.u32 a, [p]; ld.u32 b, [p+4]`.
fn expand(site: &AssistSite<'_>, matched: &Matched<'_>) -> Option<Assist> {
    const ID: &str = "expand-vector";
    let instruction = matched.instruction;
    let shape = shaped(matched)?;
    let candidate = matched.candidate;
    (*candidate.values.get(usize::from(shape.slot))?)?;
    let mut values = candidate.values.clone();
    *values.get_mut(usize::from(shape.slot))? = None;
    let new_head = canonical(instruction.opcode.text, candidate.form, &values);
    let (base, offset) = base_and_offset(instruction.operands.get(shape.address)?, &site.text)?;
    let lists: Option<Vec<(&Operand<'_>, &[Operand<'_>])>> = shape
        .lists
        .iter()
        .map(|i| {
            let operand = instruction.operands.get(*i)?;
            match &operand.kind {
                OperandKind::Vector(elements) => Some((operand, elements.as_slice())),
                _ => None,
            }
        })
        .collect();
    let lists = lists?;
    let count = lists.iter().map(|l| l.1.len()).min()?;
    let title = format!("Access each element by itself, with `{new_head}`");
    let mut order: Vec<usize> =
        (0..count).filter(|k| !lists.iter().all(|l| matches!(l.1[*k].kind, OperandKind::Sink))).collect();
    // An element that writes a register of the address or the guard must come last, since the other accesses still read it.
    let written: Vec<Vec<&str>> = (0..count).map(|k| written(site, matched, &shape, &lists, k)).collect();
    let needed: Vec<&str> = needed(site, instruction, &lists);
    let clobbers = |k: &usize| written[*k].iter().any(|w| needed.contains(w));
    // An element must not write a register that another element reads.
    let read = |k: usize| lists.iter().flat_map(move |l| names_in(site.text.get(l.1[k].range.clone()).unwrap_or("")));
    let crossed = (0..count).any(|k| {
        let others = (0..count).filter(|other| *other != k).flat_map(read);
        others.into_iter().any(|name| written[k].contains(&name))
    });
    if crossed {
        return Some(Assist::disabled(ID, title, "a register is written by one element and used by another"));
    }
    let (mut last, first): (Vec<usize>, Vec<usize>) = order.iter().copied().partition(clobbers);
    if last.len() > 1 {
        return Some(Assist::disabled(ID, title, "one of the elements would overwrite the address of the others"));
    }
    order = first;
    order.append(&mut last);
    let statements: Vec<String> = order
        .iter()
        .map(|k| {
            let mut edits = vec![(instruction.mnemonic_range(), new_head.clone())];
            let place = &instruction.operands[shape.address].range;
            edits.push((place.clone(), address(base, offset + *k as i128 * shape.size)));
            for (operand, elements) in &lists {
                edits.push((operand.range.clone(), site.text.get(elements[*k].range.clone()).unwrap_or("").to_owned()));
            }
            with(&site.text, edits)
        })
        .collect();
    if statements.is_empty() || !statements.iter().all(|s| site.is_clean(s)) {
        return None;
    }
    let (line_end, indent) = line_start(site.snapshot, site.base);
    let text = statements.join(&format!("{line_end}{indent}"));
    Some(Assist::new(ID, title, vec![site.replace(0..site.text.len(), text)]))
}

/// The registers that an element writes.
fn written<'a>(
    site: &'a AssistSite<'_>,
    matched: &Matched<'_>,
    shape: &Shaped,
    lists: &[(&Operand<'_>, &[Operand<'_>])],
    element: usize,
) -> Vec<&'a str> {
    let mut out = Vec::new();
    for (index, (_, elements)) in shape.lists.iter().zip(lists) {
        let writes = matches!(&matched.variant.operands[*index].1, OperandPattern::Value(spec) if spec.value.access != OperandAccess::Read);
        if writes && let Some(element) = elements.get(element) {
            out.extend(names_in(site.text.get(element.range.clone()).unwrap_or("")));
        }
    }
    out
}

/// The names that each of the scalar accesses reads: those of the guard and of all operands that are not lists.
fn needed<'a>(
    site: &'a AssistSite<'_>,
    instruction: &Instruction<'_>,
    lists: &[(&Operand<'_>, &[Operand<'_>])],
) -> Vec<&'a str> {
    let mut out: Vec<&str> = names_in(site.text.get(..instruction.opcode.range().start).unwrap_or("")).collect();
    for operand in &instruction.operands {
        if !lists.iter().any(|l| l.0.range == operand.range) {
            out.extend(names_in(site.text.get(operand.range.clone()).unwrap_or("")));
        }
    }
    out
}

/// One of several scalar accesses.
struct ScalarAccess {
    base: String,
    offset: i128,
    /// The text of the list element that it becomes, for each list operand.
    elements: Vec<String>,
    /// All other text, which must be the same for accesses that are combined.
    rest: String,
    end: usize,
}

fn single(site: &AssistSite<'_>, matched: &Matched<'_>, shape: &Shaped) -> Option<ScalarAccess> {
    let instruction = matched.instruction;
    if matched.candidate.values.get(usize::from(shape.slot))?.is_some() {
        return None;
    }
    let operand = |i: usize| instruction.operands.get(i).and_then(|o| Some((o, site.text.get(o.range.clone())?)));
    let (place, _) = operand(shape.address)?;
    let (base, offset) = base_and_offset(place, &site.text)?;
    let elements: Option<Vec<String>> = shape.lists.iter().map(|i| operand(*i).map(|o| o.1.to_owned())).collect();
    let mut edits: Vec<(Range<usize>, String)> =
        shape.lists.iter().map(|i| (instruction.operands[*i].range.clone(), String::new())).collect();
    edits.push((place.range.clone(), String::new()));
    let rest = with(&site.text, edits).split_whitespace().collect();
    Some(ScalarAccess { base: base.to_owned(), offset, elements: elements?, rest, end: site.node.end_byte() })
}

/// Modifier of accesses without ordering. A form with a slot for it is weak even if the modifier is left out.
const PLAIN: &str = ".weak";

/// Combines `ld.u32 a, [p]; ld.u32 b, [p+4]` to `ld.v2.u32 {a, b}, [p]`.
fn combine(site: &AssistSite<'_>, matched: &Matched<'_>) -> Option<Assist> {
    const ID: &str = "combine-vector";
    let shape = shaped(matched)?;
    let form = matched.candidate.form;
    // Combining would change the number of accesses, which other threads may observe unless the accesses are weak.
    if !form.slots.iter().any(|s| s.name == PLAIN) {
        return None;
    }
    let slot = form.slots.get(usize::from(shape.slot))?;
    let first = single(site, matched, &shape)?;
    let longest = slot.values.iter().filter_map(|v| number(v)).max()?;
    let mut run = vec![first];
    let mut node = site.node;
    while run.len() < longest {
        let Some(next) = node.next_named_sibling().and_then(|n| AssistSite::of(site.snapshot, n)) else { break };
        let between = site.snapshot.text(node.end_byte()..next.base);
        let found = next.matched(|m| shaped(m).and_then(|s| single(&next, m, &s)));
        let Some(found) = found.filter(|_| between.trim().is_empty()) else { break };
        let expected = run[0].offset + run.len() as i128 * shape.size;
        if found.rest != run[0].rest || found.base != run[0].base || found.offset != expected {
            break;
        }
        node = next.node;
        run.push(found);
    }
    let mut lengths: Vec<(usize, &'static str)> = slot.values.iter().filter_map(|v| Some((number(v)?, *v))).collect();
    lengths.sort_unstable_by_key(|l| std::cmp::Reverse(l.0));
    lengths.into_iter().filter(|(n, _)| *n <= run.len()).find_map(|(count, modifier)| {
        let bytes = shape.size * count as i128;
        let mut values = matched.candidate.values.clone();
        *values.get_mut(usize::from(shape.slot))? = Some(modifier);
        let new_head = canonical(matched.instruction.opcode.text, form, &values);
        let written = vector_of(site, matched, &shape, &run[..count], &new_head);
        if !is_form(matched.instruction.opcode.text, &new_head) || !site.is_clean(&written) {
            return None;
        }
        let title = format!("Access these {count} at once, with `{new_head}`: the address must be a multiple of {bytes}");
        if run[0].offset % bytes != 0 {
            return Some(Assist::disabled(ID, title, format!("the offset {} is not a multiple of {bytes}", run[0].offset)));
        }
        // Only the last element may overwrite the base register, and no two elements may write the same register.
        let mut seen: Vec<&str> = Vec::new();
        for (k, part) in run[..count].iter().enumerate() {
            for (index, element) in shape.lists.iter().zip(&part.elements) {
                let writes = matches!(&matched.variant.operands[*index].1, OperandPattern::Value(spec) if spec.value.access != OperandAccess::Read);
                let clobbers = |name: &str| (k + 1 < count && run[0].base == name) || seen.contains(&name) || names_in(&part.rest).any(|n| n == name);
                if writes && names_in(element).any(clobbers) {
                    return Some(Assist::disabled(ID, title, format!("`{element}` would overwrite a value that is needed later")));
                }
                if writes {
                    seen.extend(names_in(element));
                }
            }
        }
        let edit = crate::TextEdit { range: site.base..run[count - 1].end, text: written };
        Some(Assist::new(ID, title, vec![edit]))
    })
}

/// The vector access that replaces several scalar accesses.
fn vector_of(
    site: &AssistSite<'_>,
    matched: &Matched<'_>,
    shape: &Shaped,
    parts: &[ScalarAccess],
    new_head: &str,
) -> String {
    let instruction = matched.instruction;
    let mut edits = vec![(instruction.mnemonic_range(), new_head.to_owned())];
    for (which, index) in shape.lists.iter().enumerate() {
        let elements: Vec<&str> = parts.iter().filter_map(|p| p.elements.get(which).map(String::as_str)).collect();
        edits.push((instruction.operands[*index].range.clone(), format!("{{{}}}", elements.join(", "))));
    }
    with(&site.text, edits)
}

/// Whether a mnemonic fits a form.
fn is_form(opcode: &str, head: &str) -> bool {
    let modifiers: Vec<String> =
        head.strip_prefix(opcode).unwrap_or("").split('.').skip(1).map(|m| format!(".{m}")).collect();
    let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
    let resolved = ISA.opcode(opcode).and_then(|o| mnemonic::resolve(o, &modifiers));
    resolved.is_some_and(|h| h.candidates.iter().any(|c: &Candidate| c.values.iter().any(Option::is_some)))
}

/// The number in a modifier: 4 for `.v4`.
fn number(modifier: &str) -> Option<usize> {
    modifier.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

/// The line end of the file, and the indentation of the line that contains `at`.
fn line_start(snapshot: &Snapshot, at: usize) -> (&'static str, String) {
    let rope = snapshot.rope();
    let line = rope.line_to_byte(rope.byte_to_line(at));
    let indent = snapshot.text(line..at).chars().take_while(|c| c.is_whitespace()).collect();
    (if snapshot.text(0..4096).contains("\r\n") { "\r\n" } else { "\n" }, indent)
}
