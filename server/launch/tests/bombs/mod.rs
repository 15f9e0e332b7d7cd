//! Kernels that try to take more time or memory than a run may: endless loops of whatever costs most per instruction, and grids that need
//! much memory. The test and the example `bombs` run them.

use ptx_interp::machine::Settings;
use ptx_launch::evaluate::{LaunchModule, LaunchRun};
use ptx_syntax::Snapshot;
use std::time::Duration;

mod table;

pub use table::BOMBS;

/// A kernel that wants too much.
pub struct Bomb {
    /// What it does.
    pub name: &'static str,
    /// The target, or the empty string for `sm_90a`.
    pub target: &'static str,
    /// The lines above the kernel, without `//!`.
    pub launch: &'static str,
    /// Declarations of the module.
    pub declared: &'static str,
    /// Executed once, before the loop.
    pub before: &'static str,
    /// Executed again and again; empty for a kernel without a loop.
    pub again: &'static str,
}

impl Bomb {
    /// A kernel for `sm_90a` in one block of a warp, with a buffer `x` of 4 KiB.
    pub const PLAIN: Self =
        Self { name: "", target: "", launch: "grid=1 block=32 x=u32[1024]:zero", declared: "", before: "", again: "" };

    /// The text of the module.
    pub fn text(&self) -> String {
        let Self { target, launch, declared, before, again, .. } = *self;
        let target = if target.is_empty() { "sm_90a" } else { target };
        let lines = launch.lines().map(str::trim).filter(|l| !l.is_empty());
        let mut lines: Vec<String> = lines.map(|line| format!("//! {line}")).collect();
        if let Some(first) = lines.first_mut() {
            *first = first.replace("//! ", "//! launch: ");
        }
        let parameters = match launch.contains("map=") {
            true => ".param .align 64 .b8 map[128]",
            false => ".param .u64 x",
        };
        let address = if launch.contains("map=") { "" } else { "ld.param.u64 %x, [x];" };
        let body = if again.is_empty() { String::new() } else { format!("again:\n{again}\nbra again;\n") };
        format!(
            ".version 8.8\n.target {target}\n.address_size 64\n{declared}\n{}\n.visible .entry k({parameters})\n{{\n\
             .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<80>; .reg .f32 %f<80>; .reg .b64 %d<8>, %x, %y; .reg .f64 %e<4>; .reg .b128 %q;\n\
             .shared .align 128 .b8 s[40960]; .shared .align 8 .b64 bar;\n\
             {address} mov.u32 %r0, %tid.x;\n{before}\n{body}ret;\n}}\n",
            lines.join("\n")
        )
    }

    /// Runs it.
    pub fn run(&self, settings: Settings, time: Option<Duration>) -> LaunchRun {
        let text = self.text();
        let module = LaunchModule::new(&Snapshot::new(&text));
        let (mut launches, mistakes) = module.launches();
        assert!(mistakes.is_empty() && launches.len() == 1, "{}: {mistakes:?}", self.name);
        let launch = launches.remove(0);
        match module.evaluate(launch, settings, time, None, &|| false) {
            Ok(done) => done,
            Err(ptx_launch::evaluate::EvaluationError::Errors(errors)) => {
                let words: Vec<_> =
                    errors.iter().map(|e| format!("{:?}: {}", text.get(e.range.clone()), e.message())).collect();
                panic!("{}: {words:#?}", self.name)
            }
            Err(ptx_launch::evaluate::EvaluationError::Launch(mistakes)) => panic!("{}: {mistakes:?}", self.name),
            Err(ptx_launch::evaluate::EvaluationError::Kernel(why)) => panic!("{}: {why}", self.name),
        }
    }
}
