//! The text of a call: given with it, or in a file of the permitted folders.

use super::arguments::ToolArguments;
use super::call::CallContext;
use ptx_gate::files::{self, BoundedFolder, FileRefusal, is_local};
use ptx_host::Language;
use ptx_isa::tables::TargetInfo;
use ptx_launch::files::{binary_format, decode, is_markup};
use std::path::{Component, Path, PathBuf};

/// Maximum size of a text in bytes: that of files which the language server reads (`workspace.megabytes`).
pub const MAX_TEXT: usize = 32_000_000;

/// The text of a call.
pub struct InputText {
    /// Its name in the answer.
    pub name: String,
    /// The text.
    pub text: String,
    /// The language around PTX; `None` for PTX itself.
    pub language: Option<Language>,
    /// The folder of the file, with links resolved; a launch may name files in it.
    pub folder: Option<PathBuf>,
    /// Some bytes are no text.
    pub lossy: bool,
    /// The language was recognized, not named.
    pub recognized: bool,
}

impl InputText {
    /// Reads the text of a call.
    ///
    /// # Errors
    /// If there is none, or if it must not be read.
    pub fn of(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<Self, String> {
        let (text, path) = (arguments.text("text")?, arguments.text("path")?);
        let language = arguments.text("language").map(|name| name.map(language))?.transpose()?;
        let input = match (text, path) {
            (Some(_), Some(_)) => return Err(format!("`{}` takes `text` or `path`, not both", arguments.tool())),
            (None, None) => return Err(format!("`{}` needs PTX: as `text`, or in a file as `path`", arguments.tool())),
            (Some(text), None) if text.len() > MAX_TEXT => {
                return Err(format!("`text` has {} bytes, but the maximum is {MAX_TEXT}", text.len()));
            }
            (Some(text), None) => Self {
                name: "text".to_owned(),
                text: text.to_owned(),
                language: language.unwrap_or_default(),
                folder: None,
                lossy: false,
                recognized: false,
            },
            (None, Some(path)) => {
                let file = resolve(path, context.roots)?;
                let bytes = files::read(&file, MAX_TEXT as u64).map_err(|error| format!("`{path}`: {error}"))?;
                if let Some(sentence) = binary_format(&bytes) {
                    return Err(format!("`{path}`: {sentence}"));
                }
                let (text, lossy) = decode(bytes);
                let named = || file.file_name().and_then(|name| Language::of_file_name(&name.to_string_lossy()));
                let language = language.unwrap_or_else(named);
                Self {
                    name: path.to_owned(),
                    text,
                    language,
                    folder: file.parent().map(Path::to_owned),
                    lossy,
                    recognized: false,
                }
            }
        };
        let named = language.is_some() || input.language.is_some();
        let recognized = if named { None } else { Language::of_text(&input.text) };
        let input = match recognized {
            Some(recognized) => Self { language: Some(recognized), recognized: true, ..input },
            None => input,
        };
        if input.language.is_none() && is_markup(input.text.chars()) {
            return Err(format!("{}: this is XML (PreTeXt), not PTX", input.name));
        }
        Ok(input)
    }

    /// Reads the text of a call about PTX only.
    ///
    /// # Errors
    /// If there is none, if it must not be read, or if it is of another language.
    pub fn of_ptx(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<Self, String> {
        let input = Self::of(arguments, context)?;
        if let Some(language) = input.language {
            return Err(format!(
                "`{}` takes PTX, but {} is {}: pass the PTX as `text`",
                arguments.tool(),
                input.name,
                language.name()
            ));
        }
        Ok(input)
    }

    /// Lines about bytes that are no text, and about a language that was recognized; empty if there is nothing to say.
    pub fn remark(&self) -> String {
        let mut out = if self.lossy { "some bytes are not UTF-8 text\n".to_owned() } else { String::new() };
        if let Some(language) = self.language.filter(|_| self.recognized) {
            out.push_str(&format!("this is {}, not PTX: the PTX in its strings is checked\n", language.name()));
        }
        out
    }
}

/// The language of a name; `None` is PTX.
fn language(name: &str) -> Result<Option<Language>, String> {
    Ok(match name {
        "ptx" => None,
        "cpp" | "cuda" | "c" => Some(Language::Cpp),
        "python" => Some(Language::Python),
        "rust" => Some(Language::Rust),
        "llvm" => Some(Language::LlvmIr),
        "julia" => Some(Language::Julia),
        _ => return Err(format!("`language` must be one of {}", super::schema::LANGUAGES.join(", "))),
    })
}

/// The target of a call.
///
/// # Errors
/// If there is no such architecture.
pub fn target(arguments: &ToolArguments) -> Result<Option<&'static TargetInfo>, String> {
    let Some(name) = arguments.text("target")? else { return Ok(None) };
    let found = ptx_analysis::target::find_architecture(name);
    let name: String = name.chars().take(80).collect();
    found.map(Some).ok_or_else(|| format!("`target` must be an architecture such as sm_90a, not `{name}`"))
}

/// The file of a path, if it is in one of the folders. Nothing about other files is said, not even whether they exist: they are not looked at.
fn resolve(path: &str, roots: &[PathBuf]) -> Result<PathBuf, String> {
    let shown: String = path.chars().take(200).collect();
    if roots.is_empty() {
        return Err(
            "no file may be read, because neither `--root DIR` nor the client names a folder: pass the PTX as `text`"
                .to_owned(),
        );
    }
    let wanted = Path::new(path);
    let goes_up = wanted.components().any(|component| component == Component::ParentDir);
    if path.is_empty() || path.contains('\0') || !is_local(wanted) || goes_up {
        return Err(format!("`{shown}` is not read: name a file by its path in the folder, without `..`"));
    }
    let mut why = None;
    for folder in roots.iter().filter_map(|root| BoundedFolder::new(root).ok()) {
        if wanted.has_root() && folder.strip(wanted).is_none() {
            continue;
        }
        match folder.resolve(wanted) {
            Ok(file) => return Ok(file),
            Err(FileRefusal::Outside) => {
                why = Some(format!("`{shown}` is a link to a place outside of the folders that may be read"));
            }
            Err(FileRefusal::Unreadable(error)) => why = why.or_else(|| Some(format!("`{shown}`: {error}"))),
        }
    }
    Err(why.unwrap_or_else(|| {
        let names: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        format!("`{shown}` is in none of the folders that may be read: {}", names.join(", "))
    }))
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn nothing_outside_of_the_folders_is_found() {
        let around = tempfile::tempdir().unwrap();
        let (root, other) = (around.path().join("in"), around.path().join("other"));
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(around.path().join("secret.ptx"), "s").unwrap();
        std::fs::write(root.join("deep/a.ptx"), "a").unwrap();
        std::fs::write(other.join("b.ptx"), "b").unwrap();
        let roots = [root.clone(), other.clone()];
        let absolute = root.join("deep/a.ptx").display().to_string();
        for path in ["deep/a.ptx", "./deep/a.ptx", "b.ptx", &absolute] {
            assert!(resolve(path, &roots).is_ok(), "{path}");
        }
        let secret = around.path().join("secret.ptx").display().to_string();
        for path in [
            "../secret.ptx",
            "deep/../../secret.ptx",
            &secret,
            "/etc/passwd",
            "",
            "a\0",
            "//host/share/a",
            "\\\\host\\a",
            "none",
        ] {
            assert!(resolve(path, &roots).is_err(), "{path}");
        }
        // Whether a file outside exists is not told.
        let say = |path: &str| resolve(path, &roots).unwrap_err().replace(path, "");
        assert_eq!(say(&secret), say(&format!("{secret}.none")));
        assert!(resolve("deep/a.ptx", &[]).unwrap_err().contains("--root"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("../secret.ptx", root.join("out.ptx")).unwrap();
            symlink("..", root.join("up")).unwrap();
            symlink("deep/a.ptx", root.join("fine.ptx")).unwrap();
            assert!(resolve("out.ptx", &roots).unwrap_err().contains("outside"));
            assert!(resolve("up/secret.ptx", &roots).unwrap_err().contains("outside"));
            assert!(resolve("up/none.ptx", &roots).unwrap_err().contains("outside"));
            assert!(resolve("fine.ptx", &roots).is_ok());
            // The words about a link do not depend on what is there.
            let say = |path: &str| resolve(path, &roots).unwrap_err().replace(path, "");
            for (index, there) in
                ["../secret.ptx", "../none", "../none/none", "../other", "/etc/passwd", "/none"].into_iter().enumerate()
            {
                let name = format!("l{index}");
                symlink(there, root.join(&name)).unwrap();
                assert_eq!(say(&name), say("out.ptx"), "{there}");
                assert_eq!(say(&format!("{name}/x")), say("out.ptx"), "{there}");
            }
            // A root may be a link, and its files have two names.
            let link = around.path().join("link");
            symlink(&root, &link).unwrap();
            for path in [link.join("deep/a.ptx"), root.canonicalize().unwrap().join("deep/a.ptx")] {
                let real = root.canonicalize().unwrap().join("deep/a.ptx");
                assert_eq!(resolve(path.to_str().unwrap(), std::slice::from_ref(&link)), Ok(real), "{path:?}");
            }
        }
    }
}
