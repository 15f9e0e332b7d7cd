//! The tables as JSON. Names are those of the notation (docs/dev/isa-format.md).
//!
//! Every structure is destructured with all of its fields, so a new field in the tables that is missing here does not
//! compile.

mod common;
mod environment;
mod form;
mod fragment;

use common::{exec, extent, list, texts, word};
use form::form;
use ptx_isa::ISA;
use ptx_isa::tables::{
    BitField, Commutation, Concept, ControlTransfer, EncodedMeaning, Encoding, Entry, IgnoredType, Isa, ListElements,
    ModifierInfo, Note, Opcode, Passage, PredefinedConstant, SelectorPattern, TypeClass, TypeInfo, WrittenTest,
};
use serde_json::{Map, Value, json};

/// The complete tables.
pub fn all() -> String {
    let Isa {
        opcodes,
        types,
        modifiers,
        spaces,
        special_registers,
        directives,
        constants,
        initials,
        fields,
        encodings,
        fragments,
        versions,
        targets,
        multiprocessors,
        concepts,
        assembler,
    } = ISA;
    pretty(&json!({
        "assembler": assembler,
        "instructions": list(opcodes.iter().flat_map(|Opcode { name: _, entries }| *entries), entry),
        "modifiers": list(modifiers, modifier),
        "types": list(types, ty),
        "spaces": list(spaces, environment::space),
        "special_registers": list(special_registers, environment::special_register),
        "directives": list(directives, environment::directive),
        "constants": list(constants, constant),
        "initial_values": list(initials, environment::initial),
        "fields": list(fields, environment::field),
        "encodings": list(encodings, encoding),
        "fragments": list(fragments, fragment::fragment),
        "targets": list(targets, environment::target),
        "multiprocessors": list(multiprocessors, environment::multiprocessor),
        "versions": list(versions, environment::version),
        "concepts": list(concepts, concept),
    }))
}

fn concept(c: &'static Concept) -> Value {
    let Concept { id, title, synonyms, see, doc } = *c;
    json!({"id": id, "title": title, "synonyms": synonyms, "see": see, "doc": doc})
}

/// The instructions whose name is `name` or begins with it.
pub fn opcode(name: &str) -> String {
    let begins =
        |e: &&Entry| e.name == name || e.name.strip_prefix(name).is_some_and(|rest: &str| rest.starts_with('.'));
    let found = ISA.opcodes.iter().flat_map(|o| o.entries).filter(begins);
    pretty(&json!({ "instructions": list(found, entry) }))
}

fn pretty(value: &Value) -> String {
    // Serialization cannot fail: the values consist of strings, numbers and lists.
    serde_json::to_string_pretty(value).map_or_else(|_| String::new(), |text| text + "\n")
}

/// A condition on what is written: one of some modifiers and operands, or none of them.
fn test(test: &WrittenTest) -> Value {
    let WrittenTest { any, negated } = *test;
    json!({"any": any, "negated": negated})
}

fn entry(e: &'static Entry) -> Value {
    let Entry {
        name,
        path,
        family,
        family_title,
        summary,
        manual,
        results,
        doc,
        notes,
        modifiers,
        operands,
        elements,
        unsettled,
        checked,
        flow,
        pure,
        narrow,
        carries,
        computes,
        commutes,
        cycles,
        uniform,
        converge,
        narrow_addresses,
        repeated_results,
        executed,
        forms,
        source,
    } = *e;
    let said =
        |notes: &[Note]| notes.iter().map(|Note { name, doc }| ((*name).to_owned(), json!(doc))).collect::<Map<_, _>>();
    let list_elements = |elements: &ListElements| {
        let ListElements { operand, names, when } = *elements;
        json!({"operand": operand, "names": names, "when": list(when, test)})
    };
    let flow = match flow {
        ControlTransfer::Next => "next",
        ControlTransfer::Branch => "branch",
        ControlTransfer::Call => "call",
        ControlTransfer::Return => "return",
        ControlTransfer::Exit => "exit",
    };
    json!({
        "name": name, "path": path, "family": family, "family_title": family_title, "summary": summary, "manual": manual,
        "results": texts(results), "doc": Passage::join(doc), "notes": texts(notes), "modifiers": said(modifiers), "operands": said(operands),
        "elements": list(elements, list_elements), "unsettled": unsettled,
        "checked": checked, "flow": flow, "pure": pure, "narrow": narrow, "carries": carries, "computes": word(&computes),
        "commutes": commutes.map(|Commutation { first, second, turned }| json!({"first": first, "second": second, "turned": turned})), "cycles": cycles,
        "uniform": uniform.map(extent), "converge": converge, "narrow_addresses": word(&narrow_addresses), "repeated_results": word(&repeated_results), "exec": exec(executed), "forms": list(forms, |f| form(e, f)), "source": source,
    })
}

fn modifier(m: &'static ModifierInfo) -> Value {
    let ModifierInfo { name, repeats, ignored, converge, keeps_order, read_only, usual, summary, doc } = *m;
    json!({"name": name, "repeats": repeats, "ignored": ignored, "converge": converge, "keeps_order": keeps_order,
        "read_only": read_only, "usual": usual, "summary": summary, "doc": doc})
}

fn ty(t: &'static TypeInfo) -> Value {
    let TypeInfo {
        name,
        class,
        bits,
        agrees,
        registers,
        variables,
        parameters,
        vectors,
        prototypes,
        uncallable,
        ungated,
        ignored,
        summary,
        manual,
        doc,
        gates,
    } = *t;
    let class: TypeClass = class;
    json!({
        "name": name, "class": word(&class), "bits": bits, "agrees": agrees, "registers": registers, "variables": variables,
        "parameters": parameters, "vectors": vectors, "prototypes": prototypes, "uncallable": uncallable, "ungated": ungated,
        "ignored": ignored == IgnoredType::Everywhere, "ignored_on": word(&ignored),
        "summary": summary, "manual": manual, "doc": doc, "gates": common::gates(gates),
    })
}

fn constant(c: &'static PredefinedConstant) -> Value {
    let PredefinedConstant { name, value, summary, manual, doc, gates } = *c;
    json!({"name": name, "value": value, "summary": summary, "manual": manual, "doc": doc, "gates": common::gates(gates)})
}

fn encoding(e: &'static Encoding) -> Value {
    let Encoding { name, table, selects, patterns, fields, values, measure, unit, summary, manual, doc } = *e;
    let pattern = |SelectorPattern { modifier, rows }: &SelectorPattern| json!({"modifier": modifier, "rows": rows});
    let field = |f: &BitField| {
        let BitField { low, high, name, times, when, values } = *f;
        json!({"low": low, "high": high, "name": name, "times": times, "when": when, "values": list(values, meaning)})
    };
    json!({
        "name": name, "table": table, "selects": selects, "patterns": list(patterns, pattern),
        "fields": list(fields, field), "values": list(values, meaning), "measure": measure, "unit": unit,
        "summary": summary, "manual": manual, "doc": doc,
    })
}

fn meaning(m: &EncodedMeaning) -> Value {
    let EncodedMeaning { number, words } = *m;
    json!({"number": number, "words": words})
}
