//! Where the variables of a module and the parameters of its kernel lie, and what they hold at the beginning.

use crate::machine::code::{DecodeRefusal, Executable, VariableLocation, body_name};
use crate::memory::{Global, SHARED_STRIDE, Storage, Window};
use ptx_analysis::program::{InitialContents, RelocationTarget};
use ptx_analysis::symbols::VariableSymbol;
use ptx_isa::ISA;
use ptx_num::values::Marks;
use std::sync::Arc;

/// Bytes that the variables of a module may have together; what lies behind is not there.
const MAX_BYTES: u64 = 1 << 36;

/// Bytes that the parameters of a kernel may have.
const PARAMETERS: u64 = 1 << 16;

/// How far each kind of memory is filled.
struct Filled {
    shared: u64,
    constant: u64,
    global: Global,
}

impl Filled {
    fn place(&mut self, name: &str, symbol: &VariableSymbol, stated: u64) -> VariableLocation {
        let bytes = symbol.bytes.unwrap_or(0).max(stated).min(MAX_BYTES);
        let align = u64::from(symbol.align.unwrap_or(1)).max(1);
        let next = |end: &mut u64| {
            let address = end.next_multiple_of(align);
            *end = address + bytes;
            address
        };
        let (address, window) = match symbol.space {
            ".shared" => (next(&mut self.shared), Some(Window::Shared)),
            ".const" => (next(&mut self.constant), Some(Window::Constant)),
            _ => (self.global.allocate(name, Storage::new(bytes, true), align), None),
        };
        VariableLocation { address, window, bytes }
    }
}

impl Executable {
    /// Gives the variables their addresses, and makes global and constant memory. Of shared memory there is what the functions that can
    /// be reached use.
    pub(super) fn place_variables(&mut self, reachable: &[usize]) {
        let program = Arc::clone(&self.program);
        // What the system keeps for itself lies first. Of a target whose multiprocessor is not known it is what the nearest older one keeps.
        let mut known = ISA.multiprocessors.iter().rev();
        let multiprocessor = known.find(|m| m.targets.iter().any(|name| self.has(name)));
        self.shared_start = multiprocessor.map_or(0, |m| m.shared_reserved.into());
        let mut filled = Filled { shared: self.shared_start, constant: 0, global: Global::new(self.map.global) };
        let is_open = |v: &VariableSymbol| v.space == ".shared" && v.external && v.bytes.unwrap_or(0) == 0;
        let bodies = || reachable.iter().filter_map(|f| Some((*f, program.functions.get(*f)?.body.as_ref()?)));
        for global in program.variables.iter().filter(|g| !is_open(&g.symbol)) {
            let named =
                |name: &str| bodies().any(|(_, b)| b.variables.iter().any(|v| v.range.is_empty() && &*v.name == name));
            if global.symbol.space != ".shared" || named(&global.name) {
                let located = filled.place(&global.name, &global.symbol, global.initial.bytes.len() as u64);
                self.variables.insert(global.name.clone(), located);
            }
        }
        for (function, body) in bodies() {
            for (index, variable) in body.variables.iter().enumerate() {
                let stays = matches!(variable.symbol.space, ".shared" | ".global" | ".const");
                if stays && !variable.range.is_empty() {
                    let located = filled.place(&variable.name, &variable.symbol, 0);
                    self.variables.insert(body_name(function, index), located);
                }
            }
        }
        // Dynamic shared memory begins behind everything else; each `.extern` array without a size is all of it.
        let open = || program.variables.iter().filter(|v| is_open(&v.symbol));
        let align = open().filter_map(|v| v.symbol.align).max().map_or(16, |a| u64::from(a.max(16)));
        let dynamic = filled.shared.next_multiple_of(align);
        for global in open() {
            let located = VariableLocation { address: dynamic, window: Some(Window::Shared), bytes: 0 };
            self.variables.insert(global.name.clone(), located);
        }
        self.shared_bytes = if open().next().is_some() { dynamic } else { filled.shared }.min(SHARED_STRIDE);
        self.constant = Storage::new(filled.constant, true);
        self.global = filled.global;
        for global in &program.variables {
            if let Some(located) = self.variables.get(&global.name).copied() {
                self.initialize(&global.initial, located, usize::MAX);
            }
        }
        for function in reachable {
            for (index, initial) in &program.functions[*function].initials {
                if let Some(located) = self.variables.get(&body_name(*function, *index as usize)).copied() {
                    self.initialize(initial, located, *function);
                }
            }
        }
    }

    /// The value of an address among initial values, in a body if it is one of its variables.
    fn relocated(&self, to: &RelocationTarget, generic: bool, function: usize) -> u64 {
        let located = match to {
            RelocationTarget::Function(name) => {
                return self.program.function(name).map_or(0, |i| self.code_address(i as u32));
            }
            RelocationTarget::Variable(name) => self.variables.get(name),
            RelocationTarget::Local(index) => self.variables.get(&body_name(function, *index as usize)),
        };
        let address = |l: &VariableLocation| match l.window {
            Some(window) if generic => self.map.generic(window, l.address).unwrap_or(0),
            _ => l.address,
        };
        located.map_or(0, address)
    }

    /// Writes initial values.
    fn initialize(&mut self, initial: &InitialContents, located: VariableLocation, function: usize) {
        let mut bytes = initial.bytes.clone();
        for relocation in &initial.relocations {
            let value =
                self.relocated(&relocation.to, relocation.generic, function).wrapping_add(relocation.addend as u64);
            let value = relocation.byte.map_or(value, |byte| value >> (8 * u32::from(byte)) & 0xff);
            let (from, width) = (relocation.offset as usize, usize::from(relocation.width));
            if let (Some(to), Some(from)) = (bytes.get_mut(from..from + width), value.to_le_bytes().get(..width)) {
                to.copy_from_slice(from);
            }
        }
        match located.window {
            Some(Window::Constant) => self.constant.write(located.address, &bytes, Marks::NONE),
            None => {
                if let Some(allocation) = self.global.find_mut(located.address, bytes.len()) {
                    let at = located.address - allocation.base;
                    allocation.storage.write(at, &bytes, Marks::NONE);
                }
            }
            Some(_) => {}
        }
    }

    pub(super) fn place_parameters(&mut self, entry: usize) -> Result<(), DecodeRefusal> {
        let mut at: u64 = 0;
        for parameter in &self.program.functions[entry].parameters {
            let bytes = parameter.bytes().unwrap_or(0);
            at = at.next_multiple_of(u64::from(parameter.align.unwrap_or(1)).max(1));
            self.parameters.push((at as u32, bytes.min(PARAMETERS) as u32));
            at = at.saturating_add(bytes);
        }
        if at > PARAMETERS { Err("the parameters of the kernel are longer than 64 KiB".into()) } else { Ok(()) }
    }
}
