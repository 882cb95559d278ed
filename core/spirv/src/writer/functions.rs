//! Functions: each is written block by block in the order of the tree, then its words are joined.
//!
//! Phis and local variables precede their uses, so both are kept separately until the function is complete.

use super::diagnostics::SHAPE;
use super::function::FunctionWriter;
use super::module::Writer;
use super::shared::{Phis, Slot};
use super::uses::Uses;
use super::words::Words;
use crate::FUNC_HINTS;
use crate::spec::{Decoration as D, Op as S, StorageClass as C};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::Types;
use vitrine_analysis::exits::{Target, exits_fit, one_trip_form};
use vitrine_ir::ops::FuncHints;
use vitrine_ir::{Anchor, Diag, Func, FuncBody, Help, Nesting, Origin, Shape};

/// Writes every function, declarations first as the layout of a module requires.
pub(super) fn write_functions(writer: &mut Writer<'_>) -> Result<(), Diag> {
    let module = writer.module;
    for declared in [true, false] {
        for (func, body) in module.funcs() {
            if matches!(body.shape(), Shape::Declaration) == declared {
                write_function(writer, func, body)?;
            }
        }
    }
    Ok(())
}

fn write_function<'a>(writer: &mut Writer<'a>, func: Func, body: &'a FuncBody) -> Result<(), Diag> {
    if matches!(body.shape(), Shape::Graph(_)) {
        let diag = Diag::error(SHAPE, Anchor::Func(func)).names(func, Anchor::Func(func));
        return Err(diag
            .says("is in graph form, but SPIR-V is written from trees")
            .help(Help::text("run").pass("structurize").then("first")));
    }
    exits_fit(writer.module, func, Target::Spirv)?;
    let types = writer.cx.get::<Types>(writer.module, func);
    let mut function = FunctionWriter {
        func,
        body,
        types,
        uses: Uses::of(body),
        nesting: Nesting::of(body),
        slots: vec![Slot::Empty; body.tables().insts.len()],
        places: FxHashMap::default(),
        handles: FxHashMap::default(),
        image_handles: FxHashMap::default(),
        regs: FxHashMap::default(),
        vars: Words::default(),
        code: Words::default(),
        phis: Phis::default(),
        labels: FxHashMap::default(),
        loop_labels: FxHashMap::default(),
        skipped: FxHashSet::default(),
        one_trips: one_trip_form(body),
        here: 0,
        combined: FxHashMap::default(),
        line: Origin::default(),
        is_debug_line: false,
        debug_head: Words::default(),
        held: FxHashSet::default(),
        steps: Vec::new(),
        writer,
    };
    function.write()
}

impl<'a> FunctionWriter<'_, 'a> {
    fn write(&mut self) -> Result<(), Diag> {
        let signature = self.writer.signature(self.func)?;
        let id = self.writer.funcs.get(&self.func).copied().unwrap_or(0);
        let hints = self.body.attrs().words::<FuncHints>();
        let control =
            FUNC_HINTS.iter().filter(|(_, hint)| hints.has(*hint)).fold(0, |control, (bit, _)| control | bit);
        let mut head = Words::default();
        head.inst(S::Function, &[signature.result, id, control, signature.ty]);
        for (at, &param) in self.body.params().iter().enumerate() {
            let (ty, scalar) = (signature.params[at], signature.scalars[at]);
            let id = self.writer.fresh();
            head.inst(S::FunctionParameter, &[ty, id]);
            self.describe_result(param, id);
            if let Some(at) = self.writer.module.path_type(self.body, param) {
                let is_buffer = self.writer.class(at.mode, at.ty) == C::PhysicalStorageBuffer as u32;
                let holds = self.writer.is_address(at.ty).then_some(D::AliasedPointer);
                let alias = if is_buffer { Some(D::Aliased) } else { holds };
                alias.into_iter().for_each(|alias| self.writer.decorate(id, alias as u32, &[]));
            }
            self.define_param(param, id, ty, scalar)?;
        }
        if !matches!(self.body.shape(), Shape::Declaration) {
            let vars = self.writer.locals.remove(&self.func).unwrap_or_default();
            for &var in &vars {
                self.local(var)?;
            }
            self.debug_head = self.debug_head(&vars);
            self.blocks()?;
            self.splice(&mut head)?;
        }
        head.inst(S::FunctionEnd, &[]);
        self.writer.functions.too_long |= head.too_long;
        self.writer.functions.words.extend_from_slice(&head.words);
        Ok(())
    }
}
