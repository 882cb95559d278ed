//! The interpreter against a Vulkan driver: compute and fragment shaders of the corpus on seeded inputs, before
//! and after passes. Prints the number of equal results, and names the differences.
//!
//! Each module runs in a separate process, so that a driver that crashes or hangs affects only that module.
//!
//! Skipped with a message if no driver that runs on the CPU is installed. Excluded from
//! the comparison, and counted: shaders that need more than buffers and constants (images, interpolated inputs), runs
//! with undefined behavior or above the step limit, and undefined bytes. Floats may differ within a generous bound on
//! the precision that Vulkan requires ([`near`]); infinities and NaN are not compared, since a driver need not
//! preserve them. If the driver agrees with the interpreter on one variant of a shader but not on another, it is
//! counted as inconsistent with itself.
#![allow(clippy::print_stdout)]

#[path = "oracle/device.rs"]
mod device;
#[path = "oracle/draw.rs"]
mod draw;

use ash::vk;
use device::{Device, Dispatch, Results, Work};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vitrine_bench::Corpus;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Inputs, InvocationEnd, OutKey, Outcome, Slot, run, seeded};
use vitrine_core::ir::{GlobalValue, Mode, Module, Stage, Type, TypeData};
use vitrine_core::lab::check::inconclusive_of;
use vitrine_core::ops::Key;
use vitrine_core::pipeline::Pipeline;

/// Seeds per shader and variant.
const SEEDS: u64 = 3;

/// Pipelines that give the variants of a module.
const VARIANTS: [&str; 3] = ["", "ingest, O1", "structurize{faithful}, O1"];

/// Limit on the bytes that a run may write.
const MOST_BYTES: usize = 1 << 22;

/// Time limit of a module, driver included.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Counts of all runs, or of the runs of one module as printed by its process.
#[derive(Default)]
struct Tally {
    shaders: usize,
    exact: usize,
    near: usize,
    differ: Vec<String>,
    left_out: BTreeMap<String, usize>,
}

fn main() {
    let corpus = Corpus::find();
    let device = match Device::open() {
        Ok(device) => device,
        Err(why) => return println!("oracle: skipped, {why}; install mesa-vulkan-drivers and libvulkan1"),
    };
    let args: Vec<String> = std::env::args().collect();
    if let [_, flag, file] = &args[..]
        && flag == "--one"
    {
        return shader(&device, &corpus.folder, file);
    }
    println!("oracle: {}, subgroups of {}", device.name, device.subgroup);
    let mut tally = Tally::default();
    for item in corpus.items() {
        let runs = ["comp", "frag"].iter().any(|kind| item.stage.contains(kind));
        if runs && item.valid_vulkan {
            elsewhere(&item.file, &mut tally);
        }
    }
    report(&tally);
}

/// Runs a module in a separate process and adds up its output.
fn elsewhere(file: &str, tally: &mut Tally) {
    let Ok(me) = std::env::current_exe() else { return };
    let child = Command::new(me).args(["--one", file]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return };
    let start = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break None,
            Ok(Some(_)) => break Some("the driver crashes"),
            Ok(None) if start.elapsed() > TIME_LIMIT => {
                // It may have ended in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                break Some("the driver exceeds the time limit");
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => break Some("its process cannot be waited for"),
        }
    };
    let mut output = String::new();
    if let Some(mut out) = child.stdout.take() {
        // Output that is not text counts as empty.
        let _ = out.read_to_string(&mut output);
    }
    let before = tally.exact + tally.near + tally.differ.len();
    for line in output.lines() {
        match line.split_once('\t').unwrap_or((line, "")) {
            ("exact", _) => tally.exact += 1,
            ("near", _) => tally.near += 1,
            ("differs", difference) => tally.differ.push(difference.to_owned()),
            ("left", why) => *tally.left_out.entry(why.to_owned()).or_default() += 1,
            _ => {}
        }
    }
    if let Some(why) = ended {
        *tally.left_out.entry(format!("{why} ({file})")).or_default() += 1;
    }
    tally.shaders += usize::from(tally.exact + tally.near + tally.differ.len() > before);
}

fn report(tally: &Tally) {
    println!(
        "{} shaders, {} runs: {} exactly the same, {} within Vulkan's precision, {} differ",
        tally.shaders,
        tally.exact + tally.near + tally.differ.len(),
        tally.exact,
        tally.near,
        tally.differ.len()
    );
    tally.left_out.iter().for_each(|(why, count)| println!("  left out {count:4}: {why}"));
    tally.differ.iter().for_each(|line| println!("  differs: {line}"));
}

/// Runs all entry points, variants and seeds of a module, and prints a line for each run.
fn shader(device: &Device, corpus: &Path, file: &str) {
    let Ok(bytes) = std::fs::read(corpus.join(file)) else { return };
    let original = read(&bytes).module;
    if let Err(why) = fits(&original) {
        return println!("left\t{why}");
    }
    // By entry point and seed: the verdict of each variant.
    let mut found: BTreeMap<(usize, u64), Vec<(String, Verdict)>> = BTreeMap::new();
    for variant in VARIANTS {
        let Ok(module) = Pipeline::parse(variant).and_then(|pipeline| pipeline.run(&original, None)) else {
            continue;
        };
        let words: Vec<u32> = match variant {
            "" => bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect(),
            _ => match write_spirv(&module, SpirvOptions::default()) {
                Ok(words) => words,
                Err(_) => continue,
            },
        };
        for (entry, point) in module.entries.iter().enumerate() {
            if !matches!(point.stage, Stage::Compute | Stage::Fragment) {
                continue;
            }
            for seed in 0..SEEDS {
                let mut inputs = Inputs { subgroup: device.subgroup, ..seeded(&module, entry, seed * 2) };
                // The whole frame, so that the driver does not run fragments that are not known to terminate.
                inputs.rect = [0, 0, inputs.frame[0], inputs.frame[1]];
                let name = format!("{file} `{}` seed {seed} [{variant}]", module.text_of(point.name));
                match compare(device, &module, &words, entry, inputs) {
                    Ok(verdict) => found.entry((entry, seed)).or_default().push((name, verdict)),
                    Err(why) => println!("left\t{}", why.replace('\n', " ")),
                }
            }
        }
    }
    let races = is_atomic(&original);
    for verdicts in found.into_values() {
        let agrees = verdicts.iter().any(|(_, verdict)| !matches!(verdict, Verdict::Differs(_)));
        for (name, verdict) in verdicts {
            match verdict {
                Verdict::Exact => println!("exact"),
                Verdict::Near => println!("near"),
                Verdict::Differs(_) if races => {
                    println!("left\tthe order of atomics is visible");
                }
                Verdict::Differs(_) if agrees => {
                    println!("left\tthe driver is inconsistent with itself ({file})");
                }
                Verdict::Differs(difference) => println!("differs\t{name}: {difference}"),
            }
        }
    }
}

/// `Ok` if a module needs only buffers and constants.
fn fits(module: &Module) -> Result<(), &'static str> {
    for (_, var) in module.vars() {
        match var.mode {
            Mode::Handle => return Err("it has images or samplers"),
            Mode::Physical => return Err("it has physical addresses"),
            _ => {}
        }
    }
    Ok(())
}

/// `true` if the order of atomics is visible: a result is used, or an atomic stores.
fn is_atomic(module: &Module) -> bool {
    let mut found = false;
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let op = body.inst(inst).op;
            found |= op.info().name.starts_with("atomic");
        });
    }
    found
}

enum Verdict {
    Exact,
    Near,
    Differs(String),
}

/// Compares a run on both sides; the error is the reason why it is inconclusive.
fn compare(
    device: &Device,
    module: &Module,
    words: &[u32],
    entry: usize,
    inputs: Inputs,
) -> Result<Verdict, String> {
    let outcome = run(module, entry, &inputs).map_err(|diag| format!("not run: {}", diag.message()))?;
    if let Some(why) = inconclusive_of(&outcome) {
        return Err(format!("the input is inconclusive: {why}"));
    }
    if !outcome.reports.list().is_empty() {
        return Err(format!("a report: {:?}", outcome.reports.list()[0].ub));
    }
    let mut buffers: BTreeMap<Slot, (bool, Vec<Vec<u8>>)> = BTreeMap::new();
    for (_, var) in module.vars() {
        let slot = |key| var.attrs.get(key).unwrap_or(0) as u32;
        if !matches!(var.mode, Mode::Uniform | Mode::Storage) {
            continue;
        }
        let slot = (slot(Key::Set), slot(Key::Binding));
        let list = inputs.buffers.get(&slot).ok_or("a buffer is not bound")?;
        let (uniform, _) = buffers.entry(slot).or_insert_with(|| (true, list.clone()));
        *uniform &= var.mode == Mode::Uniform;
    }
    if buffers.values().flat_map(|(_, list)| list).map(Vec::len).sum::<usize>() > MOST_BYTES {
        return Err("it writes too many bytes".to_owned());
    }
    let specs = specs(module, &inputs)?;
    let point = module.entries.get(entry).ok_or("no entry point")?;
    let (work, colors) = match point.stage {
        Stage::Fragment => (Work::Frame(inputs.frame), colors(module, &point.interface)?),
        _ => (Work::Groups(inputs.groups), Vec::new()),
    };
    let dispatch = Dispatch {
        words,
        entry: module.text_of(point.name),
        buffers: &buffers,
        push: &inputs.push,
        specs: &specs,
        work,
    };
    let after = device.run(&dispatch, &colors).map_err(|why| format!("the driver fails: {why}"))?;
    Ok(verdict(&outcome, &after, inputs.frame))
}

/// Values of specialization constants of up to 32 bits.
fn specs(module: &Module, inputs: &Inputs) -> Result<Vec<(u32, u32)>, String> {
    let mut out = Vec::new();
    for (_, global) in module.globals() {
        let GlobalValue::Spec(bits) = global.value else { continue };
        let Some(id) = global.attrs.get(Key::SpecId) else { continue };
        let Some(&value) = inputs.specs.get(&(id as u32)) else { continue };
        if module.bits_of(bits).width().bits() > 32 {
            return Err("a 64-bit specialization constant".to_owned());
        }
        out.push((id as u32, value as u32));
    }
    Ok(out)
}

/// The colors that a fragment shader writes, with their formats.
fn colors(module: &Module, interface: &[vitrine_core::ir::Var]) -> Result<Vec<(u32, vk::Format)>, String> {
    let mut out = Vec::new();
    for (var, data) in module.vars().filter(|(var, _)| interface.contains(var)) {
        let located = data.attrs.get(Key::Location);
        match (data.mode, located) {
            (Mode::In, Some(_)) => return Err("it has interpolated inputs".to_owned()),
            (Mode::Out, Some(location)) => {
                let format =
                    format(module, data.ty).ok_or("a color that is not a vector of 32-bit components")?;
                if data.attrs.get(Key::Index).is_some_and(|index| index > 0) {
                    return Err("it has dual-source blending".to_owned());
                }
                out.push((location as u32, format));
            }
            (Mode::Out, None) if module.value_type(data.ty).is_none() => {
                return Err(format!("outputs in a block ({var})"));
            }
            _ => {}
        }
    }
    Ok(out)
}

fn format(module: &Module, ty: Type) -> Option<vk::Format> {
    match module.type_of(ty) {
        TypeData::Vector { of, .. } => format(module, *of),
        TypeData::Float { width } if width.bits() == 32 => Some(vk::Format::R32G32B32A32_SFLOAT),
        TypeData::Int { width, signed: true } if width.bits() == 32 => Some(vk::Format::R32G32B32A32_SINT),
        TypeData::Int { width, .. } if width.bits() == 32 => Some(vk::Format::R32G32B32A32_UINT),
        _ => None,
    }
}

/// The difference between the results of the interpreter and of the driver.
fn verdict(ours: &Outcome, theirs: &Results, frame: [u32; 2]) -> Verdict {
    let mut verdict = Verdict::Exact;
    let mut pairs: Vec<(String, u32, u32)> = Vec::new();
    for (&(slot, at), memory) in &ours.buffers {
        let Some(bytes) = theirs.buffers.get(&slot).and_then(|list| list.get(at as usize)) else { continue };
        let words = memory.bytes.as_chunks().0.iter().zip(bytes.as_chunks().0);
        for (number, (&a, &b)) in (0u32..).zip(words) {
            if !memory.undefined.iter().any(|&byte| byte & !3 == number * 4) {
                let [a, b] = [a, b].map(u32::from_le_bytes);
                pairs.push((format!("buffer {slot:?} byte {}", number * 4), a, b));
            }
        }
    }
    for invocation in ours.invocations.values() {
        let pixel = invocation.at[1] * frame[0] + invocation.at[0];
        for (&location, words) in &theirs.colors {
            for component in 0..4u32 {
                let Some(&there) = words.get((pixel * 4 + component) as usize) else { continue };
                let here = match invocation.end {
                    InvocationEnd::Returned => {
                        invocation.outputs.get(&OutKey::Location(location, component, 0)).copied()
                    }
                    // Pixels that are not drawn keep the clear color.
                    _ => Some(Some(0)),
                };
                // Components without a defined value are ignored.
                let Some(Some(here)) = here else { continue };
                pairs.push((
                    format!("pixel {:?} location {location}.{component}", invocation.at),
                    here as u32,
                    there,
                ));
            }
        }
    }
    for (position, a, b) in pairs {
        if a == b {
            continue;
        }
        if !near(a, b) {
            let floats = [a, b].map(f32::from_bits);
            return Verdict::Differs(format!(
                "{position}: {a:#x} here, {b:#x} there ({:e}, {:e})",
                floats[0], floats[1]
            ));
        }
        verdict = Verdict::Near;
    }
    verdict
}

/// `true` if two words may be the same 32-bit float, computed within the precision that Vulkan requires: transcendental
/// functions have an absolute error of 2^-11, long computations add up, so a relative 2^-9 or an absolute 2^-10.
fn near(a: u32, b: u32) -> bool {
    let [x, y] = [a, b].map(f32::from_bits);
    let special = |bits: u32| matches!(bits & 0x7fff_ffff, 0x7f80_0000 | 0x7fc0_0000);
    let special_half = |bits: u32| matches!(bits & 0x7fff, 0x7c00 | 0x7e00);
    // Two half floats in a word: each equal, or infinite or NaN on either side.
    let halves = [(a, b), (a >> 16, b >> 16)];
    let same_halves =
        || halves.iter().all(|&(a, b)| a as u16 == b as u16 || special_half(a) && special_half(b));
    if special(a) || special(b) || same_halves() {
        return true;
    }
    // Words that are not floats of ordinary magnitude are integers.
    let usual = |x: f32| x == 0.0 || (1.0e-30..1.0e30).contains(&x.abs());
    if !usual(x) || !usual(y) {
        return false;
    }
    (x - y).abs() <= 1.0 / 1024.0 || (x - y).abs() <= x.abs().max(y.abs()) / 512.0
}
