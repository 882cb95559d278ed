//! The gallery of the page: a picture and a sentence for each example, made by the compiler and its interpreter.
//!
//! ```sh
//! BLESS=1 cargo test -p vitrine-core --test it gallery::
//! ```
//!
//! writes `www/gallery/` and `www/examples.js`; without `BLESS`, the test compares them byte for byte. The groups and their order are
//! those of the menu in `www/index.html`, a sentence is that of the first line of an example. A fragment shader is drawn by a run of it, a
//! compute shader by the contents of its buffers before and after a run, every other program by its graph.
//!
//! Sources are translated by naga, whose version is fixed, so that the pictures are the same on every machine. Examples in HLSL and
//! Slang, which it does not read, are drawn from SPIR-V in `gallery/slang`, which the page wrote of them (`web/e2e/slang.test.mjs`).
#![cfg(feature = "sources")]

mod graphs; // a graph as SVG
mod plots; // buffers and pixels as PNG

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vitrine_core::front::source::{self, SourceOptions};
use vitrine_core::front::{self, SourceLanguage, source_language};
use vitrine_core::interp::{Inputs, Named, run, seeded_ordinary};
use vitrine_core::ir::Module;
use vitrine_filetests::bless;

/// Width and height of a picture in pixels.
const SIZE: u32 = 96;
/// The frame that the fragment shaders of the examples are written for.
const FRAME: f32 = 16.0;

/// The drawing of an example.
struct Scene {
    name: &'static str,
    /// Words of the source and their replacements, so that a shader for a small frame fills a large one.
    replaced: &'static [(&'static str, &'static str)],
    /// Inputs of the run, one on each line.
    assigned: &'static str,
    /// Values of the numbers of the first buffer.
    filled: Option<fn(u32) -> f64>,
    /// The largest number of values that are drawn of a buffer.
    count: usize,
    plot: Plot,
}

/// The contents of a picture.
enum Plot {
    /// The pixels of a fragment shader.
    Pixels,
    /// Two buffers as bars: the first one, which is filled, before the run, the second one after it, by set and binding.
    Bars([(u32, u32); 2]),
    /// The same as cells of a square.
    Cells([(u32, u32); 2]),
    /// The positions of a buffer's elements before and after a run, by the end of their names.
    Dots((u32, u32), &'static str),
    /// The graph.
    Graph,
}

const PIXELS: Scene =
    Scene { name: "", replaced: &[], assigned: "", filled: None, count: usize::MAX, plot: Plot::Pixels };

/// The examples whose pictures are runs, or whose text naga does not read as it is; every other one is drawn as its graph.
const SCENES: &[Scene] = &[
    Scene { name: "mandelbrot.wgsl", replaced: &[("pixel.xy", "(pixel.xy / 6.0)")], ..PIXELS },
    Scene {
        name: "sphere.frag",
        replaced: &[("gl_FragCoord.xy - 8.0", "gl_FragCoord.xy / 6.0 - 8.0")],
        ..PIXELS
    },
    Scene {
        name: "letter.frag",
        replaced: &[("gl_FragCoord.xy / 16.0", "gl_FragCoord.xy / 96.0")],
        // Ink, paper, weight: naga has no names for blocks.
        assigned: "$1 = (0.16, 0.3, 0.72, 1, 0.93, 0.9, 0.83, 1, 0.3)",
        ..PIXELS
    },
    Scene {
        name: "waves.glsl",
        // The resolution, the time, and everything else.
        assigned: "$1 = (96, 96, 1, 0.8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
        ..PIXELS
    },
    Scene {
        name: "toon.frag",
        // naga reads no textures with their samplers: the pattern is computed.
        replaced: &[
            ("normalize(normal)", "normalize(vec3(gl_FragCoord.xy / 48.0 - 1.0, 0.7))"),
            ("uniform sampler2D pattern;\n", ""),
            (
                "texture2D(pattern, uv).rgb",
                "(0.8 + 0.2 * mod(floor(gl_FragCoord.x / 12.0) + floor(gl_FragCoord.y / 12.0), 2.0))",
            ),
        ],
        // The light and the tint.
        assigned: "$3 = (-0.5, -0.7, 0.6)\n$4 = (0.95, 0.55, 0.25)",
        ..PIXELS
    },
    Scene { name: "tone.wgsl", assigned: "settings = (1.4, 2.5)", ..PIXELS },
    Scene { name: "rings.hlsl", assigned: "Scene.time = 0.6\nScene.tint = (0.2, 0.4, 0.5)", ..PIXELS },
    Scene { name: "shapes.slang", ..PIXELS },
    Scene {
        name: "transpose.hlsl",
        // The lower triangle; the arrays have more elements than the matrix.
        filled: Some(|at| f64::from(u32::from(at % 8 <= at / 8))),
        count: 64,
        // The bindings of t0 and u1.
        plot: Plot::Cells([(0, 100), (0, 301)]),
        ..PIXELS
    },
    Scene { name: "texture.spvasm", assigned: "picture = checker", ..PIXELS },
    Scene {
        name: "life.wgsl",
        // A glider and a blinker.
        filled: Some(|at| f64::from(u32::from([1, 10, 16, 17, 18, 45, 46, 47].contains(&at)))),
        plot: Plot::Cells([(0, 0), (0, 1)]),
        ..PIXELS
    },
    Scene {
        name: "sort.wgsl",
        filled: Some(|at| f64::from((at * 37 + 11) % 64)),
        plot: Plot::Bars([(0, 0), (0, 0)]),
        ..PIXELS
    },
    Scene {
        name: "histogram.wgsl",
        filled: Some(|at| 0.5 + 0.47 * (f64::from(at % 8) / 4.0 - 0.875) * f64::from(at / 8) / 7.0),
        plot: Plot::Bars([(0, 0), (0, 1)]),
        ..PIXELS
    },
    Scene {
        name: "prefix.comp",
        filled: Some(|at| f64::from(1 + at * 7 % 5)),
        plot: Plot::Bars([(0, 0), (0, 0)]),
        ..PIXELS
    },
    Scene {
        name: "blur.comp",
        replaced: &[("writeonly ", "")],
        filled: Some(|at| f64::from(u32::from([5, 6, 14, 15, 16, 17, 18, 26].contains(&at)))),
        plot: Plot::Bars([(0, 0), (0, 1)]),
        ..PIXELS
    },
    Scene {
        name: "negative-zero.comp",
        filled: Some(|at| f64::from(at) / 4.0 - 1.0),
        plot: Plot::Bars([(0, 0), (0, 0)]),
        ..PIXELS
    },
    Scene {
        name: "morph.vert",
        replaced: &[("#version 300 es", "#version 450")],
        plot: Plot::Graph,
        ..PIXELS
    },
    Scene {
        name: "sparks.wgsl",
        assigned: "step = (0.4, 9.8)",
        plot: Plot::Dots((0, 0), ".position"),
        ..PIXELS
    },
];

/// An example of the menu.
struct Example {
    /// Its file: `examples/loop.ir`.
    path: String,
    /// The first sentence of its text.
    sentence: String,
    text: String,
}

impl Example {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn is_for_slang(&self) -> bool {
        source_language(self.text.as_bytes()) == Some(SourceLanguage::Hlsl)
    }
}

fn www() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../www")
}

/// The groups of the menu with their examples.
fn menu() -> Vec<(String, Vec<Example>)> {
    let page = std::fs::read_to_string(www().join("index.html")).expect("the page can be read");
    let (_, menu) = page.split_once("id=\"examples\"").expect("the page has a menu of examples");
    let (menu, _) = menu.split_once("</select>").expect("the menu has an end");
    let between = |text: &str, before: &str| {
        text.split_once(before).and_then(|(_, rest)| rest.split_once('"')).map(|(value, _)| value.to_owned())
    };
    let mut groups: Vec<(String, Vec<Example>)> = Vec::new();
    for line in menu.lines() {
        if let Some(label) = between(line, "<optgroup label=\"") {
            groups.push((label, Vec::new()));
        }
        let (Some(path), Some((_, group))) = (between(line, "<option value=\""), groups.last_mut()) else {
            continue;
        };
        let text = std::fs::read_to_string(www().join(&path)).expect(&path);
        let first = text.lines().next().unwrap_or_default().trim_start_matches([';', '/', ' ']);
        let end = first.find(". ").map_or(first.len(), |at| at + 1);
        group.push(Example { path, sentence: first[..end].to_owned(), text });
    }
    groups
}

/// The module of an example. A source is translated by naga, or was by Slang.
fn module(example: &Example, scene: Option<&Scene>) -> Result<Module, String> {
    if example.is_for_slang() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/it/gallery/slang/{}.spvasm", example.name()));
        let text = std::fs::read(&file).map_err(|why| format!("{}: {why}", file.display()))?;
        return Ok(front::read(&text).1.module);
    }
    let replaced = scene.map_or(&[][..], |scene| scene.replaced);
    let text = replaced.iter().fold(example.text.clone(), |text, (old, new)| {
        assert!(text.contains(old), "{}: `{old}` is not in its text", example.path);
        text.replace(old, new)
    });
    let failed = |problems: Vec<vitrine_sources::Problem>| {
        problems.into_iter().map(|problem| problem.says).collect::<Vec<_>>().join("; ")
    };
    let words = match source_language(text.as_bytes()) {
        None => return Ok(front::read(text.as_bytes()).1.module),
        Some(SourceLanguage::Wgsl) => {
            vitrine_sources::translate(&text, example.name(), &vitrine_sources::Options::default())
        }
        Some(language) => {
            let name = example.name();
            let prepared = source::prepare(&text, name, language, &SourceOptions::default(), &|_| None);
            let prepared = prepared.map_err(|problem| problem.says)?;
            vitrine_sources::translate_glsl(&prepared.text, prepared.stage)
        }
    };
    let bytes: Vec<u8> = words.map_err(failed)?.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(front::read(&bytes).1.module)
}

/// The inputs of a scene.
fn inputs(scene: &Scene, module: &Module) -> Inputs {
    let mut inputs = seeded_ordinary(module, 0, 5);
    (inputs.frame, inputs.rect) = ([SIZE; 2], [0, 0, SIZE, SIZE]);
    inputs.groups = [1, 1, 1];
    inputs.limits.steps = 1 << 24;
    // Inputs change over the picture as over the small frame.
    for varying in inputs.varyings.values_mut() {
        varying.dx *= FRAME / SIZE as f32;
        varying.dy *= FRAME / SIZE as f32;
    }
    let wrong = Named::new(module, 0, &inputs).assign_all(&mut inputs, scene.assigned);
    assert_eq!(wrong, [], "{}", scene.name);
    if let Some(value) = scene.filled {
        let slot = match scene.plot {
            Plot::Bars([before, _]) | Plot::Cells([before, _]) | Plot::Dots(before, _) => before,
            Plot::Pixels | Plot::Graph => (0, 0),
        };
        plots::fill(module, &mut inputs, slot, value);
    }
    inputs
}

/// The picture of an example, and the extension of its file.
fn picture(example: &Example) -> (&'static str, Vec<u8>) {
    let scene = SCENES.iter().find(|scene| scene.name == example.name());
    let module = module(example, scene).unwrap_or_else(|why| panic!("{}: {why}", example.path));
    let Some(scene) = scene.filter(|scene| !matches!(scene.plot, Plot::Graph)) else {
        return ("svg", graphs::svg(&module).into_bytes());
    };
    let inputs = inputs(scene, &module);
    let outcome = run(&module, 0, &inputs).unwrap_or_else(|diag| panic!("{}: {diag}", example.path));
    let values = |slot, after: bool| {
        let mut values = plots::numbers(&module, &inputs, after.then_some(&outcome), slot);
        values.truncate(scene.count);
        values
    };
    let picture = match scene.plot {
        Plot::Pixels | Plot::Graph => plots::pixels(&outcome, SIZE),
        Plot::Bars([before, after]) => plots::bars(&values(before, false), &values(after, true), SIZE),
        Plot::Cells([before, after]) => plots::cells(&values(before, false), &values(after, true), SIZE),
        Plot::Dots(slot, end) => {
            let of = |after: bool| plots::positions(&module, &inputs, after.then_some(&outcome), slot, end);
            plots::dots(&of(false), &of(true), SIZE)
        }
    };
    ("png", plots::png(&picture, SIZE))
}

/// The files of the gallery, by their paths in `www`.
fn files() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut list = "// The examples of the gallery: groups of files with their pictures and sentences. Written by core/tests/it/gallery.rs.\n\
                    export const GROUPS = [\n"
        .to_owned();
    for (label, examples) in menu() {
        list += &format!("  [{label:?}, [\n");
        for example in examples {
            let (extension, bytes) = picture(&example);
            let path = format!("gallery/{}.{extension}", example.name());
            files.insert(path.clone(), bytes);
            list += &format!("    [{:?}, {path:?}, {:?}],\n", example.path, example.sentence);
        }
        list += "  ]],\n";
    }
    list += "];\n";
    files.insert("examples.js".to_owned(), list.into_bytes());
    files
}

#[test]
fn the_gallery_of_the_page_is_up_to_date() {
    let files = files();
    let folder = www().join("gallery");
    if bless::enabled() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        files.iter().for_each(|(path, bytes)| std::fs::write(www().join(path), bytes).expect(path));
    }
    let present: Vec<String> = std::fs::read_dir(&folder)
        .expect("the gallery: run the test with BLESS=1")
        .flatten()
        .map(|entry| format!("gallery/{}", entry.file_name().to_string_lossy()))
        .collect();
    let extra: Vec<&String> = present.iter().filter(|path| !files.contains_key(*path)).collect();
    assert!(extra.is_empty(), "no example has these pictures: {extra:?}");
    for (path, bytes) in &files {
        let stored = std::fs::read(www().join(path)).unwrap_or_default();
        assert!(stored == *bytes, "{path} is not that of the example: run the test with BLESS=1");
    }
    let size: usize = files.values().map(Vec::len).sum();
    assert!(size < 160_000, "the gallery has {size} bytes: a visitor stores it for use without a network");
}

#[test]
fn every_scene_is_that_of_an_example() {
    let names: Vec<String> =
        menu().iter().flat_map(|(_, all)| all.iter().map(|of| of.name().to_owned())).collect();
    assert!(names.len() >= 36, "{}", names.len());
    for scene in SCENES {
        assert!(names.iter().any(|name| name == scene.name), "{}", scene.name);
    }
}
