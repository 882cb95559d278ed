//! The formats of Direct3D: the programs of shader models 1 to 3 as words and as text, and the container of later models; the
//! [`reader`] and the [`writer`] of programs.
//!
//! * **Total.** Any bytes give a result and diagnostics, never a panic. Nothing recurses, and no number in the
//!   input determines an allocation size.
//! * **Exact.** Encoding a decoded program gives the original words.
//!
//! As words and as text, programs are neither interpreted nor checked against the limits of a device. The token formats of shader model 4
//! and later go next to [`sm1`].

#![forbid(unsafe_code)]

pub mod reader; // programs of shader models 1 to 3 become IR
pub mod writer; // programs become ones of shader models 2 and 3

pub mod container; // DXBC: parts by name
pub mod sm1; // shader models 1 to 3

use vitrine_ir::{Anchor, Diag, Diags};

/// The maximum number of diagnostics of one input; the last one states that there are more.
const MOST_DIAGS: usize = 100;

/// Adds a diagnostic, unless there are too many already.
fn push(diags: &mut Diags, diag: Diag) {
    match diags.len() {
        0..MOST_DIAGS => diags.push(diag),
        MOST_DIAGS => diags.push(
            Diag::error("D100", Anchor::Module)
                .says("too many diagnostics: the rest is omitted")
                .help("fix the errors above first"),
        ),
        _ => {}
    }
}
