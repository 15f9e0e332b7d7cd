//! `textDocument/formatting`, `textDocument/rangeFormatting` and `textDocument/onTypeFormatting`.

use crate::server::position::Encoding;
use crate::server::session::Session;
use crate::server::settings::Formatting;
use crate::server::shared::{Shared, off_thread};
use ptx_ide::{FormatOptions, TextEdit};
use ptx_syntax::Snapshot;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    self, DocumentFormattingParams, DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, FormattingOptions, OneOf, ServerCapabilities, Uri,
};

/// What ends a statement, a block, a label or a line.
const FIRST: &str = ";";
const MORE: [&str; 3] = ["\n", "}", ":"];

/// Announces them.
pub fn provide(capabilities: &mut ServerCapabilities, _: Session) {
    capabilities.document_formatting_provider = Some(OneOf::Left(true));
    capabilities.document_range_formatting_provider = Some(OneOf::Left(true));
    capabilities.document_on_type_formatting_provider = Some(DocumentOnTypeFormattingOptions {
        first_trigger_character: FIRST.to_owned(),
        more_trigger_character: Some(MORE.map(str::to_owned).to_vec()),
    });
}

type Answer = Result<Option<Vec<ls_types::TextEdit>>>;

/// The edits that format a document.
pub async fn document(shared: &Shared, params: DocumentFormattingParams) -> Answer {
    edits(shared, &params.text_document.uri, &params.options, |snapshot, _, options| ptx_ide::format(snapshot, options))
        .await
}

/// The edits that format a range.
pub async fn range(shared: &Shared, params: DocumentRangeFormattingParams) -> Answer {
    let range = params.range;
    edits(shared, &params.text_document.uri, &params.options, move |snapshot, encoding, options| {
        ptx_ide::format_range(snapshot, encoding.offsets(snapshot.rope(), range), options)
    })
    .await
}

/// The edits after something was typed.
pub async fn on_type(shared: &Shared, params: DocumentOnTypeFormattingParams) -> Answer {
    let place = params.text_document_position;
    let Some(typed) =
        params.ch.chars().next().filter(|_| shared.settings_of(&place.text_document.uri).formatting.on_type)
    else {
        return Ok(None);
    };
    edits(shared, &place.text_document.uri, &params.options, move |snapshot, encoding, options| {
        let offset = encoding.offset(snapshot.rope(), place.position);
        ptx_ide::format_on_type(snapshot, offset, typed, options)
    })
    .await
}

async fn edits(
    shared: &Shared,
    uri: &Uri,
    options: &FormattingOptions,
    compute: impl FnOnce(&Snapshot, Encoding, &FormatOptions) -> Vec<TextEdit> + Send + 'static,
) -> Answer {
    let encoding = shared.session().encoding;
    let options = with_client(&shared.settings_of(uri).formatting, options);
    let Some(document) = shared.document(uri) else { return Ok(None) };
    let revision = document.revision();
    let Some(parsed) = document.parsed(revision).await else { return Ok(None) };
    // Edits of another text than the client's would put white space into words.
    if parsed.revision != revision {
        return Err(Error::content_modified());
    }
    let Some(snapshot) = parsed.snapshot.clone() else { return Ok(None) };
    off_thread(move || {
        let edits = compute(&snapshot, encoding, &options);
        Some(super::text_edits(encoding, snapshot.rope(), &edits))
    })
    .await
}

/// The settings, and what the editor says of the document's indentation.
fn with_client(settings: &Formatting, options: &FormattingOptions) -> FormatOptions {
    let indent = usize::try_from(options.tab_size).unwrap_or(4).clamp(1, 16);
    FormatOptions { indent, tabs: !options.insert_spaces, ..settings.options.clone() }
}
