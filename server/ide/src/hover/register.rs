//! Hover on registers: facts from the data-flow analysis of the function.

use super::At;
use super::name::NameDescription;
use crate::addresses::AccessView;
use crate::describe::MarkdownPage;
use crate::excerpt::{AnnotatedLine, annotated, done, function, instruction, statement_at};
use crate::registers;
use ptx_analysis::{Across, Analyzer, DeclarationNode, FunctionFacts, RegisterAccess, RegisterFacts};
use ptx_syntax::{Node, fields};
use std::sync::Arc;

/// Maximum number of statements that write the register and are shown.
const MAX_WRITES: usize = 3;
/// Maximum number of statements that read the register and are shown.
const MAX_READS: usize = 3;
/// Maximum size in bytes of a function, and of its module, that is analysed during the hover if there is no earlier
/// analysis.
const SMALL_FUNCTION: usize = 16 << 10;
const SMALL_MODULE: usize = 64 << 10;

/// The flow facts of the function at the hover.
pub(super) struct FlowFactsAt {
    pub(super) facts: Arc<FunctionFacts>,
    /// Offset at which the function begins.
    pub(super) base: usize,
}

impl At<'_> {
    /// The flow facts of the enclosing function.
    pub(super) fn flow(&self) -> Option<FlowFactsAt> {
        if self.in_host {
            return None;
        }
        let function = function(self.leaf)?;
        let base = function.start_byte();
        let figure = self.figures.and_then(|f| f.of(self.snapshot, function)).filter(|f| f.exact());
        if let Some(kernel) = figure.and_then(|f| f.kernel()) {
            return Some(FlowFactsAt { facts: Arc::clone(&kernel.facts), base });
        }
        let small = function.byte_range().len() <= SMALL_FUNCTION && self.snapshot.rope().len_bytes() <= SMALL_MODULE;
        if !small || function.has_error() {
            return None;
        }
        Some(FlowFactsAt { facts: Arc::new(Analyzer::facts_of(self.snapshot, function)?), base })
    }

    /// Adds the uses of a register, where it is live, and the threads across which it is uniform. Returns `None` if that is
    /// not known. `name` is as written; `what` says what the register is.
    pub(super) fn register(
        &self,
        found: &DeclarationNode<'_>,
        name: &str,
        what: &str,
        told: &mut NameDescription,
    ) -> Option<()> {
        let flow = self.flow()?;
        let declared = found.declarator.child_by_field_id(fields().name)?;
        let base_name = self.text(declared);
        let number = match found.count {
            Some(_) => name.strip_prefix(base_name.as_str())?.parse().ok()?,
            None => 0,
        };
        let declaration = declared.start_byte().checked_sub(flow.base)?;
        let mut registers = flow.facts.registers_of(declaration).iter().filter(|r| r.number == number);
        let Some(register) = registers.next() else {
            told.short.text(format!("{what}; not used."));
            return Some(());
        };
        // Each element of a vector has its own live ranges.
        if registers.next().is_some() || register.element > 0 {
            return None;
        }
        let accesses = flow.facts.accesses(register);
        let count = |wanted: fn(RegisterAccess) -> bool| accesses.iter().filter(|a| wanted(**a)).count();
        let (writes, reads) =
            (done("written", count(RegisterAccess::writes)), done("read", count(RegisterAccess::reads)));
        told.short.text(format!("{what}; {writes}, {reads}."));
        let cost = registers::cost(self.snapshot, &flow.facts, flow.base, register);
        told.short.list("", [self.life(&flow, register), cost, across(register)].into_iter().flatten());
        self.value(&flow, register, name, told);
        if let Some(constant) = register.constant {
            told.short.text(format!("It always holds {constant} (`0x{constant:X}`)."));
        }
        // What the instruction itself makes of an operand comes first.
        if self.here().is_none_or(|here| here.spec.value.decodes.is_empty()) {
            told.short.append(self.made());
        }
        self.uses(&flow, register, &mut told.details);
        Some(())
    }

    /// Adds the value of a register as an expression, and the access if it is in the address of one.
    fn value(&self, flow: &FlowFactsAt, register: &RegisterFacts, name: &str, told: &mut NameDescription) {
        let Some(addresses) = flow.facts.addresses() else { return };
        let accesses = flow.facts.accesses(register);
        let here =
            instruction(self.leaf).and_then(|n| flow.facts.instruction_at(n.start_byte().checked_sub(flow.base)?));
        let writes: Vec<usize> = accesses.iter().filter(|a| a.writes()).map(|a| a.instruction()).collect();
        // Where a register is written once, it has that value wherever it is read.
        let write = here.filter(|here| writes.contains(here)).or(match writes.as_slice() {
            [one] => Some(*one),
            _ => None,
        });
        // A number has a sentence of its own.
        let value = write.filter(|_| register.constant.is_none()).and_then(|w| addresses.value(w, name));
        if let Some(value) = &value {
            told.short.text(format!("`{name} = {value}`"));
        }
        if let (Some(here), Some(operand)) = (here, self.address_operand()) {
            told.short.append(AccessView::new(self.snapshot, flow.base, addresses).page(
                here,
                Some(operand),
                value.as_deref(),
            ));
        }
    }

    /// Adds the statements that write and read a register.
    fn uses(&self, flow: &FlowFactsAt, register: &RegisterFacts, page: &mut MarkdownPage) {
        let accesses = flow.facts.accesses(register);
        let own =
            instruction(self.leaf).and_then(|n| flow.facts.instruction_at(n.start_byte().checked_sub(flow.base)?));
        let (mut left_writes, mut left_reads) = (MAX_WRITES, MAX_READS);
        let mut lines = Vec::new();
        for access in accesses {
            let left = if access.writes() { &mut left_writes } else { &mut left_reads };
            if *left == 0 || Some(access.instruction()) == own {
                continue;
            }
            *left -= 1;
            let Some(start) = flow.facts.start(access.instruction()) else { continue };
            let note = match (access.reads(), access.writes()) {
                (true, true) => "reads and writes",
                (false, true) => "writes",
                _ => "reads",
            };
            lines.push(AnnotatedLine { text: statement_at(self.snapshot, flow.base + start), note: note.to_owned() });
        }
        let own_count = accesses.iter().filter(|a| Some(a.instruction()) == own).count();
        let rest = accesses.len() - lines.len() - own_count;
        if rest > 0 && !lines.is_empty() {
            lines.push(AnnotatedLine { text: format!("// … and {rest} more"), note: String::new() });
        }
        page.code(&annotated(&lines));
    }

    /// A phrase about where a register is live, in the function and at the hover.
    fn life(&self, flow: &FlowFactsAt, register: &RegisterFacts) -> Option<String> {
        let facts = &flow.facts;
        let accesses = facts.accesses(register);
        let instructions: usize = facts.lives(register).map(|r| r.len()).sum();
        let pieces = facts.lives(register).count();
        let mut out = match instructions {
            0 => return None,
            1 => "live from one instruction to the next".to_owned(),
            n => format!("live across {n} of {} instructions", facts.count()),
        };
        if pieces > 1 {
            out.push_str(&format!(", in {pieces} pieces"));
        }
        let own: Node<'_> = instruction(self.leaf)?;
        let here = facts.instruction_at(own.start_byte().checked_sub(flow.base)?)?;
        let live = facts.lives(register).any(|r| r.contains(&here));
        let access = accesses.iter().find(|a| a.instruction() == here);
        match access {
            Some(a) if a.reads() && !a.writes() && !live => out.push_str("; this is the last use of its value"),
            Some(a) if a.writes() && !live => out.push_str("; the value written here is never read"),
            _ => {}
        }
        Some(out)
    }
}

/// A phrase about the threads in which a register has the same value.
fn across(register: &RegisterFacts) -> Option<String> {
    let words = match register.across? {
        Across::Cta => "uniform: the same in all threads of the CTA",
        Across::Warp => "uniform in a warp: the same in all its lanes",
        Across::Rows => "uniform in a warp if the CTA is a multiple of 32 threads wide",
        Across::Lane => "may differ from lane to lane",
    };
    Some(words.to_owned())
}
