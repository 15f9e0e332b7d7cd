//! Macros that call a generic function with the integer type of an instruction.

use crate::machine::code::DecodeRefusal;
use ptx_isa::Modifier;

/// The refusal of a type that a function does not support; `None` stands for a type that is not written.
pub(super) fn unknown(ty: Option<Modifier>) -> DecodeRefusal {
    DecodeRefusal(format!("the type `{}` is not known here", ty.map_or("", Modifier::name)))
}

/// Evaluates an expression with the integer type that a modifier stands for: `by_type!(modifier, T => expression)`.
macro_rules! by_type {
    ($name:expr, $t:ident => $body:expr) => {
        match $name {
            Some(::ptx_isa::Modifier::U8 | ::ptx_isa::Modifier::B8) => {
                type $t = u8;
                $body
            }
            Some(::ptx_isa::Modifier::S8) => {
                type $t = i8;
                $body
            }
            Some(::ptx_isa::Modifier::U16 | ::ptx_isa::Modifier::B16) => {
                type $t = u16;
                $body
            }
            Some(::ptx_isa::Modifier::S16) => {
                type $t = i16;
                $body
            }
            Some(::ptx_isa::Modifier::U32 | ::ptx_isa::Modifier::B32) => {
                type $t = u32;
                $body
            }
            Some(::ptx_isa::Modifier::S32) => {
                type $t = i32;
                $body
            }
            Some(::ptx_isa::Modifier::U64 | ::ptx_isa::Modifier::B64) => {
                type $t = u64;
                $body
            }
            Some(::ptx_isa::Modifier::S64) => {
                type $t = i64;
                $body
            }
            other => Err($crate::exec::typed::unknown(other)),
        }
    };
}

/// Like `by_type!`, with the type of the elements of packed integers: `.u16x2`, `.s16x2`, `.u8x4`, `.s8x4`.
macro_rules! by_packed {
    ($name:expr, $t:ident => $body:expr) => {
        match $name {
            Some(::ptx_isa::Modifier::U16x2) => {
                type $t = u16;
                $body
            }
            Some(::ptx_isa::Modifier::S16x2) => {
                type $t = i16;
                $body
            }
            Some(::ptx_isa::Modifier::U8x4) => {
                type $t = u8;
                $body
            }
            Some(::ptx_isa::Modifier::S8x4) => {
                type $t = i8;
                $body
            }
            other => Err($crate::exec::typed::unknown(other)),
        }
    };
}

pub(crate) use {by_packed, by_type};
