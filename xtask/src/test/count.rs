//! Counts of passed and failed tests, from the lines that test runners close with.
//!
//! Reads what they print for people; both have kept these lines for years.

use crate::test::Tally;

/// Sums `test result: ok. 5 passed; 0 failed; 1 ignored; …` over all test programs.
pub fn cargo(text: &str) -> Tally {
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: "));
    results.fold(Tally::default(), |sum, line| Tally {
        passed: sum.passed + before(line, "passed"),
        failed: sum.failed + before(line, "failed"),
        ..sum
    })
}

/// Reads `ℹ pass 5` and `ℹ fail 0` of node's `spec` reporter; cancelled tests are failed ones.
pub fn node(text: &str) -> Tally {
    let after = |name: &str| -> usize {
        let beginning = format!("ℹ {name} ");
        text.lines().filter_map(|line| line.strip_prefix(&beginning)?.trim().parse::<usize>().ok()).sum()
    };
    Tally { passed: after("pass"), failed: after("fail") + after("cancelled"), again: again(text) }
}

/// Tests of the page that were tried a second time, as `web/e2e/harness.mjs` says it.
fn again(text: &str) -> usize {
    text.lines().filter(|line| line.trim_start().starts_with("second try, ")).count()
}

/// The number in front of a word.
fn before(line: &str, word: &str) -> usize {
    let words: Vec<&str> = line.split([' ', ';', '.']).filter(|part| !part.is_empty()).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_cargo_are_summed() {
        let text = "running 2 tests\ntest result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    test a ... ok\ntest result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured\n";
        assert_eq!(cargo(text), Tally { passed: 15, failed: 2, again: 0 });
        assert_eq!(cargo("error: could not compile\n"), Tally::default());
    }

    #[test]
    fn results_of_node_are_read() {
        let text = "second try, flow.test.mjs:7:3: Error\n✔ loads (3ms)\nℹ tests 9\nℹ suites 0\nℹ pass 6\nℹ fail 2\nℹ cancelled 1\nℹ skipped 0\n";
        assert_eq!(node(text), Tally { passed: 6, failed: 3, again: 1 });
    }
}
