//! The parts of the page. Each finds its elements once, redraws what is dirty, and turns events into messages.

mod bring; // examples, files, drops and pastes
mod frame; // panes of a small screen, keys of the whole page
mod graph; // the control-flow graph
mod input; // the editor, its line numbers
mod output; // the printed IR
mod problems; // what is wrong
mod status; // the line at the bottom
mod theme; // light, dark, system
mod timeline; // the steps of the pipeline

pub(crate) use output::copy;

use crate::state::{Dirty, State};

/// All parts.
pub(crate) struct Views {
    input: input::Input,
    timeline: timeline::Timeline,
    graph: graph::Graph,
    output: output::Output,
    problems: problems::Problems,
    status: status::Status,
}

impl Views {
    /// Finds the elements of `www/index.html`.
    pub(crate) fn find() -> Views {
        Views {
            input: input::Input::find(),
            timeline: timeline::Timeline::find(),
            graph: graph::Graph::find(),
            output: output::Output::find(),
            problems: problems::Problems::find(),
            status: status::Status::find(),
        }
    }

    /// Redraws what is dirty.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        theme::draw(state, dirty);
        frame::draw(state, dirty);
        self.input.draw(state, dirty);
        self.timeline.draw(state, dirty);
        self.graph.draw(state, dirty);
        self.output.draw(state, dirty);
        self.problems.draw(state, dirty);
        self.status.draw(state, dirty);
    }

    /// Listens, and sends what the page holds from the start.
    pub(crate) fn listen() {
        theme::listen();
        frame::listen();
        bring::listen();
        timeline::listen();
        graph::listen();
        output::listen();
        problems::listen();
        status::listen();
        input::listen();
    }
}
