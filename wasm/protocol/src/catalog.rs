//! The catalog: passes, presets, rules, operations, analyses, front ends, back ends and diagnostics, with their docs
//! and options.

use serde::{Deserialize, Serialize};

/// The kind of a catalog entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// A pass.
    #[default]
    Pass,
    /// A named pipeline.
    Preset,
    /// An algebraic rule.
    Rule,
    /// An operation of the IR.
    Operation,
    /// An analysis.
    Analysis,
    /// A language or format that can be read.
    Frontend,
    /// A language or format that can be written.
    Backend,
    /// A kind of diagnostic.
    Diagnostic,
}

/// An entry of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// Its kind.
    pub kind: EntryKind,
    /// Its name in pipelines and IR text.
    pub name: String,
    /// One sentence.
    pub doc: String,
    /// The complete documentation, as Markdown.
    pub about: String,
    /// The address of its page in the reference, from the root of the site.
    pub page: String,
    /// The pipeline of a preset; empty for other kinds.
    pub pipeline: String,
    /// Options of a pass.
    pub options: Vec<CatalogOption>,
}

/// An option of a pass: a choice of words, a number, or places of resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CatalogOption {
    /// Words to choose from, each with its doc. The first is the default.
    Words(Vec<(String, String)>),
    /// A number, written `name=number`.
    Number {
        /// Its name.
        name: String,
        /// Its meaning.
        doc: String,
        /// The default.
        default: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// Places of resources, any number of them, each written `name=number` or `name=number:number`.
    Places {
        /// The form of one.
        form: String,
        /// Their meaning.
        doc: String,
    },
}
