//! The thread that reads messages.

use super::arrivals::Arrivals;
use super::parent;
use crate::transport::{IncomingMessage, decode};
use futures::Stream;
use ptx_wire::framing;
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::mpsc;

/// Size of the buffer for the input, in bytes.
const BUFFER: usize = 1 << 16;

/// Maximum number of messages that are read ahead of the handlers.
const READ_AHEAD: usize = 1024;

/// Starts a thread that reads messages; the stream of them ends with the input. It is asked for the next message when the last one is handled.
///
/// `end` is called as soon as `exit` or the end of the stream has been read, even if earlier messages still wait, and also when
/// the client's process has ended. Its argument tells whether the client has requested `shutdown`.
///
/// # Errors
/// If the thread cannot be started.
pub fn read(
    reader: impl Read + Send + 'static,
    arrivals: Arc<Arrivals>,
    end: impl Fn(bool) + Send + Sync + 'static,
) -> std::io::Result<impl Stream<Item = IncomingMessage> + Unpin> {
    let (sender, mut receiver) = mpsc::channel(READ_AHEAD);
    let read = Arc::clone(&arrivals);
    let end = Arc::new(end);
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut orderly = false;
        let mut reader = BufReader::with_capacity(BUFFER, reader);
        loop {
            read.set_buffered(!reader.buffer().is_empty());
            let message = match framing::read_message(&mut reader) {
                Ok(Some(body)) => decode(&body),
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!("the input cannot be read: {error}");
                    break;
                }
            };
            let method = match &message {
                IncomingMessage::Request(request) => request.method(),
                _ => "",
            };
            orderly |= method == "shutdown";
            if method == "initialize"
                && let IncomingMessage::Request(request) = &message
                && let Some(process) = request.params().and_then(|p| p.get("processId")?.as_i64())
            {
                let end = Arc::clone(&end);
                parent::watch(process, move || end(false));
            }
            let exit = method == "exit";
            if exit {
                end(orderly);
                let _ = sender.blocking_send(message);
                return;
            }
            if is_edit(&message) {
                read.read_edit();
            }
            if sender.blocking_send(message).is_err() {
                break;
            }
        }
        end(orderly);
    })?;
    let mut is_handling_edit = false;
    Ok(futures::stream::poll_fn(move |context| {
        if std::mem::take(&mut is_handling_edit) {
            arrivals.handled_edit();
        }
        let next = receiver.poll_recv(context);
        is_handling_edit = matches!(&next, Poll::Ready(Some(message)) if is_edit(message));
        next
    }))
}

fn is_edit(message: &IncomingMessage) -> bool {
    matches!(message, IncomingMessage::Request(request) if request.method() == "textDocument/didChange")
}
