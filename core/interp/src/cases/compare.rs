//! Results of a run against expectations.
//!
//! Integers are exact. Floats may differ by 16 units in the last place, by a hundred-thousandth of the expected value, or
//! by the absolute tolerance of the output.

use super::bind::output_key;
use super::model::{CaseRun, ExpectedMemory, ExpectedOutput, ExpectedWord, NamedCase, NamedCaseResult};
use crate::inputs::{Inputs, slot_of};
use crate::outcome::{Bytes, Outcome};
use crate::run::run;
use vitrine_ir::Module;

/// The accepted difference in units in the last place.
const MOST_ULP: u32 = 16;

/// The accepted difference relative to the expected value.
const MOST_RELATIVE: f32 = 1e-5;

/// Differences of one output or buffer that are described; the others are counted.
const MOST_DESCRIBED: usize = 4;

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

impl NamedCase {
    /// Runs a module on the case, and compares the results of every run.
    ///
    /// # Errors
    ///
    /// A sentence if the module has no entry point of the stage, or if it cannot be run.
    pub fn judge(&self, module: &Module) -> Result<NamedCaseResult, String> {
        let entry = self.entry(module)?;
        let mut result = NamedCaseResult::default();
        for (number, (case, inputs)) in self.runs.iter().zip(self.inputs(module)?).enumerate() {
            let outcome = run(module, entry, &inputs).map_err(|diag| diag.to_string())?;
            let (wrong, checked) = case.compare(module, entry, &inputs, &outcome);
            result.wrong.extend(wrong.into_iter().map(|sentence| format!("run {number}: {sentence}")));
            result.checked += checked;
            result.outcomes.push(outcome);
        }
        Ok(result)
    }
}

impl CaseRun {
    /// The expectations that do not hold, and the number of all.
    fn compare(
        &self,
        module: &Module,
        entry: usize,
        inputs: &Inputs,
        outcome: &Outcome,
    ) -> (Vec<String>, usize) {
        let mut wrong = Vec::new();
        if !outcome.is_complete() {
            wrong.push("the run did not finish".to_owned());
        }
        for (number, invocation) in &outcome.invocations {
            match (self.discarded.contains(number), invocation.end.is_unseen()) {
                (true, false) => wrong.push(format!("invocation {number} is not discarded")),
                (false, true) => wrong.push(format!("invocation {number} is discarded")),
                (true, true) | (false, false) => {}
            }
        }
        for output in &self.outputs {
            limit(&mut wrong, self.compare_output(output, module, entry, outcome));
        }
        for memory in &self.memory {
            limit(&mut wrong, compare_memory(memory, module, inputs, outcome));
        }
        (wrong, 1 + self.outputs.len() + self.memory.len())
    }

    fn compare_output(
        &self,
        expected: &ExpectedOutput,
        module: &Module,
        entry: usize,
        outcome: &Outcome,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        for (at, &component) in expected.components.iter().enumerate() {
            let words =
                expected.values.iter().map(|words| words.as_ref().and_then(|words| words.get(at).copied()));
            let words: Vec<ExpectedWord> = words.map(|word| word.unwrap_or(ExpectedWord::Any)).collect();
            if words.iter().all(|word| *word == ExpectedWord::Any) {
                continue;
            }
            let letter = LETTERS.get(component as usize).copied().unwrap_or('?');
            let name = format!("{}.{letter}", expected.name);
            let key = output_key(module, entry, &expected.name, component);
            let is_written = outcome.invocations.values().any(|invocation| {
                key.is_some_and(|key| matches!(invocation.outputs.get(&key), Some(Some(_))))
            });
            let default = unwritten(&expected.name, component).filter(|_| !is_written);
            if key.is_none() && default.is_none() {
                wrong.push(format!("the module has no output {name}"));
                continue;
            }
            for (number, word) in (0..).zip(words) {
                let Some(invocation) = outcome.invocations.get(&number) else {
                    wrong.push(format!("{name}: there is no invocation {number}"));
                    continue;
                };
                let seen = match default {
                    Some(bits) => Some(Some(u64::from(bits))),
                    None => key.and_then(|key| invocation.outputs.get(&key).copied()),
                };
                if let Some(found) = difference(expected, word, seen) {
                    wrong.push(format!("{name} of invocation {number} {found}"));
                }
            }
        }
        wrong
    }
}

/// The bits of a component of an output that no invocation writes; none if it has no value then.
fn unwritten(name: &str, component: u32) -> Option<u32> {
    let value: f32 = match (name, component) {
        ("oD0" | "oFog", _) | ("oD1", 3) => 1.0,
        ("oD1", _) => 0.0,
        _ if name.strip_prefix("oT").is_some_and(|number| number.parse::<u8>().is_ok()) => 0.0,
        _ => return None,
    };
    Some(value.to_bits())
}

/// Appends differences: the first ones, and the number of the others.
fn limit(wrong: &mut Vec<String>, found: Vec<String>) {
    let more = found.len().saturating_sub(MOST_DESCRIBED);
    wrong.extend(found.into_iter().take(MOST_DESCRIBED));
    if more > 0 {
        wrong.push(format!("and {more} more differences of the same output"));
    }
}

/// The difference of a value from the expected one. `seen` is none if nothing was written.
fn difference(expected: &ExpectedOutput, word: ExpectedWord, seen: Option<Option<u64>>) -> Option<String> {
    if word == ExpectedWord::Any {
        return None;
    }
    let bits = match seen {
        Some(Some(bits)) => bits as u32,
        Some(None) => return Some("is undefined".to_owned()),
        None => return Some("is not written".to_owned()),
    };
    let bits = if expected.is_saturated { f32::from_bits(bits).clamp(0.0, 1.0).to_bits() } else { bits };
    let (is_same, wanted) = match word {
        ExpectedWord::Any => (true, String::new()),
        ExpectedWord::Nan => (f32::from_bits(bits).is_nan(), "a NaN".to_owned()),
        ExpectedWord::Bits(wanted) if expected.is_float => {
            (is_close(bits, wanted, expected.absolute), show(wanted, true))
        }
        ExpectedWord::Bits(wanted) => (bits == wanted, show(wanted, false)),
    };
    (!is_same).then(|| format!("is {}, not {wanted}", show(bits, expected.is_float)))
}

fn show(bits: u32, is_float: bool) -> String {
    if is_float { format!("{} ({bits:#010x})", f32::from_bits(bits)) } else { format!("{bits:#010x}") }
}

/// Bits of a float as a number that grows with its value.
fn ordered(bits: u32) -> i64 {
    if bits >> 31 == 0 { i64::from(bits) } else { -i64::from(bits & 0x7fff_ffff) }
}

/// Returns true if two floats are equal up to the tolerance.
fn is_close(seen: u32, wanted: u32, absolute: f32) -> bool {
    if seen == wanted {
        return true;
    }
    let [a, b] = [seen, wanted].map(f32::from_bits);
    if a.is_nan() || b.is_nan() {
        return false;
    }
    let most = (MOST_RELATIVE * b.abs()).max(absolute);
    ordered(seen).abs_diff(ordered(wanted)) <= u64::from(MOST_ULP)
        || a.is_finite() && b.is_finite() && (a - b).abs() <= most
}

fn compare_memory(
    expected: &ExpectedMemory,
    module: &Module,
    inputs: &Inputs,
    outcome: &Outcome,
) -> Vec<String> {
    let name = &expected.name;
    let vars = module.vars().filter(|(var, data)| data.owner.is_none() && module.name_of(*var) == *name);
    let slots: Vec<_> = vars.filter_map(|(var, _)| slot_of(module, var)).collect();
    let found = slots
        .iter()
        .find_map(|&slot| outcome.buffers.get(&(slot, 0)).or_else(|| outcome.images.get(&(slot, 0))));
    // A buffer that the entry point does not use keeps its bytes.
    let unused = || {
        let bytes = slots.iter().find_map(|slot| inputs.buffers.get(slot)?.first())?.clone();
        Some(Bytes { bytes, undefined: Vec::new() })
    };
    let Some(found) = found.cloned().or_else(unused) else {
        return vec![format!("the module has no buffer {name}")];
    };
    if found.bytes.len() != expected.bytes.len() {
        return vec![format!("{name} has {} bytes, not {}", found.bytes.len(), expected.bytes.len())];
    }
    let word = |four: &[u8]| four.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
    let words = found.bytes.chunks(4).zip(expected.bytes.chunks(4)).map(|(a, b)| (word(a), word(b)));
    let differ = words.enumerate().filter(|(_, (seen, wanted))| !is_same_word(*seen, *wanted));
    let mut wrong: Vec<String> = differ
        .map(|(at, (seen, wanted))| format!("{name} at byte {} is {seen:#010x}, not {wanted:#010x}", 4 * at))
        .collect();
    if let Some(first) = found.undefined.first() {
        wrong.push(format!("{name} is undefined at byte {first}"));
    }
    wrong
}

/// Words of a buffer have no type: they may differ like floats if the expected one is a normal float.
fn is_same_word(seen: u32, wanted: u32) -> bool {
    let exponent = wanted >> 23 & 0xff;
    let both_nan = f32::from_bits(seen).is_nan() && f32::from_bits(wanted).is_nan();
    seen == wanted || both_nan || (1..255).contains(&exponent) && seen.abs_diff(wanted) <= MOST_ULP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{Plane, StageInput};
    use vitrine_ir::Stage;
    use vitrine_text::parse;

    /// A pixel shader: `oC0 = v0 + c[1]`, discarded at the right half of the frame.
    fn shader() -> Module {
        let text = "
struct #0 {block} {
  c: [f32x4 * 2 step 16] {offset 0}
}
uniform $c_0: #0 {set 0, binding 0}
in $v0_1: f32x4 {location 1}
out $oC0_2: f32x4 {location 0}

entry fragment \"main\" @0 ($c_0, $v0_1, $oC0_2)

func @0() tree {
^0:
  %0: b32 = const 0
  %1: b32 = const 1
  %2: path = deref.var $c_0
  %3: path = deref.field %2.0
  %4: path = deref.elem %3, %1
  %5: b32x4 = load %4 {align 16}
  %6: path = deref.var $v0_1
  %7: b32x4 = load %6
  %8: b32x4 = fadd %7, %5
  %9: path = deref.var $oC0_2
  %10 = store %9, %8
  return
}
";
        let parsed = parse(text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        parsed.module
    }

    /// The case with the results x + 1.5 and 2y at the centers of pixels.
    fn case() -> NamedCase {
        let plane = |component, base: f32, slope| Plane { component, base: base.to_bits(), slope };
        let planes = vec![plane(0, 0.5, [1.0, 0.0]), plane(1, 0.0, [0.0, 2.0]), plane(2, 1.0, [0.0; 2])];
        let word = |value: f32| ExpectedWord::Bits(value.to_bits());
        let places = (0..2).flat_map(|y| (0..4).map(move |x| [x as f32 + 0.5, y as f32 + 0.5]));
        let values = places.map(|[x, y]| Some(vec![word(x + 1.5), word(2.0 * y), word(-2.0), word(0.25)]));
        let output = ExpectedOutput {
            name: "oC0".to_owned(),
            is_float: true,
            components: vec![0, 1, 2, 3],
            is_saturated: false,
            absolute: 0.0,
            values: values.collect(),
        };
        let rows = [(1, [1.0_f32, 0.0, -3.0, 0.25]), (7, [9.0; 4])];
        let run = CaseRun {
            inputs: vec![StageInput { name: "v0".to_owned(), is_float: true, planes }],
            constants: rows.map(|(row, words)| (("c".to_owned(), row), words.map(f32::to_bits))).into(),
            outputs: vec![output],
            ..CaseRun::default()
        };
        let [module, kind] = ["a test", "d3dbc"].map(str::to_owned);
        NamedCase { module, kind, stage: Stage::Fragment, agreed_by: Vec::new(), runs: vec![run] }
    }

    #[test]
    fn a_case_that_holds_has_no_differences() {
        let result = case().judge(&shader()).expect("the module runs");
        assert_eq!(result.wrong, Vec::<String>::new());
        assert_eq!((result.checked, result.outcomes.len()), (2, 1));
    }

    #[test]
    fn differences_name_output_invocation_and_values() {
        let mut case = case();
        let values = &mut case.runs[0].outputs[0].values;
        let mut set = |invocation: usize, component: usize, word| {
            values[invocation].as_mut().expect("there are values")[component] = word;
        };
        set(5, 1, ExpectedWord::Bits(2.0_f32.to_bits()));
        set(6, 1, ExpectedWord::Any);
        set(0, 2, ExpectedWord::Nan);
        values[7] = None;
        case.runs[0].discarded.insert(3);
        let result = case.judge(&shader()).expect("the module runs");
        let expected = [
            "run 0: invocation 3 is not discarded",
            "run 0: oC0.y of invocation 5 is 3 (0x40400000), not 2 (0x40000000)",
            "run 0: oC0.z of invocation 0 is -2 (0xc0000000), not a NaN",
        ];
        assert_eq!(result.wrong, expected);
    }

    #[test]
    fn a_missing_output_is_a_difference_unless_it_has_a_default() {
        let mut case = case();
        let output = case.runs[0].outputs[0].clone();
        let one = vec![Some(vec![ExpectedWord::Bits(1.0_f32.to_bits()); 4]); 8];
        case.runs[0].outputs.push(ExpectedOutput {
            name: "oD0".to_owned(),
            values: one.clone(),
            ..output.clone()
        });
        assert_eq!(case.judge(&shader()).expect("the module runs").wrong, Vec::<String>::new());
        case.runs[0].outputs.push(ExpectedOutput { name: "o7".to_owned(), values: one, ..output });
        let wrong = case.judge(&shader()).expect("the module runs").wrong;
        assert_eq!(wrong.first().map(String::as_str), Some("run 0: the module has no output o7.x"));
    }

    #[test]
    fn floats_are_compared_with_a_tolerance() {
        let bits = |value: f32| value.to_bits();
        assert!(is_close(bits(1.0) + 16, bits(1.0), 0.0));
        assert!(is_close(bits(1.0) + 80, bits(1.0), 0.0), "a hundred-thousandth is 84 units");
        assert!(!is_close(bits(1.0) + 90, bits(1.0), 0.0));
        assert!(is_close(bits(-0.0), bits(0.0), 0.0));
        assert!(is_close(bits(1e-7), bits(0.0), 1e-6) && !is_close(bits(1e-7), bits(0.0), 0.0));
        assert!(!is_close(bits(f32::NAN), bits(1.0), f32::INFINITY));
        assert!(!is_close(bits(f32::INFINITY), bits(1.0), 0.0));
    }
}
