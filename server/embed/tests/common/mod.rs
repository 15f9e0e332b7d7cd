//! What the tests of all languages ask of a text.
#![allow(dead_code, reason = "each test program uses a part")]

use ptx_embed::{Group, Host, Language};
use std::sync::Arc;

/// The only group of a text.
pub fn only(language: Language, text: &str) -> Arc<Group> {
    let host = Host::new(language, text);
    assert_eq!(host.groups().len(), 1, "{text}: {:#?}", host.groups());
    host.groups()[0].group.clone()
}

/// The PTX of all groups.
pub fn texts(language: Language, text: &str) -> Vec<String> {
    Host::new(language, text).groups().iter().map(|g| g.group.ptx.clone()).collect()
}

/// The codes of all mistakes in the host text.
pub fn codes(language: Language, text: &str) -> Vec<&'static str> {
    Host::new(language, text).groups().iter().flat_map(|g| g.group.problems.iter().map(|p| p.code)).collect()
}
