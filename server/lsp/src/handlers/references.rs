//! `textDocument/references` and `textDocument/documentHighlight`.

use crate::places::{Other, at, others, within};
use crate::server::Server;
use crate::session::ClientFeatures;
use crate::trouble;
use ptx_ide::{Reference, ReferenceKind};
use ptx_syntax::Snapshot;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, MessageType, OneOf, Range,
    ReferenceParams, ServerCapabilities, Uri,
};

/// Maximum number of places in one answer. A million places would take gigabytes on their way to the client.
pub const MAX_PLACES: usize = 50_000;

/// Announces references and highlights to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.references_provider = Some(OneOf::Left(true));
    capabilities.document_highlight_provider = Some(OneOf::Left(true));
}

/// Returns all references to the name at a position, including those in other open documents that share it.
pub async fn references(shared: &Server, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
    let position = params.text_document_position;
    let declarations = params.context.include_declaration;
    let uri = position.text_document.uri.clone();
    let others = others(shared, &uri);
    let range = Range::new(position.position, position.position);
    within(shared, &uri.clone(), range, Duration::ZERO, move |place, _| {
        let session = place.session;
        let mut out = Vec::new();
        let mut add = |uri: &Uri, snapshot: &Snapshot, found: Vec<Reference>| {
            let wanted = found.iter().filter(|r| declarations || r.access != ReferenceKind::Declaration);
            out.extend(wanted.map(|r| Location::new(uri.clone(), session.encoding.range(snapshot.rope(), &r.range))));
        };
        add(&uri, &place.snapshot, ptx_ide::references_at(&place.snapshot, place.offset()));
        if let Some((name, reach)) = ptx_ide::linked_at(&place.snapshot, place.offset()) {
            for Other { uri, snapshot, .. } in &others {
                if reach.joins(ptx_ide::reach_of(snapshot, &name)) {
                    add(uri, snapshot, ptx_ide::references_in_module(snapshot, &name));
                }
            }
        }
        let said = cut(&mut out);
        Some((out, said))
    })
    .await
    .map(|found| {
        found.map(|(out, said)| {
            if let Some(message) = said {
                trouble::show(&shared.outgoing, MessageType::INFO, &message);
            }
            out
        })
    })
}

/// Truncates the list to the maximum; returns a message if it does.
fn cut<T>(found: &mut Vec<T>) -> Option<String> {
    let all = found.len();
    found.truncate(MAX_PLACES);
    (all > MAX_PLACES).then(|| format!("ptx-analyzer: the first {MAX_PLACES} of {all} references are listed"))
}

/// Returns the references in the same document, for highlighting.
pub async fn highlights(shared: &Server, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
    at(shared, params.text_document_position_params, |place| {
        let rope = place.snapshot.rope();
        let one = |reference: Reference| DocumentHighlight {
            range: place.session.encoding.range(rope, &reference.range),
            kind: Some(kind(reference.access)),
        };
        let found = ptx_ide::highlights(&place.snapshot, place.offset());
        (!found.is_empty()).then(|| found.into_iter().take(MAX_PLACES).map(one).collect())
    })
    .await
}

/// Returns the kind of a highlight.
pub fn kind(access: ReferenceKind) -> DocumentHighlightKind {
    match access {
        ReferenceKind::Read => DocumentHighlightKind::READ,
        ReferenceKind::Write | ReferenceKind::ReadWrite => DocumentHighlightKind::WRITE,
        ReferenceKind::Declaration | ReferenceKind::Call | ReferenceKind::Jump | ReferenceKind::Mention => {
            DocumentHighlightKind::TEXT
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_left_out_and_said() {
        let mut places = vec![(); MAX_PLACES];
        assert_eq!((cut(&mut places), places.len()), (None, MAX_PLACES));
        let mut places = vec![(); MAX_PLACES + 7];
        let said = cut(&mut places).unwrap();
        assert!(said.contains("the first 50000 of 50007"), "{said}");
        assert_eq!(places.len(), MAX_PLACES);
    }
}
