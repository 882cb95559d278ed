//! The interpreter terminates on every input: damaged, malicious and extreme modules, valid or not.

use crate::testing::corpus::{self, damage};
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Inputs, Limits, run, seeded};
use vitrine_core::ir::Module;

/// Tight limits on memory and steps, so that infinite loops stop early.
fn bounded(inputs: Inputs) -> Inputs {
    let limits = Limits { steps: 4_000, memory_bytes: 1 << 24, calls: 40, ..Limits::default() };
    Inputs { limits, ..inputs }
}

/// Runs the first entry points of a module, and returns the number of those that could be run.
fn all_entries(module: &Module, seed: u64) -> usize {
    let entries = 0..module.entries.len().min(3);
    entries.filter(|&entry| run(module, entry, &bounded(seeded(module, entry, seed))).is_ok()).count()
}

#[test]
fn malicious_and_extreme_modules_terminate() {
    let mut count = 0;
    for item in corpus::bad_inputs() {
        count += all_entries(&read(&item.bytes()).module, 1);
    }
    println!("{count} entry points of bad modules were run");
    assert!(count > 0);
}

/// The interpreter must cope with modules that were not validated, as reduction produces them.
#[test]
fn damaged_modules_cause_no_panic() {
    let mut random = Random(7);
    let mut count = 0;
    for bytes in corpus::small_modules(700) {
        for _ in 0..6 {
            let mut damaged = bytes.clone();
            damage(&mut damaged, &mut random);
            count += all_entries(&read(&damaged).module, random.next());
        }
    }
    println!("{count} entry points of damaged modules were run");
    assert!(count > 50, "{count} entry points of damaged modules were run");
}
