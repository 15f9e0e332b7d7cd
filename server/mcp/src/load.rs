//! The work that a server has accepted. While it is much, no further message is read: the client has to wait, and memory stays bounded.

use std::sync::Arc;
use tokio::sync::watch;

/// Maximum number of calls in progress, with their unsent answers.
const MAX_CALLS: usize = 4096;

/// Total size of the texts in calls, in bytes, above which no further message is read.
const MAX_BYTES: usize = 256 << 20;

#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    calls: usize,
    bytes: usize,
}

/// The calls in progress.
#[derive(Debug, Clone)]
pub struct Load(Arc<watch::Sender<Amount>>);

impl Default for Load {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Amount::default())))
    }
}

impl Load {
    /// Counts a call, or an answer that is being sent, until the guard is dropped. `bytes` is the size of its text.
    pub fn add(&self, bytes: usize) -> LoadGuard {
        self.0.send_modify(|amount| {
            amount.calls += 1;
            amount.bytes += bytes;
        });
        LoadGuard { load: self.clone(), bytes }
    }

    /// Waits until there is room for another call.
    pub async fn room(&self) {
        let mut amount = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = amount.wait_for(|amount| amount.calls < MAX_CALLS && amount.bytes < MAX_BYTES).await;
    }
}

/// A call in progress.
#[derive(Debug)]
pub struct LoadGuard {
    load: Load,
    bytes: usize,
}

impl Drop for LoadGuard {
    fn drop(&mut self) {
        let bytes = self.bytes;
        self.load.0.send_modify(|amount| {
            amount.calls -= 1;
            amount.bytes -= bytes;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn no_room_while_there_is_much_work() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let load = Load::default();
            let is_free =
                async |load: &Load| tokio::time::timeout(Duration::from_millis(20), load.room()).await.is_ok();
            assert!(is_free(&load).await);
            let large = load.add(MAX_BYTES);
            assert!(!is_free(&load).await);
            drop(large);
            let mut many: Vec<LoadGuard> = (0..MAX_CALLS).map(|_| load.add(0)).collect();
            assert!(!is_free(&load).await);
            many.pop();
            assert!(is_free(&load).await);
        });
    }
}
