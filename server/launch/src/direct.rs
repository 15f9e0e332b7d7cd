//! Launches by programs, such as the Python package: every argument is given and nothing is guessed. A run keeps no history,
//! and its result is the bytes that it changed.

use super::evaluate::{EvaluationError, LaunchModule};
use super::limit::{LimitedEnd, LimitedGrid, RunLimit};
use crate::bind::{Bound, bind};
use crate::guess::required;
use crate::guess::{ParameterUse, parameter_uses};
use crate::settle::settle;
use ptx_flow::program::ProgramFunction;
use ptx_interp::decode::Executable;
use ptx_interp::inspect::{BufferSnapshot, PlacedBuffer};
use ptx_interp::machine::{Machine, RunStatus, Settings};
use ptx_interp::trace::RunningGrid;
use ptx_launch_syntax::{Launch, LaunchMistake};
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
    grid: LimitedGrid,
    before: Vec<BufferSnapshot>,
    buffers: Vec<PlacedBuffer>,
}

/// The result of a launch of a prepared kernel.
pub struct DirectResult {
    /// How the run ended.
    pub status: RunStatus,
    /// The machine at the end of the run.
    pub machine: Machine,
    /// The buffers of the launch, then images, then variables of the module.
    pub buffers: Vec<PlacedBuffer>,
    /// The limit that ended the run; `None` if it ended by itself or was cancelled.
    pub limit: Option<RunLimit>,
    /// Duration of the run, without its preparation.
    pub time: Duration,
    before: Vec<BufferSnapshot>,
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

    /// Starts a launch that may take `time`. `read_only` names buffers that the kernel must not write.
    ///
    /// # Errors
    /// If the launch has mistakes, or leaves out a parameter or the size of the grid or the block.
    pub fn start(
        &self,
        mut launch: Launch,
        read_only: &[Box<str>],
        settings: Settings,
        time: Option<Duration>,
    ) -> Result<DirectRun, EvaluationError> {
        let LaunchModule { program, text, .. } = &self.module;
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
        let before = buffers.iter().map(|b| b.snapshot(&machine)).collect();
        let grid = LimitedGrid::new(RunningGrid::without_history(machine), time);
        Ok(DirectRun { grid, before, buffers })
    }
}

impl DirectRun {
    /// Executes a part of the run, which takes about a millisecond. Returns the status when the run has ended.
    pub fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        self.grid.advance(cancelled)
    }

    /// Returns the result.
    pub fn end(self, status: RunStatus) -> DirectResult {
        let Self { grid, before, buffers } = self;
        let LimitedEnd { run, limit, time } = grid.end(status);
        DirectResult { status, machine: run.machine, buffers, limit, time, before }
    }
}

impl DirectResult {
    /// Calls `f` for each run of bytes of a buffer that the launch changed, with the offset of its first byte in the buffer.
    /// `index` is that of the buffer in `buffers`.
    pub fn changes(&self, index: usize, f: &mut dyn FnMut(u64, &[u8])) {
        if let (Some(placed), Some(before)) = (self.buffers.get(index), self.before.get(index)) {
            placed.snapshot(&self.machine).differences(before, f);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PreparedKernel;
    use crate::evaluate::{EvaluationError, LaunchModule};
    use ptx_interp::findings::FaultKind;
    use ptx_interp::machine::{RunStatus, Settings};
    use ptx_launch_syntax::{Argument, Buffer, BufferContents, Launch, NamedArgument};
    use ptx_num::notation::ElementFormat;
    use ptx_syntax::Snapshot;

    const TEXT: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .b32 %i;
    .reg .b64 %p, %d, %q;
    mov.u32 %i, %tid.x;
    ld.param.u64 %p, [x];
    mul.wide.u32 %d, %i, 4;
    add.u64 %q, %p, %d;
    st.global.u32 [%q], %i;
    ret;
}
";

    fn kernel() -> PreparedKernel {
        let kernel = PreparedKernel::new(LaunchModule::new(&Snapshot::new(TEXT)), "k");
        kernel.unwrap_or_else(|_| panic!("the kernel has no errors"))
    }

    fn launch(bytes: usize) -> Launch {
        let contents = BufferContents::Bytes(vec![0; bytes]);
        let buffer = Buffer { element: ElementFormat::byte(), length: Some(bytes as u64), contents };
        Launch {
            entry: "k".into(),
            grid: Some([1; 3]),
            block: Some([4, 1, 1]),
            parameters: vec![NamedArgument::new("x", Argument::Buffer(buffer))],
            ..Launch::default()
        }
    }

    #[test]
    fn a_launch_returns_the_bytes_that_it_changed() {
        let kernel = kernel();
        assert!(kernel.uses()[0].pointer && kernel.uses()[0].written);
        assert_eq!(kernel.uses()[0].element.map(|e| e.name()), Some("u32"));
        for _ in 0..2 {
            let mut run =
                kernel.start(launch(20), &[], Settings::default(), None).unwrap_or_else(|_| panic!("it starts"));
            let status = run.advance(&|| false).expect("it is short");
            let done = run.end(status);
            let mut changed = Vec::new();
            done.changes(0, &mut |at, bytes| changed.push((at, bytes.to_vec())));
            assert_eq!((status, changed), (RunStatus::Finished, vec![(4, vec![1]), (8, vec![2]), (12, vec![3])]));
        }
    }

    #[test]
    fn a_read_only_buffer_is_not_written() {
        let run = kernel().start(launch(16), &["x".into()], Settings::default(), None);
        let mut run = run.unwrap_or_else(|_| panic!("it starts"));
        let status = run.advance(&|| false).expect("it is short");
        let done = run.end(status);
        let kinds: Vec<FaultKind> = done.machine.findings.faults.iter().map(|f| f.kind).collect();
        assert_eq!((status, kinds), (RunStatus::Fault, vec![FaultKind::ReadOnly]));
        done.changes(0, &mut |at, _| panic!("byte {at} has changed"));
    }

    #[test]
    fn nothing_is_guessed() {
        let bare = Launch { entry: "k".into(), ..Launch::default() };
        let Err(EvaluationError::Launch(mistakes)) = kernel().start(bare, &[], Settings::default(), None) else {
            panic!("it has neither sizes nor arguments")
        };
        assert_eq!(mistakes.len(), 3, "{mistakes:?}");
    }
}
