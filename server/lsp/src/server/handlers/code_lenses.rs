//! `textDocument/codeLens` and `codeLens/resolve`.

use super::snapshot;
use crate::server::session::{SHOW_REFERENCES, Session};
use crate::server::shared::{Shared, off_thread};
use ptx_ide::{LensKind, LensText};
use ptx_syntax::Snapshot;
use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, Location, Position, ServerCapabilities, Uri,
};

/// Up to so many bytes are searched for what lenses say before anybody asks, each lens through all of the text: a few milliseconds.
const SEARCHED: usize = 1 << 20;

/// Announces them.
pub fn provide(capabilities: &mut ServerCapabilities, _: Session) {
    capabilities.code_lens_provider = Some(CodeLensOptions { resolve_provider: Some(true) });
}

/// Where lenses stand in a document, and what they say unless finding that takes long. (Neovim 0.12 drops what it asks for later when it
/// has asked for the lenses twice, as it does at the start.)
pub async fn code_lenses(shared: &Shared, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let uri = params.text_document.uri;
    let settings = shared.settings_of(&uri);
    if !settings.code_lens.enable {
        return Ok(None);
    }
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    let session = shared.session();
    off_thread(move || {
        let found = ptx_ide::code_lenses(&snapshot, &settings.code_lens.options);
        let at_once = found.len().saturating_mul(snapshot.rope().len_bytes()) <= SEARCHED;
        let one = |lens: ptx_ide::Lens| {
            let range = session.encoding.range(snapshot.rope(), &lens.range);
            let says = || ptx_ide::resolve_lens(&snapshot, lens.kind, lens.range.start);
            let says = if at_once { says() } else { None };
            let data = says.is_none().then(|| json!({ "uri": uri, "kind": lens.kind.name() }));
            let command = says.map(|says| command(says, range.start, &snapshot, &uri, session));
            CodeLens { range, command, data }
        };
        Some(found.into_iter().map(one).collect())
    })
    .await
}

/// What a lens says.
pub async fn resolve(shared: &Shared, lens: CodeLens) -> Result<CodeLens> {
    let data = lens.data.as_ref();
    let uri = data.and_then(|d| d["uri"].as_str()?.parse::<Uri>().ok());
    let kind = data.and_then(|d| LensKind::named(d["kind"].as_str()?));
    let (Some(uri), Some(kind)) = (uri, kind) else { return Ok(lens) };
    let session = shared.session();
    let snapshot = snapshot(shared, &uri).await.map(|(_, snapshot)| snapshot);
    off_thread(move || {
        let found = snapshot.as_ref().and_then(|snapshot| {
            let offset = session.encoding.offset(snapshot.rope(), lens.range.start);
            Some((snapshot, ptx_ide::resolve_lens(snapshot, kind, offset)?))
        });
        let command = match found {
            Some((snapshot, says)) => command(says, lens.range.start, snapshot, &uri, session),
            // The text has changed meanwhile, and the client is about to ask for other lenses.
            None => Command { title: "…".to_owned(), command: String::new(), arguments: None },
        };
        CodeLens { command: Some(command), ..lens }
    })
    .await
}

/// Without a command of the client a lens is text alone.
fn command(says: LensText, at: Position, snapshot: &Snapshot, uri: &Uri, session: Session) -> Command {
    if !session.shows_references || says.places.is_empty() {
        return Command { title: says.title, command: String::new(), arguments: None };
    }
    let location = |range| Location::new(uri.clone(), session.encoding.range(snapshot.rope(), range));
    let places: Vec<Location> = says.places.iter().map(location).collect();
    let arguments = vec![json!(uri), json!(at), json!(places)];
    Command { title: says.title, command: SHOW_REFERENCES.to_owned(), arguments: Some(arguments) }
}
