//! The input of a target: text first, then bytes that say what is done with it.

/// No text has this byte, so it ends the text.
pub const SEPARATOR: u8 = 0xff;

/// Decisions taken from bytes; zeros when they are used up.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// The next two bytes.
    pub fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        let number = if n > 256 { self.number() } else { self.byte().into() };
        number % n.max(1)
    }

    /// One of some things.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Whether all is used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The text, and what is done with it.
pub fn split(data: &[u8]) -> (String, Bytes<'_>) {
    let end = data.iter().position(|b| *b == SEPARATOR).unwrap_or(data.len());
    let rest = data.get(end + 1..).unwrap_or_default();
    (String::from_utf8_lossy(&data[..end]).into_owned(), Bytes(rest))
}

/// The last place between characters that does not lie behind an offset.
pub fn boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}
