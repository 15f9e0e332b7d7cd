//! Disassembly by address, and the contents of sources.

use super::arguments::{Disassemble, SourceOf};
use super::places::{INSTRUCTION, address, site};
use super::session::DebugSession;
use super::types::DisassembledInstruction;
use super::wire::{DapAnswer, DapRequest, RequestFailure, arguments, body};
use ptx_interp::findings::InstructionSite;
use serde_json::json;

/// Maximum number of instructions per response.
const MAX_INSTRUCTIONS: usize = 1 << 16;

impl DebugSession {
    /// Handles `disassemble`.
    pub(super) fn disassemble(&mut self, request: &DapRequest) -> DapAnswer {
        let given: Disassemble = arguments(request)?;
        let Some(debuggee) = &self.debuggee else { return Err(RequestFailure::new("no kernel has been launched")) };
        let reference = super::memory::number(&given.memory_reference);
        let words = || RequestFailure::new(format!("`{}` is not an address of an instruction", given.memory_reference));
        let start = i128::from(reference.ok_or_else(words)?)
            + i128::from(given.offset)
            + i128::from(given.instruction_offset) * i128::from(INSTRUCTION);
        let mut last = None;
        let one = |index: usize| {
            let at = start + index as i128 * i128::from(INSTRUCTION);
            // Clients identify instructions by their addresses, so addresses without an instruction must be distinct
            // too.
            let shown = u64::try_from(at.rem_euclid(1 << 64)).unwrap_or_default();
            let there = u64::try_from(at).ok().and_then(site).filter(|s: &InstructionSite| {
                s.instruction < debuggee.places.instructions(s.function) && address(*s) == shown
            });
            let Some(site) = there else {
                return DisassembledInstruction {
                    address: format!("{shown:#x}"),
                    instruction: String::new(),
                    presentation_hint: Some("invalid"),
                    ..DisassembledInstruction::default()
                };
            };
            let place = debuggee.places.shown(site);
            let location = (last != Some(place.line.file)).then(|| debuggee.places.source(place.line.file));
            last = Some(place.line.file);
            DisassembledInstruction {
                address: format!("{shown:#x}"),
                instruction: debuggee.places.text(site),
                symbol: debuggee.places.symbol(site),
                location,
                line: Some(self.outgoing_line(place.line.line)),
                column: Some(self.outgoing_column(place.column)),
                presentation_hint: None,
            }
        };
        let instructions: Vec<DisassembledInstruction> =
            (0..given.instruction_count.min(MAX_INSTRUCTIONS)).map(one).collect();
        body(json!({ "instructions": instructions }))
    }

    /// Handles `loadedSources`.
    pub(super) fn loaded_sources(&self) -> DapAnswer {
        let sources = self.debuggee.as_ref().map(|d| d.places.sources()).unwrap_or_default();
        body(json!({ "sources": sources }))
    }

    /// Handles `source`. Only loaded sources are returned.
    pub(super) fn source(&self, request: &DapRequest) -> DapAnswer {
        let given: SourceOf = arguments(request)?;
        let path = given.source.as_ref().map(Self::path).unwrap_or_default();
        let name = path.display();
        let places = self.debuggee.as_ref().map(|d| &d.places);
        let known = places.and_then(|places| Some(places.file(*places.files(&path).first()?)));
        let Some(file) = known else {
            return Err(RequestFailure::new(format!("`{name}` is not a source of this kernel")));
        };
        let bytes = ptx_gate::files::read(file, 1 << 30)
            .map_err(|error| RequestFailure::new(format!("`{name}` cannot be read: {error}")))?;
        Ok(json!({ "content": ptx_launch::files::decode(bytes).0 }))
    }
}
