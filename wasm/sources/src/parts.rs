//! Pointers to parts of variables as arguments of calls, which naga accepts and its writer of SPIR-V does not have.
//!
//! ```text
//! f(&a[i]);      =>      var part = a[i];  f(&part);  a[i] = part;
//! ```
//!
//! The same as long as the function does not access the part through another pointer, which WGSL forbids if it writes ("alias analysis").

use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Span,
    Statement, Type, TypeInner,
};

/// What of a module a rewritten function needs.
struct Known {
    /// For every function, the pointees of its parameters that are pointers.
    params: Vec<Vec<Option<Pointee>>>,
}

/// The type that a pointer refers to, and its address space.
type Pointee = (Handle<Type>, AddressSpace);

/// Passes copies of parts of variables to functions, and copies the results back. Returns true if there were any: the module
/// must be validated again. Linear; recursive over statements, as naga is.
pub(crate) fn copied(module: &mut Module) -> bool {
    let pointee = |ty: Handle<Type>| match module.types[ty].inner {
        TypeInner::Pointer { base, space: space @ (AddressSpace::Function | AddressSpace::Private) } => {
            Some((base, space))
        }
        _ => None,
    };
    let params = |function: &Function| function.arguments.iter().map(|of| pointee(of.ty)).collect();
    let known = Known { params: module.functions.iter().map(|(_, function)| params(function)).collect() };
    let globals = &mut module.global_variables;
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    let mut any = false;
    for function in functions.chain(entries) {
        let body = std::mem::take(&mut function.body);
        let mut add = |base, space, span| match space {
            AddressSpace::Private => Expression::GlobalVariable(globals.append(
                GlobalVariable {
                    name: Some("part".to_owned()),
                    space: AddressSpace::Private,
                    binding: None,
                    ty: base,
                    init: None,
                    memory_decorations: naga::MemoryDecorations::empty(),
                },
                span,
            )),
            _ => {
                let local = LocalVariable { name: Some("part".to_owned()), ty: base, init: None };
                Expression::LocalVariable(function.local_variables.append(local, span))
            }
        };
        let mut job =
            Job { known: &known, expressions: &mut function.expressions, add: &mut add, any: false };
        function.body = job.block(body);
        any |= job.any;
    }
    any
}

/// The rewriting of one function.
struct Job<'a> {
    known: &'a Known,
    expressions: &'a mut naga::Arena<Expression>,
    /// Makes a variable, and returns the expression for it.
    add: &'a mut dyn FnMut(Handle<Type>, AddressSpace, Span) -> Expression,
    any: bool,
}

impl Job<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        for (statement, span) in block.span_into_iter() {
            match statement {
                Statement::Call { function, mut arguments, result } => {
                    let mut after = Block::new();
                    for (at, argument) in arguments.iter_mut().enumerate() {
                        let param = self.known.params.get(function.index()).and_then(|params| params.get(at));
                        if let Some((base, space)) =
                            param.copied().flatten().filter(|_| self.is_part(*argument))
                        {
                            let part = self.expressions.append((self.add)(base, space, span), span);
                            self.copy(*argument, part, span, &mut out);
                            self.copy(part, *argument, span, &mut after);
                            *argument = part;
                            self.any = true;
                        }
                    }
                    out.push(Statement::Call { function, arguments, result }, span);
                    out.append(&mut after);
                }
                Statement::Block(inner) => out.push(Statement::Block(self.block(inner)), span),
                Statement::If { condition, accept, reject } => {
                    let (accept, reject) = (self.block(accept), self.block(reject));
                    out.push(Statement::If { condition, accept, reject }, span);
                }
                Statement::Switch { selector, mut cases } => {
                    for case in &mut cases {
                        case.body = self.block(std::mem::take(&mut case.body));
                    }
                    out.push(Statement::Switch { selector, cases }, span);
                }
                Statement::Loop { body, continuing, break_if } => {
                    let (body, continuing) = (self.block(body), self.block(continuing));
                    out.push(Statement::Loop { body, continuing, break_if }, span);
                }
                other => out.push(other, span),
            }
        }
        out
    }

    /// Returns true for a pointer to an element, a member or a component.
    fn is_part(&self, pointer: Handle<Expression>) -> bool {
        matches!(self.expressions[pointer], Expression::Access { .. } | Expression::AccessIndex { .. })
    }

    fn copy(&mut self, from: Handle<Expression>, to: Handle<Expression>, span: Span, out: &mut Block) {
        let value = self.expressions.append(Expression::Load { pointer: from }, span);
        out.push(Statement::Emit(naga::Range::new_from_bounds(value, value)), span);
        out.push(Statement::Store { pointer: to, value }, span);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, translate};

    #[test]
    fn a_part_of_a_variable_is_passed_as_a_copy() {
        let text = "struct S { a: array<vec2f, 3> }\nvar<private> kept: S;\n\
                    fn add(to: ptr<function, f32>, other: ptr<private, vec2f>) -> f32 {\n*to += 1.0; (*other).x = *to; return *to;\n}\n\
                    @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {\n\
                    var m: mat2x2f;\nvar whole = 2.0;\nfor (var k = 0u; k < i; k++) {\nif (k > 1) { whole += add(&m[k].x, &kept.a[k]); }\n}\n\
                    _ = add(&whole, &kept.a[1]);\n}\n";
        // `m[k].x` is a component, of which WGSL has no address.
        assert!(translate(text, "a.wgsl", &Options::default()).is_err());
        let text = text.replace("m: mat2x2f", "m: array<f32, 4>").replace("&m[k].x", "&m[k]");
        let done = translate(&text, "a.wgsl", &Options::default()).expect("it is read");
        assert!(done.words.len() > 100 && done.notes.is_empty());
    }
}
