//! Buffers of HLSL.
//!
//! A storage buffer is a structured buffer: of the elements of its only member if that is an array without a length, else
//! of its block, of which it has one. It is accessed by bytes if its places are others. Its integers have the signedness
//! that its atomics compare with. Each member of a uniform buffer states its place. An array of uniform
//! buffers, and push constants, are objects with the members.

use super::places::hlsl_register;
use super::state::{Buffer, Rule};
use crate::expr::{Token, punct, space, words};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::operands::{PathRoot, STEPS, compared, root};
use crate::print::Line;
use rustc_hash::FxHashMap;
use vitrine_analysis::{LayoutTarget, row_end};
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Access, DerefOp, Key, MemoryOp, Op};
use vitrine_ir::{Anchor, FuncBody, Help, Inst, InstData, Mode, Struct, Type, TypeData, Var};
use vitrine_text::{Class, Link};

/// The help for layouts that HLSL does not have.
fn layout_help() -> Help {
    Help::text("pass")
        .pass("lower-layout{hlsl}")
        .then(", then")
        .pass("qptr-lift")
        .then(", changes it if its accesses are loads, stores and atomics")
}

impl ModuleWriter<'_> {
    /// The block of a buffer, or of each buffer in an array.
    pub(super) fn block_of(&self, var: Var) -> Option<Struct> {
        let mut ty = self.module.var(var)?.ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        match *self.module.type_of(ty) {
            TypeData::Struct(structure) => Some(structure),
            _ => None,
        }
    }

    /// The form of a buffer, chosen before functions are written.
    pub(super) fn hlsl_buffer_form(&self, var: Var) -> Option<Buffer> {
        self.own.hlsl.buffers.get(&var).copied()
    }

    /// Chooses the form of a buffer, and names the members of a constant buffer.
    pub(super) fn choose_buffer(&mut self, var: Var) {
        let Some(data) = self.module.var(var) else { return };
        let Some(structure) = self.block_of(var) else { return };
        let is_array = !matches!(self.module.type_of(data.ty), TypeData::Struct(_));
        let form = match data.mode {
            Mode::Storage => self.storage_form(var, structure),
            Mode::Uniform if !is_array && self.members_fit(structure) => Buffer::Members(structure),
            Mode::Uniform => {
                let block = self.block_type(var);
                match block.is_some_and(|ty| self.fits(ty, 0, None, Rule::Rows)) {
                    true => Buffer::Object(structure),
                    false => Buffer::Rows(structure),
                }
            }
            Mode::Callable if data.attrs.get(Key::Class) != Some(super::rays::class::RECORD) => return,
            Mode::Push | Mode::Callable => {
                self.own.hlsl.push_blocks.push(structure);
                Buffer::Object(structure)
            }
            _ => return,
        };
        if let Buffer::Members(structure) = form {
            let members =
                self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
            for (at, member) in members.iter().enumerate() {
                let wanted = self.text(member.name);
                let name = self.names.fresh(wanted, format_args!("member_{at}"));
                self.own.hlsl.members.insert((var, at), name);
            }
        }
        if let Buffer::Rows(_) = form {
            let wanted = format!("{}_rows", self.text(data.name));
            let name = self.names.fresh(&wanted, "rows");
            self.own.hlsl.members.insert((var, 0), name);
        }
        self.own.hlsl.buffers.insert(var, form);
    }

    /// The declared offset of a member.
    pub(super) fn offset_of(&self, structure: Struct, at: usize) -> u64 {
        let member = self.module.structure(structure).and_then(|data| data.members.get(at));
        member.and_then(|member| member.attrs.get(Key::Offset)).unwrap_or(0)
    }

    fn block_type(&self, var: Var) -> Option<Type> {
        let mut ty = self.module.var(var)?.ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        Some(ty)
    }

    fn members_fit(&mut self, structure: Struct) -> bool {
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let mut order: Vec<(u64, Type)> =
            members.iter().map(|member| (member.attrs.get(Key::Offset).unwrap_or(0), member.ty)).collect();
        order.sort_by_key(|&(offset, _)| offset);
        let mut sizes = Sizes::default();
        let mut least = 0;
        order.into_iter().all(|(offset, ty)| {
            let is_free = offset >= least;
            let end = offset + sizes.of(self.module, self.module, ty).bytes;
            least = row_end(self.module, ty, end);
            is_free && self.fits(ty, offset, None, Rule::Rows)
        })
    }

    fn storage_form(&mut self, var: Var, structure: Struct) -> Buffer {
        let Some(data) = self.module.var(var) else { return Buffer::Bytes };
        let is_array = !matches!(self.module.type_of(data.ty), TypeData::Struct(_));
        let is_read = data.attrs.words::<Access>().has(Access::READONLY);
        // The compiler of the text takes arrays of these buffers by bytes, and of others if they are not written.
        if is_array && !is_read || self.own.hlsl.exchanged.contains(&var) {
            return Buffer::Bytes;
        }
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        if let [only] = &members[..]
            && let TypeData::RuntimeArray { of, .. } = *self.module.type_of(only.ty)
        {
            let stride = Sizes::default().stride(self.module, self.module, only.ty);
            let is_plain =
                !matches!(self.module.type_of(of), TypeData::Array { .. } | TypeData::Matrix { .. });
            let starts = only.attrs.get(Key::Offset).unwrap_or(0) == 0;
            return match is_plain && starts && self.fits(of, 0, Some(stride), Rule::Scalars) {
                true => Buffer::Elements(of),
                false => Buffer::Bytes,
            };
        }
        let is_sized = members
            .iter()
            .all(|member| !matches!(self.module.type_of(member.ty), TypeData::RuntimeArray { .. }));
        let block = self.block_type(var).filter(|_| is_sized);
        match block.is_some_and(|ty| self.fits(ty, 0, None, Rule::Scalars)) {
            true => Buffer::Block(structure),
            false => Buffer::Bytes,
        }
    }

    /// Finds the blocks whose integers are declared with the other signedness, since an atomic compares them so.
    pub(super) fn find_flipped(&mut self) {
        let mut wanted_of: FxHashMap<Struct, Option<Kind>> = FxHashMap::default();
        let mut differs: Vec<Struct> = Vec::new();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let atomic = data.attrs.word().filter(|_| data.op == Op::Memory(MemoryOp::Atomic));
                let Some(wanted) = atomic.and_then(compared) else { return };
                let Some(&path) = data.args.first() else { return };
                let Some(PathRoot::Var(var)) = root(body, path) else { return };
                let (Some(structure), Some(ty)) = (self.block_of(var), self.type_at(body, path)) else {
                    return;
                };
                let one = wanted_of.entry(structure).or_insert(Some(wanted));
                *one = one.filter(|&known| known == wanted);
                if self.number_type(ty).is_some_and(|declared| declared.kind != wanted) {
                    differs.push(structure);
                }
            });
        }
        for structure in differs {
            let kind = wanted_of.get(&structure).copied().flatten();
            if let Some(kind) = kind.filter(|_| self.is_flippable(structure)) {
                self.own.hlsl.flipped.insert(structure, kind);
            }
        }
    }

    /// Returns true for a block of numbers and of arrays of them.
    fn is_flippable(&self, structure: Struct) -> bool {
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        members.iter().all(|member| {
            let mut ty = member.ty;
            while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } =
                *self.module.type_of(ty)
            {
                ty = of;
            }
            self.number_type(ty).is_some()
        })
    }

    /// The type of a number in a buffer.
    pub(super) fn hlsl_number(&self, var: Option<Var>, ty: NumberType) -> NumberType {
        if var.is_some_and(|var| self.words_of(var).is_some()) {
            return ty.with_kind(Kind::Uint);
        }
        let kind = var.and_then(|var| self.block_of(var)).and_then(|block| self.own.hlsl.flipped.get(&block));
        flipped(ty, kind.copied())
    }

    /// The type at the end of a path that begins at a variable.
    pub(super) fn type_at(&self, body: &FuncBody, path: Inst) -> Option<Type> {
        let mut steps: Vec<&InstData> = Vec::new();
        let mut at = path;
        let mut ty = loop {
            let data = body.inst(at);
            match data.op {
                Op::Deref(DerefOp::Var) => break self.module.var(data.entity(Key::Var)?)?.ty,
                Op::Deref(DerefOp::Field | DerefOp::Elem) if steps.len() < STEPS => steps.push(data),
                _ => return None,
            }
            at = *data.args.first()?;
        };
        for step in steps.into_iter().rev() {
            ty = match (step.op, self.module.type_of(ty)) {
                (Op::Deref(DerefOp::Field), &TypeData::Struct(structure)) => {
                    let at = step.attrs.get(Key::Field)? as usize;
                    self.module.structure(structure)?.members.get(at)?.ty
                }
                _ => self.module.element_type(ty)?,
            };
        }
        Some(ty)
    }

    /// The declaration of a buffer.
    pub(super) fn hlsl_buffer(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let Some(form) = self.hlsl_buffer_form(var) else {
            self.refuse(NO_TYPE, anchor, format!("{var} is a buffer that is no block"), "");
            return Vec::new();
        };
        let access: Access = data.attrs.words();
        if access.has(Access::VOLATILE) {
            self.refuse(NO_TYPE, anchor, format!("{var} is volatile, which HLSL does not have"), "");
            return Vec::new();
        }
        let number = |key: Key| data.attrs.get(key).unwrap_or(0);
        let (set, binding) = (number(Key::Set), number(Key::Binding));
        let at = hlsl_register(&data);
        let place = |class: &str| format!(" : register({class}{}, space{})", at[1], at[0]);
        let attribute = format!("[[vk::binding({binding}, {set})]] ");
        let name = self.var_name(var);
        let dims = self.buffer_dims(data.ty);
        let is_read = access.has(Access::READONLY);
        let prefix = match (is_read, access.has(Access::COHERENT)) {
            (true, _) => "",
            (false, true) => "globallycoherent RW",
            (false, false) => "RW",
        };
        let class = if is_read { "t" } else { "u" };
        // Vulkan has no arrays of arrays of buffers, and its compiler fails for constant buffers.
        if dims.iter().filter(|token| token.text.as_str() == "[").count() > 1 {
            let says = format!("{var} is an array of arrays of buffers, which HLSL does not have for SPIR-V");
            self.refuse(NO_TYPE, anchor, says, "declare one array of them");
            return Vec::new();
        }
        let (attributes, ty, end) = match form {
            Buffer::Members(structure) => {
                let head = format!("{attribute}cbuffer {name}{} {{", place("b"));
                return self.constant_buffer(var, structure, head);
            }
            Buffer::Rows(structure) => {
                let rows = self.rows_of(structure);
                if !dims.is_empty() {
                    let says = format!("the layout of {var} is not that of constant buffers in an array");
                    self.refuse(NO_TYPE, anchor, says, layout_help());
                    return Vec::new();
                }
                let inner = self.own.hlsl.members.get(&(var, 0)).cloned().unwrap_or_default();
                return vec![
                    Line::new(0, words(Class::Plain, &format!("{attribute}cbuffer {name}{} {{", place("b")))),
                    Line::new(1, words(Class::Plain, &format!("uint4 {inner}[{rows}];"))),
                    Line::text("}"),
                ];
            }
            Buffer::Object(structure) => {
                let of = self.used_block(structure);
                match data.mode {
                    Mode::Push | Mode::Callable => {
                        let members = self.module.structure(structure).map(|data| data.members.clone());
                        for member in members.iter().flat_map(|members| members.iter()) {
                            let offset = member.attrs.get(Key::Offset).unwrap_or(0);
                            if !self.fits(member.ty, offset, None, Rule::Scalars) {
                                let what = if data.mode == Mode::Push {
                                    "push constants"
                                } else {
                                    "a shader record"
                                };
                                let says = format!("{var} holds {what} in places that HLSL does not have");
                                self.refuse(NO_TYPE, anchor, says, layout_help());
                            }
                        }
                        let attribute = match data.mode {
                            Mode::Push => "[[vk::push_constant]] ",
                            _ => "[[vk::shader_record_ext]] ",
                        };
                        // The register is for Direct3D: push constants of Vulkan have no binding.
                        let end = match LayoutTarget::Hlsl.chosen_place(&data) {
                            Some(_) if data.mode == Mode::Push => place("b"),
                            _ => String::new(),
                        };
                        (attribute.to_owned(), format!("ConstantBuffer<{of}>"), end)
                    }
                    _ => (attribute, format!("ConstantBuffer<{of}>"), place("b")),
                }
            }
            Buffer::Block(structure) => {
                let of = self.used_block(structure);
                (attribute, format!("{prefix}StructuredBuffer<{of}>"), place(class))
            }
            Buffer::Elements(of) => match self.element_type_name(var, of, anchor) {
                Some(of) => (attribute, format!("{prefix}StructuredBuffer<{of}>"), place(class)),
                None => {
                    let says = format!("the elements of {var} have a type that HLSL does not have");
                    self.refuse(NO_TYPE, anchor, says, layout_help());
                    return Vec::new();
                }
            },
            Buffer::Bytes => (attribute, format!("{prefix}ByteAddressBuffer"), place(class)),
        };
        let mut tokens = words(Class::Attr, &attributes);
        tokens.extend(words(Class::Type, &ty));
        tokens.push(space());
        tokens.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        tokens.extend(dims);
        tokens.extend(words(Class::Plain, &end));
        tokens.push(punct(";"));
        vec![Line::new(0, tokens)]
    }

    fn element_type_name(&mut self, var: Var, of: Type, anchor: Anchor) -> Option<String> {
        match self.number_type(of) {
            Some(number) => {
                let number = self.hlsl_number(Some(var), number);
                Some(self.number_name(number, anchor))
            }
            None => {
                self.hlsl_type_parts(of, anchor).filter(|(_, dims)| dims.is_empty()).map(|(name, _)| name)
            }
        }
    }

    fn used_block(&mut self, structure: Struct) -> String {
        if !self.used_structs.contains(&structure) {
            self.used_structs.push(structure);
        }
        self.struct_name(structure).to_string()
    }

    /// The lengths of an array of buffers.
    fn buffer_dims(&self, ty: Type) -> Vec<Token> {
        let mut ty = ty;
        let mut dims = Vec::new();
        loop {
            let len = match *self.module.type_of(ty) {
                TypeData::Array { of, len, .. } => {
                    ty = of;
                    vitrine_ir::layout::Lengths::of(self.module, len).to_string()
                }
                TypeData::RuntimeArray { of, .. } => {
                    ty = of;
                    String::new()
                }
                _ => return dims,
            };
            dims.extend([punct("["), Token::new(Class::Number, len), punct("]")]);
        }
    }

    /// The rows of 16 bytes that a block has.
    fn rows_of(&self, structure: Struct) -> u64 {
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let mut sizes = Sizes::default();
        let ends = members.iter().map(|member| {
            member.attrs.get(Key::Offset).unwrap_or(0) + sizes.of(self.module, self.module, member.ty).bytes
        });
        ends.max().unwrap_or(0).div_ceil(16).max(1)
    }

    fn constant_buffer(&mut self, var: Var, structure: Struct, head: String) -> Vec<Line> {
        let anchor = Anchor::Var(var);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let mut lines = vec![Line::new(0, words(Class::Plain, &head))];
        // The compiler of the text asks for the order of places.
        let mut order: Vec<_> = members.iter().enumerate().collect();
        order.sort_by_key(|(_, member)| member.attrs.get(Key::Offset).unwrap_or(0));
        for (at, member) in order {
            let Some(name) = self.own.hlsl.members.get(&(var, at)).cloned() else { continue };
            let offset = member.attrs.get(Key::Offset).unwrap_or(0);
            let link = Link::Def(Anchor::Member(structure, at as u32));
            let Some(mut tokens) = self.hlsl_declaration(&name, link, member.ty, anchor) else {
                self.refuse_type(anchor, format_args!("member {at} of {var}"), member.ty, layout_help());
                continue;
            };
            let part = ["", ".y", ".z", ".w"].get((offset / 4 % 4) as usize).copied().unwrap_or("");
            tokens.extend(words(Class::Attr, &format!(" : packoffset(c{}{part});", offset / 16)));
            lines.push(Line::new(1, tokens));
        }
        lines.push(Line::text("}"));
        lines
    }
}

/// A type of integers as those of another kind, if there is one.
pub(super) fn flipped(ty: NumberType, kind: Option<Kind>) -> NumberType {
    match (ty.kind, kind) {
        (Kind::Int | Kind::Uint, Some(kind)) => ty.with_kind(kind),
        _ => ty,
    }
}
