//! Files to take home: what the page shows, in forms that need no page.
//!
//! Everything is written by `back` and `text`; this file only chooses.

use crate::back::{write_dot, write_html, write_svg};
use crate::ir::{Func, Module};
use crate::pipeline::{SpirvOptions, write_spirv};
use crate::spirv::{Binary, DisOptions, disassembly};
use crate::text::{Options, print_module};

/// A form to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The IR, which reads back.
    Ir,
    /// A SPIR-V binary.
    Spirv,
    /// SPIR-V assembly.
    SpirvText,
    /// The graphs of the functions as a picture.
    Svg,
    /// The same for Graphviz.
    Dot,
    /// A report that needs no script.
    Html,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What its name ends with, without the dot.
    pub extension: &'static str,
    /// Its media type.
    pub media: &'static str,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(Format, &'static str); 6] = [
        (Format::Ir, "ir"),
        (Format::Spirv, "spirv"),
        (Format::SpirvText, "spvasm"),
        (Format::Svg, "svg"),
        (Format::Dot, "dot"),
        (Format::Html, "html"),
    ];

    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(_, known)| *known == name).map(|&(format, _)| format)
    }
}

/// Writes a version. Errors: in words, why a target cannot be written.
pub(super) fn export(module: &Module, func: Option<Func>, format: Format) -> Result<Export, String> {
    let funcs: Vec<Func> = match func {
        Some(func) => vec![func],
        None => module.funcs().map(|(func, _)| func).collect(),
    };
    let words = || {
        let words = write_spirv(module, SpirvOptions::default());
        words.map_err(|diag| super::DiagView::of(&diag).message)
    };
    let (bytes, extension, media) = match format {
        Format::Ir => (print_module(module).into_bytes(), "ir", "text/plain"),
        Format::Spirv => {
            let words = words()?;
            (words.iter().flat_map(|word| word.to_le_bytes()).collect(), "spv", "application/octet-stream")
        }
        Format::SpirvText => {
            let (binary, _) = Binary::from_words(words()?);
            let options = DisOptions { friendly: true, align: true, header: true };
            (disassembly(&binary, &options).into_bytes(), "spvasm", "text/plain")
        }
        Format::Svg => (write_svg(module, &funcs, "Control flow").into_bytes(), "svg", "image/svg+xml"),
        Format::Dot => (write_dot(module, &funcs).into_bytes(), "dot", "text/vnd.graphviz"),
        Format::Html => {
            (write_html(module, "Shader", &[], Options::default()).into_bytes(), "html", "text/html")
        }
    };
    Ok(Export { bytes, extension, media })
}
