//! Corrects the count of registers with regression trees.
//!
//! The file model.txt gives the factor for the count: the exponential of the sum of one leaf of each tree.
//! tests/registers/calibrate.py writes it.

use super::shape::FunctionFeatures;
use std::sync::LazyLock;

static FILE: &str = include_str!("model.txt");

/// The minimum number of registers per thread. It is also added to the count before the multiplication, so that small counts
/// weigh less.
const MIN_REGISTERS: f32 = 4.0;

/// A node of a regression tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TreeNode {
    /// A split by a feature: its index, the threshold, and the index of the other node. If the feature is at most the
    /// threshold, the next node follows, else the other one.
    Split(usize, f32, u32),
    /// A leaf: the value that the tree adds to the sum.
    Leaf(f32),
}

/// The regression trees of the model, concatenated.
#[derive(Debug, Default)]
struct TreeEnsemble {
    /// The constant part of the sum.
    base: f32,
    nodes: Vec<TreeNode>,
    /// The index of each tree's root in `nodes`.
    roots: Vec<u32>,
}

static MODEL: LazyLock<TreeEnsemble> = LazyLock::new(|| TreeEnsemble::read(FILE).unwrap_or_default());

impl TreeEnsemble {
    /// Parses the file: a line with the names of the features, a line with the base, and one line per tree with its nodes in
    /// preorder. `3<7.5` splits by the feature with index 3.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let named = |name: &str| FunctionFeatures::NAMES.iter().position(|n| *n == name);
        let inputs: Vec<usize> = lines.next()?.split_whitespace().map(named).collect::<Option<_>>()?;
        let mut out = Self { base: lines.next()?.parse().ok()?, ..Self::default() };
        for line in lines {
            out.roots.push(out.nodes.len() as u32);
            let mut words = line.split_whitespace();
            out.tree(&mut words, &inputs)?;
            if words.next().is_some() {
                return None;
            }
        }
        Some(out)
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

/// The number of registers that the assembler is expected to use for a function with these features.
pub fn registers(shape: &FunctionFeatures) -> f32 {
    let count = shape.ordered + MIN_REGISTERS;
    (count * MODEL.sum(&shape.values()).exp()).max(MIN_REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::{FILE, MODEL, TreeEnsemble, TreeNode, registers};
    use crate::registers::estimate::FunctionFeatures;

    #[test]
    fn the_file_is_read() {
        let read = TreeEnsemble::read(FILE).expect("each line is a tree");
        assert!(read.roots.len() > 50 && read.roots.len() == MODEL.roots.len());
    }

    #[test]
    fn a_tree_is_walked() {
        let model = TreeEnsemble::read("live across\n0.5\n0<10 1<3.5 1 2 4\n-1").expect("two trees");
        assert_eq!(model.nodes.len(), 6);
        assert!(matches!(model.nodes[0], TreeNode::Split(_, 10.0, 4)));
        let of = |live, across| model.sum(&FunctionFeatures { live, across, ..FunctionFeatures::default() }.values());
        assert_eq!([of(10.0, 3.0), of(10.0, 4.0), of(11.0, 0.0)], [0.5, 1.5, 3.5]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for text in ["", "live", "live\nx", "live\n0\n0<1 2", "live\n0\n1<2 3 4", "unheard\n0\n1", "live\n0\n1 2"] {
            assert!(TreeEnsemble::read(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn no_thread_has_fewer_than_four() {
        assert!(registers(&FunctionFeatures::default()) >= 4.0);
    }
}
