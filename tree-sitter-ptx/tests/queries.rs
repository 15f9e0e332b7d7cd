//! Checks that the queries match the grammar and assign the expected highlights.

use std::collections::HashMap;
use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

fn language() -> Language {
    tree_sitter_ptx::LANGUAGE.into()
}

#[test]
fn queries_compile() {
    let queries = [
        ("highlights", tree_sitter_ptx::HIGHLIGHTS_QUERY),
        ("folds", tree_sitter_ptx::FOLDS_QUERY),
        ("indents", tree_sitter_ptx::INDENTS_QUERY),
        ("locals", tree_sitter_ptx::LOCALS_QUERY),
        ("tags", tree_sitter_ptx::TAGS_QUERY),
        ("injections", tree_sitter_ptx::INJECTIONS_QUERY),
    ];
    for (name, source) in queries {
        if let Err(error) = Query::new(&language(), source) {
            panic!("{name}.scm: {error}");
        }
    }
}

#[test]
fn node_types_are_json_of_this_grammar() {
    assert!(tree_sitter_ptx::NODE_TYPES.contains("\"instruction\""));
}

/// The last capture of each text, which is the one that editors show.
fn colours(source: &str) -> HashMap<String, String> {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the library reads this grammar's version");
    let tree = parser.parse(source, None).expect("no time limit is set");
    let query = Query::new(&language(), tree_sitter_ptx::HIGHLIGHTS_QUERY).expect("checked above");
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(&query, tree.root_node(), source.as_bytes());
    let mut best: HashMap<(usize, usize), (usize, String)> = HashMap::new();
    while let Some((found, index)) = captures.next() {
        let capture = found.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        if name.starts_with('_') {
            continue;
        }
        let range = (capture.node.start_byte(), capture.node.end_byte());
        let entry = best.entry(range).or_insert((found.pattern_index, name.to_owned()));
        if found.pattern_index >= entry.0 {
            *entry = (found.pattern_index, name.to_owned());
        }
    }
    best.into_iter().map(|((start, end), (_, name))| (source[start..end].to_owned(), name)).collect()
}

#[test]
fn colours_are_as_promised() {
    let source = r#".version 8.5
.visible .entry kernel(.param .u64 input)
.maxntid 128
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    @!%p1 bra.uni $L_exit;
    ld.param.relaxed.f16x2 %r2, [input+16];
    call.uni (%r3), callee, (%r1, 0f3F800000), proto;
    mov.u32 %tidy, WARP_SZ;
    .bogus 1;
$L_exit:
    ret; // done
}
"#;
    let colours = colours(source);
    let expected = [
        (".version", "keyword.directive"),
        (".visible", "keyword.modifier"),
        (".entry", "keyword.function"),
        ("kernel", "function"),
        (".maxntid", "keyword.directive"),
        (".b32", "type.builtin"),
        (".reg", "keyword.modifier.space"),
        ("mov", "function.builtin"),
        ("%tid", "variable.builtin"),
        ("%tidy", "variable"),
        ("%r1", "variable"),
        (".x", "property"),
        ("bra", "keyword"),
        ("$L_exit", "label"),
        (".param", "keyword.modifier.space"),
        (".relaxed", "attribute.modifier"),
        (".f16x2", "type.builtin"),
        ("16", "number"),
        ("callee", "function.call"),
        ("proto", "variable"),
        ("0f3F800000", "number.float"),
        ("WARP_SZ", "constant.builtin"),
        (".bogus", "keyword"),
        ("ret", "keyword.return"),
        ("// done", "comment"),
    ];
    for (text, colour) in expected {
        assert_eq!(colours.get(text).map(String::as_str), Some(colour), "of {text}");
    }
}
