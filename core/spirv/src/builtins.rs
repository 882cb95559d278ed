//! System values by their SPIR-V numbers, and back.

use super::spec::BuiltIn;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use vitrine_ir::ops::Builtin;

/// Numbers above this one are not looked up: the highest known enumerant is lower.
const HIGHEST: u32 = 8192;

/// The system value with a SPIR-V number.
pub fn builtin_word(number: u32) -> Option<Builtin> {
    static WORDS: OnceLock<FxHashMap<String, Builtin>> = OnceLock::new();
    let words =
        WORDS.get_or_init(|| Builtin::ALL.iter().map(|&it| (it.name().replace('_', ""), it)).collect());
    let known = BuiltIn::from_u32(number)?;
    // Two vendors may use one name for two numbers: a word has the number of the first vendor in this list.
    match known {
        BuiltIn::BaryCoordNoPerspKHR => return words.get("barycoordnoperspective").copied(),
        BuiltIn::WarpIDARM | BuiltIn::WarpMaxIDARM => return None,
        _ => {}
    }
    let name = format!("{known:?}");
    let name = ["KHR", "EXT", "NV", "AMD", "ARM", "HUAWEI", "INTEL"]
        .iter()
        .find_map(|vendor| name.strip_suffix(vendor))
        .unwrap_or(&name);
    words.get(&name.to_lowercase()).copied()
}

/// The SPIR-V number of a system value.
pub fn builtin_number(word: Builtin) -> Option<u32> {
    static NUMBERS: OnceLock<FxHashMap<Builtin, u32>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        (0..HIGHEST).rev().filter_map(|number| Some((builtin_word(number)?, number))).collect()
    });
    numbers.get(&word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_number_that_leads_back() {
        for &word in Builtin::ALL {
            assert_eq!(builtin_number(word).and_then(builtin_word), Some(word), "{word:?}");
        }
        for number in 0..HIGHEST {
            if let Some(word) = builtin_word(number) {
                let of = |number: Option<u32>| number.and_then(BuiltIn::from_u32);
                assert_eq!(of(builtin_number(word)), of(Some(number)));
            }
        }
        assert_eq!((builtin_word(0), builtin_number(Builtin::Position)), (Some(Builtin::Position), Some(0)));
        assert_eq!(builtin_word(u32::MAX), None);
    }
}
