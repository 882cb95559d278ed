//! WGSL to SPIR-V by naga, with the lines of the source.
//!
//! Bounds checks, bounds of loops and the flip of the vertical axis are off: the SPIR-V says what the source says.

use super::problems::Problem;
use ::naga::back::pipeline_constants::process_overrides;
use ::naga::back::{PipelineConstants, spv};
use ::naga::front::wgsl;
use ::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use ::naga::valid::{Capabilities, ValidationFlags, Validator};
use std::error::Error;

/// Stack of the thread that translates, in bytes: naga is recursive over expressions.
const STACK_BYTES: usize = 256 << 20;

/// The SPIR-V binary of a source. Errors: those of parsing and of validation, with their places.
pub(super) fn translate(text: &str, file: &str) -> Result<Vec<u8>, Vec<Problem>> {
    let (text, file) = (text.to_owned(), file.to_owned());
    let failed = |why: &str| vec![Problem::new(format!("naga, which reads WGSL, {why}"))];
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || words(&text, &file));
    let thread = thread.map_err(|error| failed(&format!("could not be started: {error}")))?;
    let words =
        thread.join().map_err(|_| failed("failed on this source; please report it to its authors"))??;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn words(text: &str, file: &str) -> Result<Vec<u32>, Vec<Problem>> {
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
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let place = error.spans().find_map(|(span, _)| span.to_range());
        vec![Problem { range: place, ..Problem::new(sentence(error.as_inner())) }]
    })?;
    // SPIR-V from naga has no specialization constants: overrides get their default values.
    let (module, info) = process_overrides(&module, &info, None, &PipelineConstants::default())
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
        debug_info: Some(spv::DebugInfo {
            source_code: text,
            file_name: file,
            language: spv::SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|error| vec![Problem::new(sentence(&error))])
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
