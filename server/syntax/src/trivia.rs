//! What the grammar reads between tokens, and strings: their exact extents, for everything that reads PTX without the parser.
//!
//! [`Opaque`] is the only definition of where a comment, a line for a preprocessor and a string end. The rules that are easy to miss:
//!
//! - A `//` comment ends at a line feed, or at a carriage return before one. A carriage return alone belongs to the comment.
//! - A line for a preprocessor begins with `#` anywhere between tokens. It goes on behind a backslash at the end of its line.
//! - A string ends at the end of its line at the latest; here a carriage return alone ends a line.
//! - A null character ends each of them: the parser cannot tell it from the end of the text.
//!
//! The tests compare all of this with the parser, for every text of a few characters.

use memchr::{memchr, memchr2, memchr3};

/// The byte order mark, which the grammar takes for white space.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Whether a byte can be part of a name, a number or a modifier.
#[inline]
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether a byte is white space.
#[inline]
pub fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' | b'\x0b')
}

/// Something between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trivia {
    /// White space.
    White,
    /// A comment.
    Comment,
    /// A line for a preprocessor.
    PreprocessorLine,
}

/// The trivia at the beginning of a text, and its extent.
#[inline]
pub fn trivia(text: &[u8]) -> Option<(Trivia, Extent)> {
    let first = *text.first()?;
    if is_white(first) {
        let length = text.iter().position(|byte| !is_white(*byte)).unwrap_or(text.len());
        return Some((Trivia::White, Extent::Ended(length)));
    }
    match first {
        b'/' | b'#' => {
            let kind = if first == b'#' { Trivia::PreprocessorLine } else { Trivia::Comment };
            Some((kind, opaque(text)?))
        }
        0xef if text.starts_with(BYTE_ORDER_MARK) => Some((Trivia::White, Extent::Ended(BYTE_ORDER_MARK.len()))),
        _ => None,
    }
}

/// The extent of a comment, a line for a preprocessor or a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// It ends after this many bytes, whatever follows.
    Ended(usize),
    /// The text ends first. If nothing follows, it has this many bytes; what follows may be part of it.
    Open(usize),
}

impl Extent {
    /// The number of bytes, if the whole text is known.
    #[inline]
    pub fn exact(self) -> usize {
        match self {
            Self::Ended(length) | Self::Open(length) => length,
        }
    }
}

/// The extent of the comment, the line for a preprocessor or the string at the beginning of a text, with its delimiters.
#[inline]
pub fn opaque(text: &[u8]) -> Option<Extent> {
    let (mut opaque, opening) = Opaque::beginning(text)?;
    let inside = text.get(opening..)?;
    Some(match opaque.end_in(inside) {
        Some(length) => Extent::Ended(opening + length),
        None => Extent::Open(text.len() - opaque.undecided(inside)),
    })
}

/// What is still open behind the next piece of a text, after `open` before it.
pub fn open_after(piece: &[u8], open: Option<Opaque>) -> Option<Opaque> {
    let (mut open, mut rest) = (open, piece);
    loop {
        if let Some(opaque) = &mut open {
            let Some(length) = opaque.end_in(rest) else { return open };
            rest = &rest[length..];
        }
        let at = rest.iter().position(|byte| matches!(byte, b'/' | b'#' | b'"'))?;
        rest = &rest[at..];
        let beginning = Opaque::beginning(rest);
        open = beginning.map(|(opaque, _)| opaque);
        rest = &rest[beginning.map_or(1, |(_, length)| length)..];
    }
}

/// Whether a comment is a block comment without an end.
pub fn is_endless_comment(comment: &[u8]) -> bool {
    comment.starts_with(b"/*") && matches!(opaque(comment), Some(Extent::Open(_)))
}

/// Whether the last line of a text may continue a line for a preprocessor beyond its line feed.
pub fn may_continue_line(text: &[u8]) -> bool {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// Text in which no token begins, while it is read piece by piece from left to right. The fields are what the last piece leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opaque {
    /// `//`.
    LineComment {
        /// The last byte was a carriage return that may end the line.
        carriage_return: bool,
    },
    /// `/*`.
    BlockComment {
        /// The last byte was a star.
        star: bool,
    },
    /// `#`.
    PreprocessorLine {
        /// What the last bytes were, if they may continue the line.
        continuation: Continuation,
    },
    /// `"`.
    Text,
}

/// The beginning of a line's continuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// None.
    No,
    /// A backslash.
    Backslash,
    /// A backslash and a carriage return.
    CarriageReturn,
}

impl Opaque {
    /// What begins at the beginning of a text, and the length of its opening.
    #[inline]
    pub fn beginning(text: &[u8]) -> Option<(Self, usize)> {
        match text {
            [b'/', b'/', ..] => Some((Self::LineComment { carriage_return: false }, 2)),
            [b'/', b'*', ..] => Some((Self::BlockComment { star: false }, 2)),
            [b'#', ..] => Some((Self::PreprocessorLine { continuation: Continuation::No }, 1)),
            [b'"', ..] => Some((Self::Text, 1)),
            _ => None,
        }
    }

    /// The number of bytes of the next piece that belong to it, with its closing; `None` if all do and it may go on. A carriage return,
    /// star or backslash at the end of the piece before may turn out not to belong to it.
    pub fn end_in(&mut self, piece: &[u8]) -> Option<usize> {
        match self {
            Self::LineComment { carriage_return } => end_of_line_comment(piece, carriage_return),
            Self::BlockComment { star } => end_of_block_comment(piece, star),
            Self::PreprocessorLine { continuation } => end_of_preprocessor_line(piece, continuation),
            Self::Text => {
                let length = memchr3(b'"', b'\r', b'\n', piece).unwrap_or(piece.len());
                match memchr(0, &piece[..length]) {
                    Some(null) => Some(null),
                    None => Some(length + usize::from(*piece.get(length)? == b'"')),
                }
            }
        }
    }

    /// The number of bytes at the end of the last piece that do not belong to it if the text ends there.
    fn undecided(&self, piece: &[u8]) -> usize {
        match self {
            Self::LineComment { carriage_return } => usize::from(*carriage_return),
            Self::BlockComment { .. } => piece.iter().rev().take_while(|byte| **byte == b'*').count(),
            Self::PreprocessorLine { continuation } => usize::from(*continuation == Continuation::Backslash),
            Self::Text => 0,
        }
    }
}

fn end_of_line_comment(piece: &[u8], carriage_return: &mut bool) -> Option<usize> {
    let mut at = 0;
    loop {
        if std::mem::take(carriage_return) {
            match piece.get(at) {
                None => {
                    *carriage_return = true;
                    return None;
                }
                Some(b'\n' | 0) => return Some(at.saturating_sub(1)),
                Some(_) => at += 1,
            }
        }
        let length = memchr3(b'\n', b'\r', 0, &piece[at..])?;
        at += length;
        if piece[at] != b'\r' {
            return Some(at);
        }
        *carriage_return = true;
        at += 1;
    }
}

fn end_of_block_comment(piece: &[u8], star: &mut bool) -> Option<usize> {
    let mut at = 0;
    if std::mem::take(star) {
        at = piece.iter().position(|byte| *byte != b'*').unwrap_or(piece.len());
        match piece.get(at) {
            None => {
                *star = true;
                return None;
            }
            Some(b'/') => return Some(at + 1),
            Some(0) => return Some(0),
            Some(_) => {}
        }
    }
    loop {
        at += memchr2(b'*', 0, &piece[at..])?;
        let stars = piece[at..].iter().take_while(|byte| **byte == b'*').count();
        match piece.get(at + stars) {
            Some(b'/') if stars > 0 => return Some(at + stars + 1),
            Some(0) => return Some(at),
            Some(_) => at += stars,
            None => {
                *star = true;
                return None;
            }
        }
    }
}

fn end_of_preprocessor_line(piece: &[u8], continuation: &mut Continuation) -> Option<usize> {
    let mut at = 0;
    loop {
        let before = std::mem::replace(continuation, Continuation::No);
        match (before, piece.get(at)) {
            (Continuation::No, _) => {}
            (_, None) => {
                *continuation = before;
                return None;
            }
            (Continuation::Backslash, Some(0)) => return Some(at.saturating_sub(1)),
            (Continuation::Backslash, Some(b'\r')) => {
                *continuation = Continuation::CarriageReturn;
                at += 1;
                continue;
            }
            (Continuation::Backslash, _) | (Continuation::CarriageReturn, Some(b'\n')) => at += 1,
            (Continuation::CarriageReturn, _) => {}
        }
        at += memchr3(b'\n', b'\\', 0, &piece[at..])?;
        if piece[at] != b'\\' {
            return Some(at);
        }
        *continuation = Continuation::Backslash;
        at += 1;
    }
}

#[cfg(test)]
mod tests;
