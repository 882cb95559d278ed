//! Breakpoints and watch expressions where a group stops: conditions and values.
//!
//! A value is that of the chosen invocation, in the innermost frame or in that of its function. Numbers are read as the type
//! of the value that they are compared with. Nothing here runs or changes the program.

use super::super::words::{View, number};
use super::Stepper;
use super::expr::{Comparison, Expr, Operand, Stop, StopPlace, split};
use crate::analysis::TypeHint;
use crate::base::EntityId;
use crate::ir::{Func, FuncBody, Inst, TypeData, Var};
use crate::ops::{Scalar, ValueType, Width};
use vitrine_protocol::{WatchedValue, Watches, WrongStop};

/// The value of an operand: bits of each component.
struct Value {
    parts: Vec<Option<u64>>,
    width: Width,
    hint: TypeHint,
}

impl Stepper {
    /// Sets breakpoints and watch expressions.
    pub(in super::super) fn watch(&mut self, of: &Watches) {
        self.stops = of.stops.iter().map(|stop| Stop::read(&self.module, stop)).collect();
        self.watches.clone_from(&of.watches);
    }

    /// The breakpoint at which the group stops now: the chosen invocation has just entered its block, or
    /// come to its line of the source, and its condition holds.
    pub(super) fn stop_here(&self) -> Option<&Stop> {
        let (func, block, _) = self.machine.place()?;
        let is_chosen = self.machine.active().contains(&(self.invocation as u32));
        if !is_chosen {
            return None;
        }
        let enters = self.machine.is_at_block_start();
        let begins = self.begins_line() && !self.line.resumed;
        let line = self.line.place.filter(|_| begins).map(|place| place.line);
        let stops = self.stops.iter().flatten().filter(|stop| match stop.place {
            StopPlace::Block(at, of) => enters && (at, of) == (func, block),
            StopPlace::Line(at) => line == Some(at),
        });
        let mut held = stops
            .filter(|stop| stop.condition.as_ref().is_none_or(|condition| self.holds(condition) == Ok(true)));
        held.next()
    }

    /// The breakpoints that cannot be followed.
    pub(super) fn wrong_stops(&self) -> Vec<WrongStop> {
        let wrong = self.stops.iter().zip(0..).filter_map(|(stop, at)| {
            let reason = stop.as_ref().err()?.clone();
            Some(WrongStop { stop: at, reason })
        });
        wrong.collect()
    }

    /// The values of the watch expressions.
    pub(super) fn watched(&self) -> Vec<WatchedValue> {
        let value = |watch: &String| {
            let shown = Expr::read(watch).and_then(|expr| match expr.right {
                Some(_) => self.holds(&expr).map(|holds| holds.to_string()),
                None => self.shown(&expr.left),
            });
            let missing = shown.is_err();
            WatchedValue { words: shown.unwrap_or_else(|why| why), missing }
        };
        self.watches.iter().map(value).collect()
    }

    fn holds(&self, expr: &Expr) -> Result<bool, String> {
        let Some((comparison, right)) = &expr.right else { return Err("not a comparison".to_owned()) };
        let sides = [&expr.left, right];
        let values = [self.scalar(sides[0])?, self.scalar(sides[1])?];
        let kind = kind_of(&values, sides);
        let numbers = [read(&values[0], sides[0], kind)?, read(&values[1], sides[1], kind)?];
        let [one, two] = numbers;
        Ok(match comparison {
            Comparison::Equal => one == two,
            Comparison::Unequal => one != two,
            Comparison::AtLeast => one >= two,
            Comparison::AtMost => one <= two,
            Comparison::Above => one > two,
            Comparison::Below => one < two,
        })
    }

    /// One component: its bits, or nothing for a written number.
    fn scalar(&self, operand: &Operand) -> Result<Option<(u64, Width, TypeHint)>, String> {
        if matches!(operand, Operand::Number(_)) {
            return Ok(None);
        }
        let value = self.value_of(operand)?;
        match value.parts[..] {
            [part] => Ok(Some((part.ok_or("it is undefined")?, value.width, value.hint))),
            _ => Err(format!("it has {} components: write one of them, such as .x", value.parts.len())),
        }
    }

    fn shown(&self, operand: &Operand) -> Result<String, String> {
        let Operand::Value { .. } = operand else { return Err("not a value".to_owned()) };
        let Value { parts, width, hint } = self.value_of(operand)?;
        let mut out = String::new();
        for (at, part) in parts.iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            match part {
                Some(bits) => number(&mut out, *bits, width, view(hint, width)),
                None => out.push_str("undefined"),
            }
        }
        Ok(if parts.len() > 1 { format!("({out})") } else { out })
    }

    /// The value of an operand in the innermost frame, or in that of its function.
    fn value_of(&self, operand: &Operand) -> Result<Value, String> {
        let Operand::Value { function, name, id, component } = operand else {
            return Err("not a value".to_owned());
        };
        let is_own = |func: Option<Func>| match function {
            Some(id) => func.is_some_and(|func| func.index() as u32 == *id),
            None => true,
        };
        let frames = self.seen.iter().enumerate().rev();
        let found = frames.into_iter().find(|(_, seen)| is_own(seen.func));
        let Some((frame, seen)) = found else { return Err("its function does not run now".to_owned()) };
        let func = seen.func.ok_or("nothing runs now")?;
        let body = self.module.func(func).ok_or("nothing runs now")?;
        let mut value = match self.inst_of(frame, func, body, name, *id)? {
            Some(inst) => self.bits_of(frame, func, body, inst)?,
            None => self.variable(func, name)?,
        };
        if let Some(component) = *component {
            let part = value.parts.get(component).copied();
            let count = value.parts.len();
            value.parts = vec![part.ok_or_else(|| format!("it has only {count} components"))?];
        }
        Ok(value)
    }

    /// The instruction with an id or a name; of several with a name, one that was computed. None for the name of a variable.
    fn inst_of(
        &self,
        frame: usize,
        func: Func,
        body: &FuncBody,
        name: &str,
        id: Option<u32>,
    ) -> Result<Option<Inst>, String> {
        let blocks = || body.blocks_in_order().into_iter().map(|block| body.block(block));
        let all = || {
            let params = body.params().iter().copied();
            params.chain(blocks().flat_map(|block| block.params.iter().chain(block.insts.iter()).copied()))
        };
        if let Some(id) = id {
            let found = all().find(|inst| inst.index() as u32 == id);
            return found.map(Some).ok_or_else(|| format!("{func} has no value %{id}"));
        }
        let named = |inst: &Inst| body.inst_name(*inst).is_some_and(|own| self.module.text_of(own) == name);
        let is_known = |inst: &Inst| self.is_computed(frame, *inst);
        let found = all().filter(named).max_by_key(is_known);
        match found {
            None if self.var_of(func, name).is_none() => {
                Err(format!("{func} has no value or variable `{name}`"))
            }
            found => Ok(found),
        }
    }

    fn is_computed(&self, frame: usize, inst: Inst) -> bool {
        let seen = self.seen.get(frame).and_then(|seen| seen.invocations.get(&inst));
        seen.is_some_and(|seen| super::has(&seen.bits, self.invocation))
    }

    fn bits_of(&self, frame: usize, func: Func, body: &FuncBody, inst: Inst) -> Result<Value, String> {
        let ValueType::Bits { width, .. } = body.ty(inst) else {
            return Err("it is not a number".to_owned());
        };
        if !self.is_computed(frame, inst) {
            return Err("not computed yet".to_owned());
        }
        let hint = self.hints.get(&func).map_or(TypeHint::Unknown, |types| types.hint(inst));
        Ok(Value { parts: self.machine.value(frame, inst, self.invocation), width, hint })
    }

    /// A variable of the function or of the module, by its name or its spelling.
    fn var_of(&self, func: Func, name: &str) -> Option<Var> {
        let (plain, id) = match name.strip_prefix('$') {
            Some(rest) => split(rest),
            None => (name, None),
        };
        let is_own = |var: Var| match id {
            Some(id) => var.index() as u32 == id,
            None => self.module.name_of(var) == plain,
        };
        let vars = self.module.vars().filter(|(_, data)| data.owner.is_none_or(|owner| owner == func));
        vars.filter(|(var, _)| is_own(*var)).max_by_key(|(_, data)| data.owner.is_some()).map(|(var, _)| var)
    }

    /// The bytes of a variable that is a scalar or a vector.
    fn variable(&self, func: Func, name: &str) -> Result<Value, String> {
        let unknown = || format!("there is no variable `{name}`");
        let var = self.var_of(func, name).ok_or_else(unknown)?;
        let ty = self.module.var(var).ok_or_else(unknown)?.ty;
        let Some(ValueType::Bits { width, components }) = self.module.value_type(ty) else {
            return Err("it has members: see Memory below".to_owned());
        };
        let scalar = self.module.element_type(ty).filter(|_| components > 1).unwrap_or(ty);
        let hint = match self.module.type_of(scalar) {
            TypeData::Float { .. } => TypeHint::Float,
            TypeData::Int { signed: true, .. } => TypeHint::Int,
            TypeData::Bool => TypeHint::Bool,
            _ => TypeHint::Uint,
        };
        let root = self.root(var).ok_or("it has no memory now")?;
        let size = width.bits().div_ceil(8);
        let part = |at: u32| match root.read(self.invocation, at * size, size) {
            Ok((bits, false)) => Some(bits),
            Ok((_, true)) | Err(_) => None,
        };
        Ok(Value { parts: (0..u32::from(components)).map(part).collect(), width, hint })
    }
}

fn view(hint: TypeHint, width: Width) -> View {
    match hint {
        _ if width == Width::W1 => View::Int,
        TypeHint::Float => View::Float,
        TypeHint::Int | TypeHint::Bool => View::Int,
        TypeHint::Uint => View::Uint,
        TypeHint::Unknown | TypeHint::Any => View::Hex,
    }
}

/// The type in which two operands are compared: that of a value, or of a written number if no value has one.
fn kind_of(values: &[Option<(u64, Width, TypeHint)>; 2], sides: [&Operand; 2]) -> TypeHint {
    let hints = values.iter().flatten().map(|(.., hint)| *hint);
    let known = hints.filter(|hint| matches!(hint, TypeHint::Float | TypeHint::Int | TypeHint::Uint));
    let spelled = sides.iter().find_map(|side| match side {
        Operand::Number(text) if text.starts_with("0x") => None,
        Operand::Number(text) if text.contains(['.', 'e']) && text.parse::<f64>().is_ok() => {
            Some(TypeHint::Float)
        }
        Operand::Number(text) if text.starts_with('-') => Some(TypeHint::Int),
        _ => None,
    });
    known.into_iter().next().or(spelled).unwrap_or(TypeHint::Uint)
}

/// A side of a comparison as a number; integers of 64 bits may lose their lowest bits.
fn read(value: &Option<(u64, Width, TypeHint)>, operand: &Operand, kind: TypeHint) -> Result<f64, String> {
    if let Some((bits, width, _)) = *value {
        let scalar = Scalar::new(width, bits);
        return Ok(match kind {
            TypeHint::Float if width != Width::W1 => scalar.to_f64(),
            TypeHint::Int if width != Width::W1 => {
                let spare = 64 - width.bits();
                ((bits << spare).cast_signed() >> spare) as f64
            }
            _ => bits as f64,
        });
    }
    let Operand::Number(text) = operand else { return Err("not a number".to_owned()) };
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|bits| bits as f64),
        None if text == "true" => Some(1.0),
        None if text == "false" => Some(0.0),
        None => text.parse().ok(),
    };
    number.ok_or_else(|| format!("`{text}` is not a number"))
}
