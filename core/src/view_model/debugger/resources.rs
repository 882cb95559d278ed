//! Inputs and results of a run, by name: a list, and the bytes of each as a table.
//!
//! A table is computed for a range of rows, so the cost of a large buffer depends on its visible part.

use super::Answer;
use super::output_names::OutputNames;
use super::words::{View, number, plain};
use crate::interp::{
    Bytes, Element, InputBytes, Inputs, InvocationOutcome, KernelArg, Named, OutKey, Outcome, Outputs, Port,
    Slot, elements_of,
};
use crate::ir::{Mode, Module, Type, TypeData, Usage, Var};
use crate::ops::{Key, Width};

/// Words of a row.
const WORDS: u64 = 4;

/// Marks of a cell: 1 changed by the run, 2 different from the results of the input, 3 undefined.
const CHANGED: u32 = 1;
const OTHER: u32 = 2;
const UNDEFINED: u32 = 3;

/// A resource of a run that can be displayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resource {
    /// A uniform or storage buffer, an element of an array of them.
    Buffer(Slot, u32),
    /// Push constants.
    Push,
    /// The texels of an image.
    Image(Slot, u32),
    /// A buffer argument of a kernel.
    Arg(u32),
    /// The outputs of each invocation.
    Outputs,
}

/// The resources of a run in order, and the list for display: kind, name, location, size or value, number of
/// the resource or nothing, an assignment that may be changed or nothing; separated by tabs, one on each line, after an `i`.
pub(super) fn list(
    module: &Module,
    entry: usize,
    inputs: &Inputs,
    ports: &[Port],
    is_call: bool,
) -> (Vec<Resource>, String) {
    let mut made = ResourceList { resources: Vec::new(), text: String::new() };
    for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
        let place = |(set, binding): Slot| format!("set {set} binding {binding}");
        let slot = slot(module, var);
        match data.mode {
            Mode::Uniform | Mode::Storage => {
                let Some(slot) = slot else { continue };
                let buffers = inputs.buffers.get(&slot).map_or(&[][..], |buffers| buffers);
                for element in elements_of(module, var, buffers.len()) {
                    let bytes = &buffers[element as usize];
                    let resource = Resource::Buffer(slot, element);
                    made.row(
                        data.mode.name(),
                        &module.name_of(var),
                        &place(slot),
                        &size(bytes),
                        Some(resource),
                        "",
                    );
                }
            }
            Mode::Push => {
                made.row("push", &module.name_of(var), "", &size(&inputs.push), Some(Resource::Push), "");
            }
            Mode::Handle => {
                let Some(slot) = slot else { continue };
                let images = inputs.images.get(&slot).map_or(&[][..], |images| images);
                for element in elements_of(module, var, images.len()) {
                    let image = &images[element as usize];
                    let [x, y, z] = image.size;
                    let mut name = module.name_of(var);
                    if images.len() > 1 {
                        name.push_str(&format!("[{element}]"));
                    }
                    let value_text = format!("{x}×{y}×{z}, {} layers, {} levels", image.layers, image.levels);
                    let resource = Resource::Image(slot, element);
                    let draft = format!("{name} = checker");
                    made.row("image", &name, &place(slot), &value_text, Some(resource), &draft);
                }
                if let Some(samplers) = inputs.samplers.get(&slot) {
                    let value_text = samplers.first().map_or(String::new(), |sampler| {
                        let filter = if sampler.mag_linear { "linear" } else { "nearest" };
                        format!("{filter}, {:?}", sampler.wrap[0]).to_lowercase()
                    });
                    made.row("sampler", &module.name_of(var), &place(slot), &value_text, None, "");
                }
            }
            Mode::In
            | Mode::Out
            | Mode::Private
            | Mode::Local
            | Mode::Shared
            | Mode::Payload
            | Mode::Physical
            | Mode::Callable
            | Mode::Generic => {}
        }
    }
    for (at, arg) in (0..).zip(&inputs.args) {
        match arg {
            KernelArg::Buffer(bytes) => {
                made.row("argument", &at.to_string(), "", &size(bytes), Some(Resource::Arg(at)), "");
            }
            KernelArg::Shared(bytes) => {
                made.row("argument", &at.to_string(), "shared", &format!("{bytes} bytes"), None, "");
            }
            KernelArg::Value(words) => {
                let mut value_text = String::new();
                words.iter().for_each(|word| value_text.push_str(&format!("{word:#x} ")));
                made.row("argument", &at.to_string(), "", value_text.trim(), None, "");
            }
        }
    }
    for of in super::inputs::varyings(module, entry, inputs) {
        match is_call {
            true => made.row("parameter", &of.name, &of.ty, "", None, &of.assignment),
            false => made.row("in", &of.name, &of.place, &of.value, None, &of.assignment),
        }
    }
    for (name, id, bits) in Named::new(module, entry, inputs).constants() {
        let given = inputs.specs.get(&id).copied().unwrap_or(bits);
        let draft = format!("{name} = {given:#x}");
        made.row("constant", &name, &format!("id {id}"), &format!("{given:#x}"), None, &draft);
    }
    if is_call && !ports.is_empty() {
        made.row("result", "result", "", "by component", Some(Resource::Outputs), "");
    } else if !ports.is_empty() {
        made.row("out", "outputs", "", "of every invocation", Some(Resource::Outputs), "");
    }
    (made.resources, made.text)
}

struct ResourceList {
    resources: Vec<Resource>,
    text: String,
}

impl ResourceList {
    fn row(
        &mut self,
        kind: &str,
        name: &str,
        place: &str,
        value_text: &str,
        resource: Option<Resource>,
        draft: &str,
    ) {
        let number = resource.map_or(String::new(), |_| self.resources.len().to_string());
        self.resources.extend(resource);
        self.text.push_str(&format!(
            "i{kind}\t{}\t{place}\t{value_text}\t{number}\t{}\n",
            plain(name),
            plain(draft)
        ));
    }
}

fn size(bytes: &[u8]) -> String {
    format!("{} bytes", bytes.len())
}

fn slot(module: &Module, var: Var) -> Option<Slot> {
    let attrs = &module.var(var)?.attrs;
    let (set, binding) = (attrs.get(Key::Set), attrs.get(Key::Binding));
    (set.is_some() || binding.is_some()).then(|| (set.unwrap_or(0) as u32, binding.unwrap_or(0) as u32))
}

/// Returns true if a type is a writable image, or an array of such.
pub(super) fn is_storage_image(module: &Module, mut ty: Type) -> bool {
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    matches!(module.type_of(ty), TypeData::Image(image) if image.usage != Usage::Sampled)
}

/// The rows `first` to `first + count` of a resource as a table, before the run and after it. `others` are
/// the results of the version and, if it is compared, those of the input.
///
/// Numbers: number of rows, the first row of the answer, columns, then a mark for each cell but the first of
/// each row. Text: the headings, then the rows, cells separated by tabs.
pub(super) fn table(
    resource: Resource,
    inputs: &Inputs,
    outcomes: &[&Outcome],
    view: View,
    [first, count]: [u32; 2],
) -> Answer {
    let before: &[u8] = match resource {
        Resource::Buffer(slot, element) => {
            inputs.buffers.get(&slot).and_then(|list| list.get(element as usize)).map_or(&[], |bytes| bytes)
        }
        Resource::Push => &inputs.push,
        Resource::Image(slot, element) => {
            let image = inputs.images.get(&slot).and_then(|list| list.get(element as usize));
            image.map_or(&[], |image| &image.bytes)
        }
        Resource::Arg(at) => match inputs.args.get(at as usize) {
            Some(KernelArg::Buffer(bytes)) => bytes,
            Some(KernelArg::Shared(_) | KernelArg::Value(_)) | None => &[],
        },
        Resource::Outputs => &[],
    };
    let left = |outcome: &'_ Outcome| match resource {
        Resource::Buffer(slot, element) => outcome.buffers.get(&(slot, element)).cloned(),
        Resource::Image(slot, element) => outcome.images.get(&(slot, element)).cloned(),
        Resource::Arg(at) => outcome.args.get(&at).cloned(),
        Resource::Push | Resource::Outputs => None,
    };
    let after: Vec<Bytes> = outcomes.iter().filter_map(|outcome| left(outcome)).collect();
    let rows = (before.len() as u64).div_ceil(4 * WORDS) as u32;
    let first = first.min(rows);
    let columns = 1 + WORDS as u32 * (1 + after.len() as u32);
    let mut answer = Answer { numbers: vec![rows, first, columns], ..Answer::default() };
    answer.text.push_str("byte");
    for head in ["before", "after", "after, of the input"].iter().take(1 + after.len()) {
        (0..WORDS).for_each(|word| answer.text.push_str(&format!("\t{head} +{}", word * 4)));
    }
    for row in first..rows.min(first.saturating_add(count)) {
        let start = u64::from(row) * 4 * WORDS;
        answer.text.push_str(&format!("\n{start:#06x}"));
        let given: Vec<Word> = (0..WORDS).map(|word| Word::of(before, &[], start + word * 4)).collect();
        given.iter().for_each(|word| word.put(&mut answer, view, 0));
        for (side, bytes) in after.iter().enumerate() {
            for (word, given) in (0..WORDS).zip(&given) {
                let at = start + word * 4;
                let now = Word::of(&bytes.bytes, &bytes.undefined, at);
                let theirs = after.get(1).map(|theirs| Word::of(&theirs.bytes, &theirs.undefined, at));
                let is_other = side == 0 && theirs.is_some_and(|theirs| !theirs.undefined && theirs != now);
                let mark = match () {
                    () if is_other => OTHER,
                    () if now.undefined => UNDEFINED,
                    () if now.bits != given.bits => CHANGED,
                    () => 0,
                };
                now.put(&mut answer, view, mark);
            }
        }
    }
    answer
}

/// The rows of a resource by the names in the shader: the name, the value before the run and after it. Of the same form as
/// [`table`]; none if the type has no names.
pub(super) fn named_table(
    of: InputBytes,
    named: &mut Named<'_>,
    inputs: &Inputs,
    outcomes: &[&Outcome],
    [first, count]: [u32; 2],
) -> Option<Answer> {
    let (values, rows) = named.values(of, inputs, first, count);
    let left = |outcome: &'_ Outcome| match of {
        InputBytes::Buffer(slot, element) => outcome.buffers.get(&(slot, element)).cloned(),
        InputBytes::Arg(at) => outcome.args.get(&at).cloned(),
        InputBytes::Push => None,
    };
    let after: Vec<Bytes> = outcomes.iter().filter_map(|outcome| left(outcome)).collect();
    let mut answer = Answer {
        numbers: vec![rows, first.min(rows), 2 + after.len() as u32],
        text: "name".to_owned(),
        ..Answer::default()
    };
    for head in ["before", "after", "after, of the input"].iter().take(1 + after.len()) {
        answer.text.extend(["\t", head]);
    }
    for value in &values {
        let before = value.text(of.of(inputs));
        answer.text.push_str(&format!("\n{}\t{before}", plain(&value.name)));
        answer.numbers.push(0);
        let is_undefined = |bytes: &Bytes| {
            let size = crate::ir::layout::scalar_bytes(value.width);
            value.offsets.iter().any(|&at| {
                let next = bytes.undefined.partition_point(|&byte| u64::from(byte) < at);
                bytes.undefined.get(next).is_some_and(|&byte| u64::from(byte) < at + size)
            })
        };
        let theirs =
            after.get(1).filter(|theirs| !is_undefined(theirs)).map(|theirs| value.text(&theirs.bytes));
        for (side, bytes) in after.iter().enumerate() {
            let now = value.text(&bytes.bytes);
            let undefined = is_undefined(bytes);
            answer.numbers.push(match () {
                () if side == 0 && theirs.as_ref().is_some_and(|theirs| undefined || *theirs != now) => OTHER,
                () if undefined => UNDEFINED,
                () if now != before => CHANGED,
                () => 0,
            });
            answer.text.extend(["\t", if undefined { "undefined" } else { &now }]);
        }
    }
    (rows > 0).then_some(answer)
}

/// Reads up to four bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word {
    bits: u64,
    bytes: usize,
    undefined: bool,
}

impl Word {
    fn of(bytes: &[u8], undefined: &[u32], at: u64) -> Word {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        let some = &bytes[start..bytes.len().min(start + 4)];
        let bits = some.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let next = undefined.partition_point(|&byte| u64::from(byte) < at);
        let hit = undefined.get(next).is_some_and(|&byte| u64::from(byte) < at + 4);
        Word { bits, bytes: some.len(), undefined: hit }
    }

    fn put(self, answer: &mut Answer, view: View, mark: u32) {
        answer.text.push('\t');
        answer.numbers.push(mark);
        match (self.bytes, self.undefined) {
            (0, _) => {}
            (_, true) => answer.text.push_str("undefined"),
            (4, false) => number(&mut answer.text, self.bits, Width::W32, view),
            // The end of a buffer that is not a whole word.
            (_, false) => answer.text.push_str(&format!("{:#x}", self.bits)),
        }
    }
}

/// The rows of a table of outputs: invocations, each followed by the vertices and primitives that it created. An invocation
/// whose only results are these has no row of its own.
fn output_rows(outcome: &Outcome) -> impl Iterator<Item = (u64, Option<Element>, &InvocationOutcome)> {
    outcome.invocations.iter().flat_map(|(&number, of)| {
        let is_row = !of.outputs.is_empty() || of.elements.is_empty();
        let own = is_row.then_some((number, None, of));
        own.into_iter().chain(of.elements.keys().map(move |&element| (number, Some(element), of)))
    })
}

/// The outputs of an invocation, or of a vertex or a primitive that it created.
fn outputs_of(of: &InvocationOutcome, element: Option<Element>) -> Option<&Outputs> {
    element.map_or(Some(&of.outputs), |element| of.elements.get(&element))
}

/// The outputs of invocations, and of the vertices and primitives that they created, as a table of the same form: one row
/// each.
pub(super) fn outputs(
    outcomes: &[&Outcome],
    ports: &[Port],
    names: &OutputNames,
    view: Option<View>,
    [first, count]: [u32; 2],
) -> Answer {
    let Some(now) = outcomes.first() else { return Answer::default() };
    let mut keys: Vec<OutKey> = ports.iter().map(|port| port.key).collect();
    let all = || output_rows(now).filter_map(|(_, element, of)| outputs_of(of, element));
    keys.extend(all().flat_map(|outputs| outputs.keys().copied()));
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| all().any(|outputs| outputs.contains_key(key)));
    let rows = output_rows(now).count() as u32;
    let first = first.min(rows);
    let mut answer = Answer { numbers: vec![rows, first, 2 + keys.len() as u32], ..Answer::default() };
    answer.text.push_str("invocation\tend");
    keys.iter().for_each(|&key| answer.text.push_str(&format!("\t{}", names.name(key))));
    for (number, element, invocation) in output_rows(now).skip(first as usize).take(count as usize) {
        let theirs = outcomes.get(1).and_then(|theirs| theirs.invocations.get(&number));
        let theirs = theirs.and_then(|theirs| outputs_of(theirs, element));
        let [x, y, z] = invocation.at;
        let end = format!("{:?}", invocation.end).to_lowercase();
        let part = element.map_or(String::new(), |element| format!(", {element}"));
        answer.text.push_str(&format!("\n{number} at ({x}, {y}, {z}){part}\t{end}"));
        answer.numbers.push(0);
        for key in &keys {
            let value = outputs_of(invocation, element).and_then(|outputs| outputs.get(key).copied());
            let other = theirs.and_then(|theirs| theirs.get(key).copied());
            let is_other = other.flatten().is_some_and(|other| value.flatten() != Some(other));
            answer.numbers.push(match value {
                _ if is_other => OTHER,
                Some(None) => UNDEFINED,
                Some(Some(_)) | None => 0,
            });
            answer.text.push('\t');
            let port = ports.iter().find(|port| port.key == *key);
            let meant = if port.is_some_and(|port| !port.float) { View::Int } else { View::Float };
            let width = port.map_or(Width::W32, |port| port.width);
            match value {
                None => {}
                Some(None) => answer.text.push_str("undefined"),
                Some(Some(bits)) => {
                    super::words::number(&mut answer.text, bits, width, view.unwrap_or(meant));
                }
            }
        }
    }
    answer
}

/// The result of a called function: a row for each component, with its value, and that of the input if it is compared.
pub(super) fn results(outcomes: &[&Outcome], ports: &[Port], module: &Module) -> Answer {
    let columns = 1 + outcomes.len() as u32;
    let mut answer = Answer { numbers: vec![ports.len() as u32, 0, columns], ..Answer::default() };
    answer.text.push_str(if outcomes.len() > 1 {
        "result\tthis version\tthe input"
    } else {
        "result\tvalue"
    });
    for (at, port) in ports.iter().enumerate() {
        let letter = ["x", "y", "z", "w"].get(at);
        let name = match letter.filter(|_| ports.len() > 1) {
            Some(letter) => format!("result.{letter}"),
            None if ports.len() > 1 => format!("result[{at}]"),
            None => "result".to_owned(),
        };
        answer.text.push_str(&format!("\n{name}"));
        let values = outcomes.iter().map(|outcome| {
            outcome.invocations.values().next().and_then(|one| one.outputs.get(&port.key).copied())
        });
        let values: Vec<Option<Option<u64>>> = values.collect();
        let is_other = values.iter().any(|value| *value != values[0]);
        for value in values {
            answer.numbers.push(match value {
                _ if is_other => OTHER,
                Some(None) => UNDEFINED,
                Some(Some(_)) | None => 0,
            });
            answer.text.push('\t');
            match value {
                Some(Some(bits)) => number(&mut answer.text, bits, port.width, meant(module, port)),
                Some(None) => answer.text.push_str("undefined"),
                None => answer.text.push_str("none"),
            }
        }
    }
    answer
}

fn meant(module: &Module, port: &Port) -> View {
    let ty = module.var(port.var).map(|data| data.ty);
    let of = ty.map(|ty| match *module.type_of(ty) {
        TypeData::Vector { of, .. } => of,
        _ => ty,
    });
    match of.map(|of| module.type_of(of)) {
        Some(TypeData::Int { signed: true, .. }) => View::Int,
        Some(TypeData::Float { .. }) => View::Float,
        _ => View::Uint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_a_buffer_has_its_words_and_marks() {
        let slot = (0, 1);
        let bytes: Vec<u8> = (0..38).collect();
        let mut inputs = Inputs::default();
        inputs.buffers.insert(slot, vec![bytes.clone()]);
        let mut left = bytes.clone();
        left[20] = 0xff;
        let after = Bytes { bytes: left, undefined: vec![24] };
        let outcome = Outcome { buffers: [((slot, 0), after)].into(), ..Outcome::default() };
        let input = Outcome {
            buffers: [((slot, 0), Bytes { bytes, undefined: Vec::new() })].into(),
            ..Outcome::default()
        };
        let resource = Resource::Buffer(slot, 0);
        let answer = table(resource, &inputs, &[&outcome], View::Hex, [1, 1]);
        assert_eq!(answer.numbers[..3], [3, 1, 9]);
        assert_eq!(answer.numbers[3..], [0, 0, 0, 0, 0, CHANGED, UNDEFINED, 0]);
        let row = "0x0010\t0x13121110\t0x17161514\t0x1b1a1918\t0x1f1e1d1c\t0x13121110\t0x171615ff\tundefined\t0x1f1e1d1c";
        assert_eq!(answer.text.lines().nth(1), Some(row));
        let answer = table(resource, &inputs, &[&outcome, &input], View::Uint, [1, 99]);
        assert_eq!((answer.numbers[..3].to_vec(), answer.numbers[3 + 5]), (vec![3, 1, 13], OTHER));
        assert!(
            answer.text.lines().nth(2).unwrap().starts_with("0x0020\t589439264\t0x2524\t\t\t"),
            "{}",
            answer.text
        );
        assert_eq!(table(resource, &inputs, &[], View::Uint, [99, 1]).numbers[..3], [3, 3, 5]);
    }
}
