//! Node kinds and fields as numbers, looked up once: comparing numbers makes walks over a large tree cheap.

use std::sync::LazyLock;
use tree_sitter::Language;

macro_rules! ids {
    ($(#[$meta:meta])* $type:ident, $static:ident, $function:ident, $id:ty, $look_up:expr; $($name:ident $(= $text:literal)?),* $(,)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[allow(missing_docs)]
        pub struct $type { $(pub $name: $id),* }

        static $static: LazyLock<$type> = LazyLock::new(|| {
            let language: Language = tree_sitter_ptx::LANGUAGE.into();
            $type { $($name: $look_up(&language, ids!(@text $name $($text)?))),* }
        });

        /// The table, created at first use.
        pub fn $function() -> &'static $type {
            &$static
        }

        #[cfg(test)]
        impl $type {
            /// The name and number of each entry, for the test that all exist.
            fn all() -> Vec<(&'static str, $id)> {
                vec![$((ids!(@text $name $($text)?), $function().$name)),*]
            }
        }
    };
    (@text $name:ident) => { stringify!($name) };
    (@text $name:ident $text:literal) => { $text };
}

/// Whether nodes of a kind are named. This uses a table, because asking a node calls into the parser's library.
pub fn is_named(kind: u16) -> bool {
    static NAMED: LazyLock<Vec<bool>> = LazyLock::new(|| {
        let language: Language = tree_sitter_ptx::LANGUAGE.into();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        (0..count).map(|kind| language.node_kind_is_named(kind)).collect()
    });
    // ERROR has the highest number of all kinds and is named.
    NAMED.get(usize::from(kind)).copied().unwrap_or(true)
}

/// The names of all kinds, indexed by kind, including those of keywords and punctuation.
pub fn kind_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let language: Language = tree_sitter_ptx::LANGUAGE.into();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        (0..count).map(|kind| language.node_kind_for_id(kind).unwrap_or_default().to_owned()).collect()
    });
    &NAMES
}

ids! {
    /// Numbers of the named node kinds; the names are those of the grammar.
    Kinds, KINDS, kinds, u16, |l: &Language, name: &str| l.id_for_node_kind(name, true);
    abi_preserve_directive, address, address_size_directive, alias_directive, alignment, argument_list, array_suffix,
    attribute, attribute_list, attribute_name, bank, binary_expression, block, branch_targets_directive,
    call_prototype_directive, call_targets_directive, cast_expression, comment, declarator, directive_name,
    dwarf_directive, error = "ERROR", field_initializer, file_directive, float, function, function_kind, generic_address, guard, identifier, index,
    initializer_list, instruction, loc_intermediate_directive, integer, label, language_directive, linkage, loc_directive, mask_initializer, member, member_name,
    modifier, negation, noreturn_directive, offset, opcode, pair, parameter, parameter_list, parenthesized_expression,
    performance_directive, pointer_attribute, pragma_directive, preprocessor_line, register, register_range,
    section_directive, section_line, section_name, sink, source_file, state_space, string, target_directive, target_name, ternary_expression,
    unary_expression, unclosed, unknown_directive, variable_declaration, vector, vector_type, version_directive,
    version_number, ty = "type",
}

ids! {
    /// Numbers of the fields; the names are those of the grammar. Fields never have number 0.
    Fields, FIELDS, fields, u16, |l: &Language, name: &str| l.field_id_for_name(name).map_or(0, std::num::NonZero::get);
    aliasee, amount, argument, base, body, count, first, function_name, guard, index, inlined_at, kind, mask, member, name, object, opcode, operand, parameters, operator,
    predicate, returns, second, size, space, suffix, target, value, vector, version, ty = "type",
}

#[cfg(test)]
mod tests {
    use super::{Fields, Kinds};

    #[test]
    fn the_grammar_has_every_kind_and_field() {
        let missing: Vec<&str> = Kinds::all()
            .into_iter()
            .filter(|(name, id)| *id == 0 && *name != "end")
            .chain(Fields::all().into_iter().filter(|(_, id)| *id == 0))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
