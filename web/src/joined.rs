//! Files that are opened together and include each other: one text, in which every file after the first is a section.
//!
//! The compiler includes sections where they are named, so that a link holds all files and every line is one of the editor.
//! Files of which one is included by no other are not joined: they are several inputs.

use vitrine_core::front::source::FILE_MARK;
use vitrine_protocol::{Bytes, NamedFile};

/// The files as one; none if they do not belong together.
pub(crate) fn joined(files: &[NamedFile]) -> Option<NamedFile> {
    let texts: Vec<&str> =
        files.iter().map(|file| std::str::from_utf8(&file.bytes.0).ok()).collect::<Option<_>>()?;
    let includes = |text: &str, name: &str| {
        let mut lines = text.lines().map(str::trim_start).filter(|line| line.starts_with('#'));
        lines.any(|line| {
            line.contains("include")
                && [format!("\"{name}\""), format!("<{name}>")].iter().any(|of| line.contains(of))
        })
    };
    let is_included =
        |at: usize| (0..files.len()).any(|other| other != at && includes(texts[other], &files[at].name));
    let mut mains = (0..files.len()).filter(|&at| !is_included(at));
    // In a loop of files the first one begins, and the compiler reports the loop.
    let main = mains.next().or_else(|| is_included(0).then_some(0))?;
    if mains.next().is_some() {
        return None;
    }
    let mut text = texts[main].to_owned();
    for at in (0..files.len()).filter(|&at| at != main) {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("{FILE_MARK}{}\n{}", files[at].name, texts[at]));
    }
    Some(NamedFile { name: files[main].name.clone(), bytes: Bytes(text.into_bytes()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> NamedFile {
        NamedFile { name: name.to_owned(), bytes: Bytes(text.as_bytes().to_vec()) }
    }

    #[test]
    fn files_are_joined_if_all_but_one_are_included() {
        let files = [file("b.glsl", "b"), file("a.frag", "#include \"b.glsl\"\na"), file("c", "c")];
        let one = joined(&files[..2]).expect("they belong together");
        assert_eq!(
            (one.name.as_str(), &one.bytes.0[..]),
            ("a.frag", &b"#include \"b.glsl\"\na\n// @file b.glsl\nb"[..])
        );
        assert!(joined(&files).is_none(), "one is not included");
        assert!(joined(&[file("a", "x"), file("b", "y")]).is_none());
        assert!(joined(&[file("a", "#include \"b\""), file("b", "#include \"a\"")]).is_some(), "a loop");
        assert!(
            joined(&[file("a", "x"), NamedFile { name: "b".to_owned(), bytes: Bytes(vec![255]) }]).is_none()
        );
    }
}
