//! Version and capabilities of the written module: the lowest and the fewest it needs.
//!
//! The words are decoded once more. The grammar's capabilities of opcodes and enumerants decide which ones are
//! needed; the tables here add what the grammar lacks (widths, versions). A declared capability is removed only
//! if the grammar lists its uses and none was written; extensions stay as declared.

use super::module::Writer;
use super::shared::Options;
use super::small::SmallNumbers;
use crate::spec::{
    Capability as Cap, Decoration as D, ExecutionMode as Mode, MemoryModel, Op as S, StorageClass as C,
};
use crate::{Binary, Context, Decoded, Kind, enumerants};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;
use vitrine_ir::FactKey;

/// Contents of the header and the first sections.
pub(super) struct Needs {
    pub(super) version: u32,
    pub(super) capabilities: Vec<u32>,
    pub(super) extensions: Vec<String>,
}

const fn version(minor: u32) -> u32 {
    1 << 16 | minor << 8
}

/// Features that the words use.
struct UsedFeatures {
    opcodes: FxHashSet<u16>,
    enumerants: FxHashSet<(Kind, u32)>,
    /// Lists of which one capability is needed.
    wanted: Vec<&'static [Cap]>,
    /// Lists of which one may be needed: a system value may be declared but unused.
    maybe: Vec<&'static [Cap]>,
    /// A select with one boolean as the condition for whole vectors or composites.
    wide_select: bool,
    /// A variable of a function or an invocation that is decorated `NonWritable`, which 1.4 allows.
    constant_locals: bool,
    /// A copy with operands for both sides.
    two_sided_copy: bool,
}

/// Computes the requirements of a module from its words: header, then everything but capabilities and
/// extensions.
pub(super) fn needs_of(writer: &Writer<'_>, words: Vec<u32>, options: Options) -> Needs {
    let declared: Vec<u32> = writer.facts(FactKey::Capability).filter_map(capability).collect();
    let mut extensions: Vec<String> = writer.facts(FactKey::Extension).map(str::to_owned).collect();
    let (binary, _) = Binary::from_words(words);
    let seen = scan(&binary);
    for &(op, name) in OPCODE_EXTENSIONS {
        if seen.opcodes.contains(&(op as u16)) && !extensions.iter().any(|declared| declared == name) {
            extensions.push(name.to_owned());
        }
    }
    let mut capabilities = if options.as_in { declared.clone() } else { kept(&declared, &seen) };
    add_missing(&mut capabilities, &seen);
    let least = least_version(&seen, &capabilities, &extensions);
    // Declaring a lower version than an extension builds on is allowed, so the declared version bounds it.
    let builds_on = EXTENSIONS.iter().filter(|(name, _)| extensions.iter().any(|declared| declared == name));
    let builds_on = builds_on.map(|&(_, version)| version).max().unwrap_or(0).min(writer.declared_version());
    let least = least.max(builds_on);
    let version = if options.as_in { writer.declared_version().max(least) } else { least };
    let is_declared = extensions.iter().any(|declared| declared == super::debug::EXTENSION);
    if writer.debug.words.len() > 0 && version < self::version(6) && !is_declared {
        extensions.push(super::debug::EXTENSION.to_owned());
    }
    Needs { version, capabilities, extensions }
}

fn capability(name: &str) -> Option<u32> {
    name.parse().ok().or_else(|| Some(name.parse::<Cap>().ok()? as u32))
}

fn scan(binary: &Binary) -> UsedFeatures {
    let mut seen = UsedFeatures {
        opcodes: FxHashSet::default(),
        enumerants: FxHashSet::default(),
        wanted: Vec::new(),
        maybe: Vec::new(),
        wide_select: false,
        constant_locals: false,
        two_sided_copy: false,
    };
    let mut context = Context::for_words(binary.words().len());
    let mut decoded = Decoded::default();
    // Component counts of vector types, for selects.
    let mut vectors: FxHashMap<u32, u32> = FxHashMap::default();
    let mut small = SmallNumbers::default();
    let mut bools: FxHashSet<u32> = FxHashSet::default();
    let mut conditions: FxHashSet<u32> = FxHashSet::default();
    let mut non_writable: FxHashSet<u32> = FxHashSet::default();
    // Types of storage images without a format, and values of these types.
    let mut unformatted: FxHashSet<u32> = FxHashSet::default();
    for inst in binary.instructions() {
        context.note(&inst);
        let Some(info) = crate::op(inst.opcode) else { continue };
        let op = S::from_u32(u32::from(inst.opcode));
        if seen.opcodes.insert(inst.opcode) && !info.capabilities.is_empty() {
            seen.wanted.push(info.capabilities);
        }
        let word = |at: usize| inst.words.get(at).copied().unwrap_or(0);
        seen.wanted.extend(small.needed(&inst, &context, &mut decoded));
        match op {
            Some(S::TypeBool) => {
                bools.insert(word(1));
            }
            Some(S::TypeVector) => {
                vectors.insert(word(1), word(3));
            }
            Some(S::TypeImage) if is_unformatted(inst.words) => {
                unformatted.insert(word(1));
            }
            Some(S::ImageRead | S::ImageSparseRead) if unformatted.contains(&word(3)) => {
                seen.wanted.push(&[Cap::StorageImageReadWithoutFormat]);
            }
            Some(S::ImageWrite) if unformatted.contains(&word(1)) => {
                seen.wanted.push(&[Cap::StorageImageWriteWithoutFormat]);
            }
            Some(S::TypeInt) => width(&mut seen, word(2), true),
            Some(S::TypeFloat) => width(&mut seen, word(2), false),
            Some(S::Decorate) if word(2) == D::NonWritable as u32 => {
                non_writable.insert(word(1));
            }
            Some(S::Variable | S::UntypedVariableKHR) => {
                let is_local = [C::Function as u32, C::Private as u32].contains(&word(3));
                seen.constant_locals |= is_local && non_writable.contains(&word(2));
            }
            Some(S::CopyMemory) => seen.two_sided_copy |= copies_two_sided(inst.words, 3),
            Some(S::CopyMemorySized) => seen.two_sided_copy |= copies_two_sided(inst.words, 4),
            Some(S::Select) => {
                let composite = vectors.contains_key(&word(1));
                seen.wide_select |= composite && conditions.contains(&word(3));
            }
            _ => {}
        }
        if info.has_type && bools.contains(&word(1)) {
            conditions.insert(word(2));
        }
        if info.has_type && unformatted.contains(&word(1)) {
            unformatted.insert(word(2));
        }
        if !has_enumerants(inst.opcode) {
            continue;
        }
        context.decode(&inst, &mut decoded);
        for operand in &decoded.operands {
            let value = operand.word(&inst);
            let Some(table) = enumerants(operand.kind) else { continue };
            if !seen.enumerants.insert((operand.kind, value)) {
                continue;
            }
            let bits = (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
            let values: Vec<u32> = if table.is_mask { bits.collect() } else { vec![value] };
            for value in values {
                seen.enumerants.insert((operand.kind, value));
                match (table.capabilities(value), operand.kind) {
                    ([], _) | (_, Kind::Capability) => {}
                    (list, Kind::BuiltIn) => seen.maybe.push(list),
                    (list, _) => seen.wanted.push(list),
                }
            }
        }
    }
    seen
}

/// Returns true for the type of a storage image without a format, which is no attachment.
fn is_unformatted(type_image: &[u32]) -> bool {
    const SUBPASS_DATA: u32 = 6;
    matches!(*type_image, [_, _, _, dim, _, _, _, 2, 0, ..] if dim != SUBPASS_DATA)
}

/// Returns true if an instruction has operands that are enumerants; computed once for each opcode.
fn has_enumerants(opcode: u16) -> bool {
    static TABLE: OnceLock<Vec<bool>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let has = |opcode: u16| {
            crate::op(opcode)
                .is_some_and(|info| info.operands.iter().any(|operand| enumerants(operand.kind).is_some()))
        };
        (0..8192).map(has).collect()
    });
    table.get(opcode as usize).copied().unwrap_or(true)
}

fn width(seen: &mut UsedFeatures, bits: u32, is_int: bool) {
    let wanted: &'static [Cap] = match (is_int, bits) {
        (true, 8) => &[
            Cap::Int8,
            Cap::StorageBuffer8BitAccess,
            Cap::UniformAndStorageBuffer8BitAccess,
            Cap::StoragePushConstant8,
        ],
        (true, 16) => &[
            Cap::Int16,
            Cap::StorageBuffer16BitAccess,
            Cap::UniformAndStorageBuffer16BitAccess,
            Cap::StoragePushConstant16,
            Cap::StorageInputOutput16,
        ],
        (true, 64) => &[Cap::Int64],
        (false, 16) => &[
            Cap::Float16,
            Cap::Float16Buffer,
            Cap::StorageBuffer16BitAccess,
            Cap::UniformAndStorageBuffer16BitAccess,
            Cap::StoragePushConstant16,
            Cap::StorageInputOutput16,
        ],
        (false, 64) => &[Cap::Float64],
        _ => return,
    };
    seen.wanted.push(wanted);
}

/// Returns true if a copy has memory operands for both the target and the source.
fn copies_two_sided(words: &[u32], first: usize) -> bool {
    let Some(&mask) = words.get(first) else { return false };
    let announced = [1 << 1, 1 << 3, 1 << 4].iter().filter(|&&bit| mask & bit != 0).count();
    words.len() > first + 1 + announced
}

/// Capabilities whose uses the grammar lists completely. Capabilities that also permit something that no
/// opcode and no enumerant shows (dynamic indexing, widths in memory, reads without a format) are not among
/// them.
fn is_known(capability: u32) -> bool {
    const HIDDEN: &[Cap] = &[
        Cap::Matrix,
        Cap::Shader,
        Cap::Kernel,
        Cap::Addresses,
        Cap::Linkage,
        Cap::Vector16,
        Cap::Int8,
        Cap::Int16,
        Cap::Int64,
        Cap::Float16,
        Cap::Float64,
        Cap::Int64Atomics,
        Cap::ImageBasic,
        Cap::ImageReadWrite,
        Cap::ImageCubeArray,
        Cap::ImageMSArray,
        Cap::ImageGatherExtended,
        Cap::StorageImageMultisample,
        Cap::Sampled1D,
        Cap::Image1D,
        Cap::SampledBuffer,
        Cap::ImageBuffer,
        Cap::SampledCubeArray,
        Cap::SampledRect,
        Cap::ImageRect,
        Cap::InputAttachment,
        Cap::StorageImageReadWithoutFormat,
        Cap::StorageImageWriteWithoutFormat,
        Cap::TessellationPointSize,
        Cap::GeometryPointSize,
        Cap::InterpolationFunction,
        Cap::VariablePointers,
        Cap::VariablePointersStorageBuffer,
        Cap::VulkanMemoryModel,
        Cap::VulkanMemoryModelDeviceScope,
        Cap::PhysicalStorageBufferAddresses,
        Cap::RuntimeDescriptorArray,
        Cap::GroupNonUniform,
        Cap::DotProductInputAll,
        Cap::DotProductInput4x8Bit,
        Cap::DotProductInput4x8BitPacked,
        Cap::DotProduct,
        Cap::MultiView,
        Cap::DrawParameters,
    ];
    static KNOWN: OnceLock<FxHashSet<u32>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let mut known: FxHashSet<u32> = FxHashSet::default();
        for opcode in 0..8192 {
            if let Some(info) = crate::op(opcode) {
                known.extend(info.capabilities.iter().map(|&capability| capability as u32));
            }
        }
        for kind in [
            Kind::ExecutionModel,
            Kind::StorageClass,
            Kind::ExecutionMode,
            Kind::BuiltIn,
            Kind::Decoration,
            Kind::ImageFormat,
        ] {
            let Some(table) = enumerants(kind) else { continue };
            for value in 0..8192 {
                known.extend(table.capabilities(value).iter().map(|&capability| capability as u32));
            }
        }
        for &hidden in HIDDEN {
            known.remove(&(hidden as u32));
        }
        known
    });
    known.contains(&capability)
}

fn kept(declared: &[u32], seen: &UsedFeatures) -> Vec<u32> {
    let wanted: FxHashSet<u32> =
        seen.wanted.iter().chain(&seen.maybe).flat_map(|list| list.iter().map(|&cap| cap as u32)).collect();
    // A use may need a capability that a declared one implies.
    let serves = |capability: u32| {
        implied(capability).into_iter().any(|implied| is_known(implied) && wanted.contains(&implied))
    };
    let mut kept: Vec<u32> = declared
        .iter()
        .copied()
        .filter(|&capability| !is_known(capability) || wanted.contains(&capability) || serves(capability))
        .collect();
    let mut seen_before = FxHashSet::default();
    kept.retain(|&capability| seen_before.insert(capability));
    kept
}

/// The capabilities that one implies, directly and transitively.
fn implied(capability: u32) -> Vec<u32> {
    let Some(table) = enumerants(Kind::Capability) else { return Vec::new() };
    let mut found = vec![capability];
    let mut at = 0;
    while let Some(&capability) = found.get(at) {
        at += 1;
        for &implied in table.capabilities(capability) {
            if !found.contains(&(implied as u32)) {
                found.push(implied as u32);
            }
        }
    }
    found
}

/// Adds a capability for each list of which none is declared. This never makes a shader a kernel.
fn add_missing(capabilities: &mut Vec<u32>, seen: &UsedFeatures) {
    let mut all: FxHashSet<u32> = capabilities.iter().flat_map(|&capability| implied(capability)).collect();
    for list in &seen.wanted {
        if list.iter().any(|&capability| all.contains(&(capability as u32))) {
            continue;
        }
        let is_shader = all.contains(&(Cap::Shader as u32));
        let fits = |capability: u32| !is_shader || !implied(capability).contains(&(Cap::Kernel as u32));
        let mut each = list.iter().map(|&capability| capability as u32);
        if let Some(best) = each.clone().find(|&capability| fits(capability)).or_else(|| each.next()) {
            capabilities.push(best);
            all.extend(implied(best));
        }
    }
}

/// Opcodes by the version that introduced them, and the extensions that have them before.
#[rustfmt::skip] // A table.
const OPCODES: &[(S, u32, &[&str])] = &[
    (S::ModuleProcessed, version(1), &[]),
    (S::ExecutionModeId, version(2), &[]), (S::DecorateId, version(2), &["SPV_GOOGLE_hlsl_functionality1"]),
    (S::DecorateString, version(4), &["SPV_GOOGLE_decorate_string", "SPV_GOOGLE_hlsl_functionality1", "SPV_GOOGLE_user_type"]),
    (S::MemberDecorateString, version(4), &["SPV_GOOGLE_decorate_string", "SPV_GOOGLE_hlsl_functionality1", "SPV_GOOGLE_user_type"]),
    (S::CopyLogical, version(4), &[]), (S::PtrEqual, version(4), &[]), (S::PtrNotEqual, version(4), &[]), (S::PtrDiff, version(4), &[]),
    (S::TerminateInvocation, version(6), &["SPV_KHR_terminate_invocation"]),
    (S::DemoteToHelperInvocation, version(6), &["SPV_EXT_demote_to_helper_invocation"]),
    (S::SDot, version(6), &["SPV_KHR_integer_dot_product"]), (S::UDot, version(6), &["SPV_KHR_integer_dot_product"]),
    (S::SUDot, version(6), &["SPV_KHR_integer_dot_product"]), (S::SDotAccSat, version(6), &["SPV_KHR_integer_dot_product"]),
    (S::UDotAccSat, version(6), &["SPV_KHR_integer_dot_product"]), (S::SUDotAccSat, version(6), &["SPV_KHR_integer_dot_product"]),
    (S::SizeOf, version(1), &[]), (S::TypeNamedBarrier, version(1), &[]),
];

/// Opcodes that no version has, and their extension.
#[rustfmt::skip] // A table.
const OPCODE_EXTENSIONS: &[(S, &str)] = &[
    (S::GroupNonUniformRotateKHR, "SPV_KHR_subgroup_rotate"),
    (S::GroupNonUniformQuadAllKHR, "SPV_KHR_quad_control"), (S::GroupNonUniformQuadAnyKHR, "SPV_KHR_quad_control"),
    (S::SubgroupAllKHR, "SPV_KHR_subgroup_vote"), (S::SubgroupAnyKHR, "SPV_KHR_subgroup_vote"),
    (S::SubgroupAllEqualKHR, "SPV_KHR_subgroup_vote"), (S::SubgroupBallotKHR, "SPV_KHR_shader_ballot"),
    (S::SubgroupFirstInvocationKHR, "SPV_KHR_shader_ballot"), (S::SubgroupReadInvocationKHR, "SPV_KHR_shader_ballot"),
    (S::AssumeTrueKHR, "SPV_KHR_expect_assume"), (S::ExpectKHR, "SPV_KHR_expect_assume"),
];

/// Ranges of opcodes, in the same form as `OPCODES`.
const OPCODE_RANGES: &[(u16, u16, u32)] =
    &[(S::GroupNonUniformElect as u16, S::GroupNonUniformQuadSwap as u16, version(3))];

/// Enumerants, in the same form.
#[rustfmt::skip] // A table.
const ENUMERANTS: &[(Kind, u32, u32, &[&str])] = &[
    (Kind::StorageClass, C::StorageBuffer as u32, version(3), &["SPV_KHR_storage_buffer_storage_class", "SPV_KHR_variable_pointers"]),
    (Kind::StorageClass, C::PhysicalStorageBuffer as u32, version(5), &["SPV_KHR_physical_storage_buffer", "SPV_EXT_physical_storage_buffer"]),
    (Kind::MemoryModel, MemoryModel::Vulkan as u32, version(5), &["SPV_KHR_vulkan_memory_model"]),
    (Kind::ExecutionMode, Mode::LocalSizeId as u32, version(2), &[]),
    (Kind::ExecutionMode, Mode::SubgroupSize as u32, version(1), &[]),
    (Kind::ExecutionMode, Mode::SubgroupsPerWorkgroup as u32, version(1), &[]),
    (Kind::LoopControl, 1 << 2, version(1), &[]), (Kind::LoopControl, 1 << 3, version(1), &[]),
    (Kind::LoopControl, 1 << 4, version(4), &[]), (Kind::LoopControl, 1 << 5, version(4), &[]), (Kind::LoopControl, 1 << 6, version(4), &[]),
    (Kind::LoopControl, 1 << 7, version(4), &[]), (Kind::LoopControl, 1 << 8, version(4), &[]),
    (Kind::Decoration, 4469, version(4), &["SPV_KHR_no_integer_wrap_decoration"]),
    (Kind::Decoration, 4470, version(4), &["SPV_KHR_no_integer_wrap_decoration"]),
    (Kind::Decoration, 26, version(1), &[]), (Kind::Decoration, 27, version(4), &[]), (Kind::Decoration, 45, version(1), &[]),
    (Kind::Decoration, 46, version(2), &[]), (Kind::Decoration, 47, version(2), &[]),
    (Kind::Decoration, 5634, version(4), &["SPV_GOOGLE_hlsl_functionality1"]),
    (Kind::Decoration, 5635, version(4), &["SPV_GOOGLE_hlsl_functionality1"]),
    (Kind::ImageOperands, 1 << 12, version(4), &[]), (Kind::ImageOperands, 1 << 13, version(4), &[]), (Kind::ImageOperands, 1 << 14, version(6), &[]),
    (Kind::GroupOperation, 3, version(3), &[]),
];

/// Capabilities, in the same form.
#[rustfmt::skip] // A table.
const CAPABILITIES: &[(Cap, u32, &[&str])] = &[
    (Cap::SubgroupDispatch, version(1), &[]), (Cap::NamedBarrier, version(1), &[]), (Cap::PipeStorage, version(1), &[]),
    (Cap::GroupNonUniform, version(3), &[]), (Cap::GroupNonUniformVote, version(3), &[]), (Cap::GroupNonUniformArithmetic, version(3), &[]),
    (Cap::GroupNonUniformBallot, version(3), &[]), (Cap::GroupNonUniformShuffle, version(3), &[]),
    (Cap::GroupNonUniformShuffleRelative, version(3), &[]), (Cap::GroupNonUniformClustered, version(3), &[]), (Cap::GroupNonUniformQuad, version(3), &[]),
    (Cap::DrawParameters, version(3), &["SPV_KHR_shader_draw_parameters"]), (Cap::DeviceGroup, version(3), &["SPV_KHR_device_group"]),
    (Cap::MultiView, version(3), &["SPV_KHR_multiview"]), (Cap::VariablePointers, version(3), &["SPV_KHR_variable_pointers"]),
    (Cap::VariablePointersStorageBuffer, version(3), &["SPV_KHR_variable_pointers"]),
    (Cap::StorageBuffer16BitAccess, version(3), &["SPV_KHR_16bit_storage"]), (Cap::UniformAndStorageBuffer16BitAccess, version(3), &["SPV_KHR_16bit_storage"]),
    (Cap::StoragePushConstant16, version(3), &["SPV_KHR_16bit_storage"]), (Cap::StorageInputOutput16, version(3), &["SPV_KHR_16bit_storage"]),
    (Cap::DenormPreserve, version(4), &["SPV_KHR_float_controls"]), (Cap::DenormFlushToZero, version(4), &["SPV_KHR_float_controls"]),
    (Cap::SignedZeroInfNanPreserve, version(4), &["SPV_KHR_float_controls"]),
    (Cap::RoundingModeRTE, version(4), &["SPV_KHR_float_controls"]), (Cap::RoundingModeRTZ, version(4), &["SPV_KHR_float_controls"]),
    (Cap::StorageBuffer8BitAccess, version(5), &["SPV_KHR_8bit_storage"]), (Cap::UniformAndStorageBuffer8BitAccess, version(5), &["SPV_KHR_8bit_storage"]),
    (Cap::StoragePushConstant8, version(5), &["SPV_KHR_8bit_storage"]),
    (Cap::ShaderViewportIndex, version(5), &[]), (Cap::ShaderLayer, version(5), &[]),
    (Cap::ShaderNonUniform, version(5), &["SPV_EXT_descriptor_indexing"]), (Cap::RuntimeDescriptorArray, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::InputAttachmentArrayDynamicIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::UniformTexelBufferArrayDynamicIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::StorageTexelBufferArrayDynamicIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::UniformBufferArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::SampledImageArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::StorageBufferArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::StorageImageArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::InputAttachmentArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::UniformTexelBufferArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::StorageTexelBufferArrayNonUniformIndexing, version(5), &["SPV_EXT_descriptor_indexing"]),
    (Cap::VulkanMemoryModel, version(5), &["SPV_KHR_vulkan_memory_model"]), (Cap::VulkanMemoryModelDeviceScope, version(5), &["SPV_KHR_vulkan_memory_model"]),
    (Cap::PhysicalStorageBufferAddresses, version(5), &["SPV_KHR_physical_storage_buffer", "SPV_EXT_physical_storage_buffer"]),
    (Cap::DemoteToHelperInvocation, version(6), &["SPV_EXT_demote_to_helper_invocation"]),
    (Cap::DotProductInputAll, version(6), &["SPV_KHR_integer_dot_product"]), (Cap::DotProductInput4x8Bit, version(6), &["SPV_KHR_integer_dot_product"]),
    (Cap::DotProductInput4x8BitPacked, version(6), &["SPV_KHR_integer_dot_product"]), (Cap::DotProduct, version(6), &["SPV_KHR_integer_dot_product"]),
    (Cap::UniformDecoration, version(6), &[]),
];

/// Extensions that build on a version.
#[rustfmt::skip] // A table.
const EXTENSIONS: &[(&str, u32)] = &[
    ("SPV_KHR_ray_tracing", version(4)), ("SPV_KHR_ray_query", version(4)), ("SPV_EXT_mesh_shader", version(4)),
    ("SPV_KHR_workgroup_memory_explicit_layout", version(4)), ("SPV_KHR_physical_storage_buffer", version(3)),
    ("SPV_EXT_physical_storage_buffer", version(3)), ("SPV_NV_cooperative_matrix", version(3)), ("SPV_KHR_cooperative_matrix", version(6)),
    ("SPV_KHR_maximal_reconvergence", version(3)), ("SPV_KHR_subgroup_uniform_control_flow", version(3)), ("SPV_KHR_quad_control", version(3)),
    ("SPV_KHR_subgroup_rotate", version(3)), ("SPV_EXT_shader_tile_image", version(0)), ("SPV_KHR_ray_tracing_position_fetch", version(4)),
];

fn least_version(seen: &UsedFeatures, capabilities: &[u32], extensions: &[String]) -> u32 {
    let before = |list: &[&str]| list.iter().any(|name| extensions.iter().any(|declared| declared == name));
    let mut least = version(0);
    let mut at_least = |version: u32| least = least.max(version);
    for &(op, version, earlier) in OPCODES {
        if seen.opcodes.contains(&(op as u16)) && !before(earlier) {
            at_least(version);
        }
    }
    for &(first, last, version) in OPCODE_RANGES {
        if seen.opcodes.iter().any(|opcode| (first..=last).contains(opcode)) {
            at_least(version);
        }
    }
    for &(kind, value, version, earlier) in ENUMERANTS {
        if seen.enumerants.contains(&(kind, value)) && !before(earlier) {
            at_least(version);
        }
    }
    for &(capability, version, earlier) in CAPABILITIES {
        if capabilities.contains(&(capability as u32)) && !before(earlier) {
            at_least(version);
        }
    }
    if seen.wide_select || seen.two_sided_copy || seen.constant_locals {
        at_least(version(4));
    }
    least
}
