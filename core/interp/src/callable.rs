//! Functions without an entry point as programs: each gets a caller, which passes inputs to it and stores its result.
//!
//! ```text
//! func @f(%a: b32, %1: b32x2) -> b32         in a: f32, in arg1: f32x2, out result: f32
//!                                      ──►   caller: %0 = load a   %1 = load arg1   %2 = call @f(%0, %1)   store result, %2
//! ```
//!
//! A caller is a vertex shader with one location for each parameter, so that inputs, outputs and steps work as for entry points.
//! Types follow from the uses of the parameters (`analysis::Types`). The callers come after everything else: ids do not change.
//! Refuses parameters and results that are not numbers: addresses and images have no value that a form could give.

use std::rc::Rc;
use vitrine_analysis::{Cfg, TypeHint, Types};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Key, ValueType, Width};
use vitrine_ir::{
    Assembler, BlockData, CowVec, EntryPoint, Func, FuncBody, InsertPoint, Inst, Mode, Module, Reason, Stage,
    Terminator, Text, Type, TypeData, Var, VarData,
};

/// A function of a module without entry points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callable {
    /// The function.
    pub func: Func,
    /// Its name, with its number if another function has the same; its spelling in the IR if it has none.
    pub name: String,
    /// The reason why it cannot be called; empty if it can.
    pub refused: String,
}

/// The types of a function's parameters and of its result, with names.
struct Signature {
    params: Vec<(String, Type)>,
    result: Option<Type>,
}

/// The functions of a module that have a body, in order.
pub fn callables(module: &Module) -> Vec<Callable> {
    let all = module.funcs().filter(|(_, body)| !body.blocks_in_order().is_empty());
    let name_of = |(func, body): (Func, &FuncBody)| {
        let Some(name) = body.name().map(|name| module.text_of(name)) else { return func.to_string() };
        let is_other = |(of, body): (Func, &FuncBody)| {
            of != func && body.name().is_some_and(|other| module.text_of(other) == name)
        };
        if module.funcs().any(is_other) { format!("{name}_{}", func.index()) } else { name.to_owned() }
    };
    let one = |(func, body): (Func, &FuncBody)| Callable {
        func,
        name: name_of((func, body)),
        refused: numbers_of(body).err().unwrap_or_default(),
    };
    all.map(one).collect()
}

/// The version with an entry point for each callable of the input, in the same order. Types and names are those of the input.
pub fn with_callers(version: &Module, input: &Module) -> Module {
    let mut module = version.clone();
    for Callable { func, name, refused } in callables(input) {
        let fits = match (version.func(func), input.func(func)) {
            (Some(now), Some(before)) => types_of(now) == types_of(before),
            _ => false,
        };
        let caller = match (input.func(func), refused.is_empty() && fits) {
            (Some(body), true) => {
                let signature = sign(input, body, &mut module);
                add_caller(&mut module, func, &name, &signature)
            }
            _ => (func, Vec::new()),
        };
        let name = module.text(&name);
        let (func, interface) = caller;
        Rc::make_mut(&mut module.entries).push(EntryPoint {
            name,
            stage: Stage::Vertex,
            func,
            interface,
            modes: Vec::new(),
        });
    }
    module
}

/// The types of the parameters, and that of the result.
fn types_of(body: &FuncBody) -> (Vec<ValueType>, ValueType) {
    (body.params().iter().map(|&param| body.ty(param)).collect(), body.result())
}

/// Refuses functions whose parameters or results are not numbers.
fn numbers_of(body: &FuncBody) -> Result<(), String> {
    let (params, result) = types_of(body);
    match params.iter().position(|ty| !matches!(ty, ValueType::Bits { .. })) {
        Some(at) => return Err(format!("parameter {} is an address or a resource, not a number", at + 1)),
        None if !matches!(result, ValueType::Bits { .. } | ValueType::Void) => {
            return Err("the result is an address or a resource, not a number".to_owned());
        }
        None => {}
    }
    Ok(())
}

fn sign(input: &Module, body: &FuncBody, module: &mut Module) -> Signature {
    let types = Types::of(input, body, &Cfg::of(body));
    let name = |(at, param): (usize, &Inst)| {
        let own = body.inst_name(*param).map(|name| input.text_of(name)).filter(|name| !name.is_empty());
        own.map_or_else(|| format!("arg{at}"), str::to_owned)
    };
    let params = body.params().iter().enumerate();
    let params = params.map(|of| (name(of), ty(module, body.ty(*of.1), types.hint(*of.1)))).collect();
    let returned = body.blocks_in_order().into_iter().find_map(|block| match body.block(block).terminator {
        Terminator::Return(value) => value,
        _ => None,
    });
    let hint = returned.map_or(TypeHint::Unknown, |value| types.hint(value));
    let result = matches!(body.result(), ValueType::Bits { .. }).then(|| ty(module, body.result(), hint));
    Signature { params, result }
}

/// The type of a number; unsigned integers if nothing is known.
fn ty(module: &mut Module, of: ValueType, hint: TypeHint) -> Type {
    let ValueType::Bits { width, components } = of else { return module.ty(TypeData::Bool) };
    let scalar = match (width, hint) {
        (Width::W1, _) => TypeData::Bool,
        (Width::W16 | Width::W32 | Width::W64, TypeHint::Float) => TypeData::Float { width },
        (_, TypeHint::Int) => TypeData::Int { width, signed: true },
        _ => TypeData::Int { width, signed: false },
    };
    let scalar = module.ty(scalar);
    if components > 1 { module.ty(TypeData::Vector { of: scalar, components }) } else { scalar }
}

/// Adds the caller of a function. Returns it, and its variables.
fn add_caller(module: &mut Module, func: Func, name: &str, signature: &Signature) -> (Func, Vec<Var>) {
    let variable = |module: &mut Module, at: usize, name: &str, ty: Type, mode: Mode| {
        let name = Some(module.text(name));
        // Vectors of 64 bits take two locations.
        let attrs = vitrine_ir::Attrs::default().with(Key::Location, 2 * at as u64);
        module.add_var(VarData { name, ty, mode, owner: None, init: None, attrs })
    };
    let params = signature.params.iter().enumerate();
    let inputs: Vec<Var> = params.map(|(at, (name, ty))| variable(module, at, name, *ty, Mode::In)).collect();
    let output = signature.result.map(|ty| variable(module, 0, "result", ty, Mode::Out));
    let caller_name = module.text(&format!("caller of {name}"));
    let caller = module.add_func(empty(caller_name));
    let Some(mut editor) = vitrine_ir::Editor::new(module, caller) else { return (func, Vec::new()) };
    let block = EntityId::from_index(0);
    let mut build = editor.build(InsertPoint::End(block), Reason::Note("a caller for a run"));
    let args: Vec<Inst> = inputs
        .iter()
        .map(|&var| {
            let path = build.deref_var(var);
            build.load(path)
        })
        .collect();
    let result = build.call(func, &args);
    if let Some(var) = output {
        let path = build.deref_var(var);
        build.store(path, result);
    }
    let built = build.finish();
    drop(editor.finish());
    match built {
        Ok(()) => (caller, inputs.into_iter().chain(output).collect()),
        // The signature was checked: nothing is refused.
        Err(_) => (func, Vec::new()),
    }
}

/// A function that returns.
fn empty(name: Text) -> FuncBody {
    let mut assembler = Assembler::new();
    assembler.name(Some(name));
    let block = assembler.add_block(BlockData {
        insts: CowVec::new(Vec::new()),
        terminator: Terminator::Return(None),
        ..BlockData::default()
    });
    assembler.graph(vec![block]);
    assembler.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inputs, Named, OutKey, run, seeded};
    use vitrine_text::parse;

    const TEXT: &str = "func @0(%0 \"scale\": b32, %1: b32x2, %2: b1) -> b32x2 graph {\n^0:\n  %3: b32x2 = vec %0, %0\n\
        \x20 %4: b32x2 = fmul %3, %1\n  %5: b1x2 = vec %2, %2\n  %6: b32x2 = select %5, %4, %1\n  return %6\n}\n\n\
        func @1(%0: path) graph {\n^0:\n  return\n}\n";

    #[test]
    fn a_function_is_called_with_arguments_by_name() {
        let parsed = parse(TEXT);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        let found = callables(&parsed.module);
        assert_eq!(found.len(), 2);
        assert!(found[0].refused.is_empty() && found[1].refused.contains("parameter 1"), "{found:?}");
        let module = with_callers(&parsed.module, &parsed.module);
        let mut inputs = Inputs { vertices: [1, 1], ..seeded(&module, 0, 1) };
        let lines = "scale = 0.5\narg1 = (3, 8)\narg2 = true";
        let wrong = Named::new(&module, 0, &inputs).assign_all(&mut inputs, lines);
        assert_eq!(wrong, []);
        let outcome = run(&module, 0, &inputs).unwrap();
        let outputs = &outcome.invocations.values().next().unwrap().outputs;
        let result =
            |component| outputs[&OutKey::Location(0, component, 0)].map(|bits| f32::from_bits(bits as u32));
        assert_eq!((result(0), result(1)), (Some(1.5), Some(4.0)));
    }
}
