//! `textDocument/inlayHint` and `inlayHint/resolve`.

use crate::cancel::CancelFlag;
use crate::document::OpenDocument;
use crate::places::{DocumentPlace, snapshot, within};
use crate::runs;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_clock::Instant;
use ptx_ide::{Hint, HintKind, HintOptions};
use ptx_syntax::Rope;
use ptx_view::line_values::LineValue;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintLabelPart, InlayHintOptions, InlayHintParams,
    InlayHintServerCapabilities, InlayHintTooltip, Location, MarkupContent, MarkupKind, OneOf, ServerCapabilities,
    TextEdit, Uri,
};

/// Number of lines between two polls of the cancel flag.
const LINES_PER_STEP: usize = 4000;

/// Time limit for the flow lints in a request, if the client cannot be asked to refresh. The lints run after 250 ms without an
/// edit.
const LINTS_TIMEOUT: Duration = Duration::from_millis(600);

/// Interval of polling whether an evaluation is finished.
const PAUSE: Duration = Duration::from_millis(20);

/// Announces inlay hints to the client.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    let options = InlayHintOptions { resolve_provider: Some(session.resolves_hints), ..InlayHintOptions::default() };
    capabilities.inlay_hint_provider = Some(OneOf::Right(InlayHintServerCapabilities::Options(options)));
}

/// Returns the hints in a range of a document.
pub async fn inlay_hints(shared: &Server, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let uri = params.text_document.uri;
    let settings = shared.state.settings_of(&uri);
    let document = shared.state.document(&uri).filter(|d| d.history.evaluation.focus().is_some());
    if !settings.inlay_hints.enable && document.is_none() {
        return Ok(None);
    }
    let name = uri.clone();
    // A client that cannot be asked to refresh waits a little for the register report.
    let waits = !shared.state.session().refreshes_hints && settings.inlay_hints.options.needs_flow();
    let patience = if waits { LINTS_TIMEOUT } else { Duration::ZERO };
    if let Some(document) =
        document.as_ref().filter(|_| !shared.state.session().refreshes_hints && settings.evaluation.live)
    {
        evaluated(shared, document).await;
    }
    within(shared, &uri, params.range, patience, move |place, cancelled| {
        let enabled = settings.inlay_hints.enable;
        let hints = if enabled { hints(place, cancelled, &settings.inlay_hints.options) } else { Vec::new() };
        let convert = |hint| convert(hint, place.snapshot.rope(), &name, place.session, true);
        let mut out: Vec<InlayHint> = hints.into_iter().map(convert).collect();
        if let Some(document) = document.filter(|_| settings.evaluation.hints) {
            let (slot, stop) = (&document.history.evaluation, || cancelled.is_set());
            let values = runs::hints(slot, &place.snapshot, &place.range, &stop);
            out.extend(values.into_iter().map(|value| shown(value, place)));
        }
        Some(out)
    })
    .await
}

/// Waits, for a limited time, until the repeated evaluation after an edit is finished.
async fn evaluated(shared: &Server, document: &OpenDocument) {
    let deadline = Instant::now() + 2 * LINTS_TIMEOUT;
    while Instant::now() < deadline {
        let Some(parsed) = document.parsed(document.revision()).await else { return };
        if !parsed.snapshot.as_ref().is_some_and(|snapshot| document.history.evaluation.is_pending(snapshot)) {
            return;
        }
        shared.platform.sleep(PAUSE).await;
    }
}

/// Computes hints in steps of [`LINES_PER_STEP`] lines: some clients request the whole text, even of many megabytes, and cancel
/// the request.
fn hints(place: &DocumentPlace, cancelled: &CancelFlag, options: &HintOptions) -> Vec<Hint> {
    let (rope, range) = (place.snapshot.rope(), &place.range);
    let mut out = Vec::new();
    let mut start = range.start;
    while !cancelled.is_set() {
        let line = rope.byte_to_line(start.min(rope.len_bytes()));
        let next = rope.line_to_byte((line + LINES_PER_STEP).min(rope.len_lines()));
        let last = next >= range.end || next <= start;
        let end = if last { range.end } else { next };
        let found = ptx_ide::inlay_hints(&place.snapshot, start..end, options, &place.figures);
        // A hint at the boundary of two steps is found twice.
        out.extend(found.into_iter().filter(|h| last || h.offset < end));
        if last {
            break;
        }
        start = end;
    }
    out
}

/// Returns a hint with its tooltip, if it still exists.
pub async fn resolve(shared: &Server, mut hint: InlayHint) -> Result<InlayHint> {
    let uri = hint.data.as_ref().and_then(|d| d["uri"].as_str()?.parse::<Uri>().ok());
    let Some(uri) = uri else { return Ok(hint) };
    let Some((document, snapshot)) = snapshot(shared, &uri).await else { return Ok(hint) };
    let figures = document.last_parsed().map(|p| Arc::clone(&p.figures)).unwrap_or_default();
    let (session, settings) = (shared.state.session(), shared.state.settings_of(&uri));
    shared
        .platform
        .off_thread(move || {
            let offset = session.encoding.offset(snapshot.rope(), hint.position);
            let label = text(&hint.label);
            let hints = ptx_ide::inlay_hints(&snapshot, offset..offset, &settings.inlay_hints.options, &figures);
            if let Some(found) = hints.into_iter().find(|h| h.offset == offset && h.text() == label) {
                hint.tooltip = tooltip(found.tooltip, session);
            }
            hint
        })
        .await
}

/// Converts a hint for the client. `later`: its tooltip can be requested when it is shown.
pub fn convert(hint: Hint, rope: &Rope, uri: &Uri, session: ClientFeatures, later: bool) -> InlayHint {
    let range = |range: &std::ops::Range<usize>| session.encoding.range(rope, range);
    let linked = hint.label.iter().any(|part| part.target.is_some());
    let label = if linked {
        let part = |part: ptx_ide::HintPart| InlayHintLabelPart {
            value: part.text,
            location: part.target.map(|target| Location::new(uri.clone(), range(&target))),
            ..InlayHintLabelPart::default()
        };
        InlayHintLabel::LabelParts(hint.label.into_iter().map(part).collect())
    } else {
        InlayHintLabel::String(hint.text())
    };
    let edits: Vec<TextEdit> = hint.edits.iter().map(|e| TextEdit::new(range(&e.range), e.text.clone())).collect();
    // A later request identifies the hint by its position and label.
    let later = later && session.resolves_hints && !hint.tooltip.is_empty();
    InlayHint {
        position: session.encoding.position(rope, hint.offset),
        label,
        kind: match hint.kind {
            HintKind::Type => Some(InlayHintKind::TYPE),
            HintKind::Parameter => Some(InlayHintKind::PARAMETER),
            HintKind::Other => None,
        },
        text_edits: (!edits.is_empty()).then_some(edits),
        tooltip: if later { None } else { tooltip(hint.tooltip, session) },
        padding_left: hint.gap_before.then_some(true),
        padding_right: hint.gap_after.then_some(true),
        data: later.then(|| json!({ "uri": uri })),
    }
}

/// Converts the value that a lane of an evaluated warp wrote in a line to a hint.
fn shown(value: LineValue, place: &DocumentPlace) -> InlayHint {
    InlayHint {
        position: place.session.encoding.position(place.snapshot.rope(), value.offset),
        label: InlayHintLabel::String(value.text),
        kind: None,
        text_edits: None,
        tooltip: tooltip(value.tooltip, place.session),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

fn text(label: &InlayHintLabel) -> String {
    match label {
        InlayHintLabel::String(text) => text.clone(),
        InlayHintLabel::LabelParts(parts) => parts.iter().map(|p| p.value.as_str()).collect(),
    }
}

fn tooltip(markdown: String, session: ClientFeatures) -> Option<InlayHintTooltip> {
    if markdown.is_empty() {
        return None;
    }
    let kind = if session.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Some(InlayHintTooltip::MarkupContent(MarkupContent { kind, value: markdown }))
}
