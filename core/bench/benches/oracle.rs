//! The interpreter against a Vulkan driver: compute and fragment shaders of the corpus on inputs from seeds, as they
//! are and after passes. Says how many agree, and names those that do not.
//!
//! Each module has a process of its own: a driver that crashes or does not come to an end costs that module only.
//!
//! Skipped with a sentence where no driver that runs on the processor is installed. Left out
//! of the comparison, and counted: shaders that need more than buffers and constants (images, interpolated inputs), runs that the interpreter calls
//! undefined or endless, and bytes nobody defined. Numbers may differ as far as Vulkan lets a float operation be
//! inexact, taken generously ([`near`]); infinities and NaN are not compared, since a driver need not keep them. Where
//! the driver computes on one road what is computed here, and something else on another, it disagrees with itself.
#![allow(clippy::print_stdout)]

#[path = "oracle/device.rs"]
mod device;
#[path = "oracle/draw.rs"]
mod draw;

use ash::vk;
use device::{Device, Dispatch, Left, Work};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vitrine_bench::Corpus;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Inputs, InvocationEnd, OutKey, Outcome, Slot, run, seeded};
use vitrine_core::ir::{GlobalValue, Mode, Module, Stage, Type, TypeData};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::check::inconclusive_of;
use vitrine_core::pipeline::{Pipeline, SpirvOptions, write_spirv};

/// Seeds for each shader and road.
const SEEDS: u64 = 3;

/// Roads from a module to what both sides run.
const ROADS: [&str; 3] = ["", "ingest, O1", "structurize{faithful}, O1"];

/// Bytes a run may write in all.
const MOST_BYTES: usize = 1 << 22;

/// The most time that a module may take, driver included.
const PATIENCE: Duration = Duration::from_secs(60);

/// Counts of all runs, or of one module's runs as its process printed them.
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
    tell(&tally);
}

/// Runs a module in a process of its own, and takes in what that says.
fn elsewhere(file: &str, tally: &mut Tally) {
    let Ok(me) = std::env::current_exe() else { return };
    let child = Command::new(me).args(["--one", file]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return };
    let start = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break None,
            Ok(Some(_)) => break Some("the driver crashes"),
            Ok(None) if start.elapsed() > PATIENCE => {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                break Some("the driver does not come to an end in time");
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => break Some("its process cannot be waited for"),
        }
    };
    let mut said = String::new();
    if let Some(mut out) = child.stdout.take() {
        // Output that is no text counts as none.
        let _ = out.read_to_string(&mut said);
    }
    let before = tally.exact + tally.near + tally.differ.len();
    for line in said.lines() {
        match line.split_once('\t').unwrap_or((line, "")) {
            ("exact", _) => tally.exact += 1,
            ("near", _) => tally.near += 1,
            ("differs", what) => tally.differ.push(what.to_owned()),
            ("left", why) => *tally.left_out.entry(why.to_owned()).or_default() += 1,
            _ => {}
        }
    }
    if let Some(why) = ended {
        *tally.left_out.entry(format!("{why} ({file})")).or_default() += 1;
    }
    tally.shaders += usize::from(tally.exact + tally.near + tally.differ.len() > before);
}

fn tell(tally: &Tally) {
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

/// All entry points, roads and seeds of a module; a line for each run.
fn shader(device: &Device, corpus: &Path, file: &str) {
    let Ok(bytes) = std::fs::read(corpus.join(file)) else { return };
    let original = read(&bytes).module;
    if let Err(why) = fits(&original) {
        return println!("left\t{why}");
    }
    // By entry point and seed: what came of each road.
    let mut found: BTreeMap<(usize, u64), Vec<(String, Verdict)>> = BTreeMap::new();
    for road in ROADS {
        let Ok(module) = Pipeline::parse(road).and_then(|pipeline| pipeline.run(&original, None)) else {
            continue;
        };
        let words: Vec<u32> = match road {
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
                // All of the frame, so that the driver does not run what was never seen to end.
                inputs.rect = [0, 0, inputs.frame[0], inputs.frame[1]];
                let name = format!("{file} `{}` seed {seed} [{road}]", module.text_of(point.name));
                match compare(device, &module, &words, entry, inputs) {
                    Ok(verdict) => found.entry((entry, seed)).or_default().push((name, verdict)),
                    Err(why) => println!("left\t{}", why.replace('\n', " ")),
                }
            }
        }
    }
    let races = is_atomic(&original);
    for roads in found.into_values() {
        let agrees = roads.iter().any(|(_, verdict)| !matches!(verdict, Verdict::Differs(_)));
        for (name, verdict) in roads {
            match verdict {
                Verdict::Exact => println!("exact"),
                Verdict::Near => println!("near"),
                Verdict::Differs(_) if races => {
                    println!("left\tinvocations race for atomics, and the order shows")
                }
                Verdict::Differs(_) if agrees => println!("left\tthe driver disagrees with itself ({file})"),
                Verdict::Differs(what) => println!("differs\t{name}: {what}"),
            }
        }
    }
}

/// Ok if a module needs nothing but buffers and constants.
fn fits(module: &Module) -> Result<(), &'static str> {
    for (_, var) in module.vars() {
        match var.mode {
            Mode::Handle => return Err("it has images, samplers or the like"),
            Mode::Physical => return Err("it has physical addresses"),
            _ => {}
        }
    }
    Ok(())
}

/// `true` if the order in which invocations reach an atomic is visible: its result is used, or it stores.
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

/// One run on both sides; why it says nothing otherwise.
fn compare(
    device: &Device,
    module: &Module,
    words: &[u32],
    entry: usize,
    inputs: Inputs,
) -> Result<Verdict, String> {
    let outcome = run(module, entry, &inputs).map_err(|diag| format!("not run: {}", diag.message()))?;
    if let Some(why) = inconclusive_of(&outcome) {
        return Err(format!("the input is open: {why}"));
    }
    if !outcome.reports.list().is_empty() {
        return Err(format!("a report: {:?}", outcome.reports.list()[0].flaw));
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
        return Err("more bytes than are looked at".to_owned());
    }
    let specs = specs(module, &inputs)?;
    let point = module.entries.get(entry).ok_or("no entry point")?;
    let (work, colours) = match point.stage {
        Stage::Fragment => (Work::Frame(inputs.frame), colours(module, &point.interface)?),
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
    let after = device.run(&dispatch, &colours).map_err(|why| format!("the driver refuses: {why}"))?;
    Ok(judge(&outcome, &after, inputs.frame))
}

/// Values of specialisation constants of 32 bits or less.
fn specs(module: &Module, inputs: &Inputs) -> Result<Vec<(u32, u32)>, String> {
    let mut out = Vec::new();
    for (_, global) in module.globals() {
        let GlobalValue::Spec(bits) = global.value else { continue };
        let Some(id) = global.attrs.get(Key::SpecId) else { continue };
        let Some(&value) = inputs.specs.get(&(id as u32)) else { continue };
        if module.bits_of(bits).width().bits() > 32 {
            return Err("a specialisation constant of 64 bits".to_owned());
        }
        out.push((id as u32, value as u32));
    }
    Ok(out)
}

/// The colours a fragment shader writes, each with the format its numbers need.
fn colours(module: &Module, interface: &[vitrine_core::ir::Var]) -> Result<Vec<(u32, vk::Format)>, String> {
    let mut out = Vec::new();
    for (var, data) in module.vars().filter(|(var, _)| interface.contains(var)) {
        let located = data.attrs.get(Key::Location);
        match (data.mode, located) {
            (Mode::In, Some(_)) => return Err("it has interpolated inputs".to_owned()),
            (Mode::Out, Some(location)) => {
                let format = format(module, data.ty).ok_or("a colour that is no vector of 32 bits")?;
                if data.attrs.get(Key::Index).is_some_and(|index| index > 0) {
                    return Err("it blends two colours".to_owned());
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
fn judge(ours: &Outcome, theirs: &Left, frame: [u32; 2]) -> Verdict {
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
        for (&location, words) in &theirs.colours {
            for component in 0..4u32 {
                let Some(&there) = words.get((pixel * 4 + component) as usize) else { continue };
                let here = match invocation.end {
                    InvocationEnd::Returned => {
                        invocation.outputs.get(&OutKey::Location(location, component, 0)).copied()
                    }
                    // Pixels that are not drawn keep the clear color.
                    _ => Some(Some(0)),
                };
                // Components the shader does not write, or writes something undefined to, are open.
                let Some(Some(here)) = here else { continue };
                pairs.push((
                    format!("pixel {:?} location {location}.{component}", invocation.at),
                    here as u32,
                    there,
                ));
            }
        }
    }
    for (place, a, b) in pairs {
        if a == b {
            continue;
        }
        if !near(a, b) {
            let floats = [a, b].map(f32::from_bits);
            return Verdict::Differs(format!(
                "{place}: {a:#x} here, {b:#x} there ({:e}, {:e})",
                floats[0], floats[1]
            ));
        }
        verdict = Verdict::Near;
    }
    verdict
}

/// `true` if two words may be the same 32-bit float, computed within the precision that Vulkan asks for: transcendental
/// functions have an absolute error of 2^-11, long computations add up, so a relative 2^-9 or an absolute 2^-10.
fn near(a: u32, b: u32) -> bool {
    let [x, y] = [a, b].map(f32::from_bits);
    let special = |bits: u32| matches!(bits & 0x7fff_ffff, 0x7f80_0000 | 0x7fc0_0000);
    let special_half = |bits: u32| matches!(bits & 0x7fff, 0x7c00 | 0x7e00);
    // Two halves in a word: each the same, or infinite or no number on either side.
    let halves = [(a, b), (a >> 16, b >> 16)];
    let same_halves =
        || halves.iter().all(|&(a, b)| a as u16 == b as u16 || special_half(a) && special_half(b));
    if special(a) || special(b) || same_halves() {
        return true;
    }
    // Words that are no floats of usual size are integers.
    let usual = |x: f32| x == 0.0 || (1.0e-30..1.0e30).contains(&x.abs());
    if !usual(x) || !usual(y) {
        return false;
    }
    (x - y).abs() <= 1.0 / 1024.0 || (x - y).abs() <= x.abs().max(y.abs()) / 512.0
}
