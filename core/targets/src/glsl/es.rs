//! GLSL ES 3.00 and 3.10: what differs from GLSL 4.60 for Vulkan.
//!
//! Sources: The OpenGL ES Shading Language, versions 3.00.6 and 3.10.5. The tables of GLSL 4.60 hold for everything that
//! is not listed. Version 3.00 has no extensions, as the texts are for browsers; version 3.10 has those of [`EXTENSIONS`],
//! which devices have.

use super::builtins;
use crate::expr::{Token, punct, space};
use crate::func::FuncWriter;
use crate::images::Resource;
use crate::language::{Language, Version};
use crate::module::{ModuleWriter, NO_OPERATION, NO_TYPE};
use crate::number::NumberType;
use crate::paths::PathText;
use crate::print::Line;
use crate::spell::Form;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use vitrine_analysis::{LayoutTarget, resource_count};
use vitrine_forms::{Declared, DeclaredKind, Pair};
use vitrine_ir::ops::{Access, BasicOp, DerefOp, Dim, Interp, IoOp, Key, Op, PtrOp, Width};
use vitrine_ir::{Anchor, ExecutionMode, Help, Inst, Len, Mode, Stage, Type, TypeData, Usage, Var};
use vitrine_text::Class;

/// The list of numbers of images with a sampler.
const TEXTURES: (&str, u64) = ("texture", 0);

/// The textures of a program in the limits that glslang has without others (`gl_MaxCombinedTextureImageUnits`).
const MOST_TEXTURES: u64 = 80;

/// Returns true for the number types of a version.
pub(super) fn has_number(version: Version, ty: NumberType) -> bool {
    match ty.width {
        Width::W1 | Width::W32 => true,
        Width::W8 | Width::W16 => version == Version::Es310,
        Width::W64 => false,
    }
}

/// The extensions of version 3.10.
const EXTENSIONS: &[&str] = &[
    TEXTURE_BUFFER,
    CUBE_ARRAY,
    "GL_EXT_demote_to_helper_invocation",
    "GL_EXT_terminate_invocation",
    IMAGE_ATOMIC,
    INTERPOLATION,
    NO_PERSPECTIVE,
    builtins::DISTANCES,
    "GL_EXT_shader_subgroup_extended_types_float16",
    "GL_EXT_shader_subgroup_extended_types_int16",
    "GL_EXT_shader_subgroup_extended_types_int8",
    builtins::SAMPLES,
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_vote",
];

/// Buffers of texels.
pub(super) const TEXTURE_BUFFER: &str = "GL_EXT_texture_buffer";
/// Arrays of cubes.
pub(super) const CUBE_ARRAY: &str = "GL_EXT_texture_cube_map_array";
/// Atomics on texels.
const IMAGE_ATOMIC: &str = "GL_OES_shader_image_atomic";
/// Inputs and outputs that are interpolated without perspective.
const NO_PERSPECTIVE: &str = "GL_NV_shader_noperspective_interpolation";
/// Interpolation at a place that is computed.
const INTERPOLATION: &str = "GL_OES_shader_multisample_interpolation";

/// The formats of storage images (GLSL ES 3.10, 4.4.7).
const FORMATS: &[&str] = &[
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
];

/// The help for structures between stages that a version of GLSL ES does not have.
pub(super) fn no_nesting() -> Help {
    Help::text("declare a variable for each member; pass")
        .pass("lower-var-copies")
        .then("splits copies of the whole")
}

/// The variable in place of a depth that has no effect.
pub(super) const IGNORED_DEPTH: &str = "ignoredDepth";

impl FuncWriter<'_, '_> {
    /// Refuses an operation of memory, images, groups or stages that the version does not have.
    pub(super) fn es_refused(&mut self, inst: Inst) -> bool {
        let op = self.body.inst(inst).op;
        if !matches!(op, Op::Memory(_) | Op::Tex(_) | Op::Group(_) | Op::Io(_) | Op::Ptr(PtrOp::Texel)) {
            return false;
        }
        match self.w.dialect.form(op, false) {
            Form::No(reason) => self.refuse(inst, reason, ""),
            Form::Lower(pass) => self.lowered(inst, pass),
            _ => {
                self.w.extensions.extend(match op {
                    Op::Ptr(PtrOp::Texel) => Some(IMAGE_ATOMIC),
                    Op::Io(IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset) => {
                        Some(INTERPOLATION)
                    }
                    _ => None,
                });
                return false;
            }
        }
        true
    }

    /// Refuses an index that is known only at run time and selects a resource: the language has constants there.
    pub(super) fn es_refuses_index(&mut self, step: Inst, of: &PathText, index: Inst) -> bool {
        let is_constant =
            self.folded(index).is_some() || self.body.inst(index).op == Op::Basic(BasicOp::Global);
        let mut base = step;
        while self.body.inst(base).op == Op::Deref(DerefOp::Elem)
            && let Some(&from) = self.body.inst(base).args.first()
        {
            base = from;
        }
        let is_resource = match of.mode {
            Mode::Handle => true,
            Mode::Uniform | Mode::Storage => {
                let mut ty = of.ty;
                while let Some(of) = self.w.module.element_type(ty) {
                    ty = of;
                }
                let is_block = matches!(self.w.module.type_of(ty), TypeData::Struct(_));
                is_block && self.body.inst(base).op == Op::Deref(DerefOp::Var)
            }
            _ => false,
        };
        if is_constant || !is_resource {
            return false;
        }
        let says =
            "it selects a resource when the program runs, and indices of arrays of resources are constants";
        self.refuse(
            step,
            says,
            Help::lowered_by("lower-indirect-derefs{resources}").then(", if the resources are few"),
        );
        true
    }

    /// An image and a sampler as one resource, which GLSL ES has in place of both.
    pub(super) fn es_combined(
        &mut self,
        inst: Inst,
        of: Resource,
        sampler: Option<Inst>,
        compares: bool,
    ) -> Option<Resource> {
        let sampler = match sampler {
            Some(sampler) => Some(self.sampler_path(sampler)?),
            None => None,
        };
        let roots = [of.root, sampler.as_ref().map_or(of.root, |path| path.root)];
        let text = |tokens: &[Token]| tokens.iter().map(|token| token.text.as_str()).collect::<String>();
        let is_fixed = |token: &Token| matches!(token.class, Class::Name | Class::Number | Class::Punct);
        // The pair is one image, whatever the arrays of the program are.
        let of_image = ModuleWriter::es_without_rows(&of.tokens);
        let of_sampler =
            sampler.as_ref().map_or(Vec::new(), |path| ModuleWriter::es_without_rows(&path.tokens));
        let ([Some(image), Some(second)], true) = (roots, of_image.iter().chain(&of_sampler).all(is_fixed))
        else {
            let says = "its image or its sampler is chosen when the program runs";
            self.refuse(
                inst,
                says,
                Help::text("passes")
                    .pass("inline-functions")
                    .then("and")
                    .pass("lower-indirect-derefs")
                    .then("may help"),
            );
            return None;
        };
        let key = format!("{} {} {compares}", text(&of_image), text(&of_sampler));
        let known =
            self.w.own.glsl.es_pairs.iter().find(|(known, _)| *known == key).map(|(_, name)| name.clone());
        let name = match known {
            Some(name) => name,
            None => {
                let wanted = format!("{} {}", text(&of_image), text(&of_sampler));
                let name = self.module_name(&wanted, "image");
                self.w.own.glsl.es_pairs.push((key, name.clone()));
                let elements = [indices(&of_image), indices(&of_sampler)];
                let places = (image, sampler.is_some().then_some(second));
                self.w.es_declare_pair(&name, &of, places, &elements, compares)?;
                name
            }
        };
        let tokens = vec![Token::linked(Class::Name, name, Anchor::Var(image))];
        Some(Resource { tokens, is_combined: true, ..of })
    }
}

/// The constant indices of a path into arrays of arrays.
fn indices(path: &[Token]) -> Vec<u32> {
    let numbers = path.iter().filter(|token| token.class == Class::Number);
    numbers.filter_map(|token| token.text.as_str().trim_end_matches('u').parse().ok()).collect()
}

/// Constant indices for the comment; empty for a variable.
fn element(indices: &[u32]) -> String {
    let words: Vec<String> = indices.iter().map(u32::to_string).collect();
    if words.is_empty() { String::new() } else { format!(", element {}", words.join(" ")) }
}

impl ModuleWriter<'_> {
    /// Declares an image with its sampler.
    fn es_declare_pair(
        &mut self,
        name: &Rc<str>,
        of: &Resource,
        (image, sampler): (Var, Option<Var>),
        [of_image, of_sampler]: &[Vec<u32>; 2],
        compares: bool,
    ) -> Option<()> {
        let Some(ty) = self.sampler_name(of.image, compares) else {
            if let Some(ty) = self.module.var(image).map(|data| data.ty) {
                self.refuse_type(Anchor::Var(image), image, ty, "");
            }
            return None;
        };
        let place = |var: Var| {
            let number = |key: Key| self.module.var(var).and_then(|data| data.attrs.get(key)).unwrap_or(0);
            (number(Key::Set), number(Key::Binding))
        };
        let (set, binding) = place(image);
        let mut comment = format!("// image: set {set}, binding {binding}{}", element(of_image));
        if let Some((set, binding)) = sampler.map(place) {
            comment.push_str(&format!("; sampler: set {set}, binding {binding}{}", element(of_sampler)));
        }
        let elements = [
            self.flat_element(image, of_image),
            sampler.map_or(0, |sampler| self.flat_element(sampler, of_sampler)),
        ];
        let pair = Pair { image: of.image, ty: ty.clone(), sampler, elements, compares };
        self.declare_by_name(image, name.to_string(), None, DeclaredKind::Pair(pair));
        self.own.glsl.resource_types.insert(ty.as_str().into());
        self.own.glsl.further_lines.push(Line::new(0, vec![Token::new(Class::Plain, comment)]));
        let mut layout = Vec::new();
        if self.es() == Some(Version::Es310) {
            layout.push(format!("binding = {}", self.es_texture(image, binding)));
        }
        let mut tokens = self.qualifiers(&layout, &["uniform"]);
        let link = vitrine_text::Link::Def(Anchor::Var(image));
        tokens.extend([Token::new(Class::Type, ty), space()]);
        tokens.extend([Token { text: name.clone().into(), class: Class::Name, link }, punct(";")]);
        self.own.glsl.further_lines.push(Line::new(0, tokens));
        Some(())
    }

    /// The number of an element of an array of arrays, counted through.
    fn flat_element(&self, var: Var, indices: &[u32]) -> u32 {
        let mut ty = self.module.var(var).map(|data| data.ty);
        let mut out = 0_u32;
        for &index in indices {
            let Some(TypeData::Array { of, len, .. }) = ty.map(|ty| self.module.type_of(ty)) else { break };
            let len = if let Len::Count(count) = *len { count } else { 1 };
            out = out.saturating_mul(len).saturating_add(index);
            ty = Some(*of);
        }
        out
    }

    /// Records a resource that an API finds by its name.
    pub(super) fn declare_by_name(
        &mut self,
        var: Var,
        name: String,
        elements: Option<u32>,
        kind: DeclaredKind,
    ) {
        self.interface.resources.push(Declared { var, name, place: [0; 2], elements, kind });
    }

    /// The binding of an image with a sampler, given the declared one. Further samplers of an image get the next free binding.
    fn es_texture(&mut self, image: Var, declared: u64) -> u64 {
        let data = self.module.var(image);
        let chosen = data.and_then(|data| LayoutTarget::Essl310.chosen_place(data)).map(|[_, at]| at);
        let at = match chosen.filter(|_| self.own.glsl.es_chosen.insert(image)) {
            // No other pair can have it.
            Some(at) => at,
            None => {
                let wanted = chosen.unwrap_or(declared);
                let is_beyond = LayoutTarget::Essl310.limit(TEXTURES.0).is_some_and(|limit| wanted >= limit);
                self.own.glsl.es_numbers.next(TEXTURES, if is_beyond { 0 } else { wanted }, 1)
            }
        };
        self.own.glsl.es_numbers.take(TEXTURES, at, 1);
        at
    }

    /// The type of a resource whose precision is declared. One version has structures for arrays of arrays: that in them.
    pub(super) fn es_resource_type(&mut self, ty: Type, declared: &str, compares: bool) -> Rc<str> {
        let mut inner = ty;
        while let Some(of) = self.module.element_type(inner) {
            inner = of;
        }
        let image = match *self.module.type_of(inner) {
            TypeData::SampledImage(image) if self.es() == Some(Version::Es300) => Some(image),
            _ => None,
        };
        let name = image.and_then(|image| self.sampler_name(image, compares));
        name.map_or_else(|| declared.into(), |name| name.as_str().into())
    }

    /// The next free binding of textures, for a second declaration of an image.
    pub(super) fn es_next_texture(&mut self, var: Var) -> u64 {
        let count = self.module.var(var).and_then(|data| resource_count(self.module, data)).unwrap_or(1);
        let at = self.own.glsl.es_numbers.next(TEXTURES, 0, count);
        self.own.glsl.es_numbers.take(TEXTURES, at, count);
        at
    }

    /// The version of GLSL ES that is written.
    pub(super) fn es(&self) -> Option<Version> {
        match self.dialect.language() {
            Language::Glsl(version) if version.is_es() => Some(version),
            _ => None,
        }
    }

    /// Returns true for an input or output between stages, which have no locations in version 3.00 and meet by name.
    pub(super) fn meets_by_name(&self, var: Var) -> bool {
        let is_between = match self.stage {
            Stage::Fragment => Mode::In,
            _ => Mode::Out,
        };
        // The variables of other entry points stay in the module.
        let is_of_entry = || self.module.entries.iter().any(|entry| entry.interface.contains(&var));
        self.es() == Some(Version::Es300)
            && is_of_entry()
            && self.module.var(var).is_some_and(|data| {
                data.mode == is_between && !data.attrs.has(Key::BuiltIn) && self.stage != Stage::Compute
            })
    }

    /// The name by which an output of one stage meets an input of the next one.
    pub(super) fn es_meeting_name(&self, var: Var) -> Option<String> {
        let data = self.module.var(var)?;
        let location = data.attrs.get(Key::Location)?;
        // The members of a structure are variables.
        let is_open = matches!(self.module.type_of(data.ty), TypeData::Struct(_))
            && !self.own.glsl.uses.takes_whole(var);
        (self.meets_by_name(var) && !is_open).then(|| format!("location_{location}"))
    }

    /// A depth that is written under early tests has no effect, and GLSL ES rejects it: a variable takes its place.
    pub(super) fn es_ignored(&mut self, found: builtins::BuiltIn) -> builtins::BuiltIn {
        let mut entries = self.module.entries.iter();
        let is_early = entries.any(|entry| entry.has_mode(ExecutionMode::EarlyFragmentTests));
        if self.es().is_none() || found.name != "gl_FragDepth" || !is_early {
            self.interface.values.insert(found.name);
            return found;
        }
        self.own.glsl.es_ignores_depth = true;
        builtins::BuiltIn { name: IGNORED_DEPTH, ..found }
    }

    /// Declares the extensions of the qualifiers of interpolation; refuses those that the version does not have.
    pub(super) fn es_interpolation(&mut self, interp: Interp) {
        const WORDS: &[(Interp, &str, &str)] = &[
            (Interp::NOPERSPECTIVE, "noperspective", NO_PERSPECTIVE),
            (Interp::SAMPLE, "sample", INTERPOLATION),
        ];
        let Some(version) = self.es() else { return };
        for &(_, word, extension) in WORDS.iter().filter(|&&(how, ..)| interp.has(how)) {
            if version == Version::Es310 {
                self.extensions.insert(extension);
                continue;
            }
            let says = format!("an input or output is `{word}`, which {} does not have", self.dialect.name());
            self.refuse(NO_TYPE, Anchor::Module, says, "version 3.10 has it with an extension");
        }
    }

    /// The location of an input or output, where the version has it. Refuses components.
    pub(super) fn es_location(&mut self, var: Var) -> Vec<String> {
        let Some(data) = self.module.var(var) else { return Vec::new() };
        let location = data.attrs.get(Key::Location);
        let _ = self.refuses_component(var) || self.refuses_index(var);
        let is_written = !self.meets_by_name(var);
        location.filter(|_| is_written).map(|it| format!("location = {it}")).into_iter().collect()
    }

    /// Refuses an input or output that is a structure with arrays or structures in it, or an array of structures.
    pub(super) fn es_members(&mut self, var: Var, mut ty: Type) {
        let is_array = self.module.element_type(ty).is_some();
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return };
        let members = self.module.structure(structure).map(|data| data.members.clone());
        let is_nested =
            |ty: Type| matches!(self.module.type_of(ty), TypeData::Array { .. } | TypeData::Struct(_));
        if is_array || members.iter().flat_map(|members| members.iter()).any(|member| is_nested(member.ty)) {
            let says = match is_array {
                true => format!("{var} is an input or output that is or has an array of structures"),
                false => {
                    format!("{var} is an input or output with an array or a structure inside of a structure")
                }
            };
            self.refuse(NO_TYPE, Anchor::Var(var), says, no_nesting());
        }
    }

    /// The binding of a resource, which is shared by all sets, where the version has it; and the comment that names the
    /// set and the binding of the program where they differ.
    pub(super) fn es_binding(&mut self, var: Var) -> (Option<String>, Option<Line>) {
        let Some(data) = self.module.var(var).cloned() else { return (None, None) };
        let (set, own) = (data.attrs.get(Key::Set).unwrap_or(0), data.attrs.get(Key::Binding).unwrap_or(0));
        let comment = |text: String| Line::new(0, vec![Token::new(Class::Plain, text)]);
        let place = match data.mode {
            Mode::Push => "// push constants".to_owned(),
            _ => format!("// set {set}, binding {own}"),
        };
        if self.es() == Some(Version::Es300) {
            return (None, Some(comment(place)));
        }
        let at = self.own.glsl.es_places.get(&var).map_or(own, |&(_, at)| at);
        let count = resource_count(self.module, &data).unwrap_or(1);
        let is_texture = self.own.glsl.es_places.get(&var).is_some_and(|(list, _)| *list == TEXTURES.0);
        if is_texture && at.saturating_add(count) > MOST_TEXTURES {
            let says =
                format!("{var} needs {count} textures from {at} on, and compilers have {MOST_TEXTURES}");
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        let is_same = set == 0 && at == own && data.mode != Mode::Push;
        (Some(format!("binding = {at}")), (!is_same).then(|| comment(place)))
    }

    /// Returns true for samplers, and for images that are sampled with one.
    pub(super) fn is_separate(&self, mut ty: Type) -> bool {
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        match *self.module.type_of(ty) {
            TypeData::Image(image) => image.usage != Usage::Storage && image.dim != Dim::Subpass,
            TypeData::Sampler => true,
            _ => false,
        }
    }

    fn is_storage_image(&self, mut ty: Type) -> bool {
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        matches!(*self.module.type_of(ty), TypeData::Image(image) if image.usage == Usage::Storage)
    }

    /// Refuses what needs an extension, and formats and lengths that the version does not have.
    pub(super) fn es_check(&mut self, lines: &mut dyn Iterator<Item = &Line>) {
        let Some(version) = self.es() else { return };
        let name = self.dialect.name();
        let has = |extension: &&'static str| version == Version::Es310 && EXTENSIONS.contains(extension);
        for extension in self.extensions.clone().into_iter().filter(|it| !has(it)) {
            let says = format!("the text needs `{extension}`, which {name} does not have");
            self.refuse(NO_OPERATION, Anchor::Module, says, "passes may lower what needs it");
        }
        let mut wrong: FxHashSet<String> = FxHashSet::default();
        for text in lines.map(Line::plain) {
            if version == Version::Es300 && text.contains("][") && !text.starts_with("//") {
                wrong.insert("arrays of arrays need version 3.10".to_owned());
            }
        }
        for why in wrong {
            self.refuse(
                NO_TYPE,
                Anchor::Module,
                format!("{name} cannot express a type: {why}"),
                Help::by_pass("split-array-vars", "may help"),
            );
        }
    }

    /// Refuses the format of a storage image that the version does not have.
    pub(super) fn es_format(&mut self, var: Var, format: Option<String>) -> Option<String> {
        if self.es().is_none() || format.as_deref().is_none_or(|format| FORMATS.contains(&format)) {
            return format;
        }
        let says = format!("{var} has the format `{}`, which {} does not have", format?, self.dialect.name());
        self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        None
    }

    /// What a storage image is not used for: GLSL ES has most formats for one kind of access only.
    pub(super) fn es_image_access(&self, var: Var) -> Access {
        let is_storage = self.module.var(var).is_some_and(|data| self.is_storage_image(data.ty));
        if self.es().is_none() || !is_storage {
            return Access::NONE;
        }
        let is_read = self.own.glsl.uses.reads(var);
        match (is_read, self.memory_uses.written_texels.contains(var)) {
            (false, true) => Access::WRITEONLY,
            (_, false) => Access::READONLY,
            (true, true) => Access::NONE,
        }
    }

    /// Refuses an image that is read and written, with a format for which the version has one of both only.
    pub(super) fn es_access(&mut self, var: Var, access: Access, layout: &[String]) {
        let is_one_word = layout.iter().any(|it| matches!(it.as_str(), "r32f" | "r32i" | "r32ui"));
        let is_storage = self.module.var(var).is_some_and(|data| self.is_storage_image(data.ty));
        let is_attachment = self.module.var(var).is_some_and(|data| data.attrs.has(Key::Attachment));
        let is_restricted = is_attachment || access.has_any(Access::READONLY.and(Access::WRITEONLY));
        if self.es().is_some() && is_storage && !is_one_word && !is_restricted {
            let says =
                format!("{var} is an image that is read and written, which needs a format of one word");
            self.refuse(
                NO_TYPE,
                Anchor::Var(var),
                says,
                Help::by_pass("infer-access-qualifiers", "finds what is only read"),
            );
        }
    }

    /// The first lines: the version, and the precision of everything.
    pub(super) fn es_head(&self, used: &[Rc<str>]) -> Vec<Line> {
        let mut lines: Vec<Line> = self.dialect.version_line().map(Line::text).into_iter().collect();
        // They precede everything but comments.
        lines.extend(self.extensions.iter().map(|name| Line::text(format!("#extension {name} : require"))));
        for ty in ["float", "int"].into_iter().chain(used.iter().map(|name| &**name)) {
            let mut tokens =
                vec![Token::new(Class::Keyword, "precision"), space(), Token::new(Class::Keyword, "highp")];
            tokens.extend([space(), Token::new(Class::Type, ty.to_owned()), punct(";")]);
            lines.push(Line::new(0, tokens));
        }
        if self.own.glsl.es_loses_precise {
            let text = "// This version has no `precise`: products and sums may be contracted.";
            lines.push(Line::new(0, vec![Token::new(Class::Plain, text)]));
        }
        lines
    }
}
