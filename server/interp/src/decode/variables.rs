//! Addresses and initial contents of a module's variables, and offsets of its kernel's parameters.

use crate::machine::code::{DecodeRefusal, Executable, body_name};

use crate::machine::layout::VariableLocation;
use crate::memory::{Global, SHARED_STRIDE, Storage, Window};
use ptx_flow::program::{InitialContents, RelocationTarget};
use ptx_isa::ISA;
use ptx_num::values::Marks;
use ptx_sema::hir::symbols::VariableSymbol;
use std::sync::Arc;

/// Maximum size of a variable in bytes; the rest of a larger one has no memory.
const MAX_BYTES: u64 = 1 << 36;

/// Maximum size of all parameters of a kernel together, in bytes.
const MAX_PARAMETER_BYTES: u64 = 1 << 16;

/// Assigns addresses to variables, one after the other in each kind of memory.
struct VariableAllocator {
    /// First free address in shared memory.
    shared: u64,
    /// First free address in constant memory.
    constant: u64,
    /// Global memory with the variables so far.
    global: Global,
}

impl VariableAllocator {
    /// Reserves memory for a variable: its declared size, but at least `stated` bytes (those of its initial value).
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
    /// Assigns addresses to the variables, and creates global and constant memory. Shared memory contains only the variables that
    /// reachable functions use.
    pub(super) fn place_variables(&mut self, reachable: &[usize]) {
        let program = Arc::clone(&self.program);
        // The memory that the system reserves comes first. For a target without a known multiprocessor, take the reservation of the
        // nearest older one.
        let mut known = ISA.multiprocessors.iter().rev();
        let multiprocessor = known.find(|m| m.targets.iter().any(|name| self.has(name)));
        self.shared_start = multiprocessor.map_or(0, |m| m.shared_reserved.into());
        let mut filled =
            VariableAllocator { shared: self.shared_start, constant: 0, global: Global::new(self.map.global) };
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
        // Dynamic shared memory begins after all other shared variables. Each `.extern` array without a size names all of it.
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

    /// The address that an initial value refers to. `function` is the index of the function whose body declares a
    /// [`RelocationTarget::Local`].
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

    /// Writes the initial value of a variable to constant or global memory. `function` is the function that declares the variable, if one
    /// does.
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

    /// Assigns offsets to the parameters of the kernel. Refuses more than 64 KiB.
    pub(super) fn place_parameters(&mut self, entry: usize) -> Result<(), DecodeRefusal> {
        let mut at: u64 = 0;
        for parameter in &self.program.functions[entry].parameters {
            let bytes = parameter.bytes().unwrap_or(0);
            at = at.next_multiple_of(u64::from(parameter.align.unwrap_or(1)).max(1));
            self.parameters.push((at as u32, bytes.min(MAX_PARAMETER_BYTES) as u32));
            at = at.saturating_add(bytes);
        }
        if at > MAX_PARAMETER_BYTES {
            Err("the parameters of the kernel are longer than 64 KiB".into())
        } else {
            Ok(())
        }
    }
}
