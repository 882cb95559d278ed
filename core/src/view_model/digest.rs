//! A checksum of a session, in one short line: to test if two builds agree, byte by byte.
//!
//! ```text
//! SPIR-V ir 5fa0c3d2 77e1b0aa changes 0c11… spirv 1b2c… graph 99aa…
//! ```
//!
//! The kind of the input, then a checksum of the text of each version, of the changes of the last step, of
//! the last version as SPIR-V and of the drawing of the default function. The project's tests run it on the
//! host and in wasm; it can also compare two releases.

use super::session::{Session, Shown};
use crate::base::fnv::fnv;

/// Reads `input`, runs `pipeline`, and returns the line. Costs as much as displaying every version.
pub fn digest(input: &[u8], pipeline: &str) -> String {
    let mut session = Session::new();
    session.open(input, pipeline);
    let last = session.versions() - 1;
    let mut line = format!("{}, {} remarks", session.kind().words(), session.diags().len());
    line.push_str(" ir");
    for at in 0..=last {
        push(&mut line, &text(&mut session, at, Shown::Ir));
    }
    line.push_str(" changes");
    push(&mut line, &text(&mut session, last, Shown::Changes));
    line.push_str(" spirv");
    push(&mut line, &text(&mut session, last, Shown::Spirv));
    line.push_str(" graph");
    if let Some(func) = session.first_choice() {
        let graph = session.graph(last, func);
        let tables = [graph.blocks.words(), graph.loops.words(), graph.edges.words()];
        let bytes: Vec<u8> = tables.into_iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        push(&mut line, &bytes);
    }
    line
}

/// A version as bytes. An error message is a text too.
fn text(session: &mut Session, at: usize, shown: Shown) -> Vec<u8> {
    match session.text(at, shown) {
        Ok(text) => text.text.0.into_bytes(),
        Err(why) => why.into_bytes(),
    }
}

/// The hash, folded to 32 bits.
fn push(line: &mut String, bytes: &[u8]) {
    let hash = fnv(bytes);
    line.push_str(&format!(" {:08x}", (hash >> 32) as u32 ^ hash as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_inputs_and_pipelines_apart() {
        let input = include_bytes!("../../../www/examples/loop.ir");
        let one = digest(input, "structurize, dce");
        assert_eq!(one, digest(input, "structurize, dce"));
        assert!(one.starts_with("IR text, 0 remarks ir ") && one.split(' ').count() == 14, "{one}");
        assert_ne!(one, digest(input, "structurize"));
        assert_ne!(one, digest(b"", "structurize, dce"));
    }
}
