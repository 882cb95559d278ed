//! Inputs that are sources: another worker translates them to SPIR-V, then the compiler opens the result.
//!
//! The compiler recognizes a source and asks for its translation; its request stays the current one meanwhile, with its
//! deadline. A failure of the front end is an error of the source, so that it does not run again before the next edit.

use crate::state::{Action, CompilerCommand, Dirty, Engine, Notice, OFFER, SourceCommand, State, slang};
use vitrine_protocol::{FrontEnd, PreparedSource, SourceAnswer, SourceProblem, Translation};

/// The compiler asks for a translation.
pub(super) fn requested(state: &mut State, source: PreparedSource) -> Dirty {
    if !matches!(state.engine, Engine::Busy { revision: now, .. } if now == source.revision) {
        return Dirty::empty();
    }
    if state.requested_input != state.input.revision {
        // The text has changed since the request, and the source is that of the old text.
        state.engine = Engine::Idle;
        return super::engine::send_request(state) | Dirty::STATUS;
    }
    state.prepared = source;
    let needs_slang = state.prepared.front_end == FrontEnd::Slang;
    match needs_slang.then(|| slang::not_ready(state)).flatten() {
        Some(answer) => {
            state.translation = Some((state.requested_input, answer));
            state.queue(CompilerCommand::Reopen);
        }
        None => state.queue(SourceCommand::Translate),
    }
    Dirty::empty()
}

/// The revision of a translation for a comparison.
pub const JOINED: u32 = u32::MAX;

/// The compiler asks for the translation of a source of a comparison.
pub(super) fn join_requested(state: &mut State, source: PreparedSource) -> Dirty {
    let mut dirty = Dirty::empty();
    // The input is a comparison with sources, which the compiled one replaces.
    if matches!(state.engine, Engine::Busy { .. }) {
        state.engine = Engine::Idle;
        dirty |= Dirty::STATUS;
    }
    let needs_slang = source.front_end == FrontEnd::Slang;
    if let Some(answer) = needs_slang.then(|| slang::not_ready(state)).flatten() {
        // The comparison begins again when Slang is loaded.
        let words = answer.problems.first().map_or("", |problem| problem.message.as_str());
        let is_offered = answer.problems.first().is_some_and(|problem| problem.help == OFFER);
        let text = format!("{}: {words}.", source.name);
        let action = is_offered.then_some(Action::LoadSlang);
        return dirty | super::notify(state, Notice { text, action, bad: false });
    }
    state.join_source = Some(source);
    state.queue(SourceCommand::TranslateJoined);
    dirty
}

/// A front end did not answer for a source of a comparison: the comparison is given up.
pub(super) fn join_took_too_long(state: &mut State, name: &str) -> Dirty {
    if state.join_source.take_if(|source| source.name == name).is_none() {
        return Dirty::empty();
    }
    state.joined = None;
    state.queue(SourceCommand::End);
    let text = format!("{name} took too long to compile: nothing was compared.");
    super::notify(state, Notice { text, action: None, bad: true })
}

/// The worker has answered for a comparison.
fn join_answered(state: &mut State, translation: Translation) {
    if state.join_source.take().is_some() {
        state.join_translation = translation;
        state.queue(CompilerCommand::JoinTranslated);
    }
}

/// An option was chosen: the source is translated again at once.
pub(super) fn chosen(state: &mut State, key: &str, values: &str) -> Dirty {
    if !state.input.set_option(key, values) {
        return Dirty::empty();
    }
    super::input::ends_first_sight(state);
    state.notice = None;
    super::change(state) | Dirty::STATUS
}

/// The worker has answered.
pub(super) fn answered(state: &mut State, answer: SourceAnswer) -> Dirty {
    let (revision, translation) = match answer {
        SourceAnswer::Done { revision: JOINED, translation } => {
            join_answered(state, translation);
            return Dirty::empty();
        }
        SourceAnswer::Done { revision, translation } => (revision, translation),
        SourceAnswer::Fault(fault) => {
            let was_loading = slang::failed(state, &fault.message);
            state.queue(SourceCommand::End);
            if let Some(dirty) = was_loading {
                return dirty;
            }
            let problem = SourceProblem {
                message: format!("the front end of this language failed: {}", fault.message),
                help: "edit the source to try again".to_owned(),
                range: None,
                not_run: false,
            };
            let translation = Translation { problems: vec![problem], ..Translation::default() };
            if state.join_source.is_some() {
                join_answered(state, translation);
                return Dirty::empty();
            }
            (state.requested_input, translation)
        }
    };
    // Otherwise the request was stopped.
    if revision == state.requested_input && matches!(state.engine, Engine::Busy { .. }) {
        state.translation = Some((revision, translation));
        state.queue(CompilerCommand::Reopen);
    }
    Dirty::empty()
}

#[cfg(test)]
mod tests {
    use super::super::update;
    use super::*;
    use crate::state::{Answer, Command, Msg, Opened};
    use vitrine_protocol::{Bytes, Fault};

    /// A page that waits for the translation of its input.
    fn page() -> State {
        let mut state = State::default();
        update(&mut state, Msg::Begin { name: String::new(), text: "@compute".to_owned() });
        let ready = Answer::Ready { classes: Vec::new(), pipeline: "dce".to_owned(), formats: Vec::new() };
        update(&mut state, Msg::Answer(ready));
        let revision = state.revision;
        let commands = update(
            &mut state,
            Msg::Answer(Answer::Source(PreparedSource { revision, ..PreparedSource::default() })),
        )
        .1;
        assert_eq!(commands, [SourceCommand::Translate.into()]);
        state
    }

    fn code(state: &State) -> Vec<u8> {
        state.program().map(|program| program.code().to_vec()).unwrap_or_default()
    }

    #[test]
    fn the_sources_of_a_comparison_are_translated_one_after_the_other() {
        let mut state = page();
        let file = vitrine_protocol::NamedFile::default();
        update(&mut state, Msg::Compare(vec![file.clone(), file]));
        let source = |name: &str, front_end| {
            let name = name.to_owned();
            Msg::Answer(Answer::JoinSource(PreparedSource { name, front_end, ..PreparedSource::default() }))
        };
        let commands = update(&mut state, source("a.frag", FrontEnd::Glslang)).1;
        assert_eq!(commands.last(), Some(&SourceCommand::TranslateJoined.into()));
        assert_eq!(update(&mut state, done(JOINED, b"abc")).1, [CompilerCommand::JoinTranslated.into()]);
        assert_eq!(state.join_translation.words.0, b"abc");
        update(&mut state, source("b.wgsl", FrontEnd::Naga));
        let fault = SourceAnswer::Fault(Fault { message: "trap".to_owned() });
        let commands = update(&mut state, Msg::SourceAnswer(fault)).1;
        assert_eq!(commands, [Command::from(SourceCommand::End), CompilerCommand::JoinTranslated.into()]);
        assert!(state.join_translation.words.0.is_empty() && state.translation.is_none());
        update(&mut state, source("b.wgsl", FrontEnd::Naga));
        assert!(update(&mut state, Msg::JoinTookTooLong("a.frag".to_owned())).1.is_empty(), "it was in time");
        let commands = update(&mut state, Msg::JoinTookTooLong("b.wgsl".to_owned())).1;
        assert_eq!(commands, [SourceCommand::End.into()]);
        update(&mut state, Msg::Compare(vec![vitrine_protocol::NamedFile::default()]));
        // HLSL waits for Slang, and begins again with it.
        let found = crate::state::SlangEvent::Found { megabytes: "4".to_owned(), wanted: false };
        update(&mut state, found.into());
        assert!(update(&mut state, source("c.hlsl", FrontEnd::Slang)).1.is_empty());
        let notice = state.notice.clone().map(|of| (of.text, of.action));
        let text = "c.hlsl: compiling HLSL needs Slang, 4 MB.".to_owned();
        assert_eq!(notice, Some((text, Some(Action::LoadSlang))));
        update(&mut state, crate::state::SlangEvent::Load.into());
        let commands = update(&mut state, crate::state::SlangEvent::Loaded.into()).1;
        assert!(commands.contains(&CompilerCommand::ReadShared.into()), "{commands:?}");
    }

    fn done(revision: u32, words: &[u8]) -> Msg {
        let translation = Translation { words: Bytes(words.to_vec()), ..Translation::default() };
        Msg::SourceAnswer(SourceAnswer::Done { revision, translation })
    }

    #[test]
    fn a_text_that_has_changed_meanwhile_is_requested_again() {
        let mut state = page();
        let asked = |state: &mut State| {
            let source = PreparedSource { revision: state.revision, ..PreparedSource::default() };
            update(state, Msg::Answer(Answer::Source(source))).1
        };
        let first = (state.revision, state.requested_input);
        update(&mut state, Msg::Edited("@computes".to_owned()));
        let source = PreparedSource { revision: first.0, ..PreparedSource::default() };
        let commands = update(&mut state, Msg::Answer(Answer::Source(source))).1;
        assert_eq!(
            commands,
            [CompilerCommand::Open.into()],
            "and not the text that the compiler does not have"
        );
        assert_eq!(state.requested_input, state.input.revision);
        assert!(update(&mut state, done(first.1, b"old")).1.is_empty(), "of the old text");
        assert_eq!(asked(&mut state), [SourceCommand::Translate.into()]);
    }

    #[test]
    fn a_translation_is_opened_and_its_words_are_the_program() {
        let mut state = page();
        let revision = state.requested_input;
        assert_eq!(update(&mut state, done(revision, b"abc")).1, [CompilerCommand::Reopen.into()]);
        assert_eq!((code(&state).as_slice(), state.input.bytes()), (&b"abc"[..], &b"@compute"[..]));
        update(&mut state, Msg::Edited("func".to_owned()));
        assert_eq!(code(&state), b"func", "of another input");
    }

    #[test]
    fn a_failed_front_end_is_an_error_of_the_source_and_ends_its_worker() {
        let mut state = page();
        let fault = SourceAnswer::Fault(Fault { message: "trap".to_owned() });
        let commands = update(&mut state, Msg::SourceAnswer(fault)).1;
        assert_eq!(commands, [Command::from(SourceCommand::End), CompilerCommand::Reopen.into()]);
        let (_, translation) = state.translation.clone().unwrap_or_default();
        assert!(translation.problems[0].message.ends_with("failed: trap"), "{translation:?}");
        assert_eq!(state.program(), Err("the source has errors".to_owned()));
        // No task begins with a text that only a front end reads.
        let event = crate::state::debugger::Event::Check;
        assert!(update(&mut state, event.into()).1.is_empty());
        assert_eq!(state.debugger.check.report.summary, "Nothing was checked: the source has errors.");
    }

    #[test]
    fn an_option_translates_the_same_text_again() {
        let mut state = page();
        let first = state.requested_input;
        update(&mut state, done(first, b"abc"));
        let revision = state.revision;
        update(&mut state, Msg::Answer(Answer::Opened(Box::new(Opened { revision, ..Opened::default() }))));
        let choose = |value: &str| Msg::SourceOption("entry".to_owned(), value.to_owned());
        assert!(update(&mut state, choose("f")).1.contains(&CompilerCommand::Open.into()));
        assert_eq!((state.input.options.as_str(), state.current_translation()), ("entry=f", None));
        assert_eq!(code(&state), b"abc", "the shown program stays until the answer");
        assert!(update(&mut state, choose("f")).1.is_empty());
    }

    #[test]
    fn a_deadline_names_the_front_end_that_is_awaited() {
        let mut state = page();
        let revision = state.revision;
        update(&mut state, Msg::TookTooLong(revision));
        let text = state.notice.map(|notice| notice.text).unwrap_or_default();
        assert!(text.starts_with("naga took too long"), "{text}");
    }

    #[test]
    fn typing_in_a_source_waits_for_a_short_pause() {
        let mut state = page();
        let first = state.requested_input;
        update(&mut state, done(first, b"abc"));
        let (revision, option) = (state.revision, vec![crate::state::SourceOption::default()]);
        let opened = Opened { revision, source_options: option, ..Opened::default() };
        update(&mut state, Msg::Answer(Answer::Opened(Box::new(opened))));
        let commands = update(&mut state, Msg::Edited("@computes".to_owned())).1;
        assert!(commands.contains(&Command::Rest(state.revision, 40)), "{commands:?}");
        assert!(!commands.contains(&CompilerCommand::Open.into()), "{commands:?}");
        let revision = state.revision;
        assert!(update(&mut state, Msg::Rested(revision)).1.contains(&CompilerCommand::Open.into()));
    }

    #[test]
    fn answers_to_stopped_requests_are_ignored() {
        let mut state = page();
        let revision = state.requested_input;
        assert!(update(&mut state, done(revision + 1, b"abc")).1.is_empty());
        let commands = update(&mut state, Msg::Stop).1;
        assert!(commands.contains(&CompilerCommand::Restart.into()), "{commands:?}");
        assert!(update(&mut state, done(revision, b"abc")).1.is_empty());
        assert!(state.translation.is_none());
    }
}
