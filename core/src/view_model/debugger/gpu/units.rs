//! The resources that a text in GLSL ES 3.00 declares: uniform blocks, and images with their samplers.
//!
//! The writer states the set and the binding of the program in a comment before each declaration, because GLSL ES has
//! bindings by name only. Refuses arrays of images, which have one name for several units.

use crate::interp::Slot;

/// A uniform block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Set and binding in the program; none for the push constants.
    pub(super) slot: Option<Slot>,
    /// The element of an array of blocks, or 0.
    pub(super) element: u32,
    /// The name by which WebGL2 finds it.
    pub(super) name: String,
}

/// An image with its sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    /// Set and binding of the image in the program.
    pub(super) image: Slot,
    /// The same of its sampler, if it has one.
    pub(super) sampler: Option<Slot>,
    /// The type, such as `sampler2D`.
    pub(super) ty: String,
    /// The name by which WebGL2 finds it.
    pub(super) name: String,
}

/// All resources of a text, in its order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Units {
    /// Uniform blocks.
    pub(super) blocks: Vec<Block>,
    /// Images.
    pub(super) units: Vec<Unit>,
}

impl Units {
    /// The resources of a text. Linear in the text.
    ///
    /// # Errors
    ///
    /// The reason why WebGL2 cannot get one of them, as a sentence.
    pub(super) fn of(code: &str) -> Result<Units, String> {
        let mut out = Units::default();
        let mut rest = code;
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            let Some(comment) = line.strip_prefix("// ") else { continue };
            let places = places(comment);
            if places.is_empty() && comment != "push constants" {
                continue;
            }
            // The declaration, which may have several lines.
            let end = after.find(['{', ';']).unwrap_or(after.len());
            let (head, tail) = after.split_at(end);
            let words: Vec<&str> = head.split_whitespace().collect();
            let Some((name, ty)) = words.split_last().map(|(name, words)| (*name, words.last().copied()))
            else {
                continue;
            };
            if tail.starts_with('{') {
                let block = |element, name| Block { slot: places.first().copied(), element, name };
                match length_after(tail) {
                    None => out.blocks.push(block(0, name.to_owned())),
                    Some(length) => {
                        let elements = (0..length).map(|at| block(at, format!("{name}[{at}]")));
                        out.blocks.extend(elements);
                    }
                }
                continue;
            }
            let (Some(ty), Some(&image)) = (ty.filter(|ty| ty.contains("sampler")), places.first()) else {
                continue;
            };
            if name.contains('[') {
                return Err(format!("`{name}` is an array of images, which WebGL2 does not get here."));
            }
            // A comment about one place is that of an image combined with its sampler in the program.
            let sampler = places.get(1).copied().or_else(|| comment.starts_with("set").then_some(image));
            out.units.push(Unit { image, sampler, ty: ty.to_owned(), name: name.to_owned() });
        }
        Ok(out)
    }
}

/// The sets and bindings in a comment: `set 0, binding 1`, or `image: set 0, binding 1; sampler: set 0, binding 2`.
fn places(comment: &str) -> Vec<Slot> {
    let place = |part: &str| {
        let part = part.trim();
        let part = part.strip_prefix("image: ").or_else(|| part.strip_prefix("sampler: ")).unwrap_or(part);
        let (set, binding) = part.strip_prefix("set ")?.split_once(", binding ")?;
        Some((set.parse().ok()?, binding.parse().ok()?))
    };
    comment.split(';').filter_map(place).collect()
}

/// The length of the array that a block declares at its end: `} name[3];`.
fn length_after(block: &str) -> Option<u32> {
    let (_, after) = block.split_once('}')?;
    let (instance, _) = after.split_once(';')?;
    let (_, length) = instance.split_once('[')?;
    length.strip_suffix(']')?.parse().ok()
}

/// The declaration of a varying of a fragment shader as an output of the stage before it: the same type and interpolation.
/// `None` if the text has no such input.
pub(super) fn as_output(code: &str, name: &str) -> Option<String> {
    let declared = code.lines().find(|line| {
        line.strip_suffix(';')
            .and_then(|line| line.strip_suffix(name))
            .is_some_and(|line| line.ends_with(' ') && line.split_whitespace().any(|word| word == "in"))
    })?;
    let words = declared.split_whitespace().map(|word| if word == "in" { "out" } else { word });
    Some(words.collect::<Vec<_>>().join(" "))
}

/// An output of a vertex shader that WebGL2 returns: a name in the text, its locations, and the components of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Capture {
    /// Its name.
    pub(super) name: String,
    /// Its location; none for a system value.
    pub(super) location: Option<u32>,
    /// Locations that it takes: columns of a matrix, elements of an array.
    pub(super) columns: u32,
    /// Components of each.
    pub(super) components: u32,
}

impl Capture {
    /// The number of its words, of 4 bytes.
    pub(super) fn words(&self) -> u32 {
        self.columns * self.components
    }
}

/// The outputs of a vertex shader.
///
/// # Errors
///
/// The reason why WebGL2 cannot return one of them, as a sentence.
pub(super) fn captures(code: &str) -> Result<Vec<Capture>, String> {
    let mut out = Vec::new();
    for (name, components) in [("gl_Position", 4), ("gl_PointSize", 1)] {
        if code.contains(name) {
            out.push(Capture { name: name.to_owned(), location: None, columns: 1, components });
        }
    }
    for line in code.lines().filter_map(|line| line.strip_suffix(';')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [.., ty, declared] = words[..] else { continue };
        let (name, length) = declared.split_once('[').unwrap_or((declared, "1]"));
        let Some(location) = name.strip_prefix("location_").and_then(|number| number.parse().ok()) else {
            continue;
        };
        if !words.contains(&"out") {
            continue;
        }
        let length = length.strip_suffix(']').and_then(|length| length.parse::<u32>().ok());
        let (Some(length), Some((columns, components))) = (length, shape(ty)) else {
            return Err(format!("The output `{declared}` has a type that WebGL2 does not return."));
        };
        let columns = columns * length;
        out.push(Capture { name: name.to_owned(), location: Some(location), columns, components });
    }
    Ok(out)
}

/// The columns and the components of a type.
fn shape(ty: &str) -> Option<(u32, u32)> {
    if matches!(ty, "float" | "int" | "uint") {
        return Some((1, 1));
    }
    if let Some(size) = ty.strip_prefix("mat") {
        let (columns, rows) = size.split_once('x').unwrap_or((size, size));
        return Some((columns.parse().ok()?, rows.parse().ok()?));
    }
    let size = ["vec", "ivec", "uvec"].iter().find_map(|prefix| ty.strip_prefix(prefix))?;
    Some((1, size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_by_their_comments() {
        let code = "#version 300 es\n\n// set 1, binding 2\nlayout(std140) uniform Camera {\n  mat4 view;\n} camera;\n\
            // push constants\nlayout(std140) uniform Push {\n  float x;\n} push;\n\
            // set 0, binding 3\nlayout(std140) uniform Light {\n  vec4 at;\n} lights[2];\n\
            // set 0, binding 0\nuniform sampler2D picture;\n\
            // image: set 0, binding 4; sampler: set 0, binding 5\nuniform highp sampler2DShadow\n    depth;\n\
            // image: set 0, binding 6\nuniform usampler3D words;\n// a comment\nvoid main() {}\n";
        let Units { blocks, units } = Units::of(code).expect("resources");
        let blocks: Vec<_> = blocks.iter().map(|of| (of.slot, of.element, of.name.as_str())).collect();
        let light = |at, name| (Some((0, 3)), at, name);
        assert_eq!(
            blocks,
            [(Some((1, 2)), 0, "Camera"), (None, 0, "Push"), light(0, "Light[0]"), light(1, "Light[1]")]
        );
        let units: Vec<_> =
            units.iter().map(|of| (of.image, of.sampler, of.ty.as_str(), of.name.as_str())).collect();
        assert_eq!(
            units,
            [
                ((0, 0), Some((0, 0)), "sampler2D", "picture"),
                ((0, 4), Some((0, 5)), "sampler2DShadow", "depth"),
                ((0, 6), None, "usampler3D", "words"),
            ]
        );
        let array = "// set 0, binding 0\nuniform sampler2D pictures[2];\n";
        assert!(Units::of(array).is_err_and(|why| why.contains("array of images")));
    }

    #[test]
    fn an_input_of_a_fragment_shader_is_an_output_of_the_vertex_shader() {
        let code = "in vec2 location_0;\nflat in ivec3 location_10;\nvoid main() {}\n";
        assert_eq!(as_output(code, "location_0").as_deref(), Some("out vec2 location_0;"));
        assert_eq!(as_output(code, "location_10").as_deref(), Some("flat out ivec3 location_10;"));
        assert_eq!(as_output(code, "location_1"), None);
    }

    #[test]
    fn outputs_of_a_vertex_shader_have_locations_and_components() {
        let code = "out mat3x2 location_1;\nflat out uvec2 location_4[3];\nout float location_9;\n\
            layout(location = 0) in vec3 place;\nvoid main() {\n  gl_Position = vec4(1.0);\n}\n";
        let found = captures(code).expect("outputs");
        let found: Vec<_> =
            found.iter().map(|of| (of.name.as_str(), of.location, of.columns, of.components)).collect();
        assert_eq!(
            found,
            [
                ("gl_Position", None, 1, 4),
                ("location_1", Some(1), 3, 2),
                ("location_4", Some(4), 3, 2),
                ("location_9", Some(9), 1, 1),
            ]
        );
        assert!(captures("out Block location_0;\n").is_err());
    }
}
