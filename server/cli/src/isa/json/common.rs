//! What the tables have in common: lists, texts, gates.

use ptx_isa::tables::{Executed, Gate, GateAlternative, GateKind, Passage, UniformExtent};
use serde_json::{Value, json};

pub fn list<T>(items: impl IntoIterator<Item = T>, one: impl FnMut(T) -> Value) -> Value {
    Value::Array(items.into_iter().map(one).collect())
}

pub fn texts(passages: &[Passage]) -> Vec<&'static str> {
    passages.iter().map(|p| p.text).collect()
}

/// How the interpreter executes an instruction, or one of its forms if that differs.
pub fn exec(said: Executed) -> Value {
    let Executed { key, exec: _, refused } = said;
    match (key, refused) {
        ("", "") => Value::Null,
        ("", _) => json!({"refused": refused}),
        _ => json!({"key": key}),
    }
}

pub fn extent(extent: UniformExtent) -> &'static str {
    match extent {
        UniformExtent::Cta => "cta",
        UniformExtent::Warp => "warp",
        UniformExtent::None => "none",
    }
}

/// The name of an enum variant in the notation: `ShiftLeft` is `shift-left`.
pub fn word(choice: &impl std::fmt::Debug) -> String {
    let mut out = String::new();
    for c in format!("{choice:?}").chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Gates that have no conditions.
pub fn gates(gates: &'static [Gate]) -> Value {
    list(gates, |gate| gate_with(gate, Vec::new()))
}

pub fn gate_with(gate: &'static Gate, when: Vec<Value>) -> Value {
    let Gate { kind, alternatives, when: _, note } = *gate;
    let kind = match kind {
        GateKind::Needs => "needs",
        GateKind::Until => "until",
        GateKind::Deprecated => "deprecated",
    };
    let one = |a: &GateAlternative| {
        let GateAlternative { ptx, feature } = *a;
        json!({"ptx": ptx.map(|v| v.to_string()), "target": feature})
    };
    json!({"kind": kind, "alternatives": list(alternatives, one), "when": when, "note": note})
}
