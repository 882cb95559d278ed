//! Counts of tests, from the summary lines of test runners and from the file of skipped tests.
//!
//! Parses the human-readable output, whose summary lines have been stable in both runners for years.

use crate::test::Tally;

/// Sums `test result: ok. 5 passed; 0 failed; 1 ignored; …` over all test programs; ignored tests are skipped.
pub fn cargo(text: &str) -> Tally {
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: "));
    results.fold(Tally::default(), |sum, line| {
        sum.plus(Tally {
            passed: before(line, "passed"),
            failed: before(line, "failed"),
            skipped: before(line, "ignored"),
        })
    })
}

/// Reads `ℹ pass 5` and `ℹ fail 0` of node's `spec` reporter; canceled tests are failed ones.
pub fn node(text: &str) -> Tally {
    let after = |name: &str| -> usize {
        let prefix = format!("ℹ {name} ");
        text.lines().filter_map(|line| line.strip_prefix(&prefix)?.trim().parse::<usize>().ok()).sum()
    };
    Tally {
        passed: after("pass"),
        failed: after("fail") + after("cancelled"),
        skipped: after("skipped") + after("todo"),
    }
}

/// The part of a log that explains its failures: of node's `spec` reporter everything after the line
/// `✖ failing tests:`, of cargo the blocks between `failures:` and the result line. Empty if nothing failed.
pub fn failures(text: &str) -> Vec<&str> {
    if let Some((_, failing)) = text.split_once("✖ failing tests:") {
        return failing.lines().filter(|line| !line.trim().is_empty()).collect();
    }
    let mut inside = false;
    let explains = |line: &&str| {
        inside = (inside || *line == "failures:") && !line.starts_with("test result: ");
        inside || line.starts_with("error: ") || line.starts_with("error[")
    };
    text.lines().filter(explains).filter(|line| !line.trim().is_empty()).collect()
}

/// Reads the lines `COUNT\tTEST\tREASON` that tests append to the file `VITRINE_SKIPPED`. Returns the sum and the
/// reasons with their counts. A malformed line counts as one test.
pub fn skipped(text: &str) -> (usize, Vec<String>) {
    let mut reasons: Vec<(usize, &str)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut fields = line.splitn(3, '\t');
        let count = fields.next().and_then(|count| count.parse().ok()).unwrap_or(1);
        let reason = fields.nth(1).unwrap_or(line);
        match reasons.iter_mut().find(|(_, known)| *known == reason) {
            Some((sum, _)) => *sum += count,
            None => reasons.push((count, reason)),
        }
    }
    let total = reasons.iter().map(|(count, _)| count).sum();
    (total, reasons.iter().map(|(count, reason)| format!("{count} {reason}")).collect())
}

/// The number before a word.
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
        assert_eq!(cargo(text), Tally { passed: 15, failed: 2, skipped: 1 });
        assert_eq!(cargo("error: could not compile\n"), Tally::default());
    }

    #[test]
    fn results_of_node_are_read() {
        let text = "✔ loads (3ms)\nℹ tests 10\nℹ suites 0\nℹ pass 6\nℹ fail 2\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n";
        assert_eq!(node(text), Tally { passed: 6, failed: 3, skipped: 1 });
    }

    #[test]
    fn failures_are_found_in_both_logs() {
        let cargo = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nleft: 1\n\nfailures:\n    a\n\n\
                     test result: FAILED. 0 passed; 1 failed\nrunning 1 test\n";
        assert_eq!(failures(cargo), ["failures:", "---- a stdout ----", "left: 1", "failures:", "    a"]);
        let node = "✔ loads (3ms)\nℹ fail 1\n\n✖ failing tests:\n\ntest at a.mjs:1\n✖ drags (9ms)\n";
        assert_eq!(failures(node), ["test at a.mjs:1", "✖ drags (9ms)"]);
        assert_eq!(failures("test a ... ok\ntest result: ok. 1 passed\n"), [""; 0]);
    }

    #[test]
    fn skipped_tests_are_summed_by_reason() {
        let text = "3\tit::a\tno corpus\n\n2\tit::b\tno corpus\n1\tit::c\tno spirv-val\ndamaged\n";
        let reasons = ["5 no corpus", "1 no spirv-val", "1 damaged"].map(str::to_owned);
        assert_eq!(skipped(text), (7, reasons.to_vec()));
        assert_eq!(skipped(""), (0, Vec::new()));
    }
}
