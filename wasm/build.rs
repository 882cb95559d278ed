//! Asks the linker to leave what it knew in the module: who refers to what. xtask's `site/cut` cuts by it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--emit-relocs");
    }
}
