//! Cases by name as JSON. A field of the wrong kind is an error that names it; an absent one is empty.
//!
//! ```text
//! { "kind": "d3dbc", "profile": "ps_3_0", "agreed_by": [], "runs": [ {
//!     "seed": 3, "groups": [1, 1, 1],
//!     "inputs":    { "v0": { "type": "f32", "components": "xy", "plane": [[base, dx, dy], …] } },
//!     "constants": { "c5": [1, 0, 0, 0.5], "i0": [4, 0, 1, 0], "b0": 1, "cb0[3]": ["0x3f800000", …] },
//!     "textures":  { "s0": { "kind": "texture", "dim": "2d", "format": "rgba32f", "size": [8, 8, 1],
//!                            "layers": 1, "levels": 3, "samples": 1 } },
//!     "buffers":   { "u0": { "kind": "raw", "pattern": "int", "words": 64 } },
//!     "expect": {
//!       "outputs": { "oC0": { "type": "f32", "components": "xyzw", "compare": "saturated", "tolerance": { "abs": 1e-6 },
//!                             "values": [ ["0x3f800000", null, "nan", …], null, … ] } },
//!       "discarded": [1], "buffers": { "u0": { "bytes": 256, "changed": [[offset, "hexadecimal"]] } } } } ] }
//! ```
//!
//! A word `null` may be anything; a list of values `null` belongs to an invocation that is discarded.
//! Binding, running and comparing are the library's: [`NamedCase`].

use super::{
    CaseRun, Contents, ExpectedMemory, ExpectedOutput, ExpectedWord, NamedCase, Plane, Rule, StageInput,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use vitrine_ir::Stage;

type Read<T> = Result<T, String>;

/// Returns true if the JSON is a case by name: it has a profile, and runs.
pub(super) fn is_named_case(json: &Value) -> bool {
    json["profile"].is_string() && json["runs"].is_array()
}

/// Reads a case from JSON, or returns a sentence that names the field and the run that cannot be read.
pub(super) fn read(json: &Value) -> Read<NamedCase> {
    let profile = text(&json["profile"], "profile")?;
    let stage = match profile.get(..2) {
        Some("ps") => Stage::Fragment,
        Some("vs") => Stage::Vertex,
        Some("cs") => Stage::Compute,
        _ => return Err(format!("the stage of the profile `{profile}` cannot be run")),
    };
    let kind = text(&json["kind"], "kind")?.to_owned();
    let mut runs = Vec::new();
    for (number, run) in list(&json["runs"], "runs")?.iter().enumerate() {
        runs.push(read_run(run, &kind).map_err(|sentence| format!("run {number}: {sentence}"))?);
    }
    let module = json["module"].as_str().unwrap_or("").to_owned();
    Ok(NamedCase { module, kind, stage, agreed_by: names(&json["agreed_by"]), runs })
}

fn read_run(run: &Value, kind: &str) -> Read<CaseRun> {
    let seed = match &run["seed"] {
        Value::Null => 0,
        seed => seed.as_u64().ok_or("`seed` is not a number")?,
    };
    let mut out = CaseRun { agreed_by: names(&run["agreed_by"]), groups: [1; 3], ..CaseRun::default() };
    if !run["groups"].is_null() {
        out.groups = three(&run["groups"], "groups")?;
    }
    for (name, input) in object(&run["inputs"], "inputs")? {
        out.inputs.push(stage_input(name, input).map_err(|sentence| format!("input {name}: {sentence}"))?);
    }
    for (name, value) in object(&run["constants"], "constants")? {
        let (key, row) =
            constant(name, value, kind).map_err(|sentence| format!("constant {name}: {sentence}"))?;
        out.constants.insert(key, row);
    }
    for field in ["textures", "buffers"] {
        for (name, of) in object(&run[field], field)? {
            let contents =
                resource(name, of, seed).map_err(|sentence| format!("{field} {name}: {sentence}"))?;
            out.resources.insert(name.clone(), contents);
        }
    }
    let expect = &run["expect"];
    for (name, of) in object(&expect["outputs"], "outputs")? {
        out.outputs.push(output(name, of).map_err(|sentence| format!("output {name}: {sentence}"))?);
    }
    if !expect["discarded"].is_null() {
        for invocation in list(&expect["discarded"], "discarded")? {
            out.discarded.insert(invocation.as_u64().ok_or("`discarded` has a word that is not a number")?);
        }
    }
    for (name, of) in object(&expect["buffers"], "buffers")? {
        let memory =
            memory(name, of, &out.resources).map_err(|sentence| format!("buffer {name}: {sentence}"))?;
        out.memory.push(memory);
    }
    Ok(out)
}

fn stage_input(name: &str, of: &Value) -> Read<StageInput> {
    let is_float = is_float(of)?;
    let components = components(of)?;
    let planes = list(&of["plane"], "plane")?;
    if planes.len() != components.len() {
        return Err(format!("{} planes for {} components", planes.len(), components.len()));
    }
    let mut out = Vec::new();
    for (component, plane) in components.into_iter().zip(planes) {
        let [Some(dx), Some(dy)] = [1, 2].map(|at| plane[at].as_f64()) else {
            return Err("a plane has three numbers".to_owned());
        };
        let base = if is_float {
            plane[0].as_f64().map(|base| (base as f32).to_bits())
        } else {
            plane[0].as_i64().map(|base| base as u32)
        };
        let base = base.ok_or("the base of a plane is not a number of its type")?;
        out.push(Plane { component, base, slope: [dx as f32, dy as f32] });
    }
    Ok(StageInput { name: name.to_owned(), is_float, planes: out })
}

/// The root, the row, and the words of a constant.
fn constant(name: &str, value: &Value, kind: &str) -> Read<((String, u32), [u32; 4])> {
    let (root, row) = match name.split_once('[') {
        Some((root, row)) => (root, row.strip_suffix(']').unwrap_or("")),
        None => name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len())),
    };
    let row = row.parse().map_err(|_| "a constant has a name and a row, such as c5 or cb0[3]")?;
    // Booleans are single values.
    let values = value.as_array().map_or(std::slice::from_ref(value), |list| list.as_slice());
    let mut words = [0; 4];
    if values.len() > words.len() {
        return Err("a row has four words".to_owned());
    }
    let is_float = kind == "d3dbc" && root == "c";
    for (word, value) in words.iter_mut().zip(values) {
        *word = match (value, value.as_f64()) {
            (Value::String(text), _) => hex_word(text)?,
            (_, Some(number)) if is_float => (number as f32).to_bits(),
            _ => value.as_i64().ok_or("a word is not a number")? as u32,
        };
    }
    Ok(((root.to_owned(), row), words))
}

fn resource(name: &str, of: &Value, seed: u64) -> Read<Contents> {
    let digits: String =
        name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let register = digits.parse::<u32>().map_err(|_| "the name has no number")?;
    let register = u64::from(register);
    match text(&of["kind"], "kind")? {
        "raw" => {
            let rule = match (&of["value"], of["pattern"].as_str()) {
                (Value::Null, Some("int")) => Rule::Int,
                (Value::Null, Some("float")) => Rule::Float,
                (Value::Null, _) => return Err("`pattern` is neither int nor float".to_owned()),
                (value, _) => Rule::Value(number(value, "value")?),
            };
            Contents::raw(rule, number(&of["words"], "words")?, register, seed)
        }
        "texture" | "typed" => {
            let counts = [
                number(&of["layers"], "layers")?,
                number(&of["levels"], "levels")?,
                number(&of["samples"], "samples")?,
            ];
            let format = text(&of["format"], "format")?;
            Contents::image(
                format,
                text(&of["dim"], "dim")?,
                three(&of["size"], "size")?,
                counts,
                register,
                seed,
            )
        }
        other => Err(format!("the kind `{other}` is unknown")),
    }
}

fn output(name: &str, of: &Value) -> Read<ExpectedOutput> {
    let components = components(of)?;
    let mut values = Vec::new();
    for invocation in list(&of["values"], "values")? {
        if invocation.is_null() {
            values.push(None);
            continue;
        }
        let words: Read<Vec<ExpectedWord>> = list(invocation, "values")?
            .iter()
            .map(|word| match word.as_str() {
                None if word.is_null() => Ok(ExpectedWord::Any),
                Some("nan") => Ok(ExpectedWord::Nan),
                Some(text) => hex_word(text).map(ExpectedWord::Bits),
                None => Err("an expected value is null, nan or a word such as 0x3f800000".to_owned()),
            })
            .collect();
        let words = words?;
        if words.len() != components.len() {
            return Err(format!("{} values for {} components", words.len(), components.len()));
        }
        values.push(Some(words));
    }
    let is_saturated = match of["compare"].as_str() {
        None if of["compare"].is_null() => false,
        Some("saturated") => true,
        _ => return Err("the comparison is unknown".to_owned()),
    };
    let absolute = of["tolerance"]["abs"].as_f64().unwrap_or(0.0) as f32;
    Ok(ExpectedOutput {
        name: name.to_owned(),
        is_float: is_float(of)?,
        components,
        is_saturated,
        absolute,
        values,
    })
}

fn memory(name: &str, of: &Value, resources: &BTreeMap<String, Contents>) -> Read<ExpectedMemory> {
    let mut bytes = resources.get(name).ok_or("the case has no contents for it")?.bytes().to_vec();
    let size = number(&of["bytes"], "bytes")? as usize;
    if size != bytes.len() {
        return Err(format!("{size} bytes are expected, but it has {}", bytes.len()));
    }
    for change in list(&of["changed"], "changed")? {
        let offset = number(&change[0], "changed")? as usize;
        let new = hex_bytes(text(&change[1], "changed")?)?;
        let part = offset.checked_add(new.len()).and_then(|end| bytes.get_mut(offset..end));
        part.ok_or("a change is outside of it")?.copy_from_slice(&new);
    }
    Ok(ExpectedMemory { name: name.to_owned(), bytes })
}

fn is_float(of: &Value) -> Read<bool> {
    match text(&of["type"], "type")? {
        "f32" => Ok(true),
        "u32" | "i32" => Ok(false),
        other => Err(format!("the type `{other}` is unknown")),
    }
}

fn components(of: &Value) -> Read<Vec<u32>> {
    let letters = text(&of["components"], "components")?;
    let found: Option<Vec<u32>> = letters.chars().map(|c| "xyzw".find(c).map(|at| at as u32)).collect();
    found.ok_or_else(|| format!("`{letters}` are not components"))
}

fn names(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn text<'v>(value: &'v Value, field: &str) -> Read<&'v str> {
    value.as_str().ok_or_else(|| format!("`{field}` is not text"))
}

fn number(value: &Value, field: &str) -> Read<u32> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("`{field}` is not a number of 32 bits"))
}

fn list<'v>(value: &'v Value, field: &str) -> Read<&'v [Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("`{field}` is not a list"))
}

/// The entries of an object; none if it is absent.
fn object<'v>(value: &'v Value, field: &str) -> Read<impl Iterator<Item = (&'v String, &'v Value)>> {
    let entries: Option<&Map<String, Value>> = match value {
        Value::Null => None,
        Value::Object(entries) => Some(entries),
        _ => return Err(format!("`{field}` is not an object")),
    };
    Ok(entries.into_iter().flatten())
}

fn three(value: &Value, field: &str) -> Read<[u32; 3]> {
    let mut out = [1; 3];
    for (slot, axis) in out.iter_mut().zip(list(value, field)?) {
        *slot = number(axis, field)?;
    }
    Ok(out)
}

fn hex_word(text: &str) -> Read<u32> {
    let word = text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    word.ok_or_else(|| format!("`{text}` is not a word such as 0x3f800000"))
}

fn hex_bytes(text: &str) -> Read<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect();
    bytes.ok_or_else(|| "bytes are pairs of hexadecimal digits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_case_is_read() {
        let json = json!({
            "module": "a test", "kind": "d3dbc", "profile": "vs_2_0", "agreed_by": ["hand"],
            "runs": [{
                "seed": 2,
                "inputs": { "v0": { "type": "f32", "components": "yw", "plane": [[0.5, 1, 0], [0, 0, -2]] } },
                "constants": { "c1": [1, 0, -3, 0.25], "i0": [4, 0, -1, 0], "b3": 1, "cb2[7]": ["0x3f800000"] },
                "textures": { "s1": { "kind": "texture", "format": "rgba32f", "dim": "2d", "size": [2, 1, 1],
                    "layers": 1, "levels": 1, "samples": 1 } },
                "buffers": { "u0": { "kind": "raw", "pattern": "int", "words": 2 } },
                "expect": {
                    "outputs": { "oD0": { "type": "f32", "components": "x", "compare": "saturated",
                        "tolerance": { "ulp": 1, "abs": 0.5 }, "values": [["nan"], null, [null], ["0x40000000"]] } },
                    "discarded": [1],
                    "buffers": { "u0": { "bytes": 8, "changed": [[4, "0a00"]] } },
                },
            }],
        });
        assert!(is_named_case(&json));
        let case = read(&json).expect("the case is sound");
        assert_eq!(case.stage, Stage::Vertex);
        let run = &case.runs[0];
        let plane = |component, base: f32, slope| Plane { component, base: base.to_bits(), slope };
        assert_eq!(run.inputs[0].planes, [plane(1, 0.5, [1.0, 0.0]), plane(3, 0.0, [0.0, -2.0])]);
        let row = |name: &str, row| run.constants[&(name.to_owned(), row)];
        assert_eq!(row("c", 1), [1.0_f32, 0.0, -3.0, 0.25].map(f32::to_bits));
        assert_eq!((row("i", 0), row("b", 3)), ([4, 0, u32::MAX, 0], [1, 0, 0, 0]));
        assert_eq!(row("cb2", 7), [0x3f80_0000, 0, 0, 0]);
        assert_eq!(run.resources["s1"].bytes()[..4], (21.0_f32 / 64.0).to_le_bytes());
        assert_eq!(run.memory[0].bytes, [2, 0, 0, 0, 10, 0, 0, 0]);
        let output = &run.outputs[0];
        assert_eq!((output.is_saturated, output.absolute), (true, 0.5));
        let bits = ExpectedWord::Bits(0x4000_0000);
        assert_eq!(
            output.values,
            [Some(vec![ExpectedWord::Nan]), None, Some(vec![ExpectedWord::Any]), Some(vec![bits])]
        );
    }

    #[test]
    fn a_malformed_case_is_explained() {
        let wrong = |json: Value| read(&json).expect_err("the case is malformed");
        assert!(wrong(json!({ "profile": "gs_4_0", "kind": "tpf", "runs": [] })).contains("gs_4_0"));
        let run = |run: Value| wrong(json!({ "profile": "ps_3_0", "kind": "d3dbc", "runs": [run] }));
        let sentence = run(json!({ "inputs": { "v0": { "type": "f16", "components": "x", "plane": [] } } }));
        assert_eq!(sentence, "run 0: input v0: the type `f16` is unknown");
        assert!(run(json!({ "constants": { "c": [1] } })).contains("such as c5"));
        assert!(run(json!({ "textures": { "s0": { "kind": "hologram" } } })).contains("hologram"));
    }
}
