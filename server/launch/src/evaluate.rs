//! Execution of a launch of a module.

use super::inside;
use ptx_analysis::Diagnostic;
use ptx_analysis::program::ModuleProgram;
use ptx_clock::Instant;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Fault, InstructionSite};
use ptx_interp::launch::{
    Bound, BufferSnapshot, ExpectationVerdict, GuessReport, Launch, LaunchMistake, PlacedBuffer, bind, complete,
    launches, settle, unexpected, verdicts,
};
use ptx_interp::machine::{RunStatus, Settings};
use ptx_interp::trace::{GridRun, RunningGrid};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A module whose kernels can be launched.
#[derive(Debug, Clone)]
pub struct LaunchModule {
    /// The lowered module.
    pub program: Arc<ModuleProgram>,
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
    /// Contents, before the run, of the buffers that it may have changed.
    pub before: Vec<BufferSnapshot>,
    /// The results of the expectations.
    pub verdicts: Vec<ExpectationVerdict>,
    /// Duration of the run.
    pub time: Duration,
}

/// A launch whose run has not ended.
pub struct RunningLaunch {
    launch: Launch,
    guessed: GuessReport,
    grid: RunningGrid,
    buffers: Vec<PlacedBuffer>,
    before: Vec<BufferSnapshot>,
    /// Time that the run has taken, without pauses.
    time: Duration,
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
        let errors = self.program.errors.iter().enumerate();
        let mine = errors.filter(|(index, _)| !others.iter().any(|range| range.contains(index)));
        mine.map(|(_, error)| error.clone()).collect()
    }

    /// Runs a launch. Files that it names are read only inside of `folder`; without a folder no file is read. `cancelled` is
    /// polled often.
    ///
    /// # Errors
    /// If the launch cannot be run.
    pub fn evaluate(
        &self,
        launch: Launch,
        settings: Settings,
        folder: Option<&Path>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<LaunchRun, EvaluationError> {
        self.evaluate_reporting(launch, settings, folder, cancelled, &mut |_| {})
    }

    /// The same, and reports now and then how many instructions the warps have executed.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn evaluate_reporting(
        &self,
        launch: Launch,
        settings: Settings,
        folder: Option<&Path>,
        cancelled: &dyn Fn() -> bool,
        report: &mut dyn FnMut(u64),
    ) -> Result<LaunchRun, EvaluationError> {
        let mut running = self.start(launch, settings, folder)?;
        loop {
            match running.advance(cancelled) {
                Some(status) => return Ok(running.end(status)),
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
        folder: Option<&Path>,
    ) -> Result<RunningLaunch, EvaluationError> {
        let errors = self.errors(&launch.entry);
        if !errors.is_empty() {
            return Err(EvaluationError::Errors(errors));
        }
        let mut mistakes = settle(&mut launch, &self.program, &self.text);
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
        let before = buffers.iter().map(|b| b.snapshot(&machine)).collect();
        let grid = RunningGrid::new(machine);
        Ok(RunningLaunch { launch, guessed, grid, buffers, before, time: Duration::ZERO })
    }
}

impl RunningLaunch {
    /// Executes a part of the run, which takes about a millisecond. Returns the status when the run has ended.
    pub fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        let begin = Instant::now();
        let ended = self.grid.advance(cancelled);
        self.time += begin.elapsed();
        ended
    }

    /// Returns the finished run.
    pub fn end(self, status: RunStatus) -> LaunchRun {
        let Self { launch, guessed, grid, buffers, before, time } = self;
        let run = grid.end(status);
        let verdicts = verdicts(&launch.expectations, &run.machine, &buffers, run.status);
        LaunchRun { launch, guessed, run, buffers, before, verdicts, time }
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
        let expected = || self.launch.expectations.iter().any(|e| e.is_end());
        let ended = self.run.status == RunStatus::Finished || expected();
        ended && self.verdicts.iter().all(|v| v.ok) && self.unexpected().is_empty()
    }

    /// Returns the place of the first warp of the grid that has not finished.
    pub fn stopped_at(&self) -> Option<InstructionSite> {
        let machine = &self.run.machine;
        let mut warps = machine.clusters.iter().flat_map(|c| &c.ctas).flat_map(|c| &c.warps);
        let warp = warps.find(|w| !w.is_finished())?;
        let group = warp.groups.iter().max_by_key(|g| g.turn)?;
        Some(InstructionSite { function: warp.frame(group.frame)?.function, instruction: group.pc })
    }
}
