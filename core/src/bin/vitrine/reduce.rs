//! `vitrine reduce`: the smallest program for which a condition holds, for the same reason.
//!
//! The best result is written to the output file within a second, so Ctrl-C loses little. The command that
//! shows the failure again is printed too.
//!
//! Refuses to start if the condition does not hold for the given program.

use super::check::With;
use super::input::{self, Program};
use super::{Common, Stop};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use vitrine_core::back::{Source, all_funcs, of_extension};
use vitrine_core::ir::{Diag, Module};
use vitrine_core::lab::reduce::{Condition, Fault, Reducer, Witnesses};
use vitrine_core::pipeline::{self, Pipeline, Settings};

/// Reduce a program while a condition holds
#[derive(clap::Args)]
pub(crate) struct Reduce {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    with: With,
    /// The condition that must hold
    #[arg(long = "while", value_name = "CONDITION", value_enum, default_value = "differs")]
    condition: Property,
    /// With `--while command`: holds if it exits with 0. Words separated by spaces; `{}` is replaced by the
    /// file of the program, which is the last argument if there is no `{}`
    #[arg(long, value_name = "COMMAND", required_if_eq("condition", "command"))]
    command: Option<String>,
    /// The form of the program that the command reads
    #[arg(long, value_enum, default_value = "spv")]
    form: Form,
    /// The file to write; its extension selects the form (`.ir`, `.spv` or `.spvasm`)
    #[arg(short, long)]
    output: PathBuf,
}

/// A property that must hold.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Property {
    /// The same pass of the pipeline is the first that changes the results of the program
    Differs,
    /// The same pass leaves an invalid program, with the same diagnostic
    Invalid,
    /// The same pass fails, with the same diagnostic
    Fails,
    /// The pipeline panics, at the same place or with the same message
    Panics,
    /// The command exits with 0
    Command,
}

/// A form of a program that can be read again.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Text of the IR
    Ir,
    /// A SPIR-V binary
    Spv,
    /// SPIR-V text
    Spvasm,
}

/// The interval between writes of the best result.
const EVERY: Duration = Duration::from_secs(1);

impl Reduce {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let Some(form) = Form::of(&self.output) else {
            let name = self.output.display();
            return Err(Stop::Misused(format!("{name}: use the extension .ir, .spv or .spvasm")));
        };
        let program = input::read_steps(&self.common, Some(0))?;
        program.verdict()?;
        let pipeline = Pipeline::parse(&program.pipeline).map_err(|diag| Stop::Misused(diag.to_string()))?;
        if pipeline.is_empty() && self.condition != Property::Command {
            return Err(Stop::Misused("there is nothing to run: use --pipeline".to_owned()));
        }
        std::panic::set_hook(Box::new(heard));
        let mut truth = self.truth(&program, &pipeline)?;
        input::complain(&format!("{}: {}\n", program.title, truth.description()));
        let mut wrong_use = None;
        let mut reducer = Reducer::new(program.module.clone(), |module| match truth.holds(module) {
            Ok(holds) => holds,
            Err(sentence) => {
                wrong_use = Some(sentence);
                false
            }
        });
        self.watched(&mut reducer, form)?;
        let (reduced, progress) = (reducer.module().clone(), reducer.progress());
        drop(reducer);
        if let Some(sentence) = wrong_use {
            return Err(Stop::Misused(sentence));
        }
        write(&self.output, form, &reduced)?;
        let size = format!("{} of {} instructions", progress.to, progress.from);
        input::complain(&format!("{}: {size}, {} programs tried\n", self.output.display(), progress.tried));
        input::complain(&format!("{}\n", self.again(&program, &truth)));
        self.is_true_of_what_was_written(&mut truth, form)
    }

    /// Finds the property of the program that must be preserved.
    fn truth(&self, program: &Program, pipeline: &Pipeline) -> Result<Truth, Stop> {
        let module = &program.module;
        let is_not =
            |what: &str| Stop::Misused(format!("the condition does not hold for the given program: {what}"));
        let of_pipeline = |fault: Fault, what: &str| {
            let witnesses = self.witnesses(module, fault)?;
            let found = quietly(|| Condition::of(pipeline, fault, witnesses, module));
            let found = found.map_err(|panic| is_not(&format!("it panics: {panic}")))?;
            Ok(Truth::Wrong(found.ok_or_else(|| is_not(what))?))
        };
        match self.condition {
            Property::Differs => of_pipeline(Fault::Differs, "no trial shows a difference"),
            Property::Invalid => of_pipeline(Fault::Invalid, "no pass leaves an invalid program"),
            Property::Fails => of_pipeline(Fault::Fails, "no pass fails"),
            Property::Panics => match quietly(|| pipeline.run_with(module, Settings::default())) {
                Ok(_) => Err(is_not("nothing panics")),
                Err(panic) => Ok(Truth::Panics(pipeline.clone(), panic)),
            },
            Property::Command => {
                let words = self.command.as_deref().unwrap_or("").split_whitespace();
                let mut accepted = Accepted { words: words.map(str::to_owned).collect(), form: self.form };
                match accepted.holds(module) {
                    Ok(true) => Ok(Truth::Accepted(accepted)),
                    Ok(false) => Err(is_not("the command does not exit with 0")),
                    Err(sentence) => Err(Stop::Misused(sentence)),
                }
            }
        }
    }

    fn witnesses(&self, module: &Module, fault: Fault) -> Result<Witnesses, Stop> {
        if fault != Fault::Differs {
            return Ok(Witnesses::seeded(module, 0, 0, self.with.tolerance()));
        }
        let trials = self.with.trials(module)?;
        if self.with.case.is_some() {
            return Ok(Witnesses::given(module, trials, self.with.tolerance()));
        }
        let all = Witnesses::seeded(module, self.with.seed, self.with.runs, self.with.tolerance());
        let first = trials.first().and_then(|trial| module.entries.get(trial.entry));
        Ok(match (&self.with.entry, first) {
            (Some(_), Some(entry)) => all.only(entry.func),
            (Some(_), None) | (None, _) => all,
        })
    }

    /// Runs to the end, reports progress, and writes the best result.
    fn watched(&self, reducer: &mut Reducer<'_>, form: Form) -> Result<(), Stop> {
        let (mut kept, mut written) = (0, Instant::now());
        while reducer.step() {
            let progress = reducer.progress();
            if progress.kept > kept && written.elapsed() >= EVERY {
                (kept, written) = (progress.kept, Instant::now());
                let size = format!("{} of {} instructions", progress.to, progress.from);
                input::complain(&format!("{size}, {} programs tried\n", progress.tried));
                // A failed write is retried later.
                drop(write(&self.output, form, reducer.module()));
            }
        }
        Ok(())
    }

    /// The command that shows the failure again.
    fn again(&self, program: &Program, truth: &Truth) -> String {
        let (file, pipeline) = (self.output.display(), &program.pipeline);
        match truth {
            Truth::Wrong(condition) => {
                let mut with = match (&self.with.case, condition.witnesses.seed()) {
                    (Some(case), _) if self.with.all_pixels => {
                        format!(" --case {} --all-pixels", case.display())
                    }
                    (Some(case), _) => format!(" --case {}", case.display()),
                    (None, Some(seed)) => format!(" --seed {seed} --runs 1"),
                    (None, None) => String::new(),
                };
                if let Some(entry) = &self.with.entry {
                    with.push_str(&format!(" --entry '{entry}'"));
                }
                if self.with.ulp > 0 {
                    with.push_str(&format!(" --ulp {}", self.with.ulp));
                }
                format!("reproduce with: vitrine check {file} --pipeline '{pipeline}'{with}")
            }
            Truth::Panics(..) => format!("reproduce with: vitrine show {file} --pipeline '{pipeline}'"),
            Truth::Accepted(accepted) if Form::of(&self.output) == Some(accepted.form) => {
                format!("reproduce with: {}", accepted.command(&file.to_string()).join(" "))
            }
            Truth::Accepted(accepted) => {
                let written = self.output.with_extension(accepted.form.extension()).display().to_string();
                let command = accepted.command(&written).join(" ");
                format!("reproduce with: vitrine opt {file} -o {written} && {command}")
            }
        }
    }

    /// Checks that the written file has the property: SPIR-V may express a construct differently, which may
    /// hide a bug.
    fn is_true_of_what_was_written(&self, truth: &mut Truth, form: Form) -> Result<(), Stop> {
        let common = Common {
            file: self.output.clone(),
            pipeline: None,
            zero_products: false,
            teaching: false,
            sources: Default::default(),
        };
        let read = input::read(&common)?;
        match truth.holds(&read.module) {
            Ok(true) => Ok(()),
            Ok(false) if form == Form::Ir => {
                Err(Stop::Misused("the condition does not hold for the written file".to_owned()))
            }
            Ok(false) => {
                input::complain(
                    "the condition does not hold after conversion to SPIR-V: use the extension .ir\n",
                );
                Err(Stop::Diagnosed)
            }
            Err(sentence) => Err(Stop::Misused(sentence)),
        }
    }
}

/// A property of a program.
enum Truth {
    Wrong(Condition),
    Panics(Pipeline, Panic),
    Accepted(Accepted),
}

impl Truth {
    fn description(&self) -> String {
        match self {
            Truth::Wrong(condition) => condition.reason.to_string(),
            Truth::Panics(_, panic) => panic.to_string(),
            Truth::Accepted(_) => "the command exits with 0".to_owned(),
        }
    }

    /// Returns true if the property holds for this program. A panic only counts for the condition `panics`.
    fn holds(&mut self, module: &Module) -> Result<bool, String> {
        match self {
            Truth::Wrong(condition) => Ok(quietly(|| condition.holds(module)).unwrap_or(false)),
            Truth::Panics(pipeline, known) => {
                let seen = quietly(|| pipeline.run_with(module, Settings::default())).err();
                Ok(seen.is_some_and(|seen| seen.message == known.message || seen.place == known.place))
            }
            Truth::Accepted(accepted) => accepted.holds(module),
        }
    }
}

/// A command that exits with 0.
struct Accepted {
    words: Vec<String>,
    form: Form,
}

impl Accepted {
    /// The words of the command for a file.
    fn command(&self, file: &str) -> Vec<String> {
        let mut words: Vec<String> = self.words.iter().map(|word| word.replace("{}", file)).collect();
        if words == self.words {
            words.push(file.to_owned());
        }
        words
    }

    /// Returns true if the command exits with 0 on the program, written to a temporary file. Errors: it
    /// cannot be run.
    fn holds(&mut self, module: &Module) -> Result<bool, String> {
        let Ok(bytes) = self.form.written(module) else { return Ok(false) };
        let name = format!("vitrine-reduce-{}.{}", std::process::id(), self.form.extension());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
        let words = self.command(&file.display().to_string());
        let Some((program, rest)) = words.split_first() else { return Ok(false) };
        let output = Command::new(program).args(rest).output();
        // The file is small, and overwritten by the next run.
        drop(std::fs::remove_file(&file));
        output.map(|output| output.status.success()).map_err(|error| format!("{program}: {error}"))
    }
}

impl Form {
    fn of(file: &Path) -> Option<Form> {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("ir") => Some(Form::Ir),
            Some("spv") => Some(Form::Spv),
            Some("spvasm") => Some(Form::Spvasm),
            Some(_) | None => None,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Form::Ir => "ir",
            Form::Spv => "spv",
            Form::Spvasm => "spvasm",
        }
    }

    fn written(self, module: &Module) -> Result<Vec<u8>, String> {
        let funcs = all_funcs(module);
        let backend = of_extension(self.extension()).ok_or("this form has no back end")?;
        let written = pipeline::write(&Source::new(module, &funcs), backend, false);
        let message = |diags: Vec<Diag>| diags.first().map(Diag::to_string).unwrap_or_default();
        written.map(|written| written.bytes).map_err(message)
    }
}

/// Writes to a temporary file and renames it, so that the file is complete whenever the command is
/// interrupted.
fn write(output: &Path, form: Form, module: &Module) -> Result<(), Stop> {
    let bytes = form.written(module).map_err(|sentence| {
        input::complain(&format!("{}: {sentence}\n", output.display()));
        Stop::Diagnosed
    })?;
    let beside = output.with_extension(format!("{}.part", form.extension()));
    input::write(&beside, &bytes)?;
    std::fs::rename(&beside, output).map_err(|error| Stop::Misused(format!("{}: {error}", output.display())))
}

/// A caught panic.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Panic {
    message: String,
    place: String,
}

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it panics at {}: {}", self.place, self.message)
    }
}

thread_local! {
    /// The state of panic capture on this thread, and the captured panic.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static HEARD: RefCell<Panic> = RefCell::default();
}

/// Records a panic; an uncaught one is printed.
fn heard(info: &PanicHookInfo<'_>) {
    let panic = Panic {
        message: info.payload_as_str().unwrap_or("").to_owned(),
        place: info.location().map(ToString::to_string).unwrap_or_default(),
    };
    match QUIET.get() {
        true => HEARD.set(panic),
        false => input::complain(&format!("vitrine: {panic}\n")),
    }
}

/// Runs something that may panic, without printing the panic.
fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, Panic> {
    QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    done.map_err(|_| HEARD.take())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_place() {
        std::panic::set_hook(Box::new(heard));
        let caught = quietly(|| panic!("over {}", "there"));
        let panic = caught.map_or_else(|panic| panic, |()| Panic::default());
        assert_eq!(panic.message, "over there");
        assert!(panic.place.contains("reduce.rs:"), "{panic}");
        assert_eq!(quietly(|| 7).ok(), Some(7));
        drop(std::panic::take_hook());
    }

    #[test]
    fn forms_are_selected_by_extensions() {
        assert!(
            Form::of(Path::new("a/b.ir")) == Some(Form::Ir)
                && Form::of(Path::new("b.spv")) == Some(Form::Spv)
        );
        assert!(Form::of(Path::new("b.html")).is_none() && Form::of(Path::new("b")).is_none());
    }
}
