//! Progress of long work, shown to the user (`$/progress`).
//!
//! The token came with a request, or the server asks the client to create one; the latter only for long work. The user can
//! cancel the work in both cases.

use super::cancel::CancelFlag;
use super::server::Server;
use super::sync::lock;
use ptx_clock::Instant;
use ptx_wire::outgoing;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
    WorkDoneProgressOptions, WorkDoneProgressReport,
};

/// Options of requests that report progress.
pub const WITH_PROGRESS: WorkDoneProgressOptions = WorkDoneProgressOptions { work_done_progress: Some(true) };

/// Work shorter than this gets no token of its own: it ends before the user could read a message.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Minimum interval between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// Time limit for the client to create a token.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProgressState {
    /// The client has not been asked for a token, because the work may end soon.
    Waiting,
    /// The client has been asked for a token.
    Asked,
    /// The token may be used.
    Ready,
    /// The begin of the work has been reported.
    Begun,
    /// The client does not show progress.
    Silent,
}

/// Reports the progress of one task; dropping it ends the report.
#[derive(Debug)]
pub struct WorkProgress {
    shared: Arc<Server>,
    token: ProgressToken,
    title: &'static str,
    state: Arc<Mutex<ProgressState>>,
    since: Instant,
    told: Option<Instant>,
}

impl WorkProgress {
    /// Creates the progress of work that begins now, with the client's token if the request has one.
    pub fn new(
        shared: &Arc<Server>,
        token: Option<ProgressToken>,
        title: &'static str,
        cancelled: &CancelFlag,
    ) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let state = match token {
            Some(_) => ProgressState::Ready,
            None if shared.state.session().progress => ProgressState::Waiting,
            None => ProgressState::Silent,
        };
        let own = || format!("ptx-analyzer/{}", LAST.fetch_add(1, Ordering::Relaxed));
        let token = token.unwrap_or_else(|| ProgressToken::String(own()));
        shared.running.add(token.clone(), cancelled.clone());
        let (shared, state) = (Arc::clone(shared), Arc::new(Mutex::new(state)));
        let mut out = Self { shared, token, title, state, since: Instant::now(), told: None };
        out.tell(|| (String::new(), 0));
        out
    }

    /// Reports the progress: a text and a percentage. `how_far` is called only if a report is due.
    pub fn tell(&mut self, how_far: impl FnOnce() -> (String, u32)) {
        let state = *lock(&self.state);
        match state {
            ProgressState::Waiting if self.since.elapsed() >= PROGRESS_DELAY => self.ask(),
            ProgressState::Ready => {
                self.set(ProgressState::Begun);
                let (message, percentage) = how_far();
                self.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
                    title: self.title.to_owned(),
                    cancellable: Some(true),
                    message: Some(message).filter(|m| !m.is_empty()),
                    percentage: Some(percentage),
                }));
            }
            ProgressState::Begun if self.told.is_none_or(|told| told.elapsed() >= PAUSE) => {
                let (message, percentage) = how_far();
                self.send(WorkDoneProgress::Report(WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(message),
                    percentage: Some(percentage),
                }));
                self.told = Some(Instant::now());
            }
            _ => {}
        }
    }

    fn ask(&mut self) {
        self.set(ProgressState::Asked);
        let (shared, token, state) = (Arc::clone(&self.shared), self.token.clone(), Arc::clone(&self.state));
        self.shared.spawn(async move {
            let made =
                shared.platform.timeout(TOKEN_TIMEOUT, shared.client().await.create_work_done_progress(token)).await;
            let mut state = lock(&state);
            if *state == ProgressState::Asked {
                *state = if matches!(made, Some(Ok(()))) { ProgressState::Ready } else { ProgressState::Silent };
            }
        });
    }

    fn set(&self, state: ProgressState) {
        *lock(&self.state) = state;
    }

    fn send(&self, value: WorkDoneProgress) {
        let params = ProgressParams { token: self.token.clone(), value: ProgressParamsValue::WorkDone(value) };
        self.shared.outgoing.encoded(outgoing::notification("$/progress", params));
    }
}

impl Drop for WorkProgress {
    fn drop(&mut self) {
        self.shared.running.remove(&self.token);
        if std::mem::replace(&mut *lock(&self.state), ProgressState::Silent) == ProgressState::Begun {
            self.send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }
}
