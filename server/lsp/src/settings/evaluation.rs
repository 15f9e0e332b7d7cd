//! `evaluation.*`

use super::{Reader, strings};
use ptx_interp::findings::{Checks, Kind};
use ptx_interp::machine;
use serde_json::Value;

/// Settings of evaluating kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Whether kernels are evaluated at all.
    pub enable: bool,
    /// Whether what was evaluated is evaluated again after an edit.
    pub live: bool,
    /// Whether values are shown at the ends of lines.
    pub hints: bool,
    /// A run stops after so many warp instructions.
    pub steps: u64,
    /// What is looked for.
    pub checks: Checks,
}

impl Default for Evaluation {
    fn default() -> Self {
        let machine::Settings { checks, limit, .. } = machine::Settings::default();
        Self { enable: true, live: true, hints: true, steps: limit, checks }
    }
}

impl Reader {
    /// Reads them.
    pub(super) fn evaluation(&mut self, value: &Value, out: &mut Evaluation) {
        for (key, value) in self.object(value, "evaluation").into_iter().flatten() {
            let name = format!("evaluation.{key}");
            match key.as_str() {
                "enable" => self.bool(value, &name, &mut out.enable),
                "live" => self.bool(value, &name, &mut out.live),
                "hints" => self.bool(value, &name, &mut out.hints),
                "find" => self.kinds(value, &name, true, &mut out.checks),
                "without" => self.kinds(value, &name, false, &mut out.checks),
                "steps" => {
                    let mut steps = usize::try_from(out.steps).unwrap_or(usize::MAX);
                    self.number(value, &name, &mut steps);
                    out.steps = (steps as u64).max(1);
                }
                _ => self.unknown(&name),
            }
        }
    }

    /// A list of kinds of findings that are looked for, or not.
    fn kinds(&mut self, value: &Value, name: &str, wanted: bool, out: &mut Checks) {
        if value.is_null() {
            return;
        }
        let kind = |text: &String| Kind::optional_named(text).ok();
        match strings(value).and_then(|names| names.iter().map(kind).collect::<Option<Vec<Kind>>>()) {
            Some(kinds) => kinds.into_iter().for_each(|kind| *out = out.with(kind, wanted)),
            None => self.wrong(name, "a list of what can be looked for or not, such as `[\"race\", \"nan\"]`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Problem, Settings};
    use ptx_interp::findings::Kind;
    use serde_json::json;

    #[test]
    fn what_is_looked_for() {
        let (settings, problems) =
            Settings::read(&json!({"evaluation": {"live": false, "steps": 0, "find": ["nan"], "without": ["race"]}}));
        assert!(problems.is_empty(), "{problems:?}");
        let found = settings.evaluation;
        assert!(!found.live && found.enable && found.hints && found.steps == 1);
        assert!(found.checks.has(Kind::NotANumber) && !found.checks.has(Kind::Race) && found.checks.has(Kind::Barrier));
        // What ends a run is always found.
        for wrong in [json!(["trap"]), json!(["rice"]), json!("race")] {
            let (settings, problems) = Settings::read(&json!({"evaluation": {"without": wrong}}));
            assert!(
                matches!(&problems[..], [Problem::Wrong { name, .. }] if name == "ptx-analyzer.evaluation.without")
            );
            assert_eq!(settings, Settings::default());
        }
    }
}
