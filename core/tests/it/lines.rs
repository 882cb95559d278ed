//! Source lines: the share of instructions, of statements with effects and of terminators that keep theirs, after each
//! pass, after the presets, in SPIR-V that is written and read again, and in every text.
//!
//! The shaders are WGSL of this file, compiled by naga, and the GLSL of the own corpus, compiled by glslangValidator if it is
//! installed.
#![allow(clippy::print_stdout)] // the table of shares is output

mod debugger; // steps by lines
mod scopes; // the debug table

use crate::testing::corpus::own;
use crate::testing::glslang::Glslang;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::BTreeMap;
use std::fs;
use vitrine_core::back::{Source, named};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{FuncBody, Inst, Module, Stop, Terminator};
use vitrine_core::ops::{BasicOp, DerefOp, Op, PtrOp};
use vitrine_core::pipeline::{Outcome, PASSES, Pipeline, Settings, write, write_with_lines};

/// A loop over a buffer, with a function, a branch and an early exit.
pub(crate) const LOOP: &str = "struct Data { count: u32, values: array<f32> }

@group(0) @binding(0) var<storage, read_write> data: Data;

fn weight(x: f32, i: u32) -> f32 {
    let scale = 1.0 / f32(i + 1u);
    return x * scale;
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var i = 0u; i < data.count; i = i + 1u) {
        let value = data.values[i];
        if (value < 0.0) {
            continue;
        }
        sum = sum + weight(value, i);
        if (sum > 100.0) {
            break;
        }
    }
    data.values[id.x] = sum;
}
";

/// A picture with vectors, a matrix, a switch and a discard.
const PICTURE: &str = "struct Camera { view: mat4x4<f32>, mode: i32 }

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;

fn tone(color: vec3<f32>) -> vec3<f32> {
    let lit = color / (color + vec3<f32>(1.0));
    return pow(lit, vec3<f32>(0.4545));
}

@fragment
fn main(@location(0) uv: vec2<f32>, @location(1) normal: vec3<f32>) -> @location(0) vec4<f32> {
    let color = textureSample(picture, smooth_sampler, uv);
    if (color.a < 0.5) {
        discard;
    }
    let facing = camera.view * vec4<f32>(normal, 0.0);
    var shade = 0.0;
    switch camera.mode {
        case 0: {
            shade = max(facing.z, 0.0);
        }
        case 1: {
            shade = abs(facing.z);
        }
        default: {
            shade = 1.0;
        }
    }
    return vec4<f32>(tone(color.rgb * shade), color.a);
}
";

/// The SPIR-V of WGSL, with lines and the source.
pub(crate) fn wgsl(text: &str) -> Vec<u8> {
    let module = naga::front::wgsl::parse_str(text).expect("the shader is correct");
    let info =
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).expect("it is valid");
    let debug =
        spv::DebugInfo { source_code: text, file_name: "shader.wgsl", language: spv::SourceLanguage::WGSL };
    let options = spv::Options {
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(debug),
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let words = spv::write_vec(&module, &info, &options, None).expect("it can be written");
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Shaders with lines, and whether these are all: without glslang they are too few for shares.
fn shaders(test: &str) -> (Vec<(String, Module)>, bool) {
    let mut all = vec![
        ("loop.wgsl".to_owned(), read(&wgsl(LOOP)).module),
        ("picture.wgsl".to_owned(), read(&wgsl(PICTURE)).module),
    ];
    let glslang = Glslang::new(test);
    if !glslang.installed {
        return (all, false);
    }
    for folder in ["control", "memory", "values", "stages"] {
        let mut files: Vec<_> =
            fs::read_dir(own().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for path in files {
            let stage = path.extension().map_or("", |end| end.to_str().unwrap_or(""));
            if !["comp", "frag", "vert"].contains(&stage) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let words = glslang.compile_with(&text, stage, &["-g"]);
            let words = words.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            all.push((name, read(&words).module));
        }
    }
    (all, true)
}

/// Numbers of things, each with the number of those that have a line.
#[derive(Clone, Copy, Default, Debug)]
struct Shares {
    insts: [usize; 2],
    effects: [usize; 2],
    ends: [usize; 2],
}

impl Shares {
    fn add(&mut self, other: Shares) {
        for (own, more) in
            [(&mut self.insts, other.insts), (&mut self.effects, other.effects), (&mut self.ends, other.ends)]
        {
            own[0] += more[0];
            own[1] += more[1];
        }
    }
}

fn percent([all, with]: [usize; 2]) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * with as f64 / all as f64 }
}

/// A value that does not belong to one place of the source: a constant, a parameter, the address of a variable.
fn is_shared(body: &FuncBody, inst: Inst) -> bool {
    matches!(
        body.inst(inst).op,
        Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef | BasicOp::Param)
            | Op::Deref(DerefOp::Var)
            | Op::Ptr(PtrOp::Var)
    )
}

fn shares(module: &Module) -> Shares {
    let mut shares = Shares::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            if is_shared(body, inst) {
                return;
            }
            let has = usize::from(body.origin(inst).line > 0);
            shares.insts[0] += 1;
            shares.insts[1] += has;
            if !body.inst(inst).op.props().removable() {
                shares.effects[0] += 1;
                shares.effects[1] += has;
            }
        });
        for block in body.blocks_in_order() {
            // An implicit return, and what only the structure needs, are not in the source.
            if matches!(body.terminator(block), Terminator::Return(Some(_)) | Terminator::Stop(Stop::Discard))
            {
                shares.ends[0] += 1;
                shares.ends[1] += usize::from(body.end_origin(block).line > 0);
            }
        }
    }
    shares
}

fn run(module: &Module, pipeline: &str) -> Option<Module> {
    let pipeline = Pipeline::parse(pipeline).expect("a pipeline of this file");
    let trace = pipeline.trace(module, Settings { validate: false, ..Settings::default() });
    let is_changed = trace.steps.iter().any(|step| step.outcome == Outcome::Changed);
    is_changed.then(|| trace.last().clone())
}

/// Forms of a program in which passes run.
const FORMS: [&str; 6] =
    ["", "structurize{imported}", "ingest", "ingest, O2", "ingest, qptr-lower", "ingest, values-to-regs"];

/// The share of `after` that has lines, compared with that of `before`, of which front ends leave some without.
fn kept(before: [usize; 2], after: [usize; 2]) -> f64 {
    100.0 * percent(after) / percent(before).max(1.0)
}

/// Passes that keep fewer: they create code in new blocks, or for what has no line in the source, such as initializers and
/// constants.
const BELOW: [&str; 6] = [
    "discard-to-demote",
    "io-to-temporaries",
    "lower-exits",
    "lower-switch",
    "lower-variable-initializers",
    "spec-ops-to-values",
];

#[test]
fn every_pass_keeps_the_lines_of_at_least_95_percent() {
    let mut all: BTreeMap<&str, [Shares; 2]> = BTreeMap::new();
    let (shaders, is_whole) = shaders("lines-passes");
    for (name, module) in shaders {
        let input = shares(&module);
        assert!(percent(input.insts) >= 85.0, "{name}: {input:?}");
        for form in FORMS {
            let Some(start) = (if form.is_empty() { Some(module.clone()) } else { run(&module, form) })
            else {
                continue;
            };
            for pass in PASSES {
                if let Some(after) = run(&start, pass.name) {
                    let [sum_before, sum_after] = all.entry(pass.name).or_default();
                    sum_before.add(shares(&start));
                    sum_after.add(shares(&after));
                }
            }
        }
        for preset in ["ingest, O1", "ingest, O2"] {
            let after = run(&module, preset).unwrap_or_else(|| module.clone());
            let [sum_before, sum_after] = all.entry(preset).or_default();
            sum_before.add(input);
            sum_after.add(shares(&after));
        }
    }
    let mut low = Vec::new();
    for (pass, [before, after]) in &all {
        let insts = kept(before.insts, after.insts);
        let effects = kept(before.effects, after.effects);
        let ends = kept(before.ends, after.ends);
        println!(
            "{pass}: {insts:.1} % of {}, {effects:.1} % of {} with effects, {ends:.1} % of {} ends",
            after.insts[0], after.effects[0], after.ends[0]
        );
        // Of the few ends that are in a source, many have no line in the input.
        if (insts < 95.0 || effects < 95.0) && !BELOW.contains(pass) {
            low.push(*pass);
        }
    }
    assert!(low.is_empty() || !is_whole, "these lose lines: {low:?}");
    assert!(all.len() >= 40 || !is_whole, "only {} passes changed a shader", all.len());
}

#[test]
fn spirv_that_is_written_has_the_same_lines() {
    for (name, module) in shaders("lines-spirv").0.into_iter().take(24) {
        let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
        let written = write(&Source::new(&module, &funcs), named("spirv").unwrap(), false);
        let again = read(&written.unwrap_or_else(|diags| panic!("{name}: {diags:?}")).bytes).module;
        let counts = |module: &Module| {
            let mut lines: BTreeMap<u32, usize> = BTreeMap::new();
            for (_, body) in module.funcs() {
                body.for_each_inst(|_, inst| {
                    if !body.inst(inst).op.props().removable() {
                        *lines.entry(body.origin(inst).line).or_default() += 1;
                    }
                });
            }
            lines
        };
        assert_eq!(counts(&module), counts(&again), "{name}");
    }
}

/// The languages, with the share of statements that have a line at least.
const TEXTS: [&str; 6] = ["glsl", "essl", "essl-310", "wgsl", "hlsl", "msl"];

#[test]
fn statements_of_every_text_have_lines() {
    let mut all: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut missing = Vec::new();
    let (shaders, is_whole) = shaders("lines-texts");
    for (name, module) in shaders {
        let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
        for language in TEXTS {
            // Some shaders need what a language does not have.
            let result = write_with_lines(&Source::new(&module, &funcs), named(language).unwrap(), false);
            let Ok((written, lines)) = result else { continue };
            let text = written.into_text();
            let of = |line: u32| text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            let statements = lines.iter().filter(|source| of(source.line).ends_with([';', '{']));
            let counts = all.entry(language).or_default();
            for source in statements {
                counts[0] += 1;
                counts[1] += usize::from(source.origin.line > 0);
                if source.origin.line == 0 && missing.len() < 60 {
                    missing.push(format!("{name} {language}: {}", of(source.line)));
                }
            }
        }
    }
    println!("{all:?}\n{}", missing.join("\n"));
    for language in TEXTS {
        let counts = all[language];
        assert!((counts[0] > 20 || !is_whole) && percent(counts) >= 95.0, "{language}: {counts:?}");
    }
}

#[test]
fn a_statement_of_a_text_has_the_line_of_its_source() {
    let module = read(&wgsl(LOOP)).module;
    let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
    let (written, lines) =
        write_with_lines(&Source::new(&module, &funcs), named("glsl").unwrap(), false).unwrap();
    let text = written.into_text();
    let source: Vec<&str> = LOOP.lines().collect();
    let line_of = |word: &str| {
        let at =
            text.lines().position(|line| line.contains(word)).unwrap_or_else(|| panic!("{word}: {text}"));
        let found = lines.iter().find(|of| of.line as usize == at + 1);
        source[found.map_or(0, |of| of.origin.line as usize) - 1].trim()
    };
    // The value of another line is written at its use.
    assert_eq!(line_of("1.0 /"), "return x * scale;");
    assert_eq!(line_of("< 0.0"), "if (value < 0.0) {");
    assert_eq!(line_of("> 100.0"), "if (sum > 100.0) {");
}
