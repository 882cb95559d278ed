//! Words that no name of a program may be: keywords of C++14 and of Metal, types, and functions that a name would hide
//! (Metal Shading Language Specification, chapters 2 to 6).

/// Returns true for a word that has a meaning in the language.
pub(super) fn is_reserved(name: &str) -> bool {
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
    // Macros of the header.
    "FLT_",
    "HALF_",
    "DBL_",
    "FP_",
    "M_",
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
    "HUGE_VALF", "HUGE_VALH", "INFINITY", "MAXFLOAT", "MAXHALF", "M_PI_F", "NAN", "NULL", "abs", "absdiff", "access",
    "acos", "acosh", "add", "address", "addsat", "alignas", "alignof", "all", "and", "and_eq", "any", "array",
    "as_type", "asin", "asinh", "asm", "assert", "assume", "atan", "atan2", "atanh", "atomic", "auto", "bfloat",
    "bias", "bit_cast", "bitand", "bitor", "bool", "bool2", "bool3", "bool4", "border_color", "break", "case",
    "catch", "ceil", "char", "char16_t", "char2", "char3", "char32_t", "char4", "char8_t", "clamp", "class", "clz",
    "co_await", "co_return", "co_yield", "command_buffer", "compare_func", "compl", "component", "compute",
    "compute_command", "concept", "conditional", "const", "const_cast", "constant", "consteval", "constexpr",
    "constinit", "continue", "coord", "copysign", "cos", "cosh", "cospi", "cross", "ctz", "decltype", "declval",
    "default", "delete", "depth", "determinant", "device", "dfdx", "dfdy", "discard_fragment", "distance",
    "distance_squared", "divide", "do", "domain", "dot", "double", "dynamic_cast", "else", "enable_if", "enum", "exp",
    "exp10", "exp2", "explicit", "explicit_imageblock", "export", "extent", "extern", "extract_bits", "fabs",
    "faceforward", "false", "false_type", "fast", "fdim", "filter", "float", "floor", "fma", "fmax", "fmax3",
    "fmedian3", "fmin", "fmin3", "fmod", "for", "fract", "fragment", "frexp", "friend", "function_constant",
    "function_table", "fwidth", "goto", "gradient2d", "gradient3d", "gradientcube", "hadd", "half", "if", "ilogb",
    "imageblock", "in", "indirect_command_buffer", "inline", "insert_bits", "int", "int16_t", "int32_t", "int64_t",
    "int8_t", "integral_constant", "interpolant", "interpolate_at_center", "interpolation", "intersection",
    "intersection_function_table", "intersection_result", "intersector", "is_function_constant_defined",
    "is_null_texture", "is_same", "isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered", "kernel",
    "ldexp", "length", "length_squared", "level", "lod_clamp", "log", "log10", "log2", "long", "mad24", "madhi",
    "madsat", "mag_filter", "main", "main0", "matrix", "max", "max3", "max_anisotropy", "median3", "mem_flags",
    "memory_order_relaxed", "mesh", "mesh_grid_properties", "metal", "min", "min3", "min_filter", "min_lod_clamp",
    "mip_filter", "mix", "modf", "mul24", "mulhi", "mutable", "namespace", "new", "nextafter", "noexcept",
    "normalize", "not", "not_eq", "nullptr", "nullptr_t", "numeric_limits", "object", "object_data", "offset",
    "operator", "or", "or_eq", "os_log", "out", "patch", "popcount", "pow", "powr", "precise", "primitive", "private",
    "protected", "ptrdiff_t", "public", "pull_model", "quad_all", "quad_any", "quad_broadcast", "quad_shuffle_xor",
    "r8unorm", "r_address", "ray", "ray_data", "raytracing", "reflect", "refract", "register", "reinterpret_cast",
    "render_command", "requires", "restrict", "return", "reverse_bits", "rhadd", "rint", "rotate", "round", "rsqrt",
    "s_address", "sampler", "saturate", "select", "short", "sign", "signbit", "signed", "simd", "simd_all",
    "simd_any", "simd_ballot", "simd_broadcast", "simd_shuffle", "simd_sum", "sin", "sincos", "sinh", "sinpi",
    "size_t", "sizeof", "smoothstep", "sqrt", "static", "static_assert", "static_cast", "std", "step", "struct",
    "subsat", "swap", "switch", "t_address", "tan", "tanh", "tanpi", "template", "tensor", "texture", "this",
    "thread", "thread_local", "threadgroup", "threadgroup_imageblock", "throw", "transpose", "true", "true_type",
    "trunc", "try", "typedef", "typeid", "typename", "typeof", "uchar", "uchar2", "uchar3", "uchar4", "uint",
    "uint16_t", "uint32_t", "uint64_t", "uint8_t", "ulong", "uniform", "union", "unsigned", "ushort", "using", "vec",
    "vertex", "virtual", "visible", "visible_function_table", "void", "void_t", "volatile", "wchar_t", "while", "xor",
    "xor_eq",
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
