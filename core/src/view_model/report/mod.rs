//! Reports: a finding about a pipeline or about programs of other compilers, with everything that goes with it.
//!
//! ```text
//! programs ──► comparison ──► finding ──► report.md, title, issue forms
//!                                     ──► archive: programs, case, Amber script, reproduction
//! ```
//!
//! The command line and the page make the same report of the same input. Refuses to write one if nothing differs, and
//! to guess the tool at fault: its tracker is chosen by the reader.

mod request; // its subject

pub use request::{Programs, Request, SourceText, inputs_of};

use self::request::NO_NAME;
use super::debugger::first_difference;
use crate::front::{self, InputKind, Recognized, recognize};
use crate::ir::{FactKey, Module};
use crate::lab::check::Tolerance;
use crate::lab::compare::{Comparer, Dump, Settings as Comparing, Versions, bundle, pack};
use crate::lab::reduce::{Condition, Fault, Reducer, Witnesses};
use crate::pipeline::{Outcome, Pipeline, Settings, Stats};
use crate::report::{
    Anonymizer, Context, PlainCase, Program, Reduced, amber, binary_of, forms, gpu_markdown, gpu_sentence,
    gpu_title, markdown, program_of, summary, title,
};
use crate::share::{Repro, SharedState, digests};
use vitrine_protocol::{Bytes, GpuApi, IssueForm, ReportAnswer, ReportRequest};

/// The longest link of a report, in characters: a longer one is left out, because the archive has the same content.
const MOST_LINK: usize = 20_000;

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The title of the issue.
    pub title: String,
    /// The report as Markdown, at most `report::MOST_CHARS` characters.
    pub markdown: String,
    /// Issue forms; each has the report, its summary, or the title only.
    pub forms: Vec<IssueForm>,
    /// The Amber script, or the reason why there is none.
    pub amber: Result<String, String>,
    /// The files that go with the report, by name, and the report.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Report {
    /// All files as a zip archive. Errors: the reason why they do not fit into one.
    pub fn archive(&self) -> Result<Vec<u8>, String> {
        pack(&self.files)
    }
}

/// The report of the program of the page. Its validity is that of the IR: `spirv-val` is not run.
///
/// Errors: the reason why there is nothing to report, in words.
pub fn answer(request: ReportRequest, program: vitrine_protocol::Program) -> Result<ReportAnswer, String> {
    let ReportRequest { link, address, browser, is_anonymous, is_whole, gpu } = request;
    let environment = vec![("browser".to_owned(), format!("{browser}, wasm"))];
    let mut request =
        Request { is_anonymous, is_whole, environment, gpu, ..Request::of_link(&link, &address)? };
    if !program.words.0.is_empty() {
        request.compile(program.words.0);
    }
    let made = report(&request, &mut |_, _| None)?;
    let archive = Bytes(made.archive()?);
    let (amber, amber_refused) = match made.amber {
        Ok(script) => (script, String::new()),
        Err(why) => (String::new(), why),
    };
    let Report { title, markdown, forms, .. } = made;
    Ok(ReportAnswer { title, markdown, archive, amber, amber_refused, forms })
}

/// Compares the programs and reports the first difference; if the versions agree, that of a GPU. `verify` returns a sentence about the validity of a program, which
/// it gets with a name for it.
///
/// Errors: the reason why there is nothing to report, in words.
pub fn report(
    request: &Request,
    verify: &mut dyn FnMut(&Module, &str) -> Option<String>,
) -> Result<Report, String> {
    let subject = Subject::of(request)?;
    let mut comparer = subject.comparer(request);
    let first = comparer.stages().first().and_then(|first| first.module.clone());
    let first = first.ok_or_else(|| format!("{} cannot be read", subject.name))?;
    while comparer.step() {}
    let Some(finding) = comparer.finding() else {
        return gpu_report(request, &subject, &first, verify);
    };
    let state = subject.state(request, [finding.against, finding.stage]);
    let mut validity = vec!["The IR is valid.".to_owned()];
    validity.extend(verify(&first, "the input"));
    let faulty = comparer.stages().get(finding.stage).and_then(|stage| stage.module.as_ref());
    validity.extend(faulty.and_then(|module| verify(module, "the version that differs")));
    let reduced = match (&subject.kind, request.is_whole) {
        (_, true) => None,
        (Kind::Steps { pipeline, .. }, false) => Some(reduced(pipeline, &first, &request.settings)),
        (Kind::Several(..), false) => {
            Some(Err("`vitrine reduce --while command` reduces programs of other compilers".to_owned()))
        }
    };
    let context = Context {
        input: subject.name.clone(),
        commands: subject.commands(request),
        link: link(request, &state, subject.source()),
        program: program_of(&subject.own),
        reduced,
        validity,
        gpu: request.gpu.clone(),
        environment: environment(request, &first),
        is_anonymous: request.is_anonymous,
    };
    let (Some(title), Some(markdown), Some(summary)) =
        (title(&comparer, &subject.name), markdown(&comparer, &context), summary(&comparer, &context))
    else {
        return Err("nothing differs".to_owned());
    };
    let amber = amber(&comparer, &title);
    let case = comparer.shown().and_then(|(entry, inputs)| PlainCase::of(&first, entry, inputs).ok());
    let mut files = vec![("report.md".to_owned(), markdown.clone().into_bytes())];
    files.extend(subject.files(&comparer));
    if let Some(Ok(Reduced { program, .. })) = &context.reduced {
        files.push((format!("reduced.{}", program.extension), program.text.clone().into_bytes()));
    }
    files.extend(case.map(|case| ("case.json".to_owned(), case.json().into_bytes())));
    files.extend(amber.iter().map(|script| ("finding.amber".to_owned(), script.clone().into_bytes())));
    files.push(("finding.repro".to_owned(), subject.repro(state).text().into_bytes()));
    let forms = forms(&title, &[&markdown, &summary]);
    Ok(Report { title, markdown, forms, amber, files })
}

/// The report of a GPU whose results differ from the interpreter's, although those of all versions are the same.
fn gpu_report(
    request: &Request,
    subject: &Subject,
    first: &Module,
    verify: &mut dyn FnMut(&Module, &str) -> Option<String>,
) -> Result<Report, String> {
    let nothing = "nothing differs: `vitrine compare` shows the verdicts";
    let gpu = request.gpu.as_ref().filter(|gpu| gpu.differs).ok_or(nothing)?;
    let state = subject.state(request, [0, 0]);
    let mut validity = vec!["The IR is valid.".to_owned()];
    validity.extend(verify(first, "the input"));
    validity
        .push("On all inputs of the check, the interpreter computes the same for every version.".to_owned());
    let context = Context {
        input: subject.name.clone(),
        link: link(request, &state, subject.source()),
        program: program_of(&subject.own),
        validity,
        gpu: request.gpu.clone(),
        environment: environment(request, first),
        is_anonymous: request.is_anonymous,
        ..Context::default()
    };
    let (title, markdown) = (gpu_title(gpu, &subject.name), gpu_markdown(&context).ok_or(nothing)?);
    let forms =
        forms(&title, &[&markdown, &format!("{}\n\nThe whole report is attached.", gpu_sentence(gpu))]);
    let mut files = vec![("report.md".to_owned(), markdown.clone().into_bytes())];
    let program = file_of(&subject.own);
    files.push((format!("input.{}", extension(&program)), program));
    if !request.is_anonymous {
        let extension = match gpu.api {
            GpuApi::WebGpu => "wgsl",
            GpuApi::WebGl2 => "essl",
        };
        files.push((format!("text.{extension}"), gpu.code.clone().into_bytes()));
    }
    files.push(("finding.repro".to_owned(), subject.repro(state).text().into_bytes()));
    let amber = Err("The script would compare versions, which agree: only the GPU differs".to_owned());
    Ok(Report { title, markdown, forms, amber, files })
}

/// The programs of a report, without names if it is anonymous.
struct Subject {
    name: String,
    /// The first program as it is written in the report.
    own: Module,
    kind: Kind,
}

enum Kind {
    Steps { input: Vec<u8>, text: String, pipeline: Pipeline, source: Option<SourceText> },
    Several(Versions, Vec<Dump>),
}

impl Subject {
    fn of(request: &Request) -> Result<Subject, String> {
        let name = if request.is_anonymous { NO_NAME.to_owned() } else { request.name.clone() };
        match &request.programs {
            Programs::Steps { input, pipeline: text, source } => {
                let pipeline = Pipeline::parse(text).map_err(|diag| diag.to_string())?;
                let mut input = input.clone();
                let mut own = sound(&input, &request.name)?;
                if request.is_anonymous {
                    let program = file_of(&Anonymizer::default().apply(&own));
                    input = program;
                    own = sound(&input, &name)?;
                }
                // The text of a source has its names.
                let source = source.clone().filter(|of| !request.is_anonymous && !of.text.is_empty());
                Ok(Subject { name, own, kind: Kind::Steps { input, text: text.clone(), pipeline, source } })
            }
            Programs::Several { dumps, are_passes } => {
                let mut versions = Versions::read(dumps);
                let mut dumps = dumps.clone();
                if request.is_anonymous {
                    anonymize(&mut versions, &mut dumps, *are_passes);
                }
                let first = versions.list.first().ok_or("there is no program")?;
                if let Some(error) = first.error() {
                    return Err(format!("{name} cannot be read: {error}"));
                }
                let name = if request.is_anonymous { name } else { first.name.clone() };
                Ok(Subject { name, own: first.module.clone(), kind: Kind::Several(versions, dumps) })
            }
        }
    }

    /// The source of the program, if it was compiled from one and may be shown.
    fn source(&self) -> Option<&SourceText> {
        match &self.kind {
            Kind::Steps { source, .. } => source.as_ref(),
            Kind::Several(..) => None,
        }
    }

    /// The comparison of all versions with the first one.
    fn comparer(&self, request: &Request) -> Comparer {
        let settings = request.settings.clone();
        match &self.kind {
            Kind::Several(versions, _) => Comparer::of_versions(versions, settings),
            Kind::Steps { pipeline, .. } => {
                let trace = pipeline.trace(&self.own, Settings::default());
                let mut modules = vec![(self.name.clone(), Ok(self.own.clone()))];
                for step in &trace.steps {
                    let version = match &step.outcome {
                        Outcome::Failed(diag) => Err(diag.to_string()),
                        Outcome::Invalid(diags) => {
                            Err(diags.first().map(ToString::to_string).unwrap_or_default())
                        }
                        Outcome::Changed | Outcome::Unchanged => Ok(step.version.clone()),
                    };
                    modules.push((step.text(), version));
                }
                // Our own passes preserve every bit, whatever the language of the input allows.
                Comparer::of_modules(modules, InputKind::Ir, settings)
            }
        }
    }

    /// The state of the page that shows the finding: of a comparison, the original and the versions that part.
    fn state(&self, request: &Request, [against, stage]: [usize; 2]) -> SharedState {
        let trials = [request.settings.seed as u32, request.settings.trials];
        let (input, pipeline) = match &self.kind {
            Kind::Steps { input, text, .. } => (input.clone(), text.clone()),
            Kind::Several(_, dumps) => {
                let mut shown = vec![0, against, stage];
                shown.dedup();
                let dumps: Vec<Dump> = shown.iter().filter_map(|&at| dumps.get(at).cloned()).collect();
                (bundle(&dumps), String::new())
            }
        };
        let expected = first_difference(&input, &pipeline, trials);
        SharedState {
            expected,
            input,
            name: self.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
            pipeline,
            trials: Some(trials),
            made_by: env!("CARGO_PKG_VERSION").to_owned(),
            ..SharedState::default()
        }
    }

    /// The commands that made the programs, and the one that shows the finding again.
    fn commands(&self, request: &Request) -> Vec<String> {
        let mut out = request.commands.clone();
        let Request { settings: Comparing { seed, trials, .. }, .. } = request;
        out.push(match (&self.kind, request.is_anonymous) {
            (Kind::Steps { text, source: None, .. }, false) => format!(
                "vitrine check {} --pipeline {} --seed {seed} --runs {trials}",
                quoted(&self.name),
                quoted(text)
            ),
            // The given program has another name and other names in it, or it is what a front end made of a source.
            (Kind::Steps { .. }, _) => {
                format!("vitrine check finding.repro --seed {seed} --runs {trials}  # of the archive")
            }
            (Kind::Several(..), _) => {
                format!("vitrine compare finding.repro --seed {seed} --trials {trials}  # of the archive")
            }
        });
        out
    }

    /// The first program, and of a comparison those that part.
    fn files(&self, comparer: &Comparer) -> Vec<(String, Vec<u8>)> {
        let named = |name: &str, bytes: &[u8]| (format!("{name}.{}", extension(bytes)), bytes.to_vec());
        match &self.kind {
            Kind::Steps { input, source, .. } => {
                let extension = self.name.rsplit_once('.').map_or("txt", |(_, extension)| extension);
                let text = source.as_ref().map(|of| (format!("source.{extension}"), of.text.clone()));
                [named("input", input)].into_iter().chain(text).collect()
            }
            Kind::Several(_, dumps) => {
                let parts =
                    comparer.finding().map(|finding| [("before", finding.against), ("after", finding.stage)]);
                let mut out: Vec<(&str, usize)> = vec![("input", 0)];
                out.extend(parts.into_iter().flatten());
                out.iter().filter_map(|&(name, at)| Some(named(name, &dumps.get(at)?.bytes))).collect()
            }
        }
    }

    /// The finding as a reproduction, with the digests of the steps of a pipeline.
    fn repro(&self, state: SharedState) -> Repro {
        let found = match &self.kind {
            Kind::Steps { pipeline, .. } => {
                let trace = pipeline.trace(&self.own, Settings::default());
                digests(&trace.input, trace.changes())
            }
            Kind::Several(..) => Vec::new(),
        };
        Repro::of(state, found)
    }
}

/// A program without errors.
fn sound(input: &[u8], name: &str) -> Result<Module, String> {
    let (_, read) = front::read(input);
    match read.is_sound() {
        true => Ok(read.module),
        false => {
            let why = read.diags.first().map_or_else(|| "it is empty".to_owned(), ToString::to_string);
            Err(format!("{name} cannot be read: {why}"))
        }
    }
}

/// Removes names from all versions, in the same way, and writes their programs anew.
fn anonymize(versions: &mut Versions, dumps: &mut [Dump], are_passes: bool) {
    let mut anonymizer = Anonymizer::default();
    for (at, (version, dump)) in versions.list.iter_mut().zip(dumps).enumerate() {
        version.module = anonymizer.apply(&version.module);
        if at == 0 || !are_passes {
            version.name = if at == 0 { NO_NAME.to_owned() } else { format!("version {at}") };
        }
        version.name.clone_into(&mut dump.name);
        dump.bytes = file_of(&version.module);
    }
}

/// A program as SPIR-V, or as IR text if SPIR-V cannot express it.
fn file_of(module: &Module) -> Vec<u8> {
    binary_of(module).unwrap_or_else(|| program_of(module).text.into_bytes())
}

/// The extension of a program, by its content.
fn extension(bytes: &[u8]) -> &'static str {
    let kind = match recognize(bytes) {
        Recognized::Program { kind, .. } | Recognized::Refused { kind, .. } => kind,
        Recognized::Empty => InputKind::Empty,
    };
    match kind {
        InputKind::Spirv => "spv",
        InputKind::SpirvText => "spvasm",
        InputKind::Ir => "ir",
        InputKind::D3d9Text => "asm",
        InputKind::D3d9 => "d3dbc",
        InputKind::Dxbc => "dxbc",
        InputKind::Empty
        | InputKind::SpirvHex
        | InputKind::SpirvArray
        | InputKind::SpirvBase64
        | InputKind::Foreign
        | InputKind::Unknown => "txt",
    }
}

/// The smallest program of which the same pass changes the results.
fn reduced(pipeline: &Pipeline, module: &Module, settings: &Comparing) -> Result<Reduced, String> {
    let witnesses =
        Witnesses::seeded(module, settings.seed, settings.trials, Tolerance { ulp: settings.ulp });
    let mut condition = Condition::of(pipeline, Fault::Differs, witnesses, module)
        .ok_or("no step of the pipeline changes the results of a trial")?;
    let mut reducer = Reducer::new(module.clone(), |module| condition.holds(module));
    reducer.run();
    let small = reducer.module().clone();
    let instructions = [module, &small].map(|module| Stats::of(module).insts as usize);
    let program: Program = program_of(&small);
    Ok(Reduced { program, instructions })
}

/// The link to the finding, unless it would be too long or there is no page.
fn link(request: &Request, state: &SharedState, source: Option<&SourceText>) -> Option<String> {
    let address = request.address.split('#').next().filter(|address| !address.is_empty())?;
    // The page compiles a source again, by the same front end.
    let state = match source {
        Some(SourceText { text, options }) => {
            SharedState { input: text.clone(), source_options: options.clone(), ..state.clone() }
        }
        None => state.clone(),
    };
    Some(format!("{address}#{}", state.link())).filter(|link| link.len() <= MOST_LINK)
}

/// Versions, the generator that the program names, and the digest of the program.
fn environment(request: &Request, first: &Module) -> Vec<(String, String)> {
    let mut out = vec![("Vitrine".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    out.extend(request.environment.iter().cloned());
    let generator = first.facts.iter().find(|fact| fact.key == FactKey::Generator);
    out.extend(
        generator.map(|fact| ("generator of the input".to_owned(), first.text_of(fact.value).to_owned())),
    );
    let digest = digests(first, []);
    out.extend(
        digest.first().map(|(_, digest)| ("digest of the input".to_owned(), format!("{digest:016x}"))),
    );
    out
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::MOST_URL_BYTES;
    use vitrine_protocol::GpuResult;

    const SOURCE: &str = "in $secret_0: f32 {location 0}\nout $1: f32 {location 0}\n\n\
        entry fragment \"hidden\" @0 ($secret_0, $1) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n\
        \x20 %0: path = deref.var $secret_0\n  %1: b32 = load %0\n  %2: b32 = fadd %1, %1\n\
        \x20 %3: b32 = fmul %2, %2\n  %4: b32 = fadd %3, %2\n  %5: path = deref.var $1\n  %6 = store %5, %4\n\
        \x20 return\n}\n";

    fn request(pipeline: &str) -> Request {
        let state = SharedState {
            input: SOURCE.as_bytes().to_vec(),
            name: "secret.ir".to_owned(),
            pipeline: pipeline.to_owned(),
            trials: Some([1, 8]),
            ..SharedState::default()
        };
        Request::of_link(&state.link(), "https://example.org/").expect("a good link")
    }

    fn file<'r>(report: &'r Report, name: &str) -> &'r [u8] {
        report.files.iter().find(|(file, _)| file == name).map_or(&[], |(_, bytes)| bytes)
    }

    #[test]
    fn a_finding_has_a_report_a_link_and_files_that_show_it_again() {
        let report = report(&request("dce, wrong-sum{at=1}, cse"), &mut |_, _| None).expect("a finding");
        assert_eq!(report.title, "secret.ir: the result differs after wrong-sum");
        assert!(report.markdown.contains("(https://example.org/#1m"), "{}", report.markdown);
        let (repro, problem) = Repro::read(file(&report, "finding.repro"));
        assert_eq!((problem, repro.digests.len()), (None, 4));
        let again = first_difference(&repro.state.input, &repro.state.pipeline, [1, 8]);
        assert!(again.is_some() && again == repro.state.expected, "{again:?}");
        assert_eq!(file(&report, "input.ir"), SOURCE.as_bytes());
        assert!(String::from_utf8_lossy(file(&report, "reduced.spvasm")).contains("OpFAdd"));
        assert!(report.amber.as_ref().is_err_and(|why| why.contains("the input at location 0")));
        assert!(report.forms.iter().all(|form| form.url.len() <= MOST_URL_BYTES));
        let archive = report.archive().expect("an archive");
        let found = crate::lab::compare::unpack(&archive, 1 << 20).expect("programs");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn the_report_of_a_source_is_about_its_program_and_links_to_its_text() {
        let mut wanted = request("dce, wrong-sum{at=1}, cse");
        if let Programs::Steps { input, source, .. } = &mut wanted.programs {
            *input = b"#version 450\nvoid main() {}\n".to_vec();
            *source = Some(SourceText { text: Vec::new(), options: "stage=frag".to_owned() });
        }
        wanted.name = "a.frag".to_owned();
        assert!(report(&wanted, &mut |_, _| None).is_err_and(|why| why.contains("cannot be read")));
        wanted.compile(SOURCE.as_bytes().to_vec());
        let made = report(&wanted, &mut |_, _| None).expect("a finding");
        assert_eq!(file(&made, "source.frag"), b"#version 450\nvoid main() {}\n");
        assert_eq!(file(&made, "input.ir"), SOURCE.as_bytes());
        let link =
            made.markdown.split("https://example.org/#").nth(1).and_then(|rest| rest.split(')').next());
        let (state, problem) = SharedState::read(link.unwrap_or_default());
        assert_eq!((problem, state.source_options.as_str()), (None, "stage=frag"));
        assert!(state.input.starts_with(b"#version") && state.expected.is_some());
        let (repro, _) = Repro::read(file(&made, "finding.repro"));
        assert_eq!(repro.state.input, SOURCE.as_bytes());
    }

    #[test]
    fn an_anonymous_report_has_no_name_of_the_program() {
        let wanted = Request { is_anonymous: true, ..request("dce, wrong-sum{at=1}, cse") };
        let report = report(&wanted, &mut |_, _| None).expect("a finding");
        assert!(report.markdown.contains("debug information: removed"), "{}", report.markdown);
        for (name, bytes) in &report.files {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("secret") && !text.contains("hidden"), "{name}: {text}");
        }
        let (repro, _) = Repro::read(file(&report, "finding.repro"));
        let inside = String::from_utf8_lossy(&repro.state.input).into_owned() + &repro.state.name;
        assert!(!inside.contains("secret") && !inside.contains("hidden"), "{inside}");
    }

    /// A shader with every kind of string: names, the source, the format of a print.
    const STRINGS: &str = "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n\
        %9 = OpExtInstImport \"NonSemantic.DebugPrintf\"\nOpMemoryModel Logical GLSL450\n\
        OpEntryPoint GLCompute %main \"secret_main\"\nOpExecutionMode %main LocalSize 1 1 1\n\
        %file = OpString \"secret.glsl\"\n%format = OpString \"secret %d\"\n\
        OpSource GLSL 450 %file \"secret source\"\nOpName %main \"secret_name\"\nOpName %total \"secret_total\"\n\
        OpDecorate %words ArrayStride 4\nOpDecorate %Total BufferBlock\nOpMemberDecorate %Total 0 Offset 0\n\
        OpDecorate %total DescriptorSet 0\nOpDecorate %total Binding 0\n%void = OpTypeVoid\n\
        %to_void = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n\
        %one = OpConstant %uint 1\n%size = OpConstant %uint 4\n%words = OpTypeArray %uint %size\n\
        %Total = OpTypeStruct %words\n%p_Total = OpTypePointer Uniform %Total\n%p_uint = OpTypePointer Uniform %uint\n\
        %total = OpVariable %p_Total Uniform\n%main = OpFunction %void None %to_void\n%entry = OpLabel\n\
        OpLine %file 3 4\n%at = OpAccessChain %p_uint %total %zero %zero\n%old = OpLoad %uint %at\n\
        %new = OpIAdd %uint %old %one\n%print = OpExtInst %void %9 1 %format %old\nOpStore %at %new\nOpReturn\n\
        OpFunctionEnd\n";

    #[test]
    fn strings_of_spirv_are_removed() {
        let dump = |(name, text): (&str, String)| Dump { name: name.to_owned(), bytes: text.into_bytes() };
        let texts =
            [("secret.spvasm", STRINGS.to_owned()), ("b.spvasm", STRINGS.replace("OpIAdd", "OpISub"))];
        let programs = Programs::Several { dumps: texts.map(dump).to_vec(), are_passes: false };
        let named = Request { programs, ..request("dce") };
        let has_secret = |of: &Request| {
            let report = report(of, &mut |_, _| None).expect("a finding");
            report.files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("secret"))
        };
        assert!(has_secret(&named));
        assert!(!has_secret(&Request { is_anonymous: true, ..named }));
    }

    #[test]
    fn the_number_of_inputs_of_a_link_is_limited() {
        let of = |trials| inputs_of(&SharedState { trials, ..SharedState::default() });
        assert_eq!(
            [of(Some([3, u32::MAX])), of(Some([3, 8])), of(None)],
            [Some([3, 4096]), Some([3, 8]), None]
        );
    }

    #[test]
    fn there_is_no_report_without_a_finding() {
        let why = report(&request("dce"), &mut |_, _| None).err().unwrap_or_default();
        assert!(why.contains("nothing differs"), "{why}");
        assert!(Request::of_link("1mAAAA", "").is_err());
    }

    #[test]
    fn a_gpu_that_differs_is_reported_with_its_text() {
        let gpu = GpuResult {
            api: GpuApi::WebGpu,
            adapter: "acme x1".to_owned(),
            step: "step 1, dce".to_owned(),
            differs: true,
            code: "fn main() {}".to_owned(),
            ..GpuResult::default()
        };
        let with = |gpu: GpuResult, pipeline: &str| Request { gpu: Some(gpu), ..request(pipeline) };
        let made = report(&with(gpu.clone(), "dce"), &mut |_, _| None).expect("a report");
        for part in ["acme x1", "WGSL of step 1, dce", "fn main() {}", "Run on this GPU"] {
            assert!(made.markdown.contains(part), "{}", made.markdown);
        }
        assert_eq!(file(&made, "text.wgsl"), b"fn main() {}");
        let agrees = GpuResult { differs: false, ..gpu };
        assert!(report(&with(agrees.clone(), "dce"), &mut |_, _| None).is_err());
        let both = report(&with(agrees, "dce, wrong-sum{at=1}, cse"), &mut |_, _| None).expect("a finding");
        assert!(both.markdown.contains("acme x1") && both.title.contains("after wrong"), "{}", both.markdown);
    }

    #[test]
    fn words_of_commands_are_quoted_if_necessary() {
        assert_eq!(
            [quoted("a/b.ir"), quoted("a b"), quoted("it's"), quoted("")],
            ["a/b.ir", "'a b'", "'it'\\''s'", "''"]
        );
    }
}
