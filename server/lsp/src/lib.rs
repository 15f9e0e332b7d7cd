//! The language server.
//!
//! A message comes in by [`transport`], which starts handlers in the order of the wire. Notifications about text change a
//! [`document`] at once; its [`worker`] follows, on a thread of its own, and sends diagnostics. Requests are in [`handlers`],
//! a file each; they wait for the tree of the text they were sent about, and compute away from the asynchronous threads.

mod assembler;
mod backend;
mod cancel;
mod convert;
mod document;
mod evaluation;
mod folders;
mod globs;
mod handlers;
pub mod levels;
mod log;
mod moved;
mod parent;
mod pools;
mod position;
mod progress;
mod ptxas;
mod refresh;
mod session;
mod settings;
mod shared;
mod transport;
mod trouble;
mod unreadable;
mod worker;
mod workspace;

pub use convert::page_address;
pub use log::ClientLog;

use backend::Backend;
use pools::ThreadPools;
use ptx_wire::ending;
use ptx_wire::outgoing::Outgoing;
use shared::Shared;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower_lsp_server::LspService;

/// How long the end waits for a client that may have stopped reading.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(400);

/// Speaks the protocol on standard input and output until the client ends it.
///
/// Tells whether the end was orderly: `exit` after `shutdown`.
///
/// # Errors
/// If threads cannot be started.
pub fn run() -> std::io::Result<bool> {
    // The process ends soon after its input, whatever it is busy with.
    let end = |orderly: bool, clean_up: CleanUp| {
        ending::force(move || {
            clean_up();
            i32::from(!orderly)
        });
    };
    serve(BufReader::with_capacity(1 << 16, stdin()), stdout(), end)
}

/// What is left to do when the server ends in the middle of its work.
pub type CleanUp = Box<dyn FnOnce() + Send>;

/// Speaks the protocol on any two streams, as [`run`] does. `end` is called at the end of the input or of the client's process, with whether that was orderly, and with
/// what to do before the process ends if that cannot wait for the return of this function.
///
/// # Errors
/// If threads cannot be started.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    end: impl Fn(bool, CleanUp) + Send + Sync + 'static,
) -> std::io::Result<bool> {
    let threads = ThreadPools::new()?;
    let outgoing = Outgoing::start(output)?;
    let shared: Arc<OnceLock<Arc<Shared>>> = Arc::default();
    let late = Arc::clone(&shared);
    let end = move |orderly| {
        let late = Arc::clone(&late);
        end(orderly, Box::new(move || clean_up(&late)));
    };
    let incoming = transport::read(input, end)?;
    let pools = threads.pools();
    let service = LspService::build(|client| {
        let state = Arc::new(Shared::new(client, outgoing.clone(), pools));
        Backend::new(Arc::clone(shared.get_or_init(|| state)))
    });
    // The framework knows neither of them.
    let service = service.custom_method("$/setTrace", Backend::set_trace);
    let service = service.custom_method("window/workDoneProgress/cancel", Backend::cancel_progress);
    let (service, socket) = service.finish();
    let state = Arc::clone(&shared);
    let lost = Arc::clone(&shared);
    let gate = transport::MessageGate {
        refuse: Box::new(move |request| unreadable::refuse(state.get()?, request)),
        lose: Box::new(move |message| {
            if let Some(shared) = lost.get() {
                unreadable::handle(shared, message);
            }
        }),
    };
    threads.block_on(transport::serve(service, socket, incoming, outgoing.clone(), gate));
    clean_up(&shared);
    if let Some(shared) = shared.get() {
        // Threads of documents would wait for changes as long as the process lives.
        shared.documents().iter().for_each(|d| d.close(|| {}));
    }
    outgoing.flush(FLUSH_TIMEOUT);
    threads.shut_down();
    Ok(shared.get().is_some_and(|s| s.shut_down.load(Ordering::Relaxed)))
}

/// Ends what runs, and removes what was written.
fn clean_up(shared: &OnceLock<Arc<Shared>>) {
    if let Some(shared) = shared.get() {
        shared.ptxas.end();
        shared.evaluations.end();
    }
}
