//! The arguments of a call: only those that the schema names, each of its type. Messages say what to do.

use super::schema;
use serde_json::{Map, Value};

/// Arguments with known names.
pub struct ToolArguments {
    tool: String,
    values: Map<String, Value>,
    schema: Value,
}

impl ToolArguments {
    /// Checks the names of the arguments of a tool. `null` stands for an argument that is left out.
    ///
    /// # Errors
    /// If the tool has no such argument, or lacks one that it needs.
    pub fn new(tool: &str, mut values: Map<String, Value>) -> Result<Self, String> {
        values.retain(|_, value| !value.is_null());
        let schema = schema::tools().into_iter().find(|t| t.name == tool).map(|t| t.input).unwrap_or_default();
        let known: Vec<&str> =
            schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = values.keys().find(|name| !known.contains(&name.as_str())) {
            let unknown: String = unknown.chars().take(80).collect();
            return Err(format!("`{tool}` has no argument `{unknown}`; it has {}", list(&known)));
        }
        let needed = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = needed.into_iter().find(|name| !values.contains_key(*name)) {
            return Err(format!("`{tool}` needs the argument `{missing}`"));
        }
        Ok(Self { tool: tool.to_owned(), values, schema })
    }

    /// The name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    fn wrong(&self, name: &str, expected: &str) -> String {
        format!("the argument `{name}` of `{}` must be {expected}", self.tool)
    }

    /// A text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.values.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// If it is not, or is something else.
    pub fn needed(&self, name: &str) -> Result<&str, String> {
        self.text(name)?.ok_or_else(|| format!("`{}` needs the argument `{name}`", self.tool))
    }

    /// A whole number within the limits of the schema.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&self, name: &str) -> Result<Option<usize>, String> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let limit = |key: &str| self.schema["properties"][name][key].as_u64();
        let (least, most) = (limit("minimum").unwrap_or(0), limit("maximum").unwrap_or(u64::MAX));
        // Some clients write `3.0`.
        let whole = || value.as_f64().filter(|n| *n as u64 as f64 == *n && (0.0..9e15).contains(n)).map(|n| n as u64);
        let number = value.as_u64().or_else(whole).filter(|n| (least..=most).contains(n));
        let number = number.and_then(|n| usize::try_from(n).ok());
        number.map(Some).ok_or_else(|| self.wrong(name, &format!("a whole number from {least} to {most}")))
    }

    /// The number of items to list.
    ///
    /// # Errors
    /// If it is not a number.
    pub fn max(&self, usual: u64) -> Result<usize, String> {
        Ok(self.number("max")?.unwrap_or(usual as usize))
    }

    /// A yes or no, `false` if it is left out.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&self, name: &str) -> Result<bool, String> {
        match self.values.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// Lanes of a warp.
    ///
    /// # Errors
    /// If they are something else.
    pub fn lanes(&self, name: &str) -> Result<Option<Vec<u32>>, String> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let lane = |value: &Value| value.as_u64().filter(|lane| *lane < 32).map(|lane| lane as u32);
        let lanes = value.as_array().filter(|all| all.len() <= 32);
        let lanes = lanes.and_then(|all| all.iter().map(lane).collect::<Option<Vec<_>>>());
        lanes.map(Some).ok_or_else(|| self.wrong(name, "a list of lanes from 0 to 31, such as [0, 31]"))
    }
}
