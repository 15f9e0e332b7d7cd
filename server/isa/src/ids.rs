//! Names of the tables as enumerations, which the build script generates from the data files.
//!
//! Code refers to a modifier, a slot or an operand by a variant, so that a misspelt name does not compile. A `match` over
//! [`Exec`] is exhaustive, so it does not compile if it has no arm for a new key.

use crate::emit::Emit;
use std::fmt::{self, Write};

include!(concat!(env!("OUT_DIR"), "/ids.rs"));

impl Modifier {
    /// The name without its dot.
    pub fn word(self) -> &'static str {
        self.name().trim_start_matches('.')
    }
}

macro_rules! printed {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}
printed!(Exec Modifier OperandName SlotName);

macro_rules! emit_variant {
    ($($name:ident)*) => {$(
        impl Emit for $name {
            fn emit(&self, out: &mut String) {
                // Writing to a String cannot fail.
                let _ = write!(out, concat!(stringify!($name), "::{:?}"), self);
            }
        }
    )*};
}
emit_variant!(Exec OperandName SlotName);
