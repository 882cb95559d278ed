//! The programs that a page shows, and the placeholders for their computed texts and graphs.
//!
//! `vitrine_core::lessons` computes a job. A list of jobs is a text with a line for each and tabs between the fields:
//!
//! ```text
//! NAME  PROGRAM  PIPELINE  VERSIONS  graph,ir,module,memory VARIABLE,steps  FACTS  DIAGNOSTIC  RUN
//! ```

use crate::source::{Figure, Lesson};
use std::collections::BTreeMap;

/// A program to run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Job {
    /// The lesson and the id of the block, `SLUG:ID`: the beginning of the placeholders.
    pub name: String,
    /// The file of the program; in a list of jobs, its path.
    pub program: String,
    /// The pipeline, as text.
    pub pipeline: String,
    /// The versions that are shown.
    pub versions: Vec<u32>,
    /// `graph`, `ir`, `module`, `steps`; `memory ` and the name of a variable, which may be empty; `solution` for the text of a
    /// solution.
    pub views: Vec<String>,
    /// Facts whose entities are marked.
    pub facts: Vec<String>,
    /// The code of the expected diagnostic; empty for none.
    pub diagnostic: String,
    /// Inputs of a run; none if the program is not run.
    pub run: Option<String>,
}

/// The jobs of a lesson.
pub fn jobs(lesson: &Lesson) -> Vec<Job> {
    let named = |id: &str, program: &str, views: &[&str]| Job {
        name: format!("{}:{id}", lesson.slug),
        program: program.to_owned(),
        views: views.iter().map(|&view| view.to_owned()).collect(),
        versions: vec![0],
        ..Job::default()
    };
    let of_figure = |figure: &Figure| {
        let text = if figure.is_whole { ["ir", "module"].as_slice() } else { &["ir"] };
        let graph = figure.has_graph.then_some("graph");
        let memory = figure.memory.as_ref().map(|variable| format!("memory {variable}"));
        let views: Vec<&str> = graph
            .into_iter()
            .chain(text.iter().copied().filter(|_| figure.has_text))
            .chain(memory.as_deref())
            .chain(figure.has_steps.then_some("steps"))
            .collect();
        Job {
            pipeline: figure.pipeline.clone(),
            versions: figure.stages.iter().map(|(at, _)| *at).collect(),
            facts: figure.marks.clone(),
            diagnostic: figure.diagnostic.clone().unwrap_or_default(),
            run: figure.run.clone(),
            ..named(&figure.id, &figure.program, &views)
        }
    };
    let mut out: Vec<Job> = lesson.figures().map(of_figure).collect();
    for task in lesson.tasks() {
        out.push(named(&task.id, &task.start, &["graph", "ir", "module"]));
        out.extend(task.solution.iter().map(|solution| named(&task.id, solution, &["solution"])));
    }
    out
}

impl Job {
    /// The line of a list; `folder` is the path of the lesson.
    pub fn to_line(&self, folder: &str) -> String {
        let versions: Vec<String> = self.versions.iter().map(ToString::to_string).collect();
        let program = format!("{folder}/{}", self.program);
        let run = self.run.as_ref().map_or(String::new(), |inputs| format!("run {inputs}"));
        let fields = [
            &self.name,
            &program,
            &self.pipeline,
            &versions.join(","),
            &self.views.join(","),
            &self.facts.join(";"),
            &self.diagnostic,
            &run,
        ];
        format!("{}\n", fields.map(String::as_str).join("\t"))
    }

    /// Reads a line of a list. Errors: a sentence.
    pub fn parse(line: &str) -> Result<Job, String> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, program, pipeline, versions, views, facts, diagnostic, run] = fields[..] else {
            return Err("expected eight fields".to_owned());
        };
        let parts = |text: &str, separator: char| -> Vec<String> {
            text.split(separator).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let number = |at: String| at.parse::<u32>().map_err(|_| format!("`{at}` is not a version"));
        Ok(Job {
            name: name.to_owned(),
            program: program.to_owned(),
            pipeline: pipeline.to_owned(),
            versions: parts(versions, ',').into_iter().map(number).collect::<Result<_, _>>()?,
            views: parts(views, ','),
            facts: parts(facts, ';'),
            diagnostic: diagnostic.to_owned(),
            run: run.strip_prefix("run ").map(str::to_owned),
        })
    }
}

/// Replaces the placeholders of a page by their computed parts. Errors: the name of one that has none.
pub fn fill(page: &str, parts: &BTreeMap<String, String>) -> Result<String, String> {
    fill_with(page, |name| parts.get(name).cloned())
}

/// The same, with a function that returns the part of a name.
pub(crate) fn fill_with(page: &str, part: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut pieces = page.split("{{course:");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").ok_or("a placeholder is not closed")?;
        out.push_str(&part(name).ok_or_else(|| format!("the part {name} was not computed"))?);
        out.push_str(rest);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_a_job() {
        let job = Job {
            name: "a:b".to_owned(),
            program: "x.ir".to_owned(),
            pipeline: "dce, cse".to_owned(),
            versions: vec![0, 2],
            views: vec!["ir".to_owned()],
            facts: vec!["frontier(^1)".to_owned()],
            diagnostic: "E061".to_owned(),
            run: Some("n = 3; m = 4".to_owned()),
        };
        let line = job.to_line("www/learn/a");
        let read = Job::parse(line.trim_end_matches('\n')).unwrap();
        assert_eq!(read, Job { program: "www/learn/a/x.ir".to_owned(), ..job });
        assert!(Job::parse("a\tb").is_err());
        let without = Job { run: None, ..read };
        assert_eq!(Job::parse(without.to_line(".").trim_end_matches('\n')).unwrap().run, None);
    }

    #[test]
    fn every_placeholder_needs_its_part() {
        let parts = BTreeMap::from([("a:b:0:ir".to_owned(), "<b>".to_owned())]);
        assert_eq!(fill("1{{course:a:b:0:ir}}2", &parts), Ok("1<b>2".to_owned()));
        assert!(fill("{{course:a:c:0:ir}}", &parts).is_err());
    }
}
