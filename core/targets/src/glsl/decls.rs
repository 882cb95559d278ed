//! Declarations of GLSL 4.60: types, structures, inputs and outputs, resources, execution modes.
//!
//! Constants are in `constants`, buffers in `buffers`. Inputs and outputs without a location are refused.

use super::places::es_places;
use crate::atomic_places::{AtomicPlace, atomics};
use crate::expr::{Token, punct, space, words};
use crate::images::dimension;
use crate::language::Version;
use crate::layout::is_empty_type;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_forms::{DeclaredAccess, DeclaredKind, DeclaredPort, Pair};
use vitrine_ir::ops::{Access, Dim, Interp, Key, Width};
use vitrine_ir::{
    Anchor, EntryPoint, Help, ImageType, Len, Member, Mode, Stage, Struct, Type, TypeData, Usage, Var,
};
use vitrine_text::{Class, Link};

/// The access qualifiers of buffers and images.
pub(super) fn access_words(access: Access) -> impl Iterator<Item = &'static str> {
    const WORDS: &[(Access, &str)] = &[
        (Access::VOLATILE, "volatile"),
        (Access::COHERENT, "coherent"),
        (Access::READONLY, "readonly"),
        (Access::WRITEONLY, "writeonly"),
    ];
    WORDS.iter().filter(move |&&(word, _)| access.has(word)).map(|&(_, word)| word)
}

/// The extension of hit objects, which has their type.
pub(super) const HIT_OBJECTS: &str = "GL_NV_shader_invocation_reorder";

/// Memory of a workgroup in a stage for which the language has no word (GL_EXT_spirv_intrinsics).
const WORKGROUP: &str = "spirv_storage_class(4)";

/// The storage class of the data of a shader record.
pub(super) const SHADER_RECORD: u64 = 5343;

impl ModuleWriter<'_> {
    /// Finds memory whose atomics compare numbers: it is declared with the signedness that they read.
    pub(super) fn glsl_prepare(&mut self, entry: &EntryPoint) {
        self.own.glsl.uses = super::uses::Uses::of(self.module, entry);
        self.memory_uses = crate::memory_uses::MemoryUses::of(self.module);
        self.atomics = atomics(self.module);
        self.atomics.retain(|_, kind| kind.is_some());
        if self.es().is_some() {
            (self.own.glsl.es_places, self.own.glsl.es_numbers) = es_places(self.module);
        }
    }

    /// The name of a structure, which is declared with the structures in it.
    pub(super) fn used_struct(&mut self, structure: Struct) -> Rc<str> {
        let name = self.struct_name(structure);
        if !self.used_structs.contains(&structure) {
            self.used_structs.push(structure);
        }
        name
    }

    /// The type of a combined image and sampler.
    pub(super) fn sampler_name(&mut self, image: ImageType, compares: bool) -> Option<String> {
        let name = self.image_name(ImageType { usage: Usage::Sampled, ..image }, true)?;
        Some(if compares { format!("{name}Shadow") } else { name })
    }

    /// The name of an image type.
    pub(super) fn image_name(&mut self, image: ImageType, is_combined: bool) -> Option<String> {
        let sampled = self.number_type(image.sampled)?;
        let prefix = match (sampled.kind, sampled.width) {
            (Kind::Float, Width::W32) => "",
            (Kind::Int, Width::W32) => "i",
            (Kind::Uint, Width::W32) => "u",
            (Kind::Int, Width::W64) if self.es().is_none() => "i64",
            (Kind::Uint, Width::W64) if self.es().is_none() => "u64",
            _ => return None,
        };
        if sampled.width == Width::W64 {
            self.extensions.insert("GL_EXT_shader_image_int64");
        }
        let (dim, ..) = dimension(image.dim);
        if let Some(version) = self.es() {
            // 2D, 3D and cube images; many samples, buffers and arrays of cubes in 3.10 only.
            let is_310 = version == Version::Es310;
            let is_buffer = dim == "Buffer" && is_310;
            self.extensions.extend(is_buffer.then_some(super::es::TEXTURE_BUFFER));
            let is_cube_array = image.arrayed && image.dim == Dim::Cube && is_310;
            self.extensions.extend(is_cube_array.then_some(super::es::CUBE_ARRAY));
            let has_layers = is_cube_array || image.dim == Dim::D2;
            let is_known = is_buffer
                || matches!(image.dim, Dim::D2 | Dim::D3 | Dim::Cube) && (!image.arrayed || has_layers);
            let has_samples = version == Version::Es310 && !image.arrayed && is_combined;
            let is_image = !is_combined && image.usage == Usage::Storage;
            let is_separate = !is_combined && !is_image;
            if !is_known
                || is_separate
                || image.multisampled && !has_samples
                || is_image && version == Version::Es300
            {
                return None;
            }
        }
        let base = match (is_combined, image.usage, image.dim) {
            (_, _, Dim::Subpass) => "subpassInput",
            (true, ..) => "sampler",
            (false, Usage::Storage, _) => "image",
            (false, Usage::Sampled | Usage::Unknown, _) => "texture",
        };
        let samples = if image.multisampled { "MS" } else { "" };
        let layers = if image.arrayed { "Array" } else { "" };
        Some(format!("{prefix}{base}{dim}{samples}{layers}"))
    }

    /// The structures, each after those that it contains, and the rows that they need before it.
    pub(super) fn glsl_structs(&mut self) -> Vec<Line> {
        let sorted = self.sorted_structs(ModuleWriter::glsl_struct);
        let mut lines = self.es_row_lines(|of| !sorted.iter().any(|(name, _)| **name == *of));
        for (name, group) in sorted {
            lines.extend(group);
            lines.extend(self.es_row_lines(|of| *of == *name));
        }
        lines
    }

    fn glsl_struct(&mut self, structure: Struct) -> Vec<Line> {
        let name = self.struct_name(structure);
        let anchor = Anchor::Struct(structure);
        let mut head = vec![Token::new(Class::Keyword, "struct"), space()];
        head.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let names = self.member_names(structure);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let is_shown = |member: &Member| !is_empty_type(self.module, member.ty);
        let shown: Vec<(usize, &Member)> =
            members.iter().enumerate().filter(|(_, member)| is_shown(member)).collect();
        if shown.is_empty() {
            // A structure has at least one.
            let tokens =
                [Token::new(Class::Type, "int"), space(), Token::new(Class::Plain, "empty"), punct(";")];
            lines.push(Line::new(1, tokens.into()));
        }
        for (at, member) in shown {
            let Some(name) = names.get(at).cloned() else { continue };
            let link = Link::Def(Anchor::Member(structure, at as u32));
            let place = AtomicPlace::Member(structure, at as u32);
            match self.spelled_memory(place, member.ty, anchor) {
                Some(spelled) => {
                    let mut tokens = spelled.declares(&name, link);
                    tokens.push(punct(";"));
                    lines.push(Line::new(1, tokens));
                }
                None => self.refuse_type(anchor, format_args!("a member of {structure}"), member.ty, ""),
            }
        }
        lines.push(Line::new(0, vec![punct("}"), punct(";")]));
        lines
    }

    /// Returns true if there are numbers in a type, which GLSL for Vulkan only has in blocks. Linear in the type.
    fn holds_numbers(&self, ty: Type) -> bool {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match *self.module.type_of(ty) {
                TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => open.push(of),
                TypeData::Struct(of) => {
                    let members = self.module.structure(of).map(|data| data.members.iter());
                    open.extend(members.into_iter().flatten().map(|member| member.ty));
                }
                TypeData::Bool
                | TypeData::Int { .. }
                | TypeData::Float { .. }
                | TypeData::Vector { .. }
                | TypeData::Matrix { .. } => return true,
                _ => {}
            }
        }
        false
    }

    /// Returns true for numbers of at most 32 bits, vectors, and arrays of these (GLSL 4.60, 4.3.6).
    fn is_fragment_output(&self, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        self.number_type(ty).is_some_and(|number| number.width != Width::W64)
    }

    /// Refuses a part of an input or output whose type those of its stage cannot have. Returns true if it did.
    pub(super) fn glsl_refuses_port(&mut self, var: Var, ty: Type) -> bool {
        let Some(mode) = self.module.var(var).map(|data| data.mode) else { return false };
        let is_output = (self.stage, mode) == (Stage::Fragment, Mode::Out);
        let says = if is_output && !self.is_fragment_output(ty) {
            format!("{var} is an output of a fragment shader that is no number or vector of at most 32 bits")
        } else if self.is_structure_at_end(mode, ty) {
            format!("{var} is an input of a vertex shader that is or has a structure")
        } else {
            return false;
        };
        let help = Help::by_pass("io-arrays-to-elements", "splits structures and matrices");
        self.refuse(NO_TYPE, Anchor::Var(var), says, help);
        true
    }

    /// The declaration of a variable of the module.
    pub(super) fn glsl_variable(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        if let (Mode::In | Mode::Out, Some(names)) = (data.mode, self.open_blocks.get(&var).cloned()) {
            return self.interface_members(var, &names);
        }
        if let Some(lines) = self.es_input_lines(var) {
            return lines;
        }
        let has_location = data.attrs.has(Key::Location) || self.has_located_members(data.ty);
        if let Some(lines) = Some(var).filter(|_| has_location).and_then(|var| self.glsl_block(var)) {
            return lines;
        }
        let name = self.var_name(var);
        let mut layout: Vec<String> = Vec::new();
        let mut words: Vec<&'static str> = Vec::new();
        let mut before: Vec<Line> = Vec::new();
        let number = |key: Key| data.attrs.get(key);
        match data.mode {
            Mode::In | Mode::Out if !data.attrs.has(Key::Location) => {
                self.refuse_undeclared(var);
                return Vec::new();
            }
            Mode::In | Mode::Out => {
                if self.glsl_refuses_shape(var) || self.glsl_refuses_port(var, data.ty) {
                    return Vec::new();
                }
                if self.es().is_some() {
                    self.es_members(var, data.ty);
                    layout.extend(self.es_location(var));
                } else {
                    let component = number(Key::Component).filter(|&it| it > 0);
                    let index = number(Key::Index).filter(|_| data.mode == Mode::Out);
                    layout.extend(number(Key::Location).map(|it| format!("location = {it}")));
                    layout.extend(component.map(|it| format!("component = {it}")));
                    layout.extend(index.map(|it| format!("index = {it}")));
                }
                let is_invariant = data.mode == Mode::Out && data.attrs.has(Key::Invariant);
                words.extend(is_invariant.then_some("invariant"));
                words.extend(self.interpolation(data.attrs.words(), data.mode, data.ty));
                words.push(if data.mode == Mode::In { "in" } else { "out" });
            }
            Mode::Uniform | Mode::Storage | Mode::Push => return self.glsl_buffer(var),
            // Declared with the images that they are combined with.
            Mode::Handle if self.es().is_some() && self.is_separate(data.ty) => return Vec::new(),
            Mode::Handle if self.es().is_none() && self.holds_numbers(data.ty) => {
                let says = format!("{var} is a uniform outside of a block, with numbers beside its images");
                self.refuse(NO_TYPE, anchor, says, "");
                return Vec::new();
            }
            Mode::Handle => {
                if self.es().is_some() {
                    let (binding, line) = self.es_binding(var);
                    layout.extend(binding);
                    before.extend(line);
                } else {
                    layout.extend(self.glsl_set(var));
                    layout.extend(number(Key::Binding).map(|it| format!("binding = {it}")));
                }
                layout.extend(number(Key::Attachment).map(|it| format!("input_attachment_index = {it}")));
                let format = self.format(data.ty);
                layout.extend(self.es_format(var, format));
                words.push("uniform");
                let access = self.glsl_access(var, data.attrs.words());
                self.es_access(var, access, &layout);
                words.extend(access_words(access));
                words.extend(data.attrs.has(Key::Restrict).then_some("restrict"));
            }
            Mode::Shared if matches!(self.stage, Stage::Compute | Stage::Task | Stage::Mesh) => {
                words.push("shared");
            }
            Mode::Shared if self.es().is_none() => {
                self.extensions.insert("GL_EXT_spirv_intrinsics");
                words.push(WORKGROUP);
            }
            Mode::Private => {}
            Mode::Callable if number(Key::Class) == Some(SHADER_RECORD) && self.es().is_none() => {
                return self.glsl_buffer(var);
            }
            Mode::Payload | Mode::Callable
                if self.es().is_none()
                    && let Some((location, word)) = self.glsl_payload(var) =>
            {
                layout.extend(location);
                words.push(word);
            }
            Mode::Shared | Mode::Local | Mode::Payload | Mode::Physical | Mode::Callable | Mode::Generic => {
                let says = format!(
                    "{var} is in memory of mode `{}`, which this writer does not have",
                    data.mode.name()
                );
                self.refuse(NO_TYPE, anchor, says, "");
                return Vec::new();
            }
        }
        let of_patch = data.mode == Mode::Out && self.stage == Stage::TessControl;
        let place = AtomicPlace::Var(var);
        let Some(mut spelled) = self.spelled_memory(place, data.ty, anchor) else {
            self.refuse_type(anchor, var, data.ty, "");
            return Vec::new();
        };
        if self.glsl_has_open_length(var) {
            // The language decides the number of vertices.
            spelled = spelled.of_any_length();
        }
        let lookups = self.own.glsl.uses.of_var(var);
        let mut second = Vec::new();
        if lookups.are_mixed() {
            second = self.glsl_second_image(var, &layout, spelled.clone().comparing());
        } else if lookups.compare {
            spelled = spelled.comparing();
        }
        if data.mode == Mode::Handle {
            let of = self.es_resource_type(data.ty, spelled.name(), lookups.compare);
            self.declare_handle(var, &name, &of, lookups.compare);
            self.own.glsl.resource_types.insert(of);
        }
        if let (Mode::In | Mode::Out, Some(location)) = (data.mode, number(Key::Location)) {
            let (name, location) = (name.to_string(), location as u32);
            self.interface.ports.push(DeclaredPort { var, name, ty: data.ty, location });
        }
        let mut tokens = self.qualifiers(&layout, &words);
        tokens.extend(spelled.declares(&name, Link::Def(anchor)));
        // The entry point stores those of a patch.
        if let Some(init) = data.init.filter(|_| data.mode == Mode::Shared) {
            tokens.extend(self.shared_zero(var, init));
        } else if let Some(init) = data.init.filter(|_| !of_patch) {
            let init = self.initializer(init, data.ty);
            tokens.extend([space(), Token::new(Class::Op, "="), space()]);
            tokens.extend(init);
        }
        tokens.push(punct(";"));
        before.push(Line::new(0, tokens));
        before.extend(second);
        before
    }

    /// Records an image or a sampler, whose type the text calls `ty`.
    fn declare_handle(&mut self, var: Var, name: &str, ty: &str, compares: bool) {
        let Some(data) = self.module.var(var) else { return };
        let elements = self.element_count(data.ty);
        let mut of = data.ty;
        while let TypeData::Array { of: element, .. } | TypeData::RuntimeArray { of: element, .. } =
            *self.module.type_of(of)
        {
            of = element;
        }
        let kind = match *self.module.type_of(of) {
            TypeData::SampledImage(image) => {
                let (ty, sampler) = (ty.to_owned(), Some(var));
                DeclaredKind::Pair(Pair { image, ty, sampler, elements: [0; 2], compares })
            }
            TypeData::Image(ImageType { usage: Usage::Storage, .. }) => {
                let access = self.glsl_access(var, data.attrs.words());
                DeclaredKind::StorageTexture(match access {
                    _ if access.has(Access::READONLY) => DeclaredAccess::Read,
                    _ if access.has(Access::WRITEONLY) => DeclaredAccess::Write,
                    _ => DeclaredAccess::ReadWrite,
                })
            }
            TypeData::Image(_) => DeclaredKind::Texture { is_depth: compares },
            TypeData::Sampler => DeclaredKind::Sampler { compares },
            _ => return,
        };
        self.declare_by_name(var, name.to_owned(), elements, kind);
    }

    /// The elements of an array of resources; 0 if a type leaves their number open. `None` for no array.
    pub(super) fn element_count(&self, ty: Type) -> Option<u32> {
        let (mut ty, mut out) = (ty, None);
        loop {
            let (of, count) = match *self.module.type_of(ty) {
                TypeData::Array { of, len: Len::Count(count), .. } => (of, count),
                TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => (of, 0),
                _ => return out,
            };
            out = Some(out.unwrap_or(1_u32).saturating_mul(count));
            ty = of;
        }
    }

    pub(super) fn qualifiers(&self, layout: &[String], keywords: &[&'static str]) -> Vec<Token> {
        let mut tokens = Vec::new();
        if !layout.is_empty() {
            tokens.extend(words(Class::Attr, &format!("layout({})", layout.join(", "))));
            tokens.push(space());
        }
        for &word in keywords {
            tokens.extend([Token::new(Class::Keyword, word), space()]);
        }
        tokens
    }

    /// The qualifiers of interpolation. Integers between stages are flat in any case.
    pub(super) fn interpolation(&mut self, interp: Interp, mode: Mode, ty: Type) -> Vec<&'static str> {
        let is_between = match self.stage {
            Stage::Fragment => mode == Mode::In,
            _ => mode == Mode::Out,
        };
        const WORDS: &[(Interp, &str)] = &[
            (Interp::FLAT, "flat"),
            (Interp::NOPERSPECTIVE, "noperspective"),
            (Interp::CENTROID, "centroid"),
            (Interp::SAMPLE, "sample"),
            (Interp::PATCH, "patch"),
            (Interp::PER_VERTEX, "pervertexEXT"),
            (Interp::PER_PRIMITIVE, "perprimitiveEXT"),
        ];
        let mut words: Vec<&'static str> =
            WORDS.iter().filter(|&&(how, _)| interp.has(how)).map(|&(_, word)| word).collect();
        if interp.has(Interp::PER_PRIMITIVE) {
            self.extensions.insert("GL_EXT_mesh_shader");
        }
        if interp.has(Interp::PER_VERTEX) {
            self.extensions.insert("GL_EXT_fragment_shader_barycentric");
        }
        self.es_interpolation(interp);
        let mut scalar = ty;
        while let Some(of) = self.module.element_type(scalar) {
            scalar = of;
        }
        let is_whole =
            matches!(self.number_type(scalar), Some(NumberType { kind: Kind::Int | Kind::Uint, .. }))
                || matches!(self.number_type(scalar), Some(NumberType { width: Width::W64, .. }));
        let is_interpolated = !interp.has_any(Interp::FLAT.and(Interp::PATCH).and(Interp::PER_PRIMITIVE));
        if is_between && is_whole && is_interpolated {
            words.push("flat");
        }
        words
    }

    /// The access of memory as it is declared: what is read is not `writeonly`.
    pub(super) fn glsl_access(&self, var: Var, access: Access) -> Access {
        let is_attachment = self.module.var(var).is_some_and(|data| data.attrs.has(Key::Attachment));
        let access = match (is_attachment, self.own.glsl.uses.reads(var)) {
            // The language has no such words for what is only read.
            (true, _) => return Access::NONE,
            (false, true) => access.without(Access::WRITEONLY),
            (false, false) => access,
        };
        access.and(self.es_image_access(var))
    }

    /// The format of a storage image.
    fn format(&mut self, ty: Type) -> Option<String> {
        let mut ty = ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        let TypeData::Image(image) = *self.module.type_of(ty) else { return None };
        if image.usage != Usage::Storage {
            return None;
        }
        match ImageType::FORMATS.get(usize::from(image.format)).copied() {
            None | Some("unknown") => {
                self.extensions.insert("GL_EXT_shader_image_load_formatted");
                None
            }
            Some("rgba8snorm") => Some("rgba8_snorm".to_owned()),
            Some("r11fg11fb10f") => Some("r11f_g11f_b10f".to_owned()),
            Some("rgb10a2") => Some("rgb10_a2".to_owned()),
            Some("rgb10a2ui") => Some("rgb10_a2ui".to_owned()),
            Some(name) => Some(match name.strip_suffix("snorm") {
                Some(base) => format!("{base}_snorm"),
                None => name.to_owned(),
            }),
        }
    }
}
