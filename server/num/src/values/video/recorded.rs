//! Replays recorded results of the machine code of video instructions (`tests/oracle/values.py` records them).

use super::super::integer::compare::IntegerComparison;
use super::RegisterPart;
use super::multiply::{Multiply, Sign};
use super::scalar::{self, ScalarVideo, Then, VideoSource};
use super::simd::{self, ElementChoice, ElementMask, Simd, Width};
use crate::values::Marks;

const RECORD: &str = include_str!("../../../tests/data/video.tsv");

/// A parsed instruction: opcode and modifiers, the sign and the selector of each operand.
struct RecordedText<'a> {
    opcode: &'a str,
    modifiers: Vec<&'a str>,
    operands: Vec<(bool, Option<&'a str>)>,
}

impl<'a> RecordedText<'a> {
    fn of(line: &'a str) -> Self {
        let (head, operands) = line.trim_end_matches(';').split_once(' ').unwrap();
        let mut words = head.split('.');
        let operand = |text: &'a str| {
            let selector = text.split_once('.').map(|(_, selector)| selector);
            (text.starts_with('-'), selector)
        };
        Self {
            opcode: words.next().unwrap(),
            modifiers: words.collect(),
            operands: operands.split(", ").map(operand).collect(),
        }
    }

    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The signs of the types, in order; the last two are those of `a` and `b`.
    fn signs(&self) -> Vec<bool> {
        self.modifiers.iter().filter(|m| matches!(**m, "u32" | "s32")).map(|m| *m == "s32").collect()
    }

    fn source(&self, operand: usize) -> VideoSource {
        let signs = self.signs();
        // The types of `a` and `b` are the last two; `vset` has no `dtype` before them.
        let signed = signs[signs.len() + operand - 3];
        VideoSource {
            part: self.operands[operand].1.map_or(RegisterPart::ALL, |s| RegisterPart::of(s).unwrap()),
            signed,
        }
    }

    fn comparison(&self) -> IntegerComparison {
        self.modifiers.iter().find_map(|m| IntegerComparison::of(m)).unwrap()
    }
}

fn scalar(text: &RecordedText<'_>) -> ScalarVideo {
    let wrap = text.has("wrap");
    let operation = match text.opcode {
        "vadd" => scalar::ScalarOperation::Add,
        "vsub" => scalar::ScalarOperation::Sub,
        "vabsdiff" => scalar::ScalarOperation::AbsDiff,
        "vmin" => scalar::ScalarOperation::Min,
        "vmax" => scalar::ScalarOperation::Max,
        "vshl" => scalar::ScalarOperation::ShiftLeft { wrap },
        "vshr" => scalar::ScalarOperation::ShiftRight { wrap },
        "vset" => scalar::ScalarOperation::Set(text.comparison()),
        other => panic!("{other}"),
    };
    let then = match (text.operands[0].1, ["add", "min", "max"].map(|m| text.has(m))) {
        (Some(part), _) => Then::Merge(RegisterPart::of(part).unwrap()),
        (None, [true, ..]) => Then::Add,
        (None, [_, true, _]) => Then::Min,
        (None, [.., true]) => Then::Max,
        _ => Then::Nothing,
    };
    let signed = text.signs()[0];
    ScalarVideo { operation, a: text.source(1), b: text.source(2), signed, saturate: text.has("sat"), then }
}

fn multiply(text: &RecordedText<'_>) -> Multiply {
    let [a, b, c] = [1, 2, 3].map(|i| text.operands[i].0);
    let sign = match (text.has("po"), a != b, c) {
        (true, ..) => Sign::PlusOne,
        (_, true, _) => Sign::MinusProduct,
        (.., true) => Sign::MinusThird,
        _ => Sign::Plain,
    };
    let scale = if text.has("shr7") {
        7
    } else if text.has("shr15") {
        15
    } else {
        0
    };
    Multiply { a: text.source(1), b: text.source(2), sign, saturate: text.has("sat"), scale }
}

fn simd(text: &RecordedText<'_>) -> Simd {
    let (operation, width) = text.opcode.split_at(text.opcode.len() - 1);
    let width = if width == "2" { Width::Halves } else { Width::Bytes };
    let operation = match operation {
        "vadd" => simd::SimdOperation::Add,
        "vsub" => simd::SimdOperation::Sub,
        "vavrg" => simd::SimdOperation::Average,
        "vabsdiff" => simd::SimdOperation::AbsDiff,
        "vmin" => simd::SimdOperation::Min,
        "vmax" => simd::SimdOperation::Max,
        "vset" => simd::SimdOperation::Set(text.comparison()),
        other => panic!("{other}"),
    };
    let choice =
        |operand: usize, usual| text.operands[operand].1.map_or(usual, |s| ElementChoice::of(s, width).unwrap());
    let signs = text.signs();
    Simd {
        operation,
        width,
        a: choice(1, ElementChoice::A),
        a_signed: signs[signs.len() - 2],
        b: choice(2, ElementChoice::b(width)),
        b_signed: signs[signs.len() - 1],
        signed: signs[0],
        saturate: text.has("sat"),
        mask: text.operands[0].1.map_or(ElementMask::ALL, |s| ElementMask::of(s, width).unwrap()),
        accumulate: text.has("add"),
    }
}

#[test]
fn results_are_those_of_the_machine_code() {
    let (mut scalars, mut simds, mut marked) = (0, 0, 0);
    for line in RECORD.lines().filter(|line| !line.starts_with('#')) {
        let (statement, cases) = line.split_once('\t').unwrap();
        let text = RecordedText::of(statement);
        for case in cases.split('\t') {
            let words: Vec<u32> = case.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
            let [a, b, c, expected] = words[..] else { panic!("four words: {case}") };
            let (found, marks) = match text.opcode {
                "vmad" => multiply(&text).evaluate(a, b, c),
                opcode if opcode.ends_with(['2', '4']) => (simd(&text).evaluate(a, b, c), Marks::NONE),
                _ => scalar(&text).evaluate(a, b, c),
            };
            assert_eq!(found, expected, "{statement} {case}: {found:x}");
            if text.opcode.ends_with(['2', '4']) {
                simds += 1;
            } else {
                scalars += 1;
            }
            marked += usize::from(!marks.is_none());
        }
    }
    assert!(scalars > 3000 && simds > 1000, "{scalars} and {simds}");
    // The macros deviate from the manual in some cases, and only those are marked.
    assert!((100..scalars / 4).contains(&marked), "{marked} of {scalars}");
}
