//! The tool `explain`.

use super::arguments::ToolArguments;
use super::cut::{self, MAX_ANSWER};
use crate::explain;
use ptx_mcp::ToolAnswer;

/// Answers a call.
///
/// # Errors
/// If nothing is known of the query: similar names.
pub fn answer(arguments: &ToolArguments) -> Result<ToolAnswer, String> {
    let query = arguments.needed("query")?;
    let text = explain::answer(&cut::one_line(query, 1000), arguments.flag("all")?)?;
    // Pages name the command; an assistant has the tool.
    let text = text.replace("ptx-analyzer explain ", "explain ").replace(" --all` shows", "` with `all` shows");
    Ok(ToolAnswer::new(cut::lines(&text, MAX_ANSWER, "ask for one instruction with its modifiers")))
}
