//! `workspace/executeCommand`.

use super::{WITH_PROGRESS, compare, evaluate, registers, sass, snapshot, status, syntax_tree, workspace_check};
use crate::convert::page_address;
use crate::session::{ClientFeatures, EXPLAIN};
use crate::shared::Shared;
use ptx_gate::names::FileName;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    ExecuteCommandOptions, ExecuteCommandParams, LSPAny, MessageType, ServerCapabilities, ShowDocumentParams, Uri,
};

const SHOW_SYNTAX_TREE: &str = "ptx-analyzer.showSyntaxTree";
const SERVER_STATUS: &str = "ptx-analyzer.serverStatus";
/// Returns the register report; also the command of register lenses.
pub const REGISTER_PRESSURE: &str = "ptx-analyzer.registerPressure";
const CHECK_WORKSPACE: &str = "ptx-analyzer.checkWorkspace";
/// Also used as the command of a code action.
pub const COMPARE_REGISTERS: &str = "ptx-analyzer.compareRegisters";

/// Also used as the command of lenses and of a code action.
pub const EVALUATE_WARP: &str = "ptx-analyzer.evaluateWarp";
const CLEAR_EVALUATION: &str = "ptx-analyzer.clearEvaluation";
const FRAGMENTS: &str = "ptx-analyzer.fragments";
const LAUNCHES: &str = "ptx-analyzer.launches";
/// Also used as the command of a code action.
pub const SASS: &str = "ptx-analyzer.sass";
const SOURCE_OF: &str = "ptx-analyzer.sourceOf";
/// Also used as the command of a code action.
pub const WRITE_LAUNCH: &str = "ptx-analyzer.writeLaunch";

/// All commands.
const NAMES: [&str; 13] = [
    SHOW_SYNTAX_TREE,
    EXPLAIN,
    SERVER_STATUS,
    CHECK_WORKSPACE,
    COMPARE_REGISTERS,
    REGISTER_PRESSURE,
    EVALUATE_WARP,
    CLEAR_EVALUATION,
    FRAGMENTS,
    LAUNCHES,
    WRITE_LAUNCH,
    SASS,
    SOURCE_OF,
];

/// Announces the commands to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    let commands = NAMES.iter().map(|name| (*name).to_owned()).collect();
    capabilities.execute_command_provider =
        Some(ExecuteCommandOptions { commands, work_done_progress_options: WITH_PROGRESS });
}

/// Executes a command.
pub async fn execute(shared: &Arc<Shared>, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    match params.command.as_str() {
        SHOW_SYNTAX_TREE => {
            let uri = uri(&argument)?;
            let Some((_, snapshot)) = snapshot(shared, &uri).await else {
                return Ok(None);
            };
            shared.platform.off_thread(move || Some(Value::String(syntax_tree::render(&snapshot)))).await
        }
        EXPLAIN => {
            let query = string(&argument, "query")?.to_owned();
            let show = argument.get("show") == Some(&Value::Bool(true));
            let text = shared
                .platform
                .off_thread({
                    let query = query.clone();
                    move || ptx_ide::explain(&query)
                })
                .await?;
            if let Some(text) = text.as_ref().filter(|_| show) {
                show_explanation(shared, &query, text);
            }
            Ok(text.map(Value::String))
        }
        REGISTER_PRESSURE => registers::pressure(shared, uri(&argument)?, &argument).await,
        SERVER_STATUS => Ok(Some(status::status(shared))),
        CHECK_WORKSPACE => {
            workspace_check::check(shared, params.work_done_progress_params.work_done_token).await.map(Some)
        }
        COMPARE_REGISTERS => {
            compare::compare_registers(shared, &argument, params.work_done_progress_params.work_done_token)
                .await
                .map(Some)
        }
        SASS => sass::sass(shared, &argument, params.work_done_progress_params.work_done_token).await.map(Some),
        SOURCE_OF => sass::source_of(shared, uri(&argument)?, &argument).await,
        EVALUATE_WARP => evaluate::evaluate_warp(shared, &argument).await.map(Some),
        CLEAR_EVALUATION => evaluate::clear(shared, &argument).map(|any| Some(Value::Bool(any))),
        FRAGMENTS => evaluate::fragments(shared, uri(&argument)?, &argument).await,
        LAUNCHES => evaluate::launches(shared, uri(&argument)?, &argument).await.map(Some),
        WRITE_LAUNCH => evaluate::write_launch(shared, uri(&argument)?, &argument).await.map(Some),
        other => Err(Error::invalid_params(format!("there is no command `{other}`"))),
    }
}

/// Time limit for the client's answer; clients may leave a request unanswered.
pub const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the page of a code in the browser, or shows its first words if the client opens nothing.
fn show_explanation(shared: &Arc<Shared>, code: &str, text: &str) {
    let (runner, shared) = (shared, Arc::clone(shared));
    // Without headings: the code is the first word of the message.
    let summary = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#')).unwrap_or("").to_owned();
    let message = format!("{code}: {summary}");
    let uri: Option<Uri> = page_address(code).parse().ok();
    runner.spawn(async move {
        if let Some(uri) = uri.filter(|_| shared.state.session().shows_documents) {
            let document = ShowDocumentParams { uri, external: Some(true), take_focus: Some(true), selection: None };
            let shown = shared.platform.timeout(CLIENT_TIMEOUT, shared.client().await.show_document(document)).await;
            if matches!(shown, Some(Ok(true))) {
                return;
            }
        }
        shared.client().await.show_message(MessageType::INFO, message).await;
    });
}

/// Opens a text in the client, as a file that ends with the server; does nothing if the client opens no documents.
pub async fn open_text(shared: &Arc<Shared>, name: String, extension: &'static str, text: String) {
    if !shared.state.session().shows_documents {
        return;
    }
    let server = Arc::clone(shared);
    let written = shared.platform.off_thread(move || server.evaluations.write(&name, extension, &text)).await;
    let written = written.ok().and_then(std::result::Result::ok).map(|path| FileName::of_path(&path));
    let Some(uri) = written.and_then(|file| shared.state.spelling.uri(&file)) else { return };
    let document = ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection: None };
    let shown = shared.platform.timeout(CLIENT_TIMEOUT, shared.client().await.show_document(document)).await;
    if !matches!(shown, Some(Ok(true))) {
        tracing::info!("the client has not opened the document");
    }
}

fn uri(argument: &Value) -> Result<Uri> {
    string(argument, "uri")?.parse().map_err(|_| Error::invalid_params("the argument `uri` is not a URI"))
}

/// Returns a line, counted from 1, that an argument may name.
///
/// # Errors
/// If the argument is no line.
pub fn line_number(argument: &Value, name: &str) -> Result<Option<usize>> {
    match argument.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok());
            number.map(Some).ok_or_else(|| Error::invalid_params(format!("`{name}` is a line, counted from 1")))
        }
    }
}

/// Returns a string argument, passed by name or as the bare value.
pub fn string<'a>(argument: &'a Value, name: &str) -> Result<&'a str> {
    argument
        .as_str()
        .or_else(|| argument.get(name)?.as_str())
        .ok_or_else(|| Error::invalid_params(format!("the command takes an object with a string `{name}`")))
}
