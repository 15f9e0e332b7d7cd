//! `initializer`: an initial value that a variable cannot have.

use super::{one_of, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use crate::hir::symbols::Symbol;
use ptx_isa::ISA;
use std::ops::Range;

const CODE: Code = Code::Initializer;

/// What a kind of value is called in the tables' gates.
pub fn describe(kind: &str) -> &'static str {
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

/// An initial value in a state space that has none.
pub fn space(range: Range<usize>, name: &str, space: &str) -> Diagnostic {
    let mut spaces: Vec<&str> = ISA.initials.iter().flat_map(|i| i.spaces).copied().collect();
    spaces.sort_unstable();
    spaces.dedup();
    let message =
        format!("`{name}` is in `{space}`, where variables have no initial value; those in {} do", one_of(&spaces));
    Diagnostic::error(CODE, range, message).with_help("store the value at the beginning of the kernel instead")
}

/// A single value where a list must be.
pub fn needs_braces(range: Range<usize>, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        CODE,
        range,
        format!("`{name}` is {what}: its values stand in braces, one pair for each dimension"),
    )
}

/// A list where a single value must be.
pub fn unexpected_list(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("expected a single value of `{name}` here, found a list"))
        .with_help("there is one pair of braces for each dimension")
}

/// More values than there is room for.
pub fn too_many(range: Range<usize>, name: &str, size: u64) -> Diagnostic {
    let s = if size == 1 { "" } else { "s" };
    Diagnostic::error(CODE, range, format!("this is one too many: `{name}` has room for {size} value{s} here"))
}

/// An array that gets its length from nothing.
pub fn no_length(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` takes its length from these values, and there are none"))
        .with_help("give the length between the brackets")
}

/// A vector with a wrong number of elements.
pub fn vector(range: Range<usize>, name: &str, wanted: usize, found: usize) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("a vector of `{name}` has {wanted} elements, found {found}"))
        .with_help("of a vector, all elements must be given")
}

/// A number of the wrong kind.
pub fn number(range: Range<usize>, text: &str, integer: bool, name: &str, ty: &str) -> Diagnostic {
    let shown: String = text.chars().take(40).collect();
    let takes = |kind: &str| ISA.initial(kind).is_some_and(|i| i.types.contains(&ty));
    let what = if integer { "an integer" } else { "a floating-point number" };
    let message = format!("`{shown}` is {what}, but `{name}` is `{ty}`");
    let found = Diagnostic::error(CODE, range.clone(), message);
    if integer && takes("float") {
        let decimal =
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        let found = found.with_help("nothing is converted: write it with a decimal point");
        return match decimal {
            true => found.fix(Fix::replace(format!("Write `{text}.0`"), range, format!("{text}.0")).preferred()),
            false => found,
        };
    }
    if !integer && takes("integer") {
        return found.with_help("nothing is converted: write an integer, or choose a floating-point type");
    }
    found.with_help(format!("variables of type `{ty}` have no initial value; declare it with `.bN` and write the bits"))
}

/// An address in a variable whose type holds none.
pub fn address_type(range: Range<usize>, name: &str, ty: &str, types: &[&str]) -> Diagnostic {
    let wanted = one_of(types);
    let found = Diagnostic::error(
        CODE,
        range,
        format!("this address cannot be the value of `{name}`, which is `{ty}`: it takes {wanted}"),
    );
    let bytes = ISA.initial("mask").is_some_and(|i| i.types.contains(&ty));
    if bytes { found.with_help("one of its bytes can: `0xff(…)`") } else { found }
}

/// One byte of a number in a variable whose type is no integer.
pub fn mask_type(range: Range<usize>, name: &str, ty: &str, types: &[&str]) -> Diagnostic {
    Diagnostic::error(
        CODE,
        range,
        format!("a byte cannot be the value of `{name}`, which is `{ty}`: it takes {}", one_of(types)),
    )
}

/// A name that stands for no address.
pub fn wrong_symbol(range: Range<usize>, name: &str, symbol: &Symbol) -> Diagnostic {
    let found = Diagnostic::error(
        CODE,
        range,
        format!("`{name}` is {}, whose address cannot be an initial value", symbol.describe()),
    );
    found.with_help("variables and functions have such addresses")
}

/// A variable in a state space whose addresses are not known before the program runs.
pub fn variable_space(range: Range<usize>, name: &str, space: &str) -> Diagnostic {
    let spaces = ISA.initial("address").map_or(&[] as &[_], |i| i.to);
    Diagnostic::error(
        CODE,
        range,
        format!("`{name}` is in `{space}`: only addresses in {} can be initial values", one_of(spaces)),
    )
}

/// Something that is neither a number nor an address.
pub fn not_a_value(range: Range<usize>, text: &str) -> Diagnostic {
    let shown: String = text.chars().take(40).collect();
    Diagnostic::error(CODE, range, format!("`{shown}` cannot be an initial value"))
        .with_help("numbers and addresses can: `7`, `array + 4`, `generic(array)`")
}

/// A sum with the address of a function.
pub fn sum_with_function(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is a function: nothing can be added to its address"))
}

/// Something other than a whole number added to an address.
pub fn offset_not_whole(range: Range<usize>, text: &str) -> Diagnostic {
    let shown: String = text.chars().take(40).collect();
    Diagnostic::error(CODE, range, format!("`{shown}` is no whole number of bytes to add to an address"))
}

/// `foo(x)`.
pub fn unknown_operator(operator: Word<'_>) -> Diagnostic {
    let message = format!("`{}` is no operator; the only one with a name is `generic`", operator.text);
    let found = Diagnostic::error(CODE, operator.range(), message);
    match suggest(&operator.text.to_lowercase(), ["generic"])
        .or((operator.text.to_lowercase() == "generic").then_some("generic"))
    {
        Some(name) => found.fix(Fix::replace("Write `generic`", operator.range(), name).preferred()),
        None => found,
    }
}

/// `generic(…)` of something that is no plain name; `base` is what a sum in it begins with.
pub fn generic_of(value: Word<'_>, whole: Word<'_>, base: Option<Word<'_>>) -> Diagnostic {
    let message =
        format!("`{}` is not the name of a variable, and nothing else has a generic address here", value.text);
    let found = Diagnostic::error(CODE, value.range(), message);
    let Some(base) = base else { return found };
    let rest = value.text.get(base.text.len()..).unwrap_or("");
    let better = format!("generic({}){rest}", base.text);
    found
        .with_help(format!("add outside of the parentheses: `{better}`"))
        .fix(Fix::replace("Add outside of the parentheses", whole.range(), better).preferred())
}

/// `generic(…)` of a name that is no variable.
pub fn generic_of_symbol(range: Range<usize>, name: &str, symbol: &Symbol) -> Diagnostic {
    let found = Diagnostic::error(
        CODE,
        range,
        format!("`{name}` is {}: only variables have a generic address", symbol.describe()),
    );
    match symbol {
        Symbol::Function { .. } => found.with_help(format!("write `{name}` alone for its address")),
        _ => found,
    }
}

/// A mask that does not select one byte.
pub fn mask(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` does not select one byte", word.text))
        .with_help("a mask is `0xff`, `0xff00` and so on, up to `0xff00000000000000`")
}

/// A byte of a floating-point number.
pub fn mask_of_float(range: Range<usize>, text: &str) -> Diagnostic {
    let shown: String = text.chars().take(40).collect();
    Diagnostic::error(
        CODE,
        range,
        format!("`{shown}` is a floating-point number: a mask selects from an address or an integer"),
    )
}

/// A value without name among the fields of an opaque type.
pub fn needs_fields(range: Range<usize>, ty: &str) -> Diagnostic {
    let fields = fields_of(ty);
    let example = fields.first().copied().unwrap_or("width");
    Diagnostic::error(CODE, range, format!("the fields of a `{ty}` are given by name, as in `{{ {example} = 1 }}`"))
        .with_help(format!("it has {}", one_of(&fields)))
}

/// A field that the type does not have.
pub fn unknown_field(name: Word<'_>, ty: &str) -> Diagnostic {
    let fields = fields_of(ty);
    let found = Diagnostic::error(CODE, name.range(), format!("a `{ty}` has no field `{}`", name.text));
    match suggest(name.text, fields.iter().copied()) {
        Some(near) => found
            .with_help(format!("did you mean `{near}`?"))
            .fix(Fix::replace(format!("Change to `{near}`"), name.range(), near).preferred()),
        None => found.with_help(format!("it has {}", one_of(&fields))),
    }
}

/// A name that is no value of a field.
pub fn unknown_value(word: Word<'_>, values: &[&str]) -> Diagnostic {
    let mut all: Vec<&str> = ISA.fields.iter().flat_map(|f| f.values).copied().collect();
    all.dedup();
    let found = Diagnostic::error(CODE, word.range(), format!("`{}` is no value of a field", word.text));
    match suggest(word.text, all.iter().copied()) {
        Some(near) => found
            .with_help(format!("did you mean `{near}`?"))
            .fix(Fix::replace(format!("Change to `{near}`"), word.range(), near).preferred()),
        None if values.is_empty() => found.with_help("write a number"),
        None => found.with_help(format!("it takes {}", one_of(values))),
    }
}

/// The name of a value, with an operator.
pub fn named_value_in_sum(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is not a number, and nothing can be computed with it"))
}

fn fields_of(ty: &str) -> Vec<&'static str> {
    ISA.fields.iter().filter(|f| f.of.contains(&ty)).map(|f| f.name).collect()
}
