//! Checks whether a word is legal in a declaration or in the header of a function. It runs the checks on a small module
//! made of the text before the word, the word, and the minimum that must follow.

use super::place::ModulePart;
use ptx_analysis::{Analyzer, Code, Environment, Severity};
use ptx_syntax::Snapshot;

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialVerdict {
    /// No error.
    Fine,
    /// Deprecated.
    Deprecated,
    /// The module's version or target does not support the statement; the message says what it needs.
    Lacking(String),
    /// Not legal.
    Wrong,
}

/// The context of the text that is tried.
#[derive(Debug, Clone, Copy)]
pub struct StatementTrial<'e> {
    /// The version, target and options of the module.
    pub environment: &'e Environment,
    /// The part of the module that contains the statement.
    pub level: ModulePart,
    /// The statement is in a kernel.
    pub kernel: bool,
}

impl StatementTrial<'_> {
    /// Runs the checks on a statement.
    pub fn check(self, statement: &str) -> TrialVerdict {
        let found = self.check_once(statement);
        if !matches!(found, TrialVerdict::Lacking(_)) {
            return found;
        }
        // A statement that is wrong even in the newest version is wrong, not unsupported.
        let newest = Environment {
            version: Some(ptx_isa::ISA.newest()),
            target: ptx_isa::ISA.targets.iter().rfind(|t| !t.features.is_empty()),
            ..self.environment.clone()
        };
        match (StatementTrial { environment: &newest, ..self }).check_once(statement) {
            TrialVerdict::Wrong => TrialVerdict::Wrong,
            _ => found,
        }
    }

    fn check_once(self, statement: &str) -> TrialVerdict {
        let newest = ptx_isa::ISA.newest();
        let version = self.environment.version.unwrap_or(newest);
        let target = self.environment.target.map_or("sm_75", |t| t.name);
        let options: String = self.environment.options.iter().map(|o| format!(", {o}")).collect();
        let size = match self.environment.address_size {
            64 => ".address_size 64\n",
            _ => "",
        };
        let body = match (self.level, self.kernel) {
            (ModulePart::Body, true) => format!(".entry __k() {{\n{statement}\n}}"),
            (ModulePart::Body, false) => format!(".func __f() {{\n{statement}\n}}"),
            _ => statement.to_owned(),
        };
        let text = format!(".version {version}\n.target {target}{options}\n{size}{body}\n");
        let report = Analyzer::default().analyze(&Snapshot::new(&text));
        // Errors before the statement, such as requirements of an option of the target, do not count.
        let begin = text.len() - body.len() - 1;
        let gates = [Code::RequiresVersion, Code::RequiresTarget, Code::Removed];
        let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error && d.range.start >= begin);
        let mut lacking = None;
        for error in errors.filter(|d| d.code() != Code::MissingDirective) {
            if !gates.contains(&error.code()) {
                return TrialVerdict::Wrong;
            }
            lacking = lacking.or_else(|| Some(error.finding.brief()));
        }
        match lacking {
            Some(message) => TrialVerdict::Lacking(message),
            None if report.diagnostics.iter().any(|d| d.code() == Code::Deprecated) => TrialVerdict::Deprecated,
            None => TrialVerdict::Fine,
        }
    }
}
