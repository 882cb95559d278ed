//! What a session comes to, in one short line: to see whether two builds agree, to the byte.
//!
//! ```text
//! SPIR-V ir 5fa0c3d2 77e1b0aa changes 0c11… spirv 1b2c… graph 99aa…
//! ```
//!
//! The kind of the input, then a check over the text of each version, over what the last step changed, over the
//! last version as SPIR-V and over the drawing of the function shown first. `tests` of the project run it on the
//! host and in wasm; a person can run it on two releases.

use super::session::{Session, Shown};

/// Reads `input`, runs `pipeline`, tells it in a line. Costs what showing every version would.
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
        let numbers = graph.blocks.iter().chain(&graph.bands).chain(&graph.lines);
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        push(&mut line, &bytes);
    }
    line
}

/// A version as bytes; why it cannot be written is a text too.
fn text(session: &mut Session, at: usize, shown: Shown) -> Vec<u8> {
    match session.text(at, shown) {
        Ok(text) => text.text.into_bytes(),
        Err(why) => why.into_bytes(),
    }
}

/// Fowler, Noll and Vo's hash of 64 bits, folded to 32.
fn push(line: &mut String, bytes: &[u8]) {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
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
