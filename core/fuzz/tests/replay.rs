//! Every input of the corpora of the fuzz targets is read without a panic: those that were found, and those that reach code.

use std::path::Path;
use vitrine_fuzz::TARGETS;

/// The stack of a browser's worker.
const STACK: usize = 1 << 20;

#[test]
fn inputs_of_all_targets_are_read() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in TARGETS {
        let files = std::fs::read_dir(corpora.join(target.name)).into_iter().flatten().flatten();
        let mut files: Vec<_> = files.map(|entry| entry.path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{}: there are no inputs", target.name);
        for file in files {
            let bytes = std::fs::read(&file).expect("the input can be read");
            let shown = file.display().to_string();
            let thread = std::thread::Builder::new().stack_size(STACK).name(shown.clone());
            let run = target.run;
            let ended = thread.spawn(move || run(&bytes)).expect("a thread starts").join();
            assert!(ended.is_ok(), "{shown}");
        }
    }
}
