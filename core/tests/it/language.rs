//! `core/LANGUAGE.md` is generated from the tables.

use std::path::Path;

#[test]
fn the_language_reference_matches_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("LANGUAGE.md");
    let expected = vitrine_core::catalog::language();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &expected).expect("LANGUAGE.md can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let line = written.lines().zip(expected.lines()).position(|(a, b)| a != b);
    assert!(
        written == expected,
        "core/LANGUAGE.md differs from the tables, first at line {}; run `cargo xtask bless`",
        line.map_or(written.lines().count(), |line| line) + 1
    );
}
