//! Executes every operator, type and combination, and compares with the functions of [`ptx_num::values`].

use crate::exec::float::tests::harness::{FTZ, StatementCase, case, check};
use ptx_num::values::Marks;
use ptx_num::values::float::compare::{self, FloatComparison, PredicateCombination};
use ptx_num::values::float::half::{Bf16, F16};

fn number(d: u64) -> (u64, Marks) {
    (d, Marks::NONE)
}

/// The result of an integer comparison, given the word of its operator.
fn holds(word: &str, a: i128, b: i128) -> bool {
    match word {
        "eq" => a == b,
        "ne" => a != b,
        "lt" | "lo" => a < b,
        "le" | "ls" => a <= b,
        "gt" | "hi" => a > b,
        _ => a >= b,
    }
}

/// An integer type: its name, its size in bytes, its operators, and the function from its bits to its value.
type Integer = (&'static str, u8, &'static [&'static str], fn(u64) -> i128);

const SIGNED: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];

const INTEGERS: [Integer; 9] = [
    ("s16", 2, SIGNED, |x| (x as i16).into()),
    ("s32", 4, SIGNED, |x| (x as i32).into()),
    ("s64", 8, SIGNED, |x| (x as i64).into()),
    ("u16", 2, UNSIGNED, |x| (x as u16).into()),
    ("u32", 4, UNSIGNED, |x| (x as u32).into()),
    ("u64", 8, UNSIGNED, |x| x.into()),
    ("b16", 2, &["eq", "ne"], |x| (x as u16).into()),
    ("b32", 4, &["eq", "ne"], |x| (x as u32).into()),
    ("b64", 8, &["eq", "ne"], |x| x.into()),
];

/// A `setp` that returns `p` and `q` as one number, without instructions of other families.
fn setp(words: &str, operands: &str) -> String {
    format!(
        "setp{words} %p1|%p2, {operands}; selp.b32 $d, 1, 0, %p1; selp.b32 %r5, 3, 2, %p1; selp.b32 $d, %r5, $d, %p2;"
    )
}

fn bits(p: bool, q: bool) -> (u64, Marks) {
    number(u64::from(p) | u64::from(q) << 1)
}

#[test]
fn integers() {
    let mut cases = Vec::new();
    for (ty, width, operators, value) in INTEGERS {
        for word in operators {
            let text = setp(&format!(".{word}.{ty}"), "$a, $b");
            cases.push(case(text, [4, width, width, 0], move |[a, b, _]| {
                let t = holds(word, value(a), value(b));
                bits(t, !t)
            }));
            for (to, bytes, yes) in [
                ("u32", 4, 0xffff_ffff),
                ("s32", 4, 0xffff_ffff),
                ("f32", 4, 0x3f80_0000),
                ("f16", 2, 0x3c00),
                ("bf16", 2, 0x3f80),
            ] {
                let text = format!("set.{word}.{to}.{ty} $d, $a, $b;");
                cases.push(case(text, [bytes, width, width, 0], move |[a, b, _]| {
                    number(if holds(word, value(a), value(b)) { yes } else { 0 })
                }));
            }
        }
    }
    check("9.0", "sm_90a", cases);
}

const COMBINATIONS: [(&str, PredicateCombination); 3] =
    [(".and", PredicateCombination::And), (".or", PredicateCombination::Or), (".xor", PredicateCombination::Xor)];

#[test]
fn combinations_with_predicates() {
    let mut cases = Vec::new();
    for (word, combination) in COMBINATIONS {
        for (sign, negated) in [("", false), ("!", true)] {
            let c = move |c: u64| ((c as u32 & 0x8000_0000 != 0) ^ negated, c);
            let text =
                format!("setp.lt.s32 %p3, $c, 0; {}", setp(&format!(".gt{word}.s32"), &format!("$a, $b, {sign}%p3")));
            cases.push(case(text, [4; 4], move |[a, b, cc]| {
                let t = a as i32 > b as i32;
                bits(compare::combine(combination, t, c(cc).0), compare::combine(combination, !t, c(cc).0))
            }));
            let text = format!("setp.lt.s32 %p3, $c, 0; set.leu{word}.f32.f32 $d, $a, $b, {sign}%p3;");
            cases.push(case(text, [4; 4], move |[a, b, cc]| {
                let t = compare::single(FloatComparison::Leu, false, a as u32, b as u32);
                number(if compare::combine(combination, t, c(cc).0) { 0x3f80_0000 } else { 0 })
            }));
            let text =
                format!("setp.lt.s32 %p3, $c, 0; {}", setp(&format!(".ge{word}.f16x2"), &format!("$a, $b, {sign}%p3")));
            cases.push(case(text, [4; 4], move |[a, b, cc]| {
                let [p, q] = compare::half_pair::<F16>(FloatComparison::Ge, false, a as u32, b as u32)
                    .map(|t| compare::combine(combination, t, c(cc).0));
                bits(p, q)
            }));
        }
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn singles_and_doubles() {
    let mut cases = Vec::new();
    for comparison in FloatComparison::ALL {
        let word = comparison.word();
        for (flush, ftz) in FTZ {
            let text = setp(&format!(".{word}{flush}.f32"), "$a, $b");
            let f = move |a: u64, b: u64| compare::single(comparison, ftz, a as u32, b as u32);
            cases.push(case(text, [4, 4, 4, 0], move |[a, b, _]| bits(f(a, b), !f(a, b))));
            let text = format!("set.{word}{flush}.s32.f32 $d, $a, $b;");
            cases.push(case(text, [4, 4, 4, 0], move |[a, b, _]| number(if f(a, b) { 0xffff_ffff } else { 0 })));
        }
        let f = move |a, b| compare::double(comparison, a, b);
        let text = setp(&format!(".{word}.f64"), "$a, $b");
        cases.push(case(text, [4, 8, 8, 0], move |[a, b, _]| bits(f(a, b), !f(a, b))));
        let text = format!("set.{word}.bf16.f64 $d, $a, $b;");
        cases.push(case(text, [2, 8, 8, 0], move |[a, b, _]| number(if f(a, b) { 0x3f80 } else { 0 })));
    }
    check("9.0", "sm_90a", cases);
}

/// The cases of a half-precision type with its modifiers: `one` compares single numbers, and each half of pairs.
fn of_halves(
    ty: &str,
    flush: &str,
    comparison: FloatComparison,
    one: impl Fn(u16, u16) -> bool + Copy + 'static,
    cases: &mut Vec<StatementCase>,
) {
    let word = comparison.word();
    let text = format!("setp.{word}{flush}.{ty} %p1, $a, $b; selp.b32 $d, 1, 0, %p1;");
    cases.push(case(text, [4, 2, 2, 0], move |[a, b, _]| number(one(a as u16, b as u16).into())));
    let pair = move |a: u64, b: u64| [one(a as u16, b as u16), one((a >> 16) as u16, (b >> 16) as u16)];
    let text = setp(&format!(".{word}{flush}.{ty}x2"), "$a, $b");
    cases.push(case(text, [4, 4, 4, 0], move |[a, b, _]| {
        let [p, q] = pair(a, b);
        bits(p, q)
    }));
    let yes = if ty == "f16" { 0x3c00 } else { 0x3f80 };
    for (to, bytes, yes) in [(ty, 2, yes), ("u16", 2, 0xffff), ("s16", 2, 0xffff), ("u32", 4, 0xffff_ffff)] {
        let text = format!("set.{word}{flush}.{to}.{ty} $d, $a, $b;");
        cases
            .push(case(text, [bytes, 2, 2, 0], move |[a, b, _]| number(if one(a as u16, b as u16) { yes } else { 0 })));
    }
    let own = format!("{ty}x2");
    for (to, yes) in [(own.as_str(), yes), ("u32", 0xffff), ("s32", 0xffff)] {
        let text = format!("set.{word}{flush}.{to}.{ty}x2 $d, $a, $b;");
        cases.push(case(text, [4, 4, 4, 0], move |[a, b, _]| {
            let [low, high] = pair(a, b).map(|t| if t { yes } else { 0 });
            number(high << 16 | low)
        }));
    }
}

#[test]
fn halves() {
    let mut cases = Vec::new();
    for comparison in FloatComparison::ALL {
        for (flush, ftz) in FTZ {
            let f = move |a, b| compare::half::<F16>(comparison, ftz, a, b);
            of_halves("f16", flush, comparison, f, &mut cases);
        }
        of_halves("bf16", "", comparison, move |a, b| compare::half::<Bf16>(comparison, false, a, b), &mut cases);
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn packed_integers() {
    let mut cases = Vec::new();
    let types: [Integer; 4] = [
        ("s16x2", 16, SIGNED, |x| (x as i16).into()),
        ("u16x2", 16, UNSIGNED, |x| (x as u16).into()),
        ("s8x4", 8, SIGNED, |x| (x as i8).into()),
        ("u8x4", 8, UNSIGNED, |x| (x as u8).into()),
    ];
    for (ty, width, operators, value) in types {
        let width = u32::from(width);
        for word in operators {
            cases.push(case(format!("set.{word}.{ty} $d, $a, $b;"), [4, 4, 4, 0], move |[a, b, _]| {
                let each = |i: u32| {
                    let found = holds(word, value(a >> (width * i)), value(b >> (width * i)));
                    if found { ((1u64 << width) - 1) << (width * i) } else { 0 }
                };
                number((0..32 / width).map(each).sum())
            }));
        }
    }
    check("9.4", "sm_107a", cases);
}

#[test]
fn selections() {
    let mut cases = Vec::new();
    let types = [
        ("b16", 2),
        ("u16", 2),
        ("s16", 2),
        ("b32", 4),
        ("u32", 4),
        ("s32", 4),
        ("f32", 4),
        ("b64", 8),
        ("u64", 8),
        ("s64", 8),
        ("f64", 8),
    ];
    for (ty, width) in types {
        for (sign, negated) in [("", false), ("!", true)] {
            let text = format!("setp.lt.s32 %p3, $c, 0; selp.{ty} $d, $a, $b, {sign}%p3;");
            cases.push(case(text, [width, width, width, 4], move |[a, b, c]| {
                number(if ((c as i32) < 0) ^ negated { a } else { b })
            }));
        }
        let text = format!("slct.{ty}.s32 $d, $a, $b, $c;");
        cases.push(case(text, [width, width, width, 4], |[a, b, c]| number(if c as i32 >= 0 { a } else { b })));
        for (flush, ftz) in FTZ {
            let text = format!("slct{flush}.{ty}.f32 $d, $a, $b, $c;");
            cases.push(case(text, [width, width, width, 4], move |[a, b, c]| {
                number(if compare::selects_first(ftz, c as u32) { a } else { b })
            }));
        }
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn sinks_and_literals() {
    let cases = vec![
        case("setp.lt.s32 _|%p2, $a, -5; selp.b32 $d, 1, 0, %p2;", [4, 4, 0, 0], |[a, ..]| {
            number(u64::from(a as i32 >= -5))
        }),
        case("setp.hi.u16 %p1, $a, 40000; selp.f32 $d, 0f3F800000, 2.0, %p1;", [4, 2, 0, 0], |[a, ..]| {
            number(if a > 40000 { 0x3f80_0000 } else { 0x4000_0000 })
        }),
        case("setp.eq.or.f64 %p1, $a, 0d3FF0000000000000, 1; selp.b16 $d, 7, 8, %p1;", [2, 8, 0, 0], |_| number(7)),
    ];
    check("9.0", "sm_90a", cases);
}
