//! `vitrine compare`: runs programs of any compiler on the same inputs. Prints a line for each, then the first that
//! differs: trial, invocation, output or byte, both values, and the store or branch that parts the two versions.
//!
//! ```sh
//! vitrine compare before.spv after.spv
//! spirv-opt -O --print-all shader.spv -o out.spv 2>&1 | vitrine compare --log - shader.spv
//! vitrine compare shader.spv --pipeline "ingest, O1" --pipeline "ingest, O2"
//! ```
//!
//! Exits with 0 if no program differs, also if the comparison of some is inconclusive, which is reported; with 1 if one
//! differs or is invalid. Inputs are samples: refuses to call equal results a proof.

use super::input::{self, Program};
use super::{Common, Stop, dumps, json as to_json};
use serde_json::{Value, json};
use std::path::PathBuf;
use vitrine_core::front::InputKind;
use vitrine_core::ir::Anchor;
use vitrine_core::pipeline::Pipeline;
use vitrine_core::pipeline::compare::{Comparer, Dump, Finding, Happened, Number, Settings, Stage, Verdict};

/// Run programs of any compiler on the same inputs, and find the first that differs
#[derive(clap::Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    given: Given,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// The programs of a comparison, and the inputs that they run on.
#[derive(clap::Args)]
pub(crate) struct Given {
    /// The programs, the original first: SPIR-V binaries or text, IR text, a folder or a zip archive of them
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A log of `spirv-opt --print-all` or `dxc -fspv-print-all`; `-` for standard input. A file with it is the original
    #[arg(long, value_name = "FILE", conflicts_with = "pipeline")]
    pub(crate) log: Option<PathBuf>,
    /// Compare a program with its results after this pipeline; may be given several times
    #[arg(long, value_name = "PASSES")]
    pub(crate) pipeline: Vec<String>,
    /// Accept a difference of this many units in the last place of floats
    #[arg(long, value_name = "N", default_value = "0")]
    ulp: u32,
    /// The number of inputs to generate for each entry point
    #[arg(long, value_name = "N", default_value = "8")]
    trials: u32,
    /// Generate inputs from this number on
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Run only this entry point, by name; by default all of them
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

impl Compare {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let mut comparer = self.given.comparer()?;
        if comparer.stages().len() < 2 {
            let why =
                "there is nothing to compare: give two files, a folder, an archive, --log or --pipeline";
            return Err(Stop::Misused(why.to_owned()));
        }
        let first = comparer.stages().first().and_then(|first| first.module.as_ref());
        if let (Some(entry), Some(first)) = (&self.given.entry, first)
            && !first.entries.iter().any(|point| first.text_of(point.name) == entry)
        {
            return Err(Stop::Misused(format!("there is no entry point `{entry}`")));
        }
        while comparer.step() {}
        let found = Found { comparer: &comparer };
        input::print(&if self.json { to_json::pretty(&found.json()) } else { found.text() });
        let is_wrong = comparer.stages().iter().any(|stage| stage.verdict.is_wrong());
        if is_wrong { Err(Stop::Diagnosed) } else { Ok(()) }
    }
}

impl Given {
    pub(crate) fn settings(&self) -> Settings {
        Settings { ulp: self.ulp, trials: self.trials, seed: self.seed, entry: self.entry.clone() }
    }

    pub(crate) fn comparer(&self) -> Result<Comparer, Stop> {
        if self.pipeline.is_empty() {
            return Ok(Comparer::of_dumps(&self.dumps()?, self.settings()));
        }
        let program = self.program()?;
        let mut modules = vec![(program.title.clone(), Ok(program.module.clone()))];
        for text in &self.pipeline {
            let pipeline = Pipeline::parse(text).map_err(|diag| Stop::Misused(diag.to_string()))?;
            let result = pipeline.run(&program.module, None).map_err(|diag| diag.to_string());
            modules.push((text.clone(), result));
        }
        // Our own passes preserve every bit, whatever the language of the input allows.
        Ok(Comparer::of_modules(modules, InputKind::Ir, self.settings()))
    }

    /// The programs of the files, or of the log.
    pub(crate) fn dumps(&self) -> Result<Vec<Dump>, Stop> {
        match &self.log {
            Some(_) if self.files.len() > 1 => {
                Err(Stop::Misused("--log takes one file, the original".to_owned()))
            }
            Some(log) => dumps::of_log(log, self.files.first()),
            None => dumps::of_files(&self.files),
        }
    }

    /// The program that pipelines run on, without errors.
    pub(crate) fn program(&self) -> Result<Program, Stop> {
        let [file] = &self.files[..] else {
            return Err(Stop::Misused("--pipeline takes one file".to_owned()));
        };
        let common = Common {
            file: file.clone(),
            pipeline: Some(String::new()),
            zero_products: false,
            sources: Default::default(),
        };
        let program = input::read(&common)?;
        program.verdict()?;
        Ok(program)
    }
}

/// The results, to be printed.
struct Found<'c> {
    comparer: &'c Comparer,
}

impl Found<'_> {
    fn text(&self) -> String {
        let stages = self.comparer.stages();
        let wide = stages.iter().map(|stage| stage.name.chars().count()).max().unwrap_or(0);
        let number = stages.len().saturating_sub(1).to_string().len();
        let mut out = String::new();
        for (at, stage) in stages.iter().enumerate() {
            out.push_str(&format!("{at:>number$}  {:wide$}  {}\n", stage.name, stage.verdict));
        }
        let mut last: &[String] = &[];
        for (at, stage) in
            stages.iter().enumerate().filter(|(_, stage)| !matches!(stage.verdict, Verdict::Unchanged))
        {
            // A change of the interface is reported once, not for every stage after it.
            if stage.interface != last {
                stage
                    .interface
                    .iter()
                    .for_each(|change| out.push_str(&format!("stage {at}, `{}`: {change}\n", stage.name)));
                last = &stage.interface;
            }
        }
        for (entry, why) in self.comparer.refused() {
            out.push_str(&format!("{entry} is not run: {why}\n"));
        }
        for (trial, why) in self.comparer.inconclusive() {
            out.push_str(&format!("{} is inconclusive: {why}\n", self.trial(trial)));
        }
        out.push_str(&self.summary());
        if let Some(finding) = self.comparer.finding() {
            out.push_str(&self.explained(finding));
        }
        out
    }

    fn trial(&self, trial: usize) -> &str {
        self.comparer.trials().get(trial).map_or("", |trial| &trial.name)
    }

    fn name(&self, stage: usize) -> &str {
        self.comparer.stages().get(stage).map_or("", |stage| &stage.name)
    }

    /// One line: the number of stages of each verdict.
    fn summary(&self) -> String {
        let stages = self.comparer.stages();
        let names = ["unchanged", "same", "rounding", "differs", "undefined", "inconclusive", "invalid"];
        let count = |name: &str| stages.iter().filter(|stage| stage.verdict.name() == name).count();
        let counts = names.map(|name| (count(name), name)).into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        let after = stages.len().saturating_sub(1);
        let plural = if after == 1 { "" } else { "s" };
        format!("{after} stage{plural} after the first: {}\n", counts.join(", "))
    }

    fn explained(&self, finding: &Finding) -> String {
        let (stage, against) = (finding.stage, finding.against);
        let mut out = format!("the first that differs is stage {stage}, `{}`\n", self.name(stage));
        let seeds = match finding.seeds {
            0 => String::new(),
            seeds => format!(", after {seeds} more seeds"),
        };
        out.push_str(&match (finding.confirmed, against) {
            (true, 0) => "it is compared with the first stage\n".to_owned(),
            (true, against) => format!("it differs from stage {against}, `{}`, too{seeds}\n", self.name(against)),
            (false, _) => format!("it is not confirmed: its predecessor has no other results{seeds}; the difference may be the sum of several stages\n"),
        });
        out.push_str(&format!("{}: {}\n", finding.trial, finding.difference));
        match &finding.parting {
            Err(why) => out.push_str(&format!("the event that parts the two is not known: {why}\n")),
            Ok(parting) => {
                let event = if parting.is_branch { "branch" } else { "store" };
                out.push_str(&format!("invocation {}: the two part at a {event}\n", parting.invocation));
                for (at, side) in [against, stage].into_iter().zip(&parting.sides) {
                    out.push_str(&format!(
                        "  stage {at}: {}\n",
                        side.as_ref().map_or("none".to_owned(), words)
                    ));
                }
            }
        }
        out
    }

    fn json(&self) -> Value {
        let stages: Vec<Value> =
            self.comparer.stages().iter().enumerate().map(|stage| self.stage_json(stage)).collect();
        let inconclusive: Vec<Value> = self
            .comparer
            .inconclusive()
            .map(|(trial, why)| json!({ "trial": self.trial(trial), "why": why }))
            .collect();
        let refused: Vec<Value> = self
            .comparer
            .refused()
            .iter()
            .map(|(entry, why)| json!({ "entry": entry, "why": why }))
            .collect();
        json!({
            "same": !self.comparer.stages().iter().any(|stage| stage.verdict.is_wrong()),
            "stages": stages,
            "trials": self.comparer.trials().len(),
            "inconclusive": inconclusive,
            "not_run": refused,
            "runs": self.comparer.progress().0,
            "found": self.comparer.finding().map(|finding| self.finding_json(finding)),
        })
    }

    fn stage_json(&self, (at, stage): (usize, &Stage)) -> Value {
        let (ulp, epsilon) = match &stage.verdict {
            Verdict::Rounding(rounding) => (Some(rounding.ulp), Some(rounding.epsilon)),
            _ => (None, None),
        };
        json!({
            "stage": at,
            "name": stage.name,
            "verdict": stage.verdict.name(),
            "says": stage.verdict.to_string(),
            "ulp": ulp,
            "epsilon": epsilon,
            "interface": stage.interface,
            "compared": stage.compared,
        })
    }

    fn finding_json(&self, finding: &Finding) -> Value {
        let difference = &finding.difference;
        let hex = |number: Number| number.bits.map(|bits| bits.map(|bits| format!("{bits:#x}")));
        let side = |side: &Option<Happened>| {
            side.as_ref().map(|side| json!({ "function": side.func.to_string(), "at": place(side.at), "text": side.text, "value": side.value }))
        };
        let parting = finding.parting.as_ref().ok().map(|parting| {
            json!({
                "event": if parting.is_branch { "branch" } else { "store" },
                "invocation": parting.invocation,
                "before": side(&parting.sides[0]),
                "after": side(&parting.sides[1]),
            })
        });
        json!({
            "stage": finding.stage,
            "name": self.name(finding.stage),
            "against": finding.against,
            "confirmed": finding.confirmed,
            "entry": finding.entry,
            "trial": finding.trial,
            "invocation": difference.invocation,
            "at": difference.at,
            "place": difference.name,
            "before": difference.values[0],
            "after": difference.values[1],
            "bits": difference.number.map(hex),
            "ulp": difference.number.and_then(|number| number.ulp()),
            "parts_at": parting,
        })
    }
}

/// An event in one line.
fn words(side: &Happened) -> String {
    format!("{} {}: `{}`: {}", side.func, place(side.at), side.text, side.value)
}

/// The instruction or the block of an event.
fn place(at: Anchor) -> String {
    match at {
        Anchor::Inst(_, inst) => inst.to_string(),
        Anchor::Terminator(_, block) => format!("end of {block}"),
        _ => String::new(),
    }
}
