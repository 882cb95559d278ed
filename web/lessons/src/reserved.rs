//! Ids of the page's own elements, which style sheets and scripts know: a block of a lesson with such an id would look and act
//! like that element.

/// The ids, sorted. A test compares them with the style sheets.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "about", "action", "assignments", "badge", "card", "check", "check-close", "check-proof", "check-summary",
    "check-verdict", "checked", "closed", "columns", "columns-bar", "columns-body", "columns-head",
    "columns-pick", "columns-rows", "columns-sheet", "columns-steps", "commands", "copy",
    "copy-lesson", "counts", "debugger", "debugger-assign", "debugger-head-table", "debugger-memory",
    "debugger-outputs", "debugger-pictures", "debugger-pixel", "debugger-position", "debugger-reports",
    "debugger-result", "debugger-run", "debugger-sheet", "debugger-source", "debugger-stepping",
    "debugger-steps", "debugger-stops", "debugger-summary", "debugger-table", "debugger-target",
    "debugger-values", "debugger-view", "debugger-view-label", "difference", "drop", "editor", "embed-open",
    "empty", "find", "find-bar", "find-count", "forms", "found", "found-change", "found-probes",
    "found-summary", "functions", "gallery", "gpu", "gpu-status", "graph-empty", "graph-tools", "graph-why",
    "gutter", "help", "input", "inspect", "inspect-close", "inspect-lines", "inspect-toggle", "keys",
    "keys-panes", "labels", "language", "legend", "legend-open", "lesson", "lesson-files", "line-steps", "live",
    "loading", "map", "map-view", "marks", "memory", "memory-bar", "memory-legend", "memory-variable", "more",
    "name", "notice", "open", "opening-status", "other-lesson", "outline", "output", "overlay",
    "overlay-legend", "overview", "palette", "pane-graph", "pane-input", "pane-output", "pane-problems",
    "paper", "passes", "passes-about", "passes-find", "passes-found", "passes-list", "pipeline",
    "pipeline-problem", "problems", "reasons", "recent", "recent-empty", "recent-here", "recent-list",
    "refusals", "release", "reports", "rows", "run", "scene", "search", "several", "sheet",
    "source-lines", "source-options", "source-place", "source-variables", "split-1", "split-2", "split-3",
    "status", "step", "steps", "stop-marks", "stop-why", "tabs", "text-find", "text-find-bar",
    "text-find-count", "text-find-open", "theme", "timeline", "why", "zoom",
];

/// Returns true if an element of the page has this id.
pub(crate) fn is_reserved(id: &str) -> bool {
    RESERVED.binary_search(&id).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The ids in the selectors of a style sheet.
    fn selected(sheet: &str) -> Vec<String> {
        let mut rest = sheet.to_owned();
        while let Some(start) = rest.find("/*") {
            let end = rest[start..].find("*/").expect("a comment ends") + start + 2;
            rest.replace_range(start..end, "");
        }
        // The text before a brace is a selector, except for declarations before the next rule.
        let selectors = rest.split('{').filter_map(|part| part.rsplit(['}', ';']).next());
        let names = selectors.flat_map(|selector| {
            selector.split('#').skip(1).map(|after| {
                after.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or("")
            })
        });
        names.map(str::to_owned).collect()
    }

    #[test]
    fn every_id_of_a_style_sheet_is_reserved() {
        assert!(RESERVED.is_sorted());
        let www = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
        let mut ids = BTreeSet::new();
        for folder in [www.clone(), www.join("style")] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "css") {
                    ids.extend(selected(&fs::read_to_string(path).unwrap()));
                }
            }
        }
        assert!(ids.len() > 100, "the style sheets were not found");
        let missing: Vec<&String> = ids.iter().filter(|id| !is_reserved(id)).collect();
        assert!(missing.is_empty(), "missing in RESERVED: {missing:?}");
    }

    #[test]
    fn only_selectors_count() {
        assert_eq!(
            selected("/* #no */ a #b { color: #fff; } @media (x) { #c-d:is(#e) {} }"),
            ["b", "c-d", "e"]
        );
    }
}
