//! Vectors: components in a new order, products, and components at a computed index.

use super::select::{Class, Comp, Comps, Selector, absolute, float, negate};
use crate::sm1::Op as Sm1;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{Key, VectorOp};
use vitrine_ir::{Inst, InstData};

impl Selector<'_> {
    pub(super) fn vector_op(&mut self, inst: Inst, data: &InstData, op: VectorOp) -> Option<Comps> {
        use VectorOp as V;
        let class = self.class(inst);
        let picks = |comps: &[Comp]| -> Comps {
            let packed = data.attrs.get(Key::Components).unwrap_or(0);
            let pick = |at| comps.get(usize::from(unpack_component(packed, at))).copied();
            (0..usize::from(data.ty.components())).map(|at| pick(at).unwrap_or(Comp::Undef)).collect()
        };
        match op {
            V::Vec => {
                let args = data.args.iter().flat_map(|&arg| self.comps(arg, class));
                return Some(args.collect());
            }
            V::Splat => {
                let comps = self.comps(*data.args.first()?, class);
                return Some(vec![*comps.first()?; usize::from(data.ty.components())]);
            }
            V::Swizzle => return Some(picks(&self.comps(*data.args.first()?, class))),
            V::Shuffle => {
                let mut both = self.comps(*data.args.first()?, class);
                both.extend(self.comps(*data.args.get(1)?, class));
                return Some(picks(&both));
            }
            _ => {}
        }
        if let V::Extract | V::Insert = op {
            return self.dynamic_component(data, op, class);
        }
        if let V::All | V::Any = op {
            let a = self.comps(*data.args.first()?, Class::Bool);
            let code = if op == V::All { Sm1::Mul } else { Sm1::Max };
            let (&first, rest) = a.split_first()?;
            return Some(
                rest.iter().fold(vec![first], |so_far, &next| self.each(code, 1, &[&so_far, &[next]])),
            );
        }
        let args = self.floats(data);
        let a = args.first()?.as_slice();
        self.width(self.body.ty(*data.args.first()?))?;
        let two = || args.get(1).map(Vec::as_slice);
        let count = usize::from(data.ty.components());
        Some(match op {
            V::FDot => self.dot(a, two()?),
            V::FCross => self.cross(a, two()?),
            V::FLength => self.length(a),
            V::FDistance => {
                let difference = self.each(Sm1::Add, a.len(), &[a, &negate(two()?)]);
                self.length(&difference)
            }
            V::FNormalize if count == 1 => self.sign(1, a),
            V::FNormalize => {
                let square = self.dot(a, a);
                let scale = self.first(Sm1::Rsq, 1, &[&square]);
                self.each(Sm1::Mul, count, &[a, &scale])
            }
            V::FFaceForward => {
                let dot = self.dot(args.get(2)?, two()?);
                self.selected(4, count, (&dot, &[float(0.0)]), a, &negate(a))
            }
            V::FReflect => {
                let n = two()?;
                let dot = self.dot(n, a);
                let twice = self.each(Sm1::Add, 1, &[&dot, &dot]);
                self.each(Sm1::Mad, count, &[&negate(&twice), n, a])
            }
            V::FRefract => self.refract(count, a, two()?, args.get(2)?),
            _ => return None,
        })
    }

    fn length(&mut self, a: &[Comp]) -> Comps {
        if a.len() == 1 {
            return absolute(a);
        }
        let square = self.dot(a, a);
        let root = self.first(Sm1::Rsq, 1, &[&square]);
        self.first(Sm1::Rcp, 1, &[&root])
    }

    fn cross(&mut self, a: &[Comp], b: &[Comp]) -> Comps {
        let pick = |comps: &[Comp], order: [usize; 3]| -> Comps {
            order.iter().map(|&at| comps.get(at).copied().unwrap_or(Comp::Undef)).collect()
        };
        let second = self.each(Sm1::Mul, 3, &[&pick(a, [2, 0, 1]), &pick(b, [1, 2, 0])]);
        self.each(Sm1::Mad, 3, &[&pick(a, [1, 2, 0]), &pick(b, [2, 0, 1]), &negate(&second)])
    }

    fn refract(&mut self, count: usize, i: &[Comp], n: &[Comp], eta: &[Comp]) -> Comps {
        let dot = self.dot(n, i);
        let sine = self.each(Sm1::Mad, 1, &[&negate(&dot), &dot, &[float(1.0)]]);
        let square = self.each(Sm1::Mul, 1, &[eta, eta]);
        let k = self.each(Sm1::Mad, 1, &[&negate(&square), &sine, &[float(1.0)]]);
        let root = self.first(Sm1::Rsq, 1, &[&k]);
        let root = self.first(Sm1::Rcp, 1, &[&root]);
        let scale = self.each(Sm1::Mad, 1, &[eta, &dot, &root]);
        let part = self.each(Sm1::Mul, count, &[n, &scale]);
        let result = self.each(Sm1::Mad, count, &[i, eta, &negate(&part)]);
        self.selected(3, count, (&k, &[float(0.0)]), &result, &[float(0.0)])
    }

    /// A component at an index that is known at run time, by a comparison with each number.
    fn dynamic_component(&mut self, data: &InstData, op: VectorOp, class: Class) -> Option<Comps> {
        let a = self.comps(*data.args.first()?, class);
        let is_insert = op == VectorOp::Insert;
        let index = self.comps(*data.args.get(if is_insert { 2 } else { 1 })?, Class::Int);
        let numbers = |at: usize| [float(at as f32)];
        if is_insert {
            let new = self.comps(*data.args.get(1)?, class);
            let mut result = Comps::new();
            for (at, &old) in a.iter().enumerate() {
                result.extend(self.selected(2, 1, (&index, &numbers(at)), &new, &[old]));
            }
            return Some(result);
        }
        let mut result = vec![float(0.0)];
        for (at, &component) in a.iter().enumerate().rev() {
            result = self.selected(2, 1, (&index, &numbers(at)), &[component], &result);
        }
        Some(result)
    }
}
