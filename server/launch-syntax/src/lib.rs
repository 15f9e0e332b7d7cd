//! The language of launches: the size of the grid, parameters, buffers, and expectations, from text to values with places and errors.
//!
//! It must *not* know a machine or the meaning of PTX: whether a kernel has a parameter, and what an argument does to memory, is decided in
//! `ptx-launch`. A launch is written above a kernel, or in a separate file with the same keys (which the caller reads):
//!
//! ```text
//! //! launch: grid=1 block=64 n=64 a=2.0 x=f32[64]:iota y=f32[64]:uniform(0,1,seed=7) out=f32[64]:zero
//! //! expect: out[3]=6.0 out[63]=126.0 ±1e-6
//! ```
//!
//! **Lines.** `launch:` begins a launch. `params:`, `globals:`, `buffers:` and `expect:` add to it, each any number of times. `buffers:`
//! defines memory that no parameter points to, for tensor maps and for addresses in structs. A kernel can have several launches. An
//! `expect:` without a launch belongs to the guessed launch. A name in a `launch:` line is `grid`, `block`, `cluster`, `shared` (bytes of
//! dynamic shared memory), a parameter, or a variable of the module. In the other lines no name is special.
//!
//! **Arguments.**
//!
//! | syntax | meaning |
//! |---|---|
//! | `n=64` `a=2.0` `m=0xff` | a number of the parameter's type; for a floating-point type `0x…` is the encoding |
//! | `a=f16:2.0` | a number of another type, for parameters that are declared as bits |
//! | `x=f32[64]:iota` | a buffer; the parameter receives its address. Lengths may be products: `f32[32*8]` |
//! | `x=f32:[1, 2.5, nan]` | a buffer with these elements (`f32[8]:[…]`: followed by zeros) |
//! | `x=u8:hex(00ff)` `x=f32:file(input.bin)` | a buffer with these bytes, or with the bytes of a file |
//! | `y=&x` `y=&x+16` `f=&square` | the address of another buffer, of a variable, of a function |
//! | `p+8=&x` `p+16=u32:64` | a part of an array parameter: at byte 8, at byte 16. Its other bytes are zero |
//! | `img={image=2d size=[64,32] format=f32}` | images, samplers, tensor maps: [`ptx_num::image::description`] |
//!
//! For a parameter that is an array of bytes (a struct by value), a buffer is its contents, not an address.
//!
//! Types: those of PTX without the dot, including `f16 bf16 tf32 e4m3 e5m2 e2m3 e3m2 e2m1 ue8m0 ue4m3 ue5m3 s2f6`; two elements of `e2m1`
//! share a byte. Fills: `zero`, `iota`, `iota(start, step)`, `const(v)` (or just `v`), `uniform(low, high, seed=…)`,
//! `normal(mean, deviation, seed=…)`, `nan`, `poison` (never written): [`Fill`].
//!
//! **Expectations.**
//!
//! | syntax | holds if |
//! |---|---|
//! | `out[3]=6.0` | the element has exactly these bits; `nan` is any NaN, `0x40c00000` are bits |
//! | `out[3]=6.0±1e-6` `±0.1%` `±2ulp` | it is within an absolute or relative tolerance, or this many units of the last place (`+-` for `±`). One of several suffices. |
//! | `out[3]=6.0 out[4]=7.0 ±1e-6` | the same for all values before it in the line without a tolerance of their own |
//! | `out[3]=5.5..6.5` | it lies between them, both included |
//! | `out[0..4]=[1, 2, 3, 4]` | these elements have these values; the end of a range is excluded |
//! | `out=[1, 2, 3]` | the first elements have these values |
//! | `out=iota` `out[8..16]=zero` `out=7` | all elements have these values; a fill counts from the first element of the range |
//! | `out=y` `out=x[8..16]` | it equals another buffer after the run, of the same type |
//! | `out:u32[0]=0x3f800000` | the value, read as another type |
//! | `out=poison` | no thread has written to it |
//! | `counter=5` | a variable of the module, in `.global` memory |
//! | `fault=out-of-bounds` | the run has this finding, and no other finding that the expectations do not name |
//! | `status=deadlock` | the run ends like this: `finished`, `fault`, `limit`, `deadlock` |
//! | `printed="x = 3\n"` | the kernel prints exactly this |

mod argument;
mod cursor;
mod expectation;
mod fill;
mod random;
mod source;
#[cfg(test)]
mod tests;
mod write;

pub use argument::{argument, dimensions, fill, fits, hexadecimal, unknown_element};
pub use cursor::is_name;
pub use expectation::{
    Condition, ElementSelection, Expectation, ExpectationSubject, ExpectedElements, Tolerance, Word, expectations,
};
pub use fill::Fill;
pub use source::{FunctionSpan, Keyword, LineRange, ParsedLaunches, launches, written};
pub use write::LineText;

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

/// An error in a launch: text that cannot be parsed, or an impossible request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchMistake {
    /// Byte range in the text; empty if it is not in a text.
    pub range: Range<usize>,
    /// The error: the expected and the actual text.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl LaunchMistake {
    /// An error without advice.
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Names on the left side of a `launch:` line that are not parameters.
pub const SIZES: [&str; 4] = ["grid", "block", "cluster", "shared"];

/// The name that a misspelled word probably means; `None` if no name is similar.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let ranked = names.into_iter().map(|name| (distance(word, name), name));
    let (distance, name) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + word.len() / 4 && distance < name.len()).then_some(name)
}

/// The edit distance of two words; only their first 64 characters count.
fn distance(a: &str, b: &str) -> usize {
    let begin = |word: &str| word.chars().take(64).collect::<String>();
    strsim::levenshtein(&begin(a), &begin(b))
}

/// The quoted names as a list: `` `a`, `b` and `c` ``.
pub fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
