//! Lines of the SPIR-V that naga writes.
//!
//! naga states line 1, column 1 for instructions whose place it does not know: loads of variables, for example. They get the
//! next known place in their block, as they compute something for the statement there; without one they keep the last.

/// Words before the first instruction.
const HEADER: usize = 5;
const OP_LINE: u32 = 8;
const OP_LABEL: u32 = 248;
/// OpBranch to OpUnreachable, which end blocks.
const ENDS: std::ops::RangeInclusive<u32> = 249..=255;

/// The same words without unknown places. Words that are no instructions are kept.
pub(crate) fn known(words: Vec<u32>) -> Vec<u32> {
    let mut starts = Vec::new();
    let mut at = HEADER;
    while let Some(&head) = words.get(at) {
        starts.push(at);
        at += (head >> 16).max(1) as usize;
    }
    let mut next: Option<&[u32]> = None;
    let mut kept: Vec<&[u32]> = Vec::with_capacity(starts.len());
    for &start in starts.iter().rev() {
        let length = (words[start] >> 16).max(1) as usize;
        let inst = words.get(start..start + length).unwrap_or(&words[start..]);
        match (inst[0] & 0xffff, inst) {
            (OP_LINE, [_, _, 1, 1]) => kept.extend(next),
            (OP_LINE, _) => {
                next = Some(inst);
                kept.push(inst);
            }
            (op, _) => {
                if op == OP_LABEL || ENDS.contains(&op) {
                    next = None;
                }
                kept.push(inst);
            }
        }
    }
    let header = words.get(..HEADER).unwrap_or(&words);
    header.iter().chain(kept.into_iter().rev().flatten()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(insts: &[&[u32]]) -> Vec<u32> {
        let mut out = vec![0x0723_0203, 0x1_0400, 0, 9, 0];
        for inst in insts {
            out.push((inst.len() as u32) << 16 | inst[0]);
            out.extend_from_slice(&inst[1..]);
        }
        out
    }

    #[test]
    fn an_unknown_place_becomes_the_next_one_of_its_block() {
        let load: &[u32] = &[61, 1, 2, 3];
        let given = words(&[
            &[248, 4],
            &[8, 7, 1, 1],
            load,
            &[8, 7, 13, 9],
            load,
            &[8, 7, 1, 1],
            &[249, 5],
            &[248, 5],
            &[8, 7, 15, 5],
            &[253],
        ]);
        let wanted = words(&[
            &[248, 4],
            &[8, 7, 13, 9],
            load,
            &[8, 7, 13, 9],
            load,
            &[249, 5],
            &[248, 5],
            &[8, 7, 15, 5],
            &[253],
        ]);
        assert_eq!(known(given), wanted);
    }

    #[test]
    fn what_is_no_module_is_kept() {
        for broken in [vec![], vec![1, 2], vec![1, 2, 3, 4, 5, 0], vec![1, 2, 3, 4, 5, 0xffff_0008, 1]] {
            assert_eq!(known(broken.clone()), broken);
        }
    }
}
