//! The subject of a report: programs with their names, and what is compared of them.

use crate::lab::compare::{Dump, Settings as Comparing, dumps_of, is_program};
use crate::share::SharedState;
use crate::view_model::DEFAULT_PIPELINE;
use crate::view_model::debugger::RUNS;
use vitrine_protocol::GpuResult;

/// The first seed and the number of inputs of a check, unless others were chosen.
pub(super) const DEFAULT_INPUTS: [u32; 2] = [1, 32];
/// The name of a program whose name was removed.
pub(super) const NO_NAME: &str = "shader";

/// A source, from which a program was compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Its text.
    pub text: Vec<u8>,
    /// Its options, one `KEY=VALUE` on each line.
    pub options: String,
}

/// The programs that a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// A program, and the steps of a pipeline.
    Steps {
        /// The program, of any kind.
        input: Vec<u8>,
        /// The pipeline.
        pipeline: String,
        /// The source that the program was compiled from, if it was: links have it, so that the page shows it.
        source: Option<SourceText>,
    },
    /// Programs of any compiler, the original first.
    Several {
        /// The programs.
        dumps: Vec<Dump>,
        /// True if their names are those of passes, not of files: they are kept in an anonymous report.
        are_passes: bool,
    },
}

impl Programs {
    /// The programs of a link or a reproduction. Errors: the reason why its input cannot be taken apart.
    pub fn of(state: &SharedState) -> Result<Programs, String> {
        let Some(dumps) = dumps_of(&state.input) else {
            let pipeline = match state.pipeline.is_empty() {
                true => DEFAULT_PIPELINE.to_owned(),
                false => state.pipeline.clone(),
            };
            let source = SourceText { text: Vec::new(), options: state.source_options.clone() };
            let source = Some(source).filter(|of| !of.options.is_empty());
            return Ok(Programs::Steps { input: state.input.clone(), pipeline, source });
        };
        let dumps = dumps?;
        let are_passes = !dumps.iter().skip(1).any(|dump| is_program(&dump.name));
        Ok(Programs::Several { dumps, are_passes })
    }
}

/// The subject of a report, and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name of the program.
    pub name: String,
    /// The programs.
    pub programs: Programs,
    /// The options of the comparison.
    pub settings: Comparing,
    /// True if names, strings and debug information are removed first.
    pub is_anonymous: bool,
    /// True if the program is not reduced.
    pub is_whole: bool,
    /// The address of the page; without it the report has no link.
    pub address: String,
    /// Commands that made the programs.
    pub commands: Vec<String>,
    /// Names and versions of tools.
    pub environment: Vec<(String, String)>,
    /// The result of a GPU that ran one of the versions, in the page.
    pub gpu: Option<GpuResult>,
}

impl Request {
    /// The report of a link of the page: its programs, and the inputs of its checks.
    pub fn of_link(link: &str, address: &str) -> Result<Request, String> {
        let (state, problem) = SharedState::read(link);
        if let Some(problem) = problem {
            return Err(problem.to_owned());
        }
        let programs = Programs::of(&state)?;
        let [seed, trials] = inputs_of(&state).unwrap_or(DEFAULT_INPUTS);
        Ok(Request {
            name: if state.name.is_empty() { NO_NAME.to_owned() } else { state.name },
            programs,
            settings: Comparing { seed: seed.into(), trials, ..Comparing::default() },
            is_anonymous: false,
            is_whole: false,
            address: address.to_owned(),
            commands: Vec::new(),
            environment: Vec::new(),
            gpu: None,
        })
    }
}

impl Request {
    /// Replaces the text of a source by the program that a front end compiled from it; a comparison stays as it is.
    pub fn compile(&mut self, words: Vec<u8>) {
        if let Programs::Steps { input, source, .. } = &mut self.programs {
            let text = std::mem::replace(input, words);
            source.get_or_insert_default().text = text;
        }
    }
}

/// The first seed and the number of inputs of the checks of a link or a reproduction, if it has them. The number is limited
/// like that of a check: links may be hostile.
pub fn inputs_of(state: &SharedState) -> Option<[u32; 2]> {
    let [least, most] = RUNS;
    state.trials.map(|[seed, trials]| [seed, trials.clamp(least, most)])
}
