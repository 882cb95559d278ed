//! Suggestions for misspelled names.
//!
//! Compares spellings only; callers know what a name is for.

/// Number of single-character edits between two words, for suggestions. Long words are cut: they are no typos.
pub fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(32).collect();
    let b: Vec<char> = b.chars().take(32).collect();
    edits(&a, &b, &mut Vec::new(), |a, b| a == b)
}

/// Number of elements to change, insert or remove (Levenshtein); `scratch` is memory for the next call.
pub fn edits<T>(a: &[T], b: &[T], scratch: &mut Vec<usize>, same: impl Fn(&T, &T) -> bool) -> usize {
    scratch.clear();
    scratch.extend(0..=b.len());
    for (i, one) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut scratch[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(!same(one, other));
            diagonal = scratch[j + 1];
            scratch[j + 1] = replaced.min(diagonal + 1).min(scratch[j] + 1);
        }
    }
    scratch[b.len()]
}

/// The name that was probably meant: the closest one, if at most a third of the letters differ.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let count = name.chars().count();
    let most = 1 + count / 3;
    // A long word is not compared with short names, so the time does not grow with it.
    let known = known.into_iter().filter(|other| other.chars().count().abs_diff(count) <= most);
    let best = known.map(|other| (distance(name, other), other)).min()?;
    (best.0 <= most).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_close_name_is_suggested() {
        assert_eq!(nearest("spvasn", ["ir", "spvasm", "spirv"]), Some("spvasm"));
        assert_eq!(nearest("moon", ["ir", "spvasm", "spirv"]), None);
        assert_eq!(nearest("ir", []), None);
    }
}
