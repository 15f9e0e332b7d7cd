//! Binding: makes a machine that is about to start from a launch.

use super::guess::is_surface;
use super::images::Images;
use super::settle::{MAX_BUFFER_BYTES, contents, describe_at, is_aggregate};
use ptx_interp::decode::Executable;
use ptx_interp::inspect::{BindingSite, PlacedBuffer};
use ptx_interp::machine::{GridShape, Machine, Memory, Settings};
use ptx_interp::memory::{Global, Storage, Window};
use ptx_launch_syntax::{Argument, Buffer, BufferContents, Fill, Launch, LaunchMistake, NamedArgument};
use ptx_num::image::description::Described;
use ptx_num::notation::{ElementFormat, Number};
use ptx_num::values::Marks;
use std::sync::Arc;

/// A machine that is about to start, and the memory of its buffers.
pub struct Bound {
    /// The machine.
    pub machine: Machine,
    /// The buffers of the launch in the order of the parameters, then images, then the module's variables in global and constant memory.
    pub buffers: Vec<PlacedBuffer>,
}

/// Creates a machine and stores parameters, buffers and initial contents where the kernel expects them. The launch must have been checked
/// ([`super::settle`]) and completed ([`super::complete`]); parameters that are still missing are zero.
///
/// # Errors
/// Impossible requests, such as a file that was not read.
pub fn bind(launch: &Launch, executable: Arc<Executable>, settings: Settings) -> Result<Bound, Vec<LaunchMistake>> {
    let cluster = launch.cluster.unwrap_or([1; 3]);
    let shape = GridShape {
        grid: launch.grid.unwrap_or(cluster),
        block: launch.block.unwrap_or([1; 3]),
        cluster,
        explicit_cluster: launch.cluster.is_some(),
        shared: launch.shared.unwrap_or(0),
    };
    if let Some((_, words)) = shape.mistake() {
        return Err(vec![LaunchMistake::new(launch.range.clone(), words)]);
    }
    let room = executable.parameters.iter().map(|(at, bytes)| u64::from(*at) + u64::from(*bytes)).max().unwrap_or(0);
    let memory = Memory {
        global: executable.global.clone(),
        constant: executable.constant.clone(),
        parameters: Storage::new(room, true),
    };
    let mut binding =
        Binding { launch, executable: &executable, memory, buffers: Vec::new(), images: Images::default() };
    binding.buffers().map_err(|m| vec![m])?;
    let mut mistakes = Vec::new();
    binding.images.opaques(&executable);
    // Images that share the bytes of a buffer or another image are bound last.
    for second in [false, true] {
        for given in launch.parameters.iter().filter(|g| shares(g) == second) {
            mistakes.extend(binding.parameter(given).err());
        }
        for given in launch.globals.iter().filter(|g| shares(g) == second) {
            mistakes.extend(binding.global(given).err());
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let Binding { memory, mut buffers, images, .. } = binding;
    variables(launch, &executable, &mut buffers).map_err(|m| vec![m])?;
    let mut machine = Machine::new(executable, shape, settings, memory);
    // A surface that is written is copied once.
    machine.hold_before_run(2 * images.bindings.bytes());
    machine.images = images.bindings;
    Ok(Bound { machine, buffers })
}

/// Whether an argument is an image that shares the bytes of a buffer or another image.
fn shares(given: &NamedArgument) -> bool {
    matches!(&given.argument, Argument::Table(table) if table.iter().any(|(key, _)| key == "buffer"))
}

/// Adds the variables of the module that lie in global and constant memory. Snapshots of them are made before and after a run, so their
/// size is limited like that of buffers: one line of PTX can declare terabytes.
fn variables(launch: &Launch, executable: &Executable, buffers: &mut Vec<PlacedBuffer>) -> Result<(), LaunchMistake> {
    // Snapshots of all buffers are made before and after the run.
    let mut all = buffers.iter().fold(0u64, |all, placed| all.saturating_add(placed.bytes));
    for variable in &executable.program.variables {
        let Some(located) = executable.variables.get(&variable.name) else { continue };
        let place = match located.window {
            None => BindingSite::Global(located.address),
            Some(Window::Constant) => BindingSite::Constant(located.address),
            Some(_) => continue,
        };
        let element = variable.symbol.ty.and_then(|t| ElementFormat::named(t.name()));
        let Some(element) = element else { continue };
        all = all.saturating_add(located.bytes);
        if all > MAX_BUFFER_BYTES {
            let words = format!(
                "the buffers and the variables of the module take {all} bytes with `{}`, but a launch may have at most {MAX_BUFFER_BYTES}",
                variable.name
            );
            return Err(LaunchMistake::new(launch.range.clone(), words));
        }
        buffers.push(PlacedBuffer { name: variable.name.clone(), element, place, bytes: located.bytes });
    }
    Ok(())
}

struct Binding<'a> {
    launch: &'a Launch,
    executable: &'a Arc<Executable>,
    memory: Memory,
    buffers: Vec<PlacedBuffer>,
    images: Images,
}

impl Binding<'_> {
    /// The index of the kernel parameter that an argument is for.
    fn index(&self, given: &NamedArgument) -> Option<usize> {
        let callable = self.executable.program.functions.get(self.executable.entry as usize)?;
        callable.parameters.iter().position(|p| p.name == given.name)
    }

    fn is_aggregate(&self, given: &NamedArgument) -> bool {
        let callable = self.executable.program.functions.get(self.executable.entry as usize);
        let parameter = callable.and_then(|c| c.parameters.get(self.index(given)?));
        given.offset.is_none() && parameter.is_some_and(is_aggregate)
    }

    /// Allocates the buffers, in the order of the parameters.
    fn buffers(&mut self) -> Result<(), LaunchMistake> {
        let mut wanted: Vec<&NamedArgument> = self.launch.named().collect();
        // Buffers without a parameter come last.
        wanted.sort_by_key(|g| (self.index(g).unwrap_or(usize::MAX), g.offset));
        let mut left = MAX_BUFFER_BYTES;
        for given in wanted {
            let Argument::Buffer(buffer) = &given.argument else { continue };
            if let BufferContents::File(path) = &buffer.contents {
                return Err(LaunchMistake::new(given.range.clone(), format!("the file `{path}` has not been read")));
            }
            if self.is_aggregate(given) {
                continue;
            }
            let bytes = buffer.bytes().filter(|n| *n <= left);
            let bytes = bytes
                .ok_or_else(|| LaunchMistake::new(given.range.clone(), "the buffers of the launch are too large"))?;
            left -= bytes;
            let name = given.title();
            let address = self.memory.global.allocate(&name, storage(buffer, bytes), 256);
            self.buffers.push(PlacedBuffer {
                name: name.into(),
                element: buffer.element,
                place: BindingSite::Global(address),
                bytes,
            });
        }
        Ok(())
    }

    fn parameter(&mut self, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let unknown =
            || LaunchMistake::new(given.range.clone(), format!("the kernel has no parameter `{}`", given.name));
        let index = self.index(given).ok_or_else(unknown)?;
        let callable = self.executable.program.functions.get(self.executable.entry as usize).ok_or_else(unknown)?;
        let (at, size) = self.executable.parameters.get(index).copied().ok_or_else(unknown)?;
        let declared = callable.parameters.get(index).and_then(|p| p.ty).and_then(|t| ElementFormat::named(t.name()));
        let offset = given.offset.unwrap_or(0);
        let room = u64::from(size).saturating_sub(offset);
        let bytes = match &given.argument {
            Argument::Buffer(buffer) if self.is_aggregate(given) => contents(buffer).unwrap_or_default(),
            Argument::Table(table) => match describe_at(table, given.range.clone())? {
                Described::TensorMap(map) => {
                    let map = map.at(self.address_of(&map.buffer, given)?).to_bytes();
                    if self.is_aggregate(given) {
                        map.to_vec()
                    } else {
                        let address = self.memory.global.allocate(&given.title(), Storage::from_bytes(&map), 256);
                        self.word(address)
                    }
                }
                described => {
                    // The handle is an address without memory, so that it differs from all real addresses.
                    let handle = self.memory.global.allocate(&given.title(), Storage::new(0, false), 256);
                    let kind = if is_surface(callable, index) { ".surfref" } else { ".texref" };
                    let placed = {
                        let buffers = buffer_bytes(&self.buffers, &self.memory.global);
                        self.images.bind(given, handle, kind, described, table, &buffers)?
                    };
                    self.buffers.extend(placed);
                    self.word(handle)
                }
            },
            argument => self.value(argument, declared, given)?,
        };
        let length = bytes.len().min(usize::try_from(room).unwrap_or(0));
        let bytes = bytes.get(..length).unwrap_or_default();
        self.memory.parameters.write(u64::from(at) + offset, bytes, Marks::NONE);
        Ok(())
    }

    fn global(&mut self, given: &NamedArgument) -> Result<(), LaunchMistake> {
        let unknown = || {
            LaunchMistake::new(given.range.clone(), format!("the kernel does not reach a variable `{}`", given.name))
        };
        let located = self.executable.variables.get(&given.name).copied().ok_or_else(unknown)?;
        let variables = &self.executable.program.variables;
        let variable = variables.iter().find(|v| v.name == given.name).ok_or_else(unknown)?;
        let element = variable.symbol.ty.and_then(|t| ElementFormat::named(t.name()));
        let bytes = match &given.argument {
            Argument::Buffer(Buffer { contents: BufferContents::File(path), .. }) => {
                return Err(LaunchMistake::new(given.range.clone(), format!("the file `{path}` has not been read")));
            }
            Argument::Buffer(Buffer { contents: BufferContents::Fill(Fill::Poison), .. }) => {
                if let Some(allocation) =
                    self.memory.global.find_mut(located.address, 0).filter(|_| located.window.is_none())
                {
                    allocation.storage.forget(located.address - allocation.base, located.bytes);
                }
                return Ok(());
            }
            Argument::Buffer(buffer) => contents(buffer).unwrap_or_default(),
            Argument::Table(table) => match describe_at(table, given.range.clone())? {
                Described::TensorMap(map) => map.at(self.address_of(&map.buffer, given)?).to_bytes().to_vec(),
                described => {
                    let kind = variable.symbol.ty.map_or(".texref", |t| t.name());
                    let placed = {
                        let buffers = buffer_bytes(&self.buffers, &self.memory.global);
                        self.images.bind(given, located.address, kind, described, table, &buffers)?
                    };
                    self.buffers.extend(placed);
                    return Ok(());
                }
            },
            argument => self.value(argument, element, given)?,
        };
        let length = bytes.len().min(usize::try_from(located.bytes).unwrap_or(0));
        let bytes = bytes.get(..length).unwrap_or_default();
        match located.window {
            Some(Window::Constant) => self.memory.constant.write(located.address, bytes, Marks::NONE),
            _ => {
                if let Some(allocation) = self.memory.global.find_mut(located.address, bytes.len()) {
                    let at = located.address - allocation.base;
                    allocation.storage.write(at, bytes, Marks::NONE);
                }
            }
        }
        Ok(())
    }

    /// The bytes of a number or an address.
    fn value(
        &self,
        argument: &Argument,
        declared: Option<ElementFormat>,
        given: &NamedArgument,
    ) -> Result<Vec<u8>, LaunchMistake> {
        let encoded = |number: &Number, element: ElementFormat| {
            let bits = number.encode(element).map_err(|why| LaunchMistake::new(given.range.clone(), why))?;
            let size = element.bits().div_ceil(8) as usize;
            Ok(bits.to_le_bytes().get(..size).unwrap_or_default().to_vec())
        };
        match argument {
            Argument::Number(element, number) => {
                encoded(number, element.or(declared).unwrap_or(ElementFormat::of_bits(64)))
            }
            Argument::Buffer(_) => {
                let title = given.title();
                self.address_of(&title, given).map(|address| self.word(address))
            }
            Argument::Address(name, offset) => {
                self.address_of(name, given).map(|address| self.word(address.wrapping_add_signed(*offset)))
            }
            Argument::Table(_) => Ok(Vec::new()),
        }
    }

    fn word(&self, address: u64) -> Vec<u8> {
        let size = usize::from(self.executable.address_bytes());
        address.to_le_bytes().get(..size).unwrap_or_default().to_vec()
    }

    /// The generic address of a buffer, a variable or a function.
    fn address_of(&self, name: &str, given: &NamedArgument) -> Result<u64, LaunchMistake> {
        let buffer = self.buffers.iter().find_map(|b| match b.place {
            BindingSite::Global(address) if &*b.name == name => Some(address),
            _ => None,
        });
        let variable = || {
            let located = self.executable.variables.get(name)?;
            match located.window {
                None => Some(located.address),
                Some(window) => self.executable.map.generic(window, located.address),
            }
        };
        let function = || {
            let index = u32::try_from(self.executable.program.function(name)?).ok()?;
            Some(self.executable.code_address(index))
        };
        buffer.or_else(variable).or_else(function).ok_or_else(|| {
            LaunchMistake::new(
                given.range.clone(),
                format!("`{name}` is neither a buffer of this launch, nor a variable, nor a function"),
            )
        })
    }
}

fn buffer_bytes<'a>(buffers: &'a [PlacedBuffer], memory: &'a Global) -> impl Fn(&str) -> Option<Vec<u8>> + 'a {
    |name| {
        let placed = buffers.iter().find(|b| &*b.name == name)?;
        match placed.place {
            BindingSite::Global(address) => Some(memory.find(address, 0)?.storage.to_vec()),
            _ => None,
        }
    }
}

fn storage(buffer: &Buffer, bytes: u64) -> Storage {
    match &buffer.contents {
        BufferContents::Fill(Fill::Zero) => Storage::new(bytes, true),
        BufferContents::Fill(Fill::Poison) | BufferContents::File(_) => Storage::new(bytes, false),
        BufferContents::Bytes(all) if all.len() as u64 == bytes => Storage::from_bytes(all),
        BufferContents::Fill(fill) => filled(fill, buffer.element, bytes),
        _ => Storage::from_bytes(&contents(buffer).unwrap_or_default()),
    }
}

/// Storage filled by a rule, without a second copy of its bytes.
fn filled(fill: &Fill, element: ElementFormat, bytes: u64) -> Storage {
    /// Elements that are written at once: whole bytes of any format.
    const CHUNK: u64 = 1 << 14;
    let mut out = Storage::new(bytes, true);
    let count = element.count(bytes);
    for first in (0..count).step_by(CHUNK as usize) {
        let elements = CHUNK.min(count - first);
        let mut chunk = vec![0; element.bytes(elements).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)];
        (0..elements).for_each(|index| element.put(&mut chunk, index, fill.bits(element, first + index)));
        out.write(element.bytes(first).unwrap_or(0), &chunk, Marks::NONE);
    }
    out
}
