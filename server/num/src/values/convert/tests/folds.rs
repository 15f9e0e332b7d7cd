//! Results that `ptxas` computed for instructions with constant sources, recorded in `folds.tsv`.

use std::collections::BTreeMap;

use super::super::{FloatLayout, quick};
use super::unary;

#[test]
fn as_folded_by_the_assembler() {
    let mut conversions: BTreeMap<&str, Box<dyn Fn(u64) -> u64>> = BTreeMap::new();
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in include_str!("../folds.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(instruction), Some(source), Some(result)) = (fields.next(), fields.next(), fields.next()) else {
            panic!("{line}");
        };
        let source = u64::from_str_radix(source, 16).unwrap();
        let result = u64::from_str_radix(result, 16).unwrap();
        let convert = conversions.entry(instruction).or_insert_with(|| Box::new(unary(instruction)));
        // The assembler folds to the canonical NaN, but emits a shift, which keeps the payload.
        if instruction == "cvt.f32.bf16" && FloatLayout::BF16.is_nan(source) {
            assert_eq!((convert(source), result), (u64::from(quick::f32_from_bf16(source as u32)), 0x7fff_ffff));
            continue;
        }
        count += 1;
        if convert(source) != result {
            wrong.push(format!("{instruction} {source:x}: {:x}, folded {result:x}", convert(source)));
        }
    }
    assert!(count > 9_000, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
