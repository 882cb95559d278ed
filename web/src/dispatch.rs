//! Carries out commands: requests to the workers, timers, files, settings.

use crate::dom::later;
use crate::state::{Command, CompilerCommand, Msg, SourceCommand, State};
use crate::view::{editor, layout, theme};
use crate::worker::{Workers, sources};
use crate::{cards, keep, overlays, releases, save, store, texts};

/// Carries out commands, in order.
pub(crate) fn dispatch(workers: &mut Workers, state: &State, commands: Vec<Command>) {
    for command in commands {
        match command {
            Command::Compiler(command) => {
                if command == CompilerCommand::Restart {
                    // The front end may be the one that does not finish.
                    workers.sources.dispatch(state, SourceCommand::End);
                }
                workers.compiler.dispatch(state, command);
            }
            Command::Sources(command) => workers.sources.dispatch(state, command),
            Command::Debugger(command) => workers.debugger.dispatch(state, command),
            Command::Rest(revision, ms) => later(ms, move || store::send(Msg::Rested(revision))),
            Command::SaveFile(file) if file.raster => save::raster(file.bytes.0),
            Command::SaveFile(file) => save::file(&file.bytes.0, &file.extension, &file.media),
            Command::CopyLink(link) => save::share(&link),
            Command::OfferRelease { made_by, link } => releases::offer(&made_by, &link),
            Command::ShowCard(inspected) => cards::deliver(state, inspected),
            Command::ShowOverlay(overlay) => overlays::deliver(&overlay),
            Command::SearchColumns(text) => texts::deliver(text),
            Command::LearnWords(words) => {
                editor::learn(words);
                later(0, || store::redraw(crate::state::Dirty::EDITOR));
            }
            Command::StoreTheme(theme) => theme::store(theme),
            Command::StoreSlang => sources::store_slang(),
            Command::StoreLayout => layout::store(&state.layout),
            Command::Keep(command) => keep::dispatch(command),
        }
    }
    workers.compiler.keep_spare(state);
}
