//! Conversion from data with byte offsets to the types of the protocol.

use super::session::ClientFeatures;
use ptx_analysis::{Code, Severity};
use ptx_ide::{OutlineSymbol, SymbolKind};
use ptx_interp::findings::FaultKind;
use ptx_syntax::Rope;
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    self, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, DocumentSymbol,
    Location, NumberOrString, SymbolInformation, Uri,
};

/// The context of a conversion of diagnostics.
#[derive(Debug, Clone, Copy)]
pub struct ConversionContext<'a> {
    /// The document.
    pub uri: &'a Uri,
    /// Its text.
    pub rope: &'a Rope,
    /// The client's features.
    pub session: ClientFeatures,
}

/// Limits the diagnostics of a document to this number, in the order of the text, and tells for each whether it is held back.
pub fn limited(
    uri: &Uri,
    limit: usize,
    found: Vec<ptx_analysis::Diagnostic>,
    held: Vec<bool>,
) -> (Vec<ptx_analysis::Diagnostic>, Vec<bool>) {
    if found.len() <= limit {
        return (found, held);
    }
    tracing::info!("only {limit} diagnostics of {}", uri.as_str());
    let mut all: Vec<_> = found.into_iter().zip(held).collect();
    // Less severe diagnostics come last, and held-back ones take no place from shown ones; the sort is stable, so the first of
    // each severity stay.
    all.sort_by_key(|(d, held)| (*held, d.severity));
    all.truncate(limit);
    all.sort_by_key(|(d, _)| (d.range.start, d.range.end));
    all.into_iter().unzip()
}

/// Converts diagnostics for the client.
pub fn diagnostics(context: &ConversionContext<'_>, found: &[ptx_analysis::Diagnostic]) -> Vec<Diagnostic> {
    let mut pages = HashMap::new();
    found.iter().map(|d| diagnostic(context, d, &mut pages)).collect()
}

type Pages = HashMap<&'static str, Option<CodeDescription>>;

fn diagnostic(context: &ConversionContext<'_>, found: &ptx_analysis::Diagnostic, pages: &mut Pages) -> Diagnostic {
    Diagnostic {
        range: context.session.encoding.range(context.rope, &found.range),
        severity: Some(severity(found.severity)),
        code: Some(NumberOrString::String(found.finding.name().to_owned())),
        code_description: pages.entry(found.finding.name()).or_insert_with(|| page(found.finding.name())).clone(),
        source: Some("ptx-analyzer".to_owned()),
        message: found.text(),
        related_information: related(context, found),
        tags: Some(tags(found)).filter(|t| context.session.tags && !t.is_empty()),
        ..Diagnostic::default()
    }
}

/// The related places of a diagnostic, if it has some and the client shows them.
pub fn related(
    context: &ConversionContext<'_>,
    found: &ptx_analysis::Diagnostic,
) -> Option<Vec<DiagnosticRelatedInformation>> {
    if !context.session.related_information || found.related.is_empty() {
        return None;
    }
    let related = |r: &ptx_analysis::Related| DiagnosticRelatedInformation {
        location: Location { uri: context.uri.clone(), range: context.session.encoding.range(context.rope, &r.range) },
        message: r.message().to_owned(),
    };
    Some(found.related.iter().map(related).collect())
}

/// Returns the tags that tell an editor how to show the text of a diagnostic.
fn tags(found: &ptx_analysis::Diagnostic) -> Vec<DiagnosticTag> {
    let unnecessary = found.unnecessary.then_some(DiagnosticTag::UNNECESSARY);
    let deprecated = (found.code() == Code::Deprecated).then_some(DiagnosticTag::DEPRECATED);
    unnecessary.into_iter().chain(deprecated).collect()
}

/// Returns the address of the page on a code; for a finding of the interpreter, the address of the table of findings.
pub fn page_address(code: &str) -> String {
    if FaultKind::named(code).is_some() {
        return format!("{}/blob/main/docs/evaluating.md#what-a-run-finds", env!("CARGO_PKG_REPOSITORY"));
    }
    format!("{}/blob/main/docs/diagnostics/{code}.md", env!("CARGO_PKG_REPOSITORY"))
}

fn page(code: &str) -> Option<CodeDescription> {
    page_address(code).parse().ok().map(|href| CodeDescription { href })
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

/// An outline as a tree.
pub fn nested(session: ClientFeatures, rope: &Rope, symbols: Vec<OutlineSymbol>) -> Vec<DocumentSymbol> {
    let convert = |symbol: OutlineSymbol| {
        let children = nested(session, rope, symbol.children);
        #[allow(deprecated)] // The field has to be named; it is never set.
        DocumentSymbol {
            name: symbol.name,
            detail: Some(symbol.detail).filter(|d| !d.is_empty()),
            kind: symbol_kind(session, symbol.kind),
            tags: None,
            deprecated: None,
            range: session.encoding.range(rope, &symbol.range),
            selection_range: session.encoding.range(rope, &symbol.selection),
            children: Some(children).filter(|c| !c.is_empty()),
        }
    };
    symbols.into_iter().map(convert).collect()
}

/// An outline as a list, for clients that know no tree.
pub fn flat(session: ClientFeatures, rope: &Rope, uri: &Uri, symbols: Vec<OutlineSymbol>) -> Vec<SymbolInformation> {
    fn add(
        session: ClientFeatures,
        symbols: Vec<OutlineSymbol>,
        container: Option<&str>,
        place: &impl Fn(&OutlineSymbol) -> Location,
        out: &mut Vec<SymbolInformation>,
    ) {
        for symbol in symbols {
            #[allow(deprecated)] // The field has to be named; it is never set.
            out.push(SymbolInformation {
                name: symbol.name.clone(),
                kind: symbol_kind(session, symbol.kind),
                tags: None,
                deprecated: None,
                location: place(&symbol),
                container_name: container.map(str::to_owned),
            });
            add(session, symbol.children, Some(&symbol.name), place, out);
        }
    }
    let mut out = Vec::new();
    let place = |s: &OutlineSymbol| Location { uri: uri.clone(), range: session.encoding.range(rope, &s.range) };
    add(session, symbols, None, &place, &mut out);
    out
}

/// Returns a kind of the protocol with a fitting icon; the protocol only has kinds of other languages.
pub fn symbol_kind(session: ClientFeatures, kind: SymbolKind) -> ls_types::SymbolKind {
    match kind {
        SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Alias => ls_types::SymbolKind::FUNCTION,
        SymbolKind::Parameter => ls_types::SymbolKind::FIELD,
        SymbolKind::Label if session.symbol_kinds => ls_types::SymbolKind::KEY,
        // These kinds are known to every client.
        SymbolKind::Label => ls_types::SymbolKind::CONSTANT,
        SymbolKind::Variable => ls_types::SymbolKind::VARIABLE,
        SymbolKind::Section => ls_types::SymbolKind::NAMESPACE,
    }
}
