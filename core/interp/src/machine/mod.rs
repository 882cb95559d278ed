//! The machine: invocations in lockstep over decoded functions.
//!
//! **Reconvergence.** All invocations of a group run one instruction at a time. At a divergent branch they
//! split; the machine always continues with the invocations at the lowest program counter, and invocations
//! that reach the same position continue together. With the order of `decode::order` (code executed later in
//! an iteration comes later, loops are contiguous, an iteration starts for all invocations at once),
//! invocations reconverge as early as possible: in a tree after every node they entered together, as with a
//! stack of masks, and in a graph at the first block common to all their paths, never later than the
//! immediate post-dominator. The rule needs no merge blocks, works on irreducible graphs, and is the same for
//! both shapes. A call completes for the invocations that make it before any other invocation of the caller
//! continues.
//!
//! No recursion, neither over the program nor over its calls.

mod control; // frames, edges, scheduling
mod step; // one instruction
mod arith;
mod access;
mod group;
mod io;
mod elements; // emitted vertices, patches, meshes
mod setup; // memory, images, inputs
mod inputs; // inputs and system values
mod tex;
mod sample;
mod rays; // rays, calls of shaders, ray queries
mod view; // the interface for debuggers
mod watch; // stores and branches as events

pub use view::{FrameView, Status};
pub use watch::{Event, EventKind, Visible, Watched, watch};

use super::consts::Consts;
use super::decode::{Program, decode, float_modes};
use super::image::{Image, Sampler};
use super::inputs::Inputs;
use super::mask::{MOST_INVOCATIONS, Mask};
use super::memory::Memory;
use super::micro_op::Code;
use super::out_key::OutKey;
use super::outcome::InvocationEnd;
use super::prints::Prints;
use super::report::{Reports, UbKind};
use super::stages::{StageInfo, has_workgroups};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Anchor, Block, Diag, EntryPoint, ExecutionMode, Func, Module, Stage};

/// The identity of an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InvocationInfo {
    /// Number of the invocation in the whole run: global index, pixel (row by row), vertex, or launch id (row by row).
    pub invocation: u64,
    /// Its position: global invocation, pixel, vertex and instance, primitive or patch and number in it, or launch id.
    pub at: [u32; 3],
    /// Its position in the workgroup.
    pub local: [u32; 3],
    /// If set, it is a helper invocation.
    pub helper: bool,
}

/// A group of invocations to run together.
#[derive(Clone, Debug)]
pub struct Group {
    /// The workgroup, if there are workgroups.
    pub workgroup: [u32; 3],
    /// Its invocations; four consecutive ones are a quad: left and right, upper row first.
    pub invocations: Vec<InvocationInfo>,
}

/// An image in memory.
#[derive(Debug)]
struct Bound {
    /// The image without its texels.
    image: Image,
    root: u32,
}

/// An active call of a function.
#[derive(Debug)]
struct Frame {
    /// Number of the function in the program.
    code: u32,
    /// Its first virtual register.
    base: usize,
    pc: u32,
    /// The invocations at `pc`.
    mask: Mask,
    /// Invocations at other positions, further on: by position.
    waiting: Vec<(u32, Mask)>,
    /// The result in the caller: first virtual register and count.
    result: (usize, u8),
    /// Number of roots of memory at the call.
    roots: usize,
    /// First root of its variables.
    locals: u32,
    /// If set, it is a shader that a ray or a call invoked.
    is_shader: bool,
}

/// A machine for one entry point. It owns its data: nothing is borrowed between two calls.
#[derive(Debug)]
pub struct Machine {
    module: Module,
    inputs: Inputs,
    stage: Stage,
    stage_info: StageInfo,
    local_size: [u32; 3],
    /// If set, the invocations of a workgroup are arranged in squares for derivatives.
    quads: bool,
    program: Rc<Program>,
    memory: Memory,
    /// A cache of type sizes.
    sizes: vitrine_ir::layout::Sizes,
    /// The buffers of a kernel's arguments.
    arg_roots: Vec<u32>,
    /// Number of roots that outlive a group.
    kept_roots: usize,
    images: Vec<Bound>,
    samplers: Vec<Sampler>,
    /// Number of invocations of a group, and of shadow words for each virtual register.
    width: usize,
    words: usize,
    /// Virtual registers of constants, then of frames: a word for each invocation.
    regs: Vec<u64>,
    /// A bit for each invocation, set if the value is undefined.
    shadow: Vec<u64>,
    /// If set, some bit of the shadow is or was set.
    shadowed: bool,
    /// Number of virtual registers in use.
    top: usize,
    frames: Vec<Frame>,
    /// The invocations of the topmost frame's mask, in order.
    active: Vec<u32>,
    info: Vec<InvocationInfo>,
    workgroup: [u32; 3],
    /// All invocations of the group, those that have not ended, helper invocations.
    everyone: Mask,
    alive: Mask,
    helpers: Mask,
    ends: Vec<InvocationEnd>,
    /// Outputs written by `io.output` and similar operations, a value and its shadow for each invocation.
    outputs: BTreeMap<OutKey, Vec<Option<(u64, bool)>>>,
    /// Output variables.
    outs: Vec<elements::OutVar>,
    /// Vertices and primitives.
    created: elements::Created,
    /// By invocation: its rays and calls, outermost first.
    rays: Vec<Vec<rays::RayState>>,
    /// Ray queries with their invocations.
    queries: Vec<(u32, super::rays::Traversal)>,
    reports: Reports,
    prints: Prints,
    /// Undefined values in outputs: root, byte, invocation. They may be overwritten yet.
    late: BTreeMap<(u32, u32, u32), (Func, Anchor)>,
    steps: u64,
    /// Sum of executed instructions over all invocations.
    invocation_steps: u64,
    /// By function of the program and position: the number of invocations that executed it.
    executed: Vec<Vec<u64>>,
    /// Scratch registers.
    scratch: [Vec<u64>; 2],
    races: Option<access::Races>,
    /// The recording of events, if there is one.
    watch: Option<Box<watch::Watch>>,
}

impl Machine {
    /// A machine for the entry point number `entry`, with its memory set up and no group to run yet.
    ///
    /// Errors: `X001` an unsupported feature, `X002` a limit is exceeded, `X003` no such entry point.
    pub fn new(module: &Module, entry: usize, inputs: &Inputs) -> Result<Machine, Diag> {
        let Some(point) = module.entries.get(entry) else {
            return Err(
                Diag::error("X003", Anchor::Module).says(format!("entry point {entry} does not exist"))
            );
        };
        let at = Anchor::Entry(entry as u32);
        let modes = float_modes(module, &point.modes);
        let program = decode(module, point.func, point.stage, modes, inputs)?;
        let stage_info = StageInfo::of(module, &program.values, point, inputs, at)?;
        let local_size = local_size(module, point, &program.values);
        let width = match point.stage {
            stage if has_workgroups(stage) => local_size.iter().map(|&axis| u64::from(axis)).product(),
            Stage::TessControl => u64::from(stage_info.vertices_out),
            _ => GROUP_INVOCATIONS,
        };
        if width == 0 || width > MOST_INVOCATIONS as u64 {
            let says =
                format!("a workgroup of {width} invocations cannot be run; {MOST_INVOCATIONS} are the most");
            return Err(Diag::error("X002", at).says(says));
        }
        let width = width as usize;
        let mut machine = Machine {
            module: module.clone(),
            inputs: inputs.clone(),
            stage: point.stage,
            stage_info,
            local_size,
            quads: point.has_mode(ExecutionMode::DerivativeGroupQuads),
            memory: Memory::new(width, inputs.limits.memory_bytes).filled(u8::from(inputs.undefined_ones)),
            sizes: vitrine_ir::layout::Sizes::default(),
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
            outs: Vec::new(),
            created: elements::Created::default(),
            rays: Vec::new(),
            queries: Vec::new(),
            reports: Reports::default(),
            prints: Prints::default(),
            late: BTreeMap::new(),
            steps: 0,
            invocation_steps: 0,
            executed: program.codes.iter().map(|code| vec![0; code.micros.len()]).collect(),
            scratch: [vec![0; width], vec![0; width]],
            races: inputs.races.then(access::Races::default),
            watch: None,
            program: Rc::new(program),
        };
        machine.set_up()?;
        machine.find_outputs();
        Ok(machine)
    }

    /// The undefined behavior found so far.
    pub fn reports(&self) -> &Reports {
        &self.reports
    }

    /// The formatted output so far.
    pub fn prints(&self) -> &Prints {
        &self.prints
    }

    /// Number of executed instructions, and their sum over all invocations.
    pub fn work(&self) -> (u64, u64) {
        (self.steps, self.invocation_steps)
    }

    /// The number of executions of each block of the functions that the entry point reaches, summed over all
    /// invocations, helper invocations included. Linear in the blocks.
    pub fn executions(&self) -> Vec<(Func, Block, u64)> {
        let program = &self.program;
        let of_func = |((&func, code), counts): ((&Func, &Code), &Vec<u64>)| {
            // An invocation that executes a block executes the first instruction of it, or its terminator.
            let count = |at: u32| counts.get(at as usize).copied().unwrap_or(0);
            code.blocks.iter().map(|&(start, block)| (func, block, count(start))).collect::<Vec<_>>()
        };
        program.funcs.iter().zip(&program.codes).zip(&self.executed).flat_map(of_func).collect()
    }

    /// Counts executions anew.
    pub fn reset_executions(&mut self) {
        self.executed.iter_mut().for_each(|counts| counts.fill(0));
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Maximum number of invocations of a group.
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

    pub(super) fn stage_info(&self) -> StageInfo {
        self.stage_info
    }

    pub(super) fn derives_in_quads(&self) -> bool {
        self.quads
    }

    /// Reports undefined behavior of an invocation at the current instruction.
    fn ub(&mut self, ub: UbKind, invocation: usize) {
        let Some(&info) = self.info.get(invocation) else { return };
        if ub == UbKind::OutOfBounds && self.program.robust {
            return;
        }
        // Undefined behavior of helper invocations is not observable.
        if info.helper && !matches!(ub, UbKind::Endless | UbKind::DeepCalls | UbKind::OutOfMemory) {
            return;
        }
        if let Some((func, at)) = self.here() {
            self.reports.add(self.inputs.limits.reports, ub, func, at, info.invocation);
        }
    }

    /// The current instruction, or the terminator of the current block.
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

/// Invocations of a group if there are no workgroups: 16 quads.
const GROUP_INVOCATIONS: u64 = 64;

/// Size of a workgroup along each axis: given by a decorated constant, otherwise by the execution mode,
/// otherwise 1.
pub(super) fn local_size(module: &Module, entry: &EntryPoint, consts: &Consts) -> [u32; 3] {
    let by_builtin = module.globals().find(|(_, data)| data.attrs.word() == Some(Builtin::WorkgroupSize));
    if let Some((global, _)) = by_builtin
        && let Some(super::consts::ConstValue::Bits(bits)) = consts.value_of(global)
        && matches!(entry.stage, Stage::Compute | Stage::Task | Stage::Mesh)
    {
        return std::array::from_fn(|axis| bits.component(axis).bits() as u32);
    }
    let mode = entry.modes.iter().find(|mode| mode.mode.is_local_size());
    let Some(mode) = mode else { return [1; 3] };
    std::array::from_fn(|axis| {
        let bits = mode.args.get(axis).and_then(|&arg| consts.bits(module, arg));
        bits.map_or(1, |bits| bits.component(0).bits() as u32)
    })
}
