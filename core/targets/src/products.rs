//! Products of matrices and vectors, which the IR computes column by column.
//!
//! ```text
//! %m = load $m[0..3]      ((%m0 * v.xxxx + %m1 * v.yyyy) + %m2 * v.zzzz) + %m3 * v.wwww      m * v
//!                         vec(dot(v, %m0), dot(v, %m1), dot(v, %m2), dot(v, %m3))            v * m
//! ```
//!
//! A sum is a product if its columns are all columns of one matrix in memory, of a product of matrices, or the first rows
//! of the first columns of such a matrix (`mat3(m)`), and it multiplies and adds in the order in which SPIR-V's instructions
//! are read. The text computes the same, since matrix products have no other definition than that sum. What only the
//! product uses is not written.
//!
//! Looks at single blocks for memory that may change. Leaves sums alone that must be exact.

use super::operands::{self, AllEffects, Place};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{DerefOp, Flags, FloatOp, Key, MemoryOp, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Block, FuncBody, Inst, InstData, Mode, Module, TypeData};

/// The most products of matrices inside of one another.
const MOST_NESTED: usize = 4;

/// A matrix of a product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Matrix {
    /// In memory: the path.
    Path(Inst),
    /// Of two matrices.
    Product(Box<Matrix>, Box<Matrix>),
    /// The first columns, and the first rows of these.
    Cut(Box<Matrix>, u8, u8),
}

/// A product of a matrix and a vector.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) matrix: Matrix,
    pub(super) vector: Inst,
    /// The vector is the left operand.
    pub(super) is_row: bool,
    /// The memory of the matrix, if it may change.
    pub(super) reads: Option<Place>,
}

/// The products of a function.
#[derive(Debug, Default)]
pub(super) struct Products {
    found: FxHashMap<Inst, Product>,
}

impl Products {
    /// Finds them. Linear in the size of the function.
    pub(super) fn of(module: &Module, body: &FuncBody, blocks: &[Block], effects: &AllEffects) -> Products {
        let mut products = Products::default();
        for &block in blocks.iter().filter(|&&block| has_sums(body, block)) {
            let insts = &body.block(block).insts;
            let (places, writes) = (FxHashMap::default(), FxHashMap::default());
            let mut finder = Finder { module, body, effects, places, writes };
            for (at, &inst) in insts.iter().enumerate() {
                let data = body.inst(inst);
                if matches!(data.op, Op::Float(FloatOp::FAdd) | Op::Vector(VectorOp::Vec))
                    && let Some(product) = finder.product(inst)
                {
                    products.found.insert(inst, product);
                }
                if data.op == Op::Memory(MemoryOp::Load) {
                    finder.places.insert(inst, at);
                }
                for place in effects.get(inst).writes.iter() {
                    finder.writes.insert(place, at);
                }
            }
        }
        products
    }

    /// The product that a value is.
    pub(super) fn get(&self, inst: Inst) -> Option<&Product> {
        self.found.get(&inst)
    }
}

impl Product {
    /// Calls `f` with every number that the text contains.
    pub(super) fn for_each_number(&self, body: &FuncBody, f: &mut impl FnMut(Inst)) {
        f(self.vector);
        self.for_each_path(&mut |path| operands::for_each_number_of_path(body, path, f));
    }

    /// Calls `f` with the path of every matrix in memory that the text contains.
    pub(super) fn for_each_path(&self, f: &mut impl FnMut(Inst)) {
        let mut work = vec![&self.matrix];
        while let Some(matrix) = work.pop() {
            match matrix {
                Matrix::Path(path) => f(*path),
                Matrix::Product(a, b) => work.extend([&**a, &**b]),
                Matrix::Cut(of, ..) => work.push(of),
            }
        }
    }
}

/// Returns true if a block has a vector that is computed from loads as a product is.
fn has_sums(body: &FuncBody, block: Block) -> bool {
    let is_one = |&inst: &Inst| match body.inst(inst).op {
        Op::Float(FloatOp::FMul) => body.inst(inst).args.iter().any(|&arg| {
            matches!(body.inst(arg).op, Op::Vector(VectorOp::Splat | VectorOp::Vec | VectorOp::Swizzle))
        }),
        Op::Vector(VectorOp::FDot) => true,
        _ => false,
    };
    body.block(block).insts.iter().any(is_one)
}

/// The current block, up to an instruction.
struct Finder<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    effects: &'a AllEffects,
    /// The positions of loads.
    places: FxHashMap<Inst, usize>,
    /// The last write to each place.
    writes: FxHashMap<Place, usize>,
}

impl Finder<'_> {
    fn product(&self, inst: Inst) -> Option<Product> {
        let (columns, vector, is_row) = match self.body.inst(inst).op {
            Op::Float(_) => {
                let (columns, vector) = self.sum(inst)?;
                (columns, vector, false)
            }
            _ => {
                let (columns, vector) = self.dots(inst)?;
                (columns, vector, true)
            }
        };
        let mut reads = Vec::new();
        let matrix = self.matrix(&columns, &mut reads, MOST_NESTED)?;
        reads.dedup();
        let reads = match reads[..] {
            [] => None,
            [place] => Some(place),
            _ => return None,
        };
        Some(Product { matrix, vector, is_row, reads })
    }

    /// The columns and the vector of `((c0 * x + c1 * y) + c2 * z) + c3 * w`.
    fn sum(&self, sum: Inst) -> Option<(Vec<Inst>, Inst)> {
        let mut terms = Vec::new();
        let mut rest = sum;
        while let Some(&[left, right]) = self.plain(rest, FloatOp::FAdd) {
            terms.push(self.term(right)?);
            if terms.len() > 3 {
                return None;
            }
            rest = left;
        }
        terms.push(self.term(rest)?);
        terms.reverse();
        let &(_, vector, _) = terms.first()?;
        let is_all = terms.len() == usize::from(self.body.ty(vector).components());
        let in_order = terms.iter().zip(0..).all(|(&(_, from, index), at)| from == vector && index == at);
        let columns = terms.iter().map(|&(column, ..)| column).collect();
        (terms.len() > 1 && is_all && in_order).then_some((columns, vector))
    }

    /// The operands of a float operation that need not be exact, of 32 bits and several components.
    fn plain(&self, inst: Inst, op: FloatOp) -> Option<&[Inst; 2]> {
        let data = self.body.inst(inst);
        let is_vector = matches!(data.ty, ValueType::Bits { width: Width::W32, components: 2..=4 });
        let is_plain = data.op == Op::Float(op) && is_vector && !data.flags.has(Flags::EXACT);
        <&[Inst; 2]>::try_from(&data.args[..]).ok().filter(|_| is_plain)
    }

    /// The column, the vector, and the component of it, of `c * v.xxxx`.
    fn term(&self, product: Inst) -> Option<(Inst, Inst, u8)> {
        let &[a, b] = self.plain(product, FloatOp::FMul)?;
        let (vector, index) = self.repeated(b)?;
        Some((a, vector, index))
    }

    /// The vector and the component that all components of a value are.
    fn repeated(&self, value: Inst) -> Option<(Inst, u8)> {
        let data = self.body.inst(value);
        match data.op {
            Op::Vector(VectorOp::Splat) => self.component(*data.args.first()?),
            Op::Vector(VectorOp::Vec) => {
                let (&first, rest) = data.args.split_first()?;
                if rest.iter().all(|&other| other == first) { self.component(first) } else { None }
            }
            Op::Vector(VectorOp::Swizzle) => {
                let picks = picks(data)?;
                let (&first, rest) = picks.split_first()?;
                rest.iter().all(|&other| other == first).then_some((*data.args.first()?, first))
            }
            _ => None,
        }
    }

    /// The vector and the index of a component.
    fn component(&self, value: Inst) -> Option<(Inst, u8)> {
        let data = self.body.inst(value);
        let &vector = data.args.first()?;
        match data.op {
            Op::Vector(VectorOp::Swizzle) if data.ty.components() == 1 => {
                Some((vector, *picks(data)?.first()?))
            }
            Op::Vector(VectorOp::Extract) => {
                let index = self.body.const_of(*data.args.get(1)?)?;
                let index = self.module.bits_of(index).component(0).as_u64();
                Some((vector, u8::try_from(index).ok()?))
            }
            _ => None,
        }
    }

    /// The columns and the vector of `vec(dot(v, c0), …)`.
    fn dots(&self, whole: Inst) -> Option<(Vec<Inst>, Inst)> {
        let data = self.body.inst(whole);
        let dot = |&value: &Inst| {
            let data = self.body.inst(value);
            let is_plain = data.op == Op::Vector(VectorOp::FDot)
                && data.ty.width() == Some(Width::W32)
                && !data.flags.has(Flags::EXACT);
            <[Inst; 2]>::try_from(&data.args[..]).ok().filter(|_| is_plain)
        };
        let pairs: Vec<[Inst; 2]> = data.args.iter().map(dot).collect::<Option<_>>()?;
        let &[vector, _] = pairs.first()?;
        let is_one = pairs.len() > 1 && pairs.iter().all(|&[left, _]| left == vector);
        is_one.then(|| (pairs.iter().map(|&[_, column]| column).collect(), vector))
    }

    /// The matrix that has these columns.
    fn matrix(&self, columns: &[Inst], reads: &mut Vec<Place>, nested: usize) -> Option<Matrix> {
        let nested = nested.checked_sub(1)?;
        self.in_memory(columns, columns.len(), reads)
            .or_else(|| self.multiplied(columns, reads, nested, false))
            .or_else(|| self.cut(columns, reads, nested))
    }

    /// The path of a matrix with `count` columns whose first ones are loaded.
    fn in_memory(&self, columns: &[Inst], count: usize, reads: &mut Vec<Place>) -> Option<Matrix> {
        let mut base = None;
        for (&column, at) in columns.iter().zip(0u64..) {
            let load = self.body.inst(column);
            let is_plain = load.op == Op::Memory(MemoryOp::Load) && !load.attrs.has(Key::Access);
            let step = self.body.inst(*load.args.first().filter(|_| is_plain)?);
            let &[path, index] = &step.args[..] else { return None };
            let index = self.body.const_of(index).filter(|_| step.op == Op::Deref(DerefOp::Elem))?;
            if self.module.bits_of(index).component(0).as_u64() != at {
                return None;
            }
            if !operands::is_same_path(self.body, *base.get_or_insert(path), path) {
                return None;
            }
            if let Some(place) = self.effects.get(column).reads {
                reads.push(self.unchanged(column, place)?);
            }
        }
        let base = base?;
        let ty = self.module.path_type(self.body, base)?.ty;
        match *self.module.type_of(ty) {
            TypeData::Matrix { columns, .. } if columns as usize == count => Some(Matrix::Path(base)),
            _ => None,
        }
    }

    /// The place, if it is a local variable that still holds what was loaded in this block.
    fn unchanged(&self, load: Inst, place: Place) -> Option<Place> {
        let Place::Var(var) = place else { return None };
        let is_local = self.module.var(var)?.mode == Mode::Local;
        let &at = self.places.get(&load)?;
        (is_local && self.writes.get(&place).is_none_or(|&write| write < at)).then_some(place)
    }

    /// The product whose columns are those of a matrix times those of another; with `is_part`, the first of its columns.
    fn multiplied(
        &self,
        columns: &[Inst],
        reads: &mut Vec<Place>,
        nested: usize,
        is_part: bool,
    ) -> Option<Matrix> {
        let sums: Vec<(Vec<Inst>, Inst)> =
            columns.iter().map(|&column| self.sum(column)).collect::<Option<_>>()?;
        let (first, _) = sums.first()?;
        let left = self.matrix(first, reads, nested)?;
        for (others, _) in sums.get(1..)? {
            if self.matrix(others, &mut Vec::new(), nested)? != left {
                return None;
            }
        }
        let vectors: Vec<Inst> = sums.iter().map(|&(_, vector)| vector).collect();
        let right = match is_part {
            true => (columns.len()..=4).find_map(|count| self.in_memory(&vectors, count, reads))?,
            false => self.matrix(&vectors, reads, nested)?,
        };
        Some(Matrix::Product(Box::new(left), Box::new(right)))
    }

    /// The first rows of the first columns of a larger matrix.
    fn cut(&self, columns: &[Inst], reads: &mut Vec<Place>, nested: usize) -> Option<Matrix> {
        let mut rows = 0;
        let mut whole = Vec::new();
        for &column in columns {
            let data = self.body.inst(column);
            let picks = picks(data).filter(|_| data.op == Op::Vector(VectorOp::Swizzle))?;
            if !picks.iter().copied().eq(0..data.ty.components()) {
                return None;
            }
            rows = data.ty.components();
            whole.push(*data.args.first()?);
        }
        let count = u8::try_from(columns.len()).ok()?;
        let wider = (columns.len()..=4).find_map(|count| self.in_memory(&whole, count, reads));
        // Columns of a product that are not needed were not computed, so that it has as many as are used.
        let of = wider.or_else(|| self.multiplied(&whole, reads, nested, true))?;
        Some(Matrix::Cut(Box::new(of), count, rows))
    }
}

/// The components that a swizzle selects.
fn picks(data: &InstData) -> Option<Vec<u8>> {
    let packed = data.attrs.get(Key::Components)?;
    Some((0..usize::from(data.ty.components())).map(|at| unpack_component(packed, at)).collect())
}
