//! Diagnostics for people: the source line with the token marked.

use super::source::{Excerpt, LineColumn, excerpt, place};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};
use ptx_analysis::{Diagnostic, Severity};
use ptx_gate::words::visible;
use ptx_syntax::Rope;
use std::ops::Range;

/// The diagnostics of a file, coloured by escape sequences.
pub fn render(file: &str, text: &Rope, diagnostics: &[Diagnostic]) -> String {
    let file = &*visible(file);
    // Long lines are already shortened: the width prevents the library from shortening them again.
    let renderer = Renderer::styled().decor_style(DecorStyle::Ascii).term_width(400);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&one(&renderer, file, text, diagnostic));
        out.push_str("\n\n");
    }
    out
}

fn one(renderer: &Renderer, file: &str, text: &Rope, d: &Diagnostic) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name(Some("hint")),
    };
    let main = SourceExcerpt::new(file, text, &d.range);
    let related: Vec<_> = d.related.iter().map(|r| (SourceExcerpt::new(file, text, &r.range), r)).collect();
    let (message, help) = (d.message(), d.help());
    let title = level.primary_title(message.as_str()).id(d.finding.name());
    let mut finding = title.element(main.snippet(file, AnnotationKind::Primary));
    if let Some(help) = &help {
        finding = finding.element(Level::HELP.message(help.as_str()));
    }
    let messages = [Some(message.as_str()), help.as_deref()].into_iter().flatten();
    let messages = messages.chain(d.related.iter().map(|related| related.message()));
    let mut names: Vec<String> = Vec::new();
    for (mangled, name) in messages.flat_map(|message| ptx_ide::mangled_names(message)) {
        let note = format!("`{mangled}` is `{name}`");
        if !names.contains(&note) {
            names.push(note);
        }
    }
    for note in &names {
        finding = finding.element(Level::NOTE.message(note.as_str()));
    }
    let mut groups = vec![finding];
    for (shown, related) in &related {
        let title = Level::NOTE.secondary_title(related.message());
        groups.push(title.element(shown.snippet(file, AnnotationKind::Context)));
    }
    let mut out = renderer.render(&groups);
    for shown in std::iter::once(&main).chain(related.iter().map(|(shown, _)| shown)) {
        if shown.counted != shown.true_place {
            out = out.replacen(&shown.counted, &shown.true_place, 1);
        }
    }
    out
}

/// An excerpt of the source with its line number.
struct SourceExcerpt {
    line: usize,
    excerpt: Excerpt,
    /// The position as the library prints it. The library counts characters in its input, which may be a part of a
    /// line, so `true_place` replaces this text.
    counted: String,
    true_place: String,
}

impl SourceExcerpt {
    fn new(file: &str, text: &Rope, range: &Range<usize>) -> Self {
        let LineColumn { line, column } = place(text, range.start);
        let excerpt = excerpt(text, range);
        let counted = excerpt.text[..excerpt.token.start].chars().count() + 1;
        let counted = format!("{file}:{line}:{counted}");
        Self { line, excerpt, counted, true_place: format!("{file}:{line}:{column}") }
    }

    fn snippet<'a>(&'a self, file: &'a str, kind: AnnotationKind) -> Snippet<'a, Annotation<'a>> {
        let annotation = kind.span(self.excerpt.token.clone());
        Snippet::source(self.excerpt.text.as_str()).path(file).line_start(self.line).annotation(annotation)
    }
}
