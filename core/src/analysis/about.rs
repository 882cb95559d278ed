//! What analyses there are, for those who look them up: a name, a sentence, and what the file opens with.
//!
//! Computes nothing. Whoever adds an analysis adds its row here; a test says so.

use crate::base::opening::opening;

/// An analysis, as people read of it.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisInfo {
    /// Its name: that of its file.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// All there is to say: what its file opens with, with an example. Markdown.
    pub about: fn() -> &'static str,
}

macro_rules! rows {
    ($($name:literal $file:literal $doc:literal;)*) => {
        /// Every analysis, by name.
        pub const ANALYSES: &[AnalysisInfo] =
            &[$(AnalysisInfo { name: $name, doc: $doc, about: opening!($file) }),*];
    };
}

rows! {
    "alias" "alias.rs" "Whether two paths lead to the same memory.";
    "cfg" "cfg.rs" "Which block leads where, in either shape.";
    "cost" "cost.rs" "What blocks and functions cost to run, roughly.";
    "divergence" "divergence.rs" "Which values are the same in all lanes that run together.";
    "dom" "dom.rs" "Which blocks every way to a block passes.";
    "frontier" "frontier.rs" "Where the reach of a block's dominance ends.";
    "induction" "induction.rs" "What loops count with, and how often they go round.";
    "info" "info.rs" "What functions, stages and modules are made of.";
    "live" "live.rs" "Which values are still read later, and how many bits that is.";
    "loops" "loops.rs" "Which blocks are loops, and which loops are in which.";
    "postdom" "postdom.rs" "Which blocks every way from a block passes.";
    "range" "range/mod.rs" "What each value may be: bits, intervals, floats.";
    "types" "types.rs" "What the bits of each value most likely mean.";
    "usage" "usage/mod.rs" "What is done with the bytes of memory behind untyped pointers.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_analysis_is_told_with_an_example() {
        for info in ANALYSES {
            assert!(info.doc.ends_with('.') && (info.about)().contains("```text"), "{}", info.name);
        }
        assert!(ANALYSES.is_sorted_by_key(|info| info.name));
        // What implements `Analysis` has a row: an analysis is a file, or a folder, of that name.
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/analysis");
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if text.contains("\nimpl Analysis for ") {
                found.push(path.file_stem().unwrap().to_string_lossy().into_owned());
            }
        }
        found.sort();
        assert_eq!(found, ANALYSES.iter().map(|info| info.name).collect::<Vec<_>>());
    }
}
