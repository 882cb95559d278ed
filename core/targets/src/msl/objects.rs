//! Object functions, which decide how many threadgroups of a mesh function run: task shaders of SPIR-V (Metal Shading Language
//! Specification, 5.1.7).
//!
//! ```text
//! [[object]] void main0(object_data Payload& payload [[payload]], mesh_grid_properties grid, …) {
//!   …
//!   grid.set_threadgroups_per_grid(uint3(count, 1u, 1u));
//!   return;
//! }
//! ```
//!
//! All invocations pass the same size, as the instruction of SPIR-V requires. Refuses the instruction in other functions
//! than the entry point, since it ends the invocation.

use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use vitrine_ir::ops::Key;
use vitrine_ir::{Inst, Mode, Stage, Var};
use vitrine_text::Class;

/// The class of variables that task shaders pass to mesh shaders.
const PAYLOAD: u64 = 5402;

impl ModuleWriter<'_> {
    /// Names the size of the grid of the mesh function.
    pub(super) fn prepare_objects(&mut self) {
        if self.stage == Stage::Task {
            self.own.msl.grid = self.names.fresh("grid", "grid");
            self.own.msl.version = self.own.msl.version.max(30);
        }
    }

    /// Returns true for what an object function passes to the threadgroups of the mesh function.
    pub(super) fn is_object_payload(&self, var: Var) -> bool {
        self.stage == Stage::Task
            && self
                .module
                .var(var)
                .is_some_and(|data| data.mode == Mode::Payload && data.attrs.get(Key::Class) == Some(PAYLOAD))
    }

    /// The parameter of an object function for the size of the grid. `None` for other entry points.
    pub(super) fn grid_parameter(&self) -> Option<Vec<Token>> {
        let ty = Token::new(Class::Type, "mesh_grid_properties");
        (self.stage == Stage::Task)
            .then(|| vec![ty, space(), Token::new(Class::Name, self.own.msl.grid.clone())])
    }
}

impl FuncWriter<'_, '_> {
    /// Starts the threadgroups of the mesh function. The terminator that follows ends the invocation.
    pub(super) fn set_grid(&mut self, inst: Inst) {
        if self.w.own.msl.entry != Some(self.func) || self.w.stage != Stage::Task {
            return self.refuse(inst, "only the entry point of an object function ends there", "");
        }
        let args = self.body.inst(inst).args.clone();
        let parts: Vec<Expr> = args.iter().take(3).map(|&arg| self.value_as(arg, Kind::Uint)).collect();
        let ty = NumberType::scalar(Kind::Uint).with_components(3);
        let size = self.construct(inst, ty, parts);
        let method = Token::linked(Class::Op, "set_threadgroups_per_grid", self.anchor(inst));
        let mut tokens = vec![Token::new(Class::Name, self.w.own.msl.grid.clone()), punct("."), method];
        tokens.push(punct("("));
        tokens.extend(Expr::new(size.tokens, Prec::Postfix, ty).tokens);
        tokens.push(punct(")"));
        self.statement(tokens);
    }
}
