//! A recording of a run from its first step to its last one, for figures of lessons.
//!
//! A figure shows any step at once and goes back without running again. Functions that the recorded one calls are one step. In a
//! fragment shader every invocation has the same inputs, and the recording has one of them.
//!
//! Refuses programs with errors and inputs that do not exist. A recording ends after [`MOST_STATES`] states, and reports that.

use super::super::super::read::read_program;
use super::super::super::session::{Watch, ran};
use super::super::inputs::RunInputs;
use super::super::lines::Spot;
use super::super::run::VersionRun;
use super::Stepper;
use crate::ir::{Anchor, Func, Inst, Module, Stage};
use crate::ops::{BasicOp, Op, ValueType};
use crate::text::{Class, Link, Options, Printer, Sink};
use rustc_hash::FxHashMap;

/// Limit on the states of a recording.
pub const MOST_STATES: usize = 400;

/// Limit on the invocations whose values are recorded.
const MOST_INVOCATIONS: usize = 32;

/// The seed of inputs that are not chosen: that of `judge::ran`.
const SEED: u32 = 1;

/// A whole run of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The names of the values, in the order of the text. Constants and paths are not listed: the text shows them.
    pub values: Vec<String>,
    /// The number of recorded invocations, and of further ones in their group.
    pub invocations: [u32; 2],
    /// The line of the first function, from 0: figures may leave out the declarations before it.
    pub first_line: u32,
    /// The states, before each step and at the end.
    pub states: Vec<RecordedState>,
    /// True if the run continues after the last state.
    pub is_cut: bool,
}

/// The state before a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedState {
    /// The line of the next instruction or terminator, from 0; none at the end.
    pub line: Option<u32>,
    /// The name of the block that runs; empty at the end.
    pub block: String,
    /// The active invocations, in order.
    pub active: Vec<u32>,
    /// What the step before computed.
    pub computed: Vec<Computed>,
}

/// A value that an invocation computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computed {
    /// Its place in [`Recording::values`].
    pub value: usize,
    /// The invocation.
    pub invocation: u32,
    /// The value in words.
    pub words: String,
}

/// Runs the first entry point or function of a program on chosen inputs, `n = 3; x = 0.5`, and records every step. Errors: a
/// sentence if it cannot be run.
pub fn record(program: &[u8], inputs: &str) -> Result<Recording, String> {
    let read = read_program(program);
    if !read.sound {
        let first = read.diags.first().map_or("it is empty", |diag| diag.message.as_str());
        return Err(format!("the program is not valid: {first}"));
    }
    let (trace, _) = ran(&read, "fix()", Watch { before_pass: None, clock: None });
    let lines: Vec<&str> = inputs.split(';').map(str::trim).collect();
    let assignments = lines.join("\n");
    let of = RunInputs { seed: SEED, assignments: &assignments, pictures: &[], is_call: false };
    let mut run = VersionRun::new(&trace, None, of, 0, false);
    if !run.refused.is_empty() {
        return Err(format!("the program cannot be run: {}", run.refused));
    }
    if let Some((_, why)) = run.wrong.first() {
        return Err(why.clone());
    }
    for varying in run.inputs.varyings.values_mut() {
        (varying.dx, varying.dy) = (0.0, 0.0);
    }
    let stepper = Stepper::new(&run, &trace, [0, 0]).ok_or("the program cannot be run")?;
    Ok(Recorder::new(stepper).record())
}

/// A recording in progress.
struct Recorder {
    stepper: Stepper,
    func: Option<Func>,
    /// The place of each value in the list.
    places: FxHashMap<Inst, usize>,
    out: Recording,
    known: FxHashMap<(usize, u32), String>,
}

impl Recorder {
    fn new(mut stepper: Stepper) -> Recorder {
        stepper.slice(&mut || true);
        let func = stepper.machine.place().map(|(func, ..)| func);
        let all = stepper.group.invocations.len();
        let shown = match stepper.stage {
            Stage::Fragment => 1,
            _ => all.min(MOST_INVOCATIONS),
        };
        let others = if stepper.stage == Stage::Fragment { 0 } else { all - shown };
        let mut out = Recording {
            invocations: [shown as u32, others as u32],
            first_line: stepper.lines.first_function().unwrap_or(0),
            ..Recording::default()
        };
        let mut places = FxHashMap::default();
        for (inst, name) in func.map_or_else(Vec::new, |func| names(&stepper.module, func)) {
            places.insert(inst, out.values.len());
            out.values.push(name);
        }
        Recorder { stepper, func, places, out, known: FxHashMap::default() }
    }

    fn record(mut self) -> Recording {
        let depth = self.stepper.machine.depth();
        let mut before = None;
        loop {
            self.state(before);
            if self.stepper.done {
                break;
            }
            if self.out.states.len() >= MOST_STATES {
                self.out.is_cut = true;
                break;
            }
            before = Some(self.stepper.steps);
            self.stepper.advance_shown();
            while !self.stepper.done && self.stepper.machine.depth() > depth {
                self.stepper.advance_shown();
            }
        }
        self.out
    }

    /// Appends the state now, with what was computed after a step; everything that is known without one.
    fn state(&mut self, after: Option<u64>) {
        let place = self.stepper.machine.place().filter(|_| !self.stepper.done);
        let mut state = RecordedState { computed: self.computed(after), ..RecordedState::default() };
        if let Some((func, block, inst)) = place {
            let spot = inst.map_or(Spot::Exit(func, block), |inst| Spot::Inst(func, inst));
            state.line = self.stepper.lines.line(spot);
            state.block = block.to_string();
            let [shown, _] = self.out.invocations;
            state.active = self
                .stepper
                .machine
                .active()
                .iter()
                .copied()
                .filter(|invocation| *invocation < shown)
                .collect();
        }
        self.out.states.push(state);
    }

    fn computed(&mut self, after: Option<u64>) -> Vec<Computed> {
        let Some(func) = self.func else { return Vec::new() };
        let Some((frame, seen)) = self.stepper.seen.iter().enumerate().next_back() else { return Vec::new() };
        if seen.func != Some(func) {
            return Vec::new();
        }
        let hints = self.stepper.hints.get(&func);
        let mut out = Vec::new();
        for (&inst, executed) in &seen.invocations {
            let Some(&value) = self.places.get(&inst) else { continue };
            if after.is_some_and(|after| executed.at <= after) {
                continue;
            }
            for invocation in 0..self.out.invocations[0] {
                if !super::has(&executed.bits, invocation as usize) {
                    continue;
                }
                let words = self.stepper.value(frame, func, inst, invocation as usize, hints);
                if self.known.get(&(value, invocation)) != Some(&words) {
                    self.known.insert((value, invocation), words.clone());
                    out.push(Computed { value, invocation, words });
                }
            }
        }
        out.sort_by_key(|of| (of.value, of.invocation));
        out
    }
}

/// The values of a function by their names in the text, in order.
fn names(module: &Module, func: Func) -> Vec<(Inst, String)> {
    let mut sink = Definitions { func, found: Vec::new() };
    Printer::new(module, Options::default(), &mut sink).module();
    let Some(body) = module.func(func) else { return Vec::new() };
    let is_shown = |inst: Inst| {
        let has_words = !matches!(body.ty(inst), ValueType::Path | ValueType::Handle | ValueType::Void);
        has_words && body.inst(inst).op != Op::Basic(BasicOp::Const)
    };
    sink.found.retain(|(inst, _)| is_shown(*inst));
    sink.found
}

/// Collects the names of definitions.
struct Definitions {
    func: Func,
    found: Vec<(Inst, String)>,
}

impl Sink for Definitions {
    fn put(&mut self, _: Class, text: &str, link: Link) {
        if let Link::Def(Anchor::Inst(func, inst)) = link
            && func == self.func
        {
            self.found.push((inst, text.to_owned()));
        }
    }

    fn open_line(&mut self, _: usize) {}

    fn close_line(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = include_str!("../../../../../www/learn/cfg/unreachable.start.ir");
    const BALLOT: &str = include_str!("../../../../../www/learn/divergence/ballot.ir");

    fn words(recording: &Recording, state: &RecordedState) -> String {
        let one = |of: &Computed| format!("{}={}", recording.values[of.value], of.words);
        state.computed.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_loop_is_recorded_to_its_end() {
        let of = record(LOOP.as_bytes(), "n = 5").unwrap();
        assert_eq!(of.invocations, [1, 0]);
        assert!(!of.values.iter().any(|name| name.contains("zero")), "constants: {:?}", of.values);
        let blocks: Vec<&str> = of.states.iter().map(|state| state.block.as_str()).collect();
        let mut visits = blocks.clone();
        visits.dedup();
        assert_eq!(visits, ["^0", "^1", "^2", "^1", "^2", "^1", "^2", "^1", "^3", ""]);
        let arrivals: Vec<String> = (1..of.states.len())
            .filter(|&at| blocks[at] == "^1" && blocks[at - 1] != "^1")
            .map(|at| words(&of, &of.states[at]))
            .collect();
        assert_eq!(arrivals.len(), 4, "{arrivals:?}");
        assert!(arrivals[0].contains("%u_4=5") && arrivals[3].contains("%u_4=0"), "{arrivals:?}");
        let text: Vec<&str> = LOOP.lines().filter(|line| !line.starts_with(';')).collect();
        let printed = crate::text::print_module(&crate::text::parse(LOOP).module);
        let line = |state: &RecordedState| {
            printed.lines().nth(state.line.unwrap() as usize).unwrap().trim().to_owned()
        };
        assert!(line(&of.states[0]).contains("deref.var") && text.len() > 5, "{}", line(&of.states[0]));
        assert!(printed.lines().nth(of.first_line as usize).unwrap().starts_with("func "));
        assert!(of.states.last().unwrap().line.is_none() && !of.is_cut);
    }

    #[test]
    fn invocations_that_wait_compute_nothing() {
        let of = record(BALLOT.as_bytes(), "").unwrap();
        assert_eq!(of.invocations, [8, 0]);
        let inside = of.states.iter().find(|state| state.block == "^1").unwrap();
        assert_eq!(inside.active, [0, 1, 2]);
        let here = of.values.iter().position(|name| name == "%here_8").unwrap();
        let counts: Vec<(u32, &str)> = of
            .states
            .iter()
            .flat_map(|state| &state.computed)
            .filter(|of| of.value == here)
            .map(|of| (of.invocation, of.words.as_str()))
            .collect();
        assert_eq!(counts, [(0, "3"), (1, "3"), (2, "3")]);
    }

    #[test]
    fn a_long_run_is_cut_and_a_wrong_input_is_refused() {
        let of = record(LOOP.as_bytes(), "n = 4294967295").unwrap();
        assert!(of.states.len() < MOST_STATES && !of.is_cut, "32 iterations");
        let endless = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  goto ^1\n^1:\n  goto ^1\n}\n";
        let of = record(endless.as_bytes(), "").unwrap();
        assert!(of.is_cut && of.states.len() == MOST_STATES);
        assert!(record(LOOP.as_bytes(), "moon = 3").unwrap_err().contains("moon"));
        assert!(record(b"func @0() graph {\n", "").is_err());
    }

    #[test]
    fn a_function_without_an_entry_point_and_calls_are_recorded() {
        let text = "func @0(%0: b32) -> b32 tree {\n^0:\n  %1: b32 = call @1(%0)\n  %2: b32 = iadd %1, %1\n  return %2\n}\n\n\
                    func @1(%0: b32) -> b32 tree {\n^0:\n  %1: b32 = iadd %0, %0\n  return %1\n}\n";
        let of = record(text.as_bytes(), "").unwrap();
        assert_eq!(of.values, ["%0", "%1", "%2"]);
        assert_eq!(of.states.len(), 4, "the call is one step: {of:?}");
        assert!(of.states[1].computed.iter().any(|of| of.value == 1));
    }
}
