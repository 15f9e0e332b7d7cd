//! `textDocument/definition`, `textDocument/declaration` and `textDocument/implementation`.

use crate::places::{DocumentPlace, Other, at, others};
use crate::server::Server;
use crate::session::ClientFeatures;
use crate::spelling::file_name;
use ptx_gate::files::{is_local, is_local_file, real};
use ptx_gate::names::{FileName, without_dots};
use ptx_ide::{DefinitionTarget, DefinitionTargets, SourcePosition};
use ptx_syntax::Rope;
use std::path::Path;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{GotoDeclarationResponse, GotoImplementationResponse};
use tower_lsp_server::ls_types::{
    DeclarationCapability, GotoDefinitionParams, GotoDefinitionResponse, ImplementationProviderCapability, Location,
    LocationLink, OneOf, Position, Range, ServerCapabilities, Uri,
};

/// Announces the three requests to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.definition_provider = Some(OneOf::Left(true));
    capabilities.declaration_provider = Some(DeclarationCapability::Simple(true));
    capabilities.implementation_provider = Some(ImplementationProviderCapability::Simple(true));
}

/// Returns the definitions of the name at a position; for a `.loc` or a `.file` the place in the source file.
pub async fn definition(shared: &Arc<Server>, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
    let links = shared.state.session().definition_links;
    let server = Arc::clone(shared);
    find(shared, params, links, move |place, uri| {
        let source = ptx_ide::source_position(&place.snapshot, place.offset());
        match source.and_then(|found| source_link(&server, place, uri, &found)) {
            Some(link) => LocalDefinition { links: vec![link], elsewhere: None },
            None => here(place, uri, ptx_ide::definition(&place.snapshot, place.offset())),
        }
    })
    .await
}

/// Returns the declarations of the name at a position.
pub async fn declaration(shared: &Server, params: GotoDefinitionParams) -> Result<Option<GotoDeclarationResponse>> {
    let links = shared.state.session().declaration_links;
    find(shared, params, links, |place, uri| here(place, uri, ptx_ide::declaration(&place.snapshot, place.offset())))
        .await
}

/// Returns the implementations of the name at a position.
pub async fn implementation(
    shared: &Server,
    params: GotoDefinitionParams,
) -> Result<Option<GotoImplementationResponse>> {
    let links = shared.state.session().implementation_links;
    find(shared, params, links, |place, uri| here(place, uri, ptx_ide::implementation(&place.snapshot, place.offset())))
        .await
}

/// The definitions in the document itself.
struct LocalDefinition {
    links: Vec<LocationLink>,
    /// The name, if another document may define it, with its range in this document.
    elsewhere: Option<(String, Range)>,
}

async fn find(
    shared: &Server,
    params: GotoDefinitionParams,
    links: bool,
    look: impl FnOnce(&DocumentPlace, &Uri) -> LocalDefinition + Send + 'static,
) -> Result<Option<GotoDefinitionResponse>> {
    let params = params.text_document_position_params;
    let uri = params.text_document.uri.clone();
    let others = others(shared, &uri);
    at(shared, params, move |place| {
        let mut found = look(place, &uri);
        if let Some((name, origin)) = &found.elsewhere {
            let exported = defined_elsewhere(place.session, &others, name, *origin);
            // A definition replaces the declaration in this document.
            if !exported.is_empty() {
                found.links = exported;
            }
        }
        answer(found.links, links)
    })
    .await
}

/// Returns full links to a client that accepts them, otherwise locations.
pub fn answer(links: Vec<LocationLink>, wanted: bool) -> Option<GotoDefinitionResponse> {
    if links.is_empty() {
        return None;
    }
    if wanted {
        return Some(GotoDefinitionResponse::Link(links));
    }
    let location = |link: LocationLink| Location::new(link.target_uri, link.target_selection_range);
    Some(GotoDefinitionResponse::Array(links.into_iter().map(location).collect()))
}

fn here(place: &DocumentPlace, uri: &Uri, found: Option<DefinitionTargets>) -> LocalDefinition {
    let Some(found) = found else { return LocalDefinition { links: Vec::new(), elsewhere: None } };
    let rope = place.snapshot.rope();
    let origin = place.session.encoding.range(rope, &found.origin);
    let links = found.targets.iter().map(|t| link(place.session, rope, uri, t, origin)).collect();
    LocalDefinition { links, elsewhere: found.elsewhere.map(|name| (name, origin)) }
}

fn link(session: ClientFeatures, rope: &Rope, uri: &Uri, target: &DefinitionTarget, origin: Range) -> LocationLink {
    LocationLink {
        origin_selection_range: Some(origin),
        target_uri: uri.clone(),
        target_range: session.encoding.range(rope, &target.range),
        target_selection_range: session.encoding.range(rope, &target.selection),
    }
}

/// Returns the definitions of a name in other open documents.
fn defined_elsewhere(session: ClientFeatures, others: &[Other], name: &str, origin: Range) -> Vec<LocationLink> {
    let mut out = Vec::new();
    for Other { uri, snapshot, .. } in others {
        let found = ptx_ide::exported(snapshot, name);
        out.extend(found.iter().map(|t| link(session, snapshot.rope(), uri, t, origin)));
    }
    out
}

/// Returns the file of this computer that a `.file` directive of a document names, if it exists.
pub fn source_file(shared: &Server, uri: &Uri, path: &str) -> Option<Uri> {
    if !is_local(Path::new(path)) {
        return None;
    }
    let path = file_name(uri).path()?.parent()?.join(path);
    if !is_local_file(&path) {
        return None;
    }
    // Behind a link `..` may lead elsewhere.
    let short = without_dots(&path);
    let is_same = || real(&short).is_ok_and(|short| real(&path).is_ok_and(|path| short == path));
    let path = if short == path || is_same() { short } else { path };
    shared.state.uri_of(&FileName::of_path(&path))
}

/// Returns a link to a place in a source file, if the file exists.
fn source_link(shared: &Server, place: &DocumentPlace, uri: &Uri, found: &SourcePosition) -> Option<LocationLink> {
    let target_uri = source_file(shared, uri, &found.path)?;
    // Lines and columns of `.loc` count from 1, those of the protocol from 0.
    let at = Position::new(found.line.saturating_sub(1), found.column.saturating_sub(1));
    let target = Range::new(at, at);
    let origin = place.session.encoding.range(place.snapshot.rope(), &found.origin);
    Some(LocationLink {
        origin_selection_range: Some(origin),
        target_uri,
        target_range: target,
        target_selection_range: target,
    })
}
