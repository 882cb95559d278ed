//! Reads the text of a lesson: front matter, Markdown, and blocks between lines of three colons.
//!
//! ```text
//! ---
//! title: Dominance
//! minutes: 20
//! summary: The values that are available in a block.
//! ---
//! ## A section
//! Markdown.
//!
//! :::figure id=tree program=tree.ir pipeline="dce" at=0,1 view=graph captions="As written|After"
//! The caption.
//! :::                                  `ir` is the text of the functions, `module` that of everything, `memory` the bytes of a
//!                                      variable, `steps` the run step by step
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
//! :::presenter
//! Markdown that only slides show.
//! :::
//! :::file tree.ir
//! The text of a file, in place of a file beside the lesson.
//! :::
//! ```
//!
//! Refuses unknown keys and blocks, and blocks without an end: a misspelled one would silently change the lesson.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::LessonError;
use crate::reserved::is_reserved;
use crate::source::{Choice, Figure, Lesson, Note, Part, Predict, Task};

/// The keys of the front matter.
const FRONT: [&str; 5] = ["title", "number", "minutes", "prerequisites", "summary"];

/// The keys of a figure.
const FIGURE: [&str; 11] =
    ["id", "program", "pipeline", "at", "captions", "view", "variable", "marks", "pick", "diagnostic", "run"];

/// The views of a figure.
const VIEWS: [&str; 5] = ["graph", "ir", "module", "memory", "steps"];

/// The kinds of blocks.
const BLOCKS: [&str; 6] = ["figure", "predict", "task", "note", "presenter", "file"];

/// A block of the text, with the number of the line of its head.
struct Block<'t> {
    line: usize,
    kind: &'t str,
    arguments: &'t str,
    inside: Vec<&'t str>,
}

/// The reason and the fix of a mistake.
type Mistake = (String, String);

type Arguments = BTreeMap<String, String>;

impl Lesson {
    /// Reads a lesson: its text, and the files beside it by name.
    pub fn read(slug: &str, text: &str, files: BTreeMap<String, String>) -> Result<Lesson, LessonError> {
        let mut lesson = Lesson { slug: slug.to_owned(), files, ..Lesson::default() };
        let first = lesson.front(text)?;
        let lines: Vec<&str> = text.lines().collect();
        let blocks = blocks(&lines, first)?;
        // Files come first, since a block may name one that follows it.
        for block in blocks.iter().filter(|block| block.kind == "file") {
            lesson.add_file(block).map_err(|(sentence, fix)| LessonError::new(block.line, sentence, fix))?;
        }
        let mut ids = BTreeSet::new();
        for block in &blocks {
            let error = |(sentence, fix): Mistake| LessonError::new(block.line, sentence, fix);
            let Some(part) = lesson.part(block).map_err(error)? else { continue };
            if let Some(id) = id_of(&part)
                && is_reserved(id)
            {
                return Err(error((
                    format!("the id `{id}` is that of a part of the page"),
                    format!("choose another one, such as `{id}-1`"),
                )));
            }
            if let Some(id) = id_of(&part)
                && !ids.insert(id.to_owned())
            {
                return Err(error((
                    format!("two blocks have the id `{id}`"),
                    "rename one of them".to_owned(),
                )));
            }
            lesson.lines.push(block.line);
            lesson.parts.push(part);
        }
        Ok(lesson)
    }

    /// Reads the front matter; returns the number of its lines.
    fn front(&mut self, text: &str) -> Result<usize, LessonError> {
        let no_front = || {
            LessonError::new(
                1,
                "the lesson has no front matter",
                "begin with a line `---`, lines `title: …`, `minutes: …` and `summary: …`, and a line `---`",
            )
        };
        let mut lines = (1..).zip(text.lines());
        if lines.next().is_none_or(|(_, line)| line != "---") {
            return Err(no_front());
        }
        let mut given: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        let mut end = None;
        for (at, line) in lines {
            if line == "---" {
                end = Some(at);
                break;
            }
            let Some((key, value)) = line.split_once(':') else {
                return Err(LessonError::new(
                    at,
                    format!("`{line}` is not a line `key: value`"),
                    "add a colon",
                ));
            };
            let key = key.trim();
            if !FRONT.contains(&key) {
                let fix = expected(key, &FRONT);
                return Err(LessonError::new(at, format!("the front matter has no key `{key}`"), fix));
            }
            if given.insert(key, (at, value.trim())).is_some() {
                return Err(LessonError::new(at, format!("`{key}` occurs twice"), "remove one of the lines"));
            }
        }
        let end = end.ok_or_else(no_front)?;
        let of = |key: &str| {
            given.get(key).copied().filter(|(_, value)| !value.is_empty()).ok_or_else(|| {
                LessonError::new(
                    end,
                    format!("the front matter has no `{key}`"),
                    format!("add a line `{key}: …`"),
                )
            })
        };
        let number = |(at, value): (usize, &str)| {
            let wrong = || LessonError::new(at, format!("`{value}` is not a number"), "write digits");
            value.parse::<u32>().map_err(|_| wrong())
        };
        self.title = of("title")?.1.to_owned();
        self.minutes = number(of("minutes")?)?;
        self.summary = of("summary")?.1.to_owned();
        self.number = given.get("number").map_or(Ok(0), |&of| number(of))?;
        self.prerequisites = list(given.get("prerequisites").map_or("", |(_, value)| value), ',');
        Ok(end)
    }

    fn add_file(&mut self, block: &Block<'_>) -> Result<(), Mistake> {
        let name = block.arguments.trim();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return Err((
                format!("`{name}` is not the name of a file"),
                "write `:::file NAME`, with letters, digits, `-`, `_` and `.`".to_owned(),
            ));
        }
        let text: String = block.inside.iter().map(|line| format!("{line}\n")).collect();
        self.inside.insert(name.to_owned(), block.line + 1);
        match self.files.insert(name.to_owned(), text) {
            None => Ok(()),
            Some(_) => Err((
                format!("there are two files {name}"),
                "rename one of them, also if it is beside the lesson".to_owned(),
            )),
        }
    }

    fn existing(&self, name: &str) -> Result<&str, Mistake> {
        let fix = || format!("put the file beside the lesson, or add a block `:::file {name}`");
        self.file(name).map_err(|why| (why, fix()))
    }

    /// The part of a block; none for a file.
    fn part(&self, block: &Block<'_>) -> Result<Option<Part>, Mistake> {
        let text = block.inside.join("\n").trim().to_owned();
        match block.kind {
            "" => return Ok(Some(Part::Text(block.inside.iter().map(|line| format!("{line}\n")).collect()))),
            "file" => return Ok(None),
            "note" => {
                return Ok(Some(Part::Note(Note { title: block.arguments.trim().to_owned(), text })));
            }
            "presenter" => return Ok(Some(Part::Presenter(text))),
            _ => {}
        }
        let mut arguments = arguments_of(block.arguments)?;
        let id = required(&mut arguments, "id")?;
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            let fix = "use letters, digits and `-`: it is a part of addresses".to_owned();
            return Err((format!("`{id}` is not an id"), fix));
        }
        Ok(Some(match block.kind {
            "figure" => Part::Figure(self.figure(id, arguments, text)?),
            "predict" => {
                no_more(&arguments, &["id"])?;
                Part::Predict(predict(id, &block.inside)?)
            }
            _ => {
                if !text.is_empty() {
                    let fix = "move the text above the block, or into the file of the task".to_owned();
                    return Err(("a block `task` has no text".to_owned(), fix));
                }
                Part::Task(self.task(id, arguments)?)
            }
        }))
    }

    fn figure(&self, id: String, mut arguments: Arguments, caption: String) -> Result<Figure, Mistake> {
        no_more(&arguments, &FIGURE)?;
        let program = required(&mut arguments, "program")?;
        self.existing(&program)?;
        let mut of = |key: &str| arguments.remove(key);
        let versions = list(of("at").as_deref().unwrap_or("0"), ',');
        let number = |at: &String| {
            let fix = "write the numbers of versions: 0 is the program as written".to_owned();
            at.parse::<u32>().map_err(|_| (format!("`{at}` in `at=` is not a number"), fix))
        };
        let versions = versions.iter().map(number).collect::<Result<Vec<u32>, _>>()?;
        let captions = list(of("captions").as_deref().unwrap_or_default(), '|');
        if captions.len() != versions.len() && versions.len() > 1 {
            return Err((
                format!(
                    "`at=` has {} versions, and `captions=` has {} captions",
                    versions.len(),
                    captions.len()
                ),
                "write one caption for each version, separated by `|`".to_owned(),
            ));
        }
        let views = list(of("view").as_deref().unwrap_or("graph"), ',');
        if let Some(other) = views.iter().find(|view| !VIEWS.contains(&view.as_str())) {
            return Err((format!("there is no view `{other}`"), expected(other, &VIEWS)));
        }
        let has = |name: &str| views.iter().any(|view| view == name);
        let (variable, run) = (of("variable"), of("run"));
        if has("steps") && run.is_none() {
            let fix = "add `run=\"…\"` with the inputs, or an empty one".to_owned();
            return Err(("the view `steps` needs a run".to_owned(), fix));
        }
        if variable.is_some() && !has("memory") {
            let fix = "add `memory` to `view=`, or remove `variable=`".to_owned();
            return Err(("`variable=` chooses the variable of the view `memory`".to_owned(), fix));
        }
        if variable.as_deref().is_some_and(|name| name.contains(char::is_whitespace) || name.contains(',')) {
            let fix = "write its name without `$` and number".to_owned();
            return Err(("`variable=` is not the name of a variable".to_owned(), fix));
        }
        Ok(Figure {
            id,
            program,
            pipeline: of("pipeline").unwrap_or_default(),
            stages: versions
                .into_iter()
                .zip(captions.into_iter().chain(std::iter::repeat(String::new())))
                .collect(),
            has_graph: has("graph"),
            has_text: has("ir") || has("module"),
            is_whole: has("module"),
            memory: has("memory").then(|| variable.unwrap_or_default()),
            has_steps: has("steps"),
            marks: list(of("marks").as_deref().unwrap_or_default(), ';'),
            pick: of("pick"),
            diagnostic: of("diagnostic"),
            run,
            caption,
        })
    }

    fn task(&self, id: String, mut arguments: Arguments) -> Result<Task, Mistake> {
        no_more(&arguments, &["id", "file", "title"])?;
        let file = required(&mut arguments, "file")?;
        let title = required(&mut arguments, "title")?;
        let source = self.existing(&file)?.to_owned();
        let mut task = Task { id, title, file, source, ..Task::default() };
        let mut statement = Vec::new();
        for line in task.source.lines() {
            match line.split_once(": ") {
                Some(("start", name)) => task.start = name.trim().to_owned(),
                Some(("hint", hint)) => task.hints.push(hint.to_owned()),
                Some(("solution", name)) => task.solution = Some(name.trim().to_owned()),
                Some(("answer", answer)) => task.answer = Some(answer.to_owned()),
                Some(("program", named)) => {
                    let (name, of) = named.split_once('=').ok_or_else(|| {
                        let fix = "write `program: NAME = FILE`".to_owned();
                        (format!("{}: `{line}` names no file", task.file), fix)
                    })?;
                    task.programs.push((name.trim().to_owned(), of.trim().to_owned()));
                }
                Some(("case" | "check" | "function", _)) => {}
                _ => statement.push(line),
            }
        }
        task.statement = statement.join("\n");
        if task.start.is_empty() {
            let fix = "add a line `start: FILE` to it".to_owned();
            return Err((format!("the task {} has no start program", task.file), fix));
        }
        self.existing(&task.start)?;
        for name in task.programs.iter().map(|(_, name)| name).chain(&task.solution) {
            self.existing(name)?;
        }
        Ok(task)
    }
}

/// Text and blocks in order; the text has an empty kind. `first` is the number of lines of the front matter.
fn blocks<'t>(lines: &[&'t str], first: usize) -> Result<Vec<Block<'t>>, LessonError> {
    let mut out: Vec<Block<'t>> = Vec::new();
    // The block that has begun and not ended.
    let mut open: Option<Block<'t>> = None;
    let mut text = Block { line: first + 1, kind: "", arguments: "", inside: Vec::new() };
    // A fence: examples of blocks are text.
    let mut is_code = false;
    for (line, &content) in (1..).zip(lines).skip(first) {
        let is_fence = content.starts_with("```");
        let head = content.strip_prefix(":::").filter(|_| !is_code);
        match (head, &mut open) {
            (None, Some(block)) => block.inside.push(content),
            (None, None) => {
                is_code ^= is_fence;
                if text.inside.is_empty() {
                    text.line = line;
                }
                text.inside.push(content);
            }
            (Some(""), Some(_)) => out.extend(open.take()),
            (Some(""), None) => {
                return Err(LessonError::new(line, "`:::` ends no block", "remove the line"));
            }
            (Some(_), Some(block)) => {
                return Err(LessonError::new(
                    line,
                    format!("the block of line {} is not closed before this one", block.line),
                    "add a line `:::` above",
                ));
            }
            (Some(head), None) => {
                let (kind, arguments) = head.split_once(' ').unwrap_or((head, ""));
                if !BLOCKS.contains(&kind) {
                    let fix = expected(kind, &BLOCKS);
                    return Err(LessonError::new(line, format!("there is no block `{kind}`"), fix));
                }
                let after = Block { line: line + 1, kind: "", arguments: "", inside: Vec::new() };
                let before = std::mem::replace(&mut text, after);
                out.extend(
                    Some(before).filter(|text| text.inside.iter().any(|line| !line.trim().is_empty())),
                );
                open = Some(Block { line, kind, arguments, inside: Vec::new() });
            }
        }
    }
    if let Some(block) = open {
        return Err(LessonError::new(
            block.line,
            format!("the block `{}` is not closed", block.kind),
            "add a line `:::` after its last line",
        ));
    }
    out.extend(Some(text).filter(|text| text.inside.iter().any(|line| !line.trim().is_empty())));
    Ok(out)
}

fn id_of(part: &Part) -> Option<&str> {
    match part {
        Part::Figure(of) => Some(&of.id),
        Part::Predict(of) => Some(&of.id),
        Part::Task(of) => Some(&of.id),
        Part::Text(_) | Part::Note(_) | Part::Presenter(_) => None,
    }
}

fn predict(id: String, lines: &[&str]) -> Result<Predict, Mistake> {
    let (mut question, mut options): (String, Vec<Choice>) = Default::default();
    for line in lines {
        let marked = [("- [x] ", true), ("- [ ] ", false)];
        let found = marked.iter().find_map(|(mark, is_right)| Some((line.strip_prefix(mark)?, *is_right)));
        match (found, options.last_mut()) {
            (Some((rest, is_right)), _) => {
                let (text, reason) = rest.split_once(" :: ").ok_or_else(|| {
                    let fix = "write the reason why it is right or wrong after ` :: `".to_owned();
                    (format!("the option `{line}` has no reason"), fix)
                })?;
                options.push(Choice { text: text.to_owned(), reason: reason.to_owned(), is_right });
            }
            // A long reason continues on the next line.
            (None, Some(last)) => last.reason.push_str(&format!(" {}", line.trim())),
            (None, None) => question.push_str(&format!("{line}\n")),
        }
    }
    match options.iter().filter(|option| option.is_right).count() {
        1 if options.len() > 1 => Ok(Predict { id, question, options }),
        1 => Err(("the question has one option".to_owned(), "add a wrong option `- [ ] …`".to_owned())),
        count => Err((
            format!("{count} options of the question are right"),
            "mark exactly one option by `- [x]`".to_owned(),
        )),
    }
}

fn required(arguments: &mut Arguments, key: &str) -> Result<String, Mistake> {
    arguments.remove(key).ok_or_else(|| (format!("the block has no `{key}=`"), format!("add `{key}=…`")))
}

fn no_more(arguments: &Arguments, known: &[&str]) -> Result<(), Mistake> {
    match arguments.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err((format!("the block has no key `{key}=`"), expected(key, known))),
    }
}

/// A fix for an unknown word: the known word that is nearly the same, or all of them.
fn expected(word: &str, known: &[&str]) -> String {
    // The letters of the known word that the other one has in the same order.
    let common = |known: &str| {
        let mut rest = word.chars();
        known
            .chars()
            .filter(|letter| rest.clone().any(|c| c == *letter) && rest.any(|c| c == *letter))
            .count()
    };
    let near = known.iter().filter(|known| known.len().abs_diff(word.len()) <= 1);
    match near.max_by_key(|known| common(known)).filter(|known| common(known) + 2 > known.len()) {
        Some(near) => format!("write `{near}`"),
        None => format!("use one of {}", known.join(", ")),
    }
}

/// Arguments `key=value` and `key="several words"`.
fn arguments_of(mut text: &str) -> Result<Arguments, Mistake> {
    let mut out = BTreeMap::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return Ok(out);
        }
        let form = || (format!("`{text}` is not `key=value`"), "put values with spaces in quotes".to_owned());
        let (key, rest) = text.split_once('=').filter(|(key, _)| !key.contains(' ')).ok_or_else(form)?;
        let quote = || (format!("`{text}`: a quote is missing"), "close the value by `\"`".to_owned());
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(quote)?,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        if out.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err((format!("there are two `{key}=`"), "remove one of them".to_owned()));
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

    fn read(body: &str) -> Result<Lesson, LessonError> {
        let files = [
            ("a.ir", "func".to_owned()),
            ("a.task", "Do it: now.\nstart: a.ir\ncheck: valid\nhint: h\nanswer: 2".to_owned()),
            ("bare.task", "Do it.\ncheck: valid".to_owned()),
            ("far.task", "Do it.\nstart: a.ir\nsolution: far.ir\ncheck: valid".to_owned()),
        ];
        let files = files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
        Lesson::read("a", &format!("{FRONT_MATTER}{body}"), files)
    }

    #[test]
    fn blocks_and_text_alternate() {
        let lesson = read("## One\n\n:::figure id=f program=a.ir pipeline=\"a, b\" at=0,2 captions=\"A|B\" view=ir run=\"n = 3\"\nC.\n:::\nText.\n:::task id=t title=\"T u\" file=a.task\n:::\n").unwrap();
        assert_eq!(
            (lesson.prerequisites.len(), lesson.summary.as_str(), lesson.parts.len()),
            (2, "D: e.", 4)
        );
        assert_eq!(lesson.lines, [8, 10, 13, 14]);
        let figure = lesson.figures().next().unwrap();
        assert_eq!((figure.pipeline.as_str(), figure.caption.as_str()), ("a, b", "C."));
        assert_eq!(figure.run.as_deref(), Some("n = 3"));
        assert_eq!(figure.stages, [(0, "A".to_owned()), (2, "B".to_owned())]);
        assert!(figure.has_text && !figure.has_graph);
        let task = lesson.tasks().next().unwrap();
        assert_eq!((task.statement.as_str(), task.answer.as_deref()), ("Do it: now.", Some("2")));
    }

    #[test]
    fn runs_and_memory_are_views() {
        let of = |arguments: &str| {
            let lesson = read(&format!(":::figure id=f program=a.ir {arguments}\n:::\n")).unwrap();
            let figure = lesson.figures().next().unwrap();
            (figure.memory.clone(), figure.has_steps, crate::jobs(&lesson)[0].views.join("|"))
        };
        assert_eq!(of("view=graph,steps run=\"\""), (None, true, "graph|steps".to_owned()));
        assert_eq!(of("view=memory"), (Some(String::new()), false, "memory ".to_owned()));
        assert_eq!(of("view=ir,memory variable=v"), (Some("v".to_owned()), false, "ir|memory v".to_owned()));
    }

    #[test]
    fn a_lesson_contains_its_files() {
        let lesson = read(
            ":::figure id=f program=b.ir\n:::\n:::file b.ir\nfunc @f_0() graph {\n^0:\n  return\n}\n:::\n",
        )
        .unwrap();
        assert_eq!(lesson.file("b.ir"), Ok("func @f_0() graph {\n^0:\n  return\n}\n"));
        assert_eq!((lesson.inside["b.ir"], lesson.parts.len()), (11, 1));
    }

    #[test]
    fn examples_in_code_are_text() {
        let lesson = read("```\n:::figure id=f\n```\n:::note A\nb\n:::\n").unwrap();
        assert_eq!(lesson.parts.len(), 2, "{lesson:?}");
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
    }

    #[test]
    fn mistakes_have_a_line_and_a_fix() {
        for (body, line, why, fix) in [
            (":::figure program=a.ir\n:::", 8, "has no `id=`", "add `id=…`"),
            (":::figure id=status program=a.ir\n:::", 8, "a part of the page", "`status-1`"),
            (":::figure id=f program=b.ir\n:::", 8, "no file b.ir", ":::file b.ir"),
            (":::figure id=f program=a.ir vew=ir\n:::", 8, "no key `vew=`", "write `view`"),
            (":::figure id=f program=a.ir at=0,1\n:::", 8, "0 captions", "separated by `|`"),
            (":::figure id=f program=a.ir at=x\n:::", 8, "`x` in `at=`", "numbers of versions"),
            (":::figure id=f program=a.ir view=irr\n:::", 8, "no view `irr`", "write `ir`"),
            (":::figure id=f program=a.ir view=ir,steps\n:::", 8, "needs a run", "add `run="),
            (":::figure id=f program=a.ir variable=v\n:::", 8, "the view `memory`", "add `memory`"),
            (
                ":::figure id=f program=a.ir view=memory variable=\"v w\"\n:::",
                8,
                "not the name",
                "without `$`",
            ),
            (":::figure id=f g program=a.ir\n:::", 8, "not `key=value`", "quotes"),
            (":::figure id=f pipeline=\"a\n:::", 8, "quote is missing", "close"),
            (":::figure id=f id=g program=a.ir\n:::", 8, "two `id=`", "remove"),
            (":::figure id=\"f g\" program=a.ir\n:::", 8, "`f g` is not an id", "letters"),
            ("A\n:::figura id=f\n:::", 9, "no block `figura`", "write `figure`"),
            (":::xyz\n:::", 8, "no block `xyz`", "use one of figure, predict"),
            (":::figure id=f program=a.ir\nC.", 8, "`figure` is not closed", "add a line `:::`"),
            (":::note A\nb\n:::note C\n:::", 10, "the block of line 8 is not closed", "above"),
            ("A\n\n:::\n", 10, "ends no block", "remove"),
            (":::task id=t file=a.task\n:::", 8, "has no `title=`", "add `title=…`"),
            (":::task id=t title=T file=b.task\n:::", 8, "no file b.task", "beside the lesson"),
            (":::task id=t title=T file=bare.task\n:::", 8, "no start program", "start: FILE"),
            (":::task id=t title=T file=far.task\n:::", 8, "no file far.ir", ":::file far.ir"),
            (":::task id=t title=T file=a.task\nText.\n:::", 8, "has no text", "into the file"),
            (":::predict id=p\nQ?\n- [ ] b :: c\n- [ ] d :: e\n:::\n", 8, "0 options", "exactly one"),
            (":::predict id=p\nQ?\n- [x] b :: c\n:::\n", 8, "one option", "wrong option"),
            (":::predict id=p\nQ?\n- [x] b\n:::\n", 8, "has no reason", " :: "),
            (
                ":::note A\n:::\n:::note A\n:::\n:::predict id=p\n- [x] b :: c\n- [ ] b :: c\n:::\n:::predict id=p\n- [x] b :: c\n- [ ] b :: c\n:::\n",
                16,
                "the id `p`",
                "rename",
            ),
            (":::file a.ir\n:::", 8, "two files a.ir", "rename"),
            (":::file ../a\n:::", 8, "not the name of a file", "letters"),
        ] {
            let found = read(body).expect_err(body);
            assert_eq!(found.line, line, "{found}");
            assert!(found.sentence.contains(why) && found.fix.contains(fix), "{found}");
        }
    }

    #[test]
    fn mistakes_in_the_front_matter_have_a_line_and_a_fix() {
        for (text, line, why) in [
            ("# A\n", 1, "no front matter"),
            ("---\ntitle: A\n", 1, "no front matter"),
            ("---\ntitle: A\nminutes: 5\n---\n", 4, "no `summary`"),
            ("---\ntitle: A\nminutes: x\nsummary: B\n---\n", 3, "`x` is not a number"),
            ("---\ntitel: A\n---\n", 2, "no key `titel`"),
            ("---\ntitle: A\ntitle: B\n---\n", 3, "occurs twice"),
            ("---\ntitle\n---\n", 2, "not a line `key: value`"),
        ] {
            let found = Lesson::read("a", text, BTreeMap::new()).expect_err(text);
            assert_eq!(found.line, line, "{found}");
            assert!(found.sentence.contains(why) && !found.fix.is_empty(), "{found}");
        }
    }
}
