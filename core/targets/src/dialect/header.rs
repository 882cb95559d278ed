//! Questions about the lines before the functions, one for each part of these lines.

use crate::module::ModuleWriter;
use crate::print::Line;
use vitrine_ir::EntryPoint;

/// A part of the lines before the functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HeaderPart {
    /// The version, extensions, and comments about the whole text.
    Directives,
    /// Instructions of another language that are called by a name.
    Instructions,
    /// Constants of the module.
    Constants,
    /// Constants whose types are structures of the text: [`Header::follows_structures`].
    LateConstants,
    /// Structures of the program, and types that the text adds around their members.
    Structures,
    /// Structures of the inputs and outputs of entry points.
    InterfaceStructures,
    /// Variables of the module: resources, memory, inputs and outputs.
    Variables,
    /// Variables for inputs and outputs that the program does not have.
    InterfaceVariables,
    /// Functions that the text calls and the program does not have.
    Helpers,
}

/// What the engine asks about the lines before the functions, when all functions are written.
///
/// The questions are asked in the order in which they stand here; the text has the parts in the order of
/// [`Header::header_order`]. A part without lines is the default of those that not every language has.
pub(crate) trait Header {
    /// The groups of parts in the order of the text. An empty line separates groups.
    fn header_order(&self) -> &'static [&'static [HeaderPart]];

    /// Asked before all parts: refuses the execution modes that the language does not have, and notes what declarations need
    /// besides what functions use. Nothing by default.
    fn begin_header(&self, _w: &mut ModuleWriter<'_>, _entry: &EntryPoint) {}

    /// The variables of the module that are used.
    fn variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line>;

    /// The variables for inputs and outputs that are none of the program.
    fn interface_variables(&self, _w: &mut ModuleWriter<'_>) -> Vec<Line> {
        Vec::new()
    }

    /// The structures of inputs and outputs.
    fn interface_structures(&self, _w: &mut ModuleWriter<'_>) -> Vec<Line> {
        Vec::new()
    }

    /// The structures that are used, in the order of their declarations.
    fn structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line>;

    /// Returns true if no structure names a constant: constants are written first, and may use further structures. By default
    /// structures are written first: their members may be arrays whose length is a constant.
    fn structures_name_no_constants(&self) -> bool {
        false
    }

    /// Returns true if constants have types that [`Self::structures`] did not have: the engine asks for structures again.
    /// False by default.
    fn lacks_structures(&self, _w: &ModuleWriter<'_>) -> bool {
        false
    }

    /// Returns true for the declaration of a constant that must follow the structures. False by default.
    fn follows_structures(&self, _w: &ModuleWriter<'_>, _constant: &Line) -> bool {
        false
    }

    /// The functions that the text adds.
    fn helpers(&self, _w: &mut ModuleWriter<'_>) -> Vec<Line> {
        Vec::new()
    }

    /// The declarations of instructions.
    fn instructions(&self, _w: &mut ModuleWriter<'_>) -> Vec<Line> {
        Vec::new()
    }

    /// Refuses lines that the language does not accept, when all declarations are written: asked for constants, for
    /// structures, and for variables. Nothing by default.
    fn check_lines(&self, _w: &mut ModuleWriter<'_>, _lines: &mut dyn Iterator<Item = &Line>) {}

    /// The first lines of the text, which depend on all others.
    fn directives(&self, _w: &mut ModuleWriter<'_>, _entry: &EntryPoint) -> Vec<Line> {
        Vec::new()
    }
}
