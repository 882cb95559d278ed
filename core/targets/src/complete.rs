//! Completes a module by what a text has to state: sets and bindings of resources, and sizes of workgroups.
//!
//! ```text
//! uniform $light_0: #Light {set 0}      =>  uniform $light_0: #Light {set 0, binding 2}
//! entry compute "main" @main_0 ()       =>  entry compute "main" @main_0 () {local_size 1 1 1}
//! ```
//!
//! Binaries of tests and of other APIs have resources without a set or a binding. Each gets the first binding of its set
//! that no resource of the module has, in the order of declarations, so that no two share one; the text states the choice in
//! a comment. A compute shader without a size has workgroups of one invocation.

use super::expr::Token;
use super::print::Line;
use std::borrow::Cow;
use vitrine_analysis::{Numbering, declared_place, resource_name};
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{Bits, Key, Scalar, Width};
use vitrine_ir::{EntryPoint, ExecutionMode, Mode, ModeUse, Module, Operand, Stage, Var, VarData};
use vitrine_text::Class;

/// The list of the bindings of a set.
const BINDINGS: &str = "binding";

/// The module with everything stated. Linear in the number of declarations; the module itself if nothing is missing.
pub(super) fn completed(module: &Module) -> Cow<'_, Module> {
    let mut out = Cow::Borrowed(module);
    let open = open_resources(module);
    if !open.is_empty() {
        let mut numbering = Numbering::default();
        for (var, data) in module.vars() {
            if is_resource(data) && !open.contains(&var) {
                let [set, binding] = declared_place(data);
                numbering.take((BINDINGS, set), binding, 1);
            }
        }
        for &var in &open {
            let Some(data) = module.var(var) else { continue };
            let [set, wanted] = declared_place(data);
            let binding = numbering.next((BINDINGS, set), wanted, 1);
            numbering.take((BINDINGS, set), binding, 1);
            let attrs = data.attrs.with(Key::Set, set).with(Key::Binding, binding);
            out.to_mut().set_var(var, VarData { attrs, ..data.clone() });
        }
    }
    if module.entries.iter().any(lacks_size) {
        let one = Operand::Bits(out.to_mut().bits(Bits::from_scalars(&[Scalar::i(Width::W32, 1)])));
        let entries: Vec<EntryPoint> = module.entries.iter().map(|entry| with_size(entry, one)).collect();
        out.to_mut().entries = entries.into();
    }
    out
}

/// The comments that state the places that [`completed`] chose for the resources that an entry point may use.
pub(super) fn comments(module: &Module, completed: &Module) -> Vec<Line> {
    let lines = open_resources(module).into_iter().filter_map(|var| {
        let [set, binding] = declared_place(completed.var(var)?);
        // A name is any text, and a backslash would continue the comment.
        let is_plain = |it: &char| it.is_ascii_graphic() && *it != '\\';
        let name: String = resource_name(module, var).chars().filter(is_plain).take(40).collect();
        let text = format!("// {name} has no place in the program: set {set}, binding {binding} was free.");
        Some(Line::new(0, vec![Token::new(Class::Plain, text)]))
    });
    lines.collect()
}

/// The resources without a set or without a binding, in order.
fn open_resources(module: &Module) -> Vec<Var> {
    let declared: EntitySet<Var> =
        module.vars().filter(|(_, data)| is_resource(data) && !has_place(data)).map(|(var, _)| var).collect();
    module.vars().map(|(var, _)| var).filter(|&var| declared.contains(var)).collect()
}

fn has_place(data: &VarData) -> bool {
    data.attrs.has(Key::Set) && data.attrs.has(Key::Binding)
}

fn is_resource(data: &VarData) -> bool {
    data.owner.is_none() && matches!(data.mode, Mode::Uniform | Mode::Storage | Mode::Handle)
}

/// Returns true for an entry point with workgroups that states no size of them.
fn lacks_size(entry: &EntryPoint) -> bool {
    let states = |mode: &ModeUse| mode.mode.is_local_size() || mode.mode == ExecutionMode::LocalSizeHint;
    matches!(entry.stage, Stage::Compute | Stage::Task | Stage::Mesh) && !entry.modes.iter().any(states)
}

/// The entry point with a size: the constant of the module that states one takes its place.
fn with_size(entry: &EntryPoint, one: Operand) -> EntryPoint {
    let mut out = entry.clone();
    if lacks_size(entry) {
        out.modes.push(ModeUse { mode: ExecutionMode::LocalSize, args: vec![one; 3] });
    }
    out
}
