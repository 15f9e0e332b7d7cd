//! `initializer`: an initial value that a variable cannot have.

use super::{excerpt, one_of, suggest};
use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::symbols::Symbol;
use std::ops::Range;

/// What is wrong with an initial value. Unless a comment differs, `name` is the name of the initialized variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Initializer {
    /// Variables in this state space cannot have initial values.
    Space {
        /// The variable.
        name: Box<str>,
        /// Its state space.
        space: Box<str>,
    },
    /// A single value is given where a list is needed.
    NeedsBraces {
        /// The variable.
        name: Box<str>,
        /// The kind of the variable, in words.
        what: &'static str,
    },
    /// A list is given where this variable needs a single value.
    UnexpectedList(Box<str>),
    /// A list has more values than the variable has elements there.
    TooMany {
        /// The variable.
        name: Box<str>,
        /// The number of elements.
        size: u64,
    },
    /// This array takes its length from its values, but its list is empty.
    NoLength(Box<str>),
    /// A vector has a wrong number of elements.
    VectorLength {
        /// The variable.
        name: Box<str>,
        /// The number of elements of the vector.
        expected: usize,
        /// The number of values in the list.
        found: usize,
    },
    /// An integer is given for a floating-point type, or the reverse.
    Number {
        /// The beginning of the number.
        shown: Box<str>,
        /// Whether it is an integer, not a floating-point number.
        integer: bool,
        /// The variable.
        name: Box<str>,
        /// Its type.
        ty: &'static str,
    },
    /// The type of the variable cannot hold an address of this kind.
    AddressType {
        /// The variable.
        name: Box<str>,
        /// Its type.
        ty: &'static str,
        /// The types that can.
        types: &'static [&'static str],
    },
    /// The type of the variable cannot hold a masked byte of a number.
    MaskType {
        /// The variable.
        name: Box<str>,
        /// Its type.
        ty: &'static str,
        /// The types that can hold one.
        types: &'static [&'static str],
    },
    /// A name stands for a symbol whose address cannot be an initial value, such as a label.
    WrongSymbol {
        /// The name.
        name: Box<str>,
        /// What it stands for.
        symbol: Symbol,
    },
    /// A name stands for a variable whose address is not known until the program runs.
    VariableSpace {
        /// The name.
        name: Box<str>,
        /// The state space of the named variable.
        space: &'static str,
    },
    /// This expression is neither a number nor an address.
    NotAValue(Box<str>),
    /// A number is added to the address of this function.
    SumWithFunction(Box<str>),
    /// This amount is added to an address but is not an integer.
    Offset(Box<str>),
    /// This word is used as an operator; only `generic` is one.
    UnknownOperator(Box<str>),
    /// The operand of `generic(…)` is not a name.
    GenericOf {
        /// The text in the parentheses.
        value: Box<str>,
        /// The corrected expression, if the operand is the sum of a name and a number.
        better: Option<Box<str>>,
    },
    /// The operand of `generic(…)` is a name, but not of a variable.
    GenericOfSymbol {
        /// The name.
        name: Box<str>,
        /// What it stands for.
        symbol: Symbol,
    },
    /// This mask does not select one byte.
    Mask(Box<str>),
    /// A mask selects a byte of this floating-point number.
    MaskOfFloat(Box<str>),
    /// A value for this opaque type has no field name.
    NeedsFields(&'static str),
    /// An opaque type does not have this field.
    UnknownField {
        /// The field.
        field: Box<str>,
        /// The type.
        ty: &'static str,
        /// The most similar field of the type.
        near: Option<&'static str>,
    },
    /// A name is not a named value of any field.
    UnknownValue {
        /// The name.
        value: Box<str>,
        /// The most similar named value of any field.
        near: Option<&'static str>,
        /// The named values of this field.
        values: &'static [&'static str],
    },
    /// This named value is used in an expression with an operator.
    NamedValueInSum(Box<str>),
}

impl DiagnosticMessage for Initializer {
    fn message(&self) -> String {
        match self {
            Self::Space { name, space } => {
                let mut spaces: Vec<&str> = ISA.initials.iter().flat_map(|i| i.spaces).copied().collect();
                spaces.sort_unstable();
                spaces.dedup();
                let others = one_of(&spaces);
                format!(
                    "`{name}` is in `{space}`, where variables cannot have an initial value; only those in {others} can"
                )
            }
            Self::NeedsBraces { name, what } => {
                format!("`{name}` is {what}: its values go in braces, one pair for each dimension")
            }
            Self::UnexpectedList(name) => format!("expected a single value of `{name}` here, found a list"),
            Self::TooMany { name, size } => {
                let s = if *size == 1 { "" } else { "s" };
                format!("this is one too many: `{name}` has room for {size} value{s} here")
            }
            Self::NoLength(name) => format!("`{name}` takes its length from these values, but there are none"),
            Self::VectorLength { name, expected, found } => {
                format!("a vector of `{name}` has {expected} elements, found {found}")
            }
            Self::Number { shown, integer, name, ty } => {
                let what = if *integer { "an integer" } else { "a floating-point number" };
                format!("`{shown}` is {what}, but `{name}` is `{ty}`")
            }
            Self::AddressType { name, ty, types } => {
                format!("this address cannot be the value of `{name}`, which is `{ty}`: it takes {}", one_of(types))
            }
            Self::MaskType { name, ty, types } => {
                format!("a byte cannot be the value of `{name}`, which is `{ty}`: it takes {}", one_of(types))
            }
            Self::WrongSymbol { name, symbol } => {
                format!("`{name}` is {}, whose address cannot be an initial value", symbol.describe())
            }
            Self::VariableSpace { name, space } => {
                let spaces = ISA.initial("address").map_or(&[] as &[_], |i| i.to);
                format!("`{name}` is in `{space}`: only addresses in {} can be initial values", one_of(spaces))
            }
            Self::NotAValue(shown) => format!("`{shown}` cannot be an initial value"),
            Self::SumWithFunction(name) => {
                format!("`{name}` is a function: nothing can be added to its address")
            }
            Self::Offset(shown) => format!("`{shown}` is not a whole number of bytes to add to an address"),
            Self::UnknownOperator(text) => {
                format!("`{text}` is not an operator; the only one with a name is `generic`")
            }
            Self::GenericOf { value, .. } => {
                format!("`{value}` is not the name of a variable: only variables have a generic address here")
            }
            Self::GenericOfSymbol { name, symbol } => {
                format!("`{name}` is {}: only variables have a generic address", symbol.describe())
            }
            Self::Mask(text) => format!("`{text}` does not select one byte"),
            Self::MaskOfFloat(shown) => {
                format!("`{shown}` is a floating-point number: a mask selects from an address or an integer")
            }
            Self::NeedsFields(ty) => {
                let example = fields_of(ty).first().copied().unwrap_or("width");
                format!("the fields of a `{ty}` are given by name, as in `{{ {example} = 1 }}`")
            }
            Self::UnknownField { field, ty, .. } => format!("a `{ty}` has no field `{field}`"),
            Self::UnknownValue { value, .. } => format!("`{value}` is not a valid value of a field"),
            Self::NamedValueInSum(name) => {
                format!("`{name}` is not a number, so no operator takes it")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Space { .. } => "store the value at the beginning of the kernel instead",
            Self::NeedsBraces { .. } => "write `{1, 2}` for two values, `{{1, 2}, {3, 4}}` for two rows of two",
            Self::UnexpectedList(_) => "write one pair of braces for each dimension",
            Self::NoLength(_) => "give the length between the brackets",
            Self::VectorLength { .. } => "give all elements of a vector",
            Self::Number { integer: true, ty, .. } if takes("float", ty) => {
                "numbers are not converted: write it with a decimal point"
            }
            Self::Number { integer: false, ty, .. } if takes("integer", ty) => {
                "numbers are not converted: write an integer, or choose a floating-point type"
            }
            Self::Number { ty, .. } => {
                return Some(format!(
                    "variables of type `{ty}` cannot have an initial value; declare it with `.bN` and write the bits"
                ));
            }
            Self::AddressType { ty, .. } if takes("mask", ty) => "one of its bytes can: `0xff(…)`",
            Self::WrongSymbol { .. } => "variables and functions have such addresses",
            Self::NotAValue(_) => "numbers and addresses can: `7`, `array + 4`, `generic(array)`",
            Self::GenericOf { better: Some(better), .. } => {
                return Some(format!("add outside the parentheses: `{better}`"));
            }
            Self::GenericOfSymbol { name, symbol: Symbol::Function { .. } } => {
                return Some(format!("write `{name}` alone for its address"));
            }
            Self::Mask(_) => "a mask is `0xff`, `0xff00` and so on, up to `0xff00000000000000`",
            Self::UnknownField { near: Some(near), .. } | Self::UnknownValue { near: Some(near), .. } => {
                return Some(format!("did you mean `{near}`?"));
            }
            Self::NeedsFields(ty) | Self::UnknownField { ty, .. } => {
                return Some(format!("it has {}", one_of(&fields_of(ty))));
            }
            Self::UnknownValue { values: [], .. } => "write a number",
            Self::UnknownValue { values, .. } => return Some(format!("it takes {}", one_of(values))),
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// Whether variables of a type accept this kind of value.
fn takes(kind: &str, ty: &str) -> bool {
    ISA.initial(kind).is_some_and(|i| i.types.contains(&ty))
}

fn fields_of(ty: &str) -> Vec<&'static str> {
    ISA.fields.iter().filter(|f| f.of.contains(&ty)).map(|f| f.name).collect()
}

/// The words for a kind of value in messages about gates.
pub(crate) fn describe(kind: &str) -> &'static str {
    match kind {
        "address" => "an address as an initial value",
        "generic" => "the operator `generic()`",
        "function" => "the address of a function as an initial value",
        "kernel" => "the address of a kernel as an initial value",
        "mask" => "a mask in an initial value",
        "mask-number" => "a mask over a number",
        "fields" => "the initial value of a field",
        _ => "this initial value",
    }
}

/// Reports an initial value of a variable in a state space that does not allow one.
pub(crate) fn space(range: Range<usize>, name: &str, space: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::Space { name: name.into(), space: space.into() })
}

/// Reports a single value where a list is needed. `what` is the kind of the variable, in words.
pub(crate) fn needs_braces(range: Range<usize>, name: &str, what: &'static str) -> Diagnostic {
    Diagnostic::new(range, Initializer::NeedsBraces { name: name.into(), what })
}

/// Reports a list where a single value is needed.
pub(crate) fn unexpected_list(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::UnexpectedList(name.into()))
}

/// Reports the first value after the last of `size` elements.
pub(crate) fn too_many(range: Range<usize>, name: &str, size: u64) -> Diagnostic {
    Diagnostic::new(range, Initializer::TooMany { name: name.into(), size })
}

/// Reports an array without a length whose list of values is empty.
pub(crate) fn no_length(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::NoLength(name.into()))
}

/// Reports a vector with a wrong number of elements.
pub(crate) fn vector(range: Range<usize>, name: &str, expected: usize, found: usize) -> Diagnostic {
    Diagnostic::new(range, Initializer::VectorLength { name: name.into(), expected, found })
}

/// Reports an integer for a floating-point type, or the reverse.
pub(crate) fn number(range: Range<usize>, text: &str, integer: bool, name: &str, ty: &'static str) -> Diagnostic {
    let decimal =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let fix = (integer && decimal && takes("float", ty))
        .then(|| Fix::replace(format!("Write `{text}.0`"), range.clone(), format!("{text}.0")).preferred());
    let found = Initializer::Number { shown: excerpt(text), integer, name: name.into(), ty };
    Diagnostic::new(range, found).fixes(fix)
}

/// Reports an address for a variable whose type cannot hold it. `types` are those that can.
pub(crate) fn address_type(
    range: Range<usize>,
    name: &str,
    ty: &'static str,
    types: &'static [&'static str],
) -> Diagnostic {
    Diagnostic::new(range, Initializer::AddressType { name: name.into(), ty, types })
}

/// Reports a masked byte of a number for a variable whose type cannot hold it. `types` are those that can.
pub(crate) fn mask_type(
    range: Range<usize>,
    name: &str,
    ty: &'static str,
    types: &'static [&'static str],
) -> Diagnostic {
    Diagnostic::new(range, Initializer::MaskType { name: name.into(), ty, types })
}

/// Reports a name whose address cannot be an initial value.
pub(crate) fn wrong_symbol(range: Range<usize>, name: &str, symbol: &Symbol) -> Diagnostic {
    Diagnostic::new(range, Initializer::WrongSymbol { name: name.into(), symbol: *symbol })
}

/// Reports a variable in a state space whose addresses are not known until the program runs.
pub(crate) fn variable_space(range: Range<usize>, name: &str, space: &'static str) -> Diagnostic {
    Diagnostic::new(range, Initializer::VariableSpace { name: name.into(), space })
}

/// Reports something that is neither a number nor an address.
pub(crate) fn not_a_value(range: Range<usize>, text: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::NotAValue(excerpt(text)))
}

/// Reports a number that is added to the address of a function.
pub(crate) fn sum_with_function(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::SumWithFunction(name.into()))
}

/// Reports an amount that is added to an address but is not an integer.
pub(crate) fn offset_not_whole(range: Range<usize>, text: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::Offset(excerpt(text)))
}

/// Reports an operator other than `generic`, as in `foo(x)`.
pub(crate) fn unknown_operator(operator: SourceWord<'_>) -> Diagnostic {
    let lower = operator.text.to_lowercase();
    let meant = lower == "generic" || suggest(&lower, ["generic"]).is_some();
    let fix = meant.then(|| Fix::replace("Write `generic`", operator.range(), "generic").preferred());
    Diagnostic::new(operator.range(), Initializer::UnknownOperator(operator.text.into())).fixes(fix)
}

/// Reports `generic(…)` with an operand that is not a plain name. `whole` is the whole expression. `base` is the first part of the
/// operand if that is a sum.
pub(crate) fn generic_of(value: SourceWord<'_>, whole: SourceWord<'_>, base: Option<SourceWord<'_>>) -> Diagnostic {
    let better = base.map(|base| {
        let rest = value.text.get(base.text.len()..).unwrap_or("");
        format!("generic({}){rest}", base.text)
    });
    let fix = better
        .as_deref()
        .map(|better| Fix::replace("Add outside of the parentheses", whole.range(), better).preferred());
    let found = Initializer::GenericOf { value: value.text.into(), better: better.as_deref().map(Into::into) };
    Diagnostic::new(value.range(), found).fixes(fix)
}

/// Reports `generic(…)` of a name that is not a variable.
pub(crate) fn generic_of_symbol(range: Range<usize>, name: &str, symbol: &Symbol) -> Diagnostic {
    Diagnostic::new(range, Initializer::GenericOfSymbol { name: name.into(), symbol: *symbol })
}

/// Reports a mask that does not select one byte.
pub(crate) fn mask(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), Initializer::Mask(word.text.into()))
}

/// Reports a mask that selects a byte of a floating-point number.
pub(crate) fn mask_of_float(range: Range<usize>, text: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::MaskOfFloat(excerpt(text)))
}

/// Reports a value for an opaque type that has no field name.
pub(crate) fn needs_fields(range: Range<usize>, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, Initializer::NeedsFields(ty))
}

fn change_to(range: Range<usize>, near: Option<&str>) -> Option<Fix> {
    near.map(|near| Fix::replace(format!("Change to `{near}`"), range, near).preferred())
}

/// Reports a field that the type does not have.
pub(crate) fn unknown_field(name: SourceWord<'_>, ty: &'static str) -> Diagnostic {
    let near = suggest(name.text, fields_of(ty));
    let found = Initializer::UnknownField { field: name.text.into(), ty, near };
    Diagnostic::new(name.range(), found).fixes(change_to(name.range(), near))
}

/// Reports a name that is not a named value of any field. `values` are the named values of this field.
pub(crate) fn unknown_value(word: SourceWord<'_>, values: &'static [&'static str]) -> Diagnostic {
    let near = suggest(word.text, ISA.fields.iter().flat_map(|f| f.values).copied());
    let found = Initializer::UnknownValue { value: word.text.into(), near, values };
    Diagnostic::new(word.range(), found).fixes(change_to(word.range(), near))
}

/// Reports a named value in an expression with an operator.
pub(crate) fn named_value_in_sum(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, Initializer::NamedValueInSum(name.into()))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, mended, messages};

    fn module(declarations: &str) -> String {
        format!(".version 8.5\n.target sm_90\n.address_size 64\n{declarations}\n")
    }

    fn of(declarations: &str) -> Vec<String> {
        messages(&in_module(Code::Initializer, &module(declarations)))
    }

    #[test]
    fn values_have_the_shape_of_the_variable() {
        assert!(of(".global .b32 a[2] = { 1, 2 };\n.global .v2 .b32 v = { 1, 2 };").is_empty());
        assert_eq!(of(".global .b32 a[2] = { 1, 2, 3 };"), ["this is one too many: `a` has room for 2 values here"]);
        assert_eq!(
            of(".global .b32 a[2] = 1;"),
            ["`a` is an array: its values go in braces, one pair for each dimension"]
        );
        assert_eq!(of(".global .v2 .b32 v = { 1 };"), ["a vector of `v` has 2 elements, found 1"]);
        assert_eq!(
            of(".shared .b32 s = 1;"),
            [
                "`s` is in `.shared`, where variables cannot have an initial value; only those in `.const` or `.global` can"
            ]
        );
    }

    #[test]
    fn arrays_of_samplers_have_fields() {
        assert!(of(".global .samplerref s[2] = { { addr_mode_0 = wrap } };").is_empty());
        assert_eq!(of(".global .samplerref s[1] = { 7 };").len(), 1);
    }

    #[test]
    fn numbers_are_not_converted() {
        let wrong = ".global .f32 x = 1;";
        assert_eq!(of(wrong), ["`1` is an integer, but `x` is `.f32`"]);
        assert_eq!(mended(Code::Initializer, &module(wrong)), module(".global .f32 x = 1.0;"));
        assert!(of(".global .f32 x = 1.0;").is_empty());
    }

    #[test]
    fn addresses_are_those_of_variables_and_functions() {
        assert!(of(".global .b8 a[8];\n.global .u64 p = generic(a) + 4;").is_empty());
        let wrong = ".global .b8 a[8];\n.global .u64 p = generic(a + 4);";
        assert_eq!(of(wrong), ["`a + 4` is not the name of a variable: only variables have a generic address here"]);
        assert!(mended(Code::Initializer, &module(wrong)).contains("= generic(a) + 4;"));
        assert_eq!(
            of(".shared .b8 s[8];\n.global .u64 p = s;"),
            ["`s` is in `.shared`: only addresses in `.global` or `.const` can be initial values"]
        );
    }
}
