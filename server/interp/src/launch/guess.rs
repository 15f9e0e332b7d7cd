//! What a launch does not say is guessed from the kernel, and said.

use super::usage::{Cell, Usage, usage};
use super::{Argument, Buffer, Element, Field, Fill, Given, Kind, Launch, Number};
use ptx_analysis::flow::Value;
use ptx_analysis::program::{Callable, Program};
use ptx_analysis::signature::{Array, Parameter};
use ptx_isa::tables::{Bound, TypeClass};
use std::collections::BTreeMap;

/// Threads of a CTA where nothing says how many.
const THREADS: u32 = 64;

/// Bytes of dynamic shared memory where a kernel has some.
const SHARED: u32 = 32 << 10;

/// Adds to a launch whatever it does not say, and tells in words what that was. `text` is that of the module.
pub fn complete(launch: &mut Launch, program: &Program, text: &str) -> Vec<String> {
    let mut said = Vec::new();
    let Some(callable) = program.functions.iter().find(|c| c.kernel && c.name == launch.entry) else { return said };
    sizes(launch, program, callable, text, &mut said);
    let block = launch.block.unwrap_or([1; 3]);
    let grid = launch.grid.unwrap_or([1; 3]);
    let threads = block.iter().chain(&grid).fold(1u64, |all, n| all.saturating_mul((*n).into())).clamp(1, 1 << 20);
    let usage = usage(callable);
    let numbers = callable.parameters.iter().enumerate().filter(|(i, p)| {
        let pointer = usage.get(&(*i, 0)).is_some_and(|u| u.pointer);
        let wide = p.ty.is_some_and(|t| t.info().bits >= 32 && t.info().class != TypeClass::Float);
        p.array == Array::No && !pointer && wide
    });
    // A number is most often the size of something: as many as there are threads in x, so that each has something to do. Where there are
    // several, buffers have room for their product.
    let several = numbers.count() > 1;
    let in_x = u64::from(block[0]) * u64::from(grid[0]);
    let number = in_x.clamp(1, if several { 64 } else { 1 << 20 });
    let span = if several { number * number } else { number };
    let guess = Guess { program, usage: &usage, number, length: threads.max(span).saturating_mul(2).min(1 << 22) };
    for (index, parameter) in callable.parameters.iter().enumerate() {
        if launch.parameters.iter().any(|g| g.name == parameter.name) {
            continue;
        }
        for given in guess.parameter(index, parameter) {
            said.push(match &given.argument {
                Argument::Table(_) => format!("{given} (an image of no particular size)"),
                _ => given.to_string(),
            });
            launch.parameters.push(given);
        }
        if usage.get(&(index, 0)).is_some_and(|u| u.tensor_map) {
            said.push(format!(
                "`{0}` stays empty: what a tensor map looks like cannot be guessed, write `{0}={{…}}`",
                parameter.name
            ));
        }
    }
    said
}

/// The numbers of a directive between the parameters and the body.
pub(super) fn directive(callable: &Callable, text: &str, bound: Bound) -> Option<[u32; 3]> {
    let (tuning, _) = callable.body.as_ref()?.bound(bound)?;
    let range = callable.start + tuning.range.start as usize..callable.start + tuning.range.end as usize;
    let numbers = text.get(range)?.trim_start().split_once(char::is_whitespace)?.1;
    let mut out = [1; 3];
    for (to, from) in out.iter_mut().zip(numbers.split(',')) {
        *to = Number::parse(from.trim()).and_then(|(n, _)| n.count()).and_then(|n| u32::try_from(n).ok())?;
    }
    Some(out)
}

fn sizes(launch: &mut Launch, program: &Program, callable: &Callable, text: &str, said: &mut Vec<String>) {
    let shown = |size: [u32; 3]| match size {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    };
    // What the kernel itself demands is no guess.
    if launch.cluster.is_none() {
        launch.cluster = directive(callable, text, Bound::WholeCluster);
    }
    if launch.block.is_none() {
        let exactly = directive(callable, text, Bound::AllThreads);
        let block = exactly.or_else(|| directive(callable, text, Bound::Threads)).unwrap_or_else(|| {
            match (reads(callable, "%tid", 1), reads(callable, "%tid", 2)) {
                (_, true) => [4; 3],
                (true, false) => [8, 8, 1],
                (false, false) => [THREADS, 1, 1],
            }
        });
        launch.block = Some(block);
        if exactly.is_none() {
            said.push(format!("block={}", shown(block)));
        }
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

/// Whether the kernel reads that component of a special register.
fn reads(callable: &Callable, name: &str, component: u8) -> bool {
    let operands = callable.body.iter().flat_map(|b| &b.operands);
    operands.into_iter().any(|o| matches!(o.value, Value::Special(s, Some(c)) if s.name == name && c == component))
}

struct Guess<'a> {
    program: &'a Program,
    usage: &'a BTreeMap<Cell, Usage>,
    /// What a number is.
    number: u64,
    /// Elements of a buffer.
    length: u64,
}

impl Guess<'_> {
    fn parameter(&self, index: usize, parameter: &Parameter) -> Vec<Given> {
        let Some(ty) = parameter.ty else { return Vec::new() };
        if ty.info().class == TypeClass::Opaque {
            return match ty.name() {
                ".samplerref" => vec![Given::new(&parameter.name, sampler())],
                _ => vec![Given::new(&parameter.name, image(self.usage.get(&(index, 0)).and_then(|u| u.image)))],
            };
        }
        if parameter.array == Array::No && parameter.elements == 1 {
            let loaded = Element::named(ty.name()).unwrap_or(Element::byte());
            let usage = self.usage.get(&(index, 0)).cloned().unwrap_or_default();
            return vec![Given::new(&parameter.name, self.value(&usage, usage.loaded.unwrap_or(loaded), loaded))];
        }
        // Of a struct what is loaded, where it is loaded.
        let parts = self.usage.range((index, 0)..(index + 1, 0)).filter(|(_, u)| u.loaded.is_some());
        let part = |((_, at), usage): (&Cell, &Usage)| {
            let loaded = usage.loaded?;
            let argument = match self.value(usage, loaded, loaded) {
                Argument::Number(None, number) => Argument::Number(Some(loaded), number),
                other => other,
            };
            Some(Given { offset: Some(*at), ..Given::new(&parameter.name, argument) })
        };
        parts.filter_map(part).collect()
    }

    /// `loaded` is the type that it is loaded as, `declared` that of the parameter.
    fn value(&self, usage: &Usage, loaded: Element, declared: Element) -> Argument {
        let address = if self.program.environment.address_size == 32 { 32 } else { 64 };
        if declared.bits() == address {
            if let Some(geometry) = usage.image {
                return image(Some(geometry));
            }
            if usage.pointer && !usage.tensor_map {
                let element = usage.element.unwrap_or(Element::of_bits(32));
                // What is only written, and what is counted in, begins as it usually does.
                let fill = if usage.atomic || !usage.read { Fill::Zero } else { Fill::IOTA };
                let length = self.length.saturating_mul(usage.vector.max(1).into());
                return Argument::Buffer(Buffer::filled(element, length, fill));
            }
        }
        let number = match (loaded.kind(), declared.kind()) {
            (Kind::Float(_), Kind::Float(_)) => Number::Float(1.0),
            (Kind::Float(_), _) => return Argument::Number(Some(loaded), Number::Float(1.0)),
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
