//! Searches the text of blocks and instructions of a graph.
//!
//! Searches every line of every block as printed, including lines that a picture hides. There are no
//! patterns: a substring matches, ignoring case.

use super::linked::Numbers;
use crate::ir::{Anchor, Func, Module, Nesting};
use crate::text::{Class, Link, Options, Printer, Sink};
use vitrine_protocol::Table;
use vitrine_protocol::layout::FoundEntry;

/// The matches of `query` in a function, in the order of the text. An empty query has no matches.
pub(super) fn find(module: &Module, func: Func, query: &str, numbers: &mut Numbers) -> Table<FoundEntry> {
    let wanted = query.trim().to_lowercase();
    let Some(body) = module.func(func).filter(|_| !wanted.is_empty()) else { return Table::default() };
    let mut found = Vec::new();
    let mut lines = Lines::default();
    let nesting = Nesting::of(body);
    for block in body.blocks_in_order() {
        lines.all.clear();
        Printer::to_any(module, Options::default(), &mut lines).one_block(func, block, &nesting);
        let home = Anchor::Block(func, block);
        for (text, defines) in &lines.all {
            if text.to_lowercase().contains(&wanted) {
                let block = numbers.number(home);
                found.push(FoundEntry { block, id: numbers.number(defines.unwrap_or(home)) });
            }
        }
    }
    Table::of_all(found)
}

/// Every line with the first definition on it.
#[derive(Default)]
struct Lines {
    all: Vec<(String, Option<Anchor>)>,
}

impl Sink for Lines {
    fn put(&mut self, _: Class, text: &str, link: Link) {
        let Some((line, defines)) = self.all.last_mut() else { return };
        line.push_str(text);
        if let Link::Def(anchor) = link {
            defines.get_or_insert(anchor);
        }
    }

    fn open_line(&mut self, _: usize) {
        self.all.push((String::new(), None));
    }

    fn close_line(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::text::parse;

    #[test]
    fn labels_operations_values_and_words_are_found() {
        let text = "func @0() -> b32 graph {\n^0:\n  %a_1: b32 = const 7\n  goto ^1\n^1:\n  %2 = iadd %a_1, %a_1\n  return %2\n}\n";
        let module = parse(text).module;
        let mut numbers = Numbers::default();
        let mut count = |query: &str| find(&module, Func::from_index(0), query, &mut numbers).entries().len();
        assert_eq!([count("^1"), count("IADD"), count("%a_1"), count("const 7")], [2, 1, 2, 1]);
        assert_eq!([count(""), count("  "), count("wish")], [0, 0, 0]);
    }
}
