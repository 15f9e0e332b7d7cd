//! `textDocument/prepareRename` and `textDocument/rename`.

use super::references::MAX_PLACES;
use crate::places::{Other, at, others};
use crate::position::ColumnEncoding;
use crate::protocol::REQUEST_FAILED;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_ide::{Reach, Renaming};
use ptx_syntax::Snapshot;
use std::borrow::Cow;
use std::collections::HashMap;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    PrepareRenameResponse, Range, RenameOptions, RenameParams, ServerCapabilities, TextDocumentEdit,
    TextDocumentPositionParams, TextEdit, Uri, WorkDoneProgressOptions, WorkspaceEdit,
};

/// Identifier of the only change annotation.
const WARNING: &str = "known elsewhere";

/// Announces renaming to the client.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    capabilities.rename_provider = Some(if session.prepares_rename {
        OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })
    } else {
        OneOf::Left(true)
    });
}

fn refused(why: String) -> Error {
    Error { code: REQUEST_FAILED, message: Cow::Owned(why), data: None }
}

/// Returns the name that would be renamed at a position; otherwise an error with the reason.
pub async fn prepare(shared: &Server, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
    let found = at(shared, params, |place| {
        let found = ptx_ide::prepare_rename(&place.snapshot, place.offset());
        Some(found.map(|found| PrepareRenameResponse::RangeWithPlaceholder {
            range: place.session.encoding.range(place.snapshot.rope(), &found.range),
            placeholder: found.name,
        }))
    });
    found.await?.transpose().map_err(refused)
}

/// Returns the edits that rename a symbol, including those in other open documents that share it.
pub async fn rename(shared: &Server, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let position = params.text_document_position;
    let uri = position.text_document.uri;
    let session = shared.state.session();
    let Some(document) = shared.state.document(&uri) else { return Ok(None) };
    let others = others(shared, &uri);
    let (revision, range) = document.note(session.encoding, Range::new(position.position, position.position));
    let version = document.current().0;
    let Some(parsed) = document.parsed(revision).await else { return Ok(None) };
    // The edits must match the client's text.
    if parsed.revision != revision {
        return Err(Error::content_modified());
    }
    let Some(snapshot) = parsed.snapshot.clone() else { return Ok(None) };
    let new = params.new_name;
    shared
        .platform
        .off_thread(move || {
            let found = ptx_ide::rename(&snapshot, range.start, &new)?;
            let mut answer = RenameBuilder { session, reach: found.reach, documents: Vec::new() };
            let reach = found.reach;
            if reach != Reach::Module {
                // `found.old` can differ from the renamed word only for a register of a range (`%r<4>`), which has no reach into
                // other documents.
                for Other { uri, snapshot: other, version } in &others {
                    if reach.joins(ptx_ide::reach_of(other, &found.old)) {
                        let there = ptx_ide::rename_in_module(other, &found.old, &new);
                        let there = there.map_err(|why| format!("{}: {why}", uri.as_str()))?;
                        answer.add(uri, *version, other, there);
                    }
                }
            }
            let places = found.edits.len() + answer.documents.iter().map(|(.., edits)| edits.len()).sum::<usize>();
            bounded(&found.old, places)?;
            answer.add(&uri, Some(version), &snapshot, found);
            Ok(Some(answer.edit()))
        })
        .await?
        .map_err(refused)
}

/// Refuses a renaming with too many places for an editor.
fn bounded(name: &str, places: usize) -> std::result::Result<(), String> {
    match places {
        0..=MAX_PLACES => Ok(()),
        _ => Err(format!("`{name}` occurs in {places} places, and a rename changes at most {MAX_PLACES}")),
    }
}

/// Builds the edit of a renaming.
struct RenameBuilder {
    session: ClientFeatures,
    reach: Reach,
    documents: Vec<(Uri, Option<i32>, Vec<TextEdit>)>,
}

impl RenameBuilder {
    fn add(&mut self, uri: &Uri, version: Option<i32>, snapshot: &Snapshot, found: Renaming) {
        let encoding: ColumnEncoding = self.session.encoding;
        let edit = |e: ptx_ide::TextEdit| TextEdit::new(encoding.range(snapshot.rope(), &e.range), e.text);
        self.documents.push((uri.clone(), version, found.edits.into_iter().map(edit).collect()));
    }

    fn edit(self) -> WorkspaceEdit {
        if !self.session.versioned_edits {
            let changes = self.documents.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
            return WorkspaceEdit::new(changes);
        }
        let warning = warning(self.reach).filter(|_| self.session.annotates_edits);
        let annotated = |edit: TextEdit| match &warning {
            None => OneOf::Left(edit),
            Some(_) => OneOf::Right(AnnotatedTextEdit { text_edit: edit, annotation_id: WARNING.to_owned() }),
        };
        let document = |(uri, version, edits): (Uri, Option<i32>, Vec<TextEdit>)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(annotated).collect(),
        };
        let edits = self.documents.into_iter().map(document).collect();
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(edits)),
            change_annotations: warning.map(|w| HashMap::from([(WARNING.to_owned(), w)])),
            ..WorkspaceEdit::default()
        }
    }
}

/// Returns a warning for a symbol that other files can see, which the client shows before it renames.
fn warning(reach: Reach) -> Option<ChangeAnnotation> {
    let description = match reach {
        Reach::Module => return None,
        Reach::Exported => "Other modules and the host may use the name; only open files are changed.",
        Reach::Imported => "Another module defines it; that module is changed only if it is open.",
    };
    Some(ChangeAnnotation {
        label: "Visible outside this module".to_owned(),
        needs_confirmation: Some(true),
        description: Some(description.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_PLACES, bounded};

    #[test]
    fn names_in_too_many_places() {
        assert_eq!(bounded("%r1", MAX_PLACES), Ok(()));
        assert!(bounded("%r1", MAX_PLACES + 1).unwrap_err().contains("`%r1` occurs in 50001 places"));
    }
}
