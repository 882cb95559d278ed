//! Rules for the lessons of `www/learn`: their length, their sections and tasks, their sentences, their links.
//!
//! The programs and tasks are run by the tests of `core`, in `tests/it/lessons.rs`.

use crate::page::{contents, guide, lesson};
use crate::source::{Lesson, Part};
use crate::{jobs, markdown, prose};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The largest average number of words of a sentence.
const MOST_WORDS: usize = 18;

fn www() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www")
}

/// The pages whose text is in a file of this name.
fn read(file: &str) -> Vec<Lesson> {
    let folders = std::fs::read_dir(www().join("learn")).unwrap().map(|entry| entry.unwrap().path());
    let read = |folder: PathBuf| {
        let slug = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join(file)).ok()?;
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        });
        let files = files.filter(|(name, _)| name != file).collect();
        Some(Lesson::read(&slug, &text, files).unwrap_or_else(|why| panic!("{slug}: {why}")))
    };
    let mut lessons: Vec<Lesson> = folders.filter(|path| path.is_dir()).filter_map(read).collect();
    lessons.sort_by_key(|lesson| lesson.number);
    lessons
}

/// The lessons, and all pages by their paths in the site.
fn lessons() -> (Vec<Lesson>, BTreeMap<String, String>) {
    let lessons = read("lesson.md");
    let mut files = BTreeMap::new();
    for of in &lessons {
        files.insert(format!("learn/{}/index.html", of.slug), lesson(&lessons, of).unwrap());
    }
    for of in &read("guide.md") {
        files.insert(format!("learn/{}/index.html", of.slug), guide(of).unwrap());
    }
    files.insert("learn/index.html".to_owned(), contents(&lessons));
    (lessons, files)
}

/// The Markdown of a lesson: its text, captions, questions and asides.
fn texts(lesson: &Lesson) -> Vec<&str> {
    let mut out = vec![lesson.summary.as_str()];
    for part in &lesson.parts {
        match part {
            Part::Text(text) => out.push(text),
            Part::Figure(figure) => out.push(&figure.caption),
            Part::Note(note) => out.push(&note.text),
            Part::Presenter(text) => out.push(text),
            Part::Task(task) => out.push(&task.statement),
            Part::Predict(predict) => {
                out.push(&predict.question);
                out.extend(predict.options.iter().map(|option| option.reason.as_str()));
            }
        }
    }
    out
}

fn ids(lesson: &Lesson) -> Vec<String> {
    let mut out = Vec::new();
    for part in &lesson.parts {
        match part {
            Part::Text(text) => {
                out.extend(prose::sections(text).iter().map(|words| markdown::section(words)));
            }
            Part::Figure(figure) => out.push(figure.id.clone()),
            Part::Predict(predict) => out.push(predict.id.clone()),
            Part::Task(task) => out.push(task.id.clone()),
            Part::Note(_) | Part::Presenter(_) => {}
        }
    }
    out
}

#[test]
fn every_lesson_has_its_sections_tasks_and_questions() {
    let (lessons, _) = lessons();
    assert!(lessons.len() >= 3, "the lessons were not found");
    for lesson in &lessons {
        let slug = &lesson.slug;
        let count = |has: fn(&Part) -> bool| lesson.parts.iter().filter(|part| has(part)).count();
        let sections: usize = lesson
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => prose::sections(text).iter().filter(|words| *words != "Summary").count(),
                Part::Figure(_) | Part::Predict(_) | Part::Task(_) | Part::Note(_) | Part::Presenter(_) => 0,
            })
            .sum();
        assert!((4..=7).contains(&sections), "{slug}: {sections} sections");
        assert!((2..=3).contains(&lesson.tasks().count()), "{slug}: the number of tasks");
        assert!(count(|part| matches!(part, Part::Predict(_))) >= 2, "{slug}: the number of questions");
        assert!(lesson.figures().count() >= 3, "{slug}: the number of figures");
        let words: usize = texts(lesson).iter().map(|text| text.split_whitespace().count()).sum();
        assert!((500..=1600).contains(&words), "{slug}: {words} words");
        assert!((10..=25).contains(&lesson.minutes), "{slug}: {} minutes", lesson.minutes);
    }
}

#[test]
fn sentences_are_short() {
    for lesson in &lessons().0 {
        let sentences: Vec<String> = texts(lesson).into_iter().flat_map(prose::sentences).collect();
        let words: usize = sentences.iter().map(|sentence| sentence.split_whitespace().count()).sum();
        let longest = sentences.iter().max_by_key(|sentence| sentence.split_whitespace().count()).unwrap();
        let average = words as f64 / sentences.len() as f64;
        assert!(words <= MOST_WORDS * sentences.len(), "{}: {average:.1} words a sentence", lesson.slug);
        assert!(longest.split_whitespace().count() <= 40, "{}: {longest}", lesson.slug);
    }
}

#[test]
fn every_link_and_every_id_resolves() {
    let (lessons, files) = lessons();
    let mut numbers = BTreeSet::new();
    for lesson in &lessons {
        let slug = &lesson.slug;
        assert!(numbers.insert(lesson.number), "{slug}: two lessons have the number {}", lesson.number);
        assert!(slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{slug}");
        for other in &lesson.prerequisites {
            let found = lessons.iter().find(|lesson| lesson.slug == *other);
            assert!(found.is_some_and(|found| found.number < lesson.number), "{slug}: prerequisite {other}");
        }
        let ids = ids(lesson);
        let set: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(set.len(), ids.len(), "{slug}: an id occurs twice: {ids:?}");
        for link in texts(lesson).into_iter().flat_map(prose::links) {
            let holds = match link.strip_prefix('#') {
                Some(id) => ids.iter().any(|other| other == id),
                None if link.starts_with("https://") => true,
                None => {
                    let (path, id) = link.split_once('#').unwrap_or((&link, ""));
                    let inside = path.strip_prefix("../").map(|rest| match rest.strip_prefix("../") {
                        Some(rest) => rest.to_owned(),
                        None => format!("learn/{rest}"),
                    });
                    let inside = inside.unwrap_or_else(|| panic!("{slug}: {link}"));
                    let file = if inside.ends_with('/') { format!("{inside}index.html") } else { inside };
                    // Pages that are no part of the course are files of the site.
                    let page = files.get(&file).cloned();
                    let page = page.or_else(|| std::fs::read_to_string(www().join(&file)).ok());
                    page.is_some_and(|page| id.is_empty() || page.contains(&format!("id=\"{id}\"")))
                }
            };
            assert!(holds, "{slug}: the link {link} leads nowhere");
        }
    }
}

/// Programs that no block names would be tested by nothing.
#[test]
fn every_file_of_a_lesson_is_used() {
    for lesson in &lessons().0 {
        let mut used: BTreeSet<&str> = lesson.figures().map(|figure| figure.program.as_str()).collect();
        for task in lesson.tasks() {
            used.extend([task.start.as_str()]);
            used.extend(task.solution.as_deref());
            used.extend(task.programs.iter().map(|(_, file)| file.as_str()));
        }
        used.extend(lesson.tasks().map(|task| task.file.as_str()));
        for name in lesson.files.keys() {
            assert!(used.contains(name.as_str()), "{}: {name}", lesson.slug);
        }
    }
}

#[test]
fn every_placeholder_of_a_page_belongs_to_a_job() {
    let (lessons, files) = lessons();
    let names: BTreeSet<String> = lessons.iter().flat_map(jobs).map(|job| job.name).collect();
    for lesson in &lessons {
        let page = &files[&format!("learn/{}/index.html", lesson.slug)];
        for placeholder in page.split("{{course:").skip(1) {
            let (name, _) = placeholder.split_once("}}").unwrap();
            let job: Vec<&str> = name.split(':').take(2).collect();
            assert!(names.contains(&job.join(":")), "{name}");
        }
        assert!(page.contains("data-worker=\"../../tutor.js\""));
    }
}
