//! A program under judgment: the function that the checks are about, its analyses, and its entities by name.
//!
//! Refuses names that are not in the function, with a sentence. Computes no fact.

use crate::analysis::{Analyses, Analysis, Cfg};
use crate::base::EntityId;
use crate::ir::{Block, Func, FuncBody, Inst, Module, Shape, Var};
use std::rc::Rc;

/// A program and its function.
pub(super) struct Subject {
    pub(super) module: Module,
    pub(super) func: Func,
    analyses: Analyses,
    empty: FuncBody,
}

impl Subject {
    /// A valid program. `function` is a name, or none for that of the first entry point or the first with a body.
    ///
    /// Errors: a sentence if there is no such function.
    pub(super) fn new(module: Module, function: Option<&str>) -> Result<Subject, String> {
        let has_body = |(_, body): &(Func, &FuncBody)| !matches!(body.shape(), Shape::Declaration);
        let named = |body: &FuncBody, name: &str| body.name().is_some_and(|own| module.text_of(own) == name);
        let found = match function {
            Some(name) => {
                let mut all = module.funcs().filter(has_body);
                all.find(|(func, body)| named(body, name) || func.to_string() == name).map(|(func, _)| func)
            }
            None => {
                let entry = module.entries.first().map(|entry| entry.func);
                entry.or_else(|| module.funcs().find(has_body).map(|(func, _)| func))
            }
        };
        let func = found.ok_or_else(|| match function {
            Some(name) => format!("the program has no function `{name}`"),
            None => "the program has no function".to_owned(),
        })?;
        Ok(Subject { module, func, analyses: Analyses::new(), empty: FuncBody::default() })
    }

    pub(super) fn body(&self) -> &FuncBody {
        self.module.func(self.func).unwrap_or(&self.empty)
    }

    pub(super) fn get<A: Analysis>(&mut self) -> Rc<A> {
        self.analyses.get::<A>(&self.module, self.func)
    }

    /// A block of the function.
    pub(super) fn block(&mut self, name: &str) -> Result<Block, String> {
        let block = number(name).map(Block::from_index);
        let cfg = self.get::<Cfg>();
        block.filter(|&block| cfg.contains(block)).ok_or_else(|| format!("the function has no block {name}"))
    }

    /// A reachable block of the function.
    pub(super) fn reachable(&mut self, name: &str) -> Result<Block, String> {
        let block = self.block(name)?;
        match self.get::<Cfg>().is_reachable(block) {
            true => Ok(block),
            false => Err(format!("{name} is not reachable from the entry")),
        }
    }

    /// Every value of the function, including parameters.
    pub(super) fn values(&self) -> Vec<Inst> {
        let body = self.body();
        let mut found: Vec<Inst> = body.params().to_vec();
        body.for_each_inst(|_, inst| {
            if body.inst(inst).has_result() {
                found.push(inst);
            }
        });
        found
    }

    /// A value of the function.
    pub(super) fn value(&self, name: &str) -> Result<Inst, String> {
        let value = number(name).map(Inst::from_index);
        value
            .filter(|value| self.values().contains(value))
            .ok_or_else(|| format!("the function has no value {name}"))
    }

    /// A variable of the program.
    pub(super) fn var(&self, name: &str) -> Result<Var, String> {
        let var = number(name).map(Var::from_index);
        var.filter(|&var| self.module.var(var).is_some())
            .ok_or_else(|| format!("the program has no variable {name}"))
    }
}

/// The number of an entity in canonical spelling.
fn number(name: &str) -> Option<usize> {
    name.get(1..)?.parse().ok()
}
