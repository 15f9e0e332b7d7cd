//! Findings for people: the line of the source with the token marked.

use super::source::{excerpt, place};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use ptx_analysis::{Diagnostic, Severity};
use ptx_syntax::Snapshot;
use std::ops::Range;

/// The findings of a file, coloured by escape sequences.
pub fn render(file: &str, snapshot: &Snapshot, diagnostics: &[Diagnostic]) -> String {
    // Long lines are cut already; what is left is not cut again.
    let renderer = Renderer::styled()
        .decor_style(DecorStyle::Ascii)
        .term_width(400);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&one(&renderer, file, snapshot, diagnostic));
        out.push_str("\n\n");
    }
    out
}

fn one(renderer: &Renderer, file: &str, snapshot: &Snapshot, d: &Diagnostic) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name(Some("hint")),
    };
    let title = level.primary_title(d.message.as_str()).id(d.code);
    let mut finding = title.elements(shown(file, snapshot, &d.range, AnnotationKind::Primary));
    if let Some(help) = &d.help {
        finding = finding.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![finding];
    for related in &d.related {
        let title = Level::NOTE.secondary_title(related.message.as_str());
        groups.push(title.elements(shown(
            file,
            snapshot,
            &related.range,
            AnnotationKind::Context,
        )));
    }
    renderer.render(&groups)
}

/// A place with its line. The library would count columns in what it is given, which may be a piece of the line.
fn shown<'a>(
    file: &'a str,
    snapshot: &Snapshot,
    range: &Range<usize>,
    kind: AnnotationKind,
) -> [Element<'a>; 2] {
    let at = place(snapshot, range.start);
    let excerpt = excerpt(snapshot, range);
    let snippet = Snippet::source(excerpt.text)
        .line_start(at.line)
        .annotation(kind.span(excerpt.token));
    [
        Origin::path(file)
            .line(at.line)
            .char_column(at.column)
            .into(),
        snippet.into(),
    ]
}
