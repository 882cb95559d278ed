//! `vitrine stat`: statistics of a program, as JSON.

use super::{Common, Stop, input, json};
use serde_json::{Map, Value, json};
use vitrine_core::analysis::exits::Target;
use vitrine_core::analysis::{
    Analyses, BufferLayout, Features, FuncInfo, LayoutTarget, ModuleInfo, StageInfo, Tally, buffer_layouts,
};
use vitrine_core::back::text::{Resource, resources};
use vitrine_core::ir::{Module, Shape};
use vitrine_core::judge::convergence::{Convergence, converge};
use vitrine_core::ops::Word;
use vitrine_core::passes::lower_exits::{Counts, count};
use vitrine_core::passes::structurize::{Metrics, Mode, structurize};

/// Print statistics as JSON
#[derive(clap::Args)]
pub(crate) struct Stat {
    #[command(flatten)]
    common: Common,
}

impl Stat {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let program = input::read(&self.common)?;
        let info = ModuleInfo::of(&program.module, &mut Analyses::new());
        let value = json!({
            "file": program.title,
            "instructions": info.insts,
            "structs": info.structs,
            "constants": info.globals,
            "variables": tallies(&info.vars),
            "families": tallies(&info.families),
            "features": features(&info.features),
            "entries": info.stages.iter().map(stage).collect::<Vec<_>>(),
            "functions": info.funcs.iter().map(|(func, name, info)| function(&func.to_string(), name, info)).collect::<Vec<_>>(),
            "structure": structure(&program.module),
            "resources": resources(&program.module).iter().map(|it| resource(&program.module, it)).collect::<Vec<_>>(),
            "layouts": layouts(&program.module),
            "diagnostics": json::diagnostics(&program.diags),
        });
        input::print(&json::pretty(&value));
        program.verdict()
    }
}

/// An object of the named fields.
macro_rules! fields {
    ($from:expr; $($field:ident),* $(,)?) => { json!({ $(stringify!($field): $from.$field),* }) };
}

/// Runs of a function with invocations in lockstep.
const SEEDS: u64 = 8;

/// Sums of the metrics of each structurizer on the graphs of a module, and of the exits that SPIR-V needs.
fn structure(module: &Module) -> Value {
    let mut modes = Map::new();
    for &mode in Mode::ALL {
        let (mut metrics, mut exits, mut invocations) =
            (Metrics::default(), Counts::default(), Convergence::default());
        let mut after = module.clone();
        let mut refused = Vec::new();
        for (func, before) in module.funcs().filter(|(_, body)| matches!(body.shape(), Shape::Graph(_))) {
            match structurize(&mut after, func, mode) {
                Ok(of_function) => metrics.add(&of_function),
                Err(diag) => {
                    refused.push(diag.to_string());
                    continue;
                }
            }
            if let Some(tree) = after.func(func) {
                invocations.add(&converge(&after, before, tree, 0..SEEDS));
            }
            if let Ok(of_function) = count(&after, func, Target::Spirv) {
                exits.add(&of_function);
            }
        }
        let mut value = fields!(metrics; blocks_in, blocks_out, insts_in, insts_out, onetrip, multi_level,
            multi_level_strict, dispatch_nodes, dispatch_arms, redirected_edges, max_depth, declared_merges,
            declared_merge_match);
        if let Value::Object(map) = &mut value {
            map.insert("growth".to_owned(), json!(metrics.growth()));
            map.insert(
                "spirv_exits".to_owned(),
                fields!(exits; multi_level, exit_checks, exit_vars, onetrip),
            );
            map.insert("issue_ratio".to_owned(), json!(invocations.issue_ratio()));
            map.insert("tangle_match".to_owned(), json!(invocations.tangle_match()));
            map.insert("runs".to_owned(), json!(invocations.runs));
            map.insert("identical_runs".to_owned(), json!(invocations.identical));
            map.insert("refused".to_owned(), json!(refused));
        }
        modes.insert(mode.name().to_owned(), value);
    }
    Value::Object(modes)
}

/// The name of a variable, or its id.
/// A resource, with its place in each language.
fn resource(module: &Module, resource: &Resource) -> Value {
    let places = LayoutTarget::ALL.into_iter().zip(&resource.in_targets);
    let places: Map<_, _> = places.map(|(target, place)| (target.name().to_owned(), json!(place))).collect();
    json!({
        "variable": resource.var.to_string(),
        "name": module.name_of(resource.var),
        "kind": resource.kind.name(),
        "access": resource.access,
        "set": resource.place.map(|place| place[0]),
        "binding": resource.place.map(|place| place[1]),
        "places": places,
    })
}

/// The layouts of all buffers in each language.
fn layouts(module: &Module) -> Value {
    let of = |target: LayoutTarget| {
        let layouts = buffer_layouts(module, target);
        let all: Vec<Value> = layouts.iter().map(|layout| buffer_layout(module, layout)).collect();
        (target.name().to_owned(), json!(all))
    };
    Value::Object(LayoutTarget::ALL.into_iter().map(of).collect())
}

/// A layout: the verdict of the buffer, and the declared and the natural offset of each member.
fn buffer_layout(module: &Module, layout: &BufferLayout) -> Value {
    let members = layout.members.iter().map(|member| {
        json!({
            "member": member.member,
            "offset": member.offset,
            "natural": member.natural,
            "verdict": member.verdict.name(),
        })
    });
    json!({
        "variable": layout.var.to_string(),
        "name": module.name_of(layout.var),
        "rules": layout.packing.name(),
        "verdict": layout.verdict.name(),
        "members": members.collect::<Vec<_>>(),
    })
}

fn tallies(tallies: &[Tally]) -> Value {
    Value::Object(
        tallies.iter().map(|tally| (tally.name.to_owned(), json!(tally.count))).collect::<Map<_, _>>(),
    )
}

fn features(features: &Features) -> Value {
    fields!(features; discards, derivatives, helper_invocations, barriers, atomics, textures, images, subgroup, calls, raw)
}

fn stage(stage: &StageInfo) -> Value {
    json!({
        "name": stage.name,
        "stage": stage.stage.name(),
        "functions": stage.funcs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "instructions": stage.insts,
        "blocks": stage.blocks,
        "loops": stage.loops,
        "features": features(&stage.features),
    })
}

fn function(id: &str, name: &str, info: &FuncInfo) -> Value {
    let mut value = fields!(info; insts, block_params, blocks, unreachable_blocks, edges, nodes, max_depth, loops,
        irreducible_loops, max_loop_depth, regs);
    if let Value::Object(map) = &mut value {
        map.insert("function".to_owned(), json!(id));
        map.insert("name".to_owned(), json!(name));
        map.insert("node_kinds".to_owned(), tallies(&info.node_kinds));
        map.insert("families".to_owned(), tallies(&info.families));
        map.insert("ops".to_owned(), tallies(&info.ops));
        map.insert("widths".to_owned(), fields!(info.widths; b1, b8, b16, b32, b64, opaque));
        map.insert("features".to_owned(), features(&info.features));
        map.insert(
            "callees".to_owned(),
            json!(info.callees.iter().map(ToString::to_string).collect::<Vec<_>>()),
        );
    }
    value
}
