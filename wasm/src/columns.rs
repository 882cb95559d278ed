//! Versions side by side, one thing in all detail, and where things stand in the input.

use crate::Compiler;
use vitrine_core::view_model::{Ask, Inspection, Window};
use wasm_bindgen::prelude::wasm_bindgen;

/// A window of some versions side by side, see `view_model::Window`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Columns {
    view: Window,
}

/// All there is to say about a thing, see `view_model::Inspection`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Told {
    told: Inspection,
}

#[wasm_bindgen]
impl Compiler {
    /// A window of the versions `versions`: rows from `first` up to `last`. With `fold`, rows that say the same in
    /// all of them are folded, but for those in `opened`. `find` is the number of a thing whose definition in the
    /// column `column` is looked for, or below 0.
    #[allow(clippy::too_many_arguments)] // Plain numbers cost nothing at the border; an object would.
    pub fn columns(
        &mut self,
        versions: &[u32],
        fold: bool,
        opened: Vec<u32>,
        first: u32,
        last: u32,
        find: i32,
        column: u32,
    ) -> Columns {
        let find = u32::try_from(find).ok().map(|number| (number, column as usize));
        let versions = versions.iter().map(|&at| at as usize).collect();
        Columns { view: self.session.columns(&Ask { versions, fold, opened, first, last, find }) }
    }

    /// What there is to say about a thing of a version.
    pub fn inspect(&mut self, at: u32, number: u32) -> Told {
        Told { told: self.session.inspect(at as usize, number) }
    }

    /// Where the things of a version stand in the text of the input: number, first byte, length, sorted by place.
    pub fn ties(&mut self, at: u32) -> Vec<u32> {
        self.session.ties(at as usize)
    }
}

#[wasm_bindgen]
impl Columns {
    /// How many rows there are in all, the first one of this window, and the one that was looked for or -1.
    pub fn place(&self) -> Vec<i32> {
        let found = self.view.found.map_or(-1, |row| row as i32);
        vec![self.view.rows as i32, self.view.first as i32, found]
    }

    /// The versions that there are.
    pub fn versions(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.view.versions)
    }

    /// Five numbers a column: letters of its longest line; new, gone, changed and moved rows.
    pub fn heads(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.view.heads)
    }

    /// Folds that are open.
    pub fn opened(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.view.opened)
    }

    /// The lines of the cells.
    pub fn text(&mut self) -> String {
        std::mem::take(&mut self.view.text.text)
    }

    /// Their runs.
    pub fn spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.view.text.runs)
    }

    /// The rows and their cells.
    pub fn table(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.view.table)
    }
}

#[wasm_bindgen]
impl Told {
    /// The lines.
    pub fn text(&mut self) -> String {
        std::mem::take(&mut self.told.text.text)
    }

    /// Their runs.
    pub fn spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.told.text.runs)
    }

    /// Four numbers a line.
    pub fn rows(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.told.rows)
    }
}
