//! Questions about paths into memory, addresses, loads and stores.

use crate::expr::{Expr, Token, begun};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::ADDRESS;
use crate::number::{Kind, NumberType};
use crate::paths::{ElementStep, PathText, SystemValue};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::{Flags, Width};
use vitrine_ir::{Inst, Mode, Module, Struct, Type, TypeData, Var};

/// What the engine asks about paths into memory, addresses, loads and stores.
pub(crate) trait Access {
    /// The start of a path at a variable of the module that is no system value. A block of system values has no tokens: each
    /// member is a name of its own.
    fn var_path(&self, f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText;

    /// The path of a system value. `None` if the language has none there; the caller refuses it.
    fn system_value(&self, f: &mut FuncWriter<'_, '_>, value: SystemValue) -> Option<PathText>;

    /// The memory that a parameter with a name refers to. By default the name is the memory.
    fn param_path(&self, _f: &mut FuncWriter<'_, '_>, name: Token, ty: Type, mode: Mode) -> PathText {
        PathText::new(begun(name), ty, mode)
    }

    /// Appends a step to a member, of the type `ty`, of a structure. `None` if the member does not exist. By default the step
    /// is the name of the member.
    fn member(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        member: (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        f.named_member(text, member, ty)
    }

    /// Makes a step to an element by code of the language's own, or notes what such a step needs. Returns false if the step
    /// is one by an index. `None` if it was refused.
    fn own_element(&self, f: &mut FuncWriter<'_, '_>, text: &mut PathText, step: ElementStep)
    -> Option<bool>;

    /// The index of a step to an element. By default the index within the number of elements.
    fn index(&self, f: &mut FuncWriter<'_, '_>, text: &PathText, step: ElementStep) -> Expr {
        f.index_in(step.index, text.ty)
    }

    /// The step that each row of a matrix stored by rows makes to the element of a column. `None` if the language has such
    /// matrices, whose columns are elements like others.
    fn column_of_rows(
        &self,
        _w: &mut ModuleWriter<'_>,
        _matrix: &PathText,
        _index: &Expr,
    ) -> Option<Vec<Token>> {
        None
    }

    /// Appends a step to an element by an index. By default the index follows in brackets.
    fn element(&self, f: &mut FuncWriter<'_, '_>, text: &mut PathText, step: ElementStep, index: Expr) {
        f.append_element(text, step, index, Vec::new());
    }

    /// The type of the numbers at a path that begins at a variable, as the variable is declared. By default that of the
    /// program.
    fn number_in(&self, _w: &ModuleWriter<'_>, _root: Option<Var>, ty: NumberType) -> NumberType {
        ty
    }

    /// The number of a type at a path. `None` if it was refused, or if the load is written already. By default it is read by
    /// its path.
    fn loaded(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType) -> Option<Expr> {
        Some(f.loaded_number(inst, text, ty))
    }

    /// Returns true for a store to a system value that the language sets itself. The answer refuses the store of another
    /// value than the language has.
    fn ignores_store(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst) -> bool {
        false
    }

    /// Writes a store by code of the language's own, before its value is an expression, or refuses it. Returns false if
    /// the store is left to the caller.
    fn own_store(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, _text: &PathText) -> bool {
        false
    }

    /// Stores a number to memory that has the type `ty`. By default the path is assigned.
    fn store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType, value: Expr) {
        f.store_number(inst, text, ty, value);
    }

    /// Assigns some components of a value to the same ones of a target. By default all in one assignment.
    fn assign_components(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        target: Expr,
        value: Expr,
        list: &[u8],
    ) {
        f.assign_swizzle(inst, target, value, list);
    }

    /// Writes the number of elements of an array that has no length in its type.
    fn array_length(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText);

    /// The memory that a copy reads, as an expression. By default its path.
    fn copied(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, from: PathText) -> Vec<Token> {
        from.tokens
    }

    /// Returns true if variables of an empty type exist. By default declarations leave them out.
    fn has_empty_types(&self) -> bool {
        false
    }

    /// Returns true for a type that has structures around its elements in buffers, and none elsewhere.
    fn is_wrapped_in_buffers(&self, _w: &mut ModuleWriter<'_>, _ty: Type) -> bool {
        false
    }

    /// Returns true if constants that the host sets are numbers, so that a vector of them is composed where it is used.
    fn composes_constants(&self) -> bool {
        false
    }

    /// The keyword of the declaration of a variable of a function. `None` if its type begins the declaration.
    fn variable_keyword(&self) -> Option<&'static str> {
        None
    }

    /// The physical pointers of the language. `None` if it has none.
    fn pointers(&self) -> Option<&dyn Pointers> {
        None
    }

    /// The places of resources that are used, as text, in a module with one entry point. Resources that the language does not
    /// have are not in the answer.
    fn places(&self, module: &Module, used: &[Var]) -> FxHashMap<Var, String>;
}

/// What the engine asks about physical pointers of a language that has them.
pub(crate) trait Pointers {
    /// The name of the type of a pointer. `None` if the language has no pointers to such memory.
    fn type_name(&self, w: &mut ModuleWriter<'_>, to: Type) -> Option<String>;

    /// The memory of a type that a pointer points at.
    fn memory_at(&self, f: &mut FuncWriter<'_, '_>, pointer: Vec<Token>, to: Type) -> PathText;

    /// A number of 64 bits as a pointer, whose type has a name.
    fn cast(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, type_name: String, bits: Expr) -> Vec<Token>;

    /// Two words, the low one first, as a number of 64 bits.
    fn joined(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, words: Expr) -> Expr;

    /// An address as a number of 64 bits, or as words if `components` is larger than 1.
    fn as_number(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, address: Expr, components: u8) -> Expr;

    /// The memory that is `index` strides after that of a pointer. `None` if the language cannot reach it.
    fn step(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, base: Inst, index: Inst) -> Option<PathText>;

    /// The address of physical memory. `None` if the language cannot take it.
    fn address_of(&self, f: &mut FuncWriter<'_, '_>, text: PathText) -> Option<Expr>;
}

/// Returns true for an index that may differ between the invocations of a subgroup, as the program states.
pub(crate) fn is_nonuniform(f: &FuncWriter<'_, '_>, step: ElementStep) -> bool {
    // A constant is the same for all invocations, whatever it was before.
    f.body.const_of(step.index).is_none()
        && [step.inst, step.index].iter().any(|&inst| f.body.inst(inst).flags.has(Flags::NONUNIFORM))
}

/// An index that may differ between invocations: an argument of the function that marks it, where it selects a resource or
/// an element of an array.
pub(crate) fn marked_index(
    f: &mut FuncWriter<'_, '_>,
    text: &PathText,
    step: ElementStep,
    index: Expr,
    function: &'static str,
) -> Expr {
    let of = f.w.module.type_of(text.ty);
    if text.mode != Mode::Handle && !matches!(of, TypeData::Array { .. } | TypeData::RuntimeArray { .. }) {
        return index;
    }
    let ty = index.ty;
    f.call(step.index, function, vec![index], ty)
}

/// An address as a number, by the function `number`, or as words, by the function `words` of that number.
pub(crate) fn number_of_address(
    f: &mut FuncWriter<'_, '_>,
    inst: Inst,
    address: Expr,
    components: u8,
    [number, words]: [&'static str; 2],
) -> Expr {
    let expr = f.call(inst, number, vec![address], ADDRESS);
    match components {
        1 => expr,
        components => {
            let ty = NumberType::new(Kind::Uint, Width::W32, components);
            f.call(inst, words, vec![expr], ty)
        }
    }
}
