//! Every form of these families decodes with all its modifiers: none is refused.

use crate::decode::{Executable, OpAction};
use ptx_check::execution::CheckedProgram;
use ptx_flow::program::ModuleProgram;
use ptx_isa::ISA;
use ptx_isa::tables::Form;
use ptx_sema::forms::mnemonic::is_legal;
use ptx_sema::forms::spec::{OperandPattern, OperandSpec, operand_variants};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Versions and targets: at least one of them accepts each statement.
const HOMES: [(&str, &str); 6] =
    [("9.4", "sm_107a"), ("9.4", "sm_100a"), ("9.0", "sm_90a"), ("3.0", "sm_20"), ("3.0", "sm_13"), ("1.3", "sm_13")];

fn register(spec: &OperandSpec, place: usize) -> String {
    if let Some(bits) = spec.ty.map(|t| t.info()).filter(|t| t.name != ".pred").map(|t| t.bits) {
        return format!("%b{bits}_{place}");
    }
    format!("%p{place}")
}

fn operand(shape: &OperandPattern, place: usize) -> String {
    match shape {
        OperandPattern::Value(spec) => register(spec, place),
        OperandPattern::Pair(both) => format!("{}|{}", register(&both.0, place), register(&both.1, place + 4)),
        OperandPattern::Sink => "_".to_owned(),
        _ => panic!("an operand of another shape"),
    }
}

/// All legal combinations of a form's modifiers.
fn combinations(form: &'static Form) -> Vec<Vec<Option<&'static str>>> {
    let mut all = vec![Vec::new()];
    for slot in form.slots {
        let choices: Vec<_> =
            slot.optional.then_some(None).into_iter().chain(slot.values.iter().copied().map(Some)).collect();
        all = all.iter().flat_map(|begun| choices.iter().map(move |c| [begun.as_slice(), &[*c]].concat())).collect();
    }
    all.retain(|values| is_legal(form, values));
    all
}

fn statements() -> BTreeSet<String> {
    let families = ["float.", "half.", "mixed.", "compare."];
    let mut out = BTreeSet::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        let word = entry.name.split('.').next().unwrap_or(entry.name);
        for form in entry.forms {
            if !families.iter().any(|f| entry.executed_of(form).key.starts_with(f)) {
                continue;
            }
            for values in combinations(form) {
                let words: String = values.iter().copied().flatten().collect();
                for variant in operand_variants(form, &values).into_iter().filter(|a| a.broken.is_none()) {
                    let operands: Vec<String> =
                        variant.operands.iter().enumerate().map(|(i, (_, shape))| operand(shape, i)).collect();
                    out.insert(format!("{word}{words} {};", operands.join(", ")));
                }
            }
        }
    }
    out
}

fn module(home: (&str, &str), kernels: impl Iterator<Item = String>) -> Arc<ModuleProgram> {
    let mut text = format!(".version {}\n.target {}\n", home.0, home.1);
    for (number, body) in kernels.enumerate() {
        text.push_str(&format!(".entry k{number} {{ .reg .pred %p<10>;"));
        for bits in [16, 32, 64] {
            text.push_str(&format!(" .reg .b{bits} %b{bits}_<10>;"));
        }
        text.push_str(&format!(" {body} ret; }}\n"));
    }
    Arc::new(CheckedProgram::new(&ptx_syntax::Document::new(&text).snapshot()).program)
}

#[test]
fn none_is_refused() {
    let mut open: Vec<String> = statements().into_iter().collect();
    assert!(open.len() > 5_000, "{} statements", open.len());
    for home in HOMES {
        let mut left = Vec::new();
        for chunk in open.chunks(400) {
            let program = module(home, chunk.iter().cloned());
            let (good, bad): (Vec<_>, Vec<_>) =
                program.functions.iter().zip(chunk).partition(|(f, _)| program.errors_in(f).is_empty());
            left.extend(bad.into_iter().map(|(_, statement)| statement.clone()));
            let program = module(home, std::iter::once(good.iter().map(|(_, s)| s.as_str()).collect()));
            let executable = Executable::new(program, "k0").expect("it is decoded");
            let code = executable.code(0).expect("the kernel");
            for ((_, statement), op) in good.iter().zip(&code.ops) {
                if let OpAction::Refused(why) = &op.action {
                    panic!("{} {}: {statement} {}", home.0, home.1, why.0);
                }
            }
        }
        open = left;
    }
    assert!(open.is_empty(), "no target takes {} statements: {:#?}", open.len(), &open[..open.len().min(20)]);
}
