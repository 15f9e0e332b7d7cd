//! Names files that are no text, by their first bytes.

/// What a file is, and how PTX is got from it. `None` for what may be a text.
pub fn binary_format(bytes: &[u8]) -> Option<&'static str> {
    /// The first bytes of a format, and the sentence about it.
    type Format = (&'static [u8], &'static str);
    const FORMATS: &[Format] = &[
        (
            b"\x7fELF",
            "this is an ELF file (a cubin, object, library or program), not PTX: `cuobjdump -xptx all FILE` extracts any PTX in it",
        ),
        (b"\x50\xed\x55\xba", "this is a fatbin, not PTX: `cuobjdump -xptx all FILE` extracts any PTX in it"),
        (b"\x1f\x8b", "this is a gzip archive, not PTX: unpack it first (`gunzip`)"),
        (b"\x28\xb5\x2f\xfd", "this is a Zstandard archive, not PTX: unpack it first (`zstd -d`)"),
        (b"\xfd7zXZ\0", "this is an xz archive, not PTX: unpack it first (`unxz`)"),
        (b"BZh", "this is a bzip2 archive, not PTX: unpack it first (`bunzip2`)"),
        (b"PK\x03\x04", "this is a zip archive, not PTX: unpack it first (`unzip`)"),
        (b"!<arch>\n", "this is a static library, not PTX: `cuobjdump -xptx all FILE` extracts any PTX in it"),
        (b"BC\xc0\xde", "this is LLVM bitcode, not PTX: `llc -march=nvptx64` compiles it, `llvm-dis` shows it"),
        (b"MZ\x90\0", "this is a Windows program, not PTX: `cuobjdump -xptx all FILE` extracts any PTX in it"),
        (b"\xcf\xfa\xed\xfe", "this is a macOS program, not PTX"),
    ];
    let known = FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic));
    known.map(|(_, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use super::binary_format;

    #[test]
    fn by_the_first_bytes() {
        for (bytes, word) in [
            (&b"\x7fELF\x02\x01"[..], "ELF"),
            (b"\x50\xed\x55\xba\x01\0", "fatbin"),
            (b"\x1f\x8b\x08\0", "gzip"),
            (b"PK\x03\x04\x14", "zip"),
        ] {
            assert!(binary_format(bytes).is_some_and(|sentence| sentence.contains(word)), "{word}");
        }
        for text in ["", ".version 8.0", "// BZh", "BZ1: ret;", "\u{feff}.version 8.0"] {
            assert_eq!(binary_format(text.as_bytes()), None, "{text}");
        }
    }
}
