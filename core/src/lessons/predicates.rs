//! The predicates of the judge as a table in Markdown, for the guide of teachers. A test compares it with the guide.

use crate::judge::{PREDICATES, PredicateKind};

/// A row for each predicate: an example of its form, and its documentation.
pub fn predicate_table() -> String {
    let mut out = "| Predicate | Compared with | Meaning |\n|---|---|---|\n".to_owned();
    for predicate in PREDICATES {
        let compared = match predicate.kind {
            PredicateKind::Truth => "nothing, or `not`",
            PredicateKind::Number => "a number",
            PredicateKind::Set(of) => of.name(),
            PredicateKind::Word => "a word",
            PredicateKind::Order => "`answer` only",
            PredicateKind::Behavior => "nothing",
        };
        out.push_str(&format!("| `{}` | {compared} | {} |\n", predicate.form(), predicate.doc));
    }
    out
}
