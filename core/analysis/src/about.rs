//! The list of analyses for the catalog: name, summary and module documentation.
//!
//! Computes nothing. A new analysis needs an entry here; a test checks that.

use vitrine_ir::base::opening::opening;

/// An analysis as shown in the catalog.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisInfo {
    /// The name, which is that of its file.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// The documentation at the start of its file, with an example. Markdown.
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
    "alias" "alias.rs" "Alias analysis: decides if two paths can refer to the same memory.";
    "cfg" "cfg.rs" "The control-flow graph of a function of either shape.";
    "cost" "cost.rs" "Estimates the execution cost of blocks and functions.";
    "divergence" "divergence.rs" "Divergence analysis: finds values that are uniform across a subgroup.";
    "dom" "dom.rs" "Dominator tree: A dominates B if every path from the entry to B passes through A.";
    "frontier" "frontier.rs" "Dominance frontiers.";
    "induction" "induction.rs" "Induction variables and trip counts of loops.";
    "info" "info.rs" "Statistics of functions, stages and modules.";
    "live" "live.rs" "Liveness of values, and register pressure in bits.";
    "loops" "loops.rs" "Loop nesting forest.";
    "postdom" "postdom.rs" "Post-dominator tree: A post-dominates B if every path from B to the end contains A.";
    "range" "range/mod.rs" "Range analysis: known bits, integer intervals and float properties of values.";
    "types" "types.rs" "Infers the most likely type of each value.";
    "usage" "usage/mod.rs" "Byte ranges of memory that are accessed through untyped pointers.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_analysis_is_documented_with_an_example() {
        for info in ANALYSES {
            assert!(info.doc.ends_with('.') && (info.about)().contains("```text"), "{}", info.name);
        }
        assert!(ANALYSES.is_sorted_by_key(|info| info.name));
        // Every implementation of `Analysis` has an entry: an analysis is a file, or a folder, of that name.
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
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
