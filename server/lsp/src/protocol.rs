//! What the framework lacks of the protocol.

use tower_lsp_server::jsonrpc::ErrorCode;

/// The protocol's error code `RequestFailed`: a valid request that cannot be fulfilled.
pub const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);
