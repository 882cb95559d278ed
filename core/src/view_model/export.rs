//! Files to save: a version in the form of any back end.
//!
//! The forms are the table of back ends ([`crate::back::BACKENDS`]); this file only gathers their input.

use super::first_message;
use crate::back::{Backend, Source, WriteOptions, all_funcs};
use crate::base::EntityId;
use crate::ir::{Func, Module};
use crate::pipeline::{Trace, write};
use vitrine_protocol::{Bytes, ExportRequest, File};

/// Writes version `at` of a trace, as a request asks for it. The function is drawn by forms that are pictures.
///
/// Errors: the reason why a target cannot be written.
pub(super) fn export(
    module: &Module,
    trace: Option<&Trace>,
    at: usize,
    request: &ExportRequest,
    backend: &dyn Backend,
) -> Result<File, String> {
    let funcs = match request.function.filter(|_| backend.draws()) {
        Some(func) => vec![Func::from_index(func as usize)],
        None => all_funcs(module),
    };
    let versions = match trace {
        Some(trace) if request.versions.is_empty() => trace.changed_versions(at),
        Some(trace) => request.versions.iter().filter_map(|&at| trace.named_version(at as usize)).collect(),
        None => Vec::new(),
    };
    let options = WriteOptions { align: true, ..WriteOptions::default() };
    let source = Source { versions: &versions, options, ..Source::new(module, &funcs) };
    let written = write(&source, backend, false).map_err(|diags| first_message(&diags))?;
    let extension = backend.extensions().first().copied().unwrap_or_default();
    let [extension, media] = [extension, backend.media()].map(str::to_owned);
    Ok(File { bytes: Bytes(written.bytes), extension, media, raster: request.raster })
}
