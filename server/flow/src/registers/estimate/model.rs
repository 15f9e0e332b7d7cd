//! Turns the counts of registers into an estimate, and gives the range in which the number lies.
//!
//! The file model.txt holds the numbers; tests/registers/calibrate.py writes it. Few numbers are fitted, so that the estimate
//! is as good for kernels of an unknown compiler as for those that were measured.

use super::shape::FunctionFeatures;
use std::sync::LazyLock;

static FILE: &str = include_str!("model.txt");

/// The minimum number of registers per thread.
const MIN_REGISTERS: f32 = 4.0;

/// A class of estimates and the range around them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ErrorClass {
    /// The largest estimate of the class.
    registers: f32,
    /// The ends of the range as factors of the estimate.
    ends: [f32; 2],
}

/// The numbers of model.txt.
#[derive(Debug, Default)]
struct Model {
    /// The registers that every kernel needs besides the count: before the target `recent`, and from it on.
    overhead: [f32; 2],
    /// The number of the first target on which the assembler is more generous.
    recent: f32,
    /// The assembler unrolls loops until a kernel uses this many registers.
    unrolled: f32,
    /// The share of the registers that the text holds beyond the count, and the number of them that matters.
    beyond: [f32; 2],
    /// The counts between which that share falls to 0.
    fades: [f32; 2],
    /// Ordered by size.
    classes: Vec<ErrorClass>,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    // `the_file_is_read` tests that it is a model.
    Model::read(FILE).unwrap_or_default()
});

impl Model {
    /// Reads the text of a model; `None` if it is not one.
    fn read(text: &str) -> Option<Self> {
        let mut out = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "overhead" => out.overhead = numbers(rest)?,
                "recent" => [out.recent] = numbers(rest)?,
                "unrolled" => [out.unrolled] = numbers(rest)?,
                "beyond" => out.beyond = numbers(rest)?,
                "fades" => out.fades = numbers(rest)?,
                "range" => {
                    let [registers, low, high] = numbers(rest)?;
                    out.classes.push(ErrorClass { registers, ends: [low, high] });
                }
                _ => return None,
            }
        }
        (out.overhead[0] > 0.0 && out.unrolled > 0.0 && !out.classes.is_empty()).then_some(out)
    }

    fn overhead_of(&self, shape: &FunctionFeatures) -> f32 {
        self.overhead[usize::from(shape.target >= self.recent)]
    }

    /// The number of registers that are live at once in the assembler's program. It is never less than what the folded text
    /// holds. In a module for a debugger, nothing that the text holds is removed.
    fn count(&self, shape: &FunctionFeatures) -> f32 {
        let room = self.unrolled - self.overhead_of(shape);
        let count = shape.unrolled.min(shape.ordered.max(room)).max(shape.folded);
        if shape.debugged > 0.0 { count.max(shape.live) } else { count }
    }

    /// The estimate for a function with these features.
    fn predict(&self, shape: &FunctionFeatures) -> f32 {
        let count = self.count(shape);
        let [share, most] = self.beyond;
        let [begin, end] = self.fades;
        let fades = ((end - count) / (end - begin).max(1.0)).clamp(0.0, 1.0);
        let registers = count + self.overhead_of(shape) + share * fades * (shape.live - count).clamp(0.0, most);
        registers.max(MIN_REGISTERS)
    }

    /// The range in which the number lies for nine of ten functions with this estimate.
    fn range(&self, registers: f32) -> [f32; 2] {
        let class = self.classes.iter().find(|c| registers <= c.registers);
        let [low, high] = class.or(self.classes.last()).map_or([1.0; 2], |c| c.ends);
        let (low, high) = (registers * low, registers * high);
        let (below, above) = (low as u32 as f32, high as u32 as f32);
        [below.max(MIN_REGISTERS), if above < high { above + 1.0 } else { above }]
    }
}

/// The numbers of a line.
fn numbers<const N: usize>(text: &str) -> Option<[f32; N]> {
    let all: Option<Vec<f32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    all?.try_into().ok()
}

/// The number of registers that the assembler is expected to use for a function with these features.
pub(crate) fn predict(shape: &FunctionFeatures) -> f32 {
    MODEL.predict(shape)
}

/// The range in which the number lies for nine of ten functions with this estimate.
pub(crate) fn range(registers: f32) -> [f32; 2] {
    MODEL.range(registers)
}

#[cfg(test)]
mod tests {
    use super::{FILE, MODEL, Model, predict, range};
    use crate::registers::estimate::FunctionFeatures;

    const TEXT: &str =
        "overhead 4 6\nrecent 90\nunrolled 40\nbeyond 0.5 12\nfades 20 30\nrange 50 0.5 2\nrange 1e9 0.9 1.1\n";

    fn features(live: f32, folded: f32, ordered: f32, unrolled: f32) -> FunctionFeatures {
        FunctionFeatures { live, folded, ordered, unrolled, target: 90.0, ..FunctionFeatures::default() }
    }

    #[test]
    fn the_file_is_read() {
        let read = Model::read(FILE).expect("each line is known");
        assert_eq!(read.classes, MODEL.classes);
        assert!(read.classes.iter().all(|c| c.ends[0] <= 1.0 && c.ends[1] >= 1.0), "{:?}", read.classes);
    }

    #[test]
    fn loops_are_unrolled_while_there_is_room() {
        let model = Model::read(TEXT).expect("a model");
        let of = |ordered, unrolled| model.predict(&features(ordered, ordered, ordered, unrolled));
        assert_eq!([of(20.0, 30.0), of(20.0, 90.0), of(50.0, 90.0), of(50.0, 50.0)], [36.0, 40.0, 56.0, 56.0]);
    }

    #[test]
    fn the_estimate_is_never_below_what_is_live() {
        let model = Model::read(TEXT).expect("a model");
        assert_eq!(model.predict(&features(90.0, 80.0, 60.0, 60.0)), 86.0);
        // Of what folding removes, a part counts for small kernels.
        assert_eq!(model.predict(&features(18.0, 10.0, 10.0, 10.0)), 20.0);
        assert_eq!(model.predict(&features(50.0, 10.0, 10.0, 10.0)), 22.0);
        let older = FunctionFeatures { target: 89.0, ..features(50.0, 10.0, 10.0, 10.0) };
        assert_eq!(model.predict(&older), 20.0);
        let debugged = FunctionFeatures { debugged: 1.0, ..features(50.0, 10.0, 10.0, 10.0) };
        assert_eq!(model.predict(&debugged), 56.0);
    }

    #[test]
    fn the_range_is_that_of_the_size() {
        let model = Model::read(TEXT).expect("a model");
        assert_eq!([model.range(40.0), model.range(100.0)], [[20.0, 80.0], [90.0, 110.0]]);
        assert_eq!(model.range(4.0), [4.0, 8.0]);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in ["", "overhead 6\n", "unheard 1\n", "overhead x\n", "range 1 2 3\n", "beyond 1\n"] {
            assert!(Model::read(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn no_thread_has_fewer_than_four() {
        let found = predict(&FunctionFeatures::default());
        let [low, high] = range(found);
        assert!(low >= 4.0 && low <= found && found <= high, "{low} {found} {high}");
    }
}
