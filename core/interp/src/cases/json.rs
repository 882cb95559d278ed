//! Cases as JSON: inputs of a module and its expected results. `vitrine exec` and the corpus test read them.
//!
//! There are two formats, which differ by their content: inputs by set and binding, which are read here, and inputs by
//! name, which `json_by_name` reads.
//!
//! Pictures are compared pixel by pixel at a number of points, not by histograms; other pixels are not
//! compared.

use super::{NamedCase, json_by_name};
use crate::{Bytes, Inputs, InvocationEnd, KernelArg, OutKey, Outcome, Outputs, Print, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use vitrine_ir::ops::{Scalar, Width};
use vitrine_ir::{Anchor, Module, Stage};

/// A parsed case.
#[derive(Debug)]
pub struct Case {
    json: Value,
    /// The case, if it is in the format of inputs by name.
    named: Option<NamedCase>,
}

/// A color as stored in the frame: red, green, blue, alpha, 0 to 255.
pub type Pixel = [u8; 4];

/// The result of a run of a case.
#[derive(Debug)]
pub struct CaseResult {
    /// The expectations that do not hold, in words; empty if all hold.
    pub wrong: Vec<String>,
    /// The number of checked expectations.
    pub checked: usize,
    /// The outcome of each run.
    pub outcomes: Vec<Outcome>,
}

impl Case {
    /// Reads a case. Errors: a sentence that says what is not JSON, or which field cannot be read.
    pub fn parse(text: &str) -> Result<Case, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if !json.is_object() {
            return Err("a case is an object".to_owned());
        }
        let named = json_by_name::is_named_case(&json).then(|| json_by_name::read(&json)).transpose()?;
        Ok(Case { json, named })
    }

    /// The index of the entry point of a case: by name and stage, otherwise by stage. Errors: a sentence, if the module has none.
    pub fn entry(&self, module: &Module) -> Result<usize, String> {
        if let Some(named) = &self.named {
            return named.entry(module);
        }
        let stage = match self.json["stage"].as_str().unwrap_or("") {
            "frag" => Stage::Fragment,
            "vert" => Stage::Vertex,
            "comp" => Stage::Compute,
            "kernel" => Stage::Kernel,
            other => return Err(format!("the stage `{other}` is unknown")),
        };
        let name = self.json["entry"].as_str().unwrap_or("main");
        let of_stage = module.entries.iter().position(|entry| entry.stage == stage);
        let exact = module.entries.iter().position(|e| e.stage == stage && module.text_of(e.name) == name);
        exact.or(of_stage).ok_or_else(|| format!("there is no entry point of the stage {}", stage.name()))
    }

    fn expects(&self) -> impl Iterator<Item = &Value> {
        self.json["expect"].as_array().into_iter().flatten()
    }

    /// The inputs of the case; those of the first run if it names its inputs and has several runs. Errors: those of
    /// [`Case::inputs`].
    pub fn first_inputs(&self, module: &Module) -> Result<Inputs, String> {
        match &self.named {
            Some(named) => named.inputs(module)?.into_iter().next().ok_or("the case has no runs".to_owned()),
            None => self.inputs(),
        }
    }

    /// The inputs by set and binding, without those that differ from run to run. Errors: a sentence that names the field
    /// that cannot be read.
    pub fn inputs(&self) -> Result<Inputs, String> {
        let mut inputs = Inputs::default();
        for input in self.json["inputs"].as_array().into_iter().flatten() {
            let bytes = hex(input["bytes"].as_str().unwrap_or(""))?;
            match input["kind"].as_str() {
                Some("push_constant") => inputs.push = bytes,
                Some("uniform" | "storage") => {
                    inputs.buffers.insert((number(&input["set"]), number(&input["binding"])), vec![bytes]);
                }
                other => return Err(format!("the input kind {other:?} is unknown")),
            }
        }
        for (id, value) in self.json["spec_constants"].as_object().into_iter().flatten() {
            let id =
                id.parse().map_err(|_| format!("`{id}` is not the number of a specialization constant"))?;
            inputs.specs.insert(id, bits(value));
        }
        for (slot, axis) in inputs.groups.iter_mut().zip(self.json["groups"].as_array().into_iter().flatten())
        {
            *slot = number(axis);
        }
        let frame = &self.json["framebuffer"];
        if frame.is_object() {
            inputs.frame = [number(&frame["width"]), number(&frame["height"])];
            inputs.rect = [0, 0, inputs.frame[0], inputs.frame[1]];
        }
        Ok(inputs)
    }

    /// The color of pixels where nothing is drawn.
    pub fn clear(&self) -> Pixel {
        std::array::from_fn(|at| self.json["clear"][at].as_u64().unwrap_or(0) as u8)
    }

    /// Runs a module on the case and checks the expectations. `other` returns the module to which a picture
    /// is compared. Errors: a sentence, if the case cannot be run on the module; what differs is in the result.
    pub fn judge(
        &self,
        module: &Module,
        all_pixels: bool,
        mut other: impl FnMut(&str) -> Result<(Module, Case), String>,
    ) -> Result<CaseResult, String> {
        if let Some(named) = &self.named {
            let result = named.judge(module)?;
            return Ok(CaseResult {
                wrong: result.wrong,
                checked: result.checked,
                outcomes: result.outcomes,
            });
        }
        let entry = self.entry(module)?;
        if self.json["runs"].is_array() {
            return self.judge_runs(module, entry);
        }
        let mut inputs = self.inputs()?;
        if module.entries.get(entry).is_some_and(|entry| entry.stage == Stage::Fragment) && !all_pixels {
            inputs.pixels = self.points(inputs.frame);
        }
        let outcome = run(module, entry, &inputs).map_err(|diag| diag.to_string())?;
        let mut result = CaseResult { wrong: Vec::new(), checked: 0, outcomes: Vec::new() };
        if !outcome.is_complete() {
            result.wrong.push("the run did not finish".to_owned());
        }
        for expect in self.expects() {
            let found = match expect["kind"].as_str() {
                Some("rect" | "pixels") => self.judge_pixels(expect, &outcome, &inputs)?,
                Some("buffer") => judge_buffer(expect, &outcome, &inputs)?,
                Some("same_image") => {
                    // One case of the corpus names no module, so there is nothing to compare.
                    let Some(name) = expect["as"].as_str() else { continue };
                    let (module, case) = other(name)?;
                    let given = Inputs { pixels: inputs.pixels.clone(), ..case.inputs()? };
                    let theirs =
                        run(&module, case.entry(&module)?, &given).map_err(|diag| diag.to_string())?;
                    self.judge_same(&outcome, &theirs, &inputs)
                }
                unknown => return Err(format!("the expectation {unknown:?} is unknown")),
            };
            result.checked += 1;
            result.wrong.extend(found.into_iter().take(4));
        }
        result.outcomes.push(outcome);
        Ok(result)
    }

    /// The pixels to compare: those the case names; corners, center and a few others of its rectangles.
    fn points(&self, frame: [u32; 2]) -> Vec<[u32; 2]> {
        let mut points = Vec::new();
        let mut of_rect = |[x, y, w, h]: [u32; 4], steps: u32| {
            for at in 0..steps * steps {
                let along = |from: u32, len: u32, at: u32| from + (len.max(1) - 1) * at / (steps - 1);
                points.push([along(x, w, at % steps), along(y, h, at / steps)]);
            }
        };
        for expect in self.expects() {
            match expect["kind"].as_str() {
                Some("rect") => of_rect(rect(expect), 4),
                Some("same_image") => of_rect([0, 0, frame[0], frame[1]], 12),
                _ => {}
            }
        }
        for point in self.expects().flat_map(|expect| expect["points"].as_array().into_iter().flatten()) {
            points.push([number(&point[0]), number(&point[1])]);
        }
        points.retain(|&[x, y]| x < frame[0] && y < frame[1]);
        points.sort_unstable();
        points.dedup();
        points
    }

    fn judge_pixels(
        &self,
        expect: &Value,
        outcome: &Outcome,
        inputs: &Inputs,
    ) -> Result<Vec<String>, String> {
        let tolerance = expect["tolerance"].as_f64().unwrap_or(0.0);
        let [x, y, w, h] = rect(expect);
        let in_rect = |at: [u32; 3]| at[0] >= x && at[0] - x < w && at[1] >= y && at[1] - y < h;
        let one = if expect["rgba"].is_array() { &expect["rgba"] } else { &expect["rgb"] };
        let mut wanted: BTreeMap<[u32; 2], &Value> = BTreeMap::new();
        if expect["kind"] == "rect" {
            let places =
                outcome.invocations.values().map(|invocation| invocation.at).filter(|&at| in_rect(at));
            wanted.extend(places.map(|at| ([at[0], at[1]], one)));
        }
        for point in expect["points"].as_array().into_iter().flatten() {
            wanted.insert([number(&point[0]), number(&point[1])], &point[2]);
        }
        if wanted.is_empty() {
            return Err("an expectation names no pixel".to_owned());
        }
        let mut wrong = Vec::new();
        for (at, color) in wanted {
            let seen = self.pixel(outcome, inputs, at);
            let components = color.as_array().into_iter().flatten().enumerate();
            let off = components.filter(|(component, value)| {
                let seen = seen.and_then(|seen| seen.get(*component).copied());
                seen.is_none_or(|seen| (f64::from(seen) - value.as_f64().unwrap_or(-1.0)).abs() > tolerance)
            });
            if off.count() > 0 {
                wrong.push(format!("pixel {at:?} is {seen:?}, not {color}"));
            }
        }
        Ok(wrong)
    }

    fn judge_same(&self, ours: &Outcome, theirs: &Outcome, inputs: &Inputs) -> Vec<String> {
        let places = ours.invocations.values().map(|invocation| [invocation.at[0], invocation.at[1]]);
        let differ = places.filter_map(|at| {
            let (a, b) = (self.pixel(ours, inputs, at), self.pixel(theirs, inputs, at));
            let close = match (a, b) {
                (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| a.abs_diff(*b) <= 1),
                _ => false,
            };
            (!close).then(|| format!("pixel {at:?} is {a:?}, and {b:?} in the other module"))
        });
        differ.collect()
    }

    /// The value of a pixel of the frame after the run; none if it was not run, or is undefined.
    pub fn pixel(&self, outcome: &Outcome, inputs: &Inputs, at: [u32; 2]) -> Option<Pixel> {
        let invocation = u64::from(at[1]) * u64::from(inputs.frame[0]) + u64::from(at[0]);
        let outcome = outcome.invocations.get(&invocation)?;
        if outcome.end != InvocationEnd::Returned {
            return Some(self.clear());
        }
        let mut pixel = [0; 4];
        for (component, slot) in pixel.iter_mut().enumerate() {
            let bits = outcome.outputs.get(&OutKey::Location(0, component as u32, 0));
            let value = match bits {
                Some(bits) => f32::from_bits((*bits)? as u32),
                // An unwritten component: alpha is opaque.
                None => f32::from(u8::from(component == 3)),
            };
            // NaN becomes 0.
            *slot = (value.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
        }
        Some(pixel)
    }

    /// The inputs of each run of the case, for callers that compare runs without expectations: the pixels
    /// that the case compares, or all. Errors: those of [`Case::inputs`].
    pub fn runs(&self, module: &Module, all_pixels: bool) -> Result<Vec<Inputs>, String> {
        if let Some(named) = &self.named {
            return named.inputs(module);
        }
        if self.json["runs"].is_array() {
            return Ok(self.written_down()?.into_iter().map(|(inputs, _)| inputs).collect());
        }
        let entry = self.entry(module)?;
        let mut inputs = self.inputs()?;
        if module.entries.get(entry).is_some_and(|entry| entry.stage == Stage::Fragment) && !all_pixels {
            inputs.pixels = self.points(inputs.frame);
        }
        Ok(vec![inputs])
    }

    fn slot(&self, name: &str) -> (u32, u32) {
        (number(&self.json[name][0]), number(&self.json[name][1]))
    }

    /// The runs of a graph that records the path it takes: inputs, and the expected words.
    fn written_down(&self) -> Result<Vec<(Inputs, Vec<u32>)>, String> {
        let mut out = Vec::new();
        for one in self.json["runs"].as_array().into_iter().flatten() {
            let words =
                |value: &Value| -> Vec<u32> { value.as_array().into_iter().flatten().map(number).collect() };
            let (directions, expect) = (words(&one["directions"]), words(&one["expect"]));
            let (given, room) = (bytes_of(&directions), vec![0u8; (expect.len() + 64) * 4]);
            let mut inputs = self.inputs()?;
            if self.json["stage"] == "kernel" {
                inputs.args = vec![KernelArg::Buffer(given), KernelArg::Buffer(room)];
            } else {
                inputs.buffers.insert(self.slot("directions_buffer"), vec![given]);
                inputs.buffers.insert(self.slot("trace_buffer"), vec![room]);
            }
            out.push((inputs, expect));
        }
        Ok(out)
    }

    /// Graphs that record the path they take.
    fn judge_runs(&self, module: &Module, entry: usize) -> Result<CaseResult, String> {
        let mut result = CaseResult { wrong: Vec::new(), checked: 0, outcomes: Vec::new() };
        let trace_slot = self.slot("trace_buffer");
        for (at, (inputs, expect)) in self.written_down()?.into_iter().enumerate() {
            let outcome = run(module, entry, &inputs).map_err(|diag| diag.to_string())?;
            let written = match self.json["stage"] == "kernel" {
                true => outcome.args.get(&1),
                false => outcome.buffers.get(&(trace_slot, 0)),
            };
            let wanted = bytes_of(&expect);
            if written.is_none_or(|written| !written.bytes.starts_with(&wanted)) {
                let seen: Vec<u32> =
                    written.iter().flat_map(|written| written.bytes.chunks_exact(4)).map(word).collect();
                let first = seen.iter().zip(&expect).position(|(a, b)| a != b).unwrap_or(0);
                result.wrong.push(format!(
                    "run {at}: word {first} is {:?}, not {:?}",
                    seen.get(first),
                    expect.get(first)
                ));
            }
            result.checked += 1;
            result.outcomes.push(outcome);
        }
        Ok(result)
    }
}

/// The type of the items of a buffer: scalars, vectors (`vec3<float>`), or matrices (`mat4x3<float>`: 4 columns).
struct ItemType<'t> {
    scalar: &'t str,
    columns: usize,
    rows: usize,
}

impl ItemType<'_> {
    fn parse(kind: &str) -> Option<ItemType<'_>> {
        let item = kind.trim_end_matches("[]");
        let Some((shape, scalar)) = item.strip_suffix('>').and_then(|item| item.split_once('<')) else {
            return Some(ItemType { scalar: item, columns: 1, rows: 1 });
        };
        let size = |text: &str| text.parse().ok().filter(|size| (1..=4).contains(size));
        let (columns, rows) = match (shape.strip_prefix("vec"), shape.strip_prefix("mat")) {
            (Some(rows), _) => (1, size(rows)?),
            (None, Some(sizes)) => match sizes.split_once('x') {
                Some((columns, rows)) => (size(columns)?, size(rows)?),
                None => (size(sizes)?, size(sizes)?),
            },
            (None, None) => return None,
        };
        Some(ItemType { scalar, columns, rows })
    }
}

/// Compares values in a buffer. Numbers of an item follow each other, and those of a matrix column by column, as in
/// memory unless `row_major` is set; `matrix_stride` is the distance in bytes of columns (or of rows), by default that
/// of std430.
fn judge_buffer(expect: &Value, outcome: &Outcome, inputs: &Inputs) -> Result<Vec<String>, String> {
    let slot = (number(&expect["set"]), number(&expect["binding"]));
    // A buffer that the shader does not use keeps its bytes.
    let unused = || {
        let bytes = inputs.buffers.get(&slot)?.first()?.clone();
        Some(Bytes { bytes, undefined: Vec::new() })
    };
    let Some(buffer) = outcome.buffers.get(&(slot, 0)).cloned().or_else(unused) else {
        return Ok(vec![format!("there is no buffer {}.{}", slot.0, slot.1)]);
    };
    let offset = number(&expect["offset"]) as usize;
    if let Some(text) = expect["bytes"].as_str() {
        let wanted = hex(text)?;
        let seen = offset.checked_add(wanted.len()).and_then(|end| buffer.bytes.get(offset..end));
        let same = seen == Some(&wanted[..]);
        return Ok(if same {
            Vec::new()
        } else {
            vec![format!("bytes from {offset} on are {seen:x?}, not {wanted:x?}")]
        });
    }
    let tolerance = expect["tolerance"].as_f64().unwrap_or(0.0);
    let stride = number(&expect["stride"]) as usize;
    let kind = expect["type"].as_str().unwrap_or("");
    let unknown = || format!("the type `{kind}` is unknown");
    let item = ItemType::parse(kind).ok_or_else(unknown)?;
    let size = scalar_size(item.scalar).ok_or_else(unknown)?;
    let is_row_major = expect["row_major"].as_bool().unwrap_or(false);
    let line = if is_row_major { item.columns } else { item.rows };
    let between = match number(&expect["matrix_stride"]) as usize {
        0 => size * if line == 3 { 4 } else { line },
        given => given,
    };
    let numbers = item.columns * item.rows;
    let mut wrong = Vec::new();
    for (at, value) in expect["values"].as_array().into_iter().flatten().enumerate() {
        let (column, row) = (at % numbers / item.rows, at % item.rows);
        let (outer, inner) = if is_row_major { (row, column) } else { (column, row) };
        let from = offset + at / numbers * stride + outer * between + inner * size;
        let bytes = buffer.bytes.get(from..from + size);
        let undefined = (from..from + size).any(|byte| buffer.at(byte as u64).is_none());
        let close = bytes.is_some_and(|bytes| is_close(item.scalar, bytes, value, tolerance));
        if !close || undefined {
            let seen = bytes.and_then(|bytes| read_scalar(item.scalar, bytes));
            wrong.push(format!(
                "item {at} is {seen:?}{}, not {value}",
                if undefined { " (undefined)" } else { "" }
            ));
        }
    }
    Ok(wrong)
}

/// Returns true if the bytes of a number are the expected value. A decimal stands for the nearest value of the type;
/// integers are compared exactly without a tolerance.
fn is_close(scalar: &str, bytes: &[u8], value: &Value, tolerance: f64) -> bool {
    let bits = bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
    let Some(width) = Width::from_bits(bytes.len() as u32 * 8) else { return false };
    let is_float = matches!(scalar, "float" | "double" | "float16");
    let whole = value.as_u64().or_else(|| value.as_i64().map(|value| value as u64));
    if let (false, Some(whole)) = (is_float, whole)
        && tolerance == 0.0
    {
        return Scalar::new(width, bits) == Scalar::u(width, whole) && fits(scalar, width, value);
    }
    let given = value.as_f64().unwrap_or(f64::NAN);
    let wanted = if is_float { Scalar::float(width, given).to_f64() } else { given };
    // For large values a tolerance is relative, as in comparisons of drivers.
    let within = |seen: f64| (seen - wanted).abs() <= tolerance.max(tolerance * wanted.abs());
    read_scalar(scalar, bytes).is_some_and(|seen| seen == wanted || within(seen))
}

/// Returns true if an integer type has a value.
fn fits(scalar: &str, width: Width, value: &Value) -> bool {
    let most = if scalar.starts_with('u') { width.mask() } else { width.mask() >> 1 };
    match (value.as_u64(), value.as_i64()) {
        (Some(value), _) => value <= most,
        (None, Some(value)) => !scalar.starts_with('u') && value >= -(most.cast_signed()) - 1,
        (None, None) => false,
    }
}

fn scalar_size(name: &str) -> Option<usize> {
    Some(match name {
        "int8" | "uint8" => 1,
        "int16" | "uint16" | "float16" => 2,
        "int32" | "uint32" | "float" => 4,
        "int64" | "uint64" | "double" => 8,
        _ => return None,
    })
}

fn read_scalar(name: &str, bytes: &[u8]) -> Option<f64> {
    let bits = bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
    let component = Scalar::new(Width::from_bits(bytes.len() as u32 * 8)?, bits);
    Some(match name {
        "float" | "double" | "float16" => component.to_f64(),
        _ if name.starts_with('u') => component.as_u64() as f64,
        _ => component.as_i64() as f64,
    })
}

fn rect(expect: &Value) -> [u32; 4] {
    std::array::from_fn(|at| number(&expect["rect"][at]))
}

fn number(value: &Value) -> u32 {
    value.as_u64().or_else(|| value.as_i64().map(|value| value as u64)).unwrap_or(0) as u32
}

/// Bits of a specialization constant: floats as 32 bits.
fn bits(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        Value::Number(value) => {
            let whole = value.as_u64().or_else(|| value.as_i64().map(|value| value as u64));
            whole.unwrap_or_else(|| u64::from((value.as_f64().unwrap_or(0.0) as f32).to_bits()))
        }
        _ => 0,
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect();
    bytes.ok_or_else(|| "bytes are pairs of hexadecimal digits".to_owned())
}

/// The location of a report, in words.
fn place(at: Anchor) -> String {
    match at {
        Anchor::Inst(func, inst) => format!("{inst} of {func}"),
        Anchor::Terminator(func, block) => format!("the terminator of {block} of {func}"),
        Anchor::Func(func) => func.to_string(),
        other => format!("{other:?}"),
    }
}

/// Outputs by the names of their keys, as hexadecimal bits.
fn outputs_json(outputs: &Outputs) -> serde_json::Map<String, Value> {
    let text = |bits: &Option<u64>| json!(bits.map(|bits| format!("{bits:#010x}")));
    outputs.iter().map(|(key, bits)| (key.to_string(), text(bits))).collect()
}

/// An outcome as JSON: outputs, vertices and primitives, buffers, and undefined values.
pub fn outcome_json(outcome: &Outcome) -> Value {
    let outcomes: Vec<Value> = outcome
        .invocations
        .iter()
        .filter(|(_, invocation)| {
            let has_created = !invocation.outputs.is_empty() || !invocation.elements.is_empty();
            has_created || invocation.end != InvocationEnd::Returned
        })
        .map(|(number, invocation)| {
            let elements: Vec<Value> = invocation
                .elements
                .iter()
                .map(|(element, of)| json!({ "element": element.to_string(), "outputs": outputs_json(of) }))
                .collect();
            let mut value = json!({
                "invocation": number,
                "at": invocation.at,
                "end": format!("{:?}", invocation.end).to_lowercase(),
                "outputs": outputs_json(&invocation.outputs),
            });
            if !elements.is_empty() {
                value["elements"] = json!(elements);
            }
            value
        })
        .collect();
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let memory = |list: &BTreeMap<((u32, u32), u32), Bytes>| -> Vec<Value> {
        list.iter()
            .map(|(((set, binding), element), of)| {
                let undefined = of.undefined.len();
                json!({ "set": set, "binding": binding, "element": element, "bytes": bytes(&of.bytes), "undefined": undefined })
            })
            .collect()
    };
    let args: Vec<Value> =
        outcome.args.iter().map(|(at, of)| json!({ "argument": at, "bytes": bytes(&of.bytes) })).collect();
    let reports: Vec<Value> = outcome
        .reports
        .list()
        .iter()
        .map(|report| {
            let at = place(report.at);
            let message = report.ub.says();
            json!({ "code": report.ub.code(), "says": message, "at": at, "invocation": report.invocation, "count": report.count })
        })
        .collect();
    let print = |print: &Print| {
        let at = place(Anchor::Inst(print.at.0, print.at.1));
        json!({ "invocation": print.invocation, "position": print.position, "at": at, "text": print.text })
    };
    let prints: Vec<Value> = outcome.prints.list().iter().map(print).collect();
    json!({
        "invocations": outcome.invocations.len(),
        "outcomes": outcomes,
        "buffers": memory(&outcome.buffers),
        "images": memory(&outcome.images),
        "args": args,
        "reports": reports,
        "reports_dropped": outcome.reports.dropped,
        "prints": prints,
        "prints_dropped": outcome.prints.dropped,
        "instructions": outcome.work.0,
        "lane_instructions": outcome.work.1,
    })
}
