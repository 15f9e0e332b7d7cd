//! The door to the meaning of PTX: what editors, commands and other tools may use of `ptx-sema`, `ptx-flow` and `ptx-check`.
//!
//! Two types open it. [`Semantics`] answers what one place of a text means, without a check. [`Analyzer`] checks a module and its successors, and
//! keeps what flow knows about its functions. The rest is the data in their answers, and the functions that read it. Nothing is written
//! here; what is missing here is an internal of one of the three crates.

// The meaning of a place.
pub use ptx_sema::semantics::{Semantics, environment, instruction_around};
pub use ptx_sema::target::Environment;
pub use ptx_sema::target::project::Project;

// Names, and what they stand for.
pub use ptx_sema::forms::operands::NameLookup;
pub use ptx_sema::hir::signature::{Array, ContentId, Parameter, Signature};
pub use ptx_sema::hir::symbols::{NameFrame, Symbol, TargetListKind, VariableOrigin, VariableSymbol};
pub use ptx_sema::hir::types::{RegisterFit, TypeId};
pub use ptx_sema::semantics::names::{Anything, DeclarationKind, DeclarationNode, LocalNames};

// A statement as data.
pub use ptx_sema::hir::ast::{ConstantValue, Instruction, Operand, OperandKind, SourceWord};
pub use ptx_sema::hir::literal::FloatLiteral;
pub use ptx_sema::hir::lower::ItemSource;
pub use ptx_sema::hir::module::{Definition, ModuleItem};

// The forms that an instruction matches, and what does not match.
pub use ptx_sema::forms::align::{Alignment, AlignmentEdit};
pub use ptx_sema::forms::choose::{ResolvedInstruction, VariantFit, choose};
pub use ptx_sema::forms::mnemonic::{Candidate, Filling, Mnemonic, MnemonicMismatch, MnemonicProblem};
pub use ptx_sema::forms::operands::{MismatchKind, OperandMismatch};
pub use ptx_sema::forms::spec::{OperandPattern, OperandSpec, OperandVariant};

// What is wrong with a module.
pub use ptx_check::{
    Analyzer, Code, Diagnostic, DiagnosticLevel, DiagnosticList, DiagnosticMessage, Finding, Fix, FixEdit,
    PlacedDiagnostic, Related, Report, Severity, SharedReport, Text,
};

// PTX in a text of another language.
pub use ptx_check::asm::{AsmCode, AsmProblem};
pub use ptx_check::inline::{
    InlineChecker, InlineConstant, InlineFindings, InlineModule, InlineRegister, InlineTarget, InlineText, TargetSet,
};

// What flow knows about functions.
pub use ptx_flow::addresses::lanes::active_lanes;
pub use ptx_flow::addresses::{
    Access, AccessEffect, AddressFacts, BankTraffic, BlockShape, EncodedOperand, KnownBits, SectorTraffic, Traffic,
};
pub use ptx_flow::flow::uniformity::Across;
pub use ptx_flow::flow::webs::{WebPlace, Webs, webs};
pub use ptx_flow::flow::{FlowFunction, OperandRole, OperandValue, RegisterSlot};
pub use ptx_flow::registers::facts::{FunctionFacts, ModuleFacts, RegisterAccess, RegisterFacts};
pub use ptx_flow::registers::occupancy::{LimitedBy, Needs, Occupancy};
pub use ptx_flow::registers::{Figure, Figures, MeasuredRegisters, RegisterCount, RegisterReport};

/// Diagnostics about the text around PTX in another language, which its finder asks for.
pub mod asm {
    pub use ptx_check::asm::report;
}

/// What a declaration declares.
pub mod declared {
    pub use ptx_sema::hir::declared::{names, parameter};
}

/// Whether a text was written by a compiler, and what is not reported then.
pub mod generated {
    pub use ptx_check::generated::{is_generated, is_quiet};
}

/// The values of literals.
pub mod literal {
    pub use ptx_sema::hir::literal::{float, integer, number, parse_float};
}

/// Syntax nodes as data.
pub mod lower {
    pub use ptx_sema::hir::lower::{declaration, instruction, is_expression, operand};
}

/// An opcode with its modifiers.
pub mod mnemonic {
    pub use ptx_sema::forms::mnemonic::{broken_so_far, holds, is_complete, is_legal, resolve};
}

/// What the assembler parses and does not build.
pub mod assembly {
    pub use ptx_sema::forms::assembly::{unbuilt, unbuilt_so_far};
}

/// The items of a module.
pub mod module {
    pub use ptx_sema::hir::module::{definition, is_function, items, items_of};
}

/// Declarations and uses of names, and what a name may be.
pub mod names {
    pub use ptx_check::names::{ReservedName, dotted_name, foreign_operand, is_template, look_alike, reserved};
    pub use ptx_sema::semantics::names::{
        all_in_module, debug_label, find, function_around, in_debugging_data, in_directive, is_before_colon,
        is_debugging_data, listed_by, numbered, numbers, occurrences, parameters, range_of, ranges, scopes_around,
    };
}

/// Operands against what a form takes.
pub mod operands {
    pub use ptx_sema::forms::operands::{check, special};
}

/// The report about the registers of functions.
pub mod registers {
    pub use ptx_flow::registers::estimate::{OLDEST, number};
    pub use ptx_flow::registers::{left_out, report};
}

/// Variants of a form.
pub mod spec {
    pub use ptx_sema::forms::spec::{applies, operand_variants};
}

/// One statement outside of its module.
pub mod statement {
    pub use ptx_check::statement::{check, is_unfinished};
}

/// Versions and targets by name.
pub mod target {
    pub use ptx_sema::target::{describe_needs, find_architecture, find_target, is_option, version};
}

/// Types that agree.
pub mod types {
    pub use ptx_sema::hir::types::{agreeing, agrees, register_type};
}
