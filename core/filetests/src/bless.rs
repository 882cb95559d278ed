//! Comparison of expected and found text: a readable diff, and `BLESS=1`, which accepts the found text.

use super::sections::Section;
use std::fmt::Write;

/// `true` if the found text replaces the expected text in files.
pub fn enabled() -> bool {
    std::env::var("BLESS").is_ok_and(|value| !value.is_empty() && value != "0")
}

/// The file with these sections after the input, which is unchanged byte for byte.
pub fn file(input: &str, sections: &[(Section, String)]) -> String {
    let mut out = input.to_owned();
    for (section, body) in sections {
        if !out.ends_with('\n') {
            out.push('\n');
        }
        if !out.ends_with("\n\n") {
            out.push('\n');
        }
        let _ = writeln!(out, "---- {}", section.name());
        out.push_str(body);
    }
    out
}

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Limit on the lines of an exact comparison; longer differing parts are shown as a whole.
const MOST_LINES: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    Gone,
    New,
}

/// A unified diff, without the headers of files. Empty if there is no difference.
pub fn diff(expected: &str, found: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let changes = changes(&a, &b);
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        let to = (at + CONTEXT + 1).min(changes.len());
        changes[from..to].iter().any(|(change, _)| *change != Change::Same)
    };
    let mut out = String::new();
    let mut skipped = false;
    for (at, (change, line)) in changes.iter().enumerate() {
        if !near(at) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            out.push_str("  ...\n");
        }
        let sign = match change {
            Change::Same => ' ',
            Change::Gone => '-',
            Change::New => '+',
        };
        let _ = writeln!(out, "{sign} {line}");
    }
    if out.is_empty() && expected != found {
        out.push_str("- (the texts differ only in line endings)\n");
    }
    out
}

/// The lines of both texts, aligned by their longest common subsequence.
fn changes<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(Change, &'t str)> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a_rest, b_rest) = (&a[head..], &b[head..]);
    let tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a_mid, b_mid) = (&a_rest[..a_rest.len() - tail], &b_rest[..b_rest.len() - tail]);
    let mut out: Vec<(Change, &str)> = a[..head].iter().map(|&line| (Change::Same, line)).collect();
    if a_mid.len().max(b_mid.len()) > MOST_LINES {
        out.extend(a_mid.iter().map(|&line| (Change::Gone, line)));
        out.extend(b_mid.iter().map(|&line| (Change::New, line)));
    } else {
        middle(a_mid, b_mid, &mut out);
    }
    out.extend(a_rest[a_rest.len() - tail..].iter().map(|&line| (Change::Same, line)));
    out
}

fn middle<'t>(a: &[&'t str], b: &[&'t str], out: &mut Vec<(Change, &'t str)>) {
    let width = b.len() + 1;
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push((Change::Same, a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            out.push((Change::Gone, a[i]));
            i += 1;
        } else {
            out.push((Change::New, b[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_changes_with_context() {
        let lines = |range: std::ops::Range<u32>| range.map(|n| format!("{n}\n")).collect::<String>();
        let (a, b) = (lines(0..20), lines(0..20).replace("10\n", "ten\n"));
        assert_eq!(diff(&a, &b), "  ...\n  7\n  8\n  9\n- 10\n+ ten\n  11\n  12\n  13\n");
        assert_eq!(diff(&a, &a), "");
        assert_eq!(diff("", "x\n"), "+ x\n");
        assert_eq!(diff("x\n", "x"), "- (the texts differ only in line endings)\n");
    }

    #[test]
    fn blessing_does_not_change_the_input() {
        let blessed = file(
            "; why: x\n\nfunc @0()",
            &[(Section::After, "a\n".to_owned()), (Section::Phis, "b\n".to_owned())],
        );
        assert_eq!(blessed, "; why: x\n\nfunc @0()\n\n---- after\na\n\n---- phis\nb\n");
        let again = super::super::sections::split(&blessed).unwrap();
        assert_eq!(again.sections[0].1.trim_end(), "a");
        assert!(blessed.starts_with(again.input));
    }
}
