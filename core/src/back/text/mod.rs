//! Languages like C: one engine, and a dialect for each language.
//!
//! ```text
//! prepared module ── plan, homes ──▶ decisions ── tree, values, … ──▶ statements ── print ──▶ tokens with links
//! ```
//!
//! The plan is made before anything is written: which values are written at their use, and where names are declared. An
//! operation is written by a row of the dialect's table: an operator, a call, code of the engine; or it is refused, with
//! the pass that lowers it. Each operation states the kind of number that it reads; operands of another kind are cast.
//!
//! Writes the only entry point of a module, a vertex, fragment or compute shader. Refuses, with a diagnostic at the
//! instruction or the declaration, everything that the language does not have; nothing is left out. Refuses to change the
//! program: the preset of the back end prepares it.

mod spell; // start here: the form of an operation
mod dialect;
mod glsl;
mod hlsl;
mod msl;
mod wgsl;

mod number; // kinds and types of numbers
mod expr; // expressions as tokens
mod stmt; // statements
mod loops; // the forms of loops
mod operands; // numbers and effects of an instruction
mod plan; // which values are written at their use
mod homes; // where names are declared
mod names;
mod roles; // names of what has none
mod layout; // offsets by the rules of a target

mod module; // declarations
mod constants; // of the module
mod func; // values and statements of a function
mod tree;
mod values;
mod paths;
mod memory;
mod atomics;
mod images;
mod group;

mod print; // lines

pub use dialect::{Dialect, Version};
pub use wgsl::bindings as wgsl_bindings;

use super::Output;
use crate::ir::{Anchor, Diag, EntryPoint, Func, Module, Stage};
use crate::ops::{BasicOp, Key, Op};
use crate::text::Sink;
use module::{ENTRY, ModuleWriter};
use print::Line;

/// Writes the only entry point of a module that the preset of the dialect prepared.
///
/// Errors: `W201` there is no such entry point; `W202` an operation, `W203` a type or a variable, `W204` a shape that the
/// language does not have; `P110` an exit that it does not have. Near linear in the size of the program.
pub fn write(module: &Module, dialect: Dialect, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
    let entry = entry(module, dialect).map_err(|diag| vec![diag])?;
    let mut writer = ModuleWriter::new(module, dialect, entry.stage);
    if dialect == Dialect::Wgsl {
        writer.names.fresh("main", "main");
        writer.wgsl_prepare(&entry);
    }
    if dialect.is_glsl() {
        writer.glsl_prepare();
    }
    match dialect {
        Dialect::Glsl(_) | Dialect::Wgsl => writer.name_entry(entry.func, "main".into()),
        Dialect::Hlsl => writer.hlsl_prepare(&entry),
        Dialect::Msl => writer.msl_prepare(&entry),
    }
    writer.reserve_names();
    writer.infer_constants();
    let mut functions = Vec::new();
    for func in callees_first(module, entry.func) {
        functions.push(Line::empty());
        functions.extend(writer.function(func, func == entry.func));
    }
    let header = writer.header(&entry);
    if dialect == Dialect::Hlsl {
        functions.extend(writer.hlsl_footer(&entry));
    }
    if !writer.diags.is_empty() {
        return Err(writer.diags);
    }
    let mut was_empty = true;
    for line in header.iter().chain(&functions) {
        // Groups of lines are separated by one empty line.
        if line.is_empty() && was_empty {
            continue;
        }
        was_empty = line.is_empty();
        line.write(out as &mut dyn Sink);
    }
    Ok(())
}

fn entry(module: &Module, dialect: Dialect) -> Result<EntryPoint, Diag> {
    let refused = |says: String| {
        let help = format!("{} is written for one vertex, fragment or compute shader", dialect.name());
        Err(Diag::error(ENTRY, Anchor::Module).says(says).help(help))
    };
    let [entry] = module.entries.as_slice() else {
        return refused(format!("the module has {} entry points", module.entries.len()));
    };
    match entry.stage {
        Stage::Compute if dialect == Dialect::Glsl(Version::Es300) => {
            let says = "compute shaders need version 3.10".to_owned();
            let help = "GLSL ES 3.00 is written for one vertex or fragment shader";
            Err(Diag::error(ENTRY, Anchor::Module).says(says).help(help))
        }
        Stage::Vertex | Stage::Fragment | Stage::Compute => Ok(entry.clone()),
        stage => refused(format!("the entry point is of the stage `{}`", stage.name())),
    }
}

/// The functions that an entry point reaches, each after those that it calls. A cycle of calls, which only an invalid
/// program has, is cut.
fn callees_first(module: &Module, entry: Func) -> Vec<Func> {
    let mut out: Vec<Func> = Vec::new();
    let mut seen = crate::base::EntitySet::new();
    let mut work = vec![(entry, false)];
    while let Some((func, callees_done)) = work.pop() {
        if callees_done {
            out.push(func);
            continue;
        }
        if !seen.insert(func) {
            continue;
        }
        work.push((func, true));
        let Some(body) = module.func(func) else { continue };
        let mut called = Vec::new();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.op == Op::Basic(BasicOp::Call) {
                called.extend(data.entity::<Func>(Key::Func));
            }
        });
        work.extend(called.into_iter().rev().map(|callee| (callee, false)));
    }
    out
}
