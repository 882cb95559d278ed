//! Memory operations by alias class: two operations of different classes never access the same memory.
//!
//! A class is a connected component of locations that may overlap. Locations of one variable are compared pair by pair up to
//! a limit, above which they count as one class; so do roots. Both are sound: a class only becomes larger.

use super::{CYCLE, Painter, counted, cycled};
use crate::analysis::{Alias, Analyses, Overlap, Root, Spot};
use crate::base::{EntityId, sort_by_number};
use crate::ir::{Block, Func, FuncBody, Inst, Module};
use crate::ops::{BasicOp, Op, ValueType};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The largest numbers of locations of one root, and of roots, that are compared pair by pair.
const MOST_SPOTS: usize = 256;
const MOST_ROOTS: usize = 1024;
/// The largest number of classes in the legend for each pattern, and of roots named for a class.
const MOST_LISTED: usize = 2;
const MOST_NAMED: usize = 4;

/// The alias classes of a function.
#[derive(Default)]
struct Classes {
    /// Each memory operation with its classes: two for a copy between classes.
    operations: Vec<(Inst, Vec<usize>)>,
    classes: Vec<Class>,
    /// Operations through untyped pointers, which have no class.
    untyped: usize,
}

#[derive(Clone, Default)]
struct Class {
    operations: usize,
    roots: Vec<Root>,
    spots: Vec<Spot>,
}

/// The memory operations of a function with their locations, in order.
fn accesses(body: &FuncBody, alias: &Alias) -> (Vec<(Inst, Vec<Spot>)>, usize) {
    let mut untyped = 0;
    let insts = body.blocks_in_order().into_iter().flat_map(|block: Block| body.block(block).insts.to_vec());
    let mut found = Vec::new();
    for inst in insts {
        let data = body.inst(inst);
        if matches!(data.op, Op::Deref(_) | Op::Basic(BasicOp::Copy | BasicOp::Choose | BasicOp::Param)) {
            continue;
        }
        let mut spots: Vec<Spot> = data.args.iter().filter_map(|&arg| alias.spot(arg)).collect();
        spots.dedup();
        if !spots.is_empty() {
            found.push((inst, spots));
        } else if matches!(data.op, Op::Memory(_))
            && data.args.iter().any(|&arg| body.ty(arg) == ValueType::Ptr)
        {
            untyped += 1;
        }
    }
    (found, untyped)
}

/// A forest of merged locations.
struct Merged {
    up: Vec<usize>,
}

impl Merged {
    fn top(&mut self, mut at: usize) -> usize {
        while self.up[at] != at {
            self.up[at] = self.up[self.up[at]];
            at = self.up[at];
        }
        at
    }

    fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.top(a), self.top(b));
        // The earlier location represents both.
        self.up[a.max(b)] = a.min(b);
    }
}

/// Merges the locations that may overlap.
fn merged(alias: &Alias, spots: &[Spot]) -> Merged {
    let mut merged = Merged { up: (0..spots.len()).collect() };
    let mut roots: Vec<Vec<usize>> = Vec::new();
    let mut of_root: FxHashMap<Option<Root>, usize> = FxHashMap::default();
    for (at, &spot) in spots.iter().enumerate() {
        let root = *of_root.entry(alias.root(spot)).or_insert_with(|| {
            roots.push(Vec::new());
            roots.len() - 1
        });
        roots[root].push(at);
    }
    for group in &roots {
        for (nth, &a) in group.iter().enumerate() {
            if group.len() > MOST_SPOTS {
                merged.merge(group[0], a);
                continue;
            }
            for &b in &group[..nth] {
                if alias.overlap(spots[a], spots[b]) != Overlap::No {
                    merged.merge(a, b);
                }
            }
        }
    }
    for nth in 0..roots.len() {
        for other in 0..nth {
            let (a, b) = (roots[nth][0], roots[other][0]);
            if roots.len() > MOST_ROOTS && other > 0 {
                break;
            }
            // The relation of locations with different roots does not depend on the rest of their paths.
            if roots.len() > MOST_ROOTS || alias.overlap(spots[a], spots[b]) != Overlap::No {
                roots[nth].iter().chain(&roots[other]).for_each(|&at| merged.merge(a, at));
            }
        }
    }
    merged
}

impl Classes {
    fn of(module: &Module, func: Func, cx: &mut Analyses) -> Classes {
        let Some(body) = module.func(func) else { return Classes::default() };
        let alias = cx.get::<Alias>(module, func);
        let (accesses, untyped) = accesses(body, &alias);
        let mut places: FxHashMap<Spot, usize> = FxHashMap::default();
        let mut spots = Vec::new();
        for &spot in accesses.iter().flat_map(|(_, spots)| spots) {
            places.entry(spot).or_insert_with(|| {
                spots.push(spot);
                spots.len() - 1
            });
        }
        let mut merged = merged(&alias, &spots);
        // Classes are numbered in the order of their first location.
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut classes: Vec<Class> = Vec::new();
        for (at, &spot) in spots.iter().enumerate() {
            let number = *numbers.entry(merged.top(at)).or_insert_with(|| {
                classes.push(Class::default());
                classes.len() - 1
            });
            let class = &mut classes[number];
            class.spots.push(spot);
            if let Some(root) = alias.root(spot).filter(|root| !class.roots.contains(root)) {
                class.roots.push(root);
            }
        }
        let mut operations = Vec::with_capacity(accesses.len());
        for (inst, spots) in accesses {
            let mut of: Vec<usize> =
                spots.iter().filter_map(|spot| numbers.get(&merged.top(places[spot])).copied()).collect();
            of.dedup();
            of.iter().for_each(|&class| classes[class].operations += 1);
            operations.push((inst, of));
        }
        Classes { operations, classes, untyped }
    }

    /// The classes in the legend, in order: the largest of each pattern.
    fn listed(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.classes.len()).collect();
        sort_by_number(&mut all, |&at| u64::MAX - self.classes[at].operations as u64);
        let mut left = [MOST_LISTED; CYCLE.len()];
        all.retain(|at| {
            let left = &mut left[at % CYCLE.len()];
            let is_listed = *left > 0;
            *left -= usize::from(is_listed);
            is_listed
        });
        sort_by_number(&mut all, |&at| at as u64);
        all
    }

    /// The variables of a class and the number of its operations. A variable with other classes, too, is there in part.
    fn describe(&self, module: &Module, at: usize) -> String {
        let class = &self.classes[at];
        let elsewhere = |root: &Root| {
            self.classes.iter().enumerate().any(|(other, class)| other != at && class.roots.contains(root))
        };
        let described = |root: &Root| {
            let part = if elsewhere(root) { "part of " } else { "" };
            format!("{part}{}", name(module, *root))
        };
        let mut roots: Vec<String> = class.roots.iter().take(MOST_NAMED).map(described).collect();
        if class.roots.len() > MOST_NAMED {
            roots.push(format!("{} more", class.roots.len() - MOST_NAMED));
        }
        format!("{}, {}", roots.join(", "), counted(class.operations, "operation"))
    }
}

/// `A` to `Z`, then `A1`…
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn letters_of(classes: &[usize]) -> String {
    classes.iter().map(|&class| letter(class)).collect::<Vec<_>>().join(" ")
}

/// The letters of a function's memory operations.
pub(super) fn letters(module: &Module, func: Func, cx: &mut Analyses) -> FxHashMap<Inst, String> {
    let classes = Classes::of(module, func, cx);
    classes.operations.iter().map(|(inst, of)| (*inst, letters_of(of))).collect()
}

/// Marks every memory operation with the letter of its class.
pub(super) fn paint(painter: &mut Painter<'_>) {
    let (module, func) = (painter.ask.module, painter.ask.func);
    let found = Classes::of(module, func, painter.cx);
    for (inst, classes) in &found.operations {
        let style = cycled(classes.first().copied().unwrap_or(0));
        painter.line(*inst, style, &letters_of(classes));
    }
    let (count, classes) = (found.operations.len(), found.classes.len());
    painter.sentence(&match classes {
        0 => "No instruction of this function accesses memory through a path.".to_owned(),
        1 => format!(
            "{} in one class: any two may access the same memory.",
            counted(count, "memory operation")
        ),
        _ => format!(
            "{} in {classes} classes: operations of different classes never access the same memory.",
            counted(count, "memory operation")
        ),
    });
    if found.untyped > 0 {
        painter.sentence(&format!(
            "{} through untyped pointers without a class.",
            counted(found.untyped, "memory operation")
        ));
    }
    let listed = found.listed();
    if listed.len() < classes {
        painter.sentence("The largest classes of each pattern:");
    }
    for at in listed {
        painter.entry(cycled(at), &format!("{}: {}", letter(at), found.describe(module, at)));
    }
}

/// The name of a root, as the text of the IR spells it.
fn name(module: &Module, root: Root) -> String {
    match root {
        Root::Var(var) => {
            let name = module.var(var).and_then(|data| data.name).map(|name| module.text_of(name));
            match name
                .filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
            {
                Some(name) => format!("${name}_{}", var.index()),
                None => var.to_string(),
            }
        }
        Root::Value(value) => format!("the path {value}"),
    }
}
