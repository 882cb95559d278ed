//! Lines: tokens become lines of at most 100 columns, and statements lines with an indentation.
//!
//! The walk over statements has a stack of its own; nesting may have any depth.

use super::expr::{Token, punct, space};
use super::language::Language;
use super::stmt::{Arena, Head, List, Stmt, StmtId};
use crate::text::{Class, Fold, Sink};

/// The longest line in columns.
pub(super) const MOST_COLUMNS: usize = 100;

/// The deepest indentation in levels, as in the sinks.
const MOST_INDENT: usize = 32;

/// A line of the output.
#[derive(Clone, Debug)]
pub(super) struct Line {
    depth: usize,
    tokens: Vec<Token>,
    fold: Option<Fold>,
}

impl Line {
    /// A line of tokens.
    pub(super) fn new(depth: usize, tokens: Vec<Token>) -> Line {
        Line { depth, tokens, fold: None }
    }

    /// A line of plain text.
    pub(super) fn text(text: impl Into<super::expr::TokenText>) -> Line {
        Line::new(0, vec![Token::new(Class::Keyword, text)])
    }

    /// An empty line.
    pub(super) fn empty() -> Line {
        Line::new(0, Vec::new())
    }

    /// The text of the line.
    pub(super) fn plain(&self) -> String {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    /// Returns true if the line is this text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.plain() == text
    }

    /// Returns true if nothing is on the line.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The text of a token, by its number.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).map(|token| token.text.as_str())
    }

    /// Returns true if a token is this word.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.text.as_str() == word)
    }

    /// The same line, after which a foldable range begins or before which it ends.
    #[must_use]
    pub(super) fn folds(mut self, fold: Fold) -> Line {
        self.fold = Some(fold);
        self
    }

    /// Writes the line, broken at spaces if it is too long, and before members where no space helps.
    pub(super) fn write(&self, out: &mut dyn Sink) {
        if self.fold == Some(Fold::Close) {
            out.fold(Fold::Close);
        }
        out.open_line(self.depth);
        let columns: usize = self.tokens.iter().map(|token| token.text.as_str().len()).sum();
        if indent(self.depth) + columns <= MOST_COLUMNS {
            self.tokens.iter().for_each(|token| out.put(token.class, token.text.as_str(), token.link));
        } else {
            self.write_broken(out);
        }
        out.close_line();
        if self.fold == Some(Fold::Open) {
            out.fold(Fold::Open);
        }
    }

    fn write_broken(&self, out: &mut dyn Sink) {
        let mut column = indent(self.depth);
        // The columns of each token up to the next space.
        for (at, token) in self.tokens.iter().enumerate() {
            let text = token.text.as_str();
            if text == " " {
                let next: usize = self
                    .tokens
                    .iter()
                    .skip(at + 1)
                    .map(|token| token.text.as_str())
                    .take_while(|&text| text != " ")
                    .map(str::len)
                    .sum();
                if column + 1 + next > MOST_COLUMNS {
                    out.close_line();
                    out.open_line(self.depth + 2);
                    column = indent(self.depth + 2);
                    continue;
                }
            }
            if text == "." {
                let next: usize = self
                    .tokens
                    .iter()
                    .skip(at + 1)
                    .map(|token| token.text.as_str())
                    .take_while(|&text| text != " " && text != ".")
                    .map(str::len)
                    .sum();
                if column + 1 + next > MOST_COLUMNS && column > indent(self.depth + 2) {
                    out.close_line();
                    out.open_line(self.depth + 2);
                    column = indent(self.depth + 2);
                }
            }
            column += text.len();
            out.put(token.class, text, token.link);
            if text == "(" && column > indent(self.depth + 2) {
                // Arguments without a space on the way begin a line if they are too long.
                let next: usize = self
                    .tokens
                    .iter()
                    .skip(at + 1)
                    .map(|token| token.text.as_str())
                    .take_while(|&text| text != " ")
                    .map(str::len)
                    .sum();
                let left = MOST_COLUMNS - indent(self.depth + 2);
                if column + next > MOST_COLUMNS && next <= left {
                    out.close_line();
                    out.open_line(self.depth + 2);
                    column = indent(self.depth + 2);
                }
            }
        }
    }
}

/// The columns before a line.
fn indent(depth: usize) -> usize {
    depth.min(MOST_INDENT) * 2
}

/// The work that is left.
enum Work<'a> {
    Stmts(&'a [StmtId], usize),
    Line(usize, Vec<Token>),
    /// The other arm of an `if`, after its closing brace.
    Else(&'a List, usize),
}

/// The lines of a list of statements.
pub(super) fn lines(language: Language, arena: &Arena, list: &List, depth: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let mut work = vec![Work::Stmts(list, depth)];
    while let Some(item) = work.pop() {
        match item {
            Work::Line(depth, tokens) => out.push(Line::new(depth, tokens)),
            Work::Stmts([], _) => {}
            Work::Stmts([first, rest @ ..], depth) => {
                work.push(Work::Stmts(rest, depth));
                statement(language, arena, *first, depth, &mut out, &mut work);
            }
            Work::Else(els, depth) => match els[..] {
                [] => out.push(Line::new(depth, vec![punct("}")])),
                [one] if matches!(arena.get(one), Stmt::If { .. }) => {
                    let Stmt::If { cond, then, els, anchor } = arena.get(one) else { continue };
                    let mut tokens = vec![punct("}"), space(), keyword("else"), space()];
                    tokens.extend(head("if", &cond.tokens, *anchor));
                    out.push(Line::new(depth, tokens));
                    work.push(Work::Else(els, depth));
                    work.push(Work::Stmts(then, depth + 1));
                }
                _ => {
                    out.push(Line::new(
                        depth,
                        vec![punct("}"), space(), keyword("else"), space(), punct("{")],
                    ));
                    work.push(Work::Line(depth, vec![punct("}")]));
                    work.push(Work::Stmts(els, depth + 1));
                }
            },
        }
    }
    if language == Language::Wgsl {
        out.iter_mut().for_each(|line| ungroup_pointees(&mut line.tokens));
    }
    out
}

/// Removes parentheses around `*name`, which a path begins with, where neither a member nor an element of it follows.
fn ungroup_pointees(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while let Some([open, star, _, close]) = tokens.get(at..at + 4) {
        let is_group = open.text.as_str() == "(" && star.text.as_str() == "*" && close.text.as_str() == ")";
        if is_group && !is_call(at.checked_sub(1).and_then(|before| tokens.get(before))) {
            let after = tokens.get(at + 4).map_or("", |after| after.text.as_str());
            if !after.starts_with(['.', '[']) {
                tokens.remove(at + 3);
                tokens.remove(at);
            }
        }
        at += 1;
    }
}

/// Returns true if parentheses after a token are those of a call.
fn is_call(before: Option<&Token>) -> bool {
    let before = before.map_or("", |before| before.text.as_str());
    before.ends_with(|last: char| last.is_ascii_alphanumeric() || "_>".contains(last))
        && !matches!(before, ">" | ">>")
}

fn keyword(text: &'static str) -> Token {
    Token::new(Class::Keyword, text)
}

/// `if (condition) {`.
fn head(word: &'static str, cond: &[Token], anchor: crate::ir::Anchor) -> Vec<Token> {
    let mut tokens = vec![Token::linked(Class::Keyword, word, anchor), space(), punct("(")];
    tokens.extend_from_slice(cond);
    tokens.extend([punct(")"), space(), punct("{")]);
    tokens
}

fn statement<'a>(
    language: Language,
    arena: &'a Arena,
    id: StmtId,
    depth: usize,
    out: &mut Vec<Line>,
    work: &mut Vec<Work<'a>>,
) {
    let simple = |tokens: &[Token]| {
        let mut all = Vec::with_capacity(tokens.len() + 1);
        all.extend_from_slice(tokens);
        all.push(punct(";"));
        Line::new(depth, all)
    };
    match arena.get(id) {
        Stmt::Simple { tokens, .. } | Stmt::Exit(tokens) => out.push(simple(tokens)),
        Stmt::Break(anchor) => out.push(simple(&[Token::linked(Class::Keyword, "break", *anchor)])),
        Stmt::Continue(anchor) => out.push(simple(&[Token::linked(Class::Keyword, "continue", *anchor)])),
        Stmt::If { cond, then, els, anchor } => {
            // An empty arm before a full one is left out.
            let (cond, then, els) = match then.is_empty() && !els.is_empty() {
                true => (cond.clone().negated(), els, then),
                false => (cond.clone(), then, els),
            };
            out.push(Line::new(depth, head("if", &cond.tokens, *anchor)));
            work.push(Work::Else(els, depth));
            work.push(Work::Stmts(then, depth + 1));
        }
        Stmt::Switch { on, arms, anchor } => {
            out.push(Line::new(depth, head("switch", on, *anchor)));
            work.push(Work::Line(depth, vec![punct("}")]));
            for (labels, body) in arms.iter().rev() {
                work.push(Work::Line(depth + 1, vec![punct("}")]));
                work.push(Work::Stmts(body, depth + 2));
                let mut tokens = labels.clone();
                tokens.extend([space(), punct("{")]);
                work.push(Work::Line(depth + 1, tokens));
            }
        }
        Stmt::Loop { head: form, body, continuing, anchor } => {
            let (first, last) = match language {
                Language::Glsl(_) | Language::Msl | Language::Hlsl => loop_lines(form, *anchor),
                Language::Wgsl => wgsl_loop_lines(form, *anchor),
            };
            out.push(Line::new(depth, first));
            work.push(Work::Line(depth, last));
            if let (Language::Wgsl, Head::Until(cond)) = (language, form) {
                let mut test = vec![keyword("break"), space(), keyword("if"), space()];
                test.extend(cond.clone().negated().tokens);
                test.push(punct(";"));
                work.push(Work::Line(depth + 1, vec![punct("}")]));
                work.push(Work::Line(depth + 2, test));
                work.push(Work::Line(depth + 1, vec![keyword("continuing"), space(), punct("{")]));
            } else if let [rest @ .., last] = &continuing[..] {
                let test = arena.stays_if(*last).filter(|(_, rest)| rest.is_empty());
                work.push(Work::Line(depth + 1, vec![punct("}")]));
                match test {
                    Some((cond, _)) => {
                        let mut test = vec![keyword("break"), space(), keyword("if"), space()];
                        test.extend(cond.negated().tokens);
                        test.push(punct(";"));
                        work.push(Work::Line(depth + 2, test));
                        work.push(Work::Stmts(rest, depth + 2));
                    }
                    None => work.push(Work::Stmts(continuing, depth + 2)),
                }
                work.push(Work::Line(depth + 1, vec![keyword("continuing"), space(), punct("{")]));
            }
            work.push(Work::Stmts(body, depth + 1));
        }
    }
}

/// The first and the last line of a loop of WGSL. The test after each iteration is a block of its own before the last line.
fn wgsl_loop_lines(form: &Head, anchor: crate::ir::Anchor) -> (Vec<Token>, Vec<Token>) {
    match form {
        Head::Endless | Head::Until(_) => {
            let first = vec![Token::linked(Class::Keyword, "loop", anchor), space(), punct("{")];
            (first, vec![punct("}")])
        }
        Head::While(_) | Head::For(..) => loop_lines(form, anchor),
    }
}

fn loop_lines(form: &Head, anchor: crate::ir::Anchor) -> (Vec<Token>, Vec<Token>) {
    let close = vec![punct("}")];
    match form {
        Head::Endless => (head("while", &[keyword("true")], anchor), close),
        Head::While(cond) => (head("while", &cond.tokens, anchor), close),
        Head::Until(cond) => {
            let first = vec![Token::linked(Class::Keyword, "do", anchor), space(), punct("{")];
            let mut last = vec![punct("}"), space(), keyword("while"), space(), punct("(")];
            last.extend_from_slice(&cond.tokens);
            last.extend([punct(")"), punct(";")]);
            (first, last)
        }
        Head::For(init, cond, step) => {
            let mut first = vec![Token::linked(Class::Keyword, "for", anchor), space(), punct("(")];
            first.extend(init.iter().flatten().cloned());
            first.extend([punct(";"), space()]);
            first.extend(cond.iter().flat_map(|cond| cond.tokens.iter().cloned()));
            first.extend([punct(";"), space()]);
            first.extend_from_slice(step);
            first.extend([punct(")"), space(), punct("{")]);
            (first, close)
        }
    }
}
