//! A vertex and a fragment shader as a pair: the inputs of fragments are what the vertices wrote.
//!
//! ```text
//! vertices 3k, 3k+1, 3k+2 ──► triangle k ──► the pixels it covers, in front of all others ──► fragments
//! ```
//!
//! A triangle list, one instance after another. A pixel belongs to the triangle that covers its center and has the
//! least depth there, or to the first of those with equal depths; a fragment that another triangle hides is not run.
//! `triangle.rs` explains coverage and interpolation.
//!
//! Refuses strips, points, lines, culling by face, viewports, multisampling and blending.

use super::consts::Consts;
use super::inputs::{Inputs, Slot};
use super::interface::leaves;
use super::out_key::{OutKey, Outputs};
use super::outcome::{Bytes, Outcome};
use super::run::run;
use super::triangle::{Blend, Triangle};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Interp, Width};
use vitrine_ir::{Anchor, Diag, Mode, Module, Stage};

/// Maximum number of triangles of a draw.
const MOST_TRIANGLES: usize = 1 << 12;
/// Maximum number of pixels of a frame.
const MOST_PIXELS: u64 = 1 << 24;

/// The results of a draw.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The results of the vertices.
    pub vertices: Outcome,
    /// The results of the fragments of all triangles; buffers and images as the draw leaves them.
    pub fragments: Outcome,
    /// Pixels that each triangle covers in front of all others.
    pub covered: Vec<u32>,
}

/// Runs a vertex shader, rasterizes its triangles, and runs the fragment shader for the pixels that they cover; each shader
/// is a module and an entry point. The frame is that of the inputs of the fragments, and the vertices those of the
/// inputs of the vertices. Resources of the same slot are those of the vertices.
///
/// Errors: those of `run`; `X001` the shaders are of other stages; `X002` too many triangles or pixels.
pub fn draw(
    vertex: (&Module, usize),
    fragment: (&Module, usize),
    [vertex_inputs, fragment_inputs]: [&Inputs; 2],
) -> Result<Drawn, Diag> {
    for ((module, entry), stage) in [(vertex, Stage::Vertex), (fragment, Stage::Fragment)] {
        if module.entries.get(entry).is_some_and(|entry| entry.stage != stage) {
            let says = format!("a draw needs a {} shader here", stage.name());
            return Err(Diag::error("X001", Anchor::Entry(entry as u32)).says(says));
        }
    }
    let [width, height] = fragment_inputs.frame;
    let vertices = vertex_inputs.vertices.map(u64::from);
    let triangles = (vertices[0] / 3).saturating_mul(vertices[1]);
    if triangles > MOST_TRIANGLES as u64 || u64::from(width) * u64::from(height) > MOST_PIXELS {
        let says = format!("a draw of {triangles} triangles on {width} x {height} pixels is too large");
        return Err(Diag::error("X002", Anchor::Module).says(says));
    }
    let outcome = run(vertex.0, vertex.1, vertex_inputs)?;
    let corners = |number: u64| -> Option<[&Outputs; 3]> {
        let (instance, first) = (number / (vertices[0] / 3), number % (vertices[0] / 3) * 3);
        let at = |corner: u64| outcome.invocations.get(&(instance * vertices[0] + first + corner));
        Some([&at(0)?.outputs, &at(1)?.outputs, &at(2)?.outputs])
    };
    let inputs_of_fragment = blends(fragment.0, fragment.1, fragment_inputs);
    let mut list: Vec<Triangle> = (0..triangles)
        .filter_map(|number| {
            Triangle::of(corners(number)?, &inputs_of_fragment, [width, height], number as u32)
        })
        .collect();
    let mut inputs = shared_inputs(vertex_inputs, fragment_inputs, &outcome);
    let mut drawn = Drawn { covered: vec![0; triangles as usize], ..Drawn::default() };
    for y in 0..height {
        for x in 0..width {
            let depths = list.iter().enumerate().filter_map(|(at, of)| Some((of.depth_at(x, y)?, at)));
            let nearest = depths.reduce(|best, other| if other.0 < best.0 { other } else { best });
            if let Some(triangle) = nearest.and_then(|(_, at)| list.get_mut(at)) {
                triangle.pixels.insert([x, y]);
            }
        }
    }
    for triangle in list {
        let Some(rect) = bounds(&triangle.pixels) else { continue };
        if let Some(covered) = drawn.covered.get_mut(triangle.number as usize) {
            *covered = triangle.pixels.len() as u32;
        }
        (inputs.rect, inputs.triangle) = (rect, Some(triangle));
        let fragments = run(fragment.0, fragment.1, &inputs)?;
        carry(&fragments, &mut inputs);
        drawn.fragments.add(fragments);
    }
    drawn.vertices = outcome;
    Ok(drawn)
}

/// The rectangle around pixels: x, y, width, height.
fn bounds(pixels: &BTreeSet<[u32; 2]>) -> Option<[u32; 4]> {
    let along = |axis: usize| {
        let least = pixels.iter().map(|pixel| pixel[axis]).min()?;
        let most = pixels.iter().map(|pixel| pixel[axis]).max()?;
        Some((least, most - least + 1))
    };
    let ((x, width), (y, height)) = (along(0)?, along(1)?);
    Some([x, y, width, height])
}

/// The inputs of a fragment shader that vertices give: how they are interpolated, and their width.
fn blends(module: &Module, entry: usize, inputs: &Inputs) -> Vec<(OutKey, Width, Blend)> {
    let Some(entry) = module.entries.get(entry) else { return Vec::new() };
    let (consts, mut sizes) = (Consts::of(module, &inputs.specs), Sizes::default());
    let mut out = Vec::new();
    for &var in &entry.interface {
        if module.var(var).is_none_or(|data| data.mode != Mode::In) {
            continue;
        }
        for leaf in leaves(module, &consts, &mut sizes, Some(Stage::Fragment), var) {
            let [flat, screen] = [Interp::FLAT, Interp::NOPERSPECTIVE].map(|word| leaf.interp.has(word));
            let blend = match (leaf.float && leaf.width != Width::W64, flat, screen) {
                (false, ..) | (true, true, _) => Blend::First,
                (true, false, true) => Blend::Screen,
                (true, false, false) => Blend::Perspective,
            };
            out.extend((0..u32::from(leaf.components)).map(|part| (leaf.key(part), leaf.width, blend)));
        }
    }
    out
}

/// The inputs of the fragments, with the resources of the vertices, as far as these go.
fn shared_inputs(vertices: &Inputs, fragments: &Inputs, outcome: &Outcome) -> Inputs {
    let mut inputs = Inputs {
        varyings: BTreeMap::new(),
        singles: BTreeMap::new(),
        pixels: Vec::new(),
        ..fragments.clone()
    };
    for (&slot, list) in &vertices.buffers {
        let known = inputs.buffers.entry(slot).or_default();
        for (at, bytes) in list.iter().enumerate() {
            put(known, at, bytes);
        }
    }
    for (&slot, list) in &vertices.images {
        inputs.images.insert(slot, list.clone());
    }
    for (&slot, list) in &vertices.samplers {
        inputs.samplers.insert(slot, list.clone());
    }
    let count = vertices.push.len().max(inputs.push.len());
    let from_vertices = vertices.push.len();
    inputs.push.resize(count, 0);
    inputs.push[..from_vertices].copy_from_slice(&vertices.push);
    inputs.specs.extend(vertices.specs.iter().map(|(&id, &value)| (id, value)));
    carry(outcome, &mut inputs);
    inputs
}

/// Writes bytes over the beginning of element `at` of a list.
fn put(list: &mut Vec<Vec<u8>>, at: usize, bytes: &[u8]) {
    if list.len() <= at {
        list.resize(at + 1, Vec::new());
    }
    let Some(known) = list.get_mut(at) else { return };
    if known.len() < bytes.len() {
        known.resize(bytes.len(), 0);
    }
    known[..bytes.len()].copy_from_slice(bytes);
}

/// The memory that a run leaves becomes the input of the next.
fn carry(outcome: &Outcome, inputs: &mut Inputs) {
    for (&(slot, element), Bytes { bytes, .. }) in &outcome.buffers {
        put(inputs.buffers.entry(slot).or_default(), element as usize, bytes);
    }
    let images: &BTreeMap<(Slot, u32), Bytes> = &outcome.images;
    for (&(slot, element), Bytes { bytes, .. }) in images {
        let image = inputs.images.get_mut(&slot).and_then(|list| list.get_mut(element as usize));
        if let Some(image) = image.filter(|image| image.bytes.len() == bytes.len()) {
            image.bytes.clone_from(bytes);
        }
    }
}
