//! Predicates that are numbers, and words.
//!
//! Facts come from the analyses; only critical edges and accesses of variables are counted here. Refuses a number that is not
//! known, such as the trip count of a loop that depends on an input.

use super::behavior;
use super::subject::Subject;
use crate::analysis::exits::Target;
use crate::analysis::{Alias, Cfg, EdgeId, FuncInfo, Inductions, Live, Loops, Overlap, Root, Trips};
use crate::ir::{Inst, Shape};
use crate::ops::{MemoryOp, Op, Word};
use crate::passes::lower_exits;
use crate::passes::structurize::{Mode, structurize};

/// The value of a number predicate, and the words for it. Errors: the reason why it is unknown.
pub(super) fn number(subject: &mut Subject, name: &str, args: &[String]) -> Result<u64, String> {
    let info = subject.get::<FuncInfo>();
    Ok(match name {
        "blocks" => info.blocks,
        "edges" => info.edges,
        "insts" => info.insts,
        "params" => info.block_params,
        "loops" => info.loops,
        "irreducible-loops" => info.irreducible_loops,
        "loop-depth" => info.max_loop_depth,
        "unreachable-blocks" => info.unreachable_blocks,
        "critical-edges" => critical_edges(&subject.get::<Cfg>()).len() as u64,
        "op-count" => info
            .ops
            .iter()
            .filter(|tally| args.iter().any(|arg| arg == tally.name))
            .map(|tally| tally.count)
            .sum(),
        "loads" => accesses(subject, MemoryOp::Load, args)?,
        "stores" => accesses(subject, MemoryOp::Store, args)?,
        "dispatch-nodes" => dispatch_nodes(subject, args)?,
        "exit-vars" => {
            let counts = lower_exits::count(&subject.module, subject.func, Target::Spirv);
            counts.map_err(|diag| diag.to_string())?.exit_vars.into()
        }
        "peak-pressure" => subject.get::<Live>().peak_pressure().into(),
        "trip-count" => trip_count(subject, args)?,
        "first-wrong" => behavior::first_wrong(subject, args)?,
        _ => return Err(format!("`{name}` is not a number")),
    })
}

/// The words after a number: `3 blocks`.
pub(super) fn counted(name: &str, args: &[String], number: u64) -> String {
    let unit = match name {
        "insts" => "instructions",
        "params" => "block parameters",
        "irreducible-loops" => "irreducible loops",
        "unreachable-blocks" => "unreachable blocks",
        "critical-edges" => "critical edges",
        "blocks" | "edges" | "loops" => name,
        "loads" | "stores" => match args {
            [var] => return format!("{number} {name} of {var}"),
            _ => name,
        },
        "op-count" => return format!("{number} of {}", args.join(", ")),
        "dispatch-nodes" => "dispatchers",
        "exit-vars" => "exit parameters",
        "peak-pressure" => "bits of register pressure",
        "loop-depth" => return format!("loop depth {number}"),
        "first-wrong" if number == 0 => return "no wrong step".to_owned(),
        "first-wrong" => return format!("step {number} as the first wrong one"),
        _ => return format!("{name} {number}"),
    };
    match number {
        1 => format!("1 {}", unit.strip_suffix('s').unwrap_or(unit)),
        _ => format!("{number} {unit}"),
    }
}

/// Edges from a block with several edges out to a block with several edges in, among reachable blocks.
pub(super) fn critical_edges(cfg: &Cfg) -> Vec<EdgeId> {
    let is_critical = |&edge: &EdgeId| {
        let data = cfg.edge(edge);
        let entering = cfg.preds(data.to).filter(|&from| cfg.is_reachable(from)).count();
        cfg.is_reachable(data.from) && cfg.succs(data.from).len() > 1 && entering > 1
    };
    cfg.edges().filter(is_critical).collect()
}

/// Memory operations, of all variables or of one.
fn accesses(subject: &mut Subject, op: MemoryOp, args: &[String]) -> Result<u64, String> {
    let var = args.first().map(|name| subject.var(name)).transpose()?;
    let alias = subject.get::<Alias>();
    let body = subject.body();
    let mut count = 0;
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        let root = data.args.first().and_then(|&path| alias.root(alias.spot(path)?));
        let is_of = var.is_none_or(|var| root == Some(Root::Var(var)));
        count += u64::from(data.op == Op::Memory(op) && is_of);
    });
    Ok(count)
}

fn dispatch_nodes(subject: &Subject, args: &[String]) -> Result<u64, String> {
    let mode = args.first().and_then(|name| Mode::parse(name)).unwrap_or(Mode::Faithful);
    if !matches!(subject.body().shape(), Shape::Graph(_)) {
        return Err("the function is a tree already: only a graph can be structurized".to_owned());
    }
    let mut copy = subject.module.clone();
    let metrics = structurize(&mut copy, subject.func, mode).map_err(|diag| diag.to_string())?;
    Ok(metrics.dispatch_nodes.into())
}

fn trip_count(subject: &mut Subject, args: &[String]) -> Result<u64, String> {
    let name = args.first().map_or("", String::as_str);
    let header = subject.block(name)?;
    let of = subject
        .get::<Loops>()
        .headed_by(header)
        .ok_or_else(|| format!("{name} is not the header of a loop"))?;
    match subject.get::<Inductions>().trips(of) {
        Trips::Exactly(count) => Ok(count.into()),
        Trips::AtMost(count) => {
            Err(format!("the loop at {name} runs at most {count} iterations, but may end earlier"))
        }
        Trips::MoreThan(count) => {
            Err(format!("the loop at {name} runs more than {count} iterations: counting stopped there"))
        }
        Trips::Unknown => Err(format!("the trip count of the loop at {name} is unknown")),
    }
}

/// The value of a word predicate. Errors: the reason why it is unknown.
pub(super) fn word(subject: &mut Subject, name: &str, args: &[String]) -> Result<&'static str, String> {
    match (name, args) {
        ("alias", [a, b]) => {
            let values = [subject.value(a)?, subject.value(b)?];
            let alias = subject.get::<Alias>();
            let spot =
                |value: Inst| alias.spot(value).ok_or_else(|| format!("{value} is not a path to memory"));
            Ok(match alias.overlap(spot(values[0])?, spot(values[1])?) {
                Overlap::Must => "must",
                Overlap::May => "may",
                Overlap::No => "no",
            })
        }
        ("shape", _) => Ok(match subject.body().shape() {
            Shape::Graph(_) => "graph",
            Shape::Tree(_) => "tree",
            Shape::Declaration => "declaration",
        }),
        _ => Err(format!("`{name}` is not a word")),
    }
}
