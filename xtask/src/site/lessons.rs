//! The course: lessons in Markdown (`www/learn/SLUG/lesson.md`) as static pages (`learn/SLUG/index.html`), made by
//! `vitrine-lessons`. `guide.md` in place of `lesson.md` is a page that is no lesson.
//!
//! Programs and tasks are files beside the lesson. They are part of the page, and not files of the site. The computed parts of
//! the pages are placeholders, which `web/examples/course.rs` computes and `pack` fills.

use crate::report::{Error, Result};
use crate::site::Files;
use std::collections::BTreeMap;
use vitrine_lessons::{Lesson, LessonError, contents, guide, jobs as jobs_of, lesson, open_page};

/// The folder of the lessons in the site.
const FOLDER: &str = "learn/";

/// The sources of the course.
#[derive(Debug, Default)]
pub struct Course {
    /// The lessons, in order.
    lessons: Vec<Lesson>,
    /// Other pages.
    guides: Vec<Lesson>,
}

impl Course {
    /// The lessons, in order.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }
}

/// Takes the sources of the course from the files of the site.
pub fn take(files: &mut Files) -> Result<Course> {
    let mut folders: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let inside: Vec<String> = files.keys().filter(|path| path.starts_with(FOLDER)).cloned().collect();
    for path in inside {
        let Some((slug, name)) = path.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        let bytes = files.get(&path).cloned().unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| unreadable(slug, &format!("{name} is not UTF-8")))?;
        folders.entry(slug.to_owned()).or_default().insert(name.to_owned(), text);
        files.remove(&path);
    }
    let mut course = Course::default();
    for (slug, mut files) in folders {
        let read = |text: String, files| Lesson::read(&slug, &text, files).map_err(|why| wrong(&slug, &why));
        match (files.remove("lesson.md"), files.remove("guide.md")) {
            (Some(text), None) => course.lessons.push(read(text, files)?),
            (None, Some(text)) => course.guides.push(read(text, files)?),
            _ => return Err(unreadable(&slug, "expected either lesson.md or guide.md")),
        }
    }
    course.lessons.sort_by_key(|lesson| lesson.number);
    Ok(course)
}

fn wrong(slug: &str, why: &LessonError) -> Error {
    Error::new("reading the lessons")
        .reason(format!("www/{FOLDER}{slug}: line {}: {}", why.line, why.sentence))
        .fix(why.fix.clone())
}

fn unreadable(slug: &str, why: &str) -> Error {
    Error::new("reading the lessons")
        .reason(format!("www/{FOLDER}{slug}: {why}"))
        .fix("compare the folder with www/learn/teachers/guide.md")
}

/// Adds the pages of the course and the contents.
pub fn add_pages(course: &Course, files: &mut Files) -> Result {
    let Course { lessons, guides } = course;
    if lessons.is_empty() {
        return Ok(());
    }
    let mut add = |of: &Lesson, page: std::result::Result<String, LessonError>| {
        let page = page.map_err(|why| wrong(&of.slug, &why))?;
        files.insert(format!("{FOLDER}{}/index.html", of.slug), page.into_bytes());
        Ok(())
    };
    lessons.iter().try_for_each(|of| add(of, lesson(lessons, of)))?;
    guides.iter().try_for_each(|of| add(of, guide(of)))?;
    files.insert(format!("{FOLDER}index.html"), contents(lessons).into_bytes());
    files.insert(format!("{FOLDER}open/index.html"), open_page().into_bytes());
    Ok(())
}

/// The list of programs that the pages show, for `web/examples/course.rs`.
pub fn jobs(course: &Course) -> String {
    let of = |lesson: &Lesson| {
        let folder = format!("www/{FOLDER}{}", lesson.slug);
        jobs_of(lesson).iter().map(|job| job.to_line(&folder)).collect::<String>()
    };
    course.lessons.iter().chain(&course.guides).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::read_folder;
    use std::path::Path;

    #[test]
    fn every_page_of_the_course_is_made() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www");
        let mut files = Files::new();
        read_folder(&root, "", &mut files).unwrap();
        let course = take(&mut files).unwrap();
        add_pages(&course, &mut files).unwrap();
        assert!(course.lessons.len() >= 12 && !course.guides.is_empty());
        assert!(files.contains_key("learn/open/index.html"));
        for of in course.lessons.iter().chain(&course.guides) {
            let page = String::from_utf8_lossy(&files[&format!("learn/{}/index.html", of.slug)]).into_owned();
            assert!(page.contains("data-worker=\"../../tutor.js\""), "{}", of.slug);
        }
        assert!(!files.keys().any(|path| path.ends_with(".task")
            || path.ends_with(".md") && path.contains("learn/") && path.matches('/').count() > 1));
        assert!(jobs(&course).lines().count() > 60);
    }

    #[test]
    fn a_folder_without_a_lesson_is_refused() {
        let mut files = Files::from([("learn/a/b.ir".to_owned(), Vec::new())]);
        assert!(take(&mut files).is_err());
        let mut files = Files::from([("learn/a/lesson.md".to_owned(), b"# A\n".to_vec())]);
        assert!(take(&mut files).is_err());
    }
}
