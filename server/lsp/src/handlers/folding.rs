//! `textDocument/foldingRange`.

use crate::places::snapshot;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_ide::{Fold, FoldKind};
use ptx_syntax::Rope;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    FoldingRange, FoldingRangeKind, FoldingRangeParams, FoldingRangeProviderCapability, ServerCapabilities,
};

/// Announces folding ranges to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.folding_range_provider = Some(FoldingRangeProviderCapability::Simple(true));
}

/// Returns the folding ranges of a document.
pub async fn folds(shared: &Server, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
    let Some((_, snapshot)) = snapshot(shared, &params.text_document.uri).await else { return Ok(None) };
    let session = shared.state.session();
    shared
        .platform
        .off_thread(move || {
            let mut found = ptx_ide::folds(&snapshot);
            if let Some(most) = session.most_folds
                && found.len() > most
            {
                // The longest ranges are the most useful ones.
                found.sort_by_key(|f| std::cmp::Reverse(f.range.len()));
                found.truncate(most);
                found.sort_by_key(|f| f.range.start);
            }
            let mut out: Vec<FoldingRange> =
                found.into_iter().filter_map(|f| fold(session, snapshot.rope(), &f)).collect();
            if session.folds_lines {
                // A client shows only one of two folds that begin in the same line; the longer comes first.
                out.sort_by_key(|f| (f.start_line, std::cmp::Reverse(f.end_line)));
                out.dedup_by_key(|f| f.start_line);
            }
            Some(out)
        })
        .await
}

/// Converts a fold; `None` if it covers only one line for this client.
fn fold(session: ClientFeatures, rope: &Rope, fold: &Fold) -> Option<FoldingRange> {
    let range = session.encoding.range(rope, &fold.range);
    let whole = session.folds_lines;
    // The line with the closing brace stays visible.
    let end_line = range.end.line.checked_sub(u32::from(whole && fold.closed))?;
    let kind = match fold.kind {
        FoldKind::Comment => Some(FoldingRangeKind::Comment),
        FoldKind::Region => Some(FoldingRangeKind::Region),
        FoldKind::Function | FoldKind::Code | FoldKind::Declarations | FoldKind::Label | FoldKind::Data => None,
    };
    (end_line > range.start.line).then(|| FoldingRange {
        start_line: range.start.line,
        start_character: (!whole).then_some(range.start.character),
        end_line,
        end_character: (!whole).then_some(range.end.character),
        kind,
        collapsed_text: text(fold).filter(|_| session.collapsed_text),
    })
}

/// Returns the replacement for the hidden text, if the client's three dots are not enough.
fn text(fold: &Fold) -> Option<String> {
    match fold.kind {
        FoldKind::Function => Some("{ …".to_owned()),
        FoldKind::Comment | FoldKind::Region | FoldKind::Code | FoldKind::Declarations => None,
        FoldKind::Label | FoldKind::Data => None,
    }
}
