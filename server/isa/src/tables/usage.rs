//! Usage statistics of real files, and names in other languages: tables for suggestions and search, not for validity.

/// Words with their weights, highest weight first.
pub type Weights = &'static [(&'static str, u32)];

/// How often each word follows a context in real files.
#[derive(Debug, Clone, Copy)]
pub struct UsageTable {
    /// Kind of context, context, and words with their weights, highest weight first; sorted by kind and context.
    pub contexts: &'static [(&'static str, &'static str, Weights)],
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

/// A message of the assembler or the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssemblerMessage {
    /// Parts of the message, in lower case, that occur in this order; separated by ` * `.
    pub pattern: &'static str,
    /// Names of the diagnostics that report the same mistake, the likeliest first.
    pub codes: &'static [&'static str],
    /// What the message means and what to do.
    pub meaning: &'static str,
}

impl AssemblerMessage {
    /// Whether this is what a message in lower case says.
    pub fn fits(&self, message: &str) -> bool {
        pattern_fits(self.pattern, message)
    }
}

/// Whether all parts of a pattern occur in a text, in their order.
pub fn pattern_fits(pattern: &str, text: &str) -> bool {
    let mut rest = text;
    pattern.split('*').map(str::trim).all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
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
}
