//! How messages refer to entities: by their spelling in the text form, with a link.

use vitrine_ir::base::EntityId;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{
    Anchor, Block, Diag, EntryPoint, Func, FuncBody, Global, Inst, Len, Module, Node, Struct, Text, Type,
    TypeData, Var,
};

/// Something named in a message.
pub(super) struct Named(String, Anchor);

impl Named {
    /// An entry point by its name.
    pub(super) fn entry(module: &Module, number: u32, entry: &EntryPoint) -> Named {
        Named(format!("{:?}", module.text_of(entry.name)), Anchor::Entry(number))
    }
}

/// A message that can refer to entities.
pub(super) trait Naming {
    /// Adds a reference to an entity.
    fn name(self, what: Named) -> Self;
}

impl Naming for Diag {
    fn name(self, what: Named) -> Diag {
        self.names(what.0, what.1)
    }
}

/// The function that messages are about.
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

/// `%sum_12`: the name is left out if it is not a plain word, as in uses in the text form.
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

/// A full type in a message: its spelling if that is short, else its kind.
pub(super) fn full_type(module: &Module, ty: Type) -> String {
    let inner = |ty: Type| short_type(module, ty).unwrap_or_else(|| "…".to_owned());
    match module.type_of(ty) {
        TypeData::Struct(id) => structure(module, *id).0,
        TypeData::Matrix { column, columns, .. } => format!("`mat<{} * {columns}>`", inner(*column)),
        TypeData::Array { of, len: Len::Count(count), .. } => format!("`[{} * {count}]`", inner(*of)),
        TypeData::Array { of, len: Len::Global(len), .. } => format!("`[{} * {len}]`", inner(*of)),
        TypeData::RuntimeArray { of, .. } => format!("`[{}]`", inner(*of)),
        TypeData::Pointer { mode, to } => format!("`ptr<{}, {}>`", mode.name(), inner(*to)),
        TypeData::Image(_) => "an image".to_owned(),
        TypeData::SampledImage(_) => "an image with its sampler".to_owned(),
        TypeData::Sampler => "a sampler".to_owned(),
        TypeData::AccelStruct => "an acceleration structure".to_owned(),
        TypeData::RayQuery => "a ray query".to_owned(),
        TypeData::Opaque(_) => "an opaque type".to_owned(),
        TypeData::Vector { .. } => {
            short_type(module, ty).map_or("an invalid vector".to_owned(), |short| format!("`{short}`"))
        }
        TypeData::Void | TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } => {
            format!("`{}`", inner(ty))
        }
    }
}

/// The spelling of a type without anything nested in it.
fn short_type(module: &Module, ty: Type) -> Option<String> {
    match module.type_of(ty) {
        TypeData::Vector { of, components } => Some(format!("{}x{components}", scalar(module.type_of(*of))?)),
        TypeData::Struct(id) => Some(structure(module, *id).0),
        ty => scalar(ty),
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

/// A sentence of a table as part of a message: no capital, no final period.
pub(super) fn sentence(doc: &str) -> String {
    let doc = doc.trim_end_matches('.');
    let mut chars = doc.chars();
    match chars.next() {
        // `SPIR-V opcode` keeps its capitals.
        Some(first) if !chars.as_str().starts_with(|c: char| c.is_uppercase()) => {
            first.to_lowercase().chain(chars).collect()
        }
        Some(_) | None => doc.to_owned(),
    }
}

/// `1 value`, `3 values`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `no operands` or `3 operands`, as in "takes no operands".
pub(super) fn count_or_no(number: usize, what: &str) -> String {
    if number == 0 { format!("no {what}s") } else { count(number, what) }
}
