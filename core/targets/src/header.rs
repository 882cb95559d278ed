//! The lines before the functions: each part of them by a question to the dialect, in the order that it states.

use super::dialect::HeaderPart;
use super::module::ModuleWriter;
use super::print::Line;
use vitrine_ir::{EntryPoint, Var};

/// The groups of parts that are checked when all declarations are written.
const CHECKED: [&[HeaderPart]; 3] = [
    &[HeaderPart::Constants],
    &[HeaderPart::Structures],
    &[HeaderPart::Variables, HeaderPart::InterfaceVariables],
];

/// The lines of each part that are written so far.
#[derive(Default)]
struct Parts {
    lines: Vec<(HeaderPart, Vec<Line>)>,
}

impl Parts {
    /// Adds lines to a part.
    fn add(&mut self, part: HeaderPart, lines: Vec<Line>) {
        self.lines.push((part, lines));
    }

    /// The lines of a group of parts.
    fn of<'a>(&'a self, group: &'a [HeaderPart]) -> impl Iterator<Item = &'a Line> {
        let lines = |&part: &HeaderPart| self.lines.iter().filter(move |&&(of, _)| of == part);
        group.iter().flat_map(lines).flat_map(|(_, lines)| lines)
    }

    /// The lines of all groups, each followed by an empty line.
    fn in_order(&self, order: &[&[HeaderPart]]) -> Vec<Line> {
        let is_placed = |part: &HeaderPart| order.iter().any(|group| group.contains(part));
        debug_assert!(self.lines.iter().all(|(part, lines)| lines.is_empty() || is_placed(part)));
        separated(order.iter().map(|group| self.of(group).cloned().collect()).collect())
    }
}

/// Groups of lines, an empty line after each that has any.
pub(super) fn separated(groups: Vec<Vec<Line>>) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in groups.into_iter().filter(|group| !group.is_empty()) {
        lines.extend(group);
        lines.push(Line::empty());
    }
    lines
}

impl ModuleWriter<'_> {
    /// The lines before the functions. A declaration may use a constant, and a structure others: all parts are written
    /// before they are put in order.
    pub(super) fn header(&mut self, entry: &EntryPoint) -> Vec<Line> {
        let dialect = self.dialect;
        let mut parts = Parts::default();
        dialect.begin_header(self, entry);
        parts.add(HeaderPart::Variables, dialect.variables(self));
        parts.add(HeaderPart::InterfaceVariables, dialect.interface_variables(self));
        parts.add(HeaderPart::InterfaceStructures, dialect.interface_structures(self));
        self.structures_and_constants(&mut parts);
        parts.add(HeaderPart::Helpers, dialect.helpers(self));
        parts.add(HeaderPart::Instructions, dialect.instructions(self));
        for group in CHECKED {
            dialect.check_lines(self, &mut parts.of(group));
        }
        parts.add(HeaderPart::Directives, dialect.directives(self, entry));
        parts.in_order(dialect.header_order())
    }

    fn structures_and_constants(&mut self, parts: &mut Parts) {
        let dialect = self.dialect;
        let (structures, constants) = match dialect.structures_name_no_constants() {
            true => {
                let constants = self.constants();
                (dialect.structures(self), constants)
            }
            false => {
                let first = self.diags.len();
                let mut structures = dialect.structures(self);
                let refused = first..self.diags.len();
                let constants = self.constants();
                if dialect.lacks_structures(self) {
                    // What was refused is refused again.
                    self.diags.drain(refused);
                    structures = dialect.structures(self);
                }
                (structures, constants)
            }
        };
        parts.add(HeaderPart::Structures, structures);
        let (late, constants) =
            constants.into_iter().partition(|constant| dialect.follows_structures(self, constant));
        parts.add(HeaderPart::Constants, constants);
        parts.add(HeaderPart::LateConstants, late);
    }

    /// The lines of the variables that are used. The list grows while they are written: `lines` may use further ones.
    pub(super) fn each_variable(&mut self, lines: fn(&mut Self, Var) -> Vec<Line>) -> Vec<Line> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(&var) = self.used_vars.get(at) {
            at += 1;
            out.extend(lines(self, var));
        }
        out
    }
}
