//! References to buffers: the physical pointers of GLSL (GL_EXT_buffer_reference).
//!
//! Each type that is pointed at is a block: the members of the structure, or one member `value`. An element of an array that no
//! packing reproduces is reached by its address, and so is what is a step by another stride than the size of the block away.
//! Refuses other layouts that no packing reproduces.

use super::layout::{Layouts, Packing};
use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::FuncWriter;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::ADDRESS;
use crate::paths::PathText;
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::layout::scalar_bytes;
use vitrine_ir::ops::{Key, MemoryOp, Op};
use vitrine_ir::{Anchor, Attrs, Inst, Member, Mode, Type, TypeData};
use vitrine_text::{Class, Link};

/// The member of the block of a type that is no structure.
const VALUE: &str = "value";

/// The alignment of a reference whose declaration states none, in bytes.
const DEFAULT_ALIGN: u64 = 16;

/// The layout of the block of a reference.
struct Placed {
    packing: Packing,
    /// Members in order of their offsets, and true if the offset has to be stated.
    order: Vec<(usize, u64, bool)>,
    /// Bytes.
    size: u64,
    align: u64,
}

impl ModuleWriter<'_> {
    /// The name of the references to a type.
    pub(super) fn glsl_reference(&mut self, to: Type) -> Option<Rc<str>> {
        if let Some((_, name)) = self.own.glsl.references.list.iter().find(|(known, _)| *known == to) {
            return Some(name.clone());
        }
        self.extensions.insert("GL_EXT_buffer_reference");
        let mut inner = to;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(inner)
        {
            inner = of;
        }
        let wanted = match *self.module.type_of(inner) {
            TypeData::Struct(structure) => {
                let name = self.text(self.module.structure(structure).and_then(|data| data.name));
                if name.is_empty() { "Block".to_owned() } else { name.to_owned() }
            }
            TypeData::Matrix { .. } => "Matrix".to_owned(),
            TypeData::Pointer { .. } => "Pointer".to_owned(),
            _ => {
                let number = self.number_type(inner)?;
                let name = self.dialect.number(number)?;
                let mut chars = name.chars();
                chars.next().map(|first| first.to_uppercase().chain(chars).collect())?
            }
        };
        let ending = if inner == to { "Pointer" } else { "ArrayPointer" };
        let name = self.names.fresh(&format!("{wanted}{ending}"), "Pointer");
        self.own.glsl.references.list.push((to, name.clone()));
        Some(name)
    }

    /// The name of the type of an address as one number.
    pub(super) fn glsl_address_number(&mut self) -> &'static str {
        self.extensions.insert("GL_EXT_shader_explicit_arithmetic_types_int64");
        "uint64_t"
    }

    /// The memory at a reference.
    pub(super) fn glsl_at_reference(&self, reference: Vec<Token>, to: Type) -> PathText {
        let mut tokens = reference.clone();
        if !matches!(self.module.type_of(to), TypeData::Struct(_)) {
            tokens.extend([punct("."), Token::new(Class::Plain, VALUE)]);
        }
        PathText { pointer: Some(reference), ..PathText::new(tokens, to, Mode::Physical) }
    }

    /// Returns true if references to a type can be advanced by a stride in bytes.
    pub(super) fn glsl_can_step(&mut self, to: Type, stride: Option<u64>) -> bool {
        self.extensions.insert("GL_EXT_buffer_reference2");
        self.prepare_align();
        let Some(placed) = self.placed(to) else { return false };
        let size = placed.size.next_multiple_of(placed.align.max(1));
        size > 0 && stride.is_none_or(|stride| stride == size)
    }

    /// The bytes between the elements of an array that no layout reproduces, of which each element is reached by its address.
    pub(super) fn glsl_far_stride(&self, to: Type) -> Option<u64> {
        let (TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride }) =
            *self.module.type_of(to)
        else {
            return None;
        };
        let is_far = stride > 0 && self.placed(to).is_none();
        let has_place = || self.placed(of).is_some() || self.glsl_far_stride_of_parts(of);
        (is_far && has_place()).then_some(u64::from(stride))
    }

    /// Returns true for arrays in arrays down to a type that a layout reproduces.
    fn glsl_far_stride_of_parts(&self, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } = *self.module.type_of(ty) {
            if self.placed(of).is_some() {
                return true;
            }
            ty = of;
        }
        false
    }

    fn members_at(&self, to: Type) -> Vec<Member> {
        match *self.module.type_of(to) {
            TypeData::Struct(structure) => {
                self.module.structure(structure).map(|data| data.members.to_vec()).unwrap_or_default()
            }
            _ => vec![Member { name: None, ty: to, attrs: Attrs::default() }],
        }
    }

    /// The first layout that reproduces a type.
    fn placed(&self, to: Type) -> Option<Placed> {
        let members = self.members_at(to);
        let fits = |packing: Packing| {
            let mut layouts = Layouts::new(self.module, packing);
            let order = layouts.block(&members).ok()?;
            let (mut size, mut align) = (0, 1);
            for &(at, offset, _) in &order {
                let extent = layouts.of(members.get(at)?.ty).ok()?;
                size = size.max(offset + extent.bytes);
                align = align.max(extent.align);
            }
            Some(Placed {
                packing,
                order,
                size,
                align: align.min(self.own.glsl.references.least_align.unwrap_or(1)),
            })
        };
        [Packing::Std430, Packing::Std140, Packing::Scalar].into_iter().find_map(fits)
    }

    /// Finds the alignment in bytes that accesses through pointers promise, if one promises less than its type has.
    fn prepare_align(&mut self) {
        if self.own.glsl.references.least_align.is_some() {
            return;
        }
        let mut least = u64::MAX;
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let Some(align) = data.attrs.get(Key::Align) else { return };
                let value = match data.op {
                    Op::Memory(MemoryOp::Load) => inst,
                    Op::Memory(MemoryOp::Store) => match data.args.get(1) {
                        Some(&value) => value,
                        None => return,
                    },
                    _ => return,
                };
                let ty = body.ty(value);
                let Some(width) = ty.width() else { return };
                let natural = scalar_bytes(width) * u64::from(ty.components().next_power_of_two());
                if align < natural {
                    least = least.min(align.max(1));
                }
            });
        }
        self.own.glsl.references.least_align = Some(least);
    }

    /// The declarations of types: names of references that are used before their blocks, structures, and the blocks.
    pub(super) fn glsl_types(&mut self) -> (Vec<Line>, Vec<Line>, Vec<Line>) {
        let mut blocks = self.reference_blocks(0);
        let structs = loop {
            let (diags, known) = (self.diags.len(), self.own.glsl.references.list.len());
            let structs = self.glsl_structs();
            if self.own.glsl.references.list.len() == known {
                break structs;
            }
            // Found again in the next round.
            self.diags.truncate(diags);
            blocks.extend(self.reference_blocks(known));
        };
        let mut before = Vec::new();
        for (at, (_, name)) in self.own.glsl.references.list.iter().enumerate() {
            let mut earlier = structs.iter().chain(blocks.iter().take(at).flatten());
            let own = blocks.get(at).and_then(|own| own.get(1..)).unwrap_or_default();
            if earlier.any(|line| line.has_word(name)) || own.iter().any(|line| line.has_word(name)) {
                before.push(Line::text(format!("layout(buffer_reference) buffer {name};")));
            }
        }
        (before, structs, blocks.into_iter().flatten().collect())
    }

    /// The blocks of the references from a number on. The list grows while members are declared.
    fn reference_blocks(&mut self, first: usize) -> Vec<Vec<Line>> {
        if self.own.glsl.references.list.len() > first {
            self.prepare_align();
        }
        let mut blocks = Vec::new();
        let mut at = first;
        while let Some((to, name)) = self.own.glsl.references.list.get(at).cloned() {
            at += 1;
            blocks.push(self.reference_block(to, &name));
        }
        blocks
    }

    fn reference_block(&mut self, to: Type, name: &Rc<str>) -> Vec<Line> {
        // The block of the first element.
        let mut to = to;
        while self.glsl_far_stride(to).is_some() {
            let Some(of) = self.module.element_type(to) else { break };
            to = of;
        }
        let structure = match *self.module.type_of(to) {
            TypeData::Struct(structure) => Some(structure),
            _ => None,
        };
        let anchor = structure.map_or(Anchor::Module, Anchor::Struct);
        let Some(placed) = self.placed(to) else {
            let says = format!("the layout of {name} is none of std430, std140 and scalar");
            self.refuse(NO_TYPE, anchor, says, "");
            return Vec::new();
        };
        let mut layout =
            vec!["buffer_reference".to_owned(), self.packing_word(placed.packing, Mode::Physical).to_owned()];
        if placed.align != DEFAULT_ALIGN {
            layout.push(format!("buffer_reference_align = {}", placed.align));
        }
        let mut head = self.qualifiers(&layout, &["buffer"]);
        let link = Link::Def(anchor);
        head.push(Token { text: name.clone().into(), class: Class::Type, link });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let members = self.members_at(to);
        let names = match structure {
            Some(structure) => self.member_names(structure),
            None => Rc::new([Rc::from(VALUE)]),
        };
        lines.extend(self.block_members(structure, &members, &names, &placed.order, anchor));
        lines.push(Line::new(0, vec![punct("}"), punct(";")]));
        lines
    }
}

impl FuncWriter<'_, '_> {
    /// An element at its address: `Reference(uint64_t(array) + uint64_t(index) * stride)`.
    pub(super) fn glsl_far_element(
        &mut self,
        inst: Inst,
        array: Vec<Token>,
        (element, stride): (Type, u64),
        index: Inst,
    ) -> Option<PathText> {
        let Some(name) = self.w.glsl_reference(element) else {
            self.refuse(inst, "the type that it points at is no type of a buffer", "");
            return None;
        };
        let index = self.count(index);
        let number = self.w.glsl_address_number();
        let array = Expr::new(array, Prec::Postfix, ADDRESS);
        let address = self.moved_address(inst, number, array, (stride, index));
        let reference = self.call(inst, name, vec![address], ADDRESS);
        Some(self.w.glsl_at_reference(reference.tokens, element))
    }
}
