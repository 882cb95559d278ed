//! A whole run: every workgroup of a dispatch, every quad of a rectangle, every vertex, primitive or patch of a draw,
//! every ray of a launch.

use super::inputs::Inputs;
use super::machine::{Group, InvocationInfo, Machine, Status};
use super::outcome::Outcome;
use super::stages::has_workgroups;
use vitrine_ir::base::sort_by_number;
use vitrine_ir::{Anchor, Diag, Module, Stage};

/// Runs an entry point on its inputs, by number in `Module::entries`.
///
/// Workgroups, quads and vertices run one after another; their writes to buffers accumulate in that order.
///
/// Errors: `X001` unsupported feature, `X002` a limit is exceeded, `X003` no such entry point.
pub fn run(module: &Module, entry: usize, inputs: &Inputs) -> Result<Outcome, Diag> {
    let mut machine = Machine::new(module, entry, inputs)?;
    let count = machine.group_count();
    let invocations = count.saturating_mul(machine.width() as u64);
    if invocations > inputs.limits.invocations.saturating_add(machine.width() as u64) {
        let says =
            format!("{invocations} invocations are more than the limit of {}", inputs.limits.invocations);
        return Err(Diag::error("X002", Anchor::Entry(entry as u32)).says(says));
    }
    let mut outcome = Outcome::default();
    for number in 0..count {
        let group = machine.group_at(number);
        if group.invocations.is_empty() {
            continue;
        }
        machine.begin(&group);
        while machine.run(u64::MAX) == Status::Running {}
        machine.collect(&mut outcome);
    }
    machine.finish(&mut outcome);
    Ok(outcome)
}

impl Machine {
    /// Number of groups of invocations that the inputs request.
    pub fn group_count(&self) -> u64 {
        let inputs = self.inputs();
        match self.stage() {
            stage if has_workgroups(stage) => product(&inputs.groups),
            Stage::Fragment => self.quads().len().div_ceil(self.width() as u64 / 4),
            _ => product(&self.grid()).div_ceil(self.width() as u64),
        }
    }

    /// The extent of the positions of invocations that form neither workgroups nor quads; the product is their number.
    fn grid(&self) -> [u32; 3] {
        let inputs = self.inputs();
        let info = self.stage_info();
        // The number in the primitive changes first: see `listed_at`.
        let of_primitive = |count: u32| [count, inputs.primitives, 1];
        match self.stage() {
            Stage::Vertex => [inputs.vertices[0], inputs.vertices[1], 1],
            Stage::TessControl => of_primitive(info.vertices_out),
            Stage::TessEval => of_primitive(info.points.len() as u32),
            Stage::Geometry => of_primitive(info.invocations),
            Stage::RayGen
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => inputs.launch,
            Stage::Fragment
            | Stage::Compute
            | Stage::Kernel
            | Stage::Task
            | Stage::Mesh
            | Stage::TaskNv
            | Stage::MeshNv => [1; 3],
        }
    }

    /// The group with this number, from 0.
    pub fn group_at(&self, number: u64) -> Group {
        match self.stage() {
            stage if has_workgroups(stage) => self.workgroup_at(number),
            Stage::Fragment => self.quads_at(number),
            _ => self.listed_at(number),
        }
    }

    fn workgroup_at(&self, number: u64) -> Group {
        let [nx, ny, _] = self.inputs().groups.map(|count| u64::from(count.max(1)));
        let workgroup = [number % nx, number / nx % ny, number / (nx * ny)].map(|axis| axis as u32);
        let size = self.local_size();
        let global = self.inputs().groups.map(u64::from);
        let invocations = (0..self.width() as u64)
            .map(|invocation| {
                let local = self.local_at(invocation);
                let at: [u32; 3] = std::array::from_fn(|axis| {
                    workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local[axis])
                });
                let [wide, high] = [0, 1].map(|axis| global[axis] * u64::from(size[axis]));
                let [x, y, z] = at.map(u64::from);
                let invocation = x.wrapping_add(wide.wrapping_mul(y.wrapping_add(high.wrapping_mul(z))));
                InvocationInfo { invocation, at, local, helper: false }
            })
            .collect();
        Group { workgroup, invocations }
    }

    /// The position of an invocation in its workgroup; in squares of two by two if the entry point uses
    /// derivatives in quads.
    fn local_at(&self, invocation: u64) -> [u32; 3] {
        let [sx, sy, _] = self.local_size().map(|axis| u64::from(axis.max(1)));
        if self.derives_in_quads() && sx % 2 == 0 && sy % 2 == 0 {
            let (quad, corner) = (invocation / 4, invocation % 4);
            let (x, y) = (quad % (sx / 2) * 2 + corner % 2, quad / (sx / 2) % (sy / 2) * 2 + corner / 2);
            return [x, y, invocation / (sx * sy)].map(|axis| axis as u32);
        }
        [invocation % sx, invocation / sx % sy, invocation / (sx * sy)].map(|axis| axis as u32)
    }

    /// The upper left corners of the quads to run, in row-major order.
    fn quads(&self) -> Quads {
        let inputs = self.inputs();
        if !inputs.pixels.is_empty() {
            let mut corners: Vec<[u64; 2]> =
                inputs.pixels.iter().map(|&[x, y]| [u64::from(y / 2) * 2, u64::from(x / 2) * 2]).collect();
            sort_by_number(&mut corners, |corner| corner[1]);
            sort_by_number(&mut corners, |corner| corner[0]);
            corners.dedup();
            return Quads::Listed(corners);
        }
        let [x, y, w, h] = inputs.rect.map(u64::from);
        let along = |from: u64, len: u64| if len == 0 { 0 } else { (from + len).div_ceil(2) - from / 2 };
        Quads::Rect { first: [x / 2, y / 2], columns: along(x, w), rows: along(y, h) }
    }

    fn quads_at(&self, number: u64) -> Group {
        let [x, y, w, h] = self.inputs().rect.map(u64::from);
        let listed = &self.inputs().pixels;
        let frame_width = u64::from(self.inputs().frame[0]);
        let quads = self.quads();
        let each = self.width() as u64 / 4;
        let mut invocations = Vec::with_capacity(self.width());
        for quad in number * each..((number + 1) * each).min(quads.len()) {
            let corner = quads.corner(quad);
            let first = invocations.len();
            for place in 0..4 {
                let (px, py) = (corner[0] + place % 2, corner[1] + place / 2);
                let at = [px as u32, py as u32, 0];
                let wanted = match listed.is_empty() {
                    true => px >= x && px < x + w && py >= y && py < y + h,
                    false => listed.contains(&[at[0], at[1]]),
                };
                let triangle = self.inputs().triangle.as_ref();
                let wanted = wanted && triangle.is_none_or(|triangle| triangle.owns([at[0], at[1]]));
                invocations.push(InvocationInfo {
                    invocation: py * frame_width + px,
                    at,
                    local: [0; 3],
                    helper: !wanted,
                });
            }
            if invocations.iter().skip(first).all(|info: &InvocationInfo| info.helper) {
                invocations.truncate(first);
            }
        }
        Group { workgroup: [0; 3], invocations }
    }

    fn listed_at(&self, number: u64) -> Group {
        let grid = self.grid();
        let [columns, rows, _] = grid.map(|axis| u64::from(axis.max(1)));
        let from = number.saturating_mul(self.width() as u64);
        let to = from.saturating_add(self.width() as u64).min(product(&grid));
        let has_primitives = matches!(self.stage(), Stage::TessControl | Stage::TessEval | Stage::Geometry);
        let invocation = |index: u64| {
            let [x, y, z] = [index % columns, index / columns % rows, index / (columns * rows)];
            // A position is a primitive, then a number in it.
            let at = if has_primitives { [y, x, z] } else { [x, y, z] };
            InvocationInfo { invocation: index, at: at.map(|axis| axis as u32), local: [0; 3], helper: false }
        };
        Group { workgroup: [0; 3], invocations: (from..to).map(invocation).collect() }
    }
}

fn product(list: &[u32]) -> u64 {
    list.iter().fold(1u64, |product, &axis| product.saturating_mul(u64::from(axis)))
}

/// Quads to run.
enum Quads {
    Rect {
        first: [u64; 2],
        columns: u64,
        rows: u64,
    },
    /// Row and column of their upper left pixels.
    Listed(Vec<[u64; 2]>),
}

impl Quads {
    fn len(&self) -> u64 {
        match self {
            Quads::Rect { columns, rows, .. } => columns.saturating_mul(*rows),
            Quads::Listed(corners) => corners.len() as u64,
        }
    }

    /// Column and row of the upper left pixel.
    fn corner(&self, number: u64) -> [u64; 2] {
        match self {
            Quads::Rect { first, columns, .. } => {
                let columns = (*columns).max(1);
                [(first[0] + number % columns) * 2, (first[1] + number / columns) * 2]
            }
            Quads::Listed(corners) => {
                let corner = usize::try_from(number).ok().and_then(|number| corners.get(number));
                corner.map_or([0; 2], |&[y, x]| [x, y])
            }
        }
    }
}
