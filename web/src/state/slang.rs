//! Slang, the front end of HLSL and Slang: it is loaded only if the user requests it, since it is larger than the page.
//!
//! A source in its languages is answered at once while it is not ready, with a problem that offers to load it or reports its
//! progress, so that the deadline of a translation never counts a download. The source is opened again with every change of
//! the state of Slang.
//!
//! Refuses to load anything without a request of the user, who may have made it in an earlier visit.

use crate::state::update::change;
use crate::state::{Command, CompilerCommand, Dirty, SourceCommand, State};
use vitrine_protocol::{SourceProblem, Translation};

/// The command that converts a source without Slang.
const COMMAND: &str = "dxc -spirv -T ps_6_0 -E main shader.hlsl -Fo shader.spv";
/// The end of the problem that offers to load Slang, see `view::problems`.
pub const OFFER: &str = "load Slang to translate it in this page";

/// The state of Slang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Slang {
    /// This copy of the page was built without it.
    #[default]
    Absent,
    /// The user has not requested it.
    Offered,
    /// The user has requested it; it is loaded with the next source.
    Wanted,
    /// It is being loaded.
    Loading,
    /// Its worker waits for sources.
    Ready,
    /// It could not be loaded, for this reason.
    Failed(String),
}

/// The state of Slang, and the source that waits for it.
#[derive(Clone, Debug, Default)]
pub struct SlangLoader {
    /// The state.
    pub slang: Slang,
    /// The size of its download in megabytes, in words.
    pub megabytes: String,
    /// True if the last translation only reports that Slang is not ready.
    waits: bool,
}

/// An event of Slang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlangEvent {
    /// The page has it.
    Found {
        /// The size of its download in megabytes, in words.
        megabytes: String,
        /// True if the user requested it in an earlier visit.
        wanted: bool,
    },
    /// The user requests it.
    Load,
    /// Its worker is ready.
    Loaded,
    /// Its worker was terminated.
    Ended,
}

/// Handles an event.
pub(in crate::state) fn happened(state: &mut State, event: SlangEvent) -> Dirty {
    let loader = &mut state.slang;
    let next = match (event, &loader.slang) {
        (SlangEvent::Found { megabytes, wanted }, Slang::Absent) => {
            loader.megabytes = megabytes;
            if wanted { Slang::Wanted } else { Slang::Offered }
        }
        (SlangEvent::Load, Slang::Offered | Slang::Failed(_)) => {
            state.queue(Command::StoreSlang);
            state.queue(SourceCommand::LoadSlang);
            Slang::Loading
        }
        (SlangEvent::Loaded, Slang::Loading) => Slang::Ready,
        (SlangEvent::Ended, Slang::Loading | Slang::Ready) => Slang::Wanted,
        (
            SlangEvent::Found { .. } | SlangEvent::Load | SlangEvent::Loaded | SlangEvent::Ended,
            Slang::Absent | Slang::Offered | Slang::Wanted | Slang::Loading | Slang::Ready | Slang::Failed(_),
        ) => return Dirty::empty(),
    };
    become_state(state, next)
}

/// A worker of a front end has failed. Returns none if that is the failure of a translation: Slang is not being loaded.
pub(in crate::state) fn failed(state: &mut State, reason: &str) -> Option<Dirty> {
    let is_loading = state.slang.slang == Slang::Loading;
    is_loading.then(|| become_state(state, Slang::Failed(reason.to_owned())))
}

/// The answer to a source that needs Slang while it is not ready; none if it is. Loads it if the user has requested it.
pub(in crate::state) fn not_ready(state: &mut State) -> Option<Translation> {
    let size = &state.slang.megabytes;
    let (message, help) = match &state.slang.slang {
        Slang::Ready => {
            state.slang.waits = false;
            return None;
        }
        Slang::Absent => (
            "compiling HLSL needs Slang, which this copy of the page does not have".to_owned(),
            format!("convert it with `{COMMAND}` and open shader.spv"),
        ),
        Slang::Offered => (format!("compiling HLSL needs Slang, {size} MB"), OFFER.to_owned()),
        Slang::Failed(reason) => (format!("Slang could not be loaded: {reason}"), OFFER.to_owned()),
        Slang::Wanted | Slang::Loading => {
            (format!("Slang is being loaded, {size} MB"), "the source is translated after that".to_owned())
        }
    };
    state.slang.waits = true;
    if state.slang.slang == Slang::Wanted {
        state.slang.slang = Slang::Loading;
        state.queue(SourceCommand::LoadSlang);
    }
    let problem = SourceProblem { message, help, range: None, not_run: true };
    Some(Translation { problems: vec![problem], ..Translation::default() })
}

/// Sets the state, and opens the source again if it waits.
fn become_state(state: &mut State, next: Slang) -> Dirty {
    state.slang.slang = next;
    // A comparison waits for it, too.
    if state.slang.slang == Slang::Ready && state.joined.is_some() {
        state.queue(CompilerCommand::ReadShared);
    }
    let waits = std::mem::take(&mut state.slang.waits);
    let is_current = state.translation.as_ref().is_some_and(|(at, _)| *at == state.input.revision);
    if !waits || !is_current {
        return Dirty::empty();
    }
    state.translation = None;
    change(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Answer, Msg, update};
    use vitrine_protocol::{Fault, FrontEnd, Opened, PreparedSource, SourceAnswer};

    /// A page with a source in HLSL, whose compiler has asked for its translation.
    fn page(wanted: bool) -> (State, Vec<Command>) {
        let mut state = State::default();
        let megabytes = "4.2".to_owned();
        update(&mut state, SlangEvent::Found { megabytes, wanted }.into());
        update(&mut state, Msg::Begin { name: String::new(), text: "SV_Target".to_owned() });
        let ready = Answer::Ready { classes: Vec::new(), pipeline: "dce".to_owned(), formats: Vec::new() };
        update(&mut state, Msg::Answer(ready));
        let commands = asked(&mut state);
        (state, commands)
    }

    fn asked(state: &mut State) -> Vec<Command> {
        let revision = state.revision;
        let source = PreparedSource { revision, front_end: FrontEnd::Slang, ..PreparedSource::default() };
        update(state, Msg::Answer(Answer::Source(source))).1
    }

    fn answered(state: &mut State) {
        let opened = Opened { revision: state.revision, ..Opened::default() };
        update(state, Msg::Answer(Answer::Opened(Box::new(opened))));
    }

    fn message(state: &State) -> &str {
        state.translation.as_ref().map_or("", |(_, of)| of.problems[0].message.as_str())
    }

    #[test]
    fn a_source_offers_slang_and_is_opened_again_when_it_is_loaded() {
        let (mut state, commands) = page(false);
        assert_eq!(commands, [CompilerCommand::Reopen.into()]);
        assert_eq!(message(&state), "compiling HLSL needs Slang, 4.2 MB");
        answered(&mut state);
        let commands = update(&mut state, SlangEvent::Load.into()).1;
        let wanted: [Command; 3] =
            [Command::StoreSlang, SourceCommand::LoadSlang.into(), CompilerCommand::Open.into()];
        assert_eq!(commands, wanted);
        assert_eq!(asked(&mut state), [CompilerCommand::Reopen.into()]);
        assert_eq!(message(&state), "Slang is being loaded, 4.2 MB");
        answered(&mut state);
        assert_eq!(update(&mut state, SlangEvent::Loaded.into()).1, [CompilerCommand::Open.into()]);
        assert_eq!(asked(&mut state), [SourceCommand::Translate.into()]);
    }

    #[test]
    fn a_request_of_an_earlier_visit_loads_it_with_the_first_source() {
        let (mut state, commands) = page(true);
        assert_eq!(commands, [SourceCommand::LoadSlang.into(), CompilerCommand::Reopen.into()]);
        answered(&mut state);
        let fault = SourceAnswer::Fault(Fault { message: "no network".to_owned() });
        let commands = update(&mut state, Msg::SourceAnswer(fault)).1;
        assert_eq!(commands, [CompilerCommand::Open.into(), SourceCommand::End.into()]);
        asked(&mut state);
        assert_eq!(message(&state), "Slang could not be loaded: no network");
        answered(&mut state);
        // The user can try it again.
        assert!(update(&mut state, SlangEvent::Load.into()).1.contains(&SourceCommand::LoadSlang.into()));
    }

    #[test]
    fn a_terminated_worker_is_started_again_with_the_next_source() {
        let (mut state, _) = page(true);
        answered(&mut state);
        update(&mut state, SlangEvent::Loaded.into());
        assert_eq!(asked(&mut state), [SourceCommand::Translate.into()]);
        let trap = SourceAnswer::Fault(Fault { message: "trap".to_owned() });
        update(&mut state, Msg::SourceAnswer(trap));
        update(&mut state, SlangEvent::Ended.into());
        assert_eq!(message(&state), "the front end of this language failed: trap");
        answered(&mut state);
        update(&mut state, Msg::Edited("SV_Target ".to_owned()));
        assert_eq!(asked(&mut state), [SourceCommand::LoadSlang.into(), CompilerCommand::Reopen.into()]);
    }

    #[test]
    fn a_page_without_slang_names_another_compiler() {
        let mut state = page(false).0;
        state.slang = SlangLoader::default();
        answered(&mut state);
        update(&mut state, Msg::Edited("SV_Target ".to_owned()));
        asked(&mut state);
        let help = state.translation.as_ref().map_or("", |(_, of)| of.problems[0].help.as_str());
        assert!(help.contains("dxc"), "{help}");
        assert!(update(&mut state, SlangEvent::Load.into()).1.is_empty());
    }
}
