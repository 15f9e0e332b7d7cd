//! What to run: the size of the grid, parameters, buffers and what is expected of them.
//!
//! A launch is written above a kernel, or in a file of its own with the same keys (which the caller reads):
//!
//! ```text
//! //! launch: grid=1 block=64 n=64 a=2.0 x=f32[64]:iota y=f32[64]:uniform(0,1,seed=7) out=f32[64]:zero
//! //! expect: out[3]=6.0 out[63]=126.0 ±1e-6
//! ```
//!
//! **Lines.** `launch:` begins a launch; `params:`, `globals:`, `buffers:` and `expect:` add to it, each as often as one likes. What
//! `buffers:` names is memory that no parameter holds, for tensor maps and for addresses in structs. Several launches may stand above a
//! kernel. An `expect:` without a launch goes with the launch that is guessed. A name of a `launch:` line is `grid`,
//! `block`, `cluster`, `shared` (bytes of dynamic shared memory), a parameter, or a variable of the module; in the other lines no name
//! is special.
//!
//! **Arguments.**
//!
//! | written | is |
//! |---|---|
//! | `n=64` `a=2.0` `m=0xff` | a number, of the type of the parameter; `0x…` gives a floating-point type its bits |
//! | `a=f16:2.0` | the same, of another type, where the parameter's is only bits |
//! | `x=f32[64]:iota` | a buffer; the parameter receives its address. Lengths may be products: `f32[32*8]` |
//! | `x=f32:[1, 2.5, nan]` | a buffer with these elements (`f32[8]:[…]`: zero behind them) |
//! | `x=u8:hex(00ff)` `x=f32:file(input.bin)` | a buffer with these bytes, those of a file |
//! | `y=&x` `y=&x+16` `f=&square` | the address of another buffer, of a variable, of a function |
//! | `p+8=&x` `p+16=u32:64` | the same for a part of a parameter that is an array: at byte 8, at byte 16. The rest of it is zero |
//! | `img={image=2d size=[64,32] format=f32}` | images, samplers, tensor maps: [`ptx_num::image::description`] |
//!
//! For a parameter that is an array of bytes (a struct by value) a buffer is its contents, not an address.
//!
//! Types: those of PTX without their dot, `f16 bf16 tf32 e4m3 e5m2 e2m3 e3m2 e2m1 ue8m0 ue4m3 ue5m3 s2f6` among them; of `e2m1` two
//! elements share a byte. Fills: `zero`, `iota`, `iota(start, step)`, `const(v)` (or just `v`), `uniform(low, high, seed=…)`,
//! `normal(mean, deviation, seed=…)`, `nan`, `poison` (never written): [`Fill`].
//!
//! **Expectations.**
//!
//! | written | holds if |
//! |---|---|
//! | `out[3]=6.0` | the element has exactly these bits; `nan` is any NaN, `0x40c00000` are bits |
//! | `out[3]=6.0±1e-6` `±0.1%` `±2ulp` | it is so near: absolutely, relatively, in units of the last place (`+-` for `±`). Any of them will do. |
//! | `out[3]=6.0 out[4]=7.0 ±1e-6` | the same for all that stand before it in the line and have none of their own |
//! | `out[3]=5.5..6.5` | it lies between them, both included |
//! | `out[0..4]=[1, 2, 3, 4]` | these elements have these values; the end of a range is excluded |
//! | `out=[1, 2, 3]` | the first elements have these values |
//! | `out=iota` `out[8..16]=zero` `out=7` | all of them have; a fill counts from the first element of the range |
//! | `out=y` `out=x[8..16]` | it is as another buffer is after the run, of the same type |
//! | `out:u32[0]=0x3f800000` | looked at as another type |
//! | `out=poison` | nobody has written there |
//! | `counter=5` | a variable of the module, in `.global` memory |
//! | `fault=out-of-bounds` | the run finds this, and nothing else that is not named |
//! | `status=deadlock` | the run ends so: `finished`, `fault`, `limit`, `deadlock` |
//! | `printed="x = 3\n"` | that is all it prints |

mod argument;
mod bind;
mod bounds;
mod cursor;
mod expectation;
mod fill;
mod guess;
mod images;
mod random;
mod settle;
mod source;
#[cfg(test)]
mod tests;
mod usage;
mod verdict;
mod write;

pub use crate::notation::{Element, Float, Kind, Number};
pub use argument::{Names, argument, dimensions, fill, hexadecimal, unknown_element};
pub use bind::{Bound, Place, Placed, Snapshot, bind};
pub use cursor::is_name;
pub use expectation::{Condition, Expectation, Expected, Part, Subject, Tolerance, expectations};
pub use fill::Fill;
pub use guess::{Guessed, complete};
pub use settle::settle;
pub use source::{Found, launches, written};
pub use verdict::{Verdict, name as status_name, unexpected, verdicts};

use std::ops::Range;

/// What to run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    /// The kernel.
    pub entry: Box<str>,
    /// CTAs of the grid; nothing where it is not said.
    pub grid: Option<[u32; 3]>,
    /// Threads of a CTA.
    pub block: Option<[u32; 3]>,
    /// CTAs of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// Parameters, in the order in which they are written.
    pub parameters: Vec<Given>,
    /// Initial contents of variables of the module.
    pub globals: Vec<Given>,
    /// Buffers that no parameter holds: what tensor maps, images and addresses in structs lead to.
    pub buffers: Vec<Given>,
    /// What must hold after the run.
    pub expectations: Vec<Expectation>,
    /// Where it is written, in bytes; empty if nowhere.
    pub range: Range<usize>,
}

impl Launch {
    /// What has a buffer or an image of its own.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Given> {
        self.parameters.iter().chain(&self.buffers)
    }

    /// Replaces files by their bytes, which the caller reads: the path is as it is written.
    pub fn read_files(&mut self, read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for given in self.parameters.iter_mut().chain(&mut self.globals).chain(&mut self.buffers) {
            let mut bytes = |path: &str| {
                let read = read(path).map_err(|why| Mistake::new(given.range.clone(), format!("`{path}`: {why}")));
                read.map_err(|mistake| mistakes.push(mistake)).ok()
            };
            match &mut given.argument {
                Argument::Buffer(buffer) => {
                    if let Contents::File(path) = &buffer.contents
                        && let Some(bytes) = bytes(path)
                    {
                        buffer.contents = Contents::Bytes(bytes);
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
}

/// An argument and what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The parameter or the variable.
    pub name: Box<str>,
    /// Byte offset in it: for a part of a parameter that is an array.
    pub offset: Option<u64>,
    /// What it gets.
    pub argument: Argument,
    /// Where that is written, in bytes; empty if nowhere.
    pub range: Range<usize>,
}

impl Given {
    /// An argument that is written nowhere.
    pub fn new(name: &str, argument: Argument) -> Self {
        Self { name: name.into(), offset: None, argument, range: 0..0 }
    }

    /// As it is written: `x`, `p+8`.
    pub fn title(&self) -> String {
        self.offset.map_or_else(|| self.name.to_string(), |at| format!("{}+{at}", self.name))
    }
}

/// What a parameter or a variable gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number: of the parameter's type, or of one that is named.
    Number(Option<Element>, Number),
    /// Memory of its own, whose address it receives; the contents of a variable, or of a parameter that is an array.
    Buffer(Buffer),
    /// The address of another buffer, a variable or a function, and what is added to it.
    Address(Box<str>, i64),
    /// What other parts of the machine understand: images, samplers, tensor maps.
    Table(Vec<(String, Field)>),
}

/// A value in an [`Argument::Table`].
pub use ptx_num::image::description::TableValue as Field;

/// Memory and what is in it at first.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// The type of its elements.
    pub element: Element,
    /// How many; nothing if the contents say so.
    pub length: Option<u64>,
    /// What is in it.
    pub contents: Contents,
}

/// What is in a buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// By a rule.
    Fill(Fill),
    /// These elements, zeros behind them.
    Elements(Vec<Number>),
    /// These bytes, zeros behind them.
    Bytes(Vec<u8>),
    /// The bytes of a file, which the caller must read.
    File(Box<str>),
}

impl Buffer {
    /// So many elements, filled by a rule.
    pub fn filled(element: Element, length: u64, fill: Fill) -> Self {
        Self { element, length: Some(length), contents: Contents::Fill(fill) }
    }

    /// Its size in bytes; nothing if that is too large for a number, or the contents are still in a file.
    pub fn bytes(&self) -> Option<u64> {
        let contents = match &self.contents {
            Contents::Fill(_) => 0,
            Contents::Elements(elements) => self.element.bytes(elements.len() as u64)?,
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::File(_) => self.length.map(|_| 0)?,
        };
        match self.length {
            Some(length) => self.element.bytes(length),
            None => Some(contents),
        }
    }
}

/// Something in a launch that cannot be understood or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where, in bytes; empty if it is written nowhere.
    pub range: Range<usize>,
    /// What is wrong: what is expected, what was found.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake without advice.
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: None }
    }

    /// With advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The names that a launch can have on the left and that are not parameters.
pub const SIZES: [&str; 4] = ["grid", "block", "cluster", "shared"];

/// Which of some names is meant by one that is misspelled.
pub(crate) fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let ranked = names.into_iter().map(|name| (distance(word, name), name));
    let (distance, name) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + word.len() / 4 && distance < name.len()).then_some(name)
}

/// The edit distance of two words, of which the first 64 letters count.
fn distance(a: &str, b: &str) -> usize {
    let begin = |word: &str| word.chars().take(64).collect::<String>();
    strsim::levenshtein(&begin(a), &begin(b))
}

/// `` `a`, `b` and `c` ``.
pub(crate) fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
