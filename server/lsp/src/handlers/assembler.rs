//! Parts of the commands that run NVIDIA's programs: their arguments, their turn, and their errors.

use crate::cancel::UntilDropped;
use crate::progress::WorkProgress;
use crate::protocol::REQUEST_FAILED;
use crate::server::Server;
use crate::sync::lock;
use ptx_analysis::target::find_architecture;
use ptx_clock::Instant;
use ptx_nvidia::AssemblerFailure;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{ProgressToken, Uri};

/// The arguments that these commands have in common.
pub struct AssemblerRequest {
    /// The document.
    pub uri: Uri,
    /// The only function; `None` for all.
    pub entry: Option<String>,
    /// The architecture; `None` for the module's own.
    pub target: Option<&'static str>,
}

/// Waits for the turn of a request, since only one of them runs programs at a time. Then does its work, and shows progress until
/// the time limit. `work` gets a function that says whether to stop.
///
/// # Errors
/// If the work panics.
pub async fn in_turn<T: Send + 'static>(
    shared: &Arc<Server>,
    token: Option<ProgressToken>,
    limit: Duration,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send + 'static,
) -> Result<T> {
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let progress = Mutex::new(WorkProgress::new(shared, token, "Running ptxas", &cancelled));
    let turn = Arc::clone(&shared.ptxas.turn).lock_owned().await;
    let (begin, server) = (Instant::now(), Arc::clone(shared));
    let limit = limit.as_secs().max(1);
    shared
        .platform
        .off_thread(move || {
            // The turn ends only with the programs, even if the request was cancelled.
            let _turn = turn;
            work(&|| {
                let seconds = begin.elapsed().as_secs();
                let percent = u32::try_from(seconds * 100 / limit).unwrap_or(100).min(100);
                lock(&progress).tell(|| (format!("{seconds} s"), percent));
                cancelled.is_set() || server.shut_down.load(Ordering::Relaxed)
            })
        })
        .await
}

/// Returns the error for a function that the module does not have.
pub fn no_function(name: &str) -> Error {
    Error::invalid_params(format!("the module has no function `{name}` with a body"))
}

/// Returns the error for a failed run.
pub fn failed(failure: AssemblerFailure) -> Error {
    match failure {
        AssemblerFailure::Cancelled => Error::request_cancelled(),
        failure => refused(failure.to_string()),
    }
}

/// Returns the error for a request that cannot be fulfilled.
pub fn refused(message: String) -> Error {
    Error { code: REQUEST_FAILED, message: message.into(), data: None }
}

impl AssemblerRequest {
    /// Reads the argument of the command: an object, a URI, or nothing if only one document is open.
    ///
    /// # Errors
    /// If the argument is invalid.
    pub fn read(shared: &Server, argument: &Value) -> Result<Self> {
        let text = |name: &str| match argument.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(Error::invalid_params(format!("the argument `{name}` must be a string"))),
        };
        let uri = match argument.as_str().map_or_else(|| text("uri"), |uri| Ok(Some(uri)))? {
            Some(uri) => uri.parse().map_err(|_| Error::invalid_params("the argument `uri` is not a URI"))?,
            None => match shared.state.documents().as_slice() {
                [only] => only.uri.clone(),
                _ => return Err(Error::invalid_params("the command takes an object with a string `uri`")),
            },
        };
        let target = match text("target")? {
            None | Some("") => None,
            Some(name) => {
                let found = find_architecture(name).map(|t| t.name);
                Some(found.ok_or_else(|| Error::invalid_params(format!("there is no architecture `{name}`")))?)
            }
        };
        let entry = text("entry")?.filter(|e| !e.is_empty()).map(str::to_owned);
        Ok(Self { uri, entry, target })
    }
}
