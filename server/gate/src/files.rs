//! Reads files that the user did not select by hand: only regular files, and only up to a size limit. A `kernel.ptx` found in a
//! folder may be a pipe, and reading a pipe may never end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file; never waits for a pipe's writer.
///
/// # Errors
/// If it is not a regular file, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    // The opened file is checked, because the path may refer to another file by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

/// Reads a regular file of at most `most` bytes; the limit holds even if the file grows meanwhile.
///
/// # Errors
/// If it is not a regular file, is longer, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut out = Vec::with_capacity(usize::try_from(length.min(most)).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut out)?;
    if out.len() as u64 > most {
        let length = length.max(out.len() as u64);
        return Err(io::Error::other(format!("it has {length} bytes, but {most} are the most")));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_of_some_length_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert_eq!(read(&file, 4).unwrap_err().to_string(), "it has 5 bytes, but 4 are the most");
        assert!(read(folder.path(), 5).is_err());
        assert!(read(&folder.path().join("none"), 5).is_err());
        #[cfg(unix)]
        {
            // Devices and pipes have no length and no end.
            assert_eq!(read(Path::new("/dev/zero"), 5).unwrap_err().to_string(), "it is no file");
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert_eq!(read(&pipe, 5).unwrap_err().to_string(), "it is no file");
        }
    }
}
