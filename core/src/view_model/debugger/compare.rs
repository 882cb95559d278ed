//! *Check* of a comparison: every program is run on the same inputs as the first one, in slices, with a verdict
//! for each.
//!
//! The comparison itself is in `pipeline::compare`; this file formats its results.

use super::check::RUNS;
use super::{Answer, Time};
use crate::ir::Anchor;
use crate::pipeline::compare::{Comparer, Finding, Happened, MOST_ULP, Settings, Verdict, Versions};
use crate::share::Expected;
use crate::view_model::numbers::words;

/// A running comparison.
pub(super) struct Comparison {
    comparer: Comparer,
    /// True at the end.
    done: bool,
}

impl Comparison {
    /// A comparison on `runs` generated inputs of each entry point, with seeds from `seed` on.
    pub(super) fn new(versions: &Versions, seed: u32, runs: u32) -> Comparison {
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

    /// Numbers: as for `Check::answer`; steps are the programs after the first. Text: lines that begin with a
    /// letter, with cells separated by tabs:
    ///
    /// * `=` the result, one sentence a line;
    /// * `v` the verdict on each step;
    /// * `f` the first program that differs: its stage, and the stage it is compared with;
    /// * `d` a fact about it: a name, and words;
    /// * `s` twice: four words of the anchor of the event that parts the two; empty if a program has none;
    /// * `p` the first difference, as links store it.
    pub(super) fn answer(&self) -> Answer {
        let comparer = &self.comparer;
        let (done, most) = comparer.progress();
        let total = if self.done { done } else { most.max(done + 1) };
        let stages = comparer.stages();
        let first = stages.iter().position(|stage| stage.verdict.is_wrong()).unwrap_or(0);
        let mut numbers = vec![u32::from(self.done), done as u32, total as u32, first as u32];
        let current = comparer.current();
        numbers.extend(stages.iter().enumerate().skip(1).map(|(at, stage)| match &stage.verdict {
            Verdict::Open if current == Some(at) => 6,
            Verdict::Open | Verdict::Input => 0,
            Verdict::Same => 1,
            Verdict::Unchanged => 2,
            Verdict::Differs { .. } => 3,
            Verdict::Invalid(_) => 4,
            Verdict::Inconclusive(_) => 5,
            Verdict::Rounding(_) => 7,
            Verdict::Undefined(_) => 8,
        }));
        let mut lines = Lines::default();
        for sentence in self.sentences() {
            lines.put('=', &[&sentence]);
        }
        for stage in stages.iter().skip(1) {
            lines.put('v', &[&stage.verdict.to_string()]);
        }
        if let Some(finding) = comparer.finding() {
            self.found(&mut lines, finding);
        }
        Answer { numbers, text: lines.text, ..Answer::default() }
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

    fn found(&self, lines: &mut Lines, finding: &Finding) {
        let difference = &finding.difference;
        let [x, y, z] = difference.at;
        let invocation = difference.invocation.map(|invocation| format!("{invocation} at ({x}, {y}, {z})"));
        let ulp = difference.number.and_then(|number| number.ulp()).filter(|&ulp| ulp <= MOST_ULP);
        let ulp = ulp.map_or_else(String::new, |ulp| format!(", {ulp} ULP apart"));
        let [before, after] = &difference.values;
        let [stage, against] = [finding.stage, finding.against].map(|stage| stage.to_string());
        lines.put('f', &[&stage, &against]);
        let compared = if finding.confirmed { "confirmed against" } else { "compared with" };
        lines.put('d', &["program", &format!("{stage}, {compared} {against}")]);
        lines.put('d', &["input", &finding.trial]);
        if let Some(invocation) = &invocation {
            lines.put('d', &["invocation", invocation]);
        }
        lines.put('d', &["place", &difference.name]);
        lines.put('d', &["values", &format!("{before}, then {after}{ulp}")]);
        match &finding.parting {
            Err(why) => lines.put('d', &["parts at", why]),
            Ok(parting) => {
                for (side, of) in parting.sides.iter().zip([&against, &stage]) {
                    lines.side(side.as_ref(), of);
                }
            }
        }
        let name = self.name(finding.stage);
        let invocation = invocation.unwrap_or_default();
        let parts = [name, &finding.trial, &invocation, &difference.name, before, after];
        let expected = Expected::of(&parts);
        lines.put('p', &[&expected.text, &format!("{:016x}", expected.digest)]);
    }
}

/// Lines of an answer.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn put(&mut self, letter: char, cells: &[&str]) {
        self.text.push(letter);
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.text.push('\t');
            }
            // Names and messages come from the input.
            self.text.extend(cell.chars().map(|char| if char.is_control() { ' ' } else { char }));
        }
        self.text.push('\n');
    }

    fn side(&mut self, side: Option<&Happened>, stage: &str) {
        let Some(side) = side else {
            self.put('d', &["parts at", &format!("{stage}: no such event")]);
            return self.put('s', &["", "", "", ""]);
        };
        // A terminator has no line of its own to go to in columns: its block has.
        let (kind, anchor) = match side.at {
            Anchor::Terminator(func, block) => ("branch", Anchor::Block(func, block)),
            at => ("store", at),
        };
        self.put('d', &["parts at", &format!("{stage}: {kind}, {} ← {}", side.text, side.value)]);
        let [a, b, c, d] = words(anchor).map(|word| word.to_string());
        self.put('s', &[&a, &b, &c, &d]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Debugger;
    use super::*;
    use crate::pipeline::compare::{Dump, bundle};

    const STORE: &str = include_str!("../../../../www/examples/particles.spvasm");

    fn compared(texts: &[&str]) -> Answer {
        let dump =
            |(at, text): (usize, &&str)| Dump { name: format!("pass-{at}"), bytes: text.as_bytes().to_vec() };
        let dumps: Vec<Dump> = texts.iter().enumerate().map(dump).collect();
        let mut debugger = Debugger::new();
        debugger.give(bundle(&dumps));
        debugger.open("structurize", &mut |_, _| {});
        debugger.begin("check", &[1, 4]);
        while debugger.slice(&mut || true) {}
        debugger.answer()
    }

    #[test]
    fn every_program_has_a_verdict_and_the_first_difference_is_explained() {
        let wrong = STORE.replace("OpFAdd %float %age", "OpFSub %float %age");
        let broken = STORE.replace("OpReturn\n", "OpReturnValue %void\n");
        let answer = compared(&[STORE, STORE, &wrong, &wrong, &broken]);
        assert_eq!(answer.numbers[3..], [2, 2, 3, 2, 4], "{answer:?}");
        let of =
            |letter: char| answer.text.lines().filter(|line| line.starts_with(letter)).collect::<Vec<_>>();
        assert_eq!(
            (of('v').len(), of('f').len(), of('s').len(), of('p').len()),
            (4, 1, 2, 1),
            "{}",
            answer.text
        );
        assert!(of('=')[0].starts_with("=Program 2, pass-2, differs from the first program. main, seed "));
        assert!(of('d').iter().any(|line| line.starts_with("dvalues\t0x")), "{:?}", of('d'));
    }

    #[test]
    fn equal_programs_are_equal_and_nothing_is_found() {
        let renamed = STORE.replace("%main", "%start");
        let answer = compared(&[STORE, &renamed]);
        assert_eq!(answer.numbers[3..], [0, 1], "{answer:?}");
        assert!(answer.text.starts_with("=1 programs after the first") && !answer.text.contains("\nf"));
    }
}
