//! The program that libFuzzer drives: its target is the one that `VITRINE_FUZZ` names.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use vitrine_fuzz::{Target, named};

fn target() -> &'static Target {
    static TARGET: OnceLock<&'static Target> = OnceLock::new();
    TARGET.get_or_init(|| {
        let name = std::env::var("VITRINE_FUZZ").unwrap_or_default();
        named(&name).unwrap_or_else(|| panic!("VITRINE_FUZZ is `{name}`, which is no target"))
    })
}

fuzz_target!(|bytes: &[u8]| {
    (target().run)(bytes);
});
