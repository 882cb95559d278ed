//! Work on many items by all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stack of a thread: front ends of other projects recurse over expressions.
pub const STACK_BYTES: usize = 256 << 20;

/// The results of `work` for each of some items, in their order. A panic of one ends the test.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..count.min(items.len()) {
            let work = || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    results.lock().expect("no thread panicked").push((at, result));
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).expect("a thread starts");
        }
    });
    let mut results = results.into_inner().expect("no thread panicked");
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[test]
fn results_have_the_order_of_the_items() {
    let items: Vec<u32> = (0..1000).collect();
    assert_eq!(each(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    assert!(each(&[] as &[u32], |item| *item).is_empty());
}
