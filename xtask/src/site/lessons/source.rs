//! The text of a lesson: front matter, Markdown, and blocks between lines of three colons.
//!
//! ```text
//! ---
//! title: Dominance                     all keys of the front matter are required
//! number: 3
//! minutes: 20
//! prerequisites: cfg, ssa              slugs; empty for none
//! summary: The values that are available in a block.
//! ---
//! ## A section
//! Markdown.
//!
//! :::figure id=tree program=tree.ir pipeline="dce" at=0,1 view=graph captions="As written|After"
//! The caption.
//! :::                                  `ir` is the text of the functions, `module` that of everything
//! :::predict id=idom
//! The question?
//! - [ ] A wrong option :: the reason why it is wrong
//! - [x] The right option :: the reason why it is right
//! :::
//! :::task id=edge title="Add an edge" file=edge.task
//! :::
//! :::note A common mistake
//! Markdown.
//! :::
//! ```
//!
//! Refuses unknown keys and blocks: a misspelled one would silently change the lesson.

use std::collections::BTreeMap;

/// The keys of the front matter.
const FRONT: [&str; 5] = ["title", "number", "minutes", "prerequisites", "summary"];

/// The keys of a figure.
const FIGURE: [&str; 9] =
    ["id", "program", "pipeline", "at", "captions", "view", "marks", "pick", "diagnostic"];

/// A lesson as it was written.
#[derive(Debug, Default)]
pub struct Lesson {
    /// The name of its folder.
    pub slug: String,
    pub title: String,
    pub number: u32,
    pub minutes: u32,
    /// Slugs of the lessons that come before.
    pub prerequisites: Vec<String>,
    pub summary: String,
    pub parts: Vec<Part>,
    /// The other files of its folder, by name.
    pub files: BTreeMap<String, String>,
}

/// A part of the text.
#[derive(Debug)]
pub enum Part {
    /// Markdown.
    Text(String),
    Figure(Figure),
    Predict(Predict),
    Task(Task),
    Note(Note),
}

/// A program, and some of its versions in a pipeline.
#[derive(Debug, Default)]
pub struct Figure {
    pub id: String,
    pub program: String,
    pub pipeline: String,
    /// The versions, and a caption for each.
    pub stages: Vec<(u32, String)>,
    pub has_graph: bool,
    pub has_text: bool,
    /// True if the text includes the declarations of the module.
    pub is_whole: bool,
    /// Facts about the program whose blocks are marked.
    pub marks: Vec<String>,
    /// The name of the facts that are marked for a block that the reader chooses.
    pub pick: Option<String>,
    /// The code of the diagnostic that the program is to have; a figure without it is valid.
    pub diagnostic: Option<String>,
    /// Markdown.
    pub caption: String,
}

/// A question that the reader answers before the answer is shown.
#[derive(Debug)]
pub struct Predict {
    pub id: String,
    /// Markdown.
    pub question: String,
    pub options: Vec<Choice>,
}

/// An option of a question.
#[derive(Debug)]
pub struct Choice {
    /// Markdown.
    pub text: String,
    /// Markdown.
    pub reason: String,
    pub is_right: bool,
}

/// A task that the judge decides.
#[derive(Debug, Default)]
pub struct Task {
    pub id: String,
    pub title: String,
    /// The text of its file, for the judge.
    pub source: String,
    pub statement: String,
    pub start: String,
    /// Names in checks, and files.
    pub programs: Vec<(String, String)>,
    pub hints: Vec<String>,
    /// The program that solves it.
    pub solution: Option<String>,
    /// The answer that solves it, if that is not a program.
    pub answer: Option<String>,
}

/// An aside.
#[derive(Debug)]
pub struct Note {
    pub title: String,
    /// Markdown.
    pub text: String,
}

impl Lesson {
    /// Reads the folder of a lesson. Errors: a sentence.
    pub fn read(slug: &str, mut files: BTreeMap<String, String>) -> Result<Lesson, String> {
        let text = files.remove("lesson.md").ok_or("there is no lesson.md")?;
        let (front, body) = text
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"))
            .ok_or("expected front matter between two lines `---`")?;
        let front = keyed(front.lines())?;
        let of = |key: &str| front.get(key).cloned().ok_or(format!("the front matter has no `{key}:`"));
        if let Some(key) = front.keys().find(|key| !FRONT.contains(&key.as_str())) {
            return Err(format!("the front matter has an unknown key `{key}:`"));
        }
        let number =
            |key: &str| of(key)?.parse::<u32>().map_err(|_| format!("the value of `{key}:` is not a number"));
        let mut lesson = Lesson {
            slug: slug.to_owned(),
            title: of("title")?,
            number: number("number")?,
            minutes: number("minutes")?,
            prerequisites: list(&of("prerequisites")?, ','),
            summary: of("summary")?,
            parts: Vec::new(),
            files,
        };
        lesson.parts = lesson.parts_of(body)?;
        Ok(lesson)
    }

    /// A file of the folder. Errors: a sentence.
    pub fn file(&self, name: &str) -> Result<&str, String> {
        self.files.get(name).map(String::as_str).ok_or(format!("there is no file {name}"))
    }

    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            Part::Text(_) | Part::Predict(_) | Part::Task(_) | Part::Note(_) => None,
        })
    }

    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.parts.iter().filter_map(|part| match part {
            Part::Task(task) => Some(task),
            Part::Text(_) | Part::Figure(_) | Part::Predict(_) | Part::Note(_) => None,
        })
    }

    fn parts_of(&self, body: &str) -> Result<Vec<Part>, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut lines = body.lines();
        while let Some(line) = lines.next() {
            let Some(head) = line.strip_prefix(":::") else {
                text.push_str(line);
                text.push('\n');
                continue;
            };
            if !text.trim().is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != ":::").collect();
            let (kind, arguments) = head.split_once(' ').unwrap_or((head, ""));
            let part = self.block(kind, arguments, &inside).map_err(|why| format!("`{line}`: {why}"))?;
            parts.push(part);
        }
        if !text.trim().is_empty() {
            parts.push(Part::Text(text));
        }
        Ok(parts)
    }

    fn block(&self, kind: &str, arguments: &str, inside: &[&str]) -> Result<Part, String> {
        let text = inside.join("\n").trim().to_owned();
        if kind == "note" {
            return Ok(Part::Note(Note { title: arguments.trim().to_owned(), text }));
        }
        let mut arguments = arguments_of(arguments)?;
        let id = arguments.remove("id").ok_or("there is no `id=`")?;
        match kind {
            "figure" => self.figure(id, arguments, text).map(Part::Figure),
            "predict" => predict(id, inside).map(Part::Predict),
            "task" => self.task(id, arguments).map(Part::Task),
            _ => Err(format!("there is no block `{kind}`: expected figure, predict, task or note")),
        }
    }

    fn figure(
        &self,
        id: String,
        mut arguments: BTreeMap<String, String>,
        caption: String,
    ) -> Result<Figure, String> {
        if let Some(key) = arguments.keys().find(|key| !FIGURE.contains(&key.as_str())) {
            return Err(format!("unknown key `{key}=`"));
        }
        let program = arguments.remove("program").ok_or("there is no `program=`")?;
        self.file(&program)?;
        let versions = list(arguments.get("at").map_or("0", String::as_str), ',');
        let versions = versions.iter().map(|at| at.parse().map_err(|_| format!("`at={at}` is not a number")));
        let versions = versions.collect::<Result<Vec<u32>, _>>()?;
        let captions = list(arguments.get("captions").map_or("", String::as_str), '|');
        if captions.len() != versions.len() && versions.len() > 1 {
            return Err("the numbers of versions and captions differ".to_owned());
        }
        let views = list(arguments.get("view").map_or("graph", String::as_str), ',');
        if let Some(other) = views.iter().find(|view| !["graph", "ir", "module"].contains(&view.as_str())) {
            return Err(format!("there is no view `{other}`: expected graph, ir or module"));
        }
        let captions = captions.into_iter().chain(std::iter::repeat(String::new()));
        Ok(Figure {
            id,
            program,
            pipeline: arguments.remove("pipeline").unwrap_or_default(),
            stages: versions.into_iter().zip(captions).collect(),
            has_graph: views.iter().any(|view| view == "graph"),
            has_text: views.iter().any(|view| view == "ir" || view == "module"),
            is_whole: views.iter().any(|view| view == "module"),
            marks: list(arguments.get("marks").map_or("", String::as_str), ';'),
            pick: arguments.remove("pick"),
            diagnostic: arguments.remove("diagnostic"),
            caption,
        })
    }

    fn task(&self, id: String, mut arguments: BTreeMap<String, String>) -> Result<Task, String> {
        let file = arguments.remove("file").ok_or("there is no `file=`")?;
        let title = arguments.remove("title").ok_or("there is no `title=`")?;
        if let Some(key) = arguments.keys().next() {
            return Err(format!("unknown key `{key}=`"));
        }
        let mut task = Task { id, title, source: self.file(&file)?.to_owned(), ..Task::default() };
        let mut statement = Vec::new();
        for line in task.source.lines() {
            match line.split_once(": ") {
                Some(("start", name)) => task.start = name.to_owned(),
                Some(("hint", hint)) => task.hints.push(hint.to_owned()),
                Some(("solution", name)) => task.solution = Some(name.to_owned()),
                Some(("answer", answer)) => task.answer = Some(answer.to_owned()),
                Some(("program", named)) => {
                    let (name, of) = named.split_once('=').ok_or("expected `program: NAME = FILE`")?;
                    task.programs.push((name.trim().to_owned(), of.trim().to_owned()));
                }
                Some(("case" | "check" | "function", _)) => {}
                _ => statement.push(line),
            }
        }
        task.statement = statement.join("\n");
        self.file(&task.start)?;
        Ok(task)
    }
}

fn predict(id: String, lines: &[&str]) -> Result<Predict, String> {
    let (mut question, mut options): (String, Vec<Choice>) = Default::default();
    for line in lines {
        let marked = [("- [x] ", true), ("- [ ] ", false)];
        let found = marked.iter().find_map(|(mark, is_right)| Some((line.strip_prefix(mark)?, *is_right)));
        match (found, options.last_mut()) {
            (Some((rest, is_right)), _) => {
                let (text, reason) =
                    rest.split_once(" :: ").ok_or(format!("`{line}`: no ` :: ` before a reason"))?;
                options.push(Choice { text: text.to_owned(), reason: reason.to_owned(), is_right });
            }
            // A long reason continues on the next line.
            (None, Some(last)) => last.reason.push_str(&format!(" {}", line.trim())),
            (None, None) => question.push_str(&format!("{line}\n")),
        }
    }
    match options.iter().filter(|option| option.is_right).count() {
        1 => Ok(Predict { id, question, options }),
        count => Err(format!("{count} options are right: expected one")),
    }
}

/// Lines `key: value`.
fn keyed<'t>(lines: impl Iterator<Item = &'t str>) -> Result<BTreeMap<String, String>, String> {
    let entry = |line: &str| {
        let (key, value) = line.split_once(':').ok_or(format!("`{line}`: expected `key: value`"))?;
        Ok((key.trim().to_owned(), value.trim().to_owned()))
    };
    lines.map(entry).collect()
}

/// Arguments `key=value` and `key="several words"`.
fn arguments_of(mut text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut out = BTreeMap::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return Ok(out);
        }
        let (key, rest) = text.split_once('=').ok_or(format!("`{text}`: expected `key=value`"))?;
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or(format!("`{text}`: a quote is missing"))?,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        if out.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("there are two `{key}=`"));
        }
        text = rest;
    }
}

/// The parts of a list, without empty ones.
fn list(text: &str, separator: char) -> Vec<String> {
    text.split(separator).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT_MATTER: &str =
        "---\ntitle: A\nnumber: 1\nminutes: 5\nprerequisites: b, c\nsummary: D: e.\n---\n";

    fn read(body: &str) -> Result<Lesson, String> {
        let files = [
            ("lesson.md", format!("{FRONT_MATTER}{body}")),
            ("a.ir", "func".to_owned()),
            ("a.task", "Do it: now.\nstart: a.ir\ncheck: valid\nhint: h\nanswer: 2".to_owned()),
        ];
        Lesson::read("a", files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect())
    }

    #[test]
    fn blocks_and_text_alternate() {
        let lesson = read("## One\n\n:::figure id=f program=a.ir pipeline=\"a, b\" at=0,2 captions=\"A|B\" view=ir\nC.\n:::\nText.\n:::task id=t title=\"T u\" file=a.task\n:::\n").unwrap();
        assert_eq!(
            (lesson.prerequisites.len(), lesson.summary.as_str(), lesson.parts.len()),
            (2, "D: e.", 4)
        );
        let figure = lesson.figures().next().unwrap();
        assert_eq!((figure.pipeline.as_str(), figure.caption.as_str()), ("a, b", "C."));
        assert_eq!(figure.stages, [(0, "A".to_owned()), (2, "B".to_owned())]);
        assert!(figure.has_text && !figure.has_graph);
        let task = lesson.tasks().next().unwrap();
        assert_eq!((task.statement.as_str(), task.answer.as_deref()), ("Do it: now.", Some("2")));
    }

    #[test]
    fn one_option_of_a_question_is_right() {
        let options = "- [x] b :: c\n  d\n- [ ] e :: f\n";
        let lesson = read(&format!(":::predict id=p\nQ?\n{options}:::\n")).unwrap();
        let Part::Predict(predict) = &lesson.parts[0] else { panic!("{lesson:?}") };
        assert_eq!(
            (predict.question.as_str(), predict.options[0].reason.as_str(), predict.options.len()),
            ("Q?\n", "c d", 2)
        );
        assert!(read(":::predict id=p\nQ?\n- [ ] b :: c\n:::\n").unwrap_err().contains("0 options"));
    }

    #[test]
    fn mistakes_are_refused() {
        for (body, why) in [
            (":::figure program=a.ir\n:::", "no `id=`"),
            (":::figure id=f program=b.ir\n:::", "no file b.ir"),
            (":::figure id=f program=a.ir vew=ir\n:::", "unknown key `vew=`"),
            (":::figure id=f program=a.ir at=0,1\n:::", "captions differ"),
            (":::figura id=f\n:::", "no block `figura`"),
            (":::task id=t file=a.task\n:::", "no `title=`"),
        ] {
            let found = read(body).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }
}
