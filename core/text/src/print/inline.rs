//! Constants and addresses with a single use, printed at that use instead of on a line of their own.
//!
//! ```text
//! %3: b32 = const 0.5
//! %4: b32 = fadd %2, %3          %4: b32 = fadd %2, 0.5
//! %5 = deref.var $lights_0
//! %6 = deref.elem %5, %i
//! %7: b32 = load %6              %7: b32 = load $lights_0[%i]
//! ```
//!
//! For display only: the parser does not accept this form. The first token that belongs to an inlined instruction alone links
//! to it as its definition, so that the instruction can be found and chosen where it is printed.
//!
//! Limits: an address of more than four nested steps is printed in parts. Vectors of more than four components have lines of
//! their own.

use super::{Printer, Sink};
use crate::{Class, Link};
use vitrine_ir::base::{EntityId, EntitySet, SideTable};
use vitrine_ir::ops::{BasicOp, DerefOp, Op, PtrOp, ValueType};
use vitrine_ir::{Anchor, Const, FuncBody, Global, Inst, InstData, Nesting, Var};

/// The largest number of nested inlined instructions.
const MOST_NESTED: u8 = 4;

/// The instructions of a function that are printed at their single use.
#[derive(Debug, Default)]
pub struct Inlined {
    /// The number of inlined instructions below each other; 0 for an instruction that is not inlined.
    depth: SideTable<Inst, u8>,
}

impl Inlined {
    /// Finds them. Linear.
    pub fn of(body: &FuncBody, nesting: &Nesting) -> Inlined {
        let mut uses: SideTable<Inst, u32> = SideTable::new();
        for block in body.blocks_in_order() {
            let data = body.block(block);
            for &inst in data.insts.iter() {
                body.inst(inst).args.iter().for_each(|&arg| uses[arg] += 1);
            }
            data.terminator.for_each_use(|value| uses[value] += 1);
            let node = nesting.node_after(body, block);
            node.and_then(|node| body.node(node).kind.operand())
                .into_iter()
                .for_each(|value| uses[value] += 1);
        }
        let mut depth: SideTable<Inst, u8> = SideTable::new();
        // An operand that comes later, as in unreachable code, could depend on its user.
        let mut seen = EntitySet::new();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let deepest = data.args.iter().map(|&arg| depth[arg]).max().unwrap_or(0);
            let known = data.args.iter().all(|&arg| seen.contains(arg));
            if uses[inst] == 1 && is_brief(data) && known && deepest < MOST_NESTED {
                depth[inst] = deepest + 1;
            }
            seen.insert(inst);
        });
        Inlined { depth }
    }
}

/// Returns true for constants and for addresses that are computed without effects.
fn is_brief(data: &InstData) -> bool {
    match data.op {
        Op::Basic(BasicOp::Const) => data.ty.components() <= 4,
        Op::Basic(BasicOp::Global) => true,
        Op::Deref(_) | Op::Ptr(_) => {
            data.op.info().props.pure() && matches!(data.ty, ValueType::Path | ValueType::Ptr)
        }
        _ => false,
    }
}

impl<'a, S: Sink + ?Sized> Printer<'a, S> {
    /// Prints some instructions at their uses.
    #[must_use]
    pub fn inlining(mut self, inlined: Option<&'a Inlined>) -> Self {
        self.inlined = inlined;
        self
    }

    /// Returns true if an instruction has no line of its own.
    pub(super) fn inlines(&self, inst: Inst) -> bool {
        self.inlined.is_some_and(|inlined| inlined.depth[inst] > 0)
    }

    /// An inlined instruction, in the shortest form that has all its attributes.
    pub(super) fn inlined(&mut self, inst: Inst) {
        let Some((func, body)) = self.func else { return };
        let data = body.inst(inst);
        let own = Link::Def(Anchor::Inst(func, inst));
        let attrs = data.attrs.as_slice();
        let only = match attrs {
            [attr] => Some(attr.value as usize),
            _ => None,
        };
        match (data.op, only, &data.args[..]) {
            (Op::Basic(BasicOp::Const), Some(value), []) => {
                let bits = self.module.bits_of(Const::from_index(value));
                self.scratch.clear();
                crate::consts::spell(&mut self.scratch, &bits);
                self.out.put(Class::Number, &self.scratch, own);
            }
            (Op::Basic(BasicOp::Global), Some(value), []) => {
                let global = Global::from_index(value);
                let name = self.module.global(global).and_then(|data| data.name);
                self.spell_entity('&', value, name);
                self.owned(own, Link::Use(Anchor::Global(global)));
            }
            (Op::Deref(DerefOp::Var) | Op::Ptr(PtrOp::Var), Some(value), []) => {
                let var = Var::from_index(value);
                let name = self.module.var(var).and_then(|data| data.name);
                self.spell_entity('$', value, name);
                self.owned(own, Link::Use(Anchor::Var(var)));
            }
            (Op::Deref(DerefOp::Field), Some(field), &[base]) => {
                self.value_use(base);
                self.out.put(Class::Punct, ".", own);
                self.number(field as u64);
            }
            (Op::Deref(DerefOp::Elem), None, &[base, index]) if attrs.is_empty() => {
                self.value_use(base);
                self.out.put(Class::Punct, "[", own);
                self.value_use(index);
                self.punct("]");
            }
            _ => {
                self.out.put(Class::Punct, "(", own);
                self.operation(inst);
                self.punct(")");
            }
        }
    }

    /// The id in `scratch`: its sigil belongs to the inlined instruction, the rest is a link to the entity.
    fn owned(&mut self, own: Link, entity: Link) {
        let (sigil, rest) = self.scratch.split_at(1);
        self.out.put(Class::Name, sigil, own);
        self.out.put(Class::Name, rest, entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Plain, parse};
    use vitrine_ir::Func;

    const TEXT: &str = "\
struct #S_0 {block} {
  a: f32 {offset 0}
  b: [f32 * 8 step 4] {offset 16}
}

storage $s_0: #S_0 {set 0, binding 0}

func @0(%0: b32) tree {
^0:
  %1 = deref.var $s_0
  %2 = deref.field %1.1
  %3 = deref.elem %2, %0
  %4: b32 = load %3
  %5: b32 = const 0.5
  %6: b32 = const 2.0
  %7 = fadd %4, %5
  %8 = fmul %7, %6
  %9 = fmul %8, %6
  %10 = store %3, %9
  %11 = deref.var $s_0
  %12 = deref.field %11.0
  %13 = store %12, %9
  %14: b1 = const true
  if !0 %14 {
  ^1:
    next
  } else {
  ^2:
    next
  }
^3:
  return
}
";

    fn printed(text: &str) -> String {
        let parsed = parse(text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        let (module, func) = (parsed.module, Func::from_index(0));
        let body = module.func(func).unwrap();
        let nesting = Nesting::of(body);
        let inlined = Inlined::of(body, &nesting);
        let mut out = Plain::default();
        for block in body.blocks_in_order() {
            Printer::new(&module, Options::default(), &mut out)
                .inlining(Some(&inlined))
                .one_block(func, block, &nesting);
        }
        out.finish()
    }

    #[test]
    fn a_single_use_is_inlined_and_other_values_have_lines() {
        let text = printed(TEXT);
        let wanted = "\
^0:
  %3: path = deref.elem $s_0.1, %0
  %4: b32 = load %3
  %6: b32 = const 2.0
  %7: b32 = fadd %4, 0.5
  %8: b32 = fmul %7, %6
  %9: b32 = fmul %8, %6
  %10 = store %3, %9
  %13 = store $s_0.0, %9
  if true
^1:
  next
^2:
  next
^3:
  return
";
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_long_address_is_printed_in_parts_and_other_attributes_are_kept() {
        let steps: String = (2..12)
            .map(|at| format!("  %{at} = deref.cast %{} {{type f32, mode storage}}\n", at - 1))
            .collect();
        let text = format!(
            "storage $s_0: f32 {{set 0, binding 0}}\n\nfunc @0(%0: b32) graph {{\n^0:\n  %1 = deref.var $s_0\n{steps}  %12 = store %11, %0\n  return\n}}\n"
        );
        let text = printed(&text);
        assert_eq!(text.matches("deref.cast").count(), 10, "{text}");
        // The steps 5 and 10 have lines of their own; the address of the store is 11.
        let lines: Vec<&str> =
            text.lines().map(|line| line.trim().split(' ').next().unwrap_or_default()).collect();
        assert_eq!(lines, ["^0:", "%5:", "%10:", "%12", "return"], "{text}");
    }
}
