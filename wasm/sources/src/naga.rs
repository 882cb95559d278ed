//! WGSL, and GLSL on the command line, to SPIR-V by naga, with the lines of the source.
//!
//! Bounds checks, bounds of loops and the flip of the vertical axis are off: the SPIR-V says what the source says.

use crate::{Problem, Translated, left_open, parts};
use ::naga::Statement;
use ::naga::back::pipeline_constants::process_overrides;
use ::naga::back::spv;
use ::naga::front::wgsl;
use ::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use ::naga::valid::{
    Capabilities, EntryPointError, FunctionError, ModuleInfo, ValidationError, ValidationFlags, Validator,
};
use spirv::Capability;
use std::error::Error;
use std::iter::FromIterator;

/// The choices of a translation.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The only entry point to keep; by default all of them.
    pub entry: Option<String>,
    /// Values of constants that are declared with `override`, by name.
    pub overrides: Vec<(String, f64)>,
    /// The version of SPIR-V.
    pub target: (u8, u8),
}

impl Default for Options {
    fn default() -> Options {
        Options { entry: None, overrides: Vec::new(), target: (1, 4) }
    }
}

impl Options {
    /// The options of a text with a `KEY=VALUE` on each line: `entry`, `define`, `target`. Others are for other languages.
    /// Errors: a value that is no number, or no version.
    pub fn read(text: &str) -> Result<Options, Problem> {
        let mut options = Options::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "entry" if !value.is_empty() => options.entry = Some(value.to_owned()),
                "define" => options.overrides.push(override_of(value)?),
                "target" => options.target = version(value)?,
                _ => {}
            }
        }
        Ok(options)
    }
}

/// `NAME=VALUE`, where the value is a number or a boolean; a name alone is `true`.
fn override_of(text: &str) -> Result<(String, f64), Problem> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let number = match value.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        value => value.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    let problem = || Problem {
        help: "the value of an `override` is a number, `true` or `false`".to_owned(),
        ..Problem::new(format!("`{text}` has no value that is a number"))
    };
    number.map(|number| (name.trim().to_owned(), number)).ok_or_else(problem)
}

/// `1.5`.
fn version(text: &str) -> Result<(u8, u8), Problem> {
    let minor =
        text.trim().strip_prefix("1.").and_then(|minor| minor.parse().ok()).filter(|minor| *minor <= 6);
    let problem = || Problem {
        help: "the versions are 1.0 to 1.6".to_owned(),
        ..Problem::new(format!("`{text}` is not a version of SPIR-V"))
    };
    minor.map(|minor| (1, minor)).ok_or_else(problem)
}

/// The SPIR-V words of a source; `file` is its name in the debug information. Recursive over expressions, with naga's own limit.
/// Errors: those of parsing and of validation, with their places, and what SPIR-V lacks.
pub fn translate(text: &str, file: &str, options: &Options) -> Result<Translated, Vec<Problem>> {
    let module = wgsl::parse_str(text).map_err(|error| {
        let place = error.labels().find_map(|(span, _)| span.to_range());
        let label = error.labels().next().map_or("", |(_, label)| label);
        let notes: Vec<&str> = error.notes().collect();
        let about = if label.is_empty() || error.message().contains(label) {
            String::new()
        } else {
            format!(": {label}")
        };
        let help = place.as_ref().and_then(|range| form_of(text, range.start)).map(str::to_owned);
        vec![Problem {
            help: help.unwrap_or_else(|| notes.join("; ")),
            range: place,
            ..Problem::new(format!("{}{about}", error.message()))
        }]
    })?;
    written(module, text, file, options, spv::SourceLanguage::WGSL)
}

/// A suggestion for a line that other tools read as WGSL.
fn form_of(text: &str, at: usize) -> Option<&'static str> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..)?.lines().next()?.trim_start();
    if line.starts_with('#') {
        return Some(
            "WGSL has no preprocessor: paste what the preprocessor of the project makes of this file",
        );
    }
    let is_old = line.starts_with("[[") || text.contains("[[stage(") || text.contains("[[location(");
    is_old.then_some("an old form of WGSL: attributes are written as `@location(0)` and members end with `,`")
}

/// The SPIR-V words of a prepared source in GLSL; `stage` is `vert`, `frag` or `comp`. Errors: those of parsing and of
/// validation, with their places.
#[cfg(feature = "glsl")]
pub fn translate_glsl(text: &str, stage: &str) -> Result<Translated, Vec<Problem>> {
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
    written(module, text, "", &crate::Options::default(), spv::SourceLanguage::GLSL)
}

/// The SPIR-V words of a module. Errors: those of validation, with their places.
fn written(
    mut module: ::naga::Module,
    text: &str,
    file: &str,
    options: &Options,
    language: spv::SourceLanguage,
) -> Result<Translated, Vec<Problem>> {
    let kept = match &options.entry {
        None => None,
        Some(name) => {
            let found = module.entry_points.iter().find(|of| of.name == *name);
            let Some(found) = found else {
                let names: Vec<&str> = module.entry_points.iter().map(|of| of.name.as_str()).collect();
                let help = format!("its entry points are {}", names.join(", "));
                return Err(vec![Problem { help, ..Problem::new(format!("`{name}` is no entry point")) }]);
            };
            Some(spv::PipelineOptions { shader_stage: found.stage, entry_point: name.clone() })
        }
    };
    let mut info = validated(&module)?;
    let mut notes = Vec::new();
    if left_open::pictures(&mut module, &info).map_err(|problem| vec![problem])? {
        let note =
            "external textures are read as `texture_2d<f32>`: their planes and colors are not converted";
        notes.push(note.to_owned());
        info = validated(&module)?;
    }
    if parts::copied(&mut module) {
        info = validated(&module)?;
    }
    // SPIR-V from naga has no specialization constants: overrides have values.
    let values = left_open::values(&module, options, &mut notes).map_err(|problem| vec![problem])?;
    let (module, info) = process_overrides(&module, &info, None, &values)
        .map_err(|error| vec![Problem::new(sentence(&error))])?;
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: options.target,
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
        capabilities: Some(without_bytes()),
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, kept.as_ref())
        .map(|words| Translated { words: crate::lines::known(words), notes })
        .map_err(|error| vec![Problem::new(sentence(&error))])
}

/// The number of the last capability, and one more.
const CAPABILITIES: u32 = 6529;

/// The capabilities that a program may use: not integers of 8 bits, which the sources have not, and most targets neither.
/// `unpack4xI8` and its kind extract fields then.
fn without_bytes<Set: FromIterator<Capability>>() -> Set {
    (0..CAPABILITIES).filter_map(Capability::from_u32).filter(|&one| one != Capability::Int8).collect()
}

/// What naga knows about a module. Errors: those of validation, with their places.
fn validated(module: &::naga::Module) -> Result<ModuleInfo, Vec<Problem>> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| {
        // The span of a function comes first, and that of an operand, which may be far away, last.
        let statement = statement_of(module, error.as_inner()).or_else(|| {
            error.spans().find(|(_, label)| label == "invalid function call").map(|(span, _)| *span)
        });
        let last = || error.spans().filter_map(|(span, _)| span.to_range()).last();
        let place = statement.and_then(::naga::Span::to_range).or_else(last);
        vec![Problem { range: place, ..Problem::new(sentence(error.as_inner())) }]
    })
}

/// The place of a statement whose operand has a wrong type: naga knows only that of the operand, or none.
fn statement_of(module: &::naga::Module, error: &ValidationError) -> Option<::naga::Span> {
    let (function, error) = match error {
        ValidationError::EntryPoint { name, source: EntryPointError::Function(error), .. } => {
            (&module.entry_points.iter().find(|of| of.name == *name)?.function, error)
        }
        ValidationError::Function { handle, source, .. } => (&module.functions[*handle], source),
        _ => return None,
    };
    let is_wrong = |statement: &Statement| match (statement, error) {
        (Statement::If { condition, .. }, FunctionError::InvalidIfType(wrong)) => condition == wrong,
        (Statement::Switch { selector, .. }, FunctionError::InvalidSwitchType(wrong)) => selector == wrong,
        (Statement::Return { value }, FunctionError::InvalidReturnType { expression, .. }) => {
            value == expression
        }
        _ => false,
    };
    let mut open = vec![&function.body];
    while let Some(block) = open.pop() {
        for (statement, span) in block.span_iter() {
            match statement {
                wrong if is_wrong(wrong) => return Some(*span),
                Statement::If { accept, reject, .. } => open.extend([accept, reject]),
                Statement::Loop { body, continuing, .. } => open.extend([body, continuing]),
                Statement::Switch { cases, .. } => open.extend(cases.iter().map(|case| &case.body)),
                Statement::Block(block) => open.push(block),
                _ => {}
            }
        }
    }
    None
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
