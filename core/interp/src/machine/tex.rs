//! Image operations for each active invocation: operands by role, texels by lookup, results in the requested
//! width.

use super::super::image::{At, Dim, Sampler, Texel};
use super::super::memory::{Ptr, Root};
use super::super::micro_op::{Arg, Code, MicroOp, TexCode};
use super::super::report::UbKind;
use super::sample::{Lookup, clamp_level, compared, gather, level_of_detail, levels, taps};
use super::{Bound, Machine};
use vitrine_ir::ops::{Role, Scalar, TexOp};

impl Machine {
    pub(super) fn tex(&mut self, code: &Code, micro: &MicroOp, number: u32) {
        let Some(tex) = code.texes.get(number as usize) else { return };
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let unknown = tex.roles.iter().any(|(role, arg)| {
                *role != Role::Texel
                    && (0..u32::from(arg.parts))
                        .any(|part| self.is_undef(self.vreg(arg.slot + part), invocation))
            });
            if unknown {
                self.ub(UbKind::UndefAddress, invocation);
            }
            let result = self.one(tex, micro, invocation);
            let texel_components = if tex.sparse { micro.parts.saturating_sub(1) } else { micro.parts };
            for part in 0..u32::from(micro.parts) {
                let to = self.vreg(micro.dst + part);
                let word = match &result {
                    // The residency code follows the texel.
                    _ if part >= u32::from(texel_components) => 0,
                    Some((words, _)) => words.get(part as usize).copied().unwrap_or(0),
                    None => 0,
                };
                let undef = unknown || result.as_ref().is_some_and(|(_, undef)| *undef);
                self.set(to, invocation, word & micro.to.mask(), undef);
            }
        }
    }

    /// The result for an invocation: its components, and a flag for an undefined one.
    fn one(&mut self, tex: &TexCode, micro: &MicroOp, invocation: usize) -> Option<([u64; 4], bool)> {
        let handle = tex.role(Role::Image).map_or(0, |arg| self.get(self.vreg(arg.slot), invocation));
        let Some(image) = (handle as u32).checked_sub(1).filter(|&at| (at as usize) < self.images.len())
        else {
            self.ub(UbKind::Unbound, invocation);
            return None;
        };
        let image = image as usize;
        match tex.op {
            TexOp::Sample | TexOp::SampleLod | TexOp::QueryLod | TexOp::Gather => {
                let sampler = self.sampler(tex, handle, invocation)?;
                self.sampled(tex, micro, invocation, image, sampler)
            }
            TexOp::Fetch | TexOp::Read => {
                let at = self.texel_place(tex, invocation, image);
                let bound = self.images.get(image)?;
                let Some((texel, undef)) = at.and_then(|at| self.texel_at(bound, at)) else {
                    self.ub(UbKind::OutOfBounds, invocation);
                    return None;
                };
                Some((self.words(micro, image, texel), undef))
            }
            TexOp::Write => {
                self.written(tex, invocation, image);
                None
            }
            TexOp::QuerySize => Some((self.size(tex, invocation, image), false)),
            TexOp::QueryLevels => Some(([u64::from(self.images.get(image)?.image.levels), 0, 0, 0], false)),
            TexOp::QuerySamples => Some(([u64::from(self.images.get(image)?.image.samples), 0, 0, 0], false)),
            TexOp::Combine | TexOp::ImageOf | TexOp::Resident => None,
        }
    }

    fn sampler(&mut self, tex: &TexCode, handle: u64, invocation: usize) -> Option<Sampler> {
        let apart = tex.role(Role::Sampler).map(|arg| self.get(self.vreg(arg.slot), invocation));
        let number = apart.map_or(handle >> 32, |apart| apart >> 32);
        let found = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let sampler = found.and_then(|at| self.samplers.get(at)).copied();
        if sampler.is_none() {
            self.ub(UbKind::Unbound, invocation);
        }
        sampler
    }

    fn float(&self, arg: Arg, part: usize, invocation: usize) -> f64 {
        if part >= usize::from(arg.parts) {
            return 0.0;
        }
        Scalar::new(arg.width, self.get(self.vreg(arg.slot + part as u32), invocation)).to_f64()
    }

    fn int(&self, arg: Arg, part: usize, invocation: usize) -> i64 {
        if part >= usize::from(arg.parts) {
            return 0;
        }
        Scalar::new(arg.width, self.get(self.vreg(arg.slot + part as u32), invocation)).as_i64()
    }

    /// A texel as words of the result.
    fn words(&self, micro: &MicroOp, image: usize, texel: Texel) -> [u64; 4] {
        let is_float = self.images.get(image).is_some_and(|bound| bound.image.format.kind().is_float());
        match is_float {
            true => texel.map(|channel| Scalar::float(micro.to, f64::from_bits(channel)).bits()),
            false => texel,
        }
    }

    fn texel_at(&self, bound: &Bound, at: At) -> Option<(Texel, bool)> {
        let offset = u32::try_from(bound.image.offset(at)?).ok()?;
        let root: &Root = self.memory.root(bound.root)?;
        let count = bound.image.format.bytes();
        let mut bytes = [0u8; 16];
        let mut undef = false;
        for (byte, slot) in bytes.iter_mut().enumerate().take(count) {
            let (value, unknown) = root.read(0, offset + byte as u32, 1).ok()?;
            *slot = value as u8;
            undef |= unknown;
        }
        Some((bound.image.format.decode(&bytes[..count]), undef))
    }

    /// The address of a lookup by integers: fetches, reads and writes.
    fn texel_place(&self, tex: &TexCode, invocation: usize, image: usize) -> Option<At> {
        let coord = tex.role(Role::Coord)?;
        let bound = self.images.get(image)?;
        let axes = if tex.dim == Dim::Cube { 2 } else { tex.dim.axes() };
        let mut at = At::default();
        for axis in 0..axes {
            at.texel[axis] = self.int(coord, axis, invocation);
            if let Some(offset) = tex.role(Role::Offset) {
                at.texel[axis] = at.texel[axis].saturating_add(self.int(offset, axis, invocation));
            }
        }
        if tex.dim == Dim::Subpass {
            let pixel = self.info.get(invocation)?.at;
            at.texel[0] = at.texel[0].saturating_add(i64::from(pixel[0]));
            at.texel[1] = at.texel[1].saturating_add(i64::from(pixel[1]));
        }
        // The layer follows the axes; that of a cube counts faces.
        if usize::from(coord.parts) > axes && (tex.arrayed || tex.dim == Dim::Cube || bound.image.layers > 1)
        {
            at.layer = u32::try_from(self.int(coord, axes, invocation)).ok()?;
        }
        let number = |role: Role| match tex.role(role) {
            Some(arg) => u32::try_from(self.int(arg, 0, invocation)).ok(),
            None => Some(0),
        };
        (at.level, at.sample) = (number(Role::Lod)?, number(Role::Sample)?);
        Some(at)
    }

    fn written(&mut self, tex: &TexCode, invocation: usize, image: usize) {
        if self.helpers.has(invocation) {
            return;
        }
        let at = self.texel_place(tex, invocation, image);
        let (Some(bound), Some(arg)) = (self.images.get(image), tex.role(Role::Texel)) else { return };
        let format = bound.image.format;
        let mut texel: Texel =
            if format.kind().is_float() { [0, 0, 0, 1f64.to_bits()] } else { [0, 0, 0, 1] };
        let mut undef = false;
        for (part, slot) in texel.iter_mut().enumerate().take(usize::from(arg.parts)) {
            let vreg = self.vreg(arg.slot + part as u32);
            let channel = Scalar::new(arg.width, self.get(vreg, invocation));
            undef |= self.is_undef(vreg, invocation);
            *slot = match format.kind() {
                super::super::image::ChannelKind::Uint => channel.as_u64(),
                super::super::image::ChannelKind::Sint => channel.as_i64().cast_unsigned(),
                _ => channel.to_f64().to_bits(),
            };
        }
        let place = at.and_then(|at| u32::try_from(bound.image.offset(at)?).ok());
        let root = bound.root;
        if undef {
            self.ub(UbKind::UndefOutput, invocation);
        }
        let Some(offset) = place else { return self.ub(UbKind::OutOfBounds, invocation) };
        let mut bytes = [0u8; 16];
        format.encode(texel, &mut bytes);
        for (byte, value) in bytes.iter().enumerate().take(format.bytes()) {
            let ptr = Ptr::new(root, offset);
            if let Err(miss) = self.write_memory(ptr, invocation, byte as u32, 1, u64::from(*value), undef) {
                return self.missed(miss, invocation);
            }
        }
    }

    fn size(&mut self, tex: &TexCode, invocation: usize, image: usize) -> [u64; 4] {
        let level = tex.role(Role::Lod).map_or(0, |arg| self.int(arg, 0, invocation));
        let Some(bound) = self.images.get(image) else { return [0; 4] };
        if level < 0 || level >= i64::from(bound.image.levels) {
            self.ub(UbKind::OutOfBounds, invocation);
            return [0; 4];
        }
        let size = bound.image.level_size(level as u32);
        let axes = if tex.dim == Dim::Cube { 2 } else { tex.dim.axes() };
        let mut out = [0; 4];
        for (slot, axis) in out.iter_mut().zip(size).take(axes) {
            *slot = u64::from(axis);
        }
        if tex.arrayed {
            let layers = bound.image.layers;
            out[axes] = u64::from(if tex.dim == Dim::Cube { layers / 6 } else { layers });
        }
        out
    }

    /// Sampling, gathering, and queries of the level of detail.
    fn sampled(
        &mut self,
        tex: &TexCode,
        micro: &MicroOp,
        invocation: usize,
        image: usize,
        sampler: Sampler,
    ) -> Option<([u64; 4], bool)> {
        let coord = tex.role(Role::Coord)?;
        let axes = tex.dim.axes();
        let mut lookup = Lookup {
            dim: tex.dim,
            coord: [0.0; 3],
            layer: 0,
            offset: [0; 3],
            reference: tex.role(Role::Compare).map(|arg| self.projected(tex, arg, 0, invocation).to_f64()),
            sampler,
        };
        for axis in 0..axes {
            lookup.coord[axis] = self.projected(tex, coord, axis, invocation).to_f64();
            if let Some(offset) = tex.role(Role::Offset) {
                lookup.offset[axis] = self.int(offset, axis, invocation);
            }
        }
        let changes = self.changes(tex, coord, axes, invocation);
        let bound = self.images.get(image)?;
        if tex.arrayed {
            let layers = bound.image.layers / if tex.dim == Dim::Cube { 6 } else { 1 };
            let layer = self.float(coord, axes, invocation).round_ties_even();
            lookup.layer = layer.clamp(0.0, f64::from(layers.saturating_sub(1))) as u32;
        }
        let bias = tex.role(Role::Bias).map_or(0.0, |arg| self.float(arg, 0, invocation));
        let lod = match (tex.role(Role::Lod), changes) {
            (Some(arg), _) => self.float(arg, 0, invocation),
            (None, Some(changes)) => level_of_detail(&bound.image, &lookup, changes) + bias,
            (None, None) => bias,
        };
        let min_lod = tex.role(Role::MinLod).map(|arg| self.float(arg, 0, invocation));
        let clamped = clamp_level(&sampler, lod, min_lod);
        match tex.op {
            TexOp::QueryLod => {
                let most = f64::from(bound.image.levels - 1);
                let level = clamped.clamp(0.0, most);
                let words = [level, lod].map(|lod| Scalar::float(micro.to, lod).bits());
                Some(([words[0], words[1], 0, 0], false))
            }
            TexOp::Gather => self.gathered(tex, micro, invocation, image, lookup),
            _ => {
                let linear = if clamped <= 0.0 { sampler.mag_linear } else { sampler.min_linear };
                self.filtered(micro, image, &lookup, clamped, linear)
            }
        }
    }

    /// Derivatives of the coordinate along x and y: given, or those of the quad.
    fn changes(
        &mut self,
        tex: &TexCode,
        coord: Arg,
        axes: usize,
        invocation: usize,
    ) -> Option<[[f64; 3]; 2]> {
        if let (Some(x), Some(y)) = (tex.role(Role::Ddx), tex.role(Role::Ddy)) {
            return Some([x, y].map(|arg| std::array::from_fn(|axis| self.float(arg, axis, invocation))));
        }
        if !matches!(tex.op, TexOp::Sample | TexOp::QueryLod) || tex.role(Role::Lod).is_some() {
            return None;
        }
        let mut changes = [[0.0; 3]; 2];
        for (change, axis_of_quad) in changes.iter_mut().zip([1u8, 2]) {
            for (part, slot) in change.iter_mut().enumerate().take(axes.min(usize::from(coord.parts))) {
                *slot = self.slope(invocation, axis_of_quad, |machine, invocation| {
                    machine.projected(tex, coord, part, invocation)
                });
            }
        }
        Some(changes)
    }

    /// A component of an operand, divided by the projector if there is one, in the width of the operand.
    fn projected(&self, tex: &TexCode, arg: Arg, part: usize, invocation: usize) -> Scalar {
        if part >= usize::from(arg.parts) {
            return Scalar::zero(arg.width);
        }
        let value = Scalar::new(arg.width, self.get(self.vreg(arg.slot + part as u32), invocation));
        match tex.role(Role::Projector) {
            Some(by) => {
                value.fdiv(Scalar::new(by.width, self.get(self.vreg(by.slot), invocation)).f2f(arg.width))
            }
            None => value,
        }
    }

    fn border(&self, lookup: &Lookup) -> Texel {
        lookup.sampler.border.map(|channel| f64::from(channel).to_bits())
    }

    fn filtered(
        &mut self,
        micro: &MicroOp,
        image: usize,
        lookup: &Lookup,
        lod: f64,
        linear: bool,
    ) -> Option<([u64; 4], bool)> {
        let bound = self.images.get(image)?;
        let is_float = bound.image.format.kind().is_float();
        let mut sum = [0.0; 4];
        let mut undef = false;
        for (level, weight) in levels(&bound.image, &lookup.sampler, lod) {
            for (at, part) in taps(&bound.image, lookup, level, linear && is_float) {
                let (texel, unknown) = match at {
                    Some(at) => self.texel_at(bound, at)?,
                    None => (self.border(lookup), false),
                };
                undef |= unknown;
                let texel = match lookup.reference {
                    Some(reference) => compared(lookup.sampler.compare, reference, texel),
                    None => texel,
                };
                if !is_float && lookup.reference.is_none() {
                    // Integers are not interpolated: the single texel is the result.
                    return Some((texel, undef));
                }
                for (slot, channel) in sum.iter_mut().zip(texel) {
                    // A texel of weight zero contributes nothing, not even an infinity.
                    if part * weight != 0.0 {
                        *slot += f64::from_bits(channel) * part * weight;
                    }
                }
            }
        }
        Some((sum.map(|channel| Scalar::float(micro.to, channel).bits()), undef))
    }

    fn gathered(
        &mut self,
        tex: &TexCode,
        micro: &MicroOp,
        invocation: usize,
        image: usize,
        lookup: Lookup,
    ) -> Option<([u64; 4], bool)> {
        let component =
            tex.role(Role::Component).map_or(0, |arg| self.int(arg, 0, invocation)).clamp(0, 3) as usize;
        let offsets = tex.role(Role::Offsets);
        let bound = self.images.get(image)?;
        let mut out = [0; 4];
        let mut undef = false;
        for (part, slot) in out.iter_mut().enumerate() {
            let place = match offsets {
                // Each of the four is the upper left texel of a separate lookup.
                Some(arg) => {
                    let mut moved = lookup;
                    moved.offset[0] = self.int(arg, 2 * part, invocation);
                    moved.offset[1] = self.int(arg, 2 * part + 1, invocation);
                    gather(&bound.image, &moved, 0)[3]
                }
                None => gather(&bound.image, &lookup, 0)[part],
            };
            let (texel, unknown) = match place {
                Some(at) => self.texel_at(bound, at)?,
                None => (self.border(&lookup), false),
            };
            undef |= unknown;
            let (texel, component) = match lookup.reference {
                Some(reference) => (compared(lookup.sampler.compare, reference, texel), 0),
                None => (texel, component),
            };
            let is_float = lookup.reference.is_some() || bound.image.format.kind().is_float();
            let word = texel[component];
            *slot = if is_float { Scalar::float(micro.to, f64::from_bits(word)).bits() } else { word };
        }
        Some((out, undef))
    }

    pub(super) fn combine(&mut self, code: &Code, micro: &MicroOp) {
        let [image, sampler] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let both =
                self.get(image, invocation) & 0xffff_ffff | self.get(sampler, invocation) & !0xffff_ffff;
            let undef = self.is_undef(image, invocation) || self.is_undef(sampler, invocation);
            self.set(to, invocation, both, undef);
        }
    }

    pub(super) fn image_of(&mut self, code: &Code, micro: &MicroOp) {
        let [both] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (handle, undef) = (self.get(both, invocation), self.is_undef(both, invocation));
            self.set(to, invocation, handle & 0xffff_ffff, undef);
        }
    }

    pub(super) fn texel(&mut self, code: &Code, micro: &MicroOp, number: u32) {
        let Some(tex) = code.texes.get(number as usize) else { return };
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let handle =
                tex.role(Role::Image).map_or(0, |arg| self.get(self.vreg(arg.slot), invocation)) as u32;
            let found =
                handle.checked_sub(1).map(|image| image as usize).filter(|&image| image < self.images.len());
            let Some(image) = found else {
                self.ub(UbKind::Unbound, invocation);
                self.set(to, invocation, 0, false);
                continue;
            };
            // The dimension is that of the bound image: the operation does not specify it.
            let dim = self.images.get(image).map_or(Dim::D2, |bound| bound.image.dim);
            let of_image = TexCode { dim, ..tex.clone() };
            let place = self.texel_place(&of_image, invocation, image);
            let bound = self.images.get(image);
            let ptr = place.zip(bound).and_then(|(at, bound)| {
                Some(Ptr::new(bound.root, u32::try_from(bound.image.offset(at)?).ok()?))
            });
            if ptr.is_none() {
                self.ub(UbKind::OutOfBounds, invocation);
            }
            self.set(to, invocation, ptr.unwrap_or_default().0, false);
        }
    }
}
