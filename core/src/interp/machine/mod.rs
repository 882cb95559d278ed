//! The machine: lanes in lock step over decoded functions.
//!
//! **Where lanes meet.** All lanes of a group run one instruction at a time. At a branch they part; the machine
//! always goes on with the lanes that are furthest behind in the code, and lanes that come to the same place go
//! on together. With the order of `decode::order` (what is later in a round is later in the code, loops are one
//! piece, a round begins for all lanes at once) lanes meet again as early as they can: in a tree behind every node
//! they entered together, which is what a stack of masks gives, and in a graph at the first block all their ways
//! lead to, never later than the immediate post-dominator. The rule needs no merge blocks, knows no
//! irreducible graphs it could fail on, and is the same for both shapes. A call runs to its end for the lanes
//! that make it before any other lane of the caller goes on.
//!
//! No recursion, neither over the program nor over its calls.

mod control; // frames, ways, who goes on
mod step; // one instruction
mod arith;
mod access;
mod group;
mod io;
mod setup; // memory, images, inputs
mod tex;
mod sample;
mod view; // what a debugger asks

pub use view::{FrameView, Status};

use super::consts::Consts;
use super::decode::{Program, decode, float_modes};
use super::image::{Image, Sampler};
use super::inputs::Inputs;
use super::mask::{MOST_LANES, Mask};
use super::memory::Memory;
use super::outcome::{InvocationEnd, OutKey};
use super::report::{Reports, UbKind};
use crate::ir::{Anchor, Diag, EntryPoint, Func, Module, Stage};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Who a lane is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InvocationInfo {
    /// Number of the invocation in the whole run: global index, pixel (row by row), or vertex.
    pub invocation: u64,
    /// Its place: global invocation, pixel, or vertex and instance.
    pub at: [u32; 3],
    /// Its place in the workgroup.
    pub local: [u32; 3],
    /// Whether it only helps the others of its quad.
    pub helper: bool,
}

/// A group of lanes to run together.
#[derive(Clone, Debug)]
pub struct Group {
    /// The workgroup, where there are workgroups.
    pub workgroup: [u32; 3],
    /// Its lanes; four in a row are a quad: left and right, upper row first.
    pub lanes: Vec<InvocationInfo>,
}

/// An image in memory.
#[derive(Debug)]
struct Bound {
    /// The image without its texels.
    image: Image,
    root: u32,
}

/// A function being run.
#[derive(Debug)]
struct Frame {
    /// Number in the program.
    code: u32,
    /// Its first row.
    base: usize,
    pc: u32,
    /// The lanes that are at `pc`.
    mask: Mask,
    /// Lanes that are elsewhere, further on: by place.
    waiting: Vec<(u32, Mask)>,
    /// Where the caller wants the result: first row and rows.
    result: (usize, u8),
    /// Roots of memory when it was called.
    roots: usize,
    /// First root of its variables.
    locals: u32,
}

/// A machine for one entry point. It owns what it needs: nothing is borrowed between two calls.
#[derive(Debug)]
pub struct Machine {
    module: Module,
    inputs: Inputs,
    stage: Stage,
    local_size: [u32; 3],
    /// Whether lanes of a workgroup are arranged in squares for derivatives.
    quads: bool,
    program: Rc<Program>,
    memory: Memory,
    /// Sizes of types, measured when somebody asks.
    sizes: crate::ir::layout::Sizes,
    /// The buffers of a kernel's arguments.
    arg_roots: Vec<u32>,
    /// Roots that outlive a group.
    kept_roots: usize,
    images: Vec<Bound>,
    samplers: Vec<Sampler>,
    /// Lanes of a group, and words a row of shadows has.
    width: usize,
    words: usize,
    /// Rows of constants, then of frames: a word for each lane.
    regs: Vec<u64>,
    /// A bit a lane: the value is undefined.
    shadow: Vec<u64>,
    /// Whether any bit of the shadow is set, or was.
    shadowed: bool,
    /// Rows in use.
    top: usize,
    frames: Vec<Frame>,
    /// The lanes of the topmost frame's mask, in order.
    active: Vec<u32>,
    info: Vec<InvocationInfo>,
    workgroup: [u32; 3],
    /// All lanes of the group, those not ended, those that only help.
    everyone: Mask,
    alive: Mask,
    helpers: Mask,
    ends: Vec<InvocationEnd>,
    /// What `io.output` and its kin wrote, a value and its shadow for each lane.
    outputs: BTreeMap<OutKey, Vec<Option<(u64, bool)>>>,
    reports: Reports,
    /// Where undefined values were written into outputs: root, byte, lane. They may be overwritten yet.
    late: BTreeMap<(u32, u32, u32), (Func, Anchor)>,
    steps: u64,
    /// Instructions times lanes.
    lane_steps: u64,
    /// Scratch rows.
    scratch: [Vec<u64>; 2],
    races: Option<access::Races>,
}

impl Machine {
    /// A machine for the entry point number `entry`, with its memory set up and nothing to run yet.
    ///
    /// Errors: `X001` what cannot be run, `X002` what takes more than the limits, `X003` no such entry point.
    pub fn new(module: &Module, entry: usize, inputs: &Inputs) -> Result<Machine, Diag> {
        let Some(point) = module.entries.get(entry) else {
            return Err(
                Diag::error("X003", Anchor::Module).says(format!("there is no entry point number {entry}"))
            );
        };
        let at = Anchor::Entry(entry as u32);
        if !matches!(point.stage, Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Kernel) {
            let says = format!("entry points of the {} stage are not run", point.stage.name());
            return Err(Diag::error("X001", at).says(says));
        }
        let modes = float_modes(module, &point.modes);
        let program = decode(module, point.func, modes, inputs)?;
        let local_size = local_size(module, point, &program.values);
        let width = match point.stage {
            Stage::Compute | Stage::Kernel => local_size.iter().map(|&axis| u64::from(axis)).product(),
            _ => GROUP_LANES,
        };
        if width == 0 || width > MOST_LANES as u64 {
            let says = format!("a workgroup of {width} invocations cannot be run; {MOST_LANES} are the most");
            return Err(Diag::error("X002", at).says(says));
        }
        let width = width as usize;
        let mut machine = Machine {
            module: module.clone(),
            inputs: inputs.clone(),
            stage: point.stage,
            local_size,
            quads: point
                .modes
                .iter()
                .any(|mode| mode.info().is_some_and(|info| info.name == "derivative_group_quads")),
            memory: Memory::new(width, inputs.limits.memory_bytes),
            sizes: crate::ir::layout::Sizes::default(),
            arg_roots: Vec::new(),
            kept_roots: 0,
            images: Vec::new(),
            samplers: Vec::new(),
            width,
            words: width.div_ceil(64),
            regs: Vec::new(),
            shadow: Vec::new(),
            shadowed: false,
            top: 0,
            frames: Vec::new(),
            active: Vec::new(),
            info: Vec::new(),
            workgroup: [0; 3],
            everyone: Mask::default(),
            alive: Mask::default(),
            helpers: Mask::default(),
            ends: Vec::new(),
            outputs: BTreeMap::new(),
            reports: Reports::default(),
            late: BTreeMap::new(),
            steps: 0,
            lane_steps: 0,
            scratch: [vec![0; width], vec![0; width]],
            races: inputs.races.then(access::Races::default),
            program: Rc::new(program),
        };
        machine.set_up()?;
        Ok(machine)
    }

    /// What was undefined so far.
    pub fn reports(&self) -> &Reports {
        &self.reports
    }

    /// Instructions run so far, and the same times the lanes they ran for.
    pub fn work(&self) -> (u64, u64) {
        (self.steps, self.lane_steps)
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Lanes of a group at most.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Size of a workgroup.
    pub fn local_size(&self) -> [u32; 3] {
        self.local_size
    }

    /// The stage that runs.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    pub(super) fn derives_in_quads(&self) -> bool {
        self.quads
    }

    /// Reports a flaw of a lane at the current instruction.
    fn flaw(&mut self, flaw: UbKind, lane: usize) {
        let Some(&info) = self.info.get(lane) else { return };
        // What a helper does is nobody's business, as long as it stays among helpers.
        if info.helper && !matches!(flaw, UbKind::Endless | UbKind::DeepCalls | UbKind::OutOfMemory) {
            return;
        }
        if let Some((func, at)) = self.here() {
            self.reports.add(self.inputs.limits.reports, flaw, func, at, info.invocation);
        }
    }

    /// The current instruction, or the exit of the current block.
    fn here(&self) -> Option<(Func, Anchor)> {
        let frame = self.frames.last()?;
        let func = *self.program.funcs.get(frame.code as usize)?;
        let code = self.program.codes.get(frame.code as usize)?;
        let inst = code.micros.get(frame.pc as usize).and_then(|micro| micro.inst);
        let at = match (inst, code.block_at(frame.pc)) {
            (Some(inst), _) => Anchor::Inst(func, inst),
            (None, Some(block)) => Anchor::Terminator(func, block),
            (None, None) => Anchor::Func(func),
        };
        Some((func, at))
    }
}

/// Lanes of a group where there are no workgroups: 16 quads.
const GROUP_LANES: u64 = 64;

/// Invocations of a workgroup along each axis: the constant decorated so, else the execution mode, else 1.
pub(super) fn local_size(module: &Module, entry: &EntryPoint, consts: &Consts) -> [u32; 3] {
    use crate::ops::Key;
    let by_builtin = module.globals().find(|(_, data)| {
        let number = data.attrs.get(Key::BuiltIn).and_then(|number| usize::try_from(number).ok());
        number.and_then(|number| crate::ops::attr::BUILTINS.get(number)) == Some(&"workgroup_size")
    });
    if let Some((global, _)) = by_builtin
        && let Some(super::consts::Worth::Bits(bits)) = consts.worth(global)
        && matches!(entry.stage, Stage::Compute)
    {
        return std::array::from_fn(|axis| bits.component(axis).bits() as u32);
    }
    let mode = entry
        .modes
        .iter()
        .find(|mode| mode.info().is_some_and(|info| matches!(info.name, "local_size" | "local_size_id")));
    let Some(mode) = mode else { return [1; 3] };
    std::array::from_fn(|axis| {
        let bits = mode.args.get(axis).and_then(|&arg| consts.bits(module, arg));
        bits.map_or(1, |bits| bits.component(0).bits() as u32)
    })
}
