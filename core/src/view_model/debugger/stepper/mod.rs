//! Stepping: one group of invocations, instruction by instruction, with the values of every invocation.
//!
//! A step back runs the group again, up to the previous step: a run is deterministic. In a dispatch or a draw
//! the groups before it run first, since this one may read their writes. In a picture they do not, and
//! storage has its initial contents.
//!
//! Values are displayed after they were computed: executed instructions are recorded here for each frame,
//! since the virtual registers of the machine keep values of earlier calls.

mod report; // the state of the group, as text
mod expr; // the text of breakpoints and watch expressions
mod watch; // their values
mod line; // the current line of the source
mod source; // steps by lines
mod removed; // variables that passes removed
mod variables; // variables of the source
mod record; // a whole run, for figures

use super::Time;
use super::lines::{Lines, Spot};
use super::picture;
use super::run::VersionRun;
use crate::analysis::{Cfg, Types};
use crate::interp::{Group, Inputs, Machine, Status};
use crate::ir::{Block, Func, Inst, Module, Stage};
use crate::pipeline::Trace;
use expr::Stop;
use line::{CurrentLine, LinePlace, lines_with_code};
pub use record::{Computed, MOST_STATES, RecordedState, Recording, record};
use removed::{Removed, removed};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Steps between two checks of the clock.
const BETWEEN: u32 = 256;

/// The end of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    /// Executes one instruction (0).
    Into,
    /// Executes one instruction, including the function it calls (1).
    Over(usize),
    /// Returns from the function (2).
    Out(usize),
    /// To a line (3).
    To(Spot),
    /// To the end (4).
    End,
    /// This number of steps from the start; used for steps back (5).
    Steps(u64),
    /// To a breakpoint (6).
    Stop,
    /// To the next source line of the chosen invocation (7).
    LineInto,
    /// The same, not in functions that are called (8).
    LineOver(usize, Option<LinePlace>),
    /// To a source line after the function returned (9).
    LineOut(usize),
    /// To this source line (10).
    ToSource(u32),
    /// To the start of the source line, or of the one before it; the number of steps now (11).
    LineBack(u64),
}

/// An executed instruction.
#[derive(Default)]
struct Executed {
    /// A bit for each invocation that computed it.
    bits: Vec<u64>,
    /// The step of the last time.
    at: u64,
}

/// The executed instructions of a frame.
#[derive(Default)]
struct Seen {
    func: Option<Func>,
    /// By instruction.
    invocations: FxHashMap<Inst, Executed>,
    /// The call that it executes.
    calling: Option<Inst>,
}

/// A group that is stepped through.
pub(super) struct Stepper {
    module: Module,
    lines: Rc<Lines>,
    hints: FxHashMap<Func, Types>,
    entry: usize,
    at: usize,
    stage: Stage,
    /// True if a caller runs the function.
    is_call: bool,
    inputs: Inputs,
    machine: Machine,
    group: Group,
    /// The groups to run first, and the number of those that did.
    earlier: (u64, u64),
    running: bool,
    began: bool,
    invocation: usize,
    steps: u64,
    seen: Vec<Seen>,
    goal: Option<Goal>,
    done: bool,
    active: Vec<u32>,
    /// Breakpoints, each with the reason why it cannot be followed.
    stops: Vec<Result<Stop, String>>,
    watches: Vec<String>,
    /// The reason why the last step ended, if it is not the goal.
    stopped: String,
    /// The line of the source that runs.
    line: CurrentLine,
    /// True if the program has lines of a source.
    has_lines: bool,
    /// Variables of the input that this version does not have.
    removed: FxHashMap<Func, Vec<Removed>>,
}

impl Stepper {
    /// The group of a run that contains a pixel (`at` is its x and y), or a group and an invocation of it,
    /// before its first instruction. None if the run was refused.
    pub(super) fn new(run: &VersionRun, trace: &Trace, at: [u32; 2]) -> Option<Stepper> {
        let machine = Machine::new(&run.version, run.entry, &run.inputs).ok()?;
        let (group, invocation, earlier) = match run.stage {
            Stage::Fragment => {
                let (number, invocation) = picture::home(at[0], at[1]);
                (picture::group(number, false), invocation, 0)
            }
            _ => {
                let number = u64::from(at[0]).min(machine.group_count().saturating_sub(1));
                let group = machine.group_at(number);
                let invocation = (at[1] as usize).min(group.invocations.len().saturating_sub(1));
                (group, invocation, number)
            }
        };
        Some(Stepper {
            module: run.version.clone(),
            lines: Rc::clone(&run.lines),
            hints: FxHashMap::default(),
            entry: run.entry,
            at: run.at,
            stage: run.stage,
            is_call: run.is_call,
            inputs: run.inputs.clone(),
            machine,
            group,
            earlier: (0, earlier),
            running: false,
            began: false,
            invocation,
            steps: 0,
            seen: Vec::new(),
            goal: None,
            done: false,
            active: Vec::new(),
            stops: Vec::new(),
            watches: Vec::new(),
            stopped: String::new(),
            line: CurrentLine::default(),
            has_lines: !lines_with_code(&run.version).is_empty(),
            removed: removed(trace, run.at),
        })
    }

    /// Sets the end of the next step: a number as in [`Goal`], and the line for 3 and 10.
    pub(super) fn go(&mut self, how: u32, line: u32) {
        let depth = self.machine.depth();
        self.stopped.clear();
        self.goal = match how {
            0 => Some(Goal::Into),
            1 => Some(Goal::Over(depth)),
            2 => Some(Goal::Out(depth)),
            3 => self.lines.spot(line).map(Goal::To),
            4 => Some(Goal::End),
            6 => Some(Goal::Stop),
            7 => Some(Goal::LineInto),
            8 => Some(Goal::LineOver(depth, self.line.place)),
            9 => Some(Goal::LineOut(depth)),
            10 => Some(Goal::ToSource(line)),
            11 => {
                let now = self.steps;
                self.restart();
                Some(Goal::LineBack(now))
            }
            _ => {
                let before = self.steps.saturating_sub(1);
                self.restart();
                Some(Goal::Steps(before))
            }
        };
    }

    /// Restarts the group.
    fn restart(&mut self) {
        // The same inputs were accepted before, so they cannot be refused now.
        if let Ok(machine) = Machine::new(&self.module, self.entry, &self.inputs) {
            self.machine = machine;
        }
        (self.earlier.0, self.running, self.began, self.steps, self.done) = (0, false, false, 0, false);
        self.seen.clear();
        self.line = CurrentLine::default();
    }

    /// Selects the invocation whose values are shown.
    pub(super) fn choose(&mut self, invocation: u32) {
        self.invocation = (invocation as usize).min(self.group.invocations.len().saturating_sub(1));
    }

    /// Continues. Returns true if there is more to do.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        loop {
            if !time() {
                return true;
            }
            if !self.began {
                self.prepare();
                continue;
            }
            let Some(goal) = self.goal else { return false };
            for _ in 0..BETWEEN {
                let is_back = matches!(goal, Goal::Steps(to) | Goal::LineBack(to) if self.steps >= to);
                if self.done || is_back {
                    self.reached(goal);
                    break;
                }
                self.advance_shown();
                self.follow_line();
                if self.is_there(goal) {
                    self.reached(goal);
                    break;
                }
            }
        }
    }

    /// Ends the step, with an explanation.
    fn reached(&mut self, goal: Goal) {
        if let Goal::LineBack(now) = goal {
            let to = self.line_before(now);
            self.restart();
            self.goal = Some(Goal::Steps(to));
            return;
        }
        self.goal = None;
        if goal == Goal::Stop {
            self.stopped = match self.stop_here().filter(|_| !self.done) {
                Some(stop) => format!("Stopped at the breakpoint {}", stop.text),
                None if self.stops.is_empty() => {
                    "There is no breakpoint: the program ran to its end".to_owned()
                }
                None => "No further breakpoint was reached".to_owned(),
            };
        }
    }

    /// Runs a part of the groups before, then enters this one.
    fn prepare(&mut self) {
        let (ran, all) = self.earlier;
        if ran >= all {
            self.machine.begin(&self.group);
            self.began = true;
            self.follow(None);
            self.skip_caller();
            self.follow_line();
            return;
        }
        if !self.running {
            let group = self.machine.group_at(ran);
            self.machine.begin(&group);
            self.running = true;
        }
        if self.machine.run(2048) == Status::Done {
            (self.running, self.earlier.0) = (false, ran + 1);
        }
    }

    fn is_there(&self, goal: Goal) -> bool {
        let depth = self.machine.depth();
        match goal {
            Goal::Into => true,
            Goal::Over(from) => depth <= from,
            Goal::Out(from) => depth < from,
            Goal::To(spot) => self.spot() == Some(spot),
            Goal::End => false,
            Goal::Stop => self.stop_here().is_some(),
            Goal::Steps(steps) | Goal::LineBack(steps) => self.steps >= steps,
            Goal::LineInto | Goal::LineOver(..) | Goal::LineOut(_) | Goal::ToSource(_) => {
                self.is_line_there(goal)
            }
        }
    }

    /// The next instruction or terminator.
    fn spot(&self) -> Option<Spot> {
        let (func, block, inst) = self.machine.place()?;
        Some(inst.map_or(Spot::Exit(func, block), |inst| Spot::Inst(func, inst)))
    }

    /// A step, and the steps of a caller after it, which has no lines.
    fn advance_shown(&mut self) {
        self.advance();
        self.skip_caller();
    }

    /// Executes instructions of a caller, which do not count as steps.
    fn skip_caller(&mut self) {
        let steps = self.steps;
        while self.is_call && !self.done && self.spot().is_some_and(|spot| self.lines.line(spot).is_none()) {
            self.advance();
        }
        self.steps = steps;
    }

    fn advance(&mut self) {
        let before = self.machine.place();
        self.active.clear();
        self.active.extend_from_slice(self.machine.active());
        let depth = self.machine.depth();
        self.done = self.machine.step() == Status::Done;
        self.steps += 1;
        let calls = self.machine.depth() > depth;
        if let (Some((.., Some(inst))), Some(seen)) =
            (before, depth.checked_sub(1).and_then(|at| self.seen.get_mut(at)))
        {
            match calls {
                true => seen.calling = Some(inst),
                false => note(seen, inst, &self.active, self.steps),
            }
        }
        self.follow(before.map(|(_, block, inst)| (depth, block, inst.is_none())));
    }

    /// Follows the call stack of the machine. Records parameters of a block that was just entered, and
    /// results of calls that returned. `before`: depth, block, and true if it was left.
    fn follow(&mut self, before: Option<(usize, Block, bool)>) {
        let depth = self.machine.depth();
        let Some((func, block, _)) = self.machine.place() else { return self.seen.truncate(depth) };
        while self.seen.len() > depth {
            self.seen.pop();
            if let Some(seen) = self.seen.last_mut()
                && let Some(call) = seen.calling.take()
            {
                note(seen, call, self.machine.active(), self.steps);
            }
        }
        let is_new = self.seen.len() < depth;
        while self.seen.len() < depth {
            self.seen.push(Seen::default());
        }
        let entered = is_new || before.is_none_or(|(was, from, left)| left || from != block || was != depth);
        let Some(seen) = self.seen.last_mut().filter(|_| entered) else { return };
        seen.func = Some(func);
        let Some(body) = self.module.func(func) else { return };
        if is_new {
            let types = || Types::of(&self.module, body, &Cfg::of(body));
            self.hints.entry(func).or_insert_with(types);
        }
        let params = body.block(block).params.iter().chain(if is_new { body.params() } else { &[] });
        for &param in params {
            note(seen, param, self.machine.active(), self.steps);
        }
    }
}

/// Records that an instruction was computed by these invocations.
fn note(seen: &mut Seen, inst: Inst, invocations: &[u32], at: u64) {
    let executed = seen.invocations.entry(inst).or_default();
    executed.at = at;
    let bits = &mut executed.bits;
    for &invocation in invocations {
        let word = invocation as usize / 64;
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        if let Some(word) = bits.get_mut(word) {
            *word |= 1 << (invocation % 64);
        }
    }
}

fn has(invocations: &[u64], invocation: usize) -> bool {
    invocations.get(invocation / 64).is_some_and(|word| word >> (invocation % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Debugger};

    const TEXT: &str = "in $0: u32 {builtin local_invocation_index}\n\n\
        entry compute \"main\" @0 ($0) {local_size 4 1 1}\n\n\
        func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = load %0\n  %2: b32 = call @1(%1)\n\
        \x20 %3: b32 = const 2\n  %4: b1 = ult %1, %3\n  if !0 %4 {\n  ^1:\n    %5: b32 = iadd %2, %3\n    next\n  } else {\n  ^2:\n    next\n  }\n^3:\n  return\n}\n\n\
        func @1(%0: b32) -> b32 tree {\n^0:\n  %1: b32 = iadd %0, %0\n  return %1\n}\n";

    fn stepping() -> Debugger {
        stepping_through(TEXT, 3)
    }

    /// Steps through an invocation of a program.
    fn stepping_through(text: &str, invocation: u32) -> Debugger {
        let mut debugger = Debugger::new();
        debugger.give(text.as_bytes().to_vec());
        debugger.open("", &mut |_, _| {});
        debugger.begin("run", &[0, 1, 0, 0]);
        while debugger.slice(&mut || true) {}
        assert!(!debugger.answer().text.starts_with('!'), "{}", debugger.answer().text);
        debugger.begin("debug", &[0, invocation]);
        while debugger.slice(&mut || true) {}
        debugger
    }

    fn step(debugger: &mut Debugger, how: u32, line: u32) -> Answer {
        debugger.begin("step", &[how, line]);
        while debugger.slice(&mut || true) {}
        debugger.answer()
    }

    /// The text of the next line.
    fn next(answer: &Answer) -> String {
        let printed = crate::text::print_module(&crate::text::parse(TEXT).module);
        let line = answer.numbers[2].checked_sub(1).and_then(|line| printed.lines().nth(line as usize));
        line.unwrap_or("").trim().to_owned()
    }

    #[test]
    fn steps_go_into_over_and_out_of_calls_and_back() {
        let mut debugger = stepping();
        assert!(next(&debugger.answer()).starts_with("%0: path"), "{:?}", debugger.answer());
        let load = step(&mut debugger, 0, 0);
        assert!(next(&load).starts_with("%1: b32 = load"), "{load:?}");
        let call = step(&mut debugger, 0, 0);
        assert!(next(&call).starts_with("%2: b32 = call"), "{call:?}");
        assert!(call.text.contains("\t3\n"), "invocation 3 loaded 3: {}", call.text);
        let inside = step(&mut debugger, 0, 0);
        assert!(next(&inside).contains("iadd %0, %0") && inside.numbers[3] == 2, "{inside:?}");
        let back = step(&mut debugger, 5, 0);
        assert_eq!((back.numbers[1], next(&back)), (2, next(&call)));
        let over = step(&mut debugger, 1, 0);
        assert!(next(&over).starts_with("%4: b1 = ult") && over.text.contains("\t6\n"), "{over:?}");
        step(&mut debugger, 5, 0);
        let out = step(&mut debugger, 2, 0);
        assert_eq!(next(&out), next(&over), "{out:?}");
    }

    #[test]
    fn a_line_is_reached_by_the_invocations_that_come_there_and_the_end_by_all() {
        let mut debugger = stepping();
        let printed = crate::text::print_module(&crate::text::parse(TEXT).module);
        let line = printed.lines().position(|line| line.contains("%5: b32")).unwrap() as u32;
        let there = step(&mut debugger, 3, line);
        assert_eq!((there.numbers[2], there.numbers[6]), (line + 1, 2), "{there:?}");
        assert!(
            there.text.starts_with("winvocation 3, global id (3, 0, 0), waits for others\n"),
            "{}",
            there.text
        );
        step(&mut debugger, 0, 0);
        debugger.ask("invocations", &[line]);
        let invocations = debugger.answered();
        let values: Vec<_> =
            invocations.text.lines().map(|line| line.rsplit('\t').next().unwrap_or("")).collect();
        assert_eq!(values, ["%5", "2", "4", "", ""]);
        debugger.ask("invocation", &[1]);
        assert!(debugger.answered().text.contains("v") && invocations.numbers[4 + 9] == 2);
        let end = step(&mut debugger, 4, 0);
        assert_eq!((end.numbers[0], end.numbers[2]), (1, 0));
        assert!(end.text.contains("returned"), "{}", end.text);
        assert_eq!(step(&mut debugger, 0, 0).numbers[1], end.numbers[1], "nothing is left to run");
        assert!(step(&mut debugger, 5, 0).numbers[0] == 0, "but one can go back");
    }

    #[test]
    fn a_breakpoint_stops_the_chosen_invocation_if_its_condition_holds() {
        let debugger = &mut stepping();
        debugger.watch("@0 ^1 if %2 > 100\n@0 ^3\n@1 ^0 if %0 == 3", "%2\n@0 %1\n%4\n%99\n%0 < 7\nmoon");
        let inside = step(debugger, 6, 0);
        assert!(next(&inside).contains("iadd %0, %0"), "{inside:?}");
        let lines = |answer: &Answer, letter: char| -> Vec<String> {
            answer.text.lines().filter_map(|line| line.strip_prefix(letter)).map(str::to_owned).collect()
        };
        assert_eq!(lines(&inside, 'h'), ["Stopped at the breakpoint @1 ^0 if %0 == 3"]);
        assert_eq!(
            lines(&inside, 'x'),
            [
                "e\t@1 has no value %2",
                "v\t3",
                "e\t@1 has no value %4",
                "e\t@1 has no value %99",
                "vtrue",
                "e\t@1 has no value or variable `moon`"
            ]
            .map(|line| line.replace("vtrue", "v\ttrue"))
        );
        let join = step(debugger, 6, 0);
        assert!(next(&join).starts_with("return"), "invocation 3 does not enter ^1: {join:?}");
        assert_eq!(&lines(&join, 'x')[..3], ["v\t6", "v\t3", "v\tfalse"]);
        let end = step(debugger, 6, 0);
        assert_eq!(
            (end.numbers[0], lines(&end, 'h')),
            (1, vec!["No further breakpoint was reached".to_owned()])
        );
        debugger.watch("@0 ^9\n@7 ^0\n^1\n@0 ^1 if %2\n@0 ^1 if moon > 1", "");
        let wrong = lines(&step(debugger, 5, 0), 'b');
        assert_eq!(wrong.len(), 4, "the last one is wrong only where it is evaluated: {wrong:?}");
        assert!(wrong[0].contains("no block ^9") && wrong[3].contains("comparison"), "{wrong:?}");
    }

    #[test]
    fn a_breakpoint_stops_in_a_block_that_begins_with_a_constant() {
        let text = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  %0: b32 = const 0\n  goto ^1(%0)\n\
                    ^1(%1 \"i\": b32):\n  %2: b32 = const 10\n  %3: b1 = ult %1, %2\n  branch %3, ^2, ^3\n\
                    ^2:\n  %4: b32 = const 1\n  %5: b32 = iadd %1, %4\n  goto ^1(%5)\n^3:\n  return\n}\n";
        let mut debugger = stepping_through(text, 0);
        debugger.watch("@0 ^2 if %i == 4", "%i");
        let stopped = step(&mut debugger, 6, 0);
        assert!(stopped.text.contains("Stopped at the breakpoint @0 ^2 if %i == 4"), "{stopped:?}");
        assert!(stopped.text.contains("xv\t4"), "{stopped:?}");
    }

    #[test]
    fn a_program_that_does_not_end_says_in_which_loop() {
        let text = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  goto ^1\n^1:\n  %0: b32 = const 1\n  goto ^1\n}\n";
        let mut debugger = Debugger::new();
        debugger.give(text.as_bytes().to_vec());
        debugger.open("", &mut |_, _| {});
        debugger.begin("run", &[0, 1, 0, 0]);
        while debugger.slice(&mut || true) {}
        let answer = debugger.answer();
        assert!(answer.text.contains("; stopped in the loop ^1 of @0, line "), "{}", answer.text);
        assert!(answer.text.contains("may not terminate in the loop ^1 of @0"), "{}", answer.text);
        debugger.begin("debug", &[0, 0]);
        while debugger.slice(&mut || true) {}
        let end = step(&mut debugger, 6, 0);
        assert!(
            end.numbers[0] == 1 && end.text.contains("does not finish in the loop ^1 of @0"),
            "{}",
            end.text
        );
    }

    #[test]
    fn memory_of_the_invocation_can_be_looked_into() {
        let debugger = &mut stepping();
        let row = debugger
            .answer()
            .text
            .lines()
            .find_map(|line| line.strip_prefix('m').map(str::to_owned))
            .unwrap();
        let number = row.split('\t').next().unwrap().parse().unwrap();
        debugger.ask("memory", &[number, 1, 0, 9]);
        let memory = debugger.answered();
        assert_eq!(memory.text.lines().nth(1), Some("0x0000\t3\t\t\t"), "{memory:?}");
    }
}
