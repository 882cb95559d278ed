//! Predicates that hold or do not hold, each with a sentence that says what was found.
//!
//! The sentence is right in both cases: a check with `not` reports the same one.

use super::paths::{path, spelled};
use super::subject::Subject;
use crate::analysis::{Cfg, Divergence, Dom, Fact, Live, PostDom, Range};
use crate::ir::Block;

/// A fact and a sentence about it.
pub(super) type Truth = (bool, String);

/// Evaluates a predicate. Errors: a sentence if it is undefined for the program.
pub(super) fn truth(subject: &mut Subject, name: &str, args: &[String]) -> Result<Truth, String> {
    match (name, args) {
        ("has", [entity]) => Ok(has(subject, entity)),
        ("reachable", [block]) => reachable(subject, block),
        ("unreachable", [block]) => reachable(subject, block).map(|(holds, words)| (!holds, words)),
        ("dominates", [a, b]) => dominates(subject, a, b),
        ("post-dominates", [a, b]) => post_dominates(subject, a, b),
        ("uniform", [value]) => {
            let found = subject.value(value)?;
            Ok(match subject.get::<Divergence>().is_uniform(found) {
                true => {
                    (true, format!("{value} is uniform: all invocations that compute it get the same value"))
                }
                false => (false, format!("{value} is divergent: invocations may get different values")),
            })
        }
        ("partial", [block]) => {
            let found = subject.reachable(block)?;
            Ok(match subject.get::<Divergence>().is_partial(found) {
                true => (
                    true,
                    format!("{block} is partial: some invocations may execute it while others are elsewhere"),
                ),
                false => (false, format!("{block} is not partial: active invocations reach it together")),
            })
        }
        ("live-into" | "live-out-of", [value, block]) => live(subject, name, value, block),
        ("in-range", [value, low, high]) => in_range(subject, value, [low, high]),
        _ => Err(format!("`{name}` is not a property")),
    }
}

fn has(subject: &mut Subject, entity: &str) -> Truth {
    let found = match entity.chars().next() {
        Some('^') => subject.block(entity).map(|_| ()),
        Some('%') => subject.value(entity).map(|_| ()),
        _ => subject.var(entity).map(|_| ()),
    };
    match found {
        Ok(()) => (true, format!("{entity} exists")),
        Err(why) => (false, why),
    }
}

fn reachable(subject: &mut Subject, name: &str) -> Result<Truth, String> {
    let block = subject.block(name)?;
    let cfg = subject.get::<Cfg>();
    let found = cfg.entry().and_then(|entry| path(&cfg, entry, |at| at == block, None));
    Ok(match found {
        Some(found) => (true, format!("{name} is reachable: {}", spelled(&found))),
        None => (false, format!("no path leads from the entry to {name}")),
    })
}

fn dominates(subject: &mut Subject, a: &str, b: &str) -> Result<Truth, String> {
    let [over, under] = [subject.reachable(a)?, subject.reachable(b)?];
    let cfg = subject.get::<Cfg>();
    let holds = subject.get::<Dom>().dominates(over, under);
    let Some(entry) = cfg.entry() else { return Err("the function has no entry".to_owned()) };
    if over == under {
        return Ok((holds, format!("{a} dominates itself")));
    }
    let avoid = (!holds).then_some(over);
    let words = path(&cfg, entry, |at| at == under, avoid).map(|found| spelled(&found)).unwrap_or_default();
    Ok(match holds {
        true => {
            (true, format!("{a} dominates {b}: every path to {b} passes through {a}, for example {words}"))
        }
        false => (false, format!("{a} does not dominate {b}: the path {words} avoids {a}")),
    })
}

fn post_dominates(subject: &mut Subject, a: &str, b: &str) -> Result<Truth, String> {
    let [over, under] = [subject.reachable(a)?, subject.reachable(b)?];
    let cfg = subject.get::<Cfg>();
    let post = subject.get::<PostDom>();
    let holds = post.post_dominates(over, under);
    if over == under {
        return Ok((holds, format!("{a} post-dominates itself")));
    }
    let is_end = |at: Block| cfg.exits().contains(&at) || post.assumed_exits().contains(&at);
    let avoid = (!holds).then_some(over);
    let words = path(&cfg, under, is_end, avoid).map(|found| spelled(&found)).unwrap_or_default();
    Ok(match holds {
        true => (
            true,
            format!(
                "{a} post-dominates {b}: every path from {b} to an exit passes through {a}, for example {words}"
            ),
        ),
        false => (false, format!("{a} does not post-dominate {b}: the path {words} avoids {a}")),
    })
}

fn live(subject: &mut Subject, name: &str, value: &str, block: &str) -> Result<Truth, String> {
    let (of, at) = (subject.value(value)?, subject.reachable(block)?);
    let live = subject.get::<Live>();
    let (holds, side) = match name {
        "live-into" => (live.is_live_in(at, of), "into"),
        _ => (live.is_live_out(at, of), "out of"),
    };
    Ok(match holds {
        true => (true, format!("{value} is live {side} {block}: a later use needs it")),
        false => (false, format!("{value} is not live {side} {block}")),
    })
}

fn in_range(subject: &mut Subject, value: &str, [low, high]: [&String; 2]) -> Result<Truth, String> {
    let bound = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is not an integer"));
    let (least, most) = (bound(low)?, bound(high)?);
    let of = subject.value(value)?;
    let range = subject.get::<Range>();
    let facts = range.facts(of);
    if facts.is_empty() {
        return Err(format!("{value} is not a number"));
    }
    let bounds = |fact: &Fact| match least < 0 {
        true => (i128::from(fact.signed.0), i128::from(fact.signed.1)),
        false => (i128::from(fact.unsigned.0), i128::from(fact.unsigned.1)),
    };
    let whole = facts.iter().map(bounds).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
    let holds = whole.0 >= least.into() && whole.1 <= most.into();
    Ok((holds, format!("range analysis finds {value} in {}..={}", whole.0, whole.1)))
}
