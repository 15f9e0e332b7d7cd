//! Hover in a real process: it shows the flow facts of a function as long as the text of the function is unchanged.

use crate::client::Client;
use crate::protocol::server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const URI: &str = "file:///hover.ptx";

#[test]
fn facts_of_the_second_pass_reach_the_hover_and_follow_their_function() {
    let mut client = server();
    client.begin(json!({ "capabilities": { "general": { "positionEncodings": ["utf-8"] } } }));
    // The function is so long that the flow lints cannot finish within the time of a hover.
    let filler = "add.u32 %r2, %r2, 1;\n".repeat(8000);
    let text = format!(
        ".version 8.0\n.target sm_90\n.entry k()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %r1;\n{filler}ret;\n}}\n"
    );
    client.open(URI, 1, &text);
    client.diagnostics(URI, 1);
    let hover = |client: &mut Client, line: u32| {
        let position = json!({ "line": line, "character": 9 });
        let found = client.call("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": position }));
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut shown = hover(&mut client, 5);
    while !shown.contains("uniform: the same in all threads") {
        assert!(Instant::now() < deadline, "{shown}");
        std::thread::sleep(Duration::from_millis(50));
        shown = hover(&mut client, 5);
    }
    assert!(shown.contains("written once, read once"), "{shown}");
    // A line above moves the function; its flow facts stay valid.
    let range = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 0 } });
    client.change(URI, 2, json!([{ "range": range, "text": "// a comment\n" }]));
    let moved = hover(&mut client, 6);
    assert_eq!(moved, shown);
    // The text of the function changes, so its flow facts are invalid. The hover shows only the references.
    let range = json!({ "start": { "line": 6, "character": 13 }, "end": { "line": 6, "character": 21 } });
    client.change(URI, 3, json!([{ "range": range, "text": "%tid.x" }]));
    let changed = hover(&mut client, 6);
    assert!(!changed.contains("uniform") && changed.contains("written once, read once"), "{changed}");
    client.call("shutdown", Value::Null);
}
