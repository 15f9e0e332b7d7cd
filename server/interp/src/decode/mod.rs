//! Decodes a lowered module into an executable program: one operation per instruction, with operands resolved to their places in
//! registers.

mod order;
mod origins;
mod reachable;
mod variables;

pub use crate::machine::code::{DecodeRefusal, Executable, FunctionCode, Op, OpAction};

pub use crate::machine::layout::VariableLocation;

use crate::exec;
use crate::inst::{DecodeContext, FrameLayout};
use crate::machine::code::{InstructionEffort, LaneGathering};
use crate::machine::layout::Specials;
use crate::memory::{AddressMap, Global, Storage};
use ptx_flow::program::{ModuleProgram, ProgramFunction};
use ptx_isa::Exec;
use std::collections::HashMap;
use std::sync::Arc;

impl Executable {
    /// Decodes all functions that the kernel `entry` can reach.
    ///
    /// Refuses a module without this kernel, functions with errors, and parameters of more than 64 KiB.
    pub fn new(program: Arc<ModuleProgram>, entry: &str) -> Result<Self, DecodeRefusal> {
        let is_entry = |c: &ProgramFunction| c.kernel && c.body.is_some();
        let index = program.function(entry).filter(|i| program.functions.get(*i).is_some_and(is_entry));
        let index = index.ok_or_else(|| DecodeRefusal(format!("the module has no kernel `{entry}` with a body")))?;
        let mut out = Self {
            map: AddressMap::new(program.environment.address_size),
            codes: program.functions.iter().map(|_| None).collect(),
            entry: index as u32,
            variables: HashMap::new(),
            global: Global::default(),
            constant: Storage::default(),
            shared_bytes: 0,
            shared_start: 0,
            specials: Specials::default(),
            parameters: Vec::new(),
            target: program.environment.target,
            engine: false,
            engine_global: false,
            scoped: false,
            textures: false,
            origins: Vec::new(),
            program,
        };
        let reachable = reachable::reachable(&out.program, index);
        out.place_variables(&reachable);
        out.place_parameters(index)?;
        for function in reachable {
            let code = out.decode(function)?;
            out.codes[function] = Some(code);
        }
        Ok(out)
    }

    fn decode(&mut self, function: usize) -> Result<FunctionCode, DecodeRefusal> {
        let program = Arc::clone(&self.program);
        let callable = &program.functions[function];
        let Some(body) = &callable.body else { return Err("a function without a body".into()) };
        if !body.complete || !program.errors_in(callable).is_empty() {
            return Err(format!("`{}` has errors, so it cannot be executed: fix them first", callable.name).into());
        }
        let mut layout = FrameLayout::new(body, &callable.parameters, &callable.results, self.address_bytes());
        let mut ops = Vec::with_capacity(body.instructions.len());
        let mut specials = std::mem::take(&mut self.specials);
        let mut sets = std::mem::take(&mut self.origins);
        let origins = origins::origins(self, body, function, &mut sets);
        self.origins = sets;
        let (mut engine, mut global) = (self.engine, self.engine_global);
        let (mut scoped, mut textures) = (self.scoped, self.textures);
        for index in 0..body.instructions.len() {
            let mut inst = DecodeContext::new(self, body, function, index, &origins, &mut layout, &mut specials);
            engine |= inst.exec().is_some_and(exec::reads_through_engine);
            global |= inst.exec().is_some_and(exec::reads_global_through_engine);
            scoped |= exec::narrows_scope(&inst);
            textures |= inst.exec().is_some_and(exec::reads_texture);
            let op = op(&mut inst);
            ops.push(op);
        }
        (self.specials, self.engine, self.engine_global) = (specials, engine, global);
        (self.scoped, self.textures) = (scoped, textures);
        Ok(layout.finish(function as u32, ops, order::priorities(body)))
    }
}

/// Decodes one instruction. An instruction that cannot be executed becomes [`OpAction::Refused`], which the machine reports when it gets
/// there.
fn op(inst: &mut DecodeContext<'_>) -> Op {
    let guard = inst.instruction().guard.as_ref().map(|guard| inst.guard(guard));
    let action = inst.check_operands().and_then(|()| exec::action(inst)).unwrap_or_else(OpAction::Refused);
    let together = inst.together();
    let uses = |list: &[ptx_flow::flow::RegisterUse]| list.iter().map(|u| u.slot.0).collect::<Box<[u32]>>();
    let floats = inst.writes_floats();
    let prepared = inst.is_prepared();
    let effort = exec::effort(inst);
    let refused = matches!(action, OpAction::Refused(_));
    let alone = matches!(action, OpAction::Lanes(_) | OpAction::Nothing | OpAction::Branch(_));
    Op {
        simple: alone && together == LaneGathering::Any && !prepared && effort == InstructionEffort::default(),
        guard,
        action,
        together,
        guard_slot: inst.instruction().guard.as_ref().and_then(|g| g.slot).map(|s| s.0),
        reads: inst.function.reads(inst.index).iter().filter(|u| !u.conditional).map(|u| u.slot.0).collect(),
        uses: inst.used(),
        passing: inst.take_passing(),
        writes: uses(inst.function.writes(inst.index)),
        floats,
        prepared,
        effort,
        meets_anywhere: inst.exec() == Some(Exec::BarrierWarpSync),
        ignored: if refused { Box::default() } else { inst.ignored() },
        pipelined: matches!(inst.exec(), Some(Exec::WgmmaMmaAsync | Exec::WgmmaMmaAsyncSp)),
    }
}
