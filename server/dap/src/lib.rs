//! The debug adapter: executes kernels in debuggers, by the Debug Adapter Protocol.
//!
//! A kernel is executed once, from beginning to end. All later requests navigate that recorded run: the position of a
//! session is a *time*, and the machine at any time can be reconstructed. So steps go backwards as well as forwards. A
//! thread of the protocol is a warp.
//!
//! - [`wire`], [`types`], [`arguments`] – the protocol as data; `docs/decisions/0006-debug-adapter.md` says why the
//!   types are ours
//! - [`session`] – the state of a session; [`dispatch`] – who answers which request; [`job`], [`jobs`] – long operations on
//!   their own threads
//! - [`launching`] – from the arguments of `launch` to a run; [`places`] – source positions of instructions
//! - [`history`] – the original run and its branches with changed values; [`search`], [`stepping`] – where the run
//!   stops next
//! - [`breakpoints`], [`configure`], [`stops`], [`filters`] – breakpoints
//! - [`stacks`], [`variables`], [`values`], [`threads`], [`memory`], [`disassembly`] – the data that clients show
//! - [`edit`], [`console`], [`expressions`] – the data that the user evaluates and changes

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod arguments;
mod breakpoints;
mod configure;
mod console;
mod disassembly;
mod dispatch;
mod edit;
mod expressions;
mod filters;
mod handles;
mod history;
mod job;
mod jobs;
mod launching;
mod memory;
mod places;
mod search;
mod session;
mod stacks;
mod stepping;
mod stops;
#[cfg(test)]
mod tests;
mod threads;
mod types;
mod values;
mod variables;
mod wire;

use ptx_wire::framing::read_message;
use ptx_wire::outgoing::Outgoing;
use session::{DebugSession, SessionEvent};
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::sync::mpsc;
use std::time::Duration;
use wire::{ClientConnection, DapMessage, decode};

/// How long shutdown waits for the last messages to be written; the client may have stopped reading.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(400);

/// Debugs on standard input and output until the client ends the session.
///
/// # Errors If the process cannot start threads.
pub fn run() -> std::io::Result<()> {
    let end = || ptx_wire::ending::force(|| 0);
    serve(BufReader::with_capacity(1 << 16, stdin()), stdout(), end)
}

/// Debugs on any two streams. `serve` calls `end` as soon as it has read `disconnect` or the end of the input.
///
/// # Errors If the process cannot start threads.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    end: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    let client = ClientConnection::new(Outgoing::start(output)?);
    let (sender, incoming) = mpsc::channel();
    let messages = sender.clone();
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut end = Some(end);
        loop {
            let next = match read_message(&mut input) {
                Ok(Some(body)) => SessionEvent::Message(decode(&body)),
                Ok(None) => SessionEvent::Gone,
                Err(error) => {
                    tracing::warn!("the input cannot be read: {error}");
                    SessionEvent::Gone
                }
            };
            let gone = matches!(next, SessionEvent::Gone);
            let leaves = matches!(&next, SessionEvent::Message(DapMessage::Request(r)) if r.command == "disconnect");
            if let Some(end) = end.take_if(|_| gone || leaves) {
                end();
            }
            if messages.send(next).is_err() || gone {
                return;
            }
        }
    })?;
    DebugSession::new(client.clone(), sender).serve(&incoming);
    client.flush(FLUSH_TIMEOUT);
    Ok(())
}
