//! `textDocument/completion` and `completionItem/resolve`.

use crate::places::{at, snapshot};
use crate::server::Server;
use crate::session::{ClientFeatures, Completing, SUGGEST};
use ptx_ide::{Completions, Item, ItemKind, Topic};
use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Command, CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionItemTag, CompletionList,
    CompletionOptions, CompletionOptionsCompletionItem, CompletionParams, CompletionResponse, CompletionTextEdit,
    Documentation, InsertReplaceEdit, InsertTextFormat, InsertTextMode, MarkupContent, MarkupKind, Range,
    ServerCapabilities, TextEdit, Uri,
};

/// Characters besides letters that trigger completion. A brace is not among them, because most braces open blocks, not vectors.
const TRIGGERS: [&str; 8] = [".", "%", "[", "@", "$", "|", "\"", " "];

/// Announces completion to the client.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    let details = CompletionOptionsCompletionItem { label_details_support: Some(true) };
    capabilities.completion_provider = Some(CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        completion_item: session.completing.label_details.then_some(details),
        ..CompletionOptions::default()
    });
}

/// Returns the completion items at a position.
pub async fn completion(shared: &Server, params: CompletionParams) -> Result<Option<CompletionResponse>> {
    let uri = params.text_document_position.text_document.uri.clone();
    let settings = shared.state.settings_of(&uri);
    if !settings.completion.enable {
        return Ok(None);
    }
    let typed = params.context.and_then(|c| c.trigger_character).and_then(|c| c.chars().next());
    at(shared, params.text_document_position, move |place| {
        let session = place.session;
        let mut options = settings.completion.options;
        options.snippets &= session.completing.snippets;
        let found = ptx_ide::completion_list(&place.snapshot, place.offset(), options, typed)?;
        let rope = place.snapshot.rope();
        let insert = session.encoding.range(rope, &found.insert);
        let replace = session.encoding.range(rope, &found.replace);
        Some(list(found, &uri, session.completing, insert, replace))
    })
    .await
}

pub fn list(found: Completions, uri: &Uri, client: Completing, insert: Range, replace: Range) -> CompletionResponse {
    let items = found.items.into_iter().enumerate();
    let items = items.map(|(index, item)| convert(index, item, uri, client, insert, replace)).collect();
    CompletionResponse::List(CompletionList { is_incomplete: found.incomplete, items })
}

fn convert(index: usize, item: Item, uri: &Uri, client: Completing, insert: Range, replace: Range) -> CompletionItem {
    let new_text = item.new_text().to_owned();
    let text_edit = if client.insert_replace {
        CompletionTextEdit::InsertAndReplace(InsertReplaceEdit { new_text, insert, replace })
    } else {
        // A client without this choice keeps the following text, which may have been there before.
        CompletionTextEdit::Edit(TextEdit::new(insert, new_text))
    };
    let data = item.topic.parts().map(|(kind, word)| json!({ "uri": uri, "kind": kind, "word": word }));
    let deprecated = item.deprecated;
    // Accepting such an item opens the completion list for the next part.
    let command =
        (item.goes_on && client.suggests).then(|| Command::new("What Follows".to_owned(), SUGGEST.to_owned(), None));
    let note = item.unavailable.as_deref();
    let detail = match note {
        Some(note) if item.detail.is_empty() => note.to_owned(),
        Some(note) => format!("{note} – {}", item.detail),
        None => item.detail.clone(),
    };
    let label_details = CompletionItemLabelDetails {
        detail: Some(item.signature).filter(|s| !s.is_empty()),
        description: Some(note.map_or(item.detail, str::to_owned)).filter(|d| !d.is_empty()),
    };
    CompletionItem {
        kind: Some(kind(item.kind, client.kinds)),
        detail: Some(detail).filter(|d| !d.is_empty()),
        label_details: client.label_details.then_some(label_details),
        deprecated: (deprecated && !client.tags).then_some(true),
        tags: (deprecated && client.tags).then(|| vec![CompletionItemTag::DEPRECATED]),
        // The server's order counts; typed text only filters the items.
        sort_text: Some(format!("{index:04}")),
        filter_text: item.filter,
        insert_text_format: item.snippet.then_some(InsertTextFormat::SNIPPET),
        insert_text_mode: (item.snippet && client.indents).then_some(InsertTextMode::ADJUST_INDENTATION),
        text_edit: Some(text_edit),
        command,
        data,
        label: item.label,
        ..CompletionItem::default()
    }
}

/// Adds the documentation of an item when the client selects it.
pub async fn resolve(shared: &Server, mut item: CompletionItem) -> Result<CompletionItem> {
    let Some(data) = &item.data else { return Ok(item) };
    let word = |key: &str| data[key].as_str().map(str::to_owned);
    let (Some(uri), Some(kind), Some(name)) = (word("uri"), word("kind"), word("word")) else { return Ok(item) };
    let Ok(uri) = uri.parse::<Uri>() else { return Ok(item) };
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(item) };
    let client = shared.state.session().completing;
    let topic = Topic::from_parts(&kind, &name);
    let text = shared.platform.off_thread(move || ptx_ide::documentation(&snapshot, &topic)).await?;
    let kind = if client.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    item.documentation = text.map(|value| Documentation::MarkupContent(MarkupContent { kind, value }));
    Ok(item)
}

/// Returns a kind of the protocol with a fitting icon; the protocol only has kinds of other languages. Old clients know only
/// the first kinds.
fn kind(kind: ItemKind, all: bool) -> CompletionItemKind {
    match kind {
        ItemKind::Type if !all => CompletionItemKind::CLASS,
        ItemKind::SpecialRegister | ItemKind::Number if !all => CompletionItemKind::VALUE,
        ItemKind::Target if !all => CompletionItemKind::ENUM,
        ItemKind::Opcode => CompletionItemKind::KEYWORD,
        ItemKind::Modifier => CompletionItemKind::PROPERTY,
        ItemKind::Type => CompletionItemKind::TYPE_PARAMETER,
        ItemKind::Space => CompletionItemKind::MODULE,
        ItemKind::Register | ItemKind::Variable => CompletionItemKind::VARIABLE,
        ItemKind::SpecialRegister | ItemKind::Number => CompletionItemKind::CONSTANT,
        ItemKind::Component | ItemKind::Parameter => CompletionItemKind::FIELD,
        ItemKind::Label => CompletionItemKind::REFERENCE,
        ItemKind::Function => CompletionItemKind::FUNCTION,
        ItemKind::Directive => CompletionItemKind::KEYWORD,
        ItemKind::Target => CompletionItemKind::ENUM_MEMBER,
        ItemKind::Word => CompletionItemKind::VALUE,
        ItemKind::Operands | ItemKind::Snippet => CompletionItemKind::SNIPPET,
    }
}
