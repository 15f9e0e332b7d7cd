//! Functions that are looked at on several threads.

use crate::forms::mnemonics::MnemonicCache;
use ptx_syntax::in_parallel;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Below so many bytes of text in all, one thread is done sooner.
const MIN_SHARED: usize = 64 << 10;

/// How many threads may be used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Threads(pub usize);

impl Threads {
    /// The results of some work on each of some functions, in their order; the largest are begun first. `mnemonics` has what a thread
    /// remembers of instructions, for each of them.
    pub fn share<T: Sync, R: Send>(
        self,
        functions: &[T],
        size: impl Fn(&T) -> usize,
        mnemonics: &mut Vec<MnemonicCache>,
        work: impl Fn(&mut MnemonicCache, &T) -> R + Sync,
    ) -> Vec<R> {
        if mnemonics.is_empty() {
            mnemonics.push(MnemonicCache::default());
        }
        let all: usize = functions.iter().map(&size).sum();
        if self.0 < 2 || functions.len() < 2 || all < MIN_SHARED {
            return functions.iter().flat_map(|f| mnemonics.first_mut().map(|mnemonics| work(mnemonics, f))).collect();
        }
        let mut order: Vec<(usize, &T)> = functions.iter().enumerate().collect();
        order.sort_by_key(|(_, function)| std::cmp::Reverse(size(function)));
        let pool = Mutex::new(std::mem::take(mnemonics));
        let lend = || Lent {
            mnemonics: pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default(),
            pool: &pool,
        };
        let mut found =
            in_parallel(&order, self.0, lend, |lent, (index, function)| (*index, work(&mut lent.mnemonics, function)));
        *mnemonics = pool.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(index, _)| *index);
        found.into_iter().map(|(_, result)| result).collect()
    }
}

/// What one thread remembers, given back when it is done.
struct Lent<'a> {
    mnemonics: MnemonicCache,
    pool: &'a Mutex<Vec<MnemonicCache>>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.mnemonics));
    }
}
