//! The words of HLSL that a program cannot use as names, and built-in functions and types, which a name would hide.

/// Returns true if a name is a word of the language.
pub(super) fn is_reserved(name: &str) -> bool {
    WORDS.binary_search(&name).is_ok()
        || TYPES.iter().any(|ty| name.strip_prefix(ty).is_some_and(is_dimension))
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns true for what follows the name of a scalar in those of vectors and matrices.
fn is_dimension(rest: &str) -> bool {
    rest.is_empty() || matches!(rest.as_bytes(), [b'1'..=b'4'] | [b'1'..=b'4', b'x', b'1'..=b'4'])
}

/// Scalars.
const TYPES: &[&str] = &[
    "bool",
    "int",
    "uint",
    "dword",
    "half",
    "float",
    "double",
    "min16float",
    "min10float",
    "min16int",
    "min12int",
    "min16uint",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "float16_t",
    "float32_t",
    "float64_t",
    "int8_t4_packed",
    "uint8_t4_packed",
];

/// Families of types and functions.
const PREFIXES: &[&str] = &[
    "Texture",
    "RWTexture",
    "Buffer",
    "RWBuffer",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "ByteAddressBuffer",
    "RWByteAddressBuffer",
    "AppendStructuredBuffer",
    "ConsumeStructuredBuffer",
    "ConstantBuffer",
    "RasterizerOrdered",
    "Interlocked",
    "Wave",
    "Quad",
    "SV_",
    "sampler",
    "Sampler",
    "texture",
    "Feedback",
    "Ray",
    "tex1D",
    "tex2D",
    "tex3D",
    "texCUBE",
    "__",
    "D3DCOLOR",
    "asfloat",
    "asint",
    "asuint",
    "asdouble",
];

/// In order.
#[rustfmt::skip] // A table.
const WORDS: &[&str] = &[
    "AllMemoryBarrier", "AllMemoryBarrierWithGroupSync", "BlendState", "CompileShader", "ComputeShader",
    "DepthStencilState", "DepthStencilView", "DeviceMemoryBarrier", "DeviceMemoryBarrierWithGroupSync",
    "DomainShader", "FeedbackTexture2D", "FeedbackTexture2DArray", "GeometryShader", "GroupMemoryBarrier",
    "GroupMemoryBarrierWithGroupSync", "Hullshader", "InputPatch", "IsHelperLane", "LineStream", "NULL",
    "OutputPatch", "PixelShader", "PointStream", "RWTexture1D", "RWTexture1DArray", "RWTexture2D", "RWTexture2DArray",
    "RWTexture3D", "RasterizerOrderedBuffer", "RenderTargetView", "ResourceDescriptorHeap", "SamplerDescriptorHeap",
    "SubpassInput", "SubpassInputMS", "Technique", "TextureBuffer", "TriangleStream", "VertexShader", "abort", "abs",
    "acos", "alignas", "alignof", "all", "and", "and_eq", "any", "asin", "asm", "asm_fragment", "atan", "atan2",
    "auto", "bitand", "bitor", "branch", "break", "case", "catch", "cbuffer", "ceil", "center", "centroid", "char",
    "char16_t", "char32_t", "choose", "clamp", "class", "clip", "column_major", "compile", "compile_fragment",
    "compl", "const", "const_cast", "constexpr", "continue", "cos", "cosh", "countbits", "cross", "ddx", "ddx_coarse",
    "ddx_fine", "ddy", "ddy_coarse", "ddy_fine", "decltype", "default", "degrees", "delete", "determinant", "discard",
    "distance", "do", "dot", "dot2add", "dot4add_i8packed", "dot4add_u8packed", "dst", "dx", "dynamic_cast", "else",
    "enum", "errorf", "exp", "exp2", "explicit", "export", "extern", "f16tof32", "f32tof16", "faceforward", "false",
    "firstbithigh", "firstbitlow", "floor", "fma", "fmod", "for", "frac", "frexp", "friend", "fwidth", "fxgroup",
    "globallycoherent", "goto", "groupshared", "hlsl", "if", "in", "indices", "inline", "inout", "interface",
    "isfinite", "isinf", "isnan", "ldexp", "length", "lerp", "line", "lineadj", "linear", "lit", "log", "log10",
    "log2", "long", "loop", "mad", "main", "mat", "matrix", "max", "min", "modf", "msad4", "mul", "mutable",
    "namespace", "new", "noexcept", "nointerpolation", "noise", "noperspective", "normalize", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "out", "packoffset", "pass", "payload", "pixelfragment", "point", "pow",
    "precise", "primitives", "printf", "private", "protected", "public", "radians", "rcp", "reflect", "refract",
    "register", "reinterpret_cast", "return", "reversebits", "round", "row_major", "rsqrt", "sample", "sampler_state",
    "saturate", "select", "shared", "short", "sign", "signed", "sin", "sincos", "sinh", "sizeof", "smoothstep",
    "snorm", "space", "sqrt", "stateblock", "stateblock_state", "static", "static_assert", "static_cast", "std",
    "step", "string", "struct", "switch", "tan", "tanh", "tbuffer", "technique", "technique10", "technique11",
    "template", "this", "thread_local", "throw", "transpose", "triangle", "triangleadj", "true", "trunc", "try",
    "typedef", "typeid", "typename", "uniform", "union", "unorm", "unroll", "unsigned", "using", "vector",
    "vertexfragment", "vertices", "virtual", "vk", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
        assert!(
            ["struct", "loop", "IsHelperLane", "float4", "min16float2x3", "SamplerState"]
                .into_iter()
                .all(is_reserved)
        );
        assert!(["color", "structure", "float5", "looped"].into_iter().all(|name| !is_reserved(name)));
    }
}
