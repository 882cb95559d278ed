//! Enums that have numbers in tables, links and stored views.

use vitrine_protocol::layout::{CellEntry, EdgeEntry, EdgeKind, Fold};
use vitrine_protocol::{Mark, OverlayKind};

#[test]
fn stored_views_keep_the_indices_of_overlays() {
    let known = ["loops", "dominators", "divergence", "liveness", "pressure", "ranges", "alias", "counts"];
    let names = OverlayKind::ALL.iter().map(|kind| kind.name());
    assert_eq!(names.take(known.len()).collect::<Vec<_>>(), known);
    assert!(OverlayKind::ALL.iter().enumerate().all(|(at, &kind)| kind as usize == at));
}

#[test]
fn folds_have_their_numbers_in_every_form_and_no_others() {
    for (number, fold) in (1..).zip([Fold::Loop, Fold::Branch, Fold::Sequence]) {
        assert_eq!((Fold::numbered(number), u32::from(fold)), (Some(fold), number));
        assert_eq!(serde_json::to_string(&(fold, 7)).ok(), Some(format!("[{number},7]")));
        // Stored views have the bytes of two numbers.
        assert_eq!(postcard::to_allocvec(&(fold, 7u32)), postcard::to_allocvec(&[number, 7]));
    }
    assert_eq!((Fold::numbered(0), Fold::numbered(4)), (None, None));
    assert!(serde_json::from_str::<Fold>("4").is_err());
}

#[test]
fn kinds_of_edges_and_changes_of_cells_are_total() {
    let kind = |kind: u32| EdgeEntry { kind, back: 0, from: 1, to: 2, label_at: [0, 0], points: 0 }.kind();
    let kinds = [EdgeKind::Always, EdgeKind::True, EdgeKind::False, EdgeKind::Case, EdgeKind::Always];
    assert_eq!([0, 1, 2, 3, 4].map(kind), kinds);
    let change = |mark: u32| CellEntry { line: 1, mark, number: 1, indent: 0 }.change();
    assert_eq!([0, 4, 5, 300].map(change), [Some(Mark::Same), Some(Mark::Moved), None, Some(Mark::Same)]);
}
