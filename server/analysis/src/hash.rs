//! Hashes of texts: not for keys that an attacker could choose.

use xxhash_rust::xxh3::xxh3_64;

/// Hash of a text.
pub fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Hash of two hashes; the order matters.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}
