//! Stepping: one group of invocations, instruction by instruction, with the values of every invocation.
//!
//! A step back runs the group again, up to the previous step: a run is deterministic. In a dispatch or a draw
//! the groups before it run first, since this one may read their writes. In a picture they do not, and
//! storage has its initial contents.
//!
//! Values are displayed after they were computed: executed instructions are recorded here for each frame,
//! since the virtual registers of the machine keep values of earlier calls.

mod report; // the state of the group
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
use vitrine_protocol::StepCommand;

/// Steps between two checks of the clock.
const BETWEEN: u32 = 256;

/// The end of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    /// Executes one instruction.
    Into,
    /// Executes one instruction, including the function it calls.
    Over(usize),
    /// Returns from the function.
    Out(usize),
    /// To a line.
    To(Spot),
    /// To the end.
    End,
    /// This number of steps from the start; used for steps back.
    Steps(u64),
    /// To a breakpoint.
    Stop,
    /// To the next source line of the chosen invocation.
    LineInto,
    /// The same, not in functions that are called.
    LineOver(usize, Option<LinePlace>),
    /// To a source line after the function returned.
    LineOut(usize),
    /// To this source line.
    ToSource(u32),
    /// To the start of the source line, or of the one before it; the number of steps now.
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

    /// Sets the end of the next step; the line is of [`StepCommand::ToLine`], from 0, or [`StepCommand::ToSource`], from 1.
    pub(super) fn go(&mut self, command: StepCommand, line: u32) {
        let depth = self.machine.depth();
        self.stopped.clear();
        self.goal = match command {
            StepCommand::Into => Some(Goal::Into),
            StepCommand::Over => Some(Goal::Over(depth)),
            StepCommand::Out => Some(Goal::Out(depth)),
            StepCommand::ToLine => self.lines.spot(line).map(Goal::To),
            StepCommand::ToEnd => Some(Goal::End),
            StepCommand::Back => {
                let before = self.steps.saturating_sub(1);
                self.restart();
                Some(Goal::Steps(before))
            }
            StepCommand::Continue => Some(Goal::Stop),
            StepCommand::LineInto => Some(Goal::LineInto),
            StepCommand::LineOver => Some(Goal::LineOver(depth, self.line.place)),
            StepCommand::LineOut => Some(Goal::LineOut(depth)),
            StepCommand::ToSource => Some(Goal::ToSource(line)),
            StepCommand::LineBack => {
                let now = self.steps;
                self.restart();
                Some(Goal::LineBack(now))
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
    use super::super::Debugger;
    use crate::text::{parse, print_module};
    use StepCommand::{Back, Continue, Into, Out, Over, ToEnd, ToLine};
    use vitrine_protocol::{
        CellMark, NumberView, Question, Reply, Report, RunReport, StepCommand, StepReport, TableReport,
        TableRows, Task, Watches,
    };

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
        let ran = run(&mut debugger);
        assert!(ran.refused.is_empty(), "{ran:?}");
        debugger.begin(&Task::Debug { target: [0, invocation] });
        while debugger.slice(&mut || true) {}
        debugger
    }

    fn run(debugger: &mut Debugger) -> RunReport {
        debugger.begin(&Task::Run {
            entry: Some(0),
            seed: 1,
            version: 0,
            compare: false,
            assignments: String::new(),
            pictures: Vec::new(),
        });
        while debugger.slice(&mut || true) {}
        let Some(Report::Run(report)) = debugger.report() else { panic!("not a run") };
        *report
    }

    fn state(debugger: &Debugger) -> StepReport {
        let Some(Report::Step(report)) = debugger.report() else { panic!("not a step") };
        *report
    }

    fn step(debugger: &mut Debugger, command: StepCommand, line: u32) -> StepReport {
        debugger.begin(&Task::Step { command, line });
        while debugger.slice(&mut || true) {}
        state(debugger)
    }

    fn watch(debugger: &mut Debugger, stops: &[&str], watches: &[&str]) {
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        debugger.ask(&Question::Watch(Watches { stops: all(stops), watches: all(watches) }));
    }

    fn table(debugger: &mut Debugger, question: &Question) -> TableReport {
        let Some(Reply::Table(table)) = debugger.ask(question) else { panic!("no table") };
        table
    }

    /// The text of the next line.
    fn next(report: &StepReport) -> String {
        let printed = print_module(&parse(TEXT).module);
        let line = report.line.and_then(|line| printed.lines().nth(line as usize));
        line.unwrap_or("").trim().to_owned()
    }

    fn has_value(report: &StepReport, words: &str) -> bool {
        report.values.iter().any(|value| value.words == words)
    }

    #[test]
    fn steps_go_into_over_and_out_of_calls_and_back() {
        let mut debugger = stepping();
        assert!(next(&state(&debugger)).starts_with("%0: path"), "{:?}", state(&debugger));
        let load = step(&mut debugger, Into, 0);
        assert!(next(&load).starts_with("%1: b32 = load"), "{load:?}");
        let call = step(&mut debugger, Into, 0);
        assert!(next(&call).starts_with("%2: b32 = call"), "{call:?}");
        assert!(has_value(&call, "3"), "invocation 3 loaded 3: {call:?}");
        let inside = step(&mut debugger, Into, 0);
        assert!(next(&inside).contains("iadd %0, %0") && inside.stack.len() == 2, "{inside:?}");
        let back = step(&mut debugger, Back, 0);
        assert_eq!((back.steps, next(&back)), (2, next(&call)));
        let over = step(&mut debugger, Over, 0);
        assert!(next(&over).starts_with("%4: b1 = ult") && has_value(&over, "6"), "{over:?}");
        step(&mut debugger, Back, 0);
        let out = step(&mut debugger, Out, 0);
        assert_eq!(next(&out), next(&over), "{out:?}");
    }

    #[test]
    fn a_line_is_reached_by_the_invocations_that_come_there_and_the_end_by_all() {
        let mut debugger = stepping();
        let printed = print_module(&parse(TEXT).module);
        let line = printed.lines().position(|line| line.contains("%5: b32")).unwrap() as u32;
        let there = step(&mut debugger, ToLine, line);
        assert_eq!((there.line, there.active), (Some(line), 2), "{there:?}");
        assert_eq!(there.status, "invocation 3, global id (3, 0, 0), waits for others");
        step(&mut debugger, Into, 0);
        let invocations = table(&mut debugger, &Question::Invocations { line });
        let values: Vec<_> = invocations.lines().map(|row| row[3].text.as_str()).collect();
        assert_eq!((invocations.heads[3].as_str(), &values[..]), ("%5", &["2", "4", "", ""][..]));
        let marks: Vec<_> = invocations.lines().map(|row| row[1].mark).collect();
        assert_eq!(marks[3], CellMark::Selected, "{invocations:?}");
        let Some(Reply::Step(other)) = debugger.ask(&Question::Invocation(1)) else { panic!("no state") };
        assert!(other.chosen == 1 && !other.values.is_empty(), "{other:?}");
        let end = step(&mut debugger, ToEnd, 0);
        assert_eq!((end.finished, end.line), (true, None));
        assert!(end.status.contains("returned"), "{end:?}");
        assert_eq!(step(&mut debugger, Into, 0).steps, end.steps, "nothing is left to run");
        assert!(!step(&mut debugger, Back, 0).finished, "but one can go back");
    }

    #[test]
    fn a_breakpoint_stops_the_chosen_invocation_if_its_condition_holds() {
        let debugger = &mut stepping();
        let stops = ["@0 ^1 if %2 > 100", "@0 ^3", "@1 ^0 if %0 == 3"];
        watch(debugger, &stops, &["%2", "@0 %1", "%4", "%99", "%0 < 7", "moon"]);
        let inside = step(debugger, Continue, 0);
        assert!(next(&inside).contains("iadd %0, %0"), "{inside:?}");
        assert_eq!(inside.stopped, "Stopped at the breakpoint @1 ^0 if %0 == 3");
        let words = |report: &StepReport| -> Vec<(bool, String)> {
            report.watched.iter().map(|of| (of.missing, of.words.clone())).collect()
        };
        let wanted = [
            (true, "@1 has no value %2"),
            (false, "3"),
            (true, "@1 has no value %4"),
            (true, "@1 has no value %99"),
            (false, "true"),
            (true, "@1 has no value or variable `moon`"),
        ];
        assert_eq!(words(&inside), wanted.map(|(missing, text)| (missing, text.to_owned())));
        let join = step(debugger, Continue, 0);
        assert!(next(&join).starts_with("return"), "invocation 3 does not enter ^1: {join:?}");
        let wanted = ["6", "3", "false"].map(|text| (false, text.to_owned()));
        assert_eq!(words(&join)[..3], wanted);
        let end = step(debugger, Continue, 0);
        assert_eq!((end.finished, end.stopped.as_str()), (true, "No further breakpoint was reached"));
        watch(debugger, &["@0 ^9", "@7 ^0", "^1", "@0 ^1 if %2", "@0 ^1 if moon > 1"], &[]);
        let wrong = step(debugger, Back, 0).wrong_stops;
        assert_eq!(wrong.len(), 4, "the last one is wrong only where it is evaluated: {wrong:?}");
        assert!(wrong[0].stop == 0 && wrong[0].reason.contains("no block ^9"), "{wrong:?}");
        assert!(wrong[3].stop == 3 && wrong[3].reason.contains("comparison"), "{wrong:?}");
    }

    #[test]
    fn a_breakpoint_stops_in_a_block_that_begins_with_a_constant() {
        let text = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  %0: b32 = const 0\n  goto ^1(%0)\n\
                    ^1(%1 \"i\": b32):\n  %2: b32 = const 10\n  %3: b1 = ult %1, %2\n  branch %3, ^2, ^3\n\
                    ^2:\n  %4: b32 = const 1\n  %5: b32 = iadd %1, %4\n  goto ^1(%5)\n^3:\n  return\n}\n";
        let mut debugger = stepping_through(text, 0);
        watch(&mut debugger, &["@0 ^2 if %i == 4"], &["%i"]);
        let stopped = step(&mut debugger, Continue, 0);
        assert_eq!(stopped.stopped, "Stopped at the breakpoint @0 ^2 if %i == 4");
        assert_eq!(stopped.watched[0].words, "4");
    }

    #[test]
    fn a_program_that_does_not_end_says_in_which_loop() {
        let text = "entry compute \"main\" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  goto ^1\n^1:\n  %0: b32 = const 1\n  goto ^1\n}\n";
        let mut debugger = Debugger::new();
        debugger.give(text.as_bytes().to_vec());
        debugger.open("", &mut |_, _| {});
        let ran = run(&mut debugger);
        assert!(ran.summary.contains("; stopped in the loop ^1 of @0, line "), "{}", ran.summary);
        let endless = &ran.reports[0].words;
        assert!(endless.contains("may not terminate in the loop ^1 of @0"), "{endless}");
        debugger.begin(&Task::Debug { target: [0, 0] });
        while debugger.slice(&mut || true) {}
        let end = step(&mut debugger, Continue, 0);
        assert!(end.finished && end.status.contains("does not finish in the loop ^1 of @0"), "{end:?}");
    }

    #[test]
    fn memory_of_the_invocation_can_be_looked_into() {
        let debugger = &mut stepping();
        let number = state(debugger).memory[0].number;
        let rows = TableRows { number, view: NumberView::Int, first: 0, count: 9 };
        let memory = table(debugger, &Question::Variable(rows));
        let row: Vec<_> = memory.lines().next().unwrap().iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(row, ["0x0000", "3", "", "", ""]);
    }
}
