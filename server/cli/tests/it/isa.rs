//! Tests of `ptx-analyzer isa`.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Output};
use std::sync::OnceLock;

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
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("`frobnicate` is not an opcode"));
}

#[test]
fn what_the_interpreter_makes_of_an_instruction_is_said() {
    let text = out(&["mbarrier.try_wait"]);
    assert!(text.contains("\n- mbarrier.try_wait: `mbarrier.try_wait`\n- mbarrier.try_wait.parity: `"), "{text}");
    let one: Value = serde_json::from_str(&out(&["--format", "json", "setp"])).unwrap();
    let setp = &one["instructions"][0];
    assert_eq!((&setp["exec"], &setp["forms"][0]["exec"]), (&json!({"key": "compare.setp_integer"}), &Value::Null));
    assert_eq!(setp["forms"][3]["exec"], json!({"key": "compare.setp_float"}));
    let one: Value = serde_json::from_str(&out(&["--format", "json", "fabric.wait"])).unwrap();
    assert!(one["instructions"][0]["exec"]["refused"].as_str().is_some_and(|why| why.ends_with("one device.")));
}

/// All tables, printed once for all tests.
fn tables() -> &'static Value {
    static TABLES: OnceLock<Value> = OnceLock::new();
    TABLES.get_or_init(|| serde_json::from_str(&out(&["--format", "json"])).unwrap())
}

#[test]
fn json_holds_forms_operands_and_gates() {
    let all = tables();
    assert!(all["instructions"].as_array().unwrap().len() > 200);
    assert!(all["modifiers"].as_array().unwrap().len() > 400);
    let one: Value = serde_json::from_str(&out(&["--format", "json", "vote"])).unwrap();
    let forms = one["instructions"][0]["forms"].as_array().unwrap();
    assert_eq!(forms[1]["text"], "vote.ballot.b32 d, {!}a");
    assert_eq!(forms[1]["operands"][1]["value"]["flags"], json!(["negatable"]));
    assert_eq!(forms[1]["gates"][0]["alternatives"][0]["target"], "sm_20");
}

#[test]
fn json_says_what_instructions_do_and_gives_examples() {
    let one: Value = serde_json::from_str(&out(&["--format", "json", "cp.async"])).unwrap();
    let copy = &one["instructions"][0];
    assert_eq!((&copy["name"], &copy["flow"], &copy["pure"]), (&json!("cp.async"), &json!("next"), &json!(false)));
    assert_eq!(copy["forms"][0]["effects"][0]["verb"], "starts");
    let example = &copy["forms"][0]["examples"][0];
    let (module, statement) = (example["module"].as_str().unwrap(), example["statement"].as_str().unwrap());
    assert!(module.contains(statement) && statement.starts_with("cp.async."), "{module}");
}

#[test]
fn the_site_needs_a_folder() {
    assert_eq!(isa(&["--format", "html"]).status.code(), Some(2));
}

/// The files of the site by name, generated once for all tests.
fn site() -> &'static BTreeMap<String, String> {
    static SITE: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    SITE.get_or_init(made)
}

fn made() -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("a/site");
    out(&["--format", "html", site.to_str().unwrap()]);
    let (mut out, mut folders) = (BTreeMap::new(), vec![site.clone()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&site).unwrap().to_str().unwrap().replace('\\', "/");
            out.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    out
}

fn pages() -> impl Iterator<Item = (&'static String, &'static String)> {
    site().iter().filter(|(name, _)| name.ends_with(".html"))
}

#[test]
fn the_site_is_the_same_every_time() {
    assert!(*site() == made(), "two runs differ");
}

#[test]
fn everything_has_a_page() {
    let all = tables();
    let folders = [
        ("instructions", "instructions"),
        ("types", "types"),
        ("spaces", "state-spaces"),
        ("modifiers", "modifiers"),
        ("special_registers", "special-registers"),
        ("directives", "directives"),
        ("constants", "constants"),
        ("targets", "targets"),
    ];
    for (key, folder) in folders {
        let titles: BTreeSet<&str> = pages()
            .filter(|(path, _)| path.starts_with(&format!("{folder}/")))
            .filter_map(|(_, text)| text.split_once("<h1><code>")?.1.split_once("</code>"))
            .map(|(title, _)| title)
            .collect();
        // A modifier that is a type or a state space has its page in that chapter.
        let elsewhere = |name: &str| {
            key == "modifiers"
                && ["types", "spaces"].iter().any(|k| all[k].as_array().unwrap().iter().any(|t| t["name"] == name))
        };
        for thing in all[key].as_array().unwrap() {
            let name = thing["name"].as_str().unwrap();
            let title = name.replace('"', "&quot;");
            assert!(titles.contains(title.as_str()) || elsewhere(name), "{folder}: {name}");
        }
    }
    let index = &site()["search-index.js"];
    let rows = index.lines().filter(|line| line.starts_with('[')).map(|line| line.trim_end_matches(','));
    let row = |line| serde_json::from_str::<Value>(line).expect("a row is JSON");
    let found: BTreeSet<String> = rows.map(|line| row(line)[2].as_str().expect("a path").to_owned()).collect();
    // The index leads to every page except the start page and the first pages of the chapters, and to no other.
    let is_page = |path: &&String| path.rsplit('/').next() != Some("index.html");
    let expected: BTreeSet<String> = pages().map(|(path, _)| path).filter(is_page).cloned().collect();
    assert_eq!(expected.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(found.iter().all(|found| pages().any(|(path, _)| path == found)), "{found:?}");
}

#[test]
fn all_links_of_the_site_lead_somewhere() {
    let mut targets = BTreeSet::new();
    let mut links = Vec::new();
    for (path, text) in pages() {
        let ids: Vec<&str> = attributes(text, " id=\"").collect();
        let distinct: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{path} has an anchor twice");
        targets.extend(ids.iter().map(|id| format!("{path}#{id}")));
        links.extend(attributes(text, "href=\"").chain(attributes(text, "src=\"")).map(|link| (path, link)));
    }
    assert!(links.len() > 20_000, "{}", links.len());
    for (page, link) in links {
        if link.starts_with("https://") {
            assert!(
                link.starts_with("https://docs.nvidia.com/cuda/parallel-thread-execution/#"),
                "{page} links to {link}"
            );
            continue;
        }
        let whole = resolved(page, link);
        assert!(targets.contains(&whole) || site().contains_key(&whole), "{page} links to {link}: {whole}");
    }
}

/// The path that a link of a page leads to.
fn resolved(page: &str, link: &str) -> String {
    if link.starts_with('#') {
        return format!("{page}{link}");
    }
    let mut folders: Vec<&str> = page.split('/').collect();
    folders.pop();
    for part in link.split('/') {
        match part {
            ".." => {
                folders.pop();
            }
            part => folders.push(part),
        }
    }
    folders.join("/")
}

fn attributes<'t>(text: &'t str, marker: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(marker).skip(1).filter_map(|rest| rest.split('"').next())
}

#[test]
fn no_text_of_the_site_is_taken_for_markup() {
    for (path, text) in pages() {
        let mut open: Vec<&str> = Vec::new();
        for piece in text.split('<').skip(1) {
            let (tag, after) = piece.split_once('>').unwrap_or_else(|| panic!("{path}: <{piece}"));
            let name = tag.split([' ', '/']).find(|t| !t.is_empty()).unwrap_or("");
            let known = name.starts_with('!') || name.chars().all(|c| c.is_ascii_alphanumeric());
            assert!(known && !after.contains('>'), "{path}: <{piece}");
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(closed), _) => assert_eq!(open.pop(), Some(closed), "{path}"),
                (None, true) => {}
                (None, false) if matches!(name, "!DOCTYPE" | "meta" | "link" | "input" | "br" | "hr") => {}
                (None, false) => {
                    // Neither links nor headings that fold may contain anything to click.
                    let nested = matches!(name, "a" | "button") && open.iter().any(|t| matches!(*t, "a" | "summary"));
                    assert!(!nested, "{path}: <{piece}");
                    open.push(name);
                }
            }
        }
        assert_eq!(open, Vec::<&str>::new(), "{path}");
        // The content security policy forbids inline styles and handlers.
        assert!(!text.contains(" style=\"") && !text.contains(" onclick="), "{path}");
    }
}
