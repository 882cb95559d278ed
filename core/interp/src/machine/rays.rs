//! Rays, calls of shaders, and ray queries.
//!
//! A shader that a ray invokes runs in a frame on top of the one that traced it, for the invocations that need it. It
//! has its own private variables, inputs and payload, so those of the tracing shader are saved before it and restored
//! after it; then the payload is copied back. `decode/raw.rs` explains the sequence of steps.
//!
//! Rays nested deeper than [`DEEPEST`] invoke no shaders.

use super::super::memory::{Ptr, RootKind};
use super::super::micro_op::{Arg, Code, MicroOp};
use super::super::outcome::InvocationEnd;
use super::super::ray_code::{QueryOp, RayCode, Role};
use super::super::rays::{Hit, Ray, Traversal, flags, payload_rule};
use super::super::report::UbKind;
use super::super::stages::PayloadClass;
use super::Machine;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Stage};

/// Rays and calls of an invocation in each other that invoke shaders.
const DEEPEST: usize = 4;
/// Maximum number of ray queries of a group.
const MOST_QUERIES: usize = 1 << 16;

/// A ray or a call of an invocation.
#[derive(Clone, Debug, Default)]
pub(super) struct RayState {
    traversal: Traversal,
    /// If set, it is a call, and has no ray.
    is_call: bool,
    /// If set, a shader ran that changes the payload.
    ran: bool,
    /// If set, the any-hit shader ignored the candidate, or ended the ray.
    ignored: bool,
    ended: bool,
    /// Parameter and kind of the intersection that the shader reported, if it was accepted.
    pub(super) reported: Option<(f32, u32)>,
    saved: Vec<Saved>,
}

/// The bytes of a variable of an invocation, each with a flag that is set if it is undefined.
#[derive(Clone, Debug)]
struct Saved {
    root: u32,
    bytes: Vec<(u64, bool)>,
}

impl RayState {
    /// The intersection that system values describe.
    fn hit(&self) -> Option<&Hit> {
        self.traversal.candidate.as_ref().or(self.traversal.committed.as_ref())
    }
}

impl Machine {
    pub(super) fn ray(&mut self, code: &Code, micro: &MicroOp, number: u32) {
        let Some(&ray) = code.rays.get(number as usize) else { return };
        let args: Vec<Arg> = code.args_of(micro).to_vec();
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            match ray {
                RayCode::Trace => self.trace(&args, invocation),
                RayCode::Call => self.start_call(&args, invocation),
                RayCode::Proceed => {
                    if let Some(state) = self.top_ray(invocation).filter(|state| !state.ended) {
                        state.traversal.proceed();
                    }
                }
                RayCode::ProceedToEnd => {
                    if let Some(state) = self.top_ray(invocation) {
                        while state.traversal.proceed() {
                            state.traversal.confirm();
                        }
                    }
                }
                RayCode::Enter { role, number, count, incoming } => {
                    let runs = self.needs(role, [number, count], invocation);
                    if runs {
                        self.enter_shader(&args, incoming, invocation);
                    }
                    let to = self.vreg(micro.dst);
                    self.set(to, invocation, u64::from(runs), false);
                }
                RayCode::Leave { role, incoming } => self.leave_shader(&args, role, incoming, invocation),
                RayCode::Settle => {
                    if let Some(state) = self.top_ray(invocation) {
                        if !std::mem::take(&mut state.ignored) {
                            state.traversal.confirm();
                        }
                        state.traversal.candidate = None;
                        if state.ended {
                            state.traversal.finish();
                        }
                    }
                }
                RayCode::End { payload } => self.end_ray(code, &args, payload, invocation),
                RayCode::Report => self.report_intersection(micro, &args, invocation),
                RayCode::Query { op, first } => self.query(micro, &args, op, first, invocation),
            }
        }
    }

    fn top_ray(&mut self, invocation: usize) -> Option<&mut RayState> {
        self.rays.get_mut(invocation)?.last_mut()
    }

    /// A component of an operand as 32 bits; an undefined one is reported.
    fn word(&mut self, args: &[Arg], at: usize, part: u32, invocation: usize) -> u32 {
        let Some(arg) = args.get(at) else { return 0 };
        let vreg = self.vreg(arg.slot + part);
        if self.is_undef(vreg, invocation) {
            self.ub(UbKind::UndefControl, invocation);
        }
        self.get(vreg, invocation) as u32
    }

    fn vec3(&mut self, args: &[Arg], at: usize, invocation: usize) -> [f32; 3] {
        [0, 1, 2].map(|part| f32::from_bits(self.word(args, at, part, invocation)))
    }

    fn trace(&mut self, args: &[Arg], invocation: usize) {
        let ray = Ray {
            flags: self.word(args, 1, 0, invocation),
            cull_mask: self.word(args, 2, 0, invocation),
            table: [3, 4, 5].map(|at| self.word(args, at, 0, invocation)),
            origin: self.vec3(args, 6, invocation),
            tmin: f32::from_bits(self.word(args, 7, 0, invocation)),
            direction: self.vec3(args, 8, invocation),
            tmax: f32::from_bits(self.word(args, 9, 0, invocation)),
        };
        if let Some(rays) = self.rays.get_mut(invocation) {
            rays.push(RayState { traversal: Traversal::new(ray), ..RayState::default() });
        }
    }

    fn start_call(&mut self, args: &[Arg], invocation: usize) {
        let ray = Ray { table: [self.word(args, 0, 0, invocation), 0, 0], ..Ray::default() };
        if let Some(rays) = self.rays.get_mut(invocation) {
            rays.push(RayState { traversal: Traversal::new(ray), is_call: true, ..RayState::default() });
        }
    }

    /// Returns true if the shader `number` of `count` of a role is to run for the ray of an invocation.
    fn needs(&self, role: Role, [number, count]: [u32; 2], invocation: usize) -> bool {
        let Some(rays) = self.rays.get(invocation).filter(|rays| rays.len() <= DEEPEST) else { return false };
        let Some(state) = rays.last() else { return false };
        let ray = &state.traversal.ray;
        // There is one geometry, so that the stride has no effect.
        let of_group = |hit: &Hit| hit.numbers()[3].wrapping_add(ray.table[0]);
        let selected = match role {
            Role::AnyHit => state.traversal.candidate.as_ref().filter(|_| !state.ended).map(of_group),
            Role::ClosestHit if ray.flags & flags::SKIP_CLOSEST_HIT != 0 => None,
            Role::ClosestHit => state.traversal.committed.as_ref().map(of_group),
            Role::Miss => state.traversal.committed.is_none().then_some(ray.table[2]),
            Role::Callable => Some(ray.table[0]),
        };
        selected.is_some_and(|selected| selected % count.max(1) == number)
    }

    fn enter_shader(&mut self, args: &[Arg], incoming: u32, invocation: usize) {
        let Some(address) = args.last() else { return };
        let address = Ptr(self.get(self.vreg(address.slot), invocation));
        let program = self.program.clone();
        // Every invocation of a shader has its own.
        let own =
            program.vars.iter().enumerate().filter(|(_, of)| of.used && of.kind == RootKind::Invocation);
        let size = program.vars.get(incoming as usize).map_or(0, |of| of.bytes as u32);
        let payload: Vec<(u64, bool)> = (0..size)
            .map(|byte| self.memory.read(address, invocation, byte, 1).unwrap_or((0, true)))
            .collect();
        let mut saved = Vec::new();
        for (_, of) in own.clone() {
            let Some(root) = self.memory.root(of.root) else { continue };
            let bytes = (0..root.size).map(|byte| root.read(invocation, byte, 1).unwrap_or((0, true)));
            saved.push(Saved { root: of.root, bytes: bytes.collect() });
        }
        let barycentrics = self.top_ray(invocation).and_then(|state| {
            state.saved = saved;
            state.hit().map(|hit| hit.barycentrics)
        });
        for (number, of) in own {
            self.memory.forget_for(of.root, invocation);
            self.fill(of.root, invocation, &of.init);
            if of.mode == Mode::In {
                self.fill_input_of(of.var, of.root, [invocation, invocation + 1]);
            }
            let class = self.module.var(of.var).and_then(PayloadClass::of);
            if number == incoming as usize {
                self.put_bytes(of.root, invocation, &payload);
            } else if let (Some(PayloadClass::HitAttribute), Some(values)) = (class, barycentrics) {
                let bytes = values.iter().flat_map(|value| value.to_le_bytes());
                let bytes: Vec<(u64, bool)> = bytes.map(|byte| (u64::from(byte), false)).collect();
                self.put_bytes(of.root, invocation, &bytes);
            }
        }
    }

    fn put_bytes(&mut self, root: u32, invocation: usize, bytes: &[(u64, bool)]) {
        let Some(root) = self.memory.root_mut(root) else { return };
        for (offset, &(byte, undef)) in (0..root.size).zip(bytes) {
            // The offset is inside.
            let _ = root.put(invocation, offset, 1, byte, undef);
        }
    }

    fn leave_shader(&mut self, args: &[Arg], role: Role, incoming: u32, invocation: usize) {
        let [Some(runs), Some(address)] = [args.first(), args.get(1)] else { return };
        if self.get(self.vreg(runs.slot), invocation) == 0 {
            return;
        }
        let address = Ptr(self.get(self.vreg(address.slot), invocation));
        let root = self.program.vars.get(incoming as usize).and_then(|of| self.memory.root(of.root));
        let payload: Vec<(u64, bool)> = root.map_or(Vec::new(), |root| {
            (0..root.size).map(|byte| root.read(invocation, byte, 1).unwrap_or((0, true))).collect()
        });
        let saved = self.top_ray(invocation).map(|state| {
            state.ran |= role != Role::AnyHit;
            std::mem::take(&mut state.saved)
        });
        for of in saved.into_iter().flatten() {
            self.put_bytes(of.root, invocation, &of.bytes);
        }
        for (byte, (value, undef)) in (0..).zip(payload) {
            if self.memory.write(address, invocation, byte, 1, value, undef).is_err() {
                break;
            }
        }
    }

    /// An any-hit shader ends: the frames down to its own continue without these invocations. Returns false if no ray
    /// invoked it.
    pub(super) fn end_any_hit(&mut self, end: InvocationEnd) -> bool {
        let Some(shader) = self.frames.iter().rposition(|frame| frame.is_shader) else { return false };
        let Some(mask) = self.frames.last().map(|frame| frame.mask) else { return false };
        for invocation in mask.invocations() {
            if let Some(state) = self.top_ray(invocation) {
                state.ignored |= end == InvocationEnd::Ignored;
                state.ended |= end == InvocationEnd::Accepted;
            }
        }
        for frame in self.frames.iter_mut().skip(shader) {
            frame.mask = frame.mask.without(&mask);
            for (_, waiting) in &mut frame.waiting {
                *waiting = waiting.without(&mask);
            }
        }
        self.resume();
        true
    }

    fn end_ray(&mut self, code: &Code, args: &[Arg], payload: u32, invocation: usize) {
        let Some(state) = self.rays.get_mut(invocation).and_then(Vec::pop) else { return };
        let (Some(address), Some(leaves)) = (args.first(), code.payloads.get(payload as usize)) else {
            return;
        };
        if state.ran {
            return;
        }
        let address = Ptr(self.get(self.vreg(address.slot), invocation));
        for leaf in leaves {
            let bytes = vitrine_ir::layout::scalar_bytes(leaf.width) as u32;
            for part in 0..u32::from(leaf.components) {
                let offset = leaf.offset.saturating_add(part * leaf.step);
                let read = self.memory.read(address, invocation, offset, bytes);
                let old = read.ok().filter(|&(_, undef)| !undef).map_or(0, |(value, _)| value);
                let hit = state.traversal.committed.as_ref();
                let new = payload_rule(&state.traversal.ray, hit, leaf, offset, old);
                if let Err(miss) = self.memory.write(address, invocation, offset, bytes, new, false) {
                    self.missed(miss, invocation);
                }
            }
        }
    }

    fn report_intersection(&mut self, micro: &MicroOp, args: &[Arg], invocation: usize) {
        let t = f32::from_bits(self.word(args, 0, 0, invocation));
        let kind = self.word(args, 1, 0, invocation);
        let end = self.ray_end(invocation);
        let accepted = self.top_ray(invocation).is_some_and(|state| {
            let is_inside = t >= state.traversal.ray.tmin && end.is_some_and(|end| t <= end);
            if is_inside {
                state.reported = Some((t, kind));
            }
            is_inside
        });
        let to = self.vreg(micro.dst);
        self.set(to, invocation, u64::from(accepted), false);
    }

    /// The current end of the ray of an invocation.
    fn ray_end(&self, invocation: usize) -> Option<f32> {
        let state = self.rays.get(invocation)?.last()?;
        let candidate = state.traversal.candidate.map(|hit| hit.t);
        Some(state.reported.map(|(t, _)| t).or(candidate).unwrap_or_else(|| state.traversal.end()))
    }

    /// The rays that hit, miss and intersection shaders get if they are the entry point.
    pub(super) fn start_rays(&mut self) {
        let number = |at: usize| self.inputs.ray.wrapping_add(at as u32);
        let stage = self.stage;
        let start = |invocation: u64| {
            let number = number(invocation as usize);
            let traversal = match stage {
                Stage::Intersection => Traversal::new(Ray::numbered(number, false)),
                Stage::Miss => Traversal::new(Ray::numbered(number, true)),
                Stage::AnyHit => Traversal::at_triangle(number, false),
                Stage::ClosestHit => Traversal::at_triangle(number, true),
                _ => return Vec::new(),
            };
            vec![RayState { traversal, ..RayState::default() }]
        };
        self.rays = self.info.iter().map(|info| start(info.invocation)).collect();
        self.queries.clear();
    }

    /// A component of a system value of the current ray.
    pub(super) fn ray_builtin(&self, builtin: Builtin, at: u32, invocation: usize) -> Option<u64> {
        let state = self.rays.get(invocation)?.last().filter(|state| !state.is_call)?;
        let ray = &state.traversal.ray;
        let float = |value: f32| u64::from(value.to_bits());
        let axis = |of: [f32; 3]| of.get(at as usize).map(|&value| float(value));
        let one = |value: u64| (at == 0).then_some(value);
        let number = |which: usize| state.hit().map(|hit| u64::from(hit.numbers()[which]));
        match builtin {
            Builtin::WorldRayOrigin => axis(ray.origin),
            Builtin::WorldRayDirection => axis(ray.direction),
            Builtin::ObjectRayOrigin => axis(state.hit()?.in_object_space(ray.origin, true)),
            Builtin::ObjectRayDirection => axis(state.hit()?.in_object_space(ray.direction, false)),
            Builtin::RayTmin => one(float(ray.tmin)),
            Builtin::RayTmax | Builtin::HitT => one(float(self.ray_end(invocation)?)),
            Builtin::HitKind => one(u64::from(state.hit()?.kind())),
            Builtin::InstanceId => one(number(0)?),
            Builtin::InstanceCustomIndex => one(number(1)?),
            Builtin::PrimitiveId => one(number(2)?),
            Builtin::RayGeometryIndex => one(state.hit().map(|_| 0)?),
            Builtin::ObjectToWorld => state.hit()?.transform(at, false).map(float),
            Builtin::WorldToObject => state.hit()?.transform(at, true).map(float),
            Builtin::HitTriangleVertexPositions => state.hit()?.corner(at).map(float),
            Builtin::IncomingRayFlags => one(u64::from(ray.flags)),
            Builtin::CullMask => one(u64::from(ray.cull_mask & 0xff)),
            Builtin::CurrentRayTime => one(0),
            _ => None,
        }
    }

    /// The number of the ray query in a variable.
    fn query_at(&mut self, address: Ptr, invocation: usize) -> Option<usize> {
        let (number, undef) = self.memory.read(address, invocation, 0, 8).ok()?;
        let number = usize::try_from(number).ok()?.checked_sub(1).filter(|_| !undef)?;
        self.queries.get(number).is_some_and(|&(owner, _)| owner as usize == invocation).then_some(number)
    }

    fn query(&mut self, micro: &MicroOp, args: &[Arg], op: QueryOp, first: u32, invocation: usize) {
        let Some(address) = args.first() else { return };
        let address = self.pointer(self.vreg(address.slot), invocation);
        if op == QueryOp::Initialize {
            return self.initialize(address, args, invocation);
        }
        let found = self.query_at(address, invocation);
        let Some(number) = found else {
            // A query that was not initialized.
            self.ub(UbKind::UndefAddress, invocation);
            for part in 0..u32::from(micro.parts) {
                let to = self.vreg(micro.dst + part);
                self.set(to, invocation, 0, true);
            }
            return;
        };
        let is_committed = args.len() > 1 && self.word(args, 1, 0, invocation) == 1;
        let Some((_, traversal)) = self.queries.get_mut(number) else { return };
        let mut proceeded = false;
        if op == QueryOp::Proceed {
            proceeded = traversal.proceed();
        } else if op == QueryOp::Confirm {
            traversal.confirm();
        } else if op == QueryOp::Terminate {
            traversal.finish();
        }
        let traversal = *traversal;
        for part in 0..u32::from(micro.parts) {
            let value = match op == QueryOp::Proceed {
                true => Some(u64::from(proceeded)),
                false => query_value(&traversal, op, is_committed, first.saturating_add(part)),
            };
            let to = self.vreg(micro.dst + part);
            self.set(to, invocation, value.unwrap_or(0) & micro.to.mask(), value.is_none());
        }
    }

    fn initialize(&mut self, address: Ptr, args: &[Arg], invocation: usize) {
        let ray = Ray {
            flags: self.word(args, 2, 0, invocation),
            cull_mask: self.word(args, 3, 0, invocation),
            table: [0; 3],
            origin: self.vec3(args, 4, invocation),
            tmin: f32::from_bits(self.word(args, 5, 0, invocation)),
            direction: self.vec3(args, 6, invocation),
            tmax: f32::from_bits(self.word(args, 7, 0, invocation)),
        };
        let new = (invocation as u32, Traversal::new(ray));
        if let Some(known) =
            self.query_at(address, invocation).and_then(|number| self.queries.get_mut(number))
        {
            *known = new;
            return;
        }
        if self.queries.len() >= MOST_QUERIES {
            return self.ub(UbKind::OutOfMemory, invocation);
        }
        self.queries.push(new);
        let number = self.queries.len() as u64;
        if let Err(miss) = self.memory.write(address, invocation, 0, 8, number, false) {
            self.missed(miss, invocation);
        }
    }
}

/// A component of a value of a ray query; `None` if there is no such intersection.
fn query_value(of: &Traversal, op: QueryOp, is_committed: bool, part: u32) -> Option<u64> {
    let ray = &of.ray;
    let hit = if is_committed { of.committed.as_ref() } else { of.candidate.as_ref() };
    let float = |value: f32| u64::from(value.to_bits());
    let axis = |vector: [f32; 3]| vector.get(part as usize).map(|&value| float(value));
    let number = |which: usize| hit.map(|hit| u64::from(hit.numbers()[which]));
    match op {
        QueryOp::Initialize
        | QueryOp::Terminate
        | QueryOp::Generate
        | QueryOp::Confirm
        | QueryOp::Proceed => None,
        QueryOp::TMin => Some(float(ray.tmin)),
        QueryOp::Flags => Some(u64::from(ray.flags)),
        QueryOp::WorldDirection => axis(ray.direction),
        QueryOp::WorldOrigin => axis(ray.origin),
        // A candidate is a triangle (0); an accepted intersection is none (0) or a triangle (1).
        QueryOp::Type if is_committed => Some(u64::from(of.committed.is_some())),
        QueryOp::Type => of.candidate.map(|_| 0),
        QueryOp::T => hit.map(|hit| float(hit.t)),
        QueryOp::InstanceId => number(0),
        QueryOp::CustomIndex => number(1),
        QueryOp::Primitive => number(2),
        QueryOp::Group => number(3),
        QueryOp::Geometry => hit.map(|_| 0),
        QueryOp::Barycentrics => hit.and_then(|hit| hit.barycentrics.get(part as usize).map(|&at| float(at))),
        QueryOp::FrontFace => hit.map(|hit| u64::from(hit.front)),
        QueryOp::ObjectDirection => axis(hit?.in_object_space(ray.direction, false)),
        QueryOp::ObjectOrigin => axis(hit?.in_object_space(ray.origin, true)),
        QueryOp::ObjectToWorld => hit?.transform(part, false).map(float),
        QueryOp::WorldToObject => hit?.transform(part, true).map(float),
        QueryOp::Corners => hit?.corner(part).map(float),
        QueryOp::BoxOpaque => Some(0),
    }
}
