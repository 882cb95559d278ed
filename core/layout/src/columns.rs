//! Horizontal positions of the items of a rank: close to their neighbors, in order, with gaps between.
//!
//! Sweeps down and up; each rank is solved exactly (`isotonic`). Dummy nodes weigh most, so that long edges
//! are straight; diverging and merging paths are aligned. A previous position outweighs everything.

use super::isotonic::{Wish, nearest};
use super::level::{Folded, Item, ItemKind, Level, Lists};
use super::ranks::Ranks;

/// Number of iterations of a sweep down and a sweep up.
const ITERATIONS: usize = 5;

/// Gap between neighbors in px: two lines, a line and a box, two boxes.
const GAPS: [i64; 3] = [14, 20, 30];

/// The gaps next to an item with a fixed position.
const TIGHT: [i64; 3] = [8, 8, 16];

/// Weights between neighbors in a column: two boxes, a line and a box, two lines, a spine.
const HOLD: [i64; 4] = [64, 32, 256, 192];

/// Weight of the previous position of an item (a box that represents folded blocks yields), or of a pin:
/// everything together moves a pin by less than half a pixel.
const BEFORE: i64 = 1 << 17;
const FOLDED: i64 = 1 << 10;
const PINNED: i64 = 1 << 48;

/// Weight of an item without constraints.
const FREE: i64 = 4;

/// The other end of a constraint, and the desired distance from its left edge to the left edge of this item.
#[derive(Clone, Copy)]
struct Pull {
    other: u32,
    delta: i32,
    weight: i64,
}

/// Sets `x` of every item of the level. Linear in items and segments for each sweep.
pub(super) fn place(level: &mut Level, ranks: &Ranks) {
    pack(level, ranks);
    let pulls = Pulls::of(level, ranks);
    for _ in 0..ITERATIONS {
        let mut moved = false;
        for rank in &ranks.order {
            moved |= settle(level, rank, &pulls, Direction::Down);
        }
        for rank in ranks.order.iter().rev() {
            moved |= settle(level, rank, &pulls, Direction::Up);
        }
        // Further iterations would change nothing.
        if !moved {
            break;
        }
    }
    for rank in &ranks.order {
        settle(level, rank, &pulls, Direction::Both);
    }
    for rank in ranks.order.iter().rev() {
        straighten(level, rank, &pulls);
    }
    for rank in &ranks.order {
        straighten(level, rank, &pulls);
    }
}

fn pack(level: &mut Level, ranks: &Ranks) {
    for rank in &ranks.order {
        let mut x = 0;
        for pair in rank.windows(2) {
            level.items[pair[0] as usize].x = x;
            x += gap(&level.items[pair[0] as usize], &level.items[pair[1] as usize]) as i32;
        }
        if let Some(&last) = rank.last() {
            level.items[last as usize].x = x;
        }
    }
}

/// The minimum distance from the left edge of an item to that of the next one.
fn gap(left: &Item, right: &Item) -> i64 {
    let boxes = usize::from(!left.is_line()) + usize::from(!right.is_line());
    let gaps = if left.want.is_some() || right.want.is_some() { TIGHT } else { GAPS };
    i64::from(left.width) + gaps[boxes]
}

/// All constraints, by item.
struct Pulls {
    all: Vec<Pull>,
    above: Lists,
    below: Lists,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Down,
    Up,
    Both,
}

impl Pulls {
    fn of(level: &Level, ranks: &Ranks) -> Pulls {
        let mut all = Vec::new();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut join = |from: u32, to: u32, delta: i32, [up, down]: [i64; 2]| {
            above.push((to, all.len() as u32));
            all.push(Pull { other: from, delta, weight: down });
            below.push((from, all.len() as u32));
            all.push(Pull { other: to, delta: -delta, weight: up });
        };
        // A dummy node follows its first lines only, so that lines that join it later do not move it.
        let mut joins = vec![0i64; level.items.len()];
        let mut goes_on = vec![false; level.items.len()];
        for segment in &ranks.long_edges.segments {
            joins[segment.to as usize] += 1;
            goes_on[segment.to as usize] |= level.items[segment.from as usize].what == ItemKind::Dummy;
        }
        for segment in ranks.long_edges.segments.iter().filter(|segment| !segment.branch) {
            let (from, to) = (&level.items[segment.from as usize], &level.items[segment.to as usize]);
            let lines = usize::from(from.is_line()) + usize::from(to.is_line());
            let delta = from.output(segment.out) - to.input(segment.input);
            let hold = HOLD[lines];
            let weights = match joins[segment.to as usize] {
                many if to.is_line() && !from.is_line() && many > 1 => {
                    if goes_on[segment.to as usize] {
                        [0; 2]
                    } else {
                        [FREE, (hold / many).max(1)]
                    }
                }
                _ => [hold; 2],
            };
            join(segment.from, segment.to, delta, weights);
        }
        for &(from, to) in &ranks.spines {
            let delta = level.items[from as usize].axis() - level.items[to as usize].axis();
            join(from, to, delta, [HOLD[3]; 2]);
        }
        for &(from, to) in &ranks.long_edges.spread {
            let delta = level.items[from as usize].axis() - level.items[to as usize].axis();
            join(from, to, delta, [FREE; 2]);
        }
        let count = level.items.len();
        Pulls {
            above: Lists::new(count, above.into_iter()),
            below: Lists::new(count, below.into_iter()),
            all,
        }
    }

    fn toward(&self, item: u32, direction: Direction) -> impl Iterator<Item = Pull> + '_ {
        let up = if direction == Direction::Up { &[][..] } else { self.above.row(item) };
        let down = if direction == Direction::Down { &[][..] } else { self.below.row(item) };
        up.iter().chain(down).map(|&at| self.all[at as usize])
    }

    /// The desired left edge of an item, and its weight.
    fn wish(&self, level: &Level, item: u32, direction: Direction) -> (i64, i64) {
        let data = &level.items[item as usize];
        if let Some(want) = data.want {
            let weight = match (want.pinned, data.folded != Folded::No) {
                (true, _) => PINNED,
                (false, true) => FOLDED,
                (false, false) => BEFORE,
            };
            return (i64::from(want.x), weight);
        }
        // Weak constraints only count without strong ones: otherwise they accumulate from rank to rank.
        let strong = self.toward(item, direction).any(|pull| pull.weight > FREE);
        let (mut sum, mut weight) = (0, 0);
        for pull in self.toward(item, direction).filter(|pull| !strong || pull.weight > FREE) {
            let x = level.items[pull.other as usize].x + pull.delta;
            sum += i64::from(x) * pull.weight;
            weight += pull.weight;
        }
        if weight == 0 { (i64::from(data.x), FREE) } else { ((sum + weight / 2).div_euclid(weight), weight) }
    }
}

/// Solves one rank; returns true if anything in it moved.
fn settle(level: &mut Level, rank: &[u32], pulls: &Pulls, direction: Direction) -> bool {
    // Far outside of any screen; a sum of sizes still fits.
    let near = |x: i64| x.clamp(-(1 << 29), 1 << 29) as i32;
    if let [item] = *rank {
        let x = near(pulls.wish(level, item, direction).0);
        return std::mem::replace(&mut level.items[item as usize].x, x) != x;
    }
    let wish = |(at, &item): (usize, &u32)| {
        let (x, weight) = pulls.wish(level, item, direction);
        let next = rank.get(at + 1).map(|&next| &level.items[next as usize]);
        let gap = next.map_or(0, |next| gap(&level.items[item as usize], next));
        Wish { x, weight, gap }
    };
    let wishes: Vec<Wish> = rank.iter().enumerate().map(wish).collect();
    let mut moved = false;
    for (&item, x) in rank.iter().zip(nearest(&wishes)) {
        moved |= std::mem::replace(&mut level.items[item as usize].x, near(x)) != near(x);
    }
    moved
}

/// Removes small bends: an item with enough room moves to the position at which its strongest line is
/// straight.
fn straighten(level: &mut Level, rank: &[u32], pulls: &Pulls) {
    /// A larger bend is intended.
    const NEAR: i32 = 24;
    for (at, &item) in rank.iter().enumerate() {
        let data = &level.items[item as usize];
        if data.want.is_some() {
            continue;
        }
        let strongest = pulls.toward(item, Direction::Both).map(|pull| {
            let x = level.items[pull.other as usize].x + pull.delta;
            (pull.weight, -(x - data.x).abs(), x)
        });
        let Some((_, _, x)) = strongest.filter(|&(_, far, _)| -far <= NEAR).max() else { continue };
        let before = at.checked_sub(1).map(|at| &level.items[rank[at] as usize]);
        let least = before.map_or(i64::MIN, |left| i64::from(left.x) + gap(left, data));
        let after = rank.get(at + 1).map(|&next| &level.items[next as usize]);
        let most = after.map_or(i64::MAX, |right| i64::from(right.x) - gap(data, right));
        if least <= i64::from(x) && i64::from(x) <= most {
            level.items[item as usize].x = x;
        }
    }
}
