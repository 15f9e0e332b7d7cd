//! Guessing the parts of a launch that are not specified, from the kernel.

mod bounds;
mod usage;

pub(crate) use usage::is_surface;
pub use usage::{ParameterUse, parameter_uses};

use bounds::{Bounds, Limit, ParameterPart, Room, Sizes};
use ptx_flow::flow::variance::Variances;
use ptx_flow::flow::{FlowFunction, Graph, OperandValue};
use ptx_flow::program::{ModuleProgram, ProgramFunction};
use ptx_isa::tables::{LaunchBound, TypeClass};
use ptx_launch_syntax::{Argument, Buffer, Field, Fill, Launch, NamedArgument, list};
use ptx_num::notation::{ElementFormat, ElementKind, Number};
use ptx_sema::hir::signature::{Array, Parameter};
use std::collections::{BTreeMap, BTreeSet};
use usage::{Usage, Usages, usage};

/// Number of threads per CTA if the kernel has no directive for it.
const THREADS: u32 = 64;

/// Bytes of dynamic shared memory for a kernel that uses it.
const SHARED: u32 = 32 << 10;

/// The guessed parts of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuessReport {
    /// The guessed parts as launch text: `grid=1`, `x=f32[64]:iota`.
    pub parts: Vec<String>,
    /// If lengths of buffers were guessed: a sentence that says from which bounds.
    pub lengths: Option<String>,
    /// The whole launch was guessed.
    pub whole: bool,
}

impl GuessReport {
    /// One line for the user about the guessed parts; `None` if nothing was guessed.
    pub fn sentence(&self) -> Option<String> {
        let parts = match (self.parts.is_empty(), self.whole) {
            (true, _) => return None,
            (false, true) => "all of it".to_owned(),
            (false, false) => self.parts.join(" "),
        };
        Some(self.lengths.as_ref().map_or_else(|| parts.clone(), |lengths| format!("{parts}. {lengths}")))
    }
}

/// Adds the missing parts to a launch and returns them. `text` is the text of the module.
pub fn complete(launch: &mut Launch, program: &ModuleProgram, text: &str) -> GuessReport {
    let mut out = GuessReport { whole: launch.range.is_empty(), ..GuessReport::default() };
    out.whole &= launch.parameters.is_empty() && launch.grid.is_none() && launch.block.is_none();
    let Some(callable) = program.functions.iter().find(|c| c.kernel && c.name == launch.entry) else { return out };
    sizes(launch, program, callable, text, &mut out.parts);
    let block = launch.block.unwrap_or([1; 3]);
    let grid = launch.grid.unwrap_or([1; 3]);
    let threads = block.iter().chain(&grid).fold(1u64, |all, n| all.saturating_mul((*n).into())).clamp(1, 1 << 20);
    let mut usage = usage(callable);
    let numbers: Vec<usize> =
        callable.parameters.iter().enumerate().filter(|(i, p)| is_number(*i, p, &usage)).map(|(i, _)| i).collect();
    // Most integer parameters are sizes. The guess is the number of threads in x, so that each thread has work. If there are several,
    // buffers have room for their product.
    let several = numbers.len() > 1;
    let in_x = u64::from(block[0]) * u64::from(grid[0]);
    let mut number = in_x.clamp(1, if several { 64 } else { 1 << 20 });
    let mut rooms = BTreeMap::new();
    if let Some(function) = callable.body.as_ref().filter(|f| Bounds::suits(f)) {
        let graph = Graph::new(function);
        let variances = Variances::new(function, &graph);
        let only = numbers.first().copied().filter(|_| !several);
        let spare = only.filter(|only| is_spare(callable, function, *only));
        let found = |number: u64, usage: &mut Usages| {
            let values = numbers.iter().map(|i| (*i, given(launch, &callable.parameters[*i].name).unwrap_or(number)));
            let values: BTreeMap<usize, u64> = values.collect();
            let bounds = Bounds::new(callable, function, &variances, Sizes { block, grid, numbers: &values, spare });
            usage.refine(function, &bounds);
            bounds.rooms(&|operand| usage.reached(operand))
        };
        rooms = found(number, &mut usage);
        let bounds = |room: &Room| only.is_some_and(|o| [Limit::Parameter(o), Limit::Spare(o)].contains(&room.limit));
        // Slightly fewer elements than threads: then a missing comparison with the bound becomes visible.
        if number >= FEWER && rooms.values().any(bounds) {
            number -= number / FEWER;
            rooms = found(number, &mut usage);
        }
    }
    let span = if several { number * number } else { number };
    let length = threads.max(span).saturating_mul(2).min(MAX_LENGTH);
    let mut guess = Guess { program, usage: &usage.cells, rooms: &rooms, number, length, floats: 0 };
    let mut followed: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (index, parameter) in callable.parameters.iter().enumerate() {
        if launch.parameters.iter().any(|g| g.name == parameter.name) {
            continue;
        }
        for given in guess.parameter(index, parameter) {
            out.parts.push(match &given.argument {
                Argument::Table(_) => format!("{given} (an image of no particular size)"),
                _ => given.to_string(),
            });
            if matches!(given.argument, Argument::Buffer(_)) {
                let room = rooms.get(&(index, given.offset.unwrap_or(0)));
                followed
                    .entry(room.map_or_else(String::new, |r| bound_of(callable, *r)))
                    .or_default()
                    .push(&parameter.name);
            }
            launch.parameters.push(given);
        }
        if usage.cells.get(&(index, 0)).is_some_and(|u| u.tensor_map) {
            out.parts.push(format!(
                "`{0}` is left empty, as a tensor map cannot be guessed: write `{0}={{…}}`",
                parameter.name
            ));
        }
    }
    out.lengths = lengths(&followed);
    out
}

/// Adds the sizes that the kernel requires (`.reqntid`, `.reqnctapercluster`) to a launch that leaves them out.
pub fn required(launch: &mut Launch, program: &ModuleProgram, text: &str) {
    let Some(callable) = program.functions.iter().find(|c| c.kernel && c.name == launch.entry) else { return };
    launch.block = launch.block.or_else(|| directive(callable, text, LaunchBound::AllThreads));
    launch.cluster = launch.cluster.or_else(|| directive(callable, text, LaunchBound::WholeCluster));
}

/// A guessed bound of an index is reduced by an eighth (`1 / FEWER`), so that some threads have no work.
const FEWER: u64 = 8;

/// Maximum number of elements of a guessed buffer.
const MAX_LENGTH: u64 = 1 << 22;

/// Whether a parameter is a single integer of at least 32 bits that is not used as an address.
fn is_number(index: usize, parameter: &Parameter, usage: &Usages) -> bool {
    let pointer = usage.cells.get(&(index, 0)).is_some_and(|u| u.pointer);
    let wide = parameter.ty.is_some_and(|t| t.info().bits >= 32 && t.info().class != TypeClass::Float);
    parameter.array == Array::No && !pointer && wide
}

/// The value of a parameter in the launch, if it is a non-negative integer.
fn given(launch: &Launch, name: &str) -> Option<u64> {
    let given = launch.parameters.iter().find(|g| *g.name == *name && g.offset.is_none())?;
    match given.argument {
        Argument::Number(_, number) => number.count(),
        _ => None,
    }
}

/// Whether no instruction reads the registers that a parameter is loaded into.
fn is_spare(callable: &ProgramFunction, function: &FlowFunction, parameter: usize) -> bool {
    let Some(name) = callable.parameters.get(parameter).map(|p| &p.name) else { return false };
    let named = |v: u32| function.variables.get(v as usize).is_some_and(|v| v.name == *name);
    let mut loaded = BTreeSet::new();
    for index in 0..function.instructions.len() {
        if function.operands_of(index).iter().any(|o| matches!(o.value, OperandValue::Variable(v) if named(v))) {
            loaded.extend(function.writes(index).iter().map(|w| w.slot));
        }
    }
    (0..function.instructions.len()).all(|i| function.reads(i).iter().all(|r| !loaded.contains(&r.slot)))
}

/// The name of the bound that determines the length of a buffer.
fn bound_of(callable: &ProgramFunction, room: Room) -> String {
    match room.limit {
        Limit::Parameter(p) | Limit::Spare(p) => {
            callable.parameters.get(p).map_or_else(String::new, |p| format!("`{}`", p.name))
        }
        Limit::Literal => "a number in the text".to_owned(),
    }
}

/// The sentence about the guessed lengths of buffers. `followed`: the buffers by their bound, which is empty if there is none.
fn lengths(followed: &BTreeMap<String, Vec<&str>>) -> Option<String> {
    if followed.is_empty() {
        return None;
    }
    let parts = followed.iter().map(|(bound, names)| {
        let names = list(names.iter().copied());
        match bound.as_str() {
            "" => format!("{names}: a generous size, as no bound of the index was found"),
            bound => format!("{names}: from the bound of the index, {bound}"),
        }
    });
    Some(format!("Buffer lengths are guessed ({}).", parts.collect::<Vec<_>>().join("; ")))
}

/// The numbers of a directive between the parameters and the body, such as `.reqntid`.
pub(super) fn directive(callable: &ProgramFunction, text: &str, bound: LaunchBound) -> Option<[u32; 3]> {
    let (tuning, _) = callable.body.as_ref()?.bound(bound)?;
    let range = callable.start + tuning.range.start as usize..callable.start + tuning.range.end as usize;
    let numbers = text.get(range)?.trim_start().split_once(char::is_whitespace)?.1;
    let mut out = [1; 3];
    for (to, from) in out.iter_mut().zip(numbers.split(',')) {
        *to = Number::parse(from.trim()).and_then(|(n, _)| n.count()).and_then(|n| u32::try_from(n).ok())?;
    }
    Some(out)
}

/// Guesses the missing dimensions and the size of dynamic shared memory, and adds them to `said`.
fn sizes(launch: &mut Launch, program: &ModuleProgram, callable: &ProgramFunction, text: &str, said: &mut Vec<String>) {
    let shown = |size: [u32; 3]| match size {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    };
    // Values that the kernel requires are not guesses.
    required(launch, program, text);
    if launch.block.is_none() {
        let block = directive(callable, text, LaunchBound::Threads).unwrap_or_else(|| {
            match (reads(callable, "%tid", 1), reads(callable, "%tid", 2)) {
                (_, true) => [4; 3],
                (true, false) => [8, 8, 1],
                (false, false) => [THREADS, 1, 1],
            }
        });
        launch.block = Some(block);
        said.push(format!("block={}", shown(block)));
    }
    if launch.grid.is_none() {
        let grid = launch.cluster.unwrap_or([1; 3]);
        launch.grid = Some(grid);
        said.insert(0, format!("grid={}", shown(grid)));
    }
    let open = |name: &str| {
        let mut open = program.variables.iter().filter(|v| &*v.name == name);
        open.any(|v| v.symbol.space == ".shared" && v.symbol.external && v.symbol.bytes.unwrap_or(0) == 0)
    };
    let dynamic =
        callable.body.as_ref().is_some_and(|b| b.variables.iter().any(|v| v.range.is_empty() && open(&v.name)));
    if launch.shared.is_none() && dynamic {
        launch.shared = Some(SHARED);
        said.push(format!("shared={SHARED}"));
    }
}

/// Whether the kernel reads this component of a special register.
fn reads(callable: &ProgramFunction, name: &str, component: u8) -> bool {
    let operands = callable.body.iter().flat_map(|b| &b.operands);
    operands
        .into_iter()
        .any(|o| matches!(o.value, OperandValue::Special(s, Some(c)) if s.name == name && c == component))
}

/// State while parameters are guessed.
struct Guess<'a> {
    program: &'a ModuleProgram,
    usage: &'a BTreeMap<ParameterPart, Usage>,
    /// The sizes of buffers with bounded accesses.
    rooms: &'a BTreeMap<ParameterPart, Room>,
    /// The value for integer parameters.
    number: u64,
    /// Number of elements of a buffer without a known bound.
    length: u64,
    /// Number of floating-point values guessed so far.
    floats: u8,
}

impl Guess<'_> {
    /// The arguments for a parameter.
    fn parameter(&mut self, index: usize, parameter: &Parameter) -> Vec<NamedArgument> {
        let Some(ty) = parameter.ty else { return Vec::new() };
        if ty.info().class == TypeClass::Opaque {
            return match ty.name() {
                ".samplerref" => vec![NamedArgument::new(&parameter.name, sampler())],
                _ => {
                    vec![NamedArgument::new(&parameter.name, image(self.usage.get(&(index, 0)).and_then(|u| u.image)))]
                }
            };
        }
        if parameter.array == Array::No && parameter.elements == 1 {
            let loaded = ElementFormat::named(ty.name()).unwrap_or(ElementFormat::byte());
            let usage = self.usage.get(&(index, 0)).cloned().unwrap_or_default();
            return vec![NamedArgument::new(
                &parameter.name,
                self.value((index, 0), &usage, usage.loaded.unwrap_or(loaded), loaded),
            )];
        }
        // For a struct: one argument for each part that the kernel loads.
        let cells = self.usage;
        let parts = cells.range((index, 0)..(index + 1, 0)).filter(|(_, u)| u.loaded.is_some());
        let part = |((_, at), usage): (&ParameterPart, &Usage)| {
            let loaded = usage.loaded?;
            let argument = match self.value((index, *at), usage, loaded, loaded) {
                Argument::Number(None, number) => Argument::Number(Some(loaded), number),
                other => other,
            };
            Some(NamedArgument { offset: Some(*at), ..NamedArgument::new(&parameter.name, argument) })
        };
        parts.filter_map(part).collect()
    }

    /// The argument for a parameter part. `loaded`: the type as which the kernel loads it. `declared`: the type of the parameter.
    fn value(
        &mut self,
        cell: ParameterPart,
        usage: &Usage,
        loaded: ElementFormat,
        declared: ElementFormat,
    ) -> Argument {
        let address = if self.program.environment.address_size == 32 { 32 } else { 64 };
        if declared.bits() == address {
            if let Some(geometry) = usage.image {
                return image(Some(geometry));
            }
            if usage.pointer && !usage.tensor_map {
                let element = usage.element.unwrap_or(ElementFormat::of_bits(32));
                // Buffers that are only written, and counters, begin with zeros as usual.
                let fill = if usage.atomic || !usage.read { Fill::Zero } else { Fill::IOTA };
                let generous = || self.length.saturating_mul(usage.vector.max(1).into());
                let bits = u64::from(element.bits());
                let bounded =
                    self.rooms.get(&cell).map(|r| r.bytes.saturating_mul(8).div_ceil(bits).clamp(1, MAX_LENGTH));
                let length = bounded.unwrap_or_else(generous);
                return Argument::Buffer(Buffer::filled(element, length, fill));
            }
        }
        let mut fraction = || {
            self.floats = self.floats.saturating_add(1);
            // Not 1, which would hide a missing multiplication, and all different.
            Number::Float(f64::from(self.floats) + 1.0)
        };
        let number = match (loaded.kind(), declared.kind()) {
            (ElementKind::Float(_), ElementKind::Float(_)) => fraction(),
            (ElementKind::Float(_), _) => return Argument::Number(Some(loaded), fraction()),
            _ => Number::Integer { negative: false, magnitude: u128::from(self.number).min(declared.mask() >> 1) },
        };
        Argument::Number(None, number)
    }
}

fn image(geometry: Option<&'static str>) -> Argument {
    let text = |text: &str| Field::Text(text.to_owned());
    let geometry = geometry.map(|g| g.trim_start_matches('.')).filter(|g| !g.is_empty()).unwrap_or("2d");
    let dimensions = if geometry.contains('3') {
        3
    } else if geometry.contains('1') {
        1
    } else {
        2
    };
    let mut fields = vec![
        ("image".to_owned(), text(geometry)),
        ("size".to_owned(), Field::List(vec![Field::Integer(16); dimensions])),
        ("format".to_owned(), text("f32")),
        ("fill".to_owned(), text("iota")),
    ];
    if geometry.starts_with('a') {
        fields.push(("layers".to_owned(), Field::Integer(if geometry == "acube" { 1 } else { 4 })));
    }
    Argument::Table(fields)
}

fn sampler() -> Argument {
    Argument::Table(vec![("sampler".to_owned(), Field::Text("nearest".to_owned()))])
}
