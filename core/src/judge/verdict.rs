//! Judges an answer: evaluates every check of a task and collects a sentence for each.
//!
//! A check of an invalid program fails with its first diagnostic, except for `valid` and `diag`. A fact that is undefined for a
//! program, such as the frontier of an unreachable block, fails the check with the reason, also under `not`.

use super::check::{Check, Question, entities, entity, example};
use super::predicates::{Answer, PredicateKind};
use super::subject::Subject;
use super::task::{Case, Task};
use super::truths::{Truth, truth};
use super::{behavior, counts, sets};
use crate::front;
use crate::ir::{Diag, Diags, Level};
use crate::pipeline::Pipeline;
use std::collections::BTreeMap;
use vitrine_protocol::{JudgeRequest, TaskFinding, TaskProgram};

/// The contents of the programs of a task: `start`, and those of the lines `program:`, by their names in checks.
pub type Programs = BTreeMap<String, Vec<u8>>;

/// The result of all checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// One finding for each check, in order.
    pub findings: Vec<TaskFinding>,
}

impl Judgement {
    /// Returns true if every check passed.
    pub fn passed(&self) -> bool {
        self.findings.iter().all(|finding| finding.passed)
    }
}

/// A program as it was read.
struct Given {
    diags: Diags,
    /// Errors: the reason why it cannot be judged.
    subject: Result<Subject, String>,
}

/// Judges an answer: a program, or what [`Task::form`] asks for.
///
/// Errors: a sentence if the task itself is defective: a program of it is missing or invalid.
pub fn judge(task: &Task, programs: &Programs, answer: &[u8]) -> Result<Judgement, String> {
    let given = match task.form() {
        Answer::Program => read(answer, task.function.as_deref()),
        Answer::Blocks | Answer::Edges | Answer::Values | Answer::Number | Answer::Word | Answer::Order => {
            Given { diags: Vec::new(), subject: Ok(program(task, programs, "start")?) }
        }
    };
    let mut court =
        Court { task, programs, given, answer: String::from_utf8_lossy(answer).trim().to_owned() };
    let findings = task.checks.iter().map(|check| court.finding(check)).collect::<Result<_, String>>()?;
    Ok(Judgement { findings })
}

/// The findings about an answer in a page. Errors: a sentence if the task itself is defective.
pub fn findings(request: JudgeRequest) -> Result<Vec<TaskFinding>, String> {
    let JudgeRequest { task, programs, answer } = request;
    let task = Task::parse(&task).map_err(|error| error.to_string())?;
    let programs = programs.into_iter().map(|TaskProgram { name, text }| (name, text.into_bytes())).collect();
    Ok(judge(&task, &programs, answer.as_bytes())?.findings)
}

fn read(bytes: &[u8], function: Option<&str>) -> Given {
    let (_, read) = front::read(bytes);
    let subject = match read.diags.iter().find(|diag| diag.level == Level::Error) {
        Some(diag) => Err(format!("the program is not valid: {diag}")),
        None => Subject::new(read.module, function),
    };
    Given { diags: read.diags, subject }
}

/// The first function of a valid program. Errors: the reason why it cannot be judged.
pub(super) fn subject_of(bytes: &[u8]) -> Result<Subject, String> {
    read(bytes, None).subject
}

/// A program of the task. Errors: the task is defective.
fn program(task: &Task, programs: &Programs, name: &str) -> Result<Subject, String> {
    let bytes = programs.get(name).ok_or_else(|| format!("the program `{name}` of the task is missing"))?;
    read(bytes, task.function.as_deref())
        .subject
        .map_err(|why| format!("the program `{name}` of the task: {why}"))
}

struct Court<'t> {
    task: &'t Task,
    programs: &'t Programs,
    given: Given,
    /// The answer as text.
    answer: String,
}

impl Court<'_> {
    fn finding(&mut self, check: &Check) -> Result<TaskFinding, String> {
        let found = self.found(check)?;
        let (passed, sentence) = found.unwrap_or_else(|why| (false, why));
        let sentence = match &check.after {
            Some(pipeline) => format!("after {pipeline}: {sentence}"),
            None => sentence,
        };
        Ok(TaskFinding { check: check.text.clone(), passed, marks: marks(&sentence), sentence })
    }

    /// The outer errors are those of the task, the inner ones those of the answer.
    fn found(&mut self, check: &Check) -> Result<Result<Truth, String>, String> {
        match check.predicate.name {
            "valid" => return Ok(Ok(negated(check, valid(&self.given)))),
            "diag" => return Ok(Ok(negated(check, has_code(&self.given.diags, &check.args)))),
            _ => {}
        }
        let subject = match &mut self.given.subject {
            Ok(subject) => subject,
            Err(why) => return Ok(Err(why.clone())),
        };
        let mut changed = match check.after.as_deref().map(|pipeline| after(subject, pipeline)).transpose() {
            Ok(changed) => changed,
            Err(why) => return Ok(Err(why)),
        };
        let subject = changed.as_mut().unwrap_or(subject);
        if check.predicate.kind == PredicateKind::Behavior {
            return runs(self.task, self.programs, check, subject);
        }
        Ok(match check.question {
            Question::Answer(form) => answered(check, form, subject, &self.answer),
            Question::Holds
            | Question::Fails
            | Question::Number(..)
            | Question::Entities(_)
            | Question::Word(_) => fact(check, subject),
        })
    }
}

fn valid(given: &Given) -> Truth {
    match &given.subject {
        Err(why) => (false, why.clone()),
        Ok(_) => (true, "the program is valid".to_owned()),
    }
}

fn has_code(diags: &[Diag], args: &[String]) -> Truth {
    let code = args.first().map_or("", String::as_str);
    match diags.iter().find(|diag| diag.code == code) {
        Some(diag) => (true, diag.to_string()),
        None => {
            let codes: Vec<&str> = diags.iter().map(|diag| diag.code).collect();
            let found = if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
            (false, format!("the program has no diagnostic {code}; its diagnostics: {found}"))
        }
    }
}

fn negated(check: &Check, (holds, sentence): Truth) -> Truth {
    (holds != (check.question == Question::Fails), sentence)
}

/// The program after a pipeline.
fn after(subject: &Subject, pipeline: &str) -> Result<Subject, String> {
    let parsed = Pipeline::parse(pipeline).map_err(|diag| diag.to_string())?;
    let module = parsed.run(&subject.module, None).map_err(|diag| format!("the pipeline fails: {diag}"))?;
    let func = subject.func.to_string();
    Subject::new(module, Some(&func))
}

/// A fact about the program, compared as the check demands.
fn fact(check: &Check, subject: &mut Subject) -> Result<Truth, String> {
    let (name, args) = (check.predicate.name, &check.args[..]);
    match &check.question {
        Question::Holds | Question::Fails => truth(subject, name, args).map(|truth| negated(check, truth)),
        Question::Number(by, right) => {
            let left = counts::number(subject, name, args)?;
            let passed = by.holds(left, *right);
            let found = counts::counted(name, args, left);
            Ok((
                passed,
                match passed {
                    true => format!("found {found}"),
                    false => format!("found {found}; expected {} {right}", by.words()),
                },
            ))
        }
        Question::Entities(right) => {
            let found = sets::set(subject, name, args)?;
            let passed = found == *right;
            let expected = if passed { String::new() } else { format!("; expected {}", listed(right)) };
            Ok((passed, format!("{} is {}{expected}", spelled(check), listed(&found))))
        }
        Question::Word(right) => {
            let found = counts::word(subject, name, args)?;
            let passed = found == right;
            let expected = if passed { String::new() } else { format!("; expected `{right}`") };
            Ok((passed, format!("{} is `{found}`{expected}", spelled(check))))
        }
        Question::Answer(_) => Err("an answer is not a fact".to_owned()),
    }
}

/// The predicate with its arguments.
fn spelled(check: &Check) -> String {
    match check.args.is_empty() {
        true => check.predicate.name.to_owned(),
        false => format!("{}({})", check.predicate.name, check.args.join(", ")),
    }
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "empty".to_owned() } else { items.join(" ") }
}

/// Compares an answer with a fact. The sentence for a wrong answer does not reveal the correct one.
fn answered(check: &Check, form: Answer, subject: &mut Subject, answer: &str) -> Result<Truth, String> {
    let (name, args) = (check.predicate.name, &check.args[..]);
    match form {
        Answer::Number => {
            let number = answer.parse::<u64>().map_err(|_| format!("expected a number, not `{answer}`"))?;
            let found = counts::number(subject, name, args)?;
            Ok(match number.cmp(&found) {
                std::cmp::Ordering::Equal => (true, format!("{number} is correct")),
                std::cmp::Ordering::Less => (false, format!("{number} is too small")),
                std::cmp::Ordering::Greater => (false, format!("{number} is too large")),
            })
        }
        Answer::Word => {
            let passed = counts::word(subject, name, args)? == answer;
            Ok((passed, format!("`{answer}` is {}", if passed { "correct" } else { "not correct" })))
        }
        Answer::Order => {
            let given = entities(answer, form)?;
            Ok(sets::order(subject, &given).map_or_else(|why| (false, why), |words| (true, words)))
        }
        Answer::Blocks | Answer::Edges | Answer::Values => {
            let given = entities(answer, form)?;
            let found = sets::set(subject, name, args)?;
            Ok(compared(&given, &found, form))
        }
        Answer::Program => Err(format!("expected {}", example(form))),
    }
}

/// Compares two sorted lists, in which an item may occur several times.
fn compared(given: &[String], found: &[String], form: Answer) -> Truth {
    let mut missing = found.to_vec();
    let mut wrong = Vec::new();
    for item in given {
        match missing.iter().position(|other| other == item) {
            Some(at) => {
                missing.remove(at);
            }
            None => wrong.push(item.clone()),
        }
    }
    let count = found.len() - missing.len();
    if missing.is_empty() && wrong.is_empty() {
        return (true, format!("all {} are correct: {}", form.name(), listed(found)));
    }
    let mut words = Vec::new();
    match &wrong[..] {
        [] => {}
        [one] => words.push(format!("{one} does not belong to the answer")),
        several => words.push(format!("{} do not belong to the answer", several.join(" "))),
    }
    if !missing.is_empty() {
        words.push(format!("still missing: {} of {} {}", missing.len(), missing.len() + count, form.name()));
    }
    (false, words.join("; "))
}

/// Runs the program. The outer errors are those of the task.
fn runs(
    task: &Task,
    programs: &Programs,
    check: &Check,
    subject: &Subject,
) -> Result<Result<Truth, String>, String> {
    let (name, args) = (check.predicate.name, &check.args[..]);
    let case = args.get(1);
    let cases: Vec<&Case> = task.cases.iter().filter(|of| case.is_none_or(|name| of.name == *name)).collect();
    if name == "runs-clean" {
        return Ok(behavior::runs_clean(subject, &cases));
    }
    let of = args.first().map_or("", String::as_str);
    let reference = program(task, programs, of)?;
    let found = behavior::compare(subject, &reference, of, &cases);
    Ok(found.map(|(same, sentence)| ((name == "same-as") == same, sentence)))
}

/// The entities in a sentence, each once, in order.
fn marks(sentence: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in sentence.replace("->", " ").split(|c: char| !c.is_ascii_alphanumeric() && !"^%$_".contains(c))
    {
        let Some(entity) = entity(word, &['^', '%', '$']) else { continue };
        if !found.contains(&entity) {
            found.push(entity);
        }
    }
    found
}
