//! The input of a target: a text, followed by bytes that control what the target does with it.

/// The byte that ends the text. It never occurs in UTF-8.
pub const SEPARATOR: u8 = 0xff;

/// A source of decisions: the remaining input bytes. It returns zeros at the end.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// The next two bytes as a little-endian number.
    pub fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let number = if n > 256 { self.number() } else { self.byte().into() };
        number % n.max(1)
    }

    /// One element of a slice.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Splits an input into the text and the control bytes.
pub fn split(data: &[u8]) -> (String, Bytes<'_>) {
    let end = data.iter().position(|b| *b == SEPARATOR).unwrap_or(data.len());
    let rest = data.get(end + 1..).unwrap_or_default();
    (String::from_utf8_lossy(&data[..end]).into_owned(), Bytes(rest))
}

/// The last character boundary at or before an offset.
pub fn boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}
