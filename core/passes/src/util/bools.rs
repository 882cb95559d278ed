//! Booleans encoded as numbers: shared by `bool-to-int32` and `bool-to-float`.
//!
//! A boolean that flows through the function is *encoded* as a number of 32 bits. The encoding is computed from
//! the one-bit boolean directly after its producer, and compared with zero directly before its consumer. Logic,
//! selects, components and parameters operate on encoded booleans. Producers (comparisons, group operations,
//! loads) and consumers (conditions, conversions, stores) are unchanged: the IR has one-bit booleans there.

use crate::util::arith::{Arith, build};
use crate::util::open::in_order;
use crate::util::params::replace_param;
use crate::util::rewrite_each::expand_all;
use std::cell::RefCell;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{
    BasicOp, Bits, ConvertOp, FloatBuild, FloatOp, IntBuild, IntOp, Op, Scalar, ValueType, VectorOp, Width,
};
use vitrine_ir::{Builder, Editor, Inst, InstData, Reason, Refusal};

/// The numeric encoding of booleans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BoolEncoding {
    /// All bits or none.
    Bits,
    /// 1.0 or 0.0.
    Float,
}

const WHY: Reason = Reason::Note("the boolean is encoded as a number");

/// The state of one pass run: the encoded booleans so far.
struct Encoder {
    encoding: BoolEncoding,
    made: RefCell<EntitySet<Inst>>,
    /// Numbers converted from booleans, each with its boolean.
    found: RefCell<Vec<(Inst, Inst)>>,
}

/// Encodes the booleans of a function as numbers. Near-linear; idempotent; both shapes.
pub(crate) fn lower(ed: &mut Editor<'_>, encoding: BoolEncoding) -> Result<(), Refusal> {
    let encoding = Encoder { encoding, made: RefCell::default(), found: RefCell::default() };
    for block in in_order(ed.func()) {
        for &param in ed.func().block(block).params.clone().iter() {
            let ty = ed.func().ty(param);
            if ty.width() != Some(Width::W1) || ed.incoming(block).is_empty() {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            let number = ValueType::bits(Width::W32, ty.components());
            let apart = |b: &mut Builder<'_, '_>, value| vec![encoding.of(b, value)];
            let whole = |b: &mut Builder<'_, '_>, parts: &[Inst]| match *parts {
                [number] => encoding.decode(b, number),
                _ => param,
            };
            replace_param(ed, block, param, &[number], WHY, apart, whole)?;
        }
    }
    let wants = |ed: &Editor<'_>, data: &InstData| flows(ed, data);
    expand_all(
        ed,
        wants,
        |ed, inst| build(ed, inst, WHY, |b, data| encoding.encode_operation(b, data)),
        WHY,
    )?;
    // The values that edges passed before they were encoded.
    for &(number, value) in encoding.found.borrow().iter() {
        if !ed.is_placed(number) || ed.block_of(value).is_none() {
            continue;
        }
        let Some(known) = encoding.encoded_source(ed, value).filter(|&known| known != number) else {
            continue;
        };
        let bit_source = ed.func().inst(number).args.first().copied();
        if !ed.consume_fuel() {
            break;
        }
        ed.replace(number, known, WHY)?;
        if let Some(bit) = bit_source.filter(|&bit| bit != value && ed.use_count(bit) == 0) {
            ed.erase(bit, WHY)?;
        }
    }
    Ok(())
}

/// Returns true if an instruction computes booleans from booleans only.
fn flows(ed: &Editor<'_>, data: &InstData) -> bool {
    let decode =
        |at: usize| data.args.get(at).is_some_and(|&arg| ed.func().ty(arg).width() == Some(Width::W1));
    if data.ty.width() != Some(Width::W1) {
        return false;
    }
    match data.op {
        Op::Basic(BasicOp::Const | BasicOp::Undef) => true,
        Op::Int(IntOp::IAnd | IntOp::IOr | IntOp::IXor | IntOp::INot | IntOp::IEq | IntOp::INe) => decode(0),
        Op::Int(IntOp::Select | IntOp::Select1) => decode(1),
        Op::Basic(BasicOp::Copy)
        | Op::Vector(
            VectorOp::Vec
            | VectorOp::Splat
            | VectorOp::Swizzle
            | VectorOp::Shuffle
            | VectorOp::Extract
            | VectorOp::Insert,
        ) => decode(0),
        _ => false,
    }
}

impl Encoder {
    /// The encoded form of a boolean; the number it was converted from, if that is known.
    fn of(&self, b: &mut Builder<'_, '_>, value: Inst) -> Inst {
        if let Some(bits) = b.editor().bits_of(value) {
            return self.constant(b, bits);
        }
        if let Some(encoding) = self.encoded_source(b.editor(), value) {
            return encoding;
        }
        let number = match self.encoding {
            BoolEncoding::Bits => {
                let one = b.to(ConvertOp::B2I, Width::W32, value);
                b.ineg(one)
            }
            BoolEncoding::Float => b.to(ConvertOp::B2F, Width::W32, value),
        };
        self.found.borrow_mut().push((number, value));
        number
    }

    fn constant(&self, b: &mut Builder<'_, '_>, bits: Bits) -> Inst {
        let component = |component: Scalar| match (self.encoding, component.as_bool()) {
            (BoolEncoding::Bits, decode) => Scalar::i(Width::W32, -i64::from(decode)),
            (BoolEncoding::Float, decode) => Scalar::float(Width::W32, f64::from(u8::from(decode))),
        };
        let components: Vec<Scalar> = bits.scalars().map(component).collect();
        Arith::constant(b, Bits::from_scalars(&components))
    }

    /// The number that a boolean compares with zero, if that number is an encoded boolean.
    fn encoded_source(&self, ed: &Editor<'_>, value: Inst) -> Option<Inst> {
        let data = ed.func().inst(value);
        let question = match self.encoding {
            BoolEncoding::Bits => Op::Int(IntOp::INe),
            BoolEncoding::Float => Op::Float(FloatOp::FNeu),
        };
        let &[number, zero] = &data.args[..] else { return None };
        let zero = ed.bits_of(zero)?.components().iter().all(|&component| component == 0);
        (data.op == question && zero && self.made.borrow().contains(number)).then_some(number)
    }

    /// Converts an encoded boolean to a one-bit boolean.
    fn decode(&self, b: &mut Builder<'_, '_>, number: Inst) -> Inst {
        self.made.borrow_mut().insert(number);
        match self.encoding {
            BoolEncoding::Bits => {
                let zero = b.number(number, 0);
                b.ine(number, zero)
            }
            BoolEncoding::Float => {
                let zero = b.real(number, 0.0);
                b.fneu(number, zero)
            }
        }
    }

    /// The encoded form of an operation on booleans.
    fn encode_operation(&self, b: &mut Builder<'_, '_>, data: &InstData) -> Option<Inst> {
        let ty = ValueType::bits(Width::W32, data.ty.components());
        let number = match data.op {
            Op::Basic(BasicOp::Const) => {
                let id = data.entity(vitrine_ir::ops::Key::Const)?;
                let bits = b.editor().module().bits_of(id);
                self.constant(b, bits)
            }
            Op::Basic(BasicOp::Undef) => b.undef(ty),
            Op::Int(op @ (IntOp::Select | IntOp::Select1)) => {
                let &[cond, x, y] = &data.args[..] else { return None };
                let (x, y) = (self.of(b, x), self.of(b, y));
                b.checked(op, ty, &[cond, x, y])
            }
            Op::Int(op) => {
                let args: Vec<Inst> = data.args.iter().map(|&arg| self.of(b, arg)).collect();
                self.logic(b, op, &args)?
            }
            Op::Vector(VectorOp::Extract | VectorOp::Insert) => {
                let mut args = Vec::new();
                let last = data.args.len().saturating_sub(1);
                for (at, &arg) in data.args.iter().enumerate() {
                    args.push(if at == last { arg } else { self.of(b, arg) });
                }
                b.checked(data.op, ty, &args)
            }
            _ => {
                let args: Vec<Inst> = data.args.iter().map(|&arg| self.of(b, arg)).collect();
                let mut made = InstData::new(data.op, ty, &args);
                made.attrs = data.attrs.clone();
                b.emit_with(made)
            }
        };
        Some(self.decode(b, number))
    }

    fn logic(&self, b: &mut Builder<'_, '_>, op: IntOp, args: &[Inst]) -> Option<Inst> {
        Some(match (self.encoding, op, args) {
            (BoolEncoding::Bits, IntOp::IAnd, &[x, y]) => b.iand(x, y),
            (BoolEncoding::Bits, IntOp::IOr, &[x, y]) => b.ior(x, y),
            (BoolEncoding::Bits, IntOp::IXor | IntOp::INe, &[x, y]) => b.ixor(x, y),
            (BoolEncoding::Bits, IntOp::INot, &[x]) => b.inot(x),
            (BoolEncoding::Bits, IntOp::IEq, &[x, y]) => {
                let differs = b.ixor(x, y);
                b.inot(differs)
            }
            (BoolEncoding::Float, IntOp::IAnd, &[x, y]) => b.fmul(x, y),
            (BoolEncoding::Float, IntOp::IOr, &[x, y]) => b.fmax(x, y),
            (BoolEncoding::Float, IntOp::IXor | IntOp::INe, &[x, y]) => {
                let differs = b.fneu(x, y);
                b.to(ConvertOp::B2F, Width::W32, differs)
            }
            (BoolEncoding::Float, IntOp::IEq, &[x, y]) => {
                let same = b.feq(x, y);
                b.to(ConvertOp::B2F, Width::W32, same)
            }
            (BoolEncoding::Float, IntOp::INot, &[x]) => {
                let one = b.real(x, 1.0);
                b.fsub(one, x)
            }
            _ => return None,
        })
    }
}
