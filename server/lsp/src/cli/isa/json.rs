//! The tables as JSON. Names are those of the notation (docs/isa-format.md).

use ptx_isa::ISA;
use ptx_isa::tables::{
    Access, Entry, Form, Gate, GateKind, Kind, Length, Note, Operand, Pattern, Rule, RuleKind, Spaces, Term, TypeExpr,
    Value as Spec,
};
use serde_json::{Map, Value, json};

/// Everything.
pub fn all() -> String {
    let entries = ISA.opcodes.iter().flat_map(|o| o.entries);
    let modifiers = ISA.modifiers.iter().map(|m| json!({"name": m.name, "summary": m.summary, "doc": m.doc}));
    let types = ISA.types.iter().map(|t| {
        json!({"name": t.name, "class": format!("{:?}", t.class).to_lowercase(), "bits": t.bits, "agrees": t.agrees,
            "registers": t.registers, "variables": t.variables, "parameters": t.parameters, "vectors": t.vectors,
            "prototypes": t.prototypes, "ungated": t.ungated, "summary": t.summary, "manual": t.manual, "doc": t.doc,
            "gates": gates(t.gates, None)})
    });
    let spaces = ISA.spaces.iter().map(|s| {
        let declared = s.declared.iter().map(|p| json!({"where": p.names, "align": p.align, "gates": gates(p.gates, None)}));
        let holds = s.holds.iter().map(|c| json!({"bytes": c.bytes, "gates": gates(c.gates, None)}));
        json!({"name": s.name, "generic": s.generic, "summary": s.summary, "manual": s.manual, "doc": s.doc,
            "declared": declared.collect::<Vec<_>>(), "holds": holds.collect::<Vec<_>>(), "gates": gates(s.gates, None)})
    });
    let registers = ISA.special_registers.iter().map(|r| {
        json!({"name": r.name, "type": r.ty, "components": r.components, "count": r.count, "summary": r.summary,
            "manual": r.manual, "doc": r.doc, "notes": r.notes, "gates": gates(r.gates, None)})
    });
    let directives = ISA.directives.iter().map(|d| {
        json!({"name": d.name, "syntax": d.syntax, "where": d.places, "spaces": d.spaces, "summary": d.summary, "manual": d.manual,
            "doc": d.doc, "notes": d.notes, "gates": gates(d.gates, None)})
    });
    let constants = ISA
        .constants
        .iter()
        .map(|c| json!({"name": c.name, "value": c.value, "summary": c.summary, "manual": c.manual, "doc": c.doc}));
    let targets = ISA.targets.iter().map(|t| {
        json!({"name": t.name, "features": t.features, "summary": t.summary, "doc": t.doc, "gates": gates(t.gates, None)})
    });
    let versions = ISA.versions.iter().map(|v| json!({"version": v.version.to_string(), "summary": v.summary}));
    pretty(&json!({
        "instructions": entries.map(entry).collect::<Vec<_>>(),
        "modifiers": modifiers.collect::<Vec<_>>(),
        "types": types.collect::<Vec<_>>(),
        "spaces": spaces.collect::<Vec<_>>(),
        "special_registers": registers.collect::<Vec<_>>(),
        "directives": directives.collect::<Vec<_>>(),
        "constants": constants.collect::<Vec<_>>(),
        "targets": targets.collect::<Vec<_>>(),
        "versions": versions.collect::<Vec<_>>(),
    }))
}

/// The instructions whose name is `name` or begins with it.
pub fn opcode(name: &str) -> String {
    let begins =
        |e: &&Entry| e.name == name || e.name.strip_prefix(name).is_some_and(|rest: &str| rest.starts_with('.'));
    let found = ISA.opcodes.iter().flat_map(|o| o.entries).filter(begins).map(entry).collect::<Vec<_>>();
    pretty(&json!({ "instructions": found }))
}

fn pretty(value: &Value) -> String {
    // Values made of strings, numbers and lists can always be written.
    serde_json::to_string_pretty(value).map_or_else(|_| String::new(), |text| text + "\n")
}

fn entry(e: &'static Entry) -> Value {
    let notes = |notes: &[Note]| notes.iter().map(|n| (n.name.to_owned(), json!(n.doc))).collect::<Map<_, _>>();
    json!({
        "name": e.name, "family": e.family, "summary": e.summary, "manual": e.manual, "doc": e.doc, "notes": e.notes,
        "modifiers": notes(e.modifiers), "operands": notes(e.operands), "unsettled": e.unsettled, "checked": e.checked,
        "forms": e.forms.iter().map(form).collect::<Vec<_>>(), "source": e.source,
    })
}

fn form(f: &'static Form) -> Value {
    let slots = f.slots.iter().map(|s| {
        json!({"name": s.name, "values": s.values, "optional": s.optional, "group": s.group,
            "after_operand": (s.after_operand != 0).then(|| s.after_operand - 1)})
    });
    let maps = f.maps.iter().map(|m| {
        let rows = m.rows.iter().map(|r| (r.key.to_owned(), json!(r.lengths))).collect::<Map<_, _>>();
        let slots: Vec<&str> = m.slots.iter().map(|s| f.slots[usize::from(*s)].name).collect();
        json!({"name": m.name, "slots": slots, "lengths": rows})
    });
    let names = |slots: &[u8]| slots.iter().map(|s| f.slots[usize::from(*s)].name).collect::<Vec<_>>();
    json!({
        "text": f.text,
        "slots": slots.collect::<Vec<_>>(),
        "operands": f.operands.iter().map(|o| operand(o, f)).collect::<Vec<_>>(),
        "order": f.order.iter().map(|o| names(o)).collect::<Vec<_>>(),
        "first": names(f.first),
        "repeat": f.repeat,
        "maps": maps.collect::<Vec<_>>(),
        "rules": f.rules.iter().map(|r| rule(r, f)).collect::<Vec<_>>(),
        "gates": gates(f.gates, Some(f)),
        "checks": f.checks,
    })
}

fn operand(o: &'static Operand, f: &'static Form) -> Value {
    let mut value = match &o.pattern {
        Pattern::Value(v) => json!({"value": spec(v, f)}),
        Pattern::Address(parts) => json!({"address": parts.iter().map(|v| spec(v, f)).collect::<Vec<_>>()}),
        Pattern::Pair(p) => {
            json!({"pair": [spec(&p.first, f), spec(&p.second, f)], "second_optional": p.optional})
        }
        Pattern::Arguments(v) => json!({"arguments": spec(v, f)}),
        Pattern::Sink => json!({"sink": true}),
    };
    value["optional"] = json!(o.optional);
    value
}

fn spec(v: &'static Spec, f: &'static Form) -> Value {
    let access = match v.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Update => "update",
    };
    let kind = match v.kind {
        Kind::Value => json!("value"),
        Kind::Address(s) => json!({"address": spaces(s, f)}),
        Kind::Label => json!("label"),
        Kind::Function => json!("function"),
        Kind::Targets => json!("targets"),
        Kind::Arguments => json!("arguments"),
        Kind::Opaque(name) => json!(name),
        Kind::Any => json!("any"),
    };
    let flags = [
        ("sink", v.sink),
        ("holes", v.holes),
        ("wider", v.wider),
        ("special", v.special),
        ("symbol", v.symbol),
        ("negatable", v.negatable),
        ("minus", v.minus),
        ("mixed", v.mixed),
        ("naked", v.naked),
        ("untyped", v.untyped),
        ("macro", v.expanded),
        ("braces", v.braces),
        ("loose", v.loose),
        ("lists", v.lists),
        ("bare", v.bare),
        ("exact", v.exact),
        ("reg", v.register_only),
        ("imm", v.immediate_only),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
    let ranges: Vec<Value> = v.ranges.iter().map(|r| json!({"low": r.low, "high": r.high, "step": r.step})).collect();
    json!({
        "name": v.name, "access": access, "kind": kind, "type": type_text(v.ty, f), "lead": type_text(v.lead, f),
        "length": length(v.length, f), "flags": flags, "select": v.select, "in": ranges,
    })
}

fn spaces(s: Spaces, f: &'static Form) -> Value {
    match s {
        Spaces::Generic => json!("generic"),
        Spaces::Slot(slot) => json!({"slot": f.slots[usize::from(slot)].name}),
        Spaces::Named(names) => json!(names),
    }
}

fn type_text(ty: TypeExpr, f: &'static Form) -> Value {
    fn text(ty: TypeExpr, f: &'static Form) -> String {
        match ty {
            TypeExpr::None => String::new(),
            TypeExpr::Slot(slot) => f.slots[usize::from(slot)].name.to_owned(),
            TypeExpr::Named(name) => name.to_owned(),
            TypeExpr::Wide(inner) => format!("wide({})", text(*inner, f)),
            TypeExpr::Half(inner) => format!("half({})", text(*inner, f)),
            TypeExpr::Bits(inner) => format!("bits({})", text(*inner, f)),
        }
    }
    match ty {
        TypeExpr::None => Value::Null,
        _ => json!(text(ty, f)),
    }
}

fn length(length: Length, f: &'static Form) -> Value {
    match length {
        Length::Scalar => Value::Null,
        Length::Fixed(n) => json!(n),
        Length::Slot(slot) => json!({"slot": f.slots[usize::from(slot)].name}),
        Length::Map(map) => json!({"map": f.maps[usize::from(map)].name}),
        Length::Formula(formula) => {
            let name = |slot: u8| f.slots[usize::from(slot)].name;
            json!({"formula": formula.text(name)})
        }
    }
}

fn rule(r: &'static Rule, f: &'static Form) -> Value {
    let kind = match r.kind {
        RuleKind::Forbid => "forbid",
        RuleKind::Require => "require",
        RuleKind::Iff => "iff",
    };
    json!({"kind": kind, "what": terms(r.what, f), "when": terms(r.when, f), "message": r.message})
}

fn terms(terms: &'static [Term], f: &'static Form) -> Vec<Value> {
    let one = |t: &'static Term| match t {
        Term::Slot(test) => {
            json!({"slot": f.slots[usize::from(test.slot)].name, "values": test.values, "negated": test.negated})
        }
        Term::Operand(test) => json!({"operand": test.name, "negated": test.negated}),
    };
    terms.iter().map(one).collect()
}

fn gates(gates: &'static [Gate], f: Option<&'static Form>) -> Vec<Value> {
    let one = |g: &'static Gate| {
        let kind = match g.kind {
            GateKind::Needs => "needs",
            GateKind::Until => "until",
            GateKind::Deprecated => "deprecated",
        };
        let alternatives: Vec<Value> =
            g.alternatives.iter().map(|a| json!({"ptx": a.ptx.map(|v| v.to_string()), "target": a.feature})).collect();
        let when = f.map(|f| terms(g.when, f)).unwrap_or_default();
        json!({"kind": kind, "alternatives": alternatives, "when": when, "note": g.note})
    };
    gates.iter().map(one).collect()
}
