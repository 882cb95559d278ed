//! Integration tests of the compiler: one crate, which links once, with one module per topic.
//!
//! `cargo test -p vitrine-core --test it rules::` runs one module. Shared code is in `testing`.

mod testing;

mod addresses;
mod alias;
mod back_spirv;
mod back_text;
mod back_text_essl;
mod back_text_hlsl;
mod back_text_msl;
mod back_text_reading;
mod back_text_wgsl;
#[cfg(feature = "cli")]
mod cli;
mod columns;
mod compare;
mod control;
mod corpus;
mod d3d9;
mod d3d9_cases;
mod d3d9_damage;
mod d3d9_read;
mod examples;
mod filetests;
mod floors;
mod front_spirv;
mod induction;
mod inspect;
mod interp;
mod judge;
mod language;
mod layout;
mod lessons;
mod links;
mod lower_exits;
mod ops;
mod oracle;
mod outline;
mod passes;
mod pass_imports;
mod pipelines;
mod qptr;
mod qptr_infer_storage;
mod qptr_layouts;
mod qptr_memory;
mod random;
mod report;
mod repro;
mod resources;
mod rules;
mod sm3_run;
mod sm3_slots;
mod sources;
mod spirv_ops;
mod spirv_text;
mod split_buffer_paths;
mod structurize;
mod tidy;
mod trace;
mod untyped_pointers;
mod usage;
