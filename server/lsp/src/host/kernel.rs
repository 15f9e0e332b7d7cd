//! `ptx-analyzer.inlineKernel`: a statement as a kernel, for evaluation.

use super::place::{HostPlace, HostRange};
use crate::handlers::arguments::string;
use crate::handlers::show::open_text;
use crate::protocol::REQUEST_FAILED;
use crate::server::Server;
use ptx_host::group_in;
use ptx_host::kernel::{StatementKernel, kernel};
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{ExecuteCommandParams, Position, Range, Uri};

/// The command: `{uri, line, show?}` to `{name, text, line}`: a name for a document, its text, and the line of it that has the
/// statement's first instruction. Lines count from 0.
pub const INLINE_KERNEL: &str = "ptx-analyzer.inlineKernel";

/// Executes a command.
pub async fn execute(shared: &Arc<Server>, params: ExecuteCommandParams) -> Result<Option<Value>> {
    if params.command != INLINE_KERNEL {
        return Err(Error::invalid_params(format!("there is no command `{}`", params.command)));
    }
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    let uri: Uri = string(&argument, "uri")?.parse().map_err(|_| Error::invalid_params("`uri` is not a URI"))?;
    let line = argument.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    let line = line.ok_or_else(|| Error::invalid_params("`line` is the number of a line, from 0"))?;
    let refused = |why: String| Error { code: REQUEST_FAILED, message: why.into(), data: None };
    let none = || refused(format!("line {} has no PTX in a string", line + 1));
    let range = Range::new(Position::new(line, 0), Position::new(line, u32::MAX));
    let HostRange { text, range, .. } = HostRange::of(shared, &uri, range, true).await?.ok_or_else(none)?;
    let group = group_in(&text.groups, &(range.start..range.end.max(range.start + 1))).ok_or_else(none)?;
    let place = HostPlace::of_group(&text, shared.state.session(), group).ok_or_else(none)?;
    let path = uri.path().as_str().to_owned();
    let file = path.rsplit('/').next().unwrap_or(&path).to_owned();
    let written = shared.platform.cancellable(move |_| {
        let view = place.view()?;
        let first = place.text.rope.byte_to_line(place.start) + 1;
        let named = format!("{file}:{first}");
        Some((kernel(&view, &named, &|range| place.part(range)), format!("{file}-{first}")))
    });
    let (kernel, name) = written.await?.ok_or_else(none)?;
    let StatementKernel { text, line } = kernel.map_err(|refusal| refused(refusal.to_string()))?;
    if argument.get("show") == Some(&Value::Bool(true)) {
        let (server, name, text) = (Arc::clone(shared), name.clone(), text.clone());
        shared.spawn(async move { open_text(&server, name, "ptx", text).await });
    }
    Ok(Some(json!({ "name": name, "text": text, "line": line })))
}
