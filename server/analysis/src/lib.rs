//! The door to the meaning of PTX: what editors, commands and other tools may use of `ptx-sema`, `ptx-flow` and `ptx-check`.

pub use ptx_check::{
    Analyzer, Code, Diagnostic, DiagnosticLevel, DiagnosticList, DiagnosticMessage, Finding, Fix, FixEdit,
    PlacedDiagnostic, Related, Report, Severity, SharedReport, Text, execution, generated, incremental, inline, rules,
    statement,
};
pub use ptx_flow::registers::facts::ModuleFacts;
pub use ptx_flow::{addresses, flow, program, registers};
pub use ptx_sema::forms::{align, choose, mnemonic, mnemonics, operands, spec};
pub use ptx_sema::hir::{ast, constant, declared, directive_parts, literal, lower, module, signature, symbols, types};
pub use ptx_sema::target::project;
pub use ptx_sema::{forms, hir, semantics, target};
