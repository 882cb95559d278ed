//! The pages of rules: the check that the tests run, inputs that break a rule without its conditions or flags, and a program
//! that it changes.
//!
//! The program is built from the left side, for constants and operands that satisfy the conditions. Limits: a rule without
//! such a program has no example, and its page states it.

use crate::Page;
use crate::figures::Figures;
use crate::numbers::{Kind, kind, text};
use std::fmt::Write;
use vitrine_core::ops::{Bits, Flags, Op, Scalar, ValueType, Width};
use vitrine_core::rules::proof::{
    Counterexample, is_exhaustive, mark_constants, without_conditions, without_flags,
};
use vitrine_core::rules::{Pat, Rule, Rules, Set, Typed, typings};

/// Seeded samples of a search for a counterexample.
const SAMPLES: usize = 400;

/// Assignments of types and constants that are tried for an example.
const MOST_TRIED: usize = 12;

/// Constants that conditions may want.
const CONSTANTS: [i64; 10] = [2, 4, 1, 3, 8, 5, -1, 16, 31, 255];

/// Forms of operands that satisfy conditions on values, from any value to small positive and negative ones.
const FORMS: usize = 4;

/// The list of rules that a pass applies; empty for most passes.
pub(crate) fn of_pass(pass: &str) -> String {
    let Some(set) = Set::ALL.into_iter().find(|set| set.name() == pass) else { return String::new() };
    let names: Vec<String> = Rules::get()
        .all()
        .iter()
        .filter(|rule| rule.set == set)
        .map(|rule| format!("`{}`", rule.text.name))
        .collect();
    format!("## Rules\n\nThe pass applies {} rules: {}.", names.len(), names.join(", "))
}

/// Everything about a rule after its description.
pub(crate) fn page(page: &mut Page, name: &str, figures: &mut Figures) -> Result<(), String> {
    let rule =
        Rules::get().all().iter().find(|rule| rule.text.name == name).ok_or("the rule does not exist")?;
    page.markdown(&format!("Applied by the pass `{}`.\n\n{}", rule.set.name(), status(rule)));
    let names = names(rule);
    if let Some(found) = without_conditions(rule, SAMPLES) {
        page.markdown(&format!(
            "## Without its condition\n\nThe rule would be wrong for these values:\n\n{}",
            table(rule, &names, &found)
        ));
    }
    if let Some(found) = without_flags(rule, SAMPLES) {
        page.markdown(&format!(
            "## Without its flags\n\nThe results would differ for these values:\n\n{}",
            table(rule, &names, &found)
        ));
    }
    match example(rule, &names, figures)? {
        Some(figure) => {
            page.markdown("## Example");
            page.html(&figure);
        }
        None => page.markdown("There is no short program for this rule: its conditions need facts that only a longer program has."),
    }
    Ok(())
}

/// The inputs for which the tests compare both sides.
fn status(rule: &Rule) -> String {
    let all = typings(rule, 1);
    let exhaustive = all.iter().filter(|(types, ..)| is_exhaustive(types)).count();
    let sampled = all.len() - exhaustive;
    let combinations =
        |count: usize| format!("{count} combination{} of types", if count == 1 { "" } else { "s" });
    let inputs = match (exhaustive, sampled) {
        (_, 0) => format!("all inputs of {}", combinations(exhaustive)),
        (0, _) => format!("corner cases and seeded samples of {}", combinations(sampled)),
        _ => format!(
            "all inputs of {}, corner cases and seeded samples of {sampled} more",
            combinations(exhaustive)
        ),
    };
    format!("Checked by evaluation of both sides for {inputs}, and in vectors.")
}

/// The names of the variables in the text of a rule, in the order of their numbers.
fn names(rule: &Rule) -> Vec<String> {
    let spaced = rule.text.left.replace(['(', ')'], " ( ").replace('#', " ");
    let mut out: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        let is_name =
            word.starts_with(|c: char| c.is_ascii_alphabetic()) && !["true", "false", "once"].contains(&word);
        if is_name && Op::from_name(word).is_none() && !out.iter().any(|known| known == word) {
            out.push(word.to_owned());
        }
    }
    (0..rule.vars).map(|at| out.get(at).cloned().unwrap_or_else(|| format!("x{at}"))).collect()
}

fn table(rule: &Rule, names: &[String], found: &Counterexample) -> String {
    let mut kinds: Vec<Option<Kind>> = vec![None; rule.vars];
    let mut work = vec![&rule.left, &rule.right];
    let mut root = Kind::Signed;
    while let Some(pat) = work.pop() {
        match pat {
            Pat::Op(op, args) => {
                let info = op.info();
                if std::ptr::eq(pat, &rule.left) {
                    root = found.left.map_or(root, |bits| kind(&info.result, info.name, bits.width()));
                }
                for (at, arg) in args.iter().enumerate() {
                    if let (Pat::Var(var) | Pat::Const(var), Some(operand)) = (arg, info.operand(at))
                        && let (Some(slot), Some(bits)) = (kinds.get_mut(*var), found.values.get(*var))
                    {
                        slot.get_or_insert(kind(&operand.constraint, info.name, bits.width()));
                    }
                    work.push(arg);
                }
            }
            Pat::Once(inner) => work.push(inner),
            Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => {}
        }
    }
    let mut heads: Vec<String> =
        names.iter().zip(&found.values).map(|(name, bits)| format!("`{name}: {}`", bits.ty())).collect();
    let mut cells: Vec<String> = found
        .values
        .iter()
        .zip(&kinds)
        .map(|(bits, kind)| format!("`{}`", text(*bits, kind.unwrap_or(Kind::Signed))))
        .collect();
    for (head, result) in [("left side", found.left), ("right side", found.right)] {
        heads.push(head.to_owned());
        cells.push(result.map_or_else(|| "undefined".to_owned(), |bits| format!("`{}`", text(bits, root))));
    }
    format!("| {} |\n|{}\n| {} |", heads.join(" | "), "---|".repeat(heads.len()), cells.join(" | "))
}

/// A program that the rule changes.
fn example(rule: &Rule, names: &[String], figures: &mut Figures) -> Result<Option<String>, String> {
    let pass = rule.set.name();
    let mut typed = typings(rule, 1);
    typed.sort_by_key(|(types, ..)| types.iter().filter(|ty| ty.width() != Some(Width::W32)).count());
    let mut constant = vec![false; rule.vars];
    mark_constants(&rule.left, &mut constant);
    for form in 0..if rule.asks() { FORMS } else { 1 } {
        for (types, left, _) in typed.iter().take(MOST_TRIED) {
            for constants in constants(rule, types, &constant) {
                let program = Program::of(rule, left, types, names, &constants, form);
                if figures.open(&program, pass).is_err() || figures.session.versions() < 2 {
                    continue;
                }
                if figures.session.reasons(1).iter().any(|reason| reason.rule == rule.text.name) {
                    return figures.pair(&program, pass, 1, "").map(Some);
                }
            }
        }
    }
    Ok(None)
}

/// Values of the constants that satisfy the conditions on them: a few.
fn constants(rule: &Rule, types: &[ValueType], constant: &[bool]) -> Vec<Vec<Option<Bits>>> {
    let mut out: Vec<Vec<Option<Bits>>> = Vec::new();
    for number in 0..CONSTANTS.len() * CONSTANTS.len() {
        let of = |at: usize| {
            let pick = number / CONSTANTS.len().pow(at as u32 % 2) + at / 2;
            let value = CONSTANTS[pick % CONSTANTS.len()];
            let width = types[at].width().unwrap_or_default();
            Bits::scalar(match number % 2 == 1 && width.has_floats() {
                true => Scalar::float(width, value as f64),
                false => Scalar::i(width, value),
            })
        };
        let given: Vec<Option<Bits>> = (0..rule.vars).map(|at| constant[at].then(|| of(at))).collect();
        if rule.holds(&given) && !out.contains(&given) {
            out.push(given);
        }
        if out.len() >= 6 {
            break;
        }
    }
    out
}

/// The text of a function that computes the left side of a rule.
struct Program {
    lines: String,
    next: usize,
}

impl Program {
    fn of(
        rule: &Rule,
        left: &Typed<'_>,
        types: &[ValueType],
        names: &[String],
        constants: &[Option<Bits>],
        form: usize,
    ) -> String {
        let is_var = |at: &usize| constants[*at].is_none();
        let vars: Vec<usize> = (0..rule.vars).filter(is_var).collect();
        let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric());
        let spelled = |at: usize| if plain(&names[at]) { format!("{}_", names[at]) } else { String::new() };
        let mut program = Program { lines: String::new(), next: rule.vars };
        let mut values: Vec<usize> = (0..rule.vars).collect();
        // A form of a float begins with an integer.
        let from = |at: usize| {
            if form > 0 && is_float(rule, at, types[at]) { ValueType::bits(Width::W32, 1) } else { types[at] }
        };
        let params: Vec<String> =
            vars.iter().map(|&at| format!("%{}{at}: {}", spelled(at), from(at))).collect();
        for at in 0..rule.vars {
            match constants[at] {
                Some(bits) => {
                    let _ = writeln!(
                        program.lines,
                        "  %{}{at}: {} = const {:#x}",
                        spelled(at),
                        types[at],
                        bits.component(0).bits()
                    );
                }
                None => values[at] = program.formed(at, types[at], form, is_float(rule, at, types[at])),
            }
        }
        let result = program.tree(rule, left, &values);
        format!(
            "func @example_0({}) -> {} tree {{\n^0:\n{}  return %{result}\n}}\n",
            params.join(", "),
            left.ty,
            program.lines
        )
    }

    fn line(&mut self, ty: ValueType, text: &str) -> usize {
        let at = self.next;
        self.next += 1;
        let _ = writeln!(self.lines, "  %{at}: {ty} = {text}");
        at
    }

    /// A parameter in a form that satisfies conditions: any value, 0 to 7, 1 to 7, or the negative of that.
    fn formed(&mut self, at: usize, ty: ValueType, form: usize, is_float: bool) -> usize {
        if form == 0 || ty.width() == Some(Width::W1) {
            return at;
        }
        let integer = if is_float { ValueType::bits(Width::W32, 1) } else { ty };
        let mask = self.line(integer, "const 7");
        let mut value = self.line(integer, &format!("iand %{at}, %{mask}"));
        if form > 1 {
            let one = self.line(integer, "const 1");
            value = self.line(integer, &format!("ior %{value}, %{one}"));
        }
        if is_float {
            value = self.line(ty, &format!("u2f %{value}"));
        }
        match (form, is_float) {
            (3, true) => self.line(ty, &format!("fneg %{value}")),
            (3, false) => self.line(ty, &format!("ineg %{value}")),
            _ => value,
        }
    }

    /// The instructions of a tree, operands first; returns the value of its root.
    fn tree(&mut self, rule: &Rule, root: &Typed<'_>, vars: &[usize]) -> usize {
        enum Work<'t> {
            Enter(&'t Typed<'t>),
            Leave(&'t Typed<'t>),
        }
        let (mut work, mut done) = (vec![Work::Enter(root)], Vec::new());
        while let Some(next) = work.pop() {
            match next {
                Work::Enter(part) => match part.pat {
                    Pat::Var(at) | Pat::Const(at) => done.push(vars[*at]),
                    Pat::Lit(lit) => {
                        let bits = lit.bits(part.ty).map_or(0, |bits| bits.component(0).bits());
                        done.push(self.line(part.ty, &format!("const {bits:#x}")));
                    }
                    Pat::Op(..) | Pat::Once(_) => {
                        work.push(Work::Leave(part));
                        work.extend(part.args.iter().rev().map(Work::Enter));
                    }
                },
                Work::Leave(part) => {
                    let args = done.split_off(done.len() - part.args.len());
                    let Pat::Op(op, _) = part.pat else { continue };
                    let args: Vec<String> = args.iter().map(|arg| format!("%{arg}")).collect();
                    let flags = flags(rule, *op, part);
                    done.push(self.line(part.ty, &format!("{}{flags} {}", op.name(), args.join(", "))));
                }
            }
        }
        done.pop().unwrap_or_default()
    }
}

/// The flags that the rule requires, at an operation that has a float operand or result.
fn flags(rule: &Rule, op: Op, part: &Typed<'_>) -> String {
    let info = op.info();
    let float = |ty: ValueType, constraint| {
        ty.width().is_some_and(|width| kind(constraint, info.name, width) == Kind::Float)
    };
    let operands = part.args.iter().enumerate();
    let mut operands = operands.filter_map(|(at, arg)| Some((arg.ty, info.operand(at)?)));
    let is_float =
        float(part.ty, &info.result) || operands.any(|(ty, operand)| float(ty, &operand.constraint));
    let wanted = if rule.needs.has(Flags::FAST) { Flags::FAST } else { rule.needs };
    match is_float {
        true => wanted.names().map(|name| format!(" {name}")).collect(),
        false => String::new(),
    }
}

/// Returns true if some operation of the left side takes the variable as a float.
fn is_float(rule: &Rule, var: usize, ty: ValueType) -> bool {
    let Some(width) = ty.width() else { return false };
    let mut work = vec![&rule.left];
    while let Some(pat) = work.pop() {
        match pat {
            Pat::Op(op, args) => {
                for (at, arg) in args.iter().enumerate() {
                    let is_it = matches!(arg, Pat::Var(of) if *of == var);
                    if let (true, Some(operand)) = (is_it, op.info().operand(at))
                        && kind(&operand.constraint, op.name(), width) == Kind::Float
                    {
                        return true;
                    }
                    work.push(arg);
                }
            }
            Pat::Once(inner) => work.push(inner),
            Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => {}
        }
    }
    false
}
