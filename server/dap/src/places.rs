//! The source positions of instructions: lines of the PTX source, lines of the original files, addresses.

use super::types::DapSource;
use ptx_flow::program::{ModuleProgram, ProgramFunction, SourceLocation};
use ptx_gate::files::{self, BoundedFolder};
use ptx_gate::names::{FileName, UriForm};
use ptx_interp::decode::Executable;
use ptx_interp::findings::InstructionSite;
use ptx_syntax::Rope;
use ptx_syntax::statements::StatementLines;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of low bits of an address that hold the byte offset in its function.
const FUNCTION: u32 = 32;

/// Size of an instruction in the disassembly, in bytes.
pub const INSTRUCTION: u64 = 16;

/// The address of an instruction in the disassembly: each function begins at a multiple of 4 GiB.
pub fn address(site: InstructionSite) -> u64 {
    ((u64::from(site.function) + 1) << FUNCTION) | (u64::from(site.instruction) * INSTRUCTION)
}

/// The instruction at an address. It may not exist.
pub fn site(address: u64) -> Option<InstructionSite> {
    let function = u32::try_from((address >> FUNCTION).checked_sub(1)?).ok()?;
    let instruction = (address & ((1 << FUNCTION) - 1)) / INSTRUCTION;
    Some(InstructionSite { function, instruction: instruction as u32 })
}

/// A line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// The number of the file in `.file` directives; nothing for the PTX source.
    pub file: Option<u32>,
    /// The line, from 1.
    pub line: usize,
}

/// A position in a text, before the conversion to the line and column numbers of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: SourceLine,
    /// The column, from 1, in UTF-16 code units.
    pub column: usize,
    /// Line and column of the end, if the end is known.
    pub end: Option<(usize, usize)>,
}

/// The instructions that a breakpoint in a text resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedBreakpoint {
    /// The instructions at which it stops.
    pub sites: Vec<InstructionSite>,
    /// The line of these instructions.
    pub line: usize,
}

/// How the client writes paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PathFormat {
    /// As paths of the system.
    #[default]
    Path,
    /// As URIs.
    Uri,
}

impl PathFormat {
    /// The path of a source that the client names. A URI is understood in both formats.
    pub fn path(written: &str) -> Option<PathBuf> {
        FileName::of_uri(written).path().or_else(|| (!written.is_empty()).then(|| PathBuf::from(written)))
    }

    fn written(self, path: &Path) -> String {
        let uri = FileName::of_path(path).uri(UriForm::default()).filter(|_| self == Self::Uri).map(Into::into);
        uri.unwrap_or_else(|| path.to_string_lossy().into_owned())
    }
}

/// The text positions of all instructions that a kernel can reach.
#[derive(Debug)]
pub struct SourceMap {
    program: Arc<ModuleProgram>,
    rope: Rope,
    /// The PTX file.
    pub path: PathBuf,
    /// How the client writes paths.
    pub format: PathFormat,
    /// True if frames show the files that `.loc` names, if these exist.
    pub original: bool,
    /// The files of `.file` directives that were found, by number.
    files: HashMap<u32, PathBuf>,
    lines: BTreeMap<SourceLine, Vec<InstructionSite>>,
    /// The instructions of the PTX source by line.
    statements: StatementLines,
    kernel: Box<str>,
}

impl SourceMap {
    /// Builds the map of a program. Files that `.loc` names must be inside `folder`.
    pub fn new(executable: &Executable, text: &str, path: PathBuf, folder: &Path, original: bool) -> Self {
        let program = Arc::clone(&executable.program);
        let rope = Rope::from_str(text);
        let folder = BoundedFolder::new(folder).ok();
        let file = |name: &str| folder.as_ref().and_then(|folder| find(folder, name));
        let files = program.files.iter().filter_map(|(n, name)| Some((*n, file(name)?))).collect();
        let kernel = program.functions.get(executable.entry as usize).map_or("", |k| &k.name).into();
        let format = PathFormat::default();
        let (lines, statements) = (BTreeMap::new(), StatementLines::default());
        let mut out = Self { program, rope, path, format, original, files, lines, statements, kernel };
        let mut ranges = Vec::new();
        for (function, callable) in out.program.functions.iter().enumerate() {
            let (Some(body), true) = (&callable.body, executable.code(function as u32).is_some()) else { continue };
            let mut last = None;
            for (index, instruction) in body.instructions.iter().enumerate() {
                let site = InstructionSite { function: function as u32, instruction: index as u32 };
                let range = instruction.range.start as usize..instruction.range.end as usize;
                let range = callable.start + range.start..callable.start + range.end;
                let line = out.rope.byte_to_line(range.start) + 1;
                ranges.push(range);
                let sites = out.lines.entry(SourceLine { file: None, line }).or_default();
                // One stop per function in each line, even if the line has several instructions.
                if sites.last().is_none_or(|s| s.function != site.function) {
                    sites.push(site);
                }
                let place = location(callable, index as u32).map(|l| (l.file, l.line));
                if let Some((file, line)) = place.filter(|_| place != last) {
                    out.lines.entry(SourceLine { file: Some(file), line: line as usize }).or_default().push(site);
                }
                last = place;
            }
        }
        ranges.sort_by_key(|range| range.start);
        out.statements = StatementLines::new(&ranges, |offset| out.rope.byte_to_line(offset) + 1);
        out
    }

    /// The position of an instruction in the PTX source.
    pub fn ptx(&self, site: InstructionSite) -> TextPosition {
        let range = self.range(site);
        let (line, column) = self.position(range.start);
        let end = self.position(range.end);
        TextPosition { line: SourceLine { file: None, line }, column, end: Some(end) }
    }

    /// The position that frames show for an instruction: in the original file if that is enabled and the file exists.
    pub fn shown(&self, site: InstructionSite) -> TextPosition {
        let found = self.program.functions.get(site.function as usize).and_then(|c| location(c, site.instruction));
        match found.filter(|l| self.original && self.files.contains_key(&l.file)) {
            Some(l) => TextPosition {
                line: SourceLine { file: Some(l.file), line: l.line as usize },
                column: l.column.max(1) as usize,
                end: None,
            },
            None => self.ptx(site),
        }
    }

    /// The text of an instruction on one line, shortened.
    pub fn text(&self, site: InstructionSite) -> String {
        let range = self.range(site);
        let Some(text) = self.rope.get_byte_slice(range) else { return String::new() };
        let mut out = String::new();
        for word in text.to_string().split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            // Some instructions have a list of hundreds of registers.
            if out.len() > 1000 {
                out.push('…');
                break;
            }
        }
        out
    }

    /// The byte range of an instruction in the PTX source.
    pub fn range(&self, site: InstructionSite) -> Range<usize> {
        let callable = self.program.functions.get(site.function as usize);
        let instruction = callable.and_then(|c| c.body.as_ref()?.instructions.get(site.instruction as usize));
        match (callable, instruction) {
            (Some(c), Some(i)) => c.start + i.range.start as usize..c.start + i.range.end as usize,
            // After the last instruction: the end of the body.
            (Some(c), None) => {
                let end = c.body.as_ref().map_or(0, |b| b.body.end as usize);
                let end = (c.start + end).min(self.rope.len_bytes());
                end.saturating_sub(1)..end
            }
            _ => 0..0,
        }
    }

    /// Line and column of a byte offset, both from 1; the column in UTF-16 code units.
    fn position(&self, offset: usize) -> (usize, usize) {
        let char = self.rope.byte_to_char(offset.min(self.rope.len_bytes()));
        let line = self.rope.char_to_line(char);
        let first = self.rope.char_to_utf16_cu(self.rope.line_to_char(line));
        (line + 1, self.rope.char_to_utf16_cu(char) - first + 1)
    }

    /// The source with this file number; `None` is the PTX source.
    pub fn source(&self, file: Option<u32>) -> DapSource {
        self.named(self.file(file))
    }

    /// The path of the source with this file number; `None` is the PTX source.
    pub fn file(&self, file: Option<u32>) -> &Path {
        file.and_then(|number| self.files.get(&number)).unwrap_or(&self.path)
    }

    fn named(&self, path: &Path) -> DapSource {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        DapSource { name, path: Some(self.format.written(path)), source_reference: None }
    }

    /// All sources: the PTX source and the original files that were found.
    pub fn sources(&self) -> Vec<DapSource> {
        let mut files: Vec<&PathBuf> = self.files.values().collect();
        files.sort();
        files.dedup();
        std::iter::once(&self.path).chain(files).map(|path| self.named(path)).collect()
    }

    /// The file numbers that a path denotes: `None` for the PTX source, otherwise those of `.file` directives. Empty if
    /// the path is neither.
    pub fn files(&self, path: &Path) -> Vec<Option<u32>> {
        if same(path, &self.path) {
            return vec![None];
        }
        let mut found: Vec<Option<u32>> =
            self.files.iter().filter(|(_, p)| same(path, p)).map(|(n, _)| Some(*n)).collect();
        found.sort();
        found
    }

    /// The lines from `from` to `to` that have instructions.
    pub fn lines(
        &self,
        file: Option<u32>,
        from: usize,
        to: usize,
    ) -> impl Iterator<Item = (usize, &[InstructionSite])> {
        let range = SourceLine { file, line: from }..=SourceLine { file, line: to.max(from) };
        self.lines.range(range).map(|(l, sites)| (l.line, &**sites))
    }

    /// Resolves a breakpoint: to the statement that its line belongs to, or to the next line with instructions of the same function.
    ///
    /// # Errors A message that says why there is none.
    pub fn resolve(&self, files: &[Option<u32>], line: usize) -> Result<ResolvedBreakpoint, String> {
        let line = self.statements.at(line).filter(|_| files == [None]).map_or(line, |statement| statement.first);
        let next = files.iter().filter_map(|f| self.lines(*f, line, usize::MAX).next());
        let Some((found, _)) = next.min_by_key(|(l, _)| *l) else {
            return Err(match files {
                [] => format!("`{}` executes nothing in this file", self.kernel),
                [None] => self.why_not(line),
                _ => "neither this line nor a later one has an instruction".to_owned(),
            });
        };
        if files == [None] && found != line && !self.same_item(line, found) {
            return Err(self.why_not(line));
        }
        let sites = files.iter().flat_map(|f| self.lines(*f, found, found)).flat_map(|(_, s)| s.to_vec()).collect();
        Ok(ResolvedBreakpoint { sites, line: found })
    }

    /// The first instruction of a function.
    ///
    /// # Errors A message that says why there is none.
    pub fn function(&self, name: &str, executable: &Executable) -> Result<InstructionSite, String> {
        let named = self.program.function(name.trim());
        let Some(index) = named else { return Err(format!("there is no function `{name}` in this module")) };
        if executable.code(index as u32).is_none() {
            return Err(format!("`{}` does not call `{name}`", self.kernel));
        }
        Ok(InstructionSite { function: index as u32, instruction: 0 })
    }

    /// The name of a function.
    pub fn name(&self, function: u32) -> &str {
        self.program.functions.get(function as usize).map_or("", |c| &c.name)
    }

    /// The number of instructions of a function.
    pub fn instructions(&self, function: u32) -> u32 {
        let body = self.program.functions.get(function as usize).and_then(|c| c.body.as_ref());
        body.map_or(0, |b| b.instructions.len() as u32)
    }

    /// The function or label that begins at an instruction.
    pub fn symbol(&self, site: InstructionSite) -> Option<String> {
        let callable = self.program.functions.get(site.function as usize)?;
        if site.instruction == 0 {
            return Some(callable.name.to_string());
        }
        let labels = &callable.body.as_ref()?.labels;
        labels.iter().find(|l| l.target == site.instruction).map(|l| l.name.to_string())
    }

    /// The function that contains a line, with its range of lines.
    fn item(&self, line: usize) -> Option<(&ProgramFunction, Range<usize>)> {
        self.program.functions.iter().find_map(|c| {
            let end = c.start + c.body.as_ref()?.body.end as usize;
            let range = self.position(c.start).0..self.position(end.min(self.rope.len_bytes())).0 + 1;
            range.contains(&line).then_some((c, range))
        })
    }

    fn same_item(&self, line: usize, found: usize) -> bool {
        match self.item(line) {
            Some((_, range)) => range.contains(&found),
            // A line above a function, such as that of its launch, belongs to the function that comes next.
            None => self.item(found).is_some_and(|(_, range)| {
                let between = line + 1..range.start;
                !between.into_iter().any(|l| self.item(l).is_some())
            }),
        }
    }

    fn why_not(&self, line: usize) -> String {
        match self.item(line) {
            Some((callable, _)) if *callable.name == *self.kernel => "no instruction follows in this kernel".to_owned(),
            Some((callable, range)) => match self.lines(None, range.start, range.end).next() {
                Some(_) => format!("no instruction follows in `{}`", callable.name),
                None => format!("`{}`, which runs, does not call `{}`", self.kernel, callable.name),
            },
            None => format!("no instruction of `{}` follows here", self.kernel),
        }
    }
}

/// The `.loc` directive that applies to an instruction.
fn location(callable: &ProgramFunction, instruction: u32) -> Option<SourceLocation> {
    let next = callable.locations.partition_point(|l| l.instruction <= instruction);
    callable.locations.get(next.checked_sub(1)?).copied().filter(|l| l.line > 0)
}

/// The path of a file that a `.file` directive names, if the file is inside `folder`.
fn find(folder: &BoundedFolder, name: &str) -> Option<PathBuf> {
    let path = folder.resolve(Path::new(name)).ok()?;
    files::metadata(&path).is_ok().then_some(path)
}

/// Whether two paths denote the same file.
fn same(a: &Path, b: &Path) -> bool {
    let is_same = |a: &Path, b: &Path| FileName::of_path(a) == FileName::of_path(b);
    is_same(a, b) || matches!((files::real(a), files::real(b)), (Ok(a), Ok(b)) if is_same(&a, &b))
}
