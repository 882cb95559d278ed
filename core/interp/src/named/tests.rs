//! Inputs by name: values, assignments, patterns, explanations.

use super::*;
use crate::{run, seeded};
use vitrine_text::parse;

const PARTICLES: &str = "struct #Particle_0 {
  position: f32x4 {offset 0}
  velocity: f32x3 {offset 16}
  age: f32 {offset 32}
}

struct #Scene_1 {block} {
  step: f32 {offset 0}
  count: i32 {offset 4}
  turn: mat<f32x2 * 2 step 8 rows> {offset 8}
  particles: [#Particle_0 step 48] {offset 32}
}

in $id_0: u32x3 {builtin global_invocation_id}
storage $scene_1: #Scene_1 {set 0, binding 0}

entry compute \"main\" @main_0 ($id_0, $scene_1) {local_size 4 1 1}

func @main_0() graph {
^0:
  return
}
";

const TEXTURE: &str = "in $at_0: f32x2 {location 0}
out $color_1: f32x4 {location 0}
handle $picture_2: sampled_image<2d f32> {set 0, binding 0}

entry fragment \"main\" @main_0 ($at_0, $picture_2, $color_1) {origin_upper_left}

func @main_0() graph {
^0:
  %0: path = deref.var $at_0
  %2: path = deref.var $picture_2
  %11: path = deref.var $color_1
  %1: b32x2 = load %0
  %3: handle = load %2
  %4: b32x4 = tex.sample %3, %1 {dim 2d, roles image+coord}
  %12 = store %11, %4
  return
}
";

fn read(text: &str) -> Module {
    let parsed = parse(text);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    parsed.module
}

fn particles() -> Module {
    read(PARTICLES)
}

fn texture() -> Module {
    read(TEXTURE)
}

/// Assigns, or panics with the explanation.
fn set(module: &Module, inputs: &mut Inputs, lines: &str) {
    let wrong = Named::new(module, 0, inputs).assign_all(inputs, lines);
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn wrong(module: &Module, line: &str) -> String {
    let mut inputs = seeded(module, 0, 1);
    let before = inputs.clone();
    let why = Named::new(module, 0, &inputs).assign(&mut inputs, line).unwrap_err();
    assert_eq!(inputs, before, "a wrong assignment changes nothing: {line}");
    why
}

#[test]
fn names_of_members_are_listed_with_their_values() {
    let module = particles();
    let inputs = seeded(&module, 0, 1);
    let mut named = Named::new(&module, 0, &inputs);
    let bytes: Vec<InputBytes> = named
        .roots
        .iter()
        .filter_map(|(_, root)| match root {
            Root::Bytes(bytes, _) => Some(*bytes),
            Root::Image(..) | Root::Stage(..) | Root::Constant(..) => None,
        })
        .collect();
    for bytes in bytes {
        let (values, count) = named.values(bytes, &inputs, 0, u32::MAX);
        assert_eq!(values.len(), count as usize);
        assert!(count > 0);
        let (window, _) = named.values(bytes, &inputs, 1, 1);
        assert_eq!(window.first(), values.get(1));
        for value in values {
            // Each value, assigned to its own name, changes nothing.
            let mut same = inputs.clone();
            let line = format!("{} = {}", value.name, value.text(bytes.of(&inputs)));
            set(&module, &mut same, &line);
            assert_eq!(same.buffers, inputs.buffers, "{line}");
            assert_eq!(same.push, inputs.push, "{line}");
        }
    }
}

#[test]
fn every_named_number_can_be_set_alone() {
    let module = particles();
    let inputs = seeded(&module, 0, 1);
    let mut named = Named::new(&module, 0, &inputs);
    let roots = named.roots.clone();
    let (name, bytes) = roots
        .iter()
        .find_map(|(name, root)| match root {
            Root::Bytes(bytes @ InputBytes::Buffer(..), _) => Some((name.clone(), *bytes)),
            _ => None,
        })
        .unwrap();
    let (values, _) = named.values(bytes, &inputs, 0, 8);
    let value = values
        .iter()
        .find(|value| value.kind == NumberKind::Float)
        .unwrap_or_else(|| panic!("{name}: {values:?}"));
    let mut changed = inputs.clone();
    set(&module, &mut changed, &format!("{} = 0.375", value.name));
    let differ: Vec<u64> = bytes
        .of(&inputs)
        .iter()
        .zip(bytes.of(&changed))
        .enumerate()
        .filter(|(_, (one, two))| one != two)
        .map(|(at, _)| at as u64)
        .collect();
    let first = value.offsets[0];
    let last = value.offsets[value.offsets.len() - 1] + 4;
    assert!(differ.iter().all(|at| (first..last).contains(at)), "{differ:?} {value:?}");
    assert!(value.text(bytes.of(&changed)).contains("0.375"));
}

#[test]
fn stage_inputs_are_set_for_all_invocations_or_for_one() {
    let module = texture();
    let mut inputs = seeded(&module, 0, 1);
    let roots = Named::new(&module, 0, &inputs).roots;
    let name =
        roots.iter().find(|(_, root)| matches!(root, Root::Stage(..))).map(|(name, _)| name.clone()).unwrap();
    set(&module, &mut inputs, &format!("{name} = 0.25"));
    assert!(inputs.varyings.values().all(|varying| varying.base == 0x3e80_0000 && varying.dx == 0.0));
    let [x, y, ..] = inputs.rect;
    let same = run(&module, 0, &inputs).unwrap();
    set(&module, &mut inputs, &format!("{name} @ {x}, {y} = 0.75"));
    let other = run(&module, 0, &inputs).unwrap();
    let pairs = same.invocations.values().zip(other.invocations.values());
    let differ: Vec<[u32; 3]> =
        pairs.filter(|(one, two)| one.outputs != two.outputs).map(|(one, _)| one.at).collect();
    // The others of its quad have other derivatives.
    let in_quad = |at: &[u32; 3]| [at[0] / 2, at[1] / 2] == [x / 2, y / 2];
    assert!(differ.iter().all(in_quad) && differ.len() <= 4, "{differ:?}");
    assert_eq!(inputs.singles.values().next().and_then(|single| single.get(&[x, y])), Some(&0x3f40_0000));
}

#[test]
fn images_get_patterns_and_pictures() {
    let module = texture();
    let inputs = seeded(&module, 0, 1);
    let roots = Named::new(&module, 0, &inputs).roots;
    let name =
        roots.iter().find(|(_, root)| matches!(root, Root::Image(..))).map(|(name, _)| name.clone()).unwrap();
    let mut contents = Vec::new();
    for pattern in ["checker", "gradient", "noise", "white", "black", "#ff8000", "(0.5, 0.25, 1, 1)", "0.5"] {
        let mut changed = inputs.clone();
        set(&module, &mut changed, &format!("{name} = {pattern}"));
        let image = changed.images.values().next().unwrap()[0].clone();
        assert_eq!(image.size, [64, 64, 1]);
        assert!(!contents.contains(&image.bytes), "{pattern}");
        contents.push(image.bytes);
    }
    let mut changed = inputs.clone();
    let rgba = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]].concat();
    let picture = |input: &str, rgba: &[u8]| Picture {
        input: input.to_owned(),
        file: "four = 4.png".to_owned(),
        size: [2, 2],
        rgba: rgba.to_vec(),
    };
    let assignment = format!("{name} = \"four = 4.png\"");
    let mut draw = |pictures: &[Picture], line: &str| {
        Named::new(&module, 0, &inputs).with_pictures(pictures).assign(&mut changed, line)
    };
    let black = [0; 16];
    draw(&[picture("other", &black), picture(&name, &rgba), picture("third", &black)], &assignment).unwrap();
    assert!(draw(&[picture(&name, &rgba[1..])], &assignment).is_err());
    let why = draw(&[picture(&name, &rgba)], &format!("{name} = \"five.png\"")).unwrap_err();
    assert!(why.contains("`five.png` is not here") && why.contains("reload"), "{why}");
    let image = &changed.images.values().next().unwrap()[0];
    let texel = |level, x, y| {
        let at = crate::image::At { texel: [x, y, 0], level, ..Default::default() };
        let start = image.offset(at).unwrap();
        image.format.decode(&image.bytes[start..start + image.format.bytes()]).map(f64::from_bits)
    };
    assert_eq!(texel(0, 1, 0), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(texel(1, 0, 0), [0.5, 0.5, 0.5, 1.0], "the average");
}

#[test]
fn what_is_wrong_is_explained() {
    let module = particles();
    let roots = Named::new(&module, 0, &seeded(&module, 0, 1)).roots;
    let (block, ty) = roots
        .iter()
        .find_map(|(name, root)| match root {
            Root::Bytes(_, ty) => Some((name.clone(), *ty)),
            _ => None,
        })
        .unwrap();
    let TypeData::Struct(structure) = *module.type_of(ty) else { panic!("{block} is a block") };
    let member =
        module.structure(structure).unwrap().members[0].name.map(|name| module.text_of(name)).unwrap();
    for (line, says) in [
        ("moon", "has no `=`"),
        ("moon_and_sun = 1", "there is no input `moon_and_sun`"),
        (&*format!("{block}x.y = 1"), "did you mean"),
        (&*format!("{block}.nothing_like_it = 1"), "there is no member"),
        (&*format!("{block}.{member}x = 1"), &*format!("did you mean `{member}`?")),
        (&*format!("{block}.{member} = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)"), "one number sets all"),
        (&*format!("{block}.{member} ="), "0 are given"),
        (&*format!("{block}.{member}[99999999] = 1"), "out of range"),
        (&*format!("{block}..x = 1"), "not a path"),
        (&*format!("{block} @ 1, 2 = 1"), "the same for all invocations"),
        (&*format!("{block} @ x = 1"), "is not an invocation"),
    ] {
        let why = wrong(&module, line);
        assert!(why.contains(says), "{line}: {why}");
    }
    let module = texture();
    let roots = Named::new(&module, 0, &seeded(&module, 0, 1)).roots;
    let name =
        roots.iter().find(|(_, root)| matches!(root, Root::Image(..))).map(|(name, _)| name.clone()).unwrap();
    assert!(wrong(&module, &format!("{name} = noize")).contains("did you mean `noise`?"));
    assert!(wrong(&module, &format!("{name} = #12")).contains("#rrggbb"));
}

#[test]
fn huge_arrays_end() {
    let text = TEXTURE.replace(
        "in $at_0: f32x2 {location 0}",
        "in $at_0: f32x2 {location 0}\nin $all_9: [[f32 * 4000000000] * 4000000000] {location 4}",
    );
    let module = read(&text.replace("($at_0,", "($all_9, $at_0,"));
    let mut inputs = seeded(&module, 0, 1);
    assert_eq!(Named::new(&module, 0, &inputs).assign(&mut inputs, "all = 1"), Ok(()));
    let why = Named::new(&module, 0, &inputs).assign(&mut inputs, "all[3999999999][3999999999] = 1");
    assert!(why.is_err_and(|why| why.contains("has no numbers")));
}
