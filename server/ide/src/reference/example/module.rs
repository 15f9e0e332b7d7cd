//! The module around an example: declarations, initialization of inputs and uses of results.

use super::ModifierChoice;
use crate::reference::combination::least;
use ptx_analysis::spec::operand_variants;
use ptx_analysis::types::agreeing;
use ptx_analysis::{OperandPattern, OperandSpec, OperandVariant, TypeId};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, OperandAccess, Protocol, TypeClass, ValueKind, Verb, Version};
use std::fmt::Write;

/// The function that contains the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// A function with its inputs as parameters; this is the shortest.
    Function,
    /// A kernel, which loads its inputs.
    Kernel,
    /// A kernel whose CTAs have a given size.
    SizedKernel,
}

impl Shell {
    /// All shells, the shortest first.
    pub const ALL: [Self; 3] = [Self::Function, Self::Kernel, Self::SizedKernel];
}

/// Maximum length of a line; longer lines are broken.
const WIDTH: usize = 92;

/// The parts of a module.
#[derive(Debug)]
pub struct Parts {
    /// The instruction.
    pub statement: String,
    shell: Shell,
    globals: Vec<String>,
    parameters: Vec<String>,
    result: Option<String>,
    locals: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    label: bool,
    stored: u32,
}

/// A register.
#[derive(Debug, Clone)]
struct Register {
    name: String,
    ty: TypeId,
}

impl Parts {
    /// The parts of a module for an instruction; `None` if an operand cannot be declared.
    pub fn new(
        entry: &'static Entry,
        form: &'static Form,
        values: &ModifierChoice,
        variant: &OperandVariant,
        shell: Shell,
    ) -> Option<Self> {
        let mut parts = Self {
            statement: String::new(),
            shell,
            globals: Vec::new(),
            parameters: Vec::new(),
            result: None,
            locals: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            label: false,
            stored: 0,
        };
        let results = results(variant);
        let mut operands = Vec::new();
        for (index, shape) in &variant.operands {
            let after = form.slots.iter().zip(values).filter(|(slot, _)| slot.after_operand == index + 1);
            let suffix: String = after.filter_map(|(_, value)| *value).collect();
            operands.push(parts.operand(shape, variant, results)? + &suffix);
        }
        parts.statement = statement(&head(entry, form, values), &operands);
        parts.steps(form);
        Some(parts)
    }

    /// The text of the whole module.
    pub fn module(&self, version: Version, target: &str) -> String {
        let mut out = format!(".version {version}\n.target {target}\n");
        // PTX has this directive since version 2.3, later than the first targets.
        if (version.major, version.minor) >= (2, 3) {
            out.push_str(".address_size 64\n");
        }
        out.push('\n');
        for line in &self.globals {
            let _ = writeln!(out, "{line}");
        }
        if !self.globals.is_empty() {
            out.push('\n');
        }
        let kind = match (self.shell, &self.result) {
            (Shell::Function, Some(result)) => format!(".visible .func ({result}) example"),
            (Shell::Function, None) => ".visible .func example".to_owned(),
            _ => ".visible .entry example".to_owned(),
        };
        let list = match self.parameters.join(", ") {
            short if short.len() + kind.len() < WIDTH => short,
            _ => format!("\n    {}\n", self.parameters.join(",\n    ")),
        };
        let _ = writeln!(out, "{kind}({list})");
        if self.shell == Shell::SizedKernel {
            out.push_str(".reqntid 128, 1, 1\n");
        }
        out.push_str("{\n");
        for line in self.locals.iter().chain(&self.before) {
            let _ = writeln!(out, "    {line}");
        }
        if !self.locals.is_empty() || !self.before.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "    {}", self.statement.replace('\n', "\n    "));
        if !self.after.is_empty() {
            out.push('\n');
        }
        for line in &self.after {
            let _ = writeln!(out, "    {line}");
        }
        out.push_str(if self.label { "L:\n    ret;\n}\n" } else { "    ret;\n}\n" });
        out
    }

    /// Adds the other steps of the protocol around an instruction that starts an asynchronous operation.
    fn steps(&mut self, form: &'static Form) {
        for effect in form.effects.iter().filter(|e| e.verb == Verb::Starts && e.when.is_empty()) {
            let step = |verb| step(verb, effect.protocol);
            self.before.extend(step(Verb::Fences));
            let mut after: Vec<String> = step(Verb::Commits).into_iter().chain(step(Verb::Waits)).collect();
            after.append(&mut self.after);
            self.after = after;
        }
    }

    fn operand(&mut self, shape: &OperandPattern, variant: &OperandVariant, results: usize) -> Option<String> {
        match shape {
            OperandPattern::Value(spec) => self.value(spec, variant, results),
            OperandPattern::Pair(both) => {
                let first = self.value(&both.0, variant, results)?;
                Some(format!("{first}|{}", self.value(&both.1, variant, results)?))
            }
            OperandPattern::Address(parts) => {
                let mut inner = Vec::new();
                for spec in parts {
                    inner.push(match spec.value.kind {
                        ValueKind::Address(_) => self.base(spec)?,
                        _ => self.value(spec, variant, results)?,
                    });
                }
                Some(format!("[{}]", inner.join(", ")))
            }
            OperandPattern::Arguments(_) => Some("()".to_owned()),
            OperandPattern::Sink => Some("_".to_owned()),
        }
    }

    /// The text inside the brackets of an address.
    fn base(&mut self, spec: &OperandSpec) -> Option<String> {
        let space = spec.spaces.and_then(|s| s.first()).copied().unwrap_or("");
        if space.starts_with(".param") {
            let name = format!("{}_parameter", spec.value.name);
            if spec.value.access == OperandAccess::Read && space != ".param::func" {
                self.parameters.push(format!(".param .align 64 .b8 {name}[128]"));
            } else {
                self.locals.push(format!(".param .align 64 .b8 {name}[128];"));
            }
            return Some(name);
        }
        let address = Register { name: format!("%{}", spec.value.name), ty: TypeId::of(".b64")? };
        self.input(&address);
        Some(address.name)
    }

    fn value(&mut self, spec: &OperandSpec, variant: &OperandVariant, results: usize) -> Option<String> {
        let value = spec.value;
        match value.kind {
            ValueKind::Label => {
                self.label = true;
                return Some("L".to_owned());
            }
            ValueKind::Function => {
                let targets = |shape: &OperandPattern| matches!(shape, OperandPattern::Value(s) if matches!(s.value.kind, ValueKind::Targets));
                if variant.operands.iter().any(|(_, shape)| targets(shape)) {
                    let address = Register { name: "%callee".to_owned(), ty: TypeId::of(".b64")? };
                    self.input(&address);
                    return Some(address.name);
                }
                self.globals.push(".func callee()\n{\n    ret;\n}".to_owned());
                return Some("callee".to_owned());
            }
            ValueKind::Targets if value.symbol => {
                self.locals.push("P: .callprototype _ ();".to_owned());
                return Some("P".to_owned());
            }
            ValueKind::Targets => {
                self.label = true;
                self.locals.push("T: .branchtargets L;".to_owned());
                return Some("T".to_owned());
            }
            ValueKind::Address(_) => return self.base(spec).map(|base| format!("[{base}]")),
            ValueKind::Opaque(kind) => {
                let kind = kind.trim_start_matches('.');
                let name = match kind {
                    "samplerref" => "sampler",
                    "surfref" => "surface",
                    _ => "texture",
                };
                self.globals.push(format!(".global .{kind} {name};"));
                return Some(name.to_owned());
            }
            ValueKind::Value | ValueKind::Any | ValueKind::Arguments => {}
        }
        if let Some(number) = literal(spec) {
            return Some(match spec.lengths.first() {
                // The numbers of a list must not all be the largest.
                Some(count) => {
                    let lowest = value.ranges.first().map_or(number, |r| r.low.to_string());
                    format!("{{{}}}", vec![lowest; usize::from(*count)].join(", "))
                }
                None => number,
            });
        }
        let Some(count) = spec.lengths.first().copied() else {
            let ty = register_type(spec)?;
            let register = Register { name: format!("%{}", value.name), ty };
            self.give(&register, value.access, results);
            return Some(register.name);
        };
        self.list(spec, count)
    }

    /// A list in braces.
    fn list(&mut self, spec: &OperandSpec, count: u16) -> Option<String> {
        let ty = register_type(spec)?;
        let stem = format!("%{}", spec.value.name);
        let mut names: Vec<String> = (0..count).map(|i| format!("{stem}{i}")).collect();
        let mut own = names.clone();
        if let Some(lead) = spec.lead.filter(|_| count > 0) {
            let register = Register { name: "%layer".to_owned(), ty: lead };
            self.input(&register);
            names[0] = register.name;
            own.remove(0);
        }
        let (reads, writes) = (spec.value.access != OperandAccess::Write, spec.value.access != OperandAccess::Read);
        if reads && !writes && own.len() <= 4 && self.shell == Shell::Function {
            for name in own {
                self.input(&Register { name, ty });
            }
        } else if !own.is_empty() {
            self.locals.push(format!(".reg {} {stem}<{count}>;", ty.name()));
            let at = Register { name: format!("{stem}_at"), ty: TypeId::of(".b64")? };
            self.input(&at);
            if reads {
                self.transfer(&at.name, &own, ty, true)?;
            }
            if writes {
                self.transfer(&at.name, &own, ty, false)?;
            }
        }
        Some(format!("{{{}}}", names.join(", ")))
    }

    /// Loads or stores the registers of a list, in accesses that are as wide as possible.
    fn transfer(&mut self, at: &str, names: &[String], ty: TypeId, load: bool) -> Option<()> {
        let bits = ty.info().bits;
        let mut rest = names;
        let mut offset = 0;
        while !rest.is_empty() {
            let fits = |n: usize| n <= rest.len() && usize::from(bits) * n <= 128;
            let n = [4, 2, 1].into_iter().find(|n| fits(*n))?;
            let (now, later) = rest.split_at(n);
            let vector = if n > 1 { format!(".v{n}") } else { String::new() };
            let registers = if n > 1 { format!("{{{}}}", now.join(", ")) } else { now.join("") };
            let place = if offset > 0 { format!("[{at}+{offset}]") } else { format!("[{at}]") };
            if load {
                self.before.push(format!("ld.global{vector}.b{bits} {registers}, {place};"));
            } else {
                self.after.push(format!("st.global{vector}.b{bits} {place}, {registers};"));
            }
            offset += n * usize::from(bits) / 8;
            rest = later;
        }
        Some(())
    }

    /// Adds a register that is initialized before the instruction.
    fn input(&mut self, register: &Register) {
        let (name, ty) = (&register.name, register.ty.name());
        let plain = name.trim_start_matches('%');
        if self.shell == Shell::Function && !is_odd(register.ty) {
            self.parameters.push(format!(".reg {ty} {name}"));
            return;
        }
        let (bits, class) = (register.ty.info().bits, register.ty.info().class);
        self.locals.push(format!(".reg {ty} {name};"));
        if bits > 64
            && let Some(ty) = TypeId::of(".b64")
        {
            let load = format!("ld.global.b{bits} {name}, [{name}_at];");
            self.input(&Register { name: format!("{name}_at"), ty });
            self.before.push(load);
            return;
        }
        if class == TypeClass::Pred {
            self.parameters.push(format!(".param .b32 {plain}_in"));
            self.locals.push(format!(".reg .b32 {name}_in;"));
            self.before.push(format!("ld.param.b32 {name}_in, [{plain}_in];"));
            self.before.push(format!("setp.ne.b32 {name}, {name}_in, 0;"));
        } else {
            self.parameters.push(format!(".param .b{bits} {plain}_in"));
            self.before.push(format!("ld.param.b{bits} {name}, [{plain}_in];"));
        }
    }

    /// Adds a register that is used after the instruction.
    fn output(&mut self, register: &Register, only: bool) {
        let (name, ty, info) = (&register.name, register.ty.name(), register.ty.info());
        if self.shell == Shell::Function && only && !is_odd(register.ty) {
            self.result = Some(format!(".reg {ty} {name}"));
            return;
        }
        self.locals.push(format!(".reg {ty} {name};"));
        self.store(name, info.class, info.bits);
    }

    fn store(&mut self, name: &str, class: TypeClass, bits: u16) {
        if self.stored == 0
            && let Some(ty) = TypeId::of(".b64")
        {
            self.input(&Register { name: "%out".to_owned(), ty });
        }
        // Each result has 16 bytes, so that all are aligned.
        let place = if self.stored > 0 { format!("[%out+{}]", self.stored) } else { "[%out]".to_owned() };
        self.stored += 16;
        if class == TypeClass::Pred {
            self.locals.push(format!(".reg .b32 {name}_bit;"));
            self.after.push(format!("selp.b32 {name}_bit, 1, 0, {name};"));
            self.after.push(format!("st.global.b32 {place}, {name}_bit;"));
        } else {
            self.after.push(format!("st.global.b{bits} {place}, {name};"));
        }
    }

    fn give(&mut self, register: &Register, access: OperandAccess, results: usize) {
        match access {
            OperandAccess::Read => self.input(register),
            OperandAccess::Write => self.output(register, results == 1),
            OperandAccess::Update => {
                self.input(register);
                self.store(&register.name, register.ty.info().class, register.ty.info().bits);
            }
        }
    }
}

/// Whether a type cannot be a function parameter in the register state space: predicates, and types of less than 32 or more
/// than 64 bits.
fn is_odd(ty: TypeId) -> bool {
    ty.info().class == TypeClass::Pred || !(32..=64).contains(&ty.info().bits)
}

/// An instruction for a step of a protocol that needs no register.
fn step(verb: Verb, protocol: Protocol) -> Option<String> {
    let does = |form: &Form| form.effects.iter().any(|e| e.verb == verb && e.protocol == protocol);
    let entries = ISA.opcodes.iter().flat_map(|o| o.entries);
    let (entry, form) = entries.flat_map(|e| e.forms.iter().map(move |f| (e, f))).find(|(_, f)| does(f))?;
    let values = least(form, &[])?;
    let variant = operand_variants(form, &values).into_iter().find(|a| a.broken.is_none())?;
    let operands = variant.operands.iter().map(|(_, shape)| match shape {
        // With 0, the instruction waits for all pending operations.
        OperandPattern::Value(spec) if spec.value.immediate_only => Some("0".to_owned()),
        _ => None,
    });
    let operands = operands.collect::<Option<Vec<String>>>()?;
    Some(statement(&head(entry, form, &values), &operands))
}

/// The mnemonic, without modifiers that follow an operand.
fn head(entry: &Entry, form: &Form, values: &ModifierChoice) -> String {
    let opcode = entry.name.split('.').next().unwrap_or(entry.name);
    let before = form.slots.iter().zip(values).filter(|(slot, _)| slot.after_operand == 0);
    opcode.chars().chain(before.filter_map(|(_, value)| *value).flat_map(str::chars)).collect()
}

/// The number of written registers that are not in a list.
fn results(variant: &OperandVariant) -> usize {
    let written = |spec: &OperandSpec| spec.value.access == OperandAccess::Write && spec.lengths.is_empty();
    let count = |shape: &OperandPattern| match shape {
        OperandPattern::Value(spec) => usize::from(written(spec)),
        OperandPattern::Pair(both) => usize::from(written(&both.0)) + usize::from(written(&both.1)),
        _ => 0,
    };
    variant.operands.iter().map(|(_, shape)| count(shape)).sum()
}

/// The type of a register for an operand.
fn register_type(spec: &OperandSpec) -> Option<TypeId> {
    let ty = spec.ty.or_else(|| TypeId::of(".b32"))?;
    if ty.info().registers && !spec.fit.untyped {
        return Some(ty);
    }
    agreeing(ty, spec.fit).first().and_then(|name| TypeId::of(name))
}

/// A number for an operand that must be a literal, or for which only some numbers make sense.
fn literal(spec: &OperandSpec) -> Option<String> {
    let value = spec.value;
    if value.access != OperandAccess::Read || value.register_only {
        return None;
    }
    if value.lanes {
        return Some("0xffffffff".to_owned());
    }
    if let Some(range) = value.ranges.first() {
        return Some(range.high.min(range.low.max(0).saturating_add(range.step.saturating_mul(2))).to_string());
    }
    if !value.immediate_only {
        return None;
    }
    let float = spec.ty.is_some_and(|t| t.info().class == TypeClass::Float);
    Some(if float { "1.0" } else { "1" }.to_owned())
}

/// A statement from its mnemonic and operands. A long instruction has one line per operand, and a long list has several
/// lines.
fn statement(head: &str, operands: &[String]) -> String {
    let short = format!("{head} {}", operands.join(", "));
    if short.len() < WIDTH {
        return format!("{};", short.trim_end());
    }
    let mut out = head.to_owned();
    for (index, operand) in operands.iter().enumerate() {
        let mut column = 4;
        out.push_str("\n    ");
        for (place, word) in operand.split(' ').enumerate() {
            if place > 0 && column + word.len() > WIDTH - 4 {
                out.push_str("\n     ");
                column = 5;
            } else if place > 0 {
                out.push(' ');
            }
            out.push_str(word);
            column += word.len() + 1;
        }
        out.push(if index + 1 < operands.len() { ',' } else { ';' });
    }
    out
}
