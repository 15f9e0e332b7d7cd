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
mod launch;
mod mistake;
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
pub use launch::{Argument, Buffer, BufferContents, Field, Keyword, Launch, LineRange, NamedArgument, SIZES};
pub use mistake::{LaunchMistake, list, nearest};
pub use source::{FunctionSpan, ParsedLaunches, launches, written};
pub use write::LineText;
