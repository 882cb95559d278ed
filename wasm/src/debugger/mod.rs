//! The debugger's interface for JavaScript: one class, created by `www/debugger.js` in a separate Web Worker.
//!
//! The compiler's worker stays responsive while something runs here. No logic: requests and answers are those of
//! `view_model::debugger`. A panic is a line in the console and a fault; the page ends the worker and starts
//! another.

use vitrine_protocol::{BeginTask, DebuggerAnswer, DebuggerRequest, GpuApi, QuestionReply, TaskReport, js};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::model::debugger as debugger_model;
use crate::port;

/// The debugger, as seen by its worker.
#[wasm_bindgen]
#[derive(Default)]
pub struct Debugger {
    model: debugger_model::Debugger,
    /// The serial number of the current task.
    current: Option<u32>,
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
                self.model.begin(&task);
                self.current = Some(serial);
                None
            }
            DebuggerRequest::Ask(request) => {
                let reply = self.model.ask(&request.question);
                Some(DebuggerAnswer::Reply(QuestionReply { serial: request.serial, reply }))
            }
            DebuggerRequest::Stop => {
                self.current = None;
                Some(DebuggerAnswer::Stopped)
            }
        }
    }

    /// Continues the task while there is time.
    fn report(&mut self, time: debugger_model::Time<'_>) -> Option<DebuggerAnswer> {
        let serial = self.current.take()?;
        let done = !self.model.slice(time);
        self.current = (!done).then_some(serial);
        Some(DebuggerAnswer::Task(TaskReport { serial, done, report: self.model.report() }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Bytes, Program, Question, QuestionRequest, Report, RunReport, StepCommand, Task};

    const INPUT: &str = "out $1: f32x4 {location 0}\n\nentry fragment \"main\" @0 ($1) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n  \
        %0: b32 = const 1.0\n  %1: b32x4 = vec %0, %0, %0, %0\n  %2: path = deref.var $1\n  %3 = store %2, %1\n  return\n}\n";

    fn to_end(debugger: &mut Debugger, task: Task) -> Option<Report> {
        let begin = BeginTask { serial: 7, pipeline: String::new(), task };
        assert_eq!(debugger.handle(DebuggerRequest::Begin(begin)), None);
        loop {
            let answer = debugger.report(&mut || true);
            let Some(DebuggerAnswer::Task(TaskReport { serial: 7, done, report })) = answer else {
                panic!("{answer:?}");
            };
            if done {
                assert_eq!(debugger.report(&mut || true), None, "the task has ended");
                return report;
            }
        }
    }

    fn ran() -> (Debugger, RunReport) {
        let mut debugger = Debugger::default();
        let input = Bytes(INPUT.as_bytes().to_vec());
        debugger.handle(DebuggerRequest::Program(Program { input, ..Program::default() }));
        let task = Task::Run {
            entry: None,
            seed: 0,
            version: 0,
            compare: true,
            assignments: String::new(),
            pictures: Vec::new(),
        };
        let Some(Report::Run(run)) = to_end(&mut debugger, task) else { panic!("not a run") };
        (debugger, *run)
    }

    #[test]
    fn a_task_is_reported_until_it_is_done() {
        let (mut debugger, run) = ran();
        assert_eq!((run.refused.as_str(), run.entries[0].name.as_str(), run.done), ("", "main", run.total));
        assert_eq!(run.executions.entries()[0].count, [run.size * run.size, 0], "every pixel once");
        let Some(Report::Step(step)) = to_end(&mut debugger, Task::Debug { target: [1, 2] }) else {
            panic!("not a step")
        };
        assert!(!step.finished && step.line.is_some() && step.invocations > 0);
        let task = Task::Step { command: StepCommand::ToEnd, line: 0 };
        let Some(Report::Step(step)) = to_end(&mut debugger, task) else { panic!("not a step") };
        assert!(step.finished && !step.status.is_empty());
    }

    #[test]
    fn a_question_without_a_subject_has_no_reply() {
        let (mut debugger, _) = ran();
        let request = QuestionRequest { serial: 3, question: Question::Invocation(0) };
        assert_eq!(
            debugger.handle(DebuggerRequest::Ask(request)),
            Some(DebuggerAnswer::Reply(QuestionReply { serial: 3, reply: None })),
            "nothing is stepped through"
        );
    }
}
