//! The data of a diagnostic, from which its words are made.

use crate::code::Code;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The message and help of a diagnostic. Implemented by the data of each diagnostic.
pub trait DiagnosticMessage {
    /// The message: what is wrong and what is expected.
    fn message(&self) -> String;

    /// What the user can do about it, if there is advice.
    fn help(&self) -> Option<String> {
        None
    }

    /// The message for a place that has room for a few words only, such as a line of a completion list.
    fn brief(&self) -> String {
        self.message()
    }

    /// Whether both report the same problem, although something else is known about it.
    fn is_same(&self, other: &Self) -> bool
    where
        Self: Eq,
    {
        self == other
    }
}

/// The data type of a diagnostic that has its own code.
pub(crate) trait Coded: DiagnosticMessage + Any + Debug + Clone + Eq + Hash + Send + Sync {
    /// The code of the diagnostic.
    const CODE: Code;
}

/// What is asked of the data of any diagnostic.
trait FindingData: Any + Debug + Send + Sync {
    fn code(&self) -> Code;
    fn name(&self) -> &'static str {
        self.code().name()
    }
    fn message(&self) -> String;
    fn help(&self) -> Option<String>;
    fn brief(&self) -> String;
    fn equals(&self, other: &dyn FindingData) -> bool;
    fn is_same(&self, other: &dyn FindingData) -> bool;
    fn hash_into(&self, state: &mut dyn Hasher);
}

impl<D: Coded> FindingData for D {
    fn code(&self) -> Code {
        D::CODE
    }

    fn message(&self) -> String {
        DiagnosticMessage::message(self)
    }

    fn help(&self) -> Option<String> {
        DiagnosticMessage::help(self)
    }

    fn brief(&self) -> String {
        DiagnosticMessage::brief(self)
    }

    fn equals(&self, other: &dyn FindingData) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }

    fn is_same(&self, other: &dyn FindingData) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other| DiagnosticMessage::is_same(self, other))
    }

    fn hash_into(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// The message and help of a finding whose words are made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Text {
    /// The message: what is wrong and what is expected.
    pub message: String,
    /// What the user can do about it.
    pub help: Option<String>,
}

/// Words that were made elsewhere, with the name and code under which they are reported.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ForeignFinding {
    code: Code,
    name: &'static str,
    text: Text,
}

impl FindingData for ForeignFinding {
    fn code(&self) -> Code {
        self.code
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn message(&self) -> String {
        self.text.message.clone()
    }

    fn help(&self) -> Option<String> {
        self.text.help.clone()
    }

    fn brief(&self) -> String {
        self.message()
    }

    fn equals(&self, other: &dyn FindingData) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }

    fn is_same(&self, other: &dyn FindingData) -> bool {
        self.equals(other)
    }

    fn hash_into(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// The data of a diagnostic, of whatever type. The data is shared, because each keystroke copies all diagnostics of a document.
#[derive(Debug, Clone)]
pub struct Finding(Arc<dyn FindingData>);

impl<D: Coded> From<D> for Finding {
    fn from(data: D) -> Self {
        Self(Arc::new(data))
    }
}

impl Finding {
    /// A finding of the interpreter, or a launch that cannot be run: the name of its kind, and its text.
    pub fn run(name: &'static str, text: Text) -> Self {
        Self(Arc::new(ForeignFinding { code: Code::Run, name, text }))
    }

    /// A finding in a text inside another language, in the words of that language.
    pub fn translated(code: Code, text: Text) -> Self {
        Self(Arc::new(ForeignFinding { code, name: code.name(), text }))
    }

    /// The code of the diagnostic.
    pub fn code(&self) -> Code {
        self.0.code()
    }

    /// The name of the code, or of the kind of an interpreter finding.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The message: what is wrong and what is expected.
    pub fn message(&self) -> String {
        self.0.message()
    }

    /// What the user can do about it, if there is advice.
    pub fn help(&self) -> Option<String> {
        self.0.help()
    }

    /// The message in a few words.
    pub fn brief(&self) -> String {
        self.0.brief()
    }

    /// Whether both report the same problem. For an undeclared name only the name counts, not what else is known about it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.is_same(&*other.0)
    }

    /// The data, if it is of this type.
    pub(crate) fn data<D: Coded>(&self) -> Option<&D> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The data to be changed, if it is of this type; copies of the finding keep theirs.
    pub(crate) fn data_mut<D: Coded>(&mut self) -> Option<&mut D> {
        if Arc::get_mut(&mut self.0).is_none() {
            self.0 = Arc::new(self.data::<D>()?.clone());
        }
        (Arc::get_mut(&mut self.0)? as &mut dyn Any).downcast_mut()
    }
}

impl PartialEq for Finding {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

impl Eq for Finding {}

impl Hash for Finding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code().hash(state);
        self.0.hash_into(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Text};
    use crate::Diagnostic;

    #[test]
    fn findings_are_small() {
        // A broken file of a million lines has a million diagnostics.
        assert!(
            size_of::<Finding>() <= 16 && size_of::<Diagnostic>() <= 88,
            "{} {}",
            size_of::<Finding>(),
            size_of::<Diagnostic>()
        );
    }

    #[test]
    fn findings_compare_by_type_and_data() {
        let text = |message: &str| Text { message: message.to_owned(), help: None };
        assert_eq!(Finding::run("a", text("b")), Finding::run("a", text("b")));
        assert_ne!(Finding::run("a", text("b")), Finding::run("c", text("b")));
        assert_ne!(Finding::run("a", text("b")), Finding::run("a", text("c")));
    }
}
