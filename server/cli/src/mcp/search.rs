//! The tool `search`.

use super::arguments::ToolArguments;
use super::{cut, schema};
use ptx_ide::reference::instruction::{form, instructions};
use ptx_ide::{IndexEntry, IndexKind};
use ptx_mcp::ToolAnswer;
use std::fmt::Write;

/// Maximum number of characters of a summary.
const MAX_SUMMARY: usize = 160;
/// Maximum number of characters of a form.
const MAX_FORM: usize = 200;

/// Answers a call.
///
/// # Errors
/// If nothing fits.
pub fn answer(arguments: &ToolArguments) -> Result<ToolAnswer, String> {
    let query = cut::one_line(arguments.needed("query")?, 400);
    let max = arguments.max(schema::RESULTS)?;
    let hits = ptx_ide::search(&query);
    let direct = ptx_ide::direct_answer(&query);
    if hits.is_empty() && direct.is_none() {
        let near: Vec<String> = ptx_ide::nearest(&query).iter().map(|name| format!("`{name}`")).collect();
        let help =
            if near.is_empty() { "use other words".to_owned() } else { format!("did you mean {}?", near.join(", ")) };
        return Err(format!("nothing matches these words: {help}"));
    }
    let mut out = direct.map_or_else(String::new, |text| format!("{text}\n"));
    hits.iter().take(max).for_each(|hit| shown(hit.entry, &mut out));
    if hits.len() > max {
        let _ = writeln!(out, "and {} more; `explain` describes one", hits.len() - max);
    }
    Ok(ToolAnswer::new(cut::lines(&out, cut::MAX_ANSWER, "give a smaller `max`")))
}

fn shown(entry: &IndexEntry, out: &mut String) {
    let _ = write!(out, "{} {}", kind(entry.kind), entry.name);
    if !entry.summary.is_empty() {
        let _ = write!(out, ": {}", cut::one_line(&entry.summary.replace('`', ""), MAX_SUMMARY));
    }
    out.push('\n');
    if entry.kind == IndexKind::Instruction
        && let Some(instruction) = instructions().into_iter().find(|i| i.name == entry.name)
        && let Some((entry, forms)) = instruction.by_use().into_iter().next()
        && let Some(used) = forms.first()
    {
        let _ = writeln!(out, "  {}", cut::one_line(&form(entry, used).text, MAX_FORM));
    }
}

fn kind(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Instruction => "instruction",
        IndexKind::Concept => "topic",
        IndexKind::Family => "family",
        IndexKind::Register => "register",
        IndexKind::Directive => "directive",
        IndexKind::Space => "state space",
        IndexKind::Type => "type",
        IndexKind::Constant => "constant",
        IndexKind::Modifier => "modifier",
        IndexKind::Diagnostic => "code",
        IndexKind::Target => "target",
        IndexKind::Version => "version",
        IndexKind::Cuda => "CUDA C++",
        IndexKind::Sass => "SASS",
    }
}
