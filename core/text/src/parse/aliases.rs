//! Names that operations and attributes had before. Stored programs and links keep parsing: an old name is read as
//! the current one, and only the current one is printed.
//!
//! The only table of its kind for the text form. A name that is in it is never given to another operation or
//! attribute.

use vitrine_ir::ops::Op;
use vitrine_ir::ops::attr::Key;

/// Old and current names of operations.
const OPERATIONS: &[(&str, &str)] = &[
    ("lane_rotate", "subgroup_rotate"),
    ("lane_shuffle", "subgroup_shuffle"),
    ("lane_shuffle_down", "subgroup_shuffle_down"),
    ("lane_shuffle_up", "subgroup_shuffle_up"),
    ("lane_shuffle_xor", "subgroup_shuffle_xor"),
];

/// Old and current names of attributes.
const ATTRIBUTES: &[(&str, &str)] = &[("lanes", "components")];

/// Returns the operation of a current or old name.
pub(super) fn operation(name: &str) -> Option<Op> {
    Op::from_name(current(OPERATIONS, name))
}

/// Returns the attribute of a current or old name.
pub(super) fn attribute(name: &str) -> Option<Key> {
    Key::from_name(current(ATTRIBUTES, name))
}

fn current<'t>(table: &[(&str, &'t str)], name: &'t str) -> &'t str {
    table.iter().find(|(old, _)| *old == name).map_or(name, |(_, current)| current)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_lead_to_current_ones_and_are_names_of_none() {
        for &(old, current) in OPERATIONS {
            assert!(Op::from_name(old).is_none(), "{old} is an old name");
            assert_eq!(operation(old).expect(old).name(), current);
            assert_eq!(operation(current), operation(old));
        }
        for &(old, current) in ATTRIBUTES {
            assert!(Key::from_name(old).is_none(), "{old} is an old name");
            assert_eq!(attribute(old).expect(old).name(), current);
            assert_eq!(attribute(current), attribute(old));
        }
    }
}
