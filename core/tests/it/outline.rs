//! Pipelines as text and as an outline, which stay equal after any edit.

use proptest::prelude::*;
use vitrine_core::pipeline::outline::{MOST_DEPTH, Outline, Row, RowKind};
use vitrine_core::pipeline::{OptionInfo, PASSES, PRESETS, Pipeline};

/// An edit, whose positions are taken modulo the number of rows.
#[derive(Clone, Debug)]
enum Edit {
    Put(usize, RowKind, bool),
    Shift(usize, bool),
    Carry(usize, usize, usize),
    Switch(usize),
    Take(usize),
    Spread(usize, usize),
    Rounds(usize, Option<u32>),
}

fn row_kind() -> impl Strategy<Value = RowKind> {
    let pass = (0..PASSES.len(), any::<prop::sample::Index>()).prop_map(|(pass, pick)| {
        let pass = &PASSES[pass];
        let option = pass.options.get(pick.index(pass.options.len() + 1));
        let spelled = |option: &OptionInfo| match option {
            OptionInfo::Places { .. } => "lights=0:1".to_owned(),
            OptionInfo::Word(..) | OptionInfo::Number { .. } => option.spelled(),
        };
        RowKind::Named(pass.name.to_owned(), option.map(spelled).into_iter().collect())
    });
    prop_oneof![
        4 => pass,
        1 => (0..PRESETS.len()).prop_map(|preset| RowKind::Named(PRESETS[preset].name.to_owned(), Vec::new())),
        1 => prop::option::of(1..1000_u32).prop_map(RowKind::Fix),
        1 => (1..1000_u32).prop_map(RowKind::Repeat),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = || 0..20_usize;
    prop_oneof![
        4 => (0..60_usize, row_kind(), any::<bool>()).prop_map(|(slot, what, off)| Edit::Put(slot, what, off)),
        2 => (at(), any::<bool>()).prop_map(|(at, down)| Edit::Shift(at, down)),
        2 => (at(), at(), 0..10_usize).prop_map(|(at, before, depth)| Edit::Carry(at, before, depth)),
        1 => at().prop_map(Edit::Switch),
        1 => at().prop_map(Edit::Take),
        1 => (at(), 0..PRESETS.len()).prop_map(|(at, preset)| Edit::Spread(at, preset)),
        1 => (at(), prop::option::of(0..2000_u32)).prop_map(|(at, iterations)| Edit::Rounds(at, iterations)),
    ]
}

fn apply(outline: &mut Outline, edit: Edit) {
    match edit {
        Edit::Put(slot, what, off) => {
            let slots = outline.slots();
            outline.put(slots[slot % slots.len()], vec![Row { depth: 0, off, what }]);
        }
        Edit::Shift(at, down) => drop(outline.shift(at, down)),
        Edit::Carry(at, before, depth) => drop(outline.carry(at, before, depth)),
        Edit::Switch(at) => outline.switch(at),
        Edit::Take(at) => drop(outline.take(at)),
        Edit::Spread(at, preset) => drop(outline.spread(at, &PRESETS[preset].text())),
        Edit::Rounds(at, iterations) => outline.set_iterations(at, iterations),
    }
}

/// Every row is at the top level or directly inside a group.
fn is_nested_well(outline: &Outline) -> bool {
    let mut deepest = 0;
    outline.rows.iter().all(|row| {
        let fits = row.depth <= deepest && row.depth <= MOST_DEPTH;
        deepest = row.depth + usize::from(row.is_group());
        fits
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn text_and_rows_stay_equal_after_any_edits(edits in prop::collection::vec(edit(), 0..30)) {
        let mut outline = Outline::default();
        for edit in edits {
            let count = outline.rows.len();
            let moves = matches!(edit, Edit::Shift(..) | Edit::Carry(..) | Edit::Switch(_) | Edit::Rounds(..));
            apply(&mut outline, edit);
            prop_assert!(!moves || outline.rows.len() == count, "a move keeps all rows");
            prop_assert!(is_nested_well(&outline), "{}", outline);
            let text = outline.to_string();
            let (read, places, fault) = Outline::read(&text);
            prop_assert_eq!((&read, fault, places.len()), (&outline, None, outline.rows.len()), "{}", &text);
            prop_assert!(Pipeline::parse(&text).is_ok(), "{}", text);
        }
    }

    #[test]
    fn any_text_parses_to_rows_that_print_and_parse_equally(text in "[-a-c(){}:, =0-9fixrepeat]{0,60}") {
        let (outline, places, _) = Outline::read(&text);
        prop_assert_eq!(places.len(), outline.rows.len());
        prop_assert!(places.iter().all(|place| text.get(place.row.clone()).is_some()));
        prop_assert!(is_nested_well(&outline));
        let printed = outline.to_string();
        prop_assert_eq!(Outline::read(&printed).0.to_string(), printed);
        let _ = Pipeline::parse(&text);
    }
}

#[test]
fn moving_down_step_by_step_visits_every_slot() {
    let text = "dce, fix(cse, repeat(2: algebraic)), O1";
    let (mut outline, _, _) = Outline::read(text);
    let mut seen = vec![outline.to_string()];
    let mut at = 0;
    while let Some(there) = outline.shift(at, true) {
        at = there;
        seen.push(outline.to_string());
    }
    let mut rest = Outline::read(text).0;
    rest.take(0);
    assert_eq!(seen.len(), rest.slots().len());
    while let Some(there) = outline.shift(at, false) {
        at = there;
    }
    assert_eq!(outline.to_string(), text);
}

#[test]
fn old_names_of_passes_and_options_read_as_the_current_ones() {
    let old = "undef, -move{copies}, fix(sink, range-fold), opt-access, lower-wrmasks{components}, \
               load-store-vectorize{components}";
    let current = "opt-undef, -opt-move{copies}, fix(opt-sink, opt-range), infer-access-qualifiers, \
                   lower-wrmasks{components}, load-store-vectorize{components}";
    let (outline, _, fault) = Outline::read(old);
    assert!(fault.is_none());
    assert_eq!(outline.to_string(), current);
    assert!(Pipeline::parse(old).is_ok(), "old links open");
    assert!(Pipeline::parse(current).is_ok());
}
