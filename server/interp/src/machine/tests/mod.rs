//! Tests of the engine with small kernels: convergence of lanes, calls, memory, and exact repetition of runs.

mod calls;
mod divergence;
mod lanes;
mod memory;
mod operands;
mod parallel;
mod passing;
mod progress;
mod runs;
mod times;
mod unwritten;

use crate::lanes::LaneMask;
use crate::machine::{RunStatus, WarpId};
use crate::testing::{TestKernel, TestOutcome};

/// A module with one kernel. Its parameters: `out`, then `p1` … `p4`, all `.u64`. `%rd0` holds `out`, `%r0` the thread index in the CTA,
/// `%rd1` the address of the thread's own word of `out`. The text `functions` precedes the kernel.
pub(super) fn module(functions: &str, body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90a\n.address_size 64\n{functions}\n\
         .entry k(.param .u64 out, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4) {{\n\
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %d<8>;\n\
         ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %rd1, %r0, 4, %rd0;\n{body}\nret;\n}}\n"
    )
}

/// A run, and the text of its module.
pub(super) struct Traced {
    pub out: TestOutcome,
    text: String,
}

/// Runs a kernel of [`module`] with `threads` threads and a zeroed word for each.
pub(super) fn traced(functions: &str, body: &str, threads: u32) -> Traced {
    let text = module(functions, body);
    let out = TestKernel::new(&text).threads(threads).buffer(&vec![0; 4 * threads as usize]).run();
    Traced { out, text }
}

impl Traced {
    /// The words that the threads stored. The run must have no findings.
    pub(super) fn words(&self) -> Vec<u32> {
        assert_eq!((self.out.status(), self.out.faults()), (RunStatus::Finished, &[][..]));
        self.out.u32s(0)
    }

    /// The active lanes of each execution of the instructions of warp 0 that begin with this text.
    pub(super) fn masks(&self, instruction: &str) -> Vec<LaneMask> {
        self.steps(instruction).into_iter().map(|(_, mask)| mask).collect()
    }

    /// As [`masks`](Self::masks), each with the lanes of the group before it, which include those with a false guard.
    pub(super) fn steps(&self, instruction: &str) -> Vec<(LaneMask, LaneMask)> {
        let all = self.out.run.window(WarpId { cta: 0, warp: 0 }, 0, usize::MAX, &|| false);
        let executable = &self.out.run.machine.executable;
        let is =
            |s: &&crate::machine::RecordedStep| self.text[executable.range(s.site)].trim().starts_with(instruction);
        let found: Vec<_> = all.iter().filter(is).map(|s| (s.group, s.mask)).collect();
        found
    }
}
