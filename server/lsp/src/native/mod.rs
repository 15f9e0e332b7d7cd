//! The server as a program: it reads and writes pipes, and works on threads.

mod arrivals;
mod documents;
mod find;
mod input;
mod parent;
mod pools;

use crate::backend::Backend;
use crate::host::{HostBackend, HostWorker};
use crate::platform::Platform;
use crate::server::{Server, WorkerStart};
use crate::state::ServerMode;
use crate::worker::Worker;
use crate::{gate, transport};
use arrivals::Arrivals;
pub use documents::release_memory_by;
pub use pools::ThreadPools;
use ptx_wire::ending;
use ptx_wire::outgoing::Outgoing;
use std::io::{Read, Stdin, Write, stdin, stdout};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};

/// Time limit for flushing the output at the end, in case the client no longer reads.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(400);

/// Speaks the protocol on standard input and output until the client ends it.
///
/// Returns whether the end was orderly: `exit` after `shutdown`.
///
/// # Errors
/// If threads cannot be started.
pub fn run() -> std::io::Result<bool> {
    serve_as((ServerMode::Ptx, Worker::start), Input::standard(), stdout(), force_end, |state| Backend::service(state))
}

/// Speaks the protocol about files of other languages with PTX in strings. The server has no formatting, no renaming and no
/// symbols: those of such a file belong to the server of its language.
///
/// # Errors
/// If threads cannot be started.
pub fn run_host() -> std::io::Result<bool> {
    serve_as((ServerMode::Host, HostWorker::start), Input::standard(), stdout(), force_end, |state| {
        HostBackend::service(state)
    })
}

/// The process ends soon after the end of its input, even if it is busy.
fn force_end(orderly: bool, clean_up: CleanUp) {
    ending::force(move || {
        clean_up();
        i32::from(!orderly)
    });
}

/// Clean-up to run if the server ends in the middle of its work.
pub type CleanUp = Box<dyn FnOnce() + Send>;

/// Speaks the protocol on any two streams, as [`run`] does. At the end of the input or of the client's process it calls `end`
/// with two arguments: whether the end was orderly, and the clean-up. `end` must run the clean-up if the process ends before
/// this function returns.
///
/// # Errors
/// If threads cannot be started.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    end: impl Fn(bool, CleanUp) + Send + Sync + 'static,
) -> std::io::Result<bool> {
    serve_as((ServerMode::Ptx, Worker::start), Input::any(input), output, end, |state| Backend::service(state))
}

/// Where the messages come from.
struct Input<R> {
    reader: R,
    arrivals: Arc<Arrivals>,
}

impl Input<Stdin> {
    fn standard() -> Self {
        Self { reader: stdin(), arrivals: Arc::new(Arrivals::on_standard_input()) }
    }
}

impl<R: Read> Input<R> {
    fn any(reader: R) -> Self {
        Self { reader, arrivals: Arc::default() }
    }
}

/// Creates the state of the server for its connection with the client.
type StateMaker<'a> = &'a dyn Fn(Client) -> Arc<Server>;

fn serve_as<S: LanguageServer>(
    (mode, start): (ServerMode, WorkerStart),
    input: Input<impl Read + Send + 'static>,
    output: impl Write + Send + 'static,
    end: impl Fn(bool, CleanUp) + Send + Sync + 'static,
    service: impl FnOnce(StateMaker<'_>) -> (LspService<S>, ClientSocket),
) -> std::io::Result<bool> {
    // What a server left that was killed. Nothing waits for it.
    let _ = std::thread::Builder::new().name("sweep".into()).spawn(ptx_gate::files::sweep);
    let threads = ThreadPools::new()?;
    let outgoing = Outgoing::start(output)?;
    let shared: Arc<OnceLock<Arc<Server>>> = Arc::default();
    let late = Arc::clone(&shared);
    let end = move |orderly| {
        let late = Arc::clone(&late);
        end(orderly, Box::new(move || clean_up(&late)));
    };
    let incoming = input::read(input.reader, Arc::clone(&input.arrivals), end)?;
    let pools: Arc<dyn Platform> = Arc::new(threads.pools(input.arrivals));
    let (service, socket) = service(&|client| {
        let state = || {
            let shared = Server::new(outgoing.clone(), Arc::clone(&pools), mode, start);
            shared.connect(client.clone());
            Arc::new(shared)
        };
        Arc::clone(shared.get_or_init(state))
    });
    let gate = gate::gate(&shared);
    threads.block_on(transport::serve(service, socket, Arc::clone(&pools), incoming, outgoing.clone(), gate));
    clean_up(&shared);
    if let Some(shared) = shared.get() {
        // Without this, the threads of documents would wait for changes for the rest of the process's life.
        shared.state.documents().iter().for_each(|d| d.close(|| {}));
    }
    outgoing.flush(FLUSH_TIMEOUT);
    threads.shut_down();
    Ok(shared.get().is_some_and(|s| s.shut_down.load(Ordering::Relaxed)))
}

/// Ends running programs and removes temporary files.
fn clean_up(shared: &OnceLock<Arc<Server>>) {
    if let Some(shared) = shared.get() {
        shared.ptxas.end();
        shared.evaluations.end();
    }
}
