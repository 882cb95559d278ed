//! Declarations of MSL: types, structures in memory, the lines before the functions.

use super::layout::Place;
use crate::expr::{Token, punct, space, words};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::layout::Lengths;
use vitrine_ir::ops::{Dim, Width};
use vitrine_ir::{
    Anchor, EntryPoint, ExecutionMode as E, Help, ImageType, ModeUse, Operand, Struct, Type, TypeData, Usage,
    Var,
};
use vitrine_text::{Class, Link};

/// The deepest nesting of types that is written.
const MOST_LEVELS: usize = 64;

/// The help for layouts that MSL does not have.
fn layout_help() -> Help {
    Help::text("pass")
        .pass("lower-layout{msl}")
        .then(", then")
        .pass("qptr-lift")
        .then(", changes it if its accesses are loads, stores and atomics")
}

impl ModuleWriter<'_> {
    /// The declaration of a name of any type, without an address space; `packed` in memory without gaps. `None` if MSL has no
    /// such type.
    fn msl_declared(&mut self, name: &Rc<str>, link: Link, ty: Type, packed: bool) -> Option<Vec<Token>> {
        let (base, dims) = self.msl_type(ty, packed)?;
        let mut tokens = vec![Token::new(Class::Type, base), space()];
        tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
        tokens.extend(dims);
        Some(tokens)
    }

    /// A reference to a value of any type.
    pub(super) fn msl_reference(
        &mut self,
        address_space: &str,
        name: &Rc<str>,
        link: Link,
        ty: Type,
    ) -> Option<Vec<Token>> {
        let (base, dims) = self.msl_type(ty, false)?;
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        let mut tokens = words(Class::Keyword, address_space);
        tokens.push(space());
        match dims.is_empty() {
            true => tokens.extend([Token::new(Class::Type, base), punct("&"), space(), name]),
            false => {
                tokens.extend([
                    Token::new(Class::Type, base),
                    space(),
                    punct("("),
                    punct("&"),
                    name,
                    punct(")"),
                ]);
                tokens.extend(dims);
            }
        }
        Some(tokens)
    }

    /// The name of a type in memory, and the lengths of arrays of it.
    pub(super) fn msl_type(&mut self, ty: Type, packed: bool) -> Option<(String, Vec<Token>)> {
        let mut dims = Vec::new();
        let mut ty = ty;
        for _ in 0..MOST_LEVELS {
            let (of, len) = match *self.module.type_of(ty) {
                TypeData::Array { of, len, .. } => (of, self.module.of(len)),
                // The length is not known: elements are accessed beyond the first.
                TypeData::RuntimeArray { of, .. } => (of, 1),
                TypeData::Matrix { .. } => {
                    let (vector, count) = self.vector_of_matrix(ty)?;
                    if self.own.msl.memory.is_matrix(self.module, ty, packed) {
                        let scalar = self.dialect.number(vector.with_components(1))?;
                        return Some((format!("{scalar}{count}x{}", vector.components), dims));
                    }
                    push_length(&mut dims, u64::from(count));
                    let name = match self.msl_padding(ty, packed) {
                        Some(stride) => {
                            let inner = self.vector_name(vector, packed)?;
                            self.msl_wrapper((ty, packed), inner, Vec::new(), stride, vector, packed)?
                                .to_string()
                        }
                        None => self.vector_name(vector, packed)?,
                    };
                    return Some((name, dims));
                }
                _ => break,
            };
            push_length(&mut dims, len);
            if let Some(stride) = self.msl_padding(ty, packed) {
                let bytes = self.own.msl.memory.extent(self.module, of, packed).ok()?.bytes;
                let (inner, inner_dims) = self.msl_type(of, packed)?;
                let name = self.wrapper_of((ty, packed), inner, inner_dims, stride - bytes)?;
                return Some((name.to_string(), dims));
            }
            ty = of;
        }
        if let Some(number) = self.number_type(ty) {
            return Some((self.vector_name(number, packed)?, dims));
        }
        if let Some(to) = self.pointee(ty) {
            return Some((self.pointer_name(to)?, dims));
        }
        match *self.module.type_of(ty) {
            TypeData::Struct(structure) => {
                let name = self.struct_name(structure);
                if !self.used_structs.contains(&structure) {
                    self.used_structs.push(structure);
                }
                Some((name.to_string(), dims))
            }
            TypeData::RayQuery => {
                let name = self.own.msl.query_type.to_string();
                (!name.is_empty()).then_some((name, dims))
            }
            _ => None,
        }
    }

    /// The vectors that a matrix consists of in memory, and their number.
    fn vector_of_matrix(&self, ty: Type) -> Option<(NumberType, u8)> {
        let TypeData::Matrix { column, columns, row_major, .. } = *self.module.type_of(ty) else {
            return None;
        };
        let column = self.number_type(column)?;
        Some(match row_major {
            true => (column.with_components(columns), column.components),
            false => (column, columns),
        })
    }

    fn vector_name(&mut self, ty: NumberType, packed: bool) -> Option<String> {
        let name = self.dialect.number(ty)?;
        Some(if packed && ty.components > 1 && ty.kind != Kind::Bool {
            format!("packed_{name}")
        } else {
            name
        })
    }

    /// The bytes of each element of an array, or of each vector of a matrix, if they need a structure of their own.
    pub(super) fn msl_padding(&mut self, ty: Type, packed: bool) -> Option<u64> {
        self.own.msl.memory.padding(self.module, ty, packed)
    }

    fn msl_wrapper(
        &mut self,
        key: (Type, bool),
        inner: String,
        dims: Vec<Token>,
        stride: u64,
        vector: NumberType,
        packed: bool,
    ) -> Option<Rc<str>> {
        let components = if packed { vector.components } else { vector.components.next_power_of_two() };
        let bytes = u64::from(components) * u64::from(vector.width.bits()).div_ceil(8);
        self.wrapper_of(key, inner, dims, stride.checked_sub(bytes)?)
    }

    /// The structure around an element, with this many bytes after it.
    fn wrapper_of(
        &mut self,
        key: (Type, bool),
        inner: String,
        dims: Vec<Token>,
        gap: u64,
    ) -> Option<Rc<str>> {
        if let Some(name) = self.own.msl.wrappers.get(&key) {
            return Some(name.clone());
        }
        let name = self.names.fresh("Element", "Element");
        self.own.msl.wrappers.insert(key, name.clone());
        let mut value = vec![Token::new(Class::Type, inner), space(), Token::new(Class::Plain, "value")];
        value.extend(dims);
        value.push(punct(";"));
        self.own.msl.wrapper_lines.extend([
            Line::new(0, words(Class::Keyword, &format!("struct {name} {{"))),
            Line::new(1, value),
            Line::new(1, words(Class::Type, &format!("char _padding[{gap}];"))),
            Line::text("};"),
            Line::empty(),
        ]);
        Some(name)
    }

    /// Refuses the execution modes that MSL does not have.
    pub(super) fn msl_modes(&mut self, entry: &EntryPoint) {
        for mode in entry.modes.clone() {
            match mode.mode {
                E::OriginUpperLeft
                | E::LocalSize
                | E::LocalSizeId
                | E::LocalSizeHint
                | E::LocalSizeHintId
                | E::VecTypeHint
                | E::DepthReplacing
                | E::DepthGreater
                | E::DepthLess
                | E::DepthUnchanged
                | E::EarlyFragmentTests
                | E::PixelInterlockOrdered
                | E::PixelInterlockUnordered => {}
                E::ContractionOff => self.own.msl.is_exact = true,
                E::SignedZeroInfNanPreserve => self.own.msl.has_nan = true,
                // Halves keep them in any case.
                E::DenormPreserve if self.is_of_halves(&mode) => {}
                other => {
                    let says = format!("MSL cannot express the execution mode `{}`", other.name());
                    self.refuse(NO_TYPE, Anchor::Module, says, "");
                }
            }
        }
    }

    /// True for an execution mode that is about floats of 16 bits.
    fn is_of_halves(&self, mode: &ModeUse) -> bool {
        matches!(mode.args.first(), Some(&Operand::Bits(bits)) if self.module.bits_of(bits).component(0).bits() == 16)
    }

    pub(super) fn structs_in_order(&self) -> Vec<Struct> {
        let mut sorted: Vec<Struct> = Vec::new();
        let mut work: Vec<(Struct, bool)> =
            self.used_structs.iter().rev().map(|&structure| (structure, false)).collect();
        while let Some((structure, parts_done)) = work.pop() {
            if sorted.contains(&structure) {
                continue;
            }
            if parts_done {
                sorted.push(structure);
                continue;
            }
            work.push((structure, true));
            for member in self.module.structure(structure).iter().flat_map(|data| data.members.iter()) {
                let mut ty = member.ty;
                while let Some(of) = self.module.element_type(ty) {
                    ty = of;
                }
                if let TypeData::Struct(inner) = *self.module.type_of(ty) {
                    work.push((inner, false));
                }
            }
        }
        sorted
    }

    /// The declaration of a structure.
    pub(super) fn msl_struct(&mut self, structure: Struct) -> Vec<Line> {
        let name = self.struct_name(structure);
        let anchor = Anchor::Struct(structure);
        let mut head = vec![Token::new(Class::Keyword, "struct"), space()];
        head.push(Token { text: name.into(), class: Class::Type, link: Link::Def(anchor) });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let names = self.member_names(structure);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let Ok(places) = self.own.msl.memory.places(self.module, structure) else {
            let says = format!("{structure} has a member at an offset that MSL does not have");
            self.refuse(NO_TYPE, anchor, says, layout_help());
            return Vec::new();
        };
        let mut gaps = 0;
        for Place { member: at, gap, packed } in places {
            let (Some(member), Some(name)) = (members.get(at), names.get(at).cloned()) else { continue };
            if gap > 0 {
                lines.push(Line::new(1, words(Class::Type, &format!("char _padding_{gaps}[{gap}];"))));
                gaps += 1;
            }
            let link = Link::Def(Anchor::Member(structure, at as u32));
            match self.msl_declared(&name, link, member.ty, packed) {
                Some(mut tokens) => {
                    tokens.push(punct(";"));
                    lines.push(Line::new(1, tokens));
                }
                None => {
                    self.refuse_type(anchor, format_args!("member {at} of {structure}"), member.ty, "");
                }
            }
        }
        lines.push(Line::text("};"));
        lines
    }

    /// The members of a structure in the order of their declarations, each with 1 if a member of bytes is before it.
    pub(super) fn msl_order(&mut self, structure: Struct) -> Vec<(usize, u64)> {
        let places = self.own.msl.memory.places(self.module, structure).unwrap_or_default();
        places.into_iter().map(|place| (place.member, u64::from(place.gap > 0))).collect()
    }

    /// Private variables that are never written, as constants of the program.
    pub(super) fn table_lines(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        for var in self.used_vars.clone() {
            if !self.own.msl.tables.contains(var) {
                continue;
            }
            let name = self.var_name(var);
            lines.extend(self.constant_variable(var, &name));
        }
        lines
    }

    fn constant_variable(&mut self, var: Var, name: &Rc<str>) -> Option<Line> {
        let data = self.module.var(var)?.clone();
        let anchor = Anchor::Var(var);
        let Some(declared) = self.var_declaration(name, Link::Def(anchor), data.ty, anchor) else {
            self.refuse_type(anchor, var, data.ty, "");
            return None;
        };
        let mut tokens = vec![Token::new(Class::Keyword, "constant"), space()];
        tokens.extend(declared);
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(self.initializer(data.init?, data.ty));
        tokens.push(punct(";"));
        Some(Line::new(0, tokens))
    }

    /// The type of an image or a sampler, or of an array of them.
    pub(super) fn msl_handle(&mut self, var: Var, ty: Type) -> Option<String> {
        if let TypeData::Array { of, .. } = *self.module.type_of(ty) {
            let count = self.module.element_count(ty)?;
            let inner = self.msl_handle_of(Some(var), of)?;
            return Some(format!("array<{inner}, {count}>"));
        }
        self.msl_handle_of(Some(var), ty)
    }

    /// The type of an image or a sampler.
    pub(super) fn msl_handle_of(&mut self, var: Option<Var>, ty: Type) -> Option<String> {
        let is_compared = var.is_some_and(|var| self.own.msl.compared.contains(var));
        match *self.module.type_of(ty) {
            TypeData::Sampler => Some("sampler".to_owned()),
            TypeData::AccelStruct => Some(super::rays::SCENE.to_owned()),
            TypeData::Image(image) if image.dim == Dim::Subpass => match image.multisampled {
                true => None,
                false => {
                    self.number_type(image.sampled).and_then(|ty| self.dialect.number(ty.with_components(4)))
                }
            },
            TypeData::Image(image) => {
                let [is_read, is_written] =
                    [0, 1].map(|at: usize| var.is_some_and(|var| self.own.msl.texels[at].contains(var)));
                let access = match (image.usage, is_read, is_written) {
                    (Usage::Storage, true, true) => Some("access::read_write"),
                    (Usage::Storage, false, true) => Some("access::write"),
                    (Usage::Storage, ..) => Some("access::read"),
                    (Usage::Sampled | Usage::Unknown, ..) => None,
                };
                texture(self.number_type(image.sampled)?, image, is_compared, access)
            }
            _ => None,
        }
    }
}

/// Structures and wrappers, each after those that it names.
pub(super) fn merged(structs: Vec<Line>, wrappers: Vec<Line>) -> Vec<Line> {
    let mut groups: Vec<Vec<Line>> = Vec::new();
    for line in wrappers.into_iter().chain(structs) {
        match groups.last_mut() {
            Some(group) if !group.last().is_some_and(Line::is_empty) => group.push(line),
            _ => groups.push(vec![line]),
        }
    }
    let mut out: Vec<Line> = Vec::new();
    while !groups.is_empty() {
        let names: Vec<String> = groups.iter().map(|group| name_of(group)).collect();
        let is_ready = |at: usize, group: &[Line]| {
            let others = names.iter().enumerate().filter(|(other, _)| *other != at);
            !others.into_iter().any(|(_, name)| group.iter().skip(1).any(|line| line.has_word(name)))
        };
        let at = groups.iter().enumerate().position(|(at, group)| is_ready(at, group)).unwrap_or(0);
        out.extend(groups.remove(at));
    }
    out
}

/// The name of the structure that lines declare.
fn name_of(group: &[Line]) -> String {
    group.first().and_then(|line| line.word(2)).unwrap_or_default().to_owned()
}

fn push_length(dims: &mut Vec<Token>, len: u64) {
    dims.extend([punct("["), Token::new(Class::Number, len.to_string()), punct("]")]);
}

/// The type of a texture. `None` if MSL has no such texture.
fn texture(
    texel: NumberType,
    image: ImageType,
    is_depth: bool,
    access: Option<&'static str>,
) -> Option<String> {
    let dim = match (image.dim, image.arrayed, image.multisampled) {
        (Dim::D1, false, false) => "1d",
        (Dim::D1, true, false) => "1d_array",
        (Dim::D2 | Dim::Subpass, false, false) => "2d",
        (Dim::D2, true, false) => "2d_array",
        (Dim::D2 | Dim::Subpass, false, true) => "2d_ms",
        (Dim::D2, true, true) => "2d_ms_array",
        (Dim::D3, false, false) => "3d",
        (Dim::Cube, false, false) => "cube",
        (Dim::Cube, true, false) => "cube_array",
        (Dim::Buffer, false, false) => "_buffer",
        _ => return None,
    };
    let scalar = match (texel.kind, texel.width) {
        (Kind::Float, Width::W32) => "float",
        (Kind::Int, Width::W32) => "int",
        (Kind::Uint, Width::W32) => "uint",
        (Kind::Float, Width::W16) => "half",
        _ => return None,
    };
    let access = access.map(|access| format!(", {access}")).unwrap_or_default();
    match is_depth {
        true => {
            (!matches!(dim, "1d" | "1d_array" | "3d" | "_buffer")).then(|| format!("depth{dim}<{scalar}>"))
        }
        false => Some(format!("texture{dim}<{scalar}{access}>")),
    }
}

impl ModuleWriter<'_> {
    /// The name of the type of a pointer.
    pub(super) fn msl_pointer_name(&mut self, to: Type) -> Option<String> {
        let (base, dims) = match *self.module.type_of(to) {
            // Elements that are further apart than their type has bytes have a structure around them.
            TypeData::Array { .. } | TypeData::RuntimeArray { .. }
                if self.msl_padding(to, false).is_some() =>
            {
                (self.msl_type(to, false)?.0, Vec::new())
            }
            // The elements have no length there.
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => self.msl_type(of, false)?,
            _ => self.msl_type(to, false)?,
        };
        if let TypeData::Struct(structure) = *self.module.type_of(to)
            && !self.own.msl.pointees.contains(&structure)
        {
            self.own.msl.pointees.push(structure);
        }
        self.own.msl.version = self.own.msl.version.max(30);
        dims.is_empty().then(|| format!("device {base}*"))
    }
}
