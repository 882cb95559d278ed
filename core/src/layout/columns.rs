//! Where in its row each item stands: near what it is joined to, in order, with room between.
//!
//! Sweeps down and up; each row is solved exactly (`isotonic`). Lanes weigh most, so that long lines are
//! straight; what parts and meets again hangs on one line. An earlier place outweighs everything.

use super::isotonic::{Wish, nearest};
use super::level::{Folded, Item, ItemKind, Level, Lists};
use super::rows::Rows;

/// Rounds of one sweep down and one up.
const ROUNDS: usize = 5;

/// Room between neighbours in px: two lines, a line and a box, two boxes.
const GAPS: [i64; 3] = [14, 20, 30];

/// The same beside something that must stay where it was.
const TIGHT: [i64; 3] = [8, 8, 16];

/// How strongly neighbours in a column hold each other: two boxes, a line and a box, two lines, a spine.
const HOLD: [i64; 4] = [64, 32, 256, 192];

/// How strongly an item holds on to where it was (a box that others are folded into gives way), or is pinned:
/// whatever pushes a pin moves it by less than half a pixel.
const BEFORE: i64 = 1 << 17;
const FOLDED: i64 = 1 << 10;
const PINNED: i64 = 1 << 48;

/// Weight of an item that nothing pulls.
const FREE: i64 = 4;

/// The other end of a pull, and how far to the right of its left edge this item's left edge should be.
#[derive(Clone, Copy)]
struct Pull {
    other: u32,
    delta: i32,
    weight: i64,
}

/// Sets `x` of every item of the level. Linear in items and segments for each sweep.
pub(super) fn place(level: &mut Level, rows: &Rows) {
    pack(level, rows);
    let pulls = Pulls::of(level, rows);
    for _ in 0..ROUNDS {
        let mut moved = false;
        for row in &rows.order {
            moved |= settle(level, row, &pulls, Direction::Down);
        }
        for row in rows.order.iter().rev() {
            moved |= settle(level, row, &pulls, Direction::Up);
        }
        // The next round would be the same.
        if !moved {
            break;
        }
    }
    for row in &rows.order {
        settle(level, row, &pulls, Direction::Both);
    }
    for row in rows.order.iter().rev() {
        straighten(level, row, &pulls);
    }
    for row in &rows.order {
        straighten(level, row, &pulls);
    }
}

fn pack(level: &mut Level, rows: &Rows) {
    for row in &rows.order {
        let mut x = 0;
        for pair in row.windows(2) {
            level.items[pair[0] as usize].x = x;
            x += gap(&level.items[pair[0] as usize], &level.items[pair[1] as usize]) as i32;
        }
        if let Some(&last) = row.last() {
            level.items[last as usize].x = x;
        }
    }
}

/// From the left edge of an item to that of the next one, at least.
fn gap(left: &Item, right: &Item) -> i64 {
    let boxes = usize::from(!left.is_line()) + usize::from(!right.is_line());
    let gaps = if left.want.is_some() || right.want.is_some() { TIGHT } else { GAPS };
    i64::from(left.width) + gaps[boxes]
}

/// All pulls, by item.
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
    fn of(level: &Level, rows: &Rows) -> Pulls {
        let mut all = Vec::new();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut join = |from: u32, to: u32, delta: i32, [up, down]: [i64; 2]| {
            above.push((to, all.len() as u32));
            all.push(Pull { other: from, delta, weight: down });
            below.push((from, all.len() as u32));
            all.push(Pull { other: to, delta: -delta, weight: up });
        };
        // A lane is where its first lines are, however many join it later: it must not follow them.
        let mut joins = vec![0i64; level.items.len()];
        let mut goes_on = vec![false; level.items.len()];
        for segment in &rows.long_edges.segments {
            joins[segment.to as usize] += 1;
            goes_on[segment.to as usize] |= level.items[segment.from as usize].what == ItemKind::Dummy;
        }
        for segment in rows.long_edges.segments.iter().filter(|segment| !segment.branch) {
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
        for &(from, to) in &rows.spines {
            let delta = level.items[from as usize].axis() - level.items[to as usize].axis();
            join(from, to, delta, [HOLD[3]; 2]);
        }
        for &(from, to) in &rows.long_edges.spread {
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

    fn towards(&self, item: u32, direction: Direction) -> impl Iterator<Item = Pull> + '_ {
        let up = if direction == Direction::Up { &[][..] } else { self.above.row(item) };
        let down = if direction == Direction::Down { &[][..] } else { self.below.row(item) };
        up.iter().chain(down).map(|&at| self.all[at as usize])
    }

    /// Where an item would like its left edge, and how much.
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
        // Weak pulls decide only where there is nothing else: otherwise they add up from row to row.
        let strong = self.towards(item, direction).any(|pull| pull.weight > FREE);
        let (mut sum, mut weight) = (0, 0);
        for pull in self.towards(item, direction).filter(|pull| !strong || pull.weight > FREE) {
            let x = level.items[pull.other as usize].x + pull.delta;
            sum += i64::from(x) * pull.weight;
            weight += pull.weight;
        }
        if weight == 0 { (i64::from(data.x), FREE) } else { ((sum + weight / 2).div_euclid(weight), weight) }
    }
}

/// Solves one row; whether anything in it moved.
fn settle(level: &mut Level, row: &[u32], pulls: &Pulls, direction: Direction) -> bool {
    // Far outside what a screen or this file can reach; a sum of sizes still fits.
    let near = |x: i64| x.clamp(-(1 << 29), 1 << 29) as i32;
    if let [item] = *row {
        let x = near(pulls.wish(level, item, direction).0);
        return std::mem::replace(&mut level.items[item as usize].x, x) != x;
    }
    let wish = |(at, &item): (usize, &u32)| {
        let (x, weight) = pulls.wish(level, item, direction);
        let next = row.get(at + 1).map(|&next| &level.items[next as usize]);
        let gap = next.map_or(0, |next| gap(&level.items[item as usize], next));
        Wish { x, weight, gap }
    };
    let wishes: Vec<Wish> = row.iter().enumerate().map(wish).collect();
    let mut moved = false;
    for (&item, x) in row.iter().zip(nearest(&wishes)) {
        moved |= std::mem::replace(&mut level.items[item as usize].x, near(x)) != near(x);
    }
    moved
}

/// Takes small bends out: an item that has room moves to where its strongest line is straight.
fn straighten(level: &mut Level, row: &[u32], pulls: &Pulls) {
    /// A bend of more than this is meant.
    const NEAR: i32 = 24;
    for (at, &item) in row.iter().enumerate() {
        let data = &level.items[item as usize];
        if data.want.is_some() {
            continue;
        }
        let strongest = pulls.towards(item, Direction::Both).map(|pull| {
            let x = level.items[pull.other as usize].x + pull.delta;
            (pull.weight, -(x - data.x).abs(), x)
        });
        let Some((_, _, x)) = strongest.filter(|&(_, far, _)| -far <= NEAR).max() else { continue };
        let before = at.checked_sub(1).map(|at| &level.items[row[at] as usize]);
        let least = before.map_or(i64::MIN, |left| i64::from(left.x) + gap(left, data));
        let after = row.get(at + 1).map(|&next| &level.items[next as usize]);
        let most = after.map_or(i64::MAX, |right| i64::from(right.x) - gap(data, right));
        if least <= i64::from(x) && i64::from(x) <= most {
            level.items[item as usize].x = x;
        }
    }
}
