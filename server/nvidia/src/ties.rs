//! Ties between PTX and machine code: the instructions that each PTX statement became, those that the assembler moved, and the statements
//! that have no instruction of their own.
//!
//! The assembler names lines, and for a statement of several lines it may name any of them: release 13.5 names that of the last token. So
//! what is tied are *sections*: the lines of a statement, with the statements that share a line with it. A section is named by its first
//! line.

use super::disassembly::{Disassembly, MachineFunction};
use ptx_analysis::{FunctionFacts, RegisterReport};
use ptx_syntax::Snapshot;
use ptx_syntax::statements::instructions_in;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Maximum number of readers of a result that are considered.
const MAX_READERS: usize = 8;

/// A function of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxFunction {
    /// Its name.
    pub name: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Its instructions in the order of the text.
    instructions: Vec<PtxInstruction>,
}

/// A PTX instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PtxInstruction {
    /// The first line of its section.
    line: u32,
    /// The last line of its section.
    end_line: u32,
    /// The indices of the instructions that read its results, in the order of the text.
    readers: Vec<u32>,
}

/// Where an instruction stands, compared with the order of the PTX lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// Before instructions of this earlier line.
    Before(u32),
    /// After instructions of this later line.
    After(u32),
}

/// What became of a section of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Instructions in the order of the lines.
    Kept,
    /// Instructions, some of which were moved.
    Moved(Moved),
    /// No instruction of its own: an instruction of the given line, which reads its result, does the work too.
    Merged(u32),
    /// No instruction.
    Dropped,
}

impl Fate {
    /// Returns the name of the fate in answers to the client.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Moved(_) => "moved",
            Self::Merged(_) => "merged",
            Self::Dropped => "dropped",
        }
    }
}

/// A section of PTX and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFate {
    /// Its first line, from 1.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its instructions, counted from the first one of the first function.
    pub instructions: Vec<u32>,
    /// What became of it.
    pub fate: Fate,
    /// The number of its instructions that were moved.
    pub moved: usize,
}

impl LineFate {
    /// Returns a short sentence for people.
    pub fn words(&self) -> String {
        let count = |n: usize| format!("{n} instruction{}", if n == 1 { "" } else { "s" });
        match self.fate {
            Fate::Kept => count(self.instructions.len()),
            Fate::Moved(moved) => {
                let which =
                    if self.moved == self.instructions.len() { String::new() } else { format!(" {}", self.moved) };
                let place = match moved {
                    Moved::Before(line) => format!("up before line {line}"),
                    Moved::After(line) => format!("down after line {line}"),
                };
                format!("{},{which} moved {place}", count(self.instructions.len()))
            }
            Fate::Merged(line) => format!("merged into line {line}"),
            Fate::Dropped => "dropped: no instruction".to_owned(),
        }
    }
}

/// The ties between a module and its machine code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ties {
    /// For each instruction of each function whether it was moved.
    pub moved: Vec<Vec<Option<Moved>>>,
    /// The sections with PTX instructions, in order. Functions without machine code are left out.
    pub lines: Vec<LineFate>,
}

impl PtxFunction {
    /// Returns the functions of a module that were analysed.
    pub fn all(snapshot: &Snapshot, reports: &[RegisterReport]) -> Vec<Self> {
        let rope = snapshot.rope();
        let line = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes())) as u32 + 1;
        let one = |report: &RegisterReport| {
            let facts = &report.facts;
            let mut readers = readers(facts);
            let sections = sections(snapshot, report.start..report.start + facts.end(), line);
            let instruction = |index: usize| {
                let start = facts.start(index).map_or(0, |at| line(report.start + at));
                let section = sections.partition_point(|section| section.start <= start).checked_sub(1);
                let section = section.and_then(|at| sections.get(at)).cloned().unwrap_or(start..start + 1);
                let readers = std::mem::take(&mut readers[index]);
                PtxInstruction { line: section.start, end_line: section.end - 1, readers }
            };
            Self {
                name: report.name.clone(),
                line: line(report.range.start),
                kernel: report.kernel,
                instructions: (0..facts.count()).map(instruction).collect(),
            }
        };
        reports.iter().map(one).collect()
    }
}

/// Returns the lines of the statements in a range, in order; statements that share a line have theirs in common.
fn sections(snapshot: &Snapshot, range: Range<usize>, line: impl Fn(usize) -> u32) -> Vec<Range<u32>> {
    let mut out: Vec<Range<u32>> = Vec::new();
    for node in instructions_in(snapshot, range) {
        let (first, end) = (line(node.start_byte()), line(node.end_byte() - 1) + 1);
        match out.last_mut().filter(|section| first < section.end) {
            Some(section) => section.end = section.end.max(end),
            None => out.push(first..end),
        }
    }
    out
}

/// Returns for each instruction those that read its results.
fn readers(facts: &FunctionFacts) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); facts.count()];
    for register in facts.registers() {
        let accesses = facts.accesses(register);
        for (at, written) in accesses.iter().enumerate().filter(|(_, a)| a.writes()) {
            let Some(found) = out.get_mut(written.instruction()) else { continue };
            let before = found.len();
            for access in &accesses[at + 1..] {
                if access.reads() && found.len() < MAX_READERS {
                    found.push(access.instruction() as u32);
                }
                if access.writes() && !access.guarded() {
                    break;
                }
            }
            if found.len() == before {
                // The next iteration of a loop reads it.
                let reader = accesses.iter().find(|a| a.reads() && a.instruction() != written.instruction());
                found.extend(reader.filter(|_| before < MAX_READERS).map(|a| a.instruction() as u32));
            }
        }
    }
    out
}

impl Ties {
    /// Ties machine code to the module that it was made from. Instructions of the code name their sections from then on.
    pub fn new(code: &mut Disassembly, functions: &[PtxFunction]) -> Self {
        // The function of each section, and the section of each line.
        let (mut owner, mut sections): (HashMap<u32, usize>, HashMap<u32, (u32, u32)>) = Default::default();
        for (index, function) in functions.iter().enumerate() {
            for instruction in &function.instructions {
                owner.insert(instruction.line, index);
                let section = (instruction.line, instruction.end_line);
                sections.extend((section.0..=section.1).map(|line| (line, section)));
            }
        }
        for instruction in code.functions.iter_mut().flat_map(|f| &mut f.instructions) {
            instruction.line = instruction.line.map(|line| sections.get(&line).map_or(line, |section| section.0));
        }
        let moved: Vec<Vec<Option<Moved>>> = code.functions.iter().map(|f| moved(f, &owner)).collect();
        let mut found: BTreeMap<u32, LineFate> = BTreeMap::new();
        let mut number = 0;
        for (function, moved) in code.functions.iter().zip(&moved) {
            for (instruction, moved) in function.instructions.iter().zip(moved) {
                if let Some(line) = instruction.line.filter(|line| owner.contains_key(line)) {
                    let new =
                        || LineFate { line, end_line: line, instructions: Vec::new(), fate: Fate::Kept, moved: 0 };
                    let fate = found.entry(line).or_insert_with(new);
                    fate.instructions.push(number);
                    if let Some(moved) = *moved {
                        fate.moved += 1;
                        if fate.fate == Fate::Kept {
                            fate.fate = Fate::Moved(moved);
                        }
                    }
                }
                number += 1;
            }
        }
        let has_own = |line| found.contains_key(&line);
        let present = functions.iter().filter(|f| f.instructions.iter().any(|i| has_own(i.line)));
        let lost: Vec<(u32, Fate)> = present.flat_map(|function| lost(function, &has_own)).collect();
        for (line, fate) in lost {
            found.insert(line, LineFate { line, end_line: line, instructions: Vec::new(), fate, moved: 0 });
        }
        for fate in found.values_mut() {
            fate.end_line = sections.get(&fate.line).map_or(fate.line, |section| section.1);
        }
        Self { moved, lines: found.into_values().collect() }
    }

    /// Returns what became of the section of a line; `None` if the line has no part of an instruction.
    pub fn line(&self, line: u32) -> Option<&LineFate> {
        let after = self.lines.partition_point(|section| section.line <= line);
        self.lines.get(after.checked_sub(1)?).filter(|section| line <= section.end_line)
    }
}

/// Returns the sections of a function that have no machine instruction.
fn lost(function: &PtxFunction, has_own: &dyn Fn(u32) -> bool) -> BTreeMap<u32, Fate> {
    let instructions = &function.instructions;
    // Indexed by instruction: the line that does its work.
    let mut into: Vec<Option<u32>> = vec![None; instructions.len()];
    for index in (0..instructions.len()).rev() {
        let instruction = &instructions[index];
        into[index] = if has_own(instruction.line) {
            Some(instruction.line)
        } else {
            instruction.readers.iter().find_map(|reader| {
                let reader = *reader as usize;
                let line = instructions.get(reader)?.line;
                // A reader before it, in a loop, has not been visited.
                into[reader].or(Some(line).filter(|line| has_own(*line)))
            })
        };
    }
    let mut out = BTreeMap::new();
    for (instruction, into) in instructions.iter().zip(into).filter(|(i, _)| !has_own(i.line)) {
        let fate = into.map_or(Fate::Dropped, Fate::Merged);
        // Of several instructions in one line, one that was merged counts.
        let known = out.entry(instruction.line).or_insert(fate);
        if *known == Fate::Dropped {
            *known = fate;
        }
    }
    out
}

/// Returns for each instruction whether it was moved. The instructions that stay are the longest sequence of them whose lines do
/// not decrease, separately for each PTX function, since a called function may be part of its callers.
fn moved(function: &MachineFunction, owner: &HashMap<u32, usize>) -> Vec<Option<Moved>> {
    let mut out = vec![None; function.instructions.len()];
    let mut parts: BTreeMap<usize, Vec<(usize, u32)>> = BTreeMap::new();
    for (index, instruction) in function.instructions.iter().enumerate() {
        if let Some((line, owner)) = instruction.line.and_then(|line| Some((line, *owner.get(&line)?))) {
            parts.entry(owner).or_default().push((index, line));
        }
    }
    for part in parts.values() {
        let stays = longest(part);
        // The line of the next instruction that stays.
        let mut next: Vec<Option<u32>> = vec![None; part.len()];
        let mut following = None;
        for at in (0..part.len()).rev() {
            next[at] = following;
            following = if stays[at] { Some(part[at].1) } else { following };
        }
        let mut previous: Option<u32> = None;
        for (at, (index, line)) in part.iter().enumerate() {
            if stays[at] {
                previous = Some(*line);
                continue;
            }
            let after = previous.filter(|previous| previous > line).map(Moved::After);
            out[*index] = after.or_else(|| next[at].filter(|next| next < line).map(Moved::Before));
        }
    }
    out
}

/// Marks a longest subsequence of non-decreasing lines.
fn longest(part: &[(usize, u32)]) -> Vec<bool> {
    // For each length the position of the smallest last line of such a sequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; part.len()];
    for (at, (_, line)) in part.iter().enumerate() {
        let length = ends.partition_point(|end| part[*end].1 <= *line);
        before[at] = length.checked_sub(1).map(|last| ends[last]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut out = vec![false; part.len()];
    let mut at = ends.last().copied();
    while let Some(position) = at {
        out[position] = true;
        at = before[position];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassembly::MachineInstruction;
    use ptx_analysis::Analyzer;
    use ptx_analysis::registers::report;
    use ptx_analysis::target::find_architecture;

    const MODULE: &str = "\
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<6>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    mul.lo.u32 %r2, %r1, 3;
    mov.u32 %r4, 7;
    add.u32 %r3, %r2, %r1;
    st.global.u32 [%rd2], %r3;
    bra end;
end:
    ret;
}
";

    fn functions() -> Vec<PtxFunction> {
        functions_of(MODULE)
    }

    fn functions_of(text: &str) -> Vec<PtxFunction> {
        let snapshot = Snapshot::new(text);
        let mut analyzer = Analyzer::default();
        analyzer.keep_facts();
        analyzer.lints(&snapshot, &|| false).unwrap();
        let reports = report(&snapshot, &analyzer.facts(), find_architecture("sm_80"));
        PtxFunction::all(&snapshot, &reports)
    }

    fn code(lines: &[u32]) -> Disassembly {
        let instruction = |(index, line): (usize, &u32)| MachineInstruction {
            address: index as u64 * 16,
            text: "NOP".to_owned(),
            line: Some(*line).filter(|l| *l > 0),
            live: None,
            local: None,
        };
        let instructions = lines.iter().enumerate().map(instruction).collect();
        let function = MachineFunction { name: "k".to_owned(), instructions, labels: Vec::new() };
        Disassembly { functions: vec![function] }
    }

    #[test]
    fn lines_without_instructions() {
        let ties = Ties::new(&mut code(&[5, 10, 13, 14, 17]), &functions());
        let words: Vec<(u32, String)> = ties.lines.iter().map(|l| (l.line, l.words())).collect();
        let words: Vec<(u32, &str)> = words.iter().map(|(line, words)| (*line, words.as_str())).collect();
        assert_eq!(
            words,
            [
                // The address is read by the load, also through another register.
                (8, "merged into line 10"),
                (9, "merged into line 10"),
                (10, "1 instruction"),
                (11, "merged into line 13"),
                (12, "dropped: no instruction"),
                (13, "1 instruction"),
                (14, "1 instruction"),
                (15, "dropped: no instruction"),
                (17, "1 instruction"),
            ]
        );
        // The line of the brace has no PTX instruction.
        assert_eq!(ties.line(5), None);
        assert_eq!(ties.line(10).map(|l| l.instructions.clone()), Some(vec![1]));
    }

    #[test]
    fn instructions_out_of_order() {
        let ties = Ties::new(&mut code(&[8, 13, 0, 10, 5, 11, 11, 9, 14, 17]), &functions());
        let at = |index: usize| ties.moved[0][index];
        assert_eq!((at(1), at(7)), (Some(Moved::Before(10)), Some(Moved::After(11))));
        assert_eq!(ties.moved[0].iter().flatten().count(), 2);
        assert_eq!(ties.line(13).unwrap().words(), "1 instruction, moved up before line 10");
        assert_eq!(ties.line(9).unwrap().words(), "1 instruction, moved down after line 11");
        assert_eq!(ties.line(11).unwrap().words(), "2 instructions");
        let ties = Ties::new(&mut code(&[8, 13, 10, 13]), &functions());
        assert_eq!(ties.line(13).unwrap().words(), "2 instructions, 1 moved up before line 10");
        assert_eq!(ties.line(13).unwrap().fate.name(), "moved");
    }

    /// The assembler may name any line of a statement. Two statements that share a line are tied together.
    #[test]
    fn statements_over_several_lines() {
        let text = MODULE
            .replace("ld.global.u32 %r1, [%rd2];", "ld.global.u32\n        %r1,\n        [%rd2];")
            .replace("%r2, %r1, 3;\n    mov.u32", "%r2,\n        %r1, 3; mov.u32");
        let functions = functions_of(&text);
        let spans: Vec<(u32, u32)> = functions[0].instructions.iter().map(|i| (i.line, i.end_line)).collect();
        assert_eq!(spans, [(8, 8), (9, 9), (10, 12), (13, 14), (13, 14), (15, 15), (16, 16), (17, 17), (19, 19)]);
        for (load, product) in [(10, 13), (11, 14), (12, 13)] {
            let mut code = code(&[8, load, product, 15, 5, 16]);
            let ties = Ties::new(&mut code, &functions);
            let lines: Vec<Option<u32>> = code.functions[0].instructions.iter().map(|i| i.line).collect();
            assert_eq!(lines, [8, 10, 13, 15, 5, 16].map(Some));
            let words: Vec<Option<String>> = (8..=15).map(|line| Some(ties.line(line)?.words())).collect();
            let one = Some("1 instruction".to_owned());
            let merged = Some("merged into line 10".to_owned());
            let expected = [&one, &merged, &one, &one, &one, &one, &one, &one];
            assert_eq!(words.iter().collect::<Vec<_>>(), expected, "lines {load} and {product}");
            assert_eq!(ties.line(12).map(|section| (section.line, section.end_line)), Some((10, 12)));
        }
    }

    #[test]
    fn functions_without_code_are_left_out() {
        assert_eq!(Ties::new(&mut code(&[0, 5, 99]), &functions()).lines, []);
    }
}
