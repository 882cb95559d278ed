//! Which functions run until the first result, and which with the page's pipeline on some input.
//!
//! A copy of the program marks each function that is entered, a bit of a global each. `wasm/train.mjs` runs it in
//! node over the project's own examples and fixtures, so that a build says the same on every machine; its clock
//! stands still.

use std::collections::BTreeSet;

use walrus::ir::{BinaryOp, GlobalGet, GlobalSet, Value};
use walrus::{ConstExpr, FunctionId, GlobalId, Module, ModuleConfig, ValType};

use super::links::Fault;

/// Functions to a global.
const WIDTH: usize = 64;

/// The program with marks: it exports the globals `hit0`, `hit1` …, see [`ran`].
pub fn mark(program: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut module = read(program)?;
    let ids: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    for (at, ids) in ids.chunks(WIDTH).enumerate() {
        let global = module.globals.add_local(ValType::I64, true, false, ConstExpr::Value(Value::I64(0)));
        module.exports.add(&format!("hit{at}"), global);
        for (bit, id) in ids.iter().enumerate() {
            enter(&mut module, *id, global, 1 << bit);
        }
    }
    Ok(module.emit_wasm())
}

fn enter(module: &mut Module, id: FunctionId, global: GlobalId, bit: u64) {
    let walrus::FunctionKind::Local(body) = &mut module.funcs.get_mut(id).kind else { return };
    let mut entry = body.builder_mut().func_body();
    entry
        .instr_at(0, GlobalGet { global })
        .const_at(1, Value::I64(bit as i64))
        .binop_at(2, BinaryOp::I64Or)
        .instr_at(3, GlobalSet { global });
}

/// Names of the functions whose bits are set in these words, one word for each global, in hexadecimal.
pub fn ran(program: &[u8], words: &str) -> Result<BTreeSet<String>, Fault> {
    let module = read(program)?;
    let words: Vec<u64> =
        words.split_whitespace().map(|word| u64::from_str_radix(word, 16)).collect::<Result<_, _>>()?;
    let funcs = module.funcs.iter_local().map(|(id, _)| module.funcs.get(id));
    let hit = funcs
        .enumerate()
        .filter(|(at, _)| words.get(at / WIDTH).is_some_and(|word| word >> (at % WIDTH) & 1 == 1));
    Ok(hit.filter_map(|(_, func)| func.name.clone()).collect())
}

fn read(program: &[u8]) -> Result<Module, Fault> {
    Ok(Module::from_buffer_with_config(program, &ModuleConfig::new())?)
}
