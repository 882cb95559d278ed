//! Buffers of GLSL 4.60: blocks, with an instance name unless the program has none.
//!
//! A buffer is declared by the first of the layouts `std140` (uniform buffers), `std430` and `scalar` that reproduces its
//! offsets and strides; one that none reproduces is refused.

use super::decls::{SHADER_RECORD, access_words};
use super::layout::{Layouts, Packing};
use crate::atomic_places::AtomicPlace;
use crate::expr::{Token, punct, space};
use crate::language::Version;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::print::Line;
use std::rc::Rc;
use vitrine_forms::{DeclaredAccess, DeclaredKind};
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::{Access, Key};
use vitrine_ir::{Anchor, Help, Len, Member, Mode, Struct, Type, TypeData, Var};
use vitrine_text::{Class, Link};

/// The largest number of a descriptor set that glslang accepts (`layoutSetEnd`).
const LAST_SET: u64 = 62;

impl ModuleWriter<'_> {
    /// The descriptor set of a resource, as it is stated in a layout.
    pub(super) fn glsl_set(&mut self, var: Var) -> Option<String> {
        let set = self.module.var(var)?.attrs.get(Key::Set)?;
        if set > LAST_SET {
            let says = format!(
                "{var} is in the descriptor set {set}: compilers of GLSL have the sets 0 to {LAST_SET}"
            );
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        Some(format!("set = {set}"))
    }

    /// A buffer: a block, with an instance name unless the variable has none and its members are enough.
    pub(super) fn glsl_buffer(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let open = self.open_blocks.get(&var).cloned();
        let (mut ty, mut dims) = (data.ty, Vec::new());
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            let len = match *self.module.type_of(ty) {
                TypeData::Array { len: Len::Count(count), .. } => count.to_string(),
                _ => {
                    self.extensions.insert("GL_EXT_nonuniform_qualifier");
                    String::new()
                }
            };
            dims.extend([punct("["), Token::new(Class::Number, len), punct("]")]);
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else {
            self.refuse(NO_TYPE, anchor, format!("{var} is a buffer that is no structure"), "");
            return Vec::new();
        };
        if self.es().is_some() && dims.len() > 3 {
            let says =
                format!("{var} is an array of arrays of blocks, which {} does not have", self.dialect.name());
            self.refuse(NO_TYPE, anchor, says, "");
            return Vec::new();
        }
        if self.es() == Some(Version::Es300) && data.mode == Mode::Storage {
            self.refuse(NO_TYPE, anchor, format!("{var} is a storage buffer, which needs version 3.10"), "");
            return Vec::new();
        }
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let candidates: &[Packing] = match data.mode {
            Mode::Uniform | Mode::Push if self.es().is_some() => &[Packing::Std140],
            _ if self.es().is_some() => &[Packing::Std430, Packing::Std140],
            Mode::Uniform => &[Packing::Std140, Packing::Std430, Packing::Scalar],
            _ => &[Packing::Std430, Packing::Std140, Packing::Scalar],
        };
        let fitting = candidates.iter().find_map(|&packing| {
            let order = Layouts::new(self.module, packing).block(&members).ok()?;
            // GLSL ES states no offsets.
            if self.es().is_some() && order.iter().any(|&(_, _, is_stated)| is_stated) {
                return None;
            }
            Some((packing, order))
        });
        let Some((packing, order)) = fitting else {
            let says = format!("the layout of {var} is none of std140, std430 and scalar");
            self.refuse(
                NO_TYPE,
                anchor,
                says,
                Help::text("pass")
                    .pass("lower-layout")
                    .then(", then")
                    .pass("qptr-lift")
                    .then(", changes it if its accesses are loads, stores and atomics"),
            );
            return Vec::new();
        };
        let word = self.packing_word(packing, data.mode);
        let number = |key: Key| data.attrs.get(key);
        let mut layout: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        if self.es().is_some() {
            let (binding, line) = self.es_binding(var);
            layout.extend(binding);
            lines.extend(line);
        } else {
            layout.extend((data.mode == Mode::Push).then(|| "push_constant".to_owned()));
            layout.extend(self.glsl_set(var));
            layout.extend(number(Key::Binding).map(|it| format!("binding = {it}")));
        }
        layout.extend((number(Key::Class) == Some(SHADER_RECORD)).then(|| "shaderRecordEXT".to_owned()));
        layout.push(word.to_owned());
        let mut words: Vec<&'static str> = Vec::new();
        let access = self.glsl_access(var, data.attrs.words());
        // What cannot be written has no words of access.
        let is_buffer = matches!(data.mode, Mode::Storage | Mode::Callable);
        words.extend(access_words(access).filter(|_| is_buffer));
        words.extend((is_buffer && data.attrs.has(Key::Restrict)).then_some("restrict"));
        words.push(if is_buffer { "buffer" } else { "uniform" });
        let is_first = self.own.glsl.block_names.insert(structure) && !self.used_structs.contains(&structure);
        let block_name = if is_first {
            self.struct_name(structure)
        } else {
            let name = self.text(self.module.structure(structure).and_then(|data| data.name));
            self.names.fresh(name, "Block")
        };
        let mut head = self.qualifiers(&layout, &words);
        head.push(Token {
            text: block_name.clone().into(),
            class: Class::Type,
            link: Link::Use(Anchor::Struct(structure)),
        });
        head.extend([space(), punct("{")]);
        lines.push(Line::new(0, head));
        let names = open.clone().unwrap_or_else(|| self.member_names(structure));
        lines.extend(self.block_members(Some(structure), &members, &names, &order, anchor));
        let mut last = vec![punct("}")];
        if open.is_none() {
            let text = self.var_name(var).into();
            last.extend([space(), Token { text, class: Class::Name, link: Link::Def(anchor) }]);
        }
        last.extend(dims);
        last.push(punct(";"));
        let kind = match (is_buffer, access.has(Access::READONLY), access.has(Access::WRITEONLY)) {
            (false, ..) => DeclaredKind::Uniform,
            (true, true, _) => DeclaredKind::Storage(DeclaredAccess::Read),
            (true, false, true) => DeclaredKind::Storage(DeclaredAccess::Write),
            (true, false, false) => DeclaredKind::Storage(DeclaredAccess::ReadWrite),
        };
        let elements = self.element_count(data.ty);
        self.declare_by_name(var, block_name.to_string(), elements, kind);
        lines.push(Line::new(0, last));
        lines
    }

    /// The word of a packing in a declaration; declares the extension that it needs.
    pub(super) fn packing_word(&mut self, packing: Packing, mode: Mode) -> &'static str {
        if packing == Packing::Scalar || packing == Packing::Std430 && mode == Mode::Uniform {
            self.extensions.insert("GL_EXT_scalar_block_layout");
        }
        match packing {
            Packing::Std140 => "std140",
            Packing::Std430 => "std430",
            Packing::Scalar => "scalar",
        }
    }

    /// The members of a block in order, each with true if its offset has to be stated.
    pub(super) fn block_members(
        &mut self,
        structure: Option<Struct>,
        members: &[Member],
        names: &[Rc<str>],
        order: &[(usize, u64, bool)],
        anchor: Anchor,
    ) -> Vec<Line> {
        let block = structure.map_or_else(|| "a block".to_owned(), |structure| structure.to_string());
        let mut lines = Vec::new();
        for &(at, offset, is_stated) in order {
            let (Some(member), Some(name)) = (members.get(at), names.get(at).cloned()) else { continue };
            let declared = match structure {
                Some(structure) => {
                    let link = Link::Def(Anchor::Member(structure, at as u32));
                    let place = AtomicPlace::Member(structure, at as u32);
                    self.spelled_memory(place, member.ty, anchor).map(|of| of.declares(&name, link))
                }
                None => self.var_declaration(&name, Link::Def(anchor), member.ty, anchor),
            };
            let Some(declared) = declared else {
                self.refuse_type(anchor, format_args!("a member of {block}"), member.ty, "");
                continue;
            };
            let mut layout: Vec<String> = Vec::new();
            layout.extend(is_stated.then(|| format!("offset = {offset}")));
            match self.row_major(member.ty) {
                Some(is_row_major) => layout.extend(is_row_major.then(|| "row_major".to_owned())),
                None => {
                    let says = format!("a member of {block} has row-major and column-major matrices");
                    self.refuse(
                        NO_TYPE,
                        anchor,
                        says,
                        Help::text("pass")
                            .pass("lower-layout")
                            .then(", then")
                            .pass("qptr-lift")
                            .then(", makes arrays of rows of some"),
                    );
                }
            }
            let access: Access = member.attrs.words();
            let access = match anchor {
                Anchor::Var(var) => self.glsl_access(var, access),
                _ => access,
            };
            let words: Vec<&'static str> = access_words(access).collect();
            let mut tokens = self.qualifiers(&layout, &words);
            tokens.extend(declared);
            tokens.push(punct(";"));
            lines.push(Line::new(1, tokens));
        }
        lines
    }

    /// Returns true if the matrices in a member are row-major. `None` if they differ: the qualifier of a member holds for
    /// all matrices in it.
    fn row_major(&self, ty: Type) -> Option<bool> {
        let mut found = None;
        let mut seen = EntitySet::new();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if let TypeData::Matrix { row_major, .. } = *self.module.type_of(ty) {
                if found.is_some_and(|found| found != row_major) {
                    return None;
                }
                found = Some(row_major);
            } else {
                work.extend(parts(self.module, ty));
            }
        }
        Some(found.unwrap_or(false))
    }
}
