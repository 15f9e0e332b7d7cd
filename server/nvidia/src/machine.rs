//! The machine code of a module: assembled, disassembled and tied to its PTX.

use super::disassembly::Disassembly;
use super::run::{RunLimits, Runner};
use super::ties::{PtxFunction, Ties};
use super::{AssemblerFailure, AssemblerOutput, Configuration, OBJECT, Task, Tool, ToolInfo, quoted};
use ptx_gate::files::{self, PrivateFolder};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Maximum size of an object file that is kept for a later listing, in bytes.
const MAX_OBJECT: u64 = 64 << 20;

/// Maximum size of a listing in bytes. A listing with live registers has up to 500 bytes for each instruction.
const MAX_LISTING: usize = 128 << 20;

/// The option that makes the assembler write the PTX line of each instruction.
const LINES: &str = "--generate-line-info";

/// The options for a listing of code with PTX lines.
const WITH_LINES: [&str; 2] = ["--print-code", "--print-line-info-ptx"];

/// The options for a listing of code with live registers. The disassembler does not print lines and registers together.
const WITH_LIVE: [&str; 4] = ["--print-code", "--print-life-ranges", "--life-range-mode", "count"];

/// The programs that make machine code readable.
#[derive(Debug, Clone, Copy)]
pub struct Toolchain<'a> {
    /// The assembler.
    pub assembler: &'a ToolInfo,
    /// The disassembler.
    pub disassembler: &'a ToolInfo,
    /// Options of the assembler, and the time limit for both.
    pub configuration: &'a Configuration,
}

/// The machine code of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineCode {
    /// The assembler.
    pub assembler: ToolInfo,
    /// The disassembler.
    pub disassembler: ToolInfo,
    /// Options in addition to those that are always passed.
    pub arguments: Vec<String>,
    /// The assembler's output.
    pub assembled: AssemblerOutput,
    /// The functions; none if the assembler rejected the module.
    pub code: Disassembly,
    /// The functions of the module.
    pub functions: Vec<PtxFunction>,
    /// The ties between both.
    pub ties: Ties,
    /// Duration of the disassembly.
    pub disassembly: Duration,
    /// Whether the listing of live registers was requested. For a kernel of 20,000 instructions it takes ten seconds.
    pub live: bool,
}

/// An object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFile(Vec<u8>);

impl MachineCode {
    /// Assembles a module, and disassembles and ties the result. `functions` are those of the module. Without `live` the numbers of
    /// live registers are left out, and the object file is returned for [`Self::with_live`].
    ///
    /// # Errors
    /// If a program fails. A rejected module is an answer, not an error.
    pub fn new(
        tools: Toolchain<'_>,
        task: Task<'_>,
        functions: Vec<PtxFunction>,
        live: bool,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Self, Option<ObjectFile>), AssemblerFailure> {
        let _busy = runner.busy();
        let folder = PrivateFolder::new().map_err(AssemblerFailure::Folder)?;
        let Toolchain { assembler, disassembler, configuration } = tools;
        let begin = Instant::now();
        let mut assembled = assembler.assemble_in(&folder, (configuration, &[LINES]), task, runner, stop)?;
        let mut code = Disassembly::default();
        let mut object = None;
        let file = folder.path().join(OBJECT);
        if files::metadata(&file).is_ok() {
            let run = DisassemblerRun {
                disassembler,
                folder: folder.path(),
                limit: configuration.limit,
                begin,
                runner,
                stop,
            };
            if live {
                let (lines, live) = run.listings()?;
                code = Disassembly::read(&lines);
                enter_live(&mut code, &mut assembled, live);
            } else {
                object = files::read(&file, MAX_OBJECT).ok().map(ObjectFile);
                code = Disassembly::read(&run.listing(&WITH_LINES)?);
            }
            let tied = code.functions.iter().flat_map(|f| &f.instructions).any(|i| i.line.is_some());
            if !tied && !code.functions.is_empty() {
                assembled.notes.push("the machine code names no lines of the module".to_owned());
            }
        }
        let disassembly = begin.elapsed().saturating_sub(assembled.time);
        let code = Self {
            assembler: assembler.clone(),
            disassembler: disassembler.clone(),
            arguments: configuration.arguments.clone(),
            ties: Ties::new(&mut code, &functions),
            assembled,
            code,
            functions,
            disassembly,
            live,
        };
        Ok((code, object))
    }

    /// Adds the numbers of live registers.
    ///
    /// # Errors
    /// If the work was cancelled. If the disassembler fails, a note says so.
    pub fn with_live(
        &self,
        object: &ObjectFile,
        limit: Duration,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, AssemblerFailure> {
        let _busy = runner.busy();
        let begin = Instant::now();
        let folder = PrivateFolder::new().map_err(AssemblerFailure::Folder)?;
        folder.write(OBJECT, &object.0).map_err(AssemblerFailure::Folder)?;
        let run =
            DisassemblerRun { disassembler: &self.disassembler, folder: folder.path(), limit, begin, runner, stop };
        let live = match run.listing(&WITH_LIVE) {
            Err(AssemblerFailure::Cancelled) => return Err(AssemblerFailure::Cancelled),
            live => live,
        };
        let mut out = Self { live: true, ..self.clone() };
        enter_live(&mut out.code, &mut out.assembled, live);
        out.disassembly += begin.elapsed();
        Ok(out)
    }

    /// Returns the number of machine instructions of all functions.
    pub fn count(&self) -> usize {
        self.code.functions.iter().map(|f| f.instructions.len()).sum()
    }
}

/// The calls of the disassembler for one object file.
struct DisassemblerRun<'a> {
    disassembler: &'a ToolInfo,
    /// The folder with the object file.
    folder: &'a Path,
    /// Time limit for all programs since `begin`.
    limit: Duration,
    begin: Instant,
    runner: &'a Runner,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl DisassemblerRun<'_> {
    /// Returns a listing.
    fn listing(&self, options: &[&str]) -> Result<String, AssemblerFailure> {
        let mut command = Command::new(&self.disassembler.path);
        command.args(options).arg(OBJECT);
        let bounds = RunLimits { time: self.limit.saturating_sub(self.begin.elapsed()), output: MAX_LISTING };
        let result = self.runner.run(command, self.folder, bounds, self.stop);
        let (status, said) = result.map_err(|stopped| self.disassembler.failure(stopped, self.limit, MAX_LISTING))?;
        listing(status, said)
    }

    /// Returns the listing with lines and the one with live registers; the latter may fail alone.
    fn listings(&self) -> Result<(String, Result<String, AssemblerFailure>), AssemblerFailure> {
        // For a short kernel, both listings take as long as starting the program. So they are made at the same time.
        let (lines, live) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("nvdisasm".into());
            match thread.spawn_scoped(scope, || self.listing(&WITH_LIVE)) {
                Ok(thread) => {
                    let lines = self.listing(&WITH_LINES);
                    (lines, thread.join().unwrap_or(Err(AssemblerFailure::Cancelled)))
                }
                Err(_) => (self.listing(&WITH_LINES), self.listing(&WITH_LIVE)),
            }
        });
        match live {
            Err(AssemblerFailure::Cancelled) => Err(AssemblerFailure::Cancelled),
            live => Ok((lines?, live)),
        }
    }
}

/// Enters the listing of live registers, or a note about its failure.
fn enter_live(code: &mut Disassembly, assembled: &mut AssemblerOutput, live: Result<String, AssemblerFailure>) {
    match live {
        Ok(live) => code.add_live(&live),
        Err(why) => assembled.notes.push(format!("live registers are unknown: {why}")),
    }
}

/// Checks that the disassembler printed a listing.
fn listing(status: ExitStatus, said: String) -> Result<String, AssemblerFailure> {
    if status.success() {
        return Ok(said);
    }
    let message = said.lines().find_map(|line| line.trim().strip_prefix("nvdisasm "));
    let message = message.and_then(|m| Some(m.split_once(':')?.1.trim().to_owned()));
    let how = message.unwrap_or_else(|| format!("{status}; it said {}", quoted(&said)));
    Err(AssemblerFailure::Silent(Tool::Nvdisasm, how))
}
