//! Mistakes written together with what was meant: whether the fixes lead there, or to another program that assembles.

use ptx_check::{Analyzer, Diagnostic, Severity};
use ptx_ide::{apply, of_diagnostic};
use ptx_syntax::Snapshot;

/// What stands around a text of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// The text is statements of a kernel with registers, a parameter and a variable.
    Kernel {
        /// The PTX version.
        version: String,
        /// The target.
        target: String,
    },
    /// The text is a module after its first three directives.
    Module {
        /// The PTX version.
        version: String,
        /// The target.
        target: String,
    },
    /// The text is a whole module.
    File,
}

impl Home {
    /// Reads `VERSION TARGET`, `module VERSION TARGET` or `file`.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["file"] => Some(Self::File),
            ["module", version, target] => {
                Some(Self::Module { version: version.to_owned(), target: target.to_owned() })
            }
            [version, target] => Some(Self::Kernel { version: version.to_owned(), target: target.to_owned() }),
            _ => None,
        }
    }
}

/// A wrong text and the text that its author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeantMistake {
    /// The line of the list, for messages.
    pub line: usize,
    /// What stands around the text.
    pub home: Home,
    /// The wrong statements.
    pub wrong: String,
    /// What was meant; then other programs that the text may mean as well, in which `*` is any word.
    pub meant: Vec<String>,
}

/// A fix of a mistake, and the statements after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedFix {
    /// The title.
    pub title: String,
    /// The statements after the fix.
    pub text: String,
    /// Whether it is the first meaning.
    pub meant: bool,
    /// Whether it is any of the meanings.
    pub allowed: bool,
    /// Whether the module has no error any more.
    pub assembles: bool,
}

/// What the checks and the fixes make of a mistake.
#[derive(Debug)]
pub struct MeantResult {
    /// The errors, each with its help.
    pub errors: Vec<Diagnostic>,
    /// All fixes of all errors, in order.
    pub fixes: Vec<TriedFix>,
}

impl MeantResult {
    /// Whether the first fix is one of the meanings.
    pub fn first_is_meant(&self) -> bool {
        self.fixes.first().is_some_and(|fix| fix.allowed)
    }

    /// The fixes that assemble and are none of the meanings.
    pub fn astray(&self) -> impl Iterator<Item = &TriedFix> {
        self.fixes.iter().filter(|fix| fix.assembles && !fix.allowed)
    }
}

/// Reads a list: lines `WRONG => MEANT || ALSO`, below `@ VERSION TARGET`, `@ module VERSION TARGET` or `@ file`.
pub fn parse(list: &str) -> Vec<MeantMistake> {
    let mut home = Home::File;
    let mut out = Vec::new();
    for (index, line) in list.lines().enumerate() {
        if let Some(words) = line.strip_prefix("@ ") {
            home = Home::parse(words).unwrap_or_else(|| panic!("line {}: not a version and a target", index + 1));
        } else if !line.is_empty() && !line.starts_with('#') {
            let (wrong, meant) = line.split_once(" => ").unwrap_or_else(|| panic!("line {}: no ` => `", index + 1));
            let meant = meant.split(" || ").map(unescaped).collect();
            out.push(MeantMistake { line: index + 1, home: home.clone(), wrong: unescaped(wrong), meant });
        }
    }
    out
}

/// A text with `\n` for a line end and `\u{…}` for a character.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('n') {
            out.push('\n');
            rest = after;
        } else if let Some((code, after)) = rest.strip_prefix("u{").and_then(|r| r.split_once('}')) {
            out.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
            rest = after;
        }
    }
    out + rest
}

const BEGIN: &str = "// begin\n";
const END: &str = "// end";

/// The module in which a text of the lists stands.
pub fn module(home: &Home, text: &str) -> String {
    match home {
        Home::Kernel { version, target } => format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<8>;\n\
             .reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.reg .f64 %d<8>;\n\
             .shared .align 128 .b8 sm[1024];\n{BEGIN}{text}\n{END}\nL:\nret;\n}}\n"
        ),
        Home::Module { version, target } => {
            format!(".version {version}\n.target {target}\n.address_size 64\n{BEGIN}{text}\n{END}\n")
        }
        Home::File => format!("{text}\n"),
    }
}

/// The statements of a module as words with single blanks between them.
fn statements(module: &str) -> String {
    let begin = module.find(BEGIN.trim_end()).map_or(0, |at| at + BEGIN.len() - 1);
    let end = module.find(END).unwrap_or(module.len());
    let text = module.get(begin..end).unwrap_or("");
    let lines = text.split(';').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ").replace(", ", ",").replace(" ,", ",").replace("[ ", "[").replace(" + ", "+").replace("{ ", "{")
}

/// Whether a text is what a pattern says, in which `*` is any word.
fn is_meaning(text: &str, pattern: &str) -> bool {
    let pattern = statements(&format!("{BEGIN}{pattern};{END}"));
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let word = |gap: &str| !gap.contains([' ', ',', ';']);
        let at =
            if last { rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part)) } else { rest.find(part) };
        let Some(at) = at.filter(|at| word(&rest[..*at])) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn errors(module: &str) -> usize {
    let report = Analyzer::default().analyze(&Snapshot::new(module));
    report.diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}

/// Whether the first meaning of a mistake assembles.
pub fn meaning_assembles(mistake: &MeantMistake) -> bool {
    let mut text = module(&mistake.home, &mistake.meant[0]);
    // Registers that a fix declares.
    for (old, new) in [("<16>", "<17>"), ("%p<8>", "%p<9>"), ("%h<8>", "%h<9>"), ("%d<8>", "%d<9>")] {
        text = text.replace(old, new);
    }
    errors(&text) == 0
}

/// Checks a mistake and applies each of its fixes.
pub fn attempt(mistake: &MeantMistake) -> MeantResult {
    let text = module(&mistake.home, &mistake.wrong);
    let snapshot = Snapshot::new(&text);
    let report = Analyzer::default().analyze(&snapshot);
    let mut out = MeantResult { errors: Vec::new(), fixes: Vec::new() };
    for index in 0..report.diagnostics.len() {
        if report.diagnostics[index].severity != Severity::Error {
            continue;
        }
        out.errors.push(report.diagnostics[index].clone());
        for fix in of_diagnostic(&snapshot, &report, index) {
            let after = apply(&text, &fix.edits);
            let text = statements(&after);
            let meant = is_meaning(&text, &mistake.meant[0]);
            let allowed = mistake.meant.iter().any(|pattern| is_meaning(&text, pattern));
            out.fixes.push(TriedFix { title: fix.title, text, meant, allowed, assembles: errors(&after) == 0 });
        }
    }
    out
}
