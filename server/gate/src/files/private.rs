//! Temporary folders that other users cannot read.
//!
//! A folder goes away with its owner. After an end that nothing can clean up (SIGKILL, a power cut) it stays, and the next server removes
//! it. That its owner has ended shows in a lock, which the system gives up with the process: numbers of processes are reused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The beginning of the name of such a folder.
const PREFIX: &str = "ptx-analyzer-";

/// The file in it that its owner keeps locked.
const OWNER: &str = ".owner";

/// A temporary folder of this process; it is removed when it is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    /// Dropped first: on Windows a file that is open cannot be removed.
    _owner: Option<File>,
    folder: TempDir,
}

impl PrivateFolder {
    /// Creates a folder.
    ///
    /// # Errors
    /// If it cannot be created.
    #[expect(clippy::disallowed_methods, reason = "this is the function that makes them")]
    pub fn new() -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir()?;
        // Without a lock, as on some network drives, the folder is only never swept.
        let owner = own(folder.path()).ok();
        Ok(Self { _owner: owner, folder })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file in it, and returns its path.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        create(&path)?.write_all(contents)?;
        Ok(path)
    }
}

/// Creates a file for this user alone. A file that is there already is replaced.
#[expect(clippy::disallowed_methods, reason = "writes in a folder of this process")]
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Marks a folder as owned by this process.
fn own(folder: &Path) -> io::Result<File> {
    // The name appears only when the lock is there, or another process could take the folder for one without an owner.
    let before = folder.join(".locked");
    let file = create(&before)?;
    file.try_lock()?;
    std::fs::rename(before, folder.join(OWNER))?;
    Ok(file)
}

/// Removes the folders that ended processes of this user have left. Several processes may do so at the same time.
#[expect(clippy::disallowed_methods, reason = "the folder in which they are made")]
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

#[expect(clippy::disallowed_methods, reason = "reads only the names in the folder for temporary files")]
fn sweep_in(temporary: &Path) {
    let Ok(entries) = std::fs::read_dir(temporary) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // What cannot be removed is left to the next one.
            let _ = remove_unowned(&entry.path());
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "follows no link, and looks only into folders of this user")]
fn remove_unowned(folder: &Path) -> io::Result<()> {
    let data = std::fs::symlink_metadata(folder)?;
    if !data.is_dir() || !is_own(&data) {
        return Ok(());
    }
    let owner = folder.join(OWNER);
    if !std::fs::symlink_metadata(&owner)?.is_file() {
        return Ok(());
    }
    let file = OpenOptions::new().write(true).open(owner)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    #[cfg(windows)]
    drop(file);
    std::fs::remove_dir_all(folder)
}

#[cfg(unix)]
fn is_own(data: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(data) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &std::fs::Metadata) -> bool {
    // The folder for temporary files belongs to the user.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_private_and_goes_away() {
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().to_owned();
        let file = folder.write("module.ptx", b"text").unwrap();
        folder.write("module.ptx", b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(&file)), (0o700, 0o600));
        }
        drop(folder);
        assert!(!path.exists());
    }

    /// A folder of a process that has ended: nothing holds its lock.
    fn leave(temporary: &Path, name: &str) -> PathBuf {
        let folder = temporary.join(name);
        std::fs::create_dir(&folder).unwrap();
        drop(own(&folder).unwrap());
        std::fs::write(folder.join("module.ptx"), "text").unwrap();
        folder
    }

    #[test]
    fn only_folders_without_an_owner_are_swept() {
        let temporary = tempfile::tempdir().unwrap();
        let temporary = temporary.path();
        let (dead, other) = (leave(temporary, "ptx-analyzer-dead"), leave(temporary, "something-dead"));
        let alive = leave(temporary, "ptx-analyzer-alive");
        let owner = own(&alive).unwrap();
        // Not locked yet, or of an older version.
        let young = temporary.join("ptx-analyzer-young");
        std::fs::create_dir(&young).unwrap();
        std::fs::write(temporary.join("ptx-analyzer-file"), "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(&other, temporary.join("ptx-analyzer-link")).unwrap();
            // A link to the file of another folder, and a pipe.
            let odd = temporary.join("ptx-analyzer-odd");
            std::fs::create_dir(&odd).unwrap();
            symlink(other.join(OWNER), odd.join(OWNER)).unwrap();
            let pipe = temporary.join("ptx-analyzer-pipe");
            std::fs::create_dir(&pipe).unwrap();
            let made = std::process::Command::new("mkfifo").arg(pipe.join(OWNER)).status().unwrap();
            assert!(made.success());
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| sweep_in(temporary));
            }
        });
        assert!(!dead.exists());
        assert!(alive.join("module.ptx").exists() && other.join("module.ptx").exists() && young.exists());
        assert!(temporary.join("ptx-analyzer-file").exists());
        drop(owner);
        // A process that another test has forked holds the lock until it executes its program.
        let swept = (0..100).any(|_| {
            sweep_in(temporary);
            std::thread::sleep(std::time::Duration::from_millis(20));
            !alive.exists()
        });
        assert!(swept);
    }
}
