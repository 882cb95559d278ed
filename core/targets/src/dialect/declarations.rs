//! Questions about names, constants, and what a module declares.

use crate::expr::{Token, punct, space};
use crate::layout::is_empty_type;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::layout::Lengths;
use vitrine_ir::ops::{Bits, IntOp, Op, Width};
use vitrine_ir::{Anchor, Global, Module, Type, TypeData, Var};
use vitrine_text::{Class, Link};

/// What the engine asks about names, constants, and what a module declares.
pub(crate) trait Declarations {
    // Names.

    /// Reserves the names that parts of a module must have, before any other name is given. Nothing by default.
    fn reserve_fixed_names(&self, _w: &mut ModuleWriter<'_>) {}

    /// Reserves the names that are made of names of the program, after all of these and before variables without a name
    /// get one. Nothing by default.
    fn reserve_derived_names(&self, _w: &mut ModuleWriter<'_>) {}

    /// The name by which a variable meets one of another stage, in place of its own. `None` if it may have any name, which
    /// is the default.
    fn meeting_name(&self, _w: &ModuleWriter<'_>, _var: Var) -> Option<String> {
        None
    }

    /// The name of the constant of the size of a workgroup, a vector, if the language declares it. `None` by default.
    fn workgroup_size_name(&self) -> Option<&'static str> {
        None
    }

    // Types and declarations.

    /// The name of a type, and the lengths of arrays of it where they follow a name. `None` if there is no such type, which
    /// the caller refuses; `at` is the anchor of what is refused here.
    fn type_parts(&self, w: &mut ModuleWriter<'_>, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)>;

    /// The declaration of a name of any type, without qualifiers. `None` if there is no such type, as in
    /// [`Self::type_parts`]. By default the name with its type, then the lengths.
    fn declaration(
        &self,
        w: &mut ModuleWriter<'_>,
        name: &Rc<str>,
        link: Link,
        ty: Type,
        at: Anchor,
    ) -> Option<Vec<Token>> {
        let (base, dims) = self.type_parts(w, ty, at)?;
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        let mut tokens = self.typed_name(Token::new(Class::Type, base), name);
        tokens.extend(dims);
        Some(tokens)
    }

    /// A name and its type in the order of a declaration: the type is first by default, as in C.
    fn typed_name(&self, ty: Token, name: Token) -> Vec<Token> {
        vec![ty, space(), name]
    }

    /// Returns true if an element of an array of resources may be a variable with a place of its own. False by default.
    fn has_resource_elements(&self) -> bool {
        false
    }

    /// Returns true if a discarded invocation ends at once. It goes on by default: a loop must be left for it.
    fn ends_at_discard(&self) -> bool {
        false
    }

    // Specialization constants.

    /// Returns true if lengths of arrays and sizes of workgroups are literals: specialization constants that they depend on
    /// have their defaults. False by default.
    fn fixes_sizes(&self) -> bool {
        false
    }

    /// The reason why a specialization constant of a width has its default, as words after a colon. `None` if a host may set
    /// it, which is the default.
    fn why_fixed(&self, _width: Width) -> Option<&'static str> {
        None
    }

    /// Changes the kinds of numbers that were inferred for the constants of a module, or adds some, after all of them are.
    /// Nothing by default.
    fn settle_constant_kinds(&self, _w: &mut ModuleWriter<'_>) {}

    /// Returns true if two specialization constants may have one id. False by default.
    fn shares_constant_ids(&self) -> bool {
        false
    }

    /// The remark on the line before a specialization constant with an id. `None` by default.
    fn constant_remark(&self, _w: &ModuleWriter<'_>, _global: Global, _id: u64) -> Option<Line> {
        None
    }

    /// A declaration that is needed before that of a constant which does not have its default. `None` by default.
    fn constant_input(&self, _w: &mut ModuleWriter<'_>, _global: Global) -> Option<Line> {
        None
    }

    /// The tokens before the name and the type of a constant of a module: the attribute with the id by which a host sets it,
    /// and the keyword. `id` is `None` if no host sets it. `None` if it cannot be declared, which was refused.
    fn constant_words(&self, w: &mut ModuleWriter<'_>, global: Global, id: Option<u64>)
    -> Option<Vec<Token>>;

    /// The value of a constant that does not have its default: `default`, or what a host sets in its place. `default` by
    /// default.
    fn constant_value(&self, _w: &mut ModuleWriter<'_>, _global: Global, default: Vec<Token>) -> Vec<Token> {
        default
    }

    // Initializers and expressions of constants.

    /// The form of a composite constant. `is_inside` is true for a part of a structure, `is_zero` if no value of its parts is
    /// stated. `None` if there is no such type: nothing is written.
    fn composite(
        &self,
        w: &mut ModuleWriter<'_>,
        ty: Type,
        is_inside: bool,
        is_zero: bool,
    ) -> Option<Composite>;

    /// The zeros of an array whose length is a specialization constant, which end the initializer; empty if they were
    /// refused. `is_whole` is true if the array is all that is initialized. `None` if its elements are written, as many as
    /// the default of the length, which is the default.
    fn open_zeros(&self, _w: &mut ModuleWriter<'_>, _is_whole: bool) -> Option<Vec<Token>> {
        None
    }

    /// Refuses the components of a constant of a module that cannot be written, and declares the extensions of literals
    /// beyond that of their type. `scalar` is their type. Nothing by default.
    fn admit_components(&self, _w: &mut ModuleWriter<'_>, _bits: &Bits, _scalar: NumberType) {}

    /// Returns true if a constant expression may have vectors as operands of operators, and select their components. False by
    /// default.
    fn computes_constant_vectors(&self) -> bool {
        false
    }

    /// The kind of number that a constant expression shifts by. Signed by default.
    fn constant_count_kind(&self) -> Kind {
        Kind::Int
    }

    /// Changes the operands of a constant expression where they would be computed otherwise. Nothing by default.
    fn settle_constant_operands(&self, _operands: &mut [Vec<Token>]) {}

    /// A constant expression of type `ty` that is more than an operator between or before its operands. `None` if it is no
    /// more. By default a choice is `?:`, and a remainder has the sign of the dividend, as in C.
    fn constant_expression(&self, op: Op, _ty: NumberType, operands: &[Vec<Token>]) -> Option<Vec<Token>> {
        match (op, operands) {
            (Op::Int(IntOp::Select | IntOp::Select1), [cond, a, b]) => Some(constant_choice(cond, a, b)),
            (Op::Int(IntOp::IMod), [a, b]) => Some(constant_remainder(a, b)),
            _ => None,
        }
    }
}

/// The form of a composite constant: a type, a bracket, the parts with commas between them, a bracket.
pub(crate) struct Composite {
    /// The type; empty for a list.
    pub(crate) head: Vec<Token>,
    pub(crate) brackets: [&'static str; 2],
    /// The type that is written, with brackets of its own, around each part of the program; empty for brackets alone.
    pub(crate) around: Option<Rc<str>>,
    pub(crate) parts: Vec<ConstantPart>,
}

impl Composite {
    /// A call of the constructor of a type, which may have lengths, with all parts in order.
    pub(crate) fn constructor(module: &Module, ty: Type, name: String, dims: Vec<Token>) -> Composite {
        let mut head = vec![Token::new(Class::Type, name)];
        head.extend(dims);
        Composite { head, brackets: ["(", ")"], around: None, parts: parts_with_bytes(module, ty) }
    }

    /// A list of parts.
    pub(crate) fn list(parts: Vec<ConstantPart>) -> Composite {
        Composite { head: Vec::new(), brackets: ["{", "}"], around: None, parts }
    }
}

/// A part of a composite constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConstantPart {
    /// The member or the element with an index.
    Own(usize),
    /// The value of a member that the program does not have.
    Filler(&'static str),
}

/// The parts of a constant in order. Members that take no bytes are left out, as declarations of structures leave them out.
pub(crate) fn parts_with_bytes(module: &Module, ty: Type) -> Vec<ConstantPart> {
    let is_shown = |at: &usize| match *module.type_of(ty) {
        TypeData::Struct(id) => module
            .structure(id)
            .and_then(|data| data.members.get(*at))
            .is_some_and(|member| !is_empty_type(module, member.ty)),
        _ => true,
    };
    (0..part_count(module, ty)).filter(is_shown).map(ConstantPart::Own).collect()
}

/// The number of members or elements of a type in a constant.
pub(crate) fn part_count(module: &Module, ty: Type) -> usize {
    match *module.type_of(ty) {
        TypeData::Struct(id) => module.structure(id).map_or(0, |data| data.members.len()),
        // A specialization constant has its default here.
        TypeData::Array { len, .. } => Lengths::of(module, len) as usize,
        _ => module.element_count(ty).unwrap_or(0) as usize,
    }
}

/// The words before a constant: an attribute, and the keyword.
pub(crate) fn attributed(attribute: Option<String>, keyword: &'static str) -> Vec<Token> {
    let mut tokens = Vec::new();
    if let Some(attribute) = attribute {
        tokens.extend([Token::new(Class::Attr, attribute), space()]);
    }
    tokens.extend([Token::new(Class::Keyword, keyword), space()]);
    tokens
}

/// A choice by an operator.
pub(crate) fn constant_choice(cond: &[Token], a: &[Token], b: &[Token]) -> Vec<Token> {
    let mut out = cond.to_vec();
    out.extend(constant_operator("?"));
    out.extend_from_slice(a);
    out.extend(constant_operator(":"));
    out.extend_from_slice(b);
    out
}

/// The remainder of integers with the sign of the divisor, where `%` has that of the dividend.
pub(crate) fn constant_remainder(a: &[Token], b: &[Token]) -> Vec<Token> {
    let mut out = vec![punct("(")];
    out.extend_from_slice(a);
    out.extend(constant_operator("%"));
    out.extend_from_slice(b);
    out.extend(constant_operator("+"));
    out.extend_from_slice(b);
    out.push(punct(")"));
    out.extend(constant_operator("%"));
    out.extend_from_slice(b);
    out
}

/// An operator between two operands of a constant expression.
pub(crate) fn constant_operator(symbol: &'static str) -> [Token; 3] {
    [space(), Token::new(Class::Op, symbol), space()]
}
