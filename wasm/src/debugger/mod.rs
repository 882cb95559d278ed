//! The debugger's interface for JavaScript: one class, created by `www/debugger.js` in a separate Web Worker.
//!
//! The compiler's worker stays responsive while something runs here. No logic: it calls
//! `view_model::debugger`. A panic is a line in the console and a fault; the page ends the worker and starts
//! another.

mod reports; // answers of `view_model::debugger`, typed

use vitrine_protocol::{
    BeginTask, CheckInputs, DebuggerAnswer, DebuggerRequest, GivenPicture, GpuApi, NumberView, Question,
    QuestionReply, Report, StepCommand, Table, TableRows, Task, TaskReport, js,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::model::debugger::{self as debugger_model, Picture};
use crate::port;

/// The debugger, as seen by its worker.
#[wasm_bindgen]
#[derive(Default)]
pub struct Debugger {
    model: debugger_model::Debugger,
    /// The current task, with its serial number.
    current: Option<(u32, Task)>,
}

#[wasm_bindgen]
impl Debugger {
    /// A debugger that sends its messages in binary form, or as objects; see `vitrine_protocol::js`.
    #[wasm_bindgen(constructor)]
    pub fn new(binary: bool) -> Debugger {
        port::open(binary);
        Debugger::default()
    }

    /// Handles a request of the page; an invalid message is a fault. Returns true if [`Debugger::slice`] has
    /// work.
    pub fn dispatch(&mut self, request: JsValue) -> bool {
        match port::read(request) {
            Ok(request) => self.handle(request).iter().for_each(port::post),
            Err(message) => port::post_fault(message),
        }
        self.current.is_some()
    }

    /// The text of a version for `WebGPU` or `WebGL2` with the inputs of the last run, as a `GpuJob`; `undefined` before the
    /// first run.
    pub fn gpu_job(&self, version: u32, api: &str) -> JsValue {
        object(&self.model.gpu_job(version, gpu_api(api)))
    }

    /// Compares what a GPU computed for a version with the last run, as a `GpuVerdict`; `undefined` before the first run.
    pub fn gpu_verdict(&self, version: u32, api: &str, data: &[u8]) -> JsValue {
        object(&self.model.gpu_verdict(version, gpu_api(api), data))
    }

    /// Continues the task for this number of ms, and reports. Returns true if there is more to do.
    pub fn slice(&mut self, ms: f64) -> bool {
        let end = port::now() + ms;
        self.report(&mut || port::now() < end).iter().for_each(port::post);
        self.current.is_some()
    }
}

impl Debugger {
    fn handle(&mut self, request: DebuggerRequest) -> Option<DebuggerAnswer> {
        match request {
            DebuggerRequest::Program(program) => {
                self.model.give(program.code().to_vec());
                None
            }
            DebuggerRequest::Begin(BeginTask { serial, pipeline, task }) => {
                self.model.open(&pipeline, &mut |_, _| {});
                if let Task::Run { assignments, pictures, .. } = &task {
                    self.model.assign(assignments, pictures.iter().map(picture).collect());
                }
                let (name, numbers) = named(&task);
                self.model.begin(name, &numbers);
                self.current = Some((serial, task));
                None
            }
            DebuggerRequest::Ask(request) => {
                if let Question::Watch { stops, watches } = &request.question {
                    self.model.watch(stops, watches);
                }
                let (name, numbers) = query(&request.question);
                self.model.ask(name, &numbers);
                Some(match reports::reply(&request.question, self.model.answered()) {
                    Ok(reply) => DebuggerAnswer::Reply(QuestionReply { serial: request.serial, reply }),
                    Err(message) => fault(message),
                })
            }
            DebuggerRequest::Stop => {
                self.current = None;
                Some(DebuggerAnswer::Stopped)
            }
        }
    }

    /// Continues the task while there is time.
    fn report(&mut self, time: debugger_model::Time<'_>) -> Option<DebuggerAnswer> {
        let (serial, task) = self.current.take()?;
        let done = !self.model.slice(time);
        let mut report = reports::report(&task, self.model.answer());
        if let (Ok(Some(Report::Run(run))), true) = (&mut report, done) {
            run.executions = Table::from_words(self.model.executions());
        }
        if !done {
            self.current = Some((serial, task));
        }
        Some(match report {
            Ok(report) => DebuggerAnswer::Task(TaskReport { serial, done, report }),
            Err(message) => fault(message),
        })
    }
}

/// The API with a name; WebGPU for an unknown one.
fn gpu_api(name: &str) -> GpuApi {
    GpuApi::named(name).unwrap_or_default()
}

/// An object for `www/gpu.js`; `undefined` if there is none.
fn object(of: &impl serde::Serialize) -> JsValue {
    js::encode_object(of).map_or(JsValue::UNDEFINED, |message| message.value)
}

fn fault(message: String) -> DebuggerAnswer {
    DebuggerAnswer::Fault(vitrine_protocol::Fault { message })
}

fn picture(GivenPicture { input, file, size, rgba }: &GivenPicture) -> Picture {
    Picture { input: input.clone(), file: file.clone(), size: *size, rgba: rgba.0.clone() }
}

/// Name and numbers of a task, see `debugger_model::Debugger::begin`.
fn named(task: &Task) -> (&'static str, Vec<u32>) {
    let inputs = |CheckInputs { seed, runs }: &CheckInputs| vec![*seed, *runs];
    match task {
        Task::Check(of) => ("check", inputs(of)),
        Task::Bisect { inputs: of, wrong_version } => {
            ("bisect", [inputs(of), vec![wrong_version.unwrap_or(0)]].concat())
        }
        Task::Reduce(of) => ("reduce", inputs(of)),
        Task::Run { entry, seed, version, compare, assignments: _, pictures: _ } => {
            ("run", vec![entry.unwrap_or(u32::MAX), *seed, *version, u32::from(*compare)])
        }
        Task::Debug { target } => ("debug", target.to_vec()),
        Task::Step { command, line } => {
            let command = match command {
                StepCommand::Into => 0,
                StepCommand::Over => 1,
                StepCommand::Out => 2,
                StepCommand::ToLine => 3,
                StepCommand::ToEnd => 4,
                StepCommand::Back => 5,
                StepCommand::Continue => 6,
                StepCommand::LineInto => 7,
                StepCommand::LineOver => 8,
                StepCommand::LineOut => 9,
                StepCommand::ToSource => 10,
                StepCommand::LineBack => 11,
            };
            ("step", vec![command, *line])
        }
    }
}

/// Name and numbers of a question, see `debugger_model::Debugger::ask`.
fn query(question: &Question) -> (&'static str, Vec<u32>) {
    let rows = |TableRows { number, view, first, count }: TableRows| {
        let view = match view {
            NumberView::Float => 0,
            NumberView::Int => 1,
            NumberView::Uint => 2,
            NumberView::Hex => 3,
            NumberView::Typed => 4,
        };
        vec![number, view, first, count]
    };
    match *question {
        Question::Smallest => ("smallest", Vec::new()),
        Question::Pixel { x, y } => ("pixel", vec![x, y]),
        Question::Invocation(number) => ("invocation", vec![number]),
        Question::Watch { .. } => ("state", Vec::new()),
        Question::Invocations { line } => ("invocations", vec![line]),
        Question::Resource(of) => ("table", rows(of)),
        Question::Variable(of) => ("memory", rows(of)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Bytes, Program, QuestionRequest, Reply};

    fn of(text: &str) -> Program {
        Program { input: Bytes(text.as_bytes().to_vec()), ..Program::default() }
    }

    fn to_end(debugger: &mut Debugger, task: Task) -> Report {
        let begin = BeginTask { serial: 7, pipeline: String::new(), task };
        assert_eq!(debugger.handle(DebuggerRequest::Begin(begin)), None);
        loop {
            let answer = debugger.report(&mut || true);
            let Some(DebuggerAnswer::Task(TaskReport { serial: 7, done, report: Some(report) })) = answer
            else {
                panic!("{answer:?}");
            };
            if done {
                return report;
            }
        }
    }

    const INPUT: &str = "out $1: f32x4 {location 0}\n\nentry fragment \"main\" @0 ($1) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n  \
        %0: b32 = const 1.0\n  %1: b32x4 = vec %0, %0, %0, %0\n  %2: path = deref.var $1\n  %3 = store %2, %1\n  return\n}\n";

    fn a_run(compare: bool, assignments: &str) -> Task {
        Task::Run {
            entry: None,
            seed: 0,
            version: 0,
            compare,
            assignments: assignments.to_owned(),
            pictures: Vec::new(),
        }
    }

    fn ran() -> Debugger {
        let mut debugger = Debugger::default();
        debugger.handle(DebuggerRequest::Program(of(INPUT)));
        let task = a_run(true, "");
        let Report::Run(run) = to_end(&mut debugger, task) else { panic!("not a run") };
        assert_eq!((run.refused.as_str(), run.entries[0].name.as_str(), run.done), ("", "main", run.total));
        assert!(
            run.pixels.0.len() >= (run.size * run.size * 4) as usize
                && run.summary.contains("the same as the input")
        );
        let executions = run.executions.entries();
        assert_eq!(executions.len(), 1);
        assert_eq!(executions[0].count, [run.size * run.size, 0], "every pixel once");
        debugger
    }

    #[test]
    fn a_run_is_reported_and_stepped_through() {
        let mut debugger = ran();
        let Report::Step(step) = to_end(&mut debugger, Task::Debug { target: [1, 2] }) else {
            panic!("not a step")
        };
        assert!(!step.finished && step.line.is_some() && step.invocations > 0);
        let task = Task::Step { command: StepCommand::ToEnd, line: 0 };
        let Report::Step(step) = to_end(&mut debugger, task) else { panic!("not a step") };
        assert!(step.finished && !step.status.is_empty());
    }

    #[test]
    fn questions_are_answered_by_their_kind() {
        let mut debugger = ran();
        let mut ask = |question| {
            let answer = debugger.handle(DebuggerRequest::Ask(QuestionRequest { serial: 3, question }));
            let Some(DebuggerAnswer::Reply(QuestionReply { serial: 3, reply })) = answer else {
                panic!("{answer:?}")
            };
            reply
        };
        assert!(
            matches!(ask(Question::Pixel { x: 1, y: 2 }), Some(Reply::Pixel(words)) if !words.is_empty())
        );
        assert_eq!(ask(Question::Invocation(0)), None, "nothing is stepped through");
    }

    #[test]
    fn resources_are_tables() {
        let mut debugger = Debugger::default();
        let input = include_str!("../../../www/examples/particles.spvasm");
        debugger.handle(DebuggerRequest::Program(of(input)));
        let task = a_run(false, "particles[1].age = 0.375\nmoon = 1");
        let Report::Run(run) = to_end(&mut debugger, task) else { panic!("not a run") };
        let [wrong] = &run.wrong_assignments[..] else { panic!("{:?}", run.wrong_assignments) };
        assert!(wrong.line == 1 && wrong.reason.contains("`moon`"), "{wrong:?}");
        let number = run.inputs.iter().find_map(|input| input.resource).expect("a buffer");
        let rows = TableRows { number, view: NumberView::Float, first: 0, count: 2 };
        let mut ask = |rows| {
            let question = Question::Resource(rows);
            match debugger.handle(DebuggerRequest::Ask(QuestionRequest { serial: 3, question })) {
                Some(DebuggerAnswer::Reply(QuestionReply { serial: 3, reply })) => reply,
                other => panic!("{other:?}"),
            }
        };
        let Some(Reply::Table(table)) = ask(rows) else { panic!("no table") };
        assert!(table.text.starts_with("byte\t"), "{}", table.text);
        assert_eq!(table.text.lines().count() as u32, 1 + table.rows.min(2));
        assert_eq!(table.marks.len() as u32, table.rows.min(2) * (table.columns - 1));
        assert_eq!(ask(TableRows { number: 99, ..rows }), None);
        let Some(Reply::Table(table)) = ask(TableRows { view: NumberView::Typed, count: 99, ..rows }) else {
            panic!("no table")
        };
        assert!(table.text.starts_with("name\tbefore\tafter\n"), "{}", table.text);
        assert!(table.text.contains("scene.particles[1].age\t0.375\t"), "{}", table.text);
    }

    #[test]
    fn a_check_a_bisection_and_a_reduction_are_reported() {
        let mut debugger = Debugger::default();
        debugger.handle(DebuggerRequest::Program(of(INPUT)));
        let inputs = CheckInputs { seed: 1, runs: 4 };
        let mut run = |task, pipeline: &str| {
            let begin = BeginTask { serial: 1, pipeline: pipeline.to_owned(), task };
            debugger.handle(DebuggerRequest::Begin(begin));
            loop {
                match debugger.report(&mut || true) {
                    Some(DebuggerAnswer::Task(TaskReport { done: true, report, .. })) => return report,
                    Some(DebuggerAnswer::Task(_)) => {}
                    other => panic!("{other:?}"),
                }
            }
        };
        let Some(Report::Check(check)) = run(Task::Check(inputs), "dce") else { panic!("not a check") };
        assert_eq!((check.marks.len(), check.wrong_version), (1, None));
        let bisect = run(Task::Bisect { inputs, wrong_version: None }, "dce");
        assert!(
            matches!(bisect, Some(Report::Bisect(of)) if of.wrong_version.is_none() && !of.summary.is_empty())
        );
        assert!(matches!(run(Task::Reduce(inputs), "dce"), Some(Report::Reduce(of)) if of.kept == 0));
    }
}
