//! The recorded templates of the assembler's messages, `tests/oracle/templates.txt`: each that a user may meet has a page of its own.

use std::collections::HashMap;

const TEMPLATES: &str = include_str!("../../oracle/templates.txt");

/// Templates that share a row at most: more would be a row that says nothing.
const MAX_SHARED: usize = 5;

/// A template as the assembler prints it: words and numbers in the place of `%s` and `%d`.
fn filled(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic() && c != 'l').map_or(after.len(), |at| at + 1);
        let (directive, behind) = after.split_at(if after.starts_with('%') { 1 } else { end });
        out.push_str(match directive.chars().next_back() {
            Some('%') => "%",
            Some('s' | 'c') => "word",
            Some('f') => "1.5",
            _ => "7",
        });
        rest = behind;
    }
    out + rest
}

#[test]
fn every_template_has_its_own_page() {
    let templates: Vec<&str> = TEMPLATES.lines().filter(|line| !line.starts_with("# ")).collect();
    assert!(templates.len() >= 500, "{}", templates.len());
    let mut rows: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut lacking = Vec::new();
    for template in &templates {
        let said = format!("ptxas k.ptx, line 7; error   : {}", filled(template));
        match ptx_isa::tool_message(&filled(template)) {
            Some(row) => rows.entry(row.pattern).or_default().push(template),
            None => lacking.push(*template),
        }
        let page = ptx_ide::explain(&said).unwrap_or_default();
        assert!(page.starts_with("# ") || lacking.contains(template), "`{said}`: {page}");
    }
    assert!(lacking.is_empty(), "without a row in server/isa/data/assembler.tsv: {lacking:#?}");
    let shared: Vec<_> = rows.iter().filter(|(_, templates)| templates.len() > MAX_SHARED).collect();
    assert!(shared.is_empty(), "{shared:#?}");
    let alone = rows.values().filter(|templates| templates.len() <= 2).map(Vec::len).sum::<usize>();
    assert!(alone * 100 >= templates.len() * 95, "{alone} of {} have a row of their own", templates.len());
}

#[test]
fn templates_are_filled_as_printed() {
    assert_eq!(filled("Argument %d of '%s': %lld, 0x%llx, %%pred<7>"), "Argument 7 of 'word': 7, 0x7, %pred<7>");
}
