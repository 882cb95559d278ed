//! The debug table: it is read from what compilers write, survives passes, SPIR-V and the text form, and is shown.
//!
//! `tile.spvasm` is of glslang, `light-O0.spvasm` and `light-O3.spvasm` are of DXC. With glslangValidator, the GLSL of the own
//! corpus is compiled with debug information, too.

use super::{is_shared, kept, percent, run};
use crate::testing::corpus::own;
use crate::testing::glslang::Glslang;
use crate::testing::spirv_val::SpirvVal;
use std::collections::BTreeMap;
use std::fs;
use vitrine_core::back::{Source, named};
use vitrine_core::front;
use vitrine_core::ir::{Binding, Debug, DebugArg, DebugTable, Held, Level, Module};
use vitrine_core::pipeline::{PASSES, write};
use vitrine_core::text::{parse, print_module};
use vitrine_core::view_model::debugger::Debugger;
use vitrine_core::view_model::{Session, Shown};
use vitrine_protocol::{Report, StepCommand, Task};

const TILE: &str = include_str!("../../lines/tile.spvasm");
const LIGHT: &str = include_str!("../../lines/light-O0.spvasm");
const OPTIMIZED: &str = include_str!("../../lines/light-O3.spvasm");

fn module(text: &[u8]) -> Module {
    let read = front::read(text).1;
    assert!(read.diags.iter().all(|diag| diag.level == Level::Note), "{:?}", read.diags);
    read.module
}

/// Shaders whose debug information glslang 12 reads out of bounds when it writes it: it crashes on some machines, and writes
/// other tables on others.
const CRASHES: [&str; 3] = ["array-of-arrays", "private-globals", "specialization"];

/// Programs with a debug table.
fn programs(test: &str) -> Vec<(String, Module)> {
    let mut all: Vec<(String, Module)> = [("tile", TILE), ("light", LIGHT), ("optimized", OPTIMIZED)]
        .map(|(name, text)| (name.to_owned(), module(text.as_bytes())))
        .into();
    let glslang = Glslang::new(test);
    for folder in ["control", "memory", "values", "stages"] {
        if !glslang.installed {
            break;
        }
        let mut files: Vec<_> =
            fs::read_dir(own().join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for path in files {
            let stage = path.extension().map_or("", |end| end.to_str().unwrap_or(""));
            if ["comp", "frag", "vert"].contains(&stage) {
                let text = fs::read_to_string(&path).unwrap();
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if CRASHES.contains(&name.as_str()) {
                    continue;
                }
                let Ok(words) = glslang.compile_with(&text, stage, &["-gVS"]) else { continue };
                all.push((
                    path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                    module(&words),
                ));
            }
        }
    }
    assert!(!glslang.installed || all.len() >= 20, "only {} programs have a table", all.len());
    all
}

fn written(module: &Module) -> Vec<u8> {
    let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
    let written = write(&Source::new(module, &funcs), named("spirv").unwrap(), false);
    written.unwrap_or_else(|diags| panic!("{diags:?}")).bytes
}

/// An entry with everything that it refers to.
fn whole(module: &Module, entry: Debug) -> String {
    let table = module.debug();
    let mut words = Vec::new();
    let mut work = vec![DebugArg::Entry(entry)];
    while let Some(arg) = work.pop() {
        match arg {
            DebugArg::None => words.push("none".to_owned()),
            DebugArg::Number(number) => words.push(number.to_string()),
            DebugArg::Text(text) => words.push(format!("{:?}", module.text_of(text))),
            DebugArg::Entry(entry) => {
                let entry = table.entry(entry).unwrap();
                words.push(format!("{}/{}", entry.kind.name(), entry.args.len()));
                work.extend(entry.args.iter().rev());
            }
        }
    }
    words.join(" ")
}

/// Everything that a module reaches of its table, by what it describes.
fn reached(module: &Module) -> BTreeMap<String, usize> {
    let table = module.debug();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |text: String| *found.entry(text).or_default() += 1;
    let binding = |of: Binding| {
        let scope = of.scope.map(|scope| whole(module, scope));
        format!("{:?} {} in {scope:?}", of.held, whole(module, of.variable))
    };
    for (_, bindings) in table.bound_vars().filter(|&(var, _)| module.var(var).is_some()) {
        bindings.iter().for_each(|&of| add(binding(of)));
    }
    for (func, entry) in table.bound_funcs().filter(|&(func, _)| module.func(func).is_some()) {
        let entry = whole(module, entry);
        add(format!("{func} {entry}"));
    }
    for (_, body) in module.funcs() {
        body.params().iter().flat_map(|&param| body.bindings(param)).for_each(|&of| add(binding(of)));
        body.for_each_inst(|_, inst| {
            body.bindings(inst).iter().for_each(|&of| add(binding(of)));
            if !body.inst(inst).op.props().removable() {
                let scope = body.origin(inst).scope.map(|scope| whole(module, scope));
                add(format!("line {} {scope:?}", body.origin(inst).line));
            }
        });
    }
    found
}

#[test]
fn functions_variables_and_types_are_read() {
    let module = module(LIGHT.as_bytes());
    let text = print_module(&module);
    for line in [
        "= function name \"shine\", ",
        "= composite name \"Light\", tag 1, ",
        "= member name \"power\", ",
        "= local name \"other\", ",
        "= matrix of ",
        "= block source ",
        "= entry_point function ",
    ] {
        // DXC writes a matrix as an array, and an entry point only for the shader model.
        let absent = ["= matrix of ", "= entry_point function "].contains(&line);
        assert_eq!(text.contains(line), !absent, "{line}\n{text}");
    }
    let tile = print_module(&self::module(TILE.as_bytes()));
    assert!(tile.contains(", column_major 1"), "{tile}");
    let bound: Vec<String> =
        tile.lines().filter(|line| line.starts_with("debug $value_")).map(str::to_owned).collect();
    assert_eq!(bound.len(), 1, "{tile}");
}

#[test]
fn values_of_optimized_programs_are_bound() {
    let module = module(OPTIMIZED.as_bytes());
    let held = reached(&module).into_keys().filter(|key| key.starts_with("Value")).count();
    assert!(held >= 8, "{:#?}", reached(&module));
    let text = print_module(&module);
    assert!(text.contains("%lit_"), "values have the names of the source: {text}");
}

#[test]
fn spirv_that_is_written_has_the_same_table() {
    let validator = SpirvVal::new("scopes-written");
    let file = validator.folder.join("written.spv");
    for (name, module) in programs("scopes-spirv").into_iter().take(40) {
        let bytes = written(&module);
        assert_eq!(bytes, written(&module), "{name} is written the same each time");
        if validator.installed {
            fs::write(&file, &bytes).unwrap();
            for environment in ["spv1.6", "vulkan1.3"] {
                validator.accepts(&file, environment).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        let again = self::module(&bytes);
        assert_eq!(reached(&module), reached(&again), "{name}");
        let facts = |module: &Module| -> Vec<String> {
            let all = module.facts.iter().filter(|fact| ["file", "source"].contains(&fact.key.name()));
            all.map(|fact| module.text_of(fact.value).to_owned()).collect()
        };
        assert_eq!(facts(&module), facts(&again), "{name}: files are written once");
    }
}

#[test]
fn the_text_form_has_the_table() {
    for (name, module) in programs("scopes-text").into_iter().take(24) {
        let after = run(&module, "ingest, O2").unwrap_or_else(|| module.clone());
        for module in [&module, &after] {
            let text = print_module(module);
            let parsed = parse(&text);
            assert!(parsed.diags.is_empty(), "{name}: {:?}", parsed.diags);
            assert_eq!(print_module(&parsed.module), text, "{name}");
            assert_eq!(
                reached(&parsed.module).keys().filter(|key| !key.starts_with("line")).collect::<Vec<_>>(),
                reached(module).keys().filter(|key| !key.starts_with("line")).collect::<Vec<_>>(),
                "{name}"
            );
        }
    }
}

/// Numbers of instructions, and of those with a scope.
fn scopes(module: &Module) -> [usize; 2] {
    let mut counts = [0, 0];
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            if !is_shared(body, inst) {
                counts[0] += 1;
                counts[1] += usize::from(body.origin(inst).scope.is_some());
            }
        });
    }
    counts
}

/// Passes that keep fewer, as they do of lines.
const BELOW: [&str; 2] = ["io-to-temporaries", "lower-variable-initializers"];

#[test]
fn passes_keep_the_scopes_of_at_least_95_percent() {
    let mut all: BTreeMap<&str, [[usize; 2]; 2]> = BTreeMap::new();
    let mut count = |of: &'static str, before: [usize; 2], after: [usize; 2]| {
        let sums = all.entry(of).or_default();
        for at in [0, 1] {
            sums[0][at] += before[at];
            sums[1][at] += after[at];
        }
    };
    let programs = programs("scopes-passes");
    let is_sampled = programs.len() > 3;
    let mut inputs = [0, 0];
    for (number, (_, module)) in programs.into_iter().enumerate() {
        let input = scopes(&module);
        inputs = [inputs[0] + input[0], inputs[1] + input[1]];
        for preset in ["ingest, O1", "ingest, O2"] {
            count(preset, input, scopes(&run(&module, preset).unwrap_or_else(|| module.clone())));
        }
        // A sample for each pass: its rules for lines, which every shader tests, are those for scopes. In the programs of DXC,
        // a function around that of the source has no scopes, and passes that split instructions add more.
        if !(3..12).contains(&number) {
            continue;
        }
        for form in ["structurize{imported}", "ingest"] {
            let Some(start) = run(&module, form) else { continue };
            for pass in PASSES {
                if let Some(after) = run(&start, pass.name) {
                    count(pass.name, scopes(&start), scopes(&after));
                }
            }
        }
    }
    assert!(percent(inputs) >= 85.0, "{inputs:?}");
    let share = |[before, after]: &[[usize; 2]; 2]| kept(*before, *after);
    let low: Vec<_> = all.iter().filter(|(pass, sums)| share(sums) < 95.0 && !BELOW.contains(pass)).collect();
    assert!(low.is_empty(), "these lose scopes: {low:?}");
    assert!(!is_sampled || all.len() >= 30, "only {} passes changed a shader", all.len());
}

#[test]
fn an_inlined_instruction_has_its_chain() {
    let mut session = Session::new();
    session.open(LIGHT.as_bytes(), "ingest, O2");
    let version = session.versions() - 1;
    let text = session.text(version, Shown::Ir).unwrap();
    let defined = text.spans.entries().iter().filter(|span| span.is_definition()).map(|span| span.id);
    let described: Vec<String> = defined.map(|id| session.inspect(version, id).text.text.0).collect();
    let found: Vec<&str> =
        described.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("scope ")).collect();
    let wanted = "scope line 2 in `shine`, inlined at line 15 in `main`";
    assert!(found.contains(&wanted), "{found:#?} in {described:#?}");
}

#[test]
fn the_debugger_has_the_names_of_the_table() {
    // Without the names of SPIR-V, those of the source remain.
    let text: String = TILE
        .lines()
        .filter(|line| {
            !line.trim_start().starts_with("OpName") && !line.trim_start().starts_with("OpMemberName")
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let mut debugger = Debugger::new();
    debugger.give(text.into_bytes());
    debugger.open("", &mut |_, _| {});
    let run = Task::Run {
        entry: Some(0),
        seed: 1,
        version: 0,
        compare: false,
        assignments: String::new(),
        pictures: Vec::new(),
    };
    let step = Task::Step { command: StepCommand::ToSource, line: 16 };
    for task in [run, Task::Debug { target: [0, 0] }, step] {
        debugger.begin(&task);
        while debugger.slice(&mut || true) {}
    }
    let Some(Report::Step(report)) = debugger.report() else { panic!("not a step") };
    let variables = report.source.map(|source| source.variables).unwrap_or_default();
    for of in [("sum", ""), ("i", ""), ("value", ".low"), ("value", ".high"), ("tile", "[0]")] {
        assert!(variables.iter().any(|found| (&*found.name, &*found.path) == of), "{of:?} of {variables:?}");
    }
}

#[test]
fn damaged_debug_information_is_left_out_with_a_note() {
    let words: Vec<u32> = {
        let bytes = written(&module(LIGHT.as_bytes()));
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let set = 12; // OpExtInst
    let (mut at, mut tried, mut noted) = (5, 0, 0);
    let intact = module(&bytes(&words)).debug().len();
    while let Some(&head) = words.get(at) {
        let (count, opcode) = ((head >> 16) as usize, head & 0xffff);
        // The set is the only one whose instructions have no type but void.
        let is_debug = opcode == set && words[at + 4] != 43 && count > 5 && is_void(&words, words[at + 1]);
        for place in (at + 5..at + count).filter(|_| is_debug) {
            // Nothing, itself, the set, an entry of another kind.
            for wrong in [0, words[at + 2], words[at + 3], u32::MAX] {
                let mut damaged = words.clone();
                damaged[place] = wrong;
                let read = front::read(&bytes(&damaged)).1;
                tried += 1;
                noted += usize::from(read.diags.iter().any(|diag| diag.code == "S010"));
                assert!(
                    read.diags.iter().all(|diag| diag.level == Level::Note),
                    "word {place}: {:?}",
                    read.diags
                );
                assert!(read.module.debug().len() <= intact);
                assert!(parse(&print_module(&read.module)).diags.is_empty());
            }
        }
        at += count;
    }
    assert!(tried > 800 && noted * 2 >= tried, "{noted} of {tried} have a note");
}

/// Returns true for the id of `OpTypeVoid`.
fn is_void(words: &[u32], id: u32) -> bool {
    let mut at = 5;
    while let Some(&head) = words.get(at) {
        if head & 0xffff == 19 && words[at + 1] == id {
            return true;
        }
        at += (head >> 16) as usize;
    }
    false
}

#[test]
fn deep_nesting_takes_no_stack() {
    const DEPTH: usize = 20_000;
    // Each block is inside of the next one, each call is inside of the next one, and the last call is inside of the first.
    let mut entries = String::new();
    for at in 0..DEPTH {
        let parent = if at + 1 < DEPTH { format!("%block{}", at + 1) } else { "%main_info".to_owned() };
        entries +=
            &format!("%block{at} = OpExtInst %void %set DebugLexicalBlock %source %one %one {parent}\n");
        let outer = if at + 1 < DEPTH { format!("%call{}", at + 1) } else { String::new() };
        entries += &format!("%call{at} = OpExtInst %void %set DebugInlinedAt %one %block0 {outer}\n");
    }
    let text = |entries: &str, scope: &str| {
        format!(
            "OpCapability Shader\n%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n%name = OpString \"main\"\n\
             %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%one = OpConstant %uint 1\n%type = OpTypeFunction %void\n\
             %source = OpExtInst %void %set DebugSource %name\n\
             %unit = OpExtInst %void %set DebugCompilationUnit %one %one %source %one\n\
             %main_type = OpExtInst %void %set DebugTypeFunction %one %void\n\
             %main_info = OpExtInst %void %set DebugFunction %name %main_type %source %one %one %unit %name %one %one\n\
             {entries}%main = OpFunction %void None %type\n%label = OpLabel\n\
             %scope = OpExtInst %void %set DebugScope {scope}\nOpReturn\nOpFunctionEnd\n"
        )
    };
    let deep = module(text(&entries, "%block0 %call0").as_bytes());
    let (_, body) = deep.funcs().next().unwrap();
    let origin = body.end_origin(body.entry().unwrap());
    assert_eq!(deep.frames(origin).len(), DEPTH + 1);
    let again = module(&written(&run(&deep, "structurize{imported}").unwrap_or(deep)));
    assert!(again.debug().len() > 2 * DEPTH);
    let cyclic = entries.replace("%main_info\n", "%block0\n");
    let cyclic = module(text(&cyclic, "%block0 %call0").as_bytes());
    assert_eq!(cyclic.debug().len(), 4, "a cycle has no entries");
}

#[test]
fn faults_in_the_text_of_the_table_are_reported() {
    let head = "debug 0 = source file \"a\"\ndebug 1 = unit version 1, dwarf 4, source 0, language 2\n";
    for (line, code, part) in [
        ("debug 0 = source file \"b\"", "P003", "already defined"),
        ("debug 2 = sauce file \"b\"", "P011", "`source`"),
        ("debug 2 = source name \"b\"", "P011", "`file`"),
        ("debug 2 = source", "P007", "`file`"),
        ("debug 2 = vector of 1, count 3", "P007", "`of`"),
        ("debug 2 = vector of 7, count 3", "P007", "no entry 7"),
        ("debug $3 = 1", "P007", "this variable"),
        ("debug @3 = 1", "P007", "this function"),
        ("debug @3 %1 = 1", "P007", "neither"),
        ("debug @3 %1 -> 1", "P007", "this value"),
    ] {
        let parsed = parse(&format!("{head}{line}\n"));
        let found: Vec<String> = parsed
            .diags
            .iter()
            .map(|diag| format!("{} {} {}", diag.code, diag.message(), diag.help.clone().unwrap_or_default()))
            .collect();
        assert!(
            found.len() == 1 && found[0].starts_with(code) && found[0].contains(part),
            "{line}: {found:?}"
        );
        assert_eq!(parsed.module.debug().len(), if code == "P003" { 3 } else { 2 }, "{line}");
    }
}

#[test]
fn modules_without_a_table_have_lines_of_their_own() {
    let module = super::read(&super::wgsl(super::LOOP)).module;
    assert!(module.debug().is_empty());
    let text = String::from_utf8_lossy(&written(&module)).into_owned();
    assert!(!text.contains("NonSemantic"), "no debug information is added");
    let stripped = {
        let mut module = self::module(TILE.as_bytes());
        module.strip(str::to_owned);
        module
    };
    assert!(stripped.debug().is_empty() && reached(&stripped).keys().all(|key| key.ends_with("None")));
}

#[test]
fn values_that_lost_one_of_them_are_not_written() {
    let module = module(OPTIMIZED.as_bytes());
    let held = |module: &Module| reached(module).into_keys().filter(|key| key.starts_with("Value")).count();
    let mut damaged = print_module(&module);
    let line = damaged
        .lines()
        .find(|line| line.contains(" value 1 of "))
        .expect("a variable with two values")
        .to_owned();
    damaged = damaged.replace(&format!("{line}\n"), "");
    let parsed = parse(&damaged).module;
    assert_eq!(held(&parsed), held(&module) - 1);
    let again = self::module(&written(&parsed));
    assert!(held(&again) < held(&parsed), "{} of {}", held(&again), held(&parsed));
    let is_value = |binding: &Binding| binding.held != Held::Address;
    let table: &DebugTable = again.debug();
    assert!(table.bound_vars().all(|(_, list)| !list.iter().any(is_value)));
}
