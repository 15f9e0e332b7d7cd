//! Messages on standard input and output, one a line.
//!
//! The library has a transport too, but decides alone what it answers ([`super::message`]).

use super::load::{Load, LoadGuard};
use super::message::{ClientLine, decode, refusal_of_second};
use super::work::Ending;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, JsonRpcNotification, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::HashSet;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdin, Stdout, stdin, stdout};
use tokio::sync::{mpsc, oneshot};

/// Maximum length of a message in bytes: a text of the permitted size fits, even if each of its bytes is escaped. Longer ones are dropped,
/// since what their id is would have to be searched for.
const MAX_MESSAGE: usize = 256 << 20;

/// A message to the client that waits to be written.
struct OutgoingLine {
    bytes: Vec<u8>,
    /// Receives whether it was written.
    written: Option<oneshot::Sender<io::Result<()>>>,
    _unsent: LoadGuard,
}

/// Lines on standard input and output. No further line is read while there is much to do.
pub struct StdioTransport {
    input: BufReader<Stdin>,
    /// The beginning of a line. The library drops [`Transport::receive`] whenever it has something else to do, so a part that was read is
    /// kept here.
    line: Vec<u8>,
    /// Whether the rest of a line is passed over, since it is too long.
    is_skipping: bool,
    output: mpsc::UnboundedSender<OutgoingLine>,
    /// The requests that have no answer yet. The library answers only one of two with the same id.
    open: HashSet<RequestId>,
    load: Load,
    ending: Ending,
}

/// Takes standard input and output.
pub fn stdio(load: Load, ending: Ending) -> StdioTransport {
    let (output, lines) = mpsc::unbounded_channel();
    tokio::spawn(write(stdout(), lines));
    StdioTransport {
        input: BufReader::new(stdin()),
        line: Vec::new(),
        is_skipping: false,
        output,
        open: HashSet::new(),
        load,
        ending,
    }
}

/// Writes the lines to the client in their order.
async fn write(mut out: Stdout, mut lines: mpsc::UnboundedReceiver<OutgoingLine>) {
    while let Some(line) = lines.recv().await {
        let mut result = out.write_all(&line.bytes).await;
        if result.is_ok() {
            result = out.flush().await;
        }
        if let Some(written) = line.written {
            // Nobody may wait any more.
            let _ = written.send(result);
        }
    }
}

impl StdioTransport {
    /// Reads the next line, without its end; `None` at the end of the input. A part of a line at the end is not a message.
    async fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > MAX_MESSAGE;
            if is_too_long && !self.is_skipping {
                tracing::error!("a message of more than {MAX_MESSAGE} bytes is dropped");
                self.is_skipping = true;
                self.line = Vec::new();
            }
            if !self.is_skipping {
                self.line.extend_from_slice(&available[..end.unwrap_or(taken)]);
            }
            self.input.consume(taken);
            if end.is_some() && !std::mem::take(&mut self.is_skipping) {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }

    fn answer(&self, answers: &[Value]) {
        for answer in answers {
            // Fails only after the end of the output, and then nobody waits for an answer.
            let _ = self.queue(serde_json::to_vec(answer), None);
        }
    }

    /// Queues a message in JSON.
    fn queue(
        &self,
        json: serde_json::Result<Vec<u8>>,
        written: Option<oneshot::Sender<io::Result<()>>>,
    ) -> io::Result<()> {
        let mut bytes = json?;
        bytes.push(b'\n');
        let line = OutgoingLine { bytes, written, _unsent: self.load.add(0) };
        self.output.send(line).map_err(|_| io::ErrorKind::NotConnected.into())
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.open.remove(id);
        }
        let (written, result) = oneshot::channel();
        let queued = self.queue(serde_json::to_vec(&message), Some(written));
        async move {
            queued?;
            result.await.unwrap_or_else(|_| Err(io::ErrorKind::NotConnected.into()))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.load.room().await;
            let line = self.next_line().await.unwrap_or_else(|error| {
                tracing::error!("the input cannot be read: {error}");
                None
            });
            let Some(line) = line else {
                self.ending.begin();
                return None;
            };
            match decode(&line) {
                ClientLine::Message(message) => match &*message {
                    JsonRpcMessage::Request(request) if !self.open.insert(request.id.clone()) => {
                        self.answer(&[refusal_of_second(&request.id)]);
                    }
                    JsonRpcMessage::Notification(JsonRpcNotification {
                        notification: ClientNotification::CancelledNotification(cancelled),
                        ..
                    }) => {
                        // It gets no answer.
                        if let Some(id) = &cancelled.params.request_id {
                            self.open.remove(id);
                        }
                        return Some(*message);
                    }
                    _ => return Some(*message),
                },
                ClientLine::Refused(answers) => self.answer(&answers),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // What is queued is written before this empty line is.
        let (written, result) = oneshot::channel();
        let line = OutgoingLine { bytes: Vec::new(), written: Some(written), _unsent: self.load.add(0) };
        match self.output.send(line) {
            Ok(()) => result.await.unwrap_or_else(|_| Err(io::ErrorKind::NotConnected.into())),
            Err(_) => Ok(()),
        }
    }
}
