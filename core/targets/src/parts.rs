//! The entry points of a text: one by its number, the only one, or all of them as parts that a macro selects.
//!
//! ```text
//! #if ENTRY == 0     // vertex `main`
//! …
//! #elif ENTRY == 1   // fragment `main`
//! …
//! #endif
//! ```
//!
//! Each part has the declarations that its entry point uses, so that their names, locations and registers cannot clash.
//! A language without a preprocessor has all of them side by side. Refuses stages that the language does not have.

use super::calls::callees_first;
use super::dialect::Dialect;
use super::module::{ENTRY, ModuleWriter, PLACE};
use super::print::Line;
use vitrine_analysis::{PlaceConflict, place_conflicts, resource_name};
use vitrine_forms::{Interface, all_funcs};
use vitrine_ir::base::EntitySet;
use vitrine_ir::{Anchor, Diag, EntryPoint, ExecutionMode as E, Help, Module, Stage};

/// The entry points to write: the one with the number `only`, else all.
pub(super) fn chosen(
    module: &Module,
    dialect: &'static dyn Dialect,
    only: Option<u32>,
) -> Result<Vec<EntryPoint>, Diag> {
    let name = dialect.name();
    let refused = |says: String, help: String| Err(Diag::error(ENTRY, Anchor::Module).says(says).help(help));
    if module.entries.is_empty() {
        return refused(
            "the module has 0 entry points".to_owned(),
            format!("{name} is written for entry points"),
        );
    }
    let found = match only {
        None => module.entries.to_vec(),
        Some(number) => match module.entries.get(number as usize) {
            Some(entry) => vec![entry.clone()],
            None => {
                let says = format!("entry point {number} does not exist");
                return refused(says, format!("the entry points are {}", list(module)));
            }
        },
    };
    for entry in &found {
        if let Some([says, help]) = dialect.missing_stage(entry.stage) {
            return refused(says.to_owned(), help.to_owned());
        }
        if !dialect.has_stage(entry.stage) {
            let says = format!("the entry point is of the stage `{}`", entry.stage.name());
            let stages: Vec<&str> =
                Stage::ALL.iter().filter(|&&it| dialect.has_stage(it)).map(|it| it.name()).collect();
            return refused(says, format!("{name} is written for the stages {}", stages.join(", ")));
        }
        if let Some((mode, of)) = missing_mode(entry) {
            let says = format!("the entry point of the stage `{}` has no {of}", entry.stage.name());
            return refused(says, format!("{name} states it: add the execution mode {mode}"));
        }
    }
    Ok(found)
}

/// Execution modes, one of which a stage must state, and what they state.
type Needed = (&'static [E], &'static str);

/// The first execution mode that a stage must state and an entry point does not: its names, and what it states.
fn missing_mode(entry: &EntryPoint) -> Option<(String, &'static str)> {
    const VERTICES: Needed = (&[E::OutputVertices], "largest number of vertices that it emits");
    const OF_GEOMETRY: &[Needed] = &[
        (
            &[
                E::InputPoints,
                E::InputLines,
                E::InputLinesAdjacency,
                E::Triangles,
                E::InputTrianglesAdjacency,
            ],
            "kind of primitive that it reads",
        ),
        (&[E::OutputPoints, E::OutputLineStrip, E::OutputTriangleStrip], "kind of primitive that it emits"),
        VERTICES,
    ];
    const OF_MESH: &[Needed] = &[
        (&[E::OutputPoints, E::OutputLines, E::OutputTriangles], "kind of primitive that it emits"),
        VERTICES,
        (&[E::OutputPrimitives], "largest number of primitives that it emits"),
    ];
    const OF_CONTROL: &[Needed] = &[(&[E::OutputVertices], "number of vertices of its patches")];
    let needed = match entry.stage {
        Stage::Geometry => OF_GEOMETRY,
        Stage::Mesh => OF_MESH,
        Stage::TessControl => OF_CONTROL,
        Stage::Vertex
        | Stage::TessEval
        | Stage::Fragment
        | Stage::Compute
        | Stage::Kernel
        | Stage::Task
        | Stage::TaskNv
        | Stage::MeshNv
        | Stage::RayGen
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => &[],
    };
    let (modes, of) = needed.iter().find(|(modes, _)| !modes.iter().any(|&mode| entry.has_mode(mode)))?;
    let names: Vec<String> = modes.iter().map(|mode| format!("`{}`", mode.name())).collect();
    Some((names.join(" or "), *of))
}

/// The entry points of a module with their numbers.
fn list(module: &Module) -> String {
    let one = |(at, entry): (usize, &EntryPoint)| {
        format!("{at} ({} `{}`)", entry.stage.name(), module.text_of(entry.name))
    };
    module.entries.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

/// The lines of a text with these entry points. What they declare is added to the interface.
pub(super) fn lines(
    module: &Module,
    dialect: &'static dyn Dialect,
    entries: &[EntryPoint],
    interface: &mut Interface,
) -> Result<Vec<Line>, Vec<Diag>> {
    if entries.len() == module.entries.len() && (entries.len() == 1 || dialect.has_all_entries()) {
        return entry_lines(module, dialect, entries, interface);
    }
    if let [only] = entries {
        return entry_lines(&alone(module, only), dialect, entries, interface);
    }
    let mut out = Vec::new();
    // The version is the first line of the text.
    let version = dialect.version_line();
    out.extend(version.map(Line::text));
    out.push(Line::text("// ENTRY is the number of the entry point to compile."));
    for line in ["#ifndef ENTRY", "#define ENTRY 0", "#endif"] {
        out.push(Line::text(line));
    }
    let mut diags = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let word = if at == 0 { "if" } else { "elif" };
        // A backslash would continue the comment.
        let is_plain = |it: &char| it.is_ascii_graphic() && *it != '\\';
        let name: String = module.text_of(entry.name).chars().filter(is_plain).take(40).collect();
        out.push(Line::empty());
        out.push(Line::text(format!("#{word} ENTRY == {at} // {} {name}", entry.stage.name())));
        match entry_lines(&alone(module, entry), dialect, std::slice::from_ref(entry), interface) {
            Ok(lines) => {
                let is_version = |line: &Line| version.is_some_and(|version| line.is(version));
                out.extend(lines.into_iter().filter(|line| !is_version(line)));
            }
            Err(found) => diags.extend(found),
        }
    }
    out.push(Line::empty());
    out.push(Line::text("#endif"));
    if diags.is_empty() { Ok(out) } else { Err(diags) }
}

/// The module with one of its entry points, and the functions that it reaches. Names and anchors stay the same.
fn alone(module: &Module, entry: &EntryPoint) -> Module {
    let mut out = module.clone();
    out.entries = vec![entry.clone()].into();
    let reached = callees_first(module, entry.func);
    for func in all_funcs(module).into_iter().filter(|func| !reached.contains(func)) {
        out.remove_func(func);
    }
    out
}

/// The lines of entry points that share their declarations: one, or all of a module in one text.
fn entry_lines(
    module: &Module,
    dialect: &'static dyn Dialect,
    entries: &[EntryPoint],
    interface: &mut Interface,
) -> Result<Vec<Line>, Vec<Diag>> {
    let Some(entry) = entries.first() else { return Ok(Vec::new()) };
    let mut writer = ModuleWriter::new(module, dialect, entry.stage);
    dialect.prepare_entries(&mut writer, entry, entries);
    for PlaceConflict { vars: [first, second], place } in
        place_conflicts(module, dialect.layout_target(), entries)
    {
        let says = format!(
            "{} and {} are both at {place}",
            resource_name(module, first),
            resource_name(module, second)
        );
        writer.refuse(
            PLACE,
            Anchor::Var(second),
            says,
            Help::text("choose another place for one of them by").pass("assign-slots"),
        );
    }
    writer.reserve_names();
    writer.infer_constants();
    let (mut functions, mut is_written) = (Vec::new(), EntitySet::new());
    for (at, entry) in entries.iter().enumerate() {
        dialect.begin_entry(&mut writer, at, entry);
        for func in callees_first(module, entry.func) {
            // Entry points share functions. Two of them may be the same function, which is written for each.
            if func == entry.func || is_written.insert(func) {
                functions.push(Line::empty());
                functions.extend(writer.function(func, func == entry.func));
            }
        }
    }
    let mut lines = writer.header(entry);
    functions.extend(dialect.footer(&mut writer, entry));
    if !writer.diags.is_empty() {
        return Err(writer.diags);
    }
    lines.extend(functions);
    let names: Vec<String> = entries.iter().map(|entry| writer.func_name(entry.func).to_string()).collect();
    writer.interface.entries.extend(names);
    writer.interface.extensions.extend(&writer.extensions);
    interface.append(writer.interface);
    Ok(lines)
}
