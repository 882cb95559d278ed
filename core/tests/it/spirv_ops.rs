//! Every arithmetic and group operation, written as SPIR-V at every width and number of components, in several
//! stages. `spirv-val` judges the words for Vulkan 1.3, if it is installed; an operation that is not written is
//! refused by name, and the list of those is part of this test.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corners;
use crate::testing::spirv_val::SpirvVal;
use std::collections::BTreeSet;
use std::fmt::Write;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::ir::Level;
use vitrine_core::ops::constraint::{ComponentRule, Unknowns};
use vitrine_core::ops::{Op, OpInfo, ValueType, Width};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

/// Stages with their execution modes.
const STAGES: [(&str, &str); 3] =
    [("fragment", "origin_upper_left"), ("vertex", ""), ("compute", "local_size 1 1 1")];

/// Operations that no SPIR-V for shaders expresses exactly: with the width of the first operand.
const REFUSED: &[(&[&str], u32)] = &[
    (
        &[
            "fradians",
            "fdegrees",
            "fsin",
            "fcos",
            "ftan",
            "fasin",
            "facos",
            "fatan",
            "fatan2",
            "fsinh",
            "fcosh",
            "ftanh",
            "fasinh",
            "facosh",
            "fatanh",
            "fpow",
            "fexp",
            "fexp2",
            "flog",
            "flog2",
            "fquantize16",
            "ddx",
            "ddy",
            "fwidth",
        ],
        64,
    ),
    (&["fquantize16"], 16),
];

/// An operation with types.
struct Sample {
    op: Op,
    types: Vec<ValueType>,
    result: ValueType,
    attrs: &'static str,
}

impl Sample {
    /// A function that applies the operation to its parameters.
    fn function(&self, number: usize) -> String {
        let mut text = format!("func @{number}(");
        let params: Vec<String> =
            (0..).zip(&self.types).map(|(at, ty): (u32, _)| format!("%{at}: {ty}")).collect();
        let args: Vec<String> = (0..self.types.len()).map(|at| format!("%{at}")).collect();
        let next = self.types.len();
        let (params, args) = (params.join(", "), args.join(", "));
        let (op, result, attrs) = (self.op.name(), self.result, self.attrs);
        let _ =
            writeln!(text, "{params}) -> {result} tree {{\n^0:\n  %{next}: {result} = {op} {args}{attrs}");
        let _ = writeln!(text, "  return %{next}\n}}\n");
        text
    }

    fn name(&self) -> String {
        let types: Vec<String> = self.types.iter().map(|ty| format!("{ty}")).collect();
        format!("{} {} -> {}{}", self.op.name(), types.join(" "), self.result, self.attrs)
    }

    /// True if the list allows that the writer refuses it.
    fn may_be_refused(&self) -> bool {
        let width = self.types.first().and_then(|ty| ty.width()).map(Width::bits);
        REFUSED.iter().any(|(names, of)| names.contains(&self.op.name()) && width == Some(*of))
    }
}

/// A module whose entry point calls every function.
fn module(samples: &[&Sample], (stage, modes): (&str, &str)) -> String {
    let mut text = format!(
        "module version \"1.3\"\nmodule capability \"Shader\"\nmodule addressing \"Logical\"\nmodule memory \
         \"GLSL450\"\n\nentry {stage} \"main\" @0 () {{{modes}}}\n\nfunc @0() tree {{\n^0:\n"
    );
    if modes.is_empty() {
        text = text.replace(" {}", "");
    }
    let mut next = 0;
    for (number, sample) in samples.iter().enumerate() {
        let mut args = Vec::new();
        for ty in &sample.types {
            let _ = writeln!(text, "  %{next}: {ty} = undef");
            args.push(format!("%{next}"));
            next += 1;
        }
        let _ = writeln!(text, "  %{next}: {} = call @{}({})", sample.result, number + 1, args.join(", "));
        next += 1;
    }
    text.push_str("  return\n}\n\n");
    for (number, sample) in samples.iter().enumerate() {
        text.push_str(&sample.function(number + 1));
    }
    text
}

/// Every choice of operand types with this many components where the number is free.
pub(crate) fn typings(info: &OpInfo, components: u8) -> Vec<Vec<ValueType>> {
    let count = info.operands.len() + usize::from(info.rest.is_some());
    let mut out = vec![(Vec::new(), Unknowns::default())];
    for operand in (0..count).filter_map(|at| info.operand(at)) {
        let given = match operand.constraint.components {
            ComponentRule::Same | ComponentRule::Free => components,
            ComponentRule::Is(count) => count,
        };
        let mut longer = Vec::new();
        for (list, known) in out {
            for ty in
                corners::types().into_iter().filter(|ty| ty.components() == given && ty.width().is_some())
            {
                let mut known = known;
                if operand.constraint.admits(ty, &mut known) {
                    let mut list: Vec<ValueType> = list.clone();
                    list.push(ty);
                    longer.push((list, known));
                }
            }
        }
        out = longer;
    }
    out.into_iter().map(|(list, _)| list).collect()
}

/// Attributes that an operation needs, as text: one of each kind.
fn attributes(op: Op, is_float: bool) -> Vec<&'static str> {
    match (op.name(), is_float) {
        ("quad_swap", _) => vec![" {axis horizontal, scope subgroup}", " {axis diagonal, scope subgroup}"],
        ("ballot_count", _) => vec![" {how all, scope subgroup}", " {how exclusive, scope subgroup}"],
        ("reduce", true) => {
            vec![" {reduce fadd, how all, scope subgroup}", " {reduce fmax, how exclusive, scope subgroup}"]
        }
        ("reduce", false) => {
            vec![" {reduce iadd, how all, scope subgroup}", " {reduce ixor, how inclusive, scope subgroup}"]
        }
        ("ddx" | "ddy" | "fwidth", _) => vec!["", " {derivative fine}", " {derivative coarse}"],
        _ if op.family() == "Group" => vec![" {scope subgroup}"],
        _ => vec![""],
    }
}

fn is_tested(op: &Op) -> bool {
    // Moves of components have attributes for every shape; the round trips of the corpus write them.
    let other = ["swizzle", "shuffle", "barrier"].contains(&op.name());
    ["Float", "Int", "Convert", "Vector", "Group"].contains(&op.family()) && !other
}

/// Every operation with every choice of types that is valid.
fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for op in Op::all().filter(is_tested) {
        let info = op.info();
        for components in 1..=4 {
            for types in typings(info, components) {
                let results: Vec<ValueType> = match info.infer(&types) {
                    Some(ty) => vec![ty],
                    None => {
                        let all = corners::types().into_iter().filter(|ty| ty.components() <= 4);
                        all.filter(|&ty| info.check(ty, &types) == Ok(())).collect()
                    }
                };
                for result in results {
                    let floats = [false, true].into_iter().take(if op.name() == "reduce" { 2 } else { 1 });
                    for attrs in floats.flat_map(|is_float| attributes(op, is_float)) {
                        out.push(Sample { op, types: types.clone(), result, attrs });
                    }
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    out.retain(|sample| seen.insert(sample.name()) && is_valid(sample));
    out
}

fn is_valid(sample: &Sample) -> bool {
    let parsed = parse(&module(&[sample], STAGES[0]));
    let is_error = |diag: &vitrine_core::ir::Diag| diag.level == Level::Error;
    !parsed.diags.iter().any(is_error) && !validate(&parsed.module).iter().any(is_error)
}

fn written(samples: &[&Sample], stage: (&str, &str)) -> Result<Vec<u8>, String> {
    let parsed = parse(&module(samples, stage));
    let words = write_spirv(&parsed.module, SpirvOptions::default()).map_err(|diag| diag.to_string())?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

#[test]
fn every_operation_is_written_for_vulkan_or_refused_by_name() {
    let validator = SpirvVal::new("spirv-ops");
    let all = samples();
    let mut failed = Vec::new();
    let (mut accepted, mut refused): (Vec<&Sample>, usize) = (Vec::new(), 0);
    for sample in &all {
        match written(&[sample], STAGES[0]) {
            Ok(_) if sample.may_be_refused() => failed.push(format!("{} is not refused", sample.name())),
            Ok(_) => accepted.push(sample),
            Err(message) if sample.may_be_refused() && message.contains(sample.op.name()) => refused += 1,
            Err(message) => failed.push(format!("{}: {message}", sample.name())),
        }
    }
    let mut validated = 0;
    for stage in STAGES {
        let here = |sample: &&&Sample| {
            stage.0 == "fragment" || !["ddx", "ddy", "fwidth"].contains(&sample.op.name())
        };
        let here: Vec<&Sample> = accepted.iter().filter(here).copied().collect();
        for chunk in here.chunks(200) {
            let judge = |samples: &[&Sample]| -> Result<(), String> {
                let file = validator.folder.join("ops.spv");
                std::fs::write(&file, written(samples, stage)?).unwrap();
                if validator.installed { validator.accepts(&file, "vulkan1.3") } else { Ok(()) }
            };
            if judge(chunk).is_err() {
                for &sample in chunk {
                    if let Err(message) = judge(&[sample]) {
                        failed.push(format!("{} in {}: {message}", sample.name(), stage.0));
                    }
                }
            }
            validated += chunk.len();
        }
    }
    println!("{} typed operations: {refused} refused by name, {validated} written and judged", all.len());
    assert!(all.len() > 3000, "{}", all.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}
