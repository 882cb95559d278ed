//! Inputs and outputs that are structures: blocks in GLSL, one variable for each member in GLSL ES.
//!
//! ```text
//! struct #V_0 {block} { uv: f32x2   id: i32 {interp flat} }         layout(location = 0) out V {
//! out $v_1: #V_0 {location 0}                                           vec2 uv;
//!                                                                       flat int id;
//!                                                                   } v;
//! ```
//!
//! The members of a structure have no qualifiers, those of a block have. GLSL ES has no blocks between these stages, and an
//! integer makes a whole structure flat there: the members are variables, at the locations that they have in the block, so
//! that both stages agree. Structures that are copied as a whole are no blocks; a pass splits the copies. Inputs of vertex
//! shaders and outputs of fragment shaders are no structures in either language: their members are variables, too.
//!
//! GLSL ES has no arrays as inputs of vertex shaders: their elements are inputs, and the array is filled first.

use super::es::no_nesting;
use crate::expr::{Token, punct, space};
use crate::func::FuncWriter;
use crate::language::{Language, Version};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::print::Line;
use std::rc::Rc;
use vitrine_forms::DeclaredPort;
use vitrine_ir::ops::{Interp, Key, Width};
use vitrine_ir::{Anchor, Member, Mode, Module, Stage, Struct, Type, TypeData, Var};
use vitrine_text::{Class, Link};

/// Values of a patch and of a primitive.
const WHOLE: Interp = Interp::PATCH.and(Interp::PER_PRIMITIVE);

impl ModuleWriter<'_> {
    /// The structure of an input or output that is a block in GLSL.
    fn glsl_interface_block(&self, var: Var) -> Option<Struct> {
        let data = self.module.var(var)?;
        if self.dialect.language() != Language::Glsl(Version::Vulkan)
            || self.own.glsl.uses.takes_whole_of_block(self.module, var)
        {
            return None;
        }
        let is_between = matches!(data.mode, Mode::In | Mode::Out) && !self.is_end(data.mode);
        let mut ty = data.ty;
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return None };
        let found = self.module.structure(structure)?;
        let is_block = found.attrs.has(Key::Block) || found.members.iter().any(has_own_qualifiers);
        (is_between && is_block && data.init.is_none() && !data.attrs.has(Key::BuiltIn)).then_some(structure)
    }

    /// Refuses an input of a geometry shader that is no array with an element for each vertex, and one of a vertex shader of
    /// GLSL ES whose elements, which would be inputs, cannot be counted.
    pub(super) fn glsl_refuses_shape(&mut self, var: Var) -> bool {
        let Some(data) = self.module.var(var) else { return false };
        let is_own = data.mode == Mode::In && !data.attrs.has(Key::BuiltIn);
        let element = self.module.element_type(data.ty);
        let says = match self.stage {
            Stage::Geometry if is_own && element.is_none() => "no array with an element for each vertex",
            Stage::Vertex
                if is_own
                    && self.es().is_some()
                    && element.is_some()
                    && self.module.element_count(data.ty).is_none() =>
            {
                "an array whose length is a specialization constant"
            }
            _ => return false,
        };
        self.refuse(NO_TYPE, Anchor::Var(var), format!("{var} is an input that is {says}"), "");
        true
    }

    /// An input or output that is a block. `None` if it is none.
    pub(super) fn glsl_block(&mut self, var: Var) -> Option<Vec<Line>> {
        let structure = self.glsl_interface_block(var)?;
        if self.glsl_refuses_shape(var) {
            return Some(Vec::new());
        }
        let data = self.module.var(var)?.clone();
        let members = self.module.structure(structure)?.members.to_vec();
        let anchor = Anchor::Var(var);
        let own: Interp = data.attrs.words();
        let of_members = members.iter().map(|member| member.attrs.words());
        let common = of_members.fold(WHOLE, Interp::only).and(own.only(WHOLE));
        let mut layout: Vec<String> = Vec::new();
        let number = |key: Key| data.attrs.get(key);
        layout.extend(number(Key::Location).map(|it| format!("location = {it}")));
        layout.extend(number(Key::Component).filter(|&it| it > 0).map(|it| format!("component = {it}")));
        let mut keywords = self.interpolation(common, data.mode, data.ty);
        keywords.push(if data.mode == Mode::In { "in" } else { "out" });
        let is_first = self.own.glsl.block_names.insert(structure) && !self.used_structs.contains(&structure);
        let block_name = match is_first {
            true => self.struct_name(structure),
            false => {
                let name = self.text(self.module.structure(structure)?.name);
                self.names.fresh(name, "Block")
            }
        };
        let mut head = self.qualifiers(&layout, &keywords);
        let link = Link::Use(Anchor::Struct(structure));
        head.push(Token { text: block_name.into(), class: Class::Type, link });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let names = self.member_names(structure);
        for (at, member) in members.iter().enumerate() {
            let name = names.get(at)?.clone();
            let link = Link::Def(Anchor::Member(structure, at as u32));
            let interp = own.and(member.attrs.words()).without(common);
            let Some(declared) = self.var_declaration(&name, link, member.ty, anchor) else {
                self.refuse_member(var, member.ty);
                continue;
            };
            let mut tokens = self.member_qualifiers(member, interp, (data.mode, common));
            tokens.extend(declared);
            tokens.push(punct(";"));
            lines.push(Line::new(1, tokens));
        }
        let name = self.var_name(var);
        let (_, mut dims) = self.type_dims(data.ty);
        if self.glsl_has_open_length(var) && dims.len() > 2 {
            // The language decides the number of vertices.
            dims.remove(1);
        }
        let mut last = vec![punct("}"), space()];
        last.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        last.extend(dims);
        last.push(punct(";"));
        lines.push(Line::new(0, last));
        Some(lines)
    }

    fn refuse_member(&mut self, var: Var, ty: Type) {
        self.refuse_type(Anchor::Var(var), format_args!("a member of {var}"), ty, "");
    }

    fn member_qualifiers(
        &mut self,
        member: &Member,
        interp: Interp,
        (mode, common): (Mode, Interp),
    ) -> Vec<Token> {
        let number = |key: Key| member.attrs.get(key);
        let mut layout: Vec<String> = Vec::new();
        layout.extend(number(Key::Location).map(|it| format!("location = {it}")));
        layout.extend(number(Key::Component).filter(|&it| it > 0).map(|it| format!("component = {it}")));
        let mut keywords: Vec<&'static str> = Vec::new();
        let is_invariant = mode == Mode::Out && member.attrs.has(Key::Invariant);
        keywords.extend(is_invariant.then_some("invariant"));
        // Values of a patch or a primitive are not interpolated.
        let words = self.interpolation(interp.and(common), mode, member.ty);
        let of_whole = self.interpolation(common, mode, member.ty);
        keywords.extend(words.into_iter().filter(|word| *word == "flat" || !of_whole.contains(word)));
        self.qualifiers(&layout, &keywords)
    }

    /// The lengths of an array, and the type of its innermost elements.
    fn type_dims(&self, mut ty: Type) -> (Type, Vec<Token>) {
        let mut dims = Vec::new();
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            let count = self.module.element_count(ty).map(|count| count.to_string());
            dims.push(punct("["));
            dims.extend(count.map(|count| Token::new(Class::Number, count)));
            dims.push(punct("]"));
            ty = of;
        }
        (ty, dims)
    }

    /// The inputs and outputs that are structures whose members are variables: those of GLSL ES, and in GLSL those that are
    /// not between stages, where it has no structures.
    pub(super) fn open_interface(&self) -> Vec<(Var, Struct)> {
        let is_es = self.es().is_some();
        let of_entry = self.module.entries.iter().flat_map(|entry| entry.interface.iter().copied());
        let open = of_entry.filter_map(|var| {
            let data = self.module.var(var)?;
            let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { return None };
            let is_port = matches!(data.mode, Mode::In | Mode::Out) && !data.attrs.has(Key::BuiltIn);
            let is_opened = is_port && (is_es || self.is_end(data.mode));
            let members = &self.module.structure(structure)?.members;
            let has_values = members.iter().any(|member| member.attrs.has(Key::BuiltIn));
            (is_opened && !has_values && !self.own.glsl.uses.takes_whole(var)).then_some((var, structure))
        });
        open.collect()
    }

    /// Returns true for inputs and outputs of the stage that no other shader writes or reads.
    fn is_end(&self, mode: Mode) -> bool {
        matches!((self.stage, mode), (Stage::Vertex, Mode::In) | (Stage::Fragment, Mode::Out))
    }

    /// Returns true for an input or output that no other shader writes or reads and that is or has a structure.
    pub(super) fn is_structure_at_end(&self, mode: Mode, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        self.is_end(mode) && matches!(self.module.type_of(ty), TypeData::Struct(_))
    }

    /// The names of the members of an input or output, which are variables.
    pub(super) fn interface_names(&mut self, var: Var, structure: Struct) -> Rc<[Rc<str>]> {
        let members = self.module.structure(structure).map(|data| data.members.to_vec()).unwrap_or_default();
        let places = member_locations(self.module, var, &members);
        let by_location = self.meets_by_name(var);
        let names = members.iter().zip(places).map(|(member, place)| {
            let name = self.text(member.name).to_owned();
            match place.filter(|_| by_location) {
                Some(place) => self.names.fresh(&format!("location_{place}"), "member"),
                None => self.names.fresh(&name, "member"),
            }
        });
        names.collect()
    }

    /// The members of an input or output as variables.
    pub(super) fn interface_members(&mut self, var: Var, names: &[Rc<str>]) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { return Vec::new() };
        let members = self.module.structure(structure).map(|data| data.members.to_vec()).unwrap_or_default();
        let places = member_locations(self.module, var, &members);
        let (own, by_name): (Interp, _) = (data.attrs.words(), self.meets_by_name(var));
        let mut lines = Vec::new();
        for (at, (member, place)) in members.iter().zip(places).enumerate() {
            let Some(name) = names.get(at) else { continue };
            match self.es() {
                Some(_) => self.es_members(var, member.ty),
                None if self.glsl_refuses_port(var, member.ty) => continue,
                None => {}
            }
            let mut layout: Vec<String> = Vec::new();
            match place {
                Some(place) => layout.extend((!by_name).then(|| format!("location = {place}"))),
                None => {
                    let says = format!("a member of {var} has no location of its own");
                    self.refuse(NO_TYPE, Anchor::Var(var), says, no_nesting());
                }
            }
            let component = member.attrs.get(Key::Component).filter(|&at| at > 0 && self.es().is_none());
            layout.extend(component.map(|at| format!("component = {at}")));
            let interp = own.and(member.attrs.words());
            let mut keywords: Vec<&'static str> = Vec::new();
            let is_invariant = member.attrs.has(Key::Invariant) || data.attrs.has(Key::Invariant);
            keywords.extend((is_invariant && data.mode == Mode::Out).then_some("invariant"));
            keywords.extend(self.interpolation(interp, data.mode, member.ty));
            keywords.push(if data.mode == Mode::In { "in" } else { "out" });
            let link = Link::Def(Anchor::Member(structure, at as u32));
            let Some(declared) = self.var_declaration(name, link, member.ty, Anchor::Var(var)) else {
                self.refuse_member(var, member.ty);
                continue;
            };
            if let Some(place) = place {
                let (name, location) = (name.to_string(), place as u32);
                self.interface.ports.push(DeclaredPort { var, name, ty: member.ty, location });
            }
            let mut tokens = self.qualifiers(&layout, &keywords);
            tokens.extend(declared);
            tokens.push(punct(";"));
            lines.push(Line::new(0, tokens));
        }
        lines
    }

    /// The elements of an array of GLSL ES that is an input of a vertex shader.
    fn es_input_array(&self, var: Var) -> Option<(Type, u32)> {
        let data = self.module.var(var)?;
        let is_input = self.es().is_some() && self.stage == Stage::Vertex && data.mode == Mode::In;
        let TypeData::Array { of, .. } = *self.module.type_of(data.ty) else { return None };
        let is_own = is_input && data.attrs.has(Key::Location) && !data.attrs.has(Key::BuiltIn);
        Some((of, self.module.element_count(data.ty)?)).filter(|_| is_own)
    }

    /// The names of the elements of an input array of GLSL ES.
    fn es_input_names(&mut self, var: Var) -> Rc<[Rc<str>]> {
        if let Some(names) = self.own.glsl.es_inputs.get(&var) {
            return names.clone();
        }
        let (count, name) = (self.es_input_array(var).map_or(0, |(_, count)| count), self.var_name(var));
        let names: Rc<[Rc<str>]> =
            (0..count).map(|at| self.names.fresh(&format!("{name}_{at}"), "element")).collect();
        self.own.glsl.es_inputs.insert(var, names.clone());
        names
    }

    /// The declarations of an array of GLSL ES that is an input of a vertex shader. `None` for other variables.
    pub(super) fn es_input_lines(&mut self, var: Var) -> Option<Vec<Line>> {
        let (of, _) = self.es_input_array(var)?;
        let anchor = Anchor::Var(var);
        let data = self.module.var(var)?.clone();
        self.refuses_component(var);
        let step = locations(self.module, of);
        if matches!(self.module.type_of(of), TypeData::Array { .. } | TypeData::Struct(_)) {
            let says = format!("{var} is an input that is an array of arrays or structures");
            self.refuse(NO_TYPE, anchor, says, no_nesting());
        }
        let names = self.es_input_names(var);
        let first = data.attrs.get(Key::Location).unwrap_or(0);
        let mut lines = Vec::new();
        for (at, name) in (0u64..).zip(names.iter()) {
            let mut tokens = self.qualifiers(&[format!("location = {}", first + at * step)], &["in"]);
            tokens.extend(self.var_declaration(name, Link::Def(anchor), of, anchor)?);
            tokens.push(punct(";"));
            lines.push(Line::new(0, tokens));
        }
        let name = self.var_name(var);
        let mut tokens = self.var_declaration(&name, Link::Def(anchor), data.ty, anchor)?;
        tokens.push(punct(";"));
        lines.push(Line::new(0, tokens));
        Some(lines)
    }
}

impl FuncWriter<'_, '_> {
    /// Fills the arrays of GLSL ES whose elements are inputs of a vertex shader.
    pub(super) fn es_fill_inputs(&mut self) {
        let interface: Vec<Var> =
            self.w.module.entries.iter().flat_map(|entry| entry.interface.iter().copied()).collect();
        for var in interface {
            let Some((of, _)) = self.w.es_input_array(var) else { continue };
            let names = self.w.es_input_names(var);
            let anchor = Anchor::Var(var);
            let Some((base, dims)) = self.w.type_parts(of, anchor) else { continue };
            let name = self.w.var_name(var);
            let mut tokens = vec![Token::linked(Class::Name, name, anchor), space()];
            tokens.extend([Token::new(Class::Op, "="), space(), Token::new(Class::Type, base)]);
            tokens.extend([punct("["), Token::new(Class::Number, names.len().to_string()), punct("]")]);
            tokens.extend(dims);
            tokens.push(punct("("));
            for (at, name) in names.iter().enumerate() {
                if at > 0 {
                    tokens.extend([punct(","), space()]);
                }
                tokens.push(Token::linked(Class::Name, name.clone(), anchor));
            }
            tokens.push(punct(")"));
            self.statement(tokens);
        }
    }
}

impl super::uses::Uses {
    /// Returns true for an interface variable that is accessed as a whole, which a block cannot be. Elements of arrays of
    /// blocks are no wholes.
    fn takes_whole_of_block(&self, module: &Module, var: Var) -> bool {
        let is_array = module.var(var).is_some_and(|data| module.element_type(data.ty).is_some());
        !is_array && self.takes_whole(var)
    }
}

/// Returns true for a member with qualifiers that a member of a structure cannot have.
fn has_own_qualifiers(member: &Member) -> bool {
    !member.attrs.has(Key::BuiltIn)
        && (!member.attrs.words::<Interp>().is_none()
            || member.attrs.has(Key::Location)
            || member.attrs.has(Key::Invariant))
}

/// The location of each member: its own, or the one after the member before it.
fn member_locations(module: &Module, var: Var, members: &[Member]) -> Vec<Option<u64>> {
    let mut next = module.var(var).and_then(|data| data.attrs.get(Key::Location));
    let place = |member: &Member| {
        let at = member.attrs.get(Key::Location).or(next);
        next = at.map(|at| at + locations(module, member.ty));
        at
    };
    members.iter().map(place).collect()
}

/// The number of locations that a type occupies: two for three and four components of 64 bits.
fn locations(module: &Module, ty: Type) -> u64 {
    let (mut sum, mut work) = (0u64, vec![(ty, 1u64)]);
    while let Some((ty, times)) = work.pop() {
        match *module.type_of(ty) {
            TypeData::Struct(structure) => {
                let members = module.structure(structure).map(|data| data.members.clone());
                work.extend(members.iter().flat_map(|list| list.iter()).map(|member| (member.ty, times)));
            }
            TypeData::Vector { of, components } => {
                let is_wide = components > 2 && is_of_64_bits(module, of);
                sum = sum.saturating_add(if is_wide { times.saturating_mul(2) } else { times });
            }
            _ => match module.element_type(ty).zip(module.element_count(ty)) {
                Some((of, count)) => work.push((of, times.saturating_mul(u64::from(count)))),
                None => sum = sum.saturating_add(times),
            },
        }
    }
    sum
}

fn is_of_64_bits(module: &Module, scalar: Type) -> bool {
    matches!(
        *module.type_of(scalar),
        TypeData::Int { width: Width::W64, .. } | TypeData::Float { width: Width::W64 }
    )
}
