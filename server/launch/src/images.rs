//! Binding of images and samplers to the handles that a kernel uses.

use ptx_flow::program::{self, FieldValue};
use ptx_interp::decode::Executable;
use ptx_interp::inspect::{BindingSite, PlacedBuffer};
use ptx_launch_syntax::{Field, LaunchMistake, NamedArgument, fill, hexadecimal};
use ptx_num::image::description::{Described, DescribedImage, ImageContents};
use ptx_num::image::{Bindings, Image, ImageDescription, ImageId, Opaque, Sampler, fields};
use ptx_num::notation::ElementFormat;
use std::collections::HashMap;

/// Images and samplers that will become part of a machine.
#[derive(Default)]
pub(super) struct Images {
    /// The image or sampler for each handle.
    pub bindings: Bindings,
    /// The images by name.
    named: HashMap<Box<str>, ImageId>,
    /// The fields in the initial values of opaque variables, by variable.
    fields: HashMap<Box<str>, Vec<program::OpaqueField>>,
}

/// Fields of initial values, each with the key of a launch that overrides it.
const OVERRIDDEN: [(&str, &str); 6] = [
    ("normalized_coords", "normalized"),
    ("filter_mode", "filter"),
    ("addr_mode_0", "address"),
    ("addr_mode_1", "address"),
    ("addr_mode_2", "address"),
    ("force_unnormalized_coords", "force_unnormalized"),
];

impl Images {
    /// Reads the initial values of the module's variables, and binds the samplers among them.
    pub(super) fn opaques(&mut self, executable: &Executable) {
        for variable in &executable.program.variables {
            let fields: Vec<program::OpaqueField> =
                variable.initial.fields.iter().filter(|f| f.element == 0).cloned().collect();
            let located = executable.variables.get(&variable.name);
            if let Some(located) = located.filter(|_| variable.symbol.ty.is_some_and(|t| t.name() == ".samplerref")) {
                let mut sampler = Sampler::default();
                let mut nothing = placeholder();
                fields.iter().for_each(|f| set(&mut nothing, &mut sampler, f));
                self.bindings.bind(located.address, Opaque::Sampler(sampler));
            }
            self.fields.insert(variable.name.clone(), fields);
        }
    }

    /// Binds the image or sampler that a table describes to a handle. `kind` is the type of the variable; for a parameter it is the type as
    /// which the kernel uses it.
    pub(super) fn bind(
        &mut self,
        given: &NamedArgument,
        handle: u64,
        kind: &str,
        described: Described,
        table: &[(String, Field)],
        buffers: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Option<PlacedBuffer>, LaunchMistake> {
        let mistake = |words: String| LaunchMistake::new(given.range.clone(), words);
        let has = |key: &str| table.iter().any(|(name, _)| name == key);
        let fields = self.fields.get(&given.name).cloned().unwrap_or_default();
        // The launch takes precedence over the initial value of the variable.
        let inherited = fields.iter().filter(|f| OVERRIDDEN.iter().any(|(name, key)| *name == f.name && !has(key)));
        match described {
            Described::TensorMap(_) => Ok(None),
            Described::Sampler(mut sampler) => {
                inherited.for_each(|f| set(&mut placeholder(), &mut sampler, f));
                self.bindings.bind(handle, Opaque::Sampler(sampler));
                Ok(None)
            }
            Described::Image(described) => {
                let DescribedImage { mut image, mut sampler, contents } = *described;
                inherited.for_each(|f| set(&mut image, &mut sampler, f));
                let element = element_of(&image);
                let size = usize::try_from(image.bytes()).unwrap_or(0);
                let bytes = match &contents {
                    ImageContents::Fill(text) => {
                        let fill = fill(text, given.range.start).map_err(|m| mistake(m.message))?;
                        image.filled(|index| fill.number(index))
                    }
                    ImageContents::Hex(digits) => hexadecimal(digits).map_err(mistake)?,
                    ImageContents::File(path) => return Err(mistake(format!("the file `{path}` has not been read"))),
                    ImageContents::Buffer(name) => match (self.named.get(name.as_str()), buffers(name)) {
                        // Another handle of the same image.
                        (Some(id), _) => {
                            self.bind_image(handle, kind, *id, sampler);
                            return Ok(None);
                        }
                        (None, Some(bytes)) => bytes,
                        (None, None) => {
                            return Err(mistake(format!("`{name}` is neither a buffer nor an image of this launch")));
                        }
                    },
                };
                if bytes.len() != size {
                    return Err(mistake(format!("the image has {size} bytes, but {} are given", bytes.len())));
                }
                let id = self.bindings.add_image(Image { description: image, bytes });
                self.named.insert(given.name.clone(), id);
                self.bind_image(handle, kind, id, sampler);
                let name = given.title().into();
                Ok(Some(PlacedBuffer { name, element, place: BindingSite::Image(id), bytes: size as u64 }))
            }
        }
    }

    fn bind_image(&mut self, handle: u64, kind: &str, id: ImageId, sampler: Sampler) {
        let opaque = if kind == ".surfref" { Opaque::Surface(id) } else { Opaque::Texture(id, sampler) };
        self.bindings.bind(handle, opaque);
    }
}

/// The element format of the channels of an image.
pub(super) fn element_of(image: &ImageDescription) -> ElementFormat {
    let name = image.format.channel.name();
    // Normalised channels are stored as integers.
    let plain = name.replace('n', "");
    ElementFormat::named(name).or_else(|| ElementFormat::named(&plain)).unwrap_or(ElementFormat::byte())
}

/// A dummy image: fields set in it have no effect.
fn placeholder() -> ImageDescription {
    use ptx_num::image::{ChannelOrder, ChannelType, Geometry, TexelFormat};
    let format = TexelFormat { channel: ChannelType::Float, order: ChannelOrder::R };
    ImageDescription::new(Geometry::D1, [1; 3], format)
}

fn set(image: &mut ImageDescription, sampler: &mut Sampler, field: &program::OpaqueField) {
    let value = match field.value {
        FieldValue::Name(name) => fields::named_value(name),
        FieldValue::Number(number) => u32::try_from(number).ok(),
    };
    if let Some(value) = value {
        fields::set(image, sampler, field.name, value);
    }
}
