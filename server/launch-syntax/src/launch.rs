//! A launch: dimensions, arguments and expectations, as data.

use super::expectation::Expectation;
use super::fill::Fill;
use super::mistake::LaunchMistake;
use ptx_num::notation::{ElementFormat, Number};
use std::ops::Range;

/// A launch of a kernel: dimensions, arguments and expectations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    /// The name of the kernel.
    pub entry: Box<str>,
    /// Size of the grid in CTAs, per dimension; `None` if it is not specified.
    pub grid: Option<[u32; 3]>,
    /// Size of a CTA in threads, per dimension; `None` if it is not specified.
    pub block: Option<[u32; 3]>,
    /// Size of a cluster in CTAs, per dimension; `None` if it is not specified.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; `None` if it is not specified.
    pub shared: Option<u32>,
    /// Arguments for parameters, in the order of the text.
    pub parameters: Vec<NamedArgument>,
    /// Initial contents for variables of the module.
    pub globals: Vec<NamedArgument>,
    /// Buffers that no parameter points to. Tensor maps, images and addresses in structs refer to them.
    pub buffers: Vec<NamedArgument>,
    /// The expectations after the run.
    pub expectations: Vec<Expectation>,
    /// Byte range of the launch in the text; empty if it is not in a text.
    pub range: Range<usize>,
    /// Its lines, in the order of the text; empty if it is not in a text.
    pub lines: Vec<LineRange>,
}

impl Launch {
    /// Whether a `launch:` line begins it; otherwise it has only expectations, and the launch is guessed.
    pub fn is_written(&self) -> bool {
        self.lines.iter().any(|line| line.keyword == Keyword::Launch)
    }

    /// All entries that can have a buffer or an image of their own.
    pub fn named(&self) -> impl Iterator<Item = &NamedArgument> {
        self.parameters.iter().chain(&self.buffers)
    }

    /// Replaces paths of files by the bytes of the files, which `read` returns for a path as written. Returns the errors.
    pub fn read_files(&mut self, read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Vec<LaunchMistake> {
        let mut mistakes = Vec::new();
        for given in self.parameters.iter_mut().chain(&mut self.globals).chain(&mut self.buffers) {
            let mut bytes = |path: &str| {
                let read =
                    read(path).map_err(|why| LaunchMistake::new(given.range.clone(), format!("`{path}`: {why}")));
                read.map_err(|mistake| mistakes.push(mistake)).ok()
            };
            match &mut given.argument {
                Argument::Buffer(buffer) => {
                    if let BufferContents::File(path) = &buffer.contents
                        && let Some(bytes) = bytes(path)
                    {
                        buffer.contents = BufferContents::Bytes(bytes);
                    }
                }
                Argument::Table(table) => {
                    for (key, value) in table.iter_mut().filter(|(key, _)| key == "file") {
                        if let Field::Text(path) = value
                            && let Some(bytes) = bytes(path)
                        {
                            "hex".clone_into(key);
                            *value = Field::Text(bytes.iter().map(|b| format!("{b:02x}")).collect());
                        }
                    }
                }
                Argument::Number(..) | Argument::Address(..) => {}
            }
        }
        mistakes
    }

    /// Puts back arguments that name files, as `written` has them, in place of the bytes of the files.
    pub fn forget_files(&mut self, written: &Self) {
        let given = written.parameters.iter().chain(&written.globals).chain(&written.buffers);
        let files: Vec<&NamedArgument> = given.filter(|given| given.argument.names_file()).collect();
        let all = self.parameters.iter_mut().chain(&mut self.globals).chain(&mut self.buffers);
        for given in all {
            let same = |file: &&&NamedArgument| {
                (&file.name, file.offset, &file.range) == (&given.name, given.offset, &given.range)
            };
            if let Some(file) = files.iter().find(same) {
                given.argument = file.argument.clone();
            }
        }
    }
}

impl Argument {
    /// The bits of an integer that has no format of its own; `None` for anything else, and if it has more than 64 bits.
    pub fn integer(&self) -> Option<u64> {
        match self {
            Self::Number(None, Number::Integer { negative, magnitude }) => {
                let magnitude = u64::try_from(*magnitude).ok()?;
                Some(if *negative { magnitude.wrapping_neg() } else { magnitude })
            }
            Self::Number(None, Number::Bits(bits)) => u64::try_from(*bits).ok(),
            _ => None,
        }
    }

    /// Whether its contents are those of a file that has not been read.
    fn names_file(&self) -> bool {
        match self {
            Self::Buffer(buffer) => matches!(buffer.contents, BufferContents::File(_)),
            Self::Table(table) => table.iter().any(|(key, _)| key == "file"),
            Self::Number(..) | Self::Address(..) => false,
        }
    }
}

/// An argument with the name of its parameter or variable.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArgument {
    /// The parameter, the variable, or the buffer.
    pub name: Box<str>,
    /// Byte offset in the parameter, for a part of an array parameter.
    pub offset: Option<u64>,
    /// The value.
    pub argument: Argument,
    /// Byte range in the text; empty if it is not in a text.
    pub range: Range<usize>,
}

impl NamedArgument {
    /// An argument that is not in a text.
    pub fn new(name: &str, argument: Argument) -> Self {
        Self { name: name.into(), offset: None, argument, range: 0..0 }
    }

    /// The left side as written: `x`, `p+8`.
    pub fn title(&self) -> String {
        self.offset.map_or_else(|| self.name.to_string(), |at| format!("{}+{at}", self.name))
    }
}

/// The value for a parameter or a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number, in an explicit format or in that of the parameter.
    Number(Option<ElementFormat>, Number),
    /// Memory whose address the parameter receives. For a variable or an array parameter: its contents.
    Buffer(Buffer),
    /// The address of another buffer, a variable or a function, and a distance in bytes.
    Address(Box<str>, i64),
    /// A `{key=value …}` table that describes an image, a sampler or a tensor map.
    Table(Vec<(String, Field)>),
}

/// A value in an [`Argument::Table`].
pub use ptx_num::image::description::TableValue as Field;

/// A buffer and its initial contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// The element format.
    pub element: ElementFormat,
    /// Number of elements; `None` if the contents determine it.
    pub length: Option<u64>,
    /// The initial contents.
    pub contents: BufferContents,
}

/// The initial contents of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum BufferContents {
    /// Computed by a rule.
    Fill(Fill),
    /// These elements, followed by zeros.
    Elements(Vec<Number>),
    /// These bytes, followed by zeros.
    Bytes(Vec<u8>),
    /// The bytes of the file with this path, which the caller must read.
    File(Box<str>),
}

impl Buffer {
    /// A buffer of `length` elements, filled by a rule.
    pub fn filled(element: ElementFormat, length: u64, fill: Fill) -> Self {
        Self { element, length: Some(length), contents: BufferContents::Fill(fill) }
    }

    /// Size in bytes; `None` if it overflows, or depends on a file that has not been read.
    pub fn bytes(&self) -> Option<u64> {
        let contents = match &self.contents {
            BufferContents::Fill(_) => 0,
            BufferContents::Elements(elements) => self.element.bytes(elements.len() as u64)?,
            BufferContents::Bytes(bytes) => bytes.len() as u64,
            BufferContents::File(_) => self.length.map(|_| 0)?,
        };
        match self.length {
            Some(length) => self.element.bytes(length),
            None => Some(contents),
        }
    }
}

/// The word with which a line of a launch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// `launch:` begins a launch. `grid`, `block`, `cluster` and `shared` are sizes, other names are parameters.
    Launch,
    /// `params:`, in which all names are parameters.
    Parameters,
    /// `globals:`, in which all names are variables of the module.
    Globals,
    /// `buffers:`, in which all names are those of buffers without a parameter.
    Buffers,
    /// `expect:`, which contains expectations.
    Expect,
}

impl Keyword {
    /// All keywords.
    pub const ALL: [Self; 5] = [Self::Launch, Self::Parameters, Self::Globals, Self::Buffers, Self::Expect];

    /// The word itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Parameters => "params",
            Self::Globals => "globals",
            Self::Buffers => "buffers",
            Self::Expect => "expect",
        }
    }
}

/// Where a line of a launch stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRange {
    /// The word with which it begins.
    pub keyword: Keyword,
    /// Its byte range, from `//!` on.
    pub range: Range<usize>,
}

/// Names on the left side of a `launch:` line that are not parameters.
pub const SIZES: [&str; 4] = ["grid", "block", "cluster", "shared"];
