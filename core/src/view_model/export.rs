//! Files to save: a version in the form of any back end.
//!
//! The forms are the table of back ends ([`crate::back::BACKENDS`]); this file only gathers their input.

use super::first_message;
use crate::back::{Backend, Source, WriteOptions, all_funcs};
use crate::ir::{Func, Module};
use crate::pipeline::{Trace, write};

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its extension, without the dot.
    pub extension: &'static str,
    /// Its media type.
    pub media: &'static str,
}

/// Writes version `at` of a trace. `func` is the function to draw, for forms that are pictures; all without one. `versions` are
/// those to compare; without any, the input and each changed version up to `at`.
///
/// Errors: the reason why a target cannot be written.
pub(super) fn export(
    module: &Module,
    trace: Option<&Trace>,
    at: usize,
    func: Option<Func>,
    versions: &[usize],
    backend: &dyn Backend,
) -> Result<Export, String> {
    let funcs = match func.filter(|_| backend.draws()) {
        Some(func) => vec![func],
        None => all_funcs(module),
    };
    let versions = match trace {
        Some(trace) if versions.is_empty() => trace.changed_versions(at),
        Some(trace) => versions.iter().filter_map(|&at| trace.named_version(at)).collect(),
        None => Vec::new(),
    };
    let options = WriteOptions { align: true, ..WriteOptions::default() };
    let source = Source { versions: &versions, options, ..Source::new(module, &funcs) };
    let written = write(&source, backend, false).map_err(|diags| first_message(&diags))?;
    let extension = backend.extensions().first().copied().unwrap_or_default();
    Ok(Export { bytes: written.bytes, extension, media: backend.media() })
}
