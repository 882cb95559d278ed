//! Generated inputs and outputs: every builtin in every stage that reads or writes it, every type at a location with every
//! interpolation, and at every component of a location.
//!
//! A sample is a shader with one input, whose components it stores, or with one output, whose components come from a buffer.
//! Stages are those of vertices, fragments and compute shaders.

use super::lines::{Domain, Form, HEAD, Lines, is_valid};
use super::memory::{Class, SCALARS, Scalar, Shape, Types, path};
use vitrine_core::ops::{ValueType, Width};

/// What the variable stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    BuiltIn(&'static str),
    /// A location, with the words of its interpolation.
    Location(&'static str),
    /// A component of a location, with the words of its interpolation.
    Component(u32, &'static str),
}

/// A shader with an input or an output.
#[derive(Clone)]
pub(crate) struct Sample {
    form: Form,
    is_read: bool,
    place: Place,
    shape: Shape,
}

/// A stage, and the access to a builtin in it: reads, or writes.
type Access = (Form, bool);

const VERTEX_IN: Access = (Form::Vertex, true);
const VERTEX_OUT: Access = (Form::Vertex, false);
const FRAGMENT_IN: Access = (Form::Fragment, true);
const FRAGMENT_OUT: Access = (Form::Fragment, false);
const COMPUTE: Access = (Form::Compute, true);

/// The type of a builtin: the word of the scalar, the components, and the length of an array of them or 0.
type BuiltIn = (&'static str, (&'static str, u32, u32), &'static [Access]);

#[rustfmt::skip] // A table.
const BUILTINS: &[BuiltIn] = &[
    ("position", ("f32", 4, 0), &[VERTEX_OUT]),
    ("point_size", ("f32", 1, 0), &[VERTEX_OUT]),
    ("clip_distance", ("f32", 1, 2), &[VERTEX_OUT, FRAGMENT_IN]),
    ("cull_distance", ("f32", 1, 2), &[VERTEX_OUT, FRAGMENT_IN]),
    ("primitive_id", ("i32", 1, 0), &[FRAGMENT_IN]),
    ("layer", ("i32", 1, 0), &[VERTEX_OUT, FRAGMENT_IN]),
    ("viewport_index", ("i32", 1, 0), &[VERTEX_OUT, FRAGMENT_IN]),
    ("frag_coord", ("f32", 4, 0), &[FRAGMENT_IN]),
    ("point_coord", ("f32", 2, 0), &[FRAGMENT_IN]),
    ("front_facing", ("bool", 1, 0), &[FRAGMENT_IN]),
    ("sample_id", ("i32", 1, 0), &[FRAGMENT_IN]),
    ("sample_position", ("f32", 2, 0), &[FRAGMENT_IN]),
    ("sample_mask", ("i32", 1, 1), &[FRAGMENT_IN, FRAGMENT_OUT]),
    ("sample_mask", ("i32", 1, 0), &[FRAGMENT_IN, FRAGMENT_OUT]),
    ("frag_depth", ("f32", 1, 0), &[FRAGMENT_OUT]),
    ("frag_stencil_ref", ("i32", 1, 0), &[FRAGMENT_OUT]),
    ("helper_invocation", ("bool", 1, 0), &[FRAGMENT_IN]),
    ("num_workgroups", ("u32", 3, 0), &[COMPUTE]),
    ("workgroup_id", ("u32", 3, 0), &[COMPUTE]),
    ("local_invocation_id", ("u32", 3, 0), &[COMPUTE]),
    ("global_invocation_id", ("u32", 3, 0), &[COMPUTE]),
    ("local_invocation_index", ("u32", 1, 0), &[COMPUTE]),
    ("subgroup_size", ("u32", 1, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("num_subgroups", ("u32", 1, 0), &[COMPUTE]),
    ("subgroup_id", ("u32", 1, 0), &[COMPUTE]),
    ("subgroup_local_invocation_id", ("u32", 1, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("subgroup_eq_mask", ("u32", 4, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("subgroup_ge_mask", ("u32", 4, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("subgroup_gt_mask", ("u32", 4, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("subgroup_le_mask", ("u32", 4, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("subgroup_lt_mask", ("u32", 4, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("vertex_index", ("i32", 1, 0), &[VERTEX_IN]),
    ("instance_index", ("i32", 1, 0), &[VERTEX_IN]),
    ("base_vertex", ("i32", 1, 0), &[VERTEX_IN]),
    ("base_instance", ("i32", 1, 0), &[VERTEX_IN]),
    ("draw_index", ("i32", 1, 0), &[VERTEX_IN]),
    ("primitive_shading_rate", ("i32", 1, 0), &[VERTEX_OUT]),
    ("device_index", ("i32", 1, 0), &[VERTEX_IN, FRAGMENT_IN, COMPUTE]),
    ("view_index", ("i32", 1, 0), &[VERTEX_IN, FRAGMENT_IN]),
    ("shading_rate", ("i32", 1, 0), &[FRAGMENT_IN]),
    ("fully_covered", ("bool", 1, 0), &[FRAGMENT_IN]),
    ("bary_coord", ("f32", 3, 0), &[FRAGMENT_IN]),
    ("bary_coord_no_perspective", ("f32", 3, 0), &[FRAGMENT_IN]),
    ("frag_size", ("i32", 2, 0), &[FRAGMENT_IN]),
    ("frag_invocation_count", ("i32", 1, 0), &[FRAGMENT_IN]),
];

/// The interpolations of a location between a vertex and a fragment shader.
const INTERPOLATIONS: [&str; 6] =
    ["", "flat", "noperspective", "centroid", "sample", "noperspective+centroid"];

impl Sample {
    pub(crate) fn name(&self) -> String {
        let access = if self.is_read { "read" } else { "write" };
        let place = match self.place {
            Place::BuiltIn(name) => format!("builtin {name}"),
            Place::Location("") => "location".to_owned(),
            Place::Location(interpolation) => format!("location {interpolation}"),
            Place::Component(at, interpolation) => {
                format!("component {at} {interpolation}").trim_end().to_owned()
            }
        };
        format!("{access} {place} {} in {:?}", self.shape.name(), self.form)
    }

    /// The scalar of all components.
    fn scalar(&self) -> Option<Scalar> {
        let mut leaves = Vec::new();
        self.shape.leaves(&[], &mut leaves);
        leaves.first().map(|(scalar, _)| *scalar)
    }

    fn attrs(&self) -> String {
        let is_integer = self.scalar().is_some_and(|(_, width, is_float)| width != Width::W1 && !is_float);
        match self.place {
            Place::BuiltIn(name) if is_integer && (self.form, self.is_read) == FRAGMENT_IN => {
                format!("{{builtin {name}, interp flat}}")
            }
            Place::BuiltIn(name) => format!("{{builtin {name}}}"),
            Place::Location("") => "{location 0}".to_owned(),
            Place::Location(interpolation) => format!("{{location 0, interp {interpolation}}}"),
            Place::Component(at, "") => format!("{{location 0, component {at}}}"),
            Place::Component(at, interpolation) => {
                format!("{{location 0, component {at}, interp {interpolation}}}")
            }
        }
    }

    /// The module.
    pub(crate) fn module(&self) -> String {
        let form = self.form;
        let it = if self.is_read { form.first_variable() } else { 1 };
        let count = if self.is_read { form.structures() } else { 1 };
        let mut types = Types::after(count);
        let spelled = types.spell(&self.shape, Class::Local);
        let variables = if self.is_read { form.variables(2) } else { form.operands() };
        let mode = if self.is_read { "in" } else { "out" };
        let var = format!("{mode} $it_{it}: {spelled} {}\n", self.attrs());
        let others = format!(", $it_{it}");
        let mut entry = if self.is_read { form.entry(&others) } else { form.bare_entry(&others) };
        if self.place == Place::BuiltIn("frag_depth") {
            entry = entry.replace("{origin_upper_left}", "{origin_upper_left, depth_replacing}");
        }
        let structs = types.declared();
        format!(
            "{HEAD}{structs}{variables}{var}\n{entry}func @0() tree {{\n^0:\n{}  return\n}}\n",
            self.body(it)
        )
    }

    fn body(&self, it: usize) -> String {
        let mut lines = Lines::new(self.form, 0);
        if self.is_read {
            lines.clear_results();
        }
        let mut leaves = Vec::new();
        self.shape.leaves(&[], &mut leaves);
        let mut word = 0;
        for ((_, width, is_float), steps) in leaves {
            let words = if width == Width::W64 && !is_float { 2 } else { 1 };
            let at = path(&mut lines, it, false, &steps, false);
            if !self.is_read {
                let value = lines.component(width, is_float, Domain::Any);
                lines.store(at, value);
            } else if word + words <= super::lines::WORDS {
                let value = lines.inst(&format!("b{}", width.bits()), &format!("load %{at}"));
                lines.result(ValueType::bits(width, 1), value, is_float, word);
                word += words;
            }
        }
        lines.text
    }
}

fn scalar_of(word: &str) -> Scalar {
    *SCALARS.iter().find(|(known, ..)| *known == word).expect("a scalar")
}

/// Every builtin, with integers of both signs.
pub(crate) fn builtins() -> Vec<Sample> {
    let mut out = Vec::new();
    for &(name, (word, components, length), accesses) in BUILTINS {
        let words = match word {
            "i32" | "u32" => vec!["i32", "u32"],
            _ => vec![word],
        };
        for word in words {
            let scalar = scalar_of(word);
            let one = if components > 1 { Shape::Vector(scalar, components) } else { Shape::Scalar(scalar) };
            let shape = if length > 0 { Shape::Array(Box::new(one), length) } else { one };
            for &(form, is_read) in accesses {
                let sample = Sample { form, is_read, place: Place::BuiltIn(name), shape: shape.clone() };
                if is_valid(&sample.module()) {
                    out.push(sample);
                }
            }
        }
        let has_any = out.iter().any(|sample: &Sample| sample.place == Place::BuiltIn(name));
        assert!(has_any, "no module with {name} is valid");
    }
    out
}

/// Every type at a location.
pub(crate) fn locations() -> Vec<Sample> {
    let mut shapes = Vec::new();
    for scalar in SCALARS.into_iter().filter(|scalar| scalar.1 != Width::W1) {
        shapes.push(Shape::Scalar(scalar));
        shapes.extend((2..=4).map(|count| Shape::Vector(scalar, count)));
        shapes.push(Shape::Array(Box::new(Shape::Vector(scalar, 2)), 2));
    }
    let float = scalar_of("f32");
    shapes.extend([(2, 2), (3, 3), (4, 3)].map(|(rows, columns)| Shape::Matrix(float, rows, columns)));
    shapes.push(Shape::Struct(vec![Shape::Vector(float, 3), Shape::Scalar(float)]));
    let mut out = Vec::new();
    for shape in shapes {
        for (form, is_read) in [VERTEX_IN, VERTEX_OUT, FRAGMENT_IN, FRAGMENT_OUT] {
            let is_between = matches!((form, is_read), VERTEX_OUT | FRAGMENT_IN);
            for interpolation in INTERPOLATIONS {
                let place = Place::Location(interpolation);
                let sample = Sample { form, is_read, place, shape: shape.clone() };
                let is_float =
                    sample.scalar().is_some_and(|(_, width, is_float)| is_float && width != Width::W64);
                let fits = match interpolation {
                    "" => !is_between || is_float,
                    "flat" => is_between,
                    _ => is_between && is_float,
                };
                if fits && is_valid(&sample.module()) {
                    out.push(sample);
                }
            }
        }
    }
    out.extend(components());
    for (form, is_read) in [VERTEX_IN, VERTEX_OUT, FRAGMENT_IN, FRAGMENT_OUT] {
        let has_any = out.iter().any(|sample: &Sample| (sample.form, sample.is_read) == (form, is_read));
        assert!(has_any, "no location of {form:?} is valid");
    }
    out
}

/// Scalars, vectors and arrays that begin at each component of a location but the first.
fn components() -> Vec<Sample> {
    let mut out = Vec::new();
    for scalar @ (_, width, is_float) in SCALARS.into_iter().filter(|scalar| scalar.1 != Width::W1) {
        let of = |count: u32| if count == 1 { Shape::Scalar(scalar) } else { Shape::Vector(scalar, count) };
        // A number of 64 bits takes two components, the first of which is even.
        let each = if width == Width::W64 { 2 } else { 1 };
        let fits = |&(at, count): &(u32, u32)| at % each == 0 && at + count * each <= 4;
        for (at, count) in (1..4).flat_map(|at| (1..4).map(move |count| (at, count))).filter(fits) {
            for shape in [of(count), Shape::Array(Box::new(of(count)), 2)] {
                for (form, is_read) in [VERTEX_IN, VERTEX_OUT, FRAGMENT_IN, FRAGMENT_OUT] {
                    let is_between = matches!((form, is_read), VERTEX_OUT | FRAGMENT_IN);
                    let is_flat = is_between && !(is_float && width != Width::W64);
                    let place = Place::Component(at, if is_flat { "flat" } else { "" });
                    let sample = Sample { form, is_read, place, shape: shape.clone() };
                    if is_valid(&sample.module()) {
                        out.push(sample);
                    }
                }
            }
        }
    }
    assert!(!out.is_empty(), "no component is valid");
    out
}
