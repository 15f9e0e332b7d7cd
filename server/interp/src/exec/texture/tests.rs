use crate::findings::Kind;
use crate::image::texture::{Coordinates, Level, Request, fetch, gather};
use crate::image::{
    AddressMode, ChannelOrder, ChannelType, Filter, Format, Geometry, Image, ImageDescription, Opaque, Sampler,
};
use crate::machine::Status;
use crate::testing::{Kernel, Outcome};

fn image(geometry: Geometry, size: [u32; 3], channel: ChannelType, order: ChannelOrder) -> Image {
    let description = ImageDescription::new(geometry, size, Format { channel, order });
    with(description)
}

/// An image whose channels are 0, 1, 2 … (normalised ones: of 255).
fn with(description: ImageDescription) -> Image {
    let normalised = description.format.channel == ChannelType::Unorm8;
    let bytes = description.filled(|i| if normalised { i as f64 / 255.0 } else { i as f64 });
    Image { description, bytes }
}

fn linear() -> Sampler {
    Sampler { filter: Filter::Linear, address: [AddressMode::ClampToEdge; 3], ..Sampler::default() }
}

/// A kernel that stores `%r0` … `%r3` of each thread after `body`, which has the texture in `%rd1` and the thread in `%r8` and `%f8`.
fn sampling(target: &str, body: &str, threads: u32, texture: Image, sampler: Sampler) -> Kernel {
    let text = format!(
        "ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; mov.u32 %r8, %tid.x; cvt.u64.u32 %rd3, %r8; shl.b64 %rd3, %rd3, 4;\
         add.u64 %rd4, %rd0, %rd3; {body}\nst.global.v4.u32 [%rd4], {{%r0, %r1, %r2, %r3}};"
    );
    let text = text.replace("cvt.u64.u32 %rd3, %r8; shl.b64 %rd3, %rd3, 4;\nadd.u64 %rd4, %rd0, %rd3;", "");
    let mut kernel = Kernel::body(target, &plain(&text)).threads(threads).buffer(&vec![0; 16 * threads as usize]);
    let id = kernel.add_image(texture);
    kernel.handle(Opaque::Texture(id, sampler))
}
