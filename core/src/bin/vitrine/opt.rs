//! `vitrine opt`: runs a pipeline and writes the result in the form of the file's extension.

use super::emit::{Emit, How, TargetArgs};
use super::input::{self, Program};
use super::{Common, Stop};
use std::path::{Path, PathBuf};
use vitrine_core::share::SharedState;
use vitrine_core::view_model::Session;

/// The extension of reproductions.
const REPRO: &str = "repro";

/// Run a pipeline and write the result
#[derive(clap::Args)]
pub(crate) struct Opt {
    #[command(flatten)]
    common: Common,
    /// The file to write; its extension is that of a form (`.spv`, `.spvasm`, `.ir`, `.html`, …), or `.repro`
    /// for the input with its pipeline and digests of the results
    #[arg(short, long)]
    output: PathBuf,
    /// The form to write in, if it is not that of the extension
    #[arg(long, value_parser = Emit::parser())]
    emit: Option<Emit>,
    /// Print a table of the steps: the outcome of each, the reason if it was skipped, sizes and times
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    target: TargetArgs,
}

impl Opt {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let extension = self.output.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let emit = self.emit.or_else(|| Emit::of_extension(extension));
        if emit.is_none() && extension != REPRO {
            let name = self.output.display();
            let known = Emit::extensions().join(", ");
            return Err(Stop::Misused(format!("{name}: use the extension {known} or .{REPRO}")));
        }
        let read = if self.stats { input::read_with_stats } else { input::read };
        let program = read(&self.common)?;
        let bytes = match emit {
            Some(emit) => {
                let how = How { target: self.target, ..How::default() };
                emit.write(&program, &program.all_funcs(), how)?
            }
            None => repro(&program).into_bytes(),
        };
        input::write(&self.output, &bytes)?;
        program.verdict()
    }
}

/// The input with its pipeline and digests of the results, as the page saves it.
fn repro(program: &Program) -> String {
    let title = Path::new(&program.title).file_stem().map(|name| name.to_string_lossy().into_owned());
    let state = SharedState {
        name: title.unwrap_or_default(),
        pipeline: program.pipeline.clone(),
        ..SharedState::default()
    };
    let mut session = Session::new();
    session.open(&program.input, &program.pipeline);
    session.repro(SharedState { input: program.input.clone(), ..state }).text()
}
