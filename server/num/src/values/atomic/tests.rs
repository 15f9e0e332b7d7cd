//! Tests against 128-bit arithmetic, `rustc_apfloat`, and a second implementation of the manual's definitions.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

use ptx_isa::tables::{Form, Rule, RuleKind, Term};

use super::*;

struct AtomicRandom(u64);

impl AtomicRandom {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

fn function(op: &str, ty: &str, flush: bool) -> AtomicFunction {
    let found = operation(AtomicOperation::named(op).unwrap(), AtomicElement::named(ty).unwrap(), flush);
    found.unwrap_or_else(|| panic!("{op} {ty}"))
}

fn signed(bits: u128, width: u32) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

fn unsigned(bits: u128, width: u32) -> u128 {
    bits << (128 - width) >> (128 - width)
}

#[test]
fn integers_and_bits() {
    let mut random = AtomicRandom(11);
    let mut samples: Vec<(u128, u128, u128)> = Vec::new();
    let edges =
        [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, (1 << 63) - 1, u128::from(u64::MAX), u128::MAX];
    for a in edges {
        for b in edges {
            samples.push((a, b, random.wide()));
        }
    }
    for _ in 0..20_000 {
        let (a, b) = (random.wide(), random.wide());
        samples.extend([(a, b, random.wide()), (a, a, b), (a & 15, b & 15, b), (a | !15, b | !7, a)]);
    }
    let check = |op: &str, ty: &str, width: u32, expected: &dyn Fn(u128, u128, u128) -> u128| {
        let function = function(op, ty, false);
        for &(a, b, c) in &samples {
            assert_eq!(function(a, b, c), unsigned(expected(a, b, c), width), "{op}.{ty} {a:x} {b:x} {c:x}");
        }
    };
    for (ty, width) in [("u32", 32), ("s32", 32), ("u64", 64)] {
        check("add", ty, width, &|a, b, _| a.wrapping_add(b));
    }
    for width in [32, 64] {
        let (u, s, b) = (format!("u{width}"), format!("s{width}"), format!("b{width}"));
        check("min", &u, width, &|a, b, _| unsigned(a, width).min(unsigned(b, width)));
        check("max", &u, width, &|a, b, _| unsigned(a, width).max(unsigned(b, width)));
        check("min", &s, width, &|a, b, _| signed(a, width).min(signed(b, width)) as u128);
        check("max", &s, width, &|a, b, _| signed(a, width).max(signed(b, width)) as u128);
        check("and", &b, width, &|a, b, _| a & b);
        check("or", &b, width, &|a, b, _| a | b);
        check("xor", &b, width, &|a, b, _| a ^ b);
        check("exch", &b, width, &|_, b, _| b);
    }
    check("exch", "b128", 128, &|_, b, _| b);
    for width in [16, 32, 64, 128] {
        let equal = |a, b| unsigned(a, width) == unsigned(b, width);
        check("cas", &format!("b{width}"), width, &|a, b, c| if equal(a, b) { c } else { a });
    }
    // `inc` and `dec` count within 0 … limit, and return to it from outside.
    check("inc", "u32", 32, &|a, b, _| {
        let (a, b) = (unsigned(a, 32), unsigned(b, 32));
        if a < b { a + 1 } else { 0 }
    });
    check("dec", "u32", 32, &|a, b, _| {
        let (a, b) = (unsigned(a, 32), unsigned(b, 32));
        if (1..=b).contains(&a) { a - 1 } else { b }
    });
}

/// Pairs of 16-bit values: every first value with a varying second one, and all pairs of special values.
fn half_pairs() -> Vec<(u128, u128)> {
    let mut random = AtomicRandom(12);
    let special =
        [0, 1, 0x3ff, 0x400, 0x7f, 0x80, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7f81, 0x7fff];
    let special: Vec<u128> = special.into_iter().flat_map(|bits| [bits, bits | 0x8000]).collect();
    let mut pairs: Vec<(u128, u128)> = special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b))).collect();
    for a in 0..=0xffff_u128 {
        let near = (a as u64).wrapping_add(random.next() % 4096).wrapping_sub(2048) & 0xffff;
        pairs.extend([(a, u128::from(random.next() & 0xffff)), (a, u128::from(near)), (a, u128::from(near ^ 0x8000))]);
    }
    pairs
}

#[test]
fn sums_of_floats() {
    for (a, b) in half_pairs() {
        let f16 = (Half::from_bits(a) + Half::from_bits(b)).value;
        let bf16 = (BFloat::from_bits(a) + BFloat::from_bits(b)).value;
        let f16 = if f16.is_nan() { 0x7fff } else { f16.to_bits() };
        let bf16 = if bf16.is_nan() { 0x7fff } else { bf16.to_bits() };
        assert_eq!(function("add", "f16", false)(a, b, 0), f16, "{a:x} {b:x}");
        assert_eq!(function("add", "bf16", false)(a, b, 0), bf16, "{a:x} {b:x}");
        let upper = |value: u128| value << 16 | 0x3c00;
        assert_eq!(function("add", "f16x2", true)(upper(a), upper(b), 0) >> 16, f16);
        assert_eq!(function("add", "bf16x2", true)(upper(a), upper(b), 0) >> 16, bf16);
        assert_eq!(function("add", "f16x2", true)(upper(a), upper(b), 0) & 0xffff, 0x4000);
    }
    let mut random = AtomicRandom(13);
    let (keep, flush, double) =
        (function("add", "f32", false), function("add", "f32", true), function("add", "f64", false));
    for step in 0..300_000_u64 {
        let a = random.next();
        let mut b = if step & 1 == 0 { random.next() } else { a ^ (1 << 63 | 1 << 31) ^ (random.next() & 0xff_ffff) };
        if step & 6 == 6 {
            b = (b & !(0xff << 23)) | (a & (0xff << 23));
        }
        // One in four steps stays near the subnormal numbers.
        let low = if step & 24 == 24 { 0x81ff_ffff } else { 0xffff_ffff };
        let (x, y) = (u128::from(a & low), u128::from(b & low));
        let sum = (Single::from_bits(x) + Single::from_bits(y)).value;
        let expected = if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() };
        assert_eq!(keep(x, y, 0), expected, "{x:x} {y:x}");
        let zero = |bits: u128| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
        let sum = (Single::from_bits(zero(x)) + Single::from_bits(zero(y))).value;
        let expected = if sum.is_nan() { 0x7fff_ffff } else { zero(sum.to_bits()) };
        assert_eq!(flush(x, y, 0), expected, "{x:x} {y:x}");
        let (x, y) = (u128::from(a), u128::from(b));
        let sum = (Double::from_bits(x) + Double::from_bits(y)).value;
        if sum.is_nan() {
            assert!(f64::from_bits(double(x, y, 0) as u64).is_nan());
        } else {
            assert_eq!(double(x, y, 0), sum.to_bits(), "{x:x} {y:x}");
        }
    }
    assert_eq!(double(0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0002, 0), 0x7ff8_0000_0000_0001);
}

/// Whether `a` is chosen over `b`: by value, ties (of zeros) by sign.
fn chosen(a: f64, b: f64, largest: bool) -> bool {
    if a == b { a.is_sign_negative() != largest } else { (a < b) != largest }
}

#[test]
fn extremes_of_floats() {
    for (ty, nan, read) in [
        ("f16", 0x7c00_u128, (|bits| f64::from(f32::from_bits(quick::f32_from_f16(bits as u32)))) as fn(u128) -> f64),
        ("bf16", 0x7f80, |bits| f64::from(f32::from_bits((bits as u32) << 16))),
    ] {
        for (a, b) in half_pairs() {
            for (op, largest) in [("min", false), ("max", true)] {
                let is_nan = |bits: u128| bits & 0x7fff > nan;
                let expected = match (is_nan(a), is_nan(b)) {
                    (true, true) => 0x7fff,
                    (true, false) => b,
                    (false, true) => a,
                    _ if chosen(read(a), read(b), largest) => a,
                    _ => b,
                };
                assert_eq!(function(op, ty, false)(a, b, 0), expected, "{op}.{ty} {a:x} {b:x}");
                assert_eq!(function(op, &format!("{ty}x2"), false)(a << 16 | b, b << 16 | b, 0) >> 16, expected);
            }
        }
    }
}

#[test]
fn bytes() {
    for (ty, format) in [("e4m3", Narrow::E4m3), ("e5m2", Narrow::E5m2)] {
        for a in 0..=255_u128 {
            for b in 0..=255_u128 {
                let sum = f64::from(format.decode(a as u8)) + f64::from(format.decode(b as u8));
                // Rounding to 24 digits first does not change the result of 4 digits.
                let expected = u128::from(format.encode(sum as f32, RoundingDirection::Nearest, true));
                assert_eq!(function("add", ty, false)(a, b, 0), expected, "{ty} {a:x} {b:x}");
                let four = a << 24 | b << 16 | a << 8 | b;
                let other = b << 24 | a << 16 | b << 8 | a;
                assert_eq!(function("add", &format!("{ty}x4"), false)(four, other, 0), expected * 0x0101_0101);
                let least = function("min", ty, false)(a, b, 0);
                let most = function("max", &format!("{ty}x2"), false)(a << 8 | a, b << 8 | b, 0);
                let (x, y) = (f64::from(format.decode(a as u8)), f64::from(format.decode(b as u8)));
                if !x.is_nan() && !y.is_nan() {
                    assert_eq!(least, if chosen(x, y, false) { a } else { b });
                    assert_eq!(most, if chosen(x, y, true) { a * 257 } else { b * 257 });
                }
            }
        }
    }
}

#[test]
fn many_values_at_once() {
    let f16 = |value: f32| u128::from(quick::f16_from_f32(value.to_bits()));
    let values = [f16(2048.0), f16(1.0), f16(1.0), f16(1.0)];
    let add = |wide| combine(AtomicOperation::Add, AtomicElement::F16(1), wide, false, &values);
    // Adding 1 to 2048 has no effect in binary16, but the wide sum keeps all of them.
    assert_eq!(add(false), Some(f16(2048.0)));
    assert_eq!(add(true), Some(f16(2052.0)));
    let bytes = [Narrow::E4m3.encode(16.0, RoundingDirection::Nearest, true), 0x38, 0x38].map(u128::from);
    let sum = |wide| combine(AtomicOperation::Add, AtomicElement::E4m3(1), wide, false, &bytes);
    assert_eq!(sum(false), Some(u128::from(Narrow::E4m3.encode(16.0, RoundingDirection::Nearest, true))));
    assert_eq!(sum(true), Some(u128::from(Narrow::E4m3.encode(18.0, RoundingDirection::Nearest, true))));
    assert_eq!(combine(AtomicOperation::Max, AtomicElement::F16(1), true, false, &values), Some(f16(2048.0)));
    assert_eq!(combine(AtomicOperation::Add, AtomicElement::F32, false, false, &[]), None);
    assert_eq!(combine(AtomicOperation::Cas, AtomicElement::F32, false, false, &values), None);
}

#[test]
fn reductions_of_a_warp() {
    let mut random = AtomicRandom(14);
    for _ in 0..2_000 {
        let count = 1 + random.next() % 32;
        let values: Vec<u32> = (0..count).map(|_| random.next() as u32).collect();
        let of = |op, signed| redux(op, signed, values.iter().copied()).unwrap();
        assert_eq!(
            u64::from(of(AtomicOperation::Add, true)),
            values.iter().map(|v| u64::from(*v)).sum::<u64>() & 0xffff_ffff
        );
        assert_eq!(of(AtomicOperation::Min, false), *values.iter().min().unwrap());
        assert_eq!(of(AtomicOperation::Max, false), *values.iter().max().unwrap());
        assert_eq!(of(AtomicOperation::Min, true) as i32, values.iter().map(|v| *v as i32).min().unwrap());
        assert_eq!(of(AtomicOperation::Max, true) as i32, values.iter().map(|v| *v as i32).max().unwrap());
        for place in 0..32 {
            let ones = values.iter().filter(|v| *v >> place & 1 == 1).count() as u64;
            assert_eq!(of(AtomicOperation::And, false) >> place & 1 == 1, ones == count);
            assert_eq!(of(AtomicOperation::Or, false) >> place & 1 == 1, ones > 0);
            assert_eq!(u64::from(of(AtomicOperation::Xor, false) >> place & 1), ones & 1);
        }
        let numbers: Vec<f32> = values.iter().map(|v| f32::from_bits(*v)).filter(|v| !v.is_nan()).collect();
        let skipped = numbers.len() != values.len();
        let least = numbers.iter().copied().min_by(f32::total_cmp).map_or(0x7fff_ffff, f32::to_bits);
        let largest = numbers.iter().map(|v| v.abs()).max_by(f32::total_cmp).map_or(0x7fff_ffff, f32::to_bits);
        let of = |largest, abs, nan| redux_f32(largest, abs, nan, values.iter().copied()).unwrap();
        assert_eq!((of(false, false, false), of(true, true, false)), (least, largest));
        assert_eq!(of(false, false, true), if skipped { 0x7fff_ffff } else { least });
    }
    assert_eq!(redux_f32(true, false, false, [0x8000_0000, 0]), Some(0));
    assert_eq!(redux_f32(false, false, false, [0, 0x8000_0000]), Some(0x8000_0000));
    assert_eq!(redux_f32(false, false, false, [0xffc0_0000, 0x7f80_0001]), Some(0x7fff_ffff));
    assert_eq!(redux(AtomicOperation::Exch, false, [1]), None);
    assert_eq!(redux(AtomicOperation::Add, false, []), None);
}

/// Whether a rule of a form forbids an operation on a type. A rule that also depends on another condition does not count.
fn forbids(form: &Form, rule: &Rule, op: &str, ty: &str) -> bool {
    let holds = |term: &Term| match term {
        Term::Slot(test) => {
            let slot = form.slots[usize::from(test.slot)];
            let values = || slot.values.iter().map(|value| value.trim_start_matches('.'));
            let value = [op, ty].into_iter().find(|wanted| values().any(|value| value == *wanted))?;
            Some(test.values.iter().any(|wanted| wanted.trim_start_matches('.') == value) != test.negated)
        }
        Term::Operand(_) => None,
    };
    let all = |terms: &[Term]| terms.iter().map(holds).try_fold(true, |all, term| Some(all && term?));
    match (all(rule.what), all(rule.when)) {
        (Some(what), Some(when)) if rule.kind == RuleKind::Forbid => what && when,
        (Some(what), Some(when)) if rule.kind == RuleKind::Require => when && !what,
        _ => false,
    }
}

/// Every operation that the data files list for `atom`, `red` and similar instructions has a function.
#[test]
fn every_form_of_the_data_files() {
    let mut count = 0;
    for opcode in ["atom", "red", "multimem", "cp"] {
        for entry in ptx_isa::ISA.opcode(opcode).unwrap().entries {
            if opcode == "multimem" && !entry.name.contains("red") || opcode == "cp" && !entry.name.contains("reduce") {
                continue;
            }
            for form in entry.forms {
                let all = |of: fn(&str) -> bool| -> Vec<&'static str> {
                    let values = form.slots.iter().flat_map(|slot| slot.values.iter().copied());
                    values.map(|value| value.trim_start_matches('.')).filter(|value| of(value)).collect()
                };
                let types = all(|value| AtomicElement::named(value).is_some());
                for op in all(|value| AtomicOperation::named(value).is_some()) {
                    for ty in &types {
                        if form.rules.iter().any(|rule| forbids(form, rule, op, ty)) {
                            continue;
                        }
                        let found =
                            operation(AtomicOperation::named(op).unwrap(), AtomicElement::named(ty).unwrap(), false);
                        assert!(found.is_some(), "{} {op} {ty}", form.text);
                        count += 1;
                    }
                }
            }
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn what_is_open_is_marked() {
    let of = |op, ty, a, b| marks(op, AtomicElement::named(ty).unwrap(), a, b);
    assert_eq!(of(AtomicOperation::Add, "f32", 0x7fc0_0000, 0), Marks::UNSPECIFIED);
    assert_eq!(of(AtomicOperation::Add, "f32", 0x7f80_0000, 0xff80_0000), Marks::UNSPECIFIED);
    assert_eq!(of(AtomicOperation::Add, "f32", 0x7f80_0000, 0x7f80_0000), Marks::NONE);
    assert_eq!(of(AtomicOperation::Max, "f16x2", 0x7fff_0000, 0), Marks::UNSPECIFIED);
    assert_eq!(of(AtomicOperation::Add, "e4m3x2", 0x7e7e, 0x007e), Marks::UNSPECIFIED);
    assert_eq!(of(AtomicOperation::Add, "e4m3x2", 0x3838, 0x3838), Marks::NONE);
    assert_eq!(of(AtomicOperation::Add, "u32", u128::MAX, 1), Marks::NONE);
}
