//! The words of the two editable languages, for highlighting and completion.
//!
//! All come from the tables of operations and the grammar. Some 1,500 words, 80 KB.

use super::class_names;
use crate::ops::Op;
use crate::spirv::{Kind, LogicalOperand, OpInfo, Quantifier, op_named, op_names};
use crate::text::vocabulary;
use std::collections::BTreeMap;
use std::fmt::Write;
use vitrine_protocol::{Word, Words};

/// The words, see [`Answer::Words`](vitrine_protocol::Answer::Words).
pub fn words() -> Words {
    // Operations name the instructions that they stand for in their docs.
    let mut meanings: BTreeMap<&str, &'static str> = BTreeMap::new();
    let mut words: Vec<Word> = Vec::new();
    for (name, class) in vocabulary() {
        let doc = Op::from_name(&name).map_or("", |op| op.doc().trim());
        let is_name =
            |word: &&str| word.strip_prefix("Op").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        for named in doc.split(|char: char| !char.is_alphanumeric()).filter(is_name) {
            // The shortest doc describes the instruction best; others are variants of the operation.
            let known = meanings.entry(named).or_insert(doc);
            *known = if doc.len() < known.len() { doc } else { known };
        }
        words.push(Word { doc: in_one_line(doc), class: class as u32, is_spirv: false, name });
    }
    let class = crate::text::Class::Op as u32;
    words.extend(op_names().map(|name| {
        let name = format!("Op{name}");
        let meaning = meanings.get(name.as_str()).copied().unwrap_or_default();
        let doc = op_named(&name[2..]).map_or_else(String::new, |info| of_instruction(info, meaning));
        Word { doc: in_one_line(&doc), class, is_spirv: true, name }
    }));
    words.sort_unstable_by(|one, next| one.name.cmp(&next.name));
    Words { classes: class_names().into_iter().map(str::to_owned).collect(), words }
}

fn in_one_line(doc: &str) -> String {
    doc.replace('\n', " ")
}

/// The meaning of an instruction, its operands as the grammar has them, and the capabilities that allow it.
fn of_instruction(info: &OpInfo, meaning: &str) -> String {
    let mut doc = meaning.trim_end_matches('.').to_owned();
    doc.push_str(if doc.is_empty() { "`" } else { ". `" });
    doc.push_str(if info.has_result { "%result = " } else { "" });
    doc.push_str(&info.name);
    doc.push_str(if info.has_type { " type" } else { "" });
    for operand in info.operands {
        doc.push(' ');
        put_operand(&mut doc, operand);
    }
    doc.push('`');
    if let [first, rest @ ..] = info.capabilities {
        let _ = write!(doc, " needs capability {first:?}");
        for other in rest {
            let _ = write!(doc, " or {other:?}");
        }
    }
    doc
}

fn put_operand(doc: &mut String, operand: &LogicalOperand) {
    let spelled = match operand.kind {
        Kind::IdRef => "id".to_owned(),
        Kind::IdScope => "scope".to_owned(),
        Kind::IdMemorySemantics => "semantics".to_owned(),
        Kind::LiteralInteger | Kind::LiteralExtInstInteger => "number".to_owned(),
        Kind::LiteralString => "string".to_owned(),
        kind => format!("{kind:?}"),
    };
    let _ = match operand.quantifier {
        Quantifier::One => write!(doc, "{spelled}"),
        Quantifier::ZeroOrOne => write!(doc, "[{spelled}]"),
        Quantifier::ZeroOrMore => write!(doc, "{spelled}…"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_have_a_class_and_a_doc_of_one_line() {
        let Words { classes, words } = words();
        assert!(words.is_sorted_by(|one, next| one.name < next.name));
        for name in ["fadd", "nnan", "OpFAdd", "OpLoopMerge"] {
            assert!(words.iter().any(|word| word.name == name), "{name}");
        }
        assert!(words.iter().all(|word| (word.class as usize) < classes.len() && !word.doc.contains('\n')));
        // The editor completes the words of one language by this flag, and marks ids by their signs.
        assert!(words.iter().all(|word| word.is_spirv == word.name.starts_with("Op")));
    }

    #[test]
    fn operations_come_with_their_sentence() {
        let words = words();
        assert!(words.named("fadd").is_some_and(|word| !word.doc.is_empty() && !word.is_spirv));
        assert!(words.named("OpTypeFloat").is_some_and(|word| word.is_spirv));
        assert_eq!(words.named("no word"), None);
    }

    #[test]
    fn instructions_of_spirv_come_with_the_meaning_of_their_operation_and_their_operands() {
        let words = words();
        let doc = |name: &str| words.named(name).map(|word| word.doc.clone());
        assert_eq!(doc("OpFAdd").as_deref(), Some("Adds (OpFAdd). `%result = OpFAdd type id id`"));
        assert_eq!(
            doc("OpDecorate").as_deref(),
            Some("`OpDecorate id Decoration`"),
            "the grammar is all there is"
        );
        assert!(doc("OpImageSampleImplicitLod").is_some_and(|doc| doc.ends_with("needs capability Shader")));
    }
}
