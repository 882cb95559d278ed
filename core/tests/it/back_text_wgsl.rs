//! WGSL: the results of what naga makes of the text of all modules, and texts of small programs.
//!
//! A module is written, read by naga, validated, written as SPIR-V by naga, read again, and run on the same generated
//! inputs as the original. Bindings that the text moves are moved back; specialization constants have their defaults.
#![cfg(feature = "sources")]
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{Item, modules};
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::front::wgsl;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use vitrine_core::back::text::wgsl_bindings;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::front::InputKind;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Diag, Mode, Module, Stage, Var, VarData};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::compare::{Comparer, Settings, Verdict};
use vitrine_core::pipeline::{Settings as PassSettings, prepare, write};
use vitrine_core::text::parse;

/// Modules with more words are judged, but not run.
const MOST_WORDS: usize = 6_000;

/// naga is recursive over expressions.
const STACK_BYTES: usize = 256 << 20;

fn text_of(module: &Module) -> Result<String, Vec<Diag>> {
    let funcs = all_funcs(module);
    write(&Source::new(module, &funcs), named("wgsl").expect("the back end exists"), false)
        .map(Written::into_text)
}

fn sentence(error: &dyn Error) -> String {
    let mut says = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        says.push_str(&format!(": {error}"));
        cause = error.source();
    }
    says
}

/// What naga makes of a text, as SPIR-V.
fn naga_spirv(text: &str) -> Result<Vec<u8>, String> {
    let module = wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(text))?;
    let (module, info) = process_overrides(&module, &info, None, &PipelineConstants::default())
        .map_err(|error| sentence(&error))?;
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 4),
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        // The vertical axis is not flipped.
        flags: spv::WriterFlags::empty(),
        force_loop_bounding: false,
        ray_query_initialization_tracking: false,
        ..spv::Options::default()
    };
    let words = spv::write_vec(&module, &info, &options, None).map_err(|error| sentence(&error))?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The module with its specialization constants as plain ones.
fn without_specialization(module: &Module) -> Module {
    let mut out = module.clone();
    let globals: Vec<_> = module.globals().map(|(global, data)| (global, data.clone())).collect();
    for (global, mut data) in globals {
        data.attrs = data.attrs.without(Key::SpecId);
        out.set_global(global, data);
    }
    out
}

/// Moves the resources of the text's module to the places of the original.
fn moved_back(original: &Module, mut again: Module) -> Module {
    let backend = named("wgsl").expect("the back end exists");
    let ready = prepare(original, backend, PassSettings::default(), None).expect("it was written");
    let vars: Vec<(Var, VarData)> = again.vars().map(|(var, data)| (var, data.clone())).collect();
    let moved = wgsl_bindings(&ready);
    for (var, mut data) in vars {
        let at = [Key::Set, Key::Binding].map(|key| data.attrs.get(key));
        let [Some(group), Some(binding)] = at else { continue };
        let place = [group as u32, binding as u32];
        let found = moved.iter().find(|(_, at)| **at == place).and_then(|(var, _)| ready.var(*var));
        let Some(from) = found else { continue };
        if from.mode == Mode::Push {
            data.mode = Mode::Push;
            data.attrs = data.attrs.without(Key::Set).without(Key::Binding);
        } else {
            let number = |key| from.attrs.get(key).unwrap_or(0);
            data.attrs = data.attrs.with(Key::Set, number(Key::Set)).with(Key::Binding, number(Key::Binding));
        }
        again.set_var(var, data);
    }
    again
}

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// Not one vertex, fragment or compute shader.
    OtherStage,
    Refused,
    /// Written with an extension that naga does not have.
    Unjudged,
    Rejected,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

/// Writes, reads and compares a module.
fn judge(item: &Item) -> (Outcome, String) {
    let module = read(&item.bytes()).module;
    match module.entries.as_slice() {
        [entry] if matches!(entry.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) => {}
        _ => return (Outcome::OtherStage, String::new()),
    }
    let text = match text_of(&module) {
        Ok(text) => text,
        Err(diags) => return (Outcome::Refused, diags.first().map(ToString::to_string).unwrap_or_default()),
    };
    if let Some(long) = text.lines().find(|line| line.len() > 100) {
        return (Outcome::Rejected, format!("a line is too long: {long}"));
    }
    if text.contains("enable subgroups;") {
        return (Outcome::Unjudged, String::new());
    }
    let binary = match naga_spirv(&text) {
        Ok(binary) => binary,
        Err(message) => return (Outcome::Rejected, message),
    };
    if item.words() > MOST_WORDS {
        return (Outcome::Accepted, String::new());
    }
    let again = moved_back(&module, read(&binary).module);
    let pair = [("input", without_specialization(&module)), ("text", again)];
    let pair = pair.into_iter().map(|(name, module)| (name.to_owned(), Ok(module))).collect();
    let settings = Settings { trials: 4, ..Settings::default() };
    let mut comparer = Comparer::of_modules(pair, InputKind::Spirv, settings);
    while comparer.step() {}
    match comparer.stages().last().map(|stage| &stage.verdict) {
        Some(Verdict::Same | Verdict::Rounding(_)) => (Outcome::Same, String::new()),
        Some(verdict @ (Verdict::Differs { .. } | Verdict::Invalid(_))) => {
            (Outcome::Differs, verdict.to_string())
        }
        Some(verdict) => (Outcome::Accepted, verdict.to_string()),
        None => (Outcome::Accepted, String::new()),
    }
}

/// Modules whose results differ for a known reason.
const KNOWN: &[(&str, &str)] = &[(
    "values/floats.spv",
    "converts floats beyond 2^31 to integers, which is undefined in SPIR-V: WGSL clamps to the largest float below, the \
     interpreter to the largest integer",
)];

#[test]
fn naga_accepts_every_text_and_its_results_are_the_same() {
    let items = modules();
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(String, Outcome, String)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let work = || {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (outcome, why) = judge(item);
                    found.lock().expect("no thread panicked").push((item.file.clone(), outcome, why));
                }
            };
            let started = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            started.expect("a thread starts");
        }
    });
    let found = found.into_inner().expect("no thread panicked");
    let count = |wanted: Outcome| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(file, outcome, _)| {
            matches!(outcome, Outcome::Rejected | Outcome::Differs)
                && !KNOWN.iter().any(|(known, _)| known == file)
        })
        .map(|(file, outcome, why)| format!("{file}: {outcome:?}: {why}"))
        .collect();
    let all = [Outcome::OtherStage, Outcome::Refused, Outcome::Unjudged, Outcome::Accepted, Outcome::Same];
    let counts: Vec<String> = all.iter().map(|&outcome| format!("{outcome:?} {}", count(outcome))).collect();
    println!("{} modules: {}", found.len(), counts.join(", "));
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    let written = found.len() - count(Outcome::OtherStage) - count(Outcome::Refused);
    let (least_written, least_same) = if found.len() > 500 { LEAST_OF_ALL } else { LEAST_OF_OWN };
    let refused: Vec<&(String, Outcome, String)> =
        found.iter().filter(|(_, outcome, _)| *outcome == Outcome::Refused).collect();
    assert!(written >= least_written, "only {written} written; refused: {refused:#?}");
    assert!(count(Outcome::Same) >= least_same, "only {} are the same", count(Outcome::Same));
}

/// The least number of modules that are written, and of those whose results were compared, in the own corpus and in both.
const LEAST_OF_OWN: (usize, usize) = (80, 80);
const LEAST_OF_ALL: (usize, usize) = (397, 344);

/// The text of a compute shader with a buffer of numbers, without the lines before the function.
fn body_of(body: &str) -> Vec<String> {
    let head = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
        data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\n\n\
        entry compute \"main\" @main_0 ($data_0) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
        %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 0\n  \
        %3: path = deref.elem %1, %2\n  %4: b32 = load %3\n";
    let parsed = parse(&format!("{head}{body}  return\n}}\n"));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = text_of(&parsed.module).expect("it is written");
    naga_spirv(&text).expect("naga reads it");
    let (_, body) = text.split_once("fn main() {\n").expect("an entry point");
    body.trim_end()
        .trim_end_matches('}')
        .lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn what_the_compiler_of_the_text_would_reject_is_kept_from_evaluation() {
    let by_zero = body_of("  %5: b32 = udiv %4, %2\n  %6 = store %3, %5\n");
    assert_eq!(by_zero, ["var fixed = u32(0u);", "data.data[0] /= fixed;"]);
    let wide = body_of("  %5: b32 = const 40\n  %6: b32 = ushr %4, %5\n  %7 = store %3, %6\n");
    assert!(wide.iter().any(|line| line.starts_with("var fixed")), "{wide:?}");
    let infinite = body_of("  %5: b32 = const 2139095040\n  %6: b32 = fadd %4, %5\n  %7 = store %3, %6\n");
    assert!(infinite.iter().any(|line| line.contains("bitcast<f32>(fixed)")), "{infinite:?}");
}

#[test]
fn families_of_operators_are_separated() {
    let mixed = body_of(
        "  %5: b32 = const 3\n  %6: b32 = iadd %4, %5\n  %7: b32 = iand %6, %5\n  %8 = store %3, %7\n",
    );
    assert_eq!(mixed, ["data.data[0] = (data.data[0] + 3u) & 3u;"]);
}
