//! Checking a launch against its kernel.

use super::guess::directive;
use ptx_flow::program::{ModuleProgram, ModuleVariable, ProgramFunction};
use ptx_interp::findings::FaultKind;
use ptx_interp::machine::{GridShape, RunStatus};
use ptx_isa::tables::{LaunchBound, TypeClass};
use ptx_launch_syntax::{
    Argument, Buffer, BufferContents, Condition, ElementSelection, ExpectationSubject, ExpectedElements, Field, Fill,
    Launch, LaunchMistake, NamedArgument, SIZES, Word, fits, list, nearest,
};
use ptx_num::image::description::{Described, describe};
use ptx_num::notation::{ElementFormat, Number};
use ptx_sema::hir::signature::{Array, Parameter};
use std::ops::Range;

/// Maximum total size of the buffers of a launch, in bytes.
pub const MAX_BUFFER_BYTES: u64 = 1 << 30;

/// Distinguishes parameters from variables and returns the errors of a launch. `text` is the text of the module.
pub fn settle(launch: &mut Launch, program: &ModuleProgram, text: &str) -> Vec<LaunchMistake> {
    let kernels = || program.functions.iter().filter(|c| c.kernel);
    let Some(callable) = kernels().find(|c| c.name == launch.entry) else {
        let wrong = LaunchMistake::new(launch.range.clone(), format!("there is no kernel `{}`", launch.entry));
        return vec![match nearest(&launch.entry, kernels().map(|c| &*c.name)) {
            Some(near) => wrong.help(format!("did you mean `{near}`?")),
            None => wrong.help(format!("the module has {}", list(kernels().map(|c| &*c.name)))),
        }];
    };
    let mut mistakes = Vec::new();
    sort_names(launch, callable, program);
    sizes(launch, callable, text, &mut mistakes);
    let names = LaunchChecker { launch, callable, program };
    for given in &launch.parameters {
        mistakes.extend(names.parameter(given).err());
    }
    for given in &launch.globals {
        mistakes.extend(names.global(given).err());
    }
    for given in &launch.buffers {
        mistakes.extend(names.extra(given).err());
    }
    let bytes = |given: &NamedArgument| match &given.argument {
        Argument::Buffer(buffer) => buffer.bytes().unwrap_or(0),
        _ => 0,
    };
    let all = launch.named().fold(0u64, |all, given| all.saturating_add(bytes(given)));
    if all > MAX_BUFFER_BYTES {
        let words = format!("the buffers take {all} bytes, but a launch may have at most {MAX_BUFFER_BYTES}");
        mistakes.push(LaunchMistake::new(launch.range.clone(), words));
    }
    for expectation in &launch.expectations {
        let checked = match &expectation.subject {
            ExpectationSubject::Memory(condition) => names.condition(condition, &expectation.range),
            ExpectationSubject::Fault(word) => one_of(word, FaultKind::ALL.iter().map(|kind| kind.name()), "fault"),
            ExpectationSubject::Status(word) => one_of(word, RunStatus::ENDS.map(RunStatus::name), "run status"),
            ExpectationSubject::Printed(_) => Ok(()),
        };
        mistakes.extend(checked.err());
    }
    mistakes.sort_by_key(|m| m.range.start);
    mistakes
}

/// Checks that a word is one of these names.
fn one_of(word: &Word, names: impl IntoIterator<Item = &'static str>, what: &str) -> Result<(), LaunchMistake> {
    let names: Vec<&str> = names.into_iter().collect();
    if names.contains(&&*word.text) {
        return Ok(());
    }
    let wrong = LaunchMistake::new(word.range.clone(), format!("`{}` is not a {what}", word.text));
    Err(match nearest(&word.text, names.iter().copied()) {
        Some(near) => wrong.help(format!("did you mean `{near}`?")),
        None => wrong.help(format!("there are {}", list(names))),
    })
}

/// Names in a `launch:` line that are not parameters may be variables of the module.
fn sort_names(launch: &mut Launch, callable: &ProgramFunction, program: &ModuleProgram) {
    let is_global = |g: &NamedArgument| {
        callable.parameters.iter().all(|p| p.name != g.name)
            && g.offset.is_none()
            && program.variable(&g.name).is_some()
    };
    let (globals, parameters) = std::mem::take(&mut launch.parameters).into_iter().partition(is_global);
    launch.parameters = parameters;
    launch.globals.extend::<Vec<NamedArgument>>(globals);
}

fn sizes(launch: &Launch, callable: &ProgramFunction, text: &str, mistakes: &mut Vec<LaunchMistake>) {
    // The range of the text that specifies a dimension; if there is none, the whole launch.
    let here = |name: &str| {
        let line = text.get(launch.range.clone()).unwrap_or_default();
        let begins = |at: &usize| line[..*at].ends_with(char::is_whitespace) || line[..*at].ends_with(':');
        let at = line.match_indices(name).map(|(at, _)| at).find(begins);
        let written = at.and_then(|at| Some((at, line.get(at..)?.split_whitespace().next()?.len())));
        written.map_or(launch.range.clone(), |(at, length)| launch.range.start + at..launch.range.start + at + length)
    };
    let shape = GridShape {
        cluster: launch.cluster.unwrap_or([1; 3]),
        ..GridShape::new(launch.grid.unwrap_or(launch.cluster.unwrap_or([1; 3])), launch.block.unwrap_or([1; 3]))
    };
    if let Some((part, words)) = shape.mistake() {
        mistakes.push(LaunchMistake::new(here(part), words));
        return;
    }
    let product = |size: [u32; 3]| size.iter().map(|n| u64::from(*n)).product::<u64>();
    let mut demand = |given: Option<[u32; 3]>, bound: LaunchBound, exact: bool, what: &str, name: &str| {
        let (Some(given), Some(wanted)) = (given, directive(callable, text, bound)) else { return };
        let fine = if exact { given == wanted } else { product(given) <= product(wanted) };
        if !fine {
            let words = format!("`{what}` is {given:?}, but `{name}` of the kernel says {wanted:?}");
            let help = format!("remove `{what}`: then the kernel's value is used");
            mistakes.push(LaunchMistake::new(here(what), words).help(help));
        }
    };
    demand(launch.block, LaunchBound::AllThreads, true, "block", ".reqntid");
    demand(launch.block, LaunchBound::Threads, false, "block", ".maxntid");
    demand(launch.cluster, LaunchBound::WholeCluster, true, "cluster", ".reqnctapercluster");
}

/// Checks the names of a launch.
struct LaunchChecker<'a> {
    launch: &'a Launch,
    callable: &'a ProgramFunction,
    program: &'a ModuleProgram,
}

impl LaunchChecker<'_> {
    fn parameter(&self, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let range = || given.range.clone();
        let Some(parameter) = self.callable.parameters.iter().find(|p| p.name == given.name) else {
            return Err(self.unknown(given));
        };
        let name = &given.name;
        let whole = parameter.bytes().unwrap_or(0);
        let aggregate = is_aggregate(parameter);
        if let Some(offset) = given.offset {
            let size = match &given.argument {
                Argument::Number(Some(element), _) => u64::from(element.bits()).div_ceil(8),
                Argument::Number(None, _) => {
                    let words =
                        format!("`{}` is part of a parameter, and the kernel does not give its type", given.title());
                    return Err(LaunchMistake::new(range(), words).help(format!("write `{}=u32:…`", given.title())));
                }
                _ => self.address_bytes(),
            };
            if !aggregate {
                let words = format!("`{name}` is a single value and has no parts");
                return Err(LaunchMistake::new(range(), words).help(format!("write `{name}=…`")));
            }
            if offset.checked_add(size).is_none_or(|end| end > whole) {
                let words = format!("`{}` lies outside of `{name}`, which has {whole} bytes", given.title());
                return Err(LaunchMistake::new(range(), words));
            }
        }
        let scalar = parameter.ty.and_then(|t| ElementFormat::named(t.name()));
        let opaque = parameter.ty.is_some_and(|t| t.info().class == TypeClass::Opaque);
        let declared = parameter.to_string();
        match &given.argument {
            Argument::Number(None, number) if !aggregate && !opaque => {
                if let Some(scalar) = scalar {
                    number.encode(scalar).map_err(|why| LaunchMistake::new(range(), format!("`{declared}`: {why}")))?;
                }
            }
            Argument::Number(Some(element), _) if given.offset.is_none() && !aggregate && !opaque => {
                if scalar.is_some_and(|s| s.bits() != element.bits()) {
                    let words = format!("`{element}` has {} bits, but the parameter is `{declared}`", element.bits());
                    return Err(LaunchMistake::new(range(), words));
                }
            }
            Argument::Number(..) if given.offset.is_some() => {}
            Argument::Number(..) => {
                let words = format!("the parameter is `{declared}`, which is not a number");
                let help = if opaque {
                    "write an image or a sampler: `{image=…}`"
                } else {
                    "write its bytes, or its parts: `p+8=u32:1`"
                };
                return Err(LaunchMistake::new(range(), words).help(help));
            }
            Argument::Buffer(buffer) if aggregate && given.offset.is_none() => {
                let has = buffer.bytes().unwrap_or(0);
                if has > whole {
                    let words = format!("`{name}` has {whole} bytes, but {has} are given");
                    return Err(LaunchMistake::new(range(), words)
                        .help("a buffer given for an array fills the array itself, not an address"));
                }
            }
            Argument::Buffer(buffer) => {
                fits(buffer, range())?;
                self.takes_address(given, parameter)?;
            }
            Argument::Address(target, _) => {
                self.takes_address(given, parameter)?;
                self.target(target, given)?;
            }
            Argument::Table(table) => {
                let described = describe_at(table, range())?;
                let map = matches!(described, Described::TensorMap(_));
                if map && !(aggregate && whole >= 128) && !self.holds_address(parameter)
                    || !map && !opaque && !self.holds_handle(parameter)
                {
                    let what = if map { "a tensor map" } else { "an image or a sampler" };
                    return Err(LaunchMistake::new(
                        range(),
                        format!("the parameter is `{declared}`, which cannot be {what}"),
                    ));
                }
                if let Described::TensorMap(map) = &described {
                    self.buffer(&map.buffer, &range())?;
                }
            }
        }
        Ok(())
    }

    /// Checks a buffer without a parameter.
    fn extra(&self, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let wrong = |words: String| LaunchMistake::new(given.range.clone(), words);
        let parameter = self.callable.parameters.iter().any(|p| p.name == given.name);
        if parameter || self.variable(&given.name).is_some() {
            let what = if parameter { "a parameter" } else { "a variable" };
            return Err(wrong(format!("`{}` is {what}, so it needs no buffer of the same name", given.name))
                .help("choose another name"));
        }
        match &given.argument {
            Argument::Buffer(buffer) if given.offset.is_none() => fits(buffer, given.range.clone()),
            _ => Err(wrong(format!("`{}` must be a buffer", given.title())).help("such as `x=f32[64]:zero`")),
        }
    }

    fn unknown(&self, given: &NamedArgument) -> LaunchMistake {
        let name = &given.name;
        let parameters = || self.callable.parameters.iter().map(|p| &*p.name);
        let wrong =
            LaunchMistake::new(given.range.clone(), format!("`{}` has no parameter `{name}`", self.callable.name));
        let variables = self.program.variables.iter().map(|v| &*v.name);
        match nearest(name, parameters().chain(SIZES).chain(variables)) {
            Some(near) => wrong.help(format!("did you mean `{near}`?")),
            None if self.callable.parameters.is_empty() => wrong.help("it has no parameters"),
            None if matches!(given.argument, Argument::Buffer(_)) => {
                let has = list(parameters());
                wrong.help(format!("it has {has}; declare memory that no parameter points to in a `buffers:` line"))
            }
            None => wrong.help(format!("it has {}", list(parameters()))),
        }
    }

    fn address_bytes(&self) -> u64 {
        if self.program.environment.address_size == 32 { 4 } else { 8 }
    }

    fn holds_address(&self, parameter: &Parameter) -> bool {
        let class = |p: &Parameter| p.ty.map(|t| t.info().class);
        !is_aggregate(parameter)
            && parameter.bytes() == Some(self.address_bytes())
            && matches!(class(parameter), Some(TypeClass::Bits | TypeClass::Uint | TypeClass::Sint))
    }

    fn holds_handle(&self, parameter: &Parameter) -> bool {
        !is_aggregate(parameter) && parameter.bytes() == Some(8) && self.holds_class(parameter)
    }

    fn holds_class(&self, parameter: &Parameter) -> bool {
        let class = parameter.ty.map(|t| t.info().class);
        matches!(class, Some(TypeClass::Bits | TypeClass::Uint | TypeClass::Sint))
    }

    fn takes_address(&self, given: &NamedArgument, parameter: &Parameter) -> Result<(), LaunchMistake> {
        if given.offset.is_some() || self.holds_address(parameter) {
            return Ok(());
        }
        let words = format!("the parameter is `{parameter}`, which cannot hold an address");
        Err(LaunchMistake::new(given.range.clone(), words).help(format!("give a number: `{}=1`", given.name)))
    }

    fn target(&self, target: &str, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let range = given.range.clone();
        // The argument itself is an address, so it is none of the buffers. Ranges do not tell arguments apart: in JSON all are empty.
        let buffer = self
            .launch
            .named()
            .any(|g| &*g.name == target && g.offset.is_none() && matches!(g.argument, Argument::Buffer(_)));
        let addressed = self.variable(target).is_some_and(|v| matches!(v.symbol.space, ".global" | ".const"));
        let said = |name: &str| self.launch.parameters.iter().any(|g| &*g.name == name);
        let guessed =
            self.callable.parameters.iter().any(|p| &*p.name == target && self.holds_address(p) && !said(target));
        if buffer || guessed || addressed || self.program.function(target).is_some() {
            return Ok(());
        }
        let words = format!(
            "`{target}` is neither a buffer of this launch, nor a `.global` or `.const` variable, nor a function"
        );
        Err(LaunchMistake::new(range, words))
    }

    /// Checks that there is a buffer with this name.
    fn buffer(&self, name: &str, range: &Range<usize>) -> Result<(), LaunchMistake> {
        let is_it = |g: &&NamedArgument| &*g.title() == name && matches!(g.argument, Argument::Buffer(_));
        let named = self.launch.named().find(is_it);
        if named.is_some() || self.callable.parameters.iter().any(|p| &*p.name == name) || self.variable(name).is_some()
        {
            return Ok(());
        }
        Err(LaunchMistake::new(range.clone(), format!("`{name}` is not a buffer of this launch")))
    }

    fn variable(&self, name: &str) -> Option<&ModuleVariable> {
        self.program.variable(name).and_then(|i| self.program.variables.get(i))
    }

    fn global(&self, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let range = || given.range.clone();
        let Some(variable) = self.variable(&given.name) else {
            let names = || self.program.variables.iter().map(|v| &*v.name);
            let wrong = LaunchMistake::new(range(), format!("the module has no variable `{}`", given.name));
            return Err(match nearest(&given.name, names()) {
                Some(near) => wrong.help(format!("did you mean `{near}`?")),
                None => wrong.help(format!("it has {}", list(names()))),
            });
        };
        let symbol = &variable.symbol;
        if !matches!(symbol.space, ".global" | ".const") {
            let words = format!("`{}` is in `{}`, which has no initial contents", given.name, symbol.space);
            return Err(LaunchMistake::new(range(), words));
        }
        let bytes = symbol.bytes.unwrap_or(0);
        let opaque = symbol.ty.is_some_and(|t| t.info().class == TypeClass::Opaque);
        let element = symbol.ty.and_then(|t| ElementFormat::named(t.name()));
        let needs = match &given.argument {
            Argument::Number(None, number) => {
                let element = element.ok_or_else(|| {
                    LaunchMistake::new(range(), format!("`{}` is not a number", given.name))
                        .help("write an image or a sampler")
                })?;
                number.encode(element).map_err(|why| LaunchMistake::new(range(), why))?;
                u64::from(element.bits()) / 8
            }
            Argument::Number(Some(element), _) => u64::from(element.bits()).div_ceil(8),
            Argument::Buffer(buffer) => {
                fits(buffer, range())?;
                buffer.bytes().unwrap_or(0)
            }
            Argument::Address(target, _) => {
                self.target(target, given)?;
                self.address_bytes()
            }
            Argument::Table(table) => match describe_at(table, range())? {
                Described::TensorMap(map) => {
                    self.buffer(&map.buffer, &range())?;
                    128
                }
                _ if opaque => 0,
                _ => 8,
            },
        };
        if needs > bytes {
            let words = format!("`{}` has {bytes} bytes, but {needs} are given", given.name);
            return Err(LaunchMistake::new(range(), words));
        }
        Ok(())
    }

    /// The element format and the number of elements of the buffer or variable in a condition, as far as they are known. `None` if there is
    /// no such buffer or variable.
    fn looked_at(&self, condition: &Condition) -> Option<(Option<ElementFormat>, Option<u64>)> {
        let given = self.launch.named().find(|g| g.name == condition.name && g.offset == condition.offset);
        if let Some(given) = given {
            return match &given.argument {
                Argument::Buffer(buffer) => {
                    let element = condition.element.unwrap_or(buffer.element);
                    Some((Some(element), buffer.bytes().map(|b| element.count(b))))
                }
                // The pixels of an image are bytes.
                Argument::Table(_) => Some((condition.element, None)),
                _ => None,
            };
        }
        if let Some(parameter) = self.callable.parameters.iter().find(|p| p.name == condition.name) {
            // The buffer that the parameter points to will be guessed.
            let opaque = parameter.ty.is_some_and(|t| t.info().class == TypeClass::Opaque);
            let buffer = is_aggregate(parameter) || opaque || self.holds_address(parameter);
            return buffer.then_some((condition.element, None));
        }
        let variable = self.variable(&condition.name)?;
        let element = condition.element.or_else(|| variable.symbol.ty.and_then(|t| ElementFormat::named(t.name())));
        let count = element.zip(variable.symbol.bytes).map(|(e, bytes)| e.count(bytes));
        matches!(variable.symbol.space, ".global" | ".const").then_some((element, count))
    }

    fn condition(&self, condition: &Condition, range: &Range<usize>) -> Result<(), LaunchMistake> {
        let title = condition.title();
        let wrong = |words: String| LaunchMistake::new(range.clone(), words);
        let Some((element, count)) = self.looked_at(condition) else {
            let buffers = self.launch.named().filter(|g| matches!(g.argument, Argument::Buffer(_)));
            let buffers: Vec<&str> = buffers.map(|g| &*g.name).collect();
            let out = wrong(format!(
                "`{}` is neither a buffer of this launch nor a variable in global memory",
                condition.name
            ));
            return Err(match nearest(&condition.name, buffers.iter().copied()) {
                Some(near) => out.help(format!("did you mean `{near}`?")),
                None => out.help(format!("there are {}", list(buffers))),
            });
        };
        if let ExpectedElements::Like(name, _) = &condition.expected {
            let other = Condition { name: name.clone(), offset: None, ..condition.clone() };
            match self.looked_at(&other) {
                None => return Err(wrong(format!("`{name}` is neither a fill nor a buffer of this launch"))),
                Some((other, _)) if other.is_some() && element.is_some() && other != element => {
                    let words = format!("`{name}` and `{}` have different types", condition.name);
                    return Err(wrong(words).help("read one of them as the type of the other: `out:u32=…`"));
                }
                Some(_) => {}
            }
        }
        let last = match condition.part {
            ElementSelection::At(index) => Some(index.saturating_add(1)),
            ElementSelection::Range(_, end) => Some(end),
            ElementSelection::All => match &condition.expected {
                ExpectedElements::List(all) => Some(all.len() as u64),
                _ => None,
            },
        };
        if let (Some(last), Some(count)) = (last, count)
            && last > count
        {
            return Err(wrong(format!("`{title}` lies past the end: the buffer has {count} elements")));
        }
        let Some(element) = element else { return Ok(()) };
        let encode =
            |number: Number| number.encode(element).map(|_| ()).map_err(|why| wrong(format!("`{title}`: {why}")));
        match &condition.expected {
            ExpectedElements::Value(value) if !condition.tolerance.is_exact() && value.value().is_finite() => Ok(()),
            ExpectedElements::Value(value) => encode(*value),
            ExpectedElements::List(all) if condition.tolerance.is_exact() => all.iter().try_for_each(|n| encode(*n)),
            ExpectedElements::Fill(fill) => fill.mistake(element).map_or(Ok(()), |why| Err(wrong(why))),
            _ => Ok(()),
        }
    }
}

/// Whether a parameter is more than a single value: an array or a vector.
pub(super) fn is_aggregate(parameter: &Parameter) -> bool {
    parameter.array != Array::No || parameter.elements > 1
}

/// The image, sampler or tensor map that a table describes.
pub(super) fn describe_at(table: &[(String, Field)], range: Range<usize>) -> Result<Described, LaunchMistake> {
    match describe(table) {
        Some(Ok(described)) => Ok(described),
        Some(Err(why)) => Err(LaunchMistake::new(range, why)),
        None => Err(LaunchMistake::new(range, "expected one of `image=`, `sampler=` and `tensor_map=`")
            .help("such as `{image=2d size=[64,32] format=f32 fill=iota}`")),
    }
}

/// The bytes of a buffer; `None` if they are unwritten or still in a file.
pub(super) fn contents(buffer: &Buffer) -> Option<Vec<u8>> {
    let size = buffer.bytes().and_then(|n| usize::try_from(n).ok())?;
    let mut out = match &buffer.contents {
        BufferContents::Fill(Fill::Poison) | BufferContents::File(_) => return None,
        BufferContents::Fill(fill) => return Some(fill.bytes(buffer.element, buffer.length.unwrap_or(0))),
        BufferContents::Bytes(bytes) => bytes.clone(),
        BufferContents::Elements(elements) => {
            let mut out = vec![0; size];
            for (index, number) in elements.iter().enumerate() {
                buffer.element.put(&mut out, index as u64, number.encode(buffer.element).unwrap_or(0));
            }
            out
        }
    };
    out.resize(size, 0);
    Some(out)
}
