//! `ptx-analyzer isa`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn isa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg("isa").args(arguments).output().unwrap()
}

fn out(arguments: &[&str]) -> String {
    let output = isa(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_list_names_everything_by_chapter() {
    let list = out(&[]);
    for line in ["Integer arithmetic", "  bfe ", "Special registers", "  %laneid ", "Diagnostics", "  operand-type "] {
        assert!(list.contains(&format!("\n{line}")) || list.starts_with(line), "{line}");
    }
}

#[test]
fn an_opcode_is_explained() {
    let text = out(&["shfl.sync"]);
    assert!(text.contains("membermask") && !text.contains("vote.sync.mode"), "{text}");
    let unknown = isa(&["frobnicate"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("`frobnicate` is no opcode"));
}

#[test]
fn json_holds_forms_operands_and_gates() {
    let all: Value = serde_json::from_str(&out(&["--format", "json"])).unwrap();
    assert!(all["instructions"].as_array().unwrap().len() > 200);
    assert!(all["modifiers"].as_array().unwrap().len() > 400);
    let one: Value = serde_json::from_str(&out(&["--format", "json", "vote"])).unwrap();
    let forms = one["instructions"][0]["forms"].as_array().unwrap();
    assert_eq!(forms[1]["text"], "vote.ballot.b32 d, {!}a");
    assert_eq!(forms[1]["operands"][1]["value"]["flags"], serde_json::json!(["negatable"]));
    assert_eq!(forms[1]["gates"][0]["alternatives"][0]["target"], "sm_20");
}

#[test]
fn the_site_needs_a_folder_and_all_its_links_lead_somewhere() {
    assert_eq!(isa(&["--format", "html"]).status.code(), Some(2));
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("a/site");
    out(&["--format", "html", site.to_str().unwrap()]);
    let pages: Vec<_> = fs::read_dir(&site).unwrap().map(|e| e.unwrap().path()).collect();
    let mut targets = BTreeSet::new();
    let mut links = Vec::new();
    for page in pages.iter().filter(|p| p.extension().is_some_and(|e| e == "html")) {
        let name = page.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(page).unwrap();
        let ids: Vec<&str> = attributes(&text, " id=\"").collect();
        let distinct: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{name} has an anchor twice");
        targets.extend(ids.iter().map(|id| format!("{name}#{id}")));
        links.extend(attributes(&text, "href=\"").map(|link| (name.clone(), link.to_owned())));
    }
    assert!(links.len() > 2000, "{}", links.len());
    for (page, link) in links.into_iter().filter(|(_, l)| !l.starts_with("https://")) {
        let whole = if link.starts_with('#') { format!("{page}{link}") } else { link.clone() };
        // Texts of diagnostics refer to the repository's other documents.
        let there = targets.contains(&whole) || Path::new(&site).join(&link).exists() || page == "diagnostics.html";
        assert!(there, "{page} links to {link}");
    }
}

fn attributes<'t>(text: &'t str, marker: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(marker).skip(1).filter_map(|rest| rest.split('"').next())
}
