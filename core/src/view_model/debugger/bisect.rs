//! *Bisect*: the wrong pass, its wrong rewrite, and the versions that were tested.

use super::Time;
use super::check::{step_name, trials_of, verdict_words};
use super::lines::{Lines, Spot};
use super::words::plain;
use crate::ir::{Func, Inst, Module, Reason, Site};
use crate::lab::bisect::{Bisector, Culprit};
use crate::lab::check::{Tolerance, Trial};
use crate::pipeline::Trace;
use crate::rules;
use crate::text::print_module;
use vitrine_protocol::{BisectReport, CheckInputs};

/// A running search.
pub(super) struct Bisect {
    bisector: Bisector<'static>,
    trace: Trace,
    trials: Vec<Trial>,
    done: bool,
}

impl Bisect {
    /// A search on generated inputs, up to a version that is known to be wrong or the last one.
    pub(super) fn new(trace: &Trace, inputs: CheckInputs, wrong_version: Option<u32>) -> Bisect {
        let trials = trials_of(&trace.input, inputs);
        let until = wrong_version.and_then(|version| version.checked_sub(1));
        let until = until.map_or(usize::MAX, |until| until as usize);
        let bisector = Bisector::owned(trace.clone(), until, trials.clone(), Tolerance::default());
        Bisect { bisector, trace: trace.clone(), trials, done: false }
    }

    /// Runs a slice. Returns true if there is more to do.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        while !self.done && time() {
            self.done = !self.bisector.step();
        }
        !self.done
    }

    /// The wrong rewrite, if it was found, and the versions that were tested.
    pub(super) fn report(&self) -> BisectReport {
        let (runs, left) = self.bisector.progress();
        let found = self.bisector.found();
        let mut report = BisectReport {
            runs: runs as u32,
            candidates: left.min(u64::from(u32::MAX)) as u32,
            wrong_version: found.map(|culprit| culprit.step as u32 + 1),
            wrong_line: found.and_then(|culprit| self.line(culprit)),
            ..BisectReport::default()
        };
        match found {
            Some(culprit) => self.describe(culprit, &mut report),
            None if self.done => "Nothing wrong was found on these runs.".clone_into(&mut report.summary),
            None => {}
        }
        for probe in self.bisector.probes() {
            let name = self.trace.steps.get(probe.step).map_or(String::new(), step_name);
            let part = probe.rewrites.map_or(String::new(), |rewrites| format!(", {rewrites} rewrites"));
            report.probes.push(format!("step {}, {name}{part}: {}", probe.step + 1, probe.verdict.name()));
        }
        report
    }

    fn describe(&self, culprit: &Culprit, report: &mut BisectReport) {
        let Some(step) = self.trace.steps.get(culprit.step) else { return };
        let rewrite = culprit
            .rewrite
            .map_or("fails".to_owned(), |rewrite| format!("rewrite {rewrite} of {}", culprit.rewrites));
        let words = verdict_words(&self.trace.input, step, &culprit.verdict, &self.trials);
        report.summary = format!("Step {}, {}, {rewrite}: {words}", culprit.step + 1, step_name(step));
        let mut shown = Vec::new();
        for &(func, event, why) in &culprit.events {
            for site in event.sites().into_iter().flatten() {
                let Site::Inst(inst) = site else { continue };
                if shown.contains(&(func, inst)) {
                    continue;
                }
                shown.push((func, inst));
                for (sign, module) in [('-', &culprit.before), ('+', &culprit.after)] {
                    if let Some(line) = line_of(module, func, inst) {
                        report.change.push(format!("{sign}{}", plain(line.trim())));
                    }
                }
            }
            match why {
                Reason::Rule(number) => {
                    if let Some(rule) = rules::by_number(number) {
                        report.change.push(format!("rule {}", rule.text.name));
                    }
                }
                Reason::Note(note) => report.change.push(note.to_owned()),
                Reason::Pass => {}
            }
        }
    }

    /// The line of the first anchor of the rewrite that still exists after the step.
    fn line(&self, culprit: &Culprit) -> Option<u32> {
        let lines = Lines::of(&self.trace.steps.get(culprit.step)?.version);
        let sites =
            culprit.events.iter().flat_map(|&(func, event, _)| event.sites().map(|site| (func, site)));
        let spot = |(func, site): (Func, Option<Site>)| match site? {
            Site::Inst(inst) => lines.line(Spot::Inst(func, inst)),
            Site::Block(block) => lines.line(Spot::Exit(func, block)),
            Site::Node(_) => None,
        };
        sites.filter_map(spot).next()
    }
}

/// The line of an instruction in the text, if it exists.
fn line_of(module: &Module, func: Func, inst: Inst) -> Option<String> {
    let line = Lines::of(module).line(Spot::Inst(func, inst))?;
    print_module(module).lines().nth(line as usize).map(str::to_owned)
}
