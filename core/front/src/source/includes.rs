//! `#include`: the text of a file stands where it is included, and every line keeps its place.
//!
//! Further files are sections of the text, each after a line `// @file NAME`, or come from the caller. Files that are
//! dropped together become such sections, so that a link holds all of them and every line is a line of the editor.
//!
//! Conditions around an `#include` are not evaluated: a file that includes itself is an error even if a macro guards it.
//! `#pragma once` is obeyed.

use super::places::{Lines, Place};
use super::problems::Problem;
use std::collections::BTreeSet;

/// The beginning of a line that begins another file in the same text.
pub const FILE_MARK: &str = "// @file ";

/// The largest size of a text with its files, in bytes: files that include others twice grow exponentially.
const MOST_BYTES: usize = 4 << 20;

/// A file, and its lines that are not copied yet.
struct Open<'t> {
    name: String,
    file: usize,
    lines: std::iter::Enumerate<std::vec::IntoIter<&'t str>>,
    first_line: u32,
}

/// A section of the text.
struct Section<'t> {
    name: &'t str,
    first_line: u32,
    lines: Vec<&'t str>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut all = vec![Section { name: "", first_line: 1, lines: Vec::new() }];
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix(FILE_MARK) {
            Some(name) => {
                all.push(Section { name: name.trim(), first_line: at as u32 + 2, lines: Vec::new() });
            }
            None => {
                if let Some(section) = all.last_mut() {
                    section.lines.push(line);
                }
            }
        }
    }
    all
}

/// The source as one text. Errors: a file that is missing or includes itself; too much text.
pub(super) fn joined(
    text: &str,
    name: &str,
    included: &dyn Fn(&str) -> Option<String>,
) -> Result<Lines, Problem> {
    // Texts from the caller live as long as the stack of files; `None` is a file that does not exist.
    let texts = loaded(text, included);
    let sections = sections(text);
    let mut lines = Lines { files: vec![(name.to_owned(), text.to_owned())], ..Lines::default() };
    let mut once: BTreeSet<String> = BTreeSet::new();
    let first = &sections[0];
    let mut stack = vec![Open {
        name: name.to_owned(),
        file: 0,
        lines: first.lines.clone().into_iter().enumerate(),
        first_line: first.first_line,
    }];
    while let Some(top) = stack.last_mut() {
        let Some((at, line)) = top.lines.next() else {
            stack.pop();
            continue;
        };
        let place = Place { file: top.file, line: top.first_line + at as u32 };
        let error = |says: String, help: &str| Problem {
            line: if place.file == 0 { place.line as usize } else { 0 },
            help: help.to_owned(),
            ..Problem::new(says)
        };
        let (mut kept, wanted) = (line, name_in(line));
        if line.trim() == "#pragma once" {
            once.insert(top.name.clone());
            kept = "";
        }
        if let Some(wanted) = wanted {
            kept = "";
            let is_open = stack.iter().any(|open| open.name == wanted);
            if is_open {
                let mut names: Vec<&str> = stack.iter().map(|open| open.name.as_str()).collect();
                names.push(wanted);
                let says = format!("`{wanted}` includes itself: {}", names.join(", then "));
                return Err(error(says, "remove one of these `#include` lines"));
            }
            if !once.contains(wanted) {
                let section = sections.iter().skip(1).find(|section| section.name == wanted);
                let opened = match (section, texts.iter().find(|(name, _)| name == wanted)) {
                    (Some(section), _) => Some((0, section.first_line, section.lines.clone())),
                    (None, Some((_, text))) => {
                        let known = lines.files.iter().position(|(name, _)| name == wanted);
                        let file = known.unwrap_or_else(|| {
                            lines.files.push((wanted.to_owned(), text.clone()));
                            lines.files.len() - 1
                        });
                        Some((file, 1, text.lines().collect()))
                    }
                    (None, None) => None,
                };
                let Some((file, first_line, of)) = opened else {
                    let says = format!("`{wanted}` is included, but not given");
                    return Err(error(
                        says,
                        "drop that file together with this one, or add it after a line `// @file NAME`",
                    ));
                };
                let lines = of.into_iter().enumerate();
                stack.push(Open { name: wanted.to_owned(), file, lines, first_line });
            }
        }
        lines.text.push_str(kept);
        lines.text.push('\n');
        lines.places.push(place);
        if lines.text.len() > MOST_BYTES {
            return Err(error(
                format!("the source is larger than {} MB with the files it includes", MOST_BYTES >> 20),
                "include each file once",
            ));
        }
    }
    Ok(lines)
}

/// The files of the caller that the text includes, directly or by other files. Each is requested once.
fn loaded(text: &str, included: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let names = |text: &str| text.lines().filter_map(name_in).map(str::to_owned).collect::<Vec<_>>();
    let mut asked: BTreeSet<String> =
        sections(text).iter().skip(1).map(|section| section.name.to_owned()).collect();
    let mut found = Vec::new();
    let mut waiting = names(text);
    while let Some(name) = waiting.pop() {
        if asked.insert(name.clone())
            && let Some(text) = included(&name)
        {
            waiting.extend(names(&text));
            found.push((name, text));
        }
    }
    found
}

/// The name in an `#include` line.
fn name_in(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest.get(1..)?.split(close).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(lines: &Lines) -> Vec<(usize, u32)> {
        lines.places.iter().map(|place| (place.file, place.line)).collect()
    }

    #[test]
    fn sections_and_files_stand_where_they_are_included_and_keep_their_lines() {
        let text = "a\n#include \"b.glsl\"\nc\n#include <d.glsl>\n// @file b.glsl\nb1\nb2\n";
        let lines = joined(text, "main.frag", &|name| (name == "d.glsl").then(|| "d1\n".to_owned()));
        let lines = lines.expect("all files are given");
        assert_eq!(lines.text, "a\n\nb1\nb2\nc\n\nd1\n");
        assert_eq!(places(&lines), [(0, 1), (0, 2), (0, 6), (0, 7), (0, 3), (0, 4), (1, 1)]);
    }

    #[test]
    fn loops_missing_files_and_bombs_are_errors_with_a_line() {
        let of = |text: &str| joined(text, "a.frag", &|_| None).map(|lines| lines.text);
        let failed =
            |text: &str| of(text).map_or_else(|problem| (problem.line, problem.says), |text| (0, text));
        assert_eq!(failed("x\n#include \"n\"\n").0, 2);
        let (line, says) = failed("#include \"b\"\n// @file b\n#include \"c\"\n// @file c\n#include \"b\"\n");
        assert!(line == 5 && says.contains("then b, then c, then b"), "{line} {says}");
        let mut bomb = "#include \"0\"\n".to_owned();
        for at in 0..40 {
            bomb += &format!("// @file {at}\n{}text\n", format!("#include \"{}\"\n", at + 1).repeat(2));
        }
        bomb += "// @file 40\ntext\n";
        assert!(failed(&bomb).1.contains("larger than 4 MB"));
        let once = "#include \"b\"\n#include \"b\"\n// @file b\n#pragma once\nx\n";
        assert_eq!(of(once).ok().as_deref(), Some("\n\nx\n\n"));
    }
}
