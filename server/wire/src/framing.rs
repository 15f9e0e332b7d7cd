//! Messages on a byte stream: a header with the length, an empty line, the body.

use std::io::{self, BufRead, Read, Write};

/// The maximum length of a header line in bytes; the rest of a longer line is read as a separate line.
const MAX_HEADER: u64 = 8 * 1024;

/// The maximum accepted `Content-Length` in bytes. A wrong length would swallow the messages after it.
const MAX_BODY: u64 = 256 << 20;

/// Reads the next message; `None` at the end of the stream.
///
/// Lines that are not headers are skipped, so that a stray line on the stream loses nothing but that line.
///
/// # Errors
/// Returns the errors of the reader.
pub fn read_message(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        match (line.trim_ascii(), length) {
            ([], Some(length)) => return read_body(reader, length),
            ([], None) => {}
            (header, _) => length = content_length(header).or(length),
        }
    }
}

fn content_length(header: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"content-length:";
    // Anywhere in the line: the text before it may be the rest of a broken message.
    let at = header.windows(NAME.len()).rposition(|w| w.eq_ignore_ascii_case(NAME))?;
    let length = std::str::from_utf8(&header[at + NAME.len()..]).ok()?.trim().parse().ok()?;
    if length > MAX_BODY {
        tracing::warn!("a message of {length} bytes is skipped: the maximum is {MAX_BODY}");
        return None;
    }
    Some(length)
}

fn read_body(reader: &mut impl BufRead, length: u64) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    // The vector grows with the received data: a wrong length must not reserve memory.
    let read = reader.by_ref().take(length).read_to_end(&mut body)?;
    Ok((read as u64 == length).then_some(body))
}

/// Writes one message and flushes.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write_message(writer: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(writer, "Content-Length: {}\r\n\r\n", body.len())?;
    writer.write_all(body)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(mut input: &[u8]) -> Vec<String> {
        std::iter::from_fn(|| read_message(&mut input).unwrap()).map(|m| String::from_utf8(m).unwrap()).collect()
    }

    #[test]
    fn several_messages() {
        let mut out = Vec::new();
        write_message(&mut out, b"{}").unwrap();
        write_message(&mut out, "\"é\"".as_bytes()).unwrap();
        assert_eq!(messages(&out), ["{}", "\"é\""]);
    }

    #[test]
    fn other_headers_and_names_in_any_case() {
        assert_eq!(messages(b"content-length: 2\r\nContent-Type: a; charset=utf-8\r\n\r\n[]"), ["[]"]);
    }

    #[test]
    fn stray_lines_cost_nothing_else() {
        assert_eq!(messages(b"hello\n\r\nworld Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]"), ["{}", "[]"]);
    }

    #[test]
    fn lengths_that_cannot_be_cost_one_message() {
        for length in ["1000000000000000000", "99999999999999999999999", "268435457", "-1"] {
            let input = format!("Content-Length: {length}\r\n\r\n{{}}Content-Length: 2\r\n\r\n[]");
            assert_eq!(messages(input.as_bytes()), ["[]"], "{length}");
        }
    }

    #[test]
    fn a_header_without_end_takes_no_memory() {
        let mut input = vec![b'x'; 50 * MAX_HEADER as usize];
        input.extend(b"\r\nContent-Length: 2\r\n\r\n[]");
        assert_eq!(messages(&input), ["[]"]);
    }

    #[test]
    fn a_cut_message_is_the_end() {
        assert!(messages(b"Content-Length: 20\r\n\r\n{}").is_empty());
        assert!(messages(b"Content-Length: 99999999999999999999999\r\n\r\n{}").is_empty());
    }
}
