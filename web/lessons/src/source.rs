//! The parts of a lesson, and its files.
//!
//! The text is read by `read`; `www/learn/teachers/guide.md` describes it, and a test reads every example of that guide.

use std::collections::BTreeMap;

/// A lesson as it was written.
#[derive(Debug, Default)]
pub struct Lesson {
    /// The name of its folder.
    pub slug: String,
    /// The title.
    pub title: String,
    /// The place in the course; 0 for a lesson of no course.
    pub number: u32,
    /// The expected time.
    pub minutes: u32,
    /// Slugs of the lessons that come before.
    pub prerequisites: Vec<String>,
    /// A sentence for the contents.
    pub summary: String,
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// The line at which each part begins, from 1.
    pub lines: Vec<usize>,
    /// The other files, by name: those beside the lesson, and those inside of it.
    pub files: BTreeMap<String, String>,
    /// The first line of each file that is inside of the lesson.
    pub inside: BTreeMap<String, usize>,
}

/// A part of the text.
#[derive(Debug)]
pub enum Part {
    /// Markdown.
    Text(String),
    /// A figure.
    Figure(Figure),
    /// A question.
    Predict(Predict),
    /// A task.
    Task(Task),
    /// An aside.
    Note(Note),
    /// Markdown for the person who presents the slides.
    Presenter(String),
}

/// A program, and some of its versions in a pipeline.
#[derive(Debug, Default)]
pub struct Figure {
    /// The address in the page.
    pub id: String,
    /// The file of the program.
    pub program: String,
    /// The pipeline, as text.
    pub pipeline: String,
    /// The versions, and a caption for each.
    pub stages: Vec<(u32, String)>,
    /// If set, the graph is shown.
    pub has_graph: bool,
    /// If set, the text is shown.
    pub has_text: bool,
    /// True if the text includes the declarations of the module.
    pub is_whole: bool,
    /// The variable whose bytes are shown, or an empty name for the first buffer. A figure without it has no map of memory.
    pub memory: Option<String>,
    /// If set, the run is shown step by step.
    pub has_steps: bool,
    /// Facts about the program whose blocks are marked.
    pub marks: Vec<String>,
    /// The name of the facts that are marked for a block that the reader chooses.
    pub pick: Option<String>,
    /// The code of the diagnostic that the program is to have; a figure without it is valid.
    pub diagnostic: Option<String>,
    /// Inputs for a run, as in a case of a task; empty for the inputs of a seed. A figure without it has no run.
    pub run: Option<String>,
    /// Markdown.
    pub caption: String,
}

/// A question that the reader answers before the answer is shown.
#[derive(Debug)]
pub struct Predict {
    /// The address in the page.
    pub id: String,
    /// Markdown.
    pub question: String,
    /// The options, of which one is right.
    pub options: Vec<Choice>,
}

/// An option of a question.
#[derive(Debug)]
pub struct Choice {
    /// Markdown.
    pub text: String,
    /// Markdown.
    pub reason: String,
    /// If set, it is the right one.
    pub is_right: bool,
}

/// A task that the judge decides.
#[derive(Debug, Default)]
pub struct Task {
    /// The address in the page.
    pub id: String,
    /// The title.
    pub title: String,
    /// The name of its file.
    pub file: String,
    /// The text of its file, for the judge.
    pub source: String,
    /// The statement: Markdown.
    pub statement: String,
    /// The file of the start program.
    pub start: String,
    /// Names in checks, and files.
    pub programs: Vec<(String, String)>,
    /// Hints, in order.
    pub hints: Vec<String>,
    /// The program that solves it.
    pub solution: Option<String>,
    /// The answer that solves it, if that is not a program.
    pub answer: Option<String>,
}

/// An aside.
#[derive(Debug)]
pub struct Note {
    /// The title.
    pub title: String,
    /// Markdown.
    pub text: String,
}

impl Lesson {
    /// A file of the lesson. Errors: a sentence.
    pub fn file(&self, name: &str) -> Result<&str, String> {
        self.files.get(name).map(String::as_str).ok_or(format!("there is no file {name}"))
    }

    /// The figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.placed().filter_map(|(_, part)| match part {
            Part::Figure(figure) => Some(figure),
            Part::Text(_) | Part::Predict(_) | Part::Task(_) | Part::Note(_) | Part::Presenter(_) => None,
        })
    }

    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.placed().filter_map(|(_, part)| match part {
            Part::Task(task) => Some(task),
            Part::Text(_) | Part::Figure(_) | Part::Predict(_) | Part::Note(_) | Part::Presenter(_) => None,
        })
    }

    /// The parts with their lines.
    pub fn placed(&self) -> impl Iterator<Item = (usize, &Part)> {
        self.lines.iter().copied().zip(&self.parts)
    }
}
