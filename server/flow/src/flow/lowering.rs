//! Lowers the syntax tree of a function to a [`FlowFunction`].

mod operands;

use super::function::{
    FlowFunction, FlowInstruction, FlowLabel, FlowOperand, FlowVariable, FormUse, Guard, LabelList, OperandValue,
    RegisterDeclaration, RegisterSlot, RegisterUse, Tuning,
};
use super::graph::branches;
use super::scopes::{FlowScopes, Id, ModuleNames, ScopedName, Slots};
use ptx_isa::tables::{ControlTransfer, Entry};
use ptx_isa::{ISA, Modifier};
use ptx_sema::forms::choose::select;
use ptx_sema::forms::mnemonics::{LoweredInstruction, MnemonicCache, ResolvedMnemonic};
use ptx_sema::forms::operands::special;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::declared;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::literal;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::Dependencies;
use ptx_sema::hir::module::{Header, ModuleItem};
use ptx_sema::hir::signature::{ContentId, Signature};
use ptx_sema::hir::statements::{self, Child, children};
use ptx_sema::hir::symbols::{Symbol, TargetListKind as ListKind, VariableOrigin};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, PlainStatement, Snapshot, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;
use std::vec;

/// Properties of the module on which the body of a function depends, besides its header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// The names of the functions that do not return.
    pub noreturn: HashSet<Box<str>>,
    /// Whether the module has debugging data, for which compilers write labels that no instruction names.
    pub debugging: bool,
}

impl Module {
    /// Reads the properties of a module from its items, whose bodies are not visited.
    pub fn new(snapshot: &Snapshot, items: &[ModuleItem<'_>]) -> Self {
        let k = kinds();
        let mut out = Self::default();
        for item in items {
            let kind = item.node.kind_id();
            out.debugging |= kind == k.section_directive || kind == k.dwarf_directive || kind == k.file_directive;
            let noreturn = || children(item.node).iter().any(|n| n.kind == k.noreturn_directive);
            if kind == k.function
                && noreturn()
                && let Some(name) = item.node.child_by_field_id(fields().name)
            {
                out.noreturn.insert(snapshot.text(name.byte_range()).into());
            }
        }
        out
    }
}

/// A function with more branch targets is not analysed: with target tables, their number can grow with the square of the
/// function's length.
const MAX_BRANCHES: usize = 4_000_000;

/// A lowered function, and the module names with which it was resolved.
#[derive(Debug)]
pub struct Lowered {
    /// The function.
    pub function: FlowFunction,
    /// The module names that the function uses, each with the symbol to which it resolved.
    pub dependencies: Dependencies,
}

/// Lowers the function `item`. `text` is the source text of the item.
pub fn lower(
    text: &str,
    item: &ModuleItem<'_>,
    index: usize,
    header: &Header,
    module: &Module,
    mnemonics: &mut MnemonicCache,
) -> Lowered {
    lower_with(text, item, index, header, module, mnemonics, LoweredBody::default())
}

/// The statements and instructions of a function's body as the check has lowered them, for the flow lints.
#[derive(Debug, Default)]
pub struct LoweredBody<'t, 'n> {
    /// The statements of the outermost block; may be empty.
    pub statements: Vec<Child<'n>>,
    /// Instructions in text order, not necessarily all.
    pub instructions: Vec<LoweredInstruction<'t>>,
    /// The statements of the text that were read without the parser.
    pub plain: &'n [PlainStatement],
}

/// Like [`lower`], but takes statements and instructions from `body` as far as it has them.
pub fn lower_with<'t>(
    text: &'t str,
    item: &ModuleItem<'_>,
    index: usize,
    header: &Header,
    module: &Module,
    mnemonics: &mut MnemonicCache,
    body: LoweredBody<'t, '_>,
) -> Lowered {
    let source = ItemSource { text, base: item.range.start };
    let mut lowering = Lowering {
        source,
        header,
        module,
        mnemonics,
        instructions: body.instructions.into_iter().peekable(),
        plain: body.plain,
        scopes: FlowScopes::new(header, index),
        slots: Slots::default(),
        names: ModuleNames::default(),
        forms: HashMap::default(),
        labels: 0,
        end: text.len(),
        reads: Vec::new(),
        writes: Vec::new(),
        out: FlowFunction { complete: !item.unclosed && !item.node.is_error(), ..FlowFunction::default() },
    };
    lowering.function(item.node, body.statements);
    lowering.out.complete &= branches(&lowering.out) <= MAX_BRANCHES;
    Lowered { function: lowering.out, dependencies: lowering.scopes.into_dependencies() }
}

struct Lowering<'a, 't> {
    source: ItemSource<'t>,
    header: &'a Header,
    module: &'a Module,
    mnemonics: &'a mut MnemonicCache,
    /// Instructions that are lowered already, from the current one on.
    instructions: Peekable<vec::IntoIter<LoweredInstruction<'t>>>,
    plain: &'a [PlainStatement],
    scopes: FlowScopes<'a, 't>,
    slots: Slots,
    names: ModuleNames,
    /// Indices into `out.forms`, by resolved mnemonic (its address) and candidate index.
    forms: HashMap<(*const ResolvedMnemonic, usize), (u32, Arc<ResolvedMnemonic>)>,
    /// The number of labels whose definition has been reached in the text.
    labels: usize,
    /// The byte offset of the end of the text.
    end: usize,
    /// The register reads of the current instruction.
    reads: Vec<RegisterUse>,
    writes: Vec<RegisterUse>,
    out: FlowFunction,
}

impl<'t> Lowering<'_, 't> {
    fn function(&mut self, node: Node<'_>, statements: Vec<Child<'_>>) {
        let f = fields();
        self.out.kernel = node.child_by_field_id(f.kind).is_some_and(|n| self.source.word(n).text == ".entry");
        if let Some(name) = node.child_by_field_id(f.name) {
            let word = self.source.word(name);
            self.out.name = word.text.into();
            self.out.name_range = bytes(word.range());
        }
        let Some(body) = node.child_by_field_id(f.body) else { return };
        self.out.body = bytes(self.source.range(body));
        for child in named_children(node).filter(|n| n.kind_id() == kinds().performance_directive) {
            let name = child.child_by_field_id(f.name).map_or("", |n| self.source.word(n).text);
            let directive = ISA.directive(name);
            let numbers: Vec<Option<i128>> =
                directive_parts::arguments(self.source, child).iter().map(|a| literal::number(a.word.text)).collect();
            let mut dimensions = numbers.first().map(|_| [1; 3]);
            for (at, number) in numbers.iter().enumerate().take(3) {
                let number = number.and_then(|n| u32::try_from(n).ok());
                dimensions = dimensions.zip(number).map(|(mut all, number)| {
                    all[at] = number;
                    all
                });
            }
            let number =
                numbers.into_iter().reduce(|a, b| a?.checked_mul(b?)).flatten().and_then(|n| u64::try_from(n).ok());
            let range = bytes(self.source.range(child));
            self.out.directives.push(Tuning { name: name.into(), directive, number, dimensions, range });
        }
        self.scopes.push();
        let parameters = if self.out.kernel { VariableOrigin::KernelParameter } else { VariableOrigin::Parameter };
        for (list, origin) in [(f.returns, VariableOrigin::Result), (f.parameters, parameters)] {
            let Some(list) = node.child_by_field_id(list) else { continue };
            for parameter in named_children(list).filter(|n| n.kind_id() == kinds().parameter) {
                self.declare(parameter, origin, self.out.body.clone());
            }
        }
        let statements = if statements.is_empty() { self.statements(body) } else { statements };
        self.block(body, statements);
        self.scopes.pop();
    }

    fn statements<'n>(&self, block: Node<'n>) -> Vec<Child<'n>> {
        statements::statements(block, self.plain)
    }

    fn block(&mut self, node: Node<'_>, all: Vec<Child<'_>>) {
        self.scopes.push();
        let scope = bytes(self.source.range(node));
        self.collect_labels(&all);
        let mut label = None;
        for child in all {
            if child.start.saturating_sub(self.source.base) >= self.end {
                break;
            }
            self.statement(child, &scope, label);
            label = if child.kind == kinds().label { self.label_name(&child) } else { None };
        }
        self.scopes.pop();
    }

    /// Declares the labels of a block in advance, since instructions may use a label before its definition.
    fn collect_labels(&mut self, children: &[Child<'_>]) {
        let k = kinds();
        let mut iter = children.iter().peekable();
        while let Some(child) = iter.next() {
            if child.kind != k.label {
                continue;
            }
            let Some(name) = self.label_name(child) else { continue };
            let next = iter.peek().map(|n| n.kind);
            let (text, range) = (name.text.into(), bytes(name.range()));
            if let Some(list) = next.and_then(directive_parts::list_kind) {
                let id = Id::List(self.out.lists.len() as u32);
                let (labels, functions) = (Vec::new(), Vec::new());
                let made =
                    LabelList { name: text, range, labels, functions, prototype: None, noreturn: false, uses: 0 };
                self.out.lists.push(made);
                let symbol = Symbol::Targets { list, content: ContentId::UNKNOWN };
                self.scopes.declare(name.text, None, symbol, id);
            } else {
                let id = Id::Label(self.out.labels.len() as u32);
                // The target is filled in when lowering reaches the label.
                self.out.labels.push(FlowLabel { name: text, range, target: u32::MAX, uses: 0 });
                self.scopes.declare(name.text, None, Symbol::Label, id);
            }
        }
    }

    /// The name of a label.
    fn label_name(&self, label: &Child<'_>) -> Option<SourceWord<'t>> {
        if let Some(node) = label.node {
            return node.child_by_field_id(fields().name).map(|n| self.source.word(n));
        }
        let range = self.source.relative(label.start..label.end);
        let text = self.source.text.get(range.clone())?.strip_suffix(':')?;
        Some(SourceWord { text, start: range.start as u32 })
    }

    /// Lowers a statement; `label` is the name of the label directly before it.
    fn statement(&mut self, child: Child<'_>, scope: &Range<u32>, label: Option<SourceWord<'_>>) {
        let k = kinds();
        let Child { node, kind, .. } = child;
        if kind == k.instruction {
            self.instruction(&child);
        } else if kind == k.label
            && let Some(name) = self.label_name(&child)
            && let Some(Id::Label(id)) = self.scopes.find(name.text).map(|f| f.id)
            && let Some(label) = self.out.labels.get_mut(id as usize)
            && label.target == u32::MAX
        {
            label.target = self.out.instructions.len() as u32;
            self.labels += 1;
        }
        let Some(node) = node else { return };
        if kind == k.block {
            self.block(node, self.statements(node));
        } else if kind == k.variable_declaration {
            self.out.complete &= !node.has_error();
            self.declare(node, VariableOrigin::Body, scope.clone());
        } else if kind == k.pragma_directive {
            let next = self.out.instructions.len() as u32;
            let all = directive_parts::arguments(self.source, node);
            self.out.pragmas.extend(all.iter().map(|a| (next, a.word.text.into())));
        } else if let Some(kind) = directive_parts::list_kind(kind) {
            self.list(node, kind, label);
        } else if node.is_error() || node.is_missing() || kind == k.unknown_directive || kind == k.function {
            self.out.complete = false;
        }
    }

    /// Lowers a list of targets or a prototype; the label before it is its name.
    fn list(&mut self, node: Node<'_>, kind: ListKind, label: Option<SourceWord<'_>>) {
        self.out.complete &= !node.has_error();
        let Some(Id::List(id)) = label.and_then(|n| self.scopes.find(n.text)).map(|f| f.id) else { return };
        let (mut labels, mut functions, mut prototype) = (Vec::new(), Vec::new(), None);
        match kind {
            ListKind::Branches => {
                for (_, name) in directive_parts::list_entries(self.source, node) {
                    labels.extend(self.label(&name));
                }
            }
            ListKind::Calls => {
                for (_, name) in directive_parts::list_entries(self.source, node) {
                    functions.extend(self.listed_function(&name));
                }
            }
            ListKind::Prototype => prototype = Signature::of(self.source, node).map(Box::new),
        }
        if let Some(list) = self.out.lists.get_mut(id as usize) {
            list.noreturn = prototype.as_ref().is_some_and(|p| p.noreturn);
            (list.labels, list.functions, list.prototype) = (labels, functions, prototype);
        }
    }

    fn listed_function(&mut self, name: &str) -> Option<u32> {
        match self.scopes.find(name) {
            Some(ScopedName { id: Id::Module, symbol: Symbol::Function { .. }, .. }) => {
                Some(self.names.function(&mut self.out, name))
            }
            _ => {
                self.out.complete = false;
                None
            }
        }
    }

    fn label(&mut self, name: &str) -> Option<u32> {
        let found = self.scopes.find(name).map(|f| f.id);
        let Some(Id::Label(id)) = found else {
            self.out.complete = false;
            return None;
        };
        self.out.labels[id as usize].uses += 1;
        Some(id)
    }

    fn declare(&mut self, node: Node<'_>, origin: VariableOrigin, scope: Range<u32>) {
        for declared in declared::names(&lower::declaration(self.source, node), origin) {
            let (name, range) = (declared.name.text, bytes(declared.name.range()));
            let id = match declared.symbol {
                Symbol::Register { ty, elements } => {
                    let id = Id::Registers(self.out.declarations.len() as u32);
                    let (name, scope, count, highest) = (name.into(), scope.clone(), declared.count, None);
                    let declaration = RegisterDeclaration { name, range, count, elements, ty, origin, scope, highest };
                    self.out.declarations.push(declaration);
                    id
                }
                Symbol::Variable(symbol) => {
                    let id = Id::Variable(self.out.variables.len() as u32);
                    let (name, scope) = (name.into(), scope.clone());
                    self.out.variables.push(FlowVariable { name, range, symbol, scope, uses: 0 });
                    id
                }
                _ => Id::Unknown,
            };
            self.scopes.declare(name, declared.count, declared.symbol, id);
        }
    }

    /// The instruction of a statement; `None` if it has no opcode.
    fn lowered(&mut self, child: &Child<'_>) -> Option<LoweredInstruction<'t>> {
        let start = child.start.saturating_sub(self.source.base);
        while self.instructions.next_if(|known| known.instruction.range.start < start).is_some() {}
        if let Some(known) = self.instructions.next_if(|known| known.instruction.range.start == start) {
            return Some(known);
        }
        let instruction = match child.node {
            Some(node) => lower::instruction(self.source, node)?,
            None => {
                let instruction = lower::instruction_without_node(self.source.text.get(start..)?)?;
                instruction.shifted(u32::try_from(start).ok()?)
            }
        };
        let mnemonic = self.mnemonics.resolve(&instruction, self.source.text, &self.header.environment);
        Some(LoweredInstruction { instruction, mnemonic })
    }

    fn instruction(&mut self, child: &Child<'_>) {
        let Some(LoweredInstruction { instruction: lowered, mnemonic: resolved }) =
            self.lowered(child).filter(|l| !l.instruction.broken)
        else {
            self.out.complete = false;
            return;
        };
        let Some((candidate, variant)) = select(&lowered, &resolved, &self.scopes) else {
            self.out.complete = false;
            return;
        };
        let Some(form) = self.form(&resolved, candidate) else { return };
        self.reads.clear();
        self.writes.clear();
        let guard = lowered.guard.and_then(|word| {
            let between = self.source.text.get(lowered.range.start..word.range().start).unwrap_or("");
            self.guard(word.text, bytes(word.range()), between.trim_end().ends_with('!'))
        });
        self.out.complete &= guard.is_some() == lowered.guard.is_some();
        let operands = self.out.operands.len() as u32;
        let mnemonic = resolved.mnemonic.as_ref().and_then(|h| h.candidates.get(candidate));
        if let Some(variant) = mnemonic.and_then(|c| c.variants.get(variant)) {
            for (place, (operand, (_, shape))) in lowered.operands.iter().zip(&variant.operands).enumerate() {
                self.operand(place as u8, operand, shape);
            }
        }
        self.settle_conditional(operands as usize);
        let uses = self.out.uses.len();
        self.out.uses.append(&mut self.reads);
        let writes = self.out.uses.len();
        self.out.uses.append(&mut self.writes);
        let flow = self.out.forms[form as usize].entry.flow;
        let instruction = FlowInstruction {
            range: bytes(lowered.range.clone()),
            mnemonic: bytes(lowered.mnemonic_range()),
            guard,
            flow,
            noreturn: flow == ControlTransfer::Call && self.never_returns(operands as usize),
            form,
            operands: operands..self.out.operands.len() as u32,
            uses: [uses as u32, writes as u32, self.out.uses.len() as u32],
        };
        self.out.instructions.push(instruction);
    }

    /// The index of a candidate's form in `out.forms`; adds the form if it is new.
    fn form(&mut self, resolved: &Arc<ResolvedMnemonic>, index: usize) -> Option<u32> {
        let key = (Arc::as_ptr(resolved), index);
        if let Some((known, _)) = self.forms.get(&key) {
            return Some(*known);
        }
        let candidate = resolved.mnemonic.as_ref()?.candidates.get(index)?;
        let mut values = candidate.values.iter().flatten();
        let entry: &'static Entry = candidate.entry;
        let chosen = FormUse {
            entry,
            form: candidate.form,
            values: candidate.values.clone().into(),
            modifiers: candidate.values.iter().map(|v| v.and_then(Modifier::of)).collect(),
            converge: entry.converge || values.clone().any(|v| ISA.modifier(v).is_some_and(|m| m.converge)),
            space: values.find_map(|v| ISA.space(v)),
        };
        let number = self.out.forms.len() as u32;
        self.out.forms.push(chosen);
        // The `Arc` keeps the mnemonic alive, so that no other mnemonic can be allocated at the same address.
        self.forms.insert(key, (number, Arc::clone(resolved)));
        Some(number)
    }

    fn guard(&mut self, name: &str, range: Range<u32>, negated: bool) -> Option<Guard> {
        let (slot, special) = match self.scopes.find(name) {
            Some(found) => match found.id {
                Id::Registers(declaration) => {
                    let slot = self.slots.of(&mut self.out, declaration, found.number);
                    self.reads.push(RegisterUse { slot, operand: None, conditional: false });
                    (Some(slot), None)
                }
                _ => return None,
            },
            None => (None, Some(special(name)?)),
        };
        Some(Guard { slot, special, negated, range })
    }

    /// Handles operands that are read only if another operand (the condition) is true. If the condition is a literal, drops
    /// reads for which it is false. Otherwise marks the reads as conditional.
    fn settle_conditional(&mut self, from: usize) {
        let operands = &self.out.operands[from..];
        let condition = |used: &RegisterUse| {
            let place = (used.operand? as usize).checked_sub(from)?;
            let name = operands.get(place)?.spec?.reads_if;
            operands.iter().find(|o| !name.is_empty() && o.spec.is_some_and(|s| s.name == name))
        };
        self.reads.retain_mut(|used| match condition(used) {
            None => true,
            Some(FlowOperand { value: OperandValue::Integer(value), negated, .. }) => (*value != 0) != *negated,
            Some(_) => {
                used.conditional = true;
                true
            }
        });
    }

    /// Whether the call whose operands begin at `from` calls a function that does not return.
    fn never_returns(&self, from: usize) -> bool {
        self.out.operands[from..].iter().any(|o| match o.value {
            OperandValue::Function(f) => {
                o.role == super::OperandRole::Plain && self.module.noreturn.contains(&self.out.functions[f as usize])
            }
            OperandValue::List(l) => self.out.lists.get(l as usize).is_some_and(|l| l.noreturn),
            _ => false,
        })
    }

    /// Records a register of an operand as read, written or both.
    fn note(&mut self, slot: RegisterSlot, operand: u32, reads: bool, writes: bool) {
        let used = RegisterUse { slot, operand: Some(operand), conditional: false };
        if reads {
            self.reads.push(used);
        }
        if writes {
            self.writes.push(used);
        }
    }
}

/// Converts a byte range to 32 bits: the text of one item is never longer, because the parser's offsets have 32 bits as well.
fn bytes(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}
