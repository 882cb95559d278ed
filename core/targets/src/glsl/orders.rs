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

use crate::expr::{Expr, Prec, Token};
use crate::func::FuncWriter;
use crate::number::{Kind, NumberType};
use crate::scopes::{orders, scope};
use vitrine_ir::ops::{Key, MemoryOp, Scope, Semantics};
use vitrine_ir::{Inst, Stage};
use vitrine_text::Class;

/// The two directions.
const BOTH: Semantics = Semantics::ACQUIRE.and(Semantics::RELEASE);

/// The storage classes that orders name: the memory, the constant, and the function of GLSL ES.
const STORAGE: &[(Semantics, &str, &str)] = &[
    (Semantics::UNIFORM_MEMORY, "gl_StorageSemanticsBuffer", "memoryBarrierBuffer"),
    (Semantics::WORKGROUP_MEMORY, "gl_StorageSemanticsShared", "memoryBarrierShared"),
    (Semantics::IMAGE_MEMORY, "gl_StorageSemanticsImage", "memoryBarrierImage"),
    (Semantics::OUTPUT_MEMORY, "gl_StorageSemanticsOutput", "memoryBarrier"),
];
/// Counters have no constant in GLSL for Vulkan, which has no counters.
const COUNTERS: (Semantics, &str) = (Semantics::ATOMIC_COUNTER_MEMORY, "memoryBarrierAtomicCounter");

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
fn storage_words(order: Semantics) -> Vec<&'static str> {
    STORAGE.iter().filter(|&&(memory, ..)| order.has(memory)).map(|&(_, word, _)| word).collect()
}

/// The part of an order that the language takes, as acquire and release; none if it names no storage class.
fn effective(order: Semantics, permitted: Semantics) -> Semantics {
    let mut kept = order.only(Semantics::VOLATILE);
    if storage_words(order).is_empty() {
        return kept;
    }
    if permitted.has(Semantics::RELEASE) && order.has_any(Semantics::RELEASES) {
        kept = kept.and(Semantics::RELEASE).and(order.only(Semantics::AVAILABLE));
    }
    if permitted.has(Semantics::ACQUIRE) && order.has_any(Semantics::ACQUIRES) {
        kept = kept.and(Semantics::ACQUIRE).and(order.only(Semantics::VISIBLE));
    }
    kept
}

/// The constants of storage classes and of semantics of an order, of which some directions are permitted.
fn semantics(order: Semantics, permitted: Semantics) -> [Vec<&'static str>; 2] {
    let kept = effective(order, permitted);
    let mut words = match (kept.has(Semantics::ACQUIRE), kept.has(Semantics::RELEASE)) {
        (true, true) => vec!["gl_SemanticsAcquireRelease"],
        (true, false) => vec!["gl_SemanticsAcquire"],
        (false, true) => vec!["gl_SemanticsRelease"],
        (false, false) => Vec::new(),
    };
    words.extend(kept.has(Semantics::AVAILABLE).then_some("gl_SemanticsMakeAvailable"));
    words.extend(kept.has(Semantics::VISIBLE).then_some("gl_SemanticsMakeVisible"));
    words.extend(kept.has(Semantics::VOLATILE).then_some("gl_SemanticsVolatile"));
    let is_ordered = kept.has_any(BOTH);
    let storage = if is_ordered { storage_words(order) } else { vec!["gl_StorageSemanticsNone"] };
    if words.is_empty() {
        words.push("gl_SemanticsRelaxed");
    }
    [storage, words]
}

/// The directions that an atomic may state.
fn permitted(op: MemoryOp) -> Semantics {
    match op {
        MemoryOp::AtomicLoad => Semantics::ACQUIRE,
        MemoryOp::AtomicStore => Semantics::RELEASE,
        MemoryOp::Atomic
        | MemoryOp::AtomicCas
        | MemoryOp::Load
        | MemoryOp::Store
        | MemoryOp::CopyVar
        | MemoryOp::CopyBytes
        | MemoryOp::ArrayLen => BOTH,
    }
}

impl FuncWriter<'_, '_> {
    /// A barrier: the plain functions where they mean exactly that, else the one that states everything.
    pub(super) fn glsl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let exec = data.attrs.word_of::<Scope>(Key::Exec);
        let memory = scope(data);
        let order: Semantics = data.attrs.words();
        if self.w.es().is_some() {
            return self.es_barrier(inst, exec, memory, order);
        }
        let ty = NumberType::scalar(Kind::Int);
        let plain = Semantics::ACQ_REL.and(Semantics::WORKGROUP_MEMORY);
        if exec == Some(Scope::Workgroup) && memory == Scope::Workgroup && order == plain {
            let expr = self.call(inst, "barrier", Vec::new(), ty);
            return self.statement(expr.tokens);
        }
        // Volatile is for atomics.
        let order = order.without(Semantics::VOLATILE);
        let kept = effective(order, BOTH);
        if exec.is_none() && kept.is_none() {
            return;
        }
        self.w.extensions.insert("GL_KHR_memory_scope_semantics");
        self.w.own.glsl.memory_model |= kept.has_any(Semantics::AVAILABLE.and(Semantics::VISIBLE));
        let [storage, semantics] = semantics(order, BOTH);
        // A barrier that orders no memory has no scope of memory.
        let memory = if kept.is_none() && memory == Scope::CrossDevice { Scope::Device } else { memory };
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
    pub(super) fn glsl_order(&mut self, inst: Inst, op: MemoryOp, args: &mut Vec<Expr>) {
        let data = self.body.inst(inst);
        let order: Semantics = data.attrs.words();
        let kept = effective(order, permitted(op));
        let has_plain = matches!(op, MemoryOp::Atomic | MemoryOp::AtomicCas);
        if has_plain && kept.is_none() {
            return;
        }
        self.w.extensions.insert("GL_KHR_memory_scope_semantics");
        let of_model = Semantics::AVAILABLE.and(Semantics::VISIBLE).and(Semantics::VOLATILE);
        self.w.own.glsl.memory_model |= kept.has_any(of_model);
        args.push(self.glsl_scope(inst, scope(data)));
        args.extend(semantics(order, permitted(op)).map(constants));
        if op == MemoryOp::AtomicCas {
            // Both state whether the access is volatile.
            let unequal = data.attrs.words_of::<Semantics>(Key::OrderElse).without(Semantics::VOLATILE);
            let unequal = unequal.and(kept.only(Semantics::VOLATILE));
            args.extend(semantics(unequal, Semantics::ACQUIRE).map(constants));
        }
    }

    /// Writes the barriers of GLSL ES in front of an atomic with an order. Returns true if there is one after it.
    pub(super) fn es_order(&mut self, inst: Inst, op: MemoryOp) -> bool {
        let data = self.body.inst(inst);
        let order = orders(data);
        let kept = effective(order, permitted(op));
        if kept.has(Semantics::RELEASE) {
            self.es_memory_barrier(inst, scope(data), order);
        }
        kept.has(Semantics::ACQUIRE)
    }

    /// Writes the barrier of GLSL ES after an atomic with an order.
    pub(super) fn es_order_after(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        self.es_memory_barrier(inst, scope(data), orders(data));
    }

    /// A barrier of GLSL ES: that of memory, then that of control, which orders memory of the workgroup by itself.
    fn es_barrier(&mut self, inst: Inst, exec: Option<Scope>, memory: Scope, order: Semantics) {
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
                let own = Semantics::ORDERS.and(Semantics::WORKGROUP_MEMORY);
                let is_own = memory.is_within_workgroup() && order.without(own).is_none();
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
    fn es_memory_barrier(&mut self, inst: Inst, scope: Scope, order: Semantics) {
        let of_counters = order.has(COUNTERS.0);
        if effective(order, BOTH).is_none() && !of_counters {
            return;
        }
        if scope == Scope::CrossDevice {
            return self.refuse_scope(inst);
        }
        let names: Vec<&'static str> = STORAGE
            .iter()
            .filter(|&&(memory, ..)| order.has(memory))
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
