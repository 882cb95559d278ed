//! Generated atomics: every operation on every type of number that it may have, in every kind of memory, with every scope and
//! order.
//!
//! A sample is a function with a variable of its own: the atomic yields what the memory held, and the memory is read after it.

use super::lines::{Domain, Form, HEAD, Lines, WORDS, is_valid};
use std::fmt::Write;
use vitrine_core::ops::{ValueType, Width};

/// The word of a number type, its width, and the format of images of it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Number {
    word: &'static str,
    width: Width,
    is_float: bool,
    format: Option<&'static str>,
}

const NUMBERS: [Number; 7] = [
    Number { word: "u32", width: Width::W32, is_float: false, format: Some("r32ui") },
    Number { word: "i32", width: Width::W32, is_float: false, format: Some("r32i") },
    Number { word: "f32", width: Width::W32, is_float: true, format: Some("r32f") },
    Number { word: "u64", width: Width::W64, is_float: false, format: Some("r64ui") },
    Number { word: "i64", width: Width::W64, is_float: false, format: Some("r64i") },
    Number { word: "f16", width: Width::W16, is_float: true, format: None },
    Number { word: "f64", width: Width::W64, is_float: true, format: None },
];

/// The combining operations.
const INTEGERS: [&str; 10] =
    ["iadd", "isub", "imin", "umin", "imax", "umax", "iand", "ior", "ixor", "exchange"];
const FLOATS: [&str; 4] = ["fadd", "fmin", "fmax", "exchange"];

/// The memory of an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    Storage,
    Shared,
    Image,
}

impl Memory {
    const ALL: [Memory; 3] = [Memory::Storage, Memory::Shared, Memory::Image];

    /// The word of an order for the memory.
    fn order(self) -> &'static str {
        match self {
            Memory::Storage => "uniform_memory",
            Memory::Shared => "workgroup_memory",
            Memory::Image => "image_memory",
        }
    }
}

/// What an atomic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Load,
    Store,
    Combine(&'static str),
    CompareExchange,
}

/// Scopes and directions of the first number; others have the first two of them.
const ORDERS: [(&str, &str); 12] = [
    ("device", ""),
    ("device", "acq_rel"),
    ("device", "acquire"),
    ("device", "release"),
    ("device", "seq_cst"),
    ("workgroup", ""),
    ("workgroup", "acq_rel"),
    ("subgroup", "acq_rel"),
    ("invocation", "acq_rel"),
    ("queue_family", "acq_rel"),
    ("cross_device", "acq_rel"),
    ("cross_device", ""),
];

/// An atomic on a variable of its own.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    action: Action,
    number: Number,
    memory: Memory,
    scope: &'static str,
    direction: &'static str,
}

impl Sample {
    pub(crate) fn name(&self) -> String {
        let action = match self.action {
            Action::Load => "load",
            Action::Store => "store",
            Action::Combine(op) => op,
            Action::CompareExchange => "compare exchange",
        };
        let direction = if self.direction.is_empty() { "relaxed" } else { self.direction };
        format!("{action} {} {:?}, {} {direction}", self.number.word, self.memory, self.scope)
    }

    /// The direction that the operation may have.
    fn is_permitted(&self) -> bool {
        match self.action {
            Action::Load => matches!(self.direction, "" | "acquire"),
            Action::Store => matches!(self.direction, "" | "release"),
            Action::Combine(_) | Action::CompareExchange => true,
        }
    }

    /// The structure and the declaration of the variable with this number.
    fn declared(&self, number: usize, binding: usize, structure: usize) -> (String, String) {
        let word = self.number.word;
        match self.memory {
            Memory::Storage => (
                format!("struct #It_{structure} {{block}} {{\n  it: {word} {{offset 0}}\n}}\n\n"),
                format!("storage $it_{number}: #It_{structure} {{set 0, binding {binding}}}\n"),
            ),
            Memory::Shared => (String::new(), format!("shared $it_{number}: {word}\n")),
            Memory::Image => {
                let format = self.number.format.unwrap_or_default();
                let ty = format!("image<2d {word} storage {format}>");
                (String::new(), format!("handle $it_{number}: {ty} {{set 0, binding {binding}}}\n"))
            }
        }
    }

    fn attrs(&self, more: &str) -> String {
        let order = match self.direction {
            "" => String::new(),
            direction => format!(", order {direction}+{}", self.memory.order()),
        };
        format!("{{scope {}{order}{more}}}", self.scope)
    }

    /// The path or the pointer of the memory.
    fn place(&self, lines: &mut Lines, var: usize) -> usize {
        let path = lines.inst("path", &format!("deref.var ${var}"));
        match self.memory {
            Memory::Storage => lines.inst("path", &format!("deref.field %{path}.0")),
            Memory::Shared => path,
            Memory::Image => {
                let coord = lines.inst("b32x2", "const (0, 0)");
                let sample = lines.inst("b32", "const 0");
                lines.inst("ptr", &format!("ptr.texel %{path}, %{coord}, %{sample}"))
            }
        }
    }

    /// The function with this number, on the variable with that one.
    fn function(&self, form: Form, number: usize, var: usize) -> String {
        let mut lines = Lines::new(form, number * 5);
        let _ = writeln!(lines.text, "func @{number}() tree {{\n^0:");
        let Number { width, is_float, .. } = self.number;
        let ty = format!("b{}", width.bits());
        let domain = if is_float { Domain::Unit } else { Domain::Any };
        let place = self.place(&mut lines, var);
        if self.memory == Memory::Shared {
            let first = lines.component(width, is_float, domain);
            lines.store(place, first);
        }
        let first_word = (number - 1) * WORDS;
        let mut old = None;
        match self.action {
            Action::Load => {
                old = Some(lines.inst(&ty, &format!("atomic_load %{place} {}", self.attrs(""))));
            }
            Action::Store => {
                let value = lines.component(width, is_float, domain);
                let _ = writeln!(lines.text, "  atomic_store %{place}, %{value} {}", self.attrs(""));
            }
            Action::Combine(op) => {
                let value = lines.component(width, is_float, domain);
                let attrs = self.attrs(&format!(", atomic {op}"));
                old = Some(lines.inst(&ty, &format!("atomic %{place}, %{value} {attrs}")));
            }
            Action::CompareExchange => {
                // Equal in some runs, and not in others.
                let held = lines.inst(&ty, &format!("atomic_load %{place} {{scope device}}"));
                let difference = lines.component(width, false, Domain::Below(2));
                let expected = lines.inst(&ty, &format!("iadd %{held}, %{difference}"));
                let value = lines.component(width, false, domain);
                let attrs = self.attrs("");
                old = Some(lines.inst(&ty, &format!("atomic_cas %{place}, %{expected}, %{value} {attrs}")));
            }
        }
        if let Some(old) = old {
            lines.result(ValueType::bits(width, 1), old, is_float, first_word);
        }
        let last = lines.inst(&ty, &format!("atomic_load %{place} {{scope device}}"));
        lines.result(ValueType::bits(width, 1), last, is_float, first_word + 2);
        lines.text.push_str("  return\n}\n\n");
        lines.text
    }
}

/// A compute shader that calls the function of each sample.
pub(crate) fn module(samples: &[&Sample], form: Form) -> String {
    let (mut structs, mut vars, mut others) = (String::new(), String::new(), String::new());
    let mut structures = form.structures();
    for (at, sample) in samples.iter().enumerate() {
        let number = form.first_variable() + at;
        let (structure, var) = sample.declared(number, number, structures);
        structures += usize::from(!structure.is_empty());
        structs.push_str(&structure);
        vars.push_str(&var);
        let _ = write!(others, ", $it_{number}");
    }
    let variables = form.variables(samples.len());
    let mut text = format!("{HEAD}{structs}{variables}{vars}\n{}", form.entry(&others));
    text.push_str(&form.main(samples.len()));
    for (at, sample) in samples.iter().enumerate() {
        text.push_str(&sample.function(form, at + 1, form.first_variable() + at));
    }
    text
}

/// Every atomic.
pub(crate) fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for number in NUMBERS {
        let combined: Vec<Action> = match number.is_float {
            true => FLOATS.map(Action::Combine).to_vec(),
            false => INTEGERS.map(Action::Combine).into_iter().chain([Action::CompareExchange]).collect(),
        };
        let orders = if number.word == "u32" { &ORDERS[..] } else { &ORDERS[..2] };
        for action in combined.into_iter().chain([Action::Load, Action::Store]) {
            for memory in Memory::ALL {
                for &(scope, direction) in orders {
                    let sample = Sample { action, number, memory, scope, direction };
                    let has_memory = memory != Memory::Image || number.format.is_some();
                    // Some types are added to only.
                    if has_memory && sample.is_permitted() && is_valid(&module(&[&sample], Form::Compute)) {
                        out.push(sample);
                    }
                }
            }
        }
    }
    out
}

#[test]
fn every_action_has_atomics_in_every_memory() {
    let samples = samples();
    for sample in &samples {
        for memory in Memory::ALL {
            let is_float_range = matches!(sample.action, Action::Combine("fmin" | "fmax"));
            let has_any = samples.iter().any(|it| it.action == sample.action && it.memory == memory);
            assert!(has_any || is_float_range, "{} has none in {memory:?}", sample.name());
        }
    }
    assert!(samples.len() > 600, "{}", samples.len());
}
