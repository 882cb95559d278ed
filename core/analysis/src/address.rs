//! Addresses of untyped pointers: a base, a constant number of bytes, and indices with their strides.
//!
//! ```text
//! %1: ptr = ptr.var $lights                         %1
//! %2: ptr = ptr.buffer_data %1                      %2, of $lights
//! %3: ptr = ptr.dyn_offset %2, %i {stride 32}       %2 + %i * 32, of $lights
//! %4: ptr = ptr.offset %3 {offset 16}               %2 + 16 + %i * 32, of $lights
//! %5: ptr = choose %c, %3, %4                       %5: a new base
//! ```
//!
//! The base is the instruction from which bytes are counted: a variable, the data of a buffer, an element of
//! an array of resources, and any other source of a pointer (a parameter, a load, a select, a call, bits).
//! The object that a base belongs to is its [`Root`]. A constant index counts as bytes, unless it is
//! outside of the range that its step allows.
//!
//! Each step depends only on its operand, so all pointers of a function take one pass in dominance order.
//! Parameters and loops are not resolved (`usage` does that). A pointer that is used before its definition,
//! which occurs only in unreachable code, is a new base.

use super::Cfg;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, Key, Op, PtrOp, ValueType};
use vitrine_ir::{Block, FuncBody, GlobalValue, Inst, InstData, Module, Var};

/// A step whose length is only known at run time: `index` times `stride` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// The number of strides.
    pub index: Inst,
    /// The stride in bytes.
    pub stride: u32,
    /// The number of bytes that may be accessed from the start of the step, if it is known.
    pub range: Option<u32>,
    /// Constant bytes of the address before the step: a negative index may move before the start of memory,
    /// and no later step returns.
    pub before: i64,
}

/// The address of one pointer: `base + offset + Σ index * stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address<'a> {
    /// The instruction from which bytes are counted.
    pub base: Inst,
    /// Constant distance in bytes.
    pub offset: i64,
    /// Distances known at run time, in the order of the steps.
    pub terms: &'a [Term],
}

/// The object a pointer refers to, as far as steps determine it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Root {
    /// A variable, or one of its resources.
    Var(Var),
    /// The unknown target of this value.
    Value(Inst),
}

/// The addresses of all pointers of a function.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// By pointer: its index in `known`, from 1; 0 for other values.
    of: SideTable<Inst, u32>,
    known: Vec<Packed>,
    /// The terms of all addresses; a longer chain of steps shares the terms of the shorter one it extends.
    terms: Vec<Term>,
}

#[derive(Clone, Copy, Debug)]
struct Packed {
    base: Inst,
    offset: i64,
    /// The start of its terms, and their number.
    terms: (u32, u32),
    root: Root,
}

impl Addresses {
    /// Resolves the pointers of a function, valid or not. Linear.
    pub fn of(module: &Module, body: &FuncBody) -> Addresses {
        Addresses::in_order(module, body, &Cfg::of(body))
    }

    /// Like [`Addresses::of`], with the graph of the function, which gives the order.
    pub fn in_order(module: &Module, body: &FuncBody, cfg: &Cfg) -> Addresses {
        Addresses::along(module, body, cfg.blocks())
    }

    /// Like [`Addresses::of`], with the blocks in dominance order.
    pub fn along(module: &Module, body: &FuncBody, order: &[Block]) -> Addresses {
        let of = SideTable::sized(0, body.tables().insts.len());
        let mut found = Addresses { of, known: Vec::new(), terms: Vec::new() };
        for &param in body.params() {
            found.read(module, body, param);
        }
        for &block in order {
            let data = body.block(block);
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| found.read(module, body, inst));
        }
        found
    }

    /// The address of a pointer; `None` for a value that is not a pointer of the function.
    pub fn get(&self, pointer: Inst) -> Option<Address<'_>> {
        let packed = self.packed(pointer)?;
        let (from, len) = packed.terms;
        let terms = self.terms.get(from as usize..(from + len) as usize)?;
        Some(Address { base: packed.base, offset: packed.offset, terms })
    }

    /// The number of a pointer, from 0 in the order in which they were resolved; `None` for a value that is
    /// not a pointer of the function.
    #[inline]
    pub fn number(&self, pointer: Inst) -> Option<usize> {
        (self.of[pointer] as usize).checked_sub(1)
    }

    /// Number of pointers.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The object a pointer refers to; `None` for a value that is not a pointer of the function.
    pub fn root(&self, pointer: Inst) -> Option<Root> {
        self.packed(pointer).map(|packed| packed.root)
    }

    /// Returns true if this pointer is a base.
    pub fn is_base(&self, pointer: Inst) -> bool {
        self.packed(pointer).is_some_and(|packed| packed.base == pointer)
    }

    fn read(&mut self, module: &Module, body: &FuncBody, inst: Inst) {
        let Some(data) = body.tables().insts.get(inst).filter(|data| data.ty == ValueType::Ptr) else {
            return;
        };
        let from = data.args.first().and_then(|&from| self.packed(from));
        let further = from.and_then(|from| self.step(module, body, data, from));
        self.known.push(further.unwrap_or_else(|| {
            let root = match data.op {
                Op::Ptr(PtrOp::Var) | Op::Basic(BasicOp::Global) => {
                    variable(module, data).map_or(Root::Value(inst), Root::Var)
                }
                Op::Ptr(PtrOp::BufferData | PtrOp::HandleIndex | PtrOp::Offset | PtrOp::DynOffset) => {
                    from.map_or(Root::Value(inst), |from| from.root)
                }
                _ => Root::Value(inst),
            };
            Packed { base: inst, offset: 0, terms: (0, 0), root }
        }));
        self.of[inst] = self.known.len() as u32;
    }

    fn packed(&self, pointer: Inst) -> Option<Packed> {
        self.known.get(self.number(pointer)?).copied()
    }

    /// The address after a step; `None` if it is a new base.
    fn step(&mut self, module: &Module, body: &FuncBody, data: &InstData, from: Packed) -> Option<Packed> {
        let by = |bytes: i64| Some(Packed { offset: from.offset.checked_add(bytes)?, ..from });
        match data.op {
            Op::Basic(BasicOp::Copy) => Some(from),
            Op::Ptr(PtrOp::Offset) => by(offset_of(data)),
            Op::Ptr(PtrOp::DynOffset) => {
                let &index = data.args.get(1)?;
                let stride = number(data, Key::Stride)?;
                let range = number(data, Key::Range);
                let term = Term { index, stride, range, before: from.offset };
                match constant(module, body, term) {
                    Some(bytes) => by(bytes),
                    None => self.with(from, term),
                }
            }
            _ => None,
        }
    }

    fn with(&mut self, from: Packed, term: Term) -> Option<Packed> {
        let (start, len) = from.terms;
        // Terms at the end of the pool are extended in place.
        let end = u32::try_from(self.terms.len()).ok()?;
        let start = if start + len == end {
            start
        } else {
            self.terms.extend_from_within(start as usize..(start + len) as usize);
            end
        };
        self.terms.push(term);
        Some(Packed { terms: (start, len + 1), ..from })
    }
}

/// The constant distance that an access or a step specifies, in bytes; 0 if none.
pub fn offset_of(data: &InstData) -> i64 {
    data.attrs.get(Key::Offset).map_or(0, |bytes| i64::from((bytes as u32).cast_signed()))
}

/// The variable at which a pointer starts.
fn variable(module: &Module, data: &InstData) -> Option<Var> {
    let var = match data.op {
        Op::Basic(BasicOp::Global) => match module.global(data.entity(Key::Global)?)?.value {
            GlobalValue::Address(var) => var,
            _ => return None,
        },
        _ => data.entity(Key::Var)?,
    };
    module.var(var).map(|_| var)
}

fn number(data: &InstData, key: Key) -> Option<u32> {
    data.attrs.get(key).and_then(|number| u32::try_from(number).ok())
}

/// Bytes of a step with a constant index, if it stays in its range.
fn constant(module: &Module, body: &FuncBody, term: Term) -> Option<i64> {
    let bits = module.bits_of(body.const_of(term.index)?);
    let index = bits.component(0).as_i64();
    let count = term.range.and_then(|range| range.checked_div(term.stride));
    let inside = count.is_none_or(|count| u32::try_from(index).is_ok_and(|index| index < count));
    index.checked_mul(i64::from(term.stride)).filter(|_| inside && bits.ty().components() == 1)
}

/// The greatest common divisor; of 0 and a number, that number.
pub fn gcd<T: Copy + Default + PartialEq + std::ops::Rem<Output = T>>(mut a: T, mut b: T) -> T {
    while b != T::default() {
        (a, b) = (b, a % b);
    }
    a
}
