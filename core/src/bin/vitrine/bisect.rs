//! `vitrine bisect`: the first pass that changes the results of the shader, and its first rewrite that does.
//!
//! Bisects versions, then rewrites; prints a line for each version that was tested. Refuses to explain why a
//! rewrite is wrong: it prints the rewrite, its rule or note, and the difference.

use super::check::With;
use super::input::{self, Program};
use super::{Common, Stop, json as to_json};
use serde_json::{Value, json};
use vitrine_core::ir::{Event, Func, Module, Reason, Site};
use vitrine_core::lab::bisect::{Bisector, Culprit, Probe};
use vitrine_core::lab::check::{Trial, Verdict};
use vitrine_core::pipeline::{Trace, TraceStep};
use vitrine_core::rules::by_number;
use vitrine_core::text::print_func;

/// Find the pass and the rewrite that change the results of a program
#[derive(clap::Args)]
pub(crate) struct Bisect {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    with: With,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Bisect {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let (program, trials, trace) = self.with.traced(&self.common)?;
        let mut bisector = Bisector::new(&trace, usize::MAX, &trials, self.with.tolerance());
        while bisector.step() {}
        let open = bisector.is_open();
        let inconclusive: Vec<(usize, String)> =
            bisector.inconclusive().map(|(trial, why)| (trial, why.to_string())).collect();
        let findings = Findings { program: &program, trace: &trace, trials: &trials, open, inconclusive };
        let found = bisector.found();
        input::print(&match self.json {
            true => to_json::pretty(&findings.json(bisector.probes(), found)),
            false => findings.text(bisector.probes(), found),
        });
        if found.is_none() && !open { Ok(()) } else { Err(Stop::Diagnosed) }
    }
}

/// The data of the printed sentences.
struct Findings<'t> {
    program: &'t Program,
    trace: &'t Trace,
    trials: &'t [Trial],
    /// The results of every version are unknown.
    open: bool,
    /// Trials that say nothing, with the reasons.
    inconclusive: Vec<(usize, String)>,
}

impl Findings<'_> {
    fn text(&self, probes: &[Probe], found: Option<&Culprit>) -> String {
        let mut lines: Vec<String> = probes
            .iter()
            .map(|probe| {
                let rewrites = probe.rewrites.map_or(String::new(), |count| format!(", {count} rewrites"));
                format!(
                    "step {} `{}`{rewrites}: {}",
                    probe.step + 1,
                    self.pass(probe.step),
                    probe.verdict.name()
                )
            })
            .collect();
        lines.extend(self.inconclusive.iter().map(|(trial, why)| {
            let name = self.trials.get(*trial).map_or("", |trial| &trial.name);
            format!("{name} is inconclusive: {why}")
        }));
        let title = &self.program.title;
        match found {
            None if self.open => {
                lines.push(format!("{title}: every trial is inconclusive: the results cannot be compared"));
            }
            None if probes.is_empty() => lines.push(format!("{title}: no version differs from the input")),
            None => lines.push(format!("{title}: the last version has the same results in all trials")),
            Some(culprit) => {
                let rewrite = culprit
                    .rewrite
                    .map_or(String::new(), |rewrite| format!(", rewrite {rewrite} of {}", culprit.rewrites));
                let (step, pass) = (culprit.step + 1, self.pass(culprit.step));
                let wrong = self.what_is_wrong(&culprit.verdict);
                lines.push(format!(
                    "{title}: step {step}, `{pass}`{rewrite}, is the first wrong one: {wrong}"
                ));
                lines.extend(culprit.events.iter().map(|event| format!("  {}", event_text(event))));
                lines.extend(changed_lines(culprit));
            }
        }
        lines.iter().fold(String::new(), |all, line| all + line.trim_end() + "\n")
    }

    fn json(&self, probes: &[Probe], found: Option<&Culprit>) -> Value {
        let probes: Vec<Value> = probes
            .iter()
            .map(|probe| {
                json!({
                    "step": probe.step + 1,
                    "pass": self.pass(probe.step),
                    "rewrites": probe.rewrites,
                    "verdict": probe.verdict.name(),
                })
            })
            .collect();
        let inconclusive: Vec<Value> = self
            .inconclusive
            .iter()
            .map(|(trial, why)| json!({ "trial": self.trials.get(*trial).map(|trial| &trial.name), "why": why }))
            .collect();
        let found = found.map(|culprit| {
            json!({
                "step": culprit.step + 1,
                "pass": self.pass(culprit.step),
                "rewrite": culprit.rewrite,
                "rewrites": culprit.rewrites,
                "verdict": culprit.verdict.name(),
                "difference": self.what_is_wrong(&culprit.verdict),
                "events": culprit.events.iter().map(event_text).collect::<Vec<_>>(),
                "lines": changed_lines(culprit),
            })
        });
        json!({ "file": self.program.title, "probes": probes, "found": found, "known": !self.open, "inconclusive": inconclusive })
    }

    fn pass(&self, step: usize) -> String {
        self.trace.steps.get(step).map(TraceStep::text).unwrap_or_default()
    }

    fn what_is_wrong(&self, verdict: &Verdict) -> String {
        let name = |trial: usize| self.trials.get(trial).map_or("", |trial| &trial.name);
        match verdict {
            Verdict::Differs { trial, difference } => format!("{}: {difference}", name(*trial)),
            Verdict::Refused { trial, why } => format!("{}: it can no longer be run: {why}", name(*trial)),
            Verdict::Broken => "it fails, or its result is not valid".to_owned(),
            Verdict::Open | Verdict::Unchanged | Verdict::Same => verdict.name().to_owned(),
        }
    }
}

/// An event with its reason.
fn event_text(&(func, event, why): &(Func, Event, Reason)) -> String {
    let what = match event {
        Event::Create(site) => format!("{site} is new"),
        Event::Rewrite(inst) => format!("{inst} is computed differently"),
        Event::Replace { old, new } => format!("{new} replaces {old}"),
        Event::Operands(site) => format!("{site} has other operands"),
        Event::Move(site) => format!("{site} is moved"),
        Event::Erase(site) => format!("{site} is removed"),
        Event::Copy { of, new } => format!("{new} is a copy of {of}"),
        Event::Control(site @ (Site::Inst(_) | Site::Block(_) | Site::Node(_))) => {
            format!("{site} has different edges")
        }
    };
    match why {
        Reason::Rule(number) => match by_number(number) {
            Some(rule) => {
                format!("{func}: {what}, by the rule `{}`: {}", rule.text.name, rule.text.doc.trim())
            }
            None => format!("{func}: {what}"),
        },
        Reason::Note(note) => format!("{func}: {what}: {note}"),
        Reason::Pass => format!("{func}: {what}"),
    }
}

/// Lines of the text that differ, `-` before the rewrite and `+` after it.
fn changed_lines(culprit: &Culprit) -> Vec<String> {
    let funcs = culprit.before.funcs().map(|(func, _)| func);
    let differs = |func: &Func| print_func(&culprit.before, *func) != print_func(&culprit.after, *func);
    let mut out = Vec::new();
    for func in funcs.filter(differs) {
        let [before, after] = [&culprit.before, &culprit.after].map(|module| lines(module, func));
        out.extend(only_in(&before, &after).map(|line| format!("  -{line}")));
        out.extend(only_in(&after, &before).map(|line| format!("  +{line}")));
    }
    out
}

fn lines(module: &Module, func: Func) -> Vec<String> {
    print_func(module, func).lines().map(str::to_owned).collect()
}

/// The lines of one text that are not in the other.
fn only_in<'l>(lines: &'l [String], other: &[String]) -> impl Iterator<Item = &'l String> + use<'l> {
    let known: std::collections::BTreeSet<String> = other.iter().cloned().collect();
    lines.iter().filter(move |line| !known.contains(*line))
}
