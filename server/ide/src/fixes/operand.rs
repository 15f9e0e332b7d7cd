//! Fixes of operands: declare a register, write a number in the expected notation, or move or convert a value first.

use super::declare::{self, indentation};
use super::numbers::{bits_of, float_of, integer_of};
use super::statement::{DiagnosedInstruction, TrialRegister, fix};
use ptx_analysis::Fix;
use ptx_analysis::names::{foreign_operand, is_template};
use ptx_analysis::operands::special;
use ptx_analysis::types::register_type;
use ptx_analysis::{
    Code, FixEdit, Instruction, MismatchKind, OperandKind, OperandMismatch, OperandSpec, Symbol, TypeId, literal,
};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, SpecialRegister, TypeClass, ValueKind};
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
                if try_.out.is_empty() {
                    try_.declare(guard.text, ".pred");
                }
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
                // `tid.x`
                if !written.starts_with('%') && special(&format!("%{name}")).is_some() {
                    let text = format!("%{written}");
                    let edits = vec![self.statement.replace(self.place.clone(), &text)];
                    let fix = fix(format!("Write `{text}`"), edits).preferred();
                    if self.statement.takes(&fix) {
                        self.out.push(fix);
                    }
                }
                for spelling in foreign_operand(&written).map_or(Vec::new(), |word| word.spellings) {
                    let edits = vec![self.statement.replace(self.place.clone(), spelling)];
                    let fix = fix(format!("Write `{spelling}`"), edits);
                    if self.statement.takes(&fix) {
                        self.out.push(fix);
                    }
                }
                // No register that could be declared: the component of something else, a word that PTX writes otherwise, a parameter.
                let parameter = self.instruction.modifiers.iter().any(|m| m.text.starts_with(".param"));
                let is_other = written.contains('.')
                    || is_template(name)
                    || self.statement.diagnostic.is_beyond_special_registers()
                    || (parameter && !name.starts_with('%'));
                // A name that is nearly declared is misspelt.
                let declares = self.out.is_empty()
                    && !self.statement.diagnostic.is_declared_elsewhere()
                    && !is_other
                    && !written.starts_with('$');
                if let Some(ty) = spec.and_then(|s| self.likely_type(s)).filter(|_| declares) {
                    self.declare(name, ty);
                }
            }
            MismatchKind::RegisterType(register, ty) => {
                // A type that fits all registers says more than a conversion of one of them.
                if let Some(spec) = spec
                    && self.out.is_empty()
                {
                    self.convert(register, *ty, spec);
                }
            }
            MismatchKind::SpecialType { name, .. } => {
                // `%clock64` for `%clock`.
                let longer = |r: &&SpecialRegister| r.name.starts_with(name) && r.name != *name;
                for register in ISA.special_registers.iter().filter(longer) {
                    self.offer(format!("Read `{}`", register.name), register.name, false);
                }
                if let Some(spec) = spec.filter(|_| self.out.is_empty()) {
                    self.move_first(spec);
                }
            }
            // A parameter is named: its number means nothing.
            MismatchKind::ImmediateAddress
                if self.instruction.modifiers.iter().any(|m| m.text.starts_with(".param")) => {}
            MismatchKind::SpecialRegister | MismatchKind::Immediate | MismatchKind::ImmediateAddress => {
                if let Some(spec) = spec {
                    self.move_first(spec);
                }
            }
            MismatchKind::SpecialVector { components, .. } => {
                // The fourth component is always 0.
                for component in components.chars().take(3) {
                    let text = format!("{written}.{component}");
                    self.offer(format!("Read `{text}`"), &text, false);
                }
            }
            MismatchKind::ImmediateClass { integer } => self.number(*integer),
            MismatchKind::Component(_) => {
                let object = written.split('.').next().unwrap_or("");
                if special(object).is_some_and(|r| r.components.is_empty()) {
                    self.offer(format!("Write `{object}`"), object, true);
                }
            }
            MismatchKind::Parts(2, names) if names.len() == 1 => {
                let inner = written.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
                if let Some((base, offset)) = inner.and_then(|inner| inner.split_once(',')) {
                    let text = format!("[{}+{}]", base.trim(), offset.trim());
                    self.offer(format!("Write `{text}`"), &text, true);
                }
            }
            MismatchKind::MustBeAddress => self.brackets(),
            MismatchKind::UnexpectedAddress => {
                self.load(spec);
                if self.out.is_empty()
                    && let Some(inner) = written.strip_prefix('[').and_then(|w| w.strip_suffix(']'))
                {
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
            MismatchKind::Negation | MismatchKind::Minus => self.negate_first(spec),
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

    /// Offers all numbers of the wrong class of the instruction in the class of their operands: an integer with a fraction, `1.0` as an
    /// integer of an integer type, or as its bits in a register without a type.
    fn number(&mut self, integer: bool) {
        let Some((_, head)) = self.statement.head(self.instruction) else { return };
        let mut choices: Vec<Vec<(Range<usize>, String)>> = Vec::new();
        for mismatch in self.statement.mismatches(self.instruction, &head) {
            if mismatch.kind != (MismatchKind::ImmediateClass { integer }) {
                continue;
            }
            let written = self.statement.text.get(mismatch.range.clone()).unwrap_or("");
            let ty = mismatch.spec.and_then(|spec| spec.ty).map(TypeId::info);
            let texts = match ty {
                _ if integer => float_of(written),
                // What has no form for floats computes with whole numbers: `and.b32`.
                Some(ty) if ty.class == TypeClass::Bits && self.has_floats() => bits_of(written, ty.bits),
                _ => integer_of(written).into_iter().collect(),
            };
            choices.push(texts.into_iter().map(|text| (mismatch.range.clone(), text)).collect());
        }
        let longest = choices.iter().map(Vec::len).max().unwrap_or(0);
        for choice in 0..longest {
            let Some(edits) = choices.iter().map(|all| all.get(choice).cloned()).collect::<Option<Vec<_>>>() else {
                return;
            };
            let texts: Vec<(Range<usize>, &str)> = edits.iter().map(|(r, text)| (r.clone(), text.as_str())).collect();
            if self.statement.is_better(&self.statement.with(&texts), &[]) {
                let title = texts.iter().map(|(_, text)| format!("`{text}`")).collect::<Vec<_>>().join(" and ");
                let edits = texts.iter().map(|(r, text)| self.statement.replace(r.clone(), *text)).collect();
                self.out.push(Fix { title: format!("Write {title}"), edits, preferred: longest == 1 });
            }
        }
    }

    /// Offers a load for memory in the place of a value: `mov.u32 %r1, [%rd1]`. An address of the size of the operand may be the value.
    fn load(&mut self, spec: Option<&OperandSpec>) {
        let written = self.written().to_owned();
        let Some(inner) = written.strip_prefix('[').and_then(|w| w.strip_suffix(']')) else { return };
        let name = inner.split(['+', '-']).next().unwrap_or("").trim();
        let (space, address_bits) = match self.statement.look_up(name) {
            Some(Symbol::Variable(variable)) => (variable.space, None),
            Some(Symbol::Register { ty, elements: 1 }) => ("", Some(ty.info().bits)),
            _ => return,
        };
        // Memory is copied within the state space that the instruction names.
        let own = self.instruction.modifiers.iter().map(|m| m.text).find(|m| ISA.space(m).is_some());
        let space = if space.is_empty() { own.unwrap_or("") } else { space };
        let load = format!("ld{space}");
        let opcode = self.instruction.opcode.range();
        let copies = self.instruction.opcode.text == "mov";
        if copies && self.statement.is_better(&self.statement.with(&[(opcode.clone(), &load)]), &[]) {
            self.out.push(fix(format!("Write `{load}`"), vec![self.statement.replace(opcode, load)]));
            return;
        }
        let Some(ty) = spec.and_then(|s| self.likely_type(s)) else { return };
        if TypeId::of(ty).map(|ty| ty.info().bits) != address_bits {
            let load = [format!("{load}{ty}")];
            self.first(&load, &written, ty, |load, text| format!("Load `{text}` with `{load}` first"));
        }
    }

    /// Offers to negate a register before the instruction.
    fn negate_first(&mut self, spec: Option<&OperandSpec>) {
        let written = self.written().to_owned();
        let Some(ty) = spec.and_then(|s| s.ty).filter(|t| t.info().class != TypeClass::Pred) else { return };
        let register = written.trim_start_matches(['!', '-', '~']).trim();
        let bits = ty.info().bits;
        let opcode = match (written.starts_with('-'), ty.info().class) {
            (true, TypeClass::Float) => format!("neg.f{bits}"),
            (true, _) => format!("neg.s{bits}"),
            (false, _) => format!("not.b{bits}"),
        };
        let name = opcode.split('.').next().unwrap_or("").to_owned();
        self.first(&[opcode], register, register_type(ty), |_, r| format!("Compute it with `{name}` of `{r}` first"));
    }

    /// Offers `cvt` or `selp` in the place of a `mov`, which would only copy what they compute.
    fn in_place_of_move(&mut self, opcodes: &[String], sources: &str) -> bool {
        let [destination, _] = self.instruction.operands.as_slice() else { return false };
        if self.instruction.opcode.text != "mov" {
            return false;
        }
        let target = self.statement.text.get(destination.range.clone()).unwrap_or("").to_owned();
        let range = self.instruction.mnemonic_range().start..self.instruction.operands[1].range.end;
        for opcode in opcodes {
            let text = format!("{opcode} {target}, {sources}");
            if self.statement.is_better(&self.statement.with(&[(range.clone(), &text)]), &[]) {
                self.out.push(fix(format!("Write `{text}`"), vec![self.statement.replace(range, text)]));
                return true;
            }
        }
        false
    }

    /// Whether a form of the opcode has a floating-point type.
    fn has_floats(&self) -> bool {
        let opcode = ISA.opcode(self.instruction.opcode.text);
        let slots = opcode.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
        let mut types = slots.filter(|s| s.is_type).flat_map(|s| s.values).filter_map(|v| TypeId::of(v));
        types.any(|ty| ty.info().class == TypeClass::Float)
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
        let Some((_, head)) = self.statement.head(self.instruction) else { return };
        let wrong = self.statement.mismatches(self.instruction, &head);
        let places: Vec<Range<usize>> =
            wrong.into_iter().filter(|m| m.kind == MismatchKind::MustBeAddress).map(|m| m.range).collect();
        if let [_, _, ..] = places[..] {
            let texts: Vec<(Range<usize>, String)> = places
                .into_iter()
                .map(|p| (p.clone(), format!("[{}]", self.statement.text.get(p).unwrap_or(""))))
                .collect();
            let edits: Vec<(Range<usize>, &str)> = texts.iter().map(|(p, text)| (p.clone(), text.as_str())).collect();
            if self.statement.is_better(&self.statement.with(&edits), &[]) {
                let edits = texts.iter().map(|(p, text)| self.statement.replace(p.clone(), text)).collect();
                self.out.push(fix("Put the addresses in brackets", edits).preferred());
            }
            return;
        }
        let text = format!("[{}]", self.written());
        self.offer("Put the address in brackets".to_owned(), &text, true);
    }

    /// Offers to declare an undeclared name.
    fn declare(&mut self, name: &str, ty: &'static str) {
        if self.statement.look_up(name).is_some() || self.statement.diagnostic.is_not_to_be_declared() {
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
        let declared = [TrialRegister { name: new.clone(), symbol: symbol(ty) }];
        if self.statement.is_better(&self.statement.with(&[(self.place.clone(), &new)]), &declared) {
            let edits =
                vec![FixEdit::Declare { name: new.clone(), ty }, self.statement.replace(self.place.clone(), &new)];
            self.out.push(fix(format!("Write to a new register, `{new}`"), edits));
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
        let mut first = vec![format!("mov{}", register.map_or(ty, |r| r.ty))];
        if own != ty
            && let (Some(from), Some(to)) = (TypeId::of(own), wanted)
        {
            first = conversions(from, to);
        }
        if own != ty && self.in_place_of_move(&first, &written) {
            return;
        }
        self.first(&first, &written, ty, |opcode, text| format!("Put `{text}` into a register with `{opcode}` first"));
    }

    /// Offers a `cvt` or `mov` for a register of the wrong type.
    fn convert(&mut self, register: &str, found: TypeId, spec: &OperandSpec) {
        let Some(wanted) = spec.ty else { return };
        let (is_predicate, was_predicate) =
            (wanted.info().class == TypeClass::Pred, found.info().class == TypeClass::Pred);
        if is_predicate || was_predicate {
            return self.convert_predicate(register, found, wanted, spec);
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
            // A list that is packed or unpacked says how many bits are meant.
            _ if self.instruction.operands.iter().any(|o| matches!(o.kind, OperandKind::Vector(_))) => {}
            OperandAccess::Read => {
                if converts && self.in_place_of_move(&conversions(found, wanted), register) {
                    return;
                }
                if converts {
                    self.first(&conversions(found, wanted), register, ty, |_, r| {
                        format!("Convert `{r}` with `cvt` first")
                    });
                }
                if let Some(mov) = bits {
                    self.first(&mov, register, ty, |mov, r| format!("Copy the bits of `{r}` unchanged, with `{mov}`"));
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

    /// Offers a comparison for a predicate that is read from a number, and a `selp` for the reverse.
    fn convert_predicate(&mut self, register: &str, found: TypeId, wanted: TypeId, spec: &OperandSpec) {
        let whole = |t: TypeId| matches!(t.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
        match (spec.value.access, whole(found), whole(wanted)) {
            (OperandAccess::Read, true, false) => self.compare(register),
            (OperandAccess::Read, false, true) => {
                let ty = register_type(wanted);
                let select = [format!("selp.b{}", wanted.info().bits)];
                if self.in_place_of_move(&select, &format!("1, 0, {register}")) {
                    return;
                }
                self.first(&select, &format!("1, 0, {register}"), ty, |_, _| {
                    format!("Convert `{register}` to a number with `selp` first")
                });
            }
            (OperandAccess::Write, true, false) => {
                let select = [format!("selp.b{}", found.info().bits)];
                self.then_with(
                    &select,
                    register,
                    ".pred",
                    |new| format!("1, 0, {new}"),
                    |_, r| format!("Convert the predicate to a number in `{r}` with `selp`"),
                );
            }
            _ => {}
        }
    }

    /// Offers to compute a new register from an operand before the instruction, and to use it as the operand. Takes the
    /// first of `opcodes` that is legal.
    fn first(&mut self, opcodes: &[String], operand: &str, ty: &'static str, title: impl Fn(&str, &str) -> String) {
        let Some(new) = self.fresh(ty) else { return };
        let declared = [TrialRegister { name: new.clone(), symbol: symbol(ty) }];
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
        self.then_with(opcodes, operand, ty, str::to_owned, title);
    }

    /// [`Self::then`] with operands made of the new register.
    fn then_with(
        &mut self,
        opcodes: &[String],
        operand: &str,
        ty: &'static str,
        sources: impl Fn(&str) -> String,
        title: impl Fn(&str, &str) -> String,
    ) {
        let Some(new) = self.fresh(ty) else { return };
        let declared = [TrialRegister { name: new.clone(), symbol: symbol(ty) }];
        if !self.statement.is_better(&self.statement.with(&[(self.place.clone(), &new)]), &declared) {
            return;
        }
        for opcode in opcodes {
            let after = format!("{opcode} {operand}, {};", sources(&new));
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
