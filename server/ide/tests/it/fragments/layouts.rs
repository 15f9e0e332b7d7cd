//! The layouts of the tables, compared with the manual, with each other, and with the result of a multiplication.

use ptx_analysis::Filling;
use ptx_analysis::mnemonic::broken_so_far;
use ptx_isa::ISA;
use ptx_isa::fragment::{FragmentLayout, Holder, LayoutLookup, MatrixPosition};
use ptx_isa::tables::{Entry, Form, ModifierSlot};
use std::collections::{HashMap, HashSet};

/// Operands without a layout, because they are not part of a matrix: addresses, selectors, signs.
const OTHERS: &[(&str, &[&str])] = &[
    ("mma", &["sela", "selb"]),
    ("mma.sp", &["f"]),
    ("mma.sp::ordered_metadata", &["f", "sela", "selb"]),
    ("wgmma.mma_async", &["scale_d", "scale_a", "scale_b", "trans_a", "trans_b"]),
    ("wgmma.mma_async.sp", &["sel", "scale_d", "scale_a", "scale_b", "trans_a", "trans_b"]),
    ("ldmatrix", &[]),
    ("stmatrix", &[]),
    ("movmatrix", &[]),
    ("tcgen05.ld", &["taddr", "split"]),
    ("tcgen05.ld.red", &["taddr", "split"]),
    ("tcgen05.st", &["taddr", "split"]),
    ("wmma.load.a", &["p", "stride"]),
    ("wmma.load.b", &["p", "stride"]),
    ("wmma.load.c", &["p", "stride"]),
    ("wmma.store.d", &["p", "stride"]),
    ("wmma.mma", &[]),
];

/// One operand of one combination of modifiers.
struct Case {
    instruction: &'static str,
    operand: &'static str,
    values: Vec<Option<&'static str>>,
    form: &'static Form,
    found: Option<LayoutLookup>,
}

impl Case {
    fn modifiers(&self) -> Vec<&'static str> {
        self.values.iter().copied().flatten().collect()
    }

    fn has(&self, modifier: &str) -> bool {
        self.modifiers().contains(&modifier)
    }

    fn shape(&self) -> &'static str {
        self.modifiers()
            .into_iter()
            .find(|m| m.starts_with(".m") && m[2..].starts_with(|c: char| c.is_ascii_digit()))
            .unwrap_or("")
    }

    fn layout(&self) -> &FragmentLayout {
        match &self.found {
            Some(LayoutLookup::Layout(layout)) => layout,
            _ => panic!("{} {:?} {}", self.instruction, self.modifiers(), self.operand),
        }
    }

    /// The layout if the other operand that it depends on has this value.
    fn with_input(&self, value: i64) -> FragmentLayout {
        match ISA.layout(self.instruction, self.form, &self.values, self.operand, |_, _| Some(value)) {
            Some(LayoutLookup::Layout(layout)) => *layout,
            _ => panic!("{} {}", self.instruction, self.operand),
        }
    }
}

fn entries(name: &str) -> impl Iterator<Item = &'static Entry> {
    ISA.opcodes.iter().flat_map(|o| o.entries).filter(move |e| e.name == name)
}

/// The combinations of modifiers that the rules of a form allow.
fn combinations(form: &'static Form) -> Vec<Vec<Option<&'static str>>> {
    let choices = |slot: &'static ModifierSlot| -> Vec<Option<&'static str>> {
        // Omit modifiers that do not affect layouts, to reduce the number of combinations.
        let silent = [".satfinite", ".shared", ".NaN", ".abs", ".rn", ".row", ".aligned"];
        let needless = slot.optional && silent.contains(&slot.values[0]);
        let none = slot.optional.then_some(None);
        let values = slot.values.iter().copied().map(Some).filter(|_| !needless);
        none.into_iter().chain(values).collect()
    };
    let mut out: Vec<Vec<Option<&'static str>>> = vec![Vec::new()];
    for slot in form.slots {
        let choices = choices(slot);
        out = out.iter().flat_map(|before| choices.iter().map(move |c| [before.as_slice(), &[*c]].concat())).collect();
    }
    let whole = |values: &Vec<Option<&str>>| {
        form.slots.iter().zip(values).all(|(slot, value)| {
            let same =
                form.slots.iter().zip(values).all(|(s, v)| s.group != slot.group || v.is_some() == value.is_some());
            slot.group == 0 || same
        })
    };
    let legal = |values: &[Option<&'static str>]| {
        let filling = |slot: usize| values[slot].map_or(Filling::Empty, Filling::Value);
        !form.rules.iter().any(|r| broken_so_far(r, &filling, None))
    };
    out.retain(|values| whole(values) && legal(values));
    out
}

fn cases(name: &'static str) -> Vec<Case> {
    let others = OTHERS.iter().find(|o| o.0 == name).map_or(&[][..], |o| o.1);
    let mut out = Vec::new();
    for form in entries(name).flat_map(|e| e.forms) {
        let operands: Vec<&'static str> =
            form.operands.iter().flat_map(|o| o.pattern.names()).filter(|n| !others.contains(n)).collect();
        for values in combinations(form) {
            for operand in operands.iter().copied() {
                let found = ISA.layout(name, form, &values, operand, |_, _| None);
                out.push(Case { instruction: name, operand, values: values.clone(), form, found });
            }
        }
    }
    assert!(!out.is_empty(), "{name}");
    out
}

fn all() -> impl Iterator<Item = Case> {
    OTHERS.iter().flat_map(|(name, _)| cases(name))
}

#[test]
fn every_matrix_operand_has_a_layout_or_a_word() {
    for case in all() {
        assert!(case.found.is_some(), "{} {:?}: nothing on `{}`", case.instruction, case.modifiers(), case.operand);
        let opaque = matches!(case.found, Some(LayoutLookup::Unspecified(_)));
        let expected = case.instruction.starts_with("wmma") || case.operand.ends_with("desc");
        assert_eq!(opaque, expected, "{} {}", case.instruction, case.operand);
    }
}

#[test]
fn every_element_is_held_once() {
    let mut seen = HashSet::new();
    for case in all() {
        let Some(LayoutLookup::Layout(layout)) = &case.found else { continue };
        let sizes = (layout.matrices, layout.rows, layout.columns, layout.registers, layout.count, layout.width);
        if !seen.insert((layout.fragment.name, sizes)) {
            continue;
        }
        let said = format!("{} {:?} {}", case.instruction, case.modifiers(), case.operand);
        let map = layout.map();
        let mut places: Vec<MatrixPosition> = map.iter().map(|(place, _)| *place).collect();
        places.dedup();
        let size = layout.matrices * layout.rows * layout.columns;
        assert_eq!((map.len(), places.len()), (size as usize, size as usize), "{said}");
        let holders = (0..layout.threads).filter(|t| layout.holds(*t)).count() as u32;
        assert_eq!(holders * layout.count, size, "{said}: nothing is left over");
        let mut bits = HashMap::new();
        for element in 0..layout.count {
            let at = layout.bits(element).expect("its bits");
            assert!(at.low + at.width <= layout.register_bits && at.register < layout.registers, "{said}: {at:?}");
            for bit in at.low..at.low + at.width {
                assert!(bits.insert((at.register, bit), element).is_none(), "{said}: two elements in bit {bit}");
            }
        }
        let (place, holder) = map[map.len() / 2];
        assert_eq!(layout.holders(place), [holder], "{said}");
        assert_eq!(layout.element(holder.thread, holder.element), Some(place), "{said}");
    }
    assert!(seen.len() > 200, "{}", seen.len());
}

type Moves = Vec<(u32, u32)>;

fn moves(text: &str) -> Moves {
    let pair =
        |word: &str| word.split_once(',').map(|(r, c)| (r.parse().expect("a row"), c.parse().expect("a column")));
    text.split_whitespace().map(|word| pair(word).expect("a pair")).collect()
}

/// The (row, column) of an element, computed from the recorded moves of its thread and element bits.
fn moved(holder: Holder, by_thread: &Moves, by_element: &Moves) -> (u32, u32) {
    let sum = |number: u32, moves: &Moves| {
        let chosen = moves.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
        chosen.fold((0, 0), |sum, (_, m)| (sum.0 + m.0, sum.1 + m.1))
    };
    let (a, b) = (sum(holder.thread, by_thread), sum(holder.element, by_element));
    (a.0 + b.0, a.1 + b.1)
}

/// The recorded layout of an operand, which the manual defines by formulas.
struct Record {
    sparse: bool,
    shape: String,
    operand: String,
    layout: String,
    ty: String,
    span: u32,
    by_lane: Moves,
    by_element: Moves,
    used: bool,
}

fn records() -> Vec<Record> {
    let lines = include_str!("manual.txt").lines().filter(|l| !l.starts_with('#'));
    let record = |line: &str| {
        let parts: Vec<&str> = line.split('|').collect();
        let words: Vec<&str> = parts[0].split_whitespace().collect();
        Record {
            sparse: words[0] == "sparse",
            shape: format!(".{}", words[1]),
            operand: words[2].to_owned(),
            layout: format!(".{}", words[3]),
            ty: format!(".{}", words[4]),
            span: words[5].parse().expect("a number"),
            by_lane: moves(parts[1]),
            by_element: moves(parts[2]),
            used: false,
        }
    };
    lines.map(record).collect()
}

#[test]
fn dense_layouts_are_those_of_the_manual() {
    let mut records = records();
    for case in cases("mma") {
        if case.operand.starts_with("sf") {
            continue;
        }
        let layout = case.layout();
        let operand = if case.operand == "d" { "c" } else { case.operand };
        let slot = case.form.slots.iter().position(|s| s.name == format!("{operand}layout"));
        let written = slot.and_then(|i| case.values[i]).filter(|_| case.has(".f16")).unwrap_or(".-");
        let found = records.iter_mut().find(|r| {
            let same = !r.sparse && r.shape == case.shape() && r.operand == operand && r.layout == written;
            same && Some(r.ty.as_str()) == layout.ty
        });
        let said = format!("{:?} {} {written} {:?}", case.modifiers(), case.operand, layout.ty);
        let record = found.unwrap_or_else(|| panic!("the manual says nothing of {said}"));
        record.used = true;
        assert_eq!(1 << record.by_element.len(), layout.count, "{said}");
        for (place, holder) in layout.map() {
            let expected = moved(holder, &record.by_lane, &record.by_element);
            assert_eq!((place.row, place.column), expected, "{said} {holder:?}");
        }
    }
    let unused: Vec<String> = records
        .iter()
        .filter(|r| !r.sparse && !r.used)
        .map(|r| format!("{} {} {}", r.shape, r.operand, r.ty))
        .collect();
    // The manual lists `.e2m1` among the types of m16n8k32, but with its block scaling it belongs to m16n8k64.
    assert!(unused.is_empty(), "nothing in the tables for {unused:?}");
}

#[test]
fn sparse_layouts_are_those_of_the_manual() {
    let mut records = records();
    for case in cases("mma.sp").into_iter().chain(cases("mma.sp::ordered_metadata")).filter(|c| c.operand == "a") {
        let layout = case.layout();
        let said = format!("{:?}", case.modifiers());
        let mut same =
            records.iter_mut().filter(|r| r.sparse && r.shape == case.shape() && Some(r.ty.as_str()) == layout.ty);
        let record = same.next().unwrap_or_else(|| panic!("the manual says nothing of {said}"));
        record.used = true;
        assert_eq!(1 << record.by_element.len(), layout.count, "{said}");
        for thread in 0..32 {
            for register in 0..layout.registers {
                let e = layout.per_register();
                let places = (register * e..(register + 1) * e).map(|i| layout.element(thread, i).expect("a place"));
                let spans: Vec<(u32, u32)> = places.clone().map(|p| layout.span(p).expect("a span")).collect();
                let (row, first) = moved(Holder { thread, element: register * e }, &record.by_lane, &record.by_element);
                assert!(places.clone().all(|p| p.row == row), "{said}");
                assert_eq!(spans.iter().map(|s| s.0).min(), Some(first), "{said} thread {thread} register {register}");
                assert_eq!(spans.iter().map(|s| s.1).max(), Some(first + record.span - 1), "{said}");
            }
        }
    }
    assert!(records.iter().all(|r| !r.sparse || r.used));
}

#[test]
fn layouts_of_pictures_are_those_of_cutlass() {
    let mut count = 0;
    for line in include_str!("pictures.txt").lines().filter(|l| !l.starts_with('#')) {
        let parts: Vec<&str> = line.split('|').collect();
        let mut words: Vec<&str> = parts[0].split_whitespace().collect();
        let operand = words.pop().expect("an operand");
        let name = OTHERS.iter().find(|o| o.0 == words[0]).expect("an instruction").0;
        let trans = !words.contains(&".m8n8") || words.contains(&".trans");
        let packed = words.contains(&".pack::16b");
        let case = cases(name).into_iter().find(|c| {
            c.operand == operand
                && words[1..].iter().all(|m| c.has(m))
                && (trans || !c.has(".trans"))
                && packed == c.has(".pack::16b")
                && !c.has(".unpack::16b")
        });
        let case = case.unwrap_or_else(|| panic!("no form: {line}"));
        let layout = case.layout();
        let (by_thread, by_element) = (moves(parts[1]), moves(parts[2]));
        assert_eq!((1 << by_thread.len(), 1 << by_element.len()), (layout.threads, layout.count), "{line}");
        for (place, holder) in layout.map() {
            assert_eq!((place.row, place.column), moved(holder, &by_thread, &by_element), "{line}: {holder:?}");
        }
        count += 1;
    }
    assert!(count > 25);
}

/// A small matrix entry that differs between positions.
fn entry(seed: u32, place: MatrixPosition) -> i64 {
    i64::from((place.row * 31 + place.column * 17 + place.matrix * 7 + seed) % 13) - 6
}

/// Multiplies as the threads do: each group of four threads multiplies its elements pairwise with the elements that the
/// threads of another group have at the same indices. The columns of A and rows of B of these elements do not matter.
#[test]
fn threads_multiply_what_matrices_multiply() {
    let mut shapes = 0;
    for case in cases("mma").iter().filter(|c| c.operand == "a" && !c.shape().starts_with(".m8n8k4")) {
        let of = |operand: &str| match ISA.layout("mma", case.form, &case.values, operand, |_, _| None) {
            Some(LayoutLookup::Layout(layout)) => *layout,
            _ => panic!("{:?} {operand}", case.modifiers()),
        };
        let (a, b, d) = (of("a"), of("b"), of("d"));
        let held = |layout: &FragmentLayout, seed: u32, thread: u32, element: u32| {
            entry(seed, layout.element(thread, element).expect("an element"))
        };
        let halves = a.rows / 8;
        for thread in 0..32 {
            for element in 0..d.count {
                let place = d.element(thread, element).expect("an element");
                let (group, half) = (place.row % 8, place.row / 8);
                let mut sum = 0;
                for t in 0..4 {
                    for register in 0..b.registers {
                        for j in 0..b.per_register() {
                            let of_a = (register * halves + half) * a.per_register() + j;
                            let of_b = register * b.per_register() + j;
                            sum += held(&a, 1, 4 * group + t, of_a) * held(&b, 2, 4 * place.column + t, of_b);
                        }
                    }
                }
                let at = |row, column| MatrixPosition { matrix: 0, row, column };
                let product: i64 =
                    (0..a.columns).map(|k| entry(1, at(place.row, k)) * entry(2, at(k, place.column))).sum();
                assert_eq!(sum, product, "{:?} {place:?}", case.modifiers());
            }
        }
        shapes += 1;
    }
    assert!(shapes > 60, "{shapes}");
}

/// The four multiplications of m8n8k4: the eight threads of a group have all elements of one multiplication.
#[test]
fn quad_pairs_have_a_matrix_each() {
    for case in cases("mma").iter().filter(|c| c.has(".m8n8k4") && c.has(".f16")) {
        let layout = case.layout();
        for (place, holder) in layout.map() {
            assert_eq!(place.matrix, holder.thread % 16 / 4, "{:?} {}", case.modifiers(), case.operand);
        }
    }
}

fn find(name: &'static str, modifiers: &[&str], operand: &str) -> FragmentLayout {
    let case = cases(name).into_iter().find(|c| {
        c.operand == operand && modifiers.iter().all(|m| c.has(m)) && c.has(".trans") == modifiers.contains(&".trans")
    });
    case.expect("a form").layout().clone()
}

/// `ldmatrix` loads matrices from memory into exactly the registers that `mma` reads.
#[test]
fn ldmatrix_loads_what_mma_reads() {
    let mma = |operand| find("mma", &[".m16n8k16", ".f16", ".f32"], operand);
    let (a, b) = (mma("a"), mma("b"));
    let four = find("ldmatrix", &[".m8n8", ".x4"], "r");
    for (place, holder) in four.map() {
        // Matrices 0 to 3: upper left, lower left, upper right, lower right.
        let expected = MatrixPosition {
            matrix: 0,
            row: place.row + 8 * (place.matrix % 2),
            column: place.column + 8 * (place.matrix / 2),
        };
        assert_eq!(a.element(holder.thread, holder.element), Some(expected));
    }
    let two = find("ldmatrix", &[".m8n8", ".x2", ".trans"], "r");
    for (place, holder) in two.map() {
        let expected = MatrixPosition { matrix: 0, row: place.row + 8 * place.matrix, column: place.column };
        assert_eq!(b.element(holder.thread, holder.element), Some(expected));
    }
    // B in column order, as `.col` says: its columns are contiguous in memory.
    let two = find("ldmatrix", &[".m8n8", ".x2"], "r");
    for (place, holder) in two.map() {
        let expected = MatrixPosition { matrix: 0, row: place.column + 8 * place.matrix, column: place.row };
        assert_eq!(b.element(holder.thread, holder.element), Some(expected));
    }
    // The same for bytes: B of m16n8k32 for two multiplications.
    let bytes = find("ldmatrix", &[".m16n16", ".x1", ".b8", ".trans"], "r");
    let b = find("mma", &[".m16n8k32", ".s8", ".s32"], "b");
    for (place, holder) in bytes.map().into_iter().filter(|(place, _)| place.column < 8) {
        let expected = MatrixPosition { matrix: 0, row: place.row, column: place.column };
        assert_eq!(b.element(holder.thread, holder.element), Some(expected));
    }
}

/// The result of `mma`, converted to bytes register by register, is the operand of the transposing `stmatrix`; and
/// `movmatrix` transposes.
#[test]
fn stmatrix_stores_what_mma_gives() {
    let d = find("mma", &[".m16n8k16", ".f16", ".f32"], "d");
    let stored = find("stmatrix", &[".m16n8", ".x1", ".trans"], "r");
    for (place, holder) in stored.map() {
        let expected = MatrixPosition { matrix: 0, row: place.column, column: place.row };
        assert_eq!(d.element(holder.thread, holder.element), Some(expected));
    }
    let (from, to) = (find("movmatrix", &[".trans"], "a"), find("movmatrix", &[".trans"], "d"));
    for (place, holder) in to.map() {
        let transposed = MatrixPosition { row: place.column, column: place.row, ..place };
        assert_eq!(from.element(holder.thread, holder.element), Some(transposed));
    }
}

/// The metadata of an element of A describes the columns that the element may stand for.
#[test]
fn metadata_tells_of_the_elements_of_a() {
    for name in ["mma.sp", "mma.sp::ordered_metadata", "wgmma.mma_async.sp"] {
        // The width of the result does not matter.
        let all: Vec<Case> = cases(name).into_iter().filter(|c| c.shape().contains("n8k")).collect();
        for case in all.iter().filter(|c| c.operand == "a") {
            let a = case.layout();
            let meta = if name.starts_with("wgmma") { "meta" } else { "e" };
            let e =
                all.iter().find(|c| c.operand == meta && c.values == case.values && std::ptr::eq(c.form, case.form));
            let e = e.expect("metadata");
            let chunks: HashMap<(u32, u32), (u32, u32)> = e
                .layout()
                .map()
                .iter()
                .map(|(p, _)| ((p.row, p.column), e.layout().span(*p).expect("a span")))
                .collect();
            let kept = a.columns / e.layout().columns;
            for (place, _) in a.map() {
                assert_eq!(
                    a.span(place),
                    chunks.get(&(place.row, place.column / kept)).copied(),
                    "{name} {:?}",
                    case.modifiers()
                );
            }
        }
    }
}

/// A selector determines which threads supply metadata or scale factors, and in which bytes.
#[test]
fn selectors_choose_threads_and_bytes() {
    let case =
        cases("mma.sp").into_iter().find(|c| c.has(".m16n8k16") && c.has(".f16") && c.operand == "e").expect("a form");
    for selector in 0..4 {
        let layout = case.with_input(selector);
        let threads: Vec<u32> = (0..32).filter(|t| layout.holds(*t)).collect();
        assert_eq!(threads, (0..8).map(|g| 4 * g + selector as u32).collect::<Vec<_>>());
    }
    let case = cases("mma").into_iter().find(|c| c.has(".scale_vec::2X") && c.operand == "sfa").expect("a form");
    let found = ISA.layout("mma", case.form, &case.values, "sfa", |name, element| {
        assert_eq!(name, "sela");
        [2, 1].get(element).copied()
    });
    let Some(LayoutLookup::Layout(layout)) = found else { panic!("a layout") };
    assert_eq!(layout.bits(0).map(|b| b.low), Some(16));
    assert_eq!(layout.element(6, 1), Some(MatrixPosition { matrix: 0, row: 1, column: 1 }));
    assert_eq!(layout.element(7, 0), Some(MatrixPosition { matrix: 0, row: 9, column: 0 }));
    assert_eq!(layout.element(5, 0), None);
    assert_eq!(layout.span(MatrixPosition { matrix: 0, row: 1, column: 1 }), Some((32, 63)));
}
