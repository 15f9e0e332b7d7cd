//! The architectures for which a build compiles a file, from `compile_commands.json`.

use ptx_analysis::TargetSet;
use ptx_gate::files::{self, BoundedFolder, is_local, repository};
use ptx_gate::names::FileName;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name of the file.
const FILE_NAME: &str = "compile_commands.json";

/// The folder beside a file, or beside a folder around it, in which builds write the file.
const BUILD_FOLDER: &str = "build";

/// The maximum size of the file in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Maximum time that a document waits for the file. A disk may be slow, or gone.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Where the file is looked for: in the folder of a document and those around it, but not beyond a boundary.
#[derive(Debug, Clone, Copy)]
pub enum LookupBoundary<'a> {
    /// The folder of the workspace that the document is in.
    Workspace(&'a Path),
    /// The root of the repository. Without a repository: a folder, or else the document's own.
    Repository {
        /// The folder.
        otherwise: Option<&'a Path>,
    },
}

/// Reads `compile_commands.json` files as they are needed, each once.
///
/// Nobody names these files, so only regular files of a limited size are read, and no link may lead out of the boundary. The paths in
/// them are compared as texts. They are looked up only if they are of this computer and end in the name of the document.
#[derive(Debug, Default)]
pub struct CompileCommands {
    /// By boundary and folder, each with a lock of its own: a slow file delays no other one.
    read: Mutex<HashMap<(FileName, FileName), Arc<DatabaseSlot>>>,
}

/// The file of a folder, once it has been read.
#[derive(Debug, Default)]
struct DatabaseSlot {
    state: Mutex<DatabaseState>,
    done: Condvar,
}

#[derive(Debug, Default)]
enum DatabaseState {
    #[default]
    New,
    /// It is being read since this time.
    Reading(Instant),
    /// `None`: there is no such file, or it cannot be used.
    Done(Option<Arc<Database>>),
}

/// A command that names architectures.
#[derive(Debug)]
struct CompiledFile {
    path: PathBuf,
    architectures: Vec<String>,
}

/// The commands that name architectures, by the names of their files.
#[derive(Debug, Default)]
struct Database(HashMap<FileName, Vec<CompiledFile>>);

#[derive(Debug, Deserialize)]
struct CommandEntry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

impl CompileCommands {
    /// The targets for which a file is compiled; `None` if no command compiles it, or if the command names none.
    pub fn targets(&self, file: &Path, boundary: LookupBoundary<'_>) -> Option<TargetSet> {
        let named = std::path::absolute(file).ok()?;
        let parent_folder = BoundedFolder::new(named.parent()?).ok()?;
        let file = parent_folder.real().join(named.file_name()?);
        let bounds = bounds(boundary, parent_folder, &named)?;
        let inside = bounds.strip(&file).or_else(|| bounds.strip(&named))?;
        let mut folders = inside.ancestors().skip(1).map(|folder| bounds.real().join(folder));
        let database = folders.find_map(|folder| self.database(&bounds, &folder))?;
        let names = database.architectures(&file, &named);
        TargetSet::named(names, None).ok().filter(|set| !set.is_empty())
    }

    /// The commands that a folder, or the build folder in it, holds.
    fn database(&self, bounds: &BoundedFolder, folder: &Path) -> Option<Arc<Database>> {
        let slot = {
            let mut databases = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (FileName::of_path(bounds.real()), FileName::of_path(folder));
            Arc::clone(databases.entry(key).or_default())
        };
        let mut state = slot.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, DatabaseState::New) {
            let (filled, bounds, folder) = (Arc::clone(&slot), bounds.clone(), folder.to_owned());
            let work = move || filled.fill(read(&bounds, &folder).map(Arc::new));
            *state = match std::thread::Builder::new().name("compile-commands".into()).spawn(work) {
                Ok(_) => DatabaseState::Reading(Instant::now()),
                Err(_) => DatabaseState::Done(None),
            };
        }
        if let DatabaseState::Reading(since) = *state {
            let time_left = TIMEOUT.saturating_sub(since.elapsed());
            let is_reading = |state: &mut DatabaseState| matches!(state, DatabaseState::Reading(_));
            let waited = slot.done.wait_timeout_while(state, time_left, is_reading);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match &*state {
            DatabaseState::Done(database) => database.clone(),
            _ => {
                let name = folder.join(FILE_NAME);
                tracing::warn!("{} takes long to read; documents that are opened later use it", name.display());
                None
            }
        }
    }
}

impl DatabaseSlot {
    fn fill(&self, database: Option<Arc<Database>>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = DatabaseState::Done(database);
        self.done.notify_all();
    }
}

/// The folder that the look-up stays in. `own` is the folder of the document, `named` its path.
fn bounds(boundary: LookupBoundary<'_>, own: BoundedFolder, named: &Path) -> Option<BoundedFolder> {
    let folder = |path: &Path| {
        let folder = BoundedFolder::new(path).ok()?;
        // The root of a file system holds files of everybody.
        let holds = folder.strip(own.real()).or_else(|| folder.strip(named)).is_some();
        (holds && folder.real().parent().is_some()).then_some(folder)
    };
    match boundary {
        LookupBoundary::Workspace(path) => folder(path).or(Some(own)),
        LookupBoundary::Repository { otherwise } => repository(own.real()).or(otherwise).and_then(folder).or(Some(own)),
    }
}

impl Database {
    /// The architectures for which a file is compiled. `file` has no links but the file itself, `named` is the path that the user knows.
    fn architectures(&self, file: &Path, named: &Path) -> impl Iterator<Item = &str> {
        let commands = file.file_name().and_then(|name| self.0.get(&FileName::of_path(Path::new(name))));
        let names = [file, named].map(FileName::of_path);
        let real = files::real(file).ok().map(|path| FileName::of_path(&path));
        let is_same = move |command: &&CompiledFile| {
            names.contains(&FileName::of_path(&command.path))
                || real
                    .as_ref()
                    .is_some_and(|real| files::real(&command.path).is_ok_and(|path| FileName::of_path(&path) == *real))
        };
        let entries = commands.into_iter().flatten().filter(is_same);
        entries.flat_map(|command| command.architectures.iter().map(String::as_str))
    }

    fn add(&mut self, base: &Path, entry: CommandEntry) {
        let CommandEntry { directory, file, arguments, command } = entry;
        let path = base.join(&directory).join(&file);
        if ![&directory, &file, &path].into_iter().all(|path| is_local(path)) {
            return;
        }
        let arguments = if arguments.is_empty() { words(&command) } else { arguments };
        let architectures = architectures(&arguments);
        if let Some(name) = file.file_name().filter(|_| !architectures.is_empty()) {
            self.0.entry(FileName::of_path(Path::new(name))).or_default().push(CompiledFile { path, architectures });
        }
    }
}

/// Reads the commands of a folder, or of the build folder in it.
fn read(bounds: &BoundedFolder, folder: &Path) -> Option<Database> {
    let candidates = [folder.to_owned(), folder.join(BUILD_FOLDER)];
    candidates.iter().find_map(|folder| {
        let path = bounds.resolve(&folder.join(FILE_NAME)).ok()?;
        read_file(&path, folder).map_err(|why| tracing::warn!("{}: {why}", path.display())).ok()
    })
}

/// Reads a file entry by entry. `base` is where relative paths start.
fn read_file(path: &Path, base: &Path) -> Result<Database, String> {
    let file = files::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    if size > MAX_SIZE {
        return Err(format!("{size} bytes are too many"));
    }
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(file.take(MAX_SIZE)));
    let database = json.deserialize_seq(Entries { base }).map_err(|error| error.to_string())?;
    json.end().map_err(|error| error.to_string())?;
    Ok(database)
}

/// Keeps of each entry what is needed, so that a file of any content takes little memory.
struct Entries<'a> {
    base: &'a Path,
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = Database;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Database, A::Error> {
        let mut out = Database::default();
        while let Some(entry) = entries.next_element()? {
            out.add(self.base, entry);
        }
        Ok(out)
    }
}

/// The words of a command, quoted as in a shell.
fn words(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => out.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// The architectures that the options of nvcc and clang name.
fn architectures(arguments: &[String]) -> Vec<String> {
    const OPTIONS: [&str; 6] =
        ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch"];
    let mut out = Vec::new();
    let mut words = arguments.iter();
    while let Some(argument) = words.next() {
        let value = OPTIONS.iter().find_map(|option| match argument.strip_prefix(option)? {
            "" => words.clone().next().map(String::as_str),
            value => value.strip_prefix('='),
        });
        let Some(value) = value else { continue };
        // Of `arch=compute_90a,code=sm_90a` the first is what the text is compiled for.
        let value = value.strip_prefix("arch=").map_or(value, |v| v.split(",code=").next().unwrap_or(v));
        let names = value.split(',').map(|name| name.trim_matches(['[', ']', '\'', '"']));
        // Others, such as `native`, are known on the machine that builds only.
        let named = names.filter(|name| ptx_analysis::target::find_architecture(name).is_some());
        out.extend(named.map(str::to_owned));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a build that compiles `a.cu`.
    fn project() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.cu"), "").unwrap();
        let text = r#"[{"directory": ".", "file": "a.cu", "command": "nvcc -arch=sm_90a"}]"#;
        std::fs::write(root.join(FILE_NAME), text).unwrap();
        (folder, root)
    }

    #[test]
    fn a_disk_that_does_not_answer_delays_only_its_own_documents() {
        let (_slow, slow) = project();
        let (_quick, quick) = project();
        let commands = CompileCommands::default();
        let long_ago = Instant::now().checked_sub(TIMEOUT).unwrap();
        let slot = Arc::new(DatabaseSlot { state: Mutex::new(DatabaseState::Reading(long_ago)), ..Default::default() });
        commands.read.lock().unwrap().insert((FileName::of_path(&slow), FileName::of_path(&slow)), Arc::clone(&slot));
        let begin = Instant::now();
        let targets = |root: &Path| commands.targets(&root.join("a.cu"), LookupBoundary::Workspace(root));
        assert_eq!(targets(&slow), None);
        assert!(targets(&quick).is_some());
        assert!(begin.elapsed() < TIMEOUT);
        // Documents that are opened when it has answered use it.
        slot.fill(read(&BoundedFolder::new(&slow).unwrap(), &slow).map(Arc::new));
        assert_eq!(targets(&slow), targets(&quick));
    }

    #[test]
    fn only_commands_for_the_name_that_are_of_this_computer_are_kept() {
        let mut database = Database::default();
        let mut add = |directory: &str, file: &str, command: &str| {
            let (directory, file) = (directory.into(), file.into());
            database.add(
                Path::new("/base"),
                CommandEntry { directory, file, arguments: Vec::new(), command: command.to_owned() },
            );
        };
        let nvcc = "nvcc -arch=sm_90";
        for (directory, file) in
            [(r"\\host\share", "a.cu"), ("//host", "a.cu"), ("/p", "//host/a.cu"), ("/p", r"\\?\UNC\host\a.cu")]
        {
            add(directory, file, nvcc);
        }
        add("/p", "b.cu", "g++ -O2");
        add("/p/build", "../a.cu", nvcc);
        let paths: Vec<&CompiledFile> = database.0.values().flatten().collect();
        assert_eq!(paths.len(), 1);
        assert_eq!(FileName::of_path(&paths[0].path), FileName::of_path(Path::new("/p/a.cu")));
        let file = Path::new("/p/a.cu");
        assert_eq!(database.architectures(file, file).collect::<Vec<_>>(), ["sm_90"]);
        let other = Path::new("/q/a.cu");
        assert_eq!(database.architectures(other, other).count(), 0);
    }

    #[test]
    fn options_of_nvcc_and_clang() {
        let of = |command: &str| architectures(&words(command));
        assert_eq!(of("nvcc -arch=sm_90a -c a.cu"), ["sm_90a"]);
        assert_eq!(of("nvcc -arch sm_80 a.cu"), ["sm_80"]);
        assert_eq!(of("nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a] x.cu"), ["compute_90a"]);
        assert_eq!(of(r#"nvcc "--generate-code=arch=compute_80,code=[compute_80,sm_80]""#), ["compute_80"]);
        assert_eq!(of("clang++ --cuda-gpu-arch=sm_75 --offload-arch=sm_86,sm_90"), ["sm_75", "sm_86", "sm_90"]);
        assert!(of("nvcc -arch=native -archive").is_empty());
        assert!(of("g++ -O2 -march=native a.cpp").is_empty());
    }

    #[test]
    fn words_are_quoted_as_in_a_shell() {
        assert_eq!(words(r#"a "b c" 'd"e' f\ g "" "#), ["a", "b c", "d\"e", "f g", ""]);
    }
}
