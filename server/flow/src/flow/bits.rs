//! Bit sets of small numbers.

/// A set of numbers below a limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set of numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)] }
    }

    /// Inserts a number and returns whether it was new. A number at or above the limit is ignored.
    pub fn insert(&mut self, number: usize) -> bool {
        let Some(word) = self.words.get_mut(number / 64) else { return false };
        let new = *word & (1 << (number % 64)) == 0;
        *word |= 1 << (number % 64);
        new
    }

    /// Removes a number.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether the set contains a number.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|w| w & (1 << (number % 64)) != 0)
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.words)
    }

    /// Removes all numbers.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Inserts all numbers below the limit, and those that the last word has room for.
    pub fn fill(&mut self) {
        self.words.fill(u64::MAX);
    }

    /// Removes the numbers that are not in another set.
    pub(crate) fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words.iter().chain(std::iter::repeat(&0))).for_each(|(a, b)| *a &= b);
    }

    /// Inserts the numbers that are not in another set.
    pub(crate) fn unite_complement(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words.iter().chain(std::iter::repeat(&0))).for_each(|(a, b)| *a |= !b);
    }
}

/// A matrix of bits: one bit set per row, all with the same limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BitMatrix {
    width: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// `rows` sets of numbers below `limit`: empty, or with all numbers if `full`.
    pub fn new(rows: usize, limit: usize, full: bool) -> Self {
        let width = limit.div_ceil(64);
        Self { width, words: vec![if full { u64::MAX } else { 0 }; rows * width] }
    }

    /// The 64-bit words of a row.
    pub fn row(&self, row: usize) -> &[u64] {
        self.words.get(row * self.width..(row + 1) * self.width).unwrap_or(&[])
    }

    /// The 64-bit words of a row, mutable.
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        self.words.get_mut(row * self.width..(row + 1) * self.width).unwrap_or(&mut [])
    }

    /// Makes a row equal to a set with the same limit.
    pub fn set(&mut self, row: usize, set: &BitSet) {
        self.row_mut(row).iter_mut().zip(&set.words).for_each(|(a, b)| *a = *b);
    }

    /// A row as a set of numbers below `limit`.
    pub(crate) fn to_set(&self, row: usize, limit: usize) -> BitSet {
        let mut words = self.row(row).to_vec();
        words.resize(limit.div_ceil(64), 0);
        if let Some(last) = words.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last &= (1 << (limit % 64)) - 1;
        }
        BitSet { words }
    }

    /// Inserts a number into a row.
    pub fn insert(&mut self, row: usize, number: usize) {
        if let Some(word) = self.row_mut(row).get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Whether a row contains a number.
    pub fn contains(&self, row: usize, number: usize) -> bool {
        self.row(row).get(number / 64).is_some_and(|w| w & (1 << (number % 64)) != 0)
    }

    /// The number of bits that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers in a row, ascending.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(row))
    }
}

fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{BitMatrix, BitSet};

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set = BitSet::new(130);
        assert!(set.insert(0) && set.insert(129) && !set.insert(129) && !set.insert(500));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 129]);
        set.remove(0);
        assert!(!set.contains(0) && set.contains(129) && !set.contains(128));
    }

    #[test]
    fn rows_are_apart() {
        let mut matrix = BitMatrix::new(3, 70, false);
        matrix.insert(1, 69);
        assert!(matrix.contains(1, 69) && !matrix.contains(0, 69) && !matrix.contains(2, 5));
        assert_eq!(matrix.iter(1).collect::<Vec<_>>(), [69]);
    }
}
