//! `formatting.*`

use super::Reader;
use ptx_ide::{FormatOptions, Operands};
use serde_json::Value;

/// Settings of formatting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatting {
    /// How a text is to look; the client says how it is indented.
    pub options: FormatOptions,
    /// Whether what is typed is formatted when it ends.
    pub on_type: bool,
}

impl Default for Formatting {
    fn default() -> Self {
        Self { options: FormatOptions::default(), on_type: true }
    }
}

impl Reader {
    /// Reads them.
    pub(super) fn formatting(&mut self, value: &Value, out: &mut Formatting) {
        for (key, value) in self.object(value, "formatting").into_iter().flatten() {
            let name = format!("formatting.{key}");
            let options = &mut out.options;
            match key.as_str() {
                "alignComments" => self.bool(value, &name, &mut options.align_comments),
                "alignDeclarations" => self.bool(value, &name, &mut options.align_declarations),
                "blankLines" => self.number(value, &name, &mut options.blank_lines),
                "onType" => self.bool(value, &name, &mut out.on_type),
                "operandColumn" => self.number(value, &name, &mut options.operand_column),
                "operands" => match value.as_str() {
                    Some("column") => options.operands = Operands::Column,
                    Some("run") => options.operands = Operands::Run,
                    Some("off") => options.operands = Operands::Off,
                    None if value.is_null() => {}
                    _ => self.wrong(&name, "one of `column`, `run` and `off`"),
                },
                "outdentGuards" => self.bool(value, &name, &mut options.outdent_guards),
                "outdentLabels" => self.bool(value, &name, &mut options.outdent_labels),
                "width" => self.number(value, &name, &mut options.width),
                _ => self.unknown(&name),
            }
        }
        // A mistyped number must not make lines of a gigabyte.
        let options = &mut out.options;
        for number in [&mut options.blank_lines, &mut options.operand_column, &mut options.width] {
            *number = (*number).min(1000);
        }
    }
}
