//! `wrong-state-space`: an address that counts in another state space than the instruction takes it for.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::addresses::{Address, Addresses, Counts, base, is_window};
use crate::flow::effects::effects;
use crate::flow::{Operand, Role, Value};
use ptx_isa::tables::{Kind, Protocol, Spaces, Verb};

const CODE: Code = Code::WrongStateSpace;

/// Looks at every address that is in a register.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let addresses = Addresses::new(function, analysis.graph);
    for index in 0..function.instructions.len() {
        for operand in function.operands_of(index) {
            if !matches!(operand.value, Value::Register(_)) {
                continue;
            }
            let Some(takes) = takes(analysis, index, operand) else { continue };
            let Some(address) = addresses.of(index, operand) else { continue };
            if let Some(problem) = problem(analysis, takes, address) {
                out.push(report(analysis, operand, address, problem));
            }
        }
    }
}

/// What an instruction takes an operand for.
#[derive(Clone, Copy)]
enum Takes {
    Generic,
    In(&'static str),
}

fn takes(analysis: &Analysis<'_>, index: usize, operand: &Operand) -> Option<Takes> {
    let function = analysis.function;
    let chosen = function.chosen(index);
    let spec = operand.spec?;
    if let Kind::Address(spaces) = spec.kind {
        // Where more than the address is in the brackets, it is that of a tensor map, and generic.
        let several =
            function.operands_of(index).iter().any(|o| o.place == operand.place && o.role == Role::AddressPart);
        if several {
            return None;
        }
        let written = match spaces {
            Spaces::Generic => None,
            Spaces::Slot(slot) => chosen.values.get(usize::from(slot)).copied().flatten(),
            // The names are those that a variable may be in; the address is generic unless one of them is a modifier.
            Spaces::Named(names) => chosen.values.iter().flatten().copied().find(|v| names.contains(v)),
        };
        return Some(written.map_or(Takes::Generic, |s| Takes::In(base(s))));
    }
    let effect = effects(function, index).find(|e| e.protocol == Protocol::Address && e.operand == spec.name)?;
    match effect.verb {
        Verb::Widens => chosen.space.map(|s| Takes::In(base(s.name))),
        Verb::Narrows => Some(Takes::Generic),
        _ => None,
    }
}

/// What is wrong, in words: what the instruction takes, and what to do.
fn problem(analysis: &Analysis<'_>, takes: Takes, address: Address) -> Option<(String, String)> {
    // What `.param` means in a function is memory of the thread, and the address may be either.
    let unclear = |space: &str| space == ".param" && !analysis.function.kernel;
    match (takes, address.counts) {
        (_, Counts::In(space) | Counts::Generic(space)) if unclear(space) => None,
        (Takes::In(wanted), Counts::In(space)) if wanted != space => {
            Some((format!("one in `{wanted}`"), format!("access it in `{space}`, or take another register")))
        }
        (Takes::In(wanted), Counts::Generic(space)) if wanted != space => Some((
            format!("one in `{wanted}`"),
            format!("leave out the state space, or convert it with `cvta.to{space}` and access it there"),
        )),
        (Takes::In(wanted), Counts::Generic(_)) if is_window(wanted) => Some((
            format!("one that counts in `{wanted}`"),
            format!("leave out the state space, or convert it with `cvta.to{wanted}`"),
        )),
        (Takes::Generic, Counts::In(space)) if is_window(space) => Some((
            "a generic one".to_owned(),
            format!("write the state space, `{space}`, or convert the address with `cvta{space}`"),
        )),
        _ => None,
    }
}

fn report(analysis: &Analysis<'_>, operand: &Operand, address: Address, (takes, help): (String, String)) -> Diagnostic {
    let function = analysis.function;
    let range = operand.range.start as usize..operand.range.end as usize;
    let name = match operand.value {
        Value::Register(slot) => function.register_name(slot),
        _ => String::new(),
    };
    let of = address.variable.and_then(|v| function.variables.get(v as usize));
    let of = of.map_or_else(String::new, |v| format!(", that of `{}`", v.name));
    let holds = match address.counts {
        Counts::In(space) => format!("an address in `{space}`{of}"),
        Counts::Generic(space) => format!("the generic address of something in `{space}`{of}"),
    };
    let message = format!("`{name}` holds {holds}, but {takes} is wanted here");
    let found = Diagnostic::warning(CODE, range, message).with_help(help);
    match address.by.and_then(|by| function.instructions.get(by as usize)) {
        Some(by) => found.related(by.range.start as usize..by.range.end as usize, "the address comes from here"),
        None => found,
    }
}
