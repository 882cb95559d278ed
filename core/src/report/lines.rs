//! The difference of two texts, line by line, as in a patch.
//!
//! Refuses to align more than a limit of lines: longer texts are only compared at their ends.

/// Lines of a difference around changed ones.
const AROUND: usize = 3;

/// Lines of two texts up to which they are aligned line by line.
const MOST_ALIGNED: usize = 2_000;

/// The changed lines of two texts with those around them: a minus for lines of the first one, a plus for the second.
pub(super) fn line_difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_end = old[same_start..]
        .iter()
        .rev()
        .zip(new[same_start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let [a, b] = [&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]];
    let mut marked: Vec<(char, &str)> = Vec::new();
    marked.extend(old[..same_start].iter().map(|line| (' ', *line)));
    match a.len().max(b.len()) <= MOST_ALIGNED {
        true => marked.extend(aligned(a, b)),
        false => {
            marked.extend(a.iter().map(|line| ('-', *line)));
            marked.extend(b.iter().map(|line| ('+', *line)));
        }
    }
    marked.extend(old[old.len() - same_end..].iter().map(|line| (' ', *line)));
    let near = |at: usize| {
        let around = marked.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(marked.len()));
        around.unwrap_or_default().iter().any(|(mark, _)| *mark != ' ')
    };
    let mut out: Vec<String> = Vec::new();
    let mut skips = false;
    for (at, (mark, line)) in marked.iter().enumerate() {
        match (near(at), skips) {
            (true, _) => {
                skips = true;
                out.push(format!("{mark}{line}"));
            }
            (false, true) => {
                skips = false;
                out.push(" …".to_owned());
            }
            (false, false) => {}
        }
    }
    out
}

/// Lines of the longest common subsequence, and the others with their marks.
fn aligned<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(char, &'t str)> {
    let wide = b.len() + 1;
    // The length of the longest common subsequence of the rests of both.
    let mut longest = vec![0u16; (a.len() + 1) * wide];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * wide + j] = match a[i] == b[j] {
                true => longest[(i + 1) * wide + j + 1] + 1,
                false => longest[(i + 1) * wide + j].max(longest[i * wide + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        let take_old =
            j == b.len() || (i < a.len() && longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]);
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if take_old {
            out.push(('-', a[i]));
            i += 1;
        } else {
            out.push(('+', b[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj";
        let new = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk";
        let wanted = [" b", " c", " d", "-e", "+E", " f", " g", " h", " i", " j", "+k"];
        assert_eq!(line_difference(old, new), wanted);
        assert_eq!(line_difference(old, old), Vec::<String>::new());
        assert_eq!(line_difference("", "x"), ["+x"]);
        assert_eq!(line_difference("x\ny", "y\nx"), ["-x", " y", "+x"]);
    }
}
