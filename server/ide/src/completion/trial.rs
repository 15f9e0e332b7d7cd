//! Asks the checks whether a word may stand in a declaration or in the header of a function: a small module is made of what has
//! been written, the word, and the least that must follow, and checked.

use super::place::ModulePart;
use ptx_analysis::target::Environment;
use ptx_analysis::{Analyzer, Code, Diagnostic, Finding, Severity};
use ptx_syntax::Snapshot;

/// What the checks say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialVerdict {
    /// Nothing.
    Fine,
    /// It goes out of use.
    Deprecated,
    /// The module's version or target lacks it; in words.
    Lacking(String),
    /// It is wrong.
    Wrong,
}

/// What the words stand in.
#[derive(Debug, Clone, Copy)]
pub struct StatementTrial<'e> {
    /// What the module says of itself.
    pub environment: &'e Environment,
    /// Where the statement stands.
    pub level: ModulePart,
    /// In a kernel.
    pub kernel: bool,
}

impl StatementTrial<'_> {
    /// What the checks say of a statement.
    pub fn check(self, statement: &str) -> TrialVerdict {
        let found = self.check_once(statement);
        if !matches!(found, TrialVerdict::Lacking(_)) {
            return found;
        }
        // What is wrong in every version is not lacking in this one.
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
        // What an option of the target needs besides is no fault of the statement.
        let begin = text.len() - body.len() - 1;
        let gates = [Code::RequiresVersion, Code::RequiresTarget, Code::Removed];
        let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error && d.range.start >= begin);
        let mut lacking = None;
        for error in errors.filter(|d| d.code() != Code::MissingDirective) {
            if !gates.contains(&error.code()) {
                return TrialVerdict::Wrong;
            }
            lacking = lacking.or_else(|| Some(lacking_support(error)));
        }
        match lacking {
            Some(message) => TrialVerdict::Lacking(message),
            None if report.diagnostics.iter().any(|d| d.code() == Code::Deprecated) => TrialVerdict::Deprecated,
            None => TrialVerdict::Fine,
        }
    }
}

/// What the module does not have, without its version and target: `needs PTX 8.3`.
fn lacking_support(error: &Diagnostic) -> String {
    match &error.finding {
        Finding::RequiresVersion(found) => found.0.needs(),
        Finding::RequiresTarget(found) => found.0.needs(),
        Finding::Removed(found) => found.0.brief(),
        _ => error.message(),
    }
}
