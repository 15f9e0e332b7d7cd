//! `textDocument/formatting`, `textDocument/rangeFormatting` and `textDocument/onTypeFormatting`.

use crate::places::{DocumentPlace, edits_within, text_edits};
use crate::server::Server;
use crate::session::ClientFeatures;
use crate::settings::FormattingSettings;
use ptx_ide::{FormatOptions, TextEdit};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    self, DocumentFormattingParams, DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, FormattingOptions, OneOf, Range, ServerCapabilities, Uri,
};

/// Characters that trigger formatting: the end of a statement, a block, a label or a line.
const FIRST: &str = ";";
const MORE: [&str; 3] = ["\n", "}", ":"];

/// Announces formatting to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.document_formatting_provider = Some(OneOf::Left(true));
    capabilities.document_range_formatting_provider = Some(OneOf::Left(true));
    capabilities.document_on_type_formatting_provider = Some(DocumentOnTypeFormattingOptions {
        first_trigger_character: FIRST.to_owned(),
        more_trigger_character: Some(MORE.map(str::to_owned).to_vec()),
    });
}

type FormattingResult = Result<Option<Vec<ls_types::TextEdit>>>;

/// Returns the edits that format a document.
pub async fn document(shared: &Server, params: DocumentFormattingParams) -> FormattingResult {
    let uri = &params.text_document.uri;
    edits(shared, uri, Range::default(), &params.options, |place, options| ptx_ide::format(&place.snapshot, options))
        .await
}

/// Returns the edits that format a range.
pub async fn range(shared: &Server, params: DocumentRangeFormattingParams) -> FormattingResult {
    edits(shared, &params.text_document.uri, params.range, &params.options, |place, options| {
        ptx_ide::format_range(&place.snapshot, place.range.clone(), options)
    })
    .await
}

/// Returns the edits after a character was typed.
pub async fn on_type(shared: &Server, params: DocumentOnTypeFormattingParams) -> FormattingResult {
    let place = params.text_document_position;
    let uri = &place.text_document.uri;
    let Some(typed) = params.ch.chars().next().filter(|_| shared.state.settings_of(uri).formatting.on_type) else {
        return Ok(None);
    };
    let range = Range::new(place.position, place.position);
    edits(shared, uri, range, &params.options, move |place, options| {
        ptx_ide::format_on_type(&place.snapshot, place.range.start, typed, options)
    })
    .await
}

async fn edits(
    shared: &Server,
    uri: &Uri,
    range: Range,
    options: &FormattingOptions,
    compute: impl FnOnce(&DocumentPlace, &FormatOptions) -> Vec<TextEdit> + Send + 'static,
) -> FormattingResult {
    let options = with_client(&shared.state.settings_of(uri).formatting, options);
    edits_within(shared, uri, range, move |place| {
        let edits = compute(place, &options);
        Some(text_edits(place.session.encoding, place.snapshot.rope(), &edits))
    })
    .await
}

/// Combines the settings with the client's indentation of the document.
fn with_client(settings: &FormattingSettings, options: &FormattingOptions) -> FormatOptions {
    let indent = usize::try_from(options.tab_size).unwrap_or(4).clamp(1, 16);
    FormatOptions { indent, tabs: !options.insert_spaces, ..settings.options.clone() }
}
