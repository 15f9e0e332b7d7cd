//! Answers to requests about host files. Outside of statements with PTX each answer is `null`, at once.

use super::kernel::INLINE_KERNEL;
use super::place::{HostPlace, HostRange, at};
use crate::document::CheckedText;
use crate::handlers::code_actions::EVALUATE;
use crate::handlers::{
    completion as items, definition as links, inlay_hints as hints, references, signature_help as forms,
};
use crate::platform::Pool;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_analysis::{Diagnostic, FixEdit, TargetSet};
use ptx_host::{HostEdit, answers, repeats};
use ptx_ide::{AddressHints, HintOptions, PressureHints, Topic};
use ptx_syntax::Snapshot;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    self, CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Command,
    CompletionItem, CompletionParams, CompletionResponse, DocumentChanges, DocumentHighlight, DocumentHighlightParams,
    Documentation, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams, InlayHint,
    InlayHintParams, LocationLink, MarkupContent, MarkupKind, OneOf, OptionalVersionedTextDocumentIdentifier,
    SignatureHelp, SignatureHelpParams, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

/// The maximum number of groups for which hints are computed in one request.
const MAX_HINTED: usize = 256;

fn markup(session: ClientFeatures, value: String) -> MarkupContent {
    MarkupContent { kind: if session.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText }, value }
}

/// `textDocument/hover`
pub async fn hover(shared: &Server, params: HoverParams) -> Result<Option<Hover>> {
    let params = params.text_document_position_params;
    if !shared.state.settings_of(&params.text_document.uri).hover.enable {
        return Ok(None);
    }
    at(shared, &params, |place| {
        let found = answers::hover(&place.view()?, place.range.start, &|range| place.part(range))?;
        let contents = HoverContents::Markup(markup(place.session, found.markdown));
        Some(Hover { contents, range: Some(place.shown(&found.range)) })
    })
    .await
}

/// `textDocument/completion`
pub async fn completion(shared: &Server, params: CompletionParams) -> Result<Option<CompletionResponse>> {
    let position = params.text_document_position;
    let uri = position.text_document.uri.clone();
    if !shared.state.settings_of(&uri).completion.enable {
        return Ok(None);
    }
    let typed = params.context.and_then(|c| c.trigger_character).and_then(|c| c.chars().next());
    at(shared, &position, move |place| {
        let found = answers::completion(&place.view()?, place.range.start, typed)?;
        let (insert, replace) = (place.shown(&found.insert), place.shown(&found.replace));
        Some(items::list(found, &uri, place.session.completing, insert, replace))
    })
    .await
}

/// `completionItem/resolve`: adds the documentation of an item when the client selects it.
pub async fn resolve(shared: &Server, mut item: CompletionItem) -> Result<CompletionItem> {
    /// What an item says does not depend on the text around it.
    static MODULE: LazyLock<Snapshot> = LazyLock::new(|| {
        let target = TargetSet::all().targets().first().copied();
        let header = target.map(|t| format!(".version {}\n.target {}\n", t.version, t.target.name));
        Snapshot::new(&header.unwrap_or_default())
    });
    let Some(data) = &item.data else { return Ok(item) };
    let (Some(kind), Some(word)) = (data["kind"].as_str(), data["word"].as_str()) else { return Ok(item) };
    let topic = Topic::from_parts(kind, word);
    let text = shared.platform.cancellable_in(Pool::Instant, move |_| ptx_ide::documentation(&MODULE, &topic)).await?;
    item.documentation = text.map(|text| Documentation::MarkupContent(markup(shared.state.session(), text)));
    Ok(item)
}

/// `textDocument/signatureHelp`
pub async fn signature_help(shared: &Server, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
    let position = params.text_document_position_params;
    if !shared.state.settings_of(&position.text_document.uri).completion.signatures {
        return Ok(None);
    }
    at(shared, &position, |place| {
        Some(forms::answer(answers::signature_help(&place.view()?, place.range.start)?, place.session.completing))
    })
    .await
}

/// `textDocument/definition`
pub async fn definition(shared: &Server, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
    let position = params.text_document_position_params;
    let uri = position.text_document.uri.clone();
    at(shared, &position, move |place| {
        let (origin, targets) = answers::definition(&place.view()?, place.range.start)?;
        let link = |target: &Range<usize>| LocationLink {
            origin_selection_range: Some(place.shown(&origin)),
            target_uri: uri.clone(),
            target_range: place.shown(target),
            target_selection_range: place.shown(target),
        };
        links::answer(targets.iter().map(link).collect(), place.session.definition_links)
    })
    .await
}

/// `textDocument/documentHighlight`
pub async fn highlights(shared: &Server, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
    at(shared, &params.text_document_position_params, |place| {
        let found = answers::highlights(&place.view()?, place.range.start);
        let one =
            |(range, access)| DocumentHighlight { range: place.shown(&range), kind: Some(references::kind(access)) };
        (!found.is_empty()).then(|| found.into_iter().map(one).collect())
    })
    .await
}

/// `textDocument/inlayHint`
pub async fn inlay_hints(shared: &Server, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let uri = params.text_document.uri;
    let settings = shared.state.settings_of(&uri);
    if !settings.inlay_hints.enable {
        return Ok(None);
    }
    let Some(HostRange { text, range, .. }) = HostRange::of(shared, &uri, params.range, false).await? else {
        return Ok(None);
    };
    // What depends on the function around the text says nothing.
    let options = HintOptions {
        registers: PressureHints::Off,
        addresses: AddressHints::Off,
        offsets: false,
        ..settings.inlay_hints.options
    };
    let session = shared.state.session();
    let touches = |index: &usize| {
        text.groups.get(*index).is_some_and(|placed| {
            let span = placed.group.span();
            placed.start + span.start <= range.end && range.start <= placed.start + span.end
        })
    };
    let touched: Vec<usize> = (0..text.groups.len()).filter(touches).take(MAX_HINTED).collect();
    if touched.is_empty() {
        return Ok(None);
    }
    shared
        .platform
        .cancellable(move |cancelled| {
            let mut out = Vec::new();
            for group in touched {
                if cancelled.is_set() {
                    break;
                }
                let Some(place) = HostPlace::of_group(&text, session, group) else { continue };
                let (Some(view), start) = (place.view(), place.start) else { continue };
                for mut hint in answers::inlay_hints(&view, &options) {
                    if repeats(&text.groups, group, hint.offset) {
                        continue;
                    }
                    hint.offset += start;
                    if !(range.start..=range.end).contains(&hint.offset) {
                        continue;
                    }
                    let moved = |range: &Range<usize>| range.start + start..range.end + start;
                    hint.edits.iter_mut().for_each(|edit| edit.range = moved(&edit.range));
                    hint.label.iter_mut().for_each(|part| part.target = part.target.as_ref().map(moved));
                    out.push(hints::convert(hint, &text.rope, &uri, session, false));
                }
            }
            Some(out)
        })
        .await
}

/// `textDocument/codeAction`
pub async fn code_actions(shared: &Server, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
    let session = shared.state.session();
    let only = params.context.only.as_deref();
    let wanted = |wanted: &str| only.is_none_or(|only| only.iter().any(|kind| wanted.starts_with(kind.as_str())));
    let (fixes, evaluates) = (wanted("quickfix"), wanted(EVALUATE.as_str()));
    if !session.code_actions || !(fixes || evaluates) {
        return Ok(None);
    }
    let uri = params.text_document.uri;
    let Some(HostRange { document, text, range }) = HostRange::of(shared, &uri, params.range, true).await? else {
        return Ok(None);
    };
    let Some(place) = HostPlace::new(&text, session, &range) else { return Ok(None) };
    let checked = document.last_checked().filter(|checked| checked.revision == text.revision);
    shared
        .platform
        .cancellable(move |_| {
            let mut out = if fixes { quick_fixes(&place, &uri, checked.as_deref()) } else { Vec::new() };
            if evaluates && place.view().is_some() {
                out.push(evaluate(&place, &uri));
            }
            Some(out)
        })
        .await
}

/// The fixes of the diagnostics at a place.
fn quick_fixes(place: &HostPlace, uri: &Uri, checked: Option<&CheckedText>) -> CodeActionResponse {
    let shown = |range: &Range<usize>, code: &str| {
        let wanted = place.shown(range);
        let same = |d: &&ls_types::Diagnostic| {
            d.range == wanted && d.code == Some(ls_types::NumberOrString::String(code.to_owned()))
        };
        checked.and_then(|c| c.diagnostics().iter().find(same).cloned())
    };
    let mut out: CodeActionResponse = Vec::new();
    let mut add = |title: String, edits: &[HostEdit], preferred: bool, of: (&Range<usize>, &str)| {
        out.push(CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: shown(of.0, of.1).map(|d| vec![d]),
            edit: Some(workspace_edit(place, uri, edits)),
            is_preferred: preferred.then_some(true),
            ..CodeAction::default()
        }));
    };
    let touches = |d: &&Diagnostic| d.range.start <= place.range.end && place.range.start <= d.range.end;
    let found = place.text.result(place.group).map(|result| &result.diagnostics[..]).unwrap_or_default();
    for diagnostic in found.iter().filter(touches).filter(|d| d.code().name().starts_with("asm-")) {
        for fix in &diagnostic.fixes {
            let edits: Vec<HostEdit> = fix.edits.iter().filter_map(host_edit).collect();
            add(fix.title.clone(), &edits, fix.preferred, (&diagnostic.range, diagnostic.code().name()));
        }
    }
    let targets = place.text.groups.get(place.group).map(|p| place.text.targets.of(&p.group.targets));
    if let (Some(view), Some(targets)) = (place.view(), targets) {
        for action in answers::fixes(&view, &place.range, &targets) {
            let (range, code) = &action.diagnostic;
            add(action.title, &action.edits, action.preferred, (range, code.name()));
        }
    }
    out
}

/// The action that opens the statement as a kernel.
fn evaluate(place: &HostPlace, uri: &Uri) -> CodeActionOrCommand {
    let title = "Evaluate this statement".to_owned();
    let line = place.shown(&place.range).start.line;
    let arguments = vec![serde_json::json!({ "uri": uri, "line": line, "show": true })];
    CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(EVALUATE),
        command: Some(Command { title, command: INLINE_KERNEL.to_owned(), arguments: Some(arguments) }),
        ..CodeAction::default()
    })
}

fn host_edit(edit: &FixEdit) -> Option<HostEdit> {
    match edit {
        FixEdit::Replace(span, text) => Some(HostEdit { span: span.clone(), text: text.clone() }),
        _ => None,
    }
}

/// Edits with the version of the text, if the client accepts versions.
fn workspace_edit(place: &HostPlace, uri: &Uri, edits: &[HostEdit]) -> WorkspaceEdit {
    let edits: Vec<TextEdit> = edits.iter().map(|e| TextEdit::new(place.shown(&e.span), e.text.clone())).collect();
    if !place.session.versioned_edits {
        return WorkspaceEdit::new(HashMap::from([(uri.clone(), edits)]));
    }
    let version = Some(place.text.version);
    let text_document = OptionalVersionedTextDocumentIdentifier { uri: uri.clone(), version };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
    WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
}
