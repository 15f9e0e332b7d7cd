//! Parses JSON from clients.

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
pub fn parse(body: &[u8]) -> serde_json::Result<Value> {
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
            assert_eq!(parse(written.as_bytes()).unwrap(), expected, "{written}");
        }
        assert_eq!(parse(b"\"a\xed\xa0\xbdb\"").unwrap(), "a\u{fffd}b");
    }

    #[test]
    fn other_mistakes_stay_mistakes() {
        for written in [&b"{a}"[..], br#""\ud8""#, br#""\u12""#, br#"{"\ud83d": }"#, b"\"\xed\xa0\"", b"\"\xff\""] {
            assert!(parse(written).is_err(), "{}", written.escape_ascii());
        }
    }
}
