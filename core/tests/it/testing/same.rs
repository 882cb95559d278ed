//! Equality of modules: equal programs with equal ids.
//!
//! Interned ids (types, constants, texts, blobs) and regions are numbered by the parser, so they are
//! compared by content; everything numbered in the text is compared by number.

use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Attrs, Blob, Const, FuncBody, GlobalValue, InstData, Len, Module, NodeKind, Operand, Region, Shape, Text,
    Type, TypeData,
};
use vitrine_core::ops::attr::{EntityKind, ValueKind};
use vitrine_core::ops::{Attr, Key};

/// The first difference, as text; `None` for equal modules.
pub(crate) fn difference(a: &Module, b: &Module) -> Option<String> {
    let mut out = Vec::new();
    compare(
        &mut out,
        "facts",
        a.facts.iter().map(|x| (x.key, a.text_of(x.value))),
        b.facts.iter().map(|x| (x.key, b.text_of(x.value))),
    );
    let pair = Pair { a, b };
    pair.tables(&mut out);
    pair.functions(&mut out);
    out.into_iter().next()
}

fn compare<T: PartialEq + std::fmt::Debug>(
    out: &mut Vec<String>,
    description: &str,
    a: impl Iterator<Item = T>,
    b: impl Iterator<Item = T>,
) {
    let (a, b): (Vec<T>, Vec<T>) = (a.collect(), b.collect());
    if a.len() != b.len() {
        out.push(format!("{} {description} became {}", a.len(), b.len()));
    }
    for (a, b) in a.into_iter().zip(b) {
        if a != b {
            out.push(format!("{description}: {a:?} became {b:?}"));
        }
    }
}

#[derive(Clone, Copy)]
struct Pair<'m> {
    a: &'m Module,
    b: &'m Module,
}

impl Pair<'_> {
    fn tables(self, out: &mut Vec<String>) {
        let Pair { a, b } = self;
        let member = |m: &Module, ty: Type, attrs: &Attrs, name| {
            (spell_type(m, ty), spell_attrs(m, attrs), spell_name(m, name))
        };
        let structs = |m: &Module| {
            let one = |data: &vitrine_core::ir::StructData| {
                data.members.iter().map(|x| member(m, x.ty, &x.attrs, x.name)).collect::<Vec<_>>()
            };
            m.structs()
                .map(|(id, x)| (id, spell_name(m, x.name), spell_attrs(m, &x.attrs), one(x)))
                .collect::<Vec<_>>()
        };
        compare(out, "structures", structs(a).into_iter(), structs(b).into_iter());
        let globals = |m: &Module| {
            m.globals()
                .map(|(id, x)| {
                    (id, spell_name(m, x.name), spell_attrs(m, &x.attrs), spell_global(m, &x.value))
                })
                .collect::<Vec<_>>()
        };
        compare(out, "constants", globals(a).into_iter(), globals(b).into_iter());
        let vars = |m: &Module| {
            let rest =
                |x: &vitrine_core::ir::VarData| (x.mode, x.owner, x.init.map(|init| spell_operand(m, init)));
            m.vars().map(|(id, x)| (id, rest(x), member(m, x.ty, &x.attrs, x.name))).collect::<Vec<_>>()
        };
        compare(out, "variables", vars(a).into_iter(), vars(b).into_iter());
        let entries = |m: &Module| {
            let modes = |x: &vitrine_core::ir::EntryPoint| {
                x.modes
                    .iter()
                    .map(|mode| {
                        (mode.mode, mode.args.iter().map(|&arg| spell_operand(m, arg)).collect::<Vec<_>>())
                    })
                    .collect::<Vec<_>>()
            };
            m.entries
                .iter()
                .map(|x| (m.text_of(x.name).to_owned(), x.stage, x.func, x.interface.clone(), modes(x)))
                .collect::<Vec<_>>()
        };
        compare(out, "entry points", entries(a).into_iter(), entries(b).into_iter());
        let decors = |m: &Module| {
            let words = |words: Option<Blob>| words.map(|words| m.blob_of(words).to_vec());
            m.decors
                .iter()
                .map(|x| (x.on, x.number, words(x.words), spell_name(m, x.text)))
                .collect::<Vec<_>>()
        };
        compare(out, "decorations", decors(a).into_iter(), decors(b).into_iter());
    }

    fn functions(self, out: &mut Vec<String>) {
        compare(out, "functions", self.a.funcs().map(|(id, _)| id), self.b.funcs().map(|(id, _)| id));
        for (id, body) in self.a.funcs() {
            if let Some(other) = self.b.func(id) {
                compare(
                    out,
                    &format!("signature of {id}"),
                    [signature(self.a, body)].into_iter(),
                    [signature(self.b, other)].into_iter(),
                );
                compare(
                    out,
                    &format!("registers of {id}"),
                    registers(self.a, body).into_iter(),
                    registers(self.b, other).into_iter(),
                );
                compare(
                    out,
                    &format!("instructions of {id}"),
                    insts(self.a, body).into_iter(),
                    insts(self.b, other).into_iter(),
                );
                compare(
                    out,
                    &format!("control of {id}"),
                    control(self.a, body).into_iter(),
                    control(self.b, other).into_iter(),
                );
            }
        }
    }
}

fn signature(m: &Module, body: &FuncBody) -> String {
    let shape = match body.shape() {
        Shape::Declaration => "declaration".to_owned(),
        Shape::Graph(order) => format!("graph {order:?}"),
        Shape::Tree(_) => "tree".to_owned(),
    };
    let name = spell_name(m, body.name());
    format!("{name:?} {:?} -> {} {:?} {shape}", body.params(), body.result(), spell_attrs(m, body.attrs()))
}

fn registers(m: &Module, body: &FuncBody) -> Vec<String> {
    body.regs()
        .map(|(id, x)| format!("{id} {:?} {:?} {} {}", spell_name(m, x.name), x.width, x.components, x.len))
        .collect()
}

/// Every instruction that is part of the program, by id.
fn insts(m: &Module, body: &FuncBody) -> Vec<String> {
    let mut all: Vec<_> = body.params().to_vec();
    body.for_each_inst(|_, inst| all.push(inst));
    all.sort();
    let one = |data: &InstData| {
        format!("{:?} {:?} {} {:?} {}", data.op, data.flags, data.ty, data.args, spell_attrs(m, &data.attrs))
    };
    all.into_iter()
        .map(|id| format!("{id} {:?} {}", spell_name(m, body.inst_name(id)), one(body.inst(id))))
        .collect()
}

/// Every block and node in text order.
fn control(m: &Module, body: &FuncBody) -> Vec<String> {
    let mut out = Vec::new();
    for id in body.blocks_in_order() {
        let block = body.block(id);
        let hint = block.merge.as_ref().map(|x| (x.merge, x.cont, spell_attrs(m, &x.attrs)));
        out.push(format!("{id} {:?} {:?} {:?} {hint:?}", block.params, block.insts, block.terminator));
    }
    let Shape::Tree(root) = body.shape() else { return out };
    let mut work = vec![*root];
    while let Some(region) = work.pop() {
        out.push(format!("{:?}", items(body, region)));
        for &(node, _) in body.region(region).rest.iter() {
            let data = body.node(node);
            out.push(format!("{node} {} {}", spell_node(body, &data.kind), spell_attrs(m, &data.attrs)));
            work.extend(data.kind.regions());
        }
    }
    out
}

fn items(body: &FuncBody, region: Region) -> String {
    let data = body.region(region);
    format!("{} {:?}", data.head, data.rest)
}

fn spell_node(body: &FuncBody, kind: &NodeKind) -> String {
    let head = |region: &Region| body.region(*region).head;
    match kind {
        NodeKind::If { cond, then, els } => format!("if {cond} {} {}", head(then), head(els)),
        NodeKind::Switch { on, arms } => {
            let arms: Vec<_> = arms.iter().map(|arm| (&arm.values, arm.default, head(&arm.body))).collect();
            format!("switch {on} {arms:?}")
        }
        NodeKind::Loop { body: inner, continuing } => {
            format!("loop {} {:?}", head(inner), continuing.as_ref().map(head))
        }
        NodeKind::Block { body: inner } => format!("block {}", head(inner)),
    }
}

fn spell_name(m: &Module, name: Option<Text>) -> Option<String> {
    name.map(|name| m.text_of(name).to_owned())
}

fn spell_attrs(m: &Module, attrs: &Attrs) -> String {
    let one = |attr: Attr| format!("{} {}", attr.key.name(), spell_value(m, attr.key, attr.value));
    attrs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn spell_value(m: &Module, key: Key, value: u64) -> String {
    let at = value as usize;
    match key.kind() {
        ValueKind::Entity(EntityKind::Const) => format!("{:?}", m.bits_of(Const::from_index(at))),
        ValueKind::Entity(EntityKind::Type) => spell_type(m, Type::from_index(at)),
        ValueKind::Entity(EntityKind::Blob) => format!("{:?}", m.blob_of(Blob::from_index(at))),
        ValueKind::Entity(EntityKind::Text) => format!("{:?}", m.text_of(Text::from_index(at))),
        _ => value.to_string(),
    }
}

fn spell_operand(m: &Module, operand: Operand) -> String {
    match operand {
        Operand::Bits(bits) => format!("{:?}", m.bits_of(bits)),
        Operand::Global(global) => global.to_string(),
    }
}

fn spell_global(m: &Module, value: &GlobalValue) -> String {
    let operands: Vec<String> = value.operands().iter().map(|&x| spell_operand(m, x)).collect();
    match value {
        GlobalValue::Spec(bits) => format!("spec {:?}", m.bits_of(*bits)),
        GlobalValue::Op { op, ty, .. } => format!("{op:?} {ty} {operands:?}"),
        GlobalValue::Parts(ty, _) => format!("parts {} {operands:?}", spell_type(m, *ty)),
        GlobalValue::Zero(ty) => format!("zero {}", spell_type(m, *ty)),
        GlobalValue::Undef(ty) => format!("undef {}", spell_type(m, *ty)),
        GlobalValue::Address(var) => format!("address {var}"),
    }
}

/// The text of a type. Random types are a few levels deep, so recursion is safe.
fn spell_type(m: &Module, ty: Type) -> String {
    let of = |ty: &Type| spell_type(m, *ty);
    match m.type_of(ty) {
        TypeData::Vector { of: component, components } => format!("{}x{components}", of(component)),
        TypeData::Matrix { column, columns, stride, row_major } => {
            format!("mat {} {columns} {stride} {row_major}", of(column))
        }
        TypeData::Array { of: item, len, stride } => {
            let len = match len {
                Len::Count(count) => count.to_string(),
                Len::Global(global) => global.to_string(),
            };
            format!("[{} {len} {stride}]", of(item))
        }
        TypeData::RuntimeArray { of: item, stride } => format!("[{} {stride}]", of(item)),
        TypeData::Pointer { mode, to } => format!("ptr {mode:?} {}", of(to)),
        TypeData::Image(image) => {
            format!("{image:?} {}", of(&image.sampled)).replace(&format!("{:?}", image.sampled), "")
        }
        TypeData::SampledImage(image) => {
            format!("both {image:?} {}", of(&image.sampled)).replace(&format!("{:?}", image.sampled), "")
        }
        TypeData::Opaque(name) => format!("opaque {}", m.text_of(*name)),
        plain @ (TypeData::Void
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Struct(_)
        | TypeData::Sampler
        | TypeData::AccelStruct
        | TypeData::RayQuery) => format!("{plain:?}"),
    }
}
