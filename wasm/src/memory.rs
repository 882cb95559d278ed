//! Which bytes memory has, as what they were declared, who reads and writes them; and where pointers lead.

use crate::Compiler;
use vitrine_core::view_model::MemoryMap;
use wasm_bindgen::prelude::wasm_bindgen;

/// The map of a variable's memory, see `view_model::MemoryMap`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Map {
    map: MemoryMap,
}

#[wasm_bindgen]
impl Compiler {
    /// The map of the memory that a thing of a version is, or leads into; below 0 that of the first buffer.
    pub fn memory(&mut self, at: u32, number: i32) -> Map {
        Map { map: self.session.memory(at as usize, u32::try_from(number).ok()) }
    }

    /// Where untyped pointers and accesses of some versions lead: a line each, for the numbers that wait to be taken.
    pub fn paths(&mut self, versions: &[u32]) -> String {
        let versions: Vec<usize> = versions.iter().map(|&at| at as usize).collect();
        let (numbers, lines) = self.session.paths(&versions);
        self.numbers = numbers;
        lines
    }

    /// The numbers of the last [`Compiler::paths`].
    pub fn take_numbers(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.numbers)
    }
}

#[wasm_bindgen]
impl Map {
    /// The variable, or -1; then all variables with memory.
    pub fn variables(&mut self) -> Vec<i32> {
        let shown = self.map.number.map_or(-1, |number| number as i32);
        [shown].into_iter().chain(self.map.variables.iter().map(|&number| number as i32)).collect()
    }

    /// Their names, a line each.
    pub fn names(&mut self) -> String {
        std::mem::take(&mut self.map.names)
    }

    /// The lines.
    pub fn text(&mut self) -> String {
        std::mem::take(&mut self.map.text.text)
    }

    /// Their runs.
    pub fn spans(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.map.text.runs)
    }

    /// Eight numbers a line.
    pub fn rows(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.map.rows)
    }
}
