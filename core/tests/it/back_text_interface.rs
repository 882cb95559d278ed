//! What a writer records of a text is what the text declares: resources, names, places, extensions, entry points.
//!
//! The declarations are read from the text here, and nowhere else. `VITRINE_CORPUS` adds the large corpus.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::modules;
use std::collections::BTreeSet;
use vitrine_core::back::{DeclaredAccess, DeclaredKind, Interface, Source, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Mode, Module};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::{prepared, write};
use vitrine_core::text::parse;

/// The text of a module and what is recorded of it, and the module that was written. `None` if the language refuses it.
fn written(module: &Module, language: &str) -> Option<(String, Interface, Module)> {
    let backend = named(language).expect("the back end exists");
    let ready = prepared(module, backend).ok()?;
    let funcs = all_funcs(&ready);
    let mut out = write(&Source::new(&ready, &funcs), backend, false).ok()?;
    let interface = std::mem::take(&mut out.interface);
    Some((out.into_text(), interface, ready))
}

/// The declarations of a text of WGSL: `@group(0) @binding(1) var<uniform> name: …`.
fn of_wgsl(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with("@group(") || line.starts_with("enable "));
    let enabled = |line: &str| line.strip_suffix(';').unwrap_or(line).to_owned();
    lines
        .map(|line| match line.split_once(':') {
            None => enabled(line),
            Some((head, ty)) => {
                let (kind, ty) = (head.to_owned(), ty.trim());
                let of = ["texture_storage_", "texture_depth_", "texture_", "sampler_comparison", "sampler"];
                let of = of.into_iter().find(|of| ty.starts_with(of)).unwrap_or_default();
                let access = [", read_write>", ", write>", ", read>"].into_iter().find(|of| ty.contains(of));
                format!("{kind} {of} {}", access.filter(|_| of == "texture_storage_").unwrap_or_default())
            }
        })
        .collect()
}

/// The same from what was recorded.
fn recorded_of_wgsl(interface: &Interface) -> BTreeSet<String> {
    let resources = interface.resources.iter().map(|of| {
        let (space, kind, access) = match &of.kind {
            DeclaredKind::Uniform => ("var<uniform>", "", ""),
            DeclaredKind::Storage(DeclaredAccess::Read) => ("var<storage>", "", ""),
            DeclaredKind::Storage(_) => ("var<storage, read_write>", "", ""),
            DeclaredKind::Texture { is_depth: true } => ("var", "texture_depth_", ""),
            DeclaredKind::Texture { is_depth: false } => ("var", "texture_", ""),
            DeclaredKind::StorageTexture(DeclaredAccess::Read) => ("var", "texture_storage_", ", read>"),
            DeclaredKind::StorageTexture(DeclaredAccess::Write) => ("var", "texture_storage_", ", write>"),
            DeclaredKind::StorageTexture(DeclaredAccess::ReadWrite) => {
                ("var", "texture_storage_", ", read_write>")
            }
            DeclaredKind::Sampler { compares: true } => ("var", "sampler_comparison", ""),
            DeclaredKind::Sampler { compares: false } => ("var", "sampler", ""),
            DeclaredKind::Pair(pair) => panic!("WGSL has no pairs: {pair:?}"),
        };
        let [group, binding] = of.place;
        format!("@group({group}) @binding({binding}) {space} {} {kind} {access}", of.name)
    });
    resources.chain(interface.extensions.iter().map(|name| format!("enable {name}"))).collect()
}

/// The declarations of a text of GLSL ES 3.00: blocks, images with samplers, inputs and outputs with a name of a location.
fn of_essl(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut rest = text;
    while let Some(end) = rest.find(['{', ';']) {
        let (head, tail) = rest.split_at(end);
        rest = &tail[1..];
        let head = head.lines().filter(|line| !line.starts_with("//") && !line.starts_with('#'));
        let words: Vec<String> = head.flat_map(str::split_whitespace).map(str::to_owned).collect();
        let has = |word: &str| words.iter().any(|it| it == word);
        let Some(name) = words.last().filter(|_| !has("precision")) else { continue };
        let bare = name.split('[').next().unwrap_or(name);
        if has("uniform") {
            let kind = if tail.starts_with('{') { "block" } else { &words[words.len() - 2] };
            out.insert(format!("{kind} {bare}"));
        } else if bare.starts_with("location_") && (has("in") || has("out")) {
            out.insert(format!("{} {bare}", if has("in") { "in" } else { "out" }));
        }
    }
    out
}

/// The same from what was recorded.
fn recorded_of_essl(interface: &Interface, module: &Module) -> BTreeSet<String> {
    let resources = interface.resources.iter().map(|of| match &of.kind {
        DeclaredKind::Uniform => format!("block {}", of.name),
        DeclaredKind::Pair(pair) => format!("{} {}", pair.ty, of.name),
        other => panic!("GLSL ES 3.00 has no {other:?}"),
    });
    let ports = interface.ports.iter().filter(|port| port.name.starts_with("location_")).map(|port| {
        let is_input = module.var(port.var).is_some_and(|data| data.mode == Mode::In);
        format!("{} {}", if is_input { "in" } else { "out" }, port.name)
    });
    resources.chain(ports).collect()
}

#[test]
fn what_is_recorded_is_what_the_texts_declare() {
    let (mut texts, mut declared, mut wrong) = ([0; 2], 0, Vec::new());
    for item in modules() {
        let module = read(&item.bytes()).module;
        for (at, language) in ["wgsl", "essl"].into_iter().enumerate() {
            let Some((text, interface, ready)) = written(&module, language) else { continue };
            // Parts that a macro selects have the declarations of each.
            let is_one = ready.entries.len() == 1 || language == "wgsl";
            texts[at] += 1;
            let (theirs, ours) = match language {
                "wgsl" => (of_wgsl(&text), recorded_of_wgsl(&interface)),
                _ => (of_essl(&text), recorded_of_essl(&interface, &ready)),
            };
            declared += ours.len();
            if theirs != ours {
                wrong.push(format!("{} {language}\n  text     {theirs:?}\n  recorded {ours:?}", item.file));
            }
            let has_entries = interface
                .entries
                .iter()
                .all(|name| text.contains(&format!("fn {name}(")) || text.contains(&format!("void {name}(")));
            if !has_entries || is_one && interface.entries.len() != ready.entries.len() {
                wrong.push(format!("{} {language}: the entry points {:?}", item.file, interface.entries));
            }
        }
    }
    println!("{texts:?} texts of WGSL and GLSL ES, {declared} declarations");
    assert!(texts.iter().all(|&count| count > 0) && declared > 0, "nothing was written");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Samples an element of an array of images with an element of an array of samplers; reads two elements of a block.
const ELEMENTS: &str = "struct #0 \"Light\" {block} {\n  color: f32x4 {offset 0}\n}\n\n\
    handle $0: [image<2d f32> * 6] {set 0, binding 4}\nhandle $1: [sampler * 2] {set 1, binding 5}\n\
    uniform $2: [#0 * 4] {set 0, binding 0}\nin $3: f32x2 {location 0}\nout $4: f32x4 {location 0}\n\n\
    entry fragment \"main\" @0 ($3, $4) {origin_upper_left}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = const 1\n  %2: b32 = const 5\n  \
    %3: b32 = const 2\n  %4: path = deref.elem %0, %2\n  %5: handle = load %4\n  %6: path = deref.var $1\n  \
    %7: path = deref.elem %6, %1\n  %8: handle = load %7\n  %9: path = deref.var $3\n  %10: b32x2 = load %9\n  \
    %11: b32x4 = tex.sample %5, %8, %10 {dim 2d, roles image+sampler+coord}\n  %12: path = deref.var $2\n  \
    %13: path = deref.elem %12, %3\n  %14: path = deref.field %13.0\n  %15: b32x4 = load %14\n  \
    %16: b32x4 = fadd %11, %15\n  %17: path = deref.var $4\n  %18 = store %17, %16\n  return\n}\n";

#[test]
fn elements_of_arrays_of_the_program_are_recorded() {
    let module = parse(ELEMENTS).module;
    let (text, interface, ready) = written(&module, "essl").expect("it is written");
    let pairs: Vec<_> = interface
        .resources
        .iter()
        .filter_map(|of| match &of.kind {
            DeclaredKind::Pair(pair) => Some((of.var, pair)),
            _ => None,
        })
        .collect();
    let [(image, pair)] = pairs[..] else { panic!("{pairs:?}\n{text}") };
    let element =
        |var, flat: u32| flat + ready.var(var).and_then(|of| of.attrs.get(Key::Element)).unwrap_or(0) as u32;
    let sampler = pair.sampler.expect("a sampler");
    assert_eq!((element(image, pair.elements[0]), element(sampler, pair.elements[1])), (5, 1), "{text}");
    let block = interface.resources.iter().find(|of| of.kind == DeclaredKind::Uniform).expect("a block");
    assert_eq!((block.name.as_str(), block.elements), ("Light", Some(4)), "{text}");
}
