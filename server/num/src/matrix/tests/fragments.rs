//! Tests of the mappings between registers and matrices, and between rows of memory and registers.

use super::MatrixRandom;
use crate::matrix::element::MatrixElementType;
use crate::matrix::fragment::Fragment;
use crate::matrix::movement::{Movement, ROW};
use ptx_isa::ISA;
use ptx_isa::tables::Form;
use std::collections::HashMap;

type ChosenModifiers = Vec<Option<&'static str>>;

/// Returns the forms of an instruction with combinations of modifiers, optional ones both omitted and written: up to 5
/// combinations for each form, or 24 with `more`.
fn written(name: &str, more: bool) -> Vec<(&'static Form, ChosenModifiers)> {
    let mut all = Vec::new();
    for form in ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.name == name).flat_map(|e| e.forms) {
        let mut out: Vec<ChosenModifiers> = vec![Vec::new()];
        for slot in form.slots {
            let skip = slot.optional.then_some(None);
            // Slots with many values (N of wgmma) contribute every ninth value, other slots all values.
            let many = slot.values.len() > 12;
            let some = slot.values.iter().enumerate().filter(|(at, _)| !many || at % 9 == 0).map(|v| Some(*v.1));
            let choices: ChosenModifiers = skip.into_iter().chain(some).collect();
            out = out.iter().flat_map(|o| choices.iter().map(move |c| [o.as_slice(), &[*c]].concat())).collect();
        }
        // A sample of the combinations, evenly spread.
        let step = out.len().div_ceil(if more { 24 } else { 5 });
        all.extend(out.into_iter().step_by(step).map(|values| (form, values)));
    }
    all
}

fn find(name: &str, modifiers: &[&str]) -> (&'static Form, ChosenModifiers) {
    let fits = |v: &ChosenModifiers| {
        let is: Vec<&str> = v.iter().flatten().copied().collect();
        modifiers.iter().all(|m| is.contains(m))
    };
    written(name, true).into_iter().filter(|(_, v)| fits(v)).min_by_key(|(_, v)| v.iter().flatten().count()).unwrap()
}

#[test]
fn matrices_come_back_from_registers() {
    let mut random = MatrixRandom(0xabcd);
    let mut count = 0;
    for name in ["mma", "mma.sp::ordered_metadata", "wgmma.mma_async", "wgmma.mma_async.sp", "movmatrix", "tcgen05.ld"]
    {
        for (form, values) in written(name, false) {
            for operand in ["a", "b", "c", "d", "e", "meta", "sfa", "sfb", "r"] {
                let Ok(fragment) = Fragment::new(name, form, &values, operand, None, |_, _| Some(0)) else { continue };
                count += 1;
                let mask = u64::MAX >> (64 - fragment.width);
                let matrix: Vec<u64> = (0..fragment.size()).map(|_| random.next() & mask).collect();
                let mut registers = HashMap::new();
                fragment.scatter(&matrix, |register, thread, value| {
                    assert!(registers.insert((register, thread), value).is_none(), "written twice");
                });
                let back = fragment.gather(|register, thread| registers[&(register, thread)]);
                assert_eq!(back, matrix, "{name} {values:?} {operand}");
                assert_eq!(fragment.places().count(), fragment.size(), "each element is held once");
            }
        }
    }
    assert!(count > 80, "{count}");
}

/// Manual 9.7.14.5.8: the formulas of m16n8k16 with 16-bit elements.
#[test]
fn m16n8k16_is_as_the_manual_writes_it() {
    let (form, values) = find("mma", &[".m16n8k16", ".f32", ".bf16"]);
    let fragment = |operand| Fragment::new("mma", form, &values, operand, None, |_, _| None).unwrap();
    let (a, b, c) = (fragment("a"), fragment("b"), fragment("c"));
    assert_eq!(((a.rows, a.columns), (b.rows, b.columns), (c.rows, c.columns)), ((16, 16), (16, 8), (16, 8)));
    for lane in 0..32 {
        let (group, thread) = (lane / 4, lane % 4);
        for i in 0..8 {
            let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
            let column = thread * 2 + i % 2 + if i < 4 { 0 } else { 8 };
            let found = a.gather(|r, l| if (r, l) == (i / 2, lane) { 0xffff << (16 * (i % 2)) } else { 0 });
            assert_eq!(found.iter().position(|v| *v == 0xffff), Some(row * 16 + column));
        }
        for i in 0..4 {
            let row = thread * 2 + i % 2 + if i < 2 { 0 } else { 8 };
            let found = b.gather(|r, l| if (r, l) == (i / 2, lane) { 0xffff << (16 * (i % 2)) } else { 0 });
            assert_eq!(found.iter().position(|v| *v == 0xffff), Some(row * 8 + group));
            let row = if i < 2 { group } else { group + 8 };
            let found = c.gather(|r, l| if (r, l) == (i, lane) { 1 } else { 0 });
            assert_eq!(found.iter().position(|v| *v == 1), Some(row * 8 + thread * 2 + i % 2));
        }
    }
}

/// Manual 9.7.14.5.14: in separate bytes, elements of six bits fill the lower part and elements of four bits the middle.
#[test]
fn small_elements_stand_in_bytes() {
    let (form, values) = find("mma", &[".m16n8k32", ".kind::f8f6f4", ".e2m1", ".e3m2", ".f32"]);
    let types: Vec<&str> = values.iter().flatten().copied().filter(|v| ISA.ty(v).is_some()).collect();
    for (operand, ty) in [("a", types[1]), ("b", types[2])] {
        let element = MatrixElementType::named(ty).unwrap();
        let fragment = Fragment::new("mma", form, &values, operand, Some(element), |_, _| None).unwrap();
        assert_eq!(fragment.width, element.bits());
        let all = fragment.gather(|_, _| 0b1101_0110_1101_0110_1101_0110_1101_0110);
        let must = if element.bits() == 4 { 0b0101 } else { 0b01_0110 };
        assert!(all.iter().all(|v| *v == must), "{ty}");
    }
}

#[test]
fn fragments_of_wmma_are_ours_but_whole() {
    // Fragments of m16n16k16 with f16 (the registers contain A twice) and with s8, of m32n8k16, of m8n8k128 with bits, and with
    // doubles.
    let cases = [(16, 16, 16, 8, 32), (16, 16, 8, 2, 32), (32, 16, 16, 8, 32), (8, 128, 1, 1, 32), (8, 8, 64, 2, 64)];
    let mut random = MatrixRandom(5);
    for (rows, columns, width, registers, bits) in cases {
        let fragment = Fragment::opaque(rows, columns, width, registers, bits).unwrap();
        let mask = u64::MAX >> (64 - width);
        let matrix: Vec<u64> = (0..rows * columns).map(|_| random.next() & mask).collect();
        let mut held = HashMap::new();
        fragment.scatter(&matrix, |register, lane, value| {
            held.insert((register, lane), value);
        });
        assert_eq!(held.len(), registers as usize * 32, "every register is written");
        assert_eq!(fragment.gather(|register, lane| held[&(register, lane)]), matrix);
    }
    assert!(Fragment::opaque(16, 16, 16, 3, 32).is_err());
}

fn rows(random: &mut MatrixRandom, count: usize) -> Vec<[u8; ROW]> {
    (0..count).map(|_| std::array::from_fn(|_| random.next() as u8)).collect()
}

#[test]
fn ldmatrix_gives_what_the_manual_says() {
    let mut random = MatrixRandom(0x1d);
    for (modifiers, transposed, matrices) in
        [(&[".m8n8", ".x4", ".b16"][..], false, 4), (&[".m8n8", ".x2", ".trans", ".b16"], true, 2)]
    {
        let (form, values) = find("ldmatrix", modifiers);
        let movement = Movement::new("ldmatrix", form, &values).unwrap();
        assert_eq!(movement.rows, (0..8 * matrices as u8).collect::<Vec<u8>>());
        let memory = rows(&mut random, movement.rows.len());
        let mut seen = 0;
        movement.load(&memory, |register, lane, value| {
            seen += 1;
            let element = |row: usize, column: usize| {
                let row = &memory[register * 8 + row];
                u32::from(u16::from_le_bytes([row[2 * column], row[2 * column + 1]]))
            };
            let (g, t) = (lane / 4, lane % 4);
            let must = match transposed {
                false => element(g, 2 * t) | element(g, 2 * t + 1) << 16,
                true => element(2 * t, g) | element(2 * t + 1, g) << 16,
            };
            assert_eq!(value, must);
        });
        assert_eq!(seen, 32 * matrices);
    }
}

#[test]
fn ldmatrix_spreads_small_elements() {
    let mut random = MatrixRandom(0x46);
    for (format, width, shift) in [(".b6x16_p32", 6, 0), (".b4x16_p64", 4, 2)] {
        for shape in [".m8n16", ".m16n16"] {
            let (form, values) = find("ldmatrix", &[shape, ".x2", ".b8x16", format]);
            let movement = Movement::new("ldmatrix", form, &values).unwrap();
            assert_eq!(movement.rows.len(), if shape == ".m8n16" { 16 } else { 32 });
            let memory = rows(&mut random, movement.rows.len());
            let element = |row: usize, column: usize| {
                let all = u128::from_le_bytes(memory[row]);
                ((all >> (width * column)) as u32 & ((1 << width) - 1)) << shift
            };
            let mut seen = 0;
            movement.load(&memory, |register, lane, value| {
                seen += 1;
                let (g, t) = (lane / 4, lane % 4);
                let must = (0..4).fold(0, |all, j| {
                    let one = match shape {
                        ".m8n16" => element(register * 8 + g, 4 * t + j),
                        _ => element(register / 2 * 16 + 4 * t + j, g + 8 * (register % 2)),
                    };
                    all | one << (8 * j)
                });
                assert_eq!(value, must, "{format} {shape}");
            });
            assert_eq!(seen, 32 * if shape == ".m8n16" { 2 } else { 4 });
        }
    }
}

#[test]
fn stmatrix_is_the_way_back() {
    let mut random = MatrixRandom(0x57);
    let mut count = 0;
    for (form, values) in written("stmatrix", true) {
        let Ok(store) = Movement::new("stmatrix", form, &values) else { continue };
        count += 1;
        let memory = rows(&mut random, store.rows.len());
        let mut registers = HashMap::new();
        store.load(&memory, |register, lane, value| {
            registers.insert((register, lane), value);
        });
        assert_eq!(store.store(|register, lane| registers[&(register, lane)]), memory, "{values:?}");
    }
    assert!(count >= 6, "{count}");
}
