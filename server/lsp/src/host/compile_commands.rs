//! The architectures for which a build compiles a file, from `compile_commands.json`.

use ptx_analysis::inline::TargetSet;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the file.
const FILE_NAME: &str = "compile_commands.json";

/// The folder beside a file, or beside a folder around it, in which builds write the file.
const BUILD_FOLDER: &str = "build";

/// The maximum size of the file in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Reads `compile_commands.json` files as they are needed, each once.
#[derive(Debug, Default)]
pub struct CompileCommands {
    read: Mutex<HashMap<PathBuf, Option<Arc<Database>>>>,
}

/// The architectures of each file, by its absolute path.
type Database = HashMap<PathBuf, Vec<String>>;

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
    pub fn targets(&self, file: &Path) -> Option<TargetSet> {
        let file = std::fs::canonicalize(file).ok()?;
        let database = file.ancestors().skip(1).find_map(|folder| self.database(folder))?;
        let names = database.get(&file)?;
        TargetSet::named(names.iter().map(String::as_str), None).ok().filter(|set| !set.is_empty())
    }

    /// The commands that a folder, or the build folder in it, holds.
    fn database(&self, folder: &Path) -> Option<Arc<Database>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(folder) {
            return known.clone();
        }
        let found = [folder.to_owned(), folder.join(BUILD_FOLDER)].iter().find_map(|folder| database(folder));
        let found = found.map(Arc::new);
        read.insert(folder.to_owned(), found.clone());
        found
    }
}

fn database(folder: &Path) -> Option<Database> {
    let path = folder.join(FILE_NAME);
    let size = std::fs::metadata(&path).ok()?.len();
    if size > MAX_SIZE {
        tracing::warn!("{}: {size} bytes are too much", path.display());
        return None;
    }
    let text = std::fs::read(&path).ok()?;
    let entries: Vec<CommandEntry> = match serde_json::from_slice(&text) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::warn!("{}: {error}", path.display());
            return None;
        }
    };
    let mut out = Database::new();
    for entry in entries {
        let Ok(file) = std::fs::canonicalize(entry.directory.join(&entry.file)) else { continue };
        let arguments = if entry.arguments.is_empty() { words(&entry.command) } else { entry.arguments };
        out.entry(file).or_default().extend(architectures(&arguments));
    }
    Some(out)
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
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = OPTIONS.iter().find_map(|option| match argument.strip_prefix(option)? {
            "" => rest.clone().next().map(String::as_str),
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
    use super::{architectures, words};

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
