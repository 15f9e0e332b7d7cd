//! Helpers for the unit tests of diagnostics: they check a short PTX text.

use crate::{Analyzer, Code, Diagnostic};
use ptx_sema::target::project::Project;
use ptx_syntax::Snapshot;

/// The diagnostics with this code for a kernel body on `sm_90a`. The kernel declares the registers `%p<4>`, `%h<8>` (`.b16`),
/// `%r<8>` (`.b32`), `%f<8>` (`.f32`), `%rd<8>` (`.b64`) and `%fd<8>` (`.f64`).
pub(crate) fn in_kernel(code: Code, body: &str) -> Vec<Diagnostic> {
    let registers =
        ".reg .pred %p<4>;.reg .b16 %h<8>;.reg .b32 %r<8>;.reg .f32 %f<8>;.reg .b64 %rd<8>;.reg .f64 %fd<8>;";
    let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
    in_module(code, &format!("{header}.visible .entry k(.param .u64 p)\n{{\n{registers}\n{body}\nret;\n}}\n"))
}

/// The diagnostics with this code for a module, lints included.
pub(crate) fn in_module(code: Code, text: &str) -> Vec<Diagnostic> {
    in_project(code, &Project::default(), text)
}

/// The diagnostics with this code for a module that is checked for a project, lints included.
pub(crate) fn in_project(code: Code, project: &Project, text: &str) -> Vec<Diagnostic> {
    let snapshot = Snapshot::new(text);
    let mut analyzer = Analyzer::default();
    analyzer.set_project(project.clone());
    let mut found = analyzer.analyze(&snapshot).diagnostics;
    found.extend(analyzer.lints(&snapshot, &|| false).unwrap_or_default());
    found.retain(|d| d.code() == code);
    found
}

/// The messages of diagnostics.
pub(crate) fn messages(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(Diagnostic::message).collect()
}

/// The text of a module after the first fix of a diagnostic with this code. Panics if there is none.
pub(crate) fn mended(code: Code, text: &str) -> String {
    let found = in_module(code, text);
    let fix = found.iter().find_map(|d| d.fixes.first()).expect("a fix");
    let mut edits: Vec<_> = fix
        .edits
        .iter()
        .filter_map(|e| match e {
            crate::FixEdit::Replace(range, new) => Some((range.clone(), new.as_str())),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    edits.into_iter().for_each(|(range, new)| text.replace_range(range, new));
    text
}
