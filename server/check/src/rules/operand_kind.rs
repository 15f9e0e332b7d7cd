//! `operand-kind`: an operand of the wrong kind, for example an immediate instead of a register or a list instead of a single value.

use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::Entry;
use ptx_sema::forms::operands::{MismatchKind, OperandMismatch};
use ptx_sema::forms::spec::ExpectedOperand;
use ptx_sema::hir::symbols::Symbol;
use std::ops::Range;

/// An operand of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum OperandKindProblem {
    /// One operand does not fit.
    Mismatch {
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
        /// The expected operand, if it is known.
        expected: Option<ExpectedOperand>,
        /// How the operand differs.
        what: Box<MismatchKind>,
    },
    /// Two operands are in the wrong order.
    Exchanged {
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
        /// The two operands as written.
        operands: Box<[Box<str>; 2]>,
        /// The names of the operands in the form at these two positions, in the same order.
        names: Box<[Box<str>; 2]>,
    },
    /// An operand stands behind others that it belongs before, or the reverse.
    Moved(Box<MovedOperand>),
    /// The results or arguments of a call stand without parentheses.
    CallWithoutParentheses {
        /// The call with them, without its opcode.
        call: Box<str>,
    },
}

/// An operand at the wrong place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MovedOperand {
    /// The opcode with its modifiers, as written.
    pub mnemonic: Box<str>,
    /// The operand as written.
    pub operand: Box<str>,
    /// Its name in the form.
    pub name: Box<str>,
    /// Whether it belongs behind all others.
    pub last: bool,
    /// Whether it belongs before all others.
    pub first: bool,
    /// All operands in the right order.
    pub written: Box<str>,
}

impl DiagnosticMessage for OperandKindProblem {
    fn message(&self) -> String {
        match self {
            Self::Mismatch { mnemonic, expected, what } => mismatch(mnemonic, expected.as_ref(), what),
            Self::Exchanged { mnemonic, operands, names } => {
                let ([one, other], [name, other_name]) = (&**operands, &**names);
                format!(
                    "`{one}` and `{other}` are the wrong way round: `{mnemonic}` takes `{name}` before `{other_name}`"
                )
            }
            Self::Moved(moved) => {
                let MovedOperand { mnemonic, operand, name, last, first, .. } = &**moved;
                let place = match (last, first) {
                    (true, _) => "the last operand",
                    (_, true) => "the first operand",
                    _ => "another operand",
                };
                format!("`{operand}` is at the wrong place: it is `{name}` of `{mnemonic}`, {place}")
            }
            Self::CallWithoutParentheses { .. } => {
                "the results and the arguments of a call go in parentheses".to_owned()
            }
        }
    }

    fn help(&self) -> Option<String> {
        if let Self::CallWithoutParentheses { call } = self {
            return Some(format!("write `call {call}`"));
        }
        if let Self::Moved(moved) = self {
            return Some(format!("write `{} {}`", moved.mnemonic, moved.written));
        }
        let Self::Mismatch { expected, what, .. } = self else { return None };
        let written = expected.is_some_and(|e| e.written);
        let help = match &**what {
            MismatchKind::WrongSymbol(name, Symbol::Variable(_)) => {
                return Some(format!(
                    "`mov` puts the address of `{name}` into a register, `ld` reads its value: use that register here"
                ));
            }
            MismatchKind::SpecialRegister if !written => "copy it into a register with `mov` first",
            MismatchKind::SpecialVector { .. } => "for instance `.x`",
            MismatchKind::Immediate if !written => "load the number into a register with `mov` first",
            MismatchKind::Sink => "use a register that is not read afterwards",
            MismatchKind::Minus => "negate it with `neg` first, or subtract it with `sub`",
            MismatchKind::Selector(_) => {
                "only vector registers have components, and only some instructions select bytes or half-words"
            }
            MismatchKind::MustBeAddress => "write `[…]` around it",
            MismatchKind::UnexpectedAddress => {
                "write it without the brackets, or, if its value in memory is meant, load that with `ld` first"
            }
            MismatchKind::AddressRegister(..) => "an address is in an integer or untyped register of at most 64 bits",
            MismatchKind::MixedVector => "use registers of one type, or untyped ones (`.b32`)",
            MismatchKind::Handle(_) => "write `.u64` for the type of this instruction",
            MismatchKind::OnlyLiterals => "move one of them into a register first",
            MismatchKind::Parts(_, names) if names.len() == 1 => "write the offset inside the brackets: `[%rd1+4]`",
            MismatchKind::Component(name) if name.starts_with('%') => "write it without a component",
            MismatchKind::Parts(..) => "write the parts in one pair of brackets, with commas between them",
            MismatchKind::PartOfAddress => "put the sum into a register with `add` first",
            MismatchKind::OffsetNotConstant => "add registers first, `add.s64 %rd3, %rd1, %rd2;`, and write `[%rd3]`",
            MismatchKind::MustBePair => "write `%r1|%p1`, or `_|%p1` if only the predicate is needed",
            MismatchKind::ImmediateAddress => "move the address into a register first",
            MismatchKind::SpecialRegister => "special registers are read-only: write the result to a register",
            MismatchKind::Immediate => "write a register; a store (`st`) writes a value to memory",
            MismatchKind::Component(_) => "the components of a vector are `.x`, `.y`, `.z` and `.w`",
            MismatchKind::Negation => "negate the predicate with `not.pred` first",
            MismatchKind::UnexpectedPair => "remove `|` and the second result",
            MismatchKind::WrongSymbol(_, Symbol::Label) => "only branches take labels",
            // What the operand is for.
            _ => return expected.filter(|e| !e.meaning.is_empty()).map(|e| super::meaning(e.name, e.meaning)),
        };
        Some(help.to_owned())
    }
}

/// The message about one operand that does not fit.
fn mismatch(mnemonic: &str, expected: Option<&ExpectedOperand>, what: &MismatchKind) -> String {
    let name = expected.map_or("this operand".to_owned(), |e| format!("`{}`", e.name));
    let written = expected.is_some_and(|e| e.written);
    let of = format!("{name} of `{mnemonic}`");
    match what {
        MismatchKind::SpecialRegister if written => {
            format!("{of} is the result, and a special register cannot be written")
        }
        MismatchKind::SpecialRegister => format!("`{mnemonic}` cannot read a special register"),
        MismatchKind::SpecialVector { name, .. } => format!("`{name}` is a vector: name one of its components"),
        MismatchKind::WrongSymbol(symbol, kind) => {
            format!("`{symbol}` is {}, but {of} must be {}", kind.describe(), kind_of(expected))
        }
        MismatchKind::Immediate if written => format!("{of} is the result: it must be a register"),
        MismatchKind::Immediate => format!("{of} must be a register"),
        MismatchKind::NotImmediate => format!("{of} must be a constant"),
        MismatchKind::Sink => format!("`_` is not allowed for {of}"),
        MismatchKind::MustBeSink => {
            format!("`{mnemonic}` returns nothing with these modifiers: write `_` for the destination")
        }
        MismatchKind::Negation => format!("{of} cannot be negated with `!`"),
        MismatchKind::Minus => format!("{of} cannot be negated"),
        MismatchKind::UnexpectedVector => format!("{of} must be a single {}, not a list", noun(expected)),
        MismatchKind::Selector(selector) => format!("{of} takes no selector `.{selector}`"),
        MismatchKind::Component(name) if name.starts_with('%') => {
            format!("`{}` has no components", name.split('.').next().unwrap_or(name))
        }
        MismatchKind::Component(component) => format!("`.{component}` is not a component of this vector"),
        MismatchKind::MustBeAddress => format!("{of} must be an address in brackets"),
        MismatchKind::UnexpectedAddress => format!("{of} must be {}, not memory", kind_of(expected)),
        MismatchKind::UnexpectedPair => format!("{of} must be a single operand: `{mnemonic}` has no second result"),
        MismatchKind::MustBePair => format!("{of} is a pair, `%r1|%p1`: write `_` for a part that is not used"),
        MismatchKind::AddressRegister(register, ty) => {
            format!("`{register}` is `{}` and cannot hold an address", ty.name())
        }
        MismatchKind::MixedVector => format!("the elements of {of} have no type in common"),
        MismatchKind::OnlyHoles => format!("{of} has only `_`: at least one element must be a register"),
        MismatchKind::PairedHoles => format!("at least one element of each pair of {of} must be a register"),
        MismatchKind::NotOpaque(found, class) => format!(
            "`{found}` is not a `.{class}`: {of} must be a `.{class}` variable or a 64-bit register with its handle"
        ),
        MismatchKind::Handle(name) => format!("`{name}` is a texture, sampler or surface: its handle is a `.u64`"),
        MismatchKind::OnlyLiterals => {
            format!("{of} is a list of constants only: at least one element must be a register")
        }
        MismatchKind::Parts(actual, names) if names.len() == 1 => {
            format!("{of} must be one address, but these brackets have {actual} parts")
        }
        MismatchKind::Parts(actual, names) => format!("the brackets of {of} need {}, but have {actual}", parts(names)),
        MismatchKind::PartOfAddress => {
            format!("{of} must be a name: brackets with several parts take no sums and no numbers")
        }
        MismatchKind::OffsetNotConstant => "only a constant can be added to an address here".to_owned(),
        MismatchKind::ImmediateAddress => "a constant address is allowed only in `.local` memory".to_owned(),
        MismatchKind::MustBe(what) => format!("{of} must be {what}"),
        _ => format!("{of} must be {}", kind_of(expected)),
    }
}

/// The report on a mismatch that does not have its own diagnostic code.
pub(crate) fn report(mismatch: &OperandMismatch, mnemonic: &str, entry: &Entry) -> Diagnostic {
    let expected = mismatch.spec.as_ref().map(|spec| spec.expected(entry.operands));
    let found =
        OperandKindProblem::Mismatch { mnemonic: mnemonic.into(), expected, what: Box::new(mismatch.kind.clone()) };
    Diagnostic::new(mismatch.range.clone(), found)
}

/// The report on a call without parentheses. `place` is the first operand that lacks them, `operands` the range of all operands, and
/// `call` is what they should be.
pub(crate) fn call_without_parentheses(place: Range<usize>, operands: Range<usize>, call: &str) -> Diagnostic {
    let fix = Fix::replace(format!("Write `{call}`"), operands, call).preferred();
    Diagnostic::new(place, OperandKindProblem::CallWithoutParentheses { call: call.into() }).fix(fix)
}

/// An operand in the place of another.
pub(crate) struct ExchangedOperand<'t> {
    pub range: Range<usize>,
    /// The operand as written.
    pub text: &'t str,
    /// The name of the operand that the form has at this place.
    pub name: String,
}

/// The report on two exchanged operands.
pub(crate) fn exchanged(first: ExchangedOperand<'_>, second: ExchangedOperand<'_>, mnemonic: &str) -> Diagnostic {
    let ExchangedOperand { range: place, text: one, name } = first;
    let ExchangedOperand { range: other_place, text: other, name: other_name } = second;
    let title = format!("Swap `{one}` and `{other}`");
    let edits =
        vec![FixEdit::Replace(place.clone(), other.to_owned()), FixEdit::Replace(other_place.clone(), one.to_owned())];
    let found = OperandKindProblem::Exchanged {
        mnemonic: mnemonic.into(),
        operands: Box::new([one.into(), other.into()]),
        names: Box::new([name.into(), other_name.into()]),
    };
    Diagnostic::new(place, found).related(other_place, "the other is here").fix(Fix { title, edits, preferred: true })
}

/// The report on an operand at the wrong place. `all` is the range of all operands.
pub(crate) fn moved(place: Range<usize>, all: Range<usize>, moved: MovedOperand) -> Diagnostic {
    let fix = Fix::replace(format!("Write `{}`", moved.written), all, &*moved.written).preferred();
    Diagnostic::new(place, OperandKindProblem::Moved(Box::new(moved))).fix(fix)
}

impl Diagnostic {
    /// Whether it reports that the handle of a texture, sampler or surface is used with a type other than `.u64`.
    pub fn is_handle_of_wrong_type(&self) -> bool {
        matches!(self.finding.data(), Some(OperandKindProblem::Mismatch { what, .. }) if matches!(**what, MismatchKind::Handle(_)))
    }
}

/// The parts of an address, for a message: `` 2 parts, `texture`, `coordinates` ``.
fn parts(names: &[&str]) -> String {
    match names {
        [one] => format!("one part, `{one}`"),
        _ => format!("{} parts, `{}`", names.len(), names.join("`, `")),
    }
}

fn noun(expected: Option<&ExpectedOperand>) -> &'static str {
    match expected {
        Some(e) if e.written || e.register_only => "register",
        Some(e) if e.immediate_only => "constant",
        _ => "register or constant",
    }
}

/// The expected operand, for a message: `` a register of type `.u32` ``.
fn kind_of(expected: Option<&ExpectedOperand>) -> String {
    let ty = expected.and_then(|e| e.ty).map_or(String::new(), |t| format!(" of type `{}`", t.name()));
    format!("a {}{ty}", noun(expected))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn operands_of_the_wrong_kind() {
        let found = |body: &str| messages(&in_kernel(Code::OperandKind, body));
        assert_eq!(found("add.u32 %r1, %r2, %tid.x;"), ["`add.u32` cannot read a special register"]);
        assert_eq!(found("add.u32 4, %r2, %r3;"), ["`d` of `add.u32` is the result: it must be a register"]);
        let label = "`l` is a label, but `a` of `add.u32` must be a register or constant of type `.u32`";
        assert_eq!(found("l: add.u32 %r1, l, %r3;"), [label]);
        assert_eq!(found("ld.global.b32 %r1, %rd1;"), ["`a` of `ld.global.b32` must be an address in brackets"]);
        assert!(found("mov.u32 %r1, %tid.x; add.u32 %r1, %r2, 4; ld.global.b32 %r1, [%rd1];").is_empty());
    }

    #[test]
    fn operands_the_wrong_way_round() {
        let text = format!("{HEADER}.entry k() {{ .reg .b32 %r1; .reg .b64 %rd1; st.global.b32 %r1, [%rd1]; ret; }}\n");
        for (body, results) in [
            ("match.all.sync.b32 %p1|%r1, %r2, -1;", "`d` before `p`"),
            ("shfl.sync.idx.b32 %p1|%r1, %r2, 0, 31, -1;", "`d` before `p`"),
        ] {
            let found = in_kernel(Code::OperandKind, body);
            assert!(found[0].message().contains(results), "{}", found[0].message());
            assert_eq!(found[0].fixes[0].title, "Swap `%p1` and `%r1`");
        }
        let message = "`%r1` and `[%rd1]` are the wrong way round: `st.global.b32` takes `[a]` before `b`";
        assert_eq!(messages(&in_module(Code::OperandKind, &text)), [message]);
        assert_eq!(mended(Code::OperandKind, &text), text.replace("%r1, [%rd1]", "[%rd1], %r1"));
    }

    #[test]
    fn handles_have_a_type() {
        let found = |ty: &str| {
            let body =
                format!(".reg .b64 %rd1; .reg .b32 %r1; mov.{ty} %r{}, t; ret;", if ty == "u64" { "d1" } else { "1" });
            in_module(Code::OperandKind, &format!("{HEADER}.global .texref t;\n.entry k() {{ {body} }}\n"))
        };
        let wrong = found("u32");
        assert_eq!(messages(&wrong), ["`t` is a texture, sampler or surface: its handle is a `.u64`"]);
        assert!(wrong.iter().all(|d| d.is_handle_of_wrong_type()));
        assert!(found("u64").is_empty());
    }
}
