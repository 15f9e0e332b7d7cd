//! `workspace/symbol`: the open documents, and the files of the workspace's folders.

use crate::cancel::{CancelFlag, UntilDropped};
use crate::convert;
use crate::server::Server;
use crate::session::ClientFeatures;
use crate::walk::outlines;
use std::cmp::Reverse;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Location, OneOf, ServerCapabilities, SymbolInformation, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

/// Maximum number of symbols in one answer; a longer query finds the others.
const MAX_SYMBOLS: usize = 256;

/// Announces workspace symbols to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.workspace_symbol_provider = Some(OneOf::Left(true));
}

/// Returns the symbols that match a query best.
pub async fn symbols(shared: &Arc<Server>, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
    let guard = UntilDropped::default();
    let cancelled: CancelFlag = guard.token();
    let open: Vec<_> = shared.state.documents().into_iter().map(|d| (d.uri.clone(), d.last_parsed())).collect();
    let files = outlines(shared, &cancelled).await?;
    let (session, query) = (shared.state.session(), params.query);
    shared
        .platform
        .off_thread(move || {
            let mut found: Vec<(u32, SymbolInformation)> = Vec::new();
            for (uri, parsed) in open {
                let Some(snapshot) = parsed.as_ref().and_then(|p| p.snapshot.as_ref()) else { continue };
                for symbol in ptx_ide::module_symbols(snapshot) {
                    if let Some((fits, name)) = fitting(&query, &symbol.name, symbol.mangled.as_deref()) {
                        let range = session.encoding.range(snapshot.rope(), &symbol.selection);
                        let location = Location::new(uri.clone(), range);
                        found.push((fits, information(session, name, symbol.detail, symbol.kind, location)));
                    }
                }
            }
            for (uri, outline) in files {
                for symbol in outline.iter() {
                    if let Some((fits, name)) = fitting(&query, &symbol.name, symbol.mangled.as_deref()) {
                        let location = Location::new(uri.clone(), symbol.selection);
                        let detail = symbol.detail.clone();
                        found.push((fits, information(session, name, detail, symbol.kind, location)));
                    }
                }
            }
            found.sort_by(|(a, x), (b, y)| (Reverse(a), &x.name).cmp(&(Reverse(b), &y.name)));
            found.truncate(MAX_SYMBOLS);
            Some(WorkspaceSymbolResponse::Flat(found.into_iter().map(|(_, s)| s).collect()))
        })
        .await
}

/// Returns the fitness of a symbol and the name to show. Clients hide names that do not match, so a symbol that matches by its
/// mangled name is shown with that name.
fn fitting(query: &str, name: &str, mangled: Option<&str>) -> Option<(u32, String)> {
    let fits = |name: &str| Some((ptx_ide::fitness(query, name)?, name.to_owned()));
    fits(name).or_else(|| fits(mangled?))
}

fn information(
    session: ClientFeatures,
    name: String,
    detail: String,
    kind: ptx_ide::SymbolKind,
    location: Location,
) -> SymbolInformation {
    #[allow(deprecated)] // The field has to be named; it is never set.
    SymbolInformation {
        name,
        kind: convert::symbol_kind(session, kind),
        tags: None,
        deprecated: None,
        location,
        container_name: Some(detail).filter(|d| !d.is_empty()),
    }
}
