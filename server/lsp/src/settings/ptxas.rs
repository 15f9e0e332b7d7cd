//! `ptxas.*`. Settings can come from a project, so these hold only where the client says that they do not: see [`crate::assembler`].

use super::{Reader, strings};
use serde_json::Value;

/// Settings of the comparison with NVIDIA's assembler, as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptxas {
    /// Where the executable is; empty for none.
    pub path: String,
    /// What it is called with besides.
    pub arguments: Vec<String>,
    /// How many seconds it may take.
    pub timeout: usize,
}

impl Default for Ptxas {
    fn default() -> Self {
        Self { path: String::new(), arguments: Vec::new(), timeout: 60 }
    }
}

impl Reader {
    pub(super) fn ptxas(&mut self, value: &Value, out: &mut Ptxas) {
        for (key, value) in self.object(value, "ptxas").into_iter().flatten() {
            let name = format!("ptxas.{key}");
            match (key.as_str(), value) {
                ("path" | "arguments", Value::Null) => {}
                ("path", Value::String(path)) => path.trim().clone_into(&mut out.path),
                ("path", _) => self.wrong(&name, "the absolute path of an executable"),
                ("arguments", _) => match strings(value) {
                    Some(arguments) => out.arguments = arguments,
                    None => self.wrong(&name, "a list of options such as `[\"--maxrregcount\", \"64\"]`"),
                },
                ("timeout", _) => self.number(value, &name, &mut out.timeout),
                _ => self.unknown(&name),
            }
        }
        // At most an hour; at least a second, which the smallest module may take on a busy machine.
        out.timeout = out.timeout.clamp(1, 3600);
    }
}
