//! Distributes work over several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The stack size of a thread in bytes: trees can nest deeply, and walking them may need a large stack. It reserves address
/// space, not memory.
const STACK: usize = 64 << 20;

/// Parallel map over `things`; the results keep the order of the input. This thread and up to `threads - 1` others each take
/// the next item when they are done with one. `state` creates the working state of each thread.
pub fn in_parallel<T: Sync, S, R: Send>(
    things: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = |done: &mut dyn FnMut(usize, R)| {
        let mut own = None;
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(index)
        {
            done(index, work(own.get_or_insert_with(&state), thing));
        }
    };
    let mut out: Vec<Option<R>> = things.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 1..threads.min(things.len()) {
            let (sender, run) = (sender.clone(), &run);
            let work = move || {
                run(&mut |index, result| {
                    // The receiver lives until all threads are done.
                    let _ = sender.send((index, result));
                });
            };
            // If a thread cannot be started, the others do its work.
            let _ = std::thread::Builder::new().name("part".into()).stack_size(STACK).spawn_scoped(scope, work);
        }
        drop(sender);
        run(&mut |index, result| out[index] = Some(result));
        for (index, result) in results {
            out[index] = Some(result);
        }
    });
    out.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let things: Vec<usize> = (0..1000).collect();
        for threads in [0, 1, 3] {
            let doubled = in_parallel(
                &things,
                threads,
                || 0,
                |seen, thing| {
                    *seen += 1;
                    thing * 2
                },
            );
            assert_eq!(doubled, things.iter().map(|t| t * 2).collect::<Vec<_>>());
        }
        assert!(in_parallel(&[], 4, || (), |(), thing: &u8| *thing).is_empty());
    }

    #[test]
    #[should_panic]
    fn a_panic_is_passed_on() {
        in_parallel(&[1, 2, 3], 2, || (), |(), thing| assert!(*thing != 2, "one of them"));
    }
}
