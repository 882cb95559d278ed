//! Several programs that become a comparison, after the page has translated those that are sources, one after the other.

use super::prepared::Source;
use super::shared::shared;
use crate::lab::compare::{Dump, bundle, by_name, dumps_of, join};
use crate::share;
use vitrine_protocol::{Answer, NamedFile, Tab, Translation};

/// A comparison whose sources are being translated, if there is one.
#[derive(Debug, Default)]
pub struct Joining {
    waiting: Option<Waiting>,
}

/// A comparison that waits for the translation of a source.
#[derive(Debug)]
struct Waiting {
    name: String,
    dumps: Vec<Dump>,
    /// The program whose source waits.
    at: usize,
    source: Source,
}

impl Joining {
    /// Several programs as one input: [`Answer::JoinSource`] for the first source, or [`Answer::Shared`].
    pub fn join(&mut self, files: Vec<NamedFile>) -> Answer {
        let mut dumps: Vec<Dump> =
            files.into_iter().map(|file| Dump { name: file.name, bytes: file.bytes.0 }).collect();
        dumps.sort_by(|a, b| by_name(&a.name, &b.name));
        let first = dumps.first().map_or_else(String::new, |dump| dump.name.clone());
        let name = match dumps.len() {
            0 | 1 => first,
            count => format!("{first} and {} more", count - 1),
        };
        match join(dumps) {
            Ok(dumps) if dumps.is_empty() => refused(name, "there is no program in these files"),
            Ok(dumps) => self.next(name, dumps, 0),
            Err(why) => refused(name, &why),
        }
    }

    /// The same for an input that is a comparison with sources; `None` for any other input.
    pub fn join_input(&mut self, input: &[u8], name: &str) -> Option<Answer> {
        let dumps = dumps_of(input)?.ok()?;
        dumps.iter().any(|dump| source_of(dump).is_some()).then(|| self.next(name.to_owned(), dumps, 0))
    }

    /// Takes the translation of a source of the comparison. Answers: as for [`Joining::join`].
    pub fn translated(&mut self, translation: Translation) -> Answer {
        let Some(Waiting { name, mut dumps, at, source }) = self.waiting.take() else {
            return Answer::Refused("no comparison waits for a translation".to_owned());
        };
        let (translation, _) = source.finished(Some(translation));
        let translation = translation.unwrap_or_default();
        if translation.words.0.is_empty() {
            return not_compiled(name, dumps.get(at), &source, &translation);
        }
        if let Some(dump) = dumps.get_mut(at) {
            dump.bytes = translation.words.0;
        }
        self.next(name, dumps, at + 1)
    }

    /// The next source of the comparison from program `at`, or the comparison if there is none.
    fn next(&mut self, name: String, dumps: Vec<Dump>, at: usize) -> Answer {
        self.waiting = None;
        let mut rest = dumps.iter().enumerate().skip(at);
        let Some((at, source)) = rest.find_map(|(at, dump)| Some((at, source_of(dump)?))) else {
            return joined(name, bundle(&dumps), "");
        };
        let Some(request) = source.request(0) else {
            let (translation, _) = source.finished(None);
            return not_compiled(name, dumps.get(at), &source, &translation.unwrap_or_default());
        };
        self.waiting = Some(Waiting { name, dumps, at, source });
        Answer::JoinSource(request)
    }
}

fn source_of(dump: &Dump) -> Option<Source> {
    Source::of(&dump.bytes, &dump.name, "")
}

/// The answer for a source with errors.
fn not_compiled(name: String, dump: Option<&Dump>, source: &Source, translation: &Translation) -> Answer {
    let file = dump.map_or("", |dump| dump.name.as_str());
    refused(name, &format!("{file} cannot be compiled: {}", source.first_problem(translation)))
}

fn refused(name: String, problem: &str) -> Answer {
    joined(name, Vec::new(), problem)
}

/// The programs of a comparison as an input, or the reason that there is none.
fn joined(name: String, input: Vec<u8>, problem: &str) -> Answer {
    let shown = Tab::Changes.number();
    Answer::Shared(shared(
        share::SharedState { input, name, shown, ..share::SharedState::default() },
        problem,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{Bytes, PreparedSource};

    fn source(answer: Answer) -> PreparedSource {
        match answer {
            Answer::JoinSource(source) => source,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sources_of_a_comparison_are_translated_first() {
        let glsl = |name: &str| NamedFile {
            name: name.to_owned(),
            bytes: Bytes(b"#version 450\nvoid main() {}\n".to_vec()),
        };
        let ir = NamedFile { name: "c.ir".to_owned(), bytes: Bytes(b"func @0() graph {\n}\n".to_vec()) };
        let mut joining = Joining::default();
        let first = source(joining.join(vec![glsl("b.frag"), ir, glsl("a.vert")]));
        assert_eq!((first.name.as_str(), first.stage.as_str()), ("a.vert", "vert"));
        let words = |byte| Translation { words: Bytes(vec![3, 2, 0x23, 7, byte]), ..Translation::default() };
        assert_eq!(source(joining.translated(words(1))).name, "b.frag");
        let Answer::Shared(shared) = joining.translated(words(2)) else { panic!("not joined") };
        assert_eq!((shared.view.name.as_str(), shared.problem.as_str()), ("a.vert and 2 more", ""));
        let dumps = dumps_of(&shared.input.0).and_then(Result::ok).unwrap_or_default();
        let ends: Vec<u8> = dumps.iter().filter_map(|dump| dump.bytes.last().copied()).collect();
        assert_eq!(ends, [1, 2, b'\n']);
        // An error names its file and line; a link of an older release has texts.
        source(joining.join(vec![glsl("a.vert"), glsl("b.vert")]));
        let log = "ERROR: 0:2: 'x' : undeclared identifier".to_owned();
        let wrong = joining.translated(Translation { log, ..Translation::default() });
        let Answer::Shared(shared) = wrong else { panic!("not refused") };
        assert!(shared.problem.starts_with("a.vert cannot be compiled: line 2: 'x'"), "{}", shared.problem);
        let files = [glsl("a.vert"), glsl("b.vert")].map(|of| Dump { name: of.name, bytes: of.bytes.0 });
        let input = bundle(&files);
        assert_eq!(
            joining.join_input(&input, "two").map(source).map(|of| of.name),
            Some("a.vert".to_owned())
        );
        assert_eq!(joining.join_input(b"func @0() graph {\n}\n", "one"), None);
    }

    #[test]
    fn a_source_that_cannot_be_prepared_is_refused() {
        let bytes = Bytes(b"#version 450\nvoid main() {}\n".to_vec());
        let answer = Joining::default().join(vec![NamedFile { name: "a.glsl".to_owned(), bytes }]);
        let Answer::Shared(shared) = answer else { panic!("{answer:?}") };
        assert!(shared.problem.starts_with("a.glsl cannot be compiled: "), "{}", shared.problem);
        assert!(shared.input.0.is_empty());
        assert!(matches!(Joining::default().translated(Translation::default()), Answer::Refused(_)));
    }
}
