//! Converts images addressed by texel to 2D images: changes the declared type, and divides coordinates by the
//! size.
//!
//! One unit of fuel per variable. Variables that escape are unchanged.

use super::{WHY, in_width, size_as_float};
use crate::pass::Journals;
use crate::util::arith::Arith;
use crate::util::handles::{Handles, element, of_other};
use crate::util::image_operands::{Roles, dim};
use crate::util::rewrite_each::rewrite_everywhere;
use rustc_hash::FxHashSet;
use vitrine_ir::ops::{Dim, FloatBuild, Op, Role, TexOp, Width};
use vitrine_ir::{Diag, Editor, Fuel, InsertPoint, Inst, InstData, Module, Refusal, TypeData, Var, VarData};

/// Lowers variables and all their lookups.
pub(super) fn lower(module: &mut Module, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_rect = |data: &VarData| match module.type_of(element(module, data.ty).0) {
        TypeData::Image(image) | TypeData::SampledImage(image) => image.dim == Dim::Rect,
        _ => false,
    };
    let handles = Handles::of(module, is_rect);
    let all: Vec<(Var, VarData)> = module.vars().map(|(var, data)| (var, data.clone())).collect();
    let known = all.into_iter().filter(|(var, _)| handles.knows(*var));
    let selected: Vec<(Var, VarData)> = known.take_while(|_| fuel.take()).collect();
    let vars: FxHashSet<Var> = selected.iter().map(|&(var, _)| var).collect();
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let rect_lookup = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let lead = handles.lead(ed.id(), *data.args.first()?)?;
        let is_rect_lookup = vars.contains(&lead.var) && dim(data) == Some(Dim::Rect);
        let Op::Tex(op) = data.op else { return None };
        is_rect_lookup.then(|| (op, data.clone().with_word(Dim::D2)))
    };
    let journals =
        rewrite_everywhere(module, rect_lookup, |ed, inst, (op, data)| lookup(ed, inst, &data, op))?;
    for (var, data) in selected {
        let other = match module.type_of(element(module, data.ty).0).clone() {
            TypeData::Image(image) => TypeData::Image(vitrine_ir::ImageType { dim: Dim::D2, ..image }),
            TypeData::SampledImage(image) => {
                TypeData::SampledImage(vitrine_ir::ImageType { dim: Dim::D2, ..image })
            }
            _ => continue,
        };
        let ty = of_other(module, data.ty, other);
        module.set_var(var, VarData { ty, ..data });
    }
    Ok(journals)
}

fn lookup(ed: &mut Editor<'_>, inst: Inst, data: &InstData, op: TexOp) -> Result<(), Refusal> {
    let Some(mut roles) = Roles::of(data) else { return Ok(()) };
    let mut b = ed.build(InsertPoint::Before(inst), WHY);
    if op == TexOp::QuerySize {
        let zero = b.int(Width::W32, 0);
        roles.set(Role::Lod, zero);
    }
    if matches!(op, TexOp::Sample | TexOp::SampleLod | TexOp::Gather) {
        let width = roles.get(Role::Coord).map_or(Width::W32, |coord| b.width(coord));
        let Some(size) = size_as_float(&mut b, data, &roles, width) else { return b.finish() };
        for role in [Role::Coord, Role::Ddx, Role::Ddy] {
            let Some(place) = roles.get(role) else { continue };
            let place = b.pick(place, &[0, 1]);
            let place = in_width(&mut b, place, width);
            let place = b.fdiv(place, size);
            roles.set(role, place);
        }
    }
    b.finish()?;
    ed.rewrite(inst, roles.put(op, data), WHY)
}
