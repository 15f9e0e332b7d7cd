//! Signature help: the forms of the instruction at the cursor, and its current operand.

use crate::completion::{
    CompletionPlace, EnclosingBracket, Fitting, NamesInScope, OperandSpot, Where, callee, fitting, locals,
    operand_labels, signature, whereabouts,
};
use crate::describe;
use ptx_analysis::assembly::unbuilt;
use ptx_analysis::{Candidate, OperandPattern, OperandSpec, OperandVariant, environment, mnemonic, names};
use ptx_isa::tables::Entry;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, fields, kinds};
use std::ops::Range;

/// The forms of the instruction at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The signatures; never empty.
    pub signatures: Vec<InstructionSignature>,
    /// Index of the signature that best matches the operands before the cursor.
    pub active: usize,
}

/// One form of the instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionSignature {
    /// The text: `fma.rn.f32 d, a, b, c`.
    pub label: String,
    /// Description as Markdown.
    pub documentation: String,
    /// The operands.
    pub parameters: Vec<SignatureParameter>,
    /// Index of the operand at the cursor; `None` if the signature has no such operand.
    pub active: Option<usize>,
}

/// An operand of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Byte range of the operand in the label.
    pub range: Range<usize>,
    /// Description as Markdown.
    pub documentation: String,
}

/// Maximum number of signatures; a longer list does not help.
const MAX_SIGNATURES: usize = 24;

/// The forms of the instruction at an offset; `None` if the offset is not among its operands.
pub fn signature_help(snapshot: &Snapshot, offset: usize) -> Option<SignatureHelp> {
    let place = CompletionPlace::new(snapshot, offset)?;
    let Where::Operand(head) = whereabouts(&place) else { return None };
    let environment = environment(snapshot);
    let spot = OperandSpot::new(&place.before, head.end);
    let resolved = mnemonic::resolve(head.opcode, &head.modifiers())?;
    let locals = locals(&place);
    let known = NamesInScope::new(&place, &locals);
    let fitting = fitting(&place, &head, &spot, &resolved, &known, &environment);
    if let Some(best) = fitting.first() {
        let variant = &resolved.candidates[best.place.0].variants[best.place.1];
        let called = callee(&place.before, &head, &spot, variant);
        if let (Some(name), [EnclosingBracket::Parenthesis(index)]) = (called, spot.open.as_slice())
            && let Some(signature) = function(&place, &name, *index)
        {
            return Some(SignatureHelp { signatures: vec![signature], active: 0 });
        }
    }
    let written = format!("{}{}", head.opcode.name, head.before.concat());
    // Among equal matches, the first that has room for all written operands.
    let written_operands = spot.index + 1 + further(&place, spot.open.len());
    let variant = |f: &Fitting| resolved.candidates.get(f.place.0).and_then(|c| c.variants.get(f.place.1));
    let room = |f: &&Fitting| variant(f).is_some_and(|a| a.operands.len() >= written_operands);
    let best = fitting.first().and_then(|first| {
        let equal = |f: &&Fitting| f.cost == first.cost && f.status.rank() == first.status.rank();
        fitting.iter().take_while(equal).find(room).or(Some(first))
    });
    let best = best.and_then(variant);
    let mut signatures: Vec<InstructionSignature> = Vec::new();
    let mut active = None;
    let all = resolved.candidates.iter().flat_map(|c| c.variants.iter().map(move |a| (c, a)));
    for (candidate, variant) in all.filter(|(_, a)| a.broken.is_none() && !a.operands.is_empty()) {
        let is_best = best.is_some_and(|b| std::ptr::eq(b, variant));
        if !is_best && !variant.is_offered(candidate.form, &candidate.values, &environment) {
            continue;
        }
        let mut signature = one(&written, candidate, variant, spot.index);
        if let Some(unbuilt) = unbuilt(candidate.form, &candidate.values, variant, &environment) {
            signature.documentation = format!("{} {}", describe::unbuilt_statement(unbuilt), signature.documentation);
        }
        let place = signatures.iter().position(|s| s.label == signature.label && s.parameters == signature.parameters);
        if is_best {
            active = active.or(Some(place.unwrap_or(signatures.len())));
        }
        if place.is_none() {
            signatures.push(signature);
        }
    }
    if signatures.is_empty() {
        return None;
    }
    let mut active = active.unwrap_or(0);
    if signatures.len() > MAX_SIGNATURES {
        // The active signature must stay in the list.
        let from = active.saturating_sub(MAX_SIGNATURES - 1);
        signatures = signatures.into_iter().skip(from).take(MAX_SIGNATURES).collect();
        active -= from;
    }
    Some(SignatureHelp { signatures, active })
}

/// The number of operands after the cursor; `depth` brackets are open there.
fn further(place: &CompletionPlace<'_>, mut depth: usize) -> usize {
    let mut found = 0;
    for word in place.after.words(0) {
        match word {
            "[" | "{" | "(" => depth += 1,
            "]" | "}" | ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => found += 1,
            _ => {}
        }
    }
    found
}

fn one(written: &str, candidate: &Candidate, variant: &OperandVariant, index: usize) -> InstructionSignature {
    let mut label = written.to_owned();
    let mut parameters = Vec::new();
    for (place, (text, (_, shape))) in operand_labels(variant).iter().zip(&variant.operands).enumerate() {
        label.push_str(if place == 0 { " " } else { ", " });
        let start = label.len();
        label.push_str(text);
        parameters
            .push(SignatureParameter { range: start..label.len(), documentation: operand(shape, candidate.entry) });
    }
    let active = (index < parameters.len()).then_some(index);
    InstructionSignature { label, documentation: candidate.entry.summary.to_owned(), parameters, active }
}

fn operand(shape: &OperandPattern, entry: &Entry) -> String {
    let one = |spec: &OperandSpec| {
        let note = entry.operands.iter().find(|n| n.name == spec.value.name).map(|n| n.doc);
        let what = describe::operand(spec);
        note.map_or_else(|| what.clone(), |note| format!("{note} ({what})"))
    };
    match shape {
        OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => one(spec),
        OperandPattern::Pair(both) => format!("{} | {}", one(&both.0), one(&both.1)),
        OperandPattern::Address(parts) => parts.iter().map(one).collect::<Vec<_>>().join("; "),
        OperandPattern::Sink => "`_`: the result is discarded".to_owned(),
    }
}

/// The signature of a function whose arguments are being written.
fn function(place: &CompletionPlace<'_>, name: &str, index: usize) -> Option<InstructionSignature> {
    let snapshot = place.snapshot;
    let found = names::find(snapshot, snapshot.root_at(place.start), name)?;
    let mut label = signature(snapshot, found.statement)?;
    let list = found.statement.child_by_field_id(fields().parameters);
    // The parameters are collected again one by one, to find their ranges in the label.
    let texts: Vec<String> = list
        .into_iter()
        .flat_map(named_children)
        .filter(|n| n.kind_id() == kinds().parameter)
        .map(|n| snapshot.text(n.byte_range()).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    if let Some(list) = list {
        let own: String = snapshot.text(list.byte_range()).split_whitespace().collect::<Vec<_>>().join(" ");
        label.truncate(label.len().saturating_sub(own.len()));
        label.push('(');
    }
    let mut parameters = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        label.push_str(if place == 0 { "" } else { ", " });
        let start = label.len();
        label.push_str(text);
        parameters.push(SignatureParameter { range: start..label.len(), documentation: String::new() });
    }
    if list.is_some() {
        label.push(')');
    }
    let active = (index < parameters.len()).then_some(index);
    Some(InstructionSignature { label, documentation: String::new(), parameters, active })
}
