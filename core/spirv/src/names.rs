//! Friendly names: an id is named by `OpName`, a type by its shape, a constant by its value.
//!
//! The rules are those of spirv-dis (`source/name_mapper.cpp` in SPIRV-Tools), so that names are the familiar
//! ones: `%main`, `%v4float`, `%_ptr_Function_float`, `%float_0`, `%gl_Position`. One difference: names end
//! after [`MOST_CHARS`] characters, because the name of a nested type may be as long as the nesting is deep,
//! and is repeated at each use.

use super::decode::Context;
use super::enums::enumerants;
use super::grammar::{Kind, op};
use super::ids::IdMap;
use super::words::{Binary, Instruction, string_bytes};
use rspirv::spirv::{BuiltIn, Decoration, Op};
use rustc_hash::FxHashMap;

/// The longest name, before a number makes it unique.
const MOST_CHARS: usize = 160;

/// A name for every id that is defined or named; no two are the same.
#[derive(Debug)]
pub struct Names {
    of: IdMap<u32>,
    texts: Vec<String>,
    /// Used names, with the number to try next for each.
    used: FxHashMap<String, u32>,
}

impl Names {
    /// The names of a module. Linear in its words.
    pub fn of(binary: &Binary) -> Names {
        let words = binary.words().len();
        let mut names = Names { of: IdMap::for_words(words), texts: Vec::new(), used: FxHashMap::default() };
        let mut context = Context::for_words(words);
        for inst in binary.instructions() {
            names.visit(&inst, &context);
            context.note(&inst);
        }
        names
    }

    /// The name of an id without sigil; none for an undefined id.
    pub fn get(&self, id: u32) -> Option<&str> {
        self.of.get(id).map(|at| &*self.texts[at as usize])
    }

    fn name(&self, id: u32) -> String {
        self.get(id).map_or_else(|| id.to_string(), str::to_owned)
    }

    fn save(&mut self, id: u32, suggested: &[u8]) {
        if self.of.get(id).is_some() {
            return;
        }
        let allowed = |&byte: &u8| if byte.is_ascii_alphanumeric() { byte as char } else { '_' };
        let mut name: String = suggested.iter().take(MOST_CHARS).map(allowed).collect();
        if name.is_empty() {
            name.push('_');
        }
        if self.used.contains_key(&name) {
            name = self.unique(&name);
        }
        self.used.insert(name.clone(), 0);
        self.of.insert(id, self.texts.len() as u32);
        self.texts.push(name);
    }

    /// The name with the first number appended that makes it unique.
    fn unique(&mut self, base: &str) -> String {
        let mut number = self.used.get(base).copied().unwrap_or(0);
        let mut name = format!("{base}_{number}");
        while self.used.contains_key(&name) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.used.insert(base.to_owned(), number + 1);
        name
    }

    fn visit(&mut self, inst: &Instruction<'_>, context: &Context) {
        match (inst.opcode, inst.words) {
            (opcode, [_, id, text @ ..]) if opcode == Op::Name as u16 => {
                if let Some((bytes, _)) = string_bytes(text) {
                    self.save(*id, &bytes);
                }
            }
            (opcode, [_, id, decoration, builtin]) if opcode == Op::Decorate as u16 => {
                if *decoration == Decoration::BuiltIn as u32
                    && let Some(name) = builtin_name(*builtin)
                {
                    self.save(*id, name.as_bytes());
                }
            }
            _ => self.visit_result(inst, context),
        }
    }

    fn visit_result(&mut self, inst: &Instruction<'_>, context: &Context) {
        let Some(info) = op(inst.opcode).filter(|info| info.has_result) else { return };
        let Some(&id) = inst.words.get(info.head() - 1) else { return };
        if self.of.get(id).is_some() {
            return;
        }
        let name = self.shaped(inst, context).unwrap_or_else(|| id.to_string().into_bytes());
        self.save(id, &name);
    }

    /// The name of a type or constant; none for other instructions.
    fn shaped(&self, inst: &Instruction<'_>, context: &Context) -> Option<Vec<u8>> {
        let operand = |at: usize| inst.words.get(at + 2).copied();
        let enumerant = |kind: Kind, at: usize| {
            let value = operand(at)?;
            let name = enumerants(kind)?.name(value).map(str::to_owned);
            Some(name.unwrap_or_else(|| value.to_string()))
        };
        let of = |id: u32| self.name(id);
        let text = match Op::from_u32(u32::from(inst.opcode))? {
            Op::TypeVoid => "void".to_owned(),
            Op::TypeBool => "bool".to_owned(),
            Op::TypeInt => int_name(operand(0)?, operand(1)? != 0),
            Op::TypeFloat => match (operand(0)?, inst.words.len() > 3) {
                (16, false) => "half".to_owned(),
                (32, false) => "float".to_owned(),
                (64, false) => "double".to_owned(),
                (16, true) if operand(1) == Some(0) => "bfloat16".to_owned(),
                (width, _) => format!("fp{width}"),
            },
            Op::TypeVector => format!("v{}{}", operand(1)?, of(operand(0)?)),
            Op::TypeMatrix => format!("mat{}{}", operand(1)?, of(operand(0)?)),
            Op::TypeArray => format!("_arr_{}_{}", of(operand(0)?), of(operand(1)?)),
            Op::TypeRuntimeArray => format!("_runtimearr_{}", of(operand(0)?)),
            Op::TypeNodePayloadArrayAMDX => format!("_payloadarr_{}", of(operand(0)?)),
            Op::TypePointer => format!("_ptr_{}_{}", enumerant(Kind::StorageClass, 0)?, of(operand(1)?)),
            Op::TypeUntypedPointerKHR => format!("_ptr_{}", enumerant(Kind::StorageClass, 0)?),
            Op::TypePipe => format!("Pipe{}", enumerant(Kind::AccessQualifier, 0)?),
            Op::TypeEvent => "Event".to_owned(),
            Op::TypeDeviceEvent => "DeviceEvent".to_owned(),
            Op::TypeReserveId => "ReserveId".to_owned(),
            Op::TypeQueue => "Queue".to_owned(),
            Op::TypePipeStorage => "PipeStorage".to_owned(),
            Op::TypeNamedBarrier => "NamedBarrier".to_owned(),
            Op::TypeOpaque => {
                let (bytes, _) = string_bytes(&inst.words[2..])?;
                return Some([b"Opaque_", &*bytes].concat());
            }
            Op::TypeStruct => format!("_struct_{}", inst.words[1]),
            Op::ConstantTrue => "true".to_owned(),
            Op::ConstantFalse => "false".to_owned(),
            Op::Constant => {
                let mut value = String::new();
                let spelled = context.number_for(inst.opcode, inst.words).spell(&inst.words[3..], &mut value);
                // A minus would become an underscore like everything else; an `n` keeps the names distinct.
                spelled.then(|| format!("{}_{}", of(inst.words[1]), value.replace('-', "n")))?
            }
            _ => return None,
        };
        Some(text.into_bytes())
    }
}

fn int_name(width: u32, signed: bool) -> String {
    let root = match width {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => return format!("{}{width}", if signed { "i" } else { "u" }),
    };
    format!("{}{root}", if signed { "" } else { "u" })
}

/// The name of a built-in variable in GLSL or OpenCL.
fn builtin_name(value: u32) -> Option<String> {
    let builtin = BuiltIn::from_u32(value)?;
    let glsl = match builtin {
        BuiltIn::VertexId => "VertexID",
        BuiltIn::InstanceId => "InstanceID",
        BuiltIn::PrimitiveId => "PrimitiveID",
        BuiltIn::InvocationId => "InvocationID",
        BuiltIn::SampleId => "SampleID",
        BuiltIn::NumWorkgroups => "NumWorkGroups",
        BuiltIn::WorkgroupSize => "WorkGroupSize",
        BuiltIn::WorkgroupId => "WorkGroupID",
        BuiltIn::LocalInvocationId => "LocalInvocationID",
        BuiltIn::GlobalInvocationId => "GlobalInvocationID",
        BuiltIn::Position => "Position",
        BuiltIn::PointSize => "PointSize",
        BuiltIn::ClipDistance => "ClipDistance",
        BuiltIn::CullDistance => "CullDistance",
        BuiltIn::Layer => "Layer",
        BuiltIn::ViewportIndex => "ViewportIndex",
        BuiltIn::TessLevelOuter => "TessLevelOuter",
        BuiltIn::TessLevelInner => "TessLevelInner",
        BuiltIn::TessCoord => "TessCoord",
        BuiltIn::PatchVertices => "PatchVertices",
        BuiltIn::FragCoord => "FragCoord",
        BuiltIn::PointCoord => "PointCoord",
        BuiltIn::FrontFacing => "FrontFacing",
        BuiltIn::SamplePosition => "SamplePosition",
        BuiltIn::SampleMask => "SampleMask",
        BuiltIn::FragDepth => "FragDepth",
        BuiltIn::HelperInvocation => "HelperInvocation",
        BuiltIn::LocalInvocationIndex => "LocalInvocationIndex",
        BuiltIn::VertexIndex => "VertexIndex",
        BuiltIn::InstanceIndex => "InstanceIndex",
        BuiltIn::BaseInstance => "BaseInstance",
        BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => return Some(format!("{builtin:?}KHR")),
        BuiltIn::WorkDim
        | BuiltIn::GlobalSize
        | BuiltIn::EnqueuedWorkgroupSize
        | BuiltIn::GlobalOffset
        | BuiltIn::GlobalLinearId
        | BuiltIn::SubgroupSize
        | BuiltIn::SubgroupMaxSize
        | BuiltIn::NumSubgroups
        | BuiltIn::NumEnqueuedSubgroups
        | BuiltIn::SubgroupId
        | BuiltIn::SubgroupLocalInvocationId => return Some(format!("{builtin:?}")),
        _ => return None,
    };
    Some(format!("gl_{glsl}"))
}
