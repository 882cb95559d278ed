//! The words of GLSL 4.60 that a program cannot use as names (GLSL 4.60, 3.6), and built-in functions and types, which a
//! name would hide; words of extensions, since names stay the same when another needs them; and macros that are always defined,
//! or that a text with several entry points defines.

/// Returns true if a name is a word of the language.
pub(super) fn is_reserved(name: &str) -> bool {
    // Names of macros begin with `GL_`.
    name.starts_with("gl_")
        || name.starts_with("GL_")
        || WORDS.binary_search(&name).is_ok()
        || has_prefix(name)
}

/// Families of types and functions: the words that go on with a capital letter or a digit.
const PREFIXES: &[&str] = &[
    "sampler",
    "isampler",
    "usampler",
    "texture",
    "itexture",
    "utexture",
    "image",
    "iimage",
    "uimage",
    "subpass",
    "isubpass",
    "usubpass",
    "texel",
    "subgroup",
    "atomic",
    "interpolateAt",
    "pack",
    "unpack",
    "bitfield",
    "memoryBarrier",
    "sparse",
    "hitObject",
    "coopmat",
    "fcoopmat",
    "icoopmat",
    "ucoopmat",
    "f16sampler",
    "f16texture",
    "f16image",
    "f16subpass",
    "i64image",
    "u64image",
    "f16mat",
    "f32mat",
    "f64mat",
    "i32vec",
    "u32vec",
];

fn has_prefix(name: &str) -> bool {
    let first = name.as_bytes().first();
    let alike = PREFIXES.iter().filter(|prefix| prefix.as_bytes().first() == first);
    alike.into_iter().any(|prefix| match name.strip_prefix(prefix) {
        Some(rest) => {
            rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
        }
        None => false,
    })
}

/// In order of bytes.
#[rustfmt::skip] // A table.
const WORDS: &[&str] = &[
    "ENTRY", "EmitMeshTasksEXT", "EmitStreamVertex", "EmitVertex", "EndPrimitive", "EndStreamPrimitive",
    "SetMeshOutputsEXT", "VULKAN", "abs", "accelerationStructureEXT", "accelerationStructureNV", "acos", "acosh",
    "active", "all", "allInvocations", "allInvocationsEqual", "any", "anyInvocation", "asin", "asinh", "asm", "atan",
    "atanh", "atomic_uint", "attachmentEXT", "attribute", "barrier", "beginInvocationInterlockARB", "bitCount",
    "bool", "break", "buffer", "bvec2", "bvec3", "bvec4", "callableDataEXT", "callableDataInEXT", "callableDataInNV",
    "callableDataNV", "case", "cast", "ceil", "centroid", "clamp", "class", "clock2x32ARB", "clockARB",
    "clockRealtime2x32EXT", "clockRealtimeEXT", "coherent", "common", "const", "continue", "controlBarrier", "cos",
    "cosh", "cross", "dFdx", "dFdxCoarse", "dFdxFine", "dFdy", "dFdyCoarse", "dFdyFine", "debugPrintfEXT", "default",
    "defined", "degrees", "demote", "determinant", "devicecoherent", "discard", "distance", "dmat2", "dmat2x2",
    "dmat2x3", "dmat2x4", "dmat3", "dmat3x2", "dmat3x3", "dmat3x4", "dmat4", "dmat4x2", "dmat4x3", "dmat4x4", "do",
    "dot", "double", "doubleBitsToInt64", "doubleBitsToUint64", "dvec2", "dvec3", "dvec4", "else",
    "endInvocationInterlockARB", "enum", "equal", "executeCallableEXT", "exp", "exp2", "explicitInterpAMD", "extern",
    "external", "f16vec2", "f16vec3", "f16vec4", "f32vec2", "f32vec3", "f32vec4", "f64vec2", "f64vec3", "f64vec4",
    "faceforward", "false", "filter", "findLSB", "findMSB", "fixed", "flat", "float", "float16BitsToInt16",
    "float16BitsToUint16", "float16_t", "float32_t", "float64_t", "floatBitsToInt", "floatBitsToUint", "floor", "fma",
    "for", "fract", "frexp", "fvec2", "fvec3", "fvec4", "fwidth", "fwidthCoarse", "fwidthFine", "goto", "greaterThan",
    "greaterThanEqual", "groupMemoryBarrier", "half", "helperInvocationEXT", "highp", "hitAttributeEXT",
    "hitAttributeNV", "hitObjectAttributeNV", "hitObjectNV", "hvec2", "hvec3", "hvec4", "i16vec2", "i16vec3",
    "i16vec4", "i64vec2", "i64vec3", "i64vec4", "i8vec2", "i8vec3", "i8vec4", "iattachmentEXT", "if",
    "ignoreIntersectionEXT", "ignoreIntersectionNV", "ignoredDepth", "imulExtended", "in", "inline", "inout", "input", "int",
    "int16BitsToFloat16", "int16_t", "int32_t", "int64BitsToDouble", "int64_t", "int8_t", "intBitsToFloat",
    "interface", "invariant", "inverse", "inversesqrt", "isinf", "isnan", "ivec2", "ivec3", "ivec4", "layout",
    "ldexp", "length", "lessThan", "lessThanEqual", "log", "log2", "long", "lowp", "main", "mat2", "mat2x2", "mat2x3",
    "mat2x4", "mat3", "mat3x2", "mat3x3", "mat3x4", "mat4", "mat4x2", "mat4x3", "mat4x4", "matrixCompMult", "max",
    "mediump", "min", "mix", "mod", "modf", "namespace", "noinline", "noise1", "noise2", "noise3", "noise4",
    "nonprivate", "nonuniformEXT", "noperspective", "normalize", "not", "notEqual", "out", "outerProduct", "output",
    "packed", "partition", "patch", "perTaskNV", "perprimitiveEXT", "perprimitiveNV", "pervertexEXT", "pervertexNV",
    "perviewNV", "pow", "precise", "precision", "public", "queuefamilycoherent", "radians", "rayPayloadEXT",
    "rayPayloadInEXT", "rayPayloadInNV", "rayPayloadNV", "rayQueryConfirmIntersectionEXT", "rayQueryEXT",
    "rayQueryGenerateIntersectionEXT", "rayQueryGetIntersectionBarycentricsEXT",
    "rayQueryGetIntersectionCandidateAABBOpaqueEXT", "rayQueryGetIntersectionFrontFaceEXT",
    "rayQueryGetIntersectionGeometryIndexEXT", "rayQueryGetIntersectionInstanceCustomIndexEXT",
    "rayQueryGetIntersectionInstanceIdEXT", "rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT",
    "rayQueryGetIntersectionObjectRayDirectionEXT", "rayQueryGetIntersectionObjectRayOriginEXT",
    "rayQueryGetIntersectionObjectToWorldEXT", "rayQueryGetIntersectionPrimitiveIndexEXT",
    "rayQueryGetIntersectionTEXT", "rayQueryGetIntersectionTypeEXT", "rayQueryGetIntersectionWorldToObjectEXT",
    "rayQueryGetRayFlagsEXT", "rayQueryGetRayTMinEXT", "rayQueryGetWorldRayDirectionEXT",
    "rayQueryGetWorldRayOriginEXT", "rayQueryInitializeEXT", "rayQueryProceedEXT", "rayQueryTerminateEXT", "readonly",
    "reflect", "refract", "reportIntersectionEXT", "resource", "restrict", "return", "round", "roundEven", "sample",
    "sampler3DRect", "shadercallcoherent", "shared", "short", "sign", "sin", "sinh", "sizeof", "smooth", "smoothstep",
    "spirv_by_reference", "spirv_decorate", "spirv_decorate_id", "spirv_decorate_string", "spirv_execution_mode",
    "spirv_execution_mode_id", "spirv_instruction", "spirv_literal", "spirv_storage_class", "spirv_type", "sqrt",
    "static", "std140", "std430", "step", "struct", "subgroupcoherent", "subroutine", "superp", "switch", "tan",
    "tanh", "taskNV", "taskPayloadSharedEXT", "template", "terminateInvocation", "terminateRayEXT", "terminateRayNV",
    "this", "traceRayEXT", "transpose", "true", "trunc", "typedef", "u16vec2", "u16vec3", "u16vec4", "u64vec2",
    "u64vec3", "u64vec4", "u8vec2", "u8vec3", "u8vec4", "uaddCarry", "uattachmentEXT", "uint", "uint16BitsToFloat16",
    "uint16_t", "uint32_t", "uint64BitsToDouble", "uint64_t", "uint8_t", "uintBitsToFloat", "umulExtended", "uniform",
    "union", "unsigned", "using", "usubBorrow", "uvec2", "uvec3", "uvec4", "varying", "vec2", "vec3", "vec4", "void",
    "volatile", "while", "workgroupcoherent", "writeonly",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        let unordered = WORDS.windows(2).find(|pair| pair[0] >= pair[1]);
        assert_eq!(unordered, None);
        assert!(
            is_reserved("vec4")
                && is_reserved("texture2D")
                && is_reserved("gl_Any")
                && !is_reserved("color")
                && !is_reserved("image_1")
        );
    }
}
