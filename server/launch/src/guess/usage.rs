//! How a kernel uses its parameters, as far as its text shows: which of them are addresses, and of which memory.

use super::bounds::{Bounds, ParameterPart};
use ptx_flow::flow::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use ptx_flow::program::ProgramFunction;
use ptx_interp::inspect::meanings;
use ptx_isa::tables::OperandAccess;
use ptx_isa::{Exec, Modifier, SlotName};
use ptx_num::notation::{ElementFormat, ElementKind};
use ptx_sema::hir::symbols::VariableOrigin;
use std::collections::{BTreeMap, BTreeSet};

/// How a kernel uses a parameter, or a part of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The type as which it is loaded.
    pub loaded: Option<ElementFormat>,
    /// It is used as an address.
    pub pointer: bool,
    /// The memory at the address is read.
    pub read: bool,
    /// The memory at the address is written.
    pub written: bool,
    /// The memory at the address is changed atomically.
    pub atomic: bool,
    /// The element format of the first typed access to that memory.
    pub element: Option<ElementFormat>,
    /// Maximum number of elements per access.
    pub vector: u32,
    /// It is a handle of an image. The value is the geometry modifier of an instruction, or `""` if none has one.
    pub image: Option<&'static str>,
    /// The image is a surface.
    pub surface: bool,
    /// It is the address of a tensor map, or a tensor map itself.
    pub tensor_map: bool,
}

/// How a kernel uses a parameter, for programs that launch it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterUse {
    /// The type as which it is loaded.
    pub loaded: Option<ElementFormat>,
    /// It is used as an address.
    pub pointer: bool,
    /// The element format of the accesses to the memory at the address, as far as the kernel shows it.
    pub element: Option<ElementFormat>,
    /// The memory at the address is written.
    pub written: bool,
    /// It is a handle of an image.
    pub image: bool,
    /// It is a tensor map, or the address of one.
    pub tensor_map: bool,
}

/// Whether a kernel uses a parameter as the handle of a surface.
pub(crate) fn is_surface(callable: &ProgramFunction, parameter: usize) -> bool {
    usage(callable).cells.get(&(parameter, 0)).is_some_and(|usage| usage.surface)
}

/// How a kernel uses each of its parameters.
pub fn parameter_uses(callable: &ProgramFunction) -> Vec<ParameterUse> {
    let usages = usage(callable);
    let elements = callable.body.as_ref().map(|function| certain_elements(function, &usages)).unwrap_or_default();
    let of = |index| {
        let Some(usage) = usages.cells.get(&(index, 0)) else { return ParameterUse::default() };
        let Usage { loaded, pointer, written, tensor_map, .. } = *usage;
        let element = elements.get(&(index, 0)).copied().flatten();
        ParameterUse { loaded, pointer, element, written, image: usage.image.is_some(), tensor_map }
    };
    (0..callable.parameters.len()).map(of).collect()
}

/// The element format of each parameter part whose accesses all have the same one; `None` if they differ, or if the address of some access
/// may come from several parameters. Accesses to plain bits do not count.
fn certain_elements(function: &FlowFunction, all: &Usages) -> BTreeMap<ParameterPart, Option<ElementFormat>> {
    let mut out = BTreeMap::new();
    for index in 0..function.instructions.len() {
        for operand in function.operands_of(index).iter().filter(|o| o.role == OperandRole::Address) {
            let reached = all.reached(operand);
            let element = accessed(function, index, all);
            for cell in &reached {
                if reached.len() > 1 {
                    out.insert(*cell, None);
                } else if let Some(element) = element.filter(|e| e.kind() != ElementKind::Bits) {
                    let cell_type = out.entry(*cell).or_insert(Some(element));
                    *cell_type = cell_type.filter(|cell_type| *cell_type == element);
                }
            }
        }
    }
    out
}

/// The element format as which an instruction accesses memory.
fn accessed(function: &FlowFunction, index: usize, all: &Usages) -> Option<ElementFormat> {
    let element = function.modifier(index, SlotName::Type).and_then(|m| ElementFormat::named(m.name()));
    element.filter(|e| e.kind() != ElementKind::Bits).or_else(|| meant(function, index, all)).or(element)
}

/// Instructions whose result is an address if an operand is one.
const PASSING: [&str; 6] = ["mov", "add", "sub", "cvta", "selp", SUM];

/// The one of them that multiplies its first two operands. Only the third, which it adds, can be an address.
const SUM: &str = "mad";

/// Instruction families with image handles as operands.
const IMAGES: [&str; 8] = ["tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"];

const GEOMETRIES: [Modifier; 9] = [
    Modifier::_1d,
    Modifier::_2d,
    Modifier::_3d,
    Modifier::A1d,
    Modifier::A2d,
    Modifier::Cube,
    Modifier::Acube,
    Modifier::_2dms,
    Modifier::A2dms,
];

/// For each register, the parameter parts that its value may be computed from.
type RegisterParts = Vec<BTreeSet<ParameterPart>>;

/// How a kernel uses its parameters, and which registers hold values computed from them.
#[derive(Debug, Default)]
pub(super) struct Usages {
    /// The uses by parameter part.
    pub cells: BTreeMap<ParameterPart, Usage>,
    held: RegisterParts,
    /// Parameter parts that are certainly addresses.
    certain: BTreeSet<ParameterPart>,
    /// For each register, the type as which its readers use it.
    meanings: Vec<Option<&'static str>>,
    /// The uses before memory accesses are analyzed.
    bare: BTreeMap<ParameterPart, Usage>,
}

impl Usages {
    /// The parameter parts that the address of an operand may be computed from. If some of them are certainly addresses, only those.
    pub fn reached(&self, operand: &FlowOperand) -> BTreeSet<ParameterPart> {
        let parts = operand.slots().filter_map(|s| self.held.get(s.index()));
        let cells: BTreeSet<ParameterPart> = parts.flatten().copied().collect();
        let sure: BTreeSet<ParameterPart> = cells.iter().copied().filter(|c| self.certain.contains(c)).collect();
        if sure.is_empty() { cells } else { sure }
    }

    /// Analyzes the memory accesses again, with better information about the parameter that each address is based on.
    pub fn refine(&mut self, function: &FlowFunction, bounds: &Bounds<'_>) {
        let mut cells = self.bare.clone();
        for index in 0..function.instructions.len() {
            accesses(function, index, self, Some(bounds), &mut cells);
        }
        self.cells = cells;
    }
}

/// How a kernel uses its parameters.
pub(super) fn usage(callable: &ProgramFunction) -> Usages {
    let mut out = BTreeMap::new();
    let Some(function) = &callable.body else { return Usages::default() };
    let parameter = |v: u32| {
        let variable = function.variables.get(v as usize)?;
        let is_parameter = variable.symbol.origin == VariableOrigin::KernelParameter;
        let index = callable.parameters.iter().position(|p| p.name == variable.name)?;
        is_parameter.then_some(index)
    };
    let mut parts: RegisterParts = vec![BTreeSet::new(); function.registers.len()];
    // A few rounds propagate values to all their uses, including through loops.
    for _ in 0..8 {
        let mut changed = false;
        for index in 0..function.instructions.len() {
            changed |= follow(function, index, &parameter, &mut parts, &mut out);
        }
        if !changed {
            break;
        }
    }
    // An operand of `cvta` is an address, whatever offsets were added to it.
    let mut certain: BTreeSet<ParameterPart> = BTreeSet::new();
    for (index, pointee) in callable.pointees.iter().enumerate() {
        if pointee.is_some() {
            certain.insert((index, 0));
        }
    }
    for index in (0..function.instructions.len()).filter(|i| function.chosen(*i).exec() == Some(Exec::AddressCvta)) {
        let operands = function.operands_of(index).iter().filter(|o| o.reads());
        for cells in operands.flat_map(|o| o.slots()).filter_map(|s| parts.get(s.index())) {
            certain.extend(cells.iter().filter(|_| cells.len() == 1));
        }
    }
    for cell in &certain {
        out.entry(*cell).or_default().pointer = true;
    }
    let mut usages =
        Usages { bare: out.clone(), cells: BTreeMap::new(), held: parts, certain, meanings: meanings(function) };
    for index in 0..function.instructions.len() {
        accesses(function, index, &usages, None, &mut out);
    }
    usages.cells = out;
    usages
}

/// Propagates parameter parts from the operands of an instruction to its results. Returns whether anything changed.
fn follow(
    function: &FlowFunction,
    index: usize,
    parameter: &impl Fn(u32) -> Option<usize>,
    held: &mut RegisterParts,
    out: &mut BTreeMap<ParameterPart, Usage>,
) -> bool {
    let mut changed = false;
    let mut add = |held: &mut RegisterParts, slot: RegisterSlot, cells: &BTreeSet<ParameterPart>| {
        let Some(parts) = held.get_mut(slot.index()) else { return };
        let before = parts.len();
        parts.extend(cells);
        changed |= parts.len() > before;
    };
    let operands = function.operands_of(index);
    let name = function.entry(index).name;
    if let Some(address) = operands.iter().find(|o| o.memory() == Some(OperandAccess::Read)).filter(|_| name == "ld") {
        let OperandValue::Variable(variable) = address.value else { return false };
        let (Some(parameter), Some(offset)) = (parameter(variable), address.offset) else { return false };
        let element = function.modifier(index, SlotName::Type).and_then(|m| ElementFormat::named(m.name()));
        let size = element.map_or(8, |e| u64::from(e.bits()) / 8);
        for (at, written) in function.writes(index).iter().enumerate() {
            let cell = (parameter, u64::try_from(offset).unwrap_or(0) + size * at as u64);
            let usage = out.entry(cell).or_default();
            usage.loaded = usage.loaded.or(element);
            add(held, written.slot, &BTreeSet::from([cell]));
        }
        return changed;
    }
    if !PASSING.contains(&name) {
        return false;
    }
    let mut cells = BTreeSet::new();
    let factors = if name == SUM { 2 } else { 0 };
    for operand in operands.iter().filter(|o| o.reads()).skip(factors) {
        match operand.value {
            // The address of the parameter itself, as for tensor maps.
            OperandValue::Variable(v) => cells.extend(parameter(v).map(|p| (p, 0))),
            _ => operand.slots().for_each(|s| cells.extend(held.get(s.index()).into_iter().flatten())),
        }
    }
    for written in function.writes(index) {
        add(held, written.slot, &cells);
    }
    changed
}

/// The element format of values that an instruction loads as bits: the type as which their readers use them. For packed types, the format
/// of one element.
fn meant(function: &FlowFunction, index: usize, all: &Usages) -> Option<ElementFormat> {
    let names = function.writes(index).iter().filter_map(|w| all.meanings.get(w.slot.index()).copied().flatten());
    let name =
        names.map(|name| name.rsplit_once('x').filter(|(_, n)| n.parse::<u8>().is_ok()).map_or(name, |(e, _)| e));
    name.filter_map(ElementFormat::named).next()
}

/// Records the memory accesses of an instruction for the parameter parts that its addresses are computed from.
fn accesses(
    function: &FlowFunction,
    index: usize,
    all: &Usages,
    bounds: Option<&Bounds<'_>>,
    out: &mut BTreeMap<ParameterPart, Usage>,
) {
    let name = function.entry(index).name;
    let family = name.split('.').next().unwrap_or(name);
    let tensor =
        function.has(index, Modifier::Tensor) || function.has(index, Modifier::Tensormap) || name.contains("tensor");
    for operand in function.operands_of(index) {
        if matches!(operand.value, OperandValue::Variable(_)) {
            continue;
        }
        let address = operand.role == OperandRole::Address;
        let base = bounds.filter(|_| address).and_then(|b| b.base(index, operand));
        for cell in base.map_or_else(|| all.reached(operand), |base| BTreeSet::from([base])) {
            let usage = out.entry(cell).or_default();
            if IMAGES.contains(&family) {
                let geometry = GEOMETRIES.into_iter().find(|g| function.has(index, *g)).map(Modifier::name);
                usage.image = usage.image.filter(|g| !g.is_empty()).or(geometry).or(Some(""));
                usage.surface |= matches!(family, "suld" | "sust" | "sured" | "suq");
                continue;
            }
            if operand.role == OperandRole::Argument {
                continue;
            }
            let Some(access) =
                operand.memory().or((operand.role == OperandRole::Address).then_some(OperandAccess::Read))
            else {
                continue;
            };
            usage.pointer = true;
            usage.tensor_map |= tensor;
            usage.read |= access != OperandAccess::Write;
            usage.written |= access != OperandAccess::Read || matches!(family, "atom" | "red" | "st");
            usage.atomic |= matches!(family, "atom" | "red");
            let meant = accessed(function, index, all);
            let better = usage.element.is_none_or(|e| e.kind() == ElementKind::Bits);
            usage.element = if better { meant.or(usage.element) } else { usage.element };
            let lanes = function.writes(index).len().max(1) as u32;
            usage.vector = usage.vector.max(if family == "ld" { lanes } else { 1 });
        }
    }
}
