//! The debug table of a module, and the words for the place of an instruction in the source.

use super::debug::with_binding;
use super::{Binding, DebugFrame, DebugTable, Func, Inst, Module, Origin};

impl Module {
    /// The debug table.
    pub fn debug(&self) -> &DebugTable {
        &self.debug
    }

    /// The debug table, for additions.
    pub fn debug_mut(&mut self) -> &mut DebugTable {
        &mut self.debug
    }

    /// The line of an instruction with its function, then those of the calls that it was inlined by, innermost first.
    pub fn frames(&self, origin: Origin) -> Vec<DebugFrame> {
        self.debug.frames(origin.line, origin.scope)
    }

    /// Binds a variable of the source to a value of a function. Returns false if one of them does not exist.
    pub fn bind_value(&mut self, func: Func, value: Inst, binding: Binding) -> bool {
        let is_known = self.func(func).is_some_and(|body| body.tables().insts.contains(value));
        if !is_known || !self.debug.is_binding(binding) {
            return false;
        }
        if let Some(body) = self.body_mut(func) {
            let all = with_binding(&body.bindings.get(value).cloned().flatten(), binding);
            body.set_bindings(value, all);
            body.touch_data();
        }
        true
    }

    /// The position of an instruction in the words of a reader: "line 12 in `shade`, inlined at line 40 in `main`". Empty
    /// for an origin without a scope.
    pub fn describe_scope(&self, origin: Origin) -> String {
        let mut out = String::new();
        for (at, frame) in self.frames(origin).into_iter().enumerate() {
            let place = match (at, frame.line) {
                (0, 0) => String::new(),
                (0, line) => format!("line {line} "),
                (_, line) => format!(", inlined at line {line} "),
            };
            let function =
                frame.function.map_or("the module".to_owned(), |name| format!("`{}`", self.text_of(name)));
            out.push_str(&format!("{place}in {function}"));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Debug, DebugArg, DebugField, DebugKind};

    fn function(module: &mut Module, name: &str) -> Debug {
        use DebugArg::{Entry, Number};
        let (file, name) = (module.text("a.comp"), DebugArg::Text(module.text(name)));
        let table = module.debug_mut();
        let source = Entry(table.add(DebugKind::Source, vec![DebugArg::Text(file)]).unwrap());
        let unit = vec![Number(1), Number(4), source, Number(2)];
        let unit = Entry(table.add(DebugKind::Unit, unit).unwrap());
        let ty = Entry(table.add(DebugKind::FunctionType, vec![Number(3), DebugArg::None]).unwrap());
        let args = vec![name, ty, source, Number(1), Number(0), unit, name, Number(3), Number(1)];
        table.add(DebugKind::Function, args).unwrap()
    }

    #[test]
    fn inlining_extends_the_outer_end_of_a_chain() {
        let mut module = Module::new();
        let [shade, light, main] = ["shade", "light", "main"].map(|name| function(&mut module, name));
        let table = module.debug_mut();
        let in_light = table.inlined(shade, 7, Some(light)).unwrap();
        let in_main = table.inlined(in_light, 40, Some(main)).unwrap();
        assert_eq!(table.inlined(in_light, 40, Some(main)), Some(in_main), "equal chains have one id");
        assert_eq!(table.inlined(in_light, 40, None), Some(in_light), "a call that a compiler made");
        let origin = Origin { line: 12, scope: Some(in_main), ..Origin::default() };
        let wanted = "line 12 in `shade`, inlined at line 7 in `light`, inlined at line 40 in `main`";
        assert_eq!(module.describe_scope(origin), wanted);
    }

    #[test]
    fn operands_of_other_kinds_are_refused() {
        let mut module = Module::new();
        let main = function(&mut module, "main");
        let table = module.debug_mut();
        let (len, number) = (table.len(), DebugArg::Number);
        assert_eq!(
            table.add(DebugKind::Vector, vec![DebugArg::Entry(main), number(3)]),
            Err(DebugField::Of),
            "a function is no basic type"
        );
        assert_eq!(table.add(DebugKind::Source, vec![number(1)]), Err(DebugField::File));
        assert_eq!(table.add(DebugKind::Source, vec![]), Err(DebugField::File));
        assert_eq!(table.add(DebugKind::Qualified, vec![DebugArg::None, number(0)]), Err(DebugField::Of));
        assert_eq!(table.len(), len);
    }
}
