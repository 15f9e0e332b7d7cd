//! Messages on standard input and output, one a line.

use super::load::Load;
use super::work::Ending;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::io;
use tokio::io::{Stdin, Stdout, stdin, stdout};

/// Maximum length of a message in bytes: a text of the permitted size fits, even if each of its bytes is escaped. The library drops
/// longer messages, and says so in the log.
const MAX_MESSAGE: usize = 256 << 20;

/// The library's transport, which reads no further message while there is much to do.
pub struct StdioTransport {
    lines: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    load: Load,
    ending: Ending,
}

/// Takes standard input and output.
pub fn stdio(load: Load, ending: Ending) -> StdioTransport {
    let lines = AsyncRwTransport::new(stdin(), stdout()).with_max_line_length(MAX_MESSAGE);
    StdioTransport { lines, load, ending }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (sent, unsent) = (self.lines.send(message), self.load.add(0));
        async move {
            let result = sent.await;
            drop(unsent);
            result
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.load.room().await;
        let message = self.lines.receive().await;
        if message.is_none() {
            self.ending.begin();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}
