//! Machine code without a server, for the command line.

use crate::answer::{TiedCode, kernel_of};
use crate::machine::Toolchain;
use crate::run::Runner;
use crate::{AssemblerFailure, Configuration, Task, Tool, ToolInfo, absolute};
use ptx_analysis::ModuleFacts;
use ptx_syntax::Snapshot;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// NVIDIA's programs, ready to run.
#[derive(Debug)]
pub struct MachineCodeTools {
    assembler: ToolInfo,
    disassembler: ToolInfo,
    configuration: Configuration,
    runner: Arc<Runner>,
}

/// The machine code of a module.
#[derive(Debug)]
pub struct ModuleCode {
    /// The answer of the server's command `ptx-analyzer.sass`, with the list of instructions.
    pub json: Value,
    /// The text for people; `None` if the assembler rejected the module.
    pub text: Option<String>,
    /// The assembler's errors, each with its line.
    pub errors: Vec<(Option<u32>, String)>,
}

impl MachineCodeTools {
    /// Checks the programs at two absolute paths. `arguments` are further options of the assembler, `limit` is the time limit for
    /// one module.
    ///
    /// # Errors
    /// If a program or an option cannot be used.
    pub fn new(ptxas: &str, nvdisasm: &str, arguments: &[String], limit: Duration) -> Result<Self, String> {
        let configuration = Configuration::new(ptxas, arguments, limit)?;
        let disassembler = absolute(nvdisasm)?;
        ptx_gate::files::sweep();
        let runner = Arc::new(Runner::default());
        runner.end_with_signals().map_err(|error| error.to_string())?;
        let words = |failure: AssemblerFailure| failure.to_string();
        let assembler = ToolInfo::identify(Tool::Ptxas, &configuration.path, &runner, &|| false).map_err(words)?;
        let disassembler = ToolInfo::identify(Tool::Nvdisasm, &disassembler, &runner, &|| false).map_err(words)?;
        Ok(Self { assembler, disassembler, configuration, runner })
    }

    /// Assembles and disassembles a module for a target, or for its own; with `entry` only this kernel. Without `live` the numbers
    /// of live registers are left out.
    ///
    /// # Errors
    /// If a program fails.
    pub fn run(
        &self,
        snapshot: &Snapshot,
        target: Option<&str>,
        entry: Option<&str>,
        live: bool,
    ) -> Result<ModuleCode, String> {
        let own = ptx_ide::environment(snapshot).target.map(|t| t.name);
        let target = target.or(own).ok_or("the module names no architecture (`.target`)")?;
        let entry = kernel_of(snapshot, entry.map(str::to_owned), None)
            .map_err(|name| format!("the module has no function `{name}` with a body"))?;
        let text = snapshot.rope().to_string();
        let tools = Toolchain {
            assembler: &self.assembler,
            disassembler: &self.disassembler,
            configuration: &self.configuration,
        };
        let task = Task { text: &text, target, entry: entry.as_deref() };
        let tied = TiedCode::new(tools, task, snapshot, &ModuleFacts::default(), live, &self.runner, &|| false);
        let tied = tied.map_err(|failure| failure.to_string())?;
        let json = tied.json(true);
        let errors = tied.code.assembled.listing.errors().map(|m| (m.line, m.text.clone())).collect();
        let text = Some(tied.text.text).filter(|_| !tied.code.code.functions.is_empty());
        Ok(ModuleCode { json, text, errors })
    }
}
