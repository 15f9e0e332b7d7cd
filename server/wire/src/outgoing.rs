//! Messages to the client: one queue, and one reader of it, usually a thread that writes.

use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// With more bytes than this waiting, diagnostics wait too: a client that does not read must not fill the memory.
const MAX_BEFORE_DIAGNOSTICS_WAIT: usize = 16 << 20;

/// With more bytes than this waiting, requests are refused, and finished responses are replaced by refusals, which are short.
const MAX_BEFORE_REFUSAL: usize = 64 << 20;

/// With more bytes than this waiting – a hundred thousand refusals – the client will never read again.
const MAX_WAITING: usize = MAX_BEFORE_REFUSAL + (24 << 20);

/// Most messages have fewer bytes than this.
const USUAL_SIZE: usize = 512;

#[derive(Debug)]
enum OutgoingItem {
    Message(Vec<u8>),
    Flushed(mpsc::Sender<()>),
}

/// A handle on the queue. Sending never blocks.
#[derive(Debug, Clone)]
pub struct Outgoing {
    queue: mpsc::Sender<OutgoingItem>,
    waiting: Arc<AtomicUsize>,
}

/// The messages that wait.
#[derive(Debug)]
pub struct OutgoingQueue {
    items: mpsc::Receiver<OutgoingItem>,
    waiting: Arc<AtomicUsize>,
}

impl OutgoingQueue {
    /// Whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Returns the next message, if one waits.
    pub fn next_message(&self) -> Option<Vec<u8>> {
        loop {
            match self.items.try_recv().ok()? {
                OutgoingItem::Message(body) => {
                    self.waiting.fetch_sub(body.len(), Ordering::Relaxed);
                    return Some(body);
                }
                OutgoingItem::Flushed(done) => drop(done.send(())),
            }
        }
    }
}

#[derive(Serialize)]
struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: P,
}

/// The JSON text of a notification.
pub fn notification(method: &str, params: impl Serialize) -> Vec<u8> {
    long_notification(method, params, USUAL_SIZE)
}

/// The JSON text of a notification that has about this many bytes: a long text that grows while it is written is copied many times.
pub fn long_notification(method: &str, params: impl Serialize, bytes: usize) -> Vec<u8> {
    encode(&Notification { jsonrpc: "2.0", method, params }, bytes)
}

fn encode(message: &impl Serialize, bytes: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes);
    if let Err(error) = serde_json::to_writer(&mut out, message) {
        tracing::error!("a message cannot be written as JSON: {error}");
        out.clear();
    }
    out
}

impl Outgoing {
    /// Starts the writing thread.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(mut writer: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (outgoing, OutgoingQueue { items, waiting: written }) = Self::queue();
        std::thread::Builder::new().name("output".into()).spawn(move || {
            let mut broken = false;
            for item in items {
                match item {
                    OutgoingItem::Message(body) => {
                        if !broken && let Err(error) = super::framing::write_message(&mut writer, &body) {
                            // The end of the input will follow and end the server.
                            tracing::warn!("the client has stopped reading: {error}");
                            broken = true;
                        }
                        written.fetch_sub(body.len(), Ordering::Relaxed);
                    }
                    OutgoingItem::Flushed(done) => drop(done.send(())),
                }
            }
        })?;
        Ok(outgoing)
    }

    /// Creates a queue that the caller empties.
    pub fn queue() -> (Self, OutgoingQueue) {
        let (queue, items) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let out = OutgoingQueue { items, waiting: Arc::clone(&waiting) };
        (Self { queue, waiting }, out)
    }

    /// Queues a message.
    pub fn message(&self, message: &impl Serialize) {
        self.encoded(encode(message, USUAL_SIZE));
    }

    /// Queues a message that is already encoded as JSON.
    pub fn encoded(&self, body: Vec<u8>) {
        if !body.is_empty() {
            self.waiting.fetch_add(body.len(), Ordering::Relaxed);
            // This fails only if the writing thread has ended, and then the client is gone too.
            let _ = self.queue.send(OutgoingItem::Message(body));
        }
    }

    /// Whether the queue is so long that only urgent messages should be added.
    pub fn is_congested(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > MAX_BEFORE_DIAGNOSTICS_WAIT
    }

    /// Whether the queue is so long that requests are refused.
    pub fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > MAX_BEFORE_REFUSAL
    }

    /// Whether the queue is so long that the session must end.
    pub fn is_overfull(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > MAX_WAITING
    }

    /// Waits until all queued messages are written, but not longer than `limit`.
    pub fn flush(&self, limit: Duration) {
        let (done, written) = mpsc::channel();
        if self.queue.send(OutgoingItem::Flushed(done)).is_ok() {
            let _ = written.recv_timeout(limit);
        }
    }
}
