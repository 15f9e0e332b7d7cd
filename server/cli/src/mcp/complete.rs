//! The tool `complete`.

use super::arguments::ToolArguments;
use super::call::CallContext;
use super::input::InputText;
use super::{cut, positions, schema};
use ptx_host::{GroupView, Host, HostChecker, Language, answers, group_at, is_ptx};
use ptx_ide::{CompletionOptions, Completions, Item};
use ptx_mcp::ToolAnswer;
use ptx_syntax::{Rope, Snapshot};
use std::fmt::Write;

/// Maximum length of the note behind a completion, in characters.
const MAX_DETAIL: usize = 100;

/// Answers a call.
///
/// # Errors
/// If the text has no such place.
pub fn answer(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<ToolAnswer, String> {
    let number = |name| arguments.number(name).map(|n| n.unwrap_or(1));
    let (line, column) = (number("line")?, number("column")?);
    let max = arguments.max(schema::COMPLETIONS)?;
    let input = InputText::of(arguments, context)?;
    let rope = Rope::from_str(&input.text);
    let offset = positions::offset(&rope, line, column)?;
    let found = match input.language {
        None => {
            let options = CompletionOptions { snippets: false, ..CompletionOptions::default() };
            ptx_ide::completion(&Snapshot::new(&input.text), offset, options)
        }
        Some(language) => host(&input.text, language, offset)?,
    };
    if found.items.is_empty() {
        return Ok(ToolAnswer::new(format!("nothing can be completed at {line}:{column}")));
    }
    let word = positions::range(&rope, &found.replace);
    let mut out = match found.replace.is_empty() {
        true => format!("insert at {line}:{column} one of:\n"),
        false => format!("replace {word} by one of:\n"),
    };
    found.items.iter().take(max).for_each(|item| shown(item, &mut out));
    if found.items.len() > max {
        let _ = writeln!(out, "and {} more; letters before {line}:{column} narrow the list", found.items.len() - max);
    }
    Ok(ToolAnswer::new(cut::lines(&out, cut::MAX_ANSWER, "give a smaller `max`")))
}

fn shown(item: &Item, out: &mut String) {
    let text = item.new_text().trim_end();
    let _ = write!(out, "{}", if text.contains('\n') { &item.label } else { text });
    let note = item.unavailable.as_deref().map(|why| format!("not here: {why}"));
    let note = note.or_else(|| item.deprecated.then(|| "deprecated".to_owned()));
    let parts = [note.as_deref().unwrap_or(""), item.signature.trim(), item.detail.trim()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        let _ = write!(out, "  {}", cut::one_line(&parts.join("; "), MAX_DETAIL));
    }
    out.push('\n');
}

/// The completions in a string of another language.
fn host(text: &str, language: Language, offset: usize) -> Result<Completions, String> {
    let host = Host::new(language, text);
    let placed = group_at(host.groups(), offset).and_then(|(group, _)| host.groups().get(group));
    let placed = placed.filter(|placed| is_ptx(&placed.group)).ok_or("there is no PTX in a string at this place")?;
    let results = HostChecker::default().check(std::slice::from_ref(placed), &|| false).unwrap_or_default();
    let view = GroupView::new(&placed.group, results.first().and_then(|result| result.target));
    let mut found = answers::completion(&view, offset - placed.start, None).unwrap_or_default();
    found.replace = found.replace.start + placed.start..found.replace.end + placed.start;
    Ok(found)
}
