//! The parts of a filetest: leading comment lines, the input, and the expected sections.
//!
//! ```text
//! ; why: one sentence                                    the behavior that the test covers; required
//! ; run: dce, cse                                        the pipeline to run on the input, if any
//! ; differs: a reason                                    the reason why the run changes results, if it does
//! ; write: spirv                                         the target to write, if any
//!
//! func @0() tree { ... }                                 the input
//!
//! ---- after                                             the module after the run
//! ---- errors                                            diagnostics, one per line
//! ---- phis                                              the input with block parameters printed as phis
//! ---- spirv                                             the SPIR-V text, or the reason why it cannot be written
//! ```

/// The kind of a section after the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// The module after the run.
    After,
    /// Diagnostics of parser and validator.
    Errors,
    /// The input with block parameters printed as phis.
    Phis,
    /// SPIR-V text.
    Spirv,
}

impl Section {
    /// Every kind, in file order.
    pub const ALL: [Section; 4] = [Section::After, Section::Errors, Section::Phis, Section::Spirv];

    /// The word after `----`.
    pub fn name(self) -> &'static str {
        match self {
            Section::After => "after",
            Section::Errors => "errors",
            Section::Phis => "phis",
            Section::Spirv => "spirv",
        }
    }
}

/// The parts of a filetest.
#[derive(PartialEq, Eq, Debug)]
pub struct Case<'t> {
    /// The behavior that the file covers.
    pub why: &'t str,
    /// The pipeline, if any.
    pub run: Option<&'t str>,
    /// The reason why the run changes results, if it does.
    pub differs: Option<&'t str>,
    /// The target to write, if any.
    pub write: Option<&'t str>,
    /// Everything before the first section, with the leading comments, so that positions in it are positions in the file.
    pub input: &'t str,
    /// The sections in order.
    pub sections: Vec<(Section, &'t str)>,
}

const MARK: &str = "---- ";

/// Splits a file into its parts.
pub fn split(text: &str) -> Result<Case<'_>, String> {
    let (input, mut rest) = text.split_at(next_mark(text));
    let mut sections: Vec<(Section, &str)> = Vec::new();
    while let Some(tail) = rest.strip_prefix(MARK) {
        let (name, body) = tail.split_once('\n').unwrap_or((tail, ""));
        let Some(section) = Section::ALL.into_iter().find(|section| section.name() == name.trim_end()) else {
            return Err(format!("unknown section `{name}`; use `after`, `errors`, `phis` or `spirv`"));
        };
        if sections.iter().any(|(known, _)| *known == section) {
            return Err(format!("section `{name}` occurs twice"));
        }
        let (body, tail) = body.split_at(next_mark(body));
        sections.push((section, body));
        rest = tail;
    }
    let why = header(input, "why").filter(|why| !why.is_empty());
    let why = why.ok_or("the first line must be `; why: ...`: the behavior that the test covers")?;
    let differs = header(input, "differs").filter(|reason| !reason.is_empty());
    Ok(Case { why, run: header(input, "run"), differs, write: header(input, "write"), input, sections })
}

/// The position of the next section.
fn next_mark(text: &str) -> usize {
    if text.starts_with(MARK) {
        return 0;
    }
    text.find(&format!("\n{MARK}")).map_or(text.len(), |at| at + 1)
}

/// The text after `key:` in the leading comment lines.
fn header<'t>(input: &'t str, key: &str) -> Option<&'t str> {
    let lines = input.lines().take_while(|line| line.starts_with(';'));
    let mut values = lines.filter_map(|line| line[1..].trim().strip_prefix(key)?.strip_prefix(':'));
    values.next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_split_into_its_parts() {
        let text = "; why: a reason\n; run: x, y\n\nfunc @0()\n\n---- after\nfunc @1()\n---- errors\n";
        let case = split(text).unwrap();
        assert_eq!((case.why, case.run), ("a reason", Some("x, y")));
        assert!(case.input.ends_with("func @0()\n\n"));
        assert_eq!(case.sections, [(Section::After, "func @1()\n"), (Section::Errors, "")]);
    }

    #[test]
    fn malformed_files_are_reported() {
        for (text, message) in [
            ("func @0()\n", "must be `; why: ...`"),
            ("; why:\n", "must be `; why: ...`"),
            ("\n; why: too late\n", "must be `; why: ...`"),
            ("; why: x\n---- afterwards\n", "unknown section `afterwards`"),
            ("; why: x\n---- phis\n---- phis\n", "occurs twice"),
        ] {
            assert!(split(text).unwrap_err().contains(message), "{text}");
        }
    }
}
