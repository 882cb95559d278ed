//! `qptr-specialize`: clones functions for each memory that their pointer arguments refer to.
//!
//! ```text
//! %2: ptr = ptr.dyn_offset %b, %i {stride 16}       call @2(%i)
//! call @1(%2)
//!                                               =>  func @2(%1: b32) tree {
//! func @1(%0: ptr {type #0, mode storage}) tree {     %2: ptr = ptr.var $lights
//!   store %0, %c {offset 4}                           %3: ptr = ptr.buffer_data %2
//! }                                                   %0: ptr = ptr.dyn_offset %3, %1 {stride 16}
//!                                                     store %0, %c {offset 4}
//!                                                   }
//! ```
//!
//! With logical addressing, SPIR-V can pass pointers only to whole variables (`OpFunctionCall`: memory object
//! declarations), and pointers into buffers only if the program declares `VariablePointers`. So the clone
//! refers to the variable itself, and the indices are passed as arguments; constant offsets are part of the
//! clone. A local variable is visible only in its function, so a pointer to the whole of it remains a
//! parameter, followed by the steps. The same is done if a function accesses its parameter with another type
//! than it is declared with: in the clone the memory is known, so it can be typed (`qptr-lift`).
//!
//! Calls that differ only in their indices share a clone; a function without remaining calls is removed.
//!
//! Unchanged, together with their calls: pointers of unknown origin (selects, loads, parameters of blocks: run
//! `qptr-legalize` first), pointers into images, and functions without a body. The module may grow to 262,144
//! instructions; after that, calls are unchanged. NIR inlines all functions instead.

mod call; // start here: the arguments of a call
mod copy; // a function for some memory

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::calls::{callees_first, calls, calls_by_callee, remove_uncalled};
use crate::util::open::{open, refused};
use crate::util::route::{Want, route};
use crate::util::typed_memory::agrees;
use call::{Begin, Given};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use vitrine_analysis::{Addresses, Memory, Usage, offset_of};
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{ConvertOp, Key, Op, ValueType};
use vitrine_ir::{
    Args, Diag, Editor, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Module, Reason, Refusal, Shape,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Clones functions for each memory that their pointer arguments refer to.",
    ..PassInfo::new("qptr-specialize", opening!("mod.rs"), RunFn::Module(qptr_specialize))
};

const WHY: Reason = Reason::Note("the function is cloned for this memory: indices are passed");

/// The maximum number of instructions of a module with all clones.
const MAX_INSTS: usize = 1 << 18;

/// A function, and the shape for each of its parameters; none for one that is unchanged.
type Wanted = (Func, Vec<Option<Begin>>);

/// A call, its new callee, and the replacement for each argument.
type Planned = (Inst, Func, Vec<Option<Given>>);

/// Clones functions. Linear in the size of the result, plus the analysis of memory usage if it is needed;
/// idempotent; both shapes. A call is a unit of fuel, and so is a removed function.
///
/// Errors: `P103` a function that was not valid.
fn qptr_specialize(module: &mut Module, cx: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let called = calls_by_callee(module);
    let has_pointers = |body: &FuncBody| body.params().iter().any(|&param| body.ty(param) == ValueType::Ptr);
    if !module.funcs().any(|(func, body)| called.contains_key(&func) && has_pointers(body)) {
        return Ok(Journals::new());
    }
    let order = callees_first(module);
    let mut work = Specializer {
        usage: has_mistyped_access(module).then(|| Usage::of(module, cx.analyses)),
        sizes: Sizes::default(),
        misread: FxHashMap::default(),
        copies: FxHashMap::default(),
        size: module.funcs().map(|(_, body)| body.inst_count()).sum(),
        seen: EntitySet::new(),
        queue: VecDeque::new(),
    };
    let entries: Vec<Func> = module.entries.iter().map(|entry| entry.func).collect();
    for (func, _) in module.funcs() {
        if entries.contains(&func) || !called.contains_key(&func) {
            work.enqueue(func);
        }
    }
    let (mut journals, mut changed) = (Journals::new(), false);
    while let Some(func) = work.queue.pop_front() {
        let planned = work.plan(module, func, fuel);
        if planned.is_empty() {
            continue;
        }
        changed = true;
        let mut ed = open(module, func)?;
        let done = planned.iter().try_for_each(|planned| rewrite_call(&mut ed, planned));
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    if changed {
        remove_uncalled(module, &order, &called, fuel);
        journals.retain(|&(func, _)| module.func(func).is_some());
    }
    Ok(journals)
}

/// The clones that exist so far.
struct Specializer {
    /// The usage of memory, if some of it may be accessed with another type than it is declared with.
    usage: Option<Usage>,
    sizes: Sizes,
    /// True if parameters are accessed with another type than they are declared with.
    misread: FxHashMap<(Func, Inst), bool>,
    copies: FxHashMap<Wanted, Func>,
    /// The number of instructions of the module.
    size: usize,
    seen: EntitySet<Func>,
    queue: VecDeque<Func>,
}

impl Specializer {
    /// Queues a function, once.
    fn enqueue(&mut self, func: Func) {
        if self.seen.insert(func) {
            self.queue.push_back(func);
        }
    }

    /// The new form of the calls of a function; the clones exist afterwards.
    fn plan(&mut self, module: &mut Module, func: Func, fuel: &mut Fuel) -> Vec<Planned> {
        let Some(body) = module.func(func).cloned() else { return Vec::new() };
        let all = calls(&body);
        if all.is_empty() {
            return Vec::new();
        }
        let addresses = Addresses::of(module, &body);
        let mut planned = Vec::new();
        for (call, callee) in all {
            let given = self.given(module, &body, &addresses, call, callee);
            let begins: Vec<Option<Begin>> =
                given.iter().map(|given| given.as_ref().map(|given| given.begin.clone())).collect();
            let wanted = begins.iter().any(Option::is_some).then_some((callee, begins));
            match wanted.and_then(|wanted| self.copy(module, wanted, fuel)) {
                Some(copy) => {
                    self.enqueue(copy);
                    planned.push((call, copy, given));
                }
                None => self.enqueue(callee),
            }
        }
        planned
    }

    /// The clone for some memory, created on demand. None if the size limit or the fuel is exhausted.
    fn copy(&mut self, module: &mut Module, wanted: Wanted, fuel: &mut Fuel) -> Option<Func> {
        let known = self.copies.get(&wanted).copied();
        let size = module.func(wanted.0)?.inst_count();
        if known.is_none() && self.size.saturating_add(size) > MAX_INSTS || !fuel.take() {
            return None;
        }
        if known.is_some() {
            return known;
        }
        self.size += size;
        let made = copy::copy(module, wanted.0, &wanted.1)?;
        self.copies.insert(wanted, made);
        Some(made)
    }

    /// The replacement for each argument of a call; none for those that are unchanged.
    fn given(
        &mut self,
        module: &Module,
        body: &FuncBody,
        addresses: &Addresses,
        call: Inst,
        callee: Func,
    ) -> Vec<Option<Given>> {
        let Some(target) = module.func(callee).filter(|target| *target.shape() != Shape::Declaration) else {
            return Vec::new();
        };
        let args = body.inst(call).args.iter();
        let mut given = Vec::new();
        for (&arg, &param) in args.zip(target.params()) {
            let is_pointer = body.ty(arg) == ValueType::Ptr && target.ty(param) == ValueType::Ptr;
            let misread = is_pointer && self.is_misread(module, target, (callee, param));
            let found = is_pointer.then(|| {
                call::given(module, &mut self.sizes, (body, addresses), arg, target.inst(param), misread)
            });
            given.push(found.flatten());
        }
        given
    }

    fn is_misread(&mut self, module: &Module, target: &FuncBody, at: (Func, Inst)) -> bool {
        if let Some(&known) = self.misread.get(&at) {
            return known;
        }
        let declared = target.inst(at.1).entity(Key::Type);
        let memory = Memory::Value(at.0, at.1);
        let misread = match (declared, &self.usage) {
            (Some(ty), Some(usage)) => !agrees(module, &mut self.sizes, usage, memory, ty),
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.misread.insert(at, misread);
        misread
    }
}

/// Returns true if any access through a parameter has another type than the parameter is declared with. Linear;
/// false for most modules, which then need no further analysis.
fn has_mistyped_access(module: &Module) -> bool {
    let mut sizes = Sizes::default();
    module.funcs().any(|(_, body)| {
        let pointers = body.params().iter().filter(|&&param| body.ty(param) == ValueType::Ptr);
        if pointers.count() == 0 {
            return false;
        }
        let addresses = Addresses::of(module, body);
        let mut odd = false;
        body.for_each_inst(|_, inst| odd |= is_mistyped(module, &mut sizes, (body, &addresses), inst));
        odd
    })
}

fn is_mistyped(
    module: &Module,
    sizes: &mut Sizes,
    (body, addresses): (&FuncBody, &Addresses),
    inst: Inst,
) -> bool {
    let data = body.inst(inst);
    let (Op::Memory(_), Some(&pointer)) = (data.op, data.args.first()) else { return false };
    let Some(address) = addresses.get(pointer).filter(|address| body.params().contains(&address.base)) else {
        return false;
    };
    let Some(declared) = body.inst(address.base).entity(Key::Type) else { return true };
    let value = match (data.ty, data.args.get(1)) {
        (ValueType::Void, Some(&value)) => body.ty(value),
        (ty, _) => ty,
    };
    let bytes = address.offset.saturating_add(offset_of(data));
    route(module, sizes, declared, bytes, address.terms, Want::Value(value)).is_none()
}

/// Passes the indices of a call to a clone.
fn rewrite_call(ed: &mut Editor<'_>, (call, copy, given): &Planned) -> Result<(), Refusal> {
    let data = ed.func().inst(*call).clone();
    let mut args = Vec::new();
    let mut build = ed.build(InsertPoint::Before(*call), WHY);
    for (at, &arg) in data.args.iter().enumerate() {
        let Some(given) = given.get(at).and_then(Option::as_ref) else {
            args.push(arg);
            continue;
        };
        args.extend(given.whole);
        for &index in &given.handles {
            let is_word = build.editor().func().ty(index) == ValueType::B32;
            args.push(if is_word { index } else { build.checked(ConvertOp::I2I, ValueType::B32, &[index]) });
        }
        for number in &given.numbers {
            args.push(crate::util::ptr_shape::sum(&mut build, None, Some(number)));
        }
    }
    build.finish()?;
    let new = InstData { args: Args::new(&args), ..data };
    ed.rewrite(*call, new.with(Key::Func, copy.index() as u64), WHY)
}
