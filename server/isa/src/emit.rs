//! Tables that can print themselves as Rust source: the build script writes the source that the library includes.

use std::fmt::Write;

/// A value that can print itself as a Rust expression, with which the build script writes the tables.
pub trait Emit {
    /// Appends the expression to `out`.
    fn emit(&self, out: &mut String);

    /// The same for documentation. Texts become statics that are called `LATER`: in a browser the first part of the server's code
    /// comes without them, since only its second part reads documentation (`server/web/split`).
    fn emit_documentation(&self, out: &mut String) {
        self.emit(out);
    }
}

macro_rules! emit_by_debug {
    ($($t:ty),*) => {$(
        impl Emit for $t {
            fn emit(&self, out: &mut String) {
                // Writing to a String cannot fail.
                let _ = write!(out, "{self:?}");
            }
        }
    )*};
}
emit_by_debug!(bool, u8, u16, u32, u64, i64);

impl Emit for &'static str {
    fn emit(&self, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(out, "{self:?}");
    }

    fn emit_documentation(&self, out: &mut String) {
        let _ =
            write!(out, "{{static LATER:[u8;{}]=*b\"{}\";text(&LATER)}}", self.len(), self.as_bytes().escape_ascii());
    }
}

impl<T: Emit> Emit for &'static [T] {
    fn emit(&self, out: &mut String) {
        out.push_str("&[");
        for item in *self {
            item.emit(out);
            out.push(',');
        }
        out.push(']');
    }
}

impl<T: Emit> Emit for Option<T> {
    fn emit(&self, out: &mut String) {
        match self {
            None => out.push_str("None"),
            Some(value) => {
                out.push_str("Some(");
                value.emit(out);
                out.push(')');
            }
        }
    }
}

impl<T: Emit> Emit for &'static T {
    fn emit(&self, out: &mut String) {
        out.push('&');
        (**self).emit(out);
    }
}

macro_rules! table {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty,)* }
        impl Emit for $name {
            fn emit(&self, out: &mut String) {
                out.push_str(concat!(stringify!($name), "{"));
                $(
                    out.push_str(concat!(stringify!($field), ":"));
                    // Messages of checks quote notes.
                    if stringify!($field) == "doc" && stringify!($name) != "Note" || stringify!($name) == "Passage" {
                        self.$field.emit_documentation(out);
                    } else {
                        self.$field.emit(out);
                    }
                    out.push(',');
                )*
                out.push('}');
            }
        }
    )*};
}

macro_rules! choice {
    ($($(#[$meta:meta])* enum $name:ident { $($(#[$vmeta:meta])* $variant:ident $(($arg:ty))?,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant $(($arg))?,)* }
        impl Emit for $name {
            fn emit(&self, out: &mut String) {
                match self {
                    $(choice!(@pattern $name $variant $(($arg))? value) => {
                        out.push_str(concat!(stringify!($name), "::", stringify!($variant)));
                        $(choice!(@use $arg); out.push('('); value.emit(out); out.push(')');)?
                    })*
                }
            }
        }
    )*};
    (@pattern $name:ident $variant:ident ($arg:ty) $value:ident) => { $name::$variant($value) };
    (@pattern $name:ident $variant:ident $value:ident) => { $name::$variant };
    (@use $arg:ty) => {};
}

pub(super) use {choice, table};
