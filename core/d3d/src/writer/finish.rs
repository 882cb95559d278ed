//! The program: declarations, definitions of literals, the table of constants, and instructions with registers.

use super::code::{Code, Model, PREDICATE, Place, Profile, Reading, Source};
use super::interface::{Interface, Placement, SamplerPlacement};
use crate::sm1::{
    BaseType, Constant, ConstantTable, ConstantType, Declaration, Definition, Dst, File, IDENTITY, Index,
    Inst, Item, ItemKind, Modifier, Op, Program, Register, RegisterSet, Src, TypeClass, TypeId, Version,
};
use std::collections::BTreeMap;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, Diag, Module, TypeData, Var};

/// A translated entry point.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program.
    pub program: Program,
    /// The part of the module that each item of the program was written for.
    pub anchors: Vec<Anchor>,
    /// The register of every 32-bit component of a uniform buffer that the program reads.
    pub layout: Vec<Placement>,
    /// The register of every image with its sampler, by number.
    pub samplers: Vec<SamplerPlacement>,
    /// Loops of unknown length: their node, and the number of iterations after which they end in any case, because only
    /// four `rep` may be nested.
    pub cut_loops: Vec<(Anchor, u32)>,
}

/// Everything that a program consists of, but its literals.
pub(super) struct Parts<'m> {
    pub module: &'m Module,
    pub interface: Interface,
    pub integers: BTreeMap<u16, [u32; 4]>,
    pub codes: Vec<Code>,
    pub cut_loops: Vec<(Anchor, u32)>,
    pub profile: Profile,
    /// Temporary registers that are used.
    pub registers: u16,
}

/// Makes the program.
///
/// Errors: `D154`, limits of the profile; `D147`, a table of constants that is too large.
pub(super) fn finish(mut parts: Parts<'_>) -> Result<Translated, Vec<Diag>> {
    let version = parts.profile.version();
    let first = parts.interface.first_free_constant();
    let literals = pool(&mut parts.codes, first);
    if parts.profile == Profile::PS_2_0 {
        super::restrict::operands(&mut parts.codes, parts.registers).map_err(|diag| vec![diag])?;
    }
    let mut items = Vec::new();
    let table = table(&parts, version);
    if !table.constants.is_empty() {
        let words = table.comment().map_err(|diag| vec![diag])?;
        items.push((ItemKind::Comment(words), Anchor::Module));
    }
    for (at, values) in literals.iter().enumerate() {
        let register = Register::new(File::Const, first.saturating_add(at as u16));
        let values = values.map(|value| value.unwrap_or(0));
        items.push((definition(Op::Def, register, Definition::Float(values)), Anchor::Module));
    }
    for (&at, &values) in &parts.integers {
        let register = Register::new(File::ConstInt, at);
        items.push((definition(Op::DefI, register, Definition::Int(values)), Anchor::Module));
    }
    declare(&parts, &mut items);
    for code in &parts.codes {
        items.push((ItemKind::Inst(instruction(code, parts.profile)), code.anchor));
    }
    let diags = super::limits::check(&items, usize::from(first) + literals.len(), version);
    if !diags.is_empty() {
        return Err(diags);
    }
    let anchors = items.iter().map(|&(_, anchor)| anchor).collect();
    let items = items.into_iter().map(|(kind, _)| Item { at: 0, kind }).collect();
    let program = Program { version: Some(version), items, has_end: true, rest: Vec::new() };
    let layout = parts.interface.placements.values().copied().collect();
    let samplers = parts.interface.samplers().into_iter().map(|(placed, _)| placed).collect();
    Ok(Translated { program, anchors, layout, samplers, cut_loops: parts.cut_loops })
}

fn definition(op: Op, register: Register, values: Definition) -> ItemKind {
    ItemKind::Inst(Inst { dst: Some(Dst::plain(register)), definition: Some(values), ..Inst::new(op) })
}

fn declare(parts: &Parts<'_>, items: &mut Vec<(ItemKind, Anchor)>) {
    let interface = &parts.interface;
    let mut dcl = |dst: Dst, declaration: Declaration, anchor: Anchor| {
        let inst = Inst { dst: Some(dst), declaration: Some(declaration), ..Inst::new(Op::Dcl) };
        items.push((ItemKind::Inst(inst), anchor));
    };
    // Outputs of model 2 have registers of their own.
    let outputs = interface.outputs.values().filter(|_| parts.profile.model == Model::Three);
    let mut varyings: Vec<_> = interface.inputs.values().chain(outputs).collect();
    varyings.sort_by_key(|(register, _)| *register);
    for (register, declared) in varyings {
        // Outputs that are read together are declared as a whole.
        let is_named = parts.profile != Profile::PS_2_0;
        let declaration = if is_named { declared.declaration } else { Declaration::default() };
        dcl(declared.target(*register), declaration, Anchor::Module);
    }
    for &register in &interface.special {
        let mask = if register.number == 0 { 0b11 } else { 0xf };
        dcl(Dst { mask, ..Dst::plain(register) }, Declaration::default(), Anchor::Module);
    }
    for (placed, texture) in interface.samplers() {
        let register = Dst::plain(Register::new(File::Sampler, placed.register));
        dcl(register, Declaration { texture, ..Declaration::default() }, Anchor::Var(placed.image));
    }
}

/// Gives literals registers from `first` on: those of an instruction share one, with others as far as there is room.
fn pool(codes: &mut [Code], first: u16) -> Vec<[Option<u32>; 4]> {
    let mut registers: Vec<[Option<u32>; 4]> = Vec::new();
    for code in codes {
        let mut wanted: Vec<u32> = Vec::new();
        for (at, source) in code.sources.iter().enumerate() {
            let Place::Literals(values) = source.place else { continue };
            let positions = code.positions(at);
            for position in (0..4).filter(|&position| positions >> position & 1 == 1) {
                let value = values[usize::from(source.swizzle[position])];
                if !wanted.contains(&value) {
                    wanted.push(value);
                }
            }
        }
        if wanted.is_empty() {
            continue;
        }
        wanted.truncate(4);
        let fits = |register: &[Option<u32>; 4]| {
            let missing = wanted.iter().filter(|value| !register.contains(&Some(**value))).count();
            missing <= register.iter().filter(|slot| slot.is_none()).count()
        };
        let at = registers.iter().position(fits).unwrap_or_else(|| {
            registers.push([None; 4]);
            registers.len() - 1
        });
        for &value in &wanted {
            if !registers[at].contains(&Some(value))
                && let Some(slot) = registers[at].iter_mut().find(|slot| slot.is_none())
            {
                *slot = Some(value);
            }
        }
        let slots = registers[at];
        let register = Register::new(File::Const, first.saturating_add(at as u16));
        for index in 0..code.sources.len() {
            let positions = code.positions(index);
            let source = &mut code.sources[index];
            let Place::Literals(values) = source.place else { continue };
            let used = (0..4).filter(|&position| positions >> position & 1 == 1);
            let mut last = 0;
            let mut swizzle = source.swizzle;
            for position in used {
                let value = values[usize::from(source.swizzle[position])];
                last = slots.iter().position(|slot| *slot == Some(value)).unwrap_or(0) as u8;
                swizzle[position] = last;
            }
            for position in (0..4).filter(|&position| positions >> position & 1 == 0) {
                swizzle[position] = last;
            }
            source.place = Place::Fixed(register);
            source.swizzle = swizzle;
        }
    }
    registers
}

fn instruction(code: &Code, profile: Profile) -> Inst {
    let mut inst = Inst { control: code.control, ..Inst::new(code.op) };
    if let Some(target) = code.target {
        inst.dst = Some(Dst {
            mask: target.mask,
            saturate: target.saturate,
            partial: code.partial,
            ..Dst::plain(register(target.place))
        });
    }
    if code.op == Op::TexKill {
        // Its operand is a destination.
        let source = code.sources.first().map_or(Place::Literals([0; 4]), |source| source.place);
        let mask = code.sources.first().map_or(0xf, |source| {
            let used = (0..4).filter(|&at| code.positions(0) >> at & 1 == 1);
            used.fold(0u8, |mask, at| mask | 1 << source.swizzle[at])
        });
        inst.dst = Some(Dst { mask, ..Dst::plain(register(source)) });
        return inst;
    }
    if let Some(component) = code.predicate {
        let swizzle = if component < 4 { 0x55 * component } else { IDENTITY };
        inst.predicate = Some(Src { swizzle, ..Src::plain(PREDICATE) });
    }
    for (at, source) in code.sources.iter().enumerate().take(4) {
        inst.sources[at] = operand(code, at, source, profile);
        inst.count += 1;
    }
    inst
}

fn register(place: Place) -> Register {
    match place {
        Place::Fixed(register) => register,
        Place::Temp(temp) => Register::new(File::Temp, temp.0 as u16),
        Place::Literals(_) => Register::new(File::Const, 0),
    }
}

fn operand(code: &Code, at: usize, source: &Source, profile: Profile) -> Src {
    let register = register(source.place);
    let whole = matches!(register.file, File::Sampler | File::ConstInt | File::ConstBool);
    let modifier = match (source.negated, source.absolute) {
        (false, false) => Modifier::None,
        (true, false) => Modifier::Neg,
        (false, true) => Modifier::Abs,
        (true, true) => Modifier::NegAbs,
    };
    let swizzle = match profile {
        _ if whole => IDENTITY,
        Profile::PS_2_0 => super::restrict::swizzle(code, at, source),
        _ => swizzle(code, at, source),
    };
    let index = source
        .relative
        .map(|component| Index { register: Register::new(File::Address, 0), swizzle: 0x55 * component });
    Src { register, swizzle, modifier, index }
}

/// The swizzle, with the positions that are not read filled in: the same component if nothing is permuted, else the last
/// one before.
fn swizzle(code: &Code, at: usize, source: &Source) -> u8 {
    let positions = match code.reading {
        Reading::Each => code.target.map_or(0xf, |target| target.mask),
        _ => code.positions(at),
    };
    let read = |position: usize| positions >> position & 1 == 1;
    let used: Vec<usize> = (0..4).filter(|&position| read(position)).collect();
    let is_identity =
        used.len() > 1 && used.iter().all(|&position| usize::from(source.swizzle[position]) == position);
    let mut last = used.first().map_or(0, |&position| source.swizzle[position]);
    (0..4).fold(0, |packed, position| {
        last = if read(position) { source.swizzle[position] } else { last };
        let component = if is_identity { position as u8 } else { last };
        packed | (component & 3) << (2 * position)
    })
}

// The table of constants.

fn table(parts: &Parts<'_>, version: Version) -> ConstantTable {
    let mut table = ConstantTable {
        creator: "Vitrine".to_owned(),
        target: version.name().to_owned(),
        version: version.token(),
        ..ConstantTable::default()
    };
    let mut used: BTreeMap<Var, Vec<(RegisterSet, u16, u32, bool)>> = BTreeMap::new();
    for placed in parts.interface.placements.values() {
        let set = match placed.file {
            File::ConstInt => RegisterSet::Int4,
            File::ConstBool => RegisterSet::Bool,
            _ => RegisterSet::Float4,
        };
        used.entry(placed.var).or_default().push((set, placed.register, placed.offset, placed.integer));
    }
    for (&var, registers) in &used {
        block(parts, var, registers, &mut table);
    }
    for (SamplerPlacement { image, register: number, .. }, texture) in parts.interface.samplers() {
        let name = parts.module.stated_name(image).map_or_else(|| format!("s{number}"), str::to_owned);
        let base = BaseType::from_number(10 + u16::from(texture)).unwrap_or(BaseType::SAMPLER_2D);
        let ty = ConstantType {
            class: TypeClass::Object,
            base,
            rows: 1,
            columns: 1,
            elements: 1,
            members: Vec::new(),
        };
        add(&mut table, name, RegisterSet::Sampler, number, 1, ty);
    }
    table.constants.sort_by(|a, b| (&a.name, a.set, a.register).cmp(&(&b.name, b.set, b.register)));
    table
}

/// The constants of a block: its members, if each begins a register; else one constant for all.
fn block(parts: &Parts<'_>, var: Var, used: &[(RegisterSet, u16, u32, bool)], table: &mut ConstantTable) {
    let module = parts.module;
    let Some(data) = module.var(var) else { return };
    let members = match module.type_of(data.ty) {
        TypeData::Struct(structure) => module.structure(*structure).map(|it| it.members.clone()),
        _ => None,
    };
    let name =
        module.stated_name(var).map_or_else(|| format!("block{}", parts.interface.base(var)), str::to_owned);
    let mut starts: Vec<(u32, String)> = Vec::new();
    for (at, member) in members.iter().flat_map(|list| list.iter()).enumerate() {
        let own = member.name.map(|text| module.text_of(text).to_owned()).filter(|text| !text.is_empty());
        let offset = member.attrs.get(Key::Offset).unwrap_or(0) as u32;
        starts.push((offset, own.unwrap_or_else(|| format!("{name}_{at}"))));
    }
    starts.sort();
    let floats = used.iter().filter(|(set, ..)| *set == RegisterSet::Float4);
    let is_aligned = starts
        .iter()
        .all(|(offset, _)| offset % 16 == 0 || !floats.clone().any(|&(_, _, at, _)| at / 16 == offset / 16));
    if !is_aligned || starts.is_empty() {
        starts = vec![(0, name)];
    }
    for set in [RegisterSet::Float4, RegisterSet::Int4, RegisterSet::Bool] {
        for (at, (offset, name)) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(u32::MAX, |(next, _)| *next);
            let own: Vec<_> =
                used.iter().filter(|&&(of, _, at, _)| of == set && at >= *offset && at < end).collect();
            let (Some(first), Some(last)) =
                (own.iter().map(|it| it.1).min(), own.iter().map(|it| it.1).max())
            else {
                continue;
            };
            let first = match set {
                RegisterSet::Float4 => parts.interface.base(var).saturating_add((offset / 16) as u16),
                _ => first,
            };
            let count = last.saturating_sub(first) + 1;
            let base = if own.iter().all(|it| it.3) { BaseType::INT } else { BaseType::FLOAT };
            let class = TypeClass::Vector;
            let ty = ConstantType { class, base, rows: 1, columns: 4, elements: count, members: Vec::new() };
            add(table, name.clone(), set, first, count, ty);
        }
    }
}

fn add(
    table: &mut ConstantTable,
    name: String,
    set: RegisterSet,
    register: u16,
    count: u16,
    ty: ConstantType,
) {
    let known = table.types.iter().position(|known| *known == ty);
    let at = known.unwrap_or_else(|| {
        table.types.push(ty);
        table.types.len() - 1
    });
    let ty = Some(TypeId(at as u32));
    table.constants.push(Constant { name, set, register, count, reserved: 0, ty, default: Vec::new() });
}
