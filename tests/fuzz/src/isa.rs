//! The compiler of the notation must return either a table or a list of mistakes for any text.

use crate::bytes::split;
use ptx_isa::compiler::compile;

/// Definitions that small entries need: types, modifiers, a family.
const BASE: &str = include_str!("base.isa");

/// Compiles a text, alone or together with `BASE`.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let mut files = vec![("fuzz.isa".to_owned(), text)];
    if bytes.byte() & 1 == 0 {
        files.insert(0, ("base.isa".to_owned(), BASE.to_owned()));
    }
    if let Err(errors) = compile(&files) {
        assert!(!errors.is_empty(), "it is refused without a reason");
        for error in errors {
            assert!(!error.message.is_empty() && !error.file.is_empty(), "{error:?}");
            let text = files.iter().find(|(name, _)| *name == error.file).map(|(_, text)| text);
            let lines = text.map_or(0, |text| text.lines().count());
            assert!(error.line <= lines + 1 && error.line > 0 && error.column > 0, "{error:?}");
        }
    }
}
