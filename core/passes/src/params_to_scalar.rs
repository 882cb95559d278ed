//! `params-to-scalar`: splits vector block parameters into scalar ones.
//!
//! ```text
//!   next(%3)                                  next(%1, %2)
//! ^1(%4: b32x2):                      =>    ^1(%5: b32, %6: b32):
//!                                             %4: b32x2 = vec %5, %6
//! ```
//!
//! Applies to parameters for which some edge passes a value whose components are available, or are computed
//! separately: a vector constructor, a constant, an undefined value, component-wise arithmetic, or another
//! parameter that is split. With `all` it applies to every parameter. The edges pass the components; at the
//! start of the block they are combined again, which `copy-prop` looks through and `dce` removes if the whole
//! vector is unused. Parameters of the function, and addresses, are unchanged.
//!
//! NIR: `nir_lower_phis_to_scalar`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::Arith;
use crate::util::components::is_componentwise;
use crate::util::open::in_order;
use crate::util::params::replace_param;
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Op, ValueType, VectorOp};
use vitrine_ir::{Block, Editor, Inst, Reason, Refusal};

options! {
    /// The parameters that are split.
    struct Split {
        choice params: Params {
            /// Only parameters with an argument whose components are known.
            Useful "useful",
            /// Every parameter.
            All "all",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits vector block parameters into scalar ones.",
    options: Split::INFO,
    ..PassInfo::edits("params-to-scalar", opening!("params_to_scalar.rs"), |ed, cx| {
        params_to_scalar(ed, Split::of(cx.options).params)
    })
};

const WHY: Reason = Reason::Note("its components are passed separately");

/// Splits parameters of blocks. Near-linear; idempotent; both shapes.
fn params_to_scalar(ed: &mut Editor<'_>, which: Params) -> Result<(), Refusal> {
    let blocks = in_order(ed.func());
    let wide = wide(ed, &blocks);
    let split = match which {
        Params::Useful => useful(ed, &wide),
        Params::All => wide.iter().map(|&(_, param)| param).collect(),
    };
    for &(block, param) in &wide {
        if !split.contains(param) {
            continue;
        }
        if !ed.consume_fuel() {
            break;
        }
        let ty = ed.func().ty(param);
        let component = ty.with_components(1);
        let types = vec![component; usize::from(ty.components())];
        replace_param(
            ed,
            block,
            param,
            &types,
            WHY,
            |b, value| b.split(value),
            |b, components| b.join(components),
        )?;
    }
    Ok(())
}

fn wide(ed: &Editor<'_>, blocks: &[Block]) -> Vec<(Block, Inst)> {
    let of = |&block: &Block| {
        ed.func().block(block).params.iter().map(move |&param| (block, param)).collect::<Vec<_>>()
    };
    let is_wide = |&(block, param): &(Block, Inst)| {
        matches!(ed.func().ty(param), ValueType::Bits { components: 2.., .. })
            && !ed.incoming(block).is_empty()
    };
    blocks.iter().flat_map(of).filter(is_wide).collect()
}

/// Parameters with an argument whose components are available, and those that receive such parameters.
fn useful(ed: &Editor<'_>, wide: &[(Block, Inst)]) -> EntitySet<Inst> {
    let mut fed: vitrine_ir::base::SideTable<Inst, Vec<Inst>> = vitrine_ir::base::SideTable::new();
    let mut split = EntitySet::new();
    let mut work = Vec::new();
    for &(block, param) in wide {
        let at = ed.func().block(block).params.iter().position(|&other| other == param);
        for edge in ed.incoming(block) {
            let args = ed.edge_args(edge);
            let Some(&arg) = at.zip(args).and_then(|(at, args)| args.get(at)) else { continue };
            fed[arg].push(param);
            if in_components(ed, arg) {
                work.push(param);
            }
        }
    }
    while let Some(param) = work.pop() {
        if split.insert(param) {
            work.extend(fed[param].iter().copied());
        }
    }
    split
}

fn in_components(ed: &Editor<'_>, value: Inst) -> bool {
    let data = ed.func().inst(value);
    match data.op {
        Op::Basic(BasicOp::Const | BasicOp::Undef) | Op::Vector(VectorOp::Vec | VectorOp::Splat) => true,
        _ => is_componentwise(data),
    }
}
