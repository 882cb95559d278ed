//! Texture instructions of models 2 and 3, and the sampling that all models share.

use super::Reader;
use super::operands::components;
use crate::sm1::{Dst, Inst as Sm1, Op, SAMPLINGS, Src};
use vitrine_ir::ops::{
    Attr, DerefOp, Emit, FloatBuild, IntBuild, IoOp, Key, MemoryOp, Role, TexOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Attrs, Inst, InstData};

/// The way of choosing a level of detail.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// From the derivatives of the coordinate.
    Implicit,
    /// The same, plus a number.
    Bias(Inst),
    /// This one.
    Explicit(Inst),
    /// From these derivatives.
    Gradients(Inst, Inst),
}

impl Reader<'_> {
    /// The value of a texture instruction for the components of its destination. None if it is another one.
    pub(super) fn texture(&mut self, inst: &Sm1) -> Option<Inst> {
        let dst = inst.dst?;
        let [coordinate, sampler, ddx, ddy] = &inst.sources;
        let level = match inst.op {
            Op::TexLd => {
                let sampling = SAMPLINGS.get(usize::from(inst.control)).copied().unwrap_or("");
                match sampling {
                    "texldp" => return Some(self.projected(coordinate, sampler, &dst)),
                    "texldb" => Level::Bias(self.source(coordinate, &[3])),
                    _ => Level::Implicit,
                }
            }
            Op::TexLdl => Level::Explicit(self.source(coordinate, &[3])),
            Op::TexLdd => {
                let at = self.coordinates(sampler.register.number);
                Level::Gradients(self.source(ddx, &at), self.source(ddy, &at))
            }
            _ => return None,
        };
        let at = self.coordinates(sampler.register.number);
        let position = self.source(coordinate, &at);
        Some(self.sampled(sampler, position, level, &dst))
    }

    /// The components of a texture's coordinate.
    pub(super) fn coordinates(&self, sampler: u16) -> Vec<u8> {
        let count = self.interface.samplers.get(&sampler).map_or(2, |sampler| sampler.coordinates());
        (0..count).collect()
    }

    fn projected(&mut self, coordinate: &Src, sampler: &Src, dst: &Dst) -> Inst {
        let at = self.coordinates(sampler.register.number);
        let position = self.source(coordinate, &at);
        let by = self.source(coordinate, &[3]);
        let by = self.cursor.widen(by, at.len() as u8);
        let position = self.cursor.fdiv(position, by);
        self.sampled(sampler, position, Level::Implicit, dst)
    }

    /// A sample, with the swizzle of the sampler, for the components of a destination.
    fn sampled(&mut self, sampler: &Src, position: Inst, level: Level, dst: &Dst) -> Inst {
        let texel = self.sample(sampler.register.number, position, level);
        let at: Vec<u8> =
            components(dst.mask).into_iter().map(|at| sampler.component(u32::from(at))).collect();
        self.cursor.swizzle(texel, &at)
    }

    /// Four components of a texture.
    pub(super) fn sample(&mut self, number: u16, position: Inst, level: Level) -> Inst {
        let b32x4 = ValueType::bits(Width::W32, 4);
        let Some(&sampler) = self.interface.samplers.get(&number) else {
            self.error("D132", format!("`s{number}` is no sampler of the program"));
            return self.cursor.undef(b32x4);
        };
        let path = InstData::new(DerefOp::Var, ValueType::Path, &[]);
        let path =
            self.cursor.add(path.with(Key::Var, vitrine_ir::base::EntityId::index(sampler.var) as u64));
        let image = self.cursor.add(InstData::new(MemoryOp::Load, ValueType::Handle, &[path]));
        let (op, more): (TexOp, Vec<(Role, Inst)>) = match level {
            // Vertex shaders have no derivatives.
            Level::Implicit if self.version.is_vertex() => {
                let zero = self.cursor.float(0.0, 1);
                (TexOp::SampleLod, vec![(Role::Lod, zero)])
            }
            Level::Implicit => (TexOp::Sample, Vec::new()),
            Level::Bias(bias) if self.version.is_vertex() => (TexOp::SampleLod, vec![(Role::Lod, bias)]),
            Level::Bias(bias) => (TexOp::Sample, vec![(Role::Bias, bias)]),
            Level::Explicit(lod) => (TexOp::SampleLod, vec![(Role::Lod, lod)]),
            Level::Gradients(x, y) => (TexOp::SampleLod, vec![(Role::Ddx, x), (Role::Ddy, y)]),
        };
        let mut args = vec![image, position];
        let mut roles = vec![Role::Image, Role::Coord];
        for (role, arg) in more {
            roles.push(role);
            args.push(arg);
        }
        let mut data = InstData::new(op, b32x4, &args);
        data.attrs =
            Attrs::from_list(vec![Attr::word(sampler.dim), Attr::new(Key::Roles, Role::pack(&roles))]);
        self.cursor.add(data)
    }

    /// Discards the pixel if a component of the register is negative: the first three before 2_x, later those of
    /// the mask. The pixel goes on for its neighbors, if they ask it for derivatives.
    pub(super) fn kill(&mut self, inst: &Sm1) {
        let Some(dst) = inst.dst else { return };
        let tests_three = self.version.major < 2 || (self.version.major == 2 && self.version.minor == 0);
        let at = if tests_three { vec![0, 1, 2] } else { components(dst.mask) };
        if at.is_empty() {
            return;
        }
        let value = self.source(&Src::plain(dst.register), &at);
        let zero = self.cursor.float(0.0, at.len() as u8);
        let mut negative = self.cursor.flt(value, zero);
        if let Some(predicate) = inst.predicate {
            let predicate = self.predicate(&predicate, &at);
            negative = self.cursor.iand(negative, predicate);
        }
        let any = match at.len() {
            1 => negative,
            _ => self.cursor.emit(VectorOp::Any.into(), &[negative]),
        };
        let op = if self.survey.kills_go_on { IoOp::DemoteIf } else { IoOp::DiscardIf };
        self.cursor.add(InstData::new(op, ValueType::Void, &[any]));
    }

    /// A destination as a source: texture instructions of model 1 read theirs.
    pub(super) fn own(&self, dst: &Dst) -> Src {
        Src::plain(dst.register)
    }
}
