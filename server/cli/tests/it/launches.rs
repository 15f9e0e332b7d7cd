//! Launches above kernels in all legal spellings: whoever reads them gets the same.

use crate::client::Client;
use crate::protocol::{at, server};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
const LAUNCH: &str = "//! launch: grid=1 block=8,4 out=u32[1024]:zero\n";

/// A kernel whose store touches 8 sectors with a block of 8×4 threads, and 32 with one of 32.
const KERNEL: &str = "\
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 128;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
";

/// Ways to write the same block: in the line, and around it.
fn spellings() -> Vec<String> {
    let mut out = Vec::new();
    for block in ["8,4", "8,4,1", "[8, 4]", "(8 , 4)", "2*4,4", "0x8,4", " 8,4", "[ 8,4 ]"] {
        for equals in ["=", " = ", "= ", "\t=\t"] {
            out.push(format!("{HEAD}{}{KERNEL}", LAUNCH.replace("=8,4", &format!("{equals}{block}"))));
        }
    }
    for begin in ["//!launch:", "//!  launch:", "  //! launch :", "\t//!\tlaunch\t:\t"] {
        out.push(format!("{HEAD}{}{KERNEL}", LAUNCH.replace("//! launch:", begin)));
    }
    for between in [
        "\n\n",
        "// words\n",
        "//! words: with a colon\n",
        "//! expect: status=finished\n",
        "//! launch: block=64 out=u32[1024]:zero\n",
        ".global .u32 x;\n",
        ".extern .func f();\n",
        "/* words\n//! launch: block=1\n*/\n",
        &"// words\n".repeat(300),
    ] {
        out.push(format!("{HEAD}{LAUNCH}{between}{KERNEL}"));
    }
    out.push(format!("{LAUNCH}{HEAD}{KERNEL}"));
    out.push(format!("{HEAD}/*\n//! launch: block=1\n*/\n{LAUNCH}{KERNEL}"));
    out.push(format!("{HEAD}.func g() {{ ret; }} //! launch: block=1\n{LAUNCH}{KERNEL}"));
    out.push(format!("{HEAD}//! launch: block=1\n.entry other() {{ ret; }}\n{LAUNCH}{KERNEL}"));
    out.push(format!("{HEAD}{LAUNCH}{}", KERNEL.replace(".visible .entry", ".visible\n.entry")));
    out.extend([0, out.len() - 1].map(|at| out[at].replace('\n', "\r\n")));
    out
}

/// The position of a part of a text.
fn position(text: &str, part: &str) -> Value {
    let offset = text.find(part).unwrap();
    let line = text[..offset].matches('\n').count();
    at(line as u32, (offset - text[..offset].rfind('\n').map_or(0, |at| at + 1)) as u32)
}

/// Asks until the words of an answer name sectors. Facts about addresses come with the lints, for which a request waits a limited
/// time only, and a busy machine may need longer.
fn until_sectors(client: &mut Client, method: &str, parameters: Value, words: fn(&Value) -> String) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = client.call(method, parameters.clone());
        let text = words(&answer);
        if text.contains("sector") {
            return text;
        }
        assert!(Instant::now() < deadline, "{method} {parameters}\n{answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What each reader of the launch says: the run, the list of launches, the hover, the hint, the lens, and whether a launch may be written.
fn answers(client: &mut Client, uri: &str, text: &str) -> [String; 6] {
    let document = json!({ "uri": uri });
    let run = client.execute("ptx-analyzer.evaluateWarp", json!({ "uri": uri, "entry": "k", "follow": false }));
    let listed = client.execute("ptx-analyzer.launches", json!({ "uri": uri, "entry": "k" }));
    let place = json!({ "textDocument": document, "position": position(text, "%rd3], %r1;") });
    let hover = until_sectors(client, "textDocument/hover", place, |answer| {
        let words = answer["contents"]["value"].as_str().unwrap_or_default();
        words.lines().find(|line| line.contains("sector")).unwrap_or_default().to_owned()
    });
    let all = json!({ "start": at(0, 0), "end": at(10_000, 0) });
    let hints = json!({ "textDocument": document, "range": all });
    let hints = until_sectors(client, "textDocument/inlayHint", hints, |answer| {
        let labels = answer.as_array().into_iter().flatten().filter_map(|hint| hint["label"].as_str());
        labels.collect::<Vec<&str>>().join(" ")
    });
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": document }));
    let name = position(text, "k(.param")["line"].clone();
    let lenses = lenses.as_array().unwrap().iter().filter(|lens| lens["range"]["start"]["line"] == name);
    let titles: Vec<Value> =
        lenses.map(|lens| client.call("codeLens/resolve", lens.clone())["command"]["title"].clone()).collect();
    let header = position(text, ".entry k");
    let range = json!({ "start": header, "end": header });
    let actions = client.call(
        "textDocument/codeAction",
        json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } }),
    );
    let actions =
        actions.as_array().into_iter().flatten().filter(|action| action["title"].to_string().contains("launch"));
    let first = &listed["entries"][0]["launches"][0];
    [
        format!("{} {}", run["status"], run["grid"]["block"]),
        first["text"].to_string(),
        hover,
        hints,
        json!(titles).to_string(),
        actions.map(|action| action["title"].to_string()).collect(),
    ]
}

#[test]
fn every_reader_takes_every_spelling() {
    let mut client = server();
    let literals = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    let capabilities = json!({ "workspace": { "applyEdit": true }, "textDocument": { "codeAction": literals } });
    client.begin(json!({ "capabilities": capabilities }));
    let all = spellings();
    assert!(all.len() > 50);
    let mut expected = None;
    for (number, text) in all.iter().enumerate() {
        let uri = format!("file:///{number}.ptx");
        client.open(&uri, 1, text);
        let found = answers(&mut client, &uri, text);
        let expected = expected.get_or_insert_with(|| found.clone());
        assert_eq!(found, *expected, "{text}");
        client.close(&uri);
    }
    let [run, listed, hover, hints, titles, action] = expected.unwrap();
    assert_eq!(run, "\"finished\" [8,4,1]");
    assert_eq!(listed, "\"grid=1 block=8,4 out=u32[1024]:zero\"");
    assert!(hover.contains("8 sectors") && hover.contains("8×4×1"), "{hover}");
    assert!(hints.contains("8 sectors") && !hints.contains('*'), "{hints}");
    assert!(titles.contains("CTAs of 32 threads"), "{titles}");
    assert_eq!(action, "");
    // Without a launch it is otherwise.
    let text = format!("{HEAD}{KERNEL}");
    client.open("file:///none.ptx", 1, &text);
    let none = answers(&mut client, "file:///none.ptx", &text);
    assert!(none[3].contains('*') && none[4] != titles && none[5].contains("launch"), "{none:?}");
}
