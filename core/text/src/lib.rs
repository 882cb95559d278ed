//! The text form of the IR: printing, parsing, and the sinks that all text is written to.
//!
//! ```text
//! module capability "Shader"                              facts about the module
//! module memory "GLSL450"
//!
//! struct #Light_0 {block} {                               structures; members may have attributes
//!   color: f32x4 {offset 0}
//!   spots: [f32x4 * 8 step 16] {offset 16}
//! }
//!
//! const &size_0: b32 = spec 8 {spec_id 0}                 module constants
//! const &twice_1: b32 = imul &size_0, 2
//! const &table_2 = parts [f32 * 2] (1.0, 2.5)
//!
//! uniform $lights_0: #Light_0 {set 0, binding 1}          variables; the first word is the mode
//! out $color_1: f32x4 {location 0}
//! private $seen_2: u32 = 0
//!
//! entry fragment "main" @main_0 ($color_1) {origin_upper_left}
//!
//! func @main_0() tree {                                   functions: `graph`, `tree`, or no body at all
//!   local $sum_3: f32x4                                   local variables and registers come first
//!   reg ~0: b32x4
//! ^0:
//!   %0: b32 = const 8
//!   %1: path = deref.var $lights_0
//!   %2: path = deref.field %1.1
//!   loop !0(%0) {                                         the arguments are those of the block before
//!   ^1(%i_3: b32):
//!     %4: path = deref.elem %2, %i_3
//!     %5: b32x4 = load %4 {align 16}
//!     %6: b32x3 = swizzle %5.xyz
//!     %7: b1 = ieq %i_3, %0
//!     if !1 %7 {
//!     ^2:
//!       break !0
//!     } else {
//!     ^3:
//!       next
//!     }
//!   ^4:
//!     next
//!   } continuing {
//!   ^5:
//!     %8: b32 = const 1
//!     %9: b32 = iadd nsw %i_3, %8                         flags follow the operation
//!     next(%9)
//!   }
//! ^6:
//!   switch !2 %0 {
//!     case 1, 2 {
//!     ^7:
//!       next
//!     }
//!     default {
//!     ^8:
//!       stop discard
//!     }
//!   }
//! ^9:
//!   block !3 {
//!   ^10:
//!     break !3
//!   }
//! ^11:
//!   return
//! }
//!
//! func @pick_1(%0: b1, %1: b32) -> b32 graph {
//! ^0:
//!   hint ^2 {hint flatten}                                merge block, and continue target for a loop
//!   branch %0, ^1, ^2(%1)
//! ^1:
//!   goto ^2(%1)
//! ^2(%2: b32):
//!   switch %2 {0, 1: ^3, 2: ^4, default: ^3}
//! ^3:
//!   return %2
//! ^4:
//!   stop unreachable
//! }
//!
//! decorate $color_1 5634 (1, 2) "text"                    decorations that pass through unchanged
//!
//! debug 0 = source file "light.frag"                      the debug table: an entry refers to earlier ones by number
//! debug 1 = unit version 1, dwarf 4, source 0, language 2
//! debug 2 = basic name "float", size 32, encoding 3, flags 0
//! debug 3 = function_type flags 3, params 2 2             a function without a result; lists need no commas
//! debug 4 = function name "main", type 3, source 0, line 1, column 0, parent 1, linkage "main", flags 3, scope_line 1
//! debug 5 = local name "sum", type 2, source 0, line 2, column 0, parent 4, flags 4
//! debug @main_0 = 4                                       the entry of a function
//! debug $sum_3 = 5 in 4                                   the variable of the source, and the scope of its declaration
//! debug @main_0 %9 = 5 value 0 of 1                       a value that it holds; `-> 5` for an address of it
//! ```
//!
//! * An id is a sigil and a number; a name may be inserted between them, joined by `_`: `%sum_12` is value
//!   12. Only the number identifies the entity; the name counts only at the definition. A name that is not a
//!   plain word is quoted at the definition: `out $3 "my color": f32x4`.
//! * Types of values are bits and components: `b32x4`, `b1`, `path`, `ptr`, `handle`. `f32x4` is parsed as
//!   `b32x4`. Types of memory state an interpretation: `f32x4`, `[u32 * 4 step 16]`,
//!   `mat<f32x4 * 4 step 16>`, `ptr<storage, #Node_0>`, `image<2d f32 arrayed>`.
//! * Constants are bits: `1.0` in 32 bits is `0x3f800000`. The printer chooses the most readable spelling
//!   (`consts`); each spelling parses to the same bits.
//! * An instruction of SPIR-V that the IR has no operation for is written by its name with all its operands:
//!   `spirv.OpTraceRayKHR %4, %7 as u, 255`. After `as`, a letter states how a value is read: `u` unsigned, `i` signed,
//!   `f` float. `spirv.raw` states the same by attributes.
//! * `;` begins a comment. The result type may be omitted if preceding operands determine it.
//! * Nesting deeper than 32 levels is not indented further, so that text stays linear in the program.

#![forbid(unsafe_code)]

mod sink; // start here: the elements of text
mod sinks;
mod spans;

mod consts;
mod raw; // SPIR-V instructions by name
mod print;

mod lex;
mod usage; // how the uses of memory are written
mod parse;
mod source_map;

#[cfg(test)]
mod tests;

pub use consts::{read_component, spell, spell_component};
pub use lex::{Lexeme, lexemes, vocabulary};
pub use parse::{Parsed, parse, parse_like};
pub use print::{Inlined, Options, Printer};
pub use sink::indent;
pub use sink::{Class, Fold, Link, Sink};
pub use sinks::{Ansi, Html, Plain, html_id};
pub use source_map::{AsmLine, SourceMap, caret};
pub use spans::{Spans, WORDS_PER_RUN};

use vitrine_ir::{Func, Module, Type};

/// Prints a module in canonical form.
pub fn print_module(module: &Module) -> String {
    print_with(module, Options::default())
}

/// Prints a module with options.
pub fn print_with(module: &Module, options: Options) -> String {
    let mut out = Plain::new();
    Printer::to_any(module, options, &mut out).module();
    out.finish()
}

/// Prints a type as it stands in the text.
pub fn print_type(module: &Module, ty: Type) -> String {
    let mut out = Plain::new();
    Printer::to_any(module, Options::default(), &mut out).full_type(ty);
    out.finish()
}

/// Prints one function in canonical form; empty for an id that is not declared.
pub fn print_func(module: &Module, func: Func) -> String {
    let mut out = Plain::new();
    if let Some(body) = module.func(func) {
        Printer::to_any(module, Options::default(), &mut out).function(func, body);
    }
    out.finish()
}
