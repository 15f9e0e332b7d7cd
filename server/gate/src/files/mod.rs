//! Reads files, and is the only place of the product that does: a lint (`clippy.toml`) refuses the functions of the standard library that
//! open a file or ask about one.
//!
//! A file that nobody named may be anything: a pipe that is never written, a device without an end, a link to a secret, a name of another
//! computer. So each way to a file has its function:
//!
//! | who named it | function | what it may be |
//! |---|---|---|
//! | nobody: it was found, or a text names it | [`read`], [`BoundedFolder::read`] | a regular file up to a size, in a folder |
//! | nobody: a folder was named | [`FolderSearch`] | regular files in the folder |
//! | the user | [`read_named`], [`read_stream`] | anything, up to a size |
//! | this program | [`PrivateFolder`] | a folder that other users cannot read |

mod folder;
mod local;
mod named;
mod private;
mod rules;
mod search;
mod walk;

pub use folder::{BoundedFolder, repository};
pub use local::is_local;
pub use named::{is_named_folder, read_named, read_stream, real_named};
pub use private::{PrivateFolder, sweep};
pub use search::{FolderSearch, FoundFile, SearchItem};
pub use walk::{FileRefusal, real};

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The reason why a file is not read.
#[derive(Debug)]
pub enum ReadFailure {
    /// It is longer than the limit.
    TooLong {
        /// Its size in bytes; `None` for a stream.
        length: Option<u64>,
        /// The limit in bytes.
        max: u64,
    },
    /// It is a device whose output does not end.
    EndlessDevice,
    /// The system refuses.
    Io(io::Error),
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { length: Some(length), max } => write!(f, "it has {length} bytes, but the maximum is {max}"),
            Self::TooLong { length: None, max } => write!(f, "it has more than {max} bytes, the maximum"),
            Self::EndlessDevice => f.write_str("it is a device that does not end"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

/// Opens a regular file; never waits for a pipe's writer.
///
/// # Errors
/// If it is not a regular file, or cannot be opened.
#[expect(clippy::disallowed_methods, reason = "this is the gate")]
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32);
    }
    // Windows opens no folder, and says that access to it is denied.
    let is_folder = || std::fs::metadata(path).is_ok_and(|data| data.is_dir());
    let file = options.open(path).map_err(|error| if is_folder() { not_a_file() } else { error })?;
    // The opened file is checked, because the path may refer to another file by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_a_file()) }
}

/// Reads a regular file of at most `max` bytes; the limit holds even if the file grows meanwhile.
///
/// # Errors
/// If it is not a regular file, is longer, or cannot be read.
pub fn read(path: &Path, max: u64) -> Result<Vec<u8>, ReadFailure> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    read_up_to(file, Some(length), max)
}

/// Data about a regular file.
///
/// # Errors
/// If it is not a regular file, or the system refuses.
#[expect(clippy::disallowed_methods, reason = "this is the gate")]
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    let data = std::fs::metadata(path)?;
    if data.is_file() { Ok(data) } else { Err(not_a_file()) }
}

/// Whether a path that a text names leads to a regular file of this computer.
pub fn is_local_file(path: &Path) -> bool {
    real(path).is_ok_and(|path| metadata(&path).is_ok())
}

fn not_a_file() -> io::Error {
    io::Error::other("it is not a regular file")
}

/// Reads at most `max` bytes. A file that is too long by its `length` is not read at all.
fn read_up_to(reader: impl Read, length: Option<u64>, max: u64) -> Result<Vec<u8>, ReadFailure> {
    if length.is_some_and(|length| length > max) {
        return Err(ReadFailure::TooLong { length, max });
    }
    let mut out = Vec::with_capacity(length.and_then(|length| usize::try_from(length).ok()).unwrap_or(0));
    reader.take(max.saturating_add(1)).read_to_end(&mut out)?;
    if out.len() as u64 > max {
        return Err(ReadFailure::TooLong { length: None, max });
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
        assert_eq!(read(&file, 4).unwrap_err().to_string(), "it has 5 bytes, but the maximum is 4");
        assert_eq!(read(folder.path(), 5).unwrap_err().to_string(), "it is not a regular file");
        assert!(read(&folder.path().join("none"), 5).is_err());
        #[cfg(unix)]
        {
            // Devices and pipes have no length and no end.
            assert_eq!(read(Path::new("/dev/zero"), 5).unwrap_err().to_string(), "it is not a regular file");
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert_eq!(read(&pipe, 5).unwrap_err().to_string(), "it is not a regular file");
        }
    }

    #[test]
    fn a_file_that_grows_ends_at_the_limit() {
        let failure = read_up_to(io::repeat(b'a'), Some(5), 100).unwrap_err();
        assert_eq!(failure.to_string(), "it has more than 100 bytes, the maximum");
    }
}
