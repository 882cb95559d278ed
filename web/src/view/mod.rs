//! The parts of the page. Each finds its elements once, redraws what is dirty, and turns events into messages.

pub(crate) mod open; // examples, files, drag and drop, paste
mod columns; // versions side by side
mod empty; // the graph pane without a graph
mod formats; // the export menu, target languages
mod frame; // the pane of a small screen, keys of the whole page
mod inspect; // details of the chosen thing
pub(crate) mod graph; // the control-flow graph
mod debugger; // programs executed and compared
mod memory; // maps of memory
pub(crate) mod layout; // splitters, panes that close
pub(crate) mod input; // the input: a text area, then the editor
pub(crate) mod output; // the printed IR
mod passes; // the list of passes and the catalog
mod print; // printing
pub(crate) mod editor; // the text editor
mod problems; // diagnostics
mod source_options; // the options of a source
mod status; // the status line
mod tabs; // the open inputs
pub(crate) mod theme; // light, dark, system
pub(crate) mod timeline; // the steps of the pipeline

pub(crate) use output::{copy, draw_pieces};
pub(crate) use passes::kind_name;

use crate::state::{Dirty, State};

/// All parts.
pub(crate) struct Views {
    input: input::Input,
    timeline: timeline::Timeline,
    passes: passes::Passes,
    graph: graph::Graph,
    output: output::Output,
    problems: problems::Problems,
    status: status::Status,
    columns: columns::Columns,
    inspect: inspect::Inspect,
    memory: memory::Memory,
    debugger: debugger::Debugger,
    tabs: tabs::Tabs,
    source_options: source_options::SourceOptions,
}

impl Views {
    /// Finds the elements of `www/index.html`.
    pub(crate) fn find() -> Views {
        Views {
            input: input::Input::find(),
            timeline: timeline::Timeline::find(),
            passes: passes::Passes::find(),
            graph: graph::Graph::find(),
            output: output::Output::find(),
            problems: problems::Problems::find(),
            status: status::Status::find(),
            columns: columns::Columns::find(),
            inspect: inspect::Inspect::find(),
            memory: memory::Memory::find(),
            debugger: debugger::Debugger::find(),
            tabs: tabs::Tabs::find(),
            source_options: source_options::SourceOptions::default(),
        }
    }

    /// Redraws what is dirty.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        self.output.measure(dirty);
        theme::draw(state, dirty);
        frame::draw(state, dirty);
        layout::draw(state, dirty);
        formats::draw(state, dirty);
        empty::draw(state, dirty);
        self.input.draw(state, dirty);
        self.timeline.draw(state, dirty);
        self.passes.draw(state, dirty);
        self.graph.draw(state, dirty);
        self.output.draw(state, dirty);
        self.problems.draw(state, dirty);
        self.status.draw(state, dirty);
        self.columns.draw(state, dirty);
        self.inspect.draw(state, dirty);
        self.memory.draw(state, dirty);
        self.debugger.draw(state, dirty);
        self.tabs.draw(state, dirty);
        self.source_options.draw(state, dirty);
    }

    /// Listens to events, and sends the input of the page.
    pub(crate) fn listen() {
        theme::listen();
        frame::listen();
        layout::listen();
        open::listen();
        formats::listen();
        empty::listen();
        timeline::listen();
        passes::listen();
        graph::listen();
        output::listen();
        problems::listen();
        status::listen();
        columns::listen();
        inspect::listen();
        memory::listen();
        debugger::listen();
        print::listen();
        tabs::listen();
        input::listen();
    }
}
