//! Permalinks: a link of every released format opens to the state it was made of, and links to real shaders are
//! short.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::of_sets;
use crate::testing::random::rng::Rng;
use vitrine_core::lab::compare::{Dump, bundle};
use vitrine_core::share::{Expected, SharedState};

/// A link of each codec, as copied from the page. Never change one; add one for each new format.
const STORED: [&str; 2] = [
    "1dAW0Akv9uCHNldmVuLmlycBpzdHJ1Y3R1cml6ZXtpbXBvcnRlZH0sIGRjZWEBAXQBAWk_ZnVuYyBAMCgpIC0-IGIzMiBncmFwaCB7Cl4wOgogICUwOiBiMzIgPSBjb25zdCA3CiAgcmV0dXJuICUwCn0K0aru",
    "1mLCTUJWaTHoMe4FyezaG5jz6s3odQKb7WfctnpGH4t4cxr1cRJcs_16ZEb2x6KXw5jo5wrYwS19BF6e3oJYY_9O8RXDg0U6u1VHqhzGXz541mNfzZc4muqcMw6ub",
];

fn state() -> SharedState {
    SharedState {
        input: b"func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  return %0\n}\n".to_vec(),
        name: "seven.ir".to_owned(),
        pipeline: "structurize{imported}, dce".to_owned(),
        at: Some(1),
        func: None,
        shown: 1,
        ..SharedState::default()
    }
}

#[test]
fn stored_links_of_every_format_open() {
    for stored in STORED {
        assert_eq!(SharedState::read(stored), (state(), None), "{stored}");
    }
}

/// A link that names the release that made it; web/e2e/release.test.mjs opens it in two releases.
const OF_OLDER: &str =
    "1mERDUJWaTHoMe4FymEzUyvrxoP9emRG9seil8OY6OcK2MEtfQRent6CWGP_TvEVw4NFOrtVR6ocxl8-eNZjX82XOJrqnDgkb7";

#[test]
fn a_link_names_the_release_that_made_it() {
    let older = SharedState {
        input: state().input,
        name: "seven.ir".to_owned(),
        made_by: "0.0.9".to_owned(),
        ..SharedState::default()
    };
    assert_eq!(SharedState::read(OF_OLDER), (older.clone(), None), "{}", older.link());
}

#[test]
fn equal_states_give_equal_links() {
    assert_eq!(state().link(), state().link());
    assert_eq!(SharedState::read(&state().link()), (state(), None));
}

#[test]
fn a_link_without_options_of_a_source_is_that_of_earlier_releases() {
    assert_eq!(state().link(), STORED[1]);
    let with = SharedState { source_options: "stage=frag".to_owned(), ..state() };
    assert_ne!(with.link(), STORED[1]);
    assert_eq!(SharedState::read(&with.link()), (with, None));
}

/// Limits on the length of a link in characters, by the size of the binary in bytes.
const SHORT: [(usize, usize); 2] = [(7_300, 3_100), (50_200, 12_000)];

#[test]
fn links_to_the_corpus_open_to_their_bytes_and_are_short() {
    let (mut count, mut bytes, mut characters) = (0, 0, 0);
    for item in of_sets(&["teaching", "samples", "cross"]) {
        let (file, input) = (&item.file, item.bytes());
        let state = SharedState { input, ..SharedState::default() };
        let link = state.link();
        let most =
            SHORT.iter().find(|(size, _)| state.input.len() <= *size).map_or(usize::MAX, |(_, most)| *most);
        assert!(link.len() <= most, "{}: {} characters", file, link.len());
        (count, bytes, characters) = (count + 1, bytes + state.input.len(), characters + link.len());
        assert_eq!(SharedState::read(&link), (state, None), "{}", file);
    }
    println!("{count} modules of {bytes} bytes, {characters} characters");
    assert!(count > 100, "{count}");
}

#[test]
fn a_link_with_a_flipped_bit_is_rejected() {
    let input = include_bytes!("../../../www/examples/variables.spvasm").to_vec();
    let link = SharedState { input, ..state() }.link();
    for at in 0..link.len() {
        for bit in 0..7 {
            let mut damaged = link.clone().into_bytes();
            damaged[at] ^= 1 << bit;
            let damaged = String::from_utf8(damaged).unwrap_or_default();
            // White space around a link is ignored.
            if damaged.trim() != link {
                assert!(SharedState::read(&damaged).1.is_some(), "bit {bit} of character {at}");
            }
        }
    }
}

/// Bytes of a program, or any others.
fn some_bytes(rng: &mut Rng) -> Vec<u8> {
    let examples = [
        &include_bytes!("../../../www/examples/variables.spvasm")[..],
        include_bytes!("../../../www/examples/switch.ir"),
    ];
    let mut bytes = rng.pick(&examples).to_vec();
    for _ in 0..rng.below(6) {
        let at = rng.below(bytes.len());
        let end = (at + rng.below(40)).min(bytes.len());
        let new: Vec<u8> = (0..rng.below(30)).map(|_| rng.bits() as u8).collect();
        bytes.splice(at..end, new);
    }
    bytes.truncate(rng.between(0, bytes.len()));
    bytes
}

fn some_text(rng: &mut Rng) -> String {
    let words = ["licm", "main, seed 3", "\u{e4}\u{1F600}", "", "a\nb = 1", "0x3f800000 (1.0)"];
    (0..rng.below(4)).map(|_| *rng.pick(&words)).collect()
}

fn some_state(rng: &mut Rng) -> SharedState {
    let number = |rng: &mut Rng| (rng.bits() >> rng.between(32, 63)) as u32;
    let maybe = |rng: &mut Rng| (!rng.one_in(2)).then(|| number(rng));
    let input = match rng.below(3) {
        0 => some_bytes(rng),
        _ => {
            let first = some_bytes(rng);
            let dumps: Vec<Dump> = (0..rng.between(1, 6))
                .map(|_| {
                    let bytes = if rng.one_in(3) { some_bytes(rng) } else { first.clone() };
                    let name = some_text(rng).split_whitespace().collect::<Vec<_>>().join(" ");
                    Dump { name, bytes }
                })
                .collect();
            bundle(&dumps)
        }
    };
    let expected = (!rng.one_in(2)).then(|| Expected::of(&[&some_text(rng), "x"]));
    let made_by = rng.pick(&["", "0.2.0"]).to_string();
    SharedState {
        input,
        source_options: some_text(rng),
        name: some_text(rng),
        pipeline: some_text(rng),
        at: maybe(rng),
        func: maybe(rng),
        shown: number(rng),
        target: some_text(rng),
        pane: some_text(rng),
        assignments: some_text(rng),
        overlay: number(rng),
        columns: (0..rng.below(5)).map(|_| number(rng)).collect(),
        trials: (!rng.one_in(2)).then(|| [number(rng), number(rng)]),
        expected,
        made_by,
    }
}

#[test]
fn random_states_and_comparisons_go_through_a_link_unchanged() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let state = some_state(&mut rng);
        let link = state.link();
        assert_eq!(SharedState::read(&link), (state, None), "seed {seed}: {link}");
        let at = rng.between(2, link.len() - 1);
        let other = if link.as_bytes()[at] == b'x' { "y" } else { "x" };
        let mut damaged = link.clone();
        damaged.replace_range(at..=at, other);
        assert!(SharedState::read(&damaged).1.is_some(), "seed {seed}: character {at} of {link}");
    }
}
