//! Texels that the kernel has written through surfaces.
//!
//! Textures are read through a cache that stores of the same kernel do not update, as with `ld.global.nc` (the memory model of the manual,
//! 8.1, covers neither). So a texel that is read through a texture after a surface store has an undefined value, and no barrier or fence
//! changes that.

use super::ExecContext;
use crate::findings::{FaultKind, InstructionSite};
use ptx_num::image::ImageId;
use std::sync::Arc;

/// Maximum number of texels that are tracked.
const MAX_TEXELS: usize = 1 << 18;

/// Bytes of a texel of an image.
fn texel_bytes(context: &ExecContext<'_>, id: ImageId) -> Option<u64> {
    context.machine.images.image(id).map(|i| u64::from(i.description.format.bytes()).max(1))
}

/// Records that the kernel writes bytes of an image through a surface.
pub(crate) fn written(context: &mut ExecContext<'_>, id: ImageId, at: u64, bytes: usize) {
    if !context.executable().textures || bytes == 0 || !context.machine.settings.checks.has(FaultKind::Undefined) {
        return;
    }
    let Some(size) = texel_bytes(context, id) else { return };
    let site = context.site;
    let all = Arc::make_mut(&mut context.machine.written_texels.0);
    if all.len() < MAX_TEXELS {
        all.extend((at / size..(at + bytes as u64).div_ceil(size)).map(|texel| ((id, texel), site)));
    }
}

/// Reports that a lane has read a texel that the kernel has written.
#[cold]
pub(crate) fn stale(context: &mut ExecContext<'_>, lane: usize, site: InstructionSite) {
    let words = || {
        "reads a texel that the kernel has written through a surface: a texture may return the old value; use `suld`"
            .to_owned()
    };
    context.fault_with(FaultKind::Undefined, 1 << lane, words, Some((site, "the surface store".to_owned())));
}
