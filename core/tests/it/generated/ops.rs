//! Generated operations: every arithmetic, conversion, vector and group operation of the table, at every width and number of
//! components, on values computed from a buffer, on constants, and on members of a buffer of the operands' types.
//!
//! A sample is a function that makes its operands, applies the operation, and stores the result. Samples of one module are
//! called one after the other. Operands from buffers stay where the result is defined; constants are corner cases, of which
//! the result may be undefined: the text must be accepted all the same.

use super::lines::{Domain, Form, HEAD, Lines, WORDS, is_valid};
use crate::testing::corners::{self, Draw};
use std::fmt::Write;
use vitrine_core::ops::constraint::{ComponentRule, Unknowns, ValueClass};
use vitrine_core::ops::{Op, OpInfo, ValueType, Width};

/// The source of the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operands {
    Loaded,
    Constant,
    /// The first one is loaded.
    FirstLoaded,
    /// The last one is loaded.
    LastLoaded,
    /// Each is a member of a buffer of the sample's own, and has any value.
    Member,
}

impl Operands {
    const ALL: [Operands; 5] =
        [Operands::Loaded, Operands::Constant, Operands::FirstLoaded, Operands::LastLoaded, Operands::Member];

    fn is_loaded(self, at: usize, count: usize) -> bool {
        match self {
            Operands::Loaded | Operands::Member => true,
            Operands::Constant => false,
            Operands::FirstLoaded => at == 0,
            Operands::LastLoaded => at + 1 == count,
        }
    }
}

/// An operation with types and the source of its operands.
#[derive(Clone)]
pub(crate) struct Sample {
    op: Op,
    types: Vec<ValueType>,
    result: ValueType,
    attrs: &'static str,
    operands: Operands,
    /// Bits whose kind the operation leaves open are floats.
    is_float: bool,
}

/// The values of operand `at` for which the result is defined and as exact as others compute it.
fn domain(op: Op, at: usize, operand: Option<Width>, result: ValueType) -> Domain {
    let width = result.width().map_or(32, Width::bits);
    match (op.name(), at) {
        ("idiv" | "udiv" | "irem" | "imod" | "umod", 1) => Domain::Divisor,
        // The smallest number has no positive counterpart.
        ("idiv" | "irem" | "imod", 0) => Domain::Below(16),
        ("ishl" | "ishr" | "ushr" | "rotl" | "rotr", 1) => Domain::Below(width.min(16)),
        ("ubfe" | "ibfe", 1 | 2) | ("bfi", 2 | 3) => Domain::Below(width.min(32) / 2),
        ("fldexp", 1) => Domain::Below(8),
        ("extract", 1) | ("insert", 2) => Domain::Below(1),
        ("fasin" | "facos" | "fatanh" | "fsmoothstep" | "fmix" | "frefract", _) => Domain::Unit,
        ("facosh" | "flog" | "flog2" | "fpow" | "frsq" | "fsqrt" | "fdiv" | "frcp" | "frem" | "fmod", _) => {
            Domain::AboveOne
        }
        (
            "fexp" | "fexp2" | "fsin" | "fcos" | "ftan" | "fatan" | "fatan2" | "fsinh" | "fcosh" | "ftanh",
            _,
        ) => Domain::AboveOne,
        ("fasinh" | "fnormalize" | "flength" | "fdistance" | "freflect" | "ffaceforward", _) => Domain::Unit,
        // Numbers that every width of the operand and of the result has.
        ("f2i" | "f2u", _) => Domain::UpTo(match (result.width(), operand) {
            (Some(Width::W8), _) => 90,
            (Some(Width::W16), _) | (_, Some(Width::W16)) => 30_000,
            _ => 1 << 30,
        }),
        _ => Domain::Any,
    }
}

impl Sample {
    pub(crate) fn name(&self) -> String {
        let types: Vec<String> = self.types.iter().map(|ty| format!("{ty}")).collect();
        let kind = if self.is_float { " of floats" } else { "" };
        let (op, result) = (self.op.name(), self.result);
        format!("{op} {} -> {result}{}{kind}, {:?}", types.join(" "), self.attrs, self.operands)
    }

    /// The result is the same wherever it is computed. Corner cases of floats are not: compilers fold them with other
    /// precision, and operations such as `fmod` inherit the error of a quotient.
    pub(crate) fn is_compared(&self) -> bool {
        let is_clamp = matches!(self.op.name(), "iclamp" | "uclamp");
        self.operands == Operands::Loaded || ["Int", "Group"].contains(&self.op.family()) && !is_clamp
    }

    fn is_float_at(&self, at: usize) -> bool {
        let info = self.op.info();
        let width = self.types[at].width().unwrap_or(Width::W32);
        let accepts =
            |width| info.operand(at).is_some_and(|operand| operand.constraint.widths.contains(width));
        match (accepts(Width::W1), accepts(Width::W8)) {
            (false, false) => true,
            (false, true) => info.operand(at).is_some_and(|it| it.name == "a") && is_packed_float(self.op),
            (true, true) => self.is_float && width.has_floats(),
            (true, false) => false,
        }
    }

    fn is_float_result(&self) -> bool {
        let widths = self.op.info().result.widths;
        let width = self.result.width().unwrap_or(Width::W32);
        // Fractions are floats, which bits of any width hold.
        if self.op.name().starts_with("unpack_") && self.op.name().contains("norm") {
            return true;
        }
        match (widths.contains(Width::W1), widths.contains(Width::W8)) {
            (false, false) => true,
            (false, true) | (true, false) => false,
            (true, true) => self.is_float && width.has_floats(),
        }
    }

    /// The structure and the buffer of operands, with these numbers. `None` if operands are no members.
    fn members(&self, form: Form, structure: usize, var: usize) -> Option<String> {
        if self.operands != Operands::Member {
            return None;
        }
        let mut out = format!("struct #Members_{structure} {{block}} {{\n");
        for (at, ty) in self.types.iter().enumerate() {
            let ValueType::Bits { width, components } = *ty else { continue };
            let kind = if self.is_float_at(at) { "f" } else { ["u", "i"][at % 2] };
            let vector = if components > 1 { format!("x{components}") } else { String::new() };
            let _ = writeln!(out, "  m{at}: {kind}{}{vector} {{offset {}}}", width.bits(), at * 32);
        }
        // Half of the samples read memory that may be written.
        let is_storage = form == Form::Compute && self.name().len().is_multiple_of(2);
        let mode = if is_storage { "storage" } else { "uniform" };
        let _ = write!(out, "}}\n\n{mode} $members_{var}: #Members_{structure} {{set 0, binding {var}}}\n");
        Some(out)
    }

    /// The function with this number, which stores its result there. Members are those of that variable.
    fn function(&self, number: usize, form: Form, var: usize) -> String {
        let mut lines = Lines::new(form, number * 5);
        let _ = writeln!(lines.text, "func @{number}() tree {{\n^0:");
        let mut draw = Draw::new(&self.name());
        let mut args = Vec::new();
        for (at, &ty) in self.types.iter().enumerate() {
            let ValueType::Bits { width, components } = ty else { continue };
            let is_index = self.op.family() == "Group" && at == 1;
            if is_index {
                args.push(lines.inst(&format!("{ty}"), "const 1"));
                continue;
            }
            if !self.operands.is_loaded(at, self.types.len()) {
                let bits = draw.value(ty);
                let words: Vec<String> = (0..components)
                    .map(|component| {
                        let bits = bits.component(component.into()).bits();
                        let is_bool = width == Width::W1;
                        if is_bool { (bits == 1).to_string() } else { format!("{bits:#x}") }
                    })
                    .collect();
                let listed = words.join(", ");
                let value = if components == 1 { listed } else { format!("({listed})") };
                args.push(lines.inst(&format!("{ty}"), &format!("const {value}")));
                continue;
            }
            let domain = domain(self.op, at, ty.width(), self.result);
            if self.operands == Operands::Member {
                let buffer = lines.inst("path", &format!("deref.var ${var}"));
                let member = lines.inst("path", &format!("deref.field %{buffer}.{at}"));
                args.push(lines.inst(&format!("{ty}"), &format!("load %{member}")));
                continue;
            }
            let is_float = self.is_float_at(at);
            let parts: Vec<usize> =
                (0..components).map(|_| lines.component(width, is_float, domain)).collect();
            args.push(match parts.as_slice() {
                [one] => *one,
                all => {
                    let all: Vec<String> = all.iter().map(|part| format!("%{part}")).collect();
                    lines.inst(&format!("{ty}"), &format!("vec {}", all.join(", ")))
                }
            });
        }
        self.order_bounds(&mut lines, &mut args);
        let listed: Vec<String> = args.iter().map(|arg| format!("%{arg}")).collect();
        let inst = format!("{} {}{}", self.op.name(), listed.join(", "), self.attrs);
        let value = lines.inst(&format!("{}", self.result), inst.trim_end());
        lines.result(self.result, value, self.is_float_result(), (number - 1) * WORDS);
        lines.text.push_str("  return\n}\n\n");
        lines.text
    }

    /// Bounds and edges from buffers are in order, as their operations require.
    fn order_bounds(&self, lines: &mut Lines, args: &mut [usize]) {
        if self.operands != Operands::Loaded {
            return;
        }
        let ty = format!("{}", self.result);
        match self.op.name() {
            clamp @ ("fclamp" | "fnclamp" | "iclamp" | "uclamp") => {
                let max = if clamp.starts_with('f') {
                    "fmax"
                } else if clamp == "iclamp" {
                    "imax"
                } else {
                    "umax"
                };
                args[2] = lines.inst(&ty, &format!("{max} %{}, %{}", args[1], args[2]));
            }
            // The high edge is between 0.5 and 1.5 above the low one.
            "fsmoothstep" => args[1] = lines.inst(&ty, &format!("fadd %{}, %{}", args[0], args[1])),
            _ => {}
        }
    }
}

/// Operations on integers that hold floats.
fn is_packed_float(op: Op) -> bool {
    matches!(
        op.name(),
        "pack_half_2x16" | "pack_unorm_2x16" | "pack_snorm_2x16" | "pack_unorm_4x8" | "pack_snorm_4x8"
    )
}

/// A shader that calls the function of each sample.
pub(crate) fn module(samples: &[&Sample], form: Form) -> String {
    let (structure, var) = (form.structures(), form.first_variable());
    let (mut members, mut others, mut functions) = (String::new(), String::new(), String::new());
    let mut count = 0;
    for (at, sample) in samples.iter().enumerate() {
        functions.push_str(&sample.function(at + 1, form, var + count));
        if let Some(declared) = sample.members(form, structure + count, var + count) {
            members.push_str(&declared);
            let _ = write!(others, ", $members_{}", var + count);
            count += 1;
        }
    }
    let (variables, main) = (form.variables(samples.len()), form.main(samples.len()));
    format!("{HEAD}{variables}{members}\n{}{main}{functions}", form.entry(&others))
}

/// Every choice of operand types with this many components where the number is free.
fn typings(info: &OpInfo, components: u8) -> Vec<Vec<ValueType>> {
    let count = info.operands.len() + usize::from(info.rest.is_some());
    let mut out = vec![(Vec::new(), Unknowns::default())];
    for operand in (0..count).filter_map(|at| info.operand(at)) {
        let given = match operand.constraint.components {
            ComponentRule::Same | ComponentRule::Free => components,
            ComponentRule::Is(count) => count,
        };
        // Counts and indices have 32 bits, or the width of the first operand.
        let is_count =
            ["count", "offset", "index", "exponent", "invocation", "delta", "mask"].contains(&operand.name);
        let mut longer = Vec::new();
        for (list, known) in out {
            let first: Option<Width> = list.first().and_then(|ty: &ValueType| ty.width());
            for ty in corners::types() {
                let width = ty.width();
                let is_usual = !is_count || list.is_empty() || width == Some(Width::W32) || width == first;
                let mut known = known;
                if ty.components() == given
                    && width.is_some()
                    && is_usual
                    && operand.constraint.admits(ty, &mut known)
                {
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
        ("reduce", true) => vec![
            " {reduce fadd, how all, scope subgroup}",
            " {reduce fmax, how exclusive, scope subgroup}",
            " {reduce fmul, how inclusive, scope subgroup}",
        ],
        ("reduce", false) => vec![
            " {reduce iadd, how all, scope subgroup}",
            " {reduce ixor, how inclusive, scope subgroup}",
            " {reduce imax, how exclusive, scope subgroup}",
            " {reduce umin, how all, scope subgroup}",
        ],
        _ if op.family() == "Group" => vec![" {scope subgroup}"],
        _ => vec![""],
    }
}

/// Derivatives need a fragment shader, and moves of components have attributes for every shape.
fn is_generated(op: &Op) -> bool {
    let other = ["swizzle", "shuffle", "barrier", "ddx", "ddy", "fwidth"].contains(&op.name());
    ["Float", "Int", "Convert", "Vector", "Group"].contains(&op.family()) && !other
}

/// Bits of both kinds are operands.
fn is_open(op: Op) -> bool {
    let info = op.info();
    let operands = (0..info.operands.len()).filter_map(|at| info.operand(at));
    operands.map(|it| it.constraint).any(|it| {
        it.class == ValueClass::Bits && it.widths.contains(Width::W1) && it.widths.contains(Width::W8)
    })
}

/// Every operation with every choice of types that is valid.
pub(crate) fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for op in Op::all().filter(is_generated) {
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
                    add(&mut out, op, &types, result);
                }
            }
        }
    }
    out
}

fn add(out: &mut Vec<Sample>, op: Op, types: &[ValueType], result: ValueType) {
    let has_floats = types.iter().filter_map(|ty| ty.width()).any(Width::has_floats);
    let is_logic = op.family() == "Int" && op.name() != "select" && op.name() != "select1";
    for is_float in [false, true].into_iter().take(if is_open(op) && has_floats && !is_logic { 2 } else { 1 })
    {
        for attrs in attributes(op, is_float) {
            for operands in Operands::ALL {
                let is_other = match operands {
                    Operands::Loaded => true,
                    // Memory holds no booleans, and the number of the invocation is a constant.
                    Operands::Member => {
                        op.family() != "Group" && types.iter().all(|ty| ty.width() != Some(Width::W1))
                    }
                    // The result would depend on which invocations are active only.
                    Operands::Constant => op.family() != "Group",
                    Operands::FirstLoaded | Operands::LastLoaded => types.len() > 1 && op.family() != "Group",
                };
                if !is_other {
                    continue;
                }
                let types = types.to_vec();
                let sample = Sample { op, types, result, attrs, operands, is_float };
                if is_valid(&module(&[&sample], Form::Compute)) {
                    out.push(sample);
                }
            }
        }
    }
}
