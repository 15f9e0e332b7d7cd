//! What is used in real files, and what other languages call it: tables for what is offered and found, not for what is legal.

/// Words with their weights, the heaviest first.
pub type Weights = &'static [(&'static str, u32)];

/// How often each word follows a context in real files.
#[derive(Debug, Clone, Copy)]
pub struct UsageTable {
    /// Kind of context, context, and words with their weights, the heaviest first; sorted by kind and context.
    pub contexts: &'static [(&'static str, &'static str, Weights)],
}

/// A name of CUDA C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cuda {
    /// As it is written there: `__shfl_xor_sync`.
    pub name: &'static str,
    /// In PTX: a mnemonic, a special register or a directive, perhaps with operands; several are separated by ` / `.
    pub ptx: &'static str,
    /// What differs, or what it is for; may be empty.
    pub words: &'static str,
}

/// A value that an operand often has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggested {
    /// The instruction, `shfl.sync`; `*`: any.
    pub instruction: &'static str,
    /// The operand's name in the forms.
    pub operand: &'static str,
    /// The modifier that it goes with; empty: any.
    pub with: &'static str,
    /// As it is written.
    pub value: &'static str,
    /// What it means.
    pub words: &'static str,
}
