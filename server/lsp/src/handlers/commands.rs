//! `workspace/executeCommand`.

use super::arguments::{string, uri};
use super::show::show_explanation;
use super::{compare, evaluate, registers, sass, status, syntax_tree, workspace_check};
use crate::places::snapshot;
use crate::progress::WITH_PROGRESS;
use crate::server::Server;
use crate::session::{ClientFeatures, EXPLAIN};
use serde_json::Value;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{ExecuteCommandOptions, ExecuteCommandParams, LSPAny, ServerCapabilities};

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
pub async fn execute(shared: &Arc<Server>, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
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
