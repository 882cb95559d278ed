//! `lower-variable-initializers`: lowers initializers of variables to stores at the start.
//!
//! ```text
//! local $0: [u32 * 2] = &0                  local $0: [u32 * 2]
//! ^0:                                       ^0:
//!   ...                               =>      %1: path = deref.var $0
//!                                             %2: b32 = const 0
//!                                             %3: path = deref.elem %1, %2
//!                                             %4: b32 = const 5
//!                                             store %3, %4
//!                                             ...
//! ```
//!
//! A local begins anew with each call, so its stores stand at the beginning of its function; a private variable or an
//! output begins with the invocation, so its stores stand at the beginning of every entry point.
//!
//! With `local` only locals are looked at. Afterwards no local, private variable or output has an initializer, but for
//! those of which a part is not known before the shader is specialised, those with more than 16,384 leaves, locals of
//! functions whose first block is entered again, and globals where an entry point is called or is such a function.
//! What is undefined is not stored. Variables shared by a workgroup keep theirs: one component would have to store, and all
//! to wait. The opposite is `large-constants`. NIR: `nir_lower_variable_initializers`.

use super::pass::{Journals, OptionInfo, Options, PassInfo, RunFn, merged};
use crate::analysis::Cfg;
use crate::base::opening::opening;
use crate::ir::{
    Diag, Fuel, Func, GlobalValue, InsertPoint, InstData, Journal, Mode, Module, Operand, Reason, Refusal,
    Type, Var, VarData,
};
use crate::ops::{MemoryOp, Op, ValueType};
use crate::passes::util::initial;
use crate::passes::util::leaves::{Arrays, Inner, further, leaves};
use crate::passes::util::memory::called;
use crate::passes::util::open::{open, refused};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers initializers of variables to stores at the start.",
    options: &[
        OptionInfo::Word("all", "Locals, private variables and outputs."),
        OptionInfo::Word("local", "Locals."),
    ],
    ..PassInfo::new(
        "lower-variable-initializers",
        opening!("lower_variable_initializers.rs"),
        RunFn::Module(lower_variable_initializers),
    )
};

const WHY: Reason = Reason::Note("the initial value is stored");

/// Most leaves of a variable.
const MOST_LEAVES: usize = 1 << 14;

/// Most stores in all.
const MOST_IN_ALL: usize = 1 << 20;

/// A leaf: the way to it, and what it holds at first.
type Leaf = (Vec<Inner>, Operand, ValueType);

/// Turns initializers into stores. Linear in what comes out; idempotent; both shapes. A variable is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn lower_variable_initializers(
    module: &mut Module,
    options: &Options,
    fuel: &mut Fuel,
) -> Result<Journals, Diag> {
    let entries = entries(module);
    let all: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.init.is_some())
        .map(|(var, data)| (var, data.clone()))
        .collect();
    let mut journals = Journals::new();
    let mut left = MOST_IN_ALL;
    for (var, data) in all {
        let homes: Vec<Func> = match (data.mode, data.owner) {
            (Mode::Local, Some(owner)) if begins_once(module, owner) => vec![owner],
            (Mode::Private | Mode::Out, _) if options.word != "local" => match &entries {
                Some(entries) => entries.clone(),
                None => continue,
            },
            _ => continue,
        };
        let Some(parts) = data.init.and_then(|init| parts(module, data.ty, init)) else { continue };
        let count = parts.len().saturating_mul(homes.len().max(1));
        if count > left {
            continue;
        }
        if !fuel.take() {
            break;
        }
        left -= count;
        module.set_var(var, VarData { init: None, ..data });
        for func in homes {
            let journal = begin(module, func, var, &parts)?;
            journals.push((func, journal));
        }
    }
    Ok(merged(journals))
}

/// The entry points, if each runs once in an invocation.
fn entries(module: &Module) -> Option<Vec<Func>> {
    let mut entries: Vec<Func> = Vec::new();
    for entry in module.entries.iter() {
        if !entries.contains(&entry.func) {
            entries.push(entry.func);
        }
    }
    let called = called(module);
    // Without an entry point nobody says where an invocation begins.
    let fits = |&func: &Func| !called.contains(&func) && begins_once(module, func);
    (!entries.is_empty() && entries.iter().all(fits)).then_some(entries)
}

/// Whether the first block of a function is entered only when it is called.
fn begins_once(module: &Module, func: Func) -> bool {
    let Some(body) = module.func(func) else { return false };
    let cfg = Cfg::of(body);
    cfg.entry().is_some_and(|entry| cfg.preds(entry).next().is_none())
}

/// What each leaf holds at first; none if that is not known.
fn parts(module: &mut Module, ty: Type, init: Operand) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    for way in leaves(module, ty, MOST_LEAVES, Arrays::Apart)? {
        let steps: Vec<u32> = way.iter().map(|&step| initial::number(step)).collect();
        let leaf = initial::leaf_type(module, ty, &steps)?;
        if is_undefined(module, init, &steps) {
            continue;
        }
        let part = initial::part(module, init, steps, leaf)?;
        out.push((way, part, leaf));
    }
    Some(out)
}

/// Whether a part of an initializer may be anything.
fn is_undefined(module: &Module, init: Operand, steps: &[u32]) -> bool {
    let mut part = Some(init);
    for at in 0..=steps.len() {
        let Some(Operand::Global(global)) = part else { return false };
        part = match module.global(global).map(|data| &data.value) {
            Some(GlobalValue::Undef(_)) => return true,
            Some(GlobalValue::Parts(_, parts)) => {
                steps.get(at).and_then(|&step| parts.get(step as usize)).copied()
            }
            _ => return false,
        };
    }
    false
}

/// Puts the stores in front of everything else.
fn begin(module: &mut Module, func: Func, var: Var, parts: &[Leaf]) -> Result<Journal, Diag> {
    let mut ed = open(module, func)?;
    let done = (|| {
        let Some(entry) = ed.func().entry() else { return Ok(()) };
        let mut b = ed.build(InsertPoint::Start(entry), WHY);
        let root = b.deref_var(var);
        for (way, part, ty) in parts {
            let path = way.iter().fold(root, |path, &step| further(&mut b, path, step));
            let value = b.emit_with(initial::instruction(*part, *ty));
            b.emit_with(InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[path, value]));
        }
        b.finish()
    })();
    let edited = ed.finish();
    done.map_err(|refusal: Refusal| refused(func, &refusal))?;
    Ok(edited.journal)
}
