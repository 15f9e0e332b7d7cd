//! Arguments of commands.

use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::Uri;

/// Returns the document that an argument names.
///
/// # Errors
/// If it names none.
pub fn uri(argument: &Value) -> Result<Uri> {
    string(argument, "uri")?.parse().map_err(|_| Error::invalid_params("the argument `uri` is not a URI"))
}

/// Returns a line, counted from 1, that an argument may name.
///
/// # Errors
/// If the argument is not a line.
pub fn line_number(argument: &Value, name: &str) -> Result<Option<usize>> {
    match argument.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok());
            number
                .map(Some)
                .ok_or_else(|| Error::invalid_params(format!("`{name}` must be the number of a line, from 1")))
        }
    }
}

/// Returns a string argument, passed by name or as the bare value.
pub fn string<'a>(argument: &'a Value, name: &str) -> Result<&'a str> {
    argument
        .as_str()
        .or_else(|| argument.get(name)?.as_str())
        .ok_or_else(|| Error::invalid_params(format!("the command takes an object with a string `{name}`")))
}
