//! Declarations of textures and samplers of HLSL.
//!
//! A storage image states its format, from which the number of components in its type follows. A texture and the sampler
//! that was split off it have the same place and are declared as parts of it.

use super::places::hlsl_register;
use crate::expr::{Token, punct, space, words};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::operands::{PathRoot, root};
use crate::print::Line;
use rustc_hash::FxHashMap;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Access, Dim, Key, Op, TexOp, Width};
use vitrine_ir::{Anchor, Help, ImageType, Inst, Type, TypeData, Usage, Var};
use vitrine_text::{Class, Link};

impl ModuleWriter<'_> {
    /// Returns true for images, samplers, and arrays of them.
    pub(super) fn is_resource(&self, ty: Type) -> bool {
        let mut ty = ty;
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        matches!(
            self.module.type_of(ty),
            TypeData::Image(_) | TypeData::SampledImage(_) | TypeData::Sampler | TypeData::AccelStruct
        )
    }

    /// Returns true for an image that the program reads and writes.
    fn is_storage(image: ImageType) -> bool {
        image.usage == Usage::Storage && image.dim != Dim::Subpass
    }

    /// The components of a texel of a storage image, by its format.
    pub(super) fn texel_components(&self, image: ImageType) -> u8 {
        let format = ImageType::FORMATS.get(usize::from(image.format)).copied().unwrap_or("");
        match format {
            "r11fg11fb10f" => 3,
            _ if format.starts_with("rgb") || format == "unknown" => 4,
            _ if format.starts_with("rg") => 2,
            _ => 1,
        }
    }

    /// The type of an image. `None` if HLSL has no such image.
    pub(super) fn hlsl_image_type(&mut self, image: ImageType) -> Option<String> {
        let sampled = self.number_type(image.sampled)?;
        let is_storage = Self::is_storage(image);
        if sampled.width != Width::W32 && !(sampled.width == Width::W64 && is_storage) {
            return None;
        }
        let components = if is_storage { self.texel_components(image) } else { 4 };
        let texel = self.dialect.number(sampled.with_components(components))?;
        let layers = if image.arrayed { "Array" } else { "" };
        let base = match (image.dim, image.multisampled) {
            (Dim::D1, false) => format!("Texture1D{layers}"),
            (Dim::D2, false) => format!("Texture2D{layers}"),
            (Dim::D2, true) if !is_storage => format!("Texture2DMS{layers}"),
            (Dim::D3, false) if !image.arrayed => "Texture3D".to_owned(),
            (Dim::Cube, false) if !is_storage => format!("TextureCube{layers}"),
            (Dim::Buffer, false) => "Buffer".to_owned(),
            (Dim::Subpass, false) => "SubpassInput".to_owned(),
            (Dim::Subpass, true) => "SubpassInputMS".to_owned(),
            _ => return None,
        };
        Some(format!("{}{base}<{texel}>", if is_storage { "RW" } else { "" }))
    }

    /// The declaration of a texture or a sampler.
    pub(super) fn hlsl_resource(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let name = self.var_name(var);
        let mut of = data.ty;
        while let TypeData::Array { of: inner, .. } | TypeData::RuntimeArray { of: inner, .. } =
            *self.module.type_of(of)
        {
            of = inner;
        }
        let image = match *self.module.type_of(of) {
            TypeData::Image(image) => Some(image),
            _ => None,
        };
        let compares = self.memory_uses.compared.contains(var);
        let declared = self.hlsl_type_parts(data.ty, anchor);
        let Some((base, dims)) = declared else {
            let help = match image {
                Some(_) => Help::default(),
                None => Help::by_pass("lower-samplers{split}", "separates textures and samplers;")
                    .pass("inline-functions")
                    .then("may help"),
            };
            self.refuse_type(anchor, var, data.ty, help);
            return Vec::new();
        };
        if image.is_some_and(|image| image.dim == Dim::Subpass) && !dims.is_empty() {
            let says = format!("{var} is an array of input attachments, which HLSL does not have");
            self.refuse(NO_TYPE, anchor, says, "");
            return Vec::new();
        }
        let base = if image.is_none() && compares { "SamplerComparisonState".to_owned() } else { base };
        let number = |key: Key| data.attrs.get(key).unwrap_or(0);
        let (set, binding) = (number(Key::Set), number(Key::Binding));
        let is_storage = image.is_some_and(Self::is_storage);
        let mut attributes = String::new();
        let is_input = image.is_some_and(|image| image.dim == Dim::Subpass);
        if is_input {
            attributes.push_str(&format!("[[vk::input_attachment_index({})]] ", number(Key::Attachment)));
        } else if self.is_combined(var) {
            attributes.push_str("[[vk::combinedImageSampler]] ");
        }
        attributes.push_str(&format!("[[vk::binding({binding}, {set})]] "));
        if let Some(image) = image.filter(|_| is_storage) {
            let format = match ImageType::FORMATS.get(usize::from(image.format)).copied().unwrap_or("unknown")
            {
                "r11fg11fb10f" => "r11g11b10f",
                format => format,
            };
            // The attribute is for single images; in an array the format follows from the type.
            let follows =
                ["rgba32", "rg32", "r32", "r64", "unknown"].iter().any(|base| format.starts_with(base));
            match dims.is_empty() {
                true => attributes.push_str(&format!("[[vk::image_format(\"{format}\")]] ")),
                false if follows => {}
                false => {
                    let says = format!(
                        "{var} is an array of images of the format `{format}`, which cannot be stated"
                    );
                    self.refuse(NO_TYPE, anchor, says, "");
                }
            }
        }
        if is_storage && data.attrs.words::<Access>().has(Access::COHERENT) {
            attributes.push_str("globallycoherent ");
        }
        let mut tokens = words(Class::Attr, &attributes);
        tokens.extend(words(Class::Type, &base));
        tokens.push(space());
        tokens.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        tokens.extend(dims);
        if !is_input {
            let class = match (image, is_storage) {
                (None, _) if *self.module.type_of(of) == TypeData::AccelStruct => 't',
                (None, _) => 's',
                (Some(_), true) => 'u',
                (Some(_), false) => 't',
            };
            let at = hlsl_register(&data);
            let place = format!(" : register({class}{}, space{})", at[1], at[0]);
            tokens.extend(words(Class::Plain, &place));
        }
        tokens.push(punct(";"));
        vec![Line::new(0, tokens)]
    }

    /// Notes the sampler of each texture.
    pub(super) fn pair_samplers(&mut self) {
        let mut pairs: FxHashMap<Var, Option<Var>> = FxHashMap::default();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let Op::Tex(TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::QueryLod) = data.op
                else {
                    return;
                };
                let mut roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
                let sampler = roles.position(|role| role == Role::Sampler).and_then(|at| data.args.get(at));
                let var = |path: Option<&Inst>| match path.and_then(|&path| root(body, path)) {
                    Some(PathRoot::Var(var)) => Some(var),
                    Some(PathRoot::Param(_)) | None => None,
                };
                let (image, sampler) = (var(data.args.first()), var(sampler));
                for (of, with) in [(image, sampler), (sampler, image)] {
                    let Some(of) = of else { continue };
                    pairs
                        .entry(of)
                        .and_modify(|known| *known = known.filter(|_| *known == with))
                        .or_insert(with);
                }
            });
        }
        self.own.hlsl.samplers = pairs;
    }

    /// Returns true for a texture and its only sampler, which has the same place and no other texture.
    fn is_combined(&self, var: Var) -> bool {
        let other = |var: Var| self.own.hlsl.samplers.get(&var).copied().flatten();
        let place = |var: Var| {
            let data = self.module.var(var)?;
            let is_single = matches!(self.module.type_of(data.ty), TypeData::Image(_) | TypeData::Sampler);
            is_single.then(|| [Key::Set, Key::Binding].map(|key| data.attrs.get(key)))
        };
        // Compilers before February 2024 have the attribute for other samplers only. Without it both parts are read from
        // the descriptor of their place, which Vulkan allows for one that combines them.
        let compares = |var: Var| self.memory_uses.compared.contains(var);
        other(var).is_some_and(|half| !compares(var) && !compares(half))
            && other(var).is_some_and(|half| {
                other(half) == Some(var) && place(half).is_some() && place(half) == place(var)
            })
    }
}
