//! The probability of the next bit: a prediction of each context, mixed by how accurate each was.
//!
//! A context is a number. With the bits of the value so far it selects a cell of one table. Contexts that
//! collide share a cell, which makes a prediction worse but never a result wrong.

/// The largest number of contexts of a value.
pub(super) const CONTEXTS: usize = 12;
/// A prediction and a confidence of each context, and one constant input.
const INPUTS: usize = 2 * CONTEXTS + 1;
/// Sets of weights, chosen by the kind of value.
const SETS: usize = 64;
/// The initial weight, of 65536: the weights of all contexts together are 2.
const FIRST_WEIGHT: i32 = 12000;
/// The learning rate of weights, as a shift.
const WEIGHT_SHIFT: u32 = 10;
/// The weight of a prediction by number of visits, of 64.
const TRUST: [i32; 8] = [0, 40, 48, 54, 58, 60, 62, 64];
/// The additional input for runs of equal bits.
const RUN: [i32; 8] = [0, 64, 160, 256, 320, 400, 450, 500];
/// The learning rate of a cell by number of visits: the share of the error, of 65536.
const RATES: [u16; 16] =
    [32768, 21845, 16384, 13107, 10922, 9362, 8192, 7281, 6553, 5957, 5461, 5041, 4681, 4369, 4096, 3640];

/// The statistics of one context.
#[derive(Clone, Copy)]
struct Cell {
    /// The probability of a one, of 65536.
    one: u16,
    /// The number of visits, up to 15.
    visits: u8,
    /// The number of bits, all equal so far, up to 15; zero forever after a different one.
    run: u8,
}

impl Cell {
    /// A cell without visits.
    const NEW: Cell = Cell { one: 32768, visits: 0, run: 0 };

    /// The inputs of the mixer; `stretched` is the probability on the mixer's scale. A cell without visits
    /// contributes nothing.
    fn inputs(self, stretched: i32) -> [i32; 2] {
        let by = |table: &[i32; 8], count: u8| table.get(usize::from(count.min(7))).copied().unwrap_or(0);
        let run = by(&RUN, self.run);
        [(stretched * by(&TRUST, self.visits)) >> 6, if self.one > 32768 { run } else { -run }]
    }

    /// Updates the cell with a bit.
    fn learn(&mut self, bit: u32) {
        let (goes_on, target) = ((self.one > 32768) == (bit == 1), if bit == 1 { 65535 } else { 0 });
        self.run = match (self.visits, self.run) {
            (0, _) => 1,
            (_, 0) => 0,
            (_, run) if goes_on => (run + 1).min(15),
            _ => 0,
        };
        let rate = RATES.get(usize::from(self.visits)).copied().unwrap_or(3640);
        let step = ((target - i64::from(self.one)) * i64::from(rate)) >> 16;
        self.one = (i64::from(self.one) + step).clamp(32, 65503) as u16;
        self.visits = (self.visits + 1).min(15);
    }
}

/// Predicts bits and learns from them.
pub(super) struct Predictor {
    cells: Vec<Cell>,
    contexts: [u32; CONTEXTS],
    count: usize,
    /// The cells of the bit that is predicted.
    at: [usize; CONTEXTS],
    inputs: [i32; INPUTS],
    weights: Vec<[i32; INPUTS]>,
    set: usize,
    /// The current weights: the set for the number of contexts that were visited before.
    row: usize,
    guess: i32,
    stretched: Vec<i16>,
}

impl Predictor {
    /// A table sized for this number of bytes.
    pub(super) fn new(length: usize) -> Predictor {
        let bits = (usize::BITS - length.leading_zeros() + 6).clamp(14, 20);
        Predictor {
            cells: vec![Cell::NEW; 1 << bits],
            contexts: [0; CONTEXTS],
            count: 0,
            at: [0; CONTEXTS],
            inputs: [0; INPUTS],
            weights: vec![[FIRST_WEIGHT; INPUTS]; SETS * (CONTEXTS + 1)],
            set: 0,
            row: 0,
            guess: 2048,
            stretched: stretch_table(),
        }
    }

    /// Sets the contexts of the next value.
    pub(super) fn contexts(&mut self, contexts: &[u32]) {
        self.count = contexts.len().min(CONTEXTS);
        self.inputs = [0; INPUTS];
        for (number, (slot, context)) in self.contexts.iter_mut().zip(contexts).enumerate() {
            *slot = hash(context.wrapping_add(1 + number as u32), number as u32);
        }
    }

    /// Selects the weights for the next bits.
    pub(super) fn choose(&mut self, set: usize) {
        self.set = set % SETS;
    }

    /// The probability of a one, of 65536, at a node of the tree of values.
    pub(super) fn guess(&mut self, node: u32) -> u32 {
        let mask = self.cells.len() - 1;
        let mut known = 0;
        let places = self.contexts.iter().zip(&mut self.at).zip(self.inputs.as_chunks_mut().0);
        for ((context, at), inputs) in places.take(self.count) {
            *at = hash(*context, node) as usize & mask;
            let cell = self.cells.get(*at).copied().unwrap_or(Cell::NEW);
            let stretched = self.stretched.get(usize::from(cell.one >> 4)).copied().unwrap_or(0);
            known += usize::from(cell.visits > 0);
            *inputs = cell.inputs(i32::from(stretched));
        }
        if let Some(slot) = self.inputs.get_mut(2 * CONTEXTS) {
            *slot = 256;
        }
        self.row = self.set * (CONTEXTS + 1) + known;
        let mut sum: i64 = 0;
        if let Some(weights) = self.weights.get(self.row) {
            for (input, weight) in self.inputs.iter().zip(weights) {
                sum += i64::from(*input) * i64::from(*weight);
            }
        }
        self.guess = squash((sum >> 16).clamp(-2047, 2047) as i32);
        (self.guess as u32 * 16).clamp(24, 65536 - 24)
    }

    /// Updates the model with the actual bit.
    pub(super) fn learn(&mut self, bit: u32) {
        let error = ((bit as i32) << 12) - self.guess;
        if let Some(weights) = self.weights.get_mut(self.row) {
            let used = 2 * self.count;
            for (place, (weight, input)) in weights.iter_mut().zip(&self.inputs).enumerate() {
                if place < used || place == 2 * CONTEXTS {
                    *weight = (*weight + ((input * error + (1 << (WEIGHT_SHIFT - 1))) >> WEIGHT_SHIFT))
                        .clamp(-(1 << 20), 1 << 20);
                }
            }
        }
        for at in self.at.iter().take(self.count) {
            if let Some(cell) = self.cells.get_mut(*at) {
                cell.learn(bit);
            }
        }
    }
}

/// Hashes two numbers to 32 bits.
pub(super) fn hash(a: u32, b: u32) -> u32 {
    let mixed = (a ^ b.rotate_left(15)).wrapping_mul(0x2c1b_3c6d) ^ b.wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x297a_2d39);
    mixed ^ mixed >> 14
}

/// `4096 / (1 + e^(-x/256))` for x from -2047 to 2047, by linear interpolation between 33 points.
fn squash(x: i32) -> i32 {
    const POINTS: [i32; 33] = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607,
        3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ];
    let place = (x + 2048) as usize;
    let part = (place & 127) as i32;
    let point = |at: usize| POINTS.get(at).copied().unwrap_or(4094);
    (point(place >> 7) * (128 - part) + point((place >> 7) + 1) * part + 64) >> 7
}

/// The inverse of [`squash`], for 4096 probabilities.
fn stretch_table() -> Vec<i16> {
    let mut table = vec![2047i16; 4096];
    let mut from = 0usize;
    for x in -2047i16..=2047 {
        let to = squash(i32::from(x)) as usize;
        if let Some(cells) = table.get_mut(from..=to.max(from)) {
            cells.fill(x);
        }
        from = from.max(to + 1);
    }
    table
}
