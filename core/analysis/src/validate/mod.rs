//! The validator: guarantees that other code may rely on for every program that passes it.
//!
//! The list of checks comes first, as data ([`CHECKS`]); the page shows it, tests iterate over it, and every
//! file of this folder implements one group. Errors are collected, never thrown; a check that depends on
//! another one that failed is skipped, so that every report is accurate. No input makes the validator panic,
//! recurse or hang. It costs a few passes over the program: 3 to 5 million instructions per second.
//!
//! Three rules are decided here and nowhere else:
//!
//! * A use in an unreachable block may refer to any value of the function that is not defined later in the
//!   same block: there is no path on which the value could be undefined.
//! * `next` into an `if`, a `switch` or a labeled block passes nothing: their regions have a single
//!   predecessor, so their first blocks have no parameters. The same holds for the entry block, which no
//!   terminator of a graph may target.
//! * Stages are known only if an entry point reaches the function; a function that is never called may
//!   contain any operation.

#[rustfmt::skip] // A table: one line per check.
checks! {
    Shape "Structure of blocks, nodes and terminators" {
        E001 HAS_ENTRY "A graph has an entry block, and a tree is a region of the function";
        E002 IN_TABLES "Every block, node, region and instruction of a body is in the tables of its function";
        E003 BLOCK_ONCE "Every block occurs in exactly one place";
        E004 NODE_ONCE "Every node occurs in exactly one place";
        E005 REGION_ONCE "Every region belongs to exactly one node, or is the root";
        E006 INST_ONCE "Every instruction and every parameter occurs in exactly one place";
        E007 NOT_CHECKED "A note for a function with invalid structure: its edges and scope were not checked";
        E008 TERMINATOR_OF_SHAPE "A tree uses `next`, `break`, `continue`, a graph uses `goto`, `branch`, `switch`; both use `return`, `stop`";
        E009 NEXT_BEFORE_NODE "A block directly before a node ends in `next`";
        E010 BREAK_ENCLOSING "`break` names an enclosing node";
        E011 CONTINUE_LOOP "`continue` names an enclosing loop, and is not in the continuing region of that loop";
        E012 ROOT_ENDS "The last block of a tree does not end in `next`";
        E013 ONE_DEFAULT "A switch has exactly one default";
        E014 CASE_VALUES "The values of a switch are distinct, and each fits the selector";
        E015 CASE_EMPTY "A case has a value, or is the default";
        E016 HINT_PLACE "A hint occurs in a graph and names blocks of it";
        E017 TARGET_PLACED "A terminator of a graph targets blocks of that graph";
        E018 ENTRY_NO_TARGET "No terminator targets the entry block";
    }

    Edges "Values that pass between blocks" {
        E030 PARAM_IS_PARAM "The parameters of a function or a block are `param` instructions";
        E031 EDGE_COUNT "An edge passes as many values as its target has parameters";
        E032 EDGE_TYPE "An edge passes values of the types its target has";
        E033 HEAD_WITHOUT_PARAMS "The entry block and the first blocks of `if`, `switch` and `block` regions have no parameters";
        E034 PARAM_AMONG_PARAMS "`param` occurs only in the parameter list of a function or block";
        E035 RETURN_FITS "A returned value has the return type of the function";
    }

    Typing "Types, attributes and operands of instructions" {
        E040 OPERAND_COUNT "An operation has the number of operands that its table entry requires";
        E041 OPERAND_TYPE "Every operand has a type that the table entry accepts";
        E042 RESULT_TYPE "The result has a type that the table entry accepts";
        E043 OPERAND_VALUE "An operand yields a value";
        E044 COMPONENT_COUNT "A value has 1, 2, 3, 4, 5, 8 or 16 components";
        E045 ATTR_MISSING "All attributes that the table entry requires are present";
        E046 ATTR_FOREIGN "Only attributes that the table entry, or the kind of entity, allows are present";
        E047 ATTR_VALUE "The value of an attribute is valid: a word of its list, an existing entity, a power of two";
        E048 FLAGS_FIT "Float flags occur on float arithmetic, wrapping flags on integer arithmetic";
        E049 CONDITION_TYPE "A condition is a scalar boolean, a selector a scalar integer";
        E050 CONSTANT_TYPE "`const` and `global` yield the type of the constant";
        E051 COMPONENT_SUM "`vec` has as many components as all its operands together";
        E052 COMPONENT_RANGE "`swizzle` and `shuffle` select components that their operands have";
        E053 REPACK_SIZE "`repack` yields as many bits as its operand has";
        E054 REGISTER_FITS "A register is declared, and is used according to its type and as a plain register or an array";
        E055 MASK_FITS "A mask selects components of the written value";
        E056 CALL_FITS "A call matches the signature of its callee, which is not an entry point";
        E057 REDUCTION_FITS "A reduction supports its operand type, and has `cluster` exactly if it is clustered";
        E058 ROLES_FIT "Each operand of an image operation has one role that the operation takes; roles are distinct and complete";
        E059 ROLE_TYPES "Operands and result of an image operation have the component counts that their roles and the dimension require";
    }

    Scope "Uses of values" {
        E060 OPERAND_PLACED "An operand is an instruction or parameter of the function";
        E061 DOMINATED "A definition dominates its uses";
        E062 LOCAL_OWNER "A local variable is used only in its own function";
    }

    Memory "Types of paths, and accesses to memory" {
        E065 STEP_FITS "A step of a path fits the type it is applied to";
        E066 PATH_TYPE_STATED "A path that does not result from a step states the type it points at";
        E067 LOAD_FITS "A load yields the type in memory, which is a single value";
        E068 STORE_FITS "A store writes the type in memory, which is a single value";
        E069 WRITABLE "Read-only memory is not written";
        E070 COPY_FITS "A copy has equal types on both sides, except for strides, offsets and signs";
        E071 ALL_IN_COPIES "`deref.all` is used only by copies";
        E072 ATOMIC_FITS "Atomics operate on integers and floats, in memory that invocations share";
        E073 ARRAY_LEN "`array_len` operates on a run-time array";
        E074 CAST_MODE "A cast keeps the mode, or converts to or from `generic`";
        E075 PATH_FORWARDED "A forwarded path points at the type that the receiver states";
        E076 PATH_OFFSET "Only accesses through untyped pointers have a byte offset";
        E077 IMAGE_TYPE "An image operation fits the type of its image, if that is known";
        E078 INTERPOLATED_INPUT "Only inputs are interpolated";
        E079 UNTYPED_MEMORY "Only `ptr.var` accesses untyped memory";
    }

    Module "Declarations" {
        E080 STRUCT_CYCLE "A structure does not contain itself, except through a pointer";
        E081 VECTOR_TYPE "A vector has 2, 3, 4, 8 or 16 components of one scalar type";
        E082 MATRIX_TYPE "A matrix has 2, 3 or 4 columns of 2, 3 or 4 floats";
        E083 ARRAY_LENGTH "An array has at least one element, and its length is a number or a scalar integer constant";
        E084 RUNTIME_ARRAY "A run-time array is the last member of a structure or a whole variable";
        E085 IMAGE_DECLARED "The dimension, texel format and sampled type of an image are valid";
        E086 MEMORY_TYPE "Memory has a type that exists";
        E087 CONSTANT_CYCLE "A module constant does not depend on itself";
        E088 CONSTANT_OP "A constant expression is arithmetic on existing constants, and fits its table entry";
        E089 CONSTANT_PARTS "The parts of a constant, and the initializer of a variable, have the declared types";
        E090 VAR_OWNER "A variable has an owner exactly if it is local, and a mode that is valid for variables";
        E091 VAR_INIT "A variable that is written before the shader runs has no initializer";
        E092 ENTRY_POINT "An entry point is a function with a body, without parameters (except in kernels) and without a result";
        E093 INTERFACE "An interface names variables of the module";
        E094 EXEC_MODE "An execution mode exists and has the required number of operands, all of them integers";
        E095 ENTRY_NAMES "Entry points of the same stage have distinct names";
        E096 DECORATED "A decoration applies to an entity that exists";
        E097 RECURSION "No function calls itself, directly or indirectly";
    }

    Stage "Operations that only some stages have" {
        E098 STAGE_OP "An operation is available in every stage that reaches it";
        E099 STAGE_STOP "A `stop` is available in every stage that reaches it";
    }
}

mod diagnostics; // how messages refer to entities

mod shape; // groups of checks, in the order of the list
mod edges;
mod typing;
mod attrs;
mod special;
mod roles;
mod scope;
mod memory;
mod access;
mod types;
mod constants;
mod module;
mod stage;

mod function; // state of the checks of one function
mod reach; // facts about paths
mod whole; // facts about functions, for the end
mod paged;

#[cfg(test)]
mod tests;

use vitrine_ir::base::EntityId;
use vitrine_ir::{Anchor, Diags, Func, Module};

/// A group of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// Its subject.
    pub about: &'static str,
}

/// One check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// The code of its messages. Never reused for another check.
    pub code: &'static str,
    /// Its group.
    pub group: Group,
    /// The property that holds for a valid program, in one sentence.
    pub sentence: &'static str,
}

macro_rules! checks {
    ($($group:ident $about:literal { $($code:ident $name:ident $sentence:literal;)* })*) => {
        $($(#[doc = $sentence] const $name: &str = stringify!($code);)*)*

        /// Every check, in reading order.
        pub const CHECKS: &[Check] = &[$($(Check {
            code: stringify!($code),
            group: Group { name: stringify!($group), about: $about },
            sentence: $sentence,
        },)*)*];
    };
}
use checks;

/// Reports all errors of the module: declarations first, then each function in text order, then properties of
/// the whole module. Empty if and only if the module is valid.
pub fn validate(module: &Module) -> Diags {
    let mut diags = Diags::new();
    let mut types = types::Types::new(module);
    module::check(module, &mut types, &mut diags);
    let mut whole = whole::Whole::default();
    for (func, body) in module.funcs() {
        function::check(module, func, body, &mut types, &mut whole, &mut diags);
    }
    stage::check(module, &whole, &mut diags);
    diags
}

/// Reports all errors of one function, assuming that declarations and other functions are correct. Properties
/// of the whole module, recursion and stages, are left to [`validate`].
pub fn validate_func(module: &Module, func: Func) -> Diags {
    let mut diags = Diags::new();
    if let Some(body) = module.func(func) {
        let mut types = types::Types::new(module);
        function::check(module, func, body, &mut types, &mut whole::Whole::default(), &mut diags);
    }
    diags
}
