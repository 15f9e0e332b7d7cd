//! Machine code as a text for people: a line for each instruction, with its PTX line and the registers that are live there.

use super::disassembly::{LocalAccess, MachineFunction};
use super::machine::MachineCode;
use super::output::AssemblerFunction;
use super::ties::Moved;
use std::fmt::Write;

/// Maximum number of instructions in a text. Functions behind them are only named.
const MAX_INSTRUCTIONS: usize = 100_000;

/// The marks of instructions, explained.
const MARKS: &str =
    "// ↑ stands earlier than in the PTX, ↓ later; S stores or loads a spilled register, L local memory";

/// Machine code as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeText {
    /// The text.
    pub text: String,
    /// For each line of the text the PTX line that it comes from, or 0.
    pub lines: Vec<u32>,
    /// For each instruction its line in the text, from 1. Instructions of functions that are only named are missing.
    pub rows: Vec<u32>,
    /// For each function its first and last line in the text, from 1.
    pub functions: Vec<(u32, u32)>,
}

impl CodeText {
    /// Writes machine code as text.
    pub fn new(code: &MachineCode) -> Self {
        let mut out = Self::default();
        let arguments =
            if code.arguments.is_empty() { String::new() } else { format!(" {}", code.arguments.join(" ")) };
        let (assembler, disassembler) = (&code.assembler.version, &code.disassembler.version);
        out.line(
            0,
            &format!(
                "// SASS for {} by ptxas {assembler}{arguments}, read by nvdisasm {disassembler}",
                code.assembled.target
            ),
        );
        out.line(0, "// address, PTX line, live registers (R), uniform registers (UR), predicates (P, UP)");
        out.line(0, MARKS);
        for note in &code.assembled.notes {
            out.line(0, &format!("// {note}"));
        }
        let mut left = MAX_INSTRUCTIONS;
        for (function, moved) in code.code.functions.iter().zip(&code.ties.moved) {
            out.line(0, "");
            let first = out.next_row();
            let ptx = code.functions.iter().find(|f| f.name == function.name);
            let measured = code.assembled.listing.functions.iter().find(|f| f.name == function.name);
            out.line(ptx.map_or(0, |f| f.line), &format!("{}:", function.name));
            out.line(0, &format!("// {}", figures(function, measured)));
            if ptx.is_none() && !function.instructions.iter().any(|i| i.line.is_some()) {
                out.line(0, "// not in the module: ptxas adds it, as it does for divisions");
            }
            match left.checked_sub(function.instructions.len()) {
                Some(rest) => {
                    left = rest;
                    out.function(function, moved);
                }
                None => {
                    left = 0;
                    out.line(0, "// too long for this text: ask for this function alone");
                }
            }
            let last = out.next_row() - 1;
            out.functions.push((first, last));
        }
        out
    }

    fn next_row(&self) -> u32 {
        self.lines.len() as u32 + 1
    }

    fn line(&mut self, ptx: u32, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
        self.lines.push(ptx);
    }

    fn function(&mut self, function: &MachineFunction, moved: &[Option<Moved>]) {
        let last = function.instructions.last().map_or(0, |i| i.address);
        let address = format!("{last:x}").len().max(4);
        let number = function.instructions.iter().filter_map(|i| i.line).max().unwrap_or(0).to_string().len().max(4);
        self.line(0, &format!("  {:<address$}  {:>number$}    R  UR  P UP", "//", "PTX"));
        let mut labels = function.labels.iter().peekable();
        let mut row = String::new();
        for (index, (instruction, moved)) in function.instructions.iter().zip(moved).enumerate() {
            while let Some((_, label)) = labels.next_if(|(at, _)| *at <= index) {
                self.line(0, &format!("{label}:"));
            }
            let count = |n: Option<u16>| n.filter(|n| *n > 0).map_or_else(String::new, |n| n.to_string());
            let live = instruction.live;
            let mark = match moved {
                Some(Moved::Before(_)) => '↑',
                Some(Moved::After(_)) => '↓',
                None => ' ',
            };
            let local = match instruction.local {
                Some(LocalAccess::Spill) => 'S',
                Some(LocalAccess::Local) => 'L',
                None => ' ',
            };
            row.clear();
            let _ = write!(
                row,
                "  {:0>address$x}  {:>number$}  {:>3} {:>3} {:>2} {:>2}  {mark}{local} {}",
                instruction.address,
                instruction.line.map_or_else(String::new, |n| n.to_string()),
                count(live.map(|l| l.general)),
                count(live.map(|l| l.uniform)),
                count(live.map(|l| l.predicates)),
                count(live.map(|l| l.uniform_predicates)),
                instruction.text,
            );
            self.rows.push(self.next_row());
            self.line(instruction.line.unwrap_or(0), &row);
        }
    }
}

/// Returns the figures of a function: `14 registers, no spills, 32 instructions, at most 9 registers live (at 0100)`.
fn figures(function: &MachineFunction, measured: Option<&AssemblerFunction>) -> String {
    let mut out = Vec::new();
    if let Some(measured) = measured {
        out.extend(measured.registers.map(|n| format!("{n} registers")));
        out.extend(spills(measured));
        out.extend(measured.stack.filter(|n| *n > 0).map(|n| format!("stack {n} bytes")));
        out.extend(measured.shared.map(|n| format!("shared {n} bytes")));
        out.extend(measured.barriers.map(|n| format!("{n} barrier{}", if n == 1 { "" } else { "s" })));
    }
    out.push(format!("{} instructions", function.instructions.len()));
    if let Some((most, at)) = function.peak() {
        let address = function.instructions.get(at).map_or(0, |i| i.address);
        out.push(format!("at most {most} registers live (at {address:04x})"));
    }
    out.join(", ")
}

/// Returns the spills of a function as words.
pub fn spills(measured: &AssemblerFunction) -> Option<String> {
    match (measured.spill_stores?, measured.spill_loads?) {
        (0, 0) => Some("no spills".to_owned()),
        (stores, loads) => Some(format!("spills: {stores} bytes stored, {loads} bytes loaded")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassembly::{Disassembly, LiveCounts, MachineInstruction};
    use crate::output::Listing;
    use crate::ties::Ties;
    use crate::{AssemblerOutput, Tool, ToolInfo};
    use expect_test::expect;
    use std::time::Duration;

    fn instruction(
        address: u64,
        line: u32,
        general: u16,
        local: Option<LocalAccess>,
        text: &str,
    ) -> MachineInstruction {
        let live = Some(LiveCounts { general, uniform: 2, ..LiveCounts::default() });
        MachineInstruction { address, text: text.to_owned(), line: Some(line).filter(|n| *n > 0), live, local }
    }

    #[test]
    fn a_line_for_each_instruction() {
        let instructions = vec![
            instruction(0, 5, 1, None, "MOV R1, c[0x0][0x28]"),
            instruction(16, 14, 12, Some(LocalAccess::Spill), "STL [R1], R2"),
            instruction(32, 0, 3, None, "@P0 EXIT"),
        ];
        let function = MachineFunction { name: "k".to_owned(), instructions, labels: vec![(1, ".L_x_0".to_owned())] };
        let moved = vec![None, Some(Moved::Before(10)), None];
        let found = CodeText::new(&code(vec![function], vec![moved]));
        expect![[r#"
            // SASS for sm_80 by ptxas 13.5.37 -O1, read by nvdisasm 13.5.37
            // address, PTX line, live registers (R), uniform registers (UR), predicates (P, UP)
            // ↑ stands earlier than in the PTX, ↓ later; S stores or loads a spilled register, L local memory
            // a note

            k:
            // 14 registers, spills: 4 bytes stored, 4 bytes loaded, stack 8 bytes, shared 0 bytes, 1 barrier, 3 instructions, at most 12 registers live (at 0010)
              //     PTX    R  UR  P UP
              0000     5    1   2           MOV R1, c[0x0][0x28]
            .L_x_0:
              0010    14   12   2        ↑S STL [R1], R2
              0020          3   2           @P0 EXIT
        "#]]
        .assert_eq(&found.text);
        assert_eq!((&found.rows[..], &found.functions[..]), (&[9, 11, 12][..], &[(6, 12)][..]));
        let tied = |row: u32| found.lines[row as usize - 1];
        assert_eq!((tied(9), tied(11), tied(12), found.lines.len()), (5, 14, 0, 12));
    }

    #[test]
    fn functions_behind_the_maximum_are_only_named() {
        let function = |name: &str, count: usize| MachineFunction {
            name: name.to_owned(),
            instructions: vec![instruction(0, 1, 1, None, "NOP"); count],
            labels: Vec::new(),
        };
        let text = |count: usize| {
            let functions = vec![function("k", count), function("l", 1)];
            let moved = functions.iter().map(|f| vec![None; f.instructions.len()]).collect();
            CodeText::new(&code(functions, moved))
        };
        let all = text(MAX_INSTRUCTIONS - 1);
        assert_eq!((all.rows.len(), all.text.contains("too long")), (MAX_INSTRUCTIONS, false));
        let first = text(MAX_INSTRUCTIONS);
        assert_eq!((first.rows.len(), first.functions.len()), (MAX_INSTRUCTIONS, 2));
        assert!(first.text.ends_with("// too long for this text: ask for this function alone\n"));
    }

    /// Machine code as the programs of release 13.5 would print it for a kernel `k`.
    fn code(functions: Vec<MachineFunction>, moved: Vec<Vec<Option<Moved>>>) -> MachineCode {
        let tool =
            |tool| ToolInfo { tool, path: "/t".into(), release: "13.5".to_owned(), version: "13.5.37".to_owned() };
        let printed = "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Function properties for k\n    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\nptxas info    : Used 14 registers, used 1 barriers\n";
        let assembled = AssemblerOutput {
            listing: Listing::read(printed),
            target: "sm_80".to_owned(),
            notes: vec!["a note".to_owned()],
            time: Duration::ZERO,
        };
        MachineCode {
            assembler: tool(Tool::Ptxas),
            disassembler: tool(Tool::Nvdisasm),
            arguments: vec!["-O1".to_owned()],
            assembled,
            code: Disassembly { functions },
            functions: Vec::new(),
            ties: Ties { moved, lines: Vec::new() },
            disassembly: Duration::ZERO,
            live: true,
        }
    }
}
