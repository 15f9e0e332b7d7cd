//! Compares recorded constants that NVIDIA's assembler folded with this crate's results. The first lines of the files name the
//! assembler and the target.

use crate::values::float::{
    Clamp, FloatModifiers, approx,
    compare::{self, FloatComparison, Property},
    double,
    extremes::{self, Extreme, ExtremeModifiers},
    half::{self, Bf16, F16},
    single,
};
use std::collections::BTreeMap;

const APPROXIMATE: &str = include_str!("../data/folded-approximate-sm_90.tsv");
const EXACT: &str = include_str!("../data/folded-exact-sm_90.tsv");

/// Returns this crate's result for an instruction with these operands, or `None` if the function does not know the instruction.
fn computed(instruction: &str, operands: &[u64]) -> Option<u64> {
    let words: Vec<&str> = instruction.split('.').collect();
    let has = |word: &str| words[1..].contains(&word);
    let ftz = has("ftz");
    let [a, b, c] = [0, 1, 2].map(|i| operands.get(i).copied().unwrap_or(0));
    let (x, y) = (a as u32, b as u32);
    let (p, q) = (a as u16, b as u16);
    let m = FloatModifiers::RN.ftz(ftz).clamp(if has("sat") { Clamp::Saturate } else { Clamp::None });
    let property = match words.get(1).copied().unwrap_or("") {
        "finite" => Some(Property::Finite),
        "infinite" => Some(Property::Infinite),
        "number" => Some(Property::Number),
        "notanumber" => Some(Property::NotANumber),
        "normal" => Some(Property::Normal),
        "subnormal" => Some(Property::Subnormal),
        _ => None,
    };
    let comparison = FloatComparison::ALL.into_iter().find(|c| words.get(1) == Some(&c.word()));
    let extreme = if words[0] == "min" { Extreme::Least } else { Extreme::Greatest };
    let e = ExtremeModifiers { ftz, nan: has("NaN"), xorsign: has("xorsign"), abs: has("abs") };
    Some(match (words[0], *words.last()?) {
        ("rcp", "f32") => approx::rcp(ftz, x).into(),
        ("rsqrt", "f32") => approx::rsqrt(ftz, x).into(),
        ("sqrt", "f32") => approx::sqrt(ftz, x).into(),
        ("sin", "f32") => approx::sin(ftz, x).into(),
        ("cos", "f32") => approx::cos(ftz, x).into(),
        ("ex2", "f32") => approx::ex2(ftz, x).into(),
        ("lg2", "f32") => approx::lg2(ftz, x).into(),
        ("div", "f32") if has("approx") => approx::div(ftz, x, y).into(),
        ("div", "f32") if has("full") => approx::div_full(ftz, x, y).into(),
        ("add", "f32") => single::add(m, x, y).into(),
        ("sub", "f32") => single::sub(m, x, y).into(),
        ("mul", "f32") => single::mul(m, x, y).into(),
        ("min" | "max", "f32") => extremes::single(extreme, e, x, y).into(),
        ("neg", "f32") => single::neg(ftz, x).into(),
        ("abs", "f32") => single::abs(ftz, x).into(),
        ("slct", "f32") => {
            if compare::selects_first(ftz, c as u32) {
                a
            } else {
                b
            }
        }
        ("testp", "f32") => compare::has_single(property?, x).into(),
        ("testp", "f64") => compare::has_double(property?, a).into(),
        ("setp", "f32") => compare::single(comparison?, ftz, x, y).into(),
        ("setp", "f64") => compare::double(comparison?, a, b).into(),
        ("setp", "f16") => compare::half::<F16>(comparison?, ftz, p, q).into(),
        ("setp", "bf16") => compare::half::<Bf16>(comparison?, ftz, p, q).into(),
        ("add", "f64") => double::add(m.rounding, a, b),
        ("sub", "f64") => double::sub(m.rounding, a, b),
        ("mul", "f64") => double::mul(m.rounding, a, b),
        ("min" | "max", "f64") => extremes::double(extreme, a, b),
        ("neg", "f64") => double::neg(a),
        ("abs", "f64") => double::abs(a),
        ("add", "f16") => half::add::<F16>(m, p, q).into(),
        ("sub", "f16") => half::sub::<F16>(m, p, q).into(),
        ("mul", "f16") => half::mul::<F16>(m, p, q).into(),
        ("mul", "bf16") => half::mul::<Bf16>(m, p, q).into(),
        ("min" | "max", "f16") => extremes::half::<F16>(extreme, e, p, q).into(),
        ("neg", "f16") => half::neg::<F16>(ftz, p).into(),
        ("abs", "f16") => half::abs::<F16>(ftz, p).into(),
        ("neg", "bf16") => half::neg::<Bf16>(ftz, p).into(),
        _ => return None,
    })
}

/// Known differences between folding and a device; this crate follows the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FoldDifference {
    /// The difference of two magnitudes is halfway between two numbers. The folding rounds it towards zero instead of to even,
    /// though the instruction is documented to follow IEEE 754.
    HalfwayDifference,
    /// The folding changes the sign of a NaN, or returns a NaN unchanged, instead of the operation that makes it canonical. For
    /// `abs.f64` the manual says that a NaN is returned unchanged.
    NanSimplified,
}

fn difference(instruction: &str, operands: &[u64], folded: u64, computed: u64) -> Option<FoldDifference> {
    let words: Vec<&str> = instruction.split('.').collect();
    let single_nan = instruction.ends_with(".f32") && single::is_nan(folded as u32) && computed == single::NAN.into();
    let double_nan = instruction.ends_with(".f64") && double::is_nan(folded) && folded ^ computed == 1 << 63;
    let half_nan = instruction.ends_with(".f16") && half::is_nan::<F16>(folded as u16) && computed == half::NAN.into();
    if single_nan || double_nan || half_nan {
        return Some(FoldDifference::NanSimplified);
    }
    if matches!(words[0], "add" | "sub") && words.last() == Some(&"f32") && computed == folded + 1 {
        let ftz = words.contains(&"ftz");
        let [a, b] = [operands[0], operands[1]].map(|x| f64::from(single::operand(ftz, x as u32)));
        let b = if words[0] == "sub" { -b } else { b };
        // Sum and midpoint are exact in `f64`, because these operands are close together.
        let exact = a + b;
        let [low, high] = [folded, computed].map(|x| f64::from(f32::from_bits(x as u32)));
        let cancels = (a < 0.0) != (b < 0.0);
        return (cancels && exact == (low + high) / 2.0 && computed & 1 == 0)
            .then_some(FoldDifference::HalfwayDifference);
    }
    None
}

/// Replays a file and returns the number of records of each instruction and of each known difference.
fn replay(file: &str) -> (BTreeMap<&str, usize>, BTreeMap<FoldDifference, usize>) {
    let (mut counts, mut differences) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let instruction = fields.next().unwrap();
        let mut numbers: Vec<u64> = fields.map(|f| u64::from_str_radix(f, 16).unwrap()).collect();
        let folded = numbers.pop().unwrap();
        let got = computed(instruction, &numbers).unwrap_or_else(|| panic!("{instruction} is not in the table"));
        *counts.entry(instruction).or_insert(0) += 1;
        match difference(instruction, &numbers, folded, got) {
            _ if got == folded => {}
            Some(known) => *differences.entry(known).or_insert(0) += 1,
            None => wrong.push(format!("{instruction} {numbers:x?}: folded {folded:x}, computed {got:x}")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    (counts, differences)
}

#[test]
fn approximate_functions_are_what_the_assembler_folds() {
    let (counts, differences) = replay(APPROXIMATE);
    assert_eq!(counts.len(), 18);
    assert!(counts.values().all(|&count| count > 600), "{counts:?}");
    assert!(differences.is_empty());
}

#[test]
fn exact_operations_are_what_the_assembler_folds() {
    let (counts, differences) = replay(EXACT);
    assert!(counts.values().sum::<usize>() > 10_000, "{counts:?}");
    // The counts are exact, so that the test fails if a known difference disappears.
    let known = [(FoldDifference::HalfwayDifference, 9), (FoldDifference::NanSimplified, 18)];
    assert_eq!(differences, BTreeMap::from(known));
}
