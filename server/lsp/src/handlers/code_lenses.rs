//! `textDocument/codeLens` and `codeLens/resolve`.

use super::commands::{EVALUATE_WARP, REGISTER_PRESSURE};
use crate::document::{OpenDocument, ParsedText};
use crate::server::Server;
use crate::session::{ClientFeatures, SHOW_REFERENCES, SHOW_WARP};
use ptx_ide::{LensKind, LensText};
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, Location, Position, ServerCapabilities, Uri,
};

/// Limit for computing lenses in advance, in bytes to search: the number of lenses that need a search, times the size of the
/// text. The limit amounts to a few milliseconds.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// Announces code lenses to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.code_lens_provider = Some(CodeLensOptions { resolve_provider: Some(true) });
}

/// Returns the lenses of a document, with their texts unless those take long to compute. (Neovim 0.12 drops later answers if it
/// has requested the lenses twice, as it does at the start.)
pub async fn code_lenses(shared: &Arc<Server>, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let uri = params.text_document.uri;
    let settings = shared.state.settings_of(&uri);
    if !settings.code_lens.enable {
        return Ok(None);
    }
    let Some(document) = shared.state.document(&uri) else { return Ok(None) };
    let Some(parsed) = document.parsed(document.revision()).await else { return Ok(None) };
    let session = shared.state.session();
    let server = Arc::clone(shared);
    shared
        .platform
        .off_thread(move || {
            let ParsedText { snapshot: Some(snapshot), figures, complete, .. } = &*parsed else { return None };
            let figures = &server.ptxas.figures(&uri, snapshot, figures);
            let mut options = settings.code_lens.options;
            options.evaluate &= settings.evaluation.enable;
            let found = ptx_ide::code_lenses(snapshot, &options);
            // The lenses that need a search.
            let searching = found
                .iter()
                .filter(|l| ![LensKind::Name, LensKind::Registers, LensKind::Evaluate].contains(&l.kind))
                .count();
            let at_once = searching.saturating_mul(snapshot.rope().len_bytes()) <= MAX_SEARCHED_BYTES;
            let one = |lens: ptx_ide::Lens| {
                let range = session.encoding.range(snapshot.rope(), &lens.range);
                let says = || ptx_ide::resolve_lens(snapshot, lens.kind, lens.range.start, figures);
                // The register report is at hand. Clients that cannot be asked to refresh resolve the lens later.
                let now = match lens.kind {
                    LensKind::Registers => *complete || session.refreshes_lenses,
                    LensKind::Evaluate | LensKind::Name => true,
                    _ => at_once,
                };
                let says = if now { says() } else { None };
                let data = says.is_none().then(|| json!({ "uri": uri, "kind": lens.kind.name() }));
                let command = says.map(|says| command(says, &lens, snapshot, &uri, session));
                CodeLens { range, command, data }
            };
            Some(found.into_iter().map(one).collect())
        })
        .await
}

/// Returns a lens with its text.
pub async fn resolve(shared: &Arc<Server>, lens: CodeLens) -> Result<CodeLens> {
    let data = lens.data.as_ref();
    let uri = data.and_then(|d| d["uri"].as_str()?.parse::<Uri>().ok());
    let kind = data.and_then(|d| LensKind::named(d["kind"].as_str()?));
    let (Some(uri), Some(kind)) = (uri, kind) else { return Ok(lens) };
    let session = shared.state.session();
    let parsed = match shared.state.document(&uri) {
        Some(document) => read(shared, &document, kind == LensKind::Registers && !session.refreshes_lenses).await,
        None => None,
    };
    let server = Arc::clone(shared);
    shared
        .platform
        .off_thread(move || {
            let found = parsed.as_ref().and_then(|parsed| {
                let snapshot = parsed.snapshot.as_ref()?;
                let range = session.encoding.offsets(snapshot.rope(), lens.range);
                let figures = server.ptxas.figures(&uri, snapshot, &parsed.figures);
                let says = ptx_ide::resolve_lens(snapshot, kind, range.start, &figures)?;
                Some((snapshot, says, ptx_ide::Lens { range, kind }))
            });
            let command = match found {
                Some((snapshot, says, lens)) => command(says, &lens, snapshot, &uri, session),
                // The text has changed meanwhile, and the client will soon request new lenses.
                None => Command { title: "…".to_owned(), command: String::new(), arguments: None },
            };
            CodeLens { command: Some(command), ..lens }
        })
        .await
}

/// Time limit for the flow lints in a request, if the client cannot be asked to refresh.
const LINTS_TIMEOUT: Duration = Duration::from_secs(3);

async fn read(shared: &Server, document: &OpenDocument, passed: bool) -> Option<Arc<ParsedText>> {
    let revision = document.revision();
    if passed {
        document.passed(&*shared.platform, revision, LINTS_TIMEOUT).await
    } else {
        document.parsed(revision).await
    }
}

/// Returns the command of a lens. Without a suitable command of the client the lens is only text, except for commands of the
/// server.
fn command(says: LensText, lens: &ptx_ide::Lens, snapshot: &Snapshot, uri: &Uri, session: ClientFeatures) -> Command {
    if lens.kind == LensKind::Registers {
        let entry = snapshot.text(lens.range.clone());
        let arguments: Vec<Value> = vec![json!({ "uri": uri, "entry": entry, "show": true })];
        return Command { title: says.title, command: REGISTER_PRESSURE.to_owned(), arguments: Some(arguments) };
    }
    if lens.kind == LensKind::Evaluate {
        let entry = snapshot.text(lens.range.clone());
        return evaluate(says.title, uri, &entry, session);
    }
    let at: Position = session.encoding.position(snapshot.rope(), lens.range.start);
    if !session.shows_references || says.places.is_empty() {
        return Command { title: says.title, command: String::new(), arguments: None };
    }
    let location = |range| Location::new(uri.clone(), session.encoding.range(snapshot.rope(), range));
    let places: Vec<Location> = says.places.iter().map(location).collect();
    let arguments = vec![json!(uri), json!(at), json!(places)];
    Command { title: says.title, command: SHOW_REFERENCES.to_owned(), arguments: Some(arguments) }
}

/// Returns the command that shows the execution of a warp: the client's own command if it has a view.
pub fn evaluate(title: String, uri: &Uri, entry: &str, session: ClientFeatures) -> Command {
    let (command, argument) = match session.shows_warps {
        true => (SHOW_WARP, json!({ "uri": uri, "entry": entry })),
        false => (EVALUATE_WARP, json!({ "uri": uri, "entry": entry, "focus": { "lane": 0 }, "show": true })),
    };
    Command { title, command: command.to_owned(), arguments: Some(vec![argument]) }
}
