//! `requires-target`: the module's `.target` lacks what is needed. The report is made in [`super::requires_version`],
//! since one gate asks for both.

use super::requires_version::Requirement;
use crate::codes::Words;

/// Something that the module's target does not have in any version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequiresTarget(pub Box<Requirement>);

impl Words for RequiresTarget {
    fn message(&self) -> String {
        self.0.message()
    }

    fn help(&self) -> Option<String> {
        self.0.help()
    }
}
