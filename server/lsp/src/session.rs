//! Capabilities of the client, as negotiated at the beginning of the session.

use super::position::ColumnEncoding;
use tower_lsp_server::ls_types::{
    ClientInfo, CompletionItemKind, InitializeParams, InsertTextMode, MarkupKind, SymbolKind,
    TextDocumentClientCapabilities,
};

/// Command of the client that shows the places in its last argument. A client that has it announces it in
/// `experimental.commands.commands`, as for other servers.
pub const SHOW_REFERENCES: &str = "ptx-analyzer.showReferences";

/// Command of the client that shows a warp in the client's own view; the view requests the data with
/// `ptx-analyzer.evaluateWarp`.
pub const SHOW_WARP: &str = "ptx-analyzer.showWarp";

/// Command of the server that shows a page of the reference, used by actions that explain a diagnostic and by links in hovers.
pub const EXPLAIN: &str = "ptx-analyzer.explain";

/// Command of the client that asks the user for a new name for the symbol at a position, `(uri, position)`.
pub const RENAME: &str = "ptx-analyzer.rename";

/// Command of the client that opens the completion list at the cursor.
pub const SUGGEST: &str = "ptx-analyzer.suggest";

/// The capabilities of the client that the server uses.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientFeatures {
    /// Unit of a column.
    pub encoding: ColumnEncoding,
    /// The client pulls diagnostics. The server then pushes none, because the client would show both.
    pub pulls_diagnostics: bool,
    /// It pulls the diagnostics of files that are not open too, and handles that capability correctly.
    pub pulls_workspace: bool,
    /// It accepts a request to pull diagnostics again.
    pub refreshes_diagnostics: bool,
    /// It shows the related places of a diagnostic.
    pub related_information: bool,
    /// It fades unnecessary code and strikes out deprecated code.
    pub tags: bool,
    /// It accepts code actions, not only commands.
    pub code_actions: bool,
    /// It shows disabled code actions with the reason.
    pub disabled_actions: bool,
    /// It opens documents and pages on request.
    pub shows_documents: bool,
    /// It applies edits that the server sends.
    pub applies_edits: bool,
    /// It accepts edits with the version of their document.
    pub versioned_edits: bool,
    /// It knows the symbol kinds added after the first version of the protocol.
    pub symbol_kinds: bool,
    /// It asks the user to confirm edits that require it.
    pub annotates_edits: bool,
    /// It sends `prepareRename` before it asks for a new name.
    pub prepares_rename: bool,
    /// It accepts links with the range of the whole definition, its name, and the origin for definitions.
    pub definition_links: bool,
    /// The same for declarations.
    pub declaration_links: bool,
    /// The same for implementations.
    pub implementation_links: bool,
    /// It shows tooltips of document links.
    pub link_tooltips: bool,
    /// It folds whole lines only.
    pub folds_lines: bool,
    /// It shows a text in place of a folded range.
    pub collapsed_text: bool,
    /// Maximum number of folding ranges that it accepts.
    pub most_folds: Option<usize>,
    /// It shows an outline as a tree.
    pub nested_symbols: bool,
    /// It shows Markdown in hovers.
    pub markdown: bool,
    /// Its features for completion and signature help.
    pub completing: Completing,
    /// It accepts a request to refresh semantic tokens.
    pub refreshes_tokens: bool,
    /// It accepts a request to refresh inlay hints.
    pub refreshes_hints: bool,
    /// It accepts a request to refresh code lenses.
    pub refreshes_lenses: bool,
    /// It requests the tooltip of an inlay hint when it shows it.
    pub resolves_hints: bool,
    /// It has a command `ptx-analyzer.showReferences`.
    pub shows_references: bool,
    /// It has a command `ptx-analyzer.rename`.
    pub renames: bool,
    /// It has a command `ptx-analyzer.showWarp`.
    pub shows_warps: bool,
    /// A link in a hover may run the server's command `ptx-analyzer.explain`.
    pub explains: bool,
    /// It answers questions about its configuration.
    pub configuration: bool,
    /// It reports changes of its configuration only after a registration.
    pub registers_configuration: bool,
    /// It watches files on request.
    pub watches_files: bool,
    /// It finds and reads files for a server that has no file system (`crate::walk::client_files`).
    pub supplies_files: bool,
    /// It shows progress that the server starts by itself.
    pub progress: bool,
}

/// Whether the client is a Neovim up to 0.12. If it is offered workspace diagnostics, it applies a
/// `workspace/diagnostic/refresh` only to those, and never pulls again for its open buffers (neovim/neovim#40623).
fn forgets_open_documents(client: Option<&ClientInfo>) -> bool {
    let Some(client) = client.filter(|c| c.name == "Neovim") else { return false };
    let mut numbers = client.version.as_deref().unwrap_or_default().split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) <= (0, 12),
        _ => true,
    }
}

/// Whether the client is Eglot, which Emacs has as its own.
fn is_eglot(client: Option<&ClientInfo>) -> bool {
    client.is_some_and(|c| c.name == "Eglot")
}

impl ClientFeatures {
    /// Reads the features from the client's first message.
    pub fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let general = capabilities.general.as_ref();
        let pull = text.and_then(|t| t.diagnostic.as_ref());
        let push = text.and_then(|t| t.publish_diagnostics.as_ref());
        let folding = text.and_then(|t| t.folding_range.as_ref());
        let is = |flag: Option<bool>| flag == Some(true);
        let commands = capabilities.experimental.as_ref().and_then(|e| e.pointer("/commands/commands")?.as_array());
        let supplies_files = capabilities.experimental.as_ref().and_then(|e| e.get("files")?.as_bool());
        let has = |command: &str| commands.is_some_and(|names| names.iter().any(|n| n == command));
        Self {
            encoding: ColumnEncoding::choose(general.and_then(|g| g.position_encodings.as_deref())),
            pulls_diagnostics: pull.is_some(),
            pulls_workspace: pull.is_some() && !forgets_open_documents(params.client_info.as_ref()),
            refreshes_diagnostics: pull.is_some()
                && is(workspace.and_then(|w| w.diagnostics.as_ref()?.refresh_support)),
            related_information: is(push.and_then(|p| p.related_information))
                || is(pull.and_then(|p| p.related_information)),
            tags: push.is_some_and(|p| p.tag_support.is_some()) || pull.is_some_and(|p| p.tag_support.is_some()),
            code_actions: text
                .and_then(|t| t.code_action.as_ref())
                .is_some_and(|c| c.code_action_literal_support.is_some()),
            disabled_actions: is(text.and_then(|t| t.code_action.as_ref()?.disabled_support)),
            shows_documents: capabilities
                .window
                .as_ref()
                .and_then(|w| w.show_document.as_ref())
                .is_some_and(|s| s.support),
            applies_edits: is(workspace.and_then(|w| w.apply_edit)),
            versioned_edits: is(workspace.and_then(|w| w.workspace_edit.as_ref()?.document_changes)),
            symbol_kinds: text
                .and_then(|t| t.document_symbol.as_ref()?.symbol_kind.as_ref()?.value_set.as_ref())
                .is_some_and(|kinds| kinds.contains(&SymbolKind::KEY)),
            annotates_edits: workspace
                .and_then(|w| w.workspace_edit.as_ref()?.change_annotation_support.as_ref())
                .is_some()
                && is(text.and_then(|t| t.rename.as_ref()?.honors_change_annotations)),
            prepares_rename: is(text.and_then(|t| t.rename.as_ref()?.prepare_support)),
            definition_links: is(text.and_then(|t| t.definition.as_ref()?.link_support)),
            declaration_links: is(text.and_then(|t| t.declaration.as_ref()?.link_support)),
            implementation_links: is(text.and_then(|t| t.implementation.as_ref()?.link_support)),
            link_tooltips: is(text.and_then(|t| t.document_link.as_ref()?.tooltip_support)),
            folds_lines: is(folding.and_then(|f| f.line_folding_only)),
            collapsed_text: is(folding.and_then(|f| f.folding_range.as_ref()?.collapsed_text)),
            most_folds: folding.and_then(|f| f.range_limit).map(|n| n as usize),
            nested_symbols: is(text.and_then(|t| t.document_symbol.as_ref()?.hierarchical_document_symbol_support)),
            markdown: text
                .and_then(|t| t.hover.as_ref()?.content_format.as_ref())
                .is_some_and(|f| f.contains(&MarkupKind::Markdown)),
            completing: Completing {
                suggests: has(SUGGEST),
                parameter_documents: !is_eglot(params.client_info.as_ref()),
                ..Completing::new(text)
            },
            refreshes_tokens: is(workspace.and_then(|w| w.semantic_tokens.as_ref()?.refresh_support)),
            refreshes_hints: is(workspace.and_then(|w| w.inlay_hint.as_ref()?.refresh_support)),
            refreshes_lenses: is(workspace.and_then(|w| w.code_lens.as_ref()?.refresh_support)),
            resolves_hints: text
                .and_then(|t| t.inlay_hint.as_ref()?.resolve_support.as_ref())
                .is_some_and(|r| r.properties.iter().any(|p| p == "tooltip")),
            shows_references: has(SHOW_REFERENCES),
            shows_warps: has(SHOW_WARP),
            explains: has(EXPLAIN),
            renames: has(RENAME),
            configuration: is(workspace.and_then(|w| w.configuration)),
            registers_configuration: is(
                workspace.and_then(|w| w.did_change_configuration.as_ref()?.dynamic_registration)
            ),
            watches_files: is(workspace.and_then(|w| w.did_change_watched_files.as_ref()?.dynamic_registration)),
            supplies_files: is(supplies_files),
            progress: is(capabilities.window.as_ref().and_then(|w| w.work_done_progress)),
        }
    }
}

/// Features of the client for completion and signature help.
#[derive(Debug, Clone, Copy, Default)]
pub struct Completing {
    /// It knows the item kinds added after the first version of the protocol.
    pub kinds: bool,
    /// It accepts snippets.
    pub snippets: bool,
    /// It lets the user choose whether an item is inserted or replaces the existing word.
    pub insert_replace: bool,
    /// It shows details beside a label.
    pub label_details: bool,
    /// It strikes out deprecated items.
    pub tags: bool,
    /// It indents the lines of a snippet.
    pub indents: bool,
    /// It has a command `ptx-analyzer.suggest`.
    pub suggests: bool,
    /// It shows documents of parameters. Eglot up to Emacs 30 fails if a parameter has both a document and offsets at the end of the
    /// label: no signature is shown then.
    pub parameter_documents: bool,
    /// It shows Markdown.
    pub markdown: bool,
    /// It accepts offsets that mark a parameter in the label of a signature.
    pub label_offsets: bool,
    /// Each signature may have an active parameter of its own.
    pub active_parameter: bool,
}

impl Completing {
    fn new(text: Option<&TextDocumentClientCapabilities>) -> Self {
        let item = text.and_then(|t| t.completion.as_ref()?.completion_item.as_ref());
        let help = text.and_then(|t| t.signature_help.as_ref()?.signature_information.as_ref());
        let is = |flag: Option<bool>| flag == Some(true);
        let markdown = |formats: Option<&Vec<MarkupKind>>| formats.is_some_and(|f| f.contains(&MarkupKind::Markdown));
        Self {
            kinds: text
                .and_then(|t| t.completion.as_ref()?.completion_item_kind.as_ref()?.value_set.as_ref())
                .is_some_and(|kinds| kinds.contains(&CompletionItemKind::TYPE_PARAMETER)),
            snippets: is(item.and_then(|i| i.snippet_support)),
            insert_replace: is(item.and_then(|i| i.insert_replace_support)),
            label_details: is(item.and_then(|i| i.label_details_support)),
            tags: item.is_some_and(|i| i.tag_support.is_some()),
            indents: item
                .and_then(|i| i.insert_text_mode_support.as_ref())
                .is_some_and(|s| s.value_set.contains(&InsertTextMode::ADJUST_INDENTATION)),
            suggests: false,
            parameter_documents: true,
            markdown: markdown(item.and_then(|i| i.documentation_format.as_ref()))
                || markdown(help.and_then(|h| h.documentation_format.as_ref())),
            label_offsets: is(help.and_then(|h| h.parameter_information.as_ref()?.label_offset_support)),
            active_parameter: is(help.and_then(|h| h.active_parameter_support)),
        }
    }
}
