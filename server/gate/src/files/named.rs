//! Files that the user names: they may be anything, such as the pipe of `<(…)`, but not without end.

use super::{ReadFailure, read_up_to, real};
use crate::names::plain;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Maximum number of bytes that a device may have. A terminal is a pipe in this respect.
const MAX_DEVICE: u64 = 1 << 20;

/// Reads a file that the user named, of at most `max` bytes.
///
/// # Errors
/// If it is longer, or cannot be read.
#[expect(clippy::disallowed_methods, reason = "the user named this file")]
pub fn read_named(path: &Path, max: u64) -> Result<Vec<u8>, ReadFailure> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    if data.is_file() {
        return read_up_to(file, Some(data.len()), max);
    }
    if !is_device(&data) || file.is_terminal() {
        return read_stream(file, max);
    }
    match read_stream(file, max.min(MAX_DEVICE)) {
        Err(ReadFailure::TooLong { .. }) => Err(ReadFailure::EndlessDevice),
        read => read,
    }
}

/// Reads a stream to its end, which comes after at most `max` bytes.
///
/// # Errors
/// If it is longer, or cannot be read.
pub fn read_stream(stream: impl Read, max: u64) -> Result<Vec<u8>, ReadFailure> {
    read_up_to(stream, None, max)
}

/// The absolute path without links of a file or folder that the user named, in the form in which users write it. Unlike with [`real`], links
/// may lead to other computers.
///
/// # Errors
/// If the file does not exist.
#[expect(clippy::disallowed_methods, reason = "the user named this path")]
pub fn real_named(path: &Path) -> io::Result<PathBuf> {
    // Windows has no such path for the files of some drives (in memory, or of a program). There they are followed name by name.
    std::fs::canonicalize(path).map(plain).or_else(|error| real(path).map_err(|_| error))
}

/// Whether a path that the user named is a folder.
#[expect(clippy::disallowed_methods, reason = "the user named this path")]
pub fn is_named_folder(path: &Path) -> bool {
    path.is_dir()
}

#[cfg(unix)]
fn is_device(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    data.file_type().is_char_device() || data.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_names_may_be_anything_with_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_named(&file, 5).unwrap(), b"12345");
        assert!(matches!(read_named(&file, 4), Err(ReadFailure::TooLong { length: Some(5), max: 4 })));
        assert!(matches!(read_stream(io::repeat(0), 4), Err(ReadFailure::TooLong { length: None, max: 4 })));
        assert_eq!(read_stream(&b"1234"[..], 4).unwrap(), b"1234");
        #[cfg(unix)]
        {
            assert_eq!(read_named(Path::new("/dev/null"), 5).unwrap(), b"");
            assert!(matches!(read_named(Path::new("/dev/zero"), 1 << 40), Err(ReadFailure::EndlessDevice)));
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            let writer = std::thread::spawn({
                let pipe = pipe.clone();
                move || std::fs::write(pipe, "12345")
            });
            assert_eq!(read_named(&pipe, 5).unwrap(), b"12345");
            writer.join().unwrap().unwrap();
        }
    }
}
