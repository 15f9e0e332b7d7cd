//! `array-size`: a wrong array size, or a wrong number of names in a range such as `%r<4>`.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// What is wrong with the size of an array or the number of names in a range.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ArraySize {
    /// It is an expression, where only a number is allowed.
    NotANumber,
    /// The variable of this name has no size.
    Missing(Box<str>),
    /// An inner dimension has no size.
    MissingInner,
    /// A parameter has two dimensions.
    ParameterDimensions,
    /// The size of a parameter has more than 32 bits.
    ParameterOverflow,
    /// An array is made of registers.
    Registers {
        /// The name of the array.
        name: Box<str>,
        /// Its size, if known.
        count: Option<i128>,
    },
    /// A range of names has a dimension or an initializer (described here in words), which only a single name can have.
    RangeWith(&'static str),
    /// A range has more names than can be declared.
    TooMany,
    /// A range has zero names.
    Nothing,
    /// The name of a range ends in a digit, so that no use can refer to its names: in `%r10` all final digits are the number.
    Unreachable(Box<str>),
}

impl DiagnosticMessage for ArraySize {
    fn message(&self) -> String {
        match self {
            Self::NotANumber => "expected a literal number here: a size cannot be an expression".to_owned(),
            Self::Missing(name) => format!("the size of `{name}` is missing"),
            Self::MissingInner => "only the first dimension can omit its size".to_owned(),
            Self::ParameterDimensions => "a parameter has at most one dimension".to_owned(),
            Self::ParameterOverflow => "the size of a parameter must fit into 32 bits".to_owned(),
            Self::Registers { .. } => "registers cannot form an array".to_owned(),
            Self::RangeWith(what) => format!("a range of names cannot have {what}"),
            Self::TooMany => "a range cannot declare this many names".to_owned(),
            Self::Nothing => "an empty range declares nothing".to_owned(),
            Self::Unreachable(name) => {
                format!(
                    "the names of this range cannot be used: all digits at the end of `{name}0` count as its number"
                )
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Missing(_) => Some("only `.extern` arrays and arrays with an initializer can omit it".to_owned()),
            Self::ParameterDimensions => Some("give the total number of elements".to_owned()),
            Self::Registers { name, count } => {
                let count = count.unwrap_or(4);
                Some(format!("`{name}<{count}>` declares `{name}0`, `{name}1` …"))
            }
            Self::Unreachable(_) => Some("choose a name that does not end in a digit".to_owned()),
            _ => None,
        }
    }
}

/// Reports a size that is an expression.
pub(crate) fn not_a_number(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::NotANumber)
}

/// Reports a variable without a size.
pub(crate) fn unknown(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, ArraySize::Missing(name.into()))
}

/// Reports an inner dimension without a size.
pub(crate) fn inner(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::MissingInner)
}

/// Reports a parameter with two dimensions.
pub(crate) fn parameter(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::ParameterDimensions)
}

/// Reports a parameter whose size has more than 32 bits.
pub(crate) fn parameter_overflow(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::ParameterOverflow)
}

/// Reports an array of registers.
pub(crate) fn registers(range: Range<usize>, name: &str, count: Option<i128>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::Registers { name: name.into(), count })
}

/// Reports a range with a dimension or an initializer: `x<4>[2]` or `x<4> = 1`. `what` describes that part.
pub(crate) fn range_alone(range: Range<usize>, what: &'static str) -> Diagnostic {
    Diagnostic::new(range, ArraySize::RangeWith(what))
}

/// Reports a range with too many names, such as `%r<4294967296>`.
pub(crate) fn too_many(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::TooMany)
}

/// Reports a range without names: `%r<0>`.
pub(crate) fn nothing(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, ArraySize::Nothing).severity(Severity::Hint).unnecessary()
}

/// Reports a range whose name ends in a digit, such as `%r1<4>`.
pub(crate) fn unreachable(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, ArraySize::Unreachable(name.into())).severity(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn sizes_of_arrays() {
        let of = |declaration: &str| in_kernel(Code::ArraySize, declaration);
        assert_eq!(messages(&of(".local .b32 x[];")), ["the size of `x` is missing"]);
        assert!(in_module(Code::ArraySize, ".version 9.0\n.target sm_90a\n.const .u8 x = 1, w[4];").is_empty());
        assert_eq!(messages(&of(".local .b32 x[2][];")), ["only the first dimension can omit its size"]);
        assert!(of(".local .b32 x[2][3];").is_empty());
        let parameter = |size: &str| {
            let text = format!(".version 8.0\n.target sm_90\n.func f(.param .b8 p[{size}]) {{ ret; }}\n");
            messages(&in_module(Code::ArraySize, &text))
        };
        assert_eq!(parameter("4294967296"), ["the size of a parameter must fit into 32 bits"]);
        assert!(parameter("4294967295").is_empty());
        let found = of(".reg .b32 x[8];");
        assert_eq!(messages(&found), ["registers cannot form an array"]);
        assert_eq!(found[0].help().as_deref(), Some("`x<8>` declares `x0`, `x1` …"));
    }

    #[test]
    fn ranges_of_names() {
        let of = |declaration: &str| in_kernel(Code::ArraySize, declaration);
        assert_eq!(messages(&of(".reg .b32 x<4>[2];")), ["a range of names cannot have a dimension"]);
        let found = of(".reg .b32 x1<4>;");
        let text = "the names of this range cannot be used: all digits at the end of `x10` count as its number";
        assert_eq!((messages(&found), found[0].severity), (vec![text.to_owned()], Severity::Warning));
        assert_eq!(of(".reg .b32 x<0>;")[0].severity, Severity::Hint);
        assert!(of(".reg .b32 x<4>;").is_empty());
    }
}
