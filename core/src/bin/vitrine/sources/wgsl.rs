//! WGSL and GLSL to SPIR-V by `vitrine_sources`, with the lines of the source.
//!
//! In a thread with a large stack, because the front end is recursive over expressions; a panic of it is an error.

use vitrine_core::front::source::Problem;
use vitrine_sources::Translated;

/// Stack of the thread that translates, in bytes.
const STACK_BYTES: usize = 256 << 20;

/// The SPIR-V binary of a source in WGSL; `options` has a `KEY=VALUE` on each line. Errors: those of the options, of parsing and
/// of validation, with their places.
pub(super) fn translate(
    text: &str,
    file: &str,
    options: &str,
    note: &dyn Fn(&str),
) -> Result<Vec<u8>, Vec<Problem>> {
    let options = vitrine_sources::Options::read(options).map_err(|of| vec![problem(of)])?;
    let (text, file) = (text.to_owned(), file.to_owned());
    let done = on_large_stack(move || vitrine_sources::translate(&text, &file, &options))?;
    done.notes.iter().for_each(|of| note(of));
    Ok(bytes(&done))
}

/// The SPIR-V binary of a prepared source in GLSL. Errors: those of parsing and of validation, with their lines.
pub(super) fn translate_glsl(text: &str, stage: &str) -> Result<Vec<u8>, Vec<Problem>> {
    let (given, stage) = (text.to_owned(), stage.to_owned());
    let done = on_large_stack(move || vitrine_sources::translate_glsl(&given, &stage));
    done.map(|done| bytes(&done)).map_err(|mut problems| {
        for problem in &mut problems {
            if let Some(range) = problem.range.take() {
                problem.line = 1 + text.get(..range.start).unwrap_or(text).matches('\n').count();
            }
        }
        problems
    })
}

/// Runs a front end of naga.
fn on_large_stack(
    translate: impl FnOnce() -> Result<Translated, Vec<vitrine_sources::Problem>> + Send + 'static,
) -> Result<Translated, Vec<Problem>> {
    let failed = |why: &str| vec![Problem::new(format!("naga, which reads this language, {why}"))];
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(translate);
    let thread = thread.map_err(|error| failed(&format!("could not be started: {error}")))?;
    thread
        .join()
        .map_err(|_| failed("failed on this source; please report it to its authors"))?
        .map_err(|problems| problems.into_iter().map(problem).collect())
}

fn bytes(done: &Translated) -> Vec<u8> {
    done.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn problem(vitrine_sources::Problem { says, help, range }: vitrine_sources::Problem) -> Problem {
    Problem { help, range, ..Problem::new(says) }
}
