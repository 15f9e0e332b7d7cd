//! The thread that reads messages.

use super::parent;
use crate::transport::{IncomingMessage, decode};
use ptx_wire::framing;
use std::io::BufRead;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Maximum number of messages that are read ahead of the handlers.
const READ_AHEAD: usize = 1024;

/// Starts a thread that reads messages; the channel closes at the end of the stream.
///
/// `end` is called as soon as `exit` or the end of the stream has been read, even if earlier messages still wait, and also when
/// the client's process has ended. Its argument tells whether the client has requested `shutdown`.
///
/// # Errors
/// If the thread cannot be started.
pub fn read(
    mut reader: impl BufRead + Send + 'static,
    end: impl Fn(bool) + Send + Sync + 'static,
) -> std::io::Result<mpsc::Receiver<IncomingMessage>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    let end = Arc::new(end);
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut orderly = false;
        loop {
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
            if sender.blocking_send(message).is_err() {
                break;
            }
        }
        end(orderly);
    })?;
    Ok(receiver)
}
