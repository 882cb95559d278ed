//! *Bisect*: the wrong pass, its wrong rewrite, and the versions that were tested.

use super::check::{RUNS, step_name, verdict_words};
use super::lines::{Lines, Spot};
use super::words::plain;
use super::{Answer, Time};
use crate::ir::{Func, Inst, Module, Reason, Site};
use crate::pipeline::Trace;
use crate::pipeline::bisect::{Bisector, Culprit};
use crate::pipeline::check::{Tolerance, Trial, trials};
use crate::rules;
use crate::text::print_module;

/// A running search.
pub(super) struct Bisect {
    bisector: Bisector<'static>,
    trace: Trace,
    trials: Vec<Trial>,
    done: bool,
}

impl Bisect {
    /// A search up to the version `until` (the last for 0), on `runs` generated inputs with seeds from `seed`
    /// on.
    pub(super) fn new(trace: &Trace, seed: u32, runs: u32, until: u32) -> Bisect {
        let trials = trials(&trace.input, u64::from(seed), runs.clamp(RUNS[0], RUNS[1]));
        let until = until.checked_sub(1).map_or(usize::MAX, |until| until as usize);
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

    /// Numbers: 1 if it is done; runs; remaining candidates; the wrong version, or 0; line plus 1 of the
    /// wrong rewrite in its text, or 0. Text, one line each after a letter: `=` the result; `p` a tested
    /// version and its verdict; `-` and `+` the line before and after the rewrite; `y` the reason that the
    /// pass gave.
    pub(super) fn answer(&self) -> Answer {
        let (runs, left) = self.bisector.progress();
        let found = self.bisector.found();
        let version = found.map_or(0, |culprit| culprit.step as u32 + 1);
        let line = found.and_then(|culprit| self.line(culprit)).map_or(0, |line| line + 1);
        let mut text = String::new();
        match found {
            Some(culprit) => self.describe(culprit, &mut text),
            None if self.done => text.push_str("=Nothing wrong was found on these runs.\n"),
            None => {}
        }
        for probe in self.bisector.probes() {
            let name = self.trace.steps.get(probe.step).map_or(String::new(), step_name);
            let part = probe.rewrites.map_or(String::new(), |rewrites| format!(", {rewrites} rewrites"));
            text.push_str(&format!("pstep {}, {name}{part}: {}\n", probe.step + 1, probe.verdict.name()));
        }
        let numbers =
            vec![u32::from(self.done), runs as u32, left.min(u64::from(u32::MAX)) as u32, version, line];
        Answer { numbers, text, ..Answer::default() }
    }

    fn describe(&self, culprit: &Culprit, text: &mut String) {
        let Some(step) = self.trace.steps.get(culprit.step) else { return };
        let rewrite = culprit
            .rewrite
            .map_or("fails".to_owned(), |rewrite| format!("rewrite {rewrite} of {}", culprit.rewrites));
        let words = verdict_words(&self.trace.input, step, &culprit.verdict, &self.trials);
        text.push_str(&format!("=Step {}, {}, {rewrite}: {words}\n", culprit.step + 1, step_name(step)));
        let mut said = Vec::new();
        for &(func, event, why) in &culprit.events {
            for site in event.sites().into_iter().flatten() {
                let Site::Inst(inst) = site else { continue };
                if said.contains(&(func, inst)) {
                    continue;
                }
                said.push((func, inst));
                for (sign, module) in [('-', &culprit.before), ('+', &culprit.after)] {
                    if let Some(line) = line_of(module, func, inst) {
                        text.push_str(&format!("{sign}{}\n", plain(line.trim())));
                    }
                }
            }
            match why {
                Reason::Rule(number) => {
                    if let Some(rule) = rules::by_number(number) {
                        text.push_str(&format!("yrule {}\n", rule.text.name));
                    }
                }
                Reason::Note(note) => text.push_str(&format!("y{note}\n")),
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
