//! `vitrine report`: compares programs as `compare` does, and writes a report of the first that differs.
//!
//! ```sh
//! vitrine report shader.spv --pipeline "ingest, O2" -o report.md --zip report.zip --amber finding.amber
//! spirv-opt -O --print-all shader.spv -o out.spv 2>&1 | vitrine report --log - shader.spv --command "spirv-opt -O shader.spv"
//! vitrine report shader.spv --pipeline "ingest, O2" --anonymize --tracker SPIRV-Tools -o report.md
//! ```
//!
//! With `--pipeline`, or for a link or reproduction of one, every step is compared, and the program is reduced while the same pass changes its results. Refuses
//! to write a report if nothing differs, and an Amber script if it cannot express the finding. Sends nothing: `--tracker`
//! prints the address of an issue form.

use super::compare::Given;
use super::{Stop, input};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use vitrine_core::ir::Module;
use vitrine_core::report::binary_of;
use vitrine_core::share::SharedState;
use vitrine_core::view_model::report::{Programs, Report as Made, Request, inputs_of, report};

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
    /// The address of the page, for a link to the finding in this release
    #[arg(long, value_name = "ADDRESS", default_value = "")]
    site: String,
    /// Remove names, strings and debug information first; the report has the result only
    #[arg(long)]
    anonymize: bool,
    /// Leave the program as it is
    #[arg(long)]
    whole: bool,
    /// Print the title and the address of the issue form of this tracker, such as `SPIRV-Tools`; may be given several times
    #[arg(long = "tracker", value_name = "NAME")]
    trackers: Vec<String>,
    /// Also write an archive: the report, the programs, the inputs, a reproduction
    #[arg(long, value_name = "FILE")]
    zip: Option<PathBuf>,
    /// Also write an Amber script that runs the finding on a device
    #[arg(long, value_name = "FILE")]
    amber: Option<PathBuf>,
    /// The file to write; by default standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let made = report(&self.request()?, &mut spirv_val).map_err(Stop::Misused)?;
        let forms = self.forms(&made)?;
        if let Some(file) = &self.amber {
            let script = made.amber.as_ref().map_err(|why| Stop::Misused(format!("--amber: {why}")))?;
            input::write(file, script.as_bytes())?;
        }
        if let Some(file) = &self.zip {
            input::write(file, &made.archive().map_err(|why| Stop::Misused(format!("--zip: {why}")))?)?;
        }
        match &self.output {
            Some(file) => {
                input::write(file, made.markdown.as_bytes())?;
                input::print(&forms);
            }
            None => {
                input::print(&made.markdown);
                // Standard output has the report.
                input::complain(&forms);
            }
        }
        Ok(())
    }

    fn request(&self) -> Result<Request, Stop> {
        let mut environment = vec![(
            "host".to_owned(),
            format!("{} on {}, command line", std::env::consts::ARCH, std::env::consts::OS),
        )];
        for tool in &self.tools {
            let Some((name, version)) = tool.split_once('=') else {
                return Err(Stop::Misused(format!("--tool {tool}: write NAME=VERSION")));
            };
            environment.push((name.to_owned(), version.to_owned()));
        }
        let state = self.shared()?;
        let (name, programs) = match &state {
            Some(state) => {
                let name = if state.name.is_empty() { "shader" } else { &state.name };
                let mut programs = Programs::of(state).map_err(Stop::Misused)?;
                if let (Programs::Steps { input, source, .. }, [file]) =
                    (&mut programs, &self.given.files[..])
                {
                    // A source is compiled; the link has its text.
                    let compiled = input::read_input(file)?;
                    let text = std::mem::replace(input, compiled);
                    if text != *input {
                        source.get_or_insert_default().text = text;
                    }
                }
                (name.to_owned(), programs)
            }
            None => self.programs()?,
        };
        let mut settings = self.given.settings();
        // The inputs of a link or a reproduction, unless others are given.
        if let Some([seed, trials]) =
            state.as_ref().and_then(inputs_of).filter(|_| self.given.has_default_inputs())
        {
            (settings.seed, settings.trials) = (seed.into(), trials);
        }
        let address = match self.site.split('#').next().unwrap_or_default() {
            "" => String::new(),
            site => format!("{}/v/{}/", site.trim_end_matches('/'), env!("CARGO_PKG_VERSION")),
        };
        Ok(Request {
            name,
            programs,
            settings,
            is_anonymous: self.anonymize,
            is_whole: self.whole,
            address,
            commands: self.commands.clone(),
            environment,
            gpu: None,
        })
    }

    /// The content of a link or a reproduction, if that is the only file and has its own pipeline or programs.
    fn shared(&self) -> Result<Option<SharedState>, Stop> {
        match (&self.given.files[..], &self.given.log, &self.given.pipeline[..]) {
            // Standard input is read once.
            ([file], None, []) if !file.is_dir() && file.to_str() != Some("-") => {
                input::shared(file, &input::read_bytes(file)?)
            }
            _ => Ok(None),
        }
    }

    /// The programs, and the name of the first one.
    fn programs(&self) -> Result<(String, Programs), Stop> {
        match &self.given.pipeline[..] {
            [] => {
                let dumps = self.given.dumps()?;
                let name = dumps.first().map(|first| first.name.clone()).unwrap_or_default();
                Ok((name, Programs::Several { dumps, are_passes: self.given.log.is_some() }))
            }
            [pipeline] => {
                let program = self.given.program()?;
                Ok((
                    program.title,
                    Programs::Steps { input: program.input, pipeline: pipeline.clone(), source: None },
                ))
            }
            _ => Err(Stop::Misused("a report is of one pipeline".to_owned())),
        }
    }

    /// The title, and the addresses of the chosen issue forms; empty without any.
    fn forms(&self, made: &Made) -> Result<String, Stop> {
        let mut out = String::new();
        for wanted in &self.trackers {
            let mut forms = made.forms.iter();
            let Some(form) = forms.find(|form| form.tracker.eq_ignore_ascii_case(wanted)) else {
                let known: Vec<&str> = made.forms.iter().map(|form| form.tracker.as_str()).collect();
                return Err(Stop::Misused(format!("--tracker {wanted}: name one of {}", known.join(", "))));
            };
            let content = match form.text {
                Some(0) => "with the report",
                Some(_) => "with a summary: attach the report",
                None => "with the title only: paste the report",
            };
            out.push_str(&format!("{}\n{}, {content}:\n{}\n", made.title, form.tracker, form.url));
        }
        Ok(out)
    }
}

/// A sentence with the verdict of spirv-val on a module as SPIR-V; none if it is not installed or there is no SPIR-V.
fn spirv_val(module: &Module, which: &str) -> Option<String> {
    let bytes = binary_of(module)?;
    let mut command = Command::new("spirv-val");
    let mut child =
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let sent = child.stdin.take().map(|mut pipe| std::io::Write::write_all(&mut pipe, &bytes));
    let is_valid = child.wait().ok()?.success() && matches!(sent, Some(Ok(())));
    let verdict = if is_valid { "accepts" } else { "rejects" };
    Some(format!("`spirv-val` {verdict} {which}."))
}
