//! `core/LANGUAGE.md` is the language reference that the tables give.

use std::path::Path;

#[test]
fn the_language_reference_is_what_the_tables_give() {
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
