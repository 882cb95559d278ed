//! The validator: what holds of every program that passes it, and nothing else need be asked.
//!
//! The list of checks comes first, as data ([`CHECKS`]); the page shows it, tests walk it, every file of
//! this folder is one group of it. Errors are collected, never thrown; a check that cannot mean anything
//! because another one failed is left out, so that what is said is true. No input makes it panic, recurse
//! or hang. It costs a few passes over the program: 3 to 5 million instructions a second.
//!
//! Three things are decided here and nowhere else:
//!
//! * A use in a block that cannot be reached may name any value of the function that is not defined later
//!   in the same block: there is no way on which the value could be missing.
//! * `next` into an `if`, a `switch` or a labelled block passes nothing: there is one way into their
//!   regions, so their first blocks have no parameters. The same goes for the entry block, which no exit
//!   of a graph may reach.
//! * Stages are known only where an entry point reaches the function; a function that nobody calls may
//!   hold anything.

#[rustfmt::skip] // A table: one line a check.
checks! {
    Shape "How blocks, nodes and exits are put together" {
        E001 HAS_ENTRY "A graph has a first block, and a tree is a region of the function";
        E002 IN_TABLES "Every block, node, region and instruction of a body is in the tables of its function";
        E003 BLOCK_ONCE "Every block stands in one place";
        E004 NODE_ONCE "Every node stands in one place";
        E005 REGION_ONCE "Every region belongs to one node, or is the root";
        E006 INST_ONCE "Every instruction and every parameter stands in one place";
        E007 NOT_CHECKED "A note where the shape is broken: edges and scope were left out";
        E008 EXIT_OF_SHAPE "A tree is left by `next`, `break`, `continue`, a graph by `goto`, `branch`, `switch`; both by `return`, `stop`";
        E009 NEXT_BEFORE_NODE "A block with a node behind it ends in `next`";
        E010 BREAK_ENCLOSING "`break` names a node around it";
        E011 CONTINUE_LOOP "`continue` names a loop around it, and does not stand in the continuing region of that loop";
        E012 ROOT_ENDS "The last block of a tree does not end in `next`";
        E013 ONE_DEFAULT "A switch has one default";
        E014 CASE_VALUES "A switch names no value twice, and each fits the selector";
        E015 CASE_EMPTY "A case has a value, or is the default";
        E016 HINT_PLACE "A hint stands in a graph and names blocks of it";
        E017 TARGET_PLACED "An exit of a graph leads to blocks of that graph";
        E018 ENTRY_NO_TARGET "No exit leads to the entry block";
    }

    Edges "What flows from block to block" {
        E030 PARAM_IS_PARAM "The parameters of a function or a block are `param` instructions";
        E031 EDGE_COUNT "An edge passes as many values as its target has parameters";
        E032 EDGE_TYPE "An edge passes values of the types its target has";
        E033 HEAD_WITHOUT_PARAMS "The entry block and the first blocks of `if`, `switch` and `block` regions have no parameters";
        E034 PARAM_AMONG_PARAMS "`param` stands among the parameters of a function or block, nowhere else";
        E035 RETURN_FITS "What is returned is what the function says it returns";
    }

    Typing "What an instruction says of itself, and what of its operands" {
        E040 OPERAND_COUNT "An operation has as many operands as its row names";
        E041 OPERAND_TYPE "Every operand is of a type its row admits";
        E042 RESULT_TYPE "The result is of a type its row admits";
        E043 OPERAND_VALUE "An operand yields a value";
        E044 LANE_COUNT "A value has 1, 2, 3, 4, 5, 8 or 16 lanes";
        E045 ATTR_MISSING "The attributes a row demands are there";
        E046 ATTR_FOREIGN "There are no attributes but those the row, or the kind of thing, allows";
        E047 ATTR_VALUE "The value of an attribute means something: a word of its list, a thing that exists, a power of two";
        E048 FLAGS_FIT "Float flags stand on float arithmetic, wrapping flags on integer arithmetic";
        E049 CONDITION_TYPE "A condition is one boolean, a selector one integer";
        E050 CONSTANT_TYPE "`const` and `global` yield the type of the constant";
        E051 LANE_SUM "`vec` has as many lanes as its operands together";
        E052 LANE_RANGE "`swizzle` and `shuffle` pick lanes their operands have";
        E053 REPACK_SIZE "`repack` yields as many bits as it takes";
        E054 REGISTER_FITS "A register is declared, used as what it is (plain or array), and in its own type";
        E055 MASK_FITS "A mask names lanes of the value written";
        E056 CALL_FITS "A call fits its callee, which is no entry point";
        E057 REDUCTION_FITS "A reduction fits the type it works on, and has `cluster` if it is clustered";
        E058 ROLES_FIT "Each operand of an image operation has one role the operation knows, none twice, none missing";
        E059 ROLE_TYPES "Operands and result of an image operation have the lanes their roles and the dimension ask for";
    }

    Scope "Where a value may be used" {
        E060 OPERAND_PLACED "An operand is an instruction or parameter of the function";
        E061 DOMINATED "A value is defined before its use on every way to it";
        E062 LOCAL_OWNER "A local variable is used in its own function";
    }

    Memory "What paths point at, and what may be done there" {
        E065 STEP_FITS "A step of a path fits what it steps on";
        E066 PATH_SAYS "A path that does not come from a step says what it points at";
        E067 LOAD_FITS "A load yields what lies there, and that is one value";
        E068 STORE_FITS "A store writes what lies there, and that is one value";
        E069 WRITABLE "Nothing writes where a shader may only read";
        E070 COPY_FITS "A copy is between places of one type, strides, offsets and signs aside";
        E071 ALL_IN_COPIES "`deref.all` leads to copies only";
        E072 ATOMIC_FITS "Atomics work on integers and floats, in memory that lanes share";
        E073 ARRAY_LEN "`array_len` asks a run-time array";
        E074 CAST_MODE "A cast stays in its mode, or leads to or from `generic`";
        E075 PATH_HANDED_ON "A path handed on points at what the receiver says";
        E076 PATH_OFFSET "An offset in bytes stands on accesses through untyped pointers only";
        E077 IMAGE_TYPE "An image operation fits the type of its image, where that is known";
        E078 INTERPOLATED_INPUT "What is interpolated is an input";
        E079 UNTYPED_MEMORY "Only `ptr.var` leads into untyped memory";
    }

    Module "Declarations" {
        E080 STRUCT_CYCLE "A structure does not contain itself, but behind a pointer";
        E081 VECTOR_TYPE "A vector has 2, 3, 4, 8 or 16 lanes of one scalar type";
        E082 MATRIX_TYPE "A matrix has 2, 3 or 4 columns of 2, 3 or 4 floats";
        E083 ARRAY_LENGTH "An array has at least one element, and its length is a number or one integer constant";
        E084 RUNTIME_ARRAY "A run-time array is the last member of a structure or the whole of a variable";
        E085 IMAGE_DECLARED "An image has a dimension, a texel format and a sampled type that exist";
        E086 MEMORY_TYPE "What lies in memory is of a type that exists";
        E087 CONSTANT_CYCLE "A module constant does not depend on itself";
        E088 CONSTANT_OP "A computed constant is arithmetic on constants that exist, and fits its row";
        E089 CONSTANT_PARTS "The parts of a constant, and the initializer of a variable, are of the type there";
        E090 VAR_OWNER "A variable has an owner exactly if it is local, and a mode that variables can have";
        E091 VAR_INIT "A variable that is written before the shader runs has no initializer";
        E092 ENTRY_POINT "An entry point is a function with a body, without parameters (but in kernels) and without a result";
        E093 INTERFACE "An interface names variables of the module";
        E094 EXEC_MODE "An execution mode exists and has as many operands as its row says, all of them integers";
        E095 ENTRY_NAMES "No two entry points of one stage have one name";
        E096 DECORATED "A decoration is on something that exists";
        E097 RECURSION "No function calls itself, not by way of others either";
    }

    Stage "What runs only in some stages" {
        E098 STAGE_OP "An operation runs in a stage that has it";
        E099 STAGE_STOP "A lane is ended in a way that the stage has";
    }
}

mod diagnostics; // how messages name things

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

mod function; // what is carried through a function
mod paged;

#[cfg(test)]
mod tests;

use crate::base::EntityId;
use crate::ir::{Anchor, Diags, Func, Module};

/// A group of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
}

/// One check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// The code that its messages carry. Never given to another check.
    pub code: &'static str,
    /// Its group.
    pub group: Group,
    /// What holds of a program that passes it, in one sentence.
    pub sentence: &'static str,
}

macro_rules! checks {
    ($($group:ident $about:literal { $($code:ident $name:ident $sentence:literal;)* })*) => {
        $($(#[doc = $sentence] const $name: &str = stringify!($code);)*)*

        /// Every check, in the order in which a reader would ask.
        pub const CHECKS: &[Check] = &[$($(Check {
            code: stringify!($code),
            group: Group { name: stringify!($group), about: $about },
            sentence: $sentence,
        },)*)*];
    };
}
use checks;

/// Everything wrong with the module: declarations first, then function by function in text order, then
/// what only the whole can show. Empty if and only if the module is valid.
pub fn validate(module: &Module) -> Diags {
    let mut diags = Diags::new();
    let mut types = types::Types::new(module);
    module::check(module, &mut types, &mut diags);
    let mut whole = stage::Whole::default();
    for (func, body) in module.funcs() {
        function::check(module, func, body, &mut types, &mut whole, &mut diags);
    }
    stage::check(module, &whole, &mut diags);
    diags
}

/// Everything wrong with one function, taking declarations and other functions as they are. What only the
/// whole module can show, recursion and stages, is left to [`validate`].
pub fn validate_func(module: &Module, func: Func) -> Diags {
    let mut diags = Diags::new();
    if let Some(body) = module.func(func) {
        let mut types = types::Types::new(module);
        function::check(module, func, body, &mut types, &mut stage::Whole::default(), &mut diags);
    }
    diags
}
