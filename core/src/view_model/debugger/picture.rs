//! The picture of a fragment shader: a coarse one first, then blocks of pixels from the top.
//!
//! Values are kept as they were computed, pixel by pixel, so that each can be queried. Colors are location 0,
//! clamped, opaque. Discarded pixels stay transparent, undefined ones are magenta, and those of invocations
//! that did not finish are red.

use super::output_names::OutputNames;
use super::words::{View, number};
use crate::interp::{Group, InvocationEnd, InvocationInfo, InvocationOutcome, OutKey, Port};
use crate::ops::Width;
use crate::ops::scalar::Scalar;
use std::collections::BTreeMap;

/// Pixels along an edge.
pub(super) const SIZE: u32 = 256;
/// Pixels from one quad of the coarse picture to the next, which is also the edge length of a block.
const BLOCK: u32 = 8;
/// Quads that run together.
const QUADS: u32 = 16;
/// Groups of the coarse picture: one quad for each block.
const COARSE: u64 = ((SIZE / BLOCK) * (SIZE / BLOCK) / QUADS) as u64;
/// Groups of the whole picture: one for each block.
const FINE: u64 = ((SIZE / BLOCK) * (SIZE / BLOCK)) as u64;

const UNDEFINED: [u8; 4] = [255, 0, 255, 255];
const STUCK: [u8; 4] = [200, 0, 0, 255];

/// A picture under construction.
pub(super) struct Picture {
    /// Outputs of every pixel.
    planes: Vec<Plane>,
    /// The end of the invocation of each pixel; none if it has not run.
    ends: Vec<Option<InvocationEnd>>,
    /// Red, green, blue, alpha of each pixel, row by row.
    pub(super) rgba: Vec<u8>,
}

/// An output of every pixel.
struct Plane {
    key: OutKey,
    name: String,
    width: Width,
    float: bool,
    /// Unwritten, undefined, or a value.
    values: Vec<Option<Option<u64>>>,
}

/// The number of groups, with or without the coarse picture.
pub(super) fn groups(coarse: bool) -> u64 {
    FINE + if coarse { COARSE } else { 0 }
}

/// A group, by its number: of the coarse picture, then block by block.
pub(super) fn group(number: u64, coarse: bool) -> Group {
    let fine = number.checked_sub(if coarse { COARSE } else { 0 });
    let across = SIZE / BLOCK;
    let corner = |quad: u32| match fine {
        Some(block) => {
            let block = block as u32;
            [block % across * BLOCK + quad % 4 * 2, block / across * BLOCK + quad / 4 * 2]
        }
        None => {
            let at = number as u32 * QUADS + quad;
            [at % across * BLOCK, at / across * BLOCK]
        }
    };
    let invocation = |[x, y]: [u32; 2]| InvocationInfo {
        invocation: u64::from(y) * u64::from(SIZE) + u64::from(x),
        at: [x, y, 0],
        ..InvocationInfo::default()
    };
    let quad = |[x, y]: [u32; 2]| [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
    Group {
        workgroup: [0; 3],
        invocations: (0..QUADS).flat_map(|at| quad(corner(at)).map(invocation)).collect(),
    }
}

/// The group, without a coarse picture, and the invocation that draw a pixel.
pub(super) fn home(x: u32, y: u32) -> (u64, usize) {
    let (x, y) = (x.min(SIZE - 1), y.min(SIZE - 1));
    let block = u64::from(y / BLOCK * (SIZE / BLOCK) + x / BLOCK);
    let quad = (y % BLOCK / 2) * 4 + x % BLOCK / 2;
    (block, (quad * 4 + y % 2 * 2 + x % 2) as usize)
}

impl Picture {
    /// A blank one for these outputs.
    pub(super) fn new(ports: &[Port], names: &OutputNames) -> Picture {
        let pixels = (SIZE * SIZE) as usize;
        let plane = |port: &Port| Plane {
            key: port.key,
            name: names.name(port.key),
            width: port.width,
            float: port.float,
            values: vec![None; pixels],
        };
        Picture {
            planes: ports.iter().map(plane).collect(),
            ends: vec![None; pixels],
            rgba: vec![0; 4 * pixels],
        }
    }

    /// A picture of outputs that were computed elsewhere; `read` returns the bits of an output at a pixel, or `None` if nothing
    /// wrote it. A pixel without outputs is discarded.
    pub(super) fn filled(
        ports: &[Port],
        names: &OutputNames,
        read: impl Fn(&Port, usize) -> Option<u64>,
    ) -> Picture {
        let mut picture = Picture::new(ports, names);
        for at in 0..picture.ends.len() {
            let mut end = InvocationEnd::Discarded;
            for (port, plane) in ports.iter().zip(&mut picture.planes) {
                let Some(bits) = read(port, at) else { continue };
                end = InvocationEnd::Returned;
                if let Some(slot) = plane.values.get_mut(at) {
                    *slot = Some(Some(bits));
                }
            }
            picture.ends[at] = Some(end);
        }
        for at in 0..picture.ends.len() {
            let color = picture.color(at);
            if let Some(pixel) = picture.rgba.get_mut(4 * at..4 * at + 4) {
                pixel.copy_from_slice(&color);
            }
        }
        picture
    }

    /// The end of the invocation of a pixel; `None` if it has not run.
    pub(super) fn end(&self, at: usize) -> Option<InvocationEnd> {
        self.ends.get(at).copied().flatten()
    }

    /// The bits of an output at a pixel; `None` if it is unwritten or undefined.
    pub(super) fn bits(&self, key: OutKey, at: usize) -> Option<u64> {
        let plane = self.planes.iter().find(|plane| plane.key == key)?;
        plane.values.get(at).copied().flatten().flatten()
    }

    /// Adds the results of a group. Pixels of the coarse picture cover their whole cell.
    pub(super) fn take(&mut self, invocations: BTreeMap<u64, InvocationOutcome>, coarse: bool) {
        for invocation in invocations.into_values() {
            let [x, y, _] = invocation.at;
            let at = (y * SIZE + x) as usize;
            let Some(end) = self.ends.get_mut(at) else { continue };
            *end = Some(invocation.end);
            for (key, value) in invocation.outputs {
                let place = match self.planes.iter().position(|plane| plane.key == key) {
                    Some(place) => place,
                    None => self.add(key),
                };
                if let Some(slot) = self.planes.get_mut(place).and_then(|plane| plane.values.get_mut(at)) {
                    *slot = Some(value);
                }
            }
            let color = self.color(at);
            let (from, side) = match coarse {
                true => ([x / BLOCK * BLOCK + x % 2 * 4, y / BLOCK * BLOCK + y % 2 * 4], BLOCK / 2),
                false => ([x, y], 1),
            };
            for row in from[1]..from[1] + side {
                let start = (row * SIZE + from[0]) as usize * 4;
                let pixels = self.rgba.get_mut(start..start + side as usize * 4).unwrap_or_default();
                pixels.as_chunks_mut::<4>().0.fill(color);
            }
        }
    }

    /// The place of an output that no variable declares.
    fn add(&mut self, key: OutKey) -> usize {
        let values = vec![None; self.ends.len()];
        let name = key.to_string();
        self.planes.push(Plane { key, name, width: Width::W32, float: true, values });
        self.planes.len() - 1
    }

    fn color(&self, at: usize) -> [u8; 4] {
        match self.ends.get(at).copied().flatten() {
            Some(InvocationEnd::Returned) => {}
            Some(InvocationEnd::Stuck) => return STUCK,
            Some(
                InvocationEnd::Discarded
                | InvocationEnd::Terminated
                | InvocationEnd::Demoted
                | InvocationEnd::Ignored
                | InvocationEnd::Accepted
                | InvocationEnd::Running,
            )
            | None => {
                return [0; 4];
            }
        }
        let mut color = [0, 0, 0, 255];
        for plane in &self.planes {
            let OutKey::Location(0, component @ 0..3, 0) = plane.key else { continue };
            let Some(value) = plane.values.get(at).copied().flatten() else { continue };
            let Some(bits) = value else { return UNDEFINED };
            let Some(slot) = color.get_mut(component as usize) else { continue };
            // NaN becomes 0; integers show their low byte.
            *slot = match plane.float {
                true => {
                    (Scalar::new(plane.width, bits).to_f64().clamp(0.0, 1.0) * 255.0).round_ties_even() as u8
                }
                false => bits as u8,
            };
        }
        color
    }

    /// The number of pixels that ended in this way.
    pub(super) fn count(&self, ended: InvocationEnd) -> usize {
        self.ends.iter().filter(|end| **end == Some(ended)).count()
    }

    /// A pixel: its end and its color, `#rrggbb`; then its outputs, each a line with name, value and bits. Fields are
    /// separated by tabs.
    pub(super) fn pixel_text(&self, x: u32, y: u32) -> String {
        let at = (y * SIZE + x) as usize;
        let end = self.ends.get(at).copied().flatten();
        let words = end.map_or_else(|| "not drawn yet".to_owned(), |end| format!("{end:?}").to_lowercase());
        let mut text = format!("pixel ({x}, {y}): {words}");
        let [red, green, blue, alpha] = self.color(at);
        if alpha > 0 {
            text.push_str(&format!("\t#{red:02x}{green:02x}{blue:02x}"));
        }
        for plane in &self.planes {
            let Some(value) = plane.values.get(at).copied().flatten() else { continue };
            text.push_str(&format!("\n{}\t", plane.name));
            let view = if plane.float { View::Float } else { View::Int };
            match value {
                None => text.push_str("undefined\t"),
                Some(bits) => {
                    number(&mut text, bits, plane.width, view);
                    text.push('\t');
                    number(&mut text, bits, plane.width, View::Hex);
                }
            }
        }
        text
    }

    /// The number of pixels that differ from those of `before`, and a picture of them: red if different, dim
    /// otherwise.
    pub(super) fn difference(&self, before: &Picture) -> (u32, Vec<u8>) {
        let mut out = Vec::with_capacity(self.rgba.len());
        let mut count = 0;
        for (at, pixel) in self.rgba.as_chunks::<4>().0.iter().enumerate() {
            let differs = self.differs(before, at);
            count += u32::from(differs);
            out.extend(match differs {
                true => [255, 64, 64, 255],
                false => [pixel[0] / 3, pixel[1] / 3, pixel[2] / 3, pixel[3]],
            });
        }
        (count, out)
    }

    fn differs(&self, before: &Picture, at: usize) -> bool {
        let (Some(now), Some(then)) = (self.ends.get(at), before.ends.get(at)) else { return false };
        if now != then {
            return now.is_some() && then.is_some();
        }
        // A value undefined before may be arbitrary after.
        before.planes.iter().any(|plane| {
            let Some(Some(then)) = plane.values.get(at).copied().flatten() else { return false };
            let here = self.planes.iter().find(|here| here.key == plane.key);
            here.and_then(|here| here.values.get(at).copied().flatten()).flatten() != Some(then)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_every_pixel_once_and_know_where_it_is() {
        let mut seen = vec![0u32; (SIZE * SIZE) as usize];
        for number in 0..groups(false) {
            let group = group(number, false);
            for (invocation, info) in group.invocations.iter().enumerate() {
                seen[info.invocation as usize] += 1;
                assert_eq!(home(info.at[0], info.at[1]), (number, invocation));
            }
            let [a, b, c, d] = [0, 1, 2, 3].map(|invocation: usize| group.invocations[invocation].at);
            assert_eq!(
                ([a[0] + 1, a[1]], [a[0], a[1] + 1], [a[0] + 1, a[1] + 1]),
                ([b[0], b[1]], [c[0], c[1]], [d[0], d[1]])
            );
        }
        assert!(seen.iter().all(|count| *count == 1));
        assert_eq!(groups(true) - groups(false), 64);
        assert_eq!(
            (group(0, true).invocations[4].at, group(64, true).invocations[4].at),
            ([8, 0, 0], [2, 0, 0])
        );
    }

    #[test]
    fn a_coarse_pixel_fills_its_cell_and_values_can_be_queried() {
        let key = OutKey::Location(0, 0, 0);
        let port = Port { var: crate::base::EntityId::from_index(0), key, width: Width::W32, float: true };
        let mut picture = Picture::new(&[port], &OutputNames::default());
        let invocation = |at, end, value: Option<u64>| {
            let outputs = [(key, value)].into();
            [(0, InvocationOutcome { at, end, outputs, ..InvocationOutcome::default() })].into()
        };
        let half = Some(u64::from(0.5f32.to_bits()));
        picture.take(invocation([9, 0, 0], InvocationEnd::Returned, half), true);
        let pixel = |picture: &Picture, x: usize, y: usize| picture.rgba[(y * 256 + x) * 4..][..4].to_vec();
        assert_eq!(
            (pixel(&picture, 12, 0), pixel(&picture, 15, 3)),
            (vec![128, 0, 0, 255], vec![128, 0, 0, 255])
        );
        assert_eq!((pixel(&picture, 11, 0), pixel(&picture, 12, 4)), (vec![0; 4], vec![0; 4]));
        assert_eq!(
            picture.pixel_text(9, 0),
            "pixel (9, 0): returned\t#800000\nlocation 0 component 0\t0.5\t0x3f000000"
        );
        let mut other = Picture::new(&[port], &OutputNames::default());
        other.take(invocation([9, 0, 0], InvocationEnd::Returned, None), false);
        assert_eq!(pixel(&other, 9, 0), [255, 0, 255, 255]);
        assert_eq!((other.difference(&picture).0, picture.difference(&other).0), (1, 0));
        other.take(invocation([9, 0, 0], InvocationEnd::Discarded, None), false);
        assert_eq!((pixel(&other, 9, 0), other.count(InvocationEnd::Discarded)), (vec![0; 4], 1));
    }
}
