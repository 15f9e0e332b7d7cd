//! Targets, versions, state spaces, special registers and directives as JSON.

use super::common::{extent, gates, list, word};
use ptx_isa::tables::{
    Assembler, Capacity, DataType, DeclarationPlace, Directive, DirectivePart, FieldInfo, GridRole, InitialKind,
    Multiprocessor, NamedValue, PtxVersion, SpaceInfo, SpecialRegister, Takes, TargetInfo,
};
use serde_json::{Value, json};

/// A state space.
pub fn space(s: &'static SpaceInfo) -> Value {
    let SpaceInfo {
        name,
        generic,
        absolute,
        named,
        fixed,
        window,
        wide,
        textures,
        cycles,
        declared,
        holds,
        summary,
        manual,
        doc,
        gates: own,
    } = *s;
    let place = |p: &'static DeclarationPlace| {
        let DeclarationPlace { names, align, gates: own } = *p;
        json!({"where": names, "align": align, "gates": gates(own)})
    };
    let capacity = |c: &'static Capacity| {
        let Capacity { bytes, gates: own } = *c;
        json!({"bytes": bytes, "gates": gates(own)})
    };
    json!({
        "name": name, "generic": generic, "absolute": absolute, "named": named, "fixed": fixed, "window": window, "wide": wide, "textures": textures, "cycles": cycles,
        "declared": list(declared, place), "holds": list(holds, capacity), "summary": summary, "manual": manual,
        "doc": doc, "gates": gates(own),
    })
}

/// A special register.
pub fn special_register(r: &'static SpecialRegister) -> Value {
    let SpecialRegister {
        name,
        ty,
        components,
        summary,
        manual,
        doc,
        notes,
        gates: own,
        also_read,
        requires,
        count,
        uniform,
        changes,
        lane_bits,
        grid,
        at_most,
    } = *r;
    let grid = match grid {
        GridRole::None => Value::Null,
        GridRole::Thread => json!("thread"),
        GridRole::CtaSize => json!("cta-size"),
        GridRole::Cta => json!("cta"),
        GridRole::Size => json!("size"),
        GridRole::Lane => json!("lane"),
    };
    json!({
        "name": name, "type": ty, "components": components, "count": count, "also_read": also_read, "requires": requires,
        "uniform": extent(uniform), "changes": changes, "lane_bits": lane_bits, "grid": grid, "at_most": at_most, "summary": summary, "manual": manual, "doc": doc, "notes": notes, "gates": gates(own),
    })
}

/// A directive.
pub fn directive(d: &'static Directive) -> Value {
    let Directive {
        name,
        syntax,
        places,
        summary,
        manual,
        doc,
        notes,
        gates: own,
        takes,
        limit,
        limit_note,
        excludes,
        requires,
        idle_without,
        before,
        parts,
        values,
        data,
        spaces,
        words,
        system,
        registers,
        keeps_loops,
        bounds,
    } = *d;
    let takes = takes.map(|takes| {
        let Takes { kind, least, most, from, to, late } = takes;
        json!({"kind": word(&kind), "least": least, "most": most, "from": from, "to": to, "late": late})
    });
    let part = |p: &'static DirectivePart| {
        let DirectivePart { name, gates: own } = *p;
        json!({"name": name, "gates": gates(own)})
    };
    let value = |v: &NamedValue| {
        let NamedValue { number, name } = *v;
        json!({"name": name, "number": number})
    };
    let datum = |d: &DataType| {
        let DataType { name, bits, checked, labels } = *d;
        json!({"name": name, "bits": bits, "checked": checked, "labels": labels})
    };
    json!({
        "name": name, "syntax": syntax, "where": places, "takes": takes, "limit": limit, "limit_note": limit_note,
        "excludes": excludes, "requires": requires, "idle_without": idle_without, "before": before,
        "parts": list(parts, part), "values": list(values, value), "data": list(data, datum), "spaces": spaces,
        "words": words, "system": system, "registers": registers, "keeps_loops": keeps_loops, "bounds": bounds.map(|b| word(&b)), "summary": summary, "manual": manual, "doc": doc, "notes": notes,
        "gates": gates(own),
    })
}

/// A kind of initial value.
pub fn initial(i: &'static InitialKind) -> Value {
    let InitialKind { name, types, spaces, to, summary, manual, doc, gates: own } = *i;
    json!({
        "name": name, "types": types, "spaces": spaces, "to": to, "summary": summary, "manual": manual, "doc": doc,
        "gates": gates(own),
    })
}

/// A field of opaque types.
pub fn field(f: &'static FieldInfo) -> Value {
    let FieldInfo { name, of, ignored, values, summary, manual, doc, gates: own } = *f;
    json!({
        "name": name, "of": of, "ignored": ignored, "values": values, "summary": summary, "manual": manual, "doc": doc,
        "gates": gates(own),
    })
}

/// A target.
pub fn target(t: &'static TargetInfo) -> Value {
    let TargetInfo { name, features, shared, constant, summary, doc, gates: own, excludes, requires } = *t;
    json!({
        "name": name, "features": features, "shared": shared, "constant": constant, "excludes": excludes,
        "requires": requires, "summary": summary, "doc": doc, "gates": gates(own),
    })
}

/// The resources of a multiprocessor.
pub fn multiprocessor(m: &'static Multiprocessor) -> Value {
    let Multiprocessor {
        name,
        targets,
        summary,
        registers,
        cta_registers,
        thread_registers,
        register_unit,
        warps,
        ctas,
        partitions,
        cta_threads,
        shared,
        shared_opt_in,
        shared_unit,
        shared_reserved,
        carve_outs,
        assembler,
    } = *m;
    let Assembler { least, bound, step, parts, call, saved_from, saved_first, saved_gap, saved_run } = assembler;
    json!({
        "name": name, "for": targets, "summary": summary,
        "registers": {"multiprocessor": registers, "cta": cta_registers, "thread": thread_registers, "unit": register_unit},
        "holds": {"warps": warps, "ctas": ctas, "partitions": partitions, "threads": cta_threads},
        "shared": {"multiprocessor": shared, "opt-in": shared_opt_in, "unit": shared_unit, "reserved": shared_reserved},
        "carve-outs": carve_outs,
        "assembler": {"least": least, "bound": bound, "step": step, "parts": parts},
        "calls": {"least": call, "from": saved_from, "first": saved_first, "gap": saved_gap, "run": saved_run},
    })
}

/// A version.
pub fn version(v: &'static PtxVersion) -> Value {
    let PtxVersion { version, counts_as, summary } = *v;
    json!({"version": version.to_string(), "counts_as": counts_as.to_string(), "summary": summary})
}
