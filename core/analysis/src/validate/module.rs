//! Declarations: structures, constants, variables, entry points, decorations.

use super::constants::{self, State};
use super::diagnostics::{Naming, full_type};
use super::types::Types;
use super::*;
use rustc_hash::FxHashSet;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{
    DecorTarget, Diag, Diags, EntryPoint, Mode, Shape, Stage, Struct, StructData, TypeData, Var, VarData,
};

/// Checks everything outside functions.
pub(super) fn check(module: &Module, types: &mut Types<'_>, diags: &mut Diags) {
    for (id, data) in module.structs() {
        structure(module, id, data, types, diags);
    }
    struct_cycles(module, types, diags);
    constants::check(module, types, diags);
    for (id, data) in module.vars() {
        variable(module, id, data, types, diags);
    }
    let mut names = FxHashSet::default();
    for (at, entry) in module.entries.iter().enumerate() {
        let anchor = Anchor::Entry(at as u32);
        if !names.insert((entry.stage, entry.name)) {
            let says = format!("the {} stage has another entry point named", entry.stage.name());
            let diag = Diag::error(ENTRY_NAMES, anchor).says(says);
            diags.push(diag.says(format!("{:?}", module.text_of(entry.name))).help("give it a unique name"));
        }
        entry_point(module, entry, anchor, diags);
    }
    decorations(module, diags);
}

fn structure(module: &Module, id: Struct, data: &StructData, types: &mut Types<'_>, diags: &mut Diags) {
    attrs::check_values(module, None, &data.attrs, Anchor::Struct(id), diags);
    for (at, member) in data.members.iter().enumerate() {
        let anchor = Anchor::Member(id, at as u32);
        attrs::check_values(module, None, &member.attrs, anchor, diags);
        types.check(member.ty, anchor, diags);
        let endless = matches!(module.type_of(member.ty), TypeData::RuntimeArray { .. });
        if endless && at + 1 < data.members.len() {
            let diag = Diag::error(RUNTIME_ARRAY, anchor).says(format!("member {at} of"));
            let diag = diag
                .name(diagnostics::structure(module, id))
                .says("is a run-time array, but not the last member");
            diags.push(diag.help("move it to the end"));
        }
    }
}

/// Reports structures that contain themselves by value: once per cycle.
fn struct_cycles(module: &Module, types: &Types<'_>, diags: &mut Diags) {
    let count = module.structs().last().map_or(0, |(id, _)| id.index() + 1);
    let mut state: SideTable<Struct, State> = SideTable::sized(State::New, count);
    let inner = |id: Struct, at: usize| {
        let member = module.structure(id)?.members.get(at)?;
        Some(match module.type_of(types.element(member.ty)) {
            TypeData::Struct(inner) => Some(*inner),
            _ => None,
        })
    };
    for (root, _) in module.structs() {
        let mut path = vec![(root, 0)];
        while let Some((id, at)) = path.pop() {
            if at == 0 && std::mem::replace(&mut state[id], State::Open) != State::New {
                state[id] = State::Done;
                continue;
            }
            let Some(member) = inner(id, at) else {
                state[id] = State::Done;
                continue;
            };
            path.push((id, at + 1));
            match member {
                Some(next) if state[next] == State::New && module.structure(next).is_some() => {
                    path.push((next, 0));
                }
                Some(next) if state[next] == State::Open => {
                    let diag = Diag::error(STRUCT_CYCLE, Anchor::Member(id, at as u32));
                    let diag = diag
                        .name(diagnostics::structure(module, next))
                        .says("contains itself through this member of");
                    diags.push(diag.name(diagnostics::structure(module, id)).help("use a pointer instead"));
                }
                Some(_) | None => {}
            }
        }
    }
}

fn variable(module: &Module, id: Var, data: &VarData, types: &mut Types<'_>, diags: &mut Diags) {
    let anchor = Anchor::Var(id);
    let error = |code| Diag::error(code, anchor).name(diagnostics::var(module, id));
    attrs::check_values(module, None, &data.attrs, anchor, diags);
    types.check(data.ty, anchor, diags);
    match data.owner {
        Some(owner) if data.mode != Mode::Local => {
            let diag = error(VAR_OWNER).says("belongs to").name(diagnostics::func(module, owner));
            let diag = diag.says(format!(", but its mode is `{}`", data.mode.name()));
            diags.push(diag.help("variables of a function must be `local`"));
        }
        Some(owner) if module.func(owner).is_none() => {
            let diag = error(VAR_OWNER).says(format!("belongs to {owner}, which does not exist"));
            diags.push(diag.help("remove the variable together with its function"));
        }
        None if data.mode == Mode::Local => {
            let diag = error(VAR_OWNER).says("is `local` but belongs to no function");
            diags.push(diag.help("declare it inside a function, or make it `private`"));
        }
        None if data.mode == Mode::Generic => {
            let diag = error(VAR_OWNER).says("cannot be `generic`: a variable has a specific mode");
            diags.push(diag.help("only pointers can be `generic`"));
        }
        Some(_) | None => {}
    }
    let Some(init) = data.init else { return };
    if matches!(data.mode, Mode::In | Mode::Push | Mode::Storage) {
        let diag = error(VAR_INIT).says(format!("is `{}` but has an initializer", data.mode.name()));
        diags.push(diag.help("remove the initializer: its value comes from outside the shader"));
    }
    if constants::operand_exists(module, init, anchor, diags) && !constants::fits(module, init, data.ty) {
        let (wanted, given) = (full_type(module, data.ty), constants::words(module, init));
        let number = constants::numbers(module, (data.ty, &wanted), (init, &given));
        let diag = error(CONSTANT_PARTS).says(format!("is {wanted}{}, but", number[0]));
        diags.push(diag.says(format!("its initializer is {given}{}", number[1])));
    }
}

fn entry_point(module: &Module, entry: &EntryPoint, anchor: Anchor, diags: &mut Diags) {
    let error = || Diag::error(ENTRY_POINT, anchor).says("the entry point");
    let named = || error().name(diagnostics::func(module, entry.func));
    match module.func(entry.func) {
        None => diags.push(named().says("does not exist").help("declare the function")),
        Some(body) => {
            if *body.shape() == Shape::Declaration {
                diags.push(named().says("has no body").help("define the entry point in this module"));
            }
            if !body.params().is_empty() && entry.stage != Stage::Kernel {
                let params = diagnostics::count(body.params().len(), "parameter");
                diags.push(named().says(format!("has {params}")).help("use input variables instead"));
            }
            if body.result() != ValueType::Void {
                let diag = named().says(format!("returns {}", diagnostics::value(body.result())));
                diags.push(diag.help("use output variables instead"));
            }
        }
    }
    for &var in &entry.interface {
        let diag =
            Diag::error(INTERFACE, anchor).says("the interface names").name(diagnostics::var(module, var));
        match module.var(var) {
            None => {
                diags.push(
                    diag.says(", which does not exist")
                        .help("declare the variable, or remove it from the interface"),
                );
            }
            Some(data) if data.owner.is_some() => {
                diags.push(diag.says(", which is local to a function").help("remove it from the interface"));
            }
            Some(_) => {}
        }
    }
    for mode in &entry.modes {
        let (name, operands) = (mode.mode.name(), usize::from(mode.mode.operands()));
        if operands != mode.args.len() {
            let takes = diagnostics::count_or_no(operands, "number");
            let says = format!("`{name}` takes {takes}, not {}", mode.args.len());
            diags.push(Diag::error(EXEC_MODE, anchor).says(says));
            continue;
        }
        for (at, &arg) in mode.args.iter().enumerate() {
            let ty = module.operand_type(arg);
            let known = constants::operand_exists(module, arg, anchor, diags);
            if known && !matches!(ty, Some(ValueType::Bits { width, components: 1 }) if width != Width::W1) {
                let says = format!("operand {} of `{name}` is not a scalar integer", at + 1);
                diags.push(Diag::error(EXEC_MODE, anchor).says(says));
            }
        }
    }
}

fn decorations(module: &Module, diags: &mut Diags) {
    let mut known = EntitySet::<Struct>::new();
    for decor in module.decors.iter() {
        let missing = match decor.on {
            DecorTarget::Var(var) => module.var(var).is_none().then(|| var.to_string()),
            DecorTarget::Func(func) => module.func(func).is_none().then(|| func.to_string()),
            DecorTarget::Global(global) => module.global(global).is_none().then(|| global.to_string()),
            DecorTarget::Struct(id) => module.structure(id).is_none().then(|| id.to_string()),
            DecorTarget::Member(id, at) => {
                let has = module.structure(id).is_some_and(|data| (at as usize) < data.members.len());
                // A structure that lost its members would be reported for each of them.
                (!has && known.insert(id)).then(|| format!("member {at} of {id}"))
            }
        };
        if let Some(missing) = missing {
            let says = format!("decoration {} is on {missing}, which does not exist", decor.number);
            diags.push(Diag::error(DECORATED, Anchor::Module).says(says).help("remove the decoration"));
        }
    }
}
