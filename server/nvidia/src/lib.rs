//! NVIDIA's assembler and disassembler as a reference: measurements of a module beside this project's estimates, and its machine
//! code.
//!
//! Neither program is searched for. The caller names the executables and is responsible for them;
//! `docs/decisions/0003-assembler.md` explains how the server makes sure that the user named them. An executable must report
//! its version before it gets a module.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
// In a browser there are no programs.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

pub mod answer;
pub mod compare;
pub mod disassembly;
#[cfg(windows)]
mod job;
pub mod machine;
mod offline;
mod options;
pub mod output;
pub mod run;
#[cfg(unix)]
mod supervisor;
pub mod text;
pub mod ties;
#[cfg(windows)]
mod windows;

pub use offline::{MachineCodeTools, ModuleCode};
#[cfg(unix)]
pub use supervisor::supervise_or_enable;

use output::Listing;
use ptx_gate::files::{self, PrivateFolder};
use run::{RunFailure, RunLimits, Runner};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// Limits of the call that asks for the version; every assembler answers it at once.
const VERSION_LIMITS: RunLimits = RunLimits { time: Duration::from_secs(10), output: 1 << 16 };

/// Maximum size of the assembler's output in bytes; a module of five thousand kernels has about a megabyte of measurements.
const MAX_OUTPUT: usize = 16 << 20;

/// Name of the module in its temporary folder.
const MODULE: &str = "module.ptx";

/// Name of the object file beside it.
const OBJECT: &str = "module.o";

/// A program of NVIDIA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The assembler, which compiles PTX to machine code.
    Ptxas,
    /// The disassembler, which prints machine code.
    Nvdisasm,
}

impl Tool {
    /// Returns the usual name of the program, which is also the section of its settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ptxas => "ptxas",
            Self::Nvdisasm => "nvdisasm",
        }
    }

    /// Returns the page of the documentation that says how to set its path.
    pub fn page(self) -> &'static str {
        match self {
            Self::Ptxas => "docs/ptxas.md",
            Self::Nvdisasm => "docs/sass.md",
        }
    }

    /// Returns the name by which the program introduces itself, in lower case.
    fn title(self) -> &'static str {
        match self {
            Self::Ptxas => "ptx optimizing assembler",
            Self::Nvdisasm => "cuda disassembler",
        }
    }
}

/// Configuration of the assembler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The executable.
    pub path: PathBuf,
    /// Additional options.
    pub arguments: Vec<String>,
    /// Time limit for a module.
    pub limit: Duration,
}

impl Configuration {
    /// Creates a configuration, if the values are valid.
    ///
    /// # Errors
    /// A description of the problem.
    pub fn new(path: &str, arguments: &[String], limit: Duration) -> Result<Self, String> {
        let arguments = arguments.to_vec();
        let path = absolute(path)?;
        options::check(&arguments)?;
        Ok(Self { path, arguments, limit })
    }
}

impl AsRef<Path> for Configuration {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

/// Returns the path of a program, if it is absolute.
///
/// # Errors
/// A description of the problem.
pub fn absolute(path: &str) -> Result<PathBuf, String> {
    let mut path = PathBuf::from(path);
    if path.is_absolute() {
        // Windows runs nothing without an ending, and people leave it out.
        if path.extension().is_none() {
            path.set_extension(std::env::consts::EXE_EXTENSION);
        }
        return Ok(path);
    }
    Err(format!(
        "`{}` is not an absolute path; the program is never looked for, and neither `~` nor variables are replaced",
        path.display()
    ))
}

/// Identifies an executable, so that a replaced one is noticed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExecutableStamp {
    path: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
}

/// A program of NVIDIA's with the version that it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// Which program it is.
    pub tool: Tool,
    /// The executable.
    pub path: PathBuf,
    /// `13.5`
    pub release: String,
    /// `13.5.37`
    pub version: String,
}

/// The reason why there is nothing to compare with.
#[derive(Debug)]
pub enum AssemblerFailure {
    /// There is no such file, or it cannot be run.
    Executable(PathBuf, String),
    /// The program is not the expected one: its path, the expected program, and its answer.
    Stranger(PathBuf, Tool, String),
    /// The assembler does not generate code for the target.
    Target {
        /// The module's target.
        target: String,
        /// The assembler's targets.
        known: Vec<String>,
        /// The assembler's release.
        release: String,
    },
    /// The time limit was exceeded.
    Late(Tool, Duration),
    /// The output limit was exceeded: the limit in bytes.
    Flood(Tool, usize),
    /// A file could not be written.
    Folder(std::io::Error),
    /// The program ended without a message that can be parsed: its answer.
    Silent(Tool, String),
    /// The work was cancelled.
    Cancelled,
}

impl fmt::Display for AssemblerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executable(path, why) => write!(f, "`{}` cannot be run: {why}", path.display()),
            Self::Stranger(path, tool, said) => {
                write!(f, "`{}` is not {}: asked for its version, it said {said}", path.display(), tool.name())
            }
            Self::Target { target, known, release } => {
                let newest = known.iter().filter_map(|k| number(k)).max();
                let newer = number(target).zip(newest).is_some_and(|((wanted, _), (newest, _))| wanted > newest);
                let what = if newer { "a newer ptxas is needed" } else { "the command takes another `target`" };
                write!(f, "ptxas {release} generates no code for {target}; it knows {}: {what}", known.join(" "))
            }
            Self::Late(tool, limit) => write!(
                f,
                "{} did not end within {} s (`ptx-analyzer.ptxas.timeout`), and was stopped; one kernel (`entry`) takes less",
                tool.name(),
                limit.as_secs()
            ),
            Self::Flood(tool, limit) => {
                write!(f, "{} printed more than {} MiB, and was stopped", tool.name(), limit >> 20)
            }
            Self::Folder(error) => write!(f, "the module could not be handed to ptxas: {error}"),
            Self::Silent(tool, how) => write!(f, "{} ended without an answer: {how}", tool.name()),
            Self::Cancelled => f.write_str("the request was cancelled"),
        }
    }
}

/// A module to assemble.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Text of the module.
    pub text: &'a str,
    /// The architecture that its `.target` names, or another one that it may run on.
    pub target: &'a str,
    /// The only kernel to assemble; `None` for all.
    pub entry: Option<&'a str>,
}

/// The output of the assembler for one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblerOutput {
    /// The parsed output.
    pub listing: Listing,
    /// The architecture that code was generated for.
    pub target: String,
    /// Deviations from the request, in words.
    pub notes: Vec<String>,
    /// Duration of the run.
    pub time: Duration,
}

impl ExecutableStamp {
    /// Returns the current state of a file.
    ///
    /// # Errors
    /// If the file cannot be a program.
    pub fn of(path: &Path) -> Result<Self, AssemblerFailure> {
        let fail = |why: String| AssemblerFailure::Executable(path.to_owned(), why);
        let data = files::metadata(path).map_err(|e| fail(e.to_string()))?;
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 == 0 {
            return Err(fail("it is not executable".to_owned()));
        }
        Ok(Self { path: path.to_owned(), length: data.len(), modified: data.modified().ok() })
    }
}

impl ToolInfo {
    /// Asks an executable for its version. It gets no other argument before it has answered.
    ///
    /// # Errors
    /// If the executable cannot be run, or is another program.
    pub fn identify(
        tool: Tool,
        path: &Path,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, AssemblerFailure> {
        ExecutableStamp::of(path)?;
        let _busy = runner.busy();
        let folder = PrivateFolder::new().map_err(AssemblerFailure::Folder)?;
        let mut command = Command::new(path);
        command.arg("--version");
        let stranger = |said: &str| AssemblerFailure::Stranger(path.to_owned(), tool, said.to_owned());
        let (_, said) = match runner.run(command, folder.path(), VERSION_LIMITS, stop) {
            Ok(said) => said,
            Err(RunFailure::Start(error)) => {
                return Err(AssemblerFailure::Executable(path.to_owned(), error.to_string()));
            }
            Err(RunFailure::Late) => return Err(stranger("nothing for 10 seconds")),
            Err(RunFailure::Flood) => return Err(stranger("far too much")),
            Err(RunFailure::Cancelled) => return Err(AssemblerFailure::Cancelled),
        };
        introduction(tool, &said)
            .map(|(release, version)| Self { tool, path: path.to_owned(), release, version })
            .ok_or_else(|| stranger(&quoted(&said)))
    }

    /// Assembles a module, discards the object file and returns the output.
    ///
    /// A target that is older than all of the assembler's targets is replaced by the oldest of them. If declared functions are
    /// not defined, the module is assembled as a relocatable object. Both are recorded in [`AssemblerOutput::notes`].
    ///
    /// # Errors
    /// If the assembler fails. A rejected module is an answer, not an error.
    pub fn assemble(
        &self,
        configuration: &Configuration,
        task: Task<'_>,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<AssemblerOutput, AssemblerFailure> {
        let _busy = runner.busy();
        let folder = PrivateFolder::new().map_err(AssemblerFailure::Folder)?;
        self.assemble_in(&folder, (configuration, &[]), task, runner, stop)
    }

    /// As [`Self::assemble`], in a folder in which the object file stays, and with more options.
    ///
    /// # Errors
    /// If the assembler fails. A rejected module is an answer, not an error.
    fn assemble_in(
        &self,
        folder: &PrivateFolder,
        (configuration, options): (&Configuration, &[&'static str]),
        task: Task<'_>,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<AssemblerOutput, AssemblerFailure> {
        let begin = Instant::now();
        folder.write(MODULE, task.text.as_bytes()).map_err(AssemblerFailure::Folder)?;
        let call = AssemblerCall { assembler: self, configuration, runner, folder: folder.path(), begin, stop };
        let mut target = task.target.to_owned();
        let mut notes = Vec::new();
        let mut more = options.to_vec();
        let mut listing = call.assemble(&target, task.entry, &more)?;
        if listing.errors().any(|m| is_unknown_target(&m.text)) {
            let known = call.targets()?;
            let Some(oldest) = oldest_above(&target, &known) else {
                return Err(AssemblerFailure::Target { target, known, release: self.release.clone() });
            };
            notes.push(format!("ptxas {} no longer generates code for {target}; measured for {oldest}", self.release));
            target = oldest;
            listing = call.assemble(&target, task.entry, &more)?;
        }
        let outside = listing.errors().find_map(|m| unresolved(&m.text)).map(str::to_owned);
        if let Some(name) = outside {
            notes.push(format!(
                "`{name}` is not in this module, so ptxas made a relocatable object (`-c`): calls follow the ABI, which takes more registers"
            ));
            more.push("--compile-only");
            listing = call.assemble(&target, task.entry, &more)?;
        }
        let relocatable = |a: &str| a == "-c" || a == "--compile-only";
        let mut all = more.iter().copied().chain(configuration.arguments.iter().map(String::as_str));
        if all.any(relocatable) {
            // Variables of a relocatable module get their addresses when it is linked, and are not counted before.
            for function in &mut listing.functions {
                function.shared = function.shared.filter(|bytes| *bytes > 0);
            }
        }
        Ok(AssemblerOutput { listing, target, notes, time: begin.elapsed() })
    }
}

impl ToolInfo {
    /// Returns the reason of a failed run, with the limits of the run.
    fn failure(&self, stopped: RunFailure, limit: Duration, output: usize) -> AssemblerFailure {
        match stopped {
            RunFailure::Start(error) => AssemblerFailure::Executable(self.path.clone(), error.to_string()),
            RunFailure::Late => AssemblerFailure::Late(self.tool, limit),
            RunFailure::Flood => AssemblerFailure::Flood(self.tool, output),
            RunFailure::Cancelled => AssemblerFailure::Cancelled,
        }
    }
}

/// The calls of the assembler for one module.
struct AssemblerCall<'a> {
    assembler: &'a ToolInfo,
    configuration: &'a Configuration,
    runner: &'a Runner,
    folder: &'a Path,
    begin: Instant,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl AssemblerCall<'_> {
    fn assemble(&self, target: &str, entry: Option<&str>, more: &[&str]) -> Result<Listing, AssemblerFailure> {
        let mut command = Command::new(&self.assembler.path);
        command.args(&self.configuration.arguments).args(more).args(["--verbose", "--gpu-name", target]);
        if let Some(entry) = entry {
            command.args(["--entry", entry]);
        }
        // Not the null device: an assembler that fails may delete its output file.
        command.args(["--output-file", OBJECT, MODULE]);
        let (status, said) = self.run(command)?;
        let listing = Listing::read(&said);
        if !status.success() && listing.errors().next().is_none() {
            return Err(AssemblerFailure::Silent(Tool::Ptxas, format!("{status}; it said {}", quoted(&said))));
        }
        if status.success() && listing.errors().next().is_some() {
            tracing::debug!("ptxas succeeds with errors: {said}");
        }
        Ok(listing)
    }

    /// Returns the assembler's architectures, parsed from its help because older releases cannot list them.
    fn targets(&self) -> Result<Vec<String>, AssemblerFailure> {
        let mut command = Command::new(&self.assembler.path);
        command.arg("--help");
        Ok(targets(&self.run(command)?.1))
    }

    fn run(&self, command: Command) -> Result<(std::process::ExitStatus, String), AssemblerFailure> {
        let limit = self.configuration.limit;
        let bounds = RunLimits { time: limit.saturating_sub(self.begin.elapsed()), output: MAX_OUTPUT };
        let result = self.runner.run(command, self.folder, bounds, self.stop);
        result.map_err(|stopped| self.assembler.failure(stopped, limit, MAX_OUTPUT))
    }
}

/// Parses release and version from `Cuda compilation tools, release 13.5, V13.5.37`.
fn introduction(tool: Tool, said: &str) -> Option<(String, String)> {
    if !said.to_ascii_lowercase().contains(tool.title()) {
        return None;
    }
    let (_, rest) = said.split_once("release ")?;
    let line = rest.lines().next()?;
    let (release, version) = line.split_once(", V").unwrap_or((line, line));
    Some((release.trim().to_owned(), version.trim().to_owned()))
}

/// Returns the first line of an answer in quotes, truncated to 120 characters.
fn quoted(said: &str) -> String {
    match said.lines().map(str::trim).find(|l| !l.is_empty()) {
        Some(line) => format!("“{}”", line.chars().take(120).collect::<String>()),
        None => "nothing".to_owned(),
    }
}

fn is_unknown_target(message: &str) -> bool {
    message.starts_with("Value '") && message.ends_with("option 'gpu-name'")
}

/// Returns the name in `Unresolved extern function 'f'`.
fn unresolved(message: &str) -> Option<&str> {
    message.strip_prefix("Unresolved extern function '")?.strip_suffix('\'')
}

/// Returns the names of real architectures in the help: `'sm_75','sm_80',` over several lines.
fn targets(help: &str) -> Vec<String> {
    let mut out: Vec<String> = help.split('\'').filter(|word| number(word).is_some()).map(str::to_owned).collect();
    out.sort_by_key(|name| (number(name), name.clone()));
    out.dedup();
    out
}

/// Returns the number in `sm_90a`, and whether a suffix follows it.
fn number(name: &str) -> Option<(u32, bool)> {
    let rest = name.strip_prefix("sm_")?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let plain = digits.len() == rest.len();
    (rest.len() - digits.len() <= 1).then_some(())?;
    Some((digits.parse().ok()?, !plain))
}

/// Returns the oldest known architecture, if it is newer than the target and runs the target's code. Code for an architecture
/// with a suffix runs nowhere else.
fn oldest_above(target: &str, known: &[String]) -> Option<String> {
    let (wanted, special) = number(target)?;
    let first = known.iter().find(|k| number(k).is_some_and(|(_, special)| !special))?;
    (!special && number(first)?.0 > wanted).then(|| first.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute() {
        let configuration = |path| Configuration::new(path, &[], Duration::from_secs(1));
        for path in ["ptxas", "./ptxas", "bin/ptxas", "~/bin/ptxas", "$CUDA_HOME/bin/ptxas", ""] {
            assert!(configuration(path).unwrap_err().contains("absolute"), "{path}");
        }
        let absolute: &[(&str, &str)] = if cfg!(windows) {
            &[
                (r"C:\Program Files\CUDA\v13.5\bin\ptxas.exe", r"C:\Program Files\CUDA\v13.5\bin\ptxas.exe"),
                ("c:/CUDA/v13.5/bin/ptxas", "c:/CUDA/v13.5/bin/ptxas.exe"),
                (r"\\server\tools\ptxas.EXE", r"\\server\tools\ptxas.EXE"),
            ]
        } else {
            &[("/opt/cuda-13.5/bin/ptxas", "/opt/cuda-13.5/bin/ptxas"), ("/opt/ptxas.sh", "/opt/ptxas.sh")]
        };
        for (set, used) in absolute {
            assert_eq!(configuration(set).unwrap().path, Path::new(used), "{set}");
        }
    }

    #[test]
    fn who_it_is() {
        let said = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright (c) 2005-2022 NVIDIA Corporation\n\
            Built on Wed_Sep_21_10:31:59_PDT_2022\nCuda compilation tools, release 11.8, V11.8.89\nBuild cuda_11.8.r11.8/compiler.31833905_0\n";
        assert_eq!(introduction(Tool::Ptxas, said), Some(("11.8".to_owned(), "11.8.89".to_owned())));
        assert_eq!(introduction(Tool::Nvdisasm, said), None);
        assert_eq!(introduction(Tool::Ptxas, "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)"), None);
        assert_eq!(
            introduction(
                Tool::Ptxas,
                "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 11.8, V11.8.89"
            ),
            None
        );
    }

    #[test]
    fn targets_it_knows() {
        let help = "        Allowed values for this option:  'compute_100','compute_75','lto_75','sm_100',\n        'sm_100a','sm_75',\n        'sm_80','sm_90a'.\n        Default value:  'sm_75'.\n";
        let known = targets(help);
        assert_eq!(known, ["sm_75", "sm_80", "sm_90a", "sm_100", "sm_100a"]);
        assert_eq!(oldest_above("sm_50", &known).as_deref(), Some("sm_75"));
        // A newer target, targets bound to one architecture, and a virtual architecture.
        for target in ["sm_130", "sm_90", "sm_52a", "compute_50"] {
            assert_eq!(oldest_above(target, &known), None, "{target}");
        }
    }
}
