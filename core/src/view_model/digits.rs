//! Large numbers for display, with their digits in groups.

/// `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        let words = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(words, ["0", "999", "1,000", "1,234,567"]);
    }
}
