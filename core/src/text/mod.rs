//! Words: the text form of the IR, printing it, reading it, and the sinks all text goes through.
//!
//! ```text
//! module capability "Shader"                              facts about the whole
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
//!     %9: b32 = iadd nsw %i_3, %8                         flags stand behind the operation
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
//! decorate $color_1 5634 (1, 2) "text"                    decorations carried along
//! ```
//!
//! * An id is a sigil and a number; a name may stand between them, joined by `_`: `%sum_12` is value 12.
//!   The number alone identifies; the name counts where the entity is defined. A name that is not a
//!   plain word is given in quotes at the definition: `out $3 "my color": f32x4`.
//! * Types of values are bits and lanes: `b32x4`, `b1`, `path`, `ptr`, `handle`. `f32x4` is read as
//!   `b32x4`. Types of memory say what they mean: `f32x4`, `[u32 * 4 step 16]`, `mat<f32x4 * 4 step 16>`,
//!   `ptr<storage, #Node_0>`, `image<2d f32 arrayed>`.
//! * Constants are bits: `1.0` in 32 bits is `0x3f800000`. The printer picks the spelling a person would
//!   (`consts`); each spelling reads back to the same bits.
//! * `;` begins a comment. The result type may be left out where the operands fix it and stand above.
//! * Nesting deeper than 32 levels is not indented further, so that text stays linear in the program.

mod sink; // start here: what text is made of
mod sinks;
mod spans;

mod consts;
mod print;

mod lex;
mod usage; // what is said of the bytes of memory
mod parse;
mod source_map;

#[cfg(test)]
mod tests;

pub use consts::{read_component, spell, spell_component};
pub use lex::{Lexeme, lexemes, vocabulary};
pub use parse::{Parsed, parse};
pub use print::{Options, Printer};
pub use sink::{Class, Fold, Link, Sink};
pub use sinks::{Ansi, Html, Plain, html_id};
pub use source_map::{SourceMap, caret};
pub use spans::{Spans, WORDS_PER_RUN};

use crate::ir::{Func, Module};

/// The canonical text of a module.
pub fn print_module(module: &Module) -> String {
    print_with(module, Options::default())
}

/// The text of a module with options.
pub fn print_with(module: &Module, options: Options) -> String {
    let mut out = Plain::new();
    Printer::to_any(module, options, &mut out).module();
    out.finish()
}

/// The canonical text of one function; empty for an id that is not declared.
pub fn print_func(module: &Module, func: Func) -> String {
    let mut out = Plain::new();
    if let Some(body) = module.func(func) {
        Printer::to_any(module, Options::default(), &mut out).function(func, body);
    }
    out.finish()
}
