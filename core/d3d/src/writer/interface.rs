//! Registers for the variables of an entry point: inputs, outputs, samplers and constants.
//!
//! Constants keep the layout of their buffer: the 16 bytes at offset `16 * n` of a block are register `base + n`, and
//! blocks follow each other by set and binding. Inputs and outputs of a location have the semantic `TEXCOORD` with the
//! number of the location, unless the program states a semantic of its own. A sampler has the number of its binding, if
//! that is free.
//!
//! Does not enforce limits: [`super::limits`] counts registers.

use super::code::{Code, Model, Place, Profile};
use super::paths::Access;
use crate::sm1::{DeclUsage, Declaration, Dst, File, Register};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_ir::ops::{Builtin, Dim, Interp, Key};
use vitrine_ir::{DecorTarget, Mode, Module, TypeData, Var};

/// Number of the SPIR-V decoration UserSemantic.
const USER_SEMANTIC: u32 = 5635;
/// Registers with integers, of each profile.
const INTEGERS: u16 = 16;
/// Registers with booleans, of each profile.
const BOOLEANS: u16 = 16;
/// Samplers of a vertex shader, and of a pixel shader.
const SAMPLERS: [u16; 2] = [4, 16];

/// The place of a 32-bit component of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Placement {
    /// The variable.
    pub var: Var,
    /// Bytes from its start.
    pub offset: u32,
    /// The register file: floats, integers or booleans.
    pub file: File,
    /// The number of the register.
    pub register: u16,
    /// The component of the register.
    pub component: u8,
    /// Memory holds an integer. A register of floats holds its value as a float, others the integer itself.
    pub integer: bool,
}

/// The sampler register of an image with the sampler that it is used with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SamplerPlacement {
    /// The variable of the image.
    pub image: Var,
    /// The variable of the sampler; the image itself, if it is combined with one.
    pub sampler: Var,
    /// The number of the register.
    pub register: u16,
}

/// A declared input or output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub declaration: Declaration,
    pub mask: u8,
    pub centroid: bool,
}

/// The registers of an entry point.
#[derive(Default, Debug)]
pub(super) struct Interface {
    /// The first register of each uniform block.
    bases: BTreeMap<Var, u16>,
    /// Every constant component that is read, by variable and offset.
    pub placements: BTreeMap<(Var, u32), Placement>,
    /// Registers of inputs, by semantic.
    pub inputs: BTreeMap<(u8, u8), (Register, Declared)>,
    /// Registers of outputs of a vertex shader, by semantic.
    pub outputs: BTreeMap<(u8, u8), (Register, Declared)>,
    /// Inputs that are not declared by a semantic: `vPos`, `vFace`.
    pub special: BTreeSet<Register>,
    /// Samplers with their texture type, by image and sampler.
    samplers: BTreeMap<(Var, Var), (u16, u8)>,
    /// Constants that a relative address may reach, by block: first and last register.
    pub ranges: BTreeMap<Var, (u16, u16)>,
}

impl Interface {
    /// Places the uniform blocks, whose sizes in bytes are given, one after the other.
    pub(super) fn place_blocks(&mut self, module: &Module, sizes: &BTreeMap<Var, u32>) {
        let key = |var: Var| {
            let attrs = module.var(var).map(|data| &data.attrs);
            let number = |key| attrs.and_then(|attrs| attrs.get(key)).unwrap_or(u64::MAX);
            (number(Key::Set), number(Key::Binding), var)
        };
        let mut blocks: Vec<Var> = sizes.keys().copied().collect();
        blocks.sort_by_key(|&var| key(var));
        let mut next = 0u32;
        for var in blocks {
            self.bases.insert(var, next.min(u32::from(u16::MAX)) as u16);
            next = next.saturating_add(sizes.get(&var).copied().unwrap_or(0).div_ceil(16));
        }
    }

    /// The register and component of bytes of a uniform block.
    pub(super) fn constant(&mut self, var: Var, offset: u32, integer: bool) -> (Register, u8) {
        let base = self.bases.get(&var).copied().unwrap_or(0);
        let placed = self.placements.entry((var, offset)).or_insert_with(|| Placement {
            var,
            offset,
            file: File::Const,
            register: base.saturating_add((offset / 16).min(u32::from(u16::MAX)) as u16),
            component: (offset / 4 % 4) as u8,
            integer,
        });
        (Register::new(placed.file, placed.register), placed.component)
    }

    /// Records that relative addresses reach a part of a block.
    pub(super) fn reach(&mut self, var: Var, from: u32, to: u32) {
        let base = self.bases.get(&var).copied().unwrap_or(0);
        let register = |offset: u32| base.saturating_add((offset / 16).min(u32::from(u16::MAX)) as u16);
        let (first, last) = (register(from), register(to));
        let range = self.ranges.entry(var).or_insert((first, last));
        *range = (range.0.min(first), range.1.max(last));
    }

    /// Gives an integer that only counts iterations a register of its own: the one with the number of its 16 bytes in the
    /// block, or the first free one. None if there is no free one.
    pub(super) fn counter(&mut self, var: Var, offset: u32) -> Option<Register> {
        if let Some(placed) = self.placements.get(&(var, offset)) {
            return (placed.file == File::ConstInt).then(|| Register::new(File::ConstInt, placed.register));
        }
        let taken: BTreeSet<u16> = self
            .placements
            .values()
            .filter(|placed| placed.file == File::ConstInt)
            .map(|placed| placed.register)
            .collect();
        let own = (offset / 16) as u16;
        let register =
            std::iter::once(own).chain(0..INTEGERS).find(|n| *n < INTEGERS && !taken.contains(n))?;
        let placed = Placement { var, offset, file: File::ConstInt, register, component: 0, integer: true };
        self.placements.insert((var, offset), placed);
        Some(Register::new(File::ConstInt, register))
    }

    /// Gives an integer that only chooses between arms a boolean register of its own: the first free one, if there is one.
    pub(super) fn flag(&mut self, var: Var, offset: u32) -> Option<Register> {
        if let Some(placed) = self.placements.get(&(var, offset)) {
            return (placed.file == File::ConstBool).then(|| Register::new(File::ConstBool, placed.register));
        }
        let is_taken =
            |n: &u16| self.placements.values().any(|it| it.file == File::ConstBool && it.register == *n);
        let register = (0..BOOLEANS).find(|n| !is_taken(n))?;
        let placed = Placement { var, offset, file: File::ConstBool, register, component: 0, integer: true };
        self.placements.insert((var, offset), placed);
        Some(Register::new(File::ConstBool, register))
    }

    /// The number of an integer register that no constant has.
    pub(super) fn free_integer(&self, defined: &BTreeMap<u16, [u32; 4]>) -> Option<u16> {
        let is_taken =
            |n: &u16| self.placements.values().any(|it| it.file == File::ConstInt && it.register == *n);
        (0..INTEGERS).find(|n| !is_taken(n) && !defined.contains_key(n))
    }

    /// The register of an input or output and the first component in it; none if it has no form here.
    pub(super) fn varying(
        &mut self,
        module: &Module,
        access: &Access,
        components: u8,
        profile: Profile,
    ) -> Option<(Place, u8)> {
        let Profile { model, is_vertex } = profile;
        let data = module.var(access.var)?;
        let is_input = data.mode == Mode::In;
        let fixed = |file, number| Some((Place::Fixed(Register::new(file, number)), access.component));
        let (usage, index) = match (access.builtin, is_input, is_vertex) {
            (Some(Builtin::Position), false, true) => (DeclUsage::Position as u8, 0),
            (Some(Builtin::PointSize), false, true) => (DeclUsage::PointSize as u8, 0),
            (Some(Builtin::FragDepth), false, false) => return fixed(File::Depth, 0),
            (Some(Builtin::FragCoord | Builtin::FrontFacing), ..) if model == Model::Two => return None,
            (Some(Builtin::FragCoord), true, false) => {
                self.special.insert(Register::new(File::Misc, 0));
                return fixed(File::Misc, 0);
            }
            (Some(Builtin::FrontFacing), true, false) => {
                self.special.insert(Register::new(File::Misc, 1));
                return fixed(File::Misc, 1);
            }
            (Some(_), ..) => return None,
            (None, false, false) => {
                let number = semantic(module, access).filter(|(usage, _)| *usage == DeclUsage::Color as u8);
                return fixed(
                    File::Color,
                    number.map_or(access.location as u16, |(_, index)| u16::from(index)),
                );
            }
            (None, ..) => {
                let named = semantic(module, access);
                named.unwrap_or((DeclUsage::TexCoord as u8, access.location.min(255) as u8))
            }
        };
        let file = if is_input { File::Input } else { File::Output };
        let table = if is_input { &mut self.inputs } else { &mut self.outputs };
        let number = table.len() as u16;
        let own = match (model, is_input, is_vertex) {
            (Model::Two, true, false) => fixed_register(
                usage,
                index,
                &[(DeclUsage::Color, File::Input), (DeclUsage::TexCoord, File::Texture)],
            ),
            (Model::Two, false, _) => fixed_register(
                usage,
                index,
                &[
                    (DeclUsage::Position, File::Raster),
                    (DeclUsage::PointSize, File::Raster),
                    (DeclUsage::Color, File::ColorOut),
                    (DeclUsage::TexCoord, File::TexCoordOut),
                ],
            ),
            _ => Some(Register::new(file, number)),
        }?;
        let interp = data.attrs.words::<Interp>();
        let (register, declared) = table.entry((usage, index)).or_insert_with(|| {
            let declaration = Declaration { usage, index, texture: 0 };
            let declared = Declared { declaration, mask: 0, centroid: interp.has(Interp::CENTROID) };
            (own, declared)
        });
        declared.mask |= (((1u16 << components) - 1) << access.component) as u8 & 0xf;
        Some((Place::Fixed(*register), access.component))
    }

    /// The register of an image with a sampler; `dim` is a texture type of [`crate::sm1::TEXTURE_TYPES`].
    pub(super) fn sampler(
        &mut self,
        module: &Module,
        (image, sampler): (Var, Var),
        dim: u8,
        is_vertex: bool,
    ) -> Register {
        if let Some(&(number, _)) = self.samplers.get(&(image, sampler)) {
            return Register::new(File::Sampler, number);
        }
        let most = if is_vertex { SAMPLERS[0] } else { SAMPLERS[1] };
        let binding = module.var(image).and_then(|data| data.attrs.get(Key::Binding));
        let own = binding.and_then(|binding| u16::try_from(binding).ok()).filter(|&n| n < most);
        let is_taken = |n: u16| self.samplers.values().any(|&(taken, _)| taken == n);
        let number = own.into_iter().chain(0..).find(|&n| !is_taken(n)).unwrap_or(u16::MAX);
        self.samplers.insert((image, sampler), (number, dim));
        Register::new(File::Sampler, number)
    }

    /// The samplers in order of their numbers, with their texture types.
    pub(super) fn samplers(&self) -> Vec<(SamplerPlacement, u8)> {
        let list = self.samplers.iter().map(|(&(image, sampler), &(register, dim))| {
            (SamplerPlacement { image, sampler, register }, dim)
        });
        let mut list: Vec<(SamplerPlacement, u8)> = list.collect();
        list.sort_by_key(|(placed, _)| placed.register);
        list
    }

    /// Forgets constants that no instruction reads.
    pub(super) fn keep_read(&mut self, codes: &[Code]) {
        let ranges: Vec<(u16, u16)> = self.ranges.values().copied().collect();
        let in_range = |register: u16| ranges.iter().any(|&(first, last)| (first..=last).contains(&register));
        let mut read: BTreeSet<(Register, u8)> = BTreeSet::new();
        for code in codes {
            for (at, source) in code.sources.iter().enumerate() {
                let Place::Fixed(register) = source.place else { continue };
                let positions = code.positions(at);
                let used = (0..4).filter(|&position| positions >> position & 1 == 1);
                read.extend(used.map(|position| (register, source.swizzle[position])));
            }
        }
        self.placements.retain(|_, placed| match placed.file {
            File::Const if in_range(placed.register) => true,
            File::ConstInt | File::ConstBool => {
                read.iter().any(|(it, _)| *it == Register::new(placed.file, placed.register))
            }
            file => read.contains(&(Register::new(file, placed.register), placed.component)),
        });
    }

    /// The first constant register after those of the program.
    pub(super) fn first_free_constant(&self) -> u16 {
        let floats = self.placements.values().filter(|placed| placed.file == File::Const);
        let used = floats.map(|placed| placed.register.saturating_add(1));
        used.chain(self.ranges.values().map(|&(_, last)| last.saturating_add(1))).max().unwrap_or(0)
    }

    /// The first register of a block.
    pub(super) fn base(&self, var: Var) -> u16 {
        self.bases.get(&var).copied().unwrap_or(0)
    }
}

impl Declared {
    /// The destination of the declaration.
    pub(super) fn target(&self, register: Register) -> Dst {
        Dst { mask: self.mask, centroid: self.centroid, ..Dst::plain(register) }
    }
}

/// The semantic that the program states for a variable.
fn semantic(module: &Module, access: &Access) -> Option<(u8, u8)> {
    let of_var = |on: DecorTarget| on == DecorTarget::Var(access.var);
    let decor = module.decors.iter().find(|decor| decor.number == USER_SEMANTIC && of_var(decor.on))?;
    let text = module.text_of(decor.text?).to_ascii_lowercase();
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (name, index) = text.split_at(text.len() - digits);
    let usage = DeclUsage::parse(name)?;
    let base: u32 = if index.is_empty() { 0 } else { index.parse().ok()? };
    let own = module.var(access.var)?.attrs.get(Key::Location).unwrap_or(0) as u32;
    let index = base.saturating_add(access.location.saturating_sub(own));
    Some((usage as u8, u8::try_from(index).ok().filter(|&index| index < 16)?))
}

/// The texture type of a dimension; none if Direct3D 9 has no such texture.
pub(super) fn texture_type(dim: Dim) -> Option<u8> {
    match dim {
        Dim::D1 => Some(1),
        Dim::D2 => Some(2),
        Dim::Cube => Some(3),
        Dim::D3 => Some(4),
        Dim::Rect | Dim::Buffer | Dim::Subpass => None,
    }
}

/// The register of a semantic in shader model 2, where the number of the semantic is that of the register.
fn fixed_register(usage: u8, index: u8, files: &[(DeclUsage, File)]) -> Option<Register> {
    let &(of, file) = files.iter().find(|&&(of, _)| of as u8 == usage)?;
    // `oPos`, `oFog` and `oPts`, in this order.
    let number = if of == DeclUsage::PointSize { 2 } else { u16::from(index) };
    Some(Register::new(file, number))
}

/// Returns true if a type is an integer.
pub(super) fn is_integer(module: &Module, ty: vitrine_ir::Type) -> bool {
    matches!(module.type_of(super::paths::scalar_of(module, ty).0), TypeData::Int { .. })
}
