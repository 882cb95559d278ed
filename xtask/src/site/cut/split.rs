//! One wasm module becomes several that share its memory, its table and its globals.
//!
//! A function of another part that is called, exported or held in the table becomes a small function of the first
//! module with the same signature:
//!
//! ```text
//! if the part is not there { missing(part) }
//! call through the table: arguments…, slot
//! ```
//!
//! A part brings its functions and puts them into their slots of the table, so that a call by address needs no such
//! step any more; it brings its data; and its start function says that it is there. What it calls it imports: from the
//! module "0" what the first one exports, from "1" what the second one does, and so on, under names of a few letters.
//! The start function stays in the first module. Limits: only what `wasm32-unknown-unknown` makes is cut, that is
//! active segments at fixed addresses of one memory, and one table of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use walrus::ir::{self, UnaryOp, Value, Visitor};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionBuilder, FunctionId, FunctionKind, GlobalId,
    GlobalKind, ImportKind, ImportedFunction, Module, ModuleConfig, TableId, ValType,
};

use super::links::Fault;
use super::plan::Part;

/// What is to be cut.
pub struct Cut<'a> {
    /// The module, with the names of its functions.
    pub program: &'a [u8],
    /// For each part the one that must be there before it; the first has none.
    pub before: &'a [Option<Part>],
    /// The part of a function, by its name.
    pub part: &'a dyn Fn(Option<&str>) -> Part,
    /// Data that is not in the first module, by address.
    pub data: &'a [(Range<u32>, Part)],
    /// The exported function that loads a part, by its name; it takes the part's number.
    pub missing: &'a str,
}

/// A function by its index in the program, which is the same each time the program is read; ids are not.
type Index = usize;

/// Everything about the program that parts agree on.
struct Shared {
    /// By function.
    parts: Vec<Part>,
    /// Slots in the table of functions that are reached through it.
    slots: BTreeMap<Index, u32>,
    /// How large the table is then.
    table_size: u64,
    /// Functions, not of the first module, that it has a small one for.
    stubs: BTreeSet<Index>,
    /// What a module offers others, by the module and by its function: a name.
    offers: BTreeMap<(Part, Index), String>,
}

/// The modules, in the order of the parts, without the names of functions.
pub fn split(cut: &Cut<'_>) -> Result<Vec<Vec<u8>>, Fault> {
    let program = read(cut.program)?;
    let shared = Shared::of(cut, &program)?;
    let mut modules = vec![first(cut, &shared)?];
    for part in 1..cut.before.len() {
        modules.push(later(cut, &shared, part)?);
    }
    Ok(modules)
}

fn read(wasm: &[u8]) -> Result<Module, Fault> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    Ok(Module::from_buffer_with_config(wasm, &config)?)
}

impl Cut<'_> {
    /// Whether `other` is there whenever `part` is.
    fn has(&self, part: Part, other: Part) -> bool {
        std::iter::successors(Some(part), |part| self.before.get(*part).copied().flatten())
            .any(|before| before == other)
    }
}

impl Shared {
    fn of(cut: &Cut<'_>, program: &Module) -> Result<Shared, Fault> {
        let table = table(program)?;
        let mut parts: Vec<Part> =
            program.funcs.iter().map(|func| (cut.part)(func.name.as_deref())).collect();
        for id in always(program, program.exports.get_func(cut.missing)?) {
            parts[id.index()] = 0;
        }
        let mut shared = Shared {
            parts,
            slots: slots(program, table)?,
            table_size: program.tables.get(table).initial,
            stubs: BTreeSet::new(),
            offers: BTreeMap::new(),
        };
        let held: Vec<Index> = shared.slots.keys().copied().collect();
        let exported = program.exports.iter().filter_map(|export| match export.item {
            walrus::ExportItem::Function(id) => Some(id.index()),
            _ => None,
        });
        for id in exported.chain(held) {
            if shared.parts[id] != 0 {
                shared.stubs.insert(id);
            }
        }
        let mut offered: BTreeSet<(Part, Index)> = BTreeSet::new();
        for (caller, body) in program.funcs.iter_local() {
            for callee in calls(body).into_iter().map(|id| id.index()) {
                let (from, to) = (shared.parts[caller.index()], shared.parts[callee]);
                match cut.has(from, to) {
                    true if from == to => {}
                    true => drop(offered.insert((to, callee))),
                    false => {
                        shared.stubs.insert(callee);
                        // The first module calls its own small function.
                        offered.extend((from != 0).then_some((0, callee)));
                    }
                }
            }
        }
        let taken: BTreeSet<&str> = program.exports.iter().map(|export| export.name.as_str()).collect();
        let names = (0..).map(short).filter(|name| !taken.contains(name.as_str()));
        shared.offers = offered.into_iter().zip(names).collect();
        for id in &shared.stubs {
            if !shared.slots.contains_key(id) {
                shared.slots.insert(*id, u32::try_from(shared.table_size)?);
                shared.table_size += 1;
            }
        }
        Ok(shared)
    }
}

/// Functions that are in the first module whatever is said: what comes from outside, the start function, the one that
/// loads parts, and what these call.
fn always(program: &Module, missing: FunctionId) -> BTreeSet<FunctionId> {
    let imported = program.funcs.iter().filter(|func| matches!(func.kind, FunctionKind::Import(_)));
    let mut found: BTreeSet<FunctionId> = BTreeSet::new();
    let mut waiting: Vec<FunctionId> =
        imported.map(walrus::Function::id).chain(program.start).chain([missing]).collect();
    while let Some(id) = waiting.pop() {
        if let (true, FunctionKind::Local(body)) = (found.insert(id), &program.funcs.get(id).kind) {
            waiting.extend(calls(body));
        }
    }
    found
}

/// Functions that a body names.
pub fn calls(body: &walrus::LocalFunction) -> BTreeSet<FunctionId> {
    struct Calls(BTreeSet<FunctionId>);
    impl Visitor<'_> for Calls {
        fn visit_function_id(&mut self, id: &FunctionId) {
            self.0.insert(*id);
        }
    }
    let mut calls = Calls(BTreeSet::new());
    ir::dfs_in_order(&mut calls, body, body.entry_block());
    calls.0
}

/// The table of functions.
fn table(module: &Module) -> Result<TableId, Fault> {
    Ok(module.tables.main_function_table()?.ok_or("the module has no table of functions")?)
}

/// Its functions by index.
fn ids(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(walrus::Function::id).collect()
}

/// The first slot in the table of each function that is held there.
fn slots(program: &Module, table: TableId) -> Result<BTreeMap<Index, u32>, Fault> {
    let mut slots = BTreeMap::new();
    for element in program.elements.iter() {
        let ElementKind::Active { table: of, offset } = &element.kind else {
            return Err("functions that are not put into the table at the start".into());
        };
        if *of != table {
            continue;
        }
        let (ConstExpr::Value(Value::I32(offset)), ElementItems::Functions(functions)) =
            (offset, &element.items)
        else {
            return Err("functions in the table at places that are not numbers".into());
        };
        for (slot, id) in (*offset as u32..).zip(functions) {
            slots.entry(id.index()).or_insert(slot);
        }
    }
    Ok(slots)
}

/// Names of a few letters: a … z, aa, ba …
fn short(mut at: usize) -> String {
    let mut name = String::new();
    loop {
        name.push(char::from(b'a' + (at % 26) as u8));
        match at / 26 {
            0 => return name,
            rest => at = rest - 1,
        }
    }
}

/// The global that says whether a part is there, as the first module calls it.
fn flag(part: Part) -> String {
    format!("part{part}")
}

/// The memory, the tables and the globals, each with the name under which the first module exports it.
fn common(module: &Module) -> Vec<(ImportKind, String)> {
    let exports = &module.exports;
    let name =
        |export: Option<&walrus::Export>, new: String| export.map_or(new, |export| export.name.clone());
    let memories = module
        .memories
        .iter()
        .map(walrus::Memory::id)
        .map(|id| (id.into(), name(exports.get_exported_memory(id), format!("memory{}", id.index()))));
    let tables = module
        .tables
        .iter()
        .map(walrus::Table::id)
        .map(|id| (id.into(), name(exports.get_exported_table(id), format!("table{}", id.index()))));
    let globals = module
        .globals
        .iter()
        .map(walrus::Global::id)
        .map(|id| (id.into(), name(exports.get_exported_global(id), format!("global{}", id.index()))));
    memories.chain(tables).chain(globals).collect()
}

/// The first module: small functions in the place of those of other parts.
fn first(cut: &Cut<'_>, shared: &Shared) -> Result<Vec<u8>, Fault> {
    let mut module = read(cut.program)?;
    let (ids, table) = (ids(&module), table(&module)?);
    for (kind, name) in common(&module) {
        if !module.exports.iter().any(|export| export.name == name) {
            match kind {
                ImportKind::Memory(id) => module.exports.add(&name, id),
                ImportKind::Table(id) => module.exports.add(&name, id),
                ImportKind::Global(id) => module.exports.add(&name, id),
                ImportKind::Function(_) | ImportKind::Tag(_) => continue,
            };
        }
    }
    let missing = module.exports.get_func(cut.missing)?;
    let mut there = BTreeMap::new();
    for part in 1..cut.before.len() {
        let zero = ConstExpr::Value(Value::I32(0));
        let global = module.globals.add_local(ValType::I32, true, false, zero);
        module.exports.add(&flag(part), global);
        there.insert(part, global);
    }
    for at in &shared.stubs {
        let part = shared.parts[*at];
        let slot = shared.slots[at];
        stub(&mut module, ids[*at], (table, slot), (part, there[&part]), missing);
    }
    module.exports.remove(cut.missing)?;
    for ((_, at), name) in shared.offers.iter().filter(|((part, _), _)| *part == 0) {
        module.exports.add(name, ids[*at]);
    }
    let table = module.tables.get_mut(table);
    (table.initial, table.maximum) = (shared.table_size, table.maximum.map(|_| shared.table_size));
    for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
        let data = module.data.get_mut(id);
        let (start, length) = (address(data)?, data.value.len());
        let inside = |at: u32| (at.saturating_sub(start) as usize).min(length);
        for (range, _) in cut.data {
            data.value[inside(range.start)..inside(range.end)].fill(0);
        }
    }
    Ok(finish(module))
}

/// Puts the small function of the first module in the place of one of a part.
fn stub(
    module: &mut Module,
    id: FunctionId,
    (table, slot): (TableId, u32),
    (part, there): (Part, GlobalId),
    missing: FunctionId,
) {
    let ty = module.funcs.get(id).ty();
    let (params, results) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
    let args: Vec<_> = params.iter().map(|param| module.locals.add(*param)).collect();
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let mut body = builder.func_body();
    body.global_get(there).unop(UnaryOp::I32Eqz).if_else(
        None,
        |then| {
            then.i32_const(part as i32).call(missing);
        },
        |_| {},
    );
    for arg in &args {
        body.local_get(*arg);
    }
    body.i32_const(slot as i32).call_indirect(ty, table);
    module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
}

/// A later module: the functions of one part, and imports in the place of all others.
fn later(cut: &Cut<'_>, shared: &Shared, part: Part) -> Result<Vec<u8>, Fault> {
    let mut module = read(cut.program)?;
    let (ids, table, common) = (ids(&module), table(&module)?, common(&module));
    let bytes: Vec<(u32, Vec<u8>)> = module
        .data
        .iter()
        .map(|data| Ok((address(data)?, data.value.clone())))
        .collect::<Result<_, Fault>>()?;
    empty(&mut module);
    for (kind, name) in common {
        let import = module.imports.add("0", &name, kind.clone());
        match kind {
            ImportKind::Memory(id) => {
                let memory = module.memories.get_mut(id);
                (memory.import, memory.maximum) = (Some(import), None);
            }
            ImportKind::Table(id) => {
                let table = module.tables.get_mut(id);
                (table.import, table.maximum) = (Some(import), None);
            }
            ImportKind::Global(id) => module.globals.get_mut(id).kind = GlobalKind::Import(import),
            ImportKind::Function(_) | ImportKind::Tag(_) => {}
        }
    }
    for (at, of) in shared.parts.iter().enumerate().filter(|(_, of)| **of != part) {
        let from = if cut.has(part, *of) { *of } else { 0 };
        let (id, Some(name)) = (ids[at], shared.offers.get(&(from, at))) else { continue };
        let ty = module.funcs.get(id).ty();
        let import = module.imports.add(&from.to_string(), name, id);
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    for ((_, at), name) in shared.offers.iter().filter(|((of, _), _)| *of == part) {
        module.exports.add(name, ids[*at]);
    }
    let own = shared.slots.iter().filter(|(at, _)| shared.parts[**at] == part);
    fill_slots(&mut module, table, own.map(|(at, slot)| (*slot, ids[*at])).collect());
    let ranges = cut.data.iter().filter(|(_, of)| *of == part).map(|(range, _)| range.clone());
    fill_memory(&mut module, &bytes, ranges)?;
    say_there(&mut module, part);
    Ok(finish(module))
}

/// Takes away what only the first module does.
fn empty(module: &mut Module) {
    module.start = None;
    for id in module.imports.iter().map(walrus::Import::id).collect::<Vec<_>>() {
        module.imports.delete(id);
    }
    for id in module.exports.iter().map(walrus::Export::id).collect::<Vec<_>>() {
        module.exports.delete(id);
    }
    for id in module.elements.iter().map(walrus::Element::id).collect::<Vec<_>>() {
        module.elements.delete(id);
    }
    for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
        module.data.delete(id);
    }
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
    }
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
    }
}

/// Puts the functions of a part into their slots, neighbours together.
fn fill_slots(module: &mut Module, table: TableId, slots: BTreeMap<u32, FunctionId>) {
    let mut rows: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (slot, id) in slots {
        match rows.last_mut() {
            Some((first, row)) if *first as usize + row.len() == slot as usize => row.push(id),
            _ => rows.push((slot, vec![id])),
        }
    }
    for (first, row) in rows {
        let offset = ConstExpr::Value(Value::I32(first as i32));
        let element =
            module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(row));
        module.tables.get_mut(table).elem_segments.insert(element);
    }
}

/// Brings the data of a part, neighbours together.
fn fill_memory(
    module: &mut Module,
    bytes: &[(u32, Vec<u8>)],
    ranges: impl Iterator<Item = Range<u32>>,
) -> Result<(), Fault> {
    let memory = module.memories.iter().next().ok_or("the module has no memory")?.id();
    let mut rows: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match rows.last_mut() {
            Some(row) if row.end == range.start => row.end = range.end,
            _ => rows.push(range),
        }
    }
    for row in rows {
        let from = bytes.iter().find_map(|(start, bytes)| {
            let (from, to) = (row.start.checked_sub(*start)?, row.end.checked_sub(*start)?);
            bytes.get(from as usize..to as usize)
        });
        // Data that is all zero is in no segment.
        let Some(value) = from.filter(|value| value.iter().any(|byte| *byte != 0)) else { continue };
        let offset = ConstExpr::Value(Value::I32(row.start as i32));
        let data = module.data.add(DataKind::Active { memory, offset }, value.to_vec());
        module.memories.get_mut(memory).data_segments.insert(data);
    }
    Ok(())
}

/// A start function, which says that the part is there.
fn say_there(module: &mut Module, part: Part) {
    let (flag, _) = module.add_import_global("0", &flag(part), ValType::I32, true, false);
    let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
    builder.func_body().i32_const(1).global_set(flag);
    module.start = Some(builder.finish(Vec::new(), &mut module.funcs));
}

/// The address of a segment.
fn address(data: &walrus::Data) -> Result<u32, Fault> {
    match &data.kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(start)), .. } => Ok(*start as u32),
        DataKind::Active { .. } | DataKind::Passive => Err("data at an address that is not a number".into()),
    }
}

/// The module as bytes, without what nothing uses and what only tools read.
fn finish(mut module: Module) -> Vec<u8> {
    for id in module.customs.iter().map(|(id, _)| id).collect::<Vec<_>>() {
        module.customs.delete(id);
    }
    walrus::passes::gc::run(&mut module);
    module.emit_wasm()
}
