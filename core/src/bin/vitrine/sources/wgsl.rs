//! WGSL to SPIR-V by `vitrine_sources`, with the lines of the source.
//!
//! In a thread with a large stack, because the front end is recursive over expressions; a panic of it is an error.

use super::problems::Problem;

/// Stack of the thread that translates, in bytes.
const STACK_BYTES: usize = 256 << 20;

/// The SPIR-V binary of a source. Errors: those of parsing and of validation, with their places.
pub(super) fn translate(text: &str, file: &str) -> Result<Vec<u8>, Vec<Problem>> {
    let (text, file) = (text.to_owned(), file.to_owned());
    let failed = |why: &str| vec![Problem::new(format!("naga, which reads WGSL, {why}"))];
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || vitrine_sources::translate(&text, &file));
    let thread = thread.map_err(|error| failed(&format!("could not be started: {error}")))?;
    let words = thread
        .join()
        .map_err(|_| failed("failed on this source; please report it to its authors"))?
        .map_err(|problems| problems.into_iter().map(problem).collect::<Vec<_>>())?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn problem(vitrine_sources::Problem { says, help, range }: vitrine_sources::Problem) -> Problem {
    Problem { help, range, ..Problem::new(says) }
}
