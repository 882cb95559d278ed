//! How messages name things: by the spelling of the text form, with a link to where they are.

use crate::base::EntityId;
use crate::ir::{
    Anchor, Block, Diag, Func, FuncBody, Global, Inst, Module, Node, Struct, Text, Type, TypeData, Var,
};
use crate::ops::ValueType;

/// Something named in a message.
pub(super) struct Named(String, Anchor);

/// Messages take names.
pub(super) trait Naming {
    /// The same naming something.
    fn name(self, what: Named) -> Self;
}

impl Naming for Diag {
    fn name(self, what: Named) -> Diag {
        self.names(what.0, what.1)
    }
}

/// The function messages are about.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) module: &'a Module,
    pub(super) func: Func,
    pub(super) body: &'a FuncBody,
}

impl Here<'_> {
    pub(super) fn inst(&self, inst: Inst) -> Named {
        Named(spell(self.module, inst, self.body.inst_name(inst)), Anchor::Inst(self.func, inst))
    }

    pub(super) fn block(&self, block: Block) -> Named {
        Named(block.to_string(), Anchor::Block(self.func, block))
    }

    pub(super) fn node(&self, node: Node) -> Named {
        Named(node.to_string(), Anchor::Node(self.func, node))
    }

    pub(super) fn itself(&self) -> Named {
        func(self.module, self.func)
    }
}

pub(super) fn func(module: &Module, id: Func) -> Named {
    Named(spell(module, id, module.func(id).and_then(FuncBody::name)), Anchor::Func(id))
}

pub(super) fn var(module: &Module, id: Var) -> Named {
    Named(spell(module, id, module.var(id).and_then(|data| data.name)), Anchor::Var(id))
}

pub(super) fn structure(module: &Module, id: Struct) -> Named {
    Named(spell(module, id, module.structure(id).and_then(|data| data.name)), Anchor::Struct(id))
}

pub(super) fn global(module: &Module, id: Global) -> Named {
    Named(spell(module, id, module.global(id).and_then(|data| data.name)), Anchor::Global(id))
}

/// `%sum_12`: the name is left out where it is no plain word, as the text form does at uses.
fn spell<K: EntityId>(module: &Module, id: K, name: Option<Text>) -> String {
    match name.map(|name| module.text_of(name)).filter(|name| is_plain(name)) {
        Some(name) => format!("{}{name}_{}", K::SIGIL, id.index()),
        None => id.to_string(),
    }
}

fn is_plain(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A type of values in a message: `b32x4`, or `nothing`.
pub(super) fn value(ty: ValueType) -> String {
    if ty == ValueType::Void { "nothing".to_owned() } else { format!("`{ty}`") }
}

/// A full type in a message: its spelling where that is short, else what kind of thing it is.
pub(super) fn full_type(module: &Module, ty: Type) -> String {
    match module.type_of(ty) {
        TypeData::Vector { of, lanes } => match scalar(module.type_of(*of)) {
            Some(of) => format!("`{of}x{lanes}`"),
            None => "a vector of no scalar".to_owned(),
        },
        TypeData::Struct(id) => structure(module, *id).0,
        TypeData::Matrix { .. } => "a matrix".to_owned(),
        TypeData::Array { .. } => "an array".to_owned(),
        TypeData::RuntimeArray { .. } => "a run-time array".to_owned(),
        TypeData::Pointer { .. } => "a pointer".to_owned(),
        TypeData::Image(_) => "an image".to_owned(),
        TypeData::SampledImage(_) => "an image with its sampler".to_owned(),
        TypeData::Sampler => "a sampler".to_owned(),
        TypeData::AccelStruct => "an acceleration structure".to_owned(),
        TypeData::RayQuery => "a ray query".to_owned(),
        TypeData::Opaque(_) => "something opaque".to_owned(),
        ty => format!("`{}`", scalar(ty).unwrap_or_default()),
    }
}

fn scalar(ty: &TypeData) -> Option<String> {
    match ty {
        TypeData::Void => Some("void".to_owned()),
        TypeData::Bool => Some("bool".to_owned()),
        TypeData::Int { width, signed } => {
            Some(format!("{}{}", if *signed { 'i' } else { 'u' }, width.bits()))
        }
        TypeData::Float { width } => Some(format!("f{}", width.bits())),
        _ => None,
    }
}

/// `1 value`, `3 values`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `none` where there is none, as in "takes no operands".
pub(super) fn count_or_no(number: usize, what: &str) -> String {
    if number == 0 { format!("no {what}s") } else { count(number, what) }
}
