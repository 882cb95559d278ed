//! Texts of Metal judged by clang, with a stand-in for the library of Metal: `tests/judges/metal`.
//!
//! Many texts are one file, each in a namespace. Entry points are run by the driver, which calls them with the parameters
//! that their attributes name.

use super::skipped::skipped;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Texts of a file.
pub(crate) const BATCH: usize = 32;

/// The language as the stand-in is written for it: literals are floats, signed numbers wrap, no sum is fused.
const OPTIONS: &[&str] = &[
    "-std=c++17",
    "-Xclang",
    "-cl-single-precision-constant",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ferror-limit=0",
    "-w",
];

/// A value that an invocation gets or gives.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The attribute.
    pub(crate) attribute: String,
    /// The scalar, and the number of components.
    pub(crate) scalar: String,
    pub(crate) components: u32,
    /// The length of an array.
    pub(crate) len: Option<u32>,
    name: String,
    /// It is a member of the structure of inputs or outputs.
    is_member: bool,
}

impl Value {
    /// The words of a component.
    pub(crate) fn words(&self) -> u32 {
        if matches!(self.scalar.as_str(), "long" | "ulong") { 2 } else { 1 }
    }

    /// The number in an attribute such as `color(2)`.
    pub(crate) fn number(&self, word: &str) -> Option<u32> {
        let rest = self.attribute.split(", ").find_map(|part| part.strip_prefix(word))?;
        rest.trim_start_matches("(locn").trim_matches(['(', ')']).parse().ok()
    }
}

/// The entry point of a text.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: String,
    /// The arguments of the call.
    arguments: Vec<String>,
    pub(crate) inputs: Vec<Value>,
    pub(crate) outputs: Vec<Value>,
    /// After the outputs, an invocation gives the size of the grid of a mesh.
    pub(crate) has_grid: bool,
    /// After that, it gives the words of the payload.
    pub(crate) has_payload: bool,
}

/// The name before an attribute, and the type before that.
fn value(text: &str, is_member: bool) -> Option<Value> {
    let (declared, rest) = text.trim().split_once(" [[")?;
    let (attribute, after) = rest.split_once("]]")?;
    let (ty, name) = declared.rsplit_once(' ')?;
    let split = ty.find(|c: char| c.is_ascii_digit()).unwrap_or(ty.len());
    let (scalar, components) = ty.split_at(split);
    let len = after.trim().trim_matches(['[', ']']).parse().ok();
    Some(Value {
        attribute: attribute.to_owned(),
        scalar: scalar.to_owned(),
        components: components.parse().unwrap_or(1),
        len,
        name: name.to_owned(),
        is_member,
    })
}

/// The members of a structure.
fn members(text: &str, structure: &str) -> Vec<Value> {
    let head = format!("struct {structure} {{\n");
    let Some((_, rest)) = text.split_once(&head) else { return Vec::new() };
    let body = rest.split("};").next().unwrap_or_default();
    body.lines().filter_map(|line| value(line.trim_end_matches(';'), true)).collect()
}

impl Entry {
    /// Reads the head of the entry point. `None` if the driver cannot call it.
    pub(crate) fn of(text: &str) -> Option<Entry> {
        let holds_pointers = text.lines().any(|line| line.starts_with("  device ") && line.contains("* "));
        // Rays of the stand-in hit nothing.
        if text.contains(", table)\n") || text.contains("raytracing::") || holds_pointers {
            return None;
        }
        let words = ["kernel ", "fragment ", "vertex ", "[[object]] "];
        let start = text.lines().position(|line| {
            let line = line.trim_start_matches("[[early_fragment_tests]] ");
            words.iter().any(|word| line.starts_with(word))
        })?;
        let lines: Vec<&str> = text.lines().skip(start).map(str::trim).collect();
        let joined = lines.join(" ");
        let (before, rest) = joined.split_once('(')?;
        let (result, name) = before.trim().rsplit_once(' ')?;
        let result = result.rsplit_once(' ')?.1;
        let head = rest.split(") {").next()?;
        let mut entry = Entry {
            name: name.to_owned(),
            arguments: Vec::new(),
            inputs: Vec::new(),
            outputs: members(text, result),
            has_grid: false,
            has_payload: false,
        };
        let mut depth = 0;
        let mut from = 0;
        let mut params = Vec::new();
        for (at, c) in head.char_indices() {
            match c {
                '(' | '[' | '<' => depth += 1,
                ')' | ']' | '>' => depth -= 1,
                ',' if depth == 0 => {
                    params.push(&head[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
        }
        params.push(&head[from..]);
        for param in params.into_iter().map(str::trim).filter(|param| !param.is_empty()) {
            if param.starts_with("mesh_grid_properties ") {
                entry.arguments.push("{}".to_owned());
                entry.has_grid = true;
                continue;
            }
            let found = value(param, false)?;
            if found.attribute == "stage_in" {
                entry.arguments.push("in".to_owned());
                let name = param.split(' ').next()?;
                entry.inputs.extend(members(text, name));
            } else if found.attribute == "payload" {
                entry.arguments.push("call.payload()".to_owned());
                entry.has_payload = true;
            } else if let Some(at) = found.number("buffer") {
                entry.arguments.push(format!("call.buffer({at})"));
            } else if ["texture", "sampler", "color", "threadgroup"]
                .iter()
                .any(|word| found.number(word).is_some())
            {
                return None;
            } else {
                entry.arguments.push(found.name.clone());
                entry.inputs.push(found);
            }
        }
        Some(entry)
    }

    /// Words of the inputs of an invocation.
    pub(crate) fn words(&self) -> u32 {
        self.inputs.iter().map(|input| input.components * input.words()).sum()
    }

    /// The function that calls the entry point.
    fn glue(&self, out: &mut String) {
        let _ = writeln!(out, "static void run(vitrine::Call &call) {{");
        if self.inputs.iter().any(|input| input.is_member) {
            let _ = writeln!(out, "  Input in;");
        }
        for input in &self.inputs {
            match input.is_member {
                true => {
                    let _ = writeln!(out, "  call.take(in.{});", input.name);
                }
                false => {
                    let count =
                        if input.components > 1 { input.components.to_string() } else { String::new() };
                    let _ =
                        writeln!(out, "  {}{count} {}; call.take({});", input.scalar, input.name, input.name);
                }
            }
        }
        let call = format!("{}({})", self.name, self.arguments.join(", "));
        if self.outputs.is_empty() {
            let _ = writeln!(out, "  {call};");
        } else {
            let _ = writeln!(out, "  auto out = {call};");
        }
        for output in &self.outputs {
            match output.len {
                Some(len) => {
                    for at in 0..len {
                        let _ = writeln!(out, "  call.give(out.{}[{at}]);", output.name);
                    }
                }
                None => {
                    let _ = writeln!(out, "  call.give(out.{});", output.name);
                }
            }
        }
        if self.has_grid {
            let _ = writeln!(out, "  call.give_grid();");
        }
        out.push_str("}\n");
    }
}

/// The result of a job: the status of its process, for each invocation true if it was discarded and its outputs, and the
/// bytes of each buffer.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) status: u32,
    pub(crate) invocations: Vec<(bool, Vec<u32>)>,
    pub(crate) buffers: Vec<Vec<u8>>,
}

/// clang with the stand-in.
pub(crate) struct Metal {
    folder: PathBuf,
    pub(crate) installed: bool,
}

/// The text as a compiler of C++ accepts it: what the host sets is nothing, and memory of a threadgroup is one for all.
fn adapted(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("#include") {
            out.push('\n');
            continue;
        }
        match (line.find(" [[function_constant("), line.strip_prefix("  threadgroup ")) {
            (Some(at), _) => out.push_str(&format!("{} = {{}};", &line[..at])),
            (None, Some(rest)) => out.push_str(&format!("  static {rest}")),
            (None, None) => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

impl Metal {
    /// Compiles the stand-in. Reports a missing clang for the calling test.
    #[track_caller]
    pub(crate) fn new() -> Metal {
        let folder = {
            // Tests of one process do not share a folder.
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            std::env::temp_dir().join(format!("vitrine-metal-{}-{number}", std::process::id()))
        };
        std::fs::create_dir_all(&folder).unwrap();
        let installed =
            Command::new("clang++").arg("--version").output().is_ok_and(|run| run.status.success());
        let metal = Metal { folder, installed };
        if installed {
            let header = metal.folder.join("library.h");
            std::fs::write(&header, "#include <metal_stdlib>\n#include <driver.h>\n").unwrap();
            let mut command = metal.clang();
            command.args(["-x", "c++-header"]).arg(&header).arg("-o").arg(metal.folder.join("library.pch"));
            let run = command.output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        } else {
            skipped(1, "clang is not installed");
        }
        metal
    }

    fn clang(&self) -> Command {
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/metal");
        let mut command = Command::new("clang++");
        command.args(OPTIONS).arg("-I").arg(library);
        command
    }

    /// The first error in each of some texts.
    pub(crate) fn judge(&self, number: usize, texts: &[&str]) -> Vec<Option<String>> {
        let mut file = String::new();
        for (at, text) in texts.iter().enumerate() {
            let _ = writeln!(file, "namespace text_{at} {{\n#line 1 \"text_{at}\"\n{}\n}}", adapted(text));
        }
        let path = self.folder.join(format!("judged_{number}.cpp"));
        std::fs::write(&path, file).unwrap();
        let run = self
            .clang()
            .args(["-fsyntax-only", "-include-pch"])
            .arg(self.folder.join("library.pch"))
            .arg(&path)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        let found: Vec<Option<String>> = (0..texts.len())
            .map(|at| {
                let of_text = format!("text_{at}:");
                // A template of the library may be wrong for what the text passes to it.
                let is_wrong = |line: &str| {
                    let is_use = !run.status.success() && line.contains("note: in instantiation");
                    line.starts_with(&of_text) && (line.contains("error:") || is_use)
                };
                let mut lines = messages.lines().skip_while(|line| !is_wrong(line));
                let first = lines.next()?;
                Some(format!("{first}\n    {}", lines.next().unwrap_or_default().trim()))
            })
            .collect();
        // An error elsewhere is an error of the stand-in.
        let is_known = found.iter().any(Option::is_some);
        assert!(run.status.success() || is_known, "{messages}");
        found
    }

    /// Runs the entry points of texts on jobs, which are the words that the driver reads after the number of the text.
    pub(crate) fn run(
        &self,
        number: usize,
        texts: &[(&str, &Entry)],
        jobs: &[(usize, Vec<u32>)],
    ) -> Vec<Ran> {
        let mut file = String::new();
        for (at, (text, entry)) in texts.iter().enumerate() {
            let _ = writeln!(file, "namespace text_{at} {{\n#line 1 \"text_{at}\"\n{}", adapted(text));
            entry.glue(&mut file);
            file.push_str("}\n");
        }
        let table: Vec<String> = (0..texts.len()).map(|at| format!("text_{at}::run")).collect();
        let _ = writeln!(
            file,
            "static const vitrine::Run table[] = {{{}}};\nint main(int, char **names) {{ return vitrine::run_all(table, \
             names[1], names[2]); }}",
            table.join(", ")
        );
        let at = |end: &str| self.folder.join(format!("run_{number}.{end}"));
        std::fs::write(at("cpp"), file).unwrap();
        let run = self
            .clang()
            .arg("-include-pch")
            .arg(self.folder.join("library.pch"))
            .arg(at("cpp"))
            .arg("-o")
            .arg(at("exe"))
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        if let Some(found) = self.execute(number, jobs) {
            return found;
        }
        // One of them ends the process: the others are run alone, so that it is known.
        let alone = |job: &(usize, Vec<u32>)| self.execute(number, std::slice::from_ref(job));
        let crashed = || vec![Ran { status: CRASHED, ..Ran::default() }];
        jobs.iter().flat_map(|job| alone(job).unwrap_or_else(crashed)).collect()
    }

    /// Runs jobs in one process. `None` if it ends before they do.
    fn execute(&self, number: usize, jobs: &[(usize, Vec<u32>)]) -> Option<Vec<Ran>> {
        let at = |end: &str| self.folder.join(format!("run_{number}.{end}"));
        let mut words: Vec<u32> = vec![jobs.len() as u32];
        for (text, job) in jobs {
            words.push(job.len() as u32 + 1);
            words.push(*text as u32);
            words.extend(job);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(at("jobs"), bytes).unwrap();
        let run = Command::new(at("exe")).arg(at("jobs")).arg(at("results")).output().unwrap();
        if !run.status.success() {
            return None;
        }
        let bytes = std::fs::read(at("results")).unwrap_or_default();
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let mut rest = words.into_iter();
        Some(jobs.iter().map(|(_, job)| ran(&mut rest, job)).collect())
    }
}

/// The status of a run that ended its process.
const CRASHED: u32 = u32::MAX;

/// Reads the result of a job. The number of buffers is a word of the job.
fn ran(words: &mut impl Iterator<Item = u32>, job: &[u32]) -> Ran {
    let mut next = || words.next().unwrap_or(0);
    let mut out = Ran { status: next(), ..Ran::default() };
    let mut left = next();
    if out.status != 0 {
        return out;
    }
    while left > 0 {
        let (discarded, count) = (next(), next());
        out.invocations.push((discarded != 0, (0..count).map(|_| next()).collect()));
        left = left.saturating_sub(count + 2);
    }
    for _ in 0..job[7] {
        let bytes = next();
        let mut content: Vec<u8> = (0..bytes.div_ceil(4)).flat_map(|_| next().to_le_bytes()).collect();
        content.truncate(bytes as usize);
        out.buffers.push(content);
    }
    out
}

impl Drop for Metal {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
