//! From the arguments of `launch` to a kernel that has been executed and can be inspected.

use super::arguments::LaunchArguments;
use super::places::SourceMap;
use super::threads::name;
use super::wire::RequestFailure;
use ptx_gate::files;
use ptx_interp::findings::{Checks, Fault, FaultKind, InstructionSite};
use ptx_interp::inspect::PlacedBuffer;
use ptx_interp::machine::{RunStatus, Settings, WarpId};
use ptx_interp::trace::GridRun;
use ptx_launch::choose::{LaunchChoiceError, LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::{EvaluationError, LaunchModule, LaunchRun};
use ptx_launch::file::{self, Language};
use ptx_launch::files::decode;
use ptx_launch::files::is_markup;
use ptx_launch::guess::GuessReport;
use ptx_launch::inside::folder_of;
use ptx_launch::limit::RunLimit;
use ptx_launch::refusal::LaunchRefusal;
use ptx_launch::verdict::{is_end, unexpected, verdicts};
use ptx_launch::words::{self, LimitAdvice};
use ptx_launch_syntax::Launch;
use ptx_syntax::Snapshot;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kernel that has been executed, with its launch and source positions.
pub struct Debuggee {
    /// The complete launch.
    pub launch: Launch,
    /// The parts of the launch that were guessed.
    pub guessed: GuessReport,
    /// The buffers that the kernel works on.
    pub buffers: Vec<PlacedBuffer>,
    /// The recorded run.
    pub run: Arc<GridRun>,
    /// The source positions of its instructions.
    pub places: SourceMap,
    /// The warp to show first.
    pub first: WarpId,
    /// Stop before the first instruction of that warp.
    pub stop_on_entry: bool,
    /// Stop after the last instruction of the grid.
    pub stop_at_end: bool,
    /// Stop nowhere else, neither at breakpoints nor at findings.
    pub no_debug: bool,
}

/// Maximum size of a program or launch file, in bytes.
const MAX_FILE: u64 = 1 << 30;

/// How limits are raised. A run has no time limit, because the client can cancel it.
const LIMITS: LimitAdvice = LimitAdvice { steps: "`limit` in the launch configuration", seconds: "nothing" };

/// The result of a run, for the user.
#[derive(Debug, Clone)]
pub struct LaunchOutcome {
    /// How the run ended, as a sentence.
    pub ended: String,
    /// Failed expectations and unexpected faults, one line each.
    pub wrong: Vec<String>,
    /// Number of expectations that hold, and number of all expectations.
    pub held: (usize, usize),
    /// How many expectations compare marked values, as the end of a sentence.
    pub marked: String,
    /// True if the run met all expectations.
    pub passed: bool,
}

/// Loads a program and runs the launch that the arguments describe.
///
/// # Errors The failure to show to the user.
pub fn load(arguments: &LaunchArguments, cancelled: &dyn Fn() -> bool) -> Result<Debuggee, RequestFailure> {
    if arguments.program.is_empty() {
        return Err(RequestFailure::shown("`program` is missing: the path of the PTX file"));
    }
    let path = PathBuf::from(&arguments.program);
    let path = if path.is_absolute() { path } else { base(arguments).join(path) };
    let name = path.display().to_string();
    let bytes = read(&path)?;
    let (text, _) = decode(bytes);
    if is_markup(text.chars()) {
        return Err(RequestFailure::shown(format!("`{name}` is XML (PreTeXt), not PTX")));
    }
    let original = match arguments.source.as_deref() {
        None | Some("ptx") => false,
        Some("original") => true,
        Some(other) => return Err(RequestFailure::shown(format!("`source` is `ptx` or `original`, not `{other}`"))),
    };
    let snapshot = Snapshot::new(&text);
    let module = LaunchModule::new(&snapshot);
    let folder = folder_of(&path).to_owned();
    let (launch, files, written) = choose(arguments, &module, &name, &folder)?;
    let settings = settings(arguments)?;
    let entry = launch.entry.to_string();
    let done = module.evaluate(launch, settings, None, Some(&files), cancelled).map_err(|why| match why {
        EvaluationError::Launch(_) => written.refused(&LaunchRefusal::refused(why, &entry, written.in_module)),
        _ => LaunchSource::module(&name, &module).refused(&LaunchRefusal::refused(why, &entry, true)),
    })?;
    if done.run.status == RunStatus::Cancelled {
        return Err(RequestFailure::cancelled());
    }
    let first = first(arguments, &done)?;
    let executable = &done.run.machine.executable;
    let workspace = arguments.cwd.as_ref().map_or_else(|| folder.clone(), PathBuf::from);
    let places = SourceMap::new(executable, &text, path, &workspace, original);
    let LaunchRun { launch, guessed, buffers, run, .. } = done;
    Ok(Debuggee {
        launch,
        guessed,
        buffers,
        run: Arc::new(run),
        places,
        first,
        stop_on_entry: arguments.stop_on_entry.unwrap_or(true) && !arguments.no_debug,
        stop_at_end: arguments.stop_at_end && !arguments.no_debug,
        no_debug: arguments.no_debug,
    })
}

/// The folder that relative paths of the arguments start from.
fn base(arguments: &LaunchArguments) -> PathBuf {
    arguments.cwd.as_ref().map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// The text that contains a launch.
struct LaunchSource {
    name: String,
    text: Arc<str>,
    in_module: bool,
}

impl LaunchSource {
    fn module(name: &str, module: &LaunchModule) -> Self {
        Self { name: name.to_owned(), text: Arc::clone(&module.text), in_module: true }
    }

    /// The failure that tells the user why nothing was run.
    fn refused(&self, why: &LaunchRefusal) -> RequestFailure {
        let line = |offset: usize| self.text.get(..offset).map_or(0, |before| before.matches('\n').count()) + 1;
        RequestFailure::shown(why.located(&self.name, &line))
    }
}

/// The launch, the folder that must contain the files it names, and the text that contains it.
fn choose(
    arguments: &LaunchArguments,
    module: &LaunchModule,
    name: &str,
    folder: &Path,
) -> Result<(Launch, PathBuf, LaunchSource), RequestFailure> {
    use serde_json::Value;
    if let Some(file) = &arguments.launch_file {
        if arguments.launch.is_some() {
            return Err(RequestFailure::shown("`launch` and `launchFile` both say what to run: leave one out"));
        }
        return from_file(&base(arguments).join(file), arguments, module);
    }
    let written = match &arguments.launch {
        None | Some(Value::Null) => LaunchOrigin::Above,
        Some(Value::String(text)) if text.trim().is_empty() => LaunchOrigin::Above,
        Some(Value::String(text)) => LaunchOrigin::Lines(text.clone()),
        Some(table @ Value::Object(_)) => LaunchOrigin::Table(table.clone()),
        Some(_) => {
            return Err(RequestFailure::shown(
                "`launch` is what follows `launch:` above a kernel, or a table of its keys",
            ));
        }
    };
    let source = match &written {
        LaunchOrigin::Above | LaunchOrigin::Nowhere => LaunchSource::module(name, module),
        LaunchOrigin::Lines(text) => {
            LaunchSource { name: "launch".to_owned(), text: text.as_str().into(), in_module: false }
        }
        LaunchOrigin::Table(_) => LaunchSource { name: "launch".to_owned(), text: "".into(), in_module: false },
    };
    let number = arguments.number.unwrap_or(0);
    let question = LaunchQuery { entry: arguments.entry.clone(), at: None, launch: written, number };
    let chosen = module.choose(&question).map_err(|why| match why {
        LaunchChoiceError::Launch(_) => source.refused(&LaunchRefusal::not_chosen(why, source.in_module)),
        LaunchChoiceError::Kernel(_) => {
            LaunchSource::module(name, module).refused(&LaunchRefusal::not_chosen(why, true))
        }
    })?;
    if source.in_module && chosen.launches > 0 && number >= chosen.launches {
        let words = format!("`number` is {number}, but `{}` has {} launches", chosen.launch.entry, chosen.launches);
        return Err(RequestFailure::shown(words));
    }
    Ok((chosen.launch, folder.to_owned(), source))
}

/// Reads a file that the arguments name. The arguments may come from a folder that the user has only opened. Devices
/// and pipes are refused, because they have no end.
fn read(path: &Path) -> Result<Vec<u8>, RequestFailure> {
    let words = |error| RequestFailure::shown(format!("`{}` cannot be read: {error}", path.display()));
    files::read(path, MAX_FILE).map_err(words)
}

/// Reads the launch from a launch file.
fn from_file(
    path: &Path,
    arguments: &LaunchArguments,
    module: &LaunchModule,
) -> Result<(Launch, PathBuf, LaunchSource), RequestFailure> {
    let name = path.display().to_string();
    let text = String::from_utf8(read(path)?)
        .map_err(|error| RequestFailure::shown(format!("`{name}` cannot be read: {error}")))?;
    let source = LaunchSource { name, text: text.into(), in_module: false };
    let (launches, mistakes) = file::launches(&source.text, Language::of(path));
    if !mistakes.is_empty() {
        return Err(source.refused(&LaunchRefusal::launch(&mistakes, false)));
    }
    let wanted = |l: &&Launch| arguments.entry.as_ref().is_none_or(|e| **e == *l.entry || l.entry.is_empty());
    let chosen = launches.iter().filter(wanted).nth(arguments.number.unwrap_or(0));
    let Some(mut launch) = chosen.cloned() else {
        return Err(RequestFailure::shown(format!("`{}` has no such launch", source.name)));
    };
    if launch.entry.is_empty() {
        let kernel = module.kernel(arguments.entry.as_deref(), None).map_err(RequestFailure::shown)?;
        launch.entry = kernel.name.clone();
    }
    Ok((launch, folder_of(path).to_owned(), source))
}

fn settings(arguments: &LaunchArguments) -> Result<Settings, RequestFailure> {
    let kind = |name: &String| {
        FaultKind::optional_named(name)
            .map_err(|why| RequestFailure::shown(format!("`{name}` is not a finding that can be enabled: {why}")))
    };
    let mut checks = Checks::default();
    for (names, wanted) in [(&arguments.find, true), (&arguments.without, false)] {
        for name in names {
            checks = checks.with(kind(name)?, wanted);
        }
    }
    let limit = match arguments.limit {
        Some(0) => return Err(RequestFailure::shown("`limit` is at least 1")),
        Some(limit) => limit,
        None => Settings::default().limit,
    };
    Ok(Settings { limit, checks, ..Settings::default() })
}

/// The warp to show first.
fn first(arguments: &LaunchArguments, done: &LaunchRun) -> Result<WarpId, RequestFailure> {
    let shape = done.run.machine.shape;
    let (cta, warp) = (arguments.cta.unwrap_or([0; 3]), arguments.warp.unwrap_or(0));
    ptx_view::target(&shape, cta, warp).map_err(RequestFailure::shown)
}

impl Debuggee {
    /// The result of a run: of the original one, or of one with changed values.
    pub fn outcome(&self, run: &GridRun) -> LaunchOutcome {
        let machine = &run.machine;
        let line = |site: InstructionSite| self.places.ptx(site).line.line;
        let expectations = &self.launch.expectations;
        let verdicts = verdicts(expectations, machine, &self.buffers, run.status);
        let unexpected = unexpected(expectations, &machine.findings.faults);
        let shape = &machine.shape;
        let fault = |f: &&Fault| {
            let target = WarpId { cta: shape.cta_number(f.cta), warp: f.warp };
            let who = format!("{} of {}", words::lanes(f.lanes), name(shape, target));
            format!("line {}: {}: {}: {who}", line(f.site), f.kind.name(), f.message)
        };
        let failed = verdicts.iter().filter(|v| !v.ok).map(|v| {
            let why = v.message.as_deref().unwrap_or("it does not hold");
            format!("not as expected: {}: {why}", v.name)
        });
        let held = verdicts.iter().filter(|v| v.ok).count();
        let ends = run.status == RunStatus::Finished || expectations.iter().any(is_end);
        let steps = words::grouped(machine.steps);
        let ended = match run.status {
            RunStatus::Finished => format!("finished after {steps} warp instructions"),
            RunStatus::Limit => {
                let limit = if machine.is_exhausted() { RunLimit::Effort } else { RunLimit::Steps };
                let why = words::limited(limit, &machine.settings, &LIMITS);
                format!("stopped at the limit after {steps} warp instructions: {why}")
            }
            RunStatus::Deadlock => format!("deadlock after {steps} warp instructions"),
            status => format!("ended by a {} after {steps} warp instructions", status.name()),
        };
        LaunchOutcome {
            ended: format!("{}: {ended}", self.launch.entry),
            passed: ends && held == verdicts.len() && unexpected.is_empty(),
            held: (held, verdicts.len()),
            marked: words::marked_verdicts(&verdicts),
            wrong: unexpected.iter().map(fault).chain(failed).collect(),
        }
    }
}
