//! Ranges of values, as words at the end of the lines that define them.

use super::{MarkStyle, Painter, counted};
use crate::analysis::{Analyses, Range, TypeHint, Types};
use crate::ir::{Block, Func, FuncBody, Inst, Module};
use crate::ops::{BasicOp, Op};
use rustc_hash::FxHashMap;

/// The range of a value in words; empty if nothing is known of it.
fn spell(range: &Range, hint: TypeHint, inst: Inst) -> String {
    let words: Vec<String> = range.facts(inst).iter().map(|fact| fact.spell(hint)).collect();
    match words.as_slice() {
        [] => String::new(),
        [first, rest @ ..] if rest.iter().all(|word| word == first) => first.clone(),
        all if all.iter().all(String::is_empty) => String::new(),
        all => {
            let word = |word: &String| if word.is_empty() { "any".to_owned() } else { word.clone() };
            format!("[{}]", all.iter().map(word).collect::<Vec<_>>().join(" | "))
        }
    }
}

/// The values whose ranges are of interest: all except constants.
fn values(body: &FuncBody) -> impl Iterator<Item = Inst> {
    let of = |block: Block| body.block(block).params.iter().chain(body.block(block).insts.iter());
    let is_const = |inst: Inst| {
        matches!(body.inst(inst).op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef))
    };
    body.blocks_in_order().into_iter().flat_map(of).copied().filter(move |&inst| !is_const(inst))
}

/// The ranges of a function's values in words.
pub(super) fn words(module: &Module, func: Func, cx: &mut Analyses) -> FxHashMap<Inst, String> {
    let (range, types) = (cx.get::<Range>(module, func), cx.get::<Types>(module, func));
    let Some(body) = module.func(func) else { return FxHashMap::default() };
    let word = |inst: Inst| (inst, spell(&range, types.hint(inst), inst));
    values(body).map(word).filter(|(_, words)| !words.is_empty()).collect()
}

/// Marks every value with a known range.
pub(super) fn paint(painter: &mut Painter<'_>) {
    let (module, func) = (painter.ask.module, painter.ask.func);
    let words = words(module, func, painter.cx);
    let range = painter.cx.get::<Range>(module, func);
    let (mut all, mut known) = (0, 0);
    for inst in values(painter.body).filter(|&inst| painter.body.inst(inst).has_result()) {
        all += 1;
        let Some(words) = words.get(&inst) else { continue };
        known += 1;
        let facts = range.facts(inst);
        let is_constant = !facts.is_empty() && facts.iter().all(|fact| fact.constant().is_some());
        painter.value(inst, if is_constant { MarkStyle::Cross } else { MarkStyle::Lines }, words);
    }
    painter.sentence(&format!(
        "A range holds wherever the value is computed, for all inputs. Known: {known} of {}.",
        counted(all, "value")
    ));
    painter.entry(MarkStyle::Lines, "value with a known range");
    painter.entry(MarkStyle::Cross, "value with a single possible value");
}
