//! Corrects the count of registers by a line and by regression trees, and gives the range in which the number lies.
//!
//! The file model.txt holds the numbers; tests/registers/calibrate.py writes it. Two sets of trees estimate the factor of the
//! count, and the distance from a line through the counts. Where many registers are needed, few kernels were measured: there
//! the line alone decides.

use super::shape::FunctionFeatures;
use std::sync::LazyLock;

static FILE: &str = include_str!("model.txt");

/// The minimum number of registers per thread. It is also added to the count before the multiplication, so that small counts
/// weigh less.
const MIN_REGISTERS: f32 = 4.0;

/// The line gives no kernel fewer registers than this.
const LINE_LEAST: f32 = 6.0;

/// The counts that the line reads end here.
const LINE_MOST: f32 = 300.0;

/// An estimate, and the range in which the number of registers lies for nine of ten functions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prediction {
    /// The estimate.
    pub registers: f32,
    /// The lower end of the range: at most `registers`.
    pub low: f32,
    /// The upper end of the range: at least `registers`.
    pub high: f32,
}

/// A node of a regression tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TreeNode {
    /// A split by a feature: its index, the threshold, and the index of the other node. If the feature is at most the
    /// threshold, the next node follows, else the other one.
    Split(usize, f32, u32),
    /// A leaf: the value that the tree adds to the sum.
    Leaf(f32),
}

/// Regression trees, concatenated.
#[derive(Debug, Default)]
struct TreeEnsemble {
    /// The constant part of the sum.
    base: f32,
    nodes: Vec<TreeNode>,
    /// The index of each tree's root in `nodes`.
    roots: Vec<u32>,
}

impl TreeEnsemble {
    /// Adds a tree with its nodes in preorder: `3<7.5` splits by the feature with index 3.
    fn push(&mut self, line: &str, inputs: &[usize]) -> Option<()> {
        self.roots.push(self.nodes.len() as u32);
        let mut words = line.split_whitespace();
        self.tree(&mut words, inputs)?;
        words.next().is_none().then_some(())
    }

    fn tree<'w>(&mut self, words: &mut impl Iterator<Item = &'w str>, inputs: &[usize]) -> Option<()> {
        let word = words.next()?;
        let Some((input, threshold)) = word.split_once('<') else {
            self.nodes.push(TreeNode::Leaf(word.parse().ok()?));
            return Some(());
        };
        let input = *inputs.get(input.parse::<usize>().ok()?)?;
        let threshold: f32 = threshold.parse().ok()?;
        let place = self.nodes.len();
        self.nodes.push(TreeNode::Split(input, threshold, 0));
        self.tree(words, inputs)?;
        let other = self.nodes.len() as u32;
        self.nodes[place] = TreeNode::Split(input, threshold, other);
        self.tree(words, inputs)
    }

    fn sum(&self, values: &[f32]) -> f32 {
        let leaf = |root: &u32| {
            let mut at = *root as usize;
            loop {
                match self.nodes.get(at) {
                    Some(TreeNode::Split(input, threshold, other)) => {
                        let below = values.get(*input).is_some_and(|v| v <= threshold);
                        at = if below { at + 1 } else { *other as usize };
                    }
                    Some(TreeNode::Leaf(value)) => return *value,
                    None => return 0.0,
                }
            }
        };
        self.roots.iter().map(leaf).sum::<f32>() + self.base
    }
}

/// A class of estimates and the range around them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ErrorClass {
    /// The largest estimate of the class.
    registers: f32,
    /// How far trees and line may be apart, in units of [`unit`].
    apart: f32,
    /// The factors of the lower and the upper end of the range.
    ends: [f32; 2],
}

/// The model of the file.
#[derive(Debug, Default)]
struct Model {
    /// The weights of `live` and `thrifty` and the constant: of most functions, and of those compiled for a debugger.
    lines: [[f32; 3]; 2],
    /// The share of the trees in the estimate, the rest being that of the line: pairs of what the line says and the share,
    /// sorted; between two of them, a share in proportion.
    shares: Vec<[f32; 2]>,
    /// Sorted by size.
    classes: Vec<ErrorClass>,
    /// The logarithm of the factor of the count.
    factor: TreeEnsemble,
    /// The distance from the line, in units of [`unit`].
    distance: TreeEnsemble,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::read(FILE).unwrap_or_default());

/// The error that still counts as near: 8 registers or 10 %.
fn unit(registers: f32) -> f32 {
    (0.1 * registers).max(8.0)
}

impl Model {
    /// Parses the file. Each line begins with a word that says what it holds; the lines of trees follow `factor` and
    /// `distance`.
    fn read(text: &str) -> Option<Self> {
        let (mut out, mut inputs) = (Self::default(), Vec::new());
        // The set of trees to which the next lines belong: 0 or 1.
        let mut filling = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "features" => {
                    let named = |name: &str| FunctionFeatures::NAMES.iter().position(|n| *n == name);
                    inputs = rest.split_whitespace().map(named).collect::<Option<_>>()?;
                }
                "line" => out.lines[0] = numbers(rest)?,
                "line-debugged" => out.lines[1] = numbers(rest)?,
                "share" => out.shares.push(numbers(rest)?),
                "range" => {
                    let [registers, apart, low, high] = numbers(rest)?;
                    out.classes.push(ErrorClass { registers, apart, ends: [low, high] });
                }
                "factor" => {
                    out.factor.base = rest.parse().ok()?;
                    filling = Some(false);
                }
                "distance" => {
                    out.distance.base = rest.parse().ok()?;
                    filling = Some(true);
                }
                _ => (if filling? { &mut out.distance } else { &mut out.factor }).push(line, &inputs)?,
            }
        }
        let complete = !out.shares.is_empty()
            && !out.factor.roots.is_empty()
            && !out.distance.roots.is_empty()
            && !out.classes.is_empty();
        complete.then_some(out)
    }

    /// The share of the trees in the estimate where the line says `line`.
    fn share(&self, line: f32) -> f32 {
        let after = self.shares.iter().position(|s| s[0] > line).unwrap_or(self.shares.len());
        match (after.checked_sub(1).and_then(|i| self.shares.get(i)), self.shares.get(after)) {
            (Some([from, a]), Some([to, b])) => a + (b - a) * (line - from) / (to - from),
            (Some([_, share]), None) | (None, Some([_, share])) => *share,
            (None, None) => 0.0,
        }
    }

    /// The estimate for a function with these features.
    fn predict(&self, shape: &FunctionFeatures) -> Prediction {
        let values = shape.values();
        let debugged = shape.debugged > 0.0;
        let [live, thrifty, constant] = self.lines[usize::from(debugged)];
        let line = live * shape.live.min(LINE_MOST) + thrifty * shape.thrifty.min(LINE_MOST) + constant;
        let line = line.max(LINE_LEAST);
        let count = if debugged { shape.live } else { shape.ordered } + MIN_REGISTERS;
        let by_factor = count * self.factor.sum(&values).exp();
        let by_distance = line + self.distance.sum(&values) * unit(line);
        let trees = (by_factor + by_distance) / 2.0;
        let registers = (line + self.share(line) * (trees - line)).max(MIN_REGISTERS);
        let apart = (trees - line).abs() / unit(line);
        let class = self.classes.iter().find(|c| registers <= c.registers && apart <= c.apart);
        let [low, high] = class.or(self.classes.last()).map_or([1.0; 2], |c| c.ends);
        Prediction {
            registers,
            low: (registers * low).floor().clamp(MIN_REGISTERS, registers),
            high: (registers * high).ceil(),
        }
    }
}

/// The numbers of a line.
fn numbers<const N: usize>(text: &str) -> Option<[f32; N]> {
    let all: Option<Vec<f32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    all?.try_into().ok()
}

/// The number of registers that the assembler is expected to use for a function with these features.
pub fn predict(shape: &FunctionFeatures) -> Prediction {
    MODEL.predict(shape)
}

#[cfg(test)]
mod tests {
    use super::{FILE, MODEL, Model, TreeEnsemble, TreeNode, predict};
    use crate::registers::estimate::FunctionFeatures;

    const HEAD: &str = "features live across\nline 0 1 2\nline-debugged 1 0 5\nshare 30 1\nshare 40 1\nshare 60 0\nrange 50 1 0.5 2\nrange 1e9 1e9 0.9 1.1\n";

    #[test]
    fn the_file_is_read() {
        let read = Model::read(FILE).expect("each line is known");
        assert!(read.factor.roots.len() > 50 && read.distance.roots.len() == MODEL.distance.roots.len());
        assert!(read.classes.iter().all(|c| c.ends[0] <= 1.0 && c.ends[1] >= 1.0), "{:?}", read.classes);
    }

    #[test]
    fn a_tree_is_walked() {
        let mut model = TreeEnsemble { base: 0.5, ..TreeEnsemble::default() };
        let place = |name| FunctionFeatures::NAMES.iter().position(|n| *n == name).expect("a feature");
        let inputs = [place("live"), place("across")];
        assert_eq!(model.push("0<10 1<3.5 1 2 4", &inputs).and(model.push("-1", &inputs)), Some(()));
        assert_eq!(model.nodes.len(), 6);
        assert!(matches!(model.nodes[0], TreeNode::Split(_, 10.0, 4)));
        let of = |live, across| model.sum(&FunctionFeatures { live, across, ..FunctionFeatures::default() }.values());
        assert_eq!([of(10.0, 3.0), of(10.0, 4.0), of(11.0, 0.0)], [0.5, 1.5, 3.5]);
    }

    #[test]
    fn shares_lie_between_those_of_the_file() {
        let model = Model { shares: vec![[20.0, 0.5], [30.0, 1.0], [50.0, 0.0]], ..Model::default() };
        let shares = [10.0, 20.0, 25.0, 30.0, 45.0, 60.0].map(|line| model.share(line));
        assert_eq!(shares, [0.5, 0.5, 0.75, 1.0, 0.25, 0.0]);
    }

    #[test]
    fn trees_decide_for_small_functions_and_the_line_for_large_ones() {
        let model = Model::read(&format!("{HEAD}factor 0\n0\ndistance 1\n0\n")).expect("a model");
        let of = |thrifty, ordered| {
            let shape = FunctionFeatures { thrifty, ordered, ..FunctionFeatures::default() };
            let found = model.predict(&shape);
            (found.registers, found.low, found.high)
        };
        // The line is at 22; the trees say 26 and 30.
        assert_eq!(of(20.0, 22.0), (28.0, 14.0, 56.0));
        // At 102 only the line counts.
        assert_eq!(of(100.0, 22.0), (102.0, 91.0, 113.0));
        // Half of both: the line says 50, the trees (26 + 58) / 2.
        assert_eq!(of(48.0, 22.0).0, 46.0);
        let debugged = FunctionFeatures { live: 90.0, debugged: 1.0, ..FunctionFeatures::default() };
        assert_eq!(model.predict(&debugged).registers, 95.0);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let trees = "factor 0\n0\ndistance 1\n0\n";
        for text in ["", HEAD, trees, "features unheard\n", "line 1 2\n", "share x 1\n", "range 1 2 3\n", "factor x\n"]
        {
            assert!(Model::read(text).is_none(), "{text:?}");
        }
        for tree in ["0<1 2", "2<2 3 4", "x", "1 2"] {
            assert!(Model::read(&format!("{HEAD}factor 0\n{tree}\ndistance 1\n0\n")).is_none(), "{tree:?}");
        }
    }

    #[test]
    fn no_thread_has_fewer_than_four() {
        let found = predict(&FunctionFeatures::default());
        assert!(found.low >= 4.0 && found.low <= found.registers && found.registers <= found.high, "{found:?}");
    }
}
