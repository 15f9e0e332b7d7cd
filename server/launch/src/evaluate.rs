//! Execution of a launch of a module.

use super::inside;
use super::limit::{LimitedEnd, LimitedGrid, RunLimit};
use super::turn::{self, LARGE, LargeRun};
use crate::bind::{Bound, bind};
use crate::guess::{GuessReport, complete};
use crate::settle::settle;
use crate::source::launches;
use crate::verdict::{ExpectationVerdict, is_end, unexpected, verdicts};
use ptx_check::Diagnostic;
use ptx_check::execution::CheckedProgram;
use ptx_flow::program::ModuleProgram;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Fault, InstructionSite};
use ptx_interp::inspect::{BufferSnapshot, PlacedBuffer};
use ptx_interp::machine::{RunStatus, Settings};
use ptx_interp::trace::{GridRun, RunningGrid};
use ptx_launch_syntax::{Launch, LaunchMistake};
use ptx_syntax::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A module whose kernels can be launched.
#[derive(Debug, Clone)]
pub struct LaunchModule {
    /// The lowered module.
    pub program: Arc<ModuleProgram>,
    /// Its errors, at the places that the program notes.
    pub errors: Arc<[Diagnostic]>,
    /// Its text.
    pub text: Arc<str>,
}

/// A launch and its run.
pub struct LaunchRun {
    /// The launch, complete.
    pub launch: Launch,
    /// The guessed parts of the launch.
    pub guessed: GuessReport,
    /// The run.
    pub run: GridRun,
    /// The buffers of the run.
    pub buffers: Vec<PlacedBuffer>,
    /// The limit that ended the run; `None` if it ended by itself or was cancelled.
    pub limit: Option<RunLimit>,
    /// Contents, before the run, of the buffers that it may have changed.
    pub before: Vec<BufferSnapshot>,
    /// The results of the expectations.
    pub verdicts: Vec<ExpectationVerdict>,
    /// Duration of the run.
    pub time: Duration,
    /// The turn of the run, if it is a large one that had to wait for others: it ends with the memory of the run.
    #[expect(dead_code, reason = "only its end matters")]
    turn: Option<LargeRun>,
}

/// A launch whose run has not ended.
pub struct RunningLaunch {
    launch: Launch,
    guessed: GuessReport,
    grid: LimitedGrid,
    buffers: Vec<PlacedBuffer>,
    before: Vec<BufferSnapshot>,
}

/// The reason why a launch cannot run.
#[derive(Debug, Clone)]
pub enum EvaluationError {
    /// The launch has mistakes. Their places refer to the file that contains it.
    Launch(Vec<LaunchMistake>),
    /// The module has errors in code that the kernel needs.
    Errors(Vec<Diagnostic>),
    /// The kernel cannot be executed: the reason.
    Kernel(String),
}

impl LaunchModule {
    /// Checks and lowers a module.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self::of(CheckedProgram::new(snapshot), snapshot)
    }

    /// Lowers a module whose check found these diagnostics.
    pub fn checked(snapshot: &Snapshot, diagnostics: &[Diagnostic]) -> Self {
        Self::of(CheckedProgram::of(snapshot, diagnostics), snapshot)
    }

    fn of(CheckedProgram { program, errors }: CheckedProgram, snapshot: &Snapshot) -> Self {
        Self { program: Arc::new(program), errors: errors.into(), text: snapshot.rope().to_string().into() }
    }

    /// Returns the launches above the kernels, and the mistakes in their lines.
    pub fn launches(&self) -> (Vec<Launch>, Vec<LaunchMistake>) {
        let found = launches(&self.text, &self.program);
        (found.launches, found.mistakes)
    }

    /// Returns the names of the kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.program.functions.iter().filter(|c| c.kernel && c.body.is_some()).map(|c| &*c.name)
    }

    /// Returns the errors that prevent the execution of a kernel: its own, those of functions that it names, and those outside
    /// of functions.
    pub fn errors(&self, entry: &str) -> Vec<Diagnostic> {
        let functions = &self.program.functions;
        let mut reached = BTreeSet::new();
        let mut open: Vec<usize> = self.program.function(entry).into_iter().collect();
        while let Some(index) = open.pop() {
            let body = functions.get(index).filter(|_| reached.insert(index)).and_then(|c| c.body.as_ref());
            let named = body.iter().flat_map(|b| &b.functions);
            open.extend(named.filter_map(|name| self.program.function(name)));
        }
        let others = functions.iter().enumerate().filter(|(index, _)| !reached.contains(index));
        let others: Vec<_> = others.map(|(_, c)| c.errors.clone()).collect();
        let errors = self.errors.iter().enumerate();
        let mine = errors.filter(|(index, _)| !others.iter().any(|range| range.contains(index)));
        mine.map(|(_, error)| error.clone()).collect()
    }

    /// Runs a launch, for at most `time`. Files that it names are read only inside of `folder`; without a folder no file is read.
    /// `cancelled` is polled often.
    ///
    /// # Errors
    /// If the launch cannot be run.
    pub fn evaluate(
        &self,
        launch: Launch,
        settings: Settings,
        time: Option<Duration>,
        folder: Option<&Path>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<LaunchRun, EvaluationError> {
        let mut running = self.start(launch, settings, time, folder)?;
        loop {
            if let Some(status) = running.advance(cancelled) {
                return Ok(running.end(status));
            }
        }
    }

    /// As [`evaluate`](Self::evaluate), for callers that run many launches at a time: runs that need much memory wait for each other, which
    /// is not part of their time. Also reports now and then how many instructions the warps have executed.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn evaluate_in_turn(
        &self,
        launch: Launch,
        settings: Settings,
        time: Option<Duration>,
        folder: Option<&Path>,
        cancelled: &dyn Fn() -> bool,
        report: &mut dyn FnMut(u64),
    ) -> Result<LaunchRun, EvaluationError> {
        let mut turn = if turn::begins_large(&launch) { LargeRun::begin(cancelled) } else { None };
        let mut running = self.start(launch, settings, time, folder)?;
        loop {
            if turn.is_none() && running.grid.bytes() > LARGE {
                turn = running.grid.pausing(|| LargeRun::begin(cancelled));
            }
            match running.advance(cancelled) {
                Some(status) => return Ok(LaunchRun { turn, ..running.end(status) }),
                None => report(running.grid.steps()),
            }
        }
    }

    /// Starts a launch whose run the caller advances. Files that it names are read as in [`Self::evaluate`].
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn start(
        &self,
        mut launch: Launch,
        settings: Settings,
        time: Option<Duration>,
        folder: Option<&Path>,
    ) -> Result<RunningLaunch, EvaluationError> {
        let errors = self.errors(&launch.entry);
        if !errors.is_empty() {
            return Err(EvaluationError::Errors(errors));
        }
        let mut mistakes = settle(&mut launch, &self.program, &self.text);
        let written = launch.clone();
        mistakes.extend(launch.read_files(&mut |path| match folder {
            Some(folder) => inside::read(folder, path),
            None => Err("files are not read here".to_owned()),
        }));
        if !mistakes.is_empty() {
            return Err(EvaluationError::Launch(mistakes));
        }
        let guessed = complete(&mut launch, &self.program, &self.text);
        let executable =
            Executable::new(Arc::clone(&self.program), &launch.entry).map_err(|r| EvaluationError::Kernel(r.0))?;
        let Bound { machine, buffers } =
            bind(&launch, Arc::new(executable), settings).map_err(EvaluationError::Launch)?;
        // The machine has the bytes of files now.
        launch.forget_files(&written);
        let before = buffers.iter().map(|b| b.snapshot(&machine)).collect();
        let grid = LimitedGrid::new(RunningGrid::new(machine), time);
        Ok(RunningLaunch { launch, guessed, grid, buffers, before })
    }
}

impl RunningLaunch {
    /// Executes a part of the run, which takes about a millisecond. Returns the status when the run has ended.
    pub fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        self.grid.advance(cancelled)
    }

    /// Returns the finished run.
    pub fn end(self, status: RunStatus) -> LaunchRun {
        let Self { launch, guessed, grid, buffers, before } = self;
        let LimitedEnd { run, limit, time } = grid.end(status);
        let verdicts = verdicts(&launch.expectations, &run.machine, &buffers, run.status);
        LaunchRun { launch, guessed, run, buffers, limit, before, verdicts, time, turn: None }
    }
}

impl LaunchRun {
    /// Returns the faults.
    pub fn faults(&self) -> &[Fault] {
        &self.run.machine.findings.faults
    }

    /// Returns the faults that no expectation names.
    pub fn unexpected(&self) -> Vec<&Fault> {
        unexpected(&self.launch.expectations, self.faults())
    }

    /// Whether the run succeeded: all expectations are met, nothing else was found, and it finished.
    pub fn passed(&self) -> bool {
        let expected = || self.launch.expectations.iter().any(is_end);
        let ended = self.run.status == RunStatus::Finished || expected();
        ended && self.verdicts.iter().all(|v| v.ok) && self.unexpected().is_empty()
    }

    /// Returns the place of the first warp of the grid that has not finished.
    pub fn stopped_at(&self) -> Option<InstructionSite> {
        self.unfinished().next()
    }

    /// Returns the instructions at which warps are that have begun and not finished, with the number of these warps; the most warps first.
    pub fn standing(&self) -> Vec<(InstructionSite, u64)> {
        let mut counts: BTreeMap<InstructionSite, u64> = BTreeMap::new();
        self.unfinished().for_each(|site| *counts.entry(site).or_default() += 1);
        let mut out: Vec<_> = counts.into_iter().collect();
        out.sort_by_key(|(site, warps)| (std::cmp::Reverse(*warps), *site));
        out
    }

    /// The next instruction of each warp that has begun and not finished: of its group that was executed last.
    fn unfinished(&self) -> impl Iterator<Item = InstructionSite> + '_ {
        let machine = &self.run.machine;
        let warps = machine.clusters.iter().flat_map(|c| &c.ctas).flat_map(|c| &c.warps).filter(|w| !w.is_finished());
        warps.filter_map(|warp| {
            let group = warp.groups.iter().max_by_key(|g| g.turn)?;
            Some(InstructionSite { function: warp.frame(group.frame)?.function, instruction: group.pc })
        })
    }
}
