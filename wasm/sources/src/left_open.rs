//! What WGSL leaves to the application: values of overrides without one, and the pictures of external textures.
//!
//! A source without its application gets stand-ins, each with a note: a person who looks into a shader has only the shader.

use crate::{Options, Problem};
use naga::back::PipelineConstants;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, Handle, ImageClass, Module, Override, ScalarKind, Type, TypeInner};

/// The value of an override without one: a size or a divisor of 0 would be an error.
const STAND_IN: f64 = 1.0;

/// The values of overrides, by the key that naga wants: the `id`, or the name. Linear. Errors: a value for a name that no
/// override has.
pub(crate) fn values(
    module: &Module,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<PipelineConstants, Problem> {
    let key = |of: &Override| of.id.map(|id| id.to_string()).or_else(|| of.name.clone()).unwrap_or_default();
    let mut values = PipelineConstants::default();
    for (name, value) in &options.overrides {
        let found =
            module.overrides.iter().find(|(_, of)| of.name.as_deref() == Some(name) || key(of) == *name);
        let Some((_, found)) = found else {
            let help = "declare it with `override`, or remove it from the options".to_owned();
            return Err(Problem { help, ..Problem::new(format!("there is no override `{name}`")) });
        };
        values.insert(key(found), *value);
    }
    for (_, of) in module.overrides.iter().filter(|(_, of)| of.init.is_none()) {
        let (key, name) = (key(of), of.name.as_deref().unwrap_or("without a name"));
        if values.contains_key(&key) {
            continue;
        }
        let is_bool =
            matches!(module.types[of.ty].inner, TypeInner::Scalar(of) if of.kind == ScalarKind::Bool);
        let shown = if is_bool { "true" } else { "1" };
        notes.push(format!("the override `{name}` has no value, so {shown} stands for it"));
        values.insert(key, STAND_IN);
    }
    Ok(values)
}

/// Makes two-dimensional textures of floats of external textures, which SPIR-V does not have. Returns true if there were any:
/// the module must be validated again. Linear. Errors: a load, which has no level in WGSL and needs one in SPIR-V.
pub(crate) fn pictures(module: &mut Module, info: &ModuleInfo) -> Result<bool, Problem> {
    let external: Vec<Handle<Type>> =
        module.types.iter().filter(|(_, ty)| is_external(&ty.inner)).map(|(handle, _)| handle).collect();
    if external.is_empty() {
        return Ok(false);
    }
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(at, entry)| (&entry.function, info.get_entry_point(at)));
    if let Some(range) = functions.chain(entries).find_map(|(function, info)| load(module, function, info)) {
        let help = "declare it as `texture_2d<f32>`, and give the level 0".to_owned();
        let says = "`textureLoad` of an external texture has no form in SPIR-V".to_owned();
        return Err(Problem { help, range: range.to_range(), ..Problem::new(says) });
    }
    for handle in external {
        let inner = TypeInner::Image {
            dim: naga::ImageDimension::D2,
            arrayed: false,
            class: ImageClass::Sampled { kind: ScalarKind::Float, multi: false },
        };
        // With a name, so that no other type of the module is the same.
        module.types.replace(handle, Type { name: Some("texture_external".to_owned()), inner });
    }
    Ok(true)
}

/// The place of a load from an external texture.
fn load(module: &Module, function: &Function, info: &FunctionInfo) -> Option<naga::Span> {
    function.expressions.iter().find_map(|(handle, expression)| {
        let Expression::ImageLoad { image, .. } = expression else { return None };
        let is_load = is_external(info[*image].ty.inner_with(&module.types));
        is_load.then(|| function.expressions.get_span(handle))
    })
}

fn is_external(ty: &TypeInner) -> bool {
    matches!(ty, TypeInner::Image { class: ImageClass::External, .. })
}

#[cfg(test)]
mod tests {
    use crate::{Options, translate};

    const VIDEO: &str = "@group(0) @binding(0) var video: texture_external;\n\
                         @group(0) @binding(1) var picture: texture_2d<f32>;\n\
                         @group(0) @binding(2) var how: sampler;\n\
                         fn color(film: texture_external, at: vec2f) -> vec4f {\n\
                         return textureSampleBaseClampToEdge(film, how, at);\n}\n\
                         @fragment fn main(@location(0) at: vec2f) -> @location(0) vec4f {\n\
                         return color(video, at) + textureSample(picture, how, at) + vec4f(f32(textureDimensions(video).x));\n}\n";

    #[test]
    fn an_external_texture_is_one_of_two_dimensions() {
        let done = translate(VIDEO, "a.wgsl", &Options::default()).expect("it is read");
        assert_eq!(
            done.notes,
            ["external textures are read as `texture_2d<f32>`: their planes and colors are not converted"]
        );
        assert!(done.words.len() > 100);
    }

    #[test]
    fn a_load_from_an_external_texture_is_refused_at_its_place() {
        let text = "@group(0) @binding(0) var video: texture_external;\n\
                    @fragment fn main() -> @location(0) vec4f {\nreturn textureLoad(video, vec2i(1));\n}\n";
        let problems = translate(text, "a.wgsl", &Options::default()).expect_err("it is refused");
        assert_eq!(problems[0].help, "declare it as `texture_2d<f32>`, and give the level 0");
        assert_eq!(&text[problems[0].range.clone().expect("a place")], "textureLoad");
    }

    #[test]
    fn an_override_without_a_value_gets_one_with_a_note() {
        let text = "override size: u32;\n@id(7) override on: bool;\noverride scale: f32 = 2.0;\n\
                    @compute @workgroup_size(size) fn main() { if (on && scale > 1.0) { workgroupBarrier(); } }\n";
        let notes = |overrides: &[(&str, f64)]| {
            let overrides = overrides.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
            translate(text, "a.wgsl", &Options { overrides, ..Options::default() }).map(|done| done.notes)
        };
        let note =
            |name: &str, value| format!("the override `{name}` has no value, so {value} stands for it");
        assert_eq!(notes(&[]), Ok(vec![note("size", "1"), note("on", "true")]));
        assert_eq!(notes(&[("size", 8.0)]), Ok(vec![note("on", "true")]));
        assert_eq!(notes(&[("size", 8.0), ("on", 0.0)]), Ok(vec![]));
        assert_eq!(notes(&[("size", 8.0), ("7", 0.0)]), Ok(vec![]));
        assert!(notes(&[("other", 8.0)]).is_err());
    }

    #[test]
    fn words_of_other_preprocessors_and_of_old_wgsl_have_a_suggestion() {
        for (text, wanted) in [
            ("#import config\nfn f() {}\n", "WGSL has no preprocessor"),
            ("[[stage(vertex)]]\nfn f() {}\n", "an old form of WGSL"),
            ("struct A {\n  [[location(0)]] a: f32;\n};\n", "an old form of WGSL"),
            ("fn f( {}\n", ""),
        ] {
            let problems = translate(text, "a.wgsl", &Options::default()).expect_err(text);
            let is_so = if wanted.is_empty() {
                !problems[0].help.contains("WGSL")
            } else {
                problems[0].help.contains(wanted)
            };
            assert!(is_so, "{text}: {problems:?}");
        }
    }
}
