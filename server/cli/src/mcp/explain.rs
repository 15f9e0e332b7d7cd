//! The tool `explain`.

use super::arguments::ToolArguments;
use super::cut::{self, MAX_ANSWER};
use crate::explain;
use ptx_mcp::ToolAnswer;

/// The maximum number of characters of a log that are read.
const MAX_LOG: usize = 100_000;

/// Answers a call.
///
/// # Errors
/// If nothing is known of the query: similar names.
pub fn answer(arguments: &ToolArguments) -> Result<ToolAnswer, String> {
    let query = arguments.needed("query")?;
    // A log has a message a line.
    let query = if query.contains('\n') { query.chars().take(MAX_LOG).collect() } else { cut::one_line(query, 1000) };
    let text = explain::answer(&query, arguments.flag("all")?)?;
    // Pages name the command; an assistant has the tool.
    let text = text.replace("ptx-analyzer explain ", "explain ").replace(" --all` shows", "` with `all` shows");
    Ok(ToolAnswer::new(cut::lines(&text, MAX_ANSWER, "ask for one instruction with its modifiers")))
}
