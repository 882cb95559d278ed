//! How graphs are drawn (what is folded, opened, pinned) and where words stand in them, as flat numbers.

use crate::Compiler;
use vitrine_core::view_model::{Toggle, View};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Compiler {
    /// How the next [`Compiler::open`] draws graphs: folds as kind and block, opened blocks, pins as block, left,
    /// upper edge; then a change by two numbers (0 for none, see `view_model::Toggle`), and whether only the
    /// graph is wanted; and whether what analyses know stands in the blocks.
    pub fn look(
        &mut self,
        folds: &[u32],
        open: &[u32],
        pins: &[i32],
        toggle: &[u32],
        graph_only: bool,
        facts: bool,
    ) {
        let view = View {
            facts,
            folds: folds.as_chunks::<2>().0.to_vec(),
            open: open.to_vec(),
            pins: pins.as_chunks::<3>().0.iter().map(|&[block, x, y]| (block as u32, [x, y])).collect(),
        };
        self.session.set_view(view);
        self.toggle = toggle.first_chunk::<2>().and_then(|&numbers| Toggle::numbered(numbers));
        self.graph_only = graph_only;
    }

    /// What is folded after the last [`Compiler::open`], as [`Compiler::look`] takes it.
    pub fn folds(&self) -> Vec<u32> {
        self.session.view().folds.concat()
    }

    /// Which blocks are opened after it.
    pub fn opened(&self) -> Vec<u32> {
        self.session.view().open.clone()
    }

    /// Which blocks are pinned after it.
    pub fn pins(&self) -> Vec<i32> {
        self.session.view().pins.iter().flat_map(|&(block, [x, y])| [block as i32, x, y]).collect()
    }

    /// Blocks that are folded into others: two numbers each, their own and the box's.
    pub fn take_hidden(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.graph.hidden)
    }

    /// Where a word stands in a function of the version: two numbers each, of the block and of the thing its
    /// line defines.
    pub fn find(&mut self, at: u32, func: u32, query: &str) -> Vec<u32> {
        self.session.find(at as usize, func, query)
    }
}

impl Compiler {
    /// Makes the change that [`Compiler::look`] was given, once.
    pub(crate) fn toggle(&mut self, at: usize, func: Option<u32>) {
        if let (Some(toggle), Some(func)) = (self.toggle.take(), func) {
            self.session.toggle(at, func, toggle);
        }
    }
}
