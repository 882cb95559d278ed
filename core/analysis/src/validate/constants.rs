//! Module constants: their operands exist and fit, and they do not depend on themselves.

use super::types::Types;
use super::*;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{Op, SignatureError, ValueType, VectorOp};
use vitrine_ir::{Const, Diag, Diags, Global, GlobalData, GlobalValue, Operand, Type, TypeData};

/// Checks every module constant.
pub(super) fn check(module: &Module, types: &mut Types<'_>, diags: &mut Diags) {
    for (id, data) in module.globals() {
        check_one(module, id, data, types, diags);
    }
    cycles(module, diags);
}

fn check_one(module: &Module, id: Global, data: &GlobalData, types: &mut Types<'_>, diags: &mut Diags) {
    let anchor = Anchor::Global(id);
    attrs::check_values(module, None, &data.attrs, anchor, diags);
    match &data.value {
        GlobalValue::Spec(bits) => {
            if !module.has_const(*bits) {
                diags.push(no_bits(*bits, anchor));
            }
        }
        GlobalValue::Op { op, ty, args } => check_op(module, id, *op, *ty, args, diags),
        GlobalValue::Parts(ty, parts) => {
            types.check(*ty, anchor, diags);
            check_parts(module, id, *ty, parts, diags);
        }
        GlobalValue::Zero(ty) | GlobalValue::Undef(ty) => types.check(*ty, anchor, diags),
        GlobalValue::Address(var) => {
            if module.var(*var).is_none() {
                let says = format!("the variable {var} does not exist");
                diags.push(Diag::error(CONSTANT_OP, anchor).says(says).help("declare the variable"));
            }
        }
    }
}

fn no_bits(bits: Const, anchor: Anchor) -> Diag {
    Diag::error(CONSTANT_OP, anchor).says(format!("the constant {bits} does not belong to the module"))
}

/// Returns true if an operand exists; otherwise reports it.
pub(super) fn operand_exists(module: &Module, operand: Operand, anchor: Anchor, diags: &mut Diags) -> bool {
    let diag = match operand {
        Operand::Bits(bits) if !module.has_const(bits) => no_bits(bits, anchor),
        Operand::Global(global) if module.global(global).is_none() => {
            let diag = Diag::error(CONSTANT_OP, anchor).says(format!("the constant {global} does not exist"));
            diag.help("declare it with `const`")
        }
        Operand::Bits(_) | Operand::Global(_) => return true,
    };
    diags.push(diag);
    false
}

fn check_op(module: &Module, id: Global, op: Op, ty: ValueType, args: &[Operand], diags: &mut Diags) {
    let (anchor, info) = (Anchor::Global(id), op.info());
    let error = |says: String| Diag::error(CONSTANT_OP, anchor).says(says);
    if info.meaning.is_none() || !info.lead.is_empty() || !info.need.is_empty() {
        let says = format!("`{}` cannot be used in a constant expression", info.name);
        diags.push(error(says).help("use arithmetic without attributes"));
        return;
    }
    let missing = args.iter().filter(|&&arg| !operand_exists(module, arg, anchor, diags)).count();
    if missing > 0 {
        return;
    }
    let Some(types) = args.iter().map(|&arg| module.operand_type(arg)).collect::<Option<Vec<_>>>() else {
        let says = format!("an operand of `{}` is not a single value", info.name);
        diags.push(error(says).help("declare the parts as separate constants"));
        return;
    };
    let sum: usize = types.iter().map(|ty| ty.components() as usize).sum();
    let says = match info.check(ty, &types) {
        Ok(()) if op == Op::from(VectorOp::Vec) && sum != ty.components() as usize => {
            format!(
                "the operands have {} in total, but the result is {}",
                diagnostics::count(sum, "component"),
                diagnostics::value(ty)
            )
        }
        Ok(()) => return,
        Err(SignatureError::Count { given, wanted, or_more }) => {
            let least = if or_more { "at least " } else { "" };
            format!(
                "`{}` takes {least}{}, not {given}",
                info.name,
                diagnostics::count_or_no(wanted, "operand")
            )
        }
        Err(SignatureError::Operand { at, wanted }) => {
            let name = info.operand(at).map_or("", |operand| operand.name);
            let given = diagnostics::value(types.get(at).copied().unwrap_or_default());
            format!("operand `{name}` of `{}` must be {wanted}, but is {given}", info.name)
        }
        Err(SignatureError::Result { wanted }) => {
            format!("`{}` yields {wanted} here, not {}", info.name, diagnostics::value(ty))
        }
    };
    diags.push(error(says));
}

/// Checks the number and types of the parts of an aggregate.
fn check_parts(module: &Module, id: Global, ty: Type, parts: &[Operand], diags: &mut Diags) {
    let anchor = Anchor::Global(id);
    let members = match module.type_of(ty) {
        TypeData::Struct(id) => module.structure(*id).map(|data| &data.members),
        _ => None,
    };
    let wanted = match members {
        Some(members) => Some(members.len()),
        None => module.element_count(ty).map(|count| count as usize),
    };
    let element = module.element_type(ty);
    if members.is_none() && element.is_none() {
        let says = format!("{} has no parts", diagnostics::full_type(module, ty));
        let help = "only arrays, structures, matrices and vectors have parts";
        diags.push(Diag::error(CONSTANT_PARTS, anchor).says(says).help(help));
        return;
    }
    if wanted.is_some_and(|wanted| wanted != parts.len()) {
        let of = diagnostics::full_type(module, ty);
        let wanted = diagnostics::count_or_no(wanted.unwrap_or(0), "part");
        let says = format!("{of} has {wanted} here, but {} given", given(parts.len()));
        diags.push(Diag::error(CONSTANT_PARTS, anchor).says(says).help("give each part a value"));
        return;
    }
    for (at, &part) in parts.iter().enumerate() {
        let Some(wanted) = members.and_then(|members| members.get(at)).map(|member| member.ty).or(element)
        else {
            break;
        };
        if operand_exists(module, part, anchor, diags) && !fits(module, part, wanted) {
            let (wanted_words, given_words) = (diagnostics::full_type(module, wanted), words(module, part));
            let number = numbers(module, (wanted, &wanted_words), (part, &given_words));
            let says = format!("part {at} must be {wanted_words}{}, but", number[0]);
            let is = format!("is {given_words}{}", number[1]);
            diags.push(
                Diag::error(CONSTANT_PARTS, anchor).says(says).says(is).help("parts are numbered from 0"),
            );
        }
    }
}

fn given(count: usize) -> String {
    match count {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        more => format!("{more} are"),
    }
}

/// Returns true if two types have the same values: they are the same up to the strides and the order of matrices and
/// arrays, which a value does not have.
fn have_one_value(module: &Module, a: Type, b: Type) -> bool {
    let (mut a, mut b) = (a, b);
    // Types are nested by earlier types, but in invalid modules.
    for _ in 0..256 {
        if a == b {
            return true;
        }
        match (module.type_of(a), module.type_of(b)) {
            (
                TypeData::Matrix { column: a, columns: count, .. },
                TypeData::Matrix { column: b, columns: other, .. },
            ) => return a == b && count == other,
            (TypeData::Array { of: of_a, len: len_a, .. }, TypeData::Array { of: of_b, len: len_b, .. })
                if len_a == len_b =>
            {
                (a, b) = (*of_a, *of_b);
            }
            _ => return false,
        }
    }
    false
}

/// The numbers of a wanted and a given type, if their words are the same.
pub(super) fn numbers(
    module: &Module,
    (wanted, wanted_words): (Type, &str),
    (given, given_words): (Operand, &str),
) -> [String; 2] {
    let of = match given {
        Operand::Global(global) => match module.global(global).map(|data| &data.value) {
            Some(GlobalValue::Parts(of, _) | GlobalValue::Zero(of) | GlobalValue::Undef(of)) => Some(*of),
            _ => None,
        },
        Operand::Bits(_) => None,
    };
    match of.filter(|_| wanted_words == given_words) {
        Some(of) => [wanted, of].map(|ty| format!(" (type {})", ty.index())),
        None => [String::new(), String::new()],
    }
}

/// Returns true if a constant can have a memory type.
pub(super) fn fits(module: &Module, operand: Operand, ty: Type) -> bool {
    let value = module.value_type(ty);
    let global = match operand {
        Operand::Bits(bits) => return value == Some(module.bits_of(bits).ty()),
        Operand::Global(global) => global,
    };
    match module.global(global).map(|data| &data.value) {
        Some(GlobalValue::Spec(bits)) => value == Some(module.bits_of(*bits).ty()),
        Some(GlobalValue::Op { ty, .. }) => value == Some(*ty),
        Some(GlobalValue::Parts(of, _) | GlobalValue::Zero(of) | GlobalValue::Undef(of)) => {
            have_one_value(module, *of, ty)
        }
        Some(GlobalValue::Address(var)) => match module.type_of(ty) {
            TypeData::Pointer { mode, to } => {
                module.var(*var).is_some_and(|data| data.mode == *mode && data.ty == *to)
            }
            _ => false,
        },
        None => false,
    }
}

/// A constant in a message.
pub(super) fn words(module: &Module, operand: Operand) -> String {
    match operand {
        Operand::Bits(bits) => diagnostics::value(module.bits_of(bits).ty()),
        Operand::Global(global) => match module.global(global).map(|data| &data.value) {
            Some(GlobalValue::Parts(ty, _) | GlobalValue::Zero(ty) | GlobalValue::Undef(ty)) => {
                diagnostics::full_type(module, *ty)
            }
            Some(GlobalValue::Address(_)) => "an address".to_owned(),
            _ => module.global_type(global).map_or("nothing".to_owned(), diagnostics::value),
        },
    }
}

/// Reports constants that depend on themselves: once per cycle, at the first constant of it.
fn cycles(module: &Module, diags: &mut Diags) {
    let mut state: SideTable<Global, State> = SideTable::sized(State::New, module.sizes()[3]);
    for (root, _) in module.globals() {
        let mut path = vec![(root, 0)];
        while let Some((id, at)) = path.pop() {
            if at == 0 && std::mem::replace(&mut state[id], State::Open) != State::New {
                state[id] = State::Done;
                continue;
            }
            let operands = module.global(id).map_or(&[][..], |data| data.value.operands());
            let Some(operand) = operands.get(at) else {
                state[id] = State::Done;
                continue;
            };
            path.push((id, at + 1));
            let Operand::Global(next) = *operand else { continue };
            match state[next] {
                State::New if module.global(next).is_some() => path.push((next, 0)),
                State::Open => {
                    let diag = Diag::error(CONSTANT_CYCLE, Anchor::Global(next));
                    let says = "depends on itself through";
                    let (next, id) = (diagnostics::global(module, next), diagnostics::global(module, id));
                    let diag = diagnostics::Naming::name(diag, next).says(says);
                    diags.push(diagnostics::Naming::name(diag, id).help("break the cycle with a literal"));
                }
                State::New | State::Done => {}
            }
        }
    }
}

/// State of a node in a depth-first search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Not visited.
    New,
    /// On the current path.
    Open,
    /// Finished.
    Done,
}
