//! The words of GLSL 4.60 that a program cannot use as names (GLSL 4.60, 3.6), and built-in functions and types, which a
//! name would hide.

/// Returns true if a name is a word of the language.
pub(in crate::back::text) fn is_reserved(name: &str) -> bool {
    name.starts_with("gl_") || WORDS.binary_search(&name).is_ok() || has_prefix(name)
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
    "abs", "acos", "acosh", "active", "all", "allInvocations", "any", "asin", "asinh", "asm", "atan", "atanh", "attribute",
    "barrier", "bitCount", "bool", "break", "buffer", "bvec2", "bvec3", "bvec4", "case", "cast", "ceil", "centroid",
    "clamp", "class", "coherent", "common", "const", "continue", "cos", "cosh", "cross", "dFdx", "dFdxCoarse", "dFdxFine",
    "dFdy", "dFdyCoarse", "dFdyFine", "default", "degrees", "demote", "determinant", "discard", "distance", "dmat2", "dmat2x2", "dmat2x3",
    "dmat2x4", "dmat3", "dmat3x2", "dmat3x3", "dmat3x4", "dmat4", "dmat4x2", "dmat4x3", "dmat4x4", "do", "dot", "double",
    "dvec2", "dvec3", "dvec4", "else", "enum", "equal", "exp", "exp2", "extern", "external", "f16vec2", "f16vec3",
    "f16vec4", "f32vec2", "f32vec3", "f32vec4", "f64vec2", "f64vec3", "f64vec4", "faceforward", "false", "filter",
    "findLSB", "findMSB", "fixed", "flat", "float", "float16_t", "float32_t", "float64_t", "floatBitsToInt", "floatBitsToUint", "floor", "fma", "for", "fract",
    "frexp", "fvec2", "fvec3", "fvec4", "fwidth", "fwidthCoarse", "fwidthFine", "goto", "greaterThan", "greaterThanEqual",
    "groupMemoryBarrier", "half", "helperInvocationEXT", "highp", "hvec2", "hvec3", "hvec4", "i16vec2", "i16vec3", "i16vec4", "i64vec2", "i64vec3",
    "i64vec4", "i8vec2", "i8vec3", "i8vec4", "if", "imulExtended", "in", "inline", "inout", "input", "int",
    "int16BitsToFloat16", "int16_t", "int32_t", "int64BitsToDouble", "int64_t", "int8_t",
    "intBitsToFloat", "interface", "invariant", "inverse", "inversesqrt", "isinf", "isnan", "ivec2", "ivec3", "ivec4",
    "layout", "ldexp", "length", "lessThan", "lessThanEqual", "log", "log2", "long", "lowp", "main", "mat2", "mat2x2",
    "mat2x3", "mat2x4", "mat3", "mat3x2", "mat3x3", "mat3x4", "mat4", "mat4x2", "mat4x3", "mat4x4",
    "matrixCompMult", "max", "mediump", "min", "mix", "mod", "modf", "namespace", "noinline", "nonuniformEXT",
    "noperspective", "normalize", "not", "notEqual", "out", "outerProduct", "output", "partition", "patch",
    "pervertexEXT", "pow", "precise", "precision", "public", "radians", "readonly", "reflect", "refract", "resource",
    "restrict", "return", "round", "roundEven", "sample", "shared", "short", "sign", "sin", "sinh", "sizeof",
    "smooth", "smoothstep", "sqrt", "static", "std140", "std430", "step", "struct", "subroutine", "superp", "switch",
    "tan", "tanh", "template", "terminateInvocation", "this", "transpose", "true", "trunc", "typedef", "u16vec2", "u16vec3", "u16vec4",
    "u64vec2", "u64vec3", "u64vec4", "u8vec2", "u8vec3", "u8vec4", "uaddCarry", "uint", "uint16BitsToFloat16", "uint16_t", "uint32_t", "uint64BitsToDouble", "uint64_t",
    "uint8_t", "uintBitsToFloat",
    "umulExtended", "uniform", "union", "unsigned", "using", "usubBorrow", "uvec2", "uvec3", "uvec4", "varying",
    "vec2", "vec3", "vec4", "void", "volatile", "while", "writeonly",
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
