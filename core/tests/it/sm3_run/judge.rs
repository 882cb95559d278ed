//! Judges a program of shader model 3 that was written for a module: both run on the same inputs, mapped by the names of
//! Direct3D, and must compute the same.
//!
//! ```text
//! module ── run ──────────────────────────────▶ outputs
//!    │        ▲ inputs by location and slot         │ by semantic, up to rounding
//!    ▼        ▼ by register and semantic            ▼
//! bytes ── front::read ── run ────────────────▶ outputs
//! ```
//!
//! Inputs are moderate, because shader model 3 computes integers as floats: floats from -4 to 4, integers from 0 to 8.
//! A seed for which the module itself does not run to its end, has undefined behavior, or computes something else when
//! the last bits of its inputs change, is inconclusive. A NaN of the module may be anything in the program. Knows nothing
//! of the back end: bytes, places of constants and samplers are arguments.

use std::collections::BTreeMap;
use std::fmt;
use vitrine_core::base::random::Random;
use vitrine_core::d3d::sm1::File;
use vitrine_core::front;
use vitrine_core::interp::image::Wrap;
use vitrine_core::interp::{
    Inputs, InvocationOutcome, OutKey, Outcome, Port, Slot, Varying, ports, run, seeded,
};
use vitrine_core::ir::{DecorTarget, Level, Mode, Module, Stage, Var};
use vitrine_core::ops::Key;
use vitrine_core::text::{parse, print_module};

/// Number of the SPIR-V decoration UserSemantic.
const USER_SEMANTIC: u32 = 5635;
/// Bytes of the buffers of float constants, and of integer or boolean constants.
const BUFFER_BYTES: [usize; 3] = [4096, 256, 256];
/// Value of inputs that the program declares and the module lacks; no result may depend on it.
const POISON: f32 = 12_345.5;
/// Differences up to this many units in the last place are rounding.
const MOST_ULP: u32 = 64;
/// Larger differences are accepted if they are small in absolute or in relative terms.
const CLOSE: (f32, f32) = (1e-4, 1e-3);

/// A 32-bit component of uniform memory, and the component of a register that holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedConstant {
    /// Set and binding of the buffer; none for push constants.
    pub(super) slot: Option<Slot>,
    /// Bytes from the start of the buffer.
    pub(super) offset: u32,
    pub(super) file: File,
    pub(super) register: u16,
    pub(super) component: u8,
    /// Set if memory holds an integer.
    pub(super) integer: bool,
}

/// A program with its interface to the module it was written for.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenProgram {
    pub(super) bytes: Vec<u8>,
    pub(super) constants: Vec<PlacedConstant>,
    /// Set and binding of each image and of the sampler it is used with, and the number of both in the program.
    pub(super) samplers: Vec<(Slot, Slot, u16)>,
}

/// The limits and the number of runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) seeds: u64,
    /// Instructions of the module in one run; the program may take 16 times as many.
    pub(super) steps: u64,
}

/// Compared values by their agreement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Agreement {
    /// The same number: equal bits, or zeros.
    pub(super) equal: usize,
    /// NaN in the module. Devices of Direct3D 9 do not define it, so the program may compute anything.
    pub(super) nan: usize,
    /// Up to 64 units in the last place apart.
    pub(super) rounded: usize,
    /// Further apart, but up to 1e-4, or up to 1e-3 of the value.
    pub(super) close: usize,
    /// The largest distance of the rounded ones in units in the last place.
    pub(super) max_ulp: u32,
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// All values are equal.
    Same(Agreement),
    /// Some values differ by rounding.
    Rounding(Agreement),
    /// A value, or the end of an invocation, differs.
    Differs(String),
    /// The back end refuses the module.
    NotWritten(String),
    /// The module itself cannot be run with any seed.
    NotRun(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Same(all) => write!(f, "same: {} values, {} NaN", all.equal, all.nan),
            Verdict::Rounding(all) => write!(
                f,
                "rounding: {} equal, {} within {} ulp, {} close, {} NaN",
                all.equal, all.rounded, all.max_ulp, all.close, all.nan
            ),
            Verdict::Differs(what) => write!(f, "differs: {what}"),
            Verdict::NotWritten(why) => write!(f, "not written: {why}"),
            Verdict::NotRun(why) => write!(f, "not run: {why}"),
        }
    }
}

/// Compares a module with a program that was written for it.
pub(super) fn compare(module: &Module, program: &WrittenProgram, effort: Effort) -> Verdict {
    let (_, read) = front::read(&program.bytes);
    if let Some(diag) = read.diags.iter().find(|diag| diag.level == Level::Error) {
        return Verdict::Differs(format!("the program cannot be read: {diag}"));
    }
    let (mut all, mut inconclusive, mut compared) = (Agreement::default(), String::new(), false);
    for seed in 0..effort.seeds {
        let inputs = moderate(module, program, effort, seed);
        match compare_run(module, &read.module, program, &inputs, &mut all) {
            Ok(()) => compared = true,
            Err(Failure::Inconclusive(why)) => inconclusive = why,
            Err(Failure::Wrong(what)) => return Verdict::Differs(format!("seed {seed}: {what}")),
        }
    }
    match (compared, all) {
        (false, _) => Verdict::NotRun(inconclusive),
        (true, Agreement { equal: 0, rounded: 0, close: 0, .. }) => {
            Verdict::NotRun("no output has a number in any invocation".to_owned())
        }
        (true, Agreement { rounded: 0, close: 0, .. }) => Verdict::Same(all),
        (true, _) => Verdict::Rounding(all),
    }
}

/// The reason why a run was not compared to its end.
pub(super) enum Failure {
    /// The module does not run to its end, or not in a defined way.
    Inconclusive(String),
    /// The results differ.
    Wrong(String),
}

/// Runs both on given inputs of the module, and adds the compared values to `all`.
pub(super) fn compare_run(
    module: &Module,
    read: &Module,
    program: &WrittenProgram,
    inputs: &Inputs,
    all: &mut Agreement,
) -> Result<(), Failure> {
    let before = run(module, 0, inputs).map_err(|diag| Failure::Inconclusive(diag.to_string()))?;
    if !before.is_complete() || !before.is_defined() {
        let first = before.reports.list().first().map_or("a limit", |report| report.ub.says());
        return Err(Failure::Inconclusive(first.to_owned()));
    }
    let mapped = mapped(module, read, program, inputs);
    let after = run(read, 0, &mapped).map_err(|diag| Failure::Wrong(format!("it cannot run: {diag}")))?;
    let result = compare_outcomes(module, read, &before, &after, all);
    result.map_err(|what| match is_chaotic(module, program, inputs, &before) {
        true => Failure::Inconclusive("the results change much with the last bit of an input".to_owned()),
        false => Failure::Wrong(what),
    })
}

/// Returns true if the results of the module are different for inputs, or for operands of sines, that differ in their
/// last bits: rounding then decides about them, as in `fract(43758.5 * sin(x))`.
fn is_chaotic(module: &Module, program: &WrittenProgram, inputs: &Inputs, before: &Outcome) -> bool {
    let differs = |module: &Module, inputs: &Inputs| {
        run(module, 0, inputs).is_ok_and(|other| {
            compare_outcomes(module, module, before, &other, &mut Agreement::default()).is_err()
        })
    };
    if differs(&with_other_angles(module), inputs) {
        return true;
    }
    (1..=4).any(|bits| {
        let mut near = inputs.clone();
        for varying in near.varyings.values_mut().filter(|varying| varying.float) {
            varying.base ^= bits;
        }
        for constant in program.constants.iter().filter(|constant| !constant.integer) {
            if let Some(byte) = word_of(&mut near, constant).and_then(|bytes| bytes.first_mut()) {
                *byte ^= bits as u8;
            }
        }
        differs(module, &near)
    })
}

/// The module with operands of sines and cosines that are larger by one unit in the last place.
fn with_other_angles(module: &Module) -> Module {
    let mut text = String::new();
    for (at, line) in print_module(module).lines().enumerate() {
        let sine = line.split_once(" = fsin %").map(|it| ("fsin", it));
        let found = sine.or_else(|| line.split_once(" = fcos %").map(|it| ("fcos", it)));
        let parts =
            found.and_then(|(op, (result, angle))| Some((op, result, result.split_once(": ")?.1, angle)));
        let Some((op, result, ty, angle)) = parts else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let (angle, rest) = angle.split_at(angle.find(' ').unwrap_or(angle.len()));
        let count: usize = ty.split_once('x').map_or(1, |(_, count)| count.parse().unwrap_or(1));
        let list = vec!["1.0000001"; count].join(", ");
        let factor = if count == 1 { list } else { format!("({list})") };
        let (first, second) = (1_000_000 + 2 * at, 1_000_001 + 2 * at);
        text.push_str(&format!(
            "  %{first}: {ty} = const {factor}\n  %{second}: {ty} = fmul %{angle}, %{first}\n"
        ));
        text.push_str(&format!("{result} = {op} %{second}{rest}\n"));
    }
    let parsed = parse(&text);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    parsed.module
}

/// Numbers from a seed.
struct Numbers(Random);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0.below(most)
    }

    /// A multiple of 1/16 from -4 to 4.
    fn float(&mut self) -> f32 {
        (self.below(129) as f32 - 64.0) / 16.0
    }
}

/// Inputs of the module: images and samplers as generated for it, other numbers moderate.
fn moderate(module: &Module, program: &WrittenProgram, effort: Effort, seed: u64) -> Inputs {
    let mut inputs = seeded(module, 0, seed);
    let mut numbers = Numbers(Random(seed ^ 0x736d_3300));
    inputs.specs.clear();
    inputs.singles.clear();
    inputs.limits.steps = effort.steps;
    (inputs.rect, inputs.vertices) = ([0, 0, 4, 4], [4, 2]);
    if seed.is_multiple_of(2) {
        // Coordinates are mostly outside of an image, where other wraps give few different texels.
        inputs.samplers.values_mut().flatten().for_each(|sampler| sampler.wrap = [Wrap::Repeat; 3]);
    }
    for constant in &program.constants {
        let word = match constant.integer {
            true => numbers.below(if constant.file == File::ConstBool { 2 } else { 9 }) as u32,
            false => numbers.float().to_bits(),
        };
        set_word(&mut inputs, constant, word);
    }
    for varying in inputs.varyings.values_mut() {
        varying.base = match varying.float {
            true => u64::from(numbers.float().to_bits()),
            false => numbers.below(9),
        };
    }
    inputs
}

/// The bytes of a constant in the inputs of the module.
fn word_of<'i>(inputs: &'i mut Inputs, constant: &PlacedConstant) -> Option<&'i mut [u8]> {
    let bytes = match constant.slot {
        Some(slot) => inputs.buffers.get_mut(&slot)?.first_mut()?,
        None => &mut inputs.push,
    };
    bytes.get_mut(constant.offset as usize..constant.offset as usize + 4)
}

/// Sets a constant in the inputs of the module.
pub(super) fn set_word(inputs: &mut Inputs, constant: &PlacedConstant, word: u32) {
    if let Some(bytes) = word_of(inputs, constant) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

/// The inputs of the program for those of the module.
fn mapped(module: &Module, read: &Module, program: &WrittenProgram, inputs: &Inputs) -> Inputs {
    let mut out = seeded(read, 0, 0);
    out.limits = inputs.limits;
    out.limits.steps = inputs.limits.steps.saturating_mul(16);
    (out.frame, out.rect, out.vertices) = (inputs.frame, inputs.rect, inputs.vertices);
    map_constants(program, inputs, &mut out);
    for (image, sampler, number) in &program.samplers {
        let own = (1, u32::from(*number));
        out.images.extend(inputs.images.get(image).map(|images| (own, images.clone())));
        out.samplers.extend(inputs.samplers.get(sampler).map(|samplers| (own, samplers.clone())));
    }
    let given: BTreeMap<(String, u32), Varying> = ports(module, 0, Mode::In)
        .iter()
        .filter_map(|port| Some((name_in(module, port)?, *inputs.varyings.get(&location_of(port)?)?)))
        .collect();
    for port in ports(read, 0, Mode::In) {
        let (Some(name), Some(location)) = (name_in(read, &port), location_of(&port)) else { continue };
        let unused = Varying { base: u64::from(POISON.to_bits()), dx: 0.0, dy: 0.0, float: true };
        let varying = given.get(&name).map_or(unused, |&varying| match varying.float {
            true => varying,
            false => {
                let value = (varying.base as u32).cast_signed() as f32;
                Varying { base: u64::from(value.to_bits()), float: true, ..varying }
            }
        });
        out.varyings.insert(location, varying);
    }
    out
}

fn map_constants(program: &WrittenProgram, inputs: &Inputs, out: &mut Inputs) {
    for (binding, bytes) in (0..).zip(BUFFER_BYTES) {
        out.buffers.insert((0, binding), vec![vec![0; bytes]]);
    }
    let mut inputs = inputs.clone();
    for constant in &program.constants {
        let word =
            word_of(&mut inputs, constant).map_or([0; 4], |bytes| [bytes[0], bytes[1], bytes[2], bytes[3]]);
        let word = u32::from_le_bytes(word);
        let (binding, word) = match constant.file {
            File::ConstInt => (1, word),
            File::ConstBool => (2, word),
            _ if constant.integer => (0, (word.cast_signed() as f32).to_bits()),
            _ => (0, word),
        };
        let start = 16 * usize::from(constant.register) + 4 * usize::from(constant.component);
        let buffer = out.buffers.get_mut(&(0, binding)).and_then(|list| list.first_mut());
        if let Some(bytes) = buffer.and_then(|bytes| bytes.get_mut(start..start + 4)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}

fn location_of(port: &Port) -> Option<(u32, u32)> {
    match port.key {
        OutKey::Location(location, component, _) => Some((location, component)),
        OutKey::BuiltIn(..) | OutKey::Payload(_) => None,
    }
}

/// The name of a component of the interface in Direct3D: its semantic and component; system values that are written in
/// every stage have a name of their own.
fn name_in(module: &Module, port: &Port) -> Option<(String, u32)> {
    let stage = module.entries.first()?.stage;
    match port.key {
        OutKey::Payload(_) => None,
        OutKey::BuiltIn(builtin, component) => Some((builtin.name().to_owned(), component)),
        OutKey::Location(location, component, _) => {
            let data = module.var(port.var)?;
            if (stage, data.mode) == (Stage::Fragment, Mode::Out) {
                return Some((format!("oC{location}"), component));
            }
            let first = data.attrs.get(Key::Location).unwrap_or(0) as u32;
            let own = semantic_of(module, port.var, location.saturating_sub(first));
            Some((own.unwrap_or_else(|| format!("TEXCOORD{location}")), component))
        }
    }
}

/// The semantic that the program states for a variable, for one of its locations.
fn semantic_of(module: &Module, var: Var, more: u32) -> Option<String> {
    let of_var = |on: DecorTarget| on == DecorTarget::Var(var);
    let decor = module.decors.iter().find(|decor| decor.number == USER_SEMANTIC && of_var(decor.on))?;
    let text = module.text_of(decor.text?).to_ascii_uppercase();
    let name = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let index: u32 =
        text.get(name.len()..).filter(|index| !index.is_empty()).map_or(Ok(0), str::parse).ok()?;
    Some(format!("{name}{}", index + more))
}

fn compare_outcomes(
    module: &Module,
    read: &Module,
    before: &Outcome,
    after: &Outcome,
    all: &mut Agreement,
) -> Result<(), String> {
    let is_float: BTreeMap<OutKey, bool> =
        ports(module, 0, Mode::Out).iter().map(|port| (port.key, port.float)).collect();
    let names = |module: &Module| -> Vec<((String, u32), OutKey)> {
        let all = ports(module, 0, Mode::Out);
        all.iter().filter_map(|port| Some((name_in(module, port)?, port.key))).collect()
    };
    let written: BTreeMap<(String, u32), OutKey> = names(read).into_iter().collect();
    for (number, first) in &before.invocations {
        let none = InvocationOutcome::default();
        let second = after.invocations.get(number).unwrap_or(&none);
        let at = first.at;
        if first.end.is_unseen() && second.end.is_unseen() {
            continue;
        }
        if first.end != second.end {
            return Err(format!("invocation {at:?} ends {:?}, then {:?}", first.end, second.end));
        }
        for (name, key) in names(module) {
            let Some(expected) = first.outputs.get(&key).copied().flatten() else { continue };
            let found = written.get(&name).and_then(|key| second.outputs.get(key).copied().flatten());
            let (register, component) = name;
            let Some(found) = found else {
                return Err(format!("invocation {at:?}: {register}[{component}] is not written"));
            };
            let found = f32::from_bits(found as u32);
            let expected = match is_float.get(&key) {
                Some(false) => (expected as u32).cast_signed() as f32,
                _ => f32::from_bits(expected as u32),
            };
            if !all.add(expected, found) {
                return Err(format!(
                    "invocation {at:?}: {register}[{component}] is {expected:?}, then {found:?}"
                ));
            }
        }
    }
    Ok(())
}

impl Agreement {
    /// Adds a pair of values. Returns false if they differ by more than rounding.
    pub(super) fn add(&mut self, expected: f32, found: f32) -> bool {
        if expected.is_nan() {
            self.nan += 1;
            return true;
        }
        if expected == found {
            self.equal += 1;
            return true;
        }
        if !expected.is_finite() || !found.is_finite() {
            return false;
        }
        let ulp = ulp_distance(expected, found);
        let apart = (f64::from(expected) - f64::from(found)).abs();
        if ulp <= MOST_ULP {
            self.rounded += 1;
            self.max_ulp = self.max_ulp.max(ulp);
        } else if apart <= f64::from(CLOSE.0) || apart <= f64::from(CLOSE.1) * f64::from(expected).abs() {
            self.close += 1;
        } else {
            return false;
        }
        true
    }
}

/// The number of floats between two finite ones.
fn ulp_distance(a: f32, b: f32) -> u32 {
    let ordered = |value: f32| {
        let bits = i64::from(value.to_bits() & 0x7fff_ffff);
        if value.is_sign_negative() { -bits } else { bits }
    };
    u32::try_from((ordered(a) - ordered(b)).abs()).unwrap_or(u32::MAX)
}

#[test]
fn values_agree_up_to_rounding() {
    let agreement = |expected: f32, found: f32| {
        let mut all = Agreement::default();
        all.add(expected, found).then_some((all.equal, all.rounded, all.close, all.max_ulp))
    };
    assert_eq!(agreement(1.0, 1.0), Some((1, 0, 0, 0)));
    assert_eq!(agreement(f32::NAN, 1.0), Some((0, 0, 0, 0)));
    assert_eq!(agreement(0.0, -0.0), Some((1, 0, 0, 0)));
    assert_eq!(agreement(1.0, 1.0 + 3.0 * f32::EPSILON), Some((0, 1, 0, 3)));
    assert_eq!(agreement(-1e-45, 1e-45), Some((0, 1, 0, 2)));
    assert_eq!(agreement(100.0, 100.05), Some((0, 0, 1, 0)));
    assert_eq!(agreement(0.0, 5e-5), Some((0, 0, 1, 0)));
    for (expected, found) in
        [(1.0, 1.01), (0.0, 1.0), (f32::INFINITY, f32::MAX), (1.0, f32::NAN), (2.0, -2.0)]
    {
        assert_eq!(agreement(expected, found), None, "{expected} {found}");
    }
}
