//! Forms and their operands as JSON.

use super::common::{exec, gate_with, list, word};
use ptx_ide::reference::example::{ReferenceExample, examples};
use ptx_isa::tables::{
    ByteCount, Effect, Emulation, Entry, Form, FormOperand, FormPattern, FormValue as Spec, Implied, Length,
    Map as Lengths, MapRow, ModifierSlot, OperandAccess, OperandPair, OperandTest, Protocol, Range, Rule, RuleKind,
    SlotTest, Spaces, Successor, Temporaries, Term, TypeExpr, Unbuilt, Usual, ValueKind, Verb,
};
use serde_json::{Map, Value, json};

/// A form. References to slots by index become references by name.
pub fn form(e: &'static Entry, f: &'static Form) -> Value {
    let Form {
        text,
        documented,
        tolerated,
        slots,
        operands,
        order,
        first,
        repeat,
        maps,
        rules,
        gates,
        successors,
        implied,
        unbuilt,
        checks,
        effects,
        temporaries,
        emulations,
        executed,
        source,
    } = *f;
    let names = |slots: &[u8]| slots.iter().map(|s| name(*s, f)).collect::<Vec<_>>();
    let slot = |s: &ModifierSlot| {
        let ModifierSlot { name, set: _, values, tolerated, optional, expected, group, is_type, after_operand } = *s;
        json!({"name": name, "values": values, "tolerated": tolerated, "optional": optional, "expected": expected, "group": group, "is_type": is_type,
            "after_operand": (after_operand != 0).then(|| after_operand - 1)})
    };
    let map = |m: &Lengths| {
        let Lengths { name, slots, rows } = *m;
        let row = |MapRow { key, lengths }: &MapRow| ((*key).to_owned(), json!(lengths));
        json!({"name": name, "slots": names(slots), "lengths": rows.iter().map(row).collect::<Map<_, _>>()})
    };
    let successor = |s: &Successor| {
        let Successor { add, remove, operands } = *s;
        json!({"add": add, "remove": remove, "operands": operands})
    };
    let implied_one = |i: &'static Implied| {
        let Implied { slot, value, plain, when, doc } = *i;
        json!({"slot": name(slot, f), "value": value, "plain": plain, "when": terms(when, f), "doc": doc})
    };
    let effect = |e: &'static Effect| {
        let Effect { verb, protocol, operand, when } = *e;
        let verb = Verb::NAMES.iter().find(|(_, v)| *v == verb).map(|(name, _)| name);
        let protocol = Protocol::NAMES.iter().find(|(_, p)| *p == protocol).map(|(name, _)| name);
        json!({"verb": verb, "protocol": protocol, "operand": operand, "when": terms(when, f)})
    };
    let example = |e: ReferenceExample| {
        let ReferenceExample { statement, version, target, module } = e;
        json!({"statement": statement, "ptx": version.to_string(), "target": target, "module": module})
    };
    json!({
        "text": text,
        "documented": documented,
        "tolerated": tolerated,
        "slots": list(slots, slot),
        "operands": list(operands, |o| operand(o, f)),
        "order": list(order, |o| json!(names(o))),
        "first": names(first),
        "repeat": repeat,
        "maps": list(maps, map),
        "rules": list(rules, |r| rule(r, f)),
        "gates": list(gates, |g| gate_with(g, terms(g.when, f))),
        "instead": list(successors, successor),
        "implied": list(implied, implied_one),
        "unbuilt": list(unbuilt, |u| {
            let Unbuilt { outcome, when, note } = *u;
            json!({"outcome": word(&outcome), "when": terms(when, f), "note": note})
        }),
        "checks": checks,
        "effects": list(effects, effect),
        "temporaries": list(temporaries, |t| {
            let Temporaries { registers, when } = *t;
            json!({"registers": registers, "when": terms(when, f)})
        }),
        "emulations": list(emulations, |e| {
            let Emulation { from, until, operands, when } = *e;
            json!({"from": from, "until": until, "operands": operands, "when": terms(when, f)})
        }),
        "exec": exec(executed),
        "examples": list(examples(e, f), example),
        "source": source,
    })
}

fn name(slot: u8, f: &Form) -> &'static str {
    f.slots.get(usize::from(slot)).map_or("", |s| s.name)
}

fn operand(o: &'static FormOperand, f: &'static Form) -> Value {
    let FormOperand { pattern, optional, tolerated } = o;
    let mut value = match pattern {
        FormPattern::Value(v) => json!({"value": spec(v, f)}),
        FormPattern::Address(parts) => json!({"address": list(*parts, |v| spec(v, f))}),
        FormPattern::Pair(OperandPair { first, second, optional }) => {
            json!({"pair": [spec(first, f), spec(second, f)], "second_optional": optional})
        }
        FormPattern::Arguments(v) => json!({"arguments": spec(v, f)}),
        FormPattern::Sink => json!({"sink": true}),
    };
    value["optional"] = json!(optional);
    value["tolerated"] = json!(tolerated);
    value
}

fn spec(v: &'static Spec, f: &'static Form) -> Value {
    let Spec {
        name,
        id: _,
        access,
        kind,
        ty,
        length,
        sink,
        holes,
        wider,
        special,
        symbol,
        symbol_spaces,
        negatable,
        lead,
        minus,
        mixed,
        naked,
        generic,
        unified,
        untyped,
        expanded,
        plain,
        untested,
        least,
        flat,
        handles,
        data,
        braces,
        paired,
        alone,
        headed,
        sized,
        whole,
        pattern,
        predicate,
        number,
        functions,
        single,
        loose,
        lax,
        parts,
        lists,
        bare,
        exact,
        wraps,
        register_only,
        immediate_only,
        lanes,
        reads_if,
        bytes,
        align,
        select,
        ranges,
        usual,
        decodes,
    } = *v;
    let access = match access {
        OperandAccess::Read => "read",
        OperandAccess::Write => "write",
        OperandAccess::Update => "update",
    };
    let kind = match kind {
        ValueKind::Value => json!("value"),
        ValueKind::Address(s) => json!({"address": spaces(s, f)}),
        ValueKind::Label => json!("label"),
        ValueKind::Function => json!("function"),
        ValueKind::Targets => json!("targets"),
        ValueKind::Arguments => json!("arguments"),
        ValueKind::Opaque(name) => json!(name),
        ValueKind::Any => json!("any"),
    };
    let flags = [
        ("sink", sink),
        ("holes", holes),
        ("wider", wider),
        ("special", special),
        ("symbol", symbol),
        ("negatable", negatable),
        ("minus", minus),
        ("mixed", mixed),
        ("naked", naked),
        ("generic", generic),
        ("unified", unified),
        ("untyped", untyped),
        ("macro", expanded),
        ("plain", plain),
        ("untested", untested),
        ("handles", handles),
        ("data", data),
        ("braces", braces),
        ("paired", paired),
        ("alone", alone),
        ("headed", headed),
        ("sized", sized),
        ("whole", whole),
        ("pattern", pattern),
        ("predicate", predicate),
        ("number", number),
        ("functions", functions),
        ("single", single),
        ("loose", loose),
        ("lax", lax),
        ("parts", parts),
        ("lists", lists),
        ("bare", bare),
        ("exact", exact),
        ("wraps", wraps),
        ("reg", register_only),
        ("imm", immediate_only),
        ("lanes", lanes),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
    let usual = match usual {
        Usual::Any => Value::Null,
        Usual::In(r) => range(&r),
        Usual::NotZero => json!("not-zero"),
        Usual::Below(ty) => json!({"below": type_text(ty, f)}),
    };
    json!({
        "name": name, "access": access, "kind": kind, "type": type_text(ty, f), "lead": type_text(lead, f),
        "length": self::length(length, f), "flags": flags, "select": select, "in": list(ranges, range), "usual": usual,
        "decodes": decodes, "least": least, "flat": flat, "reads_if": reads_if, "bytes": self::bytes(bytes), "align": self::bytes(align),
        "symbol_spaces": symbol.then(|| spaces(symbol_spaces, f)),
    })
}

fn range(r: &Range) -> Value {
    let Range { low, high, step } = *r;
    json!({"low": low, "high": high, "step": step})
}

fn bytes(bytes: ByteCount) -> Value {
    match bytes {
        ByteCount::Natural => Value::Null,
        ByteCount::Fixed(n) => json!(n),
        ByteCount::Operand(name) => json!({"operand": name}),
    }
}

fn spaces(s: Spaces, f: &'static Form) -> Value {
    match s {
        Spaces::Generic => json!("generic"),
        Spaces::Slot(slot) => json!({"slot": name(slot, f)}),
        Spaces::Named(names) => json!(names),
    }
}

fn type_text(ty: TypeExpr, f: &'static Form) -> Value {
    fn text(ty: TypeExpr, f: &'static Form) -> String {
        match ty {
            TypeExpr::None => String::new(),
            TypeExpr::Slot(slot) => name(slot, f).to_owned(),
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
        Length::Slot(slot) => json!({"slot": name(slot, f)}),
        Length::Map(map) => json!({"map": f.maps.get(usize::from(map)).map(|m| m.name)}),
        Length::Formula(formula) => json!({"formula": formula.text(|slot| name(slot, f))}),
    }
}

fn rule(r: &'static Rule, f: &'static Form) -> Value {
    let Rule { kind, what, when, message } = *r;
    let kind = match kind {
        RuleKind::Forbid => "forbid",
        RuleKind::Require => "require",
        RuleKind::Iff => "iff",
    };
    json!({"kind": kind, "what": terms(what, f), "when": terms(when, f), "message": message})
}

fn terms(terms: &'static [Term], f: &'static Form) -> Vec<Value> {
    let one = |t: &'static Term| match *t {
        Term::Slot(SlotTest { slot, values, negated }) => {
            json!({"slot": name(slot, f), "values": values, "negated": negated})
        }
        Term::Operand(OperandTest { name, negated }) => json!({"operand": name, "negated": negated}),
    };
    terms.iter().map(one).collect()
}
