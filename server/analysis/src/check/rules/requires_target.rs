//! `requires-target`: the module's `.target` lacks what is needed. The report is made in [`super::requires_version`],
//! since one gate asks for both.
