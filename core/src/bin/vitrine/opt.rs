//! `vitrine opt`: a pipeline run, and the result written in the form that the file's extension says.

use super::input::{self, Program};
use super::show::Emit;
use super::target::{TargetArgs, spirv};
use super::{Common, Stop};
use std::path::{Path, PathBuf};
use vitrine_core::playground::{Session, SharedState};

/// Run a pipeline and write the result
#[derive(clap::Args)]
pub(crate) struct Opt {
    #[command(flatten)]
    common: Common,
    /// Where to write; the extension says what (`.spv`, `.spvasm`, `.ir`, `.dot`, `.svg`, `.html`, `.json`, or
    /// `.repro` for the input with its pipeline and what came out)
    #[arg(short, long)]
    output: PathBuf,
    /// Print a table of the steps: what came of each, why one was skipped, sizes and times
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    target: TargetArgs,
}

impl Opt {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let extension = self.output.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let emit = Emit::of_extension(extension);
        if emit.is_none() && !["spv", "repro"].contains(&extension) {
            let name = self.output.display();
            let sentence =
                format!("{name}: write to a .spv, .spvasm, .ir, .dot, .svg, .html, .json or .repro file");
            return Err(Stop::Misused(sentence));
        }
        let read = if self.stats { input::read_with_stats } else { input::read };
        let program = read(&self.common)?;
        match emit {
            Some(emit) => {
                let funcs = program.all_funcs();
                let text = emit.write(&program, &funcs, Default::default(), false, self.target)?;
                input::write(&self.output, text.as_bytes())?;
            }
            None if extension == "repro" => input::write(&self.output, repro(&program).as_bytes())?,
            None => {
                let words = spirv(&program, self.target)?;
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                input::write(&self.output, &bytes)?;
            }
        }
        program.verdict()
    }
}

/// The input with its pipeline and what came out, as the page saves it.
fn repro(program: &Program) -> String {
    let title = Path::new(&program.title).file_stem().map(|name| name.to_string_lossy().into_owned());
    let moment = SharedState {
        name: title.unwrap_or_default(),
        pipeline: program.pipeline.clone(),
        ..SharedState::default()
    };
    let mut session = Session::new();
    session.open(&program.input, &program.pipeline);
    session.repro(SharedState { input: program.input.clone(), ..moment }).text()
}
