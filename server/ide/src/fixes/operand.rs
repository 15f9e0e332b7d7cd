//! Fixes of operands: declare a register, write a number in the expected notation, or move or convert a value first.

use super::declare::{self, indentation};
use super::statement::{DiagnosedInstruction, fix};
use ptx_analysis::Fix;
use ptx_analysis::names::{foreign_operand, is_template};
use ptx_analysis::operands::special;
use ptx_analysis::types::register_type;
use ptx_analysis::{Code, FixEdit, Instruction, MismatchKind, OperandMismatch, OperandSpec, Symbol, TypeId, literal};
use ptx_isa::tables::{OperandAccess, TypeClass, ValueKind};
use std::ops::Range;

/// Adds the fixes of the statement's operands.
pub fn fixes(statement: &DiagnosedInstruction<'_>, out: &mut Vec<Fix>) {
    const CODES: [Code; 7] = [
        Code::OperandKind,
        Code::OperandType,
        Code::VectorLength,
        Code::UndeclaredName,
        Code::UnbracketedAddress,
        Code::SyntaxError,
        Code::GuardPredicate,
    ];
    if !CODES.contains(&statement.diagnostic.code()) {
        return;
    }
    let place = statement.place();
    statement.lowered(|instruction| {
        let mut try_ = OperandFixer { statement, instruction, place: place.clone(), out };
        if let Some(guard) = instruction.guard.filter(|g| g.range() == place) {
            // A number or a component cannot be declared.
            let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
            if guard.text.chars().all(name) && !guard.text.starts_with(|c: char| c.is_ascii_digit()) {
                try_.declare(guard.text, ".pred");
                try_.compare(guard.text);
            }
            return Some(());
        }
        if statement.diagnostic.code() == Code::UnbracketedAddress {
            try_.brackets();
            return Some(());
        }
        let (_, head) = statement.head(instruction)?;
        let wrong = statement.mismatches(instruction, &head);
        // If several operands are wrong, the diagnostic is about one of them.
        for mismatch in wrong.iter().filter(|m| m.range == place) {
            try_.mismatch(mismatch);
        }
        // `ret void`
        let word = foreign_operand(try_.written()).filter(|word| word.left_out && instruction.operands.len() == 1);
        if word.is_some() {
            let title = format!("Remove `{}`", try_.written());
            try_.out.push(fix(title, vec![statement.replace(instruction.mnemonic_range().end..place.end, "")]));
        }
        Some(())
    });
}

struct OperandFixer<'a, 'b, 't> {
    statement: &'a DiagnosedInstruction<'t>,
    instruction: &'a Instruction<'b>,
    /// The range of the diagnostic in the statement's text.
    place: Range<usize>,
    out: &'a mut Vec<Fix>,
}

impl OperandFixer<'_, '_, '_> {
    fn written(&self) -> &str {
        self.statement.text.get(self.place.clone()).unwrap_or("")
    }

    /// Offers another text for the operand if it makes the operand legal.
    fn offer(&mut self, title: String, text: &str, preferred: bool) {
        if self.statement.is_better(&self.statement.with(&[(self.place.clone(), text)]), &[]) {
            let edits = vec![self.statement.replace(self.place.clone(), text)];
            self.out.push(Fix { title, edits, preferred });
        }
    }

    fn mismatch(&mut self, mismatch: &OperandMismatch) {
        let spec = mismatch.spec.as_ref();
        let written = self.written().to_owned();
        match &mismatch.kind {
            MismatchKind::Undeclared(name) => {
                let before = self.out.len();
                for spelling in foreign_operand(&written).map_or(Vec::new(), |word| word.spellings) {
                    let edits = vec![self.statement.replace(self.place.clone(), spelling)];
                    let fix = fix(format!("Write `{spelling}`"), edits);
                    if self.statement.takes(&fix) {
                        self.out.push(fix);
                    }
                }
                // No register that could be declared: the component of something else, a word that PTX writes otherwise, a parameter.
                let parameter = self.instruction.modifiers.iter().any(|m| m.text.starts_with(".param"));
                let is_other = written.contains('.') || is_template(name) || (parameter && !name.starts_with('%'));
                let declares = self.out.len() == before && !is_other && !written.starts_with('$');
                if let Some(ty) = spec.and_then(|s| self.likely_type(s)).filter(|_| declares) {
                    self.declare(name, ty);
                }
            }
            MismatchKind::RegisterType(register, ty) => {
                if let Some(spec) = spec {
                    self.convert(register, *ty, spec);
                }
            }
            MismatchKind::SpecialType { .. }
            | MismatchKind::SpecialRegister
            | MismatchKind::Immediate
            | MismatchKind::ImmediateAddress => {
                if let Some(spec) = spec {
                    self.move_first(spec);
                }
            }
            MismatchKind::SpecialVector { components, .. } => {
                for component in components.chars() {
                    let text = format!("{written}.{component}");
                    self.offer(format!("Read `{text}`"), &text, false);
                }
            }
            MismatchKind::ImmediateClass { integer: true } => {
                for text in float_of(&written) {
                    self.offer(format!("Write `{text}`"), &text, true);
                }
            }
            MismatchKind::ImmediateClass { integer: false } => {
                if let Some(text) = integer_of(&written) {
                    self.offer(format!("Write `{text}`"), &text, true);
                }
            }
            MismatchKind::MustBeAddress => self.brackets(),
            MismatchKind::UnexpectedAddress => {
                if let Some(inner) = written.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
                    self.offer("Remove the brackets".to_owned(), inner.trim(), false);
                }
            }
            MismatchKind::MustBeVector => self.offer(format!("Write `{{{written}}}`"), &format!("{{{written}}}"), true),
            MismatchKind::UnexpectedVector => {
                if let Some(inner) = written.strip_prefix('{').and_then(|w| w.strip_suffix('}')) {
                    self.offer("Remove the braces".to_owned(), inner.trim(), true);
                }
            }
            MismatchKind::Subscript => {
                if let Some(text) = self.offset_of(&written) {
                    self.offer(format!("Write `{text}`"), &text, true);
                }
            }
            MismatchKind::MinusOffset => {
                if let Some(at) = written.rfind('-') {
                    let text = format!("{}+-{}", written[..at].trim_end(), written[at + 1..].trim_start());
                    self.offer(format!("Write `{text}`"), &text, true);
                }
            }
            MismatchKind::MustBeSink => self.offer("Write `_`".to_owned(), "_", true),
            MismatchKind::MustBePair => {
                for pair in [format!("_|{written}"), format!("{written}|_")] {
                    self.offer(format!("Write `{pair}`"), &pair, true);
                }
            }
            MismatchKind::Sink => {
                if let Some(ty) = spec.and_then(|s| self.likely_type(s)) {
                    self.sink(ty);
                }
            }
            _ => {}
        }
    }

    /// A subscript, `line[2]` in brackets, as an offset in bytes: `line+8`.
    fn offset_of(&self, written: &str) -> Option<String> {
        let (name, index) = written.strip_suffix(']')?.split_once('[')?;
        let Some(Symbol::Variable(variable)) = self.statement.look_up(name.trim()) else { return None };
        let bytes = i128::from(variable.ty?.info().bits.div_ceil(8));
        let index = literal::integer(index.trim())?;
        Some(format!("{}+{}", name.trim(), index.checked_mul(bytes)?))
    }

    fn brackets(&mut self) {
        let text = format!("[{}]", self.written());
        self.offer("Put the address in brackets".to_owned(), &text, true);
    }

    /// Offers to declare an undeclared name.
    fn declare(&mut self, name: &str, ty: &'static str) {
        if self.statement.look_up(name).is_some() {
            return;
        }
        let edit = FixEdit::Declare { name: name.to_owned(), ty };
        self.out.push(fix(format!("Declare `{name}` as a `{ty}` register"), vec![edit]));
    }

    /// The type of a register that the operand would accept.
    fn likely_type(&self, spec: &OperandSpec) -> Option<&'static str> {
        match spec.value.kind {
            ValueKind::Address(_) => Some(self.pointer()),
            ValueKind::Value if !spec.value.immediate_only => Some(spec.ty.map_or(".b32", register_type)),
            _ => None,
        }
    }

    /// Offers to compare an integer register with zero, for a guard that is none.
    fn compare(&mut self, register: &str) {
        let Some(Symbol::Register { ty, elements: 1 }) = self.statement.look_up(register) else { return };
        if !matches!(ty.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint) {
            return;
        }
        let comparison = [format!("setp.ne.b{}", ty.info().bits)];
        let operands = format!("{register}, 0");
        self.first(&comparison, &operands, ".pred", |_, _| format!("Compare `{register}` with 0 first"));
    }

    fn pointer(&self) -> &'static str {
        if self.statement.environment.address_size == 32 { ".b32" } else { ".b64" }
    }

    /// Offers a new register for an unused result if the instruction does not accept `_`.
    fn sink(&mut self, ty: &'static str) {
        let Some(new) = self.fresh(ty) else { return };
        let declared = [(new.clone(), symbol(ty))];
        if self.statement.is_better(&self.statement.with(&[(self.place.clone(), &new)]), &declared) {
            let edits =
                vec![FixEdit::Declare { name: new.clone(), ty }, self.statement.replace(self.place.clone(), &new)];
            self.out.push(fix(format!("Write to a register of its own, `{new}`"), edits));
        }
    }

    fn fresh(&self, ty: &str) -> Option<String> {
        declare::fresh(self.statement.snapshot, self.statement.base, ty)
    }

    /// Offers a `mov` into a new register that replaces the operand.
    fn move_first(&mut self, spec: &OperandSpec) {
        if spec.value.access != OperandAccess::Read {
            return;
        }
        let Some(ty) = self.likely_type(spec) else { return };
        let written = self.written().to_owned();
        let register = special(written.split('.').next().unwrap_or(""));
        // A special register has its own width.
        let own = register.and_then(|r| TypeId::of(r.ty)).map_or(ty, register_type);
        let wanted = TypeId::of(ty);
        let mut first = vec![format!("mov{ty}")];
        if own != ty
            && let (Some(from), Some(to)) = (TypeId::of(own), wanted)
        {
            first = conversions(from, to);
        }
        self.first(&first, &written, ty, |opcode, text| format!("Put `{text}` into a register with `{opcode}` first"));
    }

    /// Offers a `cvt` or `mov` for a register of the wrong type.
    fn convert(&mut self, register: &str, found: TypeId, spec: &OperandSpec) {
        let Some(wanted) = spec.ty.filter(|t| t.info().class != TypeClass::Pred) else { return };
        if found.info().class == TypeClass::Pred {
            return;
        }
        let ty = register_type(wanted);
        let sizes_differ = found.info().bits != wanted.info().bits;
        let numbers = |t: TypeId| match t.info().class {
            TypeClass::Uint | TypeClass::Sint | TypeClass::Float => true,
            TypeClass::Bits => sizes_differ,
            _ => false,
        };
        let converts = numbers(wanted) && (numbers(found) || found.info().bits != wanted.info().bits);
        let bits = (found.info().bits == wanted.info().bits).then(|| vec![format!("mov.b{}", wanted.info().bits)]);
        match spec.value.access {
            OperandAccess::Read => {
                if converts {
                    self.first(&conversions(found, wanted), register, ty, |_, r| {
                        format!("Convert `{r}` with `cvt` first")
                    });
                }
                if let Some(mov) = bits {
                    self.first(&mov, register, ty, |mov, r| {
                        format!("Take the bits of `{r}` as they are, with `{mov}`")
                    });
                }
            }
            OperandAccess::Write => {
                if converts {
                    self.then(&conversions(wanted, found), register, ty, |_, r| {
                        format!("Convert the result to `{r}` with `cvt`")
                    });
                }
                if let Some(mov) = bits {
                    self.then(&mov, register, ty, |mov, r| {
                        format!("Put the bits of the result into `{r}` with `{mov}`")
                    });
                }
            }
            OperandAccess::Update => {}
        }
    }

    /// Offers to compute a new register from an operand before the instruction, and to use it as the operand. Takes the
    /// first of `opcodes` that is legal.
    fn first(&mut self, opcodes: &[String], operand: &str, ty: &'static str, title: impl Fn(&str, &str) -> String) {
        let Some(new) = self.fresh(ty) else { return };
        let declared = [(new.clone(), symbol(ty))];
        if !self.statement.is_better(&self.statement.with(&[(self.place.clone(), &new)]), &declared) {
            return;
        }
        for opcode in opcodes {
            let before = format!("{opcode} {new}, {operand};");
            if self.statement.is_clean(&before, &declared) {
                let start = self.instruction.range.start;
                let indent = indentation(self.statement.snapshot, self.statement.base);
                let edits = vec![
                    FixEdit::Declare { name: new.clone(), ty },
                    self.statement.replace(start..start, format!("{before}\n{indent}")),
                    self.statement.replace(self.place.clone(), &new),
                ];
                self.out.push(fix(title(opcode, operand), edits));
                return;
            }
        }
    }

    /// Offers to write the result to a new register and to move it to the old operand after the instruction. Takes the
    /// first of `opcodes` that is legal.
    fn then(&mut self, opcodes: &[String], operand: &str, ty: &'static str, title: impl Fn(&str, &str) -> String) {
        let Some(new) = self.fresh(ty) else { return };
        let declared = [(new.clone(), symbol(ty))];
        if !self.statement.is_better(&self.statement.with(&[(self.place.clone(), &new)]), &declared) {
            return;
        }
        for opcode in opcodes {
            let after = format!("{opcode} {operand}, {new};");
            if self.statement.is_clean(&after, &declared) {
                let end = self.instruction.range.end;
                let indent = indentation(self.statement.snapshot, self.statement.base);
                // The guard also applies to the move: a result that is not computed must not be moved.
                let guard = self.statement.text.get(..self.instruction.opcode.range().start).unwrap_or("");
                let edits = vec![
                    FixEdit::Declare { name: new.clone(), ty },
                    self.statement.replace(self.place.clone(), &new),
                    self.statement.replace(end..end, format!("\n{indent}{guard}{after}")),
                ];
                self.out.push(fix(title(opcode, operand), edits));
                return;
            }
        }
    }
}

/// The `cvt` mnemonics to try for a conversion; the one without a rounding modifier comes first.
fn conversions(from: TypeId, to: TypeId) -> Vec<String> {
    let number = |t: TypeId, like: TypeId| match (t.info().class, like.info().class) {
        (TypeClass::Bits, TypeClass::Float) => format!(".f{}", t.info().bits),
        (TypeClass::Bits, TypeClass::Sint) => format!(".s{}", t.info().bits),
        (TypeClass::Bits, _) => format!(".u{}", t.info().bits),
        _ => t.name().to_owned(),
    };
    let (from, to) = (number(from, to), number(to, from));
    ["", ".rn", ".rzi"].iter().map(|rounding| format!("cvt{rounding}{to}{from}")).collect()
}

fn symbol(ty: &str) -> Symbol {
    TypeId::of(ty).map_or(Symbol::Unknown, |ty| Symbol::Register { ty, elements: 1 })
}

/// An integer as floating-point literals: its value or, if it is hexadecimal, the number with those bits.
fn float_of(text: &str) -> Vec<String> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).map(|h| h.trim_end_matches(['U', 'u']));
    match hex {
        Some(hex) if hex.len() == 8 => vec![format!("0f{hex}")],
        Some(hex) if hex.len() == 16 => vec![format!("0d{hex}")],
        _ => {
            let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d.trim_start()));
            literal::integer(digits).map(|value| format!("{sign}{value}.0")).into_iter().collect()
        }
    }
}

/// A floating-point literal as an integer, if its value is integral.
fn integer_of(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d.trim_start()));
    let value = literal::float(digits)?;
    // Below this limit every integer is exact.
    (value as i64 as f64 == value && value.abs() < 9.0e15).then(|| format!("{sign}{}", value as i64))
}
