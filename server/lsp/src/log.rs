//! Sends the server's log to the client: `window/logMessage`, and `$/logTrace` for each handled message, to the extent that
//! `$/setTrace` requests.

use ptx_gate::words::indented;
use ptx_wire::outgoing::{self, Outgoing};
use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tower_lsp_server::ls_types::{LogMessageParams, LogTraceParams, MessageType, TraceValue};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// Prefix of the log targets of this project, in contrast to its libraries.
const OWN: &str = "ptx_";

static CLIENT: OnceLock<Outgoing> = OnceLock::new();
static TRACE: AtomicU8 = AtomicU8::new(0);

/// Starts sending the log to the client.
pub fn begin(outgoing: &Outgoing, trace: Option<TraceValue>) {
    let _ = CLIENT.set(outgoing.clone());
    set_trace(trace.unwrap_or_default());
}

/// Sets the verbosity that the client requests.
pub fn set_trace(value: TraceValue) {
    let number = match value {
        TraceValue::Off => 0,
        TraceValue::Messages => 1,
        TraceValue::Verbose => 2,
    };
    TRACE.store(number, Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
}

/// Reports an answered request and its duration.
pub fn answered(method: &str, after: Duration) {
    let verbose = match TRACE.load(Ordering::Relaxed) {
        0 => return,
        1 => None,
        _ => Some(format!("{:.3} ms", after.as_secs_f64() * 1e3)),
    };
    if let Some(client) = CLIENT.get() {
        let params = LogTraceParams { message: format!("{method} is answered"), verbose };
        client.encoded(outgoing::notification("$/logTrace", params));
    }
}

/// Returns the minimum level: warnings, or more if the client traces.
fn level() -> Level {
    match TRACE.load(Ordering::Relaxed) {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    }
}

/// Log layer that sends events to the client, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientLog;

impl ClientLog {
    /// Whether an event is sent to the client.
    pub fn wants(metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(OWN) && *metadata.level() <= level()
    }
}

impl<S: Subscriber> Layer<S> for ClientLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(client) = CLIENT.get() else { return };
        let typ = match *event.metadata().level() {
            Level::ERROR => MessageType::ERROR,
            Level::WARN => MessageType::WARNING,
            Level::INFO => MessageType::INFO,
            // The protocol's `Log`; its `Debug` is newer than many clients.
            _ => MessageType::LOG,
        };
        let mut words = EventText::default();
        event.record(&mut words);
        let params = LogMessageParams { typ, message: indented(&words.0) };
        client.encoded(outgoing::notification("window/logMessage", params));
    }
}

/// The message of an event, followed by its fields.
#[derive(Default)]
struct EventText(String);

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            let rest = std::mem::replace(&mut self.0, format!("{value:?}"));
            self.0.push_str(&rest);
        } else {
            let _ = write!(self.0, " {}={value:?}", field.name());
        }
    }
}
