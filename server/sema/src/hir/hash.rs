//! Hashes of texts: not for keys that an attacker could choose.

use ptx_syntax::Snapshot;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Hash of a text.
pub fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Hash of a value, by its `Hash` implementation.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = Xxh3::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hash of two hashes; the order matters.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}

/// Hash of a byte range of the text.
pub fn hash_range(snapshot: &Snapshot, range: Range<usize>) -> u64 {
    let end = range.end.min(snapshot.rope().len_bytes());
    let Some(slice) = snapshot.rope().get_byte_slice(range.start.min(end)..end) else { return 0 };
    let mut hasher = Xxh3::new();
    for chunk in slice.chunks() {
        hasher.update(chunk.as_bytes());
    }
    hasher.digest()
}
