//! Paths of the pages, by name.

use ptx_analysis::Code;
use ptx_ide::reference::instruction::instructions;
use ptx_ide::reference::kernels::KERNELS;
use ptx_isa::ISA;
use ptx_isa::tables::Cuda;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The subject of a page; each kind has a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PageKind {
    /// An instruction.
    Instruction,
    /// A topic, such as bank conflicts.
    Concept,
    /// A modifier that is neither a type nor a state space.
    Modifier,
    /// A type.
    Type,
    /// A state space.
    Space,
    /// A special register.
    Register,
    /// A directive or a pragma.
    Directive,
    /// A predefined constant.
    Constant,
    /// A target or an option of `.target`.
    Target,
    /// A version.
    Version,
    /// A diagnostic.
    Diagnostic,
    /// A kernel.
    Kernel,
}

impl PageKind {
    /// All kinds, in the order of the site.
    pub const ALL: [Self; 12] = [
        Self::Instruction,
        Self::Concept,
        Self::Modifier,
        Self::Type,
        Self::Space,
        Self::Register,
        Self::Directive,
        Self::Constant,
        Self::Target,
        Self::Version,
        Self::Diagnostic,
        Self::Kernel,
    ];

    /// The folder of the pages.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Instruction => "instructions",
            Self::Concept => "concepts",
            Self::Modifier => "modifiers",
            Self::Type => "types",
            Self::Space => "state-spaces",
            Self::Register => "special-registers",
            Self::Directive => "directives",
            Self::Constant => "constants",
            Self::Target => "targets",
            Self::Version => "versions",
            Self::Diagnostic => "diagnostics",
            Self::Kernel => "kernels",
        }
    }

    /// The title of the chapter.
    pub fn title(self) -> &'static str {
        match self {
            Self::Instruction => "Instructions",
            Self::Concept => "Topics",
            Self::Modifier => "Modifiers",
            Self::Type => "Types",
            Self::Space => "State spaces",
            Self::Register => "Special registers",
            Self::Directive => "Directives and pragmas",
            Self::Constant => "Constants",
            Self::Target => "Targets",
            Self::Version => "Versions",
            Self::Diagnostic => "Diagnostics",
            Self::Kernel => "Kernels",
        }
    }

    /// The singular name of the kind.
    pub fn one(self) -> &'static str {
        match self {
            Self::Instruction => "instruction",
            Self::Concept => "topic",
            Self::Modifier => "modifier",
            Self::Type => "type",
            Self::Space => "state space",
            Self::Register => "special register",
            Self::Directive => "directive",
            Self::Constant => "constant",
            Self::Target => "target",
            Self::Version => "version",
            Self::Diagnostic => "diagnostic",
            Self::Kernel => "kernel",
        }
    }
}

/// The paths of all pages, and the names that lead to them.
#[derive(Debug)]
pub struct Links {
    paths: HashMap<(PageKind, String), String>,
    names: Vec<(PageKind, String)>,
    /// The CUDA C++ names that lead to a page, by its path.
    cuda: HashMap<String, Vec<&'static Cuda>>,
}

impl Links {
    /// Assigns a path to every page.
    pub fn new() -> Self {
        let mut links = Self { paths: HashMap::new(), names: Vec::new(), cuda: HashMap::new() };
        let mut taken: HashSet<String> = HashSet::new();
        for kind in PageKind::ALL {
            for name in names(kind) {
                let id = ISA.concepts.iter().find(|c| kind == PageKind::Concept && c.title == name).map(|c| c.id);
                let stem = id.map_or_else(|| file_name(&name), str::to_owned);
                // Number the names that differ only in case, or in characters that file names cannot contain.
                let free = (1..).find_map(|n| {
                    let number = if n == 1 { String::new() } else { format!("-{n}") };
                    let path = format!("{}/{stem}{number}.html", kind.folder());
                    taken.insert(path.to_ascii_lowercase()).then_some(path)
                });
                links.paths.insert((kind, name.clone()), free.unwrap_or_default());
                links.names.push((kind, name));
            }
        }
        for name in ptx_isa::CUDA {
            let paths: BTreeSet<String> =
                name.words_of_ptx().filter_map(|w| links.word(w)).map(str::to_owned).collect();
            paths.into_iter().for_each(|path| links.cuda.entry(path).or_default().push(name));
        }
        links
    }

    /// The CUDA C++ names for the subject of a page.
    pub fn cuda(&self, path: &str) -> &[&'static Cuda] {
        self.cuda.get(path).map_or(&[], Vec::as_slice)
    }

    /// All names of a kind, in their order.
    pub fn all(&self, kind: PageKind) -> impl Iterator<Item = &str> {
        self.names.iter().filter(move |(k, _)| *k == kind).map(|(_, name)| name.as_str())
    }

    /// The path of the page, from the root of the site.
    pub fn path(&self, kind: PageKind, name: &str) -> Option<&str> {
        self.paths.get(&(kind, name.to_owned())).map(String::as_str)
    }

    /// The page of a modifier of an instruction: a type, a state space, or another modifier.
    pub fn modifier(&self, name: &str) -> Option<&str> {
        [PageKind::Type, PageKind::Space, PageKind::Modifier].into_iter().find_map(|kind| self.path(kind, name))
    }

    /// The page for a word in a text: an instruction with or without modifiers, a modifier, and so on.
    pub fn word(&self, text: &str) -> Option<&str> {
        let word = text.split_whitespace().next()?.trim_end_matches([';', ',']);
        let whole = PageKind::ALL
            .into_iter()
            .filter(|k| !matches!(k, PageKind::Concept | PageKind::Modifier | PageKind::Version | PageKind::Kernel));
        // A diagnostic code without a hyphen, such as `membermask`, is an ordinary word in most texts.
        let whole = whole.filter(|k| *k != PageKind::Diagnostic || word.contains('-'));
        let found = whole.into_iter().find_map(|kind| self.path(kind, word));
        found
            .or_else(|| self.path(PageKind::Modifier, word))
            .or_else(|| self.register(word))
            .or_else(|| self.head(word))
    }

    /// The page of a special register, such as `%tid.x` or `%envreg7`.
    pub fn register(&self, word: &str) -> Option<&str> {
        let base = word.strip_prefix('%').and_then(|w| w.split('.').next())?;
        self.path(PageKind::Register, ISA.special_register(&format!("%{base}"))?.name)
    }

    /// The page of an instruction with modifiers, such as `fma.rn.f32`, or of a common prefix of several names, such as
    /// `wgmma`.
    fn head(&self, word: &str) -> Option<&str> {
        let mut words = word.split('.');
        let opcode = ISA.opcode(words.next()?)?;
        let modifiers: Vec<String> = words.map(|m| format!(".{m}")).collect();
        let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        let entry = opcode.entry(&modifiers).or(opcode.entries.first())?;
        self.path(PageKind::Instruction, entry.name)
    }
}

fn names(kind: PageKind) -> Vec<String> {
    let owned = |name: &&str| (*name).to_owned();
    match kind {
        PageKind::Instruction => instructions().iter().map(|i| i.name.to_owned()).collect(),
        PageKind::Concept => ISA.concepts.iter().map(|c| c.title.to_owned()).collect(),
        PageKind::Modifier => modifiers().iter().map(owned).collect(),
        PageKind::Type => ISA.types.iter().map(|t| t.name.to_owned()).collect(),
        PageKind::Space => ISA.spaces.iter().map(|s| s.name.to_owned()).collect(),
        PageKind::Register => ISA.special_registers.iter().map(|r| r.name.to_owned()).collect(),
        PageKind::Directive => ISA.directives.iter().map(|d| d.name.to_owned()).collect(),
        PageKind::Constant => ISA.constants.iter().map(|c| c.name.to_owned()).collect(),
        PageKind::Target => ISA.targets.iter().map(|t| t.name.to_owned()).collect(),
        PageKind::Version => ISA.versions.iter().map(|v| v.version.to_string()).collect(),
        PageKind::Diagnostic => Code::ALL.iter().map(|c| c.name().to_owned()).collect(),
        PageKind::Kernel => KERNELS.iter().map(|k| k.name.to_owned()).collect(),
    }
}

/// The modifiers of the shared table, and those that only single instructions describe.
fn modifiers() -> BTreeSet<&'static str> {
    let entries = || ISA.opcodes.iter().flat_map(|o| o.entries);
    let own = entries().flat_map(|e| e.modifiers).map(|m| m.name);
    let slots = entries().flat_map(|e| e.forms).flat_map(|f| f.slots).flat_map(|s| s.values).copied();
    let mut out: BTreeSet<&'static str> = ISA.modifiers.iter().map(|m| m.name).chain(own).chain(slots).collect();
    out.retain(|name| ISA.ty(name).is_none() && ISA.space(name).is_none());
    out
}

fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') { c } else { '-' };
    let out: String = name.trim_matches(['.', '%', '"', '@']).chars().map(plain).collect();
    out.replace("--", "-")
}

#[cfg(test)]
mod tests {
    use super::{Links, PageKind};
    use std::collections::BTreeSet;

    #[test]
    fn words_of_texts_lead_to_pages() {
        let links = Links::new();
        for (word, path) in [
            ("fma.rn.f32", "instructions/fma.html"),
            ("mbarrier.try_wait.shared.b64 p, [a], b", "instructions/mbarrier.try_wait.html"),
            (".ftz", "modifiers/ftz.html"),
            (".L1::no_allocate", "modifiers/L1-no_allocate.html"),
            ("%tid.x", "special-registers/tid.html"),
            ("%envreg7", "special-registers/envreg.html"),
            (".f16x2", "types/f16x2.html"),
            ("sm_90a", "targets/sm_90a.html"),
            ("operand-type", "diagnostics/operand-type.html"),
            ("wgmma", "instructions/wgmma.mma_async.html"),
        ] {
            assert_eq!(links.word(word), Some(path), "{word}");
        }
        for (path, name) in
            [("instructions/shfl.sync.html", "__shfl_xor_sync"), ("special-registers/tid.html", "threadIdx.x")]
        {
            assert!(links.cuda(path).iter().any(|c| c.name == name), "{name}: {:?}", links.cuda(path));
        }
        let reached: BTreeSet<&str> = links.cuda.values().flatten().map(|c| c.name).collect();
        assert_eq!(reached.len(), ptx_isa::CUDA.len());
        assert_eq!(links.word("%r1"), None);
        assert_eq!(links.word("membermask"), None);
        assert_eq!(links.path(PageKind::Version, "8.5"), Some("versions/8.5.html"));
    }

    #[test]
    fn no_two_pages_have_one_path() {
        let links = Links::new();
        let mut paths: Vec<String> = links.paths.values().map(|p| p.to_ascii_lowercase()).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), links.paths.len());
    }
}
