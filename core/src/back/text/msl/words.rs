//! Words that no name of a program may be: keywords of C++14 and of Metal, types, and functions that a name would hide
//! (Metal Shading Language Specification, chapters 2 to 6).

/// Returns true for a word that has a meaning in the language.
pub(in crate::back::text) fn is_reserved(name: &str) -> bool {
    WORDS.binary_search(&name).is_ok()
        || is_type(name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Families of types and functions.
const PREFIXES: &[&str] = &[
    "texture1d",
    "texture2d",
    "texture3d",
    "texturecube",
    "texture_",
    "depth2d",
    "depthcube",
    "atomic_",
    "simd_",
    "simdgroup_",
    "quad_",
    "packed_",
    "pack_",
    "unpack_",
    "threadgroup_",
    "memory_order",
    "METAL_",
    "__",
];

/// Scalars, vectors and matrices with a size.
fn is_type(name: &str) -> bool {
    let Some(at) = name.find(|c: char| c.is_ascii_digit()) else { return false };
    let (base, size) = name.split_at(at);
    let is_number = matches!(
        base,
        "bool" | "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "half" | "float"
    );
    let is_size = |byte: u8| (b'2'..=b'4').contains(&byte);
    is_number
        && match *size.as_bytes() {
            [one] => is_size(one),
            [columns, b'x', rows] => is_size(columns) && is_size(rows),
            _ => false,
        }
}

/// In order.
#[rustfmt::skip] // A table.
const WORDS: &[&str] = &[
    "INFINITY", "M_PI_F", "NAN", "NULL", "abs", "absdiff", "access", "acos", "acosh", "add", "address", "addsat",
    "alignas", "alignof", "all", "and", "and_eq", "any", "array", "as_type", "asin", "asinh", "asm", "assert",
    "assume", "atan", "atan2", "atanh", "atomic", "auto", "bias", "bit_cast", "bitand", "bitor", "bool", "bool2",
    "bool3", "bool4", "break", "case", "catch", "ceil", "char", "char16_t", "char2", "char3", "char32_t", "char4",
    "clamp", "class", "clz", "compare_func", "compl", "component", "compute", "const", "const_cast", "constant",
    "constexpr", "continue", "coord", "copysign", "cos", "cosh", "cospi", "cross", "ctz", "decltype", "default",
    "delete", "depth", "determinant", "device", "dfdx", "dfdy", "discard_fragment", "distance", "distance_squared",
    "divide", "do", "domain", "dot", "double", "dynamic_cast", "else", "enum", "exp", "exp10", "exp2", "explicit",
    "export", "extent", "extern", "extract_bits", "fabs", "faceforward", "false", "fast", "fdim", "filter", "float",
    "floor", "fma", "fmax", "fmax3", "fmedian3", "fmin", "fmin3", "fmod", "for", "fract", "fragment", "frexp",
    "friend", "fwidth", "goto", "gradient2d", "gradient3d", "gradientcube", "hadd", "half", "if", "ilogb", "in",
    "inline", "insert_bits", "int", "interpolant", "interpolation", "intersection", "is_function_constant_defined",
    "is_null_texture", "isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered", "kernel", "ldexp",
    "length", "length_squared", "level", "log", "log10", "log2", "long", "mad24", "madhi", "madsat", "main", "main0",
    "matrix", "max", "max3", "median3", "mem_flags", "memory_order_relaxed", "mesh", "mesh_grid_properties", "metal", "min", "min3",
    "mip_filter", "mix", "modf", "mul24", "mulhi", "mutable", "namespace", "new", "nextafter", "noexcept",
    "normalize", "not", "not_eq", "nullptr", "object", "object_data", "offset", "operator", "or", "or_eq", "out",
    "patch", "popcount", "pow", "powr", "precise", "primitive", "private", "protected", "ptrdiff_t", "public",
    "quad_all", "quad_any", "quad_broadcast", "quad_shuffle_xor", "r8unorm", "r_address", "ray", "ray_data",
    "reflect", "refract", "register", "reinterpret_cast", "restrict", "return", "reverse_bits", "rhadd", "rint",
    "rotate", "round", "rsqrt", "s_address", "sampler", "saturate", "select", "short", "sign", "signbit", "signed",
    "simd", "simd_all", "simd_any", "simd_ballot", "simd_broadcast", "simd_shuffle", "simd_sum", "sin", "sincos",
    "sinh", "sinpi", "size_t", "sizeof", "smoothstep", "sqrt", "static", "static_assert", "static_cast", "std",
    "step", "struct", "subsat", "switch", "t_address", "tan", "tanh", "tanpi", "template", "this", "thread",
    "thread_local", "threadgroup", "threadgroup_imageblock", "throw", "transpose", "true", "trunc", "try", "typedef",
    "typeid", "typename", "typeof", "uchar", "uchar2", "uchar3", "uchar4", "uint", "ulong", "union", "unsigned",
    "ushort", "using", "vec", "vertex", "virtual", "visible", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_and_types_are_known() {
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            ["float3", "half4x4", "texture2d", "kernel", "select", "atomic_uint"]
                .into_iter()
                .all(is_reserved)
        );
        assert!(["float5", "color", "position", "data1"].into_iter().all(|name| !is_reserved(name)));
    }
}
