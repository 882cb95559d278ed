//! Requests to the compiler, built from the state. No DOM and no worker: tested on the host.

use vitrine_protocol::{
    Bytes, CheckInputs, ColumnsRequest, ExportRequest, FindRequest, GraphOptions, InspectRequest,
    MemoryRequest, OpenRequest, OriginsRequest, OverlayRequest, PathsRequest, Request, SharedRequest,
};

use crate::state::inspect::OF_CARD;
use crate::state::{Pane, SaveFormat, State, Tab, memory};

pub(super) fn open(state: &State, revision: u32) -> Request {
    let scene = &state.scene;
    let (toggle, parts) = scene.sending;
    Request::Open(OpenRequest {
        revision,
        pipeline: state.pipeline.clone(),
        version: state.at.map(|at| at as u32),
        last_change: state.first_sight,
        function: state.func,
        parts,
        shown: state.tab,
        target: state.target.clone(),
        graph: GraphOptions {
            overlay: scene.overlays.then_some(scene.overlay),
            inline: scene.inline,
            folds: scene.folds.clone(),
            opened_blocks: scene.opened.clone(),
            pins: scene.pins.clone(),
            toggle,
        },
        translates: true,
        translation: state.current_translation().cloned(),
        name: state.input.name.clone(),
        source_options: state.input.options.clone(),
    })
}

pub(super) fn columns(state: &State) -> Request {
    let columns = &state.columns;
    let window = columns.window();
    Request::Columns(ColumnsRequest {
        serial: columns.serial,
        versions: chosen_columns(state),
        fold: !columns.unfolded,
        opened_folds: columns.opened().to_vec(),
        first: window.start,
        last: window.end,
        find: columns.find.map(|(id, column)| (id, column as u32)),
        find_anchor: columns.find_anchor.map(|(anchor, column)| (anchor, column as u32)),
        find_row: columns.find_cell.map(|(row, _)| row),
    })
}

fn chosen_columns(state: &State) -> Vec<u32> {
    state.columns.chosen.iter().map(|at| *at as u32).collect()
}

pub(super) fn inspect(state: &State) -> Option<Request> {
    let id = state.inspect.thing()?;
    Some(Request::Inspect(InspectRequest { serial: state.inspect.serial, version: version(state), id }))
}

/// The details of the thing of the card.
pub(super) fn card(state: &State) -> Request {
    let (id, serial) = state.inspect.card;
    Request::Inspect(InspectRequest { serial: serial | OF_CARD, version: version(state), id })
}

pub(super) fn origins(state: &State) -> Request {
    Request::Origins(OriginsRequest { revision: state.revision, version: version(state) })
}

pub(super) fn memory(state: &State) -> Request {
    let memory = &state.memory;
    Request::Memory(MemoryRequest { serial: memory.serial, version: version(state), id: memory.thing })
}

pub(super) fn paths(state: &State) -> Request {
    Request::Paths(PathsRequest { serial: state.memory.paths_serial, versions: memory::versions(state) })
}

pub(super) fn find(state: &State) -> Option<Request> {
    let function = state.shown.func?;
    let query = state.scene.find.query.clone();
    Some(Request::Find(FindRequest { version: version(state), function, query }))
}

/// The marks of the chosen overlay.
pub(super) fn overlay(state: &State) -> Option<Request> {
    let (subject, serial) = &state.scene.marked;
    let subject = subject.as_ref()?;
    Some(Request::Overlay(OverlayRequest {
        serial: *serial,
        version: version(state),
        function: state.shown.func?,
        kind: subject.kind,
        chosen: subject.chosen,
        executions: state.executions().cloned().unwrap_or_default(),
    }))
}

/// The shown version in the chosen format.
pub(super) fn export(state: &State) -> Option<Request> {
    let (place, raster) = match state.save? {
        SaveFormat::Format(place) => (place, false),
        SaveFormat::Png(place) => (place, true),
        SaveFormat::Repro => return Some(Request::WriteRepro(shared(state, &state.pipeline))),
    };
    Some(Request::Export(ExportRequest {
        version: state.at.map(|at| at as u32),
        function: state.shown.func,
        format: state.formats.get(place)?.name.clone(),
        raster,
        // Columns are saved as they are chosen.
        versions: if state.tab == Tab::Columns { chosen_columns(state) } else { Vec::new() },
    }))
}

pub(super) fn write_link(state: &State) -> Request {
    let pipeline = if state.own_pipeline { state.pipeline.as_str() } else { "" };
    Request::WriteLink(shared(state, pipeline))
}

/// The request for a link, a reproduction or files that are to be opened.
pub(super) fn read_shared(state: &State) -> Option<Request> {
    let link = state.link.clone().map(Request::ReadLink);
    link.or_else(|| state.repro.clone().map(|bytes| Request::ReadRepro(Bytes(bytes))))
        .or_else(|| state.joined.clone().map(Request::Join))
}

fn shared(state: &State, pipeline: &str) -> SharedRequest {
    let inputs = state.debugger.check.inputs;
    SharedRequest {
        name: state.input.name.clone(),
        pipeline: pipeline.to_owned(),
        version: state.at.map(|at| at as u32),
        function: state.func,
        shown: state.tab,
        target: state.target.clone(),
        // A link opens with the graph unless another pane was shown; the input is also the pane of a large screen.
        pane: match state.pane {
            Pane::Input | Pane::Graph => String::new(),
            Pane::Output | Pane::Problems => state.pane.name().to_owned(),
        },
        assignments: state.debugger.run.assignments.join("\n"),
        source_options: state.input.options.clone(),
        overlay: state.scene.overlay_code(),
        columns: state.columns.own_choice(),
        trials: (inputs != CheckInputs::default()).then_some([inputs.seed, inputs.runs]),
        expected: state.debugger.expected(state),
        made_by: String::new(),
    }
}

fn version(state: &State) -> u32 {
    state.shown_at() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Format;

    #[test]
    fn a_format_of_the_menu_is_a_row_of_the_compilers_table() {
        let formats = ["spirv", "svg"].map(|name| Format { name: name.to_owned(), ..Format::default() });
        let mut state = State { formats: formats.to_vec(), ..State::default() };
        state.shown.func = Some(3);
        let mut of = |format| {
            state.save = Some(format);
            match export(&state) {
                Some(Request::Export(request)) => (request.format, request.function, request.raster),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of(SaveFormat::Png(1)), ("svg".to_owned(), Some(3), true));
        assert_eq!(of(SaveFormat::Format(0)), ("spirv".to_owned(), Some(3), false));
        state.save = Some(SaveFormat::Format(2));
        assert_eq!(export(&state), None);
        state.save = Some(SaveFormat::Repro);
        assert!(matches!(export(&state), Some(Request::WriteRepro(_))));
    }

    #[test]
    fn columns_are_saved_as_they_are_chosen() {
        let format = Format { name: "columns".to_owned(), ..Format::default() };
        let mut state =
            State { formats: vec![format], save: Some(SaveFormat::Format(0)), ..State::default() };
        state.columns.chosen = vec![0, 4];
        for (tab, wanted) in [(Tab::Columns, vec![0, 4]), (Tab::Ir, Vec::new())] {
            state.tab = tab;
            let Some(Request::Export(request)) = export(&state) else { panic!("no export") };
            assert_eq!(request.versions, wanted);
        }
    }

    #[test]
    fn a_link_has_a_pipeline_only_if_the_user_wrote_it() {
        let mut state = State { pipeline: "dce".to_owned(), ..State::default() };
        for (own, wanted) in [(false, ""), (true, "dce")] {
            state.own_pipeline = own;
            let Request::WriteLink(request) = write_link(&state) else { panic!("not a link") };
            assert_eq!(request.pipeline, wanted);
        }
    }

    #[test]
    fn a_link_is_read_before_a_reproduction() {
        let mut state = State::default();
        assert_eq!(read_shared(&state), None);
        state.repro = Some(vec![1]);
        assert_eq!(read_shared(&state), Some(Request::ReadRepro(Bytes(vec![1]))));
        state.link = Some("1".to_owned());
        assert_eq!(read_shared(&state), Some(Request::ReadLink("1".to_owned())));
    }
}
