//! Every request and every answer survives encoding and decoding, and each layout has the documented numbers.
//!
//! Tested in binary form, and as JSON, which represents the objects of scripts: both forms use field names.

use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_protocol::layout::{
    BlockEntry, CellEntry, ColumnEntry, ColumnRows, EdgeEntry, EdgeTable, ExecutionEntry, Fold, FoundEntry,
    HiddenEntry, InspectAction, InspectEntry, InspectSection, LoopEntry, MemoryEntry, MemoryKind,
    OriginEntry, OverlayEntry, RowEntry, SpanEntry, column_rows, edges,
};
use vitrine_protocol::*;

fn round<M: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &M) -> String {
    let text = serde_json::to_string(message).expect("a message can be written");
    let read: M = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&read, message, "{text}");
    let bytes = postcard::to_allocvec(message).expect("a message can be written");
    let read: M = postcard::from_bytes(&bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&read, message, "{bytes:?}");
    assert!(
        postcard::from_bytes::<M>(&bytes[..bytes.len() - 1]).is_err(),
        "an incomplete message is an error"
    );
    text
}

fn text() -> StyledText {
    let span = SpanEntry { start: 0, len: 2, class: 3, link: 1, id: 7 };
    let marks = Bytes(vec![Mark::Moved as u8]);
    StyledText { text: Utf8("%1\u{e4}\n".to_owned()), spans: Table::of(&[span]), marks }
}

fn shared() -> SharedRequest {
    SharedRequest {
        name: "a.ir".to_owned(),
        pipeline: "dce".to_owned(),
        version: Some(1),
        function: None,
        shown: Tab::Memory,
        target: "spvasm".to_owned(),
        pane: "output".to_owned(),
        assignments: "a = 1".to_owned(),
        source_options: "define=A=1".to_owned(),
        overlay: 3,
        columns: vec![0, 7],
        trials: Some([5, 64]),
        expected: ["licm".to_owned(), "00ff".to_owned()],
        made_by: "0.2.0".to_owned(),
    }
}

const EXECUTIONS: ExecutionEntry = ExecutionEntry { place: [1, 2], count: [3, 4] };

fn requests() -> Vec<Request> {
    let graph = GraphOptions {
        overlay: Some(OverlayKind::Alias),
        inline: true,
        folds: vec![(Fold::Loop, 2)],
        opened_blocks: vec![3],
        pins: vec![[4, -5, 6]],
        toggle: Some(GraphToggle::Lines(7)),
    };
    let problem =
        SourceProblem { message: "a".to_owned(), help: "b".to_owned(), range: Some([1, 2]), not_run: false };
    let open = OpenRequest {
        parts: Parts::Text,
        last_change: true,
        revision: 9,
        pipeline: "ingest, dce".to_owned(),
        version: Some(0),
        function: Some(2),
        shown: Tab::Changes,
        target: "spvasm".to_owned(),
        graph,
        translates: true,
        translation: Some(Translation {
            words: Bytes(vec![3, 2]),
            problems: vec![problem],
            ..Translation::default()
        }),
        name: "a.frag".to_owned(),
        source_options: "stage=frag".to_owned(),
    };
    vec![
        Request::Input(Bytes(vec![0, 255])),
        Request::Edit(vec![InputEdit { from: 1, to: 2, text: "\u{e4}".to_owned() }]),
        Request::Open(open),
        Request::Columns(ColumnsRequest {
            serial: 1,
            versions: vec![0, 3],
            find: Some((7, 1)),
            find_row: Some(4),
            find_anchor: Some(([9, 0, 1, 0], 1)),
            ..Default::default()
        }),
        Request::ColumnsText,
        Request::Inspect(InspectRequest { serial: 1, version: 2, id: 3 }),
        Request::Origins(OriginsRequest { revision: 1, version: 2 }),
        Request::Memory(MemoryRequest { serial: 1, version: 2, id: None }),
        Request::Paths(PathsRequest { serial: 1, versions: vec![2] }),
        Request::Find(FindRequest { version: 1, function: 2, query: "iadd".to_owned() }),
        Request::Overlay(OverlayRequest {
            serial: 1,
            version: 2,
            function: 3,
            kind: OverlayKind::Counts,
            chosen: Some(4),
            executions: Table::of(&[EXECUTIONS]),
        }),
        Request::Catalog,
        Request::Words,
        Request::Export(ExportRequest {
            format: "svg".to_owned(),
            raster: true,
            versions: vec![0, 3],
            ..Default::default()
        }),
        Request::WriteLink(shared()),
        Request::ReadLink("1dx".to_owned()),
        Request::WriteRepro(shared()),
        Request::ReadRepro(Bytes(vec![1])),
        Request::Join(vec![NamedFile { name: "a.spv".to_owned(), bytes: Bytes(vec![3]) }]),
        Request::JoinTranslated(Translation { words: Bytes(vec![3]), ..Translation::default() }),
        Request::Anchors(vec![7]),
        Request::Numbers(vec![[1, 2, 3, 4]]),
    ]
}

fn opened() -> Opened {
    let [error, warning, note] =
        Level::ALL.map(|level| Diagnostic { level, line: 1, ..Diagnostic::default() });
    let steps =
        Outcome::ALL.map(|outcome| PassStep { outcome, micros: 3, row: 1, group: 2, ..PassStep::default() });
    Opened {
        revision: 1,
        source_options: vec![SourceOption {
            key: "stage".to_owned(),
            choices: vec![["frag", "Fragment"].map(str::to_owned)],
            ..SourceOption::default()
        }],
        diagnostics: vec![error, warning],
        pipeline_diagnostics: vec![note],
        functions: vec![FunctionInfo { number: 1, name: "main".to_owned(), blocks: 2, entry: true }],
        steps: steps.to_vec(),
        version: 4,
        function: Some(1),
        counts: [1, 2, 3],
        reasons: vec![Reason { count: 2, rule: "r".to_owned(), words: "w".to_owned() }],
        refused: vec![
            Refusal {
                sentence: "`%1` is no value".to_owned(),
                place: Some(RefusedPlace { id: 1, name: "%1".to_owned() }),
                passes: vec!["lower-tex{bias}".to_owned()],
                ..Refusal::default()
            },
            Refusal { sentence: "it is invalid".to_owned(), is_invalid: true, ..Refusal::default() },
        ],
        text: text(),
        source: Utf8("OpNop\n".to_owned()),
        graph: GraphPicture {
            extent: [-1, -2, 3, 4],
            blocks: Table::from_numbers((0..12).collect()),
            loops: Table::from_numbers((0..6).collect()),
            edges: Table::from_numbers(vec![0, 0, 1, 2, 0, 0, 1, 5, -6]),
            labels: vec!["T".to_owned()],
            text: text(),
            summaries: vec!["return".to_owned()],
            trips: vec!["trip count 4".to_owned()],
            hidden: Table::of(&[HiddenEntry { block: 1, shown_in: 2 }]),
        },
        folds: vec![(Fold::Loop, 2)],
        opened_blocks: vec![3],
        pins: vec![[4, -5, 6]],
        ..Opened::default()
    }
}

fn answers() -> Vec<Answer> {
    let option =
        CatalogOption::Number { name: "max".to_owned(), doc: "d".to_owned(), default: 1, least: 0, most: 2 };
    let words = CatalogOption::Words(vec![("a".to_owned(), "b".to_owned())]);
    let places = CatalogOption::Places { form: "R=N".to_owned(), doc: "d".to_owned() };
    let entry = |kind| CatalogEntry {
        kind,
        options: vec![words.clone(), option.clone(), places.clone()],
        ..Default::default()
    };
    let kinds =
        [EntryKind::Pass, EntryKind::Preset, EntryKind::Rule, EntryKind::Operation, EntryKind::Analysis];
    let columns = Columns {
        serial: 1,
        found: Some(2),
        versions: vec![0, 1],
        heads: Table::of(&[ColumnEntry { widest: 1, added: 2, gone: 3, changed: 4, moved: 5 }]),
        text: text(),
        table: Table::from_words((0..9).collect()),
        ..Columns::default()
    };
    let memory = MemoryMap {
        variable: Some(1),
        variables: vec![MemoryVariable { id: 1, name: "m".to_owned() }],
        text: text(),
        rows: Table::from_numbers((-4..4).collect()),
        ..MemoryMap::default()
    };
    vec![
        Answer::Ready {
            classes: vec!["plain".to_owned()],
            pipeline: "dce".to_owned(),
            formats: vec![Format {
                name: "spvasm".to_owned(),
                label: "SPIR-V text".to_owned(),
                language: "SPIR-V".to_owned(),
                vector: true,
            }],
        },
        Answer::Opened(Box::new(opened())),
        Answer::Progress(Progress { done: 1, pass: "cse".to_owned() }),
        Answer::Columns(columns),
        Answer::ColumnsText(Utf8("a\n".to_owned())),
        Answer::Inspected(Inspected { serial: 1, text: text(), rows: Table::from_words(vec![1, 2, 3, 4]) }),
        Answer::Origins(Origins {
            revision: 1,
            table: Table::of(&[OriginEntry { id: 1, start: 2, len: 3 }]),
        }),
        Answer::Memory(memory),
        Answer::Paths(PointerPaths { serial: 1, paths: vec![PointerPath { id: 1, path: "p".to_owned() }] }),
        Answer::Found(Found { places: Table::of(&[FoundEntry { block: 1, id: 2 }]), ..Found::default() }),
        Answer::Overlay(Overlay {
            serial: 1,
            marks: Table::of(&[OverlayEntry { id: 1, style: 18, level: 3, words: 1 }]),
            words: Utf8("\nlive in\n".to_owned()),
            legend: Utf8("2\tlive in\n".to_owned()),
        }),
        Answer::Catalog(kinds.map(entry).to_vec()),
        Answer::Words(Words {
            classes: vec!["op".to_owned()],
            words: vec![Word { name: "a".to_owned(), class: 1, doc: "b".to_owned(), is_spirv: true }],
        }),
        Answer::File(File { bytes: Bytes(vec![1]), extension: "spv".to_owned(), ..File::default() }),
        Answer::Link("1dx".to_owned()),
        Answer::Shared(SharedState { input: Bytes(vec![1]), view: shared(), problem: "p".to_owned() }),
        Answer::Anchors(vec![[1, 2, 3, 4]]),
        Answer::Numbers(vec![7]),
        Answer::Source(PreparedSource {
            revision: 3,
            front_end: FrontEnd::Slang,
            stage: "frag".to_owned(),
            entry: "f".to_owned(),
            text: "c".to_owned(),
            name: "a.hlsl".to_owned(),
            options: "define=A".to_owned(),
        }),
        Answer::JoinSource(PreparedSource { revision: 4, ..PreparedSource::default() }),
        Answer::Refused("no".to_owned()),
        Answer::Fault(Fault { message: "trap".to_owned() }),
    ]
}

fn tasks() -> Vec<Task> {
    let inputs = CheckInputs { seed: 1, runs: 2 };
    let step = |command| Task::Step { command, line: 3 };
    let mut tasks = vec![
        Task::Check(inputs),
        Task::Bisect { inputs, wrong_version: Some(3) },
        Task::Reduce(inputs),
        Task::Run {
            entry: None,
            seed: 1,
            version: 2,
            compare: true,
            assignments: "a = 1".to_owned(),
            pictures: vec![GivenPicture {
                input: "a".to_owned(),
                file: "b.png".to_owned(),
                size: [1, 1],
                rgba: Bytes(vec![0, 1, 2, 255]),
            }],
        },
        Task::Debug { target: [1, 2] },
    ];
    tasks.extend(StepCommand::ALL.map(step));
    tasks
}

fn questions() -> Vec<Question> {
    let rows = |view| TableRows { number: 1, view, first: 2, count: 3 };
    let mut questions = vec![
        Question::Smallest,
        Question::Pixel { x: 1, y: 2 },
        Question::Invocation(3),
        Question::Watch(Watches { stops: vec!["@0 ^3".to_owned()], watches: vec!["%1".to_owned()] }),
        Question::Invocations { line: 4 },
        Question::Variable(rows(NumberView::Int)),
    ];
    questions.extend(NumberView::ALL.map(rows).map(Question::Resource));
    questions
}

/// Every mark of a cell.
const MARKS: [CellMark; 7] = [
    CellMark::Plain,
    CellMark::Changed,
    CellMark::Other,
    CellMark::Undefined,
    CellMark::Active,
    CellMark::Selected,
    CellMark::Ended,
];

fn reports() -> Vec<DebuggerAnswer> {
    let step = StepReport {
        line: Some(1),
        values: vec![ValueOnLine { line: 1, words: "2".to_owned() }],
        stack: vec![StackFrame { line: None, name: "f".to_owned(), invocations: "4".to_owned() }],
        memory: vec![VariableInMemory { number: 1, ..VariableInMemory::default() }],
        stopped: "at a breakpoint".to_owned(),
        wrong_stops: vec![WrongStop { stop: 1, reason: "r".to_owned() }],
        watched: vec![WatchedValue { words: "3".to_owned(), missing: false }],
        source: Some(SourceView {
            position: Some(SourcePosition { line: 4, file: "a.frag".to_owned(), begins: true }),
            lines: vec!["void main()".to_owned()],
            variables: vec![SourceVariable { name: "i".to_owned(), ..SourceVariable::default() }],
            removed: vec![RemovedVariable { line: Some(2), ..RemovedVariable::default() }],
        }),
        ..StepReport::default()
    };
    let run = RunReport {
        kind: RunPicture::Workgroups,
        pixels: Bytes(vec![1, 2, 3, 4]),
        entries: vec![ShaderEntry { name: "main".to_owned(), ..ShaderEntry::default() }],
        inputs: vec![RunInput { resource: Some(1), ..RunInput::default() }],
        reports: vec![UbReport { line: Some(2), ..UbReport::default() }],
        executions: Table::of(&[EXECUTIONS]),
        wrong_assignments: vec![WrongAssignment { line: 1, reason: "r".to_owned() }],
        ..RunReport::default()
    };
    let reports = [
        Report::Check(CheckReport {
            marks: CheckMark::ALL.to_vec(),
            verdicts: vec!["same".to_owned()],
            found: Some(Box::new(FoundDifference {
                versions: [3, 2],
                facts: vec![["place".to_owned(), "color.x".to_owned()]],
                anchors: [Some([9, 0, 4, 0]), None],
            })),
            ..CheckReport::default()
        }),
        Report::Bisect(BisectReport { change: vec!["-a".to_owned()], ..BisectReport::default() }),
        Report::Reduce(ReduceReport { kept: 1, summary: "s".to_owned() }),
        Report::Run(Box::new(run)),
        Report::Step(Box::new(step.clone())),
    ];
    let cell = |mark| TableCell { text: "1".to_owned(), mark };
    let replies = [
        Reply::Smallest("s".to_owned()),
        Reply::Pixel("p".to_owned()),
        Reply::Step(Box::new(step)),
        Reply::Table(TableReport { cells: MARKS.map(cell).to_vec(), ..TableReport::default() }),
    ];
    let task = |report| DebuggerAnswer::Task(TaskReport { serial: 1, done: true, report });
    let reply = |reply| DebuggerAnswer::Reply(QuestionReply { serial: 1, reply });
    let mut all = vec![
        DebuggerAnswer::Stopped,
        DebuggerAnswer::Fault(Fault { message: "trap".to_owned() }),
        task(None),
        reply(None),
    ];
    all.extend(reports.map(Some).map(task));
    all.extend(replies.map(Some).map(reply));
    all
}

fn source_answers() -> Vec<SourceAnswer> {
    let problem =
        SourceProblem { message: "a".to_owned(), help: String::new(), range: Some([1, 2]), not_run: true };
    let translation = Translation {
        words: Bytes(vec![3, 2]),
        problems: vec![problem],
        log: "b".to_owned(),
        is_finished: true,
    };
    vec![
        SourceAnswer::Done { revision: 7, translation },
        SourceAnswer::Fault(Fault { message: "trap".to_owned() }),
    ]
}

fn gpu_job() -> GpuJob {
    let bytes = Bytes(vec![1, 2, 3, 4]);
    let buffer = |kind| GpuBuffer { group: 1, binding: 2, kind, bytes: bytes.clone(), ..Default::default() };
    let flat = |kind| GpuFlat { location: 1, kind, components: 1, bytes: bytes.clone() };
    let kinds = [GpuNumber::Float, GpuNumber::Int, GpuNumber::Uint];
    GpuJob {
        api: GpuApi::WebGl2,
        flats: kinds.map(flat).to_vec(),
        outputs: vec![GpuOutput { location: 0, kind: GpuNumber::Float, components: 4 }],
        buffers: [GpuBufferKind::Uniform, GpuBufferKind::Read, GpuBufferKind::Write].map(buffer).to_vec(),
        textures: vec![GpuTexture { sampler: Some(0), view: "cube".to_owned(), ..Default::default() }],
        samplers: vec![GpuSampler { lod_max_clamp: 0.5, ..Default::default() }],
        ..GpuJob::default()
    }
}

fn lesson_requests() -> Vec<LessonRequest> {
    let of = |text: &str| text.to_owned();
    let run = ProgramRun { program: of("p"), inputs: of("n = 3") };
    let programs = vec![TaskProgram { name: of("start"), text: of("t") }];
    vec![
        LessonRequest::Judge(JudgeRequest { task: of("check: valid"), programs, answer: of("a") }),
        LessonRequest::Fact { program: of("p"), text: of("frontier(^3)") },
        LessonRequest::Run(run.clone()),
        LessonRequest::Steps(run),
        LessonRequest::Memory { program: of("p"), variable: of("v") },
    ]
}

fn lesson_answers() -> Vec<LessonAnswer> {
    let of = |text: &str| text.to_owned();
    let finding = TaskFinding { check: of("valid"), passed: true, sentence: of("s"), marks: vec![of("^3")] };
    vec![
        LessonAnswer::Judged(vec![finding]),
        LessonAnswer::Fact(vec![of("^3")]),
        LessonAnswer::Ran(of("1")),
        LessonAnswer::Html(of("<p>")),
        LessonAnswer::Refused(of("no")),
    ]
}

#[test]
fn messages_of_workers_with_one_task_come_back_as_they_were() {
    let text = round(&gpu_job());
    for part in [r#""api":"WebGL2""#, r#""kind":"f""#, r#""kind":"write""#, r#""lodMaxClamp":0.5"#] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(GpuApi::ALL.map(|api| GpuApi::named(api.name())), GpuApi::ALL.map(Some));
    assert_eq!(GpuApi::ALL.map(|api| round(&api)), GpuApi::ALL.map(|api| format!("\"{}\"", api.name())));
    let differences = vec![["pixel (0, 1)", "1", "2"].map(str::to_owned)];
    round(&GpuVerdict { differing: 1, differences: differences.clone(), ..GpuVerdict::default() });
    let gpu = GpuResult { api: GpuApi::WebGl2, differs: true, differences, ..GpuResult::default() };
    round(&ReportRequest {
        link: "1dx".to_owned(),
        is_whole: true,
        gpu: Some(gpu),
        ..ReportRequest::default()
    });
    let form = IssueForm { tracker: "Mesa".to_owned(), text: Some(1), ..IssueForm::default() };
    round(&ReportAnswer {
        archive: Bytes(vec![1]),
        forms: vec![form, IssueForm::default()],
        ..ReportAnswer::default()
    });
    lesson_requests().iter().for_each(|request| drop(round(request)));
    lesson_answers().iter().for_each(|answer| drop(round(answer)));
    let missing = serde_json::from_str::<ReportRequest>(
        r#"{"link":"","address":"","browser":"","is_anonymous":true,"is_whole":false}"#,
    );
    assert_eq!(missing.expect("there may be no result of a GPU").gpu, None);
}

#[test]
fn every_request_and_answer_comes_back_as_it_was() {
    requests().iter().for_each(|request| drop(round(request)));
    answers().iter().for_each(|answer| drop(round(answer)));
    for task in tasks() {
        round(&DebuggerRequest::Begin(BeginTask { serial: 1, pipeline: "dce".to_owned(), task }));
    }
    for question in questions() {
        round(&DebuggerRequest::Ask(QuestionRequest { serial: 1, question }));
    }
    let program = Program {
        name: "a.frag".to_owned(),
        input: Bytes(vec![1]),
        options: "stage=frag".to_owned(),
        words: Bytes(vec![3, 2]),
    };
    assert_eq!(program.code(), [3, 2]);
    assert_eq!(Program { words: Bytes::default(), ..program.clone() }.code(), [1]);
    round(&program);
    round(&DebuggerRequest::Program(program));
    round(&DebuggerRequest::Stop);
    round(&SourceRequest {
        revision: 7,
        text: "fn".to_owned(),
        name: "a.wgsl".to_owned(),
        stage: "vert".to_owned(),
        entry: String::new(),
        options: "entry=f".to_owned(),
    });
    source_answers().iter().for_each(|answer| drop(round(answer)));
    reports().iter().for_each(|report| drop(round(report)));
}

/// A new variant must be added above: the tags are counted.
#[test]
fn no_variant_is_left_out() {
    fn tags<M: Serialize>(messages: &[M]) -> Vec<String> {
        let tag = |message: &M| match serde_json::to_value(message).expect("a message can be written") {
            serde_json::Value::Object(object) => object.keys().next().cloned().unwrap_or_default(),
            value => value.as_str().unwrap_or_default().to_owned(),
        };
        let mut tags: Vec<String> = messages.iter().map(tag).collect();
        tags.sort();
        tags.dedup();
        tags
    }
    fn known<M: DeserializeOwned>(tags: &[String]) {
        let error = serde_json::from_str::<M>("\"nothing like this\"").err().map(|error| error.to_string());
        let error = error.expect("there is no such variant");
        let known: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        let mut known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        known.sort();
        assert_eq!(tags, known, "{error}");
    }
    known::<Request>(&tags(&requests()));
    known::<Answer>(&tags(&answers()));
    known::<DebuggerAnswer>(&tags(&reports()));
    known::<SourceAnswer>(&tags(&source_answers()));
    known::<Task>(&tags(&tasks()));
    known::<Question>(&tags(&questions()));
    known::<LessonRequest>(&tags(&lesson_requests()));
    known::<LessonAnswer>(&tags(&lesson_answers()));
}

#[test]
fn a_missing_or_wrong_field_is_an_error() {
    let missing = r#"{"inspect":{"serial":1,"version":2}}"#;
    let error = serde_json::from_str::<Request>(missing).expect_err("the id is missing").to_string();
    assert!(error.contains("missing field `id`"), "{error}");
    for wrong in
        [r#"{"inspect":{"serial":1,"version":2,"id":"7"}}"#, r#"{"inspekt":{}}"#, r#"{"open":{"shown":3}}"#]
    {
        assert!(serde_json::from_str::<Request>(wrong).is_err(), "{wrong}");
    }
    let incomplete = serde_json::from_str::<Table<SpanEntry>>("[0,0,0,0]");
    assert!(incomplete.is_err_and(|error| error.to_string().contains("ends within an entry")));
    assert!(serde_json::from_str::<Utf8>("[255]").is_err(), "not UTF-8");
}

#[test]
fn tags_are_the_names_that_scripts_use() {
    assert_eq!(round(&Request::Words), r#""words""#);
    assert_eq!(round(&Request::ReadLink("1".to_owned())), r#"{"readLink":"1"}"#);
    let fault = Fault { message: "m".to_owned() };
    // Workers send this form themselves when their module does not load.
    assert_eq!(round(&Answer::Fault(fault.clone())), r#"{"fault":{"message":"m"}}"#);
    assert_eq!(round(&DebuggerAnswer::Fault(fault)), r#"{"fault":{"message":"m"}}"#);
}

#[test]
fn markup_and_scripts_name_overlays_alike() {
    for &kind in OverlayKind::ALL {
        assert_eq!(serde_json::to_string(&kind).ok(), Some(format!("\"{}\"", kind.name())));
        assert_eq!(OverlayKind::named(kind.name()), Some(kind));
    }
    assert_eq!(OverlayKind::named("4"), None);
}

#[test]
fn layouts_are_in_the_order_of_their_fields() {
    let of = |count: u32| (1..=count).collect::<Vec<u32>>();
    let span = SpanEntry { start: 1, len: 2, class: 3, link: 4, id: 5 };
    assert_eq!(Table::<SpanEntry>::from_words(of(5)).entries(), [span]);
    let block = BlockEntry {
        id: 1,
        rect: [2, 3, 4, 5],
        first_line: 6,
        lines: 7,
        flags: 8,
        cut: 9,
        innermost_loop: 10,
        insts: 11,
        fold: 12,
    };
    assert_eq!(Table::<BlockEntry>::from_words(of(12)).entries(), [block]);
    assert_eq!(
        Table::<LoopEntry>::from_words(of(6)).entries(),
        [LoopEntry { rect: [1, 2, 3, 4], depth: 5, header: 6 }]
    );
    assert_eq!(Table::<HiddenEntry>::from_words(of(2)).entries(), [HiddenEntry { block: 1, shown_in: 2 }]);
    let head = ColumnEntry { widest: 1, added: 2, gone: 3, changed: 4, moved: 5 };
    assert_eq!(Table::<ColumnEntry>::from_words(of(5)).entries(), [head]);
    let line = InspectEntry { section: 1, action: 2, first: 3, second: 4 };
    assert_eq!(Table::<InspectEntry>::from_words(of(4)).entries(), [line]);
    assert_eq!(Table::<OriginEntry>::from_words(of(3)).entries(), [OriginEntry { id: 1, start: 2, len: 3 }]);
    let row =
        MemoryEntry { kind: 1, segment: 2, start: 3, bytes: 4, access: 5, detail: 6, count: 7, track: 8 };
    assert_eq!(Table::<MemoryEntry>::from_words(of(8)).entries(), [row]);
    let mark = OverlayEntry { id: 1, style: 2, level: 3, words: 4 };
    assert_eq!(Table::<OverlayEntry>::from_words(of(4)).entries(), [mark]);
    assert_eq!(
        Table::<ExecutionEntry>::from_words(of(4)).entries(),
        [ExecutionEntry { place: [1, 2], count: [3, 4] }]
    );
    assert_eq!(
        Table::<FoundEntry>::from_words(of(3)).entries(),
        [FoundEntry { block: 1, id: 2 }],
        "an incomplete entry is left out"
    );
}

#[test]
fn entries_of_different_lengths_are_read_one_after_the_other() {
    let table = Table::from_numbers(vec![1, 0, 10, 11, -5, 6, 2, 1, 2, -3, 4, 0, 1, 11, 10, 0, 0, 0, 7, 7]);
    let all: Vec<_> = edges(&table).collect();
    let first = EdgeEntry { kind: 1, back: 0, from: 10, to: 11, label_at: [-5, 6], points: 2 };
    assert_eq!((all.len(), all[0].0, all[0].1), (2, first, &[[1, 2], [-3, 4]][..]));
    assert!(all[1].1.is_empty());
    let mut written = EdgeTable::default();
    all.iter()
        .for_each(|&(edge, points)| written.push(EdgeEntry { points: 0, ..edge }, points.iter().copied()));
    assert_eq!(written.finish().words(), &table.words()[..18]);
    let long = Table::from_words(vec![0, 0, 0, 0, 0, 0, u32::MAX]);
    assert_eq!(edges(&long).count(), 0);

    let table = Table::from_words((0..24).collect());
    let rows: Vec<_> = column_rows(&table, 2).collect();
    assert_eq!((rows.len(), rows[1].0), (2, RowEntry { number: 11, folded: 12, label: 13 }));
    assert_eq!(
        rows[0].1,
        [
            CellEntry { line: 3, mark: 4, number: 5, indent: 6 },
            CellEntry { line: 7, mark: 8, number: 9, indent: 10 }
        ]
    );
    let mut written = ColumnRows::with_capacity(2, 2);
    rows.iter().for_each(|(row, cells)| written.push(*row, cells));
    assert_eq!(written.finish().words(), &table.words()[..22]);
}

#[test]
fn numbers_of_entries_are_those_of_their_enums() {
    let actions = [
        InspectAction::Nothing,
        InspectAction::Use(3),
        InspectAction::Version(1, None),
        InspectAction::Version(1, Some(0)),
        InspectAction::Input(5, 2),
        InspectAction::Select(4),
        InspectAction::Memory(4),
    ];
    let numbers = [[0, 0, 0], [1, 3, 0], [2, 1, 0], [2, 1, 1], [3, 5, 2], [4, 4, 0], [5, 4, 0]];
    for (action, [number, first, second]) in actions.into_iter().zip(numbers) {
        let entry = InspectEntry::new(InspectSection::Later, action);
        assert_eq!(entry, InspectEntry { section: 4, action: number, first, second });
        assert_eq!((entry.section(), entry.action()), (Some(InspectSection::Later), action));
    }
    for number in 0..6 {
        let entry = Table::<MemoryEntry>::from_numbers(vec![number, 0, 0, 0, 0, 0, 0, 0]).entries()[0];
        assert_eq!(entry.kind() as i32, number);
    }
    assert_eq!(MemoryKind::Remark as i32, 5);
    assert!((0..5).all(|number| Mark::numbered(number) as u8 == number));
}

#[test]
fn the_workers_of_glsl_and_slang_write_and_read_these_bytes() {
    // `www/frontend.js` has the same order of fields.
    let request = SourceRequest {
        revision: 300,
        text: "ab".to_owned(),
        name: "c".to_owned(),
        stage: "frag".to_owned(),
        entry: "d".to_owned(),
        options: "e".to_owned(),
    };
    let wanted = [0xac, 2, 2, b'a', b'b', 1, b'c', 4, b'f', b'r', b'a', b'g', 1, b'd', 1, b'e'];
    assert_eq!(postcard::to_allocvec(&request).expect("it is encoded"), wanted);
    let translation = Translation { words: Bytes(vec![3, 2]), log: "d".to_owned(), ..Translation::default() };
    let answer = SourceAnswer::Done { revision: 300, translation };
    assert_eq!(postcard::to_allocvec(&answer).expect("it is encoded"), [0, 0xac, 2, 2, 3, 2, 0, 1, b'd', 0]);
}
