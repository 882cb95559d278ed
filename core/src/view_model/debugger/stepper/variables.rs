//! The variables of the source: their values as trees, and those that a pass removed.
//!
//! A variable of the frame that has memory is read there, and so is a parameter that is passed by address. One that was promoted is the value with its name that the chosen
//! invocation computed last. One that is in the input and not in this version is optimized away: the pass that removed it is
//! named, and the last place that it had.

use super::super::words::plain;
use super::removed::for_each_named;
use super::{Stepper, has};
use crate::interp::memory::{Ptr, Root};
use crate::interp::{leaves_of, number_text};
use crate::ir::{FuncBody, Inst, Mode, Type};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_protocol::{RemovedVariable, SourceVariable};

/// Numbers of a variable that are listed; further ones are in the table of its memory.
const MOST_LEAVES: usize = 256;

/// Memory of a type.
struct Typed<'a> {
    root: &'a Root,
    /// Its first byte in the root.
    start: u32,
    ty: Type,
}

impl Stepper {
    /// The variables that have values, and those that were optimized away.
    pub(super) fn variables(&self) -> (Vec<SourceVariable>, Vec<RemovedVariable>) {
        let mut all = Vec::new();
        let Some((frame, seen)) = self.seen.iter().enumerate().next_back() else { return (all, Vec::new()) };
        let Some((func, body)) = seen.func.and_then(|func| Some((func, self.module.func(func)?))) else {
            return (all, Vec::new());
        };
        let mut shown: BTreeSet<String> = BTreeSet::new();
        let mut latest: BTreeMap<&str, (u64, Inst)> = BTreeMap::new();
        for_each_named(&self.module, body, |name, inst| {
            let known = seen.invocations.get(&inst).filter(|known| has(&known.bits, self.invocation));
            if let Some(known) = known {
                let best = latest.entry(name).or_insert((known.at, inst));
                *best = (*best).max((known.at, inst));
            }
        });
        for (name, (_, inst)) in latest {
            if body.params().contains(&inst)
                && let Some(memory) = self.passed(frame, body, inst)
            {
                let before = all.len();
                self.parts(&mut all, name, &memory);
                if all.len() > before {
                    shown.insert(name.to_owned());
                    continue;
                }
            }
            let value = self.value(frame, func, inst, self.invocation, self.hints.get(&func));
            if !value.is_empty() && !name.is_empty() {
                shown.insert(name.to_owned());
                all.push(SourceVariable { name: plain(name), path: String::new(), value: plain(&value) });
            }
        }
        let is_shown = |mode: Mode| matches!(mode, Mode::Local | Mode::Private | Mode::Shared);
        for (var, data) in self.module.vars() {
            let is_own = data.owner.is_none_or(|owner| owner == func);
            let root = self.root(var).filter(|_| data.name.is_some() && is_own && is_shown(data.mode));
            if let Some(root) = root {
                let name = self.module.name_of(var);
                self.parts(&mut all, &name, &Typed { root, start: 0, ty: data.ty });
                shown.insert(name);
            }
        }
        let removed = self.removed.get(&func).into_iter().flatten();
        let gone = removed.filter(|removed| !shown.contains(&removed.name)).map(|removed| RemovedVariable {
            name: plain(&removed.name),
            step: removed.step as u32,
            pass: plain(&removed.pass),
            line: removed.line,
        });
        (all, gone.collect())
    }

    /// The memory that a parameter points to; none if it is not passed by address.
    fn passed(&self, frame: usize, body: &FuncBody, param: Inst) -> Option<Typed<'_>> {
        let ty = self.module.path_type(body, param)?.ty;
        let [Some(bits)] = self.machine.value(frame, param, self.invocation)[..] else { return None };
        let root = self.machine.memory().root(Ptr(bits).root()?)?;
        Some(Typed { root, start: Ptr(bits).offset(), ty })
    }

    /// The numbers of a variable in memory.
    fn parts(&self, all: &mut Vec<SourceVariable>, name: &str, memory: &Typed<'_>) {
        let &Typed { root, start, ty } = memory;
        let size = root.size.saturating_sub(start);
        let mut count = 0;
        let part = |path: String, value| SourceVariable { name: plain(name), path: plain(&path), value };
        leaves_of(&self.module, &self.inputs, ty, u64::from(size), &mut |leaf, path| {
            count += 1;
            if count > MOST_LEAVES {
                all.push(part(path, "further parts: see Memory below".to_owned()));
                return false;
            }
            let mut words = String::new();
            let bytes = crate::ir::layout::scalar_bytes(leaf.width) as u32;
            for component in 0..u64::from(leaf.components) {
                words.push_str(if component > 0 { ", " } else { "" });
                let offset = start.saturating_add((leaf.offset + leaf.step * component) as u32);
                match root.read(self.invocation, offset, bytes) {
                    Ok((bits, false)) => words.push_str(&number_text(bits, leaf.width, leaf.kind)),
                    Ok((_, true)) | Err(_) => words.push_str("undefined"),
                }
            }
            let words = if leaf.components > 1 { format!("({words})") } else { words };
            all.push(part(path, words));
            true
        });
    }
}
