//! Lines: tokens become lines of at most 100 columns, and statements lines with an indentation.
//!
//! The walk over statements has a stack of its own; nesting may have any depth.

use super::dialect::Dialect;
use super::expr::{Token, punct, space};
use super::stmt::{Arena, Head, List, Stmt, StmtId};
use vitrine_ir::Anchor;
use vitrine_text::{Class, Fold, Sink};

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

/// The lines of a loop around its body.
pub(super) struct LoopLines<'a> {
    /// The line before the body.
    pub(super) first: Vec<Token>,
    /// The line after the body.
    pub(super) last: Vec<Token>,
    /// The block after the body, which ends each iteration.
    pub(super) end: Option<IterationEnd<'a>>,
}

/// A block that ends each iteration of a loop.
pub(super) struct IterationEnd<'a> {
    /// The line that begins it.
    pub(super) first: Vec<Token>,
    /// Its statements before the test.
    pub(super) stmts: &'a [StmtId],
    /// The line after the statements that may leave the loop.
    pub(super) test: Option<Vec<Token>>,
}

/// The work that is left.
enum Work<'a> {
    Stmts(&'a [StmtId], usize),
    Line(usize, Vec<Token>),
    /// The other arm of an `if`, after its closing brace.
    Else(&'a List, usize),
}

/// The lines of a list of statements.
pub(super) fn lines(dialect: &dyn Dialect, arena: &Arena, list: &List, depth: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let mut work = vec![Work::Stmts(list, depth)];
    while let Some(item) = work.pop() {
        match item {
            Work::Line(depth, tokens) => out.push(Line::new(depth, tokens)),
            Work::Stmts([], _) => {}
            Work::Stmts([first, rest @ ..], depth) => {
                work.push(Work::Stmts(rest, depth));
                statement(dialect, arena, *first, depth, &mut out, &mut work);
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
    out.iter_mut().for_each(|line| dialect.finish_line(&mut line.tokens));
    out
}

pub(super) fn keyword(text: &'static str) -> Token {
    Token::new(Class::Keyword, text)
}

/// `if (condition) {`.
fn head(word: &'static str, cond: &[Token], anchor: Anchor) -> Vec<Token> {
    let mut tokens = vec![Token::linked(Class::Keyword, word, anchor), space(), punct("(")];
    tokens.extend_from_slice(cond);
    tokens.extend([punct(")"), space(), punct("{")]);
    tokens
}

fn statement<'a>(
    dialect: &dyn Dialect,
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
            let LoopLines { first, last, end } = dialect.loop_lines(arena, form, continuing, *anchor);
            out.push(Line::new(depth, first));
            work.push(Work::Line(depth, last));
            if let Some(end) = end {
                work.push(Work::Line(depth + 1, vec![punct("}")]));
                work.extend(end.test.map(|test| Work::Line(depth + 2, test)));
                work.push(Work::Stmts(end.stmts, depth + 2));
                work.push(Work::Line(depth + 1, end.first));
            }
            work.push(Work::Stmts(body, depth + 1));
        }
    }
}

/// The first and the last line of a loop, in the form that most languages have.
pub(super) fn loop_lines(form: &Head, anchor: Anchor) -> (Vec<Token>, Vec<Token>) {
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
