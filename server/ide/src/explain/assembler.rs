//! What `ptxas` and the driver say, and which of our diagnostics are about it.

use super::words;
use crate::describe::MarkdownPage;
use ptx_analysis::Code;
use ptx_isa::{ASSEMBLER_MESSAGES, ISA};

/// The page about a message of the assembler or the driver.
pub fn page(query: &str) -> Option<MarkdownPage> {
    let lower = query.to_lowercase();
    if lower.split_whitespace().count() < 2 && !lower.contains('_') {
        return None;
    }
    let found = ASSEMBLER_MESSAGES.iter().find(|m| m.fits(&lower))?;
    let mut page = MarkdownPage::default();
    page.text(format!("# {}", shown(query)));
    page.text(found.meaning);
    let codes = found.codes.iter().filter_map(|name| Code::named(name));
    let line = |code: Code| format!("`{}` – {}", code.name(), crate::describe::first_sentence(code.page()));
    page.list("Diagnostics for it", codes.map(line));
    // The instruction that the message quotes.
    let quoted = query.split('\'').skip(1).step_by(2).map(words::head);
    let opcode = quoted.filter_map(|word| ISA.opcode(word.split('.').next()?)).next();
    if let Some(opcode) = opcode {
        let entry = opcode.entries.first();
        page.text(format!(
            "`ptx-analyzer explain {}` shows the forms: {}",
            opcode.name,
            entry.map_or("", |e| e.summary)
        ));
    }
    Some(page)
}

/// A message without the file, the line and the severity before it.
fn shown(query: &str) -> &str {
    let lower = query.to_lowercase();
    let marks =
        ["error   :", "error :", "error:", "fatal   :", "fatal :", "fatal:", "warning :", "warning:", "info    :"];
    let end = marks.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).max();
    end.and_then(|at| query.get(at..)).unwrap_or(query).trim()
}

#[cfg(test)]
mod tests {
    use super::{Code, page};
    use ptx_isa::ASSEMBLER_MESSAGES;

    #[test]
    fn every_row_names_diagnostics_that_exist_and_is_found() {
        for message in ASSEMBLER_MESSAGES {
            for code in message.codes {
                assert!(Code::named(code).is_some(), "`{}`: there is no diagnostic `{code}`", message.pattern);
            }
            let said = format!("ptxas a.ptx, line 3; error   : {}", message.pattern.replace('*', "'x'"));
            let page = page(&said).unwrap_or_else(|| panic!("`{said}` has no page")).finish();
            assert!(page.contains(message.meaning), "`{said}` finds another row:\n{page}");
        }
    }
}
