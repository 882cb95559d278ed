//! The words of the two editable languages, for highlighting and completion.
//!
//! All come from the tables of operations and the grammar. Some 1,500 words, 80 KB.

use super::class_names;
use crate::ops::Op;
use crate::spirv::{Kind, LogicalOperand, OpInfo, Quantifier, op_named, op_names};
use crate::text::vocabulary;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its spelling.
    pub name: String,
    /// The number of its token class.
    pub class: u32,
    /// Its meaning, in a sentence; empty if the table has none. For an instruction of SPIR-V also its operands.
    pub doc: Cow<'static, str>,
    /// True if it is a word of SPIR-V text, otherwise of IR text.
    pub is_spirv: bool,
}

/// All words that are not keywords, sorted by bytes.
pub fn words() -> Vec<Word> {
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
        words.push(Word { doc: doc.into(), class: class as u32, is_spirv: false, name });
    }
    let class = crate::text::Class::Op as u32;
    words.extend(op_names().map(|name| {
        let name = format!("Op{name}");
        let meaning = meanings.get(name.as_str()).copied().unwrap_or_default();
        let doc = op_named(&name[2..]).map_or_else(String::new, |info| of_instruction(info, meaning));
        Word { doc: doc.into(), class, is_spirv: true, name }
    }));
    words.sort_unstable_by(|one, next| one.name.cmp(&next.name));
    words
}

/// See [`Answer::Words`](vitrine_protocol::Answer::Words).
pub fn word_lines() -> String {
    let classes = format!("\t{}\t\n", class_names().join(" "));
    let line =
        |Word { name, class, doc, .. }: &Word| format!("{name}\t{class}\t{}\n", doc.replace('\n', " "));
    std::iter::once(classes).chain(words().iter().map(line)).collect()
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
    fn every_word_is_one_line_of_three_parts() {
        let words = word_lines();
        assert!(words.lines().count() > 300);
        assert!(words.lines().all(|line| line.split('\t').count() == 3));
    }

    #[test]
    fn operations_come_with_their_sentence() {
        let words = words();
        let add = words.iter().find(|word| word.name == "fadd");
        assert!(add.is_some_and(|word| !word.doc.is_empty() && !word.is_spirv));
        assert!(words.iter().any(|word| word.name == "OpTypeFloat" && word.is_spirv));
    }

    #[test]
    fn instructions_of_spirv_come_with_the_meaning_of_their_operation_and_their_operands() {
        let words = words();
        let doc = |name: &str| words.iter().find(|word| word.name == name).map(|word| word.doc.to_string());
        assert_eq!(doc("OpFAdd").as_deref(), Some("Adds (OpFAdd). `%result = OpFAdd type id id`"));
        assert_eq!(
            doc("OpDecorate").as_deref(),
            Some("`OpDecorate id Decoration`"),
            "the grammar is all there is"
        );
        assert!(doc("OpImageSampleImplicitLod").is_some_and(|doc| doc.ends_with("needs capability Shader")));
    }
}
