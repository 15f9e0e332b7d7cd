//! One file per diagnostic: what it finds, in which words, and how it is mended. Their pages are `docs/diagnostics/*.md`.

pub mod alias;
pub mod alignment;
pub mod array_size;
pub mod attribute;
pub mod branch_target;
pub mod call_arguments;
pub mod call_target;
pub mod constant_expression;
pub mod constant_memory_limit;
pub mod constant_overflow;
pub mod cp_async_wait;
pub mod dead_store;
pub mod debug_directive;
pub mod declaration_mismatch;
pub mod deprecated;
pub mod directive_argument;
pub mod directive_conflict;
pub mod divergent_barrier;
pub mod division_by_zero;
pub mod duplicate_modifier;
pub mod duplicate_name;
pub mod excess_shift;
pub mod gates;
pub mod guard_predicate;
pub mod idle_bound;
pub mod ignored_modifier;
pub mod illegal_combination;
pub mod ineffective_setmaxnreg;
pub mod initializer;
pub mod launch_limit;
pub mod linkage;
pub mod malformed_number;
pub mod mbarrier_protocol;
pub mod membermask;
pub mod misaligned_address;
pub mod misplaced_declaration;
pub mod misplaced_directive;
pub mod misread_value;
pub mod missing_directive;
pub mod missing_exit;
pub mod missing_modifier;
pub mod mixed_cta_groups;
pub mod modifier_not_allowed;
pub mod modifier_order;
pub mod module_header;
pub mod narrow_address;
pub mod not_portable;
pub mod odd_element;
pub mod operand_count;
pub mod operand_kind;
pub mod operand_range;
pub mod operand_type;
pub mod out_of_bounds;
pub mod parameter_access;
pub mod parameter_list;
pub mod parameter_size;
pub mod pragma;
pub mod project_target;
pub mod project_version;
pub mod proxy_fence;
pub mod redundant_directive;
pub mod removed;
pub mod repeated_destination;
pub mod requires_target;
pub mod requires_version;
pub mod reserved_name;
pub mod shared_memory_limit;
pub mod spill_likely;
pub mod state_space;
pub mod syntax_error;
pub mod tensor_memory_allocation;
pub mod truncated_value;
pub mod unbracketed_address;
pub mod undeclared_name;
pub mod undefined_function;
pub mod uninitialized_register;
pub mod unknown_directive;
pub mod unknown_modifier;
pub mod unknown_opcode;
pub mod unknown_pragma;
pub mod unreachable_code;
pub mod unused_bits;
pub mod unused_function;
pub mod unused_label;
pub mod unused_register;
pub mod unusual_modifier_order;
pub mod variable_type;
pub mod vector_length;
pub mod vector_type;
pub mod wgmma_order;
pub mod wrong_state_space;

use crate::diagnostic::{Diagnostic, Fix, Severity};
use Level::{Assembler, Lint, Off};
use Severity::Warning;

/// Who objects to what a diagnostic reports, and how loud we are about it where the user says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The assembler refuses the module: an error. (Where one code reports lesser things too, a finding's own severity says so.)
    Assembler,
    /// The assembler is silent; this is the usual severity of the finding.
    Lint(Severity),
    /// The assembler is silent, and so are we unless the user asks for it; the severity is that of the finding then.
    Off(Severity),
}

/// A diagnostic's code and its page.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The stable code.
    pub code: &'static str,
    /// Its usual level.
    pub level: Level,
    /// Markdown.
    pub text: &'static str,
}

/// The page of a code.
pub fn page(code: &str) -> Option<&'static Page> {
    PAGES.binary_search_by(|p| p.code.cmp(code)).ok().map(|index| &PAGES[index])
}

macro_rules! pages {
    ($($code:literal: $level:expr),* $(,)?) => {
        /// Every diagnostic, sorted by code.
        pub const PAGES: &[Page] = &[
            $(Page {
                code: $code,
                level: $level,
                text: include_str!(concat!("../../../../docs/diagnostics/", $code, ".md")),
            }),*
        ];
    };
}

pages![
    "alias": Assembler,
    "alignment": Assembler,
    "array-size": Assembler,
    "attribute": Assembler,
    "branch-target": Assembler,
    "call-arguments": Assembler,
    "call-target": Assembler,
    "constant-expression": Assembler,
    "constant-memory-limit": Lint(Warning),
    "constant-overflow": Assembler,
    "cp-async-wait": Lint(Warning),
    "dead-store": Lint(Severity::Hint),
    "debug-directive": Assembler,
    "declaration-mismatch": Assembler,
    "deprecated": Lint(Warning),
    "directive-argument": Assembler,
    "directive-conflict": Assembler,
    "divergent-barrier": Lint(Warning),
    "division-by-zero": Lint(Warning),
    "duplicate-modifier": Assembler,
    "duplicate-name": Assembler,
    "excess-shift": Lint(Warning),
    "guard-predicate": Assembler,
    "idle-bound": Lint(Severity::Hint),
    "ignored-modifier": Lint(Warning),
    "illegal-combination": Assembler,
    "ineffective-setmaxnreg": Lint(Severity::Hint),
    "initializer": Assembler,
    "launch-limit": Lint(Warning),
    "linkage": Assembler,
    "malformed-number": Assembler,
    "mbarrier-protocol": Lint(Warning),
    "membermask": Lint(Warning),
    "misaligned-address": Lint(Warning),
    "misplaced-declaration": Assembler,
    "misplaced-directive": Assembler,
    "misread-value": Lint(Warning),
    "missing-directive": Assembler,
    "missing-exit": Lint(Warning),
    "missing-modifier": Assembler,
    "mixed-cta-groups": Lint(Warning),
    "modifier-not-allowed": Assembler,
    "modifier-order": Assembler,
    "module-header": Assembler,
    "narrow-address": Lint(Warning),
    "not-portable": Off(Severity::Information),
    "odd-element": Lint(Warning),
    "operand-count": Assembler,
    "operand-kind": Assembler,
    "operand-range": Assembler,
    "operand-type": Assembler,
    "out-of-bounds": Lint(Warning),
    "parameter-access": Assembler,
    "parameter-list": Assembler,
    "parameter-size": Assembler,
    "pragma": Assembler,
    "project-target": Lint(Warning),
    "project-version": Lint(Warning),
    "proxy-fence": Lint(Warning),
    "redundant-directive": Lint(Warning),
    "removed": Assembler,
    "repeated-destination": Lint(Warning),
    "requires-target": Assembler,
    "requires-version": Assembler,
    "reserved-name": Assembler,
    "shared-memory-limit": Lint(Warning),
    "spill-likely": Lint(Severity::Information),
    "state-space": Assembler,
    "syntax-error": Assembler,
    "tensor-memory-allocation": Lint(Warning),
    "truncated-value": Lint(Warning),
    "unbracketed-address": Lint(Warning),
    "undeclared-name": Assembler,
    "undefined-function": Lint(Warning),
    "uninitialized-register": Lint(Warning),
    "unknown-directive": Assembler,
    "unknown-modifier": Assembler,
    "unknown-opcode": Assembler,
    "unknown-pragma": Lint(Warning),
    "unreachable-code": Lint(Severity::Hint),
    "unused-bits": Lint(Warning),
    "unused-function": Lint(Severity::Hint),
    "unused-label": Lint(Severity::Hint),
    "unused-register": Lint(Severity::Hint),
    "unusual-modifier-order": Lint(Severity::Hint),
    "variable-type": Assembler,
    "vector-length": Assembler,
    "vector-type": Assembler,
    "wgmma-order": Lint(Warning),
    "wrong-state-space": Lint(Warning),
];

/// The known name nearest to a misspelt one, if it is near enough to be meant.
pub fn suggest<'n>(found: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (found.len() / 3).clamp(1, 3);
    known
        .into_iter()
        .filter(|name| name.len().abs_diff(found.len()) <= limit)
        .filter_map(|name| {
            // Mangled names have hundreds of characters and most of them in common; only what differs is compared.
            let (a, b) = differing(found, name);
            let distance =
                if a.len().max(b.len()) > MOST_COMPARED { return None } else { strsim::damerau_levenshtein(a, b) };
            (1..=limit).contains(&distance).then_some((distance, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// A finding with the known name that is nearest to what stands at its range: as help and as a fix.
#[must_use]
pub fn did_you_mean(found: Diagnostic, near: Option<&str>) -> Diagnostic {
    let Some(near) = near else { return found };
    let range = found.range.clone();
    found.help(format!("did you mean `{near}`?")).fix(Fix::replace(format!("Write `{near}`"), range, near))
}

/// A larger distance is not a typing mistake.
const MOST_COMPARED: usize = 32;

/// Two texts without what they have in common at their beginning and end.
fn differing<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let start =
        a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or(a.len().min(b.len()), |((i, _), _)| i);
    let (a, b) = (&a[start..], &b[start..]);
    let same =
        a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum::<usize>();
    (&a[..a.len() - same], &b[..b.len() - same])
}

/// `` `.a`, `.b` or `.c` ``; a long list is cut.
pub fn one_of(names: &[&str]) -> String {
    const MAX_LISTED: usize = 16;
    let quoted: Vec<String> = names.iter().take(MAX_LISTED).map(|n| format!("`{n}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        _ if names.len() > MAX_LISTED => format!("{} …", quoted.join(", ")),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGES, one_of, page, suggest};

    #[test]
    fn pages_are_sorted_and_found() {
        assert!(PAGES.is_sorted_by_key(|p| p.code));
        assert!(PAGES.iter().all(|p| page(p.code).is_some()) && page("no-such-code").is_none());
    }

    #[test]
    fn suggestions_are_near() {
        assert_eq!(suggest("mvo", ["mov", "mul"]), Some("mov"));
        assert_eq!(suggest(".gloabl", [".global", ".local"]), Some(".global"));
        assert_eq!(suggest("frobnicate", ["mov", "add"]), None);
        assert_eq!(suggest("mov", ["mov"]), None, "the name itself is no suggestion");
        let long = "_ZN3cub17DeviceScanKernel".repeat(20);
        assert_eq!(suggest(&format!("{long}x"), [long.as_str()]), Some(long.as_str()));
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(one_of(&[".a", ".b", ".c"]), "`.a`, `.b` or `.c`");
        assert_eq!(one_of(&[".a"]), "`.a`");
    }
}
