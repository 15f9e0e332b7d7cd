//! `wrong-state-space`: an address register that points into a state space other than the one that the instruction accesses.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::addresses::{AddressKind, Addresses, KnownAddress, base, is_window};
use ptx_flow::flow::effects::effects;
use ptx_flow::flow::{FlowOperand, OperandRole, OperandValue};
use ptx_isa::tables::{Protocol, Spaces, ValueKind, Verb};

/// An address in a register whose kind (its state space, or generic) differs from the one that the instruction expects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WrongStateSpace(pub Box<AddressMismatch>);

/// The data of [`WrongStateSpace`], which is boxed to keep diagnostics small.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AddressMismatch {
    /// The name of the register.
    pub register: Box<str>,
    /// The variable into which it points, if known.
    pub variable: Option<Box<str>>,
    /// The kind of the address in the register.
    pub actual: AddressKind,
    /// The kind of address that the instruction expects.
    pub expected: ExpectedAddress,
}

/// The kind of address that an instruction expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ExpectedAddress {
    /// A generic address.
    Generic,
    /// An address in this state space, such as `.shared`.
    In(&'static str),
}

impl DiagnosticMessage for WrongStateSpace {
    fn message(&self) -> String {
        let AddressMismatch { register, variable, actual, expected } = &*self.0;
        let holds = match (actual, variable) {
            (AddressKind::In(space), None) => format!("a `{space}` address"),
            (AddressKind::In(space), Some(name)) => format!("a `{space}` address (of `{name}`)"),
            (AddressKind::Generic(space), None) => format!("a generic address (in `{space}`)"),
            (AddressKind::Generic(space), Some(name)) => format!("a generic address (of `{name}`, in `{space}`)"),
        };
        let takes = match expected {
            ExpectedAddress::Generic => "a generic address".to_owned(),
            ExpectedAddress::In(space) => format!("a `{space}` address"),
        };
        format!("`{register}` holds {holds}, but {takes} is expected here")
    }

    fn help(&self) -> Option<String> {
        Some(match (self.0.expected, self.0.actual) {
            (ExpectedAddress::In(_), AddressKind::In(space)) => {
                format!("access it in `{space}`, or use another register")
            }
            (ExpectedAddress::In(expected), AddressKind::Generic(space)) if expected == space => {
                format!("leave out the state space, or convert it with `cvta.to{space}`")
            }
            (ExpectedAddress::In(_), AddressKind::Generic(space)) => {
                format!("leave out the state space, or convert it with `cvta.to{space}` and access it there")
            }
            (ExpectedAddress::Generic, AddressKind::In(space) | AddressKind::Generic(space)) => {
                format!("write the state space, `{space}`, or convert the address with `cvta{space}`")
            }
        })
    }
}

/// Checks every address operand that is a register.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let addresses = Addresses::new(function, analysis.graph);
    for index in 0..function.instructions.len() {
        for operand in function.operands_of(index) {
            if !matches!(operand.value, OperandValue::Register(_)) {
                continue;
            }
            let Some(expected) = expected(analysis, index, operand) else { continue };
            let Some(address) = addresses.of(index, operand) else { continue };
            if differs(analysis, expected, address) {
                out.push(report(analysis, operand, address, expected));
            }
        }
    }
}

/// The kind of address that an instruction expects in an operand; `None` if it is not an address, or the kind is not known.
fn expected(analysis: &Analysis<'_>, index: usize, operand: &FlowOperand) -> Option<ExpectedAddress> {
    let function = analysis.function;
    let chosen = function.chosen(index);
    let spec = operand.spec?;
    if let ValueKind::Address(spaces) = spec.kind {
        // An address with further parts in the brackets is the generic address of a tensor map.
        let several =
            function.operands_of(index).iter().any(|o| o.place == operand.place && o.role == OperandRole::AddressPart);
        if several {
            return None;
        }
        let written = match spaces {
            Spaces::Generic => None,
            Spaces::Slot(slot) => chosen.values.get(usize::from(slot)).copied().flatten(),
            // These are the spaces that a variable may be in. The address is generic unless one of them is also a modifier.
            Spaces::Named(names) => chosen.values.iter().flatten().copied().find(|v| names.contains(v)),
        };
        return Some(written.map_or(ExpectedAddress::Generic, |s| ExpectedAddress::In(base(s))));
    }
    let effect = effects(function, index).find(|e| e.protocol == Protocol::Address && e.operand == spec.name)?;
    match effect.verb {
        Verb::Widens => chosen.space.map(|s| ExpectedAddress::In(base(s.name))),
        Verb::Narrows => Some(ExpectedAddress::Generic),
        _ => None,
    }
}

/// Whether the kind of an address differs from the one that the instruction expects.
fn differs(analysis: &Analysis<'_>, expected: ExpectedAddress, address: KnownAddress) -> bool {
    // In a function that is not a kernel, `.param` is memory of the thread, and its addresses may be of either kind.
    let unclear = |space: &str| space == ".param" && !analysis.function.kernel;
    match (expected, address.counts) {
        (_, AddressKind::In(space) | AddressKind::Generic(space)) if unclear(space) => false,
        (ExpectedAddress::In(expected), AddressKind::In(space)) => expected != space,
        (ExpectedAddress::In(expected), AddressKind::Generic(space)) => expected != space || is_window(expected),
        (ExpectedAddress::Generic, AddressKind::In(space)) => is_window(space),
        (ExpectedAddress::Generic, AddressKind::Generic(_)) => false,
    }
}

fn report(
    analysis: &Analysis<'_>,
    operand: &FlowOperand,
    address: KnownAddress,
    expected: ExpectedAddress,
) -> Diagnostic {
    let function = analysis.function;
    let range = operand.range.start as usize..operand.range.end as usize;
    let register = match operand.value {
        OperandValue::Register(slot) => function.register_name(slot).into(),
        _ => Box::default(),
    };
    let variable = address.variable.and_then(|v| function.variables.get(v as usize)).map(|v| v.name.clone());
    let mismatch = AddressMismatch { register, variable, actual: address.counts, expected };
    let found = Diagnostic::new(range, WrongStateSpace(Box::new(mismatch)));
    match address.by.and_then(|by| function.instructions.get(by as usize)) {
        Some(by) => found.related(by.range.start as usize..by.range.end as usize, "the address comes from here"),
        None => found,
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::WrongStateSpace;
    use crate::testing::in_kernel;

    fn found(store: &str) -> Vec<(String, Option<String>)> {
        let addresses = "mov.u64 %rd1, tile; cvta.shared.u64 %rd2, %rd1;";
        let found = in_kernel(WrongStateSpace, &format!(".shared .align 16 .b8 tile[64]; {addresses} {store}"));
        found.iter().map(|d| (d.message(), d.help())).collect()
    }

    fn wrong(message: &str, help: &str) -> [(String, Option<String>); 1] {
        [(message.to_owned(), Some(help.to_owned()))]
    }

    #[test]
    fn addresses_that_count_in_another_way() {
        let holds = "`%rd1` holds a `.shared` address (of `tile`), but";
        let global = wrong(
            &format!("{holds} a `.global` address is expected here"),
            "access it in `.shared`, or use another register",
        );
        assert_eq!(found("st.global.u32 [%rd1], 1;"), global);
        let generic = wrong(
            &format!("{holds} a generic address is expected here"),
            "write the state space, `.shared`, or convert the address with `cvta.shared`",
        );
        assert_eq!(found("st.u32 [%rd1], 1;"), generic);
        assert!(found("st.shared.u32 [%rd1], 1; st.u32 [%rd2], 1;").is_empty());
    }

    #[test]
    fn generic_addresses() {
        let holds = "`%rd2` holds a generic address (of `tile`, in `.shared`), but";
        let same = wrong(
            &format!("{holds} a `.shared` address is expected here"),
            "leave out the state space, or convert it with `cvta.to.shared`",
        );
        assert_eq!(found("st.shared.u32 [%rd2], 1;"), same);
        let other = wrong(
            &format!("{holds} a `.global` address is expected here"),
            "leave out the state space, or convert it with `cvta.to.shared` and access it there",
        );
        assert_eq!(found("st.global.u32 [%rd2], 1;"), other);
    }
}
