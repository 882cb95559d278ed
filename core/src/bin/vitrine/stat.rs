//! `vitrine stat`: what a program is made of, as JSON.

use super::{Common, Stop, input, json};
use serde_json::{Map, Value, json};
use vitrine_core::analysis::{Analyses, Features, FuncInfo, ModuleInfo, StageInfo, Tally};

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
            "diagnostics": json::diagnostics(&program.diags),
        });
        input::print(&json::pretty(&value));
        program.verdict()
    }
}

fn tallies(tallies: &[Tally]) -> Value {
    Value::Object(
        tallies.iter().map(|tally| (tally.name.to_owned(), json!(tally.count))).collect::<Map<_, _>>(),
    )
}

/// An object of the fields named.
macro_rules! fields {
    ($from:expr; $($field:ident),* $(,)?) => { json!({ $(stringify!($field): $from.$field),* }) };
}

fn features(features: &Features) -> Value {
    fields!(features; discards, derivatives, helper_lanes, barriers, atomics, textures, images, subgroup, calls, raw)
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
