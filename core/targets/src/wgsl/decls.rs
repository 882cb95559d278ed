//! Declarations of WGSL: types, structures, resources, private and workgroup variables.

use crate::atomic_places::AtomicPlace;
use crate::expr::{Token, punct, space, words};
use crate::layout::is_empty_type;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_forms::{Declared, DeclaredAccess, DeclaredKind};
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::{Access, Dim, Key, Width};
use vitrine_ir::{
    Anchor, Attrs, EntryPoint, ExecutionMode as E, Help, ImageType, Len, Mode, Stage, Struct, Type, TypeData,
    Usage, Var,
};
use vitrine_text::{Class, Link};

/// The deepest nesting of types that is written.
const MOST_LEVELS: usize = 64;

impl ModuleWriter<'_> {
    /// The bytes of each element of an array, or of each column of a matrix, if they need a structure of their own.
    pub(super) fn wgsl_padding(&mut self, ty: Type) -> Option<u64> {
        self.own.wgsl.extents.padding(self.module, ty)
    }

    /// The name of a type in memory; `atomic` is the kind of atomic numbers in it. The elements of a plain array are not
    /// wrapped: no buffer has it, and no structure. `None` if WGSL has no such type.
    pub(super) fn wgsl_type(&mut self, ty: Type, atomic: Option<Kind>, is_plain: bool) -> Option<String> {
        let (mut before, mut after) = (String::new(), String::new());
        let mut ty = ty;
        for _ in 0..MOST_LEVELS {
            let (of, len) = match *self.module.type_of(ty) {
                TypeData::Array { of, len: Len::Count(count), .. } => (of, format!(", {count}")),
                TypeData::Array { of, len: Len::Global(global), .. } => {
                    (of, format!(", {}", self.global_name(global)))
                }
                TypeData::RuntimeArray { of, .. } => (of, String::new()),
                // A matrix is an array of its columns: values are vectors in any case.
                TypeData::Matrix { column, columns, row_major: false, .. } => {
                    (column, format!(", {columns}"))
                }
                _ => break,
            };
            if let (TypeData::Matrix { columns, .. }, None, true) =
                (self.module.type_of(ty), atomic, is_plain || self.wgsl_padding(ty).is_none())
            {
                let column = self.number_type(of)?;
                let suffix = match (column.kind, column.width) {
                    (Kind::Float, Width::W32) => "f",
                    (Kind::Float, Width::W16) => "h",
                    _ => return None,
                };
                self.extensions.extend(self.dialect.extension(column));
                return Some(format!("{before}mat{columns}x{}{suffix}{after}", column.components));
            }
            before.push_str("array<");
            after = format!("{len}>{after}");
            if !is_plain && self.wgsl_padding(ty).is_some() {
                let wrapper = self.wrapper(ty, of, atomic)?;
                return Some(format!("{before}{wrapper}{after}"));
            }
            ty = of;
        }
        let inner = self.plain_type(ty, atomic)?;
        Some(format!("{before}{inner}{after}"))
    }

    fn plain_type(&mut self, ty: Type, atomic: Option<Kind>) -> Option<String> {
        if let Some(number) = self.number_type(ty) {
            let number = atomic.map_or(number, |kind| number.with_kind(kind));
            self.extensions.extend(self.dialect.extension(number));
            let name = self.dialect.number(number)?;
            return Some(if atomic.is_some() { format!("atomic<{name}>") } else { name });
        }
        match *self.module.type_of(ty) {
            // By rows: each is a column of the type here.
            TypeData::Matrix { column, columns, row_major: true, .. } => {
                let column = self.number_type(column)?;
                let suffix = match (column.kind, column.width) {
                    (Kind::Float, Width::W32) => "f",
                    _ => return None,
                };
                Some(format!("mat{}x{columns}{suffix}", column.components))
            }
            TypeData::Struct(structure) => {
                let name = self.struct_name(structure);
                if !self.used_structs.contains(&structure) {
                    self.used_structs.push(structure);
                }
                Some(name.to_string())
            }
            _ => None,
        }
    }

    /// The structure around an element, which has the size of the declared stride.
    fn wrapper(&mut self, ty: Type, of: Type, atomic: Option<Kind>) -> Option<Rc<str>> {
        let key = (ty, atomic.is_some());
        if let Some(name) = self.own.wgsl.wrappers.get(&key) {
            return Some(name.clone());
        }
        let stride = self.wgsl_padding(ty)?;
        let name = self.names.fresh("Element", "Element");
        self.own.wgsl.wrappers.insert(key, name.clone());
        let inner = self.wgsl_type(of, atomic, false)?;
        let text = format!("@size({stride}) value: {inner},");
        self.own.wgsl.wrapper_lines.extend([
            Line::new(0, words(Class::Keyword, &format!("struct {name} {{"))),
            Line::new(1, words(Class::Type, &text)),
            Line::text("}"),
            Line::empty(),
        ]);
        Some(name)
    }

    /// The structure around the elements of an array, or the columns of a matrix, in an initializer.
    pub(super) fn wgsl_wrapper(&mut self, ty: Type) -> Option<Rc<str>> {
        self.wgsl_padding(ty)?;
        let of = match *self.module.type_of(ty) {
            TypeData::Matrix { column, .. } => column,
            _ => self.module.element_type(ty)?,
        };
        self.wrapper(ty, of, None)
    }

    /// Returns true for an array or a matrix whose elements are wrapped in a buffer, at some level.
    pub(super) fn wgsl_is_wrapped(&mut self, ty: Type) -> bool {
        let mut ty = ty;
        for _ in 0..MOST_LEVELS {
            if self.wgsl_padding(ty).is_some() {
                return true;
            }
            match *self.module.type_of(ty) {
                TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => ty = of,
                _ => break,
            }
        }
        false
    }

    /// Refuses the execution modes that WGSL does not have.
    pub(super) fn wgsl_modes(&mut self, entry: &EntryPoint) {
        let writes = self.module.vars().any(|(_, data)| {
            data.mode == Mode::Storage && !data.attrs.words::<Access>().has(Access::READONLY)
        });
        for mode in entry.modes.clone() {
            match mode.mode {
                E::OriginUpperLeft | E::LocalSize | E::LocalSizeId | E::DepthReplacing => {}
                // They permit a device to test the depth earlier; the results are the same.
                E::DepthGreater | E::DepthLess | E::DepthUnchanged => {}
                E::EarlyFragmentTests if !writes => {}
                other => {
                    let says = format!("WGSL cannot express the execution mode `{}`", other.name());
                    self.refuse(NO_TYPE, Anchor::Module, says, "");
                }
            }
        }
    }

    pub(super) fn wgsl_struct(&mut self, structure: Struct) -> Vec<Line> {
        let name = self.struct_name(structure);
        let anchor = Anchor::Struct(structure);
        let mut head = vec![Token::new(Class::Keyword, "struct"), space()];
        head.push(Token { text: name.into(), class: Class::Type, link: Link::Def(anchor) });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let names = self.member_names(structure);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let shown: Vec<usize> = (0..members.len())
            .filter(|&at| members.get(at).is_some_and(|it| !is_empty_type(self.module, it.ty)))
            .collect();
        if shown.is_empty() {
            // A structure has at least one member.
            lines.push(Line::new(1, words(Class::Type, "empty: u32,")));
        }
        let offset = |at: usize| members.get(at).and_then(|member| member.attrs.get(Key::Offset));
        if !shown.is_sorted_by_key(|&at| offset(at).unwrap_or(0)) {
            let says = format!("the members of {structure} are not in order of their offsets");
            self.refuse(NO_TYPE, anchor, says, layout_help());
        }
        let mut end = 0u64;
        for (place, &at) in shown.iter().enumerate() {
            let (Some(member), Some(name)) = (members.get(at), names.get(at).cloned()) else { continue };
            let atomic = self.atomic_kind(AtomicPlace::Member(structure, at as u32), member.ty);
            let declared = self.wgsl_type(member.ty, atomic, false);
            let extent = self.own.wgsl.extents.of(self.module, member.ty);
            let (Some(declared), Ok(extent)) = (declared, extent) else {
                let (says, help) = match self.lacking_width(member.ty) {
                    Some(what) => (
                        format!("member {at} of {structure} has {what}, which WGSL does not have"),
                        Help::default(),
                    ),
                    None => (
                        format!("member {at} of {structure} has a type or a layout that WGSL does not have"),
                        layout_help(),
                    ),
                };
                self.refuse(NO_TYPE, anchor, says, help);
                continue;
            };
            let natural = end.next_multiple_of(extent.align.max(1));
            let own = offset(at).unwrap_or(natural);
            if own < natural || !own.is_multiple_of(extent.align.max(1)) {
                let says = format!("member {at} of {structure} is at an offset that WGSL does not have");
                self.refuse(NO_TYPE, anchor, says, layout_help());
            }
            let mut tokens = Vec::new();
            // The first offset is 0; a gap belongs to the member before it.
            let after = shown.get(place + 1).copied();
            let next = after.and_then(offset);
            let following = after.and_then(|at| members.get(at));
            let following = following.map(|next| self.own.wgsl.extents.of(self.module, next.ty));
            if let (Some(next), Some(Ok(following))) = (next, following)
                && next > (own + extent.bytes).next_multiple_of(following.align.max(1))
            {
                tokens.extend([Token::new(Class::Attr, format!("@size({})", next - own)), space()]);
            }
            if place == 0 && own > 0 {
                let says = format!("the first member of {structure} is not at offset 0");
                self.refuse(NO_TYPE, anchor, says, layout_help());
            }
            let link = Link::Def(Anchor::Member(structure, at as u32));
            tokens.push(Token { text: name.into(), class: Class::Name, link });
            tokens.extend([punct(":"), space(), Token::new(Class::Type, declared), punct(",")]);
            lines.push(Line::new(1, tokens));
            end = own + extent.bytes;
        }
        lines.push(Line::text("}"));
        lines
    }

    /// The storage buffers that are declared as read only.
    pub(super) fn wgsl_read_only(&self) -> EntitySet<Var> {
        let vars = self.module.vars().filter(|(_, data)| data.mode == Mode::Storage);
        vars.filter(|&(var, data)| self.is_read_only(var) && !self.has_atomics(data.ty))
            .map(|(var, _)| var)
            .collect()
    }

    /// The declaration of a variable of the module.
    pub(super) fn wgsl_variable(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let name = self.var_name(var);
        let space_name = match data.mode {
            Mode::Push if !self.fits_uniform(data.ty) => "var<storage>",
            Mode::Uniform | Mode::Push => "var<uniform>",
            // Atomics demand memory that can be written, also those that only load.
            Mode::Storage if self.is_read_only(var) && !self.has_atomics(data.ty) => "var<storage>",
            Mode::Storage if self.is_of_vertices(var) => {
                let says = format!("{var} is a buffer that is written, which vertex shaders do not have");
                self.refuse(NO_TYPE, anchor, says, "");
                return Vec::new();
            }
            Mode::Storage => "var<storage, read_write>",
            Mode::Shared if self.is_of_workgroup(var) => "var<workgroup>",
            Mode::Private => "var<private>",
            Mode::Handle => "var",
            Mode::In | Mode::Out => {
                self.refuse_undeclared(var);
                return Vec::new();
            }
            Mode::Shared | Mode::Local | Mode::Payload | Mode::Physical | Mode::Callable | Mode::Generic => {
                let says =
                    format!("{var} is in memory of mode `{}`, which WGSL does not have", data.mode.name());
                self.refuse(NO_TYPE, anchor, says, "");
                return Vec::new();
            }
        };
        let atomic = self.atomic_kind(AtomicPlace::Var(var), data.ty);
        let handle = match data.mode {
            Mode::Handle => self.wgsl_handle(var, data.ty),
            _ => None,
        };
        let ty = match data.mode {
            Mode::Handle => handle.as_ref().map(|(ty, _)| ty.clone()),
            Mode::Uniform | Mode::Storage
                if matches!(
                    self.module.type_of(data.ty),
                    TypeData::Array { .. } | TypeData::RuntimeArray { .. }
                ) =>
            {
                None
            }
            mode => {
                let is_buffer = matches!(mode, Mode::Uniform | Mode::Storage | Mode::Push);
                self.wgsl_type(data.ty, atomic, !is_buffer)
            }
        };
        let Some(ty) = ty else {
            let is_array = self.module.element_type(data.ty).is_some();
            let is_resource = matches!(data.mode, Mode::Handle | Mode::Uniform | Mode::Storage);
            if !is_array || !is_resource {
                self.refuse_type(anchor, var, data.ty, "");
                return Vec::new();
            }
            let says = format!("{var} is an array of resources, which WGSL does not have");
            let help = Help::text("pass")
                .pass("lower-indirect-derefs{resources}")
                .then(", then")
                .pass("resource-arrays-to-elements")
                .then(
                    ", makes a variable of each element of an array with a length, unless an element of any index is \
                     stored to",
                );
            self.refuse(NO_TYPE, anchor, says, help);
            return Vec::new();
        };
        let mut tokens = Vec::new();
        if let Some(&place) = self.own.wgsl.bindings.get(&var) {
            let [group, binding] = place;
            let kind = match (handle, space_name) {
                (Some((_, kind)), _) => kind,
                (None, "var<uniform>") => DeclaredKind::Uniform,
                (None, "var<storage>") => DeclaredKind::Storage(DeclaredAccess::Read),
                (None, _) => DeclaredKind::Storage(DeclaredAccess::ReadWrite),
            };
            let declared = Declared { var, name: name.to_string(), place, elements: None, kind };
            self.interface.resources.push(declared);
            tokens.extend(words(Class::Attr, &format!("@group({group}) @binding({binding})")));
            tokens.push(space());
        }
        tokens.extend(words(Class::Keyword, space_name));
        tokens.extend([space(), Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) }]);
        tokens.extend([punct(":"), space(), Token::new(Class::Type, ty)]);
        // Memory of a workgroup starts as zeros, the only value that it can have.
        if let Some(init) = data.init.filter(|_| data.mode != Mode::Shared) {
            let init = self.initializer(init, data.ty);
            tokens.extend([space(), Token::new(Class::Op, "="), space()]);
            tokens.extend(init);
        }
        tokens.push(punct(";"));
        let mut lines = Vec::new();
        if data.mode == Mode::Push {
            lines.push(Line::text("// The push constants of the program: WGSL has none."));
        }
        lines.push(Line::new(0, tokens));
        lines
    }

    /// True if compute shaders alone access a variable.
    fn is_of_workgroup(&self, var: Var) -> bool {
        let mut entries = self.module.entries.iter().zip(&self.own.wgsl.accessed);
        entries.all(|(entry, accessed)| entry.stage == Stage::Compute || !accessed.contains(var))
    }

    /// True if a vertex shader accesses a variable.
    fn is_of_vertices(&self, var: Var) -> bool {
        let mut entries = self.module.entries.iter().zip(&self.own.wgsl.accessed);
        entries.any(|(entry, accessed)| entry.stage == Stage::Vertex && accessed.contains(var))
    }

    /// True if a type fits the rules of uniform buffers: strides and places of structures are multiples of 16 bytes
    /// (WGSL, 14.4.1).
    pub(super) fn fits_uniform(&self, ty: Type) -> bool {
        const ALIGN: u32 = 16;
        let mut seen = EntitySet::new();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            let fits = match *self.module.type_of(ty) {
                TypeData::Array { stride, .. } => stride.is_multiple_of(ALIGN),
                TypeData::Struct(structure) => {
                    let members = self.module.structure(structure).map(|data| data.members.clone());
                    let members = members.unwrap_or_default();
                    let is_whole = |ty: Type| {
                        matches!(self.module.type_of(ty), TypeData::Struct(_) | TypeData::Array { .. })
                    };
                    members.iter().filter(|member| is_whole(member.ty)).all(|member| {
                        member.attrs.get(Key::Offset).unwrap_or(0).is_multiple_of(u64::from(ALIGN))
                    })
                }
                _ => true,
            };
            if !fits {
                return false;
            }
            work.extend(parts(self.module, ty));
        }
        true
    }

    /// True if the program cannot write a buffer.
    fn is_read_only(&self, var: Var) -> bool {
        let Some(data) = self.module.var(var) else { return false };
        let is_set = |attrs: &Attrs| attrs.words::<Access>().has(Access::READONLY);
        let members = match *self.module.type_of(data.ty) {
            TypeData::Struct(structure) => self.module.structure(structure).map(|data| &data.members[..]),
            _ => None,
        };
        let members = members.unwrap_or_default();
        is_set(&data.attrs)
            || self.is_of_vertices(var) && !self.memory_uses.written.contains(var)
            || !members.is_empty() && members.iter().all(|member| is_set(&member.attrs))
    }

    /// True if a type has members that atomics access.
    fn has_atomics(&self, ty: Type) -> bool {
        let mut seen = EntitySet::new();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if let TypeData::Struct(structure) = *self.module.type_of(ty) {
                let is_here =
                    |place: &AtomicPlace| matches!(place, AtomicPlace::Member(of, _) if *of == structure);
                if self.atomics.keys().any(is_here) {
                    return true;
                }
            }
            work.extend(parts(self.module, ty));
        }
        false
    }

    /// The type of an image or a sampler, and what it is for those outside.
    fn wgsl_handle(&mut self, var: Var, ty: Type) -> Option<(String, DeclaredKind)> {
        let is_compared = self.memory_uses.compared.contains(var);
        Some(match *self.module.type_of(ty) {
            TypeData::Sampler => {
                let ty = if is_compared { "sampler_comparison" } else { "sampler" };
                (ty.to_owned(), DeclaredKind::Sampler { compares: is_compared })
            }
            TypeData::Image(image) if image.usage == Usage::Storage => {
                let (ty, access) = self.storage_texture(var, image)?;
                (ty, DeclaredKind::StorageTexture(access))
            }
            TypeData::Image(image) => {
                let ty = sampled_texture(self.number_type(image.sampled)?, image, is_compared)?;
                (ty, DeclaredKind::Texture { is_depth: is_compared })
            }
            _ => return None,
        })
    }

    fn storage_texture(&mut self, var: Var, image: ImageType) -> Option<(String, DeclaredAccess)> {
        let format = ImageType::FORMATS.get(usize::from(image.format)).copied()?;
        let number = FORMATS.iter().position(|(name, _)| *name == format)?;
        let (_, format) = FORMATS[number];
        self.own.wgsl.has_more_formats |= number >= COMMON_FORMATS;
        let dim = match (image.dim, image.arrayed) {
            (Dim::D1, false) => "1d",
            (Dim::D2, false) => "2d",
            (Dim::D2, true) => "2d_array",
            (Dim::D3, false) => "3d",
            _ => return None,
        };
        let uses = &self.memory_uses;
        let (is_read, is_written) = (uses.read_texels.contains(var), uses.written_texels.contains(var));
        if is_written && self.is_of_vertices(var) {
            let says =
                format!("{var} is a storage texture that is written, which vertex shaders do not have");
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        let (access, word) = match (is_read, is_written) {
            (true, true) => (DeclaredAccess::ReadWrite, "read_write"),
            (false, true) => (DeclaredAccess::Write, "write"),
            (_, false) => (DeclaredAccess::Read, "read"),
        };
        (!image.multisampled).then(|| (format!("texture_storage_{dim}<{format}, {word}>"), access))
    }
}

/// The help for layouts that WGSL does not have.
fn layout_help() -> Help {
    Help::text("pass")
        .pass("lower-layout{wgsl}")
        .then(", then")
        .pass("qptr-lift")
        .then(", changes it if its accesses are loads, stores and atomics")
}

/// Formats of storage textures: the name in the IR, and in WGSL.
const FORMATS: [(&str, &str); 36] = [
    ("rgba32f", "rgba32float"),
    ("rgba16f", "rgba16float"),
    ("r32f", "r32float"),
    ("rg32f", "rg32float"),
    ("rgba8", "rgba8unorm"),
    ("rgba8snorm", "rgba8snorm"),
    ("rgba32i", "rgba32sint"),
    ("rgba16i", "rgba16sint"),
    ("rgba8i", "rgba8sint"),
    ("r32i", "r32sint"),
    ("rg32i", "rg32sint"),
    ("rgba32ui", "rgba32uint"),
    ("rgba16ui", "rgba16uint"),
    ("rgba8ui", "rgba8uint"),
    ("r32ui", "r32uint"),
    ("rg32ui", "rg32uint"),
    // From here on of `texture-formats-tier1`.
    ("rgba16", "rgba16unorm"),
    ("rgba16snorm", "rgba16snorm"),
    ("rg16f", "rg16float"),
    ("rg16", "rg16unorm"),
    ("rg16snorm", "rg16snorm"),
    ("rg16i", "rg16sint"),
    ("rg16ui", "rg16uint"),
    ("rg8", "rg8unorm"),
    ("rg8snorm", "rg8snorm"),
    ("rg8i", "rg8sint"),
    ("rg8ui", "rg8uint"),
    ("r16f", "r16float"),
    ("r16", "r16unorm"),
    ("r16snorm", "r16snorm"),
    ("r16i", "r16sint"),
    ("r16ui", "r16uint"),
    ("r8", "r8unorm"),
    ("r8snorm", "r8snorm"),
    ("r8i", "r8sint"),
    ("r8ui", "r8uint"),
];

/// The number of formats that every device has.
const COMMON_FORMATS: usize = 16;

/// The type of a sampled texture. `None` if WGSL has no such texture.
fn sampled_texture(texel: NumberType, image: ImageType, is_depth: bool) -> Option<String> {
    let dim = match (image.dim, image.arrayed, image.multisampled) {
        (Dim::D1, false, false) => "1d",
        (Dim::D2, false, false) => "2d",
        (Dim::D2, true, false) => "2d_array",
        (Dim::D2, false, true) => "multisampled_2d",
        (Dim::D3, false, false) => "3d",
        (Dim::Cube, false, false) => "cube",
        (Dim::Cube, true, false) => "cube_array",
        _ => return None,
    };
    let scalar = match (texel.kind, texel.width) {
        (Kind::Float, Width::W32) => "f32",
        (Kind::Int, Width::W32) => "i32",
        (Kind::Uint, Width::W32) => "u32",
        _ => return None,
    };
    match is_depth {
        true => (!matches!(dim, "1d" | "3d")).then(|| format!("texture_depth_{dim}")),
        false => Some(format!("texture_{dim}<{scalar}>")),
    }
}
