//! The catalog: every pass, preset, rule, operation, analysis, front end, back end and diagnostic with its
//! documentation, as plain data.
//!
//! The tables of `pipeline`, `rules`, `ops`, `analysis`, `front`, `back`, `validate` and `interp` are the only source, with
//! that of `diagnostics` for the codes of all other modules; this module converts them to one form that the page searches and `vitrine catalog` prints. Built on demand, in about a
//! millisecond.
//!
//! Does not depend on how the page displays it, or in which order: it keeps the order of the tables.

mod about; // an entry as Markdown
mod diagnostics; // every kind of diagnostic
mod language; // the language reference, from the tables
mod page; // entries and formats in the types of the page

pub use language::language;
pub use page::{formats, page_catalog};

use crate::analysis::{ANALYSES, AnalysisInfo};
use crate::back::text::Language;
use crate::back::{BACKENDS, Backend};
use crate::front::{FRONTENDS, Frontend};
use crate::ops::constraint::{Constraint, Unknowns};
use crate::ops::{Key, Op};
use crate::pipeline::{OptionInfo, PASSES, PRESETS, PassInfo, Preset};
use crate::rules::{RuleText, texts};
use diagnostics::DiagInfo;

/// The table of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A pass of a pipeline.
    Pass,
    /// A named pipeline.
    Preset,
    /// A rewrite rule of `algebraic`.
    Rule,
    /// An operation of the IR.
    Op,
    /// An analysis of a program.
    Analysis,
    /// A language that can be read.
    Frontend,
    /// A form that can be written.
    Backend,
    /// A kind of diagnostic.
    Diagnostic,
}

impl EntryKind {
    /// Every kind, in the order of the catalog.
    pub const ALL: [EntryKind; 8] = [
        EntryKind::Pass,
        EntryKind::Preset,
        EntryKind::Rule,
        EntryKind::Op,
        EntryKind::Analysis,
        EntryKind::Frontend,
        EntryKind::Backend,
        EntryKind::Diagnostic,
    ];

    /// The plural of its name.
    pub fn plural(self) -> &'static str {
        match self {
            EntryKind::Pass => "passes",
            EntryKind::Preset => "presets",
            EntryKind::Rule => "rules",
            EntryKind::Op => "operations",
            EntryKind::Analysis => "analyses",
            EntryKind::Frontend => "front ends",
            EntryKind::Backend => "back ends",
            EntryKind::Diagnostic => "diagnostics",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Pass => "pass",
            EntryKind::Preset => "preset",
            EntryKind::Rule => "rule",
            EntryKind::Op => "operation",
            EntryKind::Analysis => "analysis",
            EntryKind::Frontend => "front end",
            EntryKind::Backend => "back end",
            EntryKind::Diagnostic => "diagnostic",
        }
    }

    /// Its folder in the reference. Never changes: it is part of addresses.
    pub fn folder(self) -> &'static str {
        match self {
            EntryKind::Pass => "pass",
            EntryKind::Preset => "preset",
            EntryKind::Rule => "rule",
            EntryKind::Op => "op",
            EntryKind::Analysis => "analysis",
            EntryKind::Frontend => "front-end",
            EntryKind::Backend => "back-end",
            EntryKind::Diagnostic => "diag",
        }
    }
}

/// An entry of the catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name, as written in programs.
    pub name: &'static str,
    /// One sentence.
    pub doc: String,
    /// Its own facts.
    pub facts: Facts,
}

/// The details of an entry, by its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Facts {
    /// Details of a pass.
    Pass {
        /// The introduction of its file, with IR before and after. Markdown.
        about: &'static str,
        /// The shape of functions that it requires; none if it accepts both.
        shape: Option<&'static str>,
        /// The stages in which it can change something; none for all of them.
        stages: Vec<&'static str>,
        /// True if a second run in a row never changes anything.
        idempotent: bool,
        /// Its options.
        options: &'static [OptionInfo],
    },
    /// Details of a preset.
    Preset {
        /// The pipeline of the preset.
        text: String,
        /// Its entries, each with the reason for its position.
        entries: &'static [(&'static str, &'static str)],
    },
    /// Details of a rule.
    Rule {
        /// The pattern.
        left: String,
        /// The replacement.
        right: String,
        /// The condition; empty if there is none.
        guard: String,
        /// Required permissions: flags of float operations, or `any_nan`.
        asks: &'static [&'static str],
    },
    /// Details of an operation.
    Op {
        /// Its family, named as the folder of `ops`.
        family: &'static str,
        /// Its operands: name and constraint.
        operands: Vec<(&'static str, String)>,
        /// Variadic operands.
        rest: Option<(&'static str, String)>,
        /// Its result.
        result: String,
        /// Its properties and effects.
        properties: Vec<&'static str>,
        /// Attributes that it must have.
        needs: Vec<&'static str>,
        /// Attributes that it may have.
        may: Vec<&'static str>,
        /// True if it can be evaluated, and so can be folded.
        folds: bool,
        /// How languages like C write it, in the same words for neighbors: the languages, and the text. Markdown.
        written: Vec<(Vec<&'static str>, String)>,
    },
    /// Details of an analysis.
    Analysis {
        /// The introduction of its file, with an example. Markdown.
        about: &'static str,
    },
    /// Details of a front end.
    Frontend,
    /// Details of a back end.
    Backend {
        /// Extensions of its files, the usual one first.
        extensions: &'static [&'static str],
        /// The media type of its files.
        media: &'static str,
        /// The preset that prepares a module for it.
        preset: Option<&'static str>,
    },
    /// Details of a diagnostic.
    Diagnostic {
        /// The part of the compiler that reports it.
        group: &'static str,
        /// A repair; empty if the message has it.
        repair: &'static str,
    },
}

/// Every entry, kind by kind in the order of [`EntryKind::ALL`].
pub fn entries() -> Vec<Entry> {
    let mut out: Vec<Entry> = PASSES.iter().map(pass).collect();
    out.extend(PRESETS.iter().map(preset));
    out.extend(texts().map(rule));
    out.extend(Op::all().map(operation));
    out.extend(ANALYSES.iter().map(analysis));
    out.extend(FRONTENDS.iter().map(|frontend| front_end(*frontend)));
    out.extend(BACKENDS.iter().map(|backend| back_end(*backend)));
    out.extend(diagnostics::all().map(diagnostic));
    out
}

/// The entries with a name: two kinds may share a name.
pub fn named(name: &str) -> Vec<Entry> {
    entries().into_iter().filter(|entry| entry.name == name).collect()
}

impl Entry {
    /// The table it is from.
    pub fn kind(&self) -> EntryKind {
        match self.facts {
            Facts::Pass { .. } => EntryKind::Pass,
            Facts::Preset { .. } => EntryKind::Preset,
            Facts::Rule { .. } => EntryKind::Rule,
            Facts::Op { .. } => EntryKind::Op,
            Facts::Analysis { .. } => EntryKind::Analysis,
            Facts::Frontend => EntryKind::Frontend,
            Facts::Backend { .. } => EntryKind::Backend,
            Facts::Diagnostic { .. } => EntryKind::Diagnostic,
        }
    }

    /// The address of its page in the reference, from the root of the site. Names in addresses never change.
    pub fn address(&self) -> String {
        format!("ref/{}/{}/", self.kind().folder(), self.name)
    }

    /// The full description, as Markdown without a heading.
    pub fn about(&self) -> String {
        about::about(self)
    }
}

fn pass(info: &PassInfo) -> Entry {
    let facts = Facts::Pass {
        about: (info.about)(),
        shape: info.shape.map(crate::pipeline::PassShape::name),
        stages: info.stages.iter().map(|stage| stage.name()).collect(),
        idempotent: info.idempotent,
        options: info.options,
    };
    Entry { name: info.name, doc: info.doc.to_owned(), facts }
}

fn analysis(info: &AnalysisInfo) -> Entry {
    Entry { name: info.name, doc: info.doc.to_owned(), facts: Facts::Analysis { about: (info.about)() } }
}

fn front_end(frontend: &'static dyn Frontend) -> Entry {
    Entry { name: frontend.name(), doc: frontend.doc().to_owned(), facts: Facts::Frontend }
}

fn back_end(backend: &'static dyn Backend) -> Entry {
    let facts =
        Facts::Backend { extensions: backend.extensions(), media: backend.media(), preset: backend.preset() };
    Entry { name: backend.name(), doc: backend.doc().to_owned(), facts }
}

fn diagnostic(info: DiagInfo) -> Entry {
    let mut letters = info.doc.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let doc: String = first.chain(letters).chain(['.']).collect();
    Entry { name: info.code, doc, facts: Facts::Diagnostic { group: info.group, repair: info.repair } }
}

fn preset(preset: &Preset) -> Entry {
    let facts = Facts::Preset { text: preset.text(), entries: preset.entries };
    Entry { name: preset.name, doc: preset.doc.to_owned(), facts }
}

fn rule(text: &'static RuleText) -> Entry {
    let facts = Facts::Rule {
        left: pattern(text.left),
        right: pattern(text.right),
        guard: text.guard.trim_end_matches("; ").replace(';', ",").to_owned(),
        asks: text.marks,
    };
    Entry { name: text.name, doc: first_sentence(text.doc), facts }
}

fn operation(op: Op) -> Entry {
    let info = op.info();
    let fits = |constraint: &Constraint| constraint.describe(&Unknowns::default());
    let names =
        |keys: &[&'static [Key]]| keys.iter().flat_map(|keys| keys.iter()).map(|key| key.name()).collect();
    let facts = Facts::Op {
        family: op.family(),
        operands: info.operands.iter().map(|operand| (operand.name, fits(&operand.constraint))).collect(),
        rest: info.rest.map(|operand| (operand.name, fits(&operand.constraint))),
        result: fits(&info.result),
        properties: info.props.names().collect(),
        needs: names(&[info.lead, info.need]),
        may: names(&[info.may]),
        folds: info.meaning.is_some(),
        written: written(op),
    };
    Entry { name: info.name, doc: first_sentence(op.doc()), facts }
}

/// How each language like C writes an operation; languages with the same text together.
fn written(op: Op) -> Vec<(Vec<&'static str>, String)> {
    let mut out: Vec<(Vec<&'static str>, String)> = Vec::new();
    for language in Language::ALL {
        let text = language.spelling(op);
        match out.iter_mut().find(|(_, known)| *known == text) {
            Some((names, _)) => names.push(language.name()),
            None => out.push((vec![language.name()], text)),
        }
    }
    out
}

/// A side of a rule in its usual spelling: the table's tokens are separated by spaces.
fn pattern(side: &str) -> String {
    let words = side.replace('(', " (").replace("# ", "#").replace("- ", "-");
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(")
}

/// A doc comment as one line.
fn first_sentence(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_name_and_a_text() {
        let all = entries();
        for kind in EntryKind::ALL {
            assert!(all.iter().any(|entry| entry.kind() == kind), "{}", kind.name());
        }
        assert_eq!(all.iter().filter(|entry| entry.kind() == EntryKind::Op).count(), Op::all().count());
        for entry in &all {
            assert!(!entry.doc.is_empty() && !entry.doc.contains('\n'), "{}", entry.name);
            assert!(entry.about().len() >= entry.doc.len(), "{}", entry.name);
        }
    }

    #[test]
    fn an_entry_has_the_text_of_its_table() {
        let about = |name| named(name).first().map(Entry::about).unwrap_or_default();
        assert!(about("algebraic").contains("ishl %0, %4"), "{}", about("algebraic"));
        assert!(
            about("structurize").contains("- `imported`: Keeps the importer's"),
            "{}",
            about("structurize")
        );
        assert!(
            about("vars-to-values").contains("- `max-leaves`: Largest number"),
            "{}",
            about("vars-to-values")
        );
        assert!(about("lower-exits").contains("Requires a tree."), "{}", about("lower-exits"));
        // Languages that write an operation in the same way share a line.
        assert!(about("fmin").contains("GLSL 4.60, GLSL ES 3.00, GLSL ES 3.10"), "{}", about("fmin"));
        assert!(about("bitrev").contains("GLSL ES 3.00: by `lower-alu{counts}`"), "{}", about("bitrev"));
        assert!(about("essl").contains("- `lower-alu{counts}`: `bitrev`"), "{}", about("essl"));
        assert!(about("O1").contains("fix(vars-to-values, copy-prop"), "{}", about("O1"));
        assert!(
            about("imul_pow2").contains("(imul x #c)\n=> (ishl x (find_lsb c))\nif pow2 c"),
            "{}",
            about("imul_pow2")
        );
        assert!(about("iadd").contains("iadd a: integer, b: integer -> integer"), "{}", about("iadd"));
        for name in ["alias", "cost", "divergence", "induction", "range"] {
            assert!(about(name).contains("```text"), "{}", about(name));
        }
        assert!(about("discard-to-demote").contains("Stages: fragment."), "{}", about("discard-to-demote"));
        assert!(
            about("known_irem_pow2").contains("if pow2 c, at_least_zero x"),
            "{}",
            about("known_irem_pow2")
        );
        let spirv: Vec<String> = named("spirv").iter().map(Entry::about).collect();
        assert_eq!(spirv.len(), 2, "a front end and a back end");
        assert!(spirv[1].contains("Preset: `spirv-legalize`"), "{spirv:?}");
        assert!(about("E061").starts_with("A valid program"), "{}", about("E061"));
        assert!(about("L006").contains("Repair: Allow more iterations"), "{}", about("L006"));
        assert_eq!(named("E061").first().map(Entry::address).as_deref(), Some("ref/diag/E061/"));
        assert!(named("moon").is_empty());
    }
}
