//! Chosen places of resources: `remap-bindings` and `assign-slots`, in every text language.
//!
//! Each module gets places that it did not have: all sets and bindings in reverse order, and in each language registers,
//! indices and bindings in reverse order with gaps. The judge of the language accepts the text, its results are the same, and
//! the table of bindings has the places that the text states. `VITRINE_CORPUS` adds the large corpus.
#![allow(clippy::print_stdout)] // the counts are output

use crate::back_text_msl::Changed;
use crate::testing::corpus::{Item, modules, own};
use crate::testing::dxc::{DIRECT3D, Dxc, Failed};
use crate::testing::glslang::Glslang;
use crate::testing::metal::Metal;
use crate::testing::tint::Tint;
use crate::{back_text, back_text_essl, back_text_hlsl, back_text_msl, back_text_wgsl};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_core::analysis::{LayoutTarget, ResourceKind, declared_place, resource_count, used_resources};
use vitrine_core::back::text::resources;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Inputs, Outcome, Slot, can_run, run, seeded_ordinary};
use vitrine_core::ir::{Mode, Module, Stage, Var};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::{Pipeline, Settings, prepare, write};
use vitrine_core::text::{parse, print_module};

/// Modules with more words are judged, but not run.
const MOST_WORDS: usize = 6_000;

fn run_pipeline(module: &Module, pipeline: &str) -> Result<Module, String> {
    let pipeline = Pipeline::parse(pipeline).map_err(|diag| diag.to_string())?;
    pipeline.run(module, None).map_err(|diag| diag.to_string())
}

/// A text with one space between words, wherever its lines are broken.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_of(module: &Module, language: &str) -> Result<String, String> {
    let funcs = all_funcs(module);
    let backend = named(language).expect("the back end exists");
    let text = write(&Source::new(module, &funcs), backend, false).map(Written::into_text);
    text.map_err(|diags| diags.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The places of a module, and each with its new one: all in reverse order, in sets 0 to 3, with gaps.
fn reversed(module: &Module) -> BTreeMap<Slot, Slot> {
    let is_bound = |var: &Var| {
        module.var(*var).is_some_and(|data| {
            data.mode != Mode::Push && (data.attrs.has(Key::Set) || data.attrs.has(Key::Binding))
        })
    };
    let vars = module.vars().map(|(var, _)| var);
    let resources = vars.filter(|&var| ResourceKind::of(module, var).is_some()).filter(is_bound);
    let places: BTreeSet<[u64; 2]> =
        resources.filter_map(|var| Some(declared_place(module.var(var)?))).collect();
    let slot = |[set, binding]: [u64; 2]| (set as u32, binding as u32);
    let new = (0..places.len() as u32).rev().map(|number| (number % 4, number * 2 + 1));
    places.into_iter().map(slot).zip(new).collect()
}

/// The pipeline that moves resources from the first place of each pair to the second.
fn remapping(moves: impl IntoIterator<Item = (Slot, Slot)>) -> String {
    let places =
        moves.into_iter().map(|((set, binding), (to_set, to))| format!("{set}:{binding}={to_set}:{to}"));
    format!("remap-bindings{{{}}}", places.collect::<Vec<_>>().join(", "))
}

/// Inputs with their resources at new places.
fn moved_inputs(inputs: &Inputs, moves: &BTreeMap<Slot, Slot>) -> Inputs {
    fn moved<T: Clone>(of: &BTreeMap<Slot, T>, moves: &BTreeMap<Slot, Slot>) -> BTreeMap<Slot, T> {
        of.iter()
            .map(|(slot, content)| (moves.get(slot).copied().unwrap_or(*slot), content.clone()))
            .collect()
    }
    Inputs {
        buffers: moved(&inputs.buffers, moves),
        images: moved(&inputs.images, moves),
        samplers: moved(&inputs.samplers, moves),
        ..inputs.clone()
    }
}

/// A result with its resources at new places.
fn moved_outcome(outcome: Outcome, moves: &BTreeMap<Slot, Slot>) -> Outcome {
    let moved = |(slot, element): (Slot, u32)| (moves.get(&slot).copied().unwrap_or(slot), element);
    Outcome {
        buffers: outcome.buffers.into_iter().map(|(place, bytes)| (moved(place), bytes)).collect(),
        images: outcome.images.into_iter().map(|(place, bytes)| (moved(place), bytes)).collect(),
        ..outcome
    }
}

#[test]
fn moved_resources_compute_the_same_where_the_inputs_move_along() {
    let (mut ran, mut moved) = (0, 0);
    for item in modules() {
        let module = read(&item.bytes()).module;
        let moves = reversed(&module);
        if moves.is_empty() {
            continue;
        }
        let after = run_pipeline(&module, &remapping(moves.clone()))
            .unwrap_or_else(|why| panic!("{}: {why}", item.file));
        moved += 1;
        let back = moves.iter().map(|(&from, &to)| (to, from));
        let again = run_pipeline(&after, &remapping(back)).expect("the old places were free");
        let expected = print_module(&module);
        // A variable without a set is in set 0, which the pass writes.
        let is_explicit = module.vars().all(|(var, data)| {
            ResourceKind::of(&module, var).is_none()
                || data.mode == Mode::Push
                || data.attrs.has(Key::Set) == data.attrs.has(Key::Binding)
        });
        assert!(!is_explicit || print_module(&again) == expected, "{}", item.file);
        let entry = module.entries.first().map(|entry| entry.func);
        if item.words() > MOST_WORDS || entry.is_none_or(|func| can_run(&module, func).is_err()) {
            continue;
        }
        for seed in 0..2 {
            let mut inputs = seeded_ordinary(&module, 0, seed);
            inputs.limits.steps = 1 << 14;
            let Ok(before) = run(&module, 0, &inputs) else { continue };
            let Ok(after) = run(&after, 0, &moved_inputs(&inputs, &moves)) else {
                panic!("{}: it does not run at the new places", item.file);
            };
            let before = moved_outcome(before, &moves);
            assert_eq!(before.invocations, after.invocations, "{}", item.file);
            assert!(before.buffers == after.buffers && before.images == after.images, "{}", item.file);
            ran += 1;
        }
    }
    println!("{moved} modules with moved resources, {ran} runs");
    assert!(moved >= 90 && ran >= 150, "{moved} modules, {ran} runs");
}

/// The pipeline that chooses a place in a target for each used resource: in reverse order, with gaps. `None` without resources.
fn choosing(module: &Module, target: LayoutTarget) -> Option<String> {
    let mut next: BTreeMap<&str, u64> = BTreeMap::new();
    // Variables of one kind and place are one resource of languages that have sets.
    let mut known: BTreeSet<(bool, Mode, bool, [u64; 2])> = BTreeSet::new();
    let has_sets = matches!(target, LayoutTarget::Hlsl | LayoutTarget::Wgsl);
    let mut places = Vec::new();
    let mut used = used_resources(module);
    used.reverse();
    for (number, var) in used.into_iter().enumerate() {
        let (Some(data), lists) = (module.var(var), target.lists(module, var)) else { continue };
        let kind = ResourceKind::of(module, var)?;
        let is_open = resource_count(module, data).is_none();
        // Each half of such an array is a table of its own.
        let is_table = is_open && target == LayoutTarget::Msl && kind == ResourceKind::CombinedTexture;
        let key = (data.mode == Mode::Push, data.mode, kind == ResourceKind::Sampler, declared_place(data));
        if lists.is_empty() || is_table || has_sets && !known.insert(key) {
            continue;
        }
        let count = if is_open { 1 } else { target.numbers_of(module, data) };
        let at = 1 + lists.iter().map(|list| next.get(list).copied().unwrap_or(0)).max()?;
        if lists.iter().any(|list| target.limit(list).is_some_and(|limit| at + count > limit)) {
            continue;
        }
        for list in lists {
            next.insert(list, at + count);
        }
        let place = match target {
            // An array without a length has all registers from its first one.
            LayoutTarget::Hlsl if is_open => format!("{}:{at}", 4 + number),
            LayoutTarget::Hlsl => format!("{}:{at}", 2 + number % 2),
            LayoutTarget::Wgsl => format!("{}:{}", number % 4, number * 3),
            LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Msl => {
                at.to_string()
            }
        };
        places.push(format!("{var}={place}"));
    }
    (!places.is_empty()).then(|| format!("assign-slots{{{}, {}}}", target.name(), places.join(", ")))
}

/// The texts of a language at chosen places, counted by the word of their outcome.
#[derive(Default)]
struct Found {
    counts: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// Returns true for an outcome that needs no comparison with that of the module as it was.
fn is_good(outcome: &str) -> bool {
    ["OtherStage", "Accepted", "Same"].contains(&outcome)
}

impl Found {
    /// Counts an outcome. Wrong is one that is worse than that of the module as it was, which `plain` computes.
    fn add(&mut self, file: &str, (outcome, why): (String, String), plain: impl FnOnce() -> String) {
        // Some are known to be wrong in the judge.
        let is_expected = is_good(&outcome) || plain() == outcome;
        *self.counts.entry(outcome.clone()).or_default() += 1;
        if !is_expected {
            self.wrong.push(format!("{file}: {outcome}: {why}"));
        }
    }

    fn check(&self, language: &str, least: usize, is_judged: bool) {
        println!("{language}: {:?}", self.counts);
        assert!(self.wrong.is_empty(), "{language}: {}\n{}", self.wrong.len(), self.wrong.join("\n"));
        let same = self.counts.get("Same").copied().unwrap_or(0);
        assert!(!is_judged || same >= least, "{language}: {:?}", self.counts);
    }
}

fn shown<T: std::fmt::Debug>((outcome, why): (T, String)) -> (String, String) {
    (format!("{outcome:?}"), why)
}

/// The parts of the large corpus, of which each judgment has one: all modules of it for all languages take ten minutes.
const PARTS: usize = 4;

/// Our own modules, and a part of the large corpus.
fn sample(part: usize) -> impl Iterator<Item = Item> {
    let own = own();
    let is_chosen =
        move |(at, item): &(usize, Item)| item.path.starts_with(&own) || at % PARTS == part % PARTS;
    modules().into_iter().enumerate().filter(is_chosen).map(|(_, item)| item)
}

/// Judges each module of a sample that a pipeline, made from the module, changes.
fn judge_each(
    part: usize,
    choose: impl Fn(&Module) -> Option<String>,
    judge: impl Fn(&Module, bool) -> (String, String),
) -> Found {
    let mut found = Found::default();
    for item in sample(part) {
        let module = read(&item.bytes()).module;
        let Some(pipeline) = choose(&module) else { continue };
        let after =
            run_pipeline(&module, &pipeline).unwrap_or_else(|why| panic!("{} {pipeline}: {why}", item.file));
        let runs = item.words() <= MOST_WORDS;
        found.add(&item.file, judge(&after, runs), || judge(&module, runs).0);
    }
    found
}

fn moving(module: &Module) -> Option<String> {
    let moves = reversed(module);
    (!moves.is_empty()).then(|| remapping(moves))
}

#[test]
fn glsl_follows_moved_resources() {
    let glslang = Glslang::new("bindings");
    let judge = |module: &Module, runs: bool| shown(back_text::judge_module(module, &glslang, runs));
    judge_each(0, moving, judge).check("GLSL", 60, glslang.installed);
}

#[test]
fn glsl_es_has_moved_resources_and_chosen_bindings() {
    let glslang = Glslang::new("bindings-es");
    let judge =
        |module: &Module, runs: bool| shown(back_text_essl::judge_module(module, "essl-310", &glslang, runs));
    judge_each(1, moving, judge).check("GLSL ES 3.10, moved", 40, glslang.installed);
    judge_each(2, |module| choosing(module, LayoutTarget::Essl310), judge).check(
        "GLSL ES 3.10, chosen",
        40,
        glslang.installed,
    );
}

#[test]
fn wgsl_has_moved_resources_and_chosen_places() {
    let tint = Tint::new();
    let judge = |module: &Module, runs: bool| shown(back_text_wgsl::judge_module(module, Some(&tint), runs));
    judge_each(3, moving, judge).check("WGSL, moved", 50, true);
    judge_each(4, |module| choosing(module, LayoutTarget::Wgsl), judge).check("WGSL, chosen", 50, true);
}

#[test]
fn hlsl_has_moved_resources_and_chosen_registers() {
    let dxc = Dxc::new();
    let judge = |module: &Module, runs: bool| shown(back_text_hlsl::judge_module(module.clone(), &dxc, runs));
    judge_each(5, moving, judge).check("HLSL, moved", 60, dxc.installed);
    let choose = |module: &Module| choosing(module, LayoutTarget::Hlsl);
    judge_each(6, choose, judge).check("HLSL, chosen", 60, dxc.installed);
    let compact = |module: &Module| moving(module).map(|_| "assign-slots{hlsl-compact}".to_owned());
    judge_each(7, compact, judge).check("HLSL, compact", 60, dxc.installed);
}

#[test]
fn metal_has_chosen_indices() {
    let metal = Metal::new();
    let mut found = Found::default();
    let (mut plain, mut chosen) = (Vec::new(), Vec::new());
    for item in modules() {
        let bytes = item.bytes();
        let module = read(&bytes).module;
        let is_written =
            |stage| matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Task);
        let is_single = matches!(module.entries.as_slice(), [entry] if is_written(entry.stage));
        let Some(pipeline) = choosing(&module, LayoutTarget::Msl).filter(|_| is_single) else { continue };
        let after =
            run_pipeline(&module, &pipeline).unwrap_or_else(|why| panic!("{} {pipeline}: {why}", item.file));
        let [before, after] = [&module, &after].map(back_text_msl::text_of);
        if !metal.installed || before.is_err() {
            assert_eq!(after.is_ok(), before.is_ok(), "{}", item.file);
            continue;
        }
        let changed = |text| Changed { file: item.file.clone(), bytes: bytes.clone(), text };
        plain.push(changed(before));
        chosen.push(changed(after));
    }
    let judged = back_text_msl::judge_changed(&metal, chosen);
    let is_wrong = |file: &str| judged.iter().any(|(name, outcome, _)| name == file && !is_good(outcome));
    plain.retain(|module| is_wrong(&module.file));
    let before = back_text_msl::judge_changed(&metal, plain);
    for (file, outcome, why) in judged {
        let plain = || before.iter().find(|(name, ..)| *name == file).map(|found| found.1.clone());
        found.add(&file, (outcome, why), || plain().unwrap_or_default());
    }
    found.check("Metal", 50, metal.installed);
}

/// The places of a table as its text states them.
fn stated(target: LayoutTarget, place: &str) -> Vec<String> {
    match target {
        LayoutTarget::Hlsl => {
            let (lists, space) = place.rsplit_once(", ").expect("a register has a space");
            lists.split(", ").map(|list| format!(": register({list}, {space})")).collect()
        }
        LayoutTarget::Wgsl => {
            let (group, binding) =
                place.trim_start_matches("group ").split_once(", binding ").expect("it has a group");
            vec![format!("@group({group}) @binding({binding})")]
        }
        LayoutTarget::Msl => place.split(", ").map(|place| format!("// {place}: ")).collect(),
        LayoutTarget::Essl310 => {
            let number = place.split(' ').nth(1).unwrap_or_default().trim_end_matches(',');
            vec![format!("binding = {number}")]
        }
        LayoutTarget::Glsl | LayoutTarget::Essl => Vec::new(),
    }
}

#[test]
fn the_table_has_the_chosen_places_that_the_texts_state() {
    let mut checked = [0usize; 4];
    let targets = [LayoutTarget::Essl310, LayoutTarget::Wgsl, LayoutTarget::Hlsl, LayoutTarget::Msl];
    for item in modules() {
        let module = read(&item.bytes()).module;
        if module.entries.len() != 1 {
            continue;
        }
        for (at, target) in targets.into_iter().enumerate() {
            let backend = named(target.name()).expect("the back end exists");
            let Some(pipeline) = choosing(&module, target) else { continue };
            let chosen = run_pipeline(&module, &pipeline).expect("it is chosen");
            let Ok(ready) = prepare(&chosen, backend, Settings::default(), None) else { continue };
            let Ok(text) = text_of(&ready, target.name()).map(|text| joined(&text)) else { continue };
            for resource in resources(&ready) {
                let data = ready.var(resource.var).expect("it exists");
                let place =
                    &resource.in_targets[LayoutTarget::ALL.iter().position(|it| *it == target).unwrap()];
                if target.chosen_place(data).is_none() || place.contains("pair") {
                    continue;
                }
                for wanted in stated(target, place) {
                    assert!(text.contains(&wanted), "{}: {wanted} is missing:\n{text}", item.file);
                }
                checked[at] += 1;
            }
        }
    }
    println!("places of {targets:?}: {checked:?}");
    assert!(checked.iter().all(|&count| count >= 100), "{checked:?}");
}

/// A fragment shader with two buffers, a texture with its sampler, and push constants.
const PROGRAM: &str = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n\
    struct #Camera_0 {block} {\n  scale: f32 {offset 0}\n}\n\nstruct #Sums_1 {block} {\n  sum: f32 {offset 0}\n}\n\n\
    struct #Tint_2 {block} {\n  tint: f32 {offset 0}\n}\n\nuniform $camera_0: #Camera_0 {set 0, binding 4}\n\
    handle $albedo_1: sampled_image<2d f32> {set 2, binding 1}\nstorage $sums_3: #Sums_1 {set 2, binding 7}\n\
    push $tint_4: #Tint_2\nout $color_5: f32 {location 0}\n\n\
    entry fragment \"main\" @main_0 ($camera_0, $albedo_1, $sums_3, $tint_4, $color_5) {origin_upper_left}\n\n\
    func @main_0() tree {\n^0:\n  %0: b32x2 = const (0.5, 0.5)\n  %1: path = deref.var $camera_0\n  \
    %2: path = deref.field %1.0\n  %3: b32 = load %2\n  %4: path = deref.var $albedo_1\n  \
    %6: b32x4 = tex.sample %4, %0 {dim 2d, roles image+coord}\n  %7: b32 = swizzle %6.x\n  %8: b32 = fmul %3, %7\n  \
    %9: path = deref.var $tint_4\n  %10: path = deref.field %9.0\n  %11: b32 = load %10\n  %12: b32 = fmul %8, %11\n  \
    %13: path = deref.var $sums_3\n  %14: path = deref.field %13.0\n  %15 = store %14, %12\n  \
    %16: path = deref.var $color_5\n  %17 = store %16, %12\n  return\n}\n";

fn program() -> Module {
    let parsed = parse(PROGRAM);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    parsed.module
}

#[track_caller]
fn assert_lines(language: &str, pipeline: &str, expected: &[&str]) {
    let chosen = run_pipeline(&program(), pipeline).expect("the places are free");
    let text = text_of(&chosen, language).expect("it is written");
    for wanted in expected {
        assert!(joined(&text).contains(wanted), "{wanted} is missing:\n{text}");
    }
}

#[test]
fn each_language_states_chosen_places_and_places_others_around_them() {
    assert_lines(
        "hlsl",
        "assign-slots{hlsl, camera=3:1, push=0:2}",
        &["camera : register(b1, space3)", "tint : register(b2, space0);", "register(t1, space2)"],
    );
    assert_lines(
        "hlsl",
        "lower-samplers{split}, assign-slots{hlsl-compact, albedo_sampler=1:4}",
        &[
            "register(s4, space1)",
            "register(t0, space0)",
            "camera : register(b0, space0)",
            "tint : register(b1",
        ],
    );
    assert_lines(
        "msl",
        "assign-slots{msl, Sums=0, tint=30}",
        &["// buffer 0: sums", "// buffer 1: camera", "// buffer 30: tint", "[[buffer(30)]]"],
    );
    assert_lines(
        "msl",
        "assign-slots{msl-declared}",
        &["// buffer 4: camera", "// texture 1: ", "// sampler 1: "],
    );
    assert_lines(
        "wgsl",
        "assign-slots{wgsl, push=1:0, 2:1=0:9}",
        &[
            "@group(1) @binding(0) var<uniform> tint",
            "@group(0) @binding(9) var albedo",
            "@group(0) @binding(10)",
        ],
    );
    assert_lines(
        "essl-310",
        "assign-slots{essl-310, tint=4, camera=0, $1=6}",
        &["binding = 4, std140) uniform Tint", "binding = 0, std140) uniform Camera", "binding = 6) uniform"],
    );
    assert_lines(
        "glsl",
        "remap-bindings{flat, sums=1:0}",
        &["set = 0, binding = 0, std140", "set = 0, binding = 1) uniform", "set = 1, binding = 0, std430"],
    );
}

/// Returns true if two resources that are used have the same set and binding.
fn has_aliases(module: &Module) -> bool {
    let mut places: Vec<_> = used_resources(module)
        .into_iter()
        .filter_map(|var| module.var(var).filter(|data| data.attrs.has(Key::Binding)).map(declared_place))
        .collect();
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0] == pair[1])
}

#[test]
fn direct3d_accepts_dense_registers() {
    let dxc = Dxc::new();
    if !dxc.installed {
        return;
    }
    let direct3d = |text: &str, stage: Stage| {
        let profile = back_text_hlsl::profile(stage).expect("the stage is written");
        dxc.compile_apart(text, profile, &[DIRECT3D])
    };
    // Registers that overlap are rejected, so that the others do not.
    let text =
        text_of(&run_pipeline(&program(), "assign-slots{hlsl-compact}").expect("it is chosen"), "hlsl")
            .expect("it is written");
    assert!(direct3d(&text, Stage::Fragment).is_ok(), "{text}");
    let wrong = direct3d(&text.replace("(b1, space0)", "(b0, space0)"), Stage::Fragment);
    assert!(matches!(&wrong, Err(Failed::Rejected(why)) if why.contains("overlap")), "{wrong:?}");
    let (mut accepted, mut other, mut wrong) = (0, BTreeMap::new(), Vec::new());
    for item in sample(0) {
        let module = read(&item.bytes()).module;
        let stage = match module.entries.as_slice() {
            [entry] if matches!(entry.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) => entry.stage,
            _ => continue,
        };
        // Variables of one place are one resource, with one register: Direct3D has no such resources.
        if used_resources(&module).is_empty() || item.words() > MOST_WORDS || has_aliases(&module) {
            continue;
        }
        let chosen = run_pipeline(&module, "assign-slots{hlsl-compact}").expect("dense registers are free");
        let Ok(text) = text_of(&chosen, "hlsl") else { continue };
        match direct3d(&text, stage) {
            Ok(_) => accepted += 1,
            Err(Failed::Rejected(why)) if why.contains("overlap") => wrong.push((item.file, why)),
            // Functions and attributes for Vulkan.
            Err(Failed::Rejected(why)) => {
                let is_reason =
                    |line: &&str| line.contains("error: ") && !line.ends_with("validation errors");
                let line = why.lines().find(is_reason).unwrap_or_default();
                let says =
                    line.rsplit("error: ").next().unwrap_or_default().chars().take(60).collect::<String>();
                *other.entry(says).or_insert(0) += 1;
            }
            Err(Failed::Crashed(why)) => *other.entry(why).or_insert(0) += 1,
        }
    }
    println!("Direct3D: {accepted} accepted, others: {other:#?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(accepted >= 30, "{accepted} accepted");
}

#[test]
fn a_register_of_push_constants_is_accepted_by_the_compiler() {
    let dxc = Dxc::new();
    let chosen = run_pipeline(&program(), "assign-slots{hlsl-compact}").expect("the places are free");
    let outcome = back_text_hlsl::judge_module(chosen, &dxc, true);
    assert!(!dxc.installed || outcome.0 == back_text_hlsl::Outcome::Same, "{outcome:?}");
}

#[test]
fn places_that_cannot_be_chosen_are_refused_by_name() {
    let cases = [
        ("assign-slots{msl, light=1}", "there is no resource `light`"),
        ("assign-slots{msl, camer=1}", "did you mean `camera`?"),
        ("assign-slots{msl, camera=31}", "camera cannot be at buffer 31 in Metal; the last buffer is 30"),
        ("assign-slots{msl, albedo=16}", "albedo cannot be at sampler 16 in Metal"),
        ("assign-slots{msl, camera=1, sums=1}", "camera and sums would both be at buffer 1"),
        ("assign-slots{msl, camera=0:1}", "camera is given two numbers, but its place in Metal has one"),
        ("assign-slots{wgsl, camera=4:0}", "camera cannot be at group 4 in WGSL; the last group is 3"),
        ("assign-slots{wgsl, camera=2:7}", "camera and sums would both be at group 2, binding 7"),
        ("assign-slots{hlsl, push=0:4}", "camera and tint would both be at b4, space0"),
        ("lower-samplers{split}, assign-slots{msl, albedo=1, albedo_sampler=16}", "cannot be at sampler 16"),
        (
            "lower-samplers{split}, assign-slots{essl-310, albedo_sampler=1}",
            "albedo_sampler has no number of its own in GLSL ES 3.10",
        ),
        ("assign-slots{msl, camera=1, camera=2}", "`camera` is given two places"),
        ("assign-slots{msl, camera=1, 0:4=2}", "camera is given two places"),
        ("assign-slots{msl, camera=x}", "`camera=x` is not of the form `RESOURCE=SPACE:NUMBER`"),
        ("assign-slots{msl, camera=1:2:3}", "is not of the form"),
        ("remap-bindings{camera=2:7}", "camera and sums would both be at set 2, binding 7"),
        ("remap-bindings{camera=1}", "the place of `camera` has one number"),
        ("remap-bindings{tint=0:0}", "tint has no set and no binding"),
        ("remap-bindings{1:1=0:0}", "there is no resource `1:1`"),
        ("remap-bindings{$9=0:0}", "there is no resource `$9`"),
        ("remap-bindings{camera}", "`remap-bindings` has no option `camera`"),
    ];
    for (pipeline, wanted) in cases {
        let refused = run_pipeline(&program(), pipeline).expect_err(pipeline);
        assert!(refused.contains(wanted), "{pipeline}: {refused}");
    }
    let table = PROGRAM.replace("sampled_image<2d f32>", "[sampled_image<2d f32>]").replace(
        "%6: b32x4 = tex.sample %4, %0",
        "%20: b32 = const 1\n  %5: path = deref.elem %4, %20\n  %6: b32x4 = tex.sample %5, %0",
    );
    let refused =
        run_pipeline(&parse(&table).module, "assign-slots{msl, albedo=1}").expect_err("it is refused");
    assert!(refused.contains("albedo is two tables of Metal"), "{refused}");
    // The same index in two entry points is fine; in one text it is not, whoever chose it.
    let text = PROGRAM
        .replace("{set 0, binding 4}", "{set 0, binding 4, metal_index 3}")
        .replace("{set 2, binding 7}", "{set 2, binding 7, metal_index 3}");
    let module = parse(&text).module;
    let refused = text_of(&module, "msl").expect_err("it is refused");
    assert!(
        refused.contains("W205") && refused.contains("camera and sums are both at buffer 3"),
        "{refused}"
    );
    assert!(text_of(&module, "glsl").is_ok());
}

#[test]
fn variables_of_one_place_are_one_resource() {
    let text = PROGRAM.replace(
        "push $tint_4",
        "uniform $copy_6: #Camera_0 {set 0, binding 4}\nhandle $other_7: image<2d f32> {set 0, binding 4}\npush $tint_4",
    );
    let parsed = parse(&text);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let after = run_pipeline(&parsed.module, "remap-bindings{camera=3:3}").expect("the place is free");
    let places = |name: &str| {
        let found = after.vars().find(|(_, data)| data.name.is_some_and(|it| after.text_of(it) == name));
        declared_place(found.expect("it exists").1)
    };
    assert_eq!([places("camera"), places("copy"), places("other")], [[3, 3], [3, 3], [0, 4]]);
    // Two resources with one name are not chosen by it.
    let text =
        PROGRAM.replace("push $tint_4", "uniform $camera_6: #Camera_0 {set 1, binding 0}\npush $tint_4");
    let module = parse(&text).module;
    let refused = run_pipeline(&module, "remap-bindings{camera=3:3}").expect_err("two have the name");
    assert!(refused.contains("2 resources have the name `camera`"), "{refused}");
    assert!(run_pipeline(&module, "remap-bindings{1:0=3:3}").is_ok());
}
