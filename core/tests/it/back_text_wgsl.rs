//! WGSL: Tint accepts the text of all modules, what naga makes of it computes the same, and texts of small programs.
//!
//! A module is written, judged by Tint if that is installed, read by naga, validated, written as SPIR-V by naga, read again, and run on the same generated
//! inputs as the original. Bindings that the text moves are moved back; specialization constants have their defaults.
#![cfg(feature = "sources")]
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{Item, modules};
use crate::testing::tint::Tint;
use crate::testing::written::{self, Text};
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::front::wgsl;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::error::Error;
use vitrine_core::back::named;
use vitrine_core::back::text::wgsl_bindings;
use vitrine_core::front::InputKind;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{
    Attrs, Diag, Editor, Func, Inst, Mode, Module, Reason, Stage, TypeData, Var, VarData,
};
use vitrine_core::lab::compare::{Comparer, Settings, Verdict};
use vitrine_core::ops::{Builtin, DerefOp, Key, MemoryOp, Op};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::pipeline::{Settings as PassSettings, prepare};
use vitrine_core::text::parse;
use vitrine_filetests::parallel::each;

/// Modules with more words are judged, but not run.
const MOST_WORDS: usize = 6_000;

fn text_of(module: &Module) -> Text {
    written::text_of(module, "wgsl")
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

/// The module without the stores of the size of points: WGSL has points of size 1 only, and writes a store of 1.0 as nothing.
fn without_point_sizes(mut module: Module) -> Module {
    let is_size = |attrs: &Attrs| attrs.word() == Some(Builtin::PointSize);
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        let body = module.func(func).expect("it is listed");
        let var = |path: Inst| body.inst(path).entity::<Var>(Key::Var).and_then(|var| module.var(var));
        let is_of_size = |path: Inst| {
            let data = body.inst(path);
            match (data.op, data.args.first()) {
                (Op::Deref(DerefOp::Var), _) => var(path).is_some_and(|var| is_size(&var.attrs)),
                (Op::Deref(DerefOp::Field), Some(&of)) => var(of).is_some_and(|var| {
                    let TypeData::Struct(of) = *module.type_of(var.ty) else { return false };
                    let at = data.attrs.get(Key::Field).unwrap_or(0) as usize;
                    let member = module.structure(of).and_then(|of| of.members.get(at));
                    member.is_some_and(|member| is_size(&member.attrs))
                }),
                _ => false,
            }
        };
        let mut stores = Vec::new();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let is_store = data.op == Op::Memory(MemoryOp::Store);
            stores.extend(data.args.first().filter(|&&path| is_store && is_of_size(path)).map(|_| inst));
        });
        if stores.is_empty() {
            continue;
        }
        let mut ed = Editor::new(&mut module, func).expect("it has a body");
        for store in stores {
            ed.erase(store, Reason::Note("points have size 1")).expect("nothing uses a store");
        }
        ed.finish();
    }
    module
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
            if from.attrs.has(Key::Element) {
                data.attrs = data.attrs.with(Key::Element, number(Key::Element));
            }
        }
        again.set_var(var, data);
    }
    again
}

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Not vertex, fragment and compute shaders alone.
    OtherStage,
    Refused,
    Rejected,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

fn judge(item: &Item, tint: &Tint) -> (Outcome, String) {
    let text = || written::text(item, "wgsl");
    judge_written(&read(&item.bytes()).module, text, Some(tint), item.words() <= MOST_WORDS)
}

/// Writes, reads and compares a module.
pub(crate) fn judge_module(module: &Module, tint: Option<&Tint>, runs: bool) -> (Outcome, String) {
    judge_written(module, || text_of(module), tint, runs)
}

/// Reads and compares a module, of which `text` is the text.
fn judge_written(
    module: &Module,
    text: impl FnOnce() -> Text,
    tint: Option<&Tint>,
    runs: bool,
) -> (Outcome, String) {
    let is_written = |stage| matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute);
    if module.entries.is_empty() || module.entries.iter().any(|entry| !is_written(entry.stage)) {
        return (Outcome::OtherStage, String::new());
    }
    let text = match text() {
        Ok(text) => text,
        Err(diags) => return (Outcome::Refused, diags.first().map(ToString::to_string).unwrap_or_default()),
    };
    if let Some(long) = text.lines().find(|line| line.len() > 100) {
        return (Outcome::Rejected, format!("a line is too long: {long}"));
    }
    if let Some(tint) = tint.filter(|tint| tint.installed)
        && let Err(messages) = tint.judge(&text)
    {
        let error = messages.iter().find(|message| message.is_error);
        let place = error.map(|error| (error.line, error.text.clone())).unwrap_or_default();
        let line = text.lines().nth((place.0 as usize).saturating_sub(1)).unwrap_or_default();
        return (Outcome::Rejected, format!("Tint, line {}: {}\n    {line}", place.0, place.1));
    }
    // naga has the functions of subgroups, but not the line that enables them.
    let binary = match naga_spirv(&text.replace("enable subgroups;\n", "")) {
        Ok(binary) => binary,
        Err(message) if message.contains(NAGA_LACKS) => return (Outcome::Accepted, message),
        Err(message) => return (Outcome::Rejected, message),
    };
    if !runs {
        return (Outcome::Accepted, String::new());
    }
    // A discard of WGSL makes a helper of the invocation. naga writes its end, and leaves out what follows: where the text leaves a
    // loop after the discard, the helper would stay in it, and the end is what counts.
    let demotes = Pipeline::parse("structurize{imported}, discard-to-demote").expect("it is a pipeline");
    let ended = read(&binary).module;
    let demoted = demotes.run(&ended, None).expect("a pass of any fragment shader");
    let original = without_point_sizes(without_specialization(module));
    match compared(&original, moved_back(module, demoted)) {
        (Outcome::Differs, why) if why.ends_with("discarded, then stuck") => {
            compared(&original, moved_back(module, ended))
        }
        found => found,
    }
}

/// Whether a module that was read from a text computes the same as the original.
fn compared(original: &Module, again: Module) -> (Outcome, String) {
    let pair = [("input", original.clone()), ("text", again)];
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

/// A message of naga about a function that WGSL has (17.12).
const NAGA_LACKS: &str = "no definition in scope for identifier: `subgroupElect`";

#[test]
fn tint_and_naga_accept_every_text_and_its_results_are_the_same() {
    let items = modules();
    let tint = Tint::new();
    let found = each(&items, |item| {
        let (outcome, why) = judge(item, &tint);
        (item.file.clone(), outcome, why)
    });
    let count = |wanted: Outcome| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(_, outcome, _)| matches!(outcome, Outcome::Rejected | Outcome::Differs))
        .map(|(file, outcome, why)| format!("{file}: {outcome:?}: {why}"))
        .collect();
    let all = [Outcome::OtherStage, Outcome::Refused, Outcome::Accepted, Outcome::Same];
    println!("{} modules: {all:?} {:?}", found.len(), all.map(count));
    for (file, outcome, why) in &found {
        if matches!(outcome, Outcome::Refused | Outcome::Accepted) {
            println!("{outcome:?} {file}: {why}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    crate::outcomes::check("wgsl", &found);
}

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

#[test]
fn components_are_stored_from_a_value_and_to_a_place_that_are_evaluated_once() {
    let head = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
        data: [u32x4 step 16] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\n\n\
        entry compute \"main\" @main_0 ($data_0) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
        %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 0\n  \
        %3: path = deref.elem %1, %2\n";
    let swapped =
        "  %4: b32x4 = load %3\n  %5: b32x4 = swizzle %4.yxzw\n  %6 = store %3, %5 {mask 3}\n  return\n}\n";
    let indexed = "  %4: path = deref.elem %3, %2\n  %5: b32 = load %4\n  %6: path = deref.elem %1, %5\n  \
        %7: b32x4 = const (5, 6, 7, 8)\n  %8 = store %6, %7 {mask 3}\n  return\n}\n";
    for body in [swapped, indexed] {
        let parsed = parse(&format!("{head}{body}"));
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        let module = parsed.module;
        let text = text_of(&module).expect("it is written");
        let again = moved_back(&module, read(&naga_spirv(&text).expect("naga reads it")).module);
        let pair = vec![("input".to_owned(), Ok(module)), ("text".to_owned(), Ok(again))];
        let mut comparer = Comparer::of_modules(pair, InputKind::Spirv, Settings::default());
        while comparer.step() {}
        let verdict = comparer.stages().last().map(|stage| &stage.verdict);
        assert!(matches!(verdict, Some(Verdict::Same)), "{verdict:?}\n{text}");
    }
}

#[test]
fn a_loop_without_an_end_has_a_way_out_that_is_not_taken() {
    let endless = body_of("  loop !0 {\n  ^1:\n    %5 = store %3, %4\n    next\n  }\n^2:\n");
    assert_eq!(&endless[1..4], ["loop {", "if (false) {", "break;"], "{endless:#?}");
    let returns = body_of(
        "  %5: b1 = ieq %4, %2\n  loop !0 {\n  ^1:\n    if !1 %5 {\n    ^2:\n      return\n    } else {\n    ^3:\n      \
         next\n    }\n  ^4:\n    next\n  }\n^5:\n",
    );
    assert!(!returns.iter().any(|line| line.contains("false")), "{returns:#?}");
}

/// A compute shader with the index of the invocation as `%3`, a uniform number as `%6`, and zero and one as `%0` and `%1`.
fn with_barrier(body: &str) -> Result<String, Vec<Diag>> {
    let parsed = parse(&format!(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {{block}} {{\n  count: u32 {{offset 0}}\n}}\n\n\
         in $id_0: u32 {{builtin local_invocation_index}}\nuniform $data_1: #B_0 {{set 0, binding 0}}\nshared $shared_2: u32\n\n\
         entry compute \"main\" @main_0 ($id_0) {{local_size 64 1 1}}\n\nfunc @main_0() tree {{\n^0:\n  %0: b32 = const 0\n  \
         %1: b32 = const 1\n  %2: path = deref.var $id_0\n  %3: b32 = load %2\n  %4: path = deref.var $data_1\n  \
         %5: path = deref.field %4.0\n  %6: b32 = load %5\n  %7: path = deref.var $shared_2\n  %8: b1 = ult %3, %1\n  \
         %9: b1 = ult %6, %1\n{body}  return\n}}\n"
    ));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    text_of(&parsed.module)
}

const BARRIER: &str = "barrier {exec workgroup, scope workgroup, order acq_rel+workgroup_memory}";

/// A barrier in the arm of a condition.
fn barrier_if(cond: &str) -> String {
    format!(
        "  if !0 {cond} {{\n  ^1:\n    {BARRIER}\n    next\n  }} else {{\n  ^2:\n    next\n  }}\n^3:\n  store %7, %1\n"
    )
}

/// A barrier in a loop that ends by a condition on the number of iterations `%10`.
fn barrier_in_loop(limit: &str) -> String {
    format!(
        "  loop !0(%0) {{\n  ^1(%10: b32):\n    %11: b1 = ult %10, {limit}\n    if !1 %11 {{\n    ^2:\n      next\n    }} else {{\n    ^3:\n      \
         break !0\n    }}\n  ^4:\n    {BARRIER}\n    %12: b32 = iadd %10, %1\n    next(%12)\n  }}\n^5:\n  store %7, %1\n"
    )
}

/// A barrier after a return under a condition.
fn barrier_after_return(cond: &str) -> String {
    format!(
        "  if !0 {cond} {{\n  ^1:\n    return\n  }} else {{\n  ^2:\n    next\n  }}\n^3:\n  {BARRIER}\n  store %7, %1\n"
    )
}

#[test]
fn a_barrier_is_refused_where_invocations_may_be_apart() {
    let of_memory = "  %20: b32 = load %7\n  %21: b1 = ult %20, %1\n".to_owned() + &barrier_if("%21");
    for (body, cond) in [
        (barrier_if("%8"), "%8"),
        (barrier_in_loop("%3"), "%11"),
        (barrier_after_return("%8"), "%8"),
        (of_memory, "%21"),
    ] {
        let diags = with_barrier(&body).err().unwrap_or_default();
        let names = |diag: &Diag| {
            let says = diag.to_string();
            diag.code == "W202" && says.contains("`barrier`") && says.contains(&format!("condition {cond},"))
        };
        assert!(diags.iter().any(names), "{cond}: {diags:?}");
    }
    let tint = Tint::new();
    for body in [barrier_if("%9"), barrier_in_loop("%6"), barrier_after_return("%9")] {
        let text = with_barrier(&body).expect("the condition is uniform");
        assert!(naga_spirv(&text).is_ok() && text.contains("workgroupBarrier()"), "{text}");
        assert!(!tint.installed || tint.judge(&text).is_ok(), "{text}");
    }
}

#[test]
fn derivatives_in_branches_are_computed_before_them() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nin $uv_0: f32x2 {location 0}\nout $color_1: f32x4 {location 0}\n\
         handle $image_2: image<2d f32> {set 0, binding 0}\nhandle $sampler_3: sampler {set 0, binding 1}\n\n\
         entry fragment \"main\" @main_0 ($uv_0, $color_1) {origin_upper_left}\n\nfunc @main_0() tree {\n^0:\n  \
         %0: path = deref.var $uv_0\n  %1: path = deref.var $color_1\n  %2: path = deref.var $image_2\n  \
         %3: path = deref.var $sampler_3\n  %4: b32x2 = load %0\n  %5: b32 = swizzle %4.x\n  %6: b32 = const 0.5\n  \
         %7: b1 = flt %5, %6\n  if !0 %7 {\n  ^1:\n    %8: b32x4 = tex.sample %2, %3, %4 {dim 2d, roles image+sampler+coord}\n    \
         store %1, %8\n    next\n  } else {\n  ^2:\n    next\n  }\n^3:\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = text_of(&parsed.module).expect("it is written");
    assert!(
        text.contains("textureSampleGrad(") && text.contains("dpdx(") && text.contains("dpdy("),
        "{text}"
    );
    assert!(!text.contains("derivative_uniformity"), "{text}");
    let tint = Tint::new();
    assert!(naga_spirv(&text).is_ok() && (!tint.installed || tint.judge(&text).is_ok()), "{text}");
}

#[test]
fn all_entry_points_are_in_one_text() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  data: u32 {offset 0}\n}\n\n\
         storage $first_0: #B_0 {set 0, binding 0}\nstorage $second_1: #B_0 {set 0, binding 0}\n\
         in $color_2: f32x4 {location 0}\nout $result_3: f32x4 {location 0}\nout $passed_4: f32x4 {location 0}\n\n\
         entry compute \"one\" @one_0 ($first_0) {local_size 1 1 1}\n\
         entry compute \"two\" @two_1 ($second_1) {local_size 2 1 1}\n\
         entry fragment \"draw\" @draw_2 ($color_2, $result_3) {origin_upper_left}\n\
         entry vertex \"place\" @place_3 ($passed_4)\n\n\
         func @one_0() tree {\n^0:\n  %0: path = deref.var $first_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 1\n  \
         %3 = store %1, %2\n  return\n}\n\n\
         func @two_1() tree {\n^0:\n  %0: path = deref.var $second_1\n  %1: path = deref.field %0.0\n  %2: b32 = const 2\n  \
         %3 = store %1, %2\n  return\n}\n\n\
         func @draw_2() tree {\n^0:\n  %0: path = deref.var $color_2\n  %1: b32x4 = load %0\n  \
         %2: path = deref.var $result_3\n  %3 = store %2, %1\n  return\n}\n\n\
         func @place_3() tree {\n^0:\n  %0: path = deref.var $passed_4\n  %1: b32x4 = const (0, 0, 0, 0)\n  \
         %2 = store %0, %1\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = text_of(&parsed.module).expect("it is written");
    let binary = naga_spirv(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = read(&binary).module;
    let names: Vec<&str> = again.entries.iter().map(|entry| again.text_of(entry.name)).collect();
    assert_eq!(names, ["one", "two", "draw", "place"], "{text}");
    // No entry point uses both buffers, so each keeps its place.
    assert_eq!(text.matches("@group(0) @binding(0)").count(), 2, "{text}");
    assert!(text.contains("@workgroup_size(1, 1, 1)") && text.contains("@workgroup_size(2, 1, 1)"), "{text}");
    // The vertex shader has no position, which WGSL demands.
    assert_eq!(text.matches("@builtin(position)").count(), 1, "{text}");
}

#[test]
fn what_is_computed_from_overrides_alone_is_a_variable() {
    let head = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nconst &0: b32 = spec 1.0 {spec_id 1}\n\
        const &1: b32 = spec 2.0 {spec_id 2}\n\nout $color_0: f32x4 {location 0}\n\n\
        entry fragment \"main\" @main_0 ($color_0) {origin_upper_left}\n\nfunc @main_0() tree {\n^0:\n  \
        %0: path = deref.var $color_0\n  %1: b32 = global &0\n  %2: b32 = global &1\n  %3: b32 = fadd %1, %2\n  \
        %4: b32x4 = splat %3\n";
    let lines: String = ["x", "y", "z", "w"]
        .iter()
        .enumerate()
        .map(|(at, component)| {
            let (value, splat, store) = (5 + 3 * at, 6 + 3 * at, 7 + 3 * at);
            format!(
                "  %{value}: b32 = swizzle %4.{component}\n  %{splat}: b32x4 = splat %{value}\n  \
                 %{store} = store %0, %{splat} {{mask {}}}\n",
                1 << at
            )
        })
        .collect();
    let parsed = parse(&format!("{head}{lines}  return\n}}\n"));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = text_of(&parsed.module).expect("it is written");
    assert!(text.contains("var v4 = "), "{text}");
    naga_spirv(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

#[test]
fn memory_of_atomics_is_declared_as_one_that_can_be_written() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  data: u32 {offset 0}\n}\n\n\
         storage $read_0: #B_0 {access readonly, set 0, binding 0}\nstorage $data_1: #B_0 {set 0, binding 1}\n\n\
         entry compute \"main\" @main_0 ($read_0, $data_1) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
         %0: path = deref.var $read_0\n  %1: path = deref.field %0.0\n  %2: b32 = atomic_load %1 {scope device}\n  \
         %3: path = deref.var $data_1\n  %4: path = deref.field %3.0\n  %5 = store %4, %2\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = text_of(&parsed.module).expect("it is written");
    assert!(naga_spirv(&text).is_ok() && !text.contains("var<storage> "), "{text}");
    assert_eq!(text.matches("var<storage, read_write>").count(), 2, "{text}");
}
