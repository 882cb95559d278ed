//! Lookups that GLSL ES does not have (GLSL ES 3.00 and 3.10, 8.8 and 8.9): refused by name.
//!
//! The functions of GLSL 4.60 exist for every kind of image; those of GLSL ES for a few, and offsets are constants.

use crate::func::FuncWriter;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Dim, Key, TexOp};
use vitrine_ir::{Help, ImageType, Inst};

impl FuncWriter<'_, '_> {
    /// Refuses a lookup that GLSL ES does not have. Returns true if it did.
    pub(super) fn es_refuses_lookup(&mut self, inst: Inst, op: TexOp, image: ImageType) -> bool {
        if self.w.es().is_none() {
            return false;
        }
        let Some((reason, help)) = self.es_missing(inst, op, image) else { return false };
        self.refuse(inst, reason, help);
        true
    }

    /// The reason why GLSL ES does not have a lookup, and what helps.
    fn es_missing(&self, inst: Inst, op: TexOp, image: ImageType) -> Option<(&'static str, Help)> {
        let has = |role| self.role(inst, role).is_some();
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let (is_plane, is_flat) = (image.dim == Dim::D2, image.dim == Dim::D2 && !image.arrayed);
        let is_offset = has(Role::Offset);
        if is_offset
            && self.role(inst, Role::Offset).is_some_and(|offset| self.body.const_of(offset).is_none())
        {
            return Some((
                "its offsets are constants",
                Help::by_pass("lower-tex{offset}", "lowers those of fetches and gathers"),
            ));
        }
        match op {
            TexOp::Sample | TexOp::SampleLod => {
                let (lod, grad) = (has(Role::Lod), has(Role::Ddx));
                if is_offset && compares && !(is_flat || is_plane && grad) {
                    return Some(("it has no comparison in layers or cubes with an offset", Help::default()));
                }
                if is_offset && !is_plane && image.dim != Dim::D3 {
                    return Some(("it has no lookup in cubes with an offset", Help::default()));
                }
                if has(Role::Bias) && compares && image.arrayed {
                    return Some((
                        "it has no comparison in layers with a bias",
                        Help::by_pass("lower-tex{bias}", "may help"),
                    ));
                }
                if has(Role::Projector) && (image.arrayed || image.dim == Dim::Cube) {
                    return Some((
                        "it has no such lookup with projection",
                        Help::lowered_by("lower-tex{projector}"),
                    ));
                }
                if compares && image.arrayed && image.dim == Dim::Cube && (lod || grad) {
                    return Some(("it has no such comparison in layers or cubes", Help::default()));
                }
                None
            }
            TexOp::Gather => match (image.dim, is_offset) {
                (Dim::D2, _) | (Dim::Cube, false) => None,
                (_, true) => Some(("it has no gather in cubes with an offset", Help::default())),
                _ => Some(("it gathers in planes, layers and cubes only", Help::default())),
            },
            TexOp::Fetch => {
                let is_offset = is_offset && (image.multisampled || !is_plane && image.dim != Dim::D3);
                is_offset
                    .then(|| ("it has no such fetch with an offset", Help::lowered_by("lower-tex{offset}")))
            }
            TexOp::Read
            | TexOp::Write
            | TexOp::QuerySize
            | TexOp::QueryLod
            | TexOp::QueryLevels
            | TexOp::QuerySamples
            | TexOp::Combine
            | TexOp::ImageOf
            | TexOp::Resident => None,
        }
    }
}
