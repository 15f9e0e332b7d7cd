//! Usage statistics of real files, and names in other languages: tables for suggestions and search, not for validity.

/// Words with their weights, highest weight first.
pub type Weights = &'static [(&'static str, u32)];

/// How often each word follows a context in real files.
#[derive(Debug, Clone, Copy)]
pub struct UsageTable {
    /// Kind of context, context, and words with their weights, highest weight first; sorted by kind and context.
    pub contexts: &'static [(&'static str, &'static str, Weights)],
}

/// A whole mnemonic that real files use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedMnemonic {
    /// The opcode.
    pub opcode: &'static str,
    /// The modifiers, with their dots: `.global.f32`. May be empty.
    pub modifiers: &'static str,
    /// How much real files use it.
    pub weight: u32,
}

impl UsedMnemonic {
    /// Its modifiers one by one, with their dots.
    pub fn split(&self) -> impl Iterator<Item = &'static str> + use<> {
        let text = self.modifiers;
        let starts: Vec<usize> = text.match_indices('.').map(|(at, _)| at).collect();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
        starts.into_iter().zip(ends).filter_map(|(start, end)| text.get(start..end))
    }
}

/// A name of CUDA C++, or a word of another language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cuda {
    /// The name: `__shfl_xor_sync`.
    pub name: &'static str,
    /// The PTX spelling: a mnemonic, a special register or a directive, possibly with operands; several are separated by ` /
    /// `. Empty: the word is left out in PTX; `-`: PTX has nothing like it.
    pub ptx: &'static str,
    /// The differences from PTX, or its purpose; may be empty.
    pub words: &'static str,
}

/// Words of questions, for searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchWords {
    /// Words that say nothing.
    pub stop: &'static [&'static str],
    /// Words that say little of a topic.
    pub weak: &'static [&'static str],
    /// Words before or between things that are compared.
    pub compare: &'static [&'static str],
    /// Different words for one thing, the first for all of them.
    pub same: &'static [&'static [&'static str]],
}

/// A message of the assembler, the driver or another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssemblerMessage {
    /// Parts of the message, in lower case, that occur in this order; separated by ` * `.
    pub pattern: &'static str,
    /// Names of the diagnostics that report the same mistake, the likeliest first.
    pub codes: &'static [&'static str],
    /// What the message means and what to do.
    pub meaning: &'static str,
    /// The number that the assembler prints before it, such as `C7510`; may be empty.
    pub number: &'static str,
}

impl AssemblerMessage {
    /// Whether this is what a message in lower case says.
    pub fn fits(&self, message: &str) -> bool {
        pattern_fits(self.pattern, message)
    }

    /// The number of bytes of a message that the pattern fixes: of several rows that fit, the one with the most is meant.
    pub fn weight(&self) -> usize {
        self.pattern.split('*').map(|part| part.trim().len()).sum()
    }
}

/// Whether all parts of a pattern occur in a text, in their order, the first at the start of a word. A `*` stands for something, or
/// for nothing between two blanks: tools print empty names, too.
pub fn pattern_fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*').map(str::trim);
    let first = parts.next().unwrap_or("");
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    let starts = text.match_indices(first).map(|(at, _)| at).filter(|at| first.is_empty() || is_start(*at));
    starts.map(|at| &text[at + first.len()..]).any(|behind| {
        let mut rest = behind;
        parts.clone().all(|part| {
            let stands_for_something = |at: &usize| *at > 1 || !rest[..*at].trim().is_empty();
            let found = rest.match_indices(part).map(|(at, _)| at).find(stands_for_something);
            rest = found.map_or("", |at| &rest[at + part.len()..]);
            found.is_some()
        })
    })
}

/// A release of CUDA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaRelease {
    /// Its number: `12.8`.
    pub cuda: &'static str,
    /// The branch of the driver that came with it, if it is recorded.
    pub driver: Option<u16>,
    /// The newest PTX version that its assembler and driver take.
    pub ptx: super::Version,
}

impl std::fmt::Display for CudaRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CUDA {}", self.cuda)?;
        self.driver.map_or(Ok(()), |driver| write!(f, " (driver {driver})"))
    }
}

/// A value that an operand often has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggested {
    /// The instruction, `shfl.sync`; `*`: any.
    pub instruction: &'static str,
    /// The operand's name in the forms.
    pub operand: &'static str,
    /// The modifier with which it is used; empty: any.
    pub with: &'static str,
    /// The value, as written.
    pub value: &'static str,
    /// Its meaning.
    pub words: &'static str,
    /// Whether a text without the operand can mean no other value.
    pub implied: bool,
}

/// What an operand with a constraint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKind {
    /// A register of this type.
    Register(&'static str),
    /// An integer constant.
    Constant,
    /// Text of the host's compiler.
    Text,
}

/// Whether nvcc takes a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NvccSupport {
    /// No.
    No,
    /// Yes, but its documentation does not have it.
    Undocumented,
    /// Yes.
    Documented,
}

/// A constraint of an operand of inline assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsmConstraint {
    /// The letter.
    pub letter: &'static str,
    /// What the operand is.
    pub kind: ConstraintKind,
    /// Whether nvcc takes it.
    pub nvcc: NvccSupport,
    /// Whether cuda-oxide's `ptx_asm!` takes it.
    pub ptx_asm: bool,
    /// Whether LLVM takes it.
    pub llvm: bool,
    /// The register class of Rust's `asm!` for the same registers; may be empty.
    pub class: &'static str,
    /// The types of the CuTe DSL whose values it holds.
    pub types: &'static [&'static str],
}
