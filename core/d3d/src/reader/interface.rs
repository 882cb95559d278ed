//! The variables of a program, and the storage of its registers.
//!
//! Outputs are registers until the program ends, because it may write them by component and more than once.

use super::cursor::Cursor;
use super::locations::{Locations, Semantic};
use super::storage::{Place, Storage};
use super::survey::Survey;
use crate::sm1::{ALL_COMPONENTS, ConstantTable, DeclUsage, File, Register, USAGES, Version};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::ops::{Attr, Builtin, DerefOp, Dim, Interp, Key, MemoryOp, ValueType, Width, WordSet};
use vitrine_ir::{
    Attrs, Decor, DecorTarget, Depth, ImageType, Inst, InstData, Len, Member, Mode, StructData, Type,
    TypeData, Usage, Var, VarData,
};

/// Number of the SPIR-V decoration UserSemantic.
const USER_SEMANTIC: u32 = 5635;
/// Constants that a relative address may reach in a vertex shader and in a pixel shader.
const REACH: (u16, u16) = (256, 224);
/// The maximum number of registers of a named constant.
const MOST_REGISTERS: u16 = 4096;
/// Stages with a matrix for `texbem`.
const STAGES: u32 = 8;

pub(super) const B32X4: ValueType = ValueType::bits(Width::W32, 4);
const B1X4: ValueType = ValueType::bits(Width::W1, 4);

/// A texture with its sampler.
#[derive(Clone, Copy)]
pub(super) struct Sampler {
    pub(super) var: Var,
    pub(super) dim: Dim,
}

impl Sampler {
    /// The number of components of a coordinate.
    pub(super) fn coordinates(self) -> u8 {
        self.dim.axes() as u8
    }
}

/// A uniform buffer of constants.
pub(super) struct Constants {
    var: Var,
    /// First register and number of registers of each member, in order; none if the only member is an array of all.
    members: Vec<(u16, u16)>,
}

/// The variables and registers of a program.
#[derive(Default)]
pub(super) struct Interface {
    /// Registers with storage of their own.
    pub(super) single: BTreeMap<Register, Storage>,
    /// Files that relative addresses index, with their length.
    pub(super) arrays: BTreeMap<File, (Storage, u16)>,
    /// The uniform buffers of constants.
    pub(super) constants: BTreeMap<File, Constants>,
    /// The matrices of `texbem`.
    pub(super) bem: Option<Var>,
    /// Inputs.
    pub(super) inputs: BTreeMap<Register, Var>,
    /// Textures by number.
    pub(super) samplers: BTreeMap<u16, Sampler>,
    /// Outputs: the register, the variable, its number of components.
    pub(super) outputs: Vec<(Register, Var, u8)>,
    /// Every variable of the entry point.
    pub(super) all: Vec<Var>,
}

/// A variable to be declared.
struct Wanted {
    name: String,
    components: u8,
    attrs: Vec<Attr>,
    semantic: Option<String>,
}

impl Interface {
    /// Declares the variables that a program needs, and its registers.
    pub(super) fn declare(
        cursor: &mut Cursor<'_>,
        survey: &Survey,
        version: Version,
        table: &ConstantTable,
    ) -> Interface {
        let mut made = Interface::default();
        made.constants(cursor, survey, version, table);
        made.samplers(cursor, survey, version);
        made.inputs(cursor, survey, version);
        made.outputs(cursor, survey, version);
        made.registers(cursor, survey, version);
        made
    }

    fn constants(
        &mut self,
        cursor: &mut Cursor<'_>,
        survey: &Survey,
        version: Version,
        table: &ConstantTable,
    ) {
        for (binding, file, name) in
            [(0, File::Const, "c"), (1, File::ConstInt, "i"), (2, File::ConstBool, "b")]
        {
            let is_relative = survey.relative.contains(&file);
            let reads: Vec<u16> = survey
                .of_file(file)
                .map(|(number, _)| number)
                .filter(|&number| is_relative || !survey.defined.contains_key(&Register::new(file, number)))
                .collect();
            if reads.is_empty() {
                continue;
            }
            let of = match file {
                File::Const => {
                    let f32 = float(cursor.module);
                    vector(cursor, f32, 4)
                }
                File::ConstInt => {
                    let int = cursor.module.ty(TypeData::Int { width: Width::W32, signed: true });
                    vector(cursor, int, 4)
                }
                _ => cursor.module.ty(TypeData::Int { width: Width::W32, signed: false }),
            };
            let named = if is_relative { Vec::new() } else { named(file, &reads, table) };
            let constants = match named.is_empty() {
                true => {
                    let all = if version.is_vertex() { REACH.0 } else { REACH.1 };
                    let reach = survey.ends.get(&file).copied().unwrap_or(all);
                    let is_read = |number: &u16| {
                        let register = Register::new(file, *number);
                        survey.is_reached(register) || !survey.defined.contains_key(&register)
                    };
                    let count =
                        reads.iter().copied().filter(is_read).max().map_or(0, |last| last.saturating_add(1));
                    let len = if is_relative { count.max(reach) } else { count };
                    Constants {
                        var: self.buffer(cursor, name, of, u32::from(len), binding),
                        members: Vec::new(),
                    }
                }
                false => self.named_buffer(cursor, name, of, &named, binding),
            };
            self.constants.insert(file, constants);
        }
    }

    /// A uniform buffer with a member for each constant: name, first register, number of registers.
    fn named_buffer(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: &str,
        of: Type,
        named: &[(String, u16, u16)],
        binding: u64,
    ) -> Constants {
        let member = |(name, first, count): &(String, u16, u16)| {
            let len = Len::Count(u32::from(*count));
            let ty = match count {
                1 => of,
                _ => cursor.module.ty(TypeData::Array { of, len, stride: 16 }),
            };
            let attrs = Attrs::one(Key::Offset, 16 * u64::from(*first));
            Member { name: Some(cursor.module.text(name)), ty, attrs }
        };
        let list: Vec<Member> = named.iter().map(member).collect();
        let var = self.block(cursor, name, list, binding);
        Constants { var, members: named.iter().map(|&(_, first, count)| (first, count)).collect() }
    }

    /// A uniform buffer with one array of elements 16 bytes apart.
    fn buffer(&mut self, cursor: &mut Cursor<'_>, name: &str, of: Type, len: u32, binding: u64) -> Var {
        let array = cursor.module.ty(TypeData::Array { of, len: Len::Count(len), stride: 16 });
        let text = Some(cursor.module.text(name));
        let member = Member { name: text, ty: array, attrs: Attrs::one(Key::Offset, 0) };
        self.block(cursor, name, vec![member], binding)
    }

    fn block(&mut self, cursor: &mut Cursor<'_>, name: &str, members: Vec<Member>, binding: u64) -> Var {
        let text = Some(cursor.module.text(name));
        let block = StructData { name: text, members: members.into(), attrs: Attrs::one(Key::Block, 1) };
        let structure = cursor.module.add_struct(block);
        let ty = cursor.module.ty(TypeData::Struct(structure));
        let attrs = Attrs::from_list(vec![Attr::new(Key::Set, 0), Attr::new(Key::Binding, binding)]);
        self.add(cursor, VarData { name: text, ty, mode: Mode::Uniform, owner: None, init: None, attrs })
    }

    fn add(&mut self, cursor: &mut Cursor<'_>, data: VarData) -> Var {
        let var = cursor.module.add_var(data);
        self.all.push(var);
        var
    }

    fn samplers(&mut self, cursor: &mut Cursor<'_>, survey: &Survey, version: Version) {
        let numbers: Vec<u16> = survey.of_file(File::Sampler).map(|(number, _)| number).collect();
        for number in numbers {
            let register = Register::new(File::Sampler, number);
            let declared = survey.declared.get(&register).map_or(0, |(declaration, _)| declaration.texture);
            let dim = match declared {
                1 => Dim::D1,
                3 => Dim::Cube,
                4 => Dim::D3,
                _ => Dim::D2,
            };
            let sampled = float(cursor.module);
            let image = ImageType {
                sampled,
                dim,
                arrayed: false,
                multisampled: false,
                depth: Depth::No,
                usage: Usage::Sampled,
                format: 0,
            };
            let ty = cursor.module.ty(TypeData::SampledImage(image));
            let name = Some(cursor.module.text(&format!("s{number}")));
            let attrs =
                Attrs::from_list(vec![Attr::new(Key::Set, 1), Attr::new(Key::Binding, u64::from(number))]);
            let data = VarData { name, ty, mode: Mode::Handle, owner: None, init: None, attrs };
            let var = self.add(cursor, data);
            self.samplers.insert(number, Sampler { var, dim });
        }
        let needs_matrix = version.is_ps_1() && survey.needs_bem;
        if needs_matrix {
            let f32 = float(cursor.module);
            let of = vector(cursor, f32, 4);
            // For each stage: the matrix by columns, then the scale and the offset of the luminance.
            self.bem = Some(self.buffer(cursor, "bem", of, 2 * STAGES, 3));
        }
    }

    fn inputs(&mut self, cursor: &mut Cursor<'_>, survey: &Survey, version: Version) {
        let mut found: Vec<Register> = Vec::new();
        for file in [File::Input, File::Texture, File::Misc] {
            let mut numbers: Vec<u16> = survey.of_file(file).map(|(number, _)| number).collect();
            if survey.relative.contains(&file) {
                let declared = survey.declared.keys().filter(|register| register.file == file);
                numbers.extend(declared.map(|register| register.number));
                numbers.sort_unstable();
                numbers.dedup();
            }
            found.extend(numbers.into_iter().map(|number| Register::new(file, number)));
        }
        let varyings = found.iter().filter(|register| register.file != File::Misc && !version.is_vertex());
        let semantics = varyings.filter_map(|&register| input_semantic(register, survey, version));
        let mut locations = Locations::of(semantics);
        for register in found {
            let var = match register.file {
                File::Misc => self.built_in_input(cursor, register.number),
                _ => {
                    let wanted = input(register, survey, version, &mut locations);
                    self.varying(cursor, wanted, Mode::In)
                }
            };
            self.inputs.insert(register, var);
        }
    }

    fn built_in_input(&mut self, cursor: &mut Cursor<'_>, number: u16) -> Var {
        let (name, builtin) = match number {
            0 => ("vPos", Builtin::FragCoord),
            _ => ("vFace", Builtin::FrontFacing),
        };
        let ty = match number {
            0 => {
                let f32 = float(cursor.module);
                vector(cursor, f32, 4)
            }
            _ => cursor.module.ty(TypeData::Bool),
        };
        let name = Some(cursor.module.text(name));
        let attrs = Attrs::None.with_word(builtin);
        self.add(cursor, VarData { name, ty, mode: Mode::In, owner: None, init: None, attrs })
    }

    fn varying(&mut self, cursor: &mut Cursor<'_>, wanted: Wanted, mode: Mode) -> Var {
        let f32 = float(cursor.module);
        let ty = if wanted.components == 1 { f32 } else { vector(cursor, f32, wanted.components) };
        let name = Some(cursor.module.text(&wanted.name));
        let attrs = Attrs::from_list(wanted.attrs);
        let var = self.add(cursor, VarData { name, ty, mode, owner: None, init: None, attrs });
        if let Some(semantic) = wanted.semantic {
            let text = Some(cursor.module.text(&semantic));
            let decor = Decor { on: DecorTarget::Var(var), number: USER_SEMANTIC, words: None, text };
            Rc::make_mut(&mut cursor.module.decors).push(decor);
        }
        var
    }

    fn outputs(&mut self, cursor: &mut Cursor<'_>, survey: &Survey, version: Version) {
        let mut found = Vec::new();
        for file in [File::Raster, File::ColorOut, File::TexCoordOut, File::Output, File::Color, File::Depth]
        {
            // `oT#` and `o#` have the same type number; a version has one of them.
            let numbers = survey.of_file(file).map(|(number, _)| number);
            found.extend(numbers.map(|number| Register::new(file, number)));
            if survey.relative.contains(&file) {
                let declared = survey.declared.keys().filter(|register| register.file == file);
                found.extend(declared.copied());
            }
        }
        found.sort_unstable();
        found.dedup();
        let semantics = found.iter().filter_map(|&register| {
            let of = output_semantic(register, survey);
            of.filter(|_| output_builtin(register, of).is_none())
        });
        let mut locations = Locations::of(semantics);
        for register in found {
            let wanted = output(register, survey, &mut locations);
            let components = wanted.components;
            let var = self.varying(cursor, wanted, Mode::Out);
            self.outputs.push((register, var, components));
        }
        if version.is_ps_1() {
            let wanted = Wanted {
                name: "oC0".to_owned(),
                components: 4,
                attrs: vec![Attr::new(Key::Location, 0)],
                semantic: None,
            };
            let var = self.varying(cursor, wanted, Mode::Out);
            self.outputs.push((Register::new(File::Temp, 0), var, 4));
        }
    }

    /// Declares the storage of registers.
    fn registers(&mut self, cursor: &mut Cursor<'_>, survey: &Survey, version: Version) {
        let is_shared = survey.has_calls || !survey.labels.is_empty();
        for &file in &survey.relative {
            if matches!(file, File::Input | File::Texture | File::Output | File::TexCoordOut) {
                let inputs = self.inputs.keys().copied();
                let of_file = inputs.chain(self.outputs.iter().map(|&(register, ..)| register));
                let last =
                    of_file.filter(|register| register.file == file).map(|register| register.number).max();
                let len = last.map_or(1, |last| last.saturating_add(1));
                let name = if version.is_vertex() && file != File::Input { "outputs" } else { "inputs" };
                let storage = storage(cursor, name, B32X4, u32::from(len), is_shared);
                self.arrays.insert(file, (storage, len));
            }
        }
        let outputs: Vec<Register> = self.outputs.iter().map(|&(register, ..)| register).collect();
        let used = survey.used.keys().copied().chain(outputs);
        let mut registers: Vec<Register> =
            used.filter(|register| self.has_storage(*register, version)).collect();
        registers.sort_unstable();
        registers.dedup();
        for register in registers {
            let ty = match register.file {
                File::Predicate => B1X4,
                File::Loop => ValueType::B32,
                _ => B32X4,
            };
            let mut name = String::new();
            register.spell(&mut name);
            let made = storage(cursor, &name, ty, 0, is_shared);
            self.single.insert(register, made);
        }
    }

    fn has_storage(&self, register: Register, version: Version) -> bool {
        match register.file {
            File::Temp | File::Half | File::Address | File::Loop | File::Predicate => true,
            // The texture registers of ps_1_1 to ps_1_3 are written.
            File::Texture => version.is_ps_1() && version.minor < 4,
            File::Raster | File::ColorOut | File::TexCoordOut | File::Output | File::Color | File::Depth => {
                !self.arrays.contains_key(&register.file)
            }
            File::Input
            | File::Const
            | File::ConstInt
            | File::ConstBool
            | File::Sampler
            | File::Misc
            | File::Label => false,
        }
    }

    /// The place of a register with storage.
    pub(super) fn place(&self, cursor: &mut Cursor<'_>, register: Register) -> Option<Place> {
        if let Some(storage) = self.single.get(&register) {
            return Some(storage.place());
        }
        let &(storage, len) = self.arrays.get(&register.file)?;
        (register.number < len)
            .then(|| Place { storage, element: Some(cursor.int(i32::from(register.number))) })
    }

    /// Gives registers their values at the start of the program.
    pub(super) fn prologue(&self, cursor: &mut Cursor<'_>, survey: &Survey) {
        for (&register, &var) in &self.inputs {
            let is_copied = self.single.contains_key(&register) || self.arrays.contains_key(&register.file);
            if let (true, Some(place)) = (is_copied, self.place(cursor, register)) {
                let value = load(cursor, var, B32X4);
                cursor.write(place, value, ALL_COMPONENTS);
            }
        }
        for &(register, _, components) in &self.outputs {
            let all = (1u8 << components) - 1;
            let is_partial = survey.written(register) & all != all;
            if let (true, Some(place)) =
                (is_partial && register.file != File::Temp, self.place(cursor, register))
            {
                let zero = cursor.float(0.0, 4);
                cursor.write(place, zero, ALL_COMPONENTS);
            }
        }
    }

    /// Writes the outputs at the end of the program.
    pub(super) fn epilogue(&self, cursor: &mut Cursor<'_>) {
        for &(register, var, components) in &self.outputs {
            let Some(place) = self.place(cursor, register) else { continue };
            let value = cursor.read(place);
            let numbers: Vec<u8> = (0..components).collect();
            let value = cursor.swizzle(value, &numbers);
            let path = cursor.path(var, None);
            cursor.add(InstData::new(MemoryOp::Store, ValueType::Void, &[path, value]));
        }
    }

    /// Loads a row of the matrices of `texbem`.
    pub(super) fn row(&self, cursor: &mut Cursor<'_>, buffer: Var, index: Inst) -> Inst {
        let path = cursor.path(buffer, None);
        let array = field(cursor, path, 0);
        let path = element(cursor, array, index);
        cursor.add(InstData::new(MemoryOp::Load, B32X4, &[path]))
    }
}

impl Constants {
    /// Loads a constant.
    pub(super) fn load(&self, cursor: &mut Cursor<'_>, number: u16, ty: ValueType) -> Inst {
        if self.members.is_empty() {
            let index = cursor.int(i32::from(number));
            return self.load_at(cursor, index, ty);
        }
        let after = self.members.partition_point(|&(first, _)| first <= number);
        let member = after.saturating_sub(1);
        let (first, count) = self.members.get(member).copied().unwrap_or((number, 1));
        let path = cursor.path(self.var, None);
        let mut path = field(cursor, path, member);
        if count > 1 {
            let index = cursor.int(i32::from(number - first));
            path = element(cursor, path, index);
        }
        cursor.add(InstData::new(MemoryOp::Load, ty, &[path]))
    }

    /// Loads a constant by a computed number. The buffer has an array of all.
    pub(super) fn load_at(&self, cursor: &mut Cursor<'_>, index: Inst, ty: ValueType) -> Inst {
        let path = cursor.path(self.var, None);
        let array = field(cursor, path, 0);
        let path = element(cursor, array, index);
        cursor.add(InstData::new(MemoryOp::Load, ty, &[path]))
    }
}

fn field(cursor: &mut Cursor<'_>, path: Inst, member: usize) -> Inst {
    cursor.add(InstData::new(DerefOp::Field, ValueType::Path, &[path]).with(Key::Field, member as u64))
}

fn element(cursor: &mut Cursor<'_>, path: Inst, index: Inst) -> Inst {
    cursor.add(InstData::new(DerefOp::Elem, ValueType::Path, &[path, index]))
}

/// The constants that a program reads: those of its table by name, others by register. Empty if the table has none.
fn named(file: File, reads: &[u16], table: &ConstantTable) -> Vec<(String, u16, u16)> {
    let mut found: Vec<(String, u16, u16)> = Vec::new();
    let mut has_names = false;
    for &number in reads {
        let end = found.last().map_or(0, |&(_, first, count)| first + count);
        if number < end {
            continue;
        }
        let mut own = String::new();
        Register::new(file, number).spell(&mut own);
        match table.constant_at(Register::new(file, number)) {
            // A constant that begins inside of another one is not a member of its own.
            Some((constant, distance)) if number - distance >= end && !constant.name.is_empty() => {
                has_names = true;
                let count = constant.count.min(MOST_REGISTERS).max(distance + 1);
                found.push((constant.name.clone(), number - distance, count));
            }
            _ => found.push((own, number, 1)),
        }
    }
    if has_names { found } else { Vec::new() }
}

/// Loads a variable.
pub(super) fn load(cursor: &mut Cursor<'_>, var: Var, ty: ValueType) -> Inst {
    let path = cursor.path(var, None);
    cursor.add(InstData::new(MemoryOp::Load, ty, &[path]))
}

fn storage(cursor: &mut Cursor<'_>, name: &str, ty: ValueType, len: u32, is_shared: bool) -> Storage {
    if !is_shared {
        return cursor.add_reg(name, ty, len);
    }
    let scalar = match ty.width() {
        Some(Width::W1) => cursor.module.ty(TypeData::Bool),
        _ => float(cursor.module),
    };
    let of = if ty.components() == 1 { scalar } else { vector(cursor, scalar, ty.components()) };
    let full = match len {
        0 => of,
        len => cursor.module.ty(TypeData::Array { of, len: Len::Count(len), stride: 0 }),
    };
    cursor.add_private(name, full, ty)
}

fn float(module: &mut vitrine_ir::Module) -> Type {
    module.ty(TypeData::Float { width: Width::W32 })
}

fn vector(cursor: &mut Cursor<'_>, of: Type, components: u8) -> Type {
    cursor.module.ty(TypeData::Vector { of, components })
}

fn semantic(usage: usize, index: u8) -> String {
    let name = USAGES.get(usage).copied().unwrap_or("unknown");
    format!("{}{index}", name.to_ascii_uppercase())
}

/// The semantic of an input.
fn input_semantic(register: Register, survey: &Survey, version: Version) -> Option<Semantic> {
    let declared = survey.declared.get(&register).copied();
    match (register.file, declared) {
        (File::Texture, _) => Some((DeclUsage::TexCoord as usize, register.number as u8)),
        (_, Some((declaration, _))) if version.is_vertex() || version.major >= 3 => {
            Some((usize::from(declaration.usage), declaration.index))
        }
        (_, _) if !version.is_vertex() && version.major < 3 => {
            Some((DeclUsage::Color as usize, register.number as u8))
        }
        _ => None,
    }
}

fn input(register: Register, survey: &Survey, version: Version, locations: &mut Locations) -> Wanted {
    let mut name = String::new();
    register.spell(&mut name);
    let declared = survey.declared.get(&register).copied();
    let of = input_semantic(register, survey, version);
    let location = match of {
        Some(semantic) if !version.is_vertex() => locations.take(semantic),
        _ => locations.numbered(register.number),
    };
    let mut attrs = vec![Attr::new(Key::Location, location)];
    if declared.is_some_and(|(_, is_centroid)| is_centroid) {
        attrs.push(Attr::new(Key::Interp, Interp::CENTROID.number()));
    }
    Wanted { name, components: 4, attrs, semantic: of.map(|(usage, index)| semantic(usage, index)) }
}

/// The semantic of an output.
fn output_semantic(register: Register, survey: &Survey) -> Option<Semantic> {
    let declared = survey
        .declared
        .get(&register)
        .map(|(declaration, _)| (usize::from(declaration.usage), declaration.index));
    let number = register.number as u8;
    match (register.file, declared) {
        (File::ColorOut, _) => Some((DeclUsage::Color as usize, number)),
        (File::TexCoordOut, _) => Some((DeclUsage::TexCoord as usize, number)),
        (File::Raster, _) if number == 1 => Some((DeclUsage::Fog as usize, 0)),
        (File::Output, declared) => declared,
        _ => None,
    }
}

/// The system value of an output, with the name of the variable and the components.
fn output_builtin(register: Register, of: Option<Semantic>) -> Option<(&'static str, Builtin, u8)> {
    let number = register.number;
    match (register.file, of) {
        (File::Raster, _) if number == 0 => Some(("oPos", Builtin::Position, 4)),
        (File::Raster, _) if number == 2 => Some(("oPts", Builtin::PointSize, 1)),
        (File::Depth, _) => Some(("oDepth", Builtin::FragDepth, 1)),
        (File::Output, Some((found, 0))) if found == DeclUsage::Position as usize => {
            Some(("oPos", Builtin::Position, 4))
        }
        (File::Output, Some((found, 0))) if found == DeclUsage::PointSize as usize => {
            Some(("oPts", Builtin::PointSize, 1))
        }
        _ => None,
    }
}

fn output(register: Register, survey: &Survey, locations: &mut Locations) -> Wanted {
    let mut name = String::new();
    register.spell(&mut name);
    let of = output_semantic(register, survey);
    if let Some((name, builtin, components)) = output_builtin(register, of) {
        let attrs = vec![Attr::word(builtin)];
        return Wanted { name: name.to_owned(), components, attrs, semantic: None };
    }
    let location = match of {
        Some(semantic) => locations.take(semantic),
        None => locations.numbered(register.number),
    };
    let components = if register.file == File::Raster { 1 } else { 4 };
    let attrs = vec![Attr::new(Key::Location, location)];
    Wanted { name, components, attrs, semantic: of.map(|(usage, index)| semantic(usage, index)) }
}
