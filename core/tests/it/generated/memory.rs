//! Generated variables: every type in every kind of memory, with and without an initializer, accessed by component, by
//! dynamic indices, and as a whole.
//!
//! A sample is a shader with a variable. Its components are stored one by one, unless an initializer or a buffer gives
//! them; then one is stored at dynamic indices, the whole is copied, and a component is read at dynamic indices.

use super::lines::{Domain, Form, HEAD, Lines};
use std::collections::BTreeMap;
use std::fmt::Write;
use vitrine_core::ops::{ValueType, Width};

/// The word of a scalar type and the width of its values.
pub(super) type Scalar = (&'static str, Width, bool);

pub(super) const SCALARS: [Scalar; 12] = [
    ("f32", Width::W32, true),
    ("i32", Width::W32, false),
    ("u32", Width::W32, false),
    ("bool", Width::W1, false),
    ("f16", Width::W16, true),
    ("i16", Width::W16, false),
    ("u16", Width::W16, false),
    ("f64", Width::W64, true),
    ("i64", Width::W64, false),
    ("u64", Width::W64, false),
    ("i8", Width::W8, false),
    ("u8", Width::W8, false),
];

/// The type of a variable.
#[derive(Clone, PartialEq)]
pub(super) enum Shape {
    Scalar(Scalar),
    Vector(Scalar, u32),
    /// Columns of a number of rows.
    Matrix(Scalar, u32, u32),
    Array(Box<Shape>, u32),
    Struct(Vec<Shape>),
}

/// The kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Local,
    Private,
    Shared,
    Storage,
    Uniform,
    Push,
}

impl Class {
    const ALL: [Class; 6] =
        [Class::Local, Class::Private, Class::Shared, Class::Storage, Class::Uniform, Class::Push];

    fn word(self) -> &'static str {
        match self {
            Class::Local => "local",
            Class::Private => "private",
            Class::Shared => "shared",
            Class::Storage => "storage",
            Class::Uniform => "uniform",
            Class::Push => "push",
        }
    }

    /// Its types have offsets and strides, and the program gets its contents.
    fn is_block(self) -> bool {
        matches!(self, Class::Storage | Class::Uniform | Class::Push)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Initial {
    None,
    Zero,
    /// Other constants.
    Parts,
}

#[derive(Clone)]
pub(crate) struct Sample {
    shape: Shape,
    class: Class,
    initial: Initial,
    /// The whole variable is copied to a local one, which is read.
    is_copied: bool,
}

/// A type written for a module: structures are declared before it.
#[derive(Default)]
pub(super) struct Types {
    structs: String,
    /// The number of the next structure, after those of operands and results.
    count: usize,
    /// The spelling of each structure, by its members.
    known: BTreeMap<String, String>,
}

fn round_up(at: u32, align: u32) -> u32 {
    at.div_ceil(align) * align
}

/// Size and alignment in bytes of a type in a buffer, with the strides of uniform blocks if they are.
fn size(shape: &Shape, is_uniform: bool) -> (u32, u32) {
    let array_align = |align: u32| if is_uniform { round_up(align, 16) } else { align };
    match shape {
        Shape::Scalar((_, width, _)) => ((width.bits() / 8).max(1), (width.bits() / 8).max(1)),
        Shape::Vector((_, width, _), count) => {
            let bytes = (width.bits() / 8).max(1);
            (bytes * count, bytes * count.next_power_of_two())
        }
        Shape::Matrix(scalar, rows, columns) => {
            let (_, align) = size(&Shape::Vector(*scalar, *rows), is_uniform);
            let align = array_align(align);
            (align * columns, align)
        }
        Shape::Array(of, count) => {
            let (bytes, align) = size(of, is_uniform);
            let align = array_align(align);
            (round_up(bytes, align) * count, align)
        }
        Shape::Struct(members) => {
            let (mut at, mut most) = (0, 4);
            for member in members {
                let (bytes, align) = size(member, is_uniform);
                at = round_up(at, align) + bytes;
                most = most.max(align);
            }
            let most = array_align(most);
            (round_up(at, most), most)
        }
    }
}

impl Types {
    /// No structures yet, after so many others.
    pub(super) fn after(count: usize) -> Types {
        Types { count, ..Types::default() }
    }

    /// The declarations of the structures.
    pub(super) fn declared(&self) -> &str {
        &self.structs
    }

    /// The spelling of a type.
    pub(super) fn spell(&mut self, shape: &Shape, class: Class) -> String {
        let is_uniform = class == Class::Uniform;
        match shape {
            Shape::Scalar((word, _, _)) => (*word).to_owned(),
            Shape::Vector((word, _, _), count) => format!("{word}x{count}"),
            Shape::Matrix((word, _, _), rows, columns) => {
                let stride = size(shape, is_uniform).0 / columns;
                let step = if class.is_block() { format!(" step {stride}") } else { String::new() };
                format!("mat<{word}x{rows} * {columns}{step}>")
            }
            Shape::Array(of, count) => {
                let inner = self.spell(of, class);
                let stride = size(shape, is_uniform).0 / count;
                let step = if class.is_block() { format!(" step {stride}") } else { String::new() };
                format!("[{inner} * {count}{step}]")
            }
            Shape::Struct(members) => {
                let mut lines = String::new();
                let mut offset = 0;
                for (at, member) in members.iter().enumerate() {
                    let word = self.spell(member, class);
                    let (bytes, align) = size(member, is_uniform);
                    offset = round_up(offset, align);
                    let place =
                        if class.is_block() { format!(" {{offset {offset}}}") } else { String::new() };
                    let _ = writeln!(lines, "  m{at}: {word}{place}");
                    offset += bytes;
                }
                self.declare("S", "", &lines)
            }
        }
    }

    /// The structure with these members, which is declared once.
    fn declare(&mut self, name: &str, attrs: &str, members: &str) -> String {
        let key = format!("{attrs} {{\n{members}}}");
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let number = self.count;
        self.count += 1;
        let _ = writeln!(self.structs, "struct #{name}_{number}{attrs} {{\n{members}}}\n");
        let spelled = format!("#{name}_{number}");
        self.known.insert(key, spelled.clone());
        spelled
    }
}

impl Shape {
    pub(super) fn name(&self) -> String {
        match self {
            Shape::Scalar((word, _, _)) => (*word).to_owned(),
            Shape::Vector((word, _, _), count) => format!("{word}x{count}"),
            Shape::Matrix((word, _, _), rows, columns) => format!("mat<{word}x{rows} * {columns}>"),
            Shape::Array(of, count) => format!("[{} * {count}]", of.name()),
            Shape::Struct(members) => {
                format!("{{{}}}", members.iter().map(Shape::name).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn has(&self, test: &dyn Fn(&Shape) -> bool) -> bool {
        test(self)
            || match self {
                Shape::Array(of, _) => of.has(test),
                Shape::Struct(members) => members.iter().any(|member| member.has(test)),
                Shape::Scalar(_) | Shape::Vector(..) | Shape::Matrix(..) => false,
            }
    }

    /// The scalar types of its components in order, each with the steps to it.
    pub(super) fn leaves(&self, steps: &[Step], out: &mut Vec<(Scalar, Vec<Step>)>) {
        let below = |step| [steps, &[step]].concat();
        match self {
            Shape::Scalar(scalar) => out.push((*scalar, steps.to_vec())),
            Shape::Vector(scalar, count) => {
                (0..*count).for_each(|at| out.push((*scalar, below(Step::Element(at, *count)))));
            }
            Shape::Matrix(scalar, rows, columns) => (0..*columns).for_each(|at| {
                Shape::Vector(*scalar, *rows).leaves(&below(Step::Element(at, *columns)), out);
            }),
            Shape::Array(of, count) => {
                (0..*count).for_each(|at| of.leaves(&below(Step::Element(at, *count)), out));
            }
            Shape::Struct(members) => members
                .iter()
                .enumerate()
                .for_each(|(at, member)| member.leaves(&below(Step::Member(at as u32)), out)),
        }
    }

    /// A constant of the type as an operand of another one: arrays and structures are constants of their own.
    fn constant(&self, types: &mut Types, out: &mut Constants) -> String {
        let list = |parts: Vec<String>| format!("({})", parts.join(", "));
        match self {
            Shape::Scalar(of) => out.scalar(*of),
            Shape::Vector(of, count) => list((0..*count).map(|_| out.scalar(*of)).collect()),
            Shape::Matrix(of, rows, columns) => {
                let columns = (0..*columns).map(|_| Shape::Vector(*of, *rows).constant(types, out)).collect();
                out.declare(&types.spell(self, Class::Local), &list(columns))
            }
            Shape::Array(of, count) => {
                let parts = (0..*count).map(|_| of.constant(types, out)).collect();
                out.declare(&types.spell(self, Class::Local), &list(parts))
            }
            Shape::Struct(members) => {
                let parts = members.iter().map(|member| member.constant(types, out)).collect();
                out.declare(&types.spell(self, Class::Local), &list(parts))
            }
        }
    }
}

/// Constants that are declared before the variable.
#[derive(Default)]
struct Constants {
    text: String,
    count: usize,
    /// Every component is another number.
    number: u32,
}

impl Constants {
    fn scalar(&mut self, (_, width, is_float): Scalar) -> String {
        self.number += 1;
        let number = self.number;
        match (width, is_float) {
            (Width::W1, _) => number.is_multiple_of(2).to_string(),
            (_, true) => format!("{}.5", number % 50),
            (_, false) => (number % 100).to_string(),
        }
    }

    fn declare(&mut self, ty: &str, list: &str) -> String {
        let _ = writeln!(self.text, "const &{} = parts {ty} {list}", self.count);
        self.count += 1;
        format!("&{}", self.count - 1)
    }
}

/// A step of a path: an element of so many, or a member.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Step {
    Element(u32, u32),
    Member(u32),
}

/// The path to a component, with constant or dynamic indices.
pub(super) fn path(lines: &mut Lines, var: usize, is_block: bool, steps: &[Step], is_dynamic: bool) -> usize {
    let mut at = lines.inst("path", &format!("deref.var ${var}"));
    if is_block {
        at = lines.inst("path", &format!("deref.field %{at}.0"));
    }
    for step in steps {
        at = match *step {
            Step::Member(member) => lines.inst("path", &format!("deref.field %{at}.{member}")),
            Step::Element(_, count) if is_dynamic => {
                let index = lines.component(Width::W32, false, Domain::Below(count));
                lines.inst("path", &format!("deref.elem %{at}, %{index}"))
            }
            Step::Element(element, _) => {
                let index = lines.inst("b32", &format!("const {element}"));
                lines.inst("path", &format!("deref.elem %{at}, %{index}"))
            }
        };
    }
    at
}

impl Sample {
    pub(crate) fn name(&self) -> String {
        let copied = if self.is_copied { ", copied" } else { "" };
        format!("{:?} {}, initializer {:?}{copied}", self.class, self.shape.name(), self.initial)
    }

    /// The module.
    pub(crate) fn module(&self, form: Form) -> String {
        let it = form.first_variable();
        let mut types = Types::after(form.structures());
        let spelled = types.spell(&self.shape, self.class);
        let declared = match self.class.is_block() {
            true => types.declare("Block", " {block}", &format!("  data: {spelled} {{offset 0}}\n")),
            false => spelled.clone(),
        };
        let plain = if self.is_copied { types.spell(&self.shape, Class::Local) } else { spelled.clone() };
        let place = match self.class {
            Class::Storage => " {set 0, binding 3, access readonly}".replace(", access readonly", ""),
            Class::Uniform => " {set 0, binding 3}".to_owned(),
            Class::Local | Class::Private | Class::Shared | Class::Push => String::new(),
        };
        let mut constants = Constants::default();
        let initial = match self.initial {
            Initial::None => String::new(),
            Initial::Zero => {
                constants.text = format!("const &0 = zero {spelled}\n");
                " = &0".to_owned()
            }
            Initial::Parts => format!(" = {}", self.shape.constant(&mut types, &mut constants)),
        };
        let constant = constants.text;
        let var = format!("{} $it_{it}: {declared}{initial}{place}\n", self.class.word());
        let (global, local) = match self.class {
            Class::Local => (String::new(), format!("  {var}")),
            Class::Private | Class::Shared | Class::Storage | Class::Uniform | Class::Push => {
                (var, String::new())
            }
        };
        let copy =
            if self.is_copied { format!("  local $copy_{}: {plain}\n", it + 1) } else { String::new() };
        let interface = if self.class == Class::Local { String::new() } else { format!(", $it_{it}") };
        format!(
            "{HEAD}{}\n{}{constant}\n{global}\n{}func @0() tree {{\n{local}{copy}^0:\n{}  return\n}}\n",
            form.variables(2),
            types.structs,
            form.entry(&interface),
            self.body(form)
        )
    }

    fn body(&self, form: Form) -> String {
        let it = form.first_variable();
        let mut lines = Lines::new(form, 0);
        lines.clear_results();
        let mut leaves = Vec::new();
        self.shape.leaves(&[], &mut leaves);
        let is_block = self.class.is_block();
        let write = |lines: &mut Lines, (scalar, steps): &(Scalar, Vec<Step>), is_dynamic: bool| {
            let to = path(lines, it, is_block, steps, is_dynamic);
            let value = lines.component(scalar.1, scalar.2, Domain::Any);
            lines.store(to, value);
        };
        let is_written = !matches!(self.class, Class::Uniform | Class::Push);
        if is_written && !is_block && self.initial == Initial::None {
            leaves.iter().for_each(|leaf| write(&mut lines, leaf, false));
        }
        let Some(last) = leaves.last().cloned() else { return lines.text };
        if is_written {
            write(&mut lines, &last, true);
        }
        let mut from = (it, is_block);
        if self.is_copied {
            let mut to = lines.inst("path", &format!("deref.var ${}", it + 1));
            let mut whole = lines.inst("path", &format!("deref.var ${it}"));
            if is_block {
                whole = lines.inst("path", &format!("deref.field %{whole}.0"));
            }
            std::mem::swap(&mut to, &mut whole);
            let _ = writeln!(lines.text, "  copy %{whole}, %{to}");
            from = (it + 1, false);
        }
        for (at, (scalar, steps)) in [leaves[0].clone(), last].iter().enumerate() {
            let read = path(&mut lines, from.0, from.1, steps, true);
            let value = lines.inst(&format!("b{}", scalar.1.bits()), &format!("load %{read}"));
            lines.result(ValueType::bits(scalar.1, 1), value, scalar.2, 2 * at);
        }
        lines.text
    }

    /// Returns true if a fragment shader may have the variable.
    fn has_fragment(&self) -> bool {
        self.class != Class::Shared
    }

    fn is_possible(&self) -> bool {
        let has_bool = self
            .shape
            .has(&|shape| matches!(shape, Shape::Scalar(it) | Shape::Vector(it, _) if it.1 == Width::W1));
        let is_buffer = self.class.is_block();
        let is_initial = match self.class {
            Class::Local | Class::Private => true,
            Class::Shared => self.initial != Initial::Parts,
            Class::Storage | Class::Uniform | Class::Push => self.initial == Initial::None,
        };
        // Booleans have no layout.
        is_initial && !(is_buffer && has_bool)
    }
}

/// Every type.
fn shapes() -> Vec<Shape> {
    let mut out: Vec<Shape> = SCALARS.iter().map(|scalar| Shape::Scalar(*scalar)).collect();
    out.extend(SCALARS.iter().flat_map(|scalar| (2..=4).map(|count| Shape::Vector(*scalar, count))));
    let floats = SCALARS.iter().filter(|scalar| scalar.2);
    let sizes = (2..=4).flat_map(|rows| (2..=4).map(move |columns| (rows, columns)));
    out.extend(
        floats.flat_map(|scalar| sizes.clone().map(|(rows, columns)| Shape::Matrix(*scalar, rows, columns))),
    );
    let [float, uint, boolean] = [SCALARS[0], SCALARS[2], SCALARS[3]];
    let array = |of: Shape, count| Shape::Array(Box::new(of), count);
    for scalar in [float, uint, boolean, SCALARS[4], SCALARS[9], SCALARS[11]] {
        out.push(array(Shape::Scalar(scalar), 3));
        out.push(array(Shape::Vector(scalar, 3), 2));
        out.push(array(array(Shape::Scalar(scalar), 2), 3));
        out.push(array(array(Shape::Vector(scalar, 2), 2), 2));
        out.push(Shape::Struct(vec![Shape::Scalar(scalar)]));
        out.push(Shape::Struct(vec![Shape::Scalar(scalar), Shape::Vector(float, 3), Shape::Scalar(scalar)]));
        out.push(array(Shape::Struct(vec![Shape::Vector(scalar, 2), Shape::Scalar(uint)]), 3));
        out.push(Shape::Struct(vec![Shape::Scalar(uint), array(Shape::Vector(scalar, 3), 2)]));
    }
    for (rows, columns) in [(2, 3), (3, 3), (4, 2)] {
        let matrix = Shape::Matrix(float, rows, columns);
        out.push(array(matrix.clone(), 2));
        out.push(Shape::Struct(vec![Shape::Scalar(float), matrix.clone(), Shape::Scalar(uint)]));
        out.push(array(Shape::Struct(vec![matrix, Shape::Scalar(boolean)]), 2));
    }
    let empty = Shape::Struct(Vec::new());
    out.push(Shape::Struct(vec![empty.clone(), Shape::Scalar(uint)]));
    out.push(Shape::Struct(vec![Shape::Scalar(uint), array(empty, 2), Shape::Scalar(float)]));
    let inner = Shape::Struct(vec![Shape::Scalar(uint), Shape::Vector(float, 2)]);
    out.push(Shape::Struct(vec![inner.clone(), array(inner.clone(), 2), Shape::Vector(boolean, 3)]));
    out.push(array(Shape::Struct(vec![array(inner, 2), Shape::Scalar(float)]), 2));
    out
}

/// Every type in every kind of memory.
pub(crate) fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for shape in shapes() {
        for class in Class::ALL {
            for initial in [Initial::None, Initial::Zero, Initial::Parts] {
                for is_copied in [false, true] {
                    let is_scalar = matches!(shape, Shape::Scalar(_));
                    let is_list = initial != Initial::Parts || !is_scalar;
                    let sample = Sample { shape: shape.clone(), class, initial, is_copied };
                    if sample.is_possible() && is_list && !(is_copied && is_scalar) {
                        out.push(sample);
                    }
                }
            }
        }
    }
    out
}

#[test]
fn every_sample_is_a_valid_module() {
    for sample in samples() {
        for form in [Form::Compute, Form::Fragment] {
            if form == Form::Compute || sample.has_fragment() {
                crate::testing::texts::valid_module(&sample.module(form));
            }
        }
    }
}
