//! The parts of a filetest: comment lines that lead it, the input, and what is expected below it.
//!
//! ```text
//! ; why: one sentence, for the reader                    demanded
//! ; run: dce, cse                                        the pipeline to run on the input, if any
//! ; differs: a reason                                    where the run may change what the program computes, and why
//! ; write: spirv                                         a target to write the result in
//!
//! func @0() tree { ... }                                 the input
//!
//! ---- after                                             the module after the run
//! ---- errors                                            diagnostics, one a line
//! ---- phis                                              the input with block parameters shown as phis
//! ---- spirv                                             the text of the target, or why it cannot be written
//! ```

/// The kind of a section below the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Section {
    /// Text of the module after the run.
    After,
    /// Diagnostics of parser and validator.
    Errors,
    /// The input with phis.
    Phis,
    /// SPIR-V text.
    Spirv,
}

impl Section {
    /// Every kind, in the order they should stand.
    pub(crate) const ALL: [Section; 4] = [Section::After, Section::Errors, Section::Phis, Section::Spirv];

    /// The word after `----`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Section::After => "after",
            Section::Errors => "errors",
            Section::Phis => "phis",
            Section::Spirv => "spirv",
        }
    }
}

/// A filetest, taken apart.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Case<'t> {
    /// The purpose of the file.
    pub(crate) why: &'t str,
    /// The pipeline, if any.
    pub(crate) run: Option<&'t str>,
    /// Why the run may change what the program computes, if it may.
    pub(crate) differs: Option<&'t str>,
    /// The target to write, if any.
    pub(crate) write: Option<&'t str>,
    /// Everything down to the first section, leading comments too: places in it are places in the file.
    pub(crate) input: &'t str,
    /// The sections in order.
    pub(crate) sections: Vec<(Section, &'t str)>,
}

const MARK: &str = "---- ";

/// Takes a file apart, or says why it cannot.
pub(crate) fn split(text: &str) -> Result<Case<'_>, String> {
    let (input, mut rest) = text.split_at(next_mark(text));
    let mut sections: Vec<(Section, &str)> = Vec::new();
    while let Some(tail) = rest.strip_prefix(MARK) {
        let (name, body) = tail.split_once('\n').unwrap_or((tail, ""));
        let Some(section) = Section::ALL.into_iter().find(|section| section.name() == name.trim_end()) else {
            return Err(format!(
                "there is no section `{name}`; there are `after`, `errors`, `phis` and `spirv`"
            ));
        };
        if sections.iter().any(|(known, _)| *known == section) {
            return Err(format!("section `{name}` stands twice"));
        }
        let (body, tail) = body.split_at(next_mark(body));
        sections.push((section, body));
        rest = tail;
    }
    let why = header(input, "why").filter(|why| !why.is_empty());
    let why = why.ok_or("the first line must say `; why: ...`: what the reader learns from this test")?;
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

/// The text after `key:` in a leading comment line.
fn header<'t>(input: &'t str, key: &str) -> Option<&'t str> {
    let lines = input.lines().take_while(|line| line.starts_with(';'));
    let mut said = lines.filter_map(|line| line[1..].trim().strip_prefix(key)?.strip_prefix(':'));
    said.next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_apart_and_goes_together() {
        let text = "; why: a reason\n; run: x, y\n\nfunc @0()\n\n---- after\nfunc @1()\n---- errors\n";
        let case = split(text).unwrap();
        assert_eq!((case.why, case.run), ("a reason", Some("x, y")));
        assert!(case.input.ends_with("func @0()\n\n"));
        assert_eq!(case.sections, [(Section::After, "func @1()\n"), (Section::Errors, "")]);
    }

    #[test]
    fn what_is_odd_is_said() {
        for (text, says) in [
            ("func @0()\n", "must say `; why: ...`"),
            ("; why:\n", "must say `; why: ...`"),
            ("\n; why: too late\n", "must say `; why: ...`"),
            ("; why: x\n---- afterwards\n", "no section `afterwards`"),
            ("; why: x\n---- phis\n---- phis\n", "stands twice"),
        ] {
            assert!(split(text).unwrap_err().contains(says), "{text}");
        }
    }
}
