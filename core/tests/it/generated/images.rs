//! Generated accesses to images: every operation with each set of operands, on every dimension, with and without layers, samples
//! and depth, of floats, signed and unsigned integers; with the sampler in the image or apart.
//!
//! A sample is a function with an image of its own, which stores what the access yields. Lookups with the implicit level of
//! detail, and queries for it, are in fragment shaders.

use super::lines::{Domain, Form, HEAD, Lines, WORDS, is_valid};
use std::fmt::Write;
use vitrine_core::ops::{ValueType, Width};

/// The images that an operation accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// With a sampler.
    Sampled,
    /// Without a sampler.
    Texture,
    Storage,
}

/// An operation with the roles of its operands after the image.
type Access = (&'static str, Kind, &'static [&'static str]);

#[rustfmt::skip] // A table.
const ACCESSES: [Access; 27] = [
    ("tex.sample", Kind::Sampled, &["coord"]),
    ("tex.sample", Kind::Sampled, &["coord", "bias"]),
    ("tex.sample", Kind::Sampled, &["coord", "offset"]),
    ("tex.sample", Kind::Sampled, &["coord", "projector"]),
    ("tex.sample", Kind::Sampled, &["coord", "compare"]),
    ("tex.sample", Kind::Sampled, &["coord", "bias", "compare"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "lod"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "lod", "offset"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "projector", "lod"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "ddx", "ddy"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "lod", "compare"]),
    ("tex.sample_lod", Kind::Sampled, &["coord", "ddx", "ddy", "compare"]),
    ("tex.gather", Kind::Sampled, &["coord", "component"]),
    ("tex.gather", Kind::Sampled, &["coord", "component", "offset"]),
    ("tex.gather", Kind::Sampled, &["coord", "compare"]),
    ("tex.query_lod", Kind::Sampled, &["coord"]),
    ("tex.fetch", Kind::Texture, &["coord"]),
    ("tex.fetch", Kind::Texture, &["coord", "lod"]),
    ("tex.fetch", Kind::Texture, &["coord", "lod", "offset"]),
    ("tex.fetch", Kind::Texture, &["coord", "sample"]),
    ("tex.query_size", Kind::Texture, &["lod"]),
    ("tex.query_size", Kind::Texture, &[]),
    ("tex.query_levels", Kind::Texture, &[]),
    ("tex.query_samples", Kind::Texture, &[]),
    ("image.read", Kind::Storage, &["coord"]),
    ("image.read", Kind::Storage, &["coord", "sample"]),
    ("image.write", Kind::Storage, &["coord", "texel"]),
];

/// The type of the image.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Image {
    dim: &'static str,
    is_arrayed: bool,
    is_multisampled: bool,
    is_depth: bool,
    /// The word of the texels, and the format of storage images.
    texel: (&'static str, &'static str),
}

const TEXELS: [(&str, &str); 3] = [("f32", "rgba32f"), ("i32", "rgba32i"), ("u32", "rgba32ui")];

impl Image {
    /// The components of a coordinate without its layer, and with it.
    fn components(self, kind: Kind) -> (u8, u8) {
        let plane = match self.dim {
            "1d" | "buffer" => 1,
            "3d" | "cube" => 3,
            _ => 2,
        };
        // Faces are layers of storage images.
        let has_layer = self.is_arrayed && !(kind == Kind::Storage && self.dim == "cube");
        (plane, plane + u8::from(has_layer))
    }

    /// The words between `<` and `>`.
    fn words(self, kind: Kind) -> String {
        let mut out = format!("{} {}", self.dim, self.texel.0);
        let storage = format!("storage {}", self.texel.1);
        let flags = [
            (self.is_depth, "depth"),
            (self.is_arrayed, "arrayed"),
            (self.is_multisampled, "multisampled"),
            (kind == Kind::Storage, storage.as_str()),
        ];
        for (_, flag) in flags.iter().filter(|(is_set, _)| *is_set) {
            let _ = write!(out, " {flag}");
        }
        out
    }
}

/// An access to an image of its own.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    access: Access,
    image: Image,
    /// The sampler is another variable.
    is_apart: bool,
    /// The variable of a storage image states that it is only read or only written.
    is_restricted: bool,
}

/// A vector of components.
fn joined(lines: &mut Lines, parts: &[usize]) -> usize {
    match parts {
        [one] => *one,
        all => {
            let list: Vec<String> = all.iter().map(|part| format!("%{part}")).collect();
            lines.inst(&format!("b32x{}", all.len()), &format!("vec {}", list.join(", ")))
        }
    }
}

impl Sample {
    pub(crate) fn name(&self) -> String {
        let (op, kind, roles) = self.access;
        let apart = if self.is_apart { ", sampler apart" } else { "" };
        let access = self.restriction().map(|word| format!(", {word}")).unwrap_or_default();
        format!("{op} {} of {}{apart}{access}", roles.join("+"), self.image.words(kind))
    }

    fn restriction(&self) -> Option<&'static str> {
        self.is_restricted.then_some(if self.access.0 == "image.write" { "writeonly" } else { "readonly" })
    }

    /// Returns true for an operation that needs the quad of a fragment.
    pub(crate) fn is_implicit(&self) -> bool {
        matches!(self.access.0, "tex.sample" | "tex.query_lod")
    }

    /// The declarations of its variables from this number on, and how many there are.
    fn declared(&self, number: usize) -> (String, usize) {
        let words = self.image.words(self.access.1);
        let place = |number: usize| format!("{{set 0, binding {number}}}\n");
        match (self.access.1, self.is_apart) {
            (Kind::Sampled, false) => {
                (format!("handle $it_{number}: sampled_image<{words}> {}", place(number)), 1)
            }
            (Kind::Sampled, true) => (
                format!(
                    "handle $it_{number}: image<{words}> {}handle $it_{}: sampler {}",
                    place(number),
                    number + 1,
                    place(number + 1)
                ),
                2,
            ),
            (Kind::Texture | Kind::Storage, _) => {
                let access =
                    self.restriction().map(|word| format!("{{access {word}, ")).unwrap_or("{".to_owned());
                let place = place(number).replace('{', &access);
                (format!("handle $it_{number}: image<{words}> {place}"), 1)
            }
        }
    }

    /// An operand by its role.
    fn operand(&self, lines: &mut Lines, role: &str) -> usize {
        let (plane, all) = self.image.components(self.access.1);
        let is_float = self.access.1 == Kind::Sampled;
        let vector = |lines: &mut Lines, count: u8, is_float: bool, domain: Domain| {
            let parts: Vec<usize> =
                (0..count).map(|_| lines.component(Width::W32, is_float, domain)).collect();
            joined(lines, &parts)
        };
        match role {
            "coord" if self.access.0 == "tex.query_lod" => vector(lines, plane, true, Domain::Unit),
            "coord" if is_float => vector(lines, all, true, Domain::Unit),
            "coord" => vector(lines, all, false, Domain::Below(2)),
            "ddx" | "ddy" => vector(lines, plane, true, Domain::Unit),
            "offset" if plane == 1 => lines.inst("b32", "const 1"),
            "offset" => {
                let list = ["1", "2", "3"][..usize::from(plane)].join(", ");
                lines.inst(&format!("b32x{plane}"), &format!("const ({list})"))
            }
            "component" => lines.inst("b32", "const 1"),
            "lod" if !is_float => lines.inst("b32", "const 0"),
            "sample" => lines.component(Width::W32, false, Domain::Below(2)),
            "projector" => lines.component(Width::W32, true, Domain::AboveOne),
            "texel" => vector(lines, 4, self.image.texel.0 == "f32", Domain::Any),
            // The level of detail, its bias, the reference of a comparison.
            _ => lines.component(Width::W32, true, Domain::Unit),
        }
    }

    /// The type of the result; `None` for a write.
    fn result(&self) -> Option<ValueType> {
        let (op, kind, roles) = self.access;
        let (plane, all) = self.image.components(kind);
        let size = if self.image.dim == "cube" { 2 } else { plane };
        let components = match op {
            "image.write" => return None,
            "tex.query_size" => size + all - plane,
            "tex.query_lod" => 2,
            "tex.query_levels" | "tex.query_samples" => 1,
            "tex.sample" | "tex.sample_lod" if roles.contains(&"compare") => 1,
            _ => 4,
        };
        Some(ValueType::bits(Width::W32, components))
    }

    /// The function with this number, on variables from that one on.
    fn function(&self, form: Form, number: usize, var: usize) -> String {
        let (op, kind, roles) = self.access;
        let mut lines = Lines::new(form, number * 5);
        let _ = writeln!(lines.text, "func @{number}() tree {{\n^0:");
        let path = lines.inst("path", &format!("deref.var ${var}"));
        let mut handle = lines.inst("handle", &format!("load %{path}"));
        if self.is_apart {
            let path = lines.inst("path", &format!("deref.var ${}", var + 1));
            let sampler = lines.inst("handle", &format!("load %{path}"));
            handle = lines.inst("handle", &format!("tex.combine %{handle}, %{sampler}"));
        }
        let mut args = vec![format!("%{handle}")];
        args.extend(roles.iter().map(|role| format!("%{}", self.operand(&mut lines, role))));
        let mut attrs = vec![format!("dim {}", self.image.dim)];
        attrs.extend(self.image.is_arrayed.then(|| "arrayed".to_owned()));
        attrs
            .extend((self.image.is_multisampled && kind != Kind::Sampled).then(|| "multisampled".to_owned()));
        attrs.extend(roles.contains(&"compare").then(|| "shadow".to_owned()));
        let all: Vec<&str> = ["image"].iter().chain(roles).copied().collect();
        attrs.push(format!("roles {}", all.join("+")));
        let attrs = match op {
            "tex.query_levels" | "tex.query_samples" => String::new(),
            _ => format!(" {{{}}}", attrs.join(", ")),
        };
        let inst = format!("{op} {}{attrs}", args.join(", "));
        let is_float = self.image.texel.0 == "f32" && !op.contains("query") || op == "tex.query_lod";
        match self.result() {
            Some(ty) => {
                let value = lines.inst(&format!("{ty}"), &inst);
                lines.result(ty, value, is_float, (number - 1) * WORDS);
            }
            None => {
                let _ = writeln!(lines.text, "  {inst}");
            }
        }
        lines.text.push_str("  return\n}\n\n");
        lines.text
    }

    /// The operation exists for the image.
    fn is_possible(&self) -> bool {
        let (op, kind, roles) = self.access;
        let Image { dim, is_arrayed, is_multisampled, is_depth, texel } = self.image;
        let is_layered = matches!(dim, "1d" | "2d" | "cube");
        let is_type = (!is_arrayed || is_layered)
            && (!is_multisampled || dim == "2d")
            && (!is_depth || is_layered && !is_multisampled && texel.0 == "f32" && kind != Kind::Storage);
        let has_levels = !is_multisampled && !matches!(dim, "rect" | "buffer");
        let fits_op = match op {
            "tex.fetch" | "tex.query_size" if roles.contains(&"lod") => has_levels,
            "tex.fetch" if roles.contains(&"sample") => is_multisampled,
            "tex.fetch" => !has_levels && !is_multisampled,
            "tex.query_size" => !has_levels,
            "tex.query_samples" => is_multisampled,
            "image.read" | "image.write" => is_multisampled == roles.contains(&"sample"),
            "tex.query_lod" | "tex.query_levels" => has_levels,
            _ => !is_multisampled && dim != "buffer",
        };
        let fits_roles = roles.contains(&"compare")
            == (is_depth && kind == Kind::Sampled && op != "tex.query_lod")
            && !(roles.contains(&"offset") && dim == "cube")
            && !(roles.contains(&"projector") && (dim == "cube" || is_arrayed))
            && !(dim == "rect" && roles.iter().any(|role| matches!(*role, "bias" | "lod")));
        is_type && fits_op && fits_roles
    }
}

/// A shader that calls the function of each sample.
pub(crate) fn module(samples: &[&Sample], form: Form) -> String {
    let (mut vars, mut others, mut functions) = (String::new(), String::new(), String::new());
    let mut number = form.first_variable();
    for (at, sample) in samples.iter().enumerate() {
        let (declared, count) = sample.declared(number);
        vars.push_str(&declared);
        (number..number + count).for_each(|var| {
            let _ = write!(others, ", $it_{var}");
        });
        functions.push_str(&sample.function(form, at + 1, number));
        number += count;
    }
    let (variables, entry) = (form.variables(samples.len()), form.entry(&others));
    format!("{HEAD}{variables}{vars}\n{entry}{}{functions}", form.main(samples.len()))
}

/// Every access that is valid.
pub(crate) fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for access in ACCESSES {
        let before = out.len();
        for dim in ["1d", "2d", "3d", "cube", "rect", "buffer"] {
            for flags in 0..8u8 {
                for texel in TEXELS {
                    let [is_arrayed, is_multisampled, is_depth] = [0, 1, 2].map(|bit| flags >> bit & 1 == 1);
                    let image = Image { dim, is_arrayed, is_multisampled, is_depth, texel };
                    for (is_apart, is_restricted) in [(false, false), (true, false), (false, true)] {
                        let sample = Sample { access, image, is_apart, is_restricted };
                        let is_other = (!is_apart || access.1 == Kind::Sampled)
                            && (!is_restricted || access.1 == Kind::Storage);
                        let form = if sample.is_implicit() { Form::Fragment } else { Form::Compute };
                        if is_other && sample.is_possible() && is_valid(&module(&[&sample], form)) {
                            out.push(sample);
                        }
                    }
                }
            }
        }
        let (op, _, roles) = access;
        assert!(out.len() > before, "no image has {op} {}", roles.join("+"));
    }
    out
}
