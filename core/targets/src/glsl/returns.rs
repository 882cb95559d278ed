//! The end of a function that returns a value on no path: it ends the invocation, or never ends.
//!
//! ```text
//! float f() {
//!     discard;
//!     return 0.0;     // is never executed
//! }
//! ```
//!
//! Compilers of GLSL reject a function with a result that has no `return` with a value.

use crate::expr::{Token, space};
use crate::func::FuncWriter;
use crate::stmt::Stmt;
use vitrine_ir::ops::Bits;
use vitrine_ir::{Anchor, Terminator};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// Appends a return of zeros to a function with a result in which nothing returns one.
    pub(super) fn glsl_last_return(&mut self) {
        let Some(ty) = self.w.signature(self.func).result else { return };
        let returns = |block| matches!(self.body.terminator(block), Terminator::Return(Some(_)));
        if self.body.blocks_in_order().into_iter().any(returns) {
            return;
        }
        let mut tokens = vec![Token::linked(Class::Keyword, "return", Anchor::Func(self.func)), space()];
        tokens.extend(self.w.bits_tokens(&Bits::zero(ty.width, ty.components), ty.kind));
        self.push(Stmt::Exit(tokens));
    }
}
