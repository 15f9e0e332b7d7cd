//! `textDocument/semanticTokens/*`.

use crate::document::OpenDocument;
use crate::history::SentTokens;
use crate::places::{DocumentPlace, snapshot, within};
use crate::position::ColumnEncoding;
use crate::server::Server;
use crate::session::ClientFeatures;
use crate::sync::lock;
use ptx_ide::{HighlightToken, TokenKind, TokenModifiers};
use ptx_syntax::{Rope, Snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensDeltaParams, SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, SemanticTokensServerCapabilities, ServerCapabilities, Uri,
};

/// Announces semantic tokens and their legend to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    let token_types = TokenKind::ALL.iter().map(|k| SemanticTokenType::new(k.name())).collect();
    let token_modifiers = TokenModifiers::ALL.iter().map(|(_, name, _)| SemanticTokenModifier::new(name)).collect();
    capabilities.semantic_tokens_provider =
        Some(SemanticTokensServerCapabilities::SemanticTokensOptions(SemanticTokensOptions {
            legend: SemanticTokensLegend { token_types, token_modifiers },
            range: Some(true),
            full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
            ..SemanticTokensOptions::default()
        }));
}

/// Returns all tokens of a document.
pub async fn full(shared: &Server, params: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
    let Some((document, tokens)) = whole(shared, &params.text_document.uri).await? else { return Ok(None) };
    Ok(Some(give(&document, tokens).into()))
}

/// Returns the changes since the tokens that the client has; all tokens if those are no longer stored.
pub async fn delta(
    shared: &Server,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>> {
    let Some((document, tokens)) = whole(shared, &params.text_document.uri).await? else { return Ok(None) };
    let before = lock(&document.history.tokens).take().filter(|g| g.id == params.previous_result_id);
    let given = give(&document, tokens);
    Ok(Some(match before {
        Some(before) => {
            let edits = difference(&before.tokens, &given.data).into_iter().collect();
            SemanticTokensDelta { result_id: given.result_id, edits }.into()
        }
        None => given.into(),
    }))
}

/// Returns the tokens that overlap a range of a document.
pub async fn range(shared: &Server, params: SemanticTokensRangeParams) -> Result<Option<SemanticTokensRangeResult>> {
    let uri = params.text_document.uri;
    let settings = shared.state.settings_of(&uri);
    if !settings.semantic_tokens.enable {
        return Ok(None);
    }
    within(shared, &uri, params.range, Duration::ZERO, move |place, _| {
        let DocumentPlace { snapshot, range, session, .. } = place;
        let found = ptx_ide::semantic_tokens(snapshot, Some(range.clone()));
        let data = encode(snapshot.rope(), session.encoding, &found, settings.semantic_tokens.standard);
        Some(SemanticTokens { result_id: None, data }.into())
    })
    .await
}

async fn whole(shared: &Server, uri: &Uri) -> Result<Option<(Arc<OpenDocument>, Vec<SemanticToken>)>> {
    let settings = shared.state.settings_of(uri);
    if !settings.semantic_tokens.enable {
        return Ok(None);
    }
    let Some((document, snapshot)) = snapshot(shared, uri).await else { return Ok(None) };
    if snapshot.rope().len_bytes() > settings.semantic_tokens.limit {
        return Ok(None);
    }
    let (encoding, standard) = (shared.state.session().encoding, settings.semantic_tokens.standard);
    let tokens = shared.platform.off_thread(move || all(&snapshot, encoding, standard)).await?;
    Ok(Some((document, tokens)))
}

fn all(snapshot: &Snapshot, encoding: ColumnEncoding, standard: bool) -> Vec<SemanticToken> {
    encode(snapshot.rope(), encoding, &ptx_ide::semantic_tokens(snapshot, None), standard)
}

/// Stores the tokens that are sent to the client.
fn give(document: &OpenDocument, tokens: Vec<SemanticToken>) -> SemanticTokens {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let id = NUMBER.fetch_add(1, Ordering::Relaxed).to_string();
    *lock(&document.history.tokens) = Some(SentTokens { id: id.clone(), tokens: Arc::new(tokens.clone()) });
    SemanticTokens { result_id: Some(id), data: tokens }
}

/// Returns the single edit that turns `before` into `after`. Tokens are relative to their predecessor, so the tokens after a
/// change stay equal.
fn difference(before: &[SemanticToken], after: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    if before == after {
        return None;
    }
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (before, after) = (before.get(start..)?, after.get(start..)?);
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let cut = |n: usize| u32::try_from(5 * n).unwrap_or(u32::MAX);
    Some(SemanticTokensEdit {
        start: cut(start),
        delete_count: cut(before.len() - end),
        data: Some(after.get(..after.len() - end)?.to_vec()),
    })
}

/// Tokens as the protocol has them: each relative to the one before, none over the end of a line.
fn encode(rope: &Rope, encoding: ColumnEncoding, tokens: &[HighlightToken], standard: bool) -> Vec<SemanticToken> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut line = EncodedLine::of(rope, encoding, 0);
    let (mut last_line, mut last_column) = (0, 0);
    for token in tokens {
        let kind = if standard { token.kind.standard() } else { token.kind };
        let mut start = token.range.start;
        while start < token.range.end {
            if start >= line.next {
                line = EncodedLine::of(rope, encoding, start);
            }
            let end = token.range.end.min(line.next);
            let (from, to) = (line.column(rope, start), line.column(rope, end.min(line.end)));
            // A line of a comment may be empty.
            if to > from {
                let delta_line = line.number - last_line;
                out.push(SemanticToken {
                    delta_line,
                    delta_start: if delta_line == 0 { from - last_column } else { from },
                    length: to - from,
                    token_type: kind as u32,
                    token_modifiers_bitset: token.modifiers.bits(),
                });
                (last_line, last_column) = (line.number, from);
            }
            start = end.max(start + 1);
        }
    }
    out
}

/// A line, with the data that converts its byte offsets to columns.
struct EncodedLine {
    number: u32,
    start: usize,
    /// End of the line before the line break.
    end: usize,
    /// Start of the next line.
    next: usize,
    /// The encoding, if columns differ from bytes because of characters that are not ASCII.
    counted: Option<ColumnEncoding>,
}

impl EncodedLine {
    fn of(rope: &Rope, encoding: ColumnEncoding, offset: usize) -> Self {
        let number = rope.byte_to_line(offset.min(rope.len_bytes()));
        let start = rope.line_to_byte(number);
        let text = rope.line(number);
        let bytes = text.len_bytes();
        // The last line has no line break, and the position after it belongs to it.
        let next = if number + 1 < rope.len_lines() { start + bytes } else { usize::MAX };
        let breaks = text.bytes_at(bytes).reversed().take_while(|b| matches!(b, b'\n' | b'\r')).count();
        let plain = encoding == ColumnEncoding::Utf8 || text.len_chars() == bytes;
        let counted = (!plain).then_some(encoding);
        Self { number: u32::try_from(number).unwrap_or(u32::MAX), start, end: start + bytes - breaks, next, counted }
    }

    fn column(&self, rope: &Rope, offset: usize) -> u32 {
        match self.counted {
            Some(encoding) => encoding.position(rope, offset).character,
            None => u32::try_from(offset.saturating_sub(self.start)).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies an edit as a client does.
    fn apply(tokens: &[SemanticToken], edit: Option<SemanticTokensEdit>) -> Vec<SemanticToken> {
        let Some(edit) = edit else { return tokens.to_vec() };
        let (start, count) = (edit.start as usize / 5, edit.delete_count as usize / 5);
        let mut out = tokens.to_vec();
        out.splice(start..start + count, edit.data.unwrap_or_default());
        out
    }

    const TEXT: &str = "// ü 😀 é\r\n.version 8.0 /* two\r\n\r\nlines 😀 */ .target sm_80\r\n.entry k()\n{\n  .reg .b32 %r<3>;\n  \
                        /* é */ add.u32 %r1, %r2, 1;\n  ret;\n}";

    #[test]
    fn edits_lead_from_any_text_to_any_other() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut text = TEXT.to_owned();
        let tokens = |text: &str| all(&Snapshot::new(text), ColumnEncoding::Utf16, false);
        let mut before = tokens(&text);
        for _ in 0..300 {
            let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let start = places[random.usize(..places.len())];
            let end = places.iter().copied().find(|p| *p >= start + random.usize(..8)).unwrap_or(start);
            let pieces = ["add", ".u32", "\n", " %r1", ";", "/*", "*/", "}", "", "ü"];
            text.replace_range(start..end, pieces[random.usize(..pieces.len())]);
            if text.len() < 20 {
                text.push_str(TEXT);
            }
            let after = tokens(&text);
            let edit = difference(&before, &after);
            assert!(edit.is_some() == (before != after));
            assert_eq!(apply(&before, edit), after);
            before = after;
        }
    }

    /// Returns the text of each token, decoded as a client does.
    fn words(text: &str, encoding: ColumnEncoding, tokens: &[SemanticToken]) -> Vec<String> {
        let rope = Rope::from_str(text);
        let (mut line, mut column) = (0, 0);
        let mut out = Vec::new();
        for token in tokens {
            column = if token.delta_line == 0 { column } else { 0 } + token.delta_start;
            line += token.delta_line;
            let at = |character| encoding.offset(&rope, tower_lsp_server::ls_types::Position::new(line, character));
            out.push(text[at(column)..at(column + token.length)].to_owned());
        }
        out
    }

    #[test]
    fn no_token_goes_over_a_line_in_any_encoding() {
        for encoding in [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32] {
            let tokens = all(&Snapshot::new(TEXT), encoding, false);
            let words = words(TEXT, encoding, &tokens);
            let expected = ["// ü 😀 é", ".version", "8.0", "/* two", "lines 😀 */", ".target", "sm_80", ".entry", "k"];
            assert_eq!(words[..9], expected, "{encoding:?}");
            let add = words.iter().position(|w| w == "add").unwrap();
            assert_eq!(words[add - 1..add + 4], ["/* é */", "add", ".u32", "%r1", "%r2"], "{encoding:?}");
        }
    }

    #[test]
    fn standard_kinds_alone() {
        let standard = 1 + TokenKind::Label as u32;
        let tokens = |only| all(&Snapshot::new(TEXT), ColumnEncoding::Utf8, only);
        assert!(tokens(false).iter().any(|t| t.token_type >= standard));
        assert!(tokens(true).iter().all(|t| t.token_type < standard));
    }
}
