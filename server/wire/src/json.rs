//! Parses JSON from clients.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// U+FFFD: three bytes of UTF-8, as many as a lone surrogate takes if a client encodes it like a character.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Parses a message.
///
/// JSON allows half of a surrogate pair (`"\ud83d"`), which is what JavaScript writes when an edit cuts an emoji in two. A
/// Rust string cannot hold it. It becomes U+FFFD, which counts as one UTF-16 unit too, so that later ranges still fit.
///
/// # Errors
/// If it is not JSON.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(body).or_else(|error| match without_lone_surrogates(body) {
        Some(body) => serde_json::from_slice(&body),
        None => Err(error),
    })
}

/// The message with U+FFFD in place of each lone surrogate; `None` if it has none. Every other byte keeps its position.
fn without_lone_surrogates(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = body.to_vec();
    let (mut at, mut changed) = (0, false);
    while let Some(&byte) = body.get(at) {
        let rest = body.get(at..).unwrap_or_default();
        at += match (byte, unit(rest)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(rest.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                out[at + 2..at + 6].copy_from_slice(b"fffd");
                changed = true;
                6
            }
            (b'\\', Some(_)) => 6,
            (b'\\', None) => 2,
            // Invalid UTF-8 that lenient encoders write for a surrogate.
            (0xed, _) if matches!(rest, [_, 0xa0..=0xbf, 0x80..=0xbf, ..]) => {
                out[at..at + 3].copy_from_slice(REPLACEMENT);
                changed = true;
                3
            }
            _ => 1,
        };
    }
    changed.then_some(out)
}

/// The value of a member of a message that is not valid JSON, as far as it can be read: a string or a number, not one inside of another
/// object. So even a cut message is answered with its number.
pub fn member(body: &[u8], key: &str) -> Option<Value> {
    let body = body.trim_ascii_start();
    if !body.starts_with(b"{") {
        return None;
    }
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(&byte) = body.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = at + 1 + string_length(body.get(at + 1..)?)?;
                let rest = body.get(end + 1..)?.trim_ascii_start();
                if depth == 1
                    && body.get(at + 1..end) == Some(key.as_bytes())
                    && let Some(value) = rest.strip_prefix(b":")
                {
                    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<Value>();
                    let found = values.next()?.ok()?;
                    // The message may have been cut within a number.
                    let is_whole = found.is_string() || found.is_number() && values.byte_offset() < value.len();
                    return is_whole.then_some(found);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The length of the inside of a string that has begun.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The UTF-16 unit of an escape such as `\u00e9` at the start of `bytes`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (written, expected) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""a\uDE00""#, "a\u{fffd}"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}😀\u{fffd}"),
            (r#""\ud83d\u0041\n""#, "\u{fffd}A\n"),
            (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
        ] {
            assert_eq!(parse::<Value>(written.as_bytes()).unwrap(), expected, "{written}");
        }
        assert_eq!(parse::<Value>(b"\"a\xed\xa0\xbdb\"").unwrap(), "a\u{fffd}b");
    }

    #[test]
    fn members_of_broken_messages() {
        for (body, id) in [
            (r#"{"jsonrpc":"2.0","id":1,"meth"#, Some("1")),
            (r#"{"id" : "a\"b" , nonsense"#, Some(r#""a\"b""#)),
            (r#"{"params":{"id":3},"id":-4.5,,"#, Some("-4.5")),
            (r#"{"text":"\\\"id\":5, \\","id":6}}"#, Some("6")),
            (r#"{"params":{"id":3"#, None),
            (r#"{"id":12"#, None),
            (r#"{"id":null,"a"#, None),
            (r#"{"id":{"id":1}"#, None),
            (r#"["id":1,"#, None),
            (r#"}"id":1"#, None),
            ("id:1", None),
            ("", None),
        ] {
            let expected = id.map(|id| serde_json::from_str::<Value>(id).unwrap());
            assert_eq!(member(body.as_bytes(), "id"), expected, "{body}");
        }
    }

    #[test]
    fn other_mistakes_stay_mistakes() {
        for written in [&b"{a}"[..], br#""\ud8""#, br#""\u12""#, br#"{"\ud83d": }"#, b"\"\xed\xa0\"", b"\"\xff\""] {
            assert!(parse::<Value>(written).is_err(), "{}", written.escape_ascii());
        }
    }
}
