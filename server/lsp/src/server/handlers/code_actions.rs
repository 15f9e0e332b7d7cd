//! `textDocument/codeAction`: what mends the findings at a place.
//!
//! Edits come with the answer: they are cheap to find, and not every client asks for them afterwards (`codeAction/resolve`).

use crate::server::document::Checked;
use crate::server::session::Session;
use crate::server::shared::{Shared, cancellable};
use ptx_ide::{Action, TextEdit};
use std::collections::HashMap;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    self, CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeActionResponse, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    ServerCapabilities, TextDocumentEdit, Uri, WorkspaceEdit,
};

/// Everything in the document that can be mended without a look.
const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.ptx-analyzer");

/// In a document with more findings, mending all of them is not offered to somebody who did not ask for it: looking takes time.
const MOST_UNASKED: usize = 64;

/// The kinds that there are.
fn kinds() -> Vec<CodeActionKind> {
    vec![CodeActionKind::QUICKFIX, FIX_ALL]
}

/// Announces them.
pub fn provide(capabilities: &mut ServerCapabilities, session: Session) {
    let options = CodeActionOptions { code_action_kinds: Some(kinds()), ..CodeActionOptions::default() };
    capabilities.code_action_provider = session.code_actions.then_some(CodeActionProviderCapability::Options(options));
}

/// The actions at a range.
pub async fn code_actions(shared: &Shared, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
    let uri = params.text_document.uri;
    let session = shared.session();
    let Some(document) = shared.document(&uri).filter(|_| session.code_actions) else { return Ok(None) };
    let (revision, range) = document.note(session.encoding, params.range);
    let Some(checked) = document.checked(revision).await else { return Ok(None) };
    let range = document.follow(range, revision, checked.revision).ok_or_else(Error::content_modified)?;
    cancellable(move |cancelled| {
        let Some(snapshot) = &checked.snapshot else { return Some(Vec::new()) };
        let context = Answer { uri: &uri, session, checked: &checked };
        let only = params.context.only.as_deref();
        let stop = || cancelled.is_set();
        let mut out = Vec::new();
        if wants(only, &CodeActionKind::QUICKFIX) {
            let found = ptx_ide::code_actions(snapshot, &checked.report, range, &stop);
            out.extend(found.into_iter().map(|action| context.quick_fix(action)));
        }
        let unasked =
            out.iter().any(|a| matches!(a, CodeActionOrCommand::CodeAction(a) if a.is_preferred == Some(true)))
                && checked.report.diagnostics.len() <= MOST_UNASKED;
        if only.map_or(unasked, |_| wants(only, &FIX_ALL)) {
            out.extend(context.fix_all(&ptx_ide::fix_all(snapshot, &checked.report, &stop), only.is_some()));
        }
        Some(out)
    })
    .await
}

/// Whether a client wants to hear of a kind: it names it, or one that the kind is below of, or none at all.
fn wants(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let below = |wanted: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        rest.is_some_and(|r| r.is_empty() || r.starts_with('.') || wanted.as_str().is_empty())
    };
    only.is_none_or(|only| only.iter().any(below))
}

/// What answers are made with.
struct Answer<'a> {
    uri: &'a Uri,
    session: Session,
    checked: &'a Checked,
}

impl Answer<'_> {
    fn quick_fix(&self, action: Action) -> CodeActionOrCommand {
        let diagnostic = self.checked.diagnostics.get(action.diagnostic).cloned();
        CodeActionOrCommand::CodeAction(CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: diagnostic.map(|d| vec![d]),
            edit: Some(self.edit(&action.edits)),
            is_preferred: action.preferred.then_some(true),
            ..CodeAction::default()
        })
    }

    /// Nothing where there is nothing to mend, and to somebody who did not ask nothing for a single finding, which has its own fix.
    fn fix_all(&self, (edits, mended): &(Vec<TextEdit>, usize), asked: bool) -> Option<CodeActionOrCommand> {
        if *mended == 0 || (*mended == 1 && !asked) {
            return None;
        }
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: format!("Mend everything that is certain ({mended})"),
            kind: Some(FIX_ALL),
            edit: Some(self.edit(edits)),
            ..CodeAction::default()
        }))
    }

    /// An edit of the version that was checked, if the client can hold it against its own.
    fn edit(&self, edits: &[TextEdit]) -> WorkspaceEdit {
        let rope = self.checked.snapshot.as_ref().map(|s| s.rope());
        let convert = |edit: &TextEdit| {
            let range = rope.map(|rope| self.session.encoding.range(rope, &edit.range)).unwrap_or_default();
            ls_types::TextEdit::new(range, edit.text.clone())
        };
        let edits: Vec<ls_types::TextEdit> = edits.iter().map(convert).collect();
        if !self.session.versioned_edits {
            return WorkspaceEdit::new(HashMap::from([(self.uri.clone(), edits)]));
        }
        let text_document =
            OptionalVersionedTextDocumentIdentifier { uri: self.uri.clone(), version: Some(self.checked.version) };
        let edits = edits.into_iter().map(OneOf::Left).collect();
        let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
        WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
    }
}
