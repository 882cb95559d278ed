//! A set of blocks, edges or values of a program, by the predicate that computes it: `frontier(^3)`.
//!
//! Figures of lessons mark the entities of a fact. The predicates are those of checks, so that a figure and the task below it
//! never disagree.
//!
//! Refuses predicates that are not sets, and facts that are undefined for the program.

use super::behavior;
use super::check::Check;
use super::predicates::PredicateKind;
use super::sets;
use super::verdict::subject_of;

/// The entities of a fact about the first function of a program, sorted. Errors: a sentence.
pub fn fact(program: &[u8], text: &str) -> Result<Vec<String>, String> {
    // A set is only complete as a check if it is compared.
    let check = Check::parse(&format!("{text} = none"))?;
    match check.predicate.kind {
        PredicateKind::Set(_) if check.after.is_none() => {}
        _ => return Err(format!("`{text}` is not a set of blocks, edges or values")),
    }
    sets::set(&mut subject_of(program)?, check.predicate.name, &check.args)
}

/// Runs the first function of a program on chosen inputs, such as `n = 3; x = 0.5`; the others have generated values. Returns the
/// outputs of the first invocation. Errors: a sentence.
pub fn ran(program: &[u8], inputs: &str) -> Result<String, String> {
    behavior::outputs(&subject_of(program)?, inputs)
}
