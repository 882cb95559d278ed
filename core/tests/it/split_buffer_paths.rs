//! Stores through paths into structured buffers write the same bytes after `split-buffer-paths`: exactly those of the
//! place that the path refers to, computed here from the layout alone.
//!
//! Every place of a nested element, with constant, uniform and varying indices, in a single buffer and in an array of
//! buffers. No load is added, so no neighboring byte is read and written back.

use crate::testing::texts::valid_module;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use vitrine_core::interp::{Inputs, run};
use vitrine_core::ir::Module;
use vitrine_core::ops::{MemoryOp, Op};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::print_module;

/// A type of the layout, with its text in the IR.
enum Layout {
    Scalar,
    /// Contiguous components.
    Vector(u32),
    /// Columns of three components: their number, and the distance of columns and of components.
    Matrix {
        columns: u32,
        column_step: u32,
        row_step: u32,
    },
    /// Elements: their number and stride.
    Array(&'static Layout, u32, u32),
    /// Members with their offsets; the number is that of the structure in [`TYPES`].
    Struct(&'static [(&'static Layout, u32)]),
}

const INNER: Layout = Layout::Struct(&[
    (&Layout::Matrix { columns: 2, column_step: 16, row_step: 4 }, 0),
    (&Layout::Matrix { columns: 2, column_step: 4, row_step: 8 }, 32),
    (&Layout::Scalar, 56),
]);

const ELEMENT: Layout = Layout::Struct(&[
    (&Layout::Scalar, 0),
    (&Layout::Vector(4), 16),
    (&Layout::Array(&Layout::Vector(3), 2, 16), 32),
    (&Layout::Array(&INNER, 2, 64), 64),
]);

/// The same layout in the text form.
const TYPES: &str = "struct #0 {
  a: mat<f32x3 * 2 step 16> {offset 0}
  b: mat<f32x3 * 2 step 8 rows> {offset 32}
  c: f32 {offset 56}
}
struct #1 {
  a: u32 {offset 0}
  b: f32x4 {offset 16}
  c: [f32x3 * 2 step 16] {offset 32}
  d: [#0 * 2 step 64] {offset 64}
}
struct #2 {block} {
  head: u32 {offset 0}
  data: [#1 step 192] {offset 16}
}
struct #3 {block} {
  uniform: u32 {offset 0}
}
";

const STRIDE: u32 = 192;
const START: u32 = 16;
const INVOCATIONS: u32 = 4;

/// The source of an index that is 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IndexKind {
    Constant,
    Uniform,
    Varying,
}

/// A place in an element: its steps, and the bytes of each component by invocation.
#[derive(Clone)]
struct Lvalue {
    /// A member, or an index.
    steps: Vec<Option<u32>>,
    /// Offset of the first component: a constant part, and the stride of each index.
    offset: u32,
    strides: Vec<u32>,
    components: u32,
    component_step: u32,
}

/// Every place of a layout that holds a scalar or a vector.
fn lvalues(layout: &Layout, at: &Lvalue, out: &mut Vec<Lvalue>) {
    let indexed = |stride: u32, components: u32, component_step: u32| {
        let mut next = Lvalue { components, component_step, ..at.clone() };
        next.steps.push(None);
        next.strides.push(stride);
        next
    };
    match *layout {
        Layout::Scalar => out.push(Lvalue { components: 1, component_step: 4, ..at.clone() }),
        Layout::Vector(components) => {
            out.push(Lvalue { components, component_step: 4, ..at.clone() });
            out.push(indexed(4, 1, 4));
        }
        Layout::Matrix { columns, column_step, row_step } => {
            assert_eq!(columns, 2);
            let column = indexed(column_step, 3, row_step);
            out.push(column.clone());
            let mut component = Lvalue { components: 1, ..column };
            component.steps.push(None);
            component.strides.push(row_step);
            out.push(component);
        }
        Layout::Array(of, count, stride) => {
            assert_eq!(count, 2);
            lvalues(of, &indexed(stride, 0, 0), out);
        }
        Layout::Struct(members) => {
            for (number, (member, offset)) in (0..).zip(members) {
                let mut next = Lvalue { offset: at.offset + offset, ..at.clone() };
                next.steps.push(Some(number));
                lvalues(member, &next, out);
            }
        }
    }
}

impl Lvalue {
    /// The shader that stores to the place in each of four elements.
    fn shader(&self, kind: IndexKind, array: bool, mask: u32) -> String {
        let ty = if array { "[#2 * 2]" } else { "#2" };
        let mut text = format!(
            "{TYPES}
in $0: u32x3 {{builtin global_invocation_id}}
storage $1: {ty} {{set 0, binding 0}}
uniform $2: #3 {{set 0, binding 1}}

entry compute \"main\" @0 ($0, $1, $2) {{local_size {INVOCATIONS} 1 1}}

func @0() tree {{
^0:
  %0: path = deref.var $0
  %1: b32x3 = load %0
  %2: b32 = swizzle %1.x
  %3: b32 = const 1
  %4: b32 = iand %2, %3
  %5: path = deref.var $2
  %6: path = deref.field %5.0
  %7: b32 = load %6
  %8: path = deref.var $1
"
        );
        let index = match kind {
            IndexKind::Constant => 3,
            IndexKind::Uniform => 7,
            IndexKind::Varying => 4,
        };
        let mut last = 8;
        let mut step = |definition: String| {
            let _ = writeln!(text, "  %{}: path = {definition}", last + 1);
            last += 1;
            last
        };
        let buffer = if array { step(format!("deref.elem %8, %{index}")) } else { 8 };
        let data = step(format!("deref.field %{buffer}.1"));
        let mut at = step(format!("deref.elem %{data}, %2"));
        for &member in &self.steps {
            at = match member {
                Some(member) => step(format!("deref.field %{at}.{member}")),
                None => step(format!("deref.elem %{at}, %{index}")),
            };
        }
        let value = at + 1;
        let ones = vec!["0xeeeeeeee"; self.components as usize].join(", ");
        let (ty, constant) = match self.components {
            1 => ("b32".to_owned(), ones),
            count => (format!("b32x{count}"), format!("({ones})")),
        };
        let _ = writeln!(text, "  %{value}: {ty} = const {constant}");
        let attrs = if mask == self.all() { String::new() } else { format!(" {{mask {mask}}}") };
        let _ = writeln!(text, "  store %{at}, %{value}{attrs}\n  return\n}}");
        text
    }

    fn all(&self) -> u32 {
        (1 << self.components) - 1
    }

    /// The bytes that the shader must write, by buffer.
    fn bytes(&self, kind: IndexKind, array: bool, mask: u32) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut out = BTreeMap::<u32, BTreeSet<u32>>::new();
        for invocation in 0..INVOCATIONS {
            let index = if kind == IndexKind::Varying { invocation % 2 } else { 1 };
            let inside = self.offset + self.strides.iter().map(|stride| stride * index).sum::<u32>();
            let start = START + invocation * STRIDE + inside;
            for component in (0..self.components).filter(|component| mask >> component & 1 == 1) {
                let first = start + component * self.component_step;
                let buffer = if array { index } else { 0 };
                out.entry(buffer).or_default().extend(first..first + 4);
            }
        }
        out
    }
}

/// The bytes that a run changes, by buffer.
fn changed(module: &Module) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut inputs = Inputs { races: true, ..Inputs::default() };
    let bytes = (START + INVOCATIONS * STRIDE) as usize;
    inputs.buffers.insert((0, 0), vec![vec![0x11; bytes]; 2]);
    inputs.buffers.insert((0, 1), vec![vec![1, 0, 0, 0]]);
    let outcome = run(module, 0, &inputs).unwrap_or_else(|diag| panic!("{diag}\n{}", print_module(module)));
    assert!(outcome.is_complete() && outcome.is_defined(), "{:?}\n{}", outcome.reports, print_module(module));
    let mut out = BTreeMap::<u32, BTreeSet<u32>>::new();
    for ((slot, number), buffer) in &outcome.buffers {
        if *slot == (0, 0) {
            let bytes = (0..).zip(&buffer.bytes).filter(|&(_, &byte)| byte != 0x11);
            let bytes: BTreeSet<u32> = bytes.map(|(at, &byte)| (at, assert_eq!(byte, 0xee)).0).collect();
            out.extend((!bytes.is_empty()).then_some((*number, bytes)));
        }
    }
    out
}

fn count(module: &Module, op: MemoryOp) -> usize {
    let mut count = 0;
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| count += usize::from(body.inst(inst).op == Op::Memory(op)));
    }
    count
}

#[test]
fn the_written_bytes_are_those_of_the_place() {
    let start =
        Lvalue { steps: Vec::new(), offset: 0, strides: Vec::new(), components: 0, component_step: 0 };
    let mut all = Vec::new();
    lvalues(&ELEMENT, &start, &mut all);
    assert_eq!(all.len(), 10, "every place of the element");
    let pipeline = |text: &str| Pipeline::parse(text).expect("the pipeline is valid");
    let (split, lift) = (pipeline("split-buffer-paths"), pipeline("qptr-lift"));
    let mut compared = 0;
    for lvalue in &all {
        for kind in [IndexKind::Constant, IndexKind::Uniform, IndexKind::Varying] {
            for array in [false, true] {
                for mask in 1..=lvalue.all() {
                    let text = lvalue.shader(kind, array, mask);
                    let before = valid_module(&text);
                    let expected = lvalue.bytes(kind, array, mask);
                    assert_eq!(changed(&before), expected, "{kind:?}\n{text}");
                    let after = split.run(&before, None).unwrap_or_else(|diag| panic!("{diag:?}\n{text}"));
                    let printed = print_module(&after);
                    assert_eq!(changed(&after), expected, "{kind:?}\n{printed}");
                    assert_eq!(count(&after, MemoryOp::Load), count(&before, MemoryOp::Load), "{printed}");
                    let paths = printed.lines().filter(|line| line.contains("deref.elem"));
                    assert_eq!(paths.count(), 1 + usize::from(array), "{printed}");
                    let lifted = lift.run(&after, None).unwrap_or_else(|diag| panic!("{diag:?}\n{printed}"));
                    assert_eq!(changed(&lifted), expected, "{kind:?}\n{}", print_module(&lifted));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
