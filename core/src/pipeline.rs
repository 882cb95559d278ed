//! Pipelines as text: passes with commas between them, run in order on every function.
//!
//! ```text
//! structurize{imported}, values-to-regs
//! ```
//!
//! The list of passes is the registry: name, doc and options are data. What a pass leaves behind is validated
//! before the next one sees it. A name or an option nobody knows is answered with a diagnostic, never ignored.

use crate::ir::{Anchor, Diag, Diags, Func, Module};
use crate::passes::structurize::{Mode, structurize};
use crate::passes::{flatten, regs_to_values, values_to_regs};
use crate::validate::validate;

/// A pass: what it is called, what it does, what may stand in its braces.
pub struct PassInfo {
    /// The spelling.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Words that may stand in braces behind the name; the first one is meant where there are no braces.
    pub options: &'static [&'static str],
    run: fn(&mut Module, Func, &str) -> Result<(), Diag>,
}

/// Every pass, in the order in which a program meets them.
pub const PASSES: &[PassInfo] = &[
    PassInfo {
        name: "structurize",
        doc: "Makes graphs trees; the option says how much of the importer's hints to follow.",
        options: &["faithful", "imported", "switch-loop"],
        run: |module, func, option| {
            structurize(module, func, Mode::from_name(option).unwrap_or(Mode::Faithful)).map(|_| ())
        },
    },
    PassInfo {
        name: "flatten",
        doc: "Makes trees graphs, with hints that keep what the tree said.",
        options: &[],
        run: |module, func, _| flatten(module, func),
    },
    PassInfo {
        name: "values-to-regs",
        doc: "Hands values that cross blocks on in registers instead of parameters.",
        options: &[],
        run: |module, func, _| values_to_regs(module, func).map(|_| ()),
    },
    PassInfo {
        name: "regs-to-values",
        doc: "Makes what registers hold values and block parameters again.",
        options: &[],
        run: |module, func, _| regs_to_values(module, func).map(|_| ()),
    },
];

/// A step of a pipeline.
struct Step {
    pass: &'static PassInfo,
    option: &'static str,
}

/// A pipeline that was read.
#[derive(Default)]
pub struct Pipeline {
    steps: Vec<Step>,
}

impl Pipeline {
    /// Reads a pipeline. The error names the pass or the option that does not exist.
    pub fn parse(text: &str) -> Result<Pipeline, Diag> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        Ok(Pipeline { steps: names.map(Step::parse).collect::<Result<_, _>>()? })
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Runs the first `steps` passes, or all of them, on a valid module.
    ///
    /// Errors: the diagnostic of the pass that could not do its work, or `L003` if one left an invalid program.
    pub fn run(&self, module: &Module, steps: Option<usize>) -> Result<Module, Diag> {
        let mut module = module.clone();
        for step in self.steps.iter().take(steps.unwrap_or(usize::MAX)) {
            let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
            for func in funcs {
                (step.pass.run)(&mut module, func, step.option)?;
            }
            expect_valid(step.pass.name, validate(&module))?;
        }
        Ok(module)
    }
}

/// A pass that makes an invalid program has a bug; the diagnostic says which pass and what is wrong.
fn expect_valid(pass: &str, diags: Diags) -> Result<(), Diag> {
    match diags.into_iter().next() {
        None => Ok(()),
        Some(diag) => Err(Diag::error("L003", diag.at)
            .says(format!("`{pass}` has a bug: what it leaves is not valid: {}", diag.message()))
            .help("please report it with this program")),
    }
}

impl Step {
    fn parse(text: &str) -> Result<Step, Diag> {
        let error = |code, says: String| Diag::error(code, Anchor::Module).says(says);
        let (name, option) = match text.split_once('{') {
            None => (text, None),
            Some((name, rest)) => match rest.trim_end().strip_suffix('}') {
                Some(option) => (name.trim(), Some(option.trim())),
                None => return Err(error("L002", format!("the braces of `{text}` do not close"))),
            },
        };
        let Some(pass) = PASSES.iter().find(|pass| pass.name == name) else {
            let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
            let diag = error("L001", format!("there is no pass `{name}`"));
            return Err(diag.help(format!("there are {}", known.join(", "))));
        };
        let meant = match option {
            None => Some(pass.options.first().copied().unwrap_or("")),
            Some(word) => pass.options.iter().copied().find(|&option| option == word),
        };
        match meant {
            Some(option) => Ok(Step { pass, option }),
            None if pass.options.is_empty() => Err(error("L002", format!("`{name}` takes no options"))),
            None => {
                let diag = error("L002", format!("`{name}` has no option `{}`", option.unwrap_or("")));
                Err(diag.help(format!("it takes {}", pass.options.join(", "))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print_module};

    const GRAPH: &str =
        "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

    fn after(pipeline: &str, steps: Option<usize>) -> String {
        let module = Pipeline::parse(pipeline).unwrap().run(&parse(GRAPH).module, steps).unwrap();
        print_module(&module)
    }

    #[test]
    fn steps_run_in_order_and_as_many_as_asked() {
        assert!(after("structurize", None).contains("tree {"));
        assert!(after("structurize{switch-loop}, flatten", Some(1)).contains("loop !"));
        assert!(after("structurize, flatten", None).contains("graph {"));
        assert_eq!(after("", None), GRAPH);
    }

    #[test]
    fn what_does_not_exist_is_named() {
        for (text, says) in [
            ("dce", "there is no pass `dce`"),
            ("structurize{fast}", "`structurize` has no option `fast`"),
            ("flatten{x}", "`flatten` takes no options"),
            ("flatten{", "the braces of `flatten{` do not close"),
        ] {
            assert_eq!(Pipeline::parse(text).err().map(|diag| diag.message()).as_deref(), Some(says));
        }
    }

    #[test]
    fn every_pass_is_documented() {
        assert!(PASSES.iter().all(|pass| pass.doc.ends_with('.')));
    }
}
