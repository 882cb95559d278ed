//! Prints the debug table: its entries, then the parts of the program that they describe.

use super::{Printer, Section, Sections};
use crate::sink::{Class, Link, Sink};
use vitrine_ir::base::EntityId;
use vitrine_ir::{Anchor, Binding, Debug, DebugArg, DebugEntry, DebugPresence, Func, Held, Inst};

impl<S: Sink + ?Sized> Printer<'_, S> {
    /// The debug table; nothing if it is empty.
    pub(super) fn debug_table(&mut self, sections: &mut Sections) {
        let module = self.module;
        let table = module.debug();
        for (id, entry) in table.entries() {
            sections.begin(self, Section::Debug);
            self.debug_entry(id, entry);
        }
        for (func, entry) in table.bound_funcs().filter(|&(func, _)| module.func(func).is_some()) {
            sections.begin(self, Section::Debug);
            self.out.open_line(0);
            self.keyword("debug ");
            self.func_use(func);
            self.punct(" = ");
            self.number(entry.index() as u64);
            self.out.close_line();
        }
        for (var, bindings) in table.bound_vars().filter(|&(var, _)| module.var(var).is_some()) {
            for &binding in bindings {
                sections.begin(self, Section::Debug);
                self.out.open_line(0);
                self.keyword("debug ");
                self.var_use(var);
                self.binding(" = ", binding);
            }
        }
        for (func, body) in module.funcs().filter(|_| !table.is_empty()) {
            body.params().iter().for_each(|&inst| self.bindings(sections, func, inst));
            for block in body.blocks_in_order() {
                let data = body.block(block);
                let insts = data.params.iter().chain(data.insts.iter());
                insts.for_each(|&inst| self.bindings(sections, func, inst));
            }
        }
    }

    /// An entry: its kind, and its operands by name.
    fn debug_entry(&mut self, id: Debug, entry: &DebugEntry) {
        self.out.open_line(0);
        self.keyword("debug ");
        self.number(id.index() as u64);
        self.punct(" = ");
        self.keyword(entry.kind.name());
        let operands = entry.kind.operands();
        let mut first = true;
        for (at, operand) in operands.iter().enumerate() {
            let args = match operand.presence {
                DebugPresence::List => entry.args.get(at..),
                _ => entry.args.get(at..at + 1).filter(|args| args[0] != DebugArg::None),
            };
            let Some(args) = args.filter(|args| !args.is_empty()) else { continue };
            self.punct(if first { " " } else { ", " });
            first = false;
            self.out.put(Class::Attr, operand.field.name(), Link::None);
            for &arg in args {
                self.plain(" ");
                match arg {
                    DebugArg::None => {}
                    DebugArg::Entry(entry) => self.number(entry.index() as u64),
                    DebugArg::Number(number) => self.number(u64::from(number)),
                    DebugArg::Text(text) => self.quoted(text),
                }
            }
        }
        self.out.close_line();
    }

    fn bindings(&mut self, sections: &mut Sections, func: Func, inst: Inst) {
        let Some(body) = self.module.func(func) else { return };
        for &binding in body.bindings(inst) {
            sections.begin(self, Section::Debug);
            self.out.open_line(0);
            self.keyword("debug ");
            self.func_use(func);
            self.plain(" ");
            let link = Link::Use(Anchor::Inst(func, inst));
            self.entity('%', inst.index(), body.inst_name(inst), Class::Value, link);
            match binding.held {
                Held::Address => self.binding(" -> ", binding),
                Held::Value { .. } => self.binding(" = ", binding),
            }
        }
    }

    /// A variable of the source, and the scope of its declaration; ends the line.
    fn binding(&mut self, relation: &str, binding: Binding) {
        self.punct(relation);
        self.number(binding.variable.index() as u64);
        if let Held::Value { number, of } = binding.held {
            self.keyword(" value ");
            self.number(u64::from(number));
            self.keyword(" of ");
            self.number(u64::from(of));
        }
        if let Some(scope) = binding.scope {
            self.keyword(" in ");
            self.number(scope.index() as u64);
        }
        self.out.close_line();
    }
}
