//! Random memory types with layouts by the rules of shading languages, with arbitrary layouts, and without.
//!
//! A [`Shape`] is the structure of a type; [`Types::lay_out`] adds offsets and strides. Two layouts of one shape give
//! two types that can be copied to each other. Members never overlap.

use crate::testing::graphs::Random;
use std::fmt::Write;

/// Layout rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LayoutRule {
    /// std140: array elements and structures take multiples of 16 bytes.
    Std140,
    /// std430.
    Std430,
    /// Scalar layout.
    Scalar,
    /// Arbitrary offsets with scalar alignment, with padding and with members out of order.
    Odd,
    /// No layout.
    Natural,
}

/// The structure of a type without its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A scalar or vector: `u`, `i`, `f` or `b` (booleans), width, components.
    Value(char, u32, u32),
    /// Width, rows, columns.
    Matrix(u32, u32, u32),
    Array(Box<Shape>, Len),
    Struct(Vec<Shape>),
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Len {
    Count(u32),
    /// A specialization constant by number, and its default value.
    Spec(usize, u32),
    Runtime,
}

impl Len {
    /// The minimum number of elements.
    pub(crate) fn least(self) -> u32 {
        match self {
            Len::Count(count) | Len::Spec(_, count) => count,
            // Generated buffers have at least 16.
            Len::Runtime => 16,
        }
    }
}

/// A type with its layout. Strides are in bytes; 0 means none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Value(char, u32, u32),
    Matrix { width: u32, rows: u32, columns: u32, stride: u32, row_major: bool },
    Array { of: Box<Ty>, len: Len, stride: u32 },
    Struct(usize),
}

impl Ty {
    /// The type, number and declared stride of elements, columns or components.
    pub(crate) fn element(&self) -> Option<(Ty, Len, u32)> {
        match self {
            Ty::Value(kind, width, components) if *components > 1 => {
                Some((Ty::Value(*kind, *width, 1), Len::Count(*components), 0))
            }
            Ty::Matrix { width, rows, columns, stride, .. } => {
                Some((Ty::Value('f', *width, *rows), Len::Count(*columns), *stride))
            }
            Ty::Array { of, len, stride } => Some(((**of).clone(), *len, *stride)),
            Ty::Value(..) | Ty::Struct(_) => None,
        }
    }

    pub(crate) fn is_runtime(&self) -> bool {
        matches!(self, Ty::Array { len: Len::Runtime, .. })
    }
}

/// A structure.
pub(crate) struct Def {
    shape: Vec<Shape>,
    layout_rule: LayoutRule,
    /// Members with their offsets, if any.
    pub(crate) members: Vec<(Ty, Option<u32>)>,
    /// Decorations of the structure: `block`, `buffer_block`.
    pub(crate) mark: Option<&'static str>,
}

/// The types of a program.
#[derive(Default)]
pub(crate) struct Types {
    pub(crate) defs: Vec<Def>,
    /// Default values of specialization constants.
    pub(crate) specs: Vec<u32>,
}

fn chance(random: &mut Random, one_in: u64) -> bool {
    random.below(one_in) == 0
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// A scalar or a vector.
fn value(random: &mut Random, booleans: bool) -> Shape {
    let components = pick(random, &[1, 1, 1, 2, 3, 4]);
    if booleans && chance(random, 6) {
        return Shape::Value('b', 1, 1);
    }
    match random.below(8) {
        0 => Shape::Value(pick(random, &['u', 'i']), 8, components),
        1 => Shape::Value(pick(random, &['u', 'f']), 16, components),
        2 => Shape::Value(pick(random, &['u', 'f']), 64, components),
        _ => Shape::Value(pick(random, &['u', 'i', 'f']), 32, components),
    }
}

impl Types {
    /// A random type of a member.
    pub(crate) fn shape(&mut self, random: &mut Random, depth: u32, booleans: bool) -> Shape {
        match random.below(if depth == 0 { 5 } else { 10 }) {
            0..=3 => value(random, booleans),
            4 => {
                let width = pick(random, &[32, 32, 32, 64, 16]);
                Shape::Matrix(width, 2 + random.below(3) as u32, 2 + random.below(3) as u32)
            }
            5..=7 => {
                let of = self.shape(random, depth - 1, booleans);
                Shape::Array(Box::new(of), self.length(random))
            }
            _ => self.structure(random, depth - 1, booleans),
        }
    }

    fn length(&mut self, random: &mut Random) -> Len {
        let count = 1 + random.below(5) as u32;
        if !chance(random, 10) {
            return Len::Count(count);
        }
        self.specs.push(count);
        Len::Spec(self.specs.len() - 1, count)
    }

    /// A structure with a few members, some of them with equal types.
    pub(crate) fn structure(&mut self, random: &mut Random, depth: u32, booleans: bool) -> Shape {
        let mut members: Vec<Shape> = Vec::new();
        for _ in 0..1 + random.below(4) {
            let again = random.below(4) as usize;
            match members.get(again).cloned() {
                Some(member) if chance(random, 2) => members.push(member),
                _ => members.push(self.shape(random, depth, booleans)),
            }
        }
        Shape::Struct(members)
    }

    /// Lays out a shape.
    pub(crate) fn lay_out(&mut self, random: &mut Random, shape: &Shape, layout_rule: LayoutRule) -> Ty {
        match shape {
            Shape::Value(kind, width, components) => Ty::Value(*kind, *width, *components),
            Shape::Matrix(width, rows, columns) => {
                let row_major = layout_rule != LayoutRule::Natural && chance(random, 2);
                let line = if row_major { *columns } else { *rows };
                let bytes = width / 8 * line;
                let stride = match layout_rule {
                    LayoutRule::Natural => 0,
                    LayoutRule::Scalar => bytes,
                    LayoutRule::Odd => bytes + width / 8 * pick(random, &[0, 0, 1, 3]),
                    LayoutRule::Std430 => bytes.next_multiple_of(width / 8 * line.next_power_of_two()),
                    LayoutRule::Std140 => {
                        bytes.next_multiple_of(width / 8 * line.next_power_of_two()).next_multiple_of(16)
                    }
                };
                Ty::Matrix { width: *width, rows: *rows, columns: *columns, stride, row_major }
            }
            Shape::Array(of, len) => {
                let of = self.lay_out(random, of, layout_rule);
                let bytes = self.bytes(&of).next_multiple_of(self.align(&of, layout_rule));
                let stride = match layout_rule {
                    LayoutRule::Natural => 0,
                    LayoutRule::Std140 => bytes.next_multiple_of(16),
                    LayoutRule::Std430 | LayoutRule::Scalar => bytes,
                    LayoutRule::Odd => bytes + self.align(&of, layout_rule) * pick(random, &[0, 0, 1, 5]),
                };
                Ty::Array { of: Box::new(of), len: *len, stride }
            }
            Shape::Struct(members) => {
                let is_same =
                    |def: &Def| def.shape == *members && def.layout_rule == layout_rule && def.mark.is_none();
                if let Some(known) = self.defs.iter().position(is_same)
                    && (layout_rule != LayoutRule::Odd || chance(random, 2))
                {
                    return Ty::Struct(known);
                }
                self.define(random, members, layout_rule, None)
            }
        }
    }

    /// Defines a new structure.
    pub(crate) fn define(
        &mut self,
        random: &mut Random,
        shape: &[Shape],
        layout_rule: LayoutRule,
        mark: Option<&'static str>,
    ) -> Ty {
        let mut members: Vec<(Ty, Option<u32>)> =
            shape.iter().map(|shape| (self.lay_out(random, shape, layout_rule), None)).collect();
        let mut order: Vec<usize> = (0..members.len()).collect();
        if layout_rule == LayoutRule::Odd && chance(random, 2) {
            // A runtime array comes last.
            let movable = members.iter().take_while(|(ty, _)| !ty.is_runtime()).count();
            for at in 1..movable {
                order.swap(at, random.below(at as u64 + 1) as usize);
            }
        }
        let mut end = 0;
        for at in order.into_iter().filter(|_| layout_rule != LayoutRule::Natural) {
            let align = self.align(&members[at].0, layout_rule);
            let gap = if layout_rule == LayoutRule::Odd { align * pick(random, &[0, 0, 1, 2]) } else { 0 };
            let offset = u32::next_multiple_of(end, align) + gap;
            members[at].1 = Some(offset);
            end = offset + self.bytes(&members[at].0);
        }
        self.defs.push(Def { shape: shape.to_vec(), layout_rule, members, mark });
        Ty::Struct(self.defs.len() - 1)
    }

    /// The size of a type in bytes; 0 for a run-time array.
    pub(crate) fn bytes(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Value('b', _, components) => 4 * components,
            Ty::Value(_, width, components) => width / 8 * components,
            Ty::Matrix { width, rows, columns, stride: 0, .. } => width / 8 * rows * columns,
            Ty::Matrix { rows, stride, row_major: true, .. } => stride * rows,
            Ty::Matrix { columns, stride, .. } => stride * columns,
            Ty::Array { len: Len::Runtime, .. } => 0,
            Ty::Array { of, len, stride: 0 } => {
                self.bytes(of).next_multiple_of(self.align(of, LayoutRule::Natural)) * len.least()
            }
            Ty::Array { len, stride, .. } => stride * len.least(),
            Ty::Struct(def) => {
                let mut end = 0;
                for (ty, offset) in &self.defs[*def].members {
                    let natural = u32::next_multiple_of(end, self.align(ty, LayoutRule::Natural));
                    end = end.max(offset.unwrap_or(natural) + self.bytes(ty));
                }
                end
            }
        }
    }

    fn align(&self, ty: &Ty, layout_rule: LayoutRule) -> u32 {
        let padded = matches!(layout_rule, LayoutRule::Std140 | LayoutRule::Std430);
        let whole = if layout_rule == LayoutRule::Std140 { 16 } else { 1 };
        match ty {
            Ty::Value('b', ..) => 4,
            Ty::Value(_, width, components) => {
                width / 8 * if padded { components.next_power_of_two() } else { 1 }
            }
            Ty::Matrix { width, rows, columns, row_major, .. } => {
                let line = if *row_major { columns } else { rows };
                (width / 8 * if padded { line.next_power_of_two() } else { 1 }).max(whole)
            }
            Ty::Array { of, .. } => self.align(of, layout_rule).max(whole),
            Ty::Struct(def) => {
                let members = self.defs[*def].members.iter();
                members.map(|(ty, _)| self.align(ty, layout_rule)).max().unwrap_or(1).max(whole)
            }
        }
    }

    /// A key of the type without its layout: equal for types that can be copied to each other.
    pub(crate) fn kind(&self, ty: &Ty) -> String {
        match ty {
            Ty::Value('i', width, components) => self.kind(&Ty::Value('u', *width, *components)),
            Ty::Value(kind, width, components) => format!("{kind}{width}x{components}"),
            Ty::Matrix { width, rows, columns, .. } => format!("m{width}x{rows}x{columns}"),
            Ty::Array { of, len, .. } => format!("[{} {len:?}]", self.kind(of)),
            Ty::Struct(def) => {
                let members: Vec<String> =
                    self.defs[*def].members.iter().map(|(ty, _)| self.kind(ty)).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// The text of the declarations.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        for (at, def) in self.defs.iter().enumerate() {
            let mark = def.mark.map_or_else(String::new, |mark| format!("{{{mark}}} "));
            writeln!(out, "struct #{at} {mark}{{").expect("a string accepts writes");
            for (member, (ty, offset)) in def.members.iter().enumerate() {
                let offset = offset.map_or_else(String::new, |offset| format!(" {{offset {offset}}}"));
                writeln!(out, "  m{member}: {}{offset}", spell(ty)).expect("a string accepts writes");
            }
            out.push_str("}\n");
        }
        for (at, value) in self.specs.iter().enumerate() {
            writeln!(out, "const &{at}: b32 = spec {value} {{spec_id {at}}}")
                .expect("a string accepts writes");
        }
        out
    }
}

/// The text of a type.
pub(crate) fn spell(ty: &Ty) -> String {
    let step = |stride: u32| if stride == 0 { String::new() } else { format!(" step {stride}") };
    match ty {
        Ty::Value(kind, width, components) => {
            let scalar = if *kind == 'b' { "bool".to_owned() } else { format!("{kind}{width}") };
            if *components == 1 { scalar } else { format!("{scalar}x{components}") }
        }
        Ty::Matrix { width, rows, columns, stride, row_major } => {
            let order = if *row_major { " rows" } else { "" };
            format!("mat<f{width}x{rows} * {columns}{}{order}>", step(*stride))
        }
        Ty::Array { of, len: Len::Count(count), stride } => {
            format!("[{} * {count}{}]", spell(of), step(*stride))
        }
        Ty::Array { of, len: Len::Spec(at, _), stride } => {
            format!("[{} * &{at}{}]", spell(of), step(*stride))
        }
        Ty::Array { of, len: Len::Runtime, stride } => format!("[{}{}]", spell(of), step(*stride)),
        Ty::Struct(def) => format!("#{def}"),
    }
}
