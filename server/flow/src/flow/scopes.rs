//! The names in scope while a body is lowered: the symbol of each and its index in the tables of the [`FlowFunction`].

use super::function::{FlowFunction, FlowVariable, RegisterSlot, SlotRegister};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::module::Dependencies;
use ptx_sema::hir::module::Header;
use ptx_sema::hir::symbols::{self, NameFrame, Symbol};
use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::hash::{BuildHasherDefault, Hasher};

/// The table of the [`FlowFunction`], and the index in it, for which a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
    Registers(u32),
    Variable(u32),
    Label(u32),
    List(u32),
    /// A name of the module.
    Module,
    Unknown,
}

/// A name declared in a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScopedName {
    pub symbol: Symbol,
    pub id: Id,
    /// The number in a range of registers such as `%r<10>`, else 0.
    pub number: u32,
}

/// The blocks around a statement, innermost last, and the module that contains them.
pub(super) struct FlowScopes<'h, 't> {
    frames: Vec<NameFrame<&'t str, ScopedName>>,
    header: &'h Header,
    item: usize,
    dependencies: RefCell<HashMap<Box<str>, Option<Symbol>>>,
}

impl NameLookup for FlowScopes<'_, '_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        self.find(name).map(|f| f.symbol)
    }

    fn has_option(&self, name: &str) -> bool {
        self.header.environment.options.contains(&name)
    }
}

impl<'h, 't> FlowScopes<'h, 't> {
    pub(super) fn new(header: &'h Header, item: usize) -> Self {
        Self { frames: Vec::new(), header, item, dependencies: RefCell::default() }
    }

    pub(super) fn push(&mut self) {
        self.frames.push(NameFrame::default());
    }

    pub(super) fn pop(&mut self) {
        self.frames.pop();
    }

    /// Declares a name in the innermost block; `count` makes it a range of registers. The first declaration of a name wins.
    pub(super) fn declare(&mut self, name: &'t str, count: Option<u32>, symbol: Symbol, id: Id) {
        let Some(frame) = self.frames.last_mut() else { return };
        let found = ScopedName { symbol, id, number: 0 };
        match count {
            Some(count) => frame.declare_range(name, count, found),
            None => frame.declare(name, found),
        };
    }

    /// Looks a name up from the innermost block outwards, and last in the module.
    pub(super) fn find(&self, name: &str) -> Option<ScopedName> {
        if let Some((found, number)) = self.frames.iter().rev().find_map(|f| f.get(name)) {
            return Some(ScopedName { number, ..*found });
        }
        let symbol = self.header.look_up(name, self.item);
        self.dependencies.borrow_mut().entry(name.into()).or_insert(symbol);
        symbol.map(|symbol| ScopedName { symbol, id: Id::Module, number: 0 })
    }

    pub(crate) fn into_dependencies(self) -> Dependencies {
        self.dependencies.into_inner().into_iter().collect()
    }
}

/// Assigns slots to registers at their first use.
#[derive(Debug, Default)]
pub(super) struct Slots {
    known: std::collections::HashMap<u64, RegisterSlot, BuildHasherDefault<Spread>>,
}

impl Slots {
    /// The slot of a register, or of the first element of a vector register.
    pub(super) fn of(&mut self, function: &mut FlowFunction, declaration: u32, number: u32) -> RegisterSlot {
        let key = u64::from(declaration) << 32 | u64::from(number);
        *self.known.entry(key).or_insert_with(|| {
            let first = RegisterSlot(function.registers.len() as u32);
            let declared = &mut function.declarations[declaration as usize];
            declared.highest = declared.highest.max(Some(number));
            let elements = declared.elements.max(1);
            function.registers.extend((0..elements).map(|element| SlotRegister { declaration, number, element }));
            first
        })
    }
}

/// The variables and functions of the module that the function names, with their indices in the [`FlowFunction`].
#[derive(Debug, Default)]
pub(super) struct ModuleNames {
    known: HashMap<Box<str>, u32>,
}

impl ModuleNames {
    pub(super) fn variable(&mut self, function: &mut FlowFunction, name: &str, symbol: symbols::VariableSymbol) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let index = function.variables.len() as u32;
        function.variables.push(FlowVariable { name: name.into(), range: 0..0, symbol, scope: 0..0, uses: 0 });
        self.known.insert(name.into(), index);
        index
    }

    pub(super) fn function(&mut self, function: &mut FlowFunction, name: &str) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let index = function.functions.len() as u32;
        function.functions.push(name.into());
        self.known.insert(name.into(), index);
        index
    }
}

/// A hasher for keys made of two small numbers.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
