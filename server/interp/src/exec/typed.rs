//! One arm for each integer type.

/// Calls a generic function with the integer type that a name stands for: `by_type!(name, T => expression)`.
macro_rules! by_type {
    ($name:expr, $t:ident => $body:expr) => {
        match $name {
            ".u8" | ".b8" => {
                type $t = u8;
                $body
            }
            ".s8" => {
                type $t = i8;
                $body
            }
            ".u16" | ".b16" => {
                type $t = u16;
                $body
            }
            ".s16" => {
                type $t = i16;
                $body
            }
            ".u32" | ".b32" => {
                type $t = u32;
                $body
            }
            ".s32" => {
                type $t = i32;
                $body
            }
            ".u64" | ".b64" => {
                type $t = u64;
                $body
            }
            ".s64" => {
                type $t = i64;
                $body
            }
            other => Err($crate::decode::Refusal(format!("the type `{other}` is not known here"))),
        }
    };
}

/// The same for the elements of packed integers: `.u16x2`, `.s16x2`, `.u8x4`, `.s8x4`.
macro_rules! by_packed {
    ($name:expr, $t:ident => $body:expr) => {
        match $name {
            ".u16x2" => {
                type $t = u16;
                $body
            }
            ".s16x2" => {
                type $t = i16;
                $body
            }
            ".u8x4" => {
                type $t = u8;
                $body
            }
            ".s8x4" => {
                type $t = i8;
                $body
            }
            other => Err($crate::decode::Refusal(format!("the type `{other}` is not known here"))),
        }
    };
}

pub(crate) use {by_packed, by_type};
