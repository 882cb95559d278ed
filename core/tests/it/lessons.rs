//! The lessons of `www/learn`: their tasks are solvable and their programs are valid; the guide for teachers; `vitrine lesson` and
//! the answers of a class.
//!
//! The pages are made from the same files; rules for their text are tested in `web/lessons/src/tests.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use vitrine_core::judge::{Task, fact, ran};
use vitrine_core::lessons::{check, compute, predicate_table};
use vitrine_core::pipeline::{PASSES, Pipeline, TEACHING};
use vitrine_core::view_model::Session;
use vitrine_lessons::{Lesson, jobs};
use vitrine_protocol::Outcome;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/learn")
}

fn guide() -> PathBuf {
    root().join("teachers/guide.md")
}

/// The lessons of the course.
fn lessons() -> Vec<Lesson> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root()).expect("the folder exists") {
        let folder = folder.expect("it can be read").path();
        let Ok(text) = std::fs::read_to_string(folder.join("lesson.md")) else { continue };
        let slug = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = BTreeMap::new();
        for file in std::fs::read_dir(&folder).expect("the folder exists") {
            let file = file.expect("it can be read").path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(name, std::fs::read_to_string(&file).expect("a file of a lesson is UTF-8"));
        }
        out.push(Lesson::read(&slug, &text, files).unwrap_or_else(|why| panic!("{slug}: {why}")));
    }
    out.sort_by_key(|lesson| lesson.number);
    out
}

/// For each task, the start program, or an empty answer, fails, and the solution passes; for each figure, the program is valid or has
/// the expected diagnostic, and the passes run.
#[test]
fn every_lesson_is_without_mistakes() {
    let lessons = lessons();
    assert!(lessons.len() >= 13, "{} lessons", lessons.len());
    for lesson in &lessons {
        let parts = check(lesson).unwrap_or_else(|errors| panic!("{}: {errors:?}", lesson.slug));
        let figures = lesson.figures().count();
        assert!(parts.len() >= 2 * figures, "{}: {} parts", lesson.slug, parts.len());
        for of in lesson.tasks() {
            let task = Task::parse(&of.source).expect("it was checked");
            assert!(!task.statement.is_empty() && !task.hints.is_empty(), "{}: {}", lesson.slug, of.id);
        }
    }
}

/// A step that changes nothing shows nothing, unless that is the point of the figure; a mark that marks nothing is a mistake.
#[test]
fn every_version_and_every_mark_shows_something() {
    let mut count = 0;
    for lesson in &lessons() {
        for figure in lesson.figures() {
            let place = format!("{}: {}", lesson.slug, figure.id);
            let input = lesson.file(&figure.program).expect("it was read").as_bytes();
            let mut session = Session::new();
            session.open(input, if figure.pipeline.is_empty() { "fix()" } else { &figure.pipeline });
            let steps = session.steps();
            let changed: BTreeSet<u32> = (1..)
                .zip(&steps)
                .filter(|(_, step)| step.outcome != Outcome::Unchanged)
                .map(|(at, _)| at)
                .collect();
            for (at, _) in &figure.stages {
                assert!(*at == 0 || changed.contains(at) || figure.id == "nothing", "{place}: step {at}");
            }
            for of in &figure.marks {
                let found = fact(input, of).unwrap_or_else(|why| panic!("{place}: {why}"));
                assert!(!found.is_empty(), "{place}: {of} marks nothing");
            }
            count += 1;
        }
    }
    assert!(count >= 50, "{count} figures");
}

/// The examples of the guide, one after the other, are a lesson without mistakes.
#[test]
fn the_examples_of_the_guide_are_a_lesson() {
    let guide = std::fs::read_to_string(guide()).expect("the guide exists");
    let mut example = String::new();
    let mut count = 0;
    for piece in guide.split("\n```lesson\n").skip(1) {
        let (inside, _) = piece.split_once("\n```\n").expect("the example ends");
        example.push_str(inside);
        example.push('\n');
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
    let lesson = Lesson::read("example", &example, BTreeMap::new()).unwrap_or_else(|why| panic!("{why}"));
    check(&lesson).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!((lesson.tasks().count(), lesson.figures().count()), (2, 2));
}

/// The table of predicates in the guide is that of the judge. `BLESS=1` rewrites it.
#[test]
fn the_guide_lists_every_predicate() {
    let text = std::fs::read_to_string(guide()).expect("the guide exists");
    let begin = "These are all predicates:\n\n";
    let (before, rest) = text.split_once(begin).expect("the guide has the table");
    let after = &rest[rest.find("## ").expect("a section follows")..];
    let expected = format!("{before}{begin}{}\n{after}", predicate_table());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(guide(), &expected).expect("the guide can be written");
    }
    let written = std::fs::read_to_string(guide()).expect("the guide exists");
    assert!(written == expected, "the table of predicates is out of date; run with BLESS=1");
}

#[test]
fn passes_that_are_wrong_on_purpose_are_in_no_list() {
    for pass in TEACHING {
        assert!(pass.name.starts_with("wrong-") && pass.doc.starts_with("WRONG ON PURPOSE"), "{}", pass.name);
        assert!(PASSES.iter().all(|other| other.name != pass.name));
        let entries = vitrine_core::catalog::entries();
        assert!(entries.iter().all(|entry| entry.name != pass.name), "{}", pass.name);
        let nested = Pipeline::parse(&format!("fix(repeat(2: dce, {}))", pass.name)).expect("it is a pass");
        assert_eq!(nested.wrong_on_purpose(), Some(pass.name));
    }
    assert_eq!(Pipeline::parse("O2").expect("a preset").wrong_on_purpose(), None);
    let file = root().join("miscompile/forward.ir").display().to_string();
    let show = |more: Option<&str>| {
        let mut args = vec!["show", file.as_str(), "--pipeline", "wrong-forward"];
        args.extend(more);
        vitrine(&args)
    };
    let (code, _, error) = show(None);
    assert_eq!(code, Some(2));
    assert!(error.contains("wrong on purpose") && error.contains("--teaching"), "{error}");
    let (code, text, _) = show(Some("--teaching"));
    assert!(code == Some(0) && text.contains("return %five_6"), "{text}");
}

#[test]
fn a_run_has_the_outputs_of_its_inputs() {
    let product =
        b"func @f_0(%a_0: b32, %b_1: b32) -> b32 graph {\n^0:\n  %2 = imul %a_0, %b_1\n  return %2\n}\n";
    assert_eq!(ran(product, "a = 6; b = 7"), Ok("result = 42".to_owned()));
    assert!(ran(product, "c = 6").is_err() && ran(b"", "").is_err());
}

#[test]
fn a_figure_that_cannot_be_drawn_is_refused() {
    let text = "---\ntitle: A\nminutes: 5\nsummary: B.\n---\n:::figure id=f program=a.ir pipeline=\"PIPELINE\" at=AT\n:::\n\
                :::file a.ir\nfunc @f_0(%a_0: b32) -> b32 graph {\n^0:\n  return VALUE\n}\n:::\n";
    for (pipeline, at, value, why) in [
        ("dce", "0", "%a_0", ""),
        ("dce", "2", "%a_0", "there is no version 2"),
        ("dcee", "0", "%a_0", "there is no pass"),
        ("dce", "0", "%b_1", "line 3 of the program"),
    ] {
        let text = text.replace("PIPELINE", pipeline).replace("AT", at).replace("VALUE", value);
        let lesson = Lesson::read("a", &text, BTreeMap::new()).expect("it can be read");
        match check(&lesson) {
            Ok(_) => assert!(why.is_empty(), "{why}"),
            Err(errors) => {
                let [error] = &errors[..] else { panic!("{errors:?}") };
                assert!(!why.is_empty() && error.sentence.contains(why) && error.line == 6, "{error}");
            }
        }
        let computed = compute(&jobs(&lesson)[0], lesson.file("a.ir").expect("it has a file").as_bytes());
        assert_eq!(computed.is_ok(), why.is_empty());
    }
}

#[test]
fn a_task_that_cannot_be_judged_is_refused() {
    let text = "---\ntitle: A\nminutes: 5\nsummary: B.\n---\n:::task id=t title=T file=a.task\n:::\n:::file a.task\nDo it.\nstart: a.ir\n\
                CHECKS\n:::\n:::file a.ir\nfunc @f_0(%a_0: b32) -> b32 graph {\n^0:\n  return %a_0\n}\n:::\n";
    for (checks, line, why) in [
        ("check: answer = blocks\nanswer: 1", 0, ""),
        ("check: answer = blocs\nanswer: 1", 11, "did you mean `blocks`"),
        ("check: answer = blocks\nanswer: 2", 6, "the solution of a.task fails"),
        ("check: blocks = 1\nsolution: a.ir", 6, "solved from the start"),
        ("check: blocks = 2", 6, "has no solution"),
        ("check: blocks = 2\nsolution: a.ir\nanswer: 2", 6, "has two solutions"),
        ("answer: 2", 11, "has no check"),
    ] {
        let lesson =
            Lesson::read("a", &text.replace("CHECKS", checks), BTreeMap::new()).expect("it can be read");
        match check(&lesson) {
            Ok(_) => assert_eq!(line, 0, "{checks}"),
            Err(errors) => {
                assert!(errors[0].sentence.contains(why) && errors[0].line == line, "{checks}: {errors:?}");
            }
        }
    }
}

/// Runs the command line: its status, output and errors.
fn vitrine(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A folder for the files of a test, empty at its start.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn one_lesson_becomes_one_page() {
    let folder = folder("lesson-page");
    let page = folder.join("page.html").display().to_string();
    for (hides, slug) in
        [(false, "common-subexpressions"), (true, "common-subexpressions"), (false, "dominance")]
    {
        let lesson = root().join(slug).join("lesson.md").display().to_string();
        let mut args = vec!["lesson", &lesson, "-o", &page, "--site", "https://example.org/v/"];
        args.extend(hides.then_some("--hide-solutions"));
        let (code, _, error) = vitrine(&args);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        let html = std::fs::read_to_string(&page).expect("the page was written");
        assert!(html.contains("<svg") && html.contains("https://example.org/v/#"), "{slug}");
        assert!(!html.contains("{{course") && !html.contains("src=") && !html.contains("<link"), "{slug}");
        assert_eq!(html.contains("Show solution"), !hides, "{slug}");
    }
}

#[test]
fn mistakes_of_a_lesson_are_diagnostics() {
    let folder = folder("lesson-mistakes");
    let (file, page) = (folder.join("a.md"), folder.join("a.html"));
    let (named, written) = (file.display().to_string(), page.display().to_string());
    let front = "---\ntitle: A\nminutes: 5\nsummary: B.\n---\n";
    for (body, expected) in [
        (
            ":::figure id=f program=b.ir\n:::\n",
            ":6: error: there is no file b.ir\n  fix: put the file beside",
        ),
        (":::note A\nB\n", ":6: error: the block `note` is not closed\n  fix: add a line `:::`"),
        (":::figure id=f programme=b.ir\n:::\n", ":6: error: the block has no key `programme=`\n  fix: "),
        ("a <b>c</b>\n", ":6: error: `<b>`: a lesson has no HTML\n  fix: "),
    ] {
        std::fs::write(&file, format!("{front}{body}")).expect("a file can be written");
        let (code, output, error) = vitrine(&["lesson", &named, "-o", &written]);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{body}");
        assert!(error.starts_with(&named) && error.contains(expected), "{error}");
        assert!(!page.exists(), "nothing is written for a lesson with mistakes");
    }
    std::fs::write(&file, front).expect("a file can be written");
    assert_eq!(vitrine(&["lesson", &named, "-o", &written, "--site", "a b"]).0, Some(2));
    assert_eq!(vitrine(&["lesson", &folder.join("c.md").display().to_string(), "-o", &written]).0, Some(2));
}

#[test]
fn the_answers_of_a_class_are_judged_in_one_command() {
    let folder = folder("class");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.display().to_string()
    };
    let answers =
        |list: &str| format!("{{\"format\": \"vitrine-answers\", \"version\": 1, \"answers\": [{list}]}}");
    let one = |task: &str, answer: &str| {
        format!(
            "{{\"lesson\": \"dominance\", \"task\": \"{task}\", \"answer\": \"{answer}\", \"solved\": true}}"
        )
    };
    let tree = std::fs::read_to_string(root().join("dominance/tree.task")).expect("the task exists");
    let right = tree.lines().find_map(|line| line.strip_prefix("answer: ")).expect("it has an answer");
    let ada = write("ada.json", &answers(&one("tree", right)));
    // The page of the learner claims that it is solved.
    let grace = write("grace.json", &answers(&one("tree", "^0->^1")));
    let lesson = root().join("dominance/lesson.md").display().to_string();
    let (code, table, error) = vitrine(&["judge", &lesson, &ada, &grace]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let column = rows[0].iter().position(|name| *name == "tree").expect("the task has a column") + 1;
    assert_eq!((rows[1][0], rows[1][column]), ("ada.json", "solved"), "{table}");
    assert_eq!((rows[2][0], rows[2][column]), ("grace.json", "no"), "{table}");
    assert!(table.contains("1 of 3") && table.contains("0 of 3") && table.contains('-'), "{table}");
    let (_, json, _) = vitrine(&["judge", &lesson, &grace, "--json"]);
    assert!(json.contains("still missing"), "{json}");
    let all = root().display().to_string();
    let (code, table, _) = vitrine(&["judge", &all, &ada]);
    assert!(code == Some(0) && table.contains("dominance/tree") && table.contains("cfg/"), "{table}");
    for wrong in ["{}", "[", "{\"format\": \"vitrine-answers\", \"version\": 2}", &answers("{}")] {
        let file = write("wrong.json", wrong);
        let (code, _, error) = vitrine(&["judge", &lesson, &file]);
        assert!(code == Some(2) && error.contains("wrong.json"), "{wrong}: {error}");
    }
    let task = root().join("dominance/tree.task").display().to_string();
    assert_eq!(vitrine(&["judge", &task, &ada, &grace]).0, Some(2), "a task has one answer");
}

#[test]
fn a_fact_is_a_set_of_entities() {
    let program =
        b"func @f_0(%a_0: b1) graph {\n^0:\n  branch %a_0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
    assert_eq!(fact(program, "dominated-by(^0)"), Ok(["^0", "^1", "^2"].map(str::to_owned).to_vec()));
    assert_eq!(fact(program, "frontier(^1)"), Ok(vec!["^2".to_owned()]));
    assert!(fact(program, "blocks").is_err() && fact(program, "frontier(^9)").is_err());
    assert!(fact(b"", "frontier(^1)").is_err());
}
