//! Words that no name of a program may be: keywords, reserved words, predeclared types and functions, and the words of address
//! spaces, accesses and texel formats, which are looked up like names (WGSL, 2.3, 6.9, 16, 17).

/// Returns true for a word that has a meaning in the language or may get one. Predeclared names could be redeclared; the
/// text would then mean something else by them.
pub(super) fn is_reserved(name: &str) -> bool {
    name == "_" || WORDS.binary_search(&name).is_ok() || is_type(name)
}

/// Vectors and matrices with their short names, and textures.
fn is_type(name: &str) -> bool {
    let is_vector = name.strip_prefix("vec").is_some_and(|rest| {
        matches!(rest.as_bytes(), [b'2'..=b'4'] | [b'2'..=b'4', b'f' | b'h' | b'i' | b'u'])
    });
    let is_matrix = name.strip_prefix("mat").is_some_and(|rest| {
        matches!(
            rest.as_bytes(),
            [b'2'..=b'4', b'x', b'2'..=b'4'] | [b'2'..=b'4', b'x', b'2'..=b'4', b'f' | b'h']
        )
    });
    is_vector || is_matrix || name.starts_with("texture_") || name.starts_with("subgroup")
}

/// In order.
#[rustfmt::skip] // A table.
const WORDS: &[&str] = &[
    "NULL", "Self", "abs", "abstract", "acos", "acosh", "active", "alias", "alignas", "alignof", "all", "any",
    "array", "arrayLength", "as", "asin", "asinh", "asm", "asm_fragment", "async", "atan", "atan2", "atanh", "atomic",
    "atomicAdd", "atomicAnd", "atomicCompareExchangeWeak", "atomicExchange", "atomicLoad", "atomicMax", "atomicMin",
    "atomicOr", "atomicStore", "atomicSub", "atomicXor", "attribute", "auto", "await", "become", "bgra8unorm",
    "binding_array", "bitcast", "bool", "break", "case", "cast", "catch", "ceil", "clamp", "class", "co_await",
    "co_return", "co_yield", "coherent", "column_major", "common", "compile", "compile_fragment", "concept", "const",
    "const_assert", "const_cast", "consteval", "constexpr", "constinit", "continue", "continuing", "cos", "cosh",
    "countLeadingZeros", "countOneBits", "countTrailingZeros", "crate", "cross", "debugger", "decltype", "default",
    "degrees", "delete", "demote", "demote_to_helper", "determinant", "diagnostic", "discard", "distance", "do",
    "dot", "dot4I8Packed", "dot4U8Packed", "dpdx", "dpdxCoarse", "dpdxFine", "dpdy", "dpdyCoarse", "dpdyFine",
    "dynamic_cast", "else", "enable", "enum", "exp", "exp2", "explicit", "export", "extends", "extern", "external",
    "extractBits", "f16", "f32", "faceForward", "fallthrough", "false", "filter", "final", "finally",
    "firstLeadingBit", "firstTrailingBit", "floor", "fma", "fn", "for", "fract", "frexp", "friend", "from",
    "function", "fwidth", "fwidthCoarse", "fwidthFine", "fxgroup", "get", "goto", "groupshared", "handle", "highp",
    "i32", "if", "immediate", "impl", "implements", "import", "inline", "inputAttachmentLoad", "input_attachment",
    "insertBits", "instanceof", "interface", "inverseSqrt", "layout", "ldexp", "length", "let", "log", "log2", "loop",
    "lowp", "macro", "macro_rules", "match", "max", "mediump", "meta", "min", "mix", "mod", "modf", "module", "move",
    "mut", "mutable", "namespace", "new", "nil", "noexcept", "noinline", "nointerpolation", "non_coherent",
    "noncoherent", "noperspective", "normalize", "null", "nullptr", "of", "operator", "override", "pack2x16float",
    "pack2x16snorm", "pack2x16unorm", "pack4x8snorm", "pack4x8unorm", "pack4xI8", "pack4xI8Clamp", "pack4xU8",
    "pack4xU8Clamp", "package", "packoffset", "partition", "pass", "patch", "pixel_local", "pixelfragment", "pow",
    "precise", "precision", "premerge", "priv", "private", "protected", "ptr", "pub", "public", "quadBroadcast",
    "quadSwapDiagonal", "quadSwapX", "quadSwapY", "quantizeToF16", "r16float", "r16sint", "r16snorm", "r16uint",
    "r16unorm", "r32float", "r32sint", "r32uint", "r8sint", "r8snorm", "r8uint", "r8unorm", "radians", "read",
    "read_write", "readonly", "ref", "reflect", "refract", "regardless", "register", "reinterpret_cast", "require",
    "requires", "resource", "restrict", "return", "reverseBits", "rg11b10ufloat", "rg16float", "rg16sint",
    "rg16snorm", "rg16uint", "rg16unorm", "rg32float", "rg32sint", "rg32uint", "rg8sint", "rg8snorm", "rg8uint",
    "rg8unorm", "rgb10a2uint", "rgb10a2unorm", "rgba16float", "rgba16sint", "rgba16snorm", "rgba16uint",
    "rgba16unorm", "rgba32float", "rgba32sint", "rgba32uint", "rgba8sint", "rgba8snorm", "rgba8uint", "rgba8unorm",
    "round", "sampler", "sampler_comparison", "saturate", "select", "self", "set", "shared", "sign", "sin", "sinh",
    "sizeof", "smooth", "smoothstep", "snorm", "sqrt", "static", "static_assert", "static_cast", "std", "step",
    "storage", "storageBarrier", "struct", "subroutine", "super", "switch", "tan", "tanh", "target", "template",
    "textureBarrier", "textureDimensions", "textureGather", "textureGatherCompare", "textureLoad", "textureNumLayers",
    "textureNumLevels", "textureNumSamples", "textureSample", "textureSampleBaseClampToEdge", "textureSampleBias",
    "textureSampleCompare", "textureSampleCompareLevel", "textureSampleGrad", "textureSampleLevel", "textureStore",
    "this", "thread_local", "throw", "trait", "transpose", "true", "trunc", "try", "type", "typedef", "typeid",
    "typename", "typeof", "u32", "uniform", "union", "unless", "unorm", "unpack2x16float", "unpack2x16snorm",
    "unpack2x16unorm", "unpack4x8snorm", "unpack4x8unorm", "unpack4xI8", "unpack4xU8", "unsafe", "unsized", "use",
    "using", "var", "varying", "virtual", "volatile", "wgsl", "where", "while", "with", "workgroup",
    "workgroupBarrier", "workgroupUniformLoad", "write", "writeonly", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_and_types_are_known() {
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            [
                "vec3",
                "vec4f",
                "mat3x2h",
                "texture_2d",
                "var",
                "select",
                "storage",
                "read_write",
                "rgba8unorm"
            ]
            .into_iter()
            .all(is_reserved)
        );
        assert!(["vec5", "color", "mat", "vector"].into_iter().all(|name| !is_reserved(name)));
    }
}
