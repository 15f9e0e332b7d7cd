//! What JavaScript calls, and what it provides. `js/server.js` is the other side.
//!
//! Only the exports have `unsafe` in their attributes. A message comes in through [`input`], whose memory this module owns; a
//! message goes out as a place in memory that is valid during the call. No import may call an export.
#![allow(unsafe_code)]

use crate::executor::Rest;
use crate::worker::{ServerKind, WebServer};
use ptx_lsp::ClientLog;
use std::cell::RefCell;
use std::time::Duration;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Returns the time in milliseconds since any fixed point.
    safe fn now() -> f64;
    /// Takes a message for the client.
    safe fn send(start: *const u8, length: usize);
    /// Takes the result of [`documents`].
    safe fn answer(start: *const u8, length: usize);
    /// Takes the name of the document that is worked on from now on; nothing for other work.
    safe fn working(start: *const u8, length: usize);
    /// Takes the message of a panic.
    safe fn panicked(start: *const u8, length: usize);
}

thread_local! {
    static SERVER: RefCell<Option<WebServer>> = const { RefCell::new(None) };
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn pass(to: extern "C" fn(*const u8, usize), bytes: &[u8]) {
    to(bytes.as_ptr(), bytes.len());
}

/// Starts the server of a page. One function that starts a server is to be called, once, before everything else.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    begin();
    install(WebServer::new(ServerKind::Page, working_on));
}

/// Starts the server of an editor, which supplies files. `server/web/split` leaves this function and what only it needs out of the
/// parts for pages, and so with the next one.
#[unsafe(no_mangle)]
pub extern "C" fn start_in_editor() {
    begin();
    install(WebServer::new(ServerKind::Editor, working_on));
}

/// Starts the server for files of other languages.
#[unsafe(no_mangle)]
pub extern "C" fn start_host() {
    begin();
    install(WebServer::new(ServerKind::Host, working_on));
}

fn begin() {
    std::panic::set_hook(Box::new(|panic| pass(panicked, panic.to_string().as_bytes())));
    ptx_clock::install(|| Duration::from_secs_f64(now().max(0.0) / 1e3));
    let to_client = ClientLog.with_filter(filter_fn(ClientLog::wants));
    tracing_subscriber::registry().with(to_client).init();
}

fn working_on(name: Option<&str>) {
    pass(working, name.unwrap_or_default().as_bytes());
}

fn install(server: WebServer) {
    SERVER.set(Some(server));
}

/// Returns memory for `length` bytes of input. The next call that takes input takes them.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Calls `work` with the server and the input.
fn with_input(work: impl FnOnce(&WebServer, &[u8])) {
    let input = INPUT.take();
    SERVER.with_borrow(|server| {
        if let Some(server) = server {
            work(server, &input);
        }
    });
}

/// Takes a message of the client as input.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    with_input(WebServer::receive);
}

/// Takes a failure of an earlier server as input.
#[unsafe(no_mangle)]
pub extern "C" fn recover() {
    with_input(WebServer::recover);
}

/// To be called once, when all code is loaded. Before, the server only checks texts.
#[unsafe(no_mangle)]
pub extern "C" fn complete() {
    with_input(|server, _| server.complete());
}

/// Takes as input why the rest of the code did not load.
#[unsafe(no_mangle)]
pub extern "C" fn refuse() {
    with_input(WebServer::refuse);
}

/// Works for about `slice` milliseconds. Returns after how many milliseconds to call it again: zero for at once, a negative number
/// for after the next message.
#[unsafe(no_mangle)]
pub extern "C" fn run(slice: f64) -> f64 {
    let slice = Duration::from_secs_f64(slice.clamp(0.0, 1e4) / 1e3);
    let rest = SERVER.with_borrow_mut(|server| Some(server.as_mut()?.run(slice, |message| pass(send, message))));
    match rest {
        Some(Rest::Ready) => 0.0,
        Some(Rest::In(time)) => time.as_secs_f64() * 1e3,
        Some(Rest::Nothing) | None => -1.0,
    }
}

/// Passes messages that open the current documents in another server to `answer`, as a JSON list.
#[unsafe(no_mangle)]
pub extern "C" fn documents() {
    let documents = SERVER.with_borrow(|server| server.as_ref().map(WebServer::documents));
    pass(answer, &documents.unwrap_or_default());
}
