//! Replays recorded results that NVIDIA's assembler folds or its machine code computes (`tests/oracle/values.py` records them).

use super::Int;
use super::arithmetic::{abs, add, add_sat, max, min, neg, sad, sub, sub_sat};
use super::bits::{bfe, bfi, bfind, bfind_shiftamt, bmsk, brev, clz, fns, popc, szext};
use super::carry::{addc, addc_sat, madc_hi, madc_hi_sat, madc_lo, subc, subc_sat};
use super::compare::IntegerComparison;
use super::divide::{div, rem};
use super::logic::{and, cnot, lop3, not, or, xor};
use super::permute::prmt;
use super::product::{
    mad_hi, mad_hi_sat, mad_lo, mad_wide, mad24_hi, mad24_hi_sat, mad24_lo, mul_hi, mul_lo, mul_wide, mul24_hi,
    mul24_lo,
};
use super::shift::{shf_l, shf_r, shl, shr};
use crate::values::float::compare::selects_first;
use std::collections::BTreeMap;

const RECORD: &str = include_str!("../../../tests/data/integer.tsv");

/// Computes an opcode whose type is `T`; `None` for an opcode that this function does not handle.
fn typed<T: Int>(opcode: &str, operands: &[u64]) -> Option<u64> {
    let at = |i: usize| T::from_bits(operands.get(i).copied().unwrap_or(0));
    let count = |i: usize| operands.get(i).copied().unwrap_or(0) as u32;
    let (a, b, c) = (at(0), at(1), at(2));
    let value = match opcode {
        "add" => add(a, b),
        "sub" => sub(a, b),
        "add.sat" => add_sat(a, b),
        "sub.sat" => sub_sat(a, b),
        "min" => min(a, b),
        "max" => max(a, b),
        "abs" => abs(a),
        "neg" => neg(a),
        "sad" => sad(a, b, c),
        "mul.lo" => mul_lo(a, b),
        "mul.hi" => mul_hi(a, b),
        "mad.lo" => mad_lo(a, b, c),
        "mad.hi" => mad_hi(a, b, c),
        "mad.hi.sat" => mad_hi_sat(a, b, c),
        "mul24.lo" => mul24_lo(a, b),
        "mul24.hi" => mul24_hi(a, b),
        "mad24.lo" => mad24_lo(a, b, c),
        "mad24.hi" => mad24_hi(a, b, c),
        "mad24.hi.sat" => mad24_hi_sat(a, b, c),
        "div" => div(a, b).0,
        "rem" => rem(a, b).0,
        "and" => and(a, b),
        "or" => or(a, b),
        "xor" => xor(a, b),
        "not" => not(a),
        "cnot" => cnot(a),
        "brev" => brev(a),
        "shl" => shl(a, count(1)),
        "shr" => shr(a, count(1)),
        "bfe" => bfe(a, count(1), count(2)),
        "bfi" => bfi(a, b, count(2), count(3)),
        "szext.clamp" => szext(a, count(1), false),
        "szext.wrap" => szext(a, count(1), true),
        "popc" => return Some(popc(a).into()),
        "clz" => return Some(clz(a).into()),
        "bfind" => return Some(bfind(a).into()),
        "bfind.shiftamt" => return Some(bfind_shiftamt(a).into()),
        _ => {
            let comparison = IntegerComparison::of(opcode.strip_prefix("set.")?.strip_suffix(".u32")?)?;
            return Some(if comparison.holds(a, b) { u32::MAX } else { 0 }.into());
        }
    };
    Some(value.to_bits())
}

/// Computes an opcode of 32 bits or with a wide result; `None` for any other opcode.
fn word(opcode: &str, ty: &str, operands: &[u64]) -> Option<u64> {
    let at = |i: usize| operands.get(i).copied().unwrap_or(0) as u32;
    let (a, b, c) = (at(0), at(1), at(2));
    let (flag, x, y, z) = (a == 1, b as i32, c as i32, at(3) as i32);
    let third = operands.get(2).copied().unwrap_or(0);
    let wide = |value: u32| Some(u64::from(value));
    match (opcode, ty) {
        ("fns", _) => wide(fns(a, b, c as i32).0),
        ("bmsk.clamp", _) => wide(bmsk(a, b, false)),
        ("bmsk.wrap", _) => wide(bmsk(a, b, true)),
        ("shf.l.clamp", _) => wide(shf_l(a, b, c, false)),
        ("shf.l.wrap", _) => wide(shf_l(a, b, c, true)),
        ("shf.r.clamp", _) => wide(shf_r(a, b, c, false)),
        ("shf.r.wrap", _) => wide(shf_r(a, b, c, true)),
        ("prmt", _) => wide(prmt(a, b, c)),
        ("lop3", _) => wide(lop3(a, b, c, at(3) as u8)),
        ("slct.b32", "s32") => wide(if c as i32 >= 0 { a } else { b }),
        ("slct.b32", _) => wide(if selects_first(false, c) { a } else { b }),
        ("addc", _) => wide(addc(b, c, flag).0),
        ("subc", _) => wide(subc(b, c, flag).0),
        ("addc.sat", _) => wide(addc_sat(x, y, flag) as u32),
        ("subc.sat", _) => wide(subc_sat(x, y, flag) as u32),
        ("madc.lo", _) => wide(madc_lo(x, y, z, flag).0 as u32),
        ("madc.hi", _) => wide(madc_hi(x, y, z, flag).0 as u32),
        ("madc.hi.sat", _) => wide(madc_hi_sat(x, y, z, flag).0 as u32),
        ("mul.wide", "u16") => wide(mul_wide(a as u16, b as u16)),
        ("mul.wide", "s16") => wide(mul_wide(a as i16, b as i16) as u32),
        ("mul.wide", "u32") => Some(mul_wide(a, b)),
        ("mul.wide", _) => Some(mul_wide(a as i32, b as i32) as u64),
        ("mad.wide", "u16") => wide(mad_wide(a as u16, b as u16, c)),
        ("mad.wide", "s16") => wide(mad_wide(a as i16, b as i16, c as i32) as u32),
        ("mad.wide", "u32") => Some(mad_wide(a, b, third)),
        ("mad.wide", _) => Some(mad_wide(a as i32, b as i32, third as i64) as u64),
        _ => None,
    }
}

fn ours(opcode: &str, ty: &str, operands: &[u64]) -> Option<u64> {
    word(opcode, ty, operands).or_else(|| match ty {
        "u16" | "b16" => typed::<u16>(opcode, operands),
        "u32" | "b32" => typed::<u32>(opcode, operands),
        "u64" | "b64" => typed::<u64>(opcode, operands),
        "s16" => typed::<i16>(opcode, operands),
        "s32" => typed::<i32>(opcode, operands),
        "s64" => typed::<i64>(opcode, operands),
        _ => None,
    })
}

#[test]
fn results_are_those_of_the_assembler() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in RECORD.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, operands, result, _] = fields[..] else { panic!("four fields: {line}") };
        let (opcode, ty) = name.rsplit_once('.').unwrap();
        let operands: Vec<u64> = operands.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        let expected = u64::from_str_radix(result, 16).unwrap();
        let found = ours(opcode, ty, &operands).unwrap_or_else(|| panic!("no function for {line}"));
        assert_eq!(found, expected, "{line}: {found:x}");
        *counts.entry(name).or_default() += 1;
    }
    // Lower bounds, so that the test fails if the record shrinks.
    assert!(counts.len() > 130, "{} opcodes and types", counts.len());
    assert!(counts.values().sum::<usize>() > 2500, "{counts:?}");
    assert!(counts.contains_key("rem.s32") && counts.contains_key("div.s32"), "divisions by zero are among them");
}
