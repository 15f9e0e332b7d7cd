//! Parser of the disassembler's listing: the machine instructions of each function, the PTX line of each (`-gp`), and the
//! number of registers that are live at it (`-plr -lrm count`).
//!
//! The listings of releases 11, 12 and 13 are alike. Lines that the parser does not know are skipped.

use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Name that the assembler gives to the module in its line table.
const MODULE_FILE: &str = ".nv_debug_ptx";

/// The instruction that fills a section up to its alignment.
const PADDING: &str = "NOP";

/// The annotation of an instruction that stores or loads a spilled register; releases from 13 on have it.
const SPILL: &str = "SpillRefill";

/// The beginning of labels that are not functions.
const LABEL: &str = ".L";

/// Opcodes of loads and stores of local memory.
const LOCAL: [&str; 2] = ["LDL", "STL"];

/// The number of live registers at an instruction, as the disassembler counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveCounts {
    /// General registers.
    pub general: u16,
    /// Uniform registers.
    pub uniform: u16,
    /// Predicates.
    pub predicates: u16,
    /// Uniform predicates.
    pub uniform_predicates: u16,
}

/// How an instruction uses local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalAccess {
    /// It stores or loads a spilled register.
    Spill,
    /// It stores or loads local memory. Releases before 13 do not tell a spill from a variable.
    Local,
}

/// A machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineInstruction {
    /// Its offset in the section of its function, in bytes.
    pub address: u64,
    /// Its text, with its guard.
    pub text: String,
    /// The PTX line that it comes from, from 1.
    pub line: Option<u32>,
    /// The live registers; `None` if the disassembler does not list them.
    pub live: Option<LiveCounts>,
    /// How it uses local memory; `None` if it does not.
    pub local: Option<LocalAccess>,
}

/// A function of the machine code: a kernel with the functions that its section holds, or a function of a relocatable module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MachineFunction {
    /// Its name, which is that in the module.
    pub name: String,
    /// Its instructions in the order of their addresses.
    pub instructions: Vec<MachineInstruction>,
    /// Labels, each with the index of the instruction that it stands before.
    pub labels: Vec<(usize, String)>,
}

/// A parsed listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disassembly {
    /// The functions in the order of the listing.
    pub functions: Vec<MachineFunction>,
}

/// The parts of a line that the parser knows.
enum ListingLine<'a> {
    /// A section begins: the name of its function, or `None` for a section without code.
    Section(Option<&'a str>),
    /// A label.
    Label(&'a str),
    /// The PTX line of the following instructions; `None` if they have none.
    Source(Option<u32>),
    /// An instruction: its address, and the rest of the line.
    Instruction(u64, &'a str),
}

impl<'a> ListingLine<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let text = line.trim();
        // Not `.sectioninfo`.
        if let Some(rest) = text.strip_prefix(".section").filter(|rest| rest.starts_with([' ', '\t'])) {
            let name = rest.trim_start().split([',', ' ', '\t']).next()?.trim_matches('"');
            return Some(Self::Section(name.strip_prefix(".text.")));
        }
        if let Some(rest) = text.strip_prefix("//##") {
            return source(rest).map(Self::Source);
        }
        if let Some(rest) = text.strip_prefix("/*") {
            let (address, rest) = rest.split_once("*/")?;
            return Some(Self::Instruction(u64::from_str_radix(address.trim(), 16).ok()?, rest));
        }
        let name = without_comment(text).strip_suffix(':')?;
        (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(Self::Label(name))
    }
}

/// Parses ` File ".nv_debug_ptx_txt", line 31`; line 0 is none. Returns `None` for a line of a source file, which precedes or
/// follows the PTX line of the same instruction.
fn source(text: &str) -> Option<Option<u32>> {
    let (file, rest) = text.trim_start().strip_prefix("File \"")?.split_once('"')?;
    if !file.starts_with(MODULE_FILE) {
        return None;
    }
    let number = rest.split_once("line ")?.1;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    Some(number[..digits].parse().ok().filter(|n| *n > 0))
}

fn without_comment(text: &str) -> &str {
    text.split("//").next().unwrap_or_default().trim_end()
}

/// Returns the text of an instruction and its annotation: `STL [R1], R2 (*"SpillRefill"*); // | 3 |`.
fn instruction(rest: &str) -> (String, &str) {
    let rest = without_comment(rest);
    let (text, annotation) = match rest.split_once("(*") {
        Some((text, more)) => (text, more.split("*)").next().unwrap_or_default().trim()),
        None => (rest, ""),
    };
    // Some releases print the encoding behind the instruction.
    let text = text.split("/*").next().unwrap_or_default();
    let text = text.trim().trim_start_matches('{').trim_end_matches(['}', ';', ' ', '\t']).trim();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // `(.L_x_1) with a grave accent before it names a label.
    while let Some((before, more)) = rest.split_once("`(") {
        let (name, after) = more.split_once(')').unwrap_or((more, ""));
        out.push_str(before);
        out.push_str(name);
        rest = after;
    }
    out.push_str(rest);
    (out, annotation.trim_matches('"'))
}

/// Returns the names of labels in a text.
fn labels_in(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '(', ')']).filter(|word| word.starts_with(LABEL))
}

/// Returns the opcode of an instruction without modifiers.
fn opcode(text: &str) -> &str {
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    text.trim_start().split(['.', ' ', ';']).next().unwrap_or_default()
}

impl Disassembly {
    /// Parses a listing with the PTX lines of instructions.
    pub fn read(text: &str) -> Self {
        let mut out = Self::default();
        let mut inside = false;
        let mut line = None;
        // Labels that some instruction names; the others mark places for tools.
        let mut targets: HashSet<String> = HashSet::new();
        for item in text.lines().filter_map(ListingLine::read) {
            match item {
                ListingLine::Section(name) => {
                    inside = name.is_some();
                    line = None;
                    if let Some(name) = name {
                        out.functions.push(MachineFunction { name: name.to_owned(), ..MachineFunction::default() });
                    }
                }
                _ if !inside => {}
                ListingLine::Source(number) => line = number,
                ListingLine::Label(name) => {
                    if let Some(function) = out.functions.last_mut()
                        && name != function.name
                        && !name.starts_with(".text.")
                    {
                        function.labels.push((function.instructions.len(), name.to_owned()));
                    }
                }
                ListingLine::Instruction(address, rest) => {
                    let (text, annotation) = instruction(rest);
                    // Data in a section of code.
                    if text.is_empty() || text.starts_with('.') {
                        continue;
                    }
                    let local = match LOCAL.contains(&opcode(&text)) {
                        _ if annotation.contains(SPILL) => Some(LocalAccess::Spill),
                        true => Some(LocalAccess::Local),
                        false => None,
                    };
                    targets.extend(labels_in(&text).chain(labels_in(annotation)).map(str::to_owned));
                    if let Some(function) = out.functions.last_mut() {
                        function.instructions.push(MachineInstruction { address, text, line, live: None, local });
                    }
                }
            }
        }
        out.functions.iter_mut().for_each(|f| f.trim(&targets));
        out.functions.retain(|f| !f.instructions.is_empty());
        out
    }

    /// Enters the live registers of a listing of the same code.
    pub fn add_live(&mut self, text: &str) {
        let by_name: HashMap<String, usize> =
            self.functions.iter().enumerate().map(|(index, f)| (f.name.clone(), index)).collect();
        let mut function: Option<&mut MachineFunction> = None;
        let mut columns: Vec<Column> = Vec::new();
        for line in text.lines() {
            match ListingLine::read(line) {
                Some(ListingLine::Section(name)) => {
                    let index = name.and_then(|name| by_name.get(name));
                    function = index.and_then(|index| self.functions.get_mut(*index));
                    columns.clear();
                }
                Some(ListingLine::Instruction(address, rest)) => {
                    let Some(function) = function.as_deref_mut() else { continue };
                    let Some((_, cells)) = rest.split_once("//") else { continue };
                    let found = function.instructions.binary_search_by_key(&address, |i| i.address);
                    if let Some(instruction) = found.ok().and_then(|at| function.instructions.get_mut(at)) {
                        instruction.live = live(&columns, cells);
                    }
                }
                _ => {
                    // The head of the table: `// | GPR   | PRED   | UGPR   |`.
                    if let Some((_, head)) = line.split_once("// |")
                        && let Some(found) = heads(head)
                    {
                        columns = found;
                    }
                }
            }
        }
    }
}

impl Disassembly {
    /// Returns the instructions as JSON for programs, those of all functions in one list.
    pub fn json(&self) -> Value {
        let of = |function: &MachineFunction| {
            let name = function.name.clone();
            let one = move |i: &MachineInstruction| {
                let live = i.live.map(|l| {
                    json!({
                        "general": l.general, "uniform": l.uniform,
                        "predicates": l.predicates, "uniform_predicates": l.uniform_predicates,
                    })
                });
                let local = i.local.map(|l| match l {
                    LocalAccess::Spill => "spill",
                    LocalAccess::Local => "local",
                });
                json!({
                    "function": name, "address": i.address, "text": i.text, "line": i.line, "live": live, "local": local,
                })
            };
            function.instructions.iter().map(one).collect::<Vec<_>>()
        };
        self.functions.iter().flat_map(of).collect()
    }
}

impl MachineFunction {
    /// Removes the padding at the end, and labels that are not branch targets.
    fn trim(&mut self, targets: &HashSet<String>) {
        let padding = |i: &MachineInstruction| i.text == PADDING;
        while self.instructions.len() > 1 && self.instructions.last().is_some_and(padding) {
            self.instructions.pop();
        }
        let count = self.instructions.len();
        // A label at the end names the size of the function.
        self.labels.retain(|(at, name)| *at < count && (!name.starts_with(LABEL) || targets.contains(name)));
        self.instructions.sort_by_key(|i| i.address);
    }

    /// Returns the largest number of live general registers, and the index of its first instruction.
    pub fn peak(&self) -> Option<(u16, usize)> {
        let live = self.instructions.iter().enumerate().filter_map(|(at, i)| Some((i.live?.general, at)));
        live.max_by_key(|(count, at)| (*count, usize::MAX - at))
    }
}

/// A column of the table of live registers.
#[derive(Debug, Clone, Copy)]
enum Column {
    General,
    Predicates,
    Uniform,
    UniformPredicates,
    Other,
}

/// Returns the columns of a head, if the line is one.
fn heads(text: &str) -> Option<Vec<Column>> {
    let column = |name: &str| match name {
        "GPR" => Column::General,
        "PRED" => Column::Predicates,
        "UGPR" => Column::Uniform,
        "UPRED" => Column::UniformPredicates,
        _ => Column::Other,
    };
    let names: Vec<&str> = text.trim_end().trim_end_matches('|').split('|').map(str::trim).collect();
    names.contains(&"GPR").then(|| names.into_iter().map(column).collect())
}

/// Parses `|   5   |   1    |        |`; `None` if the cells do not hold numbers.
fn live(columns: &[Column], cells: &str) -> Option<LiveCounts> {
    let cells = cells.trim().strip_prefix('|')?.trim_end_matches('|');
    let mut out = LiveCounts::default();
    for (column, cell) in columns.iter().zip(cells.split('|')) {
        // With other options the number is followed by marks for each register.
        let number = cell.split_whitespace().next().unwrap_or("0").parse().ok()?;
        match column {
            Column::General => out.general = number,
            Column::Predicates => out.predicates = number,
            Column::Uniform => out.uniform = number,
            Column::UniformPredicates => out.uniform_predicates = number,
            Column::Other => {}
        }
    }
    (!columns.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests;
