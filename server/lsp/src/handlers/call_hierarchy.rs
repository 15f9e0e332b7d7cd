//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`.

use crate::convert;
use crate::places::{at, others, snapshot};
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_ide::{Callable, Calls, SymbolKind};
use ptx_syntax::{Rope, Snapshot};
use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, CallHierarchyServerCapability, ServerCapabilities,
    Uri,
};

/// Announces the call hierarchy to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.call_hierarchy_provider = Some(CallHierarchyServerCapability::Simple(true));
}

/// Returns the functions at a position.
pub async fn prepare(shared: &Server, params: CallHierarchyPrepareParams) -> Result<Option<Vec<CallHierarchyItem>>> {
    let params = params.text_document_position_params;
    let uri = params.text_document.uri.clone();
    at(shared, params, move |place| {
        let found = ptx_ide::callables(&place.snapshot, place.offset());
        let convert = |c: Callable| item(place.session, place.snapshot.rope(), &uri, c);
        (!found.is_empty()).then(|| found.into_iter().map(convert).collect())
    })
    .await
}

fn item(session: ClientFeatures, rope: &Rope, uri: &Uri, callable: Callable) -> CallHierarchyItem {
    let shown = ptx_ide::demangle(&callable.name).map_or_else(|| callable.name.clone(), |d| d.short);
    CallHierarchyItem {
        name: shown,
        kind: convert::symbol_kind(session, SymbolKind::Function),
        tags: None,
        detail: Some(callable.signature),
        uri: uri.clone(),
        range: session.encoding.range(rope, &callable.range),
        selection_range: session.encoding.range(rope, &callable.selection),
        data: Some(json!(callable.name)),
    }
}

/// Returns the document of a function and its name there.
fn function(item: CallHierarchyItem) -> (Uri, String) {
    let name = item.data.as_ref().and_then(|d| d.as_str()).map(str::to_owned);
    (item.uri, name.unwrap_or(item.name))
}

/// Returns the document of an item, and the other documents that know the same function.
async fn modules(shared: &Server, uri: &Uri, name: &str) -> Option<Vec<(Uri, Snapshot)>> {
    let others = others(shared, uri);
    let (_, own) = snapshot(shared, uri).await?;
    let reach = ptx_ide::reach_of(&own, name);
    let joined = others.into_iter().filter(|other| reach.joins(ptx_ide::reach_of(&other.snapshot, name)));
    let mut out: Vec<(Uri, Snapshot)> = joined.map(|other| (other.uri, other.snapshot)).collect();
    out.insert(0, (uri.clone(), own));
    Some(out)
}

/// Returns the callers of a function.
pub async fn incoming(
    shared: &Server,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let (uri, name) = function(params.item);
    let Some(modules) = modules(shared, &uri, &name).await else { return Ok(None) };
    let session = shared.state.session();
    shared
        .platform
        .off_thread(move || {
            let mut out = Vec::new();
            for (uri, snapshot) in &modules {
                let rope = snapshot.rope();
                out.extend(ptx_ide::incoming_calls(snapshot, &name).into_iter().map(|Calls { other, places }| {
                    let from_ranges = places.iter().map(|p| session.encoding.range(rope, p)).collect();
                    CallHierarchyIncomingCall { from: item(session, rope, uri, other), from_ranges }
                }));
            }
            Some(out)
        })
        .await
}

/// Returns the functions that a function calls.
pub async fn outgoing(
    shared: &Server,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let (uri, name) = function(params.item);
    let Some(modules) = modules(shared, &uri, &name).await else { return Ok(None) };
    let session = shared.state.session();
    shared
        .platform
        .off_thread(move || {
            // The document that contains the body.
            let body = |(_, s): &&(Uri, Snapshot)| ptx_ide::callable(s, &name).is_some_and(|c| !c.elsewhere);
            let (uri, snapshot) = modules.iter().find(body).or(modules.first())?;
            let rope = snapshot.rope();
            let found = ptx_ide::outgoing_calls(snapshot, &name).into_iter().map(|Calls { other, places }| {
                let from_ranges = places.iter().map(|p| session.encoding.range(rope, p)).collect();
                CallHierarchyOutgoingCall { to: item(session, rope, uri, other), from_ranges }
            });
            Some(found.collect())
        })
        .await
}
