//! The diagnostics of PTX inside another language that are about the statement of that language: its operands, constraints,
//! clobbers and promises to the compiler. What is wrong is found by the crate that reads that language; here it gets its code.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::finding::{DiagnosticMessage, Finding};
use std::ops::Range;

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident: $code:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash)]
            pub(crate) struct $name(pub AsmProblem);

            impl DiagnosticMessage for $name {
                fn message(&self) -> String {
                    self.0.message.to_string()
                }

                fn help(&self) -> Option<String> {
                    self.0.help.as_deref().map(str::to_owned)
                }
            }
        )*

        /// The diagnostics of this file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AsmCode {
            $(
                $(#[$doc])*
                $name,
            )*
        }

        impl AsmCode {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code.
            pub fn code(self) -> Code {
                match self {
                    $(Self::$name => Code::$code,)*
                }
            }
        }

        /// The diagnostic with one of these codes.
        pub fn report(code: AsmCode, range: Range<usize>, problem: AsmProblem) -> Diagnostic {
            let finding: Finding = match code {
                $(AsmCode::$name => $name(problem).into(),)*
            };
            Diagnostic::new(range, finding)
        }
    };
}

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AsmProblem {
    /// What is wrong and what is expected.
    pub message: Box<str>,
    /// What to do, if there is advice.
    pub help: Option<Box<str>>,
}

problems! {
    /// `=` or `+` among the inputs, or neither among the outputs.
    Access: AsmAccess;
    /// The carry does not cross statements.
    Carry: AsmCarry;
    /// A clobber that the compiler does not know.
    Clobber: AsmClobber;
    /// A constraint that the compiler does not know.
    Constraint: AsmConstraint;
    /// A fence or barrier of which the compiler does not know.
    Fence: AsmFence;
    /// An instruction writes an operand that is an input.
    InputWritten: AsmInputWritten;
    /// A label or declaration that is duplicated with the statement.
    LooseLabel: AsmLabel;
    /// The last instruction lacks its semicolon.
    MissingSemicolon: AsmMissingSemicolon;
    /// The constraints name another number of inputs than there are operands.
    OperandCount: AsmOperandCount;
    /// An operand that the statement does not have.
    OperandIndex: AsmOperandIndex;
    /// An operand with a modifier.
    OperandModifier: AsmOperandModifier;
    /// An operand by name.
    OperandName: AsmOperandName;
    /// The text reads an output before it writes it.
    OutputRead: AsmOutputRead;
    /// Some path through the text does not write an output.
    OutputUnwritten: AsmOutputUnwritten;
    /// A percent sign that the compiler reads in another way.
    Percent: AsmPercent;
    /// A store of which the compiler does not know.
    Store: AsmStore;
    /// A name with one percent sign beside operands.
    UnescapedName: AsmUnescapedName;
    /// An operand that the text does not use.
    UnusedOperand: AsmUnusedOperand;
    /// The compiler may remove a statement with a side effect.
    Volatile: AsmVolatile;
}
