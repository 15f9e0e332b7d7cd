//! Formatting options.

/// Formatting options. Columns are counted in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatOptions {
    /// Columns per indentation level, and the width of a tab.
    pub indent: usize,
    /// Indent with tabs. Alignment in columns uses spaces nevertheless.
    pub tabs: bool,
    /// Maximum line width in columns for statements that are put on one line.
    pub width: usize,
    /// The alignment of operands.
    pub operands: OperandColumns,
    /// Column of the operands, counted from the indentation: the room for the mnemonic.
    pub operand_column: usize,
    /// Guards are outdented by one level, so that they have a column of their own.
    pub outdent_guards: bool,
    /// Labels are outdented by one level.
    pub outdent_labels: bool,
    /// Align the names of declarations.
    pub align_declarations: bool,
    /// Align the comments at the ends of consecutive lines.
    pub align_comments: bool,
    /// Maximum number of consecutive blank lines.
    pub blank_lines: usize,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            indent: 4,
            tabs: false,
            width: 100,
            operands: OperandColumns::Column,
            operand_column: 20,
            outdent_guards: true,
            outdent_labels: true,
            align_declarations: true,
            align_comments: true,
            blank_lines: 2,
        }
    }
}

/// The alignment of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandColumns {
    /// One column for the whole file, except for mnemonics that are too long for it.
    Column,
    /// One column per run of consecutive instructions, right of the longest mnemonic that is not too long for the operand
    /// column.
    Run,
    /// One blank after the mnemonic.
    Off,
}
