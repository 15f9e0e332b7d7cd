//! The files that contributors read first name their locals with nouns of the field.

use std::path::Path;

/// Words that say how a value came about, and not what it is: `found`, but not `diagnostic` or `operand`.
const GRAMMAR: &[&str] = &[
    "all", "found", "given", "known", "left", "made", "other", "others", "read", "rest", "said", "same", "seen",
    "shown", "taken", "told", "wanted",
];

/// The files that the pages for contributors name, and the largest entry files of the rooms behind them.
const FILES: &[&str] = &[
    "check/src/body.rs",
    "check/src/calls.rs",
    "check/src/codes.rs",
    "check/src/constraints.rs",
    "check/src/declarations.rs",
    "check/src/initializer.rs",
    "check/src/instruction.rs",
    "check/src/memo.rs",
    "check/src/recovery.rs",
    "flow/src/addresses/mod.rs",
    "flow/src/flow/mod.rs",
    "flow/src/lib.rs",
    "flow/src/program.rs",
    "flow/src/registers.rs",
    "ide/src/assists.rs",
    "ide/src/demangle.rs",
    "ide/src/document_symbols.rs",
    "ide/src/explain.rs",
    "ide/src/folding.rs",
    "ide/src/fragment.rs",
    "ide/src/holding.rs",
    "ide/src/hover.rs",
    "ide/src/semantic_tokens.rs",
    "interp/src/decode/mod.rs",
    "interp/src/exec/mod.rs",
    "interp/src/findings.rs",
    "interp/src/inspect/groups.rs",
    "interp/src/inst/mod.rs",
    "interp/src/registers.rs",
    "interp/src/simd.rs",
    "interp/src/trace.rs",
    "launch/src/guess/usage.rs",
    "lsp/src/compile_commands.rs",
    "lsp/src/document.rs",
    "lsp/src/ptxas.rs",
    "lsp/src/runs.rs",
    "lsp/src/session.rs",
    "lsp/src/settings.rs",
    "lsp/src/transport.rs",
    "lsp/src/worker.rs",
    "sema/src/forms.rs",
    "sema/src/hir.rs",
    "sema/src/lib.rs",
    "sema/src/semantics.rs",
    "sema/src/target.rs",
];

/// The names that a `let` binds: the words of its pattern, up to its type or its value. `{ … }` names fields, which are bound under the
/// names that their declaration has.
fn bound(pattern: &str) -> impl Iterator<Item = &str> {
    let end = pattern.find(['=', ';', '{']).unwrap_or(pattern.len());
    let pattern = &pattern[..end];
    let end = pattern.match_indices(':').map(|(at, _)| at).find(|at| {
        let around = pattern.as_bytes();
        around.get(at + 1) != Some(&b':') && (*at == 0 || around[at - 1] != b':')
    });
    pattern[..end.unwrap_or(pattern.len())].split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// The lines of a code whose `let` binds a word of [`GRAMMAR`].
fn grammatical(code: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        let lets = line.match_indices("let ").filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric()));
        for (at, word) in lets {
            out.extend(
                bound(&line[at + word.len()..]).filter(|name| GRAMMAR.contains(name)).map(|name| (index + 1, name)),
            );
        }
    }
    out
}

#[test]
fn locals_are_nouns_of_the_field() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server");
    let mut wrong = Vec::new();
    for name in FILES {
        let text = std::fs::read_to_string(server.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        wrong.extend(grammatical(code).into_iter().map(|(line, word)| format!("server/{name}:{line}: `{word}`")));
    }
    assert!(wrong.is_empty(), "name these locals after what they are:\n{}", wrong.join("\n"));
}

#[test]
fn bindings_are_seen() {
    for code in [
        "let found = 1;",
        "if let Some(found) = a {",
        "let (mut a, found) = b;",
        "let found: Vec<all> = c;",
        "x; let found;",
    ] {
        assert_eq!(grammatical(code), [(1, "found")], "{code}");
    }
    for code in [
        "let a = found;",
        "// let found = 1;",
        "let Finding { found, .. } = a;",
        "outlet found = 1",
        "let a: found::B = c;",
    ] {
        assert_eq!(grammatical(code), [], "{code}");
    }
}
