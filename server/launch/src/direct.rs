//! Launches by programs, such as the Python package: every argument is given and nothing is guessed. A run keeps no history,
//! and its result is the bytes that it changed.

use super::evaluate::{EvaluationError, LaunchModule};
use ptx_analysis::program::ProgramFunction;
use ptx_clock::Instant;
use ptx_interp::decode::Executable;
use ptx_interp::launch::{
    Bound, ContentsBefore, Launch, LaunchMistake, ParameterUse, PlacedBuffer, bind, parameter_uses, required, settle,
};
use ptx_interp::machine::{Machine, RunStatus, Settings};
use ptx_interp::trace::RunningGrid;
use std::sync::Arc;
use std::time::Duration;

/// A kernel that is decoded once and launched any number of times, also by several threads at a time.
pub struct PreparedKernel {
    module: LaunchModule,
    executable: Arc<Executable>,
    uses: Vec<ParameterUse>,
}

/// A launch of a prepared kernel whose run has not ended.
pub struct DirectRun {
    grid: RunningGrid,
    before: ContentsBefore,
    buffers: Vec<PlacedBuffer>,
    time: Duration,
}

/// The result of a launch of a prepared kernel.
pub struct DirectResult {
    /// How the run ended.
    pub status: RunStatus,
    /// The machine at the end of the run.
    pub machine: Machine,
    /// The buffers of the launch, then images, then variables of the module.
    pub buffers: Vec<PlacedBuffer>,
    /// Duration of the run, without its preparation.
    pub time: Duration,
    before: ContentsBefore,
}

impl PreparedKernel {
    /// Decodes a kernel of a module.
    ///
    /// # Errors
    /// If there is no such kernel, it has errors, or it cannot be executed.
    pub fn new(module: LaunchModule, entry: &str) -> Result<Self, EvaluationError> {
        module.kernel(Some(entry), None).map_err(EvaluationError::Kernel)?;
        let errors = module.errors(entry);
        if !errors.is_empty() {
            return Err(EvaluationError::Errors(errors));
        }
        let executable =
            Executable::new(Arc::clone(&module.program), entry).map_err(|why| EvaluationError::Kernel(why.0))?;
        let mut out = Self { module, executable: Arc::new(executable), uses: Vec::new() };
        out.uses = out.function().map(parameter_uses).unwrap_or_default();
        Ok(out)
    }

    /// Returns the kernel in the program.
    pub fn function(&self) -> Option<&ProgramFunction> {
        self.module.program.functions.get(self.executable.entry as usize)
    }

    /// Returns how the kernel uses each of its parameters.
    pub fn uses(&self) -> &[ParameterUse] {
        &self.uses
    }

    /// Returns the size of an address in bytes.
    pub fn address_bytes(&self) -> u64 {
        self.executable.address_bytes().into()
    }

    /// Returns the module of the kernel.
    pub fn module(&self) -> &LaunchModule {
        &self.module
    }

    /// Starts a launch. `read_only` names buffers that the kernel must not write.
    ///
    /// # Errors
    /// If the launch has mistakes, or leaves out a parameter or the size of the grid or the block.
    pub fn start(
        &self,
        mut launch: Launch,
        read_only: &[Box<str>],
        settings: Settings,
    ) -> Result<DirectRun, EvaluationError> {
        let LaunchModule { program, text } = &self.module;
        required(&mut launch, program, text);
        let mut mistakes = settle(&mut launch, program, text);
        if launch.grid.is_none() {
            mistakes.push(LaunchMistake::new(0..0, "the size of the grid is missing"));
        }
        if launch.block.is_none() {
            let words = "the size of the block is missing, and the kernel has no `.reqntid`";
            mistakes.push(LaunchMistake::new(0..0, words));
        }
        for parameter in self.function().iter().flat_map(|f| &f.parameters) {
            if launch.parameters.iter().all(|given| given.name != parameter.name) {
                mistakes.push(LaunchMistake::new(0..0, format!("there is no value for `{parameter}`")));
            }
        }
        if !mistakes.is_empty() {
            return Err(EvaluationError::Launch(mistakes));
        }
        let executable = Arc::clone(&self.executable);
        let Bound { mut machine, buffers } = bind(&launch, executable, settings).map_err(EvaluationError::Launch)?;
        buffers.iter().filter(|b| read_only.contains(&b.name)).for_each(|b| b.protect(&mut machine));
        let before = ContentsBefore::new(&machine, &buffers);
        Ok(DirectRun { grid: RunningGrid::without_history(machine), before, buffers, time: Duration::ZERO })
    }
}

impl DirectRun {
    /// Executes a part of the run, which takes about a millisecond. Returns the status when the run has ended.
    pub fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        let begin = Instant::now();
        let ended = self.grid.advance(cancelled);
        self.time += begin.elapsed();
        ended
    }

    /// Returns the result.
    pub fn end(self, status: RunStatus) -> DirectResult {
        let Self { grid, before, buffers, time } = self;
        DirectResult { status, machine: grid.end(status).machine, buffers, time, before }
    }
}

impl DirectResult {
    /// Calls `f` for each run of bytes of a buffer that the launch changed, with the offset of its first byte in the buffer.
    /// `index` is that of the buffer in `buffers`.
    pub fn changes(&self, index: usize, f: &mut dyn FnMut(u64, &[u8])) {
        if let Some(placed) = self.buffers.get(index) {
            self.before.changes(index, placed, &self.machine, f);
        }
    }
}
