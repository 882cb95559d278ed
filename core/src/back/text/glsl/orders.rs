//! Memory orders of GLSL: barriers, and the order of an atomic (GL_KHR_memory_scope_semantics); barriers of GLSL ES.
//!
//! ```text
//! barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}     barrier();
//! barrier {scope device, order acq_rel+uniform_memory}       memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, …);
//! barrier {scope device, order acq_rel}                      orders no memory: nothing
//! ```
//!
//! An order without a storage class orders nothing, and is written as none. Compilers restrict orders by operation: an atomic
//! store has no acquire, a load no release, and neither has a compare-and-exchange whose comparison fails. Scopes of queue
//! families belong to another memory model than the text has; a device contains them. Nothing orders memory of several devices.
//!
//! GLSL ES has functions that order one kind of memory, or all. An atomic with an order is one without between two of them.

use crate::back::text::expr::{Expr, Prec, Token};
use crate::back::text::func::FuncWriter;
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::scopes::Scope;
use crate::ir::{Inst, Stage};
use crate::ops::{Key, MemoryOp};
use crate::text::Class;

/// The bits of an order: acquire, release, both, and sequentially consistent.
const ACQUIRE: u64 = 1;
const RELEASE: u64 = 1 << 1;
const BOTH: u64 = 1 << 2 | 1 << 3;
/// Bits that belong to the order itself, not to storage classes.
const ANY: u64 = ACQUIRE | RELEASE | BOTH;
/// Memory of a workgroup.
const SHARED: u64 = 1 << 6;
/// Makes writes available, and available writes visible.
const AVAILABLE: u64 = 1 << 11;
const VISIBLE: u64 = 1 << 12;
const VOLATILE: u64 = 1 << 13;

/// The storage classes that orders name: the bit, the constant, and the function of GLSL ES.
const STORAGE: &[(u64, &str, &str)] = &[
    (1 << 4, "gl_StorageSemanticsBuffer", "memoryBarrierBuffer"),
    (SHARED, "gl_StorageSemanticsShared", "memoryBarrierShared"),
    (1 << 9, "gl_StorageSemanticsImage", "memoryBarrierImage"),
    (1 << 10, "gl_StorageSemanticsOutput", "memoryBarrier"),
];
/// Counters have no constant in GLSL for Vulkan, which has no counters.
const COUNTERS: (u64, &str) = (1 << 8, "memoryBarrierAtomicCounter");

/// The constant of a scope, and the extension that has it. `None` if the language has no such scope.
fn constant(scope: Scope) -> Option<(&'static str, &'static str)> {
    const SCOPES: &str = "GL_KHR_memory_scope_semantics";
    match scope {
        Scope::CrossDevice => None,
        Scope::Device | Scope::QueueFamily => Some(("gl_ScopeDevice", SCOPES)),
        Scope::Workgroup => Some(("gl_ScopeWorkgroup", SCOPES)),
        Scope::Subgroup => Some(("gl_ScopeSubgroup", SCOPES)),
        Scope::Invocation => Some(("gl_ScopeInvocation", SCOPES)),
        Scope::ShaderCall => Some(("gl_ScopeShaderCallEXT", "GL_EXT_ray_tracing")),
    }
}

/// The constants of storage classes in an order.
pub(in crate::back::text) fn storage_words(order: u64) -> Vec<&'static str> {
    STORAGE.iter().filter(|&&(bit, ..)| order & bit != 0).map(|&(_, word, _)| word).collect()
}

/// The part of an order that the language takes, as acquire and release; none if it names no storage class.
fn effective(order: u64, permitted: u64) -> u64 {
    if storage_words(order).is_empty() {
        return order & VOLATILE;
    }
    let both = if order & BOTH != 0 { ACQUIRE | RELEASE } else { 0 };
    let kept = (order | both) & permitted & (ACQUIRE | RELEASE);
    let mut rest = order & VOLATILE;
    rest |= if kept & RELEASE != 0 { order & AVAILABLE } else { 0 };
    rest |= if kept & ACQUIRE != 0 { order & VISIBLE } else { 0 };
    kept | rest
}

/// The constants of storage classes and of semantics of an order, of which some directions are permitted.
fn semantics(order: u64, permitted: u64) -> [Vec<&'static str>; 2] {
    let kept = effective(order, permitted);
    let mut words = match (kept & ACQUIRE != 0, kept & RELEASE != 0) {
        (true, true) => vec!["gl_SemanticsAcquireRelease"],
        (true, false) => vec!["gl_SemanticsAcquire"],
        (false, true) => vec!["gl_SemanticsRelease"],
        (false, false) => Vec::new(),
    };
    words.extend((kept & AVAILABLE != 0).then_some("gl_SemanticsMakeAvailable"));
    words.extend((kept & VISIBLE != 0).then_some("gl_SemanticsMakeVisible"));
    words.extend((kept & VOLATILE != 0).then_some("gl_SemanticsVolatile"));
    let is_ordered = kept & ANY != 0;
    let storage = if is_ordered { storage_words(order) } else { vec!["gl_StorageSemanticsNone"] };
    if words.is_empty() {
        words.push("gl_SemanticsRelaxed");
    }
    [storage, words]
}

/// The directions that an atomic may state.
fn permitted(op: MemoryOp) -> u64 {
    match op {
        MemoryOp::AtomicLoad => ACQUIRE,
        MemoryOp::AtomicStore => RELEASE,
        MemoryOp::Atomic
        | MemoryOp::AtomicCas
        | MemoryOp::Load
        | MemoryOp::Store
        | MemoryOp::CopyVar
        | MemoryOp::CopyBytes
        | MemoryOp::ArrayLen => ACQUIRE | RELEASE,
    }
}

impl FuncWriter<'_, '_> {
    /// A barrier: the plain functions where they mean exactly that, else the one that states everything.
    pub(in crate::back::text) fn glsl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let exec = data.attrs.get(Key::Exec).map(|exec| Scope::of(Some(exec)));
        let memory = Scope::of(data.attrs.get(Key::Scope));
        let order = data.attrs.get(Key::Order).unwrap_or(0);
        if self.w.es().is_some() {
            return self.es_barrier(inst, exec, memory, order);
        }
        let ty = NumberType::scalar(Kind::Int);
        if exec == Some(Scope::Workgroup) && memory == Scope::Workgroup && order == 1 << 2 | SHARED {
            let expr = self.call(inst, "barrier", Vec::new(), ty);
            return self.statement(expr.tokens);
        }
        // Volatile is for atomics.
        let order = order & !VOLATILE;
        let kept = effective(order, ACQUIRE | RELEASE);
        if exec.is_none() && kept == 0 {
            return;
        }
        self.w.extensions.insert("GL_KHR_memory_scope_semantics");
        self.w.glsl_memory_model |= kept & (AVAILABLE | VISIBLE) != 0;
        let [storage, semantics] = semantics(order, ACQUIRE | RELEASE);
        // A barrier that orders no memory has no scope of memory.
        let memory = if kept == 0 && memory == Scope::CrossDevice { Scope::Device } else { memory };
        let mut args = vec![self.glsl_scope(inst, memory), constants(storage), constants(semantics)];
        let name = if exec.is_some() { "controlBarrier" } else { "memoryBarrier" };
        if let Some(exec) = exec {
            args.insert(0, self.glsl_scope(inst, exec));
        }
        let expr = self.call(inst, name, args, ty);
        self.statement(expr.tokens);
    }

    /// The constant of a scope. Refuses one that is wider than every scope of the language.
    fn glsl_scope(&mut self, inst: Inst, scope: Scope) -> Expr {
        let Some((word, extension)) = constant(scope) else {
            self.refuse_scope(inst);
            return constants(Vec::new());
        };
        self.w.extensions.insert(extension);
        constants(vec![word])
    }

    /// Appends scope and order of an atomic, unless they are those of a plain call.
    pub(in crate::back::text) fn glsl_order(&mut self, inst: Inst, op: MemoryOp, args: &mut Vec<Expr>) {
        let data = self.body.inst(inst);
        let order = data.attrs.get(Key::Order).unwrap_or(0);
        let kept = effective(order, permitted(op));
        let has_plain = matches!(op, MemoryOp::Atomic | MemoryOp::AtomicCas);
        if has_plain && kept == 0 {
            return;
        }
        self.w.extensions.insert("GL_KHR_memory_scope_semantics");
        self.w.glsl_memory_model |= kept & (AVAILABLE | VISIBLE | VOLATILE) != 0;
        args.push(self.glsl_scope(inst, Scope::of(data.attrs.get(Key::Scope))));
        args.extend(semantics(order, permitted(op)).map(constants));
        if op == MemoryOp::AtomicCas {
            // Both state whether the access is volatile.
            let unequal = data.attrs.get(Key::OrderElse).unwrap_or(0) & !VOLATILE | kept & VOLATILE;
            args.extend(semantics(unequal, ACQUIRE).map(constants));
        }
    }

    /// Writes the barriers of GLSL ES in front of an atomic with an order. Returns true if there is one after it.
    pub(in crate::back::text) fn es_order(&mut self, inst: Inst, op: MemoryOp) -> bool {
        let data = self.body.inst(inst);
        let order = data.attrs.get(Key::Order).unwrap_or(0) | data.attrs.get(Key::OrderElse).unwrap_or(0);
        let kept = effective(order, permitted(op));
        if kept & RELEASE != 0 {
            self.es_memory_barrier(inst, Scope::of(data.attrs.get(Key::Scope)), order);
        }
        kept & ACQUIRE != 0
    }

    /// Writes the barrier of GLSL ES after an atomic with an order.
    pub(in crate::back::text) fn es_order_after(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let order = data.attrs.get(Key::Order).unwrap_or(0) | data.attrs.get(Key::OrderElse).unwrap_or(0);
        self.es_memory_barrier(inst, Scope::of(data.attrs.get(Key::Scope)), order);
    }

    /// A barrier of GLSL ES: that of memory, then that of control, which orders memory of the workgroup by itself.
    fn es_barrier(&mut self, inst: Inst, exec: Option<Scope>, memory: Scope, order: u64) {
        let ty = NumberType::scalar(Kind::Int);
        match exec {
            Some(Scope::Subgroup) => {
                // It orders all memory of the subgroup.
                if !matches!(memory, Scope::Subgroup | Scope::Invocation) {
                    self.es_memory_barrier(inst, memory, order);
                }
                self.w.extensions.insert("GL_KHR_shader_subgroup_basic");
                let expr = self.call(inst, "subgroupBarrier", Vec::new(), ty);
                self.statement(expr.tokens);
            }
            Some(Scope::Workgroup) => {
                let is_own = memory.is_within_workgroup() && order & !(ANY | SHARED) == 0;
                if !is_own {
                    self.es_memory_barrier(inst, memory, order);
                }
                let expr = self.call(inst, "barrier", Vec::new(), ty);
                self.statement(expr.tokens);
            }
            Some(
                Scope::CrossDevice
                | Scope::Device
                | Scope::Invocation
                | Scope::QueueFamily
                | Scope::ShaderCall,
            ) => {
                self.refuse(inst, "invocations wait for those of their workgroup or subgroup only", "");
            }
            None => self.es_memory_barrier(inst, memory, order),
        }
    }

    /// The functions that order memory of an order, or the one that orders all.
    fn es_memory_barrier(&mut self, inst: Inst, scope: Scope, order: u64) {
        let of_counters = order & COUNTERS.0 != 0;
        if effective(order, ACQUIRE | RELEASE) == 0 && !of_counters {
            return;
        }
        if scope == Scope::CrossDevice {
            return self.refuse_scope(inst);
        }
        let names: Vec<&'static str> = STORAGE
            .iter()
            .filter(|&&(bit, ..)| order & bit != 0)
            .map(|&(_, _, name)| name)
            .chain(of_counters.then_some(COUNTERS.1))
            .collect();
        let is_compute = self.w.stage == Stage::Compute;
        // Other stages have no memory of a workgroup, nor a function that orders it.
        let all = "memoryBarrier";
        let name = match &names[..] {
            &[name] if is_compute || name != "memoryBarrierShared" => name,
            [_] | [_, _, ..] | [] => all,
        };
        let is_within = scope.is_within_workgroup() && is_compute;
        let name = if is_within { "groupMemoryBarrier" } else { name };
        let expr = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
        self.statement(expr.tokens);
    }
}

/// A sum of constants.
fn constants(words: Vec<&'static str>) -> Expr {
    let prec = if words.len() > 1 { Prec::BitOr } else { Prec::Atom };
    Expr::new(vec![Token::new(Class::Name, words.join(" | "))], prec, NumberType::scalar(Kind::Int))
}
