//! Inputs and results of a run, by name: a list, and the bytes of each as a table.
//!
//! A table is computed for a range of rows, so the cost of a large buffer depends on its visible part.

use super::output_names::OutputNames;
use super::words::{View, number_text, plain};
use crate::interp::{
    Bytes, Element, InputBytes, Inputs, InvocationOutcome, KernelArg, Named, OutKey, Outcome, Outputs, Port,
    Slot, elements_of,
};
use crate::ir::{Mode, Module, Type, TypeData, Usage, Var};
use crate::ops::{Key, Width};
use vitrine_protocol::{CellMark, RunInput, TableCell, TableReport};

/// Words of a row.
const WORDS: u64 = 4;

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

/// The resources of a run in order, and its inputs for display; some results are listed like inputs.
pub(super) fn list(
    module: &Module,
    entry: usize,
    inputs: &Inputs,
    ports: &[Port],
    is_call: bool,
) -> (Vec<Resource>, Vec<RunInput>) {
    let mut made = ResourceList::default();
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
    (made.resources, made.list)
}

#[derive(Default)]
struct ResourceList {
    resources: Vec<Resource>,
    list: Vec<RunInput>,
}

impl ResourceList {
    fn row(
        &mut self,
        kind: &str,
        name: &str,
        place: &str,
        value: &str,
        resource: Option<Resource>,
        draft: &str,
    ) {
        let number = resource.map(|_| self.resources.len() as u32);
        self.resources.extend(resource);
        self.list.push(RunInput {
            kind: kind.to_owned(),
            name: plain(name),
            place: place.to_owned(),
            value: value.to_owned(),
            resource: number,
            assignment: plain(draft),
        });
    }
}

/// A cell.
pub(super) fn cell(text: impl Into<String>, mark: CellMark) -> TableCell {
    TableCell { text: text.into(), mark }
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

/// The rows `first` to `first + count` of a resource as a table, before the run and after it. `outcomes` are
/// the results of the version and, if it is compared, those of the input.
pub(super) fn table(
    resource: Resource,
    inputs: &Inputs,
    outcomes: &[&Outcome],
    view: View,
    [first, count]: [u32; 2],
) -> TableReport {
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
    let mut heads = vec!["byte".to_owned()];
    for head in ["before", "after", "after, of the input"].iter().take(1 + after.len()) {
        heads.extend((0..WORDS).map(|word| format!("{head} +{}", word * 4)));
    }
    let mut cells = Vec::new();
    for row in first..rows.min(first.saturating_add(count)) {
        let start = u64::from(row) * 4 * WORDS;
        cells.push(cell(format!("{start:#06x}"), CellMark::Plain));
        let given: Vec<Word> = (0..WORDS).map(|word| Word::of(before, &[], start + word * 4)).collect();
        cells.extend(given.iter().map(|word| cell(word.text(view), CellMark::Plain)));
        for (side, bytes) in after.iter().enumerate() {
            for (word, given) in (0..WORDS).zip(&given) {
                let at = start + word * 4;
                let now = Word::of(&bytes.bytes, &bytes.undefined, at);
                let theirs = after.get(1).map(|theirs| Word::of(&theirs.bytes, &theirs.undefined, at));
                let is_other = side == 0 && theirs.is_some_and(|theirs| !theirs.undefined && theirs != now);
                let mark = match () {
                    () if is_other => CellMark::Other,
                    () if now.undefined => CellMark::Undefined,
                    () if now.bits != given.bits => CellMark::Changed,
                    () => CellMark::Plain,
                };
                cells.push(cell(now.text(view), mark));
            }
        }
    }
    TableReport { rows, first, heads, is_named: false, cells }
}

/// The rows of a resource by the names in the shader: the name, the value before the run and after it. Of the same form as
/// [`table`]; none if the type has no names.
pub(super) fn named_table(
    of: InputBytes,
    named: &mut Named<'_>,
    inputs: &Inputs,
    outcomes: &[&Outcome],
    [first, count]: [u32; 2],
) -> Option<TableReport> {
    let (values, rows) = named.values(of, inputs, first, count);
    let left = |outcome: &'_ Outcome| match of {
        InputBytes::Buffer(slot, element) => outcome.buffers.get(&(slot, element)).cloned(),
        InputBytes::Arg(at) => outcome.args.get(&at).cloned(),
        InputBytes::Push => None,
    };
    let after: Vec<Bytes> = outcomes.iter().filter_map(|outcome| left(outcome)).collect();
    let heads = ["name", "before", "after", "after, of the input"].iter().take(2 + after.len());
    let mut cells = Vec::new();
    for value in &values {
        let before = value.text(of.of(inputs));
        cells.push(cell(plain(&value.name), CellMark::Plain));
        cells.push(cell(before.clone(), CellMark::Plain));
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
            let mark = match () {
                () if side == 0 && theirs.as_ref().is_some_and(|theirs| undefined || *theirs != now) => {
                    CellMark::Other
                }
                () if undefined => CellMark::Undefined,
                () if now != before => CellMark::Changed,
                () => CellMark::Plain,
            };
            cells.push(if undefined { cell("undefined", mark) } else { cell(now, mark) });
        }
    }
    let heads = heads.map(|&head| head.to_owned()).collect();
    (rows > 0).then(|| TableReport { rows, first: first.min(rows), heads, is_named: true, cells })
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

    fn text(self, view: View) -> String {
        match (self.bytes, self.undefined) {
            (0, _) => String::new(),
            (_, true) => "undefined".to_owned(),
            (4, false) => number_text(self.bits, Width::W32, view),
            // The end of a buffer that is not a whole word.
            (_, false) => format!("{:#x}", self.bits),
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
) -> TableReport {
    let Some(now) = outcomes.first() else { return TableReport::default() };
    let mut keys: Vec<OutKey> = ports.iter().map(|port| port.key).collect();
    let all = || output_rows(now).filter_map(|(_, element, of)| outputs_of(of, element));
    keys.extend(all().flat_map(|outputs| outputs.keys().copied()));
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| all().any(|outputs| outputs.contains_key(key)));
    let rows = output_rows(now).count() as u32;
    let first = first.min(rows);
    let heads = ["invocation", "end"].map(str::to_owned).into_iter();
    let heads = heads.chain(keys.iter().map(|&key| names.name(key))).collect();
    let mut cells = Vec::new();
    for (number, element, invocation) in output_rows(now).skip(first as usize).take(count as usize) {
        let theirs = outcomes.get(1).and_then(|theirs| theirs.invocations.get(&number));
        let theirs = theirs.and_then(|theirs| outputs_of(theirs, element));
        let [x, y, z] = invocation.at;
        let end = format!("{:?}", invocation.end).to_lowercase();
        let part = element.map_or(String::new(), |element| format!(", {element}"));
        cells.push(cell(format!("{number} at ({x}, {y}, {z}){part}"), CellMark::Plain));
        cells.push(cell(end, CellMark::Plain));
        for key in &keys {
            let value = outputs_of(invocation, element).and_then(|outputs| outputs.get(key).copied());
            let other = theirs.and_then(|theirs| theirs.get(key).copied());
            let is_other = other.flatten().is_some_and(|other| value.flatten() != Some(other));
            let port = ports.iter().find(|port| port.key == *key);
            let meant = if port.is_some_and(|port| !port.float) { View::Int } else { View::Float };
            let width = port.map_or(Width::W32, |port| port.width);
            let text = match value {
                None => String::new(),
                Some(None) => "undefined".to_owned(),
                Some(Some(bits)) => number_text(bits, width, view.unwrap_or(meant)),
            };
            cells.push(cell(text, output_mark(value, is_other)));
        }
    }
    TableReport { rows, first, heads, is_named: false, cells }
}

/// The mark of an output: its bits, none if they are undefined, nothing if it was not written.
fn output_mark(value: Option<Option<u64>>, is_other: bool) -> CellMark {
    match value {
        _ if is_other => CellMark::Other,
        Some(None) => CellMark::Undefined,
        Some(Some(_)) | None => CellMark::Plain,
    }
}

/// The result of a called function: a row for each component, with its value, and that of the input if it is compared.
pub(super) fn results(outcomes: &[&Outcome], ports: &[Port], module: &Module) -> TableReport {
    if outcomes.is_empty() {
        return TableReport::default();
    }
    let heads: &[&str] =
        if outcomes.len() > 1 { &["result", "this version", "the input"] } else { &["result", "value"] };
    let mut cells = Vec::new();
    for (at, port) in ports.iter().enumerate() {
        let letter = ["x", "y", "z", "w"].get(at);
        let name = match letter.filter(|_| ports.len() > 1) {
            Some(letter) => format!("result.{letter}"),
            None if ports.len() > 1 => format!("result[{at}]"),
            None => "result".to_owned(),
        };
        cells.push(cell(name, CellMark::Plain));
        let values = outcomes.iter().map(|outcome| {
            outcome.invocations.values().next().and_then(|one| one.outputs.get(&port.key).copied())
        });
        let values: Vec<Option<Option<u64>>> = values.collect();
        let is_other = values.iter().any(|value| *value != values[0]);
        for value in values {
            let text = match value {
                Some(Some(bits)) => number_text(bits, port.width, meant(module, port)),
                Some(None) => "undefined".to_owned(),
                None => "none".to_owned(),
            };
            cells.push(cell(text, output_mark(value, is_other)));
        }
    }
    let heads = heads.iter().map(|&head| head.to_owned()).collect();
    TableReport { rows: ports.len() as u32, first: 0, heads, is_named: false, cells }
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
        let of = table(resource, &inputs, &[&outcome], View::Hex, [1, 1]);
        let marks = |of: &TableReport| of.cells.iter().map(|cell| cell.mark).collect::<Vec<_>>();
        assert_eq!((of.rows, of.first, of.heads.len()), (3, 1, 9));
        use CellMark::{Changed, Plain, Undefined};
        assert_eq!(marks(&of), [Plain, Plain, Plain, Plain, Plain, Plain, Changed, Undefined, Plain]);
        let row: Vec<&str> = of.cells.iter().map(|cell| cell.text.as_str()).collect();
        let words =
            "0x0010 0x13121110 0x17161514 0x1b1a1918 0x1f1e1d1c 0x13121110 0x171615ff undefined 0x1f1e1d1c";
        assert_eq!(row.join(" "), words);
        let of = table(resource, &inputs, &[&outcome, &input], View::Uint, [1, 99]);
        assert_eq!((of.rows, of.first, of.heads.len(), marks(&of)[6]), (3, 1, 13, CellMark::Other));
        let last: Vec<&str> = of.lines().nth(1).unwrap().iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(last[..5], ["0x0020", "589439264", "0x2524", "", ""]);
        let none = table(resource, &inputs, &[], View::Uint, [99, 1]);
        assert_eq!((none.rows, none.first, none.heads.len()), (3, 3, 5));
    }
}
