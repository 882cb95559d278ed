//! `alu-to-spirv`: expands arithmetic that SPIR-V of shaders lacks.
//!
//! ```text
//!                                             %2: b1 = feq %0, %0
//!                                             %3: b1 = feq %1, %1
//!   %4: b1 = ford %0, %1               =>     %4: b1 = iand %2, %3
//! ```
//!
//! SPIR-V has these operations for kernels only, for 32 bits only, for vectors only, or in an extension:
//!
//! | operation | shaders | expansion |
//! |---|---|---|
//! | `ford`, `funord`, `fisfinite`, `fisnormal`, `fsignbit` | none | comparisons of floats and of bits |
//! | `f2i_sat`, `f2u_sat`, `i2i_sat`, `u2u_sat`, `i2u_sat`, `u2i_sat` | none | clamp, then convert |
//! | `fround_away` | none, also for kernels without their functions | truncate, then add one |
//! | `f2f_rtz`, `f2f_rtp`, `f2f_rtn` | none, except before a store | the nearest float or its neighbor |
//! | `bitcount`, `bitrev`, `ubfe`, `ibfe`, `bfi`, `find_lsb`, `ufind_msb`, `ifind_msb` | 32 bits | `lower-alu`, 32 bits |
//! | `clz`, `ctz`, saturating sums, averages, distances | an extension | `lower-alu` |
//! | `all`, `any`, `fdot`, `extract`, `insert` of a scalar | vectors | the scalar operation |
//! | `ddx`, `ddy`, `fwidth` of 16 bits | 32 bits | derivative of the 32-bit value |
//!
//! The results are identical bit for bit, except of derivatives. In a module that declares the capability `Kernel`,
//! only scalars and the operations of the extension are expanded; in one that declares `IntegerFunctions2INTEL`, the
//! latter are unchanged. If execution
//! modes make floats round toward zero or flush subnormals, the steps of a directed conversion would round
//! differently: those remain, and the writer refuses them.
//!
//! No counterpart in NIR, whose drivers each select among the options of `nir_lower_alu`.

use super::pass::PassInfo;
use crate::util::arith::{Arith, build, shader};
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{ConvertOp, FloatOp, GroupOp, IntOp, MemoryOp, Op, VectorOp, Width};
use vitrine_ir::{Args, Editor, FuncBody, Inst, InstData, Reason, Refusal, Use};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Expands arithmetic that SPIR-V of shaders lacks.",
    may_apply: |body, _| may_have(body, |data| may_lack(body, data)),
    ..PassInfo::edits("alu-to-spirv", opening!("alu_to_spirv.rs"), |ed, _| alu_to_spirv(ed))
};

const WHY: Reason = Reason::Note("SPIR-V of shaders lacks the operation");

/// Expands the operations. Linear in the size of the result; idempotent; both shapes.
pub(super) fn alu_to_spirv(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_shader = !ed.module().declares("Kernel");
    let usual = FloatModes::of(ed.module()).are_usual();
    let has_integer_functions = ed.module().declares("IntegerFunctions2INTEL");
    let is_selected = |ed: &Editor<'_>, data: &InstData| {
        let Some(&first) = data.args.first() else { return false };
        let ty = || ed.func().ty(first);
        let width = || ty().width();
        match data.op {
            Op::Int(_) if shader::is_integer_function(data.op) => !has_integer_functions,
            Op::Vector(_) => shader::needs_vectors(data.op) && ty().components() == 1,
            Op::Float(FloatOp::FRoundAway) => true,
            _ if !is_shader => false,
            Op::Int(_) => shader::needs_32_bits(data.op) && width() != Some(Width::W32) || is_split(ed, data),
            Op::Convert(_) if shader::has_direction(data.op) => usual,
            Op::Convert(_) => shader::saturates(data.op),
            Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => width() == Some(Width::W16),
            _ => shader::CLASSES.contains(&data.op),
        }
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        if shader::has_direction(ed.func().inst(inst).op) && is_stored(ed, inst) {
            return Ok(None);
        }
        build(ed, inst, WHY, |b, data| match data.op {
            Op::Group(_) => {
                let wide = b.to(ConvertOp::F2F, Width::W32, data.args[0]);
                let ty = b.type_of(wide);
                let derivative = b.emit_with(InstData { args: Args::new(&[wide]), ty, ..data.clone() });
                Some(b.to(ConvertOp::F2F, Width::W16, derivative))
            }
            _ => shader::expanded(b, data.op, data.ty, &data.args),
        })
    };
    expand_all(ed, is_selected, expand, WHY)
}

/// Returns true for an operation that SPIR-V lacks, in shaders or also in kernels.
fn may_lack(body: &FuncBody, data: &InstData) -> bool {
    let op = data.op;
    let Some(&first) = data.args.first() else { return false };
    let is_narrow_or_wide = || body.ty(first).width() != Some(Width::W32);
    match op {
        Op::Int(IntOp::UBfe | IntOp::IBfe | IntOp::Bfi) => true,
        Op::Int(_) => shader::is_integer_function(op) || shader::needs_32_bits(op) && is_narrow_or_wide(),
        Op::Float(FloatOp::FRoundAway) => true,
        Op::Vector(_) => shader::needs_vectors(op) && body.ty(first).components() == 1,
        Op::Convert(_) => shader::has_direction(op) || shader::saturates(op),
        Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => is_narrow_or_wide(),
        _ => shader::CLASSES.contains(&op),
    }
}

/// Returns true for a bit field whose offset or count differs between components: SPIR-V takes one for all.
fn is_split(ed: &Editor<'_>, data: &InstData) -> bool {
    let first = match data.op {
        Op::Int(IntOp::UBfe | IntOp::IBfe) => 1,
        Op::Int(IntOp::Bfi) => 2,
        _ => return false,
    };
    data.args.iter().skip(first).any(|&count| {
        let scalar = ed.func().ty(count).components() == 1;
        let same = ed.bits_of(count).is_some_and(|bits| {
            let first = bits.components().first();
            bits.components().iter().all(|component| Some(component) == first)
        });
        !scalar && !same && ed.func().inst(count).op != Op::Vector(VectorOp::Splat)
    })
}

/// Returns true if a value is only stored, toward zero: that is the conversion with a direction that shaders have.
fn is_stored(ed: &Editor<'_>, inst: Inst) -> bool {
    let is_store = |place: Use| match place {
        Use::Arg(user, _) => ed.func().inst(user).op == Op::Memory(MemoryOp::Store),
        Use::Terminator(..) | Use::Node(_) => false,
    };
    let toward_zero = ed.func().inst(inst).op == Op::Convert(ConvertOp::F2FRtz);
    toward_zero && ed.use_count(inst) > 0 && ed.uses(inst).all(is_store)
}
