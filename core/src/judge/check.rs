//! One check of a task, and its text.
//!
//! ```text
//! check    = ["after" pipeline ":"] ["not"] predicate [comparison value]
//!          | "answer" "=" ["after" pipeline ":"] predicate
//!
//! not dominates(^1, ^5)            after vars-to-values, dce: loads = 0
//! frontier(^3) = ^5 ^6             answer = frontier(^3)
//! ```
//!
//! A colon ends a pipeline if white space follows it and it is outside of braces and parentheses. Names of entities may
//! be as in the program: `%zero_2` is `%2`.
//!
//! Refuses unknown predicates, wrong numbers of arguments, values of a wrong form and pipelines that cannot be parsed. Whether a
//! block exists depends on the program, so `verdict` reports it.

use super::predicates::{Answer, Param, Predicate, PredicateKind};
use crate::ops::{Op, Word};
use crate::passes::structurize::Mode;
use crate::pipeline::Pipeline;

/// How a number is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    More,
}

/// Comparisons by spelling; a spelling comes before its prefixes.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

impl Comparison {
    /// Returns true if the numbers are in this relation.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::AtMost => left <= right,
            Comparison::AtLeast => left >= right,
            Comparison::Less => left < right,
            Comparison::More => left > right,
        }
    }

    /// The words before the right number.
    pub(super) fn words(self) -> &'static str {
        match self {
            Comparison::Equal => "exactly",
            Comparison::NotEqual => "any number but",
            Comparison::AtMost => "at most",
            Comparison::AtLeast => "at least",
            Comparison::Less => "less than",
            Comparison::More => "more than",
        }
    }
}

/// What a predicate is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// The number is in this relation to another.
    Number(Comparison, u64),
    /// The entities are exactly these, in canonical spelling and sorted.
    Entities(Vec<String>),
    /// The word is this one.
    Word(String),
    /// The answer of the learner is the fact.
    Answer(Answer),
}

/// One check.
#[derive(Clone, Debug)]
pub struct Check {
    /// The text of the check.
    pub text: String,
    /// The pipeline that runs before, as text.
    pub after: Option<String>,
    /// The predicate.
    pub predicate: &'static Predicate,
    /// Its arguments, in canonical spelling.
    pub args: Vec<String>,
    /// What it is compared with.
    pub question: Question,
}

impl Check {
    /// Parses one check. Errors: a sentence.
    pub fn parse(text: &str) -> Result<Check, String> {
        let text = text.trim();
        let (is_answer, rest) = match text.strip_prefix("answer").map(str::trim_start) {
            Some(rest) => match rest.strip_prefix('=') {
                Some(rest) => (true, rest.trim()),
                None => return Err(format!("`{text}`: expected `answer = PREDICATE`")),
            },
            None => (false, text),
        };
        let (after, rest) = pipeline_before(rest)?;
        let (is_negated, rest) = match rest.strip_prefix("not ") {
            Some(rest) => (true, rest.trim()),
            None => (false, rest),
        };
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if name.is_empty() {
            return Err(format!("`{text}`: expected the name of a predicate"));
        }
        let predicate = Predicate::find(name)?;
        let (args, rest) = arguments(predicate, rest.trim_start())?;
        let question = match (is_answer, is_negated) {
            (true, true) => return Err(format!("`{text}`: an answer cannot be compared with `not`")),
            (true, false) if rest.is_empty() => {
                predicate.answer().map(Question::Answer).ok_or_else(|| {
                    format!("`{name}` holds or does not hold: an answer cannot be compared with it")
                })?
            }
            (true, false) => return Err(format!("`{text}`: unexpected `{rest}`")),
            (false, _) => question(predicate, is_negated, rest)?,
        };
        Ok(Check { text: text.to_owned(), after, predicate, args, question })
    }

    /// The form of the answer that it judges.
    pub fn answer(&self) -> Answer {
        match self.question {
            Question::Answer(of) => of,
            Question::Holds
            | Question::Fails
            | Question::Number(..)
            | Question::Entities(_)
            | Question::Word(_) => Answer::Program,
        }
    }
}

/// The pipeline of `after P: rest`, and the rest.
fn pipeline_before(text: &str) -> Result<(Option<String>, &str), String> {
    let Some(rest) = text.strip_prefix("after ") else { return Ok((None, text)) };
    let mut depth = 0usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && rest[at + 1..].starts_with(char::is_whitespace) => {
                let pipeline = rest[..at].trim();
                parsed(pipeline)?;
                return Ok((Some(pipeline.to_owned()), rest[at + 1..].trim()));
            }
            _ => {}
        }
    }
    Err(format!("`{text}`: expected `: ` after the pipeline"))
}

fn parsed(pipeline: &str) -> Result<(), String> {
    match Pipeline::parse(pipeline) {
        Ok(parsed) if parsed.is_empty() => Err("the pipeline is empty".to_owned()),
        Ok(_) => Ok(()),
        Err(diag) => Err(format!("the pipeline `{pipeline}` is wrong: {diag}")),
    }
}

/// The arguments in parentheses, and the text after them.
fn arguments<'t>(predicate: &Predicate, text: &'t str) -> Result<(Vec<String>, &'t str), String> {
    let name = predicate.name;
    let (inside, rest) = match text.strip_prefix('(') {
        None => ("", text),
        Some(inside) => {
            let end = closing(inside).ok_or_else(|| format!("`{name}`: `)` is missing"))?;
            (&inside[..end], inside[end + 1..].trim())
        }
    };
    let words: Vec<&str> = match predicate.params {
        [Param::Pipeline] => vec![inside.trim()],
        _ => inside.split(',').map(str::trim).collect(),
    };
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let most = predicate.params.len();
    let least = most - predicate.optional.min(most);
    if words.len() < least || (words.len() > most && !predicate.repeats) {
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(format!("`{name}` takes {expected} arguments, not {}", words.len()));
    }
    let each = words.iter().enumerate().map(|(at, word)| {
        let param = predicate.params.get(at).or(predicate.params.last());
        param.map_or_else(|| Ok((*word).to_owned()), |&param| argument(param, word))
    });
    Ok((each.collect::<Result<_, String>>().map_err(|why| format!("`{name}`: {why}"))?, rest))
}

/// The position of the parenthesis that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn argument(param: Param, word: &str) -> Result<String, String> {
    let expected = |what: &str| format!("expected {what}, not `{word}`");
    match param {
        Param::Block => entity(word, &['^']).ok_or_else(|| expected("a block such as `^1`")),
        Param::Value => entity(word, &['%']).ok_or_else(|| expected("a value such as `%1`")),
        Param::Var => entity(word, &['$']).ok_or_else(|| expected("a variable such as `$1`")),
        Param::Entity => {
            entity(word, &['^', '%', '$']).ok_or_else(|| expected("a block, a value or a variable"))
        }
        Param::Number => {
            word.parse::<i64>().map(|number| number.to_string()).map_err(|_| expected("an integer"))
        }
        Param::Op => {
            Op::from_name(word).map(|op| op.name().to_owned()).ok_or_else(|| expected("an operation"))
        }
        Param::Mode => Mode::parse(word)
            .map(|mode| mode.name().to_owned())
            .ok_or_else(|| expected("a mode of `structurize`")),
        Param::Pipeline => parsed(word).map(|()| word.to_owned()),
        Param::Code | Param::Program | Param::Case => Ok(word.to_owned()),
    }
}

/// The canonical spelling of an entity with one of these sigils: `%zero_2` is `%2`.
pub(super) fn entity(word: &str, sigils: &[char]) -> Option<String> {
    let sigil = word.chars().next().filter(|sigil| sigils.contains(sigil))?;
    let name = &word[sigil.len_utf8()..];
    let digits = name.rsplit('_').next().filter(|digits| !digits.is_empty())?;
    let number: u32 = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some(format!("{sigil}{number}"))
}

/// The entities in an answer or on the right of a check, sorted. Errors: the word that is none.
pub(super) fn entities(text: &str, of: Answer) -> Result<Vec<String>, String> {
    let spaced = text.replace("->", " -> ").replace('→', " -> ").replace(',', " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let one = |word: &str, sigil: char| {
        entity(word, &[sigil])
            .ok_or_else(|| format!("expected {} such as `{}`, not `{word}`", of.name(), example(of)))
    };
    let mut found = match of {
        Answer::Edges => {
            let pair = |edge: &[&str]| match edge {
                [from, "->", to] => Ok(format!("{}->{}", one(from, '^')?, one(to, '^')?)),
                _ => Err(format!("expected edges such as `{}`, not `{}`", example(of), edge.join(" "))),
            };
            words.chunks(3).map(pair).collect::<Result<Vec<_>, _>>()?
        }
        Answer::Values => words.iter().map(|word| one(word, '%')).collect::<Result<_, _>>()?,
        Answer::Blocks | Answer::Order | Answer::Program | Answer::Number | Answer::Word => {
            words.iter().map(|word| one(word, '^')).collect::<Result<_, _>>()?
        }
    };
    if of != Answer::Order {
        found.sort();
    }
    Ok(found)
}

/// An example of an answer.
pub(super) fn example(of: Answer) -> &'static str {
    match of {
        Answer::Program => "func @0() graph { … }",
        Answer::Blocks => "^1 ^2",
        Answer::Edges => "^0->^1 ^0->^2",
        Answer::Values => "%3 %5",
        Answer::Number => "4",
        Answer::Word => "may",
        Answer::Order => "^0 ^1 ^2",
    }
}

/// What a check without an answer asks for.
fn question(predicate: &Predicate, is_negated: bool, rest: &str) -> Result<Question, String> {
    let name = predicate.name;
    let compares = !matches!(predicate.kind, PredicateKind::Truth | PredicateKind::Behavior);
    if !compares {
        return match (rest.is_empty(), is_negated) {
            (true, false) => Ok(Question::Holds),
            (true, true) if predicate.kind == PredicateKind::Behavior => {
                Err(format!("`not {name}` proves nothing: use the opposite predicate"))
            }
            (true, true) => Ok(Question::Fails),
            (false, _) => Err(format!("`{name}` holds or does not hold; unexpected `{rest}`")),
        };
    }
    if is_negated {
        return Err(format!("`{name}` is compared: use `!=` in place of `not`"));
    }
    let found = COMPARISONS.iter().find_map(|(sign, by)| Some((*by, rest.strip_prefix(sign)?.trim())));
    let Some((by, right)) = found else {
        return Err(format!("`{name}` must be compared, for example `{name} = …`"));
    };
    match predicate.kind {
        PredicateKind::Number => {
            let number = right.parse().map_err(|_| format!("`{name}`: expected a number, not `{right}`"))?;
            Ok(Question::Number(by, number))
        }
        PredicateKind::Set(_) | PredicateKind::Word if by != Comparison::Equal => {
            Err(format!("`{name}` can only be compared by `=`"))
        }
        PredicateKind::Set(of) => {
            let right = if right == "none" { "" } else { right };
            entities(right, of).map(Question::Entities).map_err(|why| format!("`{name}`: {why}"))
        }
        PredicateKind::Word if !right.is_empty() && !right.contains(char::is_whitespace) => {
            Ok(Question::Word(right.to_owned()))
        }
        PredicateKind::Word => Err(format!("`{name}`: expected a word, not `{right}`")),
        PredicateKind::Order => {
            Err(format!("only an answer can be compared with `{name}`: `answer = {name}`"))
        }
        PredicateKind::Truth | PredicateKind::Behavior => Ok(Question::Holds),
    }
}
