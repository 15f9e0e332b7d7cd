//! `textDocument/codeAction`: actions that fix the diagnostics at a place, explain them, or rewrite code in another way.
//!
//! The answer contains the edits: they are cheap to compute, and not every client requests them later (`codeAction/resolve`).

use super::commands::{COMPARE_REGISTERS, SASS, WRITE_LAUNCH};
use super::{code_lenses, evaluate};
use crate::document::CheckedText;
use crate::server::Server;
use crate::session::{ClientFeatures, EXPLAIN, RENAME};
use ptx_analysis::Code;
use ptx_ide::{Assist, FixAction, TextEdit};
use ptx_nvidia::compare::function_headed_at;
use serde_json::json;
use std::collections::HashMap;
use std::ops::Range;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    self, CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeActionResponse, Command, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, ServerCapabilities, TextDocumentEdit, Uri, WorkspaceEdit,
};

/// Fixes all diagnostics of the document that need no review.
const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.ptx-analyzer");

/// Puts the modifiers of the whole document in canonical order.
const CANONICAL_ORDER: CodeActionKind = CodeActionKind::new("source.canonicalOrder.ptx-analyzer");

/// Compares the registers of a function with the assembler.
const COMPARE: CodeActionKind = CodeActionKind::new("source.compareRegisters.ptx-analyzer");

/// Shows the machine code of a function.
const SASS_ACTION: CodeActionKind = CodeActionKind::new("source.sass.ptx-analyzer");

/// Shows the execution of a warp of a kernel.
/// Of the action that evaluates; also for a statement in a string.
pub const EVALUATE: CodeActionKind = CodeActionKind::new("source.evaluateWarp.ptx-analyzer");

/// Maximum number of diagnostics at one place that are explained.
const MAX_EXPLAINED: usize = 3;

/// Maximum number of diagnostics for which fixing all of them is offered without a request: computing it takes time.
const MAX_UNREQUESTED_FIXES: usize = 64;

/// All kinds of code actions.
fn kinds() -> Vec<CodeActionKind> {
    vec![
        CodeActionKind::QUICKFIX,
        CodeActionKind::REFACTOR_REWRITE,
        CANONICAL_ORDER,
        COMPARE,
        EVALUATE,
        FIX_ALL,
        SASS_ACTION,
    ]
}

/// Announces code actions to the client.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    let options = CodeActionOptions { code_action_kinds: Some(kinds()), ..CodeActionOptions::default() };
    capabilities.code_action_provider = session.code_actions.then_some(CodeActionProviderCapability::Options(options));
}

/// Returns the actions at a range.
pub async fn code_actions(shared: &Server, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
    let uri = params.text_document.uri;
    let session = shared.state.session();
    let Some(document) = shared.state.document(&uri).filter(|_| session.code_actions) else { return Ok(None) };
    shared.state.touch(&uri);
    let (revision, range) = document.note(session.encoding, params.range);
    let Some(checked) = document.checked(revision).await else { return Ok(None) };
    let range = document.follow(range, revision, checked.revision).ok_or_else(Error::content_modified)?;
    let measures = shared.ptxas.program.is_ready();
    let disassembles = measures && shared.nvdisasm.program.is_ready();
    let evaluates = shared.state.settings_of(&uri).evaluation.enable;
    shared
        .platform
        .cancellable(move |cancelled| {
            let Some(snapshot) = &checked.snapshot else { return Some(Vec::new()) };
            let context = ActionBuilder { uri: &uri, session, checked: &checked };
            let only = params.context.only.as_deref();
            let stop = || cancelled.is_set();
            let mut out = Vec::new();
            let mut mended: Vec<Vec<TextEdit>> = Vec::new();
            if wants(only, &CodeActionKind::QUICKFIX) {
                let found = ptx_ide::code_actions(snapshot, &checked.report, range.clone(), &stop);
                mended.extend(found.iter().map(|a| a.edits.clone()));
                out.extend(found.into_iter().map(|action| context.quick_fix(action)));
            }
            if wants(only, &CodeActionKind::REFACTOR_REWRITE) {
                let found = ptx_ide::assists(snapshot, range.clone());
                // An edit that fixes a diagnostic is not offered twice.
                let new = found.into_iter().filter(|a| a.edits.is_empty() || !mended.contains(&a.edits));
                out.extend(new.filter_map(|assist| context.assist(assist)));
            }
            // A request without kinds is about this place, not about the whole document.
            if only.is_some() && wants(only, &CANONICAL_ORDER) {
                out.extend(context.canonical_order());
            }
            let unasked =
                out.iter().any(|a| matches!(a, CodeActionOrCommand::CodeAction(a) if a.is_preferred == Some(true)))
                    && checked.report.diagnostics.len() <= MAX_UNREQUESTED_FIXES;
            if only.map_or(unasked, |_| wants(only, &FIX_ALL)) {
                out.extend(context.fix_all(&ptx_ide::fix_all(snapshot, &checked.report, &stop), only.is_some()));
            }
            if wants(only, &CodeActionKind::QUICKFIX) {
                out.extend(context.explanations(&range));
            }
            if measures && wants(only, &COMPARE) {
                out.extend(context.compare(&range));
            }
            if disassembles && wants(only, &SASS_ACTION) {
                out.extend(context.sass(&range));
            }
            if evaluates && let Some(kernel) = evaluate::kernel_at(snapshot, range.start) {
                // Clients with a lens or a command for it do not need the action everywhere.
                let unasked = kernel.headed || !session.shows_warps;
                if only.map_or(unasked, |_| wants(only, &EVALUATE)) {
                    out.push(context.evaluate(&kernel.name));
                }
                let writes = session.applies_edits && kernel.headed && !kernel.launched;
                if writes && wants(only, &CodeActionKind::REFACTOR_REWRITE) {
                    out.push(context.write_launch(&kernel.name));
                }
            }
            Some(out)
        })
        .await
}

/// Whether a client requests a kind: it names the kind or a parent of it, or no kind at all.
fn wants(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let below = |wanted: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        rest.is_some_and(|r| r.is_empty() || r.starts_with('.') || wanted.as_str().is_empty())
    };
    only.is_none_or(|only| only.iter().any(below))
}

/// Builds code actions.
struct ActionBuilder<'a> {
    uri: &'a Uri,
    session: ClientFeatures,
    checked: &'a CheckedText,
}

impl ActionBuilder<'_> {
    fn quick_fix(&self, action: FixAction) -> CodeActionOrCommand {
        let diagnostic = self.checked.diagnostics().get(action.diagnostic).cloned();
        CodeActionOrCommand::CodeAction(CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: diagnostic.map(|d| vec![d]),
            edit: Some(self.edit(&action.edits)),
            is_preferred: action.preferred.then_some(true),
            ..CodeAction::default()
        })
    }

    /// Converts an assist; a disabled one only for clients that show the reason.
    fn assist(&self, assist: Assist) -> Option<CodeActionOrCommand> {
        let disabled = assist.disabled.map(|reason| CodeActionDisabled { reason });
        if disabled.is_some() && !self.session.disabled_actions {
            return None;
        }
        let command = assist.named.filter(|_| self.session.renames).and_then(|at| self.rename(at, &assist.edits));
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: assist.title,
            kind: Some(CodeActionKind::REFACTOR_REWRITE),
            command,
            edit: disabled.is_none().then(|| self.edit(&assist.edits)),
            disabled,
            ..CodeAction::default()
        }))
    }

    /// Returns the command that asks the user for a new name after the edits were applied. `offset` is the place of the name in
    /// the text before them.
    fn rename(&self, offset: usize, edits: &[TextEdit]) -> Option<Command> {
        let rope = self.checked.snapshot.as_ref()?.rope();
        let mut at = self.session.encoding.position(rope, offset);
        let line = at.line;
        for edit in edits.iter().filter(|e| e.range.end <= offset && e.range.start < offset) {
            let range = self.session.encoding.range(rope, &edit.range);
            let breaks = edit.text.matches('\n').count() as u32;
            at.line += breaks;
            // Names are ASCII. An edit on the same line without a line break moves the column.
            if breaks == 0 && range.end.line == line {
                at.character = (at.character + edit.text.len() as u32).saturating_sub(edit.range.len() as u32);
            }
        }
        let arguments = Some(vec![json!(self.uri), json!(at)]);
        Some(Command { title: "Rename".to_owned(), command: RENAME.to_owned(), arguments })
    }

    fn canonical_order(&self) -> Option<CodeActionOrCommand> {
        let edits = ptx_ide::canonical_order(self.checked.snapshot.as_ref()?, None);
        let s = if edits.len() == 1 { "" } else { "s" };
        (!edits.is_empty()).then(|| {
            CodeActionOrCommand::CodeAction(CodeAction {
                title: format!("Write all modifiers in canonical order ({} instruction{s})", edits.len()),
                kind: Some(CANONICAL_ORDER),
                edit: Some(self.edit(&edits)),
                ..CodeAction::default()
            })
        })
    }

    /// Returns a command for each diagnostic code at a place that opens its page.
    fn explanations(&self, range: &Range<usize>) -> Vec<CodeActionOrCommand> {
        let mut codes: Vec<&str> = Vec::new();
        let mut out = Vec::new();
        for (found, diagnostic) in self.checked.report.diagnostics.iter().zip(self.checked.diagnostics()) {
            let touches = found.range.start <= range.end && range.start <= found.range.end;
            let explained = Code::named(found.finding.name()).is_some();
            if !touches || !explained || codes.contains(&found.finding.name()) || codes.len() >= MAX_EXPLAINED {
                continue;
            }
            codes.push(found.finding.name());
            let title = format!("Explain `{}`", found.finding.name());
            let arguments = vec![json!({ "query": found.finding.name(), "show": true })];
            out.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                command: Some(Command { title, command: EXPLAIN.to_owned(), arguments: Some(arguments) }),
                ..CodeAction::default()
            }));
        }
        out
    }

    /// Returns the command that measures the function whose header is at a place.
    fn compare(&self, range: &Range<usize>) -> Option<CodeActionOrCommand> {
        let name = function_headed_at(self.checked.snapshot.as_ref()?, range)?;
        let title = format!("Compare the registers of `{name}` with ptxas");
        let arguments = vec![json!({ "uri": self.uri, "entry": name, "show": true })];
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(COMPARE),
            command: Some(Command { title, command: COMPARE_REGISTERS.to_owned(), arguments: Some(arguments) }),
            ..CodeAction::default()
        }))
    }

    /// Returns the command that shows the machine code of the kernel whose header is at a place.
    fn sass(&self, range: &Range<usize>) -> Option<CodeActionOrCommand> {
        let name = function_headed_at(self.checked.snapshot.as_ref()?, range)?;
        let title = format!("Show the machine code of `{name}`");
        let arguments = vec![json!({ "uri": self.uri, "entry": name, "show": true })];
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(SASS_ACTION),
            command: Some(Command { title, command: SASS.to_owned(), arguments: Some(arguments) }),
            ..CodeAction::default()
        }))
    }

    /// Returns the command that shows the execution of a warp of a kernel.
    fn evaluate(&self, kernel: &str) -> CodeActionOrCommand {
        let title = "Evaluate warp".to_owned();
        CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(EVALUATE),
            command: Some(code_lenses::evaluate(title, self.uri, kernel, self.session)),
            ..CodeAction::default()
        })
    }

    /// Returns the command that writes the guessed launch. Guessing needs the whole module, so the launch is computed only when
    /// the user chooses the action.
    fn write_launch(&self, kernel: &str) -> CodeActionOrCommand {
        let title = format!("Write the guessed launch for `{kernel}`");
        let arguments = vec![json!({ "uri": self.uri, "entry": kernel })];
        CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(CodeActionKind::REFACTOR_REWRITE),
            command: Some(Command { title, command: WRITE_LAUNCH.to_owned(), arguments: Some(arguments) }),
            ..CodeAction::default()
        })
    }

    /// Returns the action that fixes everything; `None` if there is nothing to fix. Without a request also `None` for a single
    /// diagnostic, which has its own fix.
    fn fix_all(&self, (edits, mended): &(Vec<TextEdit>, usize), asked: bool) -> Option<CodeActionOrCommand> {
        if *mended == 0 || (*mended == 1 && !asked) {
            return None;
        }
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: format!("Apply all safe fixes ({mended})"),
            kind: Some(FIX_ALL),
            edit: Some(self.edit(edits)),
            ..CodeAction::default()
        }))
    }

    /// Returns an edit with the version of the checked text, if the client accepts versions.
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
