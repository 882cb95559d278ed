//! Lowering to untyped pointers and lifting back: shaders over memory of any layout keep their results and types.
//!
//! `VITRINE_CASES=100000` runs more random shaders, `VITRINE_SEED` selects others.
#![allow(clippy::print_stdout)] // inconclusive cases are output

pub(crate) mod types; // random types with random layouts
pub(crate) mod shaders; // programs over memory of these types
pub(crate) mod accesses; // memory accesses of these programs

use crate::testing::corpus::modules;
use crate::testing::graphs::Random;
use crate::testing::known;
use crate::testing::settings::setting;
use crate::testing::spirv_val::SpirvVal;
use crate::testing::texts::valid_module;
use std::path::Path;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Fuel, Inst, Module};
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::ops::{BasicOp, Op, PtrOp, ValueType};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;

/// Pipelines whose versions all compute the same, and whose last pass recovers all types.
const PIPELINES: [&str; 4] = [
    "qptr-lower, qptr-analyze, qptr-lift, qptr-lower, qptr-lift",
    "qptr-lower, qptr-legalize, qptr-lift",
    "qptr-lower, qptr-lift, qptr",
    "qptr-lower, qptr-legalize, qptr-specialize, qptr-lift",
];

/// Memory that is still untyped, except texels, and memory whose declared type changed. Locals are ignored, since
/// they are removed and cloned together with functions.
fn unlifted(before: &Module, after: &Module) -> Option<String> {
    let types = |module: &Module| -> Vec<_> {
        module
            .vars()
            .filter(|(var, data)| data.owner.is_none() || before.var(*var).and(after.var(*var)).is_some())
            .map(|(var, data)| (var, data.ty, data.mode, data.is_untyped(), data.attrs.clone()))
            .collect()
    };
    if types(before) != types(after) {
        return Some("the declared type of a variable changed".to_owned());
    }
    after.funcs().find_map(|(func, body)| {
        let mut found = None;
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.ty == ValueType::Ptr && data.op != Op::Ptr(PtrOp::Texel) {
                found = Some(format!("{inst} of {func} is still untyped"));
            }
        });
        found
    })
}

/// Counts of the runs.
#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    inconclusive: u64,
    lowered: u64,
    analyzed: u64,
    specialized: u64,
    /// Pointers that are selected or passed on, before and after legalization to indices.
    ambiguous: [usize; 2],
}

/// Counts pointers in selects, block parameters and call arguments.
fn ambiguous_pointers(module: &Module) -> usize {
    let mut count = 0;
    for (_, body) in module.funcs() {
        let is_ptr = |value: &Inst| body.ty(*value) == ValueType::Ptr;
        for block in body.blocks_in_order() {
            let data = body.block(block);
            count += data.params.iter().filter(|param| is_ptr(param)).count();
            for &inst in data.insts.iter() {
                let data = body.inst(inst);
                match data.op {
                    Op::Basic(BasicOp::Choose) => count += usize::from(is_ptr(&inst)),
                    Op::Basic(BasicOp::Call) => count += data.args.iter().filter(|arg| is_ptr(arg)).count(),
                    _ => {}
                }
            }
        }
    }
    count
}

/// The first fault of a shader, with the faulty version.
fn wrong(seed: u64, module: &Module, tally: &mut Tally) -> Option<(String, String)> {
    let mut all = trials(module, seed, 2);
    for trial in &mut all {
        trial.inputs.groups = [1, 1, 1];
    }
    let expected: Vec<Expected<'_>> =
        all.iter().filter_map(|trial| Expected::of(module, trial).ok()).collect();
    tally.inconclusive += u64::from(expected.is_empty());
    for pipeline in PIPELINES {
        let trace = Pipeline::parse(pipeline).unwrap().trace(module, Settings::default());
        for step in &trace.steps {
            let what = format!("seed {seed}: {}", step.pass);
            match &step.outcome {
                Outcome::Changed => {}
                Outcome::Unchanged => continue,
                Outcome::Failed(diag) => {
                    return Some((format!("{what} fails: {diag}"), print_module(&step.version)));
                }
                Outcome::Invalid(diags) => {
                    let message = format!("{what}: {}: {}", diags[0], diags[0].message());
                    return Some((message, print_module(&step.version)));
                }
            }
            tally.lowered += u64::from(step.pass == "qptr-lower");
            tally.analyzed += u64::from(step.pass == "qptr-analyze");
            tally.specialized += u64::from(step.pass == "qptr-specialize");
            for expected in &expected {
                tally.compared += 1;
                if let Some(differs) = expected.differs(&step.version, Tolerance::default()) {
                    return Some((format!("{what}: {differs}"), print_module(&step.version)));
                }
            }
        }
        if pipeline == PIPELINES[3] {
            for (at, count) in tally.ambiguous.iter_mut().enumerate() {
                *count += ambiguous_pointers(&trace.steps[2 * at].version);
            }
        }
        if let Some(unlifted) = unlifted(module, trace.last()) {
            return Some((format!("seed {seed}: {unlifted}"), print_module(trace.last())));
        }
    }
    check_with_limited_fuel(seed, module, &expected, tally)
}

/// The same checks if limited fuel lowers only part of the memory.
fn check_with_limited_fuel(
    seed: u64,
    module: &Module,
    expected: &[Expected<'_>],
    tally: &mut Tally,
) -> Option<(String, String)> {
    let fuel = Fuel::of(1 + Random(seed).below(3));
    let settings = Settings { fuel, ..Settings::default() };
    let lowered = Pipeline::parse("qptr-lower").unwrap().run_with(module, settings).unwrap();
    let lifted = Pipeline::parse("qptr-lift").unwrap().run(&lowered, None);
    let lifted = match lifted {
        Ok(lifted) => lifted,
        Err(diag) => return Some((format!("seed {seed}: partly lowered: {diag}"), print_module(&lowered))),
    };
    for version in [&lowered, &lifted] {
        for expected in expected {
            tally.compared += 1;
            if let Some(differs) = expected.differs(version, Tolerance::default()) {
                return Some((format!("seed {seed}: partly lowered: {differs}"), print_module(version)));
            }
        }
    }
    unlifted(module, &lifted)
        .map(|unlifted| (format!("seed {seed}: partly lowered: {unlifted}"), print_module(&lifted)))
}

#[test]
fn shaders_keep_their_results_without_types() {
    let (first, cases) = (setting("VITRINE_SEED", 0), setting("VITRINE_CASES", 400));
    let (mut tally, mut bad) = (Tally::default(), Vec::new());
    for seed in first..first + cases {
        let text = shaders::shader(&mut Random(seed));
        let parsed = parse(&text);
        assert!(
            parsed.diags.is_empty(),
            "seed {seed}: {} {}\n{text}",
            parsed.diags[0],
            parsed.diags[0].message()
        );
        let diags = validate(&parsed.module);
        assert!(diags.is_empty(), "seed {seed}: {} {}\n{text}", diags[0], diags[0].message());
        if let Some((message, version)) = wrong(seed, &parsed.module, &mut tally) {
            println!("{message}");
            bad.push((message, text, version));
        }
    }
    println!("{cases} shaders: {tally:?}");
    bad.sort_by_key(|(_, text, _)| text.len());
    if let Some((message, text, version)) = bad.first() {
        panic!("{} shaders fail, the smallest:\n{message}\n{text}\n{version}", bad.len());
    }
    assert!(tally.inconclusive * 10 < cases, "{} shaders are inconclusive", tally.inconclusive);
    let [before, after] = tally.ambiguous;
    assert!(tally.specialized > cases / 8, "too few functions were specialized: {tally:?}");
    assert!(after * 4 < before, "too many ambiguous pointers remain: {tally:?}");
    assert!(tally.lowered > cases && tally.analyzed > cases / 2, "too few programs were lowered: {tally:?}");
}

/// A program that accesses its untyped memory with `reads`.
fn untyped(reads: &str) -> Module {
    let head = "struct #0 {block} {\n  a: f32 {offset 0}\n  b: f32x2 {offset 16}\n}\n";
    let var = "storage $0: bytes(24) was #0 {set 0, binding 0}\n";
    let start = "func @0() graph {\n^0:\n  %0: ptr = ptr.var $0\n  %1: ptr = ptr.buffer_data %0\n";
    valid_module(&format!(
        "{head}{var}entry compute \"main\" @0 ($0) {{local_size 1 1 1}}\n{start}{reads}  return\n}}\n"
    ))
}

/// If part of a program cannot be lifted, nothing is lifted, and the cause is reported.
#[test]
fn memory_that_fits_no_type_is_reported_and_unchanged() {
    let fine = "  %2: b32 = load %1\n  store %1, %2 {offset 20}\n";
    // After the end, across the end, and an atomic on half of a loaded value.
    let wrong = [
        "  %3: b32 = load %1 {offset 24}\n",
        "  %3: b64 = load %1 {offset 20}\n",
        "  %3: b32 = load %1 {offset 8}\n  %4: b16 = load %1 {offset 10}\n  %5: ptr = ptr.offset %1 {offset 8}\n  %6: b32 = atomic %5, %3 {scope device, atomic iadd}\n",
    ];
    let lift = Pipeline::parse("qptr-lift").unwrap();
    assert!(lift.run(&untyped(fine), None).is_ok());
    // In padding, across the end of a member.
    for reads in ["  %3: b32 = load %1 {offset 8}\n", "  %3: b64 = load %1\n"] {
        assert!(lift.run(&untyped(&format!("{fine}{reads}")), None).is_ok(), "{reads}");
    }
    for reads in wrong {
        let before = untyped(&format!("{fine}{reads}"));
        let trace = lift.trace(&before, Settings::default());
        let Outcome::Failed(diag) = &trace.steps[0].outcome else { panic!("{reads} is lifted") };
        assert_eq!(diag.code, "P117", "{diag}");
        assert_eq!(print_module(trace.last()), print_module(&before));
    }
}

/// Unusually deep types and control flow: 200 nested returns, 300 nested structures.
#[test]
fn deep_nesting_needs_only_a_small_stack() {
    use std::fmt::Write;
    let mut text = "struct #0 {\n  m: [u32 * 4 step 4] {offset 4}\n}\n".to_owned();
    for at in 1..=300 {
        let (mark, inner) = (if at == 300 { " {block}" } else { "" }, at - 1);
        write!(text, "struct #{at}{mark} {{\n  n: u32 {{offset 0}}\n  m: #{inner} {{offset 4}}\n}}\n")
            .unwrap();
    }
    text.push_str("storage $0: #300 {set 0, binding 0}\nentry compute \"main\" @0 ($0) {local_size 1 1 1}\n");
    text.push_str("func @0() tree {\n^0:\n  %0: b32 = const 3\n  %1: path = deref.var $0\n");
    for at in 1..=300 {
        writeln!(text, "  %{}: path = deref.field %{at}.1", at + 1).unwrap();
    }
    text.push_str("  %302: path = deref.field %301.0\n");
    let (returns, mut next) = (200, 303);
    for at in 0..returns {
        let [path, number, cond] = [next, next + 1, next + 2];
        next += 3;
        writeln!(text, "  %{path}: path = deref.elem %302, %0\n  %{number}: b32 = load %{path}").unwrap();
        writeln!(
            text,
            "  store %{path}, %{number}\n  %{cond}: b1 = ult %{number}, %0\n  if !{at} %{cond} {{"
        )
        .unwrap();
        writeln!(text, "  ^{}:\n  return\n  }} else {{\n  ^{}:", 3 * at + 1, 3 * at + 2).unwrap();
    }
    for at in (0..returns).rev() {
        writeln!(text, "  next\n  }}\n^{}:", 3 * at + 3).unwrap();
    }
    text.push_str("  return\n}\n");
    let wrong = wrong(0, &valid_module(&text), &mut Tally::default());
    assert!(wrong.is_none(), "{}", wrong.unwrap().0);
}

/// Counts of the shaders of the corpus by outcome.
#[derive(Default, Debug)]
struct RoundTrips {
    modules: usize,
    validated: usize,
    compared: usize,
}

/// Reads a shader, lowers it to untyped pointers, lifts it, and writes it.
fn round_trip(file: &Path, validator: &SpirvVal, tally: &mut RoundTrips) -> Result<(), String> {
    let module = read(&std::fs::read(file).unwrap()).module;
    let trace = Pipeline::parse("ingest, qptr, spirv-out").unwrap().trace(&module, Settings::default());
    tally.modules += 1;
    for step in &trace.steps {
        match &step.outcome {
            Outcome::Changed | Outcome::Unchanged => {}
            Outcome::Failed(diag) => return Err(format!("`{}` fails: {diag}", step.pass)),
            Outcome::Invalid(diags) => return Err(format!("`{}` leaves {}", step.pass, diags[0])),
        }
    }
    let mut all = trials(&module, 0, 1);
    for trial in &mut all {
        trial.inputs.limits.steps = 1 << 12;
        let Ok(expected) = Expected::of(&module, trial) else { continue };
        tally.compared += 1;
        if let Some(differs) = expected.differs(trace.last(), Tolerance::default()) {
            return Err(differs);
        }
    }
    let words = write_spirv(trace.last(), SpirvOptions::default()).map_err(|diag| diag.to_string())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    tally.validated += usize::from(validator.validate(file, &bytes)?);
    Ok(())
}

#[test]
fn shaders_of_the_corpus_are_lifted_from_untyped_pointers() {
    let validator = SpirvVal::new("qptr");
    let (mut tally, mut wrong) = (RoundTrips::default(), Vec::new());
    for item in modules().iter().filter(|item| item.is_valid()) {
        let known = known::in_run("qptr").any(|file| file == item.file);
        match round_trip(&item.path, &validator, &mut tally) {
            Err(what) if !known => wrong.push(format!("{}: {what}", item.file)),
            Ok(()) if known && validator.installed => {
                wrong.push(format!("{}: works now; remove it from the known failures", item.file));
            }
            Ok(()) | Err(_) => {}
        }
    }
    println!("lowered and lifted: {tally:?}, {} failures\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.compared > tally.modules / 2, "too few results were compared: {tally:?}");
    // SPIR-T passes 48 of 100.
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}
