//! Answers of `view_model::debugger` as typed reports.
//!
//! The answers are numbers, and lines that begin with a letter and have cells separated by tabs; their format
//! is documented where each is computed. Anything else is an error, which the page shows as a fault.

use vitrine_protocol::{
    BisectReport, Bytes, CheckMark, CheckReport, FoundDifference, Question, ReduceReport, Reply, Report,
    RunInput, RunPicture, RunReport, ShaderEntry, StackFrame, StepReport, Table, TableReport, Task, UbReport,
    ValueOnLine, VariableInMemory, WrongAssignment,
};

use crate::model::debugger::Answer;

type Read<T> = Result<T, String>;

/// The report of a task; none if there is nothing to step through.
pub(super) fn report(task: &Task, answer: Answer) -> Read<Option<Report>> {
    Ok(Some(match task {
        Task::Check(_) => Report::Check(check(answer)?),
        Task::Bisect { .. } => Report::Bisect(bisect(&answer)?),
        Task::Reduce(_) => Report::Reduce(reduce(answer)?),
        Task::Run { .. } => Report::Run(Box::new(run(answer)?)),
        Task::Debug { .. } | Task::Step { .. } => return Ok(step(&answer)?.map(Box::new).map(Report::Step)),
    }))
}

/// The reply to a question; none if it has no subject.
pub(super) fn reply(question: &Question, answer: Answer) -> Read<Option<Reply>> {
    Ok(match question {
        Question::Smallest => Some(Reply::Smallest(answer.text)),
        Question::Pixel { .. } => Some(Reply::Pixel(answer.text)),
        Question::Invocation(_) | Question::Watch { .. } => step(&answer)?.map(Box::new).map(Reply::Step),
        Question::Invocations { .. } | Question::Resource(_) | Question::Variable(_) => {
            table(answer)?.map(Reply::Table)
        }
    })
}

fn check(answer: Answer) -> Read<CheckReport> {
    let [_, done, total, wrong, marks @ ..] = &answer.numbers[..] else { return Err(short("check")) };
    let mark = |number: &u32| CheckMark::ALL.get(*number as usize).copied().ok_or_else(|| short("check"));
    let only = |letter| lines(&answer, letter).collect::<Vec<_>>().join("\n");
    let expected = lines(&answer, 'p').next().map(cells).transpose()?;
    Ok(CheckReport {
        done: *done,
        total: *total,
        wrong_version: Some(*wrong).filter(|wrong| *wrong > 0),
        marks: marks.iter().map(mark).collect::<Read<_>>()?,
        summary: only('='),
        verdicts: lines(&answer, 'v').map(str::to_owned).collect(),
        found: found(&answer)?.map(Box::new),
        expected: expected.unwrap_or_default(),
    })
}

/// The first program that differs, see `Comparison::answer`.
fn found(answer: &Answer) -> Read<Option<FoundDifference>> {
    let Some(line) = lines(answer, 'f').next() else { return Ok(None) };
    let [version, against] = cells(line)?;
    let anchor = |line: &str| {
        let words: [String; 4] = cells(line)?;
        if words.iter().any(String::is_empty) {
            return Ok(None);
        }
        let [a, b, c, d] = words.each_ref().map(|word| number(word));
        Ok(Some([a?, b?, c?, d?]))
    };
    let mut anchors = lines(answer, 's').map(anchor).collect::<Read<Vec<_>>>()?.into_iter();
    Ok(Some(FoundDifference {
        versions: [number(&version)?, number(&against)?],
        facts: lines(answer, 'd').map(cells).collect::<Read<_>>()?,
        anchors: [anchors.next().flatten(), anchors.next().flatten()],
    }))
}

fn bisect(answer: &Answer) -> Read<BisectReport> {
    let [_, runs, candidates, version, line] = answer.numbers[..] else { return Err(short("bisection")) };
    let changed = answer.text.lines().filter(|line| line.starts_with(['-', '+', 'y']));
    Ok(BisectReport {
        runs,
        candidates,
        wrong_version: Some(version).filter(|version| *version > 0),
        wrong_line: line.checked_sub(1),
        summary: lines(answer, '=').next().unwrap_or_default().to_owned(),
        probes: lines(answer, 'p').map(str::to_owned).collect(),
        change: changed.map(|line| line.strip_prefix('y').unwrap_or(line).to_owned()).collect(),
    })
}

fn reduce(answer: Answer) -> Read<ReduceReport> {
    let [.., kept] = answer.numbers[..] else { return Err(short("reduction")) };
    Ok(ReduceReport { kept, summary: answer.text })
}

fn run(answer: Answer) -> Read<RunReport> {
    let [_, done, total, kind, size, version, entry] = answer.numbers[..] else { return Err(short("run")) };
    let only = |letter| lines(&answer, letter).next().unwrap_or_default().to_owned();
    let entry_point = |line| {
        let [stage, name, refused] = cells(line)?;
        Ok(ShaderEntry { stage, name, refused })
    };
    let input = |line| {
        let [kind, name, place, value, resource, assignment] = cells(line)?;
        Ok(RunInput { kind, name, place, value, resource: resource.parse().ok(), assignment })
    };
    let wrong = |line| {
        let [line, reason] = cells(line)?;
        Ok(WrongAssignment { line: number(&line)?.saturating_sub(1), reason })
    };
    let ub = |line| {
        let [line, code, words, times] = cells(line)?;
        Ok(UbReport { line: number(&line)?.checked_sub(1), code, words, times })
    };
    Ok(RunReport {
        done,
        total,
        kind: match kind {
            0 => RunPicture::Pixels,
            1 => RunPicture::Vertices,
            3 => RunPicture::Result,
            _ => RunPicture::Workgroups,
        },
        size,
        version,
        entry,
        refused: only('!'),
        summary: only('='),
        entries: lines(&answer, 'e').map(entry_point).collect::<Read<_>>()?,
        inputs: lines(&answer, 'i').map(input).collect::<Read<_>>()?,
        reports: lines(&answer, 'r').map(ub).collect::<Read<_>>()?,
        wrong_assignments: lines(&answer, 'a').map(wrong).collect::<Read<_>>()?,
        pixels: Bytes(answer.bytes),
        executions: Table::default(),
    })
}

fn step(answer: &Answer) -> Read<Option<StepReport>> {
    if answer.numbers.is_empty() {
        return Ok(None);
    }
    let [finished, steps, line, _, chosen, invocations, active, version, ref stack @ ..] = answer.numbers[..]
    else {
        return Err(short("step"));
    };
    let value = |line| {
        let [line, words] = cells(line)?;
        Ok(ValueOnLine { line: number(&line)?, words })
    };
    let frame = |(line, cell): (&u32, _)| {
        let [name, invocations] = cells(cell)?;
        Ok(StackFrame { line: line.checked_sub(1), name, invocations })
    };
    let variable = |line| {
        let [of, name, mode, size] = cells(line)?;
        Ok(VariableInMemory { number: number(&of)?, name, mode, size })
    };
    Ok(Some(StepReport {
        finished: finished > 0,
        steps,
        line: line.checked_sub(1),
        chosen,
        invocations,
        active,
        version,
        status: lines(answer, 'w').next().unwrap_or_default().to_owned(),
        values: lines(answer, 'v').map(value).collect::<Read<_>>()?,
        stack: stack.iter().zip(lines(answer, 's')).map(frame).collect::<Read<_>>()?,
        memory: lines(answer, 'm').map(variable).collect::<Read<_>>()?,
        watched: answer
            .text
            .lines()
            .filter(|line| line.starts_with(['h', 'b', 'x', 'l', 't', 'n', 'u', 'o']))
            .fold(String::new(), |mut all, line| {
                all.push_str(line);
                all.push('\n');
                all
            }),
    }))
}

fn table(answer: Answer) -> Read<Option<TableReport>> {
    match answer.numbers[..] {
        [] => Ok(None),
        [_, rows, first, columns, ref marks @ ..] => {
            Ok(Some(TableReport { rows, first, columns, marks: marks.to_vec(), text: answer.text }))
        }
        _ => Err(short("table")),
    }
}

/// The lines after a letter.
fn lines(answer: &Answer, letter: char) -> impl Iterator<Item = &str> {
    answer.text.lines().filter_map(move |line| line.strip_prefix(letter))
}

/// The cells of a line.
fn cells<const N: usize>(line: &str) -> Read<[String; N]> {
    let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
    cells.try_into().map_err(|_| format!("a line of the debugger does not have {N} cells: {line}"))
}

fn number(cell: &str) -> Read<u32> {
    cell.parse().map_err(|_| format!("a cell of the debugger is not a number: {cell}"))
}

fn short(what: &str) -> String {
    format!("the debugger's report of a {what} has another form")
}
