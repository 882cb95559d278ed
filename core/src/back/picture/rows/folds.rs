//! Folds of aligned rows: runs of rows that are equal in all columns, away from differences. And the indentation that
//! all lines between two folds have.
//!
//! Rows near a difference are shown, and the first rows of their part and of their block, so that a difference is
//! never without its place. Linear in the rows. Refuses to read programs: [`RowFacts`] has the facts of a row.

/// The number of context rows around a difference.
const CONTEXT: u32 = 2;
/// The minimal number of rows of a fold.
const LEAST_FOLD: u32 = 4;

/// The facts of a row that decide if it is folded.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFacts {
    /// True if all columns are equal.
    pub same: bool,
    /// True for the first row of a part.
    pub begins: bool,
    /// True if the first column has an empty line.
    pub blank: bool,
    /// True for the first row of a block or structure.
    pub heads: bool,
}

/// Rows with differences, their context rows, and the first rows of their parts and blocks.
pub fn near(rows: impl Iterator<Item = RowFacts>) -> Vec<bool> {
    let rows: Vec<RowFacts> = rows.collect();
    let count = rows.len() as u32;
    let mut near = vec![false; rows.len()];
    let (mut first, mut head) = (0, None);
    for (row, facts) in (0u32..).zip(&rows) {
        if facts.begins {
            // An empty line above a part is not worth a row.
            first = row + u32::from(facts.blank);
            head = None;
        }
        if facts.heads {
            head = Some(row);
        }
        if facts.same {
            continue;
        }
        let around = row.saturating_sub(CONTEXT)..(row + CONTEXT + 1).min(count);
        for at in around.chain([first.min(count - 1)]).chain(head.take()) {
            near[at as usize] = true;
        }
    }
    near
}

/// The visible rows, each with the number of rows folded into it. Short runs, and runs that `is_open` accepts by their
/// first row, are not folded.
pub fn folded(near: &[bool], is_open: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let count = near.len() as u32;
    let mut rows = Vec::new();
    let mut row = 0;
    while row < count {
        let end = (row..count).find(|&at| near[at as usize]).unwrap_or(count);
        match end - row < LEAST_FOLD || is_open(row) {
            true => rows.extend((row..end).map(|row| (row, 0))),
            false => rows.push((row, end - row)),
        }
        let next = (end..count).find(|&at| !near[at as usize]).unwrap_or(count);
        rows.extend((end..next).map(|row| (row, 0)));
        row = next;
    }
    rows
}

/// The indentation that all lines have, in letters; empty lines have none of their own.
pub fn common_indent<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    let filled = lines.filter(|line| !line.trim().is_empty());
    filled.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u32, u32)> {
        let facts = text.chars().map(|letter| RowFacts {
            same: letter != 'x',
            begins: letter == 'p',
            heads: letter == 'b',
            ..RowFacts::default()
        });
        folded(&near(facts), |_| false)
    }

    #[test]
    fn a_difference_is_shown_with_its_context_its_block_and_its_part() {
        assert_eq!(
            rows("p.....b......x......"),
            [(0, 0), (1, 5), (6, 0), (7, 4), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0), (16, 4)]
        );
    }

    #[test]
    fn short_runs_and_open_ones_are_shown() {
        assert_eq!(rows("px...x").iter().filter(|(_, count)| *count > 0).count(), 0);
        assert_eq!(rows("p........"), [(0, 9)], "nothing differs");
        assert_eq!(folded(&[false; 9], |row| row == 0).len(), 9);
        assert_eq!(folded(&[], |_| false), []);
    }

    #[test]
    fn empty_lines_have_no_indentation_of_their_own() {
        assert_eq!(common_indent(["    a", "", "  b", "      c"].into_iter()), 2);
        assert_eq!(common_indent(["", "  "].into_iter()), 0);
    }
}
