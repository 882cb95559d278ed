//! *Check* of a comparison: every program is run on the same inputs as the first one, in slices, with a verdict
//! for each.
//!
//! The comparison itself is in `lab::compare`; this file formats its results.

use super::Time;
use super::check::{RUNS, expected_words};
use crate::ir::Anchor;
use crate::lab::compare::{Comparer, Finding, Happened, MOST_ULP, Settings, Verdict, Versions};
use crate::share::Expected;
use crate::view_model::numbers::words;
use vitrine_protocol::{CheckInputs, CheckMark, CheckReport, FoundDifference};

/// A running comparison.
pub(super) struct Comparison {
    comparer: Comparer,
    /// True at the end.
    done: bool,
}

impl Comparison {
    /// A comparison on `runs` generated inputs of each entry point, with seeds from `seed` on.
    pub(super) fn new(versions: &Versions, CheckInputs { seed, runs }: CheckInputs) -> Comparison {
        let trials = runs.clamp(RUNS[0], RUNS[1]);
        let settings = Settings { seed: u64::from(seed), trials, ..Settings::default() };
        Comparison { comparer: Comparer::of_versions(versions, settings), done: false }
    }

    /// Runs a slice. Returns true if there is more to do.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        while !self.done && time() {
            self.done = !self.comparer.step();
        }
        !self.done
    }

    /// A mark and a verdict for each program after the first, and the first one that differs.
    pub(super) fn report(&self) -> CheckReport {
        let comparer = &self.comparer;
        let (done, most) = comparer.progress();
        let stages = comparer.stages();
        let current = comparer.current();
        let mark = |at: usize, verdict: &Verdict| match verdict {
            Verdict::Open if current == Some(at) => CheckMark::Running,
            Verdict::Open | Verdict::Input => CheckMark::Open,
            Verdict::Same => CheckMark::Same,
            Verdict::Unchanged => CheckMark::Unchanged,
            Verdict::Differs { .. } => CheckMark::Differs,
            Verdict::Invalid(_) => CheckMark::Broken,
            Verdict::Inconclusive(_) => CheckMark::Unknown,
            Verdict::Rounding(_) => CheckMark::Rounding,
            Verdict::Undefined(_) => CheckMark::Undefined,
        };
        let later = || stages.iter().enumerate().skip(1);
        let wrong = stages.iter().position(|stage| stage.verdict.is_wrong());
        let sentences: Vec<String> = self.sentences().iter().map(|sentence| spaced(sentence)).collect();
        CheckReport {
            done: done as u32,
            total: if self.done { done } else { most.max(done + 1) } as u32,
            wrong_version: wrong.filter(|&at| at > 0).map(|at| at as u32),
            marks: later().map(|(at, stage)| mark(at, &stage.verdict)).collect(),
            summary: sentences.join("\n"),
            verdicts: later().map(|(_, stage)| spaced(&stage.verdict.to_string())).collect(),
            found: comparer.finding().map(|finding| Box::new(found(finding))),
            expected: expected_words(self.expected()),
        }
    }

    /// The first difference, for links.
    pub(super) fn expected(&self) -> Option<Expected> {
        let finding = self.comparer.finding()?;
        let difference = &finding.difference;
        let [before, after] = &difference.values;
        let (name, invocation) = (self.name(finding.stage), invocation_of(finding).unwrap_or_default());
        let Expected { text, digest } =
            Expected::of(&[name, &finding.trial, &invocation, &difference.name, before, after]);
        Some(Expected { text: spaced(&text), digest })
    }

    fn name(&self, stage: usize) -> &str {
        self.comparer.stages().get(stage).map_or("", |stage| &stage.name)
    }

    fn sentences(&self) -> Vec<String> {
        if !self.done {
            return Vec::new();
        }
        let comparer = &self.comparer;
        let stages = comparer.stages();
        let mut out = Vec::new();
        if let Some(finding) = comparer.finding() {
            out.push(self.finding_words(finding));
        }
        let invalid =
            stages.iter().enumerate().find(|(_, stage)| matches!(stage.verdict, Verdict::Invalid(_)));
        if let Some((at, stage)) = invalid {
            out.push(format!("Program {at}, {}, is {}.", stage.name, stage.verdict));
        }
        let names = ["unchanged", "same", "rounding", "differs", "undefined", "inconclusive", "invalid"];
        let count = |name: &str| stages.iter().skip(1).filter(|stage| stage.verdict.name() == name).count();
        let counts = names.map(|name| (count(name), name)).into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        let trials = comparer.trials().len();
        out.push(format!(
            "{} programs after the first, {trials} inputs: {}.",
            stages.len() - 1,
            counts.join(", ")
        ));
        out.extend(comparer.refused().iter().map(|(entry, why)| format!("{entry} is not run: {why}.")));
        let inconclusive = comparer.inconclusive().count();
        if let Some((trial, why)) = comparer.inconclusive().next() {
            let name = comparer.trials().get(trial).map_or("", |trial| &trial.name);
            out.push(format!(
                "{inconclusive} of {trials} runs are inconclusive for the first program; {name}: {why}."
            ));
        }
        out
    }

    fn finding_words(&self, finding: &Finding) -> String {
        let Finding { stage, against, confirmed, seeds, .. } = *finding;
        let seeds = if seeds == 0 { String::new() } else { format!(" after {seeds} more seeds") };
        let compared = match (confirmed, against) {
            (true, 0) => "the first program".to_owned(),
            (true, _) => format!("its predecessor {against}, {}{seeds}", self.name(against)),
            (false, _) => {
                format!(
                    "the first program, not from its predecessor{seeds}: it may be the sum of several steps"
                )
            }
        };
        let name = self.name(stage);
        format!(
            "Program {stage}, {name}, differs from {compared}. {}: {}.",
            finding.trial, finding.difference
        )
    }
}

/// The first program that differs: facts, and the events that part the two programs.
fn found(finding: &Finding) -> FoundDifference {
    let Finding { stage, against, difference, .. } = finding;
    let ulp = difference.number.and_then(|number| number.ulp()).filter(|&ulp| ulp <= MOST_ULP);
    let ulp = ulp.map_or_else(String::new, |ulp| format!(", {ulp} ULP apart"));
    let [before, after] = &difference.values;
    let compared = if finding.confirmed { "confirmed against" } else { "compared with" };
    let mut facts =
        vec![fact("program", &format!("{stage}, {compared} {against}")), fact("input", &finding.trial)];
    facts.extend(invocation_of(finding).map(|invocation| fact("invocation", &invocation)));
    facts.push(fact("place", &difference.name));
    facts.push(fact("values", &format!("{before}, then {after}{ulp}")));
    let mut anchors = [None; 2];
    match &finding.parting {
        Err(why) => facts.push(fact("parts at", why)),
        Ok(parting) => {
            for ((side, of), anchor) in parting.sides.iter().zip([against, stage]).zip(&mut anchors) {
                let (words, at) = event(side.as_ref());
                facts.push(fact("parts at", &format!("{of}: {words}")));
                *anchor = at;
            }
        }
    }
    FoundDifference { versions: [*stage as u32, *against as u32], facts, anchors }
}

/// The invocation of a difference, with its position.
fn invocation_of(finding: &Finding) -> Option<String> {
    let [x, y, z] = finding.difference.at;
    finding.difference.invocation.map(|invocation| format!("{invocation} at ({x}, {y}, {z})"))
}

/// An event of a program in words, and its anchor.
fn event(side: Option<&Happened>) -> (String, Option<[u32; 4]>) {
    let Some(side) = side else { return ("no such event".to_owned(), None) };
    // A terminator has no line of its own to go to in columns: its block has.
    let (kind, anchor) = match side.at {
        Anchor::Terminator(func, block) => ("branch", Anchor::Block(func, block)),
        at => ("store", at),
    };
    (format!("{kind}, {} ← {}", side.text, side.value), Some(words(anchor)))
}

fn fact(name: &str, text: &str) -> [String; 2] {
    [name.to_owned(), spaced(text)]
}

/// A text on one line: names and messages come from the input.
fn spaced(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Debugger;
    use super::*;
    use crate::lab::compare::{Dump, bundle};
    use vitrine_protocol::{Report, Task};

    const STORE: &str = include_str!("../../../../www/examples/particles.spvasm");

    fn compared(texts: &[&str]) -> CheckReport {
        let dump =
            |(at, text): (usize, &&str)| Dump { name: format!("pass-{at}"), bytes: text.as_bytes().to_vec() };
        let dumps: Vec<Dump> = texts.iter().enumerate().map(dump).collect();
        let mut debugger = Debugger::new();
        debugger.give(bundle(&dumps));
        debugger.open("structurize", &mut |_, _| {});
        debugger.begin(&Task::Check(CheckInputs { seed: 1, runs: 4 }));
        while debugger.slice(&mut || true) {}
        let Some(Report::Check(report)) = debugger.report() else { panic!("not a check") };
        report
    }

    #[test]
    fn every_program_has_a_verdict_and_the_first_difference_is_explained() {
        let wrong = STORE.replace("OpFAdd %float %age", "OpFSub %float %age");
        let broken = STORE.replace("OpReturn\n", "OpReturnValue %void\n");
        let report = compared(&[STORE, STORE, &wrong, &wrong, &broken]);
        assert_eq!(report.wrong_version, Some(2));
        use CheckMark::{Broken, Differs, Unchanged};
        assert_eq!(report.marks, [Unchanged, Differs, Unchanged, Broken], "{report:?}");
        let found = report.found.as_ref().unwrap();
        assert_eq!((report.verdicts.len(), found.versions[0], report.expected[1].len()), (4, 2, 16));
        assert!(found.anchors.iter().all(Option::is_some), "{found:?}");
        assert!(report.summary.starts_with("Program 2, pass-2, differs from the first program. main, seed "));
        assert!(
            found.facts.iter().any(|[name, words]| name == "values" && words.starts_with("0x")),
            "{found:?}"
        );
    }

    #[test]
    fn equal_programs_are_equal_and_nothing_is_found() {
        let renamed = STORE.replace("%main", "%start");
        let report = compared(&[STORE, &renamed]);
        assert_eq!((report.wrong_version, &report.marks[..]), (None, &[CheckMark::Same][..]), "{report:?}");
        assert!(report.summary.starts_with("1 programs after the first") && report.found.is_none());
    }
}
