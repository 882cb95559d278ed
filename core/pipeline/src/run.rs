//! The loop that runs passes: skip, run, compare, validate, record.
//!
//! The requirements of a pass are checked before it runs ([`skip`]). A pass that changed nothing in a
//! function is not run on it again until the function has changed, and a pass that occurs several times is
//! not run while the program is the same. This makes the last iteration of a `fix` group cheap, and also
//! repeated passes in a pipeline. Independent of individual passes.

use super::parse::{Entry, PassUse};
use super::skip::{self, Skip};
use super::stats::Stats;
use super::trace::{Outcome, Trace, TraceStep};
use super::{Pipeline, cycle, diff};
use rustc_hash::FxHashMap;
use vitrine_analysis::Analyses;
use vitrine_analysis::validate::{validate, validate_func};
use vitrine_ir::base::EntityId;
use vitrine_ir::{Anchor, Diag, Diags, Epoch, Fuel, Func, FuncBody, Journal, Module, Opened};
use vitrine_passes::{Journals, PassContext, PassInfo, RunFn};

/// Settings of a run.
pub struct Settings<'c> {
    /// Number of entries to run, from the first; `None` for all.
    pub entries: Option<usize>,
    /// Limit of rewrites by all passes together.
    pub fuel: Fuel,
    /// If set, validates after each pass that changed something.
    pub validate: bool,
    /// A clock in nanoseconds with any origin, to measure times.
    pub clock: Option<&'c mut dyn FnMut() -> u64>,
    /// Called before each pass with the number of completed passes and the name, to show progress.
    pub watch: Option<&'c mut dyn FnMut(usize, &'static str)>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings { entries: None, fuel: Fuel::UNLIMITED, validate: true, clock: None, watch: None }
    }
}

/// Runs one pass, given by its text, on one function. Returns true if it changed anything, and its journal.
///
/// For tests and tools; does not validate. Errors: those of [`Pipeline::parse`] and of the pass, and `L004`
/// for a text that is not one pass.
pub fn run_pass(module: &mut Module, func: Func, text: &str) -> Result<(bool, Journal), Diag> {
    let pipeline = Pipeline::parse(text)?;
    let [Entry::Pass(used)] = &pipeline.entries[..] else {
        return Err(Diag::error("L004", Anchor::Module).says(format!("`{text}` is not one pass")));
    };
    let before = module.clone();
    let mut journal = used.pass.on(module, func, &used.options, &mut Fuel::default())?;
    let differs = name_all(used.pass, func, &before, module, &mut journal);
    Ok((differs, journal))
}

/// Adds an event for every difference between two versions of a function that the journal of the pass does not contain;
/// returns true if they differ.
fn name_all(pass: &PassInfo, func: Func, before: &Module, after: &Module, journal: &mut Journal) -> bool {
    let found = diff::function(before, after, func);
    if let (Some(old), Some(new)) = (before.func(func), after.func(func)) {
        found.name_all(journal, |event| pass.reason_for(old, new, event));
    }
    !found.is_empty()
}

/// The result of [`alone`]: the program, the events that the pass recorded for each function, and the fuel.
pub struct Alone {
    /// The program after the pass.
    pub module: Module,
    /// The events of each function.
    pub journals: Journals,
    /// What is left of the fuel.
    pub fuel: Fuel,
}

/// Runs one pass, given by its text, on every function, without comparison and validation.
///
/// Errors: as [`run_pass`].
pub fn alone(module: &Module, text: &str, mut fuel: Fuel) -> Result<Alone, Diag> {
    let pipeline = Pipeline::parse(text)?;
    let [Entry::Pass(used)] = &pipeline.entries[..] else {
        return Err(Diag::error("L004", Anchor::Module).says(format!("`{text}` is not one pass")));
    };
    let mut module = module.clone();
    let journals = match used.pass.run {
        RunFn::Module(run) => {
            let cx = PassContext { options: &used.options, analyses: &mut Analyses::new() };
            run(&mut module, cx, &mut fuel)?
        }
        RunFn::Edits(_) | RunFn::Rebuilds(_) | RunFn::Function(_) => {
            let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
            let mut journals = Vec::new();
            for func in funcs {
                journals.push((func, used.pass.on(&mut module, func, &used.options, &mut fuel)?));
            }
            journals
        }
    };
    Ok(Alone { module, journals, fuel })
}

pub(super) fn run(
    pipeline: &Pipeline,
    module: &Module,
    settings: Settings<'_>,
    trace: Option<&mut Trace>,
) -> Result<Module, Diag> {
    let entries = settings.entries.unwrap_or(usize::MAX).min(pipeline.entries.len());
    let stats = trace.as_ref().map_or(Stats::default(), |trace| trace.stats);
    let mut runner = Runner {
        module: module.clone(),
        settings,
        trace,
        stats,
        settled: FxHashMap::default(),
        opened: FxHashMap::default(),
        analyses: Analyses::new(),
        rests: FxHashMap::default(),
        version: 0,
        iterations: Vec::new(),
        groups: 0,
        group: 0,
        active: Vec::new(),
        done: 0,
        used: 0,
    };
    runner.all(pipeline.entries.get(..entries).unwrap_or(&[]))?;
    Ok(runner.module)
}

/// A pass that runs on the whole module.
type ModulePass = fn(&mut Module, PassContext<'_>, &mut Fuel) -> Result<Journals, Diag>;

struct Runner<'r, 'c> {
    module: Module,
    settings: Settings<'c>,
    trace: Option<&'r mut Trace>,
    /// Statistics of the current module.
    stats: Stats,
    /// By pass of the pipeline and function: the epoch at which the pass had nothing to do.
    settled: FxHashMap<(usize, Func), Epoch>,
    /// By function: the editor data that the last pass left, if it changed nothing.
    opened: FxHashMap<Func, Opened>,
    /// The analyses that passes asked for.
    analyses: Analyses,
    /// By pass and options, independent of position: the version that the pass left unchanged, or would have.
    rests: FxHashMap<usize, u64>,
    /// Number of distinct versions.
    version: u64,
    iterations: Vec<u32>,
    /// Number of groups that began, and the number of the innermost one that runs, from 1.
    groups: u32,
    group: u32,
    /// Passes that changed something in the current iteration of the innermost `fix`, by their text.
    active: Vec<String>,
    /// Number of passes that ran.
    done: usize,
    /// Fuel consumed before the current pass.
    used: u64,
}

impl Runner<'_, '_> {
    /// Runs entries; returns true if any changed anything. Recursion is bounded by `MOST_DEPTH`.
    fn all(&mut self, entries: &[Entry]) -> Result<bool, Diag> {
        let mut changed = false;
        for entry in entries {
            changed |= match entry {
                Entry::Pass(used) => self.pass(used)?,
                Entry::Fix(iterations, inner) => self.grouped(|runner| runner.fix(*iterations, inner))?,
                Entry::Repeat(times, inner) => self.grouped(|runner| runner.repeat(*times, inner))?,
                Entry::Preset(inner) => self.all(inner)?,
            };
        }
        Ok(changed)
    }

    /// Runs a group under its own number, which its steps record.
    fn grouped(&mut self, run: impl FnOnce(&mut Self) -> Result<bool, Diag>) -> Result<bool, Diag> {
        self.groups += 1;
        let outer = std::mem::replace(&mut self.group, self.groups);
        let changed = run(self)?;
        self.group = outer;
        Ok(changed)
    }

    fn repeat(&mut self, times: u32, entries: &[Entry]) -> Result<bool, Diag> {
        let mut changed = false;
        for iteration in 0..times {
            self.iterations.push(iteration);
            changed |= self.all(entries)?;
            self.iterations.pop();
        }
        Ok(changed)
    }

    /// Iterates until nothing changes, or until a program recurs.
    fn fix(&mut self, most: u32, entries: &[Entry]) -> Result<bool, Diag> {
        let mut changed = false;
        // Most groups settle in three iterations: only the others are checked for cycles.
        let mut seen: Vec<(u64, Vec<String>)> = Vec::new();
        let outer = std::mem::take(&mut self.active);
        for iteration in 0..most {
            self.active.clear();
            self.iterations.push(iteration);
            let progressed = self.all(entries)?;
            self.iterations.pop();
            changed |= progressed;
            if !progressed {
                break;
            }
            if iteration >= 2 {
                let print = cycle::fingerprint(&self.module);
                if let Some(at) = seen.iter().position(|(known, _)| *known == print) {
                    let names = seen[at + 1..].iter().flat_map(|(_, names)| names.clone());
                    self.note_cycle(names.chain(self.active.clone()).collect());
                    break;
                }
                seen.push((print, self.active.clone()));
            }
            if iteration + 1 == most {
                self.note_unsettled(most);
            }
        }
        let inner = std::mem::replace(&mut self.active, outer);
        self.active.extend(inner);
        Ok(changed)
    }

    fn note_cycle(&mut self, mut names: Vec<String>) {
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        let diag = Diag::warning("L005", Anchor::Module)
            .says(format!("these passes undo each other: {}", names.join(", ")))
            .help("stopped because the program recurred");
        if let Some(trace) = &mut self.trace {
            trace.notes.push(diag);
        }
    }

    fn note_unsettled(&mut self, most: u32) {
        let mut names = self.active.clone();
        names.sort_unstable();
        names.dedup();
        let diag = Diag::warning("L006", Anchor::Module)
            .says(format!("still changing after {most} iterations: {}", names.join(", ")))
            .help("allow more iterations, as in `fix(20: …)`");
        if let Some(trace) = &mut self.trace {
            trace.notes.push(diag);
        }
    }

    fn now(&mut self) -> u64 {
        self.settings.clock.as_mut().map_or(0, |clock| clock())
    }

    fn pass(&mut self, used: &PassUse) -> Result<bool, Diag> {
        if let Some(watch) = self.settings.watch.as_mut() {
            watch(self.done, used.pass.name);
        }
        self.done += 1;
        self.used = self.settings.fuel.used();
        if let Some(skip) = skip::cannot(used.pass, &self.module).or_else(|| self.is_settled(used)) {
            self.record(used, Vec::new(), Outcome::Unchanged, 0);
            if let Some(step) = self.trace.as_mut().and_then(|trace| trace.steps.last_mut()) {
                step.skipped = Some(skip);
            }
            return Ok(false);
        }
        let before = self.module.clone();
        let start = self.now();
        let done = match used.pass.run {
            RunFn::Module(run) => self.on_module(used, run, &before),
            RunFn::Edits(_) | RunFn::Rebuilds(_) | RunFn::Function(_) => self.on_functions(used, &before),
        };
        let nanos = self.now().saturating_sub(start);
        let journals = match done {
            Ok(journals) => journals,
            Err(diag) => {
                self.module = before;
                self.record(used, Vec::new(), Outcome::Failed(diag.clone()), nanos);
                return Err(diag);
            }
        };
        if journals.is_empty() && self.module.same_declarations(&before) {
            if !self.settings.fuel.is_out() {
                self.rests.insert(used.first, self.version);
            }
            self.record(used, journals, Outcome::Unchanged, nanos);
            return Ok(false);
        }
        self.version += 1;
        let wrong = self.what_is_wrong(&before, &journals);
        self.active.push(used.to_string());
        if let Some(first) = wrong.first() {
            let error = bug(used.pass.name, first);
            self.record(used, journals, Outcome::Invalid(wrong), nanos);
            return Err(error);
        }
        self.record(used, journals, Outcome::Changed, nanos);
        Ok(true)
    }

    /// The reason to skip the pass: it had nothing to do when it last ran, and nothing has changed since.
    fn is_settled(&self, used: &PassUse) -> Option<Skip> {
        let rests = self.rests.get(&used.first) == Some(&self.version);
        let known = |(func, body): (Func, &FuncBody)| {
            self.settled.get(&(used.number, func)) == Some(&body.data_epoch())
        };
        let mut bodies = self.module.funcs().peekable();
        (rests || bodies.peek().is_some() && bodies.all(known)).then_some(Skip::Settled)
    }

    /// Runs the pass on each function; returns the journals of the functions that differ.
    fn on_functions(&mut self, used: &PassUse, before: &Module) -> Result<Journals, Diag> {
        let mut journals = Vec::new();
        for func in before.funcs().map(|(func, _)| func) {
            if let Some(journal) = self.on_function(used, func, before)? {
                journals.push((func, journal));
            }
        }
        Ok(journals)
    }

    /// Runs a pass on the whole module. A function that was added or removed counts as one that differs.
    fn on_module(&mut self, used: &PassUse, run: ModulePass, before: &Module) -> Result<Journals, Diag> {
        let cx = PassContext { options: &used.options, analyses: &mut self.analyses };
        let mut of_pass = run(&mut self.module, cx, &mut self.settings.fuel)?;
        let mut journals = Vec::new();
        let most = before.sizes()[2].max(self.module.sizes()[2]);
        for func in (0..most).map(Func::from_index) {
            let mine = of_pass.iter().position(|&(at, _)| at == func);
            let mut journal = mine.map(|at| of_pass.swap_remove(at).1).unwrap_or_default();
            let differs = match (before.func(func), self.module.func(func)) {
                (None, None) => false,
                (Some(_), None) | (None, Some(_)) => true,
                (Some(_), Some(_)) => self.compare(used.pass, func, before, &mut journal),
            };
            if differs {
                journals.push((func, journal));
            }
        }
        Ok(journals)
    }

    /// Runs the pass on a function; returns the journal if anything changed.
    fn on_function(&mut self, used: &PassUse, func: Func, before: &Module) -> Result<Option<Journal>, Diag> {
        let key = (used.number, func);
        let Some(old) = before.func(func) else { return Ok(None) };
        if self.settled.get(&key) == Some(&old.data_epoch()) {
            return Ok(None);
        }
        let mut opened = self.opened.remove(&func);
        let fuel = &mut self.settings.fuel;
        let cx = PassContext { options: &used.options, analyses: &mut self.analyses };
        let mut journal = used.pass.on_opened(&mut self.module, func, cx, fuel, &mut opened)?;
        self.opened.extend(opened.map(|opened| (func, opened)));
        let Some(new) = self.module.func(func) else { return Ok(Some(journal)) };
        let epoch = new.data_epoch();
        let touched = !new.same_version(old);
        let differs = touched && self.compare(used.pass, func, before, &mut journal);
        if !differs || used.pass.idempotent {
            self.settled.insert(key, epoch);
        }
        Ok(differs.then_some(journal))
    }

    /// Returns true if the function differs; adds missing events to the journal if it is recorded.
    fn compare(&self, pass: &PassInfo, func: Func, before: &Module, journal: &mut Journal) -> bool {
        if self.trace.is_none() {
            return diff::differs(before, &self.module, func);
        }
        name_all(pass, func, before, &self.module, journal)
    }

    fn what_is_wrong(&self, before: &Module, journals: &[(Func, Journal)]) -> Diags {
        if !self.settings.validate {
            return Vec::new();
        }
        // Declarations belong to the module: a pass that changes them is checked as a whole.
        if !before.same_declarations(&self.module) || before.sizes() != self.module.sizes() {
            return validate(&self.module);
        }
        journals.iter().flat_map(|&(func, _)| validate_func(&self.module, func)).collect()
    }

    fn record(&mut self, used: &PassUse, journals: Vec<(Func, Journal)>, outcome: Outcome, nanos: u64) {
        let Some(trace) = &mut self.trace else { return };
        if matches!(outcome, Outcome::Changed | Outcome::Invalid(_)) {
            self.stats = Stats::of(&self.module);
        }
        trace.steps.push(TraceStep {
            pass: used.pass.name,
            label: String::new(),
            options: used.spelled_options(),
            number: used.number,
            row: used.row,
            iterations: self.iterations.clone(),
            group: self.group,
            version: self.module.clone(),
            journals,
            rewrites: self.settings.fuel.used() - self.used,
            stats: self.stats,
            outcome,
            skipped: None,
            nanos,
        });
    }
}

/// A pass that leaves an invalid program has a bug; the diagnostic names the pass and the error.
fn bug(pass: &str, diag: &Diag) -> Diag {
    Diag::error("L003", diag.at)
        .says(format!("`{pass}` has a bug: it leaves an invalid program: {}", diag.message()))
        .help("please report it with this program")
}
