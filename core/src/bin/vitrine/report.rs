//! `vitrine report`: compares programs as `compare` does, and writes a report of the first that differs.
//!
//! ```sh
//! vitrine report shader.spv --pipeline "ingest, O2" -o report.md
//! spirv-opt -O --print-all shader.spv -o out.spv 2>&1 | vitrine report --log - shader.spv --command "spirv-opt -O shader.spv"
//! ```
//!
//! With `--pipeline`, every step is compared, and the program is reduced while the same pass changes its results. Refuses
//! to write a report if nothing differs.

use super::compare::Given;
use super::{Stop, input};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use vitrine_core::back::{Source, all_funcs, named};
use vitrine_core::front::InputKind;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::check::Tolerance;
use vitrine_core::pipeline::compare::{Comparer, Settings as Comparing};
use vitrine_core::pipeline::reduce::{Condition, Fault, Reducer, Witnesses};
use vitrine_core::pipeline::report::{Context, Program, Reduced, markdown};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings, SpirvOptions, Stats, write, write_spirv};

/// Write a report of the first program that differs, for the tracker of its compiler
#[derive(clap::Args)]
pub(crate) struct Report {
    #[command(flatten)]
    given: Given,
    /// A command that made the programs, for the report; may be given several times
    #[arg(long = "command", value_name = "COMMAND")]
    commands: Vec<String>,
    /// The version of a tool, as `NAME=VERSION`; may be given several times
    #[arg(long = "tool", value_name = "NAME=VERSION")]
    tools: Vec<String>,
    /// A link that shows the finding
    #[arg(long, value_name = "LINK")]
    link: Option<String>,
    /// Leave the program as it is
    #[arg(long)]
    whole: bool,
    /// The file to write; by default standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let pipeline = match &self.given.pipeline[..] {
            [one] => Some(Pipeline::parse(one).map_err(|diag| Stop::Misused(diag.to_string()))?),
            [] => None,
            _ => return Err(Stop::Misused("a report is of one pipeline".to_owned())),
        };
        let mut comparer = match &pipeline {
            Some(pipeline) => self.steps(pipeline)?,
            None => self.given.comparer()?,
        };
        while comparer.step() {}
        let context = self.context(&comparer, pipeline.as_ref())?;
        let Some(text) = markdown(&comparer, &context) else {
            return Err(Stop::Misused("nothing differs: `vitrine compare` shows the verdicts".to_owned()));
        };
        match &self.output {
            Some(file) => input::write(file, text.as_bytes()),
            None => {
                input::print(&text);
                Ok(())
            }
        }
    }

    /// The versions after each step of a pipeline.
    fn steps(&self, pipeline: &Pipeline) -> Result<Comparer, Stop> {
        let program = self.given.program()?;
        let trace = pipeline.trace(&program.module, Settings::default());
        let mut modules = vec![(program.title.clone(), Ok(program.module.clone()))];
        for step in &trace.steps {
            let version = match &step.outcome {
                Outcome::Failed(diag) => Err(diag.to_string()),
                Outcome::Invalid(diags) => Err(diags.first().map(ToString::to_string).unwrap_or_default()),
                Outcome::Changed | Outcome::Unchanged => Ok(step.version.clone()),
            };
            modules.push((step.text(), version));
        }
        Ok(Comparer::of_modules(modules, InputKind::Ir, self.given.settings()))
    }

    fn context(&self, comparer: &Comparer, pipeline: Option<&Pipeline>) -> Result<Context, Stop> {
        let stages = comparer.stages();
        let name = stages.first().map(|first| first.name.clone()).unwrap_or_default();
        let Some(first) = stages.first().and_then(|first| first.module.as_ref()) else {
            return Err(Stop::Misused(format!("{name} cannot be read")));
        };
        let mut commands = self.commands.clone();
        if let Some(text) = self.given.pipeline.first() {
            commands.push(format!("vitrine check {name} --pipeline '{text}'"));
        }
        let mut environment = vec![("Vitrine".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
        for tool in &self.tools {
            let Some((name, version)) = tool.split_once('=') else {
                return Err(Stop::Misused(format!("--tool {tool}: write NAME=VERSION")));
            };
            environment.push((name.to_owned(), version.to_owned()));
        }
        // Functions are compared by generated entry points, which are no part of the program.
        let own = pipeline.map(|_| self.given.program()).transpose()?;
        let program = text_of(own.as_ref().map_or(first, |own| &own.module));
        let mut validity = vec!["The IR is valid.".to_owned()];
        validity.extend(spirv_val(first, "the input"));
        let faulty = comparer.finding().and_then(|finding| stages.get(finding.stage)?.module.as_ref());
        validity.extend(faulty.and_then(|module| spirv_val(module, "the version that differs")));
        let reduced = match (pipeline, self.whole || comparer.finding().is_none()) {
            (_, true) => None,
            (Some(pipeline), false) => Some(reduced(pipeline, first, &self.given.settings())),
            (None, false) => {
                Some(Err("`vitrine reduce --while command` reduces programs of other compilers".to_owned()))
            }
        };
        Ok(Context {
            input: name,
            commands,
            link: self.link.clone(),
            program,
            reduced,
            validity,
            environment,
        })
    }
}

/// The smallest program of which the same pass changes the results.
fn reduced(pipeline: &Pipeline, module: &Module, settings: &Comparing) -> Result<Reduced, String> {
    let witnesses =
        Witnesses::seeded(module, settings.seed, settings.trials, Tolerance { ulp: settings.ulp });
    let mut condition = Condition::of(pipeline, Fault::Differs, witnesses, module)
        .ok_or("no step of the pipeline changes the results of a trial")?;
    let mut reducer = Reducer::new(module.clone(), |module| condition.holds(module));
    reducer.run();
    let small = reducer.module().clone();
    let instructions = [module, &small].map(|module| Stats::of(module).insts as usize);
    Ok(Reduced { program: text_of(&small), instructions })
}

/// A program as SPIR-V text, or as IR text if SPIR-V cannot express it.
fn text_of(module: &Module) -> Program {
    let funcs = all_funcs(module);
    let written = |name: &str| {
        let done = write(&Source::new(module, &funcs), named(name).ok()?, false).ok()?;
        String::from_utf8(done.bytes).ok()
    };
    let program = |text, language: &str, tool: &str| Program {
        text,
        language: language.to_owned(),
        tool: tool.to_owned(),
    };
    match written("spvasm") {
        Some(text) => program(text, "SPIR-V text", "`spirv-as`"),
        None => program(written("ir").unwrap_or_default(), "IR text", "`vitrine`"),
    }
}

/// A sentence with the verdict of spirv-val on a module as SPIR-V; none if it is not installed or there is no SPIR-V.
fn spirv_val(module: &Module, which: &str) -> Option<String> {
    let words = write_spirv(module, SpirvOptions::default()).ok()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut command = Command::new("spirv-val");
    let mut child =
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let sent = child.stdin.take().map(|mut pipe| std::io::Write::write_all(&mut pipe, &bytes));
    let is_valid = child.wait().ok()?.success() && matches!(sent, Some(Ok(())));
    let verdict = if is_valid { "accepts" } else { "rejects" };
    Some(format!("`spirv-val` {verdict} {which}."))
}
