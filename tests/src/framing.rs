//! Messages of both protocols on a byte stream, as the test clients write and read them. Crates that use no other part
//! of the workspace share this file.

use serde_json::Value;
use std::io::BufRead;

/// A body with its header.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend(body);
    out
}

/// The next message; `None` if the stream ends before the message does.
///
/// # Panics If the server writes anything that is not a message: its stream must contain nothing else.
pub fn read(input: &mut impl BufRead) -> Option<Value> {
    Some(serde_json::from_slice(&read_body(input)?).expect("the server writes JSON"))
}

/// The body of the next message; `None` if the stream ends before it does.
///
/// # Panics If the server writes anything that is not a message.
pub fn read_body(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", n)) => length = Some(n.parse().expect("a length")),
            other => {
                assert!(other.is_none() && line.trim().is_empty(), "the server writes {line:?}");
                break;
            }
        }
    }
    let mut body = vec![0; length.expect("a header with the length")];
    input.read_exact(&mut body).ok()?;
    Some(body)
}
