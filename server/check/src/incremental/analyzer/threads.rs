//! Distributes the work on functions over several threads.

use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_syntax::in_parallel;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Below this total size of text, in bytes, one thread finishes sooner.
const MIN_SHARED: usize = 64 << 10;

/// The maximum number of threads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Threads(pub usize);

impl Threads {
    /// Applies `work` to each function on several threads, the largest functions first. Returns the results in the order of
    /// `functions`. `mnemonics` holds the mnemonic cache of each thread.
    pub(super) fn share<T: Sync, R: Send>(
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

/// The mnemonic cache that one thread borrows from the pool; it is returned on drop.
struct Lent<'a> {
    mnemonics: MnemonicCache,
    pool: &'a Mutex<Vec<MnemonicCache>>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.mnemonics));
    }
}
