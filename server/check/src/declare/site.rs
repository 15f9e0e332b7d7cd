//! The place of a declaration.

use ptx_sema::hir::symbols::VariableOrigin;

/// The place of a declaration: module, body or parameter list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeclarationSite {
    /// In the module, in a body, or in a list of parameters or results.
    pub origin: VariableOrigin,
    /// In the header of a function without a body, or in a `.callprototype`: few rules apply there.
    pub(crate) bodiless: bool,
    /// In a `.callprototype`.
    pub prototype: bool,
}

impl DeclarationSite {
    /// The site of a variable, or of a parameter of a function with a body.
    pub(crate) fn of(origin: VariableOrigin) -> Self {
        Self { origin, bodiless: false, prototype: false }
    }

    pub(super) fn is_parameter(self) -> bool {
        matches!(self.origin, VariableOrigin::KernelParameter | VariableOrigin::Parameter | VariableOrigin::Result)
    }

    /// The name of the site in the tables.
    pub(super) fn place(self) -> &'static str {
        match self.origin {
            VariableOrigin::Module => "module",
            VariableOrigin::Body => "body",
            VariableOrigin::KernelParameter => "kernel-parameter",
            VariableOrigin::Parameter => "parameter",
            VariableOrigin::Result => "result",
        }
    }
}
