//! `not-assembled` and `assembler-crash`: statements that the assembler's parser accepts, and for which it generates no code.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{Outcome, Unbuilt};
use ptx_sema::forms::assembly::unbuilt;
use ptx_sema::forms::mnemonic::Candidate;
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::signature::{Array, Parameter, Signature};
use ptx_sema::hir::symbols::Symbol;
use ptx_sema::target::Environment;
use std::borrow::Cow;
use std::ops::Range;

/// An instruction or function that the assembler refuses when it generates code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct NotAssembled {
    /// The instruction as written, opcode and modifiers, or the name of the function.
    pub mnemonic: Box<str>,
    /// Why, or what to write in its place; may be empty.
    pub note: Cow<'static, str>,
}

/// An instruction on which the assembler crashes when it generates code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AssemblerCrash {
    /// The instruction as written: opcode and modifiers.
    pub mnemonic: Box<str>,
    /// Why, or what to write in its place; may be empty.
    pub note: &'static str,
}

impl DiagnosticMessage for NotAssembled {
    fn message(&self) -> String {
        format!("ptxas generates no code for `{}`", self.mnemonic)
    }

    fn help(&self) -> Option<String> {
        (!self.note.is_empty()).then(|| self.note.clone().into_owned())
    }
}

impl DiagnosticMessage for AssemblerCrash {
    fn message(&self) -> String {
        format!("ptxas {} accepts this `{}`, and crashes when it generates code", ISA.assembler, self.mnemonic)
    }

    fn help(&self) -> Option<String> {
        (!self.note.is_empty()).then(|| self.note.to_owned())
    }
}

/// A literal in the place of a result, which the parser does not look at.
fn written_literal(instruction: &Instruction<'_>, variant: &OperandVariant) -> Option<Range<usize>> {
    let literal = |operand: &Operand<'_>| matches!(operand.kind, OperandKind::Integer(_) | OperandKind::Constant(_));
    let takes_number = |pattern: &OperandPattern| matches!(pattern, OperandPattern::Value(spec) if spec.value.number);
    let mut both = instruction.operands.iter().zip(&variant.operands);
    both.find(|(operand, (_, pattern))| literal(operand) && takes_number(pattern))
        .map(|(operand, _)| operand.range.clone())
}

/// The range of an offset from a function, `f+4`.
fn function_offset(operand: &Operand<'_>, names: &dyn NameLookup) -> Option<Range<usize>> {
    let OperandKind::Offset(parts, _) = &operand.kind else { return None };
    let OperandKind::Name(name) = parts.0.kind else { return None };
    matches!(names.look_up(name), Some(Symbol::Function { .. })).then(|| operand.range.clone())
}

/// The report on an instruction that fits its form.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    written: &str,
    candidate: &Candidate,
    variant: &OperandVariant,
    environment: &Environment,
    names: &dyn NameLookup,
) -> Option<Diagnostic> {
    if let Some(range) = instruction.operands.iter().find_map(|operand| function_offset(operand, names)) {
        let note = "the address of a function takes no offset: add it to a register".into();
        return Some(Diagnostic::new(range, NotAssembled { mnemonic: written.into(), note }));
    }
    if let Some(literal) = written_literal(instruction, variant) {
        return Some(crash(literal, written, "write a register for the result"));
    }
    let range = instruction.mnemonic_range();
    let Unbuilt { outcome, note, .. } = *unbuilt(candidate.form, &candidate.values, variant, environment)?;
    let mnemonic = written.into();
    match outcome {
        Outcome::Built => None,
        Outcome::Refused => Some(Diagnostic::new(range, NotAssembled { mnemonic, note: note.into() })),
        Outcome::Crash => Some(crash(range, written, note)),
    }
}

/// The first parameter or result of a function that no call can pass or return.
pub(crate) fn uncallable(signature: &Signature) -> Option<&Parameter> {
    let is_uncallable =
        |parameter: &&Parameter| parameter.array == Array::No && parameter.ty.is_some_and(|ty| ty.info().uncallable);
    signature.results.iter().chain(&signature.parameters).find(is_uncallable)
}

/// The report on a function, or on a call of a prototype, with such a parameter.
pub(crate) fn not_callable(range: Range<usize>, name: &str, parameter: &Parameter) -> Diagnostic {
    let ty = parameter.ty.map_or("", |ty| ty.name());
    let subject = if &*parameter.name == "_" { "a parameter".to_owned() } else { format!("`{}`", parameter.name) };
    // A predicate is passed as a number.
    let bits = parameter.ty.map(|ty| ty.info().bits).filter(|bits| *bits > 1).unwrap_or(32);
    let note = format!("{subject} is `{ty}`, which no call passes or returns: declare it `.b{bits}`").into();
    Diagnostic::new(range, NotAssembled { mnemonic: name.into(), note })
}

/// The report on an instruction, written so, on which the assembler crashes.
pub(crate) fn crash(range: Range<usize>, written: &str, note: &'static str) -> Diagnostic {
    Diagnostic::new(range, AssemblerCrash { mnemonic: written.into(), note })
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn addresses_of_32_bits_are_not_converted() {
        let found = |size: &str| in_kernel(Code::NotAssembled, &format!("cvta.to.global.{size};"));
        assert_eq!(messages(&found("u32 %r1, %r2")), ["ptxas generates no code for `cvta.to.global.u32`"]);
        assert_eq!(found("u32 %r1, %r2")[0].severity, Severity::Error);
        assert!(found("u64 %rd1, %rd2").is_empty());
    }

    #[test]
    fn offsets_from_functions() {
        let text = |operand: &str| {
            format!(
                ".version 9.0\n.target sm_90a\n.address_size 64\n.func f() {{ ret; }}\n.entry k() {{ .reg .b64 d; mov.u64 d, {operand}; ret; }}\n"
            )
        };
        assert_eq!(messages(&in_module(Code::NotAssembled, &text("f+4"))), ["ptxas generates no code for `mov.u64`"]);
        assert!(in_module(Code::NotAssembled, &text("f")).is_empty());
        // The parser takes them wherever it takes the function.
        let header = ".version 9.0\n.target sm_90\n.address_size 64\n.func f() { ret; }\n";
        for (statement, mnemonic) in [
            ("cvta.to.global.u64 %rd1, f+4;", "cvta.to.global.u64"),
            ("add.u64 %rd1, f+4, %rd2;", "add.u64"),
            ("st.global.u64 [%rd1], f+4;", "st.global.u64"),
        ] {
            let text = format!("{header}.entry k() {{ .reg .b64 %rd<3>; {statement} ret; }}");
            let found = in_module(Code::NotAssembled, &text);
            assert_eq!(messages(&found), [format!("ptxas generates no code for `{mnemonic}`")], "{statement}");
            assert!(in_module(Code::OperandKind, &text).is_empty(), "{statement}");
        }
    }

    #[test]
    fn what_crashes_the_assembler_is_a_warning() {
        let header = ".version 9.0\n.target sm_100a\n.address_size 64\n.global .align 16 .b8 g[64]; .global .texref t; .global .surfref u;\n";
        let found = |body: &str| {
            let registers = ".reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .shared .b64 s;";
            in_module(Code::AssemblerCrash, &format!("{header}.entry k() {{ {registers} {body} ret; }}"))
        };
        for body in [
            "ld.global.v8.b16 {%h0,%h1,%h2,%h3,%h4,%h5,%h6,%h7}, [g];",
            "ld.v8.u16 {%h0,%h1,%h2,%h3,%h4,%h5,%h6,%h7}, [g];",
            "atom.shared.and.b32 %r0, [s], %r2, %r3;",
            "tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, %f0];",
        ] {
            let found = found(body);
            assert_eq!(found.first().map(|d| d.severity), Some(Severity::Warning), "{body}");
        }
        for body in [
            "ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [g];",
            "atom.global.and.b32 %r0, [g], %r2, %r3;",
            "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, %f0];",
            "sust.b.2d.b32.trap [u, %r1], %r2;",
        ] {
            assert!(found(body).is_empty(), "{body}");
        }
    }
}
