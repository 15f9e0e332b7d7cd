//! Rows of registers in the answers of `evaluateWarp`, and one text for a value in all places.

use crate::cli::run_with;
use crate::client::Client;
use crate::protocol::{at, server};
use serde_json::{Value, json};

const URI: &str = "file:///values.ptx";

/// Registers of each kind with the same value in all lanes. `%word` and `%pair` are bits that instructions read as numbers, as are `%half` and `%brain`.
const TEXT: &str = "\
.version 8.6
.target sm_80
.address_size 64
//! launch: grid=1 block=32 out=f32[32]:zero
.visible .entry values(.param .u64 out)
{
    .reg .f32 %single;
    .reg .f64 %double;
    .reg .b16 %half, %brain, %spare;
    .reg .b32 %word, %pair, %mask, %count, %lane, %spares;
    .reg .s64 %minus;
    .reg .u64 %at;
    ld.param.u64 %at, [out];
    mov.f32 %single, 0f4B189680;
    mov.f64 %double, 0d3FB999999999999A;
    mov.b16 %half, 0x3555;
    mov.b16 %brain, 0x3EAB;
    mov.b32 %word, 0f3F800000;
    mov.b32 %pair, 0x4000BC00;
    mov.b32 %mask, 0xdeadbeef;
    mov.b32 %count, 500;
    mov.s64 %minus, -7;
    mov.u32 %lane, %laneid;
    neg.f16 %spare, %half;
    neg.bf16 %spare, %brain;
    neg.f16x2 %spares, %pair;
    mad.wide.u32 %at, %lane, 4, %at;
    st.global.f32 [%at], %word;
    ret;
}
";

/// The text of each register at the end.
const TEXTS: &[(&str, &str)] = &[
    ("%single", "10000000.0"),
    ("%double", "0.1"),
    ("%half", "0.3333"),
    ("%brain", "0.334"),
    ("%word", "1.0"),
    ("%pair", "-1.0|2.0"),
    ("%mask", "0xdeadbeef"),
    ("%count", "500"),
    ("%minus", "-7"),
    ("%lane", "lane"),
];

fn evaluate(client: &mut Client, more: Value) -> Value {
    let mut argument = json!({ "uri": URI });
    argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.execute("ptx-analyzer.evaluateWarp", argument)
}

fn opened() -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(URI, 1, TEXT);
    client
}

fn named<'v>(rows: &'v Value, name: &str) -> &'v Value {
    let all = rows.as_array().unwrap_or_else(|| panic!("{rows}"));
    all.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not in {rows}"))
}

#[test]
fn a_value_reads_the_same_everywhere() {
    let mut client = opened();
    let answer = evaluate(&mut client, json!({ "rows": true, "state": 1_000_000, "focus": { "lane": 3 } }));
    let range = json!({ "start": at(0, 0), "end": at(99, 0) });
    let hints = client.call("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let hints = hints.to_string();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ptx"), TEXT).unwrap();
    let trace = String::from_utf8(run_with(folder.path(), &["eval", "--trace", "a.ptx"], b"").stdout).unwrap();
    let markdown = answer["markdown"].as_str().unwrap();
    let steps = answer["trace"].as_array().unwrap();
    for (name, text) in TEXTS {
        let row = named(&answer["state"]["rows"], name);
        assert_eq!(row["folded"], *text, "{row}");
        let last = steps.iter().rev().flat_map(|step| step["rows"]["rows"].as_array().unwrap());
        assert_eq!(last.clone().find(|row| row["name"] == *name).unwrap()["folded"], *text, "{name}");
        let shown = format!("{name} = {}", if *text == "lane" { "3" } else { text });
        assert!(hints.contains(&format!("{shown}\"")), "{shown} is not in {hints}");
        assert!(trace.contains(&format!("  {name} = {text}")), "{name} = {text} is not in {trace}");
        assert!(markdown.contains(&format!("| {text} |")), "{name} {text} is not in {markdown}");
    }
    let address = named(&answer["state"]["rows"], "%at");
    assert!(address["folded"].as_str().unwrap().ends_with(" + 4 × lane"), "{address}");
    assert_eq!(address["leads_to"], "out");
}

#[test]
fn readings_and_rooms() {
    let mut client = opened();
    let rows = json!({ "readings": { "%mask": "bits", "%pair": "hex", "%single": "odd" } });
    let argument = json!({ "uri": URI, "rows": rows, "state": true });
    let id = client.request(
        "workspace/executeCommand",
        json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [argument] }),
    );
    let refused = client.answer(id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("`odd` is not a reading"), "{refused}");
    let rows = json!({ "readings": { "%mask": "bits", "%pair": "hex" }, "room": 6 });
    let answer = evaluate(&mut client, json!({ "rows": rows, "state": 1_000_000, "register": "%pair" }));
    let state = &answer["state"]["rows"];
    assert_eq!(named(state, "%mask")["folded"], "1101_1110_1010_1101_1011_1110_1110_1111");
    assert_eq!(named(state, "%pair")["folded"], "0x4000bc00");
    let part = &named(state, "%single")["parts"][0];
    assert_eq!((&part["texts"][0], &part["short"][0]), (&json!("10000000.0"), &json!("10M")));
    let readings = answer["register"].as_array().unwrap();
    let half2 = readings.iter().find(|reading| reading["reading"] == "half2").unwrap();
    assert_eq!(half2["texts"][31], "-1.0|2.0");
    let parts = evaluate(&mut client, json!({ "rows": true, "state": 1_000_000 }));
    let pair = &named(&parts["state"]["rows"], "%pair")["parts"];
    assert_eq!((&pair[0]["label"], &pair[0]["texts"][0]), (&json!("f16 lo"), &json!("-1.0")));
    assert_eq!((&pair[1]["label"], &pair[1]["texts"][0]), (&json!("f16 hi"), &json!("2.0")));
}

#[test]
fn rows_stand_in_the_place_of_bytes() {
    let mut client = opened();
    let state =
        |client: &mut Client, rows: Value| evaluate(client, json!({ "rows": rows, "state": 3, "count": 4, "from": 2 }));
    let plain = evaluate(&mut client, json!({ "state": 3 }));
    assert!(plain["state"]["registers"].is_array() && plain["state"]["rows"].is_null());
    let both = state(&mut client, json!(true));
    assert!(both["state"]["registers"].is_null() && both["state"]["specials"].is_null());
    assert_eq!(named(&both["state"]["rows"], "%word")["known"], 0);
    assert!(named(&both["state"]["rows"], "%word").get("folded").is_none());
    let steps = both["trace"].as_array().unwrap();
    let all: Vec<&Value> = steps.iter().map(|step| &step["rows"]["all"]).collect();
    assert_eq!(all, [true, false, false, false]);
    assert_eq!(steps[1]["rows"]["rows"].as_array().unwrap().len(), 1, "{}", steps[1]);
    assert_eq!(steps[1]["rows"]["rows"][0]["changed"], u32::MAX);
    let of_steps = state(&mut client, json!({ "state": false }));
    assert!(of_steps["state"]["rows"].is_null() && of_steps["state"]["registers"].is_null());
    assert!(of_steps["state"]["groups"].is_array() && of_steps["trace"][0]["rows"].is_object());
    let of_state = state(&mut client, json!({ "steps": false }));
    assert!(of_state["state"]["rows"].is_array() && of_state["trace"][0]["rows"].is_null());
}

#[test]
fn memory_that_is_not_there_says_so() {
    let mut client = opened();
    let pieces = json!([
        { "space": "const", "offset": 0, "length": 16 },
        { "buffer": "out", "offset": 1000, "length": 16 },
        { "buffer": "out", "length": 8, "type": "f32" },
    ]);
    let answer = evaluate(&mut client, json!({ "state": 1_000_000, "memory": pieces }));
    let memory = &answer["memory"];
    let missing = memory[0]["error"].as_str().unwrap_or_else(|| panic!("{memory}"));
    assert!(missing.contains("no constant memory"), "{memory}");
    assert!(memory[1]["error"].is_string(), "{memory}");
    assert_eq!(memory[2]["texts"]["values"], json!(["1.0", "1.0"]), "{memory}");
}
