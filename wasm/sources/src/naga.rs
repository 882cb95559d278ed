//! WGSL, and GLSL on the command line, to SPIR-V by naga, with the lines of the source.
//!
//! Bounds checks, bounds of loops and the flip of the vertical axis are off: the SPIR-V says what the source says.

use crate::Problem;
use ::naga::back::pipeline_constants::process_overrides;
use ::naga::back::{PipelineConstants, spv};
use ::naga::front::wgsl;
use ::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use ::naga::valid::{Capabilities, ValidationFlags, Validator};
use std::error::Error;

/// The SPIR-V words of a source; `file` is its name in the debug information, `entry` its only entry point to keep. Recursive over expressions, with naga's own limit.
/// Errors: those of parsing and of validation, with their places.
pub fn translate(text: &str, file: &str, entry: Option<&str>) -> Result<Vec<u32>, Vec<Problem>> {
    let module = wgsl::parse_str(text).map_err(|error| {
        let place = error.labels().find_map(|(span, _)| span.to_range());
        let label = error.labels().next().map_or("", |(_, label)| label);
        let notes: Vec<&str> = error.notes().collect();
        let about = if label.is_empty() || error.message().contains(label) {
            String::new()
        } else {
            format!(": {label}")
        };
        vec![Problem {
            help: notes.join("; "),
            range: place,
            ..Problem::new(format!("{}{about}", error.message()))
        }]
    })?;
    written(&module, text, file, entry, spv::SourceLanguage::WGSL)
}

/// The SPIR-V words of a prepared source in GLSL; `stage` is `vert`, `frag` or `comp`. Errors: those of parsing and of
/// validation, with their places.
#[cfg(feature = "glsl")]
pub fn translate_glsl(text: &str, stage: &str) -> Result<Vec<u32>, Vec<Problem>> {
    use ::naga::front::glsl::{Frontend, Options};
    let stage = match stage {
        "vert" => ::naga::ShaderStage::Vertex,
        "frag" => ::naga::ShaderStage::Fragment,
        "comp" => ::naga::ShaderStage::Compute,
        stage => return Err(vec![Problem::new(format!("naga reads no GLSL of the stage `{stage}`"))]),
    };
    let module = Frontend::default().parse(&Options::from(stage), text).map_err(|errors| {
        let problem = |error: &::naga::front::glsl::Error| Problem {
            range: error.meta.to_range(),
            ..Problem::new(error.kind.to_string())
        };
        errors.errors.iter().map(problem).collect::<Vec<_>>()
    })?;
    written(&module, text, "", None, spv::SourceLanguage::GLSL)
}

/// The SPIR-V words of a module. Errors: those of validation, with their places.
fn written(
    module: &::naga::Module,
    text: &str,
    file: &str,
    entry: Option<&str>,
    language: spv::SourceLanguage,
) -> Result<Vec<u32>, Vec<Problem>> {
    let kept = match entry {
        None => None,
        Some(name) => {
            let found = module.entry_points.iter().find(|of| of.name == name);
            let Some(found) = found else {
                let names: Vec<&str> = module.entry_points.iter().map(|of| of.name.as_str()).collect();
                let help = format!("its entry points are {}", names.join(", "));
                return Err(vec![Problem { help, ..Problem::new(format!("`{name}` is no entry point")) }]);
            };
            Some(spv::PipelineOptions { shader_stage: found.stage, entry_point: name.to_owned() })
        }
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| {
        let place = error.spans().find_map(|(span, _)| span.to_range());
        vec![Problem { range: place, ..Problem::new(sentence(error.as_inner())) }]
    })?;
    // SPIR-V from naga has no specialization constants: overrides get their default values.
    let (module, info) = process_overrides(module, &info, None, &PipelineConstants::default())
        .map_err(|error| vec![Problem::new(sentence(&error))])?;
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 4),
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        force_loop_bounding: false,
        ray_query_initialization_tracking: false,
        debug_info: Some(spv::DebugInfo { source_code: text, file_name: file, language }),
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, kept.as_ref())
        .map(crate::lines::known)
        .map_err(|error| vec![Problem::new(sentence(&error))])
}

/// An error with its causes, as one sentence.
fn sentence(error: &dyn Error) -> String {
    let mut says = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        says.push_str(&format!(": {error}"));
        cause = error.source();
    }
    says
}
