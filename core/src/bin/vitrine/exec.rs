//! `vitrine exec`: runs a program, prints its results as JSON or as a picture, and checks them against a
//! case.

use super::input::{self, Program};
use super::sources::SourceOptions;
use super::{Common, Stop, json as to_json};
use serde_json::json;
use std::path::{Path, PathBuf};
use vitrine_core::front;
use vitrine_core::interp::cases::json::{Case, outcome_json};
use vitrine_core::interp::{Inputs, Named, Outcome, Port, callables, draw, ports, run, seeded, with_callers};
use vitrine_core::ir::{Mode, Module, Stage};
use vitrine_core::ops::Scalar;

/// Run an entry point and print its results as JSON
#[derive(clap::Args)]
pub(crate) struct Exec {
    #[command(flatten)]
    common: Common,
    /// A case: the inputs to use, and the expected results, by set and binding or by name
    #[arg(long, value_name = "JSON", conflicts_with = "seed")]
    case: Option<PathBuf>,
    /// Generate inputs for the program from this number, if there is no case
    #[arg(long, default_value = "0")]
    seed: u64,
    /// Change a generated input, by its name: `particles[3].age = 0.5`, `uv @ 1, 2 = 0`, `picture = noise`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "case")]
    set: Vec<String>,
    /// The entry point, by name; by default the first one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Call this function, by name, of a program without entry points; `--set` gives its arguments: `scale = 0.5`, `arg1 = (3, 8)`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["case", "entry", "image"])]
    function: Option<String>,
    /// Draw triangles: this program has the vertex shader, the given one (by default the same) the fragment shader, whose inputs are
    /// interpolated from the vertices. `--seed`, `--set` and `--entry` are for the vertex shader
    #[arg(long, value_name = "FRAGMENT", num_args = 0..=1, conflicts_with_all = ["case", "function"])]
    link: Option<Option<PathBuf>>,
    /// The number of vertices of `--link`, three for each triangle
    #[arg(long, value_name = "N", default_value = "3", requires = "link")]
    vertices: u32,
    /// Draw a fragment shader into this PNG file
    #[arg(long, value_name = "PNG")]
    image: Option<PathBuf>,
    /// The size of the picture, if no case defines it
    #[arg(long, value_name = "PIXELS", default_value = "256")]
    size: u32,
    /// Compare every pixel of a case, not only some
    #[arg(long)]
    all_pixels: bool,
}

impl Exec {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let program = input::read(&self.common)?;
        program.verdict()?;
        if let Some(name) = &self.function {
            return self.call(&program, name);
        }
        if let Some(fragment) = &self.link {
            return self.draw_pair(&program, fragment.as_deref());
        }
        let case = match &self.case {
            Some(file) => Some(read_case(file)?),
            None => None,
        };
        match (&self.image, &case) {
            (Some(image), case) => self.draw(&program, case.as_ref(), image),
            (None, Some(case)) => self.run_case(&program, case),
            (None, None) => {
                let entry = self.entry(&program.module)?;
                let inputs = self.inputs(&program.module, entry)?;
                let outcome = self.outcome(&program, entry, &inputs)?;
                input::print(&to_json::pretty(&outcome_json(&outcome)));
                Ok(())
            }
        }
    }

    /// Draws triangles with a vertex and a fragment shader, and prints the results of both.
    fn draw_pair(&self, program: &Program, fragment: Option<&Path>) -> Result<(), Stop> {
        let other = match fragment {
            Some(file) => {
                let zero_products = self.common.zero_products;
                let common = Common {
                    file: file.to_owned(),
                    pipeline: self.common.pipeline.clone(),
                    zero_products,
                    teaching: self.common.teaching,
                    // The stage is that of the vertex shader.
                    sources: SourceOptions { stage: None, ..self.common.sources.clone() },
                };
                let other = input::read(&common)?;
                other.verdict()?;
                Some(other)
            }
            None => None,
        };
        let other = other.as_ref().unwrap_or(program);
        let first = |module: &Module, stage: Stage| {
            let found = module.entries.iter().position(|entry| entry.stage == stage);
            found.ok_or_else(|| Stop::Misused(format!("--link: there is no {} shader", stage.name())))
        };
        let vertex = match &self.entry {
            Some(_) => self.entry(&program.module)?,
            None => first(&program.module, Stage::Vertex)?,
        };
        let of_fragment = first(&other.module, Stage::Fragment)?;
        let vertices = Inputs { vertices: [self.vertices, 1], ..self.inputs(&program.module, vertex)? };
        let size = if self.image.is_some() { self.size.clamp(1, 4096) } else { 16 };
        let fragments = Inputs { frame: [size; 2], ..seeded(&other.module, of_fragment, self.seed) };
        let drawn = draw((&program.module, vertex), (&other.module, of_fragment), [&vertices, &fragments]);
        let drawn = drawn.map_err(|diag| {
            input::complain(&format!("{}: {diag}\n", program.title));
            Stop::Diagnosed
        })?;
        if let Some(image) = &self.image {
            let blank = Case::parse("{}").map_err(Stop::Misused)?;
            let places = (0..size).flat_map(|y| (0..size).map(move |x| [x, y]));
            let pixels: Vec<u8> = places
                .flat_map(|at| blank.pixel(&drawn.fragments, &fragments, at).unwrap_or(blank.clear()))
                .collect();
            input::write(image, &png(size, size, &pixels)?)?;
        }
        input::print(&to_json::pretty(&json!({
            "covered": drawn.covered,
            "vertices": outcome_json(&drawn.vertices),
            "fragments": outcome_json(&drawn.fragments),
        })));
        Ok(())
    }

    fn entry(&self, module: &Module) -> Result<usize, Stop> {
        if module.entries.is_empty() {
            return Err(Stop::Misused(
                "this program has no entry points: call one of its functions with --function".to_owned(),
            ));
        }
        let Some(name) = &self.entry else { return Ok(0) };
        let found = module.entries.iter().position(|entry| module.text_of(entry.name) == name);
        found.ok_or_else(|| Stop::Misused(format!("there is no entry point `{name}`")))
    }

    /// Calls a function of a program without entry points, and prints its result.
    fn call(&self, program: &Program, name: &str) -> Result<(), Stop> {
        let misused = |why: String| Stop::Misused(format!("--function {name}: {why}"));
        if !program.module.entries.is_empty() {
            return Err(misused("this program has entry points: use --entry".to_owned()));
        }
        let found = callables(&program.module);
        let entry = found.iter().position(|of| of.name == name);
        let Some((entry, of)) = entry.and_then(|at| Some((at, found.get(at)?))) else {
            let names: Vec<&str> = found.iter().map(|of| of.name.as_str()).collect();
            return Err(misused(format!("there is no such function; there are {}", names.join(", "))));
        };
        if !of.refused.is_empty() {
            return Err(misused(of.refused.clone()));
        }
        let module = with_callers(&program.module, &program.module);
        let inputs = Inputs { vertices: [1, 1], ..self.inputs(&module, entry)? };
        let outcome = run(&module, entry, &inputs).map_err(|diag| {
            input::complain(&format!("{}: {diag}\n", program.title));
            Stop::Diagnosed
        })?;
        let outputs = outcome.invocations.values().next().map(|one| &one.outputs);
        let value = |port: &Port| match outputs.and_then(|outputs| outputs.get(&port.key).copied()).flatten()
        {
            Some(bits) if port.float => json!(Scalar::new(port.width, bits).to_f64()),
            Some(bits) => json!(bits),
            None => json!(null),
        };
        let result: Vec<_> = ports(&module, entry, Mode::Out).iter().map(value).collect();
        let reports = outcome_json(&outcome)["reports"].clone();
        input::print(&to_json::pretty(&json!({ "function": name, "result": result, "reports": reports })));
        Ok(())
    }

    /// Inputs from the seed, with the changes of `--set`.
    fn inputs(&self, module: &Module, entry: usize) -> Result<Inputs, Stop> {
        let mut inputs = seeded(module, entry, self.seed);
        let wrong = Named::new(module, entry, &inputs).assign_all(&mut inputs, &self.set.join("\n"));
        match wrong.first() {
            None => Ok(inputs),
            Some((line, why)) => Err(Stop::Misused(format!(
                "--set {}: {why}",
                self.set.get(line - 1).map_or("", String::as_str)
            ))),
        }
    }

    fn outcome(&self, program: &Program, entry: usize, inputs: &Inputs) -> Result<Outcome, Stop> {
        run(&program.module, entry, inputs).map_err(|diag| {
            input::complain(&format!("{}: {diag}\n", program.title));
            Stop::Diagnosed
        })
    }

    fn run_case(&self, program: &Program, case: &Case) -> Result<(), Stop> {
        let folder = self.case.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
        let other = |name: &str| {
            let bytes = std::fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
            let file = folder.join(name).with_extension("json");
            let text =
                std::fs::read_to_string(file).map_err(|error| format!("the case of {name}: {error}"))?;
            Ok((front::spirv::read(&bytes).module, Case::parse(&text)?))
        };
        let result = case.judge(&program.module, self.all_pixels, other);
        let result = result.map_err(|sentence| {
            input::complain(&format!("{}: {sentence}\n", program.title));
            Stop::Diagnosed
        })?;
        let outcomes: Vec<_> = result.outcomes.iter().map(outcome_json).collect();
        let pass = result.wrong.is_empty();
        let verdict = json!({
            "file": program.title,
            "pass": pass,
            "checked": result.checked,
            "wrong": result.wrong,
            "runs": outcomes,
        });
        input::print(&to_json::pretty(&verdict));
        if pass { Ok(()) } else { Err(Stop::Diagnosed) }
    }

    fn draw(&self, program: &Program, case: Option<&Case>, image: &Path) -> Result<(), Stop> {
        let misread = |sentence: String| Stop::Misused(sentence);
        let module = &program.module;
        let entry = match case {
            Some(case) => case.entry(module).map_err(misread)?,
            None => match &self.entry {
                Some(_) => self.entry(module)?,
                None => module.entries.iter().position(|entry| entry.stage == Stage::Fragment).unwrap_or(0),
            },
        };
        if module.entries.get(entry).is_none_or(|entry| entry.stage != Stage::Fragment) {
            return Err(Stop::Misused("--image requires a fragment shader".to_owned()));
        }
        let mut inputs = match case {
            Some(case) => case.first_inputs(module).map_err(misread)?,
            None => {
                let size = self.size.clamp(1, 4096);
                Inputs { frame: [size; 2], rect: [0, 0, size, size], ..self.inputs(module, entry)? }
            }
        };
        inputs.limits.invocations = 1 << 26;
        let outcome = self.outcome(program, entry, &inputs)?;
        let blank = Case::parse("{}").map_err(misread)?;
        let case = case.unwrap_or(&blank);
        let [width, height] = inputs.frame;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        let pixels: Vec<u8> =
            places.flat_map(|at| case.pixel(&outcome, &inputs, at).unwrap_or(case.clear())).collect();
        input::write(image, &png(width, height, &pixels)?)?;
        let reports = outcome_json(&outcome)["reports"].clone();
        let drawn = json!({ "file": program.title, "image": image, "width": width, "height": height,
            "reports": reports, "lane_instructions": outcome.work.1 });
        input::print(&to_json::pretty(&drawn));
        Ok(())
    }
}

/// Reads the file of a case.
pub(super) fn read_case(file: &Path) -> Result<Case, Stop> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))?;
    Case::parse(&text).map_err(|sentence| Stop::Misused(format!("{}: {sentence}", file.display())))
}

/// A picture with 8 bits for each of red, green, blue and alpha.
fn png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, Stop> {
    let failed = |error: png::EncodingError| Stop::Misused(format!("the picture cannot be written: {error}"));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
